//! Passes: from a program to a simpler one that means the same, with a map back.
//!
//! Passes run behind [`lowering::property::instrument`]: what the overflow property wants to see of
//! signed arithmetic lies in error locations by then, so that an expression is no more than its
//! value and whether its evaluation fails. Each pass is a [`Pass`] of its own file; a [`Pipeline`]
//! runs those that a configuration names until none has anything to do.

mod annotation;
mod back;
mod callers;
mod chains;
mod constants;
pub mod contracts;
mod draft;
mod graph;
mod needed;
mod prepare;
mod prophecy;
mod slice;
mod substitute;
#[cfg(test)]
pub(crate) mod tests;
mod unreachable;

pub use annotation::{Facts, copy_expr};
pub use back::{Back, Step};
pub use chains::Chains;
pub use constants::Constants;
pub use draft::{Draft, DraftEdge, DraftLocation};
pub use graph::leads_to_error;
pub use needed::Needed;
pub use prepare::{Prepared, prepare};
pub use prophecy::{NoSite, Prophecy, Prophesied, Site, prophesy};
pub use slice::Slice;
pub(crate) use substitute::map_op;
pub use substitute::{replace_expression, replace_variable};
pub use unreachable::Unreachable;

use cfa::program::Program;

/// What a pass must not change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Keep {
    /// Which error locations are reached, and whether something unsupported is.
    #[default]
    Errors,
    /// All that an execution shows: output, inputs asked for, how it ends.
    Behaviour,
}

/// A program made from another one, and what its parts are there.
#[derive(Clone, Debug)]
pub struct Passed {
    pub program: Program,
    pub back: Back,
    /// What the pass knew about the given program and relied on.
    pub facts: Facts,
}

/// A transformation of programs.
///
/// Laws:
/// - Executions: with the same value for each input that both ask for, the result reaches an error
///   location exactly if the given program reaches one that it stands for; it runs into something
///   unsupported exactly if the given program does. Under [`Keep::Behaviour`] output, inputs and
///   the end are the same too.
/// - Map back: every location of the result that an execution can reach stands for the places in
///   the given program where the corresponding execution is, or for none if the pass made it up;
///   see [`Back`].
/// - Facts: statements that are inductive for the result are so for the given program when the
///   facts are added.
/// - `None` exactly if there was nothing to do, so that a list of passes has a fixpoint.
/// - Functions, objects, regions and inputs keep their numbers (new ones come behind). A function
///   that nothing calls any more keeps its entry and its exit, without edges.
/// - Edges at a location keep their order.
pub trait Pass {
    fn name(&self) -> &'static str;
    fn apply(&self, program: &Program) -> Option<Passed>;
}

/// What passes can be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    pub keep: Keep,
    /// How often the whole list is run at most.
    pub rounds: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            keep: Keep::Errors,
            rounds: 8,
        }
    }
}

/// The names of all passes, in the order in which they help one another. They make programs smaller
/// and change nothing else about them: no copies of code, no new variables.
pub const SIMPLIFY: [&str; 5] = ["constants", "unreachable", "slice", "needed", "chains"];

/// The pass of a name.
pub fn by_name(name: &str, settings: &Settings) -> Option<Box<dyn Pass>> {
    let keep = settings.keep;
    Some(match name {
        "unreachable" => Box::new(Unreachable { keep }),
        "constants" => Box::new(Constants),
        "needed" => Box::new(Needed { keep }),
        "slice" => Box::new(Slice { keep }),
        "chains" => Box::new(Chains),
        _ => return None,
    })
}

/// A name that no pass has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownPass(pub String);

impl std::fmt::Display for UnknownPass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "there is no pass '{}' (known: {})",
            self.0,
            SIMPLIFY.join(", ")
        )
    }
}

impl std::error::Error for UnknownPass {}

/// Passes in order, run again and again until none has anything to do.
pub struct Pipeline {
    passes: Vec<Box<dyn Pass>>,
    rounds: usize,
}

/// What a pipeline made of a program.
#[derive(Clone, Debug)]
pub struct Optimised {
    pub program: Program,
    pub back: Back,
    /// The passes that did something, in order.
    pub applied: Vec<&'static str>,
    /// No pass has anything left to do (rather than: the rounds were used up).
    pub is_fixpoint: bool,
}

impl Pipeline {
    pub fn new(passes: Vec<Box<dyn Pass>>, rounds: usize) -> Pipeline {
        Pipeline { passes, rounds }
    }

    pub fn named<S: AsRef<str>>(names: &[S], settings: &Settings) -> Result<Pipeline, UnknownPass> {
        let passes = names.iter().map(|name| {
            let name = name.as_ref();
            by_name(name, settings).ok_or_else(|| UnknownPass(name.to_owned()))
        });
        Ok(Pipeline::new(
            passes.collect::<Result<_, _>>()?,
            settings.rounds,
        ))
    }

    pub fn run(&self, given: &Program) -> Optimised {
        self.run_with(given, |_, _| {})
    }

    /// As [`Pipeline::run`]; `watch` sees what each pass was given and what it made of it.
    pub fn run_with(&self, given: &Program, mut watch: impl FnMut(&Program, &Passed)) -> Optimised {
        let mut result = Optimised {
            program: given.clone(),
            back: Back::identity(given),
            applied: Vec::new(),
            is_fixpoint: false,
        };
        for _ in 0..self.rounds {
            let before = result.applied.len();
            for pass in &self.passes {
                if let Some(passed) = pass.apply(&result.program) {
                    watch(&result.program, &passed);
                    result.back = passed.back.after(&result.back);
                    result.program = passed.program;
                    result.applied.push(pass.name());
                }
            }
            if result.applied.len() == before {
                result.is_fixpoint = true;
                break;
            }
        }
        result
    }
}
