//! Convex polyhedra: conjunctions of linear inequalities `c + Σ aᵢ·xᵢ >= 0` over integers.
//!
//! P. Cousot, N. Halbwachs, *Automatic discovery of linear restraints among variables of a program*,
//! POPL 1978, with constraints and generators side by side and exact arithmetic; G. Singh, M. Püschel,
//! M. Vechev, *Fast polyhedra abstract domain*, POPL 2017, for the decomposition into blocks of
//! related variables, without which a box has as many generators as it has corners. It stands where
//! Stieglmaier2014, section 2.5.3, has the polyhedra of the library APRON.
//!
//! | paper | here |
//! |---|---|
//! | constraints and frame (generators) of a polyhedron | [`block`] |
//! | conversion between them | [`cone`], by N. V. Chernikova |
//! | blocks of the partition; variables in none | `State::blocks`, `State::singles` |
//! | convex hull | `join`: the generators of both |
//! | standard widening: the old constraints that still hold | `widen` |
//! | assignments and tests | `transfer` |
//!
//! Deviations: what would be too large is left out, which loses precision and never a state: relations
//! of more than a few variables, systems with many generators, numbers beyond `i128`. Widening
//! looks at the bounds of single variables too, even where they follow from other constraints, and
//! moves constraints to thresholds. Points need not be integers: a polyhedron may hold no integer
//! and not be empty.

mod block;
mod cone;
mod lattice;
#[cfg(test)]
mod tests;
mod transfer;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::Hasher;
use std::sync::Arc;

use block::{Block, Fraction, row_over, tightened};
use cone::{Row, TooLarge};

use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::{Bounds, Constraint, LinearForm, VarId};

/// `constant + Σ factor·variable >= 0`.
type Inequality = (Vec<(VarId, i128)>, i128);

/// A polyhedron over integer variables. Variables need no declaration: one that was never mentioned
/// is unbounded. Cloning is cheap.
#[derive(Clone)]
pub struct Polyhedra {
    /// `None` if there is no state at all.
    state: Option<State>,
}

#[derive(Clone, Default)]
struct State {
    /// Bounds of variables that no block has; none is unbounded.
    singles: BTreeMap<VarId, Interval>,
    blocks: Vec<Arc<Block>>,
}

/// No point is left.
struct Empty;

impl Polyhedra {
    pub fn top() -> Self {
        Polyhedra {
            state: Some(State::default()),
        }
    }

    pub fn bottom() -> Self {
        Polyhedra { state: None }
    }

    /// Changes the state; if nothing is left, there is none.
    fn update(&mut self, change: impl FnOnce(&mut State) -> Result<(), Empty>) {
        if let Some(state) = &mut self.state
            && change(state).is_err()
        {
            self.state = None;
        }
    }

    /// The blocks of related variables.
    pub fn blocks(&self) -> Vec<&[VarId]> {
        let blocks = self.state.iter().flat_map(|state| &state.blocks);
        blocks.map(|block| &*block.variables).collect()
    }

    /// What is known, as constraints on integers.
    pub fn constraints(&self) -> Vec<Constraint> {
        let Some(state) = &self.state else {
            return vec![Constraint::False];
        };
        let mut found = Vec::new();
        for (&variable, &interval) in &state.singles {
            found.extend(Constraint::of_interval(variable, interval));
        }
        for block in &state.blocks {
            let rows = block.constraints.iter().cloned().filter_map(tightened);
            let mut rows: Vec<Row> = rows.collect();
            rows.dedup();
            for (number, row) in rows.iter().enumerate() {
                let is_opposite = |other: &Row| row.iter().zip(other).all(|(x, y)| *x == -*y);
                if rows[..number].iter().any(is_opposite) {
                    continue;
                }
                let terms = block.terms(row).into_iter();
                let terms = terms
                    .map(|(variable, factor)| (variable, -factor))
                    .collect();
                let constant = -row[0];
                found.push(match rows[number + 1..].iter().any(is_opposite) {
                    true => Constraint::Zero { terms, constant },
                    false => Constraint::AtMostZero { terms, constant },
                });
            }
        }
        found
    }

