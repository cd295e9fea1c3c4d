//! Certification: an engine's answer becomes a conclusion only by its certificate.
//!
//! The answer is carried back from the form of the program that the engine saw to the one that
//! certificates are checked on ([`Views`]): proofs to the split program, inputs to the program as
//! it was lowered. There it is checked; a violation needs a second opinion besides.

use crate::alarms::AlarmKind;
use crate::case::Case;
use crate::conclusions::Conclusion;
use crate::views::Views;
use certify::{Accepted, Confirmation, Opinion, Rejection};
use cfa::memory::ObjectKind;
use cfa::op::InputKind;
use cooperation::part::{Ended, Participant};
use facts::budget::{Budget, SolverBudget};
use facts::carried::carry_back;
use facts::certificate::{Certificate, InputValue};
use facts::engine::{Board, Engine, Outcome, Reason, View};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How much of the time that is left others wait for a certificate; it may turn out not to be
/// checked in that time.
const PART_ALONE: f64 = 0.3;
/// How much of it may be spent on a certificate that may say too little.
const PART_FOR_EASIER: f64 = 0.1;
/// The time that is left, where there is no limit.
const LONGEST_ALONE: Duration = Duration::from_secs(60);

/// An engine whose answers are certified before anybody hears of them.
pub struct Certified {
    engine: Box<dyn Engine>,
    case: Arc<Case>,
    /// What the engine works on, and so what its answers are about.
    view: View,
    /// Its answers come from files that anybody may have written: one that is wrong says nothing
    /// against an engine.
    is_of_files: bool,
}

/// Checks a proof about the split program, whoever has written it, for every placement of the
/// objects.
pub(crate) fn proof(
    case: &Case,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    let budget = budget.with_solver(case.settings.certifier.clone());
    let views = &case.views;
    views.justified_split()?;
    let checked = certify::certify(views.for_proofs(), certificate, &budget);
    match (checked, views.observed_address()) {
        (Err(Rejection::Wrong(_)), Some(why)) => Err(one_placement_only(why)),
        (checked, _) => checked,
    }
}

impl Participant for Certified {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn serves_others(&self) -> bool {
        self.engine.serves_others()
    }

    fn can_help(&self, board: &dyn Board) -> Result<(), String> {
        self.engine.can_help(board)
    }

    fn run(&mut self, board: &dyn Board, budget: &Budget) -> Ended {
        loop {
            let program = self.case.views.program(self.view);
            let answer = match self.engine.run(program, board, budget) {
                Outcome::Answer(answer) => answer,
                Outcome::Unknown(reason) => return Ended::Unknown(reason),
            };
            let reason = match self.conclude(answer.clone(), board, budget) {
                Ok(()) => return Ended::Answered,
                Err(reason) => reason,
            };
            if budget.is_exhausted() || !self.engine.retry_after_rejection(&answer) {
                return Ended::Unknown(reason);
            }
            // Its other way may be on another form of the program.
            self.view = self.engine.view();
        }
    }
}

impl Certified {
    pub fn new(engine: Box<dyn Engine>, case: &Arc<Case>) -> Certified {
        Certified {
            view: engine.view(),
            engine,
            case: Arc::clone(case),
            is_of_files: false,
        }
    }

    /// Whose answers are read from files, and certified as all others are.
    pub fn of_files(engine: Box<dyn Engine>, case: &Arc<Case>) -> Certified {
        Certified {
            is_of_files: true,
            ..Certified::new(engine, case)
        }
    }

    /// If the execution is one as well where library functions return what glibc's do, that one.
    fn as_usual(&self, certificate: Certificate, budget: &Budget) -> Certificate {
        let program = &self.case.views.original;
        if let Certificate::Inputs(values) = &certificate
            && certify::unusual_result(program, values).is_some()
        {
            let usual = Certificate::Inputs(certify::as_usual(program, values));
            if self.checked(&usual, budget).is_ok() {
                return usual;
            }
        }
        certificate
    }

