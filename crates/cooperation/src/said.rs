//! What a map says, so that it can be compared with what others say: expressions lie in pools of
//! their own, and their numbers mean nothing outside.

use cfa::expr::{ExprId, ExprPool, Node};
use cfa::place::CallPattern;
use cfa::program::LocId;
use facts::invariants::{Invariant, InvariantMap};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The conjuncts of a map, each with its place.
///
/// Expressions are the same where their fingerprints are. If two different ones had the same, a
/// fact would be lost, and no more.
#[derive(Clone, Debug, Default)]
pub struct Said(FxHashSet<(LocId, CallPattern, u64)>);

impl Said {
    pub fn of(map: &InvariantMap) -> Said {
        let mut known = FxHashMap::default();
        let conjuncts = map.conjuncts().into_iter();
        let said = conjuncts.map(|part| {
            let Invariant {
                calls,
                location,
                holds,
            } = part;
            let print = fingerprint(&map.pool, holds, &mut known);
            (location, calls, print)
        });
        Said(said.collect())
    }

    /// Is everything said by one of the others? What holds however an execution came to a location
    /// holds after certain calls too.
    pub fn is_known<'a>(&self, others: impl Iterator<Item = &'a Said> + Clone) -> bool {
        self.0.iter().all(|conjunct| {
            let (location, _, print) = *conjunct;
            let anyhow = (location, CallPattern::Any, print);
            let mut others = others.clone();
            others.any(|other| other.0.contains(conjunct) || other.0.contains(&anyhow))
        })
    }
}

/// A number that equal expressions of all pools share.
fn fingerprint(pool: &ExprPool, root: ExprId, known: &mut FxHashMap<ExprId, u64>) -> u64 {
    let mut stack = vec![root];
    while let Some(&id) = stack.last() {
        let node = pool.node(id);
        let before = stack.len();
        stack.extend(node.children().filter(|child| !known.contains_key(child)));
        if stack.len() > before {
            continue;
        }
        stack.pop();
        let mut hasher = DefaultHasher::new();
        pool.ty(id).hash(&mut hasher);
        std::mem::discriminant(&node).hash(&mut hasher);
        match node {
            Node::Const(bits) => bits.hash(&mut hasher),
            Node::Var(variable) => variable.hash(&mut hasher),
            Node::Address(object) => object.hash(&mut hasher),
            Node::Unary(op, _) => op.hash(&mut hasher),
            Node::Binary(op, ..) => op.hash(&mut hasher),
            Node::Load { region, .. } => region.hash(&mut hasher),
            Node::Ite(..) | Node::Fma(..) => {}
        }
        for child in node.children() {
            known[&child].hash(&mut hasher);
        }
        known.insert(id, hasher.finish());
    }
    known[&root]
}
