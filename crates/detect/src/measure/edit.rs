//! Edit distances of sequences of any symbols, characters or word hashes.
//!
//! *Levenshtein*: the least number of insertions, deletions and replacements that make one of the other; by Myers'
//! bit vectors (1999), 64 cells of the table a word. *Indel*: insertions and deletions alone, m + n − 2·LCS with the longest
//! common subsequence from bit vectors (Hyyrö 2004).
//!
//! A distance of at most d leaves the diagonal of the table by at most d places, so only the words on that band are
//! computed: n·(d/64 + 2) steps of a few nanoseconds for the shorter length n, in memory linear in m + n. Without a bound,
//! bounds are tried from 1024 on, each four times the one before: texts that are near are cheap however long they
//! are, while two of a million symbols with nothing in common cost the whole table, m·n/64 words. Whoever cannot wait
//! for that gives a bound: it ends as soon as what differs already rules it out.

use super::rows::Rows;

/// Levenshtein distance.
pub fn levenshtein<T: Ord>(a: &[T], b: &[T]) -> usize {
    Table::new(a, b).unbounded(a.len().max(b.len()), Table::replacements)
}

/// Levenshtein distance if it is at most `max`.
pub fn levenshtein_within<T: Ord>(a: &[T], b: &[T], max: usize) -> Option<usize> {
    let max = max.min(a.len().max(b.len()));
    if a.len().abs_diff(b.len()) > max {
        return None;
    }
    Some(Table::new(a, b).bounded(max, max, Table::replacements)).filter(|&distance| distance <= max)
}

/// Distance by insertions and deletions alone.
pub fn indel<T: Ord>(a: &[T], b: &[T]) -> usize {
    Table::new(a, b).unbounded(a.len() + b.len(), Table::indels)
}

/// Distance by insertions and deletions alone if it is at most `max`.
pub fn indel_within<T: Ord>(a: &[T], b: &[T], max: usize) -> Option<usize> {
    let max = max.min(a.len() + b.len());
    if a.len().abs_diff(b.len()) > max {
        return None;
    }
    Some(Table::new(a, b).bounded(max, max, Table::indels)).filter(|&distance| distance <= max)
}

/// 1 − Levenshtein / max(m, n): from 0 to 1, which two empty sequences have.
pub fn levenshtein_similarity<T: Ord>(a: &[T], b: &[T]) -> f64 {
    similarity(levenshtein(a, b), a.len().max(b.len()))
}

/// 1 − indel / (m + n): from 0 to 1, which two empty sequences have.
pub fn indel_similarity<T: Ord>(a: &[T], b: &[T]) -> f64 {
    similarity(indel(a, b), a.len() + b.len())
}

/// [`levenshtein_similarity`] if it reaches `threshold`.
pub fn levenshtein_reaching<T: Ord>(a: &[T], b: &[T], threshold: f64) -> Option<f64> {
    let whole = a.len().max(b.len());
    reaching(whole, threshold, |max| levenshtein_within(a, b, max))
}

/// [`indel_similarity`] if it reaches `threshold`.
pub fn indel_reaching<T: Ord>(a: &[T], b: &[T], threshold: f64) -> Option<f64> {
    let whole = a.len() + b.len();
    reaching(whole, threshold, |max| indel_within(a, b, max))
}

fn similarity(distance: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { 1.0 - distance as f64 / whole as f64 }
}

fn reaching(whole: usize, threshold: f64, within: impl Fn(usize) -> Option<usize>) -> Option<f64> {
    // One more for rounding: the division has the last word.
    let may_differ = ((1.0 - threshold) * whole as f64) as usize + 1;
    let found = similarity(within(may_differ.min(whole))?, whole);
    (found >= threshold).then_some(found)
}

/// The parts between the beginning and the end that two sequences have in common, the longer first.
fn differing<'a, T: Ord>(a: &'a [T], b: &'a [T]) -> (&'a [T], &'a [T]) {
    let (a, b) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let begin = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[begin..], &b[begin..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    (&a[..a.len() - end], &b[..b.len() - end])
}

/// The diagonals within reach: how far rows may run ahead of columns, and behind.
#[derive(Clone, Copy)]
struct Band {
    ahead: usize,
    behind: usize,
    /// The greatest distance that is of use. Once the rest cannot come below it, anything above it may be returned.
    give_up: usize,
}

impl Band {
    /// The words of the rows within reach in a column, of `words` in all.
    fn words(&self, column: usize, words: usize) -> std::ops::Range<usize> {
        column.saturating_sub(self.behind) / 64..((column + self.ahead) / 64 + 1).min(words)
    }
}

/// The first bound that is tried where none is given.
const FIRST_BOUND: usize = 1024;

/// What differs of two sequences: the longer as rows, the shorter as columns.
struct Table {
    rows: Rows,
    /// Symbols of the columns.
    symbols: Vec<Option<usize>>,
    len: usize,
}

