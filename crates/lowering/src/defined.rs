//! What C asks of an expression so that it has a value, found on the typed tree: the lowered
//! expression is simplified, and what is the same either way is forgotten there
//! (`(int)1e30 == (int)1e30`, `1u << 40`).
//!
//! Signed overflow, division and loads survive simplification and are found in the lowered
//! expression ([`crate::undefined`]).

use super::context::Home;
use super::frame::FunctionLowering;
use super::scoped::Claim;
use crate::initialised::Part;
use crate::undefined;
use cfa::expr::{ExprId, ExprPool};
use std::ops::Range;
use syntax::typed::{
    BinaryOp, Builtin, Callee, CompareOp, ElementSize, Expr, ExprKind, Place, PlaceKind, UnaryOp,
    VarId,
};
use syntax::types::Type;

/// What an expression needs to have a value.
#[derive(Default)]
pub(super) struct Definedness {
    /// It has none where one of these holds.
    pub without_value: Vec<ExprId>,
    /// The variables that it reads, and the bytes of those in memory; all of them where that
    /// depends on an index.
    pub reads: Vec<(Home, Option<Range<u64>>)>,
    /// A part of which nobody checks whether it has a value.
    pub unclear: Option<&'static str>,
    /// It names a function as a value.
    pub names_function: bool,
}

const ARITHMETIC: &str = "computes with pointers";
pub(super) const GUARDED: &str = "reads memory under a condition";
const ORDER: &str = "orders pointers";

