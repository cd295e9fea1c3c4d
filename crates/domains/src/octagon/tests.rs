//! Octagons against their points: laws, transfer functions, large bounds, and the thesis's example.

use proptest::prelude::*;

use super::*;
use crate::interval::Interval;
use crate::laws;
use crate::linear::{Bounds, LinearForm, Relation};

const VARIABLES: u32 = 4;

fn literal(index: usize) -> Literal {
    Literal {
        variable: VarId(index as u32 / 2),
        negative: index % 2 == 1,
    }
}

type Difference = (usize, usize, i128);

fn differences() -> impl Strategy<Value = Vec<Difference>> {
    let literals = 2 * VARIABLES as usize;
    prop::collection::vec((0..literals, 0..literals, -5i128..12), 0..8)
}

fn octagon_of(differences: &[Difference]) -> Octagon {
    let mut octagon = Octagon::top();
    for &(from, to, bound) in differences {
        octagon.add_difference(literal(from), literal(to), bound);
    }
    octagon
}

pub(crate) fn octagons() -> impl Strategy<Value = Octagon> {
    prop_oneof![
        8 => differences().prop_map(|d| octagon_of(&d)),
        2 => points().prop_map(|p| point_octagon(&p)),
    ]
}

fn points() -> impl Strategy<Value = Vec<i128>> {
    laws::points(VARIABLES as usize)
}

fn point_octagon(point: &[i128]) -> Octagon {
    let mut octagon = Octagon::top();
    for (v, &value) in point.iter().enumerate() {
        octagon.assume_interval(VarId(v as u32), Interval::constant(value));
    }
    octagon
}

fn contains(octagon: &Octagon, point: &[i128]) -> bool {
    point_octagon(point).leq(octagon)
}

/// Membership by definition, on the constraints that were put in.
fn satisfies(differences: &[Difference], point: &[i128]) -> bool {
    let value = |i: usize| {
        if i.is_multiple_of(2) {
            point[i / 2]
        } else {
            -point[i / 2]
        }
    };
    differences
        .iter()
        .all(|&(from, to, bound)| value(to) - value(from) <= bound)
}

fn forms() -> impl Strategy<Value = LinearForm> {
    let coefficient = prop_oneof![
        4 => prop::sample::select(vec![-1i128, 1]).prop_map(Interval::constant),
        2 => (-3i128..4).prop_map(Interval::constant),
        1 => (-2i128..3, 0i128..3).prop_map(|(lo, n)| Interval::finite(lo, lo + n)),
    ];
    let constant = (-6i128..7, 0i128..3).prop_map(|(lo, n)| Interval::finite(lo, lo + n));
    (
        prop::collection::vec((0..VARIABLES, coefficient), 0..4),
        constant,
    )
        .prop_map(|(terms, constant)| {
            LinearForm::new(terms.into_iter().map(|(v, c)| (VarId(v), c)), constant)
        })
}

