//! What `compare` prints.

use super::diff::WordDiff;
use super::edit::{Edit, Edits};
use super::measures::{Measures, Shared};
use crate::terminal::escape;
use std::io::{Result, Write};

pub(super) fn text(out: &mut impl Write, measures: &Measures) -> Result<()> {
    let Measures { a, b, .. } = measures;
    writeln!(out, "a  {}", escape(&a.name))?;
    writeln!(out, "b  {}", escape(&b.name))?;
    writeln!(out, "\n{:<24} {:>12} {:>12}", "", "a", "b")?;
    writeln!(out, "{:<24} {:>12} {:>12}", "words", a.words, b.words)?;
    writeln!(out, "{:<24} {:>12} {:>12}", "characters", a.characters, b.characters)?;
    writeln!(out, "{:<24} {:>12} {:>12}  {}", "shingles", a.shingles, b.shingles, measures.shingle)?;
    writeln!(out)?;
    shared(out, "resemblance", &measures.shingles)?;
    let Shared { a_in_b, b_in_a, .. } = measures.shingles;
    writeln!(out, "{:<24} {a_in_b:>12.4}  of a in b", "containment")?;
    writeln!(out, "{:<24} {b_in_a:>12.4}  of b in a", "")?;
    shared(out, "weighted", &measures.weighted)?;
    writeln!(out, "{:<24} {:>12.4}  of counts of words", "cosine", measures.cosine)?;
    writeln!(out, "{:<24} {:>12.4}  of counts of words", "euclidean", measures.euclidean)?;
    edits(out, "words", &measures.words)?;
    edits(out, "characters", &measures.characters)?;
    fingerprints(out, measures)?;
    sketches(out, measures)?;
    if let Some(groups) = &measures.groups {
        shared(out, "words as a set", &measures.word_sets)?;
        shared(out, "groups of words", groups)?;
    }
    let digest = |equal: bool, what: &str| {
        let verdict = if equal { "equal" } else { "different" };
        format!("{:<24} {verdict:>12}  {}", format!("digest, {what}"), measures.digest)
    };
    writeln!(out, "{}", digest(measures.equal_normalised, "words"))?;
    writeln!(out, "{}", digest(measures.equal_raw, "bytes"))
}

fn shared(out: &mut impl Write, name: &str, found: &Shared) -> Result<()> {
    let Shared { resemblance, shared, union, .. } = found;
    writeln!(out, "{name:<24} {resemblance:>12.4}  {shared} shared of {union}")
}

fn edits(out: &mut impl Write, of: &str, edits: &Edits) -> Result<()> {
    edit(out, &format!("indel, {of}"), &edits.indel)?;
    edit(out, &format!("levenshtein, {of}"), &edits.levenshtein)
}

fn edit(out: &mut impl Write, name: &str, edit: &Edit) -> Result<()> {
    match (edit.distance, edit.similarity) {
        (Some(distance), Some(similarity)) => {
            writeln!(out, "{name:<24} {distance:>12}  similarity {similarity:.4}")
        }
        _ => {
            let more_than = format!("> {}", edit.more_than.unwrap_or_default());
            writeln!(
                out,
                "{name:<24} {more_than:>12}  not computed for the size of the texts; --full-edit does"
            )
        }
    }
}

fn fingerprints(out: &mut impl Write, measures: &Measures) -> Result<()> {
    let features = measures.features;
    match (measures.hamming, &measures.a.fingerprint, &measures.b.fingerprint) {
        (Some(distance), Some(a), Some(b)) => {
            writeln!(out, "{:<24} {distance:>12}  of 64 bits: {a} {b}, {features}", "hamming")
        }
        _ => writeln!(out, "{:<24} {:>12}  a text without a word has no fingerprint", "hamming", "-"),
    }
}

fn sketches(out: &mut impl Write, measures: &Measures) -> Result<()> {
    let Some(found) = &measures.sketches else {
        return writeln!(out, "{:<24} {:>12}  a text without a word has no signature", "minhash", "-");
    };
    let (values, error, truth) = (found.values, found.standard_error, measures.shingles.resemblance);
    for (name, estimate) in [("minhash, fast", found.fast), ("minhash, classic", found.classic)] {
        writeln!(
            out,
            "{name:<24} {estimate:>12.4}  for {truth:.4}, standard error {error:.4} by {values} values"
        )?;
    }
    Ok(())
}

pub(super) fn json(measures: &Measures, diff: Option<&WordDiff<'_>>) -> anyhow::Result<serde_json::Value> {
    let mut value = serde_json::to_value(measures)?;
    value["version"] = 1.into();
    if let Some(diff) = diff {
        value["diff"] = serde_json::to_value(diff.changes())?;
    }
    Ok(value)
}
