//! Where the objects of a file are, and its pages.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use memchr::memmem;

use super::object::{Dict, Lexer, Object, is_white};
use super::{Budget, FileError, filter};
use crate::file::FileType;

/// References followed to a value at most.
const MAX_REFERENCES: usize = 8;

/// Trailers looked at, from the end of the file.
const MAX_TRAILERS: usize = 64;

/// A PDF file whose objects can be asked for.
pub(super) struct Document<'a> {
    bytes: &'a [u8],
    places: HashMap<u32, Place>,
    /// Unpacked streams of objects.
    streams: Vec<Vec<u8>>,
    /// Dictionaries that may name the root.
    trailers: Vec<Dict>,
    /// Objects of the type page, in the order of the file.
    loose_pages: Vec<u32>,
}

/// Where an object is: in the file, or in a stream of objects.
#[derive(Clone)]
struct Place {
    stream: Option<usize>,
    bytes: Range<usize>,
}

/// An object with the bytes of its stream, if it has one.
pub(super) struct Found<'a> {
    pub(super) object: Object,
    data: Option<&'a [u8]>,
}

impl<'a> Document<'a> {
    pub(super) fn open(bytes: &'a [u8], budget: &mut Budget) -> Result<Self, FileError> {
        budget.pay(bytes.len())?;
        let mut document = Document {
            bytes,
            places: HashMap::new(),
            streams: Vec::new(),
            trailers: Vec::new(),
            loose_pages: Vec::new(),
        };
        let marks = marks(bytes);
        let ends = marks.iter().skip(1).map(|mark| mark.start).chain([bytes.len()]);
        for (mark, end) in marks.iter().zip(ends) {
            // Of several objects of one number the last in the file counts.
            let place = Place { stream: None, bytes: mark.body..end };
            document.places.insert(mark.number, place.clone());
            let slice = &bytes[mark.body..end];
            let head = &slice[..slice.len().min(2048)];
            if memmem::find(head, b"ObjStm").is_some() {
                document.add_stream(&place, budget)?;
            } else if memmem::find(head, b"XRef").is_some() {
                document.trailers.extend(Lexer::new(slice).object().and_then(dict));
            } else if memmem::find(head, b"/Page").is_some() {
                document.loose_pages.push(mark.number);
            }
        }
        let newest = memmem::rfind_iter(bytes, b"trailer").take(MAX_TRAILERS).collect::<Vec<_>>();
        for &at in newest.iter().rev() {
            let head = &bytes[at + 7..bytes.len().min(at + 7 + 4096)];
            document.trailers.extend(Lexer::new(head).object().and_then(dict));
        }
        if document.trailers.iter().any(|trailer| trailer.get("Encrypt").is_some()) {
            return Err(FileError::Encrypted(FileType::Pdf));
        }
        Ok(document)
    }

    /// Notes the objects in a stream of objects.
    fn add_stream(&mut self, place: &Place, budget: &mut Budget) -> Result<(), FileError> {
        let Some(found) = self.at(place, budget)? else { return Ok(()) };
        let Object::Dict(dict) = &found.object else { return Ok(()) };
        let first = dict.get("First").and_then(Object::integer);
        let Some(first) = first.filter(|_| dict.is("Type", "ObjStm")) else { return Ok(()) };
        let bytes = self.data(&found, budget)?;
        let mut lexer = Lexer::new(&bytes[..first.min(bytes.len())]);
        let mut members = Vec::new();
        while let Some(number) = lexer.object() {
            let offset = lexer.object().and_then(|offset| offset.integer());
            let (Some(number), Some(offset)) = (number.integer(), offset) else { break };
            members.push((first + offset, number));
        }
        members.sort_unstable();
        let ends: Vec<usize> = members.iter().skip(1).map(|(start, _)| *start).chain([bytes.len()]).collect();
        for (&(start, number), end) in members.iter().zip(ends) {
            if start < end && end <= bytes.len() {
                let place = Place { stream: Some(self.streams.len()), bytes: start..end };
                self.places.insert(number as u32, place);
            }
        }
        self.streams.push(bytes);
        Ok(())
    }

