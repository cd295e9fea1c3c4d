//! Abstractions: the strongest boolean function of predicates that a block's end satisfies.
//!
//! Boolean abstraction enumerates the values of the predicates that the block allows (all-sat with
//! blocking); cartesian abstraction finds for each predicate whether it, or its negation, always
//! holds. The first is exact over the predicates, the second quick. Boolean after cartesian
//! enumerates a few values first, then decides single predicates, and enumerates the rest.

use super::predicates::{PredicateId, Predicates};
use super::statistics::Statistics;
use cfa::expr::{ExprId, VarId};
use control::clock;
use encoding::vocabulary;
use induction::graph::{BlockId, PlaceId, Target};
use induction::solver_graph::SolverGraph;
use logic::bdd::{Bdd, BddPool};
use logic::{Answer, Solver, Term, TermPool};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a formula is abstracted to predicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbstractionKind {
    /// The strongest boolean combination of the predicates.
    Boolean,
    /// The strongest conjunction of predicates and their negations.
    Cartesian,
    /// Cartesian first; boolean for the predicates that it does not decide.
    #[default]
    BooleanAfterCartesian,
}

/// Why there is no abstraction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undecided(pub String);

/// Combinations of values that are enumerated before single predicates are asked about; or half as
/// many as there are predicates, which would be asked about otherwise.
const FEW_MODELS: usize = 6;
/// More combinations than this are not enumerated at first; what is known then is the cartesian
/// abstraction and how predicates about the same variables are related.
const MAX_MODELS: usize = 250;
/// By how much the limit grows when that was not enough, and how far.
const MORE_MODELS: usize = 6;
const MAX_MODELS_EVER: usize = 60_000;
/// The same for a part of the predicates, and how many such parts.
const MAX_RELATED_MODELS: usize = 80;
const MAX_GROUPS: usize = 6;

pub struct Abstractions {
    pub kind: AbstractionKind,
    pub bdds: BddPool,
    /// More combinations than this are not enumerated.
    most_models: usize,
    /// Was this too few somewhere?
    is_inexact: bool,
    known: FxHashMap<(BlockId, Bdd, Vec<PredicateId>), Bdd>,
    conditions: FxHashMap<(PlaceId, Bdd), Vec<Term>>,
    /// Formulas that hold at places whatever the abstraction says.
    facts: FxHashMap<PlaceId, Vec<Term>>,
    /// Those that blocks are known to satisfy at their end too, before they are abstracted
    /// (Stieglmaier2016, section 5.1.2).
    facts_at_ends: FxHashMap<PlaceId, Vec<ExprId>>,
}

impl Abstractions {
    pub fn new(kind: AbstractionKind) -> Abstractions {
        Abstractions {
            kind,
            bdds: BddPool::default(),
            most_models: MAX_MODELS,
            is_inexact: false,
            known: FxHashMap::default(),
            conditions: FxHashMap::default(),
            facts: FxHashMap::default(),
            facts_at_ends: FxHashMap::default(),
        }
    }

    /// From now on every abstract state at the place is known to satisfy the formula (over the
    /// values at the beginning of blocks), and with `at_ends` abstractions of blocks that end there
    /// rely on it; `false` if it was known.
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

    /// From now on abstractions are more exact, if there is any that gave up; `false` if there is
    /// nothing to gain.
    pub fn enumerate_more(&mut self) -> bool {
        if !self.is_inexact || self.most_models >= MAX_MODELS_EVER {
            return false;
        }
        self.most_models *= MORE_MODELS;
        self.is_inexact = false;
        self.known.clear();
        true
    }

