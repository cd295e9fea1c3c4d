//! What the engine answers, certified, and the examples of the thesis.

use super::*;
use cfa::expr::VarId;
use facts::engine::NoBoard;
use facts::engine::{Knowledge, Reporter};
use facts::invariants::{Facts, InvariantMap};
use facts::precision::PrecisionMap;
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
use std::sync::Mutex;
use transform::regions::split_memory;

const HEAD: &str = "int __VERIFIER_nondet_int(void); void reach_error(void); void abort(void);\n";

fn lowered(body: &str) -> Program {
    let text = format!("{HEAD}{body}");
    let (driver, lower) = (Default::default(), LowerOptions::default());
    match load_text("test.c", &text, &driver, &lower) {
        Ok(loaded) => split_memory(&instrument(&loaded.program, &Property::assertions())),
        Err(failure) => panic!("{failure}"),
    }
}

/// `TRUE`, `FALSE` or why there is no answer; each answer is certified.
fn answer(body: &str, options: Ic3CfaOptions) -> String {
    let program = lowered(body);
    let mut engine = Ic3Cfa { options };
    match engine.run(&program, &NoBoard, &Budget::unlimited()) {
        Outcome::Unknown(reason) => reason.to_string(),
        Outcome::Answer(certificate) => {
            if let Err(why) = certify::certify(&program, &certificate, &Budget::unlimited()) {
                panic!("{why}: {certificate:?}");
            }
            match certificate.claims_safety() {
                true => "TRUE".into(),
                false => "FALSE".into(),
            }
        }
    }
}

fn few_questions(options: Ic3CfaOptions) -> Ic3CfaOptions {
    Ic3CfaOptions {
        most_questions: 3_000,
        ..options
    }
}

/// TreeIC3.
fn tree() -> Ic3CfaOptions {
    Ic3CfaOptions {
        tree: true,
        ..Ic3CfaOptions::default()
    }
}

/// Every switch alone, turned.
fn variants() -> Vec<Ic3CfaOptions> {
    let given = Ic3CfaOptions::default;
    vec![
        given(),
        Ic3CfaOptions::old(),
        Ic3CfaOptions {
            section_5_1_distances: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_3_inductiveness: Inductiveness::Transitions,
            ..given()
        },
        Ic3CfaOptions {
            section_5_4_assumes: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_5_predecessor_cubes: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_6_context: ContextForm::None,
            ..given()
        },
        Ic3CfaOptions {
            section_5_6_context: ContextForm::SameCube,
            ..given()
        },
        Ic3CfaOptions {
            section_5_7_minimal: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_8_ordering: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_9_earlier_edges: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_10_interpolation: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_11_counterexamples: true,
            ..given()
        },
        Ic3CfaOptions {
            cores: false,
            ..given()
        },
        Ic3CfaOptions {
            models: false,
            ..given()
        },
        Ic3CfaOptions {
            propagation: false,
            ..given()
        },
        Ic3CfaOptions {
            propagation: true,
            ..Ic3CfaOptions::old()
        },
        Ic3CfaOptions {
            implied_literals: false,
            ..given()
        },
        Ic3CfaOptions {
            requeueing: true,
            ..given()
        },
        Ic3CfaOptions {
            publication: true,
            ..given()
        },
        Ic3CfaOptions {
            most_partial_commands: 1,
            ..given()
        },
        Ic3CfaOptions {
            most_partial_commands: 16,
            ..given()
        },
        tree(),
    ]
}

const COUNTS: &str =
    "int main(void) { int x = 0; while (x < 10) x++; if (x != 10) reach_error(); return 0; }";
const COUNTS_TO: &str =
    "int main(void) { int x = 0; while (x < 10) x++; if (x == 10) reach_error(); return 0; }";
const EQUAL: &str = "int main(void) { int x = 0, y = 0; while (__VERIFIER_nondet_int()) {
    x++; y++; if (x > 5) { x = 0; y = 0; } } if (x != y) reach_error(); return 0; }";
