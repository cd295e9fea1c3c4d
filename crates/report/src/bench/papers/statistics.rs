//! Names under which a verifier reports figures about itself (`[[statistics]]` of its description),
//! as far as the papers' tables ask for them. Times are seconds; `…-ms` in place of `…-time` are
//! milliseconds.

use runner::bench::Record;

/// What a run reports under the name.
pub fn reported(record: &Record, name: &str) -> Option<f64> {
    let exactly = record.statistics.get(name).copied();
    let exactly = exactly.or_else(|| {
        let (_, ours) = OURS.iter().find(|(theirs, _)| *theirs == name)?;
        record.statistics.get(*ours).copied()
    });
    exactly.or_else(|| {
        let milliseconds = format!("{}-ms", name.strip_suffix("-time")?);
        Some(record.statistics.get(&milliseconds)? / 1000.0)
    })
}

/// What the papers' figures are called in our own engines.
const OURS: [(&str, &str); 2] = [(SOLVER_QUERIES, "questions"), (FRAMES, "level")];

pub const INVARIANT_TIME: &str = "invariant-time";
pub const INVARIANT_ATTEMPTS: &str = "invariant-attempts";
pub const INVARIANT_SUCCESSES: &str = "invariant-successes";
/// Analyses that a sequential combination came to use.
pub const ANALYSES: &str = "analyses";
pub const STAGE_TIMES: [&str; 3] = ["stage-1-time", "stage-2-time", "stage-3-time"];
pub const REFINEMENTS: &str = "refinements";
pub const PATH_PROGRAM_REFINEMENTS: &str = "path-program-refinements";
pub const USEFUL_PATH_PROGRAM_REFINEMENTS: &str = "useful-path-program-refinements";
pub const REACHED_STATES: &str = "reached-states";
/// Paths to an error that no execution takes, as a look at the path found out.
pub const ALARMS_REJECTED: &str = "alarms-rejected";
pub const SUCCESSORS: &str = "successors";
pub const SOLVER_TIME: &str = "solver-time";
pub const SOLVER_QUERIES: &str = "solver-queries";
/// Those of them that generalisation asked.
pub const CALLS_IN_GENERALISATION: &str = "questions-in-generalisation";
/// The highest frame of IC3.
pub const FRAMES: &str = "frames";
