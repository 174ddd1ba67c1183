//! What makes documents alike: the flags of matching, which methods each goes with, and the plan they make.

use super::TextArgs;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use onefold_detect::digest::Algorithm;
use onefold_detect::measure::estimate::ValueBits;
use onefold_detect::sketch::{Bits, Sample};
use onefold_detect::text::Shingling;
use onefold_run::{Method, Neighbours, PageContent, Plan, SketchKind, Verify, Weight, Within};

/// How duplicates are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodName {
    /// Equal texts
    Exact,
    /// Equal texts, and similar ones by MinHash bands, verified on their shingles
    #[default]
    Minhash,
    /// Equal texts, and similar ones by SimHash fingerprints within a Hamming distance, verified
    Simhash,
    /// MinHash candidates whose fingerprints are near too, verified
    Combined,
    /// Every pair at or above the threshold, guaranteed
    Join,
}

impl From<MethodName> for Method {
    fn from(name: MethodName) -> Method {
        match name {
            MethodName::Exact => Method::Exact,
            MethodName::Minhash => Method::Minhash,
            MethodName::Simhash => Method::Simhash,
            MethodName::Combined => Method::Combined,
            MethodName::Join => Method::Join,
        }
    }
}

/// What a feature counts for in a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WeightName {
    /// As often as it occurs
    Tf,
    /// Once
    Binary,
    /// The more the fewer documents have it; the input is read twice
    Tfidf,
}

/// Which MinHash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SketchName {
    /// About one hash a shingle
    Fast,
    /// Independent permutations (a·x + b) mod p
    Classic,
}

/// How much of an HTML page is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContentName {
    /// What a reader came for
    Main,
    /// The densest run of words
    Plateau,
    /// All visible text
    All,
}

impl From<ContentName> for PageContent {
    fn from(name: ContentName) -> PageContent {
        match name {
            ContentName::Main => PageContent::Main,
            ContentName::Plateau => PageContent::Plateau,
            ContentName::All => PageContent::All,
        }
    }
}

