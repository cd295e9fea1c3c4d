//! Directed rounding of double arithmetic, and the two formats of floats.
//!
//! The processor rounds to nearest; the exact error of a result tells whether the neighbour is
//! needed. Arguments are never NaN; infinite ends of intervals stand for "arbitrarily large".

pub(crate) use crate::octagon::bound::add_up;

/// The greatest double that is at most `a + b`; neither is plus infinity.
pub(crate) fn add_down(a: f64, b: f64) -> f64 {
    -add_up(-a, -b)
}

/// Below this size the error of a product or quotient may itself be inexact.
const TINY: f64 = f64::MIN_POSITIVE * (1u64 << 60) as f64;

/// The least double that is at least `a·b`, where zero times infinity is zero.
pub(crate) fn multiply_up(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let product = a * b;
    if a.is_infinite() || b.is_infinite() {
        return product;
    }
    if product == f64::NEG_INFINITY {
        return f64::MIN;
    }
    if product == f64::INFINITY {
        return product;
    }
    if product.abs() < TINY {
        return product.next_up();
    }
    if a.mul_add(b, -product) > 0.0 {
        product.next_up()
    } else {
        product
    }
}

pub(crate) fn multiply_down(a: f64, b: f64) -> f64 {
    -multiply_up(-a, b)
}

/// The least double that is at least `a / b`; `b` is not zero, and a quotient by infinity is zero.
pub(crate) fn divide_up(a: f64, b: f64) -> f64 {
    if b.is_infinite() || a == 0.0 {
        return 0.0;
    }
    let quotient = a / b;
    if a.is_infinite() {
        return quotient;
    }
    if quotient == f64::NEG_INFINITY {
        return f64::MIN;
    }
    if quotient == f64::INFINITY {
        return quotient;
    }
    if quotient.abs() < TINY || a.abs() < TINY {
        return quotient.next_up();
    }
    // a - quotient·b has the sign of the error times that of b.
    let rest = (-quotient).mul_add(b, a);
    if (rest > 0.0) == (b > 0.0) && rest != 0.0 {
        quotient.next_up()
    } else {
        quotient
    }
}

pub(crate) fn divide_down(a: f64, b: f64) -> f64 {
    -divide_up(-a, b)
}

/// The formats of C's `float` and `double`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatFormat {
    Single,
    Double,
}

impl FloatFormat {
    /// A number differs from its rounding, in whatever direction, by at most this part of itself
    /// ...
    pub(crate) fn relative_error(self) -> f64 {
        match self {
            FloatFormat::Single => f64::from(f32::EPSILON),
            FloatFormat::Double => f64::EPSILON,
        }
    }

    /// ... plus this much.
    pub(crate) fn absolute_error(self) -> f64 {
        match self {
            FloatFormat::Single => f64::from(f32::from_bits(1)),
            FloatFormat::Double => f64::from_bits(1),
        }
    }

    /// The least number of the format that is at least `value`; plus infinity beyond the greatest.
    pub(crate) fn round_up(self, value: f64) -> f64 {
        match self {
            FloatFormat::Double => value,
            FloatFormat::Single => {
                let nearest = value as f32;
                let up = if f64::from(nearest) < value {
                    nearest.next_up()
                } else {
                    nearest
                };
                f64::from(up)
            }
        }
    }

    pub(crate) fn round_down(self, value: f64) -> f64 {
        -self.round_up(-value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn finite() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<f64>().prop_filter("finite", |v| v.is_finite()),
            -1e3..1e3,
            (-50i32..50).prop_map(f64::from),
            prop::sample::select(vec![
                0.0,
                f64::MAX,
                f64::MIN,
                f64::MIN_POSITIVE,
                f64::from_bits(1)
            ]),
        ]
    }

    proptest! {
        #[test]
        fn directed_results_enclose_the_nearest(a in finite(), b in finite()) {
            prop_assert!(add_down(a, b) <= a + b && a + b <= add_up(a, b));
            prop_assert!(multiply_down(a, b) <= a * b && a * b <= multiply_up(a, b));
            if b != 0.0 {
                prop_assert!(divide_down(a, b) <= a / b && a / b <= divide_up(a, b));
            }
            let single = f64::from(a as f32);
            prop_assert!(FloatFormat::Single.round_down(a) <= a && a <= FloatFormat::Single.round_up(a));
            prop_assert!(FloatFormat::Single.round_down(a) <= single && single <= FloatFormat::Single.round_up(a));
        }

        /// Products and quotients of integers can be compared exactly.
        #[test]
        fn the_direction_is_right(a in -(1i64 << 50)..1i64 << 50, b in -(1i64 << 50)..1i64 << 50) {
            let (x, y) = (a as f64, b as f64);
            let exact = i128::from(a) * i128::from(b);
            prop_assert!(multiply_up(x, y) as i128 >= exact);
            prop_assert!(multiply_down(x, y) as i128 <= exact);
            if b > 0 {
                // q >= a / b exactly if the product with b, rounded up, reaches a.
                prop_assert!(multiply_up(divide_up(x, y), y) >= x);
                prop_assert!(multiply_down(divide_down(x, y), y) <= x);
            }
        }
    }

    #[test]
    fn exact_results_are_not_moved() {
        assert_eq!(multiply_up(3.0, 4.0), 12.0);
        assert_eq!(divide_up(1.0, 4.0), 0.25);
        assert_eq!(divide_down(-6.0, 3.0), -2.0);
        assert!(divide_up(1.0, 3.0) > divide_down(1.0, 3.0));
        assert_eq!(FloatFormat::Single.round_up(1e39), f64::INFINITY);
        assert_eq!(FloatFormat::Single.round_down(1e39), f64::from(f32::MAX));
    }
}
