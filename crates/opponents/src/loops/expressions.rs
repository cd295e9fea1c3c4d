//! Random expressions whose meaning is the same for gcc and the verifier's table of what C leaves
//! open.

use crate::random::Random;

/// What can be read at a place: scalars as text, and arrays with their lengths.
#[derive(Clone, Default)]
pub struct Scope {
    pub scalars: Vec<String>,
    pub arrays: Vec<(String, usize)>,
    /// Functions of two arguments.
    pub functions: Vec<String>,
}

/// Mostly what programs are made of.
pub fn any_type(random: &mut Random) -> &'static str {
    let is_unsigned = random.percent(50);
    let size = if random.percent(40) {
        2
    } else {
        random.below(5)
    };
    match (size, is_unsigned) {
        (0, false) => "signed char",
        (0, true) => "unsigned char",
        (1, false) => "short",
        (1, true) => "unsigned short",
        (3, false) => "long",
        (3, true) => "unsigned long",
        (4, _) => "long long",
        (_, false) => "int",
        (_, true) => "unsigned",
    }
}

fn constant(random: &mut Random) -> String {
    match random.below(12) {
        0 => random
            .pick(&["255", "127", "128u", "0x7fffffff", "65535", "(-128)"])
            .to_string(),
        1 => format!("{}u", random.below(16)),
        2 => format!("(-{})", random.between(1, 5)),
        _ => random.below(9).to_string(),
    }
}

/// An element that is there: the index is brought into range.
pub fn element(random: &mut Random, scope: &Scope, depth: usize) -> String {
    let (name, length) = random.pick(&scope.arrays).clone();
    let index = value(random, scope, depth);
    if length.is_power_of_two() && random.percent(50) {
        format!("{name}[({index}) & {}]", length - 1)
    } else {
        format!("{name}[(unsigned)({index}) % {length}u]")
    }
}

fn leaf(random: &mut Random, scope: &Scope) -> String {
    if scope.scalars.is_empty() || random.percent(25) {
        constant(random)
    } else {
        random.pick(&scope.scalars).clone()
    }
}

/// An expression of an integer type.
pub fn value(random: &mut Random, scope: &Scope, depth: usize) -> String {
    if depth == 0 {
        return leaf(random, scope);
    }
    let down = depth - 1;
    match random.below(24) {
        0..=3 => leaf(random, scope),
        4..=6 => binary(random, scope, down, "+"),
        7..=8 => binary(random, scope, down, "-"),
        9..=10 => binary(random, scope, down, "*"),
        11 => {
            let operator = *random.pick(&["&", "|", "^"]);
            binary(random, scope, down, operator)
        }
        12 => {
            let operator = *random.pick(&["<<", ">>"]);
            let (left, count) = (value(random, scope, down), value(random, scope, 0));
            format!("(({left}) {operator} (({count}) & 7))")
        }
        13 | 14 => {
            let operator = *random.pick(&["/", "%"]);
            let (left, right) = (value(random, scope, down), divisor(random, scope, down));
            format!("(({left}) {operator} {right})")
        }
        15 => {
            let operator = *random.pick(&["-", "~", "!"]);
            format!("({operator}({}))", value(random, scope, down))
        }
        16 | 17 => {
            let ty = any_type(random);
            format!("(({ty})({}))", value(random, scope, down))
        }
        18 => format!("({})", condition(random, scope, down)),
        19 => format!(
            "({} ? {} : {})",
            condition(random, scope, down),
            value(random, scope, down),
            value(random, scope, down)
        ),
        20 | 21 if !scope.arrays.is_empty() => element(random, scope, down),
        22 if !scope.functions.is_empty() => {
            let function = random.pick(&scope.functions).clone();
            let (first, second) = (value(random, scope, down), value(random, scope, down));
            format!("{function}({first}, {second})")
        }
        _ => binary(random, scope, down, "+"),
    }
}

fn binary(random: &mut Random, scope: &Scope, depth: usize, operator: &str) -> String {
    let (left, right) = (value(random, scope, depth), value(random, scope, depth));
    format!("({left} {operator} {right})")
}

/// Never -1, which traps for the smallest dividend; sometimes zero, which ends the execution.
fn divisor(random: &mut Random, scope: &Scope, depth: usize) -> String {
    match random.below(8) {
        0 => format!("DIVISOR({})", value(random, scope, depth)),
        1..=3 => format!("((({}) & 7) + 1)", value(random, scope, depth)),
        _ => random
            .pick(&["2", "3", "5u", "7", "10", "(-3)"])
            .to_string(),
    }
}

pub fn condition(random: &mut Random, scope: &Scope, depth: usize) -> String {
    match random.below(12) {
        0 if depth > 0 => format!(
            "({}) && ({})",
            condition(random, scope, depth - 1),
            condition(random, scope, depth - 1)
        ),
        1 if depth > 0 => format!(
            "({}) || ({})",
            condition(random, scope, depth - 1),
            condition(random, scope, depth - 1)
        ),
        2 => format!(
            "({}) & {}",
            value(random, scope, depth),
            random.pick(&[1, 2, 4])
        ),
        _ => {
            let operator = *random.pick(&["<", "<=", ">", ">=", "==", "!="]);
            let (left, right) = (
                value(random, scope, depth),
                value(random, scope, depth.min(1)),
            );
            format!("{left} {operator} {right}")
        }
    }
}
