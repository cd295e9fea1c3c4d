//! One polyhedron over a few related variables, by constraints and by generators at the same time.

use super::cone::{Row, System, TooLarge, dual, gcd, product};
use crate::linear::VarId;

/// Variables that one polyhedron relates.
pub(super) const MAX_VARIABLES: usize = 7;
/// Constraints of one polyhedron.
const MAX_CONSTRAINTS: usize = 60;
/// The size of coefficients; a constraint with a greater one is left out.
const MAX_COEFFICIENT: i128 = 1 << 28;

/// A fraction with a positive denominator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fraction {
    pub over: i128,
    pub under: i128,
}

impl Fraction {
    pub fn whole(value: i128) -> Self {
        Fraction {
            over: value,
            under: 1,
        }
    }

    /// The sum; nothing if its numbers are too large.
    pub fn plus(self, other: Self) -> Option<Self> {
        let a = self.over.checked_mul(other.under)?;
        let b = other.over.checked_mul(self.under)?;
        let (over, under) = (a.checked_add(b)?, self.under.checked_mul(other.under)?);
        let common = gcd(over, under).max(1);
        Some(Fraction {
            over: over / common,
            under: under / common,
        })
    }

    fn is_less(self, other: Self) -> Result<bool, TooLarge> {
        let a = self.over.checked_mul(other.under).ok_or(TooLarge)?;
        let b = other.over.checked_mul(self.under).ok_or(TooLarge)?;
        Ok(a < b)
    }

    pub fn ceil(self) -> i128 {
        self.floor() + i128::from(self.over.rem_euclid(self.under) != 0)
    }

    pub fn floor(self) -> i128 {
        self.over.div_euclid(self.under)
    }
}

/// A non-empty polyhedron over at least two variables.
///
/// A row of constraints or generators has its constant (for generators: the common denominator, zero
/// for a direction) first and then one number for each variable. A constraint is `c + Σ aᵢ·xᵢ >= 0`.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub variables: Vec<VarId>,
    /// Inequalities, redundant ones perhaps among them: those that widening may keep.
    pub constraints: Vec<Row>,
    pub generators: System,
}

/// A constraint with whole numbers only, as tight as its integer points allow; `None` if it says
/// nothing.
pub(super) fn tightened(mut row: Row) -> Option<Row> {
    let common = row[1..].iter().fold(0, |common, &x| gcd(common, x));
    if common == 0 {
        return None;
    }
    row[0] = row[0].div_euclid(common);
    row[1..].iter_mut().for_each(|x| *x /= common);
    Some(row)
}

fn is_small(row: &Row) -> bool {
    row[1..].iter().all(|x| x.abs() <= MAX_COEFFICIENT)
}

impl Block {
    /// The polyhedron of these constraints, which are kept as they are; `None` if there is no point.
    pub fn keeping(
        variables: Vec<VarId>,
        constraints: Vec<Row>,
    ) -> Result<Option<Block>, TooLarge> {
        if variables.len() > MAX_VARIABLES {
            return Err(TooLarge);
        }
        let mut first = vec![0; variables.len() + 1];
        first[0] = 1;
        let mut system = System {
            lines: Vec::new(),
            rays: vec![first],
        };
        // Opposite constraints are an equality, which makes the way shorter.
        let is_opposite = |a: &Row, b: &Row| a.iter().zip(b).all(|(x, y)| *x == -*y);
        for (number, row) in constraints.iter().enumerate() {
            if constraints[..number].iter().any(|b| is_opposite(row, b)) {
                continue;
            }
            match constraints[number + 1..]
                .iter()
                .any(|b| is_opposite(row, b))
            {
                true => system.lines.push(row.clone()),
                false => system.rays.push(row.clone()),
            }
        }
        let generators = dual(variables.len() + 1, &system)?;
        let has_point = generators.rays.iter().any(|ray| ray[0] > 0);
        Ok(has_point.then_some(Block {
            variables,
            constraints,
            generators,
        }))
    }

    /// The polyhedron of these constraints, without those that follow from others.
    pub fn of_constraints(
        variables: Vec<VarId>,
        constraints: Vec<Row>,
    ) -> Result<Option<Block>, TooLarge> {
        match Block::keeping(variables, constraints)? {
            Some(block) => Block::of_generators(block.variables, block.generators),
            None => Ok(None),
        }
    }

