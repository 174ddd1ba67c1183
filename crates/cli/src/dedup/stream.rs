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
    let mut out = crate::terminal::stdout();
    let mut ends_in_line = true;
    let mut before: Option<(Part<'_>, PathBuf)> = None;
    for part in parts(&manifest.inputs) {
        let Some(path) = paths_of(part.output).map(|name| folder.join(name)).find(|path| path.exists())
        else {
            ensure!(part.input.kept == 0, "{}: what was kept of it is not there", part.input.source);
            continue;
        };
        let mut file = fs_err::File::open(&path)?;
        if file.metadata()?.len() == 0 {
            continue;
        }
        // Asked for where something follows alone: of what is compressed, it takes a reading.
        if let Some((before, path)) = &before {
            ends_in_line = ends_in_line_of(*before, path)?.unwrap_or(ends_in_line);
        }
        if !ends_in_line {
            let mut end = Encoder::new(&mut out, part.compression)?;
            end.write_all(b"\n")?;
            end.finish()?;
            ends_in_line = true;
        }
        let may_be_marked = before.is_some() && part.format == Format::Jsonl;
        if !may_be_marked || !print_without_mark(&path, part.compression, &mut out)? {
            std::io::copy(&mut file, &mut out)?;
        }
        before = Some((part, path));
    }
    Ok(out.flush()?)
}

/// An input from which something may be kept.
#[derive(Clone, Copy)]
struct Part<'a> {
    input: &'a InputRecord,
    output: &'a str,
    format: Format,
    compression: Compression,
}

/// The inputs that the stream is of: the first with documents, and those of its kind. Others hold none, for else there would
/// be no stream.
fn parts(inputs: &[InputRecord]) -> Vec<Part<'_>> {
    let parts: Vec<Part<'_>> = inputs.iter().filter_map(part).collect();
    let first = parts.iter().position(|part| part.input.read > part.input.bad).unwrap_or(0);
    let is_of_stream = |&(at, part): &(usize, Part<'_>)| {
        let kinds = [parts[first], part].map(|part| (part.format, part.compression));
        at == first || (kinds[0] == kinds[1] && !part.format.is_table())
    };
    parts.iter().copied().enumerate().filter(is_of_stream).map(|(_, part)| part).collect()
}

fn part(input: &InputRecord) -> Option<Part<'_>> {
    let (format, compression) = (input.format?, input.compression?);
    Some(Part { input, output: input.output.as_deref()?, format, compression })
}

/// Whether what is kept of an input ends with a line end; `None` of nothing.
fn ends_in_line_of(part: Part<'_>, path: &Path) -> Result<Option<bool>> {
    // A record of an archive ends as it should.
    if matches!(part.format, Format::Warc | Format::Arc) {
        return Ok(Some(true));
    }
    let file = OpenFile::open(path)?;
    if part.compression == Compression::None {
        file.seek_to(file.file().metadata()?.len().saturating_sub(1))?;
    }
    let mut decoder = Decoder::new(file, part.compression)?;
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