    /// Why nobody knows whether the execution is one of the compiled program: a library function's
    /// result may be another.
    fn unknown_result(&self, values: &[InputValue], budget: &Budget) -> Option<String> {
        let program = &self.case.views.original;
        if let Some(name) = certify::unusual_result(program, values) {
            return Some(format!(
                "the violation depends on a result of `{name}` that C allows but glibc never returns"
            ));
        }
        if certify::takes_null_argument(program, values, budget) {
            return Some("a violation depends on an argument of `main` that is null".to_owned());
        }
        let name = certify::guessed_result(program, values, budget)?;
        Some(format!(
            "the violation depends on what the library function `{name}` returns or writes, which Concord does not compute"
        ))
    }

    /// A local object of whose memory the execution takes what nobody wrote there. A compiler may
    /// fill what an initialiser leaves open, and the bytes between members.
    fn open_memory(&self, values: &[InputValue]) -> Option<&str> {
        let program = &self.case.views.original;
        values.iter().find_map(|value| {
            let number = (value.input.0 as usize).checked_sub(program.inputs.len())?;
            let object = program.objects.get(number)?;
            matches!(object.kind, ObjectKind::Local(_)).then_some(object.name.as_str())
        })
    }

    /// Certifies the answer and keeps it; or why it is none.
    fn conclude(
        &self,
        answer: Certificate,
        board: &dyn Board,
        budget: &Budget,
    ) -> Result<(), Reason> {
        let engine = self.engine.name().to_string();
        board.progress(&engine, "certifying the answer");
        // An answer is worth more time than the engine had to find it, and most are right: the
        // others wait meanwhile.
        let budget = &budget.whole().first_in_line();
        let alone = budget.left().unwrap_or(LONGEST_ALONE).mul_f64(PART_ALONE);
        let _others_wait = self.case.gate.close(alone);
        let Some(certificate) = self.before_passes(answer.clone(), budget) else {
            let why = "its answer cannot be carried back from the simplified program";
            return Err(Reason::NotCertified(why.into()));
        };
        let certificate = self.before_splitting(certificate, budget);
        let certificate = self.as_usual(certificate, budget);
        if let Some(conclusion) = self.with_simpler_inputs(&certificate, budget) {
            self.case.conclusions.add(conclusion, &self.case.alarms);
            return Ok(());
        }
        let (certificate, checked) = match self.easier_accepted(&certificate, budget) {
            Some((easier, how)) => (easier, Ok(how)),
            None => {
                let checked = self.checked(&certificate, budget);
                (certificate, checked)
            }
        };
        let mut how = checked.map_err(|rejection| {
            let rejection = self.blamed(rejection, &answer, budget);
            self.rejected(rejection)
        })?;
        let mut harness = None;
        if let Certificate::Inputs(values) = &certificate {
            let (opinion, text) = self.violation(values, Tone::Aloud, budget)?;
            how = format!("{how}{opinion}");
            harness = text;
        }
        let conclusion = Conclusion {
            engine,
            certificate,
            how,
            harness,
        };
        self.case.conclusions.add(conclusion, &self.case.alarms);
        Ok(())
    }

    /// The same violation with simpler inputs, which are easier to understand. If something speaks
    /// against them, the others are looked at.
    fn with_simpler_inputs(&self, found: &Certificate, budget: &Budget) -> Option<Conclusion> {
        let Certificate::Inputs(values) = found else {
            return None;
        };
        let simpler = certify::simpler(&self.case.views.original, values, budget);
        if simpler == *values {
            return None;
        }
        let certificate = Certificate::Inputs(simpler);
        let how = self.checked(&certificate, budget).ok()?;
        let Certificate::Inputs(values) = &certificate else {
            return None;
        };
        let (opinion, harness) = self.violation(values, Tone::Quiet, budget).ok()?;
        Some(Conclusion {
            engine: self.engine.name().to_string(),
            certificate,
            how: format!("{how}{opinion}"),
            harness,
        })
    }

