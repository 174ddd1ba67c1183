//! What of a document's URLs is kept while a run is decided.

use onefold_formats::document::Document;
use onefold_page::url::{self, Rules};
use onefold_run::{KeepRule, Plan, RankInput};
use xxhash_rust::xxh3::xxh3_64;

/// Hashes of a document's URLs; 0 stands for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UrlMarks {
    /// Its own.
    pub(crate) own: u64,
    /// Of the page it names as canonical, if that is another one of its site.
    pub(crate) canonical: u64,
    /// Rank of its date, where versions are told apart: the newest is the lowest.
    pub(crate) age: u64,
    /// Of what it has in common with others by learned rules.
    pub(crate) key: u64,
}

impl UrlMarks {
    /// Bytes of marks, with the key only where there are rules.
    pub(crate) fn bytes(plan: &Plan) -> usize {
        let has_rules = plan.urls.as_ref().map(|urls| urls.rules.is_some());
        has_rules.map_or(0, |has_rules| if has_rules { 32 } else { 24 })
    }

    pub(crate) fn write(&self, bytes: &mut [u8]) {
        let numbers = [self.own, self.canonical, self.age, self.key];
        for (place, number) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
            *place = number.to_le_bytes();
        }
    }

    pub(crate) fn read(bytes: &[u8]) -> Self {
        let mut numbers = bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let mut next = || numbers.next().unwrap_or_default();
        UrlMarks { own: next(), canonical: next(), age: next(), key: next() }
    }
}

/// Makes marks.
pub(crate) struct Marker<'r> {
    wanted: bool,
    dated: bool,
    rules: Option<&'r Rules>,
}

impl<'r> Marker<'r> {
    pub(crate) fn new(plan: &Plan, rules: Option<&'r Rules>) -> Self {
        Marker { wanted: plan.urls.is_some(), dated: plan.keeps_newest_version(), rules }
    }

    /// The marks of a document with text; `canonical` is the link its page names, as written. A response that is
    /// not a success says nothing of the page.
    pub(crate) fn marks(&self, document: &Document<'_>, canonical: Option<&str>) -> UrlMarks {
        let success = document.status.is_none_or(|status| (200..300).contains(&status));
        let Some(url) = document.url.as_deref().filter(|_| self.wanted && success) else {
            return UrlMarks::default();
        };
        let own = canonical_hash(url);
        let named = canonical.filter(|link| own != 0 && !link.is_empty()).and_then(|link| {
            let target = url::resolve(url, link)?;
            let same_site = url::site(url).ok()? == url::site(&target).ok()?;
            same_site.then(|| canonical_hash(&target)).filter(|&target| target != own)
        });
        let date = document.date.as_deref().filter(|_| self.dated);
        let input = RankInput { date, ..RankInput::default() };
        let key = self.rules.and_then(|rules| url::key_by_rules(url, rules).ok());
        UrlMarks {
            own,
            canonical: named.unwrap_or_default(),
            age: KeepRule::Newest.rank(&input).coarse,
            key: key.map_or(0, |key| xxh3_64(key.as_bytes()).max(1)),
        }
    }
}

/// Hash of a URL in its canonical form; 0 for what is none.
pub(crate) fn canonical_hash(url: &str) -> u64 {
    url::canonical_of(url).map_or(0, |canonical| xxh3_64(canonical.as_bytes()).max(1))
}

/// Hash of what a link on a page leads to; 0 for what leads nowhere.
pub(crate) fn target_hash(url: &str, link: &str) -> u64 {
    url::resolve(url, link).map_or(0, |target| canonical_hash(&target))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(url: &str, link: Option<&str>, status: Option<u16>) -> UrlMarks {
        let plan = Plan { urls: Some(onefold_run::UrlEvidence::default()), ..Plan::default() };
        let document = Document { url: Some(url.into()), status, ..Document::default() };
        Marker::new(&plan, None).marks(&document, link)
    }

    #[test]
    fn only_another_page_of_the_same_site_is_named() {
        let page = "http://a.example.org/x?s=1";
        assert_eq!(marks(page, Some("/x"), None).canonical, canonical_hash("http://a.example.org/x"));
        assert_eq!(
            marks(page, Some("https://example.org/x"), None).canonical,
            canonical_hash("https://example.org/x")
        );
        for link in ["", "?s=1#part", "http://example.net/x", "http://["] {
            assert_eq!(marks(page, Some(link), None).canonical, 0, "{link}");
        }
    }

    #[test]
    fn a_failed_response_says_nothing_of_its_url() {
        assert_ne!(marks("http://a.example/", None, Some(203)).own, 0);
        assert_eq!(marks("http://a.example/", None, Some(404)), UrlMarks::default());
        assert_eq!(marks("no url at all", None, None).own, canonical_hash("no url at all"));
    }

    #[test]
    fn marks_are_read_as_they_were_written() {
        let marks = UrlMarks { own: 1, canonical: u64::MAX, age: 7, key: 9 };
        let mut bytes = [0; 32];
        marks.write(&mut bytes);
        assert_eq!(UrlMarks::read(&bytes), marks);
    }
}
