//! Analyses as data: named configurations, read from files that are part of the program, or from a file of the
//! user's.

use crate::exit;
use cfa::passes::SIMPLIFY;
use serde::Deserialize;
use std::path::Path;
use std::process::ExitCode;

/// A configuration, as its file says it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    /// One line for the list.
    summary: String,
    /// The paper and section that it comes from.
    paper: Option<String>,
    /// The passes that make the program smaller before it is analysed; all of them if nothing is said.
    passes: Option<Vec<String>>,
    engine: Option<EngineName>,
    options: Option<toml::Table>,
    parallel: Option<Vec<Entry>>,
    sequence: Option<Vec<Entry>>,
}

/// A part of a combination: an engine with its options, or a combination again.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    engine: Option<EngineName>,
    options: Option<toml::Table>,
    parallel: Option<Vec<Entry>>,
    sequence: Option<Vec<Entry>>,
    /// The part of the whole time that it gets in a sequence.
    limit: Option<f64>,
}

/// A configuration.
#[derive(Clone, Debug)]
pub struct Analysis {
    pub summary: String,
    pub paper: Option<String>,
    pub plan: Plan,
    /// What makes the program smaller before it is analysed.
    pub passes: Vec<&'static str>,
    /// The file as it was read, for the report.
    pub text: String,
}

/// Which engines run, and how they are combined.
#[derive(Clone, Debug)]
pub enum Plan {
    Engine {
        name: EngineName,
        options: toml::Table,
    },
    Parallel(Vec<Plan>),
    /// Each with its part of the time.
    Sequence(Vec<(Plan, Option<f64>)>),
}

impl Plan {
    fn new(entry: Entry) -> Result<Plan, String> {
        let several = |parts: Vec<Entry>| -> Result<Vec<(Plan, Option<f64>)>, String> {
            if parts.is_empty() {
                return Err("a combination needs parts".into());
            }
            parts
                .into_iter()
                .map(|part| {
                    let limit = part.limit;
                    Ok((Plan::new(part)?, limit))
                })
                .collect()
        };
        match (entry.engine, entry.parallel, entry.sequence) {
            (Some(name), None, None) => Ok(Plan::Engine {
                name,
                options: entry.options.unwrap_or_default(),
            }),
            _ if entry.options.is_some() => Err("only an engine has options".into()),
            (None, Some(parts), None) => {
                let parts = several(parts)?;
                if parts.iter().any(|(_, limit)| limit.is_some()) {
                    return Err("only parts of a sequence have limits".into());
                }
                Ok(Plan::Parallel(
                    parts.into_iter().map(|(plan, _)| plan).collect(),
                ))
            }
            (None, None, Some(parts)) => Ok(Plan::Sequence(several(parts)?)),
            _ => Err("give one of 'engine', 'parallel' and 'sequence'".into()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineName {
    Execution,
    Bmc,
    KInduction,
    Houdini,
    Pdr,
    Invariants,
    Cpa,
    Predicate,
}

include!(concat!(env!("OUT_DIR"), "/named_analyses.rs"));

fn read(name: &str, text: &str) -> Result<Analysis, String> {
    let file: File = toml::from_str(text).map_err(|error| format!("analysis {name}: {error}"))?;
    let entry = Entry {
        engine: file.engine,
        options: file.options,
        parallel: file.parallel,
        sequence: file.sequence,
        limit: None,
    };
    let passes =
        match &file.passes {
            None => SIMPLIFY.to_vec(),
            Some(names) => names
                .iter()
                .map(|given| {
                    let known = SIMPLIFY.into_iter().find(|known| known == given);
                    known.ok_or_else(|| {
                let all = SIMPLIFY.join(", ");
                format!("analysis {name}: no pass before an analysis is called '{given}' ({all})")
            })
                })
                .collect::<Result<_, _>>()?,
        };
    Ok(Analysis {
        passes,
        summary: file.summary,
        paper: file.paper,
        plan: Plan::new(entry).map_err(|error| format!("analysis {name}: {error}"))?,
        text: text.into(),
    })
}

/// The named analysis.
pub fn named(name: &str) -> Result<Analysis, String> {
    match NAMED.iter().find(|(known, _)| *known == name) {
        Some((name, text)) => read(name, text),
        None => {
            let close = NAMED
                .iter()
                .map(|(known, _)| (distance(known, name), *known))
                .min()
                .filter(|(distance, _)| *distance <= 3);
            let hint = close.map_or(String::new(), |(_, known)| {
                format!("; did you mean '{known}'?")
            });
            Err(format!(
                "there is no analysis '{name}'{hint} (concord analyses lists them)"
            ))
        }
    }
}

pub fn from_file(path: &Path) -> Result<Analysis, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    read(&path.display().to_string(), &text)
}

/// Names as `bench --analysis` takes them: `papers` and `all` stand for several. Each name is there once.
pub fn expand(names: &[String]) -> Result<Vec<String>, String> {
    let mut expanded: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !expanded.iter().any(|known| known == name) {
            expanded.push(name.into());
        }
    };
    for name in names {
        match name.as_str() {
            "all" => NAMED.iter().for_each(|(name, _)| add(name)),
            "papers" => {
                for (name, text) in NAMED {
                    if read(name, text)?.paper.is_some() {
                        add(name);
                    }
                }
            }
            name => add(name),
        }
    }
    Ok(expanded)
}

/// Edit distance, for suggestions.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + usize::from(x != *y))
                .min(row[j] + 1)
                .min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

pub fn list() -> ExitCode {
    for (name, text) in NAMED {
        match read(name, text) {
            Ok(analysis) => {
                let paper = analysis
                    .paper
                    .map_or(String::new(), |paper| format!(" [{paper}]"));
                println!("{name:<20} {}{paper}", analysis.summary);
            }
            Err(error) => return exit::bad_input(error),
        }
    }
    exit::code(exit::TRUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_analysis_can_be_read() {
        for (name, text) in NAMED {
            let analysis = read(name, text).unwrap();
            assert!(!analysis.summary.is_empty(), "{name}");
            // Options are read when an engine is made.
            crate::check::engines::check(&analysis.plan).unwrap();
        }
    }

    #[test]
    fn a_misspelt_name_gets_a_suggestion() {
        assert!(named("bmx").unwrap_err().contains("did you mean 'bmc'"));
    }

    #[test]
    fn several_analyses_have_short_names() {
        let expand = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).into()).collect();
            expand(&names).unwrap()
        };
        let papers = expand(&["papers"]);
        assert!(papers.contains(&"bmc".into()) && !papers.contains(&"execution".into()));
        let all = expand(&["default", "papers", "all", "bmc"]);
        assert_eq!(all[0], "default");
        assert_eq!(all.len(), NAMED.len());
        assert_eq!(expand(&["mine"]), ["mine"]);
    }

    #[test]
    fn unknown_keys_are_errors() {
        assert!(read("x", "summary = \"\"\nengine = \"bmc\"").is_ok());
        assert!(read("x", "summary = \"\"\nengine = \"bmc\"\nmotor = 1").is_err());
        assert!(read("x", "summary = \"\"\nengine = \"bmc\"\nparallel = []").is_err());
    }
}
