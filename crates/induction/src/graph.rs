//! The program as a graph: its nodes are places at cut points, its edges are the blocks between
//! them.
//!
//! Beyer2009: D. Beyer, A. Cimatti, A. Griggio, E. Keremoglu, R. Sebastiani: Software model
//! checking via large-block encoding, FMCAD 2009.
//!
//! | there | here |
//! |---|---|
//! | cut point | a place (location and calls) where [`BlockGraph::new`]'s `cuts` says so |
//! | block formula | [`Block::path`] and the state at the end, over the values at the beginning |
//!
//! Deviations: a block is encoded once, from an arbitrary state at its beginning, and used for
//! every state there; calls are followed, so that a place has a call string; errors and what
//! formulas cannot follow are blocks too.
//!
//! Laws:
//! - Every execution is a sequence of blocks: it begins at [`ROOT`] in the initial state, each
//!   block of it begins where the one before ended, and of the blocks that begin at a place at most
//!   one is taken (none where the execution ends, or where it goes on for ever without a cut point,
//!   which loop heads exclude).
//! - `path` and state of a block speak of the state at its beginning ([`BlockGraph::start`]) and of
//!   inputs that no other block has. States at different places share the names of their variables:
//!   a formula is about one block.
//! - There is at most one block from one place to another, beside its special cases
//!   ([`crate::special`]).
//! - The graph only grows, and what was asked once is answered the same way again.

use crate::guide::UntilStopped;
use crate::saying::{Activation, ActivationMeaning, StartLeaf, start_leaf};
use crate::special::{General, Point};
use cfa::order::loop_heads;
use cfa::place::{Place, callee};
use cfa::program::{EdgeId, FuncId, LocId, Program};
use control::StopToken;
use encoding::back::Leaf;
use encoding::memory;
use encoding::state::State;
use encoding::step::Encoder;
use encoding::unwind::{CutReason, InputPoint, Limits, Start, Unwinder};
use facts::engine::Reason;
use logic::{Term, TermPool};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PlaceId(pub u32);

/// An edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlockId(pub u32);

/// The start of the program. An execution that comes to the same location later is at another node.
pub const ROOT: PlaceId = PlaceId(0);

/// What values at the beginning of blocks are called (see [`encoding::state::Origin`]).
pub const ORIGIN: &str = "s";

/// Where a block leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    Place(PlaceId),
    /// A violation.
    Error(LocId),
    /// Executions that are not followed, and why.
    Beyond(CutReason),
}

/// All executions from a place to one target, as a function of the state at the beginning.
pub struct Block {
    pub source: PlaceId,
    pub target: Target,
    /// The conjuncts of the condition under which the block is taken, in the order of execution.
    pub path: Vec<Term>,
    /// The state at the end; none where executions end, and none of special cases.
    pub state: Option<State>,
    /// Inputs taken on the way, of all blocks from the source.
    pub inputs: Rc<[InputPoint]>,
    /// See [`crate::special`].
    pub(crate) general: Option<General>,
}

struct Node {
    place: Place,
    start: Option<Rc<State>>,
    activation: Option<Activation>,
    outgoing: Option<Rc<[BlockId]>>,
    incoming: Vec<BlockId>,
}

impl Node {
    fn at(place: Place) -> Node {
        Node {
            place,
            start: None,
            activation: None,
            outgoing: None,
            incoming: Vec::new(),
        }
    }
}

/// Says where blocks end.
type Cuts<'p> = Box<dyn Fn(&[EdgeId], LocId) -> bool + 'p>;

/// The places and blocks met so far.
pub struct BlockGraph<'p> {
    pub unwinder: Unwinder<'p>,
    cuts: Cuts<'p>,
    limits: Limits,
    nodes: Vec<Node>,
    numbers: FxHashMap<Place, PlaceId>,
    pub(crate) blocks: Vec<Block>,
    /// Blocks that are special cases of others, by what is known at their beginning.
    pub(crate) special: FxHashMap<(BlockId, Point), BlockId>,
    leaves: FxHashMap<Term, Option<StartLeaf>>,
}

