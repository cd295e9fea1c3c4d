//! Affine equalities modulo a power of two: conjunctions of `Σ aᵢ·xᵢ + c ≡ 0 (mod 2^w)`.
//!
//! M. Müller-Olm, H. Seidl, *Analysis of modular arithmetic*, TOPLAS 29 (2007); A. King, H. Søndergaard, *Inferring
//! congruence equations using SAT*, CAV 2008; M. Elder et al., *Abstract domains of affine relations*, TOPLAS 36 (2014),
//! section 3 (the domain KS). Exact under wrap-around: reduction modulo `2^w` commutes with addition and multiplication, and
//! a value that was wrapped to `v <= w` bits satisfies its equation modulo `2^v`, which is the equation times `2^(w-v)`
//! modulo `2^w`. So one domain with `w = 64` serves all narrower types, signed or not.
//!
//! | paper | here |
//! |---|---|
//! | KS element, matrix in Howell form | [`AffineEqualities`], [`howell::Howell`] |
//! | projection: move the column to the front, drop the rows that lead there | [`AffineEqualities::forget`] |
//! | join: rows of `[A A; B 0]` that are zero in the first half | `join` |
//!
//! Rows are sparse, so a variable that no equation mentions costs nothing.

mod howell;

use std::fmt;
use std::sync::Arc;

use howell::{Column, Howell, Ring, Row};

use crate::congruence::Congruence;
use crate::expression::{BinaryOperator, Expression, Node, UnaryOperator};
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::{Bounds, Constraint, VarId};
use crate::numeric::{Condition, NumericDomain};
use crate::value::Comparison;

/// The column of a new value while the old one can still be read, behind all variables.
const FRESH: Column = 1 << 32;
/// The column of the constant terms.
const CONSTANT: Column = 1 << 33;
/// Added to a column for its copy in the right half of a matrix of double width.
const SECOND_HALF: Column = 1 << 34;

fn column(variable: VarId) -> Column {
    Column::from(variable.0)
}

fn variable(column: Column) -> Option<VarId> {
    u32::try_from(column).ok().map(VarId)
}

/// A set of states of integer variables that satisfy affine equalities modulo `2^width`.
///
/// The matrix is in its unique form, so equality is equality of sets. Copies share it until one is changed.
#[derive(Clone, PartialEq)]
pub struct AffineEqualities {
    ring: Ring,
    /// `None` if there is no state at all.
    equations: Option<Arc<Howell>>,
}

/// `value ≡ Σ terms + constant (mod 2^precision)`.
#[derive(Clone, Debug)]
struct Affine {
    row: Row,
    /// Zero says nothing.
    precision: u32,
    /// The number itself, if it is written in the expression.
    literal: Option<i128>,
}

impl Affine {
    fn new(row: Row, precision: u32) -> Self {
        Affine {
            row,
            precision,
            literal: None,
        }
    }
}

impl AffineEqualities {
    /// All states; `None` unless `1 <= width <= 64`.
    pub fn top(width: u32) -> Option<Self> {
        (1..=64).contains(&width).then(|| {
            let ring = Ring { width };
            AffineEqualities {
                ring,
                equations: Some(Arc::new(Howell::new(ring))),
            }
        })
    }

    pub fn width(&self) -> u32 {
        self.ring.width
    }

    fn empty(&self) -> Self {
        AffineEqualities {
            ring: self.ring,
            equations: None,
        }
    }

    fn of(matrix: Howell) -> Self {
        let ring = matrix.ring();
        // A row that leads in the constant's column says that a non-zero number is zero.
        let contradictory = matrix
            .rows()
            .last()
            .and_then(Row::leading_column)
            .is_some_and(|c| c == CONSTANT);
        AffineEqualities {
            ring,
            equations: (!contradictory).then(|| Arc::new(matrix)),
        }
    }

    fn rows(&self) -> &[Row] {
        self.equations.as_ref().map_or(&[], |h| h.rows())
    }

    /// Adds equations `row ≡ 0`.
    fn add_rows(&mut self, rows: impl IntoIterator<Item = Row>) {
        let Some(equations) = self.equations.take() else {
            return;
        };
        let mut matrix = Arc::unwrap_or_clone(equations);
        matrix.insert(rows);
        *self = Self::of(matrix);
    }

    /// Adds `Σ terms + constant ≡ 0 (mod 2^bits)`.
    pub fn assume_equality(&mut self, terms: &[(VarId, i128)], constant: i128, bits: u32) {
        let row = self.exact_row(terms, constant);
        self.assume_affine(&Affine::new(row, bits.min(self.ring.width)));
    }

