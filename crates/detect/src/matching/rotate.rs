//! Rotate, sort, compare neighbours: near fingerprints without tables, and without a guarantee.
//!
//! Fingerprints that agree in their leading bits stand side by side when sorted. Rotating all of them puts other bits
//! in front, so with N rotations a pair is found if in one of them its first differing bit comes late enough that
//! nothing else falls between the two. A list costs N sorts and N comparisons a fingerprint, whatever k is. Equal
//! fingerprints stand together, but of three only the neighbours meet.

/// Pairs of a list, by place, that are within `k` bits and neighbours in the order of the numbers after turning each
/// left by one of `rotations` amounts, spread evenly: rotation i turns by i·bits/rotations. Each once and in order.
pub fn rotated_neighbours(fingerprints: &[u128], bits: u32, rotations: u32, k: u32) -> Vec<(u32, u32)> {
    let bits = bits.clamp(1, 128);
    let turns = (0..rotations).map(|i| (u64::from(i) * u64::from(bits) / u64::from(rotations)) as u32);
    let mut pairs: Vec<(u32, u32)> = turns.flat_map(|turn| neighbours(fingerprints, bits, turn, k)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Pairs within `k` bits that are neighbours in the order of the numbers turned left by `turn`, the first and the
/// last of them being neighbours too. Each once and in order.
pub fn neighbours(fingerprints: &[u128], bits: u32, turn: u32, k: u32) -> Vec<(u32, u32)> {
    let order = sorted(fingerprints, bits.clamp(1, 128), turn);
    let next = order.iter().skip(1).chain(order.first());
    let near = |&(a, b): &(u32, u32)| {
        let apart = rotate(fingerprints[a as usize] ^ fingerprints[b as usize], bits.clamp(1, 128), 0);
        a != b && apart.count_ones() <= k
    };
    let mut pairs: Vec<(u32, u32)> =
        order.iter().zip(next).map(|(&a, &b)| (a.min(b), a.max(b))).filter(near).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Places of the fingerprints in the order of their turned values.
fn sorted(fingerprints: &[u128], bits: u32, turn: u32) -> Vec<u32> {
    let mut order: Vec<(u128, u32)> =
        fingerprints.iter().zip(0..).map(|(&x, place)| (rotate(x, bits, turn), place)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, place)| place).collect()
}

/// The lowest `bits` turned left.
fn rotate(x: u128, bits: u32, turn: u32) -> u128 {
    let turn = turn % bits;
    let mask = u128::MAX >> (128 - bits);
    let x = x & mask;
    if turn == 0 { x } else { (x << turn | x >> (bits - turn)) & mask }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The example of docs/algorithms.md. Places 1 and 6 differ in the first bit alone, 2 and 4 in the second,
    /// 0 and 7 in the last, 3 and 5 in one of the middle.
    const EIGHT: [u128; 8] = [
        0b0001_1011_0100_1110,
        0b0010_0111_0110_0001,
        0b0011_0100_1001_1101,
        0b0101_0010_1011_0110,
        0b0111_0100_1001_1101,
        0b0101_0010_1111_0110,
        0b1010_0111_0110_0001,
        0b0001_1011_0100_1111,
    ];

    #[test]
    fn eight_numbers_sorted_before_and_after_rotating_left_by_two() {
        assert_eq!(sorted(&EIGHT, 16, 0), [0, 7, 1, 2, 3, 5, 4, 6]);
        assert_eq!(neighbours(&EIGHT, 16, 0, 1), [(0, 7), (3, 5)]);
        let turned: Vec<u128> =
            sorted(&EIGHT, 16, 2).iter().map(|&i| rotate(EIGHT[i as usize], 16, 2)).collect();
        let expected: [u128; 8] = [
            0b0100_1010_1101_1001,
            0b0100_1011_1101_1001,
            0b0110_1101_0011_1000,
            0b0110_1101_0011_1100,
            0b1001_1101_1000_0100,
            0b1001_1101_1000_0110,
            0b1101_0010_0111_0100,
            0b1101_0010_0111_0101,
        ];
        assert_eq!(turned, expected);
        assert_eq!(sorted(&EIGHT, 16, 2), [3, 5, 0, 7, 1, 6, 2, 4]);
        assert_eq!(neighbours(&EIGHT, 16, 2, 1), [(0, 7), (1, 6), (2, 4), (3, 5)]);
        // Eight rotations of 16 bits turn by two each.
        assert_eq!(rotated_neighbours(&EIGHT, 16, 8, 1), [(0, 7), (1, 6), (2, 4), (3, 5)]);
    }

    #[test]
    fn the_first_is_compared_with_the_last() {
        // Unturned, the two that differ in the leading bit stand at both ends.
        assert_eq!(neighbours(&[0x8001, 0x4000, 0x0001], 16, 0, 1), [(0, 2)]);
        assert_eq!(neighbours(&[5], 16, 0, 3), []);
        assert_eq!(neighbours(&[], 16, 0, 3), []);
        assert_eq!(neighbours(&[5, 5], 16, 0, 0), [(0, 1)]);
        assert_eq!(rotated_neighbours(&[5, 5], 16, 0, 0), []);
    }

    proptest! {
        #[test]
        fn rotation_is_a_permutation_of_bits(x: u128, turn in 0..200u32) {
            for bits in [1, 16, 32, 64, 128] {
                let back = rotate(rotate(x, bits, turn), bits, bits - turn % bits);
                prop_assert_eq!(back, rotate(x, bits, 0));
            }
            prop_assert_eq!(rotate(x, 64, turn), u128::from((x as u64).rotate_left(turn)));
        }

        #[test]
        fn what_is_found_is_near_and_more_rotations_find_no_less(
            origin: u64, flips in prop::collection::vec(prop::collection::vec(0..64u32, 0..5), 2..40),
        ) {
            let list: Vec<u128> = flips
                .iter()
                .map(|bits| u128::from(bits.iter().fold(origin, |x, bit| x ^ 1 << bit)))
                .collect();
            let all = super::super::within(&list, 64, 3);
            let mut before = Vec::new();
            for rotations in [1, 2, 4, 8, 16, 32, 64] {
                let found = rotated_neighbours(&list, 64, rotations, 3);
                prop_assert!(found.iter().all(|pair| all.binary_search(pair).is_ok()));
                prop_assert!(before.iter().all(|pair| found.binary_search(pair).is_ok()));
                before = found;
            }
        }
    }
}
