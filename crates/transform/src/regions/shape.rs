//! Shapes of memory: classes of objects that pointers cannot tell apart, with the cells that are accessed
//! in them.
//!
//! Field-sensitive unification (after B. Steensgaard, Points-to analysis by type inference of programs with
//! structures and unions, CC 1996, and the data structure analysis of C. Lattner): a node stands for the
//! objects that some pointer may point to; a pointer is a node and an offset. Where offsets are not
//! constant, the node is folded modulo the stride of the accesses, so that the fields of an array of
//! structures stay apart.

use super::near::Near;
use cfa::memory::ObjectId;
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

/// A place in a node; in the frame of the node as named, which may since have become part of another.
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
    /// Where pointers that lie in the cell point to.
    pub target: Option<Pointer>,
    /// Numbers that could be addresses lie in it too.
    pub number: bool,
    /// Pointers in it may have left their objects.
    pub strayed: bool,
    /// Null and the like that are written to it.
    pub near: Near,
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
}

/// The nodes under unification.
#[derive(Debug, Default)]
pub struct Shapes {
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
    pub fn new_node(&mut self, object: Option<ObjectId>) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            parent: id,
            shift: 0,
            stride: 0,
            cells: BTreeMap::new(),
            objects: object.map(|object| (object, 0)).into_iter().collect(),
            is_zeroed: false,
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
        let offset = fold(
            pointer.offset.wrapping_add(shift),
            self.nodes[root.0 as usize].stride,
        );
        Pointer { node: root, offset }
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
            let gone = &mut self.nodes[b.node.0 as usize];
            gone.parent = a.node;
            gone.shift = shift;
            let stride = gone.stride;
            let cells = std::mem::take(&mut gone.cells);
            let objects = std::mem::take(&mut gone.objects);
            let is_zeroed = gone.is_zeroed;
            let kept = &mut self.nodes[a.node.0 as usize];
            kept.is_zeroed |= is_zeroed;
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

