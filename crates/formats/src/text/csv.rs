//! CSV and TSV, with a header that names the columns.
//!
//! Where a row ends is known once the quote that closes its last quoted field is seen. It is looked for in as many bytes as the
//! largest document may have. A field that is not closed there ends with its line if the next quote is one that closes nothing, and
//! the rows behind it are rows. Where no quote follows in reach, the row is too large, and all that comes before the
//! next quote belongs to it (`long.rs`); between tabs, where most writers quote nothing, it ends with its line.

use super::fields::{Dialect, End, QUOTE, Rest};
use super::long::{LongRow, Pass, Place};
use crate::bad::{BadKind, BadRecord};
use crate::block::FrameKind;
use crate::reader::{Framer, Piece, Step};

/// Bytes of a row that are looked at for the end of a quoted field at the least. Rows may not be as long, but what is
/// quoted in one that is too long is not taken for rows.
const REACH: usize = 1 << 20;

/// Whether a table starts here: a row of two columns and more, of which one has this name.
pub(crate) fn begins_table(text: &[u8], delimiter: u8, column: &str) -> bool {
    let dialect = Dialect::new(delimiter);
    let End::At(end) = dialect.row_end(text, Rest::Nothing) else { return false };
    if memchr::memchr(0, &text[..end]).is_some() {
        return false;
    }
    let columns = dialect.split(&text[..end]);
    columns.len() > 1 && columns.iter().any(|name| name == column.as_bytes())
}

/// Frames rows, line ends inside quotes included; the first is the header.
pub(crate) struct CsvFramer {
    dialect: Dialect,
    limit: usize,
    /// Bytes that are looked at for the end of a row.
    reach: usize,
    header_seen: bool,
    /// Whether the header was lost to damage, with which no row has a meaning.
    header_lost: bool,
    /// Whether what comes next is a piece of a row.
    in_piece: bool,
    /// The row that comes next or whose rest does, if it is too long to be held.
    long: Option<Passing>,
}

/// A bad record that is passed over.
struct Passing {
    bad: BadRecord,
    /// Bytes of it that are known to come first.
    first: usize,
    /// What follows them.
    rest: Option<LongRow>,
    /// Whether a line end behind it belongs to it.
    has_line_end: bool,
}

impl CsvFramer {
    pub(crate) fn new(delimiter: u8, limit: usize) -> Self {
        let (dialect, reach) = (Dialect::new(delimiter), limit.max(REACH).saturating_add(1));
        CsvFramer {
            dialect,
            limit,
            reach,
            header_seen: false,
            header_lost: false,
            in_piece: false,
            long: None,
        }
    }

    fn too_large(&self, found: &str) -> BadRecord {
        let message = format!("expected a row of at most {} bytes{found}", self.limit);
        BadRecord::new(BadKind::TooLarge, message)
    }

    /// A row that goes out of reach in the field that begins `at`.
    fn begin_long(&mut self, window: &[u8], at: usize) -> Step {
        let (place, first) = match window.get(at) {
            Some(&QUOTE) => (Place::Quoted, at + 1),
            Some(_) => (Place::Plain, window.len()),
            None => (Place::Field, window.len()),
        };
        let rest = Some(LongRow::new(self.dialect, self.reach, place));
        let bad = self.too_large("");
        self.long = Some(Passing { bad: bad.clone(), first, rest, has_line_end: true });
        Step::PassOver(bad)
    }
}

