//! The comparison itself: rounds over all tools, then the scores, then the report.

use std::fmt::Write as _;
use std::io::{BufReader, Read, Write as _};
use std::path::Path;

use fs_err::{self as fs, File};

use crate::Options;
use crate::error::Error;
use crate::measure::{Cost, measure};
use crate::score::Truth;
use crate::table::{self, Row};
use crate::tools::{Input, Tool, tools};

/// Runs everything and gives the report.
pub(crate) fn run(options: &Options) -> Result<String, Error> {
    let this = std::env::current_exe()?;
    for path in [Some(&options.corpus), Some(&options.truth), options.wet.as_ref()].into_iter().flatten() {
        fs::metadata(path)?;
    }
    fs::create_dir_all(&options.work)?;
    let tools = tools(options, &this);
    let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); tools.len()];
    // Round by round, so that a slow minute of the machine falls on every tool alike.
    for round in 1..=options.runs {
        for (tool, costs) in tools.iter().zip(&mut costs) {
            eprintln!("run {round} of {}: {}", options.runs, tool.name);
            costs.push(run_once(tool, &options.work)?);
        }
    }
    let truth = Truth::read(&options.truth)?;
    let jsonl_bytes = fs::metadata(&options.corpus)?.len();
    let wet_bytes = options.wet.as_deref().map(inflated_bytes).transpose()?.unwrap_or(0);
    let mut rows = Vec::new();
    for (tool, costs) in tools.iter().zip(&costs) {
        let best = *costs
            .iter()
            .min_by(|a, b| a.cpu_seconds.total_cmp(&b.cpu_seconds))
            .ok_or(Error::Missing("--runs"))?;
        let bytes = if tool.input == Input::Wet { wet_bytes } else { jsonl_bytes };
        rows.push(Row { tool, best, bytes, score: truth.score(&tool.answer)? });
    }
    if let Some(path) = &options.raw {
        write_raw(path, &tools, &costs)?;
    }
    let mut report = table::markdown(&rows);
    let _ = writeln!(report, "\n{}", conditions(options, jsonl_bytes));
    for tool in &tools {
        let _ = writeln!(report, "- {}: `{}`", tool.name, tool.shown());
    }
    Ok(report)
}

fn run_once(tool: &Tool, work: &Path) -> Result<Cost, Error> {
    if let Some(folder) = tool.fresh.as_deref().filter(|folder| folder.exists()) {
        fs::remove_dir_all(folder)?;
    }
    measure(tool.name, &mut tool.command(), tool.stdout.as_deref(), &work.join("messages.log"))
}

/// The size of a gzip file's content, counted by gzip itself: the trailer knows the last member only.
fn inflated_bytes(path: &Path) -> Result<u64, Error> {
    let mut child = std::process::Command::new("gzip")
        .arg("-dc")
        .arg(path)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .map_err(|source| Error::Start { program: "gzip".into(), source })?;
    let mut bytes = 0;
    if let Some(output) = child.stdout.take() {
        let mut reader = BufReader::new(output);
        let mut buffer = vec![0; 1 << 16];
        loop {
            match reader.read(&mut buffer)? {
                0 => break,
                read => bytes += read as u64,
            }
        }
    }
    child.wait()?;
    Ok(bytes)
}

fn conditions(options: &Options, bytes: u64) -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("unknown", |m| m.1);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let corpus = options.corpus.file_name().unwrap_or_default().to_string_lossy();
    format!(
        "{corpus}, {:.1} MB; best of {} runs, interleaved; {model}, {cores} cores; CPU seconds are user and system \
         together, of all threads; recall and precision at a resemblance of {}.\n",
        bytes as f64 / 1e6,
        options.runs,
        crate::score::THRESHOLD,
    )
}

fn write_raw(path: &Path, tools: &[Tool], costs: &[Vec<Cost>]) -> Result<(), Error> {
    let mut file = File::create(path)?;
    for (tool, costs) in tools.iter().zip(costs) {
        for (run, cost) in costs.iter().enumerate() {
            let line = serde_json::json!({
                "version": 1, "tool": tool.name, "run": run + 1, "command": tool.shown(),
                "cpu_seconds": cost.cpu_seconds, "wall_seconds": cost.wall_seconds, "peak_bytes": cost.peak_bytes,
            });
            writeln!(file, "{line}")?;
        }
    }
    Ok(())
}
