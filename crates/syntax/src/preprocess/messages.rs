//! What the preprocessor says, as diagnostics with a place.

use crate::diagnostics::{Diagnostic, Kind};
use crate::source::{Origin, Source, SourceId, SourceMap};
use crate::span::Span;

/// A `file:line:column:` at the beginning of a message, and the rest.
fn split_place(line: &str) -> Option<(&str, u32, u32, &str)> {
    // The file may contain colons itself: look for the first ":number:number: ".
    for (colon, _) in line.match_indices(':') {
        let mut parts = line[colon + 1..].splitn(3, ':');
        let row = parts.next().and_then(|part| part.parse().ok());
        let column = parts.next().and_then(|part| part.parse().ok());
        if let (Some(row), Some(column), Some(rest)) = (row, column, parts.next()) {
            return Some((&line[..colon], row, column, rest.trim_start()));
        }
    }
    None
}

/// The `file:line` of "In file included from file:line:column," and its continuation lines.
fn split_include(line: &str) -> Option<(&str, u32)> {
    let line = line
        .strip_prefix("In file included")
        .unwrap_or(line)
        .trim_start();
    let place = line.strip_prefix("from ")?.trim_end_matches([',', ':']);
    let mut parts: Vec<&str> = place.split(':').collect();
    // gcc gives a column to the innermost place only.
    if parts.len() > 2 && parts[parts.len() - 2].parse::<u32>().is_ok() {
        parts.pop();
    }
    let row = parts.pop()?.parse().ok()?;
    let file = &place[..parts.join(":").len()];
    Some((file, row))
}

/// The errors in the compiler's output.
pub(super) fn diagnostics(output: &[u8], map: &mut SourceMap) -> Vec<Diagnostic> {
    let output = String::from_utf8_lossy(output);
    let mut found = Vec::new();
    let mut included = Vec::new();
    for line in output.lines() {
        if let Some((file, row)) = split_include(line) {
            included.push((span_at(map, file, row, 1), "included from here".to_owned()));
            continue;
        }
        let Some((file, row, column, rest)) = split_place(line) else {
            continue;
        };
        let message = ["fatal error: ", "error: "]
            .iter()
            .find_map(|head| rest.strip_prefix(head));
        if let Some(message) = message {
            let span = span_at(map, file, row, column);
            let message = match span.is_none() {
                true => format!("{file}:{row}:{column}: {message}"),
                false => message.to_owned(),
            };
            let mut error = Diagnostic::new(Kind::Input, span, message);
            error.notes = std::mem::take(&mut included);
            found.push(error);
        }
        included.clear();
    }
    found
}

/// The place in the map, to which the file is added if it can be read.
fn span_at(map: &mut SourceMap, file: &str, row: u32, column: u32) -> Span {
    let known = map.sources().find(|&id| map.name(id) == file);
    let id: Option<SourceId> = known.or_else(|| {
        let text = std::fs::read(file).ok()?;
        map.add(Source {
            name: file.into(),
            text,
            origin: Origin::Given,
        })
    });
    let Some(id) = id else { return Span::NONE };
    match map
        .find_line(file, row)
        .into_iter()
        .find(|span| map.source_of(span.lo) == Some(id))
    {
        Some(line) => {
            let lo = line
                .lo
                .saturating_add(column.saturating_sub(1))
                .min(line.hi);
            Span::new(lo, lo)
        }
        None => Span::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_split_off() {
        assert_eq!(
            split_place("a:b/x.c:1:10: fatal error: y.h: No such file or directory"),
            Some((
                "a:b/x.c",
                1,
                10,
                "fatal error: y.h: No such file or directory"
            ))
        );
        assert_eq!(split_place("compilation terminated."), None);
        assert_eq!(split_place("    1 | #include <y.h>"), None);
        assert_eq!(
            split_include("In file included from a.h:3,"),
            Some(("a.h", 3))
        );
        assert_eq!(
            split_include("                 from x.c:12:"),
            Some(("x.c", 12))
        );
        assert_eq!(
            split_include("In file included from x.c:1:2:"),
            Some(("x.c", 1))
        );
        assert_eq!(split_include("from nowhere"), None);
    }

    #[test]
    fn a_file_that_cannot_be_read_keeps_its_place_in_the_message() {
        let mut map = SourceMap::new();
        let found = diagnostics(b"/no/such.c:3:4: error: bad\nnoise\n", &mut map);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].message, "/no/such.c:3:4: bad");
        assert!(found[0].span.is_none());
    }
}