const DEEP: &str = "int main(void) { int x = __VERIFIER_nondet_int(), y = 0;
    while (x > 0) { y++; if (y == 4) reach_error(); x = x - 3; } return 0; }";
const STATES: &str = "int state; void step(void) { int in = __VERIFIER_nondet_int();
    if (state == 0 && in > 7) state = 1; else if (state == 1) state = in ? 2 : 0; else if (state == 2) state = LAST; }
    int main(void) { while (1) { step(); if (state == 3) reach_error(); } }";
const MEMORY: &str = "int a[4]; int main(void) { int i = 0; while (__VERIFIER_nondet_int()) {
    a[2] = 1; a[i & 1] = 7; i++; } if (a[2] > 1) reach_error(); return 0; }";
const LOCAL: &str = "int f(int n) { int s = 0; int *p = &s; for (int i = 0; i < n; i++) *p = *p | 2; return s; }
    int main(void) { int x = f(__VERIFIER_nondet_int()); int y = f(3); if (x & 1) reach_error(); if (y & 4) reach_error(); return 0; }";
const LOCAL_BAD: &str =
    "int f(int n) { int s = 0; int *p = &s; for (int i = 0; i < n; i++) *p = *p + 2; return s; }
    int main(void) { int y = f(3); if (y == 6) reach_error(); return 0; }";
const RECURSION: &str = "int f(int n) { if (n <= 0) return 0; return f(n - 1) + 1; }
    int main(void) { if (f(2) != 2) reach_error(); return 0; }";

/// One place leads to errors in functions at different depths.
const DEPTHS: &str = "int x; void g(void) { if (x > 9) reach_error(); } void f(void) { g(); if (x > 8) reach_error(); }
    int main(void) { while (__VERIFIER_nondet_int()) { if (__VERIFIER_nondet_int()) g(); else f(); if (x < 5) x++; } return 0; }";

fn programs() -> Vec<(String, &'static str)> {
    let some = [
        ("int main(void) { return 0; }", "TRUE"),
        ("int main(void) { reach_error(); }", "FALSE"),
        (COUNTS, "TRUE"),
        (COUNTS_TO, "FALSE"),
        (EQUAL, "TRUE"),
        (DEEP, "FALSE"),
        (MEMORY, "TRUE"),
        (LOCAL, "TRUE"),
        (LOCAL_BAD, "FALSE"),
        (RECURSION, "TRUE"),
        (DEPTHS, "TRUE"),
    ];
    let some = some
        .into_iter()
        .map(|(text, verdict)| (text.to_owned(), verdict));
    let states = [("0", "TRUE"), ("3", "FALSE")];
    let states = states.map(|(last, verdict)| (STATES.replace("LAST", last), verdict));
    some.chain(states).collect()
}

#[test]
fn small_programs_are_decided() {
    for (body, expected) in programs() {
        for options in [Ic3CfaOptions::default(), Ic3CfaOptions::old(), tree()] {
            assert_eq!(answer(&body, few_questions(options)), expected, "{body}");
        }
    }
}

/// In debug builds every syntactic check is compared with the solver's on the way.
#[test]
fn every_switch_keeps_the_answers() {
    let states = STATES.replace("LAST", "0");
    for options in variants() {
        for (body, expected) in [
            (COUNTS, "TRUE"),
            (EQUAL, "TRUE"),
            (&states, "TRUE"),
            (DEEP, "FALSE"),
        ] {
            let described = format!("{options:?}");
            assert_eq!(
                answer(body, few_questions(options.clone())),
                expected,
                "{described} {body}"
            );
        }
    }
}

#[test]
fn without_generalisation_small_state_spaces_are_decided() {
    let none = Ic3CfaOptions {
        generalisation: Generalisation::None,
        ..Ic3CfaOptions::old()
    };
    assert_eq!(answer(TRUE_PROGRAM, few_questions(none.clone())), "TRUE");
    assert_eq!(answer(COUNTS_TO, few_questions(none)), "FALSE");
}

