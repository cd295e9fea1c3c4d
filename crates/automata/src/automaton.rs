//! Automata given on demand: what every other file takes or is.

use crate::alphabet::Letter;
use crate::nfa::{Nfa, State};
use rustc_hash::FxHasher;
use std::convert::Infallible;
use std::hash::{Hash, Hasher};

/// A nondeterministic automaton whose states and transitions are computed when they are asked for.
///
/// Questions take `&mut self`, so that an automaton may ask a solver and keep what it heard, and
/// may fail: a solver gives up, or the time is over. The first error ends the operation that
/// asked.
///
/// Laws, as long as no question fails:
/// - The same question has the same answer, whatever was asked in between.
/// - `initial` and `successors` name no state twice.
/// - `letters(q)` ascends strictly, and has every letter for which `q` has a successor. It may have
///   others.
/// - If `subsumes(p, q)`, then every word accepted from `q` is accepted from `p`, and
///   `bucket(p) == bucket(q)`. It is reflexive and transitive.
pub trait Automaton {
    type State: Clone + Ord + Hash;
    type Error;

    fn initial(&mut self) -> Result<Vec<Self::State>, Self::Error>;

    fn is_accepting(&mut self, state: &Self::State) -> Result<bool, Self::Error>;

    /// Return the letters that may lead out of the state.
    fn letters(&mut self, state: &Self::State) -> Result<Vec<Letter>, Self::Error>;

    fn successors(
        &mut self,
        state: &Self::State,
        letter: Letter,
    ) -> Result<Vec<Self::State>, Self::Error>;

    /// Say whether what is accepted from `special` is known to be accepted from `general` too.
    fn subsumes(&self, general: &Self::State, special: &Self::State) -> bool {
        general == special
    }

    /// Return a number that states have in common where one subsumes the other.
    fn bucket(&self, state: &Self::State) -> u64 {
        hash(state)
    }
}

/// A number that depends on the value only, not on the run.
pub(crate) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Automaton for &Nfa {
    type State = State;
    type Error = Infallible;

    fn initial(&mut self) -> Result<Vec<State>, Infallible> {
        Ok(self.initial_states().to_vec())
    }

    fn is_accepting(&mut self, state: &State) -> Result<bool, Infallible> {
        Ok(self.accepts_at(*state))
    }

    fn letters(&mut self, state: &State) -> Result<Vec<Letter>, Infallible> {
        let mut letters: Vec<Letter> = self.edges(*state).iter().map(|edge| edge.0).collect();
        letters.dedup();
        Ok(letters)
    }

    fn successors(&mut self, state: &State, letter: Letter) -> Result<Vec<State>, Infallible> {
        let edges = self.edges_with(*state, letter);
        Ok(edges.iter().map(|edge| edge.1).collect())
    }
}

impl<A: Automaton + ?Sized> Automaton for &mut A {
    type State = A::State;
    type Error = A::Error;

    fn initial(&mut self) -> Result<Vec<A::State>, A::Error> {
        (**self).initial()
    }

    fn is_accepting(&mut self, state: &A::State) -> Result<bool, A::Error> {
        (**self).is_accepting(state)
    }

    fn letters(&mut self, state: &A::State) -> Result<Vec<Letter>, A::Error> {
        (**self).letters(state)
    }

    fn successors(&mut self, state: &A::State, letter: Letter) -> Result<Vec<A::State>, A::Error> {
        (**self).successors(state, letter)
    }

    fn subsumes(&self, general: &A::State, special: &A::State) -> bool {
        (**self).subsumes(general, special)
    }

    fn bucket(&self, state: &A::State) -> u64 {
        (**self).bucket(state)
    }
}
