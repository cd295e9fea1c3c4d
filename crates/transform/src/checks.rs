//! The checks of a program, and the program that asks for some of them only.
//!
//! A check is a place where an execution may violate the property, with what would be wrong there:
//! one assertion, the accesses of one statement, an overflow in it, … A violated check ends its
//! execution. So a check is decided on the program in which the others end executions and are no
//! errors ([`only`]): no execution violates it before it has violated another one, or one does.
//!
//! Where a check is a condition about ghosts that may fail although nothing is wrong
//! ([`cfa::program::Faults::approximate`]), the program goes on behind it: what comes later must
//! not be proved for fewer executions than there are.

use cfa::op::Op;
use cfa::program::{Edge, EdgeId, ErrorKind, FuncId, LocId, LocationKind, Program, Watched};
use lowering::property::Rewriter;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;
use syntax::span::Span;

/// A check of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// Its error locations: one, or one for each end of the program.
    pub errors: Vec<LocId>,
    pub kind: ErrorKind,
    pub function: FuncId,
    /// The statement that may violate it.
    pub span: Span,
}

/// The checks of a program, in the order of its error locations.
pub fn checks(program: &Program) -> Vec<Check> {
    let mut found: Vec<Check> = Vec::new();
    for &(error, kind) in &program.errors {
        // Which of its ends an execution comes to is not told by what it leaves behind.
        let is_at_end = matches!(kind, ErrorKind::Lost | ErrorKind::NotFreed);
        let mut known = found.iter_mut();
        if is_at_end && let Some(check) = known.find(|check| check.kind == kind) {
            check.errors.push(error);
            continue;
        }
        let location = program.location(error);
        found.push(Check {
            errors: vec![error],
            kind,
            function: location.function,
            span: location.span,
        });
    }
    found
}

/// The program that asks for these error locations only: executions end at the others.
///
/// Locations, edges, variables and inputs keep their numbers.
#[must_use]
pub fn only(program: &Program, kept: &BTreeSet<LocId>) -> Program {
    let mut result = without_errors(program, kept);
    let Some(watched) = &program.watched else {
        return result;
    };
    let mut faults = watched.faults.clone();
    for (error, edges) in &watched.faults.not_followed {
        if kept.contains(error) {
            continue;
        }
        // What is wrong there ends the execution, and if nothing is it goes on beside it.
        let never = result.pool.bool_constant(false);
        let op = result.intern_op(Op::Assume(never));
        for edge in edges {
            result.edges[edge.0 as usize].op = op;
        }
    }
    // Behind those nothing is left out.
    let goes_on = |error: LocId| faults.approximate.contains_key(&error);
    let mut relied = std::mem::take(&mut faults.relied);
    relied.retain(|one| !one.error.is_some_and(goes_on));
    faults.relied = relied;
    let mut approximate: Vec<(LocId, LocId)> = faults.approximate.drain().collect();
    approximate.sort_unstable();
    for (error, next) in approximate {
        if kept.contains(&error) {
            continue;
        }
        let op = result.intern_op(Op::Skip);
        let edge = EdgeId(result.edges.len() as u32);
        result.edges.push(Edge {
            source: error,
            target: next,
            op,
            span: result.location(error).span,
            branch: None,
        });
        result.locations[error.0 as usize].outgoing.push(edge);
        result.locations[next.0 as usize].incoming.push(edge);
    }
    faults.accesses.retain(|_, error| kept.contains(error));
    faults.releases.retain(|_, error| kept.contains(error));
    faults.lost = faults.lost.filter(|error| kept.contains(error));
    faults.not_freed = faults.not_freed.filter(|error| kept.contains(error));
    result.watched = Some(Arc::new(Watched {
        program: without_errors(&watched.program, kept),
        faults,
    }));
    result
}

/// Where it is decided whether error locations are reached: the last branches before them.
pub fn asked_at(program: &Program, errors: &[LocId]) -> Vec<LocId> {
    let mut found = BTreeSet::new();
    let mut seen: FxHashSet<LocId> = FxHashSet::default();
    let mut open: Vec<LocId> = errors.to_vec();
    while let Some(at) = open.pop() {
        if !seen.insert(at) {
            continue;
        }
        let here = program.location(at);
        if here.outgoing.len() > 1 {
            found.insert(at);
            continue;
        }
        if program.function(here.function).entry == at {
            open.extend(callers(program, here.function));
        }
        for &edge in &here.incoming {
            if let Op::Call { function, .. } = program.edge_op(edge) {
                open.push(program.function(*function).exit);
            } else {
                open.push(program.edge(edge).source);
            }
        }
    }
    found.into_iter().collect()
}

/// The program in which coming to a place may be an error, whatever holds there. The error locations
/// come back in the order of the places. (Nothing is executed in it: it is there for proofs.)
#[must_use]
pub fn reaching(program: Program, places: &[LocId]) -> (Program, Vec<LocId>) {
    let mut rewriter = Rewriter::new(program);
    let errors = places.iter().map(|&place| {
        let location = rewriter.program.location(place);
        let (function, span) = (location.function, location.span);
        let error = rewriter.error(function, ErrorKind::ErrorCall, span);
        rewriter.edge(place, error, Op::Skip, span);
        error
    });
    let errors = errors.collect();
    (rewriter.program, errors)
}

