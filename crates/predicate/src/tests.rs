//! Programs with known behaviour: what is proved must be accepted by the checker.

use super::abstraction::AbstractionKind;
use super::options::{InterpolantSource, PredicateKind, RefinementKind};
use super::predicates::Scope;
use super::prefixes::PrefixChoice;
use super::static_refinement::StaticRefinement;
use super::{Options, PredicateAnalysis};
use facts::budget::{Budget, SolverBudget};
use facts::certificate::Certificate;
use facts::engine::{Engine, NoBoard, Outcome};
use induction::cuts::BlockOperator;
use std::path::Path;
use std::time::Duration;
use testing::{Counts, program};

fn run(text: &str, options: &Options) -> Outcome {
    let program = program(text);
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let mut engine = PredicateAnalysis {
        options: options.clone(),
    };
    let outcome = engine.run(&program, &NoBoard, &budget);
    if let Outcome::Answer(certificate) = &outcome {
        let budget = Budget::new(Some(Duration::from_secs(60)), None);
        if let Err(why) = certify::certify(&program, certificate, &budget) {
            panic!("{why}");
        }
    }
    outcome
}

fn proves(text: &str, options: &Options) {
    match run(text, options) {
        Outcome::Answer(Certificate::Graph(_)) => {}
        other => panic!("no proof with {options:?}: {other:?}"),
    }
}

fn refutes(text: &str, options: &Options) {
    match run(text, options) {
        Outcome::Answer(Certificate::Inputs(_)) => {}
        other => panic!("no counterexample with {options:?}: {other:?}"),
    }
}

fn all_variants() -> Vec<Options> {
    let mut variants = Vec::new();
    for inductive in [true, false] {
        for blocks in [
            BlockOperator::LoopHeads,
            BlockOperator::Lbe,
            BlockOperator::AbeLength(3),
        ] {
            variants.push(Options {
                blocks,
                inductive,
                ..Options::default()
            });
        }
    }
    variants.push(Options {
        blocks: BlockOperator::Sbe,
        scope: Scope::Function,
        ..Options::default()
    });
    variants.push(Options {
        abstraction: AbstractionKind::Cartesian,
        refinement: RefinementKind::Global,
        ..Options::default()
    });
    variants.push(Options {
        abstraction: AbstractionKind::Boolean,
        scope: Scope::Global,
        inductive: false,
        ..Options::default()
    });
    variants
}

const COUNTER: &str = "int main(void) { int x = 0, n = __VERIFIER_nondet_int();
    while (x < 100) { x++; if (n > 5) x = x + 0; }
    if (x != 100) reach_error(); return 0; }";

#[test]
fn a_counter_stops_at_its_bound_in_every_variant() {
    for options in all_variants() {
        if options.inductive || options.blocks == BlockOperator::LoopHeads {
            proves(COUNTER, &options);
        }
    }
}

#[test]
fn a_violation_after_some_iterations_is_found_in_every_variant() {
    let text = "int main(void) { int x = 0, n = __VERIFIER_nondet_int();
        if (n != 123456) return 0;
        while (x < 3) { x++; n = n - 1; }
        if (n == 123453) reach_error(); return 0; }";
    for options in all_variants() {
        refutes(text, &options);
    }
}

/// A program of `programs/loops`.
fn stored(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/loops");
    std::fs::read_to_string(folder.join(name)).expect("the program is there")
}

/// The program of figure 1 of Greitschus2017: an interpolant that blocks as little as possible is
/// the invariant.
#[test]
fn a_loop_whose_interpolants_count_up() {
    proves(&stored("loop-bound-and-constant.c"), &Options::default());
}

#[test]
fn equations_come_from_sampled_states() {
    proves(&stored("loop-affine.c"), &Options::default());
}

#[test]
fn bounds_of_sums_come_from_sampled_states() {
    proves(&stored("loop-every-second-step.c"), &Options::default());
}

