//! The rest of a row that is too long to be held: it is gone through piece by piece up to its end, so that nothing in it is taken
//! for a row.
//!
//! Whether the quote that a field begins with encloses it is not known before the quote behind it is seen, and by then the
//! lines between the two are gone. They are taken for the field's. Where that quote closes nothing, or none comes, they may
//! have been rows: that is told as a bad record of its own, and reading goes on at the line of that quote.

use super::fields::{Dialect, End, QUOTE, Rest};

/// A row too long to be held, from where it goes out of reach.
pub(super) struct LongRow {
    dialect: Dialect,
    /// Bytes that are looked at before a field, or a line in one, is out of reach.
    reach: usize,
    place: Place,
    /// Bytes of the quoted field that were passed.
    passed: u64,
    /// Whether line ends are among them.
    has_lines: bool,
}

/// What the unread bytes start with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A field.
    Field,
    /// The rest of a field that no quote encloses.
    Plain,
    /// The rest of a field behind the quote it begins with.
    Quoted,
}

/// What to do with the unread bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Not enough bytes to tell; never said at the end.
    More,
    /// So many bytes belong to the row.
    Piece(usize),
    /// So many are the last of it, but for its line end.
    End(usize),
    /// So many bytes are the last of a field that is not closed.
    Unclosed { len: usize, passed: u64, ends_line: bool },
}

impl LongRow {
    pub(super) fn new(dialect: Dialect, reach: usize, place: Place) -> Self {
        LongRow { dialect, reach, place, passed: 0, has_lines: false }
    }

    /// Looks at the unread bytes, of which there is at least one; `ended` if no more will come.
    pub(super) fn step(&mut self, unread: &[u8], ended: bool) -> Pass {
        match self.place {
            Place::Field if unread[0] == QUOTE => self.field(unread, ended),
            Place::Field | Place::Plain => self.plain(unread),
            Place::Quoted => self.quoted(unread, ended),
        }
    }

    fn field(&mut self, unread: &[u8], ended: bool) -> Pass {
        let rest = Rest::of(unread.len(), self.reach, ended);
        match self.dialect.field_end(&unread[..unread.len().min(self.reach)], rest) {
            End::Beyond => Pass::More,
            End::Far(_) => {
                (self.place, self.passed, self.has_lines) = (Place::Quoted, 0, false);
                Pass::Piece(1)
            }
            End::At(end) => self.behind_field(unread, end),
            End::Broken(end) => Pass::End(end),
        }
    }

    fn plain(&mut self, unread: &[u8]) -> Pass {
        self.place = Place::Plain;
        match self.dialect.plain_end(unread) {
            Some(end) => self.behind_field(unread, end),
            None => Pass::Piece(unread.len()),
        }
    }

    fn behind_field(&mut self, unread: &[u8], end: usize) -> Pass {
        if !self.dialect.is_delimiter(unread.get(end)) {
            return Pass::End(end);
        }
        self.place = Place::Field;
        Pass::Piece(end + 1)
    }

    fn quoted(&mut self, unread: &[u8], ended: bool) -> Pass {
        let mut from = 0;
        while let Some(quote) = memchr::memchr(QUOTE, &unread[from..]).map(|at| from + at) {
            match unread.get(quote + 1) {
                None if !ended => return self.hold(unread, from, quote),
                Some(&QUOTE) => from = quote + 2,
                next if next.is_none_or(|&next| self.dialect.ends_field(next)) => {
                    return self.behind_field(unread, quote + 1);
                }
                _ => return self.not_closed(unread, quote),
            }
        }
        if !ended {
            return self.hold(unread, from, unread.len());
        }
        if !self.has_lines && last_line_end(unread).is_none() {
            return Pass::End(unread.len());
        }
        match before_last(from, unread.len()) {
            0 => self.unclosed(unread, unread.len()),
            last => self.pass(&unread[..last]),
        }
    }

    /// Passes what holds no end of the field, but for the line it may have to go on with, and for the last byte, on which the
    /// end of the file is noticed.
    fn hold(&mut self, unread: &[u8], from: usize, end: usize) -> Pass {
        let len = match last_line_end(&unread[..end]) {
            Some(line) if end - line <= self.reach => line,
            _ => before_last(from, end),
        };
        if len == 0 { Pass::More } else { self.pass(&unread[..len]) }
    }

    /// At a quote that ends no field.
    fn not_closed(&mut self, unread: &[u8], quote: usize) -> Pass {
        let line = last_line_end(&unread[..quote]);
        if line.is_none() && !self.has_lines {
            self.place = Place::Plain;
            return Pass::Piece(quote + 1);
        }
        // Of a line that is itself out of reach, the start is gone.
        let at = line.filter(|line| quote - line <= self.reach).unwrap_or(quote);
        match at {
            0 => self.unclosed(unread, 1),
            _ => self.pass(&unread[..at]),
        }
    }

    fn unclosed(&mut self, unread: &[u8], len: usize) -> Pass {
        self.place = Place::Plain;
        let ends_line = matches!(unread[0], b'\r' | b'\n');
        Pass::Unclosed { len, passed: self.passed + len as u64, ends_line }
    }

    fn pass(&mut self, bytes: &[u8]) -> Pass {
        self.passed += bytes.len() as u64;
        self.has_lines |= last_line_end(bytes).is_some();
        Pass::Piece(bytes.len())
    }
}

/// Where the last byte of a quoted stretch is, or the last two if they are quotes that mean one: `paired` is behind the last
/// of these.
fn before_last(paired: usize, end: usize) -> usize {
    if paired == end { end.saturating_sub(2) } else { end - 1 }
}

fn last_line_end(bytes: &[u8]) -> Option<usize> {
    memchr::memrchr2(b'\r', b'\n', bytes)
}
