//! Variables whose difference is known, modulo a power of two: `x ≡ y + c (mod 2^k)`.
//!
//! Programs copy unknown values and count from there (a token that each station passes on increased
//! by one, a length and a position). Which numbers they are is never known, how far apart they are
//! always is. Variables form classes in which each has an offset to the first one: a union-find
//! with labels (D. Lesbre, M. Lemerre, H. R. Ait-El-Hara, F. Bobot: *Relational Abstractions Based
//! on Labeled Union-Find*, PLDI 2025).
//!
//! | paper | here |
//! |---|---|
//! | class, representative | entries with the same [`Member::root`], its smallest variable |
//! | label `c` of an edge | [`Member::offset`] |
//! | group of labels | integers modulo `2^k`, [`Member::bits`] |
//!
//! Deviations: the group may differ from class to class, so that wrap-around to fewer bits is
//! exact; the classes are a sorted list, since few variables are in one; and offsets beyond a limit
//! are not kept, so that there are finitely many states for an analysis that keeps them apart.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::congruence::Congruence;
use crate::expression::{BinaryOperator, Expression, Node};
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::{Bounds, Constraint, VarId};
use crate::numeric::{Condition, NumericDomain};
use crate::value::Comparison;

/// Exactly known differences hold modulo this power of two, too; more is not said.
const MAX_BITS: u32 = 64;

/// `variable ≡ root + offset (mod 2^bits)`. All members of a class have the same `bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Member {
    variable: VarId,
    root: VarId,
    offset: u64,
    bits: u32,
}

/// `value ≡ base + offset (mod 2^bits)`, where no base is zero.
#[derive(Clone, Copy, Debug)]
struct Form {
    base: Option<VarId>,
    offset: u64,
    bits: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Offsets {
    /// By variable; a variable alone is in no class. `None` if there is no state at all.
    members: Option<Arc<Vec<Member>>>,
    limit: u64,
}

/// The low bits of a number.
fn low(value: u64, bits: u32) -> u64 {
    match bits {
        0 => 0,
        1..=63 => value & ((1 << bits) - 1),
        _ => value,
    }
}

/// The number nearest to zero with these low bits.
fn near_zero(value: u64, bits: u32) -> i128 {
    let value = i128::from(low(value, bits));
    if value >= 1 << (bits - 1) {
        value - (1 << bits)
    } else {
        value
    }
}

impl Offsets {
    /// Knows nothing, and will keep offsets up to a limit.
    pub fn top(limit: u64) -> Offsets {
        Offsets {
            members: Some(Arc::new(Vec::new())),
            limit,
        }
    }

    fn members(&self) -> &[Member] {
        self.members.as_ref().map_or(&[], |members| members)
    }

    /// What is known of a variable; at least that it is itself.
    fn find(&self, variable: VarId) -> Member {
        let members = self.members();
        match members.binary_search_by_key(&variable, |member| member.variable) {
            Ok(position) => members[position],
            Err(_) => Member {
                variable,
                root: variable,
                offset: 0,
                bits: MAX_BITS,
            },
        }
    }

    fn form(&self, expression: &Expression) -> Option<Form> {
        let mut done: Vec<Option<Form>> = Vec::with_capacity(expression.nodes().len());
        for node in expression.nodes() {
            let at = |index: u32| done[index as usize];
            let form = match *node {
                Node::Constant(values) => values.as_constant().map(|value| Form {
                    base: None,
                    offset: value as u64,
                    bits: MAX_BITS,
                }),
                Node::Variable(v) => {
                    let found = self.find(v);
                    Some(Form {
                        base: Some(found.root),
                        offset: found.offset,
                        bits: found.bits,
                    })
                }
                Node::Binary(BinaryOperator::Add, a, b) => sum(at(a), at(b)),
                Node::Binary(BinaryOperator::Subtract, a, b) => difference(at(a), at(b)),
                Node::Wrap(to, a) => at(a).map(|form| Form {
                    bits: form.bits.min(to.width()),
                    ..form
                }),
                Node::Unary(..) | Node::Binary(..) => None,
            };
            done.push(form);
        }
        done.pop().flatten()
    }

