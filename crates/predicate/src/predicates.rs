//! Predicates and precisions: which predicates abstractions are made of, and where.

use cfa::expr::{ExprId, ExprPool};
use cfa::program::{FuncId, LocId, Program};
use encoding::vocabulary;
use induction::graph::PlaceId;
use induction::solver_graph::SolverGraph;
use logic::Term;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A predicate, and at the same time its variable in decision diagrams.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PredicateId(pub u32);

/// For which places a predicate that was found at one location is used (Stieglmaier2016,
/// section 5.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// At that location only.
    #[default]
    Location,
    /// At all locations of its function.
    Function,
    /// At all locations.
    Global,
}

/// All predicates ever used, as expressions, and their formulas.
pub struct Predicates {
    /// Holds the predicates; an extension of the program's own.
    pub exprs: ExprPool,
    list: Vec<ExprId>,
    numbers: FxHashMap<ExprId, PredicateId>,
    at_start: FxHashMap<(PlaceId, ExprId), Option<Term>>,
    at_end: FxHashMap<(induction::graph::BlockId, ExprId), Option<Term>>,
}

impl Predicates {
    pub fn new(program: &Program) -> Predicates {
        Predicates {
            exprs: program.pool.clone(),
            list: Vec::new(),
            numbers: FxHashMap::default(),
            at_start: FxHashMap::default(),
            at_end: FxHashMap::default(),
        }
    }

    /// The predicate that an atom (see [`vocabulary::atom`]) is.
    pub fn number(&mut self, atom: ExprId) -> PredicateId {
        if let Some(&known) = self.numbers.get(&atom) {
            return known;
        }
        let id = PredicateId(self.list.len() as u32);
        self.list.push(atom);
        self.numbers.insert(atom, id);
        id
    }

    pub fn count(&self) -> usize {
        self.list.len()
    }

    pub fn expression(&self, id: PredicateId) -> ExprId {
        self.list[id.0 as usize]
    }

    /// Are all local variables of the expression those of functions that are active at the place?
    pub fn is_about(&self, blocks: &SolverGraph<'_>, place: PlaceId, expr: ExprId) -> bool {
        let variables = vocabulary::variables_of(&self.exprs, expr);
        variables.into_iter().all(|var| {
            let function = blocks.program().var(var).function;
            function.is_none_or(|function| blocks.is_active(place, function))
        })
    }

    /// The expression's formula over the values at the beginning of blocks from the place.
    pub fn start_term(
        &mut self,
        blocks: &mut SolverGraph<'_>,
        place: PlaceId,
        expr: ExprId,
    ) -> Option<Term> {
        if let Some(known) = self.at_start.get(&(place, expr)) {
            return *known;
        }
        let term = match self.is_about(blocks, place, expr) {
            true => {
                let state = blocks.start(place);
                let encoder = &mut blocks.unwinder.encoder;
                encoder.holds(&state, &self.exprs, expr).ok()
            }
            false => None,
        };
        self.at_start.insert((place, expr), term);
        term
    }

    /// The expression's formula in the state at the end of a block.
    pub fn end_term(
        &mut self,
        blocks: &mut SolverGraph<'_>,
        block: induction::graph::BlockId,
        expr: ExprId,
    ) -> Option<Term> {
        if let Some(known) = self.at_end.get(&(block, expr)) {
            return *known;
        }
        let induction::graph::Target::Place(target) = blocks.block(block).target else {
            return None;
        };
        let term = match self.is_about(blocks, target, expr) {
            true => blocks.at_end(block, |encoder, state| {
                encoder.holds(state, &self.exprs, expr).ok()
            }),
            false => None,
        };
        self.at_end.insert((block, expr), term);
        term
    }
}

/// Which predicates are tracked where. Grows only.
#[derive(Clone, Debug, Default)]
pub struct Precision {
    locations: FxHashMap<LocId, Vec<PredicateId>>,
    functions: FxHashMap<FuncId, Vec<PredicateId>>,
    everywhere: Vec<PredicateId>,
}

fn insert(list: &mut Vec<PredicateId>, predicate: PredicateId) -> bool {
    match list.binary_search(&predicate) {
        Ok(_) => false,
        Err(position) => {
            list.insert(position, predicate);
            true
        }
    }
}

impl Precision {
    /// Adds a predicate that was found at a location; `false` if it was there.
    pub fn add(
        &mut self,
        program: &Program,
        scope: Scope,
        location: LocId,
        predicate: PredicateId,
    ) -> bool {
        let list = match scope {
            Scope::Location => self.locations.entry(location).or_default(),
            Scope::Function => {
                let function = program.location(location).function;
                self.functions.entry(function).or_default()
            }
            Scope::Global => &mut self.everywhere,
        };
        insert(list, predicate)
    }

    /// The predicates at a location, ascending.
    pub fn at(&self, program: &Program, location: LocId) -> Vec<PredicateId> {
        let function = program.location(location).function;
        let none = Vec::new();
        let mut all = self.everywhere.clone();
        all.extend(self.functions.get(&function).unwrap_or(&none));
        all.extend(self.locations.get(&location).unwrap_or(&none));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How many predicates each of the locations has, without those that have none; for statistics.
    pub fn counts(&self, program: &Program, locations: impl Iterator<Item = LocId>) -> Vec<usize> {
        locations
            .map(|location| self.at(program, location).len())
            .filter(|&count| count > 0)
            .collect()
    }
}
