//! The generic walk's algebra of terms: what each operator of the automaton means in logic.
//!
//! Values are booleans and bit-vectors; floats are their bit patterns, turned into floats around
//! each operation (the pair cancels between operations), so that copying keeps every bit as the
//! machine does.

use crate::memory;
use crate::state::{Slots, State};
use crate::step::{Instanced, MemoryChecks};
use arith::float::{FloatFormat, conversion_width};
use cfa::algebra::Algebra;
use cfa::concrete::division_traps;
use cfa::expr::{BinOp, UnOp, VarId};
use cfa::memory::{ObjectId, RegionId};
use cfa::program::Program;
use cfa::value::Ty;
use logic::{RoundingMode, Sort, Term, TermPool};

/// Something that has no formula; the text says what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported(pub String);

/// Reads a symbolic state. `defined` collects the conditions under which evaluation does not fail.
pub struct TermAlgebra<'a> {
    pub program: &'a Program,
    pub slots: &'a Slots,
    pub state: &'a State,
    pub pool: &'a mut TermPool,
    pub layout: &'a crate::layout::Layout,
    pub instanced: &'a Instanced,
    pub memory_checks: MemoryChecks,
    pub defined: Vec<Term>,
    /// The conditions under which accesses hit an object.
    pub valid: Vec<Term>,
}

/// The sort of a value of the type.
pub fn sort_of(ty: Ty) -> Sort {
    match ty {
        Ty::Bool => Sort::Bool,
        _ => Sort::BitVec(u32::from(ty.width())),
    }
}

pub fn float_sort(format: FloatFormat) -> Sort {
    match format {
        FloatFormat::Half => Sort::Float {
            exponent: 5,
            significand: 11,
        },
        FloatFormat::Single => Sort::FLOAT32,
        FloatFormat::Double => Sort::FLOAT64,
        FloatFormat::X87 => Sort::FLOAT80,
        FloatFormat::Quad => Sort::FLOAT128,
    }
}

fn rounding(mode: arith::float::RoundingMode) -> RoundingMode {
    use arith::float::RoundingMode as R;
    match mode {
        R::NearestEven => RoundingMode::NearestEven,
        R::NearestAway => RoundingMode::NearestAway,
        R::TowardPositive => RoundingMode::TowardPositive,
        R::TowardNegative => RoundingMode::TowardNegative,
        R::TowardZero => RoundingMode::TowardZero,
    }
}

/// Bits to a float. The x87 format has an explicit leading bit, which the float of logic has not; a
/// number whose leading bit contradicts its exponent (which no operation makes) counts as if it
/// agreed.
pub fn to_float(pool: &mut TermPool, format: FloatFormat, bits: Term) -> Term {
    let sort = float_sort(format);
    if format != FloatFormat::X87 {
        return pool.fp_from_bits(sort, bits);
    }
    let upper = pool.extract(bits, 79, 64);
    let fraction = pool.extract(bits, 62, 0);
    let ieee = pool.concat(upper, fraction);
    pool.fp_from_bits(sort, ieee)
}

pub fn from_float(pool: &mut TermPool, format: FloatFormat, float: Term) -> Term {
    let ieee = pool.fp_to_bits(float);
    if format != FloatFormat::X87 {
        return ieee;
    }
    let upper = pool.extract(ieee, 78, 63);
    let exponent = pool.extract(ieee, 77, 63);
    let fraction = pool.extract(ieee, 62, 0);
    let zero = pool.bv(15, 0);
    let is_small = pool.eq(exponent, zero);
    let (no, yes) = (pool.bv(1, 0), pool.bv(1, 1));
    let leading = pool.ite(is_small, no, yes);
    pool.concat_all(&[upper, leading, fraction])
}

