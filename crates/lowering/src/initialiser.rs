//! Flattened initialisers: what no item covers becomes zero, then the items are written in order.

use super::context::Shape;
use super::effects::Effects;
use super::frame::FunctionLowering;
use super::place::container_ty;
use cfa::expr::{ExprId, VarId};
use cfa::memory::RegionId;
use cfa::op::Op;
use cfa::value::Ty;
use syntax::ast::RecordKind;
use syntax::span::Span;
use syntax::typed::{Init, InitItem, InitValue, StringId};
use syntax::types::{ArrayLen, BitField, Type, TypeId};

/// Up to this many cells become zero one by one, in their own width, so that the object's cells
/// keep their widths; beyond it the whole object is filled.
const CELLS_ONE_BY_ONE: usize = 64;

/// A part of an object that becomes zero at once.
#[derive(Clone, Copy, Debug)]
enum Cell {
    Scalar {
        offset: u64,
        ty: Ty,
    },
    /// A union: bytes.
    Bytes {
        offset: u64,
        size: u64,
    },
}

impl Cell {
    fn range(self) -> (u64, u64) {
        match self {
            Cell::Scalar { offset, ty } => (offset, offset + ty.bytes()),
            Cell::Bytes { offset, size } => (offset, offset + size),
        }
    }
}

/// Bit-fields of one container, collected to be written at once.
struct Container {
    offset: u64,
    bits: BitField,
    value: ExprId,
    span: Span,
}

