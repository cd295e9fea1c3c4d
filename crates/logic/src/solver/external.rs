//! Any solver that speaks SMT-LIB 2 over a pipe.

use super::{Answer, Solver, UnknownReason};
use crate::StopToken;
use crate::smtlib::{Definitions, SExpr, SExprs, parse_value};
use crate::term::{Memo, Sort, Term, TermPool, Value, canonical_float, default_value};
use rustc_hash::FxHashMap;
use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Why an external solver cannot be used.
#[derive(Debug)]
pub enum ExternalError {
    /// The command is empty.
    NoCommand,
    /// The program does not exist or cannot be started.
    CannotStart {
        /// The program that was to be started.
        program: String,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The program runs, but does not answer as a solver does.
    NotASolver {
        /// The program.
        program: String,
        /// What it said instead.
        answer: String,
    },
}

impl fmt::Display for ExternalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExternalError::NoCommand => write!(f, "the command of the external solver is empty"),
            ExternalError::CannotStart { program, cause } => {
                write!(f, "the solver '{program}' cannot be started: {cause}")
            }
            ExternalError::NotASolver { program, answer } => {
                write!(
                    f,
                    "'{program}' does not answer as an SMT-LIB solver: {answer}"
                )
            }
        }
    }
}

impl std::error::Error for ExternalError {}

/// The command for a well-known solver's name; other texts are commands already.
pub fn solver_command(name: &str) -> Vec<String> {
    let words: &[&str] = match name {
        "z3" => &["z3", "-in", "-smt2"],
        "cvc5" => &["cvc5", "--incremental", "--produce-models", "--lang=smt2"],
        "bitwuzla" => &["bitwuzla", "--lang=smt2"],
        other => return other.split_whitespace().map(str::to_string).collect(),
    };
    words.iter().map(|word| (*word).to_string()).collect()
}

/// A solver in another process. See [`Solver`].
pub struct ExternalSolver {
    child: Child,
    input: Option<ChildStdin>,
    /// What the solver says, line by line, from a thread that only reads.
    output: Receiver<String>,
    definitions: Definitions,
    /// Names of assumptions: solvers assume literals, not formulas.
    literals: FxHashMap<Term, String>,
    next_literal: u64,
    frames: usize,
    state: State,
    core: Vec<Term>,
    values: FxHashMap<Term, Value>,
    memo: Memo,
    stop: StopToken,
    pending: String,
    broken: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Sat,
    Unsat,
}

