//! `onefold index`.

mod admin;
mod args;
mod documents;
mod fingerprints;
mod lines;

use args::IndexCommand;
pub(crate) use args::{DurabilityKind, IndexArgs};

use anyhow::{Context, Result};
use onefold_index::{Index, Options};
use onefold_run::Plan;
use std::path::Path;

pub(crate) fn run(arguments: &IndexArgs) -> Result<()> {
    match &arguments.command {
        IndexCommand::Create(arguments) => admin::create(arguments),
        IndexCommand::Add(arguments) => documents::add(arguments),
        IndexCommand::Check(arguments) => documents::check(arguments),
        IndexCommand::Get(arguments) => documents::get(arguments),
        IndexCommand::Remove(arguments) => documents::remove(arguments),
        IndexCommand::Touch(arguments) => documents::touch(arguments),
        IndexCommand::Expire(arguments) => admin::expire(arguments),
        IndexCommand::Stats(arguments) => admin::stats(arguments),
        IndexCommand::Verify(arguments) => admin::verify(arguments),
        IndexCommand::Compact(arguments) => admin::compact(arguments),
        IndexCommand::Backup(arguments) => admin::backup(arguments),
        IndexCommand::Restore(arguments) => admin::restore(arguments),
        IndexCommand::Export(arguments) => documents::export(arguments),
        IndexCommand::Merge(arguments) => admin::merge(arguments),
        IndexCommand::Plan(arguments) => admin::plan(arguments),
        IndexCommand::QueryBatch(arguments) => fingerprints::query_batch(arguments),
        IndexCommand::Pictures(arguments) => fingerprints::pictures(arguments),
    }
}

fn open(path: &Path, options: Options) -> Result<Index> {
    Ok(Index::open(path, options)?)
}

/// The plan an index was made with.
pub(crate) fn plan_of(index: &Index) -> Result<Plan> {
    let plan: Plan = serde_json::from_value(index.settings().plan.clone())
        .context("the plan of this index cannot be read by this version")?;
    let known = onefold_detect::mix::VERSION;
    anyhow::ensure!(
        plan.hash_version == known,
        "the index was made with hashes of version {}, this is version {known}",
        plan.hash_version
    );
    Ok(plan)
}

/// Seconds since 1970.
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Ends with the exit code for an answer that is no, once all is closed and printed.
fn answer_no(index: Index) -> ! {
    drop(index);
    std::process::exit(1)
}