#[test]
fn what_was_stored_ends_a_search() {
    let program = program(&stored("loop-search-that-ends.c"));
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let mut engine = PredicateAnalysis {
        options: Options::default(),
    };
    let Outcome::Answer(certificate) = engine.run(&program, &NoBoard, &budget) else {
        panic!("no proof");
    };
    // Its invariant compares places of a heap object. The checker leaves that out, and what is left
    // proves the program only together with the facts of others (as in `default`, which the
    // programs' own test asks for).
    match certify::certify(&program, &certificate, &budget) {
        Ok(_) => {}
        Err(certify::Rejection::Unfinished(why)) => {
            assert!(why.contains("placement of objects"), "{why}");
        }
        Err(wrong) => panic!("{wrong}"),
    }
}

#[test]
fn a_refinement_that_counts_looks_for_other_reasons() {
    proves(&stored("loop-found-before-the-end.c"), &Options::default());
}

/// The element before the current one has an address below that of the array: it is said as an
/// offset all the same.
#[test]
fn elements_before_the_current_one_have_names() {
    let text = "int main(void) { unsigned a[1000], low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
        unsigned entered = 0; if (low >= 1000 || high >= 1000) return 0;
        while (low < high) { if (a[low] != a[high]) return 0; low++; high--; entered = 1; }
        if (entered) while (high < low) { if (a[low] != a[high]) reach_error(); high++; low--; }
        return 0; }";
    proves(text, &Options::default());
}

#[test]
fn calls_are_followed_with_their_locals() {
    let text = "int up_to(int bound) { int i = 0; while (i < bound) i++; return i; }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0) return 0;
        if (up_to(n) != n) reach_error(); return 0; }";
    proves(text, &Options::default());
}

#[test]
fn states_of_an_automaton_need_disjunctions() {
    let text = stored("loop-automaton-flag.c");
    proves(&text, &Options::default());
    proves(
        &text,
        &Options {
            inductive: false,
            ..Options::default()
        },
    );
}

#[test]
fn memory_is_part_of_predicates() {
    let text = "int a[4]; int main(void) { int i = 0; int k = __VERIFIER_nondet_int();
        if (k < 0 || k > 3) return 0; a[k] = 7;
        while (i < 10) { i++; }
        if (a[k] != 7) reach_error(); return 0; }";
    proves(text, &Options::default());
}

/// A protocol whose states follow one another; the flag counts the steps in order.
const PROTOCOL: &str = "int main(void) { int state = 10, flag = 0, next = 0;
    while (1) {
        int go = __VERIFIER_nondet_int();
        if (state == 10) { if (flag == 0) flag = 1; state = 20; }
        else if (state == 20) { if (flag == 1) flag = 2; state = go ? 30 : 40; }
        else if (state == 30) { if (flag == 2) flag = 3; state = 40; }
        else if (state == 40) { next = go ? 50 : 30; state = 60; }
        else if (state == 50) { if (flag == 0) reach_error(); return 0; }
        else if (state == 60) { state = next; }
        else { if (flag > 3) reach_error(); return 0; }
    } }";

#[test]
fn values_of_controlling_variables_are_tracked_together() {
    for (families, split_states) in [(true, true), (true, false), (false, true)] {
        for specialise in [true, false] {
            let options = Options {
                families,
                split_states,
                specialise,
                inductive: false,
                ..Options::default()
            };
            proves(PROTOCOL, &options);
        }
    }
}

/// The cell is the state, and what it is compared with is folded only if writes to other cells
/// leave it alone.
#[test]
fn blocks_are_specialised_for_values_in_memory() {
    let text = "struct s { int state; int flag; } table[2]; int main(void) {
        int i = __VERIFIER_nondet_int(); if (i < 0 || i > 1) return 0;
        struct s *p = &table[i], *q = &table[1 - i];
        p->state = 1; p->flag = 0;
        while (1) { q->flag = __VERIFIER_nondet_int();
            if (p->state == 1) { p->flag = 2; p->state = 3; }
            else if (p->state == 3) { if (p->flag != 2) reach_error(); p->state = 4; }
            else if (p->state == 4) { p->state = 5; q->state = 1; }
            else if (p->state == 5) { p->state = 6; }
            else if (p->state == 6) { p->state = 1; }
            else reach_error(); } }";
    for specialise in [true, false] {
        let options = Options {
            specialise,
            inductive: false,
            ..Options::default()
        };
        proves(text, &options);
    }
}

