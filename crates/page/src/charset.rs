//! Fetched bytes as text.
//!
//! The order is the browser's: byte order mark, Content-Type header, what the page says of itself, and a guess.
//! Spec: <https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding>.
//!
//! Two differences, both because texts are compared here and not shown. A browser answers the labels of unsafe
//! encodings (ISO-2022-KR, HZ and others) with one U+FFFD for the whole page, which would make all such pages
//! copies of each other: here these labels count as unknown. And the guess takes UTF-16, UTF-32 and UTF-8
//! wherever the bytes allow it, where a browser would look at the reader's language; for the rest it counts
//! which encoding's letters stand beside each other as in real text (crate `chardetng`, Firefox's detector).

mod cyrillic;
mod prescan;
pub(crate) mod wide;

use std::borrow::Cow;
use std::str::Utf8Error;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, X_MAC_CYRILLIC};
use memchr::{memchr, memmem};
use wide::Wide;

/// How many bytes from the first one outside ASCII are given to the detector: it is slower than the rest, and
/// this many bytes decide.
const DETECTED_BYTES: usize = 256 << 10;

/// Text and how it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded<'a> {
    /// The text, without a byte order mark; borrowed where the bytes were the text already.
    pub text: Cow<'a, str>,
    /// The encoding that was used; for UTF-32, which the Encoding standard does not know, `REPLACEMENT`.
    pub encoding: &'static Encoding,
    /// The encoding's name, `UTF-32LE` and `UTF-32BE` included.
    pub charset: &'static str,
    /// Some bytes were not of this encoding; U+FFFD stands in their place.
    pub malformed: bool,
    /// How many U+FFFD were put in for such bytes.
    pub replaced: usize,
}

/// Decodes fetched bytes. `http_charset` is the charset parameter of the Content-Type header, `is_html` allows
/// a look at the `<meta>` tags in the first 1,024 bytes.
///
/// The first of these that names an encoding decides: a byte order mark; `http_charset`, if its label is known;
/// for HTML a `<meta charset>`, `<meta http-equiv=content-type>` or XML declaration; UTF-32 or UTF-16, if the
/// NUL bytes stand as there; UTF-8, if the bytes are valid but for a few or break off inside their last character; the
/// encoding the detector finds likeliest.
///
/// ```
/// let page = onefold_page::decode(b"<meta charset=koi8-r>\xf0\xd2\xc9\xd7\xc5\xd4", None, true);
/// assert_eq!((page.encoding.name(), page.text.ends_with("Привет")), ("KOI8-R", true));
/// ```
pub fn decode<'a>(bytes: &'a [u8], http_charset: Option<&str>, is_html: bool) -> Decoded<'a> {
    if let Some((wide, bom_len)) = Wide::for_bom(bytes) {
        return wide.decode(&bytes[bom_len..]);
    }
    if let Some((encoding, bom_len)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, &bytes[bom_len..]);
    }
    let declared = http_charset
        .and_then(|label| for_label(label.as_bytes()))
        .or_else(|| if is_html { prescan::declared_encoding(bytes) } else { None });
    if let Some(encoding) = declared {
        return decode_as(encoding, bytes);
    }
    if let Some(wide) = Wide::detect(bytes) {
        return wide.decode(bytes);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if memchr(0x1b, bytes).is_none() => Decoded {
            text: Cow::Borrowed(text),
            encoding: UTF_8,
            charset: UTF_8.name(),
            malformed: false,
            replaced: 0,
        },
        Ok(_) => decode_as(detect(bytes), bytes),
        Err(error) if is_cut_utf8(bytes, error) || is_mostly_utf8(bytes) => decode_as(UTF_8, bytes),
        Err(_) => decode_as(detect(bytes), bytes),
    }
}

/// The likeliest encoding; never UTF-8 for bytes that are not.
fn detect(bytes: &[u8]) -> &'static Encoding {
    let ascii = Encoding::ascii_valid_up_to(bytes);
    // The escapes of ISO-2022-JP are ASCII.
    let start = memchr(0x1b, &bytes[..ascii]).unwrap_or(ascii);
    let end = bytes.len().min(start.saturating_add(DETECTED_BYTES));
    if cyrillic::is_mac(&bytes[start..end]) {
        return X_MAC_CYRILLIC;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&bytes[start..end], true);
    detector.guess(None, Utf8Detection::Allow)
}

/// Is this UTF-8 but for a last character that is not complete? One foreign byte at the end of ASCII is more
/// likely a letter of windows-1252, so there must be other characters to go by.
fn is_cut_utf8(bytes: &[u8], error: Utf8Error) -> bool {
    error.error_len().is_none() && !bytes[..error.valid_up_to()].is_ascii()
}

/// Is this UTF-8 with a few foreign bytes, as where a page quotes another? Characters of more than one byte
/// must outnumber the bytes that are wrong by far; by chance they hardly come up.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut right, mut wrong) = (0, 0);
    for chunk in bytes[..bytes.len().min(DETECTED_BYTES)].utf8_chunks() {
        right += chunk.valid().chars().filter(|char| !char.is_ascii()).count();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    right >= 8 * wrong.max(1)
}

fn decode_as<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let (text, malformed) = encoding.decode_without_bom_handling(bytes);
    let replaced = if malformed { count_replaced(encoding, bytes, &text) } else { 0 };
    Decoded { text, encoding, charset: encoding.name(), malformed, replaced }
}

