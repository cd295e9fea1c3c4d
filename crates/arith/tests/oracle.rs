//! Every operation against the C compiler, the C library and the processor.
//!
//! Only on x86-64 and with a compiler at hand; elsewhere there is nothing to compare with and the
//! tests pass vacuously.

use arith::float::{self, Conversion, FloatFormat, FormatSpec, Layout, RoundingMode};
use arith::int;
use arith::random::Random;
use std::cmp::Ordering;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The compiled oracle, or `None` where it cannot be had.
fn oracle() -> Option<&'static PathBuf> {
    static ORACLE: OnceLock<Option<PathBuf>> = OnceLock::new();
    ORACLE
        .get_or_init(|| {
            if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
                return None;
            }
            let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.c");
            let binary = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("arith-oracle");
            let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
            let status = Command::new(compiler)
                .args(["-O0", "-w", "-frounding-math", "-o"])
                .arg(&binary)
                .arg(&source)
                .arg("-lm")
                .stderr(Stdio::null())
                .status()
                .ok()?;
            status.success().then_some(binary)
        })
        .as_ref()
}

/// The oracle's answers, one line each.
fn ask(questions: &[String]) -> Option<Vec<String>> {
    let mut child = Command::new(oracle()?)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the oracle was just compiled");
    let mut stdin = child.stdin.take().expect("piped");
    let text = questions.join("\n") + "\n";
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child
        .wait_with_output()
        .expect("the oracle ends at the end of its input");
    writer
        .join()
        .expect("no panic")
        .expect("the oracle reads everything");
    let answers: Vec<String> = String::from_utf8(output.stdout)
        .expect("ASCII")
        .lines()
        .map(str::to_owned)
        .collect();
    assert_eq!(answers.len(), questions.len());
    Some(answers)
}

/// xorshift64*: the same numbers in every run.
/// Random floats.
trait Patterns {
    /// A pattern in which special values, short and long significands, and exponents around a
    /// common one are likely.
    fn pattern(&mut self, layout: Layout, centre: u128) -> u128;
}

impl Patterns for Random {
    fn pattern(&mut self, layout: Layout, centre: u128) -> u128 {
        let stored = layout.stored_significand_bits();
        let field_mask = int::mask(layout.exponent_bits());
        let field = match self.below(8) {
            0 => self.wide(),
            1 => u128::from(self.below(3)),
            2 => field_mask - u128::from(self.below(3)),
            _ => (centre + u128::from(self.below(260))).wrapping_sub(130),
        } & field_mask;
        let mut significand = match self.below(5) {
            0 => u128::from(self.below(4)),
            1 => u128::from(self.below(4)).wrapping_neg(),
            2 => 1 << self.below(128) | 1 << self.below(128),
            3 => u128::MAX << self.below(128) ^ 1 << self.below(128),
            _ => self.wide(),
        } & int::mask(stored);
        if layout.has_explicit_integer_bit() && self.below(16) != 0 {
            significand &= int::mask(stored - 1);
            significand |= u128::from(field != 0) << (stored - 1);
        }
        u128::from(self.below(2)) << (layout.width() - 1) | field << stored | significand
    }
}

const FORMATS: [(FloatFormat, &str); 4] = [
    (FloatFormat::Single, "single"),
    (FloatFormat::Double, "double"),
    (FloatFormat::X87, "x87"),
    (FloatFormat::Quad, "quad"),
];

/// The modes that the processor has, in the oracle's order.
const MODES: [RoundingMode; 4] = [
    RoundingMode::NearestEven,
    RoundingMode::TowardPositive,
    RoundingMode::TowardNegative,
    RoundingMode::TowardZero,
];

fn canonical(format: FloatFormat, bits: u128) -> u128 {
    if float::is_nan(format, bits) {
        float::nan(format)
    } else {
        bits
    }
}

fn number(answer: &str) -> u128 {
    u128::from_str_radix(answer, 16).expect("a hexadecimal number")
}

