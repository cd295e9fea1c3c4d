//! What `printf` prints, as glibc does.

use arith::float::{self, Conversion, FloatFormat, FormatSpec};
use arith::int;
use cfa::value::Ty;
use std::iter::Peekable;
use syntax::types::DataModel;

/// Access to the strings that arguments point to.
pub(super) trait Strings {
    type Error;
    /// The byte at an address.
    fn byte(&mut self, address: u64) -> Result<u8, Self::Error>;
    /// `%n`: stores the number of bytes so far, in an integer of the given width.
    fn store_count(&mut self, address: u64, width: u16, count: u64) -> Result<(), Self::Error>;
}

#[derive(Clone, Copy, Default)]
struct Flags {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
}

/// More padding than this is not a picture of anything; it would only fill memory.
const WIDEST: usize = 1 << 20;

struct Arguments<'a> {
    rest: std::slice::Iter<'a, (u128, Ty)>,
}

impl Arguments<'_> {
    /// A missing argument (which C leaves undefined) is zero.
    fn next(&mut self) -> (u128, Ty) {
        self.rest.next().copied().unwrap_or((0, Ty::I32))
    }

    /// The next argument as an integer of the given type.
    fn integer(&mut self, width: u16, signed: bool) -> i128 {
        let (bits, ty) = self.next();
        let from = u32::from(ty.width());
        let bits = int::resize(bits, from, ty.is_signed(), width.into());
        if signed {
            int::to_signed(bits, width.into())
        } else {
            bits as i128
        }
    }
}

/// The bytes that `printf` prints for a format and its arguments.
pub(super) fn format<S: Strings>(
    model: DataModel,
    format: &[u8],
    args: &[(u128, Ty)],
    strings: &mut S,
) -> Result<Vec<u8>, S::Error> {
    let mut out = Vec::new();
    let mut args = Arguments { rest: args.iter() };
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        // Should the conversion be unknown, its text is printed as it stands.
        let mut text = vec![b'%'];
        let mut flags = Flags::default();
        while let Some(&flag) = rest.peek() {
            match flag {
                b'-' => flags.left = true,
                b'+' => flags.plus = true,
                b' ' => flags.space = true,
                b'#' => flags.alternate = true,
                b'0' => flags.zero = true,
                b'\'' => {}
                _ => break,
            }
            text.push(flag);
            rest.next();
        }
        let mut width = number(&mut rest, &mut text, &mut args).unwrap_or(0);
        if width < 0 {
            flags.left = true;
            width = width.saturating_neg();
        }
        let width = usize::try_from(width).unwrap_or(0).min(WIDEST);
        let mut precision = None;
        if rest.peek() == Some(&b'.') {
            text.extend(rest.next());
            let number = number(&mut rest, &mut text, &mut args).unwrap_or(0);
            // A negative precision is none at all.
            precision = usize::try_from(number)
                .ok()
                .map(|precision| precision.min(WIDEST));
        }
        let mut length = Vec::new();
        while let Some(modifier) = rest.next_if(|byte| b"hlLqjzt".contains(byte)) {
            length.push(modifier);
            text.push(modifier);
        }
        let bits = integer_bits(model, &length);
        let Some(conversion) = rest.next() else {
            out.extend(text);
            break;
        };
        text.push(conversion);
        let printed = match conversion {
            b'%' => vec![b'%'],
            b'd' | b'i' => signed(args.integer(bits, true), flags, width, precision),
            b'u' | b'x' | b'X' | b'o' => {
                let value = args.integer(bits, false) as u128;
                unsigned(conversion, value, flags, width, precision)
            }
            b'c' => pad(&[args.integer(8, false) as u8], flags.left, width),
            b's' => {
                let address = args.integer(64, false) as u64;
                let bytes = string(address, precision, strings)?;
                pad(&bytes, flags.left, width)
            }
            b'p' => {
                let value = args.integer(64, false) as u128;
                if value == 0 {
                    pad(b"(nil)", flags.left, width)
                } else {
                    flags.alternate = true;
                    unsigned(b'x', value, flags, width, precision)
                }
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let (value, ty) = args.next();
                real(conversion, value, ty, flags, width, precision)
            }
            b'n' => {
                let address = args.integer(64, false) as u64;
                strings.store_count(address, bits, out.len() as u64)?;
                Vec::new()
            }
            _ => text,
        };
        out.extend(printed);
    }
    Ok(out)
}

