//! Random small programs: whatever the interpreter does, the abstract states of every analysis
//! contain it.

use crate::checker::{Annotations, load, watch};
use absint::invariants::{InvariantOptions, generate};
use absint::numeric::choice::{Domain, WithDomain};
use absint::numeric::express::Writer;
use absint::place::Automaton;
use absint::precision::Variables;
use cfa::program::Program;
use cpa::algorithm::{AlgorithmOptions, CpaAlgorithm, Ended};
use cpa::composite::whole;
use cpa::formalism::{Cpa, Merge, Stop};
use cpa::invariants_cpa::analysis::{InvariantsCpa, InvariantsPrecision};
use cpa::numeric::analysis::{NumericCpa, NumericOptions};
use cpa::proof::Expressible;
use cpa::trail::Storage;
use cpa::value::analysis::ValueCpa;
use domains::numeric::NumericDomain;
use facts::budget::Budget;
use lowering::{LowerOptions, load_text};
use std::collections::HashMap;
use std::fmt::Write;
use std::time::Duration;
use testing::Random;

const INTEGERS: [(&str, &str); 8] = [
    ("int", "i"),
    ("unsigned", "u"),
    ("char", "c"),
    ("unsigned char", "b"),
    ("short", "s"),
    ("long", "l"),
    ("unsigned long", "m"),
    ("int", "j"),
];
const CONSTANTS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "-1",
    "-2",
    "100",
    "127",
    "128",
    "255",
    "65535",
    "2147483647",
    "(-2147483647-1)",
    "4294967295u",
    "4",
];
const FLOATS: [&str; 10] = [
    "0.0f",
    "1.0f",
    "-1.0f",
    "0.1f",
    "16777216.0f",
    "3.5f",
    "-0.0f",
    "1e30f",
    "1e-30f",
    "100.0f",
];

fn integer(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.below(4) == 0 {
        return match random.below(3) {
            0 => random.pick(&CONSTANTS).to_string(),
            _ => INTEGERS[random.below(8) as usize].1.to_string(),
        };
    }
    let (a, b) = (integer(random, depth - 1), integer(random, depth - 1));
    match random.below(12) {
        0 => format!("(-({a}))"),
        1 => format!("(~({a}))"),
        2 => format!("(({})({a}))", INTEGERS[random.below(8) as usize].0),
        3 => format!("(({a}) ? ({b}) : ({}))", integer(random, depth - 1)),
        4 => format!(
            "(({a}) {} ({b}))",
            random.pick(&["<", "<=", "==", "!=", "&&", "||"])
        ),
        5 => format!("(({a}) {} (({b}) & 7))", random.pick(&["<<", ">>"])),
        6 => format!("(({a}) {} ({b}))", random.pick(&["/", "%"])),
        7 => "(int)(f < 100.0f && f > -100.0f ? f : 1.0f)".to_string(),
        _ => format!(
            "(({a}) {} ({b}))",
            random.pick(&["+", "-", "*", "&", "|", "^", "+", "-"])
        ),
    }
}

fn float(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.below(4) == 0 {
        return match random.below(3) {
            0 => random.pick(&FLOATS).to_string(),
            _ => random.pick(&["f", "g"]).to_string(),
        };
    }
    let (a, b) = (float(random, depth - 1), float(random, depth - 1));
    match random.below(8) {
        0 => format!("(-({a}))"),
        1 => "(float)i".to_string(),
        2 => format!("(float)((double)({a}) + (double)({b}))"),
        _ => format!("(({a}) {} ({b}))", random.pick(&["+", "-", "*", "/"])),
    }
}

fn condition(random: &mut Random) -> String {
    if random.below(4) == 0 {
        let (a, b) = (float(random, 1), float(random, 1));
        return format!("({a}) {} ({b})", random.pick(&["<", "<=", "==", "!=", ">"]));
    }
    let (a, b) = (integer(random, 1), integer(random, 1));
    format!(
        "({a}) {} ({b})",
        random.pick(&["<", "<=", "==", "!=", ">", ">="])
    )
}

fn statements(random: &mut Random, text: &mut String, depth: u32, loops: &mut u32) {
    for _ in 0..1 + random.below(4) {
        match random.below(10) {
            0 | 1 if depth > 0 => {
                let _ = write!(text, "if ({}) {{ ", condition(random));
                statements(random, text, depth - 1, loops);
                text.push_str("} else { ");
                statements(random, text, depth - 1, loops);
                text.push_str("}\n");
            }
            2 if depth > 0 && *loops < 2 => {
                let number = *loops;
                *loops += 1;
                let _ = write!(text, "for (k{number} = 0; k{number} < 3; k{number}++) {{ ");
                statements(random, text, depth - 1, loops);
                text.push_str("}\n");
            }
            3 => {
                let _ = writeln!(
                    text,
                    "j = step({}, {});",
                    integer(random, 1),
                    float(random, 1)
                );
            }
            4 => {
                let _ = writeln!(text, "i = __VERIFIER_nondet_int();");
            }
            5 | 6 => {
                let target = random.pick(&["f", "g"]);
                let _ = writeln!(text, "{target} = {};", float(random, 2));
            }
            _ => {
                let target = INTEGERS[random.below(8) as usize].1;
                let _ = writeln!(text, "{target} = {};", integer(random, 3));
            }
        }
    }
}

