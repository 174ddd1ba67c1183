//! What differs, word by word, as `git diff --word-diff` shows it: removed words in red or as `[-…-]`, added ones in
//! green or as `{+…+}`, with the words around them.
//!
//! Words are what white space divides, as they are written.

use crate::terminal::escape;
use imara_diff::{Algorithm, Diff, InternedInput};
use serde::Serialize;
use std::io::{Result, Write};
use std::ops::Range;

/// Where two texts differ.
pub(super) struct WordDiff<'a> {
    a: Vec<Word<'a>>,
    b: Vec<Word<'a>>,
    changes: Vec<Change>,
}

/// A word, and whether a line ends before it.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    on_new_line: bool,
}

/// Words of the first text that stand where the second has others; either may be none.
#[derive(Clone, Debug, PartialEq)]
struct Change {
    removed: Range<usize>,
    added: Range<usize>,
}

/// A change in JSON.
#[derive(Serialize)]
pub(super) struct Changed {
    /// Words before it in the first text.
    pub(super) at: usize,
    pub(super) removed: String,
    pub(super) added: String,
}

/// The difference of two texts.
pub(super) fn words<'a>(a: &'a str, b: &'a str) -> WordDiff<'a> {
    let (a, b) = (split(a), split(b));
    let mut input: InternedInput<&str> = InternedInput::default();
    input.update_before(a.iter().map(|word| word.text));
    input.update_after(b.iter().map(|word| word.text));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    let changes =
        diff.hunks().map(|hunk| Change { removed: range(hunk.before), added: range(hunk.after) }).collect();
    WordDiff { a, b, changes }
}

fn split(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    for line in text.lines() {
        let mut on_new_line = true;
        for word in line.split_whitespace() {
            words.push(Word { text: word, on_new_line });
            on_new_line = false;
        }
    }
    words
}

fn joined(words: &[Word<'_>]) -> String {
    words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
}

impl WordDiff<'_> {
    pub(super) fn changes(&self) -> Vec<Changed> {
        let changed = |change: &Change| Changed {
            at: change.removed.start,
            removed: joined(&self.a[change.removed.clone()]),
            added: joined(&self.b[change.added.clone()]),
        };
        self.changes.iter().map(changed).collect()
    }

    /// Prints the changes with so many words around each.
    pub(super) fn print(&self, out: &mut impl Write, context: usize, colored: bool) -> Result<()> {
        let count = |side: fn(&Change) -> usize| self.changes.iter().map(side).sum::<usize>();
        let (removed, added) = (count(|change| change.removed.len()), count(|change| change.added.len()));
        if self.changes.is_empty() {
            return writeln!(out, "\ndiff  no word differs");
        }
        let places = self.changes.len();
        let [words, ends] = [removed, places].map(|count| if count == 1 { "" } else { "s" });
        writeln!(out, "\ndiff  {removed} word{words} removed, {added} added, in {places} place{ends}\n")?;
        let (gone, new) = if colored {
            (("\u{1b}[31m", "\u{1b}[m"), ("\u{1b}[32m", "\u{1b}[m"))
        } else {
            (("[-", "-]"), ("{+", "+}"))
        };
        let mut writer = Flow { out, fresh: true };
        // Words of the second text that were printed, and where the next may begin.
        let mut at = 0;
        for (number, change) in self.changes.iter().enumerate() {
            let start = change.added.start;
            if start - at > context {
                writer.gap(at > 0 || start > context)?;
                at = start - context;
            }
            writer.words(&self.b[at..start], ("", ""), Lead::Own)?;
            let (removed, added) = (&self.a[change.removed.clone()], &self.b[change.added.clone()]);
            writer.words(removed, gone, Lead::Own)?;
            let line = |words: &[Word<'_>]| words.first().map(|word| word.on_new_line);
            let in_place = !removed.is_empty() && line(removed) == line(added);
            writer.words(added, new, if in_place { Lead::Nothing } else { Lead::Own })?;
            at = change.added.end;
            let next = self.changes.get(number + 1).map_or(self.b.len(), |next| next.added.start);
            let end = next.min(at + context);
            // A line whose first words are gone still begins with them.
            let begun = added.is_empty() && line(removed) == Some(true);
            let within = begun && line(&self.a[change.removed.end..]) == Some(false);
            writer.words(&self.b[at..end], ("", ""), if within { Lead::Blank } else { Lead::Own })?;
            at = end;
        }
        writer.end(at < self.b.len())
    }
}

/// What comes before the first of some words.
#[derive(Clone, Copy, PartialEq)]
enum Lead {
    /// A line end or a blank, as in its text.
    Own,
    Blank,
    Nothing,
}

/// Words one behind the other, with the line ends of their text.
struct Flow<'w, W> {
    out: &'w mut W,
    /// At the beginning of a line.
    fresh: bool,
}