/// A field width or precision: digits, or `*` for an argument.
fn number(
    rest: &mut Peekable<impl Iterator<Item = u8>>,
    text: &mut Vec<u8>,
    args: &mut Arguments,
) -> Option<i64> {
    if let Some(star) = rest.next_if_eq(&b'*') {
        text.push(star);
        return Some(args.integer(32, true) as i64);
    }
    let mut value = None;
    while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
        text.push(digit);
        let next = value.unwrap_or(0i64).saturating_mul(10);
        value = Some(next.saturating_add(i64::from(digit - b'0')));
    }
    value
}

/// The width of an integer argument with this length modifier.
fn integer_bits(model: DataModel, length: &[u8]) -> u16 {
    match length {
        b"hh" => 8,
        b"h" => 16,
        b"l" | b"z" | b"t" => model.pointer_bits(),
        b"ll" | b"q" | b"j" | b"L" => 64,
        _ => 32,
    }
}

/// The bytes up to the terminator, or as many as the precision allows.
pub(super) fn string<S: Strings>(
    address: u64,
    limit: Option<usize>,
    strings: &mut S,
) -> Result<Vec<u8>, S::Error> {
    let mut bytes = Vec::new();
    if address == 0 {
        // glibc prints this for a null pointer, if the precision has room for it.
        let null = b"(null)";
        let fits = limit.is_none_or(|limit| limit >= null.len());
        return Ok(if fits { null.to_vec() } else { bytes });
    }
    while limit.is_none_or(|limit| bytes.len() < limit) {
        match strings.byte(address.wrapping_add(bytes.len() as u64))? {
            0 => break,
            byte => bytes.push(byte),
        }
    }
    Ok(bytes)
}

fn pad(bytes: &[u8], left: bool, width: usize) -> Vec<u8> {
    let missing = width.saturating_sub(bytes.len());
    let mut out = Vec::with_capacity(bytes.len() + missing);
    if !left {
        out.resize(missing, b' ');
    }
    out.extend(bytes);
    if left {
        out.resize(bytes.len() + missing, b' ');
    }
    out
}

fn signed(value: i128, flags: Flags, width: usize, precision: Option<usize>) -> Vec<u8> {
    let sign = match value {
        ..0 => "-",
        _ if flags.plus => "+",
        _ if flags.space => " ",
        _ => "",
    };
    let digits = value.unsigned_abs().to_string();
    integer(sign, digits, value == 0, flags, width, precision)
}

fn unsigned(
    conversion: u8,
    value: u128,
    flags: Flags,
    width: usize,
    precision: Option<usize>,
) -> Vec<u8> {
    let mut precision = precision;
    let (prefix, digits) = match conversion {
        b'x' => ("0x", format!("{value:x}")),
        b'X' => ("0X", format!("{value:X}")),
        b'o' => ("", format!("{value:o}")),
        _ => ("", value.to_string()),
    };
    if conversion == b'o' && flags.alternate && (value != 0 || precision == Some(0)) {
        // The precision grows until the first digit is zero.
        precision = Some(
            precision
                .unwrap_or(1)
                .max(digits.len() + usize::from(value != 0)),
        );
    }
    let prefix = if flags.alternate && value != 0 {
        prefix
    } else {
        ""
    };
    integer(prefix, digits, value == 0, flags, width, precision)
}

fn integer(
    prefix: &str,
    digits: String,
    is_zero: bool,
    flags: Flags,
    width: usize,
    precision: Option<usize>,
) -> Vec<u8> {
    let digits = if is_zero && precision == Some(0) {
        String::new()
    } else {
        digits
    };
    let by_precision = precision.unwrap_or(0).saturating_sub(digits.len());
    let by_width = width.saturating_sub(prefix.len() + by_precision + digits.len());
    // The flag 0 is ignored beside a precision.
    let zeros = if flags.zero && !flags.left && precision.is_none() {
        by_width
    } else {
        by_precision
    };
    let text = format!("{prefix}{}{digits}", "0".repeat(zeros));
    pad(text.as_bytes(), flags.left, width)
}

