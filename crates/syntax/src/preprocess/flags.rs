//! What a compiler is told on its command line, as far as it matters to the meaning of a file.
//!
//! Every word of a compiler's command line is one of four kinds: it is for the preprocessor, and
//! kept; it selects the data model or the standard, and is kept; it cannot change what a program
//! means here, and is left out; or it is an error. An option that nobody looked at may change the
//! meaning of a program, so what is in none of the tables is an error.

use crate::types::DataModel;
use std::path::{Path, PathBuf};

/// One option of the preprocessor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flag {
    /// `-D`: `NAME` or `NAME=VALUE`.
    Define(String),
    /// `-U`.
    Undefine(String),
    /// `-I`.
    Include(PathBuf),
    /// `-iquote`.
    QuoteInclude(PathBuf),
    /// `-isystem`.
    SystemInclude(PathBuf),
    /// `-idirafter`.
    LateInclude(PathBuf),
    /// `-include`: the file is read before the text.
    File(PathBuf),
    /// `-imacros`: only its macros are kept.
    Macros(PathBuf),
}

impl Flag {
    /// The words that tell a compiler the same.
    pub fn words(&self) -> Vec<String> {
        let path = |option: &str, path: &Path| vec![option.to_owned(), path.display().to_string()];
        match self {
            Flag::Define(text) => vec![format!("-D{text}")],
            Flag::Undefine(name) => vec![format!("-U{name}")],
            Flag::Include(folder) => vec![format!("-I{}", folder.display())],
            Flag::QuoteInclude(folder) => path("-iquote", folder),
            Flag::SystemInclude(folder) => path("-isystem", folder),
            Flag::LateInclude(folder) => path("-idirafter", folder),
            Flag::File(file) => path("-include", file),
            Flag::Macros(file) => path("-imacros", file),
        }
    }

    /// Does it change texts that have no directive of their own?
    fn changes_every_text(&self) -> bool {
        matches!(
            self,
            Flag::Define(_) | Flag::Undefine(_) | Flag::File(_) | Flag::Macros(_)
        )
    }
}

/// The options of one file, in the order in which they were given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    pub list: Vec<Flag>,
    /// As behind `-std=`.
    pub standard: Option<String>,
}

impl Flags {
    /// Folders as behind `-I`.
    pub fn including(folders: impl IntoIterator<Item = PathBuf>) -> Flags {
        Flags {
            list: folders.into_iter().map(Flag::Include).collect(),
            standard: None,
        }
    }

    /// Macros as behind `-D`.
    pub fn defining<T: Into<String>>(macros: impl IntoIterator<Item = T>) -> Flags {
        let list = macros.into_iter().map(|one| Flag::Define(one.into()));
        Flags {
            list: list.collect(),
            standard: None,
        }
    }

    /// These options with others behind them.
    pub fn then(&self, others: &Flags) -> Flags {
        Flags {
            list: self.list.iter().chain(&others.list).cloned().collect(),
            standard: others.standard.clone().or_else(|| self.standard.clone()),
        }
    }

    /// The words that tell a compiler the same.
    pub fn words(&self) -> Vec<String> {
        let standard = self.standard.iter().map(|name| format!("-std={name}"));
        let list = self.list.iter().flat_map(Flag::words);
        standard.chain(list).collect()
    }

    pub(super) fn change_every_text(&self) -> bool {
        self.list.iter().any(Flag::changes_every_text)
    }
}

/// Standards whose rules are those of the front end, as far as a program can tell.
const STANDARDS: [&str; 16] = [
    "c99",
    "gnu99",
    "c9x",
    "gnu9x",
    "iso9899:1999",
    "c11",
    "gnu11",
    "c1x",
    "gnu1x",
    "iso9899:2011",
    "c17",
    "gnu17",
    "c18",
    "gnu18",
    "c2x",
    "gnu2x",
];

/// Standards before C99: their inline functions are linked by other rules.
const OLD_STANDARDS: [&str; 6] = ["c89", "c90", "gnu89", "gnu90", "iso9899:1990", "ansi"];

