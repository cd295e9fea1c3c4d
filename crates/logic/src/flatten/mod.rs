//! Flattening: bit-vector terms to propositional literals, gate by gate.
//!
//! Only what is asked for is flattened, and once: a term has its literals for the life of the
//! flattener. Clauses are not made here: literals stand for gates, and a solver is given the gates
//! that it needs ([`Gates::emit`]). A read of few writes is a choice among them (`reads`); any other
//! read is a vector of unknown bits, an equality of arrays an unknown bit, and the array lemmas (see
//! `solver::arrays`) tie them together where a model needs it. Floats are lowered to bit-vectors before they come here.

mod arith;
mod gates;
mod reads;

pub use gates::{Gates, Names};

use crate::sat::Lit;
use crate::term::{Op, Sort, Term, TermPool};
use reads::Reads;
use rustc_hash::FxHashMap;

/// A term that flattening cannot handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotFlat(pub Term);

/// Literals of terms.
#[derive(Default)]
pub struct Flattener {
    /// Start in `bits` of the literals of a term; its sort says how many.
    places: FxHashMap<Term, u32>,
    bits: Vec<Lit>,
    gates: Gates,
    /// Variables that have literals, in the order in which they got them.
    variables: Vec<Term>,
    /// Reads and array equalities met, in the order in which they were met.
    array_atoms: Vec<Term>,
    reads: Reads,
    stack: Vec<Term>,
}

fn bit_count(sort: Sort) -> usize {
    match sort {
        Sort::Bool => 1,
        Sort::BitVec(width) => width as usize,
        _ => 0,
    }
}

impl Flattener {
    /// An empty flattener that leaves all reads to lemmas.
    pub fn new() -> Flattener {
        Flattener::default()
    }

    /// An empty flattener that spells out reads of few writes.
    pub fn with_reads() -> Flattener {
        Flattener {
            reads: Reads::new(true),
            ..Flattener::default()
        }
    }

    /// Unknown bits for a term.
    fn record_input(&mut self, term: Term, count: usize) {
        let fresh: Vec<Lit> = (0..count).map(|_| self.gates.input()).collect();
        self.record(term, &fresh);
    }

    /// Variables that have literals, in the order in which they got them.
    pub fn variables(&self) -> &[Term] {
        &self.variables
    }

    /// Reads and array equalities met so far, in the order in which they were met.
    pub fn array_atoms(&self) -> &[Term] {
        &self.array_atoms
    }

    /// The gates that literals stand for.
    pub fn gates(&self) -> &Gates {
        &self.gates
    }

    /// Says that a variable is the same as a term that does not contain it: every bit of it is a
    /// bit of the term.
    pub fn alias(
        &mut self,
        pool: &mut TermPool,
        variable: Term,
        term: Term,
    ) -> Result<(), NotFlat> {
        let targets = self.bits(pool, term)?;
        let inputs = self.bits(pool, variable)?;
        for (input, target) in inputs.into_iter().zip(targets) {
            self.gates.alias(input, target);
        }
        Ok(())
    }

    /// A literal that is true where all of the others are.
    pub fn all(&mut self, literals: Vec<Lit>) -> Lit {
        self.gates.and_all(literals)
    }

    /// The literals of a term, if it was flattened.
    #[inline]
    pub fn known(&self, pool: &TermPool, term: Term) -> Option<&[Lit]> {
        let start = *self.places.get(&term)? as usize;
        Some(&self.bits[start..start + bit_count(pool.sort(term))])
    }

    /// The literal of a boolean term, if it was flattened.
    #[inline]
    pub fn known_lit(&self, pool: &TermPool, term: Term) -> Option<Lit> {
        match pool.op(term) {
            Op::Not => Some(!self.known_lit_positive(pool.args(term)[0])?),
            _ => self.known_lit_positive(term),
        }
    }

    fn known_lit_positive(&self, term: Term) -> Option<Lit> {
        if term == TermPool::TRUE {
            return Some(Lit::TRUE);
        }
        self.places
            .get(&term)
            .map(|&start| self.bits[start as usize])
    }

