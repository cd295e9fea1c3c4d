//! Local variables that nothing reads any more: states that differ in nothing else are one.

use super::NumericState;
use super::translate::dimension;
use cfa::expr::VarId;
use cfa::live::Live;
use cfa::program::{FuncId, LocId, Program};
use domains::numeric::NumericDomain;
use std::rc::Rc;

pub struct DeadLocals<'p> {
    program: &'p Program,
    /// For each function.
    locals: Vec<Vec<VarId>>,
    live: Vec<Option<Rc<Live>>>,
}

impl<'p> DeadLocals<'p> {
    pub fn new(program: &'p Program) -> DeadLocals<'p> {
        DeadLocals {
            program,
            locals: program.locals(),
            live: vec![None; program.functions.len()],
        }
    }

    /// Locals of the running function whose values may still matter at a location.
    pub fn live(&mut self, location: LocId) -> impl Iterator<Item = VarId> {
        let function = self.program.location(location).function;
        let live = self.of(function);
        let locals = self.locals[function.0 as usize].iter().copied();
        locals.filter(move |&var| live.is_live(location, var))
    }

    /// Forgets what does not matter any more at a location.
    pub fn forget<D: NumericDomain>(&mut self, state: &mut NumericState<D>, location: LocId) {
        let function = self.program.location(location).function;
        let live = self.of(function);
        for &var in &self.locals[function.0 as usize] {
            if live.is_live(location, var) {
                continue;
            }
            if self.program.var(var).ty.is_float() {
                state.floats.forget(dimension(var));
            } else {
                state.integers.forget(dimension(var));
            }
        }
    }

    fn of(&mut self, function: FuncId) -> Rc<Live> {
        let program = self.program;
        self.live[function.0 as usize]
            .get_or_insert_with(|| Rc::new(Live::of(program, function)))
            .clone()
    }
}
