//! The compiler's own functions.

use super::context::Shape;
use super::frame::FunctionLowering;
use arith::float::FloatFormat;
use cfa::expr::{BinOp, ExprId, UnOp};
use cfa::memory::RegionId;
use cfa::op::{Contents, Halt, InputKind, Op};
use cfa::value::Ty;
use syntax::span::Span;
use syntax::typed::{Builtin, Expr, Question};
use syntax::types::{Type, TypeId};

/// The largest object on the stack, in bytes: twice what Linux gives to the whole stack.
pub(super) const MAX_ON_STACK: u64 = 1 << 24;

impl<'t> FunctionLowering<'_, 't> {
    pub fn builtin(&mut self, builtin: Builtin, args: &'t [Expr], expr: &'t Expr) -> ExprId {
        let span = expr.span;
        let ty = self.context.value_ty(expr.ty);
        match builtin {
            Builtin::Unreachable => {
                self.halt(
                    Halt::Undefined("__builtin_unreachable is reached".to_owned()),
                    span,
                );
                self.nothing()
            }
            Builtin::Trap => {
                self.halt(Halt::Abort, span);
                self.nothing()
            }
            Builtin::Alloca => {
                let size = self.argument(args, 0);
                self.allocate_on_stack(size, span)
            }
            Builtin::VaStart => {
                let list = self.argument(args, 0);
                let cursor = self.context.unit(self.frame.function).variable_arguments();
                match cursor {
                    Some(cursor) => {
                        let cursor = self.read(cursor);
                        self.store(list, cursor, span);
                    }
                    None => self.halt(
                        Halt::Undefined("va_start in a function without `...`".to_owned()),
                        span,
                    ),
                }
                self.nothing()
            }
            Builtin::VaEnd | Builtin::Prefetch => {
                for arg in args {
                    self.effect(arg);
                }
                self.nothing()
            }
            Builtin::VaCopy => {
                let actuals = self.arguments(args);
                if let [target, source] = actuals[..] {
                    let source = self.argument_cursor(source.value);
                    self.store(target.value, source, span);
                }
                self.nothing()
            }
            Builtin::Bswap16 | Builtin::Bswap32 | Builtin::Bswap64 => {
                let width = match builtin {
                    Builtin::Bswap16 => 16,
                    Builtin::Bswap32 => 32,
                    _ => 64,
                };
                let value = self.argument(args, 0);
                let pool = &mut self.context.pool;
                let value = pool.convert(value, Ty::unsigned(width));
                let swapped = pool.unary(UnOp::Bswap, value);
                pool.convert(swapped, ty)
            }
            Builtin::Clz | Builtin::Ctz | Builtin::Popcount => {
                let op = match builtin {
                    Builtin::Clz => UnOp::Clz,
                    Builtin::Ctz => UnOp::Ctz,
                    _ => UnOp::Popcount,
                };
                let value = self.argument(args, 0);
                if op != UnOp::Popcount {
                    return self.count_zeros(op, value, ty, span);
                }
                let pool = &mut self.context.pool;
                let count = pool.unary(op, value);
                pool.convert(count, ty)
            }
            Builtin::Parity => {
                let value = self.argument(args, 0);
                let pool = &mut self.context.pool;
                let count = pool.unary(UnOp::Popcount, value);
                let one = pool.constant(1, pool.ty(count));
                let odd = pool.binary(BinOp::And, count, one);
                pool.convert(odd, ty)
            }
            Builtin::Ffs => {
                let value = self.argument(args, 0);
                let pool = &mut self.context.pool;
                let present = pool.truth(value);
                let count = pool.unary(UnOp::Ctz, value);
                let count = pool.convert(count, ty);
                let one = pool.integer(1, ty);
                let (number, zero) = (pool.add(count, one), pool.zero(ty));
                pool.ite(present, number, zero)
            }
            Builtin::Clrsb => {
                // Leading bits that equal the sign, without the sign: of `x ^ (x >> (w - 1))`, clz
                // - 1.
                let value = self.argument(args, 0);
                let pool = &mut self.context.pool;
                let operand = pool.ty(value);
                let shift = pool.integer(i128::from(operand.width()) - 1, Ty::I32);
                let sign = pool.binary(BinOp::Shr, value, shift);
                let differing = pool.binary(BinOp::Xor, value, sign);
                let count = pool.unary(UnOp::Clz, differing);
                let count = pool.convert(count, ty);
                let one = pool.integer(1, ty);
                pool.sub(count, one)
            }
            Builtin::AddOverflow | Builtin::SubOverflow | Builtin::MulOverflow => {
                self.checked_arithmetic(builtin, args, expr)
            }
            Builtin::IsNan
            | Builtin::IsInf
            | Builtin::IsInfSign
            | Builtin::IsFinite
            | Builtin::IsNormal
            | Builtin::SignBit => {
                let value = self.argument(args, 0);
                self.classify(builtin, value, ty)
            }
            Builtin::IsGreater
            | Builtin::IsGreaterEqual
            | Builtin::IsLess
            | Builtin::IsLessEqual
            | Builtin::IsLessGreater
            | Builtin::IsUnordered => self.float_comparison(builtin, args, ty),
            Builtin::FpClassify => self.fpclassify(args, ty),
            Builtin::ReturnAddress | Builtin::FrameAddress => {
                let var = self.temporary(ty, span);
                let name = self.context.names.intern("__builtin_return_address");
                self.havoc(var, InputKind::Library(name), false, span);
                self.read(var)
            }
            Builtin::SyncSynchronize => self.nothing(),
            Builtin::TooMany => {
                self.unsupported("a quantifier over this many values", span);
                self.nothing()
            }
            Builtin::Ask(question) => self.ask(question, args, expr),
            _ => self.sync(builtin, args, expr),
        }
    }

    /// The answer is any value where nobody knows better.
    fn ask(&mut self, question: Question, args: &'t [Expr], expr: &'t Expr) -> ExprId {
        let mut operands = Vec::new();
        for actual in self.arguments(args) {
            let ty = self.context.pool.ty(actual.value);
            let var = self.temporary(ty, expr.span);
            self.emit(Op::Assign(var, actual.value), expr.span);
            operands.push(var);
        }
        let answer = self.temporary(self.context.value_ty(expr.ty), expr.span);
        let kind = InputKind::Asked { question, operands };
        self.havoc(answer, kind, self.context.is_c_bool(expr.ty), expr.span);
        self.read(answer)
    }

    fn argument(&mut self, args: &'t [Expr], index: usize) -> ExprId {
        match args.get(index) {
            Some(arg) => self.value(arg),
            None => self.nothing(),
        }
    }

    /// The size, where an object may be so large; an execution that asks for more ends.
    pub fn within(&mut self, size: ExprId, most: u64, span: Span) -> ExprId {
        let size = self.save(size, span);
        let pool = &mut self.context.pool;
        let limit = pool.constant(most.into(), pool.ty(size));
        let fits = pool.le(size, limit);
        if self.context.pool.as_bool(fits) != Some(true) {
            let (works, fails) = (self.new_node(), self.new_node());
            self.branch_on(fits, works, fails, span);
            self.enter(fails);
            let text = "an allocation larger than the address space".to_owned();
            self.halt(Halt::Undefined(text), span);
            self.enter(works);
        }
        size
    }

    pub fn allocate_on_stack(&mut self, size: ExprId, span: Span) -> ExprId {
        let pointer = self.context.pointer;
        let size = self.context.pool.convert(size, pointer);
        let size = self.within(size, MAX_ON_STACK, span);
        let object = self.stack_allocation("alloca".to_owned(), None, span);
        self.allocated_in_function(object);
        let target = self.temporary(pointer, span);
        self.emit(
            Op::Allocate {
                target,
                object,
                size,
                contents: Contents::Arbitrary,
            },
            span,
        );
        self.read(target)
    }

    /// Stores what fits of the exact result; true if something did not fit. The operands have types
    /// of their own, and so has the result.
    fn checked_arithmetic(&mut self, builtin: Builtin, args: &'t [Expr], expr: &'t Expr) -> ExprId {
        let actuals = self.arguments(args);
        let [a, b, result] = actuals[..] else {
            return self.nothing();
        };
        let pointee = match *self.context.types.shape(result.ty) {
            Type::Pointer(pointee) => pointee,
            _ => expr.ty,
        };
        let Shape::Scalar(target) = self.context.shape(pointee) else {
            return self.nothing();
        };
        let (op, overflows) = match builtin {
            Builtin::AddOverflow => (BinOp::Add, BinOp::AddOverflows),
            Builtin::SubOverflow => (BinOp::Sub, BinOp::SubOverflows),
            _ => (BinOp::Mul, BinOp::MulOverflows),
        };
        let pool = &mut self.context.pool;
        let (left, right) = (pool.ty(a.value), pool.ty(b.value));
        let same = left == target && right == target;
        let wide = if same {
            target
        } else {
            exact_type(op, left, right)
        };
        let (x, y) = (pool.convert(a.value, wide), pool.convert(b.value, wide));
        // Unsigned, so that wrapping here is no overflow of the program's.
        let bits = Ty::unsigned(wide.width());
        let (plain_x, plain_y) = (pool.convert(x, bits), pool.convert(y, bits));
        let exact = pool.binary(op, plain_x, plain_y);
        pool.mark_sum_of_integers(exact);
        let exact = pool.convert(exact, wide);
        let stored = pool.convert(exact, target);
        let lost = if same {
            pool.binary(overflows, x, y)
        } else {
            // It fits if it comes back, and on the same side of zero.
            let back = pool.convert(stored, wide);
            let differs = pool.ne(back, exact);
            let negative = |pool: &mut cfa::expr::ExprPool, value| {
                let zero = pool.zero(pool.ty(value));
                pool.lt(value, zero)
            };
            let (before, after) = (negative(pool, exact), negative(pool, stored));
            let sides = pool.ne(before, after);
            pool.or(differs, sides)
        };
        let lost = pool.convert(lost, Ty::U8);
        let lost = self.save(lost, expr.span);
        self.store(result.value, stored, expr.span);
        let ty = self.context.value_ty(expr.ty);
        self.context.pool.convert(lost, ty)
    }

    /// Of zero the count is undefined, and gcc's code gives what was in some register.
    fn count_zeros(&mut self, op: UnOp, value: ExprId, ty: Ty, span: Span) -> ExprId {
        let pool = &mut self.context.pool;
        let count = pool.unary(op, value);
        let count = pool.convert(count, ty);
        if pool.as_constant(value).is_some_and(|bits| bits != 0) {
            return count;
        }
        let name = match op {
            UnOp::Clz => "__builtin_clz",
            _ => "__builtin_ctz",
        };
        let target = self.temporary(ty, span);
        let (value, count) = (self.save(value, span), self.save(count, span));
        let present = self.context.pool.truth(value);
        let (some, none, after) = (self.new_node(), self.new_node(), self.new_node());
        self.branch_on(present, some, none, span);
        self.enter(some);
        self.emit(Op::Assign(target, count), span);
        self.go(after, span);
        self.enter(none);
        let name = self.context.names.intern(name);
        self.havoc(target, InputKind::Library(name), false, span);
        self.go(after, span);
        self.enter(after);
        self.read(target)
    }

    pub fn classify(&mut self, builtin: Builtin, value: ExprId, ty: Ty) -> ExprId {
        let pool = &mut self.context.pool;
        if !pool.ty(value).is_float() {
            return pool.zero(ty);
        }
        let truth = match builtin {
            Builtin::IsNan => pool.unary(UnOp::IsNan, value),
            Builtin::IsInf => pool.unary(UnOp::IsInf, value),
            Builtin::IsNormal => pool.unary(UnOp::IsNormal, value),
            Builtin::SignBit => {
                // Nonzero if it is set: the bits that gcc's code is left with.
                let set = match pool.ty(value) {
                    Ty::Float(FloatFormat::Single) => i128::from(i32::MIN),
                    Ty::Float(FloatFormat::X87) => 512,
                    _ => 1,
                };
                let negative = pool.unary(UnOp::SignBit, value);
                let (set, zero) = (pool.integer(set, ty), pool.zero(ty));
                return pool.ite(negative, set, zero);
            }
            Builtin::IsFinite => {
                let (nan, inf) = (
                    pool.unary(UnOp::IsNan, value),
                    pool.unary(UnOp::IsInf, value),
                );
                let either = pool.or(nan, inf);
                pool.not(either)
            }
            _ => {
                let (inf, sign) = (
                    pool.unary(UnOp::IsInf, value),
                    pool.unary(UnOp::SignBit, value),
                );
                let (plus, minus) = (pool.integer(1, ty), pool.integer(-1, ty));
                let signed = pool.ite(sign, minus, plus);
                let zero = pool.zero(ty);
                return pool.ite(inf, signed, zero);
            }
        };
        pool.convert(truth, ty)
    }

    fn float_comparison(&mut self, builtin: Builtin, args: &'t [Expr], ty: Ty) -> ExprId {
        let [left, right] = args else {
            return self.nothing();
        };
        let [a, b] = self.operands([left, right]);
        let pool = &mut self.context.pool;
        let truth = match builtin {
            Builtin::IsGreater => pool.lt(b, a),
            Builtin::IsGreaterEqual => pool.le(b, a),
            Builtin::IsLess => pool.lt(a, b),
            Builtin::IsLessEqual => pool.le(a, b),
            Builtin::IsLessGreater => {
                let (less, greater) = (pool.lt(a, b), pool.lt(b, a));
                pool.or(less, greater)
            }
            _ => {
                let (x, y) = (pool.unary(UnOp::IsNan, a), pool.unary(UnOp::IsNan, b));
                pool.or(x, y)
            }
        };
        pool.convert(truth, ty)
    }

    /// `__builtin_fpclassify(nan, infinite, normal, subnormal, zero, x)`.
    fn fpclassify(&mut self, args: &'t [Expr], ty: Ty) -> ExprId {
        let actuals = self.arguments(args);
        let [nan, infinite, normal, subnormal, zero, x] = actuals[..] else {
            return self.nothing();
        };
        let numbers = [nan, infinite, normal, subnormal, zero].map(|actual| actual.value);
        self.classify_as(numbers, x.value, ty)
    }

    /// One of five numbers: for a NaN, an infinity, a normal number, a subnormal one, zero.
    pub fn classify_as(&mut self, numbers: [ExprId; 5], x: ExprId, ty: Ty) -> ExprId {
        let pool = &mut self.context.pool;
        let [nan, infinite, normal, subnormal, zero] =
            numbers.map(|number| pool.convert(number, ty));
        let mut result = normal;
        for (op, number) in [
            (UnOp::IsSubnormal, subnormal),
            (UnOp::IsZero, zero),
            (UnOp::IsInf, infinite),
            (UnOp::IsNan, nan),
        ] {
            let test = pool.unary(op, x);
            result = pool.ite(test, number, result);
        }
        result
    }

    /// `__sync_*` and `__atomic_*`: with one thread they are plain reads and writes.
    fn sync(&mut self, builtin: Builtin, args: &'t [Expr], expr: &'t Expr) -> ExprId {
        let span = expr.span;
        let actuals = self.arguments(args);
        let Some(pointer) = actuals.first() else {
            return self.nothing();
        };
        let pointee: TypeId = match *self.context.types.shape(pointer.ty) {
            Type::Pointer(pointee) => pointee,
            _ => expr.ty,
        };
        let Shape::Scalar(ty) = self.context.shape(pointee) else {
            self.unsupported("an atomic operation on a record", span);
            return self.nothing();
        };
        let address = pointer.value;
        let old = self.context.pool.load(RegionId::WHOLE, address, ty);
        let old = self.save(old, span);
        let operand = |lowering: &mut Self, index: usize| match actuals.get(index) {
            Some(actual) => lowering.context.pool.convert(actual.value, ty),
            None => lowering.context.pool.zero(ty),
        };
        use Builtin::*;
        match builtin {
            SyncLockTestAndSet => {
                let new = operand(self, 1);
                self.store(address, new, span);
                self.convert_to(old, expr.ty)
            }
            SyncLockRelease => {
                let zero = self.context.pool.zero(ty);
                self.store(address, zero, span);
                self.nothing()
            }
            SyncBoolCompareAndSwap | SyncValCompareAndSwap => {
                let (expected, new) = (operand(self, 1), operand(self, 2));
                let pool = &mut self.context.pool;
                let same = pool.eq(old, expected);
                let written = pool.ite(same, new, old);
                let same = pool.convert(same, Ty::I32);
                let same = self.save(same, span);
                self.store(address, written, span);
                let result = if builtin == SyncBoolCompareAndSwap {
                    same
                } else {
                    old
                };
                self.convert_to(result, expr.ty)
            }
            _ => {
                let (op, gives_new) = match builtin {
                    SyncFetchAndAdd => (BinOp::Add, false),
                    SyncFetchAndSub => (BinOp::Sub, false),
                    SyncFetchAndOr => (BinOp::Or, false),
                    SyncFetchAndAnd => (BinOp::And, false),
                    SyncFetchAndXor => (BinOp::Xor, false),
                    SyncAddAndFetch => (BinOp::Add, true),
                    SyncSubAndFetch => (BinOp::Sub, true),
                    SyncOrAndFetch => (BinOp::Or, true),
                    SyncAndAndFetch => (BinOp::And, true),
                    SyncXorAndFetch => (BinOp::Xor, true),
                    SyncFetchAndNand => (BinOp::And, false),
                    SyncNandAndFetch => (BinOp::And, true),
                    _ => {
                        self.unsupported("an atomic builtin", span);
                        return self.nothing();
                    }
                };
                let value = operand(self, 1);
                let pool = &mut self.context.pool;
                // These wrap silently.
                let bits = Ty::unsigned(ty.width());
                let (x, y) = (pool.convert(old, bits), pool.convert(value, bits));
                let mut new = pool.binary(op, x, y);
                pool.mark_sum_of_integers(new);
                if matches!(builtin, SyncFetchAndNand | SyncNandAndFetch) {
                    new = pool.unary(UnOp::BitNot, new);
                }
                let new = pool.convert(new, ty);
                let new = self.save(new, span);
                self.store(address, new, span);
                let result = if gives_new { new } else { old };
                self.convert_to(result, expr.ty)
            }
        }
    }
}

/// A type that holds every result of the operation on operands of at most 64 bits.
fn exact_type(op: BinOp, a: Ty, b: Ty) -> Ty {
    let unsigned = op == BinOp::Mul && !a.is_signed() && !b.is_signed();
    let needed = match op {
        BinOp::Mul => a.width() + b.width(),
        // A sign for operands that are unsigned, and a carry.
        _ => a.width().max(b.width()) + 2,
    };
    let width = [32, 64, 128].into_iter().find(|&width| width >= needed);
    match unsigned {
        true => Ty::unsigned(width.unwrap_or(128)),
        false => Ty::signed(width.unwrap_or(128)),
    }
}
