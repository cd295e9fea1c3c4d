//! The laws of triples: layers answer as the solver alone does, and both as executions do.

use super::*;
use crate::graph::{BlockGraph, BlockId, PlaceId};
use crate::statements::Statements;
use crate::testing::{Random, bound, load, var};
use cfa::expr::{ExprId, ExprPool};
use cfa::op::Input;
use cfa::program::Program;
use cfa::value::Ty;
use interpreter::{InputSource, Interpreter, Options, Outcome};
use logic::{SolverChoice, SolverOptions, Value};

const VARIABLES: [&str; 3] = ["x", "y", "z"];

/// What the body of a loop may do, without inputs.
const BODIES: [&str; 7] = [
    "x = x + 1;",
    "x = y; y = y / 2;",
    "if (x < y) x = x + 3; else y = x;",
    "if (y > 9) { x = 0; } z = z;",
    "y = y & 7; if (z == 5) x = z - y;",
    "if (x + y < z) { z = x + y; } else { if (x == 3) reach_error(); x = z; }",
    "if (x < 4) { x = x * 2; y = y + x; }",
];

/// A comparison of a variable with a constant.
type Bound = (usize, bool, u32);

fn random_bound(random: &mut Random) -> Bound {
    let bounds = [0, 1, 3, 5, 7, 9, 10, 14, 4_000_000_000];
    let bound = bounds[random.below(bounds.len() as u64) as usize];
    (random.below(3) as usize, random.below(2) == 0, bound)
}

fn in_c((variable, upper, bound): Bound) -> String {
    let comparison = if upper { "<=" } else { ">=" };
    format!("{} {comparison} {bound}u", VARIABLES[variable])
}

/// The block from the loop's head back to it, and what statements are there.
struct Loop<'p> {
    program: &'p Program,
    graph: BlockGraph<'p>,
    head: PlaceId,
    block: BlockId,
    pool: ExprPool,
    statements: Statements,
}

