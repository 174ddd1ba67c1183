//! Which blocks are taken, given how likely each is content.
//!
//! The set that is best in expectation by F1 is that of the likeliest blocks down to some likelihood:
//! with pᵢ and words wᵢ, F(k) = 2 Σ_{i≤k} pᵢ wᵢ / (Σ_{i≤k} wᵢ + Σ pᵢ wᵢ) over blocks in falling order of pᵢ, and the
//! best k takes what is above F/2. So a page of which nothing is sure, as a list of products, gives more than
//! a fixed bound would; where F is high the bound is raised a little, which measured better on articles.

use super::model::ONE;

/// Words added to the expected content: the estimate is worth less on short pages.
const PRIOR_WORDS: u64 = 20;

/// Which of the blocks, given as likelihood and words.
pub(super) fn choose(blocks: &[(u32, u32)]) -> Vec<bool> {
    let bound = bound(blocks);
    blocks.iter().map(|&(likelihood, _)| likelihood > 0 && u64::from(likelihood) >= bound).collect()
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
    best / 2 + best.saturating_sub(6 * one / 10) * 3 / 10
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
        assert_eq!(choose(&[(300, 50), (320, 50), (20, 400)]), [true, true, false]);
    }

    #[test]
    fn no_blocks_and_no_words_are_no_trouble() {
        assert!(choose(&[]).is_empty());
        assert_eq!(choose(&[(0, 0), (1024, 0)]), [false, true]);
    }
}
