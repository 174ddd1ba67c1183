//! A `dedup` job from end to end.

use crate::against::{self, Against};
use crate::components::Matched;
use crate::error::Error;
use crate::exact::Representatives;
use crate::inputs::{Found, Selection};
use crate::load::Context;
use crate::progress::{Progress, StageKind};
use crate::recipe::Recipe;
use crate::scan::scan;
use crate::templates::Templates;
use crate::urls::{Ties, Versions, measure_versions};
use crate::verdicts::Verdicts;
use crate::workdir::{Identity, InputStamp, Workdir};
use crate::write::{self, OutputLock};
use crate::{paragraphs, preflight, system};
use onefold_formats::reader::Reader;
use onefold_formats::source::OpenFile;
use onefold_formats::source::Source;
use onefold_page::url::Rules;
use onefold_run::{Manifest, Plan, Stage, Unit};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a run that goes on with another waits until that is gone, and how often it tries.
const PATIENCE: Duration = Duration::from_secs(2);
const TRIED_EVERY: Duration = Duration::from_millis(50);

/// How evidence is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvidenceFormat {
    /// One JSON object a line.
    #[default]
    Jsonl,
    /// Parquet tables.
    Parquet,
}

impl EvidenceFormat {
    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            EvidenceFormat::Jsonl => "jsonl",
            EvidenceFormat::Parquet => "parquet",
        }
    }
}

/// What a job may use of the machine.
#[derive(Clone, Debug)]
pub struct Resources {
    /// Worker threads.
    pub threads: usize,
    /// Budget of memory in bytes.
    pub memory_bytes: u64,
    /// Where to put what does not fit, if not beside the output.
    pub temp: Option<PathBuf>,
}

/// What a job does beside its plan.
#[derive(Clone, Debug, Default)]
pub struct Switches {
    /// Mark duplicates instead of removing them.
    pub annotate: bool,
    /// How evidence is written.
    pub evidence: EvidenceFormat,
    /// Go on with a run that was stopped.
    pub resume: bool,
    /// Overwrite an output.
    pub force: bool,
    /// Bad records from which the job fails.
    pub max_bad_records: Option<u64>,
    /// Whether the kept documents of all sources are to be one stream.
    pub one_stream: bool,
    /// Share of a source that may be removed.
    pub max_removed: f64,
    /// Of the documents only one in so many, chosen by the hash of its id; the others count as empty.
    pub sample_documents: Option<u64>,
    /// Learned rules that documents are tied by, whose digest is in the plan.
    pub url_rules: Option<Rules>,
}

/// A batch job.
pub struct Job<'a> {
    /// What decides the verdicts.
    pub plan: Plan,
    /// What is read.
    pub selection: Selection,
    /// What may be used.
    pub resources: Resources,
    /// What else is to be done.
    pub switches: Switches,
    /// An index whose documents are kept already.
    pub against: Option<Against<'a>>,
    /// Who hears of the progress.
    pub progress: &'a dyn Progress,
    /// Set from outside to stop the job.
    pub cancel: &'static AtomicBool,
}

/// How a job ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It ran.
    Finished(Box<Manifest>),
    /// It had run before.
    AlreadyFinished(Box<Manifest>),
}

