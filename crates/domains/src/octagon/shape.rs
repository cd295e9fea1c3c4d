//! The contents of a non-empty octagon, decomposed into blocks of related variables.
//!
//! G. Singh, M. Püschel, M. Vechev, *Making numerical program analysis fast*, PLDI 2015, keep an
//! octagon as a product of independent octagons. Here two variables are in one block exactly if a
//! bound of them does not follow from their own bounds alone: what strengthening would add between
//! blocks is implied and never stored. So a variable without relations costs one entry, an
//! unbounded one nothing, and a variable that becomes constant leaves its block. The decomposition
//! is the finest one, so it is a normal form.

use std::borrow::Cow;
use std::sync::Arc;

use super::bound::Bound;
use super::closure::Empty;
use super::matrix::Matrix;
use crate::linear::VarId;

/// A variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    pub variable: VarId,
    pub negative: bool,
}

impl Literal {
    pub const fn positive(variable: VarId) -> Self {
        Literal {
            variable,
            negative: false,
        }
    }

    pub const fn negated(self) -> Self {
        Literal {
            variable: self.variable,
            negative: !self.negative,
        }
    }

    /// The literal's index in a matrix where its variable has the given position.
    pub(super) fn index(self, position: usize) -> usize {
        2 * position + usize::from(self.negative)
    }
}

/// A variable that is bounded but related to no other. Both bounds are doubled, as in a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Single<B> {
    pub variable: VarId,
    /// Of `2x`.
    pub upper: B,
    /// Of `-2x`.
    pub lower: B,
}

impl<B: Bound> Single<B> {
    fn is_unbounded(&self) -> bool {
        !self.upper.is_finite() && !self.lower.is_finite()
    }

    pub fn bound(&self, negative: bool) -> B {
        if negative { self.lower } else { self.upper }
    }

    fn checked(self) -> Result<Self, Empty> {
        if self.upper.plus(self.lower) < B::ZERO {
            Err(Empty)
        } else {
            Ok(self)
        }
    }
}

/// At least two variables, sorted, with their matrix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block<M> {
    pub variables: Arc<[VarId]>,
    pub matrix: M,
}

/// Where a variable is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Absent,
    Single(usize),
    /// Block and position in it.
    Block(usize, usize),
}

/// Unrelated variables sorted by number; blocks in no particular order of use but sorted by their
/// first variable.
#[derive(Clone, Debug)]
pub(crate) struct Shape<M: Matrix> {
    pub singles: Vec<Single<M::Bound>>,
    pub blocks: Vec<Arc<Block<M>>>,
}

impl<M: Matrix> PartialEq for Shape<M> {
    fn eq(&self, other: &Self) -> bool {
        self.singles == other.singles
            && self.blocks.len() == other.blocks.len()
            && self
                .blocks
                .iter()
                .zip(&other.blocks)
                .all(|(a, b)| Arc::ptr_eq(a, b) || a == b)
    }
}

impl<M: Matrix> Shape<M> {
    pub fn unconstrained() -> Self {
        Shape {
            singles: Vec::new(),
            blocks: Vec::new(),
        }
    }

    pub fn place(&self, variable: VarId) -> Place {
        if let Ok(position) = self.singles.binary_search_by_key(&variable, |s| s.variable) {
            return Place::Single(position);
        }
        for (number, block) in self.blocks.iter().enumerate() {
            let first = block.variables[0];
            if first > variable {
                break;
            }
            if let Ok(position) = block.variables.binary_search(&variable) {
                return Place::Block(number, position);
            }
        }
        Place::Absent
    }

    /// The doubled upper bound of a literal whose variable has the given place.
    pub fn unary_at(&self, place: Place, negative: bool) -> M::Bound {
        match place {
            Place::Absent => M::Bound::INFINITY,
            Place::Single(position) => self.singles[position].bound(negative),
            Place::Block(number, position) => self.blocks[number]
                .matrix
                .unary(2 * position + usize::from(negative)),
        }
    }

    /// The bound of `to - from`, given the places of their variables.
    pub fn bound_at(
        &self,
        from: Literal,
        from_place: Place,
        to: Literal,
        to_place: Place,
    ) -> M::Bound {
        if from == to {
            return M::Bound::ZERO;
        }
        match (from_place, to_place) {
            (Place::Block(a, i), Place::Block(b, j)) if a == b => {
                self.blocks[a].matrix.get(from.index(i), to.index(j))
            }
            _ if from == to.negated() => self.unary_at(to_place, to.negative),
            _ => {
                let minus_from = self.unary_at(from_place, !from.negative).half();
                minus_from.plus(self.unary_at(to_place, to.negative).half())
            }
        }
    }

