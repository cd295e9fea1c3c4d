//! What SeaHorn prints with `--show-invars`: below `Function: NAME` lines `NAME@BLOCK: EXPRESSION`,
//! or the parts of a conjunction on lines of their own. Registers are written `NAME@%REGISTER`.

/// An invariant of a basic block.
#[derive(Clone, PartialEq, Debug)]
pub struct Said {
    pub function: String,
    pub block: String,
    pub value: Value,
}

/// An expression over registers.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Number(i128),
    Truth(bool),
    Register(String),
    Not(Box<Value>),
    Minus(Box<Value>),
    /// With its operator as C writes it.
    Pair(&'static str, Box<Value>, Box<Value>),
    Choice(Box<Value>, Box<Value>, Box<Value>),
}

/// Parentheses inside one another.
const MAX_DEPTH: usize = 100;

pub fn read(text: &str) -> Vec<Said> {
    let mut found = Vec::new();
    let mut function = String::new();
    let mut block: Option<String> = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("Function: ") {
            name.trim().clone_into(&mut function);
            block = None;
            continue;
        }
        let said = match head(line, &function) {
            Some((name, rest)) => {
                block = Some(name.to_owned());
                rest
            }
            // The parts of a conjunction are moved in.
            None if line.starts_with(['\t', ' ']) => line,
            None => {
                block = None;
                continue;
            }
        };
        if let (Some(block), Some(value)) = (&block, parse(said)) {
            let says_something = !matches!(value, Value::Truth(_) | Value::Number(_));
            if says_something {
                found.push(Said {
                    function: function.clone(),
                    block: block.clone(),
                    value,
                });
            }
        }
    }
    found
}

/// The block that a line is about, and what is said of it.
fn head<'a>(line: &'a str, function: &str) -> Option<(&'a str, &'a str)> {
    let rest = line.strip_prefix(function)?.strip_prefix('@')?;
    let (name, rest) = rest.split_once(':')?;
    (!name.contains(['%', ' ', '('])).then_some((name, rest))
}

fn parse(text: &str) -> Option<Value> {
    let mut reader = Reader {
        text: text.trim().as_bytes(),
        at: 0,
        depth: 0,
    };
    let value = reader.level(0)?;
    reader.space();
    (reader.at == reader.text.len()).then_some(value)
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    depth: usize,
}

/// Operators by their strength, the weakest first: as they are printed, and in C.
const LEVELS: &[&[(&str, &str)]] = &[
    &[("||", "||")],
    &[("&&", "&&")],
    &[
        ("<=", "<="),
        (">=", ">="),
        ("!=", "!="),
        ("==", "=="),
        ("<", "<"),
        (">", ">"),
        ("=", "=="),
    ],
    &[("+", "+"), ("-", "-")],
    &[("*", "*"), ("/", "/"), ("%", "%")],
];

impl Reader<'_> {
    fn space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn takes(&mut self, sign: &str) -> bool {
        self.space();
        let is_there = self.text[self.at..].starts_with(sign.as_bytes());
        self.at += if is_there { sign.len() } else { 0 };
        is_there
    }

    fn level(&mut self, level: usize) -> Option<Value> {
        let Some(operators) = LEVELS.get(level) else {
            return self.single();
        };
        let mut left = self.level(level + 1)?;
        loop {
            let found = operators.iter().find(|(printed, _)| self.takes(printed));
            let Some((_, in_c)) = found else {
                return Some(left);
            };
            let right = self.level(level + 1)?;
            left = Value::Pair(in_c, Box::new(left), Box::new(right));
        }
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let value = match self.depth < MAX_DEPTH {
            true => read(self),
            false => None,
        };
        self.depth -= 1;
        value
    }

    fn single(&mut self) -> Option<Value> {
        if self.takes("(") {
            let inner = self.nested(|this| this.level(0))?;
            return self.takes(")").then_some(inner);
        }
        if self.takes("!") {
            return Some(Value::Not(Box::new(self.nested(Self::single)?)));
        }
        if self.takes("-") {
            return Some(Value::Minus(Box::new(self.nested(Self::single)?)));
        }
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.@%$".contains(byte);
        let rest = &self.text[self.at..];
        let length = rest.iter().take_while(|byte| is_part(byte)).count();
        let word = std::str::from_utf8(&rest[..length]).ok()?;
        self.at += length;
        if word == "ite" && self.takes("(") {
            let mut parts = Vec::new();
            while parts.len() < 3 {
                parts.push(self.nested(|this| this.level(0))?);
                if !self.takes(if parts.len() < 3 { "," } else { ")" }) {
                    return None;
                }
            }
            let last = Box::new(parts.pop()?);
            let middle = Box::new(parts.pop()?);
            return Some(Value::Choice(Box::new(parts.pop()?), middle, last));
        }
        match word {
            "true" => Some(Value::Truth(true)),
            "false" => Some(Value::Truth(false)),
            _ => match word.split_once("@%") {
                Some((_, register)) if !register.is_empty() => {
                    Some(Value::Register(register.to_owned()))
                }
                _ => word.parse().ok().map(Value::Number),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_conjunctions_are_read() {
        let text = "sat\nFunction: f\nf@entry: true\nFunction: main\nmain@_bb:\n\t\t(main@%i.0.i>=0)\n\t(main@%i.0.i<=10)\n\
            main@other: !((main@%a-(2*main@%b))!=-3)\nmain@error.split: false\nother: line\n\t(main@%c=1)\n";
        let found = read(text);
        let blocks: Vec<&str> = found.iter().map(|it| it.block.as_str()).collect();
        assert_eq!(blocks, ["_bb", "_bb", "other"]);
        let register = |name: &str| Box::new(Value::Register(name.into()));
        let zero = Box::new(Value::Number(0));
        assert_eq!(found[0].value, Value::Pair(">=", register("i.0.i"), zero));
        let Value::Not(inner) = &found[2].value else {
            panic!("{found:?}")
        };
        assert!(matches!(**inner, Value::Pair("!=", ..)), "{inner:?}");
        let choice = parse("ite(main@%c,1,2)=main@%x").expect("a choice");
        assert!(matches!(choice, Value::Pair("==", ..)));
    }
}
