//! Values as C constants, and constraints on `\result` that compare it with constants.

use arith::float::{self, FloatFormat};
use arith::int;
use cfa::value::Ty;

/// A value as a C constant expression that has it in every data model; none for values that C has
/// no constant for.
pub fn constant(ty: Ty, bits: u128) -> Option<String> {
    match ty {
        Ty::Bool => Some(bits.to_string()),
        Ty::Int { width, signed } if width <= 64 => Some(integer(width.into(), signed, bits)),
        Ty::Int { .. } => None,
        Ty::Float(format) => real(format, bits),
    }
}

fn integer(width: u32, signed: bool, bits: u128) -> String {
    if !signed {
        let suffix = if bits > u128::from(u32::MAX) {
            "ULL"
        } else if bits > i32::MAX as u128 {
            "U"
        } else {
            ""
        };
        return format!("{bits}{suffix}");
    }
    let value = int::to_signed(bits, width);
    // The smallest values have no literal of their own: a literal is positive, and the positive one
    // does not fit.
    if value == i128::from(i64::MIN) {
        return format!("(-{}LL - 1)", i64::MAX);
    }
    if value == i128::from(i32::MIN) {
        return format!("(-{} - 1)", i32::MAX);
    }
    let fits = i32::try_from(value).is_ok();
    format!("{value}{}", if fits { "" } else { "LL" })
}

fn real(format: FloatFormat, bits: u128) -> Option<String> {
    let suffix = match format {
        FloatFormat::Single => "f",
        FloatFormat::Double => "",
        _ => "L",
    };
    let literal = float::hex_literal(format, bits)?;
    Some(format!("{literal}{suffix}"))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    /// The comparison with its sides exchanged.
    fn swapped(self) -> Comparison {
        match self {
            Comparison::Lt => Comparison::Gt,
            Comparison::Le => Comparison::Ge,
            Comparison::Gt => Comparison::Lt,
            Comparison::Ge => Comparison::Le,
            same => same,
        }
    }
}

/// A number as it is written in a constraint.
#[derive(Clone, PartialEq, Debug)]
pub enum Number {
    Integer(i128),
    /// The text of a floating constant without its suffix, perhaps with a sign.
    Real(String),
}

impl Number {
    /// The bits of the number in a type; none if it is not a value of the type.
    pub fn bits(&self, ty: Ty) -> Option<u128> {
        match (self, ty) {
            (Number::Integer(value), Ty::Bool) => Some(u128::from(*value != 0)),
            (Number::Integer(value), Ty::Int { width, signed }) => {
                let width = u32::from(width);
                let bits = int::truncate(*value as u128, width);
                let back = if signed {
                    int::to_signed(bits, width)
                } else {
                    bits as i128
                };
                // Tools write unsigned values as negative ones and the other way round.
                let wraps = back == *value
                    || (32..127).contains(&width)
                        && (-1 << (width - 1)..1 << width).contains(value);
                wraps.then_some(bits)
            }
            (Number::Integer(value), Ty::Float(format)) => Some(float::from_int(
                format,
                float::RoundingMode::NearestEven,
                *value as u128,
                128,
                true,
            )),
            (Number::Real(text), Ty::Float(format)) => {
                let (negative, body) = match text.strip_prefix('-') {
                    Some(body) => (true, body),
                    None => (false, text.as_str()),
                };
                let bits = float::parse(format, body).ok()?;
                Some(if negative {
                    float::neg(format, bits)
                } else {
                    bits
                })
            }
            (Number::Real(_), _) => None,
        }
    }
}

/// One comparison of `\result` with a constant, with `\result` on the left.
#[derive(Clone, PartialEq, Debug)]
pub struct ResultBound {
    pub comparison: Comparison,
    pub number: Number,
}

/// Reads a conjunction of comparisons of `\result` with constants; none for any other constraint.
pub fn result_bounds(text: &str) -> Option<Vec<ResultBound>> {
    let mut bounds = Vec::new();
    for part in text.split("&&") {
        let part = strip_parentheses(part);
        let (at, sign, comparison) = [
            ("==", Comparison::Eq),
            ("!=", Comparison::Ne),
            ("<=", Comparison::Le),
            (">=", Comparison::Ge),
            ("<", Comparison::Lt),
            (">", Comparison::Gt),
        ]
        .into_iter()
        .find_map(|(sign, comparison)| Some((part.find(sign)?, sign, comparison)))?;
        let (left, right) = (part[..at].trim(), part[at + sign.len()..].trim());
        let is_result = |side: &str| strip_parentheses(side) == "\\result";
        let (side, comparison) = if is_result(left) {
            (right, comparison)
        } else if is_result(right) {
            (left, comparison.swapped())
        } else {
            return None;
        };
        bounds.push(ResultBound {
            comparison,
            number: number(side)?,
        });
    }
    Some(bounds)
}