    /// Whose fault it is that a proof is rejected: one that holds for the simplified program, which
    /// the engine saw, was lost on its way back (loops with several entries have other heads
    /// there), and says nothing against the engine.
    fn blamed(&self, rejection: Rejection, answer: &Certificate, budget: &Budget) -> Rejection {
        let prepared = self.case.views.prepared();
        let prepared = prepared.filter(|_| self.view == View::Prepared && answer.claims_safety());
        match (rejection, prepared) {
            (Rejection::Wrong(why), Some(prepared)) => {
                let budget = budget.with_solver(self.case.settings.certifier.clone());
                match certify::certify(&prepared.program, answer, &budget) {
                    Ok(_) => Rejection::Unfinished(format!(
                        "the proof cannot be carried back from the simplified program ({why})"
                    )),
                    Err(Rejection::Wrong(_)) => Rejection::Wrong(why),
                    // Nobody knows whose fault it is.
                    Err(Rejection::Unfinished(_)) => Rejection::Unfinished(why),
                }
            }
            (rejection, _) => rejection,
        }
    }

    /// Why there is no answer if its certificate is not accepted. One that is wrong is an error of
    /// ours.
    fn rejected(&self, rejection: Rejection) -> Reason {
        Reason::NotCertified(match rejection {
            Rejection::Wrong(why) if self.is_of_files => {
                format!("what was kept is no proof for this program ({why})")
            }
            Rejection::Wrong(why) => {
                let engine = self.engine.name();
                let alarm = format!("the certificate of {engine} is wrong: {why}");
                self.case.alarms.raise(AlarmKind::WrongCertificate, alarm);
                format!("its certificate does not prove its answer ({why}); please report this")
            }
            Rejection::Unfinished(why) => format!("its answer could not be certified: {why}"),
        })
    }

    /// Who besides the interpreter says that these inputs violate the property, in words, and the
    /// harness. Nobody can where the execution depends on what is not computed here.
    fn violation(
        &self,
        values: &[InputValue],
        tone: Tone,
        budget: &Budget,
    ) -> Result<(String, Option<String>), Reason> {
        if let Some(place) = self.needed_assembly(values) {
            return Err(Reason::NotCertified(format!(
                "the violation depends on the inline assembly at {place} (use --havoc-asm to allow any result)"
            )));
        }
        if let Some(place) = self.needed_answer(values) {
            return Err(Reason::NotCertified(format!(
                "the violation depends on an answer of CBMC's that nobody here knows at {place}"
            )));
        }
        if let Some(why) = self.unknown_result(values, budget) {
            return Err(Reason::NotCertified(why));
        }
        self.second_opinion(values, tone, budget).map_err(|why| {
            let (case, engine) = (&self.case, self.engine.name());
            if tone == Tone::Aloud {
                case.conclusions.doubt(engine, &case.alarms);
            }
            Reason::NotCertified(why)
        })
    }

    /// The inline assembly whose outputs an execution needs, where it is not known to compute them.
    fn needed_assembly(&self, values: &[InputValue]) -> Option<String> {
        let program = &self.case.views.original;
        let mut inputs = values
            .iter()
            .filter_map(|value| program.inputs.get(value.input.0 as usize));
        let input = inputs.find(|input| input.kind == InputKind::Assembly)?;
        (!self.case.settings.any_assembly).then(|| program.describe(input.span))
    }

    /// The question about memory on whose answer an execution depends.
    fn needed_answer(&self, values: &[InputValue]) -> Option<String> {
        let program = &self.case.views.original;
        let mut inputs = values
            .iter()
            .filter_map(|value| program.inputs.get(value.input.0 as usize));
        let input = inputs.find(|input| matches!(input.kind, InputKind::Asked { .. }))?;
        Some(program.describe(input.span))
    }

    /// A certificate that says less, if that is enough, and how it was found to be right.
    fn easier_accepted(
        &self,
        certificate: &Certificate,
        budget: &Budget,
    ) -> Option<(Certificate, String)> {
        let easier = facts::easier::without_products(certificate)?;
        let left = budget.left().unwrap_or(LONGEST_ALONE);
        let how = self.checked(&easier, &budget.within(left.mul_f64(PART_FOR_EASIER)));
        Some((easier, how.ok()?))
    }