impl<'p> Loop<'p> {
    fn of(program: &'p Program) -> Loop<'p> {
        let mut graph = BlockGraph::between_loop_heads(program);
        assert_eq!(graph.explore(9, &StopToken::new()), Ok(()));
        let head = PlaceId(1);
        let back = graph.incoming(head).iter().copied();
        let mut back = back.filter(|&block| graph.block(block).source == head);
        let block = back.next().expect("there is a way back");
        Loop {
            program,
            pool: program.pool.clone(),
            graph,
            head,
            block,
            statements: Statements::default(),
        }
    }

    fn said(&mut self, (variable, upper, limit): Bound) -> ExprId {
        let variable = var(self.program, VARIABLES[variable]);
        bound(self.program, &mut self.pool, variable, upper, limit)
    }

    fn before(&mut self, statement: Bound) -> Term {
        let said = self.said(statement);
        let term = (self.statements).at_start(&mut self.graph, &self.pool, self.head, said);
        term.expect("it has a formula")
    }

    fn after(&mut self, statement: Bound) -> Term {
        let said = self.said(statement);
        let term = (self.statements).at_end(&mut self.graph, &self.pool, self.block, said);
        term.expect("it has a formula")
    }

    fn path(&self) -> Vec<Term> {
        self.graph.block(self.block).path.clone()
    }
}

fn checker(sharing: Solvers) -> HoareChecker {
    HoareChecker::new(sharing, &StopToken::new(), || {
        SolverChoice::Native.make(SolverOptions::default())
    })
}

fn looping(body: &str) -> Program {
    load(&format!(
        "unsigned x, y, z; int main(void) {{ x = n(); y = n(); z = n(); while (n()) {{ {body} }} return 0; }}"
    ))
}

#[test]
fn layers_answer_as_the_solver_does() {
    let mut random = Random(7);
    for body in BODIES {
        let program = looping(body);
        let mut here = Loop::of(&program);
        let (path, key) = (here.path(), here.block.0);
        let step = Step { key, path: &path };
        let (mut layered, mut shared) = (checker(Solvers::PerStep), checker(Solvers::Shared));
        let mut plain = checker(Solvers::PerStep);
        let mut valid = 0;
        for _ in 0..120 {
            let pre: Vec<Term> = (0..random.below(4))
                .map(|_| here.before(random_bound(&mut random)))
                .collect();
            let post = match random.below(12) {
                0 => TermPool::FALSE,
                _ => here.after(random_bound(&mut random)),
            };
            let pool = here.graph.pool();
            let expected = plain.ask(pool, step, &pre, post);
            assert_eq!(layered.check(pool, step, &pre, post), expected, "{body}");
            assert_eq!(shared.check(pool, step, &pre, post), expected, "{body}");
            valid += usize::from(expected.is_valid());
        }
        assert!((5..115).contains(&valid), "{body}: {valid}");
        let counts = layered.counts();
        assert!(counts.solved < plain.counts().solved, "{body}: {counts:?}");
        for used in [counts.trivial, counts.cached, counts.sampled, counts.parted] {
            assert!(used > 0, "{body}: {counts:?}");
        }
    }
}

struct Given(Vec<u128>);

impl InputSource for Given {
    fn next(&mut self, _: &Input, _: Ty) -> Option<u128> {
        self.0.pop()
    }
}

/// Does an execution of the body from these values end outside of the postcondition?
fn is_violated(program: &Program, values: [u128; 3]) -> bool {
    let [x, y, z] = values;
    let run = Interpreter::new(program).run(
        &Options::default(),
        &mut Given(vec![z, y, x]),
        &mut std::io::sink(),
    );
    match run.outcome {
        Outcome::Error(_) => true,
        Outcome::Finished(_) => false,
        other => panic!("{other:?}"),
    }
}

#[test]
fn triples_are_what_executions_do() {
    let mut random = Random(11);
    for body in BODIES {
        let program = looping(body);
        let mut here = Loop::of(&program);
        let (path, key) = (here.path(), here.block.0);
        let step = Step { key, path: &path };
        let mut checker = checker(Solvers::PerStep);
        for _ in 0..12 {
            let (pre, post) = (random_bound(&mut random), random_bound(&mut random));
            // Executions that end in the body are no counterexamples.
            let ending = body.replace("reach_error()", "return 0");
            let run = load(&format!(
                "int main(void) {{ unsigned x = n(), y = n(), z = n(); if (!({})) return 0; {ending}
                if (!({})) reach_error(); return 0; }}",
                in_c(pre),
                in_c(post)
            ));
            let (before, after) = (here.before(pre), here.after(post));
            match checker.ask(here.graph.pool(), step, &[before], after) {
                Validity::Valid => {
                    for _ in 0..40 {
                        let mut value = || match random.below(3) {
                            0 => u128::from(random.below(1 << 32)),
                            _ => u128::from(random.below(16)),
                        };
                        let values = [value(), value(), value()];
                        assert!(
                            !is_violated(&run, values),
                            "{pre:?} {body} {post:?} {values:?}"
                        );
                    }
                }
                Validity::Invalid => {
                    let values = VARIABLES.map(|name| {
                        let state = here.graph.start(here.head);
                        let encoder = here.graph.encoder();
                        let id = var(&program, name);
                        let term = state.value(&program, &encoder.slots, &mut encoder.pool, id);
                        match checker.value(&encoder.pool, key, term) {
                            Some(Value::Bv(value)) => value.to_u128().unwrap_or(0),
                            _ => 0,
                        }
                    });
                    assert!(
                        is_violated(&run, values),
                        "{pre:?} {body} {post:?} {values:?}"
                    );
                }
                Validity::Unknown(why) => panic!("{why}"),
            }
        }
    }
}

/// A layer that knows one thing.
struct Knows(u32, Term);

impl Abstract for Knows {
    fn decide(&mut self, _: &TermPool, step: u32, _: &[Term], post: Term) -> Option<bool> {
        (step == self.0 && post == self.1).then_some(true)
    }
}

#[test]
fn a_layer_of_others_is_asked_before_the_solver() {
    let program = looping("x = x * 2 + y - y;");
    let mut here = Loop::of(&program);
    let (path, key) = (here.path(), here.block.0);
    let step = Step { key, path: &path };
    let post = here.after((0, true, 14));
    let mut checker = checker(Solvers::PerStep);
    checker.add_layer(Box::new(Knows(key, post)));
    let given = here.before((0, true, 7));
    assert!(
        checker
            .check(here.graph.pool(), step, &[given], post)
            .is_valid()
    );
    let counts = checker.counts();
    assert_eq!((counts.solved, counts.abstracted), (0, 1), "{counts:?}");
}

#[test]
fn the_token_ends_questions_and_nothing_is_remembered_then() {
    let program = looping("x = x * x * x * y; y = y * z;");
    let mut here = Loop::of(&program);
    let (path, key) = (here.path(), here.block.0);
    let step = Step { key, path: &path };
    let post = here.after((0, true, 4_000_000_000));
    let mut checker = checker(Solvers::PerStep);
    let stop = StopToken::new();
    stop.stop();
    checker.limit(&stop, None);
    let pool = here.graph.pool();
    assert!(matches!(
        checker.check(pool, step, &[], post),
        Validity::Unknown(_)
    ));
    checker.limit(&StopToken::new(), None);
    assert_eq!(checker.check(pool, step, &[], post), Validity::Invalid);
}
