//! Polyhedra against their points: laws, transfer functions, hulls, limits.

use proptest::prelude::*;

use super::*;
use crate::laws;
use crate::linear::{LinearForm, Relation};
use crate::numeric::NumericDomain;
use crate::numeric::domain_laws::{check_domain, points as near, steps};
use crate::thresholds::Thresholds;

const VARIABLES: u32 = 4;
const X: VarId = VarId(0);
const Y: VarId = VarId(1);
const Z: VarId = VarId(2);

type Rows = Vec<(Vec<i128>, i128)>;

/// `constant + Σ factor·variable >= 0`.
fn rows() -> impl Strategy<Value = Rows> {
    let factors = prop::collection::vec(prop_oneof![3 => -1i128..2, 1 => -3i128..4], 4);
    prop::collection::vec((factors, -4i128..12), 0..6)
}

fn polyhedron(rows: &Rows) -> Polyhedra {
    let mut result = Polyhedra::top();
    for (factors, constant) in rows {
        let terms = factors.iter().enumerate();
        let terms = terms.map(|(number, &factor)| (VarId(number as u32), -factor));
        let form = LinearForm::exact(terms, -constant);
        result.assume_form(&form, Relation::AtMostZero);
    }
    result
}

fn at(point: &[i128]) -> Polyhedra {
    let mut result = Polyhedra::top();
    for (number, &value) in point.iter().enumerate() {
        result.assume_interval(VarId(number as u32), Interval::constant(value));
    }
    result
}

fn contains(polyhedra: &Polyhedra, point: &[i128]) -> bool {
    at(point).leq(polyhedra)
}

