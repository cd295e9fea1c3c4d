//! Witnesses: what is written is confirmed; what is wrong is refuted or rejected, with a clear
//! message.

mod common;

use common::{INVARIANT, Scratch, concord};
use std::path::Path;

const VIOLATED: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int twice(int a) { return a + a; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  unsigned char y = __VERIFIER_nondet_int();
  if (x > 0 && x < 10 && twice(x) == 14)
    if (y == 200)
      reach_error();
  return 0;
}
";

const SAFE: &str = "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  unsigned x = 0, y = 0;
  while (x < n) {
    x++;
    y++;
  }
  if (x != y)
    reach_error();
  return 0;
}
";

/// Says what is expected of a validation: the exit code, and a part of what is printed.
fn validated(witness: &Path, program: &Path, code: i32, wanted: &str) {
    let (status, text) = concord(&["validate", "--timeout", "20s"], &[witness, program]);
    assert_eq!(status, Some(code), "{text}");
    assert!(text.contains(wanted), "{wanted:?} is not in: {text}");
    assert!(!text.contains("panicked"), "{text}");
}

#[test]
fn violations_that_are_written_are_confirmed() {
    let scratch = Scratch::new("violation-witness");
    let program = scratch.file("violated.c", VIOLATED.as_bytes());
    for name in ["w.yml", "w.graphml"] {
        let witness = scratch.0.join(name);
        let option = format!("--witness={}", witness.display());
        let (code, text) = concord(&["check", &option], &[&program]);
        assert_eq!(code, Some(1), "{text}");
        validated(&witness, &program, 0, "Witness: CONFIRMED");
    }
}

#[test]
fn violations_that_cannot_happen_are_refuted() {
    let scratch = Scratch::new("refuted-violation");
    let program = scratch.file("violated.c", VIOLATED.as_bytes());
    let witness = scratch.0.join("w.yml");
    let option = format!("--witness={}", witness.display());
    let (_, text) = concord(&["check", &option], &[&program]);
    let good = std::fs::read_to_string(&witness).expect(&text);
    let altered = |from: &str, to: &str| {
        assert!(good.contains(from), "{from} is not in {good}");
        scratch.file("altered.yml", good.replace(from, to).as_bytes())
    };
    let value = altered("\\result == 7", "\\result == 8");
    validated(&value, &program, 1, "Witness: REFUTED");
    let target = altered("line: 9", "line: 10");
    validated(&target, &program, 2, "nothing begins");
    let nowhere = altered("line: 9", "line: 900");
    validated(&nowhere, &program, 2, "no line 900");
    let model = altered("LP64", "ILP32");
    validated(&model, &program, 0, "CONFIRMED");
    let property = altered("reach_error", "somebody");
    validated(&property, &program, 2, "calls of 'somebody'");
    let broken = altered("content:", "content: [");
    validated(&broken, &program, 2, "broken YAML");
    let other = scratch.file("other.c", format!("{VIOLATED}\n").as_bytes());
    validated(&witness, &other, 2, "another program");
    let (code, text) = concord(
        &["validate", "--property=no-overflow"],
        &[&witness, &program],
    );
    assert!(
        code == Some(2) && text.contains("another property"),
        "{text}"
    );
    let (code, text) = concord(&["validate", "--data-model=ilp32"], &[&witness, &program]);
    assert!(code == Some(2) && text.contains("data model"), "{text}");
}

fn invariant(scratch: &Scratch, program: &Path, value: &str) -> std::path::PathBuf {
    let bytes = std::fs::read(program).expect("it was just written");
    let text = INVARIANT
        .replace("FILE", "./safe.c")
        .replace("HASH", &witness::hash_of(&bytes));
    scratch.file("invariant.yml", text.replace("VALUE", value).as_bytes())
}

#[test]
fn invariants_are_proved_or_refuted() {
    let scratch = Scratch::new("invariants");
    let program = scratch.file("safe.c", SAFE.as_bytes());
    let right = invariant(&scratch, &program, "x == y && (x <= n || n == 0)");
    validated(&right, &program, 0, "Witness: CONFIRMED");
    let wrong = invariant(&scratch, &program, "x == y && x < 3");
    validated(&wrong, &program, 1, "does not always hold");
    let unknown_name = invariant(&scratch, &program, "x == z");
    validated(&unknown_name, &program, 2, "'z'");
    let effect = invariant(&scratch, &program, "x++ == y");
    validated(&effect, &program, 2, "side effects");
    let text = std::fs::read_to_string(invariant(&scratch, &program, "x == y"));
    let text = text.expect("it was just written");
    let place = scratch.file("place.yml", text.replace("line: 6", "line: 7").as_bytes());
    validated(&place, &program, 2, "there is nothing at safe.c:7:3");
}

#[test]
fn a_witness_of_safety_for_an_unsafe_program_is_refuted() {
    let scratch = Scratch::new("unsafe-claim");
    let program = scratch.file("safe.c", SAFE.replace("y++;", "y += 2;").as_bytes());
    let claim = invariant(&scratch, &program, "x <= n");
    validated(&claim, &program, 1, "violates the property");
}

#[test]
fn proofs_that_are_written_are_confirmed() {
    let scratch = Scratch::new("safety-witness");
    // The assertion inside the loop makes induction succeed.
    let inside = SAFE.replace("y++;", "y++; if (x != y) reach_error();");
    let program = scratch.file("safe.c", inside.as_bytes());
    for name in ["w.yml", "w.graphml"] {
        let witness = scratch.0.join(name);
        let option = format!("--witness={}", witness.display());
        let (code, text) = concord(&["check", &option], &[&program]);
        assert_eq!(code, Some(0), "{text}");
        validated(&witness, &program, 0, "Witness: CONFIRMED");
    }
}

/// A proof by guessed invariants has some, in whatever format.
#[test]
fn the_invariants_of_a_proof_are_in_its_witness() {
    let scratch = Scratch::new("safety-witness-invariants");
    let program = scratch.file("safe.c", SAFE.as_bytes());
    for name in ["w.yml", "w.graphml"] {
        let witness = scratch.0.join(name);
        let option = format!("--witness={}", witness.display());
        let options = ["check", "--analysis", "houdini", &option];
        let (code, text) = concord(&options, &[&program]);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("Loop invariants:"), "{text}");
        let written = std::fs::read_to_string(&witness).expect("it was written");
        let content = witness::read(&written).expect("it is a witness").content;
        let witness::Content::Invariants(list) = content else {
            panic!("no invariants: {written}");
        };
        assert_eq!(list.list.len(), 1, "{written}");
        assert!(
            list.list[0].value.contains("x == y") || list.list[0].value.contains("y == x"),
            "{written}"
        );
        validated(&witness, &program, 0, "the invariant of the witness");
    }
}
