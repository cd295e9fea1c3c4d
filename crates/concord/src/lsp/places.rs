//! Places as editors name them: addresses of files, lines and columns that count from zero, columns
//! in units of UTF-16.

use serde_json::{Value, json};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The path that an address means, if it is one of a file.
pub fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.bytes();
    while let Some(byte) = left.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: u8| (byte as char).to_digit(16);
        let (high, low) = (digit(left.next()?)?, digit(left.next()?)?);
        bytes.push((high * 16 + low) as u8);
    }
    let path = PathBuf::from(OsString::from_vec(bytes));
    path.is_absolute().then_some(path)
}

/// The address of a file.
pub fn uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// File, line and column of `file:line:column`; both count from 1, columns in bytes.
pub fn parsed(place: &str) -> Option<(&str, u32, u32)> {
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file, line.parse().ok()?, column.parse().ok()?))
}

/// From a column of a line to the end of its text. Without the text it is the line's first letter.
pub fn range(lines: &[String], line: u32, column: u32) -> Value {
    let number = line.saturating_sub(1);
    let text = lines.get(number as usize).map_or("", String::as_str);
    let text = text.trim_end();
    let indent = text.len() - text.trim_start().len();
    let start = match column {
        0 => indent,
        _ => (column as usize - 1).min(text.len()),
    };
    // What is no boundary of letters is a place in a text that has changed.
    let start = if text.is_char_boundary(start) {
        start
    } else {
        0
    };
    json!({
        "start": {"line": number, "character": width(&text[..start])},
        "end": {"line": number, "character": width(text)},
    })
}

/// Units of UTF-16.
pub fn width(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths_are_the_same() {
        for name in ["/a/b.c", "/with blank/é#?%.c", "/"] {
            let address = uri(Path::new(name));
            assert!(address.is_ascii() && !address.contains(' '), "{address}");
            assert_eq!(path(&address), Some(PathBuf::from(name)));
        }
        for wrong in [
            "",
            "a.c",
            "http://x/a.c",
            "file://host/%",
            "file://x",
            "file:///%4",
        ] {
            assert_eq!(path(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn columns_are_counted_in_units_of_utf_16() {
        let lines = ["  x = \"é𝄞\"; y = 1;  ".to_owned()];
        let behind = lines[0].find('y').expect("it is there") as u32 + 1;
        let found = range(&lines, 1, behind);
        assert_eq!(found["start"], json!({"line": 0, "character": 13}));
        assert_eq!(found["end"]["character"], 19);
        assert_eq!(range(&lines, 1, 0)["start"]["character"], 2);
        // Places that do not exist are no reason to fail.
        for (line, column) in [(0, 0), (9, 9), (1, 1000), (1, 9)] {
            assert!(range(&lines, line, column)["end"].is_object());
        }
    }
}
