//! Fonts: from the codes of a text to characters and to how wide they are.

use std::collections::HashMap;

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, MACINTOSH, SHIFT_JIS, UTF_16BE, WINDOWS_1252};

use super::cmap::{ToUnicode, code_of};
use super::document::Document;
use super::object::{Dict, Object};
use super::{Budget, FileError, glyphs};

/// Width in thousandths of the size where a font does not tell.
const TYPICAL_WIDTH: f64 = 520.0;

/// A font as far as text needs it.
pub(super) struct Font {
    to_unicode: ToUnicode,
    codes: Codes,
    widths: HashMap<u32, f64>,
    default_width: f64,
    /// From a width to text space.
    pub(super) scale: f64,
}

/// What codes stand for where no map says so.
enum Codes {
    /// A byte each, by name of the glyph.
    Bytes(Box<[Option<&'static str>; 256]>, HashMap<u8, char>),
    /// Two bytes each, numbers of glyphs that only the font knows.
    Glyphs,
    /// Text in an encoding for Chinese, Japanese or Korean.
    Encoded(&'static Encoding),
}

impl Font {
    pub(super) fn read(document: &Document<'_>, dict: &Dict, budget: &mut Budget) -> Result<Self, FileError> {
        let mut to_unicode = ToUnicode::default();
        if let Some(map) = dict.get("ToUnicode")
            && let Some(found) = document.find(map, budget)?
        {
            let bytes = document.data(&found, budget)?;
            // Each of its entries takes far more memory than bytes.
            budget.pay(bytes.len() * 8)?;
            to_unicode = ToUnicode::parse(&bytes);
        }
        let mut font = Font {
            to_unicode,
            codes: Codes::Glyphs,
            widths: HashMap::new(),
            default_width: TYPICAL_WIDTH,
            scale: 0.001,
        };
        if dict.is("Subtype", "Type0") {
            font.read_composite(document, dict, budget)?;
        } else {
            font.read_simple(document, dict, budget)?;
        }
        Ok(font)
    }

    fn read_simple(
        &mut self,
        document: &Document<'_>,
        dict: &Dict,
        budget: &mut Budget,
    ) -> Result<(), FileError> {
        let encoding = document.get(dict, "Encoding", budget)?;
        let mut names: Box<[Option<&'static str>; 256]> = Box::new([None; 256]);
        let mut odd = HashMap::new();
        let base = match &encoding {
            Some(Object::Name(name)) => Some(name.clone()),
            Some(Object::Dict(encoding)) => match encoding.get("BaseEncoding") {
                Some(Object::Name(name)) => Some(name.clone()),
                _ => None,
            },
            _ => None,
        };
        let base = base.unwrap_or_else(|| match dict.is("Subtype", "TrueType") {
            true => b"WinAnsiEncoding".to_vec(),
            false => b"StandardEncoding".to_vec(),
        });
        for code in 0..=255u8 {
            match base.as_slice() {
                b"WinAnsiEncoding" => odd.extend(decoded(WINDOWS_1252, code).map(|char| (code, char))),
                b"MacRomanEncoding" => odd.extend(decoded(MACINTOSH, code).map(|char| (code, char))),
                _ => odd.extend(glyphs::standard(code).map(|char| (code, char))),
            }
        }
        if let Some(Object::Dict(encoding)) = &encoding
            && let Some(Object::Array(differences)) = document.get(encoding, "Differences", budget)?
        {
            let mut code = 0u8;
            for difference in &differences {
                match difference {
                    Object::Number(number) => code = *number as u8,
                    Object::Name(name) => {
                        names[usize::from(code)] = glyphs::text(name);
                        odd.remove(&code);
                        odd.extend(glyphs::by_number(name).map(|char| (code, char)));
                        code = code.wrapping_add(1);
                    }
                    _ => {}
                }
            }
        }
        self.codes = Codes::Bytes(names, odd);
        let first = document.get(dict, "FirstChar", budget)?.and_then(|first| first.integer()).unwrap_or(0);
        if let Some(Object::Array(widths)) = document.get(dict, "Widths", budget)? {
            let numbers = widths.iter().map(|width| width.number().unwrap_or(TYPICAL_WIDTH));
            self.widths = (first as u32..).zip(numbers.take(256)).collect();
        }
        if dict.is("Subtype", "Type3")
            && let Some(Object::Array(matrix)) = document.get(dict, "FontMatrix", budget)?
        {
            self.scale = matrix.first().and_then(Object::number).unwrap_or(0.001).abs().clamp(1e-6, 10.0);
        }
        Ok(())
    }

    fn read_composite(
        &mut self,
        document: &Document<'_>,
        dict: &Dict,
        budget: &mut Budget,
    ) -> Result<(), FileError> {
        if let Some(Object::Name(name)) = document.get(dict, "Encoding", budget)? {
            self.codes = named_map(&name).map_or(Codes::Glyphs, Codes::Encoded);
        }
        self.default_width = 1000.0;
        let Some(Object::Array(below)) = document.get(dict, "DescendantFonts", budget)? else {
            return Ok(());
        };
        let Some(below) = below.first() else { return Ok(()) };
        let below = document.find(below, budget)?.and_then(|found| super::document::dict(found.object));
        let Some(below) = below else { return Ok(()) };
        if let Some(Object::Number(width)) = document.get(&below, "DW", budget)? {
            self.default_width = width;
        }
        let Some(Object::Array(list)) = document.get(&below, "W", budget)? else { return Ok(()) };
        let mut rest = list.as_slice();
        while let [Object::Number(first), tail @ ..] = rest {
            let first = first.clamp(0.0, 65535.0) as u32;
            match tail {
                [Object::Array(widths), behind @ ..] => {
                    let numbers = widths.iter().map(|width| width.number().unwrap_or(1000.0));
                    self.widths.extend((first..=65535).zip(numbers));
                    rest = behind;
                }
                [Object::Number(last), Object::Number(width), behind @ ..] => {
                    let last = last.clamp(0.0, 65535.0) as u32;
                    budget.pay((last.saturating_sub(first) as usize) * 8)?;
                    self.widths.extend((first..=last).map(|code| (code, *width)));
                    rest = behind;
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// Appends what bytes shown in this font say; hands over the width of each code and whether it is a blank of one byte.
    pub(super) fn show(&self, bytes: &[u8], out: &mut String, mut advance: impl FnMut(f64, bool)) {
        let code_bytes = match &self.codes {
            Codes::Bytes(..) => 1,
            Codes::Glyphs => self.to_unicode.code_bytes.unwrap_or(2).clamp(1, 4),
            Codes::Encoded(_) => 2,
        };
        if let Codes::Encoded(encoding) = self.codes
            && self.to_unicode.is_empty()
        {
            let text = encoding.decode_without_bom_handling(bytes).0;
            text.chars().for_each(|_| advance(self.default_width, false));
            out.push_str(&text);
            return;
        }
        for code in bytes.chunks(code_bytes) {
            let number = code_of(code);
            advance(self.widths.get(&number).copied().unwrap_or(self.default_width), code == b" ");
            if self.to_unicode.push(number, out) {
                continue;
            }
            if let Codes::Bytes(names, odd) = &self.codes {
                let byte = code[0];
                match names[usize::from(byte)] {
                    Some(text) => out.push_str(text),
                    None => out.extend(odd.get(&byte)),
                }
            }
        }
    }
}

fn decoded(encoding: &'static Encoding, code: u8) -> Option<char> {
    let bytes = [code];
    let text = encoding.decode_without_bom_handling(&bytes).0;
    text.chars().next().filter(|char| !char.is_control() && *char != '\u{fffd}')
}

/// The encoding of text under a map that has a name; maps that only number glyphs have none.
fn named_map(name: &[u8]) -> Option<&'static Encoding> {
    let name = std::str::from_utf8(name).ok()?;
    let has = |part: &str| name.contains(part);
    if name.starts_with("Uni") && (has("UCS2") || has("UTF16")) {
        Some(UTF_16BE)
    } else if has("RKSJ") {
        Some(SHIFT_JIS)
    } else if has("GBK") || has("GB-EUC") {
        Some(GB18030)
    } else if has("B5") || has("ETen") {
        Some(BIG5)
    } else if has("KSC") {
        Some(EUC_KR)
    } else if name == "EUC-H" || name == "EUC-V" {
        Some(EUC_JP)
    } else {
        None
    }
}
