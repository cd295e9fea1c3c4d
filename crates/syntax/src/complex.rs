//! Operators on complex numbers that are calls of functions: what gcc calls its own library for.

use crate::types::FloatKind;

/// The names of the functions: products, then quotients, of `float`, `double` and `long double`.
pub const OPERATORS: [&str; 6] = [
    "__concord_mulsc3",
    "__concord_muldc3",
    "__concord_mulxc3",
    "__concord_divsc3",
    "__concord_divdc3",
    "__concord_divxc3",
];

/// The function of a product or a quotient.
pub(crate) fn operator(is_product: bool, kind: FloatKind) -> Option<&'static str> {
    let number = match kind {
        FloatKind::Float => 0,
        FloatKind::Double => 1,
        FloatKind::LongDouble => 2,
        _ => return None,
    };
    OPERATORS
        .get(number + if is_product { 0 } else { 3 })
        .copied()
}
