//! Cut points: the locations where blocks end.
//!
//! | Stieglmaier2016, section 2.3.5 | here |
//! |---|---|
//! | `blk` | [`BlockOperator`], [`cuts`] |
//!
//! Deviation: the paper's operator looks at an abstract state. Here it looks at locations only, so
//! that a block is encoded once, from an arbitrary state at its beginning, and used again for every
//! abstract state there.
//!
//! Law: every loop has a cut point.

use cfa::order::Order;
use cfa::program::{FuncId, LocId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// Where blocks end (`blk`). Loop heads are cut in every case, so that every block is finite.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum BlockOperator {
    /// Single-block encoding: after every operation.
    Sbe,
    /// Large-block encoding: loop heads, entries and exits of functions, and where control flow
    /// meets.
    Lbe,
    /// Loop heads only.
    #[default]
    LoopHeads,
    /// Loop heads and where control flow meets.
    LoopHeadsAndJoins,
    /// Adjustable blocks of at most this many operations within a function.
    AbeLength(u32),
    /// Loop heads, and so many more that no two ways are one block; loop heads only in programs
    /// with more than this many ways between them.
    Ways(u32),
}

/// The locations where blocks end.
pub fn cuts(program: &Program, operator: BlockOperator) -> FxHashSet<LocId> {
    let mut cuts = FxHashSet::default();
    for number in 0..program.functions.len() {
        let function = FuncId(number as u32);
        let order = Order::of(program, function);
        let info = program.function(function);
        for each in &order.loops {
            cuts.insert(each.head);
        }
        let mut lengths: FxHashMap<LocId, u32> = FxHashMap::default();
        for &location in &order.line {
            let incoming = &program.location(location).incoming;
            let is_join = incoming.len() > 1;
            let is_boundary = location == info.entry || location == info.exit;
            let is_cut = match operator {
                BlockOperator::Sbe => true,
                BlockOperator::Lbe => is_join || is_boundary,
                BlockOperator::LoopHeads => false,
                BlockOperator::LoopHeadsAndJoins => is_join,
                BlockOperator::AbeLength(limit) => {
                    let longest = incoming
                        .iter()
                        .filter_map(|&edge| lengths.get(&program.edge(edge).source))
                        .map(|length| length + 1)
                        .max()
                        .unwrap_or(0);
                    let is_cut = longest >= limit.max(1) || cuts.contains(&location);
                    lengths.insert(location, if is_cut { 0 } else { longest });
                    is_cut
                }
                BlockOperator::Ways(_) => false,
            };
            if is_cut {
                cuts.insert(location);
            }
        }
    }
    if let BlockOperator::Ways(limit) = operator
        && ways(program, &cuts) <= u64::from(limit)
    {
        cuts.extend(separating(program));
    }
    cuts
}

/// How many ways lead from entries of functions and loop heads to loop heads and ends of functions;
/// calls count as one step.
fn ways(program: &Program, heads: &FxHashSet<LocId>) -> u64 {
    let mut all: u64 = 0;
    for number in 0..program.functions.len() {
        let function = FuncId(number as u32);
        let order = Order::of(program, function);
        // For each location: the ways from there on.
        let mut from: FxHashMap<LocId, u64> = FxHashMap::default();
        for &location in order.line.iter().rev() {
            let outgoing = &program.location(location).outgoing;
            let ways = outgoing.iter().map(|&edge| {
                let target = program.edge(edge).target;
                match heads.contains(&target) {
                    true => 1,
                    false => from.get(&target).copied().unwrap_or(1),
                }
            });
            let ways = ways.fold(0, u64::saturating_add).max(1);
            from.insert(location, ways);
            if heads.contains(&location) || location == program.function(function).entry {
                all = all.saturating_add(ways);
            }
        }
    }
    all
}

/// Locations that keep apart the ways that meet: of the edges into a location, all but one come from
/// them. Edges that leave a branch and end where another one of it does stay one block.
fn separating(program: &Program) -> Vec<LocId> {
    let mut found = Vec::new();
    for location in &program.locations {
        if location.incoming.len() < 2 {
            continue;
        }
        let sources = location
            .incoming
            .iter()
            .map(|&edge| program.edge(edge).source);
        let (behind, at_branches): (Vec<LocId>, Vec<LocId>) =
            sources.partition(|&source| program.location(source).outgoing.len() == 1);
        let without = usize::from(at_branches.is_empty());
        found.extend(behind.into_iter().skip(without));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::load;
    use cfa::order::loop_heads;

    #[test]
    fn loop_heads_are_cut_by_every_operator() {
        let program = load(
            "int twice(int a) { while (n()) a = a + a; return a; }
            int main(void) { int x = 0; while (n()) { if (n()) x = twice(x); } return x; }",
        );
        let heads = loop_heads(&program);
        assert!(heads.len() >= 2);
        let of = |operator| cuts(&program, operator);
        for operator in [
            BlockOperator::Sbe,
            BlockOperator::Lbe,
            BlockOperator::LoopHeads,
            BlockOperator::LoopHeadsAndJoins,
            BlockOperator::AbeLength(3),
            BlockOperator::Ways(2),
            BlockOperator::Ways(100),
        ] {
            assert!(heads.is_subset(&of(operator)), "{operator:?}");
        }
        assert_eq!(of(BlockOperator::LoopHeads), heads);
        let (short, long) = (BlockOperator::AbeLength(1), BlockOperator::AbeLength(100));
        assert!(of(long).len() < of(short).len());
        assert!(of(short).len() <= of(BlockOperator::Sbe).len());
        assert!(of(BlockOperator::LoopHeadsAndJoins).is_subset(&of(BlockOperator::Lbe)));
    }

    #[test]
    fn few_ways_are_kept_apart() {
        let program = load(
            "int main(void) { int x = 0; while (n()) { if (n()) x = x + 1; else x = x - 1; } return x; }",
        );
        let of = |operator| cuts(&program, operator);
        let heads = of(BlockOperator::LoopHeads);
        let ways = of(BlockOperator::Ways(100));
        assert_eq!(of(BlockOperator::Ways(2)), heads);
        // One of the two branches; perhaps one before the loop.
        assert!(ways.len() > heads.len() && ways.len() <= heads.len() + 2);
        let function = FuncId(0);
        let order = Order::of(&program, function);
        let joins = order.line.iter().filter(|&&location| {
            let incoming = &program.location(location).incoming;
            let sources = incoming.iter().map(|&edge| program.edge(edge).source);
            let mut apart = sources.filter(|source| !ways.contains(source));
            apart.next();
            incoming.len() > 1 && apart.next().is_some()
        });
        assert_eq!(joins.count(), 0);
    }
}
