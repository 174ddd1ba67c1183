//! Where each symbol stands in a sequence, as rows of bits, 64 places a word.

use std::ops::Range;

/// Rows of a sequence for every symbol it has, in memory linear in its length however many symbols there are.
pub(super) struct Rows {
    /// Entries of each symbol, from one start to the next.
    starts: Vec<usize>,
    /// Word and its bits; words without a bit are left out.
    entries: Vec<(usize, u64)>,
    /// Words of one row, from these entries; the others are zero.
    row: Vec<u64>,
    laid_out: Range<usize>,
}

impl Rows {
    /// The rows of `sequence`, and the symbols of `other` as numbers of rows.
    pub(super) fn new<T: Ord>(sequence: &[T], other: &[T]) -> (Self, Vec<Option<usize>>) {
        let mut places: Vec<usize> = (0..sequence.len()).collect();
        places.sort_unstable_by(|&a, &b| sequence[a].cmp(&sequence[b]).then(a.cmp(&b)));
        let (mut starts, mut symbols, mut entries) = (Vec::new(), Vec::new(), Vec::<(usize, u64)>::new());
        for run in places.chunk_by(|&a, &b| sequence[a] == sequence[b]) {
            starts.push(entries.len());
            symbols.push(&sequence[run[0]]);
            for words in run.chunk_by(|a, b| a / 64 == b / 64) {
                entries.push((words[0] / 64, words.iter().fold(0, |bits, place| bits | 1 << (place % 64))));
            }
        }
        starts.push(entries.len());
        let numbers = other.iter().map(|symbol| symbols.binary_search(&symbol).ok()).collect();
        (Rows { starts, entries, row: vec![0; sequence.len().div_ceil(64)], laid_out: 0..0 }, numbers)
    }

    /// Words of the row of a symbol, all zeros for one the sequence does not have. Costs no more than the words asked for.
    pub(super) fn of(&mut self, symbol: Option<usize>, words: Range<usize>) -> &[u64] {
        for &(word, _) in &self.entries[std::mem::take(&mut self.laid_out)] {
            self.row[word] = 0;
        }
        if let Some(symbol) = symbol {
            let (start, end) = (self.starts[symbol], self.starts[symbol + 1]);
            let first = start + self.entries[start..end].partition_point(|&(word, _)| word < words.start);
            let mut next = first;
            while next < end && self.entries[next].0 < words.end {
                let (word, bits) = self.entries[next];
                self.row[word] = bits;
                next += 1;
            }
            self.laid_out = first..next;
        }
        &self.row[words]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_places_of_its_symbol() {
        let text: Vec<char> = "abracadabra".repeat(20).chars().collect();
        let asked: Vec<char> = "aazrab".chars().collect();
        let (mut rows, numbers) = Rows::new(&text, &asked);
        for (symbol, number) in asked.iter().zip(numbers) {
            let part = rows.of(number, 1..3);
            assert_eq!((part.len(), part[0]), (2, rows.of(number, 0..4)[1]));
            let row = rows.of(number, 0..4);
            for (place, at) in text.iter().enumerate() {
                assert_eq!(row[place / 64] >> (place % 64) & 1 == 1, at == symbol, "{symbol} {place}");
            }
        }
    }
}
