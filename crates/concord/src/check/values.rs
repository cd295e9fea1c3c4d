//! Values and parts of memory as the types of the program say.
//!
//! Memory of the heap has no declared type. It gets the one of the first pointer that leads to it,
//! and a name: what the harness calls it, or `malloc#1` for the first allocation of an execution.

use super::counterexample::line_text;
use cfa::expr::VarId;
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::Op;
use cfa::program::{Edge, EdgeId, Program};
use cfa::value::Ty;
use interpreter::{View, write_value};
use std::collections::BTreeMap;
use syntax::ast::RecordKind;
use syntax::span::Span;
use syntax::types::{ArrayLen, Field, IntKind, Type, TypeId};
use transform::regions::part;

/// Elements of an array, and members of a structure, that are shown.
const MAX_PARTS: u64 = 8;
/// Objects within objects.
const MAX_DEPTH: u32 = 3;
/// Bytes of a value without a type.
const MAX_BYTES: u64 = 16;

/// What the texts are called that are made for an entry.
pub const HARNESS: &str = "<harness>";

/// A variable or a part of an object that got a value.
pub struct Written {
    pub name: String,
    pub value: String,
    pub is_global: bool,
}

/// Memory of the heap.
struct Allocation {
    /// What a pointer to it is called.
    name: String,
    /// What it consists of.
    element: Option<TypeId>,
}

/// Writes values, and remembers what was allocated.
pub struct Values<'a> {
    program: &'a Program,
    allocations: BTreeMap<u64, Allocation>,
    allocated: u32,
}