/// The value of a form at a point, for one choice of the coefficients.
fn form_value(form: &LinearForm, point: &[i128], choice: u64) -> i128 {
    let mut seed = choice;
    let mut pick = |i: Interval| {
        let (lo, hi) = (i.lower().expect("bounded"), i.upper().expect("bounded"));
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        lo + i128::from(seed >> 33) % (hi - lo + 1)
    };
    let constant = pick(form.constant_term());
    form.terms()
        .iter()
        .fold(constant, |sum, &(v, c)| sum + pick(c) * point[v.0 as usize])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn lattice_laws(a in octagons(), b in octagons(), c in octagons()) {
        laws::check_lattice(&a, &b, &c)?;
        laws::check_meet_is_lower(&a, &b)?;
        laws::check_join_is_least(&a, &b, &c)?;
        // The join of a part with the whole is the whole, so that least upper bounds are really
        // compared.
        let whole = a.join(&b);
        laws::check_join_is_least(&a, &b, &whole.meet(&c.join(&whole)))?;
    }

    #[test]
    fn widening_and_narrowing_stabilise(a in octagons(), rest in prop::collection::vec(octagons(), 6)) {
        let cells = (4 * VARIABLES * VARIABLES) as usize;
        laws::check_stabilises(&a, &rest, cells)?;
        laws::check_stabilises_with(&a, &rest, &Thresholds::new([-5, 0, 3, 9, 40]), 6 * cells)?;
    }

    #[test]
    fn members_are_the_points_of_the_constraints(d in differences(), p in points()) {
        prop_assert_eq!(contains(&octagon_of(&d), &p), satisfies(&d, &p));
    }

    #[test]
    fn order_of_constraints_does_not_matter(d in differences()) {
        let mut reversed = d.clone();
        reversed.reverse();
        prop_assert_eq!(octagon_of(&d), octagon_of(&reversed));
        let at_once = d.iter().map(|&(from, to, bound)| (literal(from), literal(to), bound));
        prop_assert_eq!(octagon_of(&d), Octagon::of_differences(at_once));
    }

    #[test]
    fn meet_is_intersection_and_join_holds_both(d in differences(), e in differences(), p in points()) {
        let (a, b) = (octagon_of(&d), octagon_of(&e));
        let both = satisfies(&d, &p) && satisfies(&e, &p);
        prop_assert_eq!(contains(&a.meet(&b), &p), both);
        let all: Vec<Difference> = d.iter().chain(&e).copied().collect();
        prop_assert_eq!(a.meet(&b), octagon_of(&all));
        if satisfies(&d, &p) || satisfies(&e, &p) {
            prop_assert!(contains(&a.join(&b), &p));
            prop_assert!(contains(&a.widen(&b), &p));
        }
        if both {
            prop_assert!(contains(&a.narrow(&b), &p));
        }
    }

    /// The join is the best one: each octagonal bound is the greater of the two.
    #[test]
    fn join_is_exact_on_octagonal_bounds(a in octagons(), b in octagons()) {
        let joined = a.join(&b);
        for i in 0..2 * VARIABLES as usize {
            for j in 0..2 * VARIABLES as usize {
                let (from, to) = (literal(i), literal(j));
                let expected = match (a.is_bottom(), b.is_bottom()) {
                    (true, true) => None,
                    (true, false) => b.difference_bound(from, to),
                    (false, true) => a.difference_bound(from, to),
                    (false, false) => {
                        a.difference_bound(from, to).zip(b.difference_bound(from, to)).map(|(x, y)| x.max(y))
                    }
                };
                prop_assert_eq!(joined.difference_bound(from, to), expected);
            }
        }
    }

    #[test]
    fn assignment_holds_the_image(d in differences(), p in points(), v in 0..VARIABLES, form in forms(), choice: u64) {
        let mut octagon = octagon_of(&d);
        octagon.assign_form(VarId(v), &form);
        if satisfies(&d, &p) {
            let mut image = p.clone();
            image[v as usize] = form_value(&form, &p, choice);
            prop_assert!(contains(&octagon, &image), "{:?} after {:?}", image, octagon);
        }
    }

    /// Octagonal assignments lose nothing: `x := ±y + c` is the exact image.
    #[test]
    fn octagonal_assignment_is_exact(d in differences(), p in points(), v in 0..VARIABLES, source in 0..2 * VARIABLES, c in -4i128..5) {
        let source = literal(source as usize);
        let sign = if source.negative { -1 } else { 1 };
        let mut octagon = octagon_of(&d);
        octagon.assign_form(VarId(v), &LinearForm::exact([(source.variable, sign)], c));
        let mut projected = octagon_of(&d);
        // Reference: a fresh variable equal to the form, then the old one removed and the fresh one
        // renamed.
        let fresh = Literal::positive(VarId(VARIABLES));
        projected.add_difference(source, fresh, c);
        projected.add_difference(fresh, source, -c);
        projected.forget(VarId(v));
        let renamed = projected.rename(|x| if x == fresh.variable { VarId(v) } else { x });
        prop_assert_eq!(&octagon, &renamed);
        let _ = p;
    }

    #[test]
    fn tests_keep_the_states_that_pass(d in differences(), p in points(), form in forms(), choice: u64, kind in 0..3) {
        let value = form_value(&form, &p, choice);
        let (relation, passes) = match kind {
            0 => (Relation::AtMostZero, value <= 0),
            1 => (Relation::Zero, value == 0),
            _ => (Relation::NonZero, value != 0),
        };
        let mut octagon = octagon_of(&d);
        let before = octagon.clone();
        octagon.assume_form(&form, relation);
        prop_assert!(octagon.leq(&before));
        if satisfies(&d, &p) && passes {
            prop_assert!(contains(&octagon, &p), "lost {:?} by {:?} {:?}", p, form, relation);
        }
    }

    /// Octagonal tests lose nothing, also with a common factor: `k·(±x ±y) + c <= 0`.
    #[test]
    fn octagonal_tests_are_exact(d in differences(), p in points(), from in 0usize..8, to in 0usize..8, factor in 1i128..5, c in -9i128..10) {
        let sign = |l: Literal| if l.negative { -factor } else { factor };
        let (a, b) = (literal(to), literal(from).negated());
        let form = LinearForm::exact([(a.variable, sign(a)), (b.variable, sign(b))], c);
        let at_point = form.evaluate(|v| Interval::constant(p[v.0 as usize])).as_constant().expect("exact");
        let mut octagon = octagon_of(&d);
        octagon.assume_form(&form, Relation::AtMostZero);
        prop_assert_eq!(contains(&octagon, &p), satisfies(&d, &p) && at_point <= 0);
        let mut equal = octagon_of(&d);
        equal.assume_form(&form, Relation::Zero);
        prop_assert_eq!(contains(&equal, &p), satisfies(&d, &p) && at_point == 0);
    }

    #[test]
    fn evaluation_holds_every_value(d in differences(), p in points(), form in forms(), choice: u64) {
        if satisfies(&d, &p) {
            let octagon = octagon_of(&d);
            prop_assert!(octagon.evaluate(&form).contains(form_value(&form, &p, choice)));
            for v in 0..VARIABLES {
                prop_assert!(octagon.interval(VarId(v)).contains(p[v as usize]));
            }
        }
    }

    #[test]
    fn forgetting_is_projection(d in differences(), p in points(), v in 0..VARIABLES, any in -9i128..9) {
        let mut octagon = octagon_of(&d);
        octagon.forget(VarId(v));
        if satisfies(&d, &p) {
            let mut moved = p.clone();
            moved[v as usize] = any;
            prop_assert!(contains(&octagon, &moved));
        }
        let mut retained = octagon_of(&d);
        retained.retain(|x| x != VarId(v));
        prop_assert_eq!(octagon, retained);
    }

    #[test]
    fn constraints_say_the_same(d in differences(), p in points()) {
        let octagon = octagon_of(&d);
        let all = octagon.constraints().iter().all(|c| c.holds(|v| p[v.0 as usize]) == Some(true));
        prop_assert_eq!(all, contains(&octagon, &p));
        let mut again = Octagon::top();
        for c in octagon.constraints() {
            match c {
                Constraint::AtMostZero { terms, constant } => {
                    again.assume_form(&LinearForm::exact(terms, constant), Relation::AtMostZero);
                }
                Constraint::Zero { terms, constant } => {
                    again.assume_form(&LinearForm::exact(terms, constant), Relation::Zero);
                }
                _ => again = Octagon::bottom(),
            }
        }
        prop_assert_eq!(again, octagon);
    }

    #[test]
    fn renaming_is_undone_by_renaming_back(d in differences(), shift in 1u32..4) {
        let octagon = octagon_of(&d);
        let there = octagon.rename(|v| VarId((v.0 + shift) % VARIABLES));
        let back = there.rename(|v| VarId((v.0 + VARIABLES - shift) % VARIABLES));
        prop_assert_eq!(back, octagon);
    }

    /// Blocks are as small as possible, and every relation lies within one.
    #[test]
    fn blocks_hold_exactly_the_relations(d in differences()) {
        let octagon = octagon_of(&d);
        if octagon.is_bottom() {
            return Ok(());
        }
        for x in 0..VARIABLES {
            for y in 0..x {
                let together = octagon
                    .blocks()
                    .iter()
                    .any(|b| b.contains(&VarId(x)) && b.contains(&VarId(y)));
                let directly = (0..4).any(|signs| {
                    let from = Literal { variable: VarId(x), negative: signs & 1 == 1 };
                    let to = Literal { variable: VarId(y), negative: signs & 2 == 2 };
                    let half = |l: Literal| octagon.difference_bound(l.negated(), l).map(|b| b / 2);
                    let apart = half(to).zip(half(from.negated())).map(|(a, b)| a + b);
                    match (octagon.difference_bound(from, to), apart) {
                        (Some(pair), Some(apart)) => pair < apart,
                        (Some(_), None) => true,
                        (None, _) => false,
                    }
                });
                prop_assert!(together || !directly, "v{} and v{} are related but apart", x, y);
            }
        }
    }
}

