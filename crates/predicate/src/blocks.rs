//! The program as a graph of blocks.
//!
//! | Stieglmaier2016, section 2.3.5 | here |
//! |---|---|
//! | `blk` | [`Cuts`] |
//! | block formula, path formula φ at the end of a block | [`Block`] |
//!
//! Deviation: the paper's analysis carries a path formula from state to state and abstracts it when
//! `blk` says so. Here a block is encoded once, from an arbitrary state at its beginning to the
//! places where `blk` cuts, and used again for every abstract state there: the path formula at the
//! end of a block does not depend on the abstraction at its beginning.

use super::solving::Solving;
use super::specialised::Point;
use cfa::expr::{ExprId, ExprPool};
use cfa::order::Order;
use cfa::place::Place;
use cfa::program::{FuncId, LocId, Program};
use control::StopToken;
use encoding::back::{Constant, Leaf, Meaning};
use encoding::layout::BELOW;
use encoding::memory;
use encoding::state::State;
use encoding::step::Encoder;
use encoding::unwind::{Guide, InputPoint, Limits, Start, Unwinder};
use logic::{Op, Solver, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Where blocks end (the paper's `blk`). Loop heads are cut in every case, so that every block is
/// finite.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum BlockOperator {
    /// Single-block encoding: after every operation.
    Sbe,
    /// Large-block encoding: loop heads, entries and exits of functions, and where control flow
    /// meets.
    Lbe,
    /// Loop heads only.
    #[default]
    LoopHeads,
    /// Loop heads and where control flow meets.
    LoopHeadsAndJoins,
    /// Adjustable blocks of at most this many operations within a function.
    AbeLength(u32),
}

/// The locations where blocks end.
pub fn cuts(program: &Program, operator: BlockOperator) -> FxHashSet<LocId> {
    let mut cuts = FxHashSet::default();
    for number in 0..program.functions.len() {
        let function = FuncId(number as u32);
        let order = Order::of(program, function);
        let info = program.function(function);
        for each in &order.loops {
            cuts.insert(each.head);
        }
        let mut lengths: FxHashMap<LocId, u32> = FxHashMap::default();
        for &location in &order.line {
            let incoming = &program.location(location).incoming;
            let is_join = incoming.len() > 1;
            let is_boundary = location == info.entry || location == info.exit;
            let is_cut = match operator {
                BlockOperator::Sbe => true,
                BlockOperator::Lbe => is_join || is_boundary,
                BlockOperator::LoopHeads => false,
                BlockOperator::LoopHeadsAndJoins => is_join,
                BlockOperator::AbeLength(limit) => {
                    let longest = incoming
                        .iter()
                        .filter_map(|&edge| lengths.get(&program.edge(edge).source))
                        .map(|length| length + 1)
                        .max()
                        .unwrap_or(0);
                    let is_cut = longest >= limit.max(1) || cuts.contains(&location);
                    lengths.insert(location, if is_cut { 0 } else { longest });
                    is_cut
                }
            };
            if is_cut {
                cuts.insert(location);
            }
        }
    }
    cuts
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PlaceId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlockId(pub u32);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    Place(PlaceId),
    Error(LocId),
    /// Executions that leave what formulas can say; the text says why.
    Beyond(String),
}

/// All executions from a place to the next cut there, as a function of the state at the beginning.
pub struct Block {
    pub source: PlaceId,
    pub target: Target,
    /// The conjuncts of the condition under which the block is passed.
    pub path: Vec<Term>,
    /// The state at the end; none where executions end.
    state: Option<State>,
    /// The block that this one is a special case of, with what becomes of its formulas.
    general: Option<(BlockId, FxHashMap<Term, Term>)>,
    /// Inputs taken on the way (of all blocks from the source).
    pub inputs: Rc<[InputPoint]>,
    /// Holds the path.
    solver: Option<Box<dyn Solver>>,
}

struct Spot {
    place: Place,
    outgoing: Option<Rc<[BlockId]>>,
    start: Option<Rc<State>>,
}

/// The blocks met so far.
pub struct Blocks<'p> {
    pub unwinder: Unwinder<'p>,
    pub stop: StopToken,
    pub solving: Solving,
    cuts: FxHashSet<LocId>,
    spots: Vec<Spot>,
    numbers: FxHashMap<Place, PlaceId>,
    blocks: Vec<Block>,
    special: FxHashMap<(BlockId, Point), BlockId>,
    /// How many of these have a solver.
    special_solvers: usize,
    leaves: FxHashMap<Term, Option<StartLeaf>>,
}

