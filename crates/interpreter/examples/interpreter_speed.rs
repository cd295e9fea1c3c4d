//! How fast the interpreter is: small programs of some 100 million simple operations each, against
//! what `gcc -O0` makes of them. Prints processor times and their ratio.

#[path = "../tests/support/times.rs"]
mod times;

use interpreter::{ConstantInputs, Interpreter, Options, Outcome};
use lowering::{LowerOptions, load_text};
use std::path::Path;
use std::process::{Command, ExitCode};
use syntax::driver;
use syntax::types::DataModel;
use times::times;

const PROGRAMS: [(&str, &str); 6] = [
    (
        "local variables",
        "int main(void) {
            unsigned i, s = 0;
            for (i = 0; i < 100000000u; i++) s += i;
            return s & 1;
        }",
    ),
    (
        "global variables",
        "unsigned i, s;
        int main(void) {
            for (i = 0; i < 100000000u; i++) s += i;
            return s & 1;
        }",
    ),
    (
        "arithmetic",
        "int main(void) {
            unsigned x = 1, i;
            for (i = 0; i < 25000000u; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; }
            return x & 1;
        }",
    ),
    (
        "arrays",
        "int a[1000];
        int main(void) {
            unsigned round, i;
            int s = 0;
            for (round = 0; round < 25000u; round++)
                for (i = 0; i < 1000; i++) { a[i] += i; s ^= a[i]; }
            return s & 1;
        }",
    ),
    (
        "calls",
        "int add(int a, int b) { return a + b; }
        int main(void) {
            int i, s = 0;
            for (i = 0; i < 25000000; i++) s = add(s, i);
            return s & 1;
        }",
    ),
    (
        "recursion",
        "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        int main(void) { return fib(35) & 1; }",
    ),
];

fn native(text: &str, work: &Path) -> Option<(i32, f64)> {
    let (source, binary) = (work.join("speed.c"), work.join("speed"));
    std::fs::write(&source, text).ok()?;
    let made = Command::new("gcc")
        .arg("-O0")
        .arg(&source)
        .arg("-o")
        .arg(&binary)
        .status();
    if !made.ok()?.success() {
        return None;
    }
    let before = times()?.1;
    let status = Command::new(&binary).status().ok()?;
    Some((status.code()?, times()?.1 - before))
}

fn interpreted(text: &str) -> Result<(i32, f64, u64), String> {
    let front = driver::Options {
        data_model: DataModel::Lp64,
        ..driver::Options::default()
    };
    let loaded = load_text("speed.c", text, &front, &LowerOptions::default())
        .map_err(|failure| format!("{:?}", failure.diagnostics))?;
    let mut interpreter = Interpreter::new(&loaded.program);
    let before = times().ok_or("no processor times here")?.0;
    // Loops that only count would take no time at all.
    let options = Options {
        leaps: false,
        ..Options::default()
    };
    let run = interpreter.run(&options, &mut ConstantInputs(0), &mut std::io::sink());
    let after = times().ok_or("no processor times here")?.0;
    match run.outcome {
        Outcome::Finished(status) => Ok((status, after - before, run.steps)),
        other => Err(format!("{other:?}")),
    }
}

fn main() -> ExitCode {
    let work = std::env::temp_dir().join(format!("interpreter-speed-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&work) {
        eprintln!("{}: {error}", work.display());
        return ExitCode::from(2);
    }
    println!(
        "{:<18} {:>8} {:>8} {:>6} {:>12}",
        "", "gcc -O0", "ours", "ratio", "ns per step"
    );
    for (name, text) in PROGRAMS {
        match (native(text, &work), interpreted(text)) {
            (Some((expected, theirs)), Ok((status, ours, steps))) if status == expected => {
                println!(
                    "{name:<18} {theirs:>7.2}s {ours:>7.2}s {:>6.1} {:>12.2}",
                    ours / theirs.max(0.01),
                    ours * 1e9 / steps as f64
                );
            }
            (None, _) => println!("{name:<18} gcc does not work here"),
            (Some((expected, _)), Ok((status, ..))) => {
                println!("{name:<18} status {status} instead of {expected}");
            }
            (_, Err(error)) => println!("{name:<18} {error}"),
        }
    }
    match std::fs::remove_dir_all(&work) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", work.display());
            ExitCode::from(2)
        }
    }
}
