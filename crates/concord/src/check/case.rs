//! One program under check: an engine's answer becomes a conclusion only by its certificate.

use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::{Certificate, InputValue};
use facts::engine::{Board, Engine, Outcome};
use logic::SolverChoice;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// A certified answer.
pub struct Conclusion {
    pub engine: String,
    /// Inputs are those of the program before its memory was split.
    pub certificate: Certificate,
    /// How it was found to be right, in words for users.
    pub how: String,
}

pub struct Case {
    /// As it was lowered.
    pub original: Program,
    /// With its memory split into regions and variables.
    pub split: Program,
    /// The first certified answer.
    pub conclusion: Mutex<Option<Conclusion>>,
    observed: OnceLock<Option<String>>,
    /// What certificates are checked with.
    certifier: SolverChoice,
}

impl Case {
    pub fn new(original: Program, split: Program, certifier: SolverChoice) -> Case {
        Case {
            original,
            split,
            conclusion: Mutex::new(None),
            observed: OnceLock::new(),
            certifier,
        }
    }

    /// Where the program can tell where its objects lie, if it can: proofs fix their addresses, so there they
    /// prove nothing.
    fn observed_address(&self) -> Option<&str> {
        let program = &self.original;
        let find = || {
            let &(span, how) = cfa::regions::observed_addresses(program).first()?;
            Some(format!("{}: {}", program.describe(span), how.text()))
        };
        self.observed.get_or_init(find).as_deref()
    }
}

/// An engine whose answers are certified before anybody hears of them.
pub struct Certified {
    pub engine: Box<dyn Engine>,
    pub case: Arc<Case>,
    /// The engine sees the program before its memory was split.
    pub on_original: bool,
}

impl Engine for Certified {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn run(&mut self, split: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let program = if self.on_original {
            &self.case.original
        } else {
            split
        };
        let answer = match self.engine.run(program, board, budget) {
            Outcome::Answer(answer) => answer,
            unknown => return unknown,
        };
        let engine = self.engine.name().to_string();
        board.progress(&engine, "certifying the answer");
        let certificate = self.before_splitting(answer, budget);
        let program = if certificate.claims_safety() {
            &self.case.split
        } else {
            &self.case.original
        };
        let with = budget.with_solver(self.case.certifier.clone());
        match certify::certify(program, &certificate, &with) {
            Ok(_)
                if certificate.claims_safety()
                    && let Some(why) = self.case.observed_address() =>
            {
                Outcome::Unknown(format!(
                    "its proof is for one placement of the objects only: {why}"
                ))
            }
            Ok(accepted) => {
                let mut how = accepted.how;
                if let Certificate::Inputs(values) = &certificate {
                    match self.second_opinion(values, budget) {
                        Ok(opinion) => how = format!("{how}{opinion}"),
                        Err(why) => return Outcome::Unknown(why),
                    }
                }
                if let Ok(mut conclusion) = self.case.conclusion.lock() {
                    conclusion.get_or_insert(Conclusion {
                        engine,
                        certificate: certificate.clone(),
                        how,
                    });
                }
                Outcome::Answer(certificate)
            }
            Err(certify::Rejection::Wrong(why)) => Outcome::Unknown(format!(
                "its answer is not proved by its certificate ({why}); please report this"
            )),
            Err(certify::Rejection::Unfinished(why)) => {
                Outcome::Unknown(format!("its answer could not be certified: {why}"))
            }
        }
    }
}

impl Certified {
    /// What the compiled program says of the inputs, in words. Inputs that executing the program has found need
    /// another witness than the interpreter: the compiled program, or the formula of the path.
    fn second_opinion(&self, values: &[InputValue], budget: &Budget) -> Result<String, String> {
        let left = budget.left().unwrap_or(Duration::MAX);
        // What is left of the time may be short, but a counterexample is worth a little more.
        let budget = Budget::new(Some(left.max(Duration::from_secs(1))), budget.memory);
        let opinion = match certify::run_harness(&self.case.original, values, &budget) {
            certify::Harness::Fails => {
                return Ok(", and the compiled program fails too".into());
            }
            certify::Harness::Differs(how) => {
                format!("the compiled program ends otherwise ({how})")
            }
            certify::Harness::NotRun(why) => format!("harness not run: {why}"),
        };
        if !self.on_original {
            return Ok(format!("; {opinion}"));
        }
        if certify::confirmed_by_formula(&self.case.split, values, &budget) {
            return Ok(format!(", and the formula of the path agrees; {opinion}"));
        }
        Err(format!(
            "it found a violation that neither the compiled program nor the formula of the path confirms ({opinion})"
        ))
    }

    /// Inputs as the program before splitting takes them.
    fn before_splitting(&self, certificate: Certificate, budget: &Budget) -> Certificate {
        let values = match certificate {
            Certificate::Inputs(values) if !self.on_original => values,
            other => return other,
        };
        let taken: Vec<_> = values
            .iter()
            .map(|value| (value.input, value.ty, value.bits))
            .collect();
        let deadline = budget.within(Duration::from_secs(3600)).stop.deadline();
        let case = &self.case;
        let run = cfa::regions::replay_before(&case.original, &case.split, &taken, deadline);
        let inputs = run.inputs.iter();
        Certificate::Inputs(
            inputs
                .map(|&(input, ty, bits)| InputValue { input, ty, bits })
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::lower::{LowerOptions, load_text};
    use cfa::property::{Property, instrument};
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
        let front = syntax::driver::Options::default();
        let program = match load_text("test.c", TEXT, &front, &LowerOptions::default()) {
            Ok(loaded) => instrument(&loaded.program, &Property::assertions()),
            Err(failure) => panic!("{failure}"),
        };
        let split = cfa::regions::split_memory(&program);
        let case = Arc::new(Case::new(program, split, SolverChoice::Native));
        let mut certified = Certified {
            engine: Box::new(Liar(certificate)),
            case: case.clone(),
            on_original: true,
        };
        let outcome = certified.run(&case.split, &NoBoard, &Budget::unlimited());
        let concluded = case.conclusion.lock().expect("nobody panicked").is_some();
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
}
