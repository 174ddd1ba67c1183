//! Random operations against a plain model, with reopenings and with storage that fails in the middle.
#![allow(clippy::unwrap_used)]

mod common;

use common::{FailAfter, THRESHOLD, document, minhash, open, options, sound};
use onefold_detect::matching::Bands;
use onefold_detect::measure::overlap;
use onefold_index::{Answer, Index, Sketch, Verdict};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io::ErrorKind;

/// The definition, by brute force.
#[derive(Clone, Default)]
struct Model {
    documents: BTreeMap<u64, Row>,
    next: u64,
}

#[derive(Clone)]
struct Row {
    sketch: Sketch,
    last_seen: u64,
    keeper: Option<u64>,
}

fn band_keys(sketch: &Sketch) -> Vec<u64> {
    sketch.signature.as_deref().map(|s| Bands { bands: 8, rows: 4 }.keys(s).collect()).unwrap_or_default()
}

impl Model {
    fn first_match(&self, sketch: &Sketch) -> Option<u64> {
        if sketch.empty {
            return None;
        }
        let keepers = || self.documents.iter().filter(|(_, row)| row.keeper.is_none() && !row.sketch.empty);
        let exact = keepers().find(|(_, row)| row.sketch.digest == sketch.digest);
        let near = || {
            let own = band_keys(sketch);
            let mut keepers = keepers();
            keepers.find(|(_, row)| {
                let shared = band_keys(&row.sketch).iter().zip(&own).any(|(a, b)| a == b);
                let bytes = |s: &Sketch| s.signature.iter().flatten().map(|v| *v as u8).collect::<Vec<_>>();
                let agree = bytes(&row.sketch).iter().zip(bytes(sketch)).filter(|(a, b)| **a == *b).count();
                let sigma = (THRESHOLD * (1.0 - THRESHOLD) / 32.0).sqrt();
                let least = (((THRESHOLD - 4.0 * sigma) * 255.0 + 1.0) / 256.0 * 32.0).floor() as usize;
                shared && agree >= least && overlap(&sketch.shingles, &row.sketch.shingles).reaches(THRESHOLD)
            })
        };
        exact.or_else(near).map(|(&number, _)| number)
    }

    fn add(&mut self, sketch: &Sketch) -> Option<u64> {
        let known = self
            .documents
            .iter_mut()
            .find(|(_, row)| row.sketch.id == sketch.id && row.sketch.digest == sketch.digest);
        if let Some((&number, row)) = known {
            row.last_seen = row.last_seen.max(sketch.seen);
            return row.keeper.or((!sketch.empty).then_some(number));
        }
        let keeper = self.first_match(sketch);
        self.documents.insert(self.next, Row { sketch: sketch.clone(), last_seen: sketch.seen, keeper });
        self.next += 1;
        keeper
    }

    fn remove(&mut self, gone: impl Fn(&Row) -> bool) -> u64 {
        let numbers: Vec<u64> =
            self.documents.iter().filter(|(_, row)| gone(row)).map(|(&number, _)| number).collect();
        numbers.iter().for_each(|number| drop(self.documents.remove(number)));
        for keeper in &numbers {
            let orphans: Vec<u64> = self
                .documents
                .iter()
                .filter(|(_, row)| row.keeper == Some(*keeper))
                .map(|(&number, _)| number)
                .collect();
            for (place, orphan) in orphans.into_iter().enumerate() {
                let found = if place == 0 { None } else { self.first_match(&self.documents[&orphan].sketch) };
                self.documents.get_mut(&orphan).unwrap().keeper = found;
            }
        }
        numbers.len() as u64
    }

    fn compare(&self, index: &Index) {
        let mut stored = BTreeMap::new();
        index
            .export(|document| {
                stored.insert(document.number, document);
                Ok::<(), onefold_index::Error>(())
            })
            .unwrap();
        let ours: Vec<_> =
            self.documents.iter().map(|(n, r)| (*n, &r.sketch.id, r.last_seen, r.keeper)).collect();
        let theirs: Vec<_> = stored
            .values()
            .map(|d| (d.number, &d.id, d.last_seen, d.keeper.as_ref().map(|k| k.number)))
            .collect();
        assert_eq!(ours, theirs);
        for row in self.documents.values() {
            assert!(index.get(&row.sketch.id).unwrap().iter().any(|found| found.digest == row.sketch.digest));
        }
        sound(index);
    }
}

#[derive(Clone, Debug)]
enum Step {
    Add(Vec<(u8, u64, Vec<u64>, u64)>),
    Check(u64, Vec<u64>),
    Remove(u8),
    Touch(u8, u64),
    Expire(u64),
    Compact,
    Rest,
    Reopen,
    /// Storage fails so many operations into the next adds.
    Fail(i64),
}

