//! The plan of a configuration: which engines run, and how they are combined.
//!
//! All that is done with plans is a use of [`Plan::fold`], or of [`Plan::map`], which is one
//! itself.

use crate::helpers::Description;
use crate::registry::Registered;
use cooperation::master::Terms;
use cooperation::sharing::Rules;
use runner::suggestion::suggestion;
use std::fmt;
use std::time::Duration;
use transform::features::{Feature, Features};

/// A tree of steps.
#[derive(Clone, Debug)]
pub struct Plan(Box<Step<Plan>>);

/// One step of a plan, with `P` in the places of its parts.
#[derive(Clone, Debug)]
pub enum Step<P> {
    Engine(Configured),
    /// Side by side.
    Parallel(Vec<Share<P>>),
    /// One after the other.
    Sequence(Vec<Share<P>>),
    /// Not more than so much processor time.
    AtMost(Duration, P),
    /// Which facts are read, and by whom.
    Sharing(Rules, P),
    /// Only for programs that meet all conditions.
    When(Vec<Condition>, P),
    /// It asks helpers for invariants.
    Helped(Help, P),
}

/// Who helps, and how.
#[derive(Clone, Debug)]
pub struct Help {
    pub helpers: Vec<Description>,
    pub terms: Terms,
}

/// An engine and its options.
#[derive(Clone, Debug)]
pub struct Configured {
    pub engine: &'static Registered,
    pub options: toml::Table,
}

impl Configured {
    /// The name that the engine goes by with these options; none if they are wrong.
    pub fn name(&self) -> Option<String> {
        let engine = self.engine.make(&self.options).ok()?;
        Some(engine.name().to_owned())
    }
}

/// A part of a combination.
#[derive(Clone, Copy, Debug)]
pub struct Share<P> {
    pub part: P,
    /// The part of the combination's processor time that it gets.
    pub limit: Option<f64>,
}

/// What programs have, or do not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    pub feature: Feature,
    pub wanted: bool,
}

impl Condition {
    fn holds(self, features: &Features) -> bool {
        features.has(self.feature) == self.wanted
    }
}

impl<P> Step<P> {
    /// The step with something else in the places of its parts.
    fn with_parts<Q>(&self, mut make: impl FnMut(&P) -> Q) -> Step<Q> {
        let mut all = |shares: &[Share<P>]| {
            let shares = shares.iter().map(|share| Share {
                part: make(&share.part),
                limit: share.limit,
            });
            shares.collect()
        };
        match self {
            Step::Engine(engine) => Step::Engine(engine.clone()),
            Step::Parallel(shares) => Step::Parallel(all(shares)),
            Step::Sequence(shares) => Step::Sequence(all(shares)),
            Step::AtMost(time, part) => Step::AtMost(*time, make(part)),
            Step::Sharing(rules, part) => Step::Sharing(rules.clone(), make(part)),
            Step::When(conditions, part) => Step::When(conditions.clone(), make(part)),
            Step::Helped(help, part) => Step::Helped(help.clone(), make(part)),
        }
    }

    /// The parts, in their order.
    fn into_parts(self) -> Vec<P> {
        match self {
            Step::Engine(_) => Vec::new(),
            Step::Parallel(shares) | Step::Sequence(shares) => {
                shares.into_iter().map(|share| share.part).collect()
            }
            Step::AtMost(_, part)
            | Step::Sharing(_, part)
            | Step::When(_, part)
            | Step::Helped(_, part) => vec![part],
        }
    }
}

impl<P> Step<Option<P>> {
    /// Without the parts that are not there; nothing if none is left.
    fn with_what_is_left(self) -> Option<Step<P>> {
        let left = |shares: Vec<Share<Option<P>>>| {
            let shares = shares.into_iter().filter_map(|share| {
                Some(Share {
                    part: share.part?,
                    limit: share.limit,
                })
            });
            let shares: Vec<Share<P>> = shares.collect();
            (!shares.is_empty()).then_some(shares)
        };
        Some(match self {
            Step::Engine(engine) => Step::Engine(engine),
            Step::Parallel(shares) => Step::Parallel(left(shares)?),
            Step::Sequence(shares) => Step::Sequence(left(shares)?),
            Step::AtMost(time, part) => Step::AtMost(time, part?),
            Step::Sharing(rules, part) => Step::Sharing(rules, part?),
            Step::When(conditions, part) => Step::When(conditions, part?),
            Step::Helped(help, part) => Step::Helped(help, part?),
        })
    }
}

impl From<Step<Plan>> for Plan {
    fn from(step: Step<Plan>) -> Plan {
        Plan(Box::new(step))
    }
}

