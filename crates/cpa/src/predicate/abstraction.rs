//! Abstractions: the strongest boolean function of predicates that a block's end satisfies.
//!
//! Boolean abstraction enumerates the values of the predicates that the block allows (all-sat with blocking);
//! cartesian abstraction finds for each predicate whether it, or its negation, always holds. The first is exact over
//! the predicates, the second quick.

use super::blocks::{BlockId, Blocks, PlaceId, Target};
use super::predicates::{PredicateId, Predicates};
use super::statistics::Statistics;
use cfa::expr::ExprId;
use logic::bdd::{Bdd, BddPool};
use logic::{Answer, Solver, Term, TermPool};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::time::Instant;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbstractionKind {
    Boolean,
    Cartesian,
    /// What cartesian abstraction decides is not enumerated.
    #[default]
    BooleanAfterCartesian,
}

/// Why there is no abstraction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undecided(pub String);

/// More combinations than this are not enumerated; what is known then is the cartesian abstraction and relations of
/// two predicates.
const MOST_MODELS: usize = 250;

pub struct Abstractions {
    pub kind: AbstractionKind,
    pub bdds: BddPool,
    known: FxHashMap<(BlockId, Bdd, Vec<PredicateId>), Bdd>,
    conditions: FxHashMap<(PlaceId, Bdd), Vec<Term>>,
    /// Formulas that hold at places whatever the abstraction says.
    facts: FxHashMap<PlaceId, Vec<Term>>,
    /// Those that blocks are known to satisfy at their end too, before they are abstracted (000, section 5.1.2).
    facts_at_ends: FxHashMap<PlaceId, Vec<ExprId>>,
}

impl Abstractions {
    pub fn new(kind: AbstractionKind) -> Abstractions {
        Abstractions {
            kind,
            bdds: BddPool::default(),
            known: FxHashMap::default(),
            conditions: FxHashMap::default(),
            facts: FxHashMap::default(),
            facts_at_ends: FxHashMap::default(),
        }
    }

    /// From now on every abstract state at the place is known to satisfy the formula (over the values at the
    /// beginning of blocks), and with `at_ends` abstractions of blocks that end there rely on it; `false` if it was
    /// known.
    pub fn add_fact(&mut self, place: PlaceId, fact: Term, at_ends: Option<ExprId>) -> bool {
        let list = self.facts.entry(place).or_default();
        if fact == TermPool::TRUE || list.contains(&fact) {
            return false;
        }
        list.push(fact);
        if let Some(expr) = at_ends {
            self.facts_at_ends.entry(place).or_default().push(expr);
        }
        // What was computed without the fact is right, but weaker than it could be.
        self.known.clear();
        self.conditions.retain(|(at, _), _| *at != place);
        true
    }

    pub fn facts(&self, place: PlaceId) -> &[Term] {
        self.facts.get(&place).map_or(&[], Vec::as_slice)
    }

    /// The abstract state as formulas over the values at the beginning of blocks: a conjunction.
    pub fn condition(
        &mut self,
        blocks: &mut Blocks<'_>,
        predicates: &mut Predicates,
        place: PlaceId,
        psi: Bdd,
    ) -> Vec<Term> {
        if let Some(known) = self.conditions.get(&(place, psi)) {
            return known.clone();
        }
        let mut terms: FxHashMap<u32, Term> = FxHashMap::default();
        for variable in self.bdds.support(psi) {
            let expr = predicates.expression(PredicateId(variable));
            // A predicate without a formula is never part of an abstraction.
            if let Some(term) = predicates.start_term(blocks, place, expr) {
                terms.insert(variable, term);
            }
        }
        let pool = blocks.pool();
        let mut conjuncts = match self.bdds.cubes(psi, 1) {
            Some(cubes) if cubes.len() == 1 => {
                let mut conjuncts = Vec::new();
                for &(variable, positive) in &cubes[0] {
                    let term = terms[&variable];
                    conjuncts.push(if positive { term } else { pool.not(term) });
                }
                conjuncts
            }
            _ => {
                let whole = self.bdds.fold(
                    psi,
                    |value| {
                        if value {
                            TermPool::TRUE
                        } else {
                            TermPool::FALSE
                        }
                    },
                    |variable, high, low| pool.ite(terms[&variable], *high, *low),
                );
                vec![whole]
            }
        };
        conjuncts.extend(self.facts(place));
        self.conditions.insert((place, psi), conjuncts.clone());
        conjuncts
    }

