//! `--on slurm` and `--on hyperqueue`, with commands that stand in for those of the engines: they
//! run the elements of an array on this machine, lose some, and kill some in the middle.

mod common;

use common::{Scratch, WRONG};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Starts the elements of `$list` with the script `$script`, and prints the number of the job. Of the
/// first job, element 0 is killed in the middle and element 1 is never started.
const START: &str = r#"
jobs=$STANDIN/jobs
mkdir -p "$jobs"
job=$(($(ls "$jobs" | wc -l) + 1))
mkdir "$jobs/$job"
for element in $(echo "$list" | tr , ' '); do
    if [ $job = 1 ] && [ $element = 1 ]; then continue; fi
    before=
    if [ $job = 1 ] && [ $element = 0 ]; then before="timeout -s KILL 1"; fi
    SLURM_ARRAY_TASK_ID=$element HQ_TASK_ID=$element \
        $before sh "$script" > "$STANDIN/$job.$element.log" 2>&1 < /dev/null &
    echo $! > "$jobs/$job/$element"
done
echo $job
"#;

/// Prints the elements of a job that run.
const ALIVE: &str = r#"
for file in "$STANDIN/jobs/$job"/*; do
    if kill -0 "$(cat "$file")" 2> /dev/null; then basename "$file"; fi
done
"#;

fn command(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{text}")).expect("it can be written");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(file, executable).expect("it can be made executable");
}

fn stand_ins(scratch: &Scratch) -> PathBuf {
    let folder = scratch.0.join("bin");
    std::fs::create_dir_all(&folder).expect("it can be made");
    let read = |what: &str| {
        format!(
            "for word in \"$@\"; do case $word in --array=*) list=${{word#--array=}};; esac; {what} done\n"
        )
    };
    command(
        &folder,
        "sbatch",
        &format!("{}{START}", read("script=$word;")),
    );
    command(&folder, "squeue", &format!("{}{ALIVE}", read("job=$word;")));
    command(&folder, "scancel", "exit 0");
    let hq = format!(
        "case \"$*\" in\n*submit*) {submit}{START};;\n*task-ids*) job=$3\n{ALIVE};;\nesac\n",
        submit = read("script=$word;")
    );
    command(&folder, "hq", &hq);
    folder
}

fn concord(scratch: &Scratch, arguments: &[&str]) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", stand_ins(scratch).display());
    Command::new(env!("CARGO_BIN_EXE_concord"))
        .current_dir(&scratch.0)
        .env("PATH", path)
        .env("STANDIN", scratch.0.join("standin"))
        .args(arguments)
        .output()
        .expect("concord can be started")
}

fn result_of_bench(engine: &str) {
    let scratch = Scratch::new(&format!("cluster-{engine}"));
    std::fs::create_dir_all(scratch.0.join("standin")).expect("it can be made");
    let mut tasks = Vec::new();
    for number in 0..20 {
        scratch.file(&format!("t{number}.c"), WRONG.as_bytes());
        let text = format!(
            "format_version: '2.0'\ninput_files: t{number}.c\nproperties:\n  - property_file: p.prp\n    \
             expected_verdict: false\noptions:\n  language: C\n  data_model: LP64\n"
        );
        scratch.file(&format!("t{number}.yml"), text.as_bytes());
        tasks.push(format!("t{number}.yml"));
    }
    scratch.file(
        "p.prp",
        b"CHECK( init(main()), LTL(G ! call(reach_error())) )",
    );
    let mut arguments = vec!["bench", "--on", engine, "--elements", "3", "-o", "out"];
    arguments.extend(tasks.iter().map(String::as_str));
    let output = concord(&scratch, &arguments);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("20 correct, 0 wrong, 0 unsolved"),
        "{output:?}"
    );
    let journal = scratch.0.join("out/results.jsonl");
    let journal = std::fs::read_to_string(journal).expect("there is a journal");
    let records: Vec<serde_json::Value> = journal
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is a result"))
        .collect();
    let names: BTreeSet<&str> = records
        .iter()
        .filter_map(|one| one["task"].as_str())
        .collect();
    assert_eq!((records.len(), names.len()), (20, 20));
    for record in &records {
        let log = record["log"].as_str().expect("each run has a log");
        assert!(scratch.0.join("out").join(log).is_file(), "{log}");
    }
    // Somebody was lost, so there was a second job.
    let jobs = std::fs::read_dir(scratch.0.join("standin/jobs")).expect("there are jobs");
    assert!(jobs.count() >= 2);
    // All is known: nobody is asked.
    let again = concord(&scratch, &arguments);
    assert!(
        String::from_utf8_lossy(&again.stdout).contains("20 correct"),
        "{again:?}"
    );
}

#[test]
fn a_run_on_slurm_loses_nothing_and_counts_nothing_twice() {
    result_of_bench("slurm");
}

#[test]
fn a_run_on_hyperqueue_loses_nothing_and_counts_nothing_twice() {
    result_of_bench("hyperqueue");
}

#[test]
fn functions_are_checked_on_a_cluster_as_at_home() {
    let scratch = Scratch::new("cluster-functions");
    std::fs::create_dir_all(scratch.0.join("standin")).expect("it can be made");
    let text = "extern void reach_error(void);
        int right(unsigned char x) { if (x > 255) reach_error(); return 0; }
        int wrong(int x) { if (x == 7) reach_error(); return 0; }
        int other(int x) { return x; }";
    scratch.file("f.c", text.as_bytes());
    let verdicts = |options: &[&str]| -> Vec<(String, String)> {
        let arguments = ["check", "--each-function", "--format", "json", "f.c"];
        let output = concord(&scratch, &[&arguments[..], options].concat());
        let rows: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let text =
            |row: &serde_json::Value, what: &str| row[what].as_str().unwrap_or("?").to_owned();
        let rows = rows.as_array().expect("there are rows").iter();
        rows.map(|row| (text(row, "function"), text(row, "verdict")))
            .collect()
    };
    let at_home = verdicts(&[]);
    assert_eq!(at_home.len(), 3, "{at_home:?}");
    for engine in ["slurm", "hyperqueue"] {
        assert_eq!(verdicts(&["--on", engine]), at_home);
    }
    let left = std::fs::read_dir(&scratch.0).expect("it can be listed");
    let mut left = left.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    assert!(
        !left.any(|name| name.starts_with(".concord")),
        "the array's files are gone"
    );
}

#[test]
fn an_engine_that_is_not_there_is_named() {
    let scratch = Scratch::new("cluster-none");
    let file = scratch.file("w.i", WRONG.as_bytes());
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .env("PATH", &scratch.0)
        .current_dir(&scratch.0)
        .args(["check", "--each-function", "--on", "slurm"])
        .arg(file)
        .output()
        .expect("concord can be started");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("`sbatch") && said.contains("not installed"),
        "{said}"
    );
}
