//! All executions of a generated program with pointers, compared with the split of its memory.

use super::pointers::CHOICES;
use super::validated::Validated;
use cfa::op::{Input, InputKind};
use cfa::program::{EdgeId, Program};
use cfa::value::Ty;
use interpreter::{Change, InputSource, Interpreter, Observer, Options, Outcome, View};

const MAX_STEPS: u64 = 100_000;

/// The values of `n` and `m`, then what the guesses are.
pub struct Chosen<'a> {
    values: [u32; 2],
    next: usize,
    guesses: std::slice::Iter<'a, u128>,
    program: &'a Program,
}

impl<'a> Chosen<'a> {
    pub fn new(n: u32, m: u32, guesses: &'a [u128], program: &'a Program) -> Chosen<'a> {
        Chosen {
            values: [n, m],
            next: 0,
            guesses: guesses.iter(),
            program,
        }
    }
}

impl InputSource for Chosen<'_> {
    fn next(&mut self, input: &Input, _: Ty) -> Option<u128> {
        match &input.kind {
            InputKind::Nondet(name) => match self.program.names.get(*name) {
                "__VERIFIER_nondet_uint" => {
                    let value = self.values.get(self.next).copied();
                    self.next += 1;
                    value.map(u128::from)
                }
                // Without a guess: one that is wrong.
                _ => Some(self.guesses.next().copied().unwrap_or(1)),
            },
            // Variables without a value, which the programs copy but never use.
            _ => Some(0x55),
        }
    }
}

/// The values that guesses of an execution are compared with.
struct Guesses<'p> {
    program: &'p Program,
    found: Vec<u128>,
}

impl Observer for Guesses<'_> {
    fn edge(&mut self, _: EdgeId, change: Change, _: &View<'_>) {
        if let Change::Variable(var, value) = change
            && self.program.var(var).name.starts_with("guess_at")
        {
            self.found.push(value);
        }
    }
}

/// Runs with all inputs: nothing unless an access lies outside of its part, or an execution is not
/// what it should be.
pub fn validate_all(validated: &Validated) -> Result<(), String> {
    let program = &validated.program;
    let options = Options {
        max_steps: MAX_STEPS,
        ..Options::default()
    };
    let mut interpreter = Interpreter::new(program);
    for (n, m) in inputs() {
        let mut guesses = Guesses {
            program,
            found: Vec::new(),
        };
        let (mut out, mut err) = (std::io::sink(), std::io::sink());
        let run = interpreter.run_with(
            &options,
            &mut Chosen::new(n, m, &[], program),
            &mut out,
            &mut err,
            Some(&mut guesses),
        );
        if run.outcome != Outcome::Finished(0) {
            return Err(format!(
                "n = {n}, m = {m}: {} at {}",
                run.outcome.describe(program),
                program.describe(run.place.span)
            ));
        }
        let guessed = &guesses.found;
        let stats = validated
            .run(&mut Chosen::new(n, m, guessed, program), MAX_STEPS)
            .map_err(|text| format!("n = {n}, m = {m}: {text}"))?;
        if stats.outcome != Outcome::Finished(0) {
            return Err(format!(
                "n = {n}, m = {m}: {:?} with guesses",
                stats.outcome
            ));
        }
        let (printed, again) = (
            printed(program, n, m, guessed)?,
            printed(validated.after(), n, m, guessed)?,
        );
        if printed != again {
            return Err(format!(
                "n = {n}, m = {m}: the program prints '{printed}', with its memory split '{again}'"
            ));
        }
        if stats.loads == 0 {
            return Err(format!("n = {n}, m = {m}: no access was looked at"));
        }
    }
    Ok(())
}

/// What an execution prints last.
fn printed(program: &Program, n: u32, m: u32, guesses: &[u128]) -> Result<String, String> {
    let mut out = Vec::new();
    let mut chosen = Chosen::new(n, m, guesses, program);
    let options = Options {
        max_steps: MAX_STEPS,
        ..Options::default()
    };
    let run = Interpreter::new(program).run(&options, &mut chosen, &mut out);
    let text = String::from_utf8_lossy(&out);
    match text.lines().last() {
        Some(line) if run.outcome == Outcome::Finished(0) => Ok(line.to_owned()),
        _ => Err(format!(
            "n = {n}, m = {m}: {}",
            run.outcome.describe(program)
        )),
    }
}

/// The sums that the program prints.
#[allow(dead_code)]
pub fn sums(program: &Program) -> Option<Vec<u32>> {
    let sums = inputs().map(|(n, m)| printed(program, n, m, &[]).ok()?.parse().ok());
    sums.collect()
}

pub fn inputs() -> impl Iterator<Item = (u32, u32)> {
    (0..CHOICES).flat_map(|n| (0..CHOICES).map(move |m| (n, m)))
}
