//! The smallest command line on top of the library; the tests use it as guard, and kill it in the
//! middle.
//!
//! `runner-example DIRECTORY JOBS CPU_SECONDS TOOL.toml ANALYSIS,… LIST…` runs a benchmark, and
//! prints its results.

use process::{Guard, Limits, guard};
use runner::bench::{Contender, Plan, Stop, run};
use runner::progress::Lines;
use runner::tasks::{DataModel, load};
use runner::tool::Tool;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

fn main() -> ExitCode {
    guard::enter_if_guard();
    match bench() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn bench() -> Result<(), Box<dyn Error>> {
    let stop = Stop::on_signals()?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [directory, jobs, cpu, tool, analyses, lists @ ..] = words.as_slice() else {
        return Err(
            "usage: runner-example DIRECTORY JOBS CPU_SECONDS TOOL.toml ANALYSIS,… LIST…".into(),
        );
    };
    let tool = Arc::new(Tool::read(tool.as_ref())?);
    let lists: Vec<PathBuf> = lists.iter().map(PathBuf::from).collect();
    let cpu = Duration::from_secs_f64(cpu.parse()?);
    let plan = Plan {
        tasks: load(&lists, DataModel::Ilp32)?,
        contenders: analyses
            .split(',')
            .map(|name| Contender {
                tool: Arc::clone(&tool),
                analysis: name.into(),
            })
            .collect(),
        limits: Limits {
            cpu: Some(cpu),
            wall: Some(cpu * 2),
            memory: Some(1 << 30),
            output: Some(50 << 20),
            ..Limits::default()
        },
        jobs: jobs.parse()?,
        directory: directory.into(),
        guard: Guard::this_executable()?,
        keep_output: 1 << 20,
    };
    let records = run(
        &plan,
        &Lines::new(std::io::stderr(), Duration::from_secs(10)),
        &stop,
    )?;
    for record in records {
        println!(
            "{} {} {} {}",
            record.task,
            record.analysis,
            record.verdict,
            record.score()
        );
    }
    Ok(())
}
