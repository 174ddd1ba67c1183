//! What the store holds of a document, as bytes. All numbers are little-endian.
//!
//! Three values a document, so that a touch rewrites the smallest and a look-up reads only what it needs:
//!
//! ```text
//! state      first_seen u64 | last_seen u64 | relation u8 | keeper u64 | shared u32 | own u32 | of_keeper u32
//! document   digest u128 | flags u8 | fingerprint u64 | id, url, key: varint length and bytes | band keys u64 …
//! evidence   varint length and the values of the signature, cut to a byte | the shingle set, see `set`
//! ```
//!
//! `relation` is 0 for a keeper, 1 for an exact and 2 for a near member, 3 for a near member by estimate, whose `shared`
//! counts agreeing values of a signature of `own`, 4 for a near member by fingerprint, whose `shared` is the distance.
//! Flags: 1 empty, 2 has a fingerprint, 4 has a URL, 8 has a key.

use crate::set::{put_set, read_set};
use onefold_detect::digest::Digest;
use onefold_detect::measure::Overlap;

/// A document's place in the order of arrival, which is its rank. Never used twice.
pub type Number = u64;

/// Bytes that are not what they should be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Damaged;

/// What ties a member to its keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// Equal texts.
    Exact,
    /// Shingles counted.
    Near(Overlap),
    /// Values of the signatures that agree, of how many.
    Estimated {
        /// Values that agree.
        agree: u32,
        /// Values there are.
        of: u32,
    },
    /// Bits in which the fingerprints differ.
    Distance(u32),
}

/// What changes about a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) first_seen: u64,
    pub(crate) last_seen: u64,
    /// The keeper and the tie to it, unless it is one itself.
    pub(crate) member_of: Option<(Number, Tie)>,
}

impl State {
    pub(crate) const BYTES: usize = 37;

    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.first_seen.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.last_seen.to_le_bytes());
        if let Some((keeper, tie)) = self.member_of {
            let (relation, numbers) = match tie {
                Tie::Exact => (1, [0; 3]),
                Tie::Near(overlap) => (2, [overlap.shared, overlap.first, overlap.second]),
                Tie::Estimated { agree, of } => (3, [agree, of, 0]),
                Tie::Distance(bits) => (4, [bits, 0, 0]),
            };
            bytes[16] = relation;
            bytes[17..25].copy_from_slice(&keeper.to_le_bytes());
            for (slot, number) in bytes[25..].as_chunks_mut::<4>().0.iter_mut().zip(numbers) {
                *slot = number.to_le_bytes();
            }
        }
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Damaged> {
        if bytes.len() != Self::BYTES {
            return Err(Damaged);
        }
        let mut reader = Reader::new(bytes);
        let (first_seen, last_seen) = (reader.u64()?, reader.u64()?);
        let (relation, keeper) = (reader.u8()?, reader.u64()?);
        let numbers = [reader.u32()?, reader.u32()?, reader.u32()?];
        let tie = match relation {
            0 => None,
            1 => Some(Tie::Exact),
            2 => Some(Tie::Near(Overlap { shared: numbers[0], first: numbers[1], second: numbers[2] })),
            3 => Some(Tie::Estimated { agree: numbers[0], of: numbers[1] }),
            4 => Some(Tie::Distance(numbers[0])),
            _ => return Err(Damaged),
        };
        Ok(State { first_seen, last_seen, member_of: tie.map(|tie| (keeper, tie)) })
    }
}

/// What a document is called and found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) digest: Digest,
    pub(crate) empty: bool,
    pub(crate) fingerprint: Option<u64>,
    pub(crate) id: String,
    pub(crate) url: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) band_keys: Vec<u64>,
}

