//! Unknown values by name: a value is the one with that name plus a number, in its low bits.
//!
//! Which value an input has is not known; that a copy of it, increased twice, is two more is. So
//! each unknown value gets a name, and expressions keep it as long as they only add, subtract and
//! convert.

use crate::ranges::{NoRange, Range, Ranges};
use cfa::algebra::Algebra;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::memory::{ObjectId, RegionId};
use cfa::value::Ty;

/// `value ≡ symbol + offset (mod 2^bits)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    pub symbol: u32,
    pub offset: u64,
    pub bits: u32,
}

/// The low bits of a number.
fn low(value: u64, bits: u32) -> u64 {
    arith::int::truncate(value.into(), bits) as u64
}

impl Name {
    fn plus(self, offset: u64) -> Name {
        Name {
            offset: self.offset.wrapping_add(offset),
            ..self
        }
    }

    fn at_most_bits(self, bits: u32) -> Name {
        Name {
            bits: self.bits.min(bits),
            ..self
        }
    }

    /// How much more this one is in the low bits that both have; `None` if they are named
    /// otherwise.
    pub fn minus(self, other: Name) -> Option<(u64, u32)> {
        let bits = self.bits.min(other.bits);
        let difference = low(self.offset.wrapping_sub(other.offset), bits);
        (self.symbol == other.symbol).then_some((difference, bits))
    }
}

/// `left ≡ right + offset (mod 2^bits)`, where both variables have that many bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Relation {
    pub left: VarId,
    pub right: VarId,
    pub offset: u64,
    pub bits: u32,
}

impl Relation {
    /// What an equation of sums of one variable and constants says.
    pub fn of(pool: &ExprPool, equation: ExprId) -> Option<Relation> {
        let Node::Binary(BinOp::Eq, a, b) = pool.node(equation) else {
            return None;
        };
        let width = |id: ExprId| match pool.ty(id) {
            Ty::Int { width, .. } if width <= 64 => Some(u32::from(width)),
            _ => None,
        };
        let compared = width(a)?;
        let ((left, added_left, bits), (right, added_right, other)) =
            (sum(pool, a)?, sum(pool, b)?);
        if bits != other {
            return None;
        }
        if compared != bits {
            // Sums of more bits than the variables have are another thing; equality is not.
            return is_converted_alike(pool, a, b).then_some(Relation {
                left,
                right,
                offset: 0,
                bits,
            });
        }
        Some(Relation {
            left,
            right,
            offset: low(added_right.wrapping_sub(added_left), bits),
            bits,
        })
    }

    /// Whether it holds for values with names.
    pub fn holds(&self, left: Option<Name>, right: Option<Name>) -> bool {
        let apart = left.zip(right).and_then(|(left, right)| left.minus(right));
        apart.is_some_and(|(apart, bits)| bits >= self.bits && low(apart, self.bits) == self.offset)
    }

    /// Whether it holds for the only values of ranges.
    pub fn holds_between(&self, left: Range, right: Range) -> bool {
        let apart = low((left.low - right.low) as u64, self.bits);
        left.is_single() && right.is_single() && apart == self.offset
    }
}

/// Whether both sides are variables of one type that go through the same conversions.
fn is_converted_alike(pool: &ExprPool, mut a: ExprId, mut b: ExprId) -> bool {
    while pool.ty(a) == pool.ty(b) {
        match (pool.node(a), pool.node(b)) {
            (Node::Var(_), Node::Var(_)) => return true,
            (Node::Unary(UnOp::Convert(_), x), Node::Unary(UnOp::Convert(_), y)) => (a, b) = (x, y),
            _ => return false,
        }
    }
    false
}

