//! `concord check -`: the program is read from standard input.
//!
//! Several processes read it, one of them a compiler; so it is kept in a file of its own as long as
//! the command runs. Nobody is told the name of that file.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// What is shown in place of the file.
pub const SHOWN: &str = "<stdin>";

/// The file that holds standard input; it goes away with the last copy of this.
#[derive(Clone, Debug)]
pub struct StandardInput {
    folder: Arc<tempfile::TempDir>,
}

impl StandardInput {
    /// A text in which the file is called [`SHOWN`].
    pub fn shown(&self, text: &str) -> String {
        text.replace(&self.path(), SHOWN)
    }

    fn path(&self) -> String {
        let path = self.folder.path().join("stdin.c");
        path.display().to_string()
    }
}

/// The words of the command line with the file in place of `-`, and the file, if `check` is to read
/// standard input.
pub fn taken(mut words: Vec<OsString>) -> Result<(Vec<OsString>, Option<StandardInput>), String> {
    let is_check = words.get(1).is_some_and(|command| command == "check");
    let stands = |word: &OsString| word == "-";
    if !is_check || !words.iter().any(stands) {
        return Ok((words, None));
    }
    if words.iter().filter(|word| stands(word)).count() > 1 {
        return Err("standard input (-) can be read only once".into());
    }
    let mut text = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut text);
    read.map_err(|error| format!("cannot read standard input: {error}"))?;
    let input =
        written(&text).map_err(|error| format!("cannot keep standard input in a file: {error}"))?;
    let path = input.path();
    for word in words.iter_mut().filter(|word| stands(word)) {
        *word = path.clone().into();
    }
    // As compilers do it: the included files of what has no folder are looked for here.
    let here: [&OsStr; 2] = ["-I".as_ref(), Path::new(".").as_os_str()];
    for (number, word) in here.into_iter().enumerate() {
        words.insert(2 + number, word.to_owned());
    }
    Ok((words, Some(input)))
}

fn written(text: &[u8]) -> std::io::Result<StandardInput> {
    let folder = tempfile::Builder::new().prefix("concord-").tempdir()?;
    std::fs::write(folder.path().join("stdin.c"), text)?;
    Ok(StandardInput {
        folder: Arc::new(folder),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_check_takes_a_dash_for_standard_input() {
        for words in [&["concord", "check", "a.c"][..], &["concord", "run", "-"]] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let (same, input) = taken(words.clone()).expect("nothing to be read");
            assert!(same == words && input.is_none());
        }
        let words = ["concord", "check", "-", "-"].map(OsString::from).to_vec();
        assert!(taken(words).is_err());
    }

    #[test]
    fn the_file_is_not_named() {
        let input = written(b"int x;").expect("a file can be written");
        let text = format!("{}:3:4: error", input.path());
        assert_eq!(input.shown(&text), "<stdin>:3:4: error");
    }
}
