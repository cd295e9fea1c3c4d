//! Ranges that an abstract interpreter prints: Frama-C/Eva says what the arguments of
//! `Frama_C_show_each_…` are, each time it comes by.
//!
//! A call is inserted at the head of each loop, where an execution comes before every iteration and
//! before it leaves: in the condition of `while` and `for`, at the beginning of the body of `do`.
//! What is printed on the way to the fixpoint is joined: the last lines say least, so the join is
//! what holds, if Eva is right.

use cfa::program::{LocId, LocationKind};
use witness::placing::Places;
use witness::{Invariant, InvariantKind, SourcePlace};

/// What was asked at a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The last part of the function's name.
    number: usize,
    place: SourcePlace,
    names: Vec<String>,
}

/// Variables that are asked for at one loop.
const MAX_NAMES: usize = 24;
const SHOW: &str = "Frama_C_show_each_";

/// What is asked at the loops of the program: the variables that have a name there.
pub fn questions(places: &mut Places) -> Vec<Asked> {
    let count = places.program.locations.len() as u32;
    let mut all = Vec::new();
    for head in (0..count).map(LocId) {
        let location = places.program.location(head);
        let function = location.function;
        if location.kind != LocationKind::LoopHead || location.span.is_none() {
            continue;
        }
        let Some(at) = places.program.sources.place(location.span.lo) else {
            continue;
        };
        let place = SourcePlace {
            file: at.file.rsplit('/').next().unwrap_or(at.file).to_owned(),
            line: at.line,
            column: Some(at.column),
            function: Some(places.program.function_name(function).to_owned()),
        };
        let is_of_function =
            |owner: Option<cfa::program::FuncId>| owner.is_none_or(|owner| owner == function);
        let vars = places.program.vars.iter();
        let vars = vars.filter(|var| is_of_function(var.function));
        let vars = vars.map(|var| var.name.to_string());
        let objects = places.program.objects.iter();
        let mut names: Vec<String> = vars
            .chain(objects.map(|object| object.name.to_string()))
            .filter(|name| is_identifier(name))
            .collect();
        names.sort();
        names.dedup();
        names.retain(|name| places.at_loop(&format!("{name} == 0"), head).is_ok());
        names.truncate(MAX_NAMES);
        if !names.is_empty() && !all.iter().any(|asked: &Asked| asked.place == place) {
            all.push(Asked {
                number: all.len(),
                place,
                names,
            });
        }
    }
    all
}

fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The text of a file with the questions in it, each on its line.
pub fn with_questions(text: &[u8], file: &str, asked: &[Asked]) -> Vec<u8> {
    let mut inserted: Vec<(usize, String)> = Vec::new();
    for question in asked.iter().filter(|asked| asked.place.file == file) {
        let SourcePlace { line, column, .. } = question.place;
        let start = offset(text, line, column.unwrap_or(1));
        if let Some(found) = start.and_then(|start| insertion(text, start, question)) {
            inserted.push(found);
        }
    }
    inserted.sort();
    let mut result = Vec::with_capacity(text.len());
    let mut done = 0;
    for (at, call) in inserted {
        result.extend_from_slice(&text[done..at]);
        result.extend_from_slice(call.as_bytes());
        done = at;
    }
    result.extend_from_slice(&text[done..]);
    result
}

fn offset(text: &[u8], line: u32, column: u32) -> Option<usize> {
    let mut lines = text.split_inclusive(|&byte| byte == b'\n');
    let before = lines.by_ref().take((line as usize).checked_sub(1)?);
    let start: usize = before.map(<[u8]>::len).sum();
    let at = start + (column as usize).checked_sub(1)?;
    (at < text.len()).then_some(at)
}

/// Where the question of the loop that begins there goes, and how it is written.
fn insertion(text: &[u8], start: usize, question: &Asked) -> Option<(usize, String)> {
    let rest = &text[start..];
    let call = format!("{SHOW}{}({})", question.number, question.names.join(", "));
    let is_word = |word: &[u8]| {
        let next = rest.get(word.len());
        rest.starts_with(word) && !next.is_some_and(|byte| byte.is_ascii_alphanumeric())
    };
    let skip_space = |mut at: usize| {
        while text.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        at
    };
    if is_word(b"while") {
        let open = skip_space(start + 5);
        return (text.get(open) == Some(&b'(')).then(|| (open + 1, format!("{call}, ")));
    }
    if is_word(b"do") {
        let open = skip_space(start + 2);
        return (text.get(open) == Some(&b'{')).then(|| (open + 1, format!(" {call};")));
    }
    if is_word(b"for") {
        let open = skip_space(start + 3);
        let first = semicolon(text, open)?;
        let next = skip_space(first + 1);
        return Some(match text.get(next) {
            Some(b';') => (first + 1, format!(" {call}, 1")),
            _ => (first + 1, format!(" {call},")),
        });
    }
    None
}

