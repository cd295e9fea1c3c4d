//! Concrete values: what a term evaluates to under a model.
//!
//! Bit-vectors up to 128 bits live inline; wider ones (which floats of 128 bits need while they are
//! multiplied) fall back to big integers. Every operation is total, with SMT-LIB's answers for
//! division by zero.

use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A bit-vector of a fixed width, as an unsigned number below `2^width`.
///
/// The order is that of unsigned numbers among values of one width.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BvValue {
    width: u32,
    bits: Bits,
}

/// `Small` exactly for widths up to 128, so that derived equality is equality of numbers.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Bits {
    Small(u128),
    Big(Box<BigUint>),
}

/// All ones in the low `width` bits (`width` up to 128).
#[inline]
pub(crate) fn mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1u128 << width) - 1
    }
}

/// The signed reading of the low `width` bits (`1 <= width <= 128`).
#[inline]
pub(crate) fn sign_extend_u128(value: u128, width: u32) -> i128 {
    let shift = 128 - width.min(128);
    ((value << shift) as i128) >> shift
}

fn big_mask(width: u32) -> BigUint {
    (BigUint::from(1u8) << width) - BigUint::from(1u8)
}

impl BvValue {
    /// The value modulo `2^width`.
    pub fn new(width: u32, value: u128) -> BvValue {
        let bits = if width <= 128 {
            Bits::Small(value & mask(width))
        } else {
            Bits::Big(Box::new(BigUint::from(value)))
        };
        BvValue { width, bits }
    }

    /// The two's complement of the value modulo `2^width`.
    pub fn from_signed(width: u32, value: i128) -> BvValue {
        if width <= 128 || value >= 0 {
            return BvValue::new(width, value as u128);
        }
        BvValue::new(width, value.unsigned_abs()).neg()
    }

    /// The value modulo `2^width`.
    pub fn from_big(width: u32, value: BigUint) -> BvValue {
        let reduced = if value.bits() > u64::from(width) {
            value & big_mask(width)
        } else {
            value
        };
        if width <= 128 {
            let small = reduced.iter_u64_digits().rev();
            let number = small.fold(0u128, |acc, digit| (acc << 64) | u128::from(digit));
            BvValue::new(width, number)
        } else {
            BvValue {
                width,
                bits: Bits::Big(Box::new(reduced)),
            }
        }
    }

    /// Zero.
    pub fn zero(width: u32) -> BvValue {
        BvValue::new(width, 0)
    }

    /// One.
    pub fn one(width: u32) -> BvValue {
        BvValue::new(width, 1)
    }

    /// All bits set.
    pub fn ones(width: u32) -> BvValue {
        if width <= 128 {
            BvValue::new(width, u128::MAX)
        } else {
            BvValue::from_big(width, big_mask(width))
        }
    }

    /// The smallest signed number: only the sign bit set.
    pub fn min_signed(width: u32) -> BvValue {
        BvValue::one(width).shl_by(width - 1)
    }

    /// Number of bits.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The number, if the width is at most 128.
    #[inline]
    pub fn to_u128(&self) -> Option<u128> {
        match &self.bits {
            Bits::Small(value) => Some(*value),
            Bits::Big(_) => None,
        }
    }

    /// The signed number, if the width is at most 128.
    pub fn to_i128(&self) -> Option<i128> {
        self.to_u128()
            .map(|value| sign_extend_u128(value, self.width))
    }

    /// The number, if it fits, whatever the width.
    pub fn small_number(&self) -> Option<u128> {
        match &self.bits {
            Bits::Small(value) => Some(*value),
            Bits::Big(big) if big.bits() <= 128 => Some(
                big.iter_u64_digits()
                    .rev()
                    .fold(0u128, |acc, digit| (acc << 64) | u128::from(digit)),
            ),
            Bits::Big(_) => None,
        }
    }

    /// The number.
    pub fn to_big(&self) -> BigUint {
        match &self.bits {
            Bits::Small(value) => BigUint::from(*value),
            Bits::Big(big) => (**big).clone(),
        }
    }

