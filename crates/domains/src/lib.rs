//! Numeric abstract domains: lattices over integers and floats and over numbered variables.
//!
//! Nothing here knows C. Arithmetic is that of unbounded integers; a client with machine integers
//! builds its transfer functions from it by looking at the interval of a result and wrapping it
//! ([`interval::Interval::wrap_offset`], [`expression::Node::Wrap`]).
//!
//! | concern | module |
//! |---|---|
//! | the order, its laws, widening | [`lattice`], [`thresholds`] |
//! | single numbers | [`value`], [`interval`], [`interval_set`], [`congruence`], [`constant`] |
//! | machine numbers | [`known_bits`], [`scalar`], [`machine`] |
//! | input and output | [`expression`], [`linear`] |
//! | floats | [`float`] |
//! | sets of states | [`numeric`], [`environment`], [`expression_map`], [`product`] |
//! | relations | [`octagon`], [`polyhedra`], [`affine`], [`offsets`] |

pub mod affine;
mod bitwise;
pub mod congruence;
pub mod constant;
pub mod environment;
pub mod expression;
pub mod expression_map;
pub mod float;
pub mod interval;
pub mod interval_set;
pub mod known_bits;
pub mod lattice;
#[cfg(test)]
mod laws;
pub mod linear;
pub mod machine;
pub mod numeric;
pub mod octagon;
pub mod offsets;
pub mod polyhedra;
pub mod product;
pub mod scalar;
pub mod thresholds;
pub mod value;
