//! The difference on demand: `L(A \ B) = L(A) \ L(B)` without the complement of `B`.
//!
//! Heizmann2009: M. Heizmann, J. Hoenicke, A. Podelski: Refinement of Trace Abstraction, SAS 2009;
//! the order of states is that of M. De Wulf, L. Doyen, T. Henzinger, J.-F. Raskin: Antichains: A
//! New Algorithm for Checking Universality of Finite Automata, CAV 2006.
//!
//! | there | here |
//! |---|---|
//! | `A`, the minuend | any [`Automaton`] |
//! | `B`, the subtrahend, determinised where it is needed | any [`Post`], in [`Subsets`] |
//! | `(q, S)`: `A` is in `q`, `B` may be in each state of `S` | `(A::State, SetId)` |
//! | `(q, S)` is subsumed by `(q, S')` if `S' ⊆ S` | [`Automaton::subsumes`] |
//!
//! The smaller set subsumes: it removes fewer words.

use crate::alphabet::Letter;
use crate::automaton::Automaton;
use crate::post::Post;
use crate::subsets::{SetId, Subsets};

/// The words of an automaton that a [`Post`] does not accept.
pub struct Difference<A, P: Post> {
    minuend: A,
    subtrahend: Subsets<P>,
}

impl<A: Automaton, P: Post> Difference<A, P>
where
    A::Error: Into<P::Error>,
{
    pub fn new(minuend: A, subtrahend: P) -> Self {
        Difference {
            minuend,
            subtrahend: Subsets::new(subtrahend),
        }
    }

    /// The elements of the second component of a state, ascending.
    pub fn elements(&self, set: SetId) -> &[P::Element] {
        self.subtrahend.elements(set)
    }

    /// Give both operands back.
    pub fn into_parts(self) -> (A, P) {
        (self.minuend, self.subtrahend.into_source())
    }

    /// Join the states to the set; none if no word is left beyond it.
    fn with_set(
        &mut self,
        states: Vec<A::State>,
        set: SetId,
    ) -> Result<Vec<(A::State, SetId)>, P::Error> {
        if self.subtrahend.accepts_all(set)? {
            return Ok(Vec::new());
        }
        Ok(states.into_iter().map(|state| (state, set)).collect())
    }
}

impl<A: Automaton, P: Post> Automaton for Difference<A, P>
where
    A::Error: Into<P::Error>,
{
    type State = (A::State, SetId);
    type Error = P::Error;

    fn initial(&mut self) -> Result<Vec<Self::State>, P::Error> {
        let states = self.minuend.initial().map_err(Into::into)?;
        let first = self.subtrahend.first()?;
        self.with_set(states, first)
    }

    fn is_accepting(&mut self, (state, set): &Self::State) -> Result<bool, P::Error> {
        let accepts = self.minuend.is_accepting(state).map_err(Into::into)?;
        Ok(accepts && !self.subtrahend.accepts(*set)?)
    }

    fn letters(&mut self, (state, _): &Self::State) -> Result<Vec<Letter>, P::Error> {
        self.minuend.letters(state).map_err(Into::into)
    }

    fn successors(
        &mut self,
        (state, set): &Self::State,
        letter: Letter,
    ) -> Result<Vec<Self::State>, P::Error> {
        let states = (self.minuend.successors(state, letter)).map_err(Into::into)?;
        if states.is_empty() {
            return Ok(Vec::new());
        }
        let next = self.subtrahend.post(*set, letter)?;
        self.with_set(states, next)
    }

    fn subsumes(&self, general: &Self::State, special: &Self::State) -> bool {
        self.minuend.subsumes(&general.0, &special.0)
            && self.subtrahend.is_subset(general.1, special.1)
    }

    fn bucket(&self, (state, _): &Self::State) -> u64 {
        self.minuend.bucket(state)
    }
}