impl Document {
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.digest.0.to_le_bytes());
        let flag = |there: bool, bit: u8| if there { bit } else { 0 };
        out.push(
            flag(self.empty, 1)
                | flag(self.fingerprint.is_some(), 2)
                | flag(self.url.is_some(), 4)
                | flag(self.key.is_some(), 8),
        );
        out.extend_from_slice(&self.fingerprint.unwrap_or(0).to_le_bytes());
        for text in [Some(&self.id), self.url.as_ref(), self.key.as_ref()] {
            let bytes = text.map_or(&[][..], |text| text.as_bytes());
            put_varint(bytes.len() as u64, out);
            out.extend_from_slice(bytes);
        }
        self.band_keys.iter().for_each(|key| out.extend_from_slice(&key.to_le_bytes()));
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Damaged> {
        let mut reader = Reader::new(bytes);
        let digest = Digest(u128::from_le_bytes(reader.array()?));
        let (flags, fingerprint) = (reader.u8()?, reader.u64()?);
        let (id, url, key) = (reader.text()?, reader.text()?, reader.text()?);
        let (band_keys, []) = reader.rest().as_chunks::<8>() else { return Err(Damaged) };
        Ok(Document {
            digest,
            empty: flags & 1 != 0,
            fingerprint: (flags & 2 != 0).then_some(fingerprint),
            id,
            url: (flags & 4 != 0).then_some(url),
            key: (flags & 8 != 0).then_some(key),
            band_keys: band_keys.iter().map(|key| u64::from_le_bytes(*key)).collect(),
        })
    }
}

/// What a comparison needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Values of the signature, cut to a byte.
    pub(crate) signature: Vec<u8>,
    /// Sorted shingle hashes; empty where they are not stored.
    pub(crate) shingles: Vec<u64>,
}

impl Evidence {
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_varint(self.signature.len() as u64, out);
        out.extend_from_slice(&self.signature);
        put_set(&self.shingles, out);
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Damaged> {
        let mut reader = Reader::new(bytes);
        let len = reader.varint()?;
        let signature = reader.take(len)?.to_vec();
        Ok(Evidence { signature, shingles: read_set(&mut reader)? })
    }

    /// The signature alone, without reading the set.
    pub(crate) fn signature_of(bytes: &[u8]) -> Result<&[u8], Damaged> {
        let mut reader = Reader::new(bytes);
        let len = reader.varint()?;
        reader.take(len)
    }
}

/// Appends a number, seven bits a byte, the lowest first.
pub(crate) fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads bytes of which none is trusted.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    pub(crate) fn take(&mut self, len: u64) -> Result<&'a [u8], Damaged> {
        let len = usize::try_from(len).map_err(|_| Damaged)?;
        let (taken, rest) = self.0.split_at_checked(len).ok_or(Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or(Damaged)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Damaged> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Damaged> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Damaged> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn varint(&mut self) -> Result<u64, Damaged> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Damaged)
    }

    fn text(&mut self) -> Result<String, Damaged> {
        let len = self.varint()?;
        let bytes = self.take(len)?;
        std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| Damaged)
    }

    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn documents_come_back(id in ".*", url in proptest::option::of(".*"), digest in any::<u128>(), fingerprint in any::<Option<u64>>(), band_keys in any::<Vec<u64>>()) {
            let document = Document { digest: Digest(digest), empty: false, fingerprint, id, key: url.clone(), url, band_keys };
            let mut bytes = Vec::new();
            document.put(&mut bytes);
            prop_assert_eq!(Document::from_bytes(&bytes).unwrap(), document);
        }

        #[test]
        fn any_bytes_are_read_or_damaged(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = (Document::from_bytes(&bytes), Evidence::from_bytes(&bytes), State::from_bytes(&bytes));
        }
    }

    #[test]
    fn states_come_back() {
        let overlap = Overlap { shared: 8, first: 9, second: 10 };
        let ties = [Tie::Exact, Tie::Near(overlap), Tie::Estimated { agree: 7, of: 128 }, Tie::Distance(3)];
        for member_of in ties.map(|tie| Some((u64::MAX - 1, tie))).into_iter().chain([None]) {
            let state = State { first_seen: 5, last_seen: 6, member_of };
            assert_eq!(State::from_bytes(&state.to_bytes()), Ok(state));
        }
    }
}
