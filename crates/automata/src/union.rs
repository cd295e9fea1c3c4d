//! The union of a growing number of automata: `L(A_0 ∪ … ∪ A_n) = L(A_0) ∪ … ∪ L(A_n)`.

use crate::alphabet::Letter;
use crate::automaton::{Automaton, hash};

/// The words that one of the automata accepts; a state is the number of an automaton and a state of
/// it, so that states keep their meaning when an automaton is added.
pub struct Union<A> {
    parts: Vec<A>,
}

impl<A> Default for Union<A> {
    fn default() -> Self {
        Union { parts: Vec::new() }
    }
}

impl<A> FromIterator<A> for Union<A> {
    fn from_iter<I: IntoIterator<Item = A>>(parts: I) -> Self {
        Union {
            parts: parts.into_iter().collect(),
        }
    }
}

impl<A> Union<A> {
    /// Add an automaton. What was computed from the union before, such as a [`crate::Difference`],
    /// is to be made anew.
    pub fn push(&mut self, part: A) {
        self.parts.push(part);
    }

    pub fn parts(&self) -> &[A] {
        &self.parts
    }
}

impl<A: Automaton> Automaton for Union<A> {
    type State = (u32, A::State);
    type Error = A::Error;

    fn initial(&mut self) -> Result<Vec<Self::State>, A::Error> {
        let mut all = Vec::new();
        for (number, part) in self.parts.iter_mut().enumerate() {
            all.extend((part.initial()?.into_iter()).map(|state| (number as u32, state)));
        }
        Ok(all)
    }

    fn is_accepting(&mut self, (number, state): &Self::State) -> Result<bool, A::Error> {
        match self.parts.get_mut(*number as usize) {
            Some(part) => part.is_accepting(state),
            None => Ok(false),
        }
    }

    fn letters(&mut self, (number, state): &Self::State) -> Result<Vec<Letter>, A::Error> {
        match self.parts.get_mut(*number as usize) {
            Some(part) => part.letters(state),
            None => Ok(Vec::new()),
        }
    }

    fn successors(
        &mut self,
        (number, state): &Self::State,
        letter: Letter,
    ) -> Result<Vec<Self::State>, A::Error> {
        let Some(part) = self.parts.get_mut(*number as usize) else {
            return Ok(Vec::new());
        };
        let next = part.successors(state, letter)?;
        Ok(next.into_iter().map(|state| (*number, state)).collect())
    }

    fn subsumes(&self, general: &Self::State, special: &Self::State) -> bool {
        general.0 == special.0
            && (self.parts.get(general.0 as usize))
                .is_some_and(|part| part.subsumes(&general.1, &special.1))
    }

    fn bucket(&self, (number, state): &Self::State) -> u64 {
        let part = self.parts.get(*number as usize);
        hash(&(*number, part.map(|part| part.bucket(state))))
    }
}
