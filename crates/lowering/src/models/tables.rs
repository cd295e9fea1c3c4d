//! The tables of the "C" locale to which glibc's `<ctype.h>` expands its functions.

use std::fmt::Write;

/// The tables have entries for these arguments: a `signed char`, an `unsigned char`, and `EOF`.
const ARGUMENTS: std::ops::RangeInclusive<i32> = -128..=255;

/// The definitions of the tables in C.
pub(super) fn tables() -> String {
    let mut text = String::new();
    for (ty, name, entry) in [
        ("unsigned short", "classes", classes as fn(i32) -> i32),
        ("int", "lower", |c| mapped(c, u8::to_ascii_lowercase)),
        ("int", "upper", |c| mapped(c, u8::to_ascii_uppercase)),
    ] {
        let _ = writeln!(text, "\nstatic const {ty} __concord_ctype_{name}[384] = {{");
        for argument in ARGUMENTS {
            let end = if argument & 15 == 15 { "\n" } else { " " };
            let _ = write!(text, "{},{end}", entry(argument));
        }
        text += "};\n";
    }
    text
}

/// glibc's bits for a character; none outside of ASCII.
fn classes(argument: i32) -> i32 {
    let Some(c) = u8::try_from(argument).ok().filter(u8::is_ascii) else {
        return 0;
    };
    let is_space = c.is_ascii_whitespace() || c == 0x0b;
    let bits = [
        (matches!(c, b' ' | b'\t'), 0x0001),
        (c.is_ascii_control(), 0x0002),
        (c.is_ascii_punctuation(), 0x0004),
        (c.is_ascii_alphanumeric(), 0x0008),
        (c.is_ascii_uppercase(), 0x0100),
        (c.is_ascii_lowercase(), 0x0200),
        (c.is_ascii_alphabetic(), 0x0400),
        (c.is_ascii_digit(), 0x0800),
        (c.is_ascii_hexdigit(), 0x1000),
        (is_space, 0x2000),
        (c.is_ascii_graphic() || c == b' ', 0x4000),
        (c.is_ascii_graphic(), 0x8000),
    ];
    let set = bits.iter().filter(|(is_in, _)| *is_in);
    set.map(|(_, bit)| bit).sum()
}

/// The entry of a table of letters: negative characters as the unsigned ones, `EOF` as it is.
fn mapped(argument: i32, letter: fn(&u8) -> u8) -> i32 {
    match u8::try_from(argument) {
        Ok(c) => i32::from(letter(&c)),
        Err(_) if argument == -1 => -1,
        Err(_) => argument + 256,
    }
}
