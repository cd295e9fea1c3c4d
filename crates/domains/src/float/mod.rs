//! Floats: intervals and octagons over the reals, rounded outwards, for IEEE arithmetic in any
//! rounding mode.
//!
//! | phase | file |
//! |---|---|
//! | directed rounding, formats | [`rounding`] |
//! | intervals | [`interval`] |
//! | expressions and their linear forms | [`expression`] |
//! | the domain | [`octagon`] |

pub mod expression;
pub mod interval;
pub mod octagon;
pub mod rounding;
#[cfg(test)]
mod tests;
