//! Where each symbol stands in a sequence, as rows of bits, 64 places a word.

use std::ops::Range;

/// Rows of a sequence for every symbol it has, in memory linear in its length however many symbols there are.
pub(super) struct Rows {
    words: usize,
    kept: Vec<Row>,
    /// Rows of common symbols, one after the other.
    whole: Vec<u64>,
    /// Words of rare symbols, and their place in the row; words without a bit are left out.
    parts: Vec<(usize, u64)>,
    /// Words of the row of a rare symbol, from these parts; the others are zero.
    row: Vec<u64>,
    laid_out: Range<usize>,
}

enum Row {
    /// From here on.
    Whole(usize),
    Parts(Range<usize>),
}

/// A symbol that is in one word of so many, or more, is common. There can be 64 times as many common symbols, whose rows
/// take 32 bytes for each place of the sequence.
const COMMON: usize = 4;

impl Rows {
    /// The rows of `sequence`, and the symbols of `other` as numbers of rows.
    pub(super) fn new<T: Ord>(sequence: &[T], other: &[T]) -> (Self, Vec<Option<usize>>) {
        let mut places: Vec<usize> = (0..sequence.len()).collect();
        places.sort_unstable_by(|&a, &b| sequence[a].cmp(&sequence[b]).then(a.cmp(&b)));
        let words = sequence.len().div_ceil(64);
        let (row, laid_out) = (vec![0; words], 0..0);
        let mut rows = Rows { words, kept: Vec::new(), whole: Vec::new(), parts: Vec::new(), row, laid_out };
        let mut symbols = Vec::new();
        for run in places.chunk_by(|&a, &b| sequence[a] == sequence[b]) {
            symbols.push(&sequence[run[0]]);
            rows.keep(run);
        }
        let numbers = other.iter().map(|symbol| symbols.binary_search(&symbol).ok()).collect();
        (rows, numbers)
    }

    /// Keeps the row of a symbol that stands at these places.
    fn keep(&mut self, places: &[usize]) {
        let start = self.parts.len();
        let part = |run: &[usize]| (run[0] / 64, run.iter().fold(0, |bits, place| bits | 1 << (place % 64)));
        self.parts.extend(places.chunk_by(|a, b| a / 64 == b / 64).map(part));
        if (self.parts.len() - start) * COMMON < self.words {
            self.kept.push(Row::Parts(start..self.parts.len()));
            return;
        }
        let from = self.whole.len();
        self.whole.resize(from + self.words, 0);
        for (word, bits) in self.parts.drain(start..) {
            self.whole[from + word] = bits;
        }
        self.kept.push(Row::Whole(from));
    }

    /// Words of the row of a symbol, all zeros for one the sequence does not have. Costs no more than the words asked
    /// for.
    pub(super) fn of(&mut self, symbol: Option<usize>, words: Range<usize>) -> &[u64] {
        for &(word, _) in &self.parts[std::mem::take(&mut self.laid_out)] {
            self.row[word] = 0;
        }
        match symbol.map(|symbol| &self.kept[symbol]) {
            Some(&Row::Whole(from)) => return &self.whole[from + words.start..from + words.end],
            Some(Row::Parts(parts)) => {
                let before = self.parts[parts.clone()].partition_point(|&(word, _)| word < words.start);
                let within = self.parts[parts.start + before..parts.end].iter();
                let mut next = parts.start + before;
                for &(word, bits) in within.take_while(|&&(word, _)| word < words.end) {
                    self.row[word] = bits;
                    next += 1;
                }
                self.laid_out = parts.start + before..next;
            }
            None => {}
        }
        &self.row[words]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_places_of_its_symbol() {
        // Common symbols, and rare ones: `x` stands in two words of many.
        let text: String = ["abracadabra".repeat(40), "x".into(), "bcd".repeat(100), "xx".into()].concat();
        let text: Vec<char> = text.chars().collect();
        let asked: Vec<char> = "aazrxxbxza".chars().collect();
        let (mut rows, numbers) = Rows::new(&text, &asked);
        let words = text.len().div_ceil(64);
        for (symbol, number) in asked.iter().zip(numbers) {
            let part = rows.of(number, 6..9).to_vec();
            let row = rows.of(number, 0..words);
            assert_eq!(part, row[6..9]);
            for (place, at) in text.iter().enumerate() {
                assert_eq!(row[place / 64] >> (place % 64) & 1 == 1, at == symbol, "{symbol} {place}");
            }
        }
        assert!(matches!((&rows.kept[0], &rows.kept[5]), (Row::Whole(_), Row::Parts(_))));
    }
}
