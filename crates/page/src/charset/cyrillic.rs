//! Russian as the old Macintosh wrote it, which the detector does not know.
//!
//! Small letters but one have the same bytes as in windows-1251. What differs decides: я is 0xDF, not 0xFF, and
//! capitals are 0x80–0x9F, not 0xC0–0xDF. Only letters in a run of small Cyrillic letters count, which no
//! Western text has.

/// Is this Cyrillic, and rather x-mac-cyrillic than windows-1251?
pub(super) fn is_mac(bytes: &[u8]) -> bool {
    let (mut mac, mut windows, mut small_pairs, mut high) = (0usize, 0usize, 0usize, 0usize);
    for pair in bytes.windows(2) {
        high += usize::from(pair[1] >= 0x80);
        match *pair {
            [first, second] if is_small(first) && is_small(second) => small_pairs += 1,
            [first, 0xdf] if is_small(first) => mac += 1,
            [first, 0xff] if is_small(first) => windows += 1,
            [0x80..=0x9f, second] if is_small(second) => mac += 1,
            [0xc0..=0xde, second] if is_small(second) => windows += 1,
            _ => {}
        }
    }
    mac > 4 * windows && small_pairs * 2 > high
}

/// а to ю, the same in both.
const fn is_small(byte: u8) -> bool {
    matches!(byte, 0xe0..=0xfe)
}

#[cfg(test)]
mod tests {
    use encoding_rs::{IBM866, KOI8_R, UTF_8, WINDOWS_1251, WINDOWS_1252};

    use super::*;

    const TEXT: &str =
        "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.";

    /// The bytes by the table that encoding_rs has for decoding only.
    fn in_mac(text: &str) -> Vec<u8> {
        let byte_of = |char| {
            (0..=255u8).find(|&byte| {
                encoding_rs::X_MAC_CYRILLIC.decode_without_bom_handling(&[byte]).0.starts_with(char)
            })
        };
        text.chars().map(|char| byte_of(char).unwrap_or(b'?')).collect()
    }

    #[test]
    fn the_macintosh_is_told_from_the_others() {
        assert!(is_mac(&in_mac(TEXT)));
        for encoding in [WINDOWS_1251, KOI8_R, IBM866, UTF_8] {
            assert!(!is_mac(&encoding.encode(TEXT).0), "{}", encoding.name());
        }
        let german = "Größe, Spaß, süß: die Straße äußerst gemäßigt überquert";
        assert!(!is_mac(&WINDOWS_1252.encode(german).0));
    }
}
