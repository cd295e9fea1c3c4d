//! Dominators and post-dominators of a function's automaton (K. Cooper, T. Harvey, K. Kennedy: A simple, fast
//! dominance algorithm, Software Practice and Experience 4, 2001).
//!
//! | there | here |
//! |---|---|
//! | `doms[b]` | [`Dominators::immediate`] |
//! | postorder number | the index in the list of locations, counted from the end |

use crate::op::Op;
use crate::program::{FuncId, LocId, Program};
use rustc_hash::FxHashMap;

/// Which places every way passes.
///
/// Laws: `immediate(b)` is passed by every way from the root to `b` (of post-dominators: from `b` to the function's
/// exit), is not `b`, and every other such place is passed before it (after it). The root has none, and what the
/// root does not reach (what does not reach the exit) has none either.
#[derive(Clone, Debug, Default)]
pub struct Dominators {
    immediate: FxHashMap<LocId, LocId>,
}

impl Dominators {
    /// Ways from the function's entry.
    pub fn of(program: &Program, function: FuncId) -> Dominators {
        let root = program.function(function).entry;
        compute(root, &successors(program), &predecessors(program))
    }

    /// Ways to the function's exit. A way that never gets there (it ends the execution, fails, or goes round for ever)
    /// does not count, so who uses this must look at what lies between.
    pub fn post(program: &Program, function: FuncId) -> Dominators {
        let root = program.function(function).exit;
        compute(root, &predecessors(program), &successors(program))
    }

    pub fn immediate(&self, location: LocId) -> Option<LocId> {
        self.immediate.get(&location).copied()
    }

    /// Does every way to `location` pass `place`? A place dominates itself.
    pub fn dominates(&self, place: LocId, location: LocId) -> bool {
        let mut here = location;
        loop {
            if here == place {
                return true;
            }
            match self.immediate(here) {
                Some(next) => here = next,
                None => return false,
            }
        }
    }
}

/// Locations next to a location, in one direction.
type Neighbours<'a> = dyn Fn(LocId) -> Vec<LocId> + 'a;

fn successors(program: &Program) -> impl Fn(LocId) -> Vec<LocId> {
    move |location| {
        let edges = program.location(location).outgoing.iter();
        let edges = edges.filter(|&&edge| !matches!(program.edge_op(edge), Op::Halt(_)));
        edges.map(|&edge| program.edge(edge).target).collect()
    }
}

fn predecessors(program: &Program) -> impl Fn(LocId) -> Vec<LocId> {
    move |location| {
        let edges = program.location(location).incoming.iter();
        let edges = edges.filter(|&&edge| !matches!(program.edge_op(edge), Op::Halt(_)));
        edges.map(|&edge| program.edge(edge).source).collect()
    }
}

fn compute(root: LocId, forward: &Neighbours<'_>, backward: &Neighbours<'_>) -> Dominators {
    let order = reverse_postorder(root, forward);
    let number: FxHashMap<LocId, usize> = order.iter().copied().zip(0..).collect();
    let before: Vec<Vec<usize>> = order
        .iter()
        .map(|&location| {
            let neighbours = backward(location).into_iter();
            neighbours
                .filter_map(|other| number.get(&other).copied())
                .collect()
        })
        .collect();
    const UNKNOWN: usize = usize::MAX;
    let mut immediate = vec![UNKNOWN; order.len()];
    immediate[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for here in 1..order.len() {
            let mut known = before[here]
                .iter()
                .copied()
                .filter(|&other| immediate[other] != UNKNOWN);
            let Some(first) = known.next() else {
                continue;
            };
            let common = known.fold(first, |mut a, mut b| {
                while a != b {
                    while a > b {
                        a = immediate[a];
                    }
                    while b > a {
                        b = immediate[b];
                    }
                }
                a
            });
            if immediate[here] != common {
                immediate[here] = common;
                changed = true;
            }
        }
    }
    let found = order.iter().zip(&immediate).skip(1);
    Dominators {
        immediate: found
            .map(|(&location, &dominator)| (location, order[dominator]))
            .collect(),
    }
}

/// Every location before its successors, as far as there are no cycles.
fn reverse_postorder(root: LocId, forward: &Neighbours<'_>) -> Vec<LocId> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut order = Vec::new();
    seen.insert(root);
    let mut stack = vec![(root, forward(root))];
    while let Some((location, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) => {
                if seen.insert(next) {
                    stack.push((next, forward(next)));
                }
            }
            None => {
                order.push(*location);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::{LowerOptions, load_text};
    use rustc_hash::FxHashSet;
    use syntax::driver;

    fn lowered(text: &str) -> Program {
        match load_text(
            "test.c",
            text,
            &driver::Options::default(),
            &LowerOptions::default(),
        ) {
            Ok(loaded) => loaded.program,
            Err(failure) => panic!("{failure}"),
        }
    }

    /// The definition: without the place, the location is not reached.
    fn reaches(root: LocId, to: LocId, without: LocId, next: &Neighbours<'_>) -> bool {
        let mut seen = FxHashSet::default();
        let mut work = vec![root];
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
            "int f(int x) { int y = 0; if (x > 3) { while (x) { if (x == 7) goto inside; x--; inside: y++; if (y > 9) break; } }\n\
             else if (x < 0) return 2; else goto inside; switch (y) { case 1: y = 3; case 2: y = 4; break; default: for (;;) ; }\n\
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
        let (forward, backward) = (successors(&program), predecessors(&program));
        let all: Vec<LocId> = (0..program.locations.len() as u32)
            .map(LocId)
            .filter(|&location| program.location(location).function == function)
            .collect();
        let nowhere = LocId(u32::MAX);
        for (dominators, root, next) in [
            (
                Dominators::of(&program, function),
                entry,
                &forward as &Neighbours<'_>,
            ),
            (
                Dominators::post(&program, function),
                exit,
                &backward as &Neighbours<'_>,
            ),
        ] {
            for &location in &all {
                if !reaches(root, location, nowhere, next) {
                    assert_eq!(dominators.immediate(location), None);
                    continue;
                }
                for &place in &all {
                    let expected = !reaches(root, location, place, next);
                    assert_eq!(
                        dominators.dominates(place, location),
                        expected,
                        "{place:?} {location:?}"
                    );
                }
            }
        }
    }
}
