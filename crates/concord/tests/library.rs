//! The library: the same answers as the command line, from a program of one's own.

mod common;

use common::{LOOP, Scratch};
use concord::{DataModel, Property, Verdict, Verifier};
use std::time::Duration;

const HALF: Duration = Duration::from_secs(30);

fn verifier() -> Verifier {
    Verifier::new().timeout(HALF)
}

#[test]
fn proofs_can_be_checked_again() {
    let answer = verifier().check_text("loop.c", LOOP).expect("a program");
    let Verdict::True(proof) = answer.verdict else {
        panic!("{:?}", answer.verdict);
    };
    assert!(!proof.engine().is_empty() && !proof.checked().is_empty());
    assert!(proof.inputs().is_empty() && proof.harness().is_none());
    proof.check_again(HALF).expect("it is right");
}

#[test]
fn violations_have_inputs_and_a_harness() {
    let text = LOOP.replace("i++; j++;", "i++; if (i != 3) j++;");
    let answer = verifier().check_text("loop.c", &text).expect("a program");
    let Verdict::False(found) = answer.verdict else {
        panic!("{:?}", answer.verdict);
    };
    assert_eq!(found.kind(), "inputs");
    let inputs = found.inputs();
    assert!(inputs.len() > 3, "{inputs:?}");
    assert_eq!(inputs[0].place, "loop.c:5:12");
    assert_eq!(inputs[0].what, "__VERIFIER_nondet_int()");
    found.check_again(HALF).expect("it is right");
    assert!(found.harness().is_some_and(|text| text.contains("nondet")));
}

#[test]
fn without_an_answer_there_is_a_reason() {
    let verifier = verifier().timeout(Duration::from_secs(1));
    let answer = verifier
        .check_text("x.c", common::GENERATOR)
        .expect("a program");
    let Verdict::Unknown(reason) = answer.verdict else {
        panic!("{:?}", answer.verdict);
    };
    assert!(!reason.is_empty());
}

/// Files, the preprocessor, another entry, another model, another property.
#[test]
fn settings_reach_the_program() {
    let scratch = Scratch::new("library");
    let folder = scratch.0.join("headers");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(
        folder.join("bits.h"),
        "#define BITS (8 * (int)sizeof(long))\n",
    )
    .expect("a header");
    let text = "#include \"bits.h\"\n#include <assert.h>\n\
        long shifted(int n) { return 1L << (n & MASK); }\n\
        void same(void) { assert(BITS == 32); }\n";
    let file = scratch.file("program.c", text.as_bytes());
    let verifier = verifier().include(folder);
    let is_true = |verifier: &Verifier| {
        let answer = verifier.check_files(&[&file]).expect("a program");
        matches!(answer.verdict, Verdict::True(_))
    };
    let wide = verifier.clone().define("MASK=63").entry("same");
    assert!(!is_true(&wide));
    assert!(is_true(&wide.data_model(DataModel::Ilp32)));
    let shift = Property::named("valid-shift").expect("a property");
    let shift = verifier.entry("shifted").property(shift);
    assert!(is_true(&shift.clone().define("MASK=63")));
    assert!(!is_true(&shift.define("MASK=127")));
}

#[test]
fn what_cannot_be_checked_is_an_error() {
    let error = |text: &str| verifier().check_text("a.c", text).expect_err("no program");
    assert!(
        error("int main(void) { return x; }")
            .to_string()
            .starts_with("a.c:1:")
    );
    let unknown = verifier().analysis("magic").check_text("a.c", LOOP);
    assert!(unknown.is_err_and(|error| error.to_string().contains("magic")));
    assert!(verifier().check_files(&["/nowhere/a.c"]).is_err());
}
