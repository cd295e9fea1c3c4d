//! All engines under the laws of combinations: they stop when they are told to, they bear facts
//! that come all the time, and their answers do not depend on who is first.

use crate::assembly;
use crate::case::Case;
use crate::certification::Certified;
use crate::plan::{Configured, Plan, Step};
use crate::registry;
use cfa::place::CallPattern;
use cfa::program::Program;
use cooperation::parallel::Parallel;
use cooperation::part::{Ended, Part, Participant};
use cooperation::store::FactStore;
use facts::budget::Budget;
use facts::engine::{Board, Engine, Outcome};
use facts::invariants::{Invariant, InvariantMap};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn plan(name: &str, options: &str) -> Plan {
    let engine = registry::named(name).expect("there is such an engine");
    let options = options.parse().expect("a table of options");
    Step::Engine(Configured { engine, options }).into()
}

fn participant(plan: Plan, case: &Arc<Case>) -> Box<dyn Participant> {
    assembly::make(&plan, case, Vec::new()).expect("the options are right")
}

const DECLARATIONS: &str = "int __VERIFIER_nondet_int(void);
    unsigned __VERIFIER_nondet_uint(void); void reach_error(void);\n";

fn case(text: &str) -> Arc<Case> {
    let case = Case::of_text(&format!("{DECLARATIONS}{text}"));
    Arc::new(case.expect("a correct program"))
}

/// Nobody decides this soon: a prime number is not a product.
const PRODUCTS: &str = "int main(void) {
    unsigned n = 0;
    while (__VERIFIER_nondet_int()) {
        unsigned long long a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
        if (n < 100) n = n + 1;
        if (n > 2 && a > 1 && b > 1 && a * b == 4611686018427387847ull) reach_error();
    }
    return 0; }";

/// Whoever follows values follows them for long.
const COUNTS: &str = "int main(void) {
    unsigned i = 0, sum = __VERIFIER_nondet_uint() % 2;
    for (i = 0; i < 4000000000u; i++) { if (i % 7 == 3) sum = sum + 2; else sum = sum + 4; }
    if (sum == 4000000001u) reach_error();
    return 0; }";

/// Many places, and many variables to guess and to compute relations about.
fn large() -> String {
    let count = 40;
    let mut text = String::from("int main(void) {\n");
    for number in 0..count {
        let _ = writeln!(text, "int v{number} = {number};");
    }
    for number in 0..count {
        let (next, far) = ((number + 1) % count, (number + 7) % count);
        let _ = writeln!(
            text,
            "while (__VERIFIER_nondet_int()) {{ if (v{number} < {number}00) v{number}++;
             if (v{next} > v{far}) v{far} = v{next} - 1; else if (v{next} > -9) v{next} = v{next} - v{far} % 3; }}"
        );
    }
    text.push_str("if (v0 + v1 * v2 == 77777 && v3 * v4 == v5) reach_error(); return 0; }");
    text
}

/// Every cell of several arrays.
const CELLS: &str = "int main(void) { int i, j; static int s[500], t[500], u[500];
    for (i = 0; i < 500; i++) s[i] = __VERIFIER_nondet_int();
    for (i = 0; i < 500; i++) for (j = 0; j < 500; j++) if (s[j] > t[i]) t[i] = s[j] * t[j];
    for (i = 0; i < 500; i++) for (j = 0; j < i; j++) if (t[j] * s[i] > u[i]) u[j] = t[i] * s[j] + u[i];
    for (i = 0; i < 500; i++) if (u[i] * s[i] == 77777 && t[i] == 99999) reach_error();
    return 0; }";

/// How long after its token the engine ends; an error if it has ended before.
fn time_to_stop(plan: &Plan, text: &str) -> Result<Duration, String> {
    let case = case(text);
    let mut engine = participant(plan.clone(), &case);
    let budget = Budget::new(Some(Duration::from_secs(100)), None);
    let board = FactStore::default();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let outcome = engine.run(&board, &case.shared(&budget));
            (outcome, Instant::now())
        });
        std::thread::sleep(Duration::from_millis(300));
        let stopped = Instant::now();
        budget.stop.stop();
        let (outcome, ended) = running.join().expect("engines do not panic");
        match ended.checked_duration_since(stopped) {
            Some(late) => Ok(late),
            None => Err(format!("{outcome:?}")),
        }
    })
}