impl Definedness {
    pub fn of<'t>(lowering: &mut FunctionLowering<'_, 't>, expr: &'t Expr) -> Definedness {
        let mut found = Definedness::default();
        found.value(lowering, expr, None);
        found
    }

    /// The expression has a value, and is true.
    pub fn and_true<'t>(&self, lowering: &mut FunctionLowering<'_, 't>, expr: &'t Expr) -> ExprId {
        let lacks_value = self.lacks_value(&mut lowering.context.pool);
        let has_value = lowering.context.pool.not(lacks_value);
        let holds = lowering.truth(expr);
        lowering.context.pool.and(has_value, holds)
    }

    fn lacks_value(&self, pool: &mut ExprPool) -> ExprId {
        let mut any = pool.bool_constant(false);
        for &when in &self.without_value {
            any = pool.or(any, when);
        }
        any
    }

    pub fn claim(self, pool: &mut ExprPool, condition: ExprId) -> Claim {
        let lacks_value = self.lacks_value(pool);
        let (mut vars, mut objects) = (Vec::new(), Vec::new());
        for (home, bytes) in self.reads {
            match home {
                Home::Variable(var) => vars.push(var),
                Home::Object(object) | Home::Allocated { object, .. } => {
                    objects.push(Part { object, bytes });
                }
            }
        }
        Claim {
            condition,
            lacks_value,
            vars,
            objects,
            unclear: self.unclear,
        }
    }

    fn note<'t>(
        &mut self,
        lowering: &mut FunctionLowering<'_, 't>,
        guard: Option<ExprId>,
        when: ExprId,
    ) {
        let when = match guard {
            Some(guard) => {
                let when = lowering.guarded(when, guard);
                lowering.context.pool.and(guard, when)
            }
            None => when,
        };
        if lowering.context.pool.as_bool(when) != Some(false) {
            self.without_value.push(when);
        }
    }

    /// The guard of what is evaluated only where the condition has this truth.
    fn under<'t>(
        lowering: &mut FunctionLowering<'_, 't>,
        guard: Option<ExprId>,
        condition: &'t Expr,
        truth: bool,
    ) -> Option<ExprId> {
        let mut holds = lowering.truth(condition);
        if !truth {
            holds = lowering.context.pool.not(holds);
        }
        Some(match guard {
            Some(guard) => {
                let holds = lowering.guarded(holds, guard);
                lowering.context.pool.and(guard, holds)
            }
            None => holds,
        })
    }

    fn value<'t>(
        &mut self,
        lowering: &mut FunctionLowering<'_, 't>,
        expr: &'t Expr,
        guard: Option<ExprId>,
    ) {
        match &expr.kind {
            ExprKind::FunctionAddress(_) => self.names_function = true,
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::VlaSize { .. } => {}
            ExprKind::Load(place) => {
                self.read(lowering, place);
                self.place(lowering, place, guard);
            }
            ExprKind::AddressOf(place) => {
                if has_offset(place) {
                    self.unclear.get_or_insert(ARITHMETIC);
                }
                self.place(lowering, place, guard);
            }
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::BitNot | UnaryOp::Not, a) => {
                self.value(lowering, a, guard);
            }
            ExprKind::Convert(a) => {
                self.value(lowering, a, guard);
                let (from, to) = (
                    lowering.context.value_ty(a.ty),
                    lowering.context.value_ty(expr.ty),
                );
                if from.is_float() && to.is_int() && !lowering.context.is_c_bool(expr.ty) {
                    let value = lowering.value(a);
                    let beyond = undefined::beyond_range(&mut lowering.context.pool, value, to);
                    self.note(lowering, guard, beyond);
                }
            }
            ExprKind::Binary(op, a, b) => {
                self.value(lowering, a, guard);
                self.value(lowering, b, guard);
                // Division of integers is found in the lowered expression.
                if *op == BinaryOp::Div && lowering.context.value_ty(b.ty).is_float() {
                    let divisor = lowering.value(b);
                    let pool = &mut lowering.context.pool;
                    let zero = pool.zero(pool.ty(divisor));
                    let is_zero = pool.eq(divisor, zero);
                    self.note(lowering, guard, is_zero);
                }
                if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
                    let width = lowering.context.value_ty(a.ty).width();
                    let count = lowering.value(b);
                    let too_far = undefined::too_far(&mut lowering.context.pool, width, count);
                    self.note(lowering, guard, too_far);
                }
            }
            ExprKind::Compare(op, a, b) => {
                let orders = !matches!(op, CompareOp::Eq | CompareOp::Ne);
                if orders && lowering.context.typed.types.is_pointer(a.ty) {
                    self.unclear.get_or_insert(ORDER);
                }
                self.value(lowering, a, guard);
                self.value(lowering, b, guard);
            }
            ExprKind::Comma(a, b) => {
                self.value(lowering, a, guard);
                self.value(lowering, b, guard);
            }
            ExprKind::And(a, b) => {
                self.value(lowering, a, guard);
                let behind = Self::under(lowering, guard, a, true);
                self.value(lowering, b, behind);
            }
            ExprKind::Or(a, b)
            | ExprKind::Elvis {
                value: a,
                otherwise: b,
            } => {
                self.value(lowering, a, guard);
                let behind = Self::under(lowering, guard, a, false);
                self.value(lowering, b, behind);
            }
            ExprKind::Conditional(test, yes, no) => {
                self.value(lowering, test, guard);
                for (part, truth) in [(yes, true), (no, false)] {
                    let behind = Self::under(lowering, guard, test, truth);
                    self.value(lowering, part, behind);
                }
            }
            ExprKind::PointerOffset { pointer, index, .. } => {
                self.unclear.get_or_insert(ARITHMETIC);
                self.value(lowering, pointer, guard);
                self.value(lowering, index, guard);
            }
            ExprKind::PointerDifference { left, right, .. } => {
                self.unclear.get_or_insert(ARITHMETIC);
                self.value(lowering, left, guard);
                self.value(lowering, right, guard);
            }
            ExprKind::Builtin(builtin, args) => {
                for arg in args {
                    self.value(lowering, arg, guard);
                }
                if let (Builtin::Clz | Builtin::Ctz, [arg]) = (builtin, args.as_slice()) {
                    let value = lowering.value(arg);
                    let pool = &mut lowering.context.pool;
                    let zero = pool.zero(pool.ty(value));
                    let is_zero = pool.eq(value, zero);
                    self.note(lowering, guard, is_zero);
                }
            }
            ExprKind::Call { callee, args } => {
                if let Callee::Pointer(pointer) = callee {
                    self.value(lowering, pointer, guard);
                }
                for arg in args {
                    self.value(lowering, arg, guard);
                }
            }
            // They have effects, and are no part of what is read here.
            ExprKind::Assign(..)
            | ExprKind::CompoundAssign { .. }
            | ExprKind::CompoundPointer { .. }
            | ExprKind::IncDec { .. }
            | ExprKind::Statements(_)
            | ExprKind::VaArg(_) => {}
        }
    }

    /// The parts of a place. Whether an offset leaves the object is checked where the place is
    /// read.
    fn place<'t>(
        &mut self,
        lowering: &mut FunctionLowering<'_, 't>,
        place: &'t Place,
        guard: Option<ExprId>,
    ) {
        match &place.kind {
            PlaceKind::Deref(pointer) => self.pointer(lowering, pointer, guard),
            PlaceKind::Field { base, .. } => self.place(lowering, base, guard),
            PlaceKind::Temporary(value) => self.value(lowering, value, guard),
            PlaceKind::Var(_) | PlaceKind::String(_) | PlaceKind::CompoundLiteral { .. } => {}
        }
    }

    fn pointer<'t>(
        &mut self,
        lowering: &mut FunctionLowering<'_, 't>,
        expr: &'t Expr,
        guard: Option<ExprId>,
    ) {
        match &expr.kind {
            ExprKind::PointerOffset { pointer, index, .. } => {
                self.pointer(lowering, pointer, guard);
                self.value(lowering, index, guard);
            }
            ExprKind::AddressOf(place) => self.place(lowering, place, guard),
            ExprKind::Convert(inner) => self.pointer(lowering, inner, guard),
            _ => self.value(lowering, expr, guard),
        }
    }

    fn read(&mut self, lowering: &FunctionLowering<'_, '_>, place: &Place) {
        if let Some((var, bytes)) = part(lowering, place) {
            let home = lowering.context.known_home(var);
            self.reads.extend(home.map(|home| (home, bytes)));
        }
    }
}