    /// Replaces the classes; each gets its smallest member as root, and offsets beyond the limit
    /// are dropped.
    fn rebuild(&mut self, members: Vec<Member>) {
        let mut members = members;
        members.sort_unstable_by_key(|member| (member.root, member.variable));
        let mut kept: Vec<Member> = Vec::with_capacity(members.len());
        for class in members.chunk_by(|a, b| a.root == b.root) {
            let first = class[0];
            let bits = class.iter().map(|member| member.bits).min().unwrap_or(0);
            let start = kept.len();
            for member in class {
                let offset = low(member.offset.wrapping_sub(first.offset), bits);
                if bits > 0 && near_zero(offset, bits).unsigned_abs() <= u128::from(self.limit) {
                    kept.push(Member {
                        variable: member.variable,
                        root: first.variable,
                        offset,
                        bits,
                    });
                }
            }
            if kept.len() == start + 1 {
                kept.pop();
            }
        }
        kept.sort_unstable_by_key(|member| member.variable);
        self.members = Some(Arc::new(kept));
    }

    /// Adds `a ≡ b + offset (mod 2^bits)`.
    fn unite(&mut self, a: VarId, b: VarId, offset: u64, bits: u32) {
        if self.members.is_none() || bits == 0 {
            return;
        }
        let (a, b) = (self.find(a), self.find(b));
        let bits = bits.min(a.bits).min(b.bits);
        // root of a ≡ root of b + shift
        let shift = b.offset.wrapping_add(offset).wrapping_sub(a.offset);
        if a.root == b.root {
            if low(shift, bits) != 0 {
                self.members = None;
            }
            return;
        }
        let mut members = self.members().to_vec();
        for alone in [a, b] {
            if alone.root == alone.variable && !members.contains(&alone) {
                members.push(alone);
            }
        }
        for member in &mut members {
            if member.root == a.root {
                member.root = b.root;
                member.offset = member.offset.wrapping_add(shift);
            }
            if member.root == b.root {
                member.bits = member.bits.min(bits);
            }
        }
        self.rebuild(members);
    }
}

fn sum(a: Option<Form>, b: Option<Form>) -> Option<Form> {
    let (a, b) = (a?, b?);
    let base = match (a.base, b.base) {
        (Some(_), Some(_)) => return None,
        (base, None) | (None, base) => base,
    };
    Some(Form {
        base,
        offset: a.offset.wrapping_add(b.offset),
        bits: a.bits.min(b.bits),
    })
}

fn difference(a: Option<Form>, b: Option<Form>) -> Option<Form> {
    let (a, b) = (a?, b?);
    let base = match (a.base, b.base) {
        (base, None) => base,
        (Some(x), Some(y)) if x == y => None,
        _ => return None,
    };
    Some(Form {
        base,
        offset: a.offset.wrapping_sub(b.offset),
        bits: a.bits.min(b.bits),
    })
}

impl Lattice for Offsets {
    fn bottom(&self) -> Self {
        Offsets {
            members: None,
            limit: self.limit,
        }
    }

    fn top(&self) -> Self {
        Offsets::top(self.limit)
    }

    fn is_bottom(&self) -> bool {
        self.members.is_none()
    }

    fn is_top(&self) -> bool {
        self.members
            .as_ref()
            .is_some_and(|members| members.is_empty())
    }

    fn leq(&self, other: &Self) -> bool {
        match (&self.members, &other.members) {
            (None, _) => true,
            (_, None) => false,
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => true,
            (_, Some(members)) => members.iter().all(|member| {
                let (own, root) = (self.find(member.variable), self.find(member.root));
                let offset = own.offset.wrapping_sub(root.offset);
                own.root == root.root
                    && own.bits >= member.bits
                    && low(offset, member.bits) == member.offset
            }),
        }
    }

