//! What an HTML page says of its own encoding, in its first 1,024 bytes.
//!
//! The prescan of the HTML standard, which knows comments and attributes but not scripts: a `<meta>` in a
//! script's text counts. A tag cut off by the end of the window does not. Where no `<meta>` says anything, an
//! XML declaration may. A page that reads as ASCII to this point cannot be UTF-16, so that label means UTF-8.
//!
//! Spec: <https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding>.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memmem};

use super::for_label;

const WINDOW_BYTES: usize = 1024;

/// The encoding that the page declares.
pub(super) fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let window = &bytes[..bytes.len().min(WINDOW_BYTES)];
    if window.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if window.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    in_meta(window).or_else(|| in_xml_declaration(window))
}

fn in_meta(window: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    loop {
        at += memchr(b'<', window.get(at..)?)?;
        let rest = &window[at..];
        at = match rest {
            // The dashes may be those of the end, too: `<!-->` is a comment.
            [b'<', b'!', b'-', b'-', ..] => at + 2 + memmem::find(&rest[2..], b"-->")? + 3,
            [b'<', m, e, t, a, end, ..]
                if [*m, *e, *t, *a].eq_ignore_ascii_case(b"meta") && (is_space(*end) || *end == b'/') =>
            {
                let mut attributes = Attributes { window, at: at + b"<meta".len() };
                if let Some(encoding) = encoding_of_meta(&mut attributes) {
                    return Some(encoding);
                }
                attributes.at
            }
            [b'<', letter, ..] | [b'<', b'/', letter, ..] if letter.is_ascii_alphabetic() => {
                let name_len = rest.iter().position(|&byte| is_space(byte) || byte == b'>')?;
                let mut attributes = Attributes { window, at: at + name_len };
                while attributes.next().is_some() {}
                attributes.at
            }
            [b'<', b'!' | b'/' | b'?', ..] => at + memchr(b'>', rest)? + 1,
            _ => at + 1,
        };
    }
}

/// Reads the attributes of one `<meta>`; the first of each name counts.
fn encoding_of_meta(attributes: &mut Attributes<'_>) -> Option<&'static Encoding> {
    let mut seen: [bool; 3] = [false; 3];
    let mut got_pragma = false;
    // `None`: nothing was declared. `Some(None)`: something unknown was.
    let mut declared = None;
    let mut needs_pragma = false;
    for (name, value) in attributes.by_ref() {
        let Some(which) = ["http-equiv", "content", "charset"]
            .iter()
            .position(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        else {
            continue;
        };
        if std::mem::replace(&mut seen[which], true) {
            continue;
        }
        match which {
            0 => got_pragma = value.eq_ignore_ascii_case(b"content-type"),
            1 if declared.is_none() => {
                if let Some(encoding) = encoding_in_content(value) {
                    declared = Some(Some(encoding));
                    needs_pragma = true;
                }
            }
            1 => {}
            _ => {
                declared = Some(for_label(value));
                needs_pragma = false;
            }
        }
    }
    if attributes.is_cut_off() || (needs_pragma && !got_pragma) {
        return None;
    }
    let encoding = declared??;
    Some(match encoding {
        _ if encoding == UTF_16LE || encoding == UTF_16BE => UTF_8,
        _ if encoding == X_USER_DEFINED => WINDOWS_1252,
        _ => encoding,
    })
}

/// The encoding in a `content` such as `text/html; charset=utf-8`.
fn encoding_in_content(content: &[u8]) -> Option<&'static Encoding> {
    let lower = content.to_ascii_lowercase();
    let mut at = 0;
    let value = loop {
        at += memmem::find(&lower[at..], b"charset")? + b"charset".len();
        if let [b'=', value @ ..] = content[at..].trim_ascii_start() {
            break value.trim_ascii_start();
        }
    };
    let label = match value {
        [quote @ (b'"' | b'\''), quoted @ ..] => &quoted[..memchr(*quote, quoted)?],
        _ => value.split(|&byte| is_space(byte) || byte == b';').next()?,
    };
    for_label(label)
}

fn in_xml_declaration(window: &[u8]) -> Option<&'static Encoding> {
    let declaration = window.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr(b'>', declaration)?];
    let after = memmem::find(declaration, b"encoding")? + b"encoding".len();
    let value = declaration[after..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (&quote, quoted) = value.split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let encoding = for_label(&quoted[..memchr(quote, quoted)?])?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

/// The attributes of a tag: name and value, as they stand. Ends after the tag's `>`.
struct Attributes<'a> {
    window: &'a [u8],
    at: usize,
}

impl<'a> Attributes<'a> {
    /// Did the window end before the tag?
    fn is_cut_off(&self) -> bool {
        self.at > self.window.len()
    }

    fn read(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let start = self.find(self.at, |byte| !is_space(byte) && byte != b'/')?;
        if self.window[start] == b'>' {
            self.at = start;
            return None;
        }
        // The first byte belongs to the name even if it is `=`.
        let name_end = self.find(start + 1, |byte| is_space(byte) || matches!(byte, b'/' | b'>' | b'='))?;
        let name = &self.window[start..name_end];
        let equals = self.find(name_end, |byte| !is_space(byte))?;
        if self.window[equals] != b'=' {
            self.at = equals;
            return Some((name, b""));
        }
        let value = self.find(equals + 1, |byte| !is_space(byte))?;
        let (value, end) = match self.window[value] {
            quote @ (b'"' | b'\'') => {
                let end = self.find(value + 1, |byte| byte == quote)?;
                (value + 1..end, end + 1)
            }
            _ => {
                let end = self.find(value, |byte| is_space(byte) || byte == b'>')?;
                (value..end, end)
            }
        };
        self.at = end;
        Some((name, &self.window[value]))
    }

    /// The first such byte from `from` on; without one the tag is cut off.
    fn find(&mut self, from: usize, is_wanted: impl Fn(u8) -> bool) -> Option<usize> {
        let found = self.window.get(from..).and_then(|rest| rest.iter().position(|&byte| is_wanted(byte)));
        if found.is_none() {
            self.at = self.window.len() + 1;
        }
        Some(from + found?)
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_cut_off() { None } else { self.read() }
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'\x0c')
}

#[cfg(test)]
mod tests;
