//! From the command line to a program: files, property, data model.

use crate::cli::{CheckArgs, InputArgs, Volatile};
use crate::project::{self, Inputs};
use cfa::program::{Assumption, Program};
use concord::property::{name_of, of_checks, of_name};
use lowering::LowerOptions;
use lowering::property::{Check, Property};
use runner::tasks::property::{self, Kind, Property as Spec};
use std::path::PathBuf;
use syntax::harness::Harness;
use syntax::types::DataModel;

/// What is to be checked, after task definitions and property files were read.
#[derive(Clone, Debug)]
pub struct Task {
    pub files: Vec<PathBuf>,
    pub model: DataModel,
    pub property: Property,
    /// The property's name in verdicts.
    pub property_name: &'static str,
    /// The property as the competition writes it; absent for assertions of any kind.
    pub specification: Option<String>,
    /// A task definition says all this.
    pub is_definition: bool,
}

fn is_definition(path: &std::path::Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "yml" || extension == "yaml")
}

/// Reads what the arguments name.
pub fn task(args: &CheckArgs) -> Result<Task, String> {
    let inputs = project::inputs(&args.input)?;
    let mut files = inputs.files;
    let mut model = inputs.data_model;
    let mut spec = None;
    let is_definition = matches!(&files[..], [file] if is_definition(file));
    if let ([file], true) = (&files[..], is_definition) {
        let tasks = runner::tasks::load(&files, runner::tasks::DataModel::Ilp32)
            .map_err(|error| error.to_string())?;
        let wanted = args.property.as_deref();
        let task = tasks
            .iter()
            .find(|task| wanted.is_none_or(|wanted| is_asked(task.kind, wanted)))
            .ok_or_else(|| {
                format!(
                    "{}: the task definition has no such property",
                    file.display()
                )
            })?;
        model = model.or(Some(match task.data_model {
            runner::tasks::DataModel::Ilp32 => DataModel::Ilp32,
            runner::tasks::DataModel::Lp64 => DataModel::Lp64,
        }));
        spec = task.property.clone();
        files = task.files.clone();
    }
    if let Some(file) = &args.spec {
        spec = Some(Spec::read(file).map_err(|error| error.to_string())?);
    }
    let specification = match (&spec, args.property.as_deref()) {
        (Some(spec), _) => Some(spec.text.trim().to_string()),
        (None, Some(name)) => specification(name),
        (None, None) => None,
    };
    let (property, property_name) = match (spec, args.property.as_deref()) {
        (Some(spec), _) => of_spec(&spec)?,
        (None, None | Some("assertions")) => of_name("assertions")?,
        (None, Some(name)) => of_name(name)?,
    };
    Ok(Task {
        files,
        model: model.unwrap_or(DataModel::Lp64),
        property,
        property_name,
        specification,
        is_definition,
    })
}

/// Whether a name is that of the property, or of a part of it.
fn is_asked(kind: Kind, wanted: &str) -> bool {
    kind.name() == wanted
        || kind == Kind::ValidMemsafety
            && (wanted == "memory-safety" || Kind::of_part(wanted) == Some(kind))
}

/// How the competition writes a property, if it knows it.
fn specification(name: &str) -> Option<String> {
    let text = match name {
        "no-overflow" => Kind::NoOverflow.text(""),
        "memory-safety" | "valid-memsafety" => Kind::ValidMemsafety.text(""),
        "valid-memcleanup" => Kind::ValidMemcleanup.text(""),
        "valid-deref" | "valid-free" | "valid-memtrack" => {
            format!("CHECK( init(main()), LTL(G {name}) )")
        }
        "no-division-by-zero" | "valid-shift" | "no-float-overflow" | "all" => {
            format!("CHECK( init(main()), LTL(G {name}) )")
        }
        _ => return None,
    };
    Some(text.trim().to_string())
}

fn of_spec(spec: &Spec) -> Result<(Property, &'static str), String> {
    match spec.kind {
        Kind::UnreachCall => {
            let function = spec
                .function
                .clone()
                .unwrap_or_else(|| "reach_error".into());
            Ok((Property::ErrorCall(vec![function]), "unreach-call"))
        }
        Kind::NoOverflow => Ok((Property::NoOverflow, "no-overflow")),
        Kind::ValidMemsafety => {
            let part = |check: &Check| spec.text.contains(name_of(*check));
            let parts: Vec<Check> = Check::MEMORY_SAFETY.into_iter().filter(part).collect();
            let name = match parts[..] {
                [one] => name_of(one),
                _ => "valid-memsafety",
            };
            Ok((of_checks(parts), name))
        }
        Kind::ValidMemcleanup => of_name("valid-memcleanup"),
        other => Err(format!("the property {} is not supported", other.name())),
    }
}

/// The property that a specification states: a line of a property file, or only its formula.
pub fn stated(specification: &str) -> Result<(Property, &'static str), String> {
    let line = specification.trim();
    let formula = match line.find("LTL(") {
        Some(at) => line[at + 4..].trim_end_matches([' ', ')']),
        None => line.trim_end_matches([' ', ')']),
    };
    let closing = formula.matches('(').count()
        - formula
            .matches(')')
            .count()
            .min(formula.matches('(').count());
    let line = format!(
        "CHECK( init(main()), LTL({formula}{}) )",
        ")".repeat(closing)
    );
    let (kind, function) = property::parse_line(&line)
        .ok_or_else(|| format!("'{specification}' is not a property that Concord knows"))?;
    of_spec(&Spec {
        kind,
        function,
        text: line,
        file: None,
    })
}

