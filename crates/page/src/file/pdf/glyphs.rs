//! Names of glyphs.
//!
//! The names of the Latin, Greek and Cyrillic letters and of the signs that go with them, as in the Adobe Glyph List.

/// What a glyph of this name says.
pub(super) fn text(name: &[u8]) -> Option<&'static str> {
    let name = without_variant(name);
    NAMES.binary_search_by(|(known, _)| known.as_bytes().cmp(name)).ok().map(|at| NAMES[at].1)
}

/// The character of a glyph that is named by a single letter or, as `uni20AC`, by its number.
pub(super) fn by_number(name: &[u8]) -> Option<char> {
    let name = without_variant(name);
    if let [letter] = name {
        return letter.is_ascii_alphabetic().then(|| char::from(*letter));
    }
    let digits = match name {
        [b'u', b'n', b'i', digits @ ..] if digits.len() >= 4 => &digits[..4],
        [b'u', digits @ ..] if (4..=6).contains(&digits.len()) => digits,
        _ => return None,
    };
    let number = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    char::from_u32(number).filter(|char| !char.is_control())
}

/// `a.small` is an `a`.
fn without_variant(name: &[u8]) -> &[u8] {
    let end = name.iter().skip(1).position(|&byte| byte == b'.').map_or(name.len(), |at| at + 1);
    &name[..end]
}

/// The character of a code in the standard encoding of Type 1 fonts.
pub(super) fn standard(code: u8) -> Option<char> {
    match code {
        b'\'' => Some('’'),
        b'`' => Some('‘'),
        b' '..=b'~' => Some(char::from(code)),
        0xa1..=0xfb => STANDARD.chars().nth(usize::from(code - 0xa1)).filter(|char| *char != ' '),
        _ => None,
    }
}

/// Codes from 161 to 251; a blank is none.
static STANDARD: &str =
    "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿                —                Æ ª    ŁØŒº     æ   ı  łøœß";

