//! `onefold tune`: which pairs bands and sketches find, as table, plot and picture, and what they cost on a corpus.

mod corpus;
mod curves;
mod plot;
mod print;
mod svg;

use crate::args::Tune;
use anyhow::{Result, bail};
use curves::Curves;
use onefold_run::Plan;
use std::io::Write;
use std::path::Path;

pub(crate) fn run(arguments: &Tune) -> Result<()> {
    let given = arguments.bands.zip(arguments.rows);
    if let Some((bands, rows)) = given.filter(|&(b, r)| b > arguments.signature || r > arguments.signature) {
        bail!(
            "{bands} bands of {rows} rows need more values than the {} of --signature",
            arguments.signature
        );
    }
    let plan = Plan {
        threshold: arguments.threshold,
        recall: arguments.recall,
        signature: arguments.signature,
        ..Plan::default()
    };
    let plan = plan.tuned(given)?;
    let curves = Curves::new(&plan, given.is_some(), &arguments.sketch);
    if let Some(path) = &arguments.svg {
        write_svg(path, arguments.force, &svg::draw(&curves))?;
    }
    let estimate =
        if arguments.corpus.is_empty() { None } else { Some(corpus::estimate(arguments, &curves)?) };
    let mut out = std::io::BufWriter::new(crate::terminal::stdout());
    if arguments.json {
        writeln!(out, "{}", print::json(&curves, estimate.as_ref()))?;
    } else {
        print::text(&mut out, &curves, estimate.as_ref())?;
    }
    Ok(out.flush()?)
}

/// Writes under another name first, so that no half of a picture is left.
fn write_svg(path: &Path, force: bool, picture: &str) -> Result<()> {
    if !force && path.symlink_metadata().is_ok() {
        bail!("{}: is there already; --force overwrites it", path.display());
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    fs_err::write(&partial, picture)?;
    Ok(fs_err::rename(&partial, path)?)
}
