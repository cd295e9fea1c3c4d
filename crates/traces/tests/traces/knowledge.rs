//! What the engine takes from the board, and what it tells others.

use absint::invariants::{InvariantOptions, generate};
use absint::numeric::choice::Domain;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Engine, Knowledge, Outcome, Reporter};
use facts::invariants::{CandidateMap, Facts, InvariantMap};
use predicate::options::InterpolantSource;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testing::program;
use traces::{Options, TraceAbstraction};

const COUNTER: &str = "int main(void) { int x = 0; while (x < 1000) x = x + 1;
    if (x != 1000) reach_error(); return 0; }";

/// A board with facts that remembers what it is told.
#[derive(Default)]
struct Told {
    facts: Facts,
    published: Mutex<Vec<InvariantMap>>,
    proposed: Mutex<usize>,
    refinements: Mutex<u64>,
}

impl Knowledge for Told {
    fn publish(&self, map: InvariantMap) {
        self.published.lock().expect("no panic with it").push(map);
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }

    fn propose(&self, _: CandidateMap) {
        *self.proposed.lock().expect("no panic with it") += 1;
    }
}

impl Reporter for Told {
    fn count(&self, _: &str, what: &str, value: u64) {
        if what == "refinements" {
            *self.refinements.lock().expect("no panic with it") = value;
        }
    }
}

fn budget() -> Budget {
    Budget::new(Some(Duration::from_secs(60)), None)
}

fn with(domain: Domain) -> InvariantOptions {
    InvariantOptions {
        domain,
        ..InvariantOptions::default()
    }
}

/// Interpolants from proofs unroll the loop; with the loop's invariant there is nothing to unroll.
#[test]
fn facts_strengthen_triples_and_are_part_of_the_proof() {
    let program = program(COUNTER);
    let options = Options {
        interpolants: vec![InterpolantSource::Proof],
        inductive: false,
        most_refinements: 5,
        ..Options::default()
    };
    let alone = Told::default();
    let mut engine = TraceAbstraction::new(options.clone());
    let outcome = engine.run(&program, &alone, &budget());
    assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
    let found = generate(&program, &with(Domain::Interval), &budget()).expect("intervals");
    let mut board = Told::default();
    board.facts.maps.push(Arc::new(found.map));
    board.facts.times.push(Duration::ZERO);
    let outcome = TraceAbstraction::new(options).run(&program, &board, &budget());
    let Outcome::Answer(certificate @ Certificate::Graph(_)) = &outcome else {
        panic!("{outcome:?}");
    };
    certify::certify(&program, certificate, &budget()).expect("the proof has the facts in it");
    assert!(*board.refinements.lock().expect("no panic with it") <= 2);
}

/// A fact that does not hold where blocks meet is not relied on, whoever published it.
#[test]
fn facts_that_are_not_inductive_are_left_out() {
    let program = program(&COUNTER.replace("!= 1000", "== 1000"));
    let mut found = generate(&program, &with(Domain::Interval), &budget()).expect("intervals");
    let falsity = found.map.pool.bool_constant(false);
    for entry in &mut found.map.entries {
        entry.holds = falsity;
    }
    let mut board = Told::default();
    board.facts.maps.push(Arc::new(found.map));
    board.facts.times.push(Duration::ZERO);
    let options = Options {
        inductive: false,
        most_refinements: 3,
        ..Options::default()
    };
    let outcome = TraceAbstraction::new(options).run(&program, &board, &budget());
    assert!(
        !matches!(outcome, Outcome::Answer(Certificate::Graph(_))),
        "{outcome:?}"
    );
}

#[test]
fn fixpoints_are_proposed_and_published_with_the_proof() {
    let program = program(COUNTER);
    let options = Options {
        interpretations: vec![with(Domain::Interval)],
        ..Options::default()
    };
    let board = Told::default();
    let outcome = TraceAbstraction::new(options).run(&program, &board, &budget());
    assert!(matches!(outcome, Outcome::Answer(_)), "{outcome:?}");
    assert!(*board.proposed.lock().expect("no panic with it") > 0);
    let published = board.published.lock().expect("no panic with it");
    assert_eq!(published.len(), 1);
    for map in published.iter() {
        certify::check_facts(&program, map, &budget()).expect("published maps are inductive");
    }
}
