//! From terms back to expressions of the program: what a solver or an interpolation found about a
//! state, said in the program's own words.
//!
//! The translation is exact: in every state in which the leaves have the values of the variables
//! and regions that they stand for, the expression has the value of the term. Where no expression
//! says the same, there is none.
//!
//! Bit-vectors become unsigned integers of their width (conversions from and to signed types of one
//! width change no bit), so that only the operators that care about signs convert.

use cfa::expr::{BinOp, ExprId, ExprPool, UnOp, VarId};
use cfa::memory::{ObjectId, RegionId};
use cfa::program::Program;
use cfa::value::Ty;
use logic::{Op, RoundingMode, Sort, Term, TermPool};
use rustc_hash::FxHashMap;

/// What a variable of the logic stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    Var(VarId),
    Region(RegionId),
}

/// What a constant of a pointer's width stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constant {
    Number,
    /// A byte of an object or near it, at the offset.
    Address(ObjectId, i128),
    /// An address that no expression names.
    Unsayable,
}

/// Knows what the leaves of terms mean.
pub trait Meaning {
    fn leaf(&self, variable: Term) -> Option<Leaf>;
    /// Asked for constants of a pointer's width.
    fn constant(&self, value: u64) -> Constant;
}

/// Larger expressions help nobody.
const MAX_TERMS: usize = 2000;

/// The expression that says the same as the term: of type `Bool` for booleans, an unsigned integer
/// for bit-vectors.
pub fn expression(
    program: &Program,
    exprs: &mut ExprPool,
    terms: &TermPool,
    meaning: &dyn Meaning,
    root: Term,
) -> Option<ExprId> {
    let order = terms.postorder(&[root]);
    if order.len() > MAX_TERMS {
        return None;
    }
    let mut walk = Walk {
        program,
        exprs,
        terms,
        meaning,
        done: FxHashMap::default(),
    };
    for term in order {
        // Arrays have no expression of their own; their readers look inside.
        if matches!(terms.sort(term), Sort::Array { .. }) {
            continue;
        }
        let expr = walk.translate(term)?;
        walk.done.insert(term, expr);
    }
    walk.done.get(&root).copied()
}

struct Walk<'a> {
    program: &'a Program,
    exprs: &'a mut ExprPool,
    terms: &'a TermPool,
    meaning: &'a dyn Meaning,
    done: FxHashMap<Term, ExprId>,
}

/// The type that values of a sort have as expressions.
fn ty_of(sort: Sort) -> Option<Ty> {
    use arith::float::FloatFormat;
    match sort {
        Sort::Bool => Some(Ty::Bool),
        Sort::BitVec(width) if width <= 128 => Some(Ty::unsigned(width as u16)),
        Sort::BitVec(_) | Sort::Array { .. } => None,
        Sort::FLOAT32 => Some(Ty::Float(FloatFormat::Single)),
        Sort::FLOAT64 => Some(Ty::Float(FloatFormat::Double)),
        Sort::FLOAT128 => Some(Ty::Float(FloatFormat::Quad)),
        // The x87 format has a bit that its float in logic has not.
        Sort::Float { .. } => None,
    }
}

