//! Intervals against their members.

use proptest::prelude::*;

use super::*;
use crate::laws;

pub(crate) fn small() -> impl Strategy<Value = Interval> {
    (-20i128..20, 0i128..12).prop_map(|(lo, length)| Interval::finite(lo, lo + length))
}

fn any_interval() -> impl Strategy<Value = Interval> {
    prop_oneof![
        6 => small(),
        1 => (-20i128..20).prop_map(Interval::at_least),
        1 => (-20i128..20).prop_map(Interval::at_most),
        1 => Just(Interval::TOP),
        1 => Just(Interval::EMPTY),
    ]
}

/// Every result of `concrete` on members lies in `abstracted`, and its ends are reached.
fn exact(
    a: Interval,
    b: Interval,
    abstracted: Interval,
    concrete: impl Fn(i128, i128) -> Option<i128>,
) -> Result<(), TestCaseError> {
    let mut hull = Interval::EMPTY;
    for x in a.lo..=a.hi {
        for y in b.lo..=b.hi {
            if let Some(z) = concrete(x, y) {
                hull = hull.hull(Interval::constant(z));
            }
        }
    }
    prop_assert_eq!(hull, abstracted);
    Ok(())
}

/// As [`exact`], but the abstract result may be larger.
fn sound(
    a: Interval,
    b: Interval,
    abstracted: Interval,
    concrete: impl Fn(i128, i128) -> Option<i128>,
) -> Result<(), TestCaseError> {
    for x in a.lo..=a.hi {
        for y in b.lo..=b.hi {
            if let Some(z) = concrete(x, y) {
                prop_assert!(
                    abstracted.contains(z),
                    "{} {} -> {} not in {}",
                    x,
                    y,
                    z,
                    abstracted
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn lattice_laws(a in any_interval(), b in any_interval(), c in any_interval()) {
        laws::check_lattice(&a, &b, &c)?;
    }

    #[test]
    fn widening_and_narrowing_stabilise(a in any_interval(), rest in prop::collection::vec(any_interval(), 12)) {
        laws::check_stabilises(&a, &rest, 3)?;
        laws::check_stabilises_with(&a, &rest, &Thresholds::new([-15, -5, 0, 7, 22]), 12)?;
    }

    #[test]
    fn arithmetic_is_exact(a in small(), b in small()) {
        exact(a, b, a.plus(b), |x, y| Some(x + y))?;
        exact(a, b, a.minus(b), |x, y| Some(x - y))?;
        exact(a, b, a.times(b), |x, y| Some(x * y))?;
        exact(a, b, a.divide(b), |x, y| x.checked_div(y))?;
        exact(a, b, a.bit_and(b), |x, y| Some(x & y))?;
        exact(a, b, a.bit_or(b), |x, y| Some(x | y))?;
        exact(a, b, a.bit_xor(b), |x, y| Some(x ^ y))?;
        exact(a, a, a.bit_not(), |x, _| Some(!x))?;
        exact(a, b, a.shift_left(b), |x, y| (y >= 0).then(|| x << y))?;
        exact(a, b, a.shift_right(b), |x, y| (y >= 0).then(|| x >> y))?;
        sound(a, b, a.remainder(b), |x, y| x.checked_rem(y))?;
        exact(a, b, a.where_at_most(b), |x, y| (x <= y).then_some(x))?;
        exact(a, b, a.where_at_least(b), |x, y| (x >= y).then_some(x))?;
    }

    #[test]
    fn remainder_by_a_constant(a in small(), d in 1i128..15) {
        let by = Interval::constant(d);
        sound(a, by, a.remainder(by), |x, y| Some(x % y))?;
        sound(a, by.negate(), a.remainder(by.negate()), |x, y| Some(x % y))?;
    }

    #[test]
    fn wrap_is_the_hull_of_wrapped_values(a in -600i128..600, length in 0i128..300, signed: bool) {
        let ty = MachineInt::new(8, signed).expect("8 bits");
        let i = Interval::finite(a, a + length);
        let mut hull = Interval::EMPTY;
        for v in i.lo..=i.hi {
            hull = hull.hull(Interval::constant(ty.wrap_value(v).expect("fits")));
        }
        prop_assert!(hull.is_subset_of(i.wrap(ty)));
        // Only a result that crosses a window's border is inexact, and then it is the whole type.
        prop_assert!(hull == i.wrap(ty) || i.wrap(ty) == ty.range());
    }

    #[test]
    fn what_exceeds_the_widest_types_wraps_around(a: i128, b: i128, signed: bool) {
        let ty = MachineInt::new(128, signed).expect("128 bits");
        let product = Interval::constant(a).times(Interval::constant(b)).wrap(ty);
        let wrapped = a.wrapping_mul(b);
        // A negative one is too large for our numbers as an unsigned value.
        if signed || wrapped >= 0 {
            prop_assert!(product.contains(wrapped), "{a} * {b}: {product:?}");
        }
    }

    #[test]
    fn far_ends_saturate(a: i128, b: i128, c: i128, d: i128) {
        let x = Interval::finite(a.min(b), a.max(b));
        let y = Interval::finite(c.min(d), c.max(d));
        let holds = |i: Interval, exact: Option<i128>, positive: bool| match exact {
            Some(v) => i.contains(v),
            None if positive => i.upper().is_none(),
            None => i.lower().is_none(),
        };
        for (p, q) in [(a, c), (a, d), (b, c), (b, d)] {
            prop_assert!(holds(x.plus(y), p.checked_add(q), p > 0));
            prop_assert!(holds(x.minus(y), p.checked_sub(q), p > 0));
            prop_assert!(holds(x.times(y), p.checked_mul(q), (p < 0) == (q < 0)));
        }
    }
}

#[test]
fn infinite_operands() {
    let up = Interval::at_least(3);
    assert_eq!(up.plus(Interval::constant(-5)), Interval::at_least(-2));
    assert_eq!(up.times(Interval::constant(-2)), Interval::at_most(-6));
    assert_eq!(up.times(Interval::ZERO), Interval::ZERO);
    assert_eq!(Interval::TOP.times(Interval::ZERO), Interval::ZERO);
    assert_eq!(up.divide(Interval::constant(2)), Interval::at_least(1));
    assert_eq!(Interval::constant(7).divide(up), Interval::finite(0, 2));
    assert_eq!(
        Interval::TOP.remainder(Interval::constant(8)),
        Interval::finite(-7, 7)
    );
    assert_eq!(up.remainder(Interval::constant(8)), Interval::finite(0, 7));
    assert_eq!(Interval::TOP.divide(Interval::ZERO), Interval::EMPTY);
    assert_eq!(
        Interval::at_most(-1).shift_right(Interval::at_least(0)),
        Interval::at_most(-1)
    );
    assert_eq!(
        up.bit_and(Interval::finite(0, 255)),
        Interval::finite(0, 255)
    );
    assert_eq!(up.bit_or(Interval::finite(4, 255)), Interval::at_least(4));
}

#[test]
fn sixty_four_bit_products_are_exact() {
    let u64_ = MachineInt::new(64, false).expect("64 bits");
    let max = i128::from(u64::MAX);
    let square = u64_.range().times(Interval::finite(0, 1 << 62));
    assert_eq!(square.upper(), Some(max << 62));
    assert_eq!(
        Interval::constant(max).plus(Interval::ONE).wrap(u64_),
        Interval::ZERO
    );
}
