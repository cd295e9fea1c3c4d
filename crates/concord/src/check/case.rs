//! One program under check: an engine's answer becomes a conclusion only by its certificate.

use super::at_work::AtWork;
use super::message::{Alarm, AlarmKind};
use crate::cli::CheckArgs;
use certify::{Build, Confirmation, Opinion};
use cfa::features::Features;
use cfa::op::InputKind;
use cfa::passes::{Prepared, Settings, prepare};
use cfa::program::Program;
use control::Gate;
use cooperation::store::FactStore;
use facts::budget::{Budget, SolverBudget};
use facts::carried::{carry_back, carry_facts};
use facts::certificate::{Certificate, InputValue};
use facts::engine::{Board, Engine, Outcome};
use facts::invariants::Facts;
use logic::SolverChoice;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// A certified answer.
pub struct Conclusion {
    pub engine: String,
    /// Inputs are those of the program before its memory was split.
    pub certificate: Certificate,
    /// How it was found to be right, in words for users.
    pub how: String,
    /// Of inputs: the C file that gives them to the program.
    pub harness: Option<String>,
}

/// What was certified so far.
#[derive(Default)]
struct Concluded {
    first: Option<Conclusion>,
    /// The engine that found an execution which violates the property when it is replayed, but is not confirmed.
    unconfirmed: Option<String>,
    /// Two engines have certified opposite answers: how, in words for users.
    contradiction: Option<String>,
}

pub struct Case {
    /// As it was lowered.
    pub original: Program,
    /// With its memory split into regions and variables: what proofs are certified on.
    pub split: Program,
    /// Which part of memory the split gave each access.
    homes: cfa::regions::Homes,
    /// Whether these parts keep memory apart: proofs on the split program count only then.
    split_is_justified: OnceLock<Result<(), certify::Rejection>>,
    /// The split program made smaller by passes, if the analysis wants that.
    prepared: Option<Prepared>,
    /// The first certified answer, and what contradicts it.
    concluded: Mutex<Concluded>,
    observed: OnceLock<Option<String>>,
    /// The split program with any outcome where it can tell where its objects lie.
    blind: OnceLock<Program>,
    /// Inline assembly may compute anything that a violation needs.
    any_assembly: bool,
    /// How the program is compiled to confirm a violation; absent where its property is not one of the text alone.
    build: Option<Build>,
    /// What must not happen, and did.
    alarms: Mutex<Vec<Alarm>>,
    /// What certificates are checked with.
    certifier: SolverChoice,
    /// Closed while an answer is certified.
    gate: Arc<Gate>,
    /// The engines that work on it.
    pub at_work: AtWork,
    /// What is on the board: facts, candidates and precisions (also of an earlier run) are about the program of
    /// [`View::Prepared`].
    pub store: FactStore,
}

impl Case {
    /// `passes` are those that make the program smaller for those who run on [`View::Prepared`].
    pub fn new(original: Program, args: &CheckArgs, build: Option<Build>, passes: &[&str]) -> Case {
        Case {
            any_assembly: args.input.havoc_asm,
            build,
            ..Case::of(original, args.certifier(), passes)
        }
    }

    fn of(original: Program, certifier: SolverChoice, passes: &[&str]) -> Case {
        let cfa::regions::Split {
            program: split,
            homes,
        } = cfa::regions::split_with_homes(&original);
        let split = certify::without_impossible_callees(&split);
        let prepared = (!passes.is_empty()).then(|| prepare(&split, passes, &Settings::default()));
        Case {
            original,
            split,
            homes,
            split_is_justified: OnceLock::new(),
            prepared,
            concluded: Mutex::default(),
            observed: OnceLock::new(),
            blind: OnceLock::new(),
            any_assembly: false,
            build: None,
            alarms: Mutex::default(),
            certifier,
            gate: Arc::default(),
            at_work: AtWork::default(),
            store: FactStore::default(),
        }
    }