const X: VarId = VarId(0);
const Y: VarId = VarId(1);

fn at_most(terms: &[(VarId, i128)], bound: i128) -> LinearForm {
    LinearForm::exact(terms.iter().copied(), -bound)
}

/// Table 2.2 of the thesis: the matrix for the octagon of its figure 2.4. The diagonal there is
/// `+∞`, here zero; the listed constraint `Y >= 6` is a slip for `Y >= 1`, as the table has it.
#[test]
fn the_example_matrix_of_the_thesis() {
    let mut octagon = Octagon::top();
    let constraints: [(&[(VarId, i128)], i128); 8] = [
        (&[(X, -1)], -1),
        (&[(X, 1)], 6),
        (&[(Y, -1)], -1),
        (&[(Y, 1)], 5),
        (&[(Y, 1), (X, -1)], 3),
        (&[(X, 1), (Y, 1)], 10),
        (&[(X, 1), (Y, -1)], 4),
        (&[(X, -1), (Y, -1)], -3),
    ];
    for (terms, bound) in constraints {
        octagon.assume_form(&at_most(terms, bound), Relation::AtMostZero);
    }
    let expected = [
        [0, -2, 3, -3],
        [12, 0, 10, 4],
        [4, -3, 0, -2],
        [10, 3, 10, 0],
    ];
    for (i, row) in expected.iter().enumerate() {
        for (j, &cell) in row.iter().enumerate() {
            assert_eq!(
                octagon.difference_bound(literal(i), literal(j)),
                Some(cell),
                "({i}, {j})"
            );
        }
    }
}

