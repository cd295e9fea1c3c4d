//! C expressions for what is said of registers.

use super::ir::{Block, Function, What};
use super::seahorn::Value;
use std::collections::BTreeSet;

/// Instructions that one expression is made of.
const MAX_STEPS: u32 = 60;
const MAX_DEPTH: u32 = 20;

/// The expression in C, as at the head of the loop that the block is; nothing if a register has no
/// meaning there.
pub fn in_c(value: &Value, function: &Function, block: &str) -> Option<String> {
    let block = function.block(block)?;
    let mut reader = Reader {
        function,
        block,
        steps: 0,
    };
    reader.value(value)
}

struct Reader<'a> {
    function: &'a Function,
    block: &'a Block,
    steps: u32,
}

impl Reader<'_> {
    fn value(&mut self, value: &Value) -> Option<String> {
        Some(match value {
            Value::Number(number) => self::number(*number)?,
            Value::Truth(truth) => u8::from(*truth).to_string(),
            Value::Register(name) => self.register(name, 0)?,
            Value::Not(inner) => format!("!{}", self.value(inner)?),
            Value::Minus(inner) => format!("(-{})", self.value(inner)?),
            Value::Pair(operator, left, right) => {
                format!("({} {operator} {})", self.value(left)?, self.value(right)?)
            }
            Value::Choice(test, yes, no) => {
                let (test, yes, no) = (self.value(test)?, self.value(yes)?, self.value(no)?);
                format!("({test} ? {yes} : {no})")
            }
        })
    }

    /// A register by its name in C, or as what its instruction computes.
    fn register(&mut self, name: &str, depth: u32) -> Option<String> {
        self.steps += 1;
        if self.steps > MAX_STEPS || depth > MAX_DEPTH {
            return None;
        }
        if let Some(variable) = self.variable(name) {
            return Some(variable);
        }
        let Some(definition) = self.function.definition(name) else {
            // Horn clauses number the versions of a register.
            let (shorter, version) = name.rsplit_once('_')?;
            let is_version = !version.is_empty() && version.bytes().all(|it| it.is_ascii_digit());
            return is_version
                .then(|| self.register(shorter, depth + 1))
                .flatten();
        };
        match definition.clone() {
            What::Pair(operator, width, sign, left, right) => {
                let (left, right) = (
                    self.operand(&left, width, sign, depth)?,
                    self.operand(&right, width, sign, depth)?,
                );
                Some(format!("({left} {operator} {right})"))
            }
            What::Cast(value, 1, _, false) => self.operand(&value, 1, None, depth),
            What::Cast(value, from, to, is_signed) => {
                let value = self.operand(&value, from, Some(is_signed), depth)?;
                Some(format!("({}){value}", c_type(to, is_signed)?))
            }
            What::Choice(test, yes, no) => {
                let test = self.operand(&test, 1, None, depth)?;
                let yes = self.operand(&yes, 64, None, depth)?;
                let no = self.operand(&no, 64, None, depth)?;
                Some(format!("({test} ? {yes} : {no})"))
            }
            What::Copy(value) => self.operand(&value, 64, None, depth),
            // Whichever way it came, it is the same.
            What::Phi(values) => {
                let other: BTreeSet<&String> = values
                    .iter()
                    .filter(|it| it.trim_start_matches('%') != name)
                    .collect();
                let mut said = BTreeSet::new();
                for value in other {
                    said.insert(self.operand(value, 64, None, depth)?);
                }
                (said.len() == 1).then(|| said.pop_first()).flatten()
            }
            What::Named { .. } | What::Other => None,
        }
    }

    /// A register or a constant; with a cast where the operation asks for a sign.
    fn operand(
        &mut self,
        text: &str,
        width: u32,
        sign: Option<bool>,
        depth: u32,
    ) -> Option<String> {
        let value = match text.strip_prefix('%') {
            Some(name) => self.register(name.trim_matches('"'), depth + 1)?,
            None => match text {
                "true" => "1".into(),
                "false" => "0".into(),
                _ => number(text.parse().ok()?)?,
            },
        };
        match sign {
            Some(is_signed) => Some(format!("({}){value}", c_type(width, is_signed)?)),
            None => Some(value),
        }
    }

    /// The variable that has the register's value at the beginning of the block.
    fn variable(&self, name: &str) -> Option<String> {
        let is_it =
            |value: &str| value.strip_prefix('%').map(|it| it.trim_matches('"')) == Some(name);
        // What the block itself says first is about its beginning, as long as it computes nothing.
        let own = &self.block.instructions;
        let is_beginning = |what: &What| matches!(what, What::Phi(_) | What::Named { .. });
        let first = own.iter().take_while(|it| is_beginning(&it.what));
        for instruction in first.clone() {
            if let What::Named { variable, value } = &instruction.what
                && is_it(value)
            {
                return Some(variable.clone());
            }
        }
        let renamed: BTreeSet<&String> = first
            .filter_map(|it| match &it.what {
                What::Named { variable, .. } => Some(variable),
                _ => None,
            })
            .collect();
        // Otherwise a variable that has this value wherever it has one.
        let all = self
            .function
            .blocks
            .iter()
            .flat_map(|block| &block.instructions);
        let names = all.clone().filter_map(|it| match &it.what {
            What::Named { variable, value } if is_it(value) => Some(variable),
            _ => None,
        });
        let mut names = names.filter(|variable| !renamed.contains(variable));
        let is_constant = |wanted: &&String| {
            let mut said = all.clone().filter_map(|it| match &it.what {
                What::Named { variable, value } if variable == *wanted => Some(value),
                _ => None,
            });
            said.all(|value| is_it(value))
        };
        names.find(is_constant).cloned()
    }
}

fn c_type(width: u32, is_signed: bool) -> Option<&'static str> {
    Some(match (width, is_signed) {
        (1 | 8, false) => "unsigned char",
        (1 | 8, true) => "signed char",
        (16, false) => "unsigned short",
        (16, true) => "short",
        (32, false) => "unsigned int",
        (32, true) => "int",
        (64, false) => "unsigned long long",
        (64, true) => "long long",
        _ => return None,
    })
}

/// A number as C writes it.
fn number(value: i128) -> Option<String> {
    let is_int = i128::from(i32::MIN) < value && value <= i128::from(i32::MAX);
    match value {
        _ if is_int => Some(value.to_string()),
        _ if i128::from(i64::MIN) < value && value <= i128::from(i64::MAX) => {
            Some(format!("{value}LL"))
        }
        _ if 0 < value && value <= i128::from(u64::MAX) => Some(format!("{value}ULL")),
        _ => None,
    }
}