/// The variable that a place is part of, and its bytes there.
fn part(lowering: &FunctionLowering<'_, '_>, place: &Place) -> Option<(VarId, Option<Range<u64>>)> {
    let types = &lowering.context.typed.types;
    let layout = types.layout_of(place.ty);
    let within = |from: Option<u64>| {
        let (from, size) = (from?, layout?.size);
        Some(from..from.checked_add(size)?)
    };
    match &place.kind {
        PlaceKind::Var(var) => Some((*var, within(Some(0)))),
        PlaceKind::Field { base, field } => {
            let (var, base_bytes) = part(lowering, base)?;
            let offset = match types.shape(base.ty) {
                Type::Record(id) => types.record(*id).layout.as_ref().and_then(|layout| {
                    let field = layout.fields.get(*field as usize);
                    field.map(|field| field.offset)
                }),
                _ => None,
            };
            let from = base_bytes.and_then(|bytes| bytes.start.checked_add(offset?));
            Some((var, within(from)))
        }
        PlaceKind::Deref(pointer) => {
            let (var, from) = pointed_at(lowering, pointer)?;
            Some((var, within(from)))
        }
        _ => None,
    }
}

/// The variable that a pointer points into, and how far from its start.
fn pointed_at(lowering: &FunctionLowering<'_, '_>, pointer: &Expr) -> Option<(VarId, Option<u64>)> {
    match &pointer.kind {
        ExprKind::AddressOf(place) => {
            let (var, bytes) = part(lowering, place)?;
            Some((var, bytes.map(|bytes| bytes.start)))
        }
        ExprKind::Convert(pointer) => pointed_at(lowering, pointer),
        ExprKind::PointerOffset {
            pointer,
            index,
            element,
            subtract,
        } => {
            let (var, from) = pointed_at(lowering, pointer)?;
            let by = match (element, constant(index)) {
                (ElementSize::Bytes(size), Some(index)) => index.checked_mul(*size),
                _ => None,
            };
            let moved = from.zip(by).and_then(|(from, by)| match subtract {
                true => from.checked_sub(by),
                false => from.checked_add(by),
            });
            Some((var, moved))
        }
        _ => None,
    }
}

/// The constant that an expression is written as; negative ones are none.
fn constant(expr: &Expr) -> Option<u64> {
    match &expr.kind {
        ExprKind::Int(value) => u64::try_from(*value).ok(),
        ExprKind::Convert(inner) => constant(inner),
        _ => None,
    }
}

/// Is the place reached by counting from another?
fn has_offset(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Field { base, .. } => has_offset(base),
        PlaceKind::Deref(pointer) => !matches!(pointer.kind, ExprKind::Load(_)),
        _ => false,
    }
}