    /// One bit; positions beyond the width are zero.
    #[inline]
    pub fn bit(&self, position: u32) -> bool {
        match &self.bits {
            Bits::Small(value) => position < 128 && (value >> position) & 1 == 1,
            Bits::Big(big) => big.bit(u64::from(position)),
        }
    }

    /// Is the number zero?
    #[inline]
    pub fn is_zero(&self) -> bool {
        match &self.bits {
            Bits::Small(value) => *value == 0,
            Bits::Big(big) => big.bits() == 0,
        }
    }

    /// Is the number one?
    pub fn is_one(&self) -> bool {
        self.small_number() == Some(1)
    }

    /// Are all bits set?
    pub fn is_ones(&self) -> bool {
        match &self.bits {
            Bits::Small(value) => *value == mask(self.width),
            Bits::Big(big) => big.count_ones() == u64::from(self.width),
        }
    }

    /// Is the sign bit set?
    #[inline]
    pub fn is_negative(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// `Some(k)` if the number is `2^k`.
    pub fn log2_exact(&self) -> Option<u32> {
        match &self.bits {
            Bits::Small(value) if value.is_power_of_two() => Some(value.trailing_zeros()),
            Bits::Big(big) if big.count_ones() == 1 => Some(big.bits() as u32 - 1),
            _ => None,
        }
    }

    /// Number of zero bits below the lowest one; the width for zero.
    pub fn trailing_zeros(&self) -> u32 {
        match &self.bits {
            Bits::Small(0) => self.width,
            Bits::Small(value) => value.trailing_zeros(),
            Bits::Big(big) => big.trailing_zeros().map_or(self.width, |n| n as u32),
        }
    }

    #[inline]
    fn combine(
        &self,
        other: &BvValue,
        small: impl FnOnce(u128, u128) -> u128,
        big: impl FnOnce(&BigUint, &BigUint) -> BigUint,
    ) -> BvValue {
        match (&self.bits, &other.bits) {
            (Bits::Small(a), Bits::Small(b)) => BvValue::new(self.width, small(*a, *b)),
            _ => BvValue::from_big(self.width, big(&self.to_big(), &other.to_big())),
        }
    }

    /// Sum modulo `2^width`.
    pub fn add(&self, other: &BvValue) -> BvValue {
        self.combine(other, u128::wrapping_add, |a, b| a + b)
    }

    /// Difference modulo `2^width`.
    pub fn sub(&self, other: &BvValue) -> BvValue {
        let width = self.width;
        self.combine(other, u128::wrapping_sub, |a, b| {
            a + (BigUint::from(1u8) << width) - b
        })
    }

    /// Negation modulo `2^width`.
    pub fn neg(&self) -> BvValue {
        BvValue::zero(self.width).sub(self)
    }

    /// Product modulo `2^width`.
    pub fn mul(&self, other: &BvValue) -> BvValue {
        self.combine(other, u128::wrapping_mul, |a, b| a * b)
    }

    /// Unsigned quotient; all ones for a zero divisor.
    pub fn udiv(&self, other: &BvValue) -> BvValue {
        if other.is_zero() {
            return BvValue::ones(self.width);
        }
        self.combine(other, |a, b| a / b, |a, b| a / b)
    }

    /// Unsigned remainder; the dividend for a zero divisor.
    pub fn urem(&self, other: &BvValue) -> BvValue {
        if other.is_zero() {
            return self.clone();
        }
        self.combine(other, |a, b| a % b, |a, b| a % b)
    }

    fn magnitude(&self) -> BvValue {
        if self.is_negative() {
            self.neg()
        } else {
            self.clone()
        }
    }

    /// Signed quotient, truncated.
    pub fn sdiv(&self, other: &BvValue) -> BvValue {
        let quotient = self.magnitude().udiv(&other.magnitude());
        if self.is_negative() != other.is_negative() {
            quotient.neg()
        } else {
            quotient
        }
    }

    /// Signed remainder with the sign of the dividend.
    pub fn srem(&self, other: &BvValue) -> BvValue {
        let remainder = self.magnitude().urem(&other.magnitude());
        if self.is_negative() {
            remainder.neg()
        } else {
            remainder
        }
    }

    /// Signed remainder with the sign of the divisor.
    pub fn smod(&self, other: &BvValue) -> BvValue {
        let remainder = self.magnitude().urem(&other.magnitude());
        if remainder.is_zero() {
            return remainder;
        }
        match (self.is_negative(), other.is_negative()) {
            (false, false) => remainder,
            (true, false) => other.sub(&remainder),
            (false, true) => remainder.add(other),
            (true, true) => remainder.neg(),
        }
    }

    /// Complement of every bit.
    pub fn not(&self) -> BvValue {
        BvValue::ones(self.width).sub(self)
    }

    /// Bitwise conjunction.
    pub fn and(&self, other: &BvValue) -> BvValue {
        self.combine(other, |a, b| a & b, |a, b| a & b)
    }

    /// Bitwise disjunction.
    pub fn or(&self, other: &BvValue) -> BvValue {
        self.combine(other, |a, b| a | b, |a, b| a | b)
    }

    /// Bitwise exclusive disjunction.
    pub fn xor(&self, other: &BvValue) -> BvValue {
        self.combine(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    /// The shift amount, if it is below the width.
    fn amount_below(&self, width: u32) -> Option<u32> {
        self.small_number()
            .filter(|amount| *amount < u128::from(width))
            .map(|amount| amount as u32)
    }

    /// Left shift; zero from the width on.
    pub fn shl(&self, amount: &BvValue) -> BvValue {
        match amount.amount_below(self.width) {
            Some(amount) => self.shl_by(amount),
            None => BvValue::zero(self.width),
        }
    }

    /// Left shift by a number; zero from the width on.
    pub fn shl_by(&self, amount: u32) -> BvValue {
        if amount >= self.width {
            return BvValue::zero(self.width);
        }
        match &self.bits {
            Bits::Small(value) => BvValue::new(self.width, value << amount),
            Bits::Big(big) => BvValue::from_big(self.width, &**big << amount),
        }
    }

    /// Logical right shift; zero from the width on.
    pub fn lshr(&self, amount: &BvValue) -> BvValue {
        match amount.amount_below(self.width) {
            Some(amount) => self.lshr_by(amount),
            None => BvValue::zero(self.width),
        }
    }

    fn lshr_by(&self, amount: u32) -> BvValue {
        match &self.bits {
            Bits::Small(value) => BvValue::new(self.width, value >> amount),
            Bits::Big(big) => BvValue::from_big(self.width, &**big >> amount),
        }
    }

    /// Arithmetic right shift; copies of the sign from the width on.
    pub fn ashr(&self, amount: &BvValue) -> BvValue {
        if self.is_negative() {
            self.not().lshr(amount).not()
        } else {
            self.lshr(amount)
        }
    }

    /// Unsigned less-than.
    pub fn ult(&self, other: &BvValue) -> bool {
        self < other
    }

    /// Signed less-than.
    pub fn slt(&self, other: &BvValue) -> bool {
        match (self.is_negative(), other.is_negative()) {
            (true, false) => true,
            (false, true) => false,
            _ => self < other,
        }
    }

    /// Bits `high` down to `low`, both included.
    pub fn extract(&self, high: u32, low: u32) -> BvValue {
        let width = high - low + 1;
        match &self.bits {
            Bits::Small(value) => BvValue::new(width, value >> low),
            Bits::Big(big) => BvValue::from_big(width, &**big >> low),
        }
    }

    /// `self` above `low`.
    pub fn concat(&self, low: &BvValue) -> BvValue {
        let width = self.width + low.width;
        if let (Bits::Small(high), Bits::Small(bits)) = (&self.bits, &low.bits)
            && width <= 128
        {
            let shifted = if low.width == 128 {
                0
            } else {
                high << low.width
            };
            return BvValue::new(width, shifted | bits);
        }
        BvValue::from_big(width, (self.to_big() << low.width) | low.to_big())
    }

    /// More zero bits on top.
    pub fn zero_extend(&self, by: u32) -> BvValue {
        if by == 0 {
            return self.clone();
        }
        BvValue::zero(by).concat(self)
    }

    /// More copies of the sign bit on top.
    pub fn sign_extend(&self, by: u32) -> BvValue {
        if by == 0 {
            self.clone()
        } else if self.is_negative() {
            BvValue::ones(by).concat(self)
        } else {
            BvValue::zero(by).concat(self)
        }
    }
}

impl fmt::Display for BvValue {
    /// SMT-LIB: hexadecimal where the width allows it, binary otherwise.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.width.is_multiple_of(4) {
            let digits = (self.width / 4) as usize;
            match &self.bits {
                Bits::Small(value) => write!(f, "#x{value:0digits$x}"),
                Bits::Big(big) => write!(f, "#x{:0digits$x}", **big),
            }
        } else {
            let digits = self.width as usize;
            match &self.bits {
                Bits::Small(value) => write!(f, "#b{value:0digits$b}"),
                Bits::Big(big) => write!(f, "#b{:0digits$b}", **big),
            }
        }
    }
}

impl fmt::Debug for BvValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A total function from bit-vectors to bit-vectors that differs from a default at finitely many
/// places.
///
/// Kept canonical as long as writes go through [`ArrayValue::store`]: no entry repeats the default.
/// (With fewer places than entries two canonical values could still be the same function; see
/// [`ArrayValue::same_function`].)
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ArrayValue {
    index_width: u32,
    default: BvValue,
    entries: Arc<BTreeMap<BvValue, BvValue>>,
}

impl ArrayValue {
    /// The array that holds `default` everywhere.
    pub fn constant(index_width: u32, default: BvValue) -> ArrayValue {
        ArrayValue {
            index_width,
            default,
            entries: Arc::default(),
        }
    }

