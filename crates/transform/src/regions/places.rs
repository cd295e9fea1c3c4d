//! Where each cell of memory goes: into a region, or into a variable of its own.

use super::names::part_name;
use super::points_to::PointsTo;
use super::shape::{NodeId, Pointer};
use cfa::expr::{ExprId, Node, VarId};
use cfa::memory::{ObjectId, ObjectKind, Region, RegionId};
use cfa::op::Op;
use cfa::program::{FuncId, Program, Variable, VariableKind};
use cfa::value::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    Region(RegionId),
    Variable(VarId),
}

/// One cell and what is known of it.
#[derive(Clone, Debug)]
pub struct CellPlace {
    pub start: i64,
    pub len: i64,
    pub uniform: bool,
    /// Uniform, and copies and fills of unknown length end between its values.
    pub is_whole: bool,
    pub home: Home,
    /// Some operation reads it.
    pub is_read: bool,
    pub reaches_outside: bool,
    pub begins_with_zeros: bool,
}

#[derive(Debug, Default)]
pub struct Places {
    pub places: Vec<CellPlace>,
    index: FxHashMap<(NodeId, i64), usize>,
    by_node: FxHashMap<NodeId, Vec<usize>>,
    pub regions: Vec<Region>,
    /// The variables added, from the program's own number on.
    pub variables: Vec<Variable>,
    /// For objects that were split: their variables.
    pub pieces: FxHashMap<ObjectId, Vec<VarId>>,
}

impl Places {
    pub fn of(program: &Program, points_to: &mut PointsTo) -> Places {
        let types = types_of_accesses(program, points_to);
        let whole = whole_objects(program, points_to);
        let mut places = Places::default();
        // Region 0 stays what it was: memory that is not told apart. Nothing is left in it.
        places.regions.push(Region {
            name: "memory".into(),
            cell_bits: 8,
            objects: Vec::new(),
            reaches_outside: true,
            begins_with_zeros: false,
        });
        let recursive = recursive_functions(program);
        for root in points_to.shapes.roots() {
            let node = points_to.shapes.node(root).clone();
            let is_outside = points_to.is_outside(root);
            let single = match node.objects[..] {
                [(object, base)] if node.stride == 0 && !whole.contains(&root) => {
                    Some((object, base))
                }
                _ => None,
            };
            let splittable = single
                .filter(|(object, _)| !is_outside && exists_once(program, *object, &recursive));
            for (&start, cell) in &node.cells {
                let ty = types.get(&(root, start)).copied();
                let home = match (splittable, ty) {
                    (Some((object, base)), Some(ty))
                        if cell.uniform && fits(program, object, start - base, cell.len) =>
                    {
                        Home::Variable(places.split(program, object, start - base, ty))
                    }
                    _ => Home::Region(places.region(program, &node, start, cell, is_outside)),
                };
                let begins_with_zeros = match home {
                    Home::Region(region) => places.regions[region.0 as usize].begins_with_zeros,
                    Home::Variable(_) => false,
                };
                let number = places.places.len();
                places.index.insert((root, start), number);
                places.by_node.entry(root).or_default().push(number);
                places.places.push(CellPlace {
                    start,
                    len: cell.len,
                    uniform: cell.uniform,
                    is_whole: cell.uniform && !cell.cut,
                    home,
                    is_read: false,
                    reaches_outside: is_outside,
                    begins_with_zeros,
                });
            }
        }
        places.find_reads(program, points_to);
        places
    }

    /// The cell that the byte lies in.
    pub fn at(&self, points_to: &mut PointsTo, pointer: Pointer) -> Option<usize> {
        let (node, start) = points_to.shapes.cell_at(pointer)?;
        self.index.get(&(node, start)).copied()
    }

    /// The cells of a node.
    pub fn of_node(&self, node: NodeId) -> &[usize] {
        self.by_node.get(&node).map_or(&[], Vec::as_slice)
    }

    fn split(&mut self, program: &Program, object: ObjectId, offset: i64, ty: Ty) -> VarId {
        let info = program.object(object);
        let id = VarId((program.vars.len() + self.variables.len()) as u32);
        let offset = offset.unsigned_abs();
        self.variables.push(Variable {
            name: part_name(program, info, offset),
            ty,
            c_type: None,
            // A global variable even for a local object: the callees that have its address use it
            // too.
            function: None,
            kind: VariableKind::Piece { object, offset },
            span: info.span,
        });
        self.pieces.entry(object).or_default().push(id);
        id
    }

