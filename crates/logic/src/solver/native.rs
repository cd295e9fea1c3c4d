//! The default solver: flattening to CNF over CaDiCaL, arrays by lemmas on demand.

use super::arrays::ArrayLemmas;
use super::cnf::Cnf;
use super::definitions::Definitions;
use super::memory::{CoreMemory, ModelMemory, StoredModel};
use super::values::{remembered_value, variable_value};
use super::{Answer, Solver, UnknownReason};
use crate::Cube;
use crate::flatten::{Flattener, NotFlat};
use crate::float::FloatLowering;
use crate::sat::{Lit, SatAnswer};
use crate::term::{Memo, Op, Sort, Term, TermPool, Value};
use control::StopToken;
use control::clock;
use std::time::Duration;

/// What a question takes besides the search for its answer, where time is counted.
const QUESTION: Duration = Duration::from_micros(40);

/// How a solver works.
#[derive(Clone, Debug)]
pub struct SolverOptions {
    /// Seed of the search; the same seed gives the same answers and models.
    pub seed: u32,
    /// Resident memory of the process, in bytes, at which a check gives up.
    pub memory_limit: Option<u64>,
    /// Answer a conjunction that an earlier model satisfies without the solver.
    pub remember_models: bool,
    /// Answer a conjunction that contains an earlier core without the solver.
    pub remember_cores: bool,
    /// Keep the array lemmas as terms; see [`NativeSolver::array_lemmas`].
    pub record_array_lemmas: bool,
}

impl Default for SolverOptions {
    fn default() -> Self {
        SolverOptions {
            seed: 0,
            memory_limit: None,
            remember_models: true,
            remember_cores: true,
            record_array_lemmas: false,
        }
    }
}

/// Counts of what was done, for statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolverStatistics {
    /// Calls of `check`.
    pub checks: u64,
    /// Calls of the propositional solver.
    pub sat_calls: u64,
    /// Array lemmas added.
    pub array_lemmas: u64,
    /// How often the propositional solver was started anew.
    pub rebuilds: u64,
    /// Checks answered by an earlier model.
    pub model_hits: u64,
    /// Checks answered by an earlier core.
    pub core_hits: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// The propositional solver has the model.
    Sat,
    /// The model is a remembered one.
    Remembered(usize),
    Unsat,
}

/// The default solver. See [`Solver`].
pub struct NativeSolver {
    cnf: Cnf,
    flat: Flattener,
    floats: FloatLowering,
    arrays: ArrayLemmas,
    definitions: Definitions,
    /// Number of open frames.
    frames: usize,
    /// Why an assertion could not be taken; with the number of frames open when it came.
    refused: Vec<(usize, UnknownReason)>,
    state: State,
    core: Vec<Term>,
    models: ModelMemory,
    cores: CoreMemory,
    memo: Memo,
    stop: StopToken,
    options: SolverOptions,
    statistics: SolverStatistics,
}

impl Default for NativeSolver {
    fn default() -> Self {
        NativeSolver::new(SolverOptions::default())
    }
}

impl NativeSolver {
    /// A solver without assertions.
    pub fn new(options: SolverOptions) -> NativeSolver {
        NativeSolver {
            cnf: Cnf::new(options.seed, options.memory_limit),
            // Lemmas that are wanted as terms must be found, not built in.
            flat: match options.record_array_lemmas {
                true => Flattener::new(),
                false => Flattener::with_reads(),
            },
            floats: FloatLowering::new(),
            arrays: ArrayLemmas::new(options.record_array_lemmas),
            definitions: Definitions::default(),
            frames: 0,
            refused: Vec::new(),
            state: State::Open,
            core: Vec::new(),
            models: ModelMemory::default(),
            cores: CoreMemory::default(),
            memo: Memo::default(),
            stop: StopToken::new(),
            options,
            statistics: SolverStatistics::default(),
        }
    }

    /// What was done so far.
    pub fn statistics(&self) -> SolverStatistics {
        SolverStatistics {
            rebuilds: self.cnf.rebuilds(),
            ..self.statistics
        }
    }

    /// The instances of the array axioms that were used, if the options ask for them. Each is
    /// valid.
    pub fn array_lemmas(&self) -> &[Term] {
        self.arrays.recorded()
    }

    fn leave_model(&mut self) {
        if self.state != State::Open {
            self.state = State::Open;
            self.core.clear();
        }
    }

    /// The term with floats expressed in bit-vectors.
    fn without_floats(&mut self, pool: &mut TermPool, term: Term) -> Result<Term, UnknownReason> {
        if !pool.has_floats() {
            return Ok(term);
        }
        self.floats
            .lower(pool, term)
            .map_err(|error| UnknownReason::Unsupported(error.to_string()))
    }