impl Table {
    fn new<T: Ord>(a: &[T], b: &[T]) -> Self {
        let (long, short) = differing(a, b);
        let (rows, symbols) = Rows::new(long, short);
        Table { rows, symbols, len: long.len() }
    }

    /// A distance that is right if it is at most `max`, and else above `max`; then the cost of some path, if that is
    /// below `give_up`.
    fn bounded(&mut self, max: usize, give_up: usize, distance: impl Fn(&mut Table, Band) -> usize) -> usize {
        let more = self.len - self.symbols.len();
        if self.symbols.is_empty() {
            return self.len;
        }
        // Deletions exceed insertions by `more`, and both together are at most max.
        let spare = max.saturating_sub(more) / 2;
        distance(self, Band { ahead: more + spare, behind: spare, give_up })
    }

    /// The distance, which is at most `greatest`.
    fn unbounded(&mut self, greatest: usize, distance: impl Fn(&mut Table, Band) -> usize) -> usize {
        let mut max = FIRST_BOUND.max(self.len - self.symbols.len()).min(greatest);
        loop {
            // What is found on too narrow a band is the cost of some path, and so a bound that cannot fail.
            let found = self.bounded(max, usize::MAX, &distance);
            if found <= max {
                return found;
            }
            max = found.min(max * 4);
        }
    }

    /// Least number of insertions and deletions by a path that stays on the band: all but twice the longest common
    /// subsequence. A bit is 0 where the length of that grows from the row above.
    fn indels(&mut self, band: Band) -> usize {
        let mut state = vec![u64::MAX; self.len.div_ceil(64)];
        for (column, &symbol) in self.symbols.iter().enumerate() {
            // Words off the band stay as they are, as if their rows had no match: no carry begins below the band, and
            // one that leaves it above would pass over ones.
            let range = band.words(column, state.len());
            let row = self.rows.of(symbol, range.clone());
            let mut carry = false;
            for (word, &matches) in state[range].iter_mut().zip(row) {
                let (sum, first) = word.overflowing_add(*word & matches);
                let (sum, second) = sum.overflowing_add(u64::from(carry));
                carry = first | second;
                *word = sum | (*word & !matches);
            }
            if column % LOOK == LOOK - 1 {
                // At best all columns that are left match.
                let best = common(&state) + self.symbols.len() - column - 1;
                let least = (self.len + self.symbols.len()).saturating_sub(2 * best);
                if least > band.give_up {
                    return least;
                }
            }
        }
        // Rows behind the last never match, and so stay 1.
        self.len + self.symbols.len() - 2 * common(&state)
    }

    /// Least number of edits by a path that stays on the band. Bits tell where the distance grows, or falls, by one
    /// from the row above.
    fn replacements(&mut self, band: Band) -> usize {
        let words = self.len.div_ceil(64);
        let mut state = vec![(u64::MAX, 0u64); words];
        // The distance in the last row of the band, which is 0 above the first.
        let (mut distance, mut height) = (0, 0);
        for (column, &symbol) in self.symbols.iter().enumerate() {
            let range = band.words(column, words);
            // A word that comes onto the band is reached by deletions from the one above it.
            let bottom = (range.end * 64).min(self.len);
            distance += bottom - height;
            height = bottom;
            let row = self.rows.of(symbol, range.clone());
            // The row above the band is reached by insertions.
            let (mut grows, mut falls) = (1, 0);
            let (mut plus, mut minus) = (0, 0);
            for ((pv, mv), &matches) in state[range].iter_mut().zip(row) {
                let vertical = matches | *mv;
                let matches = matches | falls;
                let diagonal = ((matches & *pv).wrapping_add(*pv) ^ *pv) | matches;
                plus = *mv | !(diagonal | *pv);
                minus = *pv & diagonal;
                let (ph, mh) = (plus << 1 | grows, minus << 1 | falls);
                (grows, falls) = (plus >> 63, minus >> 63);
                *pv = mh | !(vertical | ph);
                *mv = ph & vertical;
            }
            let last = (bottom - 1) % 64;
            distance = distance + (plus >> last & 1) as usize - (minus >> last & 1) as usize;
            // Rows above are at most as many less as they lie above, and those off the diagonal that ends in the last
            // corner have as far to go back to it.
            let least = distance.saturating_sub(bottom - (column + 1 + self.len - self.symbols.len()));
            if least > band.give_up {
                return least;
            }
        }
        distance
    }
}

/// Columns between two looks at whether the bound can still be kept.
const LOOK: usize = 1024;

