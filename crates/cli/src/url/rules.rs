//! The file of learned URL rules.

use anyhow::{Context, Result, bail};
use onefold_page::url::{Rules, RulesFile};
use std::path::Path;

/// Reads a file of rules.
pub(crate) fn read(path: &Path) -> Result<Rules> {
    let bytes = fs_err::read(path)?;
    let file: RulesFile = serde_json::from_slice(&bytes)
        .with_context(|| format!("{}: no file of URL rules", path.display()))?;
    let (expected, found) = (RulesFile::VERSION, file.version);
    if found != expected {
        bail!("{}: expected version {expected} of URL rules, found {found}", path.display());
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
