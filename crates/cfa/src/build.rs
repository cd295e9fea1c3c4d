//! Simplifying constructors: every expression that Concord itself makes goes through here.
//!
//! Laws:
//! - The result has the value of the plain node in every state in which that node has one, and fails in
//!   exactly the states in which that node fails. So no rule drops a part that can fail.
//! - No rule drops or merges signed arithmetic either: the overflow property looks at each operation
//!   that the program wrote.
//! - Operands keep their order, except that a constant moves to the right of a commutative operator.

use crate::concrete;
use crate::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use crate::memory::{ObjectId, RegionId};
use crate::value::Ty;
use arith::int;

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
                if let Ok(folded) = concrete::convert(from, to, bits) {
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

    /// `c ? a : b`; the branches are evaluated strictly, so they must not be able to fail unless both do
    /// in the same states.
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
        {
            return self.constant(folded, ty);
        }
        self.intern(Node::Fma(a, b, c), ty)
    }

    fn simplify_and(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if a == b {
            return Some(a);
        }
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), _) => Some(b),
            (_, Some(true)) => Some(a),
            (Some(false), _) if !self.can_fail(b) => Some(a),
            (_, Some(false)) if self.is_droppable(a) => Some(b),
            _ => None,
        }
    }

    fn simplify_or(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if a == b {
            return Some(a);
        }
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(false), _) => Some(b),
            (_, Some(false)) => Some(a),
            (Some(true), _) if !self.can_fail(b) => Some(a),
            (_, Some(true)) if self.is_droppable(a) => Some(b),
            _ => None,
        }
    }

    fn simplify_equality(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let ty = self.ty(a);
        let positive = op == BinOp::Eq;
        if a == b && !ty.is_float() && self.is_droppable(a) {
            return Some(self.bool_constant(positive));
        }
        let bits = self.as_constant(b)?;
        if ty == Ty::Bool {
            return Some(if (bits != 0) == positive {
                a
            } else {
                self.not(a)
            });
        }
        if !ty.is_int() {
            return None;
        }
        // A distinct address is never null; two objects' addresses are left to those who lay them out.
        if matches!(self.node(a), Node::Address(_)) && bits == 0 {
            return Some(self.bool_constant(!positive));
        }
        match self.node(a) {
            Node::Unary(UnOp::Convert(_), inner) if self.ty(inner) == Ty::Bool => {
                let one = self.convert_constant(Ty::Bool, ty, 1)?;
                match bits {
                    0 => Some(if positive { self.not(inner) } else { inner }),
                    _ if bits == one => Some(if positive { inner } else { self.not(inner) }),
                    _ if self.is_droppable(inner) => Some(self.bool_constant(!positive)),
                    _ => None,
                }
            }
            // `(int)c == 5` of a narrower `c`: the conversion is one-to-one, so compare before it.
            Node::Unary(UnOp::Convert(_), inner)
                if self.ty(inner).is_int() && self.ty(inner).width() <= ty.width() =>
            {
                let narrow = self.ty(inner);
                let back = self.convert_constant(ty, narrow, bits)?;
                if self.convert_constant(narrow, ty, back)? == bits {
                    let constant = self.constant(back, narrow);
                    Some(self.binary(op, inner, constant))
                } else if self.is_droppable(inner) {
                    Some(self.bool_constant(!positive))
                } else {
                    None
                }
            }
            Node::Ite(c, x, y) => {
                let (x, y) = (self.as_constant(x)?, self.as_constant(y)?);
                if !self.is_droppable(c) {
                    return None;
                }
                let x = self.bool_constant((x == bits) == positive);
                let y = self.bool_constant((y == bits) == positive);
                Some(self.ite(c, x, y))
            }
            _ => None,
        }
    }

    fn convert_constant(&self, from: Ty, to: Ty, bits: u128) -> Option<u128> {
        concrete::convert(from, to, bits).ok()
    }

    fn simplify_integer(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let ty = self.ty(a);
        let ones = int::mask(u32::from(ty.width()));
        let (left, right) = (self.as_constant(a), self.as_constant(b));
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr
                if right == Some(0) =>
            {
                Some(a)
            }
            BinOp::Mul | BinOp::Div if right == Some(1) => Some(a),
            BinOp::Mul | BinOp::And if right == Some(0) && self.is_droppable(a) => Some(b),
            BinOp::And if right == Some(ones) => Some(a),
            BinOp::Or if right == Some(ones) && self.is_droppable(a) => Some(b),
            BinOp::And | BinOp::Or if a == b => Some(a),
            BinOp::Xor | BinOp::Sub if a == b && self.is_droppable(a) => Some(self.zero(ty)),
            BinOp::Shl | BinOp::Shr if left == Some(0) && self.is_droppable(b) => Some(a),
            BinOp::Lt if a == b && self.is_droppable(a) => Some(self.bool_constant(false)),
            BinOp::Le if a == b && self.is_droppable(a) => Some(self.bool_constant(true)),
            // Nothing unsigned is below zero.
            BinOp::Lt if right == Some(0) && !ty.is_signed() && self.is_droppable(a) => {
                Some(self.bool_constant(false))
            }
            BinOp::Le if left == Some(0) && !ty.is_signed() && self.is_droppable(b) => {
                Some(self.bool_constant(true))
            }
            BinOp::Add if !ty.is_signed() && right.is_some() => match self.node(a) {
                Node::Binary(BinOp::Add, base, c) if self.as_constant(c).is_some() => {
                    let sum = self.add(c, b);
                    Some(self.add(base, sum))
                }
                _ => None,
            },
            BinOp::AddOverflows | BinOp::SubOverflows | BinOp::MulOverflows
                if right == Some(0) && self.is_droppable(a) =>
            {
                Some(self.bool_constant(false))
            }
            BinOp::MulOverflows if right == Some(1) && ty.width() > 1 && self.is_droppable(a) => {
                Some(self.bool_constant(false))
            }
            _ => None,
        }
    }
}

