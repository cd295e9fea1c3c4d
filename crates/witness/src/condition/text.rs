//! The language of automata, as far as assumption automata use it.

use super::{Automaton, FALSE, State, TRUE, Transition, Trigger};

/// More than this is no condition of a program that anybody checks.
const MAX_BYTES: usize = 16 << 20;
/// Parentheses inside one another.
const MAX_DEPTH: usize = 64;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Word(String),
    Text(String),
    /// What stands in braces.
    Braces(String),
    /// What stands in brackets.
    Brackets(String),
    Sign(&'static str),
    /// `// part N`
    Part(u32),
}

const SIGNS: &[&str] = &[
    "->", "&&", "||", "==", "!=", "(", ")", ":", ";", ",", "!", "=", "+", "-", "<", ">",
];

/// Reads an automaton. The error names the line.
pub fn read(text: &str) -> Result<Automaton, String> {
    if text.len() > MAX_BYTES {
        return Err("the condition is too large".into());
    }
    let mut notes = Vec::new();
    let tokens = tokens(text, &mut notes)?;
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        depth: 0,
    };
    let (initial, states) = reader.automaton()?;
    let automaton = Automaton {
        initial,
        states,
        notes,
    };
    check(&automaton)?;
    Ok(automaton)
}

fn tokens(text: &str, notes: &mut Vec<String>) -> Result<Vec<(u32, Token)>, String> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1u32);
    let until = |from: usize, end: &[u8]| {
        let rest = &bytes[from..];
        let found = rest.windows(end.len()).position(|window| window == end);
        found.map(|length| from + length)
    };
    while at < bytes.len() {
        let rest = &text[at..];
        let byte = bytes[at];
        if byte == b'\n' {
            line += 1;
            at += 1;
        } else if byte.is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with("//") || byte == b'#' {
            let end = until(at, b"\n").unwrap_or(bytes.len());
            let comment = text[at..end].trim_start_matches('/').trim();
            if let Some(number) = comment.strip_prefix("part ") {
                found.extend(
                    number
                        .trim()
                        .parse()
                        .ok()
                        .map(|part| (line, Token::Part(part))),
                );
            } else if let Some(note) = comment.strip_prefix("concord ") {
                notes.push(note.to_owned());
            }
            at = end;
        } else if rest.starts_with("/*") {
            let end = until(at + 2, b"*/").ok_or_else(|| wrong(line, "a comment has no end"))?;
            line += text[at..end].matches('\n').count() as u32;
            at = end + 2;
        } else if byte == b'"' {
            let (said, next) =
                quoted(text, at + 1).ok_or_else(|| wrong(line, "a text has no end"))?;
            found.push((line, Token::Text(said)));
            at = next;
        } else if byte == b'{' || byte == b'[' {
            let close = if byte == b'{' { b"}" } else { b"]" };
            let end = until(at + 1, close).ok_or_else(|| wrong(line, "a bracket is not closed"))?;
            let inner = text[at + 1..end].trim().to_owned();
            found.push((
                line,
                match byte {
                    b'{' => Token::Braces(inner),
                    _ => Token::Brackets(inner),
                },
            ));
            line += text[at..end].matches('\n').count() as u32;
            at = end + 1;
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            found.push((line, Token::Sign(sign)));
            at += sign.len();
        } else if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' {
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$".contains(byte);
            let length = bytes[at..].iter().take_while(|byte| is_part(byte)).count();
            found.push((line, Token::Word(text[at..at + length].to_owned())));
            at += length;
        } else {
            return Err(wrong(
                line,
                "this is not written in the language of automata",
            ));
        }
    }
    Ok(found)
}

/// A text up to its closing quote, and where it goes on behind that.
fn quoted(text: &str, from: usize) -> Option<(String, usize)> {
    let mut said = String::new();
    let mut chars = text[from..].char_indices();
    while let Some((offset, letter)) = chars.next() {
        match letter {
            '"' => return Some((said, from + offset + 1)),
            '\\' => match chars.next()?.1 {
                'n' => said.push('\n'),
                other => said.push(other),
            },
            '\n' => return None,
            other => said.push(other),
        }
    }
    None
}

fn wrong(line: u32, what: &str) -> String {
    format!("line {line}: {what}")
}

