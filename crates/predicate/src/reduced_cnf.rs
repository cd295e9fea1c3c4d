//! A conjunctive normal form on the upper levels of a formula only (Stieglmaier2016: T.
//! Stieglmaier, *Augmenting Predicate Analysis with Auxiliary Invariants*, 2016, section 5.2.3,
//! footnote 41: the exponential growth of the whole form is avoided).
//!
//! A clause is a set of literals that is made of the root and taken apart from outside inwards: a
//! conjunction in it makes several clauses, a disjunction several literals, a choice two clauses
//! (`if c then a else b` is `(¬c ∨ a) ∧ (c ∨ b)`, also where it chooses a side of a comparison),
//! and so does an equation of truth values. What would make too many clauses, or too many literals
//! of one, stays whole: it is a literal then.

use logic::{Op, Sort, Term, TermPool};
use rustc_hash::FxHashSet;

/// Literals of one clause; a disjunction of more parts is not taken apart.
const MAX_LITERALS: usize = 12;

/// Clauses whose conjunction is equivalent to the formula, at most `limit` (but at least one); none
/// for truth.
pub fn reduced_cnf(pool: &mut TermPool, root: Term, limit: usize) -> Vec<Term> {
    let mut done: Vec<Term> = Vec::new();
    // The last is the next one.
    let mut open = vec![Clause::of(root)];
    while let Some(mut clause) = open.pop() {
        let room = limit.saturating_sub(done.len() + open.len());
        match clause.take_apart(pool, room) {
            Step::Finished => {
                let term = pool.or_all(clause.whole.iter().copied());
                if term == TermPool::FALSE {
                    return vec![TermPool::FALSE];
                }
                if term != TermPool::TRUE && !done.contains(&term) {
                    done.push(term);
                }
            }
            Step::Holds => {}
            Step::Split(parts) => open.extend(parts.into_iter().rev()),
        }
    }
    done
}

/// A disjunction.
#[derive(Clone)]
struct Clause {
    /// Literals that are still to be looked at.
    open: Vec<Term>,
    /// Those that stay as they are.
    whole: Vec<Term>,
    /// All that ever were in it: a part that occurs again adds nothing.
    seen: FxHashSet<Term>,
}

enum Step {
    Finished,
    /// The clause is true whatever its variables are.
    Holds,
    Split(Vec<Clause>),
}

impl Clause {
    fn of(root: Term) -> Clause {
        Clause {
            open: vec![root],
            whole: Vec::new(),
            seen: FxHashSet::from_iter([root]),
        }
    }

    fn add(&mut self, literal: Term) {
        if self.seen.insert(literal) {
            self.open.push(literal);
        }
    }

    fn with(&self, literals: &[Term]) -> Clause {
        let mut clause = self.clone();
        for &literal in literals {
            clause.add(literal);
        }
        clause
    }

    /// Looks at literals until one makes several clauses; `room` is how many there may be.
    fn take_apart(&mut self, pool: &mut TermPool, room: usize) -> Step {
        while let Some(literal) = self.open.pop() {
            if literal == TermPool::TRUE {
                return Step::Holds;
            }
            if literal == TermPool::FALSE {
                continue;
            }
            let (inner, is_positive) = pool.strip_not(literal);
            let parts: Vec<Vec<Term>> = match pool.op(inner) {
                Op::And if is_positive => {
                    let conjuncts = pool.args(inner).iter();
                    conjuncts.map(|&conjunct| vec![conjunct]).collect()
                }
                Op::And => {
                    let disjuncts = pool.args(inner).to_vec();
                    if self.open.len() + self.whole.len() + disjuncts.len() > MAX_LITERALS {
                        Vec::new()
                    } else {
                        for disjunct in disjuncts {
                            let disjunct = pool.not(disjunct);
                            self.add(disjunct);
                        }
                        continue;
                    }
                }
                _ => cases(pool, inner, is_positive),
            };
            if parts.is_empty() || parts.len() > room {
                self.whole.push(literal);
                continue;
            }
            let parts = parts.iter().map(|part| self.with(part)).collect();
            return Step::Split(parts);
        }
        Step::Finished
    }
}

