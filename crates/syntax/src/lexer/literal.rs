//! What literals mean: numbers, characters and strings (C11 6.4.4, 6.4.5, and GNU's additions).

use crate::ast::{BasicType, CharWidth};

/// A number literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Number {
    Int {
        value: u128,
        decimal: bool,
        unsigned: bool,
        longs: u8,
    },
    /// The text without its suffix.
    Float { text: Box<str>, ty: BasicType },
    /// GNU: the number times the imaginary unit.
    Imaginary(Box<Number>),
}

/// Why a literal is wrong, or which construct it is that is not supported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LiteralError {
    Wrong(String),
    Unsupported(&'static str),
}

fn wrong(message: impl Into<String>) -> LiteralError {
    LiteralError::Wrong(message.into())
}

/// Reads a preprocessing number.
pub fn number(text: &[u8]) -> Result<Number, LiteralError> {
    let text = std::str::from_utf8(text).map_err(|_| wrong("number with broken bytes"))?;
    match without_imaginary_suffix(text) {
        Some(real) => Ok(Number::Imaginary(Box::new(real_number(&real)?))),
        None => real_number(text),
    }
}

/// The number without GNU's suffix `i` or `j`, which may stand before, behind or between others.
fn without_imaginary_suffix(text: &str) -> Option<String> {
    let is_unit = |b: u8| matches!(b, b'i' | b'I' | b'j' | b'J');
    let start = text.bytes().position(is_unit)?;
    // No digit, exponent or other suffix has such a letter.
    let letters = |text: &str| text.bytes().all(|b| b.is_ascii_alphabetic());
    let behind = &text[start + 1..];
    (letters(behind) && !behind.bytes().any(is_unit)).then(|| format!("{}{behind}", &text[..start]))
}

fn real_number(text: &str) -> Result<Number, LiteralError> {
    let bytes = text.as_bytes();
    match bytes {
        [b'0', b'x' | b'X', ..] => {
            let rest = &text[2..];
            if rest.bytes().any(|b| matches!(b, b'.' | b'p' | b'P')) {
                hex_float(text)
            } else {
                integer(rest, 16)
            }
        }
        [b'0', b'b' | b'B', ..] => integer(&text[2..], 2),
        _ if is_decimal_float(bytes) => decimal_float(text),
        [b'0', ..] => integer(&text[1..], 8),
        _ => integer(text, 10),
    }
}

fn is_decimal_float(bytes: &[u8]) -> bool {
    let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    matches!(bytes.get(digits), Some(b'.' | b'e' | b'E'))
        || matches!(&bytes[digits..], b"f" | b"F") && digits == 0
}

fn integer(text: &str, radix: u32) -> Result<Number, LiteralError> {
    let mut value: u128 = 0;
    let mut length = 0;
    for b in text.bytes() {
        let Some(digit) = (b as char).to_digit(if radix == 16 { 16 } else { 10 }) else {
            break;
        };
        if digit >= radix {
            let kind = if radix == 8 { "octal" } else { "binary" };
            return Err(wrong(format!(
                "invalid digit '{}' in {kind} constant",
                b as char
            )));
        }
        value = value
            .checked_mul(u128::from(radix))
            .and_then(|value| value.checked_add(u128::from(digit)))
            .ok_or_else(|| wrong("integer constant is too large for any type"))?;
        length += 1;
    }
    // "0" alone, and "0u", arrive as octal without digits.
    if length == 0 && radix != 8 {
        return Err(wrong("integer constant without digits"));
    }
    let suffix = &text[length..];
    let (unsigned, longs) = match suffix {
        "" => (false, 0),
        "u" | "U" => (true, 0),
        "l" | "L" => (false, 1),
        "ul" | "uL" | "Ul" | "UL" | "lu" | "lU" | "Lu" | "LU" => (true, 1),
        "ll" | "LL" => (false, 2),
        "ull" | "uLL" | "Ull" | "ULL" | "llu" | "llU" | "LLu" | "LLU" => (true, 2),
        _ => {
            return Err(wrong(format!(
                "invalid suffix '{suffix}' on integer constant"
            )));
        }
    };
    Ok(Number::Int {
        value,
        decimal: radix == 10,
        unsigned,
        longs,
    })
}

/// How many digits stand at the beginning.
fn digits(text: &str, radix: u32) -> usize {
    text.chars().take_while(|c| c.is_digit(radix)).count()
}

fn decimal_float(text: &str) -> Result<Number, LiteralError> {
    let mut length = digits(text, 10);
    let mut count = length;
    if text[length..].starts_with('.') {
        let fraction = digits(&text[length + 1..], 10);
        count += fraction;
        length += 1 + fraction;
    }
    if count == 0 {
        return Err(wrong("floating constant without digits"));
    }
    if text[length..].starts_with(['e', 'E']) {
        length += exponent(&text[length..])?;
    }
    finish_float(text, length)
}

