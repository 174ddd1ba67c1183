//! Names of files within lines: a backslash, a line feed and a carriage return are written as `\\`, `\n` and `\r`, and
//! the line of such a name starts with a backslash.

use std::borrow::Cow;

/// What the line starts with, and the name as it stands in it.
pub(super) fn escaped(name: &[u8]) -> (&'static str, Cow<'_, [u8]>) {
    if !name.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r')) {
        return ("", name.into());
    }
    let mut out = Vec::with_capacity(name.len() + 8);
    for &byte in name {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            _ => out.push(byte),
        }
    }
    ("\\", out.into())
}

/// The name that was escaped, if it was escaped right.
pub(super) fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        name.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            _ => byte,
        });
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in [&b"plain"[..], b"a\\b", b"a\nb\r", b"\\n", b"\xff\n", b""] {
            let (mark, text) = escaped(name);
            assert_eq!(mark.is_empty(), text == name);
            let back = if mark.is_empty() { Some(text.to_vec()) } else { unescaped(&text) };
            assert_eq!(back.as_deref(), Some(name));
        }
        assert_eq!(unescaped(b"a\\"), None);
        assert_eq!(unescaped(b"a\\t"), None);
    }
}