    pub fn bound(&self, from: Literal, to: Literal) -> M::Bound {
        self.bound_at(from, self.place(from.variable), to, self.place(to.variable))
    }

    /// All bounded or related variables with their places, sorted.
    pub fn places(&self) -> Vec<(VarId, Place)> {
        let related: usize = self.blocks.iter().map(|b| b.variables.len()).sum();
        let mut places = Vec::with_capacity(self.singles.len() + related);
        for (position, single) in self.singles.iter().enumerate() {
            places.push((single.variable, Place::Single(position)));
        }
        for (number, block) in self.blocks.iter().enumerate() {
            for (position, &variable) in block.variables.iter().enumerate() {
                places.push((variable, Place::Block(number, position)));
            }
        }
        places.sort_unstable_by_key(|&(v, _)| v);
        places
    }

    pub fn insert_single(&mut self, single: Single<M::Bound>) {
        if !single.is_unbounded() {
            let position = self
                .singles
                .partition_point(|s| s.variable < single.variable);
            self.singles.insert(position, single);
        }
    }

    pub fn insert_block(&mut self, block: Arc<Block<M>>) {
        let first = block.variables[0];
        let position = self.blocks.partition_point(|b| b.variables[0] < first);
        self.blocks.insert(position, block);
    }

    /// Adds variables with their closed matrix, split into blocks.
    pub fn insert_split(&mut self, variables: Arc<[VarId]>, matrix: M) {
        if variables.len() > 1 && matrix.is_connected() {
            self.insert_block(Arc::new(Block { variables, matrix }));
            return;
        }
        for component in matrix.components() {
            if let &[alone] = component.as_slice() {
                self.insert_single(Single {
                    variable: variables[alone],
                    upper: matrix.unary(2 * alone),
                    lower: matrix.unary(2 * alone + 1),
                });
            } else {
                self.insert_block(Arc::new(Block {
                    variables: component.iter().map(|&k| variables[k]).collect(),
                    matrix: matrix.select(&component),
                }));
            }
        }
    }

