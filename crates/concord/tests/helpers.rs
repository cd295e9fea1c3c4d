//! Masters that ask helpers for invariants: helpers that help, and helpers that are late, wrong,
//! trivial, silent, crash, hang, write half a witness or too much, name another program, and ignore
//! signals. None of them changes a verdict, and nothing of them is left.

mod common;

use common::{INVARIANT, Scratch, concord};
use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Proved with `n == x + y` at the loop, and by nothing that k-induction alone finds.
const SAFE: &str = "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  unsigned x = n, y = 0;
  while (x > 0) {
    x--;
    y++;
  }
  if (n != y)
    reach_error();
  return 0;
}
";

fn wrong() -> String {
    SAFE.replace("n != y", "n == y && n == 3")
}

/// A program, a helper that is a shell script, and a configuration of a master with it.
struct Bench {
    scratch: Scratch,
    program: PathBuf,
    /// The helper writes here, in its own words.
    marks: PathBuf,
}

impl Bench {
    fn new(name: &str, program: &str) -> Bench {
        let scratch = Scratch::new(&format!("helpers-{name}"));
        let program = scratch.file("program.c", program.as_bytes());
        let marks = scratch.file("marks", b"");
        Bench {
            scratch,
            program,
            marks,
        }
    }

    /// The file of a helper that runs the script; `$1` is the program, `$2` the file for its
    /// witness, `$3` a file for its notes.
    fn helper(&self, name: &str, script: &str, adapter: &str) -> PathBuf {
        let script = format!("#!/bin/sh\n{script}\n");
        let file = self.scratch.file(&format!("{name}.sh"), script.as_bytes());
        let mut rights = std::fs::metadata(&file).unwrap().permissions();
        rights.set_mode(0o755);
        std::fs::set_permissions(&file, rights).unwrap();
        let text = format!(
            "name = {name:?}\nshort = [{name:?}]\nsummary = \"a stand-in\"\nexecutable = {:?}\n\
             command = [\"{{executable}}\", \"{{program}}\", \"{{witness}}\", {:?}]\n\
             adapter = \"{adapter}\"\n{}",
            file.display().to_string(),
            self.marks.display().to_string(),
            match adapter {
                "witness" => "invariants = \"{witness}\"\n",
                _ => "",
            }
        );
        self.scratch.file(&format!("{name}.toml"), text.as_bytes())
    }

    /// A master with these helpers, which it asks at once.
    fn analysis(&self, master: &str, helpers: &[&Path], terms: &str) -> PathBuf {
        let mut list = String::new();
        for helper in helpers {
            let _ = write!(list, "{:?}, ", helper.display().to_string());
        }
        let text = format!(
            "summary = \"a test\"\n[master]\n{master}\n[help]\nhelpers = [{list}]\ntimer-m = 0.0\n{terms}"
        );
        self.scratch.file("analysis.toml", text.as_bytes())
    }

    fn check(&self, analysis: &Path, timeout: &str) -> (Option<i32>, String) {
        let analysis = analysis.display().to_string();
        let arguments = [
            "check",
            "--timeout",
            timeout,
            "--format",
            "json",
            "--analysis",
        ];
        let arguments = [&arguments[..], &[analysis.as_str()]].concat();
        concord(&arguments, &[&self.program])
    }

    fn marks(&self) -> String {
        std::fs::read_to_string(&self.marks).unwrap_or_default()
    }
}

/// k-induction without anybody else who finds invariants.
const KIND: &str = "parallel = [{ engine = \"k-induction\" }, { engine = \"candidates\" }]";
/// Without the ways in which it finds the predicates itself.
const PRED: &str = "engine = \"predicate\"\noptions = { use-precision = true }";

const TRUE: Option<i32> = Some(0);
const UNKNOWN: Option<i32> = Some(3);

/// A script that defines `witness`: it writes one for the file `$1` whose invariant is the value.
fn says(value: &str) -> String {
    let witness = INVARIANT
        .replace("FILE", "$1")
        .replace("HASH", "$HASH")
        .replace("VALUE", "$VALUE");
    format!(
        "VALUE='{value}'\nHASH=$(sha256sum \"$1\" | cut -d' ' -f1)\n\
         [ -n \"$OTHER\" ] && HASH=$(echo other | sha256sum | cut -d' ' -f1)\n\
         witness() {{ cat <<END\n{witness}END\n}}\n"
    )
}

