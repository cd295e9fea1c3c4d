//! What the working process tells the supervising one: lines of JSON. The last one is the report,
//! which `--format json` prints as it is.

pub use report::check::{
    Alarm, AlarmKind, CheckShown, CheckStatus, Configuration, Counterexample, Event, FactShown,
    Folded, InputShown, Invariant, Judgement, Note, Report, SCHEMA, SourceLine, Step, Validation,
    Verdict,
};
use report::check::{FramesShown, ProgramShown, ReachabilityShown, RefinementShown};
use serde::{Deserialize, Serialize};

/// [`Message::Died`] before and after the number of the thread: who dies has no time to write more
/// than that.
pub const DYING: (&str, &str) = (r#"{"kind":"died","thread":"#, "}");

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Message {
    /// What an engine is doing now.
    Progress {
        engine: String,
        phase: String,
    },
    /// A number of an engine's statistics.
    Count {
        engine: String,
        what: String,
        value: u64,
    },
    /// A fact that an engine makes known to the others.
    Fact {
        engine: String,
        place: String,
        text: String,
    },
    /// What was proved, as `facts::stored` writes it, for another process if this one dies.
    Proved {
        map: String,
    },
    /// What was proved so far as C, in place of what was told before; nobody has checked it.
    Invariants {
        list: Vec<Invariant>,
    },
    /// What is known of all checks now, in place of what was told before.
    Checks {
        list: Vec<CheckShown>,
    },
    /// An engine begins in a thread.
    Begins {
        engine: String,
        thread: i32,
    },
    /// The engine in the thread has ended.
    Ended {
        thread: i32,
    },
    /// The engine that has taken most of the memory, if it is another one than before.
    Largest {
        engine: String,
    },
    /// The process dies of what this thread did; written by [`DYING`].
    Died {
        thread: i32,
    },
    /// Locations that an execution is known to reach.
    Explored {
        locations: Vec<u32>,
    },
    /// The abstract states that an engine had when it ended.
    Graph {
        graph: Box<ReachabilityShown>,
    },
    /// A refinement of trace abstraction.
    Refinement {
        refinement: Box<RefinementShown>,
    },
    /// Frames of IC3 after an iteration.
    Frames {
        frames: Box<FramesShown>,
    },
    /// What is checked, as soon as it is known: so that it can be shown even if nothing else comes.
    Loaded {
        configuration: Box<Configuration>,
        program: Option<ProgramShown>,
        assumptions: Vec<Note>,
        warnings: Vec<Note>,
        unsupported: Vec<Note>,
    },
    /// The input is wrong; the text is for the user.
    BadInput {
        text: String,
    },
    Report {
        report: Box<Report>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_dying_are_a_message() {
        let text = format!("{}4711{}", DYING.0, DYING.1);
        match serde_json::from_str(&text) {
            Ok(Message::Died { thread }) => assert_eq!(thread, 4711),
            other => panic!("{other:?}"),
        }
    }
}
