//! Candidates for contracts: what holds of all calls that executions made, of these forms.
//!
//! | | about |
//! |---|---|
//! | required | an argument or global between constants of the program; two of them compared |
//! | ensured | what a function leaves (its result, a global) against constants and against what it got; equations of degree one and two between them; each of these also under a condition on what it got, and what it got under a condition on what it leaves |

use super::fit::combination;
use super::notes::Noted;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, VarId};
use cfa::op::Op;
use cfa::program::{FuncId, Program};
use cfa::value::Ty;
use rustc_hash::FxHashSet;
use transform::passes::contracts::{Contract, Contracts, before, globals};

/// Candidates of one function.
const MAX_CANDIDATES: usize = 400;

/// Constants that something is compared with.
const MAX_CONSTANTS: usize = 10;

/// Distinct values of what a function leaves that conditions are made of.
const MAX_CASES: usize = 4;

/// Numbers larger than this are left out of linear algebra: they may have gone round.
const MAX_NUMBER: i128 = 1 << 20;

/// Samples that linear algebra looks at.
const MAX_ROWS: usize = 60;

#[derive(Default)]
struct Candidates {
    requires: Vec<ExprId>,
    ensures: Vec<ExprId>,
}

pub struct Guesses<'a> {
    program: &'a Program,
    pub functions: Vec<FuncId>,
    pool: ExprPool,
    of: Vec<Candidates>,
}

/// What a function gets and leaves, as expressions of one type each.
struct Terms {
    /// Parameters and globals, when it is called.
    got: Vec<ExprId>,
    /// The same, where what is ensured speaks of them.
    got_before: Vec<ExprId>,
    /// The result and the globals that it writes.
    left: Vec<ExprId>,
}

impl<'a> Guesses<'a> {
    pub fn new(program: &'a Program, functions: Vec<FuncId>) -> Guesses<'a> {
        Guesses {
            program,
            of: functions.iter().map(|_| Candidates::default()).collect(),
            functions,
            pool: program.pool.clone(),
        }
    }

    pub fn left(&self) -> usize {
        let each = self.of.iter();
        each.map(|of| of.requires.len() + of.ensures.len()).sum()
    }

    /// All that is left, together.
    pub fn contracts(&self) -> Contracts {
        let mut pool = self.pool.clone();
        let mut all = |list: &[ExprId]| {
            let first = pool.bool_constant(true);
            list.iter().fold(first, |all, &one| pool.and(all, one))
        };
        let each = self.functions.iter().zip(&self.of);
        let list = each.map(|(&function, of)| Contract {
            function,
            requires: all(&of.requires),
            ensures: all(&of.ensures),
        });
        let list = list.collect();
        Contracts { pool, list }
    }

    /// Takes out the candidates that do not hold of this call. Was there any?
    pub fn refute(&mut self, number: usize, returned: bool, noted: &Noted) -> bool {
        let Some(of) = self.of.get_mut(number) else {
            return false;
        };
        let list = match returned {
            true => &mut of.ensures,
            false => &mut of.requires,
        };
        let before = list.len();
        list.retain(|&one| noted.holds(&self.pool, one) == Some(true));
        list.len() < before
    }

    /// Takes out the candidates that multiply what is not constant. Was there any?
    pub fn drop_products(&mut self) -> bool {
        let before = self.left();
        let pool = &self.pool;
        let is_product = |part: ExprId| match pool.node(part) {
            Node::Binary(BinOp::Mul, a, b) => {
                pool.as_constant(a).is_none() && pool.as_constant(b).is_none()
            }
            Node::Binary(BinOp::Rem | BinOp::Div, ..) => true,
            _ => false,
        };
        let has_none = |root: &ExprId| !pool.parts_first(*root).into_iter().any(is_product);
        for of in &mut self.of {
            of.requires.retain(has_none);
            of.ensures.retain(has_none);
        }
        self.left() < before
    }

    pub fn guess(&mut self, samples: &[Vec<Noted>]) {
        let constants = self.constants();
        for (number, samples) in samples.iter().enumerate() {
            let function = self.functions[number];
            let terms = self.terms(function);
            let mut made = Making {
                pool: &mut self.pool,
                constants: &constants,
                samples,
                found: Vec::new(),
                known: FxHashSet::default(),
            };
            made.about_one_and_two(None, &terms.got, &[]);
            let requires = made.taken();
            made.ensured(&terms);
            let ensures = made.taken();
            self.of[number] = Candidates { requires, ensures };
        }
    }

    /// The constants that conditions and arguments of the functions, and of those that call them,
    /// have; small ones first.
    fn constants(&self) -> Vec<i128> {
        let pool = &self.program.pool;
        let mut found: FxHashSet<i128> = [0, 1].into_iter().collect();
        for edge in &self.program.edges {
            let function = self.program.location(edge.source).function;
            if function == self.program.entry {
                continue;
            }
            let roots = match self.program.op(edge.op) {
                Op::Assume(condition) => vec![*condition],
                Op::Assign(_, value) => vec![*value],
                Op::Call { args, .. } => args.clone(),
                _ => continue,
            };
            for root in roots {
                let parts = pool.parts_first(root).into_iter();
                found.extend(parts.filter_map(|part| pool.as_integer(part)));
            }
        }
        let mut found: Vec<i128> = found.into_iter().collect();
        found.sort_unstable_by_key(|number| (number.abs(), *number));
        found.truncate(MAX_CONSTANTS);
        found
    }

    fn terms(&mut self, function: FuncId) -> Terms {
        let program = self.program;
        let called = program.function(function);
        let is_number = |var: &VarId| program.var(*var).ty.is_int();
        let touched = globals(program, function).unwrap_or_default();
        let mut name = |var: VarId, like: VarId| self.pool.variable(var, program.var(like).ty);
        let params: Vec<VarId> = called.params.iter().copied().filter(is_number).collect();
        let numbers: Vec<VarId> = touched.touched.iter().copied().filter(is_number).collect();
        let got = params.iter().chain(&numbers);
        let got = got.map(|&var| name(var, var)).collect();
        let mut got_before: Vec<ExprId> = params.iter().map(|&var| name(var, var)).collect();
        got_before.extend(
            numbers
                .iter()
                .map(|&global| match touched.written.contains(&global) {
                    true => name(before(program, global), global),
                    false => name(global, global),
                }),
        );
        let written = touched.written.iter().copied().filter(is_number);
        let result = called.result.filter(is_number);
        let left = result.into_iter().chain(written);
        let left = left.map(|var| name(var, var)).collect();
        Terms {
            got,
            got_before,
            left,
        }
    }
}

struct Making<'a> {
    pool: &'a mut ExprPool,
    constants: &'a [i128],
    samples: &'a [Noted],
    found: Vec<ExprId>,
    known: FxHashSet<ExprId>,
}