impl Job<'_> {
    /// Fails if the job was stopped from outside.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.cancel.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// A reader of a source that ends soon when the job is stopped.
    pub(crate) fn reader(&self, source: &Source, from: (u64, u64)) -> Result<Reader, Error> {
        let limit = self.plan.max_document_bytes as usize;
        Reader::open_stoppable(source, &self.plan.fields, limit, from, self.cancel)
            .map_err(|error| self.failed(error))
    }

    /// Why reading failed: a reader that was called off does not know that the job was stopped.
    pub(crate) fn failed(&self, error: onefold_formats::Error) -> Error {
        self.check().err().unwrap_or(error.into())
    }

    /// XXH3-128 of a file, in hexadecimal. One that is bad as a whole may be so for it may not be read, and has none then.
    pub(crate) fn digest(&self, path: &Path, is_bad: bool) -> Result<String, Error> {
        let file = match OpenFile::open(path) {
            Err(error) if is_bad && error.kind() == std::io::ErrorKind::PermissionDenied => {
                return Ok(String::new());
            }
            opened => opened?,
        };
        file.stop_on(self.cancel);
        Ok(format!("{:032x}", file.finish_digest().map_err(|error| self.failed(error.into()))?))
    }

    fn identity(&self, found: &Found) -> Result<Identity, Error> {
        let sources = found.sources.iter().map(|source| InputStamp::of(&source.path, &source.name));
        let unread = found.unread.iter().map(|file| InputStamp::of(&file.path, &file.name));
        Ok(Identity {
            plan: self.plan.clone(),
            annotate: self.switches.annotate,
            evidence: self.switches.evidence.ending().into(),
            inputs: sources.chain(unread).collect::<Result<_, _>>()?,
            against: self.against.map(|against| against.stamp()).transpose()?,
        })
    }
}

/// Times the stages of a job.
pub(crate) struct Clock {
    stages: Vec<Stage>,
    running: Option<(StageKind, Instant, f64)>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Clock { stages: Vec::new(), running: None }
    }

    pub(crate) fn start(&mut self, stage: StageKind) {
        self.stop();
        self.running = Some((stage, Instant::now(), system::cpu_seconds()));
    }

    pub(crate) fn stop(&mut self) {
        if let Some((stage, since, cpu)) = self.running.take() {
            let round = |seconds: f64| (seconds * 1e3).round() / 1e3;
            self.stages.push(Stage {
                name: stage.name().into(),
                seconds: round(since.elapsed().as_secs_f64()),
                cpu_seconds: round(system::cpu_seconds() - cpu),
            });
        }
    }

    pub(crate) fn stages(mut self) -> Vec<Stage> {
        self.stop();
        self.stages
    }
}

/// Removes duplicates: reads the inputs, decides, and writes `output`.
pub fn dedup(job: &Job<'_>, output: &Path) -> Result<Outcome, Error> {
    if let Some(file) = output.ancestors().find(|path| path.exists()).filter(|path| !path.is_dir()) {
        return Err(Error::OutputIsFile { path: output.to_owned(), file: file.to_owned() });
    }
    let (hidden, place) = (output.join(write::STAGING), working_folder(job, output)?);
    let found = job.selection.look_without(&job.plan.fields, &write::own(output, &place))?;
    let identity = job.identity(&found)?;
    let resumes = job.switches.resume && Workdir::is_at(&place);
    if !resumes {
        if job.switches.resume && output.join("manifest.json").exists() {
            match finished(job, output, &found) {
                // It is another run's, and to be overwritten: there is nothing to resume.
                Err(Error::ResumeChanged { .. }) if job.switches.force => {}
                manifest => {
                    let manifest = manifest?;
                    clean_up(job, output, [&place, &hidden])?;
                    return Ok(Outcome::AlreadyFinished(Box::new(manifest)));
                }
            }
        }
        check_output(job, output)?;
        if job.switches.resume {
            let text = format!("nothing to resume in {}: this starts from the beginning", place.display());
            job.progress.note(&text);
        }
    }
    write::check_inputs(output, &found.sources)?;
    write::check_annotate(job, &found.sources)?;
    write::check_one_stream(job, &found.sources)?;
    write::check_unit(job, &found.sources)?;
    if !resumes {
        preflight::check(job, &found.sources, Some(output))?;
    }
    let lock = patiently(job, || OutputLock::take(output))?;
    let workdir = || {
        // Another run may have finished there before the lock was taken.
        let resumes = resumes && Workdir::is_at(&place);
        if !resumes {
            check_output(job, output)?;
            write::clear_staged(output)?;
        }
        if job.resources.temp.is_some() {
            Workdir::make_own(&place)?;
        }
        patiently(job, || Workdir::open(&place, &identity, resumes, output))
    };
    let outcome = workdir().and_then(|workdir| run_in(job, output, (&found, &identity.inputs), workdir));
    match outcome {
        Ok(manifest) => {
            fs_err::remove_dir_all(&hidden)?;
            Ok(Outcome::Finished(Box::new(manifest)))
        }
        Err(error) => {
            lock.release();
            Err(error)
        }
    }
}

