//! Values that change from round to round of a loop by a fixed rule, for as many rounds as the rule
//! holds.
//!
//! A [`Progression`] of width `w` says what a register holds in round `t = 0, 1, 2, …`:
//! `(first + step·t + growth·t(t-1)/2) mod 2^w`. So `step` is what the next round adds, and
//! `growth` what every round adds to that: counters have a step, sums of counters also a growth.
//! Sums, differences and multiples of such values modulo `2^w` are such values again, for every
//! `t`; nothing has to be known about wrap-around.
//!
//! What depends on the value as an integer (comparisons, extension to more bits, division) is only
//! worked out as long as the integer follows the polynomial without wrapping and the answer stays
//! what it is in round 0. The [`Horizon`] is the number of rounds for which all answers so far are
//! right: each such question lowers it. Its law: after any sequence of operations that all
//! succeeded, in every round `t < rounds` every operation, executed on what its operands hold in
//! round `t`, gives what its progression says for `t`, and every question has the answer that was
//! given.

/// Rounds beyond this many are never looked at, so that no polynomial here leaves 128 bits.
pub(super) const MAX_ROUNDS: u64 = 1 << 47;
/// Nor do questions about integers look at polynomials that bend more than this.
const MAX_GROWTH: i128 = 1 << 33;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Progression {
    pub first: u64,
    pub step: u64,
    pub growth: u64,
    /// 1 to 64; all three are less than two to this power.
    pub width: u8,
}

/// An operation whose result follows no such rule, or a question whose answer changes at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Irregular;

fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - width)
}

/// Whether just the lowest bits are set, and at least one.
fn is_mask(bits: u64) -> bool {
    bits != 0 && bits & bits.wrapping_add(1) == 0
}

fn as_signed(value: u64, width: u8) -> i128 {
    arith::int::to_signed(value.into(), width.into())
}

/// `t(t-1)/2`, modulo `2^64`.
fn pairs(t: u64) -> u64 {
    let t = u128::from(t);
    (t * t.wrapping_sub(1) / 2) as u64
}

impl Progression {
    pub fn constant(value: u64) -> Progression {
        Progression::new(value, 0, 0, 64)
    }

    /// With everything taken modulo two to the width.
    pub fn new(first: u64, step: u64, growth: u64, width: u8) -> Progression {
        let mask = mask(width);
        Progression {
            first: first & mask,
            step: step & mask,
            growth: growth & mask,
            width,
        }
    }

    /// The one that has these values in three rounds that follow each other, seen from the last of
    /// them.
    pub fn through(before: [u64; 2], now: u64, width: u8) -> Progression {
        let last_step = now.wrapping_sub(before[1]);
        let growth = last_step.wrapping_sub(before[1].wrapping_sub(before[0]));
        Progression::new(now, last_step.wrapping_add(growth), growth, width)
    }

    pub fn is_constant(self) -> bool {
        self.step == 0 && self.growth == 0
    }

    /// The same values, one round later.
    pub fn later(self) -> Progression {
        Progression::new(
            self.first.wrapping_add(self.step),
            self.step.wrapping_add(self.growth),
            self.growth,
            self.width,
        )
    }

    /// Whether the two are the same in every round.
    pub fn is_same(self, other: Progression) -> bool {
        let coefficients = |p: Progression| (p.first, p.step, p.growth);
        coefficients(self) == coefficients(other)
            && (self.width == other.width || self.is_constant())
    }

    /// What it is in round `t`.
    pub fn at(self, t: u64) -> u64 {
        let linear = self.first.wrapping_add(self.step.wrapping_mul(t));
        linear.wrapping_add(self.growth.wrapping_mul(pairs(t))) & mask(self.width)
    }

    /// The sum of multiples of two that have the same width.
    fn combine(self, factor: u64, other: Progression, other_factor: u64) -> Progression {
        let sum =
            |a: u64, b: u64| (a.wrapping_mul(factor)).wrapping_add(b.wrapping_mul(other_factor));
        Progression::new(
            sum(self.first, other.first),
            sum(self.step, other.step),
            sum(self.growth, other.growth),
            self.width,
        )
    }
}

