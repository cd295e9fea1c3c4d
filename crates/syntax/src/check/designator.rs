//! Which part of an aggregate an item of an initialiser is for: the one that its designator names,
//! or the next.

use super::initializer::{Cursor, Part};
use super::{Checker, Outcome};
use crate::ast::{self, Designator};
use crate::types::{ArrayLen, Type, TypeId};

/// The most elements that a range may repeat its value for.
const LARGEST_RANGE: u64 = 1 << 22;

impl Checker<'_> {
    /// Positions that a designator means in the aggregate; the cursor moves past it unless it has
    /// to be followed into an anonymous member.
    pub(super) fn designated<'a>(
        &mut self,
        shape: &Type,
        ty: TypeId,
        designator: &'a Designator,
        rest: &'a [Designator],
        cursor: &mut Cursor<'a>,
    ) -> Outcome<(u64, u64)> {
        match (shape, designator) {
            (Type::Record(id), Designator::Field(field)) => {
                let mut path = Vec::new();
                if !self.find_member(*id, field.name, &mut path) {
                    let message = format!(
                        "'{}' has no member named '{}'",
                        self.show(ty),
                        self.text(field.name)
                    );
                    return self.error(field.span, message);
                }
                if path.len() == 1 {
                    cursor.path = rest;
                }
                let position = u64::from(path[0]);
                Ok((position, position))
            }
            (Type::Array { len, .. }, Designator::Index(index)) => {
                cursor.path = rest;
                let position = self.array_index(index, len)?;
                Ok((position, position))
            }
            (Type::Array { len, .. }, Designator::Range(low, high)) => {
                cursor.path = rest;
                let (first, last) = (self.array_index(low, len)?, self.array_index(high, len)?);
                if first > last {
                    return self.error(low.span, "empty index range in initializer");
                }
                if last - first >= LARGEST_RANGE {
                    return self
                        .unsupported(low.span, "a range designator of millions of elements");
                }
                Ok((first, last))
            }
            (Type::Array { .. }, Designator::Field(field)) => {
                self.error(field.span, "field name not in record or union initializer")
            }
            (_, Designator::Index(index) | Designator::Range(index, _)) => {
                self.error(index.span, "array index in non-array initializer")
            }
            (_, Designator::Field(field)) => {
                self.error(field.span, "field name in initializer of a scalar")
            }
        }
    }

    pub(super) fn array_index(&mut self, index: &ast::Expr, len: &ArrayLen) -> Outcome<u64> {
        let value = self.integer_constant(index, "array index in initializer")?;
        let Ok(value) = u64::try_from(value) else {
            return self.error(index.span, "array index in initializer is negative");
        };
        match len {
            ArrayLen::Fixed(count) if value >= *count => self.error(
                index.span,
                "array index in initializer exceeds array bounds",
            ),
            _ => Ok(value),
        }
    }

    /// The position that comes next without a designator.
    pub(super) fn undesignated(&self, shape: &Type, next: u64) -> Option<u64> {
        match shape {
            Type::Array {
                len: ArrayLen::Fixed(count),
                ..
            } => (next < *count).then_some(next),
            Type::Array { .. } => Some(next),
            Type::Record(id) => {
                let fields = &self.types().record(*id).layout.as_ref()?.fields;
                let from = usize::try_from(next).ok()?;
                let named =
                    |field: &crate::types::Field| field.name.is_some() || field.bits.is_none();
                let offset = fields.get(from..)?.iter().position(named)?;
                Some((from + offset) as u64)
            }
            _ => None,
        }
    }

    pub(super) fn part(&self, whole: Part, shape: &Type, position: u64) -> Option<Part> {
        match shape {
            Type::Array { element, .. } => {
                let size = self.types().size_of(*element)?;
                let offset = whole.offset.checked_add(size.checked_mul(position)?)?;
                Some(Part {
                    ty: *element,
                    offset,
                    bits: None,
                })
            }
            Type::Record(id) => {
                let layout = self.types().record(*id).layout.as_ref()?;
                let field = layout.fields.get(usize::try_from(position).ok()?)?;
                Some(Part {
                    ty: field.ty,
                    offset: whole.offset + field.offset,
                    bits: field.bits,
                })
            }
            _ => None,
        }
    }
}
