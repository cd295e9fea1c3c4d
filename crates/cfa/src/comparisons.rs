//! Which constants the program compares each variable with: they divide its values into classes
//! that comparisons do not tell apart.

use crate::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use crate::program::Program;
use rustc_hash::FxHashSet;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparisons {
    /// For each variable the values at which a class begins, ascending.
    begins: Vec<Vec<i128>>,
    /// Variables that are read in comparisons with constants only.
    only_compared: Vec<bool>,
}

impl Comparisons {
    pub fn of(program: &Program) -> Comparisons {
        let (begins, only_compared) = comparisons(program);
        Comparisons {
            begins,
            only_compared,
        }
    }

    /// Whether the variable is read in comparisons with constants only: what it is beyond its class
    /// never matters.
    pub fn is_only_compared(&self, var: VarId) -> bool {
        self.only_compared[var.0 as usize]
    }

    /// From now on a class of the variable begins at the value; whether none did before.
    pub fn begin_class(&mut self, var: VarId, value: i128) -> bool {
        let begins = &mut self.begins[var.0 as usize];
        let found = begins.binary_search(&value);
        if let Err(position) = found {
            begins.insert(position, value);
        }
        found.is_err()
    }

    /// The smallest interval of whole classes around the values from `lower` to `upper`; `None` is
    /// no bound.
    pub fn classes_around(
        &self,
        var: VarId,
        lower: Option<i128>,
        upper: Option<i128>,
    ) -> (Option<i128>, Option<i128>) {
        around(&self.begins[var.0 as usize], lower, upper)
    }
}

fn around(
    begins: &[i128],
    lower: Option<i128>,
    upper: Option<i128>,
) -> (Option<i128>, Option<i128>) {
    let lower = lower.and_then(|lower| {
        let after = begins.partition_point(|&begin| begin <= lower);
        after.checked_sub(1).map(|at| begins[at])
    });
    let upper = upper.and_then(|upper| {
        let after = begins.partition_point(|&begin| begin <= upper);
        begins.get(after).map(|&begin| begin - 1)
    });
    (lower, upper)
}

/// Where the classes of each variable begin, and whether it is read in comparisons with constants
/// only.
fn comparisons(program: &Program) -> (Vec<Vec<i128>>, Vec<bool>) {
    let pool = &program.pool;
    let mut begins = vec![Vec::new(); program.vars.len()];
    let mut only_compared = vec![true; program.vars.len()];
    for function in &program.functions {
        if let Some(result) = function.result {
            only_compared[result.0 as usize] = false;
        }
    }
    let mut seen = FxHashSet::default();
    let mut open: Vec<ExprId> = Vec::new();
    for edge in &program.edges {
        open.extend(program.op(edge.op).expressions());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match pool.node(id) {
                Node::Binary(op, a, b)
                    if op.is_comparison() && note_comparison(pool, op, a, b, &mut begins) => {}
                Node::Var(var) => only_compared[var.0 as usize] = false,
                node => open.extend(node.children()),
            }
        }
    }
    for values in &mut begins {
        values.sort_unstable();
        values.dedup();
    }
    (begins, only_compared)
}

/// Whether it was a comparison of a variable with a constant.
fn note_comparison(
    pool: &ExprPool,
    op: BinOp,
    left: ExprId,
    right: ExprId,
    begins: &mut [Vec<i128>],
) -> bool {
    let constant = |id: ExprId| match pool.node(id) {
        Node::Const(bits) => pool.ty(id).number(bits),
        _ => None,
    };
    let (var, value, var_is_left) = match (
        converted_variable(pool, left),
        constant(left),
        converted_variable(pool, right),
        constant(right),
    ) {
        (Some(var), _, _, Some(value)) => (var, value, true),
        (_, Some(value), Some(var), _) => (var, value, false),
        _ => return false,
    };
    let after = value.saturating_add(1);
    let found = &mut begins[var.0 as usize];
    match (op, var_is_left) {
        (BinOp::Lt, true) | (BinOp::Le, false) => found.push(value),
        (BinOp::Le, true) | (BinOp::Lt, false) => found.push(after),
        _ => found.extend([value, after]),
    }
    true
}

/// The variable that an expression converts to other types, if it does nothing else.
fn converted_variable(pool: &ExprPool, mut id: ExprId) -> Option<VarId> {
    loop {
        match pool.node(id) {
            Node::Var(var) => return Some(var),
            Node::Unary(UnOp::Convert(_), inner) => id = inner,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_move_outwards_to_whole_classes() {
        let begins = [3, 4, 8];
        let of = |low, high| around(&begins, Some(low), Some(high));
        assert_eq!(of(3, 3), (Some(3), Some(3)));
        assert_eq!(of(3, 5), (Some(3), Some(7)));
        assert_eq!(of(0, 2), (None, Some(2)));
        assert_eq!(of(5, 9), (Some(4), None));
        assert_eq!(around(&[], Some(5), Some(9)), (None, None));
        assert_eq!(around(&begins, None, Some(5)), (None, Some(7)));
    }
}