#[test]
fn what_a_helper_finds_proves_the_program() {
    let bench = Bench::new("finds", SAFE);
    let witness = says("n == x + y") + "witness \"$1\" > \"$2\"";
    let witness = bench.helper("finds", &witness, "witness");
    let lines = "echo \"$1:6:3: n == x + y\"; echo nonsense; echo \"$1:6: zz < 3\"";
    let lines = bench.helper("lines", lines, "text");
    for helper in [&witness, &lines] {
        for master in [KIND, PRED] {
            for terms in ["", "restart-master = false", "term-after-first-inv = false"] {
                if master == PRED && terms.starts_with("restart") {
                    continue;
                }
                let analysis = bench.analysis(master, &[helper], terms);
                let (status, text) = bench.check(&analysis, "30s");
                assert_eq!(
                    status,
                    TRUE,
                    "{} {master} {terms}: {text}",
                    helper.display()
                );
            }
        }
    }
    // Alone it has no answer, so it was the helper's doing.
    let silent = bench.helper("silent", "exit 0", "text");
    let analysis = bench.analysis(KIND, &[&silent], "");
    let (status, text) = bench.check(&analysis, "3s");
    assert_eq!(status, UNKNOWN, "{text}");
}

/// The program is violated, whatever they say.
#[test]
fn wrong_invariants_change_no_verdict() {
    let bench = Bench::new("lies", &wrong());
    for value in [
        "0 == 1",
        "n != 3",
        "y == 0 && x == n",
        "!(n == x + y)",
        "n == x + y",
    ] {
        let script = says(value) + "witness \"$1\" > \"$2\"";
        let helper = bench.helper("lies", &script, "witness");
        for master in [KIND, PRED] {
            let analysis = bench.analysis(master, &[&helper], "");
            let (status, text) = bench.check(&analysis, "20s");
            assert_ne!(status, TRUE, "{value} {master}: {text}");
            assert!(!text.contains("please report"), "{text}");
        }
    }
    // And a safe one stays safe.
    let bench = Bench::new("lies-safe", SAFE);
    let wrong = says("y == 0") + "witness \"$1\" > \"$2\"";
    let wrong = bench.helper("wrong", &wrong, "witness");
    let right = bench.helper("right", "echo \"$1:6: n == x + y\"", "text");
    let terms = "term-after-first-inv = false";
    let analysis = bench.analysis(KIND, &[&wrong, &right], terms);
    let (status, text) = bench.check(&analysis, "30s");
    assert_eq!(status, TRUE, "{text}");
}

#[test]
fn helpers_that_misbehave_do_no_harm() {
    let bench = Bench::new("misbehave", SAFE);
    let right = "sleep 1; echo \"$1:6: n == x + y\"";
    let right = bench.helper("right", right, "text");
    let half = says("n == x + y") + "witness \"$1\" | head -c 500 > \"$2\"";
    let other = format!("OTHER=1\n{}witness \"$1\" > \"$2\"", says("y == 0"));
    let large = "yes -- '- entry_type: invariant_set' | head -c 100000000 > \"$2\"";
    for (name, script, adapter, wanted) in [
        ("half", half.as_str(), "witness", "its witness"),
        ("other", &other, "witness", "another program"),
        ("large", large, "witness", "wrote too much"),
        (
            "prints",
            "yes 'program.c:6: x == 0' | head -c 9000000",
            "text",
            "wrote too much",
        ),
        ("crashes", "kill -SEGV $$", "witness", "crashed"),
        (
            "fails",
            "echo nothing >&2; exit 7",
            "witness",
            "left no invariants",
        ),
        (
            "trivial",
            "echo \"$1:6: 1\"; echo \"$1:6: 0\"",
            "text",
            "nothing that says something",
        ),
        (
            "violates",
            "echo '- entry_type: violation_sequence' > \"$2\"",
            "witness",
            "its witness",
        ),
    ] {
        let helper = bench.helper(name, script, adapter);
        let terms = "timeout-h = 400.0\nterm-after-first-inv = false";
        let analysis = bench.analysis(KIND, &[&helper, &right], terms);
        let (status, text) = bench.check(&analysis, "40s");
        assert_eq!(status, TRUE, "{name}: {text}");
        assert!(text.contains(wanted), "{name}: {text}");
    }
    let missing = bench.helper("missing", "exit 0", "text");
    let text = std::fs::read_to_string(&missing).unwrap();
    std::fs::write(&missing, text.replace("missing.sh", "nowhere.sh")).unwrap();
    let analysis = bench.analysis(KIND, &[&missing, &right], "");
    let (status, text) = bench.check(&analysis, "30s");
    assert_eq!(status, TRUE, "{text}");
    assert!(text.contains("not installed"), "{text}");
}