/// Patterns that some library routines take for numbers although the processor does not.
fn is_improper(format: FloatFormat, bits: u128) -> bool {
    format == FloatFormat::X87 && (bits >> 64 & 0x7fff == 0) == (bits >> 63 & 1 == 1)
}

fn is_signaling(format: FloatFormat, bits: u128) -> bool {
    float::is_nan(format, bits) && bits >> (format.significand_bits() - 2) & 1 == 0
}

const CASES: usize = 4000;

/// Asks for `CASES` random operands per format and compares.
fn compare(
    operation: &str,
    all_modes: bool,
    ours: impl Fn(FloatFormat, RoundingMode, [u128; 3]) -> u128,
    numeric: bool,
) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (format, name) in FORMATS {
        let layout = format.layout();
        let mut cases = Vec::new();
        let mut questions = Vec::new();
        while cases.len() < CASES {
            let centre = match random.below(3) {
                0 => u128::from(random.number()) & int::mask(layout.exponent_bits()),
                _ => layout.bias() as u128,
            };
            let operands = [0; 3].map(|_: i32| random.pattern(layout, centre));
            if operands.iter().any(|bits| is_improper(format, *bits))
                && ![
                    "add",
                    "sub",
                    "mul",
                    "div",
                    "order",
                    "to_single",
                    "to_double",
                ]
                .contains(&operation)
            {
                continue;
            }
            // glibc decides between zeros differently in every format.
            if ["fmin", "fmax"].contains(&operation)
                && ![FloatFormat::Single, FloatFormat::Double].contains(&format)
                && operands[..2]
                    .iter()
                    .all(|bits| float::is_zero(format, *bits))
            {
                continue;
            }
            // The library makes a quiet NaN of a signaling one here; our NaNs are all alike.
            if ["fmin", "fmax"].contains(&operation)
                && operands.iter().any(|bits| is_signaling(format, *bits))
            {
                continue;
            }
            let mode = if all_modes {
                random.below(4) as usize
            } else {
                0
            };
            let [a, b, c] = operands;
            questions.push(format!("{operation} {name} {mode} {a:x} {b:x} {c:x}"));
            cases.push((MODES[mode], operands));
        }
        let Some(answers) = ask(&questions) else {
            return;
        };
        for (((rm, operands), question), answer) in cases.into_iter().zip(&questions).zip(&answers)
        {
            let mut theirs = number(answer);
            let mut mine = ours(format, rm, operands);
            if numeric {
                theirs = canonical(format, theirs);
                mine = canonical(format, mine);
            }
            assert_eq!(mine, theirs, "{question}: {mine:x} instead of {theirs:x}");
        }
    }
}

#[test]
fn arithmetic() {
    compare(
        "add",
        true,
        |f, rm, [a, b, _]| float::add(f, rm, a, b),
        true,
    );
    compare(
        "sub",
        true,
        |f, rm, [a, b, _]| float::sub(f, rm, a, b),
        true,
    );
    compare(
        "mul",
        true,
        |f, rm, [a, b, _]| float::mul(f, rm, a, b),
        true,
    );
    compare(
        "div",
        true,
        |f, rm, [a, b, _]| float::div(f, rm, a, b),
        true,
    );
    compare("sqrt", true, |f, rm, [a, _, _]| float::sqrt(f, rm, a), true);
}

#[test]
fn fused_multiply_add() {
    compare(
        "fma",
        true,
        |f, rm, [a, b, c]| float::fma(f, rm, a, b, c),
        true,
    );
}

#[test]
fn remainders() {
    compare("fmod", false, |f, _, [a, b, _]| float::fmod(f, a, b), true);
    compare(
        "remainder",
        false,
        |f, _, [a, b, _]| float::remainder(f, a, b),
        true,
    );
}

#[test]
fn minimum_and_maximum() {
    compare("fmin", false, |f, _, [a, b, _]| float::fmin(f, a, b), true);
    compare("fmax", false, |f, _, [a, b, _]| float::fmax(f, a, b), true);
}