    /// Two variables stay in one class if both sides agree on their difference.
    fn join(&self, other: &Self) -> Self {
        let (Some(a), Some(b)) = (&self.members, &other.members) else {
            return if self.is_bottom() { other } else { self }.clone();
        };
        if Arc::ptr_eq(a, b) || a == b {
            return self.clone();
        }
        let mut common: Vec<(VarId, VarId, u64, Member)> = Vec::new();
        for &own in a.iter() {
            let found = other.find(own.variable);
            let bits = own.bits.min(found.bits);
            let apart = low(own.offset.wrapping_sub(found.offset), bits);
            common.push((own.root, found.root, apart, Member { bits, ..own }));
        }
        common.sort_unstable_by_key(|&(root, of_other, apart, member)| {
            (root, of_other, apart, member.variable)
        });
        let mut members = Vec::with_capacity(common.len());
        for class in common.chunk_by(|x, y| (x.0, x.1, x.2) == (y.0, y.1, y.2)) {
            let root = class[0].3.variable;
            members.extend(
                class
                    .iter()
                    .map(|&(_, _, _, member)| Member { root, ..member }),
            );
        }
        let mut joined = self.top();
        joined.rebuild(members);
        joined
    }

    fn meet(&self, other: &Self) -> Self {
        let mut both = self.clone();
        if other.is_bottom() {
            return other.clone();
        }
        for member in other.members() {
            if member.variable != member.root {
                both.unite(member.variable, member.root, member.offset, member.bits);
            }
        }
        both
    }

    /// Classes only split and their moduli only shrink.
    fn widen(&self, newer: &Self) -> Self {
        self.join(newer)
    }

    fn narrow(&self, newer: &Self) -> Self {
        if newer.is_bottom() {
            return newer.clone();
        }
        self.clone()
    }
}

impl Bounds for Offsets {
    fn interval(&self, _: VarId) -> Interval {
        if self.is_bottom() {
            Interval::EMPTY
        } else {
            Interval::TOP
        }
    }
}

impl NumericDomain for Offsets {
    fn assign(&mut self, variable: VarId, value: &Expression) {
        let Some(Form {
            base: Some(base),
            offset,
            bits,
        }) = self.form(value)
        else {
            self.forget(variable);
            return;
        };
        let own = self.find(variable);
        if own.root != base {
            self.forget(variable);
            // The base may have been renamed, but not forgotten: it is in another class.
            self.unite(variable, base, offset, bits);
        } else if self.members().iter().any(|member| member.root == base) {
            let mut members = self.members().to_vec();
            for member in members.iter_mut().filter(|member| member.root == base) {
                member.bits = member.bits.min(bits);
                if member.variable == variable {
                    member.offset = offset;
                }
            }
            self.rebuild(members);
        }
    }

    fn assume(&mut self, condition: &Condition) {
        if condition.comparison != Comparison::Equal {
            return;
        }
        let (Some(left), Some(right)) = (self.form(&condition.left), self.form(&condition.right))
        else {
            return;
        };
        let (offset, bits) = (
            right.offset.wrapping_sub(left.offset),
            left.bits.min(right.bits),
        );
        match (left.base, right.base) {
            (Some(a), Some(b)) => self.unite(a, b, offset, bits),
            (None, None) if low(offset, bits) != 0 => self.members = None,
            _ => {}
        }
    }

    fn forget(&mut self, variable: VarId) {
        self.retain(&|other| other != variable);
    }

    fn retain(&mut self, keep: &dyn Fn(VarId) -> bool) {
        let members = self.members();
        if !members.iter().all(|member| keep(member.variable)) {
            let kept = members.iter().filter(|member| keep(member.variable));
            self.rebuild(kept.copied().collect());
        }
    }

    fn rename(&mut self, rename: &dyn Fn(VarId) -> VarId) {
        let renamed = self.members().iter().map(|member| Member {
            variable: rename(member.variable),
            root: rename(member.root),
            ..*member
        });
        let renamed: Vec<Member> = renamed.collect();
        if !renamed.is_empty() {
            self.rebuild(renamed);
        }
    }

    fn assume_interval(&mut self, _: VarId, interval: Interval) {
        if interval.is_empty() {
            self.members = None;
        }
    }

    /// Differences say nothing about bounds.
    fn loosen(&mut self, _: VarId, _: Interval) {}

    fn congruence(&self, _: VarId) -> Congruence {
        if self.is_bottom() {
            Congruence::EMPTY
        } else {
            Congruence::TOP
        }
    }