/// A variable or region at the start of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StartLeaf {
    pub leaf: Leaf,
    /// Activations below the variable's own; none for globals and regions.
    pub depth: Option<usize>,
}

/// Solvers of specialised blocks that are kept at the same time.
const MOST_SPECIAL_SOLVERS: usize = 200;

/// What values at the start of a block are called.
const ORIGIN: &str = "s";

/// The place where executions start.
pub const ROOT: PlaceId = PlaceId(0);

struct Stoppable<'a>(&'a StopToken);

impl Guide for Stoppable<'_> {
    fn is_feasible(&mut self, _: &mut TermPool, _: &encoding::path::Path) -> bool {
        true
    }

    fn must_stop(&mut self) -> bool {
        self.0.is_stopped()
    }
}

impl<'p> Blocks<'p> {
    pub fn new(
        program: &'p Program,
        operator: BlockOperator,
        stop: StopToken,
        solving: Solving,
    ) -> Blocks<'p> {
        let mut encoder = Encoder::new(program);
        // The addresses of arbitrary states are reserved before those of any block.
        let _ = encoder.arbitrary(ORIGIN, &[]);
        let mut blocks = Blocks {
            unwinder: Unwinder::new(encoder),
            stop,
            solving,
            cuts: cuts(program, operator),
            spots: Vec::new(),
            numbers: FxHashMap::default(),
            blocks: Vec::new(),
            special: FxHashMap::default(),
            special_solvers: 0,
            leaves: FxHashMap::default(),
        };
        blocks.number(Place::entry(program));
        blocks
    }

    pub fn program(&self) -> &'p Program {
        self.unwinder.encoder.program
    }

    pub fn pool(&mut self) -> &mut TermPool {
        &mut self.unwinder.encoder.pool
    }

    pub fn is_cut(&self, location: LocId) -> bool {
        self.cuts.contains(&location)
    }

    fn number(&mut self, place: Place) -> PlaceId {
        if let Some(&known) = self.numbers.get(&place) {
            return known;
        }
        let number = PlaceId(self.spots.len() as u32);
        self.numbers.insert(place.clone(), number);
        self.spots.push(Spot {
            place,
            outgoing: None,
            start: None,
        });
        number
    }

    pub fn place(&self, id: PlaceId) -> &Place {
        &self.spots[id.0 as usize].place
    }

    pub fn place_count(&self) -> usize {
        self.spots.len()
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Is the function of a local variable active at the place?
    pub fn is_active(&self, place: PlaceId, function: FuncId) -> bool {
        let program = self.program();
        let place = self.place(place);
        program.location(place.location).function == function
            || program.entry == function
            || place
                .calls
                .iter()
                .any(|&call| cfa::place::callee(program, call) == Some(function))
    }

    /// The arbitrary state at the place (the initial one at the root).
    pub fn start(&mut self, id: PlaceId) -> Rc<State> {
        if let Some(state) = &self.spots[id.0 as usize].start {
            return state.clone();
        }
        let state = if id == ROOT {
            State::initial(self.program())
        } else {
            let calls = self.place(id).calls.clone();
            self.unwinder.encoder.arbitrary(ORIGIN, &calls)
        };
        let state = Rc::new(state);
        self.spots[id.0 as usize].start = Some(state.clone());
        state
    }

    /// The blocks that begin at the place. Those that end the execution come first.
    pub fn outgoing(&mut self, id: PlaceId) -> Rc<[BlockId]> {
        if let Some(known) = &self.spots[id.0 as usize].outgoing {
            return known.clone();
        }
        let place = self.place(id).clone();
        let start = Start {
            place: &place,
            state: (*self.start(id)).clone(),
            tag: Some(id.0),
        };
        let limits = Limits {
            iterations: 1,
            recursion: encoding::blocks::RECURSION,
            steps: u64::MAX,
        };
        let (cuts, stop) = (&self.cuts, &self.stop);
        let unwinding = self.unwinder.unwind_from(
            start,
            &|_, location| cuts.contains(&location),
            &limits,
            &mut Stoppable(stop),
        );
        let inputs: Rc<[InputPoint]> = unwinding.inputs.into();
        let mut outgoing = Vec::new();
        for error in unwinding.errors {
            let path = error.path.conjuncts_after(0);
            outgoing.push(self.add(id, Target::Error(error.location), path, None, &inputs));
        }
        for cut in unwinding.cuts {
            let path = cut.path.conjuncts_after(0);
            let why = cut.reason.describe(self.program());
            outgoing.push(self.add(id, Target::Beyond(why), path, None, &inputs));
        }
        // Several arrivals at one place are one block.
        let mut arrived: Vec<(PlaceId, State)> = Vec::new();
        for arrival in unwinding.arrivals {
            let target = self.number(arrival.place);
            match arrived.iter_mut().find(|(known, _)| *known == target) {
                Some((_, state)) => {
                    *state = self.unwinder.encoder.join(state, &arrival.state);
                }
                None => arrived.push((target, arrival.state)),
            }
        }
        for (target, state) in arrived {
            let path = state.path.conjuncts_after(0);
            outgoing.push(self.add(id, Target::Place(target), path, Some(state), &inputs));
        }
        let outgoing: Rc<[BlockId]> = outgoing.into();
        self.spots[id.0 as usize].outgoing = Some(outgoing.clone());
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
            general: None,
            inputs: inputs.clone(),
            solver: None,
        });
        id
    }

    /// The part of the block that begins where the formulas have these values.
    pub fn specialised(&mut self, id: BlockId, point: Point) -> BlockId {
        if point.is_empty() || self.block(id).general.is_some() {
            return id;
        }
        let key = (id, point);
        if let Some(&known) = self.special.get(&key) {
            return known;
        }
        let mut memo: FxHashMap<Term, Term> = key.1.iter().copied().collect();
        let pool = &mut self.unwinder.encoder.pool;
        let general = &self.blocks[id.0 as usize];
        let mut path: Vec<Term> = Vec::new();
        for &conjunct in &general.path {
            let conjunct = pool.substitute_memo(conjunct, &mut memo);
            if conjunct != TermPool::TRUE {
                path.push(conjunct);
            }
        }
        path.extend(key.1.iter().map(|&(term, value)| pool.eq(term, value)));
        let block = Block {
            source: general.source,
            target: general.target.clone(),
            path,
            state: None,
            general: Some((id, memo)),
            inputs: general.inputs.clone(),
            solver: None,
        };
        let number = BlockId(self.blocks.len() as u32);
        self.blocks.push(block);
        self.special.insert(key, number);
        number
    }

    /// The block without the values that it is specialised for.
    pub fn general(&self, id: BlockId) -> BlockId {
        let general = self.block(id).general.as_ref();
        general.map_or(id, |&(general, _)| general)
    }

    /// The blocks met so far that are no special cases of others.
    pub fn general_blocks(&self) -> Vec<BlockId> {
        let all = (0..self.blocks.len() as u32).map(BlockId);
        all.filter(|&id| self.block(id).general.is_none()).collect()
    }

    /// A formula about the state at the end of the block.
    pub fn at_end(
        &mut self,
        id: BlockId,
        say: impl FnOnce(&mut Encoder<'p>, &State) -> Option<Term>,
    ) -> Option<Term> {
        let general = self.general(id);
        let encoder = &mut self.unwinder.encoder;
        let term = say(encoder, self.blocks[general.0 as usize].state.as_ref()?)?;
        Some(match &mut self.blocks[id.0 as usize].general {
            Some((_, memo)) => encoder.pool.substitute_memo(term, memo),
            None => term,
        })
    }

    /// A solver that holds the block's path, and the terms.
    pub fn solver(&mut self, id: BlockId) -> (&mut dyn Solver, &mut TermPool) {
        self.limit_solvers(id);
        let pool = &mut self.unwinder.encoder.pool;
        let block = &mut self.blocks[id.0 as usize];
        let solver = block.solver.get_or_insert_with(|| {
            let mut solver = self.solving.solver(&self.stop);
            for &term in &block.path {
                solver.assert(pool, term);
            }
            solver
        });
        solver.set_stop(self.stop.clone());
        (solver.as_mut(), pool)
    }

    /// Solvers take memory, and those of special cases are quickly made again.
    fn limit_solvers(&mut self, needed: BlockId) {
        let block = self.block(needed);
        if block.general.is_none() || block.solver.is_some() {
            return;
        }
        if self.special_solvers == MOST_SPECIAL_SOLVERS {
            let special = |block: &&mut Block| block.general.is_some();
            for block in self.blocks.iter_mut().filter(special) {
                block.solver = None;
            }
            self.special_solvers = 0;
        }
        self.special_solvers += 1;
    }

    /// What a variable of the logic is at the start of blocks; `None` for inputs and the like.
    pub fn leaf(&mut self, term: Term) -> Option<StartLeaf> {
        if let Some(known) = self.leaves.get(&term) {
            return *known;
        }
        let found = self.parse_leaf(term);
        self.leaves.insert(term, found);
        found
    }

    fn parse_leaf(&self, term: Term) -> Option<StartLeaf> {
        let pool = &self.unwinder.encoder.pool;
        let Op::Var(symbol) = pool.op(term) else {
            return None;
        };
        let name = pool.symbol_name(symbol);
        let rest = name.strip_prefix(ORIGIN)?.strip_prefix('!')?;
        if let Some(region) = rest.strip_prefix('m') {
            let region = region.parse().ok()?;
            return Some(StartLeaf {
                leaf: Leaf::Region(cfa::memory::RegionId(region)),
                depth: None,
            });
        }
        let rest = rest.strip_prefix('v')?;
        let (var, depth) = match rest.split_once('@') {
            Some((var, depth)) => (var, Some(depth.parse().ok()?)),
            None => (rest, None),
        };
        Some(StartLeaf {
            leaf: Leaf::Var(cfa::expr::VarId(var.parse().ok()?)),
            depth,
        })
    }

    /// The start leaves among the variables of terms.
    pub fn leaves_of(&mut self, terms: &[Term]) -> Vec<Term> {
        let mut variables = self.pool().free_vars_of(terms);
        variables.retain(|&variable| self.leaf(variable).is_some());
        variables
    }

    /// The value that a leaf has at the end of a block.
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

    /// May the number be the address of an object that comes and goes? Such addresses differ from
    /// block to block, so nothing may be said about them as numbers.
    pub fn is_dynamic_address(&self, value: u128) -> bool {
        let layout = &self.unwinder.encoder.layout;
        (u128::from(layout.first_dynamic())..u128::from(layout.reserved_until())).contains(&value)
    }

    /// What leaves mean to expressions at the place.
    pub fn meaning(&mut self, place: PlaceId) -> PlaceMeaning<'_> {
        let program = self.program();
        let mut depths: FxHashMap<FuncId, usize> = FxHashMap::default();
        depths.insert(program.entry, 0);
        for (depth, &call) in self.place(place).calls.iter().enumerate() {
            if let Some(function) = cfa::place::callee(program, call) {
                depths.insert(function, depth + 1);
            }
        }
        // Addresses of the latest instances have names; other addresses of such objects have none.
        let start = self.start(place);
        let mut bases = Vec::new();
        for number in 0..program.objects.len() {
            let object = cfa::memory::ObjectId(number as u32);
            if let Some(base) = start.base(&self.unwinder.encoder.slots, object)
                && let Some(address) = self.unwinder.encoder.pool.as_u128(base)
            {
                let size = program.object(object).size.unwrap_or(1);
                bases.push((address as u64, size, object));
            }
        }
        PlaceMeaning {
            blocks: self,
            depths,
            bases,
        }
    }
}

