//! Any solver that speaks SMT-LIB 2 over a pipe.

use super::conversation::{Conversation, ExternalError, STOPPED, solver_command};
use super::{Answer, Solver, UnknownReason};
use crate::smtlib::{Definitions, SExpr, SExprs, parse_value};
use crate::term::{Memo, Sort, Term, TermPool, Value, canonical_float, default_value};
use control::StopToken;
use rustc_hash::FxHashMap;

/// A solver in another process. See [`Solver`].
pub struct ExternalSolver {
    talk: Conversation,
    definitions: Definitions,
    /// Names of assumptions: solvers assume literals, not formulas.
    literals: FxHashMap<Term, String>,
    next_literal: u64,
    frames: usize,
    state: State,
    core: Vec<Term>,
    values: FxHashMap<Term, Value>,
    memo: Memo,
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
        let mut solver = ExternalSolver {
            talk: Conversation::start(&command)?,
            definitions: Definitions::default(),
            literals: FxHashMap::default(),
            next_literal: 0,
            frames: 0,
            state: State::Open,
            core: Vec::new(),
            values: FxHashMap::default(),
            memo: Memo::default(),
            broken: None,
        };
        solver.talk.pending.push_str(
            "(set-option :print-success false)\n\
             (set-option :produce-models true)\n\
             (set-option :produce-unsat-assumptions true)\n\
             (set-option :global-declarations true)\n\
             (set-logic ALL)\n\
             (echo \"ready\")\n",
        );
        match solver.talk.ask() {
            Ok(answer) if answer.trim_matches('"') == "ready" => Ok(solver),
            Ok(answer) | Err(answer) => Err(ExternalError::NotASolver {
                program: command.into_iter().next().unwrap_or_default(),
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
        self.talk.process_id()
    }

    fn fail(&mut self, message: String) -> Answer {
        if message == STOPPED {
            // The process may still be thinking; its answer would be taken for the next one.
            self.talk.end();
            self.broken = Some("it was stopped during a check".into());
            return Answer::Unknown(UnknownReason::Stopped);
        }
        self.broken = Some(message.clone());
        Answer::Unknown(UnknownReason::Solver(message))
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
                let text = self.definitions.define(pool, inner, &mut self.talk.pending);
                let name = format!("assumption!{}", self.next_literal);
                self.next_literal += 1;
                let line = format!("(declare-fun {name} () Bool)\n(assert (= {name} {text}))\n");
                // Satisfiable whatever the term is; gone when the frame is closed, and then made
                // anew.
                self.talk.pending.push_str(&line);
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
        self.talk.pending.push_str("(get-unsat-assumptions)\n");
        let answer = self.talk.ask()?;
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
            let name = self
                .definitions
                .define(pool, variable, &mut self.talk.pending);
            self.talk
                .pending
                .push_str(&format!("(get-value ({name}))\n"));
            let answer = self.talk.ask()?;
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

/// The value in `((name value))`.
fn answer_value(answer: &str) -> Option<&str> {
    let inner = answer.trim().strip_prefix("((")?.strip_suffix("))")?.trim();
    let rest = match inner.strip_prefix('|') {
        Some(quoted) => &quoted[quoted.find('|')? + 1..],
        None => &inner[inner.find(char::is_whitespace)?..],
    };
    Some(rest.trim())
}

impl Solver for ExternalSolver {
    fn assert(&mut self, pool: &mut TermPool, term: Term) {
        self.leave_model();
        let text = self.definitions.define(pool, term, &mut self.talk.pending);
        self.talk.pending.push_str(&format!("(assert {text})\n"));
    }

    fn push(&mut self) {
        self.leave_model();
        self.frames += 1;
        self.talk.pending.push_str("(push 1)\n");
    }

    fn pop(&mut self) {
        self.leave_model();
        if self.frames > 0 {
            self.frames -= 1;
            self.talk.pending.push_str("(pop 1)\n");
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
            self.talk.pending.push_str("(check-sat)\n");
        } else {
            let list = literals.join(" ");
            self.talk
                .pending
                .push_str(&format!("(check-sat-assuming ({list}))\n"));
        }
        match self.talk.ask().as_deref() {
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
        self.talk.stop = stop;
    }
}

#[cfg(test)]
mod tests;