/// The thesis's algorithm, without what it has not: clauses are found anew at each index.
fn as_written(options: Ic3CfaOptions) -> Ic3CfaOptions {
    few_questions(Ic3CfaOptions {
        cores: false,
        models: false,
        propagation: false,
        ..options
    })
}

/// Runs to the end, for a look at the frames.
fn searched<'a>(
    program: &'a Program,
    options: &Ic3CfaOptions,
    budget: &'a Budget,
) -> (Search<'a>, Certificate) {
    let mut search = Search::new(program, options, &NoBoard, budget).expect("it is small");
    let certificate = search.run().expect("it is decided");
    (search, certificate)
}

/// The cubes of a frame, each with its literals as text over variables and constants.
fn frame(search: &mut Search<'_>, node: usize, level: u32) -> Vec<Vec<String>> {
    let cubes: Vec<Cube> = search.frames[node].at(level).cloned().collect();
    let mut said = Vec::new();
    for cube in cubes {
        let literals = cube.literals().iter();
        let mut one: Vec<String> = literals.map(|&literal| text(search, literal)).collect();
        one.sort();
        said.push(one);
    }
    said.sort();
    said
}

/// A literal over two names or a name and a number, in a few words.
fn text(search: &Search<'_>, literal: Term) -> String {
    let pool = &search.encoder.pool;
    let (atom, positive) = pool.strip_not(literal);
    let parts: Vec<String> = pool
        .args(atom)
        .iter()
        .map(|&part| operand(search, part))
        .collect();
    let sign = if positive { "" } else { "not " };
    format!("{sign}{:?} {}", pool.op(atom), parts.join(" "))
}

fn operand(search: &Search<'_>, term: Term) -> String {
    let pool = &search.encoder.pool;
    if let Some(value) = pool.as_u128(term) {
        return value.to_string();
    }
    let Some(symbol) = pool.as_var(term) else {
        let parts: Vec<String> = pool
            .args(term)
            .iter()
            .map(|&part| operand(search, part))
            .collect();
        return format!("({:?} {})", pool.op(term), parts.join(" "));
    };
    let name = pool.symbol_name(symbol);
    let number = name
        .trim_start_matches("s!v")
        .split('@')
        .next()
        .unwrap_or_default();
    let var = VarId(number.parse().expect("a variable of the program"));
    search.program.var(var).name.clone()
}

/// The program `P_true` (algorithm 2.3.1), bounded below because integers here have an end.
const TRUE_PROGRAM: &str = "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (y >= x) return 0;
    while (1) { if (__VERIFIER_nondet_int()) { if (y >= x) { if (x == 1) reach_error(); else if (x == 2) reach_error(); } return 0; }
        if (y < -1000) return 0; y = y - 1; } }";

/// The only place of a program with one loop.
const LOOP: usize = ERROR + 1;

/// Example 4.2.3: both counterexamples to induction are blocked as they are.
#[test]
fn example_4_2_3() {
    let (program, budget) = (lowered(TRUE_PROGRAM), Budget::unlimited());
    let options = as_written(Ic3CfaOptions {
        generalisation: Generalisation::None,
        ..Ic3CfaOptions::old()
    });
    let (mut search, _) = searched(&program, &options, &budget);
    assert_eq!(search.nodes.len(), 3);
    let frames = frame(&mut search, LOOP, 1);
    assert_eq!(frames.len(), 2, "{frames:?}");
    let values: Vec<bool> = ["Eq x 1", "Eq x 2"]
        .iter()
        .map(|value| {
            let has = |cube: &Vec<String>, text: &str| cube.iter().any(|one| one == text);
            frames
                .iter()
                .any(|cube| has(cube, value) && has(cube, "not Slt y x"))
        })
        .collect();
    assert_eq!(values, [true, true], "{frames:?}");
    assert_eq!(frames, frame(&mut search, LOOP, 2));
    assert_eq!(search.level, 2);
}

