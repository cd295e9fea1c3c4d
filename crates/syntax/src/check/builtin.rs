//! GNU builtins: constants, operators of their own, and library functions by another name.

use super::operand::{Operand, Value};
use super::{Checker, Outcome};
use crate::ast;
use crate::constant;
use crate::span::{Name, Span};
use crate::typed::{Builtin, Expr, ExprKind, Place, PlaceKind};
use crate::types::{DataModel, FloatKind, IntKind, Type, TypeId};
use arith::float;

/// What a builtin does with its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// No arguments count; the result is void.
    Bare(Builtin),
    /// One integer converted to the type; the result has the second type.
    Integer(Builtin, TypeId, TypeId),
    /// One float of any type; the result is `int`.
    Classify(Builtin),
    /// Two floats, converted to their common type; the result is `int`.
    Order(Builtin),
    /// Two integers and a pointer. With a type: both are converted to it first.
    Overflow(Builtin, Option<TypeId>),
    /// A pointer, and a value of what it points to; the result is such a value.
    Fetch(Builtin),
}

impl Checker<'_> {
    /// The call of a name that is not declared, if it is a builtin.
    pub(super) fn builtin_call(
        &mut self,
        name: Name,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<Outcome<Operand>> {
        let text = self.names.get(name);
        if !text.starts_with("__") {
            return None;
        }
        let text = text.to_owned();
        if let Some(rest) = text.strip_prefix("__builtin_") {
            return Some(self.gnu_builtin(rest, name, args, span));
        }
        if let Some(rest) = text.strip_prefix("__sync_") {
            return Some(self.sync_builtin(rest, &text, args, span));
        }
        if let Some(rest) = text.strip_prefix("__atomic_") {
            return Some(self.atomic_builtin(rest, &text, args, span));
        }
        None
    }

    fn gnu_builtin(
        &mut self,
        rest: &str,
        name: Name,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        if let Some(form) = self.form(rest) {
            return self.apply(form, args, span);
        }
        match rest {
            "constant_p" => {
                let known = match self.argument(args, 0, span) {
                    Err(reported) => return Err(reported),
                    Ok(arg) => self.unevaluated(|checker| checker.operand(arg)),
                };
                let known = match known? {
                    Operand::Value(value) => {
                        constant::evaluate(self.types(), &value.expr).is_some()
                    }
                    Operand::Place(place, _) => matches!(place.kind, PlaceKind::String(_)),
                    Operand::Function(..) => false,
                };
                Ok(self.int_value(i128::from(known), TypeId::INT, span).into())
            }
            "expect" | "expect_with_probability" => {
                let value = self.integer_argument(args, 0, span)?;
                Ok(self.convert(value, TypeId::LONG).into())
            }
            "assume_aligned" | "speculation_safe_value" => {
                let arg = self.argument(args, 0, span)?;
                let value = self.value(arg)?;
                let value = if rest == "assume_aligned" {
                    self.convert(value.expr, TypeId::VOID_POINTER)
                } else {
                    value.expr
                };
                Ok(value.into())
            }
            "object_size" | "dynamic_object_size" => {
                let kind = self.argument(args, 1, span)?;
                let kind = self.integer_constant(kind, "second argument")?;
                let size = self.types().size_type();
                // Nothing is known: the largest size, or none if a minimum is asked for.
                let value = if kind & 2 == 0 { -1 } else { 0 };
                Ok(self.int_value(value, size, span).into())
            }
            "classify_type" => {
                let arg = self.argument(args, 0, span)?;
                let ty = self.unevaluated(|checker| checker.value(arg))?.expr.ty;
                let class = match self.types().get(ty) {
                    Type::Void => 0,
                    Type::Int(_) | Type::Enum(_) => 1,
                    Type::Pointer(_) => 5,
                    Type::Float(_) => 8,
                    Type::Record(id) => match self.types().record(*id).kind {
                        ast::RecordKind::Struct => 12,
                        ast::RecordKind::Union => 13,
                    },
                    _ => -1,
                };
                Ok(self.int_value(class, TypeId::INT, span).into())
            }
            "alloca" | "alloca_with_align" | "alloca_with_align_and_max" => {
                let size = self.integer_argument(args, 0, span)?;
                let size_type = self.types().size_type();
                let size = self.convert(size, size_type);
                Ok(builtin(
                    Builtin::Alloca,
                    vec![size],
                    TypeId::VOID_POINTER,
                    span,
                ))
            }
            "return_address" | "frame_address" => {
                let which = if rest == "return_address" {
                    Builtin::ReturnAddress
                } else {
                    Builtin::FrameAddress
                };
                let level = self.integer_argument(args, 0, span)?;
                let level = self.convert(level, TypeId::UINT);
                Ok(builtin(which, vec![level], TypeId::VOID_POINTER, span))
            }
            "extract_return_addr" | "frob_return_addr" => {
                let arg = self.argument(args, 0, span)?;
                Ok(Operand::Value(self.value(arg)?))
            }
            "prefetch" => {
                let arg = self.argument(args, 0, span)?;
                let pointer = self.value(arg)?.expr;
                let pointer = self.convert(pointer, TypeId::VOID_POINTER);
                Ok(builtin(
                    Builtin::Prefetch,
                    vec![pointer],
                    TypeId::VOID,
                    span,
                ))
            }
            "va_start" | "va_end" | "va_copy" | "next_arg" | "stdarg_start" => {
                self.va_builtin(rest, args, span)
            }
            "fpclassify" => self.fpclassify(args, span),
            "add_overflow_p" | "sub_overflow_p" | "mul_overflow_p" => {
                self.overflow_predicate(rest, args, span)
            }
            _ => {
                if let Some(value) = self.float_constant(rest) {
                    return Ok(Expr {
                        kind: value.0,
                        ty: value.1,
                        span,
                    }
                    .into());
                }
                if let Some(id) = self.library_builtin(name, span) {
                    self.mention_function(id);
                    return self.call_function(id, args, span);
                }
                if let Some(plain) = rest.strip_suffix("_chk") {
                    return self.checking_variant(plain, args, span);
                }
                self.unsupported(span, format!("'__builtin_{rest}'"))
            }
        }
    }

    fn form(&self, rest: &str) -> Option<Form> {
        let uint = TypeId::UINT;
        let bits = |family: &str| match rest.strip_prefix(family)? {
            "" => Some((TypeId::UINT, TypeId::INT)),
            "l" => Some((TypeId::ULONG, TypeId::LONG)),
            "ll" => Some((TypeId::ULONG_LONG, TypeId::LONG_LONG)),
            "imax" => Some((TypeId::ULONG_LONG, TypeId::LONG_LONG)),
            _ => None,
        };
        let families = [
            ("clz", Builtin::Clz, false),
            ("ctz", Builtin::Ctz, false),
            ("ffs", Builtin::Ffs, true),
            ("popcount", Builtin::Popcount, false),
            ("parity", Builtin::Parity, false),
            ("clrsb", Builtin::Clrsb, true),
        ];
        for (family, op, signed) in families {
            if let Some((unsigned_type, signed_type)) = bits(family) {
                let ty = if signed { signed_type } else { unsigned_type };
                return Some(Form::Integer(op, ty, TypeId::INT));
            }
        }
        Some(match rest {
            "unreachable" => Form::Bare(Builtin::Unreachable),
            "trap" => Form::Bare(Builtin::Trap),
            "bswap16" => Form::Integer(Builtin::Bswap16, TypeId::USHORT, TypeId::USHORT),
            "bswap32" => Form::Integer(Builtin::Bswap32, uint, uint),
            "bswap64" => {
                let ty = match self.types().model {
                    DataModel::Lp64 => TypeId::ULONG,
                    DataModel::Ilp32 => TypeId::ULONG_LONG,
                };
                Form::Integer(Builtin::Bswap64, ty, ty)
            }
            "isnan" | "isnanf" | "isnanl" => Form::Classify(Builtin::IsNan),
            "isinf" | "isinff" | "isinfl" => Form::Classify(Builtin::IsInf),
            "isinf_sign" => Form::Classify(Builtin::IsInfSign),
            "isfinite" | "finite" | "finitef" | "finitel" => Form::Classify(Builtin::IsFinite),
            "isnormal" => Form::Classify(Builtin::IsNormal),
            "signbit" | "signbitf" | "signbitl" => Form::Classify(Builtin::SignBit),
            "isgreater" => Form::Order(Builtin::IsGreater),
            "isgreaterequal" => Form::Order(Builtin::IsGreaterEqual),
            "isless" => Form::Order(Builtin::IsLess),
            "islessequal" => Form::Order(Builtin::IsLessEqual),
            "islessgreater" => Form::Order(Builtin::IsLessGreater),
            "isunordered" => Form::Order(Builtin::IsUnordered),
            _ => return overflow_form(rest),
        })
    }

    pub(super) fn apply(&mut self, form: Form, args: &[ast::Expr], span: Span) -> Outcome<Operand> {
        match form {
            Form::Bare(op) => Ok(builtin(op, Vec::new(), TypeId::VOID, span)),
            Form::Integer(op, ty, result) => {
                let value = self.integer_argument(args, 0, span)?;
                let value = self.convert(value, ty);
                if let Some(folded) = self.fold_bits(op, &value) {
                    return Ok(self.int_value(folded, result, span).into());
                }
                Ok(builtin(op, vec![value], result, span))
            }
            Form::Classify(op) => {
                let value = self.float_argument(args, 0, span)?;
                Ok(builtin(op, vec![value], TypeId::INT, span))
            }
            Form::Order(op) => {
                let left = self.arithmetic_argument(args, 0, span)?;
                let right = self.arithmetic_argument(args, 1, span)?;
                let (left, right, _) = self.usual_conversions(left, right);
                if self.types().float_kind(left.ty).is_none() {
                    return self.error(span, "non-floating-point arguments in call to builtin");
                }
                Ok(builtin(op, vec![left, right], TypeId::INT, span))
            }
            Form::Overflow(op, ty) => self.overflow(op, ty, args, span),
            Form::Fetch(op) => self.fetch(op, args, span),
        }
    }

    /// The value of a bit-counting builtin on a constant.
    fn fold_bits(&self, op: Builtin, value: &Expr) -> Option<i128> {
        use arith::int;
        let ExprKind::Int(bits) = value.kind else {
            return None;
        };
        let (width, _) = self.types().int_bits(value.ty)?;
        Some(match op {
            Builtin::Clz if bits != 0 => i128::from(int::clz(bits, width)),
            Builtin::Ctz if bits != 0 => i128::from(int::ctz(bits, width)),
            Builtin::Ffs => i128::from(int::ffs(bits, width)),
            Builtin::Popcount => i128::from(int::popcount(bits, width)),
            Builtin::Parity => i128::from(int::parity(bits, width)),
            Builtin::Clrsb => i128::from(int::clrsb(bits, width)),
            Builtin::Bswap16 | Builtin::Bswap32 | Builtin::Bswap64 => {
                int::bswap(bits, width) as i128
            }
            _ => return None,
        })
    }

    pub(super) fn argument<'a>(
        &mut self,
        args: &'a [ast::Expr],
        index: usize,
        span: Span,
    ) -> Outcome<&'a ast::Expr> {
        match args.get(index) {
            Some(arg) => Ok(arg),
            None => self.error(span, "too few arguments to builtin function"),
        }
    }

    fn integer_argument(&mut self, args: &[ast::Expr], index: usize, span: Span) -> Outcome<Expr> {
        let arg = self.argument(args, index, span)?;
        let value = self.value(arg)?;
        // A pointer or a float would be converted by the prototype of the builtin.
        self.check_scalar(&value.expr, "used where an integer is required")?;
        if self.types().is_pointer(value.expr.ty) {
            let size = self.types().size_type();
            return Ok(self.convert(value.expr, size));
        }
        Ok(value.expr)
    }

    fn arithmetic_argument(
        &mut self,
        args: &[ast::Expr],
        index: usize,
        span: Span,
    ) -> Outcome<Value> {
        let arg = self.argument(args, index, span)?;
        let value = self.value(arg)?;
        if !self.types().is_arithmetic(value.expr.ty) {
            return self.error(
                arg.span,
                "non-arithmetic argument in call to builtin function",
            );
        }
        Ok(value)
    }

    fn float_argument(&mut self, args: &[ast::Expr], index: usize, span: Span) -> Outcome<Expr> {
        let value = self.arithmetic_argument(args, index, span)?.expr;
        match self.types().float_kind(value.ty) {
            Some(_) => Ok(value),
            None => Ok(self.convert(value, TypeId::DOUBLE)),
        }
    }

    /// `inf`, `huge_val` and `nan`, with the suffixes of their types.
    fn float_constant(&self, rest: &str) -> Option<(ExprKind, TypeId)> {
        let (family, suffix) = ["huge_val", "inf", "nans", "nan"]
            .iter()
            .find_map(|family| rest.strip_prefix(family).map(|suffix| (*family, suffix)))?;
        let kind = match suffix {
            "" | "f64" | "f32x" => FloatKind::Double,
            "f" | "f32" => FloatKind::Float,
            "l" | "f64x" => FloatKind::LongDouble,
            "q" | "f128" => FloatKind::Float128,
            "f16" => FloatKind::Float16,
            _ => return None,
        };
        let bits = match family {
            "nan" | "nans" => float::nan(kind.format()),
            _ => float::infinity(kind.format(), false),
        };
        Some((ExprKind::Float(bits), kind.ty()))
    }

    fn fpclassify(&mut self, args: &[ast::Expr], span: Span) -> Outcome<Operand> {
        let mut values = Vec::with_capacity(6);
        for index in 0..5 {
            let value = self.integer_argument(args, index, span)?;
            values.push(self.convert(value, TypeId::INT));
        }
        values.push(self.float_argument(args, 5, span)?);
        Ok(builtin(Builtin::FpClassify, values, TypeId::INT, span))
    }

    /// `__builtin_memcpy_chk(d, s, n, size)`: the size is a check that is not made.
    fn checking_variant(
        &mut self,
        plain: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        let name = self.names.intern(plain);
        let Some(ty) = self.library_type(name) else {
            return self.unsupported(span, format!("'__builtin_{plain}_chk'"));
        };
        let wanted = self
            .types()
            .function(ty)
            .map_or(0, |function| function.params.len());
        let variadic = self
            .types()
            .function(ty)
            .is_some_and(|function| function.variadic);
        if variadic || args.len() != wanted + 1 {
            return self.unsupported(span, format!("'__builtin_{plain}_chk'"));
        }
        let id = self.function_by_name(name, ty, span);
        self.mention_function(id);
        self.call_function(id, &args[..wanted], span)
    }

    fn overflow(
        &mut self,
        op: Builtin,
        ty: Option<TypeId>,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        let left = self.integer_operand(args, 0, span)?;
        let right = self.integer_operand(args, 1, span)?;
        let target = self.argument(args, 2, span)?;
        let pointer = self.value(target)?;
        let pointer = match ty {
            // The typed variants have a prototype.
            Some(ty) => {
                let wanted = self.program.types.pointer_to(ty);
                self.assigned(pointer, wanted, super::convert::Context::Argument(3, None))?
            }
            None => pointer.expr,
        };
        let pointee = self.types().pointee(pointer.ty);
        if pointee.is_none_or(|ty| !self.types().is_integer(ty)) {
            return self.error(
                target.span,
                "argument 3 does not have pointer to integral type",
            );
        }
        let common = match ty {
            Some(ty) => ty,
            None => match self.holding_both(left.ty, right.ty) {
                Some(kind) => kind.ty(),
                None => return self.unsupported(span, "overflow of mixed 128-bit operands"),
            },
        };
        let (left, right) = (self.convert(left, common), self.convert(right, common));
        Ok(builtin(op, vec![left, right, pointer], TypeId::BOOL, span))
    }

    /// `__builtin_add_overflow_p(a, b, c)`: whether the sum fits the type of `c`.
    fn overflow_predicate(
        &mut self,
        rest: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        let left = self.integer_operand(args, 0, span)?;
        let right = self.integer_operand(args, 1, span)?;
        let sample = self.argument(args, 2, span)?;
        let ty = self.unevaluated(|checker| checker.value(sample))?.expr.ty;
        let (Some(common), true) = (
            self.holding_both(left.ty, right.ty),
            self.types().is_integer(ty),
        ) else {
            return self.unsupported(span, format!("'__builtin_{rest}' of these types"));
        };
        let (left, right) = (
            self.convert(left, common.ty()),
            self.convert(right, common.ty()),
        );
        let var = self.new_hidden(ty, span);
        let pointer = self.program.types.pointer_to(ty);
        let place = Place {
            kind: PlaceKind::Var(var),
            ty,
            span,
        };
        let pointer = self.address(place, pointer);
        let op = match rest {
            "add_overflow_p" => Builtin::AddOverflow,
            "sub_overflow_p" => Builtin::SubOverflow,
            _ => Builtin::MulOverflow,
        };
        Ok(builtin(op, vec![left, right, pointer], TypeId::BOOL, span))
    }

    fn integer_operand(&mut self, args: &[ast::Expr], index: usize, span: Span) -> Outcome<Expr> {
        let value = self.integer_argument(args, index, span)?;
        if !self.types().is_integer(value.ty) {
            return self.error(value.span, "argument does not have integral type");
        }
        Ok(value)
    }

    /// The smallest type that holds all values of both.
    fn holding_both(&self, a: TypeId, b: TypeId) -> Option<IntKind> {
        let (aw, asign) = self.types().int_bits(a)?;
        let (bw, bsign) = self.types().int_bits(b)?;
        if asign == bsign {
            let wider = if aw >= bw { a } else { b };
            return self.types().int_kind(wider);
        }
        let (signed, unsigned) = if asign { (aw, bw) } else { (bw, aw) };
        let needed = signed.max(unsigned + 1);
        [IntKind::Int, IntKind::LongLong, IntKind::Int128]
            .into_iter()
            .find(|kind| u32::from(kind.bits(self.types().model)) >= needed)
    }
}

