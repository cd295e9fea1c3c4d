//! Facts and proofs as text, for another process that works on the same program.
//!
//! Numbers of locations and variables mean the same there, because the way from the text of a
//! program to what analyses see is deterministic. Nothing relies on that, nor on the process that
//! wrote them: what is read here is well-formed, and whether it holds is to be checked before use.

use crate::certificate::{
    AnnotatedGraph, AnnotatedNode, Certificate, KInduction, Rest, UnrollingBounds,
};
use crate::invariants::{Invariant, InvariantMap};
use cfa::expr::{ExprId, ExprPool, Node};
use cfa::place::CallPattern;
use cfa::program::LocId;
use cfa::value::Ty;
use serde::{Deserialize, Serialize};

/// A map with more expressions than this is not stored: to check it again would take long.
const MAX_NODES: usize = 50_000;

#[derive(Serialize, Deserialize)]
struct Stored {
    by: String,
    /// Those that come later are made of those before.
    nodes: Vec<(Node, Ty)>,
    entries: Vec<(CallPattern, LocId, ExprId)>,
}

/// The map as a line of text; `None` if it is too large.
pub fn write(map: &InvariantMap) -> Option<String> {
    let mut pool = ExprPool::default();
    let mut entries = Vec::with_capacity(map.entries.len());
    for entry in &map.entries {
        let holds = pool.import(&map.pool, entry.holds);
        entries.push((entry.calls.clone(), entry.location, holds));
        if pool.len() > MAX_NODES {
            return None;
        }
    }
    let ids = (0..pool.len() as u32).map(ExprId);
    let stored = Stored {
        by: map.by.clone(),
        nodes: ids.map(|id| (pool.node(id), pool.ty(id))).collect(),
        entries,
    };
    serde_json::to_string(&stored).ok()
}

/// What was written; an error if the expressions break the laws of their pool.
pub fn read(text: &str) -> Result<InvariantMap, String> {
    let stored: Stored = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut pool = ExprPool::default();
    for (number, &(node, ty)) in stored.nodes.iter().enumerate() {
        let is_known = node.children().all(|part| (part.0 as usize) < number);
        if !is_known || !pool.allows(node, ty) {
            return Err(format!("{node:?} is no expression of type {ty:?}"));
        }
        if pool.intern(node, ty).0 as usize != number {
            return Err(format!("{node:?} is there twice"));
        }
    }
    let mut entries = Vec::with_capacity(stored.entries.len());
    for (calls, location, holds) in stored.entries {
        if holds.0 as usize >= pool.len() || pool.ty(holds) != Ty::Bool {
            return Err(format!("{holds:?} is no statement"));
        }
        entries.push(Invariant {
            calls,
            location,
            holds,
        });
    }
    Ok(InvariantMap {
        by: stored.by,
        pool,
        entries,
    })
}

/// A proof, with its annotations as [`write()`] writes them.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum StoredProof {
    Graph(String),
    KInduction {
        depth: u32,
        support: String,
        follows: bool,
    },
    CompleteUnrolling(UnrollingBounds),
    NoWay,
}

/// The proof as a line of text; `None` if it is too large, or of a kind that is not stored.
pub fn write_proof(certificate: &Certificate) -> Option<String> {
    let graph = |graph: &AnnotatedGraph| {
        let entries = graph.nodes.iter().map(|node| Invariant {
            calls: node.calls.clone(),
            location: node.location,
            holds: node.invariant,
        });
        write(&InvariantMap {
            by: String::new(),
            entries: entries.collect(),
            pool: graph.pool.clone(),
        })
    };
    let stored = match certificate {
        Certificate::Graph(annotated) => StoredProof::Graph(graph(annotated)?),
        Certificate::KInduction(claim) => StoredProof::KInduction {
            depth: claim.depth,
            support: graph(&claim.support)?,
            follows: claim.rest == Rest::Follows,
        },
        Certificate::CompleteUnrolling(bounds) => StoredProof::CompleteUnrolling(*bounds),
        Certificate::NoWay => StoredProof::NoWay,
        Certificate::Inputs(_)
        | Certificate::DeterministicRun { .. }
        | Certificate::Prophecy(_)
        | Certificate::Contracts(_) => return None,
    };
    serde_json::to_string(&stored).ok()
}

