//! Documents tied by what their URLs claim.
//!
//! A claim leads from one URL to another. The documents at the URL it ends at, and at all URLs from which claims lead
//! there, directly or through others, are a *group*: each of two of them claims to be the same page as the other.

use crate::buckets::Buckets;
use crate::error::Error;
use crate::exact::Representatives;
use crate::links::{self, Name};
use crate::load::Context;
use crate::table::{DocId, Table};
use onefold_detect::mix;
use onefold_run::{UrlCounts, UrlRule};

/// URLs that are followed from one at most: redirects in archives are short, and loops are many.
const MOST_STEPS: usize = 16;

/// A claim that the page at one URL is that at another.
type Claim = (u64, u64, UrlRule);

/// Which representatives are tied.
#[derive(Debug, Default)]
pub(crate) struct Ties {
    /// In order.
    members: Vec<Member>,
    /// The representatives of each group.
    buckets: Buckets,
    pub(crate) counts: UrlCounts,
}

/// A representative in a group, under one of the URLs of its text; two of these URLs are enough to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    document: DocId,
    group: u64,
    url: u64,
    /// None at the URL that the group is about.
    rule: Option<UrlRule>,
}

impl Ties {
    pub(crate) fn find(
        context: &Context<'_>,
        table: &Table<'_>,
        representatives: &Representatives,
    ) -> Result<Self, Error> {
        if !context.job.plan.ties_urls() {
            return Ok(Ties::default());
        }
        let claims = claims(table)?;
        let of_rule = |rule| claims.iter().filter(|claim| claim.2 == rule).count() as u64;
        let counts = UrlCounts {
            redirects: of_rule(UrlRule::Redirect),
            revisits: of_rule(UrlRule::Revisit),
            canonicals: of_rule(UrlRule::Canonical),
            ..UrlCounts::default()
        };
        let places = places(&claims);
        let mut members = Vec::new();
        table.each_url(|document, marks, within| {
            let from = places.partition_point(|place| place.0 < marks.own);
            let here = places[from..].iter().take_while(|place| marks.own != 0 && place.0 == marks.own);
            let by_rules = (marks.own, mix::pair(marks.key, 1), Some(UrlRule::Key));
            // Documents of different groups are not compared.
            let group_of = |place: u64| within.map_or(place, |within| mix::pair(place, within));
            let here = here.chain(Some(&by_rules).filter(|_| marks.own != 0 && marks.key != 0));
            let document = representatives.of(document);
            if representatives.is_one(document) {
                members.extend(here.map(|&(url, place, rule)| {
                    let group = group_of(place);
                    Member { document, group, url, rule }
                }));
            }
        })?;
        Ok(Ties::of(members, counts))
    }

    fn of(mut members: Vec<Member>, counts: UrlCounts) -> Self {
        members.sort_unstable_by_key(|member| (member.group, member.document, member.url, member.rule));
        members.dedup_by_key(|member| (member.group, member.document, member.url));
        let mut ties = Ties { counts, ..Ties::default() };
        let mut bucket = Vec::new();
        for group in members.chunk_by(|a, b| a.group == b.group) {
            bucket.clear();
            bucket.extend(group.iter().map(|member| member.document));
            bucket.dedup();
            if bucket.len() < 2 || group.iter().all(|member| member.url == group[0].url) {
                continue;
            }
            ties.buckets.push(&bucket);
            for own in group.chunk_by(|a, b| a.document == b.document) {
                ties.members.extend_from_slice(&own[..own.len().min(2)]);
            }
        }
        ties.counts.groups = ties.buckets.len() as u64;
        ties.members.sort_unstable();
        ties
    }

    /// The groups as buckets, those above a cap left out.
    pub(crate) fn buckets(&self, cap: usize) -> Buckets {
        let mut buckets = Buckets::default();
        self.buckets.iter().filter(|bucket| bucket.len() <= cap).for_each(|bucket| buckets.push(bucket));
        buckets
    }

    /// Groups of that size and more.
    pub(crate) fn large(&self, least: usize) -> impl Iterator<Item = &[DocId]> {
        self.buckets.iter().filter(move |bucket| bucket.len() >= least)
    }

    /// Whether nothing is tied to anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// What ties two representatives, if something does: documents of one URL are not tied by it.
    pub(crate) fn rule(&self, first: DocId, second: DocId) -> Option<UrlRule> {
        let (first, second) = (self.members_of(first), self.members_of(second));
        let (fewer, more) = if first.len() < second.len() { (first, second) } else { (second, first) };
        let rules = fewer.iter().flat_map(|one| {
            let from = more.partition_point(|other| other.group < one.group);
            more[from..]
                .iter()
                .take_while(|other| other.group == one.group)
                .filter(|other| other.url != one.url)
                .filter_map(|other| one.rule.into_iter().chain(other.rule).min())
        });
        rules.min()
    }

    fn members_of(&self, document: DocId) -> &[Member] {
        let from = self.members.partition_point(|member| member.document < document);
        let to = self.members.partition_point(|member| member.document <= document);
        &self.members[from..to]
    }
}

