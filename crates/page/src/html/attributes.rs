//! The way through a tag's attributes to its end.
//!
//! A `>` ends a tag except inside a quoted value, and a quote opens a value only right after `=`: in
//! `<a title=it's>` or `<a "b>` it is a letter like any other. So names and values are told apart, though only
//! the end and the self-closing slash are kept.

use memchr::memchr;

use super::tag::is_space;

/// The end of a tag: the place after its `>`, and whether it closed itself with `/>`.
pub(super) struct TagEnd {
    pub(super) after: usize,
    pub(super) self_closing: bool,
}

/// Finds the end of the tag whose name ended at `at`; `None` if the input ends first, which makes it no tag.
pub(super) fn skip(bytes: &[u8], mut at: usize) -> Option<TagEnd> {
    loop {
        match *bytes.get(at)? {
            b'>' => return Some(TagEnd { after: at + 1, self_closing: false }),
            b'/' if *bytes.get(at + 1)? == b'>' => return Some(TagEnd { after: at + 2, self_closing: true }),
            b'/' => at += 1,
            byte if is_space(byte) => at += 1,
            _ => {
                // The first byte belongs to the name even if it is `=`.
                at += 1;
                at += bytes[at..].iter().position(|&byte| NAME_END[byte as usize])?;
                at = skip_space(bytes, at)?;
                if bytes[at] == b'=' {
                    at = skip_value(bytes, skip_space(bytes, at + 1)?)?;
                }
            }
        }
    }
}

/// The attributes of a tag as written, from the end of its name to its `>`: names and raw values.
pub(super) struct Attributes<'a> {
    rest: &'a str,
}

impl<'a> Attributes<'a> {
    pub(super) fn new(attributes: &'a str) -> Attributes<'a> {
        Attributes { rest: attributes }
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let bytes = self.rest.as_bytes();
        let start = bytes.iter().position(|&byte| !is_space(byte) && byte != b'/')?;
        if bytes[start] == b'>' {
            return None;
        }
        let name_end = start + 1 + bytes[start + 1..].iter().position(|&byte| NAME_END[byte as usize])?;
        let name = &self.rest[start..name_end];
        let mut at = skip_space(bytes, name_end)?;
        if bytes[at] != b'=' {
            self.rest = &self.rest[at..];
            return Some((name, ""));
        }
        at = skip_space(bytes, at + 1)?;
        let end = skip_value(bytes, at)?;
        let value = match bytes[at] {
            b'"' | b'\'' => &self.rest[at + 1..end - 1],
            _ => &self.rest[at..end],
        };
        self.rest = &self.rest[end..];
        Some((name, value))
    }
}

/// Returns the place after the value that begins at `at`, or `at` itself if a `>` stands there.
fn skip_value(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes[at] {
        quote @ (b'"' | b'\'') => Some(at + 1 + memchr(quote, &bytes[at + 1..])? + 1),
        _ => Some(at + bytes[at..].iter().position(|&byte| is_space(byte) || byte == b'>')?),
    }
}

fn skip_space(bytes: &[u8], at: usize) -> Option<usize> {
    Some(at + bytes.get(at..)?.iter().position(|&byte| !is_space(byte))?)
}

/// The bytes that end an attribute's name.
static NAME_END: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = is_space(byte as u8) || matches!(byte as u8, b'/' | b'>' | b'=');
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    fn check(attributes: &str, expected: Option<(usize, bool)>) {
        let found = skip(attributes.as_bytes(), 0).map(|end| (end.after, end.self_closing));
        assert_eq!(found, expected, "{attributes}");
    }

    #[test]
    fn names_and_values_are_read_as_written() {
        let read: Vec<_> = Attributes::new(" a=\"x > y\" B='é' c d = e/ /f=>").collect();
        assert_eq!(read, [("a", "x > y"), ("B", "é"), ("c", ""), ("d", "e/"), ("f", "")]);
        assert_eq!(Attributes::new("/>").count(), 0);
        assert_eq!(Attributes::new(" =\">").collect::<Vec<_>>(), [("=\"", "")]);
    }

    #[test]
    fn a_bracket_in_a_quoted_value_does_not_end_the_tag() {
        check(" a=\"x > y\" b='>'>", Some((17, false)));
        check(" a = \"x\"b='>' />", Some((16, true)));
    }

    #[test]
    fn a_quote_outside_the_start_of_a_value_is_a_letter() {
        check(" a=it's>'", Some((8, false)));
        check(" \"a>\"", Some((4, false)));
        check(" =\">", Some((4, false)));
    }

    #[test]
    fn a_missing_value_lets_the_bracket_end_the_tag() {
        check(" a=>", Some((4, false)));
        check(" a= >", Some((5, false)));
    }

    #[test]
    fn a_slash_closes_only_before_the_bracket_and_outside_values() {
        check("/>", Some((2, true)));
        check("/a>", Some((3, false)));
        check(" a=b/>", Some((6, false)));
        check(" a/>", Some((4, true)));
    }

    #[test]
    fn the_end_of_input_in_a_tag_is_no_tag() {
        for unfinished in ["", " ", " a", " a=", " a=\"", " a=\"b", " a=b", "/", " a=\"b\""] {
            check(unfinished, None);
        }
    }
}