    /// Can the block be passed from the abstract state?
    pub fn is_passable(
        &mut self,
        blocks: &mut Blocks<'_>,
        predicates: &mut Predicates,
        block: BlockId,
        psi: Bdd,
    ) -> Result<bool, Undecided> {
        let source = blocks.block(block).source;
        let condition = self.condition(blocks, predicates, source, psi);
        let (solver, pool) = blocks.solver(block);
        match solver.check(pool, &condition) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(reason) => Err(Undecided(reason.to_string())),
        }
    }

    /// The abstraction of the block's end, passed from the abstract state.
    pub fn post(
        &mut self,
        blocks: &mut Blocks<'_>,
        predicates: &mut Predicates,
        block: BlockId,
        psi: Bdd,
        precision: &[PredicateId],
        statistics: &mut Statistics,
    ) -> Result<Bdd, Undecided> {
        let key = (block, psi, precision.to_vec());
        if let Some(&known) = self.known.get(&key) {
            statistics.cached_abstractions += 1;
            return Ok(known);
        }
        let begin = Instant::now();
        statistics.abstractions += 1;
        let source = blocks.block(block).source;
        let mut assumptions = self.condition(blocks, predicates, source, psi);
        if let Target::Place(target) = blocks.block(block).target {
            for &fact in self.facts_at_ends.get(&target).into_iter().flatten() {
                assumptions.extend(predicates.end_term(blocks, block, fact));
            }
        }
        let mut values: Vec<(PredicateId, Term)> = Vec::new();
        for &predicate in precision {
            let expr = predicates.expression(predicate);
            if let Some(term) = predicates.end_term(blocks, block, expr) {
                values.push((predicate, term));
            }
        }
        let result = self.enumerate(blocks, block, &mut assumptions, &values, statistics);
        statistics.abstraction_time += begin.elapsed();
        let result = result?;
        self.known.insert(key, result);
        Ok(result)
    }

    fn enumerate(
        &mut self,
        blocks: &mut Blocks<'_>,
        block: BlockId,
        assumptions: &mut Vec<Term>,
        values: &[(PredicateId, Term)],
        statistics: &mut Statistics,
    ) -> Result<Bdd, Undecided> {
        let (solver, pool) = blocks.solver(block);
        let fixed = assumptions.len();
        let mut ask = |solver: &mut logic::NativeSolver, pool: &mut TermPool, terms: &[Term]| {
            statistics.abstraction_checks += 1;
            match solver.check(pool, terms) {
                Answer::Sat => Ok(true),
                Answer::Unsat => Ok(false),
                Answer::Unknown(reason) => Err(Undecided(reason.to_string())),
            }
        };
        if !ask(solver, pool, assumptions)? {
            return Ok(Bdd::FALSE);
        }
        // For each predicate: was it seen true, was it seen false?
        let mut seen: Vec<(bool, bool)> = vec![(false, false); values.len()];
        let note =
            |solver: &mut logic::NativeSolver, pool: &TermPool, seen: &mut [(bool, bool)]| {
                for (number, (_, term)) in values.iter().enumerate() {
                    match solver.holds(pool, *term) {
                        Some(true) => seen[number].0 = true,
                        Some(false) => seen[number].1 = true,
                        None => seen[number] = (true, true),
                    }
                }
            };
        note(solver, pool, &mut seen);
        let mut literals = Vec::new();
        let mut open = Vec::new();
        if self.kind == AbstractionKind::Boolean {
            open.extend(0..values.len());
        } else {
            for (number, &(predicate, term)) in values.iter().enumerate() {
                if seen[number] == (true, true) {
                    open.push(number);
                    continue;
                }
                let positive = seen[number].0;
                assumptions.truncate(fixed);
                assumptions.push(if positive { pool.not(term) } else { term });
                if ask(solver, pool, assumptions)? {
                    note(solver, pool, &mut seen);
                    open.push(number);
                } else {
                    literals.push((predicate.0, positive));
                }
            }
            assumptions.truncate(fixed);
        }
        let cube = self.bdds.cube(&literals);
        if open.is_empty() || self.kind == AbstractionKind::Cartesian {
            return Ok(cube);
        }
        solver.push();
        let mut found = Bdd::FALSE;
        let mut count = 0;
        let complete = loop {
            match ask(solver, pool, assumptions) {
                Ok(true) => {}
                Ok(false) => break Ok(true),
                Err(reason) => break Err(reason),
            }
            count += 1;
            if count > MOST_MODELS {
                break Ok(false);
            }
            let mut model = Vec::new();
            let mut terms = Vec::new();
            for &number in &open {
                let (predicate, term) = values[number];
                let holds = solver.holds(pool, term) == Some(true);
                model.push((predicate.0, holds));
                terms.push(if holds { term } else { pool.not(term) });
            }
            let this = self.bdds.cube(&model);
            found = self.bdds.or(found, this);
            let blocked = pool.and_all(terms);
            let blocked = pool.not(blocked);
            solver.assert(pool, blocked);
        };
        solver.pop();
        statistics.models += count as u64;
        let mut result = match complete? {
            true => found,
            false => {
                statistics.given_up_abstractions += 1;
                let mut result = Bdd::TRUE;
                let few = &open[..open.len().min(24)];
                for (position, &first) in few.iter().enumerate() {
                    for &second in &few[position + 1..] {
                        for signs in [(true, true), (true, false), (false, true), (false, false)] {
                            let (p, a) = values[first];
                            let (q, b) = values[second];
                            let both = self.bdds.cube(&[(p.0, signs.0), (q.0, signs.1)]);
                            if self.bdds.and(both, found) != Bdd::FALSE {
                                continue;
                            }
                            assumptions.truncate(fixed);
                            assumptions.push(if signs.0 { a } else { pool.not(a) });
                            assumptions.push(if signs.1 { b } else { pool.not(b) });
                            if !ask(solver, pool, assumptions)? {
                                let neither = self.bdds.not(both);
                                result = self.bdds.and(result, neither);
                            }
                        }
                    }
                }
                result
            }
        };
        result = self.bdds.and(result, cube);
        Ok(result)
    }
}
