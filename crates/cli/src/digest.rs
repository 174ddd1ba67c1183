//! `onefold digest`: digests of files, in the lines coreutils prints.
//!
//! One algorithm gives `hex  name`, `sum` its own `00000     0 name`, and several give `ALG (name) = hex`. A name with a
//! line end or a backslash in it is escaped, and its line starts with a backslash.

mod check;
mod name;

use crate::args::Digest;
use crate::interrupt::Waiting;
use crate::terminal::{escape, note};
use anyhow::Result;
use onefold_detect::digest::checksum::{Checksum, ChecksumValue, Kind};
use std::io::{BufWriter, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Whether all went well: every file was read, and every one that was checked matched.
pub(crate) fn run(arguments: &Digest) -> Result<bool> {
    // Nothing is made that an interrupt would have to take back.
    let _waiting = Waiting::begin();
    let stdin = [PathBuf::from("-")];
    let files = if arguments.files.is_empty() { &stdin[..] } else { &arguments.files };
    if arguments.check {
        return check::run(arguments, files);
    }
    let kinds = match &arguments.algorithm[..] {
        [] => &[Kind::Sha256][..],
        given => given,
    };
    let tagged = arguments.tag || kinds.len() > 1;
    let mut out = BufWriter::new(crate::terminal::stdout());
    let mut all = true;
    for file in files {
        match digests(file, kinds) {
            Ok(values) => {
                for (&kind, value) in kinds.iter().zip(&values) {
                    let name = file.as_os_str().as_bytes();
                    let line = if tagged {
                        tagged_line(kind, value, name)
                    } else {
                        plain_line(kind, value, name, arguments.files.is_empty())
                    };
                    out.write_all(&line)?;
                }
            }
            Err(error) => {
                // What was said so far comes before what went wrong.
                out.flush()?;
                note!("error: {}", escape(&error.to_string()));
                all = false;
            }
        }
    }
    out.flush()?;
    Ok(all)
}

/// The name in front of a digest, as the tools that print such lines have it.
fn tag(kind: Kind) -> &'static str {
    match kind {
        Kind::Sum => "SUM",
        Kind::ByteSum => "BYTE-SUM",
        Kind::Crc32 => "CRC32",
        Kind::Md5 => "MD5",
        Kind::Sha1 => "SHA1",
        Kind::Sha256 => "SHA256",
        Kind::Sha3_256 => "SHA3-256",
        Kind::Ripemd160 => "RIPEMD160",
        Kind::Blake3 => "BLAKE3",
        Kind::Xxh3_128 => "XXH128",
    }
}

fn tagged_line(kind: Kind, value: &ChecksumValue, name: &[u8]) -> Vec<u8> {
    let (mark, name) = name::escaped(name);
    let mut line = format!("{mark}{} (", tag(kind)).into_bytes();
    line.extend_from_slice(&name);
    line.extend_from_slice(format!(") = {value}\n").as_bytes());
    line
}

fn plain_line(kind: Kind, value: &ChecksumValue, name: &[u8], unnamed: bool) -> Vec<u8> {
    if kind == Kind::Sum {
        // As coreutils: no name for standard input that was not named, and none is escaped.
        let mut line = value.to_string().into_bytes();
        if !unnamed {
            line.push(b' ');
            line.extend_from_slice(name);
        }
        line.push(b'\n');
        return line;
    }
    let (mark, name) = name::escaped(name);
    let mut line = format!("{mark}{value}  ").into_bytes();
    line.extend_from_slice(&name);
    line.push(b'\n');
    line
}

/// Digests of one file, read once.
fn digests(file: &Path, kinds: &[Kind]) -> std::io::Result<Vec<ChecksumValue>> {
    let mut sums: Vec<Checksum> = kinds.iter().map(|&kind| Checksum::new(kind)).collect();
    let mut take = |reader: &mut dyn Read| -> std::io::Result<()> {
        let mut buffer = vec![0; 1 << 18];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => sums.iter_mut().for_each(|sum| sum.update(&buffer[..count])),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    };
    if file == Path::new("-") {
        take(&mut std::io::stdin().lock())
            .map_err(|error| std::io::Error::new(error.kind(), format!("standard input: {error}")))?;
    } else {
        take(&mut fs_err::File::open(file)?)?;
    }
    Ok(sums.into_iter().map(Checksum::finish).collect())
}
