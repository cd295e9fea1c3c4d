//! Order, hull, intersection, widening.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::block::{Block, MAX_VARIABLES};
use super::cone::{System, TooLarge, dual};
use super::{Inequality, Polyhedra, State};
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::VarId;
use crate::thresholds::Thresholds;

impl Lattice for Polyhedra {
    fn bottom(&self) -> Self {
        Polyhedra::bottom()
    }

    fn top(&self) -> Self {
        Polyhedra::top()
    }

    fn is_bottom(&self) -> bool {
        self.state.is_none()
    }

    fn is_top(&self) -> bool {
        (self.state.as_ref())
            .is_some_and(|state| state.singles.is_empty() && state.blocks.is_empty())
    }

    fn leq(&self, other: &Self) -> bool {
        match (&self.state, &other.state) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => a.leq(b),
        }
    }

    fn join(&self, other: &Self) -> Self {
        match (&self.state, &other.state) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(a), Some(b)) if a.leq(b) => Polyhedra {
                state: Some(b.clone()),
            },
            (Some(a), Some(b)) if b.leq(a) => Polyhedra {
                state: Some(a.clone()),
            },
            (Some(a), Some(b)) => Polyhedra {
                state: Some(a.hull(b)),
            },
        }
    }

    fn meet(&self, other: &Self) -> Self {
        let Some(more) = &other.state else {
            return Polyhedra::bottom();
        };
        let mut result = self.clone();
        result.update(|state| state.add(more.inequalities()));
        result
    }

    fn widen(&self, newer: &Self) -> Self {
        self.widen_with(newer, &Thresholds::none())
    }

    fn widen_with(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        let (Some(old), Some(_)) = (&self.state, &newer.state) else {
            return self.join(newer);
        };
        let both = self.join(newer);
        let Some(both) = &both.state else {
            return both;
        };
        // Each time there is an equality less, which cannot go on for ever: so the first widening
        // does not lose how variables change together.
        let has_fewer_equalities = || Some(both.equalities()? < old.equalities()?);
        let state = match has_fewer_equalities() {
            Some(true) => both.clone(),
            _ => old.widened(both, thresholds),
        };
        Polyhedra { state: Some(state) }
    }

    /// Bounds that are missing come from the newer state.
    fn narrow(&self, newer: &Self) -> Self {
        let (Some(old), Some(new)) = (&self.state, &newer.state) else {
            return Polyhedra::bottom();
        };
        let mut more: Vec<Inequality> = Vec::new();
        for variable in new.variables() {
            for sign in [1, -1] {
                if old.minimum(&[(variable, sign)], 0).is_none()
                    && let Some(least) = new.minimum(&[(variable, sign)], 0)
                {
                    more.push((vec![(variable, sign * least.under)], -least.over));
                }
            }
        }
        let mut result = self.clone();
        result.update(|state| state.add(more));
        result
    }
}

impl State {
    fn leq(&self, other: &State) -> bool {
        let shares = |block: &Arc<Block>| self.blocks.iter().any(|own| Arc::ptr_eq(own, block));
        let singles = other.singles.iter();
        let mut singles = singles.map(|(&variable, values)| (variable, *values));
        singles.all(|(variable, values)| self.is_within(variable, values))
            && other
                .blocks
                .iter()
                .filter(|block| !shares(block))
                .all(|block| {
                    let mut rows = block.constraints.iter();
                    rows.all(|row| self.holds(&(block.terms(row), row[0])))
                })
    }

    fn is_within(&self, variable: VarId, values: Interval) -> bool {
        let low = values
            .lower()
            .is_none_or(|low| self.holds(&(vec![(variable, 1)], -low)));
        let high = values.upper();
        low && high.is_none_or(|high| self.holds(&(vec![(variable, -1)], high)))
    }