/// Whether converting through `middle` gives what converting straight from `from` to `to` does.
fn first_conversion_is_redundant(from: Ty, middle: Ty, to: Ty) -> bool {
    match (from, middle, to) {
        (Ty::Bool, Ty::Int { width, signed }, _) => width > 1 || !signed,
        (
            Ty::Int {
                width: w0,
                signed: s0,
            },
            Ty::Int {
                width: w1,
                signed: s1,
            },
            Ty::Int { width: w2, .. },
        ) => {
            if w2 <= w1 {
                // Only the low bits count, and they are those of the first extension or truncation.
                return true;
            }
            // Widened twice: the second extension must continue the first.
            w1 > w0 && (s1 || !s0) || w1 == w0 && s1 == s0
        }
        // A widened integer has its value, so the float is the same.
        (
            Ty::Int {
                width: w0,
                signed: s0,
            },
            Ty::Int {
                width: w1,
                signed: s1,
            },
            Ty::Float(_),
        ) => w1 > w0 && (s1 || !s0),
        _ => false,
    }
}

/// Folding `MIN` away under a negation would hide its overflow.
fn overflows_alone(op: UnOp, ty: Ty, bits: u128) -> bool {
    op == UnOp::Neg && ty.is_signed() && int::neg_overflows(bits, u32::from(ty.width()))
}

/// Signed arithmetic on constants that overflows stays visible for the overflow property.
fn overflows(op: BinOp, ty: Ty, count: Ty, a: u128, b: u128) -> bool {
    if !ty.is_signed() {
        return false;
    }
    let width = u32::from(ty.width());
    match op {
        BinOp::Add => int::sadd_overflows(a, b, width),
        BinOp::Sub => int::ssub_overflows(a, b, width),
        BinOp::Mul => int::smul_overflows(a, b, width),
        BinOp::Div | BinOp::Rem => int::sdiv_overflows(a, b, width),
        BinOp::Shl => shift_overflows(a, width, count, b),
        _ => false,
    }
}

