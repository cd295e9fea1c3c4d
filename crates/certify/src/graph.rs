//! Inductive annotations: every block from an annotated place to the next keeps what they say.
//!
//! The checker finds the places itself, from the start of the program; of the annotation it takes nothing but
//! the expressions.

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
use facts::certificate::{AnnotatedGraph, AnnotatedNode};
use logic::{Term, TermPool};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// What is claimed of the executions that start in a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim {
    /// The annotations hold wherever they are, and no error is reached.
    Safe,
    /// The annotations hold wherever they are.
    Inductive,
}

pub(crate) fn check(
    program: &Program,
    graph: &AnnotatedGraph,
    writes: Writes,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    let mut obligations = Obligations::new(budget);
    let mut blocks = Blocks::new(program);
    blocks.encoder().writes = writes;
    let places = check_claim(program, graph, Claim::Safe, &mut blocks, &mut obligations)?;
    Ok(Accepted {
        how: format!(
            "the annotation of {} places is inductive ({} obligations refuted)",
            places.len(),
            obligations.refuted
        ),
    })
}

/// Checks that the annotations hold whenever an execution is at their places, and returns all the places
/// (annotated ones and loop heads) that executions may come to.
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
    let start = blocks.start();
    let mut seen: BTreeSet<Place> = BTreeSet::new();
    let mut queue: VecDeque<Place> = VecDeque::new();
    let mut check = |blocks: &mut Blocks<'_>, place: &Place, mut state: State| {
        obligations.check_time()?;
        let assumed = annotations.formula(blocks, &state, &place.calls, place.location)?;
        if let Some(path) = state.path.and(&mut blocks.encoder().pool, assumed) {
            state.path = path;
        } else {
            return Ok(Vec::new());
        }
        // A claim of safety annotates every loop itself, where it needs to; support may leave loops out.
        let heads: Vec<LocId> = match claim {
            Claim::Safe => Vec::new(),
            Claim::Inductive => annotations.heads(blocks, program),
        };
        let stops = |calls: &[EdgeId], location: LocId| {
            heads.binary_search(&location).is_ok() || annotations.any(calls, location)
        };
        let block = blocks.block(place, state, &stops, obligations);
        check_block(program, claim, blocks, &annotations, block, obligations)
    };
    for (place, state) in start {
        for found in check(blocks, &place, state)? {
            if seen.insert(found.clone()) {
                queue.push_back(found);
            }
        }
    }
    while let Some(place) = queue.pop_front() {
        let (_, state) = blocks
            .anywhere(&place)
            .pop_first()
            .expect("a layer of one state");
        for found in check(blocks, &place, state)? {
            if seen.insert(found.clone()) {
                queue.push_back(found);
            }
        }
    }
    Ok(seen)
}

/// Checks what one block leads to; returns the places.
fn check_block(
    program: &Program,
    claim: Claim,
    blocks: &mut Blocks<'_>,
    annotations: &Annotations<'_>,
    block: Unwinding,
    obligations: &mut Obligations<'_>,
) -> Result<Vec<Place>, Rejection> {
    obligations.check_time()?;
    if claim == Claim::Safe {
        for error in &block.errors {
            obligations.refute(&mut blocks.encoder().pool, &error.path, &[], || {
                let place = program.describe(program.location(error.location).span);
                format!("the annotation allows an execution that violates the property at {place}")
            })?;
        }
        // What leaves formulas is never covered. (Where only inductiveness is claimed, whoever uses the
        // annotation shows that no execution leaves them.)
        for cut in &block.cuts {
            obligations.refute_cut(program, &mut blocks.encoder().pool, cut)?;
        }
    } else if block
        .cuts
        .iter()
        .any(|cut| cut.reason == CutReason::Stopped)
    {
        return Err(Rejection::Unfinished("out of time".into()));
    }
    let mut places = Vec::new();
    for arrival in block.arrivals {
        let place = arrival.place;
        let holds = annotations.formula(blocks, &arrival.state, &place.calls, place.location)?;
        let pool = &mut blocks.encoder().pool;
        let fails = pool.not(holds);
        if fails != TermPool::FALSE {
            obligations.refute(pool, &arrival.state.path, &[fails], || {
                let place = program.describe(program.location(place.location).span);
                format!("the annotation of {place} does not follow from those before it")
            })?;
        }
        places.push(place);
    }
    Ok(places)
}

/// The nodes of a graph by location.
pub(crate) struct Annotations<'g> {
    pool: &'g ExprPool,
    at: FxHashMap<LocId, Vec<&'g AnnotatedNode>>,
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
                "it speaks of things that the program has not".into(),
            ));
        }
        let mut at: FxHashMap<LocId, Vec<&AnnotatedNode>> = FxHashMap::default();
        for node in &graph.nodes {
            at.entry(node.location).or_default().push(node);
        }
        Ok(Annotations {
            pool: &graph.pool,
            at,
        })
    }

    fn nodes<'a>(
        &'a self,
        calls: &'a [EdgeId],
        location: LocId,
    ) -> impl Iterator<Item = &'g AnnotatedNode> + 'a {
        let nodes = self.at.get(&location).into_iter().flatten();
        nodes.filter(|node| node.calls.matches(calls)).copied()
    }

    pub(crate) fn any(&self, calls: &[EdgeId], location: LocId) -> bool {
        self.nodes(calls, location).next().is_some()
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
        let mut terms = Vec::new();
        for node in self.nodes(calls, location) {
            let term = blocks
                .encoder()
                .holds(state, self.pool, node.invariant)
                .map_err(|reason| Rejection::Unfinished(reason.0))?;
            terms.push(term);
        }
        if terms.is_empty() {
            return Ok(TermPool::TRUE);
        }
        Ok(blocks.encoder().pool.or_all(terms))
    }
}

/// Do the expressions speak only of what the program has, with the right types?
fn belongs_to(program: &Program, pool: &ExprPool, roots: &[ExprId]) -> bool {
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
