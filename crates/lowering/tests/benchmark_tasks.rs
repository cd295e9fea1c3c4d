//! All public verification tasks beside the repository lower, if they are there: without an error,
//! and with no construct of the language unsupported. What is open by its nature is a place that a
//! proof must exclude; such places are counted by kind.

use lowering::{LowerOptions, load_program};
use std::collections::BTreeMap;
use std::path::Path;
use syntax::driver;
use syntax::types::DataModel;

/// What nobody can lower without knowing more: what assembly does, how a function gets arguments
/// that its caller does not pass, what the library or other threads do.
const OPEN: [&str; 6] = [
    "inline assembly",
    "a call through a pointer whose type differs from the function's",
    "a library function without a model",
    "`sscanf` with a format that is not understood",
    "threads and processes",
    // How often its comparison function is called, and with what, is open.
    "`qsort` with these arguments",
];

#[test]
fn all_tasks_lower() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench");
    let Ok(sets) = std::fs::read_dir(root.join("sets")) else {
        println!("SKIPPED: no benchmark tasks beside the repository");
        return;
    };
    let mut tasks = BTreeMap::new();
    for set in sets {
        let path = set.expect("the folder can be read").path();
        let text = std::fs::read_to_string(path).expect("a set is text");
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let model = match fields[3] {
                "LP64" => DataModel::Lp64,
                _ => DataModel::Ilp32,
            };
            tasks.insert(fields[0].to_owned(), model);
        }
    }
    assert!(tasks.len() > 100);
    let mut failures = Vec::new();
    let mut places = [0; OPEN.len()];
    for (file, model) in tasks {
        let front = driver::Options {
            data_model: model,
            ..driver::Options::default()
        };
        match load_program(&[root.join(&file)], &front, &LowerOptions::default()) {
            Err(failure) => failures.push(format!("{file}: {failure}")),
            Ok(loaded) => {
                let program = loaded.program;
                for unsupported in &program.unsupported {
                    match OPEN
                        .iter()
                        .position(|kind| unsupported.text.starts_with(kind))
                    {
                        Some(kind) => places[kind] += 1,
                        None => {
                            let place = program.describe(unsupported.span);
                            failures.push(format!("{place}: {}", unsupported.text));
                        }
                    }
                }
            }
        }
    }
    for (kind, places) in OPEN.iter().zip(places) {
        println!("{places} places: {kind}");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