/// An integer polynomial `first + step·t + growth·t(t-1)/2`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polynomial {
    first: i128,
    step: i128,
    growth: i128,
}

impl Polynomial {
    fn plus(self, constant: i128) -> Polynomial {
        Polynomial {
            first: self.first + constant,
            ..self
        }
    }

    fn minus(self, other: Polynomial) -> Polynomial {
        Polynomial {
            first: self.first - other.first,
            step: self.step - other.step,
            growth: self.growth - other.growth,
        }
    }

    fn is_constant(self) -> bool {
        self.step == 0 && self.growth == 0
    }

    fn at(self, t: u64) -> i128 {
        let t = i128::from(t);
        self.first + self.step * t + self.growth * (t * (t - 1) / 2)
    }

    fn modulo(self, width: u8) -> Progression {
        Progression::new(
            self.first as u64,
            self.step as u64,
            self.growth as u64,
            width,
        )
    }
}

/// For how many rounds, counted from 0, the answers given so far are right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Horizon {
    pub rounds: u64,
}

type Regular<T> = Result<T, Irregular>;

impl Horizon {
    /// Whether the polynomial is negative, which it then is, or is not, in all rounds.
    fn is_negative(&mut self, polynomial: Polynomial) -> Regular<bool> {
        let now = polynomial.first < 0;
        let Polynomial { step, growth, .. } = polynomial;
        if polynomial.is_constant() {
            return Ok(now);
        }
        if growth.abs() > MAX_GROWTH {
            return Err(Irregular);
        }
        if step.signum() * growth.signum() < 0 {
            // Up to its turning point it only rises or only falls, as a search by halves needs it.
            let turning = u64::try_from(step.abs() / growth.abs()).unwrap_or(u64::MAX);
            self.rounds = self.rounds.min(turning.saturating_add(1));
        }
        let (mut known, mut rounds) = (1, self.rounds.clamp(1, MAX_ROUNDS));
        while known < rounds {
            let middle = known + (rounds - known).div_ceil(2);
            if (polynomial.at(middle - 1) < 0) == now {
                known = middle;
            } else {
                rounds = middle - 1;
            }
        }
        self.rounds = self.rounds.min(known);
        Ok(now)
    }

    /// What the register holds, as an integer.
    fn unsigned(&mut self, a: Progression) -> Regular<Polynomial> {
        let polynomial = Polynomial {
            first: a.first.into(),
            step: as_signed(a.step, a.width),
            growth: as_signed(a.growth, a.width),
        };
        self.is_negative(polynomial)?;
        self.is_negative(polynomial.plus(-(1 << a.width)))?;
        Ok(polynomial)
    }

    /// The low bits of what the register holds, as a signed integer.
    fn signed(&mut self, a: Progression, width: u8) -> Regular<Polynomial> {
        let a = self.modulo(a, width)?;
        let polynomial = Polynomial {
            first: as_signed(a.first, width),
            step: as_signed(a.step, width),
            growth: as_signed(a.growth, width),
        };
        let bound = 1 << (width - 1);
        self.is_negative(polynomial.plus(bound))?;
        self.is_negative(polynomial.plus(-bound))?;
        Ok(polynomial)
    }

    /// The low bits of what the register holds: a progression of just this width.
    fn modulo(&mut self, a: Progression, width: u8) -> Regular<Progression> {
        if a.width >= width || a.is_constant() {
            return Ok(Progression::new(a.first, a.step, a.growth, width));
        }
        Ok(self.unsigned(a)?.modulo(width))
    }

    pub fn truncate(&mut self, a: Progression, width: u8) -> Regular<Progression> {
        if a.width <= width {
            return Ok(a);
        }
        self.modulo(a, width)
    }

    /// Extends the sign of the low `from` bits to `to` bits.
    pub fn extend(&mut self, a: Progression, from: u8, to: u8) -> Regular<Progression> {
        Ok(self.signed(a, from)?.modulo(to))
    }

    pub fn add(&mut self, a: Progression, b: Progression, width: u8) -> Regular<Progression> {
        let (a, b) = (self.modulo(a, width)?, self.modulo(b, width)?);
        Ok(a.combine(1, b, 1))
    }

