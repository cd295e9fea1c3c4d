//! The exchange of facts under stress: whoever reads must see what was proved for the place that it
//! asks about, whole versions only, whatever those who publish do.

use crate::parallel::Parallel;
use crate::part::{Ended, Part, Participant};
use crate::store::FactStore;
use crate::tests::{Panics, Spins};
use cfa::expr::{ExprPool, Node};
use cfa::place::CallPattern;
use cfa::program::{EdgeId, LocId};
use cfa::value::Ty;
use facts::budget::Budget;
use facts::engine::Board;
use facts::invariants::{Invariant, InvariantMap};
use facts::precision::PrecisionMap;
use std::time::Duration;

/// Two statements of one map, each true in its own call only: "the variable is `number`" behind the
/// first call and "is `number + 1`" behind the second.
fn in_two_calls(number: u32) -> InvariantMap {
    let mut pool = ExprPool::default();
    let ty = Ty::unsigned(32);
    let mut entries = Vec::new();
    for call in 0..2 {
        let variable = pool.variable(cfa::expr::VarId(0), ty);
        let value = pool.constant(u128::from(number + call), ty);
        entries.push(Invariant {
            calls: CallPattern::Exactly(vec![EdgeId(call)]),
            location: LocId(7),
            holds: pool.eq(variable, value),
        });
    }
    InvariantMap {
        by: "publisher".into(),
        pool,
        entries,
    }
}

/// The constant that a statement of [`in_two_calls`] names.
fn named(pool: &ExprPool, holds: cfa::expr::ExprId) -> u128 {
    let Node::Binary(_, a, b) = pool.node(holds) else {
        panic!("an equation")
    };
    let value = pool.as_constant(a).or_else(|| pool.as_constant(b));
    value.expect("one side is a number")
}

/// Publishes every millisecond until it is stopped.
struct Publishes;

impl Participant for Publishes {
    fn name(&self) -> &str {
        "publishes"
    }

    fn run(&mut self, board: &dyn Board, budget: &Budget) -> Ended {
        let mut number = 1;
        while !budget.is_exhausted() {
            board.publish(in_two_calls(number));
            number += 2;
            std::thread::sleep(Duration::from_millis(1));
        }
        Ended::Unknown("stopped".into())
    }
}

/// Publishes a little and fails.
struct PublishesAndPanics;

impl Participant for PublishesAndPanics {
    fn name(&self) -> &str {
        "publishes-and-panics"
    }

    fn run(&mut self, board: &dyn Board, _: &Budget) -> Ended {
        board.publish(in_two_calls(1_000_001));
        panic!("on purpose")
    }
}

/// Reads until it has seen enough versions, and holds each against what may be in it.
struct Reads(usize);

impl Participant for Reads {
    fn name(&self) -> &str {
        "reads"
    }

    fn run(&mut self, board: &dyn Board, budget: &Budget) -> Ended {
        let mut seen = 0;
        while !budget.is_exhausted() {
            let facts = board.facts();
            let version = facts.version();
            assert!(version >= seen && board.version() >= version);
            for map in &facts.maps {
                for call in 0..2u32 {
                    let told: Vec<u128> = map
                        .at(&[EdgeId(call)], LocId(7))
                        .map(|holds| named(&map.pool, holds))
                        .collect();
                    // Odd numbers belong to the first call, even ones to the second.
                    assert_eq!(told.len(), 1);
                    assert_eq!(told[0] % 2, u128::from(1 - call));
                }
                assert_eq!(map.at(&[EdgeId(2)], LocId(7)).count(), 0);
                assert_eq!(map.at(&[], LocId(7)).count(), 0);
            }
            // The version read stays what it was.
            assert_eq!(facts.version(), version);
            seen = version;
            if seen >= self.0 {
                return Ended::Answered;
            }
            std::thread::sleep(Duration::from_micros(300));
        }
        Ended::Unknown("stopped".into())
    }
}

#[test]
fn a_reader_sees_whole_versions_and_its_own_calls_only() {
    let parts: Vec<Box<dyn Participant>> = vec![
        Box::new(Publishes),
        Box::new(PublishesAndPanics),
        Box::new(Spins),
        Box::new(Panics),
        Box::new(Reads(40)),
    ];
    let mut all = Parallel {
        name: "stress".into(),
        parts: parts.into_iter().map(Part::from).collect(),
    };
    let board = FactStore::default();
    let budget = Budget::new(Some(Duration::from_secs(30)), None);
    let outcome = all.run(&board, &budget);
    assert_eq!(outcome, Ended::Answered, "{outcome:?}");
    // What was published before a failure stays: it was proved.
    let facts = board.facts();
    let survived = facts.maps.iter().any(|map| {
        map.at(&[EdgeId(0)], LocId(7))
            .any(|holds| named(&map.pool, holds) == 1_000_001)
    });
    assert!(survived);
}

#[test]
fn precisions_are_handed_on_in_order() {
    let board = FactStore::default();
    assert!(board.precisions().is_empty());
    for by in ["first", "second"] {
        board.publish_precision(PrecisionMap {
            by: by.into(),
            ..PrecisionMap::default()
        });
    }
    let names: Vec<String> = board
        .precisions()
        .iter()
        .map(|map| map.by.clone())
        .collect();
    assert_eq!(names, ["first", "second"]);
}
