//! The tables of Stieglmaier2014: T. Stieglmaier, *Octagon-Based Software Verification with
//! CPAchecker*, 2014 that can be computed by hand: 2.2 and 3.1.

use absint::numeric::limited::LimitedOctagon;
use absint::place::Automaton;
use absint::precision::Variables;
use cfa::program::Program;
use cpa::algorithm::{AlgorithmOptions, CpaAlgorithm, Ended};
use cpa::composite::whole;
use cpa::formalism::Merge;
use cpa::numeric::analysis::{NumericCpa, NumericOptions};
use domains::interval::Interval;
use domains::linear::VarId;
use domains::octagon::{Literal, Octagon};
use facts::budget::Budget;
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
use std::time::Duration;
use transform::regions::split_memory;

/// Table 2.2: the matrix of the octagon with 1 <= X <= 6, 1 <= Y <= 5, Y - X <= 3, X + Y <= 10, X -
/// Y <= 4, X + Y >= 3. (The list in the text has a slip in the bounds of Y; the matrix is right.)
#[test]
fn table_2_2() {
    let (x, y) = (Literal::positive(VarId(0)), Literal::positive(VarId(1)));
    let (minus_x, minus_y) = (x.negated(), y.negated());
    let octagon = Octagon::of_differences([
        (x, minus_x, -2),
        (minus_x, x, 12),
        (y, minus_y, -2),
        (minus_y, y, 10),
        (x, y, 3),
        (minus_x, y, 10),
        (y, x, 4),
        (x, minus_y, -3),
    ]);
    let literals = [x, minus_x, y, minus_y];
    let matrix = [
        [None, Some(-2), Some(3), Some(-3)],
        [Some(12), None, Some(10), Some(4)],
        [Some(4), Some(-3), None, Some(-2)],
        [Some(10), Some(3), Some(10), None],
    ];
    for (i, row) in matrix.iter().enumerate() {
        for (j, &bound) in row.iter().enumerate() {
            if i != j {
                let found = octagon.difference_bound(literals[i], literals[j]);
                assert_eq!(found, bound, "row {}, column {}", i + 1, j + 1);
            }
        }
    }
}

/// Listing 2.1 with the given loop condition.
fn listing_2_1(condition: &str) -> Program {
    let text = format!(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
         int main(void) {{
             int flag = __VERIFIER_nondet_int();
             int ticks = 0;
             while ({condition}) {{ ticks = ticks + 1; }}
             if (flag <= 0) {{ return 0; }}
             if (flag > 0) {{ return 0; }}
             reach_error();
             return 0;
         }}"
    );
    let front = syntax::driver::Options::default();
    match load_text("test.c", &text, &front, &LowerOptions::default()) {
        Ok(loaded) => split_memory(&instrument(&loaded.program, &Property::assertions())),
        Err(failure) => panic!("{failure}"),
    }
}

struct Measured {
    ended: Ended,
    reached: usize,
    created: u64,
    covered: u64,
    /// The values of `ticks` in all states behind the loop.
    ticks: Interval,
}

fn measure(program: &Program, merge: Merge) -> Measured {
    let options = NumericOptions {
        merge,
        ..NumericOptions::default()
    };
    let cpa = NumericCpa::new(program, LimitedOctagon::top(), Variables::All, options);
    let automaton = Automaton::new(program, 1);
    let cpa = whole(program, cpa);
    let mut algorithm = CpaAlgorithm::new(automaton, cpa, AlgorithmOptions::default());
    let mut exploration = algorithm.start();
    let budget = Budget::new(Some(Duration::from_millis(400)), None);
    let ended = algorithm.run(&mut exploration, &budget);
    let ticks = program.vars.iter().position(|var| var.name == "ticks");
    let ticks = VarId(ticks.expect("the variable is there") as u32);
    let mut values = Interval::EMPTY;
    for node in exploration.reached.ids() {
        let state = exploration.reached.state(node);
        if algorithm.automaton.is_loop_head(state.0.0) {
            use domains::lattice::Lattice;
            use domains::linear::Bounds;
            values = values.join(&state.1.integers.interval(ticks));
        }
    }
    let statistics = exploration.statistics;
    Measured {
        ended,
        reached: exploration.reached.len(),
        covered: statistics.covered,
        created: 1 + statistics.successors + statistics.merged,
        ticks: values,
    }
}

/// Table 3.1 (b): the bounded loop. The paper's automaton has 2 locations before the loop and 9
/// from the loop head on: 902 reached states with `merge^sep`, 11 with the others, 1802 states
/// created with `merge^join` and 30 with `merge^widening`. Ours has other locations (the generated
/// entry function before, an assignment and the test of the loop as edges of their own), so the
/// constants differ and the shape does not.
#[test]
fn table_3_1_bounded() {
    let program = listing_2_1("ticks < 100");
    let [sep, join, widening] =
        [Merge::Sep, Merge::Join, Merge::Widening].map(|merge| measure(&program, merge));
    for measured in [&sep, &join, &widening] {
        assert_eq!(measured.ended, Ended::Complete);
    }
    // Kept apart: every state was created once. All of the loop is passed 100 times, and the head
    // once more.
    assert_eq!(sep.created - sep.covered, sep.reached as u64);
    let shorter = measure(&listing_2_1("ticks < 50"), Merge::Sep);
    assert_eq!((sep.reached - shorter.reached) % 50, 0);
    assert_eq!(sep.ticks, Interval::finite(0, 100));
    // Joined: one state for each location, but as many created as there are iterations.
    let places = widening.reached;
    assert_eq!(join.reached, places);
    assert!(join.created > sep.created);
    assert_eq!(join.ticks, Interval::finite(0, 100));
    // Widened: one state for each location, and hardly more than two created.
    assert!(widening.created < 4 * places as u64, "{}", widening.created);
    // The bound is widened away inside the loop, too, and a counter without bound wraps: thresholds
    // are needed here.
    assert!(Interval::finite(0, 100).is_subset_of(widening.ticks));
}

/// Table 3.1 (a): the loop that a nondeterministic choice ends. Only widening terminates; with
/// machine integers `[0, +∞]` is the range of the type, because the counter wraps.
#[test]
fn table_3_1_nondeterministic() {
    let program = listing_2_1("!__VERIFIER_nondet_int()");
    for merge in [Merge::Sep, Merge::Join] {
        assert_eq!(
            measure(&program, merge).ended,
            Ended::OutOfTime,
            "{merge:?}"
        );
    }
    let widening = measure(&program, Merge::Widening);
    assert_eq!(widening.ended, Ended::Complete);
    let range = Interval::finite(i128::from(i32::MIN), i128::from(i32::MAX));
    assert!(
        Interval::at_least(0)
            .intersect(range)
            .is_subset_of(widening.ticks)
    );
}
