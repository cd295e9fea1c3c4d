//! The registry of engines: the one place that knows all of them.
//!
//! A new engine needs its own folder, one line of [`ENGINES`] and a configuration that names it.
//! All that others want to know of an engine is asked here: how it is made from its options, which
//! options there are, and what stands in for a limit of time where a run has to be repeatable.
//! Which form of the program it works on the engine says itself ([`Engine::view`]).

use crate::candidates::Candidates;
use cpa::engine::CpaOptions;
use cpa::generator::{Generator, GeneratorOptions};
use engines::arrays::{Arrays, ArraysOptions};
use engines::bmc::{Bmc, BmcOptions};
use engines::contracts::{Contracts, ContractsOptions};
use engines::execution::{Execution, ExecutionOptions};
use engines::houdini::Houdini;
use engines::ic3cfa::{Ic3Cfa, Ic3CfaOptions};
use engines::k_induction::{KInduction, KInductionOptions};
use engines::pdr::{Pdr, PdrOptions};
use facts::engine::{Engine, View};
use policy::engine::{EngineOptions as PolicyEngineOptions, PolicyEngine};
use predicate::{self, PredicateAnalysis};
use runner::suggestion::with_suggestion;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use traces::TraceAbstraction;

/// An engine that configurations can name.
pub struct Registered {
    pub name: &'static str,
    make: fn(&toml::Table) -> Result<Box<dyn Engine>, String>,
    options: fn() -> serde_json::Value,
    /// The path of the type of its options, whose comments are the reference for users.
    pub options_type: fn() -> &'static str,
    /// For an engine that would go on for ever.
    pub work_limit: Option<WorkLimit>,
}

/// What ends an engine's work in a deterministic run, where time does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkLimit {
    pub option: &'static str,
    pub value: i64,
}

/// An option of an engine, as configurations name it, and what it is if nothing is said.
#[derive(Clone, PartialEq, Debug)]
pub struct OptionReference {
    pub name: String,
    pub default: serde_json::Value,
}

/// This engine has no options.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct NoOptions {}

/// Makes the table: for each engine its name, the type of its options, how it is made from them,
/// and its limit of work.
macro_rules! engines {
    ($($name:literal, $options:ty, $make:expr $(, $option:literal = $limit:literal)?;)*) => {
        /// All engines.
        pub static ENGINES: &[Registered] = &[$(Registered {
            name: $name,
            make: |table| {
                let options: $options = read($name, table)?;
                let make: fn($options) -> Box<dyn Engine> = $make;
                Ok(make(options))
            },
            options: defaults::<$options>,
            options_type: std::any::type_name::<$options>,
            work_limit: engines!(@limit $($option, $limit)?),
        }),*];

        /// Their names.
        pub const NAMES: &[&str] = &[$($name),*];
    };
    (@limit) => { None };
    (@limit $option:literal, $limit:literal) => {
        Some(WorkLimit { option: $option, value: $limit })
    };
}

engines! {
    "execution", ExecutionOptions, |options| Box::new(Execution { options }), "most-runs" = 2000;
    "bmc", BmcOptions, |options| Box::new(Bmc { options }), "last-bound" = 32;
    "k-induction", KInductionOptions, |options| Box::new(KInduction { options }), "last-depth" = 12;
    "houdini", NoOptions, |_| Box::new(Houdini::default());
    "arrays", ArraysOptions, |options| Box::new(Arrays { options });
    "contracts", ContractsOptions, |options| Box::new(Contracts { options });
    "ic3cfa", Ic3CfaOptions, |options| Box::new(Ic3Cfa { options }), "most-questions" = 20_000;
    "pdr", PdrOptions, |options| Box::new(Pdr { options }), "most-questions" = 20_000;
    "invariants", GeneratorOptions, |options| Box::new(Generator { options });
    "cpa", CpaOptions, cpa::engine::engine;
    "policy", PolicyEngineOptions, |options| Box::new(PolicyEngine { options });
    "predicate", predicate::Options, |options| Box::new(PredicateAnalysis { options });
    "trace-abstraction", traces::Options, |options| Box::new(TraceAbstraction::new(options)), "most-refinements" = 200;
    "candidates", NoOptions, |_| Box::new(Candidates {});
}

