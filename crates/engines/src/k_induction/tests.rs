//! What k-induction proves on its own, and how deep; each answer is certified.

use super::*;
use facts::engine::{Knowledge, NoBoard, Reporter};
use facts::invariants::{Facts, InvariantMap};
use testing::{Recorder, program as lowered};

fn up_to(last_depth: u32) -> KInductionOptions {
    KInductionOptions {
        last_depth,
        ..KInductionOptions::default()
    }
}

/// The certified answer about a program; `None` if there is none.
fn answer(program: &Program, options: KInductionOptions) -> Option<Certificate> {
    let mut engine = KInduction { options };
    match engine.run(program, &NoBoard, &Budget::unlimited()) {
        Outcome::Answer(certificate) => {
            if let Err(why) = certify::certify(program, &certificate, &Budget::unlimited()) {
                panic!("{why}: {certificate:?}");
            }
            Some(certificate)
        }
        Outcome::Unknown(_) => None,
    }
}

/// The depth of the proof, and what it says of the rest.
fn proof(body: &str, options: KInductionOptions) -> Option<(u32, Rest)> {
    match answer(&lowered(body), options)? {
        Certificate::KInduction(proof) => Some((proof.depth, proof.rest)),
        other => panic!("{other:?}"),
    }
}

/// Needs two blocks: after one, y may still be anything.
const DELAYED: &str = "int main(void) { int x = 0, y = 0;
    while (__VERIFIER_nondet_int()) { if (y > 5) reach_error(); y = x; x = 3; } return 0; }";

/// A state that is wrong may stay so for ever before anybody looks.
const SELDOM: &str = "int main(void) { int x = 0;
    while (__VERIFIER_nondet_int()) { if (x < 10) x = x + 1;
        if (__VERIFIER_nondet_int()) { if (x > 10) reach_error(); } } return 0; }";

/// Ends after five rounds, which does not follow from where they begin.
const FIVE_ROUNDS: &str = "int main(void) { int x = 0, y = 0;
    while (x < 5) { x++; if (__VERIFIER_nondet_int()) y++; } if (y > 5) reach_error(); return 0; }";

#[test]
fn what_holds_in_every_round_needs_no_depth() {
    let text = "int main(void) { while (__VERIFIER_nondet_int()) {
        int y = __VERIFIER_nondet_int(); if (y > 3 && y < 2) reach_error(); } return 0; }";
    assert_eq!(proof(text, up_to(5)), Some((0, Rest::Follows)));
}

#[test]
fn the_depth_that_is_needed_is_found() {
    assert_eq!(proof(DELAYED, up_to(5)), Some((2, Rest::Follows)));
    assert_eq!(proof(DELAYED, up_to(1)), None);
}

#[test]
fn the_increase_decides_which_depths_are_tried() {
    let options = |factor, increase| KInductionOptions {
        first_depth: 1,
        factor,
        increase,
        ..up_to(40)
    };
    assert_eq!(proof(DELAYED, options(1, 3)), Some((4, Rest::Follows)));
    assert_eq!(proof(DELAYED, options(3, 0)), Some((3, Rest::Follows)));
    // Never stays where it is, never goes beyond the last.
    assert_eq!(proof(DELAYED, options(0, 0)), Some((2, Rest::Follows)));
    let far = KInductionOptions {
        increase: 100,
        ..up_to(2)
    };
    assert_eq!(proof(DELAYED, far), Some((2, Rest::Follows)));
}

#[test]
fn loops_may_be_nested() {
    let text = "int main(void) { int x = 0; while (__VERIFIER_nondet_int()) { int i = 0;
        while (i < 3) { if (x < 10 && __VERIFIER_nondet_int()) x++; i++; if (x > 10) reach_error(); } } return 0; }";
    let (depth, rest) = proof(text, up_to(8)).expect("a proof");
    assert_eq!(rest, Rest::Follows);
    // The outer loop may leave the inner one without a look at x.
    assert!(depth >= 2, "{depth}");
}

/// The first loop needs one block, the second what the first leaves behind.
const IN_SEQUENCE: &str = "int main(void) { int x = 0;
    while (__VERIFIER_nondet_int()) { if (x < 10) x++; if (x > 10) reach_error(); }
    while (__VERIFIER_nondet_int()) { if (x > 10) reach_error(); } return 0; }";

#[test]
fn loops_may_follow_one_another() {
    assert_eq!(proof(IN_SEQUENCE, up_to(8)), Some((2, Rest::Follows)));
}

#[test]
fn each_goal_has_its_own_depth() {
    let program = lowered(IN_SEQUENCE);
    let (options, budget) = (up_to(8), Budget::unlimited());
    let mut search = Search::new(&program, &NoBoard, &budget, &options);
    assert!(matches!(search.run(), Ok(Outcome::Answer(_))));
    let mut depths: Vec<u32> = search.proved.values().copied().collect();
    depths.sort_unstable();
    assert_eq!(depths, [1, 2]);
    assert!(search.open.is_empty());
}

