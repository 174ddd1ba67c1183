//! What two texts have in common and where they differ, word by word.

use imara_diff::{Algorithm, Diff, InternedInput};
use serde::Serialize;
use std::ops::Range;
use utoipa::ToSchema;

/// Longest text that is compared word by word.
const MOST_BYTES: usize = 1 << 20;

/// Words in a row that both texts have, or one.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Piece {
    /// `both`, `a` or `b`.
    of: &'static str,
    /// The words; a line begins where one does in the text.
    text: String,
}

/// Both texts in pieces, in order; `None` where they are too long.
pub(crate) fn pieces(a: &str, b: &str) -> Option<Vec<Piece>> {
    if a.len().max(b.len()) > MOST_BYTES {
        return None;
    }
    let (a, b) = (words(a), words(b));
    let mut input: InternedInput<&str> = InternedInput::default();
    input.update_before(a.iter().map(|(word, _)| *word));
    input.update_after(b.iter().map(|(word, _)| *word));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    let mut pieces = Vec::new();
    let mut at = 0;
    for hunk in diff.hunks() {
        let (removed, added) = (range(hunk.before), range(hunk.after));
        put(&mut pieces, "both", &a[at..removed.start]);
        at = removed.end;
        put(&mut pieces, "a", &a[removed]);
        put(&mut pieces, "b", &b[added]);
    }
    put(&mut pieces, "both", &a[at..]);
    Some(pieces)
}

fn put(pieces: &mut Vec<Piece>, of: &'static str, words: &[(&str, bool)]) {
    if words.is_empty() {
        return;
    }
    let mut text = String::new();
    for (place, (word, line)) in words.iter().enumerate() {
        match (line, place) {
            (true, _) => text.push('\n'),
            (false, 0) => {}
            (false, _) => text.push(' '),
        }
        text.push_str(word);
    }
    pieces.push(Piece { of, text });
}

/// Words, and whether each begins a line that is not the first.
fn words(text: &str) -> Vec<(&str, bool)> {
    let mut words = Vec::new();
    for line in text.lines() {
        let mut begins = !words.is_empty();
        for word in line.split_whitespace() {
            words.push((word, std::mem::take(&mut begins)));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(a: &str, b: &str) -> String {
        let pieces = pieces(a, b).unwrap();
        pieces.iter().map(|piece| format!("{}({})", piece.of, piece.text)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn texts_are_taken_apart() {
        assert_eq!(
            shown("the red fish swims", "the blue fish swims on"),
            "both(the) a(red) b(blue) both(fish swims) b(on)"
        );
        assert_eq!(shown("one\n\ntwo three", "two three"), "a(one) both(\ntwo three)");
        assert_eq!(shown("", ""), "");
        assert_eq!(shown("", "a"), "b(a)");
        assert!(pieces(&"a".repeat(MOST_BYTES + 1), "").is_none());
    }
}
