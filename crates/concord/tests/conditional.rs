//! Conditional model checking: what a run has proved is left out by the next one, and never
//! believed.

mod common;

use common::{Scratch, concord};
use std::path::{Path, PathBuf};
use std::process::Command;

/// k-induction alone proves one side of the branch only.
const SIDES: &str = "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), mode = __VERIFIER_nondet_uint();
  unsigned x = n, y = 0;
  if (mode == 1) {
    while (x > 0) {
      x--;
      y++;
    }
  } else {
    y = n;
  }
  if (n != y)
    reach_error();
  return 0;
}
";

const TRUE: Option<i32> = Some(0);
const FALSE: Option<i32> = Some(1);
const BAD_INPUT: Option<i32> = Some(2);
const UNKNOWN: Option<i32> = Some(3);

struct Bench {
    scratch: Scratch,
    program: PathBuf,
}

impl Bench {
    fn new(name: &str, text: &str) -> Bench {
        let scratch = Scratch::new(&format!("conditional-{name}"));
        let program = scratch.file("program.c", text.as_bytes());
        Bench { scratch, program }
    }

    fn check(
        &self,
        analysis: &str,
        seconds: u32,
        option: &str,
        file: &Path,
    ) -> (Option<i32>, String) {
        let timeout = format!("{seconds}s");
        let arguments = [
            "check",
            "--timeout",
            &timeout,
            "--analysis",
            analysis,
            "--format",
            "json",
        ];
        let mut arguments = arguments.to_vec();
        let file = file.display().to_string();
        arguments.extend([option, &file]);
        concord(&arguments, &[&self.program])
    }

    fn condition(&self, text: &str) -> PathBuf {
        self.scratch.file("condition.txt", text.as_bytes())
    }
}

/// An automaton with one state of its own.
fn automaton(transitions: &str) -> String {
    format!(
        "OBSERVER AUTOMATON AssumptionAutomaton\n\nINITIAL STATE ARG0;\n\nSTATE __TRUE :\n    TRUE -> GOTO __TRUE;\n\n\
         STATE __FALSE :\n    TRUE -> GOTO __FALSE;\n\nSTATE USEFIRST ARG0 :\n{transitions}    TRUE -> GOTO ARG0;\n\nEND AUTOMATON\n"
    )
}

/// The first run has no answer, and the second needs only what it has left.
#[test]
fn a_run_continues_where_another_one_ended() {
    let bench = Bench::new("continues", SIDES);
    let file = bench.scratch.0.join("condition.txt");
    let (status, text) = bench.check("kInduction-plain", 12, "--condition-out", &file);
    assert_eq!(status, UNKNOWN, "{text}");
    assert!(text.contains("what is proved"), "{text}");
    let written = std::fs::read_to_string(&file).expect("a condition");
    assert!(
        written.contains("MATCH \"[!(mode == 1)]\" -> GOTO __TRUE;"),
        "{written}"
    );
    assert!(written.contains("// concord proof "), "{written}");
    let (status, text) = bench.check("default", 60, "--condition-in", &file);
    assert_eq!(status, TRUE, "{text}");
    assert!(text.contains("what it claims"), "{text}");
    // Without its proofs the claim is proved again, and without a proof there is no answer.
    let bare: Vec<&str> = written
        .lines()
        .filter(|line| !line.starts_with("// concord"))
        .collect();
    let bare = bench.condition(&bare.join("\n"));
    let (status, text) = bench.check("default", 60, "--condition-in", &bare);
    assert_eq!(status, TRUE, "{text}");

    // The rest as a program of its own: others read it.
    let rest = bench.scratch.0.join("rest.c");
    let arguments = [
        "reduce",
        "--condition",
        bare.to_str().unwrap(),
        "-o",
        rest.to_str().unwrap(),
    ];
    let (status, text) = concord(&arguments, &[&bench.program]);
    assert_eq!(status, TRUE, "{text}");
    let gcc = Command::new("gcc")
        .args(["-fsyntax-only", "-w"])
        .arg(&rest)
        .output();
    let gcc = gcc.expect("gcc");
    assert!(gcc.status.success(), "{gcc:?}");
    let (status, text) = concord(&["check", "--timeout", "60s"], &[&rest]);
    assert_eq!(status, TRUE, "{text}");
}