    /// `target := Σ terms + constant`, exact modulo `2^width`.
    pub fn assign_affine(&mut self, target: VarId, terms: &[(VarId, i128)], constant: i128) {
        let row = self.exact_row(terms, constant);
        self.assign_row(target, &Affine::new(row, self.ring.width));
    }

    fn exact_row(&self, terms: &[(VarId, i128)], constant: i128) -> Row {
        // Truncation is reduction modulo 2^64.
        let entries = terms.iter().map(|&(v, c)| (column(v), c as u64));
        self.ring.row(entries.chain([(CONSTANT, constant as u64)]))
    }

    fn assume_affine(&mut self, form: &Affine) {
        if form.precision > 0 {
            let factor = 1 << (self.ring.width - form.precision);
            self.add_rows([self.ring.scale(&form.row, factor)]);
        }
    }

    fn assign_row(&mut self, target: VarId, form: &Affine) {
        let own = form.row.entry(column(target));
        if form.precision == self.ring.width && own % 2 == 1 {
            self.substitute(target, &form.row, own);
            return;
        }
        let difference = self
            .ring
            .subtract(&form.row, 1, &self.ring.row([(FRESH, 1)]));
        self.assume_affine(&Affine::new(difference, form.precision));
        self.forget(target);
        self.rekey(|c| if c == FRESH { column(target) } else { c });
    }

    /// `target := own·target + rest` with `own` odd: the old value is `(target - rest) / own` in every equation.
    fn substitute(&mut self, target: VarId, form: &Row, own: u64) {
        let (ring, place) = (self.ring, column(target));
        let inverse = ring.inverse(own);
        // form - own·target = rest
        let rest = ring.subtract(form, own, &ring.row([(place, 1)]));
        let old_value = ring.scale(&ring.subtract(&ring.row([(place, 1)]), 1, &rest), inverse);
        let mut matrix = Howell::new(ring);
        matrix.insert(self.rows().iter().map(|row| {
            let factor = row.entry(place);
            let without = ring.subtract(row, factor, &ring.row([(place, 1)]));
            ring.subtract(&without, factor.wrapping_neg() & ring.mask(), &old_value)
        }));
        if self.equations.is_some() {
            *self = Self::of(matrix);
        }
    }

    /// Gives columns other numbers, no two the same.
    fn rekey(&mut self, rename: impl Fn(Column) -> Column) {
        if self.equations.is_none() {
            return;
        }
        let mut matrix = Howell::new(self.ring);
        let ring = self.ring;
        matrix.insert(
            self.rows()
                .iter()
                .map(|r| ring.row(r.entries.iter().map(|&(c, e)| (rename(c), e)))),
        );
        *self = Self::of(matrix);
    }

    /// Removes all knowledge about a variable: the exact projection.
    pub fn forget(&mut self, target: VarId) {
        let place = column(target);
        if self.equations.is_none() || self.rows().iter().all(|r| r.entry(place) == 0) {
            return;
        }
        let (with, without): (Vec<Row>, Vec<Row>) = self
            .rows()
            .iter()
            .cloned()
            .partition(|r| r.entry(place) != 0);
        // With the variable's column in front of all others, the rows that do not lead there are the projection.
        let ring = self.ring;
        let mut front = Howell::new(ring);
        front.insert(with.iter().map(|row| {
            ring.row(
                row.entries
                    .iter()
                    .map(|&(c, e)| (if c == place { 0 } else { c + 1 }, e)),
            )
        }));
        let projected = front
            .rows()
            .iter()
            .filter(|r| r.leading_column() != Some(0))
            .map(|row| Row {
                entries: row.entries.iter().map(|&(c, e)| (c - 1, e)).collect(),
            });
        let mut matrix = Howell::new(ring);
        matrix.insert(without.into_iter().chain(projected));
        *self = Self::of(matrix);
    }

