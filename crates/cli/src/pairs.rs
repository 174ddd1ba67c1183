//! `onefold pairs`.

use crate::args::{Pairs, PairsFormat};
use crate::dedup::{listing, plan};
use crate::progress::Bars;
use crate::scratch::Scratch;
use crate::terminal::{note, outln, tsv_field};
use anyhow::Result;
use onefold_pipeline::{Pair, PairsSummary};
use std::io::{BufWriter, Write};
use std::time::Instant;

pub(crate) fn run(arguments: &Pairs) -> Result<()> {
    let bars = Bars::new(arguments.machine.quiet);
    let scratch = Scratch::new(&arguments.machine)?;
    let plan = plan(&arguments.input, &arguments.matching)?.tuned(arguments.matching.given_bands())?;
    let job = listing(plan, (&arguments.input, &arguments.machine), &scratch, &bars)?;
    let mut sink = if arguments.histogram { Sink::None } else { Sink::new(arguments, &scratch)? };
    let started = Instant::now();
    let (expand, max_pairs) = (arguments.expand, arguments.max_pairs);
    let outcome =
        onefold_pipeline::pairs(&job, &scratch.path()?.join("work"), expand, max_pairs, &mut |pair| {
            Ok(sink.put(pair)?)
        });
    bars.finish();
    let summary = outcome?;
    sink.finish()?;
    if !arguments.machine.quiet {
        let counts = summary.counts;
        let seconds = started.elapsed().as_secs_f64();
        note!("read {} documents, {} bad, in {seconds:.1} s", counts.read, counts.bad);
        crate::terminal::first_bad(summary.first_bad.as_deref());
        note!("listed {} pairs", summary.pairs);
        if !arguments.histogram {
            for (score, count) in summary.by_score.iter().rev() {
                note!("  similarity {:.2}  {count}", f64::from(*score) / 100.0);
            }
        }
    }
    if arguments.histogram {
        histogram(&summary);
    }
    Ok(())
}

/// Characters of the longest bar.
const BAR: u64 = 50;

/// Listed pairs by score and by band, as tables with bars.
fn histogram(summary: &PairsSummary) {
    let bar = |count: u64, most: u64| "█".repeat((count * BAR).div_ceil(most.max(1)) as usize);
    let most = summary.by_score.values().copied().max().unwrap_or(0);
    outln!("similarity      pairs");
    for (score, count) in summary.by_score.iter().rev() {
        outln!("{:>10.2} {count:>10}  {}", f64::from(*score) / 100.0, bar(*count, most));
    }
    if summary.by_band.is_empty() {
        return;
    }
    let most = summary.by_band.iter().copied().max().unwrap_or(0);
    outln!("\n      band  near pairs that agree in it");
    for (band, count) in summary.by_band.iter().enumerate() {
        outln!("{:>10} {count:>10}  {}", band + 1, bar(*count, most));
    }
}

/// Where pairs go.
enum Sink {
    None,
    Tsv {
        out: BufWriter<crate::terminal::Stdout>,
        /// Until it is written: once there is something to list, or at the end.
        header: Option<String>,
        line: String,
        containment: bool,
    },
    Jsonl {
        out: BufWriter<crate::terminal::Stdout>,
        containment: bool,
    },
    #[cfg(feature = "parquet")]
    Parquet {
        writer: Option<Box<onefold_formats::parquet::TableWriter>>,
        path: std::path::PathBuf,
        columns: usize,
    },
}

impl Sink {
    /// Where containment is asked for, it is told, both ways.
    fn new(arguments: &Pairs, scratch: &Scratch) -> Result<Self> {
        let containment = arguments.matching.containment.is_some();
        let stdout = || BufWriter::with_capacity(1 << 16, crate::terminal::stdout());
        Ok(match arguments.format {
            PairsFormat::Tsv => {
                let more = if containment { "\tcontainment_a\tcontainment_b" } else { "" };
                let header = Some(format!("id_a\tid_b\tsimilarity\tkind{more}\n"));
                Sink::Tsv { out: stdout(), header, line: String::new(), containment }
            }
            PairsFormat::Jsonl => Sink::Jsonl { out: stdout(), containment },
            #[cfg(feature = "parquet")]
            PairsFormat::Parquet => {
                use onefold_formats::parquet::{ColumnType, TableWriter};
                let path = scratch.path()?.join("pairs.parquet");
                let columns = [
                    ("id_a", ColumnType::Text),
                    ("id_b", ColumnType::Text),
                    ("similarity", ColumnType::Float),
                    ("kind", ColumnType::Text),
                    ("containment_a", ColumnType::Float),
                    ("containment_b", ColumnType::Float),
                ];
                let columns = if containment { &columns[..] } else { &columns[..4] };
                let writer = TableWriter::create(fs_err::File::create(&path)?, columns)?;
                Sink::Parquet { writer: Some(Box::new(writer)), path, columns: columns.len() }
            }
            #[cfg(not(feature = "parquet"))]
            PairsFormat::Parquet => {
                let _ = scratch;
                anyhow::bail!("--format parquet: this program was built without Parquet")
            }
        })
    }

    fn put(&mut self, pair: &Pair<'_>) -> std::io::Result<()> {
        match self {
            Sink::None => Ok(()),
            Sink::Tsv { out, header, line, containment } => {
                if let Some(header) = header.take() {
                    out.write_all(header.as_bytes())?;
                }
                line.clear();
                tsv_field(pair.id_a, line);
                line.push('\t');
                tsv_field(pair.id_b, line);
                write!(out, "{line}\t{}\t{}", pair.similarity, pair.kind.name())?;
                if *containment {
                    for share in told(pair) {
                        write!(out, "\t")?;
                        share.map_or(Ok(()), |share| write!(out, "{share}"))?;
                    }
                }
                writeln!(out)
            }
            Sink::Jsonl { out, containment } => {
                let mut value = serde_json::json!({
                    "id_a": pair.id_a,
                    "id_b": pair.id_b,
                    "similarity": pair.similarity,
                    "kind": pair.kind.name(),
                });
                if *containment {
                    let [a, b] = told(pair);
                    (value["containment_a"], value["containment_b"]) = (a.into(), b.into());
                }
                writeln!(out, "{value}")
            }
            #[cfg(feature = "parquet")]
            Sink::Parquet { writer, columns, .. } => {
                use onefold_formats::parquet::Cell;
                let float = |share: Option<f64>| share.map_or(Cell::Null, Cell::Float);
                let [a, b] = told(pair);
                let row = [
                    Cell::Text(pair.id_a),
                    Cell::Text(pair.id_b),
                    Cell::Float(pair.similarity),
                    Cell::Text(pair.kind.name()),
                    float(a),
                    float(b),
                ];
                let row = &row[..*columns];
                writer.as_mut().map_or(Ok(()), |writer| writer.push(row)).map_err(std::io::Error::other)
            }
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Sink::None => {}
            Sink::Tsv { mut out, header, .. } => {
                out.write_all(header.unwrap_or_default().as_bytes())?;
                out.flush()?;
            }
            Sink::Jsonl { mut out, .. } => out.flush()?,
            #[cfg(feature = "parquet")]
            Sink::Parquet { writer, path, .. } => {
                if let Some(writer) = writer {
                    writer.finish()?;
                }
                std::io::copy(&mut fs_err::File::open(path)?, &mut crate::terminal::stdout())?;
            }
        }
        Ok(())
    }
}

/// Containment of the first in the second and of the second in the first, where known.
fn told(pair: &Pair<'_>) -> [Option<f64>; 2] {
    pair.containment.map_or([None; 2], |shares| shares.map(Some))
}
