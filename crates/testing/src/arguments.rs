//! The command line of examples that compare with gcc on many programs.

use std::path::PathBuf;
use syntax::types::DataModel;

/// `[--from SEED] [--count N] [--model ilp32|lp64|both] [FILE…]`.
pub struct Arguments {
    pub from: u64,
    pub count: u64,
    pub models: Vec<DataModel>,
    pub files: Vec<PathBuf>,
}

impl Arguments {
    /// Reads the command line; `other` takes an argument of the example's own, with its value, and
    /// says whether it is one.
    pub fn read(mut other: impl FnMut(&str, &str) -> bool) -> Result<Arguments, String> {
        let mut found = Arguments {
            from: 1,
            count: 1000,
            models: vec![DataModel::Ilp32, DataModel::Lp64],
            files: Vec::new(),
        };
        let mut rest = std::env::args().skip(1);
        while let Some(argument) = rest.next() {
            if !argument.starts_with("--") {
                found.files.push(argument.into());
                continue;
            }
            let value = rest.next().ok_or(format!("{argument} needs a value"))?;
            let number = || {
                value
                    .parse()
                    .map_err(|_| format!("'{value}' is not a number"))
            };
            match argument.as_str() {
                "--from" | "--seed" => found.from = number()?,
                "--count" => found.count = number()?,
                "--model" => {
                    found.models = match value.as_str() {
                        "ilp32" => vec![DataModel::Ilp32],
                        "lp64" => vec![DataModel::Lp64],
                        "both" => found.models,
                        other => return Err(format!("'{other}' is not a data model")),
                    }
                }
                argument if other(argument, &value) => {}
                argument => return Err(format!("unknown argument '{argument}'")),
            }
        }
        Ok(found)
    }
}
