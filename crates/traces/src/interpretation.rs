//! The abstract interpretation module (figure 6), and the data automaton that it makes (section 3.1).
//!
//! | figure 6 | here |
//! |---|---|
//! | does `τ` contain a loop? | [`ProgramAutomaton::is_in_loop`] of one of its blocks |
//! | is `P#_τ` new? | [`PathPrograms::seen`] |
//! | fixpoint | [`generate_on`] the path program's edges |
//! | safe: `A_AI` | [`PathPrograms::automaton`] |
//! | unknown | no automaton: the caller generalises the trace itself |

use crate::data::{Constants, DataAutomaton, Transitions};
use crate::options::{Enhancement, Options};
use crate::program::ProgramAutomaton;
use absint::invariants::{InvariantOptions, Invariants, generate_on};
use cfa::expr::ExprId;
use cfa::place::{CallPattern, Place};
use cfa::program::EdgeId;
use facts::budget::Budget;
use predicate::blocks::{BlockId, Target};
use predicate::path_program::edges_of;
use predicate::refutation::Refuter;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::time::Duration;

/// The part of the time left that one path program may take.
const FRACTION: f64 = 0.2;

/// The path programs that were met.
#[derive(Default)]
pub struct PathPrograms {
    /// Each by its blocks.
    seen: FxHashSet<BTreeSet<BlockId>>,
    /// Path programs that were given to an abstract interpretation.
    pub interpreted: u64,
    /// Those that one has proved.
    pub proved: u64,
}

impl PathPrograms {
    /// The automaton of all traces of the path program, if it is new, has a loop, and is proved safe.
    pub fn interpret(
        &mut self,
        refuter: &mut Refuter<'_>,
        program: &ProgramAutomaton,
        path: &[BlockId],
        constants: Constants,
        options: &Options,
        budget: &Budget,
    ) -> Option<DataAutomaton> {
        if options.interpretations.is_empty()
            || !path.iter().any(|&block| program.is_in_loop(block))
        {
            return None;
        }
        let blocks: BTreeSet<BlockId> = path.iter().copied().collect();
        if !self.seen.insert(blocks.clone()) {
            return None;
        }
        let list: Vec<BlockId> = blocks.iter().copied().collect();
        let edges = edges_of(refuter.graph(), &list)?;
        self.interpreted += 1;
        let most = Duration::try_from_secs_f64(options.interpretation_time).unwrap_or_default();
        for interpretation in &options.interpretations {
            let left = budget.left().map(|left| left.mul_f64(FRACTION));
            let budget = budget.within(left.map_or(most, |left| left.min(most)));
            if let Some(found) = fixpoint(refuter, &edges, interpretation, &budget) {
                self.proved += 1;
                return Some(automaton(
                    refuter, program, &blocks, &found, constants, options,
                ));
            }
        }
        None
    }
}

/// The fixpoint of the path program, if it shows that the error is not reached.
fn fixpoint(
    refuter: &mut Refuter<'_>,
    edges: &FxHashSet<EdgeId>,
    options: &InvariantOptions,
    budget: &Budget,
) -> Option<Invariants> {
    let options = InvariantOptions {
        everywhere: true,
        ..options.clone()
    };
    let found = generate_on(refuter.graph().program(), edges, &options, budget).ok()?;
    found.is_proof.then_some(found)
}

/// One state for each formula of the fixpoint, and the transitions of the path program between them.
fn automaton(
    refuter: &mut Refuter<'_>,
    program: &ProgramAutomaton,
    blocks: &BTreeSet<BlockId>,
    found: &Invariants,
    constants: Constants,
    options: &Options,
) -> DataAutomaton {
    let (graph, predicates) = refuter.parts();
    let mut formulas: FxHashMap<Place, ExprId> = FxHashMap::default();
    for entry in &found.map.entries {
        if let CallPattern::Exactly(calls) = &entry.calls {
            let holds = predicates.exprs.import(&found.map.pool, entry.holds);
            let place = Place {
                calls: calls.clone(),
                location: entry.location,
            };
            formulas.insert(place, holds);
        }
    }
    // What the fixpoint has no state for is not reached.
    let formula = |place: &Place| formulas.get(place).copied().unwrap_or(constants.falsity);
    let mut transitions: FxHashMap<_, Vec<ExprId>> = FxHashMap::default();
    let mut states: BTreeSet<ExprId> = BTreeSet::from([constants.falsity]);
    for &block in blocks {
        let from = formula(graph.place(graph.block(block).source));
        let to = match graph.block(block).target {
            Target::Place(place) => formula(graph.place(place)),
            Target::Error(_) | Target::Beyond(_) => constants.falsity,
        };
        states.extend([from, to]);
        let targets = transitions
            .entry((from, program.letter(block)))
            .or_default();
        if !targets.contains(&to) {
            targets.push(to);
        }
    }
    states.remove(&constants.truth);
    // Where formulas say less than the states did, their triples are to be checked.
    let transitions = match options.enhanced {
        Enhancement::Off if !found.lost => Transitions::Given(transitions),
        _ => Transitions::OnDemand,
    };
    DataAutomaton {
        predicates: states.into_iter().collect(),
        transitions,
    }
}
