//! `concord.toml`: what is said about a project once, instead of on every command line.
//!
//! Every key stands for options of the command line. The file is found in the working folder or
//! the next one above, and its keys become words of the command line; what is said there counts
//! more. One table, [`KEYS`], is what is read, what is documented, and what errors suggest.

use super::shown;
use crate::cli::Cli;
use clap::CommandFactory;
use clap::parser::ValueSource;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

pub const FILE_NAME: &str = "concord.toml";

/// What may stand behind a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Text,
    Texts,
    /// Relative to the settings.
    Path,
    Paths,
    /// With `*`, `?` and `**`.
    Files,
    /// `FUNCTION=FILE`.
    Replacements,
    Flag,
}

impl Kind {
    fn described(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Texts => "list of texts",
            Kind::Path => "path",
            Kind::Paths => "list of paths",
            Kind::Files => "list of paths and patterns",
            Kind::Replacements => "list of `FUNCTION=FILE`",
            Kind::Flag => "truth value",
        }
    }
}

struct Key {
    name: &'static str,
    kind: Kind,
    /// The option that it stands for, without dashes; none for the files themselves.
    option: &'static str,
    text: &'static str,
}

const fn key(name: &'static str, kind: Kind, option: &'static str, text: &'static str) -> Key {
    Key {
        name,
        kind,
        option,
        text,
    }
}

/// All keys; [`FIRST_FOR_ENTRIES`] and those behind it may also be said of one entry.
const KEYS: [Key; 27] = [
    key(
        "files",
        Kind::Files,
        "",
        "The C files of the program. `*`, `?` and `**` work as in a shell.",
    ),
    key(
        "compile-commands",
        Kind::Path,
        "compile-commands",
        "The compilation database that says how files are compiled.",
    ),
    key(
        "program",
        Kind::Text,
        "program",
        "The program of a recorded build (`concord cc`) that is checked.",
    ),
    key(
        "data-model",
        Kind::Text,
        "data-model",
        "Sizes of the types of C: `ilp32` or `lp64`.",
    ),
    key(
        "std",
        Kind::Text,
        "std",
        "The standard of C, as behind `-std=`.",
    ),
    key(
        "defines",
        Kind::Texts,
        "-D",
        "Macros: `NAME` or `NAME=VALUE`.",
    ),
    key("undefines", Kind::Texts, "-U", "Macros that are undefined."),
    key(
        "includes",
        Kind::Paths,
        "-I",
        "Folders of included files, as behind `-I`.",
    ),
    key(
        "system-includes",
        Kind::Paths,
        "isystem",
        "Folders of system headers.",
    ),
    key(
        "include-files",
        Kind::Paths,
        "include",
        "Files that are included before each file.",
    ),
    key(
        "remove-body",
        Kind::Texts,
        "remove-body",
        "Functions whose bodies count as missing.",
    ),
    key(
        "replace",
        Kind::Replacements,
        "replace",
        "Functions whose definitions come from other files.",
    ),
    key(
        "analysis",
        Kind::Text,
        "analysis",
        "The analysis, by its name.",
    ),
    key(
        "config",
        Kind::Path,
        "config",
        "The analysis, as a configuration file.",
    ),
    key(
        "strict",
        Kind::Flag,
        "strict",
        "Warnings are errors, and no answer rests on an assumption.",
    ),
    key(
        "property",
        Kind::Text,
        "property",
        "The property, by its name.",
    ),
    key(
        "spec",
        Kind::Path,
        "spec",
        "The property, as a file (`.prp`).",
    ),
    key(
        "external-writes",
        Kind::Flag,
        "external-writes",
        "Functions without a body may write to memory reachable from their arguments.",
    ),
    key(
        "malloc-may-fail",
        Kind::Flag,
        "malloc-may-fail",
        "Allocations may fail and return null.",
    ),
    key(
        "havoc-asm",
        Kind::Flag,
        "havoc-asm",
        "Outputs of inline assembly have any value, also in violations.",
    ),
    key(
        "volatile",
        Kind::Text,
        "volatile",
        "What reads of volatile objects return: `any` or `ordinary`.",
    ),
    key(
        "mmio",
        Kind::Texts,
        "mmio",
        "Addresses of devices' registers, as `0x40000000-0x40000fff`.",
    ),
    key(
        "timeout",
        Kind::Text,
        "timeout",
        "CPU time limit, for example `60s`.",
    ),
    key("wall", Kind::Text, "wall", "Limit of time on the wall."),
    key(
        "memory",
        Kind::Text,
        "memory",
        "Memory limit, for example `4GB`.",
    ),
    key(
        "each-check",
        Kind::Flag,
        "each-check",
        "Decide every check by itself.",
    ),
    key(
        "stop-at-first",
        Kind::Flag,
        "stop-at-first",
        "Stop at the first violation, also with the property `all`.",
    ),
];