impl<'t> FunctionLowering<'_, 't> {
    pub fn initialise_variable(&mut self, var: VarId, ty: TypeId, init: &'t Init, span: Span) {
        let last = init.items.last().map(|item| &item.value);
        match last {
            Some(InitValue::Expr(value))
                if self.context.shape(value.ty) == self.context.shape(ty) =>
            {
                self.value_into(var, value);
            }
            Some(InitValue::Expr(value)) => {
                let value = self.value(value);
                let value = self.convert_to(value, ty);
                self.emit(Op::Assign(var, value), span);
            }
            _ => {
                let zero = self.context.pool.zero(self.context.vars[var.0 as usize].ty);
                self.emit(Op::Assign(var, zero), span);
            }
        }
    }

    /// Writes the initialiser to an object; `zeroed` says that its bytes are zero already.
    pub fn initialise_object(
        &mut self,
        address: ExprId,
        ty: TypeId,
        init: &'t Init,
        zeroed: bool,
        span: Span,
    ) {
        let zeroed = zeroed || init.whole || self.zero_uncovered(address, ty, init, span);
        let mut pending: Option<Container> = None;
        let mut end = 0;
        for item in &init.items {
            let in_order = item.offset >= end;
            let target = self.context.pool.offset(address, item.offset.into());
            if !self.joins(&pending, item) {
                self.flush(address, pending.take());
            }
            match (&item.value, item.bits) {
                (InitValue::String { string, length }, _) => {
                    self.write_string(target, *string, *length, zeroed && in_order, span);
                    end = end.max(item.offset + length);
                }
                (InitValue::Expr(value), Some(bits)) => {
                    let number = self.value(value);
                    let behind = item.offset + u64::from(bits.container_bytes);
                    let old = match pending.take() {
                        Some(container) => container.value,
                        None if in_order => self.context.pool.zero(container_ty(bits)),
                        None => {
                            // It shares bytes with a container that is written already.
                            for byte in end..behind {
                                let place = self.context.pool.offset(address, byte.into());
                                let zero = self.context.pool.zero(Ty::U8);
                                self.store(place, zero, value.span);
                            }
                            let ty = container_ty(bits);
                            self.context.pool.load(RegionId::WHOLE, target, ty)
                        }
                    };
                    end = end.max(behind);
                    let new = self.replace_bits(old, number, bits);
                    let span = value.span;
                    pending = Some(Container {
                        offset: item.offset,
                        bits,
                        value: new,
                        span,
                    });
                }
                (InitValue::Expr(value), None) => match self.context.shape(value.ty) {
                    Shape::Scalar(ty) => {
                        let number = self.value(value);
                        let is_zero = self.context.pool.as_constant(number) == Some(0);
                        if !(is_zero && zeroed && in_order && !init.whole) {
                            self.store(target, number, value.span);
                        }
                        end = end.max(item.offset + ty.bytes());
                    }
                    Shape::Record { size, .. } => {
                        let source = self.value(value);
                        self.copy(target, source, size, value.span);
                        end = end.max(item.offset + size);
                    }
                    Shape::Void => self.effect(value),
                },
            }
        }
        self.flush(address, pending);
    }

    /// Whether an item is a bit-field of the pending container and may be evaluated before that is
    /// written.
    fn joins(&self, pending: &Option<Container>, item: &InitItem) -> bool {
        match (pending, item.bits, &item.value) {
            (Some(container), Some(bits), InitValue::Expr(value)) => {
                container.offset == item.offset
                    && container.bits.container_bytes == bits.container_bytes
                    && Effects::of(self.context, value).is_none()
            }
            _ => false,
        }
    }

    fn flush(&mut self, address: ExprId, pending: Option<Container>) {
        if let Some(Container {
            offset,
            value,
            span,
            ..
        }) = pending
        {
            let target = self.context.pool.offset(address, offset.into());
            self.store(target, value, span);
        }
    }

    /// The units of a string, as far as `length` bytes reach.
    pub fn write_string(
        &mut self,
        target: ExprId,
        string: StringId,
        length: u64,
        zeroed: bool,
        span: Span,
    ) {
        let literal = &self.context.typed.strings[string.0 as usize];
        let unit = usize::from(literal.unit_bytes.max(1));
        let ty = Ty::unsigned(unit as u16 * 8);
        let length = literal.bytes.len().min(length as usize);
        for (index, bytes) in literal.bytes[..length].chunks_exact(unit).enumerate() {
            let value = bytes
                .iter()
                .rev()
                .fold(0u128, |sum, &byte| sum << 8 | u128::from(byte));
            if value == 0 && zeroed {
                continue;
            }
            let value = self.context.pool.constant(value, ty);
            let address = self.context.pool.offset(target, (index * unit) as i128);
            self.store(address, value, span);
        }
    }

    /// Makes zero what the items leave out; true if it was simpler to make all of it zero.
    fn zero_uncovered(&mut self, address: ExprId, ty: TypeId, init: &Init, span: Span) -> bool {
        let Some(size) = self.context.types.size_of(ty) else {
            return false;
        };
        let covered = self.covered(init);
        if covered == [(0, size)] || size == 0 {
            return false;
        }
        let is_covered = |(start, end): (u64, u64)| {
            let index = covered.partition_point(|&(_, other)| other < end);
            covered.get(index).is_some_and(|&(other, _)| other <= start)
        };
        let mut cells = Vec::new();
        if !self.cells_of(ty, 0, &mut cells) {
            self.fill_with_zero(address, size, span);
            return true;
        }
        for cell in cells {
            if is_covered(cell.range()) {
                continue;
            }
            let target = self.context.pool.offset(address, cell.range().0.into());
            match cell {
                Cell::Scalar { ty, .. } => {
                    let zero = self.context.pool.zero(ty);
                    self.store(target, zero, span);
                }
                Cell::Bytes { size, .. } => self.fill_with_zero(target, size, span),
            }
        }
        false
    }

    fn fill_with_zero(&mut self, target: ExprId, size: u64, span: Span) {
        let byte = self.context.pool.zero(Ty::U8);
        let pool = &mut self.context.pool;
        let size = pool.constant(size.into(), self.context.pointer);
        self.fill(target, byte, size, span);
    }

    /// The byte ranges that items write, sorted and joined.
    fn covered(&self, init: &Init) -> Vec<(u64, u64)> {
        let mut ranges: Vec<(u64, u64)> = Vec::with_capacity(init.items.len());
        for item in &init.items {
            let length = match &item.value {
                InitValue::Expr(value) => match item.bits {
                    Some(bits) => bits.container_bytes.into(),
                    None => self.bytes_of(value.ty),
                },
                InitValue::String { string, length } => {
                    let bytes = self.context.typed.strings[string.0 as usize].bytes.len() as u64;
                    bytes.min(*length)
                }
            };
            ranges.push((item.offset, item.offset + length));
        }
        ranges.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (start, end) in ranges {
            match joined.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => joined.push((start, end)),
            }
        }
        joined
    }

    /// Bytes that a value of the type writes.
    fn bytes_of(&self, ty: TypeId) -> u64 {
        match self.context.shape(ty) {
            Shape::Scalar(ty) => ty.bytes(),
            Shape::Record { size, .. } => size,
            Shape::Void => 0,
        }
    }

    /// The cells of a type in their own widths; false if they are too many.
    fn cells_of(&self, ty: TypeId, offset: u64, cells: &mut Vec<Cell>) -> bool {
        if cells.len() > CELLS_ONE_BY_ONE {
            return false;
        }
        match self.context.types.shape(ty) {
            Type::Array {
                element,
                len: ArrayLen::Fixed(count),
            } => {
                if *count > CELLS_ONE_BY_ONE as u64 {
                    return false;
                }
                let size = self.context.types.size_of(*element).unwrap_or(0);
                (0..*count).all(|index| self.cells_of(*element, offset + index * size, cells))
            }
            Type::Array { .. } => true,
            Type::Record(id) => {
                let record = self.context.types.record(*id);
                let Some(layout) = &record.layout else {
                    return true;
                };
                if record.kind == RecordKind::Union {
                    cells.push(Cell::Bytes {
                        offset,
                        size: layout.size,
                    });
                    return true;
                }
                let mut container = None;
                layout.fields.iter().all(|field| match field.bits {
                    Some(bits) => {
                        if container.replace(field.offset) != Some(field.offset) && bits.width > 0 {
                            let ty = container_ty(bits);
                            cells.push(Cell::Scalar {
                                offset: offset + field.offset,
                                ty,
                            });
                        }
                        true
                    }
                    None => self.cells_of(field.ty, offset + field.offset, cells),
                })
            }
            _ => {
                if let Shape::Scalar(ty) = self.context.shape(ty) {
                    cells.push(Cell::Scalar { offset, ty });
                } else if let Shape::Record { size, .. } = self.context.shape(ty) {
                    cells.push(Cell::Bytes { offset, size });
                }
                true
            }
        }
    }
}
