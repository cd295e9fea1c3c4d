//! The front end answers every text: with a tree or with errors, never with a panic, and soon.
//!
//! Texts are made from seeds, so that a failure can be repeated: soups of tokens, C programs with a part
//! cut off, repeated, exchanged or overwritten, and plain bytes.

use std::time::Duration;
use syntax::check;
use syntax::diagnostics;
use syntax::driver::{self, on_large_stack};
use syntax::names::Names;
use syntax::source::{Origin, Source, SourceMap};
use syntax::types::DataModel;

/// A generator of numbers that is the same everywhere (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound.max(1)
    }

    fn choose<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
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

const PROGRAM: &str = include_str!("sample.c");

fn soup(random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..random.below(120) {
        text.push_str(random.choose(PIECES));
        if random.below(4) > 0 {
            text.push(' ');
        }
    }
    text.into_bytes()
}

fn mutated(random: &mut Random) -> Vec<u8> {
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

fn bytes(random: &mut Random) -> Vec<u8> {
    (0..random.below(200))
        .map(|_| random.next() as u8)
        .collect()
}

/// The time that this thread has really run: the clock on the wall also counts what others do on a busy
/// machine.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split_whitespace()
        .next()
        .and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Reads a text and shows what is wrong with it; the time it took.
fn try_text(text: Vec<u8>) -> Duration {
    let start = processor_time();
    let (mut map, mut names) = (SourceMap::new(), Names::new());
    let source = Source {
        name: "fuzz.c".into(),
        text,
        origin: Origin::Given,
    };
    let outcome = driver::parse(&mut map, &mut names, source)
        .and_then(|unit| check::check(vec![unit], &mut names, DataModel::Lp64));
    if let Err(errors) = outcome {
        assert!(!errors.is_empty(), "a failure must say why");
        let shown = diagnostics::render(&map, &errors);
        assert!(shown.contains("fuzz.c:"), "{shown}");
    }
    processor_time() - start
}

/// How many texts are tried; `CONCORD_FUZZ_SEEDS=1000000` makes a longer run of the same kind.
fn seeds() -> u64 {
    std::env::var("CONCORD_FUZZ_SEEDS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(6000)
}

#[test]
fn no_text_makes_the_front_end_panic_or_hang() {
    let makers: [fn(&mut Random) -> Vec<u8>; 3] = [soup, mutated, bytes];
    on_large_stack(|| {
        for seed in 1..=seeds() {
            let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let text = makers[seed as usize % 3](&mut random);
            let shown = String::from_utf8_lossy(&text).into_owned();
            let outcome = std::panic::catch_unwind(|| try_text(text));
            match outcome {
                Ok(time) => assert!(
                    time < Duration::from_secs(5),
                    "seed {seed}: {time:?}\n{shown}"
                ),
                Err(_) => panic!("seed {seed} panics on:\n{shown}"),
            }
        }
    });
}

#[test]
fn every_beginning_of_a_program_gets_an_answer() {
    on_large_stack(|| {
        for end in 0..PROGRAM.len() {
            try_text(PROGRAM.as_bytes()[..end].to_vec());
        }
    });
}

#[test]
fn the_sample_itself_is_right() {
    let (mut map, mut names) = (SourceMap::new(), Names::new());
    let source = Source {
        name: "sample.c".into(),
        text: PROGRAM.into(),
        origin: Origin::Given,
    };
    let outcome = driver::parse(&mut map, &mut names, source)
        .and_then(|unit| check::check(vec![unit], &mut names, DataModel::Lp64));
    if let Err(errors) = outcome {
        panic!("{}", diagnostics::render(&map, &errors));
    }
}