    /// The affine value of an expression, as far as it has one.
    fn affine_of(&self, expression: &Expression) -> Affine {
        let ring = self.ring;
        let unknown = || Affine::new(ring.row([]), 0);
        let constant = |value: i128| Affine {
            row: ring.row([(CONSTANT, value as u64)]),
            precision: ring.width,
            literal: Some(value),
        };
        let mut done: Vec<Affine> = Vec::with_capacity(expression.nodes().len());
        for node in expression.nodes() {
            let at = |index: u32| &done[index as usize];
            let result = match *node {
                Node::Constant(values) => values.as_constant().map_or_else(unknown, constant),
                Node::Variable(v) => Affine::new(ring.row([(column(v), 1)]), ring.width),
                Node::Unary(UnaryOperator::Negate, a) => self.scaled(at(a), ring.mask()),
                Node::Unary(UnaryOperator::BitNot, a) => {
                    self.sum(&self.scaled(at(a), ring.mask()), &constant(-1), 1)
                }
                Node::Binary(operator, a, b) => self
                    .affine_binary(operator, at(a), at(b))
                    .unwrap_or_else(unknown),
                Node::Wrap(to, a) => {
                    Affine::new(at(a).row.clone(), at(a).precision.min(to.width()))
                }
            };
            done.push(result);
        }
        done.pop().unwrap_or_else(unknown)
    }

    fn sum(&self, a: &Affine, b: &Affine, factor: u64) -> Affine {
        Affine::new(
            self.ring
                .subtract(&a.row, factor.wrapping_neg() & self.ring.mask(), &b.row),
            a.precision.min(b.precision),
        )
    }

    /// A factor that is a multiple of `2^k` makes `k` more bits of the product certain.
    fn scaled(&self, a: &Affine, factor: u64) -> Affine {
        let gained = (factor & self.ring.mask()).trailing_zeros();
        Affine::new(
            self.ring.scale(&a.row, factor),
            a.precision.saturating_add(gained).min(self.ring.width),
        )
    }

    /// The value of an affine form in all states, if it is one number modulo `2^width`.
    fn constant_of(&self, form: &Affine) -> Option<u64> {
        if form.precision < self.ring.width {
            return None;
        }
        let reduced = self.equations.as_ref()?.reduce(&form.row);
        match reduced.entries.as_slice() {
            [] => Some(0),
            &[(CONSTANT, value)] => Some(value),
            _ => None,
        }
    }

    fn affine_binary(&self, operator: BinaryOperator, a: &Affine, b: &Affine) -> Option<Affine> {
        use BinaryOperator::*;
        match operator {
            Add => Some(self.sum(a, b, 1)),
            Subtract => Some(self.sum(a, b, self.ring.mask())),
            Multiply => match (self.constant_of(a), self.constant_of(b)) {
                (Some(factor), _) => Some(self.scaled(b, factor)),
                (_, Some(factor)) => Some(self.scaled(a, factor)),
                _ => None,
            },
            ShiftLeft => {
                let amount = b
                    .literal
                    .filter(|k| (0..i128::from(self.ring.width)).contains(k))?;
                Some(self.scaled(a, 1 << amount))
            }
            // `x & (2^k - 1)` and `x % 2^k` are congruent to `x` modulo `2^k`.
            BitAnd => {
                let (form, mask) = match (a.literal, b.literal) {
                    (_, Some(mask)) => (a, mask),
                    (Some(mask), _) => (b, mask),
                    _ => return None,
                };
                let bits = mask.trailing_ones();
                Some(Affine::new(form.row.clone(), form.precision.min(bits)))
            }
            Remainder => {
                let bits = b.literal.filter(|&d| d != 0)?.trailing_zeros();
                Some(Affine::new(a.row.clone(), a.precision.min(bits)))
            }
            _ => None,
        }
    }

    /// The congruence of an affine form: the largest power of two modulo which it is one number.
    fn congruence_of_form(&self, form: &Affine) -> Congruence {
        let Some(equations) = &self.equations else {
            return Congruence::EMPTY;
        };
        for bits in (1..=form.precision.min(self.ring.width)).rev() {
            let shift = self.ring.width - bits;
            let reduced = equations.reduce(&self.ring.scale(&form.row, 1 << shift));
            let constant = match reduced.entries.as_slice() {
                [] => 0,
                &[(CONSTANT, value)] => value,
                _ => continue,
            };
            if constant.trailing_zeros() >= shift {
                return Congruence::new(1 << bits, i128::from(constant >> shift));
            }
        }
        Congruence::TOP
    }
}

impl Lattice for AffineEqualities {
    fn bottom(&self) -> Self {
        self.empty()
    }

    fn top(&self) -> Self {
        Self::of(Howell::new(self.ring))
    }

    fn is_bottom(&self) -> bool {
        self.equations.is_none()
    }

    fn is_top(&self) -> bool {
        self.equations.is_some() && self.rows().is_empty()
    }

