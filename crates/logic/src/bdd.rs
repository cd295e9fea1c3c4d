//! Reduced ordered binary decision diagrams over numbered variables.
//!
//! Abstract states of predicate analyses are boolean functions over predicates: to compare two of
//! them must be quick, and equal functions should be equal handles. The diagrams of an analysis are
//! small (tens of variables, hundreds of nodes) and short-lived, so nodes are never collected and
//! the order is that of the numbers.
//!
//! Recursion is as deep as there are variables, never as there are nodes.

use control::clock;
use rustc_hash::FxHashMap;
use std::time::Duration;

/// A function; equal functions of one [`BddPool`] are equal handles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Bdd(u32);

impl Bdd {
    pub const FALSE: Bdd = Bdd(0);
    pub const TRUE: Bdd = Bdd(1);

    pub fn constant(value: bool) -> Bdd {
        if value { Bdd::TRUE } else { Bdd::FALSE }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Node {
    variable: u32,
    high: Bdd,
    low: Bdd,
}

/// Owns the nodes.
///
/// Laws: a node's variable is smaller than those of its children; its children differ; no two nodes
/// are equal.
#[derive(Clone, Debug)]
pub struct BddPool {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, Bdd>,
    choices: FxHashMap<(Bdd, Bdd, Bdd), Bdd>,
    time: Duration,
}

impl Default for BddPool {
    fn default() -> Self {
        let leaf = |value| Node {
            variable: u32::MAX,
            high: value,
            low: value,
        };
        BddPool {
            nodes: vec![leaf(Bdd::FALSE), leaf(Bdd::TRUE)],
            unique: FxHashMap::default(),
            choices: FxHashMap::default(),
            time: Duration::ZERO,
        }
    }
}

impl BddPool {
    /// How many nodes were ever made.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 2
    }

    fn node(&self, function: Bdd) -> Node {
        self.nodes[function.0 as usize]
    }

    fn make(&mut self, variable: u32, high: Bdd, low: Bdd) -> Bdd {
        if high == low {
            return high;
        }
        let node = Node {
            variable,
            high,
            low,
        };
        if let Some(&known) = self.unique.get(&node) {
            return known;
        }
        let function = Bdd(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique.insert(node, function);
        function
    }

    /// The function that is the variable's value.
    pub fn variable(&mut self, number: u32) -> Bdd {
        self.make(number, Bdd::TRUE, Bdd::FALSE)
    }

    pub fn literal(&mut self, number: u32, positive: bool) -> Bdd {
        self.make(number, Bdd::constant(positive), Bdd::constant(!positive))
    }

    /// The conjunction of literals.
    pub fn cube(&mut self, literals: &[(u32, bool)]) -> Bdd {
        let mut sorted = literals.to_vec();
        sorted.sort_unstable_by_key(|literal| std::cmp::Reverse(*literal));
        let mut result = Bdd::TRUE;
        for (number, positive) in sorted {
            let literal = self.literal(number, positive);
            result = self.and(literal, result);
        }
        result
    }

    /// Time spent in building functions out of others.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// `condition ? then : otherwise`.
    pub fn ite(&mut self, condition: Bdd, then: Bdd, otherwise: Bdd) -> Bdd {
        if let Some(known) = self.known_ite(condition, then, otherwise) {
            return known;
        }
        let begin = clock::now();
        let result = self.build_ite(condition, then, otherwise);
        self.time += clock::since(begin);
        result
    }

    /// The choice where it needs no new node.
    fn known_ite(&self, condition: Bdd, then: Bdd, otherwise: Bdd) -> Option<Bdd> {
        if condition == Bdd::TRUE || then == otherwise {
            return Some(then);
        }
        if condition == Bdd::FALSE {
            return Some(otherwise);
        }
        if then == Bdd::TRUE && otherwise == Bdd::FALSE {
            return Some(condition);
        }
        self.choices.get(&(condition, then, otherwise)).copied()
    }

    fn build_ite(&mut self, condition: Bdd, then: Bdd, otherwise: Bdd) -> Bdd {
        if let Some(known) = self.known_ite(condition, then, otherwise) {
            return known;
        }
        let key = (condition, then, otherwise);
        let variable = [condition, then, otherwise]
            .into_iter()
            .map(|part| self.node(part).variable)
            .min()
            .expect("three parts");
        let side = |pool: &BddPool, part: Bdd, high: bool| {
            let node = pool.node(part);
            match node.variable == variable {
                true if high => node.high,
                true => node.low,
                false => part,
            }
        };
        let mut half = |high: bool| {
            let (c, t, o) = (
                side(self, condition, high),
                side(self, then, high),
                side(self, otherwise, high),
            );
            self.build_ite(c, t, o)
        };
        let (high, low) = (half(true), half(false));
        let result = self.make(variable, high, low);
        self.choices.insert(key, result);
        result
    }

    pub fn not(&mut self, a: Bdd) -> Bdd {
        self.ite(a, Bdd::FALSE, Bdd::TRUE)
    }

    pub fn and(&mut self, a: Bdd, b: Bdd) -> Bdd {
        // Conjunction is symmetric: one order finds more known results.
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        self.ite(a, b, Bdd::FALSE)
    }

    pub fn or(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        self.ite(a, Bdd::TRUE, b)
    }

    /// Is `b` true wherever `a` is?
    pub fn implies(&mut self, a: Bdd, b: Bdd) -> bool {
        self.ite(a, b, Bdd::TRUE) == Bdd::TRUE
    }

    /// The variables that the function depends on, ascending.
    pub fn support(&self, function: Bdd) -> Vec<u32> {
        let mut variables: Vec<u32> = self
            .reachable(function)
            .into_iter()
            .map(|part| self.node(part).variable)
            .collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// The inner nodes of the function, children before parents.
    fn reachable(&self, function: Bdd) -> Vec<Bdd> {
        let mut found: FxHashMap<Bdd, ()> = FxHashMap::default();
        let mut order = Vec::new();
        let mut work = vec![function];
        while let Some(part) = work.pop() {
            if part > Bdd::TRUE && found.insert(part, ()).is_none() {
                order.push(part);
                let node = self.node(part);
                work.push(node.high);
                work.push(node.low);
            }
        }
        // A child is made before its parent, so its number is smaller.
        order.sort_unstable();
        order
    }

    /// How many nodes the function has.
    pub fn size(&self, function: Bdd) -> usize {
        self.reachable(function).len()
    }

    /// Builds something out of the function: `choose(variable, high, low)` for each node, shared
    /// parts once.
    pub fn fold<T: Clone>(
        &self,
        function: Bdd,
        constant: impl Fn(bool) -> T,
        mut choose: impl FnMut(u32, &T, &T) -> T,
    ) -> T {
        let mut built: FxHashMap<Bdd, T> = FxHashMap::default();
        built.insert(Bdd::FALSE, constant(false));
        built.insert(Bdd::TRUE, constant(true));
        for part in self.reachable(function) {
            let node = self.node(part);
            let value = choose(node.variable, &built[&node.high], &built[&node.low]);
            built.insert(part, value);
        }
        built.remove(&function).unwrap_or_else(|| constant(false))
    }

    /// Disjoint cubes whose disjunction is the function; `None` if there are more than `limit`.
    pub fn cubes(&self, function: Bdd, limit: usize) -> Option<Vec<Vec<(u32, bool)>>> {
        let mut result = Vec::new();
        let mut work = vec![(function, Vec::new())];
        while let Some((part, literals)) = work.pop() {
            match part {
                Bdd::FALSE => {}
                Bdd::TRUE => {
                    result.push(literals);
                    if result.len() > limit {
                        return None;
                    }
                }
                _ => {
                    let node = self.node(part);
                    let mut with = |value: bool, child: Bdd| {
                        let mut longer = literals.clone();
                        longer.push((node.variable, value));
                        work.push((child, longer));
                    };
                    with(false, node.low);
                    with(true, node.high);
                }
            }
        }
        Some(result)
    }

    /// There is a value of the variable for which the function is true.
    pub fn exists(&mut self, function: Bdd, variable: u32) -> Bdd {
        let mut built: FxHashMap<Bdd, Bdd> = FxHashMap::default();
        for part in self.reachable(function) {
            let node = self.node(part);
            let child = |child: Bdd| built.get(&child).copied().unwrap_or(child);
            let (high, low) = (child(node.high), child(node.low));
            let value = if node.variable == variable {
                self.or(high, low)
            } else {
                let test = self.variable(node.variable);
                self.ite(test, high, low)
            };
            built.insert(part, value);
        }
        built.get(&function).copied().unwrap_or(function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VARIABLES: u32 = 6;

    /// A function as its truth table over six variables, beside its diagram.
    #[derive(Clone, Debug)]
    enum Formula {
        Variable(u32),
        Not(Box<Formula>),
        And(Box<Formula>, Box<Formula>),
        Or(Box<Formula>, Box<Formula>),
    }

    fn formulas() -> impl Strategy<Value = Formula> {
        let leaf = (0..VARIABLES).prop_map(Formula::Variable);
        leaf.prop_recursive(5, 40, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|a| Formula::Not(Box::new(a))),
                (inner.clone(), inner.clone())
                    .prop_map(|(a, b)| Formula::And(Box::new(a), Box::new(b))),
                (inner.clone(), inner).prop_map(|(a, b)| Formula::Or(Box::new(a), Box::new(b))),
            ]
        })
    }

    fn table(formula: &Formula) -> u64 {
        match formula {
            Formula::Variable(number) => (0..64u64)
                .filter(|row| row >> number & 1 == 1)
                .fold(0, |table, row| table | 1 << row),
            Formula::Not(a) => !table(a),
            Formula::And(a, b) => table(a) & table(b),
            Formula::Or(a, b) => table(a) | table(b),
        }
    }

    fn diagram(pool: &mut BddPool, formula: &Formula) -> Bdd {
        match formula {
            Formula::Variable(number) => pool.variable(*number),
            Formula::Not(a) => {
                let a = diagram(pool, a);
                pool.not(a)
            }
            Formula::And(a, b) => {
                let (a, b) = (diagram(pool, a), diagram(pool, b));
                pool.and(a, b)
            }
            Formula::Or(a, b) => {
                let (a, b) = (diagram(pool, a), diagram(pool, b));
                pool.or(a, b)
            }
        }
    }

    fn table_of(pool: &BddPool, function: Bdd) -> u64 {
        pool.fold(
            function,
            |value| if value { u64::MAX } else { 0 },
            |variable, high, low| {
                let test = table(&Formula::Variable(variable));
                test & high | !test & low
            },
        )
    }

    proptest! {
        #[test]
        fn diagrams_are_their_truth_tables(a in formulas(), b in formulas()) {
            let mut pool = BddPool::default();
            let (f, g) = (diagram(&mut pool, &a), diagram(&mut pool, &b));
            prop_assert_eq!(table_of(&pool, f), table(&a));
            prop_assert_eq!(f == g, table(&a) == table(&b));
            prop_assert_eq!(pool.implies(f, g), table(&a) & !table(&b) == 0);
        }

        #[test]
        fn cubes_are_disjoint_and_complete(a in formulas()) {
            let mut pool = BddPool::default();
            let f = diagram(&mut pool, &a);
            let mut union = 0u64;
            for cube in pool.cubes(f, 64).expect("at most one for each row") {
                let cube = pool.cube(&cube);
                let rows = table_of(&pool, cube);
                prop_assert_eq!(union & rows, 0);
                union |= rows;
            }
            prop_assert_eq!(union, table(&a));
        }

        #[test]
        fn quantified_variables_are_gone(a in formulas(), number in 0..VARIABLES) {
            let mut pool = BddPool::default();
            let f = diagram(&mut pool, &a);
            let quantified = pool.exists(f, number);
            let test = table(&Formula::Variable(number));
            let shift = 1u32 << number;
            let original = table(&a);
            let (high, low) = (original & test, original & !test);
            let expected = high | high >> shift | low | low << shift;
            prop_assert_eq!(table_of(&pool, quantified), expected);
            prop_assert!(!pool.support(quantified).contains(&number));
        }
    }
}
