//! `concord analyses`: lists the named configurations.

use crate::exit;
use portfolio::configuration;
use std::process::ExitCode;

pub fn list() -> ExitCode {
    for named in configuration::all() {
        match named {
            Ok((name, analysis)) => {
                let paper = analysis
                    .paper
                    .map_or(String::new(), |paper| format!(" [{paper}]"));
                println!("{name:<20} {}{paper}", analysis.summary);
            }
            Err(error) => return exit::bad_input(error),
        }
    }
    exit::code(exit::TRUE)
}