#[rustfmt::skip]
static NAMES: [(&str, &str); 451] = [
    ("AE", "Æ"), ("Aacute", "Á"), ("Abreve", "Ă"), ("Acaron", "Ǎ"), ("Acircumflex", "Â"),
    ("Adieresis", "Ä"), ("Adotaccent", "Ȧ"), ("Agrave", "À"), ("Alpha", "Α"), ("Amacron", "Ā"),
    ("Aogonek", "Ą"), ("Aring", "Å"), ("Atilde", "Ã"), ("Beta", "Β"), ("Cacute", "Ć"), ("Ccaron", "Č"),
    ("Ccedilla", "Ç"), ("Ccircumflex", "Ĉ"), ("Cdotaccent", "Ċ"), ("Chi", "Χ"), ("Dcaron", "Ď"),
    ("Dcroat", "Đ"), ("Delta", "Δ"), ("Eacute", "É"), ("Ebreve", "Ĕ"), ("Ecaron", "Ě"), ("Ecedilla", "Ȩ"),
    ("Ecircumflex", "Ê"), ("Edieresis", "Ë"), ("Edotaccent", "Ė"), ("Egrave", "È"), ("Emacron", "Ē"),
    ("Eogonek", "Ę"), ("Epsilon", "Ε"), ("Eta", "Η"), ("Eth", "Ð"), ("Euro", "€"), ("Gacute", "Ǵ"),
    ("Gamma", "Γ"), ("Gbreve", "Ğ"), ("Gcaron", "Ǧ"), ("Gcedilla", "Ģ"), ("Gcircumflex", "Ĝ"),
    ("Gcommaaccent", "Ģ"), ("Gdotaccent", "Ġ"), ("Hbar", "Ħ"), ("Hcaron", "Ȟ"), ("Hcircumflex", "Ĥ"),
    ("Iacute", "Í"), ("Ibreve", "Ĭ"), ("Icaron", "Ǐ"), ("Icircumflex", "Î"), ("Idieresis", "Ï"),
    ("Idotaccent", "İ"), ("Igrave", "Ì"), ("Imacron", "Ī"), ("Iogonek", "Į"), ("Iota", "Ι"),
    ("Itilde", "Ĩ"), ("Jcircumflex", "Ĵ"), ("Kappa", "Κ"), ("Kcaron", "Ǩ"), ("Kcedilla", "Ķ"),
    ("Kcommaaccent", "Ķ"), ("Lacute", "Ĺ"), ("Lambda", "Λ"), ("Lcaron", "Ľ"), ("Lcedilla", "Ļ"),
    ("Lcommaaccent", "Ļ"), ("Lslash", "Ł"), ("Mu", "Μ"), ("Nacute", "Ń"), ("Ncaron", "Ň"),
    ("Ncedilla", "Ņ"), ("Ncommaaccent", "Ņ"), ("Ngrave", "Ǹ"), ("Ntilde", "Ñ"), ("Nu", "Ν"), ("OE", "Œ"),
    ("Oacute", "Ó"), ("Obreve", "Ŏ"), ("Ocaron", "Ǒ"), ("Ocircumflex", "Ô"), ("Odieresis", "Ö"),
    ("Odotaccent", "Ȯ"), ("Ograve", "Ò"), ("Ohungarumlaut", "Ő"), ("Omacron", "Ō"), ("Omega", "Ω"),
    ("Omicron", "Ο"), ("Oogonek", "Ǫ"), ("Oslash", "Ø"), ("Otilde", "Õ"), ("Phi", "Φ"), ("Pi", "Π"),
    ("Psi", "Ψ"), ("Racute", "Ŕ"), ("Rcaron", "Ř"), ("Rcedilla", "Ŗ"), ("Rcommaaccent", "Ŗ"), ("Rho", "Ρ"),
    ("Sacute", "Ś"), ("Scaron", "Š"), ("Scedilla", "Ş"), ("Scircumflex", "Ŝ"), ("Scommaaccent", "Ș"),
    ("Sigma", "Σ"), ("Tau", "Τ"), ("Tcaron", "Ť"), ("Tcedilla", "Ţ"), ("Tcommaaccent", "Ț"), ("Theta", "Θ"),
    ("Thorn", "Þ"), ("Uacute", "Ú"), ("Ubreve", "Ŭ"), ("Ucaron", "Ǔ"), ("Ucircumflex", "Û"),
    ("Udieresis", "Ü"), ("Ugrave", "Ù"), ("Uhungarumlaut", "Ű"), ("Umacron", "Ū"), ("Uogonek", "Ų"),
    ("Upsilon", "Υ"), ("Uring", "Ů"), ("Utilde", "Ũ"), ("Wcircumflex", "Ŵ"), ("Xi", "Ξ"), ("Yacute", "Ý"),
    ("Ycircumflex", "Ŷ"), ("Ydieresis", "Ÿ"), ("Ymacron", "Ȳ"), ("Zacute", "Ź"), ("Zcaron", "Ž"),
    ("Zdotaccent", "Ż"), ("Zeta", "Ζ"), ("aacute", "á"), ("abreve", "ă"), ("acaron", "ǎ"),
    ("acircumflex", "â"), ("acute", "´"), ("adieresis", "ä"), ("adotaccent", "ȧ"), ("ae", "æ"),
    ("afii10017", "А"), ("afii10018", "Б"), ("afii10019", "В"), ("afii10020", "Г"), ("afii10021", "Д"),
    ("afii10022", "Е"), ("afii10023", "Ё"), ("afii10024", "Ж"), ("afii10025", "З"), ("afii10026", "И"),
    ("afii10027", "Й"), ("afii10028", "К"), ("afii10029", "Л"), ("afii10030", "М"), ("afii10031", "Н"),
    ("afii10032", "О"), ("afii10033", "П"), ("afii10034", "Р"), ("afii10035", "С"), ("afii10036", "Т"),
    ("afii10037", "У"), ("afii10038", "Ф"), ("afii10039", "Х"), ("afii10040", "Ц"), ("afii10041", "Ч"),
    ("afii10042", "Ш"), ("afii10043", "Щ"), ("afii10044", "Ъ"), ("afii10045", "Ы"), ("afii10046", "Ь"),
    ("afii10047", "Э"), ("afii10048", "Ю"), ("afii10049", "Я"), ("afii10065", "а"), ("afii10066", "б"),
    ("afii10067", "в"), ("afii10068", "г"), ("afii10069", "д"), ("afii10070", "е"), ("afii10071", "ё"),
    ("afii10072", "ж"), ("afii10073", "з"), ("afii10074", "и"), ("afii10075", "й"), ("afii10076", "к"),
    ("afii10077", "л"), ("afii10078", "м"), ("afii10079", "н"), ("afii10080", "о"), ("afii10081", "п"),
    ("afii10082", "р"), ("afii10083", "с"), ("afii10084", "т"), ("afii10085", "у"), ("afii10086", "ф"),
    ("afii10087", "х"), ("afii10088", "ц"), ("afii10089", "ч"), ("afii10090", "ш"), ("afii10091", "щ"),
    ("afii10092", "ъ"), ("afii10093", "ы"), ("afii10094", "ь"), ("afii10095", "э"), ("afii10096", "ю"),
    ("afii10097", "я"), ("agrave", "à"), ("alpha", "α"), ("amacron", "ā"), ("ampersand", "&"),
    ("aogonek", "ą"), ("approxequal", "≈"), ("aring", "å"), ("asciicircum", "^"), ("asciitilde", "~"),
    ("asterisk", "*"), ("at", "@"), ("atilde", "ã"), ("backslash", "\\"), ("bar", "|"), ("beta", "β"),
    ("braceleft", "{"), ("braceright", "}"), ("bracketleft", "["), ("bracketright", "]"),
    ("brokenbar", "¦"), ("bullet", "•"), ("cacute", "ć"), ("ccaron", "č"), ("ccedilla", "ç"),
    ("ccircumflex", "ĉ"), ("cdotaccent", "ċ"), ("cedilla", "¸"), ("cent", "¢"), ("chi", "χ"),
    ("colon", ":"), ("comma", ","), ("copyright", "©"), ("currency", "¤"), ("dagger", "†"),
    ("daggerdbl", "‡"), ("dcaron", "ď"), ("dcroat", "đ"), ("degree", "°"), ("delta", "δ"),
    ("dieresis", "¨"), ("divide", "÷"), ("dollar", "$"), ("dotlessi", "ı"), ("eacute", "é"),
    ("ebreve", "ĕ"), ("ecaron", "ě"), ("ecedilla", "ȩ"), ("ecircumflex", "ê"), ("edieresis", "ë"),
    ("edotaccent", "ė"), ("egrave", "è"), ("eight", "8"), ("ellipsis", "…"), ("emacron", "ē"),
    ("emdash", "—"), ("endash", "–"), ("eogonek", "ę"), ("epsilon", "ε"), ("equal", "="), ("eta", "η"),
    ("eth", "ð"), ("exclam", "!"), ("exclamdown", "¡"), ("ff", "ff"), ("ffi", "ffi"), ("ffl", "ffl"),
    ("fi", "fi"), ("five", "5"), ("fl", "fl"), ("florin", "ƒ"), ("four", "4"), ("fraction", "⁄"),
    ("gacute", "ǵ"), ("gamma", "γ"), ("gbreve", "ğ"), ("gcaron", "ǧ"), ("gcedilla", "ģ"),
    ("gcircumflex", "ĝ"), ("gcommaaccent", "ģ"), ("gdotaccent", "ġ"), ("germandbls", "ß"), ("grave", "`"),
    ("greater", ">"), ("greaterequal", "≥"), ("guillemotleft", "«"), ("guillemotright", "»"),
    ("guilsinglleft", "‹"), ("guilsinglright", "›"), ("hbar", "ħ"), ("hcaron", "ȟ"), ("hcircumflex", "ĥ"),
    ("hyphen", "-"), ("hyphenminus", "-"), ("iacute", "í"), ("ibreve", "ĭ"), ("icaron", "ǐ"),
    ("icircumflex", "î"), ("idieresis", "ï"), ("igrave", "ì"), ("imacron", "ī"), ("infinity", "∞"),
    ("integral", "∫"), ("iogonek", "į"), ("iota", "ι"), ("itilde", "ĩ"), ("jcaron", "ǰ"),
    ("jcircumflex", "ĵ"), ("kappa", "κ"), ("kcaron", "ǩ"), ("kcedilla", "ķ"), ("kcommaaccent", "ķ"),
    ("lacute", "ĺ"), ("lambda", "λ"), ("lcaron", "ľ"), ("lcedilla", "ļ"), ("lcommaaccent", "ļ"),
    ("less", "<"), ("lessequal", "≤"), ("logicalnot", "¬"), ("lozenge", "◊"), ("lslash", "ł"),
    ("macron", "¯"), ("minus", "−"), ("mu", "µ"), ("multiply", "×"), ("nacute", "ń"), ("nbspace", " "),
    ("ncaron", "ň"), ("ncedilla", "ņ"), ("ncommaaccent", "ņ"), ("ngrave", "ǹ"), ("nine", "9"),
    ("nonbreakingspace", " "), ("notequal", "≠"), ("ntilde", "ñ"), ("nu", "ν"), ("numbersign", "#"),
    ("oacute", "ó"), ("obreve", "ŏ"), ("ocaron", "ǒ"), ("ocircumflex", "ô"), ("odieresis", "ö"),
    ("odotaccent", "ȯ"), ("oe", "œ"), ("ograve", "ò"), ("ohungarumlaut", "ő"), ("omacron", "ō"),
    ("omega", "ω"), ("omicron", "ο"), ("one", "1"), ("onehalf", "½"), ("onequarter", "¼"),
    ("onesuperior", "¹"), ("oogonek", "ǫ"), ("ordfeminine", "ª"), ("ordmasculine", "º"), ("oslash", "ø"),
    ("otilde", "õ"), ("paragraph", "¶"), ("parenleft", "("), ("parenright", ")"), ("partialdiff", "∂"),
    ("percent", "%"), ("period", "."), ("periodcentered", "·"), ("perthousand", "‰"), ("phi", "φ"),
    ("pi", "π"), ("plus", "+"), ("plusminus", "±"), ("product", "∏"), ("psi", "ψ"), ("question", "?"),
    ("questiondown", "¿"), ("quotedbl", "\""), ("quotedblbase", "„"), ("quotedblleft", "“"),
    ("quotedblright", "”"), ("quoteleft", "‘"), ("quoteright", "’"), ("quotesinglbase", "‚"),
    ("quotesingle", "'"), ("racute", "ŕ"), ("radical", "√"), ("rcaron", "ř"), ("rcedilla", "ŗ"),
    ("rcommaaccent", "ŗ"), ("registered", "®"), ("rho", "ρ"), ("sacute", "ś"), ("scaron", "š"),
    ("scedilla", "ş"), ("scircumflex", "ŝ"), ("scommaaccent", "ș"), ("section", "§"), ("semicolon", ";"),
    ("seven", "7"), ("sfthyphen", "-"), ("sigma", "σ"), ("sigma1", "ς"), ("six", "6"), ("slash", "/"),
    ("space", " "), ("sterling", "£"), ("summation", "∑"), ("tau", "τ"), ("tcaron", "ť"), ("tcedilla", "ţ"),
    ("tcommaaccent", "ț"), ("theta", "θ"), ("thorn", "þ"), ("three", "3"), ("threequarters", "¾"),
    ("threesuperior", "³"), ("trademark", "™"), ("two", "2"), ("twosuperior", "²"), ("uacute", "ú"),
    ("ubreve", "ŭ"), ("ucaron", "ǔ"), ("ucircumflex", "û"), ("udieresis", "ü"), ("ugrave", "ù"),
    ("uhungarumlaut", "ű"), ("umacron", "ū"), ("underscore", "_"), ("uogonek", "ų"), ("upsilon", "υ"),
    ("uring", "ů"), ("utilde", "ũ"), ("wcircumflex", "ŵ"), ("xi", "ξ"), ("yacute", "ý"),
    ("ycircumflex", "ŷ"), ("ydieresis", "ÿ"), ("yen", "¥"), ("ymacron", "ȳ"), ("zacute", "ź"),
    ("zcaron", "ž"), ("zdotaccent", "ż"), ("zero", "0"), ("zeta", "ζ"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glyphs_are_known_by_name_and_number() {
        assert!(NAMES.is_sorted_by_key(|(name, _)| name.as_bytes()));
        assert_eq!(
            (text(b"eacute"), text(b"fi.alt"), text(b"afii10017")),
            (Some("é"), Some("fi"), Some("А"))
        );
        assert_eq!(
            (by_number(b"uni20AC"), by_number(b"u1F600"), by_number(b"A.sc")),
            (Some('€'), Some('😀'), Some('A'))
        );
        assert_eq!((text(b"g37"), by_number(b"g37"), by_number(b"uniD800")), (None, None, None));
        assert_eq!(
            (standard(0xa1), standard(0xb1), standard(0xfb), standard(0xb0)),
            (Some('¡'), Some('–'), Some('ß'), None)
        );
    }
}
