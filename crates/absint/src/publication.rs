//! Facts on their way to others.
//!
//! Whoever uses facts hands them over with its own proof, so that one map that is not inductive
//! costs others their proofs. The states of a fixpoint are inductive, and so are the expressions
//! that say the same. Where the expressions say less
//! ([`Writer::take_lost`](crate::numeric::express::Writer::take_lost)), the map is checked before
//! anybody sees it.

use certify::Rejection;
use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::Board;
use facts::invariants::InvariantMap;
use std::time::Duration;

/// What a check may take: others could use the time, and the next round says more.
const LONGEST_CHECK: Duration = Duration::from_secs(2);
const PART_OF_TIME: f64 = 0.05;

/// Why something that was found is not used, in words for users.
pub const NOT_SAID: &str = "the invariants are not inductive when expressed in C";

fn for_a_check(budget: &Budget) -> Budget {
    let left = budget.left().map(|left| left.mul_f64(PART_OF_TIME));
    let limit = left.map_or(LONGEST_CHECK, |left| left.min(LONGEST_CHECK));
    budget.within(limit)
}

/// Does the map keep its law? What was not lost in writing does; the rest is checked, for a short
/// time.
pub fn is_inductive(program: &Program, map: &InvariantMap, lost: bool, budget: &Budget) -> bool {
    !lost || certify::check_facts(program, map, &for_a_check(budget)).is_ok()
}

/// May the certificate be accepted? One that has lost something in writing may be known to fail:
/// then whoever has found it does better to go on than to answer. Whoever gets the answer certifies
/// it in any case.
pub fn is_promising(
    program: &Program,
    certificate: &Certificate,
    lost: bool,
    budget: &Budget,
) -> bool {
    let fails = || {
        let checked = certify::certify(program, certificate, &for_a_check(budget));
        matches!(checked, Err(Rejection::Wrong(_)))
    };
    !lost || !fails()
}

/// Publishes the map if it keeps its law; says whether it did.
pub fn publish(
    program: &Program,
    map: InvariantMap,
    lost: bool,
    board: &dyn Board,
    budget: &Budget,
) -> bool {
    let keeps_law = is_inductive(program, &map, lost, budget);
    if keeps_law {
        board.publish(map);
    } else {
        board.progress(&map.by, NOT_SAID);
    }
    keeps_law
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::expr::VarId;
    use cfa::place::CallPattern;
    use cfa::program::LocId;
    use facts::invariants::Invariant;
    use testing::{self, Recorder};

    /// Without the relation of the two variables what is said holds, but is not inductive.
    #[test]
    fn what_is_not_inductive_is_kept_back() {
        let program = testing::program(
            "int main(void) {
                unsigned x = 0, y = 0;
                while (x < 100) { x += 2; y++; if (y > 50) x = 7; }
                return 0;
            }",
        );
        let named = |name: &str| {
            let found = program.vars.iter().position(|var| var.name == name);
            VarId(found.expect("the program has it") as u32)
        };
        let heads = cfa::order::loop_heads(&program);
        let location: LocId = *heads.iter().next().expect("there is a loop");
        let map = |with_relation: bool| {
            let mut pool = program.pool.clone();
            let [x, y] = ["x", "y"].map(named).map(|var| {
                let ty = program.var(var).ty;
                pool.variable(var, ty)
            });
            let ty = pool.ty(x);
            let hundred = pool.integer(100, ty);
            let mut holds = pool.le(x, hundred);
            if with_relation {
                let two = pool.integer(2, ty);
                let twice = pool.mul(y, two);
                let equal = pool.eq(x, twice);
                let fifty = pool.integer(50, ty);
                let small = pool.le(y, fifty);
                holds = pool.and(holds, equal);
                holds = pool.and(holds, small);
            } else {
                // Five would come to seven.
                let seven = pool.integer(7, ty);
                let not_seven = pool.ne(x, seven);
                holds = pool.and(holds, not_seven);
            }
            InvariantMap {
                by: "test".into(),
                pool,
                entries: vec![Invariant {
                    calls: CallPattern::Any,
                    location,
                    holds,
                }],
            }
        };
        let board = Recorder::default();
        let budget = Budget::new(Some(Duration::from_secs(100)), None);
        assert!(!publish(&program, map(false), true, &board, &budget));
        assert!(board.maps().is_empty());
        assert!(publish(&program, map(true), true, &board, &budget));
        assert_eq!(board.maps().len(), 1);
    }

    #[test]
    fn a_certificate_that_is_known_to_fail_is_no_answer() {
        let program = testing::program(
            "int main(void) {
                unsigned x = 0;
                while (x < 100) x += 2;
                if (x != 100) reach_error();
                return 0;
            }",
        );
        let budget = Budget::new(Some(Duration::from_secs(100)), None);
        let found = crate::invariants::generate(&program, &Default::default(), &budget);
        let proof = found.expect("it is small").certificate();
        let proof = proof.expect("the invariants exclude the violation");
        assert!(is_promising(&program, &proof, true, &budget));
        let Certificate::Graph(mut graph) = proof else {
            panic!("abstract interpretation annotates loops");
        };
        for node in &mut graph.nodes {
            node.invariant = graph.pool.bool_constant(true);
        }
        let nothing = Certificate::Graph(graph);
        assert!(!is_promising(&program, &nothing, true, &budget));
    }
}