/// Those that hang are stopped, also when they ignore it and have children in other sessions.
#[test]
fn nothing_of_a_helper_is_left() {
    let bench = Bench::new("hangs", SAFE);
    let hangs = "trap '' TERM INT HUP\necho $$ >> \"$3\"; pwd >> \"$3\"\n\
        setsid sh -c 'trap \"\" TERM; echo $$ >> \"'\"$3\"'\"; while :; do sleep 1; done' &\n\
        while :; do sleep 1; done";
    let hangs = bench.helper("hangs", hangs, "witness");
    let right = bench.helper("right", "sleep 1; echo \"$1:6: n == x + y\"", "text");
    let begin = Instant::now();
    let analysis = bench.analysis(KIND, &[&hangs, &right], "timeout-h = 900.0");
    let (status, text) = bench.check(&analysis, "60s");
    assert_eq!(status, TRUE, "{text}");
    assert!(begin.elapsed() < Duration::from_secs(50));
    common::nothing_is_left(&bench.scratch.0);
    let marks = bench.marks();
    assert!(marks.lines().count() >= 3, "{marks}");
    for mark in marks.lines() {
        match mark.parse::<u32>() {
            Ok(pid) => {
                let is_script = std::fs::read_to_string(format!("/proc/{pid}/cmdline"))
                    .is_ok_and(|line| line.contains("sh"));
                assert!(!is_script, "{pid} lives");
            }
            Err(_) => assert!(!Path::new(mark).exists(), "{mark} is there"),
        }
    }
}

/// Names as the paper writes them, with stand-ins for the tools.
#[test]
fn combinations_are_named() {
    let bench = Bench::new("named", SAFE);
    let check = |name: &str| {
        let arguments = ["check", "--timeout", "2s", "--analysis", name];
        concord(&arguments, &[&bench.program])
    };
    let (status, text) = check("kInd-UA-VA-100-wait-200");
    assert_ne!(status, Some(2), "{text}");
    let (status, text) = check("kind-uaa-100");
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("did you mean `UA`"), "{text}");
    // What is near is said as it is written.
    let (status, text) = check("pred-Evaa-0");
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("did you mean `EVA`"), "{text}");
    let (status, text) = concord(&["helpers"], &[]);
    assert_eq!(status, TRUE, "{text}");
    assert!(text.contains("UA") && text.contains("not installed") && text.contains("CTA"));
}

/// A person's invariants, and Concord itself as an external process.
#[test]
fn text_and_concord_help() {
    let bench = Bench::new("text", SAFE);
    bench
        .scratch
        .file("program.c.invariants", b"program.c:6: n == x + y\n");
    let analysis = bench.analysis(KIND, &[Path::new("text")], "");
    let (status, text) = bench.check(&analysis, "30s");
    assert_eq!(status, TRUE, "{text}");
    let analysis = bench.analysis(KIND, &[Path::new("concord-default")], "timeout-h = 800.0");
    let (status, text) = bench.check(&analysis, "60s");
    assert_eq!(status, TRUE, "{text}");
}