/// See [`Blocks::meaning`].
pub struct PlaceMeaning<'a> {
    blocks: &'a Blocks<'a>,
    depths: FxHashMap<FuncId, usize>,
    bases: Vec<(u64, u64, cfa::memory::ObjectId)>,
}

impl PlaceMeaning<'_> {
    /// The expression that says the same about states at the place.
    pub fn say(&self, exprs: &mut ExprPool, term: Term) -> Option<ExprId> {
        let terms = &self.blocks.unwinder.encoder.pool;
        encoding::back::expression(self.blocks.program(), exprs, terms, self, term)
    }
}

impl Meaning for PlaceMeaning<'_> {
    fn leaf(&self, variable: Term) -> Option<Leaf> {
        let start = self.blocks.parse_leaf(variable)?;
        if let Leaf::Var(var) = start.leaf
            && let Some(function) = self.blocks.program().var(var).function
            && self.depths.get(&function) != start.depth.as_ref()
        {
            // Of an outer activation of a recursive function: no expression names it.
            return None;
        }
        Some(start.leaf)
    }

    fn constant(&self, value: u64) -> Constant {
        if !self.blocks.is_dynamic_address(value.into()) {
            return Constant::Number;
        }
        // Said as an offset from an object, also from outside: a literal address would mean
        // something else in another form of the program.
        let nearest = self
            .bases
            .iter()
            .map(|&(base, size, object)| {
                let behind = base.saturating_add(size.max(1) - 1);
                (value.abs_diff(value.clamp(base, behind)), base, object)
            })
            .min();
        match nearest {
            Some((distance, base, object)) if distance <= BELOW => {
                Constant::Address(object, i128::from(value) - i128::from(base))
            }
            _ => Constant::Unsayable,
        }
    }
}
