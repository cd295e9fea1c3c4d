//! Which variables and objects each activation of a function has for itself.
//!
//! A local variable belongs to its function's activations as long as only that function mentions
//! it. What several functions mention (passes may move code between them) exists once, as globals
//! do.

use crate::expr::Node;
use crate::memory::ObjectKind;
use crate::op::Op;
use crate::program::{FuncId, Program};

pub struct Owners {
    /// The function whose activations have the variable; `None` if there is one for all.
    pub vars: Vec<Option<FuncId>>,
    pub objects: Vec<Option<FuncId>>,
}

impl Owners {
    pub fn of(program: &Program) -> Owners {
        let (vars, objects) = users(program);
        let vars = program.vars.iter().zip(vars).map(|(var, users)| {
            var.function
                .filter(|&owner| users == Users::None || users == Users::One(owner))
        });
        let objects = program.objects.iter().zip(objects);
        let objects = objects.map(|(object, users)| match (object.kind, users) {
            (ObjectKind::Local(_) | ObjectKind::StackAllocation(_), Users::One(user)) => Some(user),
            _ => None,
        });
        Owners {
            vars: vars.collect(),
            objects: objects.collect(),
        }
    }
}

/// Which functions mention something: none, one, or several.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Users {
    None,
    One(FuncId),
    Several,
}

impl Users {
    fn add(&mut self, function: FuncId) {
        *self = match *self {
            Users::None => Users::One(function),
            Users::One(known) if known == function => *self,
            _ => Users::Several,
        };
    }
}

/// Who mentions which variable and object. (That a call assigns the callee's parameters is no
/// mention.)
fn users(program: &Program) -> (Vec<Users>, Vec<Users>) {
    let mut vars = vec![Users::None; program.vars.len()];
    let mut objects = vec![Users::None; program.objects.len()];
    // Expressions are shared between operations: look at each once for each function in a row.
    let mut seen: Vec<Option<FuncId>> = vec![None; program.pool.len()];
    let mut stack = Vec::new();
    for edge in &program.edges {
        let function = program.location(edge.source).function;
        let op = program.op(edge.op);
        stack.extend(op.expressions());
        while let Some(id) = stack.pop() {
            if seen[id.0 as usize] == Some(function) {
                continue;
            }
            seen[id.0 as usize] = Some(function);
            let node = program.pool.node(id);
            match node {
                Node::Var(var) => vars[var.0 as usize].add(function),
                Node::Address(object) => objects[object.0 as usize].add(function),
                _ => stack.extend(node.children()),
            }
        }
        if let Some(var) = op.written_variable() {
            vars[var.0 as usize].add(function);
        }
        if let Op::Begin { object, .. }
        | Op::End(object)
        | Op::Allocate { object, .. }
        | Op::Reallocate { object, .. } = op
        {
            objects[object.0 as usize].add(function);
        }
    }
    (vars, objects)
}
