//! The command line of Concord.

/// As the standard macro, but that nobody reads the output any more is no reason to fail.
macro_rules! println {
    ($($arg:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout().lock(), $($arg)*);
    }};
}

mod analyses;
mod automaton;
mod bench;
mod check;
mod cli;
mod doctor;
mod exit;
mod helpers;
mod invariants;
mod load;
mod lsp;
mod manual;
mod paint;
mod project;
mod reduce;
mod run;
mod standard_input;
mod validate;
mod watch;

use clap::Parser;
use cli::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    // The same executable guards the processes that it starts; then nothing below is reached.
    process::guard::enter_if_guard();
    // What a compiler is told is the compiler's to read.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|command| command == "cc") {
        return project::cc::compile(&words.collect::<Vec<_>>());
    }
    let given = match project::arguments::prepared(std::env::args_os()) {
        Ok(words) => words,
        Err(text) => return exit::bad_input(text),
    };
    let (words, settings) = match project::with_settings(&given) {
        Ok(found) => found,
        Err(text) => return exit::bad_input(text),
    };
    let (words, standard_input) = match standard_input::taken(words) {
        Ok(taken) => taken,
        Err(text) => return exit::bad_input(text),
    };
    let cli = Cli::parse_from(&words);
    let stdin = standard_input.as_ref();
    if let Some(settings) = &settings
        && let Command::Check(args) = &cli.command
    {
        let entries = settings.entries();
        let input = &args.input;
        if !entries.is_empty() && input.entry.is_none() && !args.each_function {
            return project::each_function::check_entries(args, entries, &given[1..]);
        }
    }
    match cli.command {
        Command::Check(args) if args.each_function => {
            project::each_function::check(&args, &words[1..], stdin)
        }
        Command::Check(args) => check::check(&args, &words[2..], stdin),
        Command::Watch(args) => watch::watch(&args, &words[2..]),
        Command::Doctor(args) => doctor::examine(&args),
        Command::Lsp(args) => lsp::serve(&args),
        Command::Work(args) => check::worker::work(&args, None),
        Command::WorkAgain(args) => check::worker::work_again(&args, None),
        Command::Validate(args) => check::validate(&args, &words[2..]),
        Command::WorkValidate(args) => check::worker::work(&args.check, Some(&args.given)),
        Command::WorkValidateAgain(args) => {
            check::worker::work_again(&args.check, Some(&args.given))
        }
        Command::Harness(args) => project::harness::print(&args),
        Command::Run(args) => run::run(&args),
        Command::Cfa(args) => automaton::show(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::Cc { words } => {
            project::cc::compile(&words.iter().map(Into::into).collect::<Vec<_>>())
        }
        Command::Analyses => analyses::list(),
        Command::Settings => {
            println!("{}", project::settings::reference().trim_end());
            ExitCode::SUCCESS
        }
        Command::Helpers => helpers::list(),
        Command::Invariants(args) => invariants::print(&args),
        Command::Reduce(args) => reduce::write(&args),
        Command::Completions { shell } => manual::completions(shell),
        Command::Man(args) => manual::man(&args),
    }
}
