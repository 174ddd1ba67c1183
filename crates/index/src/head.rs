//! Keys of the documents that are in no segment yet, in memory.

use crate::row::Number;
use crate::section::Entry;
use crate::segment::Kind;
use onefold_detect::mix;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// No entry.
const NONE: u32 = u32::MAX;

/// Hash of a key that is one already, or is the beginning of a fingerprint.
#[derive(Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = mix::pair(key, self.0);
    }
}

/// Entries of one kind: chains through a list, the newest of each first.
#[derive(Default)]
struct List {
    /// The newest entry of each chain, and its length.
    newest: HashMap<u64, (u32, u32), BuildHasherDefault<Mixed>>,
    entries: Vec<(Entry, u32)>,
    /// Bits of a key that chains do not tell apart.
    shift: u32,
}

/// The mutable end of the tables.
#[derive(Default)]
pub(crate) struct Head {
    lists: BTreeMap<Kind, List>,
}

impl Head {
    /// Puts an entry in, and tells how many are now found by its key. Keys of a kind whose `shift` lowest bits differ
    /// are found together.
    pub(crate) fn add(&mut self, kind: Kind, shift: u32, (key, number): Entry) -> usize {
        let list = self.lists.entry(kind).or_insert_with(|| List { shift, ..List::default() });
        let (newest, count) = list.newest.entry(key >> list.shift).or_insert((NONE, 0));
        list.entries.push(((key, number), *newest));
        (*newest, *count) = (list.entries.len() as u32 - 1, *count + 1);
        *count as usize
    }

    /// How many entries are found by a key.
    #[inline]
    pub(crate) fn count(&self, kind: Kind, key: u64) -> usize {
        let chain = self.lists.get(&kind).and_then(|list| list.newest.get(&(key >> list.shift)));
        chain.map_or(0, |chain| chain.1 as usize)
    }

    /// Visits the entries that share their bits above the shift with `key`.
    #[inline]
    pub(crate) fn visit(&self, kind: Kind, key: u64, mut take: impl FnMut(u64, Number)) {
        let Some(list) = self.lists.get(&kind) else { return };
        let mut at = list.newest.get(&(key >> list.shift)).map_or(NONE, |chain| chain.0);
        while let Some(&((key, number), before)) = list.entries.get(at as usize) {
            take(key, number);
            at = before;
        }
    }

    /// The entries of a kind, sorted.
    pub(crate) fn sorted(&self, kind: Kind) -> Vec<Entry> {
        let list = self.lists.get(&kind).map_or(&[][..], |list| &list.entries);
        let mut entries: Vec<Entry> = list.iter().map(|&(entry, _)| entry).collect();
        entries.sort_unstable();
        entries.dedup();
        entries
    }

    /// The kinds that go into segments.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> + '_ {
        self.lists.keys().copied().filter(|kind| !kind.is_finer())
    }

    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Entries of all kinds.
    pub(crate) fn len(&self) -> usize {
        self.lists.values().map(|list| list.entries.len()).sum()
    }

    /// About how many bytes it holds.
    pub(crate) fn bytes(&self) -> u64 {
        self.lists
            .values()
            .map(|list| (list.entries.capacity() * 24 + list.newest.capacity() * 17) as u64)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_meet_by_their_leading_bits() {
        let mut head = Head::default();
        for (key, number) in [(0xab01, 1), (0xab02, 2), (0xac01, 3)] {
            head.add(Kind(16), 8, (key, number));
        }
        let mut found = Vec::new();
        head.visit(Kind(16), 0xab77, |key, number| found.push((key, number)));
        assert_eq!(found, [(0xab02, 2), (0xab01, 1)]);
        head.visit(Kind(17), 0xab77, |_, _| panic!("no such kind"));
        assert_eq!(head.sorted(Kind(16)), [(0xab01, 1), (0xab02, 2), (0xac01, 3)]);
    }
}
