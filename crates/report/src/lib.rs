//! What comes out of Concord for people and for other programs.

pub mod bench;
pub mod check;
mod html;