/// Example 4.3.3: both become `y >= x`; example 5.9.2: with one question less, because the first
/// edge needs that literal.
#[test]
fn examples_4_3_3_and_5_9_2() {
    let (program, budget) = (lowered(TRUE_PROGRAM), Budget::unlimited());
    let (mut search, _) = searched(&program, &as_written(Ic3CfaOptions::old()), &budget);
    let expected = vec![vec!["not Slt y x".to_owned()]];
    assert_eq!(frame(&mut search, LOOP, 1), expected);
    assert_eq!(frame(&mut search, LOOP, 2), expected);
    assert_eq!(search.level, 2);
    let with_bound = as_written(Ic3CfaOptions {
        generalisation: Generalisation::New,
        section_5_9_earlier_edges: true,
        ..Ic3CfaOptions::old()
    });
    let (mut bounded, _) = searched(&program, &with_bound, &budget);
    assert_eq!(frame(&mut bounded, LOOP, 2), expected);
    assert!(bounded.statistics.saved_by("5.9") > 0);
    let (old, new) = (&search.statistics, &bounded.statistics);
    assert!(new.in_generalisation < old.in_generalisation);
}

/// Example 5.1.3: no frame before a place can be reached, and so no question about it.
#[test]
fn example_5_1_3() {
    // Loops keep their places, so these are three places in a row.
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0) return 0;
        while (__VERIFIER_nondet_int()) x = x + 1; while (__VERIFIER_nondet_int()) x = 4 * x;
        while (__VERIFIER_nondet_int()) x = x - 1; if (x == 3) reach_error(); return 0; }";
    let (program, budget) = (lowered(text), Budget::unlimited());
    let options = as_written(Ic3CfaOptions::default());
    let search = Search::new(&program, &options, &NoBoard, &budget).expect("it is small");
    let mut distances: Vec<u32> = search.nodes[LOOP..]
        .iter()
        .map(|node| node.distance)
        .collect();
    distances.sort_unstable();
    assert_eq!(distances, [1, 2, 3]);
    for node in LOOP..search.nodes.len() {
        for level in 0..5 {
            assert_eq!(
                search.is_bottom(node, level),
                level < search.nodes[node].distance
            );
        }
    }
    assert_eq!(
        answer(text, few_questions(Ic3CfaOptions::default())),
        "FALSE"
    );
}

/// A search on one loop over `x` and `y`, whose partial commands the body makes.
fn on_loop<T>(body: &str, look: impl FnOnce(&mut Search<'_>, usize) -> T) -> T {
    let text = format!(
        "int main(void) {{ int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
         while (__VERIFIER_nondet_int()) {{ {body} }} if (x + y == 12345) reach_error(); return 0; }}"
    );
    let (program, budget) = (lowered(&text), Budget::unlimited());
    let options = as_written(Ic3CfaOptions::default());
    let mut search = Search::new(&program, &options, &NoBoard, &budget).expect("it is small");
    search.level = 3;
    let link = search
        .links
        .iter()
        .position(|link| link.source == LOOP && link.target == LOOP);
    look(&mut search, link.expect("the body"))
}

/// The value of a variable at the loop.
fn value(search: &mut Search<'_>, name: &str) -> Term {
    let number = search.program.vars.iter().position(|var| var.name == name);
    let var = VarId(number.expect("a variable") as u32);
    let state = search.activations[search.activation_of[LOOP].expect("a place")]
        .state
        .clone();
    let encoder = &mut search.encoder;
    state.value(encoder.program, &encoder.slots, &mut encoder.pool, var)
}

fn precondition(search: &mut Search<'_>, link: usize, partial: usize, cube: &Cube) -> Cube {
    match search.precondition(link, partial, cube) {
        wep::Precondition::Cube(cube) => cube,
        wep::Precondition::Never(_) => panic!("it can be entered"),
    }
}

/// The cube of state literals alone: the loop's own input is left out.
fn about_state(search: &Search<'_>, cube: &Cube) -> Cube {
    let pool = &search.encoder.pool;
    cube.filtered(|literal| {
        let variables = pool.free_vars(literal);
        variables.iter().all(|&variable| {
            pool.as_var(variable)
                .is_some_and(|symbol| pool.symbol_name(symbol).starts_with("s!"))
        })
    })
}

