//! What a user would call a part of an object.

use cfa::memory::Object;
use cfa::program::Program;
use syntax::types::{ArrayLen, Type, TypeId};

/// `object.field[3].inner` for the byte offset, as far as the declared type tells.
pub fn part_name(program: &Program, object: &Object, offset: u64) -> String {
    let Some(ty) = object.c_type else {
        return match offset {
            0 => object.name.clone(),
            _ => format!("{}@{offset}", object.name),
        };
    };
    part(program, &object.name, ty, offset, 0).name
}

/// A part of an object.
#[derive(Clone, Debug)]
pub struct NamedPart {
    pub name: String,
    /// Its type; none if the offset leads into the middle of it, or to bit-fields.
    pub ty: Option<TypeId>,
    /// Bit-fields lie there: what their record is called, its type, and the offset of their
    /// container in it.
    pub bits_of: Option<(String, TypeId, u64)>,
}

/// The innermost part of an object of the type that begins at the offset and has so many bytes at
/// least.
pub fn part(program: &Program, name: &str, ty: TypeId, offset: u64, size: u64) -> NamedPart {
    let (mut name, mut ty, mut rest) = (name.to_owned(), ty, offset);
    let mut bits_of = None;
    let types = &*program.types;
    let is_large = |ty: TypeId| types.size_of(ty).is_some_and(|bytes| bytes >= size);
    loop {
        match types.shape(ty) {
            Type::Array { element, len } => {
                let Some(size) = types.size_of(*element).filter(|size| *size > 0) else {
                    break;
                };
                if matches!(len, ArrayLen::Fixed(len) if rest / size >= *len) || !is_large(*element)
                {
                    break;
                }
                name.push_str(&format!("[{}]", rest / size));
                rest %= size;
                ty = *element;
            }
            Type::Record(id) => {
                let Some(layout) = &types.record(*id).layout else {
                    break;
                };
                let inside = |field: &&syntax::types::Field| {
                    let size = match field.bits {
                        Some(bits) => Some(u64::from(bits.container_bytes)),
                        None => types.size_of(field.ty),
                    };
                    field.offset <= rest && size.is_some_and(|size| rest < field.offset + size)
                };
                let Some(field) = layout.fields.iter().find(inside) else {
                    break;
                };
                if field.bits.is_none() && !is_large(field.ty) {
                    break;
                }
                if field.bits.is_some() {
                    bits_of = Some((name.clone(), ty, field.offset));
                }
                if let Some(field_name) = field.name {
                    name.push('.');
                    name.push_str(program.names.get(field_name));
                }
                rest -= field.offset;
                if bits_of.is_some() {
                    break;
                }
                ty = field.ty;
            }
            _ => break,
        }
    }
    if rest != 0 {
        name.push_str(&format!("@{rest}"));
    }
    let is_whole = rest == 0 && bits_of.is_none();
    NamedPart {
        name,
        ty: is_whole.then_some(ty),
        bits_of,
    }
}
