//! `docs/options.md`, the reference of all options, is what the code says: names and defaults as
//! configurations have them, texts from the comments of the types.
//! `CONCORD_UPDATE=1 cargo test -p portfolio --test options` writes it anew.

use portfolio::registry::ENGINES;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A type of options: its own comment, and its fields or variants.
struct Type {
    text: String,
    items: Vec<Item>,
    is_enum: bool,
    /// Where it is defined.
    file: PathBuf,
}

struct Item {
    /// As configurations write it.
    name: String,
    /// The type of a field, or what a variant carries.
    ty: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// The definition of a type of options in one of the files, if it is there.
fn definition(file: &Path, source: &str, name: &str) -> Option<Type> {
    if !source.contains(&format!(" {name} {{")) {
        return None;
    }
    let (mut text, mut attributes) = (String::new(), String::new());
    let mut lines = source.lines();
    let (is_enum, is_empty) = loop {
        let line = lines.next()?;
        let struct_begins = format!("struct {name} {{");
        if let Some(comment) = line.strip_prefix("///") {
            text += comment;
        } else if line.starts_with("#[") {
            attributes += line;
        } else if line.ends_with(&struct_begins) {
            break (false, false);
        } else if line.ends_with(&format!("{struct_begins}}}")) {
            break (false, true);
        } else if line.ends_with(&format!("enum {name} {{")) {
            break (true, false);
        } else {
            text.clear();
            attributes.clear();
        }
    };
    if !attributes.contains("serde") {
        return None;
    }
    let mut items = Vec::new();
    let (mut about, mut is_skipped) = (String::new(), false);
    for line in lines.take_while(|line| !is_empty && *line != "}") {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix("///") {
            about += comment;
        } else if line.starts_with("#[") {
            is_skipped |= line.contains("skip");
        } else {
            let line = line.trim_start_matches("pub ").trim_end_matches(',');
            let (name, ty) = line.split_once([':', '(']).unwrap_or((line, ""));
            let item = Item {
                name: kebab(name),
                ty: ty.trim().trim_end_matches(')').into(),
                text: std::mem::take(&mut about).trim().into(),
            };
            if !std::mem::take(&mut is_skipped) {
                items.push(item);
            }
        }
    }
    Some(Type {
        text: text.trim().into(),
        items,
        is_enum,
        file: file.into(),
    })
}

/// `first_bound` and `FirstBound` as serde writes them.
fn kebab(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        match letter {
            '_' => text.push('-'),
            letter if letter.is_uppercase() => {
                if !text.is_empty() {
                    text.push('-');
                }
                text.extend(letter.to_lowercase());
            }
            letter => text.push(letter),
        }
    }
    text
}

/// Finds types by their names: the definition whose path has most in common with that of the one
/// who asks.
struct Types {
    files: Vec<(PathBuf, String)>,
}

impl Types {
    fn find(&self, name: &str, near: &Path) -> Option<Type> {
        let files = self.files.iter();
        let found = files.filter_map(|(file, source)| definition(file, source, name));
        found.max_by_key(|found| {
            let (ours, theirs) = (found.file.components(), near.components());
            ours.zip(theirs).take_while(|(a, b)| a == b).count()
        })
    }

    /// The type that a field is made of, if it is one of options.
    fn inner(&self, ty: &str, near: &Path) -> Option<(String, Type)> {
        let names = ty.split(|letter: char| !letter.is_alphanumeric());
        let mut names = names.filter(|name| !matches!(*name, "" | "Option" | "Vec" | "String"));
        names.find_map(|name| Some((name.to_owned(), self.find(name, near)?)))
    }
}

/// Longer lists of values have a section of their own.
const FEW: usize = 6;

/// The type of a field in words for users.
fn type_text(ty: &str, inner: Option<&(String, Type)>) -> String {
    let one = match inner {
        Some((_, inner)) if inner.is_enum && inner.items.len() <= FEW => {
            let values = inner.items.iter().map(|item| match item.ty.as_str() {
                "" => format!("`\"{}\"`", item.name),
                _ => format!("`{{ {} = number }}`", item.name),
            });
            values.collect::<Vec<_>>().join(", ")
        }
        Some((name, inner)) => {
            let what = if inner.is_enum { "a name" } else { "table" };
            format!("[{what}](#{})", name.to_lowercase())
        }
        None => {
            let plain = ty.trim_start_matches("Option<").trim_end_matches('>');
            match plain {
                "bool" => "truth value",
                "String" => "text",
                "f64" => "number",
                _ => "whole number",
            }
            .into()
        }
    };
    match ty.starts_with("Vec<") {
        true if one.starts_with('[') => format!("list of {one}s").replace("[a ", "["),
        true => format!("list of {one}"),
        false => one,
    }
}

