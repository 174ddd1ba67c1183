//! `onefold dedup`.

mod stream;

use crate::args::{ClusterKind, Dedup, EvidenceKind, InputArgs, MachineArgs, MatchArgs, UnitKind};
use crate::heap;
use crate::inputs::{are_spooled, named, selection};
use crate::interrupt::CANCEL;
use crate::progress::Bars;
use crate::scratch::{Scratch, temp_folder};
use crate::size::human;
use crate::terminal::{escape, note, outln};
use anyhow::{Result, bail};
use onefold_detect::resolve::Clustering;
use onefold_index::{Index, Options};
use onefold_pipeline::{Against, EvidenceFormat, Job, Outcome, Resources, Switches, available_memory};
use onefold_run::{BadLine, InputRecord, KeepRule, Manifest, Method, Plan, Unit};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

pub(crate) fn run(arguments: &Dedup) -> Result<()> {
    let bars = Bars::new(arguments.machine.quiet);
    let to_stdout = arguments.output.as_deref() == Some(Path::new("-"));
    if to_stdout {
        refuse_for_stdout(arguments)?;
    }
    refuse_temp_in_output(arguments)?;
    let named = named(&arguments.input)?;
    // What was spooled is gone with the process, and so is an output on its way to standard output.
    crate::terminal::RESUMABLE.store(!to_stdout && !are_spooled(&named), Ordering::Relaxed);
    let scratch = Scratch::new(&arguments.machine)?;
    let mut job = Job {
        plan: plan(&arguments.input, &arguments.matching)?,
        selection: selection(named, &scratch, arguments.machine.quiet)?,
        resources: resources(&arguments.machine)?,
        switches: Switches {
            annotate: arguments.annotate,
            evidence: match arguments.evidence {
                EvidenceKind::Jsonl => EvidenceFormat::Jsonl,
                EvidenceKind::Parquet => EvidenceFormat::Parquet,
            },
            resume: arguments.resume,
            force: arguments.force,
            one_stream: to_stdout,
            max_bad_records: arguments.input.max_bad_records,
            max_removed: arguments.max_removed,
            ..Switches::default()
        },
        against: None,
        progress: &bars,
        cancel: &CANCEL,
    };
    if to_stdout {
        // None of it can be resumed.
        job.resources.temp = Some(scratch.path()?.to_owned());
    }
    job.plan.cluster = match arguments.cluster {
        ClusterKind::Star => Clustering::Star,
        ClusterKind::Components => Clustering::Components,
    };
    if job.plan.method == Method::Exact && arguments.cluster == ClusterKind::Components {
        bail!(
            "--cluster goes with methods that find similar texts, not with exact: equal ones are one cluster"
        );
    }
    job.plan.keep = arguments.keep.clone();
    let (evidence, rules) = arguments.urls.evidence(job.plan.method)?;
    job.plan.urls = Some(evidence);
    job.switches.url_rules = rules;
    if let Some(date) = &arguments.date_field {
        if !job.plan.keep.goes_by_date() && !job.plan.keeps_newest_version() {
            bail!(
                "--date-field goes with --keep newest, --keep oldest or --versions newest, which alone read dates"
            );
        }
        job.plan.fields.date.clone_from(date);
    }
    if arguments.unit == UnitKind::Paragraph {
        job.plan = by_paragraph(arguments, job.plan)?;
    }
    job.plan = job.plan.tuned(arguments.matching.given_bands())?;
    if arguments.plan {
        return print_estimate(&job, arguments.output.as_deref(), arguments.json);
    }
    let index = arguments.against.as_deref().map(|path| open_against(arguments, path, &job)).transpose()?;
    job.against =
        arguments.against.as_deref().zip(index.as_ref()).map(|(path, index)| Against { index, path });
    let Some(output) = &arguments.output else { bail!("--output is needed") };
    let folder = if to_stdout { scratch.path()?.join("output") } else { output.clone() };
    let started = Instant::now();
    let outcome = onefold_pipeline::dedup(&job, &folder);
    bars.finish();
    let manifest = match outcome? {
        Outcome::Finished(manifest) => manifest,
        Outcome::AlreadyFinished(manifest) => {
            onefold_pipeline::Progress::note(&bars, "this run had finished before; nothing was done");
            manifest
        }
    };
    let mut bad = None;
    if to_stdout {
        stream::print_kept(&manifest, &folder.join("kept"))?;
        bad = Some(first_bad(&folder)?);
    }
    let done = Done { manifest: &manifest, bad, seconds: started.elapsed().as_secs_f64() };
    summary(&done, arguments, output)
}