/// What makes documents alike. Defaults are those of the plan.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct MatchArgs {
    /// How duplicates are found: exact, minhash (default), simhash, combined, join
    ///
    /// Example: --method join --threshold 0.9 --shingle word:3 --containment 0.95
    #[arg(long, value_name = "METHOD", hide_possible_values = true, help_heading = "Matching")]
    pub(crate) method: Option<MethodName>,
    /// Resemblance from which two documents are near duplicates [default: 0.8]
    #[arg(long, value_name = "J", help_heading = "Matching")]
    pub(crate) threshold: Option<f64>,
    /// What shingles are: word:N words or char:N characters [default: word:5]
    #[arg(long, value_name = "KIND:N", help_heading = "Matching")]
    pub(crate) shingle: Option<Shingling>,
    /// Duplicates are also documents that lie to this share within another
    ///
    /// Excerpts and quotes: the share is that of a document's shingles, and in `dedup` the other is a kept one. Such a document need not resemble the whole.
    #[arg(long, value_name = "SHARE", help_heading = "Matching")]
    pub(crate) containment: Option<f64>,
    /// Compare only within a site, or within one value of a field: site, or the field's name
    ///
    /// Documents without a URL or without the field are a group of their own.
    #[arg(long, value_name = "GROUP", help_heading = "Matching", hide_short_help = true)]
    pub(crate) within: Option<Within>,
    /// What a candidate has to pass: shingles, less-differences, none, sketch:K/N (K of N entries agree), edit:S
    /// (edit-distance similarity) [default: shingles]
    ///
    /// less-differences is the resemblance less log10(1 + d)/10, d being the shingles that differ: nearer to what people
    /// judge, best with --shingle word:3 and a --threshold about 0.33.
    #[arg(long, value_name = "RULE", help_heading = "Matching", hide_short_help = true)]
    pub(crate) verify: Option<Verify>,
    /// Exact means equal bytes, of a text or a whole page or file, not equal words
    #[arg(long, help_heading = "Matching", hide_short_help = true)]
    pub(crate) raw: bool,
    /// Digest that tells equal texts: xxh3-128, blake3, sha256, sha1 or md5 [default: xxh3-128]
    #[arg(long, value_name = "NAME", help_heading = "Matching", hide_short_help = true)]
    pub(crate) digest: Option<Algorithm>,
    /// Do not look into buckets of more documents; `dedup` names what this cuts in its manifest, others say how much in a note
    #[arg(long, value_name = "N", help_heading = "Matching", hide_short_help = true)]
    pub(crate) max_bucket: Option<usize>,

    /// How much of an HTML page is compared: main (what a reader came for), plateau (the densest run of words, faster),
    /// all (visible text) [default: main]
    ///
    /// Example: --content all --digits fold --stop-words en
    #[arg(
        long,
        value_name = "HOW",
        hide_possible_values = true,
        help_heading = "What counts of a text",
        hide_short_help = true
    )]
    pub(crate) content: Option<ContentName>,
    /// Leave out lines that are on more than this share of a site's pages and on ten at least, learned from the input
    /// in a pass of its own [default: 0.1 where no share is given]
    #[arg(
        long,
        value_name = "SHARE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0.1",
        help_heading = "What counts of a text",
        hide_short_help = true
    )]
    pub(crate) templates: Option<f64>,
    #[command(flatten)]
    pub(crate) text: TextArgs,
    /// Keep of very large documents only the shingles whose hash is 0 modulo P: mod:P
    #[arg(long, value_name = "mod:P", help_heading = "What counts of a text", hide_short_help = true)]
    pub(crate) sample: Option<Sample>,

    /// Values of a MinHash signature [default: 128]
    ///
    /// Example: --signature 256 --recall 0.999
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedI64ValueParser::<usize>::new().range(1..=65536), help_heading = "MinHash", hide_short_help = true)]
    pub(crate) signature: Option<usize>,
    /// Bits kept of each value to tell candidates apart: 8, 16, 32 or 64 [default: 8; 32 with --verify sketch]
    #[arg(long, value_name = "BITS", help_heading = "MinHash", hide_short_help = true)]
    pub(crate) signature_bits: Option<ValueBits>,
    /// Which MinHash: fast or classic [default: fast]
    #[arg(long, value_name = "KIND", help_heading = "MinHash", hide_short_help = true)]
    pub(crate) sketch: Option<SketchName>,
    /// Probability of finding a pair right at the threshold; bands are chosen for it [default: 0.99]
    #[arg(long, value_name = "P", help_heading = "MinHash", hide_short_help = true)]
    pub(crate) recall: Option<f64>,
    /// Bands, instead of those chosen for --recall; more bands find more
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedI64ValueParser::<usize>::new().range(1..), help_heading = "MinHash", hide_short_help = true)]
    pub(crate) bands: Option<usize>,
    /// Signature values in each band; more rows find less
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedI64ValueParser::<usize>::new().range(1..), help_heading = "MinHash", hide_short_help = true)]
    pub(crate) rows: Option<usize>,

    /// Largest Hamming distance of two fingerprints, 0 to 7; with --method combined any below --bits
    /// [default: 3; 12 with --method combined]
    ///
    /// Example: --method simhash --hamming 6 --features word:1
    #[arg(long, value_name = "K", help_heading = "SimHash", hide_short_help = true)]
    pub(crate) hamming: Option<u32>,
    /// Bits of a fingerprint: 32, 64 or 128 [default: 64]
    #[arg(long, value_name = "BITS", help_heading = "SimHash", hide_short_help = true)]
    pub(crate) bits: Option<Bits>,
    /// What a feature counts for: tf, binary or tfidf [default: tf]
    #[arg(long, value_name = "WEIGHT", help_heading = "SimHash", hide_short_help = true)]
    pub(crate) weight: Option<WeightName>,
    /// What the features of a fingerprint are: word:N or char:N [default: word:2]
    #[arg(long, value_name = "KIND:N", help_heading = "SimHash", hide_short_help = true)]
    pub(crate) features: Option<Shingling>,
    /// How near fingerprints are found: tables (none is missed), or rotate:N (neighbours in the order of N rotations)
    /// [default: tables]
    #[arg(long, value_name = "HOW", help_heading = "SimHash", hide_short_help = true)]
    pub(crate) candidates: Option<Neighbours>,
}

