//! What columns are called: the label beside the value, else `itemprop`, class or id of the elements around it, else words
//! of the template in front of it, else its tags.

use super::align::Column;
use crate::html::paths::Paths;
use std::collections::HashSet;

/// How many elements up a name is looked for.
const LEVELS: usize = 3;
const MAX_NAME_CHARS: usize = 40;

/// Names of columns, no two alike and none of `taken`; elements from `root` up do not name them.
pub(super) fn names(paths: &Paths, columns: &[Column<'_>], root: u32, taken: &[&str]) -> Vec<String> {
    let mut seen: HashSet<String> = taken.iter().map(|name| (*name).to_owned()).collect();
    let mut names = Vec::with_capacity(columns.len());
    for column in columns {
        let name = name(paths, column, root);
        let mut unique = name.clone();
        let mut number = 2;
        while !seen.insert(unique.clone()) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        names.push(unique);
    }
    names
}

fn name(paths: &Paths, column: &Column<'_>, root: u32) -> String {
    let mut up = Vec::new();
    let mut at = column.path;
    while at != 0 && at != root && up.len() < LEVELS {
        up.push(paths.step(at));
        at = paths.step(at).parent;
    }
    let label = column.label.map(plain);
    let named = || up.iter().map(|step| plain(&step.name)).find(|name| !name.is_empty());
    let heading = || column.heading.map(plain);
    let tags = || up.iter().rev().map(|step| plain(&step.tag)).collect::<Vec<_>>().join("_");
    let name = label.filter(|name| !name.is_empty()).or_else(named);
    let name = name.or_else(|| heading().filter(|name| !name.is_empty())).unwrap_or_else(tags);
    let name = if name.is_empty() { "text".to_owned() } else { name };
    let is_link = up.first().is_some_and(|step| matches!(&*step.tag, "a" | "link"));
    match (column.is_attribute, is_link) {
        (true, true) => format!("{name}_url"),
        _ => name,
    }
}

/// Words as a name: small letters and digits, `_` between words.
fn plain(words: &str) -> String {
    let mut name = String::new();
    let mut was_small = false;
    for char in words.chars().take(MAX_NAME_CHARS) {
        if !char.is_alphanumeric() {
            was_small = false;
            if !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
            continue;
        }
        // `reviewBody` is `review_body`.
        if char.is_uppercase() && was_small {
            name.push('_');
        }
        was_small = char.is_lowercase();
        name.extend(char.to_lowercase());
    }
    name.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_are_small_letters() {
        for (words, name) in [
            ("Price", "price"),
            ("Shipping weight (kg)", "shipping_weight_kg"),
            ("reviewBody", "review_body"),
            ("product__name--big", "product_name_big"),
            ("Größe", "größe"),
            ("post-#", "post"),
            ("…", ""),
        ] {
            assert_eq!(plain(words), name);
        }
    }
}
