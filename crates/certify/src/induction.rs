//! k-induction (Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis with Auxiliary
//! Invariants*, 2016, section 2.5.2) over the loop heads that executions pass.
//!
//! | paper | here |
//! |---|---|
//! | k | `depth` + 1 blocks between loop heads |
//! | auxiliary invariant Inv | the supporting annotation |
//! | base case | no violation in the first `depth` + 1 blocks |
//! | forward condition | no state is left after them ([`Rest::Nothing`]) |
//! | step case | none after `depth` blocks from any state of the support ([`Rest::Follows`]) |
//!
//! Deviations: all loops count as one, so that nested loops and loops in sequence need nothing
//! special. Executions that pass a place from which the program's graph leads to no error count as
//! ended, because loops there have no bound.

use crate::graph::{Annotations, check_inductive};
use crate::obligations::Obligations;
use crate::{Accepted, Rejection};
use cfa::program::Program;
use encoding::blocks::{Blocks, Layer};
use encoding::step::Writes;
use facts::budget::Budget;
use facts::certificate::{KInduction, Rest};
use facts::words::count;
use transform::passes::leads_to_error;

pub(crate) fn check(
    program: &Program,
    claim: &KInduction,
    writes: Writes,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    let mut obligations = Obligations::new(budget);
    let mut blocks = Blocks::new(program);
    blocks.encoder().writes = writes;
    let places = check_inductive(program, &claim.support, &mut blocks, &mut obligations)?;
    let annotations = Annotations::new(program, &claim.support)?;
    let matters = leads_to_error(program);
    let mut layer = blocks.start();
    for passed in 0..=claim.depth {
        layer = advance(program, &mut blocks, &layer, true, &mut obligations)?;
        layer.retain(|place, _| matters[place.location.0 as usize]);
        if passed < claim.depth || claim.rest == Rest::Nothing {
            assume(&mut blocks, &mut layer, &annotations, &mut obligations)?;
        }
        if layer.is_empty() {
            return Ok(Accepted {
                how: format!(
                    "forward condition: no execution passes more than {} ({} refuted)",
                    count(passed as usize, "loop head"),
                    count(obligations.refuted, "obligation")
                ),
            });
        }
    }
    if claim.rest == Rest::Nothing {
        obligations.check_time()?;
        return Err(Rejection::Wrong(format!(
            "it does not exclude executions that pass more than {}",
            count(claim.depth as usize, "loop head")
        )));
    }
    for place in &places {
        if !blocks.is_head(place.location) {
            continue;
        }
        let mut layer = blocks.anywhere(place);
        for passed in 0..=claim.depth {
            assume(&mut blocks, &mut layer, &annotations, &mut obligations)?;
            let is_last = passed == claim.depth;
            layer = advance(program, &mut blocks, &layer, is_last, &mut obligations)?;
        }
    }
    Ok(Accepted {
        how: format!(
            "checked by {}-induction at {} with {} ({} refuted)",
            claim.depth.saturating_add(1),
            count(places.len(), "place"),
            count(claim.support.nodes.len(), "auxiliary invariant"),
            count(obligations.refuted, "obligation")
        ),
    })
}

/// Takes the support for granted in the states of a layer; states that it excludes are dropped.
fn assume(
    blocks: &mut Blocks<'_>,
    layer: &mut Layer,
    annotations: &Annotations<'_>,
    obligations: &mut Obligations<'_>,
) -> Result<(), Rejection> {
    for (place, mut state) in std::mem::take(layer) {
        obligations.check_time()?;
        let holds = annotations.formula(blocks, &state, &place.calls, place.location)?;
        let pool = &mut blocks.encoder().pool;
        if let Some(path) = state.path.and(pool, holds)
            && obligations.is_feasible(pool, &path)
        {
            state.path = path;
            layer.insert(place, state);
        }
    }
    Ok(())
}

/// The next layer; if `is_claimed`, no execution violates the property or leaves formulas on the
/// way.
fn advance(
    program: &Program,
    blocks: &mut Blocks<'_>,
    layer: &Layer,
    is_claimed: bool,
    obligations: &mut Obligations<'_>,
) -> Result<Layer, Rejection> {
    let advance = blocks.advance(layer, obligations);
    obligations.check_time()?;
    if is_claimed {
        for error in &advance.errors {
            obligations.refute(&mut blocks.encoder().pool, &error.path, &[], || {
                let place = program.describe(program.location(error.location).span);
                format!("the violation at {place} is not excluded")
            })?;
        }
        for cut in &advance.cuts {
            obligations.refute_cut(program, &mut blocks.encoder().pool, cut)?;
        }
    }
    Ok(advance.next)
}
