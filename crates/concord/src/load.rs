//! From the command line to a program: files, property, data model.

use crate::cli::{CheckArgs, InputArgs, Model};
use cfa::lower::LowerOptions;
use cfa::program::Program;
use cfa::property::Property;
use runner::tasks::property::{Kind, Property as Spec};
use std::path::PathBuf;
use syntax::types::DataModel;

/// What is to be checked, after task definitions and property files were read.
#[derive(Clone, Debug)]
pub struct Task {
    pub files: Vec<PathBuf>,
    pub model: DataModel,
    pub property: Property,
    /// The property's name in verdicts.
    pub property_name: &'static str,
}

fn is_definition(path: &std::path::Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "yml" || extension == "yaml")
}

/// Reads what the arguments name.
pub fn task(args: &CheckArgs) -> Result<Task, String> {
    let mut files = args.input.files.clone();
    let mut model = args.input.data_model.map(Model::data_model);
    let mut spec = None;
    if let [file] = &files[..]
        && is_definition(file)
    {
        let tasks = runner::tasks::load(&files, runner::tasks::DataModel::Ilp32)
            .map_err(|error| error.to_string())?;
        let wanted = args.property.as_deref();
        let task = tasks
            .iter()
            .find(|task| wanted.is_none_or(|wanted| task.kind.name() == wanted))
            .ok_or_else(|| {
                format!(
                    "{}: no such property in the task definition",
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
    })
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
        other => Err(format!("the property {} is not supported", other.name())),
    }
}

fn of_name(name: &str) -> Result<(Property, &'static str), String> {
    match name {
        "assertions" | "unreach-call" => Ok((Property::assertions(), "unreach-call")),
        "no-overflow" => Ok((Property::NoOverflow, "no-overflow")),
        other => match Kind::named(other) {
            Some(kind) => Err(format!("the property {} is not supported", kind.name())),
            None => Err(format!(
                "there is no property '{other}' (known: assertions, unreach-call, no-overflow)"
            )),
        },
    }
}

/// The program of the files, lowered, without any property yet.
pub fn lowered(files: &[PathBuf], model: DataModel, input: &InputArgs) -> Result<Program, String> {
    let options = syntax::driver::Options {
        data_model: model,
        defines: input.define.clone(),
        include_dirs: input.include.clone(),
        ..syntax::driver::Options::default()
    };
    let lower = LowerOptions {
        entry: input.entry.clone(),
        ..LowerOptions::default()
    };
    cfa::lower::load_program(files, &options, &lower)
        .map(|loaded| loaded.program)
        .map_err(|failure| failure.to_string())
}
