//! Values told apart only as far as the program tells them apart.
//!
//! A program that reacts to inputs compares its variables with constants all the time and computes new values from old
//! ones. Analyses that keep states apart follow every value then, although what the program does next depends only on
//! which side of each constant a value lies. So wherever a loop begins again, the bounds of a variable are moved outwards
//! to the nearest constants that it is compared with: there are finitely many states, and usually few.
//!
//! A variable that is compared with nothing may have any value, and a local variable that is not read any more is
//! forgotten.

use super::translate::{dimension, number};
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::live::Live;
use cfa::program::{FuncId, LocId, Program};
use domains::interval::Interval;
use domains::numeric::NumericDomain;
use rustc_hash::FxHashSet;
use std::rc::Rc;

pub struct Classes<'p> {
    program: &'p Program,
    /// For each variable the values at which a class begins, ascending.
    begins: Vec<Vec<i128>>,
    globals: Vec<VarId>,
    locals: Vec<Vec<VarId>>,
    live: Vec<Option<Rc<Live>>>,
}

impl<'p> Classes<'p> {
    pub fn new(program: &'p Program) -> Classes<'p> {
        let mut locals = vec![Vec::new(); program.functions.len()];
        let mut globals = Vec::new();
        for (number, var) in program.vars.iter().enumerate() {
            let id = VarId(number as u32);
            match var.function {
                _ if !var.ty.is_int() => {}
                Some(function) => locals[function.0 as usize].push(id),
                None => globals.push(id),
            }
        }
        Classes {
            program,
            begins: begins(program),
            globals,
            locals,
            live: vec![None; program.functions.len()],
        }
    }

    /// Moves the bounds of a state at a location outwards.
    pub fn widen<D: NumericDomain>(&mut self, state: &mut D, location: LocId) {
        let function = self.program.location(location).function;
        let live = self.live(function);
        for number in 0..self.globals.len() {
            self.widen_variable(state, self.globals[number]);
        }
        for number in 0..self.locals[function.0 as usize].len() {
            let var = self.locals[function.0 as usize][number];
            if live.is_live(location, var) {
                self.widen_variable(state, var);
            } else {
                state.forget(dimension(var));
            }
        }
    }

    fn live(&mut self, function: FuncId) -> Rc<Live> {
        let program = self.program;
        self.live[function.0 as usize]
            .get_or_insert_with(|| Rc::new(Live::of(program, function)))
            .clone()
    }

    fn widen_variable<D: NumericDomain>(&self, state: &mut D, var: VarId) {
        let before = state.interval(dimension(var));
        let after = class_of(&self.begins[var.0 as usize], before);
        if after != before {
            state.forget(dimension(var));
            state.assume_interval(dimension(var), after);
        }
    }
}

/// The smallest interval of whole classes around an interval.
fn class_of(begins: &[i128], values: Interval) -> Interval {
    let lower = values.lower().and_then(|lower| {
        let after = begins.partition_point(|&begin| begin <= lower);
        after.checked_sub(1).map(|at| begins[at])
    });
    let upper = values.upper().and_then(|upper| {
        let after = begins.partition_point(|&begin| begin <= upper);
        begins.get(after).map(|&begin| begin - 1)
    });
    Interval::new(lower, upper)
}

/// Where the classes of each variable begin.
fn begins(program: &Program) -> Vec<Vec<i128>> {
    let pool = &program.pool;
    let mut begins = vec![Vec::new(); program.vars.len()];
    let mut seen = FxHashSet::default();
    let mut open: Vec<ExprId> = Vec::new();
    for edge in &program.edges {
        open.extend(program.op(edge.op).expressions());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = pool.node(id);
            if let Node::Binary(op, a, b) = node
                && op.is_comparison()
            {
                note_comparison(pool, op, a, b, &mut begins);
            }
            open.extend(node.children());
        }
    }
    for values in &mut begins {
        values.sort_unstable();
        values.dedup();
    }
    begins
}

fn note_comparison(
    pool: &ExprPool,
    op: BinOp,
    left: ExprId,
    right: ExprId,
    begins: &mut [Vec<i128>],
) {
    let constant = |id: ExprId| match pool.node(id) {
        Node::Const(bits) => number(bits, pool.ty(id)),
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
        _ => return,
    };
    let after = value.saturating_add(1);
    let found = &mut begins[var.0 as usize];
    match (op, var_is_left) {
        (BinOp::Lt, true) | (BinOp::Le, false) => found.push(value),
        (BinOp::Le, true) | (BinOp::Lt, false) => found.push(after),
        _ => found.extend([value, after]),
    }
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
    use crate::testing::program;

    #[test]
    fn classes_begin_at_constants_of_comparisons() {
        let program = program(
            "int x, y, z; int main(void) { if (x <= 140) z = 1; if (y == 3 || 7 < y) z = 2; return z + x; }",
        );
        let begins = begins(&program);
        let of = |name: &str| {
            let number = program.vars.iter().position(|var| var.name == name);
            begins[number.expect("a variable")].clone()
        };
        assert_eq!(of("x"), [141]);
        assert_eq!(of("y"), [3, 4, 8]);
        assert!(of("z").is_empty());
    }

    #[test]
    fn bounds_move_outwards_to_whole_classes() {
        let range = |low, high| Interval::new(Some(low), Some(high));
        let begins = [3, 4, 8];
        assert_eq!(class_of(&begins, range(3, 3)), range(3, 3));
        assert_eq!(class_of(&begins, range(3, 5)), range(3, 7));
        assert_eq!(class_of(&begins, range(0, 2)), Interval::new(None, Some(2)));
        assert_eq!(class_of(&begins, range(5, 9)), Interval::new(Some(4), None));
        assert_eq!(class_of(&[], range(5, 9)), Interval::new(None, None));
    }
}
