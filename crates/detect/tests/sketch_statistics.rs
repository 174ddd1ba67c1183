//! What the sketch promises, measured: its standard error, and recall on the S-curve, for every size of document.

use onefold_detect::matching::Bands;
use onefold_detect::measure::estimate::ValueBits;
use onefold_detect::measure::overlap;
use onefold_detect::sketch::{ClassicMinHash, MinHash, Sample, agreement};

const VALUES: usize = 128;

/// SplitMix64: uniform 64-bit numbers by a published algorithm.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

struct Pair {
    sketches: [MinHash; 2],
    random: Random,
    hashes: [Vec<u64>; 2],
}

impl Pair {
    fn new(seed: u64) -> Self {
        let sketches = [MinHash::new(VALUES), MinHash::new(VALUES)];
        Pair { sketches, random: Random(seed), hashes: Default::default() }
    }

    /// Signatures of two random sets with `shared` shingles in both and `alone` in each alone.
    fn draw(&mut self, shared: usize, alone: usize) -> [&[u64]; 2] {
        let Pair { sketches: [a, b], random, hashes } = self;
        for (own, hashes) in hashes.iter_mut().enumerate() {
            hashes.clear();
            // The first `shared` numbers are the same for both, since both start from the same state.
            let mut common = Random(random.0);
            hashes.extend((0..shared).map(|_| common.next()));
            let mut alone_of = Random(random.0 ^ (own as u64 + 1) << 61 ^ 0x5555);
            hashes.extend((0..alone).map(|_| alone_of.next()));
        }
        random.0 = Random(random.0 ^ 0xaaaa).next();
        [signature(a, &hashes[0]), signature(b, &hashes[1])]
    }
}

fn signature<'a>(sketch: &'a mut MinHash, hashes: &[u64]) -> &'a [u64] {
    sketch.begin();
    hashes.iter().for_each(|&hash| sketch.add(hash));
    sketch.finish().expect("at least one shingle was added")
}

/// Shared shingles, and those in one set alone, of two sets of `size` with resemblance near `wanted`.
fn counts(size: usize, wanted: f64) -> (usize, usize, f64) {
    let shared = (2.0 * size as f64 * wanted / (1.0 + wanted)).round() as usize;
    let alone = size - shared;
    (shared, alone, shared as f64 / (shared + 2 * alone) as f64)
}

#[test]
fn standard_error_stays_near_that_of_independent_permutations() {
    const TRIALS: usize = 6000;
    // The standard deviation of TRIALS draws is itself known to 1/√(2·TRIALS); three of those are allowed.
    let slack = 1.0 + 3.0 / (2.0 * TRIALS as f64).sqrt();
    let mut pair = Pair::new(1);
    for size in [10, 20, 50, 100, 128, 180, 256, 257, 300, 400, 600, 2000] {
        for wanted in [0.3, 0.5, 0.8, 0.9] {
            let (shared, alone, truth) = counts(size, wanted);
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..TRIALS {
                let [a, b] = pair.draw(shared, alone);
                let error = agreement(a, b) - truth;
                sum += error;
                squares += error * error;
            }
            let (bias, deviation) = (sum / TRIALS as f64, (squares / TRIALS as f64).sqrt());
            let theory = (truth * (1.0 - truth) / VALUES as f64).sqrt();
            let allowed = if size > 2 * VALUES { 1.05 } else { 1.2 };
            println!(
                "size {size:>5} J {truth:.3}: error {:.3} of theory, bias {bias:+.5}",
                deviation / theory
            );
            assert!(deviation <= allowed * slack * theory, "size {size} J {truth}: {}", deviation / theory);
            assert!(
                bias.abs() <= 4.0 * deviation / (TRIALS as f64).sqrt(),
                "size {size} J {truth}: bias {bias}"
            );
        }
    }
}

