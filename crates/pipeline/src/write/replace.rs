//! What takes the place of a record that is neither kept nor dropped as it is.

use super::{Clusters, Run};
use crate::error::Error;
use crate::load::Loader;
use crate::piece::Names;
use crate::table::DocId;
use crate::verdicts::Fate;
use onefold_formats::http::Response;
use onefold_formats::warc::WarcHeader;
use serde::Serialize;

/// The profile of revisits whose payload is that of the record they refer to.
const PROFILE: &str = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest";

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
    let mut body = record[..end].trim_ascii_end().to_vec();
    // The verdict of an earlier run gives way.
    let line = std::str::from_utf8(&record[..end + 1]).unwrap_or_default();
    if let Some(old) = onefold_formats::json::span(line, "onefold") {
        let before = body[..old.start].trim_ascii_end().len();
        let behind = old.end + body[old.end..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        match (body.get(behind), body[..before].ends_with(b",")) {
            (Some(b','), _) => drop(body.drain(old.start..behind + 1)),
            (_, true) => drop(body.drain(before - 1..old.end)),
            _ => drop(body.drain(old)),
        }
    }
    new.extend_from_slice(body.trim_ascii_end());
    if !new.ends_with(b"{") {
        new.push(b',');
    }
    new.extend_from_slice(b"\"onefold\":");
    serde_json::to_writer(&mut *new, &mark(run, clusters, document)?).map_err(std::io::Error::other)?;
    new.extend_from_slice(&record[end..]);
    Ok(())
}

/// A revisit record in place of a duplicate: its header, that of its response, and whom it repeats.
pub(super) fn revisit_of_keeper(
    run: &Run<'_>,
    loader: &mut Loader<'_>,
    document: DocId,
    record: &[u8],
    new: &mut Vec<u8>,
) -> Result<(), Error> {
    let (names, digest) = keeper_names(run, loader, document)?;
    let Some(header) = WarcHeader::parse(record) else { return Ok(()) };
    let body = &record[header.len..];
    let http_head =
        Response::parse(body).map_or(&[][..], |response| &body[..body.len() - response.body.len()]);
    let http_head = if header.get("WARC-Type") == Some(b"response") { http_head } else { &[] };
    let length = http_head.len().to_string();
    let content_type =
        if http_head.is_empty() { "" } else { header.text("Content-Type").unwrap_or_default() };
    let fields = [
        ("WARC-Type", "revisit"),
        ("WARC-Profile", PROFILE),
        ("WARC-Refers-To", names.record_id.as_deref().unwrap_or_default()),
        ("WARC-Refers-To-Target-URI", names.url.as_deref().unwrap_or_default()),
        ("WARC-Refers-To-Date", names.date.as_deref().unwrap_or_default()),
        ("WARC-Payload-Digest", digest.as_deref().unwrap_or_default()),
        ("WARC-Block-Digest", ""),
        ("WARC-Truncated", "length"),
        ("Content-Type", content_type),
        ("Content-Length", &length),
    ];
    new.extend_from_slice(&header.rewritten(&fields));
    new.extend_from_slice(http_head);
    new.extend_from_slice(b"\r\n\r\n");
    Ok(())
}

/// A revisit of a removed document, turned to the one that was kept.
pub(super) fn turned_revisit(
    run: &Run<'_>,
    loader: &mut Loader<'_>,
    removed: DocId,
    record: &[u8],
    new: &mut Vec<u8>,
) -> Result<(), Error> {
    let (names, digest) = keeper_names(run, loader, removed)?;
    let Some(header) = WarcHeader::parse(record) else {
        new.extend_from_slice(record);
        return Ok(());
    };
    let fields = [
        ("WARC-Refers-To", names.record_id.as_deref().unwrap_or_default()),
        ("WARC-Refers-To-Target-URI", names.url.as_deref().unwrap_or_default()),
        ("WARC-Refers-To-Date", names.date.as_deref().unwrap_or_default()),
        ("WARC-Payload-Digest", digest.as_deref().unwrap_or_default()),
    ];
    new.extend_from_slice(&header.rewritten(&fields));
    new.extend_from_slice(&record[header.len..]);
    Ok(())
}

/// The payload digest of a record; one of another format has none.
fn payload_digest(loader: &mut Loader<'_>, document: DocId) -> Result<Option<String>, Error> {
    let record = loader.record(document)?;
    let is_warc = record.starts_with(b"WARC/");
    let header = is_warc.then(|| WarcHeader::parse(record)).flatten();
    Ok(header.and_then(|header| header.text("WARC-Payload-Digest").map(str::to_owned)))
}

/// Names and payload digest of the record that a removed document repeats. Of a keeper in an index only its URL is known.
fn keeper_names(
    run: &Run<'_>,
    loader: &mut Loader<'_>,
    document: DocId,
) -> Result<(Names, Option<String>), Error> {
    match (keeper_of(run, document), run.fate(document)) {
        (Some(keeper), _) => Ok((run.table.names(keeper)?, payload_digest(loader, keeper)?)),
        (None, Fate::Outside(index)) => {
            let outside = &run.verdicts.outside[index];
            Ok((Names { id: outside.id.clone(), url: outside.url.clone(), ..Names::default() }, None))
        }
        (None, _) => Ok((Names::default(), None)),
    }
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
