//! Certificates and facts as text that names what it is about, so that it can be read for another
//! version of the program.
//!
//! Nothing that is read here is believed. It is well-formed: expressions obey the laws of their
//! pool, and speak of variables, objects, regions and locations that the program has. What has no
//! counterpart in the program is left out.

use super::names::{Alignment, At, Leaving, Names, Shape};
use cfa::expr::{ExprId, ExprPool, Node, VarId};
use cfa::memory::{ObjectId, RegionId};
use cfa::place::CallPattern;
use cfa::program::LocId;
use cfa::value::Ty;
use facts::certificate::{
    AnnotatedGraph, AnnotatedNode, Certificate, ForArbitraryIndices, InputValue, KInduction, Rest,
    UnrollingBounds,
};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use transform::passes::{Prophecy, Site, prophesy};

/// Larger annotations are not kept: to read and to check them would take long.
const MAX_NODES: usize = 200_000;

/// An answer about a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The values that a violation takes from outside, in their order.
    Values(Vec<(Ty, u128)>),
    Unrolling(UnrollingBounds),
    Annotation(Statements),
    Induction {
        depth: u32,
        support: Statements,
        /// The step case holds, not only the forward condition.
        follows: bool,
    },
    Run {
        steps: u64,
    },
    Prophecy {
        /// For each prophecy its sites: statements whose expressions are indices.
        sites: Vec<Statements>,
        /// Of the program with the prophecies, and about that one.
        shape: Shape,
        proof: Box<Answer>,
    },
}

/// Expressions at places.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Statements {
    vars: Vec<String>,
    objects: Vec<String>,
    regions: Vec<String>,
    /// Those that come later are made of those before. Variables, objects and regions are numbers
    /// in the lists of their names.
    nodes: Vec<(Node, Ty)>,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    /// The calls that it is about, if it is not about all.
    calls: Option<Vec<Leaving>>,
    at: At,
    holds: ExprId,
}

/// One expression of a program at a place of it.
pub struct Said {
    pub calls: CallPattern,
    pub location: LocId,
    pub holds: ExprId,
}

/// Numbers of names, in the order of their first use.
#[derive(Default)]
struct Table {
    names: Vec<String>,
    numbers: FxHashMap<u32, u32>,
}

impl Table {
    fn number(&mut self, id: u32, name: Option<&str>) -> Option<u32> {
        if let Some(&number) = self.numbers.get(&id) {
            return Some(number);
        }
        let number = self.names.len() as u32;
        self.names.push(name?.to_owned());
        self.numbers.insert(id, number);
        Some(number)
    }
}

impl Statements {
    /// `None` if there is too much of it, or if it is not about the program.
    pub fn write<'a>(
        names: &Names<'_>,
        pool: &ExprPool,
        list: impl IntoIterator<Item = (&'a CallPattern, LocId, ExprId)>,
    ) -> Option<Statements> {
        let mut own = ExprPool::default();
        let mut entries = Vec::new();
        for (calls, location, holds) in list {
            let calls = match calls {
                CallPattern::Any => None,
                CallPattern::Exactly(edges) => {
                    let edges = edges.iter().map(|&edge| names.leaving(edge));
                    Some(edges.collect::<Option<Vec<Leaving>>>()?)
                }
            };
            entries.push(Entry {
                calls,
                at: names.at(location)?,
                holds: own.import(pool, holds),
            });
            if own.len() > MAX_NODES {
                return None;
            }
        }
        let (mut vars, mut objects, mut regions) =
            (Table::default(), Table::default(), Table::default());
        let nodes = (0..own.len() as u32).map(|id| {
            let node = match own.node(ExprId(id)) {
                Node::Var(var) => Node::Var(VarId(vars.number(var.0, names.of_var(var))?)),
                Node::Address(object) => {
                    let name = names.of_object(object);
                    Node::Address(ObjectId(objects.number(object.0, name)?))
                }
                Node::Load { region, address } => Node::Load {
                    region: RegionId(regions.number(region.0, names.of_region(region))?),
                    address,
                },
                other => other,
            };
            Some((node, own.ty(ExprId(id))))
        });
        let nodes = nodes.collect::<Option<Vec<(Node, Ty)>>>()?;
        Some(Statements {
            vars: vars.names,
            objects: objects.names,
            regions: regions.names,
            nodes,
            entries,
        })
    }

