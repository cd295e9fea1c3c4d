//! Atoms that say where an object lies.
//!
//! Formulas give every object an address, so bounds of pointers by numbers hold in them and may
//! even be inductive. They mean nothing: another form of the program has its objects elsewhere, and
//! there a proof with them is none.

use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::op::Op;
use cfa::program::Program;
use rustc_hash::FxHashSet;

/// The variables that hold addresses: those declared as pointers, and those that allocations
/// assign.
pub struct Pointers(FxHashSet<VarId>);

impl Pointers {
    pub fn of(program: &Program) -> Pointers {
        let declared = (0..program.vars.len() as u32).map(VarId).filter(|&var| {
            let declared = program.var(var).c_type;
            declared.is_some_and(|ty| program.types.is_pointer(ty))
        });
        let allocated = program
            .edges
            .iter()
            .filter_map(|edge| match program.op(edge.op) {
                Op::Allocate { target, .. } | Op::Reallocate { target, .. } => Some(*target),
                _ => None,
            });
        Pointers(declared.chain(allocated).collect())
    }

    /// Does the atom compare an address with a number? (With null one may.)
    pub fn places_an_object(&self, exprs: &ExprPool, atom: ExprId) -> bool {
        let atom = match exprs.node(atom) {
            Node::Unary(UnOp::Not, inner) => inner,
            _ => atom,
        };
        let Node::Binary(op, a, b) = exprs.node(atom) else {
            return false;
        };
        if !op.is_comparison() {
            return false;
        }
        let (address, other) = match (self.is_address(exprs, a), self.is_address(exprs, b)) {
            (true, false) => (a, b),
            (false, true) => (b, a),
            _ => return false,
        };
        let is_null = exprs.as_constant(other) == Some(0)
            && matches!(op, BinOp::Eq | BinOp::Ne)
            && matches!(exprs.node(address), Node::Var(_));
        !is_null
    }

    /// Is the value made of one pointer? Differences of pointers are numbers, and what lies at an
    /// address is none.
    fn is_address(&self, exprs: &ExprPool, value: ExprId) -> bool {
        let (mut open, mut count) = (vec![value], 0);
        while let Some(id) = open.pop() {
            match exprs.node(id) {
                Node::Load { .. } => {}
                Node::Var(var) => count += usize::from(self.0.contains(&var)),
                Node::Address(_) => count += 1,
                node => open.extend(node.children()),
            }
        }
        count == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::program;

    #[test]
    fn pointers_are_compared_with_pointers_and_null() {
        let program = program(
            "int main(void) { int *p = __VERIFIER_nondet_pointer(), *q = p; int n = *p; if (p == q) n++; return n; }",
        );
        let pointers = Pointers::of(&program);
        let mut exprs = program.pool.clone();
        let var = |name: &str| {
            let position = program.vars.iter().position(|var| var.name == name);
            VarId(position.expect("declared") as u32)
        };
        let (p, q, n) = (var("p"), var("q"), var("n"));
        let ty = program.var(p).ty;
        let (p, q) = (exprs.variable(p, ty), exprs.variable(q, ty));
        let n = exprs.variable(n, program.var(n).ty);
        let n = exprs.convert(n, ty);
        let (zero, number) = (exprs.zero(ty), exprs.constant(4096, ty));
        let next = exprs.add(q, number);
        for (atom, expected) in [
            (exprs.eq(p, q), false),
            (exprs.eq(p, zero), false),
            (exprs.le(p, next), false),
            (exprs.le(number, p), true),
            (exprs.le(p, n), true),
            (exprs.le(number, n), false),
        ] {
            assert_eq!(
                pointers.places_an_object(&exprs, atom),
                expected,
                "{atom:?}"
            );
        }
    }
}
