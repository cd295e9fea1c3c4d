//! Facts: what was proved about the program at some locations.

use cfa::expr::{BinOp, ExprId, ExprPool, Node};
pub use cfa::place::Invariant;
use cfa::program::{EdgeId, LocId};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::Duration;

/// A set of statements that were proved together.
///
/// Law: the map is inductive. Take all executions that so far satisfied its entries wherever they
/// passed: then the next place with an entry that they come to satisfies that entry too. So the
/// conjunction of several maps is one again, and whoever uses one needs nothing else to certify it:
/// a map is its own support.
#[derive(Clone, Debug)]
pub struct InvariantMap {
    /// The analysis that found it, by the name of its engine.
    pub by: String,
    /// Holds the entries' expressions.
    pub pool: ExprPool,
    pub entries: Vec<Invariant>,
}

impl InvariantMap {
    /// What the map says of a place.
    pub fn at<'a>(
        &'a self,
        calls: &'a [EdgeId],
        location: LocId,
    ) -> impl Iterator<Item = ExprId> + 'a {
        self.entries
            .iter()
            .filter(move |entry| entry.location == location && entry.calls.matches(calls))
            .map(|entry| entry.holds)
    }

    /// The statements of all entries taken apart at their conjunctions, without those that say
    /// nothing.
    pub fn conjuncts(&self) -> Vec<Invariant> {
        let mut found = Vec::new();
        for entry in &self.entries {
            let parts = conjuncts(&self.pool, entry.holds);
            found.extend(parts.into_iter().map(|holds| Invariant {
                holds,
                ..entry.clone()
            }));
        }
        found
    }

    /// Its size: how many different expressions its entries are made of.
    pub fn size(&self) -> usize {
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut stack: Vec<ExprId> = self.entries.iter().map(|entry| entry.holds).collect();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                stack.extend(self.pool.node(id).children());
            }
        }
        seen.len()
    }
}

/// The different parts of a conjunction, in their order, without those that are true anyway.
pub fn conjuncts(pool: &ExprPool, root: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match pool.node(id) {
            Node::Binary(BinOp::BoolAnd, a, b) => stack.extend([b, a]),
            Node::Const(1) => {}
            _ => found.push(id),
        }
    }
    found
}

/// Statements that somebody takes to hold and nobody has proved: the shape of a map without its
/// law. It becomes facts only where somebody checks it, so it has a type of its own.
#[derive(Clone, Debug)]
pub struct CandidateMap(pub InvariantMap);

/// The facts known at one moment; cheap to keep while others publish more.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// In the order of their publication.
    pub maps: Vec<Arc<InvariantMap>>,
    /// When each of the maps was published, counted from the beginning of the work.
    pub times: Vec<Duration>,
}

/// What is known of a fact besides what it says. Its support is the map itself (see
/// [`InvariantMap`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finding<'a> {
    /// Who found it.
    pub by: &'a str,
    /// When, counted from the beginning of the work.
    pub after: Duration,
    /// See [`InvariantMap::size`].
    pub size: usize,
}

impl Facts {
    /// Grows with every publication.
    pub fn version(&self) -> usize {
        self.maps.len()
    }

    /// Adds a map that was published now.
    pub fn push(&mut self, map: Arc<InvariantMap>, after: Duration) {
        // Maps that came without a time came before this one.
        self.times.resize(self.maps.len(), after);
        self.maps.push(map);
        self.times.push(after);
    }

    /// Who found a map, when, and how large it is.
    pub fn findings(&self) -> impl Iterator<Item = Finding<'_>> {
        let times = self.times.iter().copied();
        let times = times.chain(std::iter::repeat(Duration::ZERO));
        self.maps.iter().zip(times).map(|(map, after)| Finding {
            by: &map.by,
            after,
            size: map.size(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::expr::VarId;
    use cfa::place::CallPattern;
    use cfa::value::Ty;

    #[test]
    fn a_finding_says_who_and_when_and_how_much() {
        let mut pool = ExprPool::default();
        let ty = Ty::unsigned(32);
        let variable = pool.variable(VarId(0), ty);
        let (least, most) = (pool.constant(3, ty), pool.constant(9, ty));
        let (from, to) = (pool.le(least, variable), pool.le(variable, most));
        let holds = pool.and(from, to);
        let map = Arc::new(InvariantMap {
            by: "somebody".into(),
            entries: vec![Invariant {
                calls: CallPattern::Any,
                location: LocId(1),
                holds,
            }],
            pool,
        });
        let parts = map.conjuncts();
        let parts: Vec<ExprId> = parts.iter().map(|part| part.holds).collect();
        assert_eq!(parts, [from, to]);
        let mut facts = Facts::default();
        facts.push(map.clone(), Duration::from_secs(1));
        facts.push(map, Duration::from_secs(2));
        let findings: Vec<Finding<'_>> = facts.findings().collect();
        // A variable, two constants, two comparisons, one conjunction.
        let first = Finding {
            by: "somebody",
            after: Duration::from_secs(1),
            size: 6,
        };
        let second = Finding {
            after: Duration::from_secs(2),
            ..first
        };
        assert_eq!(findings, [first, second]);
    }
}