impl<'a> Values<'a> {
    pub fn new(program: &'a Program) -> Values<'a> {
        Values {
            program,
            allocations: BTreeMap::new(),
            allocated: 0,
        }
    }

    /// Notes an allocation, if the edge was one; `place` is the edge that a reader knows.
    pub fn passed(&mut self, edge: EdgeId, place: &Edge, bits: u128) {
        let op = self.program.edge_op(edge);
        let (Op::Allocate { .. } | Op::Reallocate { .. }, Ok(start @ 1..)) =
            (op, u64::try_from(bits))
        else {
            return;
        };
        let name = match assigned_in_harness(self.program, place) {
            Some(path) => path,
            None => {
                self.allocated += 1;
                format!("malloc#{}", self.allocated)
            }
        };
        let element = None;
        self.allocations.insert(start, Allocation { name, element });
    }

    /// A pointer of this type has this value: so it is seen what lies there.
    pub fn learn(&mut self, ty: TypeId, bits: u128) {
        let types = &self.program.types;
        let Some(to) = types.pointee(ty).map(|to| types.unqualified(to)) else {
            return;
        };
        let is_better = |known: Option<TypeId>| {
            known.is_none_or(|known| {
                types.size_of(known) == Some(1) && types.record_id(to).is_some()
            })
        };
        if types.size_of(to).is_none_or(|size| size == 0) || types.is_void(to) {
            return;
        }
        let allocation = u64::try_from(bits)
            .ok()
            .and_then(|start| self.allocations.get_mut(&start));
        if let Some(allocation) = allocation.filter(|known| is_better(known.element)) {
            allocation.element = Some(to);
        }
    }

    /// The name and the type of the part of a live object that begins at an address and has so
    /// many bytes.
    fn part(
        &self,
        view: &View<'_>,
        address: u64,
        size: u64,
    ) -> Option<transform::regions::NamedPart> {
        let (id, offset) = view.object_at(address)?;
        let object = self.program.object(id);
        if let Some(ty) = object.c_type {
            return Some(part(self.program, &object.name, ty, offset, size));
        }
        let untyped = |name: &str| transform::regions::NamedPart {
            name: match offset {
                0 => format!("*{name}"),
                _ => format!("{name}@{offset}"),
            },
            ty: None,
            bits_of: None,
        };
        let Some(known) = self.allocations.get(&address.wrapping_sub(offset)) else {
            return Some(untyped(&object.name));
        };
        let sized = |ty: &TypeId| self.program.types.size_of(*ty).filter(|&bytes| bytes > 0);
        let Some((ty, bytes)) = known.element.and_then(|ty| Some((ty, sized(&ty)?))) else {
            return Some(untyped(&known.name));
        };
        let first = format!("{}[0]", known.name);
        let base = match offset / bytes {
            0 => first.clone(),
            index => format!("{}[{index}]", known.name),
        };
        let mut found = part(self.program, &base, ty, offset % bytes, size);
        // A structure that is alone is no array.
        let is_record = self.program.types.record_id(ty).is_some();
        let simpler = |name: &str| match name.strip_prefix(&first) {
            Some("") if is_record => format!("*{}", known.name),
            Some(rest) if rest.starts_with('.') => format!("{}->{}", known.name, &rest[1..]),
            _ => name.to_owned(),
        };
        found.name = simpler(&found.name);
        if let Some((name, _, _)) = &mut found.bits_of {
            *name = simpler(name);
        }
        Some(found)
    }

    /// What was written to memory, under the names of the object's parts.
    pub fn memory(&mut self, view: &View<'_>, address: u64, size: u64) -> Vec<Written> {
        let Some((id, _)) = view.object_at(address) else {
            return Vec::new();
        };
        let kind = self.program.object(id).kind;
        // They get their characters before the program starts, which is no news.
        if kind == ObjectKind::StringLiteral {
            return Vec::new();
        }
        // Macros of headers have variables of their own.
        let is_local = matches!(kind, ObjectKind::Local(_));
        if is_local && self.program.object(id).name.starts_with("__") {
            return Vec::new();
        }
        let is_global = matches!(kind, ObjectKind::Global | ObjectKind::Heap);
        let Some(part) = self.part(view, address, size) else {
            return Vec::new();
        };
        let written = |name: String, value: String| Written {
            name,
            value,
            is_global,
        };
        if let Some((name, record, container)) = part.bits_of {
            let fields = self.bit_fields(view, &name, record, container, address);
            let fields = fields.into_iter();
            return fields.map(|(name, value)| written(name, value)).collect();
        }
        let has_size = |ty: &TypeId| self.program.types.size_of(*ty) == Some(size);
        if let Some(ty) = part.ty.filter(has_size) {
            if let (Type::Pointer(_), Some(bits)) =
                (self.program.types.shape(ty), bytes(view, address, size))
            {
                self.learn(ty, bits);
            }
            if let Some(value) = self.object(view, ty, address, 0) {
                return vec![written(part.name, value)];
            }
        }
        if size > MAX_BYTES || !size.is_power_of_two() {
            return vec![written(part.name, format!("{size} bytes"))];
        }
        let Some(bits) = bytes(view, address, size) else {
            return Vec::new();
        };
        // What is an address of an object is meant as one.
        let is_address = size == self.program.model.pointer_bytes() && bits != 0;
        let pointer = is_address
            .then(|| self.known_pointer(view, bits, 0))
            .flatten();
        let number = || write_value(Ty::signed((size * 8) as u16), bits);
        vec![written(part.name, pointer.unwrap_or_else(number))]
    }

    /// The bit-fields in the container at the address.
    fn bit_fields(
        &self,
        view: &View<'_>,
        name: &str,
        record: TypeId,
        container: u64,
        address: u64,
    ) -> Vec<(String, String)> {
        let Some(layout) = self.layout(record) else {
            return Vec::new();
        };
        let is_there = |field: &&Field| field.bits.is_some() && field.offset == container;
        let fields = layout.iter().filter(is_there);
        fields
            .take(MAX_PARTS as usize)
            .filter_map(|field| {
                let value = self.bit_field(view, field, address)?;
                let field = self.program.names.get(field.name?);
                Some((format!("{name}.{field}"), value))
            })
            .collect()
    }

    fn bit_field(&self, view: &View<'_>, field: &Field, container: u64) -> Option<String> {
        let bits = field.bits?;
        let whole = bytes(view, container, u64::from(bits.container_bytes))?;
        let width = u32::from(bits.width);
        let value = (whole >> bits.shift) & (u128::MAX >> (128 - width.clamp(1, 128)));
        let is_signed = self
            .program
            .types
            .int_kind(field.ty)
            .is_some_and(|kind| kind != IntKind::Bool && kind.is_signed());
        let ty = match is_signed {
            true => Ty::signed(bits.width.into()),
            false => Ty::unsigned(bits.width.into()),
        };
        Some(write_value(ty, value))
    }

    fn layout(&self, record: TypeId) -> Option<&'a [Field]> {
        let types = &self.program.types;
        let record = types.record(types.record_id(record)?);
        Some(&record.layout.as_ref()?.fields)
    }