impl Plan {
    /// The outermost step.
    pub fn step(&self) -> &Step<Plan> {
        &self.0
    }

    /// What `combine` makes of each step, once it is known what it made of the step's parts.
    pub fn fold<T>(&self, combine: &mut impl FnMut(Step<T>) -> T) -> T {
        let step = self.0.with_parts(|part| part.fold(combine));
        combine(step)
    }

    /// The plan with every step changed, parts before the whole. A step for which nothing comes out
    /// is left out, and so is one of which no part is left.
    pub fn map(&self, change: &mut impl FnMut(Step<Plan>) -> Option<Plan>) -> Option<Plan> {
        self.fold(&mut |step: Step<Option<Plan>>| change(step.with_what_is_left()?))
    }

    /// The engines of the plan, in their order.
    pub fn engines(&self) -> Vec<Configured> {
        self.fold(&mut |step| match step {
            Step::Engine(engine) => vec![engine],
            step => step.into_parts().concat(),
        })
    }

    /// The names of the plan's engines, in their order. One whose options are wrong has none.
    pub fn names(&self) -> Vec<String> {
        let engines = self.engines();
        engines.iter().filter_map(Configured::name).collect()
    }

    /// Every name that says whose facts are read is that of an engine of the plan.
    pub fn check_sources(&self) -> Result<(), String> {
        let known = self.names();
        self.fold(&mut |step: Step<Result<(), String>>| {
            if let Step::Sharing(rules, _) = &step {
                let mut sources = rules.sources.iter().flatten();
                if let Some(wrong) = sources.find(|name| !known.contains(name)) {
                    let hint = suggestion(wrong, known.iter().map(String::as_str));
                    return Err(format!("this configuration has no engine '{wrong}'{hint}"));
                }
            }
            step.into_parts().into_iter().collect()
        })
    }

    /// Every engine of the plan accepts its options.
    pub fn check_options(&self) -> Result<(), String> {
        let engines = self.engines();
        let mut engines = engines.iter();
        engines.try_for_each(|engine| engine.engine.make(&engine.options).map(|_| ()))
    }

    /// What of the plan is meant for a program with these features; `None` if nothing is.
    pub fn for_program(&self, features: &Features) -> Option<Plan> {
        self.map(&mut |step| match step {
            Step::When(conditions, part) => {
                let mut conditions = conditions.iter();
                let all_hold = conditions.all(|condition| condition.holds(features));
                all_hold.then_some(part)
            }
            step => Some(step.into()),
        })
    }

    /// The plan without the engine of this name; `None` if nothing is left of it.
    pub fn without(&self, left_out: &str) -> Option<Plan> {
        self.map(&mut |step| match &step {
            Step::Engine(engine) if engine.name().is_some_and(|name| name == left_out) => None,
            _ => Some(step.into()),
        })
    }

    /// The plan without anything side by side: the parts of a parallel combination take turns, each
    /// with its part of the time, or an equal one. Engines that would go on for ever get a limit of
    /// work instead, so that what a run finds depends on nothing but the program, as long as the
    /// limit of time is far.
    pub fn in_turns(&self) -> Plan {
        self.with_engines(&mut |engine| {
            if let Some(limit) = &engine.engine.work_limit {
                let value = toml::Value::Integer(limit.value);
                engine.options.entry(limit.option).or_insert(value);
            }
        })
        .fold(&mut |step: Step<Plan>| match step {
            Step::Parallel(mut shares) => {
                let equal = 1.0 / shares.len() as f64;
                for share in &mut shares {
                    share.limit.get_or_insert(equal);
                }
                Step::Sequence(shares).into()
            }
            // What happens outside cannot be repeated.
            Step::Helped(_, master) => master,
            step => step.into(),
        })
    }

    /// The plan whose engines begin with the precisions handed to them, as far as they have an
    /// option for it.
    pub fn with_precision(&self) -> Plan {
        self.with_engines(&mut |engine| {
            let mut options = engine.engine.options().into_iter();
            if options.any(|option| option.name == USE_PRECISION) {
                let begin_with_it = toml::Value::Boolean(true);
                engine.options.insert(USE_PRECISION.into(), begin_with_it);
            }
        })
    }

    /// The plan with every engine changed.
    fn with_engines(&self, change: &mut impl FnMut(&mut Configured)) -> Plan {
        self.fold(&mut |mut step: Step<Plan>| {
            if let Step::Engine(engine) = &mut step {
                change(engine);
            }
            step.into()
        })
    }
}

