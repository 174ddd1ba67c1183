//! The life of an index: made, looked after, copied.

use super::args::{Create, Dir, Expire, FromTo, PlanArgs, Stats, StoreKind};
use super::{answer_no, now, open, plans};
use crate::size::human;
use crate::terminal::outln;
use anyhow::{Result, bail, ensure};
use onefold_index::{Coding, Cost, Cut, Index, KeyBits, Options, Rule, costs};
use onefold_run::{Method, Plan, Verify};

pub(super) fn create(arguments: &Create) -> Result<()> {
    let matching = &arguments.matching;
    let mut plan = Plan::default();
    if arguments.distance.is_some() {
        plan.method = Method::Simhash;
    }
    plan = matching.apply(plan)?.tuned(matching.given_bands())?;
    if let Some(distance) = arguments.distance {
        ensure!(plan.method == Method::Simhash, "--distance goes with --method simhash and no other");
        ensure!(
            matching.threshold.is_none(),
            "--threshold: with --distance nothing but fingerprints counts; --method simhash goes by both"
        );
        // Fingerprints alone, as a client sends them.
        (plan.simhash.hamming, plan.verify) = (distance, Verify::None);
    }
    let settings = plans::settings(plan, &arguments.layout)?;
    let index = Index::create(&arguments.dir, settings, Options::default())?;
    if arguments.store == Some(StoreKind::Text) {
        index.store_texts()?;
    }
    Ok(())
}

pub(super) fn expire(arguments: &Expire) -> Result<()> {
    let index = open(&arguments.dir, Options::default())?;
    let before = now().saturating_sub(arguments.older_than);
    outln!("{}", serde_json::json!({"removed": index.expire(before)?, "last_seen_before": before}));
    Ok(())
}

pub(super) fn stats(arguments: &Stats) -> Result<()> {
    let index = open(&arguments.dir, Options::default())?;
    let (stats, key_bits) = (index.stats()?, index.key_bits()?);
    let bits = |bytes: u64| bytes as f64 * 8.0 / stats.table_entries.max(1) as f64;
    if arguments.json {
        let mut value = serde_json::to_value(&stats)?;
        value["version"] = 1.into();
        value["key_bits"] = serde_json::to_value(key_bits)?;
        value["settings"] = serde_json::to_value(index.settings())?;
        outln!("{value}");
        return Ok(());
    }
    outln!("documents  {}: {} keepers, {} members", stats.documents, stats.keepers, stats.members);
    outln!("rule       {}", rule(&index)?);
    outln!("segments   {} ({}), {} removed in them", stats.segments, human(stats.segment_bytes), stats.dead);
    outln!("head       {} keys", stats.head_entries);
    outln!("store      {}", human(stats.store_bytes));
    outln!("memory     {} for keys", human(stats.memory_bytes));
    if stats.table_entries > 0 {
        let (bits, tables) = (bits(stats.table_bytes), stats.tables);
        let coding = index.settings().coding.name();
        outln!(
            "tables     {tables}, {coding}, {bits:.1} bits a fingerprint and its document's number in each"
        );
    }
    if let Some(KeyBits { plain, coded, bound }) = key_bits {
        outln!(
            "bits       {plain} a fingerprint before coding, {coded:.1} after; uniform ones take {bound:.1} at least"
        );
    }
    if let Some(trouble) = &stats.trouble {
        outln!("trouble    {}", crate::terminal::escape(trouble));
    }
    Ok(())
}

/// What makes near duplicates, and what is stored.
fn rule(index: &Index) -> Result<String> {
    let settings = index.settings();
    let mut words = vec![match settings.rule {
        Rule::Exact => "exact".to_owned(),
        Rule::Minhash { threshold, .. } => format!("minhash at {threshold}"),
        Rule::Simhash { tables, threshold: None } => format!("simhash within {} bits", tables.k),
        Rule::Simhash { tables, threshold: Some(threshold) } => {
            format!("simhash within {} bits, and a resemblance of {threshold}", tables.k)
        }
    }];
    words.push(if settings.sets { "shingle sets stored" } else { "no shingle sets" }.to_owned());
    words.push(if index.stores_texts()? { "texts stored" } else { "no texts" }.to_owned());
    Ok(words.join("; "))
}

