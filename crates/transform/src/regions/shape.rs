//! Shapes of memory: classes of objects that pointers cannot tell apart, with the cells that are
//! accessed in them.
//!
//! Field-sensitive unification (after B. Steensgaard, Points-to analysis by type inference of
//! programs with structures and unions, CC 1996, and the data structure analysis of C. Lattner): a
//! node stands for the objects that some pointer may point to; a pointer is a node and an offset.
//! Where offsets are not constant, the node is folded modulo the stride of the accesses, so that
//! the fields of an array of structures stay apart.

use super::held::Held;
use super::near::Near;
use super::reach::power_of_two;
use cfa::memory::ObjectId;
use cfa::op::Contents;
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

/// A place in a node; in the frame of the node as named, which may since have become part of
/// another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pointer {
    pub node: NodeId,
    pub offset: i64,
}

/// Bytes that accesses do not tell apart.
#[derive(Clone, Debug)]
pub struct Cell {
    pub len: i64,
    /// All accesses cover exactly the cell.
    pub uniform: bool,
    /// A copy or fill of unknown length may end within it.
    pub cut: bool,
    /// Where pointers that lie in the cell point to.
    pub target: Option<Pointer>,
    /// What else is written to it.
    pub held: Held,
}

impl Cell {
    /// Bytes that are accessed exactly, or without regard to cells.
    fn of(len: i64, uniform: bool) -> Cell {
        Cell {
            len,
            uniform,
            cut: false,
            target: None,
            held: Held::NOTHING,
        }
    }

    /// Values of so many bytes lie in it undivided.
    pub fn is_whole(&self, bytes: i64) -> bool {
        self.uniform && !self.cut && self.len == bytes
    }
}

#[derive(Clone, Debug)]
pub struct Node {
    parent: NodeId,
    /// Offset of this node's origin in its parent.
    shift: i64,
    /// Offsets are known modulo this; zero: exactly.
    pub stride: i64,
    /// By offset; the cells do not overlap.
    pub cells: BTreeMap<i64, Cell>,
    /// The objects, with the offset of their first byte.
    pub objects: Vec<(ObjectId, i64)>,
    /// One of them begins with zeros.
    pub is_zeroed: bool,
    /// One of them begins with any bytes.
    pub is_unset: bool,
    /// Some object in it begins with bytes from outside the program.
    pub is_from_outside: bool,
    /// Pointers into it may go round the address space: only powers of two are strides.
    pub goes_round: bool,
}

/// How many bytes an operation changes.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    Bytes(i64),
    /// Not known, but a multiple of this.
    MultipleOf(i64),
}

/// The nodes under unification.
#[derive(Debug)]
pub struct Shapes {
    /// Offsets are sums modulo 2 to this power.
    pointer_bits: u16,
    nodes: Vec<Node>,
    pending: Vec<(Pointer, Pointer)>,
    /// Something was learnt since the flag was last cleared.
    pub changed: bool,
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

impl Shapes {
    pub fn new(pointer_bits: u16) -> Shapes {
        Shapes {
            pointer_bits,
            nodes: Vec::new(),
            pending: Vec::new(),
            changed: false,
        }
    }

