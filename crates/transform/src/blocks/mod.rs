//! Large blocks: all ways from one cut point to the next as one guarded command.
//!
//! Beyer2009: D. Beyer, A. Cimatti, A. Griggio, E. Keremoglu, R. Sebastiani: Software model
//! checking via large-block encoding, FMCAD 2009; guarded commands and weakest existential
//! preconditions as in the thesis on IC3CFA's generalisation, sections 2.2 and 5.2.
//!
//! | there | here |
//! |---|---|
//! | `assume b`, `x := a` | [`Command::Edge`]: the edge's operation |
//! | `cmd1; cmd2` | [`Command::Sequence`] |
//! | `cmd1 [] cmd2` | [`Command::Choice`] |
//! | sequence rule, choice rule | [`reduce`] |
//! | error location | [`End::Error`]: all error locations of a function are one |
//!
//! Deviations:
//! - Edges keep all of their operations, a havoc among them. No command has a loop, so a way
//!   through a block passes an edge at most once. So the value of a havoc can be a variable that is
//!   named by the edge, and the weakest existential precondition of a block stays free of
//!   quantifiers: `wep(havoc x, φ) = φ[x ↦ value of the edge]`.
//! - Commands lie in one arena, and equal ones are one. Counted with every use of a shared part, a
//!   block has at most [`GROWTH`] times as many commands as edges, so that walks in both directions
//!   are linear; where gotos would make it larger, a location in the middle becomes a cut point.
//! - An edge lies in the blocks of at most [`OVERLAP`] cut points and leads to at most as many; a
//!   location between more of them is a cut point itself. Together, the commands are linear in the
//!   program.

mod reduce;
#[cfg(test)]
mod tests;
mod walk;

use walk::Trails;
pub use walk::Transformer;

use cfa::op::{Halt, Op};
use cfa::order::Order;
use cfa::program::{EdgeId, FuncId, LocId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CommandId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlockId(pub u32);

/// What executions do between two cut points.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Command {
    /// The operation of an edge. A call stands alone in its block.
    Edge(EdgeId),
    Sequence(CommandId, CommandId),
    /// One of these, whichever lets the execution pass.
    Choice(Vec<CommandId>),
}

/// Where a block leads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum End {
    Location(LocId),
    /// An error location of the function; the last edge says which.
    Error,
    /// An operation that Concord does not support.
    Unsupported,
}

#[derive(Clone, Debug)]
pub struct Block {
    pub source: LocId,
    pub end: End,
    pub command: CommandId,
}

/// Commands in a block, with every use of a shared part, for each of its edges.
pub const GROWTH: u64 = 8;

/// Cut points whose blocks may pass the same edge.
pub const OVERLAP: usize = 4;

/// All blocks of a program.
///
/// Laws: the words of a block's command are exactly the ways over edges from its source to its end
/// that pass no other cut point and no [`Op::Halt`] (but an unsupported one at the end). There is
/// at most one block between two places. Every cycle passes a cut point; entry and exit of a
/// function and both ends of a call are cut points.
#[derive(Clone, Debug, Default)]
pub struct GuardedBlocks {
    commands: Vec<Command>,
    /// For each command: how many there are in it, counted with every use.
    sizes: Vec<u64>,
    /// For each command: how many ways lead through it.
    ways: Vec<u64>,
    /// No block has more ways; `None`: any number.
    most_ways: Option<u64>,
    index: FxHashMap<Command, CommandId>,
    pub blocks: Vec<Block>,
    /// In the order of each function.
    pub cut_points: Vec<LocId>,
    leaving: FxHashMap<LocId, Vec<BlockId>>,
    entering: FxHashMap<End, Vec<BlockId>>,
}

impl GuardedBlocks {
    pub fn of(program: &Program) -> GuardedBlocks {
        GuardedBlocks::limited(program, None)
    }

    /// Blocks with more cut points, where ways meet again, so that none has more than `most` ways
    /// (but where all of them are edges between the same two places).
    pub fn with_few_ways(program: &Program, most: u64) -> GuardedBlocks {
        GuardedBlocks::limited(program, Some(most))
    }

    fn limited(program: &Program, most_ways: Option<u64>) -> GuardedBlocks {
        let mut blocks = GuardedBlocks {
            most_ways,
            ..GuardedBlocks::default()
        };
        for number in 0..program.functions.len() as u32 {
            blocks.add_function(program, FuncId(number));
        }
        for (number, block) in blocks.blocks.iter().enumerate() {
            let id = BlockId(number as u32);
            blocks.leaving.entry(block.source).or_default().push(id);
            blocks.entering.entry(block.end).or_default().push(id);
        }
        blocks
    }

