//! Variables as expressions over other variables and disjunctions of intervals: the abstract domain
//! of the Invariants CPA.
//!
//! D. Beyer, M. Dangl, P. Wendler, *Boosting k-induction with continuously-refined invariants*, CAV
//! 2015; T. Stieglmaier's Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis with
//! Auxiliary Invariants*, 2016, section 2.3.6.
//!
//! | paper | here |
//! |---|---|
//! | `M : X → Expr` | [`ExpressionMap`] |
//! | `I`, disjunctions of intervals | [`IntervalSet`], for every variable |
//! | an expression over variables | a *definition*: `x` is a value of the expression |
//! | nesting depth `n` | [`ExpressionMap::new`]; deeper definitions are dropped |
//! | union of states | [`Lattice::join`] |
//! | widening of states | [`Lattice::widen`]: one interval for each variable |
//!
//! Deviation: a variable has its intervals and, if there is one, its definition, instead of either.
//! So nothing is lost when a definition is dropped because it became too deep, or because a
//! variable in it was assigned.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::congruence::Congruence;
use crate::environment::Environment;
use crate::expression::{Expression, Node};
use crate::interval::Interval;
use crate::interval_set::IntervalSet;
use crate::lattice::Lattice;
use crate::linear::{Bounds, Constraint, LinearForm, VarId};
use crate::numeric::{Condition, NumericDomain};
use crate::thresholds::Thresholds;
use crate::value::Comparison;

/// `γ`: states in which every variable lies in its intervals and is a value of its definition.
#[derive(Clone, PartialEq, Debug)]
pub struct ExpressionMap {
    /// `n`.
    depth: u32,
    values: Environment<IntervalSet>,
    /// Sorted by variable. A definition mentions some variable, but not the one that it defines.
    definitions: Arc<Vec<(VarId, Expression)>>,
}

impl ExpressionMap {
    /// Nothing is known; definitions nest at most `depth` operators.
    pub fn new(depth: u32) -> Self {
        ExpressionMap {
            depth,
            values: Environment::new(),
            definitions: Arc::default(),
        }
    }

    pub fn intervals(&self, variable: VarId) -> IntervalSet {
        self.values.get(variable)
    }

    pub fn definition(&self, variable: VarId) -> Option<&Expression> {
        let position = self
            .definitions
            .binary_search_by_key(&variable, |(v, _)| *v);
        position.ok().map(|position| &self.definitions[position].1)
    }

    fn is_definition(&self, variable: VarId, expression: &Expression) -> bool {
        expression.depth() <= self.depth
            && expression.variables().next().is_some()
            && !expression.mentions(variable)
    }

    fn define(&mut self, variable: VarId, expression: Expression) {
        if !self.is_definition(variable, &expression) || self.is_bottom() {
            return;
        }
        let definitions = Arc::make_mut(&mut self.definitions);
        match definitions.binary_search_by_key(&variable, |(v, _)| *v) {
            Ok(position) => definitions[position].1 = expression,
            Err(position) => definitions.insert(position, (variable, expression)),
        }
    }

    /// Prepares for another value of the variable: what was said in terms of the old one is said
    /// otherwise, or no more. Gives the variable's old definition.
    fn release(&mut self, variable: VarId) -> Option<Expression> {
        let old = self.definition(variable).cloned();
        let concerned = |(v, e): &(VarId, Expression)| *v == variable || e.mentions(variable);
        if !self.definitions.iter().any(concerned) {
            return old;
        }
        let mut kept = Vec::with_capacity(self.definitions.len());
        for (defined, expression) in self.definitions.iter() {
            if *defined == variable {
                continue;
            }
            if !expression.mentions(variable) {
                kept.push((*defined, expression.clone()));
            } else if let Some(old) = &old {
                let otherwise = expression.substitute(variable, old);
                if self.is_definition(*defined, &otherwise) {
                    kept.push((*defined, otherwise));
                }
            }
        }
        self.definitions = Arc::new(kept);
        old
    }

    /// Is the definition known to hold?
    fn implies(&self, variable: VarId, expression: &Expression) -> bool {
        if self.is_bottom() || self.definition(variable) == Some(expression) {
            return true;
        }
        let value = self.values.value_of(expression).as_constant();
        value.is_some() && value == self.values.get(variable).as_constant()
    }

