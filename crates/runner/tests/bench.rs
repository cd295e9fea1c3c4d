//! Whole benchmark runs with stand-in verifiers: that every misbehaviour is a result, and that
//! being killed loses nothing.

use process::{Guard, Limits};
use runner::bench::{BenchError, Contender, Observer, Plan, Record, Silent, Stop, journal, run};
use runner::tasks::{DataModel, load};
use runner::tool::Tool;
use runner::verdict::Class;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

struct Workbench(PathBuf);

impl Workbench {
    fn new(name: &str) -> Self {
        let directory =
            std::env::temp_dir().join(format!("runner-bench-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        Self(directory)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// A verifier that is a shell script; `$1` is the program, `$2` the analysis.
    fn tool(&self, script: &str) -> PathBuf {
        let text = format!(
            "name = 'Stand-in'\nexecutable = 'sh'\ncommand = ['sh', '-c', '''{script}''', 'standin', '{{file}}', '{{analysis}}']\n\
            any-analysis = true\n\
            [[verdict]]\nverdict = 'true'\npattern = '^TRUE$'\n\
            [[verdict]]\nverdict = 'false(unreach-call)'\npattern = '^FALSE$'\n\
            [[statistics]]\nname = 'steps'\npattern = '^steps (.*)$'\n\
            [witness]\nfile = 'w.yml'\n"
        );
        self.file("tool.toml", &text)
    }

    fn plan(&self, tool: &Path, analyses: &[&str], list: &Path) -> Plan {
        let tool = Arc::new(Tool::read(tool).unwrap());
        let contender = |analysis: &&str| Contender {
            tool: Arc::clone(&tool),
            analysis: (*analysis).to_owned(),
        };
        Plan {
            tasks: load(&[list.to_owned()], DataModel::Ilp32).unwrap(),
            contenders: analyses.iter().map(contender).collect(),
            limits: Limits {
                cpu: Some(Duration::from_secs(1)),
                wall: Some(Duration::from_secs(60)),
                memory: Some(200 << 20),
                processes: Some(40),
                output: Some(20 << 20),
                grace: Duration::from_millis(300),
                ..Limits::default()
            },
            jobs: 2,
            directory: self.0.join("out"),
            guard: Guard {
                program: env!("CARGO_BIN_EXE_runner-example").into(),
                arguments: Vec::new(),
            },
            keep_output: 10_000,
        }
    }
}

impl Drop for Workbench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Each program says what its verifier does, and each is ended with the right result line.
#[test]
fn whatever_a_verifier_does_is_a_result() {
    let bench = Workbench::new("results");
    let script = r#"
        case $(cat "$1") in
          right) echo w > w.yml; echo steps 7; echo TRUE ;;
          wrong) echo FALSE ;;
          unknown) echo hm ;;
          crash) echo TRUE; kill -SEGV $$ ;;
          spin) while :; do :; done ;;
          sleep) sleep 100 ;;
          stubborn) trap "" TERM; while :; do sleep 0.05; done ;;
          hungry) exec python3 -c "x = [bytearray(b'x') * (1 << 20) for i in range(10000)]" ;;
          bomb) bomb() { [ $1 -gt 9 ] || { bomb $(($1+1)) & bomb $(($1+1)) & sleep 50; }; }; bomb 0 ;;
          loud) head -c 1000000000 /dev/zero | tr "\0" x ;;
        esac"#;
    let tool = bench.tool(script);
    let list = |behaviours: &[&str]| {
        let mut list = String::from("file,expected,note\n");
        for behaviour in behaviours {
            bench.file(&format!("{behaviour}.c"), behaviour);
            list += &format!("{behaviour}.c,true,about {behaviour}\n");
        }
        bench.file(&format!("{}.csv", behaviours[0]), &list)
    };
    let quick = [
        "right", "wrong", "unknown", "crash", "spin", "hungry", "bomb", "loud",
    ];
    let plan = bench.plan(&tool, &["a"], &list(&quick));
    let mut records = run(&plan, &Silent, &Stop::new()).unwrap();
    // Those that only the wall time ends: a limit that a busy machine does not reach for the
    // others.
    let mut slow = bench.plan(&tool, &["a"], &list(&["sleep", "stubborn"]));
    slow.limits.wall = Some(Duration::from_millis(1500));
    records.extend(run(&slow, &Silent, &Stop::new()).unwrap());
    let lines: Vec<(&str, String, Class, i64)> = records
        .iter()
        .map(|record| {
            let reason = record
                .verdict
                .reason
                .as_deref()
                .map(|reason| format!(" ({reason})"))
                .unwrap_or_default();
            (
                &*record.task,
                format!("{}{reason}", record.verdict),
                record.class(),
                record.score(),
            )
        })
        .collect();
    let expected = [
        ("right.c", "true", Class::Correct, 2),
        ("wrong.c", "false(unreach-call)", Class::Wrong, -16),
        (
            "unknown.c",
            "unknown (no rule matches the output)",
            Class::Unknown,
            0,
        ),
        ("crash.c", "ERROR (SIGSEGV)", Class::Error, 0),
        ("spin.c", "TIMEOUT (CPU time)", Class::Timeout, 0),
        ("hungry.c", "OUT OF MEMORY", Class::OutOfMemory, 0),
        ("bomb.c", "ERROR (too many processes)", Class::Error, 0),
        ("loud.c", "ERROR (too much output)", Class::Error, 0),
        ("sleep.c", "TIMEOUT (wall time)", Class::Timeout, 0),
        ("stubborn.c", "TIMEOUT (wall time)", Class::Timeout, 0),
    ];
    assert_eq!(
        lines,
        expected.map(|(task, verdict, class, score)| (task, verdict.to_owned(), class, score))
    );

    let right = &records[0];
    assert_eq!(right.statistics["steps"], 7.0);
    assert_eq!(right.columns["note"], "about right");
    let log = fs::read_to_string(plan.directory.join(right.log.as_ref().unwrap())).unwrap();
    assert!(
        log.contains("TRUE") && log.contains("exit: Code(0)"),
        "{log}"
    );
    assert_eq!(
        fs::read_to_string(plan.directory.join(right.witness.as_ref().unwrap())).unwrap(),
        "w\n"
    );
    assert!(records[4].cpu_s > 0.9, "spin");
    assert!(records[5].memory_bytes > 150 << 20, "hungry");
    assert!(records[8].wall_s >= 1.5, "sleep");
    assert!(!plan.directory.join("work").exists());
    assert_eq!(journal::read(&plan.journal()).unwrap().len(), records.len());
}

