//! Complete unrollings: unwound once more, with formulas and a solver of our own.

use crate::obligations::Obligations;
use crate::{Accepted, Rejection};
use cfa::program::{ErrorKind, Program};
use encoding::step::Encoder;
use encoding::unwind::{Limits, Unwinder};
use facts::budget::Budget;
use facts::certificate::UnrollingBounds;
use facts::words::count;

pub(crate) fn check(
    program: &Program,
    bounds: &UnrollingBounds,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    let means = Meaning {
        violates: Rejection::Wrong,
        leaves: Rejection::Wrong,
    };
    check_with(program, bounds, means, budget)
}

/// What a formula of an execution says about the certificate.
#[derive(Clone, Copy)]
struct Meaning {
    /// One that violates the property.
    violates: fn(String) -> Rejection,
    /// One that leaves the bounds.
    leaves: fn(String) -> Rejection,
}

fn check_with(
    program: &Program,
    bounds: &UnrollingBounds,
    means: Meaning,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    let limits = Limits {
        iterations: bounds.iterations,
        recursion: bounds.recursion,
        steps: bounds.steps,
    };
    let mut obligations = Obligations::new(budget);
    let mut unwinder = Unwinder::new(Encoder::new(program));
    let unwinding = unwinder.unwind(&limits, &mut obligations);
    obligations.check_time()?;
    let pool = &mut unwinder.encoder.pool;
    for error in &unwinding.errors {
        let refuted = obligations.refute(pool, &error.path, &[], || {
            "an execution within the bound violates the property".into()
        });
        refuted.map_err(|rejection| meant(rejection, means.violates))?;
    }
    for cut in &unwinding.cuts {
        let refuted = obligations.refute(pool, &cut.path, &[], || {
            let why = cut.reason.describe(program);
            format!("an execution exceeds the bound ({why})")
        });
        refuted.map_err(|rejection| meant(rejection, means.leaves))?;
    }
    Ok(Accepted {
        how: format!(
            "unrolled again to bound {} ({}, {} refuted)",
            bounds.iterations,
            count(unwinding.steps, "step"),
            count(obligations.refuted, "obligation")
        ),
    })
}

fn meant(rejection: Rejection, wrong: fn(String) -> Rejection) -> Rejection {
    match rejection {
        Rejection::Wrong(why) => wrong(why),
        unfinished => unfinished,
    }
}

/// A run without inputs: the unwinding has one path and needs no bound but the number of steps.
pub(crate) fn check_deterministic(
    program: &Program,
    steps: u64,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    let bounds = UnrollingBounds {
        iterations: 0,
        recursion: u32::MAX,
        steps: steps.saturating_mul(4).max(10_000),
    };
    let mut kinds = program.errors.iter().map(|&(_, kind)| kind);
    let means = Meaning {
        // The ghosts that memory is watched by know less than the run does.
        violates: match kinds.any(ErrorKind::is_about_memory) {
            true => Rejection::Unfinished,
            false => Rejection::Wrong,
        },
        // A condition that formulas leave open although the run decides it: nothing is wrong, only
        // not followed here.
        leaves: Rejection::Unfinished,
    };
    let accepted = check_with(program, &bounds, means, budget)?;
    Ok(Accepted {
        how: format!("the only execution: {}", accepted.how),
    })
}