impl Framer for CsvFramer {
    fn step(&mut self, unread: &[u8], ended: bool) -> Step {
        if let Some(long) = &self.long {
            return Step::PassOver(long.bad.clone());
        }
        let blank = unread.iter().position(|b| !matches!(b, b'\n' | b'\r')).unwrap_or(unread.len());
        if blank > 0 {
            return Step::take(blank, FrameKind::Filler { keep: false });
        }
        let window = &unread[..unread.len().min(self.reach)];
        let mark = if self.header_seen { 0 } else { window.len() - without_mark(window).len() };
        let is_cut = unread.len() > self.reach;
        let rest = match Rest::of(unread.len(), self.reach, ended) {
            // Quotes mean little in a piece and between tabs, and a header is no long text.
            Rest::OutOfReach if self.in_piece || !self.header_seen || self.dialect.has_plain_quotes() => {
                Rest::Nothing
            }
            rest => rest,
        };
        let (end, broken) = match self.dialect.row_end(&window[mark..], rest) {
            End::At(end) => (mark + end, false),
            End::Broken(end) => (mark + end, true),
            End::Beyond => return Step::More,
            End::Far(at) => return self.begin_long(window, at),
        };
        if is_cut && end == window.len() {
            self.in_piece = false;
            return Step::SkipLine(self.too_large(""));
        }
        let len = match &unread[end..] {
            [] => end,
            [b'\r'] if !ended => return Step::More,
            [b'\r', b'\n', ..] => end + 2,
            _ => end + 1,
        };
        let in_piece = std::mem::take(&mut self.in_piece);
        if self.header_lost || in_piece {
            let message = if in_piece { "a piece of a row" } else { "a row without its header" };
            return Step::bad(len, BadRecord::new(BadKind::Csv, format!("{message}, behind damage")));
        }
        if !std::mem::replace(&mut self.header_seen, true) {
            return Step::take(len, FrameKind::Filler { keep: true });
        }
        if end > self.limit {
            return Step::bad(len, self.too_large(&format!(", found {end}")));
        }
        if broken {
            let message = "expected a closing quote before a delimiter or a line end, found none";
            return Step::bad(len, BadRecord::new(BadKind::Csv, message));
        }
        Step::Take { len, body: 0..end, kind: FrameKind::Record }
    }

    fn go_on(&mut self, unread: &[u8], ended: bool) -> Piece {
        let Some(long) = &mut self.long else { return Piece::End };
        if long.first > 0 {
            return Piece::Bytes(std::mem::take(&mut long.first));
        }
        if let Some(row) = long.rest.as_mut().filter(|_| !unread.is_empty()) {
            match row.step(unread, ended) {
                Pass::More => return Piece::More,
                Pass::Piece(len) => return Piece::Bytes(len),
                Pass::End(len) => {
                    long.rest = None;
                    if len > 0 {
                        return Piece::Bytes(len);
                    }
                }
                // What the quote may have cost is a bad record of its own.
                Pass::Unclosed { len, passed, ends_line } => {
                    let message = format!(
                        "expected a closing quote, found none in {passed} bytes; rows in them are lost"
                    );
                    long.bad = BadRecord::new(BadKind::Csv, message);
                    long.first = len;
                    long.has_line_end = !ends_line;
                    if ends_line {
                        long.rest = None;
                    }
                    return Piece::End;
                }
            }
        }
        let line_end = match unread {
            _ if !long.has_line_end => 0,
            [] | [b'\r'] if !ended => return Piece::More,
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => 0,
        };
        long.has_line_end = false;
        if line_end > 0 {
            return Piece::Bytes(line_end);
        }
        self.long = None;
        Piece::End
    }

    /// A piece of a row may have as many fields as a row.
    fn behind_gap(&mut self, starts_line: bool) {
        self.header_lost = !self.header_seen;
        self.in_piece = !starts_line;
        self.long = None;
    }
}

/// The start of a file without its byte order mark.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The columns of a CSV file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsvHeader {
    dialect: Dialect,
    columns: Vec<String>,
}

impl CsvHeader {
    /// Reads a header row.
    pub fn parse(row: &[u8], delimiter: u8) -> Self {
        let dialect = Dialect::new(delimiter);
        let columns = dialect.split(without_mark(row));
        let columns = columns.iter().map(|column| String::from_utf8_lossy(column).into_owned()).collect();
        CsvHeader { dialect, columns }
    }

