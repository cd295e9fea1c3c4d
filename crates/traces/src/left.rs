//! What is left of the program's words.

use crate::data::{DataAutomaton, Single};
use crate::engine::{Abstraction, NAME};
use automata::{Difference, Letter, Nfa, Watched, explore, reduce};
use facts::engine::Reason;

/// Transitions of one difference that are looked at; beyond, the program is given up.
const MAX_STEPS: usize = 1_000_000;

impl Abstraction<'_, '_> {
    /// What is left without the words of the automaton, made small.
    pub(crate) fn subtract(
        &mut self,
        rest: &Nfa,
        automaton: &DataAutomaton,
    ) -> Result<Nfa, Reason> {
        let mut asking = self.asking();
        let single = Single {
            asking: &mut asking,
            automaton,
        };
        let mut steps = 0;
        let is_too_large = || {
            steps += 1;
            match steps > MAX_STEPS {
                true => Err(Reason::from("too much is left of the program")),
                false => Ok(()),
            }
        };
        let mut difference = Watched::new(Difference::new(rest, single), is_too_large);
        let explored = explore(&mut difference)?;
        drop(difference);
        let rest = reduce(&explored.nfa).nfa;
        self.board.count(NAME, "states left", rest.len() as u64);
        Ok(rest)
    }

    /// What is left without a trace that is not explained: from now on there is no proof.
    pub(crate) fn without_trace(&mut self, rest: &Nfa, word: &[Letter], why: Reason) -> Nfa {
        let aside = self.traces_set_aside;
        self.board.count(NAME, "traces set aside", aside);
        self.beyond.get_or_insert(why);
        without_word(rest, word)
    }

    /// What is left without the traces that end where formulas do, as this one: there is no proof.
    pub(crate) fn without_ends(&mut self, rest: &Nfa, word: &[Letter], why: String) -> Nfa {
        self.beyond.get_or_insert(Reason::Unsupported(why));
        without(rest, word.last().copied())
    }
}

/// The automaton without one word.
fn without_word(nfa: &Nfa, word: &[Letter]) -> Nfa {
    let mut builder = Nfa::builder();
    let mut state = builder.state();
    builder.initial(state);
    for &letter in word {
        let next = builder.state();
        builder.edge(state, letter, next);
        state = next;
    }
    builder.accepting(state);
    let single = builder.build();
    let Ok(explored) = explore(&mut Difference::new(nfa, &single));
    reduce(&explored.nfa).nfa
}

/// The automaton without the transitions of a letter.
fn without(nfa: &Nfa, letter: Option<Letter>) -> Nfa {
    let mut builder = Nfa::builder();
    builder.states(nfa.len());
    for &state in nfa.initial_states() {
        builder.initial(state);
    }
    for state in nfa.states() {
        if nfa.accepts_at(state) {
            builder.accepting(state);
        }
        for &(other, target) in nfa.edges(state) {
            if Some(other) != letter {
                builder.edge(state, other, target);
            }
        }
    }
    reduce(&builder.build()).nfa
}