#[test]
fn a_counting_loop_keeps_the_relation_of_its_counters() {
    // x = y = 0; while (*) { x++; y++; }
    let mut head = Octagon::top();
    head.assign_form(X, &LinearForm::exact([], 0));
    head.assign_form(Y, &LinearForm::exact([], 0));
    assert!(head.blocks().is_empty());
    for _ in 0..3 {
        let mut body = head.clone();
        body.assign_form(X, &LinearForm::exact([(X, 1)], 1));
        body.assign_form(Y, &LinearForm::exact([(Y, 1)], 1));
        head = head.widen(&body);
    }
    assert_eq!(head.interval(X), Interval::at_least(0));
    assert_eq!(
        head.difference_bound(Literal::positive(X), Literal::positive(Y)),
        Some(0)
    );
    assert_eq!(
        head.difference_bound(Literal::positive(Y), Literal::positive(X)),
        Some(0)
    );
}

/// Miné's example (HOSC 2006, section 3.7): here each widening drops one bound, and closure would
/// bring it back, larger, from the other two. Widening goes on from what it had before closure, so
/// it ends.
#[test]
fn closure_does_not_undo_widening() {
    let triangle = |xy: i128, yz: i128, xz: i128| {
        let mut octagon = Octagon::top();
        for (a, b, bound) in [(0, 2, xy), (2, 4, yz), (0, 4, xz)] {
            octagon.add_difference(literal(a), literal(b), bound);
            octagon.add_difference(literal(b), literal(a), bound);
        }
        octagon
    };
    let mut current = triangle(1, 1, 1);
    let mut changes = 0;
    for k in 0..20 {
        let newer = if k % 2 == 0 {
            triangle(k + 1, 1, k + 2)
        } else {
            triangle(k + 2, 1, k + 1)
        };
        let next = current.widen(&newer);
        changes += usize::from(!next.leq(&current));
        current = next;
    }
    assert!(changes <= 2, "{changes} changes, now {current:?}");
    assert_eq!(current.difference_bound(literal(2), literal(4)), Some(1));
}

#[test]
fn thresholds_stop_at_the_loop_bound() {
    let thresholds = Thresholds::with_neighbours([100]);
    let mut head = Octagon::top();
    head.assign_form(X, &LinearForm::exact([], 0));
    for _ in 0..4 {
        let mut body = head.clone();
        body.assume_form(&at_most(&[(X, 1)], 99), Relation::AtMostZero);
        body.assign_form(X, &LinearForm::exact([(X, 1)], 1));
        head = head.widen_with(&body, &thresholds);
    }
    assert_eq!(head.interval(X), Interval::finite(0, 100));
}

