//! CSV and TSV, with a header that names the columns.

use super::fields::{Dialect, End};
use crate::bad::{BadKind, BadRecord};
use crate::block::FrameKind;
use crate::reader::{Framer, Step};

/// Bytes of a row that are looked at for the end of a quoted field at the least. Rows may not be as long, but what is
/// quoted in one that is too long is not taken for rows.
const REACH: usize = 1 << 20;

/// Whether a table starts here: a row of two columns and more, of which one has this name.
pub(crate) fn begins_table(text: &[u8], delimiter: u8, column: &str) -> bool {
    let dialect = Dialect::new(delimiter);
    let End::At(end) = dialect.row_end(text, false) else { return false };
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
    header_seen: bool,
    /// Whether the header was lost to damage, with which no row has a meaning.
    header_lost: bool,
    /// Whether what comes next is a piece of a row.
    in_piece: bool,
}

impl CsvFramer {
    pub(crate) fn new(delimiter: u8, limit: usize) -> Self {
        let dialect = Dialect::new(delimiter);
        CsvFramer { dialect, limit, header_seen: false, header_lost: false, in_piece: false }
    }

    fn too_large(&self, found: &str) -> BadRecord {
        let message = format!("expected a row of at most {} bytes{found}", self.limit);
        BadRecord::new(BadKind::TooLarge, message)
    }
}

impl Framer for CsvFramer {
    fn step(&mut self, unread: &[u8], ended: bool) -> Step {
        let blank = unread.iter().position(|b| !matches!(b, b'\n' | b'\r')).unwrap_or(unread.len());
        if blank > 0 {
            return Step::take(blank, FrameKind::Filler { keep: false });
        }
        // What lies beyond is never looked at, or the end of a row would be another with another buffer.
        let reach = self.limit.max(REACH).saturating_add(1);
        let window = &unread[..unread.len().min(reach)];
        let is_cut = unread.len() > reach;
        let mark = if self.header_seen { 0 } else { window.len() - without_mark(window).len() };
        let (end, broken) = match self.dialect.row_end(&window[mark..], !ended && !is_cut) {
            End::At(end) => (mark + end, false),
            End::Broken(end) => (mark + end, true),
            End::Beyond => return Step::More,
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

    /// A piece of a row may have as many fields as a row.
    fn behind_gap(&mut self, starts_line: bool) {
        self.header_lost = !self.header_seen;
        self.in_piece = !starts_line;
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

    #[test]
    fn a_quote_without_its_end_costs_its_line_where_the_end_of_the_file_is_far() {
        let far = b"1,\"a\n2,b\n".iter().copied().chain(b"3,c\n".iter().copied().cycle().take(REACH + 20));
        let file: Vec<u8> = b"id,text\n".iter().copied().chain(far).collect();
        let mut framer = CsvFramer::new(b',', 1000);
        assert!(matches!(framer.step(&file, false), Step::Take { len: 8, .. }));
        assert!(matches!(framer.step(&file[8..8 + REACH], false), Step::More));
        for (at, len) in [(8, 5), (13, 4), (17, 4)] {
            let Step::Take { len: found, kind, .. } = framer.step(&file[at..], false) else { panic!("{at}") };
            assert_eq!((found, matches!(kind, FrameKind::Bad(_))), (len, at == 8));
        }
    }
}
