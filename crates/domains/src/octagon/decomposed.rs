//! Octagons over any number type: bottom, sharing between copies, and the memory of widening.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::bound::Bound;
use super::closure::Empty;
use super::matrix::Matrix;
use super::shape::{Literal, Place, Shape};
use crate::linear::VarId;
use crate::thresholds::Thresholds;

/// No limit on the number of variables that a join relates to one another.
pub(crate) const UNLIMITED: usize = usize::MAX;

/// An octagon in closed, decomposed form; a copy shares everything until one of the two is changed.
#[derive(Clone, Debug)]
pub(crate) struct Decomposed<M: Matrix> {
    /// `None` is the empty octagon.
    closed: Option<Arc<Shape<M>>>,
    /// After a widening: its result before closure, from which the next widening must go on to be
    /// sure to end.
    widened: Option<Arc<Shape<M>>>,
}

impl<M: Matrix> PartialEq for Decomposed<M> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.closed, &other.closed) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
            (None, None) => true,
            _ => false,
        }
    }
}

impl<M: Matrix> Decomposed<M> {
    pub fn top() -> Self {
        Self::of(Ok(Shape::unconstrained()))
    }

    pub fn bottom() -> Self {
        Decomposed {
            closed: None,
            widened: None,
        }
    }

    /// The octagon of the constraints `to - from <= bound`.
    pub fn of_differences(differences: Vec<(Literal, Literal, M::Bound)>) -> Self {
        Self::of(Shape::of_differences(&differences))
    }

    fn of(shape: Result<Shape<M>, Empty>) -> Self {
        Decomposed {
            closed: shape.ok().map(Arc::new),
            widened: None,
        }
    }

    pub fn fingerprint(&self, mut hasher: &mut dyn Hasher)
    where
        M::Bound: Hash,
    {
        let Some(shape) = &self.closed else {
            return;
        };
        for single in &shape.singles {
            (single.variable, single.upper, single.lower).hash(&mut hasher);
        }
        for block in &shape.blocks {
            block.variables.hash(&mut hasher);
        }
    }

    pub fn is_bottom(&self) -> bool {
        self.closed.is_none()
    }

    pub fn is_top(&self) -> bool {
        self.closed
            .as_ref()
            .is_some_and(|s| s.singles.is_empty() && s.blocks.is_empty())
    }

    pub fn shape(&self) -> Option<&Shape<M>> {
        self.closed.as_deref()
    }

    /// Changes the contents, if there are any.
    pub fn update(&mut self, change: impl FnOnce(&mut Shape<M>) -> Result<(), Empty>) {
        self.widened = None;
        if let Some(shape) = &mut self.closed
            && change(Arc::make_mut(shape)).is_err()
        {
            self.closed = None;
        }
    }

    /// Adds `to - from <= bound`. What is known already changes nothing, not even the memory of a
    /// widening.
    pub fn add_constraint(&mut self, from: Literal, to: Literal, bound: M::Bound) {
        if self.shape().is_some_and(|s| s.bound(from, to) > bound) {
            self.update(|s| s.add_constraint(from, to, bound));
        }
    }

    pub fn forget(&mut self, variable: VarId) {
        if self
            .shape()
            .is_some_and(|s| s.place(variable) != Place::Absent)
        {
            self.update(|s| {
                s.forget(variable);
                Ok(())
            });
        }
    }

    pub fn leq(&self, other: &Self) -> bool {
        match (&self.closed, &other.closed) {
            (None, _) => true,
            (_, None) => false,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a.leq(b),
        }
    }

    pub fn join(&self, other: &Self, limit: usize) -> Self {
        match (&self.closed, &other.closed) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => self.clone(),
            (Some(a), Some(b)) => Self::of(Ok(a.join(b, limit))),
        }
    }

    pub fn meet(&self, other: &Self) -> Self {
        match (&self.closed, &other.closed) {
            (None, _) | (_, None) => Self::bottom(),
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => self.clone(),
            (Some(a), Some(b)) => Self::of(a.meet(b)),
        }
    }

    pub fn narrow(&self, newer: &Self) -> Self {
        match (&self.closed, &newer.closed) {
            (None, _) | (_, None) => Self::bottom(),
            (Some(a), Some(b)) => Self::of(a.narrow(b)),
        }
    }

    pub fn widen(&self, newer: &Self, thresholds: &Thresholds, limit: usize) -> Self {
        let (older, newer_shape) = match (&self.closed, &newer.closed) {
            (None, _) => return newer.clone(),
            (_, None) => return self.clone(),
            (Some(a), Some(b)) => (self.widened.as_ref().unwrap_or(a), b),
        };
        let widened = older.widen(newer_shape, thresholds, limit);
        // The widened constraints hold for both operands, which are not empty.
        match widened.closed() {
            Ok(closed) => Decomposed {
                closed: Some(Arc::new(closed)),
                widened: Some(Arc::new(widened)),
            },
            Err(Empty) => Self::top(),
        }
    }

    /// The bound of `to - from`.
    pub fn bound(&self, from: Literal, to: Literal) -> M::Bound {
        self.shape()
            .map_or(M::Bound::INFINITY, |s| s.bound(from, to))
    }

    pub fn rename(&self, rename: impl Fn(VarId) -> VarId) -> Self {
        Decomposed {
            closed: self.closed.as_ref().map(|s| Arc::new(s.rename(&rename))),
            widened: None,
        }
    }
}
