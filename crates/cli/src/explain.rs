//! `onefold explain`.

use crate::args::Explain;
use crate::interrupt::Waiting;
use crate::terminal::{escape_line, note};
use anyhow::Result;
use onefold_pipeline::explain::{Explanation, Fate, Passage, Side, explain};
use onefold_run::{DocumentRef, TEXT_CHARS, UrlRule, Verdict};
use std::io::Write;

pub(crate) fn run(arguments: &Explain) -> Result<()> {
    let _waiting = Waiting::begin();
    let mut out = crate::terminal::stdout();
    let mut first = true;
    let unread = explain(&arguments.run, &arguments.id, |explanation| -> Result<()> {
        if arguments.json {
            let mut value = serde_json::to_value(&explanation)?;
            value["version"] = 1.into();
            writeln!(out, "{value}")?;
        } else {
            if !std::mem::take(&mut first) {
                writeln!(out)?;
            }
            print(&mut out, &explanation, arguments.full)?;
        }
        // The inputs are searched for more behind what is known at once.
        Ok(out.flush()?)
    })?;
    if let Some(why) = unread {
        let why = escape_line(&why.to_string());
        note!("note: documents of this id that were like no other may be missing here: {why}");
    }
    Ok(())
}

fn place(document: &DocumentRef) -> String {
    let url = document.url.as_deref().filter(|url| *url != document.id);
    let url = url.map(|url| format!(" {url}")).unwrap_or_default();
    escape_line(&format!("{}{url} ({} at {})", document.id, document.source, document.offset))
}

fn print(out: &mut impl Write, explanation: &Explanation, full: bool) -> Result<()> {
    writeln!(out, "document  {}", place(&explanation.document))?;
    match &explanation.fate {
        Fate::Empty => {
            writeln!(out, "verdict   kept: empty, there is no word in it to be compared")?;
            writeln!(out, "          empty documents are kept, all of them, and are nobody's duplicates")?;
        }
        Fate::Unique => writeln!(
            out,
            "verdict   kept: like no document that it was compared with and that was kept before it"
        )?,
        Fate::Keeper { cluster, size, others } => {
            writeln!(out, "verdict   kept: keeper of cluster {cluster}, {size} documents")?;
            for other in others {
                writeln!(out, "removed   {}", place(other))?;
            }
            let unnamed = (*size as usize).saturating_sub(1 + others.len());
            if unnamed > 0 {
                writeln!(out, "          and {unnamed} more")?;
            }
        }
        Fate::Cut { paragraphs } => {
            writeln!(out, "verdict   kept, without {} paragraphs that stood before", paragraphs.len())?;
            for cut in paragraphs {
                let number = cut.paragraph.map_or(0, |number| number + 1);
                writeln!(out, "line {number:<4} first in {}", place(&cut.keeper))?;
                if let Some(text) = cut.text.as_deref().filter(|text| !text.is_empty()) {
                    let more = if text.chars().count() < TEXT_CHARS { "" } else { " …" };
                    writeln!(out, "          {}{more}", escape_line(text))?;
                }
            }
        }
        Fate::Removed(removed) => {
            let kind = match removed.kind {
                Verdict::Url => "one page by its URL".to_owned(),
                kind => format!("{} duplicate", kind.name()),
            };
            writeln!(out, "verdict   removed: {kind}, cluster {}", removed.cluster)?;
            writeln!(out, "keeper    {}", place(&removed.keeper))?;
            if let Some(rule) = removed.rule {
                writeln!(out, "url       {}: {}", rule.name(), said(rule))?;
            }
            // Where the rule goes by another measure than shingles, that one decided.
            if let (None, Some(shared), Some(own)) =
                (&explanation.measured, removed.shared_shingles, removed.shingles)
            {
                writeln!(out, "score     {:.4}: {shared} shingles shared of {own} here", removed.similarity)?;
            } else if explanation.measured.is_none()
                || removed.shared_shingles.is_none() && removed.kind == Verdict::Near
            {
                writeln!(out, "decided   by a similarity of {:.4}", removed.similarity)?;
            }
        }
    }
    if let Some(measured) = &explanation.measured {
        let (shared, own, keeper) = (measured.shared, measured.document, measured.keeper);
        writeln!(
            out,
            "score     {:.4}: {shared} shingles shared of {own} here and {keeper} in the keeper",
            measured.similarity
        )?;
        writeln!(out, "contained {:.4} of this document in the keeper", measured.containment)?;
    }
    writeln!(out, "rule      {}", explanation.rule)?;
    if let Some(unread) = &explanation.unread {
        writeln!(out, "texts     cannot be read again: {}", escape_line(unread))?;
    }
    if !explanation.passages.is_empty() {
        writeln!(out, "\n  = in both   - here alone   + in the keeper alone")?;
        for passage in &explanation.passages {
            let sign = match passage.side {
                Side::Shared => '=',
                Side::Document => '-',
                Side::Keeper => '+',
            };
            writeln!(out, "{sign} {}", escape_line(&shortened(passage, full)))?;
        }
    }
    Ok(())
}

/// What a tie by URLs says.
fn said(rule: UrlRule) -> &'static str {
    match rule {
        UrlRule::Version => "the keeper stands for a newer version of this page",
        UrlRule::Revisit => "an archive took one for a revisit of the other",
        UrlRule::Redirect => "one leads to the other, or both to a third",
        UrlRule::Canonical => "one names the other as canonical, or both a third",
        UrlRule::Key => "by the learned rules their URLs are one",
    }
}

/// Words of a long passage that are shown at either end.
const SHOWN: usize = 12;

fn shortened(passage: &Passage, full: bool) -> String {
    let words: Vec<&str> = passage.text.split(' ').collect();
    if full || words.len() <= 3 * SHOWN {
        return passage.text.clone();
    }
    let (start, end) = (&words[..SHOWN], &words[words.len() - SHOWN..]);
    format!("{} … {} words … {}", start.join(" "), words.len() - 2 * SHOWN, end.join(" "))
}
