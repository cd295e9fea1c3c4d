//! Members and elements: what C calls the thing at an address.

use super::Writer;
use super::operand::{CType, Operand, level};
use cfa::expr::{BinOp, ExprId, Node, UnOp};
use cfa::memory::ObjectId;
use cfa::value::Ty;
use syntax::types::{ArrayLen, Type, TypeId};

/// An address taken apart: a base, a distance in bytes, and products of numbers and sizes.
struct Parts {
    base: Base,
    offset: i128,
    indices: Vec<(ExprId, i128)>,
}

enum Base {
    Object(ObjectId),
    /// An operand of pointer type.
    Pointer(ExprId),
}

/// What has been written so far, and how the next step is written.
#[derive(Clone)]
struct Path {
    text: String,
    /// The text is a pointer to the thing.
    is_pointer: bool,
}

impl Path {
    fn thing(&self) -> (String, u8) {
        if self.is_pointer {
            (format!("*{}", self.text), level::PREFIX)
        } else {
            (self.text.clone(), level::POSTFIX)
        }
    }

    fn member(&self, name: &str) -> Path {
        let arrow = if self.is_pointer { "->" } else { "." };
        Path {
            text: format!("{}{arrow}{name}", self.text),
            is_pointer: false,
        }
    }

    fn element(&self, index: &str) -> Path {
        let text = if self.is_pointer {
            format!("(*{})[{index}]", self.text)
        } else {
            format!("{}[{index}]", self.text)
        };
        Path {
            text,
            is_pointer: false,
        }
    }
}