    pub fn new_node(&mut self, object: Option<ObjectId>) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            parent: id,
            shift: 0,
            stride: 0,
            cells: BTreeMap::new(),
            objects: object.map(|object| (object, 0)).into_iter().collect(),
            is_zeroed: false,
            is_unset: false,
            is_from_outside: false,
            goes_round: false,
        });
        id
    }

    /// The pointer in the frame of its representative, folded by the stride.
    pub fn find(&mut self, pointer: Pointer) -> Pointer {
        let (mut root, mut shift) = (pointer.node, 0i64);
        while self.nodes[root.0 as usize].parent != root {
            shift = shift.wrapping_add(self.nodes[root.0 as usize].shift);
            root = self.nodes[root.0 as usize].parent;
        }
        // Compress: every node on the way points to the root directly.
        let (mut node, mut rest) = (pointer.node, shift);
        while node != root {
            let data = &mut self.nodes[node.0 as usize];
            let (next, step) = (data.parent, data.shift);
            data.parent = root;
            data.shift = rest;
            rest = rest.wrapping_sub(step);
            node = next;
        }
        let offset = self.folded(root, pointer.offset.wrapping_add(shift));
        Pointer { node: root, offset }
    }

    /// An offset in a representative: modulo its stride, or as addresses wrap around.
    fn folded(&self, root: NodeId, offset: i64) -> i64 {
        let stride = self.nodes[root.0 as usize].stride;
        if stride > 0 {
            offset.rem_euclid(stride)
        } else {
            let bits = u32::from(self.pointer_bits);
            arith::int::to_signed(arith::int::truncate(offset as u128, bits), bits) as i64
        }
    }

    /// The data of a representative.
    pub fn node(&self, root: NodeId) -> &Node {
        &self.nodes[root.0 as usize]
    }

    pub fn roots(&self) -> Vec<NodeId> {
        let ids = (0..self.nodes.len() as u32).map(NodeId);
        ids.filter(|id| self.nodes[id.0 as usize].parent == *id)
            .collect()
    }

    /// The two pointers may be one.
    pub fn unify(&mut self, a: Pointer, b: Pointer) {
        self.pending.push((a, b));
        self.settle();
    }

    fn settle(&mut self) {
        while let Some((a, b)) = self.pending.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a.node == b.node {
                if a.offset != b.offset {
                    self.set_stride(a.node, a.offset.wrapping_sub(b.offset));
                }
                continue;
            }
            self.changed = true;
            // The larger node takes in the smaller one.
            let weight = |node: &Node| node.cells.len() + node.objects.len();
            let (a, b) = if weight(self.node(a.node)) >= weight(self.node(b.node)) {
                (a, b)
            } else {
                (b, a)
            };
            let shift = a.offset.wrapping_sub(b.offset);
            // So far apart, offsets of one go round in the frame of the other.
            let is_far = shift.unsigned_abs() >= 1 << (self.pointer_bits - 2);
            let gone = &mut self.nodes[b.node.0 as usize];
            gone.parent = a.node;
            gone.shift = shift;
            let stride = gone.stride;
            let cells = std::mem::take(&mut gone.cells);
            let objects = std::mem::take(&mut gone.objects);
            let (is_zeroed, is_unset) = (gone.is_zeroed, gone.is_unset);
            let is_from_outside = gone.is_from_outside;
            let goes_round = gone.goes_round || is_far;
            let kept = &mut self.nodes[a.node.0 as usize];
            kept.is_zeroed |= is_zeroed;
            kept.is_unset |= is_unset;
            kept.is_from_outside |= is_from_outside;
            kept.goes_round |= goes_round;
            kept.objects.extend(
                objects
                    .into_iter()
                    .map(|(object, at)| (object, at.wrapping_add(shift))),
            );
            self.set_stride(a.node, stride);
            for (offset, cell) in cells {
                self.add_cell(a.node, offset.wrapping_add(shift), cell);
            }
        }
    }

    /// Offsets in the pointer's node are known only modulo `stride` any more.
    pub fn fold_by(&mut self, pointer: Pointer, stride: i64) {
        let root = self.find(pointer).node;
        self.set_stride(root, stride);
        self.settle();
    }

    /// Pointers into the node may have gone round the address space.
    pub fn go_round(&mut self, pointer: Pointer) {
        let root = self.find(pointer).node;
        let node = &mut self.nodes[root.0 as usize];
        self.changed |= !std::mem::replace(&mut node.goes_round, true);
        self.set_stride(root, 0);
        self.settle();
    }

    fn set_stride(&mut self, root: NodeId, stride: i64) {
        let node = &mut self.nodes[root.0 as usize];
        let mut folded = gcd(node.stride, stride);
        if node.goes_round {
            folded = power_of_two(folded);
        }
        if folded == node.stride {
            return;
        }
        self.changed = true;
        node.stride = folded;
        for (offset, cell) in std::mem::take(&mut node.cells) {
            self.add_cell(root, offset, cell);
        }
    }

    /// Adds a cell to a representative, merging it with those that it overlaps.
    fn add_cell(&mut self, root: NodeId, offset: i64, mut cell: Cell) {
        let mut start = self.folded(root, offset);
        let node = &mut self.nodes[root.0 as usize];
        let mut end = start.saturating_add(cell.len);
        if node.stride > 0 && end > node.stride {
            // The access runs over the border of the stride: all of it is one cell.
            (start, end) = (0, node.stride);
            cell.uniform = false;
        }
        // Inside a cell that is there already, nothing new is learnt but that it is not uniform.
        let around = node.cells.range_mut(..=start).next_back();
        if let Some((&at, known)) = around.filter(|(at, known)| **at + known.len >= end) {
            let covers = at == start && at + known.len == end;
            if known.uniform && !(covers && cell.uniform) {
                known.uniform = false;
                self.changed = true;
            }
            let (held, cut) = (known.held.or(cell.held), known.cut || cell.cut);
            if held != known.held || cut != known.cut {
                (known.held, known.cut) = (held, cut);
                self.changed = true;
            }
            match (known.target, cell.target) {
                (Some(a), Some(b)) => self.pending.push((a, b)),
                (None, Some(b)) => {
                    known.target = Some(b);
                    self.changed = true;
                }
                _ => {}
            }
            return;
        }
        self.changed = true;
        // Merging widens the cell, which may make it meet further ones.
        loop {
            let touching = node
                .cells
                .range(..end)
                .next_back()
                .filter(|(at, other)| **at + other.len > start)
                .map(|(at, _)| *at);
            let Some(at) = touching else { break };
            let Some(other) = node.cells.remove(&at) else {
                break;
            };
            start = start.min(at);
            end = end.max(at + other.len);
            cell.uniform = false;
            cell.cut |= other.cut;
            cell.held = cell.held.or(other.held);
            match (cell.target, other.target) {
                (Some(a), Some(b)) => self.pending.push((a, b)),
                (None, target) => cell.target = target,
                _ => {}
            }
        }
        cell.len = end - start;
        node.cells.insert(start, cell);
    }

    /// Some access covers these bytes exactly.
    pub fn access(&mut self, pointer: Pointer, len: i64) {
        let at = self.find(pointer);
        self.add_cell(at.node, at.offset, Cell::of(len, true));
        self.settle();
    }

    /// Some operation touches these bytes without regard to cells.
    pub fn touch(&mut self, pointer: Pointer, len: i64) {
        let at = self.find(pointer);
        self.add_cell(at.node, at.offset, Cell::of(len, false));
        self.settle();
    }

    /// An operation changes these bytes: cells that it changes in part, or whose beginnings it
    /// misses when it goes from cell to cell, are bytes.
    pub fn cover(&mut self, pointer: Pointer, extent: Extent) {
        let at = self.find(pointer);
        let node = &mut self.nodes[at.node.0 as usize];
        for (&start, cell) in node.cells.iter_mut().filter(|(_, cell)| cell.uniform) {
            let distance = start.wrapping_sub(at.offset);
            let distance = match node.stride {
                0 => distance,
                stride => distance.rem_euclid(stride),
            };
            let (is_divided, is_cut) = match extent {
                Extent::Bytes(len) if node.stride == 0 => {
                    let end = at.offset.saturating_add(len);
                    let stop = start + cell.len;
                    let is_touched = stop > at.offset && start < end;
                    (is_touched && (start < at.offset || stop > end), false)
                }
                Extent::Bytes(step) | Extent::MultipleOf(step) => {
                    (distance % cell.len != 0, step % cell.len != 0)
                }
            };
            if is_divided || is_cut && !cell.cut {
                cell.uniform &= !is_divided;
                cell.cut |= is_cut;
                self.changed = true;
            }
        }
    }

    /// The cell that holds the byte that the pointer points to, with its start.
    pub fn cell_at(&mut self, pointer: Pointer) -> Option<(NodeId, i64)> {
        let at = self.find(pointer);
        let node = self.node(at.node);
        let (&start, cell) = node.cells.range(..=at.offset).next_back()?;
        (start + cell.len > at.offset).then_some((at.node, start))
    }

    /// The cell that the byte lies in.
    pub fn contents(&mut self, pointer: Pointer) -> Option<&Cell> {
        let (node, start) = self.cell_at(pointer)?;
        self.node(node).cells.get(&start)
    }

    /// Zeros are written to an unknown number of cells.
    pub fn fill_with_zero(&mut self, pointer: Pointer) {
        let root = self.find(pointer).node;
        for cell in self.nodes[root.0 as usize].cells.values_mut() {
            self.changed |= cell.held.near < Near::NULL;
            cell.held = cell.held.or(Held::NULL);
        }
    }

    /// An object in the node begins with zeros, or with any bytes.
    pub fn begin(&mut self, pointer: Pointer, contents: Contents) {
        let root = self.find(pointer).node;
        let node = &mut self.nodes[root.0 as usize];
        let known = match contents {
            Contents::Zero => &mut node.is_zeroed,
            Contents::Arbitrary | Contents::Outside => &mut node.is_unset,
        };
        self.changed |= !std::mem::replace(known, true);
        if contents == Contents::Outside {
            self.changed |= !std::mem::replace(&mut node.is_from_outside, true);
        }
    }

    /// Bytes from outside the program are copied to the place.
    pub fn fill_from_outside(&mut self, pointer: Pointer, len: Option<i64>) {
        let at = self.find(pointer);
        let node = &mut self.nodes[at.node.0 as usize];
        let is_exact = node.stride == 0;
        for (&start, cell) in &mut node.cells {
            let end = len.map(|len| at.offset.saturating_add(len));
            let is_before = start + cell.len <= at.offset;
            let is_behind = end.is_some_and(|end| start >= end);
            if is_exact && len.is_some() && (is_before || is_behind) {
                continue;
            }
            let held = cell.held.or(Held::OUTSIDE);
            self.changed |= cell.held != held;
            cell.held = held;
        }
    }

    /// Bytes that are not zero are written to an unknown number of cells.
    pub fn fill_with_number(&mut self, pointer: Pointer) {
        let root = self.find(pointer).node;
        for cell in self.nodes[root.0 as usize].cells.values_mut() {
            self.changed |= !std::mem::replace(&mut cell.held.number, true);
        }
    }

    /// A value is written to the bytes: a pointer to `target`, or what else it may be.
    pub fn write(&mut self, pointer: Pointer, len: i64, target: Option<Pointer>, held: Held) {
        let at = self.find(pointer);
        let cell = Cell {
            target,
            held,
            ..Cell::of(len, true)
        };
        self.add_cell(at.node, at.offset, cell);
        self.settle();
    }

    /// `len` bytes are copied from one place to the other: the cells of both correspond.
    pub fn link(&mut self, a: Pointer, b: Pointer, len: i64) {
        let (from, to) = (self.find(a), self.find(b));
        if from == to {
            return;
        }
        let stride = |shapes: &Shapes, node: NodeId| shapes.node(node).stride;
        let (s, t) = (stride(self, from.node), stride(self, to.node));
        if from.node == to.node || (s > 0 && len > s) || (t > 0 && len > t) {
            self.unify(from, to);
            return;
        }
        self.mirror(from, to, len);
        self.mirror(to, from, len);
    }

    /// Every cell in the bytes of `a` becomes one of the bytes of `b`.
    fn mirror(&mut self, a: Pointer, b: Pointer, len: i64) {
        let a = self.find(a);
        let node = self.node(a.node);
        let mut found = Vec::new();
        for (&start, cell) in &node.cells {
            // Relative to `a`; in a folded node the cell may lie behind the border.
            let mut at = start - a.offset;
            if node.stride > 0 && at + cell.len <= 0 {
                at += node.stride;
            }
            if at < len && at + cell.len > 0 {
                found.push((at, cell.clone()));
            }
        }
        for (at, cell) in found {
            if at < 0 || at + cell.len > len {
                // A part of a cell is copied: both sides are bytes.
                let (from, to) = (at.max(0), (at + cell.len).min(len));
                let part = Pointer {
                    node: a.node,
                    offset: a.offset + from,
                };
                self.touch(part, to - from);
                let root = self.find(Pointer {
                    node: b.node,
                    offset: b.offset + from,
                });
                let copy = Cell {
                    target: cell.target,
                    held: cell.held,
                    ..Cell::of(to - from, false)
                };
                self.add_cell(root.node, root.offset, copy);
            } else {
                let root = self.find(Pointer {
                    node: b.node,
                    offset: b.offset + at,
                });
                self.add_cell(root.node, root.offset, cell);
            }
            self.settle();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(node: NodeId, offset: i64) -> Pointer {
        Pointer { node, offset }
    }

    #[test]
    fn fields_stay_apart_until_something_covers_both() {
        let mut shapes = Shapes::new(64);
        let node = shapes.new_node(None);
        shapes.access(at(node, 0), 4);
        shapes.access(at(node, 4), 4);
        assert_eq!(shapes.node(node).cells.len(), 2);
        shapes.access(at(node, 2), 4);
        assert_eq!(shapes.node(node).cells.len(), 1);
        assert!(!shapes.node(node).cells[&0].uniform);
    }

    #[test]
    fn a_stride_folds_offsets_but_keeps_fields_of_elements_apart() {
        let mut shapes = Shapes::new(64);
        let node = shapes.new_node(None);
        shapes.access(at(node, 0), 4);
        shapes.access(at(node, 12), 4);
        shapes.fold_by(at(node, 0), 8);
        assert_eq!(
            shapes.node(node).cells.keys().copied().collect::<Vec<_>>(),
            [0, 4]
        );
    }

    #[test]
    fn unification_shifts_frames() {
        let mut shapes = Shapes::new(64);
        let (a, b) = (
            shapes.new_node(Some(ObjectId(0))),
            shapes.new_node(Some(ObjectId(1))),
        );
        shapes.access(at(b, 0), 4);
        shapes.unify(at(a, 8), at(b, 0));
        let (p, q) = (shapes.find(at(a, 8)), shapes.find(at(b, 0)));
        assert_eq!(p, q);
        let apart = shapes.find(at(a, 0)).offset - shapes.find(at(b, 0)).offset;
        assert_eq!(apart, -8);
    }

    #[test]
    fn learning_the_same_again_changes_nothing() {
        let mut shapes = Shapes::new(64);
        let (node, x) = (shapes.new_node(None), shapes.new_node(None));
        let learn = |shapes: &mut Shapes| {
            shapes.access(at(node, 0), 4);
            shapes.access(at(node, 1), 1);
            shapes.write(at(node, 0), 4, Some(at(x, 0)), Held::NOTHING);
            shapes.fold_by(at(x, 0), 8);
        };
        learn(&mut shapes);
        shapes.changed = false;
        learn(&mut shapes);
        assert!(!shapes.changed);
    }

    #[test]
    fn targets_of_overlapping_cells_become_one() {
        let mut shapes = Shapes::new(64);
        let (node, x, y) = (
            shapes.new_node(None),
            shapes.new_node(None),
            shapes.new_node(None),
        );
        shapes.write(at(node, 0), 4, Some(at(x, 0)), Held::NOTHING);
        shapes.write(at(node, 4), 4, Some(at(y, 0)), Held::NOTHING);
        shapes.access(at(node, 0), 8);
        assert_eq!(shapes.find(at(x, 0)), shapes.find(at(y, 0)));
    }

    #[test]
    fn copies_make_cells_correspond() {
        let mut shapes = Shapes::new(64);
        let (a, b) = (shapes.new_node(None), shapes.new_node(None));
        shapes.access(at(a, 4), 2);
        shapes.link(at(b, 16), at(a, 0), 8);
        let cell = &shapes.node(b).cells[&20];
        assert!(cell.len == 2 && cell.uniform);
    }

    #[test]
    fn a_fill_of_unknown_length_may_end_within_a_cell() {
        let mut shapes = Shapes::new(64);
        let node = shapes.new_node(None);
        shapes.access(at(node, 0), 8);
        shapes.cover(at(node, 0), Extent::MultipleOf(8));
        assert!(shapes.node(node).cells[&0].is_whole(8));
        shapes.cover(at(node, 0), Extent::MultipleOf(1));
        let cell = &shapes.node(node).cells[&0];
        assert!(cell.uniform && !cell.is_whole(8));
    }

    #[test]
    fn strides_of_what_goes_round_are_powers_of_two() {
        let mut shapes = Shapes::new(32);
        let node = shapes.new_node(None);
        shapes.fold_by(at(node, 0), 12);
        assert_eq!(shapes.node(node).stride, 12);
        shapes.go_round(at(node, 0));
        assert_eq!(shapes.node(node).stride, 4);
    }

    #[test]
    fn offsets_wrap_around_as_addresses_do() {
        let mut shapes = Shapes::new(32);
        let node = shapes.new_node(None);
        assert_eq!(shapes.find(at(node, (1 << 32) + 4)), at(node, 4));
    }
}
