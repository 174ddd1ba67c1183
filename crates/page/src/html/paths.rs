//! Paths of elements from the root of a page, each known by a number that all pages share.
//!
//! A step is the element's tag and one name of it: its `itemprop`, else its first class, else its id. Numbers in names are
//! told apart no further (`post-17` and `post-18` are one), and classes of state (`odd`, `active`) are not names, for
//! what a template calls an element is the same on every page.

use std::collections::HashMap;

/// Paths that are told apart; the rest is as its parent.
const MAX_PATHS: usize = 1 << 20;
/// Longer names are data.
const MAX_NAME_BYTES: usize = 64;
/// Classes that say where an element stands or how it is just now.
const STATES: [&str; 12] = [
    "odd", "even", "first", "last", "active", "current", "selected", "alt", "open", "closed", "hidden",
    "clearfix",
];

/// The last step of a path.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) parent: u32,
    pub(crate) tag: Box<str>,
    /// What the element is called, if anything, numbers as `#`.
    pub(crate) name: Box<str>,
    depth: u32,
}

/// All paths seen.
#[derive(Debug)]
pub(crate) struct Paths {
    steps: Vec<Step>,
    below: Vec<HashMap<Box<str>, u32>>,
    scratch: String,
}

impl Default for Paths {
    fn default() -> Self {
        let root = Step { parent: 0, tag: "".into(), name: "".into(), depth: 0 };
        Paths { steps: vec![root], below: vec![HashMap::new()], scratch: String::new() }
    }
}

/// The attributes of an element that may name it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Names<'a> {
    pub(crate) itemprop: &'a str,
    pub(crate) class: &'a str,
    pub(crate) id: &'a str,
}

impl Paths {
    /// The path one step below another.
    pub(crate) fn below(&mut self, parent: u32, tag: &[u8], names: Names<'_>) -> u32 {
        let mut key = std::mem::take(&mut self.scratch);
        key.clear();
        key.extend(tag.iter().take(MAX_NAME_BYTES).map(|byte| char::from(byte.to_ascii_lowercase())));
        let tag_end = key.len();
        key.push('.');
        push_name(names, &mut key);
        let path = match self.below[parent as usize].get(key.as_str()) {
            Some(&path) => path,
            None if self.steps.len() >= MAX_PATHS => parent,
            None => {
                let path = self.steps.len() as u32;
                let depth = self.step(parent).depth + 1;
                let (tag, name) = (key[..tag_end].into(), key[tag_end + 1..].into());
                self.steps.push(Step { parent, tag, name, depth });
                self.below.push(HashMap::new());
                self.below[parent as usize].insert(key.as_str().into(), path);
                path
            }
        };
        self.scratch = key;
        path
    }

    pub(crate) fn step(&self, path: u32) -> &Step {
        &self.steps[path as usize]
    }

    /// Steps from the root.
    pub(crate) fn depth(&self, path: u32) -> u32 {
        self.step(path).depth
    }
}

fn push_name(names: Names<'_>, out: &mut String) {
    let word = |names: &str| names.split_ascii_whitespace().next().unwrap_or_default().to_owned();
    let mut classes = names
        .class
        .split_ascii_whitespace()
        .filter(|class| !STATES.contains(&class.to_ascii_lowercase().as_str()));
    let first = classes.clone().next().unwrap_or_default();
    // `col-6 price` is `price`: names of a grid have numbers.
    let plain = classes.find(|class| !class.bytes().any(|byte| byte.is_ascii_digit())).unwrap_or(first);
    let name =
        [word(names.itemprop), plain.to_owned(), word(names.id)].into_iter().find(|name| !name.is_empty());
    let mut in_number = false;
    for char in super::start_of(&name.unwrap_or_default(), MAX_NAME_BYTES).chars() {
        let is_digit = char.is_ascii_digit();
        if !is_digit {
            out.push(char);
        } else if !in_number {
            out.push('#');
        }
        in_number = is_digit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_states_do_not_tell_elements_apart() {
        let mut paths = Paths::default();
        let mut of = |class: &str, id: &str| paths.below(0, b"DIV", Names { itemprop: "", class, id });
        assert_eq!(of("post-17 odd", ""), of("even post-4", ""));
        assert_eq!(of("col-6 price", ""), of("price", "x"));
        assert_eq!(of("", "review-1"), of("", "review-22"));
        assert_ne!(of("price", ""), of("name", ""));
        assert_ne!(of("", ""), of("", "top"));
    }
}