    pub fn command(&self, id: CommandId) -> &Command {
        &self.commands[id.0 as usize]
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    /// How many different commands there are.
    pub fn len(&self) -> usize {
        self.commands.len()
    }

    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// The number of steps of a walk over the command.
    pub fn size(&self, id: CommandId) -> u64 {
        self.sizes[id.0 as usize]
    }

    /// The number of ways through the command.
    pub fn ways(&self, id: CommandId) -> u64 {
        self.ways[id.0 as usize]
    }

    /// The ways through the command, as they are told apart by its choices: each a sequence of
    /// edges.
    pub fn words(&self, id: CommandId) -> Vec<Vec<EdgeId>> {
        let words = self.forward(id, vec![Vec::new()], &mut Trails);
        words.unwrap_or_default()
    }

    /// The blocks that begin at a cut point.
    pub fn from(&self, source: LocId) -> &[BlockId] {
        self.leaving.get(&source).map_or(&[], Vec::as_slice)
    }

    /// The blocks that lead to a place.
    pub fn to(&self, end: End) -> &[BlockId] {
        self.entering.get(&end).map_or(&[], Vec::as_slice)
    }

    fn intern(&mut self, command: Command) -> CommandId {
        if let Some(&id) = self.index.get(&command) {
            return id;
        }
        let size = match &command {
            Command::Edge(_) => 1,
            Command::Sequence(a, b) => self
                .size(*a)
                .saturating_add(self.size(*b))
                .saturating_add(1),
            Command::Choice(all) => all
                .iter()
                .fold(1, |sum: u64, &one| sum.saturating_add(self.size(one))),
        };
        let ways = match &command {
            Command::Edge(_) => 1,
            Command::Sequence(a, b) => self.ways(*a).saturating_mul(self.ways(*b)),
            Command::Choice(all) => all
                .iter()
                .fold(0, |sum: u64, &one| sum.saturating_add(self.ways(one))),
        };
        let id = CommandId(self.commands.len() as u32);
        self.commands.push(command.clone());
        self.sizes.push(size);
        self.ways.push(ways);
        self.index.insert(command, id);
        id
    }

    fn sequence(&mut self, a: CommandId, b: CommandId) -> CommandId {
        self.intern(Command::Sequence(a, b))
    }

    fn choice(&mut self, all: &[CommandId]) -> CommandId {
        match all {
            [one] => *one,
            _ => self.intern(Command::Choice(all.to_vec())),
        }
    }

    fn add_function(&mut self, program: &Program, function: FuncId) {
        let order = Order::of(program, function);
        let mut cuts = Cuts::new(program, &order, function);
        let before = self.commands.len();
        loop {
            cuts.limit_overlap();
            let found = cuts.points().map(|source| self.blocks_from(&cuts, source));
            let found: Result<Vec<Vec<Block>>, TooLarge> = found.collect();
            match found {
                Ok(blocks) => {
                    self.blocks.extend(blocks.into_iter().flatten());
                    self.cut_points.extend(cuts.points());
                    return;
                }
                Err(TooLarge { middle }) => {
                    cuts.is_cut.insert(middle);
                    self.sizes.truncate(before);
                    self.ways.truncate(before);
                    for command in self.commands.drain(before..) {
                        self.index.remove(&command);
                    }
                }
            }
        }
    }

    /// The blocks that begin at a cut point, in the order of their ends.
    fn blocks_from(&mut self, cuts: &Cuts<'_>, source: LocId) -> Result<Vec<Block>, TooLarge> {
        let region = cuts.region(source);
        let mut ends: Vec<End> = Vec::new();
        for &location in &region {
            ends.extend(
                cuts.steps(location)
                    .iter()
                    .filter_map(|&(_, next)| next.end()),
            );
        }
        ends.sort_unstable();
        ends.dedup();
        let blocks = ends.into_iter().map(|end| {
            let ways = cuts.ways(&region, end);
            let edges = ways.edges.len() as u64;
            let command = reduce::reduce(self, &ways);
            let is_large = self.size(command) > GROWTH * (edges + GROWTH);
            let has_many_ways = self.most_ways.is_some_and(|most| self.ways(command) > most);
            if (is_large || has_many_ways)
                && let Some(middle) = ways.middle()
            {
                return Err(TooLarge { middle });
            }
            Ok(Block {
                source,
                end,
                command,
            })
        });
        blocks.collect()
    }
}

/// A block that is not linear; a location to cut it at.
struct TooLarge {
    middle: LocId,
}

/// Where an edge leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    /// On within the block.
    On(LocId),
    End(End),
}

impl Next {
    fn end(self) -> Option<End> {
        match self {
            Next::On(_) => None,
            Next::End(end) => Some(end),
        }
    }
}

/// All ways from a cut point to one end.
struct Ways {
    /// In an order in which edges lead on; the first is where the ways begin.
    locations: Vec<LocId>,
    /// From where to where (`locations.len()` is the end) by which edge.
    edges: Vec<(usize, usize, EdgeId)>,
}