    pub fn facts(&self, place: PlaceId) -> &[Term] {
        self.facts.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Those of the facts that are part of path formulas: blocks that end at the place satisfy them
    /// before they are abstracted, and those that begin there begin with them.
    pub fn facts_at_ends(&self, place: PlaceId) -> &[ExprId] {
        self.facts_at_ends.get(&place).map_or(&[], Vec::as_slice)
    }

    /// What is known in the abstract state, as formulas over the values at the beginning of blocks:
    /// a conjunction.
    pub fn condition(
        &mut self,
        blocks: &mut SolverGraph<'_>,
        predicates: &mut Predicates,
        place: PlaceId,
        psi: Bdd,
    ) -> Vec<Term> {
        if let Some(known) = self.conditions.get(&(place, psi)) {
            return known.clone();
        }
        let mut conjuncts = self.formula(blocks, predicates, place, psi);
        conjuncts.extend(self.facts(place));
        self.conditions.insert((place, psi), conjuncts.clone());
        conjuncts
    }

    /// The same without the facts of the place.
    pub fn formula(
        &mut self,
        blocks: &mut SolverGraph<'_>,
        predicates: &mut Predicates,
        place: PlaceId,
        psi: Bdd,
    ) -> Vec<Term> {
        let mut terms: FxHashMap<u32, Term> = FxHashMap::default();
        for variable in self.bdds.support(psi) {
            let expr = predicates.expression(PredicateId(variable));
            // A predicate without a formula is never part of an abstraction.
            if let Some(term) = predicates.start_term(blocks, place, expr) {
                terms.insert(variable, term);
            }
        }
        let pool = blocks.pool();
        match self.bdds.cubes(psi, 1) {
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
        }
    }

    /// Can the block be passed from the abstract state?
    pub fn is_passable(
        &mut self,
        blocks: &mut SolverGraph<'_>,
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
        blocks: &mut SolverGraph<'_>,
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
        let begin = clock::now();
        statistics.abstractions += 1;
        let source = blocks.block(block).source;
        let mut assumptions = self.condition(blocks, predicates, source, psi);
        if let Target::Place(target) = blocks.block(block).target {
            for &fact in self.facts_at_ends(target) {
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
        let result = self.enumerate(blocks, predicates, block, &assumptions, &values, statistics);
        statistics.abstraction_time += clock::since(begin);
        let result = result?;
        self.known.insert(key, result);
        Ok(result)
    }

    fn enumerate(
        &mut self,
        blocks: &mut SolverGraph<'_>,
        predicates: &Predicates,
        block: BlockId,
        assumptions: &[Term],
        values: &[(PredicateId, Term)],
        statistics: &mut Statistics,
    ) -> Result<Bdd, Undecided> {
        let (solver, pool) = blocks.solver(block);
        let mut question = Question {
            solver,
            pool,
            given: assumptions,
            values,
            checks: 0,
            models: 0,
        };
        let result = self.answer(&mut question, predicates);
        statistics.abstraction_checks += question.checks;
        statistics.models += question.models;
        let (result, is_exact) = result?;
        statistics.given_up_abstractions += u64::from(!is_exact);
        Ok(result)
    }

    /// The abstraction, and whether it is exact as far as its kind goes.
    fn answer(
        &mut self,
        question: &mut Question<'_>,
        predicates: &Predicates,
    ) -> Result<(Bdd, bool), Undecided> {
        if !question.check(&[])? {
            return Ok((Bdd::FALSE, true));
        }
        let all: Vec<usize> = (0..question.values.len()).collect();
        let mut seen = Seen::new(all.len());
        // From most abstract states a block leads to few values only: then nothing is asked about
        // single predicates.
        let few = match self.kind {
            AbstractionKind::Boolean => self.most_models,
            AbstractionKind::BooleanAfterCartesian => FEW_MODELS.max(all.len() / 2),
            AbstractionKind::Cartesian => 0,
        };
        if let Some(found) = question.combinations(&mut self.bdds, &all, few, &mut seen)? {
            return Ok((found, true));
        }
        // For each predicate: does it, or its negation, always hold?
        let mut literals = Vec::new();
        let mut open = Vec::new();
        for &number in &all {
            let (predicate, term) = question.values[number];
            if seen.is_open(number) {
                open.push(number);
                continue;
            }
            let positive = seen.holds(number);
            let opposite = question.literal(term, !positive);
            if question.check(&[opposite])? {
                seen.note(question);
                open.push(number);
            } else {
                literals.push((predicate.0, positive));
            }
        }
        let cube = self.bdds.cube(&literals);
        if open.is_empty() || self.kind == AbstractionKind::Cartesian {
            return Ok((cube, true));
        }
        if self.kind == AbstractionKind::BooleanAfterCartesian
            && let Some(found) =
                question.combinations(&mut self.bdds, &open, self.most_models, &mut seen)?
        {
            return Ok((self.bdds.and(found, cube), true));
        }
        self.is_inexact = true;
        let relations = self.relations(question, predicates, &open, &mut seen)?;
        Ok((self.bdds.and(relations, cube), false))
    }

    /// Where there are too many combinations: those of predicates about the same variables,
    /// together with those about the variables that most predicates are about.
    fn relations(
        &mut self,
        question: &mut Question<'_>,
        predicates: &Predicates,
        open: &[usize],
        seen: &mut Seen,
    ) -> Result<Bdd, Undecided> {
        let mut groups: BTreeMap<Vec<VarId>, Vec<usize>> = BTreeMap::new();
        for &number in open {
            let expr = predicates.expression(question.values[number].0);
            let variables = vocabulary::variables_of(&predicates.exprs, expr);
            groups.entry(variables).or_default().push(number);
        }
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        let Some((main, others)) = groups.split_first() else {
            return Ok(Bdd::TRUE);
        };
        let mut result = Bdd::TRUE;
        if let Some(found) =
            question.combinations(&mut self.bdds, main, MAX_RELATED_MODELS, seen)?
        {
            result = found;
        }
        for group in others.iter().take(MAX_GROUPS) {
            let both = [main.as_slice(), group].concat();
            for related in [&both, group] {
                let found =
                    question.combinations(&mut self.bdds, related, MAX_RELATED_MODELS, seen)?;
                if let Some(found) = found {
                    result = self.bdds.and(result, found);
                    break;
                }
            }
        }
        Ok(result)
    }
}

/// What was seen of each predicate in models: true, false.
struct Seen(Vec<(bool, bool)>);

impl Seen {
    fn new(count: usize) -> Seen {
        Seen(vec![(false, false); count])
    }

    /// Both values were seen, or none could be told.
    fn is_open(&self, number: usize) -> bool {
        self.0[number] == (true, true)
    }

    fn holds(&self, number: usize) -> bool {
        self.0[number].0
    }

    fn note(&mut self, question: &mut Question<'_>) {
        for (number, &(_, term)) in question.values.iter().enumerate() {
            match question.solver.holds(question.pool, term) {
                Some(true) => self.0[number].0 = true,
                Some(false) => self.0[number].1 = true,
                None => self.0[number] = (true, true),
            }
        }
    }
}

/// Which values predicates have at the end of a block.
struct Question<'a> {
    solver: &'a mut dyn Solver,
    pool: &'a mut TermPool,
    /// The abstract state at the beginning.
    given: &'a [Term],
    values: &'a [(PredicateId, Term)],
    checks: u64,
    models: u64,
}

impl Question<'_> {
    fn check(&mut self, more: &[Term]) -> Result<bool, Undecided> {
        self.checks += 1;
        let assumptions = [self.given, more].concat();
        match self.solver.check(self.pool, &assumptions) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(reason) => Err(Undecided(reason.to_string())),
        }
    }

