//! Lets engines run until one has an answer that is certified, and puts it into the report.

use super::message::{self, Report, SCHEMA, Verdict};
use super::program_report::Files;
use super::stream::StreamBoard;
use super::{counterexample, proof, test_case};
use cfa::program::Program;
use control::clock;
use cooperation::part::Participant;
use facts::budget::Budget;
use facts::certificate::{Certificate, InputValue};
use facts::engine::{Board, Knowledge, Reason, Reporter, Status};
use facts::invariants::Facts;
use portfolio::alarms::{Alarm, AlarmKind};
use portfolio::case::Case;
use portfolio::conclusions::Conclusion;
use portfolio::decide::{self, Decision};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Lets an analysis run, and puts its answer into the report. Comes back with what proves the
/// answer.
pub fn decide(
    analysis: Box<dyn Participant>,
    case: &Arc<Case>,
    files: Option<&Arc<Files>>,
    budget: &Budget,
    report: &mut Report,
) -> (Option<Certificate>, Facts) {
    decide_and_tell(analysis, case, files, budget, report, &mut |_| ())
}

/// Lets an analysis run, as [`decide`]; meanwhile `tell` may look at the board from time to time.
pub fn decide_and_tell(
    analysis: Box<dyn Participant>,
    case: &Arc<Case>,
    files: Option<&Arc<Files>>,
    budget: &Budget,
    report: &mut Report,
    tell: &mut dyn FnMut(&dyn Board),
) -> (Option<Certificate>, Facts) {
    let board = Arc::new(StreamBoard::new(case, files));
    let decision = decide::decide(analysis, case, &board, budget, tell);
    if let Ok(counts) = board.counts.lock() {
        report.statistics = counts.clone();
    }
    if let Some(counted) = clock::counted() {
        let counted = counted.as_millis().try_into().unwrap_or(u64::MAX);
        let own = report.statistics.entry("deterministic run".into());
        own.or_default().insert("counted ms".into(), counted);
    }
    report.alarms = case.alarms.list().into_iter().map(shown).collect();
    report.gave_up = gave_up(&board);
    let certificate = match decision {
        Decision::Certified(conclusion) => {
            let certificate = conclusion.certificate.clone();
            let files = files.map(|files| &**files);
            fill(report, case, files, *conclusion, budget);
            Some(certificate)
        }
        Decision::Contradicted(how) => {
            report.reason = Some(how);
            None
        }
        Decision::Unknown(reason) => {
            report.reason = Some(headline(&report.gave_up, &reason, budget));
            None
        }
    };
    (certificate, board.facts())
}

/// Why each engine that did not answer gave up.
pub fn gave_up(board: &StreamBoard) -> BTreeMap<String, String> {
    let why = |status: Status| match status {
        Status::GaveUp(reason) | Status::Skipped(reason) => Some(reason),
        Status::Running | Status::Answered => None,
    };
    let status = board.status().into_iter();
    status
        .filter_map(|(engine, status)| Some((engine, why(status)?)))
        .collect()
}

pub fn shown(alarm: Alarm) -> message::Alarm {
    message::Alarm {
        kind: match alarm.kind {
            AlarmKind::Contradiction => message::AlarmKind::Contradiction,
            AlarmKind::WrongCertificate => message::AlarmKind::WrongCertificate,
            AlarmKind::HarnessPasses => message::AlarmKind::HarnessPasses,
        },
        text: alarm.text,
    }
}

/// Is there anything to search for? If not, that is the answer, and its certificate is checked like
/// any other.
pub fn without_search(
    original: &Program,
    budget: &Budget,
    report: &mut Report,
) -> Option<Certificate> {
    let (certificate, accepted) = decide::without_search(original, budget)?;
    report.verdict = Verdict::True;
    report.reason = None;
    report.certificate = Some(certificate.name().into());
    report.certified = Some(accepted.how);
    Some(certificate)
}

