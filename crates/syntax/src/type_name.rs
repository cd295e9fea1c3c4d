//! Types as C text, with the declarator around the name where C wants it.

use crate::ast::RecordKind;
use crate::names::Names;
use crate::span::Name;
use crate::types::{ArrayLen, FloatKind, IntKind, Tuple, TupleKind, Type, TypeId, TypeTable};

/// The type as a type name: `int (*)[3]`.
pub fn type_name(types: &TypeTable, names: &Names, ty: TypeId) -> String {
    declaration(types, names, ty, "")
}

/// The declaration of `name` with this type, without the semicolon: `int (*p)[3]`.
pub fn declaration(types: &TypeTable, names: &Names, ty: TypeId, name: &str) -> String {
    declaration_with(
        types,
        &|tag| tag.map(|tag| names.get(tag).to_owned()),
        ty,
        name,
    )
}

/// As [`declaration`], with tags spelled by `spell` (for programs whose records need new names). An
/// absent tag may be spelled too; otherwise it is shown as `<anonymous>`.
pub fn declaration_with(
    types: &TypeTable,
    spell: &dyn Fn(Option<Name>) -> Option<String>,
    ty: TypeId,
    name: &str,
) -> String {
    let mut text = name.to_owned();
    let mut ty = ty;
    let (mut is_const, mut is_volatile) = (false, false);
    loop {
        let (base, c, v) = types.without_qualifiers(ty);
        (ty, is_const, is_volatile) = (base, is_const || c, is_volatile || v);
        match types.get(ty) {
            Type::Pointer(target) => {
                let mut star = String::from("*");
                push_qualifiers(&mut star, is_const, is_volatile);
                (is_const, is_volatile) = (false, false);
                text.insert_str(0, &star);
                ty = *target;
                if matches!(types.shape(ty), Type::Array { .. } | Type::Function(_)) {
                    text = format!("({})", text.trim_end());
                }
            }
            Type::Array { element, len } => {
                match len {
                    ArrayLen::Fixed(count) => text.push_str(&format!("[{count}]")),
                    ArrayLen::Incomplete => text.push_str("[]"),
                    ArrayLen::Variable(_) => text.push_str("[*]"),
                }
                ty = *element;
            }
            Type::Function(function) => {
                let mut params: Vec<String> = Vec::new();
                if function.prototyped {
                    for &param in &function.params {
                        params.push(declaration_with(types, spell, param, ""));
                    }
                    if function.variadic {
                        params.push("...".to_owned());
                    } else if params.is_empty() {
                        params.push("void".to_owned());
                    }
                }
                text.push_str(&format!("({})", params.join(", ")));
                ty = function.result;
            }
            _ => break,
        }
    }
    let mut result = String::new();
    if is_const {
        result.push_str("const ");
    }
    if is_volatile {
        result.push_str("volatile ");
    }
    result.push_str(&base_name(types, spell, ty));
    let text = text.trim_end();
    if !text.is_empty() {
        if !text.starts_with('[') {
            result.push(' ');
        }
        result.push_str(text);
    }
    result
}

fn push_qualifiers(text: &mut String, is_const: bool, is_volatile: bool) {
    if is_const {
        text.push_str("const ");
    }
    if is_volatile {
        text.push_str("volatile ");
    }
}

/// The specifiers of a type that is not derived.
fn base_name(
    types: &TypeTable,
    spell: &dyn Fn(Option<Name>) -> Option<String>,
    ty: TypeId,
) -> String {
    let tagged = |keyword: &str, tag: Option<Name>| match spell(tag) {
        Some(tag) => format!("{keyword} {tag}"),
        None => format!("{keyword} <anonymous>"),
    };
    match types.get(ty) {
        Type::Int(kind) => int_name(*kind).to_owned(),
        Type::Float(kind) => float_name(*kind).to_owned(),
        Type::VaList => "__builtin_va_list".to_owned(),
        Type::Enum(id) => tagged("enum", types.enum_def(*id).tag),
        Type::Record(id) => {
            let record = types.record(*id);
            match (record.tuple, record.kind) {
                (Some(tuple), _) => tuple_name(types, spell, tuple),
                (None, RecordKind::Struct) => tagged("struct", record.tag),
                (None, RecordKind::Union) => tagged("union", record.tag),
            }
        }
        _ => "void".to_owned(),
    }
}

fn tuple_name(
    types: &TypeTable,
    spell: &dyn Fn(Option<Name>) -> Option<String>,
    tuple: Tuple,
) -> String {
    let element = base_name(types, spell, tuple.element);
    match tuple.kind {
        TupleKind::Complex => format!("_Complex {element}"),
        TupleKind::Vector => {
            let size = types.size_of(tuple.element).unwrap_or(0) * u64::from(tuple.count);
            format!("__attribute__((vector_size({size}))) {element}")
        }
    }
}

pub fn int_name(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Bool => "_Bool",
        IntKind::Char => "char",
        IntKind::SChar => "signed char",
        IntKind::UChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UInt => "unsigned int",
        IntKind::Long => "long",
        IntKind::ULong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::ULongLong => "unsigned long long",
        IntKind::Int128 => "__int128",
        IntKind::UInt128 => "unsigned __int128",
    }
}

pub fn float_name(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::Float16 => "_Float16",
        FloatKind::Float => "float",
        FloatKind::Double => "double",
        FloatKind::LongDouble => "long double",
        FloatKind::Float128 => "_Float128",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{DataModel, FunctionType};

    #[test]
    fn declarators_go_around_the_name() {
        let names = Names::new();
        let mut types = TypeTable::new(DataModel::Lp64);
        let array = types.array_of(TypeId::INT, ArrayLen::Fixed(3));
        let to_array = types.pointer_to(array);
        let constant = types.qualified(TypeId::CHAR, true, false);
        let string = types.pointer_to(constant);
        let fixed = types.qualified(string, true, false);
        let function = types.intern(Type::Function(FunctionType {
            result: to_array,
            params: vec![string, TypeId::DOUBLE],
            variadic: true,
            prototyped: true,
        }));
        let to_function = types.pointer_to(function);
        let table = types.array_of(to_function, ArrayLen::Fixed(2));
        let show = |ty, name: &str| declaration(&types, &names, ty, name);
        assert_eq!(show(TypeId::ULONG, "x"), "unsigned long x");
        assert_eq!(show(array, "a"), "int a[3]");
        assert_eq!(show(array, ""), "int[3]");
        assert_eq!(show(to_array, "p"), "int (*p)[3]");
        assert_eq!(show(to_array, ""), "int (*)[3]");
        assert_eq!(show(string, "s"), "const char *s");
        assert_eq!(show(fixed, "s"), "const char *const s");
        assert_eq!(show(fixed, ""), "const char *const");
        assert_eq!(
            show(function, "f"),
            "int (*f(const char *, double, ...))[3]"
        );
        assert_eq!(
            show(table, "t"),
            "int (*(*t[2])(const char *, double, ...))[3]"
        );
    }
}