impl Ways {
    /// A location in the middle where several edges meet.
    fn middle(&self) -> Option<LocId> {
        let mut entering = vec![0; self.locations.len() + 1];
        for &(_, target, _) in &self.edges {
            entering[target] += 1;
        }
        let joins = (1..self.locations.len()).filter(|&number| entering[number] > 1);
        let joins: Vec<usize> = joins.collect();
        joins
            .get(joins.len() / 2)
            .map(|&number| self.locations[number])
    }
}

/// The cut points of a function.
struct Cuts<'p> {
    program: &'p Program,
    order: &'p Order,
    is_cut: FxHashSet<LocId>,
}

impl<'p> Cuts<'p> {
    fn new(program: &'p Program, order: &'p Order, function: FuncId) -> Cuts<'p> {
        let function = program.function(function);
        let mut is_cut = FxHashSet::from_iter([function.entry, function.exit]);
        is_cut.extend(order.loops.iter().map(|one| one.head));
        for &location in &order.line {
            for &edge in &program.location(location).outgoing {
                if let Op::Call { .. } = program.edge_op(edge) {
                    is_cut.extend([location, program.edge(edge).target]);
                }
            }
        }
        Cuts {
            program,
            order,
            is_cut,
        }
    }

    /// The cut points that the function's entry reaches, in order.
    fn points(&self) -> impl Iterator<Item = LocId> {
        self.order
            .line
            .iter()
            .copied()
            .filter(|location| self.is_cut.contains(location))
    }

    /// Where the edges of a location lead, without those that end the execution.
    fn steps(&self, location: LocId) -> Vec<(EdgeId, Next)> {
        let edges = self.program.location(location).outgoing.iter();
        let steps = edges.filter_map(|&edge| {
            let target = self.program.edge(edge).target;
            let next = match self.program.edge_op(edge) {
                Op::Halt(Halt::Unsupported(_)) => Next::End(End::Unsupported),
                Op::Halt(_) => return None,
                _ if self.program.is_error(target) => Next::End(End::Error),
                _ if self.is_cut.contains(&target) => Next::End(End::Location(target)),
                _ => Next::On(target),
            };
            Some((edge, next))
        });
        steps.collect()
    }

    /// The source and what it reaches before the next cut points, in order.
    fn region(&self, source: LocId) -> Vec<LocId> {
        let mut seen = FxHashSet::from_iter([source]);
        let mut work = vec![source];
        while let Some(location) = work.pop() {
            for (_, next) in self.steps(location) {
                if let Next::On(target) = next
                    && seen.insert(target)
                {
                    work.push(target);
                }
            }
        }
        let mut region: Vec<LocId> = seen.into_iter().collect();
        // Between cut points positions grow along every edge; all that is reached has one.
        region
            .sort_unstable_by_key(|&location| (location != source, self.order.position(location)));
        region
    }

    /// What of a region leads to an end.
    fn ways(&self, region: &[LocId], end: End) -> Ways {
        let mut leads: FxHashSet<LocId> = FxHashSet::default();
        for &location in region.iter().rev() {
            let on = self.steps(location).iter().any(|&(_, next)| match next {
                Next::On(target) => leads.contains(&target),
                Next::End(other) => other == end,
            });
            if on {
                leads.insert(location);
            }
        }
        let locations: Vec<LocId> = region
            .iter()
            .copied()
            .filter(|at| leads.contains(at))
            .collect();
        let number: FxHashMap<LocId, usize> = locations.iter().copied().zip(0..).collect();
        let mut edges = Vec::new();
        for (source, &location) in locations.iter().enumerate() {
            for (edge, next) in self.steps(location) {
                match next {
                    Next::On(target) => {
                        edges.extend(number.get(&target).map(|&target| (source, target, edge)))
                    }
                    Next::End(other) if other == end => edges.push((source, locations.len(), edge)),
                    Next::End(_) => {}
                }
            }
        }
        Ways { locations, edges }
    }

    /// Makes cut points of the locations that lie between too many.
    fn limit_overlap(&mut self) {
        let order = self.order;
        let mut sources: FxHashMap<LocId, Vec<LocId>> = FxHashMap::default();
        for &location in &order.line {
            let mut here = sources.remove(&location).unwrap_or_default();
            here.sort_unstable();
            here.dedup();
            if here.len() > OVERLAP {
                self.is_cut.insert(location);
            }
            if self.is_cut.contains(&location) {
                here = vec![location];
            }
            for (_, next) in self.steps(location) {
                if let Next::On(target) = next {
                    sources.entry(target).or_default().extend(&here);
                }
            }
        }
        let mut ends: FxHashMap<LocId, Vec<End>> = FxHashMap::default();
        for &location in order.line.iter().rev() {
            let mut here = Vec::new();
            for (_, next) in self.steps(location) {
                match next {
                    Next::End(end) => here.push(end),
                    Next::On(target) => here.extend(ends.get(&target).into_iter().flatten()),
                }
            }
            here.sort_unstable();
            here.dedup();
            if here.len() > OVERLAP {
                self.is_cut.insert(location);
            }
            ends.insert(location, here);
        }
    }
}
