//! `opponents`: attacks a verifier with programs that nobody here wrote; see docs/opponents.md.

use opponents::csmith::{self, Csmith};
use opponents::gcc::{self, Model};
use opponents::ladder::{self, Climb, Contender};
use opponents::loops::{Loops, Selection};
use opponents::memory::Memory;
use opponents::mutants::{self, Mutants};
use opponents::tally::Tally;
use opponents::torture::{self, Executions, Torture};
use opponents::verifier::Verifier;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "opponents torture [--model lp64|ilp32] [--every N] [--only TEXT] [--no-check] [--timeout TIME]
opponents csmith  [--from SEED] [--count N] [--analysis NAME] [--timeout TIME] [--size 1..5]
opponents loops   [--from SEED] [--count N] [--analyses all|NUMBER|NAME,NAME…] [--timeout TIME]
opponents memory  [--from SEED] [--count N] [--timeout TIME]
opponents mutants [--from SEED] [--count N] [--analysis NAME] [--timeout TIME] [--programs FOLDER] [--only TEXT]
opponents ladder  --programs FOLDER [--analysis NAME] [--timeout SECONDS] [--only TEXT]

All take --seconds N (stop then), --kept FOLDER (where programs with wrong answers go).
The verifier is the binary in CONCORD, or the one beside this command.";

/// Between two lines that say how far it is.
const QUIET: Duration = Duration::from_secs(30);

struct Arguments {
    from: u64,
    count: u64,
    every: usize,
    only: String,
    model: Model,
    check: bool,
    timeout: String,
    analysis: String,
    size: Option<usize>,
    selection: Selection,
    programs: PathBuf,
    kept: PathBuf,
    end: Option<Instant>,
}

impl Arguments {
    fn read() -> Result<(String, Self), String> {
        let mut found = Arguments {
            from: 1,
            count: 100,
            every: 1,
            only: String::new(),
            model: Model::Lp64,
            check: true,
            timeout: "2s".to_owned(),
            analysis: "default".to_owned(),
            size: None,
            selection: Selection::Some(3),
            programs: "programs".into(),
            kept: "opponents-kept".into(),
            end: None,
        };
        let mut rest = std::env::args().skip(1);
        let command = rest.next().unwrap_or_default();
        while let Some(argument) = rest.next() {
            if argument == "--no-check" {
                found.check = false;
                continue;
            }
            let Some(value) = rest.next() else {
                return Err(format!("{argument} needs a value"));
            };
            let number = || match value.parse() {
                Ok(number) => Ok(number),
                Err(_) => Err(format!("{argument} takes a number, not '{value}'")),
            };
            match argument.as_str() {
                "--from" | "--seed" => found.from = number()?,
                "--count" => found.count = number()?,
                "--every" => found.every = number()?.max(1) as usize,
                "--seconds" => found.end = Some(Instant::now() + Duration::from_secs(number()?)),
                "--size" => {
                    let number = number()? as usize;
                    if !(1..=csmith::SIZES.len()).contains(&number) {
                        let last = csmith::SIZES.len();
                        return Err(format!("--size takes 1 to {last}, not {number}"));
                    }
                    found.size = Some(number - 1);
                }
                "--only" => found.only = value,
                "--timeout" => found.timeout = value,
                "--analysis" => found.analysis = value,
                "--programs" => found.programs = value.into(),
                "--kept" => found.kept = value.into(),
                "--analyses" => {
                    found.selection = match (value.as_str(), value.parse()) {
                        ("all", _) => Selection::All,
                        (_, Ok(count)) => Selection::Some(count),
                        _ => Selection::Named(value.split(',').map(str::to_owned).collect()),
                    }
                }
                "--model" => {
                    found.model = match value.as_str() {
                        "lp64" => Model::Lp64,
                        "ilp32" => Model::Ilp32,
                        other => return Err(format!("'{other}' is no data model")),
                    }
                }
                other => return Err(format!("unknown option '{other}'")),
            }
        }
        Ok((command, found))
    }

    fn over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

/// Says how far a run is, now and then.
struct Progress {
    begin: Instant,
    last: Instant,
}

impl Progress {
    fn new() -> Self {
        let now = Instant::now();
        Progress {
            begin: now,
            last: now,
        }
    }

