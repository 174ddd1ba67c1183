//! `onefold index import`: a batch run becomes an index, with the keepers and members it decided on.
//!
//! What the run removed is told by its evidence; all documents are read again from its inputs. Rank in the index is the
//! run's: where that is not the order of the input, the inputs are read once before to find it.

use super::args::{Import, StoreKind};
use super::{now, plans};
use crate::dedup::resources;
use crate::inputs::url;
use crate::interrupt::CANCEL;
use crate::terminal::outln;
use anyhow::{Context, Result, bail, ensure};
use onefold_detect::measure::Overlap;
use onefold_formats::source::{Look, Source};
use onefold_index::{Decided, Durability, Importer, Number, Options, Tie};
use onefold_pipeline::online::{Feed, Incoming};
use onefold_pipeline::{Selection, Spooled, SpooledFile, removed_documents};
use onefold_run::{KeepRule, Manifest, Removed, Verdict};
use onefold_server::sketch_of;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Documents added by one commit.
const BATCH: usize = 1000;

/// Where a document is: its source, by its place in the manifest, and its address there.
type Place = (u32, u64);

pub(super) fn import(arguments: &Import) -> Result<()> {
    let manifest = Manifest::read(&arguments.run)?;
    let settings = plans::settings(manifest.plan.clone(), &arguments.layout)?;
    let selection = selection(&manifest, &arguments.run)?;
    let cache_bytes = arguments.machine.memory.map_or(256 << 20, |memory| memory as usize / 4);
    let options = Options { durability: Durability::Deferred, cache_bytes, ..Options::default() };
    let run = Run::read(&manifest, arguments, selection)?;
    let numbers = run.numbers()?;
    let importer = Importer::create(&arguments.dir, settings, options)?;
    if arguments.store == Some(StoreKind::Text) {
        importer.store_texts()?;
    }
    run.add_all(&importer, numbers)?;
    let (documents, members) = importer.finish()?;
    let outside = run.members.values().filter(|member| matches!(member, Member::Outside)).count();
    outln!(
        "{}",
        serde_json::json!({
            "documents": documents, "keepers": documents - members, "members": members,
            "members_of_other_indexes": outside,
        })
    );
    Ok(())
}

/// The inputs of a run under the names it knew them by, wherever they are now. Fails unless they are what they were.
fn selection(manifest: &Manifest, run: &Path) -> Result<Selection> {
    let mut selection = Selection::default();
    for input in manifest.inputs.iter().filter(|input| input.holds_records()) {
        let name = &input.source;
        ensure!(name != "-", "the run has read standard input, which cannot be read again");
        ensure!(
            url(Path::new(name)).is_none(),
            "{name}: a run over files can be imported, not one over objects"
        );
        let path = manifest.locate(run, name)?;
        let Look::Source(source) = Source::look(&path, name, &path, &manifest.plan.fields)? else {
            bail!("{name}: is no input any more");
        };
        let same = source.size == input.size
            && format!("{:032x}", source.open()?.finish_digest()?) == input.xxh3_128;
        ensure!(same, "{name}: changed since the run has read it");
        selection.paths.push(name.into());
        let file = SpooledFile { path, name: name.clone(), relative: name.into() };
        selection.spooled.push(Spooled { named: name.into(), files: vec![file] });
    }
    Ok(selection)
}

/// What a removed document is in the index.
enum Member {
    /// A member of a keeper.
    Of(Place, Tie),
    /// The very document that was kept, by id and text: nothing.
    Same,
    /// Nothing here: its keeper is in an index that the run was held against.
    Outside,
}

/// A finished run.
struct Run<'a> {
    manifest: &'a Manifest,
    arguments: &'a Import,
    selection: Selection,
    sources: HashMap<&'a str, u32>,
    members: HashMap<Place, Member>,
    /// Documents that have members.
    keepers: HashSet<Place>,
}

impl<'a> Run<'a> {
    fn read(manifest: &'a Manifest, arguments: &'a Import, selection: Selection) -> Result<Self> {
        let sources =
            manifest.inputs.iter().zip(0..).map(|(input, at)| (input.source.as_str(), at)).collect();
        let (members, keepers) = (HashMap::new(), HashSet::new());
        let mut run = Run { manifest, arguments, selection, sources, members, keepers };
        removed_documents(&arguments.run, manifest, |removed| run.put(&removed))?;
        Ok(run)
    }

    fn put(&mut self, removed: &Removed) -> Result<()> {
        let own = self.place(&removed.document.source, removed.document.offset)?;
        let member = if removed.index.is_some() {
            Member::Outside
        } else if removed.kind == Verdict::Exact && removed.document.id == removed.keeper.id {
            Member::Same
        } else {
            let keeper = self.place(&removed.keeper.source, removed.keeper.offset)?;
            self.keepers.insert(keeper);
            Member::Of(keeper, tie(removed, self.manifest)?)
        };
        self.members.insert(own, member);
        Ok(())
    }

