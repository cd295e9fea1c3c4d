//! Bisimulation minimisation: locations from which the same operations lead to the same places are
//! one.
//!
//! R. Paige, R. Tarjan: Three partition refinement algorithms, SIAM J. Comput. 16, 1987, applied to
//! automata before a search, as the framework of IC3CFA does (the thesis on its generalisation,
//! section 4.4).
//!
//! | there | here |
//! |---|---|
//! | label of a transition | the edge's [`OpId`] (equal operations are one) |
//! | block of the partition | a class of locations of one function |
//!
//! Deviations: edges at a location are tried in order, so it is the list of (operation, class of
//! the target) that must be the same. A location that a call leaves stays alone, so that a call
//! string of the result stands for one of the given program. All error locations of a kind in a
//! function become one, which stands for them all.

use super::{Draft, Pass, Passed, Step};
use cfa::op::{Op, OpId};
use cfa::program::{ErrorKind, FuncId, LocId, LocationKind, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

pub struct Bisimulation;

impl Pass for Bisimulation {
    fn name(&self) -> &'static str {
        "bisimulation"
    }

    fn apply(&self, program: &Program) -> Option<Passed> {
        let partition = Partition::coarsest(program);
        let mut draft = Draft::of(program);
        let mut changed = false;
        for members in partition.members.iter().filter(|members| members.len() > 1) {
            changed = true;
            let first = members[0];
            for &other in &members[1..] {
                let points = std::mem::take(&mut draft.locations[other.0 as usize].stands_for);
                draft.locations[first.0 as usize].stands_for.extend(points);
                let edges = &program.location(first).outgoing;
                for (&kept, &gone) in edges.iter().zip(&program.location(other).outgoing) {
                    draft.remove(gone);
                    if let Some(edge) = draft.edge_mut(kept) {
                        match &mut edge.steps[..] {
                            [Step::OneOf(all)] => all.push(gone),
                            _ => edge.steps = vec![Step::OneOf(vec![kept, gone])],
                        }
                    }
                }
            }
        }
        if !changed {
            return None;
        }
        for edge in draft.edges.iter_mut().flatten() {
            edge.target = partition.first(edge.target);
        }
        Some(draft.finish())
    }
}

/// What locations of one class have in common before anything is known about their edges. Entry and
/// exit of a function, and what calls leave, have a number of their own.
type Key = (FuncId, LocationKindKey, Option<ErrorKind>, Option<LocId>);
type LocationKindKey = u8;

/// What leaves a location: operations and the classes of their targets, in order.
type Signature = Vec<(OpId, Option<usize>)>;

struct Partition {
    class: Vec<usize>,
    /// In order of their numbers.
    members: Vec<Vec<LocId>>,
}

impl Partition {
    /// The coarsest partition that its own signatures do not split.
    fn coarsest(program: &Program) -> Partition {
        let mut partition = Partition::initial(program);
        let mut dirty: BTreeSet<LocId> = (0..program.locations.len() as u32).map(LocId).collect();
        while !dirty.is_empty() {
            let mut by_class: BTreeMap<usize, Vec<LocId>> = BTreeMap::new();
            for location in std::mem::take(&mut dirty) {
                by_class
                    .entry(partition.class[location.0 as usize])
                    .or_default()
                    .push(location);
            }
            // Signatures are those of one moment: all are taken before any class is split.
            let groups: Vec<(usize, Vec<Vec<LocId>>)> = by_class
                .into_iter()
                .map(|(class, changed)| (class, partition.groups(program, class, &changed)))
                .collect();
            for (class, groups) in groups {
                partition.split(program, class, groups, &mut dirty);
            }
        }
        partition
    }

    fn initial(program: &Program) -> Partition {
        let errors: FxHashMap<LocId, ErrorKind> = program.errors.iter().copied().collect();
        let mut alone = FxHashSet::default();
        for function in &program.functions {
            alone.extend([function.entry, function.exit]);
        }
        for edge in &program.edges {
            if let Op::Call { .. } = program.op(edge.op) {
                alone.insert(edge.source);
            }
        }
        let mut classes: FxHashMap<Key, usize> = FxHashMap::default();
        let mut partition = Partition {
            class: Vec::with_capacity(program.locations.len()),
            members: Vec::new(),
        };
        for (number, location) in program.locations.iter().enumerate() {
            let id = LocId(number as u32);
            let kind = match location.kind {
                LocationKind::Ordinary => 0,
                LocationKind::LoopHead => 1,
                LocationKind::Error => 2,
            };
            let lonely = alone.contains(&id).then_some(id);
            let key = (location.function, kind, errors.get(&id).copied(), lonely);
            let next = classes.len();
            let class = *classes.entry(key).or_insert(next);
            if class == next {
                partition.members.push(Vec::new());
            }
            partition.class.push(class);
            partition.members[class].push(id);
        }
        partition
    }

    fn first(&self, location: LocId) -> LocId {
        self.members[self.class[location.0 as usize]][0]
    }

