//! C types, interned. A [`TypeId`] is equal to another exactly if the types are the same (records and
//! enums by identity of their declaration).

use crate::ast::RecordKind;
use crate::span::{Name, Span};
use arith::float::FloatFormat;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RecordId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EnumId(pub u32);

/// The sizes that a platform gives to C's types (both are x86 with gcc's conventions).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataModel {
    #[default]
    Ilp32,
    Lp64,
}

impl DataModel {
    pub fn pointer_bits(self) -> u16 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    pub fn pointer_bytes(self) -> u64 {
        u64::from(self.pointer_bits() / 8)
    }
}

/// The integer types that differ for C even where they agree in size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum IntKind {
    Bool,
    /// Plain `char`, signed on x86.
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FloatKind {
    Float16,
    Float,
    Double,
    LongDouble,
    Float128,
}

impl FloatKind {
    pub fn format(self) -> FloatFormat {
        match self {
            FloatKind::Float16 => FloatFormat::Half,
            FloatKind::Float => FloatFormat::Single,
            FloatKind::Double => FloatFormat::Double,
            FloatKind::LongDouble => FloatFormat::X87,
            FloatKind::Float128 => FloatFormat::Quad,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayLen {
    Fixed(u64),
    /// `[]`: incomplete, or a flexible array member.
    Incomplete,
    /// A variable-length array; the expression that gives its length is evaluated where the type is
    /// declared and kept in [`crate::typed::VlaId`]'s table.
    Variable(crate::typed::VlaId),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    Int(IntKind),
    Float(FloatKind),
    Enum(EnumId),
    Pointer(TypeId),
    Array {
        element: TypeId,
        len: ArrayLen,
    },
    Function(FunctionType),
    Record(RecordId),
    /// `__builtin_va_list`: `char *`-sized on i386, 24 bytes aligned to 8 on x86-64 (behaves as an array
    /// of one element there).
    VaList,
    /// A type that differs in qualifiers only. Interned apart so that assignments to const objects can
    /// be diagnosed and `typeof` keeps them; use [`TypeTable::unqualified`] before matching on a type.
    Qualified {
        base: TypeId,
        is_const: bool,
        is_volatile: bool,
    },
    /// A type with an alignment of its own (`typedef int t __attribute__((aligned(16)))`).
    Aligned {
        base: TypeId,
        align: u64,
    },
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    pub result: TypeId,
    pub params: Vec<TypeId>,
    pub variadic: bool,
    /// False for `f()`: the arguments are not known.
    pub prototyped: bool,
}

#[derive(Clone, Debug)]
pub struct Record {
    pub kind: RecordKind,
    pub tag: Option<Name>,
    /// `None` while the type is incomplete.
    pub layout: Option<RecordLayout>,
    pub transparent_union: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct RecordLayout {
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
}

#[derive(Clone, Debug)]
pub struct Field {
    /// Absent for anonymous members and unnamed bit-fields (unnamed bit-fields are kept for the layout
    /// only and never accessed).
    pub name: Option<Name>,
    pub ty: TypeId,
    /// Bytes from the start of the record. For a bit-field, the offset of its container.
    pub offset: u64,
    pub bits: Option<BitField>,
}

/// How a bit-field is accessed: a container of whole bytes, equal for all bit-fields whose bytes
/// overlap, so that neighbours agree on the width of their accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitField {
    /// Bytes of the container, which begins at the field's `offset`; at most 16.
    pub container_bytes: u8,
    /// Position of the lowest bit within the (little-endian) container.
    pub shift: u8,
    pub width: u8,
}

#[derive(Clone, Debug)]
pub struct EnumDef {
    pub tag: Option<Name>,
    /// The integer type that represents it; `None` while incomplete (forward reference).
    pub repr: Option<IntKind>,
    pub enumerators: Vec<(Name, i128)>,
    pub span: Span,
}

/// All types of a program. Records and enums are referred to by id and completed in place.
#[derive(Clone, Debug)]
pub struct TypeTable {
    pub model: DataModel,
    pub(crate) types: Vec<Type>,
    pub(crate) index: FxHashMap<Type, TypeId>,
    pub records: Vec<Record>,
    pub enums: Vec<EnumDef>,
}

impl TypeTable {
    pub fn new(model: DataModel) -> TypeTable {
        TypeTable {
            model,
            types: Vec::new(),
            index: FxHashMap::default(),
            records: Vec::new(),
            enums: Vec::new(),
        }
    }

    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = TypeId(self.types.len() as u32);
        self.types.push(ty.clone());
        self.index.insert(ty, id);
        id
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// The type without qualifiers and alignment of its own at the top.
    pub fn unqualified(&self, mut id: TypeId) -> TypeId {
        loop {
            match self.get(id) {
                Type::Qualified { base, .. } | Type::Aligned { base, .. } => id = *base,
                _ => return id,
            }
        }
    }

    /// The type's shape, looking through qualifiers.
    pub fn shape(&self, id: TypeId) -> &Type {
        self.get(self.unqualified(id))
    }

    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    pub fn enum_def(&self, id: EnumId) -> &EnumDef {
        &self.enums[id.0 as usize]
    }
}