/// The two clauses that a choice or an equation of truth values is; none for anything else.
fn cases(pool: &mut TermPool, term: Term, is_positive: bool) -> Vec<Vec<Term>> {
    let args = pool.args(term).to_vec();
    let choice = match (pool.op(term), &args[..]) {
        (Op::Ite, &[condition, then, otherwise]) => Some((condition, then, otherwise)),
        (Op::Eq, &[a, b]) if pool.sort(a) == Sort::Bool => {
            let not_b = pool.not(b);
            Some((a, b, not_b))
        }
        (op @ (Op::Eq | Op::Ult | Op::Slt), &[a, b]) => match (chosen(pool, a), chosen(pool, b)) {
            (Some((condition, then, otherwise)), _) => {
                let (then, otherwise) =
                    (compare(pool, op, then, b), compare(pool, op, otherwise, b));
                Some((condition, then, otherwise))
            }
            (None, Some((condition, then, otherwise))) => {
                let (then, otherwise) =
                    (compare(pool, op, a, then), compare(pool, op, a, otherwise));
                Some((condition, then, otherwise))
            }
            (None, None) => None,
        },
        _ => None,
    };
    let Some((condition, then, otherwise)) = choice else {
        return Vec::new();
    };
    let not_condition = pool.not(condition);
    let mut signed = |term: Term| if is_positive { term } else { pool.not(term) };
    vec![
        vec![not_condition, signed(then)],
        vec![condition, signed(otherwise)],
    ]
}

/// The comparison of that kind.
fn compare(pool: &mut TermPool, op: Op, a: Term, b: Term) -> Term {
    match op {
        Op::Ult => pool.ult(a, b),
        Op::Slt => pool.slt(a, b),
        _ => pool.eq(a, b),
    }
}