fn program_text(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void); extern float __VERIFIER_nondet_float(void);\n",
    );
    for (kind, name) in INTEGERS {
        let _ = writeln!(text, "{kind} {name} = {};", random.pick(&CONSTANTS));
    }
    text.push_str("float f = 1.5f, g; int k0, k1;\n");
    let _ = writeln!(
        text,
        "int step(int p, float q) {{ int r = p {} {}; if (q < 2.0f) {{ u = (unsigned) r; return r; }} f = q; return {}; }}",
        random.pick(&["+", "-", "*", "^"]),
        random.pick(&CONSTANTS),
        random.pick(&["p", "r", "i", "3"]),
    );
    text.push_str(
        "int main(void) {\nf = __VERIFIER_nondet_float(); i = __VERIFIER_nondet_int();\n",
    );
    let mut loops = 0;
    for _ in 0..3 {
        statements(&mut random, &mut text, 2, &mut loops);
    }
    text.push_str("return 0; }\n");
    text
}

fn program(seed: u64) -> Program {
    let text = program_text(seed);
    let front = syntax::driver::Options::default();
    match load_text("random.c", &text, &front, &LowerOptions::default()) {
        Ok(loaded) => load(&loaded.program),
        Err(failure) => panic!("seed {seed}: {failure}\n{text}"),
    }
}

/// The reached set of an analysis as annotations; `None` if it did not end in time.
fn explored<C: Cpa + Expressible>(
    program: &Program,
    cpa: C,
    storage: Storage,
) -> Option<Annotations> {
    let options = AlgorithmOptions {
        collect_targets: true,
        storage,
        ..AlgorithmOptions::default()
    };
    let mut algorithm = CpaAlgorithm::new(Automaton::new(program, 3), whole(program, cpa), options);
    let mut exploration = algorithm.start();
    let budget = Budget::new(Some(Duration::from_millis(500)), None);
    if algorithm.run(&mut exploration, &budget) != Ended::Complete {
        return None;
    }
    let mut writer = Writer::new(program);
    let mut index: HashMap<_, Vec<_>> = HashMap::new();
    for place in exploration.reached.places() {
        let calls = algorithm.automaton.stacks.call_string(place.stack);
        let states = index.entry((calls, place.location)).or_default();
        for &node in exploration.reached.at(place) {
            let state = &exploration.reached.state(node).1;
            states.push(algorithm.cpa.second.express(state, &mut writer));
        }
    }
    Some(Annotations {
        pool: writer.pool,
        index,
        complete: storage == Storage::Everywhere,
    })
}

const PROGRAMS: u64 = 50;

/// `least` states must have been checked, so that the test cannot pass without looking.
fn check_all(name: &str, least: u64, annotate: impl Fn(&Program) -> Option<Annotations>) {
    let mut checked = 0;
    for seed in 1..=PROGRAMS {
        let program = program(seed);
        let Some(annotations) = annotate(&program) else {
            continue;
        };
        match watch(&program, &annotations, 6) {
            Ok(states) => checked += states,
            Err(failure) => panic!("{name}, seed {seed}: {failure}\n{}", program_text(seed)),
        }
    }
    assert!(
        checked >= least,
        "{name}: only {checked} states were checked"
    );
}

#[test]
fn every_domain() {
    let domains = [
        Domain::Constant,
        Domain::Interval,
        Domain::IntervalSet,
        Domain::Congruence,
        Domain::Scalar,
        Domain::Octagon,
        Domain::Polyhedra,
        Domain::AffineEqualities,
        Domain::ExpressionMap,
        Domain::IntervalOffsets,
        Domain::All,
    ];
    for domain in domains {
        check_all(&format!("{domain:?}"), 4_000, |program| {
            let options = InvariantOptions {
                domain,
                everywhere: true,
                handle_floats: true,
                ..InvariantOptions::default()
            };
            let budget = Budget::new(Some(Duration::from_secs(2)), None);
            let found = generate(program, &options, &budget).ok()?;
            Some(Annotations::of(&found.map))
        });
    }
}

