//! `concord cfa`: shows the automaton of a program, at one of the stages on its way to the
//! analyses.

use crate::cli::{CfaArgs, CfaFormat, KeepWhat, Stage};
use crate::{exit, load};
use cfa::program::Program;
use lowering::property::{Property, instrument};
use printing::emit_c::{Inputs, emit_c};
use printing::export::{blocks_to_dot, blocks_to_json, to_dot, to_json};
use std::process::ExitCode;
use transform::blocks::GuardedBlocks;
use transform::passes::{Keep, Pipeline, SIMPLIFY, Settings, UnknownPass};

pub fn show(args: &CfaArgs) -> ExitCode {
    let program = match load::lowered(&args.input) {
        Ok(program) => program,
        Err(text) => {
            eprintln!("{}", text.trim_end());
            return exit::code(exit::BAD_INPUT);
        }
    };
    let program = match args.stage {
        Stage::Lowered => program,
        Stage::Regions => transform::regions::split_memory(&program),
        Stage::Optimised | Stage::Blocks => match optimised(args, &program) {
            Ok(program) => program,
            Err(error) => return exit::bad_input(error),
        },
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
    let blocks = (args.stage == Stage::Blocks).then(|| GuardedBlocks::of(&program));
    let text = match (args.format, &blocks) {
        (CfaFormat::Dot, None) => to_dot(&program, function),
        (CfaFormat::Json, None) => to_json(&program, function),
        (CfaFormat::Dot, Some(blocks)) => blocks_to_dot(&program, blocks, function),
        (CfaFormat::Json, Some(blocks)) => blocks_to_json(&program, blocks, function),
        (CfaFormat::C, _) => emit_c(&program, Inputs::Calls),
    };
    print!("{text}");
    exit::code(exit::TRUE)
}

/// The program as the analyses of its assertions see it.
fn optimised(args: &CfaArgs, program: &Program) -> Result<Program, UnknownPass> {
    let settings = Settings {
        keep: match args.keep {
            KeepWhat::Errors => Keep::Errors,
            KeepWhat::Behaviour => Keep::Behaviour,
        },
        ..Settings::default()
    };
    let pipeline = match &args.passes {
        Some(names) => Pipeline::named(names, &settings)?,
        None => Pipeline::named(&SIMPLIFY, &settings)?,
    };
    let split = transform::regions::split_memory(&instrument(program, &Property::assertions()));
    Ok(pipeline.run(&split).program)
}
