//! CSV and TSV by RFC 4180, with a header that names the columns.

use crate::bad::{BadKind, BadRecord};
use crate::block::FrameKind;
use crate::reader::{Framer, Step};
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// Frames rows, line ends inside quotes included; the first is the header.
pub(crate) struct CsvFramer {
    delimiter: u8,
    limit: usize,
    header_seen: bool,
    fields: Vec<u8>,
    ends: Vec<usize>,
}

impl CsvFramer {
    pub(crate) fn new(delimiter: u8, limit: usize) -> Self {
        CsvFramer { delimiter, limit, header_seen: false, fields: vec![0; 1 << 12], ends: vec![0; 64] }
    }
}

impl Framer for CsvFramer {
    fn step(&mut self, unread: &[u8], ended: bool) -> Step {
        let blank = unread.iter().position(|b| !matches!(b, b'\n' | b'\r')).unwrap_or(unread.len());
        if blank > 0 {
            return Step::take(blank, FrameKind::Filler { keep: false });
        }
        let too_large = |found: &str| {
            BadRecord::new(
                BadKind::TooLarge,
                format!("expected a row of at most {} bytes{found}", self.limit),
            )
        };
        let (len, closed) = match record_len(self.delimiter, unread, &mut self.fields, &mut self.ends) {
            RowLen::Ends(len) => (len, true),
            RowLen::Open { closed } if ended => (unread.len(), closed),
            RowLen::Open { .. } if unread.len() > self.limit => return Step::SkipLine(too_large("")),
            RowLen::Open { .. } => return Step::More,
        };
        // The parser stops behind the carriage return of a CRLF, of which the line feed may not be there yet.
        let len = match &unread[..len] {
            [.., b'\r'] if len == unread.len() && !ended => return Step::More,
            [.., b'\r'] if unread.get(len) == Some(&b'\n') => len + 1,
            _ => len,
        };
        if !std::mem::replace(&mut self.header_seen, true) {
            return Step::take(len, FrameKind::Filler { keep: true });
        }
        let row = &unread[..len];
        let row = row.strip_suffix(b"\n").unwrap_or(row);
        let row = row.strip_suffix(b"\r").unwrap_or(row);
        if row.len() > self.limit {
            return Step::bad(len, too_large(&format!(", found {}", row.len())));
        }
        if !closed {
            return Step::bad(
                len,
                BadRecord::new(BadKind::Csv, "expected a closing quote, found the end of file"),
            );
        }
        Step::Take { len, body: 0..row.len(), kind: FrameKind::Record }
    }
}

fn parser(delimiter: u8) -> Reader {
    ReaderBuilder::new().delimiter(delimiter).build()
}

/// How far a row goes.
enum RowLen {
    /// To its line end.
    Ends(usize),
    /// Beyond the bytes there are; `closed` if they do not end inside quotes.
    Open { closed: bool },
}

fn record_len(delimiter: u8, bytes: &[u8], fields: &mut [u8], ends: &mut [usize]) -> RowLen {
    let mut parser = parser(delimiter);
    let mut at = 0;
    loop {
        let (result, read, _, _) = parser.read_record(&bytes[at..], fields, ends);
        at += read;
        match result {
            ReadRecordResult::Record => return RowLen::Ends(at),
            ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {}
            ReadRecordResult::InputEmpty if at < bytes.len() => {}
            ReadRecordResult::InputEmpty | ReadRecordResult::End => break,
        }
    }
    // A line end ends the row unless it is inside quotes.
    loop {
        match parser.read_record(b"\n", fields, ends).0 {
            ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {}
            result => return RowLen::Open { closed: result == ReadRecordResult::Record },
        }
    }
}

/// The columns of a CSV file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsvHeader {
    delimiter: u8,
    columns: Vec<String>,
}

impl CsvHeader {
    /// Reads a header row.
    pub fn parse(row: &[u8], delimiter: u8) -> Self {
        let row = row.strip_prefix(b"\xef\xbb\xbf").unwrap_or(row);
        let mut header = CsvHeader { delimiter, columns: Vec::new() };
        let columns = header.split(row);
        header.columns =
            columns.into_iter().map(|column| String::from_utf8_lossy(&column).into_owned()).collect();
        header
    }

    /// Number of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// The fields of a row, unquoted; a row with another number of fields than the header is bad.
    pub fn fields(&self, row: &[u8]) -> Result<Vec<Vec<u8>>, BadRecord> {
        let fields = self.split(row);
        if fields.len() == self.columns.len() {
            return Ok(fields);
        }
        let message =
            format!("expected {} fields as in the header, found {}", self.columns.len(), fields.len());
        Err(BadRecord::new(BadKind::Csv, message))
    }

    fn split(&self, row: &[u8]) -> Vec<Vec<u8>> {
        let mut parser = parser(self.delimiter);
        let (mut out, mut ends) = (vec![0; row.len() + 16], vec![0; row.len() + 2]);
        let (mut read, mut written, mut count) = (0, 0, 0);
        // Once over the row, and once over nothing, which tells the parser that the row ends.
        loop {
            let (result, r, w, e) = parser.read_record(&row[read..], &mut out[written..], &mut ends[count..]);
            (read, written, count) = (read + r, written + w, count + e);
            match result {
                ReadRecordResult::Record | ReadRecordResult::End => break,
                _ => {}
            }
        }
        let mut start = 0;
        ends[..count]
            .iter()
            .map(|&end| {
                let field = out[start..end].to_vec();
                start = end;
                field
            })
            .collect()
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
    fn a_quote_that_is_never_closed_does_not_swallow_rows_unseen() {
        assert_eq!(rows(b"id,text\n1,a\n2,\"b\n3,c\n", b','), [Ok(b"1,a".to_vec()), Err(BadKind::Csv)]);
        assert_eq!(rows(b"id,text\n1,\"a\"", b','), [Ok(b"1,\"a\"".to_vec())]);
    }
}
