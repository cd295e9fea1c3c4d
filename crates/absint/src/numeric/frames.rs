//! States that say of variables only those of the running function and the globals
//! (Stieglmaier2014: T. Stieglmaier, *Octagon-Based Software Verification with CPAchecker*, 2014,
//! section 6.2: fewer variables in each octagon).
//!
//! What is known of a caller's variables waits in a [`Frame`] until the call returns: no callee
//! changes them, since a variable whose address is taken lives in memory. A loop of the callee
//! therefore cannot widen them. What is lost are relations between a caller's variables and globals
//! or the callee's parameters. Of a function that is called again while it runs nothing waits: its
//! variables would be those of another activation.

use super::NumericState;
use crate::place::{Step, StepKind};
use cfa::expr::VarId;
use cfa::op::Op;
use cfa::program::{FuncId, Program};
use domains::lattice::Lattice;
use domains::linear::VarId as Dimension;
use domains::numeric::NumericDomain;
use domains::thresholds::Thresholds;
use std::ops::Deref;
use std::rc::Rc;

/// What is known of a caller's variables.
#[derive(Debug)]
pub struct Frame<D> {
    pub function: FuncId,
    pub state: Rc<NumericState<D>>,
    pub below: Frames<D>,
}

/// The innermost caller first.
pub type Frames<D> = Option<Rc<Frame<D>>>;

/// What is known now, and of callers. Without the restriction no frame ever waits.
#[derive(Debug)]
pub struct Framed<D> {
    pub now: Rc<NumericState<D>>,
    pub callers: Frames<D>,
}

impl<D> Clone for Framed<D> {
    fn clone(&self) -> Self {
        Framed {
            now: self.now.clone(),
            callers: self.callers.clone(),
        }
    }
}

impl<D> Deref for Framed<D> {
    type Target = NumericState<D>;

    fn deref(&self) -> &NumericState<D> {
        &self.now
    }
}

fn frames_leq<D: NumericDomain>(small: &Frames<D>, large: &Frames<D>) -> bool {
    let (mut small, mut large) = (small, large);
    while let (Some(a), Some(b)) = (small, large) {
        if Rc::ptr_eq(a, b) {
            return true;
        }
        if !Rc::ptr_eq(&a.state, &b.state) && !a.state.leq(&b.state) {
            return false;
        }
        (small, large) = (&a.below, &b.below);
    }
    // States at one place wait for the same calls.
    true
}

/// The frames of both, combined one by one from the outermost.
fn frames_joined<D: NumericDomain>(old: &Frames<D>, new: &Frames<D>) -> Frames<D> {
    let mut pairs = Vec::new();
    let (mut a, mut b) = (old, new);
    let mut joined = loop {
        match (a, b) {
            (Some(x), Some(y)) if Rc::ptr_eq(x, y) => break Some(x.clone()),
            (Some(x), Some(y)) => {
                pairs.push((x, y));
                (a, b) = (&x.below, &y.below);
            }
            _ => break None,
        }
    };
    for (x, y) in pairs.into_iter().rev() {
        joined = Some(Rc::new(Frame {
            function: x.function,
            state: Rc::new(x.state.join(&y.state)),
            below: joined,
        }));
    }
    joined
}

impl<D: NumericDomain> Framed<D> {
    pub fn new(now: NumericState<D>) -> Self {
        Framed {
            now: Rc::new(now),
            callers: None,
        }
    }

    pub fn leq(&self, other: &Self) -> bool {
        (Rc::ptr_eq(&self.now, &other.now) || self.now.leq(&other.now)) && self.callers_leq(other)
    }

    pub fn callers_leq(&self, other: &Self) -> bool {
        frames_leq(&self.callers, &other.callers)
    }

    #[must_use]
    pub fn join(&self, new: &Self) -> Self {
        Framed {
            now: Rc::new(self.now.join(&new.now)),
            callers: frames_joined(&self.callers, &new.callers),
        }
    }

    /// Callers' variables are joined, not widened: the caller's own loop widens them.
    #[must_use]
    pub fn widen(&self, new: &Self, thresholds: &Thresholds) -> Self {
        let joined = self.now.join(&new.now);
        Framed {
            now: Rc::new(self.now.widen(&joined, thresholds)),
            callers: frames_joined(&self.callers, &new.callers),
        }
    }

    /// The state with what a step made of the current part. `restricted` says whether callers'
    /// variables wait.
    pub fn after(
        &self,
        now: NumericState<D>,
        step: &Step,
        program: &Program,
        restricted: bool,
    ) -> Option<Self> {
        let callers = self.callers.clone();
        let unchanged = now == *self.now;
        let mut next = Framed {
            now: if unchanged {
                self.now.clone()
            } else {
                Rc::new(now)
            },
            callers,
        };
        if restricted {
            match (step.kind, program.edge_op(step.edge)) {
                (StepKind::Call, Op::Call { function, .. }) => {
                    let caller = program.location(step.source.location).function;
                    next.enter(self, caller, *function, program);
                }
                (StepKind::Return, Op::Call { result, .. }) => return next.leave(*result),
                _ => {}
            }
        }
        Some(next)
    }

    fn enter(&mut self, before: &Self, caller: FuncId, callee: FuncId, program: &Program) {
        let is_of = |dimension: Dimension, function: FuncId| {
            let var = program.vars.get(dimension.0 as usize);
            var.is_some_and(|var| var.function == Some(function))
        };
        let nothing = || NumericState::new(self.now.integers.top());
        let waiting = if caller == callee {
            nothing()
        } else {
            let mut waiting = (*before.now).clone();
            waiting
                .integers
                .retain(&|dimension| is_of(dimension, caller));
            waiting.floats.retain(|dimension| is_of(dimension, caller));
            let mut now = (*self.now).clone();
            now.integers.retain(&|dimension| !is_of(dimension, caller));
            now.floats.retain(|dimension| !is_of(dimension, caller));
            self.now = Rc::new(now);
            waiting
        };
        // Activations of the callee that wait already.
        let mut above = Vec::new();
        let mut current = self.callers.clone();
        let mut changed = false;
        while let Some(frame) = current {
            changed |= frame.function == callee;
            current = frame.below.clone();
            above.push(frame);
        }
        let mut below = self.callers.take();
        if changed {
            below = None;
            for frame in above.into_iter().rev() {
                let state = if frame.function == callee {
                    Rc::new(NumericState::new(self.now.integers.top()))
                } else {
                    frame.state.clone()
                };
                below = Some(Rc::new(Frame {
                    function: frame.function,
                    state,
                    below,
                }));
            }
        }
        self.callers = Some(Rc::new(Frame {
            function: caller,
            state: Rc::new(waiting),
            below,
        }));
    }

    /// The caller's variables come back, but for the one that gets the result.
    fn leave(mut self, result: Option<VarId>) -> Option<Self> {
        let Some(frame) = self.callers.take() else {
            return Some(self);
        };
        let mut waiting = (*frame.state).clone();
        if let Some(result) = result {
            let dimension = super::translate::dimension(result);
            waiting.integers.forget(dimension);
            waiting.floats.forget(dimension);
        }
        let now = NumericState {
            integers: self.now.integers.meet(&waiting.integers),
            floats: self.now.floats.meet(&waiting.floats),
        };
        (!now.is_bottom()).then(|| Framed {
            now: Rc::new(now),
            callers: frame.below.clone(),
        })
    }
}