impl Walk<'_> {
    fn arg(&self, term: Term, position: usize) -> Option<ExprId> {
        let arg = *self.terms.args(term).get(position)?;
        self.done.get(&arg).copied()
    }

    fn signed(&mut self, expr: ExprId) -> ExprId {
        let width = self.exprs.ty(expr).width();
        self.exprs.convert(expr, Ty::signed(width))
    }

    fn unsigned(&mut self, expr: ExprId) -> ExprId {
        let width = self.exprs.ty(expr).width();
        self.exprs.convert(expr, Ty::unsigned(width))
    }

    fn translate(&mut self, term: Term) -> Option<ExprId> {
        let sort = self.terms.sort(term);
        let ty = ty_of(sort)?;
        let op = self.terms.op(term);
        Some(match op {
            Op::Var(_) => self.variable(term, ty)?,
            Op::True => self.exprs.bool_constant(true),
            Op::Not => {
                let a = self.arg(term, 0)?;
                self.exprs.not(a)
            }
            Op::And => self.fold(term, BinOp::BoolAnd)?,
            Op::Eq => {
                if matches!(
                    self.terms.sort(self.terms.args(term)[0]),
                    Sort::Array { .. } | Sort::Float { .. }
                ) {
                    return None;
                }
                let (a, b) = (self.arg(term, 0)?, self.arg(term, 1)?);
                self.equality(a, b)
            }
            Op::Ite => {
                let (c, a, b) = (self.arg(term, 0)?, self.arg(term, 1)?, self.arg(term, 2)?);
                self.exprs.ite(c, a, b)
            }
            Op::BvConst(_) => self.constant(term, ty)?,
            Op::BvNot => {
                let a = self.arg(term, 0)?;
                self.exprs.bit_not(a)
            }
            Op::BvAnd => self.fold(term, BinOp::And)?,
            Op::BvOr => self.fold(term, BinOp::Or)?,
            Op::BvXor => self.fold(term, BinOp::Xor)?,
            Op::BvAdd => self.sum(term, ty)?,
            Op::BvMul => self.fold(term, BinOp::Mul)?,
            Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem => self.division(term, op)?,
            Op::BvShl | Op::BvLshr | Op::BvAshr => self.shift(term, op)?,
            Op::Ult => {
                let (a, b) = (self.arg(term, 0)?, self.arg(term, 1)?);
                self.exprs.lt(a, b)
            }
            Op::Slt => {
                let (a, b) = (self.arg(term, 0)?, self.arg(term, 1)?);
                let (a, b) = (self.signed(a), self.signed(b));
                self.exprs.lt(a, b)
            }
            Op::Extract { low, .. } => {
                let a = self.arg(term, 0)?;
                let count = self.exprs.constant(u128::from(low), self.exprs.ty(a));
                let shifted = match low {
                    0 => a,
                    _ => self.exprs.binary(BinOp::Shr, a, count),
                };
                self.exprs.convert(shifted, ty)
            }
            Op::Concat => self.concat(term, ty)?,
            Op::SignExtend => {
                let a = self.arg(term, 0)?;
                let a = self.signed(a);
                let wide = self.exprs.convert(a, Ty::signed(ty.width()));
                self.unsigned(wide)
            }
            Op::Select => self.select(term, ty)?,
            Op::Store | Op::ConstArray => return None,
            _ => self.float(term, op, ty)?,
        })
    }

    fn variable(&mut self, term: Term, ty: Ty) -> Option<ExprId> {
        let Leaf::Var(var) = self.meaning.leaf(term)? else {
            return None;
        };
        let own = self.program.var(var).ty;
        let expr = self.exprs.variable(var, own);
        Some(match own {
            Ty::Bool => expr,
            Ty::Int { .. } => self.exprs.convert(expr, ty),
            Ty::Float(_) => self.exprs.unary(UnOp::Reinterpret(ty), expr),
        })
    }

    fn constant(&mut self, term: Term, ty: Ty) -> Option<ExprId> {
        let value = self.terms.as_u128(term)?;
        if ty == self.program.pointer_ty() {
            match self.meaning.constant(value as u64) {
                Constant::Number => {}
                Constant::Unsayable => return None,
                Constant::Address(object, offset) => {
                    let base = self.exprs.address(object, ty);
                    return Some(self.exprs.offset(base, offset));
                }
            }
        }
        Some(self.exprs.constant(value, ty))
    }

    /// An operator of any number of operands.
    fn fold(&mut self, term: Term, op: BinOp) -> Option<ExprId> {
        let count = self.terms.args(term).len();
        let mut result = self.arg(term, 0)?;
        for position in 1..count {
            let next = self.arg(term, position)?;
            result = self.exprs.binary(op, result, next);
        }
        Some(result)
    }

    /// The address that is subtracted where the constant is added, if it is one. The outer `None`:
    /// no expression names it.
    fn subtracted(&mut self, constant: u128, ty: Ty) -> Option<Option<ExprId>> {
        if ty != self.program.pointer_ty() {
            return Some(None);
        }
        let negated = arith::int::truncate(constant.wrapping_neg(), u32::from(ty.width()));
        match self.meaning.constant(negated as u64) {
            Constant::Number => Some(None),
            Constant::Unsayable => None,
            Constant::Address(object, offset) => {
                let base = self.exprs.address(object, ty);
                Some(Some(self.exprs.offset(base, offset)))
            }
        }
    }

    /// Sums with differences where the term has products by minus one: nearer to what the program
    /// says.
    fn sum(&mut self, term: Term, ty: Ty) -> Option<ExprId> {
        let (terms, width) = (self.terms, u32::from(ty.width()));
        let (mut plus, mut minus, mut constant) = (Vec::new(), Vec::new(), 0u128);
        for (position, &arg) in terms.args(term).iter().enumerate() {
            let ones = arith::int::truncate(u128::MAX, width);
            if let Some(value) = terms.as_u128(arg)
                && matches!(self.meaning.constant(value as u64), Constant::Number)
            {
                match self.subtracted(value, ty)? {
                    Some(address) => minus.push(address),
                    None => constant = arith::int::truncate(constant.wrapping_add(value), width),
                }
            } else if terms.op(arg) == Op::BvMul
                && terms.as_u128(terms.args(arg)[0]) == Some(ones)
                && terms.args(arg).len() == 2
            {
                minus.push(self.done.get(&terms.args(arg)[1]).copied()?);
            } else {
                plus.push(self.arg(term, position)?);
            }
        }
        let mut parts = plus.into_iter();
        let mut result = match parts.next() {
            Some(first) => first,
            None => self.exprs.constant(std::mem::take(&mut constant), ty),
        };
        for part in parts {
            result = self.exprs.add(result, part);
        }
        for part in minus {
            result = self.exprs.sub(result, part);
        }
        if constant != 0 {
            let signed = arith::int::to_signed(constant, width);
            let magnitude = self.exprs.constant(signed.unsigned_abs(), ty);
            result = match signed < 0 {
                true => self.exprs.sub(result, magnitude),
                false => self.exprs.add(result, magnitude),
            };
        }
        Some(result)
    }

    /// Equality without conversions that both sides share.
    fn equality(&mut self, a: ExprId, b: ExprId) -> ExprId {
        use cfa::expr::Node;
        let inner = |pool: &ExprPool, expr: ExprId| match pool.node(expr) {
            Node::Unary(UnOp::Convert(to), inner)
                if pool.ty(inner).is_int() && pool.ty(inner).width() == to.width() =>
            {
                Some(inner)
            }
            _ => None,
        };
        match (inner(self.exprs, a), inner(self.exprs, b)) {
            (Some(x), Some(y)) if self.exprs.ty(x) == self.exprs.ty(y) => self.exprs.eq(x, y),
            (Some(x), None) if self.exprs.as_constant(b).is_some() => {
                let b = self.exprs.convert(b, self.exprs.ty(x));
                self.exprs.eq(x, b)
            }
            (None, Some(y)) if self.exprs.as_constant(a).is_some() => {
                let a = self.exprs.convert(a, self.exprs.ty(y));
                self.exprs.eq(y, a)
            }
            _ => self.exprs.eq(a, b),
        }
    }

    /// Division in logic is total; of expressions it fails by zero.
    fn division(&mut self, term: Term, op: Op) -> Option<ExprId> {
        let (a, b) = (self.arg(term, 0)?, self.arg(term, 1)?);
        let signed = matches!(op, Op::BvSdiv | Op::BvSrem);
        let (x, y) = match signed {
            true => (self.signed(a), self.signed(b)),
            false => (a, b),
        };
        let ty = self.exprs.ty(x);
        let (zero, one) = (self.exprs.zero(ty), self.exprs.constant(1, ty));
        let fails = self.exprs.eq(y, zero);
        let divisor = self.exprs.ite(fails, one, y);
        let operator = match op {
            Op::BvUdiv | Op::BvSdiv => BinOp::Div,
            _ => BinOp::Rem,
        };
        let quotient = self.exprs.binary(operator, x, divisor);
        let by_zero = match op {
            Op::BvUdiv => self.exprs.integer(-1, ty),
            Op::BvSdiv => {
                // SMT-LIB: 1 for negative dividends, -1 for the others.
                let negative = self.exprs.lt(x, zero);
                let minus_one = self.exprs.integer(-1, ty);
                self.exprs.ite(negative, one, minus_one)
            }
            _ => x,
        };
        let result = self.exprs.ite(fails, by_zero, quotient);
        Some(self.unsigned(result))
    }

    /// Shifts in logic take the whole amount; those of expressions take it modulo the width.
    fn shift(&mut self, term: Term, op: Op) -> Option<ExprId> {
        let (a, amount) = (self.arg(term, 0)?, self.arg(term, 1)?);
        let ty = self.exprs.ty(a);
        let width = ty.width();
        let width_bits = 128 - u128::from(width).leading_zeros();
        let value = match op {
            Op::BvAshr => self.signed(a),
            _ => a,
        };
        let operator = if op == Op::BvShl {
            BinOp::Shl
        } else {
            BinOp::Shr
        };
        let shifted = self.exprs.binary(operator, value, amount);
        if u32::from(width) < width_bits {
            // So narrow that every amount could be said only by a table.
            return None;
        }
        let bound = self.exprs.constant(u128::from(width), ty);
        let fits = self.exprs.lt(amount, bound);
        let beyond = match op {
            Op::BvAshr => {
                let last = self.exprs.constant(u128::from(width - 1), ty);
                self.exprs.binary(BinOp::Shr, value, last)
            }
            _ => self.exprs.zero(ty),
        };
        let result = self.exprs.ite(fits, shifted, beyond);
        Some(self.unsigned(result))
    }

    fn concat(&mut self, term: Term, ty: Ty) -> Option<ExprId> {
        let count = self.terms.args(term).len();
        let mut low = 0u32;
        let mut result = None;
        for position in (0..count).rev() {
            let part = self.arg(term, position)?;
            let width = u32::from(self.exprs.ty(part).width());
            let is_zero = self.exprs.as_constant(part) == Some(0);
            if !is_zero {
                let wide = self.exprs.convert(part, ty);
                let count = self.exprs.constant(u128::from(low), ty);
                let placed = match low {
                    0 => wide,
                    _ => self.exprs.binary(BinOp::Shl, wide, count),
                };
                result = Some(match result {
                    None => placed,
                    Some(below) => self.exprs.binary(BinOp::Or, below, placed),
                });
            }
            low += width;
        }
        Some(result.unwrap_or_else(|| self.exprs.zero(ty)))
    }

    /// A cell: of a region as it is, or through the writes that were made to it.
    fn select(&mut self, term: Term, ty: Ty) -> Option<ExprId> {
        let index = self.arg(term, 1)?;
        let mut array = self.terms.args(term)[0];
        let mut writes = Vec::new();
        let base = loop {
            match self.terms.op(array) {
                Op::Store => {
                    let args = self.terms.args(array);
                    writes.push((
                        self.done.get(&args[1]).copied()?,
                        self.done.get(&args[2]).copied()?,
                    ));
                    array = args[0];
                }
                Op::ConstArray => break self.done.get(&self.terms.args(array)[0]).copied()?,
                Op::Var(_) => {
                    let Leaf::Region(region) = self.meaning.leaf(array)? else {
                        return None;
                    };
                    break self.exprs.load(region, index, ty);
                }
                _ => return None,
            }
        };
        let mut result = base;
        for (written, value) in writes.into_iter().rev() {
            let same = self.exprs.eq(index, written);
            // The branches of a choice must not be able to fail unless both do.
            if self.exprs.can_fail(result) != self.exprs.can_fail(value) {
                return None;
            }
            result = self.exprs.ite(same, value, result);
        }
        Some(result)
    }

    fn float(&mut self, term: Term, op: Op, ty: Ty) -> Option<ExprId> {
        let nearest = RoundingMode::NearestEven;
        let float = |walk: &Self, position: usize| {
            let arg = *walk.terms.args(term).get(position)?;
            ty_of(walk.terms.sort(arg))?;
            walk.done.get(&arg).copied()
        };
        let a = float(self, 0)?;
        Some(match op {
            Op::FpFromBits => self.exprs.unary(UnOp::Reinterpret(ty), a),
            Op::FpToBits => {
                // Of what is no result of an operation, the bits of a NaN are not kept in logic.
                let arg = self.terms.args(term)[0];
                if !is_float_operation(self.terms.op(arg)) {
                    return None;
                }
                self.exprs.unary(UnOp::Reinterpret(ty), a)
            }
            Op::FpAdd(mode) | Op::FpSub(mode) | Op::FpMul(mode) | Op::FpDiv(mode)
                if mode == nearest =>
            {
                let b = float(self, 1)?;
                let operator = match op {
                    Op::FpAdd(_) => BinOp::Add,
                    Op::FpSub(_) => BinOp::Sub,
                    Op::FpMul(_) => BinOp::Mul,
                    _ => BinOp::Div,
                };
                self.exprs.binary(operator, a, b)
            }
            Op::FpSqrt(mode) if mode == nearest => self.exprs.unary(UnOp::Sqrt, a),
            Op::FpEq => {
                let b = float(self, 1)?;
                self.exprs.eq(a, b)
            }
            Op::FpLt => {
                let b = float(self, 1)?;
                self.exprs.lt(a, b)
            }
            Op::FpLe => {
                let b = float(self, 1)?;
                self.exprs.le(a, b)
            }
            Op::FpIsNan => self.exprs.unary(UnOp::IsNan, a),
            Op::FpIsInfinite => self.exprs.unary(UnOp::IsInf, a),
            Op::FpIsZero => self.exprs.unary(UnOp::IsZero, a),
            Op::FpIsNormal => self.exprs.unary(UnOp::IsNormal, a),
            Op::FpIsSubnormal => self.exprs.unary(UnOp::IsSubnormal, a),
            Op::FpToFp(mode) if mode == nearest => self.exprs.convert(a, ty),
            Op::FpFromUnsigned(mode) if mode == nearest => self.exprs.convert(a, ty),
            Op::FpFromSigned(mode) if mode == nearest => {
                let a = self.signed(a);
                self.exprs.convert(a, ty)
            }
            _ => return None,
        })
    }
}

