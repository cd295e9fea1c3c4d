//! The engine on whole programs.

mod common;
mod example;
mod verdicts;