fn satisfies(rows: &Rows, point: &[i128]) -> bool {
    rows.iter().all(|(factors, constant)| {
        let sum: i128 = factors.iter().zip(point).map(|(a, b)| a * b).sum();
        sum + constant >= 0
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn lattice_laws(a in rows(), b in rows(), c in rows()) {
        let [a, b, c] = [a, b, c].map(|rows| polyhedron(&rows));
        laws::check_lattice(&a, &b, &c)?;
        laws::check_meet_is_lower(&a, &b)?;
        laws::check_join_is_least(&a, &b, &c)?;
    }

    #[test]
    fn domain_laws(p in near(), q in near(), slack in 0i128..4, s in steps(), t in steps()) {
        check_domain(&Polyhedra::top(), (&p, &q), slack, (&s, &t))?;
    }

    #[test]
    fn members_are_the_points_of_the_constraints(rows in rows(), p in laws::points(VARIABLES as usize)) {
        prop_assert_eq!(contains(&polyhedron(&rows), &p), satisfies(&rows, &p));
    }

    #[test]
    fn meet_is_intersection_and_join_holds_both(d in rows(), e in rows(), p in laws::points(VARIABLES as usize)) {
        let (a, b) = (polyhedron(&d), polyhedron(&e));
        let both = satisfies(&d, &p) && satisfies(&e, &p);
        prop_assert_eq!(contains(&a.meet(&b), &p), both);
        if satisfies(&d, &p) || satisfies(&e, &p) {
            prop_assert!(contains(&a.join(&b), &p));
            prop_assert!(contains(&a.widen(&b), &p));
        }
        if both {
            prop_assert!(contains(&a.narrow(&b), &p));
        }
    }

    /// Every point between one of each is in the hull, and its bounds are those of both.
    #[test]
    fn the_hull_has_the_bounds_of_both(d in rows(), e in rows(), factors in prop::collection::vec(-3i128..4, 4)) {
        let (a, b) = (polyhedron(&d), polyhedron(&e));
        let form = LinearForm::exact((0..VARIABLES).map(VarId).zip(factors), 0);
        let expected = a.evaluate(&form).hull(b.evaluate(&form));
        prop_assert_eq!(a.join(&b).evaluate(&form), expected);
    }

    #[test]
    fn assignment_holds_the_image(rows in rows(), p in laws::points(VARIABLES as usize), v in 0..VARIABLES, factors in prop::collection::vec(-2i128..3, 4), low in -5i128..5, n in 0i128..3, choice in 0i128..3) {
        let mut polyhedra = polyhedron(&rows);
        let terms = (0..VARIABLES).map(VarId).zip(factors.iter().copied());
        let terms = terms.map(|(v, c)| (v, Interval::constant(c)));
        polyhedra.assign_form(VarId(v), &LinearForm::new(terms, Interval::finite(low, low + n)));
        if satisfies(&rows, &p) {
            let sum: i128 = factors.iter().zip(&p).map(|(a, b)| a * b).sum();
            let mut image = p.clone();
            image[v as usize] = sum + low + choice.min(n);
            prop_assert!(contains(&polyhedra, &image), "{:?} not in {:?}", image, polyhedra);
        }
    }

    #[test]
    fn forgetting_is_projection(rows in rows(), p in laws::points(VARIABLES as usize), v in 0..VARIABLES, value in -9i128..9) {
        let mut polyhedra = polyhedron(&rows);
        polyhedra.forget(VarId(v));
        prop_assert_eq!(polyhedra.interval(VarId(v)), if polyhedra.is_bottom() { Interval::EMPTY } else { Interval::TOP });
        if satisfies(&rows, &p) {
            let mut image = p.clone();
            image[v as usize] = value;
            prop_assert!(contains(&polyhedra, &image));
        }
    }

    #[test]
    fn widening_and_narrowing_stabilise(a in rows(), rest in prop::collection::vec(rows(), 4)) {
        let rest: Vec<Polyhedra> = rest.iter().map(polyhedron).collect();
        laws::check_stabilises(&polyhedron(&a), &rest, 60)?;
        laws::check_stabilises_with(&polyhedron(&a), &rest, &Thresholds::new([-5, 0, 3, 9, 40]), 300)?;
    }
}

/// `x` is twice `y` after any number of steps: no octagon says that.
#[test]
fn a_loop_that_counts_twice_as_fast() {
    let mut head = at(&[0, 0, 0, 0]);
    for _ in 0..4 {
        let mut body = head.clone();
        body.assume_form(&LinearForm::exact([(Y, 1)], -99), Relation::AtMostZero);
        body.assign_form(X, &LinearForm::exact([(X, 1)], 2));
        body.assign_form(Y, &LinearForm::exact([(Y, 1)], 1));
        head = head.widen_with(&head.join(&body), &Thresholds::new([0, 100]));
    }
    let difference = LinearForm::exact([(X, 1), (Y, -2)], 0);
    assert_eq!(head.evaluate(&difference), Interval::ZERO, "{head:?}");
    assert_eq!(head.interval(Y), Interval::finite(0, 100), "{head:?}");
    assert_eq!(head.interval(X), Interval::finite(0, 200), "{head:?}");
    let said = head.constraints();
    let equation = |constraint: &Constraint| matches!(constraint, Constraint::Zero { terms, .. } if terms.len() == 2);
    assert!(said.iter().any(equation), "{said:?}");
}

/// The hull of two points is the segment between them.
#[test]
fn the_hull_of_two_points_is_a_segment() {
    let hull = at(&[0, 0, 7, 0]).join(&at(&[6, 4, 7, 0]));
    let ratio = LinearForm::exact([(X, 2), (Y, -3)], 0);
    assert_eq!(hull.evaluate(&ratio), Interval::ZERO);
    assert!(contains(&hull, &[3, 2, 7, 0]) && !contains(&hull, &[3, 3, 7, 0]));
    // What both agree on is related to nothing.
    assert_eq!(hull.blocks(), [&[X, Y][..]]);
    assert_eq!(hull.interval(Z), Interval::constant(7));
}

/// Too many related variables: relations are given up, bounds are not.
#[test]
fn what_is_too_large_is_left_out() {
    let mut large = Polyhedra::top();
    for number in 0..40 {
        large.assume_interval(VarId(number), Interval::finite(0, 9));
        if number > 0 {
            let form = LinearForm::exact([(VarId(number), 1), (VarId(number - 1), -1)], 0);
            large.assume_form(&form, Relation::AtMostZero);
        }
    }
    large.assume_interval(VarId(0), Interval::finite(0, 5));
    assert_eq!(large.interval(VarId(1)), Interval::finite(0, 5));
    assert!(
        large
            .blocks()
            .iter()
            .all(|block| block.len() <= block::MAX_VARIABLES)
    );
    assert!(contains(&large, &[5; 40]) && contains(&large, &[0; 40]));
    let one = Interval::constant(3);
    let mut shifted = large.clone();
    for number in 0..40 {
        shifted.assign_form(VarId(number), &LinearForm::constant(one));
    }
    let joined = large.join(&shifted);
    assert!(large.leq(&joined) && shifted.leq(&joined));
    assert_eq!(joined.interval(VarId(30)), Interval::finite(0, 9));
}

#[test]
fn large_numbers_lose_relations_and_no_state() {
    let huge = 1i128 << 100;
    let mut polyhedra = Polyhedra::top();
    for variable in [X, Y, Z] {
        polyhedra.assume_interval(variable, Interval::finite(-huge, huge));
    }
    for (a, b, c) in [(3, -7, 11), (-5, 2, 13), (17, 19, -1)] {
        let form = LinearForm::exact([(X, a), (Y, b), (Z, c)], huge / 3);
        polyhedra.assume_form(&form, Relation::AtMostZero);
    }
    let inside = [-huge / 2, -huge / 2, -huge / 2, 0];
    assert!(!polyhedra.is_bottom());
    for (number, &value) in inside[..3].iter().enumerate() {
        assert!(polyhedra.interval(VarId(number as u32)).contains(value));
    }
}
