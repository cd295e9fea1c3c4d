//! Reads of volatile objects.
//!
//! What is volatile can change from outside: a device, a signal handler or another thread may write
//! it. By default that is assumed not to happen, and the assumption is recorded; with
//! [`LowerOptions::volatile_any`] each read takes an input. So does a read of a device's register,
//! at a constant address that [`LowerOptions::registers`] names.
//!
//! [`LowerOptions::volatile_any`]: super::LowerOptions::volatile_any
//! [`LowerOptions::registers`]: super::LowerOptions::registers

use super::context::{Context, Shape};
use super::frame::FunctionLowering;
use super::place::{Target, Where, field_ty};
use cfa::expr::ExprId;
use cfa::op::{InputKind, Op};
use cfa::value::Ty;
use syntax::span::Span;
use syntax::types::{Type, TypeId};

/// The assumption by default.
const ORDINARY: &str = "volatile objects are ordinary memory that only the program changes (use --volatile any to let every read return any value)";

impl Context<'_> {
    fn is_volatile(&self, ty: TypeId) -> bool {
        self.types.qualifiers(ty).1
    }

    /// Is it volatile, or does a part of the record or array belong to what is?
    pub fn has_volatile_parts(&self, ty: TypeId) -> bool {
        if self.is_volatile(ty) {
            return true;
        }
        match self.types.shape(ty) {
            Type::Record(id) => {
                let layout = self.types.record(*id).layout.as_ref();
                let fields = layout.map_or(&[][..], |layout| &layout.fields);
                fields.iter().any(|field| self.has_volatile_parts(field.ty))
            }
            Type::Array { element, .. } => self.has_volatile_parts(*element),
            _ => false,
        }
    }

    /// Whether reading a place of the type takes an input.
    pub fn reads_any_value(&self, ty: TypeId) -> bool {
        self.options.volatile_any && self.has_volatile_parts(ty)
    }
}

impl FunctionLowering<'_, '_> {
    /// What a read of the place gives; of a record its address.
    pub fn load(&mut self, target: Target, span: Span) -> ExprId {
        let stored = self.held(target);
        if self.frame.guards.is_none() && self.is_register(target) {
            let Shape::Scalar(ty) = self.context.shape(target.ty) else {
                self.unsupported("a copy of a record or an array of registers", span);
                return stored;
            };
            return self.read_from_outside(target, ty, stored, span);
        }
        // Statements about a state, given as text, are about what memory holds.
        if self.frame.guards.is_some() || !self.context.has_volatile_parts(target.ty) {
            return stored;
        }
        if !self.context.options.volatile_any {
            self.context.assume(ORDINARY.to_owned(), span);
            return stored;
        }
        let Shape::Scalar(ty) = self.context.shape(target.ty) else {
            self.unsupported(
                "a copy of a volatile record or array, with --volatile any",
                span,
            );
            return stored;
        };
        self.read_from_outside(target, ty, stored, span)
    }

    fn read_from_outside(&mut self, target: Target, ty: Ty, stored: ExprId, span: Span) -> ExprId {
        let any = self.temporary(ty, span);
        let is_bool = self.context.is_c_bool(target.ty);
        // A number as an address is a device's register: no object lies there, and yet the read
        // does not fail.
        let is_register = matches!(target.place, Where::Memory(address)
            if self.context.pool.as_constant(address).is_some());
        let may_be_pointer = ty.is_int() && ty.width() >= self.context.pointer.width();
        let name = "a volatile object".to_owned();
        if !is_register {
            // The read itself may end the execution.
            self.emit(Op::Assign(any, stored), span);
        }
        if may_be_pointer && !is_register {
            // It may be unchanged: then it points to where it did.
            let (changes, other) = (self.temporary(Ty::U8, span), self.temporary(ty, span));
            self.havoc(changes, InputKind::Volatile(name.clone()), true, span);
            self.havoc(other, InputKind::Volatile(name), is_bool, span);
            let (changes, other, old) = (self.read(changes), self.read(other), self.read(any));
            let pool = &mut self.context.pool;
            let changes = pool.truth(changes);
            let value = pool.ite(changes, other, old);
            self.emit(Op::Assign(any, value), span);
            if matches!(self.context.types.shape(target.ty), Type::Pointer(_)) {
                let text = "a volatile pointer that changes points to no object of the program";
                self.context.assume(text.to_owned(), span);
            }
        } else {
            self.havoc(any, InputKind::Volatile(name), is_bool, span);
        }
        let value = self.read(any);
        match target.bits {
            None => value,
            Some(bits) => {
                let pool = &mut self.context.pool;
                let field = pool.convert(value, field_ty(bits, ty));
                pool.convert(field, ty)
            }
        }
    }

    /// Is it the write of a device's register? It changes no object.
    pub fn is_register_write(&self, target: Target, address: ExprId) -> bool {
        let is_constant = self.context.pool.as_constant(address).is_some();
        is_constant && (self.context.reads_any_value(target.ty) || self.is_register(target))
    }

    /// Do all bytes of the place lie at addresses that belong to a device?
    fn is_register(&self, target: Target) -> bool {
        let Where::Memory(address) = target.place else {
            return false;
        };
        let size = match (target.bits, self.context.shape(target.ty)) {
            (Some(bits), _) => bits.container_bytes.into(),
            (None, Shape::Scalar(ty)) => ty.bytes(),
            (None, Shape::Record { size, .. }) => size,
            (None, Shape::Void) => return false,
        };
        let first = self.context.pool.as_constant(address);
        let first = first.and_then(|first| u64::try_from(first).ok());
        let Some((first, last)) = first.and_then(|first| Some((first, first.checked_add(size)?)))
        else {
            return false;
        };
        let registers = self.context.options.registers.iter();
        let mut around = registers.filter(|(low, high)| *low <= first && last - 1 <= *high);
        size > 0 && around.next().is_some()
    }
}