fn hex_float(text: &str) -> Result<Number, LiteralError> {
    let mut length = 2 + digits(&text[2..], 16);
    let mut count = length - 2;
    if text[length..].starts_with('.') {
        let fraction = digits(&text[length + 1..], 16);
        count += fraction;
        length += 1 + fraction;
    }
    if count == 0 {
        return Err(wrong("floating constant without digits"));
    }
    if !text[length..].starts_with(['p', 'P']) {
        return Err(wrong("hexadecimal floating constant requires an exponent"));
    }
    length += exponent(&text[length..])?;
    finish_float(text, length)
}

/// The length of an exponent with its letter.
fn exponent(text: &str) -> Result<usize, LiteralError> {
    let sign = usize::from(text[1..].starts_with(['+', '-']));
    match digits(&text[1 + sign..], 10) {
        0 => Err(wrong("exponent has no digits")),
        count => Ok(1 + sign + count),
    }
}

fn finish_float(text: &str, length: usize) -> Result<Number, LiteralError> {
    let suffix = &text[length..];
    let ty = match suffix {
        "" | "d" | "D" | "f64" | "F64" | "f32x" | "F32x" => BasicType::Double,
        "f" | "F" | "f32" | "F32" => BasicType::Float,
        "l" | "L" | "w" | "W" | "f64x" | "F64x" => BasicType::LongDouble,
        "q" | "Q" | "f128" | "F128" => BasicType::Float128,
        "f16" | "F16" => BasicType::Float16,
        "df" | "dd" | "dl" | "DF" | "DD" | "DL" => {
            return Err(LiteralError::Unsupported("decimal floating constant"));
        }
        _ => {
            return Err(wrong(format!(
                "invalid suffix '{suffix}' on floating constant"
            )));
        }
    };
    Ok(Number::Float {
        text: text[..length].into(),
        ty,
    })
}

/// One element of a literal.
enum Element {
    /// A code unit, given by an octal or hexadecimal escape or as a raw byte.
    Unit(u32),
    /// A character, to be encoded.
    Char(char),
}

/// Splits the prefix off a literal and says what it means; the quotes are removed too.
pub fn split_prefix(text: &[u8]) -> (CharWidth, &[u8]) {
    let quote = text
        .iter()
        .position(|&b| b == b'"' || b == b'\'')
        .unwrap_or(0);
    let width = match &text[..quote] {
        b"u8" => CharWidth::Utf8,
        b"L" => CharWidth::Wide,
        b"u" => CharWidth::U16,
        b"U" => CharWidth::U32,
        _ => CharWidth::Plain,
    };
    (width, text.get(quote + 1..text.len() - 1).unwrap_or(b""))
}

fn unit_bits(width: CharWidth) -> u32 {
    match width {
        CharWidth::Plain | CharWidth::Utf8 => 8,
        CharWidth::U16 => 16,
        CharWidth::Wide | CharWidth::U32 => 32,
    }
}

/// The next element of the inside of a literal.
fn element(text: &mut &[u8], width: CharWidth) -> Result<Element, LiteralError> {
    match **text {
        [b'\\', ref rest @ ..] => {
            *text = rest;
            escape(text, width)
        }
        [b, ref rest @ ..] if b < 0x80 || unit_bits(width) == 8 => {
            *text = rest;
            Ok(Element::Unit(u32::from(b)))
        }
        _ => {
            let c = super::first_char(text)
                .ok_or_else(|| wrong("wide literal with bytes that are not UTF-8"))?;
            *text = &text[c.len_utf8()..];
            Ok(Element::Char(c))
        }
    }
}

