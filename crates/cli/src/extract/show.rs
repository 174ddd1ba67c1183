//! `--show`: a page that marks what was kept and what was dropped.

use super::found::Place;
use super::print::html_of;
use anyhow::{Result, bail};
use onefold_formats::document::Document;
use onefold_page::content::{SHOW_HEAD, show_html, show_section, show_text};
use onefold_page::{Content, Page};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The page being written, under a temporary name until it is whole.
pub(super) struct Show {
    out: BufWriter<fs_err::File>,
    temporary: PathBuf,
    path: PathBuf,
    content: Content,
}

impl Show {
    pub(super) fn create(path: &Path, content: Content, force: bool) -> Result<Self> {
        if path.exists() && !force {
            bail!("{}: exists; --force overwrites it", path.display());
        }
        let Some(name) = path.file_name() else { bail!("{}: not the name of a file", path.display()) };
        let temporary = path.with_file_name(format!(".{}.tmp", name.to_string_lossy()));
        let mut out = BufWriter::new(fs_err::File::create(&temporary)?);
        out.write_all(SHOW_HEAD.as_bytes())?;
        Ok(Show { out, temporary, path: path.to_owned(), content })
    }

    pub(super) fn page(&mut self, place: Place<'_>, document: &Document<'_>, page: &Page) -> Result<()> {
        let fallback = || format!("{}#{}", place.source.name, place.row);
        let mut name = document.name().map_or_else(fallback, str::to_owned);
        if page.fallback {
            name += " (more was taken, for little was found)";
        }
        if let Some(needs) = page.needs {
            name += &format!(" (needs: {})", needs.name());
        }
        let lines = match html_of(&document.body) {
            Some(html) => show_html(&html, self.content),
            None => show_text(&page.text),
        };
        Ok(self.out.write_all(show_section(&name, &lines).as_bytes())?)
    }

    pub(super) fn finish(self) -> Result<()> {
        let file = self.out.into_inner().map_err(|error| error.into_error())?;
        file.sync_data()?;
        drop(file);
        Ok(fs_err::rename(self.temporary, self.path)?)
    }
}
