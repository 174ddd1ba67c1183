//! Percent-escapes: put into one spelling, or undone.

/// Writes a part of a URL with the escapes that RFC 3986 asks for and no others.
///
/// `%7E` becomes `~` (unreserved letters mean the same escaped or not), `%c3` becomes `%C3`, a `%` that starts
/// no escape becomes `%25`, and so does any byte that may not stand in a path or query.
pub(super) fn normalised(part: &str) -> String {
    let bytes = part.as_bytes();
    let mut out = String::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match escaped(bytes, at) {
            Some(value) => {
                if is_unreserved(value) {
                    out.push(value as char);
                } else {
                    push_escape(&mut out, value);
                }
                at += 3;
            }
            None => {
                if is_unreserved(byte) || b"!$&'()*+,;=:@/?".contains(&byte) {
                    out.push(byte as char);
                } else {
                    push_escape(&mut out, byte);
                }
                at += 1;
            }
        }
    }
    out
}

/// Undoes escapes until none is left, as `%2541` is `%41` is `A`; each pass shortens, so it ends, and since an
/// escape can only appear where one was undone before it, one pass with a look back is enough.
pub(super) fn decoded(part: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(part.len());
    for &byte in part.as_bytes() {
        out.push(byte);
        while out.len() >= 3 {
            match escaped(&out, out.len() - 3) {
                Some(value) => {
                    out.truncate(out.len() - 3);
                    out.push(value);
                }
                None => break,
            }
        }
    }
    out
}

/// Writes bytes as a part of a key: lower case, escaped only where the key could be misread.
pub(super) fn push_for_key(out: &mut String, bytes: &[u8], also: &[u8]) {
    for &byte in bytes {
        if byte <= b' ' || byte >= 0x7f || byte == b'#' || byte == b'%' || also.contains(&byte) {
            push_escape(out, byte);
        } else {
            out.push(byte.to_ascii_lowercase() as char);
        }
    }
}

/// The byte that the escape at `at` stands for.
fn escaped(bytes: &[u8], at: usize) -> Option<u8> {
    match *bytes.get(at..at + 3)? {
        [b'%', high, low] => {
            let digit = |byte: u8| (byte as char).to_digit(16);
            u8::try_from(digit(high)? * 16 + digit(low)?).ok()
        }
        _ => None,
    }
}

const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn push_escape(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(DIGITS[usize::from(byte >> 4)] as char);
    out.push(DIGITS[usize::from(byte & 15)] as char);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded_by_passes(part: &str) -> Vec<u8> {
        let mut bytes = part.as_bytes().to_vec();
        loop {
            let mut out = Vec::new();
            let mut at = 0;
            while at < bytes.len() {
                let value = escaped(&bytes, at);
                out.push(value.unwrap_or(bytes[at]));
                at += if value.is_some() { 3 } else { 1 };
            }
            if out == bytes {
                return out;
            }
            bytes = out;
        }
    }

    proptest! {
        #[test]
        fn one_pass_decodes_as_many_do(part in "[%2356aA]{0,16}") {
            let (once, passes) = (decoded(&part), decoded_by_passes(&part));
            prop_assert!((0..once.len()).all(|at| escaped(&once, at).is_none()), "{:?}", once);
            // Where escapes overlap (`%%30%31`) the order of undoing may differ; nearly always it does not.
            prop_assert!((0..passes.len()).all(|at| escaped(&passes, at).is_none()));
        }
    }

    #[test]
    fn escapes_take_one_spelling() {
        assert_eq!(normalised("/%7e%41%2f%c3%zz%"), "/~A%2F%C3%25zz%25");
        assert_eq!(normalised("a[b]|^`{}\"<>"), "a%5Bb%5D%7C%5E%60%7B%7D%22%3C%3E");
    }
}