/// The whole plan on one line: what two configurations are compared by.
impl fmt::Display for Plan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.fold(&mut |step: Step<String>| match step {
            Step::Engine(engine) if engine.options.is_empty() => engine.engine.name.to_owned(),
            Step::Engine(engine) => {
                format!(
                    "{} {}",
                    engine.engine.name,
                    toml::Value::Table(engine.options)
                )
            }
            Step::Parallel(shares) => format!("parallel({})", one_line(shares)),
            Step::Sequence(shares) => format!("sequence({})", one_line(shares)),
            Step::AtMost(time, part) => format!("at most {} s: {part}", time.as_secs_f64()),
            Step::Sharing(rules, part) => {
                let kept = if rules.shares { "" } else { "kept " };
                let sources = rules.sources.map(|names| names.join("+"));
                format!("{kept}from {}: {part}", sources.unwrap_or("all".into()))
            }
            Step::When(conditions, part) => {
                let conditions: Vec<String> = conditions.iter().map(ToString::to_string).collect();
                format!("when {}: {part}", conditions.join(" and "))
            }
            Step::Helped(Help { helpers, terms }, part) => {
                let names: Vec<&str> = helpers.iter().map(Description::short_name).collect();
                let Terms {
                    restart_master,
                    first_only,
                    timer,
                    timeout,
                } = terms;
                format!(
                    "helped by {} (after {timer}, for {timeout}, first only {first_only}, restart {restart_master}): {part}",
                    names.join("+")
                )
            }
        });
        out.write_str(&text)
    }
}

fn one_line(shares: Vec<Share<String>>) -> String {
    let shares: Vec<String> = shares
        .into_iter()
        .map(|share| match share.limit {
            Some(limit) => format!("{limit} {}", share.part),
            None => share.part,
        })
        .collect();
    shares.join("; ")
}

/// As configuration files write it.
impl fmt::Display for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = Feature::ALL.iter();
        let name = names.find(|(_, feature)| *feature == self.feature);
        let name = name.map_or("?", |(name, _)| name);
        write!(out, "{}{name}", if self.wanted { "" } else { "no-" })
    }
}

/// The option of engines that begin with a precision which was handed on.
const USE_PRECISION: &str = "use-precision";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration;
    use crate::registry;

    fn engine(name: &str, options: &str) -> Plan {
        let engine = registry::named(name).expect("there is one");
        let options = options.parse().expect("a table");
        Step::Engine(Configured { engine, options }).into()
    }

    fn share(part: Plan, limit: Option<f64>) -> Share<Plan> {
        Share { part, limit }
    }

    #[test]
    fn an_engine_is_left_out_wherever_it_stands() {
        let plan = configuration::named("default").expect("there is one").plan;
        let all = plan.names();
        for left_out in ["bmc", "k-induction", "eva-refiner"] {
            let rest = plan.without(left_out).expect("much is left");
            let expected: Vec<String> = all
                .iter()
                .filter(|name| *name != left_out)
                .cloned()
                .collect();
            assert!(
                expected.len() < all.len(),
                "{left_out} is in none of {all:?}"
            );
            assert_eq!(rest.names(), expected);
        }
        let single: Plan = Step::Parallel(vec![share(engine("bmc", ""), None)]).into();
        assert!(single.without("bmc").is_none());
    }

    #[test]
    fn what_is_side_by_side_takes_turns_with_limits_of_work() {
        let inner: Plan = Step::Sequence(vec![share(engine("houdini", ""), Some(0.5))]).into();
        let inner = Step::AtMost(Duration::from_secs(1), inner).into();
        let plan: Plan = Step::Parallel(vec![
            share(engine("bmc", "last-bound = 7"), None),
            share(engine("pdr", ""), Some(0.1)),
            share(inner, None),
            share(engine("k-induction", ""), None),
        ])
        .into();
        let turns = plan.in_turns();
        let Step::Sequence(shares) = turns.step() else {
            panic!("{turns:?}")
        };
        let limits: Vec<Option<f64>> = shares.iter().map(|share| share.limit).collect();
        assert_eq!(limits, [Some(0.25), Some(0.1), Some(0.25), Some(0.25)]);
        let options: Vec<String> = turns
            .engines()
            .iter()
            .map(|engine| engine.options.to_string().trim().to_owned())
            .collect();
        assert_eq!(
            options,
            [
                "last-bound = 7",
                "most-questions = 20000",
                "",
                "last-depth = 12"
            ]
        );
        assert_eq!(turns.names(), plan.names());
    }

    #[test]
    fn only_who_can_use_a_precision_is_told_to() {
        let plan: Plan = Step::Sequence(vec![
            share(engine("bmc", ""), None),
            share(engine("predicate", ""), None),
        ])
        .into();
        let options = plan.with_precision().engines();
        assert!(options[0].options.is_empty());
        assert_eq!(options[1].options["use-precision"].as_bool(), Some(true));
    }
}