    /// Width of the indices.
    pub fn index_width(&self) -> u32 {
        self.index_width
    }

    /// The element at nearly all indices.
    pub fn default_element(&self) -> &BvValue {
        &self.default
    }

    /// The places that differ from the default, in the order of their indices.
    pub fn entries(&self) -> impl Iterator<Item = (&BvValue, &BvValue)> {
        self.entries.iter()
    }

    /// The element at an index.
    pub fn select(&self, index: &BvValue) -> &BvValue {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// Changes one element.
    pub fn store(&mut self, index: BvValue, element: BvValue) {
        let entries = Arc::make_mut(&mut self.entries);
        if element == self.default {
            entries.remove(&index);
        } else {
            entries.insert(index, element);
        }
    }

    /// Are both the same function? Unlike `==`, this also holds when every index has an entry and
    /// only the defaults differ.
    pub fn same_function(&self, other: &ArrayValue) -> bool {
        if self == other {
            return true;
        }
        let agree = |a: &ArrayValue, b: &ArrayValue| {
            a.entries
                .keys()
                .all(|index| a.select(index) == b.select(index))
        };
        if !agree(self, other) || !agree(other, self) {
            return false;
        }
        if self.default == other.default {
            return true;
        }
        // Every index needs an entry in one of them for the defaults not to matter.
        let mut mentioned: Vec<&BvValue> =
            self.entries.keys().chain(other.entries.keys()).collect();
        mentioned.sort();
        mentioned.dedup();
        self.index_width < 32 && mentioned.len() as u64 == 1u64 << self.index_width
    }
}

/// What a term evaluates to.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Value {
    /// Of a boolean term.
    Bool(bool),
    /// Of a bit-vector term; also of a float term, as its bits in IEEE interchange layout (sign,
    /// exponent, fraction) with one canonical NaN.
    Bv(BvValue),
    /// Of an array term.
    Array(ArrayValue),
}

impl Value {
    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The bits, if it is a bit-vector or float.
    pub fn as_bv(&self) -> Option<&BvValue> {
        match self {
            Value::Bv(value) => Some(value),
            _ => None,
        }
    }

    /// The array, if it is one.
    pub fn as_array(&self) -> Option<&ArrayValue> {
        match self {
            Value::Array(value) => Some(value),
            _ => None,
        }
    }
}
