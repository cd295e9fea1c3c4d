//! The default solver: flattening to CNF over CaDiCaL, arrays by lemmas on demand.

use super::arrays::ArrayLemmas;
use super::cnf::Cnf;
use super::definitions::Definitions;
use super::memory::{CoreMemory, ModelMemory, StoredModel};
use super::{Answer, Solver, UnknownReason};
use crate::flatten::{Flattener, NotFlat};
use crate::float::FloatLowering;
use crate::sat::{Lit, SatAnswer};
use crate::term::{BvValue, Memo, Op, Sort, Term, TermPool, Value, canonical_float, default_value};
use crate::{Cube, StopToken};

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
            flat: Flattener::new(),
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

    /// The instances of the array axioms that were used, if the options ask for them. Each is valid.
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

    /// Takes an equation as the definition of a variable: no clause is needed, the variable is another name.
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
            // Questions have used it already: remembered models may give it another value, and the propositional
            // solver has it as an unknown.
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
        // A hard question that no array lemma has decided so far is asked without arrays first: their indices are often
        // a large part of it and have nothing to do with why it has no answer.
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

/// The value of a variable in a remembered model.
fn remembered_value(model: &StoredModel, pool: &TermPool, variable: Term) -> Value {
    let sort = pool.sort(variable);
    let known = match sort {
        Sort::Array { .. } => model.arrays.get(&variable).cloned().map(Value::Array),
        Sort::Float { .. } => pattern_variable(pool, variable)
            .and_then(|pattern| model.variables.get(&pattern)?.as_bv().cloned())
            .map(|bits| canonical_float(sort, bits)),
        _ => model.variables.get(&variable).cloned(),
    };
    known.unwrap_or_else(|| default_value(sort))
}

/// The bit-vector variable that stands for a float variable, if there is one.
fn pattern_variable(pool: &TermPool, variable: Term) -> Option<Term> {
    let width = pool.sort(variable).width()?;
    pool.find_symbol_var(pool.as_var(variable)?, Sort::BitVec(width))
}

/// The bits of a flattened term in the current model; those that no clause mentions are zero.
pub(super) fn read_bits(flat: &Flattener, cnf: &mut Cnf, bits: &[Lit]) -> BvValue {
    let width = bits.len() as u32;
    let mut bit = |literal: Lit| cnf.value(flat.gates(), literal).unwrap_or(false);
    if width <= 128 {
        let number = bits
            .iter()
            .rev()
            .fold(0u128, |acc, &literal| acc << 1 | u128::from(bit(literal)));
        return BvValue::new(width, number);
    }
    let mut value = BvValue::zero(width);
    for (position, &literal) in bits.iter().enumerate() {
        if bit(literal) {
            value = value.or(&BvValue::one(width).shl_by(position as u32));
        }
    }
    value
}