    /// Definitions of this map that also hold in the other one.
    fn common(&self, other: &Self) -> Arc<Vec<(VarId, Expression)>> {
        if Arc::ptr_eq(&self.definitions, &other.definitions) {
            return self.definitions.clone();
        }
        let common = self.definitions.iter();
        let common = common.filter(|(v, e)| other.implies(*v, e)).cloned();
        Arc::new(common.collect())
    }

    /// Without states there is nothing to define.
    fn normal(mut self) -> Self {
        if self.values.is_bottom() {
            self.definitions = Arc::default();
        }
        self
    }

    /// Lets definitions and intervals sharpen one another where the variables occur.
    fn propagate(&mut self, variables: &[VarId]) {
        let definitions = self.definitions.clone();
        for (defined, expression) in definitions.iter() {
            let concerned =
                variables.contains(defined) || variables.iter().any(|&v| expression.mentions(v));
            if concerned && !self.values.is_bottom() {
                self.values.assume(&Condition::new(
                    Expression::variable(*defined),
                    Comparison::Equal,
                    expression.clone(),
                ));
            }
        }
    }
}

impl Lattice for ExpressionMap {
    fn bottom(&self) -> Self {
        ExpressionMap {
            depth: self.depth,
            values: self.values.bottom(),
            definitions: Arc::default(),
        }
    }

    fn top(&self) -> Self {
        ExpressionMap::new(self.depth)
    }

    fn is_bottom(&self) -> bool {
        self.values.is_bottom()
    }

    fn is_top(&self) -> bool {
        self.values.is_top() && self.definitions.is_empty()
    }

    fn leq(&self, other: &Self) -> bool {
        if self.is_bottom() {
            return true;
        }
        self.values.leq(&other.values)
            && (Arc::ptr_eq(&self.definitions, &other.definitions)
                || other.definitions.iter().all(|(v, e)| self.implies(*v, e)))
    }

    fn join(&self, other: &Self) -> Self {
        if self.is_bottom() {
            return other.clone();
        }
        if other.is_bottom() {
            return self.clone();
        }
        let mut joined = ExpressionMap {
            depth: self.depth,
            values: self.values.join(&other.values),
            definitions: self.common(other),
        };
        for (variable, expression) in other.definitions.iter() {
            if joined.definition(*variable).is_none() && self.implies(*variable, expression) {
                joined.define(*variable, expression.clone());
            }
        }
        joined
    }

    fn meet(&self, other: &Self) -> Self {
        let mut met = ExpressionMap {
            depth: self.depth,
            values: self.values.meet(&other.values),
            definitions: self.definitions.clone(),
        };
        for (variable, expression) in other.definitions.iter() {
            if met.definition(*variable).is_none() {
                met.define(*variable, expression.clone());
            }
        }
        met.normal()
    }

    fn widen(&self, newer: &Self) -> Self {
        self.widen_with(newer, &Thresholds::none())
    }

    /// Definitions are never gained, so there are finitely many changes.
    fn widen_with(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        if self.is_bottom() {
            return newer.clone();
        }
        if newer.is_bottom() {
            return self.clone();
        }
        ExpressionMap {
            depth: self.depth,
            values: self.values.widen_with(&newer.values, thresholds),
            definitions: self.common(newer),
        }
    }

    fn narrow(&self, newer: &Self) -> Self {
        ExpressionMap {
            depth: self.depth,
            values: self.values.narrow(&newer.values),
            definitions: self.definitions.clone(),
        }
        .normal()
    }
}

impl Bounds for ExpressionMap {
    fn interval(&self, variable: VarId) -> Interval {
        self.values.interval(variable)
    }
}

impl NumericDomain for ExpressionMap {
    fn assign(&mut self, variable: VarId, value: &Expression) {
        let intervals = self.values.value_of(value);
        let old = self.release(variable);
        let definition = match (value.mentions(variable), old) {
            (false, _) => Some(value.clone()),
            (true, Some(old)) => Some(value.substitute(variable, &old)),
            (true, None) => None,
        };
        self.values.set(variable, intervals);
        if let Some(definition) = definition {
            self.define(variable, definition);
        }
        if self.is_bottom() {
            self.definitions = Arc::default();
        }
    }

