//! What the engine answers, certified; the examples of the thesis; the laws.

mod answers;
mod examples;
mod laws;
mod publishing;

use super::*;
use cfa::expr::VarId;
use facts::engine::NoBoard;
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
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

/// The thesis's algorithm, without what it has not: clauses are found anew at each index.
fn as_written(options: Ic3CfaOptions) -> Ic3CfaOptions {
    few_questions(Ic3CfaOptions {
        cores: false,
        models: false,
        lifting: false,
        loop_indices: false,
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