/// The first key that may be said of one entry too.
const FIRST_FOR_ENTRIES: &str = "property";

/// Keys of entries alone.
const ENTRY_KEYS: [Key; 3] = [
    key(
        "arguments",
        Kind::Texts,
        "argument",
        "What pointers lead to: `buf[len]`, `text[]`, `*p`.",
    ),
    key(
        "assume",
        Kind::Texts,
        "assume",
        "C expressions that hold when the entry is called.",
    ),
    key(
        "globals",
        Kind::Text,
        "globals",
        "What globals hold when the entry is called: `any` or `initialised`.",
    ),
];

/// The settings of a project.
pub struct Settings {
    pub file: PathBuf,
    table: Table,
}

impl Settings {
    /// Those of the working folder, or of the next one above.
    pub fn found() -> Result<Option<Settings>, String> {
        let Ok(here) = std::env::current_dir() else {
            return Ok(None);
        };
        let mut files = here.ancestors().map(|folder| folder.join(FILE_NAME));
        match files.find(|file| file.is_file()) {
            Some(file) => Settings::read(&file).map(Some),
            None => Ok(None),
        }
    }

    pub fn read(file: &Path) -> Result<Settings, String> {
        let name = shown(file).display().to_string();
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("cannot read {name}: {error}"))?;
        let table: Table = text
            .parse()
            .map_err(|error| format!("{name}: error: {error}"))?;
        let settings = Settings {
            file: shown(file),
            table,
        };
        let at = |problem: String| match line_of(&text, &problem) {
            Some(line) => format!("{name}:{line}: error: {problem}"),
            None => format!("{name}: error: {problem}"),
        };
        settings.check().map_err(at)?;
        Ok(settings)
    }

    /// Are all keys known, and their values of the right kind?
    fn check(&self) -> Result<(), String> {
        for (name, value) in &self.table {
            if name == "entries" {
                let Value::Table(entries) = value else {
                    return Err("`entries` is a table: write [entries.FUNCTION]".into());
                };
                for (function, keys) in entries {
                    let Value::Table(keys) = keys else {
                        return Err(format!(
                            "`{function}` is a table: write [entries.{function}]"
                        ));
                    };
                    for (name, value) in keys {
                        check_key(name, value, entry_keys(), "of an entry")?;
                    }
                }
            } else {
                check_key(name, value, KEYS.iter(), "of a project")?;
            }
        }
        Ok(())
    }

    /// The functions that checks start at, in alphabetical order.
    pub fn entries(&self) -> Vec<String> {
        match self.table.get("entries") {
            Some(Value::Table(entries)) => entries.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }

    fn entry(&self, name: &str) -> Option<&Table> {
        self.table.get("entries")?.get(name)?.as_table()
    }

    /// The words of the command line with what the settings say.
    pub fn applied(&self, words: &[OsString]) -> Result<Vec<OsString>, String> {
        let given = Given::new(words)?;
        // `concord harness` names the entry first.
        let entry = given.text("entry").or_else(|| given.function());
        let entry = entry.as_deref().and_then(|name| self.entry(name));
        let mut options: Vec<OsString> = Vec::new();
        let mut files = Vec::new();
        for key in KEYS.iter().chain(&ENTRY_KEYS) {
            let of_entry = entry.and_then(|entry| entry.get(key.name));
            let Some(value) = of_entry.or_else(|| self.table.get(key.name)) else {
                continue;
            };
            if key.kind == Kind::Files {
                if given.names_no_files() {
                    files = self.files(value)?;
                }
                continue;
            }
            if given.has(key.option) && !given.is_said(key) {
                self.add(key, value, &mut options);
            }
        }
        let (command, rest) = words.split_at(2);
        Ok([command, &options, rest, &files].concat())
    }

    fn add(&self, key: &Key, value: &Value, words: &mut Vec<OsString>) {
        let option = match key.option.starts_with('-') {
            true => key.option.to_owned(),
            false => format!("--{}", key.option),
        };
        if value.as_bool() == Some(false) {
            return;
        }
        if value.as_bool() == Some(true) {
            words.push(option.into());
            return;
        }
        for text in texts(value) {
            words.push(option.clone().into());
            words.push(match key.kind {
                Kind::Path | Kind::Paths => self.place(text).into(),
                Kind::Replacements => match text.split_once('=') {
                    Some((function, file)) => {
                        let mut word = OsString::from(format!("{function}="));
                        word.push(self.place(file));
                        word
                    }
                    None => text.into(),
                },
                _ => text.into(),
            });
        }
    }

    /// Paths are meant from where the settings lie.
    fn place(&self, path: &str) -> PathBuf {
        let folder = self.file.parent().unwrap_or(Path::new(""));
        folder.join(path)
    }

    fn files(&self, value: &Value) -> Result<Vec<OsString>, String> {
        let mut found = Vec::new();
        for text in texts(value) {
            if !text.contains(['*', '?', '[']) {
                found.push(self.place(text).into_os_string());
                continue;
            }
            let folder = glob::Pattern::escape(&self.place("").to_string_lossy());
            let pattern = Path::new(&folder).join(text);
            let problem = |error: String| format!("{}: `{text}`: {error}", self.file.display());
            let paths = glob::glob(&pattern.to_string_lossy());
            let paths = paths.map_err(|error| problem(error.to_string()))?;
            let before = found.len();
            for path in paths {
                let path = path.map_err(|error| problem(error.to_string()))?;
                let path = path.into_os_string();
                if !found.contains(&path) {
                    found.push(path);
                }
            }
            if found.len() == before {
                return Err(problem("no file matches".into()));
            }
        }
        Ok(found)
    }
}

