//! How fast our octagons are beside those of the Parma Polyhedra Library.
//!
//! `cargo run --release -p domains --example octagon_vs_ppl` compiles the C++ program beside this
//! file with the system's compiler (`CXX`, default `c++`) against `libppl`, gives both sides the
//! same workloads, and prints how many times as fast ours are: closure, incremental test, join and
//! inclusion, dense and sparse, at 10, 40 and 120 variables.
//!
//! Nothing of this is part of the normal build; without `libppl` the command says so and stops.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use domains::lattice::Lattice;
use domains::linear::{Bounds, VarId};
use domains::octagon::{Literal, Octagon};

/// `literal to - literal from <= bound`; even literals are variables, odd ones their negations.
type Difference = (usize, usize, i128);

struct Workload {
    variables: usize,
    first: Vec<Difference>,
    second: Vec<Difference>,
    tests: Vec<Difference>,
}

/// Knuth's linear congruential generator: the same workloads everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) % limit as u64) as usize
    }
}

fn value(point: &[i128], literal: usize) -> i128 {
    if literal.is_multiple_of(2) {
        point[literal / 2]
    } else {
        -point[literal / 2]
    }
}

/// Constraints that hold at the point, with some slack.
fn constraints(
    random: &mut Random,
    point: &[i128],
    pairs: impl Iterator<Item = (usize, usize)>,
    slack: usize,
) -> Vec<Difference> {
    pairs
        .map(|(from, to)| {
            let bound = value(point, to) - value(point, from) + random.below(slack) as i128;
            (from, to, bound)
        })
        .collect()
}

impl Workload {
    /// Every pair of literals is bounded.
    fn dense(variables: usize, random: &mut Random) -> Self {
        let pairs = || {
            (0..2 * variables)
                .flat_map(|i| (0..2 * variables).map(move |j| (i, j)))
                .filter(|(i, j)| i != j)
        };
        Self::new(variables, random, pairs(), pairs())
    }

    /// Half as many related pairs as variables, chosen at random; half of the variables are
    /// bounded.
    fn sparse(variables: usize, random: &mut Random) -> Self {
        let mut pairs = Vec::new();
        while pairs.len() < variables / 2 {
            let (from, to) = (random.below(2 * variables), random.below(2 * variables));
            if from / 2 != to / 2 {
                pairs.push((from, to));
            }
        }
        for _ in 0..variables / 2 {
            let literal = random.below(2 * variables);
            pairs.extend([(literal, literal ^ 1), (literal ^ 1, literal)]);
        }
        Self::new(
            variables,
            random,
            pairs.clone().into_iter(),
            pairs.into_iter(),
        )
    }

