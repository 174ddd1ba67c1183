//! Edit distances of sequences of any symbols, characters or word hashes.
//!
//! *Levenshtein*: the least number of insertions, deletions and replacements that make one of the other; by Myers'
//! bit vectors (1999), 64 cells of the table a word. *Indel*: insertions and deletions alone, m + n − 2·LCS with the longest
//! common subsequence from bit vectors (Hyyrö 2004).
//!
//! A distance of at most d leaves the diagonal of the table by at most d places, so only the words on that band are
//! computed: n·(d/64 + 2) steps of about a nanosecond for the longer length n, in memory linear in m + n. Without a bound,
//! bounds are tried from 64 on, doubled each time, which costs at most about three times that of the right one: texts
//! that are near are cheap however long they are, and two texts of a million symbols with nothing in common cost the whole
//! table, m·n/64 words, once or twice. Whoever cannot wait for that gives a bound.

use super::rows::Rows;

/// Levenshtein distance.
pub fn levenshtein<T: Ord>(a: &[T], b: &[T]) -> usize {
    doubling(a.len().max(b.len()), |max| levenshtein_within(a, b, max))
}

/// Levenshtein distance if it is at most `max`.
pub fn levenshtein_within<T: Ord>(a: &[T], b: &[T], max: usize) -> Option<usize> {
    let (a, b) = differing(a, b);
    bounded(a.len(), b.len(), max, a.len().max(b.len()), |band| replacements(a, b, band))
}

/// Distance by insertions and deletions alone.
pub fn indel<T: Ord>(a: &[T], b: &[T]) -> usize {
    doubling(a.len() + b.len(), |max| indel_within(a, b, max))
}

/// Distance by insertions and deletions alone if it is at most `max`.
pub fn indel_within<T: Ord>(a: &[T], b: &[T], max: usize) -> Option<usize> {
    let (a, b) = differing(a, b);
    bounded(a.len(), b.len(), max, a.len() + b.len(), |band| a.len() + b.len() - 2 * common(a, b, band))
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

/// Tries greater and greater bounds up to the greatest distance there can be.
fn doubling(greatest: usize, within: impl Fn(usize) -> Option<usize>) -> usize {
    let mut max = 64;
    loop {
        match within(max.min(greatest)) {
            Some(distance) => return distance,
            None if max >= greatest => return greatest,
            None => max *= 2,
        }
    }
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
}

impl Band {
    /// The words of the rows within reach in a column, of `words` in all.
    fn words(&self, column: usize, words: usize) -> std::ops::Range<usize> {
        column.saturating_sub(self.behind) / 64..((column + self.ahead) / 64 + 1).min(words)
    }
}

/// A distance no greater than `max`, by a computation that is right if the path stays on a band.
fn bounded(
    long: usize,
    short: usize,
    max: usize,
    greatest: usize,
    distance: impl Fn(Band) -> usize,
) -> Option<usize> {
    let max = max.min(greatest);
    if long - short > max {
        return None;
    }
    if short == 0 {
        return Some(long);
    }
    // With `long` as rows, deletions exceed insertions by long − short, and both together are at most max.
    let spare = (max - (long - short)) / 2;
    let found = distance(Band { ahead: long - short + spare, behind: spare });
    (found <= max).then_some(found)
}

/// Length of a longest common subsequence that stays on the band. A bit is 0 where the length grows from the row above.
fn common<T: Ord>(a: &[T], b: &[T], band: Band) -> usize {
    let (mut rows, symbols) = Rows::new(a, b);
    let words = a.len().div_ceil(64);
    let mut state = vec![u64::MAX; words];
    for (column, symbol) in symbols.into_iter().enumerate() {
        // Words off the band stay as they are, as if their row had no match: no carry begins below the band, and one
        // that leaves it above would pass over ones.
        let range = band.words(column, words);
        let row = rows.of(symbol, range.clone());
        let mut carry = false;
        for (word, &matches) in state[range].iter_mut().zip(row) {
            let update = *word & matches;
            let (sum, first) = word.overflowing_add(update);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first | second;
            *word = sum | (*word & !matches);
        }
    }
    // Rows behind the last never match, and so stay 1.
    state.iter().map(|word| word.count_zeros() as usize).sum()
}

/// Least number of edits by a path that stays on the band. Bits of `plus` and `minus` tell where the distance grows or
/// falls by one from the row above.
fn replacements<T: Ord>(a: &[T], b: &[T], band: Band) -> usize {
    let (mut rows, symbols) = Rows::new(a, b);
    let words = a.len().div_ceil(64);
    let last_bit = 1u64 << ((a.len() - 1) % 64);
    let bottom = |word: usize| if word + 1 == words { last_bit } else { 1 << 63 };
    let (mut plus, mut minus) = (vec![u64::MAX; words], vec![0u64; words]);
    // The distance in the last row of the band, which first is the number of rows.
    let mut reached = 0;
    let mut distance = 0usize;
    for (column, symbol) in symbols.into_iter().enumerate() {
        let range = band.words(column, words);
        // A word that comes onto the band is reached by deletions from the one above it.
        while reached < range.end {
            distance += bottom(reached).trailing_zeros() as usize + 1;
            reached += 1;
        }
        let row = rows.of(symbol, range.clone());
        // The row above the band is reached by insertions.
        let (mut grows, mut falls) = (1u64, 0u64);
        for (word, &matches) in range.clone().zip(row) {
            let (pv, mv) = (plus[word], minus[word]);
            let vertical = matches | mv;
            let matches = matches | falls;
            let diagonal = ((matches & pv).wrapping_add(pv) ^ pv) | matches;
            let ph = mv | !(diagonal | pv);
            let mh = pv & diagonal;
            let bottom = bottom(word);
            let (grown, fallen) = (u64::from(ph & bottom != 0), u64::from(mh & bottom != 0));
            if word + 1 == range.end {
                distance = distance + grown as usize - fallen as usize;
            }
            let (ph, mh) = (ph << 1 | grows, mh << 1 | falls);
            plus[word] = mh | !(vertical | ph);
            minus[word] = ph & vertical;
            (grows, falls) = (grown, fallen);
        }
    }
    distance
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