fn real(
    conversion: u8,
    bits: u128,
    ty: Ty,
    flags: Flags,
    width: usize,
    precision: Option<usize>,
) -> Vec<u8> {
    let format = match ty {
        Ty::Float(format) => format,
        _ => FloatFormat::Double,
    };
    // Half and single arguments are promoted by C before they get here; the value is the same.
    let spec = FormatSpec {
        conversion: match conversion.to_ascii_lowercase() {
            b'f' => Conversion::Fixed,
            b'e' => Conversion::Exponent,
            b'g' => Conversion::General,
            _ => Conversion::Hexadecimal,
        },
        uppercase: conversion.is_ascii_uppercase(),
        left_align: flags.left,
        plus: flags.plus,
        space: flags.space,
        alternate: flags.alternate,
        zero_pad: flags.zero,
        width,
        precision,
    };
    float::format(format, bits, &spec).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoStrings;

    impl Strings for NoStrings {
        type Error = ();
        fn byte(&mut self, address: u64) -> Result<u8, ()> {
            b"hello\0".get(address as usize - 100).copied().ok_or(())
        }
        fn store_count(&mut self, _: u64, _: u16, _: u64) -> Result<(), ()> {
            Err(())
        }
    }

    fn print(text: &str, args: &[(u128, Ty)]) -> String {
        let bytes = format(DataModel::Lp64, text.as_bytes(), args, &mut NoStrings)
            .expect("the strings end inside their objects");
        String::from_utf8(bytes).expect("only letters are printed")
    }

    const MINUS_ONE: (u128, Ty) = (0xffff_ffff, Ty::I32);

    #[test]
    fn integers() {
        let five = [(5, Ty::I32)];
        assert_eq!(print("[%d|%%]", &five), "[5|%]");
        assert_eq!(print("[%5d]", &five), "[    5]");
        assert_eq!(print("[%-5d]", &five), "[5    ]");
        assert_eq!(print("[%05d]", &five), "[00005]");
        assert_eq!(print("[%+d]", &five), "[+5]");
        assert_eq!(print("[% d]", &five), "[ 5]");
        assert_eq!(print("[%.3d]", &five), "[005]");
        assert_eq!(print("[%6.3d]", &five), "[   005]");
        assert_eq!(print("[%06.3d]", &five), "[   005]");
        assert_eq!(print("[%.0d]", &[(0, Ty::I32)]), "[]");
        assert_eq!(print("[%d]", &[MINUS_ONE]), "[-1]");
        assert_eq!(print("[%u]", &[MINUS_ONE]), "[4294967295]");
        assert_eq!(print("[%hhd]", &[(0x1ff, Ty::I32)]), "[-1]");
        assert_eq!(print("[%hx]", &[MINUS_ONE]), "[ffff]");
        assert_eq!(print("[%#x]", &five), "[0x5]");
        assert_eq!(print("[%#06x]", &five), "[0x0005]");
        assert_eq!(print("[%#o]", &five), "[05]");
        assert_eq!(print("[%X]", &[(0xabc, Ty::U32)]), "[ABC]");
        assert_eq!(print("[%ld]", &[(u64::MAX.into(), Ty::I64)]), "[-1]");
        assert_eq!(print("[%llx]", &[(0x1_0000_0000, Ty::U64)]), "[100000000]");
        assert_eq!(print("[%*d]", &[(4, Ty::I32), (5, Ty::I32)]), "[   5]");
        assert_eq!(
            print("[%*d]", &[(0xffff_fffc, Ty::I32), (5, Ty::I32)]),
            "[5   ]"
        );
        assert_eq!(print("[%.*d]", &[(2, Ty::I32), (5, Ty::I32)]), "[05]");
    }

    #[test]
    fn strings_and_characters() {
        let hello = [(100, Ty::U64)];
        assert_eq!(print("[%s]", &hello), "[hello]");
        assert_eq!(print("[%7s]", &hello), "[  hello]");
        assert_eq!(print("[%-7s]", &hello), "[hello  ]");
        assert_eq!(print("[%.2s]", &hello), "[he]");
        assert_eq!(print("[%c]", &[(65, Ty::I32)]), "[A]");
        assert_eq!(print("[%s]", &[(0, Ty::U64)]), "[(null)]");
        assert_eq!(print("[%p]", &[(0, Ty::U64)]), "[(nil)]");
        assert_eq!(print("[%p]", &[(0xabc, Ty::U64)]), "[0xabc]");
    }

    #[test]
    fn reals() {
        let value = [(u128::from(1.5f64.to_bits()), Ty::Float(FloatFormat::Double))];
        assert_eq!(print("[%f]", &value), "[1.500000]");
        assert_eq!(print("[%8.2f]", &value), "[    1.50]");
        assert_eq!(print("[%g]", &value), "[1.5]");
        assert_eq!(print("[%e]", &value), "[1.500000e+00]");
        assert_eq!(print("[%a]", &value), "[0x1.8p+0]");
    }

    #[test]
    fn what_is_unknown_is_printed_as_it_stands() {
        assert_eq!(print("[%y]", &[]), "[%y]");
        assert_eq!(print("100%", &[]), "100%");
    }
}