#[test]
fn every_choice_of_a_prefix_refutes() {
    let text = "int main(void) { int x = 0, y = __VERIFIER_nondet_int(), z = 1;
        while (__VERIFIER_nondet_int()) { x = x + 1; z = 1; }
        if (y == 5) { if (y == 6) { if (z == 0) reach_error(); } }
        if (z != 1) reach_error();
        return 0; }";
    for prefixes in [
        PrefixChoice::Whole,
        PrefixChoice::Shortest,
        PrefixChoice::Longest,
        PrefixChoice::FewestLoopVariables,
    ] {
        let options = Options {
            prefixes,
            inductive: false,
            ..Options::default()
        };
        proves(text, &options);
        proves(PROTOCOL, &options);
    }
}

#[test]
fn predicates_from_assumes_save_refinements() {
    for static_refinement in [StaticRefinement::ErrorAssumes, StaticRefinement::AllAssumes] {
        let options = Options {
            static_refinement,
            inductive: false,
            ..Options::default()
        };
        proves(PROTOCOL, &options);
        proves(&stored("loop-automaton-flag.c"), &options);
    }
}

#[test]
fn whole_interpolants_are_predicates_too() {
    let options = Options {
        predicates: PredicateKind::Whole,
        inductive: false,
        ..Options::default()
    };
    proves(&stored("loop-automaton-flag.c"), &options);
}

fn refinements(text: &str, options: &Options) -> (Outcome, u64) {
    let program = program(text);
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let mut engine = PredicateAnalysis {
        options: options.clone(),
    };
    let board = Counts::default();
    let outcome = engine.run(&program, &board, &budget);
    let counts = board.all();
    (outcome, counts["refinements"])
}

#[test]
fn none_one_two_and_many_refinements() {
    let plain = Options {
        inductive: false,
        families: false,
        ..Options::default()
    };
    let none =
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x != x) reach_error(); return 0; }";
    let one = "int main(void) { int x = 1; while (__VERIFIER_nondet_int()) { }
        if (x != 1) reach_error(); return 0; }";
    let two = "int main(void) { int x = 1, y = 2; while (__VERIFIER_nondet_int()) { }
        if (x != 1) reach_error(); if (y != 2) reach_error(); return 0; }";
    for (text, expected) in [
        (none, 0..=0),
        (one, 1..=1),
        (two, 1..=2),
        (PROTOCOL, 3..=40),
    ] {
        let (outcome, count) = refinements(text, &plain);
        assert!(
            matches!(outcome, Outcome::Answer(Certificate::Graph(_))),
            "{text}: {outcome:?}"
        );
        assert!(expected.contains(&count), "{count} refinements of {text}");
    }
}

#[test]
fn predicates_speak_of_structs_pointers_and_what_calls_return() {
    let text = "struct pair { int a; int b; };
        static int get(struct pair *p) { return p->a; }
        static void set(struct pair *p, int v) { p->a = v; p->b = v + 1; }
        int main(void) { struct pair one, two; struct pair *p = __VERIFIER_nondet_int() ? &one : &two;
        set(&one, 3); set(&two, 3);
        while (__VERIFIER_nondet_int()) { set(p, get(p)); }
        if (p->b != 4) reach_error();
        if (get(&one) != get(&two)) reach_error(); return 0; }";
    proves(text, &Options::default());
}

#[test]
fn arrays_of_variable_length_are_memory_as_others() {
    let text = "int main(void) { unsigned n = 1, m = 1, j, k; int most = __VERIFIER_nondet_int();
        int cells[n][m];
        for (j = 0; j < n; j++) for (k = 0; k < m; k++) {
            cells[j][k] = __VERIFIER_nondet_int();
            if (cells[j][k] >= most) most = cells[j][k]; }
        if (cells[0][0] > most) reach_error(); return 0; }";
    for blocks in [BlockOperator::LoopHeads, BlockOperator::Lbe] {
        for inductive in [true, false] {
            let options = Options {
                blocks,
                inductive,
                ..Options::default()
            };
            proves(text, &options);
        }
    }
}

