//! Values told apart only as far as the program tells them apart.
//!
//! A program that reacts to inputs compares its variables with constants all the time and computes new values from old
//! ones. Analyses that keep states apart follow every value then, although what the program does next depends only on
//! which side of each constant a value lies. So wherever a loop begins again, the bounds of a variable are moved outwards
//! to the nearest constants that it is compared with: there are finitely many states, and usually few.
//!
//! A variable that is compared with nothing may have any value, and a local variable that is not read any more is
//! forgotten. Where ways meet inside a loop, this is done as well for variables that the program only compares with
//! constants: nothing is lost by it there, and states that differ in nothing else are one.

use super::translate::dimension;
use cfa::comparisons::Comparisons;
use cfa::expr::VarId;
use cfa::live::Live;
use cfa::program::{FuncId, LocId, Program};
use domains::interval::Interval;
use domains::numeric::NumericDomain;
use std::rc::Rc;

pub struct Classes<'p> {
    program: &'p Program,
    comparisons: Comparisons,
    globals: Vec<VarId>,
    locals: Vec<Vec<VarId>>,
    live: Vec<Option<Rc<Live>>>,
}

impl<'p> Classes<'p> {
    pub fn new(program: &'p Program) -> Classes<'p> {
        let mut locals = vec![Vec::new(); program.functions.len()];
        let mut globals = Vec::new();
        for (number, var) in program.vars.iter().enumerate() {
            let id = VarId(number as u32);
            match var.function {
                _ if !var.ty.is_int() => {}
                Some(function) => locals[function.0 as usize].push(id),
                None => globals.push(id),
            }
        }
        Classes {
            program,
            comparisons: Comparisons::of(program),
            globals,
            locals,
            live: vec![None; program.functions.len()],
        }
    }

    /// The integer variables whose values may matter at a location.
    pub fn variables(&mut self, location: LocId) -> Vec<VarId> {
        let function = self.program.location(location).function;
        let live = self.live(function);
        let locals = self.locals[function.0 as usize].iter();
        let locals = locals.filter(|&&var| live.is_live(location, var));
        self.globals.iter().chain(locals).copied().collect()
    }

    /// The smallest interval of whole classes around an interval.
    pub fn around(&self, var: VarId, values: Interval) -> Interval {
        let (lower, upper) = (values.lower(), values.upper());
        let (lower, upper) = self.comparisons.classes_around(var, lower, upper);
        Interval::new(lower, upper)
    }

    /// From now on a class of the variable begins at the value; whether none did before.
    pub fn begin_class(&mut self, var: VarId, value: i128) -> bool {
        self.comparisons.begin_class(var, value)
    }

    /// Moves the bounds of a state at a location outwards: of all variables where a loop begins again, elsewhere of those
    /// that lose nothing.
    pub fn widen<D: NumericDomain>(&mut self, state: &mut D, location: LocId, is_head: bool) {
        let function = self.program.location(location).function;
        let live = self.live(function);
        for &var in &self.globals {
            if is_head || self.comparisons.is_only_compared(var) {
                self.widen_variable(state, var);
            }
        }
        for &var in &self.locals[function.0 as usize] {
            if !live.is_live(location, var) {
                state.forget(dimension(var));
            } else if is_head || self.comparisons.is_only_compared(var) {
                self.widen_variable(state, var);
            }
        }
    }

    fn live(&mut self, function: FuncId) -> Rc<Live> {
        let program = self.program;
        self.live[function.0 as usize]
            .get_or_insert_with(|| Rc::new(Live::of(program, function)))
            .clone()
    }

    fn widen_variable<D: NumericDomain>(&self, state: &mut D, var: VarId) {
        let before = state.interval(dimension(var));
        let after = self.around(var, before);
        if after != before {
            state.loosen(dimension(var), after);
        }
    }
}
