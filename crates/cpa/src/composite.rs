//! The composite of two analyses (Stieglmaier2014: T. Stieglmaier, *Octagon-Based Software
//! Verification with CPAchecker*, 2014, section 2.2.3): pairs of states, with strengthening.
//!
//! Composites nest to any number of components. They are specialised by generics: a step costs no
//! indirect call.

use crate::call_stack::CallStackCpa;
use crate::formalism::{Cpa, Placed};
use crate::location::LocationCpa;
use crate::reached::NodeId;
use absint::place::{CallPlace, StackId, Step};
use cfa::program::{LocId, Program};

/// How the components of a composite inform one another.
///
/// Law: strengthening keeps every concrete state that both components stand for.
pub trait Combine<A, B> {
    /// The operators `↓` in both directions; `false` if the two contradict one another.
    fn strengthen(&mut self, first: &mut A, second: &mut B, step: &Step) -> bool;
}

/// The components do not look at each other.
pub struct Independent;

impl<A, B> Combine<A, B> for Independent {
    fn strengthen(&mut self, _: &mut A, _: &mut B, _: &Step) -> bool {
        true
    }
}

pub struct Composite<A: Cpa, B: Cpa, C = Independent> {
    pub first: A,
    pub second: B,
    pub combine: C,
    first_successors: Vec<A::State>,
    second_successors: Vec<B::State>,
}

impl<A: Cpa, B: Cpa> Composite<A, B> {
    pub fn new(first: A, second: B) -> Composite<A, B> {
        Composite::combined(first, second, Independent)
    }
}

impl<A: Cpa, B: Cpa, C> Composite<A, B, C> {
    pub fn combined(first: A, second: B, combine: C) -> Composite<A, B, C> {
        Composite {
            first,
            second,
            combine,
            first_successors: Vec::new(),
            second_successors: Vec::new(),
        }
    }
}

impl<A: Cpa, B: Cpa, C: Combine<A::State, B::State>> Cpa for Composite<A, B, C> {
    type State = (A::State, B::State);
    type Precision = (A::Precision, B::Precision);

    fn initial(&mut self) -> (Self::State, Self::Precision) {
        let (a, p) = self.first.initial();
        let (b, q) = self.second.initial();
        ((a, b), (p, q))
    }

    fn successors(
        &mut self,
        state: &Self::State,
        precision: &Self::Precision,
        step: &Step,
        successors: &mut Vec<Self::State>,
    ) {
        let mut first = std::mem::take(&mut self.first_successors);
        self.first
            .successors(&state.0, &precision.0, step, &mut first);
        if !first.is_empty() {
            let mut second = std::mem::take(&mut self.second_successors);
            self.second
                .successors(&state.1, &precision.1, step, &mut second);
            let last = first.len() - 1;
            for (index, a) in first.drain(..).enumerate() {
                if index == last {
                    for mut b in second.drain(..) {
                        let mut a = a.clone();
                        if self.combine.strengthen(&mut a, &mut b, step) {
                            successors.push((a, b));
                        }
                    }
                } else {
                    for b in &second {
                        let (mut a, mut b) = (a.clone(), b.clone());
                        if self.combine.strengthen(&mut a, &mut b, step) {
                            successors.push((a, b));
                        }
                    }
                }
            }
            self.second_successors = second;
        }
        self.first_successors = first;
    }

    fn adjust(
        &mut self,
        state: Self::State,
        precision: Self::Precision,
        step: &Step,
    ) -> Option<(Self::State, Self::Precision)> {
        let (a, p) = self.first.adjust(state.0, precision.0, step)?;
        let (b, q) = self.second.adjust(state.1, precision.1, step)?;
        Some(((a, b), (p, q)))
    }

    fn may_merge(&self, place: CallPlace) -> bool {
        self.first.may_merge(place) || self.second.may_merge(place)
    }

    /// `merge^agree`: both components merge to something that covers the new state, or nothing is
    /// merged.
    fn merge(
        &mut self,
        new: &Self::State,
        old: &Self::State,
        precision: &Self::Precision,
        place: CallPlace,
    ) -> Option<Self::State> {
        let first = self.first.merge(&new.0, &old.0, &precision.0, place);
        let second = self.second.merge(&new.1, &old.1, &precision.1, place);
        if first.is_none() && second.is_none() {
            return None;
        }
        let merged = (
            first.unwrap_or_else(|| old.0.clone()),
            second.unwrap_or_else(|| old.1.clone()),
        );
        self.leq(new, &merged).then_some(merged)
    }

    fn leq(&mut self, small: &Self::State, large: &Self::State) -> bool {
        self.first.leq(&small.0, &large.0) && self.second.leq(&small.1, &large.1)
    }

    fn identity(&mut self, state: &Self::State) -> Option<u64> {
        let (a, b) = (
            self.first.identity(&state.0)?,
            self.second.identity(&state.1)?,
        );
        // Each component's numbers are small; where they are not, equality could not be told.
        let wide = u32::try_from(b).is_err() || u32::try_from(a).is_err();
        (!wide).then_some(a << 32 | b)
    }

    /// Asks the second component about the states whose first component covers.
    fn stop<'a>(
        &mut self,
        state: &Self::State,
        precision: &Self::Precision,
        reached: &mut dyn Iterator<Item = (NodeId, &'a Self::State)>,
    ) -> Option<NodeId>
    where
        Self::State: 'a,
    {
        let first = &mut self.first;
        let mut covering = reached
            .filter(|(_, other)| first.leq(&state.0, &other.0))
            .map(|(node, other)| (node, &other.1));
        self.second.stop(&state.1, &precision.1, &mut covering)
    }

    fn is_target(&self, state: &Self::State) -> bool {
        self.first.is_target(&state.0) || self.second.is_target(&state.1)
    }
}

/// Locations with call stacks: the first component of every analysis of a whole program.
pub type PlaceCpa<'p> = Composite<LocationCpa<'p>, CallStackCpa>;

pub fn places(program: &Program) -> PlaceCpa<'_> {
    Composite::new(LocationCpa { program }, CallStackCpa)
}

/// An analysis together with that of places.
pub type Whole<'p, C> = Composite<PlaceCpa<'p>, C>;

/// The analysis of a whole program: places, and what `inner` knows at them.
pub fn whole<C: Cpa>(program: &Program, inner: C) -> Whole<'_, C> {
    Composite::new(places(program), inner)
}

impl<S> Placed for ((LocId, StackId), S) {
    fn place(&self) -> CallPlace {
        CallPlace {
            location: self.0.0,
            stack: self.0.1,
        }
    }
}