const QUICK: &str = r#"
    case $(cat "$1") in
      yes) echo TRUE ;;
      no) echo FALSE ;;
      late) sleep 0.05; [ "$2" = b ] && echo TRUE ;;
      crash) exit 3 ;;
    esac"#;

fn quick_list(bench: &Workbench, count: usize) -> PathBuf {
    let mut list = String::from("file,expected\n");
    for number in 0..count {
        let behaviour = ["yes", "no", "late", "crash"][number % 4];
        bench.file(&format!("p{number:03}.c"), behaviour);
        list += &format!("p{number:03}.c,{}\n", number % 3 == 0);
    }
    bench.file("list.csv", &list)
}

/// Everything about a result but how long it took.
fn table(records: &[Record]) -> Vec<(String, String, String, Class, i64)> {
    let mut lines: Vec<_> = records
        .iter()
        .map(|record| {
            let verdict = format!("{} {:?}", record.verdict, record.verdict.reason);
            (
                record.task.clone(),
                record.contender(),
                verdict,
                record.class(),
                record.score(),
            )
        })
        .collect();
    lines.sort();
    lines
}

#[test]
fn three_hundred_runs_killed_five_times_give_the_same_table() {
    let bench = Workbench::new("killed");
    let list = quick_list(&bench, 100);
    let tool = bench.tool(QUICK);
    let start = |directory: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runner-example"));
        command
            .arg(directory)
            .args(["2", "5"])
            .arg(&tool)
            .arg("a,b,c")
            .arg(&list);
        command
            .env("RUNNER_BENCH_MARK", directory)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    };
    let whole = bench.0.join("whole");
    assert!(start(&whole).status().unwrap().success());
    let expected = journal::read(&whole.join(Plan::JOURNAL)).unwrap();
    assert_eq!(expected.len(), 300);

    let torn = bench.0.join("torn");
    let journal_file = torn.join(Plan::JOURNAL);
    let mut done = 0;
    for round in 1..=5 {
        let mut child = start(&torn).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while journal::read(&journal_file).map_or(0, |records| records.len()) < done + 40
            && Instant::now() < deadline
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let now = journal::read(&journal_file).unwrap().len();
        assert!(
            now >= done + 40 && now < 300,
            "round {round}: {done}, then {now}"
        );
        done = now;
        // The guards see that they are alone and end what they guard.
        let deadline = Instant::now() + Duration::from_secs(10);
        while left_running(&torn) > 0 {
            assert!(Instant::now() < deadline, "still running after the kill");
            std::thread::sleep(Duration::from_millis(5));
        }
        // Half a line, as if killed while writing it.
        if round == 3 {
            let mut text = fs::read(&journal_file).unwrap();
            text.truncate(text.len() - 40);
            fs::write(&journal_file, text).unwrap();
            done -= 1;
        }
    }
    assert!(start(&torn).status().unwrap().success());
    let resumed = journal::read(&journal_file).unwrap();
    assert_eq!(table(&resumed), table(&expected));
    let lines = fs::read_to_string(&journal_file).unwrap().lines().count();
    assert_eq!(lines, 300, "nothing was done twice");
}

