//! Values that are computed from observations of addresses.
//!
//! A pointer that such a number moves may leave its object for another one, and where it arrives
//! there depends on the placement.

use super::observed::{Observation, Observer};
use super::shape::NodeId;
use super::tested::When;
use cfa::expr::{ExprId, Node};
use cfa::op::Op;
use cfa::program::{Binding, EdgeId};
use cfa::value::Ty;
use rustc_hash::FxHashSet;

impl Observer<'_> {
    /// Follows the values of observations along assignments, stores, copies and calls.
    pub(super) fn find_derived(&mut self) {
        let program = self.program;
        let mut vars = vec![false; program.vars.len()];
        let mut cells: FxHashSet<(NodeId, i64)> = FxHashSet::default();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for number in 0..program.pool.len() {
                let node = program.pool.node(ExprId(number as u32));
                // The outcome of a condition is either one anyway.
                self.derived[number] = program.pool.ty(ExprId(number as u32)) != Ty::Bool
                    && match node {
                        Node::Var(var) => vars[var.0 as usize],
                        Node::Load { address, .. } => {
                            let at = self.points_to.address(address);
                            let cell = self.points_to.shapes.cell_at(at);
                            cell.is_some_and(|cell| cells.contains(&cell))
                        }
                        // Distances from null are looked for where they are taken.
                        _ => {
                            self.observation(ExprId(number as u32), node).is_some()
                                && self.distance_unless_null(node).is_none()
                                || node.children().any(|child| self.derived[child.0 as usize])
                        }
                    };
            }
            let from_null = self.distances_from_null();
            let derived = &self.derived;
            let points_to = &mut self.points_to;
            for (number, edge) in program.edges.iter().enumerate() {
                let is_derived =
                    |expr: ExprId| derived[expr.0 as usize] || from_null.contains(&(number, expr));
                match program.op(edge.op) {
                    Op::Assign(var, value) => {
                        changed |= is_derived(*value) && !vars[var.0 as usize];
                        vars[var.0 as usize] |= is_derived(*value);
                    }
                    Op::Store { address, value, .. } if is_derived(*value) => {
                        let at = points_to.address(*address);
                        let cell = points_to.shapes.cell_at(at);
                        changed |= cell.is_some_and(|cell| cells.insert(cell));
                    }
                    Op::Copy { target, source, .. } => {
                        let (to, from) = (points_to.address(*target), points_to.address(*source));
                        if cells.iter().any(|cell| cell.0 == from.node) {
                            let starts = points_to.shapes.node(to.node).cells.keys();
                            for &start in starts {
                                changed |= cells.insert((to.node, start));
                            }
                        }
                    }
                    op @ Op::Call { .. } => {
                        for (var, binding) in program.bindings(op) {
                            let is_passed = match binding {
                                Binding::Argument(arg) => is_derived(arg),
                                Binding::Result(from) => vars[from.0 as usize],
                            };
                            changed |= is_passed && !vars[var.0 as usize];
                            vars[var.0 as usize] |= is_passed;
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// The operands, with their edges, in which there may be a distance from null and which observe
    /// nothing else.
    fn distances_from_null(&self) -> FxHashSet<(usize, ExprId)> {
        let mut found = FxHashSet::default();
        for (number, edge) in self.program.edges.iter().enumerate() {
            for expr in self.program.op(edge.op).expressions() {
                if self.found[expr.0 as usize] == Some(Observation::Distance)
                    && let When::Null(_) = self.observed_at(EdgeId(number as u32), expr)
                {
                    found.insert((number, expr));
                }
            }
        }
        found
    }
}
