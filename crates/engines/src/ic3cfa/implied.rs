//! Literals that the others of a cube imply, found without a question.
//!
//! A cube says `x == 3` and, because of the branches that were not taken on the way, also `x != 1`
//! and `x != 2`. Those that follow from an equality with a constant are left out of cubes of
//! states: they cost a question each when the cube is generalised, and keep it from being the same
//! as others. Where a frame is compared with a cube, they count as literals of it. Two that
//! contradict each other make a question of the main loop unnecessary (section 7.2, first
//! proposal).

use super::Search;
use logic::{Cube, Op, Term, TermPool};
use rustc_hash::FxHashMap;

/// The terms that a cube says the value of.
#[derive(Default)]
pub(super) struct Pinned {
    /// The value, and the literal that says it.
    values: FxHashMap<Term, (Term, Term)>,
}

/// Why a literal has one truth value in all states of a cube: the equalities that say so.
pub(super) struct Decided {
    pub(super) holds: bool,
    pub(super) because: Vec<Term>,
}

/// The literal as an equality of a term with a constant.
fn equality(pool: &TermPool, literal: Term) -> Option<(Term, Term)> {
    if pool.op(literal) != Op::Eq {
        return None;
    }
    let &[a, b] = pool.args(literal) else {
        return None;
    };
    match (pool.as_u128(a), pool.as_u128(b)) {
        (Some(_), None) => Some((b, a)),
        (None, Some(_)) => Some((a, b)),
        _ => None,
    }
}

impl Pinned {
    pub(super) fn of(pool: &TermPool, literals: &[Term]) -> Pinned {
        let mut values = FxHashMap::default();
        for &literal in literals {
            if let Some((term, value)) = equality(pool, literal) {
                values.entry(term).or_insert((value, literal));
            }
        }
        Pinned { values }
    }

    /// The terms that have a value.
    pub(super) fn terms(&self) -> impl Iterator<Item = Term> {
        self.values.keys().copied()
    }

    /// The value of the term, and the literal that says it unless it is a constant.
    fn value(&self, pool: &TermPool, term: Term) -> Option<(u128, Option<Term>)> {
        if let Some(value) = pool.as_u128(term) {
            return Some((value, None));
        }
        let &(value, literal) = self.values.get(&term)?;
        Some((pool.as_u128(value)?, Some(literal)))
    }

    /// Whether the literal, which is not one of the equalities, holds.
    pub(super) fn decide(&self, pool: &TermPool, literal: Term) -> Option<Decided> {
        if self.values.is_empty() {
            return None;
        }
        let (atom, positive) = pool.strip_not(literal);
        let op = pool.op(atom);
        if !matches!(op, Op::Eq | Op::Ult | Op::Slt) {
            return None;
        }
        let &[a, b] = pool.args(atom) else {
            return None;
        };
        let (left, because_left) = self.value(pool, a)?;
        let (right, because_right) = self.value(pool, b)?;
        let because: Vec<Term> = because_left.into_iter().chain(because_right).collect();
        if because.contains(&literal) {
            return None;
        }
        let holds = match op {
            Op::Eq => left == right,
            Op::Ult => left < right,
            _ => {
                let sign = 1u128.checked_shl(pool.width(a) - 1)?;
                (left ^ sign) < (right ^ sign)
            }
        };
        Some(Decided {
            holds: holds == positive,
            because,
        })
    }

    /// The cube without what its equalities imply.
    pub(super) fn without_implied(pool: &TermPool, cube: &Cube) -> Cube {
        let pinned = Pinned::of(pool, cube.literals());
        cube.filtered(|literal| {
            let decided = pinned.decide(pool, literal);
            !decided.is_some_and(|decided| decided.holds)
        })
    }

    /// Literals of the cube that contradict one another, if an equality shows it.
    pub(super) fn contradiction(pool: &TermPool, cube: &Cube) -> Option<Cube> {
        let pinned = Pinned::of(pool, cube.literals());
        cube.literals().iter().find_map(|&literal| {
            let decided = pinned.decide(pool, literal)?;
            let because = decided.because.into_iter().chain([literal]);
            (!decided.holds).then(|| because.collect())
        })
    }