impl<W: Write> Flow<'_, W> {
    /// Prints words between marks; what goes over several lines is marked line by line.
    fn words(&mut self, words: &[Word<'_>], (before, after): (&str, &str), lead: Lead) -> Result<()> {
        for (number, word) in words.iter().enumerate() {
            let lead = if number == 0 { lead } else { Lead::Own };
            let line_end = lead == Lead::Own && word.on_new_line;
            if line_end && number > 0 {
                write!(self.out, "{after}")?;
            }
            match lead {
                _ if self.fresh => {}
                Lead::Nothing => {}
                Lead::Own if line_end => writeln!(self.out)?,
                Lead::Own | Lead::Blank => write!(self.out, " ")?,
            }
            if line_end || number == 0 {
                write!(self.out, "{before}")?;
            }
            write!(self.out, "{}", escape(word.text))?;
            self.fresh = false;
        }
        write!(self.out, "{}", if words.is_empty() { "" } else { after })
    }

    fn gap(&mut self, needed: bool) -> Result<()> {
        if needed {
            write!(self.out, "{}…", if self.fresh { "" } else { " " })?;
            self.fresh = false;
        }
        Ok(())
    }

    fn end(mut self, more: bool) -> Result<()> {
        self.gap(more)?;
        writeln!(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(a: &str, b: &str, context: usize) -> String {
        let mut out = Vec::new();
        words(a, b).print(&mut out, context, false).unwrap();
        let text = String::from_utf8(out).unwrap();
        let text = text.trim();
        text.split_once("\n\n").map_or(text, |(_, diff)| diff).to_owned()
    }

    #[test]
    fn changed_words_are_marked() {
        assert_eq!(
            shown("the red fish swims", "the blue fish swims on", 9),
            "the [-red-]{+blue+} fish swims {+on+}"
        );
        assert_eq!(shown("one two", "two", 9), "[-one-] two");
        assert_eq!(shown("one\ntwo", "two", 9), "[-one-]\ntwo");
        assert_eq!(shown("two", "one two", 9), "{+one+} two");
        assert!(shown("a b", "a  b", 9).contains("no word differs"));
    }

    #[test]
    fn what_is_far_from_a_change_is_left_out() {
        let (a, b) = ("a b c d e f X h i j k l m", "a b c d e f Y h i j k l m");
        assert_eq!(shown(a, b, 2), "… e f [-X-]{+Y+} h i …");
        assert_eq!(shown(a, b, 0), "… [-X-]{+Y+} …");
        assert_eq!(shown("X b c d e Z", "Y b c d e V", 1), "[-X-]{+Y+} b … e [-Z-]{+V+}");
        assert_eq!(shown("X b c Z", "Y b c V", 1), "[-X-]{+Y+} b c [-Z-]{+V+}");
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(shown("a b\nc d", "a b\nx y\nz d", 9), "a b\n[-c-]{+x y+}\n{+z+} d");
    }

    #[test]
    fn a_terminal_is_not_steered_by_a_text() {
        assert!(!shown("a \u{1b}[31mred", "a b", 9).contains('\u{1b}'));
    }

    proptest! {
        #[test]
        fn changes_make_one_text_of_the_other(a in "([a-c] ){0,30}", b in "([a-c] ){0,30}") {
            let diff = words(&a, &b);
            let mut made: Vec<&str> = Vec::new();
            let mut at = 0;
            for change in &diff.changes {
                made.extend(diff.a[at..change.removed.start].iter().map(|word| word.text));
                made.extend(diff.b[change.added.clone()].iter().map(|word| word.text));
                at = change.removed.end;
            }
            made.extend(diff.a[at..].iter().map(|word| word.text));
            prop_assert_eq!(made.join(" "), joined(&diff.b));
        }
    }
}