/// C11 6.5.7 paragraph 4: a left shift of a signed value is defined if the value is not negative and the
/// mathematical result fits.
fn shift_overflows(a: u128, width: u32, count_ty: Ty, count: u128) -> bool {
    let count = int::resize(count, count_ty.width().into(), count_ty.is_signed(), 128);
    if int::is_negative(a, width) || count >= u128::from(width) {
        return true;
    }
    let shifted = int::shl(a, count, width);
    int::is_negative(shifted, width) || int::lshr(shifted, count, width) != a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::evaluate;
    use crate::concrete::{Concrete, State, Undefined};
    use arith::float::FloatFormat;
    use proptest::prelude::*;

    const TYPES: [Ty; 10] = [
        Ty::Int {
            width: 1,
            signed: false,
        },
        Ty::Int {
            width: 5,
            signed: true,
        },
        Ty::U8,
        Ty::Int {
            width: 8,
            signed: true,
        },
        Ty::Int {
            width: 16,
            signed: true,
        },
        Ty::U32,
        Ty::I32,
        Ty::U64,
        Ty::I64,
        Ty::Float(FloatFormat::Double),
    ];

    /// What the next expression is made of; operands are the last ones made.
    #[derive(Clone, Debug)]
    enum Step {
        Const(u64, usize),
        Var(usize),
        Unary(usize),
        Convert(usize),
        Binary(usize),
        Compare(usize),
        Truth,
        Connect(bool),
        Ite,
        Load(usize),
        Offset(i16),
        Repeat,
    }

    fn step() -> impl Strategy<Value = Step> {
        let small = prop_oneof![Just(0u64), Just(1), Just(u64::MAX), 2u64..9, any::<u64>()];
        prop_oneof![
            3 => (small, 0..TYPES.len()).prop_map(|(bits, ty)| Step::Const(bits, ty)),
            3 => (0..TYPES.len()).prop_map(Step::Var),
            2 => (0..8usize).prop_map(Step::Unary),
            3 => (0..TYPES.len()).prop_map(Step::Convert),
            4 => (0..13usize).prop_map(Step::Binary),
            3 => (0..6usize).prop_map(Step::Compare),
            1 => Just(Step::Truth),
            2 => any::<bool>().prop_map(Step::Connect),
            2 => Just(Step::Ite),
            1 => (0..TYPES.len()).prop_map(Step::Load),
            1 => any::<i16>().prop_map(Step::Offset),
            1 => Just(Step::Repeat),
        ]
    }

    /// The same expression twice: simplified, and as it was written.
    type Pair = (ExprId, ExprId);

    struct Maker {
        pool: ExprPool,
        stack: Vec<Pair>,
    }

    impl Maker {
        fn pop(&mut self) -> Pair {
            match self.stack.pop() {
                Some(pair) => pair,
                None => {
                    let zero = self.pool.zero(Ty::I32);
                    (zero, zero)
                }
            }
        }

        fn plain(&mut self, node: Node, ty: Ty) -> ExprId {
            self.pool.intern(node, ty)
        }

        fn unary(&mut self, op: UnOp, (a, b): Pair) -> Pair {
            let ty = self.pool.ty(b);
            let simplified = self.pool.unary(op, a);
            (simplified, self.plain(Node::Unary(op, b), op.result(ty)))
        }

        fn binary(&mut self, op: BinOp, x: Pair, y: Pair) -> Pair {
            let ty = self.pool.ty(x.1);
            let simplified = self.pool.binary(op, x.0, y.0);
            (
                simplified,
                self.plain(Node::Binary(op, x.1, y.1), op.result(ty)),
            )
        }

        fn as_type(&mut self, pair: Pair, ty: Ty) -> Pair {
            match (self.pool.ty(pair.1), ty) {
                (from, to) if from == to => pair,
                (_, Ty::Bool) => self.truth(pair),
                _ => self.unary(UnOp::Convert(ty), pair),
            }
        }

        fn truth(&mut self, (a, b): Pair) -> Pair {
            let ty = self.pool.ty(b);
            if ty == Ty::Bool {
                return (a, b);
            }
            let zero = self.pool.zero(ty);
            (
                self.pool.truth(a),
                self.plain(Node::Binary(BinOp::Ne, b, zero), Ty::Bool),
            )
        }

        /// No truth value: arithmetic needs a number.
        fn number(&mut self, pair: Pair) -> Pair {
            match self.pool.ty(pair.1) {
                Ty::Bool => self.as_type(pair, Ty::I32),
                _ => pair,
            }
        }

        fn run(&mut self, step: &Step) {
            let pair = match *step {
                Step::Const(bits, ty) => {
                    let constant = self.pool.constant(bits.into(), TYPES[ty]);
                    (constant, constant)
                }
                Step::Var(ty) => {
                    let var = self.pool.variable(VarId(ty as u32), TYPES[ty]);
                    (var, var)
                }
                Step::Unary(which) => {
                    let a = self.pop();
                    let a = self.number(a);
                    let is_float = self.pool.ty(a.1).is_float();
                    let op = match (which, is_float) {
                        (0 | 1, _) => UnOp::Neg,
                        (2 | 3, false) => UnOp::BitNot,
                        (4, false) => UnOp::Clz,
                        (5, false) => UnOp::Popcount,
                        (_, false) => UnOp::Ctz,
                        (2 | 3, true) => UnOp::Abs,
                        (4, true) => UnOp::IsNan,
                        (5, true) => UnOp::SignBit,
                        (_, true) => UnOp::Sqrt,
                    };
                    self.unary(op, a)
                }
                Step::Convert(ty) => {
                    let a = self.pop();
                    self.as_type(a, TYPES[ty])
                }
                Step::Binary(which) => {
                    let (b, a) = (self.pop(), self.pop());
                    let a = self.number(a);
                    let ty = self.pool.ty(a.1);
                    let float = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::FMin];
                    let integer = [
                        BinOp::Add,
                        BinOp::Sub,
                        BinOp::Mul,
                        BinOp::Div,
                        BinOp::Rem,
                        BinOp::And,
                        BinOp::Or,
                        BinOp::Xor,
                        BinOp::Shl,
                        BinOp::Shr,
                        BinOp::AddOverflows,
                        BinOp::SubOverflows,
                        BinOp::MulOverflows,
                    ];
                    let op = if ty.is_float() {
                        float[which % 5]
                    } else {
                        integer[which]
                    };
                    let b = self.number(b);
                    let b = match op {
                        BinOp::Shl | BinOp::Shr if self.pool.ty(b.1).is_int() => b,
                        _ => self.as_type(b, ty),
                    };
                    self.binary(op, a, b)
                }
                Step::Compare(which) => {
                    let (b, a) = (self.pop(), self.pop());
                    let ty = self.pool.ty(a.1);
                    let b = self.as_type(b, ty);
                    match (which, ty) {
                        (0 | 1, _) | (_, Ty::Bool) => {
                            self.binary(if which % 2 == 0 { BinOp::Eq } else { BinOp::Ne }, a, b)
                        }
                        (2 | 3, _) => self.binary(BinOp::Lt, a, b),
                        _ => self.binary(BinOp::Le, a, b),
                    }
                }
                Step::Truth => {
                    let a = self.pop();
                    let a = self.truth(a);
                    self.unary(UnOp::Not, a)
                }
                Step::Connect(is_and) => {
                    let (b, a) = (self.pop(), self.pop());
                    let (a, b) = (self.truth(a), self.truth(b));
                    self.binary(
                        if is_and {
                            BinOp::BoolAnd
                        } else {
                            BinOp::BoolOr
                        },
                        a,
                        b,
                    )
                }
                Step::Ite => {
                    let (c, b, a) = (self.pop(), self.pop(), self.pop());
                    let c = self.truth(c);
                    let ty = self.pool.ty(a.1);
                    let b = self.as_type(b, ty);
                    let simplified = self.pool.ite(c.0, a.0, b.0);
                    (simplified, self.plain(Node::Ite(c.1, a.1, b.1), ty))
                }
                Step::Load(ty) => {
                    let a = self.pop();
                    let a = self.number(a);
                    let a = self.as_type(a, Ty::U64);
                    let region = RegionId::WHOLE;
                    let simplified = self.pool.load(region, a.0, TYPES[ty]);
                    (
                        simplified,
                        self.plain(
                            Node::Load {
                                region,
                                address: a.1,
                            },
                            TYPES[ty],
                        ),
                    )
                }
                Step::Offset(bytes) => {
                    let a = self.pop();
                    let a = self.number(a);
                    let a = self.as_type(a, Ty::U64);
                    let distance = self.pool.integer(bytes.into(), Ty::U64);
                    let simplified = self.pool.offset(a.0, bytes.into());
                    (
                        simplified,
                        self.plain(Node::Binary(BinOp::Add, a.1, distance), Ty::U64),
                    )
                }
                Step::Repeat => {
                    let a = self.pop();
                    self.stack.push(a);
                    a
                }
            };
            self.stack.push(pair);
        }
    }

    struct Values([u64; TYPES.len()]);

    impl State for Values {
        type Error = Undefined;

        fn variable(&mut self, var: VarId, ty: Ty) -> Result<u128, Undefined> {
            Ok(int::truncate(
                self.0[var.0 as usize].into(),
                ty.width().into(),
            ))
        }

        fn address(&mut self, _: ObjectId) -> Result<u128, Undefined> {
            Ok(4096)
        }

        fn load(&mut self, address: u128, ty: Ty) -> Result<u128, Undefined> {
            // Some addresses are bad.
            match address % 3 {
                0 => Err(Undefined::IllTyped),
                _ => Ok(int::truncate(
                    address.wrapping_mul(0x9e37_79b9),
                    ty.width().into(),
                )),
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn simplified_expressions_mean_what_was_written(
            steps in prop::collection::vec(step(), 1..40),
            values in prop::array::uniform10(prop_oneof![Just(0u64), Just(1), Just(u64::MAX), any::<u64>()]),
        ) {
            let mut maker = Maker { pool: ExprPool::default(), stack: Vec::new() };
            for step in &steps {
                maker.run(step);
            }
            for &(simplified, plain) in &maker.stack {
                prop_assert_eq!(maker.pool.ty(simplified), maker.pool.ty(plain));
                let mut state = Values(values);
                let expected = evaluate(&maker.pool, plain, &mut Concrete(&mut state));
                let found = evaluate(&maker.pool, simplified, &mut Concrete(&mut state));
                prop_assert_eq!(found.ok(), expected.ok());
            }
        }
    }

    fn variable(pool: &mut ExprPool, ty: Ty) -> ExprId {
        pool.variable(VarId(0), ty)
    }

    #[test]
    fn truth_values_pass_through_integers() {
        let mut pool = ExprPool::default();
        let x = variable(&mut pool, Ty::I32);
        let five = pool.integer(5, Ty::I32);
        let less = pool.lt(x, five);
        let as_int = pool.convert(less, Ty::I32);
        assert_eq!(pool.truth(as_int), less);
        let zero = pool.zero(Ty::I32);
        let not_less = pool.eq(as_int, zero);
        assert_eq!(not_less, pool.le(five, x));
        assert_eq!(pool.not(not_less), less);
    }

    #[test]
    fn addresses_have_one_constant() {
        let mut pool = ExprPool::default();
        let base = pool.address(ObjectId(3), Ty::U64);
        let there = pool.offset(base, 12);
        let there = pool.offset(there, -4);
        assert_eq!(there, pool.offset(base, 8));
        assert_eq!(pool.offset(there, -8), base);
    }

    #[test]
    fn nothing_that_can_fail_is_dropped() {
        let mut pool = ExprPool::default();
        let (x, zero) = (variable(&mut pool, Ty::I32), pool.zero(Ty::I32));
        let quotient = pool.binary(BinOp::Div, x, x);
        let product = pool.mul(quotient, zero);
        assert!(pool.can_fail(product));
        let no = pool.bool_constant(false);
        let test = pool.truth(quotient);
        let both = pool.and(test, no);
        assert!(pool.can_fail(both));
        // Nor what the overflow property looks at.
        let one = pool.integer(1, Ty::I32);
        let sum = pool.add(x, one);
        let product = pool.mul(sum, zero);
        assert!(pool.has_signed_arithmetic(product));
        let max = pool.integer(i32::MAX.into(), Ty::I32);
        let overflow = pool.add(max, one);
        assert_eq!(pool.as_constant(overflow), None);
    }
}