/// Takes a place where runs write. A run that goes on with another waits for it a little: one that was killed has its locks until
/// the system has taken it down, which takes the longer the more memory it had.
fn patiently<T>(job: &Job<'_>, take: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    let since = Instant::now();
    loop {
        match take() {
            Err(Error::OutputBusy(_)) if job.switches.resume && since.elapsed() < PATIENCE => {
                job.check()?;
                std::thread::sleep(TRIED_EVERY);
            }
            taken => return taken,
        }
    }
}

/// Removes what a run that was stopped while it cleaned up left, which is of no more use.
fn clean_up(job: &Job<'_>, output: &Path, folders: [&PathBuf; 2]) -> Result<(), Error> {
    if folders.iter().any(|folder| folder.exists()) {
        let _lock = patiently(job, || OutputLock::take(output))?;
        for left in folders.into_iter().filter(|left| left.exists()) {
            fs_err::remove_dir_all(left)?;
        }
    }
    Ok(())
}

/// Where a run with this output keeps what is not output yet.
pub(crate) fn working_folder(job: &Job<'_>, output: &Path) -> Result<PathBuf, Error> {
    Ok(match &job.resources.temp {
        // Two outputs may share a folder for temporary files.
        Some(temp) => {
            let absolute = std::path::absolute(output)?;
            let tag = xxhash_rust::xxh3::xxh3_64(absolute.as_os_str().as_encoded_bytes());
            temp.join(format!("onefold-{tag:016x}"))
        }
        None => output.join(write::STAGING).join("work"),
    })
}

/// Fails where something is in the output folder, unless that is to be overwritten.
fn check_output(job: &Job<'_>, output: &Path) -> Result<(), Error> {
    let hidden = output.join(write::STAGING);
    let is_other = |entry: std::io::Result<fs_err::DirEntry>| entry.is_ok_and(|e| e.path() != hidden);
    if output.exists() && fs_err::read_dir(output)?.any(is_other) && !job.switches.force {
        return Err(Error::OutputExists(output.to_owned()));
    }
    Ok(())
}

/// Runs, or goes on with a run, in its working folder.
fn run_in(
    job: &Job<'_>,
    output: &Path,
    inputs: (&Found, &[InputStamp]),
    workdir: Workdir,
) -> Result<Manifest, Error> {
    let outcome = match write::publishing(&workdir, output)? {
        true => write::publish(job, &workdir, output).and_then(|()| Ok(Manifest::read(output)?)),
        false => run_whole(job, output, inputs, &workdir),
    };
    if let Err(error) = &outcome {
        write::discard_staged(&workdir, output, error);
        // Nothing goes on with a stream.
        if job.switches.one_stream {
            let _ = workdir.remove();
        }
    } else {
        workdir.remove()?;
    }
    outcome
}

/// The manifest of a run that has finished, if it was this one.
fn finished(job: &Job<'_>, output: &Path, found: &Found) -> Result<Manifest, Error> {
    let manifest = Manifest::read(output)?;
    let changed = |what: &str| Err(Error::ResumeChanged { path: output.to_owned(), what: what.into() });
    if manifest.plan != job.plan {
        return changed("the plan");
    }
    if manifest.annotate != job.switches.annotate || manifest.evidence != job.switches.evidence.ending() {
        return changed("what is to be written");
    }
    let then = manifest.against.as_ref().map(|record| record.index.as_str());
    if then != job.against.map(|against| against.name()).as_deref() {
        return changed("the index");
    }
    // Files that are bad as a whole were no inputs once.
    let listed = |name: &str| manifest.inputs.iter().any(|input| input.source == name);
    let mut found = found.clone();
    found.unread.retain(|file| !file.is_bad || listed(&file.name));
    let files = found.files();
    let inputs = || manifest.inputs.iter().zip(&files);
    let same_files = manifest.inputs.len() == files.len()
        && inputs().all(|(then, &(name, _, size))| then.source == name && then.size == size);
    if !same_files {
        return changed("an input");
    }
    for (then, &(_, path, _)) in inputs() {
        job.check()?;
        if job.digest(path, then.is_bad_as_a_whole())? != then.xxh3_128 {
            return changed("an input");
        }
    }
    Ok(manifest)
}

