//! Order, join, meet, widening and narrowing of decomposed octagons.
//!
//! Both operands are brought to common groups of variables; within a group everything is cell by cell. The work is in
//! finding groups as small as possible without losing a relation:
//!
//! * *join*: a relation appears between variables unrelated on both sides exactly if the bound of one literal grows from
//!   the first operand to the second while that of another shrinks (`{x=0, y=0} ⊔ {x=1, y=1}` has `x = y`), since
//!   `max(a+b, a'+b') < max(a,a') + max(b,b')` holds exactly then. All other pairs stay unrelated.
//! * *widening* compares the same cells, so it uses the same groups.
//! * *meet and narrowing*: constraints of either side are kept, so groups are unions of overlapping blocks.

use std::borrow::Cow;
use std::sync::Arc;

use super::bound::Bound;
use super::closure::Empty;
use super::matrix::{Matrix, widen_cell};
use super::shape::{Block, Literal, Place, Shape, Single};
use crate::linear::VarId;
use crate::thresholds::Thresholds;

/// A variable with its places in two shapes.
struct Aligned {
    variable: VarId,
    first: Place,
    second: Place,
}

/// A partition of the numbers `0..n`.
struct Partition {
    parent: Vec<u32>,
}

impl Partition {
    fn new(size: usize) -> Self {
        Partition {
            parent: (0..size as u32).collect(),
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

    fn unite(&mut self, k: usize, l: usize) {
        let (a, b) = (self.find(k as u32), self.find(l as u32));
        // The smaller number stays the representative, so classes come out in the order of their first member.
        self.parent[a.max(b) as usize] = a.min(b);
    }

    fn classes(&mut self) -> Vec<Vec<usize>> {
        let mut number_of: Vec<u32> = vec![u32::MAX; self.parent.len()];
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for k in 0..self.parent.len() {
            let root = self.find(k as u32) as usize;
            if number_of[root] == u32::MAX {
                number_of[root] = classes.len() as u32;
                classes.push(Vec::new());
            }
            classes[number_of[root] as usize].push(k);
        }
        classes
    }
}

/// None, one or several blocks or single variables.
enum OneUnit {
    None,
    Only(usize),
    Several,
}

impl OneUnit {
    fn add(&mut self, unit: usize) {
        *self = match *self {
            OneUnit::None => OneUnit::Only(unit),
            OneUnit::Only(same) if same == unit => return,
            _ => OneUnit::Several,
        };
    }
}

/// Variables of two shapes, and a partition of them.
struct Alignment {
    variables: Vec<Aligned>,
    partition: Partition,
}

impl Alignment {
    /// The variables that occur in both shapes, or in either one.
    fn new<M: Matrix>(a: &Shape<M>, b: &Shape<M>, both: bool) -> Self {
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

    /// Unites the variables between which a join creates relations; see the module's introduction.
    fn unite_opposed<M: Matrix>(&mut self, a: &Shape<M>, b: &Shape<M>) {
        let (mut grows, mut shrinks) = (false, false);
        let mut changing: Vec<usize> = Vec::new();
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
        if grows && shrinks {
            for pair in changing.windows(2) {
                self.partition.unite(pair[0], pair[1]);
            }
        }
    }

    /// The groups, each as positions in `variables`.
    fn groups(&mut self) -> Vec<Vec<usize>> {
        self.partition.classes()
    }

    fn first_places(&self, group: &[usize]) -> Vec<(VarId, Place)> {
        group
            .iter()
            .map(|&k| (self.variables[k].variable, self.variables[k].first))
            .collect()
    }

    fn second_places(&self, group: &[usize]) -> Vec<(VarId, Place)> {
        group
            .iter()
            .map(|&k| (self.variables[k].variable, self.variables[k].second))
            .collect()
    }

    /// The one block that is all of the group in both shapes, shared between them.
    fn shared_block<M: Matrix>(
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
    fn lone_block<M: Matrix>(
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

/// The variables of the constraints, sorted, and for each constraint the positions of its two variables among them.
fn number_variables<B>(differences: &[(Literal, Literal, B)]) -> (Vec<VarId>, Vec<(usize, usize)>) {
    let both = |&(from, to, _): &(Literal, Literal, B)| [from.variable, to.variable];
    let largest = differences
        .iter()
        .flat_map(both)
        .map(|v| v.0)
        .max()
        .unwrap_or(0) as usize;
    let mut variables: Vec<VarId>;
    let numbered;
    if largest <= 4 * differences.len() + 64 {
        // Dense numbers: a table is quicker than sorting all the occurrences.
        let mut number = vec![usize::MAX; largest + 1];
        for v in differences.iter().flat_map(both) {
            number[v.0 as usize] = 0;
        }
        variables = Vec::new();
        for (v, entry) in number
            .iter_mut()
            .enumerate()
            .filter(|(_, entry)| **entry == 0)
        {
            *entry = variables.len();
            variables.push(VarId(v as u32));
        }
        let of = |l: &Literal| number[l.variable.0 as usize];
        numbered = differences
            .iter()
            .map(|(from, to, _)| (of(from), of(to)))
            .collect();
    } else {
        variables = differences.iter().flat_map(both).collect();
        variables.sort_unstable();
        variables.dedup();
        let of = |l: &Literal| variables.partition_point(|&w| w < l.variable);
        numbered = differences
            .iter()
            .map(|(from, to, _)| (of(from), of(to)))
            .collect();
    }
    (variables, numbered)
}

fn variables_of(group: &[(VarId, Place)]) -> Vec<VarId> {
    group.iter().map(|&(v, _)| v).collect()
}

impl<M: Matrix> Shape<M> {
    /// The shape of the constraints `to - from <= bound`.
    pub fn of_differences(differences: &[(Literal, Literal, M::Bound)]) -> Result<Self, Empty> {
        let (variables, numbered) = number_variables(differences);
        let mut partition = Partition::new(variables.len());
        for &(from, to) in &numbered {
            if from != to {
                partition.unite(from, to);
            }
        }
        let classes = partition.classes();
        let mut place = vec![(0, 0); variables.len()];
        for (class, members) in classes.iter().enumerate() {
            for (position, &member) in members.iter().enumerate() {
                place[member] = (class, position);
            }
        }
        let mut matrices: Vec<M> = classes.iter().map(|c| M::unconstrained(c.len())).collect();
        for (&(from, to, bound), &(from_number, to_number)) in differences.iter().zip(&numbered) {
            let (class, i) = place[from_number];
            let (_, j) = place[to_number];
            if from == to {
                if bound < M::Bound::ZERO {
                    return Err(Empty);
                }
                continue;
            }
            let (i, j) = (from.index(i), to.index(j));
            if bound < matrices[class].get(i, j) {
                matrices[class].set(i, j, bound);
            }
        }
        let mut result = Shape::unconstrained();
        for (members, mut matrix) in classes.into_iter().zip(matrices) {
            matrix.close()?;
            result.insert_split(members.into_iter().map(|k| variables[k]).collect(), matrix);
        }
        Ok(result)
    }

    pub fn leq(&self, other: &Self) -> bool {
        let single_fits = |s: &Single<M::Bound>| {
            let place = self.place(s.variable);
            self.unary_at(place, false) <= s.upper && self.unary_at(place, true) <= s.lower
        };
        other.singles.iter().all(single_fits)
            && other.blocks.iter().all(|block| self.fits_block(block))
    }

    /// Whether all constraints of the block hold.
    fn fits_block(&self, block: &Arc<Block<M>>) -> bool {
        if let Place::Block(number, 0) = self.place(block.variables[0]) {
            let own = &self.blocks[number];
            if Arc::ptr_eq(own, block) {
                return true;
            }
            if own.variables == block.variables {
                return own.matrix.at_most(&block.matrix);
            }
        }
        let group: Vec<(VarId, Place)> = block
            .variables
            .iter()
            .map(|&v| (v, self.place(v)))
            .collect();
        self.matrix_of(&group).at_most(&block.matrix)
    }

    pub fn join(&self, other: &Self) -> Self {
        if let Some(joined) = self.join_block_by_block(other) {
            return joined;
        }
        let mut alignment = Alignment::new(self, other, true);
        alignment.unite_opposed(self, other);
        let mut result = Shape::unconstrained();
        for group in alignment.groups() {
            if let Some(block) = alignment.shared_block(&group, self, other) {
                result.insert_block(block);
                continue;
            }
            if let &[k] = group.as_slice() {
                let v = &alignment.variables[k];
                let bound = |negative: bool| {
                    self.unary_at(v.first, negative)
                        .greatest(other.unary_at(v.second, negative))
                };
                result.insert_single(Single {
                    variable: v.variable,
                    upper: bound(false),
                    lower: bound(true),
                });
                continue;
            }
            let first = alignment.first_places(&group);
            let a = self.matrix_of(&first);
            let b = other.matrix_of(&alignment.second_places(&group));
            let joined = match (a, b) {
                (Cow::Owned(mut a), b) => {
                    a.join_from(&b);
                    a
                }
                (a, Cow::Owned(mut b)) => {
                    b.join_from(&a);
                    b
                }
                (a, b) => a.join(&b),
            };
            result.insert_split(variables_of(&first), joined);
        }
        result
    }

    /// The join of shapes with the same blocks, if it creates no relations between them.
    fn join_block_by_block(&self, other: &Self) -> Option<Self> {
        let same_blocks = self.singles.len() == other.singles.len()
            && self.blocks.len() == other.blocks.len()
            && self
                .singles
                .iter()
                .zip(&other.singles)
                .all(|(a, b)| a.variable == b.variable)
            && self
                .blocks
                .iter()
                .zip(&other.blocks)
                .all(|(a, b)| a.variables == b.variables);
        if !same_blocks {
            return None;
        }
        // Where a literal's bound grows and where one shrinks; see the module's introduction.
        let (mut grows, mut shrinks) = (OneUnit::None, OneUnit::None);
        let mut compare = |unit: usize, older: M::Bound, newer: M::Bound| {
            if newer.is_finite() && newer > older {
                grows.add(unit);
            } else if older.is_finite() && older > newer {
                shrinks.add(unit);
            }
        };
        for (unit, (a, b)) in self.singles.iter().zip(&other.singles).enumerate() {
            compare(unit, a.upper, b.upper);
            compare(unit, a.lower, b.lower);
        }
        for (number, (a, b)) in self.blocks.iter().zip(&other.blocks).enumerate() {
            if !Arc::ptr_eq(a, b) {
                for literal in 0..2 * a.variables.len() {
                    let unit = self.singles.len() + number;
                    compare(unit, a.matrix.unary(literal), b.matrix.unary(literal));
                }
            }
        }
        match (grows, shrinks) {
            (OneUnit::None, _) | (_, OneUnit::None) => {}
            (OneUnit::Only(a), OneUnit::Only(b)) if a == b => {}
            _ => return None,
        }
        let mut result = Shape {
            singles: Vec::with_capacity(self.singles.len()),
            blocks: Vec::new(),
        };
        result.singles.extend(
            self.singles
                .iter()
                .zip(&other.singles)
                .filter_map(|(a, b)| {
                    let (upper, lower) = (a.upper.greatest(b.upper), a.lower.greatest(b.lower));
                    let bounded = upper.is_finite() || lower.is_finite();
                    bounded.then_some(Single {
                        variable: a.variable,
                        upper,
                        lower,
                    })
                }),
        );
        for (a, b) in self.blocks.iter().zip(&other.blocks) {
            if Arc::ptr_eq(a, b) || b.matrix.at_most(&a.matrix) {
                result.insert_block(Arc::clone(a));
            } else if a.matrix.at_most(&b.matrix) {
                result.insert_block(Arc::clone(b));
            } else {
                result.insert_split(a.variables.clone(), a.matrix.join(&b.matrix));
            }
        }
        Some(result)
    }

    pub fn meet(&self, other: &Self) -> Result<Self, Empty> {
        self.merge(other, |a, b| {
            if a.at_most(b) {
                return Ok(a.clone());
            }
            if b.at_most(a) {
                return Ok(b.clone());
            }
            let mut matrix = a.meet(b);
            matrix.close()?;
            Ok(matrix)
        })
    }

    pub fn narrow(&self, other: &Self) -> Result<Self, Empty> {
        self.merge(other, |a, b| {
            let mut matrix = a.narrow(b);
            if matrix != *a {
                matrix.close()?;
            }
            Ok(matrix)
        })
    }

    /// Meet and narrowing: a constraint of one side alone is kept; `both` treats matrices over the same variables.
    fn merge(
        &self,
        other: &Self,
        both: impl Fn(&M, &M) -> Result<M, Empty>,
    ) -> Result<Self, Empty> {
        let mut alignment = Alignment::new(self, other, false);
        let mut result = Shape::unconstrained();
        for group in alignment.groups() {
            let kept = alignment
                .shared_block(&group, self, other)
                .or_else(|| alignment.lone_block(&group, self, |v| v.first, |v| v.second))
                .or_else(|| alignment.lone_block(&group, other, |v| v.second, |v| v.first));
            if let Some(block) = kept {
                result.insert_block(block);
                continue;
            }
            let first = alignment.first_places(&group);
            let a = self.matrix_of(&first);
            let b = other.matrix_of(&alignment.second_places(&group));
            result.insert_split(variables_of(&first), both(&a, &b)?);
        }
        Ok(result)
    }

    /// Widening without closure: the result is the left operand of the next widening, and [`Shape::closed`] makes the
    /// octagon of it. Closing between two widenings could bring constraints back for ever.
    pub fn widen(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        let mut alignment = Alignment::new(self, newer, true);
        alignment.unite_opposed(self, newer);
        let mut result = Shape::unconstrained();
        for group in alignment.groups() {
            if let Some(block) = alignment.shared_block(&group, self, newer) {
                result.insert_block(block);
                continue;
            }
            if let &[k] = group.as_slice() {
                let v = &alignment.variables[k];
                let bound = |negative: bool| {
                    let older = self.unary_at(v.first, negative);
                    let newer = newer.unary_at(v.second, negative);
                    widen_cell(older, newer, |b| M::threshold(b, true, thresholds))
                };
                result.insert_single(Single {
                    variable: v.variable,
                    upper: bound(false),
                    lower: bound(true),
                });
                continue;
            }
            let first = alignment.first_places(&group);
            let a = self.matrix_of(&first);
            let b = newer.matrix_of(&alignment.second_places(&group));
            let matrix = a.widen(&b, thresholds);
            result.insert_block(Arc::new(Block {
                variables: variables_of(&first),
                matrix,
            }));
        }
        result
    }

    /// Closes every block and splits it as finely as possible.
    pub fn closed(&self) -> Result<Self, Empty> {
        let mut result = Shape {
            singles: self.singles.clone(),
            blocks: Vec::new(),
        };
        for block in &self.blocks {
            let mut matrix = block.matrix.clone();
            matrix.close()?;
            if matrix == block.matrix && matrix.components().len() == 1 {
                result.insert_block(Arc::clone(block));
            } else {
                result.insert_split(block.variables.clone(), matrix);
            }
        }
        Ok(result)
    }
}
