//! What is kept as one stream on standard output: files one behind the other, so that lines stay lines.

use anyhow::{Result, ensure};
use onefold_formats::compress::{Compression, Decoder, Encoder};
use onefold_formats::inputs::paths_of;
use onefold_formats::source::{Format, OpenFile};
use onefold_run::{InputRecord, Manifest};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Prints what is kept, in the order of the input. Lines of two files do not become one.
pub(super) fn print_kept(manifest: &Manifest, folder: &Path) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let mut ends_in_line = true;
    let mut before: Option<(&InputRecord, PathBuf)> = None;
    for input in parts(&manifest.inputs) {
        let Some(path) = paths_of(&input.output).map(|name| folder.join(name)).find(|path| path.exists())
        else {
            ensure!(input.kept == 0, "{}: what was kept of it is not there", input.source);
            continue;
        };
        let mut file = fs_err::File::open(&path)?;
        if file.metadata()?.len() == 0 {
            continue;
        }
        // Asked for where something follows alone: of what is compressed, it takes a reading.
        if let Some((before, path)) = &before {
            ends_in_line = ends_in_line_of(before, path)?.unwrap_or(ends_in_line);
        }
        if !ends_in_line {
            let mut end = Encoder::new(&mut out, input.compression)?;
            end.write_all(b"\n")?;
            end.finish()?;
            ends_in_line = true;
        }
        let may_be_marked = before.is_some() && input.format == Format::Jsonl;
        if !may_be_marked || !print_without_mark(&path, input.compression, &mut out)? {
            std::io::copy(&mut file, &mut out)?;
        }
        before = Some((input, path));
    }
    Ok(out.flush()?)
}

/// The inputs that the stream is of: the first with documents, and those that it goes on with. Others hold none, for else
/// there would be no stream.
fn parts(inputs: &[InputRecord]) -> impl Iterator<Item = &InputRecord> {
    let first = inputs.iter().position(|input| input.read > input.bad).unwrap_or(0);
    inputs
        .iter()
        .enumerate()
        .filter(move |&(at, input)| {
            let (first_kind, kind) = [&inputs[first], input].map(|i| (i.format, i.compression)).into();
            at == first || kind == first_kind && !input.format.is_table()
        })
        .map(|(_, input)| input)
}

/// Whether what is kept of an input ends with a line end; `None` of nothing.
fn ends_in_line_of(input: &InputRecord, path: &Path) -> Result<Option<bool>> {
    // A record of an archive ends as it should.
    if matches!(input.format, Format::Warc | Format::Arc) {
        return Ok(Some(true));
    }
    let file = OpenFile::open(path)?;
    if input.compression == Compression::None {
        file.seek_to(file.file().metadata()?.len().saturating_sub(1))?;
    }
    let mut decoder = Decoder::new(file, input.compression)?;
    let (mut buffer, mut last) = ([0; 1 << 14], None);
    loop {
        match decoder.read(&mut buffer) {
            Ok(0) => return Ok(last.map(|last| last == b'\n')),
            Ok(count) => last = Some(buffer[count - 1]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Prints a file that starts with a byte order mark without it: within a stream it would be a part of a line. Says whether it was
/// such a file.
fn print_without_mark(path: &Path, compression: Compression, out: &mut impl Write) -> Result<bool> {
    let mut decoder = Decoder::new(OpenFile::open(path)?, compression)?;
    let mut start = Vec::new();
    decoder.by_ref().take(3).read_to_end(&mut start)?;
    if start != b"\xef\xbb\xbf" {
        return Ok(false);
    }
    let mut encoder = Encoder::new(out, compression)?;
    std::io::copy(&mut decoder, &mut encoder)?;
    encoder.finish()?;
    Ok(true)
}