/// The law of engines is 200 ms. What else the machine does may spoil some tries.
#[test]
fn every_engine_stops_soon() {
    let large = large();
    let all = [
        ("execution", "", COUNTS),
        ("bmc", "", PRODUCTS),
        ("k-induction", "", PRODUCTS),
        ("pdr", "", PRODUCTS),
        ("houdini", "", &large),
        ("arrays", "", CELLS),
        ("invariants", "", &large),
        ("predicate", "", PRODUCTS),
        ("predicate", "blocks = \"sbe\"", &large),
        ("cpa", "analysis = \"value\"", COUNTS),
        ("cpa", "analysis = \"value\"\ncegar = true", COUNTS),
        ("cpa", "domain = \"octagon\"", &large),
        ("cpa", "domain = \"octagon\"\ncegar = true", &large),
    ];
    for (name, options, text) in all {
        let plan = plan(name, options);
        let tries = (0..6).map(|_| time_to_stop(&plan, text));
        let mut tries = tries.map(|one| one.unwrap_or_else(|why| panic!("{plan:?} ended: {why}")));
        let best = tries.find(|late| *late < Duration::from_millis(200));
        assert!(best.is_some(), "{plan:?} goes on for too long");
    }
}

/// Starts later than it could.
struct Late(Box<dyn Participant>, Duration);

impl Participant for Late {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn run(&mut self, board: &dyn Board, budget: &Budget) -> Ended {
        std::thread::sleep(self.1);
        self.0.run(board, budget)
    }
}

fn together(parts: Vec<Box<dyn Participant>>) -> Parallel {
    Parallel {
        name: "together".into(),
        parts: parts.into_iter().map(Part::from).collect(),
    }
}

/// Is the program safe? Some answer has to come.
fn is_safe(parts: Vec<Box<dyn Participant>>, case: &Arc<Case>, board: &dyn Board) -> bool {
    let budget = Budget::new(Some(Duration::from_secs(100)), None);
    let ended = together(parts).run(board, &case.shared(&budget));
    assert_eq!(ended, Ended::Answered);
    let conclusion = case.conclusions.take().expect("they agree");
    let conclusion = conclusion.expect("whoever has answered has concluded");
    conclusion.certificate.claims_safety()
}

/// A bound that a loop keeps, and one that it does not.
const KEEPS: [(&str, bool); 2] = [("x > 3", true), ("x > 2", false)];

fn bounded(violation: &str) -> String {
    format!(
        "int main(void) {{ unsigned x = 0;
         while (__VERIFIER_nondet_int()) {{ if (x < 3) x++; }}
         if ({violation}) reach_error(); return 0; }}"
    )
}

#[test]
fn a_verdict_does_not_depend_on_who_is_first() {
    let names = ["bmc", "k-induction", "predicate", "invariants"];
    for (violation, expected) in KEEPS {
        for first in 0..names.len() {
            for delay in [0, 40] {
                let case = case(&bounded(violation));
                let mut order = names.to_vec();
                order.rotate_left(first);
                let parts = order.iter().enumerate().map(|(number, &name)| {
                    let delay = Duration::from_millis(delay * number as u64);
                    let late = Late(participant(plan(name, ""), &case), delay);
                    Box::new(late) as Box<dyn Participant>
                });
                let found = is_safe(parts.collect(), &case, &FactStore::default());
                assert_eq!(found, expected, "{order:?} with {delay} ms");
            }
        }
    }
}

/// Publishes a fact that nobody has said before every millisecond, until it is stopped.
struct Publishes;

