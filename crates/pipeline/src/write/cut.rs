//! Records whose text lost some of its paragraphs.

use crate::error::Error;
use crate::paragraphs::without;
use crate::verdicts::Cut;
use onefold_formats::json;
use onefold_formats::source::Format;
use onefold_formats::warc::WarcHeader;

/// Appends a record with its text cut, and all else as it came.
pub(super) fn cut_record(
    format: Format,
    text_field: &str,
    text: &str,
    cuts: &[Cut],
    record: &[u8],
    new: &mut Vec<u8>,
) -> Result<(), Error> {
    let left = without(text, cuts);
    match format {
        Format::Jsonl => {
            let line = std::str::from_utf8(record).unwrap_or_default();
            let Some(place) = json::span(line, text_field) else {
                new.extend_from_slice(record);
                return Ok(());
            };
            new.extend_from_slice(&record[..place.start]);
            serde_json::to_writer(&mut *new, text_field).map_err(std::io::Error::other)?;
            new.push(b':');
            serde_json::to_writer(&mut *new, &left).map_err(std::io::Error::other)?;
            new.extend_from_slice(&record[place.end..]);
        }
        Format::Warc => {
            let Some(header) = WarcHeader::parse(record) else {
                new.extend_from_slice(record);
                return Ok(());
            };
            // Digests of what is no more would be wrong.
            let length = left.len().to_string();
            let fields = [
                ("WARC-Block-Digest", &b""[..]),
                ("WARC-Payload-Digest", b""),
                ("Content-Length", length.as_bytes()),
            ];
            new.extend_from_slice(&header.rewritten(&fields));
            new.extend_from_slice(left.as_bytes());
            new.extend_from_slice(b"\r\n\r\n");
        }
        _ => new.extend_from_slice(left.as_bytes()),
    }
    Ok(())
}
