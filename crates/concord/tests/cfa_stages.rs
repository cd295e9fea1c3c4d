//! `concord cfa` shows every stage in every format.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn cfa(file: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("cfa")
        .args(arguments)
        .arg(file)
        .output()
        .expect("concord can be started")
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/features");
    let files = std::fs::read_dir(folder).expect("the folder of programs is there");
    let files = files.map(|entry| entry.expect("the folder can be read").path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    files.into_iter().step_by(9).collect()
}

#[test]
fn every_stage_has_every_format() {
    for file in programs() {
        for stage in ["lowered", "regions", "optimised", "blocks"] {
            for (format, begins) in [("dot", "digraph"), ("json", "{"), ("c", "")] {
                let output = cfa(
                    &file,
                    &["--stage", stage, "--format", format, "--keep", "behaviour"],
                );
                let text = String::from_utf8_lossy(&output.stdout);
                assert!(
                    output.status.success(),
                    "{}: {stage} as {format}",
                    file.display()
                );
                assert!(
                    text.starts_with(begins) && text.contains("main"),
                    "{}: {stage} as {format}",
                    file.display()
                );
            }
        }
    }
}

#[test]
fn passes_are_chosen_by_name() {
    let file = &programs()[0];
    let count = |passes: &str| {
        let output = cfa(
            file,
            &[
                "--stage",
                "optimised",
                "--keep",
                "behaviour",
                "--passes",
                passes,
            ],
        );
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stdout)
            .matches(" -> ")
            .count()
    };
    assert!(count("chains,needed,constants") < count("unreachable"));
    let output = cfa(
        file,
        &["--stage", "optimised", "--passes", "chains,shorten"],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no pass 'shorten'"));
}
