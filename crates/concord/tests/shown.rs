//! What answers and partial results say of loops: nothing that does not hold, and something where
//! something was proved.

mod common;

use common::{GENERATOR, Scratch, concord};
use serde_json::Value;
use std::path::PathBuf;

/// The loop of `mix` has `seed == 0` behind one of its calls only, and nothing at all is known
/// behind the other one.
const TWO_CALLS: &str = "extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
unsigned mix(unsigned seed) {
  unsigned z = 1;
  while (__VERIFIER_nondet_int())
    z = z * 1103515245u + 12345u + seed;
  return z;
}
int main(void) {
  mix(0);
  mix(__VERIFIER_nondet_uint());
  unsigned a = __VERIFIER_nondet_uint(), b = a ^ 85u, seen = 85u;
  while (__VERIFIER_nondet_int()) {
    if (seen != 85u)
      reach_error();
    seen = a ^ b;
    unsigned before = a;
    a = b;
    b = before;
  }
  return 0;
}
";

/// The same, and nobody knows a proof; the violation is millions of iterations away.
const TWO_CALLS_OPEN: &str = "extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
unsigned mix(unsigned seed) {
  unsigned z = 1;
  while (__VERIFIER_nondet_int())
    z = z * 1103515245u + 12345u + seed;
  return z;
}
int main(void) {
  unsigned r = mix(0);
  mix(__VERIFIER_nondet_uint());
  if (r == 123456789u) reach_error();
  return 0;
}
";

/// As deep as blocks follow the recursion, `seen` is never set.
const RECURSIVE: &str = "extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
unsigned depth = 0;
int seen = 0;
void descend(unsigned left) {
  if (left == 0) return;
  depth = depth + 1;
  if (depth > 6) seen = 1;
  descend(left - 1);
}
int main(void) {
  unsigned z = 1;
  descend(__VERIFIER_nondet_uint());
  while (__VERIFIER_nondet_int())
    z = z * 1103515245u + 12345u;
  if (seen && z == 123456789u) reach_error();
  return 0;
}
";

/// Too much for induction, and nothing for unrolling.
const UNROLLED: &str = "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned z = __VERIFIER_nondet_uint(), w = z;
  unsigned i = 0;
  while (i < 4) {
    z = z * 1103515245u + 12345u;
    i = i + 1;
  }
  unsigned j = 0;
  while (j < 4) {
    w = w * 1103515245u + 12345u;
    j = j + 1;
  }
  if (z != w) reach_error();
  return 0;
}
";

struct Run {
    scratch: Scratch,
    program: PathBuf,
    config: String,
}

impl Run {
    /// `engines` are asked one after the other, without passes if `plain`.
    fn new(name: &str, text: &str, engines: [&str; 2], plain: bool) -> Run {
        let scratch = Scratch::new(name);
        let passes = if plain { "passes = []\n" } else { "" };
        let [first, second] = engines;
        let config = format!(
            "summary = \"for a test\"\n{passes}sequence = [{{ engine = \"{first}\" }}, {{ engine = \"{second}\" }}]\n"
        );
        let config = scratch.file("config.toml", config.as_bytes());
        Run {
            program: scratch.file("program.c", text.as_bytes()),
            config: format!("--config={}", config.display()),
            scratch,
        }
    }

    fn check(&self, options: &[&str], code: i32) -> String {
        let all = [&["check", &self.config][..], options].concat();
        let (status, text) = concord(&all, &[&self.program]);
        assert_eq!(status, Some(code), "{text}");
        assert!(!text.contains("panicked"), "{text}");
        text
    }

    fn json(&self, options: &[&str], code: i32) -> Value {
        let text = self.check(&[options, &["--format", "json"]].concat(), code);
        serde_json::from_str(&text).expect("it is JSON")
    }
}

/// The texts of a result's invariants, all of them certified.
fn certified(result: &Value) -> Vec<String> {
    let list = result["invariants"].as_array().cloned().unwrap_or_default();
    let text = |one: &Value| {
        assert_eq!(one["certified"], true, "{one}");
        one["text"].as_str().unwrap_or_default().to_owned()
    };
    list.iter().map(text).collect()
}

