//! The descriptions that come with the project, inside the executable: an installed program has no
//! `configs` beside it.

use super::description::{Tool, ToolError};
use crate::suggestion::suggestion;
use std::path::PathBuf;

macro_rules! descriptions {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../configs/tools/", $name, ".toml")))),*]
    };
}

const DESCRIPTIONS: [(&str, &str); 7] = descriptions![
    "2ls",
    "cbmc",
    "concord",
    "cpachecker",
    "esbmc",
    "frama-c-eva",
    "ultimate-automizer",
];

/// The description of that name; the error names one that there is.
pub fn builtin(name: &str) -> Result<Tool, ToolError> {
    let error = |problem| ToolError {
        file: PathBuf::from(name),
        problem,
    };
    match DESCRIPTIONS.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => Tool::parse(text).map_err(error),
        None => {
            let names: Vec<&str> = DESCRIPTIONS.iter().map(|(name, _)| *name).collect();
            let hint = suggestion(name, names.iter().copied());
            Err(error(format!(
                "there is no such tool{hint} (known: {})",
                names.join(", ")
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_description_is_inside() {
        for (name, _) in DESCRIPTIONS {
            assert!(!builtin(name).unwrap().name.is_empty());
        }
        let problem = builtin("ebsmc").unwrap_err().to_string();
        assert!(problem.contains("did you mean `esbmc`?"), "{problem}");
    }
}
