//! What others are told.

use super::*;
use facts::engine::{Knowledge, Reporter};
use facts::invariants::{Facts, InvariantMap};
use facts::precision::PrecisionMap;
use std::sync::Mutex;

/// Keeps what it is told.
#[derive(Default)]
struct Listener {
    published: Mutex<Vec<InvariantMap>>,
    precisions: Mutex<Vec<PrecisionMap>>,
}

impl Knowledge for Listener {
    fn publish(&self, map: InvariantMap) {
        self.published.lock().expect("one thread").push(map);
    }

    fn facts(&self) -> Facts {
        Facts::default()
    }

    fn publish_precision(&self, map: PrecisionMap) {
        self.precisions.lock().expect("one thread").push(map);
    }
}

impl Reporter for Listener {}

#[test]
fn inductive_clauses_are_published_on_the_way() {
    // `x` stays small, which the proof about `y` does not need to be finished for.
    let text = "int main(void) { int x = 0; unsigned y = 0; while (__VERIFIER_nondet_int()) {
        if (x < 5) x++; y = y + 2; if (x > 7) reach_error(); if (y == 77) reach_error(); } return 0; }";
    let (program, board) = (lowered(text), Listener::default());
    let options = Ic3CfaOptions {
        publication: true,
        ..few_questions(Ic3CfaOptions::default())
    };
    let budget = Budget::unlimited();
    let outcome = Ic3Cfa { options }.run(&program, &board, &budget);
    assert!(matches!(outcome, Outcome::Answer(_)), "{outcome:?}");
    let published = board.published.lock().expect("one thread");
    assert!(!published.is_empty());
    for map in published.iter() {
        certify::check_facts(&program, map, &budget).expect("it is inductive");
    }
}

/// Section 7.2, third proposal: who gives up hands on what it compared.
#[test]
fn literals_become_a_precision() {
    // Values of `y` are excluded one by one: no literal compares it with `x`.
    let text = "int main(void) { unsigned x = 0, y = 0; while (x < 1000) { x++; y++; }
        if (y != 1000) reach_error(); return 0; }";
    let (program, board) = (lowered(text), Listener::default());
    let options = Ic3CfaOptions {
        most_questions: 30,
        ..Ic3CfaOptions::default()
    };
    let outcome = Ic3Cfa { options }.run(&program, &board, &Budget::unlimited());
    assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
    let precisions = board.precisions.lock().expect("one thread");
    assert!(precisions.iter().any(|map| !map.predicates.is_empty()));
}
