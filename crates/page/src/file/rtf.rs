//! Rich Text Format to text.
//!
//! Groups in braces, control words with a backslash, the rest is text. Groups that hold no text of the document
//! (fonts, styles, pictures, what is marked by `\*`) are passed over. One pass, no recursion: the state of open
//! groups is a stack of bounded depth.
//!
//! Spec: Rich Text Format Specification 1.9.1, Microsoft 2008.

use encoding_rs::{Encoding, WINDOWS_1252};

/// Groups open at once that are told apart; deeper ones share the state of this depth.
const MAX_DEPTH: usize = 1 << 12;

/// Groups whose content is not text of the document.
static HIDDEN: [&str; 20] = [
    "bkmkend",
    "bkmkstart",
    "colortbl",
    "datastore",
    "fldinst",
    "fonttbl",
    "footer",
    "footerf",
    "footerl",
    "footerr",
    "generator",
    "header",
    "headerf",
    "headerl",
    "headerr",
    "info",
    "listtable",
    "object",
    "pict",
    "stylesheet",
];

#[derive(Clone, Copy)]
struct Group {
    hidden: bool,
    /// How many characters follow `\u` for those who cannot read it.
    alternates: usize,
}

/// The text of an RTF file.
pub(super) fn text(bytes: &[u8]) -> String {
    let mut reader = Reader {
        out: String::new(),
        pending: Vec::new(),
        encoding: WINDOWS_1252,
        group: Group { hidden: false, alternates: 1 },
        outer: Vec::new(),
        overflow: 0,
        skip: 0,
    };
    reader.read(bytes);
    reader.flush();
    let lines = reader.out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

struct Reader {
    out: String,
    /// Bytes in the file's encoding that are not decoded yet.
    pending: Vec<u8>,
    encoding: &'static Encoding,
    group: Group,
    outer: Vec<Group>,
    overflow: usize,
    skip: usize,
}

impl Reader {
    fn read(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match byte {
                b'{' if self.outer.len() < MAX_DEPTH => self.outer.push(self.group),
                b'{' => self.overflow += 1,
                b'}' if self.overflow > 0 => self.overflow -= 1,
                b'}' => self.group = self.outer.pop().unwrap_or(self.group),
                b'\\' => at = self.control(bytes, at),
                b'\r' | b'\n' => {}
                _ => self.byte(byte),
            }
        }
    }

    /// Reads what follows a backslash; returns where it ends.
    fn control(&mut self, bytes: &[u8], at: usize) -> usize {
        let Some(&first) = bytes.get(at) else { return at };
        if !first.is_ascii_alphabetic() {
            match first {
                b'\'' => {
                    let digits =
                        bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
                    if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                        self.byte(byte);
                        return at + 3;
                    }
                }
                b'*' => self.group.hidden = true,
                b'~' => self.byte(b' '),
                b'_' => self.byte(b'-'),
                b'\r' | b'\n' => self.push('\n'),
                b'\\' | b'{' | b'}' => self.byte(first),
                _ => {}
            }
            return at + 1;
        }
        let name_len = bytes[at..].iter().take(32).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let name = &bytes[at..at + name_len];
        let number_start = at + name_len;
        let sign = usize::from(bytes.get(number_start) == Some(&b'-'));
        let digits =
            bytes[number_start + sign..].iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
        let end = if digits > 0 { number_start + sign + digits } else { number_start };
        let number =
            std::str::from_utf8(&bytes[number_start..end]).ok().and_then(|digits| digits.parse::<i64>().ok());
        self.word(name, number);
        // One blank belongs to the control word.
        if bytes.get(end) == Some(&b' ') { end + 1 } else { end }
    }

    fn word(&mut self, name: &[u8], number: Option<i64>) {
        match name {
            b"par" | b"line" | b"sect" | b"page" | b"row" => self.push('\n'),
            b"tab" | b"cell" | b"emspace" | b"enspace" => self.push(' '),
            b"emdash" => self.push('—'),
            b"endash" => self.push('–'),
            b"lquote" => self.push('‘'),
            b"rquote" => self.push('’'),
            b"ldblquote" => self.push('“'),
            b"rdblquote" => self.push('”'),
            b"bullet" => self.push('•'),
            b"uc" => {
                self.group.alternates =
                    number.and_then(|number| usize::try_from(number).ok()).unwrap_or(1).min(8)
            }
            b"u" => {
                // Numbers past 32,767 are written as negative ones.
                let unit = number.unwrap_or(0).rem_euclid(1 << 16) as u32;
                self.push(char::from_u32(unit).unwrap_or('\u{fffd}'));
                self.skip = self.group.alternates;
            }
            b"ansicpg" => {
                let label = format!("windows-{}", number.unwrap_or(1252));
                let known = match number {
                    Some(932) => Some(encoding_rs::SHIFT_JIS),
                    Some(936) => Some(encoding_rs::GBK),
                    Some(949) => Some(encoding_rs::EUC_KR),
                    Some(950) => Some(encoding_rs::BIG5),
                    Some(65001) => Some(encoding_rs::UTF_8),
                    _ => Encoding::for_label_no_replacement(label.as_bytes()),
                };
                self.encoding = known.unwrap_or(WINDOWS_1252);
            }
            _ if std::str::from_utf8(name).is_ok_and(|name| HIDDEN.binary_search(&name).is_ok()) => {
                self.group.hidden = true;
            }
            _ => {}
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.skip > 0 {
            self.skip -= 1;
        } else if !self.group.hidden {
            self.pending.push(byte);
        }
    }

    fn push(&mut self, char: char) {
        if !self.group.hidden {
            self.flush();
            self.out.push(char);
        }
    }

    fn flush(&mut self) {
        self.out.push_str(&self.encoding.decode_without_bom_handling(&self.pending).0);
        self.pending.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn text_stands_between_groups_and_control_words() {
        let file = br"{\rtf1\ansi\ansicpg1251{\fonttbl{\f0 Arial;}}{\*\generator X;}\f0\fs20 \'cf\'f0\'e8\'e2\'e5\'f2, {\b world}\par
second\line \u8364?\u-10179?\{x\}}";
        assert_eq!(text(file), "Привет, world\nsecond\n€\u{fffd}{x}");
    }

    #[test]
    fn damaged_files_are_read_as_far_as_they_go() {
        let deep =
            [b"{\\rtf1 ".as_slice(), &b"{".repeat(1 << 20), b"x", &b"}".repeat(1 << 21), b"y"].concat();
        assert_eq!(text(&deep), "xy");
        for file in [
            br"{\rtf1 a\".as_slice(),
            br"{\rtf1 a\'",
            br"{\rtf1 a\u",
            b"{\\rtf1 a\\'z",
            b"{\\rtf1 a\\u99999999999999 ",
        ] {
            assert!(text(file).starts_with('a'));
        }
        assert!(super::HIDDEN.is_sorted());
    }
}
