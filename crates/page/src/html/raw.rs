//! Elements whose content is text whatever it looks like: where they end.
//!
//! Only the end tag of the same name ends `style`, `title` and their like. A script is harder: after `<!--`,
//! a further `<script` makes the next `</script` part of the text, until `-->` (the "script data double
//! escaped" states of the standard). An element that is never closed reaches to the end of the input.

use memchr::{memchr, memchr2};

use super::tag::ends_name;

/// Where the end tag `</name` begins in `bytes[from..]`, or the end of the input.
pub(super) fn end_of_element(bytes: &[u8], from: usize, name: &[u8]) -> usize {
    let mut at = from;
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        at += found;
        if bytes.get(at + 1) == Some(&b'/') && names(bytes, at + 2, name) {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// How far a script has walked into the states for `<!--`.
#[derive(Clone, Copy, PartialEq)]
enum Escape {
    None,
    /// After `<!--`.
    Comment,
    /// After `<!--` and `<script`.
    NestedScript,
}

/// Where the end tag of a script begins that starts at `from`, or the end of the input.
pub(super) fn end_of_script(bytes: &[u8], from: usize) -> usize {
    let mut escape = Escape::None;
    let mut at = from;
    loop {
        let rest = &bytes[at..];
        let found = match escape {
            Escape::None => memchr(b'<', rest),
            Escape::Comment | Escape::NestedScript => memchr2(b'<', b'-', rest),
        };
        let Some(found) = found else { return bytes.len() };
        at += found;
        let rest = &bytes[at..];
        match escape {
            Escape::None if rest.starts_with(b"<!--") => {
                escape = Escape::Comment;
                // The two dashes may be those of the closing `-->` already.
                at += 2;
                continue;
            }
            Escape::Comment | Escape::NestedScript if rest.starts_with(b"-->") => escape = Escape::None,
            Escape::None | Escape::Comment if rest.starts_with(b"</") && names(bytes, at + 2, b"script") => {
                return at;
            }
            Escape::Comment if rest[0] == b'<' && names(bytes, at + 1, b"script") => {
                escape = Escape::NestedScript;
            }
            Escape::NestedScript if rest.starts_with(b"</") && names(bytes, at + 2, b"script") => {
                escape = Escape::Comment;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Does `name` stand at `at`, in any case, and end there?
fn names(bytes: &[u8], at: usize, name: &[u8]) -> bool {
    let end = at + name.len();
    bytes.get(at..end).is_some_and(|found| found.eq_ignore_ascii_case(name))
        && bytes.get(end).is_some_and(|&byte| ends_name(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_script(script: &str, text: &str) {
        let end = end_of_script(script.as_bytes(), 0);
        assert_eq!(&script[..end], text, "{script}");
    }

    #[test]
    fn only_the_same_name_ends_an_element() {
        for (input, text) in [
            ("a</b></style>", "a</b>"),
            ("a</styles></STYLE\n>", "a</styles>"),
            ("a</style", "a</style"),
            ("a<</style/>", "a<"),
            ("never closed", "never closed"),
        ] {
            assert_eq!(&input[..end_of_element(input.as_bytes(), 0, b"style")], text);
        }
    }

    #[test]
    fn a_script_ends_at_its_first_end_tag() {
        check_script("if (a<b) '</div>'</Script >x", "if (a<b) '</div>'");
        check_script("<!-- hidden </script> -->", "<!-- hidden ");
        check_script("open", "open");
    }

    #[test]
    fn a_script_in_a_comment_in_a_script_hides_one_end_tag() {
        check_script("<!--<script>a</script>b</script>c", "<!--<script>a</script>b");
        check_script("<!--<script>a--></script>b", "<!--<script>a-->");
        check_script("<!--><script>a</script>b", "<!--><script>a");
        check_script("<!---><script>a</script>b", "<!---><script>a");
        check_script("<!--<scripts>a</script>b", "<!--<scripts>a");
        check_script("<!-<script>a</script>b", "<!-<script>a");
    }
}
