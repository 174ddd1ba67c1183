//! `onefold compare`: two texts by every measure, and word by word.

mod diff;
mod edit;
mod groups;
mod measures;
mod print;

use crate::args::{ColorChoice, Compare, MachineArgs};
use crate::inputs::selection;
use crate::interrupt::{CANCEL, Waiting};
use crate::scratch::Scratch;
use anyhow::{Context, Result, bail};
use measures::{Measures, Settings};
use onefold_formats::source::Fields;
use onefold_pipeline::{FileKind, FoundDocument, find_documents, only_document};
use std::io::{BufWriter, IsTerminal, Write};
use std::path::Path;

pub(crate) fn run(arguments: &Compare) -> Result<()> {
    let groups = arguments.groups.as_deref().map(|path| groups::read(path, &arguments.text.choices()));
    let groups = groups.transpose()?;
    let [a, b] = if arguments.corpus.is_empty() { files(arguments)? } else { documents(arguments)? };
    let settings = Settings {
        choices: arguments.text.choices(),
        shingling: arguments.shingle,
        features: arguments.features,
        digest: arguments.digest,
        full_edit: arguments.full_edit,
    };
    // Edit distances can take long, and nothing is left to take back.
    let waiting = Waiting::begin();
    let measures = Measures::of(&a, &b, &settings, groups.as_ref());
    let diff = (!arguments.no_diff).then(|| diff::words(&a.text, &b.text));
    drop(waiting);
    let mut out = BufWriter::new(crate::terminal::stdout());
    if arguments.json {
        writeln!(out, "{}", print::json(&measures, diff.as_ref())?)?;
    } else {
        print::text(&mut out, &measures)?;
        if let Some(diff) = &diff {
            diff.print(&mut out, arguments.context, colored(arguments.color))?;
        }
    }
    Ok(out.flush()?)
}

fn colored(choice: ColorChoice) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            !refused && std::io::stdout().is_terminal()
        }
    }
}

fn files(arguments: &Compare) -> Result<[FoundDocument; 2]> {
    let stdin = Path::new("-");
    if arguments.a == stdin && arguments.b == stdin {
        bail!("`-` stands for standard input, which can be read once");
    }
    let kind = if arguments.plain { FileKind::Plain } else { FileKind::Told };
    let read = |path: &Path| -> Result<FoundDocument> {
        if path != stdin {
            return Ok(only_document(path, &path.display().to_string(), kind, arguments.max_document)?);
        }
        let machine = MachineArgs { threads: None, memory: None, temp: None, quiet: true };
        let scratch = Scratch::new(&machine)?;
        let waiting = Waiting::begin();
        let file = scratch.path()?.join("stdin");
        let mut spool = fs_err::File::create(&file)?;
        std::io::copy(&mut std::io::stdin().lock(), &mut spool).context("standard input")?;
        drop(waiting);
        Ok(only_document(&file, "-", kind, arguments.max_document)?)
    };
    Ok([read(&arguments.a)?, read(&arguments.b)?])
}

fn documents(arguments: &Compare) -> Result<[FoundDocument; 2]> {
    let fields = Fields {
        id: arguments.id_field.clone(),
        text: arguments.text_field.clone(),
        url: arguments.url_field.clone(),
        ..Fields::default()
    };
    let machine = MachineArgs { threads: None, memory: None, temp: None, quiet: true };
    let scratch = Scratch::new(&machine)?;
    let selection = selection(arguments.corpus.clone(), &scratch, machine.quiet)?;
    let ids = [arguments.a.to_string_lossy(), arguments.b.to_string_lossy()];
    let ids: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
    let found = find_documents(&selection, &fields, arguments.max_document, &ids, &CANCEL)?;
    let found: Result<[FoundDocument; 2], _> = found.try_into();
    Ok(found.expect("as many documents as ids because every id is found"))
}
