//! Templates: lines that recur on most pages of a site, learned from the whole input before documents are sketched.
//!
//! All visible lines are counted, whatever of a page is compared: what is template shows on the whole of it, and costs less to
//! read. Counts are exact: hashes of site and line are gathered, sorted and counted. Where they do not fit the budget the input is
//! read several times, for a part of the hashes each, so that neither memory nor threads change what is template.

use crate::census::visit;
use crate::error::Error;
use crate::job::Job;
use crate::payload::text_of;
use crate::scan::lock;
use crate::sketcher::site;
use onefold_formats::document::Document;
use onefold_formats::source::Source;
use onefold_page::template;
use onefold_run::PageContent;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Fewer pages have no template: what they share may well be what they say.
const LEAST_PAGES: usize = 10;
/// Lines a worker holds before it hands them over.
const HELD: usize = 1 << 14;

/// The template lines of all sites, as hashes.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    lines: HashSet<u64>,
    sites: u64,
}

/// The site of a document; documents without a URL are of one site.
pub(crate) fn site_of(url: Option<&str>) -> u64 {
    url.map_or(0, |url| xxh3_64(site(url).as_bytes()))
}

fn line_hash(site: u64, line: &str) -> u64 {
    xxh3_64_with_seed(line.as_bytes(), site)
}

impl Templates {
    /// Learns which lines are on more than this share of the pages of their site.
    pub(crate) fn learn(job: &Job<'_>, sources: &[Source], share: f64) -> Result<Self, Error> {
        let mut parts = 1;
        loop {
            if let Some(templates) = Templates::count(job, sources, share, parts)? {
                return Ok(templates);
            }
            parts *= 2;
        }
    }

    /// Reads the input once for each part; `None` if a part does not fit the budget.
    fn count(job: &Job<'_>, sources: &[Source], share: f64, parts: u64) -> Result<Option<Self>, Error> {
        let mut templates = Templates::default();
        for part in 0..parts {
            let census = Census {
                part: (part, parts),
                all: Mutex::default(),
                seen: Mutex::default(),
                most: most_lines(job),
            };
            visit(job, sources, || census.worker(), Worker::take)?;
            let found = census.all.into_inner().unwrap_or_else(PoisonError::into_inner);
            if found.full {
                return Ok(None);
            }
            templates.add(found, share);
        }
        Ok(Some(templates))
    }

    fn add(&mut self, mut found: Counted, share: f64) {
        found.lines.sort_unstable();
        let mut sites: Vec<u64> = Vec::new();
        for same in found.lines.chunk_by(|a, b| a == b) {
            let (site, line) = same[0];
            let pages = found.pages.get(&site).copied().unwrap_or_default();
            if same.len() >= LEAST_PAGES && same.len() as f64 > share * f64::from(pages) {
                self.lines.insert(line);
                sites.push(site);
            }
        }
        sites.dedup();
        // Every part of the lines has some of nearly every site.
        self.sites = self.sites.max(sites.len() as u64);
    }

    /// Drops the template from a text, unless that is all of it.
    pub(crate) fn drop_from(&self, site: u64, text: &mut String) {
        if let Some(rest) = template::without(text, |line| self.lines.contains(&line_hash(site, line))) {
            *text = rest;
        }
    }

    /// What was learned, in words.
    pub(crate) fn note(&self) -> String {
        format!("{} lines of {} sites are template", self.lines.len(), self.sites)
    }
}

/// Lines that may be held: half of the budget for reading.
fn most_lines(job: &Job<'_>) -> usize {
    (job.resources.memory_bytes / 4 / size_of::<(u64, u64)>() as u64) as usize
}

#[derive(Default)]
struct Counted {
    /// Site and line, once for each page.
    lines: Vec<(u64, u64)>,
    pages: HashMap<u64, u32>,
    full: bool,
}

struct Census {
    part: (u64, u64),
    all: Mutex<Counted>,
    seen: Mutex<HashSet<u64>>,
    most: usize,
}

impl Census {
    fn worker(&self) -> Worker<'_> {
        Worker { census: self, counted: Counted::default(), text: String::new(), own: Vec::new() }
    }
}

struct Worker<'a> {
    census: &'a Census,
    counted: Counted,
    text: String,
    own: Vec<(u64, u64)>,
}

impl Worker<'_> {
    fn take(&mut self, document: &Document<'_>) {
        self.text.clear();
        // What cannot be read is counted as bad when it is sketched.
        let _ = text_of(&document.body, PageContent::All, &mut self.text);
        let site = site_of(document.url.as_deref());
        // Copies of a page are one page, or their words would pass for template.
        if !lock(&self.census.seen).insert(line_hash(site, &self.text)) {
            return;
        }
        *self.counted.pages.entry(site).or_insert(0) += 1;
        let (part, parts) = self.census.part;
        let hashes = template::lines(&self.text).map(|line| line_hash(site, line));
        self.own.clear();
        self.own.extend(hashes.filter(|hash| hash % parts == part).map(|hash| (site, hash)));
        self.own.sort_unstable();
        self.own.dedup();
        self.counted.lines.append(&mut self.own);
        if self.counted.lines.len() >= HELD {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let mut all = lock(&self.census.all);
        if all.full || all.lines.len() + self.counted.lines.len() > self.census.most.max(HELD) {
            all.full = true;
            all.lines = Vec::new();
            self.counted.lines.clear();
            return;
        }
        all.lines.append(&mut self.counted.lines);
        for (site, pages) in self.counted.pages.drain() {
            *all.pages.entry(site).or_insert(0) += pages;
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.hand_over();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_learn_what_the_whole_does() {
        let lines: Vec<(u64, u64)> =
            (0..40).flat_map(|page| [(1, 5), (1, 6 + page), (2, 90 + page % 3)]).collect();
        let pages: HashMap<u64, u32> = [(1, 40), (2, 40)].into();
        let learned = |parts: u64| {
            let mut templates = Templates::default();
            for part in 0..parts {
                let mine = lines.iter().copied().filter(|line| line.1 % parts == part).collect();
                templates.add(Counted { lines: mine, pages: pages.clone(), full: false }, 0.3);
            }
            let mut found: Vec<u64> = templates.lines.into_iter().collect();
            found.sort_unstable();
            found
        };
        assert_eq!(learned(1), [5, 90, 91, 92]);
        assert_eq!(learned(3), learned(1));
    }
}