fn page() -> impl Strategy<Value = (u8, u64, Vec<u64>, u64)> {
    (0u8..24, 0u64..6, proptest::collection::vec(0u64..30, 0..6), 0u64..100)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => proptest::collection::vec(page(), 1..7).prop_map(Step::Add),
        3 => (0u64..6, proptest::collection::vec(0u64..30, 0..6)).prop_map(|(t, c)| Step::Check(t, c)),
        3 => (0u8..24).prop_map(Step::Remove),
        1 => (0u8..24, 0u64..100).prop_map(|(id, seen)| Step::Touch(id, seen)),
        1 => (0u64..60).prop_map(Step::Expire),
        1 => Just(Step::Compact),
        1 => Just(Step::Rest),
        2 => Just(Step::Reopen),
        2 => (0i64..60).prop_map(Step::Fail),
    ]
}

/// Topic 0 is the empty document.
fn made((id, topic, changed, seen): &(u8, u64, Vec<u64>, u64)) -> Sketch {
    document(&format!("page-{id}"), *topic, if *topic == 0 { 0 } else { 30 }, changed, *seen)
}

fn keeper_of(answer: &Answer) -> Option<u64> {
    answer.matched.as_ref().map(|matched| matched.number)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn random_operations_follow_the_model(steps in proptest::collection::vec(step(), 1..28)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index");
        let mut model = Model::default();
        let mut gate = FailAfter::new(i64::MAX, ErrorKind::StorageFull);
        let mut index = Some(Index::create(&path, minhash(5), options(Some(gate.clone()))).unwrap());
        let mut failing = false;
        for step in &steps {
            let now = index.as_ref().unwrap();
            match step {
                Step::Add(pages) => {
                    let sketches: Vec<Sketch> = pages.iter().map(made).collect();
                    let mut after = model.clone();
                    let expected: Vec<Option<u64>> = sketches.iter().map(|sketch| after.add(sketch)).collect();
                    match now.add_batch(&sketches) {
                        Ok(answers) => {
                            prop_assert_eq!(answers.iter().map(keeper_of).collect::<Vec<_>>(), expected);
                            model = after;
                        }
                        Err(error) => {
                            prop_assert!(failing, "{}", error);
                            // Checks go on where the disk is full.
                            prop_assert!(now.check(&sketches[0]).is_ok());
                            // After a crash the batch is there whole or not at all.
                            drop(index.take());
                            let again = open(&path);
                            if again.stats().unwrap().documents as usize == after.documents.len()
                                && after.next != model.next
                            {
                                model = after;
                            } else {
                                model.compare(&again);
                            }
                            drop(again);
                            gate = FailAfter::new(i64::MAX, ErrorKind::StorageFull);
                            failing = false;
                            index = Some(Index::open(&path, options(Some(gate.clone()))).unwrap());
                        }
                    }
                }
                Step::Check(topic, changed) => {
                    let sketch = made(&(200, *topic, changed.clone(), 0));
                    let answer = now.check(&sketch).unwrap();
                    prop_assert_eq!(keeper_of(&answer), model.first_match(&sketch));
                    let all = now.matches(&sketch).unwrap();
                    prop_assert_eq!(all.first().map(|m| m.number), keeper_of(&answer));
                }
                Step::Fail(operations) => {
                    gate.set(*operations);
                    failing = true;
                }
                _ if failing => {}
                Step::Remove(id) => {
                    let id = format!("page-{id}");
                    let expected = model.remove(|row| row.sketch.id == id);
                    prop_assert_eq!(now.remove(&id).unwrap(), expected);
                }
                Step::Touch(id, seen) => {
                    let id = format!("page-{id}");
                    now.touch(&id, *seen).unwrap();
                    for row in model.documents.values_mut().filter(|row| row.sketch.id == id) {
                        row.last_seen = row.last_seen.max(*seen);
                    }
                }
                Step::Expire(before) => {
                    let expected = model.remove(|row| row.last_seen < *before);
                    prop_assert_eq!(now.expire(*before).unwrap(), expected);
                }
                Step::Compact => now.compact().unwrap(),
                Step::Rest => now.merge_at_rest(),
                Step::Reopen => {
                    drop(index.take());
                    index = Some(Index::open(&path, options(Some(gate.clone()))).unwrap());
                }
            }
            let now = index.as_ref().unwrap();
            if !failing {
                model.compare(now);
            }
        }
    }
}

#[test]
fn verdicts_carry_what_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::create(&folder.path().join("i"), minhash(100), options(None)).unwrap();
    assert_eq!(index.add(&document("a", 1, 30, &[], 0)).unwrap().verdict, Verdict::New);
    let near = index.add(&document("b", 1, 30, &[3, 4], 0)).unwrap();
    let matched = near.matched.unwrap();
    assert_eq!((near.verdict, matched.id.as_str(), matched.rule()), (Verdict::Near, "a", "minhash"));
    assert_eq!((matched.similarity(), matched.containment()), (28.0 / 32.0, Some(28.0 / 30.0)));
    assert_eq!(matched.distance, Some(2));
    let again = index.add(&document("b", 1, 30, &[3, 4], 9)).unwrap();
    assert!(again.known && again.verdict == Verdict::Near);
    assert_eq!(index.get("b").unwrap()[0].last_seen, 9);
    assert_eq!(index.stats().unwrap().documents, 2);
}
