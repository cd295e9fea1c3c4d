//! Simplifying constructors: every expression that Concord itself makes goes through here.
//!
//! Laws:
//! - The result has the value of the plain node in every state in which that node has one, and
//!   fails in exactly the states in which that node fails. So no rule drops a part that can fail.
//! - No rule drops or merges signed arithmetic, floats that may become infinite, or a shift that
//!   may go too far: properties look at each such operation that the program wrote.
//! - Operands keep their order, except that a constant moves to the right of a commutative
//!   operator.

mod rules;
#[cfg(test)]
mod tests;

use crate::concrete;
use crate::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use crate::memory::{ObjectId, RegionId};
use crate::value::Ty;
use arith::int;
use rules::{becomes_infinite, first_conversion_is_redundant, overflows, overflows_alone};

impl ExprPool {
    /// A bit pattern of the type; bits beyond the width are cut off.
    pub fn constant(&mut self, bits: u128, ty: Ty) -> ExprId {
        let bits = int::truncate(bits, u32::from(ty.width()));
        self.intern(Node::Const(bits), ty)
    }

    /// A mathematical integer, wrapped to the type.
    pub fn integer(&mut self, value: i128, ty: Ty) -> ExprId {
        debug_assert!(!ty.is_float(), "an integer constant of a float type");
        self.constant(value as u128, ty)
    }

    pub fn bool_constant(&mut self, value: bool) -> ExprId {
        self.constant(value.into(), Ty::Bool)
    }

    /// All bits zero, which is zero in every type.
    pub fn zero(&mut self, ty: Ty) -> ExprId {
        self.constant(0, ty)
    }

    pub fn variable(&mut self, var: VarId, ty: Ty) -> ExprId {
        self.intern(Node::Var(var), ty)
    }

    /// The address of an object; `ty` is the program's pointer type.
    pub fn address(&mut self, object: ObjectId, ty: Ty) -> ExprId {
        self.intern(Node::Address(object), ty)
    }

    pub fn load(&mut self, region: RegionId, address: ExprId, ty: Ty) -> ExprId {
        debug_assert!(ty != Ty::Bool, "truth values do not lie in memory");
        self.intern(Node::Load { region, address }, ty)
    }

    /// The bits of a constant.
    /// What an equation compares with a constant, and the constant.
    pub fn compared_with_constant(&self, equation: ExprId) -> Option<(ExprId, ExprId)> {
        let Node::Binary(BinOp::Eq, a, b) = self.node(equation) else {
            return None;
        };
        match (self.as_constant(a), self.as_constant(b)) {
            (None, Some(_)) => Some((a, b)),
            (Some(_), None) => Some((b, a)),
            _ => None,
        }
    }

