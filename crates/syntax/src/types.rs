//! C types, interned. A [`TypeId`] is equal to another exactly if the types are the same (records
//! and enums by identity of their declaration).

use crate::ast::RecordKind;
use crate::span::{Name, Span};
use arith::float::FloatFormat;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u32);

/// The types that every table holds, at fixed numbers; [`TypeTable::new`] interns them in this
/// order.
impl TypeId {
    pub const VOID: TypeId = TypeId(0);
    pub const BOOL: TypeId = TypeId(1);
    pub const CHAR: TypeId = TypeId(2);
    pub const SCHAR: TypeId = TypeId(3);
    pub const UCHAR: TypeId = TypeId(4);
    pub const SHORT: TypeId = TypeId(5);
    pub const USHORT: TypeId = TypeId(6);
    pub const INT: TypeId = TypeId(7);
    pub const UINT: TypeId = TypeId(8);
    pub const LONG: TypeId = TypeId(9);
    pub const ULONG: TypeId = TypeId(10);
    pub const LONG_LONG: TypeId = TypeId(11);
    pub const ULONG_LONG: TypeId = TypeId(12);
    pub const INT128: TypeId = TypeId(13);
    pub const UINT128: TypeId = TypeId(14);
    pub const FLOAT16: TypeId = TypeId(15);
    pub const FLOAT: TypeId = TypeId(16);
    pub const DOUBLE: TypeId = TypeId(17);
    pub const LONG_DOUBLE: TypeId = TypeId(18);
    pub const FLOAT128: TypeId = TypeId(19);
    pub const VA_LIST: TypeId = TypeId(20);
    pub const VOID_POINTER: TypeId = TypeId(21);
    pub const CHAR_POINTER: TypeId = TypeId(22);
}

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

impl IntKind {
    /// In the order of their types' numbers.
    pub const ALL: [IntKind; 14] = [
        IntKind::Bool,
        IntKind::Char,
        IntKind::SChar,
        IntKind::UChar,
        IntKind::Short,
        IntKind::UShort,
        IntKind::Int,
        IntKind::UInt,
        IntKind::Long,
        IntKind::ULong,
        IntKind::LongLong,
        IntKind::ULongLong,
        IntKind::Int128,
        IntKind::UInt128,
    ];

    pub fn ty(self) -> TypeId {
        TypeId(TypeId::BOOL.0 + self as u32)
    }

    pub fn is_signed(self) -> bool {
        use IntKind::*;
        matches!(self, Char | SChar | Short | Int | Long | LongLong | Int128)
    }

    /// Width in memory; `_Bool` takes a byte.
    pub fn bits(self, model: DataModel) -> u16 {
        use IntKind::*;
        match self {
            Bool | Char | SChar | UChar => 8,
            Short | UShort => 16,
            Int | UInt => 32,
            Long | ULong => model.pointer_bits(),
            LongLong | ULongLong => 64,
            Int128 | UInt128 => 128,
        }
    }

