//! Abstract interpretation of programs over the numeric domains, and what its results are for
//! others.
//!
//! | concern | module |
//! |---|---|
//! | where executions are, and the steps from there | [`place`] |
//! | states and transfer over numeric domains | [`numeric`] |
//! | which variables are tracked, and which of them first | [`precision`], [`importance`] |
//! | where widening rests | [`thresholds`] |
//! | one fixpoint over the whole program | [`invariants`], [`disjuncts`] |
//! | precisions that grow | [`continuous`], [`interpretation`] |
//! | facts on their way to others | [`publication`] |
//!
//! Nothing here knows threads.

pub mod continuous;
pub mod disjuncts;
pub mod importance;
pub mod interpretation;
pub mod invariants;
pub mod numeric;
pub mod place;
pub mod precision;
pub mod publication;
pub mod thresholds;
