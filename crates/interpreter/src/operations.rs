//! Compiling the operations of edges.

use super::code::*;
use super::compile::Compiler;
use cfa::expr::{BinOp, ExprId, Node, UnOp, VarId};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::{Contents, Halt, Op, Print};
use cfa::program::{EdgeId, FuncId, LocId};

impl Compiler<'_> {
    /// Emits the operation of an edge that is no assumption; the location to go on with.
    pub(super) fn operate(&mut self, edge: EdgeId) -> Option<LocId> {
        let program = self.program;
        self.next_operation();
        match program.edge_op(edge) {
            Op::Skip | Op::Assume(_) => {}
            Op::Assign(var, value) => {
                let reg = self.register_of(*var);
                self.evaluate_into(*value, reg);
            }
            Op::Havoc(var, input) => {
                let entry = HavocEntry {
                    input: *input,
                    ty: program.var(*var).ty,
                    target: self.register_of(*var),
                };
                self.code.havocs.push(entry);
                let index = (self.code.havocs.len() - 1) as u32;
                self.emit(Instr::Havoc(index));
            }
            Op::Store { address, value, .. } => self.store(*address, *value),
            Op::Begin { object, contents } => self.begin(*object, *contents),
            Op::End(object) => {
                let entry = EndEntry {
                    object: *object,
                    address: self.address_of(*object).err(),
                    all: matches!(program.object(*object).kind, ObjectKind::StackAllocation(_)),
                };
                self.code.ends.push(entry);
                let index = (self.code.ends.len() - 1) as u32;
                self.emit(Instr::End(index));
            }
            Op::Allocate {
                target,
                object,
                size,
                contents,
            } => {
                let size = self.operand(*size);
                let zero = *contents == Contents::Zero;
                let index = self.allocation(*target, *object, size, None, zero);
                self.emit(Instr::Allocate(index));
            }
            Op::Reallocate {
                target,
                object,
                address,
                size,
            } => {
                let old = self.operand(*address);
                let size = self.operand(*size);
                let index = self.allocation(*target, *object, size, Some(old), false);
                self.emit(Instr::Reallocate(index));
            }
            Op::Release(address) => {
                let a = self.operand(*address);
                self.emit(Instr::Release(a));
            }
            Op::Copy { .. } if program.repeats_copy(edge) => {}
            Op::Copy {
                target,
                source,
                size,
                ..
            } => {
                let initialises = self.initialises(*target);
                let target = self.operand(*target);
                let source = self.operand(*source);
                let size = self.operand(*size);
                self.emit(Instr::Copy {
                    initialises,
                    target,
                    source,
                    size,
                });
            }
            Op::Fill {
                target, byte, size, ..
            } => {
                let initialises = self.initialises(*target);
                let target = self.operand(*target);
                let byte = self.operand(*byte);
                let size = self.operand(*size);
                self.emit(Instr::Fill {
                    initialises,
                    target,
                    byte,
                    size,
                });
            }
            Op::Call {
                function,
                args,
                result,
            } => {
                self.call(edge, *function, args, *result);
                return Some(program.edge(edge).target);
            }
            Op::Print(print) => self.print(print),
            Op::Halt(halt) => {
                self.halt(halt, edge);
                return None;
            }
        }
        Some(self.pass(edge))
    }

    fn store(&mut self, address: ExprId, value: ExprId) {
        let initialises = self.initialises(address);
        let ty = self.program.pool.ty(value);
        if initialises || !matches!(ty.width(), 8 | 16 | 32 | 64) {
            let address = self.operand(address);
            let a = self.operand(value);
            let ty = self.type_index(ty);
            self.emit(if initialises {
                Instr::Initialise { ty, address, a }
            } else {
                Instr::Store { ty, address, a }
            });
            return;
        }
        let (address, offset) = self.address_operand(address);
        let a = self.operand(value);
        self.emit(match ty.width() {
            8 => Instr::Store8(address, a, offset),
            16 => Instr::Store16(address, a, offset),
            32 => Instr::Store32(address, a, offset),
            _ => Instr::Store64(address, a, offset),
        });
    }

    /// Whether a write to the address gives a read-only object its contents: the entry function
    /// does so, with the object's address plain to see, before the program itself starts.
    fn initialises(&self, address: ExprId) -> bool {
        if self.function != self.program.entry {
            return false;
        }
        let pool = &self.program.pool;
        let mut stack = vec![address];
        while let Some(id) = stack.pop() {
            match pool.node(id) {
                Node::Address(object) => return self.program.object(object).read_only,
                Node::Binary(BinOp::Add | BinOp::Sub, a, b) => stack.extend([b, a]),
                Node::Unary(UnOp::Convert(_) | UnOp::Reinterpret(_), a) => stack.push(a),
                _ => {}
            }
        }
        false
    }

    fn begin(&mut self, id: ObjectId, contents: Contents) {
        let object = self.program.object(id);
        let address = self.address_of(id);
        let Some(size) = object.size else {
            let text = format!("an object of unknown size ('{}')", object.name);
            let text = self.text(text);
            self.emit(Instr::Unsupported(text));
            return;
        };
        let class = self.memory.class_for(size, object.align);
        self.code.begins.push(BeginEntry {
            object: id,
            size,
            class,
            contents,
            address,
            read_only: object.read_only,
        });
        let index = (self.code.begins.len() - 1) as u32;
        self.emit(Instr::Begin(index));
    }

    fn allocation(
        &mut self,
        target: VarId,
        object: ObjectId,
        size: Reg,
        old: Option<Reg>,
        zero: bool,
    ) -> u32 {
        let info = self.program.object(object);
        self.code.allocations.push(AllocateEntry {
            object,
            target: self.register_of(target),
            address: self.address_of(object).err(),
            size,
            old,
            align: info.align,
            zero,
            automatic: matches!(
                info.kind,
                ObjectKind::StackAllocation(_) | ObjectKind::Local(_)
            ),
        });
        (self.code.allocations.len() - 1) as u32
    }

    fn call(&mut self, edge: EdgeId, id: FuncId, args: &[ExprId], result: Option<VarId>) {
        let callee = self.program.function(id);
        let mut copies = Vec::new();
        for (&arg, &param) in args.iter().zip(&callee.params) {
            let from = self.operand(arg);
            let wide = is_wide(self.program.pool.ty(arg));
            copies.push((from, self.register_of(param)));
            if wide {
                copies.push((from + 1, self.register_of(param) + 1));
            }
        }
        let mut results = Vec::new();
        if let (Some(target), Some(source)) = (result, callee.result) {
            let (from, to) = (self.register_of(source), self.register_of(target));
            results.push((from, to));
            if is_wide(self.program.var(target).ty) {
                results.push((from + 1, to + 1));
            }
        }
        if self.traced {
            self.emit(Instr::Mark(edge));
        }
        let steps = self.steps(1);
        self.code.calls.push(CallEntry {
            edge,
            function: id,
            args: copies,
            result: results,
        });
        let index = (self.code.calls.len() - 1) as u32;
        self.emit(Instr::Call(steps, index));
        self.uncounted = 0;
    }

    fn print(&mut self, print: &Print) {
        let args = print
            .args
            .iter()
            .map(|&arg| (self.operand(arg), self.program.pool.ty(arg)))
            .collect();
        let result = print
            .result
            .map(|var| (self.register_of(var), self.program.var(var).ty));
        self.code.prints.push(PrintEntry {
            kind: print.kind.clone(),
            args,
            result,
            to_stderr: print.to_stderr,
        });
        let index = (self.code.prints.len() - 1) as u32;
        self.emit(Instr::Print(index));
    }

    fn halt(&mut self, halt: &Halt, edge: EdgeId) {
        let instr = match halt {
            Halt::Exit(status) => Instr::Exit(self.operand(*status)),
            Halt::Abort => Instr::Abort,
            Halt::Undefined(text) => Instr::Undefined(self.text(text.clone())),
            Halt::Unsupported(text) => Instr::Unsupported(self.text(text.clone())),
        };
        if self.traced {
            self.emit(Instr::Mark(edge));
        }
        self.uncounted += 1;
        self.emit(instr);
    }
}