    /// Feeds the bounds of all variables to a hasher.
    pub fn fingerprint(&self, hasher: &mut dyn Hasher) {
        let Some(state) = &self.state else {
            return hasher.write_u8(0);
        };
        for variable in state.variables() {
            hasher.write_u32(variable.0);
            let around = state.around(variable);
            for end in [around.lower(), around.upper()] {
                hasher.write_u8(u8::from(end.is_some()));
                hasher.write_i128(end.unwrap_or(0));
            }
        }
    }
}

impl State {
    fn variables(&self) -> BTreeSet<VarId> {
        let related = self.blocks.iter().flat_map(|block| &block.variables);
        self.singles.keys().chain(related).copied().collect()
    }

    fn block_of(&self, variable: VarId) -> Option<usize> {
        let mut blocks = self.blocks.iter();
        blocks.position(|block| block.place(variable).is_some())
    }

    fn single(&self, variable: VarId) -> Interval {
        self.singles
            .get(&variable)
            .copied()
            .unwrap_or(Interval::TOP)
    }

    fn set_single(&mut self, variable: VarId, interval: Interval) -> Result<(), Empty> {
        if interval.is_empty() {
            return Err(Empty);
        }
        match interval == Interval::TOP {
            true => self.singles.remove(&variable),
            false => self.singles.insert(variable, interval),
        };
        Ok(())
    }

    /// The least value of a sum, `None` without bound (or with one that is too large to say).
    /// Blocks are independent of one another, so their least values add up.
    fn minimum(&self, terms: &[(VarId, i128)], constant: i128) -> Option<Fraction> {
        let mut sum = Fraction::whole(constant);
        let mut of_block: BTreeMap<usize, Vec<(VarId, i128)>> = BTreeMap::new();
        for &(variable, factor) in terms {
            if factor == 0 {
                continue;
            }
            if let Some(number) = self.block_of(variable) {
                of_block.entry(number).or_default().push((variable, factor));
                continue;
            }
            let values = self.single(variable);
            let end = match factor > 0 {
                true => values.lower()?,
                false => values.upper()?,
            };
            sum = sum.plus(Fraction::whole(end.checked_mul(factor)?))?;
        }
        for (number, terms) in of_block {
            let block = &self.blocks[number];
            let row = row_over(&block.variables, &terms, 0)?;
            sum = sum.plus(block.minimum(&row).ok()??)?;
        }
        Some(sum)
    }

    fn holds(&self, (terms, constant): &Inequality) -> bool {
        let least = self.minimum(terms, *constant);
        least.is_some_and(|least| least.over >= 0)
    }

    /// The integers that a sum can be.
    fn values(&self, terms: &[(VarId, i128)], constant: i128) -> Interval {
        let least = self.minimum(terms, constant).map(Fraction::ceil);
        let negated: Vec<_> = terms
            .iter()
            .map(|&(v, c)| (v, c.saturating_neg()))
            .collect();
        let most = constant.checked_neg();
        let most = most.and_then(|constant| self.minimum(&negated, constant));
        Interval::new(least, most.map(|most| -most.ceil()))
    }

    /// Whole numbers around all values of a variable, also those that are none.
    fn around(&self, variable: VarId) -> Interval {
        let least = self.minimum(&[(variable, 1)], 0).map(Fraction::floor);
        let most = self.minimum(&[(variable, -1)], 0).map(Fraction::floor);
        Interval::new(least, most.map(|most| -most))
    }

    /// What the state says of these variables and those that it relates them to.
    fn gathered(&self, wanted: &BTreeSet<VarId>) -> (Vec<VarId>, Vec<Row>) {
        let mut all = wanted.clone();
        for &variable in wanted {
            if let Some(number) = self.block_of(variable) {
                all.extend(&self.blocks[number].variables);
            }
        }
        let variables: Vec<VarId> = all.into_iter().collect();
        let mut rows = Vec::new();
        let mut seen = BTreeSet::new();
        for &variable in &variables {
            match self.block_of(variable) {
                Some(number) if seen.insert(number) => {
                    let block = &self.blocks[number];
                    let lifted = block
                        .constraints
                        .iter()
                        .filter_map(|row| row_over(&variables, &block.terms(row), row[0]));
                    rows.extend(lifted);
                }
                Some(_) => {}
                None => {
                    let values = self.single(variable);
                    let ends = [
                        values.lower().map(|low| (1, -low)),
                        values.upper().map(|high| (-1, high)),
                    ];
                    for (factor, constant) in ends.into_iter().flatten() {
                        rows.extend(row_over(&variables, &[(variable, factor)], constant));
                    }
                }
            }
        }
        (variables, rows)
    }