    /// The program of a text that tests are about, as it is.
    #[cfg(test)]
    pub fn for_test(text: &str) -> Case {
        let front = syntax::driver::Options::default();
        let options = cfa::lower::LowerOptions::default();
        let program = match cfa::lower::load_text("test.c", text, &front, &options) {
            Ok(loaded) => loaded.program,
            Err(failure) => panic!("{failure}"),
        };
        let property = cfa::property::Property::assertions();
        let program = cfa::property::instrument(&program, &property);
        Case {
            build: Some(Build::of(property)),
            ..Case::of(program, SolverChoice::Native, &[])
        }
    }

    /// Notes what must not happen.
    fn alarm(&self, kind: AlarmKind, text: impl Into<String>) {
        let text = text.into();
        held(&self.alarms).push(Alarm { kind, text });
    }

    /// What must not happen, and did so far.
    pub fn alarms(&self) -> Vec<Alarm> {
        held(&self.alarms).clone()
    }

    /// Keeps a certified answer, if it is the first one. Answers that contradict each other are an error of ours, and then none
    /// of them may be told.
    fn conclude(&self, new: Conclusion) {
        let mut concluded = held(&self.concluded);
        let claim = |one: &Conclusion| match one.certificate.claims_safety() {
            true => "safe",
            false => "unsafe",
        };
        let told = match (&concluded.first, &concluded.unconfirmed) {
            (Some(first), _) if claim(first) != claim(&new) => Some(format!(
                "internal error: {} was certified to find the program {}, and {} to find it {}; please report this",
                first.engine,
                claim(first),
                new.engine,
                claim(&new)
            )),
            (_, Some(engine)) if new.certificate.claims_safety() => {
                Some(against_execution(&new.engine, engine))
            }
            _ => None,
        };
        if let Some(told) = told {
            self.contradict(&mut concluded, told);
        }
        concluded.first.get_or_insert(new);
    }

    /// Notes an execution that violates the property, although nobody confirms it: no proof may stand beside it.
    fn doubt(&self, engine: &str) {
        let mut concluded = held(&self.concluded);
        if let Some(first) = &concluded.first
            && first.certificate.claims_safety()
        {
            let told = against_execution(&first.engine, engine);
            self.contradict(&mut concluded, told);
        }
        concluded.unconfirmed.get_or_insert(engine.into());
    }

    fn contradict(&self, concluded: &mut Concluded, told: String) {
        self.alarm(AlarmKind::Contradiction, told.as_str());
        concluded.contradiction.get_or_insert(told);
    }

    /// Has an answer been certified?
    pub fn is_concluded(&self) -> bool {
        held(&self.concluded).first.is_some()
    }

    /// The certified answer, if there is one, or how answers contradict each other.
    pub fn take_conclusion(&self) -> Result<Option<Conclusion>, String> {
        let mut concluded = held(&self.concluded);
        match &concluded.contradiction {
            Some(told) => Err(told.clone()),
            None => Ok(concluded.first.take()),
        }
    }

    /// What the program does that is compiled from its own text and given these inputs.
    fn confirm(&self, values: &[InputValue], budget: &Budget) -> Confirmation {
        match &self.build {
            Some(build) => certify::confirm(&self.original, build, values, budget),
            None => Confirmation {
                opinion: Opinion::None("the property is that of a witness".into()),
                harness: None,
            },
        }
    }

    /// The only execution of a program without inputs, in the compiled program.
    fn ends_safely(&self, budget: &Budget) -> Result<certify::Accepted, certify::Rejection> {
        match &self.build {
            Some(build) => certify::ends_safely(&self.original, build, budget),
            None => Err(certify::Rejection::Unfinished(
                "the property is that of a witness, which no compiled program checks".into(),
            )),
        }
    }

    /// The passes' result with its ways back, if there were passes.
    pub fn prepared(&self) -> Option<&Prepared> {
        self.prepared.as_ref()
    }

    pub fn program(&self, view: View) -> &Program {
        match view {
            View::Original => &self.original,
            View::Split => &self.split,
            View::Prepared => self
                .prepared
                .as_ref()
                .map_or(&self.split, |prepared| &prepared.program),
        }
    }