    pub fn sub(&mut self, a: Progression, b: Progression, width: u8) -> Regular<Progression> {
        let (a, b) = (self.modulo(a, width)?, self.modulo(b, width)?);
        Ok(a.combine(1, b, u64::MAX))
    }

    pub fn mul(&mut self, a: Progression, b: Progression, width: u8) -> Regular<Progression> {
        let (a, b) = (self.modulo(a, width)?, self.modulo(b, width)?);
        if b.is_constant() {
            return Ok(a.combine(b.first, b, 0));
        }
        if a.is_constant() {
            return Ok(b.combine(a.first, a, 0));
        }
        if a.growth != 0 || b.growth != 0 {
            return Err(Irregular);
        }
        // t² is twice t(t-1)/2, and t.
        let square = a.step.wrapping_mul(b.step);
        let mixed = (a.first.wrapping_mul(b.step)).wrapping_add(b.first.wrapping_mul(a.step));
        Ok(Progression::new(
            a.first.wrapping_mul(b.first),
            mixed.wrapping_add(square),
            square.wrapping_mul(2),
            width,
        ))
    }

    pub fn negate(&mut self, a: Progression, width: u8) -> Regular<Progression> {
        self.sub(Progression::constant(0), a, width)
    }

    pub fn complement(&mut self, a: Progression, width: u8) -> Regular<Progression> {
        self.sub(Progression::constant(u64::MAX), a, width)
    }

    pub fn and(&mut self, a: Progression, b: Progression) -> Regular<Progression> {
        match (a.is_constant(), b.is_constant()) {
            // So that a counter which is masked has the width of the mask also in a single round.
            (_, true) if is_mask(b.first) => self.masked(a, b.first),
            (true, true) => Ok(Progression::constant(a.first & b.first)),
            (true, false) => self.masked(b, a.first),
            (false, _) => Err(Irregular),
        }
    }

    fn masked(&mut self, a: Progression, bits: u64) -> Regular<Progression> {
        if bits == 0 {
            return Ok(Progression::constant(0));
        }
        if !is_mask(bits) {
            return Err(Irregular);
        }
        self.truncate(a, bits.trailing_ones() as u8)
    }

    /// Division, rounding down, by a number that each step is a multiple of.
    fn quotient(a: Polynomial, by: i128) -> Regular<Polynomial> {
        if a.step % by != 0 || a.growth % by != 0 {
            return Err(Irregular);
        }
        Ok(Polynomial {
            first: a.first.div_euclid(by),
            step: a.step / by,
            growth: a.growth / by,
        })
    }

    pub fn shift_left(&mut self, a: Progression, by: u8, width: u8) -> Regular<Progression> {
        self.mul(a, Progression::constant(1 << by), width)
    }

    pub fn shift_right(
        &mut self,
        a: Progression,
        by: u8,
        width: u8,
        signed: bool,
    ) -> Regular<Progression> {
        let value = if signed {
            self.signed(a, width)?
        } else {
            let a = self.modulo(a, width)?;
            self.unsigned(a)?
        };
        Ok(Horizon::quotient(value, 1 << by)?.modulo(width))
    }

    /// Unsigned division of all that the registers hold.
    pub fn divide(&mut self, a: Progression, by: Progression) -> Regular<Progression> {
        if !by.is_constant() || by.first == 0 {
            return Err(Irregular);
        }
        let value = self.unsigned(a)?;
        Ok(Horizon::quotient(value, by.first.into())?.modulo(64))
    }

    pub fn remainder(&mut self, a: Progression, by: Progression) -> Regular<Progression> {
        if !by.is_constant() || by.first == 0 {
            return Err(Irregular);
        }
        if by.first.is_power_of_two() {
            return self.masked(a, by.first - 1);
        }
        let value = self.unsigned(a)?;
        Horizon::quotient(value, by.first.into())?;
        Ok(Progression::constant(a.first % by.first))
    }

    /// Signed division; nothing is said about negative operands that change: they round the other
    /// way.
    pub fn divide_signed(
        &mut self,
        a: Progression,
        by: Progression,
        width: u8,
    ) -> Regular<Progression> {
        let (value, divisor) = self.signed_operands(a, by, width)?;
        if value.is_constant() {
            return Ok(Progression::new(
                (value.first / divisor) as u64,
                0,
                0,
                width,
            ));
        }
        if divisor < 0 || self.is_negative(value)? {
            return Err(Irregular);
        }
        Ok(Horizon::quotient(value, divisor)?.modulo(width))
    }

