//! Random loops over inputs of small ranges: gcc's program is executed with all inputs, and what it
//! computes there becomes an assertion that just holds and one that just fails.

mod expressions;
mod generate;

use crate::assertions::{self, Assertion};
use crate::gcc::{self, Model, compile, execute};
use crate::random::Random;
use crate::tally::{Tally, keep};
use crate::verifier::Verifier;
use std::path::{Path, PathBuf};

const ENUMERATE: &str = include_str!("../../c/enumerate.c");
/// The longest that all executions of one program may take.
const SECONDS: u64 = 20;

pub use generate::program;

/// What all executions of a program observed.
pub struct Observed {
    pub pairs: Vec<(i64, i64)>,
    pub executions: u64,
    pub failures: u64,
}

/// Executes a program with all inputs; an error says why it is no fair one.
pub fn observe(source: &Path, work: &Path, model: Model) -> Result<Observed, String> {
    let harness = gcc::helper(work, "enumerate.c", ENUMERATE)?;
    let binary = work.join("enumerated");
    compile(&[source, &harness], &binary, model, &["-DENUMERATE"])?;
    let ended = execute(&binary, &[], work, SECONDS).ok_or("too slow")?;
    if ended.status != 0 {
        return Err("executions that do not end, or too many".to_owned());
    }
    let text = String::from_utf8_lossy(&ended.output).into_owned();
    let mut observed = Observed {
        pairs: Vec::new(),
        executions: 0,
        failures: 0,
    };
    let unreadable = || "the observations cannot be read".to_owned();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["done", executions, failures] => {
                observed.executions = executions.parse().map_err(|_| unreadable())?;
                observed.failures = failures.parse().map_err(|_| unreadable())?;
            }
            [a, b] => {
                let pair = (a.parse(), b.parse());
                let (Ok(a), Ok(b)) = pair else {
                    return Err(unreadable());
                };
                observed.pairs.push((a, b));
            }
            _ => return Err(unreadable()),
        }
    }
    observed.pairs.sort_unstable();
    observed.pairs.dedup();
    Ok(observed)
}

/// Which analyses a program meets.
pub enum Selection {
    All,
    /// So many of them, others for each program.
    Some(usize),
    Named(Vec<String>),
}

impl Selection {
    fn of(&self, all: &[String], seed: u64) -> Vec<String> {
        match self {
            Selection::All => all.to_vec(),
            Selection::Named(names) => names.clone(),
            Selection::Some(count) => {
                let start = seed as usize * count;
                let turn = (start..start + count).map(|index| &all[index % all.len()]);
                turn.cloned().collect()
            }
        }
    }
}

pub struct Loops<'a> {
    pub verifier: &'a Verifier,
    pub work: PathBuf,
    pub kept: PathBuf,
    pub analyses: Vec<String>,
    pub selection: Selection,
    pub timeout: String,
}

impl Loops<'_> {
    /// One program with its assertions, against the analyses whose turn it is.
    pub fn fight(&self, seed: u64, tally: &mut Tally) -> Result<(), String> {
        let mut random = Random::new(seed, "loops");
        let model = *random.pick(&[Model::Ilp32, Model::Lp64]);
        let text = generate::program(&mut random);
        let source = self.work.join("loop.c");
        write(&source, &text, "1")?;
        tally.programs += 1;
        let observed = match observe(&source, &self.work, model) {
            Ok(observed) => observed,
            Err(why) => {
                tally.unusable(why.lines().next().unwrap_or_default());
                return Ok(());
            }
        };
        if observed.pairs.is_empty() {
            tally.unusable("the assertion is never reached");
            return Ok(());
        }
        for assertion in assertions::choose(&mut random, &observed.pairs) {
            write(&source, &text, &assertion.text)?;
            for analysis in self.selection.of(&self.analyses, seed) {
                self.ask(seed, &source, model, &assertion, &analysis, tally)?;
            }
        }
        Ok(())
    }

    fn ask(
        &self,
        seed: u64,
        source: &Path,
        model: Model,
        assertion: &Assertion,
        analysis: &str,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let options = ["--analysis", analysis, "--timeout", &self.timeout];
        let answer = self.verifier.check(&[source], model, &options)?;
        let name = format!("seed {seed}, {}, {analysis}", model.name());
        let findings = tally.findings.len();
        if tally.count(&name, &answer, assertion.holds) {
            // The assertion's truth was computed here; gcc has the last word.
            let observed = observe(source, &self.work, model)?;
            let (failures, all) = (observed.failures, observed.executions);
            tally.find(format!("  gcc: {failures} of {all} executions fail"));
        }
        if tally.findings.len() > findings || answer.verdict == crate::verifier::Verdict::Refused {
            let kept = keep(
                &self.kept,
                &format!("loop-{seed}-{}.c", assertion.holds),
                source,
            )?;
            println!(
                "  {analysis} {}: {}",
                kept.display(),
                answer.reason.trim_end()
            );
        }
        Ok(())
    }
}

/// The program with its assertion.
fn write(path: &Path, text: &str, condition: &str) -> Result<(), String> {
    let text = format!("#define CONDITION ({condition})\n{text}");
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
