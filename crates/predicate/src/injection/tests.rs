//! What others proved, wherever it is put.

use super::*;
use crate::{Options, PredicateAnalysis};
use cfa::expr::ExprPool;
use cfa::program::{Program, VariableKind};
use cfa::value::Ty;
use cpa::generator::Generator;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Engine, Knowledge, Outcome, Reporter};
use facts::invariants::Facts;
use facts::precision::PrecisionMap;
use std::sync::Mutex;
use std::time::Duration;
use testing::program;

#[derive(Default)]
pub(super) struct Shared(Mutex<Facts>, Mutex<Vec<Arc<PrecisionMap>>>);

impl Knowledge for Shared {
    fn publish(&self, map: InvariantMap) {
        self.0.lock().unwrap().maps.push(Arc::new(map));
    }

    fn facts(&self) -> Facts {
        self.0.lock().unwrap().clone()
    }

    fn publish_precision(&self, map: PrecisionMap) {
        self.1.lock().unwrap().push(Arc::new(map));
    }

    fn precisions(&self) -> Vec<Arc<PrecisionMap>> {
        self.1.lock().unwrap().clone()
    }
}

impl Reporter for Shared {}

const ALL: [Injection; 3] = [
    Injection::Precision,
    Injection::PathFormula,
    Injection::AbstractionFormula,
];

fn subsets() -> Vec<Vec<Injection>> {
    (0..8)
        .map(|mask| {
            let chosen = ALL.iter().enumerate();
            let chosen = chosen.filter(|(bit, _)| mask & (1 << bit) != 0);
            chosen.map(|(_, &each)| each).collect()
        })
        .collect()
}

/// An analysis that finds no predicate by itself.
fn run(text: &str, inject: Vec<Injection>) -> Outcome {
    let program = program(text);
    let board = Shared::default();
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    Generator::default().run(&program, &board, &budget);
    let options = Options {
        inject,
        interpolants: Vec::new(),
        inductive: false,
        ..Options::default()
    };
    let outcome = PredicateAnalysis { options }.run(&program, &board, &budget);
    if let Outcome::Answer(certificate) = &outcome
        && let Err(why) = certify::certify(&program, certificate, &budget)
    {
        panic!("{why}");
    }
    outcome
}

/// The generator cannot prove the product, and the analysis not the bounds: together they can.
const BOUNDED: &str = "int main(void) { unsigned x = 0, n = __VERIFIER_nondet_uint();
    while (n > 3) { if (x < 1000) x = x + 1; n = __VERIFIER_nondet_uint(); }
    if (x * (2000u - x) > 1000000u) reach_error(); return 0; }";

#[test]
fn facts_refute_wherever_they_are_put() {
    for inject in subsets() {
        match run(BOUNDED, inject.clone()) {
            Outcome::Answer(Certificate::Graph(_)) => assert!(!inject.is_empty()),
            Outcome::Unknown(_) => assert!(inject.is_empty(), "{inject:?}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn violations_stay_where_facts_are_used() {
    let text = "int main(void) { unsigned x = 0, n = __VERIFIER_nondet_uint();
        while (n > 3) { if (x < 5) x = x + 1; n = __VERIFIER_nondet_uint(); }
        if (x == 4 && n == 2) reach_error(); return 0; }";
    for inject in subsets() {
        match run(text, inject) {
            Outcome::Answer(Certificate::Graph(_)) => panic!("a wrong proof"),
            Outcome::Answer(_) | Outcome::Unknown(_) => {}
        }
    }
}

/// What holds in one call is false in the other.
#[test]
fn facts_of_one_call_are_not_used_in_another() {
    let text = "int f(int k) { int i = k; while (__VERIFIER_nondet_int()) { if (i < k + 5) i++; }
            return i; }
        int main(void) { int a = f(0); int b = f(100);
        if (b < 50) reach_error(); if (a > 50) reach_error(); return 0; }";
    for inject in subsets() {
        if let Outcome::Answer(Certificate::Inputs(_)) = run(text, inject) {
            panic!("a wrong violation");
        }
    }
    let wrong = text.replace("b < 50", "b > 100");
    for inject in subsets() {
        if let Outcome::Answer(Certificate::Graph(_)) = run(&wrong, inject) {
            panic!("a wrong proof");
        }
    }
}

const COUNT: &str = "int main(void) { int i; for (i = 0; i < 1000000; i++) ;
    if (i != 1000000) reach_error(); return 0; }";
