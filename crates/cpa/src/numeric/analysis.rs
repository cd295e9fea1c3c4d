//! The Octagon CPA of Stieglmaier2014: T. Stieglmaier, *Octagon-Based Software Verification with
//! CPAchecker*, 2014, section 3.1, over any numeric domain.
//!
//! | paper | here |
//! |---|---|
//! | octagon | [`NumericState`] over the chosen domain |
//! | precision `π ⊆ X` | [`NumericPrecision::variables`] |
//! | `merge^sep`, `merge^join`, `merge^widening` | [`Merge`] |
//! | `onlyMergeAtLoopHeads` (section 4.3.2) | [`NumericOptions::merge_only_at_loop_heads`] |
//!
//! | `stop^sep`, `stop^join` | [`Stop`]; see [`absint::numeric::cover`] |
//!
//! Deviations, the thesis's future work (section 6.2): the widening may use thresholds, and states
//! may be restricted to globals and the variables of the running function
//! ([`absint::numeric::frames`]).

use crate::formalism::{Cpa, Merge, Stop};
use crate::proof::Expressible;
use crate::reached::NodeId;
use absint::numeric::NumericState;
use absint::numeric::classes::Classes;
use absint::numeric::cover::is_covered;
use absint::numeric::dead::DeadLocals;
use absint::numeric::express::Writer;
use absint::numeric::frames::Framed;
use absint::numeric::transfer::Transfer;
use absint::place::{CallPlace, Step};
use absint::precision::Variables;
use cfa::comparisons::Comparisons;
use cfa::expr::ExprId;
use cfa::order::loop_heads;
use cfa::program::{LocId, Program};
use domains::numeric::NumericDomain;
use domains::thresholds::Thresholds;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::Hasher;
use std::rc::Rc;

#[derive(Clone, Debug, Default)]
pub struct NumericOptions {
    pub merge: Merge,
    pub merge_only_at_loop_heads: bool,
    pub handle_floats: bool,
    pub threshold_widening: bool,
    pub stop: Stop,
    pub restrict_to_function: bool,
    pub classes_at_loop_heads: bool,
}

/// What states say: of which variables, and where their values are told apart.
#[derive(Clone, PartialEq, Debug)]
pub struct NumericPrecision {
    pub variables: Variables,
    /// Where a loop begins again, bounds move outwards to these constants.
    pub classes: Option<Rc<Comparisons>>,
}

pub struct NumericCpa<'p, D> {
    pub transfer: Transfer<'p>,
    pub precision: NumericPrecision,
    top: D,
    options: NumericOptions,
    thresholds: Thresholds,
    heads: FxHashSet<LocId>,
    dead: DeadLocals<'p>,
    classes: Classes<'p>,
    sizes: Sizes,
    known: Known<D>,
}

/// States that were seen, by what tells them apart: each has a number.
struct Known<D> {
    by_fingerprint: FxHashMap<u64, Numbered<D>>,
    next: u32,
}

type Numbered<D> = Vec<(u32, Rc<NumericState<D>>)>;

impl<D: NumericDomain> Known<D> {
    fn number(&mut self, state: &Rc<NumericState<D>>) -> u32 {
        let mut hasher = FxHasher::default();
        state.integers.fingerprint(&mut hasher);
        let known = self.by_fingerprint.entry(hasher.finish()).or_default();
        if let Some((number, _)) = known.iter().find(|(_, other)| *other == *state) {
            return *number;
        }
        self.next += 1;
        known.push((self.next, state.clone()));
        self.next
    }
}

/// How large states are, from samples: to measure each would cost as much as to make it.
#[derive(Default)]
struct Sizes {
    made: usize,
    samples: usize,
    bytes: usize,
}

impl Sizes {
    const EVERY: usize = 64;
    /// Of one constraint; of a state without any.
    const CONSTRAINT: usize = 48;
    const EMPTY: usize = 160;

    fn add<D: NumericDomain>(&mut self, state: &NumericState<D>) {
        if self.made.is_multiple_of(Self::EVERY) {
            let constraints = state.integers.constraints().len() + state.floats.constraints().len();
            self.samples += 1;
            self.bytes += Self::EMPTY + constraints * Self::CONSTRAINT;
        }
        self.made += 1;
    }
}

