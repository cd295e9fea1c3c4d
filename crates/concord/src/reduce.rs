//! `concord reduce`: the reducer of conditional model checking. Writes the part of a program that a
//! condition leaves as C, so that a verifier that knows nothing of conditions continues.

use crate::check::conditional::of_file;
use crate::cli::ReduceArgs;
use crate::{exit, load};
use lowering::property::Property;
use printing::emit_c::{Inputs, emit_c};
use std::process::ExitCode;
use syntax::types::DataModel;
use transform::passes::{Keep, Pipeline, Settings};

/// What makes the residual program smaller without changing what is left to be checked.
const PASSES: [&str; 2] = ["constants", "unreachable"];

pub fn write(args: &ReduceArgs) -> ExitCode {
    let text = match residual(args) {
        Ok(text) => text,
        Err(text) => return exit::bad_input(text),
    };
    match &args.output {
        None => print!("{text}"),
        Some(file) => {
            if let Err(error) = std::fs::write(file, text) {
                return exit::bad_input(format!("{}: {error}", file.display()));
            }
        }
    }
    exit::code(exit::TRUE)
}

fn residual(args: &ReduceArgs) -> Result<String, String> {
    let inputs = crate::project::inputs(&args.input)?;
    let model = inputs.data_model.unwrap_or(DataModel::Lp64);
    let property = match &args.spec {
        None => Property::assertions(),
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| format!("{}: {error}", file.display()))?;
            load::stated(&text)?.0
        }
    };
    let (lowered, tree) = load::with_tree(&inputs.files, model, &args.input)?;
    let program = transform::safety::instrument(&lowered, &property);
    let (program, condition, _) = of_file(&args.condition, &program, tree, &inputs.files)?;
    let part = match args.claimed {
        true => transform::condition::claimed(&program, &condition),
        false => transform::condition::residual(&program, &condition),
    };
    let part = part.map_err(|error| format!("{}: {error}", args.condition.display()))?;
    let settings = Settings {
        keep: Keep::Errors,
        ..Settings::default()
    };
    let names = PASSES.map(str::to_owned);
    let pipeline = Pipeline::named(&names, &settings).map_err(|error| error.to_string())?;
    let split = transform::regions::split_memory(&part);
    Ok(emit_c(&pipeline.run(&split).program, Inputs::Verifier))
}
