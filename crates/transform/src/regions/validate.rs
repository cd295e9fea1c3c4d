//! The split of memory, held against an execution: an opponent of the analysis that knows nothing
//! of it.
//!
//! The program before the split is executed, and the parts that the split gave to its accesses are
//! looked up. A byte of an object that is read through one part after it was written through
//! another has another value in the program behind the split. So all accesses to a byte, as long as
//! its object lives, must have one part; what a copy or a fill leaves out must not be read; cells
//! wider than a byte are accessed whole; and a part that became a variable is one place of one
//! object. What an execution does not do, it does not show: this refutes, it never proves.

use super::{Home, Part, PartId, Range, Split};
use cfa::algebra::evaluate_with;
use cfa::concrete::{Concrete, State, Undefined};
use cfa::expr::{ExprId, Node, VarId};
use cfa::memory::ObjectId;
use cfa::op::Op;
use cfa::program::{EdgeId, LocId, Program, VariableKind};
use cfa::value::Ty;
use control::StopToken;
use interpreter::{Change, InputSource, Interpreter, Observer, Options, Outcome, View};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What an execution without a violation did.
#[derive(Clone, Debug)]
pub struct Stats {
    pub outcome: Outcome,
    pub loads: u64,
    pub stores: u64,
    /// Copies and fills.
    pub ranges: u64,
    /// Accesses that were not looked at, since their address depends on memory without a value.
    pub unknown: u64,
}

/// An access that does not lie where the split put it.
#[derive(Clone, Debug)]
pub struct Violation {
    pub edge: EdgeId,
    /// What is wrong, with names and places of the source.
    pub text: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Violation {}

/// Executes the program that was split and compares each access with the part that it got.
pub fn validate(
    program: &Program,
    split: &Split,
    inputs: &mut dyn InputSource,
    options: &Options<'_>,
) -> Result<Stats, Violation> {
    let end = options.stop.map_or_else(StopToken::new, StopToken::child);
    let mut watch = Watch::new(program, split, &end);
    let options = Options {
        // Every edge is looked at.
        leaps: false,
        stop: Some(&end),
        ..*options
    };
    let (mut out, mut err) = (std::io::sink(), std::io::sink());
    let mut interpreter = Interpreter::new(program);
    let run = interpreter.run_with(&options, inputs, &mut out, &mut err, Some(&mut watch));
    match watch.violation {
        Some(violation) => Err(violation),
        None => Ok(Stats {
            outcome: run.outcome,
            ..watch.stats
        }),
    }
}

/// A chain of copies longer than this is not followed further.
const LONGEST_CHAIN: u32 = 64;

/// How a byte came to its value.
#[derive(Clone, Debug)]
enum Last {
    /// As the object began, or unknown: no part has it in particular.
    Initial,
    /// By a store, or by a copy or fill whose part was found out.
    Through(PartId),
    /// By a fill, so many bytes from its start.
    Filled(EdgeId, i64),
    /// By a copy, so many bytes from its start; with what is known of the byte in the source.
    Copied(EdgeId, i64, Rc<Source>),
}

#[derive(Clone, Debug)]
struct Source {
    byte: Byte,
    /// The byte's place in its object.
    offset: i64,
    chain: u32,
}

/// What is known of a byte of a live object.
#[derive(Clone, Debug)]
struct Byte {
    /// The part of all accesses so far.
    part: Option<PartId>,
    /// Where the wide cell begins that it lies in.
    cell: Option<i64>,
    last: Last,
}

impl Byte {
    const NEW: Byte = Byte {
        part: None,
        cell: None,
        last: Last::Initial,
    };

    fn chain(&self) -> u32 {
        match &self.last {
            Last::Copied(_, _, source) => source.chain,
            _ => 0,
        }
    }
}

/// An object as it lies in memory now.
#[derive(Clone, Default)]
struct Instance {
    bytes: FxHashMap<i64, Byte>,
}

/// Bytes in a live object.
#[derive(Clone, Copy, Debug)]
struct Spot {
    object: ObjectId,
    start: u64,
    offset: i64,
    len: i64,
}

fn spot(view: &View<'_>, address: u64, len: u64) -> Option<Spot> {
    let (object, offset) = view.object_at(address)?;
    Some(Spot {
        object,
        start: address - offset,
        offset: offset as i64,
        len: len as i64,
    })
}

/// What an edge would access if it were taken now.
#[derive(Clone, Default)]
struct Accesses {
    loads: Vec<(ExprId, Spot)>,
    /// Of stores, copies and fills.
    target: Option<Spot>,
    /// Of copies and reallocations.
    source: Option<Spot>,
    unknown: u64,
}

/// A value that is not known before the edge is taken.
struct NotKnown;

impl From<Undefined> for NotKnown {
    fn from(_: Undefined) -> NotKnown {
        NotKnown
    }
}

/// The state at a location: what is seen, with the parameters of a call that begins.
struct At<'v, 's> {
    view: &'v View<'s>,
    params: &'v FxHashMap<VarId, Option<u128>>,
}

impl State for At<'_, '_> {
    type Error = NotKnown;

