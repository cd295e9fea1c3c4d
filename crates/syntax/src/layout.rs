//! Sizes, alignments and member positions as gcc gives them on i386 and x86-64.
//!
//! The rules are those of gcc's record layout (PCC compatible bit-fields), kept in
//! its order and in bits, because nothing simpler agrees with it once `packed`, `aligned` and
//! bit-fields meet:
//! - A member has an alignment: that of its type, or more if an attribute asks for it, or one byte
//!   (one bit for bit-fields) if it is packed. On i386 integers and doubles in a record are aligned
//!   to four bytes at most unless an attribute (also one deep in the type) asked for more.
//! - A bit-field starts at the next bit, unless it would then span more units of its declared
//!   type's alignment than the type itself has; then it moves to the next such unit. A packed one
//!   never moves.
//! - A bit-field of width zero moves what follows to the next unit of its type, packed or not.
//! - A named bit-field gives the record the alignment of its declared type, an unnamed one does
//!   not.
//! - `#pragma pack(n)` bounds the alignment of every member, also one that an attribute asked for,
//!   but not that of the record by its own attribute. Under it no bit-field moves; those of width
//!   zero are not influenced.

use crate::ast::RecordKind;
use crate::span::Name;
use crate::types::{
    ArrayLen, BitField, DataModel, Field, FloatKind, IntKind, RecordLayout, Type, TypeId, TypeTable,
};

/// Size and alignment of a complete type of constant size, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeLayout {
    pub size: u64,
    /// The alignment that gcc prefers (`__alignof__`).
    pub align: u64,
    /// It stems from an attribute.
    pub user_align: bool,
}

/// A member as it is declared.
#[derive(Clone, Debug)]
pub struct Member {
    pub name: Option<Name>,
    pub ty: TypeId,
    /// Of bit-fields.
    pub width: Option<u16>,
    /// By its own attribute.
    pub packed: bool,
    /// In bytes, by its own attribute or `_Alignas`.
    pub align: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LayoutError {
    /// The member's type has no constant size.
    Incomplete(usize),
    TooLarge,
    /// A packed bit-field whose bytes do not fit an access of 16 bytes.
    BitFieldTooWide(usize),
}

/// The alignment that suffices for every type, in bytes, without AVX.
const LARGEST_ALIGNMENT: u64 = 16;

/// The largest object, in bytes: what gcc allows on x86-64.
const LARGEST: u64 = i64::MAX as u64;

impl TypeTable {
    /// `None` for incomplete types, functions and variable-length arrays.
    pub fn layout_of(&self, id: TypeId) -> Option<TypeLayout> {
        let scalar = |size: u64, align: u64| {
            Some(TypeLayout {
                size,
                align,
                user_align: false,
            })
        };
        let long64 = self.model == DataModel::Lp64;
        match *self.get(id) {
            Type::Void | Type::Function(_) => None,
            Type::Int(kind) => self.layout_of_int(kind),
            Type::Float(kind) => match kind {
                FloatKind::Float16 => scalar(2, 2),
                FloatKind::Float => scalar(4, 4),
                FloatKind::Double => scalar(8, 8),
                FloatKind::LongDouble if long64 => scalar(16, 16),
                FloatKind::LongDouble => scalar(12, 4),
                FloatKind::Float128 => scalar(16, 16),
            },
            Type::Enum(id) => self.layout_of_int(self.enum_def(id).repr?),
            Type::Pointer(_) => scalar(self.model.pointer_bytes(), self.model.pointer_bytes()),
            Type::VaList if long64 => scalar(24, 8),
            Type::VaList => scalar(4, 4),
            Type::Array {
                element,
                len: ArrayLen::Fixed(count),
            } => {
                let element = self.layout_of(element)?;
                Some(TypeLayout {
                    size: element.size.checked_mul(count)?,
                    ..element
                })
            }
            Type::Array { .. } => None,
            Type::Record(id) => {
                let layout = self.record(id).layout.as_ref()?;
                Some(TypeLayout {
                    size: layout.size,
                    align: layout.align,
                    user_align: layout.user_align,
                })
            }
            Type::Qualified { base, .. } => self.layout_of(base),
            Type::Aligned { base, align } => Some(TypeLayout {
                align,
                user_align: true,
                ..self.layout_of(base)?
            }),
        }
    }

    fn layout_of_int(&self, kind: IntKind) -> Option<TypeLayout> {
        let size = u64::from(kind.bits(self.model) / 8);
        Some(TypeLayout {
            size,
            align: size,
            user_align: false,
        })
    }

    /// `sizeof`, without GNU's size 1 of void and functions.
    pub fn size_of(&self, id: TypeId) -> Option<u64> {
        Some(self.layout_of(id)?.size)
    }

