//! The model: how likely is a block content?
//!
//! Boosted trees over the integers of `features`, learned from pages with known content (`training/`). The file
//! `model.bin` is the whole of it, little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `ofcm` |
//! | 2, 2, 2 | version 1, number of features, number of trees |
//! | | for each tree: |
//! | 2 | number n of inner nodes |
//! | 8 n | feature, threshold, next if not greater, next if greater; a next below zero is leaf `-1 - next` |
//! | 2 (n + 1) | leaves: log-odds · 2048 |
//!
//! Only integers are added and compared, so the answer is the same on every machine.

use std::sync::LazyLock;

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    Model::read(include_bytes!("model.bin")).expect("the file is part of the program, and tested")
});

/// One is this many.
pub(super) const ONE: u32 = 1024;

/// 1024 / (1 + e^(−k/8)) for k from 0 to 64.
#[rustfmt::skip]
static LOGISTIC: [u32; 65] = [
    512, 544, 576, 607, 637, 667, 695, 723, 749, 773, 796, 817, 837, 856, 872, 888,
    902, 915, 926, 937, 946, 955, 962, 969, 975, 981, 986, 990, 994, 997, 1000, 1003,
    1006, 1008, 1010, 1011, 1013, 1014, 1015, 1016, 1017, 1018, 1019, 1019, 1020, 1020, 1021, 1021,
    1021, 1022, 1022, 1022, 1022, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1024, 1024, 1024,
    1024,
];

#[derive(Debug)]
struct Node {
    feature: u16,
    threshold: i16,
    next: [i16; 2],
}

struct Model {
    features: usize,
    nodes: Vec<Node>,
    leaves: Vec<i16>,
    /// Where each tree's nodes and leaves begin.
    trees: Vec<(usize, usize)>,
}

/// The log-odds that a block with this row is content, in units of 1/2048.
pub(super) fn log_odds(row: &[i16]) -> i32 {
    MODEL.log_odds(row).clamp(-MOST, MOST)
}

/// Surer than ten thousand to one nobody is.
const MOST: i32 = 18_842;

/// The likelihood of log-odds, in parts of `ONE`.
pub(super) fn logistic(log_odds: i32) -> u32 {
    // Steps of 1/8 are 256 units; between them a straight line.
    let (step, rest) = (log_odds.unsigned_abs() / 256, log_odds.unsigned_abs() % 256);
    let at = |step: u32| LOGISTIC[step.min(64) as usize];
    let above_half = (at(step) * (256 - rest) + at(step + 1) * rest) / 256;
    if log_odds < 0 { ONE - above_half } else { above_half }
}

impl Model {
    fn read(bytes: &[u8]) -> Option<Model> {
        let mut words =
            bytes.strip_prefix(b"ofcm")?.chunks_exact(2).map(|word| i16::from_le_bytes([word[0], word[1]]));
        let mut next = || words.next();
        let mut count = || next().and_then(|count| usize::try_from(count).ok());
        if count()? != 1 {
            return None;
        }
        let (features, tree_count) = (count()?, count()?);
        let mut model = Model { features, nodes: Vec::new(), leaves: Vec::new(), trees: Vec::new() };
        for _ in 0..tree_count {
            let nodes = usize::try_from(words.next()?).ok()?;
            model.trees.push((model.nodes.len(), model.leaves.len()));
            for at in 0..nodes {
                let feature =
                    u16::try_from(words.next()?).ok().filter(|&feature| usize::from(feature) < features)?;
                let threshold = words.next()?;
                let next = [words.next()?, words.next()?];
                // Children come after their parents, so every walk ends.
                let is_valid = |next: i16| match usize::try_from(next) {
                    Ok(node) => node > at && node < nodes,
                    Err(_) => (-1 - next) as usize <= nodes,
                };
                if !next.into_iter().all(is_valid) {
                    return None;
                }
                model.nodes.push(Node { feature, threshold, next });
            }
            for _ in 0..=nodes {
                model.leaves.push(words.next()?);
            }
        }
        words.next().is_none().then_some(model)
    }

    fn log_odds(&self, row: &[i16]) -> i32 {
        debug_assert_eq!(row.len(), self.features);
        let mut sum = 0;
        for (index, &(nodes, leaves)) in self.trees.iter().enumerate() {
            let end = self.trees.get(index + 1).map_or(self.nodes.len(), |tree| tree.0);
            let mut at = if end == nodes { -1 } else { 0 };
            while let Ok(node) = usize::try_from(at) {
                let node = &self.nodes[nodes + node];
                at = node.next[usize::from(row[usize::from(node.feature)] > node.threshold)];
            }
            sum += i32::from(self.leaves[leaves + (-1 - at) as usize]);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_model_is_whole_and_fits_the_features() {
        let outline = crate::html::outline::outline("<title>t</title><p>one<p>two");
        let mut rows = 0;
        super::super::features::each_row(&outline, |row, _| {
            assert_eq!(row.len(), MODEL.features);
            rows += 1;
        });
        assert_eq!(rows, 2);
        assert!(MODEL.trees.len() > 10);
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let whole = include_bytes!("model.bin");
        assert!(Model::read(&whole[..whole.len() - 2]).is_none());
        assert!(Model::read(&[&whole[..], &[0, 0]].concat()).is_none());
        assert!(Model::read(b"ofcm\x02\0\0\0\0\0").is_none());
        let loops = [b"ofcm".as_slice(), &[1, 0, 1, 0, 1, 0, 1, 0], &[0, 0, 0, 0, 0, 0, 0xff, 0xff], &[0; 4]]
            .concat();
        assert!(Model::read(&loops).is_none());
    }

    #[test]
    fn the_logistic_curve_rises_from_nothing_to_one() {
        let values: Vec<u32> = (-20_000..20_000).map(logistic).collect();
        assert!(values.is_sorted());
        assert_eq!((values[0], logistic(0), values[39_999]), (0, 512, 1024));
        assert_eq!(logistic(2048), 749);
    }
}
