//! Witnesses: what one verifier hands to another so that an answer can be checked.
//!
//! Two formats of the field, read and written: YAML 2.0 ([`yaml`]; older invariant entries are read
//! too) and GraphML 1.0 ([`graphml`]). Both say one of two things: which executions violate the
//! property ([`Content::Sequence`], [`Content::Graph`]), or what holds where, so that it does not
//! happen ([`Content::Invariants`]).

pub mod candidates;
pub mod condition;
pub mod execution;
pub mod graphml;
pub mod literal;
pub mod metadata;
pub mod model;
pub mod placing;
pub mod yaml;

pub use metadata::{creation_time, hash_of, hash_of_file};
pub use model::{
    Content, Control, DataModel, Edge, Graph, Invariant, InvariantKind, Invariants, Metadata, Node,
    Segment, SourcePlace, Waypoint, WaypointKind, Witness,
};

use std::fmt;
use std::path::Path;

/// The text is no witness; why, and where in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed(pub String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Yaml,
    GraphMl,
}

impl Format {
    /// By the ending of the file's name; YAML unless it is `.graphml` or `.xml`.
    pub fn of_file(path: &Path) -> Format {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("graphml" | "xml") => Format::GraphMl,
            _ => Format::Yaml,
        }
    }

    /// By how the text begins.
    pub fn of_text(text: &str) -> Format {
        if text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .starts_with('<')
        {
            Format::GraphMl
        } else {
            Format::Yaml
        }
    }
}

/// Reads a witness of either format.
pub fn read(text: &str) -> Result<Witness, Malformed> {
    match Format::of_text(text) {
        Format::Yaml => yaml::read(text),
        Format::GraphMl => graphml::read(text),
    }
}

/// The witness as text. A graph has no YAML form of its own and is written as GraphML.
pub fn write(witness: &Witness, format: Format) -> String {
    match (format, &witness.content) {
        (Format::GraphMl, _) | (_, Content::Graph(_)) => graphml::write(witness),
        (Format::Yaml, _) => yaml::write(witness),
    }
}