/// The parts of a choice.
fn chosen(pool: &TermPool, term: Term) -> Option<(Term, Term, Term)> {
    match (pool.op(term), pool.args(term)) {
        (Op::Ite, &[condition, then, otherwise]) => Some((condition, then, otherwise)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Answer, NativeSolver, Solver};
    use proptest::prelude::*;

    /// How a random formula is made.
    #[derive(Clone, Debug)]
    enum Shape {
        Literal(usize),
        Less(usize, usize),
        Same(usize, usize),
        /// A comparison with a value that is chosen.
        ChosenLess(Box<Shape>, usize, usize, usize),
        Not(Box<Shape>),
        And(Vec<Shape>),
        Or(Vec<Shape>),
        Choice(Box<Shape>, Box<Shape>, Box<Shape>),
        Equal(Box<Shape>, Box<Shape>),
    }

    fn shape() -> impl Strategy<Value = Shape> {
        let leaf = prop_oneof![
            (0..3usize).prop_map(Shape::Literal),
            (0..4usize, 0..4usize).prop_map(|(a, b)| Shape::Less(a, b)),
            (0..4usize, 0..4usize).prop_map(|(a, b)| Shape::Same(a, b)),
        ];
        leaf.prop_recursive(5, 40, 4, |inner| {
            let boxed = || inner.clone().prop_map(Box::new);
            prop_oneof![
                boxed().prop_map(Shape::Not),
                prop::collection::vec(inner.clone(), 2..5).prop_map(Shape::And),
                prop::collection::vec(inner.clone(), 2..5).prop_map(Shape::Or),
                (boxed(), boxed(), boxed()).prop_map(|(c, a, b)| Shape::Choice(c, a, b)),
                (boxed(), boxed()).prop_map(|(a, b)| Shape::Equal(a, b)),
                (boxed(), 0..4usize, 0..4usize, 0..4usize)
                    .prop_map(|(c, a, b, d)| Shape::ChosenLess(c, a, b, d)),
            ]
        })
    }

    fn build(pool: &mut TermPool, shape: &Shape) -> Term {
        let value = |pool: &mut TermPool, number: usize| match number {
            3 => pool.bv(4, 5),
            _ => pool.var(&format!("x{number}"), Sort::BitVec(4)),
        };
        match shape {
            Shape::Literal(number) => pool.var(&format!("p{number}"), Sort::Bool),
            Shape::Less(a, b) => {
                let (a, b) = (value(pool, *a), value(pool, *b));
                pool.slt(a, b)
            }
            Shape::Same(a, b) => {
                let (a, b) = (value(pool, *a), value(pool, *b));
                pool.eq(a, b)
            }
            Shape::ChosenLess(condition, a, b, other) => {
                let condition = build(pool, condition);
                let (a, b, other) = (value(pool, *a), value(pool, *b), value(pool, *other));
                let chosen = pool.ite(condition, a, b);
                pool.ult(other, chosen)
            }
            Shape::Not(inner) => {
                let inner = build(pool, inner);
                pool.not(inner)
            }
            Shape::And(parts) => {
                let parts: Vec<Term> = parts.iter().map(|part| build(pool, part)).collect();
                pool.and_all(parts)
            }
            Shape::Or(parts) => {
                let parts: Vec<Term> = parts.iter().map(|part| build(pool, part)).collect();
                pool.or_all(parts)
            }
            Shape::Choice(condition, a, b) => {
                let (condition, a, b) = (build(pool, condition), build(pool, a), build(pool, b));
                pool.ite(condition, a, b)
            }
            Shape::Equal(a, b) => {
                let (a, b) = (build(pool, a), build(pool, b));
                pool.eq(a, b)
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn clauses_say_the_same_and_are_not_too_many(shape in shape(), limit in 1..20usize) {
            let mut pool = TermPool::new();
            let term = build(&mut pool, &shape);
            let clauses = reduced_cnf(&mut pool, term, limit);
            prop_assert!(clauses.len() <= limit);
            let all = pool.and_all(clauses);
            let same = pool.eq(term, all);
            let differ = pool.not(same);
            prop_assert_eq!(NativeSolver::default().check(&mut pool, &[differ]), Answer::Unsat);
        }
    }

    /// `c ? (a && b) : x < (d ? 1 : 2)` has four clauses.
    #[test]
    fn a_choice_becomes_clauses_of_literals() {
        let mut pool = TermPool::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| pool.var(name, Sort::Bool));
        let x = pool.var("x", Sort::BitVec(8));
        let (one, two) = (pool.bv(8, 1), pool.bv(8, 2));
        let bound = pool.ite(d, one, two);
        let (both, below) = (pool.and(a, b), pool.ult(x, bound));
        let term = pool.ite(c, both, below);
        let (not_c, not_d) = (pool.not(c), pool.not(d));
        let (below_one, below_two) = (pool.ult(x, one), pool.ult(x, two));
        let expected = [
            pool.or(not_c, a),
            pool.or(not_c, b),
            pool.or_all([c, not_d, below_one]),
            pool.or_all([c, d, below_two]),
        ];
        let mut found = reduced_cnf(&mut pool, term, 10);
        found.sort_unstable();
        let mut sorted = expected.to_vec();
        sorted.sort_unstable();
        assert_eq!(found, sorted);
        assert_eq!(reduced_cnf(&mut pool, term, 1), [term]);
    }

    #[test]
    fn deep_formulas_are_no_problem() {
        let mut pool = TermPool::new();
        let mut term = pool.var("start", Sort::Bool);
        for number in 0..50_000 {
            let next = pool.var(&format!("p{number}"), Sort::Bool);
            term = match number % 2 {
                0 => pool.and(term, next),
                _ => pool.or(term, next),
            };
        }
        let clauses = reduced_cnf(&mut pool, term, 30);
        assert!((1..=30).contains(&clauses.len()));
    }
}