impl Engine for Publishes {
    fn name(&self) -> &str {
        "publishes"
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let mut locations = (0..).map(cfa::program::LocId).zip(&program.locations);
        let head = locations
            .find(|(_, location)| location.kind == cfa::program::LocationKind::LoopHead)
            .expect("there is a loop");
        let x = program.vars.iter().position(|var| var.name == "x");
        let x = cfa::expr::VarId(x.expect("there is an x") as u32);
        for bound in 3.. {
            if budget.is_exhausted() {
                break;
            }
            let mut pool = program.pool.clone();
            let ty = program.var(x).ty;
            let (variable, bound) = (pool.variable(x, ty), pool.constant(bound, ty));
            let holds = pool.le(variable, bound);
            board.publish(InvariantMap {
                by: "publishes".into(),
                pool,
                entries: vec![Invariant {
                    calls: CallPattern::Any,
                    location: head.0,
                    holds,
                }],
            });
            std::thread::sleep(Duration::from_millis(1));
        }
        Outcome::Unknown("stopped".into())
    }
}

#[test]
fn consumers_bear_facts_that_come_all_the_time() {
    let consumers = [
        ("k-induction", ""),
        ("pdr", ""),
        (
            "predicate",
            "inject = [\"precision\", \"path-formula\", \"abstraction-formula\"]",
        ),
    ];
    for (name, options) in consumers {
        for (violation, expected) in KEEPS {
            if name == "pdr" && !expected {
                // It finds proofs only.
                continue;
            }
            let violation = format!("{violation} && x * x + x != 7");
            let case = case(&bounded(&violation));
            let board = FactStore::default();
            let consumer = participant(plan(name, options), &case);
            // Time for some facts to be there when it begins.
            let consumer = Late(consumer, Duration::from_millis(20));
            let publishes = Box::new(Certified::new(Box::new(Publishes), &case));
            let found = is_safe(vec![publishes, Box::new(consumer)], &case, &board);
            assert_eq!(found, expected, "{name:?}");
            assert!(board.version() > 2, "{name:?} read nothing");
        }
    }
}

/// One function called twice: what holds in one call is false in the other.
#[test]
fn facts_of_one_call_are_not_used_in_another() {
    let text = |violation: &str| {
        format!(
            "int f(int k) {{ int i = k; while (__VERIFIER_nondet_int()) {{ if (i < k + 5) i++; }}
             return i; }}
             int main(void) {{ int a = f(0); int b = f(100);
             if ({violation}) reach_error(); return 0; }}"
        )
    };
    // Intervals say too little of products, but their bounds are what the others need.
    let safe = "a * (6 - a) > 9 || (b - 100) * (106 - b) > 9";
    for (violation, expected) in [
        (safe, true),
        ("b > 104 && b * b > 9", false),
        ("a > 4 && a * a > 9", false),
    ] {
        for (name, options) in [
            ("k-induction", ""),
            (
                "predicate",
                "inject = [\"path-formula\", \"abstraction-formula\"]\ninterpolants = []",
            ),
        ] {
            let case = case(&text(violation));
            let board = FactStore::default();
            let generator = plan("invariants", "continuous = false");
            let mut generator = participant(generator, &case);
            generator.run(&board, &Budget::unlimited());
            let facts = board.facts();
            let mut calls: BTreeMap<u32, BTreeSet<&CallPattern>> = BTreeMap::new();
            for entry in facts.maps.iter().flat_map(|map| &map.entries) {
                let known = calls.entry(entry.location.0).or_default();
                known.insert(&entry.calls);
            }
            let is_of_calls = calls.values().any(|calls| calls.len() > 1);
            assert!(is_of_calls, "no facts about single calls: {violation}");
            let consumer = participant(plan(name, options), &case);
            let found = is_safe(vec![consumer], &case, &board);
            assert_eq!(found, expected, "{name:?}: {violation}");
        }
    }
    // Without the facts there is no proof so soon.
    let case = case(&text(safe));
    let mut alone = participant(plan("k-induction", "last-depth = 4"), &case);
    let ended = alone.run(&FactStore::default(), &Budget::unlimited());
    assert!(matches!(ended, Ended::Unknown(_)), "{ended:?}");
}
