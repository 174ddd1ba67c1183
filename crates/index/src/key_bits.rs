//! What the fingerprints of tables take: as they are, and in the code of Manku, Jain and Das Sarma (2007).

use crate::error::Error;
use crate::huffman::SYMBOLS;
use crate::index::Index;
use crate::section::{Census, leading};
use crate::segment::{Kind, Segment};
use serde::Serialize;

/// Bits of a fingerprint in a table of segments, on average, without the number of its document.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KeyBits {
    /// As it is.
    pub plain: f64,
    /// Coded, with its part of the directory of blocks, whether it is held so or not.
    pub coded: f64,
    /// What uniform fingerprints take at least: 64 − log₂ n + 1.44.
    pub bound: f64,
}

impl Index {
    /// What the fingerprints of tables take before and after coding; `None` if no segment has any.
    pub fn key_bits(&self) -> Result<Option<KeyBits>, Error> {
        let snapshot = self.inner.snapshot();
        let tables = self.inner.decider.permutations().map_or(0, crate::permuted::Permutations::len);
        let (mut entries, mut coded, mut bound) = (0, 0.0, 0.0);
        for segment in snapshot.keys.segments.iter() {
            for kind in (0..tables).map(Kind::table) {
                let count = segment.entries(kind);
                if count > 0 {
                    entries += count;
                    coded += coded_bits(segment, kind)? as f64;
                    bound += count as f64 * (64.0 - (count as f64).log2() + 1.44);
                }
            }
        }
        let each = |bits: f64| bits / entries as f64;
        Ok((entries > 0).then(|| KeyBits { plain: 64.0, coded: each(coded), bound: each(bound) }))
    }
}

/// Bits of the keys of a table in its code, each block's first key and place included.
fn coded_bits(segment: &Segment, kind: Kind) -> Result<u64, Error> {
    let (mut census, mut across) = (Census::default(), [0; SYMBOLS]);
    let mut last = None;
    for block in 0..segment.blocks(kind) {
        let mut is_first = true;
        segment.each(kind, block..block + 1, |(key, number)| {
            if let Some(last) = last.replace(key)
                && std::mem::take(&mut is_first)
            {
                across[leading(last ^ key) as usize] += 1;
            }
            is_first = false;
            census.count((key, number));
        })?;
    }
    Ok(census.coded_key_bits(&across) + segment.blocks(kind) as u64 * 128)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::folder::Folder;
    use crate::section::Coding;
    use onefold_detect::mix::pair;

    #[test]
    fn what_coding_takes_is_told_of_plain_tables_too() {
        let mut entries: Vec<(u64, u64)> = (0..40_000).map(|n| (pair(n, 1), n)).collect();
        entries.sort_unstable();
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::lock(folder.path(), None).unwrap();
        let mut told = Vec::new();
        for (number, coding) in [Coding::Plain, Coding::Coded].into_iter().enumerate() {
            let source = |take: &mut dyn FnMut((u64, u64))| {
                entries.iter().for_each(|&entry| take(entry));
                Ok(())
            };
            let segment =
                crate::segment::write(&folder, number as u64, coding, &[(Kind::table(0), &source)]).unwrap();
            told.push(coded_bits(&segment, Kind::table(0)).unwrap());
            if coding == Coding::Coded {
                // Sixteen bits a number, and bytes that blocks fill up.
                let written = segment.bytes_of(Kind::table(0)) * 8 - 40_000 * 16;
                let most = told[1] + segment.blocks(Kind::table(0)) as u64 * 8;
                assert!((told[1]..=most).contains(&written), "{written} {told:?}");
            }
        }
        assert_eq!(told[0], told[1]);
        let bound = 64.0 - 40_000f64.log2() + 1.44;
        assert!((told[0] as f64 / 40_000.0) < bound * 1.1);
    }
}
