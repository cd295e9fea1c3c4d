//! Assignments and tests of linear forms on polyhedra.
//!
//! A form whose coefficients are numbers and whose constant lies in an interval is exact. A term
//! with a coefficient that is no single number counts with the interval of its values.

use std::collections::BTreeSet;
use std::hash::Hasher;

use super::block::{Block, row_over, tightened};
use super::cone::{Row, TooLarge, product};
use super::{Inequality, Polyhedra, State};
use crate::expression::Expression;
use crate::interval::Interval;
use crate::linear::{Bounds, Constraint, LinearForm, Relation, VarId};
use crate::numeric::{Condition, LinearDomain, NumericDomain};

/// Coefficients beyond this are intervals like others: a bound is what they are good for.
const LARGE: i128 = 1 << 24;

/// The terms with exact coefficients, and an interval for all the rest of the form.
pub(super) fn exact_part(state: &State, form: &LinearForm) -> (Vec<(VarId, i128)>, Interval) {
    let mut rest = form.constant_term();
    let mut terms = Vec::new();
    for &(variable, coefficient) in form.terms() {
        match coefficient.as_constant() {
            Some(factor) if factor.abs() <= LARGE => terms.push((variable, factor)),
            _ => rest = rest.plus(coefficient.times(state.values(&[(variable, 1)], 0))),
        }
    }
    (terms, rest)
}

/// Divided by the common factor of the coefficients, as tight as integers allow; `None` if it is
/// about no variable.
fn tight(terms: &[(VarId, i128)], constant: i128) -> Option<Inequality> {
    let row: Row = std::iter::once(constant)
        .chain(terms.iter().map(|term| term.1))
        .collect();
    let row = tightened(row)?;
    let terms = terms.iter().zip(&row[1..]);
    let terms = terms.map(|(term, &factor)| (term.0, factor)).collect();
    Some((terms, row[0]))
}

impl Polyhedra {
    /// `variable := form`.
    pub fn assign_form(&mut self, variable: VarId, form: &LinearForm) {
        if form.is_empty() {
            *self = Polyhedra::bottom();
            return;
        }
        let value = self.evaluate(form);
        self.update(|state| {
            let (terms, rest) = exact_part(state, form);
            if value.as_constant().is_some()
                || terms.is_empty()
                || state.assign(variable, &terms, rest).is_err()
            {
                state.retain(&|other| other != variable);
                state.set_single(variable, value)?;
            }
            Ok(())
        });
    }

    /// Restricts to states in which some value of the form has the relation to zero.
    pub fn assume_form(&mut self, form: &LinearForm, relation: Relation) {
        self.restrict(form, relation);
    }

    fn assume_at_most_zero(&mut self, form: &LinearForm) {
        if self.evaluate(form).lower().is_some_and(|low| low > 0) {
            *self = Polyhedra::bottom();
            return;
        }
        self.update(|state| {
            let (terms, rest) = exact_part(state, form);
            let negated: Vec<_> = terms.iter().map(|&(v, c)| (v, -c)).collect();
            let constant = rest.lower().and_then(i128::checked_neg);
            match constant.and_then(|constant| tight(&negated, constant)) {
                Some(inequality) => state.add(vec![inequality]),
                None => Ok(()),
            }
        });
    }
}