    fn literal(&mut self, term: Term, positive: bool) -> Term {
        if positive { term } else { self.pool.not(term) }
    }

    /// All combinations of the numbered values, or `None` if there are more than `most`.
    fn combinations(
        &mut self,
        bdds: &mut BddPool,
        numbers: &[usize],
        most: usize,
        seen: &mut Seen,
    ) -> Result<Option<Bdd>, Undecided> {
        self.solver.push();
        let mut found = Bdd::FALSE;
        let mut count = 0;
        let complete = loop {
            match self.check(&[]) {
                Ok(true) => {}
                Ok(false) => break Ok(true),
                Err(reason) => break Err(reason),
            }
            seen.note(self);
            if count == most {
                break Ok(false);
            }
            count += 1;
            let mut model = Vec::with_capacity(numbers.len());
            let mut terms = Vec::with_capacity(numbers.len());
            for &number in numbers {
                let (predicate, term) = self.values[number];
                let holds = self.solver.holds(self.pool, term) == Some(true);
                model.push((predicate.0, holds));
                terms.push(self.literal(term, holds));
            }
            let this = bdds.cube(&model);
            found = bdds.or(found, this);
            let blocked = self.pool.and_all(terms);
            let blocked = self.pool.not(blocked);
            self.solver.assert(self.pool, blocked);
        };
        self.solver.pop();
        self.models += count as u64;
        Ok(complete?.then_some(found))
    }
}