    /// The object of this type at the address; `None` if it is not there or has no value.
    fn object(&self, view: &View<'_>, ty: TypeId, address: u64, depth: u32) -> Option<String> {
        let types = &self.program.types;
        let size = types.size_of(ty)?;
        match types.shape(ty) {
            Type::Array { element, len } => {
                let ArrayLen::Fixed(count) = len else {
                    return None;
                };
                if depth > MAX_DEPTH {
                    return Some("{…}".into());
                }
                self.elements(view, *element, address, *count, depth)
            }
            Type::Record(id) => {
                if depth > MAX_DEPTH || types.record(*id).kind == RecordKind::Union {
                    return Some("{…}".into());
                }
                let fields = self.layout(ty)?;
                let named = fields.iter().filter_map(|field| Some((field, field.name?)));
                let shown = named.take(MAX_PARTS as usize).map(|(field, name)| {
                    let at = address + field.offset;
                    let value = match field.bits {
                        Some(_) => self.bit_field(view, field, at),
                        None => self.object(view, field.ty, at, depth + 1),
                    };
                    let value = value.unwrap_or_else(|| "?".into());
                    format!(".{} = {value}", self.program.names.get(name))
                });
                let mut shown: Vec<String> = shown.collect();
                if fields.len() as u64 > MAX_PARTS {
                    shown.push("…".into());
                }
                Some(format!("{{{}}}", shown.join(", ")))
            }
            _ if size <= MAX_BYTES => Some(self.scalar(view, ty, bytes(view, address, size)?)),
            _ => None,
        }
    }

    fn elements(
        &self,
        view: &View<'_>,
        element: TypeId,
        address: u64,
        count: u64,
        depth: u32,
    ) -> Option<String> {
        let size = self.program.types.size_of(element)?;
        if let Some(text) = self.text(view, element, address, count) {
            return Some(text);
        }
        let values = (0..count.min(MAX_PARTS)).map(|index| {
            let value = self.object(view, element, address + index * size, depth + 1);
            value.unwrap_or_else(|| "?".into())
        });
        let mut values: Vec<String> = values.collect();
        if count > MAX_PARTS {
            values.push("…".into());
        }
        Some(format!("{{{}}}", values.join(", ")))
    }

    /// Characters with an end, all of which can be printed.
    fn text(&self, view: &View<'_>, element: TypeId, address: u64, count: u64) -> Option<String> {
        if self.program.types.int_kind(element) != Some(IntKind::Char) {
            return None;
        }
        let mut text = String::new();
        for index in 0..count.min(4 * MAX_PARTS) {
            match view.byte(address + index)? {
                0 => return Some(format!("\"{text}\"")),
                b'"' => text.push_str("\\\""),
                byte if byte.is_ascii_graphic() || byte == b' ' => text.push(byte as char),
                _ => return None,
            }
        }
        None
    }

    /// What a pointer leads to: one object, or the elements of an array.
    pub fn behind(&self, view: &View<'_>, ty: TypeId, bits: u128) -> Option<String> {
        let types = &self.program.types;
        let to = types.pointee(ty)?;
        let size = types
            .size_of(to)
            .filter(|&size| size > 0 && !types.is_void(to))?;
        let address = u64::try_from(bits).ok()?;
        let (object, offset) = view.object_at(address)?;
        let start = address - offset;
        let is_same = |at: u64| {
            let there = view.object_at(at);
            there.is_some_and(|(other, offset)| other == object && at - offset == start)
        };
        let count = (0..=4 * MAX_PARTS)
            .take_while(|index| is_same(address + index * size))
            .count();
        match count as u64 {
            1 => self.object(view, to, address, 0),
            count => self.elements(view, to, address, count, 0),
        }
    }

