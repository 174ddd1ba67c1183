//! A record again, by its address.

use crate::compress::{MemberError, MemberInflater};
use crate::error::Error;
use crate::source::{Layout, OpenFile, Source};
use std::os::unix::fs::FileExt;

/// Reads records of one source out of order. Only for layouts whose addresses are in the file.
pub struct Fetcher {
    file: OpenFile,
    source: Source,
    inflater: Option<MemberInflater>,
    compressed: Vec<u8>,
    /// Always at its full length, so that it is zeroed once and not for every record.
    inflated: Vec<u8>,
}

impl Fetcher {
    /// Opens a source; `None` if its records cannot be reached by address.
    pub fn open(source: &Source) -> Result<Option<Self>, Error> {
        let inflater = match source.layout {
            Layout::Plain => None,
            Layout::Members => Some(MemberInflater::default()),
            Layout::Stream | Layout::Rows => return Ok(None),
        };
        Ok(Some(Fetcher {
            file: source.open()?,
            source: source.clone(),
            inflater,
            compressed: Vec::new(),
            inflated: Vec::new(),
        }))
    }

    /// Reads the record at an address into `bytes`, decompressed.
    pub fn fetch(&mut self, offset: u64, length: u64, bytes: &mut Vec<u8>) -> Result<(), Error> {
        let Some(inflater) = &mut self.inflater else {
            bytes.resize(length as usize, 0);
            return self
                .file
                .file()
                .file()
                .read_exact_at(bytes, offset)
                .map_err(|error| self.source.io(error, offset));
        };
        self.compressed.resize(length as usize, 0);
        self.file
            .file()
            .file()
            .read_exact_at(&mut self.compressed, offset)
            .map_err(|error| self.source.io(error, offset))?;
        if self.inflated.is_empty() {
            self.inflated.resize(1 << 16, 0);
        }
        loop {
            match inflater.inflate(&self.compressed, &mut self.inflated) {
                Ok((_, filled)) => {
                    bytes.clear();
                    bytes.extend_from_slice(&self.inflated[..filled]);
                    return Ok(());
                }
                Err(MemberError::NoSpace) => self.inflated.resize(self.inflated.len() * 2, 0),
                Err(MemberError::BadData) => {
                    return Err(Error::Changed { path: self.source.path.clone(), offset });
                }
            }
        }
    }
}

impl Source {
    fn io(&self, error: std::io::Error, offset: u64) -> Error {
        if error.kind() == std::io::ErrorKind::UnexpectedEof {
            return Error::Changed { path: self.path.clone(), offset };
        }
        std::io::Error::new(error.kind(), format!("{}: {error}", self.path.display())).into()
    }
}
