//! Whole corpora to files.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use fs_err::File;

use crate::corpus::{Corpus, Document, Generator, fill_names};
use crate::record::{Compression, Format, RecordWriter};
use crate::truth::Truth;
use crate::{Error, Script};

const BUFFER_BYTES: usize = 1 << 20;

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Documents.
    pub documents: u64,
    /// Bytes of text in them.
    pub text_bytes: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
}

/// Writes a corpus as JSON lines.
pub fn write_jsonl(corpus: &Corpus, path: impl AsRef<Path>) -> Result<Summary, Error> {
    write_file(corpus, path.as_ref(), Format::Jsonl, Compression::None)
}

/// Writes a corpus as WET.
pub fn write_wet(
    corpus: &Corpus,
    path: impl AsRef<Path>,
    compression: Compression,
) -> Result<Summary, Error> {
    write_file(corpus, path.as_ref(), Format::Wet, compression)
}

fn write_file(
    corpus: &Corpus,
    path: &Path,
    format: Format,
    compression: Compression,
) -> Result<Summary, Error> {
    let output = BufWriter::with_capacity(BUFFER_BYTES, File::create(path)?);
    Ok(write_corpus(corpus.generator()?, output, format, compression)?)
}

/// Writes every document of a generator, reusing one document's buffers.
pub fn write_corpus(
    mut generator: Generator,
    output: impl Write,
    format: Format,
    compression: Compression,
) -> io::Result<Summary> {
    let mut writer = RecordWriter::new(output, format, compression, generator.corpus().script)?;
    let mut summary = Summary { documents: generator.len(), ..Summary::default() };
    let mut document = Document::empty();
    for position in 0..generator.len() {
        generator.fill(position, &mut document);
        summary.text_bytes += document.text.len() as u64;
        writer.write(&document)?;
    }
    summary.file_bytes = writer.finish()?.1;
    Ok(summary)
}

/// Writes any documents, such as those of [`giant_bucket`](crate::giant_bucket).
pub fn write_documents(
    documents: impl IntoIterator<Item = Document>,
    path: impl AsRef<Path>,
    format: Format,
    compression: Compression,
) -> Result<Summary, Error> {
    let output = BufWriter::with_capacity(BUFFER_BYTES, File::create(path.as_ref())?);
    let mut writer = RecordWriter::new(output, format, compression, Script::Latin)?;
    let mut summary = Summary::default();
    for document in documents {
        summary.documents += 1;
        summary.text_bytes += document.text.len() as u64;
        writer.write(&document)?;
    }
    summary.file_bytes = writer.finish()?.1;
    Ok(summary)
}

/// Writes the truth of a corpus to a file; see [`write_truth`]. Gives the number of pairs.
pub fn write_truth_file(corpus: &Corpus, path: impl AsRef<Path>, format: Format) -> Result<u64, Error> {
    let output = BufWriter::with_capacity(BUFFER_BYTES, File::create(path.as_ref())?);
    Ok(write_truth(corpus.truth()?, output, format)?)
}

/// Writes planted pairs as lines of `idA idB jaccard kindA/kindB`, separated by tabs and without a header. The ids
/// are those a reader of the format sees, the smaller first in byte order; the kinds stay in the group's order.
pub fn write_truth(truth: Truth, mut output: impl Write, format: Format) -> io::Result<u64> {
    let (mut first, mut second) = (Document::empty(), Document::empty());
    let mut pairs = 0;
    for pair in truth {
        fill_names(pair.first, &mut first.id, &mut first.url);
        fill_names(pair.second, &mut second.id, &mut second.url);
        let (a, b) = (format.id_of(&first), format.id_of(&second));
        let (a, b) = (a.min(b), a.max(b));
        let (kind_a, kind_b) = (pair.kinds.0.name(), pair.kinds.1.name());
        writeln!(output, "{a}\t{b}\t{:.6}\t{kind_a}/{kind_b}", pair.jaccard)?;
        pairs += 1;
    }
    output.flush()?;
    Ok(pairs)
}