#[test]
fn order() {
    let code = |f, _, [a, b, _]: [u128; 3]| match float::compare(f, a, b) {
        None => 0,
        Some(Ordering::Less) => 1,
        Some(Ordering::Equal) => 2,
        Some(Ordering::Greater) => 3,
    };
    compare("order", false, code, false);
}

#[test]
fn rounding_to_integers() {
    let round = |rm| move |f, _, [a, _, _]: [u128; 3]| float::round_to_integral(f, rm, a);
    compare("floor", false, round(RoundingMode::TowardNegative), true);
    compare("ceil", false, round(RoundingMode::TowardPositive), true);
    compare("trunc", false, round(RoundingMode::TowardZero), true);
    compare("round", false, round(RoundingMode::NearestAway), true);
    compare(
        "rint",
        true,
        |f, rm, [a, _, _]| float::round_to_integral(f, rm, a),
        true,
    );
}

#[test]
fn conversions_between_formats() {
    for (to, name) in FORMATS {
        let operation = format!("to_{name}");
        let ours = |f, rm, [a, _, _]: [u128; 3]| canonical(to, float::convert(f, to, rm, a));
        let mut random = Random(7);
        for (from, from_name) in FORMATS {
            let mut questions = Vec::new();
            let mut cases = Vec::new();
            while cases.len() < CASES {
                // Exponents around the bounds of the target are where the conversion has something
                // to do.
                let bounds = [
                    1 - to.layout().bias(),
                    to.layout().bias(),
                    to.layout().lowest_exponent(),
                    0,
                ];
                let centre = from.layout().bias() + bounds[random.below(4) as usize];
                let a = random.pattern(from.layout(), centre.max(1) as u128);
                // Widening to the same type leaves an improper pattern alone.
                if is_improper(from, a) {
                    continue;
                }
                let mode = random.below(4) as usize;
                questions.push(format!("{operation} {from_name} {mode} {a:x} 0 0"));
                cases.push((MODES[mode], a));
            }
            let Some(answers) = ask(&questions) else {
                return;
            };
            for (((rm, a), question), answer) in cases.into_iter().zip(&questions).zip(&answers) {
                let theirs = canonical(to, number(answer));
                let mine = ours(from, rm, [a, 0, 0]);
                assert_eq!(mine, theirs, "{question}: {mine:x} instead of {theirs:x}");
            }
        }
    }
}

#[test]
fn conversions_to_integers() {
    for width in [8, 16, 32, 64, 128] {
        for signed in [true, false] {
            let operation = format!("to_{}{width}", if signed { 'i' } else { 'u' });
            compare(
                &operation,
                false,
                |f, _, [a, _, _]| float::to_int_x86(f, a, width, signed),
                false,
            );
        }
    }
}

#[test]
fn conversions_from_integers() {
    let mut random = Random(99);
    for (format, name) in FORMATS {
        for width in [32, 64, 128] {
            for signed in [true, false] {
                let operation = format!("from_{}{width}", if signed { 'i' } else { 'u' });
                let mut questions = Vec::new();
                let mut cases = Vec::new();
                for _ in 0..CASES / 4 {
                    let bits = (random.wide() >> random.below(128)) as i128;
                    let bits = if random.below(2) == 0 {
                        bits.wrapping_neg()
                    } else {
                        bits
                    } as u128;
                    let bits = int::truncate(bits, width);
                    let mode = random.below(4) as usize;
                    questions.push(format!("{operation} {name} {mode} {bits:x} 0 0"));
                    cases.push((MODES[mode], bits));
                }
                let Some(answers) = ask(&questions) else {
                    return;
                };
                for (((rm, bits), question), answer) in
                    cases.into_iter().zip(&questions).zip(&answers)
                {
                    let mine = float::from_int(format, rm, bits, width, signed);
                    assert_eq!(mine, number(answer), "{question}: {mine:x}");
                }
            }
        }
    }
}