    fn tell(&mut self, text: &dyn Fn() -> String) {
        if self.last.elapsed() >= QUIET {
            self.last = Instant::now();
            println!("after {} s: {}", self.begin.elapsed().as_secs(), text());
        }
    }
}

fn run_torture(arguments: &Arguments, verifier: &Verifier, work: &Path) -> Result<bool, String> {
    let cache = std::env::temp_dir().join("concord-opponents");
    let tests = torture::tests(&torture::unpack(&cache)?)?;
    let side = Torture {
        verifier,
        work: work.to_owned(),
        model: arguments.model,
    };
    let (mut executions, mut tally) = (Executions::default(), Tally::default());
    let mut progress = Progress::new();
    let chosen = tests
        .iter()
        .filter(|test| test.name.contains(&arguments.only));
    for test in chosen.step_by(arguments.every) {
        if arguments.over() {
            break;
        }
        executions.count(test, side.execute(test)?);
        if arguments.check {
            tally.programs += 1;
            side.check(test, &arguments.timeout, &mut tally)
                .unwrap_or_else(|text| tally.find(format!("FAILED: {}: {text}", test.name)));
        }
        progress.tell(&|| format!("at {}; {tally}", test.name));
    }
    println!("concord run against gcc: {}", executions.table());
    println!("concord check: {tally}");
    Ok(executions.differ.is_empty() && tally.is_clean())
}

fn run_seeds(
    arguments: &Arguments,
    fight: &dyn Fn(u64, &mut Tally) -> Result<(), String>,
) -> Result<bool, String> {
    let (mut tally, mut progress) = (Tally::default(), Progress::new());
    for seed in arguments.from..arguments.from + arguments.count {
        if arguments.over() {
            break;
        }
        fight(seed, &mut tally)
            .unwrap_or_else(|text| tally.find(format!("FAILED: {seed}: {text}")));
        progress.tell(&|| format!("at seed {seed}; {tally}"));
    }
    println!("{tally}");
    Ok(tally.is_clean())
}

fn run_mutants(arguments: &Arguments, verifier: &Verifier, work: &Path) -> Result<bool, String> {
    let folders = ["features", "verdicts", "loops", "precision"];
    let all = mutants::all(&arguments.programs, &folders, 1)?;
    let side = Mutants {
        verifier,
        work: work.to_owned(),
        kept: arguments.kept.clone(),
        timeout: arguments.timeout.clone(),
        analysis: arguments.analysis.clone(),
        executions: 60,
    };
    let chosen: Vec<_> = all
        .iter()
        .filter(|mutant| mutant.name().contains(&arguments.only))
        .collect();
    println!("{} mutants", chosen.len());
    let chosen = &chosen[..];
    run_seeds(
        arguments,
        &|number, tally| match chosen.get(number as usize - 1) {
            Some(mutant) => side.fight(mutant, tally),
            None => Ok(()),
        },
    )
}

/// Programs of a folder, each with a size `N`, for Concord and CBMC in one run.
fn run_ladder(arguments: &Arguments, verifier: &Verifier) -> Result<bool, String> {
    let seconds = arguments.timeout.trim_end_matches('s');
    let seconds = seconds
        .parse()
        .map_err(|_| format!("--timeout takes seconds, not '{}'", arguments.timeout))?;
    let analysis = match arguments.analysis.as_str() {
        "default" => "bmc",
        other => other,
    };
    let ours = Contender::Concord(verifier, analysis);
    let theirs = process_path("cbmc").map(Contender::Cbmc);
    match &theirs {
        Some(_) => println!(
            "| program | N | Concord | CBMC | CBMC / Concord | largest N |\n|---|--:|--:|--:|--:|---|"
        ),
        None => {
            println!("CBMC is not installed.\n| program | largest N | Concord |\n|---|--:|--:|")
        }
    }
    let folder = std::fs::read_dir(&arguments.programs)
        .map_err(|error| format!("{}: {error}", arguments.programs.display()))?;
    let mut programs: Vec<PathBuf> = folder
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    programs.sort();
    let (mut ratios, mut is_clean) = (Vec::new(), true);
    for program in programs {
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        if arguments.over() || !name.contains(&arguments.only) {
            continue;
        }
        let own = Climb::run(&ours, &program, seconds)?;
        let other = match &theirs {
            Some(theirs) => Some(Climb::run(theirs, &program, seconds)?),
            None => None,
        };
        is_clean &= !own.is_wrong;
        if own.is_wrong {
            println!("WRONG: {} is refuted", program.display());
        }
        let (row, ratio) = ladder::row(&name, &own, other.as_ref());
        println!("{row}");
        ratios.extend(ratio);
    }
    if let Some(mean) = ladder::mean(&ratios) {
        println!("CBMC / {}, geometric mean: {mean:.2}", ours.name());
    }
    Ok(is_clean)
}

/// The command of that name on the path.
fn process_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join(name));
    found.into_iter().find(|file| file.is_file())
}

fn run() -> Result<bool, String> {
    let (command, arguments) = Arguments::read().map_err(|text| format!("{text}\n\n{USAGE}"))?;
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    let work = work.path();
    let verifier = Verifier::find()?;
    if !gcc::works(work, arguments.model) {
        return Err("gcc makes no programs here".to_owned());
    }
    match command.as_str() {
        "torture" => run_torture(&arguments, &verifier, work),
        "csmith" => {
            let side = Csmith {
                verifier: &verifier,
                include: csmith::include().ok_or("csmith is not installed")?,
                work: work.to_owned(),
                kept: arguments.kept.clone(),
                timeout: arguments.timeout.clone(),
                analysis: arguments.analysis.clone(),
                size: arguments.size,
            };
            run_seeds(&arguments, &|seed, tally| side.fight(seed, tally))
        }
        "loops" => {
            let (mut arguments, analyses) = (arguments, verifier.analyses()?);
            let selection = std::mem::replace(&mut arguments.selection, Selection::All);
            let side = Loops {
                verifier: &verifier,
                work: work.to_owned(),
                kept: arguments.kept.clone(),
                analyses,
                selection,
                timeout: arguments.timeout.clone(),
            };
            run_seeds(&arguments, &|seed, tally| side.fight(seed, tally))
        }
        "memory" => {
            let side = Memory {
                verifier: &verifier,
                work: work.to_owned(),
                kept: arguments.kept.clone(),
                timeout: arguments.timeout.clone(),
            };
            run_seeds(&arguments, &|seed, tally| side.fight(seed, tally))
        }
        "mutants" => run_mutants(&arguments, &verifier, work),
        "ladder" => run_ladder(&arguments, &verifier),
        _ => Err(USAGE.to_owned()),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::from(2)
        }
    }
}
