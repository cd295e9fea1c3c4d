//! Dominators and post-dominators of a function's automaton (K. Cooper, T. Harvey, K. Kennedy: A
//! simple, fast dominance algorithm, Software Practice and Experience 4, 2001).
//!
//! | there | here |
//! |---|---|
//! | `doms[b]` | [`Dominators::immediate`] |
//! | postorder number | the index in the list of locations, counted from the end |

use crate::op::Op;
use crate::program::{FuncId, LocId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which places every way passes.
///
/// Laws: `immediate(b)` is passed by every way from the entry to `b` (of post-dominators: from `b`
/// to an end), is not `b`, and every other such place is passed before it (after it). The entry and
/// what it does not reach have none; no more have ends, what reaches no end, and what reaches
/// several that have no place in common.
#[derive(Clone, Debug, Default)]
pub struct Dominators {
    immediate: FxHashMap<LocId, LocId>,
}

impl Dominators {
    /// Ways from the function's entry.
    pub fn of(program: &Program, function: FuncId) -> Dominators {
        let entry = program.function(function).entry;
        compute(&[entry], &successors(program), &predecessors(program))
    }

    /// Ways to an end: the function's exit, and all other locations that nothing leaves (errors
    /// among them). A way that gets to none (it ends or fails before, or goes round for ever) does
    /// not count, so who uses this must look at what lies between.
    pub fn post(program: &Program, function: FuncId) -> Dominators {
        let next = successors(program);
        let exit = program.function(function).exit;
        let ends = reverse_postorder(program.function(function).entry, &next).into_iter();
        let ends: Vec<LocId> = ends
            .filter(|&at| at == exit || next(at).is_empty())
            .collect();
        compute(&ends, &predecessors(program), &next)
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

/// Before all roots.
const NOWHERE: LocId = LocId(u32::MAX);

fn compute(roots: &[LocId], forward: &Neighbours<'_>, backward: &Neighbours<'_>) -> Dominators {
    let order = reverse_postorder(NOWHERE, &|location| match location {
        NOWHERE => roots.to_vec(),
        _ => forward(location),
    });
    let roots: FxHashSet<LocId> = roots.iter().copied().collect();
    let number: FxHashMap<LocId, usize> = order.iter().copied().zip(0..).collect();
    let before: Vec<Vec<usize>> = order
        .iter()
        .map(|&location| match location {
            NOWHERE => Vec::new(),
            _ => {
                let neighbours = backward(location).into_iter();
                let root = roots.contains(&location).then_some(0);
                root.into_iter()
                    .chain(neighbours.filter_map(|other| number.get(&other).copied()))
                    .collect()
            }
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
    let found = order
        .iter()
        .zip(&immediate)
        .filter(|&(_, &dominator)| dominator != 0);
    Dominators {
        immediate: found
            .map(|(&location, &dominator)| (location, order[dominator]))
            .collect(),
    }
}

/// Every location before its successors, as far as there are no cycles.
fn reverse_postorder(root: LocId, forward: &Neighbours<'_>) -> Vec<LocId> {
    let mut seen = FxHashSet::default();
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
