//! What every analysis looks like from outside.

use crate::budget::Budget;
use crate::certificate::Certificate;
use crate::frames::Frames;
use crate::invariants::{CandidateMap, Facts, InvariantMap};
use crate::precision::PrecisionMap;
use crate::reachability::ReachabilityGraph;
pub use crate::reason::Reason;
use crate::refinement::Refinement;
use cfa::program::{LocId, Program};
use std::sync::Arc;

/// How an analysis ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// An answer that the certificate proves.
    Answer(Certificate),
    Unknown(Reason),
}

/// The form of the program that an analysis works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// As it was lowered.
    Original,
    /// With its memory split into regions and variables.
    Split,
    /// Split, and made smaller by passes. All who share facts see this one.
    Prepared,
}

/// What has become of an analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    Running,
    /// It has ended with an answer.
    Answered,
    /// It has ended without one, and why.
    GaveUp(String),
    /// It was not started because it could not have helped, and why.
    Skipped(String),
}

/// What is known about the program, and what may be: shared by all analyses.
///
/// Laws:
/// - [`Knowledge::facts`] is one consistent version, which later publications do not change;
///   versions only grow, and [`Knowledge::version`] is the number of maps in the next one that is
///   asked for, or more.
/// - A map that was published and says something new is in every later version, or the board keeps
///   none at all.
/// - [`Knowledge::proposals`] is the number of [`Knowledge::candidates`], which come in the order
///   of their proposal.
///
/// Implementations must be quick: analyses call them in their inner loops.
pub trait Knowledge: Sync {
    /// Tells everybody what was proved. Only proved maps may be published (see [`InvariantMap`]'s
    /// law).
    fn publish(&self, map: InvariantMap);
    /// What was proved so far.
    fn facts(&self) -> Facts;
    /// The number of publications so far; cheaper than to ask for them.
    fn version(&self) -> usize {
        self.facts().version()
    }
    /// Tells everybody what may hold. Whoever checks candidates publishes those that do
    /// ([`Knowledge::publish`]); nobody else may rely on any of them.
    fn propose(&self, _candidates: CandidateMap) {}
    /// The candidates proposed so far.
    fn candidates(&self) -> Vec<Arc<CandidateMap>> {
        Vec::new()
    }
    /// The number of proposals so far; cheaper than to ask for them.
    fn proposals(&self) -> usize {
        self.candidates().len()
    }
    /// Hands a precision on to analyses that come later.
    fn publish_precision(&self, _map: PrecisionMap) {}
    /// The precisions handed on so far, in the order of their publication.
    fn precisions(&self) -> Vec<Arc<PrecisionMap>> {
        Vec::new()
    }
    /// Does somebody keep what analyses have for later versions of the program?
    fn wants_kept(&self) -> bool {
        false
    }
    /// Keeps a text of the analysis for later versions of the program.
    fn keep(&self, _engine: &str, _text: String) {}
    /// The text that the analysis kept of an earlier version. It claims nothing.
    fn kept(&self, _engine: &str) -> Option<Arc<str>> {
        None
    }
}

/// What analyses do, for whoever looks on: the live display, statistics, the report.
///
/// Laws:
/// - Nothing that is reported changes what is known ([`Knowledge`]) or how an analysis ends.
/// - [`Reporter::begins`] and [`Reporter::ended`] come in pairs, in one thread.
///
/// Implementations must be quick: analyses call them in their inner loops.
pub trait Reporter: Sync {
    /// An analysis begins, in the calling thread. It may be followed from outside: until it has
    /// ended, what this thread uses is its doing.
    fn begins(&self, _engine: &str) {}
    /// The analysis that has begun in the calling thread has ended, in whatever way. If it has no
    /// answer, that was said before ([`Reporter::gave_up`]).
    fn ended(&self, _engine: &str) {}
    /// What an analysis is doing now, for the live display and the partial result at a time-out.
    fn progress(&self, _engine: &str, _phase: &str) {}
    /// A number that statistics show.
    fn count(&self, _engine: &str, _what: &str, _value: u64) {}
    /// Locations of the lowered program that an execution is known to reach, for the report; each
    /// at least once.
    fn explored(&self, _engine: &str, _locations: &[LocId]) {}
    /// Is somebody going to look at graphs of abstract states? Making one for nobody would be a
    /// waste.
    fn wants_graphs(&self) -> bool {
        false
    }
    /// The abstract states that an analysis had when it ended, if [`Reporter::wants_graphs`].
    fn graph(&self, _graph: ReachabilityGraph) {}
    /// A refinement, if [`Reporter::wants_graphs`].
    fn refinement(&self, _refinement: Refinement) {}
    /// Frames after an iteration, if [`Reporter::wants_graphs`].
    fn frames(&self, _frames: Frames) {}
    /// An analysis ends without an answer.
    fn gave_up(&self, _engine: &str, _reason: &str) {}
    /// An analysis is not started, because it cannot help ([`Engine::can_help`]).
    fn skipped(&self, _engine: &str, _reason: &str) {}
    /// What has become of every analysis that has begun or was skipped, by name; of several with
    /// one name, the last.
    fn status(&self) -> Vec<(String, Status)> {
        Vec::new()
    }
}

/// What an engine is given: both in one.
pub trait Board: Knowledge + Reporter {}

impl<T: Knowledge + Reporter> Board for T {}

/// A board that nobody looks at.
pub struct NoBoard;

impl Knowledge for NoBoard {
    fn publish(&self, _: InvariantMap) {}

    fn facts(&self) -> Facts {
        Facts::default()
    }
}

impl Reporter for NoBoard {}

/// An analysis of one program.
///
/// Laws: `run` returns soon (within 200 ms) after the budget is exhausted; it never prints; an
/// [`Outcome::Answer`] is right for the program given, whatever other analyses do.
pub trait Engine: Send {
    fn name(&self) -> &str;
    /// The form of the program that `run` is to be given.
    fn view(&self) -> View {
        View::Prepared
    }
    /// Does it work for others alone, without an answer of its own? Side by side with others it may
    /// go on until there is nobody left to serve ([`Budget::is_nobody_served`]).
    fn serves_others(&self) -> bool {
        false
    }
    /// Could it do anything with what is known now? If not, why: a sequence does not start it then.
    fn can_help(&self, _board: &dyn Board) -> Result<(), String> {
        Ok(())
    }
    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome;
    /// This answer of it was not accepted. Is `run` worth calling again, because it has another
    /// way?
    fn retry_after_rejection(&mut self, _rejected: &Certificate) -> bool {
        false
    }
}