pub(super) fn builtin(op: Builtin, args: Vec<Expr>, ty: TypeId, span: Span) -> Operand {
    Expr {
        kind: ExprKind::Builtin(op, args),
        ty,
        span,
    }
    .into()
}

/// `add_overflow`, `sadd_overflow`, `uaddll_overflow`, ….
fn overflow_form(rest: &str) -> Option<Form> {
    let family = rest.strip_suffix("_overflow")?;
    let op = |name: &str| match name {
        "add" => Some(Builtin::AddOverflow),
        "sub" => Some(Builtin::SubOverflow),
        "mul" => Some(Builtin::MulOverflow),
        _ => None,
    };
    if let Some(op) = op(family) {
        return Some(Form::Overflow(op, None));
    }
    let (signed, rest) = match family.split_at_checked(1)? {
        ("s", rest) => (true, rest),
        ("u", rest) => (false, rest),
        _ => return None,
    };
    let (name, kind) = match rest.strip_suffix("ll") {
        // `mull` is `mul` with one `l`, `mulll` with two.
        Some(name) if op(name).is_some() => (name, IntKind::LongLong),
        _ => match rest.strip_suffix('l') {
            Some(name) if op(name).is_some() => (name, IntKind::Long),
            _ => (rest, IntKind::Int),
        },
    };
    let kind = if signed { kind } else { kind.to_unsigned() };
    Some(Form::Overflow(op(name)?, Some(kind.ty())))
}