    /// The matrix of the given variables (sorted, with their places), unrelated ones side by side.
    pub fn matrix_of(&self, group: &[(VarId, Place)]) -> Cow<'_, M> {
        if let Some(&(_, Place::Block(number, 0))) = group.first()
            && self.blocks[number].variables.len() == group.len()
            && group
                .iter()
                .all(|&(_, p)| matches!(p, Place::Block(n, _) if n == number))
        {
            return Cow::Borrowed(&self.blocks[number].matrix);
        }
        let mut singles: Vec<(usize, M::Bound, M::Bound)> = Vec::with_capacity(group.len());
        // For each block of the group: positions in the group and in the block.
        let mut parts: Vec<(usize, Vec<usize>, Vec<usize>)> = Vec::new();
        let mut part_of_block: Vec<Option<usize>> = vec![None; self.blocks.len()];
        for (position, &(_, place)) in group.iter().enumerate() {
            match place {
                Place::Absent => {}
                Place::Single(k) => {
                    singles.push((position, self.singles[k].upper, self.singles[k].lower));
                }
                Place::Block(number, inner) => {
                    let part = *part_of_block[number].get_or_insert_with(|| {
                        let size = self.blocks[number].variables.len();
                        parts.push((number, Vec::with_capacity(size), Vec::with_capacity(size)));
                        parts.len() - 1
                    });
                    parts[part].1.push(position);
                    parts[part].2.push(inner);
                }
            }
        }
        let matrices: Vec<Cow<'_, M>> = parts
            .iter()
            .map(|(number, _, inner)| {
                let matrix = &self.blocks[*number].matrix;
                if inner.len() == matrix.variables() {
                    Cow::Borrowed(matrix)
                } else {
                    Cow::Owned(matrix.select(inner))
                }
            })
            .collect();
        let placed: Vec<(&M, &[usize])> = matrices
            .iter()
            .zip(&parts)
            .map(|(matrix, (_, outer, _))| (&**matrix, outer.as_slice()))
            .collect();
        Cow::Owned(M::assemble(group.len(), &singles, &placed))
    }

    /// Adds `to - from <= bound`.
    pub fn add_constraint(
        &mut self,
        from: Literal,
        to: Literal,
        bound: M::Bound,
    ) -> Result<(), Empty> {
        if from == to {
            return if bound < M::Bound::ZERO {
                Err(Empty)
            } else {
                Ok(())
            };
        }
        let (from_place, to_place) = (self.place(from.variable), self.place(to.variable));
        if self.bound_at(from, from_place, to, to_place) <= bound {
            return Ok(());
        }
        if from.variable == to.variable {
            return self.add_unary(to, to_place, bound);
        }
        if let (Place::Block(number, i), Place::Block(other, j)) = (from_place, to_place)
            && number == other
        {
            return self.constrain_block(number, from.index(i), to.index(j), bound);
        }
        let mut group = self.group_around(&[(from.variable, from_place), (to.variable, to_place)]);
        group.sort_unstable_by_key(|&(v, _)| v);
        let mut matrix = self.matrix_of(&group).into_owned();
        let position = |l: Literal| {
            let p = group.binary_search_by_key(&l.variable, |&(v, _)| v);
            l.index(p.expect("the group holds both variables"))
        };
        matrix.add_constraint(position(from), position(to), bound)?;
        self.remove_places(&[from_place, to_place]);
        self.insert_split(group.into_iter().map(|(v, _)| v).collect(), matrix);
        Ok(())
    }

    fn add_unary(&mut self, literal: Literal, place: Place, bound: M::Bound) -> Result<(), Empty> {
        let bound = bound.tighten();
        match place {
            Place::Block(number, position) => {
                let to = literal.index(position);
                self.constrain_block(number, to ^ 1, to, bound)
            }
            Place::Single(_) | Place::Absent => {
                let mut single = match place {
                    Place::Single(position) => self.singles.remove(position),
                    _ => Single {
                        variable: literal.variable,
                        upper: M::Bound::INFINITY,
                        lower: M::Bound::INFINITY,
                    },
                };
                if literal.negative {
                    single.lower = single.lower.least(bound);
                } else {
                    single.upper = single.upper.least(bound);
                }
                self.insert_single(single.checked()?);
                Ok(())
            }
        }
    }

    fn constrain_block(
        &mut self,
        number: usize,
        from: usize,
        to: usize,
        bound: M::Bound,
    ) -> Result<(), Empty> {
        Arc::make_mut(&mut self.blocks[number])
            .matrix
            .add_constraint(from, to, bound)?;
        self.resplit(number);
        Ok(())
    }

    /// Restores the finest decomposition after a block's matrix has changed.
    fn resplit(&mut self, number: usize) {
        if !self.blocks[number].matrix.is_connected() {
            let block = self.blocks.remove(number);
            self.insert_split(Arc::clone(&block.variables), block.matrix.clone());
        }
    }

    /// The given variables and all others in their blocks.
    fn group_around(&self, members: &[(VarId, Place)]) -> Vec<(VarId, Place)> {
        let mut group: Vec<(VarId, Place)> = Vec::new();
        for &(variable, place) in members {
            match place {
                Place::Block(number, _) => {
                    if !group.iter().any(|&(v, _)| v == variable) {
                        let block = self.blocks[number].variables.iter().enumerate();
                        group.extend(block.map(|(p, &v)| (v, Place::Block(number, p))));
                    }
                }
                _ => group.push((variable, place)),
            }
        }
        group
    }

    /// Removes the single variables and the whole blocks at the given places.
    fn remove_places(&mut self, places: &[Place]) {
        let mut singles: Vec<usize> = Vec::new();
        let mut blocks: Vec<usize> = Vec::new();
        for place in places {
            match *place {
                Place::Single(k) => singles.push(k),
                Place::Block(number, _) => blocks.push(number),
                Place::Absent => {}
            }
        }
        singles.sort_unstable();
        blocks.sort_unstable();
        blocks.dedup();
        for k in singles.into_iter().rev() {
            self.singles.remove(k);
        }
        for number in blocks.into_iter().rev() {
            self.blocks.remove(number);
        }
    }

    pub fn forget(&mut self, variable: VarId) {
        match self.place(variable) {
            Place::Absent => {}
            Place::Single(position) => {
                self.singles.remove(position);
            }
            Place::Block(number, position) => {
                let block = self.blocks.remove(number);
                let rest: Vec<usize> = (0..block.variables.len())
                    .filter(|&k| k != position)
                    .collect();
                let variables = rest.iter().map(|&k| block.variables[k]).collect();
                self.insert_split(variables, block.matrix.select(&rest));
            }
        }
    }

    /// Keeps only what is known about the variables chosen by `keep`.
    pub fn retain(&mut self, keep: impl Fn(VarId) -> bool) {
        self.singles.retain(|s| keep(s.variable));
        let touched = |b: &Arc<Block<M>>| b.variables.iter().any(|&v| !keep(v));
        let (changed, same) = std::mem::take(&mut self.blocks)
            .into_iter()
            .partition(touched);
        self.blocks = same;
        for block in Vec::<Arc<Block<M>>>::into_iter(changed) {
            let rest: Vec<usize> = (0..block.variables.len())
                .filter(|&k| keep(block.variables[k]))
                .collect();
            let variables = rest.iter().map(|&k| block.variables[k]).collect();
            self.insert_split(variables, block.matrix.select(&rest));
        }
    }

    /// `variable := [-lower/2, upper/2]`, both bounds doubled.
    pub fn assign_interval(
        &mut self,
        variable: VarId,
        upper: M::Bound,
        lower: M::Bound,
    ) -> Result<(), Empty> {
        self.forget(variable);
        let single = Single {
            variable,
            upper: upper.tighten(),
            lower: lower.tighten(),
        };
        self.insert_single(single.checked()?);
        Ok(())
    }

    /// `variable := source + [low, high]`, given `high` and `-low`.
    pub fn assign_literal(
        &mut self,
        variable: VarId,
        source: Literal,
        high: M::Bound,
        minus_low: M::Bound,
    ) -> Result<(), Empty> {
        if high.plus(minus_low) < M::Bound::ZERO {
            return Err(Empty);
        }
        if source.variable == variable {
            self.shift(variable, source.negative, high, minus_low);
            return Ok(());
        }
        let place = self.place(variable);
        let source_place = self.place(source.variable);
        let (group, mut matrix) = match (place, source_place) {
            (Place::Block(a, _), Place::Block(b, _)) if a == b => {
                let block = self.blocks.remove(a);
                let block = Arc::unwrap_or_clone(block);
                (block.variables, block.matrix)
            }
            _ => {
                self.forget(variable);
                let source_place = self.place(source.variable);
                let mut group = self
                    .group_around(&[(variable, Place::Absent), (source.variable, source_place)]);
                group.sort_unstable_by_key(|&(v, _)| v);
                let matrix = self.matrix_of(&group).into_owned();
                self.remove_places(&[source_place]);
                (group.into_iter().map(|(v, _)| v).collect(), matrix)
            }
        };
        let position = |v: VarId| {
            group
                .binary_search(&v)
                .expect("the group holds both variables")
        };
        let target = position(variable);
        matrix.copy_variable(target, source.index(position(source.variable)));
        matrix.shift(target, high, minus_low);
        self.insert_split(group, matrix);
        Ok(())
    }

    /// `variable := ±variable + [low, high]`, given `high` and `-low`.
    fn shift(&mut self, variable: VarId, negate: bool, high: M::Bound, minus_low: M::Bound) {
        match self.place(variable) {
            Place::Absent => {}
            Place::Single(position) => {
                let mut single = self.singles.remove(position);
                if negate {
                    std::mem::swap(&mut single.upper, &mut single.lower);
                }
                single.upper = single.upper.plus(high).plus(high);
                single.lower = single.lower.plus(minus_low).plus(minus_low);
                self.insert_single(single);
            }
            Place::Block(number, position) => {
                let matrix = &mut Arc::make_mut(&mut self.blocks[number]).matrix;
                if negate {
                    matrix.negate(position);
                }
                matrix.shift(position, high, minus_low);
                // Rounding or infinity may have made a relation follow from the variables' own
                // bounds.
                self.resplit(number);
            }
        }
    }

    /// The same shape with other numbers for its variables; `rename` must not map two of them to
    /// one.
    pub fn rename(&self, rename: impl Fn(VarId) -> VarId) -> Self {
        let mut renamed = Shape::unconstrained();
        for single in &self.singles {
            renamed.insert_single(Single {
                variable: rename(single.variable),
                ..*single
            });
        }
        for block in &self.blocks {
            let mut order: Vec<(VarId, usize)> = block
                .variables
                .iter()
                .enumerate()
                .map(|(k, &v)| (rename(v), k))
                .collect();
            order.sort_unstable();
            let mut matrix = M::unconstrained(order.len());
            for (i, &(_, old_i)) in order.iter().enumerate() {
                for (j, &(_, old_j)) in order.iter().enumerate().take(i + 1) {
                    for (s, t) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                        let bound = block.matrix.get(2 * old_i + s, 2 * old_j + t);
                        matrix.set(2 * i + s, 2 * j + t, bound);
                    }
                }
            }
            let variables = order.into_iter().map(|(v, _)| v).collect();
            renamed.insert_block(Arc::new(Block { variables, matrix }));
        }
        renamed
    }
}