/// What sketches are made of, where nothing is matched.
#[derive(Args, Clone, Debug)]
pub(crate) struct SketchArgs {
    /// Digest of the bytes, of a text or a whole page or file, not of its words
    #[arg(long, help_heading = "Sketches")]
    raw: bool,
    /// Bits of a fingerprint: 32, 64 or 128 [default: 64]
    #[arg(long, value_name = "BITS", help_heading = "Sketches")]
    bits: Option<Bits>,
    /// What a feature counts for: tf, binary or tfidf [default: tf]
    #[arg(long, value_name = "WEIGHT", help_heading = "Sketches")]
    weight: Option<WeightName>,
    /// What the features of a fingerprint are: word:N or char:N [default: word:2]
    #[arg(long, value_name = "KIND:N", help_heading = "Sketches")]
    features: Option<Shingling>,
    /// What the shingles of a signature are: word:N or char:N [default: word:5]
    #[arg(long, value_name = "KIND:N", help_heading = "Sketches")]
    shingle: Option<Shingling>,
    /// Values of a signature [default: 128]
    #[arg(long, value_name = "N", help_heading = "Sketches")]
    signature: Option<usize>,
    /// Digest that tells equal texts: xxh3-128, blake3, sha256, sha1 or md5, its first 128 bits [default: xxh3-128]
    #[arg(long, value_name = "NAME", help_heading = "Sketches")]
    digest: Option<Algorithm>,
    #[command(flatten)]
    text: TextArgs,
}

impl SketchArgs {
    /// The same choices as of a method that makes both kinds of sketch.
    pub(crate) fn matching(&self) -> MatchArgs {
        MatchArgs {
            method: Some(MethodName::Combined),
            raw: self.raw,
            bits: self.bits,
            weight: self.weight,
            features: self.features,
            shingle: self.shingle,
            signature: self.signature,
            digest: self.digest,
            text: self.text.clone(),
            ..MatchArgs::default()
        }
    }

    /// Refuses what only signatures are made by.
    pub(crate) fn check_without_signatures(&self) -> Result<()> {
        let given = [
            ("shingle", self.shingle.is_some()),
            ("signature", self.signature.is_some()),
            ("bag", self.text.bag),
        ];
        match given.into_iter().find(|&(_, given)| given) {
            Some((flag, _)) => bail!("--{flag} shapes signatures: it goes with --format parquet"),
            None => Ok(()),
        }
    }
}

/// Default distance of the combined method: its MinHash half finds the candidates, so it may be looser than tables.
pub(crate) const COMBINED_HAMMING: u32 = 12;

impl MatchArgs {
    /// The plan with these choices.
    pub(crate) fn apply(&self, mut plan: Plan) -> Result<Plan> {
        plan.method = self.method.map_or(plan.method, Method::from);
        self.check_method(plan.method)?;
        plan.raw = self.raw;
        plan.content = self.content.map(PageContent::from).unwrap_or_default();
        plan.templates = self.templates;
        if plan.templates.is_some() && plan.content != PageContent::Main {
            bail!("--templates goes with --content main");
        }
        plan.digest = self.digest.unwrap_or_default();
        plan.text = self.text.choices();
        plan.threshold = self.threshold.unwrap_or(plan.threshold);
        plan.containment = self.containment;
        plan.within = self.within.clone().unwrap_or_default();
        plan.verify = self.verify.unwrap_or_default();
        plan.max_bucket = self.max_bucket;
        plan.shingle = self.shingle.unwrap_or(plan.shingle);
        plan.sample = self.sample;
        plan.signature = self.signature.unwrap_or(plan.signature);
        let sketched = matches!(plan.verify, Verify::Sketch { .. });
        plan.signature_bits =
            self.signature_bits.unwrap_or(if sketched { ValueBits::B32 } else { plan.signature_bits });
        plan.sketch = match self.sketch {
            Some(SketchName::Classic) => SketchKind::Classic,
            _ => SketchKind::Fast,
        };
        plan.recall = self.recall.unwrap_or(plan.recall);
        let combined = plan.method == Method::Combined;
        let hamming = if combined { COMBINED_HAMMING } else { plan.simhash.hamming };
        plan.simhash.hamming = self.hamming.unwrap_or(hamming);
        plan.simhash.bits = self.bits.unwrap_or(plan.simhash.bits);
        plan.simhash.weight = match self.weight {
            Some(WeightName::Binary) => Weight::Binary,
            Some(WeightName::Tfidf) => Weight::Tfidf,
            Some(WeightName::Tf) | None => Weight::Tf,
        };
        plan.simhash.features = self.features.unwrap_or(plan.simhash.features);
        plan.simhash.neighbours = self.candidates.unwrap_or_default();
        Ok(plan)
    }

