//! Values told apart only as far as the program tells them apart.
//!
//! A program that reacts to inputs compares its variables with constants all the time and computes
//! new values from old ones. Analyses that keep states apart follow every value then, although what
//! the program does next depends only on which side of each constant a value lies. So wherever a
//! loop begins again, the bounds of a variable are moved outwards to the nearest constants that it
//! is compared with: there are finitely many states, and usually few.
//!
//! A variable that is compared with nothing may have any value. Where ways meet inside a loop, this
//! is done as well for variables that the program only compares with constants: nothing is lost by
//! it there, and states that differ in nothing else are one.

use super::dead::DeadLocals;
use super::translate::dimension;
use cfa::comparisons::Comparisons;
use cfa::expr::VarId;
use cfa::program::{LocId, Program};
use domains::interval::Interval;
use domains::numeric::NumericDomain;

/// Where which variables have classes; the classes themselves are a part of the precision.
pub struct Classes<'p> {
    globals: Vec<VarId>,
    dead: DeadLocals<'p>,
}

impl<'p> Classes<'p> {
    pub fn new(program: &'p Program) -> Classes<'p> {
        Classes {
            globals: program.globals(),
            dead: DeadLocals::new(program),
        }
    }

    /// The variables whose values may matter at a location.
    pub fn variables(&mut self, location: LocId) -> Vec<VarId> {
        let locals = self.dead.live(location);
        self.globals.iter().copied().chain(locals).collect()
    }

    /// Moves the bounds of a state at a location outwards: of all variables where a loop begins
    /// again, elsewhere of those that lose nothing.
    pub fn widen<D: NumericDomain>(
        &mut self,
        comparisons: &Comparisons,
        state: &mut D,
        location: LocId,
        is_head: bool,
    ) {
        for var in self.variables(location) {
            if is_head || comparisons.is_only_compared(var) {
                let before = state.interval(dimension(var));
                let after = around(comparisons, var, before);
                if after != before {
                    state.loosen(dimension(var), after);
                }
            }
        }
    }
}

/// The smallest interval of whole classes around an interval.
pub fn around(comparisons: &Comparisons, var: VarId, values: Interval) -> Interval {
    let (lower, upper) = (values.lower(), values.upper());
    let (lower, upper) = comparisons.classes_around(var, lower, upper);
    Interval::new(lower, upper)
}
