//! `__sync_*` and `__atomic_*`: plain operations in a program of one thread.

use super::builtin::{Form, builtin, fence};
use super::convert::Context;
use super::operand::Operand;
use super::{Checker, Outcome};
use crate::ast;
use crate::span::Span;
use crate::typed::{Builtin, CompareOp, Expr, ExprKind, Place, PlaceKind};
use crate::types::TypeId;

impl Checker<'_> {
    pub(super) fn sync_builtin(
        &mut self,
        rest: &str,
        text: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        // `_1`, `_2`, … name the size, which the pointer tells too.
        let base = without_size(rest);
        let op = match base {
            "fetch_and_add" => Builtin::SyncFetchAndAdd,
            "fetch_and_sub" => Builtin::SyncFetchAndSub,
            "fetch_and_or" => Builtin::SyncFetchAndOr,
            "fetch_and_and" => Builtin::SyncFetchAndAnd,
            "fetch_and_xor" => Builtin::SyncFetchAndXor,
            "add_and_fetch" => Builtin::SyncAddAndFetch,
            "sub_and_fetch" => Builtin::SyncSubAndFetch,
            "or_and_fetch" => Builtin::SyncOrAndFetch,
            "and_and_fetch" => Builtin::SyncAndAndFetch,
            "xor_and_fetch" => Builtin::SyncXorAndFetch,
            "fetch_and_nand" => Builtin::SyncFetchAndNand,
            "nand_and_fetch" => Builtin::SyncNandAndFetch,
            "lock_test_and_set" => Builtin::SyncLockTestAndSet,
            "bool_compare_and_swap" | "val_compare_and_swap" => {
                return self.compare_and_swap(base, args, span);
            }
            "lock_release" => {
                let (pointer, _) = self.atomic_pointer(args, span)?;
                return Ok(builtin(
                    Builtin::SyncLockRelease,
                    vec![pointer],
                    TypeId::VOID,
                    span,
                ));
            }
            "synchronize" => return Ok(fence(span)),
            _ => return self.unsupported(span, format!("'{text}'")),
        };
        self.apply(Form::Fetch(op), args, span)
    }

    /// `__atomic_*` in a program of one thread: the memory orders say nothing.
    pub(super) fn atomic_builtin(
        &mut self,
        rest: &str,
        text: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        let op = match without_size(rest) {
            "fetch_add" => Builtin::SyncFetchAndAdd,
            "fetch_sub" => Builtin::SyncFetchAndSub,
            "fetch_or" => Builtin::SyncFetchAndOr,
            "fetch_and" => Builtin::SyncFetchAndAnd,
            "fetch_xor" => Builtin::SyncFetchAndXor,
            "add_fetch" => Builtin::SyncAddAndFetch,
            "sub_fetch" => Builtin::SyncSubAndFetch,
            "or_fetch" => Builtin::SyncOrAndFetch,
            "and_fetch" => Builtin::SyncAndAndFetch,
            "xor_fetch" => Builtin::SyncXorAndFetch,
            "fetch_nand" => Builtin::SyncFetchAndNand,
            "nand_fetch" => Builtin::SyncNandAndFetch,
            "exchange_n" => Builtin::SyncLockTestAndSet,
            "compare_exchange_n" => return self.compare_exchange(args, false, span),
            "compare_exchange" => return self.compare_exchange(args, true, span),
            "load_n" => {
                let (pointer, ty) = self.atomic_pointer(args, span)?;
                let place = place_at(pointer, ty, span);
                return Ok(Operand::Value(self.valued(Operand::Place(place, None))?));
            }
            "store_n" => {
                let (pointer, ty) = self.atomic_pointer(args, span)?;
                let value = self.argument(args, 1, span)?;
                let value = self.value(value)?;
                let value = self.assigned(value, ty, Context::Assignment)?;
                return Ok(self.stored(pointer, ty, value, span));
            }
            // `__atomic_load(p, to, order)`, `__atomic_store(p, from, order)`: of any type.
            "load" | "store" => {
                let (object, ty) = self.any_pointer(args, 0, span)?;
                let (other, other_ty) = self.any_pointer(args, 1, span)?;
                if self.types().size_of(ty) != self.types().size_of(other_ty) {
                    return self.error(span, "size mismatch in argument 2 of atomic builtin");
                }
                let (to, from) = match rest {
                    "load" => ((other, other_ty), object),
                    _ => ((object, ty), other),
                };
                let value = self.read_as(from, to.1, span)?;
                return Ok(self.stored(to.0, to.1, value, span));
            }
            "exchange" => return self.exchange(args, span),
            "test_and_set" | "clear" => {
                let arg = self.argument(args, 0, span)?;
                let pointer = self.value(arg)?.expr;
                let bytes = self.program.types.pointer_to(TypeId::BOOL);
                let pointer = self.convert(pointer, bytes);
                let set = rest == "test_and_set";
                let value = self.int_value(i128::from(set), TypeId::BOOL, span);
                return Ok(match set {
                    true => {
                        let args = vec![pointer, value];
                        builtin(Builtin::SyncLockTestAndSet, args, TypeId::BOOL, span)
                    }
                    false => self.stored(pointer, TypeId::BOOL, value, span),
                });
            }
            "thread_fence" | "signal_fence" => return Ok(fence(span)),
            _ => return self.unsupported(span, format!("'{text}'")),
        };
        self.apply(Form::Fetch(op), args, span)
    }

    /// The pointer of an atomic operation and the scalar type that it points to.
    pub(super) fn atomic_pointer(
        &mut self,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<(Expr, TypeId)> {
        let arg = self.argument(args, 0, span)?;
        let pointer = self.value(arg)?.expr;
        match self.types().pointee(pointer.ty) {
            Some(ty) if self.types().is_scalar(ty) => Ok((pointer, ty)),
            _ => self.error(
                arg.span,
                "incompatible type for argument 1 of atomic builtin",
            ),
        }
    }

    pub(super) fn fetch(
        &mut self,
        op: Builtin,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        let (pointer, ty) = self.atomic_pointer(args, span)?;
        let ty = self.types().unqualified(ty);
        let value = self.argument(args, 1, span)?;
        let value = self.value(value)?.expr;
        self.check_scalar(&value, "used where a scalar is required")?;
        let value = self.convert(value, ty);
        Ok(builtin(op, vec![pointer, value], ty, span))
    }

    pub(super) fn compare_and_swap(
        &mut self,
        base: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        let (pointer, ty) = self.atomic_pointer(args, span)?;
        let ty = self.types().unqualified(ty);
        let mut values = vec![pointer];
        for index in 1..3 {
            let value = self.argument(args, index, span)?;
            let value = self.value(value)?.expr;
            self.check_scalar(&value, "used where a scalar is required")?;
            values.push(self.convert(value, ty));
        }
        Ok(if base == "bool_compare_and_swap" {
            builtin(Builtin::SyncBoolCompareAndSwap, values, TypeId::BOOL, span)
        } else {
            builtin(Builtin::SyncValCompareAndSwap, values, ty, span)
        })
    }

    /// A pointer to an object with a size.
    fn any_pointer(
        &mut self,
        args: &[ast::Expr],
        index: usize,
        span: Span,
    ) -> Outcome<(Expr, TypeId)> {
        let arg = self.argument(args, index, span)?;
        let pointer = self.value(arg)?.expr;
        match self.types().pointee(pointer.ty) {
            Some(ty) if self.types().size_of(ty).is_some() => Ok((pointer, ty)),
            _ => {
                let message = format!("argument {} of atomic builtin must point", index + 1);
                self.error(arg.span, message)
            }
        }
    }

    /// The value behind a pointer, as one of this type of the same size.
    fn read_as(&mut self, pointer: Expr, ty: TypeId, span: Span) -> Outcome<Expr> {
        let wanted = self.program.types.pointer_to(ty);
        let pointer = self.convert(pointer, wanted);
        let place = place_at(pointer, ty, span);
        Ok(self.valued(Operand::Place(place, None))?.expr)
    }

    fn stored(&mut self, pointer: Expr, ty: TypeId, value: Expr, span: Span) -> Operand {
        let place = place_at(pointer, ty, span);
        let ty = self.types().unqualified(ty);
        let kind = ExprKind::Assign(Box::new(place), Box::new(value));
        let stored = Expr { kind, ty, span };
        self.convert(stored, TypeId::VOID).into()
    }

    /// `__atomic_exchange(p, from, to, order)`: the operands are scalars, read before anything is
    /// written.
    fn exchange(&mut self, args: &[ast::Expr], span: Span) -> Outcome<Operand> {
        let (pointer, ty) = self.atomic_pointer(args, span)?;
        let ty = self.types().unqualified(ty);
        let (from, from_ty) = self.any_pointer(args, 1, span)?;
        let (to, to_ty) = self.any_pointer(args, 2, span)?;
        let size = self.types().size_of(ty);
        if self.types().size_of(from_ty) != size || self.types().size_of(to_ty) != size {
            return self.error(span, "size mismatch in an argument of atomic builtin");
        }
        let value = self.read_as(from, ty, span)?;
        let swap = ExprKind::Builtin(Builtin::SyncLockTestAndSet, vec![pointer, value]);
        let swap = Expr {
            kind: swap,
            ty,
            span,
        };
        let wanted = self.program.types.pointer_to(ty);
        let to = self.convert(to, wanted);
        Ok(self.stored(to, ty, swap, span))
    }

    /// `__atomic_compare_exchange_n(p, expected, desired, …)`: as a swap whose old value is
    /// compared, and stored to `*expected` if it differs. `indirect`: `desired` is a pointer to it.
    /// On x86 the weak variant is the strong one.
    fn compare_exchange(
        &mut self,
        args: &[ast::Expr],
        indirect: bool,
        span: Span,
    ) -> Outcome<Operand> {
        let (pointer, ty) = self.atomic_pointer(args, span)?;
        let ty = self.types().unqualified(ty);
        if self.types().float_kind(ty).is_some() {
            return self.unsupported(span, "a comparison of a float's bits");
        }
        let expected = self.argument(args, 1, span)?;
        let expected = self.value(expected)?;
        let pointer_type = self.program.types.pointer_to(ty);
        let context = Context::Argument(2, None);
        let expected = self.assigned(expected, pointer_type, context)?;
        let desired = match indirect {
            true => {
                let (from, _) = self.any_pointer(args, 2, span)?;
                self.read_as(from, ty, span)?
            }
            false => {
                let desired = self.argument(args, 2, span)?;
                let desired = self.value(desired)?.expr;
                self.check_scalar(&desired, "used where a scalar is required")?;
                self.convert(desired, ty)
            }
        };
        let (kept, old) = (
            self.new_hidden(pointer_type, span),
            self.new_hidden(ty, span),
        );
        let var = |var, ty| Place {
            kind: PlaceKind::Var(var),
            ty,
            span,
        };
        let load = |place: Place| {
            let ty = place.ty;
            Box::new(Expr {
                kind: ExprKind::Load(Box::new(place)),
                ty,
                span,
            })
        };
        let target = || Place {
            kind: PlaceKind::Deref(load(var(kept, pointer_type))),
            ty,
            span,
        };
        let assign = |place: Place, value: Expr| {
            let ty = place.ty;
            let kind = ExprKind::Assign(Box::new(place), Box::new(value));
            Box::new(Expr { kind, ty, span })
        };
        let comma = |left: Box<Expr>, right: Box<Expr>| {
            let ty = right.ty;
            Box::new(Expr {
                kind: ExprKind::Comma(left, right),
                ty,
                span,
            })
        };
        let swap = vec![pointer, *load(target()), desired];
        let kind = ExprKind::Builtin(Builtin::SyncValCompareAndSwap, swap);
        let swap = Expr { kind, ty, span };
        let equal = ExprKind::Compare(CompareOp::Eq, load(var(old, ty)), load(target()));
        let equal = Box::new(Expr {
            kind: equal,
            ty: TypeId::INT,
            span,
        });
        let number = |value| {
            Box::new(Expr {
                kind: ExprKind::Int(value),
                ty: TypeId::INT,
                span,
            })
        };
        let missed = comma(assign(target(), *load(var(old, ty))), number(0));
        let kind = ExprKind::Conditional(equal, number(1), missed);
        let decided = Box::new(Expr {
            kind,
            ty: TypeId::INT,
            span,
        });
        let swapped = comma(assign(var(old, ty), swap), decided);
        let all = comma(assign(var(kept, pointer_type), expected), swapped);
        Ok(self.convert(*all, TypeId::BOOL).into())
    }
}

fn place_at(pointer: Expr, ty: TypeId, span: Span) -> Place {
    Place {
        kind: PlaceKind::Deref(Box::new(pointer)),
        ty,
        span,
    }
}

/// `_1`, `_2`, … name the size, which the pointer tells too.
fn without_size(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((base, "1" | "2" | "4" | "8" | "16")) => base,
        _ => name,
    }
}