    /// C11's `_Alignof`: the alignment that an object of the type has everywhere, also in a record.
    pub fn align_of(&self, id: TypeId) -> Option<u64> {
        let layout = self.layout_for_member(id)?;
        // Larger vectors are aligned to their size, but nothing that needs it is promised.
        let align = match layout.user_align {
            true => layout.align,
            false => layout.align.min(LARGEST_ALIGNMENT),
        };
        Some(self.field_align(id, align * 8, layout.user_align) / 8)
    }

    /// As [`TypeTable::layout_of`], but arrays of unknown length are fine and have size zero.
    fn layout_for_member(&self, id: TypeId) -> Option<TypeLayout> {
        match *self.shape(id) {
            Type::Array {
                element,
                len: ArrayLen::Incomplete,
            } => Some(TypeLayout {
                size: 0,
                ..self.layout_of(element)?
            }),
            _ => self.layout_of(id),
        }
    }

    /// gcc's `x86_field_alignment`: what is left in a record of an alignment (in bits) that no
    /// attribute asked for.
    fn field_align(&self, id: TypeId, align: u64, user_align: bool) -> u64 {
        if user_align || self.model == DataModel::Lp64 {
            return align;
        }
        let mut id = id;
        loop {
            match *self.shape(id) {
                Type::Array { element, .. } => id = element,
                Type::Int(_) | Type::Enum(_) | Type::Pointer(_) => return align.min(32),
                Type::Float(FloatKind::Double) => return align.min(32),
                // A complex number is aligned as its parts are.
                Type::Record(_) => match self.complex_part(id) {
                    Some(part) => id = part,
                    None => return align,
                },
                _ => return align,
            }
        }
    }
}

/// What a record has grown to so far; everything in bits.
struct Growing<'a> {
    types: &'a TypeTable,
    packed: bool,
    /// `#pragma pack`: the largest alignment of a member.
    limit: Option<u64>,
    position: u64,
    align: u64,
    user_align: bool,
}

/// What is said about a record as a whole.
#[derive(Clone, Copy, Default, Debug)]
pub struct RecordAttributes {
    pub packed: bool,
    /// In bytes.
    pub align: Option<u64>,
    /// `#pragma pack` in force at its closing brace, in bytes.
    pub pack: Option<u64>,
}

/// Positions of the members of a record, its size and its alignment.
pub fn layout_record(
    types: &TypeTable,
    kind: RecordKind,
    attributes: RecordAttributes,
    members: &[Member],
) -> Result<RecordLayout, LayoutError> {
    let mut growing = Growing {
        types,
        packed: attributes.packed,
        limit: attributes.pack.map(|bytes| bytes * 8),
        position: 0,
        align: attributes.align.unwrap_or(1).max(1) * 8,
        user_align: attributes.align.is_some(),
    };
    let mut fields = Vec::with_capacity(members.len());
    // Bit-fields first get their absolute bit position, in a container that begins the record.
    let mut bit_fields: Vec<(usize, u64, u16, usize)> = Vec::new();
    let mut size = 0u64;
    for (index, member) in members.iter().enumerate() {
        if kind == RecordKind::Union {
            growing.position = 0;
        }
        let (start, length) = growing.place(index, member)?;
        size = size.max(start.checked_add(length).ok_or(LayoutError::TooLarge)?);
        if member.width == Some(0) {
            continue;
        }
        if let Some(width) = member.width {
            bit_fields.push((fields.len(), start, width, index));
        }
        fields.push(Field {
            name: member.name,
            ty: member.ty,
            offset: start / 8,
            bits: None,
            attributed: member.packed
                || member.align.is_some()
                || attributes.packed
                || attributes.pack.is_some(),
        });
    }
    if kind == RecordKind::Struct {
        size = growing.position;
    }
    let size = size.div_ceil(8);
    let align = growing.align / 8;
    let size = size
        .checked_next_multiple_of(align)
        .ok_or(LayoutError::TooLarge)?;
    if size > LARGEST {
        return Err(LayoutError::TooLarge);
    }
    assign_containers(&mut fields, &mut bit_fields)?;
    Ok(RecordLayout {
        fields,
        size,
        align,
        user_align: growing.user_align,
    })
}

