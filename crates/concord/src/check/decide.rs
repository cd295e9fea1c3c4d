//! Lets engines run until one has an answer that is certified, and puts it into the report.

use super::case::{Case, Conclusion};
use super::message::{Report, SCHEMA, Verdict};
use super::shown::Files;
use super::stream::StreamBoard;
use super::{counterexample, proof};
use cfa::program::Program;
use control::clock;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Board, Engine, Outcome, Status};
use facts::invariants::Facts;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long an answer waits for engines that do not stop.
const PATIENCE: Duration = Duration::from_millis(200);
/// Between two looks at what the engines have found.
const PAUSE: Duration = Duration::from_millis(20);
/// Stack of the thread that the engines are started from; they have others of their own.
const STACK: usize = 8 << 20;

/// Lets an analysis run, and puts its answer into the report. Comes back with what proves the answer.
pub fn decide(
    engine: Box<dyn Engine>,
    case: &Arc<Case>,
    files: Option<&Arc<Files>>,
    budget: &Budget,
    report: &mut Report,
) -> (Option<Certificate>, Facts) {
    decide_and_tell(engine, case, files, budget, report, &mut |_| ())
}

/// Lets an analysis run, as [`decide`]; meanwhile `tell` may look at the board from time to time.
///
/// A certified answer is one, even if an engine does not stop for it: then its thread is left behind, and ends with the
/// process.
pub fn decide_and_tell(
    mut engine: Box<dyn Engine>,
    case: &Arc<Case>,
    files: Option<&Arc<Files>>,
    budget: &Budget,
    report: &mut Report,
    tell: &mut dyn FnMut(&dyn Board),
) -> (Option<Certificate>, Facts) {
    let board = Arc::new(StreamBoard::new(case, files));
    let (sender, receiver) = mpsc::channel();
    let body = {
        let (case, board) = (Arc::clone(case), Arc::clone(&board));
        let budget = case.shared(budget);
        let time = clock::hand_over();
        move || {
            let _counting = time.take_up();
            let outcome = engine.run(&case.split, &*board, &budget);
            // Nobody listens any more if it came too late.
            let _ = sender.send((outcome, time.counted_since()));
        }
    };
    let builder = std::thread::Builder::new().name("engines".into());
    let outcome = match builder.stack_size(STACK).spawn(body) {
        Ok(_) => wait(&receiver, case, || tell(&*board)),
        Err(error) => Outcome::Unknown(format!("no thread: {error}")),
    };
    if let Ok(counts) = board.counts.lock() {
        report.statistics = counts.clone();
    }
    if let Some(counted) = clock::counted() {
        let counted = counted.as_millis().try_into().unwrap_or(u64::MAX);
        let own = report.statistics.entry("deterministic run".into());
        own.or_default().insert("counted ms".into(), counted);
    }
    report.alarms = case.alarms();
    let why = |status: Status| match status {
        Status::GaveUp(reason) | Status::Skipped(reason) => Some(reason),
        Status::Running | Status::Answered => None,
    };
    let status = board.status().into_iter();
    report.gave_up = status
        .filter_map(|(engine, status)| Some((engine, why(status)?)))
        .collect();
    let certificate = match (case.take_conclusion(), outcome) {
        (Err(contradiction), _) => {
            report.reason = Some(contradiction);
            None
        }
        (Ok(Some(conclusion)), _) => {
            let certificate = conclusion.certificate.clone();
            fill(
                report,
                case,
                files.map(|files| &**files),
                conclusion,
                budget,
            );
            Some(certificate)
        }
        (Ok(None), Outcome::Unknown(reason)) => {
            report.reason = Some(headline(report, reason, budget));
            None
        }
        // An answer is one only with a conclusion.
        (Ok(None), Outcome::Answer(_)) => None,
    };
    (certificate, board.facts())
}

/// Is there anything to search for? If no way through the program leads to an error location or to something
/// unsupported, that is the answer, and its certificate is checked like any other.
pub fn without_search(
    original: &Program,
    budget: &Budget,
    report: &mut Report,
) -> Option<Certificate> {
    let certificate = Certificate::NoWay;
    let accepted = certify::certify(original, &certificate, budget).ok()?;
    report.verdict = Verdict::True;
    report.reason = None;
    report.certificate = Some(certificate.name().into());
    report.certified = Some(accepted.how);
    Some(certificate)
}

