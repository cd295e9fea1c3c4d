//! Where memory is watched, what is wrong with it is an error of the program: invalid accesses and
//! releases, and objects of the heap that nobody frees.

use super::Interpreter;
use super::objects::Storage;
use super::outcome::{AccessKind, MemoryFault, Outcome, Run};
use cfa::memory::ObjectId;
use cfa::program::{Faults, LocId};
use rustc_hash::FxHashSet;

impl Interpreter<'_> {
    /// The run with the error that its end is.
    pub(super) fn judged(&self, mut run: Run, faults: &Faults) -> Run {
        let found = match (&run.outcome, run.place.edge) {
            (Outcome::InvalidAccess(access), Some(edge)) => {
                let errors = match access.kind {
                    AccessKind::Release => &faults.releases,
                    AccessKind::Read | AccessKind::Write => &faults.accesses,
                };
                let error = errors.get(&edge);
                error.map(|&error| (error, MemoryFault::Access(*access)))
            }
            (Outcome::Finished(_), _) => self.left(&run, faults),
            (Outcome::Aborted, _) if faults.not_freed.is_some() => self.left(&run, faults),
            _ => None,
        };
        if let Some((error, fault)) = found {
            run.outcome = Outcome::Error(error);
            run.fault = Some(fault);
        }
        run
    }

    /// An object of the heap that lives when the program has ended and should not.
    fn left(&self, run: &Run, faults: &Faults) -> Option<(LocId, MemoryFault)> {
        let mut live: Vec<u32> = self.memory.heap.values().copied().collect();
        live.sort_unstable();
        let left = |index: u32| {
            let slot = self.memory.slot(index);
            MemoryFault::Left {
                object: ObjectId(slot.object),
                bytes: slot.size,
            }
        };
        if let (Some(error), Some(&first)) = (faults.not_freed, live.first()) {
            return Some((error, left(first)));
        }
        let error = faults.lost?;
        if live.is_empty() {
            return None;
        }
        // Variables of an outer activation of a function that is active again are not looked at.
        let mut calls: Vec<_> = run.place.calls.clone();
        calls.sort_unstable();
        if calls.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let held = self.reachable(run);
        let lost = live.into_iter().find(|index| !held.contains(index))?;
        Some((error, left(lost)))
    }

    /// The objects of the heap that something live leads to: a pointer into them at any place, also
    /// one that is not aligned. Whatever looks like an address counts as one.
    fn reachable(&self, run: &Run) -> FxHashSet<u32> {
        let bytes = usize::from(self.program.model.pointer_bits() / 8);
        let mut starts: Vec<(u64, u64, u32)> = self
            .memory
            .heap
            .values()
            .map(|&index| {
                let slot = self.memory.slot(index);
                (slot.start, slot.size.max(1), index)
            })
            .collect();
        starts.sort_unstable();
        let object_at = |address: u64| {
            let behind = starts.partition_point(|&(start, ..)| start <= address);
            let &(start, size, index) = starts[..behind].last()?;
            // One past the end is a pointer to the object, too.
            (address - start <= size).then_some(index)
        };
        let mut found = FxHashSet::default();
        let mut open: Vec<u32> = Vec::new();
        let add = |address: u64, found: &mut FxHashSet<u32>, open: &mut Vec<u32>| {
            if let Some(index) = object_at(address)
                && found.insert(index)
            {
                open.push(index);
            }
        };
        // Variables of functions that have returned hold nothing; where the program ends inside of
        // calls, all of them may be live.
        let inside_calls = !run.place.calls.is_empty();
        for (number, var) in self.program.vars.iter().enumerate() {
            if var.function.is_none() || inside_calls {
                let register = self.places.vars[number] as usize;
                let value = self.registers.get(register).copied().unwrap_or(0);
                add(value, &mut found, &mut open);
            }
        }
        let contents = |start: u64, size: u64| {
            (0..size.saturating_sub(bytes as u64 - 1)).map(move |at| start + at)
        };
        let value_at = |address: u64| -> Option<u64> {
            let mut value = 0u64;
            for byte in 0..bytes as u64 {
                value |= u64::from(self.memory.known_byte(address + byte)?) << (8 * byte);
            }
            Some(value)
        };
        for slot in &self.memory.slots {
            if slot.live && slot.storage != Storage::Heap {
                for address in contents(slot.start, slot.size) {
                    if let Some(value) = value_at(address) {
                        add(value, &mut found, &mut open);
                    }
                }
            }
        }
        while let Some(index) = open.pop() {
            let slot = self.memory.slot(index);
            for address in contents(slot.start, slot.size) {
                if let Some(value) = value_at(address) {
                    add(value, &mut found, &mut open);
                }
            }
        }
        found
    }
}