    pub fn remainder_signed(
        &mut self,
        a: Progression,
        by: Progression,
        width: u8,
    ) -> Regular<Progression> {
        let (value, divisor) = self.signed_operands(a, by, width)?;
        // The remainder has the sign of the first operand, so that must stay.
        self.is_negative(value)?;
        Horizon::quotient(value, divisor)?;
        let remainder = value.first % divisor;
        Ok(Progression::new(remainder as u64, 0, 0, width))
    }

    fn signed_operands(
        &mut self,
        a: Progression,
        by: Progression,
        width: u8,
    ) -> Regular<(Polynomial, i128)> {
        let divisor = self.signed(by, width)?;
        if !divisor.is_constant() || divisor.first == 0 {
            return Err(Irregular);
        }
        Ok((self.signed(a, width)?, divisor.first))
    }

    pub fn less(&mut self, a: Progression, b: Progression) -> Regular<bool> {
        if a.is_same(b) {
            return Ok(false);
        }
        let difference = self.unsigned(a)?.minus(self.unsigned(b)?);
        self.is_negative(difference)
    }

    pub fn less_signed(&mut self, a: Progression, b: Progression, width: u8) -> Regular<bool> {
        if a.is_same(b) {
            return Ok(false);
        }
        let difference = self.signed(a, width)?.minus(self.signed(b, width)?);
        self.is_negative(difference)
    }

    pub fn equal(&mut self, a: Progression, b: Progression) -> Regular<bool> {
        if a.is_same(b) {
            return Ok(true);
        }
        let width = a.width.min(b.width);
        let fits = |p: Progression| p.width == width || p.is_constant() && p.first <= mask(width);
        let difference = if fits(a) && fits(b) {
            // Both are less than 2^width, so they are equal where their difference is 0 modulo
            // that.
            let (a, b) = (self.modulo(a, width)?, self.modulo(b, width)?);
            let difference = a.combine(1, b, u64::MAX);
            if difference.is_constant() {
                return Ok(difference.first == 0);
            }
            self.unsigned(difference)?
        } else {
            self.unsigned(a)?.minus(self.unsigned(b)?)
        };
        if difference.first == 0 {
            // It stays so only if nothing changes.
            return difference.is_constant().then_some(true).ok_or(Irregular);
        }
        let apart = difference.first.signum();
        self.is_negative(difference.plus(if apart < 0 { 0 } else { -1 }))?;
        Ok(false)
    }

