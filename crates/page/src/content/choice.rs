//! Which blocks are taken, given how likely each is content.
//!
//! The set that is best in expectation by F1 is that of the likeliest blocks down to some likelihood:
//! with pᵢ and words wᵢ, F(k) = 2 Σ_{i≤k} pᵢ wᵢ / (Σ_{i≤k} wᵢ + Σ pᵢ wᵢ) over blocks in falling order of pᵢ, and the
//! best k takes what is above F/2. So a page of which nothing is sure, as a list of products, gives more than
//! a fixed bound would; where F is high the bound is raised a little, and it never falls below 0.3, which measured
//! better on articles.
//!
//! Before that, lines of one path of elements and classes lend each other weight: they are mostly all content or
//! all frame, and their mean log-odds is surer than that of each.

use std::collections::HashMap;

use super::model::ONE;

/// Log-odds of blocks, given as log-odds, words and path, with 2/5 of the mean of their path.
pub(super) fn pool(blocks: &[(i32, u32, u32)]) -> Vec<i32> {
    let mut sums = HashMap::<u32, (i64, i64)>::new();
    for &(log_odds, words, path) in blocks {
        let weight = i64::from((words + 1).isqrt());
        let (sum, weights) = sums.entry(path).or_default();
        *sum += weight * i64::from(log_odds);
        *weights += weight;
    }
    let pooled = |&(log_odds, _, path): &(i32, u32, u32)| {
        let (sum, weights) = sums[&path];
        i32::try_from((3 * i64::from(log_odds) + 2 * (sum / weights)) / 5).unwrap_or(log_odds)
    };
    blocks.iter().map(pooled).collect()
}

/// Words added to the expected content: the estimate is worth less on short pages.
const PRIOR_WORDS: u64 = 20;

/// Which of the blocks, given as likelihood and words.
pub(super) fn choose(blocks: &[(u32, u32)]) -> Vec<bool> {
    let bound = bound(blocks);
    blocks.iter().map(|&(likelihood, _)| u64::from(likelihood) >= bound).collect()
}

/// The likelihood from which on blocks are taken.
fn bound(blocks: &[(u32, u32)]) -> u64 {
    let one = u64::from(ONE);
    let expected: u64 =
        blocks.iter().map(|&(likelihood, words)| u64::from(likelihood) * u64::from(words)).sum();
    let mut falling = blocks.to_vec();
    falling.sort_unstable_by(|a, b| b.cmp(a));
    let (mut right, mut words) = (0, 0);
    // F in parts of ONE.
    let mut best = 0;
    for (likelihood, block_words) in falling {
        right += u64::from(likelihood) * u64::from(block_words);
        words += u64::from(block_words);
        best = best.max(2 * right * one / (words * one + expected + PRIOR_WORDS * one));
    }
    (best / 2 + best.saturating_sub(6 * one / 10) * 3 / 10).max(3 * one / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sure_blocks_are_taken_and_doubtful_ones_left() {
        assert_eq!(
            choose(&[(10, 50), (1000, 200), (990, 100), (300, 20), (5, 80)]),
            [false, true, true, false, false]
        );
    }

    #[test]
    fn where_nothing_is_sure_the_likeliest_are_taken() {
        assert_eq!(choose(&[(320, 50), (400, 50), (20, 400)]), [true, true, false]);
    }

    #[test]
    fn lines_of_one_path_lend_each_other_weight() {
        assert_eq!(pool(&[(1000, 8, 7), (-500, 8, 7), (-500, 8, 9)]), [700, -200, -500]);
        assert_eq!(pool(&[(1000, 99, 7), (0, 0, 7)]), [963, 363]);
    }

    #[test]
    fn no_blocks_and_no_words_are_no_trouble() {
        assert!(choose(&[]).is_empty());
        assert_eq!(choose(&[(0, 0), (1024, 0)]), [false, true]);
    }
}
