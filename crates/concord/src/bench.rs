//! `concord bench`: measures verifiers on tasks, and compares two such runs.

use crate::cli::{BenchArgs, BenchCommand};
use crate::exit;
use portfolio::configuration;
use process::{Guard, Limits};
use report::bench::diff::{Threshold, diff};
use report::bench::write_all;
use runner::bench::{Contender, Distributed, Plan, Stop, Tally, journal, run, run_on};
use runner::cluster;
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
    let records = match args.on {
        Some(engine) => {
            let distributed = distributed(args, engine, &plan)?;
            run_on(&plan, &distributed, &Bar::default(), &stop)?
        }
        None => run(&plan, &Bar::default(), &stop)?,
    };
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

/// The largest number of elements that an array has without a question: Slurm's own default is 1001.
const MAX_ELEMENTS: usize = 1000;
/// Runs of one element: so many that starting it costs nothing beside them.
const RUNS_OF_ELEMENT: usize = 50;

/// The run in parts. Each part is this command once more, for a shard and with a directory of its
/// own.
fn distributed(
    args: &BenchArgs,
    engine: cluster::Engine,
    plan: &Plan,
) -> Result<Distributed, Box<dyn Error>> {
    let runs = plan.tasks.len() * plan.contenders.len();
    let count = args.elements.unwrap_or(runs.div_ceil(RUNS_OF_ELEMENT));
    let count = count.clamp(1, MAX_ELEMENTS.min(plan.tasks.len().max(1)));
    let parts = (0..count).map(|element| (element..plan.tasks.len()).step_by(count).collect());
    std::fs::create_dir_all(&args.output)?;
    let output = std::fs::canonicalize(&args.output)?;
    let output = output.join(Distributed::directory(count));
    let ours = ["--on", "--elements", "--output", "-o"];
    let words = std::env::args_os().skip(1).map(|word| word.into_string());
    let words: Vec<String> = words
        .collect::<Result<_, _>>()
        .map_err(|word| format!("{}: not UTF-8", word.display()))?;
    let words = without_options(&words, &ours);
    let words: Vec<String> = words.iter().map(|word| cluster::quoted(word)).collect();
    Ok(Distributed {
        engine,
        parts: parts.collect(),
        command: format!(
            "cd {} || exit\nexec {} {} --shard $((ELEMENT + 1))/{count} --output {}/$ELEMENT",
            cluster::quoted(&std::env::current_dir()?.display().to_string()),
            cluster::quoted(&std::env::current_exe()?.display().to_string()),
            words.join(" "),
            cluster::quoted(&output.display().to_string()),
        ),
    })
}

/// The words of a command line without some options that take a value.
pub fn without_options(words: &[String], options: &[&str]) -> Vec<String> {
    let mut left = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let is_joined = |option: &&str| {
            let value = word.strip_prefix(*option);
            match option.starts_with("--") {
                true => value.is_some_and(|value| value.starts_with('=')),
                false => value.is_some_and(|value| !value.is_empty()),
            }
        };
        if options.contains(&word.as_str()) {
            words.next();
        } else if !options.iter().any(is_joined) {
            left.push(word.clone());
        }
    }
    left
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_left_out_however_they_are_written() {
        let words = [
            "bench",
            "-ox",
            "--on=slurm",
            "a.csv",
            "--on",
            "hq",
            "-o",
            "d",
            "--only",
        ];
        let words = words.map(str::to_owned);
        let left = without_options(&words, &["--on", "--output", "-o"]);
        assert_eq!(left, ["bench", "a.csv", "--only"]);
    }
}
