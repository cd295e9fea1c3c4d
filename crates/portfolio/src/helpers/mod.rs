//! Helpers: programs outside that look for invariants, described by files (`configs/helpers`).
//!
//! The way of an invariant: a [`mapper`] writes the program as the helper wants it, the helper runs
//! ([`external`]), an [`adapter`] reads what it left as statements at places of the text, and
//! `witness::candidates` finds these places in the program. Nobody believes a word of it.

pub mod adapter;
pub mod description;
pub mod external;
pub mod llvm;
pub mod mapper;
pub mod ranges;
pub mod task;

pub use description::{Description, all, named};
pub use task::Task;