fn entry_keys() -> impl Iterator<Item = &'static Key> {
    let shared = KEYS.iter().skip_while(|key| key.name != FIRST_FOR_ENTRIES);
    ENTRY_KEYS.iter().chain(shared)
}

fn check_key<'a>(
    name: &str,
    value: &Value,
    keys: impl Iterator<Item = &'a Key>,
    place: &str,
) -> Result<(), String> {
    let keys: Vec<&Key> = keys.collect();
    let Some(key) = keys.iter().find(|key| key.name == name) else {
        let names = keys.iter().map(|key| key.name);
        let hint = runner::suggestion::suggestion(name, names);
        return Err(format!("`{name}` is no key {place}{hint}"));
    };
    let is_list = |value: &Value| {
        let list = value.as_array();
        list.is_some_and(|list| list.iter().all(Value::is_str))
    };
    let fits = match key.kind {
        Kind::Flag => value.is_bool(),
        Kind::Text | Kind::Path => value.is_str(),
        _ => is_list(value),
    };
    match fits {
        true => Ok(()),
        false => Err(format!("`{name}` is a {}", key.kind.described())),
    }
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    }
}

/// The line at which the first name in backquotes is a key.
fn line_of(text: &str, problem: &str) -> Option<usize> {
    let name = problem.split('`').nth(1)?;
    let is_key = |line: &str| {
        let line = line.trim_start().trim_start_matches(['"', '[']);
        let rest = line.strip_prefix("entries.").unwrap_or(line);
        let rest = rest.strip_prefix(name);
        rest.is_some_and(|rest| rest.trim_start().starts_with(['=', ']', '"', '.']))
    };
    let found = text.lines().position(is_key)?;
    Some(found + 1)
}

/// All keys, as the guide's page about them.
pub fn reference() -> String {
    let mut text = String::from(
        "# Settings of a project\n\nThe keys of [`concord.toml`](projects.md#settings), as `concord settings` prints \
         them. This page is generated from the code; a test keeps it up to date.\n\n## Keys of a project\n\n",
    );
    table(KEYS.iter(), &mut text);
    text += "\n## Keys of an entry\n\nIn the table `[entries.FUNCTION]`; they count more than those of the project.\n\n";
    table(entry_keys(), &mut text);
    text
}

fn table(keys: impl Iterator<Item = &'static Key>, text: &mut String) {
    *text += "| key | value | option | |\n|---|---|---|---|\n";
    for key in keys {
        let option = match key.option {
            "" => "the files".to_owned(),
            option if option.starts_with('-') => format!("`{option}`"),
            option => format!("`--{option}`"),
        };
        let (name, says, kind) = (key.name, key.text, key.kind.described());
        *text += &format!("| `{name}` | {kind} | {option} | {says} |\n");
    }
}

/// What the command line says already.
pub struct Given {
    matches: clap::ArgMatches,
    ids: Vec<(String, String)>,
}

impl Given {
    pub fn new(words: &[OsString]) -> Result<Given, String> {
        let command = Cli::command();
        let name = words.get(1).map(|word| word.to_string_lossy().to_string());
        let name = name.unwrap_or_default();
        let own = command.find_subcommand(&name);
        let arguments = own.map(clap::Command::get_arguments).into_iter().flatten();
        let ids = arguments.map(|argument| {
            let long = argument.get_long().map(str::to_owned);
            let short = argument.get_short().map(|short| format!("-{short}"));
            let option = long.or(short).unwrap_or_default();
            (option, argument.get_id().to_string())
        });
        let ids = ids.collect();
        let matches = command.try_get_matches_from(words);
        let matches = matches.unwrap_or_else(|error| error.exit());
        let matches = matches.subcommand_matches(&name).cloned();
        Ok(Given {
            matches: matches.ok_or("no command")?,
            ids,
        })
    }

