//! What a benchmark run has shown: figures for machines (CSV, JSON), for people (an HTML page), and
//! beside those of the papers (Markdown).

pub mod alarms;
pub mod diff;
pub mod export;
mod group;
pub mod page;
pub mod papers;
pub mod plot;
mod summary;
mod table;
mod who;

pub use group::{Group, groups};
pub use summary::Summary;
pub use table::Table;

use runner::bench::Record;
use std::fs;
use std::io;
use std::path::Path;

/// Writes everything into the directory of a benchmark run: `results.csv`, `results.json`,
/// `report.html`, `tables.md` and the figures that the latter shows. Links to logs are relative to
/// that directory.
pub fn write_all(directory: &Path, title: &str, records: &[Record]) -> io::Result<()> {
    fs::write(directory.join("results.csv"), export::csv(records)?)?;
    fs::write(directory.join("results.json"), export::json(records)?)?;
    fs::write(directory.join("report.html"), page::html(title, records))?;
    let document = papers::document(records);
    for (name, svg) in &document.figures {
        fs::write(directory.join(name), svg)?;
    }
    fs::write(directory.join("tables.md"), document.markdown)
}

#[cfg(test)]
mod tests;
