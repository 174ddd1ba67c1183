//! Which plans an index can have, and whether two go together.

use super::args::{CodingKind, LayoutArgs};
use anyhow::{Context, Result, bail};
use onefold_index::{Coding, Index, Rule, Settings, costs};
use onefold_run::{Method, Plan, Unit, Verify};

/// Settings for a plan. Where sets are not stored, an index by fingerprints goes by these alone, and its plan says so.
pub(crate) fn settings(plan: Plan, layout: &LayoutArgs) -> Result<Settings> {
    check(&plan)?;
    // What an index does not go by is as usual, so that one that was imported and one that was created are alike.
    let usual = Plan::default();
    let mut plan = Plan {
        cluster: usual.cluster,
        keep: usual.keep,
        recall: usual.recall,
        urls: usual.urls,
        fields: usual.fields,
        max_document_bytes: usual.max_document_bytes,
        ..plan
    };
    let coding = match layout.coding {
        CodingKind::Coded => Coding::Coded,
        CodingKind::Plain => Coding::Plain,
    };
    let rule = match plan.method {
        Method::Simhash => {
            if layout.no_sets {
                plan.verify = Verify::None;
            }
            let k = plan.simhash.hamming;
            let cheapest = costs(k, layout.documents, coding).into_iter().next();
            let most = onefold_index::MOST_BITS;
            let cost = cheapest.with_context(|| format!("--distance: expected at most {most}, found {k}"))?;
            let threshold = (plan.verify != Verify::None).then_some(plan.threshold);
            Rule::Simhash { tables: cost.shape, threshold }
        }
        Method::Exact => Rule::Exact,
        _ => Rule::Minhash {
            signature: plan.signature,
            bands: plan.bands,
            threshold: plan.threshold,
            max_bucket: plan.max_bucket,
        },
    };
    Ok(Settings {
        sets: match rule {
            Rule::Minhash { .. } => !layout.no_sets,
            Rule::Simhash { threshold, .. } => threshold.is_some(),
            Rule::Exact => false,
        },
        plan: serde_json::to_value(&plan)?,
        rule,
        coding,
        head_documents: layout.head,
    })
}

/// An index answers at once, so that what needs the whole corpus or other measures is for batch runs.
fn check(plan: &Plan) -> Result<()> {
    if matches!(plan.method, Method::Join | Method::Combined) {
        bail!("--method {} is for batch runs; an index knows exact, minhash and simhash", plan.method.name());
    }
    let usual = Plan::default();
    let by_fingerprint = plan.method == Method::Simhash && plan.verify == Verify::None;
    let choices = [
        ("unit paragraph", plan.unit != Unit::Document),
        ("templates", plan.templates.is_some()),
        ("verify", plan.verify != usual.verify && !by_fingerprint),
        ("containment", plan.containment.is_some()),
        ("within", plan.within != usual.within),
        ("weight tfidf", plan.counts_features()),
        ("bits", plan.simhash.bits != usual.simhash.bits),
        ("candidates", plan.simhash.neighbours != usual.simhash.neighbours),
    ];
    match choices.iter().find(|(_, given)| *given) {
        Some((flag, _)) => bail!("--{flag} is for batch runs, and not for an index"),
        None => Ok(()),
    }
}

/// The plan an index was made with.
pub(crate) fn plan_of(index: &Index) -> Result<Plan> {
    let mut plan: Plan = serde_json::from_value(index.settings().plan.clone())
        .context("the plan of this index cannot be read by this version")?;
    let known = onefold_detect::mix::VERSION;
    anyhow::ensure!(
        plan.hash_version == known,
        "the index was made with hashes of version {}, this is version {known}",
        plan.hash_version
    );
    // The rule decides: older indexes have the plan of the flags beside it.
    if let Rule::Simhash { tables, threshold } = index.settings().rule {
        (plan.method, plan.simhash.hamming) = (Method::Simhash, tables.k);
        if threshold.is_none() {
            plan.verify = Verify::None;
        }
    }
    Ok(plan)
}

/// Fails unless a run, or another index, with this plan decides on documents as the index does; names what differs.
pub(crate) fn ensure_same(index: &Index, run: &Plan) -> Result<()> {
    let own = plan_of(index)?;
    let mut names = vec!["method", "raw", "content", "templates", "digest", "text", "within", "containment"];
    match own.method {
        Method::Simhash if own.verify == Verify::None => names.extend(["simhash", "verify"]),
        Method::Simhash => names.extend(["simhash", "verify", "shingle", "sample", "threshold"]),
        Method::Exact => {}
        _ => names.extend([
            "shingle",
            "sample",
            "sketch",
            "signature",
            "signature_bits",
            "bands",
            "threshold",
            "verify",
            "max_bucket",
        ]),
    }
    let (own, run) = (serde_json::to_value(&own)?, serde_json::to_value(run)?);
    let differing: Vec<String> = names
        .into_iter()
        .filter(|name| own[name] != run[name])
        .map(|name| format!("{name} is {} in the index and {} here", own[name], run[name]))
        .collect();
    if !differing.is_empty() {
        bail!("the index was made with another plan: {}", differing.join("; "));
    }
    Ok(())
}
