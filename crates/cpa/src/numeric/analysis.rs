//! The Octagon CPA of thesis 004, section 3.1, over any numeric domain.
//!
//! | paper | here |
//! |---|---|
//! | octagon | [`NumericState`] over the chosen domain |
//! | precision `π ⊆ X` | [`Variables`] |
//! | `merge^sep`, `merge^join`, `merge^widening` | [`Merge`] |
//! | `onlyMergeAtLoopHeads` (section 4.3.2) | [`NumericOptions::merge_only_at_loop_heads`] |
//!
//! Deviation: the widening may use thresholds (the thesis's future work, section 6.2).

use super::NumericState;
use super::express::Writer;
use super::transfer::Transfer;
use crate::formalism::{Cpa, Merge};
use crate::place::{Place, Step};
use crate::precision::Variables;
use crate::proof::Expressible;
use cfa::expr::ExprId;
use cfa::order::Order;
use cfa::program::{FuncId, LocId, Program};
use domains::numeric::NumericDomain;
use domains::thresholds::Thresholds;
use rustc_hash::FxHashSet;
use std::rc::Rc;

#[derive(Clone, Debug, Default)]
pub struct NumericOptions {
    pub merge: Merge,
    pub merge_only_at_loop_heads: bool,
    pub handle_floats: bool,
    pub threshold_widening: bool,
}

pub struct NumericCpa<'p, D> {
    pub transfer: Transfer<'p>,
    pub precision: Variables,
    top: D,
    options: NumericOptions,
    thresholds: Thresholds,
    heads: FxHashSet<LocId>,
}

impl<'p, D: NumericDomain> NumericCpa<'p, D> {
    pub fn new(
        program: &'p Program,
        top: D,
        precision: Variables,
        options: NumericOptions,
    ) -> NumericCpa<'p, D> {
        let functions = 0..program.functions.len() as u32;
        let heads = functions
            .flat_map(|number| Order::of(program, FuncId(number)).loops)
            .map(|found| found.head)
            .collect();
        let thresholds = if options.threshold_widening {
            crate::thresholds::of_program(program)
        } else {
            Thresholds::none()
        };
        NumericCpa {
            transfer: Transfer::new(program, options.handle_floats),
            precision,
            top,
            options,
            thresholds,
            heads,
        }
    }
}

impl<D: NumericDomain> Cpa for NumericCpa<'_, D> {
    type State = Rc<NumericState<D>>;
    type Precision = Variables;

    fn initial(&mut self) -> (Self::State, Variables) {
        let state = NumericState::new(self.top.clone());
        (Rc::new(state), self.precision.clone())
    }

    fn successors(
        &mut self,
        state: &Self::State,
        precision: &Variables,
        step: &Step,
        successors: &mut Vec<Self::State>,
    ) {
        if let Some(after) = self.transfer.apply(state, step, precision) {
            // Most steps change nothing: share the state.
            let same = after == **state;
            successors.push(if same { state.clone() } else { Rc::new(after) });
        }
    }

    fn may_merge(&self, place: Place) -> bool {
        self.options.merge != Merge::Sep
            && (!self.options.merge_only_at_loop_heads || self.heads.contains(&place.location))
    }

    fn merge(
        &mut self,
        new: &Self::State,
        old: &Self::State,
        _: &Variables,
        place: Place,
    ) -> Option<Self::State> {
        if !self.may_merge(place) || self.leq(new, old) {
            return None;
        }
        let joined = old.join(new);
        let merged = match self.options.merge {
            Merge::Sep => return None,
            Merge::Join => joined,
            Merge::Widening => old.widen(&joined, &self.thresholds),
        };
        Some(Rc::new(merged))
    }

    fn leq(&mut self, small: &Self::State, large: &Self::State) -> bool {
        Rc::ptr_eq(small, large) || small.leq(large)
    }
}

impl<D: NumericDomain> Expressible for NumericCpa<'_, D> {
    fn express(&self, state: &Self::State, writer: &mut Writer<'_>) -> ExprId {
        writer.state(state)
    }
}
