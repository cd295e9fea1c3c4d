//! More classes for a path that classes took for possible (see [`absint::numeric::classes`]).
//!
//! The path is followed with exact bounds. If they contradict it, then wherever a loop begins again
//! on it, bounds move outwards to their classes as long as the rest of the path stays impossible;
//! where one must not, a class begins at the weakest bound that still excludes the path. So the
//! path is an execution's no more, and as few others as possible are told apart for it.

use absint::numeric::NumericState;
use absint::numeric::classes::{Classes, around};
use absint::numeric::transfer::{Everything, Transfer};
use absint::numeric::translate::dimension;
use absint::place::Step;
use cfa::comparisons::Comparisons;
use cfa::expr::VarId;
use cfa::program::LocId;
use domains::interval::Interval;
use domains::numeric::NumericDomain;
use facts::budget::Budget;
use rustc_hash::FxHashSet;

/// A path with what it takes to follow it.
pub struct Along<'a, 'p> {
    pub transfer: &'a mut Transfer<'p>,
    pub heads: &'a FxHashSet<LocId>,
    pub path: &'a [Step],
    pub budget: &'a Budget,
}

/// A side of an interval.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Lower,
    Upper,
}

impl Along<'_, '_> {
    /// Begins classes that exclude the path from the given state on; `false` if bounds do not
    /// contradict it.
    pub fn exclude<D: NumericDomain>(
        &mut self,
        variables: &mut Classes<'_>,
        classes: &mut Comparisons,
        start: NumericState<D>,
    ) -> bool {
        let mut state = start;
        if !self.is_impossible(&state, 0) {
            return false;
        }
        let mut is_refined = false;
        for number in 0..self.path.len() {
            let step = self.path[number];
            match self.transfer.apply(&state, &step, &Everything) {
                Some(after) => state = after,
                None => return is_refined,
            }
            if !self.heads.contains(&step.target.location) {
                continue;
            }
            let mut loose = state.clone();
            variables.widen(classes, &mut loose.integers, step.target.location, true);
            if self.is_impossible(&loose, number + 1) {
                state = loose;
                continue;
            }
            if self.budget.is_exhausted() {
                return false;
            }
            for var in variables.variables(step.target.location) {
                is_refined |= self.loosen(classes, &mut state, var, number + 1);
            }
        }
        is_refined
    }

    /// Moves the bounds of a variable outwards as far as the path from a step on allows; whether a
    /// class had to begin.
    fn loosen<D: NumericDomain>(
        &mut self,
        classes: &mut Comparisons,
        state: &mut NumericState<D>,
        var: VarId,
        from: usize,
    ) -> bool {
        let exact = state.integers.interval(dimension(var));
        let around = around(classes, var, exact);
        if exact == around || self.try_interval(state, var, around, from) {
            return false;
        }
        let mut begins = false;
        let mut kept = exact;
        for side in [Side::Lower, Side::Upper] {
            let sides = |kept: Interval| match side {
                Side::Lower => (kept.lower(), around.lower()),
                Side::Upper => (kept.upper(), around.upper()),
            };
            let (Some(tight), loose) = sides(kept) else {
                continue;
            };
            let with = |bound: Option<i128>| match side {
                Side::Lower => Interval::new(bound, kept.upper()),
                Side::Upper => Interval::new(kept.lower(), bound),
            };
            if Some(tight) == loose {
                continue;
            }
            if self.try_interval(state, var, with(loose), from) {
                kept = with(loose);
                continue;
            }
            let range = self.transfer.range_of(var);
            let limit = match side {
                Side::Lower => loose.or(range.lower()),
                Side::Upper => loose.or(range.upper()),
            };
            let Some(mut too_loose) = limit else {
                continue;
            };
            // The weakest bound that excludes the path, by bisection.
            let mut enough = tight;
            while (too_loose - enough).abs() > 1 && !self.budget.is_exhausted() {
                let middle = enough + (too_loose - enough) / 2;
                if self.try_interval(state, var, with(Some(middle)), from) {
                    enough = middle;
                } else {
                    too_loose = middle;
                }
            }
            kept = with(Some(enough));
            begins |= classes.begin_class(var, enough + i128::from(side == Side::Upper));
        }
        state.integers.loosen(dimension(var), kept);
        begins
    }

    /// Gives the variable the interval if the path from a step on stays impossible.
    fn try_interval<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        var: VarId,
        interval: Interval,
        from: usize,
    ) -> bool {
        let mut loose = state.clone();
        loose.integers.loosen(dimension(var), interval);
        let is_impossible = self.is_impossible(&loose, from);
        if is_impossible {
            *state = loose;
        }
        is_impossible
    }

    fn is_impossible<D: NumericDomain>(&mut self, state: &NumericState<D>, from: usize) -> bool {
        let mut state = state.clone();
        for step in &self.path[from..] {
            if self.budget.is_exhausted() {
                return false;
            }
            match self.transfer.apply(&state, step, &Everything) {
                Some(after) => state = after,
                None => return true,
            }
        }
        false
    }
}
