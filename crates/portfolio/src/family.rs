//! Families of configurations: one description for all members of a cross product, as papers
//! compare them.
//!
//! ```toml
//! name = "{source}-{target}"
//! summary = "predicate analysis; {invariants} go into {places}"
//! use = "base600"
//!
//! [axes.source.int-check]
//! let = { invariants = "interpolants that are inductive" }
//! options = { heuristics = ["int-check"] }
//!
//! [axes.target.prec]
//! let = { places = "the precision" }
//! options = { inject = ["precision"] }
//! ```
//!
//! A member takes one value of every axis. Its configuration has the keys that stand outside of the
//! axes and those of its values; tables with the same key are united. `{axis}` is replaced by the
//! name of the value, `{key}` by what `let` says; a string that is nothing but `"{key}"` becomes
//! the value itself, be it a list or a number.

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Table, Value};

#[derive(Deserialize)]
struct Family {
    /// How members are called.
    name: String,
    axes: BTreeMap<String, BTreeMap<String, Table>>,
    #[serde(flatten)]
    common: Table,
}

/// What a value of an axis says about the holes in texts.
const LET: &str = "let";

/// The members of a family: their names, and each as the text of a configuration.
pub fn members(text: &str) -> Result<Vec<(String, String)>, String> {
    let family: Family = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut choices: Vec<Vec<(&str, &str, &Table)>> = vec![Vec::new()];
    for (axis, values) in &family.axes {
        let longer = choices.iter().flat_map(|choice| {
            values.iter().map(|(value, table)| {
                let mut choice = choice.clone();
                choice.push((axis, value, table));
                choice
            })
        });
        choices = longer.collect();
    }
    let members = choices.iter().map(|choice| member(&family, choice));
    members.collect()
}

fn member(family: &Family, choice: &[(&str, &str, &Table)]) -> Result<(String, String), String> {
    let mut table = family.common.clone();
    let mut holes = Table::new();
    for &(axis, value, said) in choice {
        let mut said = said.clone();
        holes.insert(axis.into(), value.into());
        if let Some(Value::Table(texts)) = said.remove(LET) {
            unite(&mut holes, texts)?;
        }
        unite(&mut table, said)?;
    }
    let name = fill_text(&family.name, &holes)?;
    let of_member = |error: String| format!("{name}: {error}");
    let filled = fill(Value::Table(table), &holes).map_err(of_member)?;
    let text = toml::to_string(&filled).map_err(|error| of_member(error.to_string()))?;
    Ok((name, text))
}

/// Adds keys to a table. Two values for one key are an error, unless both are tables.
fn unite(table: &mut Table, more: Table) -> Result<(), String> {
    for (key, value) in more {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(more)) => unite(inner, more)?,
            (Some(_), _) => return Err(format!("'{key}' has two values")),
            (None, value) => {
                table.insert(key, value);
            }
        }
    }
    Ok(())
}

/// The value with its holes filled, in whatever it is made of.
fn fill(value: Value, holes: &Table) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => match whole(&text).and_then(|key| holes.get(key)) {
            Some(value) => value.clone(),
            None => Value::String(fill_text(&text, holes)?),
        },
        Value::Array(values) => {
            let values = values.into_iter().map(|value| fill(value, holes));
            Value::Array(values.collect::<Result<_, _>>()?)
        }
        Value::Table(table) => {
            let entries = table.into_iter();
            let entries = entries.map(|(key, value)| Ok((key, fill(value, holes)?)));
            Value::Table(entries.collect::<Result<_, String>>()?)
        }
        value => value,
    })
}

/// The key, if the text is nothing but one hole.
fn whole(text: &str) -> Option<&str> {
    let key = text.strip_prefix('{')?.strip_suffix('}')?;
    (!key.contains(['{', '}'])).then_some(key)
}

/// The text with its holes filled by texts.
fn fill_text(text: &str, holes: &Table) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, hole)) = rest.split_once('{') {
        let (key, after) = hole
            .split_once('}')
            .ok_or_else(|| format!("'{text}' has no closing brace"))?;
        match holes.get(key) {
            Some(Value::String(value)) => filled.extend([before, value]),
            Some(_) => return Err(format!("'{key}' in '{text}' is not a text")),
            None => return Err(format!("'{key}' in '{text}' has no value")),
        }
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_a_cross_product() {
        let family = r#"
            name = "{kind}{size}"
            summary = "{kind} of {how} size"
            engine = "bmc"
            options = { list = "{values}" }
            [axes.kind.a]
            [axes.kind.b.options]
            own = true
            [axes.size."-small"]
            let = { how = "small", values = [1, 2] }
            [axes.size.""]
            let = { how = "any", values = [] }
        "#;
        let members = members(family).expect("a family");
        let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "a-small", "b", "b-small"]);
        let text = |place: usize| members[place].1.parse::<Table>().expect("a table");
        assert_eq!(text(1)["summary"].as_str(), Some("a of small size"));
        assert_eq!(text(1)["options"].to_string(), "{ list = [1, 2] }");
        assert_eq!(text(2)["options"].to_string(), "{ list = [], own = true }");
    }

    #[test]
    fn a_family_that_contradicts_itself_is_an_error() {
        let with = |rest: &str| members(&format!("name = \"{{a}}\"\nengine = \"bmc\"\n{rest}"));
        assert!(with("[axes.a.x]").is_ok());
        let twice = with("[axes.a.x]\nengine = \"pdr\"").expect_err("two engines");
        assert!(twice.contains("'engine' has two values"), "{twice}");
        let open = with("summary = \"{b}\"\n[axes.a.x]").expect_err("there is no b");
        assert!(open.contains("'b' in"), "{open}");
    }
}
