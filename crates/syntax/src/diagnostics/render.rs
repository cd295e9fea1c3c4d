//! Diagnostics as text, in the form of gcc's and clang's:
//!
//! ```text
//! x.c:3:5: error: expected ';' behind an expression, found 'return'
//!     3 |   x = 1
//!       |        ^
//! ```

use super::{Diagnostic, Severity};
use crate::source::{Position, SourceMap};
use crate::span::Span;
use std::fmt::Write;

/// Lines longer than this are shown in part (a preprocessed line may hold a whole function).
const MAX_LINE: usize = 160;

/// How much is shown before the place in a line that is shown in part.
const CONTEXT: usize = 60;

/// The diagnostics with their lines, one after the other.
pub fn render(map: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        entry(
            &mut out,
            map,
            diagnostic.span,
            severity,
            &diagnostic.message,
        );
        for (span, text) in &diagnostic.notes {
            entry(&mut out, map, *span, "note", text);
        }
    }
    out
}

fn entry(out: &mut String, map: &SourceMap, span: Span, severity: &str, message: &str) {
    match (!span.is_none()).then(|| map.place(span.lo)).flatten() {
        None => writeln_infallible(out, format_args!("{severity}: {message}")),
        Some(place) => {
            writeln_infallible(out, format_args!("{place}: {severity}: {message}"));
            if let Some(line) = map.line_text(span.lo) {
                snippet(out, place, line, map.snippet(span));
            }
            if let Some(original) = map.original(span.lo)
                && original != place
                && severity != "note"
            {
                writeln_infallible(
                    out,
                    format_args!("{original}: note: the line comes from here"),
                );
            }
        }
    }
}

/// The line, and below it a caret at the place and tildes under the rest of it.
fn snippet(out: &mut String, place: Position, line: &[u8], spanned: &[u8]) {
    let column = (place.column as usize - 1).min(line.len());
    let (start, end) = window(line, column);
    let before = String::from_utf8_lossy(&line[start..column]);
    let behind = String::from_utf8_lossy(&line[column..end]);
    // Only the first line of what is spanned, and only if it stands here as it was read.
    let first = spanned.split(|&b| b == b'\n').next().unwrap_or(b"");
    let length = if line[column..].starts_with(first) {
        String::from_utf8_lossy(&line[column..(column + first.len()).min(end)])
            .chars()
            .count()
    } else {
        1
    };
    let gap: String = before
        .chars()
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let tildes = "~".repeat(length.saturating_sub(1));
    let number = place.line;
    let (left, right) = (
        if start > 0 { "…" } else { "" },
        if end < line.len() { "…" } else { "" },
    );
    let shift = if start > 0 { " " } else { "" };
    writeln_infallible(
        out,
        format_args!("{number:>5} | {left}{before}{behind}{right}"),
    );
    writeln_infallible(out, format_args!("      | {shift}{gap}^{tildes}"));
}

/// The part of a line that is shown.
fn window(line: &[u8], column: usize) -> (usize, usize) {
    if line.len() <= MAX_LINE {
        return (0, line.len());
    }
    let boundary = |mut at: usize| {
        while at < line.len() && at > 0 && line[at] & 0xc0 == 0x80 {
            at -= 1;
        }
        at
    };
    let start = boundary(column.saturating_sub(CONTEXT));
    (
        start,
        boundary((start + MAX_LINE).min(line.len())).max(column),
    )
}

fn writeln_infallible(out: &mut String, text: std::fmt::Arguments) {
    out.write_fmt(text)
        .expect("writing to a string cannot fail");
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Origin, Source};

    fn map_of(text: &str) -> SourceMap {
        let mut map = SourceMap::new();
        let source = Source {
            name: "x.c".into(),
            text: text.into(),
            origin: Origin::Given,
        };
        map.add(source).unwrap();
        map
    }

    #[test]
    fn a_caret_stands_below_the_place() {
        let map = map_of("int x;\n\tfoo bar;\n");
        let error = Diagnostic::error(Span::new(9, 12), "unknown type name 'foo'")
            .with_note(Span::new(1, 4), "see here");
        assert_eq!(
            render(&map, &[error]),
            "x.c:2:2: error: unknown type name 'foo'\n    2 | \tfoo bar;\n      | \t^~~\n\
             x.c:1:1: note: see here\n    1 | int x;\n      | ^~~\n"
        );
    }

    #[test]
    fn the_end_of_the_text_and_no_place_at_all_can_be_shown() {
        let map = map_of("int");
        let end = Diagnostic::error(Span::new(4, 4), "expected ';'");
        let nowhere = Diagnostic::error(Span::NONE, "no input");
        assert_eq!(
            render(&map, &[end, nowhere]),
            "x.c:1:4: error: expected ';'\n    1 | int\n      |    ^\nerror: no input\n"
        );
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let text = format!("{}X{}", "é".repeat(500), "ö".repeat(500));
        let map = map_of(&text);
        for offset in [1, 1000, 1001, 1002, 1500, 2001, 2002] {
            let shown = render(
                &map,
                &[Diagnostic::error(Span::new(offset, offset + 1), "here")],
            );
            assert!(
                shown.lines().nth(1).unwrap().chars().count() < 200,
                "{shown}"
            );
        }
        let shown = render(&map, &[Diagnostic::error(Span::new(1001, 1002), "here")]);
        let lines: Vec<&str> = shown.lines().collect();
        let caret = lines[2].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[1].chars().nth(caret), Some('X'), "{shown}");
    }
}
