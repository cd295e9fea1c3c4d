//! A verifier described by data, so that ours and others run in the same benchmark.
//!
//! A description is a TOML file:
//!
//! ```toml
//! name = "Some Verifier"
//! executable = "someverifier"                 # searched in PATH unless it contains a slash
//! version = ["--version"]                     # arguments that make it print its version
//! command = [                                 # one run; a list inside vanishes when a placeholder in it has no value
//!   "{executable}", "{data-model}", ["--spec", "{property-file}"], "{analysis-options}", "{files}",
//! ]
//! data-model = { ILP32 = "--32", LP64 = "--64" }
//! properties = ["unreach-call"]               # what it can be asked; everything when absent
//!
//! [analyses]                                  # names of analyses and their options
//! default = []
//! fast = ["--fast"]
//!
//! [[verdict]]                                 # the first rule that matches says what the output means
//! verdict = "true"
//! output = ["VERIFICATION SUCCESSFUL"]        # one of these texts occurs
//! exit-code = [0]
//!
//! [[verdict]]
//! verdict = "false(${1})"
//! pattern = 'FAILED: (\S+)'                   # or this expression matches; `^` and `$` are those of lines
//!
//! [[statistics]]                              # figures collected for tables
//! pattern = 'refinements: (\d+)'
//! name = "refinements"
//!
//! alarms = ["contradictions"]                # statistics that count what must not happen, among the keys at the top
//! found-by = 'found by (\w+)'                # which of its parts found the answer, among the keys at the top
//!
//! [witness]
//! file = "output/witness.graphml"             # where it writes one, if `{witness}` cannot tell it where
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