pub(super) fn verify(arguments: &Dir) -> Result<()> {
    let index = open(&arguments.dir, Options::default())?;
    let report = index.verify()?;
    outln!("{} documents and {} keys, {} problems", report.documents, report.keys, report.problems.len());
    for problem in &report.problems {
        outln!("{}", crate::terminal::escape(problem));
    }
    if !report.problems.is_empty() {
        answer_no(index);
    }
    Ok(())
}

pub(super) fn compact(arguments: &Dir) -> Result<()> {
    Ok(open(&arguments.dir, Options::default())?.compact()?)
}

pub(super) fn backup(arguments: &FromTo) -> Result<()> {
    Ok(open(&arguments.dir, Options::default())?.backup(&arguments.other)?)
}

pub(super) fn restore(arguments: &FromTo) -> Result<()> {
    Index::restore(&arguments.dir, &arguments.other, Options::default())?;
    Ok(())
}

pub(super) fn merge(arguments: &FromTo) -> Result<()> {
    let same = std::fs::canonicalize(&arguments.dir).ok().zip(std::fs::canonicalize(&arguments.other).ok());
    if same.is_some_and(|(one, other)| one == other) {
        bail!("{}: an index is not merged into itself", arguments.dir.display());
    }
    let index = open(&arguments.dir, Options::default())?;
    let other = open(&arguments.other, Options::default())?;
    plans::ensure_same(&index, &plans::plan_of(&other)?)?;
    let new = index.merge_alike(&other)?;
    outln!("{}", serde_json::json!({"new": new, "documents": index.stats()?.documents}));
    Ok(())
}

pub(super) fn plan(arguments: &PlanArgs) -> Result<()> {
    let costs = costs(arguments.distance, arguments.documents, Coding::Plain);
    let cut = |cost: &Cost| {
        let k = cost.shape.k;
        match cost.shape.cut {
            Cut::One => format!("1 of {} blocks agrees", k + 1),
            Cut::Two => format!("2 of {} blocks agree", k + 2),
            Cut::Nested => format!("1 of {} blocks agrees, and 1 of {} of the rest", k + 1, k + 1),
            Cut::Three => format!("3 of {} blocks agree", k + 3),
        }
    };
    if arguments.json {
        let line = |cost: &Cost| {
            serde_json::json!({
                "tables": cost.tables, "cut": cut(cost), "key_bits": cost.key_bits, "probes": cost.tables,
                "compared": cost.compared, "coded_bytes": cost.coded_bytes as u64,
                "plain_bytes": cost.plain_bytes as u64, "coded_microseconds": cost.coded_microseconds,
                "plain_microseconds": cost.plain_microseconds,
            })
        };
        let lines: Vec<serde_json::Value> = costs.iter().map(line).collect();
        let (documents, distance) = (arguments.documents, arguments.distance);
        outln!(
            "{}",
            serde_json::json!({"version": 1, "documents": documents, "distance": distance, "plans": lines})
        );
        return Ok(());
    }
    outln!(
        "{} documents, up to {} bits apart, none missed; the fastest plain first",
        arguments.documents,
        arguments.distance
    );
    outln!(
        "tables  probes  key bits  compared a query  memory coded  memory plain  µs coded  µs plain  blocks"
    );
    for cost in &costs {
        outln!(
            "{:>6}  {:>6}  {:>8}  {:>16.1}  {:>12}  {:>12}  {:>8.1}  {:>8.1}  {}",
            cost.tables,
            cost.tables,
            cost.key_bits,
            cost.compared,
            human(cost.coded_bytes as u64),
            human(cost.plain_bytes as u64),
            cost.coded_microseconds,
            cost.plain_microseconds,
            cut(cost)
        );
    }
    Ok(())
}