    /// What of it can be said of the program, in a pool that extends the given one; and whether
    /// that is all of it.
    pub fn read(
        &self,
        names: &Names<'_>,
        alignment: &Alignment,
        pool: &mut ExprPool,
    ) -> (Vec<Said>, bool) {
        let mut ids: Vec<Option<ExprId>> = Vec::with_capacity(self.nodes.len());
        for &(node, ty) in &self.nodes {
            let read = self.node(names, node, ty, &ids);
            let read = read.filter(|&node| pool.allows(node, ty));
            ids.push(read.map(|node| pool.intern(node, ty)));
        }
        let said = self.entries.iter().filter_map(|entry| {
            let calls = match &entry.calls {
                None => CallPattern::Any,
                Some(edges) => {
                    let edges = edges.iter();
                    let edges = edges.map(|&edge| alignment.edge(names.program, edge));
                    CallPattern::Exactly(edges.collect::<Option<_>>()?)
                }
            };
            Some(Said {
                calls,
                location: alignment.location(entry.at)?,
                holds: (*ids.get(entry.holds.0 as usize)?)?,
            })
        });
        let said: Vec<Said> = said.collect();
        let is_all = said.len() == self.entries.len();
        (said, is_all)
    }

    /// The node in the program's numbers, if its parts have been read and its name is known.
    fn node(&self, names: &Names<'_>, node: Node, ty: Ty, ids: &[Option<ExprId>]) -> Option<Node> {
        let part = |id: ExprId| *ids.get(id.0 as usize)?;
        let program = names.program;
        Some(match node {
            Node::Const(_) => node,
            Node::Var(var) => {
                let var = names.var(self.vars.get(var.0 as usize)?)?;
                (program.var(var).ty == ty).then_some(Node::Var(var))?
            }
            Node::Address(object) => {
                Node::Address(names.object(self.objects.get(object.0 as usize)?)?)
            }
            Node::Unary(op, a) => Node::Unary(op, part(a)?),
            Node::Binary(op, a, b) => Node::Binary(op, part(a)?, part(b)?),
            Node::Ite(a, b, c) => Node::Ite(part(a)?, part(b)?, part(c)?),
            Node::Fma(a, b, c) => Node::Fma(part(a)?, part(b)?, part(c)?),
            Node::Load { region, address } => Node::Load {
                region: names.region(self.regions.get(region.0 as usize)?)?,
                address: part(address)?,
            },
        })
    }

    fn of_graph(names: &Names<'_>, graph: &AnnotatedGraph) -> Option<Statements> {
        let nodes = graph.nodes.iter();
        let nodes = nodes.map(|node| (&node.calls, node.location, node.invariant));
        Statements::write(names, &graph.pool, nodes)
    }

    fn graph(&self, names: &Names<'_>, alignment: &Alignment) -> AnnotatedGraph {
        let mut pool = names.program.pool.clone();
        let (said, _) = self.read(names, alignment, &mut pool);
        let said = said
            .into_iter()
            .filter(|said| pool.ty(said.holds) == Ty::Bool);
        let nodes = said.map(|said| AnnotatedNode {
            calls: said.calls,
            location: said.location,
            invariant: said.holds,
        });
        AnnotatedGraph {
            nodes: nodes.collect(),
            pool,
        }
    }
}

/// A kept answer, about the program of today.
pub enum Candidate {
    Proof(Certificate),
    /// The inputs are those that the execution takes with these values.
    Values(Vec<InputValue>),
}