/// An escape sequence behind its backslash.
fn escape(text: &mut &[u8], width: CharWidth) -> Result<Element, LiteralError> {
    let [kind, rest @ ..] = *text else {
        return Err(wrong("incomplete escape sequence"));
    };
    let unit = match kind {
        b'n' => 10,
        b't' => 9,
        b'r' => 13,
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'e' | b'E' => 27,
        b'\\' | b'\'' | b'"' | b'?' => u32::from(*kind),
        b'0'..=b'7' => {
            let length = text
                .iter()
                .take(3)
                .take_while(|b| matches!(b, b'0'..=b'7'))
                .count();
            let value = text[..length]
                .iter()
                .fold(0, |value, b| value * 8 + u32::from(b - b'0'));
            *text = &text[length..];
            return fits(value, width, "octal").map(Element::Unit);
        }
        b'x' => {
            let length = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
            if length == 0 {
                return Err(wrong("\\x used with no following hex digits"));
            }
            let mut value: u32 = 0;
            for &b in &rest[..length] {
                let digit = (b as char).to_digit(16).unwrap_or(0);
                if value >> 28 != 0 {
                    return Err(wrong("hex escape sequence out of range"));
                }
                value = value * 16 + digit;
            }
            *text = &rest[length..];
            return fits(value, width, "hex").map(Element::Unit);
        }
        b'u' | b'U' => {
            let digits = if *kind == b'u' { 4 } else { 8 };
            let value =
                hex(rest, digits).ok_or_else(|| wrong("incomplete universal character name"))?;
            let c = char::from_u32(value)
                .ok_or_else(|| wrong("universal character name is not a character"))?;
            *text = &rest[digits..];
            return Ok(Element::Char(c));
        }
        other => {
            return Err(wrong(format!(
                "unknown escape sequence '\\{}'",
                other.escape_ascii()
            )));
        }
    };
    *text = rest;
    Ok(Element::Unit(unit))
}

fn fits(value: u32, width: CharWidth, kind: &str) -> Result<u32, LiteralError> {
    if unit_bits(width) < 32 && value >> unit_bits(width) != 0 {
        return Err(wrong(format!("{kind} escape sequence out of range")));
    }
    Ok(value)
}

fn hex(text: &[u8], digits: usize) -> Option<u32> {
    let text = std::str::from_utf8(text.get(..digits)?).ok()?;
    if !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(text, 16).ok()
}

/// A `\uXXXX` or `\UXXXXXXXX` at the beginning, and its length.
pub(super) fn universal_name(text: &[u8]) -> Option<(char, usize)> {
    let digits = if text.get(1) == Some(&b'u') { 4 } else { 8 };
    let c = char::from_u32(hex(text.get(2..)?, digits)?)?;
    Some((c, 2 + digits))
}

/// Appends the code units of one string literal (without prefix and quotes).
pub fn string_units(
    mut text: &[u8],
    width: CharWidth,
    units: &mut Vec<u32>,
) -> Result<(), LiteralError> {
    while !text.is_empty() {
        match element(&mut text, width)? {
            Element::Unit(unit) => units.push(unit),
            Element::Char(c) => encode(c, width, units),
        }
    }
    Ok(())
}

fn encode(c: char, width: CharWidth, units: &mut Vec<u32>) {
    match width {
        CharWidth::Plain | CharWidth::Utf8 => {
            let mut buffer = [0; 4];
            units.extend(c.encode_utf8(&mut buffer).bytes().map(u32::from));
        }
        CharWidth::U16 => {
            let mut buffer = [0; 2];
            units.extend(
                c.encode_utf16(&mut buffer)
                    .iter()
                    .map(|&unit| u32::from(unit)),
            );
        }
        CharWidth::Wide | CharWidth::U32 => units.push(c as u32),
    }
}

/// The value of a character literal. A plain one has type `int`: a single character is
/// sign-extended from `char`, several are put together as gcc does, eight bits each, the last four
/// winning.
pub fn char_value(text: &[u8], width: CharWidth) -> Result<u32, LiteralError> {
    let mut units = Vec::new();
    string_units(text, width, &mut units)?;
    match (units.as_slice(), width) {
        ([], _) => Err(wrong("empty character constant")),
        ([unit], CharWidth::Plain) => Ok(*unit as u8 as i8 as i32 as u32),
        (units, CharWidth::Plain) if units.len() > 4 => {
            Err(wrong("character constant too long for its type"))
        }
        (units, CharWidth::Plain) => Ok(units.iter().fold(0, |value, unit| (value << 8) | unit)),
        ([unit], _) => Ok(*unit),
        _ => Err(wrong("character constant too long for its type")),
    }
}

/// The bytes of a literal in which no code unit can be wider (assembler texts, asm labels).
pub fn string_bytes(text: &[u8]) -> Result<Vec<u8>, LiteralError> {
    let mut units = Vec::new();
    string_units(text, CharWidth::Plain, &mut units)?;
    Ok(units.into_iter().map(|unit| unit as u8).collect())
}

