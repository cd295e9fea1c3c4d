//! What a user would call a part of an object.

use cfa::memory::Object;
use cfa::program::Program;
use syntax::types::{ArrayLen, Type, TypeId};

/// `object.field[3].inner` for the byte offset, as far as the declared type tells.
pub fn part_name(program: &Program, object: &Object, offset: u64) -> String {
    let mut name = object.name.clone();
    let (Some(mut ty), mut rest) = (object.c_type, offset) else {
        return if offset == 0 {
            name
        } else {
            format!("{name}@{offset}")
        };
    };
    let types = &*program.types;
    loop {
        match types.shape(ty) {
            Type::Array { element, len } => {
                let Some(size) = size_of(program, *element).filter(|size| *size > 0) else {
                    break;
                };
                if matches!(len, ArrayLen::Fixed(len) if rest / size >= *len) {
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
                        None => size_of(program, field.ty),
                    };
                    field.offset <= rest && size.is_some_and(|size| rest < field.offset + size)
                };
                let Some(field) = layout.fields.iter().find(inside) else {
                    break;
                };
                if let Some(field_name) = field.name {
                    name.push('.');
                    name.push_str(program.names.get(field_name));
                }
                rest -= field.offset;
                if field.bits.is_some() {
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
    name
}

fn size_of(program: &Program, ty: TypeId) -> Option<u64> {
    program.types.size_of(ty)
}
