//! Which functions a call through a pointer cannot reach.
//!
//! Lowering makes such a call a choice over every function whose address the program takes, with
//! one condition `pointer == &function` for each; where the types do not fit, the choice ends in
//! something unsupported. A pointer that only ever gets the addresses of other functions cannot
//! satisfy its condition, whatever the input is.
//!
//! Claim: in every execution of the split program, a value is one of these: the address of a
//! function in its set; null or near it; an address in an object; or a number, and then it is
//! marked as one. Reasons, by induction over the execution:
//! - Copies (assignments, parameters, results, choices, conversions that keep all bits) keep the
//!   value, and the set and the mark with it.
//! - Every other operation gives a number.
//! - A region gives back what was stored or copied to it: the union of all of that. Where its cells
//!   are not as wide as a pointer, bytes of several values may meet: what is read there may be a
//!   number, too.
//! - Inputs are numbers, also those that are declared as pointers, and so is memory without a
//!   value.
//!
//! A number is the address of a function only if that function is *exposed*: if the program
//! computes with its address, compares it with a number, prints it, reads it in parts or hands it
//! to a function outside that writes to memory. (That a number is an address by chance, and that a
//! pointer from outside is one of the program's own, is assumed not to happen, here as for
//! objects.) The conditions of the choice itself expose nothing: whether one of them holds is what
//! is asked.
//!
//! So if the function is not in the set of the value, and the value is no number or the function is
//! not exposed, the condition is false: functions lie neither near null nor in objects.
//!
//! The split of memory is taken as given: [`crate::check_split`] checks it before a proof counts.

mod exposed;

use crate::split::sources::{At, SetId, Sets};
use cfa::expr::{BinOp, ExprId, Node, UnOp, VarId};
use cfa::memory::{ObjectId, ObjectKind, RegionId};
use cfa::op::{Contents, Op};
use cfa::program::{Binding, EdgeId, Program};
use cfa::value::Ty;
use transform::regions::lies_outside_objects;

/// The program without the branches of calls through pointers that no execution takes: their
/// conditions are false.
#[must_use]
pub fn without_impossible_callees(program: &Program) -> Program {
    let mut flow = Flow::new(program);
    while std::mem::take(&mut flow.changed) {
        flow.step();
    }
    flow.expose();
    let impossible: Vec<EdgeId> = (0..program.edges.len() as u32)
        .map(EdgeId)
        .filter(|&edge| match program.edge_op(edge) {
            Op::Assume(condition) => flow.is_impossible(*condition),
            _ => false,
        })
        .collect();
    let mut result = program.clone();
    if !impossible.is_empty() {
        let never = Op::Assume(result.pool.bool_constant(false));
        let never = result.intern_op(never);
        for edge in impossible {
            result.edges[edge.0 as usize].op = never;
        }
    }
    result
}

/// What a value may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Value {
    /// The functions that it may be the address of.
    functions: SetId,
    /// It may be a number.
    number: bool,
}

impl Value {
    /// Null, an address in an object, or no value that could be an address.
    const NOTHING: Value = Value {
        functions: SetId::EMPTY,
        number: false,
    };
    const NUMBER: Value = Value {
        number: true,
        ..Value::NOTHING
    };
}

struct Flow<'a> {
    program: &'a Program,
    sets: Sets,
    exprs: Vec<Value>,
    vars: Vec<Value>,
    /// What lies in the regions.
    contents: Vec<Value>,
    /// The functions that numbers may be the addresses of, by object.
    exposed: Vec<bool>,
    changed: bool,
}

