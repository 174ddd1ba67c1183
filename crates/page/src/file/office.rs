//! Office files: XML in a ZIP.
//!
//! Word and PowerPoint keep text in `t` elements and end a paragraph with `p`; OpenDocument keeps it in `p` and `h`
//! themselves; Excel keeps strings in a table of their own, to which cells point. Names are compared without their
//! prefix, and tags that do not match are let pass.
//!
//! Specs: ECMA-376 (Office Open XML), OASIS OpenDocument 1.3.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::zipped::{Zipped, damaged};
use super::{FileError, FileType};

/// The text of an office file of this kind.
pub(super) fn text(bytes: &[u8], kind: FileType) -> Result<String, FileError> {
    let mut file = Zipped::open(bytes, kind)?;
    let mut out = String::new();
    match kind {
        FileType::Docx => {
            paragraphs(&file.needed("word/document.xml")?, kind, &mut out)?;
            for notes in ["word/footnotes.xml", "word/endnotes.xml"] {
                if let Some(notes) = file.part(notes)? {
                    paragraphs(&notes, kind, &mut out)?;
                }
            }
        }
        FileType::Pptx => {
            for name in file.names() {
                if name.starts_with("ppt/slides/slide") && name.ends_with(".xml") {
                    paragraphs(&file.needed(&name)?, kind, &mut out)?;
                }
            }
        }
        FileType::Xlsx => sheets(&mut file, &mut out)?,
        _ => paragraphs(&file.needed("content.xml")?, kind, &mut out)?,
    }
    let lines = out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    Ok(lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n"))
}

/// Appends the paragraphs of a part, one a line.
fn paragraphs(xml: &[u8], kind: FileType, out: &mut String) -> Result<(), FileError> {
    let is_open_document = matches!(kind, FileType::Odt | FileType::Odp | FileType::Ods);
    // Open elements that hold text.
    let mut depth = 0u32;
    each_event(xml, kind, |event| match event {
        Event::Start(tag) => match tag.local_name().as_ref() {
            "p" | "h" if is_open_document => depth += 1,
            "t" if !is_open_document => depth += 1,
            name => gap(name, out),
        },
        Event::Empty(tag) => gap(tag.local_name().as_ref(), out),
        Event::End(tag) => match tag.local_name().as_ref() {
            "p" | "h" => {
                depth = if is_open_document { depth.saturating_sub(1) } else { depth };
                out.push('\n');
            }
            "t" if !is_open_document => depth = depth.saturating_sub(1),
            "tc" | "table-cell" => out.push(' '),
            _ => {}
        },
        other if depth > 0 => push_text(&other, out),
        _ => {}
    })
}

/// Blanks and line ends that are elements.
fn gap(name: &str, out: &mut String) {
    match name {
        "tab" | "s" => out.push(' '),
        "br" | "cr" | "line-break" => out.push('\n'),
        _ => {}
    }
}

/// Appends the rows of all sheets, one a line.
fn sheets(file: &mut Zipped<'_>, out: &mut String) -> Result<(), FileError> {
    let kind = FileType::Xlsx;
    let mut strings: Vec<String> = Vec::new();
    if let Some(table) = file.part("xl/sharedStrings.xml")? {
        let mut in_text = false;
        each_event(&table, kind, |event| match event {
            Event::Start(tag) => match tag.local_name().as_ref() {
                "si" => strings.push(String::new()),
                "t" => in_text = true,
                _ => {}
            },
            Event::End(tag) if tag.local_name().as_ref() == "t" => in_text = false,
            other => {
                if let Some(last) = strings.last_mut().filter(|_| in_text) {
                    push_text(&other, last);
                }
            }
        })?;
    }
    for name in file.names() {
        if !(name.starts_with("xl/worksheets/sheet") && name.ends_with(".xml")) {
            continue;
        }
        let sheet = file.needed(&name)?;
        let (mut is_shared, mut in_value) = (false, false);
        let mut value = String::new();
        each_event(&sheet, kind, |event| match event {
            Event::Start(tag) => match tag.local_name().as_ref() {
                "c" => is_shared = points_to_string(&tag),
                "v" | "t" => in_value = true,
                _ => {}
            },
            Event::End(tag) => match tag.local_name().as_ref() {
                "v" | "t" => {
                    in_value = false;
                    let value = std::mem::take(&mut value);
                    let shared = value.trim().parse::<usize>().ok().and_then(|index| strings.get(index));
                    // One string may be pointed to by any number of cells.
                    if out.len() as u64 <= super::MAX_UNPACKED_BYTES {
                        out.push_str(shared.filter(|_| is_shared).unwrap_or(&value));
                    }
                }
                "c" => out.push(' '),
                "row" => out.push('\n'),
                _ => {}
            },
            other if in_value => push_text(&other, &mut value),
            _ => {}
        })?;
    }
    if out.len() as u64 > super::MAX_UNPACKED_BYTES { Err(FileError::TooLarge(kind)) } else { Ok(()) }
}

fn points_to_string(cell: &BytesStart<'_>) -> bool {
    cell.attributes()
        .flatten()
        .any(|attribute| attribute.key.as_ref() == "t" && attribute.value.as_ref() == "s")
}

/// Text, CDATA and character references.
fn push_text(event: &Event<'_>, out: &mut String) {
    match event {
        Event::Text(text) => out.push_str(text),
        Event::CData(text) => out.push_str(text),
        Event::GeneralRef(reference) => match (reference.resolve_char_ref(), reference.as_ref()) {
            (Ok(Some(char)), _) => out.push(char),
            (_, "amp") => out.push('&'),
            (_, "lt") => out.push('<'),
            (_, "gt") => out.push('>'),
            (_, "quot") => out.push('"'),
            (_, "apos") => out.push('\''),
            _ => {}
        },
        _ => {}
    }
}

/// Calls `take` with each event of an XML file.
pub(super) fn each_event(
    xml: &[u8],
    kind: FileType,
    mut take: impl FnMut(Event<'_>),
) -> Result<(), FileError> {
    let mut reader = Reader::from_reader(xml);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => return Ok(()),
            Ok(event) => take(event),
            Err(error) => return Err(damaged(kind, error)),
        }
    }
}