/// How often two sets of `size` and resemblance near `wanted` meet in a band, and how often they should by the S-curve, with
/// three standard deviations of what was measured.
fn met(pair: &mut Pair, bands: Bands, size: usize, wanted: f64) -> (f64, f64, f64, f64) {
    // The larger the set, the fewer trials are needed to see a systematic difference.
    let trials = if size > 500 { 5_000 } else { 20_000 };
    let (shared, alone, truth) = counts(size, wanted);
    let mut met = 0usize;
    for _ in 0..trials {
        let [a, b] = pair.draw(shared, alone);
        met += usize::from(bands.keys(a).zip(bands.keys(b)).any(|(x, y)| x == y));
    }
    let (measured, expected) = (met as f64 / trials as f64, bands.probability(truth));
    (truth, measured, expected, 3.0 * (expected * (1.0 - expected) / trials as f64).sqrt())
}

#[test]
fn recall_is_that_of_the_s_curve_for_every_size_of_document_and_threshold() {
    let mut pair = Pair::new(2);
    for threshold in [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] {
        let bands = Bands::tune(VALUES, threshold, 0.99).unwrap();
        for size in [10, 20, 35, 50, 100, 200, 500, 2000] {
            for above in [0.0, 0.05, 0.2] {
                let wanted = f64::min(threshold + above, 0.95);
                let (truth, measured, expected, noise) = met(&mut pair, bands, size, wanted);
                println!("size {size:>5} J {truth:.3}: met {measured:.4}, curve {expected:.4}");
                assert!(
                    (measured - expected).abs() <= 0.005 + noise,
                    "threshold {threshold} size {size} J {truth}: {measured} {expected}"
                );
            }
        }
    }
}

/// Bins of short documents are filled without replacement, so their curve is a little steeper than the S-curve: above its
/// middle they meet more often, below it less.
#[test]
fn below_the_threshold_documents_meet_about_as_often_as_the_s_curve_says() {
    let mut pair = Pair::new(2);
    let bands = Bands::tune(VALUES, 0.8, 0.99).unwrap();
    for size in [10, 20, 35, 50, 100, 200, 500, 2000] {
        for wanted in [0.5, 0.7] {
            let (truth, measured, expected, noise) = met(&mut pair, bands, size, wanted);
            assert!(measured <= expected + 0.012 + noise, "size {size} J {truth}: {measured} {expected}");
        }
    }
}

#[test]
fn a_sketch_of_a_union_is_the_smaller_of_each_value_where_one_round_fills_all() {
    let mut random = Random(3);
    let (first, second): (Vec<u64>, Vec<u64>) = (0..2000).map(|_| (random.next(), random.next())).unzip();
    let sketch = |hashes: &[u64]| signature(&mut MinHash::new(16), hashes).to_vec();
    let merged: Vec<u64> = sketch(&first).iter().zip(sketch(&second)).map(|(&x, y)| x.min(y)).collect();
    assert_eq!(merged, sketch(&[first, second].concat()));
}

#[test]
fn classic_permutations_have_the_error_of_theory_for_every_size() {
    const TRIALS: usize = 3000;
    // The deviation of TRIALS draws is known to 1/√(2·TRIALS); four of those are allowed on both sides.
    let slack = 4.0 / (2.0 * TRIALS as f64).sqrt();
    let mut pair = Pair::new(4);
    let mut classic = [ClassicMinHash::new(VALUES), ClassicMinHash::new(VALUES)];
    for size in [10, 50, 200] {
        for wanted in [0.3, 0.5, 0.8, 0.9] {
            let (shared, alone, truth) = counts(size, wanted);
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..TRIALS {
                pair.draw(shared, alone);
                for (sketch, hashes) in classic.iter_mut().zip(&pair.hashes) {
                    sketch.begin();
                    hashes.iter().for_each(|&hash| sketch.add(hash));
                }
                let [a, b] = classic.each_mut().map(|sketch| sketch.finish().unwrap());
                let error = agreement(a, b) - truth;
                sum += error;
                squares += error * error;
            }
            let (bias, deviation) = (sum / TRIALS as f64, (squares / TRIALS as f64).sqrt());
            let theory = (truth * (1.0 - truth) / VALUES as f64).sqrt();
            println!(
                "size {size:>5} J {truth:.3}: error {:.3} of theory, bias {bias:+.5}",
                deviation / theory
            );
            assert!(
                (deviation / theory - 1.0).abs() <= slack,
                "size {size} J {truth}: {}",
                deviation / theory
            );
            assert!(
                bias.abs() <= 4.0 * deviation / (TRIALS as f64).sqrt(),
                "size {size} J {truth}: bias {bias}"
            );
        }
    }
}

