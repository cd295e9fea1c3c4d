use super::analysis::{InvariantsCpa, InvariantsPrecision, differ};
use super::refinement::{Increase, InvariantsCpaOptions, Refined, run};
use crate::formalism::Cpa;
use absint::continuous::Refinable;
use absint::importance::by_conditions;
use absint::numeric::NumericState;
use absint::numeric::translate::dimension;
use absint::place::{Automaton, CallPlace};
use cfa::expr::VarId;
use cfa::program::Program;
use domains::expression::Expression;
use domains::expression_map::ExpressionMap;
use domains::interval::Interval;
use domains::numeric::NumericDomain;
use facts::budget::Budget;
use facts::engine::Outcome;
use facts::invariants::InvariantMap;
use std::rc::Rc;
use std::time::Duration;
use testing::{self, Recorder};

/// What it answers and publishes: the answer is certified, the maps keep their law.
fn ran(text: &str, options: &InvariantsCpaOptions) -> (Outcome, Vec<InvariantMap>) {
    let program = testing::program(text);
    let board = Recorder::default();
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    let outcome = run(&program, "invariants", options, &board, &budget);
    let maps = board.maps();
    testing::assert_sound(&program, &outcome, &maps);
    (outcome, maps)
}

/// Stieglmaier2016, listing 1 (`count_by_1`): proved in the first round.
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

/// The paper's reason for `Y`: without the flag among the important variables its two values become
/// one interval.
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
    let place = CallPlace {
        location: head,
        stack: absint::place::StackId::EMPTY,
    };
    let var = by_conditions(&program)[0];
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
fn precisions_grow_in_every_direction_up_to_their_limits() {
    let program = testing::program(MODES);
    let order = by_conditions(&program);
    assert!(order.len() >= 3);
    let options = InvariantsCpaOptions {
        most_depth: 2,
        most_important: 2,
        ..InvariantsCpaOptions::default()
    };
    let refined = Refined::new(&program, "invariants", &options);
    let first = refined.first();
    assert_eq!(first, InvariantsPrecision::first());
    let one = refined.finer(&first, Increase::Important);
    let one = one.expect("there are variables");
    assert_eq!(one.important, [order[0]].into());
    let two = refined.finer(&one, Increase::Important);
    let two = two.expect("two are allowed");
    assert_eq!(refined.finer(&two, Increase::Important), None);
    let deep = refined.finer(&two, Increase::Depth);
    let deep = deep.expect("two operators are allowed");
    assert_eq!(refined.finer(&deep, Increase::Depth), None);
    let united = refined.finer(&deep, Increase::NoWidening);
    let united = united.expect("it widens so far");
    assert_eq!(refined.finer(&united, Increase::NoWidening), None);
    assert!(!united.widening && united.depth == 2 && united.important.len() == 2);
}

/// `w = false` by its option: values that a loop runs through stay apart, where widening makes one
/// interval of them.
#[test]
fn without_widening_states_are_united() {
    let text = "int main(void) {
        int x = 0, n = __VERIFIER_nondet_int();
        while (n != 0) {
            n = __VERIFIER_nondet_int();
            if (x == 0) x = 10; else if (x == 10) x = 30; else x = 0;
        }
        if (x == 20) reach_error();
        return 0;
    }";
    let with = |options: &str| {
        let options: InvariantsCpaOptions =
            serde_json::from_str(options).expect("these are options");
        ran(text, &options).0
    };
    let widened = with(r#"{ "refinement": [], "threshold-widening": false }"#);
    assert!(matches!(widened, Outcome::Unknown(_)), "{widened:?}");
    let united = with(r#"{ "refinement": [], "threshold-widening": false, "widening": false }"#);
    assert!(matches!(united, Outcome::Answer(_)), "{united:?}");
    let refined = with(r#"{ "refinement": ["no-widening"], "threshold-widening": false }"#);
    assert!(matches!(refined, Outcome::Answer(_)), "{refined:?}");
}

/// Without widening a long loop does not end in its time: the refinement takes that step back and
/// goes on with others.
#[test]
fn a_step_that_takes_too_long_is_taken_back() {
    let text = "int main(void) {
        int flag = __VERIFIER_nondet_int(), value = 0;
        unsigned long long i = 0, n = 0;
        if (flag == 3) value = 10; else { flag = 7; value = 20; }
        while (__VERIFIER_nondet_int()) { i += 3; n += 5;
            if (flag == 3 && value != 10) reach_error(); if (flag == 7 && value != 20) reach_error(); }
        return 0;
    }";
    let options = InvariantsCpaOptions {
        refinement: vec![
            Increase::NoWidening,
            Increase::Important,
            Increase::Important,
        ],
        round_limit: 0.05,
        ..InvariantsCpaOptions::default()
    };
    let (outcome, _) = ran(text, &options);
    assert!(matches!(outcome, Outcome::Answer(_)), "{outcome:?}");
}

/// What is not linear is said, too: the values of `w` follow from those of `x` only by what defines
/// `y`.
#[test]
fn definitions_that_are_not_linear_are_part_of_what_is_published() {
    let text = "int main(void) {
        unsigned x = __VERIFIER_nondet_uint(), y = x & 12u, z = x * x, w = 0;
        while (__VERIFIER_nondet_int()) { if (x == 5u) w = y; }
        if (w + x + z == 1000003u) reach_error();
        return 0;
    }";
    let options = InvariantsCpaOptions {
        refinement: Vec::new(),
        ..InvariantsCpaOptions::default()
    };
    let (_, maps) = ran(text, &options);
    assert_eq!(maps.len(), 1, "what was found is published");
    let mut extended = testing::program(text);
    extended.pool = maps[0].pool.clone();
    let said = maps[0].entries.iter();
    let said: Vec<String> = said
        .map(|entry| printing::export::expression_text(&extended, entry.holds))
        .collect();
    assert!(said[0].contains("x * x"), "{said:?}");
    assert!(said[0].contains("x & 12"), "{said:?}");
}
