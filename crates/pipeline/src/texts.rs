//! The texts of some documents, by id.

use crate::census::visit;
use crate::error::Error;
use crate::job::Job;
use crate::payload::text_of;
use crate::scan::lock;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// The compared texts of the documents with these ids; of several with one id, the shortest and then the first in
/// alphabetical order. What is not there is left out.
pub fn texts(job: &Job<'_>, ids: &HashSet<String>) -> Result<HashMap<String, String>, Error> {
    let found = job.selection.look(&job.plan.fields)?;
    let texts: Mutex<HashMap<String, String>> = Mutex::new(HashMap::new());
    visit(
        job,
        &found.sources,
        || (),
        |(), document| {
            if let Some(id) = document.name().filter(|id| ids.contains(*id)) {
                let mut text = String::new();
                // What cannot be read has no text.
                let _ = text_of(&document.body, job.plan.content, &mut text);
                let mut texts = lock(&texts);
                // Threads come in any order: which of several stays must not depend on it.
                let better = |old: &String| (text.len(), &text) < (old.len(), old);
                if texts.get(id).is_none_or(better) {
                    texts.insert(id.to_owned(), text);
                }
            }
        },
    )?;
    Ok(texts.into_inner().unwrap_or_else(PoisonError::into_inner))
}
