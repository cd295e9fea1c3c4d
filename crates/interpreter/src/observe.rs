//! Watching an execution, edge by edge.

use super::code::is_wide;
use super::memory::Memory;
use super::places::Places;
use cfa::expr::VarId;
use cfa::memory::ObjectId;
use cfa::program::{EdgeId, FuncId, LocId, Program};

/// What passing an edge has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    Nothing,
    Variable(VarId, u128),
    Memory {
        address: u64,
        size: u64,
    },
    /// The edge is a call; the parameters are assigned next.
    Call(FuncId),
}

/// Told about every edge that an execution passes.
pub trait Observer {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>);

    /// The function that the edge called has returned; the change is that of the call's result.
    fn leave(&mut self, _call: EdgeId, _change: Change, _view: &View<'_>) {}
}

/// The state of an execution, to look at.
pub struct View<'a> {
    pub(super) program: &'a Program,
    pub(super) places: &'a Places,
    pub(super) memory: &'a Memory,
    pub(super) registers: &'a [u64],
    pub(super) function: FuncId,
}

impl View<'_> {
    /// The function that is being executed.
    pub fn function(&self) -> FuncId {
        self.function
    }

    /// The value of a variable: a global, or one of a function that is active (the innermost
    /// activation's).
    pub fn variable(&self, var: VarId) -> Option<u128> {
        let at = *self.places.vars.get(var.0 as usize)? as usize;
        let low = u128::from(*self.registers.get(at)?);
        Some(if is_wide(self.program.var(var).ty) {
            low | u128::from(*self.registers.get(at + 1)?) << 64
        } else {
            low
        })
    }

    /// Where an object of the program, or of a function that is active, lies now.
    pub fn address_of(&self, object: ObjectId) -> Option<u64> {
        let number = object.0 as usize;
        if let Some(fixed) = *self.places.fixed.get(number)? {
            return Some(fixed);
        }
        let register = *self.places.objects.get(number)? as usize;
        self.registers.get(register).copied()
    }

    /// A byte of memory: `None` if it is outside every live object or has no value yet.
    pub fn byte(&self, address: u64) -> Option<u8> {
        self.memory.known_byte(address)
    }

    /// The live object that the address lies in, and the offset there.
    pub fn object_at(&self, address: u64) -> Option<(ObjectId, u64)> {
        let (slot, distance) = self.memory.nearest(address)?;
        let inside = slot.live && distance == 0 && self.memory.is_live(address);
        inside.then(|| (ObjectId(slot.object), address - slot.start))
    }
}

/// The locations that executions have visited.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    visited: Vec<u64>,
    count: usize,
}

impl Coverage {
    pub fn new(program: &Program) -> Coverage {
        Coverage {
            visited: vec![0; program.locations.len().div_ceil(64)],
            count: 0,
        }
    }

    pub fn contains(&self, location: LocId) -> bool {
        let index = location.0 as usize;
        self.visited
            .get(index / 64)
            .is_some_and(|word| word & (1 << (index % 64)) != 0)
    }

    /// How many locations were visited.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn add(&mut self, location: LocId) {
        let index = location.0 as usize;
        if let Some(word) = self.visited.get_mut(index / 64) {
            let bit = 1 << (index % 64);
            self.count += usize::from(*word & bit == 0);
            *word |= bit;
        }
    }
}

impl Observer for Coverage {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        let edge = view.program.edge(edge);
        self.add(edge.source);
        match change {
            Change::Call(function) => self.add(view.program.function(function).entry),
            _ => self.add(edge.target),
        }
    }

    fn leave(&mut self, call: EdgeId, _: Change, view: &View<'_>) {
        self.add(view.program.edge(call).target);
    }
}
