//! What a library function writes through a pointer, where all that is known about it is its type.
//!
//! Every scalar of the object becomes an input of its own: an execution then says what was written,
//! and can be repeated.

use super::context::Shape;
use super::frame::FunctionLowering;
use cfa::expr::VarId;
use cfa::op::InputKind;
use cfa::value::Ty;
use syntax::ast::RecordKind;
use syntax::span::{Name, Span};
use syntax::types::{ArrayLen, Type, TypeId};

/// Objects of more scalars are written as bytes.
const MAX_SCALARS: usize = 160;

/// A scalar at a distance from where the object begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Scalar {
    offset: u64,
    ty: Ty,
    is_bool: bool,
}

impl FunctionLowering<'_, '_> {
    /// `if (p) *p = anything;` for a pointer to a complete type that is not const.
    pub(super) fn overwrite_pointee(&mut self, param: VarId, ty: TypeId, name: Name, span: Span) {
        let Type::Pointer(pointee) = *self.context.types.shape(ty) else {
            return;
        };
        let (is_const, _) = self.context.types.qualifiers(pointee);
        let Some(layout) = self.context.types.layout_of(pointee) else {
            return;
        };
        if is_const || layout.size == 0 {
            return;
        }
        let target = self.read(param);
        let present = self.context.pool.truth(target);
        let (write, after) = (self.new_node(), self.new_node());
        let exit = super::condition::Exit::plain;
        self.split(present, exit(write), exit(after), span);
        self.enter(write);
        match self.scalars(pointee, layout.size) {
            Some(scalars) => {
                for scalar in scalars {
                    let value = self.temporary(scalar.ty, span);
                    self.havoc(value, InputKind::Library(name), scalar.is_bool, span);
                    let value = self.read(value);
                    let address = self.context.pool.offset(target, scalar.offset.into());
                    self.store(address, value, span);
                }
            }
            None => {
                let pointer = self.context.pointer;
                let size = self.context.pool.integer(layout.size.into(), pointer);
                self.call_model("__concord_any_bytes", &[target, size], span);
            }
        }
        self.go(after, span);
        self.enter(after);
    }

    /// The scalars that an object of the type consists of, with the bytes between them; `None` if
    /// they are too many.
    fn scalars(&self, ty: TypeId, size: u64) -> Option<Vec<Scalar>> {
        let mut found = Vec::new();
        self.collect(ty, 0, &mut found)?;
        found.sort_by_key(|scalar| scalar.offset);
        let mut all = Vec::new();
        let mut end = 0;
        for scalar in found {
            // What overlaps is no object of one of the headers' types.
            if scalar.offset < end {
                return None;
            }
            all.extend(bytes(end, scalar.offset));
            end = scalar.offset + scalar.ty.bytes();
            all.push(scalar);
        }
        all.extend(bytes(end, size));
        (end <= size && all.len() <= MAX_SCALARS).then_some(all)
    }

    fn collect(&self, ty: TypeId, offset: u64, found: &mut Vec<Scalar>) -> Option<()> {
        let types = &self.context.types;
        if found.len() > MAX_SCALARS {
            return None;
        }
        match *types.shape(ty) {
            Type::Array {
                element,
                len: ArrayLen::Fixed(len),
            } => {
                let size = types.layout_of(element)?.size;
                if len > MAX_SCALARS as u64 {
                    return None;
                }
                for index in 0..len {
                    self.collect(element, offset + index * size, found)?;
                }
            }
            Type::Record(id) => {
                let record = types.record(id);
                let layout = record.layout.as_ref()?;
                let first = layout.fields.first().map(|field| field.ty);
                let size_of = |ty| types.layout_of(ty).map(|layout| layout.size);
                let is_union = record.kind == RecordKind::Union;
                if is_union && first.and_then(size_of) == Some(layout.size) {
                    return self.collect(first?, offset, found);
                }
                let has_bits = layout.fields.iter().any(|field| field.bits.is_some());
                if is_union || has_bits {
                    found.extend(words(offset, offset + layout.size));
                    return Some(());
                }
                for field in &layout.fields {
                    self.collect(field.ty, offset + field.offset, found)?;
                }
            }
            _ => {
                let Shape::Scalar(scalar) = self.context.shape(ty) else {
                    return None;
                };
                found.push(Scalar {
                    offset,
                    ty: scalar,
                    is_bool: self.context.is_c_bool(ty),
                });
            }
        }
        Some(())
    }
}

/// Each byte from one offset to another.
fn bytes(from: u64, to: u64) -> impl Iterator<Item = Scalar> {
    (from..to).map(|offset| Scalar {
        offset,
        ty: Ty::U8,
        is_bool: false,
    })
}

/// The same in words of eight bytes, as far as they fit.
fn words(from: u64, to: u64) -> impl Iterator<Item = Scalar> {
    let end = from + (to - from) / 8 * 8;
    let words = (from..end).step_by(8).map(|offset| Scalar {
        offset,
        ty: Ty::U64,
        is_bool: false,
    });
    words.chain(bytes(end, to))
}