/// A condition that claims too much costs a proof, and never brings one.
#[test]
fn a_lie_is_not_believed() {
    let wrong = SIDES.replace("y = n;", "y = n + (mode == 77);");
    let bench = Bench::new("lies", &wrong);
    for lie in [
        automaton("    MATCH \"[!(mode == 1)]\" -> GOTO __TRUE;\n"),
        automaton("    MATCH \"reach_error();\" -> GOTO __TRUE;\n"),
        automaton("    TRUE -> GOTO __TRUE;\n"),
        automaton("").replace("INITIAL STATE ARG0", "INITIAL STATE __TRUE"),
        automaton("    MATCH \"[n != y]\" -> ASSUME {mode > 3} GOTO __TRUE;\n"),
        automaton("    MATCH \"[!(mode == 1)]\" -> GOTO __TRUE; // part 1\n")
            + "// concord proof 1 \"no-way\"\n",
        automaton("    MATCH \"[!(mode == 1)]\" -> GOTO __TRUE; // part 1\n")
            + "// concord proof 1 {\"complete-unrolling\":{\"iterations\":0,\"recursion\":0,\"steps\":1}}\n",
        automaton("    MATCH \"[!(mode == 1)]\" -> GOTO __TRUE; // part 1\n")
            + "// concord proof 1 {\"graph\":\"{\\\"by\\\":\\\"\\\",\\\"nodes\\\":[],\\\"entries\\\":[]}\"}\n",
    ] {
        let file = bench.condition(&lie);
        let (status, text) = bench.check("default", 30, "--condition-in", &file);
        assert_eq!(status, FALSE, "{lie}: {text}");
        assert!(!text.contains("please report"), "{text}");
        // An analysis that finds no violation has no answer.
        let (status, text) = bench.check("invariants", 10, "--condition-in", &file);
        assert_eq!(status, UNKNOWN, "{lie}: {text}");
    }
}

/// What is left out is said, if it is not proved.
#[test]
fn a_claim_that_is_not_proved_makes_the_answer_conditional() {
    let bench = Bench::new("open", SIDES);
    let file = bench.condition(&automaton("    MATCH \"[mode == 1]\" -> GOTO __TRUE;\n"));
    let (status, text) = bench.check("kInduction-plain", 8, "--condition-in", &file);
    assert_eq!(status, UNKNOWN, "{text}");
    assert!(text.contains("conditional: "), "{text}");
}

#[test]
fn what_is_no_condition_is_bad_input() {
    let bench = Bench::new("bad", SIDES);
    for (text, wanted) in [
        ("", "AUTOMATON is missing"),
        (automaton("    ERROR;\n").as_str(), "line 12"),
    ] {
        let file = bench.condition(text);
        let (status, text) = bench.check("default", 10, "--condition-in", &file);
        assert_eq!(status, BAD_INPUT, "{text}");
        assert!(text.contains(wanted), "{text}");
        let arguments = ["reduce", "--condition", file.to_str().unwrap()];
        let (status, text) = concord(&arguments, &[&bench.program]);
        assert_eq!(status, BAD_INPUT, "{text}");
    }
    let file = bench.condition(&automaton(""));
    for options in [
        ["--property", "all"],
        ["--each-check", "--quiet"],
        ["--property", "memory-safety"],
    ] {
        let name = file.display().to_string();
        let mut arguments = vec!["check", "--condition-in", &name];
        arguments.extend(options);
        let (status, text) = concord(&arguments, &[&bench.program]);
        assert_eq!(status, BAD_INPUT, "{options:?}: {text}");
    }
}

/// As CPAchecker writes them: a state for each step, with declarations and empty edges in between.
#[test]
fn an_automaton_with_a_state_for_each_step_is_read() {
    let bench = Bench::new("steps", SIDES);
    let text = "OBSERVER AUTOMATON AssumptionAutomaton\n\nINITIAL STATE ARG0;\n\nSTATE __TRUE :\n    TRUE -> ASSUME {true} GOTO __TRUE;\n\n\
        STATE __FALSE :\n    TRUE -> ASSUME {false} GOTO __FALSE;\n\n\
        STATE USEFIRST ARG0 :\n    MATCH \"\" -> ASSUME {true} GOTO ARG1;\n    TRUE -> GOTO __TRUE;\n\n\
        STATE USEFIRST ARG1 :\n    MATCH \"extern void reach_error(void);\" -> GOTO ARG1M0;\n    TRUE -> GOTO __TRUE;\n\n\
        STATE USEFIRST ARG1M0 :\n    MATCH \"unsigned int y = 0;\" -> ASSUME {true} GOTO ARG5;\n    TRUE -> GOTO __TRUE;\n\n\
        STATE USEFIRST ARG5 :\n    MATCH \"[mode == 1]\" -> ASSUME {true} GOTO __FALSE;\n    \
        MATCH \"[!(mode == 1)]\" -> ASSUME {true} GOTO __TRUE;\n    TRUE -> GOTO __TRUE;\n\nEND AUTOMATON\n";
    let file = bench.condition(text);
    let (status, text) = bench.check("default", 60, "--condition-in", &file);
    assert_eq!(status, TRUE, "{text}");
    // The rest is the side that is not claimed.
    let rest = bench.scratch.0.join("rest.c");
    let arguments = [
        "reduce",
        "--condition",
        file.to_str().unwrap(),
        "-o",
        rest.to_str().unwrap(),
    ];
    let (status, text) = concord(&arguments, &[&bench.program]);
    assert_eq!(status, TRUE, "{text}");
    let rest = std::fs::read_to_string(rest).unwrap();
    assert!(rest.contains("- (u32)1u"), "{rest}");
}
