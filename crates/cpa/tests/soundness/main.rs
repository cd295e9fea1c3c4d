//! Invariants against executions: whatever the interpreter does, the invariant of the place that it
//! is at holds.

mod checker;
mod random;

use absint::invariants::{InvariantOptions, generate};
use absint::numeric::choice::Domain;
use checker::{Annotations, load, watch};
use facts::budget::Budget;
use lowering::{LowerOptions, load_program};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs");
    let mut files = Vec::new();
    for folder in ["features", "undefined", "verdicts", "precision"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
            continue;
        };
        files.extend(
            entries
                .filter_map(Result::ok)
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "c")),
        );
    }
    files.sort();
    files
}

fn check(domain: Domain) {
    let mut checked = 0;
    let mut analysed = 0;
    let mut failures = Vec::new();
    for path in programs() {
        let front = syntax::driver::Options::default();
        let Ok(loaded) = load_program(
            std::slice::from_ref(&path),
            &front,
            &LowerOptions::default(),
        ) else {
            continue;
        };
        let program = load(&loaded.program);
        let options = InvariantOptions {
            domain,
            everywhere: true,
            ..InvariantOptions::default()
        };
        let budget = Budget::new(Some(Duration::from_millis(1500)), None);
        let Ok(invariants) = generate(&program, &options, &budget) else {
            continue;
        };
        analysed += 1;
        match watch(&program, &Annotations::of(&invariants.map), 6) {
            Ok(states) => checked += states,
            Err(failure) => failures.push(format!("{}: {failure}", path.display())),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(analysed >= 60, "only {analysed} programs were analysed");
    assert!(checked >= 8_000, "only {checked} states were checked");
}

#[test]
fn intervals() {
    check(Domain::Interval);
}

#[test]
fn octagons() {
    check(Domain::Octagon);
}

#[test]
fn polyhedra() {
    check(Domain::Polyhedra);
}

#[test]
fn affine_equalities() {
    check(Domain::AffineEqualities);
}

#[test]
fn scalars() {
    check(Domain::Scalar);
}

#[test]
fn expressions() {
    check(Domain::ExpressionMap);
}

#[test]
fn differences() {
    check(Domain::IntervalOffsets);
}

#[test]
fn products() {
    check(Domain::All);
}