impl ExternalSolver {
    /// Starts a solver by name (`z3`, `cvc5`, `bitwuzla`) or by a command line.
    pub fn start(name: &str) -> Result<ExternalSolver, ExternalError> {
        let command = solver_command(name);
        let Some((program, arguments)) = command.split_first() else {
            return Err(ExternalError::NoCommand);
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|cause| ExternalError::CannotStart {
                program: program.clone(),
                cause,
            })?;
        let (sender, output) = channel();
        let input = child.stdin.take();
        if let Some(stdout) = child.stdout.take() {
            // Reading on a thread of its own lets a check look at the stop token while the solver thinks.
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines() {
                    let Ok(line) = line else { break };
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let mut solver = ExternalSolver {
            child,
            input,
            output,
            definitions: Definitions::default(),
            literals: FxHashMap::default(),
            next_literal: 0,
            frames: 0,
            state: State::Open,
            core: Vec::new(),
            values: FxHashMap::default(),
            memo: Memo::default(),
            stop: StopToken::new(),
            pending: String::new(),
            broken: None,
        };
        solver.pending.push_str(
            "(set-option :print-success false)\n\
             (set-option :produce-models true)\n\
             (set-option :produce-unsat-assumptions true)\n\
             (set-option :global-declarations true)\n\
             (set-logic ALL)\n\
             (echo \"ready\")\n",
        );
        match solver.ask() {
            Ok(answer) if answer.trim_matches('"') == "ready" => Ok(solver),
            Ok(answer) | Err(answer) => Err(ExternalError::NotASolver {
                program: program.clone(),
                answer,
            }),
        }
    }

    /// It has failed or was interrupted, and answers nothing any more.
    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// The solver's process, for those who measure it.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Sends what is pending.
    fn flush(&mut self) -> Result<(), String> {
        let text = std::mem::take(&mut self.pending);
        let Some(input) = self.input.as_mut() else {
            return Err("the solver has ended".into());
        };
        input
            .write_all(text.as_bytes())
            .and_then(|()| input.flush())
            .map_err(|error| format!("the solver has ended: {error}"))
    }

    /// Sends what is pending and reads one answer: an atom or a whole parenthesised expression.
    fn ask(&mut self) -> Result<String, String> {
        self.flush()?;
        let mut answer = String::new();
        let mut depth = 0i64;
        loop {
            if self.stop.is_stopped() {
                return Err(STOPPED.into());
            }
            let line = match self.output.recv_timeout(Duration::from_millis(20)) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Err("the solver has ended".into()),
            };
            depth += parentheses(&line);
            if !answer.is_empty() {
                answer.push('\n');
            }
            answer.push_str(&line);
            if depth <= 0 && !answer.trim().is_empty() {
                return Ok(answer.trim().to_string());
            }
        }
    }

    fn fail(&mut self, message: String) -> Answer {
        if message == STOPPED {
            // The process may still be thinking; its answer would be taken for the next one.
            self.end();
            self.broken = Some("it was stopped in a check and is not used again".into());
            return Answer::Unknown(UnknownReason::Stopped);
        }
        self.broken = Some(message.clone());
        Answer::Unknown(UnknownReason::Solver(message))
    }

    fn end(&mut self) {
        self.input = None;
        // Both fail only if the process is gone already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn leave_model(&mut self) {
        self.state = State::Open;
        self.core.clear();
        self.values.clear();
        self.memo.clear();
    }

    /// A literal that is equivalent to the term.
    fn literal(&mut self, pool: &TermPool, term: Term) -> String {
        let (inner, positive) = pool.strip_not(term);
        let name = match self.literals.get(&inner) {
            Some(name) => name.clone(),
            None => {
                let text = self.definitions.define(pool, inner, &mut self.pending);
                let name = format!("assumption!{}", self.next_literal);
                self.next_literal += 1;
                let line = format!("(declare-fun {name} () Bool)\n(assert (= {name} {text}))\n");
                // Satisfiable whatever the term is; gone when the frame is closed, and then made anew.
                self.pending.push_str(&line);
                self.literals.insert(inner, name.clone());
                name
            }
        };
        if positive {
            name
        } else {
            format!("(not {name})")
        }
    }

    fn read_core(&mut self, pool: &TermPool, assumptions: &[Term]) -> Result<(), String> {
        self.pending.push_str("(get-unsat-assumptions)\n");
        let answer = self.ask()?;
        let expressions = SExprs::read(&answer).map_err(|error| error.to_string())?;
        let Some(&top) = expressions.top.first() else {
            return Err(format!("unexpected core: {answer}"));
        };
        let mut used: Vec<(String, bool)> = Vec::new();
        for &item in expressions.items(top) {
            match expressions.node(item) {
                SExpr::Atom(name) => used.push(((*name).to_string(), true)),
                SExpr::List(parts) => {
                    if let Some(name) = parts.get(1).and_then(|&name| expressions.atom(name)) {
                        used.push((name.to_string(), false));
                    }
                }
            }
        }
        for &assumption in assumptions {
            let (inner, positive) = pool.strip_not(assumption);
            let name = &self.literals[&inner];
            if used
                .iter()
                .any(|(used, sign)| used == name && *sign == positive)
            {
                self.core.push(assumption);
            }
        }
        Ok(())
    }

    /// Asks for the values of variables that are not known yet.
    fn fetch(&mut self, pool: &TermPool, variables: &[Term]) -> Result<(), String> {
        let missing: Vec<Term> = variables
            .iter()
            .copied()
            .filter(|variable| !self.values.contains_key(variable))
            .collect();
        for variable in missing {
            if !self.definitions.is_declared(variable) {
                // The solver never saw it, so any value will do.
                self.values
                    .insert(variable, default_value(pool.sort(variable)));
                continue;
            }
            let name = self.definitions.define(pool, variable, &mut self.pending);
            self.pending.push_str(&format!("(get-value ({name}))\n"));
            let answer = self.ask()?;
            let text =
                answer_value(&answer).ok_or_else(|| format!("unexpected value: {answer}"))?;
            // A scratch pool: the caller's is not ours to change while a model is read.
            let mut scratch = TermPool::new();
            let value =
                parse_value(&mut scratch, text).map_err(|error| format!("{error}: {text}"))?;
            let value = match (pool.sort(variable), value) {
                (sort @ Sort::Float { .. }, Value::Bv(bits)) => canonical_float(sort, bits),
                (_, value) => value,
            };
            self.values.insert(variable, value);
        }
        Ok(())
    }
}

const STOPPED: &str = "stopped";

/// Opening minus closing parentheses outside of quotes.
fn parentheses(line: &str) -> i64 {
    let mut depth = 0;
    let mut quote = None;
    for byte in line.bytes() {
        match (quote, byte) {
            (None, b'(') => depth += 1,
            (None, b')') => depth -= 1,
            (None, b'|' | b'"') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    depth
}

/// The value in `((name value))`.
fn answer_value(answer: &str) -> Option<&str> {
    let inner = answer.trim().strip_prefix("((")?.strip_suffix("))")?.trim();
    let rest = match inner.strip_prefix('|') {
        Some(quoted) => &quoted[quoted.find('|')? + 1..],
        None => &inner[inner.find(char::is_whitespace)?..],
    };
    Some(rest.trim())
}

impl Drop for ExternalSolver {
    fn drop(&mut self) {
        self.end();
    }
}

impl Solver for ExternalSolver {
    fn assert(&mut self, pool: &mut TermPool, term: Term) {
        self.leave_model();
        let text = self.definitions.define(pool, term, &mut self.pending);
        self.pending.push_str(&format!("(assert {text})\n"));
    }

    fn push(&mut self) {
        self.leave_model();
        self.frames += 1;
        self.pending.push_str("(push 1)\n");
    }

    fn pop(&mut self) {
        self.leave_model();
        if self.frames > 0 {
            self.frames -= 1;
            self.pending.push_str("(pop 1)\n");
            // Side conditions asserted in the frame are gone; names must not be used without them.
            self.literals.clear();
            self.definitions.forget_constrained();
        }
    }

    fn check(&mut self, pool: &mut TermPool, assumptions: &[Term]) -> Answer {
        self.leave_model();
        if let Some(message) = &self.broken {
            return Answer::Unknown(UnknownReason::Solver(message.clone()));
        }
        let literals: Vec<String> = assumptions
            .iter()
            .map(|&assumption| self.literal(pool, assumption))
            .collect();
        if literals.is_empty() {
            self.pending.push_str("(check-sat)\n");
        } else {
            let list = literals.join(" ");
            self.pending
                .push_str(&format!("(check-sat-assuming ({list}))\n"));
        }
        match self.ask().as_deref() {
            Ok("sat") => {
                self.state = State::Sat;
                Answer::Sat
            }
            Ok("unsat") => {
                self.state = State::Unsat;
                if !assumptions.is_empty()
                    && let Err(message) = self.read_core(pool, assumptions)
                {
                    return self.fail(message);
                }
                Answer::Unsat
            }
            Ok("unknown") => Answer::Unknown(UnknownReason::Solver("it answered unknown".into())),
            Ok(other) => {
                let message = other.to_string();
                self.fail(message)
            }
            Err(message) => {
                let message = message.to_string();
                self.fail(message)
            }
        }
    }

    fn value(&mut self, pool: &TermPool, term: Term) -> Option<Value> {
        if self.state != State::Sat {
            return None;
        }
        let variables = pool.free_vars(term);
        if let Err(message) = self.fetch(pool, &variables) {
            self.fail(message);
            self.state = State::Open;
            return None;
        }
        let values = &self.values;
        Some(
            self.memo
                .eval(pool, term, |variable| values[&variable].clone()),
        )
    }

    fn core(&self) -> &[Term] {
        &self.core
    }

    fn set_stop(&mut self, stop: StopToken) {
        self.stop = stop;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_terms::{Random, RandomTerms, Shape};
    use crate::solver::NativeSolver;

    /// A solver for comparison; where it is missing the test says so, or fails if it must not be missing.
    fn opponent(name: &str) -> Option<ExternalSolver> {
        match ExternalSolver::start(name) {
            Ok(solver) => Some(solver),
            Err(error) if std::env::var_os("CONCORD_CI").is_some_and(|value| value == "1") => {
                panic!("{error}")
            }
            Err(_) => {
                eprintln!("SKIPPED: {name} not installed");
                None
            }
        }
    }

    /// How many random formulas to compare; `CONCORD_RANDOM_TERMS=20000` for a long run.
    fn rounds(default: u64) -> u64 {
        std::env::var("CONCORD_RANDOM_TERMS")
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    }

    /// Random formulas: both solvers agree, and both models evaluate to true.
    fn compare(name: &str, shape: &Shape, rounds: u64, conjuncts: usize) {
        let Some(first) = opponent(name) else { return };
        let mut external = first;
        let (mut sat, mut unsat, mut undecided) = (0, 0, 0);
        for seed in 0..rounds {
            // A process for a few formulas: names of one pool mean nothing in the next.
            if let Some(solver) = (seed > 0).then(|| opponent(name)).flatten() {
                external = solver;
            }
            let mut random = Random::new(seed + 900);
            let mut terms = RandomTerms::generate(&mut random, shape.clone());
            let mut booleans: Vec<Term> = terms
                .entries
                .iter()
                .map(|entry| entry.term)
                .filter(|&term| terms.pool.sort(term) == Sort::Bool)
                .collect();
            let mut native = NativeSolver::default();
            for definition in 0..3 {
                // Variables that assertions define, and atoms over them.
                let meaning = random.pick(&terms.entries).term;
                let sort = terms.pool.sort(meaning);
                let variable = terms.pool.var(&format!("defined{definition}"), sort);
                let equation = terms.pool.eq(variable, meaning);
                native.assert(&mut terms.pool, equation);
                external.assert(&mut terms.pool, equation);
                let alike: Vec<Term> = terms
                    .entries
                    .iter()
                    .map(|entry| entry.term)
                    .filter(|&term| terms.pool.sort(term) == sort)
                    .collect();
                for _ in 0..4 {
                    let other = random.pick(&alike);
                    booleans.push(terms.pool.eq(variable, other));
                }
                if let Sort::Array { index, .. } = sort {
                    let place = terms.pool.var(&format!("x{index}"), Sort::BitVec(index));
                    let element = terms.pool.select(variable, place);
                    booleans.push(terms.pool.bv_to_bool(element));
                }
            }
            for query in 0..8 {
                if external.broken.is_some() {
                    break;
                }
                let stop = StopToken::new().with_timeout(Duration::from_secs(10));
                external.set_stop(stop.clone());
                native.set_stop(stop);
                let literals: Vec<Term> = (0..conjuncts)
                    .map(|_| {
                        let term = random.pick(&booleans);
                        if random.chance(2) {
                            terms.pool.not(term)
                        } else {
                            term
                        }
                    })
                    .collect();
                let pool = &mut terms.pool;
                let ours = native.check(pool, &literals);
                let theirs = external.check(pool, &literals);
                let stopped = Answer::Unknown(UnknownReason::Stopped);
                if ours == stopped || external.broken.is_some() && external.stop.is_stopped() {
                    // Hard, or the machine is busy.
                    undecided += 1;
                    break;
                }
                match &theirs {
                    Answer::Unknown(UnknownReason::Solver(words))
                        if words == "it answered unknown" =>
                    {
                        undecided += 1;
                        continue;
                    }
                    Answer::Unknown(UnknownReason::Solver(words))
                        if words.contains("not yet support") =>
                    {
                        undecided += 1;
                        break;
                    }
                    Answer::Unknown(UnknownReason::Stopped) => {
                        undecided += 1;
                        break;
                    }
                    _ => {}
                }
                assert_eq!(ours, theirs, "{name}, seed {seed}, query {query}");
                match ours {
                    Answer::Sat => {
                        sat += 1;
                        for &literal in &literals {
                            assert_eq!(native.holds(pool, literal), Some(true), "seed {seed}");
                            match external.holds(pool, literal) {
                                None if external.stop.is_stopped() => {}
                                holds => assert_eq!(
                                    holds,
                                    Some(true),
                                    "{name}, seed {seed} {:?}",
                                    external.broken
                                ),
                            }
                        }
                    }
                    _ => {
                        unsat += 1;
                        for core in [native.core().to_vec(), external.core().to_vec()] {
                            external
                                .set_stop(StopToken::new().with_timeout(Duration::from_secs(10)));
                            let answer = external.check(pool, &core);
                            assert_ne!(answer, Answer::Sat, "{name}, seed {seed}");
                            assert!(core.iter().all(|term| literals.contains(term)));
                        }
                    }
                }
            }
        }
        eprintln!("{name}: {sat} satisfiable, {unsat} not, {undecided} undecided by it");
        assert!(sat > 0 && unsat > 0 && undecided <= sat + unsat);
    }

    fn bit_vectors() -> Shape {
        Shape {
            widths: vec![1, 3, 4, 6],
            arrays: false,
            models: 1,
            ..Shape::default()
        }
    }

    fn arrays() -> Shape {
        Shape {
            widths: vec![1, 2, 3],
            hard_operators: false,
            models: 1,
            ..Shape::default()
        }
    }

    fn floats() -> Shape {
        Shape {
            widths: vec![8],
            arrays: false,
            models: 1,
            steps: 30,
            floats: vec![Sort::Float {
                exponent: 3,
                significand: 4,
            }],
            ..Shape::default()
        }
    }

    #[test]
    fn z3_agrees_on_bit_vectors() {
        compare("z3", &bit_vectors(), rounds(60), 4);
    }

    #[test]
    fn z3_agrees_on_arrays() {
        compare("z3", &arrays(), rounds(60), 5);
    }

    #[test]
    fn z3_agrees_on_floats() {
        compare("z3", &floats(), rounds(30), 3);
    }

    #[test]
    fn cvc5_agrees_on_bit_vectors() {
        compare("cvc5", &bit_vectors(), rounds(60), 4);
    }

    #[test]
    fn cvc5_agrees_on_arrays() {
        let shape = Shape {
            plain_constant_arrays: true,
            ..arrays()
        };
        compare("cvc5", &shape, rounds(60), 5);
    }

    #[test]
    fn cvc5_agrees_on_floats() {
        let command = "cvc5 --incremental --produce-models --lang=smt2 --fp-exp";
        compare(command, &floats(), rounds(30), 3);
    }

    #[test]
    fn a_missing_solver_is_an_error_with_its_name() {
        let Err(error) = ExternalSolver::start("no-such-solver-anywhere --in") else {
            panic!("started a solver that does not exist");
        };
        assert!(matches!(error, ExternalError::CannotStart { .. }));
        assert!(error.to_string().contains("no-such-solver-anywhere"));
        assert!(matches!(
            ExternalSolver::start(" "),
            Err(ExternalError::NoCommand)
        ));
        let cat = ExternalSolver::start("cat");
        assert!(matches!(cat, Err(ExternalError::NotASolver { .. })));
    }

    #[test]
    fn frames_come_and_go() {
        for name in ["z3", "cvc5"] {
            let Some(mut solver) = opponent(name) else {
                continue;
            };
            let mut pool = TermPool::new();
            let x = pool.var("x y", Sort::BitVec(8));
            let five = pool.bv(8, 5);
            let less = pool.ult(x, five);
            let more = pool.ugt(x, five);
            solver.assert(&mut pool, less);
            solver.push();
            solver.assert(&mut pool, more);
            assert_eq!(solver.check(&mut pool, &[]), Answer::Unsat, "{name}");
            solver.pop();
            assert_eq!(solver.check(&mut pool, &[less]), Answer::Sat, "{name}");
            assert_eq!(solver.holds(&pool, less), Some(true), "{name}");
            assert_eq!(
                solver.check(&mut pool, &[less, more]),
                Answer::Unsat,
                "{name}"
            );
            assert_eq!(solver.core(), &[more], "{name}");
        }
    }
}
