//! Near fingerprints among the blocks of short runs, several blocks at a time.
//!
//! In a coded block each key depends on the one before it, and the place of its bits too, so that a processor waits for
//! most of the time that decoding takes. Blocks do not depend on each other: [`LANES`] of them, of different tables and
//! segments, are decoded in step.

use crate::bits::BitReader;
use crate::row::Number;
use crate::section::{BLOCK, Coding, Layout};

/// Blocks decoded at a time.
const LANES: usize = 4;

/// A block, and the permuted fingerprint that is looked for in it.
#[derive(Clone, Copy)]
pub(crate) struct Lane<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) bytes: &'a [u8],
    pub(crate) count: usize,
    pub(crate) first: u64,
    pub(crate) own: u64,
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
    fn is_near(&self, k: u32) -> bool {
        at_most(self.key ^ self.lane.own, k)
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

/// Hands over the entries of all lanes that are within `k` bits.
pub(crate) fn near(lanes: &[Lane<'_>], k: u32, mut take: impl FnMut(Hit)) {
    let (groups, rest) = lanes.as_chunks::<LANES>();
    for group in groups {
        match group.iter().all(|lane| lane.layout.coding == Coding::Coded && lane.count == BLOCK) {
            true => together(group, k, &mut take),
            false => group.iter().for_each(|lane| alone(lane, k, &mut take)),
        }
    }
    rest.iter().for_each(|lane| alone(lane, k, &mut take));
}

/// Decodes whole blocks in step.
fn together(group: &[Lane<'_>; LANES], k: u32, take: &mut impl FnMut(Hit)) {
    let mut walks = group.map(Walk::new);
    for at in 0..BLOCK {
        for walk in &mut walks {
            if walk.is_near(k) {
                take(walk.hit(at));
            }
            walk.step();
        }
    }
}

fn alone(lane: &Lane<'_>, k: u32, take: &mut impl FnMut(Hit)) {
    if lane.layout.coding == Coding::Plain {
        let (keys, _) = lane.bytes.split_at_checked(lane.count * 8).unwrap_or_default();
        for (at, key) in keys.as_chunks::<8>().0.iter().enumerate() {
            let difference = u64::from_le_bytes(*key) ^ lane.own;
            if at_most(difference, k) {
                let number = lane.layout.place(lane.bytes, lane.count, at).number();
                take(Hit { number, distance: difference.count_ones() });
            }
        }
        return;
    }
    let mut walk = Walk::new(*lane);
    for at in 0..lane.count {
        if walk.is_near(k) {
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
