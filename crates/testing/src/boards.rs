//! Boards that tests look at.

use facts::engine::Board;
use facts::invariants::{Facts, InvariantMap};
use std::sync::Mutex;

/// A board that remembers what was published.
#[derive(Default)]
pub struct Recorder(Mutex<Vec<InvariantMap>>);

impl Recorder {
    pub fn maps(&self) -> Vec<InvariantMap> {
        self.0.lock().expect("nobody panics with it").clone()
    }
}

impl Board for Recorder {
    fn progress(&self, _: &str, _: &str) {}

    fn count(&self, _: &str, _: &str, _: u64) {}

    fn publish(&self, map: InvariantMap) {
        self.0.lock().expect("nobody panics with it").push(map);
    }

    fn facts(&self) -> Facts {
        Facts::default()
    }
}
