//! What takes the place of a record that is neither kept nor dropped as it is.

use super::{Clusters, Run};
use crate::error::Error;
use crate::table::DocId;
use crate::verdicts::Fate;
use serde::Serialize;

/// The field of a document that its verdict is put into.
const FIELD: &str = "onefold";

/// The verdict as it is put into a document.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Mark {
    duplicate_of: Option<String>,
    kind: Option<&'static str>,
    similarity: Option<f64>,
    cluster: Option<u64>,
}

fn mark(run: &Run<'_>, clusters: &Clusters, document: DocId) -> Result<Mark, Error> {
    let (keeper, kind, similarity) = match run.fate(document) {
        Fate::Outside(index) => {
            let outside = &run.verdicts.outside[index];
            return Ok(Mark {
                duplicate_of: Some(outside.id.clone()),
                kind: Some(outside.kind().name()),
                similarity: Some(outside.similarity()),
                cluster: clusters.outside_number(outside.number),
            });
        }
        Fate::Kept => return Ok(Mark { cluster: clusters.number(document), ..Mark::default() }),
        Fate::Exact { keeper, .. } => (keeper, "exact", 1.0),
        Fate::Near(near) => (near.keeper, near.kind().name(), near.similarity()),
    };
    let duplicate_of = Some(run.table.names(keeper)?.id);
    Ok(Mark {
        duplicate_of,
        kind: Some(kind),
        similarity: Some(similarity),
        cluster: clusters.number(keeper),
    })
}

#[cfg(feature = "parquet")]
pub(super) fn annotation(
    run: &Run<'_>,
    clusters: &Clusters,
    document: DocId,
) -> Result<onefold_formats::parquet::Annotation, Error> {
    let Mark { duplicate_of, kind, similarity, cluster } = mark(run, clusters, document)?;
    Ok(onefold_formats::parquet::Annotation { duplicate_of, kind, similarity, cluster })
}

/// A JSON line with the field `onefold` added, its bytes else as they came.
pub(super) fn annotated_line(
    run: &Run<'_>,
    clusters: &Clusters,
    document: DocId,
    record: &[u8],
    new: &mut Vec<u8>,
) -> Result<(), Error> {
    let end = record.trim_ascii_end().len().saturating_sub(1);
    let mut object = record[..end + 1].to_vec();
    // The verdict of an earlier run gives way; what is not ours to overwrite stops the run.
    while let Some((old, is_verdict)) = verdict_field(&object) {
        if !is_verdict {
            let source = &run.context.sources[run.table.source_of(document)].name;
            let offset = run.table.address(document).0;
            return Err(Error::Unsupported(format!(
                "{source}: the document at {offset} has a field {FIELD:?} of its own, which --annotate would overwrite"
            )));
        }
        let before = object[..old.start].trim_ascii_end().len();
        let behind = old.end + object[old.end..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        match (object.get(behind), object[..before].ends_with(b",")) {
            (Some(b','), _) => drop(object.drain(old.start..behind + 1)),
            (_, true) => drop(object.drain(before - 1..old.end)),
            _ => drop(object.drain(old)),
        }
    }
    object.pop();
    new.extend_from_slice(object.trim_ascii_end());
    if !new.ends_with(b"{") {
        new.push(b',');
    }
    new.extend_from_slice(b"\"onefold\":");
    serde_json::to_writer(&mut *new, &mark(run, clusters, document)?).map_err(std::io::Error::other)?;
    new.extend_from_slice(&record[end..]);
    Ok(())
}

/// Where an object has the field of verdicts, and whether what it holds is one: nothing, or an object of our own keys.
fn verdict_field(object: &[u8]) -> Option<(std::ops::Range<usize>, bool)> {
    let line = std::str::from_utf8(object).ok()?;
    let span = onefold_formats::json::span(line, FIELD)?;
    let known = ["duplicate_of", "kind", "similarity", "cluster"];
    let field: Option<serde_json::Value> = serde_json::from_str(&format!("{{{}}}", &line[span.clone()])).ok();
    let is_verdict = field.is_some_and(|field| match &field[FIELD] {
        serde_json::Value::Null => true,
        serde_json::Value::Object(keys) => {
            !keys.is_empty() && keys.keys().all(|key| known.contains(&key.as_str()))
        }
        _ => false,
    });
    Some((span, is_verdict))
}

/// The document of the run that a document was removed in favour of, or itself; `None` if that is in an index.
pub(crate) fn keeper_of(run: &Run<'_>, document: DocId) -> Option<DocId> {
    match run.fate(document) {
        Fate::Kept => Some(document),
        Fate::Exact { keeper, .. } => Some(keeper),
        Fate::Near(near) => Some(near.keeper),
        Fate::Outside(_) => None,
    }
}
