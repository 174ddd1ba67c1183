//! Documents as vectors of term counts: the angle between them, and how far apart they lie.
//!
//! Products and squares are summed in whole numbers, so the order of terms changes nothing.

/// Cosine similarity a·b / (|a||b|) of two lists of terms and counts, in order of the terms and without repeats. A
/// vector of nothing has none with any other.
pub fn cosine(a: &[(u64, u32)], b: &[(u64, u32)]) -> f64 {
    let mut dot = 0u128;
    both(a, b, |x, y| dot += product(x, y));
    let lengths = (squares(a) as f64).sqrt() * (squares(b) as f64).sqrt();
    if lengths == 0.0 { 0.0 } else { (dot as f64 / lengths).min(1.0) }
}

/// Euclidean distance √Σ(a − b)² of two lists of terms and counts, in order of the terms and without repeats.
pub fn euclidean(a: &[(u64, u32)], b: &[(u64, u32)]) -> f64 {
    let mut sum = 0u128;
    both(a, b, |x, y| sum += product(x.abs_diff(y), x.abs_diff(y)));
    (sum as f64).sqrt()
}

fn product(x: u32, y: u32) -> u128 {
    u128::from(u64::from(x) * u64::from(y))
}

fn squares(vector: &[(u64, u32)]) -> u128 {
    vector.iter().map(|&(_, count)| product(count, count)).sum()
}

/// Hands the two counts of each term that either has to `take`.
fn both(a: &[(u64, u32)], b: &[(u64, u32)], mut take: impl FnMut(u32, u32)) {
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let x = a.get(i).copied();
        let y = b.get(j).copied();
        let term = x.iter().chain(&y).map(|&(term, _)| term).min();
        let of = |entry: Option<(u64, u32)>| entry.filter(|&(other, _)| Some(other) == term);
        let (x, y) = (of(x), of(y));
        i += usize::from(x.is_some());
        j += usize::from(y.is_some());
        take(x.map_or(0, |(_, count)| count), y.map_or(0, |(_, count)| count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn worked_numbers() {
        let (a, b) = ([(1, 3), (2, 4)], [(1, 4), (2, 3)]);
        assert_eq!(cosine(&a, &b), 24.0 / 25.0);
        assert_eq!(euclidean(&[(1, 3)], &[(2, 4)]), 5.0);
        assert_eq!(cosine(&[(1, 3)], &[(2, 4)]), 0.0);
        assert_eq!((cosine(&[], &[]), euclidean(&[], &[])), (0.0, 0.0));
    }

    #[test]
    fn the_greatest_counts_do_not_overflow() {
        let all: Vec<(u64, u32)> = (0..1000).map(|term| (term, u32::MAX)).collect();
        assert!((cosine(&all, &all) - 1.0).abs() < 1e-15);
        assert_eq!(euclidean(&all, &all), 0.0);
    }

    proptest! {
        #[test]
        fn sums_are_those_of_plain_maps(a: BTreeMap<u8, u16>, b: BTreeMap<u8, u16>) {
            let list = |map: &BTreeMap<u8, u16>| -> Vec<(u64, u32)> {
                map.iter().map(|(&x, &count)| (x.into(), count.into())).collect()
            };
            let of = |map: &BTreeMap<u8, u16>, x: u8| f64::from(map.get(&x).copied().unwrap_or(0));
            let sum = |term: &dyn Fn(u8) -> f64| (0..=255).map(term).sum::<f64>();
            let (dot, aa, bb) = (
                sum(&|x| of(&a, x) * of(&b, x)),
                sum(&|x| of(&a, x).powi(2)),
                sum(&|x| of(&b, x).powi(2)),
            );
            let apart = sum(&|x| (of(&a, x) - of(&b, x)).powi(2)).sqrt();
            let expected = if aa * bb == 0.0 { 0.0 } else { dot / (aa * bb).sqrt() };
            prop_assert!((cosine(&list(&a), &list(&b)) - expected).abs() < 1e-12);
            prop_assert!((euclidean(&list(&a), &list(&b)) - apart).abs() <= 1e-9 * apart);
        }
    }
}
