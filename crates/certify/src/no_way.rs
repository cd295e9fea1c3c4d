//! "There is nothing to check" is a claim like any other: no way through the graph of the program
//! leads to an error location, nor to something that is not supported.
//!
//! Conditions are not looked at, except for those that are false as they stand. Behind an operation
//! without support lowering may have left out anything, an assertion as well: so it is a place that
//! must not be reached.

use crate::{Accepted, Rejection};
use cfa::op::{Halt, Op};
use cfa::program::{LocId, Program};
use facts::words::count;

pub(crate) fn check(program: &Program) -> Result<Accepted, Rejection> {
    let mut reached = vec![false; program.locations.len()];
    // Where control goes on when the function returns.
    let mut waiting: Vec<Vec<LocId>> = vec![Vec::new(); program.functions.len()];
    let mut open = vec![program.function(program.entry).entry];
    while let Some(location) = open.pop() {
        if std::mem::replace(&mut reached[location.0 as usize], true) {
            continue;
        }
        let here = program.location(location);
        if program.is_error(location) {
            let place = program.describe(here.span);
            return Err(Rejection::Wrong(format!(
                "a path leads to the error location at {place}"
            )));
        }
        if program.function(here.function).exit == location {
            open.extend(&waiting[here.function.0 as usize]);
        }
        for &edge in &here.outgoing {
            let edge = program.edge(edge);
            match program.op(edge.op) {
                Op::Halt(Halt::Unsupported(what)) => {
                    let place = program.describe(edge.span);
                    return Err(Rejection::Wrong(format!(
                        "a path leads to an unsupported construct ({place}: {what})"
                    )));
                }
                Op::Halt(_) => {}
                Op::Call { function, .. } => {
                    let callee = program.function(*function);
                    open.push(callee.entry);
                    waiting[function.0 as usize].push(edge.target);
                    if reached[callee.exit.0 as usize] {
                        open.push(edge.target);
                    }
                }
                Op::Assume(condition) if program.pool.as_bool(*condition) == Some(false) => {}
                _ => open.push(edge.target),
            }
        }
    }
    let followed = reached.iter().filter(|&&reached| reached).count();
    Ok(Accepted {
        how: format!(
            "no path of the control-flow graph leads to an error location ({} visited)",
            count(followed, "location")
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify;
    use crate::tests::program;
    use facts::budget::Budget;
    use facts::certificate::Certificate;

    fn verdict(text: &str) -> Result<Accepted, Rejection> {
        let certificate = Certificate::NoWay;
        certify(&program(text), &certificate, &Budget::unlimited())
    }

    fn is_wrong(text: &str) -> bool {
        matches!(verdict(text), Err(Rejection::Wrong(_)))
    }

    #[test]
    fn what_cannot_be_reached_is_no_error() {
        for text in [
            "int main(void) { return 0; }",
            "int main(void) { if (0) reach_error(); return 0; }",
            "void never(void) { reach_error(); } int main(void) { return 0; }",
            "void stop(void) { for (;;) ; } int main(void) { stop(); reach_error(); return 0; }",
            "void exit(int); int main(void) { exit(0); reach_error(); return 0; }",
        ] {
            assert!(verdict(text).is_ok(), "{text}: {:?}", verdict(text));
        }
    }

    #[test]
    fn an_error_that_may_be_reached_is_one() {
        for text in [
            "int main(void) { reach_error(); return 0; }",
            "int main(void) { if (__VERIFIER_nondet_int()) reach_error(); return 0; }",
            "void f(void) { } void g(void) { f(); reach_error(); } int main(void) { f(); g(); return 0; }",
            "void f(int n) { if (n) f(n - 1); else return; reach_error(); } int main(void) { f(1); return 0; }",
            "void f(void) { reach_error(); } int main(void) { void (*p)(void) = f; p(); return 0; }",
        ] {
            assert!(is_wrong(text), "{text}: {:?}", verdict(text));
        }
    }

    /// Assertions behind them are not in the program any more.
    #[test]
    fn what_is_unsupported_must_not_be_reached_either() {
        for text in [
            "int main(void) { __asm__ goto(\"jmp %l0\" : : : : out); out: return 0; }",
            "void f(void) { __asm__ goto(\"jmp %l0\" : : : : out); out: reach_error(); }
             int main(void) { if (__VERIFIER_nondet_int()) f(); return 0; }",
            "int fork(void); int main(void) { fork(); reach_error(); return 0; }",
        ] {
            assert!(is_wrong(text), "{text}: {:?}", verdict(text));
        }
        let unused = "int fork(void); void f(void) { fork(); } int main(void) { return 0; }";
        assert!(verdict(unused).is_ok(), "{:?}", verdict(unused));
    }
}
