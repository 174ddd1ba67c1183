//! The file of learned URL rules.

use anyhow::{Context, Result, bail};
use onefold_page::url::{Rule, Rules};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the file's format.
pub(super) const VERSION: u32 = 1;

/// What the file holds.
#[derive(Serialize, Deserialize)]
pub(super) struct RulesFile {
    pub(super) version: u32,
    /// Distinct keys the rules were learned from.
    pub(super) keys: u64,
    /// Of these, left aside because they had several contents.
    pub(super) unstable: u64,
    pub(super) min_support: u64,
    pub(super) min_confidence: f64,
    pub(super) rules: Vec<Rule>,
}

/// Reads a file of rules.
pub(crate) fn read(path: &Path) -> Result<Rules> {
    let bytes = fs_err::read(path)?;
    let file: RulesFile = serde_json::from_slice(&bytes)
        .with_context(|| format!("{}: no file of URL rules", path.display()))?;
    if file.version != VERSION {
        bail!("{}: expected version {VERSION} of URL rules, found {}", path.display(), file.version);
    }
    Ok(file.rules.into())
}

/// What tells one set of rules from another: a digest of what they take out.
pub(crate) fn digest(rules: &Rules) -> String {
    let mut text = String::new();
    for rule in rules.iter() {
        text += &format!("{}\t{:?}\t{}\n", rule.host, rule.kind, rule.text);
    }
    onefold_detect::digest::Algorithm::Xxh3_128.short(text.as_bytes()).to_string()
}
