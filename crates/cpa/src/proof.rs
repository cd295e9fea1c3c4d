//! A complete reached set as a proof: its states at loop heads, as program expressions.

use crate::composite::Whole;
use crate::formalism::{Cpa, Placed};
use crate::numeric::express::Writer;
use crate::place::Automaton;
use crate::reached::ReachedSet;
use cfa::expr::ExprId;
use cfa::place::CallPattern;
use facts::budget::Budget;
use facts::certificate::{AnnotatedGraph, AnnotatedNode};
use rustc_hash::FxHashMap;

/// An analysis whose states can be said as program expressions.
///
/// Law: the expression holds in exactly the concrete states that the abstract one stands for, or in more.
pub trait Expressible: Cpa {
    fn express(&self, state: &Self::State, writer: &mut Writer<'_>) -> ExprId;
}

/// States that are written between two looks at the clock.
const STATES_BETWEEN_CHECKS: usize = 256;

/// The annotation of the loop heads: for each place its states, one node each. `None` if the time is over.
pub fn annotation<C: Expressible>(
    automaton: &mut Automaton<'_>,
    cpa: &Whole<'_, C>,
    reached: &ReachedSet<<Whole<'_, C> as Cpa>::State, <Whole<'_, C> as Cpa>::Precision>,
    budget: &Budget,
) -> Option<AnnotatedGraph> {
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
    Some(AnnotatedGraph {
        pool: writer.pool,
        nodes,
    })
}
