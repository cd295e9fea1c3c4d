//! The analysis that bounds the iterations of loops: how often each loop around the place was
//! entered again.
//!
//! It counts passages of loop heads on the way and cuts paths beyond the bound. Whoever composes it
//! with another analysis looks at [`LoopBoundCpa::was_exceeded`]: with paths cut, a complete
//! exploration is no proof (Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis with
//! Auxiliary Invariants*, 2016, section 2.3.3 uses it so for a first look at a program).

use crate::formalism::Cpa;
use absint::place::{StackId, Step, StepKind};
use cfa::order::Order;
use cfa::program::{FuncId, LocId, Program};
use std::rc::Rc;

/// For each loop around the place, from the outermost in: its activation, its head and the
/// iterations so far.
pub type LoopCounts = Rc<[(StackId, LocId, u32)]>;

pub struct LoopBoundCpa<'p> {
    pub program: &'p Program,
    pub bound: u32,
    exceeded: bool,
    orders: Vec<Option<Rc<Order>>>,
}

impl<'p> LoopBoundCpa<'p> {
    pub fn new(program: &'p Program, bound: u32) -> LoopBoundCpa<'p> {
        LoopBoundCpa {
            program,
            bound,
            exceeded: false,
            orders: vec![None; program.functions.len()],
        }
    }

    /// Was a path cut?
    pub fn was_exceeded(&self) -> bool {
        self.exceeded
    }

    fn order(&mut self, function: FuncId) -> Rc<Order> {
        let program = self.program;
        self.orders[function.0 as usize]
            .get_or_insert_with(|| Rc::new(Order::of(program, function)))
            .clone()
    }
}

impl Cpa for LoopBoundCpa<'_> {
    type State = LoopCounts;
    type Precision = ();

    fn initial(&mut self) -> (LoopCounts, ()) {
        (Rc::new([]), ())
    }

    fn successors(
        &mut self,
        state: &LoopCounts,
        (): &(),
        step: &Step,
        successors: &mut Vec<LoopCounts>,
    ) {
        if step.kind == StepKind::Call {
            successors.push(state.clone());
            return;
        }
        let function = self.program.location(step.target.location).function;
        let order = self.order(function);
        let nest = order.nest(step.target.location);
        let is_around = |head: LocId| {
            nest.iter()
                .any(|&id| order.loops[id.0 as usize].head == head)
        };
        let stack = step.target.stack;
        // Counts of this activation's loops that are left, and of activations that have ended, are
        // dropped.
        let callee = (step.kind == StepKind::Return).then_some(step.source.stack);
        let kept = state.iter().filter(|(activation, head, _)| {
            Some(*activation) != callee && (*activation != stack || is_around(*head))
        });
        let mut counts: Vec<_> = kept.copied().collect();
        if order.loop_of_head(step.target.location).is_some() {
            let key = (stack, step.target.location);
            match counts.iter_mut().find(|c| (c.0, c.1) == key) {
                Some(count) => count.2 += 1,
                None => counts.push((key.0, key.1, 0)),
            }
            if counts.iter().any(|count| count.2 > self.bound) {
                self.exceeded = true;
                return;
            }
        }
        let same = counts.len() == state.len() && counts.iter().eq(state.iter());
        successors.push(if same { state.clone() } else { counts.into() });
    }

    fn leq(&mut self, small: &LoopCounts, large: &LoopCounts) -> bool {
        small == large
    }
}