    /// The least polyhedron around both, or a greater one where that would be too large.
    fn hull(&self, other: &State) -> State {
        let (own, others) = (self.variables(), other.variables());
        let both = |variable: VarId| own.contains(&variable) && others.contains(&variable);
        let (mut a, mut b) = (self.clone(), other.clone());
        a.retain(&both);
        b.retain(&both);
        let mut result = State::default();
        let mut changing: BTreeSet<VarId> = a.variables();
        for block in &a.blocks {
            if b.blocks.iter().any(|other| Arc::ptr_eq(block, other)) {
                result.blocks.push(block.clone());
                changing.retain(|&variable| block.place(variable).is_none());
            }
        }
        for (&variable, &values) in &a.singles {
            if b.singles.get(&variable) == Some(&values) {
                result.singles.insert(variable, values);
                changing.remove(&variable);
            }
        }
        // What projection has lost in one of them.
        let there = b.variables();
        changing.retain(|variable| there.contains(variable));
        if changing.len() <= MAX_VARIABLES && result.add_hull(&a, &b, &changing).is_ok() {
            return result;
        }
        for &variable in &changing {
            let around = a.around(variable).hull(b.around(variable));
            if around != Interval::TOP {
                result.singles.insert(variable, around);
            }
        }
        // Relations of one that hold in the other, too.
        let from = |one: &State, other: &State| {
            let relations = one.blocks.iter().flat_map(|block| {
                let rows = block.constraints.iter();
                rows.map(|row| (block.terms(row), row[0]))
                    .collect::<Vec<_>>()
            });
            let common = relations.filter(|each| each.0.len() > 1 && other.holds(each));
            common.collect::<Vec<_>>()
        };
        let mut relations = from(&a, &b);
        relations.extend(from(&b, &a));
        // They hold in states that there are, so nothing becomes empty.
        let mut related = result.clone();
        match related.add(relations) {
            Ok(()) => related,
            Err(_) => result,
        }
    }

    /// Adds the hull of what two states say of these variables; each relates them to no others.
    fn add_hull(
        &mut self,
        a: &State,
        b: &State,
        variables: &BTreeSet<VarId>,
    ) -> Result<(), TooLarge> {
        if let Some(&variable) = variables.first()
            && variables.len() == 1
        {
            let around = a.around(variable).hull(b.around(variable));
            if around != Interval::TOP {
                self.singles.insert(variable, around);
            }
            return Ok(());
        }
        if variables.is_empty() {
            return Ok(());
        }
        let mut generators = System::default();
        let mut over = Vec::new();
        for state in [a, b] {
            let (variables, rows) = state.gathered(variables);
            let block = Block::keeping(variables, rows)?.ok_or(TooLarge)?;
            generators.lines.extend(block.generators.lines);
            generators.rays.extend(block.generators.rays);
            if !over.is_empty() && over != block.variables {
                return Err(TooLarge);
            }
            over = block.variables;
        }
        let block = Block::of_generators(over, generators)?.ok_or(TooLarge)?;
        self.put(block);
        Ok(())
    }

    /// How many independent equalities hold; nothing where that is too large to say.
    fn equalities(&self) -> Option<usize> {
        let singles = self.singles.values();
        let mut count = singles.filter(|it| it.as_constant().is_some()).count();
        for block in &self.blocks {
            let dimension = block.variables.len() + 1;
            count += dual(dimension, &block.generators).ok()?.lines.len();
        }
        Some(count)
    }

    /// The constraints that hold in the greater state `both`, too; others move to thresholds.
    fn widened(&self, both: &State, thresholds: &Thresholds) -> State {
        let mut result = State::default();
        for (&variable, values) in &self.singles {
            let widened = values.widen_with(&both.around(variable), thresholds);
            if widened != Interval::TOP {
                result.singles.insert(variable, widened);
            }
        }
        for block in &self.blocks {
            let kept = block.constraints.iter().filter_map(|row| {
                let terms = block.terms(row);
                if both.holds(&(terms.clone(), row[0])) {
                    return Some(row.clone());
                }
                let least = both.minimum(&terms, 0)?;
                let least = least.floor();
                // A lower bound of the sum, or an upper one of its opposite.
                let below = thresholds.at_most(least).and_then(i128::checked_neg);
                let above = thresholds.at_least(-least);
                let mut row = row.clone();
                row[0] = below.into_iter().chain(above).min()?;
                Some(row)
            });
            let kept: Vec<_> = kept.collect();
            if kept.len() == block.constraints.len() && kept == block.constraints {
                result.blocks.push(block.clone());
                continue;
            }
            match Block::keeping(block.variables.clone(), kept.clone()) {
                Ok(Some(block)) => result.put(block),
                // Only the bounds of single variables are left.
                _ => {
                    let bounds = kept.into_iter().map(|row| (block.terms(&row), row[0]));
                    let bounds = bounds.filter(|bound| bound.0.len() == 1);
                    if result.add(bounds.collect()).is_err() {
                        return both.clone();
                    }
                }
            }
        }
        result
    }
}