    fn place(&self, source: &str, offset: u64) -> Result<Place> {
        let at = self.sources.get(source).with_context(|| format!("{source}: not an input of the run"))?;
        Ok((*at, offset))
    }

    /// Hands over all documents of the inputs, in order.
    fn each(&self, mut take: impl FnMut(Place, Incoming) -> Result<()>) -> Result<()> {
        let threads = resources(&self.arguments.machine)?.threads;
        let feed = Feed { plan: &self.manifest.plan, selection: &self.selection, threads, cancel: &CANCEL };
        let documents = |documents: Vec<Incoming>| -> Result<()> {
            documents.into_iter().try_for_each(|document| {
                let place = self.place(&document.source, document.offset)?;
                take(place, document)
            })
        };
        match self.arguments.store {
            Some(StoreKind::Text) => feed.read_texts(documents)?,
            None => feed.read(documents)?,
        };
        Ok(())
    }

    /// The ranks of all documents; none where that is the order of the input and keepers are before their members.
    fn numbers(&self) -> Result<Option<HashMap<Place, Number>>> {
        if self.manifest.plan.keep == KeepRule::First {
            let later =
                |(own, member): (&Place, &Member)| matches!(member, Member::Of(keeper, _) if keeper > own);
            if !self.members.iter().any(later) {
                return Ok(None);
            }
            // A page that others name as their canonical one is kept wherever it is.
            let mut numbers = HashMap::new();
            self.each(|place, _| {
                numbers.insert(place, numbers.len() as Number);
                Ok(())
            })?;
            return Ok(Some(numbers));
        }
        let mut ranked = Vec::new();
        self.each(|place, document| {
            ranked.push((document.rank, document.id, document.digest.0, place));
            Ok(())
        })?;
        ranked.sort_unstable();
        Ok(Some(ranked.into_iter().zip(0..).map(|((.., place), number)| (place, number)).collect()))
    }

    fn add_all(&self, importer: &Importer, ranks: Option<HashMap<Place, Number>>) -> Result<()> {
        let seen = self.arguments.seen.unwrap_or_else(now);
        let in_order = ranks.is_none();
        // In the order of the input a keeper comes before its members, and its number is known by then.
        let mut numbers = ranks.unwrap_or_default();
        let (mut waiting, mut at, mut met) = (Vec::new(), 0, 0);
        self.each(|place, mut document| {
            if in_order && self.keepers.contains(&place) {
                numbers.insert(place, at);
            }
            let number = if in_order { Some(at) } else { numbers.get(&place).copied() };
            let number = number.with_context(|| format!("{}: was not there before", document.id))?;
            at += 1;
            let keeper = match self.members.get(&place) {
                None => None,
                Some(member) => {
                    met += 1;
                    let Member::Of(keeper, tie) = member else { return Ok(()) };
                    let number = numbers.get(keeper).filter(|_| !self.members.contains_key(keeper));
                    let number =
                        number.with_context(|| format!("{}: its keeper is not there", document.id))?;
                    Some((*number, *tie))
                }
            };
            let text = document.text.take();
            waiting.push(Decided { number, sketch: sketch_of(document, seen), keeper, text });
            if waiting.len() == BATCH {
                importer.add(&waiting)?;
                waiting.clear();
            }
            Ok(())
        })?;
        importer.add(&waiting)?;
        ensure!(
            met == self.members.len(),
            "the inputs hold {met} of {} removed documents",
            self.members.len()
        );
        Ok(())
    }
}

/// What ties a removed document to its keeper, from its evidence.
fn tie(removed: &Removed, manifest: &Manifest) -> Result<Tie> {
    let id = &removed.document.id;
    match (removed.kind, removed.shared_shingles, removed.shingles) {
        (Verdict::Exact, ..) => Ok(Tie::Exact),
        // Pages that are one by their URLs are members by what their texts share.
        (Verdict::Near | Verdict::Url, Some(shared), Some(first)) => {
            // Resemblance is shared / (first + second − shared); without anything shared it tells nothing of the second.
            let union = if shared == 0 { f64::from(first) } else { f64::from(shared) / removed.similarity };
            let second = union + f64::from(shared) - f64::from(first);
            Ok(Tie::Near(Overlap { shared, first, second: second.round() as u32 }))
        }
        (Verdict::Url, ..) => Ok(Tie::Near(Overlap { shared: 0, first: 0, second: 0 })),
        (Verdict::Near, ..) => {
            let bits = f64::from(manifest.plan.simhash.bits.count());
            Ok(Tie::Distance(((1.0 - removed.similarity) * bits).round() as u32))
        }
        _ => bail!("{id}: removed as {}, which an index does not know", removed.kind.name()),
    }
}
