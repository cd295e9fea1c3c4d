//! The result of `concord check`: its data (also the JSON that users get), the page that shows it,
//! and SARIF.

mod baseline;
mod drawing;
mod layout;
mod page;
mod positions;
mod reachability;
mod refinement;
mod result;
mod sarif;

pub use baseline::{Baseline, Compared};
pub use page::page;
pub use result::{
    Alarm, AlarmKind, CheckShown, CheckStatus, Configuration, Counterexample, EdgeShown, Event,
    FactShown, Folded, FramesShown, FunctionShown, InputShown, Invariant, Judgement, LocationKind,
    LocationShown, Note, PlaceFrames, ProgramShown, ProofNode, ProofShown, ReachabilityShown,
    RefinementShown, Report, SCHEMA, SourceFile, SourceLine, StateEdge, StateEdgeKind, StateShown,
    Step, Validation, Verdict,
};
pub use sarif::sarif;
