//! What a numeric state knows, as truth-valued program expressions.
//!
//! A linear constraint speaks of mathematical integers; the expression says the same because its
//! operands are first converted to a type in which the sum cannot overflow. Congruences modulo
//! powers of two need no more than the type of the variables, where arithmetic is modulo a power of
//! two anyway.
//!
//! What is written may say less than the state: then it still holds, but need not be inductive,
//! although the states are. The [`Writer`] knows when that happened ([`Writer::take_lost`]).

use super::NumericState;
use super::placed::Placement;
use super::translate::range;
use arith::float::FloatFormat;
use cfa::expr::{BinOp, ExprId, ExprPool, UnOp, VarId};
use cfa::program::Program;
use cfa::value::Ty;
use domains::float::octagon::FloatConstraint;
use domains::interval::Interval;
use domains::linear::{Constraint, VarId as Dimension};
use domains::numeric::NumericDomain;
use domains::octagon::Literal;

/// Writes expressions into a pool that extends the program's.
pub struct Writer<'p> {
    pub program: &'p Program,
    pub pool: ExprPool,
    /// Something of what was written since somebody asked could not be said.
    pub(super) lost: bool,
    /// Where the states take objects to lie: addresses are said as distances.
    pub placement: Option<Placement>,
}

/// What a constraint says; nothing where the types say it already.
type Said = Option<ExprId>;

/// More would cost whoever uses the invariant more than it helps.
const MAX_CONSTRAINTS: usize = 400;

