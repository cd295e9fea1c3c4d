//! `concord cfa`: shows the automaton of a program.

use crate::cli::{CfaArgs, CfaFormat, Model, Stage};
use crate::{exit, load};
use cfa::emit_c::{Inputs, emit_c};
use cfa::export::{to_dot, to_json};
use std::process::ExitCode;
use syntax::types::DataModel;

pub fn show(args: &CfaArgs) -> ExitCode {
    let model = args
        .input
        .data_model
        .map_or(DataModel::Lp64, Model::data_model);
    let program = match load::lowered(&args.input.files, model, &args.input) {
        Ok(program) => program,
        Err(text) => {
            eprintln!("{}", text.trim_end());
            return exit::code(exit::BAD_INPUT);
        }
    };
    let program = match args.stage {
        Stage::Lowered => program,
        Stage::Regions => cfa::regions::split_memory(&program),
    };
    let function = match &args.function {
        None => None,
        Some(name) => {
            let found = program.names.find(name);
            let found = found.and_then(|name| program.function_index.get(&name).copied());
            if found.is_none() {
                return exit::bad_input(format!("there is no function '{name}'"));
            }
            found
        }
    };
    let text = match args.format {
        CfaFormat::Dot => to_dot(&program, function),
        CfaFormat::Json => to_json(&program, function),
        CfaFormat::C => emit_c(&program, Inputs::Calls),
    };
    print!("{text}");
    exit::code(exit::TRUE)
}