/// The first semicolon inside a parenthesis that opens there.
fn semicolon(text: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = open;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth = depth.checked_sub(1).filter(|&depth| depth > 0)?,
            b';' if depth == 1 => return Some(at),
            b'"' | b'\'' => {
                at += 1;
                while text.get(at).is_some_and(|&inner| inner != byte) {
                    at += 1 + usize::from(text[at] == b'\\');
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// From least to most; nothing is known where it is absent.
type Range = Option<(i128, i128)>;

/// What was printed, as statements about the loops.
pub fn answers(text: &str, asked: &[Asked]) -> Vec<Invariant> {
    let mut joined: Vec<Option<Vec<Range>>> = vec![None; asked.len()];
    for part in text.split(SHOW).skip(1) {
        let Some((number, rest)) = part.split_once(':') else {
            continue;
        };
        let number = number.trim().parse::<usize>();
        let Some(at) = number.ok().filter(|&number| number < asked.len()) else {
            continue;
        };
        // A message ends where the next one begins, at the beginning of a line.
        let rest = rest.split("\n[").next().unwrap_or_default();
        let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
        let values: Vec<Range> = rest.split(", ").map(range).collect();
        if values.len() != asked[at].names.len() {
            // Something is printed in another way: nothing is known of any.
            joined[at] = Some(vec![None; asked[at].names.len()]);
            continue;
        }
        joined[at] = Some(match joined[at].take() {
            None => values,
            Some(before) => before.into_iter().zip(values).map(join).collect(),
        });
    }
    let mut found = Vec::new();
    for (question, ranges) in asked.iter().zip(joined) {
        let named = question.names.iter().zip(ranges.unwrap_or_default());
        for (name, range) in named {
            let Some((least, most)) = range else { continue };
            let texts = match least == most {
                true => vec![format!("{name} == {}", number(least))],
                false => vec![
                    format!("{name} >= {}", number(least)),
                    format!("{name} <= {}", number(most)),
                ],
            };
            found.extend(texts.into_iter().map(|value| Invariant {
                kind: InvariantKind::Loop,
                place: question.place.clone(),
                value,
                steps: Vec::new(),
            }));
        }
    }
    found
}

fn join((a, b): (Range, Range)) -> Range {
    let ((a, b), (c, d)) = (a?, b?);
    Some((a.min(c), b.max(d)))
}

/// `{1; 2}`, `[0..9]`, `[0..8],0%2`; nothing else is a range of integers with both ends.
fn range(text: &str) -> Range {
    let text = text.trim();
    if let Some(values) = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
    {
        let values = values.split(';').map(|value| value.trim().parse().ok());
        let values: Vec<i128> = values.collect::<Option<_>>()?;
        return Some((*values.iter().min()?, *values.iter().max()?));
    }
    let inner = text.strip_prefix('[')?;
    let (inner, _) = inner.split_once(']')?;
    let (least, most) = inner.split_once("..")?;
    Some((least.trim().parse().ok()?, most.trim().parse().ok()?))
}

/// A number as C writes it, in a type that has it.
fn number(value: i128) -> String {
    let is_int = i128::from(i32::MIN) < value && value <= i128::from(i32::MAX);
    match value {
        _ if is_int => value.to_string(),
        _ if value == i128::from(i64::MIN) => format!("({}LL - 1)", i64::MIN + 1),
        _ if value > i128::from(i64::MAX) => format!("{value}ULL"),
        _ => format!("{value}LL"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(number: usize, line: u32, column: u32, names: &[&str]) -> Asked {
        Asked {
            number,
            place: SourcePlace {
                file: "x.c".into(),
                line,
                column: Some(column),
                function: None,
            },
            names: names.iter().map(|name| (*name).into()).collect(),
        }
    }

    #[test]
    fn questions_stand_on_the_lines_of_their_loops() {
        let text = b"while (x > 0) { for (i = f(\";\"); i < 9; i++) ; }\n  for (;;) do { x--; } while (x);\n";
        let all = [
            asked(0, 1, 1, &["x"]),
            asked(1, 1, 17, &["i", "x"]),
            asked(2, 2, 3, &["x"]),
            asked(3, 2, 12, &["x"]),
            asked(4, 2, 13, &["x"]),
            asked(5, 200, 13, &["x"]),
        ];
        let result = String::from_utf8(with_questions(text, "x.c", &all)).unwrap();
        let expected = "while (Frama_C_show_each_0(x), x > 0) { for (i = f(\";\"); Frama_C_show_each_1(i, x), i < 9; i++) ; }\n  for (; Frama_C_show_each_2(x), 1;) do { Frama_C_show_each_3(x); x--; } while (x);\n";
        assert_eq!(result, expected);
        assert_eq!(with_questions(text, "y.c", &all), text);
    }

    #[test]
    fn what_is_printed_is_joined() {
        let all = [
            asked(0, 8, 3, &["n", "x", "p", "d"]),
            asked(1, 9, 1, &["i"]),
        ];
        let text = "[eva] x.c:8: \n  Frama_C_show_each_0: [0..1000], {0}, {{ &y }}, {0.5}\n\
            [eva] x.c:8: Frama_C_show_each_0: [0..1000], [-3..8],0%2,\n  {0}, {0.5}\n\
            [eva] starting to merge loop iterations\n\
            [eva] x.c:9: Frama_C_show_each_1: [0..4294967295]\n\
            [eva] x.c:9: Frama_C_show_each_7: {3}\n";
        let found = answers(text, &all);
        let texts: Vec<(u32, &str)> = found
            .iter()
            .map(|said| (said.place.line, said.value.as_str()))
            .collect();
        let expected = [
            (8, "n >= 0"),
            (8, "n <= 1000"),
            (8, "x >= -3"),
            (8, "x <= 8"),
            (9, "i >= 0"),
            (9, "i <= 4294967295LL"),
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn numbers_have_a_type() {
        assert_eq!(number(-5), "-5");
        assert_eq!(number(i128::from(i32::MIN)), "-2147483648LL");
        assert_eq!(number(i128::from(i64::MIN)), "(-9223372036854775807LL - 1)");
        assert_eq!(number(i128::from(u64::MAX)), "18446744073709551615ULL");
    }
}
