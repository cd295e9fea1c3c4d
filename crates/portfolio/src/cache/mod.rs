//! What is kept of a run for later versions of the program (`--cache`): its certificate, its facts,
//! predicates and automata.
//!
//! A certificate is kept with the [`names::Shape`] of the program that it is about: hashes of all
//! statements, function by function. A later version is aligned with it. Where nothing changed, the
//! certificate is that of the version; where something did, what is left of it is tried, and its
//! statements are candidates that engines may begin with.
//!
//! Nothing of it is believed, whoever wrote it: an answer counts only if [`crate::certification`]
//! accepts it for the program of today, as it does those of engines, and a statement is a fact only
//! where the checker proves it. So a file that is damaged, forged, or of another program costs time,
//! and changes no verdict.

pub mod names;
pub mod stored;

use crate::case::Case;
use crate::each::EarlierGroup;
use crate::views::Views;
use cfa::expr::{ExprId, ExprPool};
use cfa::program::{LocId, Program};
use cfa::value::Ty;
use facts::budget::Budget;
use facts::certificate::{Certificate, InputValue};
use facts::engine::{Board, Engine, Outcome, View};
use facts::invariants::{Facts, InvariantMap};
use facts::precision::PrecisionMap;
use names::{Alignment, At, Names, Shape};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use stored::{Answer, Candidate, Said, Statements};
use transform::passes::copy_expr;

/// Grows with the format: files of another one are not read.
const FORMAT: u32 = 1;
/// Maps of facts that are kept, the last ones.
const MAX_MAPS: usize = 20;

/// What is kept of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    format: u32,
    shape: Shape,
    answer: Option<Answer>,
    /// What was proved on the way, where there is no proof.
    facts: Vec<Statements>,
    predicates: Option<Statements>,
    /// Texts of analyses, by their names.
    kept: BTreeMap<String, String>,
}

impl Entry {
    /// What is worth keeping; nothing if there is nothing. `facts` are about the split program.
    pub fn of(case: &Case, answer: Option<&Certificate>, facts: &Facts) -> Option<Entry> {
        let names = Names::of(&case.views.split);
        let answer = answer.and_then(|certificate| Answer::write(&names, certificate));
        let kept = case.store.kept_for_later();
        let facts = match &answer {
            Some(_) => Vec::new(),
            None => {
                let last = facts.maps.iter().rev().take(MAX_MAPS);
                let written = last.filter_map(|map| written(&names, map));
                written.collect()
            }
        };
        let predicates = case.store.precisions();
        let predicates = predicates.last();
        let predicates = predicates.and_then(|map| predicates_of(&names, &case.views, map));
        if answer.is_none() && facts.is_empty() && kept.is_empty() && predicates.is_none() {
            return None;
        }
        Some(Entry {
            format: FORMAT,
            shape: names.shape(),
            answer,
            facts,
            predicates,
            kept,
        })
    }

