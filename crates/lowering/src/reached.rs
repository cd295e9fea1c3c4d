//! Which objects the code outside the program can reach: what is passed to it, what globals with
//! linkage are, and what those point to, however far. Flows of addresses along assignments, stores,
//! copies and calls, whatever their order.

use super::context::{Context, Shape};
use super::graph::Action;
use cfa::expr::{ExprId, Node, VarId};
use cfa::memory::ObjectId;
use cfa::op::Op;
use cfa::program::FuncId;
use cfa::value::Ty;
use rustc_hash::FxHashSet;

type Objects = FxHashSet<ObjectId>;

/// The objects that the given functions without a body, and whoever knows the given variables and
/// objects, can reach.
pub(super) fn reached(
    context: &Context,
    outside: &[FuncId],
    variables: &[VarId],
    roots: &[ObjectId],
) -> Objects {
    let mut flow = Flow {
        context,
        vars: vec![Objects::default(); context.vars.len()],
        contents: vec![Objects::default(); context.objects.len()],
        elsewhere: Objects::default(),
        changed: true,
    };
    while std::mem::take(&mut flow.changed) {
        let values = flow.values();
        for unit in &context.units {
            for edge in unit.graph.iter().flat_map(|graph| &graph.edges) {
                if let Action::Op(op) = &edge.action {
                    flow.operation(&values, op);
                }
            }
        }
    }
    let mut open: Vec<ObjectId> = roots.to_vec();
    for variable in variables {
        open.extend(&flow.vars[variable.0 as usize]);
    }
    for &function in outside {
        let unit = context.unit(function);
        let declared = unit.declared_params().iter().zip(&unit.signature.params);
        let records: FxHashSet<VarId> = declared
            .filter(|(_, (shape, _))| matches!(shape, Shape::Record { .. }))
            .map(|(&param, _)| param)
            .collect();
        for param in &unit.params {
            let passed = &flow.vars[param.0 as usize];
            match records.contains(param) {
                // A copy is passed: what lies in it is known, not where it is.
                true => open.extend(flow.read(passed)),
                false => open.extend(passed),
            }
        }
    }
    let values = flow.values();
    for &value in &context.passed_on {
        open.extend(&values[value.0 as usize]);
    }
    open.extend(&flow.elsewhere);
    let mut found = Objects::default();
    while let Some(object) = open.pop() {
        if found.insert(object) {
            open.extend(&flow.contents[object.0 as usize]);
        }
    }
    found
}

struct Flow<'a, 't> {
    context: &'a Context<'t>,
    /// Whose addresses a variable may hold.
    vars: Vec<Objects>,
    /// Whose addresses may lie in an object.
    contents: Vec<Objects>,
    /// Whose addresses may lie in memory that is no object of the program.
    elsewhere: Objects,
    changed: bool,
}

impl Flow<'_, '_> {
    /// Of each expression the objects whose addresses it may carry: those of its operands, except
    /// for truth values.
    fn values(&self) -> Vec<Objects> {
        let pool = &self.context.pool;
        let mut values: Vec<Objects> = Vec::with_capacity(pool.len());
        for number in 0..pool.len() as u32 {
            let id = ExprId(number);
            let node = pool.node(id);
            let mut found = Objects::default();
            match node {
                Node::Var(var) => found.extend(&self.vars[var.0 as usize]),
                Node::Address(object) => {
                    found.insert(object);
                }
                Node::Load { address, .. } => {
                    for object in &values[address.0 as usize] {
                        found.extend(&self.contents[object.0 as usize]);
                    }
                    found.extend(&self.elsewhere);
                }
                _ if pool.ty(id) == Ty::Bool => {}
                _ => {
                    for child in node.children() {
                        let inner = std::mem::take(&mut values[child.0 as usize]);
                        found.extend(&inner);
                        values[child.0 as usize] = inner;
                    }
                }
            }
            values.push(found);
        }
        values
    }

    fn add(changed: &mut bool, to: &mut Objects, from: &Objects) {
        let before = to.len();
        to.extend(from);
        *changed |= to.len() != before;
    }

    fn write(&mut self, targets: &Objects, what: &Objects) {
        if what.is_empty() {
            return;
        }
        if targets.is_empty() {
            Flow::add(&mut self.changed, &mut self.elsewhere, what);
        }
        for target in targets {
            let contents = &mut self.contents[target.0 as usize];
            Flow::add(&mut self.changed, contents, what);
        }
    }

    fn read(&self, sources: &Objects) -> Objects {
        let mut found = self.elsewhere.clone();
        for source in sources {
            found.extend(&self.contents[source.0 as usize]);
        }
        found
    }

    fn operation(&mut self, values: &[Objects], op: &Op) {
        let value = |expr: ExprId| &values[expr.0 as usize];
        match op {
            Op::Assign(var, from) => {
                let var = &mut self.vars[var.0 as usize];
                Flow::add(&mut self.changed, var, value(*from));
            }
            Op::Store {
                address, value: v, ..
            } => self.write(value(*address), value(*v)),
            Op::Copy { target, source, .. } => {
                let what = self.read(value(*source));
                self.write(value(*target), &what);
            }
            Op::Allocate { target, object, .. } | Op::Reallocate { target, object, .. } => {
                let new: Objects = std::iter::once(*object).collect();
                let var = &mut self.vars[target.0 as usize];
                Flow::add(&mut self.changed, var, &new);
                if let Op::Reallocate { address, .. } = op {
                    let what = self.read(value(*address));
                    self.write(&new, &what);
                }
            }
            Op::Call {
                function,
                args,
                result,
            } => {
                let unit = self.context.unit(*function);
                for (param, &arg) in unit.params.iter().zip(args) {
                    let param = &mut self.vars[param.0 as usize];
                    Flow::add(&mut self.changed, param, value(arg));
                }
                if let (Some(result), Some(given)) = (result, unit.result) {
                    let given = self.vars[given.0 as usize].clone();
                    let result = &mut self.vars[result.0 as usize];
                    Flow::add(&mut self.changed, result, &given);
                }
            }
            _ => {}
        }
    }
}
