//! Lists of digests, checked against the files they name, with the words and exit code of `sha256sum --check`.

use super::{digests, name, tag};
use crate::args::Digest;
use crate::terminal::{escape, note};
use anyhow::{Result, bail};
use onefold_detect::digest::checksum::Kind;
use std::ffi::OsStr;
use std::io::{BufWriter, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A line of a list.
#[derive(Debug, PartialEq)]
struct Line {
    kind: Kind,
    /// The digest as it is written, in lower case.
    value: String,
    name: Vec<u8>,
}

/// What became of the lines of one list.
#[derive(Default)]
struct Tally {
    lines: u64,
    malformed: u64,
    matched: u64,
    unread: u64,
    mismatched: u64,
}

pub(super) fn run(arguments: &Digest, lists: &[PathBuf]) -> Result<bool> {
    if arguments.algorithm.contains(&Kind::Sum) {
        bail!(
            "--check cannot read lists of sum, which have no digest in front of a name; write them with --tag"
        );
    }
    let mut out = BufWriter::new(crate::terminal::stdout());
    let mut all = true;
    for list in lists {
        let text = match read(list) {
            Ok(text) => text,
            Err(error) => {
                note!("error: {}", escape(&error.to_string()));
                all = false;
                continue;
            }
        };
        let mut tally = Tally::default();
        for line in text.split(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            match parse(line, &arguments.algorithm) {
                Some(line) => check(arguments, &line, &mut tally, &mut out)?,
                None => tally.malformed += 1,
            }
        }
        out.flush()?;
        all &= conclude(arguments, list, &tally);
    }
    Ok(all)
}

fn read(list: &Path) -> std::io::Result<Vec<u8>> {
    if list != Path::new("-") {
        return fs_err::read(list);
    }
    let mut text = Vec::new();
    std::io::stdin().lock().read_to_end(&mut text)?;
    Ok(text)
}

fn check(arguments: &Digest, line: &Line, tally: &mut Tally, out: &mut impl Write) -> Result<()> {
    tally.lines += 1;
    let path = Path::new(OsStr::from_bytes(&line.name));
    let verdict = match digests(path, &[line.kind]) {
        Ok(values) if values.iter().all(|value| value.to_string() == line.value) => {
            tally.matched += 1;
            if arguments.quiet { None } else { Some("OK") }
        }
        Ok(_) => {
            tally.mismatched += 1;
            Some("FAILED")
        }
        Err(error) if arguments.ignore_missing && error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            tally.unread += 1;
            if !arguments.status {
                out.flush()?;
                note!("error: {}", escape(&error.to_string()));
            }
            Some("FAILED open or read")
        }
    };
    if let Some(verdict) = verdict.filter(|_| !arguments.status) {
        // A backslash alone leaves the line as it is.
        let steers = line.name.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
        let (mark, shown) =
            if steers { name::escaped(&line.name) } else { ("", line.name.as_slice().into()) };
        out.write_all(mark.as_bytes())?;
        out.write_all(&shown)?;
        writeln!(out, ": {verdict}")?;
    }
    Ok(())
}