fn read<T: DeserializeOwned>(engine: &str, table: &toml::Table) -> Result<T, String> {
    T::deserialize(table.clone()).map_err(|error| {
        format!(
            "options of {engine}: {}",
            with_suggestion(&error.to_string())
        )
    })
}

/// The options where nothing is said, by their names. (JSON, because TOML has no number as large as
/// those that stand for "no limit".)
fn defaults<T: Serialize + Default>() -> serde_json::Value {
    serde_json::to_value(T::default()).unwrap_or_default()
}

/// The engine of this name.
pub fn named(name: &str) -> Option<&'static Registered> {
    ENGINES.iter().find(|engine| engine.name == name)
}

impl Registered {
    /// The engine with these options; the error is for users.
    pub fn make(&self, options: &toml::Table) -> Result<Box<dyn Engine>, String> {
        (self.make)(options)
    }

    /// All options, in the order of their names.
    pub fn options(&self) -> Vec<OptionReference> {
        let serde_json::Value::Object(defaults) = (self.options)() else {
            return Vec::new();
        };
        let defaults = defaults.into_iter();
        let options = defaults.map(|(name, default)| OptionReference { name, default });
        options.collect()
    }

    /// The form of the program that it works on, if no option says otherwise.
    pub fn view(&self) -> Option<View> {
        let engine = self.make(&toml::Table::new()).ok()?;
        Some(engine.view())
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

/// Configurations name engines.
impl<'de> Deserialize<'de> for &'static Registered {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        named(&name).ok_or_else(|| D::Error::unknown_variant(&name, NAMES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_can_be_made_and_has_its_options() {
        for engine in ENGINES {
            let none = toml::Table::new();
            let made = engine.make(&none).expect("no option is needed");
            assert_eq!(Some(made.view()), engine.view(), "{engine:?}");
            let names: Vec<String> = engine
                .options()
                .into_iter()
                .map(|option| option.name)
                .collect();
            if let Some(limit) = &engine.work_limit {
                assert!(
                    names.contains(&limit.option.into()),
                    "{engine:?}: {names:?}"
                );
            }
            // What the reference names is what configurations may say.
            let wrong = toml::Table::from_iter([("no-such-option".into(), 1.into())]);
            let error = engine.make(&wrong).err().expect("there is no such option");
            assert!(
                error.starts_with(&format!("options of {}", engine.name)),
                "{error}"
            );
            for name in &names {
                let listed = error.contains(&format!("`{name}`"));
                assert!(listed, "{engine:?} does not accept {name}: {error}");
            }
        }
    }

    #[test]
    fn names_are_unique_and_those_of_the_engines() {
        for (number, engine) in ENGINES.iter().enumerate() {
            let first = ENGINES.iter().position(|other| other.name == engine.name);
            assert_eq!(first, Some(number));
            assert_eq!(NAMES[number], engine.name);
        }
    }

    #[test]
    fn each_engine_says_what_it_works_on() {
        let view = |name| named(name).and_then(Registered::view);
        assert_eq!(view("execution"), Some(View::Original));
        assert_eq!(view("bmc"), Some(View::Split));
        assert_eq!(view("arrays"), Some(View::Split));
        assert_eq!(view("contracts"), Some(View::Split));
        for name in [
            "k-induction",
            "houdini",
            "pdr",
            "ic3cfa",
            "invariants",
            "cpa",
            "policy",
            "predicate",
            "candidates",
        ] {
            assert_eq!(view(name), Some(View::Prepared), "{name}");
        }
    }
}