    /// Asserts a term as clauses, splitting it at its top.
    fn assert_clauses(&mut self, pool: &mut TermPool, term: Term) -> Result<(), NotFlat> {
        let mut work = vec![term];
        while let Some(term) = work.pop() {
            if pool.op(term) == Op::And {
                work.extend_from_slice(pool.args(term));
                continue;
            }
            if self.frames == 0
                && let Some((variable, meaning)) = self.definitions.find(pool, term)
            {
                self.define(pool, term, variable, meaning)?;
                continue;
            }
            self.definitions.mention(pool, term);
            self.models.assert(pool, term);
            let mut clause = Vec::new();
            match pool.as_or(term) {
                Some(disjuncts) => {
                    for disjunct in disjuncts {
                        clause.push(self.flat.lit(pool, disjunct)?);
                    }
                }
                None => clause.push(self.flat.lit(pool, term)?),
            }
            self.cnf.assert(clause);
        }
        Ok(())
    }

    /// Takes an equation as the definition of a variable: no clause is needed, the variable is
    /// another name.
    fn define(
        &mut self,
        pool: &mut TermPool,
        equation: Term,
        variable: Term,
        meaning: Term,
    ) -> Result<(), NotFlat> {
        self.definitions.insert(variable, meaning);
        if let Sort::Array { .. } = pool.sort(variable) {
            if self.arrays.has_met(variable) {
                self.models.assert(pool, equation);
            }
            self.arrays.define(pool, variable, meaning);
            return Ok(());
        }
        if let Some(bits) = self.flat.known(pool, variable) {
            // Questions have used it already: remembered models may give it another value, and the
            // propositional solver has it as an unknown.
            let gates = self.flat.gates();
            let in_use = bits.iter().any(|&bit| self.cnf.knows(gates, bit));
            self.models.assert(pool, equation);
            if in_use {
                let literal = self.flat.lit(pool, equation)?;
                self.cnf.assert(vec![literal]);
                self.cnf.give_now(self.flat.gates());
            }
        }
        self.flat.alias(pool, variable, meaning)
    }

    fn decide(&mut self, pool: &mut TermPool, literals: &[Lit]) -> Result<Answer, NotFlat> {
        if self.cnf.prepare(self.flat.gates()) {
            self.arrays.start_anew();
        }
        // A hard question that no array lemma has decided so far is asked without arrays first:
        // their indices are often a large part of it and have nothing to do with why it has no
        // answer.
        let mut without_arrays = false;
        let mut lemmas = 0;
        loop {
            if self.stop.is_stopped() {
                return Ok(Answer::Unknown(UnknownReason::Stopped));
            }
            for &literal in literals {
                self.cnf.need_assumption(self.flat.gates(), literal);
            }
            if !without_arrays {
                self.arrays.activate(pool, &mut self.flat, &mut self.cnf)?;
            }
            if self.cnf.is_torn() {
                return Ok(Answer::Unknown(UnknownReason::Stopped));
            }
            self.statistics.sat_calls += 1;
            clock::tick(QUESTION);
            match self.cnf.solve(self.flat.gates(), literals) {
                None => {
                    self.arrays.start_anew();
                    without_arrays = lemmas == 0;
                }
                Some(SatAnswer::Unsat) => return Ok(Answer::Unsat),
                Some(SatAnswer::Interrupted | SatAnswer::LimitReached) => {
                    let reason = if self.stop.is_stopped() {
                        UnknownReason::Stopped
                    } else {
                        UnknownReason::Memory
                    };
                    return Ok(Answer::Unknown(reason));
                }
                Some(SatAnswer::Sat) if without_arrays => without_arrays = false,
                Some(SatAnswer::Sat) => {
                    let added = self.arrays.refine(pool, &mut self.flat, &mut self.cnf)?;
                    self.statistics.array_lemmas += added;
                    lemmas += added;
                    if added == 0 {
                        return Ok(Answer::Sat);
                    }
                }
            }
        }
    }

    /// An answer that needs no solver.
    fn recall(&mut self, pool: &TermPool, assumptions: &[Term]) -> Option<Answer> {
        if self.options.remember_cores && !assumptions.is_empty() {
            let literals: Cube = assumptions.iter().copied().collect();
            if let Some(core) = self.cores.find(&literals) {
                self.core.extend_from_slice(core.literals());
                self.state = State::Unsat;
                self.statistics.core_hits += 1;
                return Some(Answer::Unsat);
            }
        }
        if self.options.remember_models
            && let Some(model) = self.models.find(pool, assumptions)
        {
            self.state = State::Remembered(model);
            self.statistics.model_hits += 1;
            return Some(Answer::Sat);
        }
        None
    }