impl<'p> Writer<'p> {
    pub fn new(program: &'p Program) -> Writer<'p> {
        Writer {
            program,
            pool: program.pool.clone(),
            lost: false,
            placement: None,
        }
    }

    /// Did what was written say less than the states, since this was asked before?
    pub fn take_lost(&mut self) -> bool {
        std::mem::take(&mut self.lost)
    }

    /// Notes that something was left out.
    pub fn lose(&mut self) {
        self.lost = true;
    }

    /// The conjunction of all that the state knows.
    pub fn state<D: NumericDomain>(&mut self, state: &NumericState<D>) -> ExprId {
        if state.is_bottom() {
            return self.pool.bool_constant(false);
        }
        let mut conjuncts = Vec::new();
        for constraint in state.integers.constraints() {
            if conjuncts.len() >= MAX_CONSTRAINTS {
                self.lost = true;
                break;
            }
            if !self.is_about_addresses(state, &constraint) {
                conjuncts.extend(self.constraint(&constraint));
            }
        }
        conjuncts.extend(self.distances(state));
        for (variable, expression) in state.integers.definitions() {
            let said = self.definition(state, variable, &expression);
            self.lost |= said.is_none();
            conjuncts.extend(said);
        }
        for constraint in state.floats.constraints() {
            let said = self.float_constraint(&constraint);
            self.lost |= said.is_none();
            conjuncts.extend(said);
        }
        self.all(conjuncts)
    }

    /// What is said of numbers that are addresses is about one placement.
    fn is_about_addresses<D: NumericDomain>(
        &mut self,
        state: &NumericState<D>,
        constraint: &Constraint,
    ) -> bool {
        let Some(placement) = self.placement else {
            return false;
        };
        let is_address = |dimension: Dimension| {
            placement.holds_addresses(self.program, VarId(dimension.0))
                && placement.may_be_address(state.integers.interval(dimension))
        };
        let is_about = match constraint {
            Constraint::False => false,
            Constraint::AtMostZero { terms, .. }
            | Constraint::Zero { terms, .. }
            | Constraint::Multiple { terms, .. } => terms.iter().any(|term| is_address(term.0)),
            Constraint::Bits { variable, .. } | Constraint::OneOf { variable, .. } => {
                is_address(*variable)
            }
        };
        self.lost |= is_about;
        is_about
    }

    /// How far pointers lie into their objects.
    fn distances<D: NumericDomain>(&mut self, state: &NumericState<D>) -> Vec<ExprId> {
        let Some(placement) = self.placement else {
            return Vec::new();
        };
        let mut said = Vec::new();
        for number in 0..self.program.vars.len() as u32 {
            let var = VarId(number);
            if !placement.holds_addresses(self.program, var) {
                continue;
            }
            let numbers = state.integers.interval(Dimension(number));
            let Some((object, distance)) = placement.within(self.program, numbers) else {
                continue;
            };
            let (Some(low), Some(high)) = (distance.lower(), distance.upper()) else {
                continue;
            };
            let ty = self.program.var(var).ty;
            let pointer = self.pool.variable(var, ty);
            let start = self.pool.address(object, ty);
            if low == high {
                let distance = self.pool.integer(low, ty);
                let place = self.pool.add(start, distance);
                said.push(self.pool.eq(pointer, place));
                continue;
            }
            let known = self.pool.len();
            let offset = self.pool.sub(pointer, start);
            if offset.0 as usize >= known {
                self.pool.mark_object_offset(offset);
            }
            let high = self.pool.integer(high, ty);
            said.push(self.pool.le(offset, high));
            if low > 0 {
                let low = self.pool.integer(low, ty);
                said.push(self.pool.le(low, offset));
            }
        }
        said
    }

    /// A balanced conjunction: walks over it are shallow.
    pub fn all(&mut self, mut conjuncts: Vec<ExprId>) -> ExprId {
        if conjuncts.is_empty() {
            return self.pool.bool_constant(true);
        }
        while conjuncts.len() > 1 {
            conjuncts = conjuncts
                .chunks(2)
                .map(|pair| match *pair {
                    [a, b] => self.pool.and(a, b),
                    _ => pair[0],
                })
                .collect();
        }
        conjuncts[0]
    }

    fn var(&mut self, dimension: Dimension) -> Option<(ExprId, Ty)> {
        let ty = self.program.vars.get(dimension.0 as usize)?.ty;
        Some((self.pool.variable(VarId(dimension.0), ty), ty))
    }

    /// `None` if it says nothing beyond the types, or cannot be said, which is noted.
    pub fn constraint(&mut self, constraint: &Constraint) -> Option<ExprId> {
        let said = self.said(constraint);
        self.lost |= said.is_none();
        said.flatten()
    }

    /// `None` if it cannot be said.
    fn said(&mut self, constraint: &Constraint) -> Option<Said> {
        match constraint {
            Constraint::False => Some(Some(self.pool.bool_constant(false))),
            Constraint::AtMostZero { terms, constant } => self.linear(terms, *constant, BinOp::Le),
            Constraint::Zero { terms, constant } => self.linear(terms, *constant, BinOp::Eq),
            Constraint::Multiple {
                terms,
                constant,
                modulus,
            } => self.multiple(terms, *constant, *modulus).map(Some),
            Constraint::Bits {
                variable,
                mask,
                value,
            } => {
                let (var, ty) = self.var(*variable)?;
                let Ty::Int { width, signed } = ty else {
                    return None;
                };
                let own = arith::int::truncate(*mask, u32::from(width));
                // Bits beyond the type are those of its sign.
                let sign = 1 << (width - 1);
                self.lost |= signed && own != *mask && own & sign == 0;
                if own == 0 {
                    return Some(None);
                }
                let (value, mask) = (value & own, self.pool.constant(own, ty));
                let value = self.pool.constant(value, ty);
                let masked = self.pool.binary(BinOp::And, var, mask);
                Some(Some(self.pool.eq(masked, value)))
            }
            Constraint::OneOf {
                variable,
                intervals,
            } => {
                let mut either = self.pool.bool_constant(false);
                for interval in intervals {
                    let parts = Constraint::of_interval(*variable, *interval);
                    let parts = parts.iter().filter_map(|part| self.constraint(part));
                    let parts: Vec<ExprId> = parts.collect();
                    let all = self.all(parts);
                    either = self.pool.or(either, all);
                }
                Some(Some(either))
            }
        }
    }

    fn linear(&mut self, terms: &[(Dimension, i128)], constant: i128, op: BinOp) -> Option<Said> {
        if let &[(dimension, factor @ (1 | -1))] = terms {
            return self.bound(dimension, factor, constant, op);
        }
        if let &[(x, a @ (1 | -1)), (y, b)] = terms
            && a == -b
            && constant == 0
        {
            let (positive, negative) = if a == 1 { (x, y) } else { (y, x) };
            let ((left, left_ty), (right, right_ty)) = (self.var(positive)?, self.var(negative)?);
            if left_ty == right_ty && left_ty.is_int() {
                return Some(Some(self.pool.binary(op, left, right)));
            }
        }
        let (wide, highest) = self.wide_enough(terms, constant)?;
        if op == BinOp::Le && highest <= 0 {
            return Some(None);
        }
        let (left, right) = self.sides(terms, constant, wide)?;
        Some(Some(self.pool.binary(op, left, right)))
    }

    /// What is added and what is subtracted in a sum.
    fn sides(
        &mut self,
        terms: &[(Dimension, i128)],
        constant: i128,
        ty: Ty,
    ) -> Option<(ExprId, ExprId)> {
        let added: Vec<_> = terms.iter().copied().filter(|term| term.1 > 0).collect();
        let subtracted = terms.iter().filter(|term| term.1 < 0);
        let subtracted = subtracted.map(|&(var, factor)| Some((var, factor.checked_neg()?)));
        let subtracted: Vec<_> = subtracted.collect::<Option<_>>()?;
        let left = self.sum(&added, constant.max(0), ty)?;
        let right = self.sum(&subtracted, constant.min(0).checked_neg()?, ty)?;
        Some((left, right))
    }

    /// `±x + constant` compared with zero, in the type of the variable.
    fn bound(
        &mut self,
        dimension: Dimension,
        factor: i128,
        constant: i128,
        op: BinOp,
    ) -> Option<Said> {
        let (var, ty) = self.var(dimension)?;
        let range = range(ty);
        let limit = if factor == 1 {
            constant.checked_neg()?
        } else {
            constant
        };
        let allowed = match (op, factor) {
            (BinOp::Eq, _) => Interval::constant(limit),
            (_, 1) => Interval::at_most(limit),
            _ => Interval::at_least(limit),
        };
        if range.is_subset_of(allowed) {
            return Some(None);
        }
        if range.intersect(allowed).is_empty() {
            return Some(Some(self.pool.bool_constant(false)));
        }
        if ty == Ty::Bool {
            // One of its two values is left.
            return Some(Some(match allowed.contains(1) {
                true => var,
                false => self.pool.not(var),
            }));
        }
        let limit = self.pool.integer(limit, ty);
        Some(Some(match (op, factor) {
            (BinOp::Eq, _) => self.pool.eq(var, limit),
            (_, 1) => self.pool.le(var, limit),
            _ => self.pool.le(limit, var),
        }))
    }

    /// A type in which the sum cannot overflow, and the greatest value that the sum can have.
    fn wide_enough(&self, terms: &[(Dimension, i128)], constant: i128) -> Option<(Ty, i128)> {
        let mut size = constant.checked_abs()?;
        let mut sum = Interval::constant(constant);
        for &(dimension, factor) in terms {
            let ty = self.program.vars.get(dimension.0 as usize)?.ty;
            let values = range(ty);
            let largest = values.lower()?.checked_abs()?.max(values.upper()?);
            size = size.checked_add(factor.checked_abs()?.checked_mul(largest)?)?;
            sum = sum.plus(Interval::constant(factor).times(values));
        }
        let ty = if size < 1 << 62 {
            Ty::I64
        } else if size < 1 << 126 {
            Ty::signed(128)
        } else {
            return None;
        };
        Some((ty, sum.upper()?))
    }

    /// The sum in the given type, modulo its width.
    fn sum(&mut self, terms: &[(Dimension, i128)], constant: i128, ty: Ty) -> Option<ExprId> {
        let mut sum = None;
        for &(dimension, factor) in terms {
            let (var, _) = self.var(dimension)?;
            let var = self.pool.convert(var, ty);
            let term = if factor == 1 {
                var
            } else {
                let factor = self.pool.integer(factor, ty);
                self.pool.mul(var, factor)
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => self.pool.add(sum, term),
            });
        }
        let constant_part = self.pool.integer(constant, ty);
        Some(match sum {
            None => constant_part,
            Some(sum) if constant == 0 => sum,
            Some(sum) => self.pool.add(sum, constant_part),
        })
    }

