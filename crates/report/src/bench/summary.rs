//! Counts and sums over a set of results.

use runner::bench::Record;
use runner::verdict::{Class, Expected, Status};
use serde::Serialize;

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    pub runs: usize,
    pub correct_true: usize,
    pub correct_false: usize,
    pub wrong_true: usize,
    pub wrong_false: usize,
    pub unknown: usize,
    pub timeout: usize,
    pub out_of_memory: usize,
    pub error: usize,
    pub unjudged: usize,
    /// What the tool noticed that must not happen.
    pub alarms: u64,
    pub score: i64,
    /// What solving everything would give.
    pub max_score: i64,
    pub cpu_s: f64,
    pub cpu_correct_s: f64,
    pub wall_s: f64,
    pub memory_bytes: u64,
    pub peak_memory_bytes: u64,
}

impl Summary {
    pub fn of<'records>(records: impl IntoIterator<Item = &'records Record>) -> Self {
        let mut summary = Self::default();
        for record in records {
            summary.add(record);
        }
        summary
    }

    fn add(&mut self, record: &Record) {
        self.runs += 1;
        self.alarms += record.alarm_count();
        match (record.class(), record.verdict.status) {
            (Class::Correct, Status::True) => self.correct_true += 1,
            (Class::Correct, _) => self.correct_false += 1,
            (Class::Wrong, Status::True) => self.wrong_true += 1,
            (Class::Wrong, _) => self.wrong_false += 1,
            (Class::Unknown, _) => self.unknown += 1,
            (Class::Timeout, _) => self.timeout += 1,
            (Class::OutOfMemory, _) => self.out_of_memory += 1,
            (Class::Error, _) => self.error += 1,
            (Class::Unjudged, _) => self.unjudged += 1,
        }
        if record.class() == Class::Correct {
            self.cpu_correct_s += record.cpu_s;
        }
        self.score += record.score();
        self.max_score += match record.expected {
            Some(Expected::True) => 2,
            Some(Expected::False(_)) => 1,
            None => 0,
        };
        self.cpu_s += record.cpu_s;
        self.wall_s += record.wall_s;
        self.memory_bytes += record.memory_bytes;
        self.peak_memory_bytes = self.peak_memory_bytes.max(record.memory_bytes);
    }

    pub fn correct(&self) -> usize {
        self.correct_true + self.correct_false
    }

    pub fn wrong(&self) -> usize {
        self.wrong_true + self.wrong_false
    }
}
