//! Random constant expressions: types and values against gcc, for both data models.

#[path = "support/checked.rs"]
mod checked;
#[path = "support/gcc.rs"]
mod gcc;

use arith::random::Random;
use checked::{INTEGERS, checked};
use std::fmt::Write as _;
use syntax::typed::{ExprKind, InitValue};
use syntax::types::DataModel;

const FLOAT_TYPES: &[&str] = &["float", "double", "long double"];

fn any_type(random: &mut Random) -> &'static str {
    random.pick(&[INTEGERS, &["enum e", "enum n"]].concat())
}

const PRELUDE: &str = "
enum e { E0, E1 = 70000, E2 };
enum n { N0 = -3, N1 };
enum w { W0 = 0x80000000, W1 };
#define KIND(e) _Generic((e), _Bool: 1, char: 2, signed char: 3, unsigned char: 4, short: 5, \
  unsigned short: 6, int: 7, unsigned: 8, long: 9, unsigned long: 10, long long: 11, \
  unsigned long long: 12, float: 13, double: 14, long double: 15, default: 0)
";

fn integer(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.below(8) == 0 {
        return match random.below(7) {
            0 => format!("{}", random.below(1 << 40) as i64 >> random.below(40)),
            1 => {
                let value = random.below(u64::MAX) >> random.below(64);
                format!(
                    "0x{value:x}{}",
                    random.pick(&["", "u", "l", "ul", "ll", "ull"])
                )
            }
            2 => {
                let value = random.below(1 << 62) >> random.below(62);
                format!("{value}{}", random.pick(&["", "u", "l", "ul", "ll", "ull"]))
            }
            3 => format!("0{:o}", random.below(1 << 36) >> random.below(36)),
            4 => random
                .pick(&["'a'", "'\\377'", "L'x'", "'\\n'", "'ab'"])
                .to_owned(),
            5 => format!("sizeof({})", any_type(random)),
            _ => random
                .pick(&["E0", "E1", "N0", "N1", "W0", "W1"])
                .to_owned(),
        };
    }
    let sub = |random: &mut Random| integer(random, depth - 1);
    match random.below(14) {
        0 => format!("({})({})", any_type(random), sub(random)),
        1 => format!("-({})", sub(random)),
        2 => format!("~({})", sub(random)),
        3 => format!("!({})", sub(random)),
        4 => {
            let (a, b) = (sub(random), sub(random));
            format!(
                "({a}) {} ({b})",
                random.pick(&["+", "-", "*", "&", "|", "^"])
            )
        }
        5 => {
            let (a, b) = (sub(random), sub(random));
            format!("({a}) {} (({b}) | 1)", random.pick(&["/", "%"]))
        }
        6 => {
            let (a, b) = (sub(random), sub(random));
            format!("({a}) {} (({b}) & 7)", random.pick(&["<<", ">>"]))
        }
        7 => {
            let (a, b) = (sub(random), sub(random));
            format!(
                "({a}) {} ({b})",
                random.pick(&["<", ">", "<=", ">=", "==", "!=", "&&", "||"])
            )
        }
        8 => format!("({}) ? ({}) : ({})", sub(random), sub(random), sub(random)),
        9 => {
            let (a, b) = (floating(random, depth - 1), floating(random, depth - 1));
            format!(
                "({a}) {} ({b})",
                random.pick(&["<", ">", "<=", ">=", "==", "!="])
            )
        }
        10 => format!(
            "(int)({}.75{})",
            random.below(1000),
            random.pick(&["", "f", "L"])
        ),
        11 => format!("sizeof(({}) + ({}))", sub(random), sub(random)),
        12 => format!("({}) ?: ({})", sub(random), sub(random)),
        _ => format!("+({})", sub(random)),
    }
}

