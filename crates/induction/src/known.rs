//! Facts as those engines take them whose proofs are about loop heads.
//!
//! A proof hands over the facts that it used. What such an engine can say is about loop heads, so
//! of a map that speaks of other places too it takes what is inductive without them, or nothing.

use crate::graph::{BlockGraph, PlaceId, ROOT, Target};
use crate::hoare::{HoareChecker, Solvers, Step};
use cfa::expr::{ExprId, ExprPool};
use cfa::order::loop_heads;
use cfa::place::{CallPattern, Place};
use cfa::program::{LocId, Program};
use encoding::state::State;
use encoding::step::Encoder;
use facts::budget::{Budget, SolverBudget};
use facts::certificate::AnnotatedNode;
use facts::engine::Board;
use facts::invariants::InvariantMap;
use logic::{Term, TermPool};
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
        // A location that has statements for some calls has one for all, so that others can add to
        // it.
        let nodes = nodes.filter(|(_, place)| with_any.contains(&place.location));
        let nodes = nodes.map(|(said, place)| AnnotatedNode {
            calls: CallPattern::Exactly(place.calls.clone()),
            location: place.location,
            invariant: said.unwrap_or(nothing),
        });
        nodes.collect()
    }
}

/// Does what the map says of loop heads follow, from one loop head to the next, from what it says
/// of loop heads? In doubt, no.
fn is_inductive_at_heads(program: &Program, map: &InvariantMap, budget: &Budget) -> bool {
    let mut graph = BlockGraph::between_loop_heads(program);
    let solvers = budget.clone();
    let mut checker = HoareChecker::new(Solvers::Shared, &budget.stop, move || {
        solvers.make_solver(0)
    });
    let entry = graph.place(ROOT).clone();
    if loop_heads(program).contains(&entry.location) {
        // What is said of the start has to hold there like anywhere else.
        let start = graph.start(ROOT);
        let step = Step {
            key: u32::MAX,
            path: &[],
        };
        let Some(said) = said(graph.encoder(), map, &entry, &start) else {
            return false;
        };
        if !checker.check(graph.pool(), step, &[], said).is_valid() {
            return false;
        }
    }
    let mut next = 0;
    while next < graph.place_count() {
        let source = PlaceId(next as u32);
        next += 1;
        let (place, start) = (graph.place(source).clone(), graph.start(source));
        let assumed = match source {
            ROOT => Some(TermPool::TRUE),
            _ => said(graph.encoder(), map, &place, &start),
        };
        let Some(assumed) = assumed else {
            return false;
        };
        if assumed == TermPool::FALSE {
            // The map says that nobody comes there.
            continue;
        }
        let outgoing = graph.outgoing(source, &budget.stop);
        if budget.is_exhausted() {
            return false;
        }
        for &block in outgoing.iter() {
            let Target::Place(target) = graph.block(block).target else {
                continue;
            };
            let place = graph.place(target).clone();
            let claimed = graph.at_end(block, |encoder, state| said(encoder, map, &place, state));
            let Some(claimed) = claimed else {
                return false;
            };
            let path = graph.block(block).path.clone();
            let step = Step {
                key: block.0,
                path: &path,
            };
            if !checker
                .check(graph.pool(), step, &[assumed], claimed)
                .is_valid()
            {
                return false;
            }
        }
    }
    true
}

/// What the map says of a state; `None` if that has no formula.
fn said(
    encoder: &mut Encoder<'_>,
    map: &InvariantMap,
    place: &Place,
    state: &State,
) -> Option<Term> {
    let mut terms = Vec::new();
    for holds in map.at(&place.calls, place.location) {
        terms.push(encoder.holds(state, &map.pool, holds).ok()?);
    }
    Some(encoder.pool.and_all(terms))
}
