//! Completions for shells and the manual, from the definitions of the command line.

use crate::cli::{Cli, ManArgs};
use crate::exit;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;
use std::process::ExitCode;

pub fn completions(shell: Shell) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "concord", &mut text);
    print(&text)
}

/// One page to the terminal, or all pages into a directory.
pub fn man(args: &ManArgs) -> ExitCode {
    let Some(directory) = &args.directory else {
        let mut text = Vec::new();
        return match clap_mangen::Man::new(Cli::command()).render(&mut text) {
            Ok(()) => print(&text),
            Err(error) => exit::bad_input(error),
        };
    };
    let written = std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), directory));
    match written {
        Ok(()) => exit::code(exit::TRUE),
        Err(error) => exit::bad_input(format!("{}: {error}", directory.display())),
    }
}

fn print(text: &[u8]) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Ok(()) => exit::code(exit::TRUE),
        // Whoever reads it has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => exit::code(exit::TRUE),
        Err(error) => exit::bad_input(error),
    }
}
