//! Memory: allocation, release, copying.

use super::IntrinsicCall;
use crate::FunctionLowering;
use cfa::expr::{BinOp, ExprId, VarId};
use cfa::memory::{Object, ObjectKind, RegionId};
use cfa::op::{Contents, InputKind, Op};
use cfa::value::Ty;
use syntax::span::Span;

/// Where the size of an allocation stands among the arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Size {
    At(u8),
    /// The product of this argument and the next.
    Product(u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Memory {
    Allocate {
        size: Size,
        zero: bool,
    },
    Reallocate,
    Release {
        at: u8,
    },
    Alloca,
    /// `memcpy`, `memmove`: the result is the target.
    Copy,
    /// `mempcpy`: the result is the end of the target.
    CopyToEnd,
    /// `bcopy`: source first.
    CopyFrom,
    Fill,
    /// `bzero`.
    Clear,
}

impl Memory {
    pub fn named(name: &str) -> Option<Memory> {
        let allocate = |size, zero| Memory::Allocate { size, zero };
        Some(match name {
            "malloc"
            | "__concord_new_bytes"
            | "kmalloc"
            | "__kmalloc"
            | "vmalloc"
            | "kvmalloc"
            | "valloc" => allocate(Size::At(0), false),
            "kzalloc" | "vzalloc" | "kvzalloc" => allocate(Size::At(0), true),
            "aligned_alloc" | "memalign" | "devm_kmalloc" => allocate(Size::At(1), false),
            "devm_kzalloc" => allocate(Size::At(1), true),
            "calloc" | "kcalloc" => allocate(Size::Product(0), true),
            "kmalloc_array" => allocate(Size::Product(0), false),
            "realloc" | "krealloc" => Memory::Reallocate,
            "free" | "__concord_drop_bytes" | "kfree" | "vfree" | "kvfree" | "kzfree" | "cfree" => {
                Memory::Release { at: 0 }
            }
            "devm_kfree" => Memory::Release { at: 1 },
            "alloca" | "__builtin_alloca" => Memory::Alloca,
            "memcpy" | "memmove" | "__memcpy" | "__memcpy_chk" | "__memmove_chk" => Memory::Copy,
            "mempcpy" | "__mempcpy" => Memory::CopyToEnd,
            "bcopy" => Memory::CopyFrom,
            "memset" | "__memset" | "__memset_chk" => Memory::Fill,
            "bzero" | "explicit_bzero" | "__explicit_bzero_chk" => Memory::Clear,
            _ => return None,
        })
    }
}

impl FunctionLowering<'_, '_> {
    pub(super) fn memory_call(&mut self, memory: Memory, call: IntrinsicCall) -> Option<ExprId> {
        let span = call.span;
        let pointer = self.context.pointer;
        let value = match memory {
            Memory::Allocate { size, zero } => self.allocate(size, zero, &call),
            Memory::Reallocate => {
                let address = self.argument_as(&call, 0, pointer);
                let size = self.argument_as(&call, 1, pointer);
                self.reallocate(address, size, &call)
            }
            Memory::Release { at } => {
                let address = self.argument_as(&call, at.into(), pointer);
                self.emit(Op::Release(address), span);
                return None;
            }
            Memory::Alloca => {
                let size = self.argument_as(&call, 0, pointer);
                self.allocate_on_stack(size, span)
            }
            Memory::Copy | Memory::CopyToEnd => {
                let target = self.argument_as(&call, 0, pointer);
                let source = self.argument_as(&call, 1, pointer);
                let size = self.argument_as(&call, 2, pointer);
                // The result must not depend on what the copy overwrites.
                let target = self.save_if_read(target, span);
                let size = self.save_if_read(size, span);
                self.copy_or_skip(target, source, size, span);
                match memory {
                    Memory::Copy => target,
                    _ => self.context.pool.add(target, size),
                }
            }
            Memory::CopyFrom => {
                let source = self.argument_as(&call, 0, pointer);
                let target = self.argument_as(&call, 1, pointer);
                let size = self.argument_as(&call, 2, pointer);
                self.copy_or_skip(target, source, size, span);
                return None;
            }
            Memory::Fill => {
                let target = self.argument_as(&call, 0, pointer);
                let byte = self.argument_as(&call, 1, Ty::U8);
                let size = self.argument_as(&call, 2, pointer);
                let target = self.save_if_read(target, span);
                self.fill(target, byte, size, span);
                target
            }
            Memory::Clear => {
                let target = self.argument_as(&call, 0, pointer);
                let byte = self.context.pool.zero(Ty::U8);
                let size = self.argument_as(&call, 1, pointer);
                self.fill(target, byte, size, span);
                return None;
            }
        };
        Some(self.convert_to(value, call.ty))
    }

    pub(super) fn save_if_read(&mut self, value: ExprId, span: Span) -> ExprId {
        if self.context.pool.reads_memory(value) {
            self.save(value, span)
        } else {
            value
        }
    }

    fn copy_or_skip(&mut self, target: ExprId, source: ExprId, size: ExprId, span: Span) {
        if self.context.pool.as_constant(size) != Some(0) {
            self.copy_bytes(target, source, size, span);
        }
    }

    /// Nothing for no bytes.
    pub(crate) fn fill(&mut self, target: ExprId, byte: ExprId, size: ExprId, span: Span) {
        if self.context.pool.as_constant(size) != Some(0) {
            self.emit(
                Op::Fill {
                    region: RegionId::WHOLE,
                    target,
                    byte,
                    size,
                },
                span,
            );
        }
    }

    /// No allocation of more than half of the address space works (glibc: `PTRDIFF_MAX`).
    fn is_beyond_memory(&mut self, size: ExprId) -> ExprId {
        let pool = &mut self.context.pool;
        let ty = pool.ty(size);
        let most = pool.constant((1 << (ty.width() - 1)) - 1, ty);
        pool.lt(most, size)
    }

    /// The largest object on the heap. On a machine that has less memory `malloc` fails, which it
    /// does not do here.
    fn most_on_heap(&self) -> u64 {
        if self.context.pointer.width() == 32 {
            i32::MAX as u64
        } else {
            1 << 40
        }
    }

    fn pointer_target(&mut self, call: &IntrinsicCall) -> VarId {
        let pointer = self.context.pointer;
        match call.dest {
            Some(var) if self.context.vars[var.0 as usize].ty == pointer => var,
            _ => self.temporary(pointer, call.span),
        }
    }

    fn heap_object(&mut self, call: &IntrinsicCall, size: Option<u64>) -> cfa::memory::ObjectId {
        let name = self.context.names.get(call.name);
        self.context.new_object(Object {
            name: format!("{name}_{}", self.context.objects.len()),
            kind: ObjectKind::Heap,
            size,
            align: 16,
            c_type: None,
            read_only: false,
            unique: false,
            span: call.span,
        })
    }

    fn allocate(&mut self, size: Size, zero: bool, call: &IntrinsicCall) -> ExprId {
        let span = call.span;
        let pointer = self.context.pointer;
        let target = self.pointer_target(call);
        let after = self.new_node();
        let bytes = match size {
            Size::At(at) => self.argument_as(call, at.into(), pointer),
            Size::Product(at) => {
                let count = self.argument_as(call, at.into(), pointer);
                let each = self.argument_as(call, usize::from(at) + 1, pointer);
                let too_much = self.context.pool.binary(BinOp::MulOverflows, count, each);
                self.null_if(too_much, target, after, span);
                self.context.pool.mul(count, each)
            }
        };
        self.null_if_it_fails(call, target, after);
        let bytes = self.save(bytes, span);
        let too_much = self.is_beyond_memory(bytes);
        self.null_if(too_much, target, after, span);
        let bytes = self.within(bytes, self.most_on_heap(), span);
        let known = self
            .context
            .pool
            .as_constant(bytes)
            .map(|bytes| bytes as u64);
        let object = self.heap_object(call, known);
        let contents = if zero {
            Contents::Zero
        } else {
            Contents::Arbitrary
        };
        self.emit(
            Op::Allocate {
                target,
                object,
                size: bytes,
                contents,
            },
            span,
        );
        self.go(after, span);
        self.enter(after);
        self.read(target)
    }

    /// If an allocation may fail for no reason, it gives null then.
    fn null_if_it_fails(&mut self, call: &IntrinsicCall, target: VarId, after: crate::graph::Node) {
        if self.context.options.malloc_may_fail {
            let var = self.temporary(Ty::U8, call.span);
            self.havoc(var, InputKind::External(call.name), true, call.span);
            let fails = self.read(var);
            let fails = self.context.pool.truth(fails);
            self.null_if(fails, target, after, call.span);
        }
    }

    /// Of null it is `malloc`, which has no old contents to ask for.
    fn reallocate(&mut self, address: ExprId, size: ExprId, call: &IntrinsicCall) -> ExprId {
        let span = call.span;
        // The result may go where the pointer or the size comes from.
        let address = self.save(address, span);
        let size = self.save(size, span);
        let target = self.pointer_target(call);
        let (old, new, after) = (self.new_node(), self.new_node(), self.new_node());
        self.null_if_it_fails(call, target, after);
        let too_much = self.is_beyond_memory(size);
        self.null_if(too_much, target, after, span);
        let size = self.within(size, self.most_on_heap(), span);
        let is_old = self.context.pool.truth(address);
        let has_size = self.context.pool.truth(size);
        if self.context.pool.as_bool(has_size) != Some(true) {
            // As glibc does it: without a size it is `free`.
            let (gone, kept) = (self.new_node(), self.new_node());
            let no_size = self.context.pool.not(has_size);
            let is_free = self.context.pool.and(is_old, no_size);
            self.branch_on(is_free, gone, kept, span);
            self.enter(gone);
            if !self.is_dead() {
                self.emit(Op::Release(address), span);
                let null = self.context.pool.zero(self.context.pointer);
                self.emit(Op::Assign(target, null), span);
                self.go(after, span);
            }
            self.enter(kept);
        }
        self.branch_on(is_old, old, new, span);
        self.enter(new);
        if !self.is_dead() {
            let object = self.heap_object(call, None);
            let contents = Contents::Arbitrary;
            self.emit(
                Op::Allocate {
                    target,
                    object,
                    size,
                    contents,
                },
                span,
            );
            self.go(after, span);
        }
        self.enter(old);
        if !self.is_dead() {
            let object = self.heap_object(call, None);
            self.emit(
                Op::Reallocate {
                    target,
                    object,
                    address,
                    size,
                },
                span,
            );
            self.go(after, span);
        }
        self.enter(after);
        self.read(target)
    }

    /// On the condition, the allocation gives null and is done.
    fn null_if(&mut self, condition: ExprId, target: VarId, after: u32, span: Span) {
        if self.context.pool.as_bool(condition) == Some(false) {
            return;
        }
        let (fails, works) = (self.new_node(), self.new_node());
        self.branch_on(condition, fails, works, span);
        self.enter(fails);
        let null = self.context.pool.zero(self.context.pointer);
        self.emit(Op::Assign(target, null), span);
        self.go(after, span);
        self.enter(works);
    }
}
