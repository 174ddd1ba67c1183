//! From head to segment, and from many segments to few.
//!
//! A full head becomes a segment. Once [`FAN`] segments are of a size, within a factor of [`FAN`], they are merged into
//! one, so that a key is written about log₄ n times and n documents are in about 3·log₄ n segments. When writers rest,
//! those are merged into one or two. A file counts from the commit on that names it in the store; before and after that it is a leftover, removed at the next opening.

use crate::decide::Keys;
use crate::error::Error;
use crate::finer::{LONG_RUN, long_runs};
use crate::head::Head;
use crate::index::{Index, Inner, Writer, lock};
use crate::row::Number;
use crate::section::Entry;
use crate::segment::{self, Cursor, Kind, Segment, Source};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};

/// Segments of a size that are merged.
const FAN: usize = 4;
/// At rest, segments are merged into a greater one as soon as together they are one in so many of it.
const REST_SHARE: u64 = 8;
/// At rest, a head that is this share of a full one is written as a segment.
const REST_HEAD: usize = 16;
/// Share of removed documents, one in so many, from which on all segments are merged.
const DEAD_SHARE: u64 = 4;

impl Index {
    /// Writes the head as a segment, merges all segments into one, and forgets what was removed.
    pub fn compact(&self) -> Result<(), Error> {
        let inner = &self.inner;
        self.wait_for_merge();
        let mut writer = lock(&inner.writer);
        if writer.broken {
            inner.recover(&mut writer)?;
        }
        inner.flush(&mut writer)?;
        let snapshot = inner.snapshot();
        let segments: Vec<Arc<Segment>> = snapshot.keys.segments.iter().cloned().collect();
        let dead = snapshot.view.dead()?;
        drop(snapshot);
        if segments.len() < 2 && dead.is_empty() {
            return Ok(());
        }
        let number = writer.segment;
        writer.segment += 1;
        let merged = inner.merge(&segments, number, &dead)?;
        inner.replace(&mut writer, &segments, merged, &dead)
    }

    /// Waits until no merge is under way.
    pub fn wait_for_merge(&self) {
        let merging = lock(&self.inner.merging).take();
        if let Some(merging) = merging {
            let _ = merging.join();
        }
    }

    /// Merges all if much was removed.
    pub(crate) fn tidy(&self) -> Result<(), Error> {
        let (dead, left) = {
            let snapshot = self.inner.snapshot();
            (snapshot.view.dead_count()?, snapshot.view.len()?)
        };
        if dead > 1_000 && dead * DEAD_SHARE > left { self.compact() } else { Ok(()) }
    }

    /// Merges segments of a size, here or in a thread.
    pub(crate) fn merge_if_due(&self) {
        self.merge_by(Inner::due);
    }

    /// Uses a pause in which nothing is added: fewer segments answer faster. A key is written at most about
    /// `REST_SHARE` times more for it, however often there is a pause.
    pub fn merge_at_rest(&self) {
        let inner = &self.inner;
        let mut writer = lock(&inner.writer);
        if !writer.broken && writer.waiting * REST_HEAD >= inner.decider.settings.head_documents {
            inner.settle(&mut writer);
        }
        drop(writer);
        self.merge_by(Inner::due_at_rest);
    }

    fn merge_by(&self, due: Due) {
        if !self.inner.options.background_merges {
            self.inner.merge_due(due);
            return;
        }
        let mut merging = lock(&self.inner.merging);
        if merging.as_ref().is_some_and(|thread| !thread.is_finished()) || due(&self.inner).is_none() {
            return;
        }
        if let Some(finished) = merging.take() {
            let _ = finished.join();
        }
        let inner = Arc::clone(&self.inner);
        *merging = Some(std::thread::spawn(move || inner.merge_due(due)));
    }
}

/// Says which segments are to be merged now, if any.
type Due = fn(&Inner) -> Option<Vec<Arc<Segment>>>;

impl Inner {
    /// Writes the head as a segment and notes if that fails; the head then goes on growing until it succeeds.
    pub(crate) fn settle(&self, writer: &mut Writer) {
        writer.trouble = self.flush(writer).err().map(|error| error.to_string());
        if writer.trouble.is_some() {
            // The store may have failed in the middle.
            let _ = self.recover(writer);
        }
    }

