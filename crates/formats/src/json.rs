//! Finds fields of a JSON object in a line without building a tree.
//!
//! The whole line is checked against RFC 8259, but only the wanted values are looked at: strings are passed over
//! by words and vectors, so a line costs little more than its validation as UTF-8 (docs/decisions/0003).

use std::borrow::Cow;

/// A value of a wanted field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A string as written, between its quotes.
    Text(RawText<'a>),
    /// A number as written.
    Number(&'a str),
    /// `null`.
    Null,
    /// `true`, `false`, an array or an object.
    Other(&'static str),
}

/// A JSON string with its escapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawText<'a> {
    raw: &'a str,
    escaped: bool,
}

/// A line that is not a JSON object.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("not a JSON object: {expected} expected at byte {at}")]
pub struct JsonError {
    /// Where.
    pub at: usize,
    /// What should stand there.
    pub expected: &'static str,
}

/// Reads an object; `found` is called with each field's number in `names` and its value.
pub fn fields<'a>(
    line: &'a str,
    names: &[&str],
    mut found: impl FnMut(usize, Value<'a>),
) -> Result<(), JsonError> {
    let mut scan = Scan { text: line, bytes: line.as_bytes(), at: 0 };
    if line.starts_with('\u{feff}') {
        scan.at = 3;
    }
    scan.blank();
    scan.expect(b'{', "an object")?;
    scan.blank();
    if scan.peek() == Some(b'}') {
        scan.at += 1;
    } else {
        loop {
            scan.blank();
            let key = scan.string()?;
            scan.blank();
            scan.expect(b':', "a colon")?;
            let value = scan.value()?;
            let name = if key.escaped { key.decode() } else { Cow::Borrowed(key.raw) };
            if let Some(index) = names.iter().position(|wanted| *wanted == name) {
                found(index, value);
            }
            scan.blank();
            match scan.peek() {
                Some(b',') => scan.at += 1,
                Some(b'}') => {
                    scan.at += 1;
                    break;
                }
                _ => return scan.fail("a comma or the end of the object"),
            }
        }
    }
    scan.blank();
    if scan.at < scan.bytes.len() { scan.fail("the end of the line") } else { Ok(()) }
}

/// Where a field of an object stands: from its key to the end of its value.
pub fn span(line: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let mut scan = Scan { text: line, bytes: line.as_bytes(), at: 0 };
    if line.starts_with('\u{feff}') {
        scan.at = 3;
    }
    scan.blank();
    scan.expect(b'{', "an object").ok()?;
    loop {
        scan.blank();
        let start = scan.at;
        let key = scan.string().ok()?;
        scan.blank();
        scan.expect(b':', "a colon").ok()?;
        scan.value().ok()?;
        if key.decode() == name {
            return Some(start..scan.at);
        }
        scan.blank();
        scan.expect(b',', "a comma").ok()?;
    }
}

impl<'a> RawText<'a> {
    /// The string itself. A lone surrogate becomes U+FFFD.
    pub fn decode(&self) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.raw);
        }
        let mut out = String::with_capacity(self.raw.len());
        self.decode_into(&mut out);
        Cow::Owned(out)
    }

    /// Appends the string to `out`.
    pub fn decode_into(&self, out: &mut String) {
        let mut rest = self.raw;
        loop {
            // Of the bytes that are not plain, a string that was scanned has the backslash alone.
            let far = |bytes: &[u8]| memchr::memchr(b'\\', bytes).unwrap_or(bytes.len());
            let at = plain_len(rest.as_bytes(), far);
            out.push_str(&rest[..at]);
            if at == rest.len() {
                return;
            }
            let escape = rest.as_bytes()[at + 1];
            rest = &rest[at + 2..];
            out.push(match escape {
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                b'u' => {
                    let unit = hex(&rest[..4]);
                    rest = &rest[4..];
                    let low = rest.strip_prefix("\\u").map(|next| hex(&next[..4]));
                    match (unit, low) {
                        (0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) => {
                            rest = &rest[6..];
                            let code = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
                        }
                        _ => char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER),
                    }
                }
                other => char::from(other),
            });
        }
    }
}

