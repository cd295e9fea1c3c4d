//! When work ends: the time that decides, requests to stop, and what may be used.
//!
//! | | |
//! |---|---|
//! | [`clock`] | the machine's time, or time counted by the work that is done |
//! | [`StopToken`] | a request to stop, with a deadline; whatever runs long looks at one |
//! | [`Gate`] | lets one worker go first |
//! | [`Account`], [`CpuLimit`] | the processor time of several threads against its limit |
//! | [`Budget`] | all of these together, as an analysis gets them |
//!
//! Nothing here knows what is limited by it.

mod budget;
pub mod clock;
mod cpu_limit;
mod gate;
mod stop;

pub use budget::Budget;
pub use cpu_limit::{Account, AtWork, CpuLimit};
pub use gate::{ClosedGate, Gate};
pub use stop::StopToken;
