//! Names, types and values as C writes them.

use arith::float::FloatFormat;
use arith::int;
use cfa::value::Ty;
use syntax::types::DataModel;

pub(super) fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    letters.next().is_some_and(is_letter) && letters.all(|c| is_letter(c) || c.is_ascii_digit())
}

/// For a shell.
pub(super) fn quoted(word: impl AsRef<str>) -> String {
    let word = word.as_ref();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+,:@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The type as functions pass and return it.
pub(super) fn c_type(ty: Ty, model: DataModel) -> Option<&'static str> {
    Some(match ty {
        Ty::Bool => "_Bool",
        Ty::Int {
            width: 8,
            signed: true,
        } => "signed char",
        Ty::Int {
            width: 8,
            signed: false,
        } => "unsigned char",
        Ty::Int {
            width: 16,
            signed: true,
        } => "short",
        Ty::Int {
            width: 16,
            signed: false,
        } => "unsigned short",
        Ty::Int {
            width: 32,
            signed: true,
        } => "int",
        Ty::Int {
            width: 32,
            signed: false,
        } => "unsigned",
        Ty::Int {
            width: 64,
            signed: true,
        } => "long long",
        Ty::Int {
            width: 64,
            signed: false,
        } => "unsigned long long",
        Ty::Int {
            width: 128,
            signed: true,
        } if model == DataModel::Lp64 => "__int128",
        Ty::Int {
            width: 128,
            signed: false,
        } if model == DataModel::Lp64 => "unsigned __int128",
        Ty::Int { .. } => return None,
        Ty::Float(FloatFormat::Single) => "float",
        Ty::Float(FloatFormat::Double) => "double",
        Ty::Float(FloatFormat::X87) => "long double",
        Ty::Float(FloatFormat::Quad) => "__float128",
        Ty::Float(FloatFormat::Half) => "_Float16",
    })
}

pub(super) fn literal(ty: Ty, bits: u128) -> String {
    match ty {
        Ty::Bool => (bits & 1).to_string(),
        Ty::Float(_) => format!("{{{:#x}ull, {:#x}ull}}", bits as u64, (bits >> 64) as u64),
        Ty::Int { width, signed } if width <= 64 => {
            let width = u32::from(width);
            match signed {
                true => {
                    let value = int::resize(bits, width, true, 128) as i128;
                    match (value, width) {
                        (value, 64) if value == i128::from(i64::MIN) => {
                            "(-0x7fffffffffffffffll - 1)".into()
                        }
                        (value, 64) => format!("{value}ll"),
                        (value, 32) if value == i128::from(i32::MIN) => "(-0x7fffffff - 1)".into(),
                        (value, _) => value.to_string(),
                    }
                }
                false if width == 64 => format!("{bits:#x}ull"),
                false => format!("{bits}u"),
            }
        }
        _ => format!(
            "((unsigned __int128){:#x}ull << 64 | {:#x}ull)",
            (bits >> 64) as u64,
            bits as u64
        ),
    }
}
