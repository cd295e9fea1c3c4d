//! The engine on whole programs.

mod common;
mod example;
mod knowledge;
mod random;
mod verdicts;
