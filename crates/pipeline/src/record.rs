//! What a piece keeps of each document's sketches, one behind the other: what candidates are told apart by without
//! reading the documents again.
//!
//! ```text
//! signature    each MinHash value, cut to 8, 16, 32 or 64 bits
//! fingerprint  4, 8 or 16 bytes
//! set          number of distinct shingles (4 bytes) and their parity bitmap (128 bytes)
//! group        hash of the group a document is compared within (8 bytes)
//! tokens       number of tokens (4 bytes)
//! urls         hashes of URLs and rank of the date (24 or 32 bytes), see `urls`
//! ```

use crate::urls::UrlMarks;
use onefold_detect::measure::estimate::ValueBits;
use onefold_run::{Neighbours, Plan, Within};

/// Bytes of a parity bitmap.
pub(crate) const BITMAP_BYTES: usize = 128;
const SET_BYTES: usize = 4 + BITMAP_BYTES;

/// Which parts there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    signature: usize,
    fingerprint: usize,
    set: usize,
    group: usize,
    tokens: usize,
    urls: usize,
}

impl Layout {
    pub(crate) fn of(plan: &Plan) -> Self {
        let when = |wanted: bool, bytes: usize| if wanted { bytes } else { 0 };
        let rotates = plan.method == onefold_run::Method::Simhash
            && matches!(plan.simhash.neighbours, Neighbours::Rotate(_));
        Layout {
            signature: when(
                plan.method.has_signature(),
                plan.signature * plan.signature_bits.count() as usize / 8,
            ),
            fingerprint: when(plan.method.has_fingerprint(), plan.simhash.bits.count() as usize / 8),
            set: when(plan.counts_shingles(), SET_BYTES),
            group: when((rotates || plan.urls.is_some()) && plan.within != Within::All, 8),
            tokens: 0,
            urls: UrlMarks::bytes(plan),
        }
    }

    /// The layout for a listing of fingerprints, which tells the number of tokens too.
    pub(crate) fn with_tokens(self) -> Self {
        Layout { tokens: 4, ..self }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.urls_at() + self.urls
    }

    fn urls_at(&self) -> usize {
        self.signature + self.fingerprint + self.set + self.group + self.tokens
    }

    pub(crate) fn has_signature(&self) -> bool {
        self.signature > 0
    }

    pub(crate) fn has_fingerprint(&self) -> bool {
        self.fingerprint > 0
    }

    pub(crate) fn has_set(&self) -> bool {
        self.set > 0
    }

    pub(crate) fn has_group(&self) -> bool {
        self.group > 0
    }

    pub(crate) fn has_urls(&self) -> bool {
        self.urls > 0
    }

    pub(crate) fn has_tokens(&self) -> bool {
        self.tokens > 0
    }