/// Is it a standard that texts may be preprocessed by?
pub fn check_standard(name: &str) -> Result<(), String> {
    if STANDARDS.contains(&name) || is_old_standard(name) {
        return Ok(());
    }
    Err(format!(
        "'{name}' is not a supported standard of C (supported: c89, c99, c11, c17 and their gnu \
         variants)"
    ))
}

pub(super) fn is_old_standard(name: &str) -> bool {
    OLD_STANDARDS.contains(&name)
}

/// A compiler's command line, understood.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compilation {
    pub flags: Flags,
    /// As `-m32` or `-m64` says.
    pub data_model: Option<DataModel>,
    /// The files that are compiled, as they are named.
    pub files: Vec<PathBuf>,
}

/// Options that select what is printed, optimised, linked or warned about.
const HARMLESS: [&str; 59] = [
    "-c",
    "-S",
    "-s",
    "-v",
    "-w",
    "-g",
    "-p",
    "-pg",
    "-pipe",
    "-pthread",
    "-pedantic",
    "-pedantic-errors",
    "-static",
    "-shared",
    "-rdynamic",
    "-pie",
    "-no-pie",
    "-nostdlib",
    "-nodefaultlibs",
    "-nostartfiles",
    "-save-temps",
    "-M",
    "-MD",
    "-MM",
    "-MMD",
    "-MP",
    "-MG",
    "-fPIC",
    "-fpic",
    "-fPIE",
    "-fpie",
    "-fno-PIC",
    "-fno-pic",
    "-fno-PIE",
    "-fno-pie",
    "-fwrapv",
    "-fno-wrapv",
    "-fno-strict-overflow",
    "-fstrict-overflow",
    "-fno-strict-aliasing",
    "-fstrict-aliasing",
    "-fno-common",
    "-fcommon",
    "-fomit-frame-pointer",
    "-fno-omit-frame-pointer",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-asynchronous-unwind-tables",
    "-fasynchronous-unwind-tables",
    "-funwind-tables",
    "-fno-unwind-tables",
    "-fexceptions",
    "-fno-exceptions",
    "-fsigned-char",
    "-fno-unsigned-char",
    "-fno-builtin",
    "-fbuiltin",
    "-fhosted",
    "-fasm",
];

/// Beginnings of options that select what is printed, optimised, linked or warned about.
const HARMLESS_BEGINNINGS: [&str; 26] = [
    "-O",
    "-W",
    "-g",
    "-l",
    "-L",
    "-fdiagnostics-",
    "-fcolor-",
    "-fno-color-",
    "-fmessage-length=",
    "-fmax-errors=",
    "-fstack-",
    "-fno-stack-",
    "-fcf-protection",
    "-fvisibility",
    "-fno-tree-",
    "-ftree-",
    "-finline",
    "-fno-inline",
    "-flto",
    "-fno-lto",
    "-fprofile-",
    "-fsanitize",
    "-fno-sanitize",
    "-ffile-prefix-map=",
    "-mtune=",
    "-fdebug-",
];

/// Options of that kind whose value is the next word.
const HARMLESS_WITH_VALUE: [&str; 6] = ["-o", "-MF", "-MT", "-MQ", "-Xlinker", "-T"];