/// Is the text an integer constant, perhaps with a sign?
pub fn is_integer(text: &str) -> bool {
    matches!(number(text), Some(Number::Integer(_)))
}

fn strip_parentheses(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(inner) = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'))
    {
        // `(a) - (b)` begins and ends so too.
        let mut depth = 0i32;
        let balanced = inner.chars().all(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth >= 0
        });
        if !balanced {
            break;
        }
        text = inner.trim();
    }
    text
}

/// An integer or floating constant, perhaps negative, perhaps `(-N - 1)` as smallest values are
/// written.
pub fn number(text: &str) -> Option<Number> {
    let text = strip_parentheses(text);
    if let Some(rest) = text.strip_suffix("- 1").or_else(|| text.strip_suffix("-1"))
        && !rest.trim().is_empty()
    {
        return match number(rest)? {
            Number::Integer(value) => Some(Number::Integer(value.checked_sub(1)?)),
            Number::Real(_) => None,
        };
    }
    let (negative, body) = match text.strip_prefix('-') {
        Some(body) => (true, strip_parentheses(body)),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = body.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = body[digits.len()..].to_ascii_lowercase();
    if !matches!(
        suffix.as_str(),
        "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu"
    ) {
        return None;
    }
    let hex = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"));
    let magnitude = match hex {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => i128::from_str_radix(digits, 8).ok(),
        None if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse().ok(),
        None => None,
    };
    if let Some(magnitude) = magnitude {
        return Some(Number::Integer(if negative {
            -magnitude
        } else {
            magnitude
        }));
    }
    let is_hex = hex.is_some();
    let body = body.trim_end_matches(['l', 'L']);
    // In hexadecimal without an exponent `f` would be a digit, but then it were an integer.
    let body = body.trim_end_matches(['f', 'F']);
    if !is_hex && !body.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    float::parse(FloatFormat::Quad, body).ok()?;
    let sign = if negative { "-" } else { "" };
    Some(Number::Real(format!("{sign}{body}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn constraints_on_results_are_read() {
        let one = |text: &str| {
            let bounds = result_bounds(text).expect(text);
            assert_eq!(bounds.len(), 1, "{text}");
            (bounds[0].comparison, bounds[0].number.clone())
        };
        let int = Number::Integer;
        assert_eq!(one("\\result == 20"), (Comparison::Eq, int(20)));
        assert_eq!(one("( \\result==(-5) )"), (Comparison::Eq, int(-5)));
        assert_eq!(one("0x10UL <= \\result"), (Comparison::Ge, int(16)));
        assert_eq!(
            one("\\result == (-2147483647 - 1)"),
            (Comparison::Eq, int(i32::MIN.into()))
        );
        assert_eq!(
            one("\\result == 0x1.8p1f"),
            (Comparison::Eq, Number::Real("0x1.8p1".into()))
        );
        assert_eq!(
            result_bounds("\\result >= 1 && \\result < 5").map(|b| b.len()),
            Some(2)
        );
        for other in [
            "\\result == x",
            "x == 5",
            "\\result",
            "\\result == 1 || \\result == 2",
            "",
        ] {
            assert_eq!(result_bounds(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn written_constants_are_read_back(bits: u128, which in 0usize..7) {
            let ty = [
                Ty::signed(8),
                Ty::I32,
                Ty::U32,
                Ty::I64,
                Ty::U64,
                Ty::Float(FloatFormat::Single),
                Ty::Float(FloatFormat::Double),
            ][which];
            let bits = int::truncate(bits, ty.width().into());
            if let Some(text) = constant(ty, bits) {
                let read = number(&text).and_then(|number| number.bits(ty));
                prop_assert_eq!(read, Some(bits), "{}", text);
            }
        }

        #[test]
        fn any_text_can_be_read(text in "[-()\\\\a-z0-9=<>&x. ]{0,30}") {
            let _ = result_bounds(&text);
            let _ = number(&text);
        }
    }
}
