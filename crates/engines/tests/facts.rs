//! Engines that use the facts of others: which they may use, when they read them, and what their
//! proofs hand over.

use cfa::expr::{ExprId, ExprPool, Node, VarId};
use cfa::op::Op;
use cfa::order::Order;
use cfa::place::{CallPattern, call_strings};
use cfa::program::{EdgeId, FuncId, LocId, Program};
use engines::k_induction::{KInduction, KInductionOptions};
use engines::pdr::Pdr;
use facts::budget::Budget;
use facts::certificate::{AnnotatedGraph, Certificate};
use facts::engine::{Board, Engine, Knowledge, NoBoard, Outcome, Reporter};
use facts::invariants::{Facts, Invariant, InvariantMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use testing::program as lowered;

/// Has the first facts from the beginning, and one more each time that all of them were read.
struct Telling {
    maps: Mutex<Vec<Arc<InvariantMap>>>,
    told: AtomicUsize,
}

impl Telling {
    fn all(maps: Vec<InvariantMap>) -> Telling {
        let count = maps.len();
        Telling::one_after_the_other(maps, count)
    }

    fn one_after_the_other(maps: Vec<InvariantMap>, first: usize) -> Telling {
        Telling {
            maps: Mutex::new(maps.into_iter().map(Arc::new).collect()),
            told: AtomicUsize::new(first),
        }
    }
}

impl Knowledge for Telling {
    fn publish(&self, _: InvariantMap) {}

    fn facts(&self) -> Facts {
        let maps = self.maps.lock().expect("nobody fails");
        let told = self.told.load(Ordering::Relaxed);
        self.told
            .store((told + 1).min(maps.len()), Ordering::Relaxed);
        Facts {
            maps: maps[..told].to_vec(),
            ..Facts::default()
        }
    }

    fn version(&self) -> usize {
        self.told.load(Ordering::Relaxed)
    }
}

impl Reporter for Telling {}

fn function(program: &Program, name: &str) -> FuncId {
    let mut names = program.functions.iter();
    let number = names.position(|function| program.names.get(function.name) == name);
    FuncId(number.expect("there is such a function") as u32)
}

/// The loop heads of a function, in their order.
fn heads(program: &Program, name: &str) -> Vec<LocId> {
    let order = Order::of(program, function(program, name));
    let mut heads: Vec<LocId> = order.loops.iter().map(|one| one.head).collect();
    heads.sort_by_key(|&head| order.position(head));
    heads
}

/// The calls that lead into the function, the last one with this number.
fn calls_with(program: &Program, name: &str, first: u128) -> Vec<EdgeId> {
    let called = function(program, name);
    let strings = call_strings(program).expect("no recursion");
    let mut strings = strings[called.0 as usize].iter();
    let found = strings.find(|calls| match program.edge_op(calls[calls.len() - 1]) {
        Op::Call { args, .. } => program.pool.as_constant(args[0]) == Some(first),
        _ => false,
    });
    found.expect("there is such a call").clone()
}

fn variable(program: &Program, name: &str) -> VarId {
    let number = program.vars.iter().position(|var| var.name == name);
    VarId(number.expect("there is such a variable") as u32)
}

/// That a variable is at most so large, at some places.
fn at_most(
    program: &Program,
    name: &str,
    bound: i128,
    at: &[(CallPattern, LocId)],
) -> InvariantMap {
    let var = variable(program, name);
    let mut pool = program.pool.clone();
    let x = pool.variable(var, program.var(var).ty);
    let bound = pool.integer(bound, pool.ty(x));
    let holds = pool.le(x, bound);
    let entries = at.iter().map(|(calls, location)| Invariant {
        calls: calls.clone(),
        location: *location,
        holds,
    });
    InvariantMap {
        by: "test".into(),
        entries: entries.collect(),
        pool,
    }
}

fn k_induction(use_invariants: bool) -> KInduction {
    let options = KInductionOptions {
        last_depth: 3,
        use_invariants,
        ..KInductionOptions::default()
    };
    KInduction { options }
}

/// The engine's answer, certified.
fn answer(program: &Program, engine: &mut dyn Engine, board: &dyn Board) -> Option<Certificate> {
    match engine.run(program, board, &Budget::unlimited()) {
        Outcome::Answer(certificate) => {
            if let Err(why) = certify::certify(program, &certificate, &Budget::unlimited()) {
                panic!("{}: {why}", engine.name());
            }
            Some(certificate)
        }
        Outcome::Unknown(_) => None,
    }
}

fn annotation(certificate: &Certificate) -> &AnnotatedGraph {
    match certificate {
        Certificate::Graph(graph) => graph,
        Certificate::KInduction(proof) => &proof.support,
        other => panic!("{other:?}"),
    }
}

/// Does the proof hand over something about the variable?
fn speaks_of(certificate: &Certificate, var: VarId) -> bool {
    fn mentions(pool: &ExprPool, id: ExprId, var: VarId) -> bool {
        let node = pool.node(id);
        node == Node::Var(var) || node.children().any(|part| mentions(pool, part, var))
    }
    let graph = annotation(certificate);
    let mut nodes = graph.nodes.iter();
    nodes.any(|node| mentions(&graph.pool, node.invariant, var))
}

/// A state that is wrong may stay so for ever before anybody looks. What is said of `n` does not
/// matter.
const SELDOM: &str = "int main(void) { int x = 0, n = 0;
    while (__VERIFIER_nondet_int()) { if (x < 10) x = x + 1; n = n + 1; if (n > 4) n = 0;
        if (__VERIFIER_nondet_int()) { if (x > 10) reach_error(); } } return n; }";

const ANY: CallPattern = CallPattern::Any;

