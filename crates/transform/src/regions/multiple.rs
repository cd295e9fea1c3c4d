//! Numbers that divide every value of an expression, where arithmetic wraps around.
//!
//! Modulo 2^w a multiple of 12 is a multiple of 4 only. So a factor that is no power of two counts
//! only as long as nothing can wrap, which the range of the operands tells.

use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp};
use cfa::value::Ty;

/// Every value of an expression (as its type reads it) lies between the bounds and is a multiple of
/// `divisor`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Multiple {
    /// Zero: the value is zero.
    divisor: i128,
    low: i128,
    high: i128,
}

/// Expressions deeper than this are any number of their type.
const MAX_DEPTH: u32 = 32;

impl Multiple {
    pub fn of(pool: &ExprPool, expr: ExprId) -> Multiple {
        Multiple::within(pool, expr, MAX_DEPTH)
    }

    /// What divides the distance that a pointer of so many bits is moved by, whichever way the sum
    /// wraps around.
    pub fn stride_modulo(self, pointer_bits: u16) -> i64 {
        let half = 1i128 << (pointer_bits - 1);
        let divisor = if self.low > -half && self.high < half {
            self.divisor
        } else {
            power_of_two(self.divisor)
        };
        i64::try_from(divisor).unwrap_or(1)
    }

    /// How many bits hold the distance that a pointer is moved by, as a signed number.
    pub fn bits(self, pointer_bits: u16) -> u8 {
        let half = 1i128 << (pointer_bits - 1);
        let far = self.low.unsigned_abs().max(self.high.unsigned_abs());
        if far < half.unsigned_abs() {
            (u128::BITS - far.leading_zeros()) as u8
        } else {
            pointer_bits as u8
        }
    }

    fn any(ty: Ty) -> Multiple {
        let (low, high) = bounds(ty);
        Multiple {
            divisor: 1,
            low,
            high,
        }
    }

    /// The value modulo 2^w, as the type reads it.
    fn wrapped(self, ty: Ty) -> Multiple {
        let (low, high) = bounds(ty);
        if self.low >= low && self.high <= high {
            return self;
        }
        let divisor = power_of_two(self.divisor).min(1i128 << ty.width().min(100));
        Multiple { divisor, low, high }
    }

    fn product(self, other: Multiple) -> Option<Multiple> {
        let corners = [
            self.low.checked_mul(other.low)?,
            self.low.checked_mul(other.high)?,
            self.high.checked_mul(other.low)?,
            self.high.checked_mul(other.high)?,
        ];
        Some(Multiple {
            divisor: self.divisor.checked_mul(other.divisor)?,
            low: corners.into_iter().min()?,
            high: corners.into_iter().max()?,
        })
    }

    fn sum(self, other: Multiple) -> Option<Multiple> {
        Some(Multiple {
            divisor: gcd(self.divisor, other.divisor),
            low: self.low.checked_add(other.low)?,
            high: self.high.checked_add(other.high)?,
        })
    }

    fn negated(self) -> Option<Multiple> {
        Some(Multiple {
            divisor: self.divisor,
            low: self.high.checked_neg()?,
            high: self.low.checked_neg()?,
        })
    }

    fn within(pool: &ExprPool, expr: ExprId, depth: u32) -> Multiple {
        let ty = pool.ty(expr);
        if depth == 0 || !ty.is_int() || ty.width() > 64 {
            return Multiple::any(ty);
        }
        let of = |expr| Multiple::within(pool, expr, depth - 1);
        let exact = match pool.node(expr) {
            Node::Const(bits) => ty.number(bits).map(|value| Multiple {
                divisor: value.abs(),
                low: value,
                high: value,
            }),
            Node::Binary(BinOp::Mul, a, b) => {
                let (a, b) = (of(a), of(b));
                // A product that is too large for our numbers wraps around in any type.
                a.product(b).or_else(|| {
                    let powers = power_of_two(a.divisor).checked_mul(power_of_two(b.divisor))?;
                    let divisor = powers.min(1i128 << ty.width());
                    Some(Multiple {
                        divisor,
                        ..Multiple::any(ty)
                    })
                })
            }
            Node::Binary(BinOp::Shl, a, b) => match pool.as_constant(b) {
                Some(count) if count < u128::from(ty.width()) => {
                    let factor = 1i128 << count;
                    let factor = Multiple {
                        divisor: factor,
                        low: factor,
                        high: factor,
                    };
                    of(a).product(factor)
                }
                _ => None,
            },
            Node::Binary(BinOp::Add, a, b) => of(a).sum(of(b)),
            Node::Binary(BinOp::Sub, a, b) => of(b).negated().and_then(|b| of(a).sum(b)),
            Node::Unary(UnOp::Neg, a) => of(a).negated(),
            Node::Unary(UnOp::Convert(_), a) if pool.ty(a).is_int() => Some(of(a)),
            Node::Ite(_, a, b) => {
                let (a, b) = (of(a), of(b));
                Some(Multiple {
                    divisor: gcd(a.divisor, b.divisor),
                    low: a.low.min(b.low),
                    high: a.high.max(b.high),
                })
            }
            _ => None,
        };
        exact.map_or(Multiple::any(ty), |exact| exact.wrapped(ty))
    }
}

fn bounds(ty: Ty) -> (i128, i128) {
    match ty {
        Ty::Int { width, signed } if width <= 64 => {
            if signed {
                (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
            } else {
                (0, (1i128 << width) - 1)
            }
        }
        _ => (i128::MIN, i128::MAX),
    }
}

/// The largest power of two that divides the number.
fn power_of_two(number: i128) -> i128 {
    match number {
        0 => 0,
        number => 1i128 << number.trailing_zeros().min(100),
    }
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::expr::VarId;

    fn stride(build: impl FnOnce(&mut ExprPool) -> ExprId, pointer_bits: u16) -> i64 {
        let mut pool = ExprPool::default();
        let expr = build(&mut pool);
        Multiple::of(&pool, expr).stride_modulo(pointer_bits)
    }

    fn times(pool: &mut ExprPool, value: ExprId, factor: u128) -> ExprId {
        let factor = pool.constant(factor, pool.ty(value));
        pool.binary(BinOp::Mul, value, factor)
    }

    #[test]
    fn a_product_that_may_wrap_keeps_powers_of_two_only() {
        let wraps = |pool: &mut ExprPool| {
            let index = pool.variable(VarId(0), Ty::U32);
            times(pool, index, 12)
        };
        assert_eq!(stride(wraps, 32), 4);
    }

    #[test]
    fn a_narrow_index_keeps_every_factor() {
        let narrow = |pool: &mut ExprPool| {
            let index = pool.variable(VarId(0), Ty::I32);
            let index = pool.convert(index, Ty::I64);
            times(pool, index, 12)
        };
        assert_eq!(stride(narrow, 64), 12);
    }

    #[test]
    fn a_product_that_wrapped_before_it_was_widened_keeps_powers_of_two_only() {
        let widened = |pool: &mut ExprPool| {
            let index = pool.variable(VarId(0), Ty::U32);
            let product = times(pool, index, 3);
            let wide = pool.convert(product, Ty::U64);
            times(pool, wide, 4)
        };
        assert_eq!(stride(widened, 64), 4);
    }

    #[test]
    fn a_negative_unsigned_distance_is_no_multiple() {
        let negative = |pool: &mut ExprPool| {
            let index = pool.variable(VarId(0), Ty::U8);
            let index = pool.convert(index, Ty::U64);
            let product = times(pool, index, 12);
            pool.unary(UnOp::Neg, product)
        };
        assert_eq!(stride(negative, 64), 4);
    }
}