fn variable_value(
    flat: &Flattener,
    cnf: &mut Cnf,
    arrays: &ArrayLemmas,
    pool: &TermPool,
    variable: Term,
) -> Value {
    let sort = pool.sort(variable);
    match (sort, flat.known(pool, variable)) {
        (Sort::Bool, Some(bits)) => Value::Bool(cnf.value(flat.gates(), bits[0]).unwrap_or(false)),
        (Sort::BitVec(_), Some(bits)) => Value::Bv(read_bits(flat, cnf, bits)),
        (Sort::Array { .. }, _) => arrays
            .variable_value(variable)
            .map_or_else(|| default_value(sort), Value::Array),
        (Sort::Float { .. }, _) => {
            match pattern_variable(pool, variable).and_then(|pattern| flat.known(pool, pattern)) {
                Some(bits) => canonical_float(sort, read_bits(flat, cnf, bits)),
                None => default_value(sort),
            }
        }
        _ => default_value(sort),
    }
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
mod tests {
    use super::*;
    use crate::random_terms::{Random, RandomTerms, Shape};

    /// Under a random model some literals over random terms hold; asserting them must be satisfiable, with a model
    /// that evaluates to true. Then the negation of one literal's conjunction with itself must be unsatisfiable.
    fn check_consistent(shape: Shape, seeds: std::ops::Range<u64>, literals: usize) {
        for seed in seeds {
            let mut random = Random::new(seed + 77);
            let mut terms = RandomTerms::generate(&mut random, shape.clone());
            let mut chosen = Vec::new();
            let entries = terms.entries.clone();
            let mut solver = NativeSolver::default();
            for entry in entries.iter().rev() {
                if chosen.len() == literals {
                    break;
                }
                let value = terms
                    .pool
                    .value_of_sort(&entry.values[0], terms.pool.sort(entry.term));
                let literal = terms.pool.eq(entry.term, value);
                chosen.push(literal);
            }
            for (number, &literal) in chosen.iter().enumerate() {
                if number % 2 == 0 {
                    solver.assert(&mut terms.pool, literal);
                }
            }
            let assumed: Vec<Term> = chosen.iter().copied().skip(1).step_by(2).collect();
            let answer = solver.check(&mut terms.pool, &assumed);
            assert_eq!(answer, Answer::Sat, "seed {seed}");
            for &literal in &chosen {
                assert_eq!(
                    solver.holds(&terms.pool, literal),
                    Some(true),
                    "seed {seed}"
                );
            }
            let variables = terms.pool.free_vars_of(&chosen);
            let model = solver.model(&terms.pool, &variables).expect("satisfiable");
            for &literal in &chosen {
                assert_eq!(
                    terms.pool.eval(literal, &model),
                    Value::Bool(true),
                    "seed {seed}"
                );
            }
        }
    }

    #[test]
    fn models_of_bit_vectors_evaluate_to_true() {
        let shape = Shape {
            widths: vec![1, 3, 4, 8],
            arrays: false,
            ..Shape::default()
        };
        check_consistent(shape, 0..150, 8);
    }

    #[test]
    fn models_of_arrays_evaluate_to_true() {
        let shape = Shape {
            widths: vec![1, 2, 3],
            hard_operators: false,
            ..Shape::default()
        };
        check_consistent(shape, 0..400, 12);
    }

    #[test]
    fn models_of_floats_evaluate_to_true() {
        let shape = Shape {
            widths: vec![8],
            arrays: false,
            floats: vec![
                Sort::Float {
                    exponent: 3,
                    significand: 4,
                },
                Sort::Float {
                    exponent: 4,
                    significand: 3,
                },
            ],
            ..Shape::default()
        };
        check_consistent(shape, 0..60, 8);
    }

    #[test]
    fn small_formulas_agree_with_enumeration() {
        for seed in 0..300 {
            let mut random = Random::new(seed + 5000);
            let shape = Shape {
                widths: vec![1, 2],
                arrays: false,
                models: 1,
                steps: 40,
                ..Shape::default()
            };
            let mut terms = RandomTerms::generate(&mut random, shape);
            let booleans: Vec<Term> = terms
                .entries
                .iter()
                .map(|entry| entry.term)
                .filter(|&term| terms.pool.sort(term) == Sort::Bool)
                .collect();
            let picked: Vec<Term> = (0..4)
                .map(|_| {
                    let term = random.pick(&booleans);
                    if random.chance(2) {
                        terms.pool.not(term)
                    } else {
                        term
                    }
                })
                .collect();
            let satisfiable = exists_model(&terms.pool, &picked);
            let mut solver = NativeSolver::default();
            let answer = solver.check(&mut terms.pool, &picked);
            assert_eq!(answer.is_sat(), satisfiable, "seed {seed}");
            if answer.is_unsat() {
                let core = solver.core().to_vec();
                assert!(core.iter().all(|term| picked.contains(term)));
                assert!(!exists_model(&terms.pool, &core), "seed {seed}");
            }
        }
    }

    fn exists_model(pool: &TermPool, terms: &[Term]) -> bool {
        use crate::term::{Evaluator, Model};
        let variables = pool.free_vars_of(terms);
        let bits: u32 = variables.iter().map(|&v| pool.width(v).max(1)).sum();
        (0..1u128 << bits).any(|mut code| {
            let mut model = Model::new();
            for &variable in &variables {
                let width = pool.width(variable).max(1);
                let number = code & crate::term::mask(width);
                code >>= width;
                let value = match pool.sort(variable) {
                    Sort::Bool => Value::Bool(number == 1),
                    _ => Value::Bv(BvValue::new(width, number)),
                };
                model.set(variable, value);
            }
            let mut evaluator = Evaluator::new(&model);
            terms.iter().all(|&term| evaluator.is_true(pool, term))
        })
    }

    #[test]
    fn frames_come_and_go() {
        let mut pool = TermPool::new();
        let mut solver = NativeSolver::default();
        let x = pool.var("x", Sort::BitVec(8));
        let five = pool.bv(8, 5);
        let less = pool.ult(x, five);
        let more = pool.ugt(x, five);
        solver.assert(&mut pool, less);
        solver.push();
        solver.assert(&mut pool, more);
        assert_eq!(solver.check(&mut pool, &[]), Answer::Unsat);
        solver.pop();
        assert_eq!(solver.check(&mut pool, &[]), Answer::Sat);
        assert_eq!(solver.check(&mut pool, &[more]), Answer::Unsat);
        assert_eq!(solver.core(), &[more]);
    }

    /// The same random session with and without memories: answers, models and cores stay right.
    #[test]
    fn remembered_answers_are_right() {
        let (mut model_hits, mut core_hits) = (0, 0);
        for seed in 0..60 {
            let mut random = Random::new(seed + 321);
            let shape = Shape {
                widths: vec![1, 2, 3],
                models: 1,
                hard_operators: false,
                ..Shape::default()
            };
            let mut terms = RandomTerms::generate(&mut random, shape);
            let booleans: Vec<Term> = terms
                .entries
                .iter()
                .map(|entry| entry.term)
                .filter(|&term| terms.pool.sort(term) == Sort::Bool)
                .collect();
            let pool = &mut terms.pool;
            let mut with = NativeSolver::default();
            let mut without = NativeSolver::new(SolverOptions {
                remember_models: false,
                remember_cores: false,
                ..SolverOptions::default()
            });
            let mut open: Vec<Vec<Term>> = vec![Vec::new()];
            for _ in 0..60 {
                let literals: Vec<Term> = (0..3)
                    .map(|_| {
                        let term = random.pick(&booleans);
                        if random.chance(2) {
                            pool.not(term)
                        } else {
                            term
                        }
                    })
                    .collect();
                match random.below(12) {
                    0 => {
                        open.push(Vec::new());
                        with.push();
                        without.push();
                    }
                    1 => {
                        if open.len() > 1 {
                            open.pop();
                        }
                        with.pop();
                        without.pop();
                    }
                    2 => {
                        let clause = pool.or_all(literals);
                        with.assert(pool, clause);
                        without.assert(pool, clause);
                        open.last_mut().expect("a frame").push(clause);
                    }
                    _ => {
                        let answer = with.check(pool, &literals);
                        assert_eq!(answer, without.check(pool, &literals), "seed {seed}");
                        if answer.is_sat() {
                            for &term in open.iter().flatten().chain(&literals) {
                                assert_eq!(with.holds(pool, term), Some(true), "seed {seed}");
                            }
                        } else {
                            let core = with.core().to_vec();
                            assert!(core.iter().all(|term| literals.contains(term)));
                            assert!(without.check(pool, &core).is_unsat(), "seed {seed}");
                        }
                    }
                }
            }
            model_hits += with.statistics().model_hits;
            core_hits += with.statistics().core_hits;
        }
        assert!(model_hits > 0 && core_hits > 0);
    }

    #[test]
    fn a_solver_stopped_while_it_gets_clauses_is_started_anew() {
        let mut pool = TermPool::new();
        let mut solver = NativeSolver::default();
        let sort = Sort::BitVec(64);
        let (x, y) = (pool.var("x", sort), pool.var("y", sort));
        let one = pool.bv(64, 1);
        // Large enough that the solver looks at the token while it gets the clauses.
        let mut product = pool.bv_mul(x, y);
        for _ in 0..4 {
            product = pool.bv_mul(product, x);
            product = pool.bv_add(product, one);
        }
        let asked = pool.eq(product, one);
        solver.set_stop(StopToken::new().with_timeout(std::time::Duration::ZERO));
        assert!(matches!(
            solver.check(&mut pool, &[asked]),
            Answer::Unknown(_)
        ));
        solver.set_stop(StopToken::new());
        assert!(solver.check(&mut pool, &[asked]).is_sat());
        let (a, b) = (solver.value(&pool, x), solver.value(&pool, product));
        assert!(
            a.is_some() && b == solver.value(&pool, one),
            "a model of the formula"
        );
    }

    #[test]
    fn a_stopped_solver_says_so() {
        let mut pool = TermPool::new();
        let mut solver = NativeSolver::default();
        let sort = Sort::BitVec(64);
        let (x, y) = (pool.var("x", sort), pool.var("y", sort));
        let product = pool.bv_mul(x, y);
        let target = pool.bv(64, 4_611_686_018_427_387_847);
        let equal = pool.eq(product, target);
        let one = pool.bv(64, 1);
        let half = pool.bv(64, 1 << 32);
        for factor in [x, y] {
            let above = pool.ult(one, factor);
            let below = pool.ult(factor, half);
            solver.assert(&mut pool, above);
            solver.assert(&mut pool, below);
        }
        solver.assert(&mut pool, equal);
        let start = std::time::Instant::now();
        let limit = std::time::Duration::from_millis(200);
        solver.set_stop(StopToken::new().with_timeout(limit));
        let answer = solver.check(&mut pool, &[]);
        assert_eq!(answer, Answer::Unknown(UnknownReason::Stopped));
        assert!(start.elapsed() < limit * 3, "took {:?}", start.elapsed());
    }
}
