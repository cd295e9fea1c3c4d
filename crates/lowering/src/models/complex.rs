//! Complex arithmetic that gcc calls its own library for; [`syntax::complex`] has the names.

/// The models in C.
pub(super) fn models() -> String {
    let mut text = include_str!("complex.c").to_owned();
    for (letter, number, suffix) in [
        ("s", "float", "f"),
        ("d", "double", ""),
        ("x", "long double", "l"),
    ] {
        text += &of_type(include_str!("product.c"), letter, number, suffix);
    }
    for (letter, number, suffix, [largest, smallest, epsilon]) in [
        (
            "d",
            "double",
            "",
            ["0x1.fffffffffffffp1023", "0x1p-1022", "0x1p-52"],
        ),
        (
            "x",
            "long double",
            "l",
            ["0x1.fffffffffffffffep16383L", "0x1p-16382L", "0x1p-63L"],
        ),
    ] {
        text += &of_type(include_str!("quotient.c"), letter, number, suffix)
            .replace("LARGEST", largest)
            .replace("SMALLEST", smallest)
            .replace("EPSILON", epsilon);
    }
    text
}

fn of_type(template: &str, letter: &str, number: &str, suffix: &str) -> String {
    template
        .replace("LETTER", letter)
        .replace("NUMBER", number)
        .replace("SUFFIX", suffix)
}
