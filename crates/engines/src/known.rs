//! Facts as those engines take them whose proofs are about loop heads.
//!
//! A proof hands over the facts that it used. What such an engine can say is about loop heads, so of a map that speaks
//! of other places too it takes what is inductive without them, or nothing.

use crate::watch::Watch;
use cfa::expr::{ExprId, ExprPool};
use cfa::order::loop_heads;
use cfa::place::{CallPattern, Place};
use cfa::program::{LocId, Program};
use encoding::blocks::Blocks;
use encoding::state::State;
use facts::budget::{Budget, SolverBudget};
use facts::certificate::AnnotatedNode;
use facts::engine::Board;
use facts::invariants::InvariantMap;
use logic::{Solver, Term, TermPool};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

pub struct Known<'p> {
    program: &'p Program,
    heads: FxHashSet<LocId>,
    /// Those that are used, in the order in which they came.
    maps: Vec<Arc<InvariantMap>>,
    /// All that the board had, taken or not: while they are kept, their addresses tell them apart.
    seen: Vec<Arc<InvariantMap>>,
    addresses: FxHashSet<*const InvariantMap>,
}

impl<'p> Known<'p> {
    pub fn new(program: &'p Program) -> Known<'p> {
        Known {
            program,
            heads: loop_heads(program),
            maps: Vec::new(),
            seen: Vec::new(),
            addresses: FxHashSet::default(),
        }
    }

    pub fn maps(&self) -> &[Arc<InvariantMap>] {
        &self.maps
    }

    /// Takes what the board has had since the last time.
    pub fn read(&mut self, board: &dyn Board, budget: &Budget) {
        for map in board.facts().maps {
            if !self.addresses.insert(Arc::as_ptr(&map)) {
                continue;
            }
            let is_about_heads = map
                .entries
                .iter()
                .all(|entry| self.heads.contains(&entry.location));
            if is_about_heads || is_inductive_at_heads(self.program, &map, budget) {
                self.maps.push(map.clone());
            }
            self.seen.push(map);
        }
    }

    /// Takes a map of the engine's own. Its entries are about loop heads.
    pub fn add(&mut self, map: Arc<InvariantMap>) {
        self.maps.push(map);
    }

    /// What the maps of these numbers say of a place, as one statement.
    pub fn statement(
        &self,
        pool: &mut ExprPool,
        numbers: &BTreeSet<usize>,
        place: &Place,
    ) -> Option<ExprId> {
        let mut all: Option<ExprId> = None;
        for (number, map) in self.maps.iter().enumerate() {
            if !numbers.contains(&number) {
                continue;
            }
            for holds in map.at(&place.calls, place.location) {
                let holds = pool.import(&map.pool, holds);
                all = Some(all.map_or(holds, |all| pool.and(all, holds)));
            }
        }
        all
    }

    /// What the maps of these numbers say of the places, to be handed over.
    pub fn nodes(
        &self,
        pool: &mut ExprPool,
        numbers: &BTreeSet<usize>,
        places: &[&Place],
    ) -> Vec<AnnotatedNode> {
        let of_place = |place: &&Place| self.statement(pool, numbers, place);
        let said: Vec<Option<ExprId>> = places.iter().map(of_place).collect();
        let with_any: FxHashSet<LocId> = (said.iter().zip(places))
            .filter(|(said, _)| said.is_some())
            .map(|(_, place)| place.location)
            .collect();
        let nothing = pool.bool_constant(true);
        let nodes = said.into_iter().zip(places);
        // A location that has statements for some calls has one for all, so that others can add to it.
        let nodes = nodes.filter(|(_, place)| with_any.contains(&place.location));
        let nodes = nodes.map(|(said, place)| AnnotatedNode {
            calls: CallPattern::Exactly(place.calls.clone()),
            location: place.location,
            invariant: said.unwrap_or(nothing),
        });
        nodes.collect()
    }
}

/// Does what the map says of loop heads follow, from one loop head to the next, from what it says of loop heads? In
/// doubt, no.
fn is_inductive_at_heads(program: &Program, map: &InvariantMap, budget: &Budget) -> bool {
    let mut blocks = Blocks::new(program);
    let mut solver = budget.make_solver(0);
    let mut seen: BTreeSet<Place> = BTreeSet::new();
    let mut waiting: Vec<Place> = Vec::new();
    let mut layer = blocks.start();
    for (place, state) in &layer {
        if blocks.is_head(place.location) && !holds_in(&mut blocks, &mut *solver, map, place, state)
        {
            return false;
        }
    }
    loop {
        let advance = blocks.advance(&layer, &mut Watch(budget));
        if budget.is_exhausted() {
            return false;
        }
        for (place, state) in advance.next {
            if !holds_in(&mut blocks, &mut *solver, map, &place, &state) {
                return false;
            }
            if seen.insert(place.clone()) {
                waiting.push(place);
            }
        }
        let Some(place) = waiting.pop() else {
            return true;
        };
        layer = blocks.anywhere(&place);
        if let Some(state) = layer.get_mut(&place) {
            let Some(said) = said(&mut blocks, map, &place, state) else {
                return false;
            };
            match state.path.and(&mut blocks.encoder().pool, said) {
                Some(path) => state.path = path,
                // The map says that nobody comes there.
                None => layer.clear(),
            }
        }
    }
}

fn holds_in(
    blocks: &mut Blocks<'_>,
    solver: &mut dyn Solver,
    map: &InvariantMap,
    place: &Place,
    state: &State,
) -> bool {
    let Some(said) = said(blocks, map, place, state) else {
        return false;
    };
    let pool = &mut blocks.encoder().pool;
    let fails = pool.not(said);
    if fails == TermPool::FALSE {
        return true;
    }
    let mut conditions = state.path.conjuncts_after(0);
    conditions.push(fails);
    solver.check(pool, &conditions).is_unsat()
}

/// What the map says of a state; `None` if that has no formula.
fn said(blocks: &mut Blocks<'_>, map: &InvariantMap, place: &Place, state: &State) -> Option<Term> {
    let encoder = blocks.encoder();
    let mut terms = Vec::new();
    for holds in map.at(&place.calls, place.location) {
        terms.push(encoder.holds(state, &map.pool, holds).ok()?);
    }
    Some(encoder.pool.and_all(terms))
}
