//! The ladder: programs of growing size `N`, proved by bounded checking here and, where it is
//! installed, by CBMC.
//!
//! Both get the same CPU time for each rung, one after the other in one run, so that the ratios
//! mean something on a busy machine. CBMC unwinds with a bound that grows until its unwinding
//! assertions hold, because nobody tells Concord the bound either.

use crate::verifier::Verifier;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The rungs.
pub const SIZES: [u32; 15] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64];
/// The bounds that CBMC tries.
const BOUNDS: [u32; 7] = [4, 9, 17, 33, 65, 129, 257];

/// One side of the comparison.
pub enum Contender<'a> {
    Concord(&'a Verifier, &'a str),
    Cbmc(PathBuf),
}

/// What a rung ended with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rung {
    /// Proved, in so many seconds of CPU.
    Proved(f64),
    /// No answer within the limit.
    Unsolved,
    /// An answer that a program of the ladder cannot have.
    Wrong,
}

/// CPU time of the processes that have ended, in seconds.
fn children_seconds() -> f64 {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else {
        return 0.0;
    };
    let time = usage.user_time() + usage.system_time();
    time.num_microseconds() as f64 / 1e6
}

impl Contender<'_> {
    pub fn name(&self) -> &str {
        match self {
            Contender::Concord(_, analysis) => analysis,
            Contender::Cbmc(_) => "CBMC",
        }
    }

    /// Proves the program of one size.
    pub fn climb(&self, program: &Path, size: u32, seconds: u64) -> Result<Rung, String> {
        let before = children_seconds();
        let code = match self {
            Contender::Concord(verifier, analysis) => {
                let mut command = Command::new(&verifier.binary);
                command
                    .args(["check", "--analysis", analysis, "-D", &format!("N={size}")])
                    .args(["--timeout", &format!("{seconds}s"), "--wall"])
                    .arg(format!("{}s", seconds * 10))
                    .arg(program);
                match status(command)? {
                    Some(0) => Some(true),
                    Some(1) => Some(false),
                    _ => None,
                }
            }
            Contender::Cbmc(binary) => cbmc(binary, program, size, seconds)?,
        };
        let spent = children_seconds() - before;
        Ok(match code {
            Some(true) if spent <= seconds as f64 => Rung::Proved(spent),
            Some(false) => Rung::Wrong,
            _ => Rung::Unsolved,
        })
    }
}

fn status(mut command: Command) -> Result<Option<i32>, String> {
    let ended = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let name = command.get_program().to_string_lossy().into_owned();
    ended
        .map(|status| status.code())
        .map_err(|error| format!("{name}: {error}"))
}

/// `true` if a bound proves the program, `false` if one refutes it.
fn cbmc(binary: &Path, program: &Path, size: u32, seconds: u64) -> Result<Option<bool>, String> {
    let begin = children_seconds();
    for bound in BOUNDS {
        let left = seconds as f64 - (children_seconds() - begin);
        if left < 1.0 {
            return Ok(None);
        }
        for assertions in ["--no-unwinding-assertions", "--unwinding-assertions"] {
            // The limit of CPU time is the shell's; CBMC has none.
            let mut command = Command::new("sh");
            command
                .args(["-c", "ulimit -t \"$1\"; shift; exec \"$@\"", "sh"])
                .arg(format!("{}", left.ceil()))
                .arg(binary)
                .args(["--no-standard-checks", "--object-bits", "11", "-D"])
                .arg(format!("N={size}"))
                .args(["--unwind", &bound.to_string(), assertions])
                .arg(program);
            match (status(command)?, assertions) {
                (Some(0), "--unwinding-assertions") => return Ok(Some(true)),
                (Some(0), _) => {}
                (Some(10), "--no-unwinding-assertions") => return Ok(Some(false)),
                (Some(10), _) => break,
                _ => return Ok(None),
            }
        }
    }
    Ok(None)
}

/// The rungs of one contender up to the first that it does not reach.
#[derive(Default)]
pub struct Climb {
    pub times: Vec<(u32, f64)>,
    pub is_wrong: bool,
}

impl Climb {
    pub fn run(contender: &Contender, program: &Path, seconds: u64) -> Result<Climb, String> {
        let mut climb = Climb::default();
        for size in SIZES {
            match contender.climb(program, size, seconds)? {
                Rung::Proved(time) => climb.times.push((size, time)),
                Rung::Unsolved => break,
                Rung::Wrong => {
                    climb.is_wrong = true;
                    break;
                }
            }
        }
        Ok(climb)
    }

    fn largest(&self) -> String {
        let last = self.times.last();
        last.map_or("–".to_owned(), |(size, _)| size.to_string())
    }
}

/// A row: the largest size that both reach with the times there, and the largest size of each.
pub fn row(program: &str, ours: &Climb, theirs: Option<&Climb>) -> (String, Option<f64>) {
    let mut row = format!("| {program} |");
    let Some(theirs) = theirs else {
        let last = ours.times.last();
        let _ = match last {
            Some((size, time)) => write!(row, " {size} | {time:.2} |"),
            None => write!(row, " – | – |"),
        };
        return (row, None);
    };
    let common = ours.times.iter().rev().find_map(|&(size, time)| {
        let (_, other) = theirs.times.iter().find(|(their, _)| *their == size)?;
        Some((size, time, *other))
    });
    let (largest, their_largest) = (ours.largest(), theirs.largest());
    // A hundredth of a second is what starting a process takes.
    let ratio = common.map(|(_, time, other)| other.max(0.01) / time.max(0.01));
    let _ = match (common, ratio) {
        (Some((size, time, other)), Some(ratio)) => write!(
            row,
            " {size} | {time:.2} | {other:.2} | {ratio:.2} | {largest} / {their_largest} |"
        ),
        _ => write!(row, " – | – | – | – | {largest} / {their_largest} |"),
    };
    (row, ratio)
}

/// The geometric mean.
pub fn mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_compare_at_the_largest_common_size() {
        let climb = |times: &[(u32, f64)]| Climb {
            times: times.to_vec(),
            is_wrong: false,
        };
        let ours = climb(&[(1, 0.1), (2, 0.5), (3, 2.0)]);
        let theirs = climb(&[(1, 0.2), (2, 1.0)]);
        let (text, ratio) = row("p", &ours, Some(&theirs));
        assert_eq!(text, "| p | 2 | 0.50 | 1.00 | 2.00 | 3 / 2 |");
        assert_eq!(ratio, Some(2.0));
        let (text, ratio) = row("p", &ours, None);
        assert_eq!((text.as_str(), ratio), ("| p | 3 | 2.00 |", None));
    }

    #[test]
    fn means_are_geometric() {
        assert_eq!(mean(&[]), None);
        let found = mean(&[1.0, 4.0]).expect("two ratios");
        assert!((found - 2.0).abs() < 1e-9);
    }
}
