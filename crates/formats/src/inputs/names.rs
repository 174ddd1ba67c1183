//! Names of files in evidence, which is text: a name that is no UTF-8 is told by escapes, and found again by them.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The name of a path: the path itself, or, where it is no UTF-8, with `\xNN` for bytes that are none and two backslashes
/// for one.
pub fn name_of(path: &Path) -> String {
    if let Some(name) = path.to_str() {
        return name.to_owned();
    }
    let mut name = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        name.push_str(&chunk.valid().replace('\\', "\\\\"));
        chunk.invalid().iter().for_each(|byte| name.push_str(&format!("\\x{byte:02x}")));
    }
    name
}

/// The paths that a name may stand for: itself, and what its escapes say if they say something.
pub fn paths_of(name: &str) -> impl Iterator<Item = PathBuf> {
    std::iter::once(PathBuf::from(name)).chain(unescaped(name))
}

fn unescaped(name: &str) -> Option<PathBuf> {
    let (mut bytes, mut rest) = (Vec::with_capacity(name.len()), name.as_bytes());
    while let [first, behind @ ..] = rest {
        let (byte, behind) = match (first, behind) {
            (b'\\', [b'\\', behind @ ..]) => (b'\\', behind),
            (b'\\', [b'x', high, low, behind @ ..]) => {
                let digit = |digit: u8| char::from(digit).to_digit(16);
                ((digit(*high)? << 4 | digit(*low)?) as u8, behind)
            }
            (b'\\', _) => return None,
            (&byte, behind) => (byte, behind),
        };
        bytes.push(byte);
        rest = behind;
    }
    (bytes != name.as_bytes()).then(|| OsString::from_vec(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn every_path_is_one_of_those_its_name_stands_for() {
        for bytes in
            [b"a/b.jsonl".as_slice(), b"n\xff.jsonl", b"n\xff\\x\\xfe/\xc3\xa4", b"\\", b"n\\x", b"\\xff"]
        {
            let path = Path::new(OsStr::from_bytes(bytes));
            assert!(paths_of(&name_of(path)).any(|found| found == path), "{path:?}");
        }
        assert_eq!(name_of(Path::new(OsStr::from_bytes(b"n\xff\\.jsonl"))), "n\\xff\\\\.jsonl");
        assert_eq!(name_of(Path::new("n\\.jsonl")), "n\\.jsonl");
    }
}