/// What x86 gives for the conversion of a float to an integer, also out of range (see `arith`).
fn float_to_int(
    pool: &mut TermPool,
    format: FloatFormat,
    float: Term,
    width: u16,
    signed: bool,
) -> Result<Term, Unsupported> {
    let unsupported = || {
        let from = match format {
            FloatFormat::Quad => "`__float128`",
            _ => "a float",
        };
        Unsupported(format!("the conversion of {from} to {width} bits"))
    };
    if width > 64 || format == FloatFormat::Quad {
        return Err(unsupported());
    }
    let rm = RoundingMode::TowardZero;
    if width > 32 && !signed {
        let sort = float_sort(format);
        let bound = pool.bv(64, 1 << 63);
        let two_63 = pool.fp_from_unsigned(RoundingMode::NearestEven, sort, bound);
        let reaches = pool.fp_le(two_63, float);
        let reduced = pool.fp_sub(RoundingMode::NearestEven, float, two_63);
        let high = pool.fp_to_signed(rm, 64, reduced);
        let high = pool.bv_xor(high, bound);
        let low = pool.fp_to_signed(rm, 64, float);
        let wide = pool.ite(reaches, high, low);
        return Ok(pool.resize(wide, u32::from(width), false));
    }
    let is_x87 = format == FloatFormat::X87;
    let instruction = conversion_width(is_x87, u32::from(width), signed);
    let wide = pool.fp_to_signed(rm, instruction, float);
    Ok(pool.resize(wide, u32::from(width), false))
}

/// Conversion between arithmetic types (C11 6.3).
pub fn convert(pool: &mut TermPool, from: Ty, to: Ty, a: Term) -> Result<Term, Unsupported> {
    let rne = RoundingMode::NearestEven;
    Ok(match (from, to) {
        (Ty::Bool, Ty::Bool) => a,
        (Ty::Bool, Ty::Int { width, .. }) => {
            let (one, zero) = (pool.bv(u32::from(width), 1), pool.bv(u32::from(width), 0));
            pool.ite(a, one, zero)
        }
        (Ty::Bool, Ty::Float(_)) => {
            let int = convert(pool, from, Ty::I32, a)?;
            convert(pool, Ty::I32, to, int)?
        }
        (Ty::Int { signed, .. }, Ty::Int { width, .. }) => pool.resize(a, u32::from(width), signed),
        (Ty::Int { signed, .. }, Ty::Float(format)) => {
            let sort = float_sort(format);
            let float = if signed {
                pool.fp_from_signed(rne, sort, a)
            } else {
                pool.fp_from_unsigned(rne, sort, a)
            };
            from_float(pool, format, float)
        }
        (Ty::Float(format), Ty::Int { width, signed }) => {
            let float = to_float(pool, format, a);
            float_to_int(pool, format, float, width, signed)?
        }
        (Ty::Float(source), Ty::Float(target)) if source == target => a,
        (Ty::Float(source), Ty::Float(target)) => {
            let float = to_float(pool, source, a);
            let converted = pool.fp_to_fp(rne, float_sort(target), float);
            from_float(pool, target, converted)
        }
        (Ty::Int { width, .. }, Ty::Bool) => {
            let zero = pool.bv(u32::from(width), 0);
            let is_zero = pool.eq(a, zero);
            pool.not(is_zero)
        }
        (Ty::Float(format), Ty::Bool) => {
            let float = to_float(pool, format, a);
            let is_zero = pool.fp_is_zero(float);
            pool.not(is_zero)
        }
    })
}

/// The number of leading zeros, as a term of the operand's width.
fn leading_zeros(pool: &mut TermPool, a: Term, from_top: bool) -> Term {
    let width = pool.width(a);
    let mut count = pool.bv(width, u128::from(width));
    // The last set bit that is looked at wins, so the order is from the far end to the near one.
    for distance in (0..width).rev() {
        let position = if from_top {
            width - 1 - distance
        } else {
            distance
        };
        let bit = pool.extract(a, position, position);
        let one = pool.bv(1, 1);
        let is_set = pool.eq(bit, one);
        let value = pool.bv(width, u128::from(distance));
        count = pool.ite(is_set, value, count);
    }
    count
}

