//! PowerPoint presentations: records within records, of which some are text.
//!
//! Containers are entered by reading on behind their header, so nothing recurses and every byte is seen once.
//!
//! Spec: [MS-PPT].

use super::{Bounded, u16_at, u32_at};
use crate::file::{FileError, FileType};

/// Containers that hold no text of the author: master slides, handouts, pictures.
const SKIPPED: [u16; 4] = [0x03f8, 0x0fc9, 0x040b, 0xf000];
const TEXT_WIDE: u16 = 0x0fa0;
const TEXT_NARROW: u16 = 0x0fa8;

/// The text of a presentation.
pub(super) fn text(stream: &[u8]) -> Result<String, FileError> {
    let mut out = Bounded::new(FileType::Ppt);
    let mut at = 0;
    while let (Some(version), Some(kind), Some(len)) =
        (u16_at(stream, at), u16_at(stream, at + 2), u32_at(stream, at + 4))
    {
        at += 8;
        if version & 0xf == 0xf && !SKIPPED.contains(&kind) {
            continue;
        }
        let end = at.saturating_add(len as usize).min(stream.len());
        match kind {
            TEXT_WIDE => out.wide(&stream[at..end])?,
            TEXT_NARROW => out.narrow(&stream[at..end])?,
            _ => {
                at = end;
                continue;
            }
        }
        out.push("\n")?;
        at = end;
    }
    // A star stands for the number of a slide, or for a date.
    let lines = out.text.split(['\r', '\x0b', '\n']).filter(|line| line.trim() != "*");
    Ok(lines.collect::<Vec<_>>().join("\n"))
}
