//! Bringing two decomposed octagons to common groups of variables.

use std::sync::Arc;

use super::bound::Bound;
use super::matrix::Matrix;
use super::shape::{Block, Place, Shape};
use crate::linear::VarId;

/// A partition of the numbers `0..n`.
pub(super) struct Partition {
    parent: Vec<u32>,
    classes: usize,
}

impl Partition {
    pub fn new(size: usize) -> Self {
        Partition {
            parent: (0..size as u32).collect(),
            classes: size,
        }
    }

    fn find(&mut self, mut k: u32) -> u32 {
        while self.parent[k as usize] != k {
            let above = self.parent[self.parent[k as usize] as usize];
            self.parent[k as usize] = above;
            k = above;
        }
        k
    }

    pub fn unite(&mut self, k: usize, l: usize) {
        if self.classes == 1 {
            return;
        }
        let (a, b) = (self.find(k as u32), self.find(l as u32));
        self.classes -= usize::from(a != b);
        // The smaller number stays the representative, so classes come out in the order of their
        // first member.
        self.parent[a.max(b) as usize] = a.min(b);
    }

    pub fn classes(&mut self) -> Vec<Vec<usize>> {
        let mut size_of: Vec<u32> = vec![0; self.parent.len()];
        for k in 0..self.parent.len() {
            let root = self.find(k as u32) as usize;
            size_of[root] += 1;
        }
        let mut classes: Vec<Vec<usize>> = Vec::with_capacity(self.classes);
        let mut number_of = size_of;
        for k in 0..self.parent.len() {
            let root = self.find(k as u32) as usize;
            if root == k {
                // Roots are the smallest members, so they come first.
                classes.push(Vec::with_capacity(number_of[k] as usize));
                number_of[k] = classes.len() as u32 - 1;
            }
            classes[number_of[root] as usize].push(k);
        }
        classes
    }
}

/// A variable with its places in two shapes.
pub(super) struct Aligned {
    pub variable: VarId,
    pub first: Place,
    pub second: Place,
}

/// Variables of two shapes, and a partition of them.
pub(super) struct Alignment {
    pub variables: Vec<Aligned>,
    partition: Partition,
}

impl Alignment {
    /// The variables that occur in both shapes, or in either one.
    pub fn new<M: Matrix>(a: &Shape<M>, b: &Shape<M>, both: bool) -> Self {
        let (first, second) = (a.places(), b.places());
        let mut variables = Vec::with_capacity(first.len().max(second.len()));
        let (mut i, mut j) = (0, 0);
        while i < first.len() || j < second.len() {
            let left = first.get(i).copied();
            let right = second.get(j).copied();
            let variable = match (left, right) {
                (Some((v, _)), Some((w, _))) => v.min(w),
                (Some((v, _)), None) | (None, Some((v, _))) => v,
                (None, None) => break,
            };
            let take = |entry: Option<(VarId, Place)>, index: &mut usize| match entry {
                Some((v, place)) if v == variable => {
                    *index += 1;
                    place
                }
                _ => Place::Absent,
            };
            let aligned = Aligned {
                variable,
                first: take(left, &mut i),
                second: take(right, &mut j),
            };
            let absent = aligned.first == Place::Absent || aligned.second == Place::Absent;
            if !(both && absent) {
                variables.push(aligned);
            }
        }
        let partition = Partition::new(variables.len());
        let mut alignment = Alignment {
            variables,
            partition,
        };
        alignment.unite_blocks(a.blocks.len(), |v| v.first);
        alignment.unite_blocks(b.blocks.len(), |v| v.second);
        alignment
    }

    fn unite_blocks(&mut self, blocks: usize, place: impl Fn(&Aligned) -> Place) {
        let mut member: Vec<Option<usize>> = vec![None; blocks];
        for k in 0..self.variables.len() {
            if let Place::Block(number, _) = place(&self.variables[k]) {
                match member[number] {
                    Some(l) => self.partition.unite(k, l),
                    None => member[number] = Some(k),
                }
            }
        }
    }

    /// Unites the variables between which a join creates relations (see [`super::lattice`]), unless
    /// they are too many.
    pub fn unite_opposed<M: Matrix>(&mut self, a: &Shape<M>, b: &Shape<M>, limit: usize) {
        let (mut grows, mut shrinks) = (false, false);
        let mut changing: Vec<usize> = Vec::with_capacity(self.variables.len());
        for (k, v) in self.variables.iter().enumerate() {
            if let (Place::Block(m, _), Place::Block(n, _)) = (v.first, v.second)
                && Arc::ptr_eq(&a.blocks[m], &b.blocks[n])
            {
                continue;
            }
            let mut changes = false;
            for negative in [false, true] {
                let older = a.unary_at(v.first, negative);
                let newer = b.unary_at(v.second, negative);
                if newer.is_finite() && newer > older {
                    (grows, changes) = (true, true);
                } else if older.is_finite() && older > newer {
                    (shrinks, changes) = (true, true);
                }
            }
            if changes {
                changing.push(k);
            }
        }
        if grows && shrinks && changing.len() <= limit {
            for pair in changing.windows(2) {
                self.partition.unite(pair[0], pair[1]);
            }
        }
    }

    /// The groups, each as positions in `variables`.
    pub fn groups(&mut self) -> Vec<Vec<usize>> {
        self.partition.classes()
    }

    pub fn first_places(&self, group: &[usize]) -> Vec<(VarId, Place)> {
        group
            .iter()
            .map(|&k| (self.variables[k].variable, self.variables[k].first))
            .collect()
    }

    pub fn second_places(&self, group: &[usize]) -> Vec<(VarId, Place)> {
        group
            .iter()
            .map(|&k| (self.variables[k].variable, self.variables[k].second))
            .collect()
    }

    /// The one block that is all of the group in both shapes, shared between them.
    pub fn shared_block<M: Matrix>(
        &self,
        group: &[usize],
        a: &Shape<M>,
        b: &Shape<M>,
    ) -> Option<Arc<Block<M>>> {
        let first = &self.variables[group[0]];
        let (Place::Block(m, _), Place::Block(n, _)) = (first.first, first.second) else {
            return None;
        };
        let block = &a.blocks[m];
        (Arc::ptr_eq(block, &b.blocks[n]) && block.variables.len() == group.len())
            .then(|| Arc::clone(block))
    }

    /// The one block that is all of the group, in a shape where nothing else of the other is in it.
    pub fn lone_block<M: Matrix>(
        &self,
        group: &[usize],
        shape: &Shape<M>,
        own: impl Fn(&Aligned) -> Place,
        other: impl Fn(&Aligned) -> Place,
    ) -> Option<Arc<Block<M>>> {
        let Place::Block(number, _) = own(&self.variables[group[0]]) else {
            return None;
        };
        let block = &shape.blocks[number];
        (block.variables.len() == group.len()
            && group
                .iter()
                .all(|&k| other(&self.variables[k]) == Place::Absent))
        .then(|| Arc::clone(block))
    }
}