    fn multiple(
        &mut self,
        terms: &[(Dimension, i128)],
        constant: i128,
        modulus: i128,
    ) -> Option<ExprId> {
        if modulus.count_ones() == 1 {
            let bits = modulus.trailing_zeros();
            let width = [8, 16, 32, 64, 128].into_iter().find(|&w| w >= bits)?;
            let ty = Ty::unsigned(width as u16);
            // As a small negative number where it is one.
            let nearest = |factor: i128| match factor.rem_euclid(modulus) {
                large if large > modulus / 2 => large - modulus,
                small => small,
            };
            let factors: Vec<_> = terms.iter().map(|&(v, c)| (v, nearest(c))).collect();
            let (left, right) = self.sides(&factors, nearest(constant), ty)?;
            if bits == width {
                return Some(self.pool.eq(left, right));
            }
            let difference = self.pool.sub(left, right);
            let mask = self.pool.integer(modulus - 1, ty);
            let rest = self.pool.binary(BinOp::And, difference, mask);
            let zero = self.pool.zero(ty);
            return Some(self.pool.eq(rest, zero));
        }
        let (wide, _) = self.wide_enough(terms, constant)?;
        if wide == Ty::I64 && modulus >= 1 << 62 {
            return None;
        }
        let sum = self.sum(terms, constant, wide)?;
        let modulus = self.pool.integer(modulus, wide);
        let rest = self.pool.binary(BinOp::Rem, sum, modulus);
        let zero = self.pool.zero(wide);
        Some(self.pool.eq(rest, zero))
    }

