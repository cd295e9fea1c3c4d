//! `concord helpers`: lists the programs that masters may ask for invariants.

use crate::exit;
use std::process::ExitCode;

pub fn list() -> ExitCode {
    let all = match portfolio::helpers::all() {
        Ok(all) => all,
        Err(error) => return exit::bad_input(error),
    };
    for (file, helper) in all {
        let there = match helper.installed() {
            Some(_) => "installed",
            None => "not installed",
        };
        let short = helper.short.join(", ");
        println!(
            "{short:<8} {file:<20} {there:<14} {}: {}",
            helper.name, helper.summary
        );
    }
    exit::code(exit::TRUE)
}