const WRONG: &str = "int main(void) { int i, n = __VERIFIER_nondet_int();
    for (i = 0; i < 3; i++) if (n == 77) n++;
    if (i == 3 && n == 78) reach_error(); return 0; }";

/// The answers of analyses that run one after the other; answers are certified.
fn in_sequence(text: &str, stages: Vec<Options>) -> Outcome {
    let program = program(text);
    let board = Shared::default();
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let mut reasons = Vec::new();
    for options in stages {
        match (PredicateAnalysis { options }).run(&program, &board, &budget) {
            Outcome::Answer(certificate) => {
                if let Err(why) = certify::certify(&program, &certificate, &budget) {
                    panic!("{why}");
                }
                return Outcome::Answer(certificate);
            }
            Outcome::Unknown(reason) => reasons.push(reason.to_string()),
        }
    }
    Outcome::Unknown(reasons.join("; ").into())
}

/// Stieglmaier2016, listing 1.
#[test]
fn path_invariants_prove_a_counting_loop() {
    let options = Options {
        inductive: false,
        path_invariants: Some(absint::invariants::InvariantOptions {
            domain: absint::numeric::choice::Domain::IntervalSet,
            ..Default::default()
        }),
        ..Options::default()
    };
    let proof = in_sequence(COUNT, vec![options.clone()]);
    assert!(
        matches!(proof, Outcome::Answer(Certificate::Graph(_))),
        "{proof:?}"
    );
    let violation = in_sequence(WRONG, vec![options]);
    assert!(
        matches!(violation, Outcome::Answer(Certificate::Inputs(_))),
        "{violation:?}"
    );
}

#[test]
fn heuristics_are_never_wrong() {
    use crate::heuristics::Heuristic;
    for heuristic in [
        Heuristic::IntCheck,
        Heuristic::Weakening,
        Heuristic::ConjCheck,
    ] {
        for inject in [vec![Injection::AbstractionFormula], ALL.to_vec()] {
            let options = Options {
                inductive: false,
                heuristics: vec![heuristic],
                inject,
                ..Options::default()
            };
            let proof = in_sequence(COUNT, vec![options.clone()]);
            assert!(!matches!(proof, Outcome::Answer(Certificate::Inputs(_))));
            let violation = in_sequence(WRONG, vec![options]);
            assert!(!matches!(violation, Outcome::Answer(Certificate::Graph(_))));
        }
    }
}

#[test]
fn a_sequence_hands_on_precision_and_reached_set() {
    use crate::stages::Stage;
    let stage = |stage, inject: &[Injection], use_precision| Options {
        inductive: false,
        stage,
        use_precision,
        inject: inject.to_vec(),
        ..Options::default()
    };
    let seq = vec![
        stage(Stage::Bounded, &[], false),
        stage(Stage::Explore, &[], false),
        stage(Stage::Complete, &ALL, false),
    ];
    let restart = vec![
        stage(Stage::Bounded, &[], false),
        stage(Stage::Complete, &[], true),
    ];
    for stages in [seq, restart] {
        let proof = in_sequence(COUNT, stages.clone());
        assert!(
            matches!(proof, Outcome::Answer(Certificate::Graph(_))),
            "{proof:?}"
        );
        let violation = in_sequence(WRONG, stages);
        assert!(
            matches!(violation, Outcome::Answer(Certificate::Inputs(_))),
            "{violation:?}"
        );
    }
    // A last stage that finds no predicate by itself has nothing but what is handed on.
    let mut last = stage(Stage::Complete, &[], true);
    last.interpolants = Vec::new();
    let bounded = stage(Stage::Bounded, &[], false);
    let turns = "int main(void) { int a = 0, b = 2; while (__VERIFIER_nondet_int()) {
        if (a == 0) { a = 1; b = 5; } else { a = 0; b = 2; } }
        if (a == 1 && b == 2) reach_error(); return 0; }";
    let with = in_sequence(turns, vec![bounded, last.clone()]);
    assert!(matches!(with, Outcome::Answer(_)), "{with:?}");
    let without = in_sequence(turns, vec![last]);
    assert!(matches!(without, Outcome::Unknown(_)), "{without:?}");
}