    pub fn text(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// `None` if the text is none of ours.
    pub fn read(text: &[u8]) -> Option<Entry> {
        let entry: Entry = serde_json::from_slice(text).ok()?;
        (entry.format == FORMAT).then_some(entry)
    }

    /// Without what only an engine could use.
    #[must_use]
    pub fn answer_only(self) -> Entry {
        Entry {
            facts: Vec::new(),
            predicates: None,
            kept: BTreeMap::new(),
            ..self
        }
    }

    /// Does it hold an answer?
    pub fn is_answered(&self) -> bool {
        self.answer.is_some()
    }
}

fn written(names: &Names<'_>, map: &InvariantMap) -> Option<Statements> {
    let entries = map.entries.iter();
    let entries = entries.map(|entry| (&entry.calls, entry.location, entry.holds));
    Statements::write(names, &map.pool, entries)
}

/// The predicates of the prepared program, said of the split one.
fn predicates_of(names: &Names<'_>, views: &Views, map: &PrecisionMap) -> Option<Statements> {
    let mut pool = views.split.pool.clone();
    let mut copies = FxHashMap::default();
    let mut list = Vec::new();
    for &(location, predicate) in &map.predicates {
        let (places, said) = match views.prepared() {
            None => (vec![location], Some(pool.import(&map.pool, predicate))),
            Some(prepared) => {
                let rename = |var| prepared.var_before(var);
                let said = copy_expr(&map.pool, &mut pool, predicate, &mut copies, rename);
                (prepared.locations_before(location).to_vec(), said)
            }
        };
        let Some(said) = said else { continue };
        list.extend(places.into_iter().map(|place| (place, said)));
    }
    if list.is_empty() {
        return None;
    }
    let any = cfa::place::CallPattern::Any;
    Statements::write(
        names,
        &pool,
        list.iter().map(|&(at, said)| (&any, at, said)),
    )
}

/// What is kept of a run that decides every check by itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checks {
    format: u32,
    shape: Shape,
    groups: Vec<KeptGroup>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct KeptGroup {
    errors: Vec<At>,
    is_reaching: bool,
    entry: Entry,
}

impl Checks {
    /// The program is the one with all its checks.
    pub fn of(program: &Program, groups: Vec<(EarlierGroup, Entry)>) -> Checks {
        let names = Names::of(program);
        let groups = groups.into_iter().map(|(group, entry)| KeptGroup {
            errors: group.errors.iter().filter_map(|&at| names.at(at)).collect(),
            is_reaching: group.is_reaching,
            entry,
        });
        Checks {
            format: FORMAT,
            shape: names.shape(),
            groups: groups.collect(),
        }
    }

    pub fn text(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// `None` if the text is none of ours.
    pub fn read(text: &[u8]) -> Option<Checks> {
        let checks: Checks = serde_json::from_slice(text).ok()?;
        (checks.format == FORMAT).then_some(checks)
    }

    /// The groups whose checks are in the program of today as well, each with what is known of it.
    pub fn groups(self, program: &Program) -> Vec<(EarlierGroup, Entry)> {
        let names = Names::of(program);
        let alignment = Alignment::new(&self.shape, &names, &names.shape());
        let groups = self.groups.into_iter().map(|group| {
            let errors = group.errors.iter();
            let errors = errors.filter_map(|&at| alignment.location(at));
            let found = EarlierGroup {
                errors: errors.collect(),
                is_reaching: group.is_reaching,
            };
            (found, group.entry)
        });
        groups.collect()
    }
}

/// The key that a version of a program is kept under.
pub fn key(program: &Program) -> String {
    let names = Names::of(program);
    names.key(&names.shape())
}

/// What earlier versions leave to this one.
#[derive(Default)]
pub struct Earlier {
    /// Answers to be tried, the best first.
    pub answers: Vec<Candidate>,
    /// Candidates about the prepared program.
    pub candidates: Vec<InvariantMap>,
    pub precision: Option<PrecisionMap>,
    pub kept: BTreeMap<String, Arc<str>>,
}

/// The name that statements of earlier versions go by.
pub const CACHE: &str = "cache";

impl Earlier {
    /// What entries, the best first, say of the program of today.
    pub fn of(case: &Case, entries: &[Entry]) -> Earlier {
        let names = Names::of(&case.views.split);
        let shape = names.shape();
        let mut earlier = Earlier::default();
        for entry in entries {
            let alignment = Alignment::new(&entry.shape, &names, &shape);
            let answer = entry.answer.as_ref();
            let tried = answer.and_then(|answer| answer.read(&names, &alignment));
            earlier.answers.extend(tried);
            let of_proof = answer.and_then(Answer::statements);
            for said in of_proof.into_iter().chain(&entry.facts) {
                // Several nodes of a proof at one place say that one of them holds.
                let is_proof = of_proof.is_some();
                let map = candidates(&names, &alignment, &case.views, said, is_proof);
                earlier.candidates.extend(map);
            }
            if let (None, Some(said)) = (&earlier.precision, &entry.predicates) {
                earlier.precision = precision(&names, &alignment, &case.views, said);
            }
            for (engine, text) in &entry.kept {
                let known = earlier.kept.entry(engine.clone());
                known.or_insert_with(|| Arc::from(text.as_str()));
            }
        }
        earlier
    }