fn floating(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.below(5) == 0 {
        let digits = random.below(1 << 40);
        return format!(
            "{digits}e-{}{}",
            random.below(20),
            random.pick(&["", "f", "L"])
        );
    }
    match random.below(6) {
        0 => format!(
            "({})({})",
            random.pick(FLOAT_TYPES),
            floating(random, depth - 1)
        ),
        1 => format!(
            "({})({})",
            random.pick(FLOAT_TYPES),
            integer(random, depth - 1)
        ),
        2 => format!("-({})", floating(random, depth - 1)),
        3 => {
            let (a, b) = (floating(random, depth - 1), integer(random, depth - 1));
            format!("({a}) {} ({b})", random.pick(&["+", "-", "*"]))
        }
        4 => {
            let (a, b) = (integer(random, depth - 1), floating(random, depth - 1));
            format!("({a}) {} ({b})", random.pick(&["+", "-", "*", "/"]))
        }
        _ => {
            let (a, b) = (floating(random, depth - 1), floating(random, depth - 1));
            format!("({a}) {} ({b})", random.pick(&["+", "-", "*", "/"]))
        }
    }
}

/// The three arrays that both compile: values of integers, values of floats, types of all.
fn program(random: &mut Random, count: usize) -> (String, Vec<String>) {
    let mut expressions = Vec::new();
    let mut text = PRELUDE.to_owned();
    text.push_str("unsigned long long integers[] = {\n");
    for _ in 0..count {
        let expression = integer(random, 4);
        let _ = writeln!(text, "({expression}),");
        expressions.push(expression);
    }
    text.push_str("};\ndouble floats[] = {\n");
    for _ in 0..count {
        let expression = floating(random, 3);
        let _ = writeln!(text, "({expression}),");
        expressions.push(expression);
    }
    text.push_str("};\nunsigned long long kinds[] = {\n");
    for expression in &expressions {
        let _ = writeln!(text, "KIND({expression}),");
    }
    text.push_str("};\n");
    (text, expressions)
}

const PRINTER: &str = "
#include <stdio.h>
#include <string.h>
int main(void) {
  for (unsigned i = 0; i < sizeof integers / sizeof *integers; i++) printf(\"%llu\\n\", integers[i]);
  for (unsigned i = 0; i < sizeof floats / sizeof *floats; i++) {
    unsigned long long bits;
    memcpy(&bits, &floats[i], 8);
    if (floats[i] != floats[i]) printf(\"nan\\n\"); else
    printf(\"%llu\\n\", bits);
  }
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) printf(\"%llu\\n\", kinds[i]);
  return 0;
}
";

fn compare(model: DataModel, flag: &str, seed: u64) {
    if gcc::is_missing(flag, "constants") {
        return;
    }
    let (text, expressions) = program(&mut Random(seed), 300);
    let (preprocessed, theirs) =
        gcc::compiled(&(text + PRINTER), flag, &format!("constants-{seed}"))
            .expect("gcc accepts the program");
    let (program, names) = checked("constants.i", preprocessed, model);
    let mut ours = Vec::new();
    for array in ["integers", "floats", "kinds"] {
        let name = names.find(array).expect("the text declares it");
        let vars = &program.vars;
        let var = vars
            .iter()
            .find(|var| var.name == name)
            .expect("it is a variable");
        for item in &var.init.as_ref().expect("it is initialised").items {
            let InitValue::Expr(expr) = &item.value else {
                panic!("a string")
            };
            match expr.kind {
                // Which NaN an operation on a NaN gives is up to the compiler.
                ExprKind::Float(bits) if f64::from_bits(bits as u64).is_nan() => {
                    ours.push("nan".to_owned());
                }
                ExprKind::Int(bits) | ExprKind::Float(bits) => ours.push(bits.to_string()),
                _ => panic!("not folded: {expr:?}"),
            }
        }
    }
    assert_eq!(ours.len(), theirs.len());
    for (index, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        let what = if index < expressions.len() {
            "value"
        } else {
            "type"
        };
        let expression = &expressions[index % expressions.len()];
        assert_eq!(ours, theirs, "{what} of {expression}");
    }
}

#[test]
fn constants_agree_with_gcc_on_x86_64() {
    for seed in 1..=2 {
        compare(DataModel::Lp64, "-m64", seed * 77_777);
    }
}

#[test]
fn constants_agree_with_gcc_on_i386() {
    for seed in 1..=2 {
        compare(DataModel::Ilp32, "-m32", seed * 99_991);
    }
}