    /// A comparison of a variable with a constant: the operator, the variable, the constant's bits,
    /// and whether the variable stands on the left.
    pub fn variable_against_constant(
        &self,
        comparison: ExprId,
    ) -> Option<(BinOp, VarId, u128, bool)> {
        match self.node(comparison) {
            Node::Binary(op, a, b) if op.is_comparison() => match (self.node(a), self.node(b)) {
                (Node::Var(var), Node::Const(bits)) => Some((op, var, bits, true)),
                (Node::Const(bits), Node::Var(var)) => Some((op, var, bits, false)),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn as_constant(&self, id: ExprId) -> Option<u128> {
        match self.node(id) {
            Node::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// The value of a constant truth value.
    pub fn as_bool(&self, id: ExprId) -> Option<bool> {
        match (self.node(id), self.ty(id)) {
            (Node::Const(bits), Ty::Bool) => Some(bits != 0),
            _ => None,
        }
    }

    /// The mathematical value of an integer constant (of 128-bit unsigned types: its bits).
    pub fn as_integer(&self, id: ExprId) -> Option<i128> {
        match (self.node(id), self.ty(id)) {
            (
                Node::Const(bits),
                Ty::Int {
                    width,
                    signed: true,
                },
            ) => Some(int::to_signed(bits, width.into())),
            (Node::Const(bits), Ty::Int { .. }) => Some(bits as i128),
            _ => None,
        }
    }

    pub fn unary(&mut self, op: UnOp, a: ExprId) -> ExprId {
        match op {
            UnOp::Convert(ty) => return self.convert(a, ty),
            UnOp::Reinterpret(ty) => return self.reinterpret(a, ty),
            UnOp::Not => return self.not(a),
            _ => {}
        }
        let ty = self.ty(a);
        if let Some(bits) = self.as_constant(a)
            && !overflows_alone(op, ty, bits)
            && let Ok(folded) = concrete::unary(op, ty, bits)
        {
            return self.constant(folded, op.result(ty));
        }
        if op == UnOp::BitNot
            && let Node::Unary(UnOp::BitNot, inner) = self.node(a)
        {
            return inner;
        }
        self.intern(Node::Unary(op, a), op.result(ty))
    }

    fn reinterpret(&mut self, a: ExprId, to: Ty) -> ExprId {
        debug_assert!(
            self.ty(a).width() == to.width(),
            "reinterpretation keeps the width"
        );
        if self.ty(a) == to {
            return a;
        }
        match self.node(a) {
            Node::Const(bits) => self.constant(bits, to),
            Node::Unary(UnOp::Reinterpret(_), inner) => self.reinterpret(inner, to),
            _ => self.intern(Node::Unary(UnOp::Reinterpret(to), a), to),
        }
    }

    /// C's conversion between arithmetic types (from `Bool` too, never to it).
    pub fn convert(&mut self, a: ExprId, to: Ty) -> ExprId {
        let from = self.ty(a);
        debug_assert!(
            to != Ty::Bool || from == Ty::Bool,
            "a truth value is made by comparison"
        );
        if from == to {
            return a;
        }
        match self.node(a) {
            Node::Const(bits) => {
                if let Ok(folded) = concrete::convert(from, to, bits)
                    && !becomes_infinite(&[(from, bits)], to, folded)
                {
                    return self.constant(folded, to);
                }
            }
            Node::Unary(UnOp::Convert(middle), inner)
                if first_conversion_is_redundant(self.ty(inner), middle, to) =>
            {
                return self.convert(inner, to);
            }
            Node::Ite(c, x, y)
                if self.as_constant(x).is_some() && self.as_constant(y).is_some() =>
            {
                let (x, y) = (self.convert(x, to), self.convert(y, to));
                return self.ite(c, x, y);
            }
            _ => {}
        }
        self.intern(Node::Unary(UnOp::Convert(to), a), to)
    }

    pub fn neg(&mut self, a: ExprId) -> ExprId {
        self.unary(UnOp::Neg, a)
    }

    pub fn bit_not(&mut self, a: ExprId) -> ExprId {
        self.unary(UnOp::BitNot, a)
    }

    /// Negation of a truth value.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        debug_assert!(self.ty(a) == Ty::Bool);
        match self.node(a) {
            Node::Const(bits) => self.bool_constant(bits == 0),
            Node::Unary(UnOp::Not, inner) => inner,
            Node::Binary(BinOp::Eq, x, y) => self.intern(Node::Binary(BinOp::Ne, x, y), Ty::Bool),
            Node::Binary(BinOp::Ne, x, y) => self.intern(Node::Binary(BinOp::Eq, x, y), Ty::Bool),
            // Not for floats: neither `x < y` nor `y <= x` holds of a NaN.
            Node::Binary(BinOp::Lt, x, y) if self.ty(x).is_int() => self.le(y, x),
            Node::Binary(BinOp::Le, x, y) if self.ty(x).is_int() => self.lt(y, x),
            _ => self.intern(Node::Unary(UnOp::Not, a), Ty::Bool),
        }
    }

    /// Whether a value counts as true in C: it differs from zero.
    pub fn truth(&mut self, a: ExprId) -> ExprId {
        if self.ty(a) == Ty::Bool {
            return a;
        }
        let zero = self.zero(self.ty(a));
        self.ne(a, zero)
    }

    pub fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let (ty, count) = (self.ty(a), self.ty(b));
        debug_assert!(
            ty == count || (matches!(op, BinOp::Shl | BinOp::Shr) && ty.is_int() && count.is_int()),
            "operands of {op:?} have types {ty:?} and {count:?}"
        );
        debug_assert!(
            ty != Ty::Bool || matches!(op, BinOp::Eq | BinOp::Ne | BinOp::BoolAnd | BinOp::BoolOr),
            "{op:?} of truth values"
        );
        if let (Some(x), Some(y)) = (self.as_constant(a), self.as_constant(b))
            && !overflows(op, ty, count, x, y)
            && let Ok(folded) = concrete::binary(op, ty, count, x, y)
        {
            return self.constant(folded, op.result(ty));
        }
        if op.is_commutative() && self.as_constant(a).is_some() && self.as_constant(b).is_none() {
            return self.binary(op, b, a);
        }
        let simplified = match op {
            BinOp::BoolAnd => self.simplify_and(a, b),
            BinOp::BoolOr => self.simplify_or(a, b),
            BinOp::Eq | BinOp::Ne => self.simplify_equality(op, a, b),
            _ if ty.is_int() => self.simplify_integer(op, a, b),
            _ => None,
        };
        simplified.unwrap_or_else(|| self.intern(Node::Binary(op, a, b), op.result(ty)))
    }

    pub fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinOp::Add, a, b)
    }

    pub fn sub(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinOp::Sub, a, b)
    }