impl Making<'_> {
    fn taken(&mut self) -> Vec<ExprId> {
        self.known.clear();
        let mut found = std::mem::take(&mut self.found);
        found.truncate(MAX_CANDIDATES);
        found
    }

    /// Takes a statement that holds of all samples.
    fn propose(&mut self, guard: Option<ExprId>, atom: ExprId) {
        if self.found.len() >= MAX_CANDIDATES {
            return;
        }
        let whole = match guard {
            Some(guard) => {
                let not = self.pool.not(guard);
                self.pool.or(not, atom)
            }
            None => atom,
        };
        if self.pool.as_bool(whole).is_some() || !self.known.insert(whole) {
            return;
        }
        let samples = self.samples;
        let holds = |noted: &Noted| noted.holds(self.pool, whole) == Some(true);
        if samples.iter().all(holds) {
            self.found.push(whole);
        }
    }

    fn constant(&mut self, number: i128, ty: Ty) -> Option<ExprId> {
        let constant = self.pool.integer(number, ty);
        (self.pool.as_integer(constant) == Some(number)).then_some(constant)
    }

    fn numbers(&self, samples: &[&Noted], term: ExprId) -> Vec<i128> {
        let ty = self.pool.ty(term);
        let values = samples.iter();
        let values = values.filter_map(|noted| ty.number(noted.value(self.pool, term)?));
        values.collect()
    }

    /// The samples of which a condition holds.
    fn those(&self, guard: Option<ExprId>) -> Vec<&'_ Noted> {
        let holds =
            |noted: &&Noted| guard.is_none_or(|guard| noted.holds(self.pool, guard) == Some(true));
        self.samples.iter().filter(holds).collect()
    }

    /// Bounds of each term, and comparisons with one another and with others.
    fn about_one_and_two(&mut self, guard: Option<ExprId>, terms: &[ExprId], others: &[ExprId]) {
        for &term in terms {
            let ty = self.pool.ty(term);
            let numbers = self.numbers(&self.those(guard), term);
            let (Some(&least), Some(&most)) = (numbers.iter().min(), numbers.iter().max()) else {
                continue;
            };
            let mut bounds: Vec<i128> = self.constants.to_vec();
            let near: Vec<i128> = bounds.iter().flat_map(|&at| [at - 1, at + 1]).collect();
            bounds.extend(near);
            bounds.extend([least, most]);
            bounds.sort_unstable();
            bounds.dedup();
            // The strongest bounds first; the weaker ones stand by if those do not last.
            for &bound in bounds.iter().rev().filter(|&&bound| bound <= least) {
                if let Some(bound) = self.constant(bound, ty) {
                    let atom = self.pool.ge(term, bound);
                    self.propose(guard, atom);
                }
            }
            for &bound in bounds.iter().filter(|&&bound| bound >= most) {
                if let Some(bound) = self.constant(bound, ty) {
                    let atom = self.pool.le(term, bound);
                    self.propose(guard, atom);
                }
            }
            for other in bounds {
                if let Some(other) = self.constant(other, ty) {
                    let atom = self.pool.ne(term, other);
                    if guard.is_none() {
                        self.propose(guard, atom);
                    }
                }
            }
        }
        for (number, &term) in terms.iter().enumerate() {
            for &other in terms[number + 1..].iter().chain(others) {
                if self.pool.ty(term) != self.pool.ty(other) {
                    continue;
                }
                for op in [BinOp::Eq, BinOp::Lt, BinOp::Le, BinOp::Ne] {
                    let atom = self.pool.binary(op, term, other);
                    self.propose(guard, atom);
                    if !op.is_commutative() {
                        let atom = self.pool.binary(op, other, term);
                        self.propose(guard, atom);
                    }
                }
            }
        }
    }

    fn ensured(&mut self, terms: &Terms) {
        let (got, left) = (&terms.got_before, &terms.left);
        self.equations(None, got, left);
        self.about_one_and_two(None, left, got);
        let mut guards = Vec::new();
        for &term in got {
            let ty = self.pool.ty(term);
            let constants = self.constants;
            for &number in constants {
                if let Some(number) = self.constant(number, ty) {
                    guards.push(self.pool.le(term, number));
                    guards.push(self.pool.gt(term, number));
                    guards.push(self.pool.eq(term, number));
                }
            }
        }
        for (number, &term) in got.iter().enumerate() {
            for &other in &got[number + 1..] {
                if self.pool.ty(term) == self.pool.ty(other) {
                    guards.push(self.pool.lt(term, other));
                    guards.push(self.pool.lt(other, term));
                    guards.push(self.pool.eq(term, other));
                }
            }
        }
        for guard in guards {
            let some = self.those(Some(guard)).len();
            if some > 0 && some < self.samples.len() {
                self.equations(Some(guard), got, left);
                self.about_one_and_two(Some(guard), left, got);
            }
        }
        // What it leaves tells of what it got.
        for &term in left {
            let ty = self.pool.ty(term);
            let mut cases = self.numbers(&self.those(None), term);
            cases.sort_unstable();
            cases.dedup();
            if cases.len() < 2 || cases.len() > MAX_CASES {
                continue;
            }
            for case in cases {
                if let Some(case) = self.constant(case, ty) {
                    let guard = self.pool.eq(term, case);
                    self.about_one_and_two(Some(guard), got, &[]);
                }
            }
        }
    }

    /// Equations that give what a function leaves from what it got.
    fn equations(&mut self, guard: Option<ExprId>, got: &[ExprId], left: &[ExprId]) {
        for &term in left {
            let ty = self.pool.ty(term);
            let mut linear = vec![self.pool.integer(1, ty)];
            linear.extend(got.iter().map(|&one| self.pool.convert(one, ty)));
            let mut sets = vec![linear.clone()];
            if got.len() <= 3 {
                let mut quadratic = linear.clone();
                for (number, &one) in linear.iter().enumerate().skip(1) {
                    for &other in &linear[number..] {
                        quadratic.push(self.pool.mul(one, other));
                    }
                }
                sets.push(quadratic);
                let constants = self.constants;
                for &modulus in constants {
                    if !(2..1 << 16).contains(&modulus) {
                        continue;
                    }
                    let Some(by) = self.constant(modulus, ty) else {
                        continue;
                    };
                    let rests = linear[1..].iter();
                    let rests: Vec<ExprId> = rests
                        .map(|&one| self.pool.binary(BinOp::Rem, one, by))
                        .collect();
                    let mut with_rests = vec![linear[0]];
                    with_rests.extend(rests);
                    sets.push(with_rests);
                }
            }
            if linear.len() > 6 {
                continue;
            }
            for set in sets {
                if let Some(equation) = self.equation(guard, &set, term) {
                    self.propose(guard, equation);
                    break;
                }
            }
        }
    }

    fn equation(
        &mut self,
        guard: Option<ExprId>,
        terms: &[ExprId],
        value: ExprId,
    ) -> Option<ExprId> {
        let mut rows: Vec<(Vec<i128>, i128)> = Vec::new();
        for noted in self.those(guard) {
            let number = |term: ExprId| {
                let number = self.pool.ty(term).number(noted.value(self.pool, term)?)?;
                (number.abs() <= MAX_NUMBER).then_some(number)
            };
            let row: Option<Vec<i128>> = terms.iter().map(|&term| number(term)).collect();
            let Some((row, value)) = row.zip(number(value)) else {
                continue;
            };
            // Calls that differ confirm an equation, also if they look alike in its terms.
            rows.push((row, value));
            if rows.len() >= MAX_ROWS {
                break;
            }
        }
        let (factors, under) = combination(&rows)?;
        let ty = self.pool.ty(value);
        let mut sum = self.pool.zero(ty);
        for (&term, factor) in terms.iter().zip(factors) {
            if factor != 0 {
                // Modulo the width: of unsigned numbers too.
                let factor = self.pool.integer(factor, ty);
                let product = self.pool.mul(term, factor);
                sum = self.pool.add(sum, product);
            }
        }
        let under = self.constant(under, ty)?;
        let scaled = self.pool.mul(value, under);
        Some(self.pool.eq(scaled, sum))
    }
}
