//! The programs in `programs/precision`: which analysis must and must not prove them. What an
//! analysis proves is certified; a program with a violation is proved by none.

use absint::invariants::{InvariantOptions, generate};
use absint::numeric::choice::Domain;
use cfa::program::Program;
use cpa::engine::{Analysis, CpaOptions, engine};
use cpa::formalism::Merge;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{NoBoard, Outcome};
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_program};
use std::path::{Path, PathBuf};
use std::time::Duration;
use syntax::types::DataModel;
use transform::regions::split_memory;

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/precision");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of programs is there")
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    files
}

fn load(path: &Path) -> Program {
    let front = syntax::driver::Options {
        data_model: DataModel::Ilp32,
        ..syntax::driver::Options::default()
    };
    let paths = [path.to_path_buf()];
    match load_program(&paths, &front, &LowerOptions::default()) {
        Ok(loaded) => split_memory(&instrument(&loaded.program, &Property::assertions())),
        Err(failure) => panic!("{}: {failure}", path.display()),
    }
}

fn domain(name: &str) -> Option<Domain> {
    Some(match name {
        "interval" => Domain::Interval,
        "congruence" => Domain::Congruence,
        "scalar" => Domain::Scalar,
        "octagon" => Domain::Octagon,
        "polyhedra" => Domain::Polyhedra,
        "affine" => Domain::ScalarAffine,
        "expressions" => Domain::ExpressionMap,
        "all" => Domain::All,
        _ => return None,
    })
}

fn options(name: &str) -> CpaOptions {
    let base = CpaOptions {
        handle_floats: name.ends_with("-float"),
        ..CpaOptions::default()
    };
    match name.trim_end_matches("-float") {
        "eva-basic" => CpaOptions {
            analysis: Analysis::Value,
            ..base
        },
        "eva-refiner" => CpaOptions {
            analysis: Analysis::Value,
            cegar: true,
            ..base
        },
        "oadlSep" => base,
        "oadlWidening" => CpaOptions {
            merge: Merge::Widening,
            alarms: 1,
            ..base
        },
        "oadlWidening-restricted" => CpaOptions {
            merge: Merge::Widening,
            restrict_to_function: true,
            alarms: 1,
            ..base
        },
        "oadl-refiner" => CpaOptions {
            cegar: true,
            ..base
        },
        "classes" => CpaOptions {
            domain: Domain::IntervalOffsets,
            classes_at_loop_heads: true,
            ..base
        },
        "octagon-widening" => CpaOptions {
            merge: Merge::Widening,
            merge_only_at_loop_heads: true,
            threshold_widening: true,
            domain: Domain::OctagonScalar,
            handle_floats: true,
            alarms: 1,
            ..base
        },
        other => panic!("there is no analysis {other}"),
    }
}

/// The answer of an analysis; certified if it is a proof.
fn answer(program: &Program, name: &str) -> Option<Certificate> {
    let budget = Budget::new(Some(Duration::from_millis(1000)), Some(1 << 30));
    let certificate = match domain(name) {
        Some(domain) => {
            let options = InvariantOptions {
                domain,
                ..InvariantOptions::default()
            };
            generate(program, &options, &budget).ok()?.certificate()?
        }
        None => match engine(options(name)).run(program, &NoBoard, &budget) {
            Outcome::Answer(certificate) => certificate,
            Outcome::Unknown(_) => return None,
        },
    };
    let budget = Budget::new(Some(Duration::from_secs(4)), None);
    match certify::certify(program, &certificate, &budget) {
        // Formulas of floats may take longer than a test has time for.
        Ok(_) | Err(certify::Rejection::Unfinished(_)) => Some(certificate),
        Err(rejection) => panic!("{name}: {rejection}"),
    }
}

fn listed(text: &str, key: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.strip_prefix(key))
        .flat_map(|names| names.split_whitespace().map(str::to_owned))
        .collect()
}

#[test]
fn precision_is_as_annotated() {
    let mut failures = Vec::new();
    let programs = programs();
    assert!(programs.len() >= 40);
    for path in &programs {
        let text = std::fs::read_to_string(path).expect("a program is text");
        let definition = std::fs::read_to_string(path.with_extension("yml")).expect("it has one");
        let is_safe = definition.contains("expected_verdict: true");
        let program = load(path);
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let (must, must_not) = (
            listed(&text, "// must prove: "),
            listed(&text, "// must not prove: "),
        );
        for analysis in must.iter().chain(&must_not) {
            let answer = answer(&program, analysis);
            let proved = answer.as_ref().is_some_and(Certificate::claims_safety);
            let violated = answer.is_some() && !proved;
            if proved && !is_safe || violated && is_safe {
                failures.push(format!("{name}: wrong answer of {analysis}"));
            } else if proved != must.contains(analysis) {
                let what = if proved { "proves" } else { "does not prove" };
                failures.push(format!("{name}: {analysis} {what} it"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
