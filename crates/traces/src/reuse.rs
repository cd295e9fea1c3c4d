//! Automata of an earlier version of the program ([`crate::kept`] reads and writes them).

use crate::data::DataAutomaton;
use crate::engine::{Abstraction, NAME};
use crate::kept::{self, Named};
use automata::Nfa;
use facts::engine::Reason;

/// An automaton of an earlier version of the program.
pub(crate) struct Reused {
    pub(crate) automaton: DataAutomaton,
    origin: String,
    /// Has it removed traces?
    is_useful: bool,
}

impl Abstraction<'_, '_> {
    /// What is left without the words of automata of an earlier version of the program.
    pub(crate) fn without_reused(&mut self, mut rest: Nfa) -> Result<Nfa, Reason> {
        let kept = (!self.is_alone).then(|| self.board.kept(NAME)).flatten();
        let Some(text) = kept else {
            return Ok(rest);
        };
        self.board
            .progress(NAME, "reading automata of an earlier run");
        let falsity = self.constants.falsity;
        for read in kept::read(self.refuter, &self.program, falsity, &text) {
            if rest.is_empty() {
                break;
            }
            let left = self.subtract(&rest, &read.automaton)?;
            self.reused.push(Reused {
                automaton: read.automaton,
                origin: read.origin,
                is_useful: (left.len(), left.edge_count()) != (rest.len(), rest.edge_count()),
            });
            rest = left;
        }
        let useful = self.reused.iter().filter(|one| one.is_useful).count();
        self.board.count(NAME, "reused automata", useful as u64);
        Ok(rest)
    }

    /// Keeps the automata for later versions of the program.
    pub(crate) fn keep(&mut self) {
        if self.is_alone || !self.board.wants_kept() {
            return;
        }
        let useful = self.reused.iter().filter(|one| one.is_useful);
        let useful = useful.map(|one| (&one.automaton, &one.origin));
        let new = self
            .iterations
            .iter()
            .map(|one| (&one.automaton, &one.origin));
        let named = useful
            .chain(new)
            .map(|(automaton, origin)| Named { automaton, origin });
        let named: Vec<Named<'_>> = named.collect();
        let falsity = self.constants.falsity;
        let text = kept::write(self.refuter, &self.program, &self.triples, falsity, &named);
        self.board.keep(NAME, text);
    }
}
