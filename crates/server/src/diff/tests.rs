use super::*;
use std::time::{Duration, Instant};

fn shown(a: &str, b: &str) -> String {
    let Pieces { pieces, coarse } = pieces(a, b).unwrap();
    assert!(!coarse);
    pieces.iter().map(|piece| format!("{}({})", piece.of, piece.text)).collect::<Vec<_>>().join(" ")
}

/// The words of one side, from its pieces.
fn side(pieces: &[Piece], of: &str) -> Vec<String> {
    let ours = pieces.iter().filter(|piece| piece.of == "both" || piece.of == of);
    ours.flat_map(|piece| piece.text.split_whitespace().map(str::to_owned)).collect()
}

fn of(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_owned).collect()
}

/// Words in no order, `vocabulary` different ones.
fn noise(seed: u64, words: usize, vocabulary: u64) -> Vec<String> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("w{}", (state >> 33) % vocabulary)
    };
    (0..words).map(next).collect()
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

#[test]
fn edits_of_long_texts_are_found_one_by_one() {
    for vocabulary in [50, 5_000, 1 << 40] {
        let text = noise(1, 40_000, vocabulary);
        let mut other = text.clone();
        for place in (100..40_000).step_by(400) {
            other[place] = format!("edit{place}");
        }
        other.drain(20_000..20_100);
        let found = pieces(&text.join(" "), &other.join(" ")).unwrap();
        assert!(!found.coarse, "{vocabulary}");
        let only = |of: &str| -> usize {
            let theirs = found.pieces.iter().filter(|piece| piece.of == of);
            theirs.map(|piece| piece.text.split_whitespace().count()).sum()
        };
        // One word a cut; a word that happens to be at the same place in another part may be taken for the same.
        assert_eq!((only("a"), only("b")), (200, 100), "{vocabulary}");
        assert_eq!((side(&found.pieces, "a"), side(&found.pieces, "b")), (text, other));
    }
}

#[test]
fn any_texts_are_taken_apart_soon() {
    let fill = |word: &str| word.repeat(MOST_BYTES / word.len());
    let cut = |mut text: String| {
        text.truncate(MOST_BYTES);
        text
    };
    let random = |seed, vocabulary| cut(noise(seed, 400_000, vocabulary).join(" "));
    let turned = || {
        let mut words = noise(3, 60_000, 1 << 40);
        words.rotate_left(30_000);
        words.join(" ")
    };
    let backwards = |text: &str| text.split(' ').rev().collect::<Vec<_>>().join(" ");
    // Cut into parts that are just short enough to be compared word by word.
    let parts = |seed| {
        let mut words = noise(seed, 270_000, 8);
        for place in (0..270_000).step_by(PART / 2) {
            words[place] = format!("cut{place}");
        }
        cut(words.join(" "))
    };
    let pairs = [
        ("few words", random(1, 50), random(2, 50), true),
        ("two words", random(1, 2), random(2, 2), true),
        ("some words", random(1, 2_000), random(2, 2_000), true),
        ("many words", random(1, 50_000), random(2, 50_000), true),
        ("a repeated phrase", fill("a b "), fill("b c "), true),
        ("a repeated word", fill("a "), fill("b "), true),
        ("halves that changed places", noise(3, 60_000, 1 << 40).join(" "), turned(), false),
        ("words in turned order", random(1, 60_000), backwards(&random(1, 60_000)), true),
        ("parts", parts(1), parts(2), false),
        ("few words, uncut", noise(1, WHOLE / 2, 50).join(" "), noise(2, WHOLE / 2, 50).join(" "), false),
        ("two words, uncut", noise(1, WHOLE / 2, 2).join(" "), noise(2, WHOLE / 2, 2).join(" "), false),
        (
            "many words, uncut",
            noise(1, WHOLE / 2, 1000).join(" "),
            noise(2, WHOLE / 2, 1000).join(" "),
            false,
        ),
        ("a repeated phrase, uncut", "a b ".repeat(WHOLE / 4), "b c b ".repeat(WHOLE / 6), false),
    ];
    for (name, a, b, coarse) in pairs {
        let started = Instant::now();
        let found = pieces(&a, &b).unwrap();
        let took = started.elapsed();
        assert!(took < Duration::from_secs(10), "{name}: {took:?}");
        assert_eq!(found.coarse, coarse, "{name}");
        assert_eq!((side(&found.pieces, "a"), side(&found.pieces, "b")), (of(&a), of(&b)), "{name}");
    }
}
