//! What witnesses and others say of a program, as candidates: statements at its locations that
//! somebody still has to prove.
//!
//! Unlike validation, which judges a witness, this takes what it can get: what cannot be read or
//! placed is left out, conjunctions are taken apart so that one part that cannot be read does not
//! take the others with it, and offsets, which count other texts' characters, are not looked at.

use crate::placing::{Places, Point, points};
use crate::{Edge, Invariant, InvariantKind, SourcePlace};
use cfa::expr::ExprId;
use cfa::program::LocId;
use lowering::property::Property;

/// Statements at locations, in the pool of the places that they were read with.
#[derive(Clone, Debug, Default)]
pub struct Placed {
    pub list: Vec<(LocId, ExprId)>,
    /// Parts that could not be read or placed.
    pub left_out: usize,
}

/// More parts than this are not looked at.
const MAX_PARTS: usize = 2_000;

/// Finds the places and reads the statements there.
pub fn place(places: &mut Places, property: &Property, said: &[Invariant]) -> Placed {
    let mut placed = Placed::default();
    let mut parts = 0;
    for invariant in said {
        let texts = conjuncts(&invariant.value);
        parts += texts.len();
        if parts > MAX_PARTS {
            placed.left_out += texts.len();
            continue;
        }
        let found = points_of(places, property, invariant);
        for text in texts {
            let before = placed.list.len();
            for &point in &found {
                let read = match point {
                    Point::Head(location) => {
                        let claim = places.at_loop(&text, location);
                        claim.map(|claim| (location, claim.condition))
                    }
                    Point::Before(location) => {
                        let claim = places.before(&text, location);
                        claim.map(|claim| (location, claim.condition))
                    }
                    Point::Behind(edge) => {
                        let location = places.program.edge(edge).target;
                        let claim = places.after(&text, edge);
                        claim.map(|claim| (location, claim.condition))
                    }
                };
                placed.list.extend(read.ok());
            }
            placed.left_out += usize::from(placed.list.len() == before);
        }
    }
    placed
}

/// Where it may hold: as a judge would say, or at the loop or statement that its line has.
fn points_of(places: &Places, property: &Property, invariant: &Invariant) -> Vec<Point> {
    let steps = invariant.steps.iter().map(|step| Edge {
        offsets: None,
        ..step.clone()
    });
    let mut lenient = Invariant {
        steps: steps.collect(),
        ..invariant.clone()
    };
    let found = |invariant: &Invariant| points(places, property, invariant, &mut None);
    if let Ok(found) = found(&lenient)
        && !found.is_empty()
    {
        return found;
    }
    lenient.place.column = None;
    lenient.place.function = None;
    lenient.steps.clear();
    for kind in [InvariantKind::Loop, InvariantKind::Location] {
        lenient.kind = kind;
        if let Ok(found) = found(&lenient)
            && !found.is_empty()
        {
            return found;
        }
    }
    Vec::new()
}

/// The parts of a conjunction, as they are written; a text that is none is one part.
pub fn conjuncts(text: &str) -> Vec<String> {
    let text = without_parentheses(text.trim());
    let bytes = text.as_bytes();
    let (mut depth, mut from) = (0usize, 0);
    let mut parts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'&' if depth == 0 && bytes.get(at + 1) == Some(&b'&') => {
                parts.push(&text[from..at]);
                from = at + 2;
                at += 1;
            }
            // What binds weaker makes the whole something else.
            b'?' | b',' | b';' if depth == 0 => return vec![text.to_owned()],
            b'|' if depth == 0 && bytes.get(at + 1) == Some(&b'|') => {
                return vec![text.to_owned()];
            }
            // Text in quotes may hold anything.
            b'"' | b'\'' => return vec![text.to_owned()],
            _ => {}
        }
        at += 1;
    }
    if parts.is_empty() {
        return vec![text.to_owned()];
    }
    parts.push(&text[from..]);
    parts.into_iter().flat_map(conjuncts).collect()
}

/// Without parentheses around the whole.
fn without_parentheses(text: &str) -> &str {
    let mut text = text;
    loop {
        let bytes = text.as_bytes();
        if bytes.first() != Some(&b'(') || bytes.last() != Some(&b')') {
            return text;
        }
        let mut depth = 0usize;
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && at + 1 < bytes.len() {
                return text;
            }
        }
        text = text[1..text.len() - 1].trim();
    }
}

/// Lines `FILE:LINE[:COLUMN]: C-EXPRESSION`; other lines say nothing.
pub fn of_lines(text: &str) -> Vec<Invariant> {
    text.lines().filter_map(of_line).collect()
}

fn of_line(line: &str) -> Option<Invariant> {
    // From the right: names of files may hold colons, lines and columns are numbers.
    let (place, value) = line.split_once(": ")?;
    let number = |text: &str| text.parse::<u32>().ok().filter(|&number| number > 0);
    let (rest, last) = place.trim().rsplit_once(':')?;
    let last = number(last)?;
    let (file, line, column) = match rest.rsplit_once(':') {
        Some((file, before)) => match number(before) {
            Some(line) => (file, line, Some(last)),
            None => (rest, last, None),
        },
        None => (rest, last, None),
    };
    let value = value.trim();
    if file.is_empty() || value.is_empty() {
        return None;
    }
    Some(Invariant {
        kind: InvariantKind::Loop,
        place: SourcePlace {
            file: file.to_owned(),
            line,
            column,
            function: None,
        },
        value: value.to_owned(),
        steps: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjunctions_are_taken_apart() {
        let parts = |text: &str| conjuncts(text).join(" | ");
        assert_eq!(parts("a == 1"), "a == 1");
        assert_eq!(parts("((a == 1) && (b < 2 && (c)))"), "a == 1 | b < 2 | c");
        assert_eq!(parts("(a) && (b)"), "a | b");
        assert_eq!(parts("a && b || c"), "a && b || c");
        assert_eq!(parts("a && (b || c)"), "a | b || c");
        assert_eq!(parts("a && b ? c : d"), "a && b ? c : d");
        assert_eq!(parts("a & b && t[i && j] == 0"), "a & b | t[i && j] == 0");
        assert_eq!(parts("c == '&' && d"), "c == '&' && d");
        assert_eq!(parts("\u{e4} && b"), "\u{e4} | b");
        assert_eq!(parts(")("), ")(");
        assert_eq!(parts(""), "");
    }

    #[test]
    fn lines_of_text_are_invariants() {
        let read = |line: &str| {
            let said = of_lines(line);
            let said = said.first()?;
            Some((
                said.place.file.clone(),
                said.place.line,
                said.place.column,
                said.value.clone(),
            ))
        };
        let expected = |file: &str, line, column, value: &str| {
            Some((file.to_owned(), line, column, value.to_owned()))
        };
        assert_eq!(read("x.c:8: i <= n"), expected("x.c", 8, None, "i <= n"));
        assert_eq!(
            read("d/x.c:8:3: a ? b : c"),
            expected("d/x.c", 8, Some(3), "a ? b : c")
        );
        assert_eq!(read("a:b.c:8: x"), expected("a:b.c", 8, None, "x"));
        for nothing in [
            "",
            "x.c",
            "x.c:8:",
            "x.c: i",
            "x.c:0: i",
            ":8: i",
            "hello: world",
            "x.c:8:   ",
        ] {
            assert_eq!(read(nothing), None, "{nothing}");
        }
    }
}
