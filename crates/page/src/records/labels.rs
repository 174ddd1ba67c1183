//! Which words of a template name what stands beside them.
//!
//! A text at one path that nearly all units share is template. A text that ends in a colon, or stands in the head cell of
//! a row or the term of a list, is a label as soon as some units share it: `Weight` names its value on the few pages
//! that tell a weight.

use super::unit::{Unit, nearly_all};
use crate::html::paths::Paths;
use crate::html::slots::{Piece, Slots};
use std::collections::{HashMap, HashSet};

/// Longer texts are no labels.
const MAX_LABEL_BYTES: usize = 60;

/// Texts of a template, by path.
#[derive(Default)]
pub(super) struct Labels<'a> {
    /// On nearly all units.
    constant: HashSet<(u32, &'a str)>,
    /// Names of what follows.
    labels: HashSet<(u32, &'a str)>,
}

/// A line that is read: the label in front and the pieces behind it.
pub(super) enum Split<'a> {
    /// All of it is template; `is_label` if it is meant to name what follows.
    Template {
        text: &'a str,
        is_label: bool,
    },
    Value {
        label: Option<&'a str>,
        pieces: &'a [Piece],
        skipped: usize,
    },
}

impl<'a> Labels<'a> {
    /// Learns them; `named` are texts known to be labels.
    pub(super) fn learn(
        pages: &'a [Slots],
        paths: &Paths,
        units: &[Unit],
        named: &HashSet<(u32, &'a str)>,
    ) -> Self {
        // How many units have a text at a path, and the last that was seen to.
        let mut seen: HashMap<(u32, &'a str, bool), (usize, usize)> = HashMap::new();
        for (number, unit) in units.iter().enumerate() {
            let page = &pages[unit.page];
            let mut count = |key| {
                let entry = seen.entry(key).or_insert((0, usize::MAX));
                if entry.1 != number {
                    *entry = (entry.0 + 1, number);
                }
            };
            for line in unit.lines(page) {
                let pieces = page.pieces(line);
                let path = page.path(line);
                let text = page.text(pieces);
                let is_head = matches!(&*paths.step(path).tag, "th" | "dt");
                count((path, text.trim_end_matches(':'), is_head || text.ends_with(':')));
                if let Some((label, _)) = front(page, pieces) {
                    count((path, label, true));
                }
            }
        }
        let all = nearly_all(units.len());
        let some = units.len().div_ceil(10).max(2);
        let mut labels = Labels { labels: named.clone(), ..Labels::default() };
        for ((path, text, is_meant), (count, _)) in seen {
            if count >= all && units.len() > 1 {
                labels.constant.insert((path, text));
            }
            if is_meant && count >= some && text.len() <= MAX_LABEL_BYTES && !text.is_empty() {
                labels.labels.insert((path, text));
            }
        }
        labels
    }

    pub(super) fn split(&self, page: &'a Slots, path: u32, pieces: &'a [Piece]) -> Split<'a> {
        let text = page.text(pieces);
        let bare = (path, text.trim_end_matches(':'));
        let is_label = self.labels.contains(&bare);
        if !text.is_empty() && (is_label || self.constant.contains(&bare)) {
            return Split::Template { text: bare.1, is_label };
        }
        match front(page, pieces).filter(|(label, _)| self.labels.contains(&(path, *label))) {
            Some((label, Behind::Pieces(count))) => {
                Split::Value { label: Some(label), pieces: &pieces[count..], skipped: 0 }
            }
            Some((label, Behind::Bytes(skipped))) => Split::Value { label: Some(label), pieces, skipped },
            None => {
                // Labels of rows are known without a colon, too.
                let first_at = pieces.iter().position(|piece| !piece.is_attribute).unwrap_or_default();
                let label = pieces.get(first_at).map(|first| (path, page.piece(first)));
                let is_front = pieces.len() > first_at + 1;
                let label = label.filter(|label| is_front && self.labels.contains(label));
                let from = if label.is_some() { first_at + 1 } else { 0 };
                Split::Value { label: label.map(|label| label.1), pieces: &pieces[from..], skipped: 0 }
            }
        }
    }
}

/// Where the value behind a label begins.
pub(super) enum Behind {
    Pieces(usize),
    Bytes(usize),
}

/// The label a line may begin with: a first piece before a colon, or the words up to one.
pub(super) fn front<'a>(page: &'a Slots, pieces: &[Piece]) -> Option<(&'a str, Behind)> {
    let first_at = pieces.iter().position(|piece| !piece.is_attribute)?;
    let first = page.piece(&pieces[first_at]);
    let label = match (first.split_once(':'), pieces.get(first_at + 1)) {
        (Some((label, "")), Some(_)) => (label, Behind::Pieces(first_at + 1)),
        // The scheme of a URL and the hour of a time are no labels.
        (Some((label, rest)), _) if rest.starts_with(char::is_whitespace) => {
            (label, Behind::Bytes(label.len() + 1))
        }
        (None, Some(next)) if page.piece(next).starts_with(':') => (first, Behind::Pieces(first_at + 1)),
        _ => return None,
    };
    let is_short = label.0.len() <= MAX_LABEL_BYTES && !label.0.contains(['.', ',', '!', '?']);
    (is_short && !label.0.is_empty()).then_some(label)
}
