//! Maps of facts: do they keep their law, whoever has found them?

use crate::graph::{accepted, check_holding};
use crate::obligations::Obligations;
use crate::{Accepted, Rejection};
use cfa::expr::ExprId;
use cfa::place::CallPattern;
use cfa::program::{LocId, Program};
use cfa::value::Ty;
use encoding::blocks::Blocks;
use encoding::step::Writes;
use facts::budget::Budget;
use facts::certificate::{AnnotatedGraph, AnnotatedNode};
use facts::invariants::InvariantMap;
use std::collections::BTreeMap;

/// Checks that the map is inductive, and that no execution gets round it by leaving what formulas
/// say.
pub(crate) fn check(
    program: &Program,
    map: &InvariantMap,
    writes: Writes,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    let graph = as_annotation(map)?;
    let mut obligations = Obligations::new(budget);
    let mut blocks = Blocks::new(program);
    blocks.encoder().writes = writes;
    let places = check_holding(program, &graph, &mut blocks, &mut obligations)?;
    Ok(accepted(places.len(), obligations.refuted))
}

/// The map as a graph: of a map all statements about a place hold, of a graph's nodes one.
fn as_annotation(map: &InvariantMap) -> Result<AnnotatedGraph, Rejection> {
    let mut pool = map.pool.clone();
    let mut at: BTreeMap<(LocId, &CallPattern), ExprId> = BTreeMap::new();
    for entry in &map.entries {
        let is_truth_value =
            (entry.holds.0 as usize) < map.pool.len() && map.pool.ty(entry.holds) == Ty::Bool;
        if !is_truth_value {
            return Err(Rejection::Wrong(
                "an entry is not a boolean expression".into(),
            ));
        }
        at.entry((entry.location, &entry.calls))
            .and_modify(|all| *all = pool.and(*all, entry.holds))
            .or_insert(entry.holds);
    }
    let mut nodes: Vec<AnnotatedNode> = Vec::new();
    for ((location, calls), invariant) in at {
        // Two nodes that speak of the same executions would be a choice between them. Exact calls
        // exclude each other.
        let is_before = nodes.last().is_some_and(|node| {
            node.location == location
                && (node.calls == CallPattern::Any || *calls == CallPattern::Any)
        });
        if is_before {
            let why = "a location has one invariant for all call strings and others for some";
            return Err(Rejection::Unfinished(why.into()));
        }
        nodes.push(AnnotatedNode {
            calls: calls.clone(),
            location,
            invariant,
        });
    }
    Ok(AnnotatedGraph { pool, nodes })
}