/// The program that the arguments name, lowered, without any property yet.
pub fn lowered(input: &InputArgs) -> Result<Program, String> {
    let inputs = project::inputs(input)?;
    let model = inputs.data_model.unwrap_or(DataModel::Lp64);
    let (options, lower) = options(model, input)?;
    let (options, assumed) = with_harness(input, &inputs, options)?;
    lowering::load_program(&inputs.files, &options, &lower)
        .map(|loaded| assuming(loaded.program, input, assumed))
        .map_err(|failure| failure.to_string())
}

/// As [`lowered`], with the means to read expressions at places of the text.
pub fn with_tree(
    files: &[PathBuf],
    model: DataModel,
    input: &InputArgs,
) -> Result<(Program, lowering::Tree), String> {
    let (options, lower) = options(model, input)?;
    let inputs = Inputs {
        files: files.to_vec(),
        ..Inputs::default()
    };
    let (options, assumed) = with_harness(input, &inputs, options)?;
    lowering::load_with_tree(files, &options, &lower)
        .map(|(loaded, tree)| (assuming(loaded.program, input, assumed), tree))
        .map_err(|failure| failure.to_string())
}

/// The options with the harness of the entry, and what it assumes.
fn with_harness(
    input: &InputArgs,
    inputs: &Inputs,
    mut options: syntax::driver::Options,
) -> Result<(syntax::driver::Options, Vec<String>), String> {
    let harness = project::harness::of(input, inputs, &options)?.unwrap_or_default();
    options.additions = harness.additions;
    Ok((options, harness.assumptions))
}

/// The program with what its harness assumes, at the entry.
fn assuming(mut program: Program, input: &InputArgs, texts: Vec<String>) -> Program {
    let entry = program.function_index.iter().find(|(name, _)| {
        let name = program.names.get(**name);
        input.entry.as_deref() == Some(name)
    });
    let span = program
        .function(entry.map_or(program.entry, |(_, &id)| id))
        .span;
    let assumptions = texts.into_iter().map(|text| Assumption { text, span });
    program.assumptions.splice(0..0, assumptions);
    program
}

/// The harness of the entry, and the files that it is for.
pub fn harness(input: &InputArgs) -> Result<(Inputs, Option<Harness>), String> {
    let inputs = project::inputs(input)?;
    let model = inputs.data_model.unwrap_or(DataModel::Lp64);
    let (options, _) = options(model, input)?;
    let harness = project::harness::of(input, &inputs, &options)?;
    Ok((inputs, harness))
}

/// How the program is compiled to confirm a violation.
pub fn build(input: &InputArgs, property: &Property) -> certify::Build {
    certify::Build {
        property: property.clone(),
        entry: project::harness::function(input),
        external_writes: input.external_writes,
        flags: project::inputs(input).map_or_else(|_| Vec::new(), |inputs| inputs.flags.words()),
    }
}

/// The names of the functions that the files define, in their order.
pub fn functions(args: &CheckArgs) -> Result<Vec<String>, String> {
    let task = task(args)?;
    let (options, _) = options(task.model, &args.input)?;
    let front =
        syntax::driver::front_end(&task.files, &options).map_err(|failure| failure.to_string())?;
    Ok(syntax::driver::on_large_stack(move || {
        let defined = front.program.functions.iter();
        let defined = defined.filter(|function| {
            let place = front.sources.original(function.span.lo);
            let is_own = place.is_none_or(|place| !is_system_header(place.file));
            function.body.is_some() && is_own
        });
        let names = defined.map(|function| front.names.get(function.name).to_owned());
        let names = names.collect();
        drop(front);
        names
    }))
}

/// Functions of the system's headers are not the project's.
fn is_system_header(file: &str) -> bool {
    const FOLDERS: [&str; 3] = ["/usr/include/", "/usr/local/include/", "/usr/lib/gcc"];
    FOLDERS.iter().any(|folder| file.starts_with(folder))
}

fn options(
    model: DataModel,
    input: &InputArgs,
) -> Result<(syntax::driver::Options, LowerOptions), String> {
    let inputs = project::inputs(input)?;
    let options = syntax::driver::Options {
        data_model: model,
        flags: inputs.flags,
        unit_flags: inputs.unit_flags,
        without_body: inputs.without_body,
        stubs: inputs.stubs,
        ..syntax::driver::Options::default()
    };
    let lower = LowerOptions {
        entry: project::harness::function(input),
        havoc_asm: input.havoc_asm,
        external_writes: input.external_writes,
        malloc_may_fail: input.malloc_may_fail,
        volatile_any: input.volatile == Volatile::Any,
        registers: input.mmio.clone(),
        ..LowerOptions::default()
    };
    Ok((options, lower))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_may_be_long_or_short() {
        let call = |name: &str| Property::ErrorCall(vec![name.into()]);
        for (text, property) in [
            (
                "CHECK( init(main()), LTL(G ! call(reach_error())) )",
                call("reach_error"),
            ),
            ("CHECK(init(f()),LTL(G!call(g())))", call("g")),
            ("G ! call(reach_error())", call("reach_error")),
            ("G ! overflow", Property::NoOverflow),
        ] {
            assert_eq!(stated(text).expect(text).0, property);
        }
        assert!(stated("F end").unwrap_err().contains("not supported"));
        assert!(stated("beauty").is_err() && stated("").is_err());
    }
}