#[test]
fn samples_estimate_resemblance_containment_and_size_without_bias() {
    const TRIALS: usize = 400;
    let mut random = Random(5);
    for (modulus, shared, first, second) in
        [(4, 900, 100, 1000), (16, 1500, 500, 6000), (25, 4000, 1000, 1000)]
    {
        let sample: Sample = format!("mod:{modulus}").parse().unwrap();
        let resemblance = shared as f64 / (shared + first + second) as f64;
        let containment = shared as f64 / (shared + first) as f64;
        let (mut sums, mut squares) = ([0.0; 3], [0.0; 3]);
        for _ in 0..TRIALS {
            let mut draw = |count: usize| (0..count).map(|_| random.next()).collect::<Vec<u64>>();
            let (both, first, second) = (draw(shared), draw(first), draw(second));
            let whole = both.len() + first.len();
            let [a, b] = [[&both[..], &first].concat(), [&both[..], &second].concat()].map(|mut set| {
                set.retain(|&hash| sample.keeps(hash));
                set.sort_unstable();
                set
            });
            let found = overlap(&a, &b);
            let size = sample.size(a.len() as u64) as f64 / whole as f64;
            let errors = [found.resemblance() - resemblance, found.containment() - containment, size - 1.0];
            for (i, error) in errors.into_iter().enumerate() {
                sums[i] += error;
                squares[i] += error * error;
            }
        }
        // A sample of n shingles has the binomial error; that of the union decides J, that of the first the rest.
        let kept = |count: usize| count as f64 / modulus as f64;
        let theory = [
            (resemblance * (1.0 - resemblance) / kept(shared + first + second)).sqrt(),
            (containment * (1.0 - containment) / kept(shared + first)).sqrt(),
            sample.size_error(kept(shared + first) as u64) / (shared + first) as f64,
        ];
        for i in 0..3 {
            let (bias, deviation) = (sums[i] / TRIALS as f64, (squares[i] / TRIALS as f64).sqrt());
            println!(
                "mod:{modulus} estimate {i}: bias {bias:+.5}, error {:.3} of theory",
                deviation / theory[i]
            );
            assert!(bias.abs() <= 4.0 * theory[i] / (TRIALS as f64).sqrt(), "mod:{modulus} {i}: bias {bias}");
            assert!(
                (deviation / theory[i] - 1.0).abs() < 0.2,
                "mod:{modulus} {i}: {}",
                deviation / theory[i]
            );
        }
    }
}

#[test]
fn values_cut_to_few_bits_estimate_without_bias_and_with_the_error_of_theory() {
    const TRIALS: usize = 4000;
    let mut pair = Pair::new(6);
    for bits in [ValueBits::B8, ValueBits::B16, ValueBits::B32] {
        for wanted in [0.1, 0.5, 0.8] {
            let (shared, alone, truth) = counts(1000, wanted);
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..TRIALS {
                let [a, b] = pair
                    .draw(shared, alone)
                    .map(|values| values.iter().map(|&value| bits.cut(value)).collect::<Vec<u64>>());
                let error = bits.resemblance(agreement(&a, &b)) - truth;
                sum += error;
                squares += error * error;
            }
            let (bias, deviation) = (sum / TRIALS as f64, (squares / TRIALS as f64).sqrt());
            let theory = bits.standard_error(truth, VALUES);
            println!(
                "{bits:>2} bits J {truth:.3}: error {:.3} of theory, bias {bias:+.5}",
                deviation / theory
            );
            assert!(bias.abs() <= 4.0 * theory / (TRIALS as f64).sqrt(), "{bits} {truth}: bias {bias}");
            // One permutation in bins draws without replacement: a little below theory.
            assert!((0.85..1.05).contains(&(deviation / theory)), "{bits} {truth}: {}", deviation / theory);
        }
    }
}