/// Where a function is called.
fn callers(program: &Program, callee: FuncId) -> impl Iterator<Item = LocId> {
    program.edges.iter().filter_map(move |edge| {
        let op = program.op(edge.op);
        let is_call = matches!(op, Op::Call { function, .. } if *function == callee);
        is_call.then_some(edge.source)
    })
}

/// Other error locations are places that nothing leads on from.
fn without_errors(program: &Program, kept: &BTreeSet<LocId>) -> Program {
    let mut result = program.clone();
    for &(error, _) in &program.errors {
        if !kept.contains(&error) {
            result.locations[error.0 as usize].kind = LocationKind::Ordinary;
        }
    }
    result.errors.retain(|(error, _)| kept.contains(error));
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safety::instrument;
    use interpreter::{ConstantInputs, Interpreter, Options, Outcome};
    use lowering::property::{self, Property};
    use lowering::{LowerOptions, load_text};

    fn program(body: &str) -> Program {
        let text = format!(
            "void *malloc(unsigned long); void free(void *); int input(void); void reach_error(void);\n\
             void exit(int); char a[4];\n\
             int main(void) {{ int x = input(); {body} return 0; }}"
        );
        let front = syntax::driver::Options::default();
        let loaded = load_text("test.i", &text, &front, &LowerOptions::default());
        let loaded = loaded.unwrap_or_else(|failure| panic!("{failure}"));
        let property = Property::Checks {
            checks: vec![
                property::Check::Deref,
                property::Check::Free,
                property::Check::Memtrack,
                property::Check::Overflow,
            ],
            calls: vec!["reach_error".into()],
        };
        instrument(&loaded.program, &property)
    }

    fn outcome(program: &Program, input: u128) -> Outcome {
        let mut inputs = ConstantInputs(input);
        let mut interpreter = Interpreter::new(program);
        let run = interpreter.run(&Options::default(), &mut inputs, &mut std::io::sink());
        run.outcome
    }

    fn kept(program: &Program, kind: ErrorKind) -> Program {
        let errors = program.errors.iter();
        let errors = errors.filter(|(_, one)| *one == kind);
        only(program, &errors.map(|(error, _)| *error).collect())
    }

    #[test]
    fn another_check_ends_the_execution() {
        let whole = program("a[x] = 1; if (x > 2) reach_error();");
        for (input, kind) in [
            (9, Some(ErrorKind::InvalidAccess)),
            (3, Some(ErrorKind::ErrorCall)),
            (1, None),
        ] {
            let found = match outcome(&whole, input) {
                Outcome::Error(at) => whole.error_kind(at),
                Outcome::Finished(_) => None,
                other => panic!("{other:?}"),
            };
            assert_eq!(found, kind);
            for asked in [ErrorKind::InvalidAccess, ErrorKind::ErrorCall] {
                let part = kept(&whole, asked);
                let is_violated = matches!(outcome(&part, input), Outcome::Error(_));
                assert_eq!(is_violated, kind == Some(asked), "{input} {asked:?}");
            }
        }
    }

    #[test]
    fn every_end_of_the_program_is_one_check() {
        let program =
            program("char *p = malloc(3); if (x) { p = 0; exit(1); } if (x > 3) exit(2); free(p);");
        let lost = |check: &&Check| check.kind == ErrorKind::Lost;
        let all = checks(&program);
        let found: Vec<&Check> = all.iter().filter(lost).collect();
        assert_eq!(found.len(), 1);
        assert!(found[0].errors.len() > 2);
        let part = only(&program, &found[0].errors.iter().copied().collect());
        assert!(matches!(outcome(&part, 1), Outcome::Error(_)));
        assert!(matches!(outcome(&part, 0), Outcome::Finished(0)));
    }

    /// Behind the first of them executions go on.
    #[test]
    fn places_that_are_asked_about_stop_nobody() {
        let whole = program("a[x] = 1; a[x + 1] = 2; if (x > 2) reach_error();");
        let errors: Vec<LocId> = whole.errors.iter().map(|error| error.0).collect();
        let places = asked_at(&whole, &errors);
        assert!(places.len() > 2, "{places:?}");
        let before = whole.edges.len();
        let (asked, errors) = reaching(only(&whole, &BTreeSet::new()), &places);
        assert_eq!(errors.len(), places.len());
        assert_eq!(asked.errors.len(), places.len());
        for (number, edge) in asked.edges.iter().enumerate().take(before) {
            assert_eq!(edge.target, whole.edges[number].target);
        }
    }

    /// Which access of a statement is invalid does not matter: they are one check.
    #[test]
    fn the_accesses_of_a_statement_are_one_check() {
        let program = program("char *p = malloc(2); a[x] = p[x & 3]; free(p);");
        let accesses = |check: &&Check| check.kind == ErrorKind::InvalidAccess;
        let all = checks(&program);
        let found: Vec<&Check> = all.iter().filter(accesses).collect();
        assert_eq!(found.len(), 1);
        for input in [2, 9] {
            assert_eq!(outcome(&program, input), Outcome::Error(found[0].errors[0]));
        }
    }
}
