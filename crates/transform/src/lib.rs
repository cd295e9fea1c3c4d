//! From programs to programs that analyses have an easier time with, each with its map back: memory
//! split into [`regions`], [`passes`] that simplify, edges grouped into [`blocks`], and
//! [`features`] that tell what is worth doing. Memory [`safety`] comes before all of them: the
//! program that watches its own memory; [`checks`] are what such a program asks for.

pub mod blocks;
pub mod checks;
pub mod condition;
pub mod features;
pub mod passes;
pub mod regions;
pub mod safety;
