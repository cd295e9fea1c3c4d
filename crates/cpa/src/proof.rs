//! A complete reached set as a proof, or as facts for others: its states at loop heads, as program
//! expressions.

use crate::composite::Whole;
use crate::formalism::{Cpa, Placed};
use crate::reached::ReachedSet;
use absint::numeric::express::Writer;
use absint::place::Automaton;
use cfa::expr::ExprId;
use cfa::place::CallPattern;
use facts::budget::Budget;
use facts::certificate::{AnnotatedGraph, AnnotatedNode};
use facts::invariants::Invariant;
use rustc_hash::FxHashMap;

/// An analysis whose states can be said as program expressions.
///
/// Law: the expression holds in exactly the concrete states that the abstract one stands for, or in
/// more; in the latter case the writer is told ([`Writer::lose`]).
pub trait Expressible: Cpa {
    fn express(&self, state: &Self::State, writer: &mut Writer<'_>) -> ExprId;
}

/// States that are written between two looks at the clock.
const STATES_BETWEEN_CHECKS: usize = 256;

/// The annotation of the loop heads: for each place its states, one node each; and whether
/// something of them could not be said. `None` if the time is over.
pub fn annotation<C: Expressible>(
    automaton: &mut Automaton<'_>,
    cpa: &Whole<'_, C>,
    reached: &ReachedSet<<Whole<'_, C> as Cpa>::State, <Whole<'_, C> as Cpa>::Precision>,
    budget: &Budget,
) -> Option<(AnnotatedGraph, bool)> {
    let mut writer = Writer::new(automaton.program);
    let mut nodes = Vec::new();
    for place in reached.places() {
        if !automaton.is_loop_head(place.location) {
            continue;
        }
        let calls = CallPattern::Exactly(automaton.stacks.call_string(place.stack));
        let mut said: FxHashMap<ExprId, ()> = FxHashMap::default();
        for (number, &node) in reached.at(place).iter().enumerate() {
            if number % STATES_BETWEEN_CHECKS == 0 && budget.is_exhausted() {
                return None;
            }
            let state = reached.state(node);
            debug_assert_eq!(state.place(), place);
            let invariant = cpa.second.express(&state.1, &mut writer);
            if said.insert(invariant, ()).is_none() {
                nodes.push(AnnotatedNode {
                    calls: calls.clone(),
                    location: place.location,
                    invariant,
                });
            }
        }
    }
    let lost = writer.take_lost();
    let graph = AnnotatedGraph {
        pool: writer.pool,
        nodes,
    };
    Some((graph, lost))
}

/// What facts may cost those who read them.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// States at all loop heads together.
    pub states: usize,
    /// Parts of expressions that the program does not have.
    pub parts: usize,
}

/// For each loop head the disjunction of its states, if the reached set is complete; `None` if
/// there are too many.
///
/// A part of them would not do: a map with gaps need not be inductive.
pub fn disjunctions<C: Expressible>(
    automaton: &mut Automaton<'_>,
    cpa: &Whole<'_, C>,
    reached: &ReachedSet<<Whole<'_, C> as Cpa>::State, <Whole<'_, C> as Cpa>::Precision>,
    writer: &mut Writer<'_>,
    most: Size,
) -> Option<Vec<Invariant>> {
    let mut places = reached.places();
    places.retain(|place| automaton.is_loop_head(place.location));
    let states: usize = places.iter().map(|&place| reached.at(place).len()).sum();
    if states > most.states {
        return None;
    }
    let before = writer.pool.len();
    let mut entries = Vec::new();
    for place in places {
        let mut holds = writer.pool.bool_constant(false);
        for &node in reached.at(place) {
            let state = cpa.second.express(&reached.state(node).1, writer);
            holds = writer.pool.or(holds, state);
            if writer.pool.len() - before > most.parts {
                return None;
            }
        }
        entries.push(Invariant {
            calls: CallPattern::Exactly(automaton.stacks.call_string(place.stack)),
            location: place.location,
            holds,
        });
    }
    Some(entries)
}
