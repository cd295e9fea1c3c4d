//! The command line, before it is parsed: response files, and options that compilers write with
//! one dash.

use std::ffi::OsString;
use std::path::Path;
use syntax::preprocess::flags::split_words;

/// Response files within response files.
const MAX_DEPTH: u32 = 8;

/// Options of compilers with one dash, which take a value.
const LONG_OPTIONS: [&str; 2] = ["-isystem", "-include"];

/// The words that are parsed.
pub fn prepared(words: impl IntoIterator<Item = OsString>) -> Result<Vec<OsString>, String> {
    let mut found = Vec::new();
    for word in words {
        expand(word, 0, &mut found)?;
    }
    Ok(found)
}

fn expand(word: OsString, depth: u32, found: &mut Vec<OsString>) -> Result<(), String> {
    let Some(text) = word.to_str() else {
        found.push(word);
        return Ok(());
    };
    // As compilers do it: a file that does not exist is no response file.
    if let Some(file) = text.strip_prefix('@')
        && Path::new(file).is_file()
    {
        if depth == MAX_DEPTH {
            return Err(format!(
                "response file {file}: they include each other too deeply"
            ));
        }
        let content = std::fs::read_to_string(file)
            .map_err(|error| format!("cannot read response file {file}: {error}"))?;
        let words =
            split_words(&content).map_err(|problem| format!("response file {file}: {problem}"))?;
        for word in words {
            expand(word.into(), depth + 1, found)?;
        }
        return Ok(());
    }
    if let Some(standard) = text.strip_prefix("-std=") {
        found.push(format!("--std={standard}").into());
        return Ok(());
    }
    for option in LONG_OPTIONS {
        if let Some(value) = text.strip_prefix(option) {
            found.push(format!("-{option}").into());
            if !value.is_empty() {
                found.push(value.into());
            }
            return Ok(());
        }
    }
    found.push(word);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_compilers_and_response_files_are_understood() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file can be written");
        std::fs::write(file.path(), "-D 'A=\"x y\"'\n-isystem /s").expect("it can be written");
        let response = format!("@{}", file.path().display());
        let words = [
            "check", "-std=c99", "-include", "a.h", &response, "@none", "b.c",
        ];
        let words = prepared(words.map(OsString::from)).unwrap();
        let expected = [
            "check",
            "--std=c99",
            "--include",
            "a.h",
            "-D",
            "A=\"x y\"",
            "--isystem",
            "/s",
            "@none",
            "b.c",
        ];
        assert_eq!(words, expected.map(OsString::from));
    }

    #[test]
    fn a_response_file_that_includes_itself_is_an_error() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file can be written");
        let response = format!("@{}", file.path().display());
        std::fs::write(file.path(), &response).expect("it can be written");
        assert!(prepared([OsString::from(response)]).is_err());
    }
}
