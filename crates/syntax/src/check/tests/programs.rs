//! Whole programs by others: the benchmark tasks beside the workspace, and csmith's.

use super::laws::assert_lawful;
use crate::check::check;
use crate::diagnostics::render;
use crate::driver::{Options, on_large_stack, parse_files};
use crate::preprocess::flags::Flags;
use crate::types::DataModel;
use std::path::{Path, PathBuf};
use std::process::Command;

fn assert_accepted(path: &Path, options: &Options) {
    on_large_stack(|| {
        let mut parsed = match parse_files(&[path.to_owned()], options) {
            Ok(parsed) => parsed,
            Err(failure) => panic!("{failure}"),
        };
        match check(parsed.units, &mut parsed.names, options.data_model) {
            Ok(checked) => assert_lawful(&checked.program),
            Err(problems) => panic!("{}", render(&parsed.sources, &problems)),
        }
    });
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => collect(&path, found),
            Some("c" | "i") => found.push(path),
            _ => {}
        }
    }
}

#[test]
fn benchmark_tasks_are_accepted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/tasks");
    let mut files = Vec::new();
    collect(&folder, &mut files);
    if files.is_empty() {
        println!("SKIPPED: no benchmark tasks beside the workspace");
        return;
    }
    for file in files {
        // Which model a task is for does not matter here; a few need the larger one.
        let options = Options {
            data_model: DataModel::Lp64,
            ..Options::default()
        };
        assert_accepted(&file, &options);
    }
}

#[test]
fn generated_programs_are_accepted() {
    let include = PathBuf::from("/usr/include/csmith");
    let folder = std::env::temp_dir().join(format!("concord-csmith-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    // It leaves a file where it runs.
    let csmith = |arguments: &[&str]| {
        Command::new("csmith")
            .current_dir(&folder)
            .args(arguments)
            .output()
    };
    if csmith(&["--help"]).is_err() || !include.is_dir() {
        assert!(
            std::env::var("CONCORD_CI").is_err(),
            "csmith is needed here"
        );
        println!("SKIPPED: csmith is missing");
        return;
    }
    for seed in 1..=4 {
        let output = csmith(&["--seed", &seed.to_string(), "--float"]).expect("it ran before");
        let path = folder.join(format!("{seed}.c"));
        std::fs::write(&path, output.stdout).expect("a temporary file can be written");
        for data_model in [DataModel::Lp64, DataModel::Ilp32] {
            assert_accepted(
                &path,
                &Options {
                    data_model,
                    flags: Flags::including([include.clone()]),
                    ..Options::default()
                },
            );
        }
    }
    // Left-overs in a temporary folder do no harm.
    let _ = std::fs::remove_dir_all(&folder);
}

/// Ten thousand levels, of each thing that nests.
#[test]
fn deep_nesting() {
    let deep = |open: &str, close: &str| open.repeat(10_000) + "x" + &close.repeat(10_000);
    let texts = [
        format!("int f(int x) {{ return {}; }}", deep("(1 + ", ")")),
        format!("int f(int x) {{ return {}; }}", deep("- ", "")),
        format!("int f(int x) {{ return {}; }}", deep("x ? ", " : 0")),
        format!("int f(int x) {{ return {}; }}", deep("({ ", "; })")),
        format!(
            "int f(int x) {{ {}; }}",
            deep("{ ", "; }").replace("x;", "x++;")
        ),
        format!("int f(int x) {{ {}; return 0; }}", deep("if (x) ", "")),
        format!(
            "int f(int x) {{ {} return 0; }}",
            "if (x) ; else ".repeat(10_000) + "x++;"
        ),
        format!("int f(int x) {{ return x{}; }}", " + x".repeat(10_000)),
        format!(
            "int x; int a{} = {};",
            "[1]".repeat(40),
            deep("{", "}").replace('x', "0")
        ),
        format!(
            "int f(int x) {{ switch (x) {{ {} ; }} return 0; }}",
            (0..10_000)
                .map(|n| format!("case {n}: "))
                .collect::<String>()
        ),
    ];
    for text in texts {
        on_large_stack(|| {
            let (result, _) = super::checked(&[&text], DataModel::Lp64);
            match result {
                Ok(checked) => assert_lawful(&checked.program),
                Err(problems) => panic!("{}: {}", &text[..60], problems[0].message),
            }
        });
    }
}