    fn at(&self, place: &Place, budget: &mut Budget) -> Result<Option<Found<'a>>, FileError> {
        let Some(stream) = place.stream else {
            let slice = &self.bytes[place.bytes.clone()];
            let mut lexer = Lexer::new(slice);
            let Some(object) = lexer.object() else {
                budget.pay(lexer.at + 16)?;
                return Ok(None);
            };
            budget.pay(lexer.at + 16)?;
            let mut data = None;
            if let Object::Dict(dict) = &object
                && lexer.token() == Some(super::object::Token::Word(b"stream"))
            {
                let mut start = place.bytes.start + lexer.at;
                start += usize::from(self.bytes.get(start) == Some(&b'\r'));
                start += usize::from(self.bytes.get(start) == Some(&b'\n'));
                let rest = self.bytes.get(start..).unwrap_or_default();
                let length = match dict.get("Length") {
                    Some(Object::Reference(number)) => self.plain_number(*number),
                    Some(length) => length.integer(),
                    None => None,
                };
                data = Some(stream_data(rest, length, budget)?);
            }
            return Ok(Some(Found { object, data }));
        };
        let slice = &self.streams[stream][place.bytes.clone()];
        let mut lexer = Lexer::new(slice);
        let object = lexer.object();
        budget.pay(lexer.at + 16)?;
        Ok(object.map(|object| Found { object, data: None }))
    }

    /// An object that is a number, without following anything.
    fn plain_number(&self, number: u32) -> Option<usize> {
        let place = self.places.get(&number)?;
        let all = place.stream.map_or(self.bytes, |stream| &self.streams[stream]);
        let slice = &all[place.bytes.clone()];
        Lexer::new(&slice[..slice.len().min(64)]).object()?.integer()
    }

    /// What an object stands for, references followed.
    pub(super) fn find(&self, object: &Object, budget: &mut Budget) -> Result<Option<Found<'a>>, FileError> {
        let mut object = object.clone();
        for _ in 0..MAX_REFERENCES {
            let Object::Reference(number) = object else { return Ok(Some(Found { object, data: None })) };
            let Some(place) = self.places.get(&number) else { return Ok(None) };
            match self.at(place, budget)? {
                Some(found) if matches!(found.object, Object::Reference(_)) => object = found.object,
                found => return Ok(found),
            }
        }
        Ok(None)
    }

    /// The value of a key, references followed.
    pub(super) fn get(
        &self,
        dict: &Dict,
        key: &str,
        budget: &mut Budget,
    ) -> Result<Option<Object>, FileError> {
        let Some(object) = dict.get(key) else { return Ok(None) };
        Ok(self.find(object, budget)?.map(|found| found.object))
    }

    /// The dictionary a key has as its value.
    pub(super) fn dict(
        &self,
        dict: &Dict,
        key: &str,
        budget: &mut Budget,
    ) -> Result<Option<Dict>, FileError> {
        Ok(self.get(dict, key, budget)?.and_then(self::dict))
    }

    /// The unpacked bytes of a stream.
    pub(super) fn data(&self, found: &Found<'_>, budget: &mut Budget) -> Result<Vec<u8>, FileError> {
        let (Object::Dict(dict), Some(data)) = (&found.object, found.data) else { return Ok(Vec::new()) };
        let mut list = |long: &str, short: &str| -> Result<Vec<Object>, FileError> {
            let key = if dict.get(long).is_some() { long } else { short };
            Ok(match self.get(dict, key, budget)? {
                Some(Object::Array(objects)) => objects,
                Some(object) => vec![object],
                None => Vec::new(),
            })
        };
        let (filters, parameters) = (list("Filter", "F")?, list("DecodeParms", "DP")?);
        filter::decode(&filters, &parameters, data, budget)
    }

    /// Hands over pages in order, each with its resources.
    pub(super) fn each_page(
        &self,
        budget: &mut Budget,
        mut take: impl FnMut(&Dict, &Dict, &mut Budget) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let mut seen = HashSet::new();
        // The last trailer is the newest.
        let mut open: Vec<(Object, Rc<Dict>)> = Vec::new();
        for trailer in self.trailers.iter().rev() {
            if let Some(root) = self.dict(trailer, "Root", budget)?
                && let Some(pages) = root.get("Pages")
            {
                open.push((pages.clone(), Rc::default()));
                break;
            }
        }
        let mut pages = 0;
        while let Some((node, inherited)) = open.pop() {
            if let Object::Reference(number) = node
                && !seen.insert(number)
            {
                continue;
            }
            let Some(node) = self.find(&node, budget)?.and_then(|found| dict(found.object)) else { continue };
            let resources = self.dict(&node, "Resources", budget)?.map_or(inherited, Rc::new);
            match self.get(&node, "Kids", budget)? {
                Some(Object::Array(kids)) => {
                    budget.pay(kids.len() * 64)?;
                    open.extend(kids.into_iter().rev().map(|kid| (kid, resources.clone())));
                }
                _ => {
                    pages += 1;
                    take(&node, &resources, budget)?;
                }
            }
        }
        if pages > 0 {
            return Ok(());
        }
        for number in &self.loose_pages {
            let page = self.find(&Object::Reference(*number), budget)?.and_then(|found| dict(found.object));
            if let Some(page) = page.filter(|page| page.is("Type", "Page")) {
                let resources = self.dict(&page, "Resources", budget)?.unwrap_or_default();
                take(&page, &resources, budget)?;
            }
        }
        Ok(())
    }

    /// The title the file gives itself.
    pub(super) fn title(&self, budget: &mut Budget) -> Result<String, FileError> {
        for trailer in self.trailers.iter().rev() {
            if let Some(info) = self.dict(trailer, "Info", budget)?
                && let Some(Object::Text(title)) = self.get(&info, "Title", budget)?
            {
                let decoded = match title.strip_prefix(b"\xfe\xff") {
                    Some(wide) => encoding_rs::UTF_16BE.decode_without_bom_handling(wide).0,
                    None => encoding_rs::WINDOWS_1252.decode_without_bom_handling(&title).0,
                };
                return Ok(decoded.trim().to_owned());
            }
        }
        Ok(String::new())
    }
}

