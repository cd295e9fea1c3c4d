//! A second opinion on inputs, by another way: the user's own files, compiled and run with them.
//!
//! The program's texts are compiled as they were read, and linked with a harness that gives the
//! inputs. Only what that program does counts: where it fails, the violation is confirmed; where it
//! does not although it was given everything that the violation needs, something is wrong, with the
//! program's behaviour (it may depend on what C leaves open) or with Concord.

mod c;
mod feed;
mod heap;
mod library;
#[cfg(test)]
mod tests;
mod text;
mod tools;

use crate::inputs::replay;
use crate::{Accepted, Rejection};
use cfa::op::InputKind;
use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::InputValue;
pub use feed::takes_null_argument;
use feed::{Feed, MAX_ARGUMENTS};
use interpreter::Outcome;
use lowering::property::{Check, Property};
use text::Text;
use tools::{Ended, Symbols, Tools};

/// What compiling a program takes besides its text.
#[derive(Clone, Debug)]
pub struct Build {
    pub property: Property,
    /// The function that executions start with; `main` if absent.
    pub entry: Option<String>,
    /// Functions without a body write through their arguments, which no harness does.
    pub external_writes: bool,
    /// As they were given: the harness names them to its reader.
    pub flags: Vec<String>,
}

impl Build {
    /// The one of a program that starts with `main`.
    pub fn of(property: Property) -> Build {
        Build {
            property,
            entry: None,
            external_writes: false,
            flags: Vec::new(),
        }
    }

    fn starts_with_main(&self) -> bool {
        self.entry.as_deref().is_none_or(|entry| entry == "main")
    }
}

/// What the compiled program did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opinion {
    /// It violates the property.
    Fails,
    /// It was given all that the violation needs, and does not violate the property; how it ends.
    Passes(String),
    /// It says nothing, and why.
    None(String),
}

/// A harness, and what the program does with it.
#[derive(Clone, Debug)]
pub struct Confirmation {
    pub opinion: Opinion,
    /// The C text; absent if none could be written.
    pub harness: Option<String>,
}

/// With this status and this line the harness says that the property is violated.
const VIOLATED_STATUS: i32 = 77;
const VIOLATED: &str = "harness: the property is violated: ";
/// The program leaves the way of the execution.
const OTHER_WAY: &str = "harness: the program leaves the path of the counterexample: ";
/// The program needs what the harness cannot give.
const CANNOT: &str = "harness: the program cannot continue: ";

/// What ends a program that divides an integer by zero, or the smallest one by -1: `SIGFPE`.
const SIGNAL_OF_DIVISION: i32 = 8;

/// Compiles the program with these inputs, and runs it.
pub fn confirm(
    program: &Program,
    build: &Build,
    values: &[InputValue],
    budget: &Budget,
) -> Confirmation {
    let feed = Feed::new(program, values, build.starts_with_main(), budget);
    match in_folder(|folder| {
        Attempt {
            program,
            build,
            feed: &feed,
            folder,
            budget,
        }
        .confirm()
    }) {
        Ok(confirmation) => confirmation,
        Err(why) => Confirmation {
            opinion: Opinion::None(why),
            harness: None,
        },
    }
}

/// The only execution of a program that takes no inputs, compiled and run: it ends, and without a
/// violation.
pub fn ends_safely(
    program: &Program,
    build: &Build,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    // The compiled program has some value wherever memory has none, so it alone does not show that
    // no input matters.
    let run = replay(program, &[], budget, None);
    let is_undefined = matches!(
        run.outcome,
        Outcome::InvalidAccess(_) | Outcome::Undefined(_)
    );
    if !run.inputs.is_empty() || !run.outcome.is_conclusive() || is_undefined {
        return Err(Rejection::Unfinished(format!(
            "the only execution stops at {} ({})",
            program.describe(run.place.span),
            run.outcome.describe(program)
        )));
    }
    let feed = Feed::default();
    let ended = in_folder(|folder| {
        let attempt = Attempt {
            program,
            build,
            feed: &feed,
            folder,
            budget,
        };
        attempt.run().map(|(_, ended)| ended)
    });
    match ended {
        Ok(Ok(Ended::Violated)) => Err(Rejection::Wrong(
            "the compiled program violates the property".into(),
        )),
        Ok(Ok(Ended::Code(code))) if is_status_of(&run.outcome, code) => Ok(Accepted {
            how: "the only execution; the compiled program also ends without a violation".into(),
        }),
        Ok(Ok(Ended::Code(code))) => Err(Rejection::Unfinished(format!(
            "the compiled program exits with status {code}, but in the interpreter {}",
            run.outcome.describe(program)
        ))),
        Ok(Ok(Ended::Crashed(signal))) => Err(Rejection::Unfinished(format!(
            "signal {signal} kills the compiled program"
        ))),
        Ok(Ok(Ended::Otherwise(how) | Ended::Cannot(how) | Ended::Limit(how))) => Err(
            Rejection::Unfinished(format!("the compiled program does not terminate ({how})")),
        ),
        Ok(Err((why, _))) | Err(why) => Err(Rejection::Unfinished(format!(
            "the program could not be compiled and run: {why}"
        ))),
    }
}

/// The compiled program, too, ends like this. Where it does not end by a status of its own, one
/// that the shell gives for a program that it could not start does not count.
fn is_status_of(outcome: &Outcome, code: i32) -> bool {
    match outcome {
        Outcome::Finished(status) => status & 0xff == code,
        _ => code != 126 && code != 127,
    }
}

