//! Inductive annotations: every block from an annotated place to the next keeps what they say.
//!
//! The checker finds the places itself, from the start of the program; of the annotation it takes
//! nothing but the expressions.

use crate::boxes;
use crate::cases::{NodeOfCase, cases};
use crate::obligations::Obligations;
use crate::{Accepted, Rejection};
use cfa::expr::{ExprId, ExprPool, Node};
use cfa::place::Place;
use cfa::program::{EdgeId, LocId, Program};
use cfa::value::Ty;
use encoding::blocks::Blocks;
use encoding::state::State;
use encoding::step::Writes;
use encoding::unwind::{CutReason, Unwinding};
use facts::budget::Budget;
use facts::certificate::AnnotatedGraph;
use facts::words::count;
use logic::{Term, TermPool};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// What is claimed of the executions that start in a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim {
    /// The annotations hold wherever they are, and no error is reached.
    Safe,
    /// The annotations hold wherever they are.
    Holding,
    /// The annotations hold wherever executions come that are followed. Whoever uses this shows
    /// that all are.
    Inductive,
}

pub(crate) fn check(
    program: &Program,
    graph: &AnnotatedGraph,
    writes: Writes,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    if let Some(followed) = boxes::check(program, &Annotations::new(program, graph)?.at, budget) {
        return Ok(Accepted {
            how: format!(
                "the annotation of {} is inductive ({} of values propagated)",
                count(followed.places, "place"),
                match followed.boxes {
                    1 => "1 box".to_owned(),
                    boxes => format!("{boxes} boxes"),
                }
            ),
        });
    }
    let mut obligations = Obligations::new(budget);
    let mut blocks = Blocks::new(program);
    blocks.encoder().writes = writes;
    let places = check_claim(program, graph, Claim::Safe, &mut blocks, &mut obligations)?;
    Ok(accepted(places.len(), obligations.refuted))
}

/// In words for users.
pub(crate) fn accepted(places: usize, refuted: usize) -> Accepted {
    Accepted {
        how: format!(
            "the annotation of {} is inductive ({} refuted)",
            count(places, "place"),
            count(refuted, "obligation")
        ),
    }
}

/// Checks that the annotations hold whenever an execution is at their places.
///
/// Returns all the places (annotated ones and loop heads) that executions may come to.
pub(crate) fn check_holding<'p>(
    program: &'p Program,
    graph: &AnnotatedGraph,
    blocks: &mut Blocks<'p>,
    obligations: &mut Obligations<'_>,
) -> Result<BTreeSet<Place>, Rejection> {
    check_claim(program, graph, Claim::Holding, blocks, obligations)
}

/// The same, if no execution leaves what formulas say (something without a formula, or a recursion
/// that goes deeper than blocks do): behind that nothing is known, and it is not looked for here.
///
/// The blocks and the obligations belong together: a solver speaks of the terms of one pool.
pub(crate) fn check_inductive<'p>(
    program: &'p Program,
    graph: &AnnotatedGraph,
    blocks: &mut Blocks<'p>,
    obligations: &mut Obligations<'_>,
) -> Result<BTreeSet<Place>, Rejection> {
    check_claim(program, graph, Claim::Inductive, blocks, obligations)
}

fn check_claim<'p>(
    program: &'p Program,
    graph: &AnnotatedGraph,
    claim: Claim,
    blocks: &mut Blocks<'p>,
    obligations: &mut Obligations<'_>,
) -> Result<BTreeSet<Place>, Rejection> {
    let annotations = Annotations::new(program, graph)?;
    let heads = match claim {
        // A claim of safety annotates every loop itself, where it needs to; support may leave loops
        // out.
        Claim::Safe => Vec::new(),
        Claim::Holding | Claim::Inductive => annotations.heads(blocks, program),
    };
    Walk {
        program,
        claim,
        annotations,
        heads,
    }
    .places(blocks, obligations)
}

/// The walk over all annotated places.
struct Walk<'a> {
    program: &'a Program,
    claim: Claim,
    annotations: Annotations<'a>,
    /// Loop heads where blocks end although nothing is said of them.
    heads: Vec<LocId>,
}

