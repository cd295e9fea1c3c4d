//! The analysis for one precision.

use crate::formalism::Cpa;
use crate::proof::Expressible;
use absint::numeric::NumericState;
use absint::numeric::express::Writer;
use absint::numeric::transfer::{Everything, Transfer};
use absint::numeric::translate::dimension;
use absint::place::{CallPlace, Step};
use cfa::expr::{ExprId, VarId};
use cfa::order::loop_heads;
use cfa::program::{LocId, Program};
use domains::expression_map::ExpressionMap;
use domains::thresholds::Thresholds;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;

/// `π = (Y, n, w)`. All states of a run have the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvariantsPrecision {
    /// `Y`: states that differ in one of these are not merged.
    pub important: BTreeSet<VarId>,
    /// `n`: how deep expressions nest.
    pub depth: u32,
    /// `w`: whether merging widens.
    pub widening: bool,
}

impl InvariantsPrecision {
    /// The paper's first one: no important variable, expressions with one operator, widening.
    pub fn first() -> Self {
        InvariantsPrecision {
            important: BTreeSet::new(),
            depth: 1,
            widening: true,
        }
    }
}

pub type State = Rc<NumericState<ExpressionMap>>;

/// Do the expressions of important variables differ?
pub fn differ(precision: &InvariantsPrecision, first: &State, second: &State) -> bool {
    let (a, b) = (&first.integers, &second.integers);
    precision.important.iter().any(|&var| {
        let var = dimension(var);
        a.intervals(var) != b.intervals(var) || a.definition(var) != b.definition(var)
    })
}

pub struct InvariantsCpa<'p> {
    transfer: Transfer<'p>,
    precision: Rc<InvariantsPrecision>,
    thresholds: Thresholds,
    heads: FxHashSet<LocId>,
}

impl<'p> InvariantsCpa<'p> {
    pub fn new(program: &'p Program, precision: InvariantsPrecision, thresholds: bool) -> Self {
        InvariantsCpa {
            transfer: Transfer::new(program, false),
            precision: Rc::new(precision),
            thresholds: if thresholds {
                absint::thresholds::of_program(program)
            } else {
                Thresholds::none()
            },
            heads: loop_heads(program),
        }
    }
}

impl Cpa for InvariantsCpa<'_> {
    type State = State;
    type Precision = Rc<InvariantsPrecision>;

    fn initial(&mut self) -> (State, Self::Precision) {
        let top = ExpressionMap::new(self.precision.depth);
        (Rc::new(NumericState::new(top)), self.precision.clone())
    }

    fn successors(
        &mut self,
        state: &State,
        _: &Self::Precision,
        step: &Step,
        successors: &mut Vec<State>,
    ) {
        if let Some(after) = self.transfer.apply(state, step, &Everything) {
            successors.push(Rc::new(after));
        }
    }

    fn may_merge(&self, _: CallPlace) -> bool {
        true
    }

    fn merge(
        &mut self,
        new: &State,
        old: &State,
        precision: &Self::Precision,
        place: CallPlace,
    ) -> Option<State> {
        if differ(precision, new, old) || self.leq(new, old) {
            return None;
        }
        let union = old.join(new);
        Some(Rc::new(
            if precision.widening && self.heads.contains(&place.location) {
                old.widen(&union, &self.thresholds)
            } else {
                union
            },
        ))
    }

    fn leq(&mut self, small: &State, large: &State) -> bool {
        Rc::ptr_eq(small, large) || small.leq(large)
    }
}

impl Expressible for InvariantsCpa<'_> {
    fn express(&self, state: &State, writer: &mut Writer<'_>) -> ExprId {
        writer.state(state)
    }
}