/// Works in a temporary folder that nobody else can write to: what is compiled there is then run.
fn in_folder<T>(work: impl FnOnce(&std::path::Path) -> T) -> Result<T, String> {
    match tempfile::Builder::new()
        .prefix("concord-harness-")
        .tempdir()
    {
        Ok(folder) => Ok(work(folder.path())),
        Err(error) => Err(format!("cannot create a temporary directory: {error}")),
    }
}

/// Arguments behind the program's name that make `argc` what the execution takes.
fn program_arguments(build: &Build, feed: &Feed) -> Vec<String> {
    let argc = match feed.arguments.first() {
        Some(&(_, argc)) if build.starts_with_main() && argc <= MAX_ARGUMENTS => argc,
        _ => 1,
    };
    vec![String::new(); (argc as usize).saturating_sub(1)]
}

/// One program with one feed in one folder.
struct Attempt<'a> {
    program: &'a Program,
    build: &'a Build,
    feed: &'a Feed,
    folder: &'a std::path::Path,
    budget: &'a Budget,
}

impl Attempt<'_> {
    fn confirm(&self) -> Confirmation {
        let (opinion, harness) = match self.run() {
            Err((why, text)) => (Opinion::None(why), text.map(|text| text.c)),
            Ok((text, ended)) => (self.opinion(ended, &text), Some(text.c)),
        };
        Confirmation { opinion, harness }
    }

    /// What the end of the program means.
    fn opinion(&self, ended: Ended, text: &Text) -> Opinion {
        let how = match ended {
            Ended::Violated => return Opinion::Fails,
            Ended::Cannot(why) | Ended::Limit(why) => return Opinion::None(why),
            // A division traps, in a function of the library too.
            Ended::Crashed(SIGNAL_OF_DIVISION) if self.watches_divisions() => {
                return Opinion::Fails;
            }
            Ended::Crashed(signal) if self.feed.points_outside || self.feed.given_pointers => {
                // Functions of the library expect more behind such a pointer than the execution
                // does.
                return Opinion::None(format!(
                    "it crashes on the pointers passed to it (signal {signal})"
                ));
            }
            Ended::Crashed(signal) => format!("signal {signal}"),
            Ended::Code(code) => format!("it exits with status {code}"),
            Ended::Otherwise(how) => how,
        };
        match self.feed.relevant(self.program, &text.defined, self.budget) {
            None => Opinion::Passes(how),
            Some(missing) => Opinion::None(format!("the violation depends on {missing}")),
        }
    }

    fn watches_divisions(&self) -> bool {
        let property = &self.build.property;
        property.has(Check::DivisionByZero) || property.has(Check::Overflow)
    }

    /// Runs the program, if it can be built. The harness comes back also if it was not run.
    fn run(&self) -> Result<(Text, Ended), (String, Option<Text>)> {
        if let Some(place) = self.assembly() {
            // It can reach the world outside without calling anybody.
            let text = text::write(self.program, self.build, self.feed, &self.likely_symbols());
            return Err((
                format!("Concord does not execute inline assembly ({place})"),
                text.ok(),
            ));
        }
        let tools = Tools {
            folder: self.folder,
            budget: self.budget,
        };
        let compiled = tools.compile(self.program, self.build, self.feed.filling);
        let (objects, symbols) = match compiled {
            Ok(compiled) => compiled,
            Err(why) => {
                // A reader with another compiler may have more luck.
                let symbols = self.likely_symbols();
                let text = text::write(self.program, self.build, self.feed, &symbols);
                return Err((why, text.ok()));
            }
        };
        let text = text::write(self.program, self.build, self.feed, &symbols);
        let text = text.map_err(|why| (why, None))?;
        if let Some(hidden) = self.hidden_error_function(&symbols) {
            return Err((hidden, Some(text)));
        }
        let linked = tools.link(&text.c, &text.link, &objects);
        let ended = linked.and_then(|binary| tools.run(&binary, self.build, self.feed));
        match ended {
            Ok(ended) => Ok((text, ended)),
            Err(why) => Err((why, Some(text))),
        }
    }

    /// Where the program has inline assembly.
    fn assembly(&self) -> Option<String> {
        let program = self.program;
        let inputs = program.inputs.iter();
        let mut outputs = inputs.filter(|input| input.kind == InputKind::Assembly);
        let notes = program.assumptions.iter().chain(&program.unsupported);
        let mut notes = notes.filter(|note| note.text.contains("assembly"));
        let span = outputs.next().map(|input| input.span);
        let span = span.or_else(|| notes.next().map(|note| note.span))?;
        Some(program.describe(span))
    }

    /// An error function that no other file can replace: its calls cannot be seen.
    fn hidden_error_function(&self, symbols: &Symbols) -> Option<String> {
        let names = self.build.property.error_functions();
        let hidden = names.iter().find(|name| symbols.local.contains(*name))?;
        Some(format!(
            "`{hidden}` is static, so the harness cannot observe its calls"
        ))
    }

    /// What the program does not define, as far as can be told without a compiler.
    fn likely_symbols(&self) -> Symbols {
        let mut symbols = Symbols::default();
        let inputs = self.feed.calls.keys().chain(self.feed.variables.keys());
        symbols.undefined.extend(inputs.cloned());
        let names = self.build.property.error_functions();
        symbols.undefined.extend(names.iter().cloned());
        symbols.global.extend(self.build.entry.clone());
        symbols
    }
}