/// Example 5.2.8: the command is split into two, each of which maps the cube to one cube.
#[test]
fn example_5_2_8() {
    let body = "if (x <= 0) abort(); x = x + 1; if (__VERIFIER_nondet_int()) x = 4 * x; x = x - 1;";
    on_loop(body, |search, link| {
        assert_eq!(search.links[link].partials.len(), 2);
        let x = value(search, "x");
        let pool = &mut search.encoder.pool;
        let three = pool.bv(32, 3);
        let cube = Cube::from_iter([pool.eq(x, three)]);
        let (one, four, zero) = (pool.bv(32, 1), pool.bv(32, 4), pool.bv(32, 0));
        let positive = pool.sgt(x, zero);
        let more = pool.bv_add(x, one);
        let scaled = pool.bv_mul(four, more);
        let expected = [more, scaled].map(|sum| {
            let sum = pool.bv_sub(sum, one);
            let entered = pool.eq(sum, three);
            Cube::from_iter([positive, entered])
        });
        let mut found: Vec<Cube> = Vec::new();
        for partial in 0..2 {
            let all = precondition(search, link, partial, &cube);
            found.push(about_state(search, &all));
        }
        found.sort();
        let mut expected = expected.to_vec();
        expected.sort();
        assert_eq!(found, expected);
    });
}

/// Example 5.4.3: `x > 0` follows from the command; `y > 1` does not. (`x + 1 > 1` is not `x > 0`
/// where integers have an end, so the variable of the assumption stays as it is here.)
#[test]
fn example_5_4_3() {
    on_loop("if (x <= 0) abort(); y = y + 1;", |search, link| {
        let (x, y) = (value(search, "x"), value(search, "y"));
        let pool = &mut search.encoder.pool;
        let (zero, one) = (pool.bv(32, 0), pool.bv(32, 1));
        let (assumed, free) = (pool.sgt(x, zero), pool.sgt(y, one));
        let cube = Cube::from_iter([assumed, free]);
        assert_eq!(search.without_assumed(link, &cube), Cube::from_iter([free]));
    });
    // Equality is said the same way before and behind.
    on_loop("if (x != 6) abort(); x = x + 1;", |search, link| {
        let (x, y) = (value(search, "x"), value(search, "y"));
        let pool = &mut search.encoder.pool;
        let (one, seven) = (pool.bv(32, 1), pool.bv(32, 7));
        let (assumed, free) = (pool.eq(x, seven), pool.sgt(y, one));
        let cube = Cube::from_iter([assumed, free]);
        assert_eq!(search.without_assumed(link, &cube), Cube::from_iter([free]));
    });
}

/// Example 5.5.4: `y - 1 >= x` is blocked before, so `y >= x` alone is enough behind.
#[test]
fn example_5_5_4() {
    on_loop("y = y - 1;", |search, link| {
        let (x, y) = (value(search, "x"), value(search, "y"));
        let pool = &mut search.encoder.pool;
        let one = pool.bv(32, 1);
        let (at_least, is_one) = (pool.sge(y, x), pool.eq(x, one));
        let less = pool.bv_sub(y, one);
        let blocked = Cube::from_iter([pool.sge(less, x)]);
        let cube = Cube::from_iter([at_least, is_one]);
        assert_eq!(search.by_predecessors(link, &cube, &Cube::empty(), 2), None);
        search.add_blocked(LOOP, &blocked, 1);
        let found = search.by_predecessors(link, &cube, &Cube::empty(), 2);
        let found = found.expect("it is blocked");
        assert_eq!(found.general, Cube::from_iter([at_least]));
        assert!(found.is_one);
        // Lemma 5.5.1: the main loop need not ask either.
        let before = search.statistics.questions;
        assert!(
            search
                .by_preconditions(link, &cube, 2)
                .expect("decided")
                .is_some()
        );
        assert_eq!(search.statistics.questions, before);
    });
}