/// What is proved of loops, as others read it, and as a helper that needs no proof of the program.
#[test]
fn invariants_are_printed_for_others() {
    let text = SAFE.replace("n != y", "n == 7 && y > 6");
    let bench = Bench::new("invariants", &text);
    let print = |format: &str| {
        let arguments = ["invariants", "--timeout", "20s", "--as", format];
        let (status, text) = concord(&arguments, &[&bench.program]);
        assert_eq!(status, TRUE, "{text}");
        text
    };
    // The program is violated; what holds at its loop holds all the same.
    let lines = print("text");
    let said = witness::candidates::of_lines(&lines);
    assert!(said.iter().all(|said| said.place.line == 6), "{lines}");
    assert!(
        print("acsl")
            .lines()
            .all(|line| line.contains("//@ loop invariant"))
    );
    assert!(
        print("cprover")
            .lines()
            .all(|line| line.contains("__CPROVER_loop_invariant("))
    );
    let witness = witness::read(&print("witness")).expect("a witness");
    assert!(witness.claims_safety());
    // Of a safe program there is something, and it is confirmed.
    let bench = Bench::new("invariants-safe", SAFE);
    let arguments = ["invariants", "--timeout", "20s", "--as", "witness"];
    let (_, text) = concord(&arguments, &[&bench.program]);
    assert!(text.contains("loop_invariant"), "{text}");
    let file = bench.scratch.file("w.yml", text.as_bytes());
    let (status, text) = concord(&["validate", "--timeout", "20s"], &[&file, &bench.program]);
    assert_eq!(status, TRUE, "{text}");
    let (status, text) = concord(&["invariants"], &[Path::new("nowhere.c")]);
    assert_eq!(status, Some(2), "{text}");
    let analysis = bench.analysis(
        KIND,
        &[Path::new("concord-invariants")],
        "timeout-h = 600.0",
    );
    let (status, text) = bench.check(&analysis, "60s");
    assert_eq!(status, TRUE, "{text}");
}

/// Registers of LLVM at a basic block, as SeaHorn prints them, through the module that clang wrote.
#[test]
fn registers_of_llvm_become_invariants() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../portfolio/tests/data");
    let module = std::fs::read_to_string(data.join("figure-2.ll")).expect("a module");
    let text = std::fs::read_to_string(data.join("figure-2.c")).expect("a program");
    // The paper's label is no error function.
    let text = text
        .replace(
            "nondet(void)",
            "nondet(void); extern void reach_error(void)",
        )
        .replace("return 1;", "reach_error();");
    let bench = Bench::new("llvm", &text);
    let folder = bench.scratch.0.display().to_string();
    let module = module.replace("figure-2.c", "program.c");
    bench.scratch.file("module.ll", module.as_bytes());
    let script = format!(
        "cp {folder}/module.ll \"$2\"\nprintf 'unsat\\nFunction: main\\nmain@entry: true\\nmain@while.body:\\n\\t\\t(main@%%call-main@%%x.03-main@%%y.02=0)\\n'"
    );
    let helper = bench.helper("sea", &script, "llvm");
    let mut description = std::fs::read_to_string(&helper).unwrap();
    description += "module = \"{witness}\"\n";
    std::fs::write(&helper, description).unwrap();
    for master in [KIND, PRED] {
        let analysis = bench.analysis(master, &[&helper], "");
        let (status, text) = bench.check(&analysis, "40s");
        assert_eq!(status, TRUE, "{master}: {text}");
    }
}

/// A helper that negates all that it hands over changes no verdict. (On 100 tasks: `concord bench
/// LIST --sample 100 --analysis kInd,kInd-LIE-0,pred,pred-LIE-0`, then `concord bench diff`.)
#[test]
fn a_helper_that_lies_changes_no_verdict() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/loops");
    let list = std::fs::read_dir(folder).expect("programs");
    let mut programs: Vec<PathBuf> = list.filter_map(|entry| Some(entry.ok()?.path())).collect();
    programs.retain(|path| path.extension().is_some_and(|it| it == "yml"));
    programs.sort();
    // A few of each verdict.
    let expects = |path: &Path, verdict: &str| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.contains(&format!("expected_verdict: {verdict}"))
    };
    let of = |verdict: &str| -> Vec<PathBuf> {
        let found = programs.iter().filter(|path| expects(path, verdict));
        found.take(3).cloned().collect()
    };
    let mut programs = of("true");
    programs.extend(of("false"));
    let safe = Bench::new("lie-safe", SAFE);
    let unsafe_ = Bench::new("lie-unsafe", &wrong());
    programs.push(safe.program.clone());
    programs.push(unsafe_.program.clone());
    for program in &programs {
        let name = program.display().to_string();
        let is_safe = expects(program, "true") || *program == safe.program;
        for analysis in ["kInd-LIE-0-wait-200", "pred-LIE-0-wait-200"] {
            let arguments = ["check", "--timeout", "6s", "--analysis", analysis];
            let (status, text) = concord(&arguments, &[program]);
            let wrong = if is_safe { Some(1) } else { TRUE };
            assert_ne!(status, wrong, "{name} {analysis}: {text}");
            assert!(!text.contains("please report"), "{name}: {text}");
        }
    }
}
