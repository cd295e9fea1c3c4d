//! An automaton whose exploration can be stopped.

use crate::alphabet::Letter;
use crate::automaton::Automaton;

/// The same automaton, but before each question for successors a check may end the exploration with
/// an error: the time is over, too many states are known.
pub struct Watched<A, C> {
    automaton: A,
    check: C,
}

impl<A, C> Watched<A, C> {
    pub fn new(automaton: A, check: C) -> Self {
        Watched { automaton, check }
    }
}

impl<A, C, E> Automaton for Watched<A, C>
where
    A: Automaton,
    A::Error: Into<E>,
    C: FnMut() -> Result<(), E>,
{
    type State = A::State;
    type Error = E;

    fn initial(&mut self) -> Result<Vec<A::State>, E> {
        self.automaton.initial().map_err(Into::into)
    }

    fn is_accepting(&mut self, state: &A::State) -> Result<bool, E> {
        self.automaton.is_accepting(state).map_err(Into::into)
    }

    fn letters(&mut self, state: &A::State) -> Result<Vec<Letter>, E> {
        self.automaton.letters(state).map_err(Into::into)
    }

    fn successors(&mut self, state: &A::State, letter: Letter) -> Result<Vec<A::State>, E> {
        (self.check)()?;
        (self.automaton.successors(state, letter)).map_err(Into::into)
    }

    fn subsumes(&self, general: &A::State, special: &A::State) -> bool {
        self.automaton.subsumes(general, special)
    }

    fn bucket(&self, state: &A::State) -> u64 {
        self.automaton.bucket(state)
    }
}
