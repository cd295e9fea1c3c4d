//! Each heuristic on a program that shows what it is for.

use super::*;
use crate::abstraction::AbstractionKind;
use crate::algorithm::{Refined, Spurious};
use crate::counterexample::{self, Feasibility};
use crate::injection::Injection;
use crate::{Options, PredicateAnalysis};
use absint::invariants::InvariantOptions;
use absint::numeric::choice::Domain;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Engine, NoBoard, Outcome};
use induction::graph::{BlockId, Target};
use logic::UnknownReason;
use logic::interpolate::InterpolationError;
use std::collections::BTreeMap;
use std::time::Duration;
use testing::Counts;
use testing::program;

/// As in `base300`, with the heuristics.
fn with(heuristics: &[Heuristic], inject: Injection) -> Options {
    Options {
        abstraction: AbstractionKind::Boolean,
        inductive: false,
        heuristics: heuristics.to_vec(),
        inject: vec![inject],
        ..Options::default()
    }
}

/// What the analysis counted on its way to a proof, which must be accepted by the checker.
fn proved(text: &str, options: &Options) -> BTreeMap<String, u64> {
    let program = program(text);
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let board = Counts::default();
    let mut engine = PredicateAnalysis {
        options: options.clone(),
    };
    match engine.run(&program, &board, &budget) {
        Outcome::Answer(certificate @ Certificate::Graph(_)) => {
            if let Err(why) = certify::certify(&program, &certificate, &budget) {
                panic!("{why}");
            }
        }
        other => panic!("no proof with {options:?}: {other:?}"),
    }
    board.all()
}

/// Interpolants count down by four from ten; one of their literals, about the remainder, is
/// inductive.
const STEPS_OF_FOUR: &str = "int main(void) { unsigned x = 1;
    while (__VERIFIER_nondet_int()) { x = x + 4; }
    if (x == 10) reach_error(); return 0; }";

/// What was decided before the loop is part of the path formula and stays so.
const DECIDED_BEFORE: &str = "int main(void) { int m = __VERIFIER_nondet_int(), s, i = 0;
    if (m < 3) s = 5; else s = 7;
    while (i < 100000) { i++; }
    if (m < 3 && s != 5) reach_error(); return 0; }";

/// Each of two equations is inductive only together with the other.
const EXCHANGED: &str = "int main(void) { unsigned a = __VERIFIER_nondet_uint(), b = a;
    unsigned c = __VERIFIER_nondet_uint(), d = c;
    while (__VERIFIER_nondet_int()) { unsigned t = a; a = c; c = t; t = b; b = d; d = t; }
    if (a != b) reach_error(); return 0; }";

/// Of `(p == 1 && q < 100) || r == 3` a clause is inductive, but not the whole: the loop changes
/// `q`.
const CLAUSE: &str =
    "int main(void) { int p = __VERIFIER_nondet_int(), q = __VERIFIER_nondet_int();
    int r = __VERIFIER_nondet_int(), i = 0;
    if (!((p == 1 && q < 100) || r == 3)) return 0;
    while (i < 100000) { i++; q = __VERIFIER_nondet_int(); }
    if (p != 1 && r != 3) reach_error(); return 0; }";

#[test]
fn an_inductive_literal_of_an_interpolant_saves_refinements() {
    for inject in [Injection::AbstractionFormula, Injection::Precision] {
        let base = proved(STEPS_OF_FOUR, &with(&[], inject));
        let checked = proved(STEPS_OF_FOUR, &with(&[Heuristic::IntCheck], inject));
        assert!(base["refinements"] > 3, "{base:?}");
        assert_eq!(checked["refinements"], 1, "{checked:?}");
        assert_eq!(checked["int-check successes"], 1);
    }
}

#[test]
fn conjuncts_of_the_path_formula_save_refinements() {
    let inject = Injection::AbstractionFormula;
    for text in [DECIDED_BEFORE, CLAUSE] {
        let base = proved(text, &with(&[], inject));
        let checked = proved(text, &with(&[Heuristic::ConjCheck], inject));
        assert!(base["refinements"] > 1, "{base:?}");
        assert_eq!(checked["refinements"], 1, "{checked:?}");
        assert_eq!(checked["conj-check successes"], 1);
    }
}

#[test]
fn weakening_keeps_what_is_inductive_together() {
    let inject = Injection::AbstractionFormula;
    let alone = proved(EXCHANGED, &with(&[Heuristic::ConjCheck], inject));
    assert!(alone["conj-check attempts"] > 0);
    assert_eq!(alone["conj-check successes"], 0);
    let together = proved(EXCHANGED, &with(&[Heuristic::Weakening], inject));
    assert_eq!(together["weakening successes"], 1, "{together:?}");
    let decided = proved(DECIDED_BEFORE, &with(&[Heuristic::Weakening], inject));
    assert_eq!(decided["refinements"], 1, "{decided:?}");
}

#[test]
fn all_heuristics_or_the_first_that_succeeds() {
    let order = [
        Heuristic::ConjCheck,
        Heuristic::Weakening,
        Heuristic::IntCheck,
    ];
    for use_all_heuristics in [false, true] {
        let options = Options {
            use_all_heuristics,
            ..with(&order, Injection::AbstractionFormula)
        };
        let counts = proved(DECIDED_BEFORE, &options);
        assert_eq!(counts["conj-check attempts"], 1);
        let expected = u64::from(use_all_heuristics);
        assert_eq!(counts["weakening attempts"], expected);
        assert_eq!(counts["int-check attempts"], expected);
    }
    // Those before the first that succeeds are used in any case.
    let order = [Heuristic::ConjCheck, Heuristic::IntCheck];
    let counts = proved(STEPS_OF_FOUR, &with(&order, Injection::AbstractionFormula));
    assert_eq!(counts["conj-check successes"], 0);
    assert_eq!(counts["int-check successes"], 1);
}

