//! Where a key falls among sorted ones.

/// Guesses before the search falls back to halving: uniform keys need about log₂ log₂ n.
const GUESSES: u32 = 8;
/// Ranges this short are searched by halving at once.
const SHORT: usize = 16;

/// Number of keys below `key`, by interpolation (Peterson 1957) with a bound for skewed keys.
pub(crate) fn below(keys: &[u64], key: u64) -> usize {
    below_by(keys, |&key| key, key)
}

/// The same among things that have keys.
pub(crate) fn below_by<T>(keys: &[T], key_of: impl Fn(&T) -> u64, key: u64) -> usize {
    let at = |place: usize| key_of(&keys[place]);
    let (mut low, mut high) = (0, keys.len());
    for _ in 0..GUESSES {
        if high - low <= SHORT {
            break;
        }
        let (first, last) = (at(low), at(high - 1));
        if key <= first {
            return low;
        }
        if key > last {
            return high;
        }
        // first < key ≤ last, so the share is above 0 and at most 1.
        let share = u128::from(key - first) * (high - 1 - low) as u128 / u128::from(last - first);
        let guess = low + share as usize;
        // A guess narrows one side only; a window around it, a few standard deviations wide, narrows both.
        let slack = ((high - low) as f64).sqrt() as usize;
        let (left, right) = (guess.saturating_sub(slack).max(low), (guess + slack).min(high - 1));
        if at(left) >= key {
            high = left + 1;
        } else {
            low = left;
        }
        if right > low && right < high && at(right) < key {
            low = right;
        } else if right < high {
            high = (right + 1).max(low + 1);
        }
    }
    low + keys[low..high].partition_point(|other| key_of(other) < key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn interpolation_finds_what_halving_finds(
            mut keys in proptest::collection::vec(prop_oneof![any::<u64>(), 0u64..60, Just(u64::MAX), (0u32..64).prop_map(|i| 1 << i)], 0..400),
            key in prop_oneof![any::<u64>(), 0u64..60, (0u32..64).prop_map(|i| 1 << i)],
        ) {
            keys.sort_unstable();
            prop_assert_eq!(below(&keys, key), keys.partition_point(|&other| other < key));
            for &key in &keys {
                prop_assert_eq!(below(&keys, key), keys.partition_point(|&other| other < key));
            }
        }
    }
}
