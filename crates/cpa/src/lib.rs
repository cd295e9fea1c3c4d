//! Configurable program analysis: the formalism, its algorithms, and the analyses written in it.
//!
//! | concern | module |
//! |---|---|
//! | the formalism: abstract states, precisions, transfer, merge, stop | [`formalism`], [`composite`] |
//! | where executions are: locations and call stacks | [`place`], [`location`], [`call_stack`] |
//! | the reachability algorithm and its data | [`algorithm`], [`reached`], [`waitlist`], [`export`], [`outline`] |
//! | which states are stored, and the ways between them | [`trail`] |
//! | bounded unrolling | [`loop_bound`] |
//! | known values, numeric domains, intervals and expressions, predicates | [`value`], [`numeric`], [`invariants_cpa`], [`predicate`] |
//! | refinement, answers and proofs | [`cegar`], [`counterexample`], [`proof`], [`engine`] |
//! | invariants for others | [`invariants`], [`interpretation`], [`continuous`], [`generator`], [`publication`] |
//!
//! Nothing here knows threads.

pub mod algorithm;
pub mod call_stack;
pub mod cegar;
pub mod composite;
pub mod continuous;
pub mod counterexample;
pub mod disjuncts;
pub mod engine;
pub mod export;
pub mod formalism;
pub mod generator;
pub mod importance;
pub mod interpretation;
pub mod invariants;
pub mod invariants_cpa;
pub mod location;
pub mod loop_bound;
pub mod numeric;
pub mod outline;
pub mod place;
pub mod precision;
pub mod predicate;
pub mod proof;
pub mod publication;
pub mod reached;
#[cfg(test)]
mod testing;
pub mod thresholds;
pub mod trail;
pub mod value;
pub mod waitlist;