/// What is written there is removed in the end, and an output is not to be mixed with it.
fn refuse_temp_in_output(arguments: &Dedup) -> Result<()> {
    if let (Some(temp), Some(output)) = (&arguments.machine.temp, &arguments.output) {
        let [temp, output] = [temp, output].map(std::path::absolute);
        if temp?.starts_with(output?) {
            bail!(
                "--temp lies in --output: choose a folder outside, or leave it out to have one that goes with the run"
            );
        }
    }
    Ok(())
}

/// Refuses flags of an output folder where there is none: they would do nothing.
fn refuse_for_stdout(arguments: &Dedup) -> Result<()> {
    let of_folders = [
        (arguments.evidence == EvidenceKind::Parquet, "--evidence parquet"),
        (arguments.force, "--force"),
        (arguments.resume, "--resume"),
    ];
    if let Some((_, flag)) = of_folders.iter().find(|(is_given, _)| *is_given) {
        bail!("{flag} goes with a folder as --output: `-` leaves nothing behind");
    }
    if arguments.json && arguments.machine.quiet && !arguments.plan {
        bail!(
            "--json goes without --quiet where --output is `-`: the summary is on standard error then, which --quiet silences"
        );
    }
    Ok(())
}

/// Bad records that are told of where no file names them.
const BAD_TOLD: usize = 10;

/// The first bad records of an output that is about to go.
fn first_bad(folder: &Path) -> Result<Vec<BadLine>> {
    let file = BufReader::new(fs_err::File::open(folder.join("bad.jsonl"))?);
    file.lines().take(BAD_TOLD).map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}

/// Opens the index that a run is held against, and sees that both decide alike.
fn open_against(arguments: &Dedup, path: &Path, job: &Job<'_>) -> Result<Index> {
    if arguments.unit == UnitKind::Paragraph || arguments.cluster == ClusterKind::Components {
        bail!("--against goes with --unit document and --cluster star");
    }
    if job.plan.keeps_newest_version() {
        bail!("--against goes with --versions all: what an index holds has no versions");
    }
    let cache_bytes = (job.resources.memory_bytes / 4) as usize;
    let index = Index::open(path, Options { cache_bytes, ..Options::default() })?;
    crate::index::ensure_same(&index, &job.plan)?;
    Ok(index)
}

/// The plan for cutting paragraphs out of documents, all of which stay.
fn by_paragraph(arguments: &Dedup, plan: Plan) -> Result<Plan> {
    let matching = &arguments.matching;
    if arguments.urls.are_given() {
        bail!(
            "--unit paragraph keeps all documents: it goes without --versions, --url-threshold and --url-rules"
        );
    }
    if matching.templates.is_some() {
        bail!("--unit paragraph cuts lines out by itself: it goes without --templates");
    }
    let of_clusters = [
        ("cluster", arguments.cluster != ClusterKind::default()),
        ("keep", arguments.keep != KeepRule::default()),
    ];
    let of_clusters = || of_clusters.iter().find(|(_, given)| *given).map(|(flag, _)| *flag);
    if let Some(flag) = matching.given_of_methods().or_else(of_clusters) {
        bail!(
            "--unit paragraph keeps the first of equal paragraphs, and all documents: it goes without --{flag}, and with --shingle, --digest and what of a text counts"
        );
    }
    Ok(Plan { unit: Unit::Paragraph, method: Method::Exact, urls: None, ..plan })
}