impl Walk<'_> {
    /// Checks everything; returns the places that executions may come to.
    fn places(
        &self,
        blocks: &mut Blocks<'_>,
        obligations: &mut Obligations<'_>,
    ) -> Result<BTreeSet<Place>, Rejection> {
        let mut seen: BTreeSet<Place> = BTreeSet::new();
        let mut queue: VecDeque<Place> = VecDeque::new();
        let mut note = |places: Vec<Place>, queue: &mut VecDeque<Place>| {
            for place in places {
                if seen.insert(place.clone()) {
                    queue.push_back(place);
                }
            }
        };
        for (place, state) in blocks.start() {
            // Nothing is known yet at the start: what is said of it has to hold there like anywhere
            // else.
            self.arrive(blocks, obligations, &place, &state)?;
            note(
                self.leave(blocks, obligations, &place, state, &[])?,
                &mut queue,
            );
        }
        while let Some(place) = queue.pop_front() {
            let nodes = self.annotations.nodes(&place.calls, place.location);
            let mut cases = cases(&nodes);
            if cases.is_empty() {
                // Nothing is said of the place: anything may hold there.
                cases.push(Vec::new());
            }
            for nodes in cases {
                let (_, mut state) = blocks
                    .anywhere(&place)
                    .pop_first()
                    .expect("a layer of one state");
                if let Some(first) = nodes.first() {
                    first.case.fix(blocks, &mut state);
                }
                note(
                    self.leave(blocks, obligations, &place, state, &nodes)?,
                    &mut queue,
                );
            }
        }
        Ok(seen)
    }

    /// Checks the block from a place in a state in which one of the nodes holds (or anything, if
    /// there are none).
    fn leave(
        &self,
        blocks: &mut Blocks<'_>,
        obligations: &mut Obligations<'_>,
        place: &Place,
        mut state: State,
        nodes: &[&NodeOfCase<'_>],
    ) -> Result<Vec<Place>, Rejection> {
        obligations.check_time()?;
        let assumed = self.annotations.one_of(blocks, &state, nodes)?;
        let Some(path) = state.path.and(&mut blocks.encoder().pool, assumed) else {
            return Ok(Vec::new());
        };
        state.path = path;
        let stops = |calls: &[EdgeId], location: LocId| {
            self.heads.binary_search(&location).is_ok() || self.annotations.any(calls, location)
        };
        let block = blocks.block(place, state, &stops, obligations);
        self.check_block(blocks, block, obligations)
    }

    /// Checks what one block leads to; returns the places.
    fn check_block(
        &self,
        blocks: &mut Blocks<'_>,
        block: Unwinding,
        obligations: &mut Obligations<'_>,
    ) -> Result<Vec<Place>, Rejection> {
        let program = self.program;
        obligations.check_time()?;
        if self.claim == Claim::Safe {
            for error in &block.errors {
                obligations.refute(&mut blocks.encoder().pool, &error.path, &[], || {
                    let place = program.describe(program.location(error.location).span);
                    format!("the annotation does not exclude the violation at {place}")
                })?;
            }
        }
        for cut in &block.cuts {
            match self.claim {
                // What leaves formulas is never covered.
                Claim::Safe | Claim::Holding => {
                    obligations.refute_cut(program, &mut blocks.encoder().pool, cut)?;
                }
                Claim::Inductive if cut.reason == CutReason::Stopped => {
                    return Err(Rejection::Unfinished("out of time".into()));
                }
                Claim::Inductive => {}
            }
        }
        let mut places = Vec::new();
        for arrival in block.arrivals {
            self.arrive(blocks, obligations, &arrival.place, &arrival.state)?;
            places.push(arrival.place);
        }
        Ok(places)
    }

    /// Checks that one of the nodes of the place holds in a state that executions come to it in.
    fn arrive(
        &self,
        blocks: &mut Blocks<'_>,
        obligations: &mut Obligations<'_>,
        place: &Place,
        state: &State,
    ) -> Result<(), Rejection> {
        let holds = (self.annotations).formula(blocks, state, &place.calls, place.location)?;
        let pool = &mut blocks.encoder().pool;
        let fails = pool.not(holds);
        if fails == TermPool::FALSE {
            return Ok(());
        }
        obligations.refute(pool, &state.path, &[fails], || {
            let place = (self.program).describe(self.program.location(place.location).span);
            format!("the annotation at {place} is not inductive")
        })
    }
}

