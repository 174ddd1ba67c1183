//! What the names of tags mean for the visible text.
//!
//! A name is packed into a `u128` while it is read, lower-cased, and looked up in a hash table laid out at
//! compile time: no allocation and about one probe a tag. Names of more than 16 bytes mean nothing to us.

/// A tag's name, as far as it matters to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) kind: Kind,
    /// Texts before and after this tag stand on different lines.
    pub(super) ends_line: bool,
    /// The tag cannot stand in SVG: the standard closes the `svg` before it.
    pub(super) leaves_svg: bool,
}

/// Elements whose content is treated in a way of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Other,
    Title,
    Textarea,
    Script,
    /// `style`, `iframe`, `noscript`, `noembed`, `noframes`: raw text that no reader sees.
    HiddenRaw,
    Xmp,
    Plaintext,
    Template,
    Svg,
    /// `foreignObject` and `desc`, which in SVG hold HTML; `title` does so, too.
    HtmlInSvg,
}

/// The longest name that is looked up; one byte of the key apiece.
const MAX_NAME_LEN: usize = 16;

const LINE: (bool, bool) = (true, false);
const LINE_LEAVES_SVG: (bool, bool) = (true, true);
const INLINE: (bool, bool) = (false, false);
const INLINE_LEAVES_SVG: (bool, bool) = (false, true);

/// Names of one kind and the same marks.
struct Group {
    kind: Kind,
    marks: (bool, bool),
    names: &'static [&'static str],
}

#[rustfmt::skip]
static GROUPS: [Group; 12] = [
    Group { kind: Kind::Other, marks: LINE_LEAVES_SVG, names: &[
        "blockquote", "body", "br", "center", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "head",
        "hr", "li", "listing", "menu", "ol", "p", "pre", "table", "ul",
    ] },
    Group { kind: Kind::Other, marks: LINE, names: &[
        "address", "article", "aside", "button", "caption", "details", "dialog", "dir", "fieldset", "figcaption",
        "figure", "footer", "form", "frameset", "header", "hgroup", "html", "legend", "main", "nav", "optgroup",
        "option", "search", "section", "select", "summary", "tbody", "td", "tfoot", "th", "thead", "tr",
    ] },
    Group { kind: Kind::Other, marks: INLINE_LEAVES_SVG, names: &[
        "b", "big", "code", "em", "embed", "i", "img", "meta", "nobr", "ruby", "s", "small", "span", "strong",
        "strike", "sub", "sup", "tt", "u", "var",
    ] },
    Group { kind: Kind::Title, marks: INLINE, names: &["title"] },
    Group { kind: Kind::Textarea, marks: LINE, names: &["textarea"] },
    Group { kind: Kind::Script, marks: INLINE, names: &["script"] },
    Group { kind: Kind::HiddenRaw, marks: INLINE, names: &["style", "iframe", "noscript", "noembed", "noframes"] },
    Group { kind: Kind::Xmp, marks: LINE, names: &["xmp"] },
    Group { kind: Kind::Plaintext, marks: LINE, names: &["plaintext"] },
    Group { kind: Kind::Template, marks: INLINE, names: &["template"] },
    Group { kind: Kind::Svg, marks: INLINE, names: &["svg"] },
    Group { kind: Kind::HtmlInSvg, marks: INLINE, names: &["desc", "foreignobject"] },
];

const UNKNOWN: Tag = Tag { kind: Kind::Other, ends_line: false, leaves_svg: false };

const SLOTS: usize = 512;

static TABLE: [(u128, Tag); SLOTS] = lay_out();

const fn lay_out() -> [(u128, Tag); SLOTS] {
    let mut table = [(0, UNKNOWN); SLOTS];
    let mut group = 0;
    while group < GROUPS.len() {
        let Group { kind, marks: (ends_line, leaves_svg), names } = &GROUPS[group];
        let mut name = 0;
        while name < names.len() {
            let bytes = names[name].as_bytes();
            let mut key = 0;
            let mut at = 0;
            while at < bytes.len() {
                key = key << 8 | bytes[at] as u128;
                at += 1;
            }
            let mut slot = first_slot(key);
            while table[slot].0 != 0 {
                slot = (slot + 1) % SLOTS;
            }
            table[slot] = (key, Tag { kind: *kind, ends_line: *ends_line, leaves_svg: *leaves_svg });
            name += 1;
        }
        group += 1;
    }
    table
}

const fn first_slot(key: u128) -> usize {
    let folded = key as u64 ^ (key >> 64) as u64;
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOTS.trailing_zeros())) as usize
}

fn look_up(key: u128) -> Tag {
    let mut slot = first_slot(key);
    loop {
        match TABLE[slot] {
            (found, tag) if found == key => return tag,
            (0, _) => return UNKNOWN,
            _ => slot = (slot + 1) % SLOTS,
        }
    }
}

impl Tag {
    /// Reads the name that begins at `start`; also returns where it ends: at white space, `/`, `>` or the end.
    pub(super) fn read(bytes: &[u8], start: usize) -> (Tag, usize) {
        let mut key = 0u128;
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            if ends_name(byte) {
                break;
            }
            key = key << 8 | u128::from(byte.to_ascii_lowercase());
            at += 1;
        }
        (if at - start <= MAX_NAME_LEN { look_up(key) } else { UNKNOWN }, at)
    }

    /// The tag of a whole name.
    #[cfg(test)]
    pub(super) fn of(name: &str) -> Tag {
        Tag::read(name.as_bytes(), 0).0
    }
}

/// White space in the sense of HTML; carriage returns count because the standard makes line feeds of them.
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'\x0c')
}

/// Does this byte end a tag's name?
pub(super) const fn ends_name(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'/' | b'>')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_is_found_in_any_case() {
        for group in &GROUPS {
            for name in group.names {
                for spelled in [name.to_string(), name.to_uppercase()] {
                    let tag = Tag::of(&spelled);
                    assert_eq!(
                        (tag.kind, (tag.ends_line, tag.leaves_svg)),
                        (group.kind, group.marks),
                        "{name}"
                    );
                }
            }
        }
    }

    #[test]
    fn other_names_mean_nothing() {
        for name in ["a", "divv", "font", "d", "xdiv", "custom-element", "averyveryverylongname", "é"] {
            assert_eq!(Tag::of(name), UNKNOWN, "{name}");
        }
    }

    #[test]
    fn the_name_ends_at_space_slash_or_bracket() {
        for (text, end) in [("br>", 2), ("br/>", 2), ("br\t", 2), ("br", 2), ("a<b>", 3), ("p\rx", 1)] {
            assert_eq!(Tag::read(text.as_bytes(), 0).1, end, "{text}");
        }
    }
}