    /// How the certificate was found to be right.
    fn checked(&self, certificate: &Certificate, budget: &Budget) -> Result<String, Rejection> {
        let budget = budget.with_solver(self.case.settings.certifier.clone());
        let views = &self.case.views;
        let certified = if let Certificate::DeterministicRun { steps } = certificate {
            views.justified_split()?;
            let is_long = *steps > LONGEST_UNROLLING;
            match views.observed_address() {
                None if is_long => self.ends_safely(&budget),
                None => certify::certify(&views.split, certificate, &budget),
                // The execution is that of one placement. It is one for all if it observes nothing.
                Some(why) if is_long => Err(one_placement_only(why)),
                Some(why) => certify::certify(views.for_proofs(), certificate, &budget)
                    .map_err(|_| one_placement_only(why)),
            }
        } else if certificate.claims_safety() {
            proof(&self.case, certificate, &budget)
        } else if self.view == View::Original {
            let short = budget.within(LONGEST_REPLAY);
            match certify::certify(&views.original, certificate, &short) {
                // What was executed for long need not be executed once more: others are asked.
                Err(Rejection::Unfinished(_)) if short.is_exhausted() => {
                    return Ok("executed once, too long for a second replay".into());
                }
                certified => certified,
            }
        } else {
            certify::certify(&views.original, certificate, &budget)
        };
        certified.map(|accepted| accepted.how)
    }

    /// The only execution of a program without inputs, in the compiled program.
    fn ends_safely(&self, budget: &Budget) -> Result<Accepted, Rejection> {
        match &self.case.settings.build {
            Some(build) => certify::ends_safely(&self.case.views.original, build, budget),
            None => Err(Rejection::Unfinished(
                "the property comes from a witness, which the compiled program cannot check".into(),
            )),
        }
    }

    /// What the program does that is compiled from its own text and given these inputs.
    fn confirm(&self, values: &[InputValue], budget: &Budget) -> Confirmation {
        match &self.case.settings.build {
            Some(build) => certify::confirm(&self.case.views.original, build, values, budget),
            None => Confirmation {
                opinion: Opinion::None("the property comes from a witness".into()),
                harness: None,
            },
        }
    }

    /// What the program compiled from its own text does with the inputs, in words, and the harness.
    /// Where it does not fail, the violation is none. Inputs that executing the program has found
    /// need another witness than the interpreter: the compiled program, or the formula of the path.
    fn second_opinion(
        &self,
        values: &[InputValue],
        tone: Tone,
        budget: &Budget,
    ) -> Result<(String, Option<String>), String> {
        let left = budget.left().unwrap_or(Duration::MAX);
        // What is left of the time may be short, but a counterexample is worth a little more.
        let budget = Budget::new(Some(left.max(Duration::from_secs(1))), budget.memory);
        let confirmation = self.confirm(values, &budget);
        let why = match confirmation.opinion {
            Opinion::Fails => {
                let opinion = ", confirmed by the compiled program".into();
                return Ok((opinion, confirmation.harness));
            }
            Opinion::Passes(how) => {
                if let Some(place) = self.case.views.observed_address() {
                    return Err(format!(
                        "with the inputs found the compiled program does not violate the property ({how}), and \
                         what the program does depends on where its objects lie: {place}"
                    ));
                }
                if let Some((name, place)) = self.replaced_function() {
                    return Err(format!(
                        "with the inputs found the compiled program does not violate the property ({how}), and \
                         C leaves open whether a call of the program's own `{name}` is one of the library's: {place}"
                    ));
                }
                if let Some(name) = self.open_memory(values) {
                    return Err(format!(
                        "with the inputs found the compiled program does not violate the property ({how}), and \
                         the violation depends on bytes of `{name}` that the program leaves open (padding, say)"
                    ));
                }
                if self.is_about_memory() {
                    // It watches the space around objects, and not all of that: accesses may slip
                    // through, which is no fault of ours.
                    return Err(format!(
                        "AddressSanitizer does not stop the compiled program at the violation that was found ({how})"
                    ));
                }
                if self.is_about_arithmetic() {
                    // A compiler leaves out what nobody needs, and computes with constants itself.
                    return Err(format!(
                        "the compiled program does not stop at the operation that was found to violate the \
                         property ({how}): the compiler may have left it out"
                    ));
                }
                let told = format!(
                    "the compiled program does not violate the property with these inputs ({how}): the violation \
                     depends on what C leaves open, or Concord is wrong; please report this"
                );
                if tone == Tone::Aloud {
                    let alarms = &self.case.alarms;
                    alarms.raise(AlarmKind::HarnessPasses, told.as_str());
                }
                return Err(told);
            }
            Opinion::None(why) => {
                // Whether an access is valid depends on more than the inputs (on what `main` is
                // given, on memory of the library): without the sanitizer's word nobody knows.
                if self.is_about_memory() && !lacks_tools(&why) {
                    return Err(format!(
                        "AddressSanitizer does not confirm the violation that was found: {why}"
                    ));
                }
                format!("not confirmed by the compiled program: {why}")
            }
        };
        if self.view != View::Original {
            return Ok((format!("; {why}"), confirmation.harness));
        }
        if certify::confirmed_by_formula(&self.case.views.split, values, &budget) {
            let opinion = format!(", confirmed by the formula of the path; {why}");
            return Ok((opinion, confirmation.harness));
        }
        Err(format!(
            "neither the compiled program nor the formula of the path confirms the violation that it found ({why})"
        ))
    }

