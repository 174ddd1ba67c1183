//! Texts of documents, where the index was told to store them: so that what differs can be shown.
//!
//! `length` varint, then the text in UTF-8 as one zstd frame.

use crate::error::Error;
use crate::index::{Index, lock};
use crate::row::{Damaged, Number, Reader, put_varint};
use crate::sketch::{Answer, Sketch};
use crate::write::Arrival;

/// Longest text that is taken for one.
const MOST_BYTES: u64 = 1 << 30;

/// A text as it is stored.
pub(crate) fn pack(text: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    put_varint(text.len() as u64, &mut bytes);
    bytes.append(&mut zstd::bulk::compress(text.as_bytes(), 3)?);
    Ok(bytes)
}

/// Reads what [`pack`] wrote.
pub(crate) fn unpack(bytes: &[u8]) -> Result<String, Damaged> {
    let mut reader = Reader::new(bytes);
    let length = reader.varint()?;
    if length > MOST_BYTES {
        return Err(Damaged);
    }
    let text = zstd::bulk::decompress(reader.rest(), length as usize).map_err(|_| Damaged)?;
    if text.len() as u64 != length {
        return Err(Damaged);
    }
    String::from_utf8(text).map_err(|_| Damaged)
}

impl Index {
    /// Has texts stored from now on.
    pub fn store_texts(&self) -> Result<(), Error> {
        let writer = lock(&self.inner.writer);
        writer.store.write(true, |writing| writing.set_about("texts", &[1]))?;
        self.inner.publish(&writer, self.inner.snapshot().keys.clone())
    }

    /// Whether texts are stored.
    pub fn stores_texts(&self) -> Result<bool, Error> {
        Ok(self.inner.snapshot().view.about("texts")?.is_some())
    }

    /// Adds documents as [`Index::add_batch`] does, with texts to be stored.
    pub fn add_texts(&self, documents: &[(Sketch, Option<String>)]) -> Result<Vec<Answer>, Error> {
        let arrivals = documents.iter().map(|(sketch, text)| {
            let text = text.as_deref().map(pack).transpose()?;
            Ok(Arrival::of(sketch, self.settings())?.with_text(text))
        });
        self.add_arrivals(&arrivals.collect::<Result<Vec<_>, Error>>()?)
    }

    /// The text of a document, where it is stored.
    pub fn text(&self, number: Number) -> Result<Option<String>, Error> {
        self.inner.snapshot().view.text(number, unpack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_comes_back(text in ".{0,300}") {
            prop_assert_eq!(unpack(&pack(&text).unwrap()).unwrap(), text);
        }

        #[test]
        fn any_bytes_are_a_text_or_damaged(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = unpack(&bytes);
        }
    }

    #[test]
    fn a_length_that_lies_is_damage() {
        let mut bytes = pack("some text").unwrap();
        bytes[0] += 1;
        assert_eq!(unpack(&bytes), Err(Damaged));
        bytes[0] = 2;
        assert_eq!(unpack(&bytes), Err(Damaged));
    }
}
