//! All public verification tasks beside the repository lower, if they are there: without an error, and with nothing
//! unsupported but inline assembly, which is listed by place.

use cfa::lower::{LowerOptions, load_program};
use std::collections::BTreeMap;
use std::path::Path;
use syntax::driver;
use syntax::types::DataModel;

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
    let mut places = 0;
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
                    places += 1;
                    let place = program.describe(unsupported.span);
                    println!("{place}: {}", unsupported.text);
                    if !unsupported.text.starts_with("inline assembly") {
                        failures.push(format!("{place}: {}", unsupported.text));
                    }
                }
            }
        }
    }
    println!("{places} places of unsupported inline assembly");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
