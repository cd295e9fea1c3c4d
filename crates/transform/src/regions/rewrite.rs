//! Writes the program anew with regions and variables in place of all of memory.

use super::homes::{Homes, Part, PartId, Range};
use super::places::{CellPlace, Home, Places};
use super::points_to::PointsTo;
use super::shape::Pointer;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::memory::{ObjectId, RegionId};
use cfa::op::{Contents, Input, InputId, InputKind, Op, OpId};
use cfa::program::{Edge, EdgeId, LocId, Location, LocationKind, Program, Variable, VariableKind};
use cfa::value::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

pub fn rewrite(program: &Program, points_to: &mut PointsTo, places: &Places) -> (Program, Homes) {
    let mut result = Program {
        pool: ExprPool::default(),
        ops: Vec::new(),
        edges: Vec::new(),
        regions: places.regions.clone(),
        watched: None,
        ..program.clone()
    };
    result.vars.extend(places.variables.iter().cloned());
    for location in &mut result.locations {
        location.outgoing.clear();
        location.incoming.clear();
    }
    let mut writer = Writer {
        program,
        points_to,
        places,
        homes: Homes {
            parts: places.places.iter().map(part).collect(),
            pieces: pieces(&result, program.vars.len()),
            loads: vec![None; program.pool.len()],
            ..Homes::default()
        },
        result,
        edge: EdgeId(0),
        exprs: Vec::with_capacity(program.pool.len()),
        has_load: has_load(&program.pool),
        op_index: FxHashMap::default(),
    };
    for number in 0..program.pool.len() {
        let old = ExprId(number as u32);
        let id = writer.expression(old);
        if program.pool.is_sum_of_integers(old) {
            writer.result.pool.mark_sum_of_integers(id);
        }
        if program.pool.is_object_offset(old) {
            writer.result.pool.mark_object_offset(id);
        }
        writer.exprs.push(id);
    }
    // Distances that the program takes itself tell of addresses, whoever else takes them.
    for number in 0..program.pool.len() {
        if !program.pool.is_object_offset(ExprId(number as u32)) {
            let id = writer.exprs[number];
            writer.result.pool.unmark_object_offset(id);
        }
    }
    for (number, edge) in program.edges.iter().enumerate() {
        writer.edge = EdgeId(number as u32);
        let mut ops = writer.checks(program.op(edge.op));
        ops.extend(writer.operation(program.op(edge.op)));
        if matches!(program.op(edge.op), Op::Assume(_)) {
            // Where an execution branches, it chooses by the first condition: that must be the one
            // that tells the branches apart. If the pointer points elsewhere, the execution ends in
            // all of them.
            ops.rotate_right(1);
        }
        writer.edges(edge, ops);
    }
    (writer.result, writer.homes)
}

/// What the variables from this number on stand for.
fn pieces(program: &Program, from: usize) -> FxHashMap<VarId, VariableKind> {
    let new = program.vars.iter().enumerate().skip(from);
    new.map(|(number, var)| (VarId(number as u32), var.kind))
        .collect()
}

fn part(place: &CellPlace) -> Part {
    Part {
        home: place.home,
        len: place.len,
        is_whole: place.is_whole,
        is_read: place.is_read,
        reaches_outside: place.reaches_outside,
        begins_with_zeros: place.begins_with_zeros,
    }
}

struct Writer<'a> {
    program: &'a Program,
    points_to: &'a mut PointsTo,
    places: &'a Places,
    result: Program,
    homes: Homes,
    /// The edge that is being written.
    edge: EdgeId,
    /// New numbers of the old expressions.
    exprs: Vec<ExprId>,
    /// Which old expressions read memory.
    has_load: Vec<bool>,
    op_index: FxHashMap<Op, OpId>,
}

