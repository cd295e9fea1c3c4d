//! How fast C text becomes a program, against gcc:
//! `cargo run --release -p transform --example front_speed -- FOLDER`.
//!
//! Over the 25 largest tasks of a folder of sets: lexing, parsing and typing, and all of lowering,
//! in processor time, beside `gcc -fsyntax-only`; and the longest time that splitting memory took.

#[path = "../tests/support/stages.rs"]
#[allow(dead_code)]
mod stages;
#[path = "../../interpreter/tests/support/times.rs"]
mod times;

use lowering::{LowerOptions, load_program};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use syntax::driver::{self, on_large_stack};
use syntax::types::DataModel;
use times::times;
use transform::regions::split_memory;

/// Each task is measured so often.
const ROUNDS: usize = 3;

fn front(model: DataModel) -> driver::Options {
    driver::Options {
        data_model: model,
        ..driver::Options::default()
    }
}

/// Processor time of this process while something is done.
fn own_time<T>(work: impl FnOnce() -> T) -> Option<(f64, T)> {
    let before = times()?.0;
    let result = work();
    Some((times()?.0 - before, result))
}

fn typed(file: &Path, model: DataModel) -> bool {
    let options = front(model);
    on_large_stack(|| {
        let Ok(mut parsed) = driver::parse_files(&[file.to_owned()], &options) else {
            return false;
        };
        syntax::check::check(parsed.units, &mut parsed.names, model).is_ok()
    })
}

fn gcc(file: &Path, model: DataModel) -> bool {
    let bits = match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    };
    Command::new("gcc")
        .args(["-w", "-std=gnu11", "-fsyntax-only", bits])
        .arg(file)
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn measure(mut tasks: Vec<(PathBuf, DataModel)>) -> Option<()> {
    let size = |file: &Path| std::fs::metadata(file).map_or(0, |found| found.len());
    tasks.sort_by_key(|(file, _)| std::cmp::Reverse(size(file)));
    tasks.truncate(25);
    let bytes: u64 = tasks.iter().map(|(file, _)| size(file)).sum();
    let (mut front_end, mut whole, mut longest) = (0.0, 0.0, 0.0f64);
    let mut refused = 0;
    let start = times()?.1;
    for (file, model) in std::iter::repeat_n(&tasks, ROUNDS).flatten() {
        refused += usize::from(!gcc(file, *model));
    }
    let theirs = times()?.1 - start;
    for (file, model) in std::iter::repeat_n(&tasks, ROUNDS).flatten() {
        let (time, is_program) = own_time(|| typed(file, *model))?;
        if !is_program {
            println!("{} is refused", file.display());
        }
        front_end += time;
        let options = front(*model);
        let (time, loaded) = own_time(|| {
            load_program(
                std::slice::from_ref(file),
                &options,
                &LowerOptions::default(),
            )
        })?;
        whole += time;
        if let Ok(loaded) = loaded {
            let (time, _) = own_time(|| split_memory(&loaded.program))?;
            longest = longest.max(time);
        }
    }
    let rounds = ROUNDS as f64;
    println!(
        "{} files, {:.1} MB, {} of them refused by gcc",
        tasks.len(),
        bytes as f64 / 1e6,
        refused / ROUNDS
    );
    println!("gcc -fsyntax-only          {:.3} s", theirs / rounds);
    println!(
        "lexing, parsing, typing    {:.3} s, {:.2} times gcc, {:.1} MB/s",
        front_end / rounds,
        front_end / theirs,
        bytes as f64 * rounds / 1e6 / front_end
    );
    println!(
        "from text to a program     {:.3} s, {:.2} times gcc",
        whole / rounds,
        whole / theirs
    );
    println!("splitting memory           {longest:.3} s at most");
    Some(())
}

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let Some(tasks) = folder.and_then(|folder| stages::tasks(&folder)) else {
        eprintln!("expected a folder that has a folder 'sets'");
        return ExitCode::from(2);
    };
    match measure(tasks) {
        Some(()) => ExitCode::SUCCESS,
        None => {
            eprintln!("there are no processor times here");
            ExitCode::from(2)
        }
    }
}