fn left_running(mark: &Path) -> usize {
    let mark = mark.to_str().unwrap().as_bytes();
    let carries = |path: PathBuf| {
        fs::read(path.join("environ"))
            .is_ok_and(|text| text.windows(mark.len()).any(|part| part == mark))
    };
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|entry| carries(entry.path()))
        .count()
}

#[test]
fn a_second_start_runs_nothing_again_and_other_limits_do() {
    let bench = Workbench::new("again");
    let list = quick_list(&bench, 4);
    let counter = bench.0.join("count");
    let script = format!("echo x >> {}; echo TRUE", counter.display());
    let mut plan = bench.plan(&bench.tool(&script), &["a"], &list);
    let first = run(&plan, &Silent, &Stop::new()).unwrap();
    assert_eq!(run(&plan, &Silent, &Stop::new()).unwrap(), first);
    assert_eq!(fs::read_to_string(&counter).unwrap().lines().count(), 4);
    plan.limits.cpu = Some(Duration::from_secs(2));
    run(&plan, &Silent, &Stop::new()).unwrap();
    assert_eq!(fs::read_to_string(&counter).unwrap().lines().count(), 8);
    assert_eq!(journal::read(&plan.journal()).unwrap().len(), 8);
}

/// Asks to stop as soon as something has finished.
struct StopAfterFirst(Stop);

impl Observer for StopAfterFirst {
    fn finished(&self, _: &Record) {
        self.0.request();
    }
}

#[test]
fn stopping_keeps_what_is_known_and_counts_nothing_half_done() {
    let bench = Workbench::new("stopped");
    let list = quick_list(&bench, 6);
    let script = "case $1 in *p000*) echo TRUE;; *) sleep 2; echo TRUE;; esac";
    let plan = bench.plan(&bench.tool(script), &["a"], &list);
    let stop = Stop::new();
    match run(&plan, &StopAfterFirst(stop.clone()), &stop) {
        Err(BenchError::Stopped { done: 1, total: 6 }) => {}
        other => panic!("{other:?}"),
    }
    let tasks: BTreeSet<String> = journal::read(&plan.journal())
        .unwrap()
        .into_iter()
        .map(|record| record.task)
        .collect();
    assert_eq!(tasks, BTreeSet::from(["p000.c".to_owned()]));
}

#[test]
fn a_tool_that_is_not_there_is_found_out_before_anything_runs() {
    let bench = Workbench::new("missing");
    let list = quick_list(&bench, 1);
    let tool = bench.tool(QUICK);
    let text = fs::read_to_string(&tool)
        .unwrap()
        .replace("executable = 'sh'", "executable = 'no-such-verifier'");
    fs::write(&tool, text).unwrap();
    let error = run(&bench.plan(&tool, &["a"], &list), &Silent, &Stop::new())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("no-such-verifier is not installed"),
        "{error}"
    );
}
