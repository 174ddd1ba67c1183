//! Two texts for every choice that it decides differently from the default at a threshold of 0.8.

use super::*;
use crate::text::{Normaliser, ShingleSet, Shingling};

struct Example {
    name: &'static str,
    choices: Choices,
    shingling: Shingling,
    texts: [&'static str; 2],
    /// Shingles in common, and in all, by default.
    by_default: (usize, usize),
    /// The same under the choice.
    chosen: (usize, usize),
}

const DEFAULT: Choices = Choices {
    case: Case::Fold,
    punctuation: Punctuation::Drop,
    space: Space::Drop,
    form: Form::Nfkc,
    digits: Digits::Keep,
    stop_words: None,
    bag: false,
};
const WORDS: Shingling = Shingling::Words(5);

const EXAMPLES: [Example; 10] = [
    Example {
        name: "case keep",
        choices: Choices { case: Case::Keep, ..DEFAULT },
        shingling: WORDS,
        texts: [
            "Terms of sale: the seller gives no warranty, express or implied, and all goods are sold as seen. \
             Claims must reach us in writing within fourteen days of delivery.",
            "Terms of sale: THE SELLER GIVES NO WARRANTY, EXPRESS OR IMPLIED, AND ALL GOODS ARE SOLD AS SEEN. \
             Claims must reach us in writing within fourteen days of delivery.",
        ],
        by_default: (25, 25),
        chosen: (7, 43),
    },
    Example {
        name: "punctuation keep",
        choices: Choices { punctuation: Punctuation::Keep, ..DEFAULT },
        shingling: WORDS,
        texts: [
            "if (width > limit && !forced) { return width - limit; } else { return limit; }",
            "if (width < limit || forced) { return width + limit; } else { return -limit; }",
        ],
        by_default: (6, 6),
        chosen: (3, 35),
    },
    Example {
        name: "space keep",
        choices: Choices { space: Space::Keep, ..DEFAULT },
        shingling: WORDS,
        texts: [
            "Opening hours\nMonday to Thursday 9 to 17\nFriday 9 to 15\nSaturday by appointment\n\
             Sundays and holidays closed\nLast entry half an hour before closing",
            "Opening hours: Monday to Thursday 9 to 17, Friday 9 to 15, Saturday by appointment, \
             Sundays and holidays closed. Last entry half an hour before closing.",
        ],
        by_default: (22, 22),
        chosen: (22, 70),
    },
    Example {
        name: "form nfc",
        choices: Choices { form: Form::Nfc, ..DEFAULT },
        shingling: WORDS,
        texts: [
            "To let: 85 m² on the second floor with 12 m² of terrace, a cellar of 20 m³ and 140 m² of shared garden.",
            "To let: 85 m2 on the second floor with 12 m2 of terrace, a cellar of 20 m3 and 140 m2 of shared garden.",
        ],
        by_default: (20, 20),
        chosen: (4, 36),
    },
    Example {
        name: "form none",
        choices: Choices { form: Form::None, ..DEFAULT },
        shingling: WORDS,
        texts: [
            "L'été dernier, les élèves de l'école ont repeint le préau, et la mairie a payé les pinceaux.",
            "L'e\u{301}te\u{301} dernier, les e\u{301}le\u{300}ves de l'e\u{301}cole ont repeint le pre\u{301}au, \
             et la mairie a paye\u{301} les pinceaux.",
        ],
        by_default: (15, 15),
        chosen: (0, 30),
    },
    Example {
        name: "digits fold",
        choices: Choices { digits: Digits::Fold, ..DEFAULT },
        shingling: WORDS,
        texts: [
            "At 06:50 on 12 March the station at the pier measured 4.2 degrees, wind from the west at 17 km/h and a \
             pressure of 1013 hPa; the lake stood at 286 cm.",
            "At 18:20 on 9 March the station at the pier measured 13.8 degrees, wind from the west at 8 km/h and a \
             pressure of 998 hPa; the lake stood at 301 cm.",
        ],
        by_default: (8, 54),
        chosen: (31, 31),
    },
    Example {
        name: "stop words en",
        choices: Choices { stop_words: Some(Language::English), ..DEFAULT },
        shingling: WORDS,
        texts: [
            "The council has approved the plans for a new bridge over the river, and work on it will start in the \
             spring; the cost is put at nine million euros.",
            "Council approved plans for new bridge over river, work to start in spring, cost put at nine million euros.",
        ],
        by_default: (1, 40),
        chosen: (10, 10),
    },
    Example {
        name: "stop words de",
        choices: Choices { stop_words: Some(Language::German), ..DEFAULT },
        shingling: WORDS,
        texts: [
            "Der Gemeinderat hat die Pläne für eine neue Brücke über den Fluss genehmigt; die Arbeiten werden im \
             Frühjahr beginnen und neun Millionen Euro kosten.",
            "Gemeinderat: Pläne für neue Brücke über Fluss genehmigt, Arbeiten im Frühjahr beginnen, \
             neun Millionen Euro kosten.",
        ],
        by_default: (0, 32),
        chosen: (9, 9),
    },
    Example {
        name: "bag",
        choices: Choices { bag: true, ..DEFAULT },
        shingling: WORDS,
        texts: [
            "In stock, sent within two days. Add to basket. \
             In stock, sent within two days. Add to basket.",
            "In stock, sent within two days. Add to basket. \
             In stock, sent within two days. Add to basket. \
             In stock, sent within two days. Add to basket. \
             In stock, sent within two days. Add to basket. \
             In stock, sent within two days. Add to basket.",
        ],
        by_default: (9, 9),
        chosen: (14, 41),
    },
    Example {
        name: "shingle char:5",
        choices: DEFAULT,
        shingling: Shingling::Chars(5),
        texts: [
            "The harbour was closed on Monday because of the storm, and no ferry left for the islands before noon. \
             Passengers who had booked were sent home and will get their money back.",
            "The harb0ur was closed on Monday because of the storrn, and no ferry left for the isIands before noon. \
             Passengers who had booked were sent home and will get their money back.",
        ],
        by_default: (16, 40),
        chosen: (149, 180),
    },
];

/// Shingles in common, and in all.
fn shared(texts: &[&str; 2], choices: &Choices, shingling: Shingling) -> (usize, usize) {
    let mut read = Normaliser::new(choices);
    let [a, b] = texts.map(|text| {
        read.read(text);
        ShingleSet::of_with(&read, shingling, choices.bag, &mut Vec::new())
    });
    let both = a.hashes().iter().filter(|hash| b.hashes().binary_search(hash).is_ok()).count();
    (both, a.len() + b.len() - both)
}

fn resemblance((both, all): (usize, usize)) -> f64 {
    both as f64 / all as f64
}

#[test]
fn each_choice_decides_two_texts_differently() {
    for example in &EXAMPLES {
        let by_default = shared(&example.texts, &Choices::default(), WORDS);
        let chosen = shared(&example.texts, &example.choices, example.shingling);
        assert_eq!((by_default, chosen), (example.by_default, example.chosen), "{}", example.name);
        assert_ne!(resemblance(by_default) >= 0.8, resemblance(chosen) >= 0.8, "{}", example.name);
    }
}