    fn region(
        &mut self,
        program: &Program,
        node: &super::shape::Node,
        start: i64,
        cell: &super::shape::Cell,
        reaches_outside: bool,
    ) -> RegionId {
        let (len, uniform) = (cell.len, cell.uniform);
        let aligned = node
            .objects
            .iter()
            .all(|(_, base)| (start - base) % len == 0)
            && node.stride % len == 0;
        let cell_bits = if uniform && aligned && matches!(len, 1 | 2 | 4 | 8 | 16) {
            len as u16 * 8
        } else {
            8
        };
        let mut objects: Vec<ObjectId> = Vec::new();
        for (object, base) in &node.objects {
            let size = program.object(*object).size;
            let reaches = node.stride > 0
                || size.is_none_or(|size| start + len > *base && start < *base + size as i64);
            if reaches && !objects.contains(object) {
                objects.push(*object);
            }
        }
        let live_for_ever = objects.iter().all(|&object| {
            let kind = program.object(object).kind;
            matches!(kind, ObjectKind::Global | ObjectKind::StringLiteral)
        });
        let begins_with_zeros =
            !objects.is_empty() && live_for_ever && !node.is_unset && !reaches_outside;
        let name = match objects[..] {
            [] => "external".to_string(),
            [object] => part_name(
                program,
                program.object(object),
                (start - node.objects[0].1).unsigned_abs(),
            ),
            [object, ..] => format!("{}…", program.object(object).name),
        };
        let id = RegionId(self.regions.len() as u32);
        self.regions.push(Region {
            name,
            cell_bits,
            objects,
            reaches_outside,
            begins_with_zeros,
        });
        id
    }