#[test]
fn what_failed_is_asked_first_and_what_is_proved_not_again() {
    let text = "int main(void) { int x = 0, y = 0;
        while (__VERIFIER_nondet_int()) { int z = __VERIFIER_nondet_int();
        if (z > 3 && z < 2) reach_error(); if (y > 5) reach_error(); if (y > 6) reach_error(); y = x; x = 3; } return 0; }";
    let program = lowered(text);
    let (options, budget) = (up_to(8), Budget::unlimited());
    let mut search = Search::new(&program, &NoBoard, &budget, &options);
    assert!(matches!(search.base_case(0), Ok(None)));
    assert_eq!(search.step(0), Ok(false));
    let failed = search.open.front().cloned().expect("one has failed");
    let proved: Vec<Goal> = search.proved.keys().cloned().collect();
    assert_eq!(proved.len() + search.open.len(), 3);
    assert!(!proved.contains(&failed));
    assert_eq!(search.step(1), Ok(false));
    assert_eq!(search.open.front(), Some(&failed));
    assert_eq!(search.step(2), Ok(true));
    assert_eq!(search.proved.get(&failed), Some(&2));
    for goal in &proved {
        assert_eq!(search.proved.get(goal), Some(&0));
    }
}

#[test]
fn a_violation_is_found_in_the_base_case() {
    let program = lowered(
        "int main(void) { int x = 0;
        while (__VERIFIER_nondet_int()) { x++; if (x == 4) reach_error(); } return 0; }",
    );
    let found = answer(&program, up_to(8));
    assert!(matches!(found, Some(Certificate::Inputs(_))), "{found:?}");
    // The fourth round ends in the block that begins at the fourth loop head.
    assert!(answer(&program, up_to(3)).is_none());
    assert!(answer(&program, up_to(4)).is_some());
}

#[test]
fn executions_that_end_are_a_proof() {
    assert_eq!(proof(FIVE_ROUNDS, up_to(20)), Some((6, Rest::Nothing)));
    assert_eq!(proof(FIVE_ROUNDS, up_to(5)), None);
    let without = KInductionOptions {
        forward_condition: false,
        ..up_to(10)
    };
    assert_eq!(proof(FIVE_ROUNDS, without), None);
}

/// The engine has other ways only after a proof that it made because executions end, and only once.
#[test]
fn it_goes_on_without_the_forward_condition() {
    let program = lowered(FIVE_ROUNDS);
    let mut engine = KInduction { options: up_to(10) };
    let by_steps = answer(&lowered(DELAYED), up_to(5)).expect("a proof");
    assert!(!engine.retry_after_rejection(&by_steps));
    let by_end = answer(&program, up_to(10)).expect("a proof");
    assert!(engine.retry_after_rejection(&by_end));
    let again = engine.run(&program, &NoBoard, &Budget::unlimited());
    assert!(matches!(again, Outcome::Unknown(_)), "{again:?}");
    assert!(!engine.retry_after_rejection(&by_end));
}

fn with_candidates(last_depth: u32) -> KInductionOptions {
    KInductionOptions {
        candidates_from_counterexamples: true,
        ..up_to(last_depth)
    }
}

#[test]
fn candidates_from_counterexamples_prove_more() {
    assert_eq!(proof(SELDOM, up_to(6)), None);
    let (_, rest) = proof(SELDOM, with_candidates(6)).expect("a proof");
    assert_eq!(rest, Rest::Follows);
}

#[test]
fn candidates_of_one_loop_help_in_the_next() {
    let text = "int main(void) { int x = 0;
        while (__VERIFIER_nondet_int()) { if (x < 10) x = x + 1; }
        while (__VERIFIER_nondet_int()) { if (__VERIFIER_nondet_int() && x > 10) reach_error(); } return 0; }";
    assert_eq!(proof(text, up_to(4)), None);
    assert!(proof(text, with_candidates(4)).is_some());
}

#[test]
fn candidates_never_hide_a_violation() {
    let text = "int main(void) { int x = 0;
        while (__VERIFIER_nondet_int()) { if (x < 10) x = x + 2; if (x == 4) x = 9;
        if (__VERIFIER_nondet_int()) { if (x > 10) reach_error(); } } return 0; }";
    let found = answer(&lowered(text), with_candidates(8));
    assert!(matches!(found, Some(Certificate::Inputs(_))), "{found:?}");
}

#[test]
fn what_is_learned_is_published_and_inductive() {
    let program = lowered(SELDOM);
    let board = Recorder::default();
    let mut engine = KInduction {
        options: with_candidates(6),
    };
    let outcome = engine.run(&program, &board, &Budget::unlimited());
    assert!(matches!(outcome, Outcome::Answer(_)), "{outcome:?}");
    let maps = board.maps();
    assert!(!maps.is_empty());
    for map in maps {
        assert!(!map.entries.is_empty());
        let checked = certify::check_facts(&program, &map, &Budget::unlimited());
        assert!(checked.is_ok(), "{checked:?}");
    }
}

/// Facts that nobody wants to read are no news, however many there are.
#[test]
fn without_invariants_no_depth_is_tried_twice() {
    struct ManyVersions;

    impl Knowledge for ManyVersions {
        fn publish(&self, _: InvariantMap) {}

        fn facts(&self) -> Facts {
            Facts::default()
        }

        fn version(&self) -> usize {
            7
        }
    }

    impl Reporter for ManyVersions {}

    let (program, budget) = (lowered(DELAYED), Budget::unlimited());
    for use_invariants in [false, true] {
        let options = KInductionOptions {
            use_invariants,
            ..up_to(5)
        };
        let mut search = Search::new(&program, &ManyVersions, &budget, &options);
        assert_eq!(search.has_news(), use_invariants);
        assert!(matches!(search.base_case(0), Ok(None)));
        // Ends although the version never gets smaller than the board's.
        assert_eq!(search.step_while_facts_come(0), Ok(false));
        assert!(!search.has_news());
    }
}
