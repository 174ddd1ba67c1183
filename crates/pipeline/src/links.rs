//! WARC records tied to documents that go: requests, metadata and what a page was made into follow their response,
//! revisits of it are turned to its keeper.

use crate::error::Error;
use crate::piece::{LinkEntry, Names};
use crate::table::{DocId, TablePiece};
use crate::verdicts::Fate;
use crate::write::{Run, keeper_of};
use onefold_formats::document::Link;
use onefold_formats::source::Format;
use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_128;

/// What happens to a tied record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkFate {
    Stays,
    Goes,
    /// A revisit of this removed document.
    Turns(DocId),
}

/// Digest of what a WARC record is known by, in two halves: with a number beside it, it takes less room than as one.
pub(crate) type Name = [u64; 2];

fn name(text: &[u8]) -> Name {
    let digest = xxh3_128(text);
    [(digest >> 64) as u64, digest as u64]
}

/// A record by its id, with or without the brackets that belong around it.
pub(crate) fn by_id(id: &str) -> Name {
    name(id.trim_matches(['<', '>']).as_bytes())
}

/// A record by its URL, date and payload digest, as far as they are given.
fn by_page(url: &str, date: &str, payload_digest: &str) -> Name {
    name(format!("{}\0{}\0{payload_digest}", plain(url), to_the_second(date)).as_bytes())
}

/// A date as replay tools look it up: writers leave the fraction of a second away, or all that is between the digits.
fn to_the_second(date: &str) -> String {
    const DIGITS: usize = 14;
    let digits: String = date.chars().filter(char::is_ascii_digit).take(DIGITS).collect();
    if digits.is_empty() { date.to_owned() } else { digits }
}

/// A URL with its scheme and host in lower case, and a path.
fn plain(url: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = url.split_once("://") else { return Cow::Borrowed(url) };
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let is_plain = |part: &str| !part.bytes().any(|byte| byte.is_ascii_uppercase());
    if !path.is_empty() && is_plain(scheme) && is_plain(host) {
        return Cow::Borrowed(url);
    }
    let path = if path.is_empty() { "/" } else { path };
    Cow::Owned(format!("{}://{}{path}", scheme.to_ascii_lowercase(), host.to_ascii_lowercase()))
}

/// Names of what a record is tied to. A revisit that refers to nothing, as older crawlers wrote them, is one of the page
/// with its payload digest.
pub(crate) fn names_of_tied(link: &Link<'_>) -> Vec<Name> {
    let mut names: Vec<Name> = link.to.iter().map(|id| by_id(id)).collect();
    if !link.revisit {
        return names;
    }
    if let Some((url, date)) = link.leads_to.as_deref().zip(link.target_date) {
        names.extend(link.payload_digest.map(|digest| by_page(url, date, digest)));
        names.push(by_page(url, date, ""));
    }
    if let (true, Some(digest)) = (names.is_empty(), link.payload_digest) {
        names.extend(link.leads_to.as_deref().or(link.url.as_deref()).map(|url| by_page(url, "", digest)));
        names.push(by_page("", "", digest));
    }
    names
}

/// All that a document may be asked for by.
fn names_of(document: &Names) -> impl Iterator<Item = Name> + use<> {
    let (url, date) = (document.url.as_deref(), document.date.as_deref());
    let (digest, dated) = (document.payload_digest.as_deref(), url.zip(date));
    let names = [
        document.record_id.as_deref().map(by_id),
        dated.map(|(url, date)| by_page(url, date, "")),
        dated.zip(digest).map(|((url, date), digest)| by_page(url, date, digest)),
        url.zip(digest).map(|(url, digest)| by_page(url, "", digest)),
        digest.map(|digest| by_page("", "", digest)),
    ];
    names.into_iter().flatten()
}

/// The name that a record has within one file: copies of a file have records of the same ids.
fn within(name: Name, source: usize) -> Name {
    [name[0] ^ (source as u64 + 1), name[1]]
}

/// The names of what a record is tied to: those it has within its file, and those for all files.
fn both(link: &LinkEntry, source: usize) -> impl Iterator<Item = Name> {
    link.to.iter().flat_map(move |&record| [record, within(record, source)])
}

fn stays(run: &Run<'_>, piece: &TablePiece, number: u32) -> bool {
    matches!(run.fate(piece.first + number), Fate::Kept)
}

/// What of the run has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    /// A document that was kept, if only one of several.
    Kept,
    /// The last of the documents that were removed.
    Removed(DocId),
    /// No document: records that go with documents, in whatever file, and none that stays.
    Gone,
}

