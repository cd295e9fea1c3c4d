//! Dominators on programs that are written in C.

use cfa::dominators::Dominators;
use cfa::op::Op;
use cfa::program::{EdgeId, LocId};
use rustc_hash::FxHashSet;
use testing::lowered;

type Neighbours<'a> = dyn Fn(LocId) -> Vec<LocId> + 'a;

const NOWHERE: LocId = LocId(u32::MAX);

/// The definition: without the place, the location is not reached.
fn reaches(roots: &[LocId], to: LocId, without: LocId, next: &Neighbours<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = roots.to_vec();
    while let Some(location) = work.pop() {
        if location != without && seen.insert(location) {
            work.extend(next(location));
        }
    }
    seen.contains(&to)
}

#[test]
fn dominators_are_what_their_definition_says() {
    let program = lowered(
        "void abort(void); int f(int x) { int y = 0; if (x > 3) { while (x) { if (x == 7) goto inside; x--; inside: y++; if (y > 9) break; } }\n\
         else if (x < 0) return 2; else if (x == 1) abort(); else goto inside; switch (y) { case 1: y = 3; case 2: y = 4; break; default: for (;;) ; }\n\
         return y; } int main(void) { return f(5); }",
    );
    let function = program
        .names
        .find("f")
        .and_then(|name| program.function_index.get(&name));
    let &function = function.expect("it is defined");
    let (entry, exit) = (
        program.function(function).entry,
        program.function(function).exit,
    );
    let goes_on = |edge: &&EdgeId| !matches!(program.edge_op(**edge), Op::Halt(_));
    let forward = |at: LocId| -> Vec<LocId> {
        let edges = program.location(at).outgoing.iter().filter(goes_on);
        edges.map(|&edge| program.edge(edge).target).collect()
    };
    let backward = |at: LocId| -> Vec<LocId> {
        let edges = program.location(at).incoming.iter().filter(goes_on);
        edges.map(|&edge| program.edge(edge).source).collect()
    };
    let all: Vec<LocId> = (0..program.locations.len() as u32)
        .map(LocId)
        .filter(|&location| program.location(location).function == function)
        .collect();
    let is_end = |at: LocId| at == exit || forward(at).is_empty();
    let is_reached = |at: LocId| reaches(&[entry], at, NOWHERE, &forward);
    let ends = all
        .iter()
        .copied()
        .filter(|&at| is_reached(at) && is_end(at));
    for (dominators, roots, next) in [
        (
            Dominators::of(&program, function),
            vec![entry],
            &forward as &Neighbours<'_>,
        ),
        (
            Dominators::post(&program, function),
            ends.collect(),
            &backward as &Neighbours<'_>,
        ),
    ] {
        for &location in &all {
            if !reaches(&roots, location, NOWHERE, next) {
                assert_eq!(dominators.immediate(location), None);
                continue;
            }
            for &place in &all {
                let expected = !reaches(&roots, location, place, next);
                assert_eq!(
                    dominators.dominates(place, location),
                    expected,
                    "{place:?} {location:?}"
                );
            }
        }
    }
}
