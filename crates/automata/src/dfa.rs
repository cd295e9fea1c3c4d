//! Explicit deterministic automata that have a successor for every letter, and their complements.
//!
//! The table has a row for each state and a column for each letter. It serves small alphabets; what
//! trace abstraction keeps is a partial automaton, see [`crate::reduce()`].

use crate::alphabet::Letter;
use crate::interner::Interner;
use crate::nfa::{Nfa, State};
use crate::partition::coarsest;
use crate::post::Post;
use crate::subsets::Subsets;
use std::convert::Infallible;
use std::hash::Hash;

/// A complete deterministic automaton over the letters `0..letters`; it accepts words of these
/// only.
///
/// All states are reachable, and numbered in the order in which they are met from the first one,
/// letters ascending. So minimal automata are equal exactly if they accept the same words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dfa {
    letters: u32,
    accepting: Vec<bool>,
    /// Row by row; state 0 is initial.
    table: Vec<State>,
}

impl Dfa {
    /// Determinise and complete: accept the words over `0..letters` that the source accepts.
    pub fn new<P: Post>(source: P, letters: u32) -> Result<Dfa, P::Error> {
        let mut subsets = Subsets::new(source);
        let first = subsets.first()?;
        Dfa::from_first(letters, first, |set, next| {
            for letter in (0..letters).map(Letter) {
                next.push(subsets.post(set, letter)?);
            }
            subsets.accepts(set)
        })
    }

    /// Number what is reachable from the first state. `row` writes a state's successors and says
    /// whether it accepts.
    fn from_first<S: Copy + Eq + Hash, E>(
        letters: u32,
        first: S,
        mut row: impl FnMut(S, &mut Vec<S>) -> Result<bool, E>,
    ) -> Result<Dfa, E> {
        let mut states = Interner::default();
        states.intern(first);
        let (mut accepting, mut table) = (Vec::new(), Vec::new());
        let mut next = Vec::new();
        while let Some(&state) = states.get(accepting.len() as u32) {
            accepting.push(row(state, &mut next)?);
            table.extend(next.drain(..).map(|state| State(states.intern(state))));
        }
        Ok(Dfa {
            letters,
            accepting,
            table,
        })
    }

    /// The number of states.
    pub fn state_count(&self) -> usize {
        self.accepting.len()
    }

    /// Accept exactly the words over the same letters that are not accepted now.
    pub fn complement(mut self) -> Dfa {
        for accepts in &mut self.accepting {
            *accepts = !*accepts;
        }
        self
    }

    /// Merge equivalent states: no complete deterministic automaton with the same words has fewer.
    pub fn minimised(&self) -> Dfa {
        let classes = coarsest(&self.to_nfa());
        let mut member = vec![0; self.state_count()];
        for (state, class) in classes.iter().enumerate() {
            member[class.index()] = state;
        }
        let first = classes[0];
        let Ok(dfa) = Dfa::from_first(self.letters, first, |class: State, next| {
            let state = member[class.index()];
            let targets = self.row(state).iter();
            next.extend(targets.map(|target| classes[target.index()]));
            Ok::<_, Infallible>(self.accepting[state])
        });
        dfa
    }

    fn row(&self, state: usize) -> &[State] {
        let letters = self.letters as usize;
        &self.table[state * letters..][..letters]
    }

    pub fn to_nfa(&self) -> Nfa {
        let mut builder = Nfa::builder();
        builder.initial(State(0)).states(self.state_count());
        for source in 0..self.state_count() {
            let state = State(source as u32);
            if self.accepting[source] {
                builder.accepting(state);
            }
            for (letter, &target) in self.row(source).iter().enumerate() {
                builder.edge(state, Letter(letter as u32), target);
            }
        }
        builder.build()
    }
}
