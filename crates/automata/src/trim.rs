//! Trimming: the states that lie on the way to an accepting one.

use crate::nfa::{Nfa, State};

/// An automaton made from another one, and what became of the states of that one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    pub nfa: Nfa,
    /// For each state of the automaton before, its state now; none if it was left out.
    pub states: Vec<Option<State>>,
}

impl Image {
    /// Number the kept states without gaps, in their order.
    fn of_kept(nfa: &Nfa, is_kept: impl Fn(State) -> bool) -> Image {
        let mut count = 0;
        let states: Vec<Option<State>> = (nfa.states())
            .map(|state| {
                is_kept(state).then(|| {
                    count += 1;
                    State(count - 1)
                })
            })
            .collect();
        Image::new(nfa, count as usize, states)
    }

    /// Map each state to a new one, of which there are `count`.
    pub(crate) fn new(nfa: &Nfa, count: usize, states: Vec<Option<State>>) -> Image {
        Image {
            nfa: nfa.renumbered(count, |state| states[state.index()]),
            states,
        }
    }

    /// Follow the states of the automaton before through one step more.
    pub(crate) fn then(self, next: Image) -> Image {
        let step = |state: Option<State>| state.and_then(|state| next.states[state.index()]);
        Image {
            states: self.states.into_iter().map(step).collect(),
            nfa: next.nfa,
        }
    }
}

/// Keep the states that an initial state reaches and that reach an accepting one.
///
/// Laws: the same words are accepted; the states keep their order; trimming again changes nothing.
pub fn trim(nfa: &Nfa) -> Image {
    let forwards = reachable(nfa);
    let backwards = reachable(&nfa.reversed());
    Image::of_kept(nfa, |state| {
        forwards[state.index()] && backwards[state.index()]
    })
}

/// For each state, whether an initial state reaches it.
fn reachable(nfa: &Nfa) -> Vec<bool> {
    let mut is_reached = vec![false; nfa.len()];
    let mut work = nfa.initial_states().to_vec();
    while let Some(state) = work.pop() {
        if !std::mem::replace(&mut is_reached[state.index()], true) {
            work.extend(nfa.edges(state).iter().map(|edge| edge.1));
        }
    }
    is_reached
}
