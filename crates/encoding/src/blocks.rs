//! Executions cut into blocks: from one cut point (a loop head, or a place that somebody annotated)
//! to the next.
//!
//! A block has no loop inside, so its formula is exact. Inductive arguments are about blocks: what
//! holds at the beginning of one implies what holds at its end.

use crate::state::State;
use crate::step::Encoder;
use crate::unwind::{
    Arrival, Cut, ErrorPoint, Guide, InputPoint, InstancePoint, Limits, Start, StopsAt, Unwinder,
    Unwinding,
};
use cfa::order::loop_heads;
use cfa::place::Place;
use cfa::program::{LocId, Program};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// States by place: all executions that have passed the same number of cut points.
pub type Layer = BTreeMap<Place, State>;

pub struct Blocks<'p> {
    pub unwinder: Unwinder<'p>,
    heads: FxHashSet<LocId>,
    limits: Limits,
    next_tag: u32,
}

/// Activations of one function at a time that blocks follow. A recursion that constants end is
/// followed to its end if it is no deeper than this.
pub const RECURSION: u32 = 4;

/// How far a block between loop heads is followed.
pub const LIMITS: Limits = Limits {
    // Loops that inputs decide on begin with a cut point; others are followed to their end.
    iterations: 0,
    recursion: RECURSION,
    steps: 2_000_000,
};

/// What comes out of the blocks that begin in a layer.
#[derive(Default)]
pub struct Advance {
    pub errors: Vec<ErrorPoint>,
    pub cuts: Vec<Cut>,
    pub inputs: Vec<InputPoint>,
    pub instances: Vec<InstancePoint>,
    pub next: Layer,
    pub steps: u64,
}

impl<'p> Blocks<'p> {
    pub fn new(program: &'p Program) -> Blocks<'p> {
        Blocks {
            unwinder: Unwinder::new(Encoder::new(program)),
            heads: loop_heads(program),
            limits: LIMITS,
            next_tag: 1,
        }
    }

    pub fn encoder(&mut self) -> &mut Encoder<'p> {
        &mut self.unwinder.encoder
    }

    pub fn is_head(&self, location: LocId) -> bool {
        self.heads.contains(&location)
    }

    /// The layer that executions start in.
    pub fn start(&self) -> Layer {
        let program = self.unwinder.encoder.program;
        Layer::from([(Place::entry(program), State::initial(program))])
    }

    /// The layer of any states at a place.
    pub fn anywhere(&mut self, place: &Place) -> Layer {
        let name = format!("at{}", self.next_tag);
        self.next_tag += 1;
        let state = self.encoder().arbitrary(&name, &place.calls);
        Layer::from([(place.clone(), state)])
    }

    /// The block that begins at a place in a state.
    pub fn block(
        &mut self,
        place: &Place,
        state: State,
        stops: StopsAt<'_>,
        guide: &mut dyn Guide,
    ) -> Unwinding {
        let tag = Some(self.next_tag);
        self.next_tag += 1;
        let start = Start { place, state, tag };
        self.unwinder.unwind_from(start, stops, &self.limits, guide)
    }

    /// The blocks that begin in a layer, between loop heads.
    ///
    /// Law: all states of the layer come from one start, so that no two of them hold at once.
    pub fn advance(&mut self, layer: &Layer, guide: &mut dyn Guide) -> Advance {
        let heads = std::mem::take(&mut self.heads);
        let stops = |_: &[_], location: LocId| heads.contains(&location);
        let mut all = Advance::default();
        for (place, state) in layer {
            let block = self.block(place, state.clone(), &stops, guide);
            all.errors.extend(block.errors);
            all.cuts.extend(block.cuts);
            all.inputs.extend(block.inputs);
            all.instances.extend(block.instances);
            all.steps += block.steps;
            self.gather(&mut all.next, block.arrivals);
        }
        self.heads = heads;
        all
    }

    /// Adds arrivals to a layer, those at one place as one state.
    pub fn gather(&mut self, layer: &mut Layer, arrivals: Vec<Arrival>) {
        for Arrival { place, state } in arrivals {
            match layer.get_mut(&place) {
                Some(known) => *known = self.unwinder.encoder.join(known, &state),
                None => {
                    layer.insert(place, state);
                }
            }
        }
    }
}
