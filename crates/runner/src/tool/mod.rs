//! A verifier described by data, so that ours and others run in the same benchmark.
//!
//! A description is a TOML file:
//!
//! ```toml
//! name = "Some Verifier"
//! executable = "someverifier"                 # searched in PATH unless it contains a slash
//! version = ["--version"]                     # arguments that make it print its version
//! # one run; a list inside vanishes when a placeholder in it has no value
//! command = [
//!   "{executable}", "{data-model}", ["--spec", "{property-file}"], "{analysis-options}",
//!   "{files}",
//! ]
//! data-model = { ILP32 = "--32", LP64 = "--64" }
//! properties = ["unreach-call"]               # what it can be asked; everything when absent
//!
//! [analyses]                                  # names of analyses and their options
//! default = []
//! fast = ["--fast"]
//!
//! [[verdict]]                                 # the first rule that matches decides
//! verdict = "true"
//! output = ["VERIFICATION SUCCESSFUL"]        # one of these texts occurs
//! exit-code = [0]
//!
//! [[verdict]]
//! verdict = "false(${1})"
//! pattern = 'FAILED: (\S+)'                   # or this expression matches (`^`, `$`: lines)
//!
//! [[statistics]]                              # figures collected for tables
//! pattern = 'refinements: (\d+)'
//! name = "refinements"
//!
//! # both among the keys at the top: statistics that count what must not happen, and which of its
//! # parts found the answer
//! alarms = ["contradictions"]
//! found-by = 'found by (\w+)'
//!
//! [witness]
//! file = "output/witness.graphml"             # where it writes one without `{witness}`
//! ```
//!
//! Placeholders: `{executable}`, `{tool-directory}`, `{file}` (the first), `{files}`,
//! `{property-file}`, `{property}`, `{error-function}`, `{data-model}`, `{time-limit}` and
//! `{wall-limit}` (seconds), `{memory-limit}` (MB), `{witness}`, `{analysis}`,
//! `{analysis-options}`, `{directory}` (of this run, empty at its start).

mod answer;
mod builtin;
mod command;
mod description;

pub use answer::Answer;
pub use builtin::builtin;
pub use command::{CommandError, RunPlace};
pub use description::{Tool, ToolError};