#[test]
fn known_values() {
    for (storage, least) in [(Storage::Everywhere, 4_000), (Storage::AtJoins, 1_000)] {
        check_all(&format!("values, {storage:?}"), least, |program| {
            explored(program, ValueCpa::new(program, Variables::All), storage)
        });
    }
}

struct Explore<'a> {
    program: &'a Program,
    options: NumericOptions,
}

impl WithDomain for Explore<'_> {
    type Output = Option<Annotations>;

    fn run<D: NumericDomain + 'static>(self, top: D) -> Option<Annotations> {
        let cpa = NumericCpa::new(self.program, top, Variables::All, self.options);
        explored(self.program, cpa, Storage::Everywhere)
    }
}

#[test]
fn every_merge_and_stop() {
    for (merge, restrict_to_function, stop) in [
        (Merge::Sep, false, Stop::Sep),
        (Merge::Sep, false, Stop::Join),
        (Merge::Join, true, Stop::Sep),
        (Merge::Widening, false, Stop::Sep),
        (Merge::Widening, true, Stop::Join),
    ] {
        let name = format!("{merge:?}, restricted: {restrict_to_function}, {stop:?}");
        check_all(&name, 4_000, |program| {
            let options = NumericOptions {
                merge,
                stop,
                restrict_to_function,
                handle_floats: true,
                threshold_widening: true,
                ..NumericOptions::default()
            };
            Domain::Octagon.with(Explore { program, options })
        });
    }
}

#[test]
fn classes_at_loop_heads() {
    check_all(
        "intervals between constants of comparisons",
        4_000,
        |program| {
            let options = NumericOptions {
                classes_at_loop_heads: true,
                ..NumericOptions::default()
            };
            Domain::IntervalOffsets.with(Explore { program, options })
        },
    );
}

/// Under every kind of precision: important variables, depth, with and without widening.
#[test]
fn expressions_over_intervals() {
    for (important, depth, widening, least) in [
        (0, 0, true, 4_000),
        (0, 1, true, 4_000),
        (0, 4, true, 4_000),
        (3, 2, true, 4_000),
        (0, 2, false, 4_000),
        (4, 3, false, 4_000),
    ] {
        let name = format!("{important} important variables, depth {depth}, {widening}");
        check_all(&name, least, |program| {
            let order = absint::importance::by_conditions(program);
            let precision = InvariantsPrecision {
                important: order.into_iter().take(important).collect(),
                depth,
                widening,
            };
            let cpa = InvariantsCpa::new(program, precision, true);
            explored(program, cpa, Storage::Everywhere)
        });
    }
}

/// What can be said of the important variables alone holds as well.
#[test]
fn few_variables() {
    for tracked in [0, 1, 3, 6] {
        check_all(&format!("{tracked} variables"), 4_000, |program| {
            let options = InvariantOptions {
                domain: Domain::All,
                tracked: Some(tracked),
                thresholds: tracked % 2 == 0,
                everywhere: true,
                ..InvariantOptions::default()
            };
            let budget = Budget::new(Some(Duration::from_secs(2)), None);
            let found = generate(program, &options, &budget).ok()?;
            Some(Annotations::of(&found.map))
        });
    }
}

/// Where the writer says that nothing was lost, the expressions are inductive like the states that
/// they come from.
#[test]
fn what_is_said_completely_is_inductive() {
    let domains = [
        Domain::IntervalSet,
        Domain::Scalar,
        Domain::ScalarAffine,
        Domain::Octagon,
        Domain::Polyhedra,
        Domain::ExpressionMap,
        Domain::All,
    ];
    let (mut complete, mut checked) = (0, 0);
    for seed in 1..=PROGRAMS {
        let program = program(seed);
        for domain in domains {
            let options = InvariantOptions {
                domain,
                handle_floats: seed % 2 == 0,
                ..InvariantOptions::default()
            };
            let budget = Budget::new(Some(Duration::from_secs(2)), None);
            let Ok(found) = generate(&program, &options, &budget) else {
                continue;
            };
            if found.lost || found.map.entries.is_empty() {
                continue;
            }
            complete += 1;
            let budget = Budget::new(Some(Duration::from_millis(300)), None);
            match certify::check_facts(&program, &found.map, &budget) {
                Ok(_) => checked += 1,
                // Formulas of floats and products may take longer than a test has time for.
                Err(certify::Rejection::Unfinished(_)) => {}
                Err(rejection) => {
                    panic!(
                        "{domain:?}, seed {seed}: {rejection}\n{}",
                        program_text(seed)
                    )
                }
            }
        }
    }
    assert!(complete >= 100, "only {complete} maps say everything");
    assert!(
        checked >= 60,
        "only {checked} of {complete} maps were checked"
    );
}