#[test]
fn what_holds_behind_one_call_is_no_invariant_of_the_function() {
    let run = Run::new("two-calls", TWO_CALLS, ["houdini", "k-induction"], true);
    let witness = run.scratch.0.join("w.yml");
    let option = format!("--witness={}", witness.display());
    let text = run.check(&[&option, "--timeout", "60s"], 0);
    assert!(text.contains("certificate: k-induction"), "{text}");
    assert!(text.contains("Loop invariants:"), "{text}");
    assert!(!text.contains("seed == 0"), "{text}");
    let (code, text) = concord(&["validate", "--timeout", "60s"], &[&witness, &run.program]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("and the invariant of the witness"), "{text}");
}

/// What is printed where guessed invariants and bounded model checking do not answer.
fn undecided(name: &str, text: &str, plain: bool) -> String {
    let run = Run::new(name, text, ["houdini", "bmc"], plain);
    run.check(&["--timeout", "2s"], 3)
}

#[test]
fn what_holds_behind_one_call_is_not_said_to_be_proved_either() {
    for plain in [true, false] {
        let text = undecided("open-calls", TWO_CALLS_OPEN, plain);
        assert!(text.contains("candidates are inductive"), "{text}");
        assert!(!text.contains("seed == 0"), "{text}");
    }
}

#[test]
fn nothing_is_proved_behind_a_recursion_that_is_not_followed() {
    let text = undecided("recursive", RECURSIVE, false);
    assert!(text.contains("recursion of descend"), "{text}");
    assert!(!text.contains("Proved so far"), "{text}");
}

#[test]
fn a_time_out_says_what_was_proved() {
    let run = Run::new("time-out", GENERATOR, ["houdini", "bmc"], false);
    let text = run.check(&["--timeout", "3s"], 3);
    assert!(text.contains("Verdict: UNKNOWN (out of time)"), "{text}");
    assert!(text.contains("\nProved so far"), "{text}");
    assert!(text.contains("program.c:5: x <= 10"), "{text}");
    let result = run.json(&["--timeout", "3s"], 3);
    assert_eq!(result["verdict"], "UNKNOWN");
    let texts = certified(&result);
    assert!(
        texts.len() == 1 && texts[0].contains("x <= 10"),
        "{texts:?}"
    );
    assert_eq!(result["invariants"][0]["line"], 5);
    assert_eq!(result["invariants"][0]["function"], "main");
}

#[test]
fn an_unrolling_is_shown_with_the_facts_that_were_found() {
    let run = Run::new("unrolled", UNROLLED, ["houdini", "bmc"], false);
    let witness = run.scratch.0.join("w.yml");
    let option = format!("--witness={}", witness.display());
    let result = run.json(&["--timeout", "60s", &option], 0);
    assert_eq!(result["certificate"], "complete unrolling");
    assert_eq!(certified(&result), ["i <= 4", "j <= 4"]);
    let (code, text) = concord(&["validate", "--timeout", "60s"], &[&witness, &run.program]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("the 2 invariants of the witness"), "{text}");
}

#[test]
fn small_blocks_have_loop_invariants_at_loops_only() {
    let text = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned x = 0, y = 0;
  while (__VERIFIER_nondet_int()) {
    if (x < 10) {
      x = x + 1;
      y = y + 2;
    }
  }
  if (x > 10)
    reach_error();
  return 0;
}
";
    let scratch = Scratch::new("small-blocks");
    let program = scratch.file("program.c", text.as_bytes());
    for analysis in ["predicate-sbe", "predicate-abe-10"] {
        let witness = scratch.0.join(format!("{analysis}.yml"));
        let option = format!("--witness={}", witness.display());
        let options = ["check", "--analysis", analysis, "--format", "json", &option];
        let (code, text) = concord(&options, &[&program]);
        assert_eq!(code, Some(0), "{text}");
        let result: Value = serde_json::from_str(&text).expect("it is JSON");
        let list = result["invariants"].as_array().expect("there are some");
        assert!(
            !list.is_empty() && list.iter().all(|one| one["line"] == 5),
            "{text}"
        );
        let (code, text) = concord(&["validate", "--timeout", "60s"], &[&witness, &program]);
        assert_eq!(code, Some(0), "{text}");
    }
}