    fn variable(&mut self, var: VarId, _: Ty) -> Result<u128, NotKnown> {
        match self.params.get(&var) {
            Some(value) => value.ok_or(NotKnown),
            None => self.view.variable(var).ok_or(NotKnown),
        }
    }

    fn address(&mut self, object: ObjectId) -> Result<u128, NotKnown> {
        self.view.address_of(object).map(u128::from).ok_or(NotKnown)
    }

    fn load(&mut self, address: u128, ty: Ty) -> Result<u128, NotKnown> {
        let mut value = 0;
        for index in 0..ty.bytes() {
            let byte = self.view.byte((address as u64).wrapping_add(index));
            value |= u128::from(byte.ok_or(NotKnown)?) << (8 * index);
        }
        // A byte in memory may have more bits than the type.
        Ok(arith::int::truncate(value, ty.width().into()))
    }
}

struct Watch<'p> {
    program: &'p Program,
    split: &'p Split,
    /// The loads of each operation, inner ones first; by operation.
    loads: Vec<Vec<ExprId>>,
    pending: FxHashMap<EdgeId, Accesses>,
    instances: FxHashMap<u64, Instance>,
    /// The newest instance of each object.
    newest: FxHashMap<ObjectId, u64>,
    stats: Stats,
    violation: Option<Violation>,
    /// Ends the run when a violation is found.
    end: &'p StopToken,
}

fn loads_of(program: &Program, op: &Op) -> Vec<ExprId> {
    let mut seen = FxHashSet::default();
    let mut stack = op.expressions();
    let mut loads = Vec::new();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = program.pool.node(id);
        if matches!(node, Node::Load { .. }) {
            loads.push(id);
        }
        stack.extend(node.children());
    }
    // A child's number is smaller than its parent's.
    loads.sort();
    loads
}

