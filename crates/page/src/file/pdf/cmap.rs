//! Maps from codes to Unicode that fonts bring along.

use std::collections::HashMap;

use super::object::{Lexer, Token};

/// A map from the codes of a font.
#[derive(Default)]
pub(super) struct ToUnicode {
    chars: HashMap<u32, String>,
    /// First code, last code, first character.
    ranges: Vec<(u32, u32, u32)>,
    /// Bytes of a code, by the first code space.
    pub(super) code_bytes: Option<usize>,
}

/// One range of a map is read one by one no further.
const MAX_RANGE: u32 = 1 << 16;

impl ToUnicode {
    /// Reads a map.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut map = ToUnicode::default();
        let mut lexer = Lexer::new(bytes);
        while let Some(token) = lexer.token() {
            match token {
                Token::Word(b"begincodespacerange") => {
                    if let Some(Token::Text(first)) = lexer.token() {
                        map.code_bytes = map.code_bytes.max(Some(first.len()));
                    }
                }
                Token::Word(b"beginbfchar") => {
                    while let Some(Token::Text(code)) = lexer.token() {
                        let Some(Token::Text(target)) = lexer.token() else { break };
                        map.chars.insert(code_of(&code), utf16(&target));
                    }
                }
                Token::Word(b"beginbfrange") => {
                    while let Some(Token::Text(first)) = lexer.token() {
                        let Some(Token::Text(last)) = lexer.token() else { break };
                        map.range(code_of(&first), code_of(&last), &mut lexer);
                    }
                }
                _ => {}
            }
        }
        map.ranges.sort_unstable();
        map
    }

    fn range(&mut self, first: u32, last: u32, lexer: &mut Lexer<'_>) {
        match lexer.token() {
            Some(Token::Text(target)) => {
                let text = utf16(&target);
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(char), None) if first <= last && last - first < MAX_RANGE => {
                        self.ranges.push((first, last, char.into()));
                    }
                    (Some(_), Some(_)) => {
                        self.chars.insert(first, text);
                    }
                    _ => {}
                }
            }
            Some(Token::ArrayStart) => {
                let mut code = first;
                while let Some(Token::Text(target)) = lexer.token() {
                    self.chars.insert(code, utf16(&target));
                    code = code.wrapping_add(1);
                }
            }
            _ => {}
        }
    }

    /// Appends what a code stands for; false if the map does not know.
    pub(super) fn push(&self, code: u32, out: &mut String) -> bool {
        if let Some(text) = self.chars.get(&code) {
            out.push_str(text);
            return true;
        }
        let after = self.ranges.partition_point(|&(first, ..)| first <= code);
        let Some(&(first, last, char)) = after.checked_sub(1).and_then(|at| self.ranges.get(at)) else {
            return false;
        };
        match char::from_u32(char + (code - first)) {
            Some(char) if code <= last => {
                out.push(char);
                true
            }
            _ => false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.chars.is_empty() && self.ranges.is_empty()
    }
}

pub(super) fn code_of(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |code, &byte| code << 8 | u32::from(byte))
}

fn utf16(bytes: &[u8]) -> String {
    let text = match bytes {
        [byte] => char::from(*byte).to_string(),
        _ => encoding_rs::UTF_16BE.decode_without_bom_handling(bytes).0.into_owned(),
    };
    text.replace('\0', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_mapped_one_by_one_and_in_ranges() {
        let map = ToUnicode::parse(
            b"1 begincodespacerange <0000> <FFFF> endcodespacerange
              1 beginbfchar <0003> <00660069> endbfchar
              2 beginbfrange <0010> <0012> <0041> <0020> <0021> [<0061> <D83DDE00>] endbfrange",
        );
        let mut out = String::new();
        for code in [3, 0x10, 0x12, 0x13, 0x20, 0x21] {
            map.push(code, &mut out);
        }
        assert_eq!((out.as_str(), map.code_bytes), ("fiACa😀", Some(2)));
    }
}