    fn set_stride(&mut self, root: NodeId, stride: i64) {
        let node = &mut self.nodes[root.0 as usize];
        let folded = gcd(node.stride, stride);
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
        let node = &mut self.nodes[root.0 as usize];
        let mut start = fold(offset, node.stride);
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
            let is_news = cell.near > known.near
                || cell.number && !known.number
                || cell.strayed && !known.strayed;
            if is_news {
                known.number |= cell.number;
                known.strayed |= cell.strayed;
                known.near = known.near.or(cell.near);
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
            cell.number |= other.number;
            cell.strayed |= other.strayed;
            cell.near = cell.near.or(other.near);
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
        self.add_cell(
            at.node,
            at.offset,
            Cell {
                len,
                uniform: true,
                target: None,
                number: false,
                strayed: false,
                near: Near::NEVER,
            },
        );
        self.settle();
    }

    /// Some operation touches these bytes without regard to cells.
    pub fn touch(&mut self, pointer: Pointer, len: i64) {
        let at = self.find(pointer);
        self.add_cell(
            at.node,
            at.offset,
            Cell {
                len,
                uniform: false,
                target: None,
                number: false,
                strayed: false,
                near: Near::NEVER,
            },
        );
        self.settle();
    }

    /// An operation changes these bytes (of nothing: as many as it turns out): cells that it changes in part, or whose
    /// beginnings it misses when it goes from cell to cell, are bytes.
    pub fn cover(&mut self, pointer: Pointer, len: Option<i64>) {
        let at = self.find(pointer);
        let node = &mut self.nodes[at.node.0 as usize];
        for (&start, cell) in node.cells.iter_mut().filter(|(_, cell)| cell.uniform) {
            let distance = fold(start.wrapping_sub(at.offset), node.stride);
            let is_cut = match len {
                Some(len) if node.stride == 0 => {
                    let end = at.offset.saturating_add(len);
                    let stop = start + cell.len;
                    stop > at.offset && start < end && (start < at.offset || stop > end)
                }
                _ => distance % cell.len != 0,
            };
            if is_cut {
                cell.uniform = false;
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

    /// A number that could be an address is written to the bytes.
    pub fn write_number(&mut self, pointer: Pointer, len: i64) {
        let at = self.find(pointer);
        self.add_cell(
            at.node,
            at.offset,
            Cell {
                len,
                uniform: true,
                target: None,
                number: true,
                strayed: false,
                near: Near::NEVER,
            },
        );
        self.settle();
    }

    /// Null or the like is written to the bytes.
    pub fn write_near(&mut self, pointer: Pointer, len: i64, near: Near) {
        let at = self.find(pointer);
        self.add_cell(
            at.node,
            at.offset,
            Cell {
                len,
                uniform: true,
                target: None,
                number: false,
                strayed: false,
                near,
            },
        );
        self.settle();
    }

    /// Zeros are written to an unknown number of cells.
    pub fn fill_with_zero(&mut self, pointer: Pointer) {
        let root = self.find(pointer).node;
        for cell in self.nodes[root.0 as usize].cells.values_mut() {
            self.changed |= cell.near < Near::NULL;
            cell.near = cell.near.or(Near::NULL);
        }
    }

    /// An object in the node begins with zeros.
    pub fn begin_with_zero(&mut self, pointer: Pointer) {
        let root = self.find(pointer).node;
        let node = &mut self.nodes[root.0 as usize];
        self.changed |= !std::mem::replace(&mut node.is_zeroed, true);
    }

    /// Bytes that are not zero are written to an unknown number of cells.
    pub fn fill_with_number(&mut self, pointer: Pointer) {
        let root = self.find(pointer).node;
        for cell in self.nodes[root.0 as usize].cells.values_mut() {
            self.changed |= !std::mem::replace(&mut cell.number, true);
        }
    }

    /// A pointer to `target` is written to the bytes; it may have left its object.
    pub fn write(&mut self, pointer: Pointer, len: i64, target: Pointer, strayed: bool) {
        let at = self.find(pointer);
        self.add_cell(
            at.node,
            at.offset,
            Cell {
                len,
                uniform: true,
                target: Some(target),
                number: false,
                strayed,
                near: Near::NEVER,
            },
        );
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
                    len: to - from,
                    uniform: false,
                    target: cell.target,
                    number: cell.number,
                    strayed: cell.strayed,
                    near: cell.near,
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

fn fold(offset: i64, stride: i64) -> i64 {
    if stride > 0 {
        offset.rem_euclid(stride)
    } else {
        offset
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
        let mut shapes = Shapes::default();
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
        let mut shapes = Shapes::default();
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
        let mut shapes = Shapes::default();
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
        let mut shapes = Shapes::default();
        let (node, x) = (shapes.new_node(None), shapes.new_node(None));
        let learn = |shapes: &mut Shapes| {
            shapes.access(at(node, 0), 4);
            shapes.access(at(node, 1), 1);
            shapes.write(at(node, 0), 4, at(x, 0), false);
            shapes.fold_by(at(x, 0), 8);
        };
        learn(&mut shapes);
        shapes.changed = false;
        learn(&mut shapes);
        assert!(!shapes.changed);
    }

    #[test]
    fn targets_of_overlapping_cells_become_one() {
        let mut shapes = Shapes::default();
        let (node, x, y) = (
            shapes.new_node(None),
            shapes.new_node(None),
            shapes.new_node(None),
        );
        shapes.write(at(node, 0), 4, at(x, 0), false);
        shapes.write(at(node, 4), 4, at(y, 0), false);
        shapes.access(at(node, 0), 8);
        assert_eq!(shapes.find(at(x, 0)), shapes.find(at(y, 0)));
    }

    #[test]
    fn copies_make_cells_correspond() {
        let mut shapes = Shapes::default();
        let (a, b) = (shapes.new_node(None), shapes.new_node(None));
        shapes.access(at(a, 4), 2);
        shapes.link(at(b, 16), at(a, 0), 8);
        let cell = &shapes.node(b).cells[&20];
        assert!(cell.len == 2 && cell.uniform);
    }
}
