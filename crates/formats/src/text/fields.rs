//! The fields of a row by RFC 4180: where each ends, and what it holds.
//!
//! A field is quoted if it begins with a quote and its closing quote stands at a delimiter, a line end or the end of the
//! file. A text that merely begins with a quotation mark looks the same up to there, and must not take along the rows
//! behind it.

pub(super) const QUOTE: u8 = b'"';

/// How the fields of a row are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dialect {
    delimiter: u8,
}

/// Where a field or a row ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Before this byte.
    At(usize),
    /// In a field that begins with a quote, goes on over line ends and is not closed as it should be. The first of those
    /// line ends is here.
    Broken(usize),
    /// Beyond the bytes that are there.
    Beyond,
    /// Out of reach, in the field that begins here.
    Far(usize),
}

/// What follows on the bytes that are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// Nothing.
    Nothing,
    /// Bytes that are not there yet, if any.
    Coming,
    /// Bytes that are not looked at, or an end would be another with another buffer.
    OutOfReach,
}

impl Rest {
    /// What follows on as many of the unread bytes as are in reach; `ended` if no more will come.
    pub(super) fn of(unread: usize, reach: usize, ended: bool) -> Self {
        match ended {
            _ if unread > reach => Rest::OutOfReach,
            true => Rest::Nothing,
            false => Rest::Coming,
        }
    }

    /// The end of what goes on to the last of the bytes that are looked at.
    fn end(self, last: usize) -> End {
        match self {
            Rest::Nothing => End::At(last),
            Rest::Coming => End::Beyond,
            Rest::OutOfReach => End::Far(0),
        }
    }
}

impl Dialect {
    pub(super) fn new(delimiter: u8) -> Self {
        Dialect { delimiter }
    }

    /// Whether a quote that does not enclose a field is a part of its text. Values between tabs are quoted by some
    /// writers only.
    pub(super) fn has_plain_quotes(self) -> bool {
        self.delimiter == b'\t'
    }

    /// Where the row ends that starts here.
    pub(super) fn row_end(self, bytes: &[u8], rest: Rest) -> End {
        let line = line_end(bytes);
        let mut at = 0;
        if memchr::memchr(QUOTE, &bytes[..line]).is_none() {
            if line < bytes.len() {
                return End::At(line);
            }
            at = memchr::memrchr(self.delimiter, bytes).map_or(0, |at| at + 1);
        }
        loop {
            match self.field_end(&bytes[at..], rest) {
                End::At(len) if self.is_delimiter(bytes.get(at + len)) => at += len + 1,
                End::Far(_) => return End::Far(at),
                End::At(len) => return End::At(at + len),
                End::Broken(len) => return End::Broken(at + len),
                End::Beyond => return End::Beyond,
            }
        }
    }

    /// The values of a row's fields.
    pub(super) fn split(self, row: &[u8]) -> Vec<Vec<u8>> {
        let (mut values, mut at) = (Vec::new(), 0);
        loop {
            let rest = &row[at..];
            let len = match self.field_end(rest, Rest::Nothing) {
                End::At(len) | End::Broken(len) => len,
                End::Beyond | End::Far(_) => rest.len(),
            };
            values.push(self.value(&rest[..len]));
            if !self.is_delimiter(rest.get(len)) {
                return values;
            }
            at += len + 1;
        }
    }

    /// Where the field ends that starts here.
    pub(super) fn field_end(self, bytes: &[u8], rest: Rest) -> End {
        let mut from = 0;
        if bytes.first() == Some(&QUOTE) {
            match behind_closing(bytes) {
                None if rest != Rest::Nothing => return rest.end(bytes.len()),
                Some(behind) if behind == bytes.len() => return rest.end(behind),
                Some(behind) if self.ends_field(bytes[behind]) => return End::At(behind),
                _ if self.has_plain_quotes() => {}
                // Closed on its line, if not as it should be, it costs no other row.
                Some(behind) if line_end(&bytes[..behind]) == behind => from = behind,
                _ => return End::Broken(line_end(bytes)),
            }
        }
        self.plain_end(&bytes[from..]).map_or(rest.end(bytes.len()), |len| End::At(from + len))
    }

    /// Where a field ends in which quotes have no meaning.
    pub(super) fn plain_end(self, bytes: &[u8]) -> Option<usize> {
        memchr::memchr3(self.delimiter, b'\r', b'\n', bytes)
    }

    pub(super) fn is_delimiter(self, byte: Option<&u8>) -> bool {
        byte == Some(&self.delimiter)
    }

    pub(super) fn ends_field(self, byte: u8) -> bool {
        byte == self.delimiter || matches!(byte, b'\r' | b'\n')
    }