    fn leq(&self, other: &Self) -> bool {
        let (Some(a), Some(b)) = (&self.equations, &other.equations) else {
            return self.equations.is_none();
        };
        Arc::ptr_eq(a, b) || b.rows().iter().all(|row| a.contains(row))
    }

    fn join(&self, other: &Self) -> Self {
        let (Some(a), Some(b)) = (&self.equations, &other.equations) else {
            return if self.is_bottom() {
                other.clone()
            } else {
                self.clone()
            };
        };
        if Arc::ptr_eq(a, b) {
            return self.clone();
        }
        // Rows that both spans have: combinations of `[A A; B 0]` that vanish in the first half.
        let ring = self.ring;
        let mut doubled = Howell::new(ring);
        let twice = a.rows().iter().map(|row| {
            let second = row.entries.iter().map(|&(c, e)| (c + SECOND_HALF, e));
            ring.row(row.entries.iter().copied().chain(second))
        });
        doubled.insert(twice.chain(b.rows().iter().cloned()));
        let common = doubled
            .rows()
            .iter()
            .filter(|r| r.leading_column() >= Some(SECOND_HALF))
            .map(|r| Row {
                entries: r
                    .entries
                    .iter()
                    .map(|&(c, e)| (c - SECOND_HALF, e))
                    .collect(),
            });
        let mut matrix = Howell::new(ring);
        matrix.insert(common);
        Self::of(matrix)
    }

    fn meet(&self, other: &Self) -> Self {
        if other.is_bottom() {
            return other.clone();
        }
        let mut both = self.clone();
        both.add_rows(other.rows().iter().cloned());
        both
    }

    /// Increasing sequences are finite: over `n` variables at most `(n + 1)·width` steps.
    fn widen(&self, newer: &Self) -> Self {
        self.join(newer)
    }

    fn narrow(&self, newer: &Self) -> Self {
        self.meet(newer)
    }
}

impl Bounds for AffineEqualities {
    fn interval(&self, _: VarId) -> Interval {
        if self.is_bottom() {
            Interval::EMPTY
        } else {
            Interval::TOP
        }
    }
}

impl NumericDomain for AffineEqualities {
    fn assign(&mut self, target: VarId, value: &Expression) {
        let form = self.affine_of(value);
        self.assign_row(target, &form);
    }

    fn assume(&mut self, condition: &Condition) {
        if condition.comparison == Comparison::Equal {
            let (left, right) = (
                self.affine_of(&condition.left),
                self.affine_of(&condition.right),
            );
            let difference = self.sum(&left, &right, self.ring.mask());
            self.assume_affine(&difference);
        }
    }

    fn forget(&mut self, target: VarId) {
        AffineEqualities::forget(self, target);
    }

    fn retain(&mut self, keep: &dyn Fn(VarId) -> bool) {
        let mut dropped: Vec<VarId> = self
            .rows()
            .iter()
            .flat_map(|r| r.entries.iter().filter_map(|&(c, _)| variable(c)))
            .filter(|&v| !keep(v))
            .collect();
        dropped.sort_unstable();
        dropped.dedup();
        for v in dropped {
            self.forget(v);
        }
    }

    fn rename(&mut self, rename: &dyn Fn(VarId) -> VarId) {
        self.rekey(|c| variable(c).map_or(c, |v| column(rename(v))));
    }

    fn assume_interval(&mut self, target: VarId, interval: Interval) {
        if interval.is_empty() {
            *self = self.empty();
        } else if let Some(value) = interval.as_constant() {
            self.assume_equality(&[(target, -1)], value, self.ring.width);
        }
    }

    fn congruence(&self, target: VarId) -> Congruence {
        self.congruence_of(&Expression::variable(target))
    }

    fn congruence_of(&self, expression: &Expression) -> Congruence {
        self.congruence_of_form(&self.affine_of(expression))
    }

    fn assume_congruence(&mut self, target: VarId, congruence: Congruence) {
        let (Some(modulus), Some(remainder)) = (congruence.modulus(), congruence.remainder())
        else {
            *self = self.empty();
            return;
        };
        let bits = if modulus == 0 {
            self.ring.width
        } else {
            modulus.trailing_zeros()
        };
        if bits > 0 {
            let row = self.exact_row(&[(target, 1)], remainder.wrapping_neg());
            self.assume_affine(&Affine::new(row, bits.min(self.ring.width)));
        }
    }

    fn constraints(&self) -> Vec<Constraint> {
        if self.is_bottom() {
            return vec![Constraint::False];
        }
        self.rows()
            .iter()
            .map(|row| self.constraint_of(row))
            .collect()
    }
}