    /// The polyhedron that these generators span, or a larger one where its constraints would be too
    /// many or too large.
    pub fn of_generators(
        variables: Vec<VarId>,
        generators: System,
    ) -> Result<Option<Block>, TooLarge> {
        if variables.len() > MAX_VARIABLES {
            return Err(TooLarge);
        }
        let found = dual(variables.len() + 1, &generators)?;
        let mut constraints: Vec<Row> = Vec::new();
        for row in found.lines {
            let opposite = row.iter().map(|x| -x).collect();
            constraints.extend([row, opposite]);
        }
        constraints.extend(found.rays);
        let count = constraints.len();
        constraints.retain(|row| row[1..].iter().any(|x| *x != 0));
        let meaningful = constraints.len();
        constraints.retain(is_small);
        let mut changes = constraints.len() < meaningful;
        if count > MAX_CONSTRAINTS {
            constraints.retain(|row| row[1..].iter().filter(|x| **x != 0).count() <= 2);
            constraints.truncate(MAX_CONSTRAINTS);
            changes = true;
        }
        let block = match changes {
            true => Block::keeping(variables, constraints)?,
            false => Some(Block {
                variables,
                constraints,
                generators,
            }),
        };
        Ok(block.map(Block::with_bounds))
    }

    /// Says the bounds of single variables, so that widening can keep each of them.
    fn with_bounds(mut self) -> Block {
        for place in 0..self.variables.len() {
            for sign in [1, -1] {
                let mut row = vec![0; self.variables.len() + 1];
                row[place + 1] = sign;
                if let Ok(Some(least)) = self.minimum(&row) {
                    row[0] = -least.over;
                    row[place + 1] = sign * least.under;
                    if is_small(&row) && !self.constraints.contains(&row) {
                        self.constraints.push(row);
                    }
                }
            }
        }
        self
    }

    pub fn place(&self, variable: VarId) -> Option<usize> {
        self.variables.binary_search(&variable).ok()
    }

    /// The least value of `row[0] + Σ row[i]·xᵢ`, `None` without bound.
    pub fn minimum(&self, row: &[i128]) -> Result<Option<Fraction>, TooLarge> {
        for line in &self.generators.lines {
            if product(row, line)? != 0 {
                return Ok(None);
            }
        }
        let mut least: Option<Fraction> = None;
        for ray in &self.generators.rays {
            let over = product(row, ray)?;
            if ray[0] == 0 {
                if over < 0 {
                    return Ok(None);
                }
                continue;
            }
            let value = Fraction {
                over,
                under: ray[0],
            };
            let is_less = match least {
                Some(least) => value.is_less(least)?,
                None => true,
            };
            if is_less {
                least = Some(value);
            }
        }
        Ok(least)
    }

    /// The terms of a row.
    pub fn terms(&self, row: &[i128]) -> Vec<(VarId, i128)> {
        let terms = self.variables.iter().copied().zip(row[1..].iter().copied());
        terms.filter(|(_, factor)| *factor != 0).collect()
    }

    /// The generators without some of the variables: the projection.
    pub fn projected(&self, keep: impl Fn(VarId) -> bool) -> (Vec<VarId>, System) {
        let kept: Vec<usize> = (0..self.variables.len())
            .filter(|&place| keep(self.variables[place]))
            .collect();
        let shorter = |rows: &[Row]| {
            let shorter = rows.iter().map(|row| {
                let rest = kept.iter().map(|&place| row[place + 1]);
                std::iter::once(row[0]).chain(rest).collect::<Row>()
            });
            shorter.filter(|row| row.iter().any(|x| *x != 0)).collect()
        };
        let variables = kept.iter().map(|&place| self.variables[place]).collect();
        let generators = System {
            lines: shorter(&self.generators.lines),
            rays: shorter(&self.generators.rays),
        };
        (variables, generators)
    }
}

/// The row of a constraint over these variables; `None` if it has another one.
pub(super) fn row_over(
    variables: &[VarId],
    terms: &[(VarId, i128)],
    constant: i128,
) -> Option<Row> {
    let mut row = vec![0; variables.len() + 1];
    row[0] = constant;
    for &(variable, factor) in terms {
        let place = variables.binary_search(&variable).ok()?;
        row[place + 1] = factor;
    }
    Some(row)
}
