//! What an analysis needs of a domain over numbered variables, whichever it is.

use std::hash::Hasher;

use crate::congruence::Congruence;
use crate::expression::Expression;
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::{Bounds, Constraint, LinearForm, Relation, VarId};
use crate::octagon::Octagon;
use crate::value::Comparison;

/// `left comparison right`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub left: Expression,
    pub comparison: Comparison,
    pub right: Expression,
}

impl Condition {
    pub fn new(left: Expression, comparison: Comparison, right: Expression) -> Self {
        Condition {
            left,
            comparison,
            right,
        }
    }

    /// The condition that holds exactly where this one does not.
    pub fn negated(self) -> Self {
        let Condition {
            left,
            comparison,
            right,
        } = self;
        match comparison {
            Comparison::Less => Condition::new(right, Comparison::AtMost, left),
            Comparison::AtMost => Condition::new(right, Comparison::Less, left),
            Comparison::Equal => Condition::new(left, Comparison::NotEqual, right),
            Comparison::NotEqual => Condition::new(left, Comparison::Equal, right),
        }
    }

    /// Whether it holds for given values; `None` if an expression has no single value.
    pub fn holds(&self, value: impl Fn(VarId) -> i128) -> Option<bool> {
        Some(
            self.comparison
                .holds(self.left.value(&value)?, self.right.value(&value)?),
        )
    }
}

/// A lattice of sets of states, where a state gives an integer to every variable.
///
/// Laws, for every state `σ ∈ γ(d)`: after `assign(x, e)` every `σ[x ↦ v]` with `v` a value of `e`
/// in `σ` is a member; after `assume(c)` every `σ` in which `c` may hold is a member; after
/// `forget(x)` every `σ[x ↦ v]` is; intervals, congruences and constraints hold in `σ`. An
/// expression without a value (division by zero) has no successor.
pub trait NumericDomain: Lattice + Bounds + std::fmt::Debug + Sized {
    fn assign(&mut self, variable: VarId, value: &Expression);
    fn assume(&mut self, condition: &Condition);
    fn forget(&mut self, variable: VarId);
    /// Forgets all variables that `keep` does not choose.
    fn retain(&mut self, keep: &dyn Fn(VarId) -> bool);
    /// Gives variables other numbers; `rename` must not map two of them to one.
    fn rename(&mut self, rename: &dyn Fn(VarId) -> VarId);

    /// Restricts to states in which the variable lies in the interval.
    fn assume_interval(&mut self, variable: VarId, interval: Interval);
    /// Moves the bounds of a variable outwards to an interval around them; what relates it to
    /// others may stay. Every state of before is a member afterwards.
    fn loosen(&mut self, variable: VarId, interval: Interval) {
        self.forget(variable);
        self.assume_interval(variable, interval);
    }
    fn congruence(&self, variable: VarId) -> Congruence {
        Congruence::of_interval(self.interval(variable))
    }
    /// A congruence that holds for every value of the expression.
    fn congruence_of(&self, expression: &Expression) -> Congruence {
        Congruence::of_interval(expression.linearise(self).interval)
    }
    /// Restricts to states in which the variable satisfies the congruence, as far as the domain can
    /// say so.
    fn assume_congruence(&mut self, variable: VarId, congruence: Congruence) {
        self.assume_interval(variable, congruence.tighten(self.interval(variable)));
    }

    /// What is known, for readers that do not know the domain.
    fn constraints(&self) -> Vec<Constraint>;

    /// What is known beyond the constraints: each of these variables is a value of its expression.
    /// With both everything is said.
    fn definitions(&self) -> Vec<(VarId, Expression)> {
        Vec::new()
    }

    /// Feeds what tells states apart to a hasher: equal states feed the same, different ones mostly
    /// not.
    fn fingerprint(&self, hasher: &mut dyn Hasher);
}

/// A comparison of forms as a relation of their difference to zero.
pub(crate) fn relation_of(
    left: &LinearForm,
    comparison: Comparison,
    right: &LinearForm,
) -> (LinearForm, Relation) {
    let difference = left.subtract(right);
    match comparison {
        Comparison::Less => (difference.add_constant(Interval::ONE), Relation::AtMostZero),
        Comparison::AtMost => (difference, Relation::AtMostZero),
        Comparison::Equal => (difference, Relation::Zero),
        Comparison::NotEqual => (difference, Relation::NonZero),
    }
}

/// Domains of linear constraints.
pub(crate) trait LinearDomain: Bounds + NumericDomain {
    /// No state at all.
    fn set_bottom(&mut self);
    /// Assigns some value of the form.
    fn take_form(&mut self, variable: VarId, form: &LinearForm);
    /// Restricts to states in which some value of the form is at most zero.
    fn at_most_zero(&mut self, form: &LinearForm);