fn popcount(pool: &mut TermPool, a: Term) -> Term {
    let width = pool.width(a);
    let mut sum = pool.bv(width, 0);
    for position in 0..width {
        let bit = pool.extract(a, position, position);
        let bit = pool.resize(bit, width, false);
        sum = pool.bv_add(sum, bit);
    }
    sum
}

fn byte_swap(pool: &mut TermPool, a: Term) -> Term {
    let bytes = pool.width(a) / 8;
    let parts: Vec<Term> = (0..bytes)
        .map(|byte| pool.extract(a, byte * 8 + 7, byte * 8))
        .collect();
    pool.concat_all(&parts)
}

pub fn unary(pool: &mut TermPool, op: UnOp, ty: Ty, a: Term) -> Result<Term, Unsupported> {
    if let UnOp::Convert(to) = op {
        return convert(pool, ty, to, a);
    }
    if let Ty::Float(format) = ty {
        return float_unary(pool, op, format, a);
    }
    Ok(match op {
        UnOp::Neg => pool.bv_neg(a),
        UnOp::BitNot => pool.bv_not(a),
        UnOp::Not => pool.not(a),
        UnOp::Clz => leading_zeros(pool, a, true),
        UnOp::Ctz => leading_zeros(pool, a, false),
        UnOp::Popcount => popcount(pool, a),
        UnOp::Bswap => byte_swap(pool, a),
        UnOp::Reinterpret(_) => a,
        _ => return Err(Unsupported("a float operator of an integer".into())),
    })
}

fn float_unary(
    pool: &mut TermPool,
    op: UnOp,
    format: FloatFormat,
    bits: Term,
) -> Result<Term, Unsupported> {
    let width = pool.width(bits);
    let sign = |pool: &mut TermPool| pool.extract(bits, width - 1, width - 1);
    match op {
        UnOp::Reinterpret(_) => return Ok(bits),
        UnOp::Neg => {
            let mask = pool.bv(width, 1 << (width - 1));
            return Ok(pool.bv_xor(bits, mask));
        }
        UnOp::Abs => {
            let rest = pool.extract(bits, width - 2, 0);
            return Ok(pool.resize(rest, width, false));
        }
        UnOp::SignBit => {
            let sign = sign(pool);
            let one = pool.bv(1, 1);
            return Ok(pool.eq(sign, one));
        }
        _ => {}
    }
    let float = to_float(pool, format, bits);
    let result = match op {
        UnOp::Sqrt => pool.fp_sqrt(RoundingMode::NearestEven, float),
        UnOp::Round(mode) => pool.fp_round_to_integral(rounding(mode), float),
        UnOp::IsNan => return Ok(pool.fp_is_nan(float)),
        UnOp::IsInf => return Ok(pool.fp_is_infinite(float)),
        UnOp::IsZero => return Ok(pool.fp_is_zero(float)),
        UnOp::IsNormal => return Ok(pool.fp_is_normal(float)),
        UnOp::IsSubnormal => return Ok(pool.fp_is_subnormal(float)),
        _ => return Err(Unsupported("an integer operator of a float".into())),
    };
    Ok(from_float(pool, format, result))
}

/// The condition under which an integer division or remainder does not end the execution.
pub fn division_is_fine(pool: &mut TermPool, ty: Ty, dividend: Term, divisor: Term) -> Term {
    let width = pool.width(divisor);
    let zero = pool.bv(width, 0);
    let is_zero = pool.eq(divisor, zero);
    let is_fine = pool.not(is_zero);
    if !division_traps(width, ty.is_signed()) {
        return is_fine;
    }
    let min = pool.bv(width, arith::int::signed_min(width));
    let minus_one = pool.bv(width, arith::int::mask(width));
    let is_min = pool.eq(dividend, min);
    let is_minus_one = pool.eq(divisor, minus_one);
    let overflows = pool.and(is_min, is_minus_one);
    let fits = pool.not(overflows);
    pool.and(is_fine, fits)
}

