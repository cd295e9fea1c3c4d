//! Integers between two bounds, and what the operators of expressions make of them.

use cfa::algebra::Algebra;
use cfa::concrete::{self, Undefined};
use cfa::expr::{BinOp, UnOp, VarId};
use cfa::memory::{ObjectId, RegionId};
use cfa::value::Ty;

/// All numbers from `low` to `high`; of truth values 0 and 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Range {
    pub low: i128,
    pub high: i128,
}

/// Why an expression has no range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoRange {
    /// No execution evaluates it to its end.
    Ends,
    /// It is about something else than integers of at most 64 bits in variables.
    Beyond,
}

impl Range {
    const BOOL: Range = Range { low: 0, high: 1 };

    pub fn single(value: i128) -> Range {
        Range {
            low: value,
            high: value,
        }
    }

    /// All values of a type of at most 64 bits.
    pub fn all(ty: Ty) -> Option<Range> {
        match ty {
            Ty::Bool => Some(Range::BOOL),
            Ty::Int { width, signed } if width <= 64 => {
                let low = if signed { -(1i128 << (width - 1)) } else { 0 };
                let high = low + ((1i128 << width) - 1);
                Some(Range { low, high })
            }
            _ => None,
        }
    }

    /// The number that bits stand for.
    pub fn of_bits(ty: Ty, bits: u128) -> Option<Range> {
        Range::all(ty)?;
        ty.number(bits).map(Range::single)
    }

    /// The bits of the only number.
    pub fn bits(self, ty: Ty) -> Option<u128> {
        let mask = (1u128 << ty.width()) - 1;
        self.is_single().then_some(self.low as u128 & mask)
    }

    pub fn is_single(self) -> bool {
        self.low == self.high
    }

    pub fn contains(self, other: Range) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The numbers in both, if there are any.
    pub fn meet(self, other: Range) -> Option<Range> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high).then_some(Range { low, high })
    }

    pub fn hull(self, other: Range) -> Range {
        Range {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// The smallest range of some numbers; all of the type if one of them does not fit it.
    fn of_numbers<const N: usize>(all: Range, numbers: [Option<i128>; N]) -> Range {
        let mut range: Option<Range> = None;
        for number in numbers {
            match number.map(Range::single) {
                Some(number) if all.contains(number) => {
                    range = Some(range.map_or(number, |range| range.hull(number)));
                }
                _ => return all,
            }
        }
        range.unwrap_or(all)
    }
}

fn unary(op: UnOp, ty: Ty, a: Range) -> Option<Range> {
    let result = match op {
        UnOp::Convert(to) | UnOp::Reinterpret(to) => to,
        _ => ty,
    };
    let all = Range::all(result)?;
    if let Some(bits) = a.bits(ty) {
        return Range::of_bits(result, concrete::unary(op, ty, bits).ok()?);
    }
    Some(match op {
        UnOp::Not => not(a),
        UnOp::Neg => Range::of_numbers(all, [Some(-a.high), Some(-a.low)]),
        UnOp::Convert(_) if all.contains(a) => a,
        _ => all,
    })
}

/// The remainder, with the sign of the dividend; the divisor is not zero.
fn remainder(all: Range, a: Range, b: Range) -> Range {
    if b.is_single() && a.low / b.low == a.high / b.low && (a.low >= 0 || a.high <= 0) {
        return Range {
            low: a.low % b.low,
            high: a.high % b.low,
        };
    }
    let most = b.low.abs().max(b.high.abs()) - 1;
    let range = Range {
        low: if a.low < 0 { a.low.max(-most) } else { 0 },
        high: if a.high > 0 { a.high.min(most) } else { 0 },
    };
    range.meet(all).unwrap_or(all)
}

fn less(a: Range, b: Range) -> Range {
    if a.high < b.low {
        Range::single(1)
    } else if a.low >= b.high {
        Range::single(0)
    } else {
        Range::BOOL
    }
}

fn equal(a: Range, b: Range) -> Range {
    if a.meet(b).is_none() {
        Range::single(0)
    } else if a.is_single() && a == b {
        Range::single(1)
    } else {
        Range::BOOL
    }
}

fn not(a: Range) -> Range {
    Range {
        low: 1 - a.high,
        high: 1 - a.low,
    }
}

fn binary(op: BinOp, ty: Ty, count: Ty, a: Range, b: Range) -> Result<Range, NoRange> {
    let all = Range::all(op.result(ty)).ok_or(NoRange::Beyond)?;
    if let (Some(x), Some(y)) = (a.bits(ty), b.bits(count)) {
        return match concrete::binary(op, ty, count, x, y) {
            Ok(bits) => Range::of_bits(op.result(ty), bits).ok_or(NoRange::Beyond),
            Err(Undefined::DivisionByZero | Undefined::DivisionOverflows) => Err(NoRange::Ends),
            Err(Undefined::IllTyped) => Err(NoRange::Beyond),
        };
    }
    let divides = !b.contains(Range::single(0));
    Ok(match op {
        BinOp::Add => {
            let sums = [a.low.checked_add(b.low), a.high.checked_add(b.high)];
            Range::of_numbers(all, sums)
        }
        BinOp::Sub => {
            let differences = [a.low.checked_sub(b.high), a.high.checked_sub(b.low)];
            Range::of_numbers(all, differences)
        }
        BinOp::Mul => {
            let corner = |x: i128, y: i128| x.checked_mul(y);
            let (l, h) = (b.low, b.high);
            let corners = [(a.low, l), (a.low, h), (a.high, l), (a.high, h)];
            Range::of_numbers(all, corners.map(|(x, y)| corner(x, y)))
        }
        BinOp::Div if divides => {
            let (l, h) = (b.low, b.high);
            let corners = [(a.low, l), (a.low, h), (a.high, l), (a.high, h)];
            Range::of_numbers(all, corners.map(|(x, y)| x.checked_div(y)))
        }
        BinOp::Rem if divides => remainder(all, a, b),
        BinOp::Lt => less(a, b),
        BinOp::Le => not(less(b, a)),
        BinOp::Eq => equal(a, b),
        BinOp::Ne => not(equal(a, b)),
        BinOp::BoolAnd => Range {
            low: a.low.min(b.low),
            high: a.high.min(b.high),
        },
        BinOp::BoolOr => Range {
            low: a.low.max(b.low),
            high: a.high.max(b.high),
        },
        _ => all,
    })
}

/// Expressions over variables that lie in ranges; `None` for those that have none.
pub(crate) struct Ranges<'a>(pub &'a [Option<Range>]);

