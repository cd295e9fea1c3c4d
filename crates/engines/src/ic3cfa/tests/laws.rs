//! What holds of every question. That syntactic answers are the solver's, and that what comes out of
//! a generalisation blocks what went in, [`laws`](crate::ic3cfa::laws) checks on every call.

use super::*;

/// Lemma 5.3.2: both forms of relative inductiveness say the same.
#[test]
fn both_forms_of_inductiveness_agree() {
    let body = "if (x <= 0) abort(); if (__VERIFIER_nondet_int()) y = y - 1; else if (y > x) { x = x + 2; y = x; }";
    on_loop(body, |search, link| {
        let (x, y) = (value(search, "x"), value(search, "y"));
        let pool = &mut search.encoder.pool;
        let numbers = [0u128, 1, 3, 1000].map(|number| pool.bv(32, number));
        let mut literals = vec![pool.sgt(y, x), pool.sle(y, x), pool.eq(x, y)];
        for number in numbers {
            literals.extend([pool.eq(x, number), pool.sgt(x, number), pool.sle(y, number)]);
        }
        let blocked = Cube::from_iter([literals[0], literals[3]]);
        search.add_blocked(LOOP, &blocked, 1);
        let mut inductive = 0;
        for &a in &literals {
            for &b in &literals {
                let cube = Cube::from_iter([a, b]);
                let left = search
                    .by_transition(link, &cube, 2)
                    .expect("decided")
                    .is_some();
                let right = search
                    .by_preconditions(link, &cube, 2)
                    .expect("decided")
                    .is_some();
                assert_eq!(left, right, "{cube:?}");
                inductive += usize::from(left);
            }
        }
        assert!(inductive > 10 && inductive < literals.len() * literals.len());
    });
}

/// Section 7.2, first proposal: what equalities imply is not kept in cubes, and what contradicts
/// them is not asked about.
#[test]
fn what_equalities_imply_costs_no_question() {
    let body = "if (x == 1) y = 2; else if (x == 2) y = 3; else if (x == 3) y = 4;";
    on_loop(body, |search, link| {
        let (x, y) = (value(search, "x"), value(search, "y"));
        let pool = &mut search.encoder.pool;
        let numbers = [1u128, 3, 4].map(|number| pool.bv(32, number));
        let (is_one, is_three) = (pool.eq(x, numbers[0]), pool.eq(x, numbers[1]));
        let four = pool.eq(y, numbers[2]);
        let mut found = Vec::new();
        for partial in 0..search.links[link].partials.len() {
            let cube = Cube::from_iter([four]);
            if let wep::Precondition::Cube(all) = search.precondition(link, partial, &cube)
                && all.contains(is_three)
            {
                assert_eq!(about_state(search, &all).len(), 3);
                found.push(search.predecessor_cube(LOOP, &all));
            }
            let never = search.precondition(link, partial, &Cube::from_iter([four, is_one]));
            assert!(matches!(never, wep::Precondition::Never(_)));
        }
        assert_eq!(found, [Cube::from_iter([is_three])]);
        let cube = Cube::from_iter([four, is_one]);
        let refuted = search.by_preconditions(link, &cube, 2);
        assert!(refuted.expect("decided").is_some());
        assert_eq!(search.statistics.questions, 0);
        assert!(search.statistics.saved_by("7.2") > 0);
    });
}