    /// Puts a polyhedron in the place of all that was known of its variables, taken apart where its
    /// constraints fall apart.
    fn put(&mut self, block: Block) {
        for &variable in &block.variables {
            self.singles.remove(&variable);
        }
        self.blocks
            .retain(|old| old.variables.iter().all(|v| block.place(*v).is_none()));
        for part in parts(&block) {
            let of_part = |row: &&Row| {
                let terms = block.terms(row);
                terms.iter().all(|(v, _)| part.contains(v)) && !terms.is_empty()
            };
            let rows = block.constraints.iter().filter(of_part);
            let rows = rows.filter_map(|row| row_over(&part, &block.terms(row), row[0]));
            let rows: Vec<Row> = rows.collect();
            if part.len() == block.variables.len() {
                self.blocks.push(Arc::new(block));
                return self.blocks.sort_by_key(|block| block.variables[0]);
            }
            if let &[variable] = &part[..] {
                let least = |sign: i128| {
                    let row = row_over(&block.variables, &[(variable, sign)], 0)?;
                    block.minimum(&row).ok().flatten().map(Fraction::floor)
                };
                let values = Interval::new(least(1), least(-1).map(|most| -most));
                if values != Interval::TOP {
                    self.singles.insert(variable, values);
                }
            } else if let Ok(Some(small)) = Block::keeping(part, rows) {
                self.blocks.push(Arc::new(small));
            }
        }
        self.blocks.sort_by_key(|block| block.variables[0]);
    }

    /// Restricts to the points that satisfy all inequalities, as far as that is not too large.
    fn add(&mut self, inequalities: Vec<Inequality>) -> Result<(), Empty> {
        for inequality in inequalities {
            if self.holds(&inequality) {
                continue;
            }
            self.add_one(&inequality)?;
        }
        Ok(())
    }

    fn add_one(&mut self, (terms, constant): &Inequality) -> Result<(), Empty> {
        let wanted: BTreeSet<VarId> = terms.iter().map(|&(variable, _)| variable).collect();
        if let &[(variable, factor)] = &terms[..]
            && factor != 0
            && self.block_of(variable).is_none()
        {
            return self.set_single(
                variable,
                self.single(variable).intersect(half(factor, *constant)),
            );
        }
        let (variables, mut rows) = self.gathered(&wanted);
        rows.extend(row_over(&variables, terms, *constant));
        match Block::of_constraints(variables, rows) {
            Ok(Some(block)) => {
                self.put(block);
                Ok(())
            }
            Ok(None) => Err(Empty),
            Err(TooLarge) => self.add_bounds(terms, *constant),
        }
    }

    /// What an inequality says of each of its variables, given the bounds of the others.
    fn add_bounds(&mut self, terms: &[(VarId, i128)], constant: i128) -> Result<(), Empty> {
        if terms.len() < 2 {
            return Ok(());
        }
        for (number, &(variable, factor)) in terms.iter().enumerate() {
            let mut rest = terms.to_vec();
            rest.remove(number);
            rest.iter_mut()
                .for_each(|term| term.1 = term.1.saturating_neg());
            let Some(most) = self.minimum(&rest, 0) else {
                continue;
            };
            // The others are at most this, so that the variable has to do the rest.
            let Some(constant) = constant.checked_sub(most.floor()) else {
                continue;
            };
            let bound = (vec![(variable, factor)], constant);
            if factor != 0 && !self.holds(&bound) {
                if self.block_of(variable).is_none() {
                    let values = self.single(variable).intersect(half(factor, constant));
                    self.set_single(variable, values)?;
                } else {
                    let (variables, mut rows) = self.gathered(&BTreeSet::from([variable]));
                    rows.extend(row_over(&variables, &bound.0, constant));
                    match Block::of_constraints(variables, rows) {
                        Ok(Some(block)) => self.put(block),
                        Ok(None) => return Err(Empty),
                        Err(TooLarge) => {}
                    }
                }
            }
        }
        Ok(())
    }