    fn value(self, field: &[u8]) -> Vec<u8> {
        let Some(quoted) = field.strip_prefix(&[QUOTE]) else { return field.to_vec() };
        let (mut quoted, rest) = match behind_closing(field) {
            Some(behind) if behind == field.len() || !self.has_plain_quotes() => {
                (&field[1..behind - 1], &field[behind..])
            }
            _ if self.has_plain_quotes() => return field.to_vec(),
            _ => (quoted, &[][..]),
        };
        let mut value = Vec::with_capacity(field.len());
        // Of two quotes one is meant.
        while let Some(at) = memchr::memchr(QUOTE, quoted) {
            value.extend_from_slice(&quoted[..=at]);
            quoted = quoted.get(at + 2..).unwrap_or_default();
        }
        value.extend_from_slice(quoted);
        value.extend_from_slice(rest);
        value
    }
}

/// Where the first line ends.
fn line_end(bytes: &[u8]) -> usize {
    memchr::memchr2(b'\r', b'\n', bytes).unwrap_or(bytes.len())
}

/// The place behind the quote that closes the one these bytes begin with, whatever stands there.
fn behind_closing(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr(QUOTE, bytes.get(at..)?)? + 1;
        if bytes.get(at) != Some(&QUOTE) {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COMMAS: Dialect = Dialect { delimiter: b',' };
    const TABS: Dialect = Dialect { delimiter: b'\t' };

    #[test]
    fn quotes_enclose_a_field_or_are_text() {
        let fields = |dialect: Dialect, row: &str| -> Vec<String> {
            let values = dialect.split(row.as_bytes());
            values.into_iter().map(|value| String::from_utf8(value).unwrap()).collect()
        };
        assert_eq!(fields(COMMAS, "1,\"a, \"\"b\"\"\nc\","), ["1", "a, \"b\"\nc", ""]);
        assert_eq!(fields(TABS, "1\t\"a\t\"\"b\"\"\nc\""), ["1", "a\t\"b\"\nc"]);
        assert_eq!(fields(COMMAS, "1,\"a\" b"), ["1", "a b"]);
        assert_eq!(fields(TABS, "\"1\"\t\"a\" b\t\"c"), ["1", "\"a\" b", "\"c"]);
        assert_eq!(fields(TABS, "\"a\tb\" c"), ["\"a", "b\" c"]);
    }

    /// The parser of another crate, on a row without line ends.
    fn split_by_other(row: &[u8], delimiter: u8) -> Vec<Vec<u8>> {
        let mut parser = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        let (mut out, mut ends) = (vec![0; row.len() + 1], vec![0; row.len() + 2]);
        let (_, read, written, count) = parser.read_record(row, &mut out, &mut ends);
        assert_eq!(read, row.len());
        let (.., more) = parser.read_record(b"", &mut out[written..], &mut ends[count..]);
        let starts = std::iter::once(0).chain(ends.clone());
        starts.zip(&ends[..count + more]).map(|(start, &end)| out[start..end].to_vec()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn rows_of_one_line_are_split_as_others_split_them(row in "[ab\", ]{1,20}") {
            prop_assert_eq!(COMMAS.split(row.as_bytes()), split_by_other(row.as_bytes(), b','));
        }

        #[test]
        fn what_was_quoted_is_read_as_it_was(
            values in proptest::collection::vec("[ab\",\t\r\n]{0,9}", 1..5),
            tabs in any::<bool>(),
            rest in "(|\r?\n[ab\",\t\r\n]{0,20})",
        ) {
            let dialect = if tabs { TABS } else { COMMAS };
            let quoted: Vec<_> = values.iter().map(|value| format!("\"{}\"", value.replace('"', "\"\""))).collect();
            let row = quoted.join(if tabs { "\t" } else { "," });
            let file = format!("{row}{rest}");
            prop_assert_eq!(dialect.row_end(file.as_bytes(), Rest::Nothing), End::At(row.len()));
            let values: Vec<_> = values.into_iter().map(String::into_bytes).collect();
            prop_assert_eq!(dialect.split(row.as_bytes()), values);
        }

        #[test]
        fn an_end_is_not_told_before_it_is_certain(
            bytes in "[ab\",\t\r\n]{0,30}", tabs in any::<bool>(), cut in 0_usize..30,
        ) {
            let dialect = if tabs { TABS } else { COMMAS };
            let bytes = bytes.as_bytes();
            let early = dialect.row_end(&bytes[..cut.min(bytes.len())], Rest::Coming);
            prop_assert!(early == End::Beyond || early == dialect.row_end(bytes, Rest::Nothing));
        }

        #[test]
        fn a_row_alone_has_the_end_it_has_among_others(bytes in "[ab\",\t\r\n]{0,30}", tabs in any::<bool>()) {
            let dialect = if tabs { TABS } else { COMMAS };
            if let End::At(end) = dialect.row_end(bytes.as_bytes(), Rest::Nothing) {
                prop_assert_eq!(dialect.row_end(&bytes.as_bytes()[..end], Rest::Nothing), End::At(end));
            } else {
                prop_assert!(!tabs);
            }
        }
    }
}