    pub(crate) fn signature<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        &record[..self.signature]
    }

    pub(crate) fn fingerprint(&self, record: &[u8]) -> u128 {
        let mut bytes = [0; 16];
        bytes[..self.fingerprint].copy_from_slice(&record[self.signature..][..self.fingerprint]);
        u128::from_le_bytes(bytes)
    }

    fn set_at(&self) -> usize {
        self.signature + self.fingerprint
    }

    pub(crate) fn set_len(&self, record: &[u8]) -> u32 {
        number(&record[self.set_at()..][..4]) as u32
    }

    pub(crate) fn bitmap<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        &record[self.set_at() + 4..][..BITMAP_BYTES]
    }

    pub(crate) fn group(&self, record: &[u8]) -> u64 {
        number(&record[self.set_at() + self.set..][..self.group])
    }

    pub(crate) fn tokens(&self, record: &[u8]) -> u32 {
        number(&record[self.set_at() + self.set + self.group..][..self.tokens]) as u32
    }

    pub(crate) fn urls(&self, record: &[u8]) -> UrlMarks {
        UrlMarks::read(&record[self.urls_at()..][..self.urls])
    }

    pub(crate) fn put_urls(&self, record: &mut [u8], marks: &UrlMarks) {
        let at = self.urls_at();
        marks.write(&mut record[at..at + self.urls]);
    }

    /// Writes a signature, its values cut.
    pub(crate) fn put_signature(&self, record: &mut [u8], values: &[u64], bits: ValueBits) {
        match bits {
            ValueBits::B8 => {
                record.iter_mut().zip(values).for_each(|(byte, &value)| *byte = bits.cut(value) as u8);
            }
            _ => {
                let width = bits.count() as usize / 8;
                for (bytes, &value) in record[..self.signature].chunks_exact_mut(width).zip(values) {
                    bytes.copy_from_slice(&bits.cut(value).to_le_bytes()[..width]);
                }
            }
        }
    }

    pub(crate) fn put_fingerprint(&self, record: &mut [u8], fingerprint: u128) {
        record[self.signature..][..self.fingerprint]
            .copy_from_slice(&fingerprint.to_le_bytes()[..self.fingerprint]);
    }

    /// Writes the size and the parity bitmap of a set of shingles: bit i is the parity of the number of shingles
    /// that fall on it, so that two bitmaps differ in no more bits than their sets in shingles.
    pub(crate) fn put_set(&self, record: &mut [u8], hashes: &[u64]) {
        let at = self.set_at();
        record[at..at + 4].copy_from_slice(&(hashes.len() as u32).to_le_bytes());
        let bitmap = &mut record[at + 4..][..BITMAP_BYTES];
        bitmap.fill(0);
        for hash in hashes {
            let bit = *hash as usize % (BITMAP_BYTES * 8);
            bitmap[bit / 8] ^= 1 << (bit % 8);
        }
    }

    pub(crate) fn put_group(&self, record: &mut [u8], group: u64) {
        let at = self.set_at() + self.set;
        record[at..at + 8].copy_from_slice(&group.to_le_bytes());
    }

    pub(crate) fn put_tokens(&self, record: &mut [u8], tokens: u32) {
        let at = self.set_at() + self.set + self.group;
        record[at..at + 4].copy_from_slice(&tokens.to_le_bytes());
    }
}

fn number(bytes: &[u8]) -> u64 {
    let mut whole = [0; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(whole)
}

/// Bits in which two bitmaps differ: at most the number of shingles that only one of the sets has.
pub(crate) fn bitmap_distance(a: &[u8], b: &[u8]) -> u32 {
    let words = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    words.map(|(x, y)| (u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y)).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use onefold_run::Method;

    #[test]
    fn parts_do_not_touch_each_other() {
        let plan = Plan {
            method: Method::Combined,
            containment: Some(0.9),
            signature_bits: ValueBits::B16,
            signature: 8,
            ..Plan::default()
        };
        let layout = Layout::of(&plan).with_tokens();
        assert_eq!(layout.bytes(), 16 + 8 + SET_BYTES + 4);
        let mut record = vec![0; layout.bytes()];
        layout.put_tokens(&mut record, 7);
        layout.put_set(&mut record, &[1, 2, 3]);
        layout.put_fingerprint(&mut record, u128::from(u64::MAX));
        layout.put_signature(&mut record, &[0x1_2345; 8], ValueBits::B16);
        let cut = ValueBits::B16.cut(0x1_2345) as u16;
        assert_eq!(layout.signature(&record), cut.to_le_bytes().repeat(8));
        assert_eq!(layout.fingerprint(&record), u128::from(u64::MAX));
        assert_eq!((layout.set_len(&record), layout.tokens(&record)), (3, 7));
    }

    #[test]
    fn bitmaps_differ_in_no_more_bits_than_sets_in_shingles() {
        let layout = Layout { set: SET_BYTES, ..Layout::default() };
        let record = |hashes: &[u64]| {
            let mut record = vec![0; layout.bytes()];
            layout.put_set(&mut record, hashes);
            record
        };
        let (a, b) = (record(&[5, 9, 1029, 70]), record(&[9, 70, 3]));
        assert_eq!(bitmap_distance(layout.bitmap(&a), layout.bitmap(&b)), 1);
        assert_eq!(bitmap_distance(layout.bitmap(&a), layout.bitmap(&a)), 0);
    }
}
