//! `concord cc`: the compiler of the machine, and a record of what it was asked to do.

use super::compile_commands::same;
use super::record::{self, Input, Line};
use crate::exit;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use syntax::preprocess::flags::split_words;

/// Options whose value may be the next word.
const WITH_VALUE: [&str; 26] = [
    "-o",
    "-x",
    "-D",
    "-U",
    "-I",
    "-L",
    "-l",
    "-T",
    "-u",
    "-z",
    "-e",
    "-MF",
    "-MT",
    "-MQ",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "--sysroot",
    "-Xlinker",
    "-Xpreprocessor",
    "-Xassembler",
    "--param",
    "-aux-info",
];

/// Compiles, and records what was compiled if that went well.
pub fn compile(words: &[OsString]) -> ExitCode {
    let compiler = std::env::var_os("CONCORD_CC").unwrap_or_else(|| "cc".into());
    let status = match Command::new(&compiler).args(words).status() {
        Ok(status) => status,
        Err(error) => {
            return exit::bad_input(format!(
                "cannot start the compiler {}: {error}",
                compiler.display()
            ));
        }
    };
    if !status.success() {
        // A compiler that a signal has ended has no code.
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        return exit::code(code.unwrap_or(1));
    }
    let words = words.iter().map(|word| word.to_string_lossy().to_string());
    let words = expanded(words.collect());
    let here = std::env::current_dir().unwrap_or_default();
    let lines = lines(&words, &here);
    if !lines.is_empty()
        && let Err(error) = record::add(&lines)
    {
        return exit::bad_input(format!("cannot record the compilation: {error}"));
    }
    ExitCode::SUCCESS
}

/// Response files as compilers read them.
fn expanded(words: Vec<String>) -> Vec<String> {
    let expand = |word: String| {
        let file = word.strip_prefix('@').map(std::fs::read_to_string);
        match file {
            Some(Ok(text)) => split_words(&text).unwrap_or_default(),
            _ => vec![word],
        }
    };
    words.into_iter().flat_map(expand).collect()
}

/// What a command line, which has done its work, says about a build.
fn lines(words: &[String], here: &Path) -> Vec<Line> {
    let mut command = Seen::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut value = || rest.next().cloned().unwrap_or_default();
        match word.as_str() {
            "-c" | "-S" => command.links = false,
            "-E" | "-M" | "-MM" | "-fsyntax-only" | "--version" => return Vec::new(),
            "-o" => command.output = Some(value()),
            "-L" => command.folders.push(value()),
            "-l" => command.libraries.push(value()),
            option if WITH_VALUE.contains(&option) => {
                value();
            }
            option if option.starts_with("-o") => command.output = Some(option[2..].to_owned()),
            option if option.starts_with("-L") => command.folders.push(option[2..].to_owned()),
            option if option.starts_with("-l") => command.libraries.push(option[2..].to_owned()),
            option if option.starts_with('-') => {}
            file => command.files.push(file.to_owned()),
        }
    }
    let place = |path: &str| same(&here.join(path));
    let is_c = |file: &&String| file.ends_with(".c") || file.ends_with(".i");
    let mut lines = Vec::new();
    for file in command.files.iter().filter(is_c) {
        let object = Path::new(file).with_extension("o");
        let output = match (&command.output, command.links, object.file_name()) {
            (Some(output), _, _) => place(output),
            (None, false, Some(object)) => same(&here.join(object)),
            (None, _, _) => place("a.out"),
        };
        lines.push(Line::Compile {
            directory: here.to_owned(),
            file: place(file),
            output,
            arguments: std::iter::once("cc".to_owned())
                .chain(words.iter().cloned())
                .collect(),
        });
    }
    if command.links && !command.files.is_empty() {
        let output = command.output.as_deref().unwrap_or("a.out");
        let mut inputs = Vec::new();
        for file in &command.files {
            add_input(&place(file), &mut inputs);
        }
        for library in &command.libraries {
            let mut folders = command.folders.iter();
            let archive = folders.find_map(|folder| {
                let archive = here.join(folder).join(format!("lib{library}.a"));
                archive.is_file().then_some(archive)
            });
            if let Some(archive) = archive {
                add_input(&archive, &mut inputs);
            }
        }
        lines.push(Line::Link {
            output: place(output),
            inputs,
        });
    }
    lines
}

/// What is seen of a compiler's command line.
struct Seen {
    links: bool,
    output: Option<String>,
    folders: Vec<String>,
    libraries: Vec<String>,
    files: Vec<String>,
}

impl Default for Seen {
    fn default() -> Seen {
        Seen {
            links: true,
            output: None,
            folders: Vec::new(),
            libraries: Vec::new(),
            files: Vec::new(),
        }
    }
}

fn add_input(path: &PathBuf, inputs: &mut Vec<Input>) {
    if path.extension().is_none_or(|ending| ending != "a") {
        inputs.push(Input::File(path.clone()));
        return;
    }
    let members = Command::new("ar").arg("t").arg(path).output();
    let members = members.map(|output| String::from_utf8_lossy(&output.stdout).to_string());
    let members = members.unwrap_or_default();
    inputs.extend(members.lines().map(|name| Input::Member(name.to_owned())));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_understood() {
        let here = Path::new("/nowhere");
        let lines = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            super::lines(&words, here)
        };
        let [Line::Compile { file, output, .. }] = &lines("-Iinc -DX -c src/a.c -MF a.d")[..]
        else {
            panic!("one file is compiled");
        };
        assert_eq!(file, Path::new("/nowhere/src/a.c"));
        assert_eq!(output, Path::new("/nowhere/a.o"));
        let found = lines("-o prog main.c b.o -lm");
        let [Line::Compile { .. }, Line::Link { output, inputs }] = &found[..] else {
            panic!("one file is compiled and linked: {found:?}");
        };
        assert_eq!(output, Path::new("/nowhere/prog"));
        let files = ["/nowhere/main.c", "/nowhere/b.o"].map(|file| Input::File(file.into()));
        assert_eq!(inputs[..], files);
        assert!(lines("-E a.c").is_empty() && lines("--version").is_empty());
    }
}
