//! Texts for fuzzing, made from seeds, so that a failure can be repeated: soups of tokens, C
//! programs with a part cut off, repeated, exchanged or overwritten, plain bytes, and programs of
//! which single tokens are others of their kind. Used by the tests of every phase that reads texts.

// Not every phase uses all of it.
#![allow(dead_code)]

use arith::random::xorshift;
use std::time::{Duration, Instant};

/// A generator of numbers that is the same everywhere (xorshift64*, Vigna 2016).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        xorshift(&mut self.0)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound.max(1)
    }

    pub fn choose<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// The seeds that a test tries: the first `usual` ones, or as many as there is time for in the
/// seconds that `CONCORD_FUZZ_SECONDS` says.
pub fn seeds(usual: u64) -> impl Iterator<Item = u64> {
    let seconds = std::env::var("CONCORD_FUZZ_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok());
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    (1..).take_while(move |&seed| match end {
        Some(end) => Instant::now() < end,
        None => seed <= usual,
    })
}

/// What C is made of, and what is not quite C.
const PIECES: &[&str] = &[
    "int",
    "char",
    "unsigned",
    "long",
    "double",
    "void",
    "struct",
    "union",
    "enum",
    "typedef",
    "static",
    "extern",
    "const",
    "volatile",
    "if",
    "else",
    "while",
    "do",
    "for",
    "switch",
    "case",
    "default",
    "goto",
    "return",
    "break",
    "continue",
    "sizeof",
    "_Generic",
    "_Static_assert",
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_Bool",
    "_Complex",
    "__attribute__",
    "__extension__",
    "__typeof__",
    "__asm__",
    "__label__",
    "__auto_type",
    "__builtin_va_arg",
    "__builtin_offsetof",
    "__builtin_choose_expr",
    "__real__",
    "__builtin_types_compatible_p",
    "_Float128",
    "_Float32",
    "__int128",
    "x",
    "y",
    "T",
    "f",
    "main",
    "a",
    "0",
    "1",
    "0x1F",
    "077",
    "1.5e3",
    "0x1p-3",
    "'c'",
    "'\\n'",
    "\"s\"",
    "L\"w\"",
    "u8\"t\"",
    "1ull",
    "(",
    ")",
    "(",
    ")",
    "{",
    "}",
    "{",
    "}",
    "[",
    "]",
    ";",
    ";",
    ";",
    ",",
    ",",
    ".",
    "->",
    "...",
    "?",
    ":",
    "+",
    "-",
    "*",
    "*",
    "/",
    "%",
    "++",
    "--",
    "&",
    "&&",
    "|",
    "||",
    "^",
    "~",
    "!",
    "<",
    ">",
    "==",
    "<<",
    "=",
    "+=",
    "((",
    "))",
    "\n",
    "\n# 12 \"a.c\" 1\n",
    "\n#pragma pack(1)\n",
    "/* c */",
    "// c\n",
    "\\\n",
    "_Pragma(\"x\")",
    "$",
    "\\u00e9",
    "é",
    "@",
    "#",
    "08",
    "'",
    "\"",
    "/*",
    "0b2",
    "..",
    "<:",
    ":>",
    "%:",
    "typedef int T;",
    "T x;",
    "struct s { int a; };",
    "__attribute__((packed))",
    "({",
    "})",
    "&&l",
    "l:",
];

pub const PROGRAM: &str = include_str!("../sample.c");

pub fn soup(random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..random.below(120) {
        text.push_str(random.choose(PIECES));
        if random.below(4) > 0 {
            text.push(' ');
        }
    }
    text.into_bytes()
}

pub fn mutated(random: &mut Random) -> Vec<u8> {
    let mut text = PROGRAM.as_bytes().to_vec();
    for _ in 0..1 + random.below(4) {
        let from = random.below(text.len());
        let to = (from + random.below(40)).min(text.len());
        match random.below(6) {
            0 => text.truncate(from),
            1 => drop(text.drain(from..to)),
            2 => {
                let part = text[from..to].to_vec();
                let at = random.below(text.len());
                text.splice(at..at, part);
            }
            3 => {
                let piece = random.choose(PIECES).bytes();
                text.splice(from..from, piece);
            }
            4 => {
                let piece: Vec<u8> = random.choose(PIECES).bytes().collect();
                text.splice(from..from, piece.repeat(1 + random.below(300)));
            }
            _ => {
                let b = random.next() as u8;
                if let Some(place) = text.get_mut(from) {
                    *place = b;
                }
            }
        }
        if text.is_empty() {
            break;
        }
    }
    text
}

pub fn bytes(random: &mut Random) -> Vec<u8> {
    (0..random.below(200))
        .map(|_| random.next() as u8)
        .collect()
}

/// The time that this thread has really run: the clock on the wall also counts what others do on a
/// busy machine.
pub fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split_whitespace()
        .next()
        .and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Tokens that often can stand for one another, so that the program still means something.
const KINDS: &[&[&str]] = &[
    &[
        "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&&",
        "||",
    ],
    &[
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=",
    ],
    &["++", "--"],
    &[
        "int", "char", "short", "long", "unsigned", "float", "double", "_Bool",
    ],
    &[
        "-1",
        "0",
        "1",
        "2",
        "31",
        "32",
        "255",
        "4294967295u",
        "0x7fffffff",
        "1.5",
        "'a'",
        "(0)",
    ],
    &["break", "continue", "return 0"],
    &["while", "if", "switch"],
];

/// The sample with single tokens exchanged for others of their kind: mostly still a program.
pub fn varied(random: &mut Random) -> Vec<u8> {
    let mut text = PROGRAM.to_owned();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len());
        let kind = random.choose(KINDS);
        // The next place at which a token of the kind stands.
        let found = kind.iter().filter_map(|token| {
            let place = at + text.get(at..)?.find(token)?;
            let is_name = |byte: Option<&u8>| {
                byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            };
            let behind = text.as_bytes().get(place + token.len());
            let before = place.checked_sub(1).and_then(|at| text.as_bytes().get(at));
            let is_part = is_name(behind) && is_name(text.as_bytes().get(place)) || is_name(before);
            (!is_part).then_some((place, token.len()))
        });
        if let Some((place, length)) = found.min() {
            text.replace_range(place..place + length, random.choose(kind));
        }
    }
    text.into_bytes()
}
