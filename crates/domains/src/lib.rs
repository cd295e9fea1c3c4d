//! Numeric abstract domains: lattices over integers and floats and over numbered variables.
//!
//! Nothing here knows C. Arithmetic is that of unbounded integers; a client with machine integers builds its transfer
//! functions from it by looking at the interval of a result and wrapping it ([`interval::Interval::wrap_offset`],
//! [`expression::Node::Wrap`]).
//!
//! | concern | module |
//! |---|---|
//! | the order, its laws, widening | [`lattice`], [`thresholds`] |
//! | single numbers | [`interval`], [`machine`] |
//! | input and output | [`expression`], [`linear`] |
//! | relations between variables | [`octagon`] |

mod bitwise;
pub mod congruence;
pub mod expression;
pub mod interval;
pub mod lattice;
#[cfg(test)]
mod laws;
pub mod linear;
pub mod machine;
pub mod octagon;
pub mod thresholds;
