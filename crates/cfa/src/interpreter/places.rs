//! Where variables and objects live while a program runs: addresses of static objects, registers of local
//! variables, slots of global ones.

use super::code::{Reg, is_wide};
use super::memory::Memory;
use crate::expr::{ExprId, Node, VarId};
use crate::memory::{Object, ObjectId, ObjectKind};
use crate::op::{Halt, Op};
use crate::program::{FuncId, Program};
use std::ops::Range;
use syntax::types::DataModel;

/// The bytes that a pointer from outside may point to, where nobody says how many there are.
const EXTERNAL_BYTES: u64 = 1 << 20;

/// The part of the address space where functions lie, 16 bytes each, and that of everything else. Both are far
/// from null, so that an access to a member of a null structure is found however large the structure is.
pub(super) struct Space {
    pub functions: u64,
    pub data: u64,
    pub data_size: u64,
}

pub(super) fn space_of(model: DataModel) -> Space {
    match model {
        DataModel::Ilp32 => Space {
            functions: 0x0400_0000,
            data: 0x0800_0000,
            data_size: 0xe000_0000,
        },
        // Beyond 32 bits, so that a pointer squeezed through an `int` is found.
        DataModel::Lp64 => Space {
            functions: 0x5500_0000_0000,
            data: 0x5600_0000_0000,
            data_size: 1 << 37,
        },
    }
}

/// A static object with the address that it has in every run.
pub(super) struct Static {
    pub object: ObjectId,
    pub address: u64,
    pub size: u64,
    pub read_only: bool,
    pub arbitrary: bool,
}

pub(super) struct Places {
    /// The first register of each variable.
    pub vars: Vec<Reg>,
    /// Fixed addresses, of static objects and functions.
    pub fixed: Vec<Option<u64>>,
    /// For the others, the register that holds their present address.
    pub objects: Vec<Reg>,
    pub statics: Vec<Static>,
    /// The registers of each function's activations.
    pub functions: Vec<Range<usize>>,
    /// All registers used so far.
    pub registers: usize,
    /// The space that static objects take; dynamic ones come after it.
    pub static_space: u64,
    /// A static object that found no room.
    pub too_large: Option<ObjectId>,
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

fn has_fixed_address(object: &Object) -> bool {
    matches!(
        object.kind,
        ObjectKind::Global
            | ObjectKind::StringLiteral
            | ObjectKind::Function(_)
            | ObjectKind::External
    )
}

impl Places {
    pub fn new(program: &Program, memory: &mut Memory) -> Places {
        let (var_users, object_users) = users(program);
        // Whose activations keep a value of their own; `None` for what exists once.
        let var_owner = |index: usize| match (program.vars[index].function, var_users[index]) {
            (Some(owner), Users::None) => Some(owner),
            (Some(owner), Users::One(user)) if owner == user => Some(owner),
            _ => None,
        };
        let object_owner = |index: usize| match (program.objects[index].kind, object_users[index]) {
            (ObjectKind::Local(_) | ObjectKind::StackAllocation(_), Users::One(user)) => Some(user),
            _ => None,
        };
        // Things in the order of their owners, those without one first.
        let vars = (0..program.vars.len()).map(|index| (var_owner(index), true, index));
        let objects = (0..program.objects.len()).map(|index| (object_owner(index), false, index));
        let mut things: Vec<_> = vars.chain(objects).collect();
        things.sort_by_key(|&(owner, ..)| owner);
        let mut places = Places {
            vars: vec![0; program.vars.len()],
            fixed: vec![None; program.objects.len()],
            objects: vec![0; program.objects.len()],
            statics: Vec::new(),
            functions: vec![0..0; program.functions.len()],
            registers: 0,
            static_space: 0,
            too_large: None,
        };
        for (owner, is_var, index) in things {
            let register = places.registers;
            if is_var {
                places.vars[index] = register as Reg;
                places.registers += if is_wide(program.vars[index].ty) {
                    2
                } else {
                    1
                };
            } else if !has_fixed_address(&program.objects[index]) {
                places.objects[index] = register as Reg;
                places.registers += 1;
            }
            if let Some(owner) = owner {
                let own = &mut places.functions[owner.0 as usize];
                if own.is_empty() {
                    own.start = register;
                }
                own.end = places.registers;
            }
        }
        places.place_objects(program, memory);
        places
    }

    fn place_objects(&mut self, program: &Program, memory: &mut Memory) {
        let mut next_function = space_of(program.model).functions;
        for (index, object) in program.objects.iter().enumerate() {
            if let ObjectKind::Function(_) = object.kind {
                self.fixed[index] = Some(next_function);
                next_function += 16;
            } else if has_fixed_address(object) {
                self.place_static(ObjectId(index as u32), object, memory);
            }
        }
        self.static_space = memory.used_space();
    }

    fn place_static(&mut self, id: ObjectId, object: &Object, memory: &mut Memory) {
        let external = object.kind == ObjectKind::External;
        let default = if external { EXTERNAL_BYTES } else { 0 };
        let size = object.size.unwrap_or(default);
        match memory.place_static(size, object.align) {
            Ok(address) => {
                self.fixed[id.0 as usize] = Some(address);
                self.statics.push(Static {
                    object: id,
                    address,
                    size,
                    read_only: object.read_only,
                    arbitrary: external,
                });
            }
            Err(_) => self.too_large = self.too_large.or(Some(id)),
        }
    }
}

/// Who mentions which variable and object. (That a call assigns the callee's parameters is no mention.)
fn users(program: &Program) -> (Vec<Users>, Vec<Users>) {
    let mut vars = vec![Users::None; program.vars.len()];
    let mut objects = vec![Users::None; program.objects.len()];
    // Expressions are shared between operations: look at each once for each function in a row.
    let mut seen: Vec<Option<FuncId>> = vec![None; program.pool.len()];
    let mut stack = Vec::new();
    for edge in &program.edges {
        let function = program.location(edge.source).function;
        let op = program.op(edge.op);
        expressions(op, &mut stack);
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
        if let Some(var) = target(op) {
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

/// The expressions that the operation evaluates, in order.
pub(crate) fn expressions(op: &Op, into: &mut Vec<ExprId>) {
    match op {
        Op::Skip
        | Op::Havoc(..)
        | Op::Begin { .. }
        | Op::End(_)
        | Op::Halt(Halt::Abort | Halt::Undefined(_) | Halt::Unsupported(_)) => {}
        Op::Assume(e) | Op::Assign(_, e) | Op::Release(e) | Op::Halt(Halt::Exit(e)) => {
            into.push(*e);
        }
        Op::Store { address, value, .. } => into.extend([*address, *value]),
        Op::Allocate { size, .. } => into.push(*size),
        Op::Reallocate { address, size, .. } => into.extend([*address, *size]),
        Op::Copy {
            target,
            source,
            size,
            ..
        } => into.extend([*target, *source, *size]),
        Op::Fill {
            target, byte, size, ..
        } => into.extend([*target, *byte, *size]),
        Op::Call { args, .. } => into.extend(args),
        Op::Print(print) => into.extend(&print.args),
    }
}

/// The variable that the operation itself assigns.
fn target(op: &Op) -> Option<VarId> {
    match op {
        Op::Assign(var, _) | Op::Havoc(var, _) => Some(*var),
        Op::Allocate { target, .. } | Op::Reallocate { target, .. } => Some(*target),
        Op::Call { result, .. } => *result,
        Op::Print(print) => print.result,
        _ => None,
    }
}
