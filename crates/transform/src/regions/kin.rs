//! Which pointers of a function were moved from the same parameter: they are addresses of one
//! object, whichever that is in a call.
//!
//! `void fill(char *p, size_t n) { char *end = p + n; while (p < end) *p++ = 7; }` is called for
//! several objects, so `p` and `end` may be addresses of each of them; but both come from what `p`
//! was when the function was entered. Assignments are followed within a function, whatever their
//! order: what may come from anywhere else (memory, other calls) has no such origin.

use super::carried::Carried;
use cfa::expr::{BinOp, ExprId, Node, UnOp, VarId};
use cfa::op::Op;
use cfa::program::{Program, VariableKind};
use cfa::value::Ty;

/// Where an address was moved from.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Root {
    /// Nothing was assigned yet.
    #[default]
    Nothing,
    /// The value of a parameter when its function was entered.
    Parameter(VarId),
    Unknown,
}

impl Root {
    fn or(self, other: Root) -> Root {
        match (self, other) {
            (Root::Nothing, root) | (root, Root::Nothing) => root,
            (a, b) if a == b => a,
            _ => Root::Unknown,
        }
    }
}

pub(super) struct Kin {
    of_expressions: Vec<Root>,
}

impl Kin {
    pub fn of(program: &Program, carried: &Carried) -> Kin {
        let mut vars: Vec<Root> = program.vars.iter().map(|_| Root::Nothing).collect();
        for (number, var) in program.vars.iter().enumerate() {
            let is_local = matches!(
                var.kind,
                VariableKind::Local | VariableKind::Param | VariableKind::Temporary
            );
            if var.function.is_none() || !is_local {
                vars[number] = Root::Unknown;
            }
        }
        for function in &program.functions {
            for &param in &function.params {
                let root = &mut vars[param.0 as usize];
                *root = root.or(Root::Parameter(param));
            }
        }
        let mut of_expressions = vec![Root::Nothing; program.pool.len()];
        loop {
            for number in 0..program.pool.len() {
                let id = ExprId(number as u32);
                of_expressions[number] = root(program, carried, id, &vars, &of_expressions);
            }
            let before = vars.clone();
            for edge in &program.edges {
                let op = program.op(edge.op);
                if let Op::Assign(var, value) = op {
                    let known = &mut vars[var.0 as usize];
                    *known = known.or(of_expressions[value.0 as usize]);
                } else if let Op::Call { result, .. } = op {
                    // Arguments are what parameters are when the function is entered.
                    if let Some(var) = result {
                        vars[var.0 as usize] = Root::Unknown;
                    }
                } else if let Some(var) = op.written_variable() {
                    vars[var.0 as usize] = Root::Unknown;
                }
            }
            if vars == before {
                return Kin { of_expressions };
            }
        }
    }

    /// Both were moved from the same address.
    pub fn are_kin(&self, a: ExprId, b: ExprId) -> bool {
        let root = self.of_expressions[a.0 as usize];
        matches!(root, Root::Parameter(_)) && root == self.of_expressions[b.0 as usize]
    }
}

fn root(program: &Program, carried: &Carried, id: ExprId, vars: &[Root], known: &[Root]) -> Root {
    let pool = &program.pool;
    let is_address = |expr: ExprId| carried.value(expr).address;
    let known = |expr: ExprId| known[expr.0 as usize];
    let is_whole = |ty: Ty| ty.is_int() && ty.width() == program.model.pointer_bits();
    match pool.node(id) {
        Node::Var(var) => vars[var.0 as usize],
        Node::Binary(BinOp::Add | BinOp::Sub, a, b) if is_address(a) && !is_address(b) => known(a),
        Node::Binary(BinOp::Add, a, b) if is_address(b) && !is_address(a) => known(b),
        Node::Unary(UnOp::Convert(_) | UnOp::Reinterpret(_), a)
            if is_whole(pool.ty(id)) && is_whole(pool.ty(a)) =>
        {
            known(a)
        }
        Node::Ite(_, a, b) => known(a).or(known(b)),
        _ => Root::Unknown,
    }
}