/// Under the names that the tables of benchmark runs ask for.
#[test]
fn attempts_successes_and_time_are_counted_for_each_kind() {
    let base = proved(COUNT, &with(&[], Injection::Precision));
    assert!(!base.contains_key("invariant-attempts"), "{base:?}");
    let options = Options {
        path_invariants: Some(InvariantOptions {
            domain: Domain::IntervalSet,
            ..InvariantOptions::default()
        }),
        ..with(&[Heuristic::IntCheck], Injection::Precision)
    };
    let counts = proved(COUNT, &options);
    for what in ["attempts", "successes"] {
        let of_kinds =
            ["int-check", "path-invariant"].map(|kind| counts[&format!("{kind} {what}")]);
        let sum = of_kinds.iter().sum::<u64>();
        assert_eq!(counts[&format!("invariant-{what}")], sum);
    }
    assert!(counts["int-check attempts"] > 0);
    assert!(counts["path-invariant successes"] > 0, "{counts:?}");
    let longest = counts["int-check ms"] + counts["path-invariant ms"] + 1;
    assert!(counts["invariant-ms"] <= longest);
}

/// Stieglmaier2016, listing 1.
const COUNT: &str = "int main(void) { int i; for (i = 0; i < 1000000; i++) ;
    if (i != 1000000) reach_error(); return 0; }";

/// The path to the error after so many iterations of the only loop, and why it is impossible.
fn path(analysis: &mut Analysis<'_>, iterations: usize) -> (Trace, Vec<Vec<Term>>) {
    let mut place = ROOT;
    let mut blocks: Vec<BlockId> = Vec::new();
    for _ in 0..=iterations {
        let mut outgoing = analysis
            .graph
            .outgoing(place)
            .iter()
            .copied()
            .collect::<Vec<_>>();
        outgoing.retain(|&block| matches!(analysis.graph.block(block).target, Target::Place(_)));
        blocks.push(outgoing[0]);
        if let Target::Place(next) = analysis.graph.block(outgoing[0]).target {
            place = next;
        }
    }
    let outgoing = analysis.graph.outgoing(place);
    let error = outgoing
        .iter()
        .find(|&&block| matches!(analysis.graph.block(block).target, Target::Error(_)));
    blocks.push(*error.expect("the loop leads to the error"));
    let trace = Trace::new(&mut analysis.graph, blocks, false);
    let stop = StopToken::new();
    match counterexample::check(&mut analysis.graph, &trace, &stop) {
        Feasibility::Infeasible(core) => (trace, core),
        _ => panic!("the path is impossible"),
    }
}

/// Candidates that the time does not suffice for are tried with the next path.
#[test]
fn what_the_time_did_not_reach_is_not_lost() {
    let over = StopToken::new();
    over.stop();
    for (heuristic, text) in [
        (Heuristic::IntCheck, STEPS_OF_FOUR),
        (Heuristic::Weakening, DECIDED_BEFORE),
        (Heuristic::ConjCheck, DECIDED_BEFORE),
    ] {
        let program = program(text);
        let options = with(&[heuristic], Injection::AbstractionFormula);
        let budget = Budget::new(Some(Duration::from_secs(60)), None);
        let mut analysis = Analysis::new(&program, &options, "test", &NoBoard, &budget);
        let (trace, core) = path(&mut analysis, 0);
        assert_eq!(analysis.invariants_of_path(&trace, &core, &over), []);
        assert!(analysis.looked_at.is_empty(), "{heuristic:?}");
        let found = analysis.invariants_of_path(&trace, &core, &StopToken::new());
        assert!(!found.is_empty(), "{heuristic:?}");
        assert!(!analysis.looked_at.is_empty());
        // What was looked at is not looked at again.
        let again = analysis.invariants_of_path(&trace, &core, &StopToken::new());
        assert_eq!(again, []);
    }
}

#[test]
fn interpolation_ends_with_the_time_that_it_is_given() {
    let program = program(DECIDED_BEFORE);
    let options = with(&[], Injection::AbstractionFormula);
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let mut analysis = Analysis::new(&program, &options, "test", &NoBoard, &budget);
    let (trace, core) = path(&mut analysis, 1);
    let over = StopToken::new();
    over.stop();
    for source in crate::compare::SOURCES {
        let found = analysis.predicates_from(source, &[], &trace, &core, &over);
        let stopped = Err(InterpolationError::Unknown(UnknownReason::Stopped));
        assert_eq!(found, stopped, "{source:?}");
    }
}

/// Heuristics and path programs have said what they can about a path when it comes back.
#[test]
fn a_path_is_looked_at_once() {
    let program = program(COUNT);
    let options = Options {
        path_invariants: Some(InvariantOptions::default()),
        ..with(&[Heuristic::ConjCheck], Injection::Precision)
    };
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    for (is_first, attempts) in [(true, 1), (false, 0)] {
        let mut analysis = Analysis::new(&program, &options, "test", &NoBoard, &budget);
        let (trace, core) = path(&mut analysis, 2);
        let refined = analysis.refute(Spurious {
            nodes: &[],
            trace: &trace,
            core: &core,
            is_first,
        });
        assert!(matches!(refined, Refined::Progress));
        let statistics = &analysis.statistics;
        let heuristic = &statistics.heuristics[Heuristic::ConjCheck as usize];
        assert_eq!(heuristic.attempts, attempts);
        assert_eq!(statistics.path_invariants.attempts, attempts);
    }
}