    /// C11 6.3.1.1 paragraph 1: of two integer types, the one of higher rank wins.
    pub fn rank(self) -> u8 {
        use IntKind::*;
        match self {
            Bool => 0,
            Char | SChar | UChar => 1,
            Short | UShort => 2,
            Int | UInt => 3,
            Long | ULong => 4,
            LongLong | ULongLong => 5,
            Int128 | UInt128 => 6,
        }
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> IntKind {
        use IntKind::*;
        match self {
            Char | SChar => UChar,
            Short => UShort,
            Int => UInt,
            Long => ULong,
            LongLong => ULongLong,
            Int128 => UInt128,
            other => other,
        }
    }
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
    /// In the order of their types' numbers, smallest first.
    pub const ALL: [FloatKind; 5] = [
        FloatKind::Float16,
        FloatKind::Float,
        FloatKind::Double,
        FloatKind::LongDouble,
        FloatKind::Float128,
    ];

    pub fn ty(self) -> TypeId {
        TypeId(TypeId::FLOAT16.0 + self as u32)
    }

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
    /// `__builtin_va_list`: `char *`-sized on i386, 24 bytes aligned to 8 on x86-64 (behaves as an
    /// array of one element there).
    VaList,
    /// A type that differs in qualifiers only. Interned apart so that assignments to const objects
    /// can be diagnosed and `typeof` keeps them; use [`TypeTable::unqualified`] before matching on
    /// a type.
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
    /// Not a record of the program but several numbers that C and GNU C compute with at once: its
    /// members, which have no names, are the numbers.
    pub tuple: Option<Tuple>,
    pub span: Span,
}

/// The numbers that a complex number or a vector consists of. All of them are of one type, which is
/// unqualified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tuple {
    pub kind: TupleKind,
    pub element: TypeId,
    pub count: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TupleKind {
    /// `_Complex`: the real part, then the imaginary one.
    Complex,
    /// GNU's `vector_size`.
    Vector,
}

#[derive(Clone, Debug)]
pub struct RecordLayout {
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
    /// The alignment comes from an attribute somewhere inside; such types keep it on i386, where
    /// others are aligned to four bytes at most.
    pub user_align: bool,
}

#[derive(Clone, Debug)]
pub struct Field {
    /// Absent for anonymous members and unnamed bit-fields (unnamed bit-fields are kept for the
    /// layout only and never accessed).
    pub name: Option<Name>,
    pub ty: TypeId,
    /// Bytes from the start of the record. For a bit-field, the offset of its container.
    pub offset: u64,
    pub bits: Option<BitField>,
    /// An attribute or a pragma has a say in its alignment.
    pub attributed: bool,
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
        let mut table = TypeTable {
            model,
            types: Vec::new(),
            index: FxHashMap::default(),
            records: Vec::new(),
            enums: Vec::new(),
        };
        table.intern(Type::Void);
        for kind in IntKind::ALL {
            table.intern(Type::Int(kind));
        }
        for kind in FloatKind::ALL {
            table.intern(Type::Float(kind));
        }
        table.intern(Type::VaList);
        table.intern(Type::Pointer(TypeId::VOID));
        table.intern(Type::Pointer(TypeId::CHAR));
        table
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

    pub fn pointer_to(&mut self, target: TypeId) -> TypeId {
        self.intern(Type::Pointer(target))
    }

    pub fn array_of(&mut self, element: TypeId, len: ArrayLen) -> TypeId {
        self.intern(Type::Array { element, len })
    }

    /// The type with further qualifiers. Those of an array belong to its elements (C11 6.7.3
    /// paragraph 9), so no array type is qualified itself; functions take none.
    pub fn qualified(&mut self, id: TypeId, is_const: bool, is_volatile: bool) -> TypeId {
        if !is_const && !is_volatile {
            return id;
        }
        match *self.get(id) {
            Type::Qualified {
                base,
                is_const: c,
                is_volatile: v,
            } => {
                let (is_const, is_volatile) = (is_const || c, is_volatile || v);
                self.intern(Type::Qualified {
                    base,
                    is_const,
                    is_volatile,
                })
            }
            Type::Array { element, len } => {
                let element = self.qualified(element, is_const, is_volatile);
                self.array_of(element, len)
            }
            Type::Function(_) => id,
            _ => self.intern(Type::Qualified {
                base: id,
                is_const,
                is_volatile,
            }),
        }
    }

    /// The qualifiers at the top (of an array: those of its elements).
    pub fn qualifiers(&self, mut id: TypeId) -> (bool, bool) {
        let (mut is_const, mut is_volatile) = (false, false);
        loop {
            let (base, c, v) = self.without_qualifiers(id);
            is_const |= c;
            is_volatile |= v;
            match *self.get(base) {
                Type::Array { element, .. } => id = element,
                _ => return (is_const, is_volatile),
            }
        }
    }

    /// The type without qualifiers and alignment at the top; whether it was const and volatile.
    pub fn without_qualifiers(&self, mut id: TypeId) -> (TypeId, bool, bool) {
        let (mut is_const, mut is_volatile) = (false, false);
        loop {
            match *self.get(id) {
                Type::Qualified {
                    base,
                    is_const: c,
                    is_volatile: v,
                } => {
                    is_const |= c;
                    is_volatile |= v;
                    id = base;
                }
                Type::Aligned { base, .. } => id = base,
                _ => return (id, is_const, is_volatile),
            }
        }
    }

    /// The integer type that represents values of the type: itself, or that of a complete enum.
    pub fn int_kind(&self, id: TypeId) -> Option<IntKind> {
        match *self.shape(id) {
            Type::Int(kind) => Some(kind),
            Type::Enum(id) => self.enum_def(id).repr,
            _ => None,
        }
    }

    pub fn float_kind(&self, id: TypeId) -> Option<FloatKind> {
        match *self.shape(id) {
            Type::Float(kind) => Some(kind),
            _ => None,
        }
    }

    /// What a pointer points to.
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match *self.shape(id) {
            Type::Pointer(target) => Some(target),
            _ => None,
        }
    }

