//! Units laid over each other: what stands at the same place of each is a column, where it differs.
//!
//! A place is a path and the label in front of it. Where each unit has the same number of lines at a place they are columns
//! apart, as the cells of a row; else, as the paragraphs of a text, they are one value of several lines. A line that
//! is cut by the same inline elements on nearly all units is cut into columns there.

use super::labels::{Labels, Split};
use super::unit::{Unit, nearly_all};
use crate::html::paths::Paths;
use crate::html::slots::{Piece, Slots};
use std::collections::{HashMap, HashSet};

/// Places that are told apart in a table.
const MAX_PLACES: usize = 4096;
/// Lines of one place on one unit that are columns apart.
const MAX_APART: usize = 64;
/// How many elements up from a line a label may stand.
const LABEL_LEVELS: usize = 3;

/// A field that differs between units.
#[derive(Debug)]
pub(super) struct Column<'a> {
    pub(super) path: u32,
    /// A label that names it.
    pub(super) label: Option<&'a str>,
    /// Other words of the template in front of it.
    pub(super) heading: Option<&'a str>,
    pub(super) is_attribute: bool,
    /// A value a unit, empty where it has none.
    pub(super) values: Vec<String>,
}

/// What is aligned.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) pages: &'a [Slots],
    pub(super) paths: &'a Paths,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place<'a> {
    path: u32,
    anchor: Option<(&'a str, bool)>,
}

/// A line of a place without its label.
struct Found<'a> {
    pieces: &'a [Piece],
    skipped: usize,
}

/// A place with what the units have there.
struct Held<'a> {
    place: Place<'a>,
    /// Number of the unit, and its lines.
    units: Vec<(usize, Vec<Found<'a>>)>,
    next: usize,
}

const NONE: usize = usize::MAX;

/// The columns of the units, in the order of the page; `named` are texts known to be labels.
pub(super) fn align<'a>(
    ground: Ground<'a>,
    units: &[Unit],
    named: &HashSet<(u32, &'a str)>,
) -> Vec<Column<'a>> {
    let labels = Labels::learn(ground.pages, ground.paths, units, named);
    let mut held: Vec<Held<'a>> = Vec::new();
    let mut known: HashMap<Place<'a>, usize> = HashMap::new();
    let mut first = NONE;
    for (number, unit) in units.iter().enumerate() {
        let mut before = NONE;
        for (place, found) in places(ground, unit, &labels) {
            let at = match known.get(&place) {
                Some(&at) => at,
                None if held.len() >= MAX_PLACES => continue,
                None => {
                    // A new place comes behind the one that stands before it on its unit.
                    let at = held.len();
                    let link = if before == NONE { &mut first } else { &mut held[before].next };
                    let next = std::mem::replace(link, at);
                    known.insert(place, at);
                    held.push(Held { place, units: Vec::new(), next });
                    at
                }
            };
            before = at;
            match held[at].units.last_mut() {
                Some((last, lines)) if *last == number => lines.push(found),
                _ => held[at].units.push((number, vec![found])),
            }
        }
    }
    let mut columns = Vec::new();
    while let Some(place) = held.get(first) {
        columns_of(ground, units, place, &mut columns);
        first = place.next;
    }
    drop_copies(&mut columns);
    columns
}

/// The values of a unit with their places.
fn places<'a>(ground: Ground<'a>, unit: &Unit, labels: &Labels<'a>) -> Vec<(Place<'a>, Found<'a>)> {
    let page: &'a Slots = &ground.pages[unit.page];
    let mut anchors: HashMap<u32, (&'a str, bool)> = HashMap::new();
    let mut found = Vec::new();
    for (at, &line) in unit.lines.iter().enumerate() {
        let line = &page.lines[line as usize];
        let path = page.path(line);
        match labels.split(page, path, page.pieces(line)) {
            Split::Template { text, is_label } => {
                // Lines of one element name each other; an element of one line names those beside it.
                let shares = |other: Option<&u32>| {
                    other.is_some_and(|&other| page.lines[other as usize].node == line.node)
                };
                let is_alone = !shares(unit.lines.get(at + 1))
                    && !shares(at.checked_sub(1).and_then(|at| unit.lines.get(at)));
                let parent = page.nodes[line.node as usize].parent;
                let scope = if is_alone && line.node != unit.root { parent } else { line.node };
                anchors.insert(scope, (text, is_label));
            }
            Split::Value { label: Some(label), pieces, skipped } => {
                found.push((Place { path, anchor: Some((label, true)) }, Found { pieces, skipped }));
            }
            Split::Value { label: None, pieces, skipped } => {
                let mut node = line.node;
                let mut anchor = anchors.get(&node);
                for _ in 1..LABEL_LEVELS {
                    if anchor.is_some() || node == unit.root {
                        break;
                    }
                    node = page.nodes[node as usize].parent;
                    anchor = anchors.get(&node);
                }
                found.push((Place { path, anchor: anchor.copied() }, Found { pieces, skipped }));
            }
        }
    }
    found
}

