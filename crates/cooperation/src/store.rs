//! Where published facts lie.
//!
//! Readers get a consistent version that later publications do not change (see [`crate::versions`]).

use crate::versions::Versions;
use facts::invariants::{Facts, InvariantMap};
use facts::precision::PrecisionMap;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug)]
pub struct FactStore {
    facts: Versions<Facts>,
    precisions: Mutex<Vec<Arc<PrecisionMap>>>,
}

impl Default for FactStore {
    fn default() -> Self {
        FactStore {
            facts: Versions::new(Facts::default()),
            precisions: Mutex::default(),
        }
    }
}

impl FactStore {
    /// Adds a proved map, unless it says nothing new.
    ///
    /// Returns whether it was added.
    pub fn publish(&self, mut map: InvariantMap) -> bool {
        map.entries
            .retain(|entry| map.pool.node(entry.holds) != cfa::expr::Node::Const(1));
        if map.entries.is_empty() {
            return false;
        }
        self.facts.replace(|current| {
            if current.maps.iter().any(|known| repeats(known, &map)) {
                return None;
            }
            let mut next = Facts::clone(current);
            next.maps.push(Arc::new(map));
            Some(next)
        })
    }

    pub fn facts(&self) -> Facts {
        Facts::clone(&self.facts.read())
    }

    /// How many maps there are.
    pub fn version(&self) -> usize {
        self.facts.number()
    }

    pub fn publish_precision(&self, map: PrecisionMap) {
        let list = self.precisions.lock();
        list.unwrap_or_else(PoisonError::into_inner)
            .push(Arc::new(map));
    }

    pub fn precisions(&self) -> Vec<Arc<PrecisionMap>> {
        let list = self.precisions.lock();
        list.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Do both say the same, word by word?
fn repeats(known: &InvariantMap, new: &InvariantMap) -> bool {
    if known.by != new.by || known.entries.len() != new.entries.len() {
        return false;
    }
    // Numbers of expressions mean nothing outside their pool.
    let mut pool = known.pool.clone();
    known
        .entries
        .iter()
        .zip(&new.entries)
        .all(|(old, new_one)| {
            old.location == new_one.location
                && old.calls == new_one.calls
                && pool.import(&new.pool, new_one.holds) == old.holds
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::expr::{ExprPool, Node};
    use cfa::place::CallPattern;
    use cfa::program::LocId;
    use cfa::value::Ty;
    use facts::invariants::Invariant;

    fn map(by: &str, location: u32, value: u128) -> InvariantMap {
        let mut pool = ExprPool::default();
        let holds = pool.intern(Node::Const(value), Ty::Bool);
        InvariantMap {
            by: by.into(),
            pool,
            entries: vec![Invariant {
                calls: CallPattern::Any,
                location: LocId(location),
                holds,
            }],
        }
    }

    #[test]
    fn trivial_and_repeated_facts_are_dropped() {
        let store = FactStore::default();
        assert!(!store.publish(map("a", 1, 1)));
        assert!(store.publish(map("a", 1, 0)));
        assert!(!store.publish(map("a", 1, 0)));
        assert!(store.publish(map("a", 2, 0)));
        assert_eq!(store.version(), 2);
    }

    #[test]
    fn the_same_numbers_in_different_pools_are_no_repetition() {
        let store = FactStore::default();
        let at_most = |bound: u128| {
            let mut pool = ExprPool::default();
            let ty = Ty::unsigned(32);
            let variable = pool.variable(cfa::expr::VarId(0), ty);
            let bound = pool.constant(bound, ty);
            let holds = pool.le(variable, bound);
            InvariantMap {
                by: "a".into(),
                pool,
                entries: vec![Invariant {
                    calls: CallPattern::Any,
                    location: LocId(1),
                    holds,
                }],
            }
        };
        assert!(store.publish(at_most(9)));
        assert!(store.publish(at_most(5)));
        assert!(!store.publish(at_most(9)));
    }

    #[test]
    fn a_version_stays_while_others_publish() {
        let store = FactStore::default();
        std::thread::scope(|scope| {
            for thread in 0..4u32 {
                let store = &store;
                scope.spawn(move || {
                    for number in 0..100 {
                        store.publish(map(&format!("t{thread}"), number, 0));
                    }
                });
            }
            for _ in 0..200 {
                let facts = store.facts();
                let before = facts.version();
                assert!(store.version() >= before);
                assert_eq!(facts.maps.len(), before);
            }
        });
        assert_eq!(store.version(), 400);
    }
}