/// The shift count as x86 takes it, in the width of the shifted value.
fn shift_count(pool: &mut TermPool, width: u32, count: Term) -> Term {
    let bits: u32 = match width {
        0..=32 => 5,
        33..=64 => 6,
        _ => 7,
    };
    let low = if pool.width(count) > bits {
        pool.extract(count, bits - 1, 0)
    } else {
        count
    };
    // A width below the masked count's range (bit-field containers) still holds every smaller
    // count.
    pool.resize(low, width.max(bits), false)
}

fn shift(pool: &mut TermPool, op: BinOp, signed: bool, a: Term, count: Term) -> Term {
    let width = pool.width(a);
    let count = shift_count(pool, width, count);
    let wide = pool.width(count);
    let a = pool.resize(a, wide, signed);
    let shifted = match (op, signed) {
        (BinOp::Shl, _) => pool.bv_shl(a, count),
        (_, true) => pool.bv_ashr(a, count),
        (_, false) => pool.bv_lshr(a, count),
    };
    pool.resize(shifted, width, false)
}

pub fn binary(
    pool: &mut TermPool,
    op: BinOp,
    ty: Ty,
    a: Term,
    b: Term,
) -> Result<Term, Unsupported> {
    if let Ty::Float(format) = ty {
        return float_binary(pool, op, format, a, b);
    }
    let signed = ty.is_signed();
    Ok(match op {
        BinOp::Add => pool.bv_add(a, b),
        BinOp::Sub => pool.bv_sub(a, b),
        BinOp::Mul => pool.bv_mul(a, b),
        BinOp::Div if signed => pool.bv_sdiv(a, b),
        BinOp::Div => pool.bv_udiv(a, b),
        BinOp::Rem if signed => pool.bv_srem(a, b),
        BinOp::Rem => pool.bv_urem(a, b),
        BinOp::And => pool.bv_and(a, b),
        BinOp::Or => pool.bv_or(a, b),
        BinOp::Xor => pool.bv_xor(a, b),
        BinOp::Shl | BinOp::Shr => shift(pool, op, signed, a, b),
        BinOp::Eq => pool.eq(a, b),
        BinOp::Ne => {
            let equal = pool.eq(a, b);
            pool.not(equal)
        }
        BinOp::Lt if signed => pool.slt(a, b),
        BinOp::Lt => pool.ult(a, b),
        BinOp::Le if signed => pool.sle(a, b),
        BinOp::Le => pool.ule(a, b),
        BinOp::BoolAnd => pool.and(a, b),
        BinOp::BoolOr => pool.or(a, b),
        BinOp::AddOverflows if signed => pool.sadd_overflow(a, b),
        BinOp::AddOverflows => pool.uadd_overflow(a, b),
        BinOp::SubOverflows if signed => pool.ssub_overflow(a, b),
        BinOp::SubOverflows => pool.usub_overflow(a, b),
        BinOp::MulOverflows if signed => pool.smul_overflow(a, b),
        BinOp::MulOverflows => pool.umul_overflow(a, b),
        BinOp::FRem | BinOp::Remainder | BinOp::FMin | BinOp::FMax | BinOp::CopySign => {
            return Err(Unsupported("a float operator of integers".into()));
        }
    })
}