/// Says what was amiss with a list, and whether nothing was.
fn conclude(arguments: &Digest, list: &Path, tally: &Tally) -> bool {
    let list = escape(&list.display().to_string());
    if tally.lines == 0 {
        let algorithm =
            if arguments.algorithm.is_empty() { "; --algorithm tells another than sha256" } else { "" };
        note!("error: {list}: no line of it is a digest and a name{algorithm}");
        return false;
    }
    if !arguments.status {
        let say = |count: u64, one: &str, many: &str| {
            if count > 0 {
                note!("warning: {list}: {count} {}", if count == 1 { one } else { many });
            }
        };
        say(tally.malformed, "line is improperly formatted", "lines are improperly formatted");
        say(tally.unread, "listed file could not be read", "listed files could not be read");
        say(tally.mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
    }
    if arguments.ignore_missing && tally.matched + tally.mismatched + tally.unread == 0 {
        if !arguments.status {
            note!("error: {list}: no file was verified");
        }
        return false;
    }
    tally.unread == 0 && tally.mismatched == 0 && !(arguments.strict && tally.malformed > 0)
}

/// A line of either style. Without a tag it is of the first algorithm asked for, SHA-256 if none was.
fn parse(line: &[u8], asked: &[Kind]) -> Option<Line> {
    let (escaped, line) = match line.strip_prefix(b"\\") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let (kind, value, name) = match tagged(line) {
        Some(found) => found,
        None => untagged(line, asked.first().copied().unwrap_or(Kind::Sha256))?,
    };
    let fits = asked.is_empty() || asked.contains(&kind);
    let name = if escaped { name::unescaped(name)? } else { name.to_vec() };
    let value = value.to_ascii_lowercase();
    (fits && !name.is_empty() && well_formed(kind, &value)).then_some(Line { kind, value, name })
}

/// `ALG (name) = digest`.
fn tagged(line: &[u8]) -> Option<(Kind, &str, &[u8])> {
    let open = line.windows(2).position(|pair| pair == b" (")?;
    let close = line.windows(4).rposition(|part| part == b") = ")?;
    let kind = kind_of(std::str::from_utf8(&line[..open]).ok()?)?;
    let name = line.get(open + 2..close)?;
    Some((kind, std::str::from_utf8(&line[close + 4..]).ok()?, name))
}

fn kind_of(name: &str) -> Option<Kind> {
    // As other tools call them.
    let other = match name {
        "RMD160" | "RIPEMD-160" => Some(Kind::Ripemd160),
        "XXH3_128" | "XXH3-128" => Some(Kind::Xxh3_128),
        _ => None,
    };
    other.or_else(|| Kind::ALL.into_iter().find(|&kind| tag(kind) == name))
}

/// `digest  name`, `digest *name` for what was read as binary, or with one blank as BSD tools have it.
fn untagged(line: &[u8], kind: Kind) -> Option<(Kind, &str, &[u8])> {
    let blank = line.iter().position(|&byte| byte == b' ')?;
    let rest = &line[blank + 1..];
    let name = rest.strip_prefix(b" ").or_else(|| rest.strip_prefix(b"*")).unwrap_or(rest);
    Some((kind, std::str::from_utf8(&line[..blank]).ok()?, name))
}

fn well_formed(kind: Kind, value: &str) -> bool {
    let hex = |len: usize| value.len() == len && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    match kind {
        Kind::Sum => value.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ') && !value.is_empty(),
        Kind::ByteSum => value.bytes().all(|byte| byte.is_ascii_digit()) && !value.is_empty(),
        Kind::Crc32 => hex(8),
        Kind::Md5 | Kind::Xxh3_128 => hex(32),
        Kind::Sha1 | Kind::Ripemd160 => hex(40),
        Kind::Sha256 | Kind::Sha3_256 | Kind::Blake3 => hex(64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_style_are_read() {
        let line = |name: &str| {
            let name = name.as_bytes().to_vec();
            Some(Line { kind: Kind::Crc32, value: "352441c2".into(), name })
        };
        for (text, name) in [
            ("352441c2  a b", "a b"),
            ("352441C2 *a", "a"),
            ("352441c2 a", "a"),
            ("CRC32 (a) = 352441c2", "a"),
            ("CRC32 (a (b) = c) = 352441c2", "a (b) = c"),
            ("\\352441c2  a\\nb", "a\nb"),
            ("\\CRC32 (a\\\\b) = 352441c2", "a\\b"),
        ] {
            assert_eq!(parse(text.as_bytes(), &[Kind::Crc32]), line(name), "{text}");
        }
        for text in ["352441c2", "352441c  a", "352441cx  a", "\\352441c2  a\\tb", "MD5 (a) = 352441c2", "  "]
        {
            assert_eq!(parse(text.as_bytes(), &[Kind::Crc32]), None, "{text}");
        }
    }

    #[test]
    fn every_tag_is_known_again() {
        for kind in Kind::ALL {
            assert_eq!(kind_of(tag(kind)), Some(kind));
        }
    }
}