/// Which documents have the names that records are tied to, and which records go with them.
#[derive(Default)]
pub(crate) struct Links {
    /// Names that were asked for, in order.
    asked: Vec<Name>,
    /// What has each of them.
    found: Vec<Found>,
    /// Records that are bad, or go with documents, directly or through others; in order, each by the name it has within its file, and
    /// those that documents name by that for all files, too.
    gone: Vec<Name>,
    /// Those of them that documents name which stay.
    held: Vec<Name>,
}

/// Memory that the names of so many tied records take at most, for estimates: up to three each, or two and one more where
/// they go.
pub(crate) fn bytes(links: u64) -> u64 {
    links * 3 * (size_of::<Name>() + size_of::<Found>()) as u64
}

fn put_in_order<T: Ord>(names: &mut Vec<T>) {
    names.sort_unstable();
    names.dedup();
    names.shrink_to_fit();
}

/// Hands over the notes of WARC pieces that tie records.
fn each_link(run: &Run<'_>, mut take: impl FnMut(&TablePiece, &LinkEntry)) -> Result<(), Error> {
    for piece in archived(run) {
        run.table.notes(piece)?.links.iter().for_each(|link| take(piece, link));
    }
    Ok(())
}

/// The pieces of WARC files, and of ARC files, whose pages may be revisited, too.
fn archived<'r>(run: &'r Run<'_>) -> impl Iterator<Item = &'r TablePiece> {
    let format = |piece: &TablePiece| run.context.sources[piece.source].format;
    run.table.pieces().iter().filter(move |piece| matches!(format(piece), Format::Warc | Format::Arc))
}

impl Links {
    /// Collects the names, if any record is tied to another at all.
    pub(crate) fn collect(run: &Run<'_>) -> Result<Self, Error> {
        let mut links = Links::default();
        let Links { asked, gone, .. } = &mut links;
        each_link(run, |piece, link| match link.document {
            Some(number) if stays(run, piece, number) => {}
            Some(_) => gone.extend(both(link, piece.source)),
            None if link.revisit => asked.extend(&link.to),
            None => asked.extend(both(link, piece.source)),
        })?;
        for piece in archived(run).filter(|piece| piece.file.meta.bad > 0) {
            gone.extend(run.table.notes(piece)?.lost.iter().map(|&record| within(record, piece.source)));
        }
        put_in_order(asked);
        put_in_order(gone);
        if asked.is_empty() && gone.is_empty() {
            return Ok(links);
        }
        let Links { gone, held, .. } = &mut links;
        each_link(run, |piece, link| {
            if link.document.is_some_and(|number| stays(run, piece, number)) {
                held.extend(both(link, piece.source).filter(|name| gone.binary_search(name).is_ok()));
            }
        })?;
        put_in_order(held);
        links.find(run)?;
        // Ties of ties, until nothing more goes; chains are short.
        loop {
            let mut more = Vec::new();
            // Of the names that were asked for, whether a record that has it goes, and whether one stays.
            let mut named = vec![(false, false); links.asked.len()];
            each_link(run, |piece, link| {
                let Some(own) = link.own.filter(|_| link.document.is_none() && !link.revisit) else { return };
                let goes = links.goes(link, piece.source);
                if let Ok(at) = links.asked.binary_search(&own) {
                    named[at].0 |= goes;
                    named[at].1 |= !goes;
                }
                let here = within(own, piece.source);
                if goes && links.gone.binary_search(&here).is_err() {
                    more.push(here);
                }
            })?;
            let mut spreads = false;
            for (found, (goes, stays)) in links.found.iter_mut().zip(named) {
                if *found == Found::Nothing && goes && !stays {
                    (*found, spreads) = (Found::Gone, true);
                }
            }
            if more.is_empty() && !spreads {
                return Ok(links);
            }
            links.gone.append(&mut more);
            put_in_order(&mut links.gone);
        }
    }

    /// Finds the documents that have the names.
    fn find(&mut self, run: &Run<'_>) -> Result<(), Error> {
        let Links { asked, found, .. } = self;
        found.resize(asked.len(), Found::Nothing);
        for piece in archived(run) {
            for document in piece.first..piece.first + piece.file.documents {
                let has = match run.fate(document) {
                    Fate::Kept => Found::Kept,
                    _ => Found::Removed(document),
                };
                let names = run.table.names(document)?;
                let here = names.record_id.as_deref().map(|id| within(by_id(id), piece.source));
                for name in names_of(&names).chain(here) {
                    if let Ok(at) = asked.binary_search(&name)
                        && found[at] != Found::Kept
                    {
                        found[at] = has;
                    }
                }
            }
        }
        Ok(())
    }

