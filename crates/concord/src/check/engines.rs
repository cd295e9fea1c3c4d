//! From a plan to engines: the one place that knows all of them.

use super::case::{Case, Certified, View};
use super::recheck::Recheck;
use crate::analyses::{EngineName, Plan};
use cooperation::parallel::Parallel;
use cooperation::sequence::{Part, Sequence};
use cpa::generator::Generator;
use cpa::predicate::PredicateAnalysis;
use engines::arrays::Arrays;
use engines::bmc::Bmc;
use engines::execution::Execution;
use engines::houdini::Houdini;
use engines::k_induction::KInduction;
use engines::pdr::Pdr;
use facts::engine::Engine;
use facts::invariants::InvariantMap;
use runner::suggestion::with_suggestion;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// An engine that has no options.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Nothing {}

fn options<T: DeserializeOwned>(table: &toml::Table, engine: &str) -> Result<T, String> {
    T::deserialize(table.clone()).map_err(|error| {
        format!(
            "options of {engine}: {}",
            with_suggestion(&error.to_string())
        )
    })
}

/// The engine and the program that it sees. Executions need every access to memory, also those that no read makes
/// matter; a complete unrolling is one of all loops, also of those that lead to no error; prophecies are about places
/// that certificates name.
fn engine(name: EngineName, table: &toml::Table) -> Result<(Box<dyn Engine>, View), String> {
    Ok(match name {
        EngineName::Execution => {
            let options = options(table, "execution")?;
            (Box::new(Execution { options }), View::Original)
        }
        EngineName::Bmc => {
            let options = options(table, "bmc")?;
            (Box::new(Bmc { options }), View::Split)
        }
        EngineName::KInduction => {
            let options = options(table, "k-induction")?;
            (Box::new(KInduction { options }), View::Prepared)
        }
        EngineName::Pdr => {
            let options = options(table, "pdr")?;
            (Box::new(Pdr { options }), View::Prepared)
        }
        EngineName::Houdini => {
            options::<Nothing>(table, "houdini")?;
            (Box::new(Houdini::default()), View::Prepared)
        }
        EngineName::Arrays => {
            let options = options(table, "arrays")?;
            (Box::new(Arrays { options }), View::Split)
        }
        EngineName::Invariants => {
            let options = options(table, "invariants")?;
            (Box::new(Generator { options }), View::Prepared)
        }
        EngineName::Cpa => (cpa::engine::engine(options(table, "cpa")?), View::Prepared),
        EngineName::Predicate => {
            let options = options(table, "predicate")?;
            (Box::new(PredicateAnalysis { options }), View::Prepared)
        }
    })
}

/// Could the plan be made into engines?
#[cfg(test)]
pub fn check(plan: &Plan) -> Result<(), String> {
    match plan {
        Plan::Engine { name, options } => engine(*name, options).map(|_| ()),
        Plan::Parallel(parts) => parts.iter().try_for_each(check),
        Plan::Sequence(parts) => parts.iter().try_for_each(|(part, _)| check(part)),
        Plan::When(_, plan) => check(plan),
    }
}

/// The plan without anything side by side: the parts of a parallel combination take turns, each with an equal part
/// of the time that is left. Engines that would go on for ever get a limit of work instead, so that what a run finds
/// depends on nothing but the program, as long as the limit of time is far.
pub fn in_turns(plan: &Plan) -> Plan {
    match plan {
        Plan::Engine { name, options } => {
            let limit = match name {
                EngineName::Execution => Some(("most-runs", 2000)),
                EngineName::Bmc => Some(("last-bound", 32)),
                EngineName::KInduction => Some(("last-depth", 12)),
                EngineName::Pdr => Some(("most-questions", 20_000)),
                _ => None,
            };
            let mut options = options.clone();
            if let Some((key, value)) = limit {
                options.entry(key).or_insert(toml::Value::Integer(value));
            }
            Plan::Engine {
                name: *name,
                options,
            }
        }
        Plan::Sequence(parts) => Plan::Sequence(
            parts
                .iter()
                .map(|(part, limit)| (in_turns(part), *limit))
                .collect(),
        ),
        Plan::When(conditions, plan) => Plan::When(conditions.clone(), Box::new(in_turns(plan))),
        Plan::Parallel(parts) => {
            let share = 1.0 / parts.len() as f64;
            Plan::Sequence(
                parts
                    .iter()
                    .map(|part| (in_turns(part), Some(share)))
                    .collect(),
            )
        }
    }
}

/// How many engines a plan names.
pub fn parts(plan: &Plan) -> usize {
    match plan {
        Plan::Engine { .. } => 1,
        Plan::When(_, plan) => parts(plan),
        Plan::Parallel(plans) => plans.iter().map(parts).sum(),
        Plan::Sequence(plans) => plans.iter().map(|(plan, _)| parts(plan)).sum(),
    }
}