impl<'p> BlockGraph<'p> {
    /// Law: every loop has a cut point, or `limits` bounds its iterations.
    pub fn new(
        program: &'p Program,
        limits: Limits,
        cuts: impl Fn(&[EdgeId], LocId) -> bool + 'p,
    ) -> BlockGraph<'p> {
        let mut encoder = Encoder::new(program);
        // The addresses of arbitrary states are reserved before those of any block.
        let _ = encoder.arbitrary(ORIGIN, &[]);
        BlockGraph {
            unwinder: Unwinder::new(encoder),
            cuts: Box::new(cuts),
            limits,
            nodes: vec![Node::at(Place::entry(program))],
            numbers: FxHashMap::default(),
            blocks: Vec::new(),
            special: FxHashMap::default(),
            leaves: FxHashMap::default(),
        }
    }

    /// Blocks between loop heads.
    pub fn between_loop_heads(program: &'p Program) -> BlockGraph<'p> {
        let heads = loop_heads(program);
        let cuts = move |_: &[EdgeId], location: LocId| heads.contains(&location);
        BlockGraph::new(program, encoding::blocks::LIMITS, cuts)
    }

    pub fn program(&self) -> &'p Program {
        self.unwinder.encoder.program
    }

    pub fn encoder(&mut self) -> &mut Encoder<'p> {
        &mut self.unwinder.encoder
    }

    pub fn pool(&mut self) -> &mut TermPool {
        &mut self.unwinder.encoder.pool
    }

    pub fn place(&self, id: PlaceId) -> &Place {
        &self.nodes[id.0 as usize].place
    }

    /// The node of a place that executions come to; [`ROOT`] is not found by its location.
    pub fn find(&self, place: &Place) -> Option<PlaceId> {
        self.numbers.get(place).copied()
    }

    pub fn place_count(&self) -> usize {
        self.nodes.len()
    }

    /// All places met so far.
    pub fn places(&self) -> impl Iterator<Item = PlaceId> + use<> {
        (0..self.nodes.len() as u32).map(PlaceId)
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// The condition under which the block is taken.
    pub fn path(&mut self, id: BlockId) -> Term {
        let path = self.blocks[id.0 as usize].path.iter().copied();
        self.unwinder.encoder.pool.and_all(path)
    }

    fn number(&mut self, place: Place) -> PlaceId {
        if let Some(&known) = self.numbers.get(&place) {
            return known;
        }
        let number = PlaceId(self.nodes.len() as u32);
        self.numbers.insert(place.clone(), number);
        self.nodes.push(Node::at(place));
        number
    }

    /// The state in which blocks from the place begin: arbitrary, but the initial one at [`ROOT`].
    pub fn start(&mut self, id: PlaceId) -> Rc<State> {
        if let Some(state) = &self.nodes[id.0 as usize].start {
            return state.clone();
        }
        let state = if id == ROOT {
            State::initial(self.program())
        } else {
            let calls = self.place(id).calls.clone();
            self.unwinder.encoder.arbitrary(ORIGIN, &calls)
        };
        let state = Rc::new(state);
        self.nodes[id.0 as usize].start = Some(state.clone());
        state
    }

    /// The blocks that begin at the place. Those that end the execution come first. Where the token
    /// stopped the work, one of them is [`CutReason::Stopped`].
    pub fn outgoing(&mut self, id: PlaceId, stop: &StopToken) -> Rc<[BlockId]> {
        if let Some(known) = &self.nodes[id.0 as usize].outgoing {
            return known.clone();
        }
        let place = self.place(id).clone();
        let start = Start {
            place: &place,
            state: (*self.start(id)).clone(),
            tag: Some(id.0),
        };
        let (cuts, guide) = (&self.cuts, &mut UntilStopped(stop));
        let unwinding = self.unwinder.unwind_from(start, cuts, &self.limits, guide);
        let inputs: Rc<[InputPoint]> = unwinding.inputs.into();
        let mut outgoing = Vec::new();
        for error in unwinding.errors {
            let path = error.path.conjuncts_after(0);
            outgoing.push(self.add(id, Target::Error(error.location), path, None, &inputs));
        }
        for cut in unwinding.cuts {
            let path = cut.path.conjuncts_after(0);
            outgoing.push(self.add(id, Target::Beyond(cut.reason), path, None, &inputs));
        }
        // Several arrivals at one place are one block.
        let mut arrived: Vec<(PlaceId, State)> = Vec::new();
        for arrival in unwinding.arrivals {
            let target = self.number(arrival.place);
            match arrived.iter_mut().find(|(known, _)| *known == target) {
                Some((_, state)) => *state = self.unwinder.encoder.join(state, &arrival.state),
                None => arrived.push((target, arrival.state)),
            }
        }
        for (target, state) in arrived {
            let path = state.path.conjuncts_after(0);
            let block = self.add(id, Target::Place(target), path, Some(state), &inputs);
            self.nodes[target.0 as usize].incoming.push(block);
            outgoing.push(block);
        }
        let outgoing: Rc<[BlockId]> = outgoing.into();
        self.nodes[id.0 as usize].outgoing = Some(outgoing.clone());
        outgoing
    }

    fn add(
        &mut self,
        source: PlaceId,
        target: Target,
        mut path: Vec<Term>,
        state: Option<State>,
        inputs: &Rc<[InputPoint]>,
    ) -> BlockId {
        path.reverse();
        let id = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block {
            source,
            target,
            path,
            state,
            inputs: inputs.clone(),
            general: None,
        });
        id
    }

    /// A formula about the state at the end of the block; `None` where executions end in it.
    pub fn at_end(
        &mut self,
        id: BlockId,
        say: impl FnOnce(&mut Encoder<'p>, &State) -> Option<Term>,
    ) -> Option<Term> {
        let general = self.general(id);
        let encoder = &mut self.unwinder.encoder;
        let term = say(encoder, self.blocks[general.0 as usize].state.as_ref()?)?;
        Some(match &mut self.blocks[id.0 as usize].general {
            Some(General { memo, .. }) => encoder.pool.substitute_memo(term, memo),
            None => term,
        })
    }

    /// The value that a part of the state has at the end of the block, given by its name at the
    /// beginning of blocks.
    pub fn value_at_end(&mut self, id: BlockId, leaf: Term) -> Term {
        let Some(start) = self.leaf(leaf) else {
            return leaf;
        };
        let value = self.at_end(id, |encoder, state| {
            let (program, pool) = (encoder.program, &mut encoder.pool);
            Some(match start.leaf {
                Leaf::Var(var) => state.value(program, &encoder.slots, pool, var),
                Leaf::Region(region) => memory::contents(program, pool, state, region),
            })
        });
        value.unwrap_or(leaf)
    }

    /// What a variable of the logic is at the beginning of blocks; `None` for inputs and the like.
    pub fn leaf(&mut self, term: Term) -> Option<StartLeaf> {
        let pool = &self.unwinder.encoder.pool;
        *(self.leaves.entry(term)).or_insert_with(|| start_leaf(pool, term))
    }

    /// Those of the variables of terms that are parts of the state at the beginning of blocks.
    pub fn leaves_of(&mut self, terms: &[Term]) -> Vec<Term> {
        let mut variables = self.pool().free_vars_of(terms);
        variables.retain(|&variable| self.leaf(variable).is_some());
        variables
    }

    /// What variables of the logic mean to expressions about states at the place.
    pub fn meaning(&mut self, id: PlaceId) -> ActivationMeaning<'_> {
        let state = self.start(id);
        let (encoder, node) = (&self.unwinder.encoder, &mut self.nodes[id.0 as usize]);
        let calls = &node.place.calls;
        let activation =
            (node.activation).get_or_insert_with(|| Activation::of(encoder, state, calls));
        ActivationMeaning {
            activation,
            encoder,
        }
    }

    /// Is the function active at the place?
    pub fn is_active(&self, id: PlaceId, function: FuncId) -> bool {
        let program = self.program();
        let place = self.place(id);
        program.location(place.location).function == function
            || program.entry == function
            || (place.calls.iter()).any(|&call| callee(program, call) == Some(function))
    }

    /// The blocks met so far that lead to the place; after [`BlockGraph::explore`] all of them.
    pub fn incoming(&self, id: PlaceId) -> &[BlockId] {
        &self.nodes[id.0 as usize].incoming
    }

    /// Finds all places that blocks lead to from the start, and the blocks between them. More than
    /// `max_places` besides [`ROOT`] are not worth the time.
    pub fn explore(&mut self, max_places: usize, stop: &StopToken) -> Result<(), Reason> {
        let mut next = 0;
        while next < self.nodes.len() {
            let outgoing = self.outgoing(PlaceId(next as u32), stop);
            let mut targets = outgoing.iter().map(|&block| &self.block(block).target);
            if stop.is_stopped() || targets.any(|to| *to == Target::Beyond(CutReason::Stopped)) {
                return Err(Reason::out_of_time());
            }
            if self.nodes.len() > max_places + 1 {
                return Err("too many places".into());
            }
            next += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::load;

    const TWO_LOOPS: &str =
        "int main(void) { int x = 0; while (n()) { x = x + 1; if (x > 9) reach_error(); }
        while (n()) { if (n()) x = x - 1; else x = x - 2; } return 0; }";

    #[test]
    fn places_are_loop_heads_and_there_is_one_block_between_two() {
        let program = load(TWO_LOOPS);
        let mut graph = BlockGraph::between_loop_heads(&program);
        let stop = StopToken::new();
        assert_eq!(graph.explore(10, &stop), Ok(()));
        assert_eq!(graph.place_count(), 3);
        let mut pairs = Vec::new();
        let mut errors = 0;
        for place in graph.places() {
            for &id in graph.outgoing(place, &stop).iter() {
                match graph.block(id).target {
                    Target::Place(target) => {
                        assert!(graph.incoming(target).contains(&id));
                        pairs.push((place.0, target.0));
                    }
                    Target::Error(_) => errors += 1,
                    Target::Beyond(ref why) => panic!("{why:?}"),
                }
            }
        }
        pairs.sort_unstable();
        assert_eq!(pairs, [(0, 1), (1, 1), (1, 2), (2, 2)]);
        assert_eq!(errors, 1);
    }

    #[test]
    fn limits_and_the_token_end_the_exploration() {
        let program = load(TWO_LOOPS);
        let mut graph = BlockGraph::between_loop_heads(&program);
        let few = graph.explore(1, &StopToken::new());
        assert_eq!(few, Err("too many places".into()));
        let stop = StopToken::new();
        stop.stop();
        let mut graph = BlockGraph::between_loop_heads(&program);
        assert_eq!(graph.explore(9, &stop), Err(Reason::out_of_time()));
    }

    /// Cut everywhere: each operation is a block, calls and returns among them.
    #[test]
    fn cuts_decide_how_long_blocks_are() {
        let program =
            load("int twice(int a) { return a + a; } int main(void) { return twice(3); }");
        let mut graph = BlockGraph::new(&program, encoding::blocks::LIMITS, |_, _| true);
        assert_eq!(graph.explore(100, &StopToken::new()), Ok(()));
        let inside = graph
            .places()
            .filter(|&id| !graph.place(id).calls.is_empty());
        assert!(inside.count() > 1);
    }
}