#[test]
fn printing() {
    let mut random = Random(5);
    for (format, name) in [(FloatFormat::Double, "double"), (FloatFormat::X87, "x87")] {
        let mut questions = Vec::new();
        let mut cases = Vec::new();
        while cases.len() < 4 * CASES {
            let bits = match random.below(3) {
                // Short decimals, where ties and trailing zeros are.
                0 => {
                    let tenths = [1, 2, 4, 5, 8, 10, 16, 100, 1000][random.below(9) as usize];
                    let n = float::from_int(
                        format,
                        RoundingMode::NearestEven,
                        u128::from(random.below(20000)),
                        64,
                        false,
                    );
                    let d = float::from_int(format, RoundingMode::NearestEven, tenths, 64, false);
                    float::div(format, RoundingMode::NearestEven, n, d)
                }
                _ => random.pattern(format.layout(), format.layout().bias() as u128),
            };
            if is_improper(format, bits) {
                continue;
            }
            let letters = [
                (Conversion::Fixed, 'f'),
                (Conversion::Exponent, 'e'),
                (Conversion::General, 'g'),
                (Conversion::Hexadecimal, 'a'),
            ];
            let (conversion, letter) = letters[random.below(4) as usize];
            let mut spec = FormatSpec::plain(conversion);
            let mut text = String::from("%");
            let mut flag = |random: &mut Random, letter, field: &mut bool| {
                if random.below(4) == 0 {
                    *field = true;
                    text.push(letter);
                }
            };
            flag(&mut random, '-', &mut spec.left_align);
            flag(&mut random, '+', &mut spec.plus);
            flag(&mut random, '_', &mut spec.space);
            flag(&mut random, '#', &mut spec.alternate);
            flag(&mut random, '0', &mut spec.zero_pad);
            if random.below(2) == 0 {
                spec.width = 1 + random.below(40) as usize;
                text += &spec.width.to_string();
            }
            if random.below(2) == 0 {
                let precision = random.below(30) as usize;
                spec.precision = Some(precision);
                text += &format!(".{precision}");
            }
            if format == FloatFormat::X87 {
                text.push('L');
            }
            spec.uppercase = random.below(2) == 0;
            text.push(if spec.uppercase {
                letter.to_ascii_uppercase()
            } else {
                letter
            });
            // The oracle's format strings must not contain blanks.
            questions.push(format!(
                "print {name} 0 {bits:x} 0 {}",
                text.replace(' ', "_")
            ));
            cases.push((bits, spec));
        }
        let Some(answers) = ask(&questions) else {
            return;
        };
        for (((bits, spec), question), answer) in cases.into_iter().zip(&questions).zip(&answers) {
            assert_eq!(&float::format(format, bits, &spec), answer, "{question}");
        }
    }
}

#[test]
fn parsing() {
    let mut random = Random(31);
    for (format, name) in FORMATS {
        let mut texts = Vec::new();
        for _ in 0..CASES {
            let exponent_range = 2 * format.layout().bias() as u64;
            let text = if random.below(2) == 0 {
                let digits = random.wide() >> random.below(128);
                let exponent =
                    random.below(exponent_range * 7 / 10) as i64 - exponent_range as i64 * 35 / 100;
                let fraction = random.below(1_000_000);
                match random.below(3) {
                    0 => format!("{digits}e{exponent}"),
                    1 => format!("{digits}.{fraction:06}E{exponent:+}"),
                    _ => format!("{digits}.{fraction}"),
                }
            } else {
                let digits = random.wide() >> random.below(128);
                let exponent =
                    random.below(exponent_range + 200) as i64 - exponent_range as i64 / 2 - 200;
                let fraction = random.below(1 << 40);
                match random.below(2) {
                    0 => format!("0x{digits:x}p{exponent}"),
                    _ => format!("0X{digits:X}.{fraction:x}P{exponent:+}"),
                }
            };
            texts.push(text);
        }
        let questions: Vec<String> = texts
            .iter()
            .map(|t| format!("parse {name} 0 {t} 0 0"))
            .collect();
        let Some(answers) = ask(&questions) else {
            return;
        };
        for (text, answer) in texts.iter().zip(&answers) {
            assert_eq!(
                float::parse(format, text),
                Ok(number(answer)),
                "{name} {text}"
            );
        }
    }
}
