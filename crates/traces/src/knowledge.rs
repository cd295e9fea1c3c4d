//! What other analyses have proved, where statements begin.
//!
//! A fact is about a place, a triple about a statement. So a triple may rely on what is known at
//! all places where its statement begins, and the proof says it at every place.
//!
//! A map of facts may speak of places inside of blocks too. What it says of the places between
//! blocks is taken if that alone is inductive: then it can stand in an annotation of them.

use crate::program::ProgramAutomaton;
use automata::Letter;
use cfa::expr::ExprId;
use facts::budget::Budget;
use facts::engine::Board;
use facts::invariants::InvariantMap;
use induction::graph::{BlockId, PlaceId, ROOT, Target};
use logic::Answer;
use predicate::refutation::Refuter;
use rustc_hash::FxHashMap;

#[derive(Default)]
pub struct Facts {
    /// How many of the board's maps were looked at.
    seen: usize,
    /// What is known at places between blocks; the start is none.
    of_place: FxHashMap<PlaceId, Vec<ExprId>>,
}

impl Facts {
    pub fn at(&self, place: PlaceId) -> &[ExprId] {
        self.of_place.get(&place).map_or(&[], Vec::as_slice)
    }

    pub fn len(&self) -> usize {
        self.of_place.values().map(Vec::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes what the board has had since the last time; says whether there is anything new.
    pub fn read(
        &mut self,
        refuter: &mut Refuter<'_>,
        program: &ProgramAutomaton,
        board: &dyn Board,
        budget: &Budget,
    ) -> bool {
        if board.version() == self.seen {
            return false;
        }
        let maps = board.facts().maps;
        let before = self.len();
        for map in maps.iter().skip(self.seen) {
            if budget.is_exhausted() {
                break;
            }
            self.take(refuter, program, map);
        }
        self.seen = maps.len();
        self.len() > before
    }

    fn take(&mut self, refuter: &mut Refuter<'_>, program: &ProgramAutomaton, map: &InvariantMap) {
        let mut said: FxHashMap<PlaceId, Vec<ExprId>> = FxHashMap::default();
        let (graph, predicates) = refuter.parts();
        for number in 0..graph.place_count() as u32 {
            let id = PlaceId(number);
            let place = graph.place(id).clone();
            let mut here = Vec::new();
            for holds in map.at(&place.calls, place.location) {
                let holds = predicates.exprs.import(&map.pool, holds);
                if predicates.start_term(graph, id, holds).is_none() {
                    return;
                }
                here.push(holds);
            }
            if id != ROOT && !here.is_empty() {
                said.insert(id, here);
            }
        }
        if said.is_empty() || !is_inductive(refuter, program, &said) {
            return;
        }
        for (place, new) in said {
            let known = self.of_place.entry(place).or_default();
            for fact in new {
                if !known.contains(&fact) {
                    known.push(fact);
                }
            }
        }
    }

    /// What is known wherever the statement begins.
    pub fn of_letters(
        &self,
        refuter: &mut Refuter<'_>,
        program: &ProgramAutomaton,
    ) -> FxHashMap<Letter, Vec<ExprId>> {
        let mut found: FxHashMap<Letter, Vec<ExprId>> = FxHashMap::default();
        for (block, letter) in program.blocks() {
            let here = self.at(refuter.graph().block(block).source);
            match found.get_mut(&letter) {
                Some(known) => known.retain(|fact| here.contains(fact)),
                None => {
                    found.insert(letter, here.to_vec());
                }
            }
        }
        found
    }
}

/// Does every block keep what is said? In doubt, no.
fn is_inductive(
    refuter: &mut Refuter<'_>,
    program: &ProgramAutomaton,
    said: &FxHashMap<PlaceId, Vec<ExprId>>,
) -> bool {
    let blocks: Vec<BlockId> = program.blocks().map(|(block, _)| block).collect();
    for block in blocks {
        let (graph, predicates) = refuter.parts();
        let source = graph.block(block).source;
        let Target::Place(target) = graph.block(block).target else {
            continue;
        };
        let Some(claimed) = said.get(&target) else {
            continue;
        };
        let mut assumed = Vec::new();
        for &fact in said.get(&source).into_iter().flatten() {
            assumed.extend(predicates.start_term(graph, source, fact));
        }
        for &fact in claimed {
            let Some(end) = predicates.end_term(graph, block, fact) else {
                return false;
            };
            let negated = graph.pool().not(end);
            let (solver, pool) = graph.solver(block);
            let mut assumptions = assumed.clone();
            assumptions.push(negated);
            if solver.check(pool, &assumptions) != Answer::Unsat {
                return false;
            }
        }
    }
    true
}
