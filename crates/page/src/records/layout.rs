//! Which pages are of one template: those whose lines stand in much the same elements.

use crate::html::slots::Slots;

/// Pages share a layout if this share of the paths of both is in both.
const SHARED: (usize, usize) = (1, 2);
/// Layouts that are told apart; pages of more are left out.
const MAX_LAYOUTS: usize = 256;

/// The largest set of pages that share a layout with the first of them, by their numbers; of two equal ones the earlier.
pub(super) fn largest(pages: &[Slots]) -> Vec<usize> {
    let mut groups: Vec<(Vec<u32>, Vec<usize>)> = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        let mut paths: Vec<u32> = page.lines.iter().map(|line| page.path(line)).collect();
        paths.sort_unstable();
        paths.dedup();
        if paths.is_empty() {
            continue;
        }
        // The first that fits best.
        let mut best: Option<((usize, usize), usize)> = None;
        for (at, (first, _)) in groups.iter().enumerate() {
            let (shared, all) = overlap(first, &paths);
            if shared * SHARED.1 >= all * SHARED.0
                && best.is_none_or(|((most, of), _)| shared * of > most * all)
            {
                best = Some(((shared, all), at));
            }
        }
        match best {
            Some((_, at)) => groups[at].1.push(number),
            None if groups.len() < MAX_LAYOUTS => groups.push((paths, vec![number])),
            None => {}
        }
    }
    let largest = groups.into_iter().rev().max_by_key(|(_, members)| members.len());
    largest.map(|(_, members)| members).unwrap_or_default()
}

/// How many two sorted lists share, and have together.
fn overlap(a: &[u32], b: &[u32]) -> (usize, usize) {
    let shared = a.iter().filter(|path| b.binary_search(path).is_ok()).count();
    (shared, a.len() + b.len() - shared)
}
