//! Numeric abstract interpretation as a CPA: the [`analysis`], its precisions ([`refine`]) and the
//! paths that classes of values must tell apart ([`exclude`]).

pub mod analysis;
pub mod exclude;
pub mod refine;
