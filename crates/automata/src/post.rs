//! Automata given by what they do to sets of states: the determinisation, computed by the user.

use crate::alphabet::Letter;
use crate::automaton::Automaton;
use crate::nfa::State;
use std::hash::Hash;

/// A set of words, given by sets of elements and the sets that letters make of them.
///
/// Every [`Automaton`] is one, with its states as elements. A user whose transitions are
/// expensive writes one of their own. In trace abstraction an element is a predicate, a set means
/// that all of its predicates hold, and `post` returns the predicates whose Hoare triples are
/// valid: it sees the whole set, so that a solver may use the conjunction, and it may fail.
///
/// Sets are handed over sorted and without duplicates, and may be returned in any order.
///
/// Laws, as long as no question fails:
/// - The same question has the same answer.
/// - A larger set accepts no less: if `S ⊆ T`, every word accepted from `S` is accepted from `T`.
///   For this it is enough that `post` and `accepts` are monotone.
/// - If `accepts_all(S)`, every word is accepted from `S`.
pub trait Post {
    type Element: Clone + Ord + Hash;
    type Error;

    /// Return the set before the first letter.
    fn first(&mut self) -> Result<Vec<Self::Element>, Self::Error>;

    /// Return the set behind a letter.
    fn post(
        &mut self,
        set: &[Self::Element],
        letter: Letter,
    ) -> Result<Vec<Self::Element>, Self::Error>;

    /// Say whether the words that lead to the set are accepted.
    fn accepts(&mut self, set: &[Self::Element]) -> Result<bool, Self::Error>;

    /// Say whether every word is known to be accepted from the set on, so that nobody need look
    /// beyond it.
    fn accepts_all(&mut self, set: &[Self::Element]) -> Result<bool, Self::Error> {
        let _ = set;
        Ok(false)
    }
}

impl<A: Automaton> Post for A {
    type Element = A::State;
    type Error = A::Error;

    fn first(&mut self) -> Result<Vec<A::State>, A::Error> {
        self.initial()
    }

    fn post(&mut self, set: &[A::State], letter: Letter) -> Result<Vec<A::State>, A::Error> {
        let mut next = Vec::new();
        for state in set {
            next.extend(self.successors(state, letter)?);
        }
        Ok(next)
    }

    fn accepts(&mut self, set: &[A::State]) -> Result<bool, A::Error> {
        for state in set {
            if self.is_accepting(state)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Sets computed by a function, with one accepting element that every letter keeps.
///
/// So is the predicate `false` of Floyd–Hoare automata: what follows an infeasible trace is
/// infeasible. The function is not asked beyond sets that have it. It must be monotone.
pub struct Absorbing<F> {
    first: Vec<State>,
    absorbing: State,
    post: F,
}

impl<F> Absorbing<F> {
    pub fn new(first: Vec<State>, absorbing: State, post: F) -> Self {
        Absorbing {
            first,
            absorbing,
            post,
        }
    }
}

impl<F, E> Post for Absorbing<F>
where
    F: FnMut(&[State], Letter) -> Result<Vec<State>, E>,
{
    type Element = State;
    type Error = E;

    fn first(&mut self) -> Result<Vec<State>, E> {
        Ok(self.first.clone())
    }

    fn post(&mut self, set: &[State], letter: Letter) -> Result<Vec<State>, E> {
        if set.contains(&self.absorbing) {
            return Ok(vec![self.absorbing]);
        }
        (self.post)(set, letter)
    }

    fn accepts(&mut self, set: &[State]) -> Result<bool, E> {
        Ok(set.contains(&self.absorbing))
    }

    fn accepts_all(&mut self, set: &[State]) -> Result<bool, E> {
        self.accepts(set)
    }
}
