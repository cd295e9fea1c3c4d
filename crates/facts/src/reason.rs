//! Why an analysis has no answer.

use crate::budget::Budget;
use logic::UnknownReason;
use std::convert::Infallible;
use std::fmt::{self, Display};

/// Why an analysis has no answer. What [`Display`] writes is for users.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The budget is exhausted. What was done until then is printed right behind "out of time".
    OutOfTime(String),
    OutOfMemory,
    /// A solver gave up on a question.
    Undecided(String),
    /// Executions may reach what the analysis cannot follow; with its place.
    Unsupported(String),
    /// There was an answer, and it was not accepted.
    NotCertified(String),
    /// The search is over; in the analysis's own words.
    GaveUp(String),
    /// An error of Concord.
    Failed(String),
    /// Of a combination: those of its parts, by their names.
    Parts(Vec<(String, Reason)>),
}

impl Reason {
    pub fn out_of_time() -> Reason {
        Reason::OutOfTime(String::new())
    }

    /// Why a solver that has worked with this budget has no answer.
    pub fn of_solver(budget: &Budget, why: &UnknownReason) -> Reason {
        match budget.is_exhausted() {
            true => Reason::out_of_time(),
            false => Reason::Undecided(format!("the solver gave up: {why}")),
        }
    }

    /// The reason with how far the search had come (`depth 3`).
    pub fn at(self, progress: impl Display) -> Reason {
        match self {
            Reason::OutOfTime(done) => Reason::OutOfTime(format!("{done} at {progress}")),
            Reason::Undecided(why) => Reason::Undecided(format!("{why} at {progress}")),
            other => other,
        }
    }
}

impl Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::OutOfTime(done) => write!(out, "out of time{done}"),
            Reason::OutOfMemory => out.write_str("out of memory"),
            Reason::Undecided(text)
            | Reason::Unsupported(text)
            | Reason::NotCertified(text)
            | Reason::GaveUp(text) => out.write_str(text),
            Reason::Failed(what) => write!(out, "{what}; please report this"),
            Reason::Parts(parts) => {
                for (number, (name, reason)) in parts.iter().enumerate() {
                    let between = if number == 0 { "" } else { "; " };
                    write!(out, "{between}{name}: {reason}")?;
                }
                Ok(())
            }
        }
    }
}

/// The analysis's own words.
impl From<String> for Reason {
    fn from(text: String) -> Reason {
        Reason::GaveUp(text)
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Reason {
        Reason::GaveUp(text.into())
    }
}

/// What cannot fail gives no reason.
impl From<Infallible> for Reason {
    fn from(never: Infallible) -> Reason {
        match never {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_sentences() {
        let late = Reason::out_of_time();
        assert_eq!(late.to_string(), "out of time");
        assert_eq!(late.at("depth 3").to_string(), "out of time at depth 3");
        let stuck = Reason::Undecided("the solver gave up: memory".into());
        assert_eq!(
            stuck.at("bound 7").to_string(),
            "the solver gave up: memory at bound 7"
        );
        let parts = Reason::Parts(vec![
            ("a".into(), "too hard".into()),
            ("b".into(), Reason::Failed("it failed (index)".into())),
        ]);
        assert_eq!(
            parts.to_string(),
            "a: too hard; b: it failed (index); please report this"
        );
    }

    #[test]
    fn a_solver_that_was_stopped_is_out_of_time() {
        let budget = Budget::unlimited();
        let why = UnknownReason::Stopped;
        assert!(matches!(
            Reason::of_solver(&budget, &why),
            Reason::Undecided(_)
        ));
        budget.stop.stop();
        assert_eq!(Reason::of_solver(&budget, &why), Reason::out_of_time());
    }
}
