//! The programs in `programs/`, each with the verdict that its task definition expects; and gcc's
//! opinion of those that take no input.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn definitions(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("programs").join(folder))
        .expect("the folder of programs is there")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yml"))
        .collect();
    files.sort();
    files
}

fn expected(definition: &Path) -> &'static str {
    let text = std::fs::read_to_string(definition).expect("a task definition is text");
    if text.contains("expected_verdict: true") {
        "Verdict: TRUE"
    } else {
        "Verdict: FALSE"
    }
}

/// Verdict line and exit code of a check.
fn check(file: &Path) -> (String, Option<i32>) {
    check_with(file, &[])
}

fn check_with(file: &Path, options: &[&str]) -> (String, Option<i32>) {
    check_within(file, "20s", options)
}

fn check_within(file: &Path, timeout: &str, options: &[&str]) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["check", "--timeout", timeout])
        .args(options)
        .arg(file)
        .output()
        .expect("concord can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (
        text.lines().next().unwrap_or_default().to_string(),
        output.status.code(),
    )
}

fn agree(folder: &str, least: usize) {
    agree_with(folder, least, &[]);
}

fn agree_with(folder: &str, least: usize, options: &[&str]) {
    let definitions = definitions(folder);
    assert!(
        definitions.len() >= least,
        "only {} programs in {folder}",
        definitions.len()
    );
    let mut failures = Vec::new();
    for definition in definitions {
        let (verdict, code) = check_with(&definition, options);
        let expected = expected(&definition);
        let right_code = if expected.ends_with("TRUE") { 0 } else { 1 };
        if !verdict.starts_with(expected) || code != Some(right_code) {
            failures.push(format!("{}: {verdict} ({code:?})", definition.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn features_have_their_meaning() {
    agree("features", 60);
}

#[test]
fn verdicts_are_right() {
    agree("verdicts", 15);
}

/// Memory safety, with the part of it that is violated.
#[test]
fn memory_safety_is_judged() {
    agree("memory", 40);
    for definition in definitions("memory") {
        let text = std::fs::read_to_string(&definition).expect("a task definition is text");
        let part = text.lines().find_map(|line| {
            let (_, part) = line.split_once("subproperty: ")?;
            Some(format!("Verdict: FALSE ({part})"))
        });
        if let Some(part) = part {
            assert_eq!(check(&definition).0, part, "{}", definition.display());
        }
    }
}

/// What memory safety is not asked about is not proved.
#[test]
fn no_proof_of_memory_safety_passes_what_is_not_watched() {
    let programs = std::fs::read_dir(root().join("programs/memory-open"));
    let programs = programs.expect("the folder of programs is there");
    let mut count = 0;
    for program in programs {
        let program = program.expect("the folder can be read").path();
        for property in ["memory-safety", "all"] {
            let (verdict, code) = check_within(&program, "3s", &["--property", property]);
            let is_true = verdict.starts_with("Verdict: TRUE") || code == Some(0);
            assert!(!is_true, "{} {property}: {verdict}", program.display());
        }
        count += 1;
    }
    assert!(count >= 8);
}

/// gcc gives a wide bit-field a type of its own width, and counts shifts there.
#[test]
fn shifts_of_wide_bit_fields_end_at_their_width() {
    let folder = std::env::temp_dir().join(format!("concord-shifts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    let verdict = |most: u32| {
        let file = folder.join(format!("most-{most}.c"));
        let text = format!(
            "struct {{ unsigned long long wide : 40; }} record = {{1}};\n\
             unsigned __VERIFIER_nondet_uint(void);\n\
             int main(void) {{ unsigned count = __VERIFIER_nondet_uint(); if (count > {most}) return 0;\n\
             unsigned long long shifted = record.wide << count; return shifted == 3; }}\n"
        );
        std::fs::write(&file, text).expect("a small file");
        check_with(&file, &["--property", "valid-shift"]).0
    };
    let (inside, beyond) = (verdict(39), verdict(40));
    let _ = std::fs::remove_dir_all(&folder);
    assert!(inside.starts_with("Verdict: TRUE"), "{inside}");
    assert!(beyond.starts_with("Verdict: FALSE"), "{beyond}");
}

#[test]
fn external_functions_write_what_they_reach() {
    agree_with("external-writes", 17, &["--external-writes"]);
}

/// The features' programs are deterministic: compiled by gcc they must not fail either.
#[test]
fn gcc_agrees_on_the_features() {
    if Command::new("cc").arg("--version").output().is_err() {
        assert!(std::env::var_os("CONCORD_CI").is_none(), "no C compiler");
        println!("SKIPPED: no C compiler");
        return;
    }
    let folder = std::env::temp_dir().join(format!("concord-features-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let helper = folder.join("reach_error.c");
    std::fs::write(
        &helper,
        "#include <stdlib.h>\nvoid reach_error(void) { exit(42); }\n",
    )
    .expect("a temporary file");
    let mut failures = Vec::new();
    for definition in definitions("features") {
        let (source, binary) = (definition.with_extension("c"), folder.join("program"));
        let compiled = Command::new("cc")
            .args(["-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-o"])
            .arg(&binary)
            .args([&source, &helper])
            .arg("-lm")
            .status()
            .expect("cc can be started");
        let run = Command::new(&binary).status().map(|status| status.code());
        if !compiled.success() || !matches!(run, Ok(Some(0))) {
            failures.push(format!("{}: {run:?}", source.display()));
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// An access outside every object ends an execution, and formulas place objects somewhere: nothing
/// may be proved from either.
#[test]
fn no_proof_rests_on_what_c_leaves_open() {
    let folder = root().join("programs/undefined");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of programs is there")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    programs.sort();
    assert!(programs.len() >= 8);
    for program in programs {
        let (verdict, code) = check(&program);
        assert!(
            verdict.starts_with("Verdict: UNKNOWN") && code == Some(3)
                || verdict.starts_with("Verdict: FALSE") && code == Some(1),
            "{}: {verdict}",
            program.display()
        );
    }
}

/// Lowering ends at what is not supported, and the assertions behind it are gone: that proves
/// nothing, whoever looks.
#[test]
fn nothing_is_proved_behind_what_is_not_supported() {
    let folder = root().join("programs/unsupported");
    let programs = std::fs::read_dir(folder).expect("the folder of programs is there");
    let programs: Vec<PathBuf> = programs
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    assert!(programs.len() >= 12);
    let mut failures = Vec::new();
    let mut look = |program: &Path, options: &[&str]| {
        let (verdict, code) = check_within(program, "2s", options);
        if !verdict.starts_with("Verdict: UNKNOWN") || code != Some(3) {
            let program = program.display();
            failures.push(format!("{program} {options:?}: {verdict} ({code:?})"));
        }
    };
    for program in &programs {
        look(program, &[]);
        look(program, &["--property", "no-overflow"]);
        look(program, &["--each-check"]);
    }
    let name = |path: &PathBuf, name: &str| path.file_stem().is_some_and(|stem| stem == name);
    let few = ["behind-a-call", "only-for-one-input", "in-a-loop"];
    for program in programs
        .iter()
        .filter(|path| few.iter().any(|few| name(path, few)))
    {
        for analysis in [
            "bmc",
            "houdini",
            "invariants",
            "kInduction",
            "pdr",
            "predicate",
            "octagon",
        ] {
            look(program, &["--analysis", analysis]);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A proof must hold for whatever the library could return, and a violation must not rest on what
/// it never does.
#[test]
fn no_answer_rests_on_a_guess() {
    let programs = std::fs::read_dir(root().join("programs/guessed"));
    let programs = programs.expect("the folder of programs is there");
    let mut count = 0;
    for program in programs {
        let program = program.expect("the folder can be read").path();
        let (verdict, code) = check_within(&program, "3s", &[]);
        let is_open = verdict.starts_with("Verdict: UNKNOWN") && code == Some(3);
        assert!(is_open, "{}: {verdict}", program.display());
        count += 1;
    }
    assert!(count >= 6);
}

/// Nobody knows what assembly computes: for a proof that may be anything, a violation must not
/// depend on it.
#[test]
fn no_violation_rests_on_inline_assembly() {
    let folder = std::env::temp_dir().join(format!("concord-assembly-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the program");
    let program = folder.join("zero.c");
    let text = "void reach_error(void);\nint main(void) { unsigned bits; asm(\"xor %0,%0\" : \"=r\"(bits));\n\
                if (bits) reach_error(); return 0; }\n";
    std::fs::write(&program, text).expect("a small file");
    let (verdict, code) = check(&program);
    let _ = std::fs::remove_dir_all(&folder);
    assert!(
        verdict.starts_with("Verdict: UNKNOWN") && code == Some(3),
        "{verdict}"
    );
}

/// What is volatile changes only with the option, and both verdicts say what they rest on.
#[test]
fn volatile_objects_change_if_one_says_so() {
    let folder = std::env::temp_dir().join(format!("concord-volatile-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    let verdict = |name: &str, body: &str, options: &[&str]| {
        let file = folder.join(name);
        let text = format!(
            "void reach_error(void); volatile int seen; int plain;\n\
             struct {{ int other; volatile signed char field : 3; }} record;\n\
             int main(void) {{ {body} return 0; }}\n"
        );
        std::fs::write(&file, text).expect("a small file");
        let output = Command::new(env!("CARGO_BIN_EXE_concord"))
            .args(["check", "--timeout", "20s"])
            .args(options)
            .arg(&file)
            .output()
            .expect("concord can be started");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let any = ["--volatile", "any"];
    let cases = [
        (
            "twice.c",
            "int a = seen, b = seen; if (a != b) reach_error();",
        ),
        (
            "pointer.c",
            "volatile int *p = &plain; plain = 1; if (*p == 7) reach_error();",
        ),
        (
            "field.c",
            "record.field = 1; if (record.field == -4) reach_error();",
        ),
        ("both.c", "if (seen - seen) reach_error();"),
    ];
    for (name, body) in cases {
        let ordinary = verdict(name, body, &[]);
        assert!(ordinary.starts_with("Verdict: TRUE"), "{name}: {ordinary}");
        assert!(ordinary.contains("volatile objects are ordinary memory"));
        let changing = verdict(name, body, &any);
        assert!(changing.starts_with("Verdict: FALSE"), "{name}: {changing}");
    }
    let bounded = "if (record.field > 3 || record.other) reach_error(); plain = 1; seen = 2;\n\
                   if (plain != 1) reach_error();";
    let bounded = verdict("bounded.c", bounded, &any);
    let _ = std::fs::remove_dir_all(&folder);
    assert!(bounded.starts_with("Verdict: TRUE"), "{bounded}");
}