    /// All that is known, as inequalities.
    fn inequalities(&self) -> Vec<Inequality> {
        let mut found = Vec::new();
        for (&variable, values) in &self.singles {
            found.extend(values.lower().map(|low| (vec![(variable, 1)], -low)));
            found.extend(values.upper().map(|high| (vec![(variable, -1)], high)));
        }
        for block in &self.blocks {
            let rows = block.constraints.iter();
            found.extend(rows.map(|row| (block.terms(row), row[0])));
        }
        found
    }

    /// Keeps only what is known of the chosen variables.
    fn retain(&mut self, keep: &dyn Fn(VarId) -> bool) {
        self.singles.retain(|&variable, _| keep(variable));
        let blocks = std::mem::take(&mut self.blocks);
        for block in blocks {
            if block.variables.iter().all(|&variable| keep(variable)) {
                self.blocks.push(block);
                continue;
            }
            let (variables, generators) = block.projected(keep);
            let bounds: Vec<(VarId, Interval)> = (variables.iter())
                .map(|&variable| {
                    let least = |sign: i128| {
                        let row = row_over(&block.variables, &[(variable, sign)], 0)?;
                        block.minimum(&row).ok().flatten().map(Fraction::floor)
                    };
                    (
                        variable,
                        Interval::new(least(1), least(-1).map(|most| -most)),
                    )
                })
                .collect();
            let smaller = match variables.len() > 1 {
                true => Block::of_generators(variables, generators),
                false => Err(TooLarge),
            };
            match smaller {
                Ok(Some(smaller)) => self.put(smaller),
                _ => {
                    let known = bounds.into_iter().filter(|(_, it)| *it != Interval::TOP);
                    self.singles.extend(known);
                }
            }
        }
        self.blocks.sort_by_key(|block| block.variables[0]);
    }
}

/// Values of `x` with `constant + factor·x >= 0`.
fn half(factor: i128, constant: i128) -> Interval {
    match factor > 0 {
        true => Interval::at_least(-constant.div_euclid(factor)),
        false => Interval::at_most(constant.div_euclid(factor.saturating_neg())),
    }
}

/// The variables of a block in groups that its constraints relate; those that none mentions are in
/// none.
fn parts(block: &Block) -> Vec<Vec<VarId>> {
    let mut groups: Vec<BTreeSet<VarId>> = Vec::new();
    for row in &block.constraints {
        let mut own: BTreeSet<VarId> = block.terms(row).into_iter().map(|term| term.0).collect();
        let (joined, apart): (Vec<_>, Vec<_>) =
            (groups.into_iter()).partition(|group| !group.is_disjoint(&own));
        own.extend(joined.into_iter().flatten());
        groups = apart;
        groups.push(own);
    }
    let groups = groups.into_iter().filter(|group| !group.is_empty());
    groups.map(|group| group.into_iter().collect()).collect()
}

impl Bounds for Polyhedra {
    fn interval(&self, variable: VarId) -> Interval {
        match &self.state {
            Some(state) => state.values(&[(variable, 1)], 0),
            None => Interval::EMPTY,
        }
    }

    fn evaluate(&self, form: &LinearForm) -> Interval {
        let Some(state) = &self.state else {
            return Interval::EMPTY;
        };
        if form.is_empty() {
            return Interval::EMPTY;
        }
        let (terms, rest) = transfer::exact_part(state, form);
        state.values(&terms, 0).plus(rest)
    }
}

impl PartialEq for Polyhedra {
    fn eq(&self, other: &Self) -> bool {
        self.leq(other) && other.leq(self)
    }
}

impl fmt::Debug for Polyhedra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.constraints()).finish()
    }
}
