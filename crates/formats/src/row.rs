//! Rows of columnar files as bytes, so that they travel in blocks like all other records.
//!
//! Layout: score as 10 bytes (a float, NaN for none, and what is beyond it); then id, url, date, text, group, each as a little-endian u32 of its length
//! plus one (zero for none) and its UTF-8 bytes.

use crate::bad::{BadKind, BadRecord};
use crate::document::{Body, Document, no_nul};
use crate::score::Score;
use std::borrow::Cow;

/// The parts of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) url: Option<&'a str>,
    pub(crate) date: Option<&'a str>,
    pub(crate) text: Option<&'a str>,
    pub(crate) group: Option<&'a str>,
    pub(crate) score: Option<Score>,
}

/// Appends a row.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(crate) fn encode(row: Row<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(&Score::to_bytes(row.score));
    for part in [row.id, row.url, row.date, row.text, row.group] {
        let len = part.map_or(0, |part| part.len() as u32 + 1);
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(part.unwrap_or_default().as_bytes());
    }
}

/// Reads a row.
pub(crate) fn decode(bytes: &[u8]) -> Result<Document<'_>, BadRecord> {
    let damaged = || BadRecord::new(BadKind::Parquet, "damaged row");
    let (score, mut rest) = bytes.split_first_chunk::<{ Score::BYTES }>().ok_or_else(damaged)?;
    let mut parts = [None; 5];
    for part in &mut parts {
        let (len, tail) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
        let len = u32::from_le_bytes(*len) as usize;
        let bytes = tail.get(..len.saturating_sub(1)).ok_or_else(damaged)?;
        rest = &tail[bytes.len()..];
        *part = if len == 0 { None } else { Some(std::str::from_utf8(bytes).map_err(|_| damaged())?) };
    }
    let [id, url, date, text, group] = parts.map(|part| part.map(Cow::Borrowed));
    let text = text.ok_or_else(|| BadRecord::new(BadKind::MissingField, "the text of this row is null"))?;
    no_nul(text.as_bytes())?;
    let score = Score::from_bytes(score);
    Ok(Document { id, url, date, score, group, body: Body::Text(text), ..Document::default() })
}
