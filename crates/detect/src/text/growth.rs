//! Characters that grow when they are normalised: one may stand for words.

/// Bytes that normalising adds to a text beyond four times its size, at most: ligatures of Arabic words (U+FDC0 to U+FDFF)
/// become up to eleven times as long, squared Japanese words (U+3300 to U+337F) up to eight times. Takes any bytes.
pub fn growth_bytes(text: &[u8]) -> u64 {
    let grown = |at: usize| match text.get(at..at + 2) {
        Some([0xef, 0xb7]) => 21,
        Some([0xe3, 0x8c | 0x8d]) => 12,
        _ => 0,
    };
    memchr::memchr2_iter(0xef, 0xe3, text).map(grown).sum()
}

#[cfg(test)]
mod tests {
    use super::super::Normaliser;
    use super::*;

    #[test]
    fn no_character_grows_more() {
        let mut normaliser = Normaliser::default();
        for char in '\u{80}'..=char::MAX {
            let text = String::from_iter([char; 9]);
            normaliser.read(&text);
            let (grown, told) = (normaliser.normalised().len(), growth_bytes(text.as_bytes()));
            assert!(grown as u64 <= 4 * text.len() as u64 + told, "U+{:04X}: {grown}", u32::from(char));
        }
    }

    #[test]
    fn what_does_not_grow_counts_nothing() {
        assert_eq!(growth_bytes("Ein Text, 日本語のテキスト, نص عربي".as_bytes()), 0);
        assert_eq!(growth_bytes(b"\xef"), 0);
        assert_eq!(growth_bytes("ﷺ".as_bytes()), 21);
    }
}