    /// Width and signedness of an integer, enum or pointer type.
    pub fn int_bits(&self, id: TypeId) -> Option<(u32, bool)> {
        match *self.shape(id) {
            Type::Pointer(_) => Some((u32::from(self.model.pointer_bits()), false)),
            _ => {
                let kind = self.int_kind(id)?;
                Some((u32::from(kind.bits(self.model)), kind.is_signed()))
            }
        }
    }

    pub fn is_integer(&self, id: TypeId) -> bool {
        matches!(self.shape(id), Type::Int(_) | Type::Enum(_))
    }

    pub fn is_arithmetic(&self, id: TypeId) -> bool {
        matches!(
            self.shape(id),
            Type::Int(_) | Type::Enum(_) | Type::Float(_)
        )
    }

    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.shape(id), Type::Pointer(_))
    }

    pub fn is_scalar(&self, id: TypeId) -> bool {
        matches!(
            self.shape(id),
            Type::Int(_) | Type::Enum(_) | Type::Float(_) | Type::Pointer(_)
        )
    }

    pub fn is_void(&self, id: TypeId) -> bool {
        self.unqualified(id) == TypeId::VOID
    }

    pub fn record_id(&self, id: TypeId) -> Option<RecordId> {
        match *self.shape(id) {
            Type::Record(id) => Some(id),
            _ => None,
        }
    }

    /// What a complex number or a vector consists of.
    pub fn tuple(&self, id: TypeId) -> Option<Tuple> {
        self.record(self.record_id(id)?).tuple
    }

    /// The type of the two parts of a complex number.
    pub fn complex_part(&self, id: TypeId) -> Option<TypeId> {
        let tuple = self.tuple(id)?;
        (tuple.kind == TupleKind::Complex).then_some(tuple.element)
    }

    pub fn is_vector(&self, id: TypeId) -> bool {
        let tuple = self.tuple(id);
        tuple.is_some_and(|tuple| tuple.kind == TupleKind::Vector)
    }

    pub fn function(&self, id: TypeId) -> Option<&FunctionType> {
        match self.shape(id) {
            Type::Function(function) => Some(function),
            _ => None,
        }
    }

    /// The unsigned integer type of `sizeof`.
    pub fn size_type(&self) -> TypeId {
        match self.model {
            DataModel::Ilp32 => TypeId::UINT,
            DataModel::Lp64 => TypeId::ULONG,
        }
    }

    /// The type of the difference of two pointers.
    pub fn ptrdiff_type(&self) -> TypeId {
        match self.model {
            DataModel::Ilp32 => TypeId::INT,
            DataModel::Lp64 => TypeId::LONG,
        }
    }

    /// `wchar_t`, which gcc makes `long` on i386.
    pub fn wchar_type(&self) -> TypeId {
        match self.model {
            DataModel::Ilp32 => TypeId::LONG,
            DataModel::Lp64 => TypeId::INT,
        }
    }

    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    pub fn enum_def(&self, id: EnumId) -> &EnumDef {
        &self.enums[id.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_numbers_are_what_their_names_say() {
        let table = TypeTable::new(DataModel::Lp64);
        for kind in IntKind::ALL {
            assert_eq!(*table.get(kind.ty()), Type::Int(kind));
        }
        for kind in FloatKind::ALL {
            assert_eq!(*table.get(kind.ty()), Type::Float(kind));
        }
        assert_eq!(*table.get(TypeId::ULONG), Type::Int(IntKind::ULong));
        assert_eq!(*table.get(TypeId::UINT128), Type::Int(IntKind::UInt128));
        assert_eq!(
            *table.get(TypeId::FLOAT128),
            Type::Float(FloatKind::Float128)
        );
        assert_eq!(*table.get(TypeId::VA_LIST), Type::VaList);
        assert_eq!(
            *table.get(TypeId::CHAR_POINTER),
            Type::Pointer(TypeId::CHAR)
        );
    }

    #[test]
    fn qualifiers_of_an_array_are_those_of_its_elements() {
        let mut table = TypeTable::new(DataModel::Lp64);
        let array = table.array_of(TypeId::INT, ArrayLen::Fixed(3));
        let constant = table.qualified(array, true, false);
        let Type::Array { element, .. } = *table.get(constant) else {
            panic!("not an array")
        };
        assert_eq!(table.qualifiers(element), (true, false));
        assert_eq!(table.qualifiers(constant), (true, false));
        assert_eq!(table.unqualified(element), TypeId::INT);
    }
}