    /// The given literals that follow from the equalities.
    pub(super) fn implied(&self, pool: &TermPool, literals: &[Term]) -> Vec<Term> {
        let holds = |literal: Term| self.decide(pool, literal).is_some_and(|found| found.holds);
        literals.iter().copied().filter(|&one| holds(one)).collect()
    }
}

impl Search<'_> {
    /// The cube with the literals of the node's frames that its equalities imply.
    pub(super) fn with_implied(&self, node: usize, cube: &Cube) -> Cube {
        if !self.options.implied_literals {
            return cube.clone();
        }
        let pool = &self.encoder.pool;
        let pinned = Pinned::of(pool, cube.literals());
        let mut more = Vec::new();
        for term in pinned.terms() {
            more.extend(pinned.implied(pool, self.frames[node].comparisons(term)));
        }
        match more.is_empty() {
            true => cube.clone(),
            false => cube.union(&more.into_iter().collect()),
        }
    }

    /// Is the cube, or one that it implies, blocked at the level?
    pub(super) fn is_blocked(&self, node: usize, cube: &Cube, level: u32) -> bool {
        self.frames[node].blocks(&self.with_implied(node, cube), level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{BvValue, Model, Sort, Value};
    use proptest::prelude::*;

    const WIDTH: u32 = 3;

    fn literal(pool: &mut TermPool, (shape, a, b): (u8, u8, u8)) -> Term {
        let mut operand = |number: u8| match number % 10 {
            8 => pool.var("x", Sort::BitVec(WIDTH)),
            9 => pool.var("y", Sort::BitVec(WIDTH)),
            number => pool.bv(WIDTH, u128::from(number)),
        };
        let (a, b) = (operand(a), operand(b));
        let atom = match shape % 3 {
            0 => pool.eq(a, b),
            1 => pool.ult(a, b),
            _ => pool.slt(a, b),
        };
        if shape < 3 { atom } else { pool.not(atom) }
    }

    proptest! {
        /// Cubes with and without implied literals have the same states.
        #[test]
        fn implied_literals_change_no_state(
            shapes in proptest::collection::vec((0u8..6, 0u8..10, 0u8..10), 1..6),
            more in proptest::collection::vec((0u8..6, 0u8..10, 0u8..10), 0..6),
        ) {
            let mut pool = TermPool::new();
            let cube: Cube = shapes.iter().map(|&shape| literal(&mut pool, shape)).collect();
            let more: Vec<Term> = more.iter().map(|&shape| literal(&mut pool, shape)).collect();
            let fewer = Pinned::without_implied(&pool, &cube);
            let pinned = Pinned::of(&pool, cube.literals());
            let extended = cube.union(&pinned.implied(&pool, &more).into_iter().collect());
            prop_assert!(fewer.is_subset(&cube) && cube.is_subset(&extended));
            let variables = ["x", "y"].map(|name| pool.var(name, Sort::BitVec(WIDTH)));
            for number in 0..64u128 {
                let mut model = Model::new();
                for (variable, bits) in variables.into_iter().zip([number & 7, number >> 3]) {
                    model.set(variable, Value::Bv(BvValue::new(WIDTH, bits)));
                }
                let holds = |cube: &Cube| {
                    let mut literals = cube.literals().iter();
                    literals.all(|&literal| pool.eval(literal, &model).as_bool() == Some(true))
                };
                prop_assert_eq!(holds(&cube), holds(&fewer));
                prop_assert_eq!(holds(&cube), holds(&extended));
            }
        }
    }

    #[test]
    fn a_value_implies_that_it_is_no_other() {
        let mut pool = TermPool::new();
        let x = pool.var("x", Sort::BitVec(32));
        let numbers = [1, 2, 3].map(|number| pool.bv(32, number));
        let is_three = pool.eq(x, numbers[2]);
        let others = [pool.ne(x, numbers[0]), pool.ult(numbers[1], x)];
        let cube = Cube::from_iter([is_three, others[0], others[1]]);
        let only = Cube::from_iter([is_three]);
        assert_eq!(Pinned::without_implied(&pool, &cube), only);
        let pinned = Pinned::of(&pool, only.literals());
        assert_eq!(pinned.implied(&pool, &others), others);
    }
}