    fn float_constraint(&mut self, constraint: &FloatConstraint) -> Option<ExprId> {
        let double = Ty::Float(FloatFormat::Double);
        match constraint {
            FloatConstraint::False => Some(self.pool.bool_constant(false)),
            FloatConstraint::NotNan(variable) => {
                let (var, _) = self.var(*variable)?;
                let nan = self.pool.unary(UnOp::IsNan, var);
                Some(self.pool.not(nan))
            }
            FloatConstraint::AtMost { literals, bound } => {
                let limit = self.pool.constant(u128::from(bound.to_bits()), double);
                let mut operands = Vec::new();
                let mut nan = self.pool.bool_constant(false);
                for literal in literals {
                    let (var, ty) = self.var(literal.variable)?;
                    if !ty.is_float() {
                        return None;
                    }
                    let is_nan = self.pool.unary(UnOp::IsNan, var);
                    nan = self.pool.or(nan, is_nan);
                    operands.push(self.pool.convert(var, double));
                }
                let holds = self.float_sum_at_most(literals, &operands, limit, *bound)?;
                Some(self.pool.or(nan, holds))
            }
        }
    }

    /// A sum of two is at most the bound; rounded, it still is, because rounding is monotone and
    /// keeps the bound. But a sum that is too large may be rounded down to the bound: something is
    /// lost.
    fn float_sum_at_most(
        &mut self,
        literals: &[Literal],
        operands: &[ExprId],
        limit: ExprId,
        bound: f64,
    ) -> Option<ExprId> {
        match (literals, operands) {
            ([literal], &[x]) if literal.negative => {
                let double = Ty::Float(FloatFormat::Double);
                let limit = self.pool.constant(u128::from((-bound).to_bits()), double);
                Some(self.pool.le(limit, x))
            }
            ([_], &[x]) => Some(self.pool.le(x, limit)),
            ([a, b], &[x, y]) => {
                let (first, second) = match (a.negative, b.negative) {
                    (false, true) => (x, y),
                    (true, false) => (y, x),
                    (false, false) => {
                        let sum = self.pool.add(x, y);
                        self.lost = true;
                        return Some(self.not_above(sum, limit));
                    }
                    (true, true) => {
                        let x = self.pool.neg(x);
                        self.lost = true;
                        let difference = self.pool.sub(x, y);
                        return Some(self.not_above(difference, limit));
                    }
                };
                if bound == 0.0 {
                    return Some(self.pool.le(first, second));
                }
                self.lost = true;
                let difference = self.pool.sub(first, second);
                Some(self.not_above(difference, limit))
            }
            _ => None,
        }
    }

    /// The difference of two infinities is no number, and above nothing.
    fn not_above(&mut self, sum: ExprId, limit: ExprId) -> ExprId {
        let above = self.pool.lt(limit, sum);
        self.pool.not(above)
    }
}
