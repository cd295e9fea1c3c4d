//! Samples of the opponents, whose programs nobody here wrote: no answer may be wrong, and none may
//! ask to be reported. `docs/opponents.md` says how to run more of each.

use opponents::csmith::{self, Csmith};
use opponents::gcc::{self, Model};
use opponents::loops::{Loops, Selection};
use opponents::memory::Memory;
use opponents::mutants::{self, Mutants};
use opponents::skip;
use opponents::tally::Tally;
use opponents::torture::{self, Executions, Torture};
use opponents::verifier::Verifier;
use std::path::Path;
use tempfile::TempDir;

/// The verifier and a folder for programs; `None` if gcc is missing.
fn arena() -> Option<(Verifier, TempDir)> {
    let work = tempfile::tempdir().expect("a temporary folder");
    let binary = env!("CARGO_BIN_EXE_concord").into();
    for model in [Model::Lp64, Model::Ilp32] {
        if !gcc::works(work.path(), model) {
            skip(&format!("gcc makes no {} programs here", model.name()));
            return None;
        }
    }
    Some((Verifier { binary }, work))
}

fn clean(tally: &Tally) {
    println!("{tally}");
    assert!(tally.is_clean(), "{}\n{tally}", tally.findings.join("\n"));
    // Nothing is shown by programs that nobody could decide.
    assert!(tally.right > tally.programs / 4, "{tally}");
}

/// The tests come from Debian's package gcc-12-source; they are unpacked once.
fn torture_tests() -> Option<Vec<torture::Test>> {
    if torture::packed_source().is_none() {
        skip("Debian's package gcc-12-source is not installed");
        return None;
    }
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("torture");
    let root = torture::unpack(&cache).expect("the tests can be unpacked");
    Some(torture::tests(&root).expect("the tests can be read"))
}

#[test]
fn memory_errors_are_those_of_the_sanitizer() {
    let Some((verifier, work)) = arena() else {
        return;
    };
    let side = Memory {
        verifier: &verifier,
        work: work.path().to_owned(),
        kept: work.path().join("kept"),
        timeout: "4s".into(),
    };
    let mut tally = Tally::default();
    for seed in 1..=20 {
        side.fight(seed, &mut tally).expect("a program of C");
    }
    clean(&tally);
}

#[test]
fn torture_tests_run_as_gcc_runs_them() {
    let Some(((verifier, work), tests)) = arena().zip(torture_tests()) else {
        return;
    };
    assert!(tests.len() > 1500, "only {} tests", tests.len());
    let mut executions = Executions::default();
    for (start, model) in [(3, Model::Lp64), (28, Model::Ilp32)] {
        let side = Torture {
            verifier: &verifier,
            work: work.path().to_owned(),
            model,
        };
        for test in tests.iter().skip(start).step_by(53) {
            let execution = side.execute(test).expect("concord can be started");
            executions.count(test, execution);
        }
    }
    println!("{}", executions.table());
    assert!(executions.differ.is_empty(), "{:?}", executions.differ);
    assert!(executions.equal > 40, "{}", executions.table());
}

#[test]
fn torture_tests_are_not_judged_wrongly() {
    let Some(((verifier, work), tests)) = arena().zip(torture_tests()) else {
        return;
    };
    let side = Torture {
        verifier: &verifier,
        work: work.path().to_owned(),
        model: Model::Lp64,
    };
    let mut tally = Tally::default();
    for test in tests.iter().skip(42).step_by(71) {
        tally.programs += 1;
        side.check(test, "1s", &mut tally).expect("an answer");
    }
    clean(&tally);
}

#[test]
fn checksums_of_csmith_are_not_judged_wrongly() {
    let Some((verifier, work)) = arena() else {
        return;
    };
    let Some(include) = csmith::include() else {
        return skip("csmith is not installed");
    };
    let side = Csmith {
        verifier: &verifier,
        include,
        work: work.path().to_owned(),
        kept: Path::new(env!("CARGO_TARGET_TMPDIR")).join("kept"),
        timeout: "1s".to_owned(),
        analysis: "default".to_owned(),
        size: None,
    };
    let mut tally = Tally::default();
    for seed in 1..=12 {
        side.fight(seed, &mut tally).expect("an answer");
    }
    clean(&tally);
}

/// Each analysis meets a few programs.
#[test]
fn loops_are_not_judged_wrongly_by_any_analysis() {
    let Some((verifier, work)) = arena() else {
        return;
    };
    let analyses = verifier.analyses().expect("analyses are listed");
    assert!(analyses.len() > 50, "{analyses:?}");
    let programs = 12;
    let each = analyses.len().div_ceil(programs);
    let side = Loops {
        verifier: &verifier,
        work: work.path().to_owned(),
        kept: Path::new(env!("CARGO_TARGET_TMPDIR")).join("kept"),
        analyses,
        selection: Selection::Some(each),
        timeout: "500ms".to_owned(),
    };
    let mut tally = Tally::default();
    for seed in (4..).take(programs) {
        side.fight(seed, &mut tally).expect("an answer");
    }
    clean(&tally);
}

#[test]
fn mutants_are_not_judged_wrongly() {
    let Some((verifier, work)) = arena() else {
        return;
    };
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs");
    let folders = ["features", "verdicts", "loops", "precision"];
    let all = mutants::all(&programs, &folders, 1).expect("the programs can be read");
    assert!(all.len() > 2000, "only {} mutants", all.len());
    let side = Mutants {
        verifier: &verifier,
        work: work.path().to_owned(),
        kept: Path::new(env!("CARGO_TARGET_TMPDIR")).join("kept"),
        timeout: "1s".to_owned(),
        analysis: "default".to_owned(),
        executions: 40,
    };
    let mut tally = Tally::default();
    for mutant in all.iter().take(40) {
        side.fight(mutant, &mut tally).expect("an answer");
    }
    clean(&tally);
}
