//! Objects of a PDF file, and the tokens they are made of.

/// Arrays and dictionaries within each other at most.
const MAX_DEPTH: usize = 48;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Object {
    Null,
    Number(f64),
    Text(Vec<u8>),
    Name(Vec<u8>),
    Array(Vec<Object>),
    Dict(Dict),
    Reference(u32),
}

/// A dictionary; of several values of one key the first counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Dict(pub(super) Vec<(Vec<u8>, Object)>);

impl Dict {
    pub(super) fn get(&self, key: &str) -> Option<&Object> {
        self.0.iter().find(|(name, _)| name == key.as_bytes()).map(|(_, value)| value)
    }

    /// Whether the value of a key is this name.
    pub(super) fn is(&self, key: &str, name: &str) -> bool {
        matches!(self.get(key), Some(Object::Name(found)) if found == name.as_bytes())
    }
}

impl Object {
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Object::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn integer(&self) -> Option<usize> {
        self.number().filter(|number| (0.0..1e12).contains(number)).map(|number| number as usize)
    }
}

#[derive(Debug, PartialEq)]
pub(super) enum Token<'a> {
    Number(f64),
    Text(Vec<u8>),
    Name(Vec<u8>),
    ArrayStart,
    ArrayEnd,
    DictStart,
    DictEnd,
    Word(&'a [u8]),
}

/// Reads tokens.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
}

pub(super) fn is_white(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Lexer { bytes, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_white(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                self.at += self.rest().iter().take_while(|&&byte| byte != b'\n' && byte != b'\r').count();
            } else if is_white(byte) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    pub(super) fn token(&mut self) -> Option<Token<'a>> {
        self.skip_white();
        let byte = self.peek()?;
        self.at += 1;
        let doubled = self.peek() == Some(byte);
        Some(match byte {
            b'[' => Token::ArrayStart,
            b']' => Token::ArrayEnd,
            b'<' | b'>' if doubled => {
                self.at += 1;
                if byte == b'<' { Token::DictStart } else { Token::DictEnd }
            }
            b'<' => Token::Text(self.hexadecimal()),
            b'(' => Token::Text(self.literal()),
            b'/' => Token::Name(self.name()),
            b'{' | b'}' | b')' | b'>' => Token::Word(&self.bytes[self.at - 1..self.at]),
            _ => {
                self.at -= 1;
                let word = self.regular();
                number(word).map_or(Token::Word(word), Token::Number)
            }
        })
    }

    fn regular(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let len = rest.iter().take_while(|&&byte| !is_white(byte) && !is_delimiter(byte)).count();
        self.at += len;
        &rest[..len]
    }

    fn name(&mut self) -> Vec<u8> {
        let raw = self.regular();
        let mut name = Vec::with_capacity(raw.len());
        let mut at = 0;
        while let Some(&byte) = raw.get(at) {
            let digits = raw.get(at + 1..at + 3).filter(|_| byte == b'#');
            let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
            match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(value) => {
                    name.push(value);
                    at += 3;
                }
                None => {
                    name.push(byte);
                    at += 1;
                }
            }
        }
        name
    }

    fn hexadecimal(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut high = None;
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b'>' {
                break;
            }
            let Some(digit) = char::from(byte).to_digit(16) else { continue };
            match high.take() {
                None => high = Some(digit as u8),
                Some(high) => text.push(high << 4 | digit as u8),
            }
        }
        text.extend(high.map(|high| high << 4));
        text
    }

    fn literal(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut open = 1usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => open += 1,
                b')' if open == 1 => break,
                b')' => open -= 1,
                b'\\' => {
                    self.escape(&mut text);
                    continue;
                }
                _ => {}
            }
            text.push(byte);
        }
        text
    }

    fn escape(&mut self, text: &mut Vec<u8>) {
        let Some(byte) = self.peek() else { return };
        self.at += 1;
        match byte {
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'\r' => self.at += usize::from(self.peek() == Some(b'\n')),
            b'\n' => {}
            b'0'..=b'7' => {
                let mut value = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else { break };
                    value = value * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                text.push(value as u8);
            }
            other => text.push(other),
        }
    }

    /// The next object; none at the end, and where a word or a closing bracket stands.
    pub(super) fn object(&mut self) -> Option<Object> {
        let token = self.token()?;
        self.object_from(token, 0)
    }

    fn object_from(&mut self, token: Token<'a>, depth: usize) -> Option<Object> {
        Some(match token {
            Token::Number(number) => self.reference(number).unwrap_or(Object::Number(number)),
            Token::Text(text) => Object::Text(text),
            Token::Name(name) => Object::Name(name),
            Token::Word(b"null" | b"true" | b"false") => Object::Null,
            Token::ArrayStart if depth < MAX_DEPTH => {
                let mut array = Vec::new();
                while let Some(token) = self.token().filter(|token| *token != Token::ArrayEnd) {
                    array.push(self.object_from(token, depth + 1)?);
                }
                Object::Array(array)
            }
            Token::DictStart if depth < MAX_DEPTH => {
                let mut dict = Dict::default();
                while let Some(token) = self.token() {
                    match token {
                        Token::DictEnd => break,
                        Token::Name(name) => {
                            let token = self.token()?;
                            if token == Token::DictEnd {
                                break;
                            }
                            dict.0.push((name, self.object_from(token, depth + 1)?));
                        }
                        Token::Word(b"stream" | b"endobj") => return None,
                        _ => {}
                    }
                }
                Object::Dict(dict)
            }
            _ => return None,
        })
    }

    /// The reference that starts with this number, if one does.
    fn reference(&mut self, number: f64) -> Option<Object> {
        if number.fract() != 0.0 || !(0.0..4e9).contains(&number) {
            return None;
        }
        let mut ahead = self.clone();
        ahead.skip_white();
        let generation = ahead.regular();
        ahead.skip_white();
        if (1..=5).contains(&generation.len())
            && generation.iter().all(u8::is_ascii_digit)
            && ahead.regular() == b"R"
        {
            self.at = ahead.at;
            return Some(Object::Reference(number as u32));
        }
        None
    }
}

fn number(word: &[u8]) -> Option<f64> {
    if !matches!(word.first(), Some(b'0'..=b'9' | b'+' | b'-' | b'.')) || word.len() > 40 {
        return None;
    }
    std::str::from_utf8(word).ok()?.parse().ok().filter(|number: &f64| number.is_finite())
}
