//! How many questions were asked, and how many each section of the thesis saved.

use facts::engine::Board;
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Default)]
pub(super) struct Statistics {
    /// Questions to the solver.
    pub(super) questions: u64,
    /// Those of them that generalisation asked.
    pub(super) in_generalisation: u64,
    /// What the solver took to answer.
    pub(super) solver_time: Duration,
    /// Does generalisation ask now?
    pub(super) is_generalising: bool,
    /// Clauses that others were told of as facts.
    pub(super) published: u64,
    saved: BTreeMap<&'static str, u64>,
}

impl Statistics {
    pub(super) fn asked(&mut self) {
        self.questions += 1;
        self.in_generalisation += u64::from(self.is_generalising);
    }

    /// A question of the main loop that a syntactic check or an earlier answer made unnecessary
    /// (section 7.2, first proposal).
    pub(super) fn saved_in_main_loop(&mut self) {
        if !self.is_generalising {
            self.saved("7.2", 1);
        }
    }

    /// A question that the section made unnecessary.
    pub(super) fn saved(&mut self, section: &'static str, questions: u64) {
        *self.saved.entry(section).or_default() += questions;
    }

    pub(super) fn report(&self, board: &dyn Board, name: &str) {
        board.count(name, "questions", self.questions);
        board.count(name, "questions in generalisation", self.in_generalisation);
        if self.published > 0 {
            board.count(name, "clauses published", self.published);
        }
        let milliseconds = self.solver_time.as_millis();
        board.count(
            name,
            "solver ms",
            u64::try_from(milliseconds).unwrap_or(u64::MAX),
        );
        for (section, count) in &self.saved {
            board.count(name, &format!("saved by {section}"), *count);
        }
    }

    #[cfg(test)]
    pub(super) fn saved_by(&self, section: &str) -> u64 {
        self.saved.get(section).copied().unwrap_or(0)
    }
}