/// The plan that the arguments describe, with the bands they ask for or those that fit.
pub(crate) fn plan(input: &InputArgs, matching: &MatchArgs) -> Result<Plan> {
    let fields = input.fields.fields();
    let plan = Plan { fields, max_document_bytes: input.max_document, ..Plan::default() };
    matching.apply(plan)
}

/// A job that lists something of all documents, with what does not fit below `scratch`.
pub(crate) fn listing<'a>(
    plan: Plan,
    (input, machine): (&InputArgs, &MachineArgs),
    scratch: &Scratch,
    bars: &'a Bars,
) -> Result<Job<'a>> {
    Ok(Job {
        plan,
        selection: selection(named(input)?, scratch, machine.quiet)?,
        resources: Resources { temp: Some(scratch.path()?.to_owned()), ..resources(machine)? },
        switches: Switches { max_bad_records: input.max_bad_records, ..Switches::default() },
        against: None,
        progress: bars,
        cancel: &CANCEL,
    })
}

/// What the job may use, of which the allocator is told.
pub(crate) fn resources(machine: &MachineArgs) -> Result<Resources> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let memory_bytes = machine.memory.unwrap_or_else(|| available_memory() / 2);
    heap::keep_to(memory_bytes);
    Ok(Resources {
        threads: machine.threads.map_or(processors, usize::from),
        memory_bytes,
        temp: temp_folder(machine)?,
    })
}

fn print_estimate(job: &Job<'_>, output: Option<&Path>, json: bool) -> Result<()> {
    let output = output.unwrap_or(Path::new("."));
    let estimate = onefold_pipeline::estimate(job, Some(output))?;
    let plan = &job.plan;
    if json {
        let value = serde_json::json!({
            "version": 1,
            "files": estimate.sources,
            "input_bytes": estimate.input_bytes,
            "documents": estimate.documents,
            "memory_bytes": estimate.memory_bytes,
            "memory_allowed_bytes": job.resources.memory_bytes,
            "temp_bytes": estimate.temp_bytes,
            "output_bytes": estimate.output_bytes,
            "seconds": estimate.seconds,
            "refused": estimate.refused,
            "bands": plan.method.has_signature().then_some(plan.bands.bands),
            "rows": plan.method.has_signature().then_some(plan.bands.rows),
        });
        outln!("{value}");
        return Ok(());
    }
    outln!("files      {} ({})", estimate.sources, human(estimate.input_bytes));
    outln!("documents  about {}", estimate.documents);
    outln!(
        "memory     {} at least, {} allowed",
        human(estimate.memory_bytes),
        human(job.resources.memory_bytes)
    );
    outln!(
        "disk       {} temporary at most, {} output with nothing removed",
        human(estimate.temp_bytes),
        human(estimate.output_bytes)
    );
    outln!("time       about {:.0} s with {} threads", estimate.seconds.max(1.0), job.resources.threads);
    if plan.method.has_signature() {
        outln!("bands      {} of {} rows", plan.bands.bands, plan.bands.rows);
    }
    if let Some(why) = &estimate.refused {
        outln!("refused    {}", escape(why));
    }
    Ok(())
}

/// What there is to tell of a run that has ended.
struct Done<'a> {
    manifest: &'a Manifest,
    /// The first bad records, where no file is left that names them.
    bad: Option<Vec<BadLine>>,
    seconds: f64,
}

/// The field of the text, if all that was read is bad for want of it.
fn field_of_none(manifest: &Manifest) -> Option<&str> {
    let nothing_read = manifest.counts.kept + manifest.counts.removed == 0;
    let wanting = |kind: &String| kind == "missing-field" || kind == "field-type";
    let is_so = nothing_read && manifest.counts.bad > 0 && manifest.bad_by_kind.keys().all(wanting);
    is_so.then_some(&manifest.plan.fields.text)
}