/// The path in a line marker, or the text of a `_Pragma`.
pub(super) fn unescape_path(text: &[u8]) -> String {
    match string_bytes(text) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        // Some tools write paths of other systems with bare backslashes.
        Err(_) => String::from_utf8_lossy(text).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: u128, decimal: bool, unsigned: bool, longs: u8) -> Result<Number, LiteralError> {
        Ok(Number::Int {
            value,
            decimal,
            unsigned,
            longs,
        })
    }

    #[test]
    fn integers_of_every_radix_and_suffix() {
        assert_eq!(number(b"0"), int(0, false, false, 0));
        assert_eq!(number(b"42"), int(42, true, false, 0));
        assert_eq!(number(b"0777uL"), int(0o777, false, true, 1));
        assert_eq!(number(b"0xFFull"), int(255, false, true, 2));
        assert_eq!(number(b"0b101LLU"), int(5, false, true, 2));
        assert_eq!(
            number(b"340282366920938463463374607431768211455"),
            int(u128::MAX, true, false, 0)
        );
        assert!(matches!(
            number(b"340282366920938463463374607431768211456"),
            Err(LiteralError::Wrong(_))
        ));
        for text in ["08", "0x", "0b2", "1lul", "12ab", "0xE+1", "1lL", "0b"] {
            assert!(
                matches!(number(text.as_bytes()), Err(LiteralError::Wrong(_))),
                "{text}"
            );
        }
        let imaginary = |number| Ok(Number::Imaginary(Box::new(number)));
        for text in ["3iu", "3ui", "3Ju"] {
            let three = int(3, true, true, 0).unwrap();
            assert_eq!(number(text.as_bytes()), imaginary(three), "{text}");
        }
        assert!(number(b"3ii").is_err());
    }

    #[test]
    fn floats_keep_their_text_and_give_their_type() {
        let float = |text: &str, ty| {
            Ok(Number::Float {
                text: text.into(),
                ty,
            })
        };
        assert_eq!(number(b"1.5f"), float("1.5", BasicType::Float));
        assert_eq!(number(b".5"), float(".5", BasicType::Double));
        assert_eq!(number(b"1."), float("1.", BasicType::Double));
        assert_eq!(number(b"09.5"), float("09.5", BasicType::Double));
        assert_eq!(number(b"1e-3L"), float("1e-3", BasicType::LongDouble));
        assert_eq!(number(b"0x1.8p+3"), float("0x1.8p+3", BasicType::Double));
        assert_eq!(number(b"0x.8p1F"), float("0x.8p1", BasicType::Float));
        assert_eq!(number(b"1.0F128"), float("1.0", BasicType::Float128));
        assert_eq!(number(b"2.0q"), float("2.0", BasicType::Float128));
        for text in ["1e", "1.0x", "0x1.8", "1.5.2", "0x.p1", "1.0ff"] {
            assert!(
                matches!(number(text.as_bytes()), Err(LiteralError::Wrong(_))),
                "{text}"
            );
        }
        assert!(matches!(
            number(b"1.0df"),
            Err(LiteralError::Unsupported(_))
        ));
        let one = float("1.0", BasicType::Float).unwrap();
        assert_eq!(number(b"1.0fi"), Ok(Number::Imaginary(Box::new(one))));
    }

    #[test]
    fn characters_have_the_value_gcc_gives_them() {
        let plain = |text: &[u8]| char_value(text, CharWidth::Plain).unwrap() as i32;
        assert_eq!(plain(b"a"), 97);
        assert_eq!(plain(b"\\377"), -1);
        assert_eq!(plain(b"\\xff"), -1);
        assert_eq!(plain(b"\\0"), 0);
        assert_eq!(plain(b"ab"), 0x6162);
        assert_eq!(plain(b"\\'"), 39);
        assert_eq!(char_value("é".as_bytes(), CharWidth::Wide), Ok(0xe9));
        assert_eq!(char_value(b"\\U0001F600", CharWidth::U32), Ok(0x1f600));
        assert!(char_value(b"", CharWidth::Plain).is_err());
        assert!(char_value(b"abcde", CharWidth::Plain).is_err());
        assert!(char_value(b"\\x1ff", CharWidth::Plain).is_err());
        assert!(char_value(b"\\q", CharWidth::Plain).is_err());
    }

    #[test]
    fn strings_are_encoded_in_their_width() {
        let units = |text: &str, width| {
            let mut units = Vec::new();
            string_units(text.as_bytes(), width, &mut units).unwrap();
            units
        };
        assert_eq!(units("é", CharWidth::Plain), [0xc3, 0xa9]);
        assert_eq!(units("\\u00e9", CharWidth::Plain), [0xc3, 0xa9]);
        assert_eq!(units("\\u00e9x", CharWidth::Wide), [0xe9, 0x78]);
        assert_eq!(units("\\U0001F600", CharWidth::U16), [0xd83d, 0xde00]);
        assert_eq!(units("\\1234", CharWidth::Plain), [0o123, 0x34]);
        assert_eq!(units("\\xffffffff", CharWidth::Wide), [0xffff_ffff]);
    }
}
