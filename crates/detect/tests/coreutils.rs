//! Checksums are those of the commands of the same name, where these are installed.

use onefold_detect::digest::checksum::{Checksum, Kind};
use std::io::Write;
use std::process::{Command, Stdio};

/// What a command prints of its standard input, or `None` if there is no such command.
fn printed(command: &str, input: &[u8]) -> Option<String> {
    let mut child = Command::new(command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take().expect("a pipe was asked for").write_all(input).expect("the command reads its input");
    let output = child.wait_with_output().expect("the command ends");
    Some(String::from_utf8(output.stdout).expect("digits"))
}

#[test]
fn checksums_are_those_of_coreutils() {
    let bytes: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for (kind, command) in
        [(Kind::Sum, "sum"), (Kind::Md5, "md5sum"), (Kind::Sha1, "sha1sum"), (Kind::Sha256, "sha256sum")]
    {
        for len in [0, 1, 63, 64, 1024, 1025, 100_000] {
            let Some(theirs) = printed(command, &bytes[..len]) else { continue };
            let mut checksum = Checksum::new(kind);
            bytes[..len].chunks(1000).for_each(|piece| checksum.update(piece));
            let ours = checksum.finish().to_string();
            // A name of standard input may follow.
            assert_eq!(theirs.trim_end().trim_end_matches(" -").trim_end(), ours, "{command} of {len} bytes");
        }
    }
}
