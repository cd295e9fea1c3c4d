//! Symbolic states: every variable and region as a term over inputs, under a path condition.
//!
//! One representation serves all uses: a transition formula is `path ∧ ⋀ x' = value of x`, a
//! strongest postcondition the same with the initial values renamed, a weakest precondition a
//! substitution.

use crate::algebra::sort_of;
use crate::path::Path;
use crate::persistent::PVec;
use cfa::expr::VarId;
use cfa::memory::{ObjectId, ObjectKind, RegionId};
use cfa::program::{FuncId, Program};
use logic::{Sort, Term, TermPool};
use std::rc::Rc;

/// Where the variables of a program lie in a state.
#[derive(Debug)]
pub struct Slots {
    /// For each variable: its number among the globals, or among its function's locals.
    slot: Vec<u32>,
    function: Vec<Option<FuncId>>,
    globals: Vec<VarId>,
    locals: Vec<Vec<VarId>>,
    /// For each object: the function of which several activations may have one at a time.
    activation: Vec<Option<FuncId>>,
    /// The same by function.
    objects: Vec<Vec<ObjectId>>,
}

impl Slots {
    pub fn new(program: &Program) -> Slots {
        let mut slots = Slots {
            slot: Vec::new(),
            function: Vec::new(),
            globals: Vec::new(),
            locals: vec![Vec::new(); program.functions.len()],
            activation: Vec::new(),
            objects: vec![Vec::new(); program.functions.len()],
        };
        for (number, object) in program.objects.iter().enumerate() {
            let owner = match object.kind {
                ObjectKind::Local(function) if !object.unique => Some(function),
                _ => None,
            };
            slots.activation.push(owner);
            if let Some(function) = owner {
                slots.objects[function.0 as usize].push(ObjectId(number as u32));
            }
        }
        for (number, var) in program.vars.iter().enumerate() {
            let list = match var.function {
                Some(function) => &mut slots.locals[function.0 as usize],
                None => &mut slots.globals,
            };
            slots.slot.push(list.len() as u32);
            slots.function.push(var.function);
            list.push(VarId(number as u32));
        }
        slots
    }

    /// Does each activation of a function that may be active several times have such an object?
    pub(crate) fn is_of_activation(&self, object: ObjectId) -> bool {
        self.activation[object.0 as usize].is_some()
    }

    /// The objects of which each activation of the function has its own while others are active.
    pub(crate) fn objects_of(&self, function: FuncId) -> &[ObjectId] {
        &self.objects[function.0 as usize]
    }
}

/// Values of the variables of one activation of a function.
#[derive(Clone, Debug)]
struct Frame {
    function: FuncId,
    values: PVec<Term>,
    /// The addresses of the activation's own objects, where the function may be active several
    /// times: an inner activation begins its objects while those of the outer ones live.
    bases: PVec<Term>,
}

/// What the values are that nothing was assigned to.
#[derive(Clone, Debug)]
pub enum Origin {
    /// The start of the program: memory is zero or arbitrary, variables have no value yet.
    Start,
    /// Some state in the middle: everything has a value, named after the origin (see
    /// [`Origin::variable`]).
    Arbitrary(Rc<str>),
}

impl Origin {
    /// The name of the value that a variable had at first. `depth` is the number of activations
    /// below its own; of globals it does not matter.
    pub fn variable(&self, program: &Program, var: VarId, depth: usize) -> String {
        let is_local = program.var(var).function.is_some();
        match self {
            Origin::Start if is_local => format!("unset!{}@{depth}", var.0),
            Origin::Start => format!("unset!{}", var.0),
            Origin::Arbitrary(name) if is_local => format!("{name}!v{}@{depth}", var.0),
            Origin::Arbitrary(name) => format!("{name}!v{}", var.0),
        }
    }

    /// The name of what a region held at first.
    pub fn region(&self, region: RegionId) -> String {
        match self {
            Origin::Start => format!("memory!{}", region.0),
            Origin::Arbitrary(name) => format!("{name}!m{}", region.0),
        }
    }
}

#[derive(Clone, Debug)]
pub struct State {
    pub path: Path,
    pub origin: Origin,
    globals: PVec<Term>,
    /// The last one is the running function's.
    frames: Vec<Frame>,
    regions: PVec<Term>,
    /// For each object that does not live as long as the program and that no activation has for
    /// itself: the address of its latest instance.
    bases: PVec<Term>,
}

impl State {
    /// At the start of the program: no variable has a value yet.
    pub fn initial(program: &Program) -> State {
        let mut state = State::of(Origin::Start, PVec::default());
        state.enter(program.entry);
        state
    }

    pub(crate) fn of(origin: Origin, bases: PVec<Term>) -> State {
        State {
            path: Path::default(),
            origin,
            globals: PVec::default(),
            frames: Vec::new(),
            regions: PVec::default(),
            bases,
        }
    }

    /// A new activation of the function.
    pub fn enter(&mut self, function: FuncId) {
        self.frames.push(Frame {
            function,
            values: PVec::default(),
            bases: PVec::default(),
        });
    }