#[test]
fn an_exploration_cannot_help_without_a_precision() {
    use crate::stages::Stage;
    let explore = PredicateAnalysis {
        options: Options {
            stage: Stage::Explore,
            ..Options::default()
        },
    };
    let board = Shared::default();
    assert!(explore.can_help(&board).is_err());
    assert!(PredicateAnalysis::default().can_help(&board).is_ok());
    board.publish_precision(PrecisionMap::default());
    assert!(explore.can_help(&board).is_ok());
}

/// The place at the head of the only loop, with a path to it and beyond.
fn loop_head(analysis: &mut Analysis<'_>) -> (PlaceId, Trace) {
    use induction::graph::Target;
    let block = analysis.graph.outgoing(ROOT)[0];
    let Target::Place(head) = analysis.graph.block(block).target else {
        panic!("the program begins with its loop");
    };
    let next = analysis.graph.outgoing(head)[0];
    let trace = Trace::new(&mut analysis.graph, vec![block, next], false);
    (head, trace)
}

/// A statement about global variables at the only loop head.
fn at_loop_head(
    program: &Program,
    say: impl FnOnce(&mut ExprPool, &[ExprId]) -> ExprId,
) -> InvariantMap {
    let budget = Budget::unlimited();
    let options = Options::default();
    let mut analysis = Analysis::new(program, &options, "test", &facts::engine::NoBoard, &budget);
    let (head, _) = loop_head(&mut analysis);
    let location = analysis.graph.place(head).location;
    let mut pool = program.pool.clone();
    let mut globals: Vec<ExprId> = Vec::new();
    for (number, var) in program.vars.iter().enumerate() {
        if var.kind == VariableKind::Global {
            globals.push(pool.variable(VarId(number as u32), var.ty));
        }
    }
    let holds = say(&mut pool, &globals);
    InvariantMap {
        by: "test".into(),
        pool,
        entries: vec![facts::invariants::Invariant {
            calls: cfa::place::CallPattern::Any,
            location,
            holds,
        }],
    }
}

/// Two factors of this number below 2^32 are hard to find.
const SEMIPRIME: u128 = 2_860_486_313 * 3_267_000_013;

/// Bounds, and that the product is not the number: it is true, since both variables are zero.
fn hard_facts(program: &Program) -> Shared {
    let board = Shared::default();
    board.publish(at_loop_head(program, |pool, globals| {
        let ty = Ty::unsigned(64);
        let most = pool.constant(u128::from(u32::MAX), ty);
        let number = pool.constant(SEMIPRIME, ty);
        let product = pool.binary(BinOp::Mul, globals[0], globals[1]);
        let parts = [
            pool.binary(BinOp::Le, globals[0], most),
            pool.binary(BinOp::Le, globals[1], most),
            pool.binary(BinOp::Ne, product, number),
        ];
        let [first, second, third] = parts;
        let both = pool.and(first, second);
        pool.and(both, third)
    }));
    board
}

const TWO_ZEROS: &str = "unsigned long long a, b;
    int main(void) { while (__VERIFIER_nondet_int()) { } if (a + b > 7) reach_error(); return 0; }";

/// Whether a fact is new is asked for a short time only; then it is taken to be.
#[test]
fn a_hard_fact_does_not_take_all_the_time() {
    let program = program(TWO_ZEROS);
    let board = hard_facts(&program);
    let options = Options {
        inject: vec![Injection::AbstractionFormula],
        filter_invariants: false,
        ..Options::default()
    };
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let mut analysis = Analysis::new(&program, &options, "test", &board, &budget);
    let (head, _) = loop_head(&mut analysis);
    analysis.take_facts();
    assert!(analysis.know_facts_of(head) && !budget.is_exhausted());
    assert_eq!(analysis.abstractions.facts(head).len(), 3);
}

/// What is hard stays out of formulas until a path comes back.
#[test]
fn hard_facts_are_used_where_the_others_are_not_enough() {
    let program = program(TWO_ZEROS);
    let board = hard_facts(&program);
    let options = Options {
        inject: vec![Injection::PathFormula],
        ..Options::default()
    };
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let mut analysis = Analysis::new(&program, &options, "test", &board, &budget);
    let (head, trace) = loop_head(&mut analysis);
    assert_eq!(analysis.inject_along(&trace), Some(1));
    assert_eq!(analysis.abstractions.facts(head).len(), 2);
    assert_eq!(analysis.statistics.hard_invariants, 1);
    assert_eq!(analysis.admit_hard_facts(&trace), Some(1));
    assert_eq!(analysis.abstractions.facts(head).len(), 3);
    assert_eq!(analysis.admit_hard_facts(&trace), None);
}

