//! Certificates of every kind, forged without regard to the program: for programs that are not
//! safe, or of which nothing may be claimed, each must be rejected.

use crate::certify;
use crate::tests::program;
use cfa::expr::ExprPool;
use cfa::op::Op;
use cfa::order::loop_heads;
use cfa::place::CallPattern;
use cfa::program::{EdgeId, FuncId, LocId, Program};
use facts::budget::Budget;
use facts::certificate::{
    AnnotatedGraph, AnnotatedNode, Certificate, ForArbitraryIndices, KInduction, Rest,
    UnderContracts, UnrollingBounds,
};
use std::time::Duration;
use transform::passes::Prophecy;
use transform::passes::contracts::{Contract, Contracts, Purpose, contracted};

/// A violation is possible in each, or something unsupported comes first.
const UNSAFE: &[&str] = &[
    "int main(void) { reach_error(); return 0; }",
    "int main(void) { if (__VERIFIER_nondet_int() == 7) reach_error(); return 0; }",
    "int main(void) { int x = 0; while (__VERIFIER_nondet_int()) { x++; if (x == 5) reach_error(); } return 0; }",
    "int main(void) { int x = 0, n = __VERIFIER_nondet_int(); while (x < n) x++; if (x == 3) reach_error(); return 0; }",
    "int main(void) { int x, i, s = 0; for (i = 0; i < 20; i++) { s += i; } if (s == 190) reach_error(); return 0; }",
    // Behind a call, in a callee, in a callee of only one caller.
    "int f(int a) { return a + 1; } int main(void) { int x = __VERIFIER_nondet_int(); if (f(x) == 4) reach_error(); return 0; }",
    "void f(int a) { if (a == 9) reach_error(); } int main(void) { f(1); f(2); f(9); return 0; }",
    "void f(int a) { while (a < 10) a++; if (a == 12) reach_error(); } int main(void) { f(1); f(12); return 0; }",
    // Recursion, also deeper than blocks follow it.
    "int f(int n) { if (n <= 0) return 0; return 1 + f(n - 1); } int main(void) { if (f(2) == 2) reach_error(); return 0; }",
    "int f(int n) { if (n <= 0) return 0; return 1 + f(n - 1); }
     int main(void) { int n = __VERIFIER_nondet_int(); if (n > 9 && n < 30 && f(n) == n) reach_error(); return 0; }",
    "void f(int r, int *p) { int l = 10; if (r) { *p = 20; return; } f(1, &l); if (l != 10) reach_error(); }
     int main(void) { f(0, 0); return 0; }",
    // Memory.
    "int a[9]; int main(void) { unsigned i = __VERIFIER_nondet_int(); if (i < 9) { a[i] = 3; if (a[4]) reach_error(); } return 0; }",
    "int main(void) { int x = 0, *p = &x; *p = __VERIFIER_nondet_int(); if (x == 77) reach_error(); return 0; }",
    "int main(void) { int a[4]; if (a[2] == 5) reach_error(); return 0; }",
    // Floats, and inputs that nobody takes by name.
    "int main(void) { float f = __VERIFIER_nondet_int(); if (f / 3.0f == 5.0f) reach_error(); return 0; }",
    "int other(void); int main(void) { if (other() == 5) reach_error(); return 0; }",
    "int main(void) { int x; if (x == 5) reach_error(); return 0; }",
    // What is not supported, with the assertion behind it.
    "int fork(void); int main(void) { fork(); reach_error(); return 0; }",
    "int fork(void); int main(void) { int x = __VERIFIER_nondet_int(); while (x < 9) x++; if (x == 11) fork(); return 0; }",
    "int fork(void); void f(int a) { if (a == 3) fork(); } int main(void) { f(1); f(3); return 0; }",
    "int main(void) { __asm__ goto(\"jmp %l0\" : : : : out); return 0; out: reach_error(); return 0; }",
];