/// Operations whose result as an expression has the one NaN that logic has.
fn is_float_operation(op: Op) -> bool {
    matches!(
        op,
        Op::FpAdd(_)
            | Op::FpSub(_)
            | Op::FpMul(_)
            | Op::FpDiv(_)
            | Op::FpSqrt(_)
            | Op::FpToFp(_)
            | Op::FpFromSigned(_)
            | Op::FpFromUnsigned(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::expr::Node;

    /// One variable, and the second byte of an object at this address.
    struct OneObject(Term, VarId);

    const ADDRESS: u64 = 0x7000_0001;

    impl Meaning for OneObject {
        fn leaf(&self, variable: Term) -> Option<Leaf> {
            (variable == self.0).then_some(Leaf::Var(self.1))
        }

        fn constant(&self, value: u64) -> Constant {
            match value.abs_diff(ADDRESS) {
                0 => Constant::Address(ObjectId(0), 1),
                1..=100 => Constant::Unsayable,
                _ => Constant::Number,
            }
        }
    }

    /// Numbers that an address is subtracted as mean nothing in another form of the program.
    #[test]
    fn subtracted_addresses_are_addresses() {
        let program = testing::program("int main(void) { char a[4], *p = a; return *p; }");
        let p = program.vars.iter().position(|var| var.name == "p");
        let p = VarId(p.expect("declared") as u32);
        let (mut exprs, mut terms) = (program.pool.clone(), TermPool::new());
        let ty = program.pointer_ty();
        let width = u32::from(ty.width());
        let leaf = terms.var("p", Sort::BitVec(width));
        let meaning = OneObject(leaf, p);
        let mut less = |number: u64| {
            let number = arith::int::truncate(u128::from(number).wrapping_neg(), width);
            let number = terms.bv(width, number);
            let sum = terms.bv_add(leaf, number);
            expression(&program, &mut exprs, &terms, &meaning, sum)
        };
        let (near, address, number) = (less(ADDRESS + 9), less(ADDRESS), less(5));
        assert_eq!(near, None);
        let Node::Binary(BinOp::Sub, _, subtracted) = exprs.node(address.expect("sayable")) else {
            panic!("it is a difference")
        };
        let base = exprs.address(ObjectId(0), ty);
        assert_eq!(subtracted, exprs.offset(base, 1));
        let Node::Binary(_, _, five) = exprs.node(number.expect("sayable")) else {
            panic!("it is a sum")
        };
        assert!(exprs.as_constant(five).is_some());
    }
}