impl Answer {
    /// The names are those of the program that proofs are about.
    pub fn write(names: &Names<'_>, certificate: &Certificate) -> Option<Answer> {
        Some(match certificate {
            Certificate::Inputs(values) => {
                let values = values.iter().map(|value| (value.ty, value.bits));
                Answer::Values(values.collect())
            }
            Certificate::CompleteUnrolling(bounds) => Answer::Unrolling(*bounds),
            Certificate::Graph(graph) => Answer::Annotation(Statements::of_graph(names, graph)?),
            Certificate::KInduction(claim) => Answer::Induction {
                depth: claim.depth,
                support: Statements::of_graph(names, &claim.support)?,
                follows: claim.rest == Rest::Follows,
            },
            Certificate::DeterministicRun { steps } => Answer::Run { steps: *steps },
            // Found without a search, so there is nothing to keep. Contracts are not kept.
            Certificate::NoWay | Certificate::Contracts(_) => return None,
            Certificate::Prophecy(claim) => {
                let sites = claim.prophecies.iter().map(|prophecy| {
                    let sites = prophecy.sites.iter();
                    let sites = sites.map(|site| (&CallPattern::Any, site.location, site.index));
                    Statements::write(names, &names.program.pool, sites)
                });
                let sites = sites.collect::<Option<Vec<Statements>>>()?;
                let foretold = prophesy(names.program, &claim.prophecies).ok()?;
                let inner = Names::of(&foretold.passed.program);
                Answer::Prophecy {
                    sites,
                    shape: inner.shape(),
                    proof: Box::new(Answer::write(&inner, &claim.proof)?),
                }
            }
        })
    }

    /// What it claims of the program of today; `None` if it makes no sense there.
    pub fn read(&self, names: &Names<'_>, alignment: &Alignment) -> Option<Candidate> {
        Some(Candidate::Proof(match self {
            Answer::Values(values) => {
                let values = values.iter().map(|&(ty, bits)| InputValue {
                    // The execution says which it is.
                    input: cfa::op::InputId(0),
                    ty,
                    bits,
                });
                return Some(Candidate::Values(values.collect()));
            }
            Answer::Unrolling(bounds) => Certificate::CompleteUnrolling(*bounds),
            Answer::Annotation(said) => Certificate::Graph(said.graph(names, alignment)),
            Answer::Induction {
                depth,
                support,
                follows,
            } => Certificate::KInduction(KInduction {
                depth: *depth,
                support: support.graph(names, alignment),
                rest: match follows {
                    true => Rest::Follows,
                    false => Rest::Nothing,
                },
            }),
            Answer::Run { steps } => Certificate::DeterministicRun { steps: *steps },
            Answer::Prophecy {
                sites,
                shape,
                proof,
            } => {
                let prophecies = sites.iter().map(|sites| prophecy(sites, names, alignment));
                let prophecies = prophecies.collect::<Option<Vec<Prophecy>>>()?;
                let foretold = prophesy(names.program, &prophecies).ok()?;
                let inner = Names::of(&foretold.passed.program);
                let alignment = Alignment::new(shape, &inner, &inner.shape());
                // A prophecy within a prophecy is none that the checker knows.
                if matches!(**proof, Answer::Prophecy { .. }) {
                    return None;
                }
                let Candidate::Proof(proof) = proof.read(&inner, &alignment)? else {
                    return None;
                };
                Certificate::Prophecy(Box::new(ForArbitraryIndices { prophecies, proof }))
            }
        }))
    }

    /// The statements that it makes of the program itself.
    pub fn statements(&self) -> Option<&Statements> {
        match self {
            Answer::Annotation(said) | Answer::Induction { support: said, .. } => Some(said),
            _ => None,
        }
    }
}

/// Indices lie in the pool of the program: what it does not have is no index of it.
fn prophecy(sites: &Statements, names: &Names<'_>, alignment: &Alignment) -> Option<Prophecy> {
    let mut pool = names.program.pool.clone();
    let (said, is_all) = sites.read(names, alignment, &mut pool);
    let is_known = |said: &Said| (said.holds.0 as usize) < names.program.pool.len();
    if !is_all || !said.iter().all(is_known) {
        return None;
    }
    let sites = said.into_iter().map(|said| Site {
        location: said.location,
        index: said.holds,
    });
    Some(Prophecy {
        sites: sites.collect(),
    })
}
