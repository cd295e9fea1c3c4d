//! The nodes of a place as cases, told apart by what they say of single variables.
//!
//! A value analysis annotates a loop with hundreds of states, each of which says what the variables
//! are, or between which constants they lie. Asked about all of them at once, a solver has to find
//! the cases again that the annotation lists. So a block is followed once for each case, from a
//! state that has the values: most of it folds away. (If cases are all that an annotation says,
//! [`crate::boxes`] needs no solver.)

use crate::names::Relation;
use crate::ranges::Range;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, VarId};
use encoding::blocks::Blocks;
use encoding::state::State;
use facts::certificate::AnnotatedNode;
use std::collections::BTreeMap;

/// Integer variables with their ranges, ascending.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Case(pub Vec<(VarId, Range)>);

/// A node with what it says of single variables.
pub(crate) struct NodeOfCase<'g> {
    pub node: &'g AnnotatedNode,
    pub case: Case,
    /// What it says of two variables.
    pub relations: Vec<Relation>,
    /// The node says nothing else.
    pub is_box: bool,
}

impl<'g> NodeOfCase<'g> {
    pub fn new(pool: &ExprPool, node: &'g AnnotatedNode) -> NodeOfCase<'g> {
        let mut known: BTreeMap<VarId, Range> = BTreeMap::new();
        let mut relations = Vec::new();
        let mut is_box = true;
        let mut open = vec![node.invariant];
        while let Some(id) = open.pop() {
            if let Node::Binary(BinOp::BoolAnd, a, b) = pool.node(id) {
                open.extend([a, b]);
            } else if let Some((var, range)) = compared(pool, id) {
                let before = *known.entry(var).or_insert(range);
                // Contradictions are left to the solver.
                match before.meet(range) {
                    Some(both) => known.insert(var, both),
                    None => {
                        is_box = false;
                        None
                    }
                };
            } else if let Some(relation) = Relation::of(pool, id) {
                relations.push(relation);
            } else if pool.as_bool(id) != Some(true) {
                is_box = false;
            }
        }
        NodeOfCase {
            node,
            case: Case(known.into_iter().collect()),
            relations,
            is_box,
        }
    }
}

impl Case {
    /// Can the case not be that of the state, because a variable has another value there?
    pub fn is_contradicted(&self, blocks: &mut Blocks<'_>, state: &State) -> bool {
        let encoder = blocks.encoder();
        self.0.iter().any(|&(var, range)| {
            let value = state.assigned(&encoder.slots, var);
            value
                .and_then(|value| encoder.pool.as_u128(value))
                .and_then(|bits| Range::of_bits(encoder.program.var(var).ty, bits))
                .is_some_and(|value| !range.contains(value))
        })
    }

    /// Gives the variables of an arbitrary state their values. The nodes of the case must still be
    /// assumed.
    pub fn fix(&self, blocks: &mut Blocks<'_>, state: &mut State) {
        let encoder = blocks.encoder();
        for &(var, range) in &self.0 {
            let ty = encoder.program.var(var).ty;
            if let Some(bits) = range.bits(ty) {
                let value = encoder.pool.bv(u32::from(ty.width()), bits);
                state.set(&encoder.slots, var, value);
            }
        }
    }

    /// The variables that have one value.
    fn values(&self) -> Vec<(VarId, Range)> {
        let known = self.0.iter().filter(|(_, range)| range.is_single());
        known.copied().collect()
    }
}

/// The nodes that give the same variables the same values belong together; in the order of the
/// first of each.
pub(crate) fn cases<'a, 'g>(nodes: &[&'a NodeOfCase<'g>]) -> Vec<Vec<&'a NodeOfCase<'g>>> {
    let mut number: BTreeMap<Vec<(VarId, Range)>, usize> = BTreeMap::new();
    let mut cases: Vec<Vec<&NodeOfCase<'_>>> = Vec::new();
    for &node in nodes {
        let at = *number.entry(node.case.values()).or_insert(cases.len());
        if at == cases.len() {
            cases.push(Vec::new());
        }
        cases[at].push(node);
    }
    cases
}

/// An integer variable compared with a constant: the values that it has where the comparison holds.
/// (Of floats equality says less than the bits.)
fn compared(pool: &ExprPool, comparison: ExprId) -> Option<(VarId, Range)> {
    let (op, var, bits, var_is_left) = pool.variable_against_constant(comparison)?;
    let ty = pool.ty(pool.node(comparison).children().next()?);
    if !ty.is_int() {
        return None;
    }
    let Range { low, high } = Range::all(ty)?;
    let value = Range::of_bits(ty, bits)?.low;
    let (low, high) = match (op, var_is_left) {
        (BinOp::Eq, _) => (value, value),
        (BinOp::Le, true) => (low, value),
        (BinOp::Lt, true) => (low, value - 1),
        (BinOp::Le, false) => (value, high),
        (BinOp::Lt, false) => (value + 1, high),
        _ => return None,
    };
    (low <= high).then_some((var, Range { low, high }))
}
