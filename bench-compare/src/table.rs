//! The report as Markdown.

use std::fmt::Write as _;

use crate::measure::Cost;
use crate::score::Score;
use crate::tools::{Input, Tool};

/// The most that deduplicating a WET file may cost of what gzip takes to inflate it.
const GZIP_BAR: f64 = 0.7;

/// A line of the table.
pub(crate) struct Row<'a> {
    pub(crate) tool: &'a Tool,
    pub(crate) best: Cost,
    /// Uncompressed bytes of the input.
    pub(crate) bytes: u64,
    pub(crate) score: Option<Score>,
}

impl Row<'_> {
    /// CPU seconds against those of onefold's own deduplication of the same file.
    fn ratio(&self, rows: &[Row<'_>]) -> Option<f64> {
        let ours = rows.iter().find(|row| row.tool.fresh.is_some() && row.tool.input == self.tool.input)?;
        Some(self.best.cpu_seconds / ours.best.cpu_seconds)
    }
}

/// The table, and a sentence on gzip where WET was measured.
pub(crate) fn markdown(rows: &[Row<'_>]) -> String {
    let mut text = String::from(
        "| tool | what it does | CPU s | MB/s a core | CPU, onefold dedup = 1 | answers | recall | precision | peak RSS MB |\n\
         |---|---|---:|---:|---:|---|---:|---:|---:|\n",
    );
    for row in rows {
        let number =
            |value: Option<f64>, digits: usize| value.map_or("–".to_owned(), |v| format!("{v:.digits$}"));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.1} | {} | {} | {} | {} | {:.0} |",
            row.tool.name,
            row.tool.does,
            row.best.cpu_seconds,
            row.bytes as f64 / 1e6 / row.best.cpu_seconds.max(1e-3),
            number(row.ratio(rows), 2),
            row.tool.answer.name(),
            number(row.score.map(|score| score.recall), 4),
            number(row.score.map(|score| score.precision), 4),
            row.best.peak_bytes as f64 / 1e6,
        );
    }
    let wet: Vec<&Row<'_>> = rows.iter().filter(|row| row.tool.input == Input::Wet).collect();
    if let [ours, gzip] = wet[..] {
        let ratio = ours.best.cpu_seconds / gzip.best.cpu_seconds;
        let verdict = if ratio <= GZIP_BAR { "met" } else { "missed" };
        let _ = writeln!(
            text,
            "\nDeduplicating the WET file costs {ratio:.2} of gzip -dc of it; bar {GZIP_BAR}, {verdict}."
        );
    }
    text
}
