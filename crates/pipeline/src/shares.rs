//! Shares of components, where the buckets of all do not fit the memory together.

use crate::buckets::{Buckets, Gathered};
use crate::components::{Components, Matched};
use crate::error::Error;
use crate::exact::Representatives;
use crate::load::Context;
use crate::scan::lock;
use crate::table::{DocId, Table};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Bytes that buckets may take. What is made of them to decide takes up to three times as much again.
pub(crate) fn bucket_budget(context: &Context<'_>, table: &Table<'_>) -> u64 {
    context.shared_bytes(table.len()) / 16
}

/// What a bucket takes beside its documents, in units of four bytes: where it ends, and its component.
const BUCKET_UNITS: u32 = 4;

/// Components that are decided together.
pub(crate) enum Share<'b> {
    /// Some, with all their buckets.
    Whole(Components<'b>),
    /// One alone, whose buckets do not fit the budget.
    Giant(Giant<'b>),
}

impl Share<'_> {
    /// All its documents, in order.
    pub(crate) fn documents(&self) -> Cow<'_, [DocId]> {
        match self {
            Share::Whole(components) => components.documents().into(),
            Share::Giant(giant) => giant.documents.as_slice().into(),
        }
    }
}

/// How components are shared out.
#[derive(Default)]
pub(crate) struct Shares {
    /// The share of each component, by its first document; 0 is none.
    of_root: Vec<u32>,
    /// For each share from 1 on, whether it is one component that does not fit the budget by itself.
    giants: Vec<bool>,
}

impl Shares {
    pub(crate) fn find(
        matched: &Matched<'_>,
        context: &Context<'_>,
        table: &Table<'_>,
        representatives: &Representatives,
    ) -> Result<Self, Error> {
        // In units of four bytes, repeats included.
        let sizes = Mutex::new(vec![0u32; table.len()]);
        matched.each_bucket(context, table, representatives, |buckets| {
            let (mut unions, mut sizes) = (lock(&matched.unions), lock(&sizes));
            for bucket in buckets.iter() {
                let size = &mut sizes[unions.root(bucket[0]) as usize];
                *size = size.saturating_add(bucket.len() as u32 + BUCKET_UNITS);
            }
        })?;
        let sizes = sizes.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Shares::pack(sizes, bucket_budget(context, table)))
    }

    /// Fills shares with components in order, up to a budget; one that is larger has its own.
    fn pack(mut sizes: Vec<u32>, budget_bytes: u64) -> Self {
        let (mut giants, mut open) = (Vec::new(), (0, u64::MAX));
        for entry in sizes.iter_mut().filter(|size| **size > 0) {
            let bytes = u64::from(*entry) * 4;
            let is_giant = bytes > budget_bytes;
            let (share, filled) = open;
            if is_giant || filled.saturating_add(bytes) > budget_bytes {
                giants.push(is_giant);
                *entry = giants.len() as u32;
                if !is_giant {
                    open = (*entry, bytes);
                }
            } else {
                *entry = share;
                open = (share, filled + bytes);
            }
        }
        Shares { of_root: sizes, giants }
    }

    /// The number of each share, and whether it is one component that does not fit.
    pub(crate) fn each(&self) -> impl Iterator<Item = (u32, bool)> {
        (1..).zip(self.giants.iter().copied())
    }
}

/// Makes the buckets of a share anew.
pub(crate) struct Maker<'b> {
    pub(crate) matched: &'b Matched<'b>,
    pub(crate) context: &'b Context<'b>,
    pub(crate) table: &'b Table<'b>,
    pub(crate) representatives: &'b Representatives,
    pub(crate) share: u32,
}

impl Maker<'_> {
    /// The buckets of the share, of each the part that is wanted if that has two documents. None if they take more than
    /// so many bytes.
    fn buckets(
        &self,
        most_bytes: u64,
        part: impl Fn(&[DocId], &mut Vec<DocId>) + Sync,
    ) -> Result<Option<Buckets>, Error> {
        let gathered = Mutex::new(Some(Gathered::default()));
        self.matched.each_bucket(self.context, self.table, self.representatives, |buckets| {
            if lock(&gathered).is_none() {
                return;
            }
            let (mut mine, mut wanted) = (Buckets::default(), Vec::new());
            for bucket in self.of_share(&buckets) {
                wanted.clear();
                part(bucket, &mut wanted);
                if wanted.len() > 1 {
                    mine.push(&wanted);
                }
            }
            let mut gathered = lock(&gathered);
            if let Some(held) = &mut *gathered {
                held.add(&mine);
                if held.bytes() > most_bytes {
                    *gathered = None;
                }
            }
        })?;
        Ok(gathered.into_inner().unwrap_or_else(PoisonError::into_inner).map(Gathered::finish))
    }

    /// All buckets of the share.
    pub(crate) fn all(&self) -> Result<Buckets, Error> {
        Ok(self.buckets(u64::MAX, |bucket, part| part.extend_from_slice(bucket))?.unwrap_or_default())
    }

    fn of_share<'k>(&self, buckets: &'k Buckets) -> Vec<&'k [DocId]> {
        let (mut unions, of_root) = (lock(&self.matched.unions), &self.matched.shares.of_root);
        buckets.iter().filter(|bucket| of_root[unions.root(bucket[0]) as usize] == self.share).collect()
    }
}

/// A component whose buckets do not fit the budget: they are made anew for some of its documents at a time.
pub(crate) struct Giant<'b> {
    maker: Maker<'b>,
    /// Its documents, in order.
    pub(crate) documents: Vec<DocId>,
}

impl<'b> Giant<'b> {
    pub(crate) fn new(maker: Maker<'b>) -> Self {
        let (mut unions, of_root) = (lock(&maker.matched.unions), &maker.matched.shares.of_root);
        let all = 0..maker.table.len() as DocId;
        let documents = all.filter(|&document| of_root[unions.root(document) as usize] == maker.share);
        let documents = documents.collect();
        drop(unions);
        Giant { maker, documents }
    }

    /// Goes through `len` places in blocks. `part` leaves of a bucket what is to be known to decide a block; `decide` is
    /// handed the block and the buckets so left, each once. How places are cut into blocks depends on the budget, so what comes of it
    /// must not.
    pub(crate) fn each_block(
        &self,
        len: usize,
        part: impl Fn(&Range<usize>, &[DocId], &mut Vec<DocId>) + Sync,
        mut decide: impl FnMut(Range<usize>, &[&[DocId]]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let budget = bucket_budget(self.maker.context, self.maker.table);
        let (mut from, mut size) = (0, len.div_ceil(4).max(1));
        while from < len {
            let block = from..(from + size).min(len);
            // One place alone is decided whatever its buckets take.
            let most = if block.len() == 1 { u64::MAX } else { budget };
            let buckets = self.maker.buckets(most, |bucket, wanted| part(&block, bucket, wanted))?;
            let Some(buckets) = buckets else {
                size = block.len().div_ceil(2);
                continue;
            };
            size = if buckets.bytes() < budget / 3 { 2 * block.len() } else { block.len() };
            from = block.end;
            decide(block, &buckets.distinct())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_fit_the_budget_and_what_is_larger_is_alone() {
        let shares = Shares::pack(vec![0, 3, 4, 0, 30, 2, 9, 10, 0, 1], 40);
        assert_eq!(shares.of_root, [0, 1, 1, 0, 2, 1, 3, 4, 0, 5]);
        assert_eq!(shares.giants, [false, true, false, false, false]);
    }
}
