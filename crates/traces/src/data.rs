//! Data automata: Floyd–Hoare automata whose words are infeasible traces.

use crate::kept::KeptTriples;
use crate::program::ProgramAutomaton;
use crate::triples::Triples;
use automata::{Letter, Post};
use cfa::expr::ExprId;
use facts::budget::Budget;
use facts::engine::Reason;
use predicate::refutation::Refuter;
use rustc_hash::FxHashMap;

/// A Floyd–Hoare automaton. Its states are formulas; the initial one is `true`, the accepting one
/// `false`, which every statement keeps.
///
/// Law: the triple of each transition is valid.
#[derive(Clone, Debug)]
pub struct DataAutomaton {
    /// The formulas, without `true`.
    pub predicates: Vec<ExprId>,
    pub transitions: Transitions,
}

#[derive(Clone, Debug)]
pub enum Transitions {
    /// All whose triples are valid, found when they are asked for.
    OnDemand,
    /// These.
    Given(FxHashMap<(ExprId, Letter), Vec<ExprId>>),
    /// Those of an earlier run, each checked when it is first asked for; over statements that the
    /// earlier program had not, as [`Transitions::OnDemand`].
    Kept(KeptTriples),
}

/// The formulas `true` and `false`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constants {
    pub truth: ExprId,
    pub falsity: ExprId,
}

/// Whoever is asked about triples.
pub struct Asking<'x, 'a> {
    pub refuter: &'x mut Refuter<'a>,
    pub program: &'x ProgramAutomaton,
    pub triples: &'x mut Triples,
    pub constants: Constants,
    pub budget: &'x Budget,
}

impl Asking<'_, '_> {
    /// The formulas of an automaton that hold behind the letter.
    pub fn post(
        &mut self,
        automaton: &DataAutomaton,
        set: &[ExprId],
        letter: Letter,
    ) -> Result<Vec<ExprId>, Reason> {
        let Constants { truth, falsity } = self.constants;
        if set.contains(&falsity) {
            return Ok(vec![falsity]);
        }
        let mut next = match &automaton.transitions {
            Transitions::Kept(kept) if kept.known.contains(&letter) => self.triples.kept_post(
                self.refuter,
                self.program,
                (set, letter),
                (&automaton.predicates, kept),
                falsity,
                self.budget,
            )?,
            Transitions::OnDemand | Transitions::Kept(_) => self.triples.post(
                self.refuter,
                self.program,
                (set, letter),
                &automaton.predicates,
                falsity,
                self.budget,
            )?,
            Transitions::Given(transitions) => {
                if self.budget.is_exhausted() {
                    return Err(Reason::out_of_time());
                }
                let targets = set
                    .iter()
                    .filter_map(|&from| transitions.get(&(from, letter)));
                targets.flatten().copied().collect()
            }
        };
        if next.contains(&falsity) {
            return Ok(vec![falsity]);
        }
        // So it is from the start: nothing is known.
        next.push(truth);
        next.sort_unstable();
        next.dedup();
        Ok(next)
    }
}

/// One automaton, to be subtracted.
pub struct Single<'y, 'x, 'a> {
    pub asking: &'y mut Asking<'x, 'a>,
    pub automaton: &'y DataAutomaton,
}

impl Post for Single<'_, '_, '_> {
    type Element = ExprId;
    type Error = Reason;

    fn first(&mut self) -> Result<Vec<ExprId>, Reason> {
        Ok(vec![self.asking.constants.truth])
    }

    fn post(&mut self, set: &[ExprId], letter: Letter) -> Result<Vec<ExprId>, Reason> {
        self.asking.post(self.automaton, set, letter)
    }

    fn accepts(&mut self, set: &[ExprId]) -> Result<bool, Reason> {
        Ok(set.contains(&self.asking.constants.falsity))
    }

    fn accepts_all(&mut self, set: &[ExprId]) -> Result<bool, Reason> {
        self.accepts(set)
    }
}

/// The union of all; an element is the number of an automaton and one of its formulas.
pub struct All<'y, 'x, 'a> {
    pub asking: &'y mut Asking<'x, 'a>,
    pub automata: &'y [DataAutomaton],
    /// What letters made of the sets of each automaton: sets of the union share them.
    pub known: FxHashMap<(u32, Vec<ExprId>, Letter), Vec<ExprId>>,
}

impl Post for All<'_, '_, '_> {
    type Element = (u32, ExprId);
    type Error = Reason;

    fn first(&mut self) -> Result<Vec<(u32, ExprId)>, Reason> {
        let truth = self.asking.constants.truth;
        Ok((0..self.automata.len() as u32)
            .map(|number| (number, truth))
            .collect())
    }

    fn post(
        &mut self,
        set: &[(u32, ExprId)],
        letter: Letter,
    ) -> Result<Vec<(u32, ExprId)>, Reason> {
        let falsity = self.asking.constants.falsity;
        let mut next = Vec::new();
        for part in set.chunk_by(|one, other| one.0 == other.0) {
            let number = part[0].0;
            let formulas: Vec<ExprId> = part.iter().map(|&(_, formula)| formula).collect();
            let key = (number, formulas, letter);
            let after = match self.known.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let automaton = &self.automata[number as usize];
                    let after = self.asking.post(automaton, &key.1, letter)?;
                    self.known.insert(key, after.clone());
                    after
                }
            };
            if after.contains(&falsity) {
                return Ok(vec![(number, falsity)]);
            }
            next.extend(after.into_iter().map(|formula| (number, formula)));
        }
        Ok(next)
    }

    fn accepts(&mut self, set: &[(u32, ExprId)]) -> Result<bool, Reason> {
        let falsity = self.asking.constants.falsity;
        Ok(set.iter().any(|&(_, formula)| formula == falsity))
    }

    fn accepts_all(&mut self, set: &[(u32, ExprId)]) -> Result<bool, Reason> {
        self.accepts(set)
    }
}
