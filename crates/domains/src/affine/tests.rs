//! Affine equalities against all states of a small ring, and on programs.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::congruence::Congruence;
use crate::environment::Environment;
use crate::expression::{BinaryOperator, Expression};
use crate::laws;
use crate::machine::MachineInt;
use crate::numeric::domain_laws::{check_domain, points, steps};
use crate::numeric::{Condition, NumericDomain};
use crate::product::Product;
use crate::value::Comparison;

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
                (0..8i128)
                    .map(move |f| std::array::from_fn(|k| (h[k] + f * direction[k]).rem_euclid(8)))
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

/// `x = n; y = 0; while (x != 0) { x--; y++; }` in 32-bit arithmetic that wraps: `n == x + y` is
/// found and proves `y == n` at the end. `3i = a + b`, whatever row the normal form has for it.
#[test]
fn equations_read_well() {
    let mut state = AffineEqualities::top(32).expect("a width that there is");
    let (a, b, i) = (VarId(0), VarId(1), VarId(2));
    state.assume_equality(&[(i, 3), (a, -1), (b, -1)], 0, 32);
    let constraints = state.constraints();
    let [Constraint::Multiple { terms, .. }] = &constraints[..] else {
        panic!("{constraints:?}");
    };
    let sum: i128 = terms.iter().map(|(_, factor)| factor.abs()).sum();
    assert_eq!(sum, 5, "{constraints:?}");
}

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

#[test]
fn equations_have_small_coefficients_also_where_none_is_one() {
    let mut a = AffineEqualities::top(64).expect("valid");
    a.assume_equality(&[(X, 2), (Y, -3)], 0, 64);
    // Two thirds of an integer: the first is even.
    let expected = |terms: Vec<_>, modulus| Constraint::Multiple {
        terms,
        constant: 0,
        modulus,
    };
    assert_eq!(
        a.constraints(),
        vec![
            expected(vec![(X, -2), (Y, 3)], 1 << 64),
            expected(vec![(Y, 1)], 2)
        ]
    );
}