/// Counts the U+FFFD in the text without those that UTF-8 had already.
fn count_replaced(encoding: &'static Encoding, bytes: &[u8], text: &str) -> usize {
    let count = |bytes: &[u8]| memmem::find_iter(bytes, "\u{fffd}").count();
    let before = if encoding == UTF_8 { count(bytes) } else { 0 };
    count(text.as_bytes()).saturating_sub(before)
}

/// The encoding of a label, in the spelling of headers and `<meta>`: quotes around it do not matter.
fn for_label(label: &[u8]) -> Option<&'static Encoding> {
    let label = label.trim_ascii();
    let bare = match label {
        [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => inner,
        _ => label,
    };
    Encoding::for_label_no_replacement(bare)
}

#[cfg(test)]
mod tests {
    use encoding_rs::{ISO_2022_JP, SHIFT_JIS, UTF_16BE, UTF_16LE, WINDOWS_1251, WINDOWS_1252};

    use super::*;

    fn check(bytes: &[u8], http_charset: Option<&str>, expected: (&str, &'static Encoding, bool)) {
        let decoded = decode(bytes, http_charset, true);
        assert_eq!((decoded.text.as_ref(), decoded.encoding, decoded.malformed), expected);
    }

    #[test]
    fn a_byte_order_mark_beats_header_and_meta_and_is_removed() {
        check(b"\xef\xbb\xbfa\xc3\xa9", Some("shift_jis"), ("aé", UTF_8, false));
        check(b"\xff\xfea\0", Some("utf-8"), ("a", UTF_16LE, false));
        check(b"\xfe\xff\0a", None, ("a", UTF_16BE, false));
    }

    #[test]
    fn the_header_beats_meta() {
        let page = b"<meta charset=koi8-r>\xe0";
        check(page, Some("windows-1251"), ("<meta charset=koi8-r>а", WINDOWS_1251, false));
        check(page, Some(" \"CP1251\" "), ("<meta charset=koi8-r>а", WINDOWS_1251, false));
    }

    #[test]
    fn an_unknown_header_leaves_the_word_to_meta() {
        for label in ["", "none", "utf8mb4", "iso-2022-kr", "\u{fffd}"] {
            let page = b"<meta charset=shift_jis>\x82\xa0";
            check(page, Some(label), ("<meta charset=shift_jis>あ", SHIFT_JIS, false));
        }
    }

    #[test]
    fn meta_counts_only_in_html() {
        let page = b"<meta charset=windows-1251>\xe0";
        assert_eq!(decode(page, None, true).encoding, WINDOWS_1251);
        assert_eq!(decode(page, None, false).encoding, WINDOWS_1252);
    }

    #[test]
    fn bytes_without_a_word_are_utf8_if_they_can_be() {
        check("plain é".as_bytes(), None, ("plain é", UTF_8, false));
        check(b"caf\xe9 noir", None, ("café noir", WINDOWS_1252, false));
        check(b"", None, ("", UTF_8, false));
    }

    #[test]
    fn a_page_cut_inside_its_last_character_is_still_utf8() {
        check(b"\xc3\xa9t\xc3", None, ("ét\u{fffd}", UTF_8, true));
        check(b"caf\xe9", None, ("café", WINDOWS_1252, false));
    }

    #[test]
    fn a_foreign_byte_among_many_characters_does_not_change_the_encoding() {
        let page = [&"Größe über alles äöüß".as_bytes().repeat(2), b" caf\xe9".as_slice()].concat();
        let decoded = decode(&page, None, false);
        assert_eq!((decoded.encoding, decoded.replaced), (UTF_8, 1));
    }

    #[test]
    fn wrong_bytes_for_a_declared_encoding_are_replaced_and_told() {
        check(b"a\xffb", Some("utf-8"), ("a\u{fffd}b", UTF_8, true));
    }

    #[test]
    fn pages_in_an_unsafe_encoding_do_not_all_become_one_character() {
        check(b"\x1b$)C\x0eab", Some("iso-2022-kr"), ("\x1b$)C\x0eab", UTF_8, false));
    }

    #[test]
    fn replaced_bytes_are_counted_and_old_replacements_are_not() {
        let decoded = decode(b"a\xffb\xfe \xef\xbf\xbd", Some("utf-8"), false);
        assert_eq!((decoded.replaced, decoded.text.matches('\u{fffd}').count()), (2, 3));
        assert_eq!(decode("\u{fffd}".as_bytes(), None, false).replaced, 0);
    }

    #[test]
    fn text_that_says_nothing_is_told_by_its_letters() {
        let (cyrillic, _, _) = WINDOWS_1251.encode("Все счастливые семьи похожи друг на друга");
        check(&cyrillic, None, ("Все счастливые семьи похожи друг на друга", WINDOWS_1251, false));
        let (kana, _, _) = SHIFT_JIS.encode("吾輩は猫である。名前はまだ無い。");
        check(&kana, None, ("吾輩は猫である。名前はまだ無い。", SHIFT_JIS, false));
        let (escaped, _, _) = ISO_2022_JP.encode("吾輩は猫である。");
        check(&escaped, None, ("吾輩は猫である。", ISO_2022_JP, false));
    }

    #[test]
    fn valid_utf8_is_borrowed() {
        assert!(matches!(decode("é".as_bytes(), Some("utf-8"), false).text, Cow::Borrowed("é")));
    }
}