impl Algebra for Ranges<'_> {
    type Value = Range;
    type Error = NoRange;

    fn constant(&mut self, bits: u128, ty: Ty) -> Result<Range, NoRange> {
        Range::of_bits(ty, bits).ok_or(NoRange::Beyond)
    }

    fn variable(&mut self, var: VarId, _: Ty) -> Result<Range, NoRange> {
        self.0[var.0 as usize].ok_or(NoRange::Beyond)
    }

    fn address(&mut self, _: ObjectId, _: Ty) -> Result<Range, NoRange> {
        Err(NoRange::Beyond)
    }

    fn unary(&mut self, op: UnOp, ty: Ty, a: Range) -> Result<Range, NoRange> {
        unary(op, ty, a).ok_or(NoRange::Beyond)
    }

    fn binary(
        &mut self,
        op: BinOp,
        ty: Ty,
        count: Ty,
        a: Range,
        b: Range,
    ) -> Result<Range, NoRange> {
        binary(op, ty, count, a, b)
    }

    fn ite(&mut self, _: Ty, c: Range, a: Range, b: Range) -> Result<Range, NoRange> {
        Ok(match c.is_single().then_some(c.low) {
            Some(0) => b,
            Some(_) => a,
            None => a.hull(b),
        })
    }

    fn fma(&mut self, _: Ty, _: Range, _: Range, _: Range) -> Result<Range, NoRange> {
        Err(NoRange::Beyond)
    }

    fn load(&mut self, _: RegionId, _: Ty, _: Range) -> Result<Range, NoRange> {
        Err(NoRange::Beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OPERATORS: [BinOp; 17] = BinOp::OF_INTEGERS;

    fn range(ty: Ty, a: u8, b: u8) -> Range {
        let number = |bits: u8| Range::of_bits(ty, bits.into()).expect("eight bits").low;
        let (a, b) = (number(a), number(b));
        Range {
            low: a.min(b),
            high: a.max(b),
        }
    }

    fn values(range: Range) -> Vec<i128> {
        let step = ((range.high - range.low) / 12).max(1) as usize;
        let mut values: Vec<i128> = (range.low..=range.high).step_by(step).collect();
        values.push(range.high);
        values
    }

    proptest! {
        /// The result of every pair of members is a member of the result.
        #[test]
        fn binary_operators_are_sound(
            signed: bool, which in 0..OPERATORS.len(), a: u8, b: u8, c: u8, d: u8,
        ) {
            let ty = Ty::Int { width: 8, signed };
            let (left, right, op) = (range(ty, a, b), range(ty, c, d), OPERATORS[which]);
            let result = binary(op, ty, ty, left, right);
            for x in values(left) {
                for y in values(right) {
                    let bits = |value: i128| value as u128 & 255;
                    let exact = concrete::binary(op, ty, ty, bits(x), bits(y));
                    match (exact, result) {
                        (Err(_), _) => {}
                        (Ok(exact), Ok(range)) => {
                            let exact = Range::of_bits(op.result(ty), exact).expect("eight bits");
                            prop_assert!(range.contains(exact), "{x} {op:?} {y}: {range:?}");
                        }
                        (Ok(_), Err(why)) => prop_assert!(false, "{x} {op:?} {y}: {why:?}"),
                    }
                }
            }
        }

        #[test]
        fn unary_operators_are_sound(
            signed: bool, to_signed: bool, which in 0..6usize, a: u8, b: u8,
        ) {
            let ty = Ty::Int { width: 8, signed };
            let to = |width| Ty::Int { width, signed: to_signed };
            let op = [
                UnOp::Neg,
                UnOp::BitNot,
                UnOp::Clz,
                UnOp::Convert(to(8)),
                UnOp::Convert(to(4)),
                UnOp::Convert(to(16)),
            ][which];
            let result_type = match op {
                UnOp::Convert(to) => to,
                _ => ty,
            };
            let operand = range(ty, a, b);
            let result = unary(op, ty, operand).expect("integers");
            for x in values(operand) {
                let exact = concrete::unary(op, ty, x as u128 & 255).expect("defined");
                let exact = Range::of_bits(result_type, exact).expect("few bits");
                prop_assert!(result.contains(exact), "{op:?} {x}: {result:?}");
            }
        }
    }
}