/// Runs, and where tables turn out to have damage beside what is compared, so that rows of them cannot be kept, once more with
/// that told when they are read.
fn run_whole(
    job: &Job<'_>,
    output: &Path,
    (found, stamps): (&Found, &[InputStamp]),
    workdir: &Workdir,
) -> Result<Manifest, Error> {
    loop {
        let damaged = match run(job, output, (found.clone(), stamps), workdir) {
            Err(Error::DamagedTables(damaged)) => damaged,
            outcome => return outcome,
        };
        let whole = workdir.whole_tables()?;
        if damaged.keys().any(|index| whole.contains(index)) {
            return Err(Error::DamagedTables(damaged));
        }
        write::clear_staged(output)?;
        for &index in damaged.keys() {
            let name = &found.sources[index].name;
            job.progress
                .note(&format!("{name}: damaged beside what is compared: read again, with all its columns"));
            workdir.read_whole(index)?;
        }
    }
}

fn run(
    job: &Job<'_>,
    output: &Path,
    (found, stamps): (Found, &[InputStamp]),
    workdir: &Workdir,
) -> Result<Manifest, Error> {
    let mut clock = Clock::new();
    let Found { mut sources, unread, bad, mut notes } = found;
    for index in workdir.whole_tables()? {
        if let Some(source) = sources.get_mut(index) {
            source.all_columns = true;
        }
    }
    clock.start(StageKind::Count);
    let mut recipe = Recipe::learn(job, &sources)?;
    notes.extend(recipe.templates.as_ref().map(Templates::note));
    clock.start(StageKind::Read);
    let pieces = scan(job, &recipe, &mut sources, workdir, &bad)?;
    InputStamp::check(stamps, &sources)?;
    recipe.forget_counts(job);
    let context = Context::new(job, &sources, &recipe)?;
    let table = pieces.into_table(job, &recipe, &sources, workdir)?;
    notes.extend(crate::groups::check(job, &table)?);
    notes.extend(table.all_rank_last().then(|| job.plan.keep.idle_note()).flatten());
    clock.start(StageKind::Match);
    job.progress.start(StageKind::Match, table.len() as u64);
    let by_paragraph = job.plan.unit == Unit::Paragraph;
    let versions = Versions::find(&context, &table)?;
    notes.extend(versions.note.clone());
    let mut representatives =
        if by_paragraph { Representatives::none(&table) } else { Representatives::find(&table, &versions)? };
    let saved = Verdicts::load(workdir)?;
    let verdicts = match saved {
        Some(verdicts) => verdicts,
        None if by_paragraph => {
            let cuts = paragraphs::find(&context, &table, workdir)?;
            let verdicts = Verdicts::of_cuts(cuts);
            verdicts.save(workdir)?;
            verdicts
        }
        None => {
            let outside = match job.against {
                Some(against) => against::find(&context, against, &table, &representatives, workdir)?,
                None => Vec::new(),
            };
            representatives.take_out(outside.iter().map(|outside| outside.document));
            let ties = Ties::find(&context, &table, &representatives)?;
            let matched = Matched::find(&context, &table, &representatives, &ties, workdir)?;
            clock.start(StageKind::Verify);
            let mut verdicts =
                crate::resolve::resolve(&context, &table, &representatives, &matched, workdir)?;
            measure_versions(&context, &table, &representatives, &versions, workdir, &mut verdicts)?;
            verdicts.outside = outside;
            verdicts.save(workdir)?;
            verdicts
        }
    };
    clock.start(StageKind::Write);
    let run = write::Run {
        context: &context,
        table: &table,
        representatives: &representatives,
        verdicts: &verdicts,
        unread: &unread,
        stamps,
        workdir,
    };
    run.write(output, &bad, notes, clock)
}
