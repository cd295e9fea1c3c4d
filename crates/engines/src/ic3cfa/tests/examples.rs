//! The examples of the thesis, each with the result that it states.

use super::*;

/// Example 4.2.3: both counterexamples to induction are blocked as they are.
#[test]
fn example_4_2_3() {
    let (program, budget) = (lowered(TRUE_PROGRAM), Budget::unlimited());
    let options = as_written(Ic3CfaOptions {
        generalisation: Generalisation::None,
        ..Ic3CfaOptions::old()
    });
    let (mut search, _) = searched(&program, &options, &budget);
    assert_eq!(search.nodes.len(), 3);
    let frames = frame(&mut search, LOOP, 1);
    assert_eq!(frames.len(), 2, "{frames:?}");
    let values: Vec<bool> = ["Eq x 1", "Eq x 2"]
        .iter()
        .map(|value| {
            let has = |cube: &Vec<String>, text: &str| cube.iter().any(|one| one == text);
            frames
                .iter()
                .any(|cube| has(cube, value) && has(cube, "not Slt y x"))
        })
        .collect();
    assert_eq!(values, [true, true], "{frames:?}");
    assert_eq!(frames, frame(&mut search, LOOP, 2));
    assert_eq!(search.level, 2);
}

/// Example 4.3.3: both become `y >= x`.
#[test]
fn example_4_3_3() {
    let (program, budget) = (lowered(TRUE_PROGRAM), Budget::unlimited());
    let (mut search, _) = searched(&program, &as_written(Ic3CfaOptions::old()), &budget);
    let expected = vec![vec!["not Slt y x".to_owned()]];
    assert_eq!(frame(&mut search, LOOP, 1), expected);
    assert_eq!(frame(&mut search, LOOP, 2), expected);
    assert_eq!(search.level, 2);
}

/// Example 5.1.3: no frame before a place can be reached, and so no question about it.
#[test]
fn example_5_1_3() {
    // Loops keep their places, so these are three places in a row.
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0) return 0;
        while (__VERIFIER_nondet_int()) x = x + 1; while (__VERIFIER_nondet_int()) x = 4 * x;
        while (__VERIFIER_nondet_int()) x = x - 1; if (x == 3) reach_error(); return 0; }";
    let (program, budget) = (lowered(text), Budget::unlimited());
    let options = as_written(Ic3CfaOptions::default());
    let search = Search::new(&program, &options, &NoBoard, &budget).expect("it is small");
    let mut distances: Vec<u32> = search.nodes[LOOP..]
        .iter()
        .map(|node| node.distance)
        .collect();
    distances.sort_unstable();
    assert_eq!(distances, [1, 2, 3]);
    for node in LOOP..search.nodes.len() {
        for level in 0..5 {
            assert_eq!(
                search.is_bottom(node, level),
                level < search.nodes[node].distance
            );
        }
    }
    assert_eq!(
        answer(text, few_questions(Ic3CfaOptions::default())),
        "FALSE"
    );
}

/// Example 5.2.8: the command is split into two, each of which maps the cube to one cube.
#[test]
fn example_5_2_8() {
    let body = "if (x <= 0) abort(); x = x + 1; if (__VERIFIER_nondet_int()) x = 4 * x; x = x - 1;";
    on_loop(body, |search, link| {
        assert_eq!(search.links[link].partials.len(), 2);
        let x = value(search, "x");
        let pool = &mut search.encoder.pool;
        let three = pool.bv(32, 3);
        let cube = Cube::from_iter([pool.eq(x, three)]);
        let (one, four, zero) = (pool.bv(32, 1), pool.bv(32, 4), pool.bv(32, 0));
        let positive = pool.sgt(x, zero);
        let more = pool.bv_add(x, one);
        let scaled = pool.bv_mul(four, more);
        let expected = [more, scaled].map(|sum| {
            let sum = pool.bv_sub(sum, one);
            let entered = pool.eq(sum, three);
            Cube::from_iter([positive, entered])
        });
        let mut found: Vec<Cube> = Vec::new();
        for partial in 0..2 {
            let all = precondition(search, link, partial, &cube);
            found.push(about_state(search, &all));
        }
        found.sort();
        let mut expected = expected.to_vec();
        expected.sort();
        assert_eq!(found, expected);
    });
}

/// Example 5.4.3: `x > 0` follows from the command; `y > 1` does not. (`x + 1 > 1` is not `x > 0`
/// where integers have an end, so the variable of the assumption stays as it is here.)
#[test]
fn example_5_4_3() {
    on_loop("if (x <= 0) abort(); y = y + 1;", |search, link| {
        let (x, y) = (value(search, "x"), value(search, "y"));
        let pool = &mut search.encoder.pool;
        let (zero, one) = (pool.bv(32, 0), pool.bv(32, 1));
        let (assumed, free) = (pool.sgt(x, zero), pool.sgt(y, one));
        let cube = Cube::from_iter([assumed, free]);
        assert_eq!(search.without_assumed(link, &cube), Cube::from_iter([free]));
    });
    // Equality is said the same way before and behind.
    on_loop("if (x != 6) abort(); x = x + 1;", |search, link| {
        let (x, y) = (value(search, "x"), value(search, "y"));
        let pool = &mut search.encoder.pool;
        let (one, seven) = (pool.bv(32, 1), pool.bv(32, 7));
        let (assumed, free) = (pool.eq(x, seven), pool.sgt(y, one));
        let cube = Cube::from_iter([assumed, free]);
        assert_eq!(search.without_assumed(link, &cube), Cube::from_iter([free]));
    });
}

