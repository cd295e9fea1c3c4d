//! The product of two automata: `L(A × B) = L(A) ∩ L(B)`.

use crate::alphabet::Letter;
use crate::automaton::{Automaton, hash};

/// The words that both automata accept; a state is a state of each.
pub struct Product<A, B> {
    left: A,
    right: B,
}

impl<A: Automaton, B: Automaton<Error = A::Error>> Product<A, B> {
    pub fn new(left: A, right: B) -> Self {
        Product { left, right }
    }
}

/// All pairs, the left component slowest.
fn pairs<P: Clone, Q: Clone>(left: &[P], right: &[Q]) -> Vec<(P, Q)> {
    (left.iter())
        .flat_map(|p| right.iter().map(move |q| (p.clone(), q.clone())))
        .collect()
}

impl<A: Automaton, B: Automaton<Error = A::Error>> Automaton for Product<A, B> {
    type State = (A::State, B::State);
    type Error = A::Error;

    fn initial(&mut self) -> Result<Vec<Self::State>, A::Error> {
        Ok(pairs(&self.left.initial()?, &self.right.initial()?))
    }

    fn is_accepting(&mut self, state: &Self::State) -> Result<bool, A::Error> {
        Ok(self.left.is_accepting(&state.0)? && self.right.is_accepting(&state.1)?)
    }

    fn letters(&mut self, state: &Self::State) -> Result<Vec<Letter>, A::Error> {
        let mut letters = self.left.letters(&state.0)?;
        let right = self.right.letters(&state.1)?;
        letters.retain(|letter| right.binary_search(letter).is_ok());
        Ok(letters)
    }

    fn successors(
        &mut self,
        state: &Self::State,
        letter: Letter,
    ) -> Result<Vec<Self::State>, A::Error> {
        let left = self.left.successors(&state.0, letter)?;
        if left.is_empty() {
            return Ok(Vec::new());
        }
        Ok(pairs(&left, &self.right.successors(&state.1, letter)?))
    }

    fn subsumes(&self, general: &Self::State, special: &Self::State) -> bool {
        self.left.subsumes(&general.0, &special.0) && self.right.subsumes(&general.1, &special.1)
    }

    fn bucket(&self, state: &Self::State) -> u64 {
        hash(&(self.left.bucket(&state.0), self.right.bucket(&state.1)))
    }
}