/// A default value as TOML; long ones are in the code.
fn default_text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "–".into(),
        Some(Value::Number(number)) if number.as_u64() == Some(u64::MAX) => "no limit".into(),
        Some(Value::Array(list)) if list.iter().any(Value::is_object) => {
            format!("{} tables", list.len())
        }
        Some(Value::Object(_)) => "its own".into(),
        Some(other) => format!("`{}`", other.to_string().replace("\",\"", "\", \"")),
    }
}

/// The options of a type; those inside of others have no default of their own.
fn table(
    types: &Types,
    of: &Type,
    defaults: Option<&Value>,
    nested: &mut BTreeSet<String>,
) -> String {
    let mut text = String::from(match defaults {
        Some(_) => "| option | value | default | |\n|---|---|---|---|\n",
        None => "| option | value | |\n|---|---|---|\n",
    });
    for item in &of.items {
        assert!(
            !item.text.is_empty(),
            "{}: {} has no comment",
            of.file.display(),
            item.name
        );
        let inner = types.inner(&item.ty, &of.file);
        let default = defaults.map(|defaults| default_text(defaults.get(&item.name)));
        let default = default.map_or(String::new(), |default| format!(" {default} |"));
        let ty = type_text(&item.ty, inner.as_ref());
        let mut about = item.text.clone();
        match &inner {
            Some((_, values)) if values.is_enum && values.items.len() <= FEW => {
                for value in &values.items {
                    assert!(!value.text.is_empty(), "{} has no comment", value.name);
                    let _ = write!(about, "<br>`{}`: {}", value.name, value.text);
                }
            }
            Some((name, _)) => {
                nested.insert(name.clone());
            }
            None => {}
        }
        let row = format!("| `{}` | {ty} |{default} {about} |\n", item.name);
        text += &row;
    }
    text
}

/// The values of a long list.
fn values(of: &Type) -> String {
    let mut text = String::from("| value | |\n|---|---|\n");
    for value in &of.items {
        assert!(!value.text.is_empty(), "{} has no comment", value.name);
        let _ = writeln!(text, "| `\"{}\"` | {} |", value.name, value.text);
    }
    text
}

fn reference() -> String {
    let mut text = String::from(
        "# Options of the engines\n\n\
         What `options` of a [configuration](analyses.md#configurations-are-files) may say, engine by engine. This page is \
         generated from the code; a test keeps it up to date.\n",
    );
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    files.retain(|file| file.components().any(|part| part.as_os_str() == "src"));
    let read = |file: PathBuf| {
        let source = std::fs::read_to_string(&file).expect("a source can be read");
        (file, source)
    };
    let types = Types {
        files: files.into_iter().map(read).collect(),
    };
    let mut nested = BTreeSet::new();
    for engine in ENGINES {
        let _ = write!(text, "\n## {}\n\n", engine.name);
        let path = (engine.options_type)();
        let (krate, name) = (
            path.split("::").next().unwrap_or_default(),
            path.rsplit("::").next().unwrap_or_default(),
        );
        let near = root().join("crates").join(krate).join("src");
        let found = types.find(name, &near);
        let found = found.unwrap_or_else(|| panic!("{path} is defined nowhere"));
        let known: BTreeSet<String> = engine.options().into_iter().map(|one| one.name).collect();
        let written: BTreeSet<String> = found.items.iter().map(|one| one.name.clone()).collect();
        assert_eq!(known, written, "{path}");
        let defaults: serde_json::Map<String, Value> = engine
            .options()
            .into_iter()
            .map(|option| (option.name, option.default))
            .collect();
        assert!(!found.text.is_empty(), "{path} has no comment");
        text += &found.text;
        text += "\n";
        if !found.items.is_empty() {
            let defaults = Value::Object(defaults);
            let _ = write!(
                text,
                "\n{}",
                table(&types, &found, Some(&defaults), &mut nested)
            );
        }
    }
    let mut written = BTreeSet::new();
    while let Some(name) = nested.difference(&written).next().cloned() {
        let found = types.find(&name, &root()).expect("it was found before");
        let _ = write!(text, "\n## {name}\n\n{}\n\n", found.text);
        text += &match found.is_enum {
            true => values(&found),
            false => table(&types, &found, None, &mut nested),
        };
        written.insert(name);
    }
    text
}

#[test]
fn the_reference_of_options_is_up_to_date() {
    let file = root().join("docs/options.md");
    let generated = reference();
    if std::env::var_os("CONCORD_UPDATE").is_some() {
        std::fs::write(&file, &generated).expect("the page can be written");
    }
    let page = std::fs::read_to_string(&file).expect("the page can be read");
    assert!(
        page == generated,
        "docs/options.md is out of date: run `CONCORD_UPDATE=1 cargo test -p portfolio --test options`"
    );
}