/// Example 5.5.4: `y - 1 >= x` is blocked before, so `y >= x` alone is enough behind.
#[test]
fn example_5_5_4() {
    on_loop("y = y - 1;", |search, link| {
        let (x, y) = (value(search, "x"), value(search, "y"));
        let pool = &mut search.encoder.pool;
        let one = pool.bv(32, 1);
        let (at_least, is_one) = (pool.sge(y, x), pool.eq(x, one));
        let less = pool.bv_sub(y, one);
        let blocked = Cube::from_iter([pool.sge(less, x)]);
        let cube = Cube::from_iter([at_least, is_one]);
        assert_eq!(search.by_predecessors(link, &cube, &Cube::empty(), 2), None);
        search.add_blocked(LOOP, &blocked, 1);
        let found = search.by_predecessors(link, &cube, &Cube::empty(), 2);
        let found = found.expect("it is blocked");
        assert_eq!(found.general, Cube::from_iter([at_least]));
        assert!(found.is_one);
        // Lemma 5.5.1: the main loop need not ask either.
        let before = search.statistics.questions;
        assert!(
            search
                .by_preconditions(link, &cube, 2)
                .expect("decided")
                .is_some()
        );
        assert_eq!(search.statistics.questions, before);
    });
}

/// Example 5.8.1: `p1` blocks all three cubes; two questions find it from the smallest, and three
/// from the others. So the smallest comes first.
#[test]
fn example_5_8_1() {
    on_loop("y = y + 1;", |search, link| {
        search.options = as_written(Ic3CfaOptions::old());
        let (x, y) = (value(search, "x"), value(search, "y"));
        let pool = &mut search.encoder.pool;
        let numbers = [0u128, 5, 7, 9, 100].map(|number| pool.bv(32, number));
        let p1 = pool.eq(x, numbers[4]);
        let [p2, p3, p4, p5] = [0, 1, 2, 3].map(|number| pool.sgt(y, numbers[number]));
        search.add_blocked(LOOP, &Cube::from_iter([p1]), 1);
        let cubes = [vec![p1, p2], vec![p1, p3, p4], vec![p1, p3, p5]];
        let mut asked = Vec::new();
        for literals in cubes {
            let cube = Cube::from_iter(literals);
            let before = search.statistics.questions;
            let general = search.drop_literals(link, &cube, 2, &Cube::empty());
            assert_eq!(general.expect("decided"), Cube::from_iter([p1]));
            asked.push(search.statistics.questions - before);
        }
        assert_eq!(asked, [2, 3, 3]);
    });
}

/// Example 5.9.2: the first edge needs `y >= x`, so dropping it is not tried for the second.
#[test]
fn example_5_9_2() {
    let (program, budget) = (lowered(TRUE_PROGRAM), Budget::unlimited());
    let (search, _) = searched(&program, &as_written(Ic3CfaOptions::old()), &budget);
    let expected = vec![vec!["not Slt y x".to_owned()]];
    let with_bound = as_written(Ic3CfaOptions {
        generalisation: Generalisation::New,
        section_5_9_earlier_edges: true,
        ..Ic3CfaOptions::old()
    });
    let (mut bounded, _) = searched(&program, &with_bound, &budget);
    assert_eq!(frame(&mut bounded, LOOP, 2), expected);
    assert!(bounded.statistics.saved_by("5.9") > 0);
    let (old, new) = (&search.statistics, &bounded.statistics);
    assert!(new.in_generalisation < old.in_generalisation);
}

/// Example 5.10.2: the program Jain1 (algorithm 5.10.1) needs `y % 2 == 0`, which no cube of its
/// own has; table 5.2.
#[test]
fn example_5_10_2() {
    let text = "unsigned __VERIFIER_nondet_uint(void); int main(void) { unsigned y = 1;
        while (1) { if (y == 0) reach_error(); y = y + 2 * __VERIFIER_nondet_uint(); } }";
    let (program, budget) = (lowered(text), Budget::unlimited());
    let (mut search, certificate) =
        searched(&program, &as_written(Ic3CfaOptions::default()), &budget);
    assert!(certificate.claims_safety());
    // Indices 0, 1 and 2.
    let frames = frame(&mut search, LOOP, 1);
    assert_eq!(search.level, 2, "{frames:?}");
    assert_eq!(frames, frame(&mut search, LOOP, 2));
    let cube = search.frames[LOOP].at(1).next().cloned();
    let literal = cube.expect("one cube").term(&mut search.encoder.pool);
    let pool = &search.encoder.pool;
    for (bits, is_even) in [(0u128, true), (1, false), (6, true), (0xffff_ffff, false)] {
        let y = pool.free_vars(literal)[0];
        let mut model = logic::Model::new();
        model.set(y, logic::Value::Bv(logic::BvValue::new(32, bits)));
        assert_eq!(
            pool.eval(literal, &model).as_bool(),
            Some(is_even),
            "{frames:?}"
        );
    }
    assert_eq!(
        answer(text, few_questions(Ic3CfaOptions::default())),
        "TRUE"
    );
}
