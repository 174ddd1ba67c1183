//! Words of scripts that separate them by blanks.

use super::{by_frequency, syllables};
use crate::random::Random;

/// Onset, nucleus and coda lists; entries are repeated where their sound is frequent.
struct Sounds {
    onsets: &'static [&'static str],
    nuclei: &'static [&'static str],
    codas: &'static [&'static str],
}

const LATIN: Sounds = Sounds {
    onsets: &[
        "b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z", "br", "ch",
        "cl", "cr", "dr", "fl", "fr", "gr", "pl", "pr", "sh", "sl", "sp", "st", "str", "th", "tr",
    ],
    nuclei: &["a", "e", "i", "o", "u", "ai", "ea", "ee", "io", "ou"],
    codas: &["", "", "", "n", "r", "s", "t", "l", "m", "nd", "st", "ng", "ck"],
};

const FRENCH: Sounds = Sounds {
    onsets: &[
        "b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "br", "ch", "cr", "gr", "pl", "pr",
        "tr", "qu", "ç",
    ],
    nuclei: &[
        "a", "e", "i", "o", "u", "é", "é", "è", "ê", "à", "â", "î", "ô", "û", "ou", "ai", "eau", "œ", "ë",
        "ï",
    ],
    codas: &["", "", "", "r", "s", "t", "n", "l", "nt", "ne", "que"],
};

const GERMAN: Sounds = Sounds {
    onsets: &[
        "b", "d", "f", "g", "h", "k", "l", "m", "n", "r", "s", "t", "w", "z", "sch", "st", "pf", "kl", "br",
        "tr", "zw",
    ],
    nuclei: &["a", "e", "e", "i", "o", "u", "ä", "ö", "ü", "ei", "ie", "au", "eu", "äu"],
    codas: &["", "n", "r", "t", "l", "s", "ß", "ch", "ng", "nd", "st", "cht", "tz"],
};

const VIETNAMESE: Sounds = Sounds {
    onsets: &[
        "b", "c", "đ", "g", "h", "kh", "l", "m", "n", "ng", "nh", "ph", "qu", "s", "t", "th", "tr", "v", "x",
    ],
    nuclei: &[
        "a", "á", "à", "ả", "ạ", "ă", "ắ", "ặ", "â", "ấ", "ầ", "ậ", "e", "ế", "ề", "ể", "ệ", "i", "í", "ị",
        "ô", "ố", "ồ", "ộ", "ơ", "ớ", "ờ", "ợ", "ư", "ứ", "ừ", "ữ", "ự", "iệ", "ườ", "ươ", "uố", "oà",
    ],
    codas: &["", "", "n", "ng", "nh", "c", "ch", "m", "p", "t", "i", "u"],
};

const RUSSIAN: Sounds = Sounds {
    onsets: &[
        "н", "т", "с", "р", "в", "л", "к", "м", "д", "п", "н", "т", "с", "р", "в", "б", "г", "з", "ч", "ж",
        "ш", "х", "ц", "щ", "ф", "ст", "пр", "тр", "кр", "вл", "сл", "гр", "св", "др", "зн", "",
    ],
    nuclei: &["о", "е", "а", "и", "о", "е", "а", "и", "у", "ы", "я", "ю", "э", "ё", "ие", "ия"],
    codas: &["", "", "", "", "н", "т", "л", "м", "й", "в", "с", "р", "ть", "ст", "х", "ль", "к"],
};

/// Consonants of Arabic roots, the frequent ones first.
const ARABIC: &[char] = &[
    'ل', 'م', 'ن', 'ر', 'ت', 'ب', 'ع', 'د', 'س', 'ف', 'ق', 'ك', 'ه', 'ح', 'ج', 'ش', 'ص', 'خ', 'ط', 'ض', 'ز',
    'ث', 'ذ', 'غ', 'ظ', 'ء',
];
/// Where a root's consonants stand (digits) among the letters of a pattern.
const ARABIC_PATTERNS: &[&str] = &[
    "123",
    "1ا23",
    "12ا3",
    "12ي3",
    "م123",
    "م12و3",
    "12و3",
    "ي123",
    "ت123",
    "123ة",
    "1ا23ة",
    "123ات",
    "123ون",
    "است123",
    "ا12ا3",
    "123ي",
    "م1ا23",
    "أ12ا3",
    "إ12ا3",
    "12ا3ة",
];
/// Fatha, kasra, damma, shadda, sukun, tanwin.
const ARABIC_MARKS: &[char] = &['\u{64E}', '\u{650}', '\u{64F}', '\u{651}', '\u{652}', '\u{64B}'];

pub(super) fn latin(rank: u32, random: &mut Random) -> String {
    syllabic(&LATIN, rank, random)
}

pub(super) fn accented(rank: u32, random: &mut Random) -> String {
    match random.below(3) {
        0 => syllabic(&FRENCH, rank, random),
        1 => syllabic(&GERMAN, rank, random),
        // Vietnamese writes its syllables apart; rare words are joined here to have enough of them.
        _ => syllabic(&VIETNAMESE, rank.min(20_000), random),
    }
}

pub(super) fn cyrillic(rank: u32, random: &mut Random) -> String {
    syllabic(&RUSSIAN, rank, random)
}

pub(super) fn arabic(rank: u32, random: &mut Random) -> String {
    let mut word = String::new();
    if rank < 40 {
        for _ in 0..random.between(1, 3) {
            word.push(by_frequency(ARABIC, random));
        }
        return word;
    }
    if random.chance(0.3) {
        word.push_str("ال");
    } else if random.chance(0.2) {
        word.push_str(random.choose(&["و", "ب", "ل", "ف", "وال", "بال"]));
    }
    let root = [(); 4].map(|()| by_frequency(ARABIC, random));
    let pattern = by_frequency(ARABIC_PATTERNS, random);
    for letter in pattern.chars() {
        let place = letter.to_digit(10);
        word.push(place.map_or(letter, |digit| root[digit as usize - 1]));
        // Roots of four consonants make room for a vocabulary of any size.
        if place == Some(3) && rank > 20_000 && random.chance(0.6) {
            word.push(root[3]);
        }
        if place.is_some() && random.chance(0.02) {
            word.push(random.choose(ARABIC_MARKS));
        }
    }
    word
}

fn syllabic(sounds: &Sounds, rank: u32, random: &mut Random) -> String {
    let mut word = String::new();
    for _ in 0..syllables(rank, random) {
        word.push_str(random.choose(sounds.onsets));
        word.push_str(random.choose(sounds.nuclei));
        word.push_str(random.choose(sounds.codas));
    }
    if rank < 60 {
        let letters = random.between(1, 4) as usize;
        word = word.chars().take(letters).collect();
    }
    word
}