pub(super) fn dict(object: Object) -> Option<Dict> {
    match object {
        Object::Dict(dict) => Some(dict),
        _ => None,
    }
}

/// The data of a stream: as long as it says, or up to the word that ends it.
fn stream_data<'a>(
    rest: &'a [u8],
    length: Option<usize>,
    budget: &mut Budget,
) -> Result<&'a [u8], FileError> {
    if let Some(data) = length.and_then(|length| rest.get(..length)) {
        let behind = &rest[data.len()..rest.len().min(data.len() + 32)];
        if behind.trim_ascii_start().starts_with(b"endstream") {
            return Ok(data);
        }
    }
    let end = memmem::find(rest, b"endstream").unwrap_or(rest.len());
    budget.pay(end)?;
    Ok(&rest[..end])
}

struct Mark {
    number: u32,
    start: usize,
    body: usize,
}

/// Every `n g obj` of a file.
fn marks(bytes: &[u8]) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for at in memmem::find_iter(bytes, b"obj") {
        let head = &bytes[at.saturating_sub(24)..at];
        let Some((rest, _)) = number_before(head) else { continue };
        let Some((rest, number)) = number_before(rest) else { continue };
        let start = at - (head.len() - rest.len());
        if let Ok(number) = u32::try_from(number) {
            marks.push(Mark { number, start, body: at + 3 });
        }
    }
    marks
}

/// The number that bytes end with, and what is before it. There must be white space behind it.
fn number_before(bytes: &[u8]) -> Option<(&[u8], u64)> {
    let white = bytes.iter().rev().take_while(|&&byte| is_white(byte)).count();
    let bytes = &bytes[..bytes.len() - white];
    let digits = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (rest, digits) = bytes.split_at(bytes.len() - digits);
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (white > 0).then_some((rest, number))
}