impl<'p, D: NumericDomain> NumericCpa<'p, D> {
    pub fn new(
        program: &'p Program,
        top: D,
        precision: Variables,
        options: NumericOptions,
    ) -> NumericCpa<'p, D> {
        let thresholds = if options.threshold_widening {
            absint::thresholds::of_program(program)
        } else {
            Thresholds::none()
        };
        let classes = options
            .classes_at_loop_heads
            .then(|| Rc::new(Comparisons::of(program)));
        NumericCpa {
            classes: Classes::new(program),
            dead: DeadLocals::new(program),
            transfer: Transfer::new(program, options.handle_floats),
            precision: NumericPrecision {
                variables: precision,
                classes,
            },
            top,
            options,
            thresholds,
            heads: loop_heads(program),
            sizes: Sizes::default(),
            known: Known {
                by_fingerprint: FxHashMap::default(),
                next: 0,
            },
        }
    }

    /// About how many bytes so many states use.
    pub fn bytes(&self, states: usize) -> usize {
        (self.sizes.bytes / self.sizes.samples.max(1)).saturating_mul(states)
    }
}

impl<D: NumericDomain> Cpa for NumericCpa<'_, D> {
    type State = Framed<D>;
    type Precision = NumericPrecision;

    fn initial(&mut self) -> (Self::State, NumericPrecision) {
        // States of an exploration that was given up are not met again.
        self.known.by_fingerprint.clear();
        let state = NumericState::new(self.top.clone());
        (Framed::new(state), self.precision.clone())
    }

    fn successors(
        &mut self,
        state: &Self::State,
        precision: &NumericPrecision,
        step: &Step,
        successors: &mut Vec<Self::State>,
    ) {
        if let Some(mut after) = self.transfer.apply(&state.now, step, &precision.variables) {
            let target = step.target.location;
            let is_head = self.heads.contains(&target);
            if is_head || self.transfer.program.location(target).incoming.len() > 1 {
                self.dead.forget(&mut after, target);
                if let Some(classes) = &precision.classes {
                    self.classes
                        .widen(classes, &mut after.integers, target, is_head);
                }
            }
            self.sizes.add(&after);
            let (program, restricted) = (self.transfer.program, self.options.restrict_to_function);
            successors.extend(state.after(after, step, program, restricted));
        }
    }

    fn may_merge(&self, place: CallPlace) -> bool {
        self.options.merge != Merge::Sep
            && (!self.options.merge_only_at_loop_heads || self.heads.contains(&place.location))
    }

    fn merge(
        &mut self,
        new: &Self::State,
        old: &Self::State,
        _: &NumericPrecision,
        place: CallPlace,
    ) -> Option<Self::State> {
        if !self.may_merge(place) || self.leq(new, old) {
            return None;
        }
        match self.options.merge {
            Merge::Sep => None,
            Merge::Join => Some(old.join(new)),
            Merge::Widening => Some(old.widen(new, &self.thresholds)),
        }
    }

    fn leq(&mut self, small: &Self::State, large: &Self::State) -> bool {
        small.leq(large)
    }

    /// States that callers wait for are not told apart here.
    fn identity(&mut self, state: &Self::State) -> Option<u64> {
        let alone = state.callers.is_none();
        alone.then(|| u64::from(self.known.number(&state.now)))
    }

    fn stop<'a>(
        &mut self,
        state: &Self::State,
        _: &NumericPrecision,
        reached: &mut dyn Iterator<Item = (NodeId, &'a Self::State)>,
    ) -> Option<NodeId>
    where
        Self::State: 'a,
    {
        let mut candidates = Vec::new();
        for (node, other) in reached {
            if state.leq(other) {
                return Some(node);
            }
            // Only what is known now is looked at together; of callers they must know as much.
            if self.options.stop == Stop::Join && state.callers_leq(other) {
                candidates.push((node, &*other.now));
            }
        }
        let (node, _) = *candidates.first()?;
        let others: Vec<&NumericState<D>> = candidates.iter().map(|(_, other)| *other).collect();
        (others.len() > 1 && is_covered(&state.now, &others)).then_some(node)
    }
}

impl<D: NumericDomain> Expressible for NumericCpa<'_, D> {
    fn express(&self, state: &Self::State, writer: &mut Writer<'_>) -> ExprId {
        let mut known = vec![writer.state(&state.now)];
        let mut callers = &state.callers;
        while let Some(frame) = callers {
            known.push(writer.state(&frame.state));
            callers = &frame.below;
        }
        writer.all(known)
    }
}