impl Writer<'_> {
    fn pool(&mut self) -> &mut ExprPool {
        &mut self.result.pool
    }

    fn renewed(&self, old: ExprId) -> ExprId {
        self.exprs[old.0 as usize]
    }

    fn place_of(&mut self, address: ExprId) -> Option<usize> {
        let pointer = self.points_to.address(address);
        self.places.at(self.points_to, pointer)
    }

    fn expression(&mut self, old: ExprId) -> ExprId {
        let program = self.program;
        let ty = program.pool.ty(old);
        match program.pool.node(old) {
            Node::Const(bits) => self.pool().constant(bits, ty),
            Node::Var(var) => self.pool().variable(var, ty),
            Node::Address(object) => self.pool().address(object, ty),
            Node::Unary(op, a) => {
                let a = self.renewed(a);
                self.pool().unary(op, a)
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (self.renewed(a), self.renewed(b));
                self.pool().binary(op, a, b)
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.renewed(c), self.renewed(a), self.renewed(b));
                self.pool().ite(c, a, b)
            }
            Node::Fma(a, b, c) => {
                let (a, b, c) = (self.renewed(a), self.renewed(b), self.renewed(c));
                self.pool().fma(a, b, c)
            }
            Node::Load { address, .. } => {
                let place = self.place_of(address);
                self.homes.loads[old.0 as usize] = place.map(part_id);
                let home = place.map(|place| self.places.places[place].home);
                let address = self.renewed(address);
                self.read(home, address, ty)
            }
        }
    }

    /// An access through a pointer to an object that was split is valid only if the pointer points
    /// there: what must hold before the operation, inner accesses first.
    fn checks(&mut self, op: &Op) -> Vec<Op> {
        let program = self.program;
        let mut roots = op.expressions();
        let mut addresses: Vec<ExprId> = match op {
            Op::Store { address, .. } => vec![*address],
            _ => Vec::new(),
        };
        let mut seen = FxHashSet::default();
        while let Some(id) = roots.pop() {
            if !self.has_load[id.0 as usize] || !seen.insert(id) {
                continue;
            }
            let node = program.pool.node(id);
            if let Node::Load { address, .. } = node {
                addresses.push(address);
            }
            roots.extend(node.children());
        }
        // Parts of an expression come before it.
        addresses.sort_unstable();
        addresses.dedup();
        let mut checks = Vec::new();
        for address in addresses {
            let pointer = self.points_to.address(address);
            let Some(number) = self.places.at(self.points_to, pointer) else {
                continue;
            };
            let Home::Variable(var) = self.places.places[number].home else {
                continue;
            };
            let VariableKind::Piece { object, offset } = self.result.var(var).kind else {
                continue;
            };
            let address = self.renewed(address);
            let ty = self.result.pool.ty(address);
            let base = self.pool().address(object, ty);
            let expected = self.pool().offset(base, i128::from(offset));
            let hits = self.pool().eq(address, expected);
            if self.result.pool.as_bool(hits) != Some(true) {
                checks.push(Op::Assume(hits));
            }
        }
        checks
    }

    /// The value of the type in a cell.
    fn read(&mut self, home: Option<Home>, address: ExprId, ty: Ty) -> ExprId {
        match home {
            Some(Home::Variable(var)) => {
                let own = self.result.var(var).ty;
                let value = self.pool().variable(var, own);
                self.adapt(value, ty)
            }
            Some(Home::Region(region)) => self.pool().load(region, address, ty),
            None => self.pool().load(RegionId::WHOLE, address, ty),
        }
    }

    /// The same bits in another type of the same width.
    fn adapt(&mut self, value: ExprId, ty: Ty) -> ExprId {
        let own = self.result.pool.ty(value);
        if own == ty {
            value
        } else if own.is_int() && ty.is_int() {
            self.pool().convert(value, ty)
        } else {
            self.pool().unary(UnOp::Reinterpret(ty), value)
        }
    }

    fn write(&mut self, home: Option<Home>, address: ExprId, value: ExprId) -> Op {
        match home {
            Some(Home::Variable(var)) => {
                let value = self.adapt(value, self.result.var(var).ty);
                Op::Assign(var, value)
            }
            Some(Home::Region(region)) => Op::Store {
                region,
                address,
                value,
            },
            None => Op::Store {
                region: RegionId::WHOLE,
                address,
                value,
            },
        }
    }

    /// The operations that stand for one.
    fn operation(&mut self, op: &Op) -> Vec<Op> {
        let single = match op {
            Op::Skip | Op::Havoc(..) | Op::End(_) => op.clone(),
            Op::Assume(condition) => Op::Assume(self.renewed(*condition)),
            Op::Assign(var, value) => Op::Assign(*var, self.renewed(*value)),
            Op::Store { address, value, .. } => {
                let place = self.place_of(*address);
                if let Some(place) = place {
                    self.homes.stores.insert(self.edge, part_id(place));
                }
                let place = place.map(|place| &self.places.places[place]);
                let is_read = place.as_ref().is_none_or(|place| place.is_read);
                let home = place.map(|place| place.home);
                let (address, value) = (self.renewed(*address), self.renewed(*value));
                if !is_read && !self.pool().can_fail(value) {
                    // Nothing ever reads what is written, and computing it does not end the
                    // execution.
                    return vec![Op::Skip];
                }
                self.write(home, address, value)
            }
            Op::Begin { object, contents } => return self.begin(*object, *contents),
            Op::Allocate {
                target,
                object,
                size,
                contents,
            } => Op::Allocate {
                target: *target,
                object: *object,
                size: self.renewed(*size),
                contents: *contents,
            },
            Op::Reallocate {
                target,
                object,
                address,
                size,
            } => Op::Reallocate {
                target: *target,
                object: *object,
                address: self.renewed(*address),
                size: self.renewed(*size),
            },
            Op::Release(address) => Op::Release(self.renewed(*address)),
            Op::Copy {
                target,
                source,
                size,
                ..
            } => return self.copy(*target, *source, *size),
            Op::Fill {
                target, byte, size, ..
            } => return self.fill(*target, *byte, *size),
            Op::Call {
                function,
                args,
                result,
            } => Op::Call {
                function: *function,
                args: args.iter().map(|arg| self.renewed(*arg)).collect(),
                result: *result,
            },
            Op::Print(print) => {
                let mut print = print.clone();
                for arg in &mut print.args {
                    *arg = self.renewed(*arg);
                }
                Op::Print(print)
            }
            Op::Halt(halt) => {
                let mut halt = halt.clone();
                if let cfa::op::Halt::Exit(status) = &mut halt {
                    *status = self.renewed(*status);
                }
                Op::Halt(halt)
            }
        };
        vec![single]
    }

    fn begin(&mut self, object: ObjectId, contents: Contents) -> Vec<Op> {
        // The object stays: its address may be compared, and parts of it may lie in regions.
        let mut ops = vec![Op::Begin { object, contents }];
        for &var in self
            .places
            .pieces
            .get(&object)
            .map_or(&[][..], Vec::as_slice)
        {
            let ty = self.result.var(var).ty;
            ops.push(match contents {
                Contents::Zero => Op::Assign(var, self.pool().constant(0, ty)),
                Contents::Arbitrary | Contents::Outside => {
                    let input = InputId(self.result.inputs.len() as u32);
                    let name = self.result.var(var).name.clone();
                    let span = self.result.var(var).span;
                    self.result.inputs.push(Input {
                        kind: InputKind::Uninitialised(name),
                        is_bool: false,
                        span,
                    });
                    Op::Havoc(var, input)
                }
            });
        }
        ops
    }

    /// The value of the expression for several operations in a row, the earlier of which write
    /// memory: if it is read there itself, it is kept in a temporary first.
    fn settled(&mut self, old: ExprId, several: bool, first: &mut Vec<Op>) -> ExprId {
        let value = self.renewed(old);
        if !several || !self.has_load[old.0 as usize] {
            return value;
        }
        let ty = self.result.pool.ty(value);
        let temporary = self.temporary(ty);
        first.push(Op::Assign(temporary, value));
        self.pool().variable(temporary, ty)
    }

    fn copy(&mut self, target: ExprId, source: ExprId, size: ExprId) -> Vec<Op> {
        let (to, from) = (
            self.points_to.address(target),
            self.points_to.address(source),
        );
        let bytes = self.program.pool.as_constant(size);
        let mut ops = Vec::new();
        if to.node == from.node || bytes.is_none() {
            // All regions of the node, over the same bytes.
            let mut regions = Vec::new();
            for &number in self.places.of_node(to.node) {
                let place = &self.places.places[number];
                if let (Home::Region(region), true) = (place.home, place.is_read) {
                    regions.push(region);
                    self.wrote(number, Some(number), None);
                }
            }
            let several = regions.len() > 1;
            let target = self.settled(target, several, &mut ops);
            let source = self.settled(source, several, &mut ops);
            let size = self.settled(size, several, &mut ops);
            ops.extend(regions.into_iter().map(|region| Op::Copy {
                target_region: region,
                target,
                source_region: region,
                source,
                size,
            }));
            return or_skip(ops);
        }
        let bytes = bytes.map_or(0, |bytes| bytes as i64);
        let stride = self.points_to.shapes.node(to.node).stride;
        let mut cells = Vec::new();
        for &number in self.places.of_node(to.node) {
            let place = &self.places.places[number];
            if place.is_read {
                cells.push((number, place.occurrences(to.offset, stride, bytes)));
            }
        }
        let several = cells.iter().map(|(_, cells)| cells.len()).sum::<usize>() > 1;
        let target = self.settled(target, several, &mut ops);
        let source = self.settled(source, several, &mut ops);
        // Values first, then the writes: the source may overlap the target.
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (number, cells) in cells {
            let place = self.places.places[number].clone();
            for (from_byte, to_byte) in cells {
                let other = Pointer {
                    node: from.node,
                    offset: from.offset + from_byte,
                };
                let other = self.places.at(self.points_to, other);
                let len = to_byte - from_byte;
                self.wrote(number, other, Some((from_byte, len)));
                let other = other.map(|number| self.places.places[number].clone());
                let target = self.pool().offset(target, i128::from(from_byte));
                let source = self.pool().offset(source, i128::from(from_byte));
                let pointer_ty = self.result.pool.ty(target);
                let other_home = other.as_ref().map(|other| other.home);
                match place.home {
                    Home::Region(target_region) if !place.uniform => {
                        // What lies in no cell, or in one of another shape, may be anything.
                        let source_region = match other {
                            Some(CellPlace {
                                home: Home::Region(region),
                                uniform: false,
                                ..
                            }) => region,
                            _ => RegionId::WHOLE,
                        };
                        let size = self.pool().constant(len as u128, pointer_ty);
                        writes.push(Op::Copy {
                            target_region,
                            target,
                            source_region,
                            source,
                            size,
                        });
                    }
                    home => {
                        let ty = match home {
                            Home::Variable(var) => self.result.var(var).ty,
                            Home::Region(_) => Ty::unsigned(place.len as u16 * 8),
                        };
                        let value = self.read(other_home, source, ty);
                        let temporary = self.temporary(ty);
                        reads.push(Op::Assign(temporary, value));
                        let value = self.pool().variable(temporary, ty);
                        writes.push(self.write(Some(home), target, value));
                    }
                }
            }
        }
        if let ([Op::Assign(_, value)], [_]) = (&reads[..], &writes[..])
            && let Some(direct) = with_value(&writes[0], *value)
        {
            return vec![direct];
        }
        ops.extend(reads);
        ops.extend(writes);
        or_skip(ops)
    }

    /// The operation at hand writes to the part.
    fn wrote(&mut self, target: usize, source: Option<usize>, extent: Option<(i64, i64)>) {
        self.homes.ranges.entry(self.edge).or_default().push(Range {
            target: part_id(target),
            source: source.map(part_id),
            extent,
        });
    }

    fn temporary(&mut self, ty: Ty) -> VarId {
        let id = VarId(self.result.vars.len() as u32);
        self.result.vars.push(Variable {
            name: format!("copy${}", id.0),
            ty,
            c_type: None,
            function: None,
            kind: VariableKind::Temporary,
            span: syntax::span::Span::NONE,
        });
        id
    }

    fn fill(&mut self, target: ExprId, byte: ExprId, size: ExprId) -> Vec<Op> {
        let to = self.points_to.address(target);
        let bytes = self.program.pool.as_constant(size);
        let mut numbers = self.places.of_node(to.node).to_vec();
        numbers.retain(|&number| self.places.places[number].is_read);
        let several = numbers.len() > 1;
        let mut ops = Vec::new();
        let target = self.settled(target, several, &mut ops);
        let byte = self.settled(byte, several, &mut ops);
        let size = self.settled(size, several, &mut ops);
        for number in numbers {
            let place = self.places.places[number].clone();
            self.wrote(number, None, None);
            match place.home {
                Home::Region(region) => {
                    let exact = self.points_to.shapes.node(to.node).stride == 0;
                    let distance = place.start - to.offset;
                    // Otherwise cells are met from the target on, or are bytes (see
                    // `Shapes::cover`).
                    match bytes {
                        // Only the cell, so that the fill covers whole cells of its region.
                        Some(bytes) if exact && place.uniform => {
                            if distance >= 0 && ((distance + place.len) as u128) <= bytes {
                                let ty = self.result.pool.ty(size);
                                let target = self.pool().offset(target, i128::from(distance));
                                let size = self.pool().constant(place.len as u128, ty);
                                ops.push(Op::Fill {
                                    region,
                                    target,
                                    byte,
                                    size,
                                });
                            }
                        }
                        _ => ops.push(Op::Fill {
                            region,
                            target,
                            byte,
                            size,
                        }),
                    }
                }
                Home::Variable(var) => {
                    let distance = place.start - to.offset;
                    if distance < 0 || bytes.is_none_or(|bytes| distance as u128 >= bytes) {
                        continue;
                    }
                    let own = self.result.var(var).ty;
                    let bits = Ty::unsigned(own.width().next_multiple_of(8));
                    let ones = (0..bits.bytes()).fold(0u128, |ones, _| ones << 8 | 1);
                    let wide = self.pool().convert(byte, bits);
                    let ones = self.pool().constant(ones, bits);
                    let value = self.pool().binary(BinOp::Mul, wide, ones);
                    let value = self.adapt(value, own);
                    ops.push(Op::Assign(var, value));
                }
            }
        }
        or_skip(ops)
    }

    fn edges(&mut self, edge: &Edge, ops: Vec<Op>) {
        let last = ops.len().saturating_sub(1);
        let mut source = edge.source;
        for (number, op) in ops.into_iter().enumerate() {
            let target = if number == last {
                edge.target
            } else {
                let id = LocId(self.result.locations.len() as u32);
                self.result.locations.push(Location {
                    function: self.program.location(edge.source).function,
                    kind: LocationKind::Ordinary,
                    span: edge.span,
                    outgoing: Vec::new(),
                    incoming: Vec::new(),
                });
                id
            };
            let op = self.intern(op);
            let id = EdgeId(self.result.edges.len() as u32);
            let branch = edge.branch.filter(|_| number == 0);
            self.result.edges.push(Edge {
                source,
                target,
                op,
                span: edge.span,
                branch,
            });
            self.result.locations[source.0 as usize].outgoing.push(id);
            self.result.locations[target.0 as usize].incoming.push(id);
            source = target;
        }
    }

    fn intern(&mut self, op: Op) -> OpId {
        if let Some(&id) = self.op_index.get(&op) {
            return id;
        }
        let id = OpId(self.result.ops.len() as u32);
        self.result.ops.push(op.clone());
        self.op_index.insert(op, id);
        id
    }
}

fn has_load(pool: &ExprPool) -> Vec<bool> {
    let mut result: Vec<bool> = Vec::with_capacity(pool.len());
    for number in 0..pool.len() {
        let node = pool.node(ExprId(number as u32));
        let own = matches!(node, Node::Load { .. });
        result.push(own || node.children().any(|child| result[child.0 as usize]));
    }
    result
}

fn part_id(place: usize) -> PartId {
    PartId(place as u32)
}

fn or_skip(ops: Vec<Op>) -> Vec<Op> {
    if ops.is_empty() { vec![Op::Skip] } else { ops }
}

/// A write of the given value instead.
fn with_value(op: &Op, value: ExprId) -> Option<Op> {
    match op {
        Op::Assign(var, _) => Some(Op::Assign(*var, value)),
        Op::Store {
            region, address, ..
        } => Some(Op::Store {
            region: *region,
            address: *address,
            value,
        }),
        _ => None,
    }
}
