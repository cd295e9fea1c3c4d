//! Entries: `--entry f` checks what `concord harness f` prints.

use super::Inputs;
use crate::cli::{Globals, HarnessArgs, InputArgs};
use crate::exit;
use crate::load;
use std::process::ExitCode;
use syntax::driver::{Options, front_end, on_large_stack};
use syntax::harness::{self, Harness, Request};

/// The function at which a check of this entry begins; none for `main`, which has no harness.
pub fn function(input: &InputArgs) -> Option<String> {
    match input.entry.as_deref() {
        None | Some("main") => input.entry.clone(),
        Some(entry) => Some(harness::function_name(entry)),
    }
}

/// The harness of the entry; none if it is `main`.
pub fn of(
    input: &InputArgs,
    inputs: &Inputs,
    options: &Options,
) -> Result<Option<Harness>, String> {
    let is_asked =
        input.globals == Globals::Any || !input.argument.is_empty() || !input.assume.is_empty();
    let entry = match input.entry.as_deref() {
        Some(entry) if entry != "main" => entry,
        _ if is_asked => {
            return Err("--argument, --assume and --globals any need --entry FUNCTION".into());
        }
        _ => return Ok(None),
    };
    let request = Request {
        entry: entry.to_owned(),
        arguments: input.argument.clone(),
        assume: input.assume.clone(),
        globals: match input.globals {
            Globals::Any => harness::Globals::Any,
            Globals::Initialised => harness::Globals::Initialised,
        },
    };
    let front = front_end(&inputs.files, options).map_err(|failure| failure.to_string())?;
    on_large_stack(move || {
        let harness = harness::write(&front, &request);
        drop(front);
        harness.map(Some)
    })
}

/// `concord harness`: the text, below an `#include` of the file that it is about.
pub fn print(args: &HarnessArgs) -> ExitCode {
    let input = InputArgs {
        entry: Some(args.function.clone()),
        ..args.input.clone()
    };
    match text(&input) {
        Ok(text) => {
            println!("{}", text.trim_end());
            ExitCode::SUCCESS
        }
        Err(text) => exit::bad_input(text),
    }
}

fn text(input: &InputArgs) -> Result<String, String> {
    let (inputs, harness) = load::harness(input)?;
    let Some(harness) = harness else {
        return Err("`main` needs no harness".into());
    };
    let mut text = format!(
        "/* Check it with: concord check THIS-FILE --entry {}\n",
        harness.function
    );
    if !harness.assumptions.is_empty() {
        text += "   It assumes:\n";
    }
    for assumption in &harness.assumptions {
        text += &format!("   - {}\n", assumption.replace("*/", "* /"));
    }
    text += "*/\n";
    for (number, (unit, addition)) in harness.additions.iter().enumerate() {
        let file = inputs.files[*unit].display();
        match number {
            0 => text += &format!("#include \"{file}\"\n\n{addition}"),
            _ => text += &format!("\n/* To be added to {file}: */\n#if 0\n{addition}#endif\n"),
        }
    }
    Ok(text)
}
