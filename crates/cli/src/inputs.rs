//! What a command reads; what of it is no file is spooled into files.

use crate::args::InputArgs;
use crate::interrupt::Waiting;
use crate::scratch::Scratch;
use anyhow::{Context, Result, bail};
use onefold_formats::inputs::listed;
use onefold_pipeline::{Selection, Spooled};
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// URLs of these are objects of a store, or files of a web server.
const SCHEMES: [&str; 8] = ["s3", "s3a", "gs", "az", "abfs", "abfss", "http", "https"];

/// Whether standard input is read.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether a path is a pipe, as that of `<(command)` is: it can be read once, and has no size.
fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| about.file_type().is_fifo())
}

/// The URL that an input is, if it is one.
pub(crate) fn url(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let (scheme, _) = text.split_once("://")?;
    SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)).then_some(text)
}

/// All that the arguments name, in order.
pub(crate) fn named(input: &InputArgs) -> Result<Vec<PathBuf>> {
    let mut paths = input.inputs.clone();
    let mut listings = 0;
    for list in &input.files_from {
        if !is_stdin(list) {
            paths.extend(listed(&fs_err::read(list)?));
            continue;
        }
        listings += 1;
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("standard input")?;
        paths.extend(listed(&bytes));
    }
    if listings + paths.iter().filter(|path| is_stdin(path)).count() > 1 {
        bail!("`-` stands for standard input, which can be read once");
    }
    Ok(paths)
}

/// Whether any of this has to be spooled.
pub(crate) fn are_spooled(paths: &[PathBuf]) -> bool {
    paths.iter().any(|path| is_stdin(path) || url(path).is_some() || is_pipe(path))
}

/// The inputs of these names, with what is no file spooled into `scratch`.
pub(crate) fn selection(paths: Vec<PathBuf>, scratch: &Scratch, quiet: bool) -> Result<Selection> {
    let mut spooled: Vec<Spooled> = Vec::new();
    for path in &paths {
        if spooled.iter().any(|spooled| spooled.named == *path) {
            continue;
        }
        if is_stdin(path) {
            // A read of standard input cannot be called off: an interrupt meanwhile ends the process.
            let waiting = Waiting::begin();
            let read = Spooled::standard_input(std::io::stdin().lock(), scratch.path()?)
                .context("standard input")?;
            drop(waiting);
            spooled.push(read);
        } else if let Some(url) = url(path) {
            spooled.push(objects(url, scratch.path()?, quiet)?);
        } else if is_pipe(path) {
            // Nor can that of a pipe, or the wait for somebody to write into it.
            let waiting = Waiting::begin();
            let read = Spooled::pipe(path, scratch.path()?).with_context(|| path.display().to_string())?;
            drop(waiting);
            spooled.push(read);
        }
    }
    Ok(Selection { paths, spooled })
}

#[cfg(feature = "object-stores")]
fn objects(url: &str, scratch: &Path, quiet: bool) -> Result<Spooled> {
    use crate::terminal::{escape, note};
    use onefold_pipeline::SpooledFile;

    let mut arrived = |object: &onefold_remote::Object| {
        if !quiet {
            note!("fetched  {:>12}  {}", crate::size::human(object.size), escape(&object.url));
        }
    };
    let text = |value: std::ffi::OsString| value.into_string().ok();
    let environment: Vec<(String, String)> =
        std::env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect();
    let fetched = onefold_remote::fetch(url, &environment, scratch, &crate::interrupt::CANCEL, &mut arrived);
    let objects = fetched.map_err(|error| match error {
        onefold_remote::Error::Interrupted => onefold_pipeline::Error::Interrupted.into(),
        // A full disk gets the hints it gets elsewhere.
        onefold_remote::Error::Io(error) => onefold_pipeline::Error::Io(error).into(),
        error => anyhow::Error::from(error),
    })?;
    let file = |object: onefold_remote::Object| SpooledFile {
        path: object.path,
        name: object.url,
        relative: object.relative,
    };
    Ok(Spooled { named: url.into(), files: objects.into_iter().map(file).collect() })
}

#[cfg(not(feature = "object-stores"))]
fn objects(url: &str, _: &Path, _: bool) -> Result<Spooled> {
    bail!(
        "{url}: this program was built without object stores; `cargo build --release --features object-stores` builds one that reads them"
    )
}