/// Reads the words behind a compiler's name. Relative paths are taken from `directory`.
pub fn read_command(words: &[String], directory: &Path) -> Result<Compilation, String> {
    let mut found = Compilation::default();
    let place = |path: &str| directory.join(path);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = |option: &str| -> Result<String, String> {
            match &word[option.len()..] {
                "" => words
                    .next()
                    .cloned()
                    .ok_or_else(|| format!("the option {option} has no value")),
                attached => Ok(attached.to_owned()),
            }
        };
        let list = &mut found.flags.list;
        let word = word.as_str();
        if HARMLESS_WITH_VALUE.contains(&word) {
            value(word)?;
        } else if let Some(name) = word.strip_prefix("-std=") {
            check_standard(name)?;
            found.flags.standard = Some(name.to_owned());
        } else if word == "-ansi" {
            found.flags.standard = Some("c90".to_owned());
        } else if word.starts_with("-isystem") {
            list.push(Flag::SystemInclude(place(&value("-isystem")?)));
        } else if word.starts_with("-iquote") {
            list.push(Flag::QuoteInclude(place(&value("-iquote")?)));
        } else if word.starts_with("-idirafter") {
            list.push(Flag::LateInclude(place(&value("-idirafter")?)));
        } else if word.starts_with("-include") {
            list.push(Flag::File(place(&value("-include")?)));
        } else if word.starts_with("-imacros") {
            list.push(Flag::Macros(place(&value("-imacros")?)));
        } else if word.starts_with("-D") {
            list.push(Flag::Define(value("-D")?));
        } else if word.starts_with("-U") {
            list.push(Flag::Undefine(value("-U")?));
        } else if word.starts_with("-I") {
            list.push(Flag::Include(place(&value("-I")?)));
        } else if word == "-m32" {
            found.data_model = Some(DataModel::Ilp32);
        } else if word == "-m64" {
            found.data_model = Some(DataModel::Lp64);
        } else if word.starts_with("-x") {
            match value("-x")?.as_str() {
                "c" | "none" => {}
                other => return Err(format!("the language '{other}' (option -x) is not C")),
            }
        } else if !word.starts_with('-') {
            found.files.push(PathBuf::from(word));
        } else if !is_harmless(word) {
            return Err(format!(
                "the compiler option {word} may change the meaning of the program"
            ));
        }
    }
    Ok(found)
}

fn is_harmless(word: &str) -> bool {
    // `-Wp,-DNAME` and `-Wp,-U…` are for the preprocessor; `-Ofast` changes floats.
    if word.starts_with("-Wp,") || word.starts_with("-Wa,") || word == "-Ofast" {
        return false;
    }
    let begins = |beginning: &&str| word.starts_with(*beginning);
    HARMLESS.contains(&word) || HARMLESS_BEGINNINGS.iter().any(begins)
}

/// Splits a text into words as a shell does, as far as build systems write commands: quotes and
/// backslashes, no substitution.
pub fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Err("a quotation mark is not closed".into()),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                            Some(c) => word.extend(['\\', c]),
                            None => return Err("a quotation mark is not closed".into()),
                        },
                        Some(c) => word.push(c),
                        None => return Err("a quotation mark is not closed".into()),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Compilation, String> {
        read_command(&split_words(text).unwrap(), Path::new("/p"))
    }

    #[test]
    fn what_the_preprocessor_needs_is_kept_in_order() {
        let read = read(
            "-DA=1 -UA -D B -I inc -isystem /sys -include pre.h -std=c99 -m32 -O2 -Wall -g3 \
             -MF x.d -c -o a.o a.c",
        )
        .unwrap();
        assert_eq!(
            read.flags.words().join(" "),
            "-std=c99 -DA=1 -UA -DB -I/p/inc -isystem /sys -include /p/pre.h"
        );
        assert_eq!(read.data_model, Some(DataModel::Ilp32));
        assert_eq!(read.files, [PathBuf::from("a.c")]);
    }

    #[test]
    fn what_may_change_the_meaning_is_an_error() {
        for option in [
            "-funsigned-char",
            "-fshort-enums",
            "-fpack-struct",
            "-ffast-math",
            "-Ofast",
            "-mlong-double-64",
            "-fshort-wchar",
            "-Wp,-DX=2",
            "-fno-such-option",
            "-std=c++11",
            "-xc++",
            "-D",
        ] {
            assert!(read(option).is_err(), "{option}");
        }
    }

    #[test]
    fn words_are_split_as_a_shell_does() {
        let words = split_words(r#"-DX=\"a\ b\" '-DY="c d"' "-DZ=\"e\"" f\ g.c"#).unwrap();
        assert_eq!(words, ["-DX=\"a b\"", "-DY=\"c d\"", "-DZ=\"e\"", "f g.c"]);
        assert!(split_words("'a").is_err() && split_words("\"a").is_err());
    }
}
