//! Configurable program analysis: the formalism, its algorithms, and the analyses written in it.
//!
//! | concern | module |
//! |---|---|
//! | the formalism: states, precisions, transfer, merge, stop | [`formalism`], [`composite`] |
//! | locations and call stacks as analyses | [`location`], [`call_stack`] |
//! | the reachability algorithm, its data | [`algorithm`], [`reached`], [`waitlist`] |
//! | how an exploration is shown | [`export`], [`outline`] |
//! | which states are stored, and the ways between them | [`trail`] |
//! | bounded unrolling | [`loop_bound`] |
//! | known values, numeric domains, expressions | [`value`], [`numeric`], [`invariants_cpa`] |
//! | refinement, answers and proofs | [`cegar`], [`counterexample`], [`proof`], [`engine`] |
//! | invariants for others | [`generator`] |
//!
//! Nothing here knows threads.

pub mod algorithm;
pub mod call_stack;
pub mod cegar;
pub mod composite;
pub mod counterexample;
pub mod engine;
pub mod export;
pub mod formalism;
pub mod generator;
pub mod invariants_cpa;
pub mod location;
pub mod loop_bound;
pub mod numeric;
pub mod outline;
pub mod proof;
pub mod reached;
mod refiners;
pub mod trail;
pub mod value;
pub mod waitlist;