    /// A number, a truth value or a pointer.
    fn scalar(&self, view: &View<'_>, ty: TypeId, bits: u128) -> String {
        let types = &self.program.types;
        match types.shape(ty) {
            Type::Pointer(to) => {
                let size = types.size_of(*to).filter(|_| !types.is_void(*to));
                self.pointer(view, bits, size.unwrap_or(0))
            }
            Type::Float(kind) => number(Ty::Float(kind.format()), bits),
            Type::Enum(id) => {
                let width = types.size_of(ty).unwrap_or(4) * 8;
                let value = arith::int::to_signed(bits, width as u32);
                let enumerators = &types.enum_def(*id).enumerators;
                let same = |known: i128| {
                    known == value || u128::try_from(known).is_ok_and(|known| known == bits)
                };
                match enumerators.iter().find(|(_, known)| same(*known)) {
                    Some((name, _)) => self.program.names.get(*name).to_owned(),
                    None => value.to_string(),
                }
            }
            Type::Int(kind) => {
                let width = (types.size_of(ty).unwrap_or(16) * 8) as u16;
                let is_signed = kind.is_signed();
                let text = match is_signed {
                    true => write_value(Ty::signed(width), bits),
                    false => write_value(Ty::unsigned(width), bits),
                };
                match (kind, u8::try_from(bits)) {
                    (IntKind::Char, Ok(byte)) if byte.is_ascii_graphic() || byte == b' ' => {
                        format!("{text} '{}'", byte as char)
                    }
                    _ => text,
                }
            }
            _ => format!("{bits:#x}"),
        }
    }

    fn pointer(&self, view: &View<'_>, bits: u128, size: u64) -> String {
        match bits {
            0 => "null".into(),
            _ => {
                let known = self.known_pointer(view, bits, size);
                known.unwrap_or_else(|| format!("{bits:#x}"))
            }
        }
    }

    /// The part of an object, of so many bytes, that an address leads to.
    fn known_pointer(&self, view: &View<'_>, bits: u128, size: u64) -> Option<String> {
        let address = u64::try_from(bits).ok()?;
        if let Some((id, offset)) = view.object_at(address) {
            let is_start = offset == 0;
            let known = self
                .allocations
                .get(&(address - offset))
                .filter(|_| is_start);
            if let (Some(known), ObjectKind::Heap) = (known, self.program.object(id).kind) {
                return Some(known.name.clone());
            }
            if self.program.object(id).kind == ObjectKind::StringLiteral {
                let text = self.text(view, TypeId::CHAR, address, 4 * MAX_PARTS);
                return Some(text.unwrap_or_else(|| "a string".into()));
            }
            let part = self.part(view, address, size)?;
            return Some(
                match (part.name.strip_prefix('*'), part.name.strip_suffix("[0]")) {
                    (Some(name), _) => name.to_owned(),
                    // An array is a pointer to its first element.
                    (None, Some(array)) => array.to_owned(),
                    (None, None) => format!("&{}", part.name),
                },
            );
        }
        if let Some(known) = self.allocations.get(&address) {
            return Some(format!("{} (freed)", known.name));
        }
        if let Some((id, _)) = address.checked_sub(1).and_then(|last| view.object_at(last)) {
            let object = self.program.object(id);
            let (_, offset) = view.object_at(address - 1)?;
            let start = address - 1 - offset;
            let name = match self.allocations.get(&start) {
                Some(known) => known.name.clone(),
                None => object.name.clone(),
            };
            return Some(format!("end of {name}"));
        }
        let objects = (0..self.program.objects.len() as u32).map(ObjectId);
        let mut functions = objects.filter(|&id| {
            let is_function = matches!(self.program.object(id).kind, ObjectKind::Function(_));
            is_function && view.address_of(id) == Some(address)
        });
        let function = functions.next()?;
        Some(self.program.object(function).name.clone())
    }

