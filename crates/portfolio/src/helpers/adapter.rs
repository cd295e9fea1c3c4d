//! From what a helper leaves to statements at places of the text.

use super::llvm;
use super::mapper::Mapped;
use super::ranges;
use serde::Deserialize;
use std::path::Path;
use witness::{Content, Invariant};

/// What a helper leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adapter {
    /// A witness of correctness: YAML 2.0 or 2.1, GraphML 1.0.
    Witness,
    /// Lines `FILE:LINE[:COLUMN]: C-EXPRESSION`.
    Text,
    /// What SeaHorn prints of LLVM's registers at basic blocks; `module` names the file of the module.
    Llvm,
    /// The ranges that Frama-C/Eva prints for the mapper's questions.
    Ranges,
}

impl Adapter {
    /// The statements; or why there are none. `module` is the text of the file that the description
    /// names, if it names one.
    pub fn read(
        self,
        text: &str,
        module: Option<&str>,
        mapped: &Mapped,
        originals: &[std::path::PathBuf],
    ) -> Result<Vec<Invariant>, String> {
        match self {
            Adapter::Witness => of_witness(text, mapped, originals),
            Adapter::Text => Ok(witness::candidates::of_lines(text)),
            Adapter::Llvm => llvm::invariants(text, module.unwrap_or_default()),
            Adapter::Ranges => Ok(ranges::answers(text, &mapped.asked)),
        }
    }
}

fn of_witness(
    text: &str,
    mapped: &Mapped,
    originals: &[std::path::PathBuf],
) -> Result<Vec<Invariant>, String> {
    let read = witness::read(text).map_err(|error| format!("its witness: {error}"))?;
    let files = mapped.files.iter().chain(originals);
    let known: Vec<String> = files
        .filter_map(|file| witness::hash_of_file(file).ok())
        .collect();
    let stated = read.metadata.files.iter();
    let mut stated = stated.filter_map(|(name, hash)| Some((name, hash.as_ref()?)));
    let is_other = |hash: &str| !known.iter().any(|own| own.eq_ignore_ascii_case(hash));
    if let Some((name, _)) = stated.find(|(_, hash)| is_other(hash)) {
        let name = Path::new(name).file_name().unwrap_or_default();
        return Err(format!(
            "its witness is about another program ({})",
            name.display()
        ));
    }
    match read.content {
        Content::Invariants(said) => Ok(said.list),
        Content::Sequence(_) | Content::Graph(_) => {
            Err("it claims a violation, which is not taken".into())
        }
    }
}
