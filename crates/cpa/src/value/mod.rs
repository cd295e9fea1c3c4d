//! The explicit-value analysis (Stieglmaier2014: T. Stieglmaier, *Octagon-Based Software
//! Verification with CPAchecker*, 2014, section 2.3.3; Beyer2013: D. Beyer, S. Löwe,
//! *Explicit-state software model checking based on CEGAR and interpolation*, FASE 2013): known
//! values of variables, states kept apart.
//!
//! | concern | module |
//! |---|---|
//! | abstract variable assignments `v : X → Z ∪ {⊤}` | [`store`] |
//! | memory cells as further variables | [`memory`] |
//! | values of expressions | [`evaluate`] |
//! | the effect of steps | [`transfer`] |
//! | values that no longer matter | [`dead`] |
//! | the analysis | [`analysis`] |
//! | refinement | [`refine`] |

pub mod analysis;
mod dead;
pub mod evaluate;
pub mod memory;
pub mod refine;
pub mod store;
pub mod transfer;
