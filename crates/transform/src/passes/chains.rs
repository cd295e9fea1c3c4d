//! Merges locations that lie on a chain: around edges that do nothing, and between conditions that
//! follow each other.
//!
//! A loop's head passes its kind on. Cycles of edges that do nothing keep one location, so that an
//! execution that ran for ever still does.

use super::{Draft, Pass, Passed};
use cfa::expr::ExprId;
use cfa::op::Op;
use cfa::program::{LocId, LocationKind, Program};

pub struct Chains;

impl Pass for Chains {
    fn name(&self) -> &'static str {
        "chains"
    }

    fn apply(&self, program: &Program) -> Option<Passed> {
        let mut merger = Merger::new(program);
        merger.run();
        merger.changed.then(|| merger.draft.finish())
    }
}

struct Merger<'p> {
    draft: Draft<'p>,
    outgoing: Vec<Vec<usize>>,
    incoming: Vec<Vec<usize>>,
    /// Functions begin or end here.
    is_fixed: Vec<bool>,
    changed: bool,
}

impl<'p> Merger<'p> {
    fn new(program: &'p Program) -> Merger<'p> {
        let draft = Draft::of(program);
        let mut outgoing = vec![Vec::new(); draft.locations.len()];
        let mut incoming = vec![Vec::new(); draft.locations.len()];
        for (index, edge) in draft.edges.iter().enumerate() {
            if let Some(edge) = edge {
                outgoing[edge.source.0 as usize].push(index);
                incoming[edge.target.0 as usize].push(index);
            }
        }
        let mut is_fixed = vec![false; draft.locations.len()];
        for function in &draft.functions {
            is_fixed[function.entry.0 as usize] = true;
            is_fixed[function.exit.0 as usize] = true;
        }
        Merger {
            draft,
            outgoing,
            incoming,
            is_fixed,
            changed: false,
        }
    }

    fn run(&mut self) {
        // A merge can make others possible at its neighbours only; later locations see it in the
        // same sweep.
        loop {
            let mut merged = false;
            for number in 0..self.outgoing.len() as u32 {
                let location = LocId(number);
                while self.skip_forward(location)
                    || self.absorb_next(location)
                    || self.join_conditions(location)
                {
                    merged = true;
                }
            }
            self.changed |= merged;
            if !merged {
                return;
            }
        }
    }

    /// The only edge that leaves a location, and its target.
    fn only_edge(&self, location: LocId) -> Option<(usize, LocId)> {
        match self.outgoing[location.0 as usize][..] {
            [edge] => Some((edge, self.draft.edges[edge].as_ref()?.target)),
            _ => None,
        }
    }

    fn does_nothing(&self, edge: usize) -> bool {
        match self.draft.edges[edge].as_ref().map(|edge| &edge.op) {
            Some(Op::Skip) => true,
            Some(Op::Assume(condition)) => self.draft.pool.as_bool(*condition) == Some(true),
            _ => false,
        }
    }

    fn condition(&self, edge: usize) -> Option<ExprId> {
        match self.draft.edges[edge].as_ref()?.op {
            Op::Assume(condition) => Some(condition),
            _ => None,
        }
    }

    fn is_removable(&self, location: LocId) -> bool {
        !self.is_fixed[location.0 as usize]
            && self.draft.locations[location.0 as usize].kind != LocationKind::Error
    }

    fn take_edge(&mut self, index: usize) -> Option<super::DraftEdge> {
        let edge = self.draft.edges[index].take()?;
        self.outgoing[edge.source.0 as usize].retain(|&other| other != index);
        self.incoming[edge.target.0 as usize].retain(|&other| other != index);
        Some(edge)
    }

    /// What enters a location that only passes on goes on at once.
    fn skip_forward(&mut self, location: LocId) -> bool {
        let Some((edge, next)) = self.only_edge(location) else {
            return false;
        };
        let entering = &self.incoming[location.0 as usize];
        // The path of a call's edge ends where the callee begins, so nothing can be put behind it.
        let is_behind_call = entering.iter().any(|&edge| {
            let edge = self.draft.edges[edge].as_ref();
            edge.is_none_or(|edge| matches!(edge.op, Op::Call { .. } | Op::Halt(_)))
        });
        if next == location
            || entering.is_empty()
            || is_behind_call
            || !self.is_removable(location)
            || !self.does_nothing(edge)
        {
            return false;
        }
        let Some(skip) = self.take_edge(edge) else {
            return false;
        };
        for index in std::mem::take(&mut self.incoming[location.0 as usize]) {
            if let Some(edge) = &mut self.draft.edges[index] {
                edge.target = next;
                edge.steps.extend(skip.steps.iter().cloned());
                edge.branch = edge.branch.or(skip.branch);
                self.incoming[next.0 as usize].push(index);
            }
        }
        self.hand_on(location, next);
        true
    }

    /// What holds at the one location holds at the other: nothing happens in between.
    fn hand_on(&mut self, from: LocId, to: LocId) {
        let source = self.draft.locations[from.0 as usize].clone();
        let target = &mut self.draft.locations[to.0 as usize];
        target.stands_for.extend(source.stands_for);
        target.stands_for.sort_unstable();
        if source.kind == LocationKind::LoopHead && target.kind == LocationKind::Ordinary {
            target.kind = LocationKind::LoopHead;
            target.span = source.span;
        }
    }

    /// A location that does nothing but go to one that nobody else goes to takes over what leaves
    /// that.
    fn absorb_next(&mut self, location: LocId) -> bool {
        let Some((edge, next)) = self.only_edge(location) else {
            return false;
        };
        if next == location
            || self.incoming[next.0 as usize].len() != 1
            || !self.is_removable(next)
            || !self.does_nothing(edge)
        {
            return false;
        }
        let Some(skip) = self.take_edge(edge) else {
            return false;
        };
        for index in std::mem::take(&mut self.outgoing[next.0 as usize]) {
            if let Some(edge) = &mut self.draft.edges[index] {
                edge.source = location;
                edge.steps.splice(0..0, skip.steps.iter().cloned());
                edge.branch = edge.branch.or(skip.branch);
                self.outgoing[location.0 as usize].push(index);
            }
        }
        true
    }

    /// Two conditions in a row are one, unless the second may fail where the first is false.
    fn join_conditions(&mut self, location: LocId) -> bool {
        let Some((first, next)) = self.only_edge(location) else {
            return false;
        };
        let Some((second, last)) = self.only_edge(next) else {
            return false;
        };
        let (Some(a), Some(b)) = (self.condition(first), self.condition(second)) else {
            return false;
        };
        if next == location
            || last == next
            || self.incoming[next.0 as usize].len() != 1
            || !self.is_removable(next)
            || self.draft.pool.can_fail(b)
        {
            return false;
        }
        let both = self.draft.pool.and(a, b);
        let Some(removed) = self.take_edge(second) else {
            return false;
        };
        self.incoming[next.0 as usize].clear();
        if let Some(edge) = &mut self.draft.edges[first] {
            edge.op = Op::Assume(both);
            edge.target = removed.target;
            edge.steps.extend(removed.steps);
            edge.branch = edge.branch.or(removed.branch);
            self.incoming[removed.target.0 as usize].push(first);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, lowered};
    use super::super::{Keep, Step};
    use super::*;

    const TEXT: &str = "int __VERIFIER_nondet_int(void); void __VERIFIER_assume(int); void reach_error(void);\n\
         int nothing(int x) { return x; }\n\
         int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0) ; else ; __VERIFIER_assume(x < 9);\n\
         __VERIFIER_assume(x > 2); do { x = nothing(x); ; x--; continue; } while (x > 3); if (x == 3) reach_error();\n\
         for (;;) { if (x > 0) break; } return x; }";

    #[test]
    fn edges_that_do_nothing_go() {
        let program = lowered(TEXT);
        let passed = Chains.apply(&program).expect("there is something to do");
        assert!(passed.program.locations.len() < program.locations.len());
        assert!(Chains.apply(&passed.program).is_none());
        // Every edge stands for a path whose edges follow each other.
        for steps in &passed.back.edges {
            let mut at = None;
            for step in steps {
                let Step::Edge(edge) = step else {
                    panic!("{step:?} of a merged chain");
                };
                let edge = program.edge(*edge);
                assert!(at.is_none_or(|at| at == edge.source));
                at = Some(edge.target);
            }
        }
    }

    #[test]
    fn meaning_stays() {
        check(&Chains, Keep::Behaviour, TEXT);
    }
}