    /// Writes the head as a segment.
    pub(crate) fn flush(&self, writer: &mut Writer) -> Result<(), Error> {
        let snapshot = self.snapshot();
        let dead: BTreeSet<Number> = snapshot.view.dead()?.into_iter().collect();
        let sorted: Vec<(Kind, Vec<Entry>)> = {
            let head = snapshot.keys.head.read().unwrap_or_else(PoisonError::into_inner);
            let live = |kind| {
                let mut entries = head.sorted(kind);
                entries.retain(|(_, number)| !dead.contains(number));
                (kind, entries)
            };
            head.kinds().map(live).collect()
        };
        if sorted.iter().all(|(_, entries)| entries.is_empty()) {
            return Ok(());
        }
        let number = writer.segment;
        writer.segment += 1;
        let written = self.write_segment(number, sources_of(&sorted))?;
        let covered = writer.next;
        writer.store.write(true, |writing| {
            writing.set_segments(&[], number)?;
            writing.clear_promoted()?;
            writing.set_number("segment", number + 1)?;
            writing.set_number("covered", covered)
        })?;
        writer.unsynced = false;
        writer.waiting = 0;
        let mut segments: Vec<Arc<Segment>> = snapshot.keys.segments.iter().cloned().collect();
        segments.push(Arc::new(written));
        self.publish(
            writer,
            Keys { segments: Arc::new(segments), head: Arc::new(RwLock::new(Head::default())) },
        )
    }

    /// Segments of a size, if there are enough of them.
    fn due(&self) -> Option<Vec<Arc<Segment>>> {
        let segments = Arc::clone(&self.snapshot().keys.segments);
        let mut tiers: std::collections::BTreeMap<u32, Vec<Arc<Segment>>> = Default::default();
        for segment in segments.iter() {
            // ⌊log₄⌋ of the weight.
            tiers.entry(segment.weight().max(1).ilog2() / 2).or_default().push(Arc::clone(segment));
        }
        tiers.into_values().find(|tier| tier.len() >= FAN)
    }

    /// The smallest segments up to the last that those before it are worth being merged into.
    fn due_at_rest(&self) -> Option<Vec<Arc<Segment>>> {
        let mut segments: Vec<Arc<Segment>> = self.snapshot().keys.segments.iter().cloned().collect();
        segments.sort_by_key(|segment| segment.weight());
        let (mut smaller, mut most) = (0, 0);
        for (place, segment) in segments.iter().enumerate() {
            if place > 0 && smaller * REST_SHARE >= segment.weight() {
                most = place + 1;
            }
            smaller += segment.weight();
        }
        segments.truncate(most);
        (most > 1).then_some(segments)
    }

    fn merge_due(&self, due: Due) {
        while let Some(segments) = due(self) {
            if let Err(error) = self.merge_and_replace(&segments) {
                if !self.closing.load(Ordering::Relaxed) {
                    lock(&self.writer).trouble = Some(error.to_string());
                }
                return;
            }
        }
    }

    fn merge_and_replace(&self, segments: &[Arc<Segment>]) -> Result<(), Error> {
        let number = {
            let mut writer = lock(&self.writer);
            writer.segment += 1;
            writer.segment - 1
        };
        let dead = self.snapshot().view.dead()?;
        let merged = self.merge(segments, number, &dead)?;
        let mut writer = lock(&self.writer);
        if writer.broken {
            self.recover(&mut writer)?;
        }
        let replaced = self.replace(&mut writer, segments, merged, &[]);
        if replaced.is_err() {
            let _ = self.recover(&mut writer);
        }
        replaced
    }

    /// Merges segments into a new one, without the dead.
    fn merge(&self, segments: &[Arc<Segment>], number: u64, dead: &[Number]) -> Result<Segment, Error> {
        let kinds: BTreeSet<Kind> = segments.iter().flat_map(|segment| segment.kinds()).collect();
        let sources = kinds
            .into_iter()
            .filter(|kind| !kind.is_finer())
            .map(|kind| {
                let source: Box<Source<'_>> =
                    Box::new(move |take| self.merge_kind(segments, kind, dead, take));
                (kind, source)
            })
            .collect();
        self.write_segment(number, sources)
    }