/// The columns of one place.
fn columns_of<'a>(ground: Ground<'a>, units: &[Unit], held: &Held<'a>, columns: &mut Vec<Column<'a>>) {
    let most = mode(held.units.iter().map(|(_, lines)| lines.len()));
    let alike = held.units.iter().filter(|(_, lines)| lines.len() == most).count();
    if most > 1 && (most > MAX_APART || alike < nearly_all(held.units.len())) {
        let mut values = vec![String::new(); units.len()];
        for (unit, lines) in &held.units {
            let page = &ground.pages[units[*unit].page];
            let texts = lines.iter().map(|line| value(page, line.pieces, line.skipped));
            values[*unit] = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        }
        let column = column(held.place, held.place.path, false, None);
        keep(Column { values, ..column }, columns);
        return;
    }
    for at in 0..most {
        // What is past the usual number joins the last.
        let is_last = at + 1 == most;
        let lines: Vec<(usize, &[Found<'a>])> = held
            .units
            .iter()
            .filter_map(|(unit, lines)| {
                let end = if is_last { lines.len() } else { (at + 1).min(lines.len()) };
                lines.get(at..end).filter(|lines| !lines.is_empty()).map(|lines| (*unit, lines))
            })
            .collect();
        cut(ground, units, held.place, &lines, columns);
    }
}

/// The columns of one line a unit: one, or one for each piece where nearly all lines are cut alike.
fn cut<'a>(
    ground: Ground<'a>,
    units: &[Unit],
    place: Place<'a>,
    lines: &[(usize, &[Found<'a>])],
    columns: &mut Vec<Column<'a>>,
) {
    let shape = |found: &Found<'_>| -> Vec<(u32, bool)> {
        found.pieces.iter().map(|piece| (piece.path, piece.is_attribute)).collect()
    };
    let usual = mode(lines.iter().map(|(_, found)| shape(&found[0])));
    let alike: Vec<bool> =
        lines.iter().map(|(_, found)| found.len() == 1 && shape(&found[0]) == usual).collect();
    let is_cut = alike.iter().filter(|alike| **alike).count() >= nearly_all(lines.len());
    let text_at = usual.iter().position(|(_, is_attribute)| !is_attribute);
    if !is_cut || usual.len() == 1 {
        let mut values = vec![String::new(); units.len()];
        for (unit, found) in lines {
            let page = &ground.pages[units[*unit].page];
            let texts = found.iter().map(|line| value(page, line.pieces, line.skipped));
            values[*unit] = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        }
        let is_attribute = text_at.is_none();
        // A line of one inline element is what that element is called.
        let path = if is_cut { usual[0].0 } else { place.path };
        keep(Column { values, ..column(place, path, is_attribute, None) }, columns);
        return;
    }
    let mut words = None;
    for (at, (path, is_attribute)) in usual.into_iter().enumerate() {
        let mut values = vec![String::new(); units.len()];
        for ((unit, found), alike) in lines.iter().zip(&alike) {
            let page = &ground.pages[units[*unit].page];
            let line = &found[0];
            values[*unit] = if *alike {
                let skipped = if Some(at) == text_at { line.skipped } else { 0 };
                value(page, &line.pieces[at..=at], skipped)
            } else if Some(at) == text_at {
                // What is cut otherwise stays whole.
                value(page, line.pieces, line.skipped)
            } else {
                String::new()
            };
        }
        let column = Column { values, ..column(place, path, is_attribute, words) };
        let (found, same) = (lines[0], alike[0]);
        if !keep(column, columns) && !is_attribute && same {
            let page = &ground.pages[units[found.0].page];
            words = Some(page.piece(&found.1[0].pieces[at]));
        }
    }
}

fn column<'a>(place: Place<'a>, path: u32, is_attribute: bool, words: Option<&'a str>) -> Column<'a> {
    let anchor = |is_label: bool| place.anchor.filter(|anchor| anchor.1 == is_label).map(|anchor| anchor.0);
    let label = words.and_then(|words| words.strip_suffix(':')).or_else(|| anchor(true));
    Column { path, label, heading: words.or_else(|| anchor(false)), is_attribute, values: Vec::new() }
}

/// Keeps a column that differs between units; says whether it does.
fn keep<'a>(column: Column<'a>, columns: &mut Vec<Column<'a>>) -> bool {
    let held = column.values.iter().filter(|value| !value.is_empty()).count();
    let mut same: HashMap<&str, usize> = HashMap::new();
    column.values.iter().for_each(|value| *same.entry(value).or_default() += 1);
    let most = same.into_values().max().unwrap_or_default();
    // What one unit has alone is no field of a template.
    let varies = most < nearly_all(column.values.len()) && held > 1;
    if varies {
        columns.push(column);
    }
    varies
}

/// The same target twice, as of a picture and of the name below it, is one.
fn drop_copies(columns: &mut Vec<Column<'_>>) {
    let mut seen: Vec<Vec<String>> = Vec::new();
    columns.retain(|column| {
        let is_new = !column.is_attribute || !seen.contains(&column.values);
        if column.is_attribute && is_new {
            seen.push(column.values.clone());
        }
        is_new
    });
}

fn value(page: &Slots, pieces: &[Piece], skipped: usize) -> String {
    let is_attribute = pieces.iter().all(|piece| piece.is_attribute);
    let text = match pieces.first() {
        Some(piece) if is_attribute => page.piece(piece),
        _ => page.text(pieces),
    };
    text.get(skipped..).unwrap_or_default().trim_start_matches(':').trim().to_owned()
}

/// The value that is there most often, of equal ones the first.
fn mode<T: std::hash::Hash + Eq + Clone + Default>(values: impl Iterator<Item = T>) -> T {
    let mut counts: HashMap<T, (usize, usize)> = HashMap::new();
    for (at, value) in values.enumerate() {
        counts.entry(value).or_insert((0, usize::MAX - at)).0 += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(value, _)| value).unwrap_or_default()
}
