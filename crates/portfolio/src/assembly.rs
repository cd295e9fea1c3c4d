//! From a plan to participants: engines whose answers are certified, in their combinations.

use crate::cache::Cached;
use crate::cache::stored::Candidate;
use crate::candidates::EarlierFacts;
use crate::case::Case;
use crate::certification::Certified;
use crate::helpers::Description;
use crate::helpers::external::External;
use crate::plan::{Plan, Share, Step};
use cooperation::at_most::AtMost;
use cooperation::master::{Helper, MasterAndHelpers};
use cooperation::parallel::Parallel;
use cooperation::part::{Part, Participant};
use cooperation::sequence::Sequence;
use cooperation::sharing::Sharing;
use facts::engine::Engine;
use facts::invariants::InvariantMap;
use std::sync::Arc;

/// The part of the time in which facts of an earlier process are checked.
const RECHECK: f64 = 0.1;
/// The part of the time in which answers of earlier versions are tried.
const RETRY: f64 = 0.3;

/// The whole analysis, with every engine on a thread with a large stack and its panics caught.
/// Facts of an earlier process are checked first.
pub fn make(
    plan: &Plan,
    case: &Arc<Case>,
    earlier: Vec<InvariantMap>,
) -> Result<Box<dyn Participant>, String> {
    make_after(plan, case, Vec::new(), earlier)
}

/// As [`make`], after the answers of earlier versions of the program were tried.
pub fn make_after(
    plan: &Plan,
    case: &Arc<Case>,
    answers: Vec<Candidate>,
    earlier: Vec<InvariantMap>,
) -> Result<Box<dyn Participant>, String> {
    let Some(plan) = plan.for_program(&case.views.features()) else {
        return Err("the configuration has no engine for a program with these features".into());
    };
    let all = participant(&plan, case)?;
    if earlier.is_empty() && answers.is_empty() {
        return Ok(match plan.step() {
            Step::Parallel(_) => all,
            _ => alone(all),
        });
    }
    let mut parts = Vec::new();
    if !answers.is_empty() {
        let cached = Certified::of_files(Box::new(Cached::new(answers)), case);
        parts.push(Part {
            participant: Box::new(cached),
            limit: Some(RETRY),
        });
    }
    if !earlier.is_empty() {
        parts.push(Part {
            participant: certified(Box::new(EarlierFacts { maps: earlier }), case),
            limit: Some(RECHECK),
        });
    }
    parts.push(all.into());
    Ok(alone(Box::new(Sequence {
        name: "sequence".into(),
        parts,
    })))
}

/// Nothing but answers of earlier versions of the program.
pub fn cached(case: &Arc<Case>, answers: Vec<Candidate>) -> Box<dyn Participant> {
    let cached = Certified::of_files(Box::new(Cached::new(answers)), case);
    alone(Box::new(cached))
}

/// On a thread with a large stack, and with its panics caught.
pub fn alone(participant: Box<dyn Participant>) -> Box<dyn Participant> {
    Box::new(Parallel {
        name: "parallel".into(),
        parts: vec![participant.into()],
    })
}

fn certified(engine: Box<dyn Engine>, case: &Arc<Case>) -> Box<dyn Participant> {
    Box::new(Certified::new(engine, case))
}

fn participant(plan: &Plan, case: &Arc<Case>) -> Result<Box<dyn Participant>, String> {
    type Made = Result<Box<dyn Participant>, String>;
    plan.fold(&mut |step: Step<Made>| {
        Ok(match step {
            Step::Engine(engine) => certified(engine.engine.make(&engine.options)?, case),
            Step::Parallel(shares) => Box::new(Parallel {
                name: "parallel".into(),
                parts: parts(shares)?,
            }),
            Step::Sequence(shares) => Box::new(Sequence {
                name: "sequence".into(),
                parts: parts(shares)?,
            }),
            // Those that are left have been decided on.
            Step::When(_, part) => part?,
            Step::AtMost(time, part) => Box::new(AtMost {
                participant: part?,
                time,
            }),
            Step::Sharing(rules, part) => Box::new(Sharing {
                participant: part?,
                rules,
            }),
            Step::Helped(help, master) => Box::new(MasterAndHelpers {
                master: master?,
                helpers: helpers(help.helpers, case),
                terms: help.terms,
            }),
        })
    })
}

fn helpers(list: Vec<Description>, case: &Arc<Case>) -> Vec<Box<dyn Helper>> {
    let helpers = list.into_iter().map(|description| {
        let helper: Box<dyn Helper> = Box::new(External::new(description, case));
        helper
    });
    helpers.collect()
}

fn parts(shares: Vec<Share<Result<Box<dyn Participant>, String>>>) -> Result<Vec<Part>, String> {
    let parts = shares.into_iter().map(|share| {
        Ok(Part {
            participant: share.part?,
            limit: share.limit,
        })
    });
    parts.collect()
}