    /// The budget for engines whose answers are about this case.
    pub fn shared(&self, budget: &Budget) -> Budget {
        budget.behind(&self.gate)
    }

    /// What the prepared program is made of.
    pub fn features(&self) -> Features {
        Features::of(self.program(View::Prepared))
    }

    /// What is known of the prepared program, said of the split one.
    pub fn facts_before(&self, facts: Facts) -> Facts {
        match &self.prepared {
            None => facts,
            Some(prepared) => carry_facts(prepared, &facts),
        }
    }

    /// The inline assembly whose outputs an execution needs, where it is not known to compute them.
    fn needed_assembly(&self, values: &[InputValue]) -> Option<String> {
        let program = &self.original;
        let mut inputs = values
            .iter()
            .filter_map(|value| program.inputs.get(value.input.0 as usize));
        let input = inputs.find(|input| input.kind == InputKind::Assembly)?;
        (!self.any_assembly).then(|| program.describe(input.span))
    }

    /// Proofs are about the split program: they count only if the split keeps what may meet together.
    fn justified_split(&self) -> Result<(), certify::Rejection> {
        let check = || certify::check_split(&self.original, &self.homes);
        self.split_is_justified.get_or_init(check).clone()
    }

    /// Where the program can tell where its objects lie, if it can: proofs fix their addresses, so there they
    /// prove nothing. Passes may leave such places out, but nobody checks passes.
    fn observed_address(&self) -> Option<&str> {
        let program = &self.split;
        let find = || {
            let &(span, how) = cfa::regions::observed_addresses(program).first()?;
            Some(format!("{}: {}", program.describe(span), how.text()))
        };
        self.observed.get_or_init(find).as_deref()
    }

    /// What a proof is to be checked on, so that it is one for every placement of the objects.
    pub fn for_proofs(&self) -> &Program {
        match self.observed_address() {
            None => &self.split,
            Some(_) => {
                let blind = || cfa::regions::with_any_placement(&self.split);
                self.blind.get_or_init(blind)
            }
        }
    }
}

fn against_execution(prover: &str, executor: &str) -> String {
    format!(
        "internal error: {prover} was certified to find the program safe, and {executor} has an execution that \
         violates the property; please report this"
    )
}

fn one_placement_only(why: &str) -> certify::Rejection {
    certify::Rejection::Unfinished(format!(
        "the proof is for one placement of the objects only: {why}"
    ))
}

/// Whoever panicked while holding the lock left nothing half done: setting a field is a single step.
fn held<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The form of the program that an engine sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// As it was lowered.
    Original,
    /// With its memory split.
    Split,
    /// Split, and made smaller by passes. All who share facts see this one.
    Prepared,
}

/// How much of the time that is left others wait for a certificate; it may turn out not to be checked in that time.
const PART_ALONE: f64 = 0.3;
/// How much of it may be spent on a certificate that may say too little.
const PART_FOR_EASIER: f64 = 0.1;
/// The time that is left, where there is no limit.
const LONGEST_ALONE: Duration = Duration::from_secs(60);

/// An engine whose answers are certified before anybody hears of them.
pub struct Certified {
    pub engine: Box<dyn Engine>,
    pub case: Arc<Case>,
    pub view: View,
}

impl Engine for Certified {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn serves_others(&self) -> bool {
        self.engine.serves_others()
    }

    fn can_help(&self, board: &dyn Board) -> Result<(), String> {
        self.engine.can_help(board)
    }

    fn run(&mut self, _: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        loop {
            let program = self.case.program(self.view);
            let answer = match self.engine.run(program, board, budget) {
                Outcome::Answer(answer) => answer,
                unknown => return unknown,
            };
            let outcome = self.conclude(answer.clone(), board, budget);
            let is_final = matches!(outcome, Outcome::Answer(_)) || budget.is_exhausted();
            if is_final || !self.engine.goes_on_after(&answer) {
                return outcome;
            }
        }
    }
}