/// Waits until the engines have ended, or for a while longer than for a certified answer.
fn wait(receiver: &Receiver<(Outcome, Duration)>, case: &Case, mut tell: impl FnMut()) -> Outcome {
    let mut concluded: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok((outcome, counted)) => {
                clock::tick(counted);
                return outcome;
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Outcome::Unknown("the engines failed; please report this".into());
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let has_answer = case.is_concluded();
        if !has_answer {
            tell();
        } else if concluded.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
            return Outcome::Unknown("not all engines have stopped".into());
        }
    }
}

/// The one reason that a user reads first; those of the single engines are in the report.
fn headline(report: &Report, reason: String, budget: &Budget) -> String {
    if budget.is_exhausted() {
        return "out of time".into();
    }
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for given in report.gave_up.values() {
        *counts.entry(given).or_default() += 1;
    }
    // What several of them say is worth more than that there are several.
    match counts.iter().max_by_key(|(_, count)| **count) {
        None => reason,
        Some((&most, &count)) if count > 1 || counts.len() == 1 => most.clone(),
        Some(_) => "no engine found an answer".into(),
    }
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
        report.proof = proof::shown(&case.split, files, &certificate);
    }
    if let Certificate::Inputs(values) = &certificate {
        // What is left of the time may be short, but a counterexample is worth a little more.
        let left = budget
            .left()
            .unwrap_or(Duration::MAX)
            .max(Duration::from_secs(1));
        let budget = Budget::new(Some(left), budget.memory);
        report.harness = harness;
        report.counterexample = Some(counterexample::build(
            &case.original,
            files,
            values,
            &budget,
        ));
    }
    report.engine = Some(engine);
    report.certificate = Some(certificate.name().into());
    report.certified = Some(how);
}

#[cfg(test)]
mod tests {
    use super::super::case::{Certified, View};
    use super::*;
    use cooperation::parallel::Parallel;
    use facts::certificate::UnrollingBounds;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Answers with a certificate, whatever the program is.
    struct Says(Certificate);

    impl Engine for Says {
        fn name(&self) -> &str {
            "says"
        }

        fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
            Outcome::Answer(self.0.clone())
        }
    }

    /// Works on, whoever wants it to stop.
    struct NeverStops(Arc<AtomicBool>);

    impl Engine for NeverStops {
        fn name(&self) -> &str {
            "never stops"
        }

        fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
            while !self.0.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(5));
            }
            Outcome::Unknown("the test is over".into())
        }
    }

    #[test]
    fn an_answer_is_not_lost_because_an_engine_does_not_stop() {
        let text = "int __VERIFIER_nondet_int(void); void reach_error(void);
            int main(void) { int x = __VERIFIER_nondet_int();
            if (x > 0 && x < 0) reach_error(); return 0; }";
        let case = Arc::new(Case::for_test(text));
        let says = Certified {
            engine: Box::new(Says(Certificate::CompleteUnrolling(UnrollingBounds {
                iterations: 1,
                recursion: 1,
                steps: 1000,
            }))),
            case: Arc::clone(&case),
            view: View::Split,
        };
        let is_over = Arc::new(AtomicBool::new(false));
        let engine = Box::new(Parallel {
            name: "parallel".into(),
            parts: [
                Box::new(says) as Box<dyn Engine>,
                Box::new(NeverStops(Arc::clone(&is_over))),
            ]
            .map(Into::into)
            .into(),
        });
        let mut report = Report::unknown("unreach-call", "no engine found an answer");
        let begin = Instant::now();
        let (certificate, _) = decide(engine, &case, None, &Budget::unlimited(), &mut report);
        is_over.store(true, Ordering::Relaxed);
        assert!(certificate.is_some(), "{:?}", report.reason);
        assert_eq!(report.verdict, Verdict::True);
        assert_eq!(report.engine.as_deref(), Some("says"));
        assert!(begin.elapsed() >= PATIENCE, "it does stop");
        assert!(begin.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn engines_that_panic_are_no_answer() {
        struct Panics;
        impl Engine for Panics {
            fn name(&self) -> &str {
                "panics"
            }

            fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
                panic!("on purpose")
            }
        }
        let case = Arc::new(Case::for_test(
            "void reach_error(void); int main(void) { return 0; }",
        ));
        let mut report = Report::unknown("unreach-call", "no engine found an answer");
        let (certificate, _) = decide(
            Box::new(Panics),
            &case,
            None,
            &Budget::unlimited(),
            &mut report,
        );
        assert!(certificate.is_none());
        let reason = report.reason.unwrap_or_default();
        assert!(reason.contains("please report this"), "{reason}");
    }
}