/// Length of the common subsequence that a state stands for.
fn common(state: &[u64]) -> usize {
    state.iter().map(|word| word.count_zeros() as usize).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The table of the definition: replacements cost `replace`, the rest 1.
    fn by_table(a: &[u8], b: &[u8], replace: usize) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let replaced = diagonal + if x == y { 0 } else { replace };
                diagonal = row[j + 1];
                row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
            }
        }
        row[b.len()]
    }

    #[test]
    fn worked_words() {
        let (kitten, sitting): (Vec<char>, Vec<char>) =
            ("kitten".chars().collect(), "sitting".chars().collect());
        assert_eq!(levenshtein(&kitten, &sitting), 3);
        assert_eq!(indel(&kitten, &sitting), 5);
        assert_eq!(levenshtein_similarity(&kitten, &sitting), 1.0 - 3.0 / 7.0);
        assert_eq!(indel_similarity(&kitten, &sitting), 1.0 - 5.0 / 13.0);
        assert_eq!(levenshtein_within(&kitten, &sitting, 2), None);
        assert_eq!(indel_within(&kitten, &sitting, 5), Some(5));
    }

    #[test]
    fn empty_and_equal_ones() {
        let none: [u64; 0] = [];
        assert_eq!((levenshtein(&none, &none), indel(&none, &none)), (0, 0));
        assert_eq!((levenshtein(&[1, 2], &none), indel(&none, &[1, 2])), (2, 2));
        assert_eq!((levenshtein_similarity(&none, &none), indel_similarity(&none, &[1])), (1.0, 0.0));
        assert_eq!(levenshtein_within(&[1u64; 500], &[1; 500], 0), Some(0));
        assert_eq!(indel_within(&[1u64, 2], &[2, 1], 1), None);
    }

    #[test]
    fn a_long_text_that_is_near_another_is_cheap() {
        let a: Vec<u64> = (0..1_000_000).map(|i| crate::mix::pair(i, 1) % 60).collect();
        let mut b = a.clone();
        for i in 0..50 {
            b[i * 20_000] = 99;
        }
        b.remove(999_990);
        assert_eq!(levenshtein(&a, &b), 51);
        assert_eq!(indel(&a, &b), 101);
    }

    #[test]
    fn a_bound_that_cannot_be_kept_is_given_up_and_one_that_can_is_not() {
        let draw = |seed: u64| (0..6000).map(|i| crate::mix::pair(i, seed) as u8 % 20).collect::<Vec<u8>>();
        // Alike in the second half alone, or the first.
        let (a, b) = (draw(1), [&draw(2)[..3000], &draw(1)[3000..]].concat());
        let c = [&draw(1)[..3000], &draw(2)[3000..]].concat();
        for (a, b) in [(&a, &b), (&a, &c), (&b, &c)] {
            let (with, without) = (by_table(a, b, 1), by_table(a, b, 2));
            for max in [with / 4, with - 1, with, with + 1, 2 * with] {
                assert_eq!(levenshtein_within(a, b, max), Some(with).filter(|&d| d <= max));
            }
            for max in [without / 4, without - 1, without, without + 1, 2 * without] {
                assert_eq!(indel_within(a, b, max), Some(without).filter(|&d| d <= max));
            }
        }
    }

    /// Two sequences, the second made from the first by some edits and some symbols of its own.
    fn pair() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
        let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..3u8, 0..8u8), 0..60);
        let ends = (prop::collection::vec(0..8u8, 0..90), prop::collection::vec(0..8u8, 0..90));
        (prop::collection::vec(0..8u8, 0..400), edits, ends).prop_map(|(a, edits, (head, tail))| {
            let mut b = a.clone();
            for (place, kind, symbol) in edits {
                if b.is_empty() {
                    break;
                }
                let place = place.index(b.len());
                match kind {
                    0 => b[place] = symbol,
                    1 => b.insert(place, symbol),
                    _ => {
                        b.remove(place);
                    }
                }
            }
            (a, if head.len() % 3 == 0 { [head, b, tail].concat() } else { b })
        })
    }

    proptest! {
        #[test]
        fn distances_are_those_of_the_table((a, b) in pair()) {
            prop_assert_eq!(levenshtein(&a, &b), by_table(&a, &b, 1));
            prop_assert_eq!(indel(&a, &b), by_table(&a, &b, 2));
        }

        #[test]
        fn a_bound_changes_nothing_but_what_is_beyond_it((a, b) in pair(), max in 0..300usize) {
            let (with, without) = (by_table(&a, &b, 1), by_table(&a, &b, 2));
            for max in [max, with, with.saturating_sub(1)] {
                prop_assert_eq!(levenshtein_within(&a, &b, max), Some(with).filter(|&d| d <= max));
            }
            for max in [max, without, without.saturating_sub(1), usize::MAX] {
                prop_assert_eq!(indel_within(&a, &b, max), Some(without).filter(|&d| d <= max));
            }
        }

        #[test]
        fn reaching_is_what_the_similarity_says((a, b) in pair(), threshold in 0.0f64..=1.0) {
            let (with, without) = (levenshtein_similarity(&a, &b), indel_similarity(&a, &b));
            for threshold in [threshold, with, without] {
                prop_assert_eq!(levenshtein_reaching(&a, &b, threshold), Some(with).filter(|&s| s >= threshold));
                prop_assert_eq!(indel_reaching(&a, &b, threshold), Some(without).filter(|&s| s >= threshold));
            }
        }
    }
}