impl Certified {
    /// If the execution is one as well where library functions return what glibc's do, that one.
    fn as_usual(&self, certificate: Certificate, budget: &Budget) -> Certificate {
        let program = &self.case.original;
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

    /// Why nobody knows whether the execution is one of the compiled program: a library function's result may be another.
    fn unknown_result(&self, values: &[InputValue], budget: &Budget) -> Option<String> {
        let program = &self.case.original;
        if let Some(name) = certify::unusual_result(program, values) {
            return Some(format!(
                "a violation depends on a result of `{name}` that C allows and glibc does not give"
            ));
        }
        let name = certify::guessed_result(program, values, budget)?;
        Some(format!(
            "a violation depends on what the library's `{name}` returns or writes, which is not computed here"
        ))
    }

    /// What the answer is worth.
    fn conclude(&self, answer: Certificate, board: &dyn Board, budget: &Budget) -> Outcome {
        let engine = self.engine.name().to_string();
        board.progress(&engine, "certifying the answer");
        // An answer is worth more time than the engine had to find it, and most are right: the others wait meanwhile.
        let budget = &budget.whole().first_in_line();
        let alone = budget.left().unwrap_or(LONGEST_ALONE).mul_f64(PART_ALONE);
        let _others_wait = self.case.gate.close(alone);
        let Some(certificate) = self.before_passes(answer, budget) else {
            return Outcome::Unknown("its answer is about the prepared program alone".into());
        };
        let certificate = self.before_splitting(certificate, budget);
        let certificate = self.as_usual(certificate, budget);
        let (certificate, checked) = match self.easier_accepted(&certificate, budget) {
            Some((easier, how)) => (easier, Ok(how)),
            None => {
                let checked = self.checked(&certificate, budget);
                (certificate, checked)
            }
        };
        match checked {
            Ok(mut how) => {
                let mut harness = None;
                if let Certificate::Inputs(values) = &certificate {
                    if let Some(place) = self.case.needed_assembly(values) {
                        return Outcome::Unknown(format!(
                            "a violation depends on what inline assembly at {place} computes (--havoc-asm: anything)"
                        ));
                    }
                    if let Some(why) = self.unknown_result(values, budget) {
                        return Outcome::Unknown(why);
                    }
                    match self.second_opinion(values, budget) {
                        Ok((opinion, text)) => {
                            how = format!("{how}{opinion}");
                            harness = text;
                        }
                        Err(why) => {
                            self.case.doubt(&engine);
                            return Outcome::Unknown(why);
                        }
                    }
                }
                self.case.conclude(Conclusion {
                    engine,
                    certificate: certificate.clone(),
                    how,
                    harness,
                });
                Outcome::Answer(certificate)
            }
            Err(certify::Rejection::Wrong(why)) => {
                let alarm = format!("the certificate of {engine} is wrong: {why}");
                self.case.alarm(AlarmKind::WrongCertificate, alarm);
                Outcome::Unknown(format!(
                    "its answer is not proved by its certificate ({why}); please report this"
                ))
            }
            Err(certify::Rejection::Unfinished(why)) => {
                Outcome::Unknown(format!("its answer could not be certified: {why}"))
            }
        }
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
    fn checked(
        &self,
        certificate: &Certificate,
        budget: &Budget,
    ) -> Result<String, certify::Rejection> {
        let budget = budget.with_solver(self.case.certifier.clone());
        if certificate.claims_safety() {
            self.case.justified_split()?;
        }
        let certified = if let Certificate::DeterministicRun { steps } = certificate {
            match self.case.observed_address() {
                // The only execution is that of one placement.
                Some(why) => Err(one_placement_only(why)),
                None if *steps > LONGEST_UNROLLING => self.case.ends_safely(&budget),
                None => certify::certify(&self.case.split, certificate, &budget),
            }
        } else if certificate.claims_safety() {
            let checked = certify::certify(self.case.for_proofs(), certificate, &budget);
            match (checked, self.case.observed_address()) {
                (Err(certify::Rejection::Wrong(_)), Some(why)) => Err(one_placement_only(why)),
                (checked, _) => checked,
            }
        } else if self.view == View::Original {
            let short = budget.within(LONGEST_REPLAY);
            match certify::certify(&self.case.original, certificate, &short) {
                // What was executed for long need not be executed once more: others are asked.
                Err(certify::Rejection::Unfinished(_)) if short.is_exhausted() => {
                    return Ok("executed once".into());
                }
                certified => certified,
            }
        } else {
            certify::certify(&self.case.original, certificate, &budget)
        };
        certified.map(|accepted| accepted.how)
    }

    /// What the program compiled from its own text does with the inputs, in words, and the harness. Where it
    /// does not fail, the violation is none. Inputs that executing the program has found need another witness than the
    /// interpreter: the compiled program, or the formula of the path.
    fn second_opinion(
        &self,
        values: &[InputValue],
        budget: &Budget,
    ) -> Result<(String, Option<String>), String> {
        let left = budget.left().unwrap_or(Duration::MAX);
        // What is left of the time may be short, but a counterexample is worth a little more.
        let budget = Budget::new(Some(left.max(Duration::from_secs(1))), budget.memory);
        let confirmation = self.case.confirm(values, &budget);
        let why = match confirmation.opinion {
            Opinion::Fails => {
                let opinion = ", and the compiled program fails too".into();
                return Ok((opinion, confirmation.harness));
            }
            Opinion::Passes(how) => {
                let told = format!(
                    "with the inputs found the compiled program does not violate the property ({how}): it \
                     depends on what C leaves open, or this is an error of Concord; please report this"
                );
                self.case.alarm(AlarmKind::HarnessPasses, told.as_str());
                return Err(told);
            }
            Opinion::None(why) => format!("not confirmed by a compiled program: {why}"),
        };
        if self.view != View::Original {
            return Ok((format!("; {why}"), confirmation.harness));
        }
        if certify::confirmed_by_formula(&self.case.split, values, &budget) {
            let opinion = format!(", and the formula of the path agrees; {why}");
            return Ok((opinion, confirmation.harness));
        }
        Err(format!(
            "it found a violation that neither the compiled program nor the formula of the path confirms ({why})"
        ))
    }

    /// The answer as one about the split program.
    fn before_passes(&self, answer: Certificate, budget: &Budget) -> Option<Certificate> {
        match &self.case.prepared {
            Some(prepared) if self.view == View::Prepared => {
                carry_back(&self.case.split, prepared, &answer, replay_deadline(budget))
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
        let case = &self.case;
        let deadline = replay_deadline(budget);
        let run = cfa::regions::replay_before(&case.original, &case.split, &taken, deadline);
        let inputs = run.inputs.iter();
        Certificate::Inputs(
            inputs
                .map(|&(input, ty, bits)| InputValue { input, ty, bits })
                .collect(),
        )
    }
}

/// Steps of an execution that are followed by formulas; longer ones are compiled.
const LONGEST_UNROLLING: u64 = 300_000;

/// How long the interpreter repeats what it did itself.
const LONGEST_REPLAY: Duration = Duration::from_secs(1);

/// When executing a program with given inputs ends at the latest: what an engine found may not end at all.
fn replay_deadline(budget: &Budget) -> Option<Instant> {
    budget.within(Duration::from_secs(3600)).stop.deadline()
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::certificate::UnrollingBounds;
    use facts::engine::NoBoard;

    /// An engine that says whatever it was told to say.
    struct Liar(Certificate);

    impl Engine for Liar {
        fn name(&self) -> &str {
            "liar"
        }

        fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
            Outcome::Answer(self.0.clone())
        }
    }

    const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);
        int main(void) { int i = 0, n = __VERIFIER_nondet_int();
        while (i < n) i++;
        if (i == 3) reach_error(); return 0; }";

    fn answer(certificate: Certificate) -> (Outcome, bool) {
        let case = Arc::new(Case::for_test(TEXT));
        let mut certified = Certified {
            engine: Box::new(Liar(certificate)),
            case: case.clone(),
            view: View::Original,
        };
        let outcome = certified.run(&case.split, &NoBoard, &Budget::unlimited());
        let concluded = case.take_conclusion();
        let concluded = concluded.expect("there is one engine").is_some();
        (outcome, concluded)
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
                (Outcome::Unknown(why), false) => {
                    assert!(why.contains("please report this"), "{wrong:?}: {why}");
                }
                (outcome, _) => panic!("{wrong:?}: {outcome:?}"),
            }
        }
        let right = answer(Certificate::Inputs(vec![input(3)]));
        assert!(matches!(right, (Outcome::Answer(_), true)), "{right:?}");
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

        fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
            Outcome::Answer(self.answers.remove(0))
        }

