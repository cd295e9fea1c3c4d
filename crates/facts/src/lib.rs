//! The types that travel between analyses and to the checker: certificates, facts, outcomes.
//!
//! How they are found is none of this crate's business.

pub mod budget;
pub mod carried;
pub mod certificate;
pub mod easier;
pub mod engine;
pub mod frames;
pub mod invariants;
pub mod names;
pub mod precision;
pub mod reachability;
pub mod reason;
pub mod refinement;
pub mod stored;
pub mod words;