/// Bytes up to the next quote, backslash or control character. In real text the next escape is often so near that
/// starting a search by vectors costs more than it saves, so the first bytes are looked at as words; `far` searches
/// behind them.
#[inline]
fn plain_len(bytes: &[u8], far: impl FnOnce(&[u8]) -> usize) -> usize {
    const NEAR: usize = 64;
    match bytes.split_at_checked(NEAR) {
        Some((near, rest)) => match plain_words(near) {
            NEAR => NEAR + far(rest),
            len => len,
        },
        None => plain_words(bytes),
    }
}

/// The same for long stretches.
fn plain_far(bytes: &[u8]) -> usize {
    let len = memchr::memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
    // A loop without a way out and in bytes alone, so that it is done a vector at a time.
    if bytes[..len].iter().fold(0u8, |any, &byte| any | u8::from(byte < 0x20)) == 0 {
        return len;
    }
    bytes.iter().take_while(|&&byte| byte >= 0x20).count()
}

/// The same, eight bytes at a time. A byte is zero where subtracting one from it borrows; borrows that run on into
/// the next byte make false finds only above a true one.
fn plain_words(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES * 0x80;
    let below = |word: u64, bound: u8| word.wrapping_sub(ONES * u64::from(bound)) & !word;
    let (words, tail) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let quote = below(word ^ (ONES * u64::from(b'"')), 1);
        let backslash = below(word ^ (ONES * u64::from(b'\\')), 1);
        let found = (quote | backslash | below(word, 0x20)) & HIGH;
        if found != 0 {
            return index * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let plain = |byte: &&u8| !matches!(byte, 0..0x20 | b'"' | b'\\');
    bytes.len() - tail.len() + tail.iter().take_while(plain).count()
}

/// Four hexadecimal digits, which the scan has checked.
fn hex(digits: &str) -> u32 {
    u32::from_str_radix(digits, 16).unwrap_or(0xfffd)
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

/// Arrays and objects within each other at most.
const DEEPEST: usize = 512;

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T, JsonError> {
        Err(JsonError { at: self.at, expected })
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), JsonError> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        self.fail(expected)
    }

    fn string(&mut self) -> Result<RawText<'a>, JsonError> {
        self.expect(b'"', "a string")?;
        let start = self.at;
        let mut escaped = false;
        loop {
            self.at += plain_len(&self.bytes[self.at..], plain_far);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(RawText { raw: &self.text[start..self.at - 1], escaped });
                }
                Some(b'\\') => escaped = true,
                Some(_) => return self.fail("an escaped control character"),
                None => return self.fail("the end of a string"),
            }
            match self.bytes.get(self.at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
                Some(b'u')
                    if self
                        .bytes
                        .get(self.at + 2..self.at + 6)
                        .is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit)) =>
                {
                    self.at += 6;
                }
                _ => return self.fail("an escape"),
            }
        }
    }

    fn value(&mut self) -> Result<Value<'a>, JsonError> {
        self.blank();
        match self.peek() {
            Some(b'"') => self.string().map(Value::Text),
            Some(b'{') => self.nested().map(|()| Value::Other("an object")),
            Some(b'[') => self.nested().map(|()| Value::Other("an array")),
            _ => self.scalar(),
        }
    }

    fn scalar(&mut self) -> Result<Value<'a>, JsonError> {
        let words = [("true", Value::Other("true")), ("false", Value::Other("false")), ("null", Value::Null)];
        for (word, value) in words {
            if self.bytes[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        self.number()
    }

    fn number(&mut self) -> Result<Value<'a>, JsonError> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return self.fail("a value"),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(Value::Number(&self.text[start..self.at]))
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { self.fail("a digit") } else { Ok(()) }
    }

    /// Passes over an array or object, without recursion.
    fn nested(&mut self) -> Result<(), JsonError> {
        let mut open = Vec::new();
        loop {
            // Here a value is expected.
            self.blank();
            match self.peek() {
                Some(byte @ (b'{' | b'[')) => {
                    self.at += 1;
                    open.push(byte);
                    if open.len() > DEEPEST {
                        return self.fail("less nesting");
                    }
                    self.blank();
                    match (byte, self.peek()) {
                        (b'{', Some(b'}')) | (b'[', Some(b']')) => {
                            self.at += 1;
                            open.pop();
                        }
                        (b'{', _) => {
                            self.key()?;
                            continue;
                        }
                        _ => continue,
                    }
                }
                Some(b'"') => {
                    self.string()?;
                }
                _ => {
                    self.scalar()?;
                }
            }
            // Here a value has ended.
            loop {
                let Some(&innermost) = open.last() else { return Ok(()) };
                self.blank();
                match (innermost, self.peek()) {
                    (b'{', Some(b'}')) | (b'[', Some(b']')) => {
                        self.at += 1;
                        open.pop();
                    }
                    (b'{', Some(b',')) => {
                        self.at += 1;
                        self.key()?;
                        break;
                    }
                    (b'[', Some(b',')) => {
                        self.at += 1;
                        break;
                    }
                    _ => return self.fail("a comma or the end of an array or object"),
                }
            }
        }
    }

    fn key(&mut self) -> Result<(), JsonError> {
        self.blank();
        self.string()?;
        self.blank();
        self.expect(b':', "a colon")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text_of(line: &str) -> Result<Option<String>, JsonError> {
        let mut text = None;
        fields(line, &["text"], |_, value| {
            if let Value::Text(raw) = value {
                text = Some(raw.decode().into_owned());
            }
        })?;
        Ok(text)
    }

    #[test]
    fn escapes_are_decoded() {
        let line = r#"{"a":[1,{"b":null}],"text":"x\n\"\u00e9\ud83d\ude00\ud800\/","z":-1.5e+3}"#;
        assert_eq!(text_of(line).unwrap().unwrap(), "x\n\"é😀\u{fffd}/");
    }

    #[test]
    fn a_field_is_found_in_its_place() {
        let line = r#"{"a": [1, {"onefold": 2}], "onefold" : {"x": 1}, "b": 2}"#;
        assert_eq!(&line[span(line, "onefold").unwrap()], r#""onefold" : {"x": 1}"#);
        assert_eq!(span(line, "c"), None);
    }

    #[test]
    fn broken_lines_are_told_with_their_place() {
        for line in [
            "",
            "{",
            "[]",
            "{\"a\":}",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{\"a\":01}",
            "{\"a\":\"\u{1}\"}",
            "{} x",
            "{\"a\":[1}",
        ] {
            assert!(text_of(line).is_err(), "{line}");
        }
        assert_eq!(text_of("{\"id\":\"x2\",\"text\":").unwrap_err().at, 18);
    }

    #[test]
    fn what_ends_a_plain_stretch_is_found_at_every_distance() {
        for len in (0..300).chain([1000]) {
            for end in ["\"", "\\", "\u{1f}", "\0", ""] {
                for filling in ["x", "é", "!", "]", "\u{7f}"] {
                    let text = filling.repeat(len);
                    let bytes = [text.as_bytes(), end.as_bytes(), b"\"\\ more"].concat();
                    let bytes = if end.is_empty() { text.as_bytes() } else { &bytes };
                    assert_eq!(plain_len(bytes, plain_far), text.len(), "{len} of {filling:?} and {end:?}");
                }
            }
        }
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        let line = format!("{{\"a\":{}", "[".repeat(1 << 20));
        assert_eq!(text_of(&line).unwrap_err().expected, "less nesting");
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<f64>().prop_map(Into::into),
            ".*".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
                proptest::collection::hash_map(".*", inner, 0..6)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json_on_valid_lines(text in ".*", other in json()) {
            let line = serde_json::json!({"other": other, "text": text}).to_string();
            prop_assert_eq!(text_of(&line).unwrap().unwrap(), text);
        }

        #[test]
        fn accepts_what_serde_json_accepts(other in json(), cut in any::<prop::sample::Index>(), byte in "[ -~]") {
            let mut line = serde_json::json!({"a": other, "text": "x\n\\"}).to_string();
            let at = (0..=line.len()).filter(|&i| line.is_char_boundary(i)).collect::<Vec<_>>();
            let at = at[cut.index(at.len())];
            line.insert_str(at, &byte);
            let theirs = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&line);
            // Numbers out of range and lone surrogates are errors there and fine here.
            if theirs.is_ok() || !theirs.as_ref().unwrap_err().to_string().contains("range") {
                prop_assert_eq!(text_of(&line).is_ok(), theirs.is_ok(), "{} {:?}", line, theirs);
            }
        }
    }
}