impl<'p> Watch<'p> {
    fn new(program: &'p Program, split: &'p Split, end: &'p StopToken) -> Watch<'p> {
        let loads = program.ops.iter().map(|op| loads_of(program, op));
        Watch {
            program,
            split,
            loads: loads.collect(),
            pending: FxHashMap::default(),
            instances: FxHashMap::default(),
            newest: FxHashMap::default(),
            stats: Stats {
                outcome: Outcome::Stopped,
                loads: 0,
                stores: 0,
                ranges: 0,
                unknown: 0,
            },
            violation: None,
            end,
        }
    }

    // ---- before an edge ----

    /// The accesses of all edges that may be taken from the location.
    fn look_ahead(
        &mut self,
        location: LocId,
        view: &View<'_>,
        params: &FxHashMap<VarId, Option<u128>>,
    ) {
        self.pending.clear();
        for &edge in &self.program.location(location).outgoing {
            let accesses = self.accesses(edge, view, params);
            self.pending.insert(edge, accesses);
        }
    }

    fn accesses(
        &self,
        edge: EdgeId,
        view: &View<'_>,
        params: &FxHashMap<VarId, Option<u128>>,
    ) -> Accesses {
        let pool = &self.program.pool;
        let op = self.program.edge_op(edge);
        let loads = &self.loads[self.program.edge(edge).op.0 as usize];
        let mut found = Accesses::default();
        let writes = matches!(
            op,
            Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::Reallocate { .. }
        );
        if loads.is_empty() && !writes {
            return found;
        }
        let mut memo = FxHashMap::default();
        let mut state = At { view, params };
        let mut value = |expr| evaluate_with(pool, expr, &mut Concrete(&mut state), &mut memo).ok();
        for &load in loads {
            let Node::Load { address, .. } = pool.node(load) else {
                continue;
            };
            match value(address) {
                Some(address) => {
                    let spot = spot(view, address as u64, pool.ty(load).bytes());
                    found.loads.extend(spot.map(|spot| (load, spot)));
                }
                None => found.unknown += 1,
            }
        }
        let mut range = |address, size: Option<u128>| match (value(address), size) {
            (Some(address), Some(size)) => Some(spot(view, address as u64, size as u64)),
            _ => None,
        };
        let mut known = true;
        match op {
            Op::Store { address, value, .. } => {
                match range(*address, Some(pool.ty(*value).bytes().into())) {
                    Some(target) => found.target = target,
                    None => known = false,
                }
            }
            Op::Copy {
                target,
                source,
                size,
                ..
            } => {
                let size = evaluate_size(pool, *size, view, params);
                match (range(*target, size), range(*source, size)) {
                    (Some(target), Some(source)) => {
                        (found.target, found.source) = (target, source);
                    }
                    _ => known = false,
                }
            }
            Op::Fill { target, size, .. } => {
                let size = evaluate_size(pool, *size, view, params);
                match range(*target, size) {
                    Some(target) => found.target = target,
                    None => known = false,
                }
            }
            Op::Reallocate { address, .. } => match range(*address, Some(0)) {
                Some(source) => found.source = source,
                None => known = false,
            },
            _ => {}
        }
        found.unknown += u64::from(!known);
        found
    }

    // ---- when it was taken ----

    fn taken(&mut self, edge: EdgeId, accesses: &Accesses) -> Result<(), String> {
        self.stats.unknown += accesses.unknown;
        for &(load, spot) in &accesses.loads {
            self.stats.loads += 1;
            let part = self.split.homes.loads.get(load.0 as usize);
            let part = part.copied().flatten();
            let part = part.ok_or_else(|| self.nowhere("a load", spot))?;
            if !self.part(part)?.is_read {
                return Err(format!(
                    "{} is read, but nothing is thought to read its part",
                    self.name(spot)
                ));
            }
            self.touch(spot, part, "load")?;
            for offset in spot.offset..spot.offset + spot.len {
                self.came_through(spot, offset, part)?;
            }
        }
        match (self.program.edge_op(edge), accesses.target) {
            (Op::Store { .. }, Some(spot)) => {
                self.stats.stores += 1;
                let part = self.split.homes.stores.get(&edge).copied();
                let part = part.ok_or_else(|| self.nowhere("a store", spot))?;
                self.touch(spot, part, "store")?;
                for offset in spot.offset..spot.offset + spot.len {
                    self.byte(spot.start, offset).last = Last::Through(part);
                }
            }
            (Op::Copy { .. } | Op::Fill { .. }, Some(spot)) if spot.len > 0 => {
                self.stats.ranges += 1;
                self.range(edge, spot, accesses.source)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn part(&self, part: PartId) -> Result<&'p Part, String> {
        let parts = &self.split.homes.parts;
        parts
            .get(part.0 as usize)
            .ok_or_else(|| format!("part {} does not exist", part.0))
    }

    fn byte(&mut self, start: u64, offset: i64) -> &mut Byte {
        let bytes = &mut self.instances.entry(start).or_default().bytes;
        bytes.entry(offset).or_insert(Byte::NEW)
    }

    /// An access of the part to these bytes, all at once.
    fn touch(&mut self, spot: Spot, part: PartId, what: &str) -> Result<(), String> {
        let home = self.part(part)?.home;
        let wide = match home {
            Home::Variable(var) => {
                self.lies_in(spot, var)?;
                false
            }
            Home::Region(region) => {
                let region = self.split.program.regions.get(region.0 as usize);
                let region = region.ok_or("the part's region does not exist")?;
                let bits = i64::from(region.cell_bits);
                if bits > 8 && spot.len * 8 != bits {
                    return Err(format!(
                        "a {what} of {} bytes at {} in a region of cells of {bits} bits",
                        spot.len,
                        self.name(spot)
                    ));
                }
                bits > 8
            }
        };
        for offset in spot.offset..spot.offset + spot.len {
            let byte = self.byte(spot.start, offset);
            let before = byte.part;
            let cell = byte.cell;
            byte.part = Some(part);
            if wide {
                byte.cell = Some(spot.offset);
            }
            if let Some(before) = before.filter(|&before| before != part) {
                return Err(format!(
                    "a {what} of {} goes to part {}, an earlier access of it went to part {}",
                    self.name(spot),
                    self.describe(part),
                    self.describe(before)
                ));
            }
            if wide && cell.is_some_and(|cell| cell != spot.offset) {
                return Err(format!(
                    "a {what} of {} lies across cells of its region",
                    self.name(spot)
                ));
            }
        }
        Ok(())
    }

    /// A part that is a variable is one place of the newest instance of one object.
    fn lies_in(&self, spot: Spot, var: VarId) -> Result<(), String> {
        let after = &self.split.program;
        let info = after.vars.get(var.0 as usize);
        let info = info.ok_or("the part's variable does not exist")?;
        let VariableKind::Piece { object, offset } = info.kind else {
            return Err(format!("variable {} is no piece of memory", info.name));
        };
        let newest = self.newest.get(&object).copied();
        if object != spot.object
            || offset as i64 != spot.offset
            || info.ty.bytes() as i64 != spot.len
            || newest.is_some_and(|newest| newest != spot.start)
        {
            return Err(format!(
                "an access of {} bytes at {} goes to variable {}",
                spot.len,
                self.name(spot),
                info.name
            ));
        }
        Ok(())
    }

    /// The byte's value is the one that the part has.
    fn came_through(&mut self, spot: Spot, offset: i64, part: PartId) -> Result<(), String> {
        let byte = self.byte(spot.start, offset).clone();
        let in_cell = byte.cell.map(|cell| offset - cell);
        if self.has_value(&byte, part, in_cell) {
            self.byte(spot.start, offset).last = Last::Through(part);
            return Ok(());
        }
        let how = match byte.last {
            Last::Initial => "not at all".to_owned(),
            Last::Through(other) => format!("through part {}", self.describe(other)),
            Last::Filled(edge, _) | Last::Copied(edge, ..) => {
                let place = self.program.describe(self.program.edge(edge).span);
                format!("by the operation at {place}, which leaves this part out")
            }
        };
        Err(format!(
            "{} is read through part {}, but byte {offset} was last written {how}",
            self.name(spot),
            self.describe(part)
        ))
    }

    fn has_value(&self, byte: &Byte, part: PartId, in_cell: Option<i64>) -> bool {
        match &byte.last {
            Last::Initial => true,
            Last::Through(other) => *other == part,
            Last::Filled(edge, at) => self
                .ranges(*edge)
                .iter()
                .any(|range| range.target == part && covers(range, *at)),
            Last::Copied(edge, at, source) => self.ranges(*edge).iter().any(|range| {
                let from = match range.source {
                    Some(from) if range.target == part && covers(range, *at) => from,
                    _ => return false,
                };
                let place = source.byte.cell.map(|cell| source.offset - cell);
                let same_place = range.extent.is_some()
                    || in_cell.is_none()
                    || place.is_none()
                    || place == in_cell;
                same_place
                    && source.byte.part.is_none_or(|part| part == from)
                    && self.has_value(&source.byte, from, place)
            }),
        }
    }

    fn ranges(&self, edge: EdgeId) -> &'p [Range] {
        self.split
            .homes
            .ranges
            .get(&edge)
            .map_or(&[], Vec::as_slice)
    }

    fn range(&mut self, edge: EdgeId, target: Spot, source: Option<Spot>) -> Result<(), String> {
        for range in self.ranges(edge) {
            // Writes to a part that nothing reads are left out.
            if let Some(from) = range.source
                && !self.part(from)?.is_read
            {
                return Err(format!(
                    "a copy reads part {}, but nothing is thought to read it",
                    self.describe(from)
                ));
            }
            let Some((at, len)) = range.extent else {
                continue;
            };
            if at < 0 || at + len > target.len {
                return Err(format!(
                    "{} bytes of {} are written, but {len} bytes {at} bytes behind it go to part {}",
                    target.len,
                    self.name(target),
                    self.describe(range.target)
                ));
            }
            let part_of = |spot: Spot| Spot {
                offset: spot.offset + at,
                len,
                ..spot
            };
            // Cells of a region of bytes are written one by one; a wider one is written whole.
            self.touch(part_of(target), range.target, "copy or fill")?;
            if let (Some(source), Some(part)) = (source, range.source) {
                self.touch(part_of(source), part, "copy")?;
            }
        }
        // All is read before anything is written.
        let mut values = Vec::new();
        for at in 0..target.len {
            values.push(match source {
                None => Last::Filled(edge, at),
                Some(source) => {
                    let offset = source.offset + at;
                    let byte = self.byte(source.start, offset).clone();
                    let chain = byte.chain() + 1;
                    if chain > LONGEST_CHAIN {
                        Last::Initial
                    } else {
                        Last::Copied(
                            edge,
                            at,
                            Rc::new(Source {
                                byte,
                                offset,
                                chain,
                            }),
                        )
                    }
                }
            });
        }
        for (last, at) in values.into_iter().zip(0..) {
            self.byte(target.start, target.offset + at).last = last;
        }
        Ok(())
    }

    /// Objects that begin with the edge.
    fn births(&mut self, edge: EdgeId, accesses: &Accesses, view: &View<'_>) {
        let (object, start, bytes) = match self.program.edge_op(edge) {
            Op::Begin { object, .. } => (*object, view.address_of(*object), None),
            Op::Allocate { target, object, .. } => {
                (*object, view.variable(*target).map(|at| at as u64), None)
            }
            Op::Reallocate { target, object, .. } => {
                let old = accesses
                    .source
                    .and_then(|old| self.instances.get(&old.start));
                (
                    *object,
                    view.variable(*target).map(|at| at as u64),
                    old.cloned(),
                )
            }
            _ => return,
        };
        let Some(start) = start.filter(|&start| start != 0) else {
            return;
        };
        let mut instance = bytes.unwrap_or_default();
        instance.bytes.retain(|&offset, _| {
            let address = start.wrapping_add(offset as u64);
            spot(view, address, 1).is_some_and(|spot| spot.start == start)
        });
        self.instances.insert(start, instance);
        self.newest.insert(object, start);
    }

    // ---- words ----

    fn name(&self, spot: Spot) -> String {
        let name = &self.program.object(spot.object).name;
        format!("{name}+{}", spot.offset)
    }

    fn nowhere(&self, what: &str, spot: Spot) -> String {
        format!("{what} of {} has no part", self.name(spot))
    }

    fn describe(&self, part: PartId) -> String {
        let after = &self.split.program;
        let home = match self
            .split
            .homes
            .parts
            .get(part.0 as usize)
            .map(|part| part.home)
        {
            Some(Home::Variable(var)) => after.vars.get(var.0 as usize).map(|var| &var.name),
            Some(Home::Region(region)) => after
                .regions
                .get(region.0 as usize)
                .map(|region| &region.name),
            None => None,
        };
        format!("{} ({})", part.0, home.map_or("nothing", String::as_str))
    }
}

fn covers(range: &Range, at: i64) -> bool {
    range
        .extent
        .is_none_or(|(from, len)| from <= at && at < from + len)
}

fn evaluate_size(
    pool: &cfa::expr::ExprPool,
    size: ExprId,
    view: &View<'_>,
    params: &FxHashMap<VarId, Option<u128>>,
) -> Option<u128> {
    let mut state = At { view, params };
    evaluate_with(
        pool,
        size,
        &mut Concrete(&mut state),
        &mut FxHashMap::default(),
    )
    .ok()
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        if self.violation.is_some() {
            return;
        }
        let none = FxHashMap::default();
        let accesses = match self.pending.remove(&edge) {
            Some(accesses) => accesses,
            // The first edge: nothing was seen before it, and nothing is there to be read.
            None => self.accesses(edge, view, &none),
        };
        if let Err(text) = self.taken(edge, &accesses) {
            let place = self.program.describe(self.program.edge(edge).span);
            self.violation = Some(Violation {
                edge,
                text: format!("{place}: {text}"),
            });
            self.end.stop();
            return;
        }
        self.births(edge, &accesses, view);
        match (change, self.program.edge_op(edge)) {
            (Change::Call(function), Op::Call { args, .. }) => {
                let function = self.program.function(function);
                let mut memo = FxHashMap::default();
                let mut state = At {
                    view,
                    params: &none,
                };
                let mut algebra = Concrete(&mut state);
                let pool = &self.program.pool;
                let values = args
                    .iter()
                    .map(|&arg| evaluate_with(pool, arg, &mut algebra, &mut memo).ok());
                let params = function.params.iter().copied().zip(values).collect();
                self.look_ahead(function.entry, view, &params);
            }
            _ => self.look_ahead(self.program.edge(edge).target, view, &none),
        }
    }

    fn leave(&mut self, call: EdgeId, _: Change, view: &View<'_>) {
        if self.violation.is_none() {
            let none = FxHashMap::default();
            self.look_ahead(self.program.edge(call).target, view, &none);
        }
    }
}