    /// The literal of a boolean term.
    pub fn lit(&mut self, pool: &mut TermPool, term: Term) -> Result<Lit, NotFlat> {
        if let Some(lit) = self.known_lit(pool, term) {
            return Ok(lit);
        }
        let (inner, positive) = pool.strip_not(term);
        self.flatten(pool, inner)?;
        let lit = self.known_lit_positive(inner).expect("just flattened");
        Ok(lit.negate_if(!positive))
    }

    /// The literals of a bit-vector term, the least significant first.
    pub fn bits(&mut self, pool: &mut TermPool, term: Term) -> Result<Vec<Lit>, NotFlat> {
        self.flatten(pool, term)?;
        Ok(self.known(pool, term).expect("just flattened").to_vec())
    }

    fn record(&mut self, term: Term, bits: &[Lit]) {
        self.places.insert(term, self.bits.len() as u32);
        self.bits.extend_from_slice(bits);
    }

    fn flatten(&mut self, pool: &mut TermPool, term: Term) -> Result<(), NotFlat> {
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push(term);
        let mut result = Ok(());
        while let Some(&current) = stack.last() {
            if self.places.contains_key(&current) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            if let Err(error) = self.flatten_one(pool, current, &mut stack) {
                result = Err(error);
                break;
            }
            if stack.len() == before {
                stack.pop();
            }
        }
        self.stack = stack;
        result
    }

    /// Flattens a term whose operands have literals, or pushes the operands that have none.
    fn flatten_one(
        &mut self,
        pool: &mut TermPool,
        term: Term,
        stack: &mut Vec<Term>,
    ) -> Result<(), NotFlat> {
        let op = pool.op(term);
        let sort = pool.sort(term);
        if op.is_float() || matches!(sort, Sort::Float { .. } | Sort::Array { .. }) {
            return Err(NotFlat(term));
        }
        match op {
            Op::Var(_) => {
                self.record_input(term, bit_count(sort));
                self.variables.push(term);
                return Ok(());
            }
            Op::Select => {
                if let Some(element) = self.reads.expand(pool, term) {
                    match self.known(pool, element).map(<[Lit]>::to_vec) {
                        Some(bits) => self.record(term, &bits),
                        None => stack.push(element),
                    }
                    return Ok(());
                }
                self.record_input(term, bit_count(sort));
                self.array_atoms.push(term);
                return Ok(());
            }
            Op::Eq if matches!(pool.sort(pool.args(term)[0]), Sort::Array { .. }) => {
                self.record_input(term, 1);
                self.array_atoms.push(term);
                return Ok(());
            }
            Op::Eq if matches!(pool.sort(pool.args(term)[0]), Sort::Float { .. }) => {
                return Err(NotFlat(term));
            }
            Op::BvSdiv | Op::BvSrem => {
                let lowered = lower_signed_division(pool, term);
                let Some(bits) = self.known(pool, lowered).map(<[Lit]>::to_vec) else {
                    stack.push(lowered);
                    return Ok(());
                };
                self.record(term, &bits);
                return Ok(());
            }
            _ => {}
        }
        let before = stack.len();
        for &arg in pool.args(term) {
            let needed = match op {
                // Subtraction complements the operand itself; its negation would be a circuit for
                // nothing.
                Op::BvAdd => arith::without_minus(pool, arg).0,
                _ => arg,
            };
            if !self.places.contains_key(&needed) {
                stack.push(needed);
            }
        }
        if stack.len() > before {
            return Ok(());
        }
        let bits = self.circuit(pool, term);
        self.record(term, &bits);
        Ok(())
    }

