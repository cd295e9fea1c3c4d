//! Whether what a proof says of states depends on the choice of addresses.

use super::Observer;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, VarId};
use cfa::op::Op;
use cfa::program::Program;
use rustc_hash::FxHashSet;

/// Of truth-valued expressions of another pool about states of the program: may it depend on the
/// choice of addresses whether they hold? A proof by induction gives objects other addresses in its
/// hypothesis than they have where executions begin, so such an expression must not be part of it.
#[must_use]
pub fn observing_claims(program: &Program, pool: &ExprPool, claims: &[ExprId]) -> Vec<bool> {
    let mut program = program.clone();
    let own = program.pool.len();
    let bases = bases_of_offsets(&program.pool);
    let claims: Vec<ExprId> = claims
        .iter()
        .map(|&claim| program.pool.import(pool, claim))
        .collect();
    // The other pool's word for what is a distance within an object is not believed.
    for number in own..program.pool.len() {
        let id = ExprId(number as u32);
        let is_known = matches!(program.pool.node(id), Node::Binary(BinOp::Sub, _, base) if bases.contains(&base));
        if !is_known {
            program.pool.unmark_object_offset(id);
        }
    }
    let starts = starts_of_objects(&program);
    // One that is compared with another distance may tell how far two objects lie apart.
    let offsets = claims
        .iter()
        .map(|&claim| offsets(&program.pool, &starts, claim));
    let offsets: Vec<FxHashSet<ExprId>> = offsets.collect();
    let alone = |offset: &ExprId| {
        let mut all = offsets.iter().filter(|found| found.contains(offset));
        offset.0 as usize >= own && all.all(|found| found.len() == 1)
    };
    let marked: Vec<ExprId> = offsets.iter().flatten().copied().filter(alone).collect();
    for offset in marked {
        program.pool.mark_object_offset(offset);
    }
    let observer = Observer::of(&program);
    claims
        .iter()
        .map(|&claim| {
            observer.found[claim.0 as usize].is_some()
                || observer.relates(claim)
                || tells_distance(&program.pool, claim)
        })
        .collect()
}

/// What the program itself takes distances within objects from.
fn bases_of_offsets(pool: &ExprPool) -> FxHashSet<ExprId> {
    let offsets = (0..pool.len() as u32).map(ExprId);
    offsets
        .filter(|&id| pool.is_object_offset(id))
        .filter_map(|id| match pool.node(id) {
            Node::Binary(BinOp::Sub, _, base) => Some(base),
            _ => None,
        })
        .collect()
}

/// Variables that hold the start of an object of a program that watches its memory: nothing but
/// allocations writes them.
fn starts_of_objects(program: &Program) -> FxHashSet<VarId> {
    let mut starts = FxHashSet::default();
    if !program.pool.has_object_offsets() {
        return starts;
    }
    let ops = || program.edges.iter().map(|edge| program.op(edge.op));
    starts.extend(ops().filter_map(|op| match op {
        Op::Allocate { target, .. } => Some(*target),
        _ => None,
    }));
    for op in ops().filter(|op| !matches!(op, Op::Allocate { .. })) {
        if let Some(var) = op.written_variable() {
            starts.remove(&var);
        }
    }
    for function in &program.functions {
        for var in function.params.iter().chain(&function.result) {
            starts.remove(var);
        }
    }
    starts
}

/// The distances from the starts of objects that a claim speaks of.
fn offsets(pool: &ExprPool, starts: &FxHashSet<VarId>, claim: ExprId) -> FxHashSet<ExprId> {
    let mut found = FxHashSet::default();
    let mut open = vec![claim];
    let mut seen = FxHashSet::default();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = pool.node(id);
        let is_offset = match node {
            Node::Binary(BinOp::Sub, _, b) => {
                matches!(pool.node(b), Node::Var(var) if starts.contains(&var))
            }
            _ => false,
        };
        if is_offset || pool.is_object_offset(id) {
            found.insert(id);
        }
        open.extend(node.children());
    }
    found
}

/// Distances from the start of an object that no two objects have: formulas place those of a
/// program that watches its memory farther apart.
const NO_DISTANCE: u128 = 1 << 16;

/// Whether a claim compares the distance of a pointer from the start of an object with what may be
/// the distance of two objects.
fn tells_distance(pool: &ExprPool, claim: ExprId) -> bool {
    let (mut is_about_offsets, mut is_far) = (false, false);
    let mut open = vec![claim];
    let mut seen = FxHashSet::default();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        is_about_offsets |= pool.is_object_offset(id);
        let node = pool.node(id);
        if let Node::Const(bits) = node {
            let width = u32::from(pool.ty(id).width());
            let negated = arith::int::truncate(bits.wrapping_neg(), width);
            is_far |= bits.min(negated) >= NO_DISTANCE;
        }
        open.extend(node.children());
    }
    is_about_offsets && is_far
}