/// A proof that was written, about a program that has so many locations; whether it proves anything
/// is to be checked.
pub fn read_proof(text: &str, locations: usize) -> Result<Certificate, String> {
    let graph = |text: &str| -> Result<AnnotatedGraph, String> {
        let map = read(text)?;
        let is_there = |entry: &Invariant| (entry.location.0 as usize) < locations;
        if !map.entries.iter().all(is_there) {
            return Err("it speaks of a place that is not there".into());
        }
        let nodes = map.entries.into_iter().map(|entry| AnnotatedNode {
            calls: entry.calls,
            location: entry.location,
            invariant: entry.holds,
        });
        Ok(AnnotatedGraph {
            nodes: nodes.collect(),
            pool: map.pool,
        })
    };
    let stored: StoredProof = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(match stored {
        StoredProof::Graph(text) => Certificate::Graph(graph(&text)?),
        StoredProof::KInduction {
            depth,
            support,
            follows,
        } => Certificate::KInduction(KInduction {
            depth,
            support: graph(&support)?,
            rest: match follows {
                true => Rest::Follows,
                false => Rest::Nothing,
            },
        }),
        StoredProof::CompleteUnrolling(bounds) => Certificate::CompleteUnrolling(bounds),
        StoredProof::NoWay => Certificate::NoWay,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::expr::VarId;
    use cfa::program::EdgeId;

    fn map() -> InvariantMap {
        let mut pool = ExprPool::default();
        let ty = Ty::unsigned(128);
        // Not all of the pool is part of the map.
        pool.constant(77, Ty::I32);
        let variable = pool.variable(VarId(3), ty);
        let bound = pool.constant(u128::MAX - 5, ty);
        let holds = pool.le(variable, bound);
        let calls = CallPattern::Exactly(vec![EdgeId(4), EdgeId(9)]);
        let entry = |calls, location| Invariant {
            calls,
            location: LocId(location),
            holds,
        };
        InvariantMap {
            by: "somebody".into(),
            entries: vec![entry(calls, 7), entry(CallPattern::Any, 8)],
            pool,
        }
    }

    #[test]
    fn what_is_written_can_be_read() {
        let given = map();
        let text = write(&given).expect("it is small");
        assert!(!text.contains('\n') && !text.contains("77"), "{text}");
        let read = read(&text).expect("it was written");
        assert_eq!(read.by, given.by);
        let mut pool = given.pool.clone();
        for (read_one, given) in read.entries.iter().zip(&given.entries) {
            assert_eq!(read_one.calls, given.calls);
            assert_eq!(read_one.location, given.location);
            assert_eq!(pool.import(&read.pool, read_one.holds), given.holds);
        }
        assert_eq!(read.entries.len(), given.entries.len());
    }

    #[test]
    fn proofs_are_written_and_read() {
        let map = map();
        let nodes = map.entries.iter().map(|entry| AnnotatedNode {
            calls: entry.calls.clone(),
            location: entry.location,
            invariant: entry.holds,
        });
        let graph = AnnotatedGraph {
            nodes: nodes.collect(),
            pool: map.pool.clone(),
        };
        let bounds = UnrollingBounds {
            iterations: 3,
            recursion: 4,
            steps: 5,
        };
        let proofs = [
            Certificate::Graph(graph.clone()),
            Certificate::KInduction(KInduction {
                depth: 2,
                support: graph,
                rest: Rest::Nothing,
            }),
            Certificate::CompleteUnrolling(bounds),
            Certificate::NoWay,
        ];
        for proof in proofs {
            let text = write_proof(&proof).expect("it is small");
            assert!(!text.contains('\n'), "{text}");
            let read = read_proof(&text, 9).expect("it was written");
            assert_eq!(read.name(), proof.name());
            assert_eq!(write_proof(&read), Some(text.clone()));
            assert!(read_proof(&text[..text.len() - 2], 9).is_err());
            // The program may be another one.
            if text.contains("nodes") {
                assert!(read_proof(&text, 8).is_err());
            }
        }
        assert!(write_proof(&Certificate::Inputs(Vec::new())).is_none());
    }

    #[test]
    fn what_breaks_the_laws_is_not_read() {
        let text = write(&map()).expect("it is small");
        for (right, wrong) in [
            // An operand that comes later, or never.
            ("\"Le\",1,0", "\"Le\",2,0"),
            ("\"Le\",1,0", "\"Le\",9,0"),
            // A sum is no truth value.
            ("\"Le\"", "\"Add\""),
            // Statements that are none.
            ("[\"Any\",8,2]", "[\"Any\",8,1]"),
            ("[\"Any\",8,2]", "[\"Any\",8,5]"),
            // Operands of different types, and a constant that is too large.
            ("{\"Int\":{\"width\":128", "{\"Int\":{\"width\":64"),
        ] {
            assert!(text.contains(right), "{right} is not in {text}");
            let changed = text.replacen(right, wrong, 1);
            assert!(read(&changed).is_err(), "{changed}");
            assert!(read(&changed[..changed.len() / 2]).is_err());
        }
    }
}
