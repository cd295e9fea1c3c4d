//! The automaton for other eyes: as a graph that Graphviz draws, and as JSON.

mod blocks;
mod dot;
mod json;
mod text;

pub use blocks::{blocks_to_dot, blocks_to_json, command_text};
pub use dot::to_dot;
pub use json::to_json;
pub use text::{expression_text, expression_text_in, operation_text};

use cfa::program::{FuncId, Program};

/// The functions to show: one, or all.
fn chosen(program: &Program, function: Option<FuncId>) -> Vec<FuncId> {
    match function {
        Some(function) => vec![function],
        None => (0..program.functions.len())
            .map(|index| FuncId(index as u32))
            .collect(),
    }
}