    /// The value of a variable as its type says.
    pub fn variable(&mut self, view: &View<'_>, var: VarId, bits: u128) -> String {
        let info = self.program.var(var);
        match info.c_type {
            Some(ty) => {
                self.learn(ty, bits);
                let types = &self.program.types;
                let is_plain = |kind| types.int_kind(ty) == Some(kind);
                // A result and a promoted value are wider than their C type.
                match types.shape(ty) {
                    Type::Pointer(_) | Type::Enum(_) => self.scalar(view, ty, bits),
                    Type::Int(_) if is_plain(IntKind::Char) => self.scalar(view, ty, bits),
                    _ => number(info.ty, bits),
                }
            }
            None => number(info.ty, bits),
        }
    }
}

/// A number for people: floats in decimal, with as many digits as tell them from their neighbours.
pub fn number(ty: Ty, bits: u128) -> String {
    use arith::float::FloatFormat;
    let text = match ty {
        Ty::Float(FloatFormat::Single) => format!("{:?}", f32::from_bits(bits as u32)),
        Ty::Float(FloatFormat::Double) => format!("{:?}", f64::from_bits(bits as u64)),
        _ => return write_value(ty, bits),
    };
    match text.contains("NaN") {
        true => "nan".into(),
        false => text,
    }
}

/// Some bytes of memory as a number, the first one lowest.
fn bytes(view: &View<'_>, address: u64, size: u64) -> Option<u128> {
    let mut bits = 0u128;
    for at in (0..size.min(MAX_BYTES)).rev() {
        bits = bits << 8 | u128::from(view.byte(address.checked_add(at)?)?);
    }
    Some(bits)
}

/// Whether something belongs to the text that was made for an entry.
pub fn is_in_harness(program: &Program, span: Span) -> bool {
    let place = program.sources.original(span.lo);
    !span.is_none() && place.is_some_and(|place| place.file == HARNESS)
}

/// What the line of the harness gives a value to.
fn assigned_in_harness(program: &Program, edge: &Edge) -> Option<String> {
    is_in_harness(program, edge.span)
        .then(|| assigned(&line_text(program, edge.span.lo)))
        .flatten()
}

/// The path on the left of an assignment of a harness, without the casts that it needs.
pub fn assigned(line: &str) -> Option<String> {
    let (path, _) = line.split_once(" = ")?;
    let path = match path.rsplit_once(' ') {
        Some((before, name)) if !before.contains('*') && !name.starts_with('*') => name,
        _ => path,
    };
    // `*(T *)&path` and `((T *)path)[index]`.
    let path = match path.strip_prefix("*(") {
        Some(rest) => rest.split_once(")&").map_or(path, |(_, path)| path),
        None => path,
    };
    let plain = match path.strip_prefix("((") {
        Some(rest) => {
            let (inner, index) = rest.rsplit_once(")[")?;
            let inner = inner.rsplit_once(')').map_or(inner, |(_, path)| path);
            format!("{}[{index}", inner.trim_start_matches('&'))
        }
        None => path.to_owned(),
    };
    Some(plain.trim_start_matches('&').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arith::float::FloatFormat;

    #[test]
    fn floats_are_decimal() {
        let double = |value: f64| number(Ty::Float(FloatFormat::Double), value.to_bits().into());
        assert_eq!(
            [9.5, 0.1, -0.0, 1e300].map(double),
            ["9.5", "0.1", "-0.0", "1e300"]
        );
        assert_eq!(double(f64::NAN), "nan");
        assert_eq!(number(Ty::signed(32), 0xffff_ffff), "-1");
    }

    #[test]
    fn a_line_of_a_harness_says_what_it_assigns() {
        for (line, path) in [
            ("n = __VERIFIER_nondet_n();", "n"),
            ("q->buf = malloc((n) * sizeof(*q->buf));", "q->buf"),
            ("((unsigned char *)(void *)p)[index_1] = f();", "p[index_1]"),
            ("((unsigned char *)&u)[index_1] = f();", "u[index_1]"),
            ("*(int *)&q->fixed = f();", "q->fixed"),
            ("__typeof__(sizeof 0) length_of_s = f();", "length_of_s"),
        ] {
            assert_eq!(assigned(line).as_deref(), Some(path));
        }
    }
}