    pub fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinOp::Mul, a, b)
    }

    pub fn eq(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinOp::Eq, a, b)
    }

    pub fn ne(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinOp::Ne, a, b)
    }

    pub fn lt(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinOp::Lt, a, b)
    }

    pub fn le(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinOp::Le, a, b)
    }

    pub fn gt(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.lt(b, a)
    }

    pub fn ge(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.le(b, a)
    }

    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinOp::BoolAnd, a, b)
    }

    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinOp::BoolOr, a, b)
    }

    /// An address and a constant number of bytes, with all constants of the sum in one.
    pub fn offset(&mut self, address: ExprId, bytes: i128) -> ExprId {
        let ty = self.ty(address);
        debug_assert!(
            ty.is_int() && !ty.is_signed(),
            "an address is an unsigned integer"
        );
        let (base, inner) = match self.node(address) {
            Node::Binary(BinOp::Add, base, c) if self.as_constant(c).is_some() => {
                (base, self.as_integer(c).unwrap_or(0))
            }
            Node::Binary(BinOp::Sub, base, c) if self.as_constant(c).is_some() => {
                (base, -self.as_integer(c).unwrap_or(0))
            }
            _ => (address, 0),
        };
        let width = u32::from(ty.width());
        let total = int::to_signed(int::from_signed(bytes.wrapping_add(inner), width), width);
        let distance = self.constant(total.unsigned_abs(), ty);
        if total < 0 {
            self.sub(base, distance)
        } else {
            self.add(base, distance)
        }
    }

    /// `c ? a : b`; the branches are evaluated strictly, so they must not be able to fail unless
    /// both do in the same states.
    pub fn ite(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        debug_assert!(self.ty(c) == Ty::Bool);
        debug_assert!(self.ty(a) == self.ty(b), "branches of different types");
        let ty = self.ty(a);
        if let Some(value) = self.as_bool(c) {
            let (kept, dropped) = if value { (a, b) } else { (b, a) };
            if !self.can_fail(dropped) {
                return kept;
            }
        }
        if a == b && self.is_droppable(c) {
            return a;
        }
        if let Node::Unary(UnOp::Not, inner) = self.node(c) {
            return self.ite(inner, b, a);
        }
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), Some(false)) => return c,
            (Some(false), Some(true)) => return self.not(c),
            (Some(true), None) => return self.or(c, b),
            (None, Some(false)) => return self.and(c, a),
            _ => {}
        }
        self.intern(Node::Ite(c, a, b), ty)
    }

    pub fn fma(&mut self, a: ExprId, b: ExprId, c: ExprId) -> ExprId {
        let ty = self.ty(a);
        debug_assert!(ty.is_float() && self.ty(b) == ty && self.ty(c) == ty);
        if let (Some(x), Some(y), Some(z)) = (
            self.as_constant(a),
            self.as_constant(b),
            self.as_constant(c),
        ) && let Ok(folded) = concrete::fma(ty, x, y, z)
            && !becomes_infinite(&[(ty, x), (ty, y), (ty, z)], ty, folded)
        {
            return self.constant(folded, ty);
        }
        self.intern(Node::Fma(a, b, c), ty)
    }
}
