//! GNU builtins: constants, operators of their own, and library functions by another name.

use super::operand::{Operand, Value};
use super::tuple::{read, sequence};
use super::{Checker, Outcome};
use crate::ast;
use crate::span::{Name, Span};
use crate::typed::{Builtin, Expr, ExprKind};
use crate::types::{DataModel, FloatKind, Type, TypeId};
use arith::{float, int};

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
        if let Some(rest) = text.strip_prefix("__CPROVER_") {
            return self.cprover_builtin(rest, args, span);
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
        if let Some(outcome) = self.complex_builtin(rest, args, span) {
            return outcome;
        }
        match rest {
            "shuffle" => self.shuffle(args, span),
            "shufflevector" => self.shuffle_constant(args, span),
            "constant_p" => self.constant_p(args, span),
            "expect" | "expect_with_probability" => {
                let value = self.integer_argument(args, 0, span)?;
                let value = self.convert(value, TypeId::LONG);
                if only_names_follow(args, 1) {
                    return Ok(value.into());
                }
                let expected = self.integer_argument(args, 1, span)?;
                let (kept, place) = self.kept(value);
                Ok(sequence(vec![kept, expected], read(place)).into())
            }
            "assume_aligned" | "speculation_safe_value" => {
                self.only_constants(args, 1)?;
                let arg = self.argument(args, 0, span)?;
                let value = self.value(arg)?;
                let value = if rest == "assume_aligned" {
                    self.convert(value.expr, TypeId::VOID_POINTER)
                } else {
                    value.expr
                };
                Ok(value.into())
            }
            "object_size" | "dynamic_object_size" => self.object_size(args, span),
            "classify_type" => {
                let arg = self.argument(args, 0, span)?;
                let ty = self.unevaluated(|checker| checker.value(arg))?.expr.ty;
                let class = match self.types().get(ty) {
                    Type::Void => 0,
                    Type::Int(_) | Type::Enum(_) => 1,
                    Type::Pointer(_) => 5,
                    Type::Float(_) => 8,
                    Type::Record(_) if self.types().complex_part(ty).is_some() => 9,
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
                self.only_constants(args, 1)?;
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
                    // The text of a NaN says which bits it has.
                    let payload = args.first().map_or(Some(0), payload);
                    let (ExprKind::Float(bits), Some(payload), false) =
                        (&value.0, payload, rest.starts_with("nans"))
                    else {
                        return self.unsupported(span, format!("'__builtin_{rest}' of this text"));
                    };
                    let value = (ExprKind::Float(bits | payload), value.1);
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
                    let plain = plain.strip_prefix("__").unwrap_or(plain);
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
            _ => return super::overflow::overflow_form(rest),
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

    pub(super) fn integer_argument(
        &mut self,
        args: &[ast::Expr],
        index: usize,
        span: Span,
    ) -> Outcome<Expr> {
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
            // The one that the machine computes has the sign bit, this one does not.
            "nan" | "nans" => float::abs(kind.format(), float::nan(kind.format())),
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

    /// `__builtin___memcpy_chk(d, s, n, size)`: supported where there is nothing to check, because
    /// nothing is known of the size.
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
        let size = self
            .unevaluated(|checker| checker.value(&args[wanted]))?
            .expr;
        let size_type = self.types().size_type();
        let size = self.convert(size, size_type);
        let unknown = int::mask(self.types().model.pointer_bits().into());
        if !matches!(size.kind, ExprKind::Int(bits) if bits == unknown) {
            return self.unsupported(span, format!("'__builtin_{plain}_chk' of a known size"));
        }
        let id = match self.linkage.mention_builtin(name) {
            Some(labelled) => labelled,
            None => self.function_by_name(name, ty, span),
        };
        self.mention_function(id);
        self.call_function(id, &args[..wanted], span)
    }
}

/// Does nothing in a program of one thread.
pub(super) fn fence(span: Span) -> Operand {
    builtin(Builtin::SyncSynchronize, Vec::new(), TypeId::VOID, span)
}

pub(super) fn builtin(op: Builtin, args: Vec<Expr>, ty: TypeId, span: Span) -> Operand {
    Expr {
        kind: ExprKind::Builtin(op, args),
        ty,
        span,
    }
    .into()
}

/// Whether the arguments from an index on are numbers and names, which have no effects.
fn only_names_follow(args: &[ast::Expr], from: usize) -> bool {
    let is_plain = |arg: &ast::Expr| {
        use ast::ExprKind::{Float, Int, Name, Unary};
        match &arg.kind {
            Int { .. } | Float { .. } | Name(_) => true,
            Unary(ast::UnaryOp::Not | ast::UnaryOp::Minus, inner) => {
                matches!(inner.kind, Int { .. } | Name(_))
                    || matches!(&inner.kind, Unary(ast::UnaryOp::Not, it) if matches!(it.kind, Int { .. } | Name(_)))
            }
            _ => false,
        }
    };
    args.iter().skip(from).all(is_plain)
}

/// The low bits of a NaN that the text of a small number asks for.
fn payload(text: &ast::Expr) -> Option<u128> {
    let ast::ExprKind::String { units, .. } = &text.kind else {
        return None;
    };
    let text: Option<String> = units.iter().map(|&unit| char::from_u32(unit)).collect();
    let text = text?.to_ascii_lowercase();
    let number = match (text.as_str(), text.strip_prefix("0x")) {
        ("", _) => Some(0),
        (_, Some(digits)) => u128::from_str_radix(digits, 16).ok(),
        (digits, None) if !digits.starts_with('0') => digits.parse().ok(),
        _ => None,
    };
    number.filter(|&number| number < 1 << 9)
}
