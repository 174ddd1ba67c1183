//! `onefold related`.

use crate::args::{InputArgs, MatchArgs, MethodName, Related};
use crate::dedup::{listing, plan};
use crate::progress::Bars;
use crate::scratch::Scratch;
use crate::terminal::{escape, note, outln, tsv_field};
use anyhow::Result;

pub(crate) fn run(arguments: &Related) -> Result<()> {
    let bars = Bars::new(arguments.machine.quiet);
    let scratch = Scratch::new(&arguments.machine)?;
    let input = InputArgs::of(arguments.corpus.clone(), arguments.input.clone());
    let matching =
        MatchArgs { method: Some(MethodName::Minhash), shingle: arguments.shingle, ..MatchArgs::default() };
    let plan = onefold_run::Plan { method: onefold_run::Method::Exact, ..plan(&input, &matching)? };
    let job = listing(plan.tuned(None)?, (&input, &arguments.machine), &scratch, &bars)?;
    let work = scratch.path()?.join("work");
    let found = onefold_pipeline::related(&job, &work, &arguments.id, arguments.top, arguments.least);
    bars.finish();
    let found = found?;
    if arguments.json {
        for related in &found {
            let line = serde_json::json!({
                "id": related.document.id,
                "url": related.document.url,
                "source": related.document.source,
                "offset": related.document.offset,
                "similarity": related.overlap.resemblance(),
                "containment": related.overlap.containment(),
                "shared_shingles": related.overlap.shared,
            });
            outln!("{line}");
        }
        return Ok(());
    }
    outln!("id\tsimilarity\tcontainment\tshared_shingles\turl");
    for related in &found {
        let mut line = String::new();
        tsv_field(&related.document.id, &mut line);
        let (overlap, url) = (related.overlap, related.document.url.as_deref().unwrap_or_default());
        outln!(
            "{line}\t{:.4}\t{:.4}\t{}\t{}",
            overlap.resemblance(),
            overlap.containment(),
            overlap.shared,
            escape(url)
        );
    }
    if found.is_empty() && !arguments.machine.quiet {
        note!("note: no document shares a shingle with {}", escape(&arguments.id));
    }
    Ok(())
}
