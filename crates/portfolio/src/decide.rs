//! Lets participants run until there is an answer that is certified.

use crate::case::Case;
use crate::conclusions::Conclusion;
use certify::Accepted;
use cfa::program::Program;
use control::clock;
use cooperation::part::{Ended, Participant};
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Board, Reason};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long an answer waits for engines that do not stop.
const PATIENCE: Duration = Duration::from_millis(200);
/// Between two looks at what the engines have found.
const PAUSE: Duration = Duration::from_millis(20);
/// Stack of the thread that the engines are started from; they have others of their own.
const STACK: usize = 8 << 20;

/// What became of a case.
pub enum Decision {
    Certified(Box<Conclusion>),
    /// Certified answers contradict each other: how, in words for users.
    Contradicted(String),
    Unknown(Reason),
}

/// Lets an analysis run, and takes its answer from the case. Meanwhile `look` may look at the board
/// from time to time.
///
/// A certified answer is one, even if an engine does not stop for it: then its thread is left
/// behind, and ends with the process.
pub fn decide<B: Board + Send + 'static>(
    mut analysis: Box<dyn Participant>,
    case: &Case,
    board: &Arc<B>,
    budget: &Budget,
    look: &mut dyn FnMut(&dyn Board),
) -> Decision {
    let (sender, receiver) = mpsc::channel();
    let body = {
        let board = Arc::clone(board);
        let budget = case.shared(budget);
        let time = clock::hand_over();
        move || {
            let _counting = time.take_up();
            let ended = analysis.run(&*board, &budget);
            // Nobody listens any more if it came too late.
            let _ = sender.send((ended, time.counted_since()));
        }
    };
    let builder = std::thread::Builder::new().name("engines".into());
    let ended = match builder.stack_size(STACK).spawn(body) {
        Ok(_) => wait(&receiver, case, || look(&**board)),
        Err(error) => Ended::Unknown(format!("cannot start a thread: {error}").into()),
    };
    match (case.conclusions.take(), ended) {
        (Err(contradiction), _) => Decision::Contradicted(contradiction),
        (Ok(Some(conclusion)), _) => Decision::Certified(Box::new(conclusion)),
        (Ok(None), Ended::Unknown(reason)) => Decision::Unknown(reason),
        (Ok(None), Ended::Answered) => {
            Decision::Unknown(Reason::Failed("a certified answer was lost".into()))
        }
    }
}

/// Waits until the engines have ended, or for a while longer than for a certified answer.
fn wait(receiver: &Receiver<(Ended, Duration)>, case: &Case, mut look: impl FnMut()) -> Ended {
    let mut concluded: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok((ended, counted)) => {
                clock::tick(counted);
                return ended;
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Ended::Unknown(Reason::Failed("the engines crashed".into()));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let has_answer = case.conclusions.is_concluded();
        if !has_answer {
            look();
        } else if concluded.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
            return Ended::Unknown("some engines did not stop in time".into());
        }
    }
}

/// Is there anything to search for? If no way through the program leads to an error location or to
/// something unsupported, that is the answer, and its certificate is checked like any other.
pub fn without_search(original: &Program, budget: &Budget) -> Option<(Certificate, Accepted)> {
    let certificate = Certificate::NoWay;
    let accepted = certify::certify(original, &certificate, budget).ok()?;
    Some((certificate, accepted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certification::Certified;
    use cooperation::parallel::Parallel;
    use facts::certificate::UnrollingBounds;
    use facts::engine::NoBoard;
    use std::sync::atomic::{AtomicBool, Ordering};
    use testing::Says;

    fn case(text: &str) -> Arc<Case> {
        Arc::new(Case::of_text(text).expect("a correct program"))
    }

    fn decided(analysis: Box<dyn Participant>, case: &Case) -> Decision {
        let board = Arc::new(NoBoard);
        decide(analysis, case, &board, &Budget::unlimited(), &mut |_| ())
    }

    /// Works on, whoever wants it to stop.
    struct NeverStops(Arc<AtomicBool>);

    impl Participant for NeverStops {
        fn name(&self) -> &str {
            "never stops"
        }

        fn run(&mut self, _: &dyn Board, _: &Budget) -> Ended {
            while !self.0.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(5));
            }
            Ended::Unknown("the test is over".into())
        }
    }

    #[test]
    fn an_answer_is_not_lost_because_an_engine_does_not_stop() {
        let case = case(
            "int __VERIFIER_nondet_int(void); void reach_error(void);
            int main(void) { int x = __VERIFIER_nondet_int();
            if (x > 0 && x < 0) reach_error(); return 0; }",
        );
        let bounds = UnrollingBounds {
            iterations: 1,
            recursion: 1,
            steps: 1000,
        };
        let says = Says(Certificate::CompleteUnrolling(bounds));
        let says = Certified::new(Box::new(says), &case);
        let is_over = Arc::new(AtomicBool::new(false));
        let analysis = Box::new(Parallel {
            name: "parallel".into(),
            parts: [
                Box::new(says) as Box<dyn Participant>,
                Box::new(NeverStops(Arc::clone(&is_over))),
            ]
            .map(Into::into)
            .into(),
        });
        let begin = Instant::now();
        let decision = decided(analysis, &case);
        is_over.store(true, Ordering::Relaxed);
        match decision {
            Decision::Certified(conclusion) => {
                assert!(conclusion.certificate.claims_safety());
                assert_eq!(conclusion.engine, "says");
            }
            Decision::Contradicted(why) => panic!("{why}"),
            Decision::Unknown(why) => panic!("{why}"),
        }
        assert!(begin.elapsed() >= PATIENCE, "it does stop");
    }

    #[test]
    fn engines_that_panic_are_no_answer() {
        struct Panics;
        impl Participant for Panics {
            fn name(&self) -> &str {
                "panics"
            }

            fn run(&mut self, _: &dyn Board, _: &Budget) -> Ended {
                panic!("on purpose")
            }
        }
        let case = case("void reach_error(void); int main(void) { return 0; }");
        match decided(Box::new(Panics), &case) {
            Decision::Unknown(reason) => {
                assert!(
                    reason.to_string().contains("please report this"),
                    "{reason}"
                );
            }
            _ => panic!("nobody answers"),
        }
    }

    /// Comes to opposite conclusions.
    struct Contradicts(Arc<Case>);

    impl Participant for Contradicts {
        fn name(&self) -> &str {
            "contradicts"
        }

        fn run(&mut self, _: &dyn Board, _: &Budget) -> Ended {
            let safe = Certificate::DeterministicRun { steps: 1 };
            for certificate in [safe, Certificate::Inputs(Vec::new())] {
                let conclusion = Conclusion {
                    engine: "contradicts".into(),
                    certificate,
                    how: String::new(),
                    harness: None,
                };
                self.0.conclusions.add(conclusion, &self.0.alarms);
            }
            Ended::Answered
        }
    }

    #[test]
    fn contradictory_answers_are_none() {
        let case = case("void reach_error(void); int main(void) { reach_error(); return 0; }");
        match decided(Box::new(Contradicts(Arc::clone(&case))), &case) {
            Decision::Contradicted(why) => assert!(why.contains("internal error"), "{why}"),
            _ => panic!("none of them may be told"),
        }
    }
}
