//! Places: where lvalues are, and how they are read and written.
//!
//! A bit-field is read by loading its container and shifting; it is written by reading the
//! container, replacing the field's bits and storing the container back.

use super::context::{Home, Shape};
use super::frame::FunctionLowering;
use arith::int;
use cfa::expr::{BinOp, ExprId, VarId};
use cfa::memory::RegionId;
use cfa::op::Op;
use cfa::value::Ty;
use syntax::span::Span;
use syntax::typed::{Expr, ExprKind, Place, PlaceKind};
use syntax::types::{BitField, Type, TypeId};

/// The name of an object that lives as long as an expression is evaluated.
pub const TEMPORARY_VALUE: &str = "value of an expression";

#[derive(Clone, Copy, Debug)]
pub(crate) enum Where {
    Variable(VarId),
    Memory(ExprId),
}

/// A place whose address has been evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub place: Where,
    pub bits: Option<BitField>,
    pub ty: TypeId,
}

impl<'t> FunctionLowering<'_, 't> {
    pub fn place(&mut self, place: &'t Place) -> Target {
        let ty = place.ty;
        let memory = |address| Target {
            place: Where::Memory(address),
            bits: None,
            ty,
        };
        match &place.kind {
            PlaceKind::Var(id) => match self.home(*id) {
                Home::Variable(var) => Target {
                    place: Where::Variable(var),
                    bits: None,
                    ty,
                },
                Home::Object(object) => memory(self.context.object_address(object)),
                Home::Allocated { pointer, .. } => memory(self.read(pointer)),
            },
            PlaceKind::Deref(pointer) => memory(self.value(pointer)),
            PlaceKind::Field { base, field } => {
                let base_ty = base.ty;
                let base = self.place(base);
                let (offset, bits) = self.field(base_ty, *field);
                let address = match base.place {
                    Where::Memory(address) => address,
                    // Records are never variables.
                    Where::Variable(var) => self.read(var),
                };
                let address = self.context.pool.offset(address, offset.into());
                Target {
                    place: Where::Memory(address),
                    bits,
                    ty,
                }
            }
            PlaceKind::String(id) => {
                let object = self.context.string_object(*id);
                memory(self.context.object_address(object))
            }
            PlaceKind::CompoundLiteral { var, init } => match self.home(*var) {
                Home::Variable(id) => {
                    self.initialise_variable(id, ty, init, place.span);
                    Target {
                        place: Where::Variable(id),
                        bits: None,
                        ty,
                    }
                }
                Home::Object(object) => {
                    let address = self.context.object_address(object);
                    // At file scope the object is initialised with the other globals.
                    if !self.context.is_static(*var) {
                        self.initialise_object(address, ty, init, false, place.span);
                    }
                    memory(address)
                }
                Home::Allocated { pointer, .. } => memory(self.read(pointer)),
            },
            PlaceKind::Temporary(value) => {
                if is_statements(value) && self.holds_array(ty) {
                    // Of a variable gcc's code takes the variable itself.
                    let what = "an array in the value of a statement expression";
                    self.unsupported(what, place.span);
                }
                let address = self.value(value);
                match is_new_value(value) && self.holds_array(ty) {
                    true => memory(self.temporary_object(address, ty, place.span)),
                    false => memory(address),
                }
            }
        }
    }

    /// Where the value of a record lies while its expression is evaluated. An array in it has an
    /// address, which may be kept and must not be that of the variable that the value was read
    /// from (C11 6.2.4).
    fn temporary_object(&mut self, address: ExprId, ty: TypeId, span: Span) -> ExprId {
        let Shape::Record { size, align } = self.context.shape(ty) else {
            return address;
        };
        let object = self.hidden_object(TEMPORARY_VALUE, size, align, Some(ty), span);
        let target = self.context.object_address(object);
        self.copy(target, address, size, span);
        target
    }

    fn holds_array(&self, ty: TypeId) -> bool {
        match self.context.types.shape(ty) {
            Type::Array { .. } => true,
            Type::Record(id) => {
                let layout = self.context.types.record(*id).layout.as_ref();
                layout.is_some_and(|layout| {
                    let mut fields = layout.fields.iter();
                    fields.any(|field| self.holds_array(field.ty))
                })
            }
            _ => false,
        }
    }

    /// Offset and bits of a record's field.
    fn field(&self, record: TypeId, field: u32) -> (u64, Option<BitField>) {
        if let Type::Record(id) = self.context.types.shape(record)
            && let Some(layout) = &self.context.types.record(*id).layout
            && let Some(field) = layout.fields.get(field as usize)
        {
            return (field.offset, field.bits);
        }
        (0, None)
    }

    /// The value that lies there; of a record its address.
    pub fn held(&mut self, target: Target) -> ExprId {
        let address = match target.place {
            Where::Variable(var) => return self.read(var),
            Where::Memory(address) => address,
        };
        let ty = match self.context.shape(target.ty) {
            Shape::Scalar(ty) => ty,
            Shape::Record { .. } => return address,
            Shape::Void => return self.nothing(),
        };
        let pool = &mut self.context.pool;
        match target.bits {
            None => pool.load(RegionId::WHOLE, address, ty),
            Some(bits) => {
                let container_ty = container_ty(bits);
                let container = pool.load(RegionId::WHOLE, address, container_ty);
                let shift = pool.integer(bits.shift.into(), Ty::I32);
                let low = pool.binary(BinOp::Shr, container, shift);
                let field = pool.convert(low, field_ty(bits, ty));
                pool.convert(field, ty)
            }
        }
    }

    /// Writes a scalar of the place's type. If the value is wanted, what is returned is the place's
    /// value afterwards and does not depend on memory.
    pub fn write(&mut self, target: Target, value: ExprId, wanted: bool, span: Span) -> ExprId {
        let address = match target.place {
            Where::Variable(var) => {
                self.emit(Op::Assign(var, value), span);
                return self.read(var);
            }
            Where::Memory(address) => address,
        };
        let mut value = value;
        if self.is_register_write(target, address) {
            return self.save(value, span);
        }
        if wanted && self.context.pool.reads_memory(value) {
            value = self.save(value, span);
        }
        let Some(bits) = target.bits else {
            self.store(address, value, span);
            return value;
        };
        let pool = &mut self.context.pool;
        let (container_ty, field_ty) = (container_ty(bits), field_ty(bits, pool.ty(value)));
        let old = pool.load(RegionId::WHOLE, address, container_ty);
        let new = self.replace_bits(old, value, bits);
        self.store(address, new, span);
        let pool = &mut self.context.pool;
        let kept = pool.convert(value, field_ty);
        pool.convert(kept, pool.ty(value))
    }

    /// The container with the field's bits replaced.
    pub fn replace_bits(&mut self, container: ExprId, value: ExprId, bits: BitField) -> ExprId {
        let pool = &mut self.context.pool;
        let ty = container_ty(bits);
        let mask = int::mask(bits.width.into()) << bits.shift;
        let field = pool.convert(value, Ty::unsigned(bits.width.into()));
        let field = pool.convert(field, ty);
        let shift = pool.integer(bits.shift.into(), Ty::I32);
        let field = pool.binary(BinOp::Shl, field, shift);
        if mask == int::mask(ty.width().into()) {
            return field;
        }
        let others = pool.constant(!mask, ty);
        let kept = pool.binary(BinOp::And, container, others);
        pool.binary(BinOp::Or, kept, field)
    }
}

/// Whether gcc's code keeps the value of a record apart from variables. In an assignment, and behind
/// a comma, it takes the variable itself.
fn is_new_value(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Conditional(..) | ExprKind::Call { .. } => true,
        ExprKind::Comma(_, last) => is_new_value(last),
        _ => false,
    }
}

fn is_statements(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Statements(_) => true,
        ExprKind::Comma(_, last) => is_statements(last),
        _ => false,
    }
}

pub(crate) fn container_ty(bits: BitField) -> Ty {
    Ty::unsigned(u16::from(bits.container_bytes) * 8)
}

pub(super) fn field_ty(bits: BitField, declared: Ty) -> Ty {
    Ty::Int {
        width: bits.width.into(),
        signed: declared.is_signed(),
    }
}
