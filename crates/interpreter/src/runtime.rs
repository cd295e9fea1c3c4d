//! What instructions do that is more than arithmetic: calls, inputs, memory, output.

use super::code::*;
use super::machine::{Activation, Machine, Step, read, write};
use super::memory::{Bad, Bytes};
use super::objects::Storage;
use super::observe::{Change, View};
use super::outcome::{AccessKind, Fault, InvalidAccess, Outcome};
use super::{input_of, memory_input, printf};
use arith::int;
use cfa::expr::VarId;
use cfa::memory::ObjectId;
use cfa::op::{Contents, InputId, Op, PrintKind};
use cfa::program::EdgeId;
use cfa::value::Ty;
use std::ops::Range;

/// A bad address this close to an object is taken for a slip beside it.
const NEAR: u64 = 1 << 24;

impl Machine<'_> {
    // ---- calls ----

    #[inline]
    pub(super) fn enter(
        &mut self,
        call: &CallEntry,
        index: u32,
        return_to: Pc,
        frame: &mut [u64],
    ) -> Step<()> {
        let callee = call.function.0 as usize;
        let put_aside = self.active[callee] > 0;
        if self.activations.len() >= self.options.max_depth {
            return Err(Outcome::StackLimit);
        }
        let function = &self.code.functions[callee];
        if put_aside {
            self.enter_again(call, function.own.clone(), frame)?;
        } else {
            for &(from, to) in &call.args {
                frame[to as usize] = frame[from as usize];
            }
        }
        // Variables get their values before they are read; that an object has an address says that
        // it lives.
        for address in &mut frame[function.objects.clone()] {
            *address = 0;
        }
        self.active[callee] += 1;
        self.activations.push(Activation {
            function: call.function,
            return_to,
            call: index,
            automatic: self.automatic.len() as u32,
            put_aside,
        });
        Ok(())
    }

    /// Puts the registers of the callee's last activation aside. Arguments may lie in these very
    /// registers.
    fn enter_again(&mut self, call: &CallEntry, own: Range<usize>, frame: &mut [u64]) -> Step<()> {
        if (self.aside.len() + own.len()) as u64 > self.options.max_memory / 8 {
            return Err(Outcome::StackLimit);
        }
        self.aside.extend_from_slice(&frame[own]);
        self.passing.clear();
        for &(from, _) in &call.args {
            self.passing.push(frame[from as usize]);
        }
        for (&value, &(_, to)) in self.passing.iter().zip(&call.args) {
            frame[to as usize] = value;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn leave(&mut self, done: &Activation, frame: &mut [u64]) -> Step<()> {
        while self.automatic.len() > done.automatic as usize {
            let slot = self.automatic.pop().unwrap_or_default();
            self.end_slot(slot)?;
        }
        let code = self.code;
        let call = &code.calls[done.call as usize];
        self.active[done.function.0 as usize] -= 1;
        if !done.put_aside {
            for &(from, to) in &call.result {
                frame[to as usize] = frame[from as usize];
            }
            return Ok(());
        }
        self.passing.clear();
        for &(from, _) in &call.result {
            self.passing.push(frame[from as usize]);
        }
        let own = code.functions[done.function.0 as usize].own.clone();
        let from = self.aside.len() - own.len();
        frame[own].copy_from_slice(&self.aside[from..]);
        self.aside.truncate(from);
        for (&value, &(_, to)) in self.passing.iter().zip(&call.result) {
            frame[to as usize] = value;
        }
        Ok(())
    }

    // ---- values ----

    /// Consumes an input; `memory` is the byte that asks for it, where memory does.
    pub(super) fn input(
        &mut self,
        id: InputId,
        ty: Ty,
        memory: Option<(ObjectId, u64)>,
    ) -> Step<u128> {
        let made;
        let input = match self.program.inputs.get(id.0 as usize) {
            Some(input) => input,
            None => {
                made = input_of(self.program, id);
                &made
            }
        };
        let bits = match memory {
            None => self.streams.inputs.next_of(id, input, ty),
            Some((object, offset)) => {
                let inputs = &mut self.streams.inputs;
                inputs.next_in_memory(input, object, offset, ty)
            }
        };
        let Some(bits) = bits else {
            return Err(Outcome::InputsExhausted(id));
        };
        let mut bits = int::truncate(bits, ty.width().into());
        if input.is_bool {
            bits = u128::from(bits != 0);
        }
        self.recorded.push((id, ty, bits));
        Ok(bits)
    }

    // ---- memory ----

    #[cold]
    pub(super) fn bad(&self, bad: Bad, kind: AccessKind) -> Outcome {
        match bad {
            Bad::Full => Outcome::MemoryLimit,
            Bad::ReadOnly(address) => self.invalid(kind, Fault::ReadOnly, address),
            Bad::NotLive(address) => {
                let fault = if address < 1 << 16 {
                    Fault::Null
                } else {
                    match self.memory.nearest(address) {
                        Some((slot, 0)) if !slot.live => Fault::Dead,
                        Some((_, distance)) if distance < NEAR => Fault::OutOfBounds,
                        _ => Fault::Wild,
                    }
                };
                self.invalid(kind, fault, address)
            }
        }
    }

    pub(super) fn invalid(&self, kind: AccessKind, fault: Fault, address: u64) -> Outcome {
        let slot = match fault {
            Fault::Null | Fault::Wild => None,
            _ => self.memory.nearest(address).map(|(slot, _)| slot),
        };
        let object = slot.map(|slot| {
            let offset = address.wrapping_sub(slot.start) as i64;
            (ObjectId(slot.object), offset)
        });
        let ended = slot.filter(|slot| !slot.live).and_then(|slot| {
            let origin = self.code.origins.get(slot.ended.checked_sub(1)?)?;
            origin.edge
        });
        Outcome::InvalidAccess(InvalidAccess {
            kind,
            size: slot.map(|slot| slot.size),
            ended,
            fault,
            address,
            object,
        })
    }

    #[cold]
    #[inline(never)]
    pub(super) fn load_slowly(&mut self, address: u64, ty: Ty) -> Step<u128> {
        let count = ty.bytes();
        let found = self.memory.inspect(address, count);
        let value = match found.map_err(|bad| self.bad(bad, AccessKind::Read))? {
            Bytes::Set(value) => value,
            Bytes::Unset => {
                let value = self.memory_value(address, ty)?;
                for i in 0..count {
                    self.fix_byte(address.wrapping_add(i), (value >> (8 * i)) as u8)?;
                }
                value
            }
            Bytes::Partly => {
                let mut value = 0;
                for i in 0..count {
                    value |= u128::from(self.byte_at(address.wrapping_add(i))?) << (8 * i);
                }
                value
            }
        };
        Ok(int::truncate(value, ty.width().into()))
    }

    pub(super) fn fix_byte(&mut self, address: u64, value: u8) -> Step<()> {
        self.memory
            .fix_byte(address, value)
            .map_err(|_| Outcome::MemoryLimit)
    }

    /// An input for memory that has no value.
    pub(super) fn memory_value(&mut self, address: u64, ty: Ty) -> Step<u128> {
        let (object, offset) = self.memory.origin(address).unwrap_or_default();
        let object = ObjectId(object);
        let id = memory_input(self.program, object);
        self.input(id, ty, Some((object, offset)))
    }

    pub(super) fn byte_at(&mut self, address: u64) -> Step<u8> {
        if let Some(value) = self.memory.known_byte(address) {
            return Ok(value);
        }
        if !self.memory.is_live(address) {
            return Err(self.bad(Bad::NotLive(address), AccessKind::Read));
        }
        let value = self.memory_value(address, Ty::U8)? as u8;
        self.fix_byte(address, value)?;
        Ok(value)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn store_slowly(
        &mut self,
        address: u64,
        count: u64,
        value: u128,
        initialises: bool,
    ) -> Step<()> {
        self.memory
            .store_slowly(address, count, value, initialises)
            .map_err(|bad| self.bad(bad, AccessKind::Write))
    }

    pub(super) fn copy(
        &mut self,
        target: u64,
        source: u64,
        size: u64,
        initialises: bool,
    ) -> Step<()> {
        self.memory
            .copy(target, source, size, initialises)
            .map_err(|bad| {
                let address = match bad {
                    Bad::NotLive(address) | Bad::ReadOnly(address) => address,
                    Bad::Full => return Outcome::MemoryLimit,
                };
                let reading =
                    address.wrapping_sub(source) < size && address.wrapping_sub(target) >= size;
                let kind = if reading {
                    AccessKind::Read
                } else {
                    AccessKind::Write
                };
                self.bad(bad, kind)
            })
    }

    pub(super) fn end_slot(&mut self, slot: u32) -> Step<()> {
        self.memory
            .end(slot, self.now)
            .map_err(|_| Outcome::MemoryLimit)
    }

    /// The live slot of the object in the present activation, taken out of the list.
    pub(super) fn take_automatic(&mut self, object: ObjectId) -> Option<u32> {
        let from = self.activations.last()?.automatic as usize;
        let own = &self.automatic[from..];
        let position = own
            .iter()
            .rposition(|&slot| self.memory.slot(slot).object == object.0)?;
        Some(self.automatic.remove(from + position))
    }

    pub(super) fn begin(&mut self, entry: &BeginEntry, frame: &mut [u64]) -> Step<()> {
        let zero = entry.contents == Contents::Zero;
        if !zero {
            self.streams.inputs.begins(entry.object);
        }
        let place = match entry.address {
            Ok(fixed) => {
                return self
                    .memory
                    .set_contents(fixed, entry.size, zero, !entry.read_only)
                    .map_err(|_| Outcome::MemoryLimit);
            }
            Err(place) => place,
        };
        // A jump back over the declaration: the object of the last round is gone.
        if frame[place as usize] != 0
            && let Some(old) = self.take_automatic(entry.object)
        {
            self.end_slot(old)?;
        }
        let slot = self
            .memory
            .begin(
                entry.object.0,
                entry.class,
                entry.size,
                Storage::Automatic,
                zero,
            )
            .map_err(|_| Outcome::MemoryLimit)?;
        self.automatic.push(slot);
        let start = self.memory.slot(slot).start;
        frame[place as usize] = start;
        Ok(())
    }

    pub(super) fn end(&mut self, entry: &EndEntry, frame: &mut [u64]) -> Step<()> {
        while let Some(slot) = self.take_automatic(entry.object) {
            self.end_slot(slot)?;
            if !entry.all {
                break;
            }
        }
        if let Some(place) = entry.address {
            frame[place as usize] = 0;
        }
        Ok(())
    }

    pub(super) fn new_object(&mut self, entry: &AllocateEntry, size: u64) -> Step<u32> {
        let class = self.memory.class_for(size, entry.align);
        let storage = if entry.automatic {
            Storage::Automatic
        } else {
            Storage::Heap
        };
        let slot = self
            .memory
            .begin(entry.object.0, class, size, storage, entry.zero)
            .map_err(|_| Outcome::MemoryLimit)?;
        if entry.automatic {
            self.automatic.push(slot);
        }
        Ok(slot)
    }

    pub(super) fn allocate(&mut self, entry: &AllocateEntry, frame: &mut [u64]) -> Step<()> {
        let slot = self.new_object(entry, frame[entry.size as usize])?;
        self.allocated(entry, slot, frame);
        Ok(())
    }

    pub(super) fn allocated(&mut self, entry: &AllocateEntry, slot: u32, frame: &mut [u64]) {
        let start = self.memory.slot(slot).start;
        if let Some(place) = entry.address {
            frame[place as usize] = start;
        }
        frame[entry.target as usize] = start;
    }

    pub(super) fn reallocate(&mut self, entry: &AllocateEntry, frame: &mut [u64]) -> Step<()> {
        let size = frame[entry.size as usize];
        let old = entry.old.map_or(0, |reg| frame[reg as usize]);
        let old_slot = match old {
            0 => None,
            _ => Some(self.heap_object(old)?),
        };
        let slot = self.new_object(entry, size)?;
        if let Some(old_slot) = old_slot {
            let kept = self.memory.slot(old_slot).size.min(size);
            let start = self.memory.slot(slot).start;
            self.memory
                .move_contents(start, old, kept)
                .map_err(|bad| self.bad(bad, AccessKind::Read))?;
            self.end_slot(old_slot)?;
        }
        self.allocated(entry, slot, frame);
        Ok(())
    }

    pub(super) fn heap_object(&self, address: u64) -> Step<u32> {
        self.memory.heap_object_at(address).ok_or_else(|| {
            let dead = self
                .memory
                .nearest(address)
                .is_some_and(|(slot, _)| slot.start == address && !slot.live);
            let fault = if dead {
                Fault::Dead
            } else {
                Fault::NotAllocated
            };
            self.invalid(AccessKind::Release, fault, address)
        })
    }

    pub(super) fn release(&mut self, address: u64) -> Step<()> {
        if address == 0 {
            return Ok(());
        }
        let slot = self.heap_object(address)?;
        self.end_slot(slot)
    }

    // ---- printing ----

    pub(super) fn print(&mut self, entry: &PrintEntry, frame: &mut [u64]) -> Step<()> {
        let args: Vec<(u128, Ty)> = entry
            .args
            .iter()
            .map(|&(reg, ty)| (read(frame, reg, is_wide(ty)), ty))
            .collect();
        let first = args.first().map_or(0, |&(bits, _)| bits);
        let model = self.program.model;
        let (bytes, result) = match &entry.kind {
            PrintKind::Format(format) => {
                let bytes = printf::format(model, format, &args, self)?;
                let count = bytes.len();
                (bytes, count as u128)
            }
            PrintKind::UnknownFormat => {
                let format = printf::string(first as u64, None, self)?;
                let rest = args.get(1..).unwrap_or_default();
                let bytes = printf::format(model, &format, rest, self)?;
                let count = bytes.len();
                (bytes, count as u128)
            }
            PrintKind::Char => (vec![first as u8], first & 0xff),
            PrintKind::Line => {
                let mut bytes = printf::string(first as u64, None, self)?;
                bytes.push(b'\n');
                let count = bytes.len();
                (bytes, count as u128)
            }
            // As glibc's `fputs`.
            PrintKind::Text => (printf::string(first as u64, None, self)?, 1),
        };
        let stream = if entry.to_stderr {
            &mut self.streams.err
        } else {
            &mut self.streams.out
        };
        // Where nobody can read it, output is lost as for any program; the execution is not about
        // it.
        let _ = stream.write_all(&bytes);
        if let Some((place, ty)) = entry.result {
            let value = int::truncate(result, ty.width().into());
            write(frame, place, is_wide(ty), value);
        }
        Ok(())
    }

    // ---- watching ----

    pub(super) fn view<'b>(&'b self, frame: &'b [u64]) -> View<'b> {
        View {
            program: self.program,
            places: self.places,
            memory: self.memory,
            registers: frame,
            function: self
                .activations
                .last()
                .map_or(self.program.entry, |activation| activation.function),
        }
    }

    pub(super) fn variable_change(&self, var: VarId, frame: &[u64]) -> Change {
        match self.view(frame).variable(var) {
            Some(value) => Change::Variable(var, value),
            None => Change::Nothing,
        }
    }

    pub(super) fn change(&self, edge: EdgeId, frame: &[u64]) -> Change {
        match self.program.edge_op(edge) {
            Op::Assign(var, _)
            | Op::Havoc(var, _)
            | Op::Allocate { target: var, .. }
            | Op::Reallocate { target: var, .. } => self.variable_change(*var, frame),
            Op::Print(print) => match print.result {
                Some(var) => self.variable_change(var, frame),
                None => Change::Nothing,
            },
            Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } => Change::Memory {
                address: self.last_write.0,
                size: self.last_write.1,
            },
            Op::Call { function, .. } => Change::Call(*function),
            _ => Change::Nothing,
        }
    }
}

impl printf::Strings for Machine<'_> {
    type Error = Outcome;

    fn byte(&mut self, address: u64) -> Step<u8> {
        self.byte_at(address)
    }

    fn store_count(&mut self, address: u64, width: u16, count: u64) -> Step<()> {
        self.store_slowly(address, u64::from(width / 8), count.into(), false)
    }
}
