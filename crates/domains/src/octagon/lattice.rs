//! Order, join, meet, widening and narrowing of decomposed octagons.
//!
//! Both operands are brought to common groups of variables; within a group everything is cell by
//! cell. The work is in finding groups as small as possible without losing a relation:
//!
//! * *join*: a relation appears between variables unrelated on both sides exactly if the bound of
//!   one literal grows from the first operand to the second while that of another shrinks
//!   (`{x=0, y=0} ⊔ {x=1, y=1}` has `x = y`), since `max(a+b, a'+b') < max(a,a') + max(b,b')` holds
//!   exactly then. All other pairs stay unrelated.
//! * *widening* compares the same cells, so it uses the same groups.
//! * *meet and narrowing*: constraints of either side are kept, so groups are unions of overlapping
//!   blocks.

use std::borrow::Cow;
use std::sync::Arc;

use super::alignment::Alignment;
use super::bound::Bound;
use super::closure::Empty;
use super::matrix::{Matrix, widen_cell};
use super::shape::{Block, Literal, Place, Shape, Single};
use crate::linear::VarId;
use crate::thresholds::Thresholds;

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

fn variables_of(group: &[(VarId, Place)]) -> Arc<[VarId]> {
    group.iter().map(|&(v, _)| v).collect()
}

impl<M: Matrix> Shape<M> {
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
        let places: Vec<Place> = block.variables.iter().map(|&v| self.place(v)).collect();
        let upper: Vec<M::Bound> = places
            .iter()
            .flat_map(|&p| [self.unary_at(p, false), self.unary_at(p, true)])
            .collect();
        let literal = |index: usize| Literal {
            variable: block.variables[index / 2],
            negative: index % 2 == 1,
        };
        block.matrix.is_above(&upper, &|i, j| {
            self.bound_at(literal(i), places[i / 2], literal(j), places[j / 2])
        })
    }

    /// The least upper bound; but if more than `limit` variables would become related to one
    /// another only because their bounds move in opposite directions, they stay as they are.
    pub fn join(&self, other: &Self, limit: usize) -> Self {
        if let Some(joined) = self.join_block_by_block(other) {
            return joined;
        }
        self.extrapolate(
            other,
            limit,
            M::Bound::greatest,
            |result, variables, a, b| {
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
                result.insert_split(variables, joined);
            },
        )
    }

    /// Join and widening: a block that both share is kept; `bound` treats bounds of a variable that
    /// is related to no other, `both` matrices over the same variables.
    fn extrapolate(
        &self,
        other: &Self,
        limit: usize,
        bound: impl Fn(M::Bound, M::Bound) -> M::Bound,
        both: impl Fn(&mut Self, Arc<[VarId]>, Cow<'_, M>, Cow<'_, M>),
    ) -> Self {
        let mut alignment = Alignment::new(self, other, true);
        alignment.unite_opposed(self, other, limit);
        let mut result = Shape::unconstrained();
        for group in alignment.groups() {
            if let Some(block) = alignment.shared_block(&group, self, other) {
                result.insert_block(block);
                continue;
            }
            if let &[k] = group.as_slice() {
                let v = &alignment.variables[k];
                let bound = |negative: bool| {
                    let older = self.unary_at(v.first, negative);
                    bound(older, other.unary_at(v.second, negative))
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
            both(&mut result, variables_of(&first), a, b);
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
                result.insert_split(Arc::clone(&a.variables), a.matrix.join(&b.matrix));
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

    /// Meet and narrowing: a constraint of one side alone is kept; `both` treats matrices over the
    /// same variables.
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

    /// Widening without closure: the result is the left operand of the next widening, and
    /// [`Shape::closed`] makes the octagon of it. Closing between two widenings could bring
    /// constraints back for ever.
    pub fn widen(&self, newer: &Self, thresholds: &Thresholds, limit: usize) -> Self {
        let bound = |older, newer| widen_cell(older, newer, |b| M::threshold(b, true, thresholds));
        self.extrapolate(newer, limit, bound, |result, variables, a, b| {
            let matrix = a.widen(&b, thresholds);
            result.insert_block(Arc::new(Block { variables, matrix }));
        })
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
            if matrix == block.matrix && matrix.is_connected() {
                result.insert_block(Arc::clone(block));
            } else {
                result.insert_split(Arc::clone(&block.variables), matrix);
            }
        }
        Ok(result)
    }
}
