//! The subset construction on demand (M. Rabin, D. Scott: Finite Automata and Their Decision
//! Problems, 1959).
//!
//! Sets are interned, and what a letter makes of a set is asked once: several states of a
//! difference share a set, and a question may be a call of a solver.

use crate::alphabet::Letter;
use crate::automaton::Automaton;
use crate::interner::Interner;
use crate::post::Post;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A set of elements that was met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SetId(u32);

/// The sets of a [`Post`] that were met, and what is known about them.
pub struct Subsets<P: Post> {
    source: P,
    sets: Interner<Arc<[P::Element]>>,
    next: FxHashMap<(SetId, Letter), SetId>,
    accepts: FxHashMap<SetId, bool>,
    accepts_all: FxHashMap<SetId, bool>,
}

impl<P: Post> Subsets<P> {
    pub fn new(source: P) -> Self {
        Subsets {
            source,
            sets: Interner::default(),
            next: FxHashMap::default(),
            accepts: FxHashMap::default(),
            accepts_all: FxHashMap::default(),
        }
    }

    /// Give the source back.
    pub fn into_source(self) -> P {
        self.source
    }

    /// The elements of a set, ascending.
    pub fn elements(&self, set: SetId) -> &[P::Element] {
        self.sets.get(set.0).map_or(&[], |elements| elements)
    }

    fn intern(&mut self, mut elements: Vec<P::Element>) -> SetId {
        elements.sort_unstable();
        elements.dedup();
        SetId(match self.sets.number(elements.as_slice()) {
            Some(number) => number,
            None => self.sets.intern(elements.into()),
        })
    }

    pub fn first(&mut self) -> Result<SetId, P::Error> {
        let elements = self.source.first()?;
        Ok(self.intern(elements))
    }

    pub fn post(&mut self, set: SetId, letter: Letter) -> Result<SetId, P::Error> {
        if let Some(&next) = self.next.get(&(set, letter)) {
            return Ok(next);
        }
        let elements = self.sets.get(set.0).map_or(&[][..], |elements| elements);
        let next = self.source.post(elements, letter)?;
        let next = self.intern(next);
        self.next.insert((set, letter), next);
        Ok(next)
    }

    pub fn accepts(&mut self, set: SetId) -> Result<bool, P::Error> {
        if let Some(&known) = self.accepts.get(&set) {
            return Ok(known);
        }
        let elements = self.sets.get(set.0).map_or(&[][..], |elements| elements);
        let accepts = self.source.accepts(elements)?;
        self.accepts.insert(set, accepts);
        Ok(accepts)
    }

    pub fn accepts_all(&mut self, set: SetId) -> Result<bool, P::Error> {
        if let Some(&known) = self.accepts_all.get(&set) {
            return Ok(known);
        }
        let elements = self.sets.get(set.0).map_or(&[][..], |elements| elements);
        let accepts_all = self.source.accepts_all(elements)?;
        self.accepts_all.insert(set, accepts_all);
        Ok(accepts_all)
    }

    /// Say whether each element of `small` is one of `large`.
    pub fn is_subset(&self, small: SetId, large: SetId) -> bool {
        if small == large {
            return true;
        }
        let (small, large) = (self.elements(small), self.elements(large));
        let mut rest = large.iter();
        // Both ascend: what was passed in the larger set is not needed again.
        small.len() < large.len()
            && small
                .iter()
                .all(|element| rest.any(|other| other == element))
    }
}

/// The deterministic automaton with the same words; a state is a set of states, never the empty
/// one.
///
/// Law: at most one initial state, and at most one successor with each letter.
pub struct Determinised<A: Automaton> {
    subsets: Subsets<A>,
}

impl<A: Automaton> Determinised<A> {
    pub fn new(automaton: A) -> Self {
        Determinised {
            subsets: Subsets::new(automaton),
        }
    }

    /// The states that a set has, ascending.
    pub fn elements(&self, set: SetId) -> &[A::State] {
        self.subsets.elements(set)
    }

    /// No state at all instead of the empty set.
    fn unless_empty(&self, set: SetId) -> Vec<SetId> {
        match self.elements(set) {
            [] => Vec::new(),
            _ => vec![set],
        }
    }
}

impl<A: Automaton> Automaton for Determinised<A> {
    type State = SetId;
    type Error = A::Error;

    fn initial(&mut self) -> Result<Vec<SetId>, A::Error> {
        let first = self.subsets.first()?;
        Ok(self.unless_empty(first))
    }

    fn is_accepting(&mut self, state: &SetId) -> Result<bool, A::Error> {
        self.subsets.accepts(*state)
    }

    fn letters(&mut self, state: &SetId) -> Result<Vec<Letter>, A::Error> {
        let mut letters = Vec::new();
        for element in self.subsets.elements(*state).to_vec() {
            letters.extend(self.subsets.source.letters(&element)?);
        }
        letters.sort_unstable();
        letters.dedup();
        Ok(letters)
    }

    fn successors(&mut self, state: &SetId, letter: Letter) -> Result<Vec<SetId>, A::Error> {
        let next = self.subsets.post(*state, letter)?;
        Ok(self.unless_empty(next))
    }
}