struct Reader<'t> {
    tokens: &'t [(u32, Token)],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    fn line(&self) -> u32 {
        let last = self.tokens.last().map_or(1, |(line, _)| *line);
        self.tokens.get(self.at).map_or(last, |(line, _)| *line)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(found)) if found == word)
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(found)) if *found == sign)
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_there = self.is_word(word);
        self.at += usize::from(is_there);
        is_there
    }

    fn takes_sign(&mut self, sign: &str) -> bool {
        let is_there = self.is_sign(sign);
        self.at += usize::from(is_there);
        is_there
    }

    fn word(&mut self, word: &str) -> Result<(), String> {
        match self.takes_word(word) {
            true => Ok(()),
            false => Err(wrong(self.line(), &format!("{word} is missing"))),
        }
    }

    fn sign(&mut self, sign: &str) -> Result<(), String> {
        match self.takes_sign(sign) {
            true => Ok(()),
            false => Err(wrong(self.line(), &format!("`{sign}` is missing"))),
        }
    }

    fn name(&mut self) -> Result<String, String> {
        match self.peek() {
            Some(Token::Word(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => Err(wrong(self.line(), "a name is missing")),
        }
    }

    fn automaton(&mut self) -> Result<(String, Vec<State>), String> {
        let _ = self.takes_word("OBSERVER") || self.takes_word("CONTROL");
        self.word("AUTOMATON")?;
        self.name()?;
        if self.is_word("LOCAL") {
            return Err(wrong(
                self.line(),
                "variables of automata are not supported in conditions",
            ));
        }
        self.word("INITIAL")?;
        self.word("STATE")?;
        let initial = self.name()?;
        self.sign(";")?;
        let mut states = Vec::new();
        while self.takes_word("STATE") {
            let _ = self.takes_word("USEFIRST") || self.takes_word("USEALL");
            let name = self.name()?;
            self.sign(":")?;
            let mut transitions = Vec::new();
            while !self.is_word("STATE") && !self.is_word("END") {
                transitions.push(self.transition()?);
            }
            states.push(State { name, transitions });
        }
        self.word("END")?;
        self.word("AUTOMATON")?;
        match self.peek() {
            None => Ok((initial, states)),
            Some(_) => Err(wrong(self.line(), "a condition is one automaton")),
        }
    }

    fn transition(&mut self) -> Result<Transition, String> {
        let trigger = self.either()?;
        self.sign("->")?;
        let mut assume = None;
        if self.takes_word("ASSUME") {
            assume = match self.peek() {
                Some(Token::Braces(text) | Token::Text(text)) => Some(text.clone()),
                _ => return Err(wrong(self.line(), "the assumption is missing")),
            };
            self.at += 1;
        }
        if !self.takes_word("GOTO") {
            let what = "conditions have transitions with GOTO only (no DO, ASSERT, ERROR, STOP)";
            return Err(wrong(self.line(), what));
        }
        let to = self.name()?;
        self.sign(";")?;
        let part = match self.peek() {
            Some(&Token::Part(part)) => {
                self.at += 1;
                part
            }
            _ => 0,
        };
        Ok(Transition {
            trigger,
            assume,
            to,
            part,
        })
    }

    fn either(&mut self) -> Result<Trigger, String> {
        let mut left = self.both()?;
        while self.takes_sign("||") {
            let right = self.both()?;
            left = Trigger::Or(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Trigger, String> {
        let mut left = self.single()?;
        while self.takes_sign("&&") {
            let right = self.single()?;
            left = Trigger::And(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn single(&mut self) -> Result<Trigger, String> {
        let line = self.line();
        if self.depth > MAX_DEPTH {
            return Err(wrong(line, "too many parentheses"));
        }
        if self.takes_sign("!") {
            self.depth += 1;
            let inner = self.single()?;
            self.depth -= 1;
            return Ok(Trigger::Not(Box::new(inner)));
        }
        if self.takes_sign("(") {
            self.depth += 1;
            let inner = self.either()?;
            self.depth -= 1;
            self.sign(")")?;
            return Ok(inner);
        }
        if self.takes_word("TRUE") {
            return Ok(Trigger::True);
        }
        if self.takes_word("FALSE") {
            return Ok(Trigger::False);
        }
        if self.takes_word("EVAL") {
            return self.line_of_edge();
        }
        if !self.takes_word("MATCH") {
            return Err(wrong(
                line,
                "this trigger is not supported in conditions (MATCH \"…\", TRUE, FALSE, EVAL(location, \"lineno\") == N)",
            ));
        }
        if self.takes_word("OTHERWISE") {
            return Ok(Trigger::True);
        }
        let is_call = self.takes_word("FUNCTIONCALL");
        let said = match self.peek() {
            Some(Token::Text(text)) => text.clone(),
            Some(Token::Braces(text)) if !text.contains('$') => text.clone(),
            _ => {
                return Err(wrong(
                    line,
                    "patterns, labels and regular expressions are not supported in conditions",
                ));
            }
        };
        self.at += 1;
        Ok(match is_call {
            true => Trigger::Call(said),
            false => Trigger::Match(said),
        })
    }

    /// `EVAL(location, "lineno") == 7`
    fn line_of_edge(&mut self) -> Result<Trigger, String> {
        let line = self.line();
        self.sign("(")?;
        self.word("location")?;
        self.sign(",")?;
        let is_number = matches!(self.peek(), Some(Token::Text(text)) if text == "lineno");
        self.at += 1;
        self.sign(")")?;
        self.sign("==")?;
        let number = self.name()?.parse().ok();
        match number.filter(|_| is_number) {
            Some(number) => Ok(Trigger::Line(number)),
            None => Err(wrong(line, "EVAL is supported for the line number only")),
        }
    }
}

/// What is named is there, and the last states are never left.
fn check(automaton: &Automaton) -> Result<(), String> {
    let is_last = |name: &str| name == TRUE || name == FALSE;
    let is_there =
        |name: &str| is_last(name) || automaton.states.iter().any(|state| state.name == name);
    if !is_there(&automaton.initial) {
        return Err(format!("there is no state {}", automaton.initial));
    }
    for (number, state) in automaton.states.iter().enumerate() {
        let before = &automaton.states[..number];
        if before.iter().any(|other| other.name == state.name) {
            return Err(format!("there are two states {}", state.name));
        }
        for step in &state.transitions {
            if !is_there(&step.to) {
                return Err(format!("there is no state {}", step.to));
            }
            if is_last(&state.name) && step.to != state.name {
                return Err(format!("{} is left", state.name));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "// a comment\nOBSERVER AUTOMATON AssumptionAutomaton\n\nINITIAL STATE ARG0;\n\n\
        STATE __TRUE :\n    TRUE -> ASSUME {true} GOTO __TRUE;\n\nSTATE USEFIRST ARG0 :\n    \
        MATCH \"[x > 0]\" -> ASSUME {x<10} GOTO ARG0;\n    \
        MATCH \"puts(\\\"a\\\");\" && EVAL(location, \"lineno\") == 7 -> GOTO __TRUE; // part 3\n    \
        !(MATCH FUNCTIONCALL \"f\" || FALSE) -> GOTO __FALSE;\n\nEND AUTOMATON\n// concord 3 {}\n";

    #[test]
    fn an_automaton_is_read() {
        let read = read(GIVEN).unwrap();
        assert_eq!((read.initial.as_str(), read.states.len()), ("ARG0", 2));
        assert_eq!(read.notes, ["3 {}"]);
        let steps = &read.states[1].transitions;
        assert_eq!(steps[0].trigger, Trigger::Match("[x > 0]".into()));
        assert_eq!(steps[0].assume.as_deref(), Some("x<10"));
        assert_eq!((steps[1].to.as_str(), steps[1].part), (TRUE, 3));
        let text = Box::new(Trigger::Match("puts(\"a\");".into()));
        let expected = Trigger::And(text, Box::new(Trigger::Line(7)));
        assert_eq!(steps[1].trigger, expected);
        assert!(matches!(steps[2].trigger, Trigger::Not(_)));
    }

    #[test]
    fn what_is_not_understood_is_an_error_with_its_line() {
        let table = r#"
            GOTO __FALSE | GOTO ARG1 | there is no state ARG1
            GOTO __FALSE | ERROR | line 12
            GOTO __FALSE | DO x = 1 GOTO __FALSE | GOTO only
            INITIAL STATE ARG0 | INITIAL STATE B | no state B
            INITIAL | LOCAL int x = 0; INITIAL | variables
            ASSUME {true} GOTO __TRUE | GOTO ARG0 | __TRUE is left
            MATCH "[x > 0]" | MATCH [x.*] | regular expressions
            MATCH "[x > 0]" | CHECK(IS_TARGET_STATE) | not supported
            "lineno" | "function" | line number only
            END AUTOMATON | END | AUTOMATON is missing
            STATE __TRUE | STATE ARG0 | two states ARG0
            "[x > 0]" | "[x > 0] | line 10"#;
        for row in table.trim().lines() {
            let cells: Vec<&str> = row.split(" | ").map(str::trim).collect();
            let [right, wrong, wanted] = cells[..] else {
                panic!("three cells: {row}");
            };
            let changed = GIVEN.replacen(right, wrong, 1);
            assert_ne!(changed, GIVEN, "{right}");
            let error = read(&changed).unwrap_err();
            assert!(error.contains(wanted), "{wrong}: {error}");
        }
        // Half of it is none, wherever it ends; and nothing panics.
        for end in 0..GIVEN.len() - 20 {
            let _ = read(&GIVEN[..end]);
        }
        let deep = format!(
            "AUTOMATON A INITIAL STATE S; STATE S: {}",
            "(!".repeat(100_000)
        );
        assert!(read(&deep).is_err());
    }
}