#[test]
fn a_proof_hands_over_the_facts_that_it_used() {
    let program = lowered(SELDOM);
    let head = heads(&program, "main")[0];
    let board = Telling::all(vec![at_most(&program, "x", 10, &[(ANY, head)])]);
    let proof = answer(&program, &mut k_induction(true), &board).expect("a proof");
    assert!(speaks_of(&proof, variable(&program, "x")));
    assert!(answer(&program, &mut k_induction(true), &NoBoard).is_none());
    assert!(answer(&program, &mut k_induction(false), &board).is_none());
}

#[test]
fn facts_are_read_again_while_the_step_case_fails() {
    let program = lowered(SELDOM);
    let head = heads(&program, "main")[0];
    let facts = || {
        vec![
            at_most(&program, "n", 4, &[(ANY, head)]),
            at_most(&program, "x", 10, &[(ANY, head)]),
        ]
    };
    // One depth only: what comes later is read there or never.
    let options = || KInductionOptions {
        last_depth: 0,
        ..KInductionOptions::default()
    };
    let board = Telling::one_after_the_other(facts(), 1);
    let mut engine = KInduction { options: options() };
    assert!(answer(&program, &mut engine, &board).is_some());
    assert_eq!(board.version(), 2);
    let only_first = Telling::all(facts()[..1].to_vec());
    let mut engine = KInduction { options: options() };
    assert!(answer(&program, &mut engine, &only_first).is_none());
}

/// What a proof does not need costs it nothing, even if it could not be proved again.
#[test]
fn facts_that_were_not_needed_are_not_handed_over() {
    let program = lowered(SELDOM);
    let head = heads(&program, "main")[0];
    let board = Telling::all(vec![
        at_most(&program, "n", 3, &[(ANY, head)]),
        at_most(&program, "x", 10, &[(ANY, head)]),
    ]);
    let proof = answer(&program, &mut k_induction(true), &board).expect("a proof");
    assert!(speaks_of(&proof, variable(&program, "x")));
    assert!(!speaks_of(&proof, variable(&program, "n")));
}

#[test]
fn the_facts_that_pdr_assumes_are_part_of_its_proof() {
    let program = lowered(SELDOM);
    let head = heads(&program, "main")[0];
    let board = Telling::all(vec![at_most(&program, "n", 4, &[(ANY, head)])]);
    let proof = answer(&program, &mut Pdr::default(), &board).expect("a proof");
    assert!(speaks_of(&proof, variable(&program, "n")));
}

/// In the first call `n` is small, in the second it is not but nobody looks.
const TWO_CALLS: &str = "int g;
    void f(int n, int strict) { while (__VERIFIER_nondet_int()) {
        if (strict == 1 && __VERIFIER_nondet_int()) { if (n > 10) reach_error(); } g = n; } }
    int main(void) { f(3, 1); f(20, 0); return 0; }";

/// Facts at the loop head of `f`, each in the call with this number.
fn in_calls(program: &Program, said: &[(u128, &str, i128)]) -> Vec<InvariantMap> {
    let head = heads(program, "f")[0];
    let maps = said.iter().map(|&(first, name, bound)| {
        let pattern = CallPattern::Exactly(calls_with(program, "f", first));
        at_most(program, name, bound, &[(pattern, head)])
    });
    maps.collect()
}

#[test]
fn a_fact_of_one_call_is_not_used_in_another() {
    let program = lowered(TWO_CALLS);
    let of_first = Telling::all(in_calls(&program, &[(3, "n", 10)]));
    assert!(answer(&program, &mut k_induction(true), &of_first).is_none());
    let of_both = Telling::all(in_calls(&program, &[(3, "n", 10), (20, "strict", 0)]));
    let proof = answer(&program, &mut k_induction(true), &of_both).expect("a proof");
    assert_eq!(annotation(&proof).nodes.len(), 2);
}

/// With the fact of the first call in the second one, there would be no violation.
#[test]
fn a_fact_of_one_call_does_not_hide_the_violation_in_another() {
    let text = TWO_CALLS.replace("f(20, 0)", "f(20, 1)");
    let program = lowered(&text);
    let board = || Telling::all(in_calls(&program, &[(3, "n", 10)]));
    assert!(answer(&program, &mut Pdr::default(), &board()).is_none());
    let found = answer(&program, &mut k_induction(true), &board());
    assert!(matches!(found, Some(Certificate::Inputs(_))), "{found:?}");
}

/// Two loops; the second needs what is known of the first.
const TWO_LOOPS: &str = "int main(void) { int x = 0;
    while (1) { if (x < 10) x = x + 1; if (__VERIFIER_nondet_int()) break; }
    while (__VERIFIER_nondet_int()) { if (__VERIFIER_nondet_int()) { if (x > 10) reach_error(); } } return 0; }";

/// A map may speak of places that are no loop heads. Of such a map only what can be handed over is
/// used.
#[test]
fn facts_that_rest_on_other_places_are_left_alone() {
    let program = lowered(TWO_LOOPS);
    let heads = heads(&program, "main");
    let behind = program.edge(program.location(heads[0]).outgoing[0]).target;
    assert!(!heads.contains(&behind));
    let places = |places: &[LocId]| {
        let places: Vec<_> = places.iter().map(|&place| (ANY, place)).collect();
        vec![at_most(&program, "x", 10, &places)]
    };
    // Inductive from one of its places to the next, but not from loop head to loop head.
    let cut_behind = Telling::all(places(&[behind, heads[1]]));
    assert!(answer(&program, &mut k_induction(true), &cut_behind).is_none());
    assert!(answer(&program, &mut Pdr::default(), &cut_behind).is_some());
    let all = Telling::all(places(&[heads[0], behind, heads[1]]));
    assert!(answer(&program, &mut k_induction(true), &all).is_some());
    assert!(answer(&program, &mut Pdr::default(), &all).is_some());
}
