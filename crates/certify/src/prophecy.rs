//! Proofs for arbitrary indices: the program with prophecies is made here again, and its proof
//! checked.

use crate::{Accepted, Rejection, certify};
use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::{Certificate, ForArbitraryIndices};
use facts::words::count;
use transform::passes::prophesy;

pub(crate) fn check(
    program: &Program,
    claim: &ForArbitraryIndices,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    if !matches!(
        claim.proof,
        Certificate::Graph(_) | Certificate::KInduction(_)
    ) {
        return Err(Rejection::Wrong(format!(
            "'{}' is not a proof for arbitrary indices",
            claim.proof.name()
        )));
    }
    let prophesied = prophesy(program, &claim.prophecies)
        .map_err(|reason| Rejection::Wrong(reason.to_string()))?;
    let accepted = certify(&prophesied.passed.program, &claim.proof, budget)?;
    let sites = claim.prophecies.iter().map(|prophecy| prophecy.sites.len());
    Ok(Accepted {
        how: format!(
            "with prophecy indices at {}: {}",
            count(sites.sum::<usize>(), "place"),
            accepted.how
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::program;
    use cfa::expr::{ExprId, Node, VarId};
    use cfa::op::Op;
    use cfa::order::Order;
    use cfa::place::CallPattern;
    use cfa::program::{FuncId, LocId};
    use facts::certificate::{AnnotatedGraph, AnnotatedNode, KInduction, Rest};
    use transform::passes::{Prophecy, Prophesied, Site, replace_variable};

    fn filled(first: u32, value: &str) -> Program {
        program(&format!(
            "int a[50]; int main(void) {{ int n = __VERIFIER_nondet_int(), i, j; if (n < 1 || n > 50) return 0;
            for (i = {first}; i < n; i++) a[i] = {value};
            for (j = 0; j < n; j++) if (a[j] != 7) reach_error(); return 0; }}"
        ))
    }

    fn variable(program: &Program, name: &str) -> VarId {
        let number = program.vars.iter().position(|var| var.name == name);
        VarId(number.expect("there is one") as u32)
    }

    /// Where the array is read, and the index there.
    fn site(program: &Program) -> Site {
        let mut edges = program.edges.iter();
        let read = edges.find(|edge| match program.op(edge.op) {
            Op::Assume(condition) => program.pool.reads_memory(*condition),
            _ => false,
        });
        let j = variable(program, "j");
        let index = program.pool.clone().variable(j, program.var(j).ty);
        Site {
            location: read.expect("the array is read").source,
            index,
        }
    }

    /// What differs between proofs.
    #[derive(Clone, Copy)]
    struct Claim {
        value: i128,
        /// The index foretold may be the counter's.
        includes_counter: bool,
    }

    const RIGHT: Claim = Claim {
        value: 7,
        includes_counter: false,
    };

    fn annotation(prophesied: &Prophesied, claim: Claim) -> AnnotatedGraph {
        let program = &prophesied.passed.program;
        let mut pool = program.pool.clone();
        let mut named = |name| {
            let var = variable(program, name);
            pool.variable(var, program.var(var).ty)
        };
        let (n, i) = (named("n"), named("i"));
        let index = prophesied.indices[0];
        let k = pool.variable(index, program.var(index).ty);
        let mut numbers = (0..pool.len() as u32).map(ExprId);
        let j = variable(program, "j");
        let load = numbers.find(|&id| {
            matches!(pool.node(id), Node::Load { .. })
                && replace_variable(&mut pool.clone(), id, j, k) != id
        });
        let cell = replace_variable(&mut pool, load.expect("the array is read"), j, k);
        let value = pool.integer(claim.value, pool.ty(cell));
        let has_value = pool.eq(cell, value);
        let zero = pool.zero(pool.ty(k));
        let below = pool.lt(k, zero);
        let main = program
            .functions
            .iter()
            .position(|function| program.names.get(function.name) == "main");
        let main = FuncId(main.expect("there is a main") as u32);
        let heads: Vec<LocId> = Order::of(program, main)
            .loops
            .iter()
            .map(|one| one.head)
            .collect();
        let behind = match claim.includes_counter {
            true => pool.gt(k, i),
            false => pool.ge(k, i),
        };
        let beyond = pool.ge(k, n);
        let j = pool.variable(j, program.var(j).ty);
        let counts_up = pool.ge(j, zero);
        let nothing = pool.bool_constant(true);
        let nodes = heads
            .into_iter()
            .zip([(behind, nothing), (beyond, counts_up)]);
        let nodes = nodes.map(|(location, (outside, besides))| {
            let outside = pool.or(below, outside);
            let cell = pool.or(outside, has_value);
            AnnotatedNode {
                calls: CallPattern::Any,
                location,
                invariant: pool.and(cell, besides),
            }
        });
        let nodes = nodes.collect();
        AnnotatedGraph { pool, nodes }
    }

    fn result(program: &Program, prophecies: Vec<Prophecy>, claim: Claim) -> Result<(), Rejection> {
        let prophesied = prophesy(program, &prophecies).expect("these are sites");
        let proof = Certificate::Graph(annotation(&prophesied, claim));
        checked(program, prophecies, proof)
    }

    fn checked(
        program: &Program,
        prophecies: Vec<Prophecy>,
        proof: Certificate,
    ) -> Result<(), Rejection> {
        let claim = ForArbitraryIndices { prophecies, proof };
        let certificate = Certificate::Prophecy(Box::new(claim));
        certify(program, &certificate, &Budget::unlimited()).map(|_| ())
    }

    fn at(site: Site) -> Vec<Prophecy> {
        vec![Prophecy { sites: vec![site] }]
    }

    fn is_wrong(result: Result<(), Rejection>) -> bool {
        matches!(result, Err(Rejection::Wrong(_)))
    }

    #[test]
    fn a_proof_for_an_arbitrary_index_is_a_proof() {
        let program = filled(0, "7");
        assert_eq!(result(&program, at(site(&program)), RIGHT), Ok(()));
    }

    #[test]
    fn annotations_that_come_close_are_wrong() {
        let program = filled(0, "7");
        let other_value = Claim { value: 8, ..RIGHT };
        let too_early = Claim {
            includes_counter: true,
            ..RIGHT
        };
        for wrong in [other_value, too_early] {
            assert!(is_wrong(result(&program, at(site(&program)), wrong)));
        }
    }

    #[test]
    fn a_prophecy_about_another_place_proves_nothing() {
        let program = filled(0, "7");
        let location = program.function(program.entry).entry;
        let index = (0..program.pool.len() as u32).map(ExprId).find(|&id| {
            program.pool.ty(id) == cfa::value::Ty::I32 && program.pool.as_constant(id).is_some()
        });
        let index = index.expect("there is a constant");
        assert!(is_wrong(result(
            &program,
            at(Site { location, index }),
            RIGHT
        )));
    }

    #[test]
    fn programs_with_a_wrong_cell_are_not_proved() {
        for program in [
            filled(1, "7"),
            filled(0, "i == 30 ? 6 : 7"),
            filled(0, "i + 7 - n"),
        ] {
            assert!(is_wrong(result(&program, at(site(&program)), RIGHT)));
        }
    }

    #[test]
    fn what_speaks_of_no_prophecy_or_of_one_within_another_is_wrong() {
        let program = filled(0, "7");
        let prophecies = at(site(&program));
        let prophesied = prophesy(&program, &prophecies).expect("these are sites");
        let graph = annotation(&prophesied, RIGHT);
        let proof = Certificate::Graph(graph.clone());
        assert!(is_wrong(checked(&program, Vec::new(), proof.clone())));
        let none = vec![Prophecy::default()];
        assert!(is_wrong(checked(&program, none, proof.clone())));
        let inner = ForArbitraryIndices {
            prophecies: prophecies.clone(),
            proof,
        };
        let nested = Certificate::Prophecy(Box::new(inner));
        assert!(is_wrong(checked(&program, prophecies.clone(), nested)));
        let run = Certificate::DeterministicRun { steps: 10 };
        assert!(is_wrong(checked(&program, prophecies.clone(), run)));
        let induction = KInduction {
            depth: 0,
            support: graph,
            rest: Rest::Follows,
        };
        let induction = Certificate::KInduction(induction);
        assert_eq!(checked(&program, prophecies, induction), Ok(()));
    }
}