    /// Bands and rows, if they were given.
    pub(crate) fn given_bands(&self) -> Option<(usize, usize)> {
        self.bands.zip(self.rows)
    }

    /// The same choices less those that a method does not look at, for trying several.
    pub(crate) fn for_method(mut self, method: Method) -> Self {
        if !method.has_signature() {
            self = MatchArgs {
                signature: None,
                signature_bits: None,
                sketch: None,
                recall: None,
                bands: None,
                rows: None,
                ..self
            };
        }
        if !method.has_fingerprint() {
            self = MatchArgs { hamming: None, bits: None, weight: None, features: None, ..self };
        }
        if method != Method::Simhash {
            self.candidates = None;
        }
        let sketch_rule = matches!(self.verify, Some(Verify::Sketch { .. }));
        let on_shingles = self.verify.is_none_or(Verify::compares_shingles);
        if method == Method::Exact
            || (method == Method::Join && !on_shingles)
            || (sketch_rule && !method.has_signature())
        {
            self.verify = None;
        }
        if method == Method::Simhash && self.verify.is_some_and(|verify| !verify.compares_shingles()) {
            self.threshold = None;
        }
        if method == Method::Exact {
            self = MatchArgs {
                threshold: None,
                containment: None,
                max_bucket: None,
                shingle: None,
                sample: None,
                ..self
            };
            // Of equal bytes, words are equal whatever counts of them, and pages whatever is content.
            if self.raw {
                (self.text, self.content) = (TextArgs::default(), None);
            }
            self.text.bag = false;
        }
        self
    }

    /// Flags, whether they are given, and the methods that look at them.
    fn rules(&self) -> [(&'static str, bool, &'static [Method]); 20] {
        use Method::{Combined, Join, Minhash, Simhash};
        let sketch_rule = matches!(self.verify, Some(Verify::Sketch { .. }));
        [
            ("verify sketch", sketch_rule, &[Minhash, Combined]),
            ("threshold", self.threshold.is_some(), &[Minhash, Simhash, Combined, Join]),
            ("containment", self.containment.is_some(), &[Minhash, Simhash, Combined, Join]),
            ("verify", self.verify.is_some_and(|v| !v.compares_shingles()), &[Minhash, Simhash, Combined]),
            ("verify", self.verify.is_some(), &[Minhash, Simhash, Combined, Join]),
            ("max-bucket", self.max_bucket.is_some(), &[Minhash, Simhash, Combined, Join]),
            ("shingle", self.shingle.is_some(), &[Minhash, Simhash, Combined, Join]),
            ("sample", self.sample.is_some(), &[Minhash, Simhash, Combined, Join]),
            ("bag", self.text.bag, &[Minhash, Simhash, Combined, Join]),
            ("signature", self.signature.is_some(), &[Minhash, Combined]),
            ("signature-bits", self.signature_bits.is_some(), &[Minhash, Combined]),
            ("sketch", self.sketch.is_some(), &[Minhash, Combined]),
            ("recall", self.recall.is_some(), &[Minhash, Combined]),
            ("bands", self.bands.is_some(), &[Minhash, Combined]),
            ("rows", self.rows.is_some(), &[Minhash, Combined]),
            ("hamming", self.hamming.is_some(), &[Simhash, Combined]),
            ("bits", self.bits.is_some(), &[Simhash, Combined]),
            ("weight", self.weight.is_some(), &[Simhash, Combined]),
            ("features", self.features.is_some(), &[Simhash, Combined]),
            ("candidates", self.candidates.is_some(), &[Simhash]),
        ]
    }