    fn remember_model(&mut self, pool: &TermPool, assumptions: &[Term]) {
        if !self.options.remember_models {
            return;
        }
        self.models.track(pool, assumptions);
        let mut stored = StoredModel::default();
        for &variable in self.flat.variables() {
            if self.definitions.meaning(variable).is_some() {
                continue;
            }
            let value = variable_value(&self.flat, &mut self.cnf, &self.arrays, pool, variable);
            stored.variables.insert(variable, value);
        }
        stored.arrays = self.arrays.values().clone();
        let (flat, cnf) = (&self.flat, &mut self.cnf);
        self.models.record(stored, |atom| {
            flat.known_lit(pool, atom)
                .and_then(|literal| cnf.value(flat.gates(), literal))
        });
    }

    fn variable_value(&mut self, pool: &TermPool, variable: Term) -> Value {
        if let State::Remembered(model) = self.state {
            return remembered_value(self.models.model(model), pool, variable);
        }
        variable_value(&self.flat, &mut self.cnf, &self.arrays, pool, variable)
    }
}

fn not_flat(pool: &TermPool, NotFlat(term): NotFlat) -> UnknownReason {
    UnknownReason::Unsupported(format!("{:?} of sort {}", pool.op(term), pool.sort(term)))
}

impl Solver for NativeSolver {
    fn assert(&mut self, pool: &mut TermPool, term: Term) {
        self.leave_model();
        let result = self.without_floats(pool, term).and_then(|term| {
            self.assert_clauses(pool, term)
                .map_err(|error| not_flat(pool, error))
        });
        if let Err(reason) = result {
            self.refused.push((self.frames, reason));
        }
    }

    fn push(&mut self) {
        self.leave_model();
        self.frames += 1;
        self.cnf.push();
        self.models.push();
        self.cores.push();
    }

    fn pop(&mut self) {
        self.leave_model();
        if self.frames > 0 {
            self.frames -= 1;
            self.cnf.pop();
            self.models.pop();
            self.cores.pop();
        }
        let open = self.frames;
        self.refused.retain(|(frame, _)| *frame <= open);
    }

    fn check(&mut self, pool: &mut TermPool, assumptions: &[Term]) -> Answer {
        self.leave_model();
        self.memo.clear();
        self.statistics.checks += 1;
        if let Some((_, reason)) = self.refused.first() {
            return Answer::Unknown(reason.clone());
        }
        if let Some(answer) = self.recall(pool, assumptions) {
            return answer;
        }
        let mut literals = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            let literal = self.without_floats(pool, assumption).and_then(|term| {
                self.flat
                    .lit(pool, term)
                    .map_err(|error| not_flat(pool, error))
            });
            match literal {
                Ok(literal) => literals.push(literal),
                Err(reason) => return Answer::Unknown(reason),
            }
        }
        let answer = match self.decide(pool, &literals) {
            Ok(answer) => answer,
            Err(error) => Answer::Unknown(not_flat(pool, error)),
        };
        match answer {
            Answer::Sat => {
                self.state = State::Sat;
                self.remember_model(pool, assumptions);
            }
            Answer::Unsat => {
                self.state = State::Unsat;
                for (&assumption, &literal) in assumptions.iter().zip(&literals) {
                    if self.cnf.failed(self.flat.gates(), literal) {
                        self.core.push(assumption);
                    }
                }
                if self.options.remember_cores {
                    self.cores.record(self.core.iter().copied().collect());
                }
            }
            Answer::Unknown(_) => {}
        }
        answer
    }

    fn value(&mut self, pool: &TermPool, term: Term) -> Option<Value> {
        if !matches!(self.state, State::Sat | State::Remembered(_)) {
            return None;
        }
        let mut memo = std::mem::take(&mut self.memo);
        let definitions = std::mem::take(&mut self.definitions);
        let value = memo.eval_defined(
            pool,
            term,
            |variable| definitions.meaning(variable),
            |variable| self.variable_value(pool, variable),
        );
        self.definitions = definitions;
        self.memo = memo;
        Some(value)
    }

    fn core(&self) -> &[Term] {
        &self.core
    }

    fn restarts(&self) -> u64 {
        self.cnf.rebuilds()
    }

    fn set_stop(&mut self, stop: StopToken) {
        self.stop = stop.clone();
        self.cnf.set_stop(stop);
    }
}

#[cfg(test)]
mod tests;
