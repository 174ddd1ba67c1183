//! The curves: probability that a pair is found against its resemblance s.
//!
//! - bands: 1 − (1 − sʳ)ᵇ, for the chosen bands, for one row more (stricter) and for one row less (looser)
//! - sketches: Σ over k of C(n, k) sᵏ (1 − s)ⁿ⁻ᵏ, for rules such as "90 of 100 entries agree"

use crate::args::SketchRule;
use onefold_detect::matching::Bands;
use onefold_detect::measure::curve::at_least;
use onefold_run::Plan;

/// Bands beside the chosen ones are named by what they do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) name: &'static str,
    pub(super) bands: Bands,
}

#[derive(Debug)]
pub(super) struct Curves {
    pub(super) threshold: f64,
    pub(super) recall: f64,
    pub(super) signature: usize,
    /// Whether the chosen bands were given, and not tuned for the recall.
    pub(super) given: bool,
    /// From loose to strict.
    pub(super) candidates: Vec<Candidate>,
    pub(super) sketches: Vec<SketchRule>,
}

impl Curves {
    pub(super) fn new(plan: &Plan, given: bool, sketches: &[SketchRule]) -> Self {
        let chosen = plan.bands;
        // Bands that were given may leave values out; those beside them use as many.
        let values = if given { chosen.bands * chosen.rows } else { plan.signature };
        let beside = |rows: usize| (1..=values).contains(&rows).then(|| Bands { bands: values / rows, rows });
        let mut candidates = vec![Candidate { name: "chosen", bands: chosen }];
        if let Some(bands) = beside(chosen.rows - 1) {
            candidates.insert(0, Candidate { name: "looser", bands });
        }
        if let Some(bands) = beside(chosen.rows + 1) {
            candidates.push(Candidate { name: "stricter", bands });
        }
        let sketches = if sketches.is_empty() { &SketchRule::CLASSIC } else { sketches };
        Curves {
            threshold: plan.threshold,
            recall: plan.recall,
            signature: plan.signature,
            given,
            candidates,
            sketches: sketches.to_vec(),
        }
    }

    /// Resemblances of the table: every 0.05, and the threshold.
    pub(super) fn points(&self) -> Vec<f64> {
        let mut points: Vec<f64> = (0..=20).map(|step| f64::from(step) / 20.0).collect();
        let at = points.partition_point(|&s| s < self.threshold - 1e-9);
        if points.get(at).is_none_or(|&s| (s - self.threshold).abs() > 1e-9) {
            points.insert(at, self.threshold);
        }
        points
    }

    pub(super) fn is_threshold(&self, s: f64) -> bool {
        (s - self.threshold).abs() <= 1e-9
    }

    /// The threshold with what lies 0.1 below and above it, within 0 to 1.
    pub(super) fn around(&self) -> [f64; 3] {
        [(self.threshold - 0.1).max(0.0), self.threshold, (self.threshold + 0.1).min(1.0)]
    }
}

impl SketchRule {
    /// Probability that a pair of resemblance `s` passes.
    pub(super) fn probability(self, s: f64) -> f64 {
        at_least(self.agree, self.of, s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuned(threshold: f64, bands: Option<(usize, usize)>) -> Curves {
        let plan = Plan { threshold, ..Plan::default() }.tuned(bands).unwrap();
        Curves::new(&plan, bands.is_some(), &[])
    }

    #[test]
    fn looser_bands_find_more_and_stricter_ones_less() {
        for curves in [tuned(0.8, None), tuned(0.5, None), tuned(0.8, Some((5, 4)))] {
            assert_eq!(curves.candidates.len(), 3);
            let found: Vec<f64> =
                curves.candidates.iter().map(|c| c.bands.probability(curves.threshold)).collect();
            assert!(found[0] > found[1] && found[1] > found[2], "{found:?}");
        }
        // With one row there is none less.
        assert_eq!(tuned(0.8, Some((5, 1))).candidates[0].name, "chosen");
        assert_eq!(tuned(0.8, Some((1, 128))).candidates.len(), 2);
    }

    #[test]
    fn the_threshold_is_a_point_once() {
        assert_eq!(tuned(0.8, None).points().len(), 21);
        let points = tuned(0.83, None).points();
        assert_eq!((points.len(), points[17]), (22, 0.83));
        assert_eq!(tuned(1.0, None).points().len(), 21);
    }

    #[test]
    fn the_classic_rule() {
        let [ninety, _] = SketchRule::CLASSIC;
        assert_eq!(format!("{:.3} {:.3}", ninety.probability(0.9), ninety.probability(0.95)), "0.583 0.989");
    }
}
