//! How many shingles a text has at most, at a glance: what they take is known before the text is read.

use super::Shingling;

/// Bytes looked at together: no more than a byte can count.
const STRIPE: usize = 128;

impl Shingling {
    /// Shingles of a text at most, beside those of characters that [grow](super::growth_bytes). Takes any bytes; markup and
    /// separators of two bytes and more are taken for text, save the blanks and signs of Latin-1.
    pub fn most(self, text: &[u8]) -> u64 {
        match self {
            Shingling::Words(_) => words(text),
            // Characters of three bytes and more may be tokens by themselves, each with a blank behind it.
            Shingling::Chars(_) => {
                count(text, text, |_, byte| byte & 0xc0 != 0x80) + count(text, text, |_, byte| byte >= 0xe0)
            }
        }
    }

    /// What [`most`](Self::most) says at most of so many bytes.
    pub fn most_of(self, bytes: u64) -> u64 {
        match self {
            Shingling::Words(_) => bytes.div_ceil(2),
            Shingling::Chars(_) => bytes,
        }
    }
}

/// Runs of what may be words, and characters that may be words by themselves or part them.
fn words(text: &[u8]) -> u64 {
    let Some((first, behind)) = text.split_first() else { return 0 };
    let starts = |before: u8, byte: u8| is_word(byte) & !is_word(before);
    let alone = |before: u8, byte: u8| (byte >= 0xe0) | (byte == 0xc2) & is_word(before);
    u64::from(is_word(*first))
        + count(text, behind, |before, byte| starts(before, byte) | alone(before, byte))
}

fn is_word(byte: u8) -> bool {
    (byte | 0x20).wrapping_sub(b'a') < 26 || byte.wrapping_sub(b'0') < 10 || byte == b'_' || byte >= 0x80
}

/// Counts the bytes that fit, each with the one beside it.
fn count(beside: &[u8], bytes: &[u8], fits: impl Fn(u8, u8) -> bool) -> u64 {
    let stripes = beside.chunks(STRIPE).zip(bytes.chunks(STRIPE));
    let of_stripe = |(beside, bytes): (&[u8], &[u8])| -> u64 {
        beside.iter().zip(bytes).map(|(&beside, &byte)| u8::from(fits(beside, byte))).sum::<u8>().into()
    };
    stripes.map(of_stripe).sum()
}

#[cfg(test)]
mod tests {
    use super::super::Normaliser;
    use super::*;

    /// Shingles of one word or character there are, and how many there may be.
    fn told(shingling: Shingling, text: &str) -> (u64, u64) {
        let mut read = Normaliser::default();
        read.read(text);
        let mut found = 0;
        shingling.each(&read, |_| found += 1);
        (found, shingling.most(text.as_bytes()))
    }

    #[test]
    fn there_are_no_more_shingles_than_told_and_hardly_fewer() {
        for (text, most_times) in [
            ("The quick brown fox, and 12 others, jump over it_s lazy dog. ", 1.3),
            ("a b c d e f g h ", 1.01),
            ("Ça été déjà vu à l'Élysée, naïve œuvre façade ", 1.6),
            ("Съешь же ещё этих мягких французских булок ", 1.01),
            ("ذهب الولد إلى المدرسة في الصباح الباكر ", 1.01),
            ("日本語のテキストです。これは文です、", 1.2),
            ("ภาษาไทยไม่มีช่องว่าง", 1.5),
            ("a\u{a0}b\u{a0}c·d «e» ", 1.6),
            ("\t\n ..,, <p>x</p> ", 3.1),
        ] {
            let text = text.repeat(40);
            for shingling in [Shingling::Words(1), Shingling::Chars(1)] {
                let (found, most) = told(shingling, &text);
                assert!(found <= most, "{shingling} {text:.20}: {found} of {most}");
                let most_times = if shingling == Shingling::Words(1) { most_times } else { 3.0 };
                assert!(
                    most as f64 <= found as f64 * most_times,
                    "{shingling} {text:.20}: {found} of {most}"
                );
                assert!(most <= shingling.most_of(text.len() as u64), "{shingling} {text:.20}");
            }
        }
    }

    #[test]
    fn any_bytes_are_counted() {
        assert_eq!(Shingling::Words(5).most(b""), 0);
        assert_eq!(Shingling::Words(5).most(b"\xff"), 1);
        assert_eq!(Shingling::Chars(5).most(b"\x80\x80"), 0);
        let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
        assert!(Shingling::Words(5).most(&bytes) > 100);
    }
}