    /// The compiled program sees violations with the help of a sanitizer only.
    /// Operations are watched, not only calls of error functions.
    fn is_about_arithmetic(&self) -> bool {
        let build = self.case.settings.build.as_ref();
        build.is_some_and(|build| !build.property.checks().is_empty())
    }

    fn is_about_memory(&self) -> bool {
        let build = self.case.settings.build.as_ref();
        build.is_some_and(|build| build.property.is_about_memory())
    }

    /// A function of the program that the compiler may take for the library's, and where it is
    /// called.
    fn replaced_function(&self) -> Option<(String, String)> {
        let program = &self.case.views.original;
        program.inputs.iter().find_map(|input| match input.kind {
            InputKind::Replaced(name) => {
                let name = program.names.get(name).to_owned();
                Some((name, program.describe(input.span)))
            }
            _ => None,
        })
    }

    /// The answer as one about the split program.
    fn before_passes(&self, answer: Certificate, budget: &Budget) -> Option<Certificate> {
        let Views { split, .. } = &self.case.views;
        match self.case.views.prepared() {
            Some(prepared) if self.view == View::Prepared => {
                carry_back(split, prepared, &answer, replay_deadline(budget))
            }
            _ => Some(answer),
        }
    }

    /// Inputs as the program before splitting takes them.
    fn before_splitting(&self, certificate: Certificate, budget: &Budget) -> Certificate {
        let values = match certificate {
            Certificate::Inputs(values) if self.view != View::Original => values,
            other => return other,
        };
        let taken: Vec<_> = values
            .iter()
            .map(|value| (value.input, value.ty, value.bits))
            .collect();
        let Views {
            original, split, ..
        } = &self.case.views;
        let deadline = replay_deadline(budget);
        let run = transform::regions::replay_before(original, split, &taken, deadline);
        let inputs = run.inputs.iter();
        Certificate::Inputs(
            inputs
                .map(|&(input, ty, bits)| InputValue { input, ty, bits })
                .collect(),
        )
    }
}

/// Whether a failure is told, or something else is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tone {
    Aloud,
    Quiet,
}

/// There is no compiler here, or none with a sanitizer: that says nothing against a violation.
fn lacks_tools(why: &str) -> bool {
    let absent = ["cannot start `", "the program does not link: cannot find"];
    absent.iter().any(|start| why.starts_with(start))
}

fn one_placement_only(why: &str) -> Rejection {
    Rejection::Unfinished(format!(
        "the proof holds for one placement of objects in memory only: {why}"
    ))
}

/// Steps of an execution that are followed by formulas; longer ones are compiled.
const LONGEST_UNROLLING: u64 = 300_000;

/// How long the interpreter repeats what it did itself.
const LONGEST_REPLAY: Duration = Duration::from_secs(1);