impl Writer<'_> {
    /// The scalar of the given type that lies at an address, by name; without a type: any scalar.
    pub(super) fn place(&self, address: ExprId, wanted: Option<Ty>) -> Option<(Operand, TypeId)> {
        let parts = self.parts(address)?;
        self.named_place(parts, wanted)
    }

    /// As [`Writer::place`], in an object.
    pub(super) fn place_in(
        &self,
        object: ObjectId,
        offset: u64,
        wanted: Option<Ty>,
    ) -> Option<(Operand, TypeId)> {
        let parts = Parts {
            base: Base::Object(object),
            offset: offset.into(),
            indices: Vec::new(),
        };
        self.named_place(parts, wanted)
    }

    fn named_place(&self, mut parts: Parts, wanted: Option<Ty>) -> Option<(Operand, TypeId)> {
        let (path, ty) = match parts.base {
            Base::Object(object) => {
                let named = self.scope.objects.get(&object)?;
                let path = Path {
                    text: named.name.clone(),
                    is_pointer: false,
                };
                (path, named.ty)
            }
            Base::Pointer(pointer) => {
                let operand = self.part(pointer)?;
                let CType::Pointer(target) = operand.ty else {
                    return None;
                };
                let path = Path {
                    text: operand.at(level::POSTFIX),
                    is_pointer: true,
                };
                // A pointer may point into an array.
                let size = i128::from(self.program.types.size_of(target)?).max(1);
                let elements = parts.offset.div_euclid(size);
                let index = self.index(&mut parts, size, elements)?;
                match index {
                    Some(index) => {
                        parts.offset = parts.offset.rem_euclid(size);
                        let text = format!("{}[{index}]", path.text);
                        let path = Path {
                            text,
                            is_pointer: false,
                        };
                        (path, target)
                    }
                    None => (path, target),
                }
            }
        };
        let (path, ty) = self.descend(path, ty, parts.offset, &mut parts.indices, wanted)?;
        let (text, level) = path.thing();
        let c_type = CType::declared(&self.program.types, ty)?;
        Some((Operand::new(text, level, c_type), ty))
    }

    /// The text of an index into elements of the size: `i`, `3`, `i + 3`; nothing if it is zero.
    /// The outer option says whether it can be written.
    fn index(&self, parts: &mut Parts, size: i128, elements: i128) -> Option<Option<String>> {
        self.index_of(&mut parts.indices, size, elements)
    }

    fn index_of(
        &self,
        indices: &mut Vec<(ExprId, i128)>,
        size: i128,
        elements: i128,
    ) -> Option<Option<String>> {
        let Some(at) = indices.iter().position(|&(_, scale)| scale == size) else {
            return Some((elements != 0).then(|| elements.to_string()));
        };
        let (index, _) = indices.remove(at);
        let pointer = self.program.model.pointer_bits();
        // C converts an index to the width of pointers itself.
        let mut stripped = index;
        while let Node::Unary(UnOp::Convert(Ty::Int { width, .. }), inner) =
            self.pool.node(stripped)
            && width == pointer
            && matches!(self.pool.ty(inner), Ty::Int { width, .. } if width <= pointer)
        {
            stripped = inner;
        }
        let operand = self.part(stripped)?;
        let CType::Int { width, .. } = operand.ty.promoted() else {
            return None;
        };
        if width > pointer {
            return None;
        }
        if elements == 0 {
            return Some(Some(operand.text.clone()));
        }
        // The sum must not wrap in a narrower type.
        let wide = CType::Int {
            width: pointer,
            signed: true,
        };
        let operand = if width < pointer {
            super::operand::cast(operand, wide, self.program.model)?
        } else {
            operand.clone()
        };
        let sign = if elements < 0 { '-' } else { '+' };
        let text = operand.at(level::SUM);
        Some(Some(format!("{text} {sign} {}", elements.unsigned_abs())))
    }

    /// Into the type until a scalar lies at offset zero.
    fn descend(
        &self,
        path: Path,
        ty: TypeId,
        offset: i128,
        indices: &mut Vec<(ExprId, i128)>,
        wanted: Option<Ty>,
    ) -> Option<(Path, TypeId)> {
        let types = &self.program.types;
        match *types.shape(ty) {
            Type::Array { element, len } => {
                let size = i128::from(types.size_of(element)?);
                if size == 0 {
                    return None;
                }
                let elements = offset.div_euclid(size);
                let is_open = indices.iter().any(|&(_, scale)| scale == size);
                let inside = match len {
                    ArrayLen::Fixed(len) => (0..i128::from(len)).contains(&elements),
                    _ => elements >= 0,
                };
                if !is_open && !inside {
                    return None;
                }
                let index = self.index_of(indices, size, elements)?;
                let path = path.element(index.as_deref().unwrap_or("0"));
                self.descend(path, element, offset.rem_euclid(size), indices, wanted)
            }
            Type::Record(id) => {
                let layout = types.record(id).layout.as_ref()?;
                for field in &layout.fields {
                    let start = i128::from(field.offset);
                    // Flexible arrays reach as far as their object does.
                    let end = types.size_of(field.ty).map(|size| start + i128::from(size));
                    let holds = start <= offset && end.is_none_or(|end| offset < end);
                    if field.bits.is_some() || !holds {
                        continue;
                    }
                    let path = match field.name {
                        Some(name) => path.member(self.program.names.get(name)),
                        None => path.clone(),
                    };
                    let mut left = indices.clone();
                    let found = self.descend(path, field.ty, offset - start, &mut left, wanted);
                    if found.is_some() {
                        *indices = left;
                        return found;
                    }
                }
                None
            }
            _ => {
                let fits = match (CType::declared(types, ty)?, wanted) {
                    (_, None) => true,
                    (CType::Int { width, .. }, Some(Ty::Int { width: want, .. })) => width == want,
                    (CType::Pointer(_), Some(Ty::Int { width, .. })) => {
                        width == self.program.model.pointer_bits()
                    }
                    (CType::Float(format), Some(Ty::Float(want))) => format == want,
                    _ => false,
                };
                (fits && offset == 0 && indices.is_empty()).then_some((path, ty))
            }
        }
    }

    /// Sums of one base, constants, and products with sizes.
    fn parts(&self, address: ExprId) -> Option<Parts> {
        let (mut base, mut offset, mut indices) = (None, 0i128, Vec::new());
        let mut stack = vec![address];
        while let Some(id) = stack.pop() {
            let number = |id: ExprId| {
                let bits = self.pool.as_constant(id)?;
                Some(arith::int::to_signed(bits, self.pool.ty(id).width().into()))
            };
            if let Some(number) = number(id) {
                offset += number;
                continue;
            }
            match self.pool.node(id) {
                Node::Binary(BinOp::Add, a, b) => {
                    stack.push(b);
                    stack.push(a);
                }
                Node::Binary(BinOp::Sub, a, b) if number(b).is_some() => {
                    offset -= number(b)?;
                    stack.push(a);
                }
                Node::Address(object) if base.is_none() => base = Some(Base::Object(object)),
                Node::Binary(BinOp::Mul, a, b) if number(b).is_some() => {
                    indices.push((a, number(b)?));
                }
                Node::Binary(BinOp::Shl, a, b) => {
                    let count = u32::try_from(number(b)?).ok().filter(|count| *count < 32)?;
                    indices.push((a, 1 << count));
                }
                _ => match self.part(id)?.ty {
                    CType::Pointer(_) if base.is_none() => base = Some(Base::Pointer(id)),
                    CType::Int { .. } => indices.push((id, 1)),
                    _ => return None,
                },
            }
        }
        Some(Parts {
            base: base?,
            offset,
            indices,
        })
    }
}