    fn assume(&mut self, condition: &Condition) {
        self.values.assume(condition);
        if condition.comparison == Comparison::Equal {
            for (side, other) in [
                (&condition.left, &condition.right),
                (&condition.right, &condition.left),
            ] {
                if let [Node::Variable(variable)] = *side.nodes()
                    && self.definition(variable).is_none()
                {
                    self.define(variable, other.clone());
                }
            }
        }
        let mut variables: Vec<VarId> = condition.left.variables().collect();
        variables.extend(condition.right.variables());
        self.propagate(&variables);
        if self.is_bottom() {
            self.definitions = Arc::default();
        }
    }

    fn forget(&mut self, variable: VarId) {
        self.release(variable);
        self.values.forget(variable);
    }

    fn retain(&mut self, keep: &dyn Fn(VarId) -> bool) {
        let mut gone: Vec<VarId> = Vec::new();
        for (defined, expression) in self.definitions.iter() {
            gone.extend(
                std::iter::once(*defined)
                    .chain(expression.variables())
                    .filter(|&v| !keep(v)),
            );
        }
        gone.sort_unstable();
        gone.dedup();
        for variable in gone {
            self.release(variable);
        }
        self.values.retain(keep);
    }

    fn rename(&mut self, rename: &dyn Fn(VarId) -> VarId) {
        self.values.rename(rename);
        let definitions = self.definitions.iter();
        let mut renamed: Vec<(VarId, Expression)> = definitions
            .map(|(v, e)| (rename(*v), e.map_variables(rename)))
            .collect();
        renamed.sort_by_key(|(v, _)| *v);
        self.definitions = Arc::new(renamed);
    }

    fn assume_interval(&mut self, variable: VarId, interval: Interval) {
        self.values.assume_interval(variable, interval);
        self.propagate(&[variable]);
        if self.is_bottom() {
            self.definitions = Arc::default();
        }
    }

    fn congruence(&self, variable: VarId) -> Congruence {
        self.values.congruence(variable)
    }

    fn congruence_of(&self, expression: &Expression) -> Congruence {
        self.values.congruence_of(expression)
    }

    fn assume_congruence(&mut self, variable: VarId, congruence: Congruence) {
        self.values.assume_congruence(variable, congruence);
        *self = self.clone().normal();
    }

    /// Definitions that are linear in all states are said exactly; of the others, what their linear
    /// forms say.
    fn constraints(&self) -> Vec<Constraint> {
        let mut constraints = self.values.constraints();
        for (variable, expression) in self.definitions.iter() {
            let form = expression.linearise(&self.values).form;
            let difference = form.subtract(&LinearForm::variable(*variable));
            let (Some(terms), constant) = (difference.exact_terms(), difference.constant_term())
            else {
                continue;
            };
            match (constant.as_constant(), constant.lower(), constant.upper()) {
                _ if terms.is_empty() => {}
                (Some(constant), ..) => constraints.push(Constraint::Zero { terms, constant }),
                (None, lower, upper) => {
                    // The form has a value between its bounds that is zero.
                    if let Some(constant) = lower {
                        constraints.push(Constraint::AtMostZero {
                            terms: terms.clone(),
                            constant,
                        });
                    }
                    if let Some(constant) = upper.and_then(i128::checked_neg) {
                        let negated = terms.iter().map(|&(v, c)| Some((v, c.checked_neg()?)));
                        if let Some(terms) = negated.collect() {
                            constraints.push(Constraint::AtMostZero { terms, constant });
                        }
                    }
                }
            }
        }
        constraints
    }

    fn definitions(&self) -> Vec<(VarId, Expression)> {
        let definitions = self.definitions.iter();
        let unsaid = definitions.filter(|(_, expression)| {
            let form = expression.linearise(&self.values).form;
            let is_exact =
                form.exact_terms().is_some() && form.constant_term().as_constant().is_some();
            !is_exact && !expression.is_plain_sum()
        });
        unsaid.cloned().collect()
    }