    fn circuit(&mut self, pool: &TermPool, term: Term) -> Vec<Lit> {
        let args = pool.args(term);
        let places = &self.places;
        let all_bits = &self.bits;
        let bits_of = |term: Term| {
            let start = places[&term] as usize;
            &all_bits[start..start + bit_count(pool.sort(term))]
        };
        let bits = |position: usize| bits_of(args[position]);
        let lit = |position: usize| bits(position)[0];
        let gates = &mut self.gates;
        match pool.op(term) {
            Op::True => vec![Lit::TRUE],
            Op::Not => vec![!lit(0)],
            Op::And => {
                let inputs: Vec<Lit> = (0..args.len()).map(lit).collect();
                vec![gates.and_all(inputs)]
            }
            Op::Eq => vec![gates.equal(bits(0), bits(1))],
            Op::Ite => {
                let condition = lit(0);
                (0..bits(1).len())
                    .map(|i| gates.mux(condition, bits(1)[i], bits(2)[i]))
                    .collect()
            }
            Op::BvConst(_) => {
                let value = pool.as_bv_const(term).expect("a constant");
                (0..value.width())
                    .map(|i| Lit::from(value.bit(i)))
                    .collect()
            }
            Op::BvNot => bits(0).iter().map(|&bit| !bit).collect(),
            Op::BvAnd => fold(args, bits_of, |a, b| gates.and(a, b)),
            Op::BvOr => fold(args, bits_of, |a, b| !gates.and(!a, !b)),
            Op::BvXor => fold(args, bits_of, |a, b| gates.xor(a, b)),
            Op::BvAdd => arith::sum(gates, pool, term, bits_of),
            Op::BvMul => match pool.as_bv_const(args[0]) {
                Some(factor) => arith::multiply_const(gates, factor, bits(1)),
                None => arith::multiply(gates, bits(0), bits(1)),
            },
            Op::BvUdiv => arith::divide(gates, bits(0), bits(1)).0,
            Op::BvUrem => arith::divide(gates, bits(0), bits(1)).1,
            Op::BvShl => arith::shift_left(gates, bits(0), bits(1)),
            Op::BvLshr => arith::shift_right(gates, bits(0), bits(1), Lit::FALSE),
            Op::BvAshr => {
                let sign = *bits(0).last().expect("at least one bit");
                arith::shift_right(gates, bits(0), bits(1), sign)
            }
            Op::Ult => vec![arith::unsigned_less(gates, bits(0), bits(1))],
            Op::Slt => vec![arith::signed_less(gates, bits(0), bits(1))],
            Op::Extract { high, low } => bits(0)[low as usize..=high as usize].to_vec(),
            Op::Concat => args
                .iter()
                .rev()
                .flat_map(|&arg| bits_of(arg))
                .copied()
                .collect(),
            Op::SignExtend => {
                let mut result = bits(0).to_vec();
                let sign = *result.last().expect("at least one bit");
                result.resize(pool.width(term) as usize, sign);
                result
            }
            other => unreachable!("{other:?} was handled or refused before"),
        }
    }
}

fn fold<'a>(
    args: &[Term],
    bits_of: impl Fn(Term) -> &'a [Lit],
    mut combine: impl FnMut(Lit, Lit) -> Lit,
) -> Vec<Lit> {
    let mut result = bits_of(args[0]).to_vec();
    for &arg in &args[1..] {
        for (bit, &other) in result.iter_mut().zip(bits_of(arg)) {
            *bit = combine(*bit, other);
        }
    }
    result
}

/// Signed division through unsigned division of magnitudes, as terms, so that quotient and
/// remainder of the same operands share everything.
fn lower_signed_division(pool: &mut TermPool, term: Term) -> Term {
    let (a, b) = (pool.args(term)[0], pool.args(term)[1]);
    let width = pool.width(term);
    let zero = pool.bv(width, 0);
    let negative_a = pool.slt(a, zero);
    let negative_b = pool.slt(b, zero);
    let magnitude_a = pool.bv_abs(a);
    let magnitude_b = pool.bv_abs(b);
    if pool.op(term) == Op::BvSdiv {
        let quotient = pool.bv_udiv(magnitude_a, magnitude_b);
        let negated = pool.bv_neg(quotient);
        let differ = pool.xor(negative_a, negative_b);
        pool.ite(differ, negated, quotient)
    } else {
        let remainder = pool.bv_urem(magnitude_a, magnitude_b);
        let negated = pool.bv_neg(remainder);
        pool.ite(negative_a, negated, remainder)
    }
}
