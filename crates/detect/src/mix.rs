//! The specified 64-bit mixing used wherever a hash may reach disk or another machine.
//!
//! One primitive: [`fold`], the 128-bit product of two words with its halves xored (the construction of wyhash
//! and rapidhash). Every constant is written out here; changing one changes every fingerprint, and with it
//! [`VERSION`], which is part of every plan.

/// Version of all hashes made by this crate. Stored in plans; another version is another fingerprint.
pub const VERSION: u32 = 1;

/// Odd constants with no small structure: the first hexadecimal digits of the fractional parts of π.
pub(crate) const K: [u64; 4] =
    [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7345, 0xa409_3822_299f_31d1, 0x082e_fa98_ec4e_6c89];

/// The two halves of the 128-bit product, xored.
#[inline(always)]
pub const fn fold(a: u64, b: u64) -> u64 {
    let product = (a as u128) * (b as u128);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Splits a well-mixed hash into a bucket below `buckets` and a uniform rest (Lemire's multiply-shift range).
#[inline(always)]
pub const fn split(hash: u64, buckets: u64) -> (usize, u64) {
    let product = (hash as u128) * (buckets as u128);
    ((product >> 64) as usize, product as u64)
}

/// Hash of a pair of small numbers, for seeded choices.
#[inline(always)]
pub const fn pair(a: u64, b: u64) -> u64 {
    fold(a.wrapping_mul(K[2]) ^ K[0], b.wrapping_mul(K[3] | 1).wrapping_add(K[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_covers_every_bucket_evenly() {
        let mut seen = [0u32; 100];
        for i in 0..100_000u64 {
            seen[split(pair(i, 7), 100).0] += 1;
        }
        // Binomial(100000, 1/100): mean 1000, standard deviation 31.5
        assert!(seen.iter().all(|&n| (1000 - 160..1000 + 160).contains(&n)), "{seen:?}");
    }

    #[test]
    fn one_bit_of_input_flips_half_of_the_output() {
        let mut flips = 0u32;
        for i in 0..64 {
            for base in 0..100u64 {
                let x = pair(base, 3);
                flips += (fold(x ^ K[0], K[1]) ^ fold(x ^ (1 << i) ^ K[0], K[1])).count_ones();
            }
        }
        let mean = f64::from(flips) / 6400.0;
        assert!((30.0..34.0).contains(&mean), "{mean}");
    }
}
