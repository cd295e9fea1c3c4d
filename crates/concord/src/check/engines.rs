//! From a plan to engines: the one place that knows all of them.

use super::case::{Case, Certified, View};
use super::recheck::{Candidates, Recheck};
use crate::analyses::{EngineName, Plan};
use cooperation::at_most::AtMost;
use cooperation::parallel::Parallel;
use cooperation::part::Part;
use cooperation::sequence::Sequence;
use cooperation::sharing::Sharing;
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
        EngineName::Candidates => {
            options::<Nothing>(table, "candidates")?;
            (Box::new(Candidates {}), View::Prepared)
        }
    })
}

/// Could the plan be made into engines?
#[cfg(test)]
pub fn check(plan: &Plan) -> Result<(), String> {
    match plan {
        Plan::Engine { name, options } => engine(*name, options).map(|_| ()),
        Plan::Parallel(parts) | Plan::Sequence(parts) => {
            parts.iter().try_for_each(|(part, _)| check(part))
        }
        Plan::When(_, plan) | Plan::Sharing(_, plan) | Plan::AtMost(_, plan) => check(plan),
    }
}

/// The names of the plan's engines, in their order. One whose options are wrong has none.
pub fn names(plan: &Plan) -> Vec<String> {
    match plan {
        Plan::Engine { name, options } => {
            let engine = engine(*name, options).ok();
            let name = engine.map(|(engine, _)| engine.name().to_string());
            name.into_iter().collect()
        }
        Plan::When(_, plan) | Plan::Sharing(_, plan) | Plan::AtMost(_, plan) => names(plan),
        Plan::Parallel(parts) | Plan::Sequence(parts) => {
            parts.iter().flat_map(|(part, _)| names(part)).collect()
        }
    }
}

/// The plan with every engine of it changed; those for which nothing comes out are left out, and the whole is nothing if
/// nothing is left.
fn changed(plan: &Plan, change: &dyn Fn(&Plan) -> Option<Plan>) -> Option<Plan> {
    let of_parts = |parts: &[(Plan, Option<f64>)]| {
        let parts = parts.iter();
        let parts = parts.filter_map(|(part, limit)| Some((changed(part, change)?, *limit)));
        let parts: Vec<(Plan, Option<f64>)> = parts.collect();
        (!parts.is_empty()).then_some(parts)
    };
    Some(match plan {
        Plan::Engine { .. } => change(plan)?,
        Plan::When(conditions, plan) => {
            Plan::When(conditions.clone(), Box::new(changed(plan, change)?))
        }
        Plan::AtMost(time, plan) => Plan::AtMost(*time, Box::new(changed(plan, change)?)),
        Plan::Sharing(rules, plan) => {
            Plan::Sharing(rules.clone(), Box::new(changed(plan, change)?))
        }
        Plan::Parallel(parts) => Plan::Parallel(of_parts(parts)?),
        Plan::Sequence(parts) => Plan::Sequence(of_parts(parts)?),
    })
}

/// The plan without anything side by side: the parts of a parallel combination take turns, each with its part of the time,
/// or an equal one. Engines that would go on for ever get a limit of work instead, so that what a run finds
/// depends on nothing but the program, as long as the limit of time is far.
pub fn in_turns(plan: &Plan) -> Plan {
    let in_turns_of = |parts: &[(Plan, Option<f64>)], default: Option<f64>| {
        let parts = parts.iter();
        let parts = parts.map(|(part, limit)| (in_turns(part), limit.or(default)));
        Plan::Sequence(parts.collect())
    };
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
        Plan::When(conditions, plan) => Plan::When(conditions.clone(), Box::new(in_turns(plan))),
        Plan::AtMost(time, plan) => Plan::AtMost(*time, Box::new(in_turns(plan))),
        Plan::Sharing(rules, plan) => Plan::Sharing(rules.clone(), Box::new(in_turns(plan))),
        Plan::Sequence(parts) => in_turns_of(parts, None),
        Plan::Parallel(parts) => in_turns_of(parts, Some(1.0 / parts.len() as f64)),
    }
}

/// How many engines a plan names.
pub fn parts(plan: &Plan) -> usize {
    match plan {
        Plan::Engine { .. } => 1,
        Plan::When(_, plan) | Plan::Sharing(_, plan) | Plan::AtMost(_, plan) => parts(plan),
        Plan::Parallel(plans) | Plan::Sequence(plans) => {
            plans.iter().map(|(plan, _)| parts(plan)).sum()
        }
    }
}

/// The plan without the engine of this name; `None` if nothing is left of it.
pub fn without(plan: &Plan, left_out: &str) -> Option<Plan> {
    changed(plan, &|engine| {
        let is_left_out = names(engine).iter().any(|name| name == left_out);
        (!is_left_out).then(|| engine.clone())
    })
}

/// The plan whose predicate analyses begin with the precisions handed to them.
pub fn with_precision(plan: &Plan) -> Plan {
    let begin_with_it = |engine: &Plan| {
        let mut engine = engine.clone();
        if let Plan::Engine { name, options } = &mut engine
            && *name == EngineName::Predicate
        {
            options.insert("use-precision".into(), toml::Value::Boolean(true));
        }
        Some(engine)
    };
    // Nothing is left out.
    changed(plan, &begin_with_it).unwrap_or_else(|| plan.clone())
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
            single => part(&Plan::Parallel(vec![(single, None)]), case),
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
    let all: Box<dyn Engine> = Box::new(all);
    Ok(Box::new(Parallel {
        name: "parallel".into(),
        parts: vec![all.into()],
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
            parts: made(parts, case)?,
        }),
        Plan::Sequence(parts) => Box::new(Sequence {
            name: "sequence".into(),
            parts: made(parts, case)?,
        }),
        // Those that are left have been decided on.
        Plan::When(_, plan) => part(plan, case)?,
        Plan::AtMost(time, plan) => Box::new(AtMost {
            engine: part(plan, case)?,
            time: *time,
        }),
        Plan::Sharing(rules, plan) => Box::new(Sharing {
            engine: part(plan, case)?,
            rules: rules.clone(),
        }),
    })
}

fn made(parts: &[(Plan, Option<f64>)], case: &Arc<Case>) -> Result<Vec<Part>, String> {
    let parts = parts.iter().map(|(plan, limit)| {
        Ok(Part {
            engine: part(plan, case)?,
            limit: *limit,
        })
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyses;

    #[test]
    fn an_engine_is_left_out_wherever_it_stands() {
        let plan = analyses::named("default").expect("there is one").plan;
        let all = names(&plan);
        for left_out in ["bmc", "k-induction", "eva-refiner"] {
            let rest = without(&plan, left_out).expect("much is left");
            let left = names(&rest);
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
        let bmc = Plan::Engine {
            name: EngineName::Bmc,
            options: toml::Table::new(),
        };
        let single = Plan::Parallel(vec![(bmc, None)]);
        assert!(without(&single, "bmc").is_none());
    }
}
