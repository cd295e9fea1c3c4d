//! `concord bench`: measures verifiers on tasks, and compares two such runs.

use crate::cli::{BenchArgs, BenchCommand};
use crate::exit;
use portfolio::configuration;
use process::{Guard, Limits};
use report::bench::diff::{Threshold, diff};
use report::bench::write_all;
use runner::bench::{Contender, Plan, Stop, Tally, journal, run};
use runner::progress::Bar;
use runner::tasks::{self, DataModel, Selection};
use runner::tool::{self, Tool};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

pub fn bench(args: &BenchArgs) -> ExitCode {
    let result = match &args.command {
        Some(BenchCommand::Diff { before, after }) => compare(before, after),
        None => measure(args),
    };
    match result {
        Ok(code) => exit::code(code),
        Err(error) => exit::bad_input(error),
    }
}

/// The verifier of that name: a description file, one that comes with Concord, or Concord itself.
fn tool(name: &str) -> Result<Tool, Box<dyn Error>> {
    if name.ends_with(".toml") {
        return Ok(Tool::read(Path::new(name))?);
    }
    let mut tool = tool::builtin(name)?;
    if name == "concord" {
        tool.executable = std::env::current_exe()?.display().to_string();
    }
    Ok(tool)
}

fn measure(args: &BenchArgs) -> Result<u8, Box<dyn Error>> {
    if args.tasks.is_empty() {
        return Err(
            "no tasks given: name task lists (.csv, .set), task definitions (.yml) or directories"
                .into(),
        );
    }
    let stop = Stop::on_signals()?;
    let analyses = configuration::expand(&args.analysis)?;
    let mut contenders = Vec::new();
    for name in &args.tool {
        let tool = Arc::new(tool(name)?);
        for analysis in &analyses {
            if name == "concord" {
                // A misspelt name is found now and not in each of a thousand logs.
                configuration::named(analysis)?;
            }
            contenders.push(Contender {
                tool: Arc::clone(&tool),
                analysis: analysis.clone(),
            });
        }
    }
    let mut selection = Selection {
        sample: args.sample,
        seed: args.seed,
        shard: args.shard.as_deref().map(str::parse).transpose()?,
        ..Selection::default()
    };
    if let Some(pattern) = &args.filter {
        selection = selection.with_filter(pattern)?;
    }
    let tasks = selection.of(tasks::load(&args.tasks, DataModel::Ilp32)?);
    let plan = Plan {
        tasks,
        contenders,
        limits: Limits {
            cpu: Some(args.timeout),
            wall: Some(args.wall.unwrap_or(args.timeout * 2)),
            memory: Some(args.memory),
            output: Some(50 << 20),
            ..Limits::default()
        },
        jobs: args.jobs.max(1),
        directory: args.output.clone(),
        guard: Guard::this_executable()?,
        keep_output: 1 << 20,
    };
    let records = run(&plan, &Bar::default(), &stop)?;
    write_all(&args.output, "Concord benchmark", &records)?;
    let tally = Tally::of(&records);
    println!(
        "{} correct, {} wrong, {} unsolved, {} without an expected verdict",
        tally.correct, tally.wrong, tally.unsolved, tally.unjudged
    );
    if tally.alarms > 0 {
        print!("{}", report::bench::alarms::listing(&records));
    }
    println!("results in {}", args.output.display());
    Ok(if tally.wrong > 0 || tally.alarms > 0 {
        exit::FALSE
    } else {
        exit::TRUE
    })
}

fn compare(before: &Path, after: &Path) -> Result<u8, Box<dyn Error>> {
    let read = |path: &Path| {
        let file = if path.is_dir() {
            path.join(Plan::JOURNAL)
        } else {
            path.to_owned()
        };
        journal::read(&file)
    };
    let (before, after) = (read(before)?, read(after)?);
    let difference = diff(&before, &after, Threshold::default());
    print!("{}", difference.markdown());
    Ok(if difference.is_worse() {
        exit::FALSE
    } else {
        exit::TRUE
    })
}