fn float_binary(
    pool: &mut TermPool,
    op: BinOp,
    format: FloatFormat,
    a: Term,
    b: Term,
) -> Result<Term, Unsupported> {
    if op == BinOp::CopySign {
        let width = pool.width(a);
        let sign = pool.extract(b, width - 1, width - 1);
        let rest = pool.extract(a, width - 2, 0);
        return Ok(pool.concat(sign, rest));
    }
    let (x, y) = (to_float(pool, format, a), to_float(pool, format, b));
    let rne = RoundingMode::NearestEven;
    let result = match op {
        BinOp::Add => pool.fp_add(rne, x, y),
        BinOp::Sub => pool.fp_sub(rne, x, y),
        BinOp::Mul => pool.fp_mul(rne, x, y),
        BinOp::Div => pool.fp_div(rne, x, y),
        BinOp::Remainder => pool.fp_rem(x, y),
        BinOp::FMin => pool.fp_min(x, y),
        BinOp::FMax => pool.fp_max(x, y),
        BinOp::Eq => return Ok(pool.fp_eq(x, y)),
        BinOp::Ne => {
            let equal = pool.fp_eq(x, y);
            return Ok(pool.not(equal));
        }
        BinOp::Lt => return Ok(pool.fp_lt(x, y)),
        BinOp::Le => return Ok(pool.fp_le(x, y)),
        BinOp::FRem => return Err(Unsupported("`fmod`".into())),
        _ => return Err(Unsupported("an integer operator of floats".into())),
    };
    Ok(from_float(pool, format, result))
}

impl Algebra for TermAlgebra<'_> {
    type Value = Term;
    type Error = Unsupported;

    fn constant(&mut self, bits: u128, ty: Ty) -> Result<Term, Unsupported> {
        Ok(match ty {
            Ty::Bool => self.pool.bool(bits != 0),
            _ => self.pool.bv(u32::from(ty.width()), bits),
        })
    }

    fn variable(&mut self, var: VarId, _: Ty) -> Result<Term, Unsupported> {
        Ok(self.state.value(self.program, self.slots, self.pool, var))
    }

    fn address(&mut self, object: ObjectId, ty: Ty) -> Result<Term, Unsupported> {
        if let Some(address) = self.layout.fixed(object) {
            return Ok(self.pool.bv(u32::from(ty.width()), u128::from(address)));
        }
        if let Some(base) = self.state.base(self.slots, object) {
            return Ok(base);
        }
        let info = self.program.object(object);
        if self.program.pool.has_object_offsets() {
            // What watches memory names the objects that a pointer may lead to, also those that do
            // not live yet. Nothing is known of where they will lie.
            let name = format!("address of object {} before its lifetime", object.0);
            return Ok(self.pool.var(&name, sort_of(ty)));
        }
        let name = &info.name;
        Err(Unsupported(format!(
            "address of {name} before its lifetime"
        )))
    }

    fn unary(&mut self, op: UnOp, ty: Ty, a: Term) -> Result<Term, Unsupported> {
        unary(self.pool, op, ty, a)
    }

    fn binary(&mut self, op: BinOp, ty: Ty, _: Ty, a: Term, b: Term) -> Result<Term, Unsupported> {
        if ty.is_int() && matches!(op, BinOp::Div | BinOp::Rem) {
            let fine = division_is_fine(self.pool, ty, a, b);
            self.defined.push(fine);
        }
        binary(self.pool, op, ty, a, b)
    }

    fn ite(&mut self, _: Ty, c: Term, a: Term, b: Term) -> Result<Term, Unsupported> {
        Ok(self.pool.ite(c, a, b))
    }

    fn fma(&mut self, ty: Ty, a: Term, b: Term, c: Term) -> Result<Term, Unsupported> {
        let Ty::Float(format) = ty else {
            return Err(Unsupported("fused multiply-add of integers".into()));
        };
        let x = to_float(self.pool, format, a);
        let y = to_float(self.pool, format, b);
        let z = to_float(self.pool, format, c);
        let result = self.pool.fp_fma(RoundingMode::NearestEven, x, y, z);
        Ok(from_float(self.pool, format, result))
    }

    fn load(&mut self, region: RegionId, ty: Ty, address: Term) -> Result<Term, Unsupported> {
        let checks = (self.memory_checks, self.instanced);
        let valid = memory::is_valid(self.program, self.pool, checks, region, address, ty.bytes());
        if memory::is_null(self.pool, address) {
            self.defined.push(TermPool::FALSE);
        } else if valid != TermPool::TRUE {
            self.valid.push(valid);
        }
        let contents = memory::contents(self.program, self.pool, self.state, region);
        memory::load(self.program, self.pool, region, contents, ty, address)
    }
}