/// A variable plus a constant, computed without loss of the variable's bits; with their number.
fn sum(pool: &ExprPool, mut id: ExprId) -> Option<(VarId, u64, u32)> {
    let mut added = 0u64;
    let mut least = u32::MAX;
    loop {
        let Ty::Int { width, .. } = pool.ty(id) else {
            return None;
        };
        let width = u32::from(width);
        least = least.min(width);
        match pool.node(id) {
            Node::Var(var) => {
                return (width == least && width <= 64).then_some((var, added, width));
            }
            Node::Unary(UnOp::Convert(_), inner) => id = inner,
            Node::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                match (pool.node(a), pool.node(b)) {
                    (_, Node::Const(bits)) if op == BinOp::Add => {
                        (id, added) = (a, added.wrapping_add(bits as u64));
                    }
                    (_, Node::Const(bits)) => {
                        (id, added) = (a, added.wrapping_sub(bits as u64));
                    }
                    (Node::Const(bits), _) if op == BinOp::Add => {
                        (id, added) = (b, added.wrapping_add(bits as u64));
                    }
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
}

/// A range, and perhaps a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub range: Range,
    pub name: Option<Name>,
}

impl Value {
    fn unnamed(range: Range) -> Value {
        Value { range, name: None }
    }
}

/// Expressions over variables with ranges and names.
pub(crate) struct Values<'a> {
    pub ranges: &'a [Option<Range>],
    /// Empty if none has one.
    pub names: &'a [Option<Name>],
}

fn binary_name(op: BinOp, width: u32, a: Value, b: Value) -> Option<Name> {
    let constant = |value: Value| {
        let range = value.range;
        range.is_single().then_some(range.low as u64)
    };
    let name = match op {
        BinOp::Add => match (a.name, b.name) {
            (Some(name), _) if constant(b).is_some() => name.plus(constant(b)?),
            (_, Some(name)) => name.plus(constant(a)?),
            _ => return None,
        },
        BinOp::Sub => a.name?.plus(constant(b)?.wrapping_neg()),
        _ => return None,
    };
    Some(name.at_most_bits(width))
}

/// What is known of a difference or a comparison of two values with the same name.
fn of_same_name(op: BinOp, ty: Ty, a: Value, b: Value) -> Option<Range> {
    let (apart, bits) = a.name?.minus(b.name?)?;
    let is_all = bits >= u32::from(ty.width());
    let equal = match (apart, is_all) {
        (0, true) => Some(1),
        (0, false) => None,
        _ => Some(0),
    };
    match op {
        BinOp::Sub if is_all => Range::of_bits(ty, low(apart, u32::from(ty.width())).into()),
        BinOp::Eq => equal.map(Range::single),
        BinOp::Ne => equal.map(|equal| Range::single(1 - equal)),
        _ => None,
    }
}

impl Algebra for Values<'_> {
    type Value = Value;
    type Error = NoRange;

    fn constant(&mut self, bits: u128, ty: Ty) -> Result<Value, NoRange> {
        Ranges(self.ranges).constant(bits, ty).map(Value::unnamed)
    }

    fn variable(&mut self, var: VarId, ty: Ty) -> Result<Value, NoRange> {
        Ok(Value {
            range: Ranges(self.ranges).variable(var, ty)?,
            name: self.names.get(var.0 as usize).copied().flatten(),
        })
    }

    fn address(&mut self, object: ObjectId, ty: Ty) -> Result<Value, NoRange> {
        Ranges(self.ranges).address(object, ty).map(Value::unnamed)
    }

    fn unary(&mut self, op: UnOp, ty: Ty, a: Value) -> Result<Value, NoRange> {
        let name = match op {
            UnOp::Convert(to) if ty.is_int() && to.is_int() => {
                a.name.map(|name| name.at_most_bits(u32::from(to.width())))
            }
            _ => None,
        };
        let range = Ranges(self.ranges).unary(op, ty, a.range)?;
        Ok(Value { range, name })
    }

    fn binary(
        &mut self,
        op: BinOp,
        ty: Ty,
        count: Ty,
        a: Value,
        b: Value,
    ) -> Result<Value, NoRange> {
        let range = Ranges(self.ranges).binary(op, ty, count, a.range, b.range)?;
        if a.name.is_none() && b.name.is_none() {
            return Ok(Value::unnamed(range));
        }
        Ok(Value {
            range: of_same_name(op, ty, a, b).unwrap_or(range),
            name: binary_name(op, u32::from(ty.width()), a, b),
        })
    }

    fn ite(&mut self, ty: Ty, c: Value, a: Value, b: Value) -> Result<Value, NoRange> {
        let range = Ranges(self.ranges).ite(ty, c.range, a.range, b.range)?;
        let name = match c.range.is_single().then_some(c.range.low) {
            Some(0) => b.name,
            Some(_) => a.name,
            None => None,
        };
        Ok(Value { range, name })
    }

    fn fma(&mut self, _: Ty, _: Value, _: Value, _: Value) -> Result<Value, NoRange> {
        Err(NoRange::Beyond)
    }

    fn load(&mut self, _: RegionId, _: Ty, _: Value) -> Result<Value, NoRange> {
        Err(NoRange::Beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const X: VarId = VarId(0);
    const Y: VarId = VarId(1);
    const BYTE: Ty = Ty::Int {
        width: 8,
        signed: true,
    };

    proptest! {
        /// What names say of sums, differences, conversions and comparisons of two variables that
        /// are a number apart is so.
        #[test]
        fn names_agree_with_numbers(
            unknown: u8, apart: u8, added: u8, which in 0..4usize, to in prop::sample::select(vec![4u16, 8, 16]),
        ) {
            let name = |offset: u8| Some(Name { symbol: 7, offset: offset.into(), bits: 8 });
            let all = Range::all(BYTE);
            let mut values = Values { ranges: &[all, all], names: &[name(0), name(apart)] };
            let bits = |value: u8| Range::of_bits(BYTE, value.into()).expect("a byte");
            let (x, y) = (values.variable(X, BYTE).expect("x"), values.variable(Y, BYTE).expect("y"));
            let constant = Value::unnamed(bits(added));
            let sum = values.binary(BinOp::Add, BYTE, BYTE, x, constant).expect("a sum");
            let converted_type = Ty::Int { width: to, signed: false };
            let converted = |values: &mut Values<'_>, value| {
                values.unary(UnOp::Convert(converted_type), BYTE, value).expect("a conversion")
            };
            let (left, right) = (converted(&mut values, sum), converted(&mut values, y));
            let op = [BinOp::Sub, BinOp::Eq, BinOp::Ne, BinOp::Add][which];
            let result = values.binary(op, converted_type, converted_type, left, right).expect("a result");
            let exact = |value: u8| {
                let convert = UnOp::Convert(converted_type);
                cfa::concrete::unary(convert, BYTE, value.into()).expect("defined")
            };
            let (a, b) = (exact(unknown.wrapping_add(added)), exact(unknown.wrapping_add(apart)));
            let exact = cfa::concrete::binary(op, converted_type, converted_type, a, b).expect("defined");
            let exact = Range::of_bits(op.result(converted_type), exact).expect("few bits");
            prop_assert!(result.range.contains(exact), "{:?} {:?}", result, exact);
            if let Some(name) = result.name {
                let expected = low(u64::from(unknown).wrapping_add(name.offset), name.bits);
                prop_assert_eq!(low(exact.low as u64, name.bits), expected);
            }
        }
    }

    #[test]
    fn relations_are_read_where_they_say_all() {
        let mut pool = ExprPool::default();
        let wide = Ty::Int {
            width: 16,
            signed: true,
        };
        let (x, y) = (pool.variable(X, BYTE), pool.variable(Y, BYTE));
        let two = pool.integer(2, BYTE);
        let sum = pool.binary(BinOp::Add, y, two);
        let equation = pool.eq(x, sum);
        let relation = Relation::of(&pool, equation).expect("a relation");
        let is_so = matches!((relation.left, relation.offset), (X, 2) | (Y, 254));
        assert!(is_so && relation.bits == 8, "{relation:?}");
        // In more bits the sum does not wrap; a wrapped one may differ.
        let (wide_x, wide_y) = (pool.convert(x, wide), pool.convert(y, wide));
        let wide_two = pool.integer(2, wide);
        let wide_sum = pool.binary(BinOp::Add, wide_y, wide_two);
        let equation = pool.eq(wide_x, wide_sum);
        assert_eq!(Relation::of(&pool, equation), None);
        let equation = pool.eq(wide_x, wide_y);
        assert_eq!(
            Relation::of(&pool, equation).map(|relation| relation.offset),
            Some(0)
        );
        let other = Ty::Int {
            width: 8,
            signed: false,
        };
        let unsigned = pool.convert(y, other);
        let zero_extended = pool.convert(unsigned, wide);
        let equation = pool.eq(wide_x, zero_extended);
        assert_eq!(Relation::of(&pool, equation), None);
    }
}