        fn goes_on_after(&mut self, _: &Certificate) -> bool {
            self.goes_on
        }
    }

    #[test]
    fn an_engine_that_has_another_way_goes_on() {
        for goes_on in [false, true] {
            let case = Arc::new(Case::for_test(TEXT));
            let inputs = |bits| {
                Certificate::Inputs(vec![InputValue {
                    input: cfa::op::InputId(0),
                    ty: cfa::value::Ty::I32,
                    bits,
                }])
            };
            let answers = vec![inputs(2), inputs(3)];
            let mut certified = Certified {
                engine: Box::new(Tries { answers, goes_on }),
                case: case.clone(),
                view: View::Original,
            };
            let outcome = certified.run(&case.split, &NoBoard, &Budget::unlimited());
            assert_eq!(
                matches!(outcome, Outcome::Answer(_)),
                goes_on,
                "{outcome:?}"
            );
        }
    }

    /// The interpreter or a solver would have to be wrong.
    #[test]
    fn contradictory_answers_are_none() {
        let case = Case::for_test(TEXT);
        let conclusion = |engine: &str, certificate: Certificate| Conclusion {
            engine: engine.into(),
            certificate,
            how: String::new(),
            harness: None,
        };
        let (safe, unsafe_) = (
            Certificate::DeterministicRun { steps: 1 },
            Certificate::Inputs(Vec::new()),
        );
        case.conclude(conclusion("a", safe.clone()));
        case.conclude(conclusion("b", safe));
        let first = case.take_conclusion().expect("they agree");
        let first = first.expect("there is an answer");
        assert_eq!(first.engine, "a");
        case.conclude(first);
        case.conclude(conclusion("c", unsafe_));
        match case.take_conclusion() {
            Err(told) => assert!(
                told.contains("a was certified to find the program safe")
                    && told.contains("c to find it unsafe"),
                "{told}"
            ),
            Ok(_) => panic!("it is not noticed"),
        }
    }

    /// Comes to opposite conclusions.
    struct Contradicts(Arc<Case>);

    impl Engine for Contradicts {
        fn name(&self) -> &str {
            "contradicts"
        }

        fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
            let safe = Certificate::DeterministicRun { steps: 1 };
            for certificate in [safe.clone(), Certificate::Inputs(Vec::new())] {
                self.0.conclude(Conclusion {
                    engine: "contradicts".into(),
                    certificate,
                    how: String::new(),
                    harness: None,
                });
            }
            Outcome::Answer(safe)
        }
    }

    #[test]
    fn contradictory_answers_make_the_verdict_unknown() {
        use crate::check::message::{Report, Verdict};
        let case = Arc::new(Case::for_test(TEXT));
        let mut report = Report::unknown("unreach-call", "nothing was done");
        let engine = Box::new(Contradicts(case.clone()));
        let budget = Budget::unlimited();
        let (certificate, _) =
            crate::check::decide::decide(engine, &case, None, &budget, &mut report);
        assert!(certificate.is_none() && report.verdict == Verdict::Unknown);
        let reason = report.reason.expect("it says why");
        assert!(reason.contains("internal error"), "{reason}");
    }
}