/// Example 5.8.1: `p1` blocks all three cubes; two questions find it from the smallest, and three
/// from the others. So the smallest comes first.
#[test]
fn example_5_8_1() {
    on_loop("y = y + 1;", |search, link| {
        search.options = as_written(Ic3CfaOptions::old());
        let (x, y) = (value(search, "x"), value(search, "y"));
        let pool = &mut search.encoder.pool;
        let numbers = [0u128, 5, 7, 9, 100].map(|number| pool.bv(32, number));
        let p1 = pool.eq(x, numbers[4]);
        let [p2, p3, p4, p5] = [0, 1, 2, 3].map(|number| pool.sgt(y, numbers[number]));
        search.add_blocked(LOOP, &Cube::from_iter([p1]), 1);
        let cubes = [vec![p1, p2], vec![p1, p3, p4], vec![p1, p3, p5]];
        let mut asked = Vec::new();
        for literals in cubes {
            let cube = Cube::from_iter(literals);
            let before = search.statistics.questions;
            let general = search.drop_literals(link, &cube, 2, &Cube::empty());
            assert_eq!(general.expect("decided"), Cube::from_iter([p1]));
            asked.push(search.statistics.questions - before);
        }
        assert_eq!(asked, [2, 3, 3]);
    });
}

/// Example 5.10.2: the program Jain1 (algorithm 5.10.1) needs `y % 2 == 0`, which no cube of its
/// own has; table 5.2.
#[test]
fn example_5_10_2() {
    let text = "unsigned __VERIFIER_nondet_uint(void); int main(void) { unsigned y = 1;
        while (1) { if (y == 0) reach_error(); y = y + 2 * __VERIFIER_nondet_uint(); } }";
    let (program, budget) = (lowered(text), Budget::unlimited());
    let (mut search, certificate) =
        searched(&program, &as_written(Ic3CfaOptions::default()), &budget);
    assert!(certificate.claims_safety());
    // Indices 0, 1 and 2.
    let frames = frame(&mut search, LOOP, 1);
    assert_eq!(search.level, 2, "{frames:?}");
    assert_eq!(frames, frame(&mut search, LOOP, 2));
    let cube = search.frames[LOOP].at(1).next().cloned();
    let literal = cube.expect("one cube").term(&mut search.encoder.pool);
    let pool = &search.encoder.pool;
    for (bits, is_even) in [(0u128, true), (1, false), (6, true), (0xffff_ffff, false)] {
        let y = pool.free_vars(literal)[0];
        let mut model = logic::Model::new();
        model.set(y, logic::Value::Bv(logic::BvValue::new(32, bits)));
        assert_eq!(
            pool.eval(literal, &model).as_bool(),
            Some(is_even),
            "{frames:?}"
        );
    }
    assert_eq!(
        answer(text, few_questions(Ic3CfaOptions::default())),
        "TRUE"
    );
}

/// Lemma 5.3.2: both forms of relative inductiveness say the same.
#[test]
fn both_forms_of_inductiveness_agree() {
    let body = "if (x <= 0) abort(); if (__VERIFIER_nondet_int()) y = y - 1; else if (y > x) { x = x + 2; y = x; }";
    on_loop(body, |search, link| {
        let (x, y) = (value(search, "x"), value(search, "y"));
        let pool = &mut search.encoder.pool;
        let numbers = [0u128, 1, 3, 1000].map(|number| pool.bv(32, number));
        let mut literals = vec![pool.sgt(y, x), pool.sle(y, x), pool.eq(x, y)];
        for number in numbers {
            literals.extend([pool.eq(x, number), pool.sgt(x, number), pool.sle(y, number)]);
        }
        let blocked = Cube::from_iter([literals[0], literals[3]]);
        search.add_blocked(LOOP, &blocked, 1);
        let mut inductive = 0;
        for &a in &literals {
            for &b in &literals {
                let cube = Cube::from_iter([a, b]);
                let left = search
                    .by_transition(link, &cube, 2)
                    .expect("decided")
                    .is_some();
                let right = search
                    .by_preconditions(link, &cube, 2)
                    .expect("decided")
                    .is_some();
                assert_eq!(left, right, "{cube:?}");
                inductive += usize::from(left);
            }
        }
        assert!(inductive > 10 && inductive < literals.len() * literals.len());
    });
}