    /// Number of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// The fields of a row, unquoted; a row with another number of fields than the header is bad.
    pub fn fields(&self, row: &[u8]) -> Result<Vec<Vec<u8>>, BadRecord> {
        let fields = self.dialect.split(row);
        if fields.len() == self.columns.len() {
            return Ok(fields);
        }
        let message =
            format!("expected {} fields as in the header, found {}", self.columns.len(), fields.len());
        Err(BadRecord::new(BadKind::Csv, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quoted_fields_may_hold_delimiters_quotes_and_line_ends() {
        let header = CsvHeader::parse(b"id,text", b',');
        let fields = header.fields(b"1,\"a, \"\"b\"\"\nc\"").unwrap();
        assert_eq!(fields, [b"1".to_vec(), b"a, \"b\"\nc".to_vec()]);
        assert_eq!(header.fields(b"1").unwrap_err().kind, BadKind::Csv);
    }

    #[test]
    fn rows_are_framed_with_their_line_ends() {
        let mut framer = CsvFramer::new(b',', 1000);
        let file = b"id,text\r\n1,\"x\ny\"\r\n2,z";
        let mut at = 0;
        let mut lens = Vec::new();
        while at < file.len() {
            match framer.step(&file[at..], true) {
                Step::Take { len, .. } => {
                    lens.push(len);
                    at += len;
                }
                _ => panic!("not a record"),
            }
        }
        assert_eq!(lens, [9, 9, 3]);
    }

    fn rows(file: &[u8], delimiter: u8) -> Vec<Result<Vec<u8>, BadKind>> {
        let (mut framer, mut at, mut rows) = (CsvFramer::new(delimiter, 1000), 0, Vec::new());
        while at < file.len() {
            let Step::Take { len, body, kind } = framer.step(&file[at..], true) else {
                panic!("no row at {at}")
            };
            match kind {
                FrameKind::Record => rows.push(Ok(file[at..][body].to_vec())),
                FrameKind::Bad(bad) => rows.push(Err(bad.kind)),
                _ => {}
            }
            at += len;
        }
        rows
    }

    #[test]
    fn blanks_at_the_end_of_a_row_are_part_of_it_and_blank_lines_are_no_rows() {
        assert_eq!(rows(b"id\ttext\n1\t\n\n\r\n", b'\t'), [Ok(b"1\t".to_vec())]);
        assert_eq!(rows(b"id,text\n1,a  \r\n2, ", b','), [Ok(b"1,a  ".to_vec()), Ok(b"2, ".to_vec())]);
    }

    #[test]
    fn a_quote_that_is_never_closed_costs_its_line() {
        let file = b"id,text\n1,a\n2,\"b\n3,c\n";
        assert_eq!(rows(file, b','), [Ok(b"1,a".to_vec()), Err(BadKind::Csv), Ok(b"3,c".to_vec())]);
        assert_eq!(rows(b"id,text\n1,\"a\"", b','), [Ok(b"1,\"a\"".to_vec())]);
        let lines = [b"1\t\"a".to_vec(), b"2\tb".to_vec(), b"3\t\"c".to_vec(), b"4\td".to_vec()];
        let file = [b"id\ttext".to_vec(), lines.join(&b'\n')].join(&b'\n');
        assert_eq!(rows(&file, b'\t'), lines.map(Ok));
    }

    const REACH_OF_TESTS: usize = 40;

    /// The rows of a file and its faults, each with its place, by a framer of a small reach that is given so many bytes at a time.
    fn framed(file: &[u8], part: usize) -> Vec<(usize, usize, Option<BadKind>)> {
        let mut framer = CsvFramer { reach: REACH_OF_TESTS + 1, ..CsvFramer::new(b',', REACH_OF_TESTS) };
        let (mut at, mut seen, mut frames) = (0, 0, Vec::new());
        while at < file.len() {
            if at == seen {
                seen = (seen + part).min(file.len());
            }
            match framer.step(&file[at..seen], seen == file.len()) {
                Step::More => seen = (seen + part).min(file.len()),
                Step::Take { len, kind, .. } => {
                    match kind {
                        FrameKind::Record => frames.push((at, len, None)),
                        FrameKind::Bad(bad) => frames.push((at, len, Some(bad.kind))),
                        _ => {}
                    }
                    at += len;
                }
                Step::PassOver(bad) => {
                    let start = at;
                    loop {
                        match framer.go_on(&file[at..seen], seen == file.len()) {
                            Piece::More => seen = (seen + part).min(file.len()),
                            Piece::Bytes(len) => at += len,
                            Piece::End => break,
                        }
                        if at == seen {
                            seen = (seen + part).min(file.len());
                        }
                        let held = seen - at;
                        assert!(held <= 2 * (REACH_OF_TESTS + part) + 8, "{held} bytes are held");
                    }
                    frames.push((start, at - start, Some(bad.kind)));
                }
                _ => panic!("no row at {at}"),
            }
            let held = seen - at;
            assert!(held <= 2 * (REACH_OF_TESTS + part) + 8, "{held} bytes are held");
        }
        frames
    }

    /// What becomes of the rows of a file.
    fn kinds(file: &str) -> Vec<Option<BadKind>> {
        framed(file.as_bytes(), 7).into_iter().map(|(.., kind)| kind).collect()
    }

    #[test]
    fn a_row_out_of_reach_is_one_row() {
        let text = "a line, in a text\n".repeat(9);
        let plain = "words and more ".repeat(9);
        for row in [
            format!("b,\"{text}\""),
            format!("\"{text}\",b"),
            format!("b,\"{text}\"\"{text}\",\"{text}\",\"c\nd\""),
            format!("b,\"{plain}\" and {plain},\"c\nd\""),
            format!("b,{plain},\"c\nd\""),
            format!("{plain},{plain},\"{text}\""),
            format!("b,\"{text}\",\r"),
            format!("b,\"{text}\",\"c"),
        ] {
            let file = format!("id,text\n1,a\n{row}\n2,c\n3,\"d\ne\"\n");
            assert_eq!(kinds(&file), [None, Some(BadKind::TooLarge), None, None], "{row}");
            let (at, len, _) = framed(file.as_bytes(), 7)[1];
            assert_eq!((at, len), (12, row.len() + 1), "{row}");
            let file = format!("id,text\n1,a\n{row}");
            assert_eq!(kinds(&file), [None, Some(BadKind::TooLarge)], "{row}");
        }
    }

    #[test]
    fn a_quote_that_is_not_closed_in_reach_costs_what_comes_before_the_next_and_that_is_told() {
        let lost = "2,some words\n".repeat(9);
        let faults = [None, Some(BadKind::TooLarge), Some(BadKind::Csv)];
        for next in ["3,\"d\ne\"", "\"3\",d", "3,d \"e\" f"] {
            let file = format!("id,text\n1,a\n2,\"{lost}{next}\n4,f\n");
            assert_eq!(kinds(&file), [&faults[..], &[None, None]].concat(), "{next}");
            let frames = framed(file.as_bytes(), 7);
            let line = file.find(next).unwrap();
            assert_eq!([frames[2].0, frames[3].0], [line - 1, line], "{next}");
        }
        for end in ["", "3,c", "3,\"\"", "\"\"\n"] {
            assert_eq!(kinds(&format!("id,text\n1,a\n2,\"{lost}{end}")), faults, "{end:?}");
        }
        let long = "4,words".repeat(9);
        let file = format!("id,text\n1,a\n2,\"{lost}{long} \"b,\"c\nd\"\n5,e\n");
        assert_eq!(kinds(&file), [&faults[..], &[None]].concat());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn rows_do_not_depend_on_the_buffer(
            rows in "[ab\",\r\n]{0,30}((a|\"\"|\n){0,60}[ab\",\r\n]{0,9}){0,4}",
            part in 1_usize..90,
        ) {
            let file = format!("id,text\n{rows}");
            prop_assert_eq!(framed(file.as_bytes(), part), framed(file.as_bytes(), file.len()));
        }

        #[test]
        fn what_was_quoted_is_a_row_however_long(
            rows in proptest::collection::vec(proptest::collection::vec("[ab\",\r\n]{0,9}|[ab\",\r\n]{0,90}", 1..4), 1..5),
            part in 1_usize..90,
        ) {
            let quoted = |value: &String| format!("\"{}\"", value.replace('"', "\"\""));
            let rows: Vec<_> = rows.iter().map(|row| row.iter().map(quoted).collect::<Vec<_>>().join(",")).collect();
            let file = format!("id,text\n{}\r\n", rows.join("\r\n"));
            let kinds: Vec<_> = framed(file.as_bytes(), part).into_iter().map(|(.., kind)| kind).collect();
            let expected = rows.iter().map(|row| (row.len() > REACH_OF_TESTS).then_some(BadKind::TooLarge));
            prop_assert_eq!(kinds, expected.collect::<Vec<_>>());
        }
    }
}