/// The one reason that a user reads first; those of the single engines are in the report.
pub fn headline(given: &BTreeMap<String, String>, reason: &Reason, budget: &Budget) -> String {
    if budget.is_exhausted() {
        return "out of time".into();
    }
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for given in given.values() {
        *counts.entry(given).or_default() += 1;
    }
    // What several of them say is worth more than that there are several.
    match counts.iter().max_by_key(|(_, count)| **count) {
        None => reason.to_string(),
        Some((&most, &count)) if count > 1 || counts.len() == 1 => most.clone(),
        Some(_) => "no engine found an answer".into(),
    }
}

/// Which of several properties an execution violates.
fn violated(program: &Program, values: &[InputValue], budget: &Budget) -> Option<&'static str> {
    let kinds = program.errors.iter().map(|(_, kind)| kind.property());
    let kinds: BTreeSet<&str> = kinds.collect();
    if kinds.len() < 2 {
        return kinds.into_iter().next();
    }
    let run = certify::replay(program, values, budget, None);
    let interpreter::Outcome::Error(location) = run.outcome else {
        return None;
    };
    program.error_kind(location).map(|kind| kind.property())
}

/// Puts a certified answer into the report.
fn fill(
    report: &mut Report,
    case: &Case,
    files: Option<&Files>,
    conclusion: Conclusion,
    budget: &Budget,
) {
    let Conclusion {
        engine,
        certificate,
        how,
        harness,
    } = conclusion;
    report.schema = SCHEMA;
    report.reason = None;
    report.verdict = if certificate.claims_safety() {
        Verdict::True
    } else {
        Verdict::False
    };
    if let Some(files) = files {
        report.proof = proof::shown(&case.views.split, files, &certificate);
    }
    if let Certificate::Inputs(values) = &certificate {
        // What is left of the time may be short, but a counterexample is worth a little more.
        let left = budget
            .left()
            .unwrap_or(Duration::MAX)
            .max(Duration::from_secs(1));
        let budget = Budget::new(Some(left), budget.memory);
        report.harness = harness;
        if let Some(property) = violated(&case.views.original, values, &budget) {
            report.property = property.into();
        }
        let program = &case.views.original;
        let found = counterexample::build(program, files, values, &budget);
        report.test = test_case::write(program, values, &found, &budget);
        report.counterexample = Some(found);
    }
    report.engine = Some(engine);
    report.certificate = Some(certificate.name().into());
    report.certified = Some(how);
}

#[cfg(test)]
mod tests {
    use super::*;
    use cooperation::part::Ended;
    use portfolio::certification::Certified;
    use testing::Says;

    fn case() -> Arc<Case> {
        let text = "int __VERIFIER_nondet_int(void); void reach_error(void);
            int main(void) { int x = __VERIFIER_nondet_int();
            if (x == 3) reach_error(); return 0; }";
        Arc::new(Case::of_text(text).expect("a correct program"))
    }

    #[test]
    fn a_wrong_answer_is_unknown_and_an_alarm() {
        let case = case();
        let mut report = Report::unknown("unreach-call", "nothing was done");
        let says = Says(Certificate::NoWay);
        let analysis = Box::new(Certified::new(Box::new(says), &case));
        let budget = Budget::unlimited();
        let (certificate, _) = decide(analysis, &case, None, &budget, &mut report);
        assert!(certificate.is_none() && report.verdict == Verdict::Unknown);
        let reason = report.reason.expect("it says why");
        assert!(reason.contains("please report this"), "{reason}");
        let kinds: Vec<message::AlarmKind> = report.alarms.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, [message::AlarmKind::WrongCertificate]);
    }

    /// Says that there is an answer, and has none.
    struct Pretends;

    impl Participant for Pretends {
        fn name(&self) -> &str {
            "pretends"
        }

        fn run(&mut self, _: &dyn Board, _: &Budget) -> Ended {
            Ended::Answered
        }
    }

    #[test]
    fn without_a_conclusion_there_is_no_verdict() {
        let mut report = Report::unknown("unreach-call", "nothing was done");
        let budget = Budget::unlimited();
        let (certificate, _) = decide(Box::new(Pretends), &case(), None, &budget, &mut report);
        assert!(certificate.is_none() && report.verdict == Verdict::Unknown);
    }
}
