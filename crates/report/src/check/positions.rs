//! End positions in a SARIF log: with the text of the program at hand, a region ends where its line
//! does, and a region without a column begins where the line does.

use super::result::ProgramShown;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Completes all regions whose files are known.
pub fn complete(log: &mut Value, program: Option<&ProgramShown>) {
    let Some(program) = program else { return };
    let files: BTreeMap<String, Vec<&str>> = program
        .files
        .iter()
        .map(|file| (uri(&file.name), file.text.lines().collect()))
        .collect();
    walk(log, &files);
}

fn uri(name: &str) -> String {
    super::sarif::artifact(name)["uri"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn walk(value: &mut Value, files: &BTreeMap<String, Vec<&str>>) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|value| walk(value, files)),
        Value::Object(object) => {
            if let Some(place) = object.get_mut("physicalLocation") {
                extend(place, files);
            }
            object.values_mut().for_each(|value| walk(value, files));
        }
        _ => {}
    }
}

fn extend(place: &mut Value, files: &BTreeMap<String, Vec<&str>>) {
    let uri = place
        .pointer("/artifactLocation/uri")
        .and_then(Value::as_str);
    let line = place.pointer("/region/startLine").and_then(Value::as_u64);
    let (Some(lines), Some(number)) = (uri.and_then(|uri| files.get(uri)), line) else {
        return;
    };
    let index = usize::try_from(number).unwrap_or(0).wrapping_sub(1);
    let Some(text) = lines.get(index) else { return };
    let end = text.trim_end().chars().count() as u64 + 1;
    let indent = text.chars().take_while(|c| c.is_whitespace()).count() as u64;
    let region = &mut place["region"];
    let given = region["startColumn"].as_u64();
    let start = given.map_or(indent + 1, |column| letters(text, column));
    // A place behind the end of its line is one of a macro or of a text that has changed.
    if start < end {
        region["startColumn"] = json!(start);
        region["endLine"] = json!(number);
        region["endColumn"] = json!(end);
    }
}

/// Columns of a result count bytes, those of the log letters.
fn letters(text: &str, column: u64) -> u64 {
    let bytes = usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX);
    match text.get(..bytes) {
        Some(before) => before.chars().count() as u64 + 1,
        None => column,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::SourceFile;

    #[test]
    fn regions_end_with_their_lines() {
        let program = ProgramShown {
            files: vec![SourceFile {
                name: "./a b.c".into(),
                text: "int x;\n  x = \"é\"; \n".into(),
            }],
            ..ProgramShown::default()
        };
        let at = |line: u64, column: Option<u64>| {
            let mut region = json!({"startLine": line});
            if let Some(column) = column {
                region["startColumn"] = json!(column);
            }
            let mut log = json!([{"physicalLocation":
                {"artifactLocation": {"uri": "a%20b.c"}, "region": region}}]);
            complete(&mut log, Some(&program));
            log[0]["physicalLocation"]["region"].clone()
        };
        let whole = json!({"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 11});
        assert_eq!(at(2, None), whole);
        let part = json!({"startLine": 2, "startColumn": 7, "endLine": 2, "endColumn": 11});
        assert_eq!(at(2, Some(7)), part);
        // Behind a letter of two bytes.
        let behind = json!({"startLine": 2, "startColumn": 10, "endLine": 2, "endColumn": 11});
        assert_eq!(at(2, Some(11)), behind);
        for (line, column) in [(2, Some(70)), (9, Some(1)), (0, None)] {
            assert_eq!(at(line, column)["endLine"], Value::Null);
        }
    }
}
