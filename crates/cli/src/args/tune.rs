//! Arguments of `tune`.

use super::MachineArgs;
use clap::Args;
use onefold_detect::text::Shingling;
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  onefold tune --threshold 0.8 --recall 0.99      bands that find 99 of 100 pairs at 0.8
  onefold tune --bands 20 --rows 5                what these bands find
  onefold tune --sketch 90/100 --sketch 80%/200   how often so many entries of a sketch agree
  onefold tune --svg curve.svg                    the curves as a picture
  onefold tune crawl/                             what they cost on this corpus

With b bands of r rows a pair of resemblance s is found with probability 1 − (1 − sʳ)ᵇ: more rows \
find less, more bands find more. What is found is verified, so that a false candidate costs a \
comparison and is no wrong answer.";

/// A rule that so many entries of a sketch agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SketchRule {
    pub(crate) agree: u32,
    pub(crate) of: u32,
}

impl SketchRule {
    /// "90 of 100" and "80 % of 200".
    pub(crate) const CLASSIC: [SketchRule; 2] =
        [SketchRule { agree: 90, of: 100 }, SketchRule { agree: 160, of: 200 }];
}

impl std::str::FromStr for SketchRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!("expected K/N or P%/N with N from 1 to 65536, such as 90/100 or 80%/200, found {text:?}")
        };
        let (agree, of) = text.split_once('/').ok_or_else(wrong)?;
        let of = of.trim().parse::<u32>().ok().filter(|of| (1..=65536).contains(of)).ok_or_else(wrong)?;
        let agree = match agree.trim().strip_suffix('%') {
            Some(percent) => {
                let percent: f64 = percent.trim().parse().map_err(|_| wrong())?;
                if !(0.0..=100.0).contains(&percent) {
                    return Err(wrong());
                }
                // A share that is no whole number of entries takes the next; a hair less is rounding.
                (percent / 100.0 * f64::from(of) - 1e-9).ceil().max(0.0) as u32
            }
            None => agree.trim().parse().map_err(|_| wrong())?,
        };
        if agree > of { Err(wrong()) } else { Ok(SketchRule { agree, of }) }
    }
}

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tune {
    /// Files, folders or patterns, as for `dedup`: also estimate candidates and cost for these documents
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: Vec<PathBuf>,
    /// Resemblance from which two documents are near duplicates
    #[arg(long, value_name = "J", default_value_t = 0.8)]
    pub(crate) threshold: f64,
    /// Probability with which a pair right at the threshold is to be found; bands are chosen for it
    #[arg(long, value_name = "P", default_value_t = 0.99)]
    pub(crate) recall: f64,
    /// Values of a MinHash signature
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub(crate) signature: usize,
    /// Bands, instead of those chosen for --recall
    #[arg(long, value_name = "N", requires = "rows")]
    pub(crate) bands: Option<usize>,
    /// Signature values in each band
    #[arg(long, value_name = "N", requires = "bands")]
    pub(crate) rows: Option<usize>,
    /// A rule that K of N entries of a sketch agree, or P % of N; may be repeated [default: 90/100 and 80%/200]
    #[arg(long, value_name = "K/N")]
    pub(crate) sketch: Vec<SketchRule>,
    /// Write the curves as SVG
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) svg: Option<PathBuf>,
    /// Overwrite the SVG file if it is there
    #[arg(long, requires = "svg", help_heading = "Output")]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Texts of the corpus that are compared with each other
    #[arg(long, value_name = "N", default_value_t = 2000, requires = "corpus", value_parser = clap::value_parser!(u32).range(2..=20_000), help_heading = "Corpus")]
    pub(crate) sample: u32,
    /// Field of the text
    #[arg(long, value_name = "NAME", default_value = "text", requires = "corpus", help_heading = "Corpus")]
    pub(crate) text_field: String,
    /// What shingles are: word:N (N words) or char:N (N characters) [default: word:5]
    #[arg(long, value_name = "KIND:N", requires = "corpus", help_heading = "Corpus")]
    pub(crate) shingle: Option<Shingling>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_counts_and_as_shares() {
        let [ninety, eighty] = SketchRule::CLASSIC;
        assert_eq!("90/100".parse(), Ok(ninety));
        assert_eq!("80%/200".parse(), Ok(eighty));
        assert_eq!("80 % / 200".parse(), Ok(eighty));
        assert_eq!("80.1%/200".parse(), Ok(SketchRule { agree: 161, of: 200 }));
        assert_eq!("29%/100".parse(), Ok(SketchRule { agree: 29, of: 100 }));
        for bad in ["", "90", "101/100", "/100", "1/0", "-1/2", "101%/100", "nan%/10", "1/70000"] {
            assert!(bad.parse::<SketchRule>().is_err(), "{bad}");
        }
    }
}