    /// A flag that says how documents are compared, beyond what words and shingles are.
    pub(crate) fn given_of_methods(&self) -> Option<&'static str> {
        let of_methods =
            [("method", self.method.is_some()), ("within", self.within.is_some()), ("raw", self.raw)];
        let rules = self.rules().into_iter().map(|(flag, given, _)| (flag, given));
        of_methods
            .into_iter()
            .chain(rules)
            .find(|&(flag, given)| given && flag != "shingle")
            .map(|(flag, _)| flag)
    }

    /// Refuses a flag that none of several methods looks at, unless it is one of those read elsewhere.
    pub(crate) fn check_methods(&self, methods: &[Method], elsewhere: &[&str]) -> Result<()> {
        let unread = |&(flag, given, its): &(&str, bool, &[Method])| {
            given && !elsewhere.contains(&flag) && !its.iter().any(|method| methods.contains(method))
        };
        if let Some((flag, _, its)) = self.rules().into_iter().find(unread) {
            let given: Vec<&str> = methods.iter().map(|method| method.name()).collect();
            bail!("--{flag} goes with --methods {}, not with {} alone", either(its), given.join(","));
        }
        Ok(())
    }

    /// A flag that the method does not look at is a misunderstanding, and better an error than a surprise.
    fn check_method(&self, method: Method) -> Result<()> {
        for (flag, given, methods) in self.rules() {
            if given && !methods.contains(&method) {
                bail!("--{flag} goes with --method {}, not with {}", either(methods), method.name());
            }
        }
        if self.containment.is_some() && self.verify.is_some_and(|verify| !verify.compares_shingles()) {
            bail!("--containment is decided on shingles: it goes with --verify shingles or less-differences");
        }
        let unread = self.verify.filter(|verify| !verify.compares_shingles());
        if let (Some(verify), true, Method::Simhash) = (unread, self.threshold.is_some(), method) {
            bail!(
                "--threshold goes with --verify shingles or less-differences, not with {verify}: --hamming decides"
            );
        }
        if let (Some(verify), true, true) = (unread, self.threshold.is_some(), self.bands.is_some()) {
            bail!(
                "--threshold goes without --verify {verify}, which decides, where --bands and --rows are given"
            );
        }
        if let (Method::Exact, true, Some(flag)) = (method, self.raw, self.text.given_of_words()) {
            bail!("--{flag} says which words are equal: with --method exact it goes without --raw");
        }
        if method == Method::Exact && self.raw && self.content.is_some() {
            bail!("--content says what of a page is compared: with --method exact it goes without --raw");
        }
        match (self.bands, self.rows) {
            (Some(_), None) | (None, Some(_)) => bail!("--bands and --rows go together"),
            (Some(_), Some(_)) if self.recall.is_some() => {
                bail!("--recall chooses the bands: it goes without --bands and --rows")
            }
            _ => {}
        }
        Ok(())
    }
}

fn either(methods: &[Method]) -> String {
    let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
    match names.as_slice() {
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_of_another_method_names_its_own() {
        let arguments =
            MatchArgs { method: Some(MethodName::Join), hamming: Some(3), ..MatchArgs::default() };
        let error = arguments.apply(Plan::default()).unwrap_err().to_string();
        assert_eq!(error, "--hamming goes with --method simhash or combined, not with join");
    }

    #[test]
    fn no_flag_is_the_default_plan() {
        assert_eq!(MatchArgs::default().apply(Plan::default()).unwrap(), Plan::default());
    }
}