impl Growing<'_> {
    /// Start and length in bits of the next member.
    fn place(&mut self, index: usize, member: &Member) -> Result<(u64, u64), LayoutError> {
        let layout = self
            .types
            .layout_for_member(member.ty)
            .ok_or(LayoutError::Incomplete(index))?;
        match member.width {
            Some(width) => self.place_bit_field(member, width, layout),
            None => self.place_plain(member, layout),
        }
    }

    fn place_plain(
        &mut self,
        member: &Member,
        layout: TypeLayout,
    ) -> Result<(u64, u64), LayoutError> {
        let type_align = layout.align * 8;
        // A packed record does not pack members of one byte: it makes no difference.
        let packed = member.packed || self.packed && type_align > 8;
        let mut user_align = member.align.is_some();
        let asked = member.align.map(|align| align * 8);
        let align = match (packed, asked) {
            (true, Some(asked)) => asked,
            (true, None) => {
                user_align |= layout.user_align;
                8
            }
            (false, _) => {
                let asked = asked.unwrap_or(1);
                if type_align > asked {
                    user_align = layout.user_align;
                }
                self.types
                    .field_align(member.ty, type_align.max(asked), user_align)
            }
        };
        let align = align.min(self.limit.unwrap_or(align));
        self.align = self.align.max(align);
        self.user_align |= user_align;
        let length = layout.size.checked_mul(8).ok_or(LayoutError::TooLarge)?;
        let start = self
            .position
            .checked_next_multiple_of(align)
            .ok_or(LayoutError::TooLarge)?;
        self.position = start.checked_add(length).ok_or(LayoutError::TooLarge)?;
        Ok((start, length))
    }

    fn place_bit_field(
        &mut self,
        member: &Member,
        width: u16,
        layout: TypeLayout,
    ) -> Result<(u64, u64), LayoutError> {
        let width = u64::from(width);
        let packed = member.packed || self.packed;
        let unit = self
            .types
            .field_align(member.ty, layout.align * 8, layout.user_align);
        let mut user_align = member.align.is_some();
        let mut align = member.align.map_or(1, |align| align * 8);
        let mut ordinary = false;
        if width == 0 {
            if layout.align * 8 > align {
                align = self
                    .types
                    .field_align(member.ty, layout.align * 8, layout.user_align);
                user_align = layout.user_align;
            }
        } else if matches!(width, 8 | 16 | 32 | 64 | 128)
            && (width <= 8 || !packed)
            && self.position.is_multiple_of(width)
        {
            // Whole bytes at a fitting place: gcc makes it an ordinary member of that size.
            ordinary = true;
            align = align.max(width);
            if !packed && !user_align {
                align = self.types.field_align(member.ty, align, false);
            }
        }
        if let Some(limit) = self.limit
            && width != 0
        {
            align = align.min(limit);
        }
        if member.name.is_some() {
            let unit = match self.limit {
                Some(limit) => unit.min(limit),
                None if packed && width != 0 => unit.min(8),
                None => unit,
            };
            self.align = self.align.max(align).max(unit);
            user_align |= layout.user_align;
        }
        self.user_align |= user_align;
        let mut start = self
            .position
            .checked_next_multiple_of(align)
            .ok_or(LayoutError::TooLarge)?;
        if width != 0 && !packed && !ordinary && self.limit.is_none() {
            let spanned = (start % unit + width).div_ceil(unit);
            if spanned > layout.size * 8 / unit {
                start = start
                    .checked_next_multiple_of(unit)
                    .ok_or(LayoutError::TooLarge)?;
            }
            self.user_align |= layout.user_align;
        }
        self.position = start.checked_add(width).ok_or(LayoutError::TooLarge)?;
        Ok((start, width))
    }
}

/// Gives bit-fields whose bytes overlap one container, if an access of 16 bytes can hold it.
/// `bit_fields` holds index into `fields`, first bit, width, and index of the declared member.
fn assign_containers(
    fields: &mut [Field],
    bit_fields: &mut [(usize, u64, u16, usize)],
) -> Result<(), LayoutError> {
    bit_fields.sort_by_key(|&(_, start, ..)| start / 8);
    let last_byte = |start: u64, width: u16| (start + u64::from(width)).div_ceil(8);
    let mut group = 0;
    while group < bit_fields.len() {
        let (_, start, width, _) = bit_fields[group];
        let first = start / 8;
        let mut end = last_byte(start, width);
        let mut next = group + 1;
        while let Some(&(_, start, width, _)) = bit_fields.get(next)
            && start / 8 < end
        {
            end = end.max(last_byte(start, width));
            next += 1;
        }
        for &(field, start, width, index) in &bit_fields[group..next] {
            let (first, end) = match end - first {
                0..=16 => (first, end),
                _ => (start / 8, last_byte(start, width)),
            };
            if end - first > 16 {
                return Err(LayoutError::BitFieldTooWide(index));
            }
            fields[field].offset = first;
            fields[field].bits = Some(BitField {
                container_bytes: (end - first) as u8,
                shift: (start - first * 8) as u8,
                width: width as u8,
            });
        }
        group = next;
    }
    Ok(())
}