    fn fingerprint(&self, mut hasher: &mut dyn Hasher) {
        self.values.fingerprint(hasher);
        self.definitions.len().hash(&mut hasher);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::expression::BinaryOperator;
    use crate::numeric::domain_laws::{X, Y, Z, check_domain, follow, points, steps};

    fn plus(variable: VarId, constant: i128) -> Expression {
        Expression::binary(
            BinaryOperator::Add,
            Expression::variable(variable),
            Expression::constant(constant),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn follows_programs(p in points(), q in points(), slack in 0i128..4, s in steps(), t in steps(), depth in 0u32..4) {
            check_domain(&ExpressionMap::new(depth), (&p, &q), slack, (&s, &t))?;
        }
    }

    #[test]
    fn a_definition_outlives_the_variables_in_it() {
        let mut map = ExpressionMap::new(2);
        map.assign(X, &plus(Y, 1));
        map.assign(Z, &plus(X, 2));
        assert_eq!(map.definition(Z), Some(&plus(X, 2)));
        // `x` gets another value: `z` is now said in terms of `y`.
        map.assign(X, &Expression::constant(0));
        assert_eq!(map.definition(X), None);
        assert_eq!(map.definition(Z).map(Expression::depth), Some(2));
        map.assume_interval(Y, Interval::finite(3, 4));
        assert_eq!(map.interval(Z), Interval::finite(6, 7));
        map.forget(Y);
        assert_eq!(map.definition(Z), None);
        assert_eq!(map.interval(Z), Interval::finite(6, 7));
    }

    #[test]
    fn definitions_nest_as_deep_as_the_precision_says() {
        let mut shallow = ExpressionMap::new(1);
        shallow.assign(X, &plus(Y, 1));
        shallow.assign(X, &plus(X, 1));
        assert_eq!(shallow.definition(X), None);
        let mut deep = ExpressionMap::new(2);
        deep.assign(X, &plus(Y, 1));
        deep.assign(X, &plus(X, 1));
        deep.assume_interval(Y, Interval::constant(5));
        assert_eq!(deep.interval(X), Interval::constant(7));
    }

    #[test]
    fn union_keeps_values_apart_and_widening_does_not() {
        let at = |value| {
            let mut map = ExpressionMap::new(1);
            map.assign(X, &Expression::constant(value));
            map.assign(Y, &plus(X, 1));
            map
        };
        let union = at(1).join(&at(10));
        assert!(!union.intervals(X).contains(5));
        assert_eq!(union.definition(Y), Some(&plus(X, 1)));
        let widened = at(1).widen(&at(10));
        assert_eq!(widened.intervals(X).intervals(), [Interval::at_least(1)]);
        assert_eq!(widened.definition(Y), Some(&plus(X, 1)));
    }

    #[test]
    fn linear_definitions_are_constraints() {
        let mut map = ExpressionMap::new(1);
        map.assign(X, &plus(Y, 3));
        let terms = vec![(X, -1), (Y, 1)];
        assert_eq!(map.constraints(), [Constraint::Zero { terms, constant: 3 }]);
        assert!(map.definitions().is_empty());
    }

    #[test]
    fn what_no_constraint_says_is_a_definition() {
        let mut map = ExpressionMap::new(2);
        let square = Expression::binary(
            BinaryOperator::Multiply,
            Expression::variable(Y),
            Expression::variable(Y),
        );
        map.assign(X, &square);
        // A sum with any small number is what its two bounds say.
        let nearly = Expression::binary(
            BinaryOperator::Add,
            Expression::variable(Y),
            Expression::any_of(Interval::finite(0, 3)),
        );
        map.assign(Z, &nearly);
        assert_eq!(map.definitions(), [(X, square)]);
        map.assume_interval(Y, Interval::constant(4));
        assert!(map.definitions().is_empty(), "{:?}", map.constraints());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Constraints and definitions together describe no more states than the map.
        #[test]
        fn everything_is_said(
            p in points(), s in steps(), depth in 1u32..4, slack in 0i128..4, around in prop::collection::vec(-3i128..4, 3),
        ) {
            let Some((map, after)) = follow(ExpressionMap::new(depth), &p, slack, &s)? else {
                return Ok(());
            };
            let value = |v: VarId| after[v.0 as usize] + around[v.0 as usize];
            let holds = map.constraints().iter().all(|c| c.holds(value) == Some(true))
                && map.definitions().iter().all(|(v, e)| e.value(value) == Some(value(*v)));
            if holds {
                for (v, e) in map.definitions.iter() {
                    if let Some(one) = e.value(value) {
                        prop_assert_eq!(one, value(*v), "{:?}", map);
                    }
                }
            }
        }
    }
}