impl<'a> Flow<'a> {
    fn new(program: &'a Program) -> Flow<'a> {
        let width = program.model.pointer_bits();
        let contents = program.regions.iter().map(|region| {
            let is_whole = region.cell_bits == width && !region.reaches_outside;
            if is_whole {
                Value::NOTHING
            } else {
                Value::NUMBER
            }
        });
        Flow {
            program,
            sets: Sets::new(width),
            exprs: vec![Value::NOTHING; program.pool.len()],
            vars: vec![Value::NOTHING; program.vars.len()],
            contents: contents.collect(),
            exposed: vec![false; program.objects.len()],
            changed: true,
        }
    }

    /// Evaluates everything once.
    fn step(&mut self) {
        for number in 0..self.program.pool.len() {
            self.exprs[number] = self.expression(ExprId(number as u32));
        }
        for number in 0..self.program.edges.len() as u32 {
            self.operation(EdgeId(number));
        }
    }

    fn get(&self, expr: ExprId) -> Value {
        self.exprs[expr.0 as usize]
    }

    fn stored(&self, region: RegionId) -> Value {
        let contents = self.contents.get(region.0 as usize);
        contents.copied().unwrap_or(Value::NUMBER)
    }

    fn join(&mut self, a: Value, b: Value) -> Value {
        Value {
            functions: self.sets.join(a.functions, b.functions),
            number: a.number || b.number,
        }
    }

    fn assign(&mut self, var: VarId, value: Value) {
        let old = self.vars[var.0 as usize];
        let new = self.join(old, value);
        self.changed |= new != old;
        self.vars[var.0 as usize] = new;
    }

    fn put(&mut self, region: RegionId, value: Value) {
        let old = self.stored(region);
        let new = self.join(old, value);
        if new != old {
            self.changed = true;
            self.contents[region.0 as usize] = new;
        }
    }

    /// An object comes to life whose cells have any value.
    fn put_anything(&mut self, object: ObjectId) {
        for number in 0..self.program.regions.len() {
            if self.program.regions[number].objects.contains(&object) {
                self.put(RegionId(number as u32), Value::NUMBER);
            }
        }
    }

    fn expression(&mut self, id: ExprId) -> Value {
        let program = self.program;
        let ty = program.pool.ty(id);
        match program.pool.node(id) {
            Node::Const(bits) if lies_outside_objects(bits, ty, program.model) => Value::NOTHING,
            Node::Const(_) => Value::NUMBER,
            Node::Var(var) => self.vars[var.0 as usize],
            Node::Address(object) => match program.object(object).kind {
                ObjectKind::Function(_) => Value {
                    functions: self.sets.single(At::start(object.0)),
                    number: false,
                },
                _ => Value::NOTHING,
            },
            Node::Unary(UnOp::Convert(to), a) if self.keeps_bits(a, to) => self.get(a),
            Node::Ite(_, a, b) => self.join(self.get(a), self.get(b)),
            Node::Load { region, .. } if self.is_pointer_wide(id) => self.stored(region),
            _ => Value::NUMBER,
        }
    }

    /// A conversion of the value leaves all bits of an address as they are.
    fn keeps_bits(&self, value: ExprId, to: Ty) -> bool {
        let is_wide = to.width() >= self.program.model.pointer_bits();
        to.is_int() && self.program.pool.ty(value).is_int() && is_wide
    }

    /// A value of the expression's type is as wide as a pointer.
    fn is_pointer_wide(&self, expr: ExprId) -> bool {
        self.program.pool.ty(expr).width() == self.program.model.pointer_bits()
    }

    /// So many bytes are some whole pointers.
    fn is_whole(&self, size: ExprId) -> bool {
        let bytes = u128::from(self.program.model.pointer_bits() / 8);
        let size = self.program.pool.as_constant(size);
        size.is_some_and(|size| size.is_multiple_of(bytes))
    }

    fn bound(&self, binding: Binding) -> Value {
        match binding {
            Binding::Argument(arg) => self.get(arg),
            Binding::Result(from) => self.vars[from.0 as usize],
        }
    }

    fn operation(&mut self, edge: EdgeId) {
        let program = self.program;
        match program.edge_op(edge) {
            Op::Assign(var, value) => self.assign(*var, self.get(*value)),
            Op::Havoc(var, _) => self.assign(*var, Value::NUMBER),
            Op::Store { region, value, .. } => self.put(*region, self.get(*value)),
            Op::Begin { object, contents } => {
                if *contents != Contents::Zero {
                    self.put_anything(*object);
                }
            }
            Op::Allocate {
                object, contents, ..
            } => {
                if *contents != Contents::Zero {
                    self.put_anything(*object);
                }
            }
            Op::Reallocate { object, .. } => self.put_anything(*object),
            Op::Copy {
                target_region,
                source_region,
                size,
                ..
            } => {
                let mut value = self.stored(*source_region);
                value.number |= !self.is_whole(*size);
                self.put(*target_region, value);
            }
            Op::Fill {
                region, byte, size, ..
            } => {
                if program.pool.as_constant(*byte) != Some(0) || !self.is_whole(*size) {
                    self.put(*region, Value::NUMBER);
                }
            }
            op @ Op::Call { .. } => {
                for (var, binding) in program.bindings(op) {
                    self.assign(var, self.bound(binding));
                }
            }
            Op::Print(print) => {
                if let Some(var) = print.result {
                    self.assign(var, Value::NUMBER);
                }
            }
            Op::Skip | Op::Assume(_) | Op::End(_) | Op::Release(_) | Op::Halt(_) => {}
        }
    }

    /// The condition is false in every execution.
    fn is_impossible(&self, condition: ExprId) -> bool {
        let pool = &self.program.pool;
        match pool.node(condition) {
            Node::Binary(BinOp::Eq, a, b) => self.is_no_address(a, b) || self.is_no_address(b, a),
            Node::Binary(BinOp::BoolAnd, a, b) => self.is_impossible(a) || self.is_impossible(b),
            Node::Binary(BinOp::BoolOr, a, b) => self.is_impossible(a) && self.is_impossible(b),
            _ => pool.as_bool(condition) == Some(false),
        }
    }

    /// The first is the address of a function, and the second is not that address.
    fn is_no_address(&self, function: ExprId, pointer: ExprId) -> bool {
        let Node::Address(object) = self.program.pool.node(function) else {
            return false;
        };
        if !matches!(self.program.object(object).kind, ObjectKind::Function(_)) {
            return false;
        }
        let value = self.get(pointer);
        let mut functions = self.sets.get(value.functions).iter();
        let is_number = value.number && self.exposed[object.0 as usize];
        !is_number && functions.all(|at| at.source != object.0)
    }
}

#[cfg(test)]
mod tests;
