//! Documents that are compared within groups, and those that are in none.

use crate::error::Error;
use crate::job::Job;
use crate::table::Table;
use onefold_formats::document::Document;
use onefold_run::Within;

/// Whether a document says which group it is in.
pub(crate) fn is_told(within: &Within, document: &Document<'_>) -> bool {
    match within {
        Within::All => true,
        Within::Site => document.url.as_deref().is_some_and(|url| !url.is_empty()),
        Within::Field(_) => document.group.is_some(),
    }
}

/// Documents without a group are a group together: a note says how many there are. That no document has one is
/// a mistyped name, and an error.
pub(crate) fn check(job: &Job<'_>, table: &Table<'_>) -> Result<Option<String>, Error> {
    let without: u64 = table.pieces().iter().map(|piece| piece.file.meta.ungrouped).sum();
    let what = match &job.plan.within {
        Within::Site => "URL".to_owned(),
        Within::Field(name) => format!("field {name:?} with a string, number or boolean in it"),
        Within::All => return Ok(None),
    };
    if without > 0 && without == table.len() as u64 {
        let flag = job.plan.within.to_string();
        let flag = flag.strip_prefix("field:").unwrap_or(&flag);
        return Err(Error::Unsupported(format!("--within {flag}: no document has a {what}")));
    }
    Ok((without > 0)
        .then(|| format!("{without} documents have no {what} and are compared with each other alone")))
}
