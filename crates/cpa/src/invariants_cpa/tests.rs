use super::analysis::{InvariantsCpa, InvariantsPrecision, differ};
use super::refinement::{Increase, InvariantsCpaOptions, by_importance, refine, run};
use crate::formalism::Cpa;
use crate::numeric::NumericState;
use crate::numeric::translate::dimension;
use crate::place::{Automaton, Place};
use crate::testing;
use cfa::expr::VarId;
use cfa::program::Program;
use domains::expression::Expression;
use domains::expression_map::ExpressionMap;
use domains::interval::Interval;
use domains::numeric::NumericDomain;
use facts::budget::Budget;
use facts::engine::{Board, Outcome};
use facts::invariants::{Facts, InvariantMap};
use std::rc::Rc;
use std::sync::Mutex;
use std::time::Duration;

#[derive(Default)]
struct Recorder {
    maps: Mutex<Vec<InvariantMap>>,
}

impl Board for Recorder {
    fn progress(&self, _: &str, _: &str) {}

    fn count(&self, _: &str, _: &str, _: u64) {}

    fn publish(&self, map: InvariantMap) {
        self.maps.lock().expect("nobody panics with it").push(map);
    }

    fn facts(&self) -> Facts {
        Facts::default()
    }
}

fn ran(text: &str, options: &InvariantsCpaOptions) -> (Outcome, Vec<InvariantMap>) {
    let program = testing::program(text);
    let board = Recorder::default();
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    let outcome = run(&program, "invariants", options, &board, &budget);
    (
        outcome,
        board.maps.into_inner().expect("nobody panics with it"),
    )
}

/// 000, listing 1 (`count_by_1`): proved in the first round.
#[test]
fn a_counter_is_proved_at_once() {
    let text = "int main(void) {
        int i;
        for (i = 0; i < 1000000; i++) ;
        if (i != 1000000) reach_error();
        return 0;
    }";
    let (outcome, maps) = ran(text, &InvariantsCpaOptions::default());
    assert!(matches!(outcome, Outcome::Answer(_)), "{outcome:?}");
    assert!(maps.is_empty());
}

/// The paper's reason for `Y`: without the flag among the important variables its two values become one interval.
const MODES: &str = "int main(void) {
    int flag = __VERIFIER_nondet_int(), value = 0;
    if (flag == 3) value = 10; else { flag = 7; value = 20; }
    int n = __VERIFIER_nondet_int();
    while (n > 0) { n--; if (flag == 3 && value != 10) reach_error(); if (flag == 7 && value != 20) reach_error(); }
    return 0;
}";

#[test]
fn important_variables_are_not_merged() {
    let never = InvariantsCpaOptions {
        refinement: vec![Increase::Depth],
        ..InvariantsCpaOptions::default()
    };
    let (outcome, maps) = ran(MODES, &never);
    assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
    assert!(!maps.is_empty(), "what was found is published");
    let (outcome, maps) = ran(MODES, &InvariantsCpaOptions::default());
    assert!(matches!(outcome, Outcome::Answer(_)), "{outcome:?}");
    assert!(!maps.is_empty(), "the rounds before the proof published");
}

#[test]
fn deeper_expressions_prove_more() {
    let text = "int main(void) {
        int x = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
        if (x < 0 || x > 100) return 0;
        int y = x + 1;
        int z = y * 2;
        x = 5;
        while (n > 0) n--;
        if (y > 50) { if (z < 102) reach_error(); }
        return 0;
    }";
    let at = |depth| InvariantsCpaOptions {
        depth,
        refinement: Vec::new(),
        ..InvariantsCpaOptions::default()
    };
    assert!(matches!(ran(text, &at(0)).0, Outcome::Unknown(_)));
    assert!(matches!(ran(text, &at(1)).0, Outcome::Answer(_)));
}

fn state_with(program: &Program, var: VarId, values: Interval) -> Rc<NumericState<ExpressionMap>> {
    let mut state = NumericState::new(ExpressionMap::new(1));
    state
        .integers
        .assign(dimension(var), &Expression::any_of(values));
    assert!((var.0 as usize) < program.vars.len());
    Rc::new(state)
}

/// The three cases of `merge`.
#[test]
fn merge_widens_unites_or_leaves_alone() {
    let program = testing::program(MODES);
    let mut automaton = Automaton::new(&program, 1);
    let head = (0..program.locations.len() as u32)
        .map(cfa::program::LocId)
        .find(|&location| automaton.is_loop_head(location))
        .expect("the program has a loop");
    let place = Place {
        location: head,
        stack: crate::place::StackId::EMPTY,
    };
    let var = by_importance(&program)[0];
    let old = state_with(&program, var, Interval::constant(1));
    let new = state_with(&program, var, Interval::constant(9));
    let merged = |precision: InvariantsPrecision| {
        let mut cpa = InvariantsCpa::new(&program, precision.clone(), false);
        let merged = cpa.merge(&new, &old, &Rc::new(precision), place);
        merged.map(|state| {
            state
                .integers
                .intervals(dimension(var))
                .intervals()
                .to_vec()
        })
    };
    let first = InvariantsPrecision::first();
    assert_eq!(merged(first.clone()), Some(vec![Interval::at_least(1)]));
    let union = InvariantsPrecision {
        widening: false,
        ..first.clone()
    };
    let both = vec![Interval::constant(1), Interval::constant(9)];
    assert_eq!(merged(union.clone()), Some(both));
    let apart = InvariantsPrecision {
        important: [var].into(),
        ..union
    };
    assert!(differ(&apart, &new, &old));
    assert_eq!(merged(apart), None);
}

#[test]
fn precisions_grow_in_the_configured_order_until_nothing_is_left() {
    let program = testing::program(MODES);
    let order = by_importance(&program);
    assert!(order.len() >= 3);
    let options = InvariantsCpaOptions {
        refinement: vec![Increase::Important, Increase::Depth, Increase::NoWidening],
        most_depth: 2,
        most_important: 2,
        ..InvariantsCpaOptions::default()
    };
    let mut precision = InvariantsPrecision::first();
    let mut seen = Vec::new();
    let mut rounds = 0;
    while let Some(finer) = refine(&precision, rounds, &options, &order) {
        precision = finer;
        seen.push((
            precision.important.len(),
            precision.depth,
            precision.widening,
        ));
        rounds += 1;
    }
    assert_eq!(
        seen,
        [(1, 1, true), (1, 2, true), (1, 2, false), (2, 2, false)]
    );
}
