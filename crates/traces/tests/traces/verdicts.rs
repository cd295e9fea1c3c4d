//! Small programs with known verdicts, under all settings; every answer is certified.

use crate::common::{Counts, run};
use absint::invariants::InvariantOptions;
use absint::numeric::choice::Domain;
use facts::certificate::Certificate;
use facts::engine::Outcome;
use induction::cuts::BlockOperator;
use traces::Options;
use traces::options::Enhancement;

fn with(domain: Option<Domain>, enhanced: Enhancement, blocks: BlockOperator) -> Options {
    let interpretation = |domain| InvariantOptions {
        domain,
        ..InvariantOptions::default()
    };
    Options {
        interpretations: domain.map(interpretation).into_iter().collect(),
        enhanced,
        blocks,
        ..Options::default()
    }
}

/// The paper's settings, each with large blocks, with one block for each way and with single
/// operations.
fn settings() -> Vec<Options> {
    let mut all = Vec::new();
    for blocks in [
        BlockOperator::LoopHeads,
        BlockOperator::Ways(32),
        BlockOperator::Sbe,
    ] {
        all.push(with(None, Enhancement::Off, blocks));
        for domain in [Domain::Interval, Domain::Octagon, Domain::OctagonCongruence] {
            for enhanced in [Enhancement::Off, Enhancement::Abstract, Enhancement::Solver] {
                for relevant in [false, true] {
                    all.push(Options {
                        relevant,
                        ..with(Some(domain), enhanced, blocks)
                    });
                }
            }
        }
    }
    all
}

/// With one block for each way, the path program of a trace through one branch has no other: its
/// fixpoint needs no disjunction. With one block for the whole body it has both.
#[test]
fn path_programs_leave_out_other_ways() {
    let text =
        "int main(void) { int x = 0, y = 0; while (y >= 0) { if (x < 1000) y++; else y--; x++; }
        if (x != 2001) reach_error(); return 0; }";
    let domain = Some(Domain::Octagon);
    let options = |blocks| Options {
        most_refinements: 200,
        ..with(domain, Enhancement::Off, blocks)
    };
    let (_, whole) = run(text, &options(BlockOperator::LoopHeads), 2);
    let (_, ways) = run(text, &options(BlockOperator::Ways(32)), 2);
    let useful = |counts: &Counts| counts.get("useful path-program refinements");
    assert_eq!(useful(&whole), 0);
    assert!(useful(&ways) > 0);
}

#[test]
fn safe_programs_are_proved() {
    for text in [
        "int main(void) { int x = 0, y = 42; while (x < 100) { x++; if (y <= 0) y = 7; }
         if (x != 100 || y != 42) reach_error(); return 0; }",
        "int f(int x) { return x + 1; }
         int main(void) { int i = 0; while (i < 50) i = f(i); if (i != 50) reach_error(); return 0; }",
        "int main(void) { if (__VERIFIER_nondet_int() * 2 == 7) reach_error(); return 0; }",
    ] {
        for options in settings() {
            let (outcome, _) = run(text, &options, 60);
            let is_proved = matches!(&outcome, Outcome::Answer(Certificate::Graph(_)));
            assert!(is_proved, "{text}\n{options:?}: {outcome:?}");
        }
    }
}

#[test]
fn violations_are_executed() {
    for text in [
        "int main(void) { int x = 0; while (x < 5) x++; if (x == 5) reach_error(); return 0; }",
        "int main(void) { int n = __VERIFIER_nondet_int(), i = 0; while (i < 3) i++;
         if (n == 77 && i == 3) reach_error(); return 0; }",
        // What memory holds at first is part of the execution.
        "extern void *malloc(unsigned long); int main(void) { int *p = malloc(8); if (!p) return 0;
         int i = 0; while (i < 2) i++; if (p[1] == 4711 + i) reach_error(); return 0; }",
    ] {
        for options in settings() {
            let (outcome, _) = run(text, &options, 60);
            let is_found = matches!(&outcome, Outcome::Answer(Certificate::Inputs(_)));
            assert!(is_found, "{text}\n{options:?}: {outcome:?}");
        }
    }
}

/// What is beyond the call strings is not forgotten: neither a proof nor silence.
#[test]
fn recursion_that_is_not_followed_is_the_reason() {
    let text = "int f(unsigned n) { return n == 0 ? 0 : f(n - 1) + 1; }
        int main(void) { if (f(__VERIFIER_nondet_uint()) < 0) reach_error(); return 0; }";
    for options in settings() {
        let (outcome, _) = run(text, &options, 20);
        let Outcome::Unknown(reason) = &outcome else {
            panic!("{options:?}: {outcome:?}");
        };
        let reason = reason.to_string();
        assert!(
            reason.contains('f') && reason.contains("recurs"),
            "{options:?}: {reason}"
        );
    }
}

/// Bounded recursion is followed by call strings.
#[test]
fn recursion_that_ends_is_followed() {
    let text = "int f(int n) { if (n <= 0) return 0; return f(n - 1) + 1; }
        int main(void) { if (f(2) != 2) reach_error(); return 0; }";
    let (outcome, _) = run(text, &Options::default(), 20);
    assert!(matches!(outcome, Outcome::Answer(_)), "{outcome:?}");
}

/// Octagons say of two counters that they are equal; intervals do not, and the path program is not
/// asked again.
#[test]
fn a_domain_that_does_not_help_is_asked_once_for_a_path_program() {
    let text = "int main(void) { int i = 0, j = 0; while (i < 100000) { i++; j++; }
        if (j != 100000) reach_error(); return 0; }";
    let octagons = with(
        Some(Domain::Octagon),
        Enhancement::Off,
        BlockOperator::LoopHeads,
    );
    let (outcome, counts) = run(text, &octagons, 30);
    assert!(matches!(outcome, Outcome::Answer(_)), "{outcome:?}");
    assert_eq!(counts.get("useful path-program refinements"), 1);
    let intervals = Options {
        most_refinements: 6,
        interpolants: vec![predicate::options::InterpolantSource::Proof],
        inductive: false,
        ..with(
            Some(Domain::Interval),
            Enhancement::Off,
            BlockOperator::LoopHeads,
        )
    };
    let (_, counts) = run(text, &intervals, 30);
    assert_eq!(counts.get("useful path-program refinements"), 0);
    assert_eq!(counts.get("path program refinements"), 1);
    assert!(counts.get("refinements") > 1);
}