/// Conditions moved backwards say what `x` must not be, one value for each iteration; the remainder
/// modulo four is the proof.
#[test]
fn a_refinement_that_counts_says_so_and_the_default_proves() {
    let text = "int main(void) { unsigned x = 1;
        while (__VERIFIER_nondet_int()) { x = x + 4; }
        if (x == 10) reach_error(); return 0; }";
    let naive = Options {
        inductive: false,
        families: false,
        interpolants: vec![InterpolantSource::WeakestPrecondition],
        ..Options::default()
    };
    let program = program(text);
    let budget = Budget::new(Some(Duration::from_secs(6)), None);
    let mut engine = PredicateAnalysis { options: naive };
    match engine.run(&program, &NoBoard, &budget) {
        Outcome::Unknown(why) => {
            let why = why.to_string();
            assert!(why.contains("'x == #' grow by -4"), "{why}");
        }
        other => panic!("{other:?}"),
    }
    proves(text, &Options::default());
}

/// Each instance of a local begins with any value, whatever the one before held.
#[test]
fn what_earlier_instances_held_is_forgotten() {
    let text = "static void set(int *p, int v) { *p = v; }
        static int use(int v) { int x; int *p = &x; int old = x; set(p, v); return old; }
        int main(void) { int first = use(5), y = 5;
        while (__VERIFIER_nondet_int()) { int z; int *q = &z; y = z; set(q, 5); }
        if (use(5) != 5 && y != 5) reach_error(); return first; }";
    for inductive in [true, false] {
        let options = Options {
            inductive,
            ..Options::default()
        };
        if let Outcome::Answer(Certificate::Graph(_)) = run(text, &options) {
            panic!("uninitialised locals have any value");
        }
    }
}

const STAYS_ONE: &str = "int main(void) { int x = 1; while (__VERIFIER_nondet_int()) { }
    if (x != 1) reach_error(); return 0; }";
/// No run with values from the text finds it.
const HIDDEN: &str = "int main(void) { int x = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int()) { } if (x * 3 == 2468013) reach_error(); return 0; }";

fn run_with_solver(text: &str, name: &str) -> Outcome {
    let program = program(text);
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let budget = budget.with_solver(logic::SolverChoice::named(name));
    PredicateAnalysis::default().run(&program, &NoBoard, &budget)
}

/// No question goes to the default solver when another one was chosen.
#[test]
fn without_the_chosen_solver_there_is_no_answer() {
    for text in [STAYS_ONE, HIDDEN] {
        let outcome = run_with_solver(text, "no-such-solver-anywhere");
        assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
    }
}

#[test]
fn the_chosen_solver_answers() {
    if logic::SolverChoice::named("z3").check().is_err() {
        println!("SKIPPED: no z3");
        return;
    }
    let proof = run_with_solver(STAYS_ONE, "z3");
    assert!(
        matches!(proof, Outcome::Answer(Certificate::Graph(_))),
        "{proof:?}"
    );
    let inputs = run_with_solver(HIDDEN, "z3");
    assert!(
        matches!(inputs, Outcome::Answer(Certificate::Inputs(_))),
        "{inputs:?}"
    );
}

#[test]
fn what_people_expect_is_counted() {
    let program = program(STAYS_ONE);
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let options = Options {
        inductive: false,
        ..Options::default()
    };
    let board = Counts::default();
    PredicateAnalysis { options }.run(&program, &board, &budget);
    let counts = board.all();
    for name in ["ms in solver", "ms in interpolation", "ms in BDDs"] {
        assert!(counts.contains_key(name), "{name}");
    }
    for name in [
        "abstractions",
        "all-sat models",
        "refinements",
        "solver checks",
        "locations with predicates",
        "predicates at all locations",
        "most predicates at a location",
    ] {
        assert!(counts[name] > 0, "{name}: {counts:?}");
    }
    assert!(counts["solver checks"] >= counts["abstraction checks"]);
}