    fn id(&self, option: &str) -> Option<&str> {
        let mut ids = self.ids.iter();
        let found = ids.find(|(name, _)| name == option);
        found.map(|(_, id)| id.as_str())
    }

    /// Does the command know the option?
    fn has(&self, option: &str) -> bool {
        self.id(option).is_some()
    }

    pub fn is_given(&self, option: &str) -> bool {
        self.id(option)
            .is_some_and(|id| self.matches.value_source(id) == Some(ValueSource::CommandLine))
    }

    /// Is something said that counts more than the key? Lists are added to.
    fn is_said(&self, key: &Key) -> bool {
        let excluded: &[&str] = match key.option {
            "property" | "spec" => &["property", "spec"],
            "analysis" | "config" => &["analysis", "config"],
            "compile-commands" | "program" => &["compile-commands", "record"],
            "each-check" | "stop-at-first" => &["each-check", "stop-at-first"],
            _ => &[],
        };
        let is_single = matches!(key.kind, Kind::Text | Kind::Path | Kind::Flag);
        is_single && self.is_given(key.option) || excluded.iter().any(|one| self.is_given(one))
    }

    pub fn names_no_files(&self) -> bool {
        let source = self.matches.value_source("files");
        source != Some(ValueSource::CommandLine) && !self.is_given("compile-commands")
    }

    pub fn path(&self, option: &str) -> Option<PathBuf> {
        let id = self.id(option)?;
        self.matches.try_get_one::<PathBuf>(id).ok()?.cloned()
    }

    fn function(&self) -> Option<String> {
        let function = self.matches.try_get_one::<String>("function");
        function.ok().flatten().cloned()
    }

    fn text(&self, option: &str) -> Option<String> {
        let id = self.id(option)?;
        self.matches.try_get_one::<String>(id).ok()?.cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_of_settings_is_up_to_date() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
        let generated = reference();
        if std::env::var_os("CONCORD_UPDATE").is_some() {
            std::fs::write(&file, &generated).expect("the page can be written");
        }
        let page = std::fs::read_to_string(&file).expect("the page can be read");
        let hint = "run `CONCORD_UPDATE=1 cargo test -p concord --bin concord settings`";
        assert!(page == generated, "docs/settings.md is out of date: {hint}");
    }

    #[test]
    fn every_key_is_an_option_of_check() {
        let words = ["concord", "check", "a.c"].map(OsString::from);
        let given = Given::new(&words).expect("a command line");
        for key in KEYS.iter().chain(&ENTRY_KEYS) {
            assert!(
                key.option.is_empty() || given.has(key.option),
                "{}",
                key.name
            );
        }
    }

    fn settings(text: &str) -> Result<Settings, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(FILE_NAME);
        std::fs::write(&file, text).expect("it can be written");
        let read = Settings::read(&file);
        read.map_err(|text| text.replace(&file.display().to_string(), FILE_NAME))
            .map(|settings| Settings {
                file: PathBuf::from("p/concord.toml"),
                ..settings
            })
    }

    #[test]
    fn keys_become_words_and_the_command_line_counts_more() {
        let text = "files = ['a.c']\ndefines = ['X=1']\nincludes = ['inc']\ntimeout = '5s'\n\
                    property = 'all'\n[entries.f]\nproperty = 'no-overflow'\n";
        let settings = settings(text).expect("settings");
        let applied = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let words = settings.applied(&words).expect("words");
            let words = words.iter().map(|word| word.to_string_lossy().to_string());
            words.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            applied(&["concord", "check"]),
            "concord check -D X=1 -I p/inc --property all --timeout 5s p/a.c"
        );
        assert_eq!(
            applied(&["concord", "check", "--entry", "f", "--timeout=1s", "b.c"]),
            "concord check -D X=1 -I p/inc --property no-overflow --entry f --timeout=1s b.c"
        );
        // Commands without a property take what they know.
        assert_eq!(
            applied(&["concord", "cfa"]),
            "concord cfa -D X=1 -I p/inc p/a.c"
        );
    }

    #[test]
    fn what_is_not_known_is_an_error_with_its_place() {
        let cases = [
            (
                "files = ['a.c']\ndefine = ['X']",
                "concord.toml:2: error: `define` is no key of a project; did you mean `defines`?",
            ),
            ("timeout = 5", "concord.toml:1: error: `timeout` is a text"),
            (
                "[entries.f]\nfiles = ['a.c']",
                "concord.toml:2: error: `files` is no key of an entry",
            ),
            ("entries = 1", "concord.toml:1: error: `entries` is a table"),
        ];
        for (text, expected) in cases {
            let problem = settings(text).err().expect("an error");
            assert!(problem.starts_with(expected), "{problem}");
        }
    }
}
