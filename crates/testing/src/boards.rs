//! Boards that tests look at.

use facts::engine::{Knowledge, Reporter};
use facts::invariants::{CandidateMap, Facts, InvariantMap};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// A board that remembers what was published.
#[derive(Default)]
pub struct Recorder(Mutex<Vec<InvariantMap>>);

impl Recorder {
    pub fn maps(&self) -> Vec<InvariantMap> {
        self.0.lock().expect("nobody panics with it").clone()
    }
}

impl Knowledge for Recorder {
    fn publish(&self, map: InvariantMap) {
        self.0.lock().expect("nobody panics with it").push(map);
    }

    fn facts(&self) -> Facts {
        Facts::default()
    }
}

impl Reporter for Recorder {}

/// A board that remembers the last value of each number that was counted, whoever counted it.
#[derive(Default)]
pub struct Counts(Mutex<BTreeMap<String, u64>>);

impl Counts {
    /// Zero if it was never counted.
    pub fn get(&self, what: &str) -> u64 {
        self.all().get(what).copied().unwrap_or_default()
    }

    pub fn all(&self) -> BTreeMap<String, u64> {
        self.0.lock().expect("nobody panics with it").clone()
    }
}

impl Knowledge for Counts {
    fn publish(&self, _: InvariantMap) {}

    fn facts(&self) -> Facts {
        Facts::default()
    }
}

impl Reporter for Counts {
    fn count(&self, _: &str, what: &str, value: u64) {
        let mut counts = self.0.lock().expect("nobody panics with it");
        counts.insert(what.into(), value);
    }
}

/// Holds the laws of [`Knowledge`] against a board that keeps what it is told. Each map says
/// something new to it.
///
/// # Panics
/// If a law is broken.
pub fn assert_knowledge_laws(board: &dyn Knowledge, maps: Vec<InvariantMap>) {
    for map in maps {
        let before = board.facts();
        let known = before.version();
        assert_eq!(board.version(), known);
        board.publish(map.clone());
        let after = board.facts();
        assert_eq!(before.version(), known, "a version does not change");
        assert_eq!(after.version(), known + 1, "what is new is kept");
        assert_eq!(board.version(), known + 1);
        let kept = before.maps.iter().zip(&after.maps);
        assert!(kept.into_iter().all(|(a, b)| a.entries == b.entries));
        let proposed = board.proposals();
        assert_eq!(board.candidates().len(), proposed);
        board.propose(CandidateMap(map));
        let candidates = board.candidates();
        assert_eq!(candidates.len(), board.proposals());
        assert!(candidates.len() >= proposed);
    }
}