    fn assign_linear(&mut self, variable: VarId, value: &Expression)
    where
        Self: Sized,
    {
        let value = value.linearise(self);
        self.take_form(variable, &value.form);
        NumericDomain::assume_interval(self, variable, value.interval);
    }

    fn assume_linear(&mut self, condition: &Condition)
    where
        Self: Sized,
    {
        let (left, right) = (
            condition.left.linearise(self),
            condition.right.linearise(self),
        );
        let (form, relation) = relation_of(&left.form, condition.comparison, &right.form);
        self.restrict(&form, relation);
        // The intervals may know what the forms do not.
        let (form, relation) = relation_of(
            &LinearForm::constant(left.interval),
            condition.comparison,
            &LinearForm::constant(right.interval),
        );
        self.restrict(&form, relation);
    }

    /// Restricts to states in which some value of the form has the relation to zero.
    fn restrict(&mut self, form: &LinearForm, relation: Relation) {
        if form.is_empty() {
            self.set_bottom();
            return;
        }
        match relation {
            Relation::AtMostZero => self.at_most_zero(form),
            Relation::Zero => {
                self.at_most_zero(form);
                self.at_most_zero(&form.negate());
            }
            Relation::NonZero => {
                let value = Bounds::evaluate(self, form);
                if value == Interval::ZERO {
                    self.set_bottom();
                } else if value.lower() == Some(0) {
                    self.at_most_zero(&form.negate().add_constant(Interval::ONE));
                } else if value.upper() == Some(0) {
                    self.at_most_zero(&form.add_constant(Interval::ONE));
                }
            }
        }
    }
}

impl LinearDomain for Octagon {
    fn set_bottom(&mut self) {
        *self = Octagon::bottom();
    }

    fn take_form(&mut self, variable: VarId, form: &LinearForm) {
        self.assign_form(variable, form);
    }

    fn at_most_zero(&mut self, form: &LinearForm) {
        self.assume_at_most_zero(form);
    }
}

impl NumericDomain for Octagon {
    fn assign(&mut self, variable: VarId, value: &Expression) {
        self.assign_linear(variable, value);
    }

    fn assume(&mut self, condition: &Condition) {
        self.assume_linear(condition);
    }

    fn forget(&mut self, variable: VarId) {
        Octagon::forget(self, variable);
    }

    fn retain(&mut self, keep: &dyn Fn(VarId) -> bool) {
        Octagon::retain(self, keep);
    }

    fn rename(&mut self, rename: &dyn Fn(VarId) -> VarId) {
        *self = Octagon::rename(self, rename);
    }

    fn assume_interval(&mut self, variable: VarId, interval: Interval) {
        Octagon::assume_interval(self, variable, interval);
    }

    fn constraints(&self) -> Vec<Constraint> {
        Octagon::constraints(self)
    }

    fn fingerprint(&self, hasher: &mut dyn Hasher) {
        Octagon::fingerprint(self, hasher);
    }
}

/// Checks of the laws of [`NumericDomain`] against points, for the tests of each domain.
#[cfg(test)]
pub(crate) mod domain_laws {
    use proptest::prelude::*;

    use super::*;
    use crate::expression::tests::expressions;

    pub(crate) const VARIABLES: u32 = 3;
    pub(crate) const X: VarId = VarId(0);
    pub(crate) const Y: VarId = VarId(1);
    pub(crate) const Z: VarId = VarId(2);

    /// One step of a straight-line program.
    #[derive(Clone, Debug)]
    pub(crate) enum Step {
        Assign(VarId, Expression),
        Assume(Condition),
        Forget(VarId, i128),
    }

    pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
        let comparison = prop::sample::select(vec![
            Comparison::Less,
            Comparison::AtMost,
            Comparison::Equal,
            Comparison::NotEqual,
        ]);
        let condition = (expressions(VARIABLES), comparison, expressions(VARIABLES))
            .prop_map(|(l, c, r)| Condition::new(l, c, r));
        let variable = (0..VARIABLES).prop_map(VarId);
        let step = prop_oneof![
            4 => (variable.clone(), expressions(VARIABLES)).prop_map(|(v, e)| Step::Assign(v, e)),
            4 => condition.prop_map(Step::Assume),
            1 => (variable, -50i128..50).prop_map(|(v, x)| Step::Forget(v, x)),
        ];
        prop::collection::vec(step, 0..8)
    }

    pub(crate) fn points() -> impl Strategy<Value = Vec<i128>> {
        prop::collection::vec(-40i128..40, VARIABLES as usize)
    }

    /// Starts with a small box around the point and follows the program with both; the point stays
    /// a member. An assumption that fails at the point is taken negated.
    pub(crate) fn follow<D: NumericDomain>(
        top: D,
        point: &[i128],
        slack: i128,
        steps: &[Step],
    ) -> Result<Option<(D, Vec<i128>)>, TestCaseError> {
        let mut domain = top;
        let mut point = point.to_vec();
        for (v, &x) in point.iter().enumerate() {
            domain.assume_interval(VarId(v as u32), Interval::finite(x - slack, x + slack));
        }
        check_member(&domain, &point)?;
        for step in steps {
            match step {
                Step::Assign(v, e) => {
                    let Some(value) = e.value(|w| point[w.0 as usize]) else {
                        return Ok(None);
                    };
                    if value.abs() > 1 << 70 {
                        return Ok(None);
                    }
                    domain.assign(*v, e);
                    point[v.0 as usize] = value;
                }
                Step::Assume(condition) => {
                    let Some(holds) = condition.holds(|w| point[w.0 as usize]) else {
                        return Ok(None);
                    };
                    let condition = condition.clone();
                    domain.assume(&if holds {
                        condition
                    } else {
                        condition.negated()
                    });
                }
                Step::Forget(v, value) => {
                    domain.forget(*v);
                    point[v.0 as usize] = *value;
                }
            }
            check_member(&domain, &point)?;
        }
        Ok(Some((domain, point)))
    }

    pub(crate) fn check_member<D: NumericDomain>(
        domain: &D,
        point: &[i128],
    ) -> Result<(), TestCaseError> {
        prop_assert!(!domain.is_bottom(), "lost {:?}", point);
        for (v, &x) in point.iter().enumerate() {
            let v = VarId(v as u32);
            prop_assert!(
                domain.interval(v).contains(x),
                "{:?} = {} not in {:?}",
                v,
                x,
                domain
            );
            prop_assert!(domain.congruence(v).contains(x));
        }
        for constraint in domain.constraints() {
            prop_assert!(
                constraint.holds(|v| point[v.0 as usize]) != Some(false),
                "{:?} does not hold at {:?}",
                constraint,
                point
            );
        }
        // A domain with all knowledge about a point is below the others, or at least not apart from
        // them.
        let mut single = domain.clone();
        for (v, &x) in point.iter().enumerate() {
            single.assume_interval(VarId(v as u32), Interval::constant(x));
        }
        prop_assert!(
            !single.is_bottom(),
            "{:?} does not contain {:?}",
            domain,
            point
        );
        Ok(())
    }

    /// Two runs from two points, and everything that a lattice does with them.
    pub(crate) fn check_domain<D: NumericDomain>(
        top: &D,
        (p, q): (&[i128], &[i128]),
        slack: i128,
        (first, second): (&[Step], &[Step]),
    ) -> Result<(), TestCaseError> {
        let a = follow(top.clone(), p, slack, first)?;
        let b = follow(top.clone(), q, slack, second)?;
        let (Some((a, p)), Some((b, q))) = (a, b) else {
            return Ok(());
        };
        crate::laws::check_lattice(&a, &b, &a.join(&b))?;
        let fingerprint = |state: &D| {
            let mut hasher = std::hash::DefaultHasher::new();
            state.fingerprint(&mut hasher);
            hasher.finish()
        };
        for (one, other) in [(&a, &b), (&a, &a.meet(top)), (&a, &a.join(&a))] {
            prop_assert!(one != other || fingerprint(one) == fingerprint(other));
        }
        for (member, of) in [(&p, &a), (&q, &b)] {
            check_member(&a.join(&b), member)?;
            check_member(&a.widen(&b), member)?;
            check_member(&of.meet(&a.join(&b)), member)?;
            check_member(&a.join(&b).narrow(of), member)?;
        }
        let mut loosened = a.clone();
        loosened.loosen(
            VarId(0),
            a.interval(VarId(0)).join(&Interval::finite(-60, 9)),
        );
        check_member(&loosened, &p)?;
        let mut retained = a.clone();
        retained.retain(&|v| v.0 != 0);
        check_member(&retained, &[7, p[1], p[2]])?;
        retained.rename(&|v| if v.0 == 1 { VarId(0) } else { v });
        check_member(&retained, &[p[1], 9, p[2]])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn octagons(p in points(), q in points(), slack in 0i128..4, s in steps(), t in steps()) {
            check_domain(&Octagon::top(), (&p, &q), slack, (&s, &t))?;
        }
    }
}
