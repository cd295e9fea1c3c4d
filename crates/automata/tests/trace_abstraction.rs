//! The example of M. Greitschus, D. Dietsch, A. Podelski: Refining Trace Abstraction using Abstract
//! Interpretation (section 1.1), with all that knows statements written here: two traces, two data
//! automata, and the second one computes its Hoare triples when the difference asks for them.

use automata::{
    Absorbing, Alphabet, Determinised, Difference, Letter, Nfa, Run, Search, State, accepts,
    explore, reduce, search,
};
use std::convert::Infallible;

/// Intervals of `x` and `y`; `None` is the empty box, `false`.
type Box2 = Option<[(i64, i64); 2]>;

const ANY: (i64, i64) = (i64::MIN, i64::MAX);

/// The abstract post of the statements of figure 1.
fn post(statement: &str, before: Box2) -> Box2 {
    let [x, y] = before?;
    let meet = |a: (i64, i64), b: (i64, i64)| {
        let both = (a.0.max(b.0), a.1.min(b.1));
        (both.0 <= both.1).then_some(both)
    };
    Some(match statement {
        "x:=0;y:=42" => [(0, 0), (42, 42)],
        "x<100" => [meet(x, (i64::MIN, 99))?, y],
        "x:=x+1" => [(x.0.saturating_add(1), x.1.saturating_add(1)), y],
        "y>0" => [x, meet(y, (1, i64::MAX))?],
        "y<=0" => [x, meet(y, (i64::MIN, 0))?],
        "y:=42" => [x, (42, 42)],
        "x>=100" => [meet(x, (100, i64::MAX))?, y],
        "x!=100||y!=42" if [x, y] == [(100, 100), (42, 42)] => return None,
        "x!=100||y!=42" => [x, y],
        other => panic!("no statement: {other}"),
    })
}

fn is_within(small: Box2, large: Box2) -> bool {
    let (Some(small), Some(large)) = (small, large) else {
        return small.is_none();
    };
    (0..2).all(|var| large[var].0 <= small[var].0 && small[var].1 <= large[var].1)
}

struct Example {
    statements: Alphabet<&'static str>,
    program: Nfa,
}

fn example() -> Example {
    let mut statements = Alphabet::default();
    let mut program = Nfa::builder();
    program.initial(State(0)).accepting(State(7));
    for (source, statement, target) in [
        (0, "x:=0;y:=42", 1),
        (1, "x<100", 2),
        (2, "x:=x+1", 3),
        (3, "y>0", 1),
        (1, "x>=100", 6),
        (6, "x!=100||y!=42", 7),
        (3, "y<=0", 4),
        (4, "y:=42", 1),
    ] {
        program.edge(State(source), statements.intern(statement), State(target));
    }
    Example {
        statements,
        program: program.build(),
    }
}

/// The text of the trace that is left.
fn trace<S>(example: &Example, found: Search<S>) -> Vec<&'static str> {
    let Search::Accepts(Run { word, .. }) = found else {
        panic!("no trace");
    };
    let text = |&letter: &Letter| *example.statements.get(letter).expect("a letter");
    word.iter().map(text).collect()
}

#[test]
fn the_second_data_automaton_proves_the_program() {
    let example = example();
    let letter = |text: &str| example.statements.letter(text).expect("a statement");
    let Ok(found) = search(&mut &example.program);
    assert_eq!(
        trace(&example, found),
        ["x:=0;y:=42", "x>=100", "x!=100||y!=42"]
    );

    // The proof {true} x:=0;y:=42 {x=0} x>=100 {false} of the first trace.
    let [truth, zero, falsity] = [0, 1, 2].map(State);
    let mut data = Nfa::builder();
    data.initial(truth).accepting(falsity);
    data.edge(truth, letter("x:=0;y:=42"), zero);
    data.edge(zero, letter("x>=100"), falsity);
    for statement in example.statements.letters() {
        data.edge(falsity, statement, falsity);
    }
    let data = data.build();
    let mut rest = Difference::new(&example.program, &data);
    let Ok(found) = search(&mut rest);
    let tau = [
        "x:=0;y:=42",
        "x<100",
        "x:=x+1",
        "y>0",
        "x>=100",
        "x!=100||y!=42",
    ];
    assert_eq!(trace(&example, found), tau);

    // What is kept for the next iteration accepts this trace, and not the first one.
    let Ok(explored) = explore(&mut rest);
    let kept = reduce(&explored.nfa).nfa;
    let word = tau.map(letter);
    assert_eq!(accepts(&kept, &word), Ok(true));
    assert_eq!(accepts(&kept, &[word[0], word[4], word[5]]), Ok(false));
    assert!(kept.is_deterministic());

    // The state assertions of figure 3, with all triples that abstract post finds valid (figure 7).
    let boxes: [Box2; 6] = [
        Some([ANY, ANY]),
        Some([(0, 100), (42, 42)]),
        Some([(0, 99), (42, 42)]),
        Some([(1, 100), (42, 42)]),
        Some([(100, 100), (42, 42)]),
        None,
    ];
    let mut triples = 0;
    let by_triples = |set: &[State], letter: Letter| {
        let statement = example.statements.get(letter).expect("a letter");
        let mut next = Vec::new();
        for &predicate in set {
            let behind = post(statement, boxes[predicate.0 as usize]);
            for (number, &other) in boxes.iter().enumerate() {
                triples += 1;
                if is_within(behind, other) {
                    next.push(State(number as u32));
                }
            }
        }
        Ok::<_, Infallible>(next)
    };
    let data = Absorbing::new(vec![State(0)], State(5), by_triples);
    let mut rest = Difference::new(&kept, data);
    let Ok(found) = search(&mut rest);
    assert!(matches!(found, Search::Empty(_)), "{found:?}");
    drop(rest);
    assert!(triples < 6 * 6 * example.statements.len() * 2, "{triples}");
}

/// Without invariants each round unrolls the loop once more.
#[test]
fn single_traces_unroll_the_loop() {
    let example = example();
    let mut rest = example.program.clone();
    for round in 0..20 {
        let Ok(Search::Accepts(run)) = search(&mut &rest) else {
            panic!("a trace is left");
        };
        // Both ways through the body are tried; shorter traces come first.
        assert!(run.word.len() <= 3 + 4 * (round + 1), "{:?}", run.word);
        let mut data = Nfa::builder();
        data.initial(State(0));
        for (number, &letter) in run.word.iter().enumerate() {
            data.edge(State(number as u32), letter, State(number as u32 + 1));
        }
        data.accepting(State(run.word.len() as u32));
        let data = data.build();
        assert_eq!(accepts(&rest, &run.word), Ok(true));
        let Ok(explored) = explore(&mut Determinised::new(Difference::new(&rest, &data)));
        rest = reduce(&explored.nfa).nfa;
        assert_eq!(accepts(&rest, &run.word), Ok(false));
    }
}