    pub fn is_empty(&self) -> bool {
        self.answers.is_empty() && self.candidates.is_empty()
    }
}

/// Statements of an earlier version, about the prepared program.
fn candidates(
    names: &Names<'_>,
    alignment: &Alignment,
    views: &Views,
    statements: &Statements,
    is_proof: bool,
) -> Option<InvariantMap> {
    let mut pool = names.program.pool.clone();
    let (said, _) = statements.read(names, alignment, &mut pool);
    let list = joined(&mut pool, said, is_proof);
    if list.is_empty() {
        return None;
    }
    let (map, _) = views.candidates(CACHE, pool, &list);
    (!map.0.entries.is_empty()).then_some(map.0)
}

/// One statement for each location, whatever the calls that lead there: what several call strings
/// are said to have, one of them has.
fn joined(pool: &mut ExprPool, said: Vec<Said>, is_proof: bool) -> Vec<(LocId, ExprId)> {
    let mut places: BTreeMap<LocId, Vec<Said>> = BTreeMap::new();
    for said in said {
        if pool.ty(said.holds) == Ty::Bool {
            places.entry(said.location).or_default().push(said);
        }
    }
    let joined = places.into_iter().map(|(location, said)| {
        let is_one_string = said.windows(2).all(|pair| pair[0].calls == pair[1].calls);
        let holds = said.into_iter().map(|said| said.holds);
        let holds = match is_one_string && !is_proof {
            true => holds.reduce(|a, b| pool.and(a, b)),
            false => holds.reduce(|a, b| pool.or(a, b)),
        };
        holds.map(|holds| (location, holds))
    });
    joined.flatten().collect()
}

fn precision(
    names: &Names<'_>,
    alignment: &Alignment,
    views: &Views,
    statements: &Statements,
) -> Option<PrecisionMap> {
    let mut pool = names.program.pool.clone();
    let (said, _) = statements.read(names, alignment, &mut pool);
    let said = said
        .into_iter()
        .filter(|said| pool.ty(said.holds) == Ty::Bool);
    let list: Vec<(LocId, ExprId)> = said.map(|said| (said.location, said.holds)).collect();
    let (pool, predicates) = views.after_passes(pool, &list);
    (!predicates.is_empty()).then(|| PrecisionMap {
        by: CACHE.into(),
        pool,
        predicates,
    })
}

/// Says what was found out about earlier versions. Whoever certifies it knows that it claims
/// nothing ([`crate::certification::Certified::of_files`]).
pub struct Cached {
    answers: std::vec::IntoIter<Candidate>,
}

impl Cached {
    pub fn new(answers: Vec<Candidate>) -> Cached {
        Cached {
            answers: answers.into_iter(),
        }
    }
}

impl Engine for Cached {
    fn name(&self) -> &str {
        CACHE
    }

    fn view(&self) -> View {
        View::Original
    }

    fn run(&mut self, program: &Program, _: &dyn Board, budget: &Budget) -> Outcome {
        for candidate in self.answers.by_ref() {
            if budget.is_exhausted() {
                break;
            }
            match candidate {
                Candidate::Proof(certificate) => return Outcome::Answer(certificate),
                Candidate::Values(values) => {
                    if let Some(answer) = violation(program, &values, budget) {
                        return Outcome::Answer(answer);
                    }
                }
            }
        }
        Outcome::Unknown("no earlier version's answer is one for this program".into())
    }

    fn retry_after_rejection(&mut self, _: &Certificate) -> bool {
        self.answers.len() > 0
    }
}

/// The inputs of the execution that takes these values, if it violates the property.
fn violation(program: &Program, values: &[InputValue], budget: &Budget) -> Option<Certificate> {
    let run = certify::replay(program, values, budget, None);
    if !matches!(run.outcome, interpreter::Outcome::Error(_)) {
        return None;
    }
    let inputs = run.inputs.iter();
    let inputs = inputs.map(|&(input, ty, bits)| InputValue { input, ty, bits });
    Some(Certificate::Inputs(inputs.collect()))
}

#[cfg(test)]
mod tests;
