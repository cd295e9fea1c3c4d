//! Leaves out what no execution reaches and, if only errors count, what leads to none.
//!
//! What leads to no error ends the execution where it begins: of all that can be seen only the
//! error is kept.

use super::graph;
use super::{Draft, Keep, Pass, Passed};
use cfa::op::{Halt, Op};
use cfa::program::{EdgeId, Program};

pub struct Unreachable {
    pub keep: Keep,
}

impl Pass for Unreachable {
    fn name(&self) -> &'static str {
        "unreachable"
    }

    fn apply(&self, program: &Program) -> Option<Passed> {
        let reached = graph::reached(program);
        let useful = match self.keep {
            Keep::Errors => graph::leads_to_error(program),
            Keep::Behaviour => vec![true; program.locations.len()],
        };
        let is_kept = |edge: &cfa::program::Edge| {
            if !reached[edge.source.0 as usize] || graph::is_blocked(program, edge) {
                return false;
            }
            let next = match program.op(edge.op) {
                Op::Halt(Halt::Unsupported(_)) => return true,
                Op::Halt(_) => return self.keep == Keep::Behaviour,
                Op::Call { function, .. } => program.function(*function).entry,
                _ => edge.target,
            };
            useful[next.0 as usize]
        };
        let gone: Vec<EdgeId> = (0..program.edges.len() as u32)
            .map(EdgeId)
            .filter(|&id| !is_kept(program.edge(id)))
            .collect();
        if gone.is_empty() {
            return None;
        }
        let mut draft = Draft::of(program);
        for id in gone {
            draft.remove(id);
        }
        Some(draft.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, lowered};
    use super::*;

    #[test]
    fn code_behind_false_conditions_and_functions_that_never_return_goes() {
        let program = lowered(
            "void reach_error(void); void stop(void) { for (;;) ; }\n\
             int main(void) { if (0) { reach_error(); } stop(); reach_error(); return 0; }",
        );
        let passed = Unreachable {
            keep: Keep::Behaviour,
        };
        let passed = passed.apply(&program).expect("there is something to do");
        assert!(
            passed.program.errors.is_empty(),
            "{:?}",
            passed.program.errors
        );
    }

    #[test]
    fn what_leads_to_no_error_goes() {
        let text = "int __VERIFIER_nondet_int(void); void reach_error(void);\n\
             int work(int x) { int s = 0; while (x > 0) { s += x; x -= 1; } return s; }\n\
             int main(void) { int x = __VERIFIER_nondet_int(); if (x == 3) reach_error(); return work(x & 7); }";
        let pass = Unreachable { keep: Keep::Errors };
        let program = lowered(text);
        let passed = pass.apply(&program).expect("there is something to do");
        assert!(passed.program.edges.len() * 2 < program.edges.len());
        check(&pass, Keep::Errors, text);
        let observing = Unreachable {
            keep: Keep::Behaviour,
        };
        check(&observing, Keep::Behaviour, text);
    }

    #[test]
    fn a_second_run_finds_nothing() {
        let program =
            lowered("void reach_error(void); int main(void) { if (1) reach_error(); return 0; }");
        let pass = Unreachable { keep: Keep::Errors };
        if let Some(passed) = pass.apply(&program) {
            assert!(pass.apply(&passed.program).is_none());
        }
    }
}
