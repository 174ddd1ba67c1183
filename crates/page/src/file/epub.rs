//! EPUB: pages of XHTML in a ZIP, in the order the package file says.
//!
//! `META-INF/container.xml` names the package; its manifest gives each item a path, its spine their order.
//! Spec: <https://www.w3.org/TR/epub-33/>.

use std::collections::HashMap;

use quick_xml::events::{BytesStart, Event};

use super::office::each_event;
use super::zipped::{Zipped, damaged};
use super::{FileError, FileType};

const KIND: FileType = FileType::Epub;

/// The visible text of all pages, in reading order.
pub(super) fn text(bytes: &[u8]) -> Result<String, FileError> {
    let mut file = Zipped::open(bytes, KIND)?;
    let mut package = None;
    tags(&file.needed("META-INF/container.xml")?, |tag| {
        if tag.local_name().as_ref() == "rootfile" && package.is_none() {
            package = attribute(tag, "full-path");
        }
    })?;
    let package = package.ok_or_else(|| damaged(KIND, "no package is named"))?;
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let (mut manifest, mut spine) = (HashMap::new(), Vec::new());
    tags(&file.needed(&package)?, |tag| match tag.local_name().as_ref() {
        "item" => {
            if let (Some(id), Some(href)) = (attribute(tag, "id"), attribute(tag, "href")) {
                manifest.insert(id, href);
            }
        }
        "itemref" => spine.extend(attribute(tag, "idref")),
        _ => {}
    })?;
    let mut out = String::new();
    for href in spine.iter().filter_map(|id| manifest.get(id)) {
        if let Some(page) = file.part(&joined(&folder, href))? {
            let page = crate::extract(&page, None, crate::Content::All).text;
            if !page.is_empty() {
                out.push_str(if out.is_empty() { "" } else { "\n" });
                out.push_str(&page);
            }
        }
    }
    Ok(out)
}

fn tags(xml: &[u8], mut take: impl FnMut(&BytesStart<'_>)) -> Result<(), FileError> {
    each_event(xml, KIND, |event| {
        if let Event::Start(tag) | Event::Empty(tag) = event {
            take(&tag);
        }
    })
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.attributes().flatten().find(|attribute| attribute.key.as_ref() == name)?;
    Some(found.value.replace("&amp;", "&"))
}

/// The path in the ZIP of a link in the package; dots and escapes as in any URL.
fn joined(folder: &str, href: &str) -> String {
    let href = href.split('#').next().unwrap_or(href);
    let bytes = href.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escape = href.get(at + 1..at + 3).filter(|_| byte == b'%');
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                plain.push(value);
                at += 3;
            }
            None => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    let plain = String::from_utf8_lossy(&plain).into_owned();
    let mut path: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in plain.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            _ => path.push(part),
        }
    }
    path.join("/")
}
