//! What every worker needs to sketch a document: the plan, and what was learned of the whole input before.

use crate::census::{FeatureCounts, FeatureWeights, ShingleCensus, ShingleCounts, visit};
use crate::error::Error;
use crate::job::Job;
use crate::large::Limits;
use crate::record::Layout;
use crate::scan::lock;
use crate::sketcher::Sketcher;
use crate::templates::Templates;
use onefold_detect::matching::Tables;
use onefold_formats::source::Source;
use onefold_page::url::Rules;
use onefold_run::{Method, Neighbours, Plan};
use std::sync::Mutex;
use xxhash_rust::xxh3::xxh3_64;

/// A page of text, roughly, for what depends on the number of documents before they are counted.
pub(crate) const BYTES_A_PAGE: u64 = 2000;

/// How documents are sketched.
pub(crate) struct Recipe<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) layout: Layout,
    /// Tables of fingerprints, where their keys are wanted.
    pub(crate) tables: Option<Tables>,
    pub(crate) shingles: Option<ShingleCounts>,
    pub(crate) features: Option<FeatureWeights>,
    /// Lines that do not count.
    pub(crate) templates: Option<Templates>,
    /// Learned rules that documents are tied by.
    pub(crate) url_rules: Option<&'p Rules>,
    /// Whether documents that meet will be compared by their shingles, which are worth holding then: keys of bands are
    /// shared by few, those of tables of fingerprints by many.
    pub(crate) holds_shingles: bool,
    /// Of the documents only one in so many is sketched.
    one_in: Option<u64>,
}

impl<'p> Recipe<'p> {
    /// The recipe before anything is known of the input.
    pub(crate) fn blank(plan: &'p Plan, input_bytes: u64) -> Self {
        let by_tables = plan.method == Method::Simhash && plan.simhash.neighbours == Neighbours::Tables;
        let (bits, distance) = (plan.simhash.bits.count(), plan.simhash.hamming);
        let tables = by_tables.then(|| {
            Tables::choose(bits, distance, input_bytes / BYTES_A_PAGE)
                .expect("there are tables because the plan's ranges were checked")
        });
        let layout = Layout::of(plan);
        Recipe {
            plan,
            layout,
            tables,
            shingles: None,
            features: None,
            templates: None,
            url_rules: None,
            holds_shingles: layout.has_signature() && plan.verify.compares_shingles(),
            one_in: None,
        }
    }

    /// Frees what only reading needs, once all was read. Documents that an index is asked about are sketched again.
    pub(crate) fn forget_counts(&mut self, job: &Job<'_>) {
        if job.against.is_none() {
            self.shingles = None;
        }
    }

    /// Whether a document is looked at.
    pub(crate) fn takes(&self, id: &str) -> bool {
        self.one_in.is_none_or(|one_in| xxh3_64(id.as_bytes()).is_multiple_of(one_in.max(1)))
    }

    /// The recipe for some sources, which are read once for it if the plan asks for counts.
    pub(crate) fn learn(job: &'p Job<'_>, sources: &[Source]) -> Result<Self, Error> {
        let plan = &job.plan;
        let bytes = sources.iter().map(|source| source.size).sum();
        let mut recipe = Recipe::blank(plan, bytes);
        recipe.url_rules = job.switches.url_rules.as_ref();
        recipe.templates = plan.templates.map(|share| Templates::learn(job, sources, share)).transpose()?;
        recipe.one_in = job.switches.sample_documents;
        if !plan.counts_shingles() && !plan.counts_features() {
            return Ok(recipe);
        }
        let shingles = plan
            .counts_shingles()
            .then(|| ShingleCensus::new(bytes, job.resources.memory_bytes / 4, counted_sixteenths(plan)));
        let features = plan.counts_features().then(FeatureCounts::new);
        let (limits, large) = (Limits::of(job), Mutex::new(()));
        visit(
            job,
            sources,
            || (Sketcher::new(&recipe), shingles.as_ref().map(ShingleCensus::worker)),
            |(sketcher, counter), document| {
                let memory = limits.memory(document, document.body.len());
                // One that does not fit is refused when it is read.
                if memory > limits.largest {
                    return;
                }
                let large = (memory > limits.from).then(|| lock(&large));
                sketcher.count(document, counter.as_mut(), features.as_ref());
                if large.is_some() {
                    *sketcher = Sketcher::new(&recipe);
                }
            },
        )?;
        recipe.shingles = shingles.map(ShingleCensus::finish);
        recipe.features = features.map(FeatureCounts::finish);
        Ok(recipe)
    }
}

/// Which part of the shingles has to be counted. A text of its own fills its prefix, 1 − t of its shingles, with
/// such as no other has: where two and a half times as many are counted, hardly one with half of its shingles in
/// common fails to. With containment, every shingle others have is a key, and all are counted.
pub(crate) fn counted_sixteenths(plan: &Plan) -> u64 {
    match plan.containment {
        Some(_) => 16,
        None => ((1.0 - plan.threshold) * 2.5 * 16.0).ceil().clamp(2.0, 16.0) as u64,
    }
}