    fn new(
        variables: usize,
        random: &mut Random,
        first: impl Iterator<Item = (usize, usize)>,
        second: impl Iterator<Item = (usize, usize)>,
    ) -> Self {
        let point: Vec<i128> = (0..variables)
            .map(|_| random.below(1_000_000) as i128)
            .collect();
        let shifted: Vec<i128> = point.iter().map(|v| v + random.below(20) as i128).collect();
        // Wide enough that closure leaves room for the tests below to change something.
        let first = constraints(random, &point, first, 100_000);
        let second = constraints(random, &shifted, second, 100_000);
        let mut tested = Vec::new();
        while tested.len() < 16 {
            let (from, to) = (random.below(2 * variables), random.below(2 * variables));
            if from / 2 != to / 2 {
                tested.push((from, to));
            }
        }
        let tests = constraints(random, &point, tested.into_iter(), 3);
        Workload {
            variables,
            first,
            second,
            tests,
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n", self.variables);
        for list in [&self.first, &self.second, &self.tests] {
            let _ = writeln!(text, "{}", list.len());
            for (from, to, bound) in list {
                let _ = writeln!(text, "{from} {to} {bound}");
            }
        }
        text
    }
}

fn literal(index: usize) -> Literal {
    Literal {
        variable: VarId(index as u32 / 2),
        negative: index % 2 == 1,
    }
}

/// Least time per call in nanoseconds.
fn measure(mut operation: impl FnMut()) -> f64 {
    let (mut best, mut spent) = (f64::MAX, 0.0);
    let (mut calls, mut rounds) = (1u32, 0);
    // Rounds are short, so that on a busy machine some of them run undisturbed.
    while rounds < 7 || spent < 0.5 {
        let begin = Instant::now();
        for _ in 0..calls {
            operation();
        }
        let seconds = begin.elapsed().as_secs_f64();
        spent += seconds;
        if seconds < 0.0005 && calls < 1_000_000 {
            calls *= 2;
            continue;
        }
        rounds += 1;
        best = best.min(seconds * 1e9 / f64::from(calls));
    }
    best
}

fn sum_of_upper_bounds(octagon: &Octagon, variables: usize) -> i128 {
    (0..variables as u32)
        .filter_map(|v| octagon.interval(VarId(v)).upper())
        .sum()
}

/// Operation, nanoseconds per call, sum of the result's upper bounds.
fn measure_ours(workload: &Workload) -> Vec<(&'static str, f64, i128)> {
    let build = |list: &[Difference]| {
        Octagon::of_differences(
            list.iter()
                .map(|&(from, to, b)| (literal(from), literal(to), b)),
        )
    };
    let (first, second) = (build(&workload.first), build(&workload.second));
    let sum = |o: &Octagon| sum_of_upper_bounds(o, workload.variables);
    // Ours also includes reading the constraints, as there is no octagon that is not closed.
    let closure = measure(|| {
        std::hint::black_box(build(std::hint::black_box(&workload.first)));
    });
    let mut next = 0;
    let incremental = measure(|| {
        let mut octagon = first.clone();
        let (from, to, bound) = workload.tests[next % workload.tests.len()];
        next += 1;
        octagon.add_difference(literal(from), literal(to), bound);
        assert!(!octagon.is_bottom(), "all tests hold at one point");
    });
    let mut tested = first.clone();
    for &(from, to, bound) in &workload.tests {
        tested.add_difference(literal(from), literal(to), bound);
    }
    let joined = first.join(&second);
    let join = measure(|| {
        std::hint::black_box(first.join(std::hint::black_box(&second)));
    });
    let inclusion = measure(|| {
        assert!(
            std::hint::black_box(&first).leq(std::hint::black_box(&joined)),
            "join is an upper bound"
        );
    });
    vec![
        ("closure", closure, sum(&first)),
        ("incremental", incremental, sum(&tested)),
        ("join", join, sum(&joined)),
        ("inclusion", inclusion, sum(&first)),
    ]
}

/// Compiles the program for the other side; `Err` says why not.
fn compile(directory: &std::path::Path) -> Result<std::path::PathBuf, String> {
    let source = directory.join("ppl_octagons.cpp");
    let program = directory.join("ppl_octagons");
    std::fs::write(&source, include_str!("ppl_octagons.cpp")).map_err(|e| e.to_string())?;
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let output = Command::new(&compiler)
        .args(["-std=c++14", "-O3", "-DNDEBUG", "-w", "-o"])
        .arg(&program)
        .arg(&source)
        .args(["-lppl", "-lgmpxx", "-lgmp"])
        .output()
        .map_err(|e| format!("cannot run {}: {e}", compiler.display()))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(program)
}

fn measure_theirs(
    program: &std::path::Path,
    workload: &Workload,
) -> Result<Vec<(f64, i128)>, String> {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let mut input = child.stdin.take().ok_or("no standard input")?;
    input
        .write_all(workload.text().as_bytes())
        .map_err(|e| e.to_string())?;
    drop(input);
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(format!("the program ended with {}", output.status));
    }
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| {
            let mut words = line.split(' ').skip(1);
            let time = words.next().and_then(|w| w.parse().ok());
            let sum = words.next().and_then(|w| w.parse().ok());
            time.zip(sum).ok_or_else(|| format!("cannot read '{line}'"))
        })
        .collect()
}

fn run() -> Result<(), String> {
    let directory = std::env::temp_dir().join(format!("octagon-vs-ppl-{}", std::process::id()));
    std::fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
    let result = compile(&directory)
        .map_err(|e| {
            format!("no comparison, the PPL program does not compile (libppl-dev missing?):\n{e}")
        })
        .and_then(|program| compare(&program));
    // Only temporary files; if they stay, nothing is lost.
    let _ = std::fs::remove_dir_all(&directory);
    result
}

fn compare(program: &std::path::Path) -> Result<(), String> {
    println!(
        "{:<7} {:>9} {:<12} {:>12} {:>12} {:>8}",
        "", "variables", "operation", "ours/ns", "PPL/ns", "ratio"
    );
    let mut random = Random(2024);
    let mut logarithms: Vec<(&str, &str, f64)> = Vec::new();
    for (kind, make) in [
        (
            "dense",
            Workload::dense as fn(usize, &mut Random) -> Workload,
        ),
        ("sparse", Workload::sparse),
    ] {
        for variables in [10, 40, 120] {
            let workload = make(variables, &mut random);
            let theirs = measure_theirs(program, &workload)?;
            for ((operation, ours, our_sum), (time, their_sum)) in
                measure_ours(&workload).into_iter().zip(theirs)
            {
                // Ours are tight for integers, the library's are closed for rationals.
                let note = if our_sum > their_sum {
                    "  LESS PRECISE"
                } else {
                    ""
                };
                let ratio = time / ours;
                println!(
                    "{kind:<7} {variables:>9} {operation:<12} {ours:>12.0} {time:>12.0} {ratio:>8.2}{note}"
                );
                logarithms.push((kind, operation, ratio.ln()));
            }
        }
    }
    let mean = |chosen: &dyn Fn(&str, &str) -> bool| {
        let some: Vec<f64> = logarithms
            .iter()
            .filter(|(k, o, _)| chosen(k, o))
            .map(|(_, _, l)| *l)
            .collect();
        (some.iter().sum::<f64>() / some.len() as f64).exp()
    };
    println!("geometric means:");
    for kind in ["dense", "sparse"] {
        println!("  {kind:<12} {:.2}", mean(&|k, _| k == kind));
    }
    for operation in ["closure", "incremental", "join", "inclusion"] {
        println!("  {operation:<12} {:.2}", mean(&|_, o| o == operation));
    }
    println!("  {:<12} {:.2}", "all", mean(&|_, _| true));
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
