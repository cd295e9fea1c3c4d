//! Symbolic states: every variable and region as a term over inputs, under a path condition.
//!
//! One representation serves all uses: a transition formula is `path ∧ ⋀ x' = value of x`, a strongest
//! postcondition the same with the initial values renamed, a weakest precondition a substitution.

use crate::path::Path;
use crate::persistent::PVec;
use cfa::expr::VarId;
use cfa::memory::{ObjectId, RegionId};
use cfa::program::Program;
use logic::{Sort, Term, TermPool};

/// Where the variables of a program lie in a state.
#[derive(Debug)]
pub struct Slots {
    /// For each variable: its number among the globals, or among its function's locals.
    slot: Vec<u32>,
    is_global: Vec<bool>,
}

impl Slots {
    pub fn new(program: &Program) -> Slots {
        let mut counts = vec![0u32; program.functions.len()];
        let mut globals = 0u32;
        let mut slots = Slots {
            slot: Vec::new(),
            is_global: Vec::new(),
        };
        for var in &program.vars {
            let count = match var.function {
                Some(function) => &mut counts[function.0 as usize],
                None => &mut globals,
            };
            slots.slot.push(*count);
            slots.is_global.push(var.function.is_none());
            *count += 1;
        }
        slots
    }
}

/// Values of the variables of one activation of a function.
pub type Frame = PVec<Term>;

#[derive(Clone, Debug, Default)]
pub struct State {
    pub path: Path,
    globals: PVec<Term>,
    /// The last one is the running function's.
    pub frames: Vec<Frame>,
    regions: PVec<Term>,
    /// For each object that does not live as long as the program: the address of its latest instance.
    bases: PVec<Term>,
}

impl State {
    /// At the start of the program: no variable has a value yet.
    pub fn initial() -> State {
        State {
            frames: vec![Frame::default()],
            ..State::default()
        }
    }

    pub fn value(&self, slots: &Slots, var: VarId) -> Option<Term> {
        let slot = slots.slot[var.0 as usize] as usize;
        if slots.is_global[var.0 as usize] {
            self.globals.get(slot)
        } else {
            self.frames.last()?.get(slot)
        }
    }

    pub fn set(&mut self, slots: &Slots, var: VarId, value: Term) {
        let slot = slots.slot[var.0 as usize] as usize;
        if slots.is_global[var.0 as usize] {
            self.globals.set(slot, value);
        } else if let Some(frame) = self.frames.last_mut() {
            frame.set(slot, value);
        }
    }

    pub fn region(&self, region: RegionId) -> Option<Term> {
        self.regions.get(region.0 as usize)
    }

    pub fn set_region(&mut self, region: RegionId, contents: Term) {
        self.regions.set(region.0 as usize, contents);
    }

    pub fn base(&self, object: ObjectId) -> Option<Term> {
        self.bases.get(object.0 as usize)
    }

    pub fn set_base(&mut self, object: ObjectId, address: Term) {
        self.bases.set(object.0 as usize, address);
    }

    /// The state that is either: where the paths say so, values are chosen between.
    ///
    /// Law: the two paths never hold at once, and both states are at one place with one call stack.
    #[must_use]
    pub fn join(&self, other: &State, pool: &mut TermPool) -> State {
        debug_assert_eq!(self.frames.len(), other.frames.len());
        let (path, select) = self.path.join(&other.path, pool);
        let mut merge = |left: &PVec<Term>, right: &PVec<Term>, unknown: &str| {
            let mut merged = left.clone();
            left.differences(right, &mut |index, a, b| {
                // A value on one side only: the variable is not live, or holds anything on the other.
                let sort = pool.sort(a.or(b).expect("one of the two differs from nothing"));
                // One name for each place: what the same merge makes twice must be the same term.
                let mut get = |value: Option<Term>| {
                    value.unwrap_or_else(|| pool.var(&format!("{unknown}!{index}!{sort}"), sort))
                };
                let (a, b) = (get(a), get(b));
                let value = pool.ite(select, a, b);
                merged.set(index, value);
            });
            merged
        };
        State {
            globals: merge(&self.globals, &other.globals, "unset-global"),
            frames: self
                .frames
                .iter()
                .zip(&other.frames)
                .map(|(left, right)| merge(left, right, "unset-local"))
                .collect(),
            regions: merge(&self.regions, &other.regions, "unset-region"),
            bases: merge(&self.bases, &other.bases, "unset-base"),
            path,
        }
    }
}

/// The sort of the array that holds a region.
pub fn region_sort(program: &Program, region: RegionId) -> Sort {
    let cell = program
        .regions
        .get(region.0 as usize)
        .map_or(8, |region| region.cell_bits);
    Sort::Array {
        index: u32::from(program.model.pointer_bits()),
        element: u32::from(cell),
    }
}