/// All claims, in order.
fn claims(table: &Table<'_>) -> Result<Vec<Claim>, Error> {
    let mut claims = Vec::new();
    let mut by_id = Vec::new();
    for piece in table.pieces() {
        let notes = table.notes(piece)?;
        claims.extend(notes.redirects.iter().map(|&(from, to)| (from, to, UrlRule::Redirect)));
        for link in notes.links.iter().filter(|link| link.revisit) {
            match (link.url, link.leads_to) {
                (Some(from), Some(to)) => claims.push((from, to, UrlRule::Revisit)),
                (Some(from), None) => by_id.extend(link.to.iter().map(|&record| (record, from))),
                _ => {}
            }
        }
    }
    table.each_url(|_, marks, _| {
        if marks.canonical != 0 {
            claims.push((marks.own, marks.canonical, UrlRule::Canonical));
        }
    })?;
    if !by_id.is_empty() {
        by_id.sort_unstable();
        claims_by_id(table, &by_id, &mut claims)?;
    }
    claims.retain(|&(from, to, _)| from != to && from != 0 && to != 0);
    claims.sort_unstable();
    claims.dedup();
    Ok(claims)
}

/// Claims of revisits that refer to a record by its id alone: its name and the revisit's own URL, in order.
fn claims_by_id(table: &Table<'_>, by_id: &[(Name, u64)], claims: &mut Vec<Claim>) -> Result<(), Error> {
    let mut own = Vec::new();
    table.each_url(|document, marks, _| own.push((document, marks.own)))?;
    for (document, url) in own.into_iter().filter(|&(_, url)| url != 0) {
        let Some(id) = table.names(document)?.record_id else { continue };
        let id = links::by_id(&id);
        let from = by_id.partition_point(|revisit| revisit.0 < id);
        let here = by_id[from..].iter().take_while(|revisit| revisit.0 == id);
        claims.extend(here.map(|&(_, revisited)| (revisited, url, UrlRule::Revisit)));
    }
    Ok(())
}

/// For each URL the URLs whose group it is in, with the first claim that leads there; in order.
fn places(claims: &[Claim]) -> Vec<(u64, u64, Option<UrlRule>)> {
    let mut places: Vec<(u64, u64, Option<UrlRule>)> = Vec::new();
    for from in claims.chunk_by(|a, b| a.0 == b.0) {
        let mut reached: Vec<(u64, UrlRule)> = Vec::new();
        let add = |reached: &mut Vec<(u64, UrlRule)>, to: u64, rule: UrlRule| {
            if to != from[0].0 && reached.len() < MOST_STEPS && reached.iter().all(|known| known.0 != to) {
                reached.push((to, rule));
            }
        };
        from.iter().for_each(|&(_, to, rule)| add(&mut reached, to, rule));
        let mut at = 0;
        while let Some(&(url, rule)) = reached.get(at) {
            let next = claims.partition_point(|claim| claim.0 < url);
            for claim in claims[next..].iter().take_while(|claim| claim.0 == url) {
                add(&mut reached, claim.1, rule);
            }
            at += 1;
        }
        places.extend(reached.iter().map(|&(to, rule)| (from[0].0, to, Some(rule))));
    }
    places.extend(claims.iter().map(|claim| (claim.1, claim.1, None)));
    places.sort_unstable();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ties(claims: &[Claim], documents: &[(DocId, u64)]) -> Ties {
        let mut claims = claims.to_vec();
        claims.sort_unstable();
        let places = places(&claims);
        let members = documents.iter().flat_map(|&(document, own)| {
            let here = places.iter().filter(move |place| place.0 == own);
            here.map(move |&(url, group, rule)| Member { document, group, url, rule })
        });
        Ties::of(members.collect(), UrlCounts::default())
    }

    #[test]
    fn a_chain_ties_both_ends_and_a_loop_ends() {
        let chain = [(1, 2, UrlRule::Redirect), (2, 3, UrlRule::Canonical), (3, 1, UrlRule::Redirect)];
        let ties = ties(&chain, &[(10, 1), (30, 3), (40, 4)]);
        assert_eq!(ties.rule(10, 30), Some(UrlRule::Redirect));
        assert_eq!(ties.rule(30, 10), Some(UrlRule::Redirect));
        assert_eq!(ties.rule(10, 40), None);
    }

    #[test]
    fn two_that_name_an_absent_third_are_tied() {
        let claims = [(1, 9, UrlRule::Canonical), (2, 9, UrlRule::Canonical), (2, 8, UrlRule::Redirect)];
        let ties = ties(&claims, &[(10, 1), (20, 2), (80, 8)]);
        assert_eq!(ties.rule(10, 20), Some(UrlRule::Canonical));
        assert_eq!(ties.rule(20, 80), Some(UrlRule::Redirect));
        // That 2 leads to both does not make them one.
        assert_eq!(ties.rule(10, 80), None);
    }

    #[test]
    fn versions_of_one_url_are_not_tied_by_it() {
        let ties = ties(&[(1, 2, UrlRule::Redirect)], &[(10, 2), (11, 2), (12, 1)]);
        assert_eq!((ties.rule(10, 11), ties.rule(10, 12)), (None, Some(UrlRule::Redirect)));
    }
}