    fn found(&self, name: Name) -> Found {
        self.asked.binary_search(&name).map_or(Found::Nothing, |at| self.found[at])
    }

    /// Whether documents or records that name this one take it along; those of its own file are asked first.
    fn is_gone(&self, record: Name, source: usize) -> Option<bool> {
        let has = |names: &[Name], name: &Name| names.binary_search(name).is_ok();
        let names = [within(record, source), record];
        names.iter().find(|name| has(&self.gone, name)).map(|name| !has(&self.held, name))
    }

    /// Whether a record of this source goes: with a document or a record that it is tied to, unless one of those stays.
    fn goes(&self, link: &LinkEntry, source: usize) -> bool {
        let mut goes = false;
        let tied = link.to.iter().map(|&record| {
            let here = self.found(within(record, source));
            match if here == Found::Nothing { self.found(record) } else { here } {
                Found::Kept => Some(false),
                Found::Removed(_) | Found::Gone => Some(true),
                Found::Nothing => self.is_gone(record, source),
            }
        });
        for is_gone in link.own.map(|own| self.is_gone(own, source)).into_iter().chain(tied).flatten() {
            if !is_gone {
                return false;
            }
            goes = true;
        }
        goes
    }

    /// What happens to a record of this source that is no document.
    pub(crate) fn fate(&self, link: &LinkEntry, source: usize) -> LinkFate {
        if !link.revisit {
            return if self.goes(link, source) { LinkFate::Goes } else { LinkFate::Stays };
        }
        let fate = |&record: &Name| match self.found(record) {
            Found::Nothing | Found::Gone => None,
            Found::Kept => Some(LinkFate::Stays),
            Found::Removed(document) => Some(LinkFate::Turns(document)),
        };
        link.to.iter().find_map(fate).unwrap_or(LinkFate::Stays)
    }

    /// The removed documents that revisits are turned away from, and the keepers that they are turned to.
    pub(crate) fn turned(&self, run: &Run<'_>) -> Result<Vec<DocId>, Error> {
        let mut turned: Vec<DocId> = Vec::new();
        each_link(run, |piece, link| {
            if link.document.is_none()
                && let LinkFate::Turns(document) = self.fate(link, piece.source)
            {
                turned.push(document);
                turned.extend(keeper_of(run, document));
            }
        })?;
        put_in_order(&mut turned);
        Ok(turned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_depend_on_how_they_are_written() {
        assert_eq!(by_id("<urn:uuid:1>"), by_id("urn:uuid:1"));
        let dated = |date| by_page("http://a.example/x", date, "");
        for date in ["2024-05-01T00:00:00.123456Z", "2024-05-01T00:00:00Z", "20240501000000"] {
            assert_eq!(dated(date), dated("2024-05-01T00:00:00.000Z"), "{date}");
        }
        assert_ne!(dated("2024-05-01T00:00:01Z"), dated("2024-05-01T00:00:00Z"));
        assert_ne!(by_page("u", "d", ""), by_page("u", "", "d"));
        for url in ["http://a.example", "HTTP://A.example/"] {
            assert_eq!(by_page(url, "", ""), by_page("http://a.example/", "", ""), "{url}");
        }
        assert_ne!(by_page("http://a.example/A", "", ""), by_page("http://a.example/a", "", ""));
    }

    #[test]
    fn a_revisit_goes_by_its_digest_only_where_it_refers_to_nothing() {
        let link = Link { revisit: true, payload_digest: Some("sha1:A"), ..Link::default() };
        assert_eq!(names_of_tied(&link), [by_page("", "", "sha1:A")]);
        let link = Link { url: Some("u".into()), ..link };
        assert_eq!(names_of_tied(&link), [by_page("u", "", "sha1:A"), by_page("", "", "sha1:A")]);
        let link = Link { to: vec!["<x>"], ..link };
        assert_eq!(names_of_tied(&link), [by_id("x")]);
        let link = Link { leads_to: Some("v".into()), target_date: Some("2024"), ..link };
        let expected = [by_id("x"), by_page("v", "2024", "sha1:A"), by_page("v", "2024", "")];
        assert_eq!(names_of_tied(&link), expected);
    }
}