/// When executing a program with given inputs ends at the latest: what an engine found may not end
/// at all.
fn replay_deadline(budget: &Budget) -> Option<Instant> {
    budget.within(Duration::from_secs(3600)).stop.deadline()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::program::Program;
    use facts::certificate::UnrollingBounds;
    use facts::engine::NoBoard;

    /// An engine that says whatever it was told to say.
    struct Liar(Certificate);

    impl Engine for Liar {
        fn name(&self) -> &str {
            "liar"
        }

        fn view(&self) -> View {
            View::Original
        }

        fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
            Outcome::Answer(self.0.clone())
        }
    }

    const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);
        int main(void) { int i = 0, n = __VERIFIER_nondet_int();
        while (i < n) i++;
        if (i == 3) reach_error(); return 0; }";

    fn case() -> Arc<Case> {
        Arc::new(Case::of_text(TEXT).expect("a correct program"))
    }

    fn answer(certificate: Certificate) -> (Ended, bool) {
        let case = case();
        let mut certified = Certified::new(Box::new(Liar(certificate)), &case);
        let ended = certified.run(&NoBoard, &Budget::unlimited());
        let concluded = case.conclusions.take();
        let concluded = concluded.expect("there is one engine").is_some();
        (ended, concluded)
    }

    #[test]
    fn a_wrong_answer_is_none_and_asks_to_be_reported() {
        let input = |bits| InputValue {
            input: cfa::op::InputId(0),
            ty: cfa::value::Ty::I32,
            bits,
        };
        let bounds = UnrollingBounds {
            iterations: 2,
            recursion: 2,
            steps: 1000,
        };
        for wrong in [
            Certificate::Inputs(vec![input(2)]),
            Certificate::Inputs(Vec::new()),
            Certificate::Inputs(vec![input(3), input(3)]),
            Certificate::CompleteUnrolling(bounds),
        ] {
            match answer(wrong.clone()) {
                (Ended::Unknown(why), false) => {
                    let why = why.to_string();
                    assert!(why.contains("please report this"), "{wrong:?}: {why}");
                }
                (outcome, _) => panic!("{wrong:?}: {outcome:?}"),
            }
        }
        let right = answer(Certificate::Inputs(vec![input(3)]));
        assert_eq!(right, (Ended::Answered, true));
    }

    /// Has a wrong answer at first and a right one after it, if it is allowed to go on.
    struct Tries {
        answers: Vec<Certificate>,
        goes_on: bool,
    }

    impl Engine for Tries {
        fn name(&self) -> &str {
            "tries"
        }

        fn view(&self) -> View {
            View::Original
        }

        fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
            Outcome::Answer(self.answers.remove(0))
        }

        fn retry_after_rejection(&mut self, _: &Certificate) -> bool {
            self.goes_on
        }
    }

    #[test]
    fn an_engine_that_has_another_way_goes_on() {
        for goes_on in [false, true] {
            let case = case();
            let inputs = |bits| {
                Certificate::Inputs(vec![InputValue {
                    input: cfa::op::InputId(0),
                    ty: cfa::value::Ty::I32,
                    bits,
                }])
            };
            let answers = vec![inputs(2), inputs(3)];
            let mut certified = Certified::new(Box::new(Tries { answers, goes_on }), &case);
            let ended = certified.run(&NoBoard, &Budget::unlimited());
            assert_eq!(ended == Ended::Answered, goes_on, "{ended:?}");
        }
    }

    /// Notes what it is given.
    struct Looks(View, Arc<std::sync::Mutex<usize>>);

    impl Engine for Looks {
        fn name(&self) -> &str {
            "looks"
        }

        fn view(&self) -> View {
            self.0
        }

        fn run(&mut self, program: &Program, _: &dyn Board, _: &Budget) -> Outcome {
            *self.1.lock().expect("nobody panics") = std::ptr::from_ref(program).addr();
            Outcome::Unknown("it has seen enough".into())
        }
    }

    #[test]
    fn an_engine_gets_the_view_that_it_asks_for() {
        let case = case();
        for view in [View::Original, View::Split, View::Prepared] {
            let seen = Arc::default();
            let looks = Looks(view, Arc::clone(&seen));
            Certified::new(Box::new(looks), &case).run(&NoBoard, &Budget::unlimited());
            let expected = std::ptr::from_ref(case.views.program(view)).addr();
            assert_eq!(*seen.lock().expect("nobody panics"), expected, "{view:?}");
        }
    }
}
