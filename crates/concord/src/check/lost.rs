//! Where the last pointer to memory was lost that nobody frees.

use cfa::expr::VarId;
use cfa::memory::ObjectId;
use cfa::op::Op;
use cfa::program::{EdgeId, FuncId, Program, VariableKind};
use facts::budget::Budget;
use facts::certificate::InputValue;
use interpreter::{Change, Observer, View};
use std::collections::{BTreeMap, BTreeSet};
use syntax::span::Span;

/// More memory of one allocation is not followed.
const MAX_FOLLOWED: usize = 64;

/// Where nothing led any more to memory of an allocation that lives at the end: the statement, or
/// the call that had returned. `None` if something holds it to the end (memory that is lost itself).
pub fn last_pointer(
    program: &Program,
    values: &[InputValue],
    object: ObjectId,
    bytes: u64,
    budget: &Budget,
) -> Option<Span> {
    let executed = program.executed();
    let mut watch = Watch {
        program: executed,
        object,
        bytes,
        memories: BTreeMap::new(),
        active: Vec::new(),
        entered: None,
    };
    certify::replay(program, values, budget, Some(&mut watch));
    let mut lost = watch.memories.values().filter(|memory| memory.is_lost());
    let edge = lost.find_map(|memory| memory.lost)?;
    Some(executed.edge(edge).span).filter(|span| !span.is_none())
}

/// What leads to a piece of memory now.
#[derive(Default)]
struct Memory {
    /// Variables, each with the number of calls that are open where it belongs.
    variables: BTreeSet<(usize, VarId)>,
    /// Where in memory pointers to it lie.
    places: BTreeSet<u64>,
    /// Where there was nothing any more.
    lost: Option<EdgeId>,
}

impl Memory {
    fn is_lost(&self) -> bool {
        self.variables.is_empty() && self.places.is_empty()
    }
}

struct Watch<'a> {
    program: &'a Program,
    /// The allocation.
    object: ObjectId,
    bytes: u64,
    /// Its live memory, by where it begins.
    memories: BTreeMap<u64, Memory>,
    /// The functions that are active.
    active: Vec<FuncId>,
    /// A function whose parameters have their values when its first edge is passed.
    entered: Option<FuncId>,
}

impl Watch<'_> {
    /// Where the memory begins that a number is an address of; one past the end is one too.
    fn pointed_to(&self, number: u64) -> Option<u64> {
        let (&start, _) = self.memories.range(..=number).next_back()?;
        (number - start <= self.bytes).then_some(start)
    }

    fn variable(&mut self, var: VarId, bits: u128) {
        let info = self.program.var(var);
        // What is on its way is no pointer that the program has.
        if matches!(info.kind, VariableKind::Temporary | VariableKind::Result) {
            return;
        }
        let depth = if info.function.is_none() {
            0
        } else {
            self.active.len()
        };
        for memory in self.memories.values_mut() {
            memory.variables.remove(&(depth, var));
        }
        let pointed_to = u64::try_from(bits)
            .ok()
            .and_then(|bits| self.pointed_to(bits));
        if let Some(memory) = pointed_to.and_then(|start| self.memories.get_mut(&start)) {
            memory.variables.insert((depth, var));
        }
    }

    fn written(&mut self, address: u64, size: u64, view: &View<'_>) {
        let bytes = u64::from(self.program.model.pointer_bits() / 8);
        let first = address.saturating_sub(bytes - 1);
        let end = address.saturating_add(size);
        for memory in self.memories.values_mut() {
            memory.places.retain(|place| !(first..end).contains(place));
        }
        // Long copies are looked at where pointers usually lie.
        let (start, step) = if size > bytes {
            (address, bytes)
        } else {
            (first, 1)
        };
        for place in (start..end).step_by(step as usize) {
            let value = (0..bytes).try_fold(0u64, |value, at| {
                Some(value | u64::from(view.byte(place.checked_add(at)?)?) << (8 * at))
            });
            let pointed_to = value.and_then(|value| self.pointed_to(value));
            if let Some(memory) = pointed_to.and_then(|start| self.memories.get_mut(&start)) {
                memory.places.insert(place);
            }
        }
    }

    /// Notes what nothing leads to any more.
    fn note(&mut self, had_some: &BTreeSet<u64>, edge: EdgeId) {
        for (start, memory) in &mut self.memories {
            if memory.is_lost() && had_some.contains(start) {
                memory.lost = Some(edge);
            }
        }
    }

    fn held(&self) -> BTreeSet<u64> {
        let held = self.memories.iter().filter(|(_, memory)| !memory.is_lost());
        held.map(|(&start, _)| start).collect()
    }
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        if self.active.is_empty() {
            self.active.push(view.function());
        }
        let had_some = self.held();
        if let Some(function) = self.entered.take() {
            for &param in &self.program.function(function).params {
                if let Some(bits) = view.variable(param) {
                    self.variable(param, bits);
                }
            }
        }
        let op = self.program.edge_op(edge);
        if let (
            Op::Allocate { object, .. } | Op::Reallocate { object, .. },
            Change::Variable(_, bits),
        ) = (op, change)
            && *object == self.object
            && self.memories.len() < MAX_FOLLOWED
            && let Ok(start @ 1..) = u64::try_from(bits)
        {
            self.memories.insert(start, Memory::default());
        }
        if matches!(op, Op::Release(_) | Op::Reallocate { .. }) {
            self.memories
                .retain(|&start, _| view.object_at(start).is_some());
        }
        match change {
            Change::Nothing => {}
            Change::Variable(var, bits) => self.variable(var, bits),
            Change::Memory { address, size } => self.written(address, size, view),
            Change::Call(function) => {
                self.active.push(function);
                self.entered = Some(function);
            }
        }
        self.note(&had_some, edge);
    }

    fn leave(&mut self, call: EdgeId, change: Change, view: &View<'_>) {
        let had_some = self.held();
        let depth = self.active.len();
        self.entered = None;
        self.active.pop();
        for memory in self.memories.values_mut() {
            memory.variables.retain(|(at, _)| *at < depth);
            // The objects of the function are gone.
            memory
                .places
                .retain(|&place| view.object_at(place).is_some());
        }
        if let Change::Variable(var, bits) = change {
            self.variable(var, bits);
        }
        self.note(&had_some, call);
    }
}