    /// Writes a segment, with finer tables for the long runs of its tables.
    fn write_segment(&self, number: u64, sources: Vec<(Kind, Box<Source<'_>>)>) -> Result<Segment, Error> {
        let mut finer = Vec::new();
        if let Some(tables) = self.decider.permutations() {
            for table in 0..tables.len() {
                let source = sources.iter().find(|(kind, _)| *kind == Kind::table(table));
                if let Some((_, source)) = source.filter(|_| !tables.finer(table).is_empty()) {
                    finer.append(&mut long_runs(tables, table, LONG_RUN, |take| source(take))?);
                }
            }
        }
        let finer = sources_of(&finer);
        let first = sources.iter().map(|(kind, source)| (*kind, &**source as &Source<'_>));
        let sections: Vec<(Kind, &Source<'_>)> =
            first.chain(finer.iter().map(|(kind, source)| (*kind, &**source as &Source<'_>))).collect();
        segment::write(&self.folder, number, self.decider.settings.coding, &sections)
    }

    fn merge_kind(
        &self,
        segments: &[Arc<Segment>],
        kind: Kind,
        dead: &[Number],
        take: &mut dyn FnMut(Entry),
    ) -> Result<(), Error> {
        let mut cursors: Vec<Cursor<'_>> =
            segments.iter().filter_map(|segment| segment.cursor(kind)).collect();
        let mut heap = BinaryHeap::new();
        for (place, cursor) in cursors.iter_mut().enumerate() {
            heap.extend(cursor.peek()?.map(|entry| Reverse((entry, place))));
        }
        let mut last = None;
        let mut count = 0u32;
        while let Some(Reverse((entry, place))) = heap.pop() {
            let cursor = &mut cursors[place];
            cursor.take();
            heap.extend(cursor.peek()?.map(|next| Reverse((next, place))));
            if last != Some(entry) && dead.binary_search(&entry.1).is_err() {
                take(entry);
            }
            last = Some(entry);
            count = count.wrapping_add(1);
            if count.is_multiple_of(1 << 16) && self.closing.load(Ordering::Relaxed) {
                return Err(std::io::Error::from(std::io::ErrorKind::Interrupted).into());
            }
        }
        Ok(())
    }

    /// Lets a segment take the place of those it was merged from.
    fn replace(
        &self,
        writer: &mut Writer,
        old: &[Arc<Segment>],
        merged: Segment,
        dead: &[Number],
    ) -> Result<(), Error> {
        let gone: Vec<u64> = old.iter().map(|segment| segment.number).collect();
        let (number, next) = (merged.number, writer.segment);
        writer.store.write(true, |writing| {
            writing.set_segments(&gone, number)?;
            writing.clear_dead(dead)?;
            writing.set_number("segment", next)
        })?;
        writer.unsynced = false;
        let keys = self.snapshot().keys.clone();
        let mut segments: Vec<Arc<Segment>> =
            keys.segments.iter().filter(|segment| !gone.contains(&segment.number)).cloned().collect();
        segments.push(Arc::new(merged));
        self.publish(writer, Keys { segments: Arc::new(segments), head: keys.head })?;
        for number in gone {
            // Readers that still look at it have it open; a leftover is swept at the next opening.
            let _ = fs_err::remove_file(self.folder.segment_path(number));
        }
        Ok(())
    }
}

/// Lists as sources.
fn sources_of(lists: &[(Kind, Vec<Entry>)]) -> Vec<(Kind, Box<Source<'_>>)> {
    let source = |entries: &'_ Vec<Entry>, take: &mut dyn FnMut(Entry)| {
        entries.iter().for_each(|&entry| take(entry));
        Ok(())
    };
    lists
        .iter()
        .map(|(kind, entries)| {
            (*kind, Box::new(move |take: &mut dyn FnMut(Entry)| source(entries, take)) as Box<Source<'_>>)
        })
        .collect()
}