    fn signature(&self, program: &Program, location: LocId) -> Signature {
        let edges = program.location(location).outgoing.iter();
        let edges = edges.map(|&edge| program.edge(edge));
        edges
            .map(|edge| {
                // Nothing comes behind an end.
                let ends = matches!(program.op(edge.op), Op::Halt(_));
                (edge.op, (!ends).then(|| self.class[edge.target.0 as usize]))
            })
            .collect()
    }

    /// The class's members by signature, in a fixed order. Those that did not change have one and
    /// the same.
    fn groups(&self, program: &Program, class: usize, changed: &[LocId]) -> Vec<Vec<LocId>> {
        let members = &self.members[class];
        if members.len() == 1 {
            return Vec::new();
        }
        let mut groups: Vec<Vec<LocId>> = Vec::new();
        let mut by_signature: FxHashMap<Signature, usize> = FxHashMap::default();
        if changed.len() < members.len() {
            let changed: FxHashSet<LocId> = changed.iter().copied().collect();
            let rest: Vec<LocId> = members
                .iter()
                .copied()
                .filter(|at| !changed.contains(at))
                .collect();
            by_signature.insert(self.signature(program, rest[0]), 0);
            groups.push(rest);
        }
        for &location in changed {
            let next = groups.len();
            let group = *by_signature
                .entry(self.signature(program, location))
                .or_insert(next);
            if group == next {
                groups.push(Vec::new());
            }
            groups[group].push(location);
        }
        groups
    }

    /// The largest group keeps the class's number, so that a location changes its class seldom.
    fn split(
        &mut self,
        program: &Program,
        class: usize,
        mut groups: Vec<Vec<LocId>>,
        dirty: &mut BTreeSet<LocId>,
    ) {
        if groups.len() < 2 {
            return;
        }
        let largest = (0..groups.len())
            .max_by_key(|&group| groups[group].len())
            .unwrap_or(0);
        let mut kept = groups.swap_remove(largest);
        kept.sort_unstable();
        self.members[class] = kept;
        for mut group in groups {
            let number = self.members.len();
            group.sort_unstable();
            for &location in &group {
                self.class[location.0 as usize] = number;
                let incoming = program.location(location).incoming.iter();
                dirty.extend(incoming.map(|&edge| program.edge(edge).source));
            }
            self.members.push(group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Keep;
    use super::super::tests::{check, lowered};
    use super::*;

    const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void); int g; int f(int x) { return x + g; }\n\
         int main(void) { int x = __VERIFIER_nondet_int(), y = 0;\n\
         if (x == 1) { y = 3; y = y + 1; if (y == x) reach_error(); g = 2; }\n\
         else if (x == 2) { y = 3; y = y + 1; if (y == x) reach_error(); g = 2; }\n\
         else { y = f(x); y = y + 1; if (y == x) reach_error(); g = 2; }\n\
         if (x == 5) { f(1); g = 1; } else { f(1); g = 1; }\n\
         if (y == 4 && x == 2) reach_error(); return 0; }";

    #[test]
    fn equal_futures_are_merged() {
        let program = lowered(TEXT);
        let passed = Bisimulation
            .apply(&program)
            .expect("there is something to do");
        assert_eq!(
            passed.program.errors.len(),
            1,
            "errors of one function are one"
        );
        assert!(passed.program.edges.len() + 6 <= program.edges.len());
        let count = |program: &Program| {
            let edges = program.edges.iter();
            edges
                .filter(|edge| matches!(program.op(edge.op), Op::Call { .. }))
                .count()
        };
        assert_eq!(count(&passed.program), count(&program), "calls stay apart");
    }

    #[test]
    fn a_second_run_finds_nothing() {
        let passed = Bisimulation
            .apply(&lowered(TEXT))
            .expect("there is something to do");
        assert!(Bisimulation.apply(&passed.program).is_none());
    }

    #[test]
    fn meaning_stays() {
        for keep in [Keep::Errors, Keep::Behaviour] {
            check(&Bisimulation, keep, TEXT);
        }
    }

    /// The definition: members of a class have equal signatures, and no two classes could be one.
    #[test]
    fn the_partition_is_stable_and_coarse() {
        let program = lowered(TEXT);
        let partition = Partition::coarsest(&program);
        for members in &partition.members {
            for &other in &members[1..] {
                assert_eq!(
                    partition.signature(&program, members[0]),
                    partition.signature(&program, other)
                );
            }
        }
        let initial = Partition::initial(&program);
        let mut naive = initial.class.clone();
        loop {
            let mut classes = FxHashMap::default();
            let next: Vec<usize> = (0..naive.len())
                .map(|number| {
                    let moment = Partition {
                        class: naive.clone(),
                        members: Vec::new(),
                    };
                    let signature = moment.signature(&program, LocId(number as u32));
                    let fresh = classes.len();
                    *classes.entry((naive[number], signature)).or_insert(fresh)
                })
                .collect();
            let before: FxHashSet<usize> = naive.iter().copied().collect();
            if classes.len() == before.len() {
                break;
            }
            naive = next;
        }
        let classes: FxHashSet<usize> = naive.iter().copied().collect();
        assert_eq!(partition.members.len(), classes.len());
    }
}