/// The plan without the engine of this name; `None` if nothing is left of it.
pub fn without(plan: &Plan, left_out: &str) -> Option<Plan> {
    match plan {
        Plan::Engine { name, options } => match engine(*name, options) {
            Ok((engine, _)) if engine.name() == left_out => None,
            _ => Some(plan.clone()),
        },
        Plan::When(conditions, plan) => {
            let rest = without(plan, left_out)?;
            Some(Plan::When(conditions.clone(), Box::new(rest)))
        }
        Plan::Parallel(parts) => {
            let parts: Vec<Plan> = parts
                .iter()
                .filter_map(|part| without(part, left_out))
                .collect();
            (!parts.is_empty()).then_some(Plan::Parallel(parts))
        }
        Plan::Sequence(parts) => {
            let parts: Vec<(Plan, Option<f64>)> = parts
                .iter()
                .filter_map(|(part, limit)| Some((without(part, left_out)?, *limit)))
                .collect();
            (!parts.is_empty()).then_some(Plan::Sequence(parts))
        }
    }
}

/// The plan whose predicate analyses begin with the precisions handed to them.
pub fn with_precision(plan: &Plan) -> Plan {
    match plan {
        Plan::Engine { name, options } => {
            let mut options = options.clone();
            if *name == EngineName::Predicate {
                options.insert("use-precision".into(), toml::Value::Boolean(true));
            }
            Plan::Engine {
                name: *name,
                options,
            }
        }
        Plan::Parallel(parts) => Plan::Parallel(parts.iter().map(with_precision).collect()),
        Plan::When(conditions, plan) => {
            Plan::When(conditions.clone(), Box::new(with_precision(plan)))
        }
        Plan::Sequence(parts) => {
            let parts = parts.iter();
            Plan::Sequence(
                parts
                    .map(|(part, limit)| (with_precision(part), *limit))
                    .collect(),
            )
        }
    }
}

/// The part of the time in which facts of an earlier process are checked.
const RECHECK: f64 = 0.1;

/// The whole analysis, with every engine on a thread with a large stack and its panics caught. Facts of an earlier
/// process are checked first.
pub fn make(
    plan: &Plan,
    case: &Arc<Case>,
    earlier: Vec<InvariantMap>,
) -> Result<Box<dyn Engine>, String> {
    let Some(plan) = plan.for_program(&case.features()) else {
        return Err("the configuration has nothing for a program like this".into());
    };
    if earlier.is_empty() {
        return match plan {
            Plan::Parallel(_) => part(&plan, case),
            single => part(&Plan::Parallel(vec![single]), case),
        };
    }
    let recheck = Recheck {
        maps: earlier,
        case: case.clone(),
    };
    let all = Sequence {
        name: "sequence".into(),
        parts: vec![
            Part {
                engine: Box::new(recheck),
                limit: Some(RECHECK),
            },
            Part {
                engine: part(&plan, case)?,
                limit: None,
            },
        ],
    };
    Ok(Box::new(Parallel {
        name: "parallel".into(),
        parts: vec![Box::new(all)],
    }))
}

fn part(plan: &Plan, case: &Arc<Case>) -> Result<Box<dyn Engine>, String> {
    Ok(match plan {
        Plan::Engine { name, options } => {
            let (engine, view) = engine(*name, options)?;
            Box::new(Certified {
                engine,
                case: case.clone(),
                view,
            })
        }
        Plan::Parallel(parts) => Box::new(Parallel {
            name: "parallel".into(),
            parts: parts
                .iter()
                .map(|plan| part(plan, case))
                .collect::<Result<_, _>>()?,
        }),
        // Those that are left have been decided on.
        Plan::When(_, plan) => part(plan, case)?,
        Plan::Sequence(parts) => {
            let mut made = Vec::new();
            for (plan, limit) in parts {
                made.push(Part {
                    engine: part(plan, case)?,
                    limit: *limit,
                });
            }
            Box::new(Sequence {
                name: "sequence".into(),
                parts: made,
            })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyses;

    fn names(plan: &Plan, found: &mut Vec<String>) {
        match plan {
            Plan::Engine { name, options } => {
                let (engine, _) = engine(*name, options).expect("the options are right");
                found.push(engine.name().to_string());
            }
            Plan::When(_, plan) => names(plan, found),
            Plan::Parallel(parts) => parts.iter().for_each(|part| names(part, found)),
            Plan::Sequence(parts) => parts.iter().for_each(|(part, _)| names(part, found)),
        }
    }

    #[test]
    fn an_engine_is_left_out_wherever_it_stands() {
        let plan = analyses::named("default").expect("there is one").plan;
        let mut all = Vec::new();
        names(&plan, &mut all);
        for left_out in ["bmc", "k-induction", "eva-refiner"] {
            let rest = without(&plan, left_out).expect("much is left");
            let mut left = Vec::new();
            names(&rest, &mut left);
            let expected: Vec<String> = all
                .iter()
                .filter(|name| *name != left_out)
                .cloned()
                .collect();
            assert!(
                expected.len() < all.len(),
                "{left_out} is in none of {all:?}"
            );
            assert_eq!(left, expected);
        }
        let single = Plan::Parallel(vec![Plan::Engine {
            name: EngineName::Bmc,
            options: toml::Table::new(),
        }]);
        assert!(without(&single, "bmc").is_none());
    }
}