fn summary(done: &Done<'_>, arguments: &Dedup, output: &Path) -> Result<()> {
    let &Done { manifest, ref bad, seconds } = done;
    let counts = &manifest.counts;
    if arguments.json {
        let mut value = serde_json::json!({
            "version": manifest.version,
            "counts": counts,
            "paragraphs": manifest.paragraphs,
            "urls": manifest.urls,
            "against": manifest.against,
            "bad_by_kind": manifest.bad_by_kind,
            "seconds": seconds,
            "peak_memory_bytes": manifest.peak_memory_bytes,
        });
        match bad {
            None => outln!("{value}"),
            // Standard output is the corpus.
            Some(first) => {
                value["first_bad"] = serde_json::to_value(first)?;
                note!("{value}");
                return Ok(());
            }
        }
    }
    if arguments.machine.quiet {
        return Ok(());
    }
    let bytes: u64 = manifest.inputs.iter().map(|input| input.size).sum();
    let share = |part: u64| 100.0 * part as f64 / counts.read.max(1) as f64;
    note!("read     {:>12}  {} in {seconds:.1} s", counts.read, human(bytes));
    note!("kept     {:>12}  {:.1} %", counts.kept, share(counts.kept));
    let more = |count: u64, kind: &str| match count {
        0 => String::new(),
        count => format!(", {count} {kind}"),
    };
    let kinds = format!(
        "{} exact, {} near{}{}, {} clusters",
        counts.removed_exact,
        counts.removed_near,
        more(counts.removed_contained, "contained"),
        more(counts.removed_url, "url"),
        counts.clusters
    );
    // All documents are below kept/ then.
    let removed = if manifest.annotate { "marked " } else { "removed" };
    note!("{removed}  {:>12}  {:.1} %: {kinds}", counts.removed, share(counts.removed));
    if let Some(against) = &manifest.against {
        let (exact, near) = (against.removed_exact, against.removed_near);
        note!(
            "known    {:>12}  of the removed, by {}: {exact} exact, {near} near",
            exact + near,
            crate::terminal::escape(&against.index)
        );
    }
    if let Some(cut) = &manifest.paragraphs {
        let share = 100.0 * cut.bytes_removed as f64 / cut.bytes_read.max(1) as f64;
        note!(
            "cut      {:>12}  of {} paragraphs, from {} documents: {}, {share:.1} % of the text",
            cut.removed,
            cut.read,
            cut.documents,
            human(cut.bytes_removed)
        );
    }
    let kinds = |counts: &BTreeMap<String, u64>| {
        counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
    };
    let see = |name: &str| match bad {
        None => format!("; see {name}.{}", manifest.evidence),
        Some(_) => String::new(),
    };
    let (skipped, needs) = (&manifest.pages.skipped, &manifest.pages.needs);
    if !skipped.is_empty() {
        note!("skipped  {:>12}  {}", skipped.values().sum::<u64>(), kinds(skipped));
    }
    if !needs.is_empty() {
        let count = needs.values().sum::<u64>();
        note!("needing  {count:>12}  {} to show their content{}", kinds(needs), see("needs"));
    }
    if counts.bad > 0 {
        note!("bad      {:>12}  {}{}", counts.bad, kinds(&manifest.bad_by_kind), see("bad"));
    }
    if let Some(field) = field_of_none(manifest) {
        note!("hint: no record has a text in `{}`; --text-field names the field that has it", escape(field));
    }
    for line in bad.iter().flatten() {
        let is_whole = |input: &InputRecord| input.source == line.source && !input.holds_records();
        // A file that cannot be read is bad as a whole.
        let record = if line.offset + line.length > 0 && !manifest.inputs.iter().any(is_whole) {
            format!(" record at {}:", line.offset)
        } else {
            String::new()
        };
        note!("note: {}", escape(&format!("{}:{record} {}", line.source, line.message)));
    }
    if let Some(more) =
        bad.as_ref().map(|first| counts.bad.saturating_sub(first.len() as u64)).filter(|&more| more > 0)
    {
        note!("note: and {more} more bad records");
    }
    for note in &manifest.notes {
        note!("note: {}", crate::terminal::escape(note));
    }
    if output != Path::new("-") {
        note!("written to {}", output.display());
    }
    Ok(())
}