fn forged_graphs(program: &Program) -> Vec<AnnotatedGraph> {
    let all: Vec<LocId> = (0..program.locations.len() as u32).map(LocId).collect();
    let heads: Vec<LocId> = loop_heads(program).into_iter().collect();
    let entries: Vec<LocId> = program
        .functions
        .iter()
        .map(|function| function.entry)
        .collect();
    let inner: Vec<LocId> = entries.iter().copied().skip(1).collect();
    let exits: Vec<LocId> = program
        .functions
        .iter()
        .map(|function| function.exit)
        .collect();
    let errors: Vec<LocId> = program.errors.iter().map(|error| error.0).collect();
    let sources: Vec<LocId> = program
        .edges
        .iter()
        .filter(|edge| matches!(program.op(edge.op), Op::Halt(_) | Op::Call { .. }))
        .map(|edge| edge.source)
        .collect();
    let nowhere = CallPattern::Exactly(vec![EdgeId(0), EdgeId(0)]);
    let mut graphs = Vec::new();
    for places in [
        &Vec::new(),
        &all,
        &heads,
        &entries,
        &inner,
        &exits,
        &errors,
        &sources,
    ] {
        for calls in [CallPattern::Any, nowhere.clone()] {
            for truth in [false, true] {
                let mut pool: ExprPool = program.pool.clone();
                let invariant = pool.bool_constant(truth);
                let nodes = places.iter().map(|&location| AnnotatedNode {
                    calls: calls.clone(),
                    location,
                    invariant,
                });
                let nodes = nodes.collect();
                graphs.push(AnnotatedGraph { pool, nodes });
            }
        }
    }
    graphs
}

fn forged(program: &Program) -> Vec<Certificate> {
    let mut all = vec![Certificate::NoWay];
    all.extend([0, 1, 1 << 20, u64::MAX].map(|steps| Certificate::DeterministicRun { steps }));
    for (iterations, recursion, steps) in [(0, 0, 0), (0, 1, 10), (2, 2, 100), (12, 12, 5_000)] {
        all.push(Certificate::CompleteUnrolling(UnrollingBounds {
            iterations,
            recursion,
            steps,
        }));
    }
    for graph in forged_graphs(program) {
        for (depth, rest) in [(0, Rest::Follows), (0, Rest::Nothing), (3, Rest::Follows)] {
            all.push(Certificate::KInduction(KInduction {
                depth,
                support: graph.clone(),
                rest,
            }));
        }
        all.push(Certificate::Graph(graph));
    }
    let graphs = forged_graphs(program).into_iter().take(4);
    let claims = graphs.map(|graph| ForArbitraryIndices {
        prophecies: vec![Prophecy::default()],
        proof: Certificate::Graph(graph),
    });
    all.extend(claims.map(|claim| Certificate::Prophecy(Box::new(claim))));
    all.extend(forged_contracts(program));
    all
}

/// Contracts that require or ensure nothing, or what never holds, of one function or of all, with
/// the proofs that may go with them.
fn forged_contracts(program: &Program) -> Vec<Certificate> {
    let functions = (0..program.functions.len() as u32).map(FuncId);
    let functions: Vec<FuncId> = functions.collect();
    let mut sets: Vec<Vec<FuncId>> = functions.iter().map(|&one| vec![one]).collect();
    let all = functions.into_iter();
    sets.push(all.filter(|&one| one != program.entry).collect());
    let mut found = Vec::new();
    for set in sets {
        for (requires, ensures) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut pool = program.pool.clone();
            let [requires, ensures] = [requires, ensures].map(|truth| pool.bool_constant(truth));
            let list = set.iter().map(|&function| Contract {
                function,
                requires,
                ensures,
            });
            let list = list.collect();
            let contracts = Contracts { pool, list };
            let mut proofs = vec![
                Certificate::NoWay,
                Certificate::DeterministicRun { steps: 1 << 20 },
                Certificate::CompleteUnrolling(UnrollingBounds {
                    iterations: 12,
                    recursion: 12,
                    steps: 5_000,
                }),
            ];
            if let Ok(made) = contracted(program, &contracts, Purpose::Proof) {
                let graphs = forged_graphs(&made.passed.program).into_iter().take(2);
                proofs.extend(graphs.map(Certificate::Graph));
            }
            found.extend(proofs.into_iter().map(|proof| {
                let contracts = contracts.clone();
                Certificate::Contracts(Box::new(UnderContracts { contracts, proof }))
            }));
        }
    }
    found
}

#[test]
fn no_forged_certificate_is_accepted() {
    for text in UNSAFE {
        let program = program(text);
        for certificate in forged(&program) {
            let budget = Budget::new(Some(Duration::from_secs(4)), None);
            if let Ok(accepted) = certify(&program, &certificate, &budget) {
                panic!("{text}\n{certificate:?}\nis accepted: {}", accepted.how);
            }
        }
    }
}

/// The same forgers have nothing against a right one.
#[test]
fn safe_programs_have_certificates() {
    let program = program(
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 3 && x < 2) reach_error(); return 0; }",
    );
    let accepted = forged(&program)
        .into_iter()
        .filter(|certificate| certify(&program, certificate, &Budget::unlimited()).is_ok());
    assert!(accepted.count() > 3);
}
