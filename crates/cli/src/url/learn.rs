//! `onefold url learn`.

use crate::args::UrlLearn;
use crate::dedup::resources;
use crate::interrupt::CANCEL;
use crate::progress::Bars;
use crate::terminal::note;
use anyhow::Result;
use onefold_page::url::{LearnOptions, RulesFile};
use std::io::Write;

pub(super) fn run(arguments: &UrlLearn) -> Result<()> {
    let bars = Bars::new(arguments.machine.quiet);
    let options =
        LearnOptions { min_support: arguments.min_support, min_confidence: arguments.min_confidence };
    let resources = resources(&arguments.machine)?;
    let learned = onefold_pipeline::learn_url_rules(&arguments.run, options, &resources, (&bars, &CANCEL));
    bars.finish();
    let learned = learned?;
    if !arguments.machine.quiet {
        note!("{} rules from {} keys of URLs", learned.rules.len(), learned.keys);
    }
    let file = RulesFile {
        version: RulesFile::VERSION,
        keys: learned.keys,
        unstable: learned.unstable,
        min_support: options.min_support,
        min_confidence: options.min_confidence,
        rules: learned.rules,
    };
    let mut out = crate::terminal::stdout();
    serde_json::to_writer_pretty(&mut out, &file)?;
    Ok(writeln!(out)?)
}