    /// Marks the cells that some operation reads: by a load, or by a copy to a cell that is read.
    fn find_reads(&mut self, program: &Program, points_to: &mut PointsTo) {
        for number in 0..program.pool.len() {
            let Node::Load { address, .. } = program.pool.node(ExprId(number as u32)) else {
                continue;
            };
            let pointer = points_to.address(address);
            if let Some(place) = self.at(points_to, pointer) {
                self.places[place].is_read = true;
            }
        }
        let mut copies = Vec::new();
        for edge in &program.edges {
            if let Op::Copy {
                target,
                source,
                size,
                ..
            } = program.op(edge.op)
            {
                let (to, from) = (points_to.address(*target), points_to.address(*source));
                let bytes = program.pool.as_constant(*size);
                let bytes = bytes.and_then(|bytes| i64::try_from(bytes).ok());
                // Within one node what goes where has the same home.
                if let Some(bytes) = bytes.filter(|_| to.node != from.node) {
                    copies.push((to, from, bytes));
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &(to, from, bytes) in &copies {
                let (there, here) = (
                    points_to.shapes.node(to.node).stride,
                    points_to.shapes.node(from.node).stride,
                );
                let mut read = Vec::new();
                for &number in self.of_node(to.node) {
                    if self.places[number].is_read {
                        read.extend(self.places[number].occurrences(to.offset, there, bytes));
                    }
                }
                for number in self.of_node(from.node).to_vec() {
                    let parts = self.places[number].occurrences(from.offset, here, bytes);
                    let meets = |&(first, end): &(i64, i64)| {
                        parts.iter().any(|part| part.0 < end && first < part.1)
                    };
                    if !self.places[number].is_read && read.iter().any(meets) {
                        self.places[number].is_read = true;
                        changed = true;
                    }
                }
            }
        }
    }
}

impl CellPlace {
    /// Which of so many bytes from an offset on (the first and the one behind the last) lie in the
    /// cell; in a node that is folded by a stride there may be several such places.
    pub fn occurrences(&self, offset: i64, stride: i64, bytes: i64) -> Vec<(i64, i64)> {
        let mut distance = self.start - offset;
        if stride > 0 {
            // The first one that does not end before the offset.
            distance = (distance + self.len - 1).rem_euclid(stride) + 1 - self.len;
        }
        let mut found = Vec::new();
        while distance < bytes {
            let (first, end) = (distance.max(0), (distance + self.len).min(bytes));
            if first < end {
                found.push((first, end));
            }
            if stride == 0 {
                break;
            }
            distance += stride;
        }
        found
    }
}

fn fits(program: &Program, object: ObjectId, offset: i64, len: i64) -> bool {
    let size = program
        .object(object)
        .size
        .and_then(|size| i64::try_from(size).ok());
    offset >= 0 && size.is_some_and(|size| offset + len <= size)
}

/// Does at most one instance of the object exist at any time?
fn exists_once(program: &Program, object: ObjectId, recursive: &FxHashSet<FuncId>) -> bool {
    match program.object(object).kind {
        ObjectKind::Global | ObjectKind::StringLiteral => true,
        ObjectKind::Local(function) => !recursive.contains(&function),
        _ => false,
    }
}

/// The functions that may be active twice at a time.
pub fn recursive_functions(program: &Program) -> FxHashSet<FuncId> {
    let mut callees = vec![Vec::new(); program.functions.len()];
    for edge in &program.edges {
        if let Op::Call { function, .. } = program.op(edge.op) {
            callees[program.location(edge.source).function.0 as usize].push(*function);
        }
    }
    let mut recursive = FxHashSet::default();
    for number in 0..program.functions.len() {
        let start = FuncId(number as u32);
        let mut seen = FxHashSet::default();
        let mut work = callees[number].clone();
        while let Some(function) = work.pop() {
            if function == start {
                recursive.insert(start);
                break;
            }
            if seen.insert(function) {
                work.extend(&callees[function.0 as usize]);
            }
        }
    }
    recursive
}

/// The type of the first access to each cell.
fn types_of_accesses(program: &Program, points_to: &mut PointsTo) -> FxHashMap<(NodeId, i64), Ty> {
    let mut types = FxHashMap::default();
    let mut note = |points_to: &mut PointsTo, address: ExprId, ty: Ty| {
        let pointer = points_to.address(address);
        if let Some(cell) = points_to.shapes.cell_at(pointer) {
            types.entry(cell).or_insert(ty);
        }
    };
    for number in 0..program.pool.len() {
        let id = ExprId(number as u32);
        if let Node::Load { address, .. } = program.pool.node(id) {
            note(points_to, address, program.pool.ty(id));
        }
    }
    for edge in &program.edges {
        if let Op::Store { address, value, .. } = program.op(edge.op) {
            note(points_to, *address, program.pool.ty(*value));
        }
    }
    // Cells that only copies make have the type of what is copied.
    let mut changed = true;
    while changed {
        changed = false;
        for edge in &program.edges {
            let Op::Copy {
                target,
                source,
                size,
                ..
            } = program.op(edge.op)
            else {
                continue;
            };
            let Some(bytes) = program.pool.as_constant(*size) else {
                continue;
            };
            let (to, from) = (points_to.address(*target), points_to.address(*source));
            if to.node == from.node {
                continue;
            }
            for (a, b) in [(to, from), (from, to)] {
                let cells: Vec<i64> = points_to
                    .shapes
                    .node(a.node)
                    .cells
                    .keys()
                    .copied()
                    .collect();
                for start in cells {
                    let distance = start - a.offset;
                    if distance < 0 || distance as u128 >= bytes {
                        continue;
                    }
                    let other = Pointer {
                        node: b.node,
                        offset: b.offset + distance,
                    };
                    let other = points_to.shapes.cell_at(other);
                    let known = other.and_then(|other| types.get(&other).copied());
                    if let Some(ty) = known
                        && !types.contains_key(&(a.node, start))
                    {
                        types.insert((a.node, start), ty);
                        changed = true;
                    }
                }
            }
        }
    }
    types
}

/// Nodes that some operation of unknown extent touches: their objects cannot be split.
fn whole_objects(program: &Program, points_to: &mut PointsTo) -> FxHashSet<NodeId> {
    let mut whole = FxHashSet::default();
    for edge in &program.edges {
        match program.op(edge.op) {
            Op::Copy {
                target,
                source,
                size,
                ..
            } => {
                let (to, from) = (points_to.address(*target), points_to.address(*source));
                if program.pool.as_constant(*size).is_none() || to.node == from.node {
                    whole.insert(to.node);
                    whole.insert(from.node);
                }
            }
            Op::Fill { target, size, .. } if program.pool.as_constant(*size).is_none() => {
                whole.insert(points_to.address(*target).node);
            }
            Op::Reallocate {
                address, object, ..
            } => {
                whole.insert(points_to.address(*address).node);
                let pointer = points_to.object(*object);
                whole.insert(points_to.shapes.find(pointer).node);
            }
            _ => {}
        }
    }
    whole
}