impl State {
    /// `variable := Σ terms + rest`, unless that is too large.
    fn assign(
        &mut self,
        variable: VarId,
        terms: &[(VarId, i128)],
        rest: Interval,
    ) -> Result<(), TooLarge> {
        let (low, high) = (rest.lower(), rest.upper());
        let base = low.or(high).ok_or(TooLarge)?;
        if let &[(source, 1)] = terms
            && source == variable
            && self.block_of(variable).is_none()
        {
            let shifted = self.single(variable).plus(rest);
            return self.set_single(variable, shifted).map_err(|_| TooLarge);
        }
        let mut before = self.clone();
        if !terms.iter().any(|term| term.0 == variable) {
            before.retain(&|other| other != variable);
        }
        let mut wanted: BTreeSet<VarId> = terms.iter().map(|term| term.0).collect();
        wanted.insert(variable);
        let (variables, rows) = before.gathered(&wanted);
        let block = Block::keeping(variables, rows)?.ok_or(TooLarge)?;
        let mut generators = block.generators;
        let place = block
            .variables
            .binary_search(&variable)
            .map_err(|_| TooLarge)?
            + 1;
        let form = row_over(&block.variables, terms, base).ok_or(TooLarge)?;
        for row in generators.lines.iter_mut().chain(&mut generators.rays) {
            row[place] = product(&form, row)?;
        }
        let direction = |sign: i128| {
            let mut row = vec![0; block.variables.len() + 1];
            row[place] = sign;
            row
        };
        match (low, high) {
            (Some(low), Some(high)) if low < high => {
                let mut moved: Vec<Row> = Vec::new();
                for row in generators.rays.iter().filter(|row| row[0] > 0) {
                    let mut row = row.clone();
                    let by = high.checked_sub(low).and_then(|by| by.checked_mul(row[0]));
                    row[place] = by
                        .and_then(|by| by.checked_add(row[place]))
                        .ok_or(TooLarge)?;
                    moved.push(row);
                }
                generators.rays.extend(moved);
            }
            (Some(_), None) => generators.rays.push(direction(1)),
            (None, Some(_)) => generators.rays.push(direction(-1)),
            _ => {}
        }
        for rows in [&mut generators.lines, &mut generators.rays] {
            rows.retain(|row| row.iter().any(|x| *x != 0));
        }
        let after = Block::of_generators(block.variables, generators)?.ok_or(TooLarge)?;
        *self = before;
        self.put(after);
        Ok(())
    }
}

impl LinearDomain for Polyhedra {
    fn set_bottom(&mut self) {
        *self = Polyhedra::bottom();
    }

    fn take_form(&mut self, variable: VarId, form: &LinearForm) {
        self.assign_form(variable, form);
    }

    fn at_most_zero(&mut self, form: &LinearForm) {
        self.assume_at_most_zero(form);
    }
}

impl NumericDomain for Polyhedra {
    fn assign(&mut self, variable: VarId, value: &Expression) {
        self.assign_linear(variable, value);
    }

    fn assume(&mut self, condition: &Condition) {
        self.assume_linear(condition);
    }

    fn forget(&mut self, variable: VarId) {
        self.retain(&|other| other != variable);
    }

    fn retain(&mut self, keep: &dyn Fn(VarId) -> bool) {
        self.update(|state| {
            state.retain(keep);
            Ok(())
        });
    }

    fn rename(&mut self, rename: &dyn Fn(VarId) -> VarId) {
        self.update(|state| {
            let old = std::mem::take(state);
            let singles = old.singles.into_iter();
            state.singles = singles
                .map(|(variable, it)| (rename(variable), it))
                .collect();
            for block in old.blocks {
                let mut variables: Vec<VarId> =
                    block.variables.iter().copied().map(rename).collect();
                variables.sort_unstable();
                let moved = |rows: &[Row]| {
                    let rows = rows.iter().filter_map(|row| {
                        let terms = block.terms(row).into_iter();
                        let terms: Vec<_> = terms.map(|(v, c)| (rename(v), c)).collect();
                        row_over(&variables, &terms, row[0])
                    });
                    rows.collect::<Vec<Row>>()
                };
                let (lines, rays) = (
                    moved(&block.generators.lines),
                    moved(&block.generators.rays),
                );
                let constraints = moved(&block.constraints);
                state.blocks.push(std::sync::Arc::new(Block {
                    generators: super::cone::System { lines, rays },
                    constraints,
                    variables: variables.clone(),
                }));
            }
            state.blocks.sort_by_key(|block| block.variables[0]);
            Ok(())
        });
    }

    fn assume_interval(&mut self, variable: VarId, interval: Interval) {
        if interval.is_empty() {
            *self = Polyhedra::bottom();
            return;
        }
        self.update(|state| {
            let low = interval.lower().map(|low| (vec![(variable, 1)], -low));
            let high = interval.upper().map(|high| (vec![(variable, -1)], high));
            state.add(low.into_iter().chain(high).collect())
        });
    }

    fn constraints(&self) -> Vec<Constraint> {
        Polyhedra::constraints(self)
    }

    fn fingerprint(&self, hasher: &mut dyn Hasher) {
        Polyhedra::fingerprint(self, hasher);
    }
}
