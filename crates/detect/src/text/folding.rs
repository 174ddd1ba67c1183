//! The text that tokens are cut from: brought to its Unicode form, with case and digits folded or not.

use super::choices::{Case, Choices, Digits, Form};
use super::normalise::ascii_run;
use icu_casemap::CaseMapper;
use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use std::borrow::Cow;

/// The text in its form, its case folded, in its form again, its digits folded: what of it the choices ask for.
pub(super) fn fold<'a>(text: &'a str, choices: &Choices) -> Cow<'a, str> {
    let form = match choices.form {
        Form::Nfkc => Some(ComposingNormalizer::new_nfkc()),
        Form::Nfc => Some(ComposingNormalizer::new_nfc()),
        Form::None => None,
    };
    let folded = match choices.case {
        Case::Keep => form.as_ref().map_or(Cow::Borrowed(text), |form| form.normalize(text)),
        Case::Fold => Cow::Owned(fold_case(text, form.as_ref())),
    };
    match choices.digits {
        Digits::Keep => folded,
        Digits::Fold => Cow::Owned(fold_digits(&folded)),
    }
}

/// Case folding between two normalisations, a stretch at a time.
///
/// No character of ASCII composes with one before it or changes places with it, so text can be folded in stretches
/// that begin with one; where they are nothing but ASCII there is a simpler way.
fn fold_case(text: &str, form: Option<&ComposingNormalizerBorrowed<'_>>) -> String {
    let mut folded = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while !rest.is_empty() {
        // The last of an ASCII stretch belongs to what follows, which may lean on it.
        let ascii = ascii_run(rest.as_bytes());
        let alone = if ascii == rest.len() { ascii } else { ascii.saturating_sub(1) };
        let (simple, other) = rest.split_at(alone);
        let start = folded.len();
        folded.push_str(simple);
        folded[start..].make_ascii_lowercase();
        let end = other.bytes().skip(1).position(|byte| byte.is_ascii()).map_or(other.len(), |at| at + 1);
        let (other, behind) = other.split_at(end);
        match form {
            Some(form) => {
                folded.push_str(&form.normalize(&CaseMapper::new().fold_string(&form.normalize(other))));
            }
            None => folded.push_str(&CaseMapper::new().fold_string(other)),
        }
        rest = behind;
    }
    folded
}

/// The text with every run of decimal digits as one nought.
fn fold_digits(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut in_digits = false;
    for c in text.chars() {
        let goes_on = in_digits;
        in_digits = is_digit(c);
        match (in_digits, goes_on) {
            (false, _) => folded.push(c),
            (true, false) => folded.push('0'),
            (true, true) => {}
        }
    }
    folded
}

fn is_digit(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_digit()
    } else {
        CodePointMapData::<GeneralCategory>::new().get(c) == GeneralCategory::DecimalNumber
    }
}

#[cfg(test)]
mod tests {
    use super::super::normalise::tests::piece;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn stretches_fold_as_the_whole_does(pieces in proptest::collection::vec(piece(), 0..12)) {
            let text = pieces.concat();
            for form in [ComposingNormalizer::new_nfkc(), ComposingNormalizer::new_nfc()] {
                let formed = form.normalize(&text);
                let whole = CaseMapper::new().fold_string(&formed);
                prop_assert_eq!(fold_case(&text, Some(&form)), form.normalize(&whole));
            }
            prop_assert_eq!(fold_case(&text, None), CaseMapper::new().fold_string(&text));
        }
    }
}