impl AffineEqualities {
    /// An equation, divided by the powers of two that all its coefficients share.
    fn constraint_of(&self, row: &Row) -> Constraint {
        let shared = row
            .entries
            .iter()
            .map(|&(_, e)| e.trailing_zeros())
            .min()
            .unwrap_or(0);
        let modulus = 1i128 << (self.ring.width - shared);
        // The representative nearest to zero reads best: `-1` rather than `2^64 - 1`.
        let signed = |entry: u64| {
            let value = i128::from(entry >> shared);
            if value > modulus / 2 {
                value - modulus
            } else {
                value
            }
        };
        let terms = row
            .entries
            .iter()
            .filter_map(|&(c, e)| variable(c).map(|v| (v, signed(e))))
            .collect();
        Constraint::Multiple {
            terms,
            constant: signed(row.entry(CONSTANT)),
            modulus,
        }
    }
}

impl fmt::Debug for AffineEqualities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.constraints()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::environment::Environment;
    use crate::laws;
    use crate::machine::MachineInt;
    use crate::numeric::domain_laws::{check_domain, points, steps};
    use crate::product::Product;

    const X: VarId = VarId(0);
    const Y: VarId = VarId(1);
    const N: VarId = VarId(2);

    /// Small enough to enumerate all states of three variables.
    const WIDTH: u32 = 3;

    type Equation = (Vec<i128>, i128, u32);

    fn equations() -> impl Strategy<Value = Vec<Equation>> {
        prop::collection::vec(
            (prop::collection::vec(0i128..8, 3), 0i128..8, 1u32..=WIDTH),
            0..4,
        )
    }

    fn terms(coefficients: &[i128]) -> Vec<(VarId, i128)> {
        coefficients
            .iter()
            .enumerate()
            .map(|(v, &c)| (VarId(v as u32), c))
            .collect()
    }

    fn affine(equations: &[Equation]) -> AffineEqualities {
        let mut a = AffineEqualities::top(WIDTH).expect("valid");
        for (coefficients, constant, bits) in equations {
            a.assume_equality(&terms(coefficients), *constant, *bits);
        }
        a
    }

    type State = [i128; 3];

    fn all_states() -> impl Iterator<Item = State> {
        (0..512).map(|k| [k % 8, k / 8 % 8, k / 64])
    }

    fn states(equations: &[Equation]) -> BTreeSet<State> {
        let holds = |s: &State, (coefficients, constant, bits): &Equation| {
            let sum: i128 = coefficients.iter().zip(s).map(|(c, x)| c * x).sum();
            (sum + constant) % (1 << bits) == 0
        };
        all_states()
            .filter(|s| equations.iter().all(|e| holds(s, e)))
            .collect()
    }

    fn members(a: &AffineEqualities) -> BTreeSet<State> {
        let constraints = a.constraints();
        all_states()
            .filter(|s| {
                constraints
                    .iter()
                    .all(|c| c.holds(|v| s[v.0 as usize]) == Some(true))
            })
            .collect()
    }

    /// The least affine set that holds all given states: close under `a - b + c`.
    fn affine_hull(states: &BTreeSet<State>) -> BTreeSet<State> {
        let Some(&origin) = states.first() else {
            return BTreeSet::new();
        };
        let mut hull = BTreeSet::from([origin]);
        for s in states {
            if hull.contains(s) {
                continue;
            }
            let direction: Vec<i128> = s.iter().zip(origin).map(|(a, b)| a - b).collect();
            hull = hull
                .iter()
                .flat_map(|h| {
                    let direction = &direction;
                    (0..8i128).map(move |f| {
                        std::array::from_fn(|k| (h[k] + f * direction[k]).rem_euclid(8))
                    })
                })
                .collect();
        }
        hull
    }

    proptest! {
        #[test]
        fn members_are_the_solutions(e in equations()) {
            let (a, expected) = (affine(&e), states(&e));
            prop_assert_eq!(a.is_bottom(), expected.is_empty());
            prop_assert_eq!(members(&a), expected);
        }

        #[test]
        fn order_join_and_meet_are_exact(e in equations(), f in equations()) {
            let (a, b) = (affine(&e), affine(&f));
            let (s, t) = (states(&e), states(&f));
            prop_assert_eq!(a.leq(&b), s.is_subset(&t));
            prop_assert_eq!(members(&a.meet(&b)), &s & &t);
            prop_assert_eq!(members(&a.join(&b)), affine_hull(&(&s | &t)));
        }

        #[test]
        fn lattice_laws(e in equations(), f in equations(), g in equations()) {
            let (a, b, c) = (affine(&e), affine(&f), affine(&g));
            laws::check_lattice(&a, &b, &c)?;
            laws::check_meet_is_lower(&a, &b)?;
            laws::check_join_is_least(&a, &b, &c)?;
            laws::check_stabilises(&a, &[b, c], 4 * WIDTH as usize)?;
        }

        #[test]
        fn projection_is_exact(e in equations(), v in 0usize..3) {
            let mut a = affine(&e);
            a.forget(VarId(v as u32));
            let expected: BTreeSet<State> = states(&e)
                .into_iter()
                .flat_map(|s| (0..8).map(move |x| { let mut t = s; t[v] = x; t }))
                .collect();
            prop_assert_eq!(members(&a), expected);
        }

        #[test]
        fn assignment_is_exact(e in equations(), v in 0usize..3, c in prop::collection::vec(0i128..8, 3), constant in 0i128..8) {
            let mut a = affine(&e);
            a.assign_affine(VarId(v as u32), &terms(&c), constant);
            let image: BTreeSet<State> = states(&e)
                .into_iter()
                .map(|mut s| {
                    let value: i128 = c.iter().zip(&s).map(|(c, x)| c * x).sum();
                    s[v] = (value + constant) % 8;
                    s
                })
                .collect();
            prop_assert_eq!(members(&a), image);
        }

        #[test]
        fn follows_programs(p in points(), q in points(), slack in 0i128..2, s in steps(), t in steps(), width in prop::sample::select(vec![8u32, 32, 64])) {
            check_domain(&AffineEqualities::top(width).expect("valid"), (&p, &q), slack, (&s, &t))?;
        }

        #[test]
        fn products_with_intervals_follow_programs(p in points(), q in points(), slack in 0i128..3, s in steps(), t in steps()) {
            let top = Product::new(Environment::<Interval>::new(), AffineEqualities::top(64).expect("valid"));
            check_domain(&top, (&p, &q), slack, (&s, &t))?;
        }
    }

    fn add(v: VarId, constant: i128) -> Expression {
        Expression::binary(
            BinaryOperator::Add,
            Expression::variable(v),
            Expression::constant(constant),
        )
    }

    /// `x = n; y = 0; while (x != 0) { x--; y++; }` in 32-bit arithmetic that wraps: `n == x + y` is found and proves
    /// `y == n` at the end.
    #[test]
    fn a_loop_that_moves_one_counter_to_another() {
        let int = MachineInt::new(32, true).expect("valid");
        let mut entry = Product::new(
            Environment::<Interval>::new(),
            AffineEqualities::top(64).expect("valid"),
        );
        entry.assume_interval(N, int.range());
        entry.assign(X, &Expression::variable(N));
        entry.assign(Y, &Expression::constant(0));
        let mut head = entry;
        loop {
            let mut body = head.clone();
            body.assume(&Condition::new(
                Expression::variable(X),
                Comparison::NotEqual,
                Expression::constant(0),
            ));
            body.assign(X, &Expression::wrap(int, add(X, -1)));
            body.assign(Y, &Expression::wrap(int, add(Y, 1)));
            let next = head.widen(&body);
            if next.leq(&head) {
                break;
            }
            head = next;
        }
        // Widening has lost the types' ranges; a client assumes them again.
        for v in [X, Y, N] {
            head.assume_interval(v, int.range());
        }
        head.assume(&Condition::new(
            Expression::variable(X),
            Comparison::Equal,
            Expression::constant(0),
        ));
        let mut wrong = head.clone();
        wrong.assume(&Condition::new(
            Expression::variable(Y),
            Comparison::NotEqual,
            Expression::variable(N),
        ));
        assert!(!head.is_bottom());
        assert!(wrong.is_bottom(), "{wrong:?}");
    }

    #[test]
    fn wrapping_keeps_the_equation_at_its_own_width() {
        let byte = MachineInt::new(8, false).expect("valid");
        let mut a = AffineEqualities::top(64).expect("valid");
        a.assign(Y, &Expression::wrap(byte, add(X, 1)));
        let expected = Constraint::Multiple {
            terms: vec![(X, 1), (Y, -1)],
            constant: 1,
            modulus: 256,
        };
        assert_eq!(a.constraints(), vec![expected]);
        a.assume_congruence(X, Congruence::new(4, 3));
        assert_eq!(a.congruence(Y), Congruence::new(4, 0));
    }
}