/// Section 7.2, first proposal: what equalities imply is not kept in cubes, and what contradicts
/// them is not asked about.
#[test]
fn what_equalities_imply_costs_no_question() {
    let body = "if (x == 1) y = 2; else if (x == 2) y = 3; else if (x == 3) y = 4;";
    on_loop(body, |search, link| {
        let (x, y) = (value(search, "x"), value(search, "y"));
        let pool = &mut search.encoder.pool;
        let numbers = [1u128, 3, 4].map(|number| pool.bv(32, number));
        let (is_one, is_three) = (pool.eq(x, numbers[0]), pool.eq(x, numbers[1]));
        let four = pool.eq(y, numbers[2]);
        let mut found = Vec::new();
        for partial in 0..search.links[link].partials.len() {
            let cube = Cube::from_iter([four]);
            if let wep::Precondition::Cube(all) = search.precondition(link, partial, &cube)
                && all.contains(is_three)
            {
                assert_eq!(about_state(search, &all).len(), 3);
                found.push(search.predecessor_cube(LOOP, &all));
            }
            let never = search.precondition(link, partial, &Cube::from_iter([four, is_one]));
            assert!(matches!(never, wep::Precondition::Never(_)));
        }
        assert_eq!(found, [Cube::from_iter([is_three])]);
        let cube = Cube::from_iter([four, is_one]);
        let refuted = search.by_preconditions(link, &cube, 2);
        assert!(refuted.expect("decided").is_some());
        assert_eq!(search.statistics.questions, 0);
        assert!(search.statistics.saved_by("7.2") > 0);
    });
}

/// Keeps what it is told.
#[derive(Default)]
struct Listener {
    published: Mutex<Vec<InvariantMap>>,
    precisions: Mutex<Vec<PrecisionMap>>,
}

impl Knowledge for Listener {
    fn publish(&self, map: InvariantMap) {
        self.published.lock().expect("one thread").push(map);
    }

    fn facts(&self) -> Facts {
        Facts::default()
    }

    fn publish_precision(&self, map: PrecisionMap) {
        self.precisions.lock().expect("one thread").push(map);
    }
}

impl Reporter for Listener {}

#[test]
fn inductive_clauses_are_published_on_the_way() {
    // `x` stays small, which the proof about `y` does not need to be finished for.
    let text = "int main(void) { int x = 0; unsigned y = 0; while (__VERIFIER_nondet_int()) {
        if (x < 5) x++; y = y + 2; if (x > 7) reach_error(); if (y == 77) reach_error(); } return 0; }";
    let (program, board) = (lowered(text), Listener::default());
    let options = Ic3CfaOptions {
        publication: true,
        ..few_questions(Ic3CfaOptions::default())
    };
    let budget = Budget::unlimited();
    let outcome = Ic3Cfa { options }.run(&program, &board, &budget);
    assert!(matches!(outcome, Outcome::Answer(_)), "{outcome:?}");
    let published = board.published.lock().expect("one thread");
    assert!(!published.is_empty());
    for map in published.iter() {
        certify::check_facts(&program, map, &budget).expect("it is inductive");
    }
}

/// Section 7.2, third proposal: who gives up hands on what it compared.
#[test]
fn literals_become_a_precision() {
    // Values of `y` are excluded one by one: no literal compares it with `x`.
    let text = "int main(void) { unsigned x = 0, y = 0; while (x < 1000) { x++; y++; }
        if (y != 1000) reach_error(); return 0; }";
    let (program, board) = (lowered(text), Listener::default());
    let options = Ic3CfaOptions {
        most_questions: 30,
        ..Ic3CfaOptions::default()
    };
    let outcome = Ic3Cfa { options }.run(&program, &board, &Budget::unlimited());
    assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
    let precisions = board.precisions.lock().expect("one thread");
    assert!(precisions.iter().any(|map| !map.predicates.is_empty()));
}