    pub fn is_zero(&mut self, a: Progression) -> Regular<bool> {
        self.equal(a, Progression::constant(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn progression() -> impl Strategy<Value = Progression> {
        let coefficient = || {
            prop_oneof![
                3 => Just(0),
                4 => (-9..10i64).prop_map(|value| value as u64),
                1 => any::<u64>(),
            ]
        };
        let first = prop_oneof![0..50u64, any::<u64>()];
        let width = prop::sample::select(vec![1, 5, 8, 16, 32, 64]);
        (first, coefficient(), coefficient(), width)
            .prop_map(|(first, step, growth, width)| Progression::new(first, step, growth, width))
    }

    /// An operator on progressions, and what it means on the values of one round.
    type Operator = (
        fn(&mut Horizon, Progression, Progression) -> Regular<Progression>,
        fn(u64, u64) -> u64,
    );

    fn truth(value: Regular<bool>) -> Regular<Progression> {
        value.map(|value| Progression::constant(value.into()))
    }

    fn operators() -> Vec<Operator> {
        vec![
            (
                |h, a, b| h.add(a, b, 32),
                |a, b| (a as u32).wrapping_add(b as u32).into(),
            ),
            (|h, a, b| h.sub(a, b, 64), |a, b| a.wrapping_sub(b)),
            (
                |h, a, b| h.mul(a, b, 32),
                |a, b| (a as u32).wrapping_mul(b as u32).into(),
            ),
            (|h, a, b| h.mul(a, b, 64), |a, b| a.wrapping_mul(b)),
            (|h, a, _| h.truncate(a, 8), |a, _| a & 0xff),
            (|h, a, _| h.extend(a, 8, 32), |a, _| (a as i8 as u32).into()),
            (|h, a, _| h.extend(a, 32, 64), |a, _| a as i32 as u64),
            (
                |h, a, _| h.negate(a, 32),
                |a, _| (a as u32).wrapping_neg().into(),
            ),
            (|h, a, _| h.complement(a, 64), |a, _| !a),
            (|h, a, b| h.and(a, b), |a, b| a & b),
            (|h, a, _| h.and(a, Progression::constant(7)), |a, _| a & 7),
            (
                |h, a, _| h.shift_left(a, 3, 32),
                |a, _| ((a as u32) << 3).into(),
            ),
            (
                |h, a, _| h.shift_right(a, 1, 32, true),
                |a, _| ((a as i32 >> 1) as u32).into(),
            ),
            (|h, a, _| h.shift_right(a, 1, 64, false), |a, _| a >> 1),
            (
                |h, a, _| h.divide(a, Progression::constant(3)),
                |a, _| a / 3,
            ),
            (
                |h, a, _| h.remainder(a, Progression::constant(3)),
                |a, _| a % 3,
            ),
            (
                |h, a, _| h.divide_signed(a, Progression::constant(3), 32),
                |a, _| ((a as i32 / 3) as u32).into(),
            ),
            (
                |h, a, _| h.remainder_signed(a, Progression::constant(3), 32),
                |a, _| ((a as i32 % 3) as u32).into(),
            ),
            (|h, a, b| truth(h.less(a, b)), |a, b| (a < b).into()),
            (
                |h, a, b| truth(h.less_signed(a, b, 8)),
                |a, b| ((a as i8) < b as i8).into(),
            ),
            (
                |h, a, b| truth(h.less_signed(a, b, 64)),
                |a, b| ((a as i64) < b as i64).into(),
            ),
            (|h, a, b| truth(h.equal(a, b)), |a, b| (a == b).into()),
            (|h, a, _| truth(h.is_zero(a)), |a, _| (a == 0).into()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn operators_are_right_up_to_the_horizon(a in progression(), b in progression()) {
            for (number, (operator, meaning)) in operators().into_iter().enumerate() {
                let mut horizon = Horizon { rounds: MAX_ROUNDS };
                let Ok(result) = operator(&mut horizon, a, b) else {
                    continue;
                };
                let rounds = horizon.rounds;
                let near = 0..rounds.min(40);
                for t in near.chain(rounds.saturating_sub(5)..rounds) {
                    prop_assert_eq!(
                        result.at(t), meaning(a.at(t), b.at(t)), "operator {} in round {}", number, t
                    );
                }
            }
        }

        #[test]
        fn a_guess_goes_through_the_values_seen(a in progression(), t in 0..1000u64) {
            let seen = Progression::through([a.at(t), a.at(t + 1)], a.at(t + 2), a.width);
            for later in 0..10 {
                prop_assert_eq!(seen.at(later), a.at(t + 2 + later));
                prop_assert_eq!(seen.later().at(later), seen.at(later + 1));
            }
        }
    }

    #[test]
    fn the_horizon_is_as_far_as_can_be() {
        let all = Horizon { rounds: MAX_ROUNDS };
        let constant = Progression::constant;
        let rounds = |ask: &dyn Fn(&mut Horizon) -> Regular<bool>| {
            let mut horizon = all;
            assert!(ask(&mut horizon).is_ok());
            horizon.rounds
        };
        let up = Progression::new(10, 3, 0, 32);
        // 10 + 3·29 is the last one below 100.
        assert_eq!(rounds(&|h| h.less(up, constant(100))), 30);
        let down = Progression::new(10, 3u64.wrapping_neg(), 0, 32);
        assert_eq!(
            rounds(&|h| h.less_signed(constant(5_000), down, 32)),
            ((1 << 31) + 10) / 3 + 1
        );
        assert_eq!(rounds(&|h| h.equal(up, constant(40))), 10);
        let sum = Progression::new(0, 0, 1, 32);
        assert_eq!(rounds(&|h| h.less(sum, constant(4950))), 100);
    }
}
