//! A proof that says nothing: there is no assertion, or no execution comes to one. The verdict is
//! right all the same, but its reader ought to know.
//!
//! Whether executions come to an assertion is not guessed. An execution that was there shows that
//! they do; that none does is shown by the certificate of the answer, if it proves that too.

use super::message::Note;
use cfa::program::{ErrorKind, LocId, Program};
use control::clock;
use facts::budget::Budget;
use facts::certificate::Certificate;
use interpreter::{Coverage, Interpreter, Options, RandomInputs};
use lowering::property::Property;
use std::time::Duration;

/// Time for executions, and for the certificate: what they show makes no answer truer.
const EXECUTING: Duration = Duration::from_millis(60);
const CERTIFYING: Duration = Duration::from_millis(400);
/// Executions with random inputs; the first of which have the smallest ones.
const EXECUTIONS: u64 = 40;

/// What a reader of a proof without any assertion in it should know.
pub fn without_errors(program: &Program, property: &Property) -> Option<Note> {
    let text = match property {
        Property::ErrorCall(_) => {
            "no assertion is reachable: nothing was checked \
             (is NDEBUG defined, or is the error function another one?)"
        }
        Property::NoOverflow => "no signed arithmetic is reachable: nothing was checked",
        // Every access that names its place is one that was checked.
        Property::Checks { .. } => return None,
    };
    let mut functions = program.functions.iter();
    let function =
        functions.find(|function| !function.is_library_model && !function.span.is_none());
    Some(Note {
        place: function.map_or_else(String::new, |function| program.describe(function.span)),
        text: text.into(),
    })
}

/// The note, if the certificate also proves that no execution comes to an assertion.
///
/// `proved` is the program that the certificate was checked on, `executed` the one that is
/// executed; both have the same locations.
pub fn of_proof(
    executed: &Program,
    proved: &Program,
    certificate: &Certificate,
    budget: &Budget,
) -> Option<Note> {
    let &(first, kind) = proved.errors.first()?;
    let errors: Vec<LocId> = proved.errors.iter().map(|error| error.0).collect();
    let decisions = transform::checks::asked_at(proved, &errors);
    if decisions.is_empty() || is_executed(executed, &decisions) {
        return None;
    }
    let mut program = proved.clone();
    let never = program.pool.bool_constant(false);
    let claims: Vec<_> = decisions.iter().map(|&at| (at, never)).collect();
    let (program, _) = lowering::monitor::assert_at(program, &claims);
    certify::certify(&program, certificate, &budget.within(CERTIFYING)).ok()?;
    let text = match (kind, decisions.len()) {
        (ErrorKind::ErrorCall, 1) => {
            "no execution reaches the assertion, so it holds vacuously".into()
        }
        (ErrorKind::ErrorCall, all) => {
            format!("no execution reaches any of the {all} assertions, so they hold vacuously")
        }
        (ErrorKind::SignedOverflow, _) => "no execution reaches any signed arithmetic".into(),
        (kind, _) => format!(
            "no execution reaches anything that could violate {}",
            kind.property()
        ),
    };
    Some(Note {
        place: proved.describe(proved.location(first).span),
        text,
    })
}

/// Does an execution come to one of the locations? The interpreter tries a few.
fn is_executed(program: &Program, locations: &[LocId]) -> bool {
    let mut interpreter = Interpreter::new(program);
    let mut coverage = Coverage::new(program);
    let deadline = clock::now() + EXECUTING;
    for seed in 0..EXECUTIONS {
        let options = Options {
            deadline: Some(deadline),
            ..Options::default()
        };
        let mut source = RandomInputs::new(seed, program);
        let (out, err) = (&mut std::io::sink(), &mut std::io::sink());
        interpreter.run_with(&options, &mut source, out, err, Some(&mut coverage));
        if locations.iter().any(|&at| coverage.contains(at)) {
            return true;
        }
        if clock::now() >= deadline {
            break;
        }
    }
    false
}
