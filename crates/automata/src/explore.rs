//! Automata on demand made explicit.

use crate::automaton::Automaton;
use crate::interner::Interner;
use crate::nfa::{Nfa, State};

/// The explicit automaton, and what its states stand for.
#[derive(Clone, Debug)]
pub struct Explored<S> {
    pub nfa: Nfa,
    /// By the numbers of the states.
    pub states: Vec<S>,
}

/// Make all reachable states explicit, numbered in the order in which they are met: first those
/// that few letters lead to.
///
/// Law: the explicit automaton accepts the same words. A state that subsumes another one does not
/// take its place: it accepts more.
pub fn explore<A: Automaton>(automaton: &mut A) -> Result<Explored<A::State>, A::Error> {
    let mut states = Interner::default();
    let mut builder = Nfa::builder();
    for state in automaton.initial()? {
        builder.initial(State(states.intern(state)));
    }
    let mut source = 0;
    while let Some(state) = states.get(source).cloned() {
        if automaton.is_accepting(&state)? {
            builder.accepting(State(source));
        }
        for letter in automaton.letters(&state)? {
            for target in automaton.successors(&state, letter)? {
                builder.edge(State(source), letter, State(states.intern(target)));
            }
        }
        source += 1;
    }
    Ok(Explored {
        nfa: builder.build(),
        states: states.into_values(),
    })
}
