//! Records that cannot be reached by address, put where they can.
//!
//! A gzip of one member, a zstd or LZ4 stream and a Parquet file are read once more from the start, and the
//! records that will be compared are written one behind the other into a file of the working folder.

use crate::error::Error;
use crate::load::Context;
use crate::table::{DocId, Table};
use crate::workdir::Workdir;
use onefold_formats::Block;
use onefold_formats::reader::Progress;
use onefold_formats::source::Layout;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;

/// The spooled records of a run.
#[derive(Default)]
pub(crate) struct Spools {
    file: Option<fs_err::File>,
    /// Document, offset and length in the file, in order of documents.
    places: Vec<(DocId, u64, u32)>,
}

impl Spools {
    /// Spools those of `wanted`, in order, that need it and whose shingles are not held.
    pub(crate) fn for_shingles(
        context: &Context<'_>,
        table: &Table<'_>,
        wanted: &[DocId],
        workdir: &Workdir,
    ) -> Result<Self, Error> {
        if !context.recipe.holds_shingles {
            return Self::fill(context, table, wanted, workdir);
        }
        let wanted: Vec<DocId> =
            wanted.iter().copied().filter(|&document| table.held_shingles(document).is_none()).collect();
        Self::fill(context, table, &wanted, workdir)
    }

    /// Spools those of `wanted`, in order, that need it.
    pub(crate) fn fill(
        context: &Context<'_>,
        table: &Table<'_>,
        wanted: &[DocId],
        workdir: &Workdir,
    ) -> Result<Self, Error> {
        let mut spools = Spools::default();
        let mut writer: Option<(BufWriter<fs_err::File>, u64)> = None;
        for (index, source) in context.sources.iter().enumerate() {
            if matches!(source.layout, Layout::Plain | Layout::Members) {
                continue;
            }
            let documents = table.documents_of(index);
            let from = wanted.partition_point(|&document| document < documents.start);
            let to = wanted.partition_point(|&document| document < documents.end);
            if from == to {
                continue;
            }
            if writer.is_none() {
                let path = workdir.file("spool");
                let file = fs_err::OpenOptions::new()
                    .create(true)
                    .truncate(true)
                    .read(true)
                    .write(true)
                    .open(path)?;
                writer = Some((BufWriter::with_capacity(1 << 18, file), 0));
            }
            let (out, at) = writer.as_mut().expect("present because it was just made");
            let mut put = |document: DocId, bytes: &[u8]| -> Result<(), Error> {
                out.write_all(bytes)?;
                spools.places.push((document, *at, bytes.len() as u32));
                *at += bytes.len() as u64;
                Ok(())
            };
            spool_source(context, table, index, &wanted[from..to], &mut put)?;
        }
        if let Some((out, _)) = writer {
            spools.file = Some(out.into_inner().map_err(|error| error.into_error())?);
        }
        Ok(spools)
    }

    /// Reads a spooled record; false if it is not one.
    pub(crate) fn fetch(&self, document: DocId, bytes: &mut Vec<u8>) -> Result<bool, Error> {
        let Some(file) = &self.file else { return Ok(false) };
        let Ok(place) = self.places.binary_search_by_key(&document, |place| place.0) else {
            return Ok(false);
        };
        let (_, offset, length) = self.places[place];
        bytes.resize(length as usize, 0);
        file.file().read_exact_at(bytes, offset)?;
        Ok(true)
    }
}

/// Takes a record of a document.
type PutRecord<'a> = dyn FnMut(DocId, &[u8]) -> Result<(), Error> + 'a;

fn spool_source(
    context: &Context<'_>,
    table: &Table<'_>,
    index: usize,
    wanted: &[DocId],
    put: &mut PutRecord<'_>,
) -> Result<(), Error> {
    let (source, job) = (&context.sources[index], context.job);
    let mut reader = job.reader(source, (0, 0))?;
    let mut block = Block::default();
    let mut wanted = wanted.iter().copied().peekable();
    while wanted.peek().is_some()
        && reader.next_block(&mut block).map_err(|error| job.failed(error))? == Progress::Block
    {
        job.check()?;
        for frame in &block.frames {
            if let Some(document) = wanted.next_if(|&document| table.address(document).0 == frame.offset) {
                put(document, block.bytes_of(frame))?;
            }
        }
    }
    match wanted.next() {
        None => Ok(()),
        Some(document) => {
            let offset = table.address(document).0;
            Err(onefold_formats::Error::Changed { path: source.path.clone(), offset }.into())
        }
    }
}
