//! Benchmark runs: every task with every contender, each result kept as soon as it is known.
//!
//! A run lives in a directory: `results.jsonl` (the [`journal`]), `logs/`, `witnesses/`. Starting
//! the same run again goes on where it ended, however it ended.

mod distributed;
pub mod journal;
mod record;
mod run;
mod stop;

pub use distributed::{Distributed, run_on};
pub use journal::{Journal, JournalError};
pub use record::{Key, LimitsRecord, Record};
pub use run::{BenchError, Plan, run};
pub use stop::Stop;

use crate::tasks::Task;
use crate::tool::Tool;
use crate::verdict::Class;
use std::sync::Arc;

/// A tool with one of its analyses.
#[derive(Clone, Debug)]
pub struct Contender {
    pub tool: Arc<Tool>,
    pub analysis: String,
}

/// Told how a run comes along. Called from several threads.
pub trait Observer: Sync {
    /// Before the first run: how many there are in all, and the results that were there already.
    fn begin(&self, _total: usize, _known: &[Record]) {}
    fn started(&self, _task: &Task, _contender: &Contender) {}
    fn finished(&self, _record: &Record) {}
    fn end(&self) {}
}

/// Tells nobody.
pub struct Silent;

impl Observer for Silent {}

/// How many results of each class there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub correct: usize,
    pub wrong: usize,
    /// Everything that is no answer: unknown, timeout, out of memory, error.
    pub unsolved: usize,
    pub unjudged: usize,
    /// What tools noticed that must not happen.
    pub alarms: u64,
}

impl Tally {
    pub fn add(&mut self, class: Class) {
        match class {
            Class::Correct => self.correct += 1,
            Class::Wrong => self.wrong += 1,
            Class::Unjudged => self.unjudged += 1,
            Class::Unknown | Class::Timeout | Class::OutOfMemory | Class::Error => {
                self.unsolved += 1
            }
        }
    }

    pub fn of<'record>(records: impl IntoIterator<Item = &'record Record>) -> Self {
        let mut tally = Self::default();
        for record in records {
            tally.add(record.class());
            tally.alarms += record.alarm_count();
        }
        tally
    }
}