    fn congruence_of(&self, expression: &Expression) -> Congruence {
        if self.is_bottom() {
            return Congruence::EMPTY;
        }
        match self.form(expression) {
            Some(Form {
                base: None,
                offset,
                bits,
            }) if bits > 0 => Congruence::new(1 << bits, i128::from(low(offset, bits))),
            _ => Congruence::TOP,
        }
    }

    fn assume_congruence(&mut self, _: VarId, congruence: Congruence) {
        if congruence == Congruence::EMPTY {
            self.members = None;
        }
    }

    fn constraints(&self) -> Vec<Constraint> {
        if self.is_bottom() {
            return vec![Constraint::False];
        }
        let related = self
            .members()
            .iter()
            .filter(|member| member.variable != member.root);
        related
            .map(|member| Constraint::Multiple {
                terms: vec![(member.root, -1), (member.variable, 1)],
                constant: -near_zero(member.offset, member.bits),
                modulus: 1 << member.bits,
            })
            .collect()
    }

    fn fingerprint(&self, mut hasher: &mut dyn Hasher) {
        self.members.hash(&mut hasher);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::environment::Environment;
    use crate::machine::MachineInt;
    use crate::numeric::domain_laws::{X, Y, Z, check_domain, points, steps};
    use crate::product::Product;

    /// `variable + constant` as an `int` of C.
    fn plus(variable: VarId, constant: i128) -> Expression {
        let sum = Expression::binary(
            BinaryOperator::Add,
            Expression::variable(variable),
            Expression::constant(constant),
        );
        Expression::wrap(MachineInt::new(32, true).expect("a width"), sum)
    }

    fn is_equal(left: Expression, right: Expression) -> Condition {
        Condition::new(left, Comparison::Equal, right)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn follows_programs(p in points(), q in points(), slack in 0i128..4, s in steps(), t in steps()) {
            check_domain(&Offsets::top(20), (&p, &q), slack, (&s, &t))?;
            let with_intervals = Product::new(Environment::<Interval>::new(), Offsets::top(1000));
            check_domain(&with_intervals, (&p, &q), slack, (&s, &t))?;
        }
    }

    #[test]
    fn unknown_values_stay_apart_by_what_was_added() {
        let int = MachineInt::new(32, true).expect("a width").range();
        let mut state = Product::new(Environment::<Interval>::new(), Offsets::top(1000));
        state.assume_interval(X, int);
        state.assign(Y, &Expression::variable(X));
        for _ in 0..4 {
            state.assign(X, &plus(X, 1));
        }
        let mut other = state.clone();
        other.assume(&is_equal(Expression::variable(X), plus(Y, 4)).negated());
        assert!(other.is_bottom());
        state.assume(&is_equal(Expression::variable(X), plus(Y, 3)));
        assert!(state.is_bottom());
    }

    #[test]
    fn a_new_value_of_the_first_leaves_the_others_related() {
        let mut state = Offsets::top(1000);
        state.assign(Y, &plus(X, 2));
        state.assign(Z, &plus(Y, 5));
        state.forget(X);
        assert_eq!(
            state.constraints(),
            [Constraint::Multiple {
                terms: vec![(Y, -1), (Z, 1)],
                constant: -5,
                modulus: 1 << 32,
            }]
        );
    }

    #[test]
    fn a_join_keeps_what_both_agree_on() {
        let state = |first: i128| {
            let mut state = Offsets::top(1000);
            state.assign(Y, &plus(X, first));
            state.assign(Z, &plus(Y, 5));
            state
        };
        let joined = state(1).join(&state(2));
        assert_eq!(
            joined.congruence_of(&difference_of(Z, Y)),
            Congruence::new(1 << 32, 5)
        );
        assert_eq!(joined.congruence_of(&difference_of(Y, X)), Congruence::TOP);
    }

    fn difference_of(a: VarId, b: VarId) -> Expression {
        let (a, b) = (Expression::variable(a), Expression::variable(b));
        Expression::binary(BinaryOperator::Subtract, a, b)
    }

    #[test]
    fn far_offsets_are_not_kept() {
        let mut state = Offsets::top(10);
        state.assign(Y, &plus(X, 10));
        assert!(!state.is_top());
        state.assign(Y, &plus(Y, 1));
        assert!(state.is_top());
    }
}
