//! The board of a case in which nobody watches: facts are shared, and nothing is shown.

use facts::engine::{Knowledge, Reporter, Status};
use facts::invariants::{CandidateMap, Facts, InvariantMap};
use facts::precision::PrecisionMap;
use portfolio::case::Case;
use process::last_words::thread_number;
use std::sync::Arc;

pub struct QuietBoard(pub Arc<Case>);

impl Knowledge for QuietBoard {
    fn publish(&self, map: InvariantMap) {
        self.0.store.publish(map);
    }

    fn facts(&self) -> Facts {
        self.0.store.facts()
    }

    fn version(&self) -> usize {
        self.0.store.version()
    }

    fn propose(&self, candidates: CandidateMap) {
        self.0.store.propose(candidates);
    }

    fn candidates(&self) -> Vec<Arc<CandidateMap>> {
        self.0.store.candidates()
    }

    fn proposals(&self) -> usize {
        self.0.store.proposals()
    }

    fn publish_precision(&self, map: PrecisionMap) {
        self.0.store.publish_precision(map);
    }

    fn precisions(&self) -> Vec<Arc<PrecisionMap>> {
        self.0.store.precisions()
    }
}

impl Reporter for QuietBoard {
    fn begins(&self, engine: &str) {
        self.0.memory.begins(engine, thread_number());
        self.0.store.begins(engine);
    }

    fn ended(&self, engine: &str) {
        self.0.memory.ended(thread_number());
        self.0.store.ended(engine);
    }

    fn gave_up(&self, engine: &str, reason: &str) {
        self.0.store.gave_up(engine, reason);
    }

    fn skipped(&self, engine: &str, reason: &str) {
        self.0.store.skipped(engine, reason);
    }

    fn status(&self) -> Vec<(String, Status)> {
        self.0.store.status()
    }
}