/// A board on which somebody publishes whenever anybody looks.
struct Busy<'a> {
    program: &'a Program,
    shared: Shared,
    looks: Mutex<usize>,
}

impl Busy<'_> {
    fn publish_next(&self) {
        let mut count = self.shared.0.lock().unwrap().maps.len() as u128;
        count += 1_000;
        self.shared
            .publish(at_loop_head(self.program, |pool, globals| {
                let bound = pool.constant(count, Ty::unsigned(32));
                pool.binary(BinOp::Le, globals[0], bound)
            }));
    }
}

impl Knowledge for Busy<'_> {
    fn publish(&self, map: InvariantMap) {
        self.shared.publish(map);
    }

    fn facts(&self) -> Facts {
        self.publish_next();
        *self.looks.lock().unwrap() += 1;
        self.shared.facts()
    }

    fn version(&self) -> usize {
        self.publish_next();
        self.shared.facts().version()
    }
}

impl Reporter for Busy<'_> {}

/// Stieglmaier2016, section 5.3.1: what is known of a place changes in refinements only, whatever
/// is published meanwhile.
#[test]
fn one_version_of_the_facts_is_used_between_refinements() {
    let text = "unsigned x, n; int main(void) {
        while (__VERIFIER_nondet_int()) { if (x < 900) x = x + 1; n = __VERIFIER_nondet_uint(); }
        if (x * (2000u - x) > 1000000u) reach_error(); return 0; }";
    let program = program(text);
    let board = Busy {
        program: &program,
        shared: Shared::default(),
        looks: Mutex::default(),
    };
    let options = Options {
        inject: ALL.to_vec(),
        inductive: false,
        ..Options::default()
    };
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let mut analysis = Analysis::new(&program, &options, "test", &board, &budget);
    let (head, trace) = loop_head(&mut analysis);
    assert!(analysis.take_facts());
    let known = analysis.conjuncts_at(head, 0);
    assert_eq!(known.len(), board.shared.facts().version());
    for _ in 0..3 {
        board.version();
        analysis.know_facts_of(head);
        assert_eq!(analysis.conjuncts_at(head, 0), known);
        assert_eq!(analysis.facts_of_proof()[&head], known);
    }
    analysis.inject_along(&trace);
    assert!(analysis.conjuncts_at(head, 0).len() > known.len() + 3);

    // In a whole run: before the first step and in refinements, no oftener.
    *board.looks.lock().unwrap() = 0;
    let mut analysis = Analysis::new(&program, &options, "test", &board, &budget);
    let Outcome::Answer(certificate) = analysis.run() else {
        panic!("the bound of x is a proof");
    };
    certify::certify(&program, &certificate, &budget).expect("the proof carries its facts");
    let looks = *board.looks.lock().unwrap() as u64;
    assert!((1..=1 + analysis.statistics.refinements).contains(&looks));
}

/// Its facts come late: when they are asked for the third time.
struct Late<'a> {
    shared: &'a Shared,
    looks: Mutex<usize>,
}

impl Knowledge for Late<'_> {
    fn publish(&self, map: InvariantMap) {
        self.shared.publish(map);
    }

    fn facts(&self) -> Facts {
        match self.version() {
            0 => Facts::default(),
            _ => self.shared.facts(),
        }
    }

    fn version(&self) -> usize {
        let mut looks = self.looks.lock().unwrap();
        *looks += 1;
        match *looks > 2 {
            true => self.shared.facts().version(),
            false => 0,
        }
    }
}

impl Reporter for Late<'_> {}

#[test]
fn facts_that_come_when_nothing_else_helps_are_used() {
    let program = program(BOUNDED);
    let shared = Shared::default();
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let _ = Generator::default().run(&program, &shared, &budget);
    let mut analysis = PredicateAnalysis {
        options: Options {
            inject: vec![Injection::AbstractionFormula],
            interpolants: Vec::new(),
            inductive: false,
            ..Options::default()
        },
    };
    let late = Late {
        shared: &shared,
        looks: Mutex::new(0),
    };
    let outcome = analysis.run(&program, &late, &budget);
    let looks = *late.looks.lock().unwrap();
    assert!(looks > 2, "nobody asked for them");
    let Outcome::Answer(certificate) = outcome else {
        panic!("{outcome:?}");
    };
    let checked = certify::certify(&program, &certificate, &budget);
    assert!(checked.is_ok(), "{checked:?}");
}