/// The nodes of a graph by location.
pub(crate) struct Annotations<'g> {
    pool: &'g ExprPool,
    at: FxHashMap<LocId, Vec<NodeOfCase<'g>>>,
}

impl<'g> Annotations<'g> {
    pub(crate) fn new(
        program: &Program,
        graph: &'g AnnotatedGraph,
    ) -> Result<Annotations<'g>, Rejection> {
        let roots: Vec<ExprId> = graph.nodes.iter().map(|node| node.invariant).collect();
        let belongs = belongs_to(program, &graph.pool, &roots)
            && graph
                .nodes
                .iter()
                .all(|node| (node.location.0 as usize) < program.locations.len());
        if !belongs {
            return Err(Rejection::Wrong(
                "it refers to variables or locations that the program does not have".into(),
            ));
        }
        let mut at: FxHashMap<LocId, Vec<NodeOfCase<'_>>> = FxHashMap::default();
        for node in &graph.nodes {
            let nodes = at.entry(node.location).or_default();
            nodes.push(NodeOfCase::new(&graph.pool, node));
        }
        Ok(Annotations {
            pool: &graph.pool,
            at,
        })
    }

    fn nodes(&self, calls: &[EdgeId], location: LocId) -> Vec<&NodeOfCase<'g>> {
        let nodes = self.at.get(&location).into_iter().flatten();
        nodes
            .filter(|node| node.node.calls.matches(calls))
            .collect()
    }

    pub(crate) fn any(&self, calls: &[EdgeId], location: LocId) -> bool {
        let nodes = self.at.get(&location);
        nodes.is_some_and(|nodes| nodes.iter().any(|node| node.node.calls.matches(calls)))
    }

    fn heads(&self, blocks: &Blocks<'_>, program: &Program) -> Vec<LocId> {
        let locations = (0..program.locations.len() as u32).map(LocId);
        locations.filter(|&at| blocks.is_head(at)).collect()
    }

    /// One of the nodes of the place holds; true where there are none.
    pub(crate) fn formula(
        &self,
        blocks: &mut Blocks<'_>,
        state: &State,
        calls: &[EdgeId],
        location: LocId,
    ) -> Result<Term, Rejection> {
        let nodes = self.nodes(calls, location);
        self.one_of(blocks, state, &nodes)
    }

    /// One of these nodes holds; true if there are none.
    fn one_of(
        &self,
        blocks: &mut Blocks<'_>,
        state: &State,
        nodes: &[&NodeOfCase<'_>],
    ) -> Result<Term, Rejection> {
        if nodes.is_empty() {
            return Ok(TermPool::TRUE);
        }
        let mut terms = Vec::new();
        for node in nodes {
            if node.case.is_contradicted(blocks, state) {
                continue;
            }
            let term = blocks
                .encoder()
                .holds(state, self.pool, node.node.invariant)
                .map_err(|reason| Rejection::Unfinished(reason.0))?;
            terms.push(term);
        }
        Ok(blocks.encoder().pool.or_all(terms))
    }
}

/// Do the expressions speak only of what the program has, with the right types?
pub fn belongs_to(program: &Program, pool: &ExprPool, roots: &[ExprId]) -> bool {
    if roots
        .iter()
        .any(|root| root.0 as usize >= pool.len() || pool.ty(*root) != Ty::Bool)
    {
        return false;
    }
    let mut seen = vec![false; pool.len()];
    let mut stack = roots.to_vec();
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut seen[id.0 as usize], true) {
            continue;
        }
        let node = pool.node(id);
        let fits = match node {
            Node::Var(var) => program
                .vars
                .get(var.0 as usize)
                .is_some_and(|known| known.ty == pool.ty(id)),
            Node::Address(object) => (object.0 as usize) < program.objects.len(),
            Node::Load { region, .. } => (region.0 as usize) < program.regions.len().max(1),
            _ => true,
        };
        if !fits {
            return false;
        }
        stack.extend(node.children());
    }
    true
}
