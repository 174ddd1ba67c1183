//! Near fingerprints among the blocks of short runs, several blocks at a time.
//!
//! In a coded block each key depends on the one before it, and the place of its bits too, so that a processor waits for
//! most of the time that decoding takes. Blocks do not depend on each other: [`LANES`] of them, of different tables and
//! segments, are decoded in step.

use crate::bits::BitReader;
use crate::row::Number;
use crate::section::{BLOCK, Coding, Layout};

/// Bytes that memory hands over at a time.
const LINE: usize = 64;

/// Blocks decoded at a time.
const LANES: usize = 4;

/// Entries after which blocks decoded in step are asked whether they are done.
const PAUSE: usize = 16;

/// A block, and the permuted fingerprint that is looked for in it.
#[derive(Clone, Copy)]
pub(crate) struct Lane<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) bytes: &'a [u8],
    pub(crate) count: usize,
    pub(crate) first: u64,
    pub(crate) own: u64,
    /// The last key that counts.
    pub(crate) end: u64,
    /// The first entry that counts, where keys are plain.
    pub(crate) from: usize,
    /// The one behind the last.
    pub(crate) to: usize,
}

impl Lane<'_> {
    /// Where its keys are.
    fn keys(&self) -> &[u8] {
        match self.layout.coding {
            Coding::Plain => self.bytes.get(self.from * 8..self.to * 8),
            Coding::Coded => self.bytes.get(self.count * self.layout.width as usize / 8..),
        }
        .unwrap_or_default()
    }
}

/// A place in a lane.
struct Walk<'a> {
    lane: Lane<'a>,
    bits: BitReader<'a>,
    key: u64,
}

impl<'a> Walk<'a> {
    fn new(lane: Lane<'a>) -> Self {
        let bits = BitReader::from(lane.bytes, lane.count * lane.layout.width as usize);
        Walk { lane, bits, key: lane.first }
    }

    #[inline(always)]
    fn step(&mut self) {
        self.key ^= self.lane.layout.difference(&mut self.bits);
    }

    #[inline(always)]
    fn is_near<const K: u32>(&self) -> bool {
        at_most(self.key ^ self.lane.own, K)
    }

    fn hit(&self, at: usize) -> Hit {
        let number = self.lane.layout.place(self.lane.bytes, self.lane.count, at).number();
        Hit { number, distance: (self.key ^ self.lane.own).count_ones() }
    }
}

/// A fingerprint within the distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) number: Number,
    pub(crate) distance: u32,
}

/// Hands over the entries of all lanes that are within `k` bits, at most seven.
pub(crate) fn near(lanes: &[Lane<'_>], k: u32, take: impl FnMut(Hit)) {
    // The distance is part of the innermost loop, so each has its own.
    match k {
        0 => near_within::<0>(lanes, take),
        1 => near_within::<1>(lanes, take),
        2 => near_within::<2>(lanes, take),
        3 => near_within::<3>(lanes, take),
        4 => near_within::<4>(lanes, take),
        5 => near_within::<5>(lanes, take),
        6 => near_within::<6>(lanes, take),
        _ => near_within::<7>(lanes, take),
    }
}

fn near_within<const K: u32>(lanes: &[Lane<'_>], mut take: impl FnMut(Hit)) {
    // A look at each line of plain blocks and the first of coded ones before a key is read, so that the waits for memory
    // fall together.
    let mut sum = 0;
    for lane in lanes {
        let lines = lane.keys().iter().step_by(LINE);
        let most = if lane.layout.coding == Coding::Plain { usize::MAX } else { 1 };
        lines.take(most).for_each(|&byte| sum ^= byte);
    }
    std::hint::black_box(sum);
    let (groups, rest) = lanes.as_chunks::<LANES>();
    groups.iter().for_each(|group| near_in::<K>(group, &mut take));
    match rest {
        [first, second, ..] if first.layout.coding == Coding::Coded => {
            // What is short of a group is filled up: what is found twice counts once.
            let third = rest.get(2).unwrap_or(second);
            near_in::<K>(&[*first, *second, *third, *third], &mut take);
        }
        _ => rest.iter().for_each(|lane| alone::<K>(lane, &mut take)),
    }
}

fn near_in<const K: u32>(group: &[Lane<'_>; LANES], take: &mut impl FnMut(Hit)) {
    match group.iter().all(|lane| lane.layout.coding == Coding::Coded && lane.count == BLOCK) {
        true => together::<K>(group, take),
        false => group.iter().for_each(|lane| alone::<K>(lane, take)),
    }
}

/// Decodes whole blocks in step.
fn together<const K: u32>(group: &[Lane<'_>; LANES], take: &mut impl FnMut(Hit)) {
    let [mut a, mut b, mut c, mut d] = group.map(Walk::new);
    for at in 0..BLOCK {
        if a.is_near::<K>() | b.is_near::<K>() | c.is_near::<K>() | d.is_near::<K>() {
            for walk in [&a, &b, &c, &d].into_iter().filter(|walk| walk.is_near::<K>()) {
                take(walk.hit(at));
            }
        }
        a.step();
        b.step();
        c.step();
        d.step();
        // A run often ends long before its last block does.
        if at % PAUSE == PAUSE - 1 && [&a, &b, &c, &d].iter().all(|walk| walk.key > walk.lane.end) {
            return;
        }
    }
}

fn alone<const K: u32>(lane: &Lane<'_>, take: &mut impl FnMut(Hit)) {
    if lane.layout.coding == Coding::Plain {
        for (at, key) in (lane.from..).zip(lane.keys().as_chunks::<8>().0) {
            let difference = u64::from_le_bytes(*key) ^ lane.own;
            if at_most(difference, K) {
                let number = lane.layout.place(lane.bytes, lane.count, at).number();
                take(Hit { number, distance: difference.count_ones() });
            }
        }
        return;
    }
    let mut walk = Walk::new(*lane);
    for at in 0..lane.count {
        if walk.key > lane.end {
            break;
        }
        if walk.is_near::<K>() {
            take(walk.hit(at));
        }
        walk.step();
    }
}

/// Whether at most `k` bits are set: for few it takes less than counting them all.
#[inline(always)]
pub(crate) fn at_most(mut bits: u64, k: u32) -> bool {
    for _ in 0..k {
        bits &= bits.wrapping_sub(1);
    }
    bits == 0
}
