//! Blocks from abstract states that say what some variables are.
//!
//! Where a variable controls the program, abstract states give it one value each (see
//! [`super::families`]), and of a block that is the whole body of a loop only one case can be
//! taken. So the values are put into the block's formulas before anything is asked about them: most
//! of it folds away, abstractions and interpolants look at what is left, and a path is the path
//! through these states only.

use super::abstraction::Abstractions;
use super::predicates::{PredicateId, Predicates};
use induction::graph::{BlockId, PlaceId};
use induction::solver_graph::SolverGraph;
use induction::special::Point;
use logic::Op;
use logic::bdd::Bdd;

/// Blocks are not told apart any further when there are so many.
const MOST: usize = 4000;

/// What every state of the abstract state agrees on.
fn point(
    graph: &mut SolverGraph<'_>,
    predicates: &mut Predicates,
    abstractions: &mut Abstractions,
    place: PlaceId,
    psi: Bdd,
) -> Point {
    let mut point = Point::new();
    for variable in abstractions.bdds.support(psi) {
        let holds = abstractions.bdds.variable(variable);
        if !abstractions.bdds.implies(psi, holds) {
            continue;
        }
        let atom = predicates.expression(PredicateId(variable));
        let Some(term) = predicates.start_term(graph, place, atom) else {
            continue;
        };
        let pool = graph.pool();
        if pool.op(term) != Op::Eq {
            continue;
        }
        let (a, b) = (pool.args(term)[0], pool.args(term)[1]);
        match (pool.is_const(a), pool.is_const(b)) {
            (false, true) => point.push((a, b)),
            (true, false) => point.push((b, a)),
            _ => {}
        }
    }
    point.sort_unstable();
    // Of a formula with two values there is no state; either is as good.
    point.dedup_by_key(|&mut (term, _)| term);
    point
}

/// The block as it is from the abstract state.
pub fn from_state(
    graph: &mut SolverGraph<'_>,
    predicates: &mut Predicates,
    abstractions: &mut Abstractions,
    block: BlockId,
    psi: Bdd,
) -> BlockId {
    if graph.block_count() >= MOST {
        return block;
    }
    let place = graph.block(block).source;
    let point = point(graph, predicates, abstractions, place, psi);
    graph.specialised(block, point)
}