#[test]
fn narrowing_recovers_the_loop_bound() {
    let mut head = Octagon::top();
    head.assign_form(X, &LinearForm::exact([], 0));
    let entry = head.clone();
    let body = |head: &Octagon| {
        let mut body = head.clone();
        body.assume_form(&at_most(&[(X, 1)], 99), Relation::AtMostZero);
        body.assign_form(X, &LinearForm::exact([(X, 1)], 1));
        entry.join(&body)
    };
    head = head.widen(&body(&head));
    assert_eq!(head.interval(X), Interval::at_least(0));
    head = head.narrow(&body(&head));
    assert_eq!(head.interval(X), Interval::finite(0, 100));
}

#[test]
fn a_limited_join_relates_nothing_new() {
    let states = [0, 1].map(|value| {
        let mut state = Octagon::top();
        for v in 0..20 {
            state.assign_form(VarId(v), &LinearForm::exact([], value));
        }
        state
    });
    let best = states[0].join(&states[1]);
    assert_eq!(best.blocks().len(), 1);
    let cheap = states[0].join_limited(&states[1], 10);
    assert!(cheap.blocks().is_empty());
    assert!(best.leq(&cheap));
    assert_eq!(cheap.interval(X), Interval::finite(0, 1));
    assert_eq!(states[0].join_limited(&states[1], 20), best);
    let widened = states[0].widen_limited(&states[1], &Thresholds::new([7]), 10);
    assert_eq!(widened.interval(X), Interval::finite(0, 7));
    assert!(widened.blocks().is_empty());
}

/// Bounds of 64-bit variables are exact, and relations between them are found and never wrap.
#[test]
fn sixty_four_bit_bounds() {
    let (max_unsigned, max_signed) = (i128::from(u64::MAX), i128::from(i64::MAX));
    for bound in [max_signed, max_signed + 1, max_unsigned, max_unsigned - 1] {
        let mut octagon = Octagon::top();
        octagon.assume_interval(X, Interval::finite(0, bound));
        octagon.assume_form(&at_most(&[(Y, 1), (X, -1)], -1), Relation::AtMostZero);
        assert_eq!(octagon.interval(Y).upper(), Some(bound - 1));
        octagon.assume_interval(Y, Interval::at_least(0));
        assert_eq!(octagon.interval(X), Interval::finite(1, bound));
        let mut at_the_top = octagon.clone();
        at_the_top.assume_interval(Y, Interval::at_least(bound - 1));
        assert_eq!(at_the_top.interval(X), Interval::constant(bound));
        assert!(at_the_top.blocks().is_empty());
        at_the_top.assume_interval(X, Interval::at_most(bound - 1));
        assert!(at_the_top.is_bottom());
        // One more than the largest value is a value, not a wrapped one.
        let mut successor = octagon.clone();
        successor.assign_form(X, &LinearForm::exact([(X, 1)], 1));
        assert_eq!(successor.interval(X), Interval::finite(2, bound + 1));
        let sum = LinearForm::exact([(X, 1), (Y, 1)], 0);
        assert_eq!(octagon.evaluate(&sum).upper(), Some(2 * bound - 1));
    }
}

#[test]
fn bounds_beyond_the_representation_become_infinite() {
    let mut octagon = Octagon::top();
    octagon.assume_interval(X, Interval::at_most(i128::MAX - 10));
    octagon.assign_form(Y, &LinearForm::exact([(X, 1)], i128::MAX / 2));
    assert_eq!(octagon.interval(Y), Interval::TOP);
    octagon.assume_interval(Y, Interval::at_least(i128::MAX - 5));
    octagon.assign_form(Y, &LinearForm::exact([(Y, 1)], i128::MAX - 1));
    assert!(!octagon.is_bottom());
}

#[test]
fn unrelated_variables_cost_nothing() {
    let mut octagon = Octagon::top();
    for v in 0..1000 {
        octagon.assume_interval(VarId(v), Interval::finite(0, i128::from(v)));
    }
    octagon.assume_form(
        &at_most(&[(VarId(3), 1), (VarId(900), -1)], 0),
        Relation::AtMostZero,
    );
    assert_eq!(octagon.blocks(), vec![&[VarId(3), VarId(900)][..]]);
    octagon.assign_form(VarId(900), &LinearForm::exact([], 7));
    assert!(octagon.blocks().is_empty());
}