    /// The running activation ends.
    pub fn leave(&mut self) {
        self.frames.pop();
    }

    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The innermost activation of a function.
    fn frame(&self, function: FuncId) -> Option<usize> {
        self.frames
            .iter()
            .rposition(|frame| frame.function == function)
    }

    /// The value that was assigned to a variable; of a local: in the innermost activation of its
    /// function.
    pub fn assigned(&self, slots: &Slots, var: VarId) -> Option<Term> {
        let slot = slots.slot[var.0 as usize] as usize;
        match slots.function[var.0 as usize] {
            None => self.globals.get(slot),
            Some(function) => self.frames[self.frame(function)?].values.get(slot),
        }
    }

    /// The value of a variable, assigned or as the state's origin has it.
    pub fn value(&self, program: &Program, slots: &Slots, pool: &mut TermPool, var: VarId) -> Term {
        self.assigned(slots, var).unwrap_or_else(|| {
            let depth = slots.function[var.0 as usize].and_then(|function| self.frame(function));
            // A variable of a function that is not active has no value; any will do.
            let depth = depth.unwrap_or(usize::MAX);
            let name = self.origin.variable(program, var, depth);
            pool.var(&name, sort_of(program.var(var).ty))
        })
    }

    pub fn set(&mut self, slots: &Slots, var: VarId, value: Term) {
        let slot = slots.slot[var.0 as usize] as usize;
        match slots.function[var.0 as usize] {
            None => self.globals.set(slot, value),
            Some(function) => {
                if let Some(frame) = self.frame(function) {
                    self.frames[frame].values.set(slot, value);
                }
            }
        }
    }

    pub fn region(&self, region: RegionId) -> Option<Term> {
        self.regions.get(region.0 as usize)
    }

    pub fn set_region(&mut self, region: RegionId, contents: Term) {
        self.regions.set(region.0 as usize, contents);
    }

    /// The address of the latest instance of an object; of what activations have for themselves: in
    /// the innermost activation of its function.
    pub fn base(&self, slots: &Slots, object: ObjectId) -> Option<Term> {
        let index = object.0 as usize;
        match slots.activation[index] {
            None => self.bases.get(index),
            Some(function) => self.frames[self.frame(function)?].bases.get(index),
        }
    }

    pub fn set_base(&mut self, slots: &Slots, object: ObjectId, address: Term) {
        let index = object.0 as usize;
        match slots.activation[index] {
            None => self.bases.set(index, address),
            Some(function) => {
                if let Some(frame) = self.frame(function) {
                    self.frames[frame].bases.set(index, address);
                }
            }
        }
    }

    /// The state that is either: where the paths say so, values are chosen between.
    ///
    /// Law: the two paths never hold at once, both states have one origin and are at one place with
    /// one call stack.
    #[must_use]
    pub fn join(
        &self,
        other: &State,
        program: &Program,
        slots: &Slots,
        pool: &mut TermPool,
    ) -> State {
        debug_assert_eq!(self.frames.len(), other.frames.len());
        let (path, select) = self.path.join(&other.path, pool);
        // What a place holds that only one side assigned to: the other has what the origin says.
        fn merge(
            (left, right): (&PVec<Term>, &PVec<Term>),
            pool: &mut TermPool,
            select: Term,
            default: &dyn Fn(&mut TermPool, usize, Sort) -> Term,
        ) -> PVec<Term> {
            let mut merged = left.clone();
            left.differences(right, &mut |index, a, b| {
                let sort = pool.sort(a.or(b).expect("one of the two differs from nothing"));
                let a = a.unwrap_or_else(|| default(pool, index, sort));
                let b = b.unwrap_or_else(|| default(pool, index, sort));
                let value = pool.ite(select, a, b);
                merged.set(index, value);
            });
            merged
        }
        let variable = |pool: &mut TermPool, var: VarId, depth: usize| {
            let name = self.origin.variable(program, var, depth);
            pool.var(&name, sort_of(program.var(var).ty))
        };
        let globals = merge(
            (&self.globals, &other.globals),
            pool,
            select,
            &|pool, slot, _| variable(pool, slots.globals[slot], 0),
        );
        // Before its life an object has no address that could matter.
        let unset_base = |pool: &mut TermPool, object: usize, sort: Sort| {
            pool.var(&format!("unset-base!{object}"), sort)
        };
        let mut frames = Vec::with_capacity(self.frames.len());
        for (depth, (left, right)) in self.frames.iter().zip(&other.frames).enumerate() {
            let locals = &slots.locals[left.function.0 as usize];
            let values = merge(
                (&left.values, &right.values),
                pool,
                select,
                &|pool, slot, _| variable(pool, locals[slot], depth),
            );
            let bases = merge((&left.bases, &right.bases), pool, select, &unset_base);
            frames.push(Frame {
                function: left.function,
                values,
                bases,
            });
        }
        let regions = merge(
            (&self.regions, &other.regions),
            pool,
            select,
            &|pool, region, _| {
                crate::memory::original_contents(
                    program,
                    pool,
                    &self.origin,
                    RegionId(region as u32),
                )
            },
        );
        let bases = merge((&self.bases, &other.bases), pool, select, &unset_base);
        State {
            path,
            origin: self.origin.clone(),
            globals,
            frames,
            regions,
            bases,
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
