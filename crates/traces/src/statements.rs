//! Statements: what blocks do, as one value for all blocks that do the same.
//!
//! Formulas are hash-consed and speak of variables by their numbers and the depth of their
//! activation, so that equal relations are equal terms: a statement that the program has in several
//! places is one letter, and a Hoare triple that was decided for one of them holds for all.

use cfa::expr::VarId;
use cfa::memory::{ObjectId, RegionId};
use cfa::place::callee;
use cfa::program::{EdgeId, FuncId, Program};
use encoding::memory;
use induction::graph::{BlockId, PlaceId, Target};
use induction::solver_graph::SolverGraph;
use logic::Term;
use predicate::path_program::edges_of;
use std::rc::Rc;

/// The functions that are active, the entry first.
pub type Stack = Rc<[FuncId]>;

/// What a block does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Statement {
    /// Where values are names of what was before: see [`Stack`].
    source: Stack,
    /// Is it from the start of the program?
    is_first: bool,
    /// The conjuncts of its condition.
    path: Vec<Term>,
    end: End,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum End {
    Place {
        stack: Stack,
        /// Variables and regions by their names at the target, with what they hold, if that is not
        /// what they held.
        values: Vec<(Term, Term)>,
        bases: Vec<(ObjectId, Option<Term>)>,
    },
    Error,
    /// Not told apart from anything but itself.
    Own(BlockId),
}

/// Values that are compared to find equal statements; beyond, every block is a statement of its
/// own.
const MAX_COMPARED: usize = 2_000_000;

/// Is the program small enough for its statements to be compared?
pub fn are_compared(program: &Program, blocks: usize) -> bool {
    let values = program.vars.len() + program.regions.len() + program.objects.len();
    values.saturating_mul(blocks) <= MAX_COMPARED
}

/// What the block does; without comparing, it is like no other.
pub fn statement(graph: &mut SolverGraph<'_>, block: BlockId, compare: bool) -> Statement {
    let (source, target) = (graph.block(block).source, graph.block(block).target.clone());
    let end = match target {
        Target::Place(target) if compare => end_at(graph, block, target),
        Target::Error(_) if compare => End::Error,
        _ => End::Own(block),
    };
    Statement {
        source: stack(graph.program(), &graph.place(source).calls),
        is_first: source == induction::graph::ROOT,
        path: graph.block(block).path.clone(),
        end,
    }
}

fn stack(program: &Program, calls: &[EdgeId]) -> Stack {
    let called = calls.iter().filter_map(|&call| callee(program, call));
    std::iter::once(program.entry).chain(called).collect()
}

fn end_at(graph: &mut SolverGraph<'_>, block: BlockId, target: PlaceId) -> End {
    let program = graph.program();
    let stack = stack(program, &graph.place(target).calls);
    let start = graph.start(target);
    let mut values = Vec::new();
    for (number, var) in program.vars.iter().enumerate() {
        if var
            .function
            .is_some_and(|function| !stack.contains(&function))
        {
            continue;
        }
        let var = VarId(number as u32);
        let encoder = &mut graph.unwinder.encoder;
        let name = start.value(program, &encoder.slots, &mut encoder.pool, var);
        let after = graph.at_end(block, |encoder, state| {
            Some(state.value(program, &encoder.slots, &mut encoder.pool, var))
        });
        values.extend(
            after
                .filter(|&after| after != name)
                .map(|after| (name, after)),
        );
    }
    for number in 0..program.regions.len() as u32 {
        let region = RegionId(number);
        let name = memory::contents(program, graph.pool(), &start, region);
        let after = graph.at_end(block, |encoder, state| {
            Some(memory::contents(program, &mut encoder.pool, state, region))
        });
        values.extend(
            after
                .filter(|&after| after != name)
                .map(|after| (name, after)),
        );
    }
    let mut bases = Vec::new();
    for number in 0..program.objects.len() as u32 {
        let object = ObjectId(number);
        let before = start.base(&graph.unwinder.encoder.slots, object);
        let after = graph.at_end(block, |encoder, state| state.base(&encoder.slots, object));
        if before != after {
            bases.push((object, after));
        }
    }
    End::Place {
        stack,
        values,
        bases,
    }
}

/// The edges of a block in their order, without the calls that were open before; `None` if there
/// are too many.
pub fn edges(graph: &SolverGraph<'_>, block: BlockId) -> Option<Vec<EdgeId>> {
    let edges = edges_of(graph, &[block])?;
    let open = &graph.place(graph.block(block).source).calls;
    let mut edges: Vec<EdgeId> = (edges.into_iter())
        .filter(|edge| !open.contains(edge))
        .collect();
    edges.sort_unstable();
    Some(edges)
}

/// The operations of a block as C, in the order of their edges; those of several ways stand side by
/// side.
pub fn text(graph: &SolverGraph<'_>, block: BlockId) -> String {
    let program = graph.program();
    let Some(edges) = edges(graph, block) else {
        return "…".into();
    };
    let texts = edges.into_iter().map(|edge| program.edge_op(edge));
    let texts = texts.map(|op| printing::export::operation_text(program, op));
    texts.collect::<Vec<_>>().join("; ")
}
