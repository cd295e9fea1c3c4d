//! What the working process tells the supervising one: lines of JSON. The last one is the report, which
//! `--format json` prints as it is.

pub use report::check::{
    Configuration, Counterexample, Event, FactShown, Folded, InputShown, Invariant, Judgement,
    Note, Report, SCHEMA, SourceLine, Step, Validation, Verdict,
};
use report::check::{ProgramShown, ReachabilityShown};
use serde::{Deserialize, Serialize};

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
    /// Locations that an execution is known to reach.
    Explored {
        locations: Vec<u32>,
    },
    /// The abstract states that an engine had when it ended.
    Graph {
        graph: Box<ReachabilityShown>,
    },
    /// What is checked, as soon as it is known: so that it can be shown even if nothing else comes.
    Loaded {
        configuration: Box<Configuration>,
        program: Option<ProgramShown>,
        assumptions: Vec<Note>,
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
