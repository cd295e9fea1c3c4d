//! Certified answers: the first one counts, and none if they contradict each other.
//!
//! This is the only way from an engine to a verdict: [`crate::certification`] puts answers in,
//! [`crate::decide`] takes the one that counts out.

use crate::alarms::{AlarmKind, Alarms};
use crate::held;
use facts::certificate::Certificate;
use std::sync::Mutex;

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

impl Conclusion {
    fn claim(&self) -> &'static str {
        match self.certificate.claims_safety() {
            true => "safe",
            false => "unsafe",
        }
    }
}

/// What was certified so far.
#[derive(Default)]
pub struct Conclusions(Mutex<Concluded>);

#[derive(Default)]
struct Concluded {
    first: Option<Conclusion>,
    /// The engine that found an execution which violates the property when it is replayed, but is
    /// not confirmed.
    unconfirmed: Option<String>,
    /// Two engines have certified opposite answers: how, in words for users.
    contradiction: Option<String>,
}

impl Concluded {
    fn contradict(&mut self, told: String, alarms: &Alarms) {
        alarms.raise(AlarmKind::Contradiction, told.as_str());
        self.contradiction.get_or_insert(told);
    }
}

impl Conclusions {
    /// Keeps a certified answer, if it is the first one. Answers that contradict each other are an
    /// error of ours, and then none of them may be told.
    pub(crate) fn add(&self, new: Conclusion, alarms: &Alarms) {
        let mut concluded = held(&self.0);
        let told = match (&concluded.first, &concluded.unconfirmed) {
            (Some(first), _) if first.claim() != new.claim() => Some(format!(
                "internal error: certified answers contradict each other: {} finds the program {}, {} finds it {}; please report this",
                first.engine,
                first.claim(),
                new.engine,
                new.claim()
            )),
            (_, Some(engine)) if new.certificate.claims_safety() => {
                Some(against_execution(&new.engine, engine))
            }
            _ => None,
        };
        if let Some(told) = told {
            concluded.contradict(told, alarms);
        }
        concluded.first.get_or_insert(new);
    }

    /// Notes an execution that violates the property, although nobody confirms it: no proof may
    /// stand beside it.
    pub(crate) fn doubt(&self, engine: &str, alarms: &Alarms) {
        let mut concluded = held(&self.0);
        if let Some(first) = &concluded.first
            && first.certificate.claims_safety()
        {
            let told = against_execution(&first.engine, engine);
            concluded.contradict(told, alarms);
        }
        concluded.unconfirmed.get_or_insert(engine.into());
    }

    /// Has an answer been certified?
    pub fn is_concluded(&self) -> bool {
        held(&self.0).first.is_some()
    }

    /// The certified answer, if there is one, or how answers contradict each other.
    pub fn take(&self) -> Result<Option<Conclusion>, String> {
        let mut concluded = held(&self.0);
        match &concluded.contradiction {
            Some(told) => Err(told.clone()),
            None => Ok(concluded.first.take()),
        }
    }
}

fn against_execution(prover: &str, executor: &str) -> String {
    format!(
        "internal error: certified answers contradict each other: {prover} finds the program safe, {executor} has an \
         execution that violates the property; please report this"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conclusion(engine: &str, certificate: Certificate) -> Conclusion {
        Conclusion {
            engine: engine.into(),
            certificate,
            how: String::new(),
            harness: None,
        }
    }

    const SAFE: Certificate = Certificate::DeterministicRun { steps: 1 };

    /// The interpreter or a solver would have to be wrong.
    #[test]
    fn contradictory_answers_are_none() {
        let (conclusions, alarms) = (Conclusions::default(), Alarms::default());
        conclusions.add(conclusion("a", SAFE), &alarms);
        conclusions.add(conclusion("b", SAFE), &alarms);
        let first = conclusions.take().expect("they agree");
        let first = first.expect("there is an answer");
        assert_eq!(first.engine, "a");
        conclusions.add(first, &alarms);
        assert!(alarms.list().is_empty());
        let unsafe_ = Certificate::Inputs(Vec::new());
        conclusions.add(conclusion("c", unsafe_), &alarms);
        match conclusions.take() {
            Err(told) => assert!(
                told.contains("a finds the program safe") && told.contains("c finds it unsafe"),
                "{told}"
            ),
            Ok(_) => panic!("it is not noticed"),
        }
        assert_eq!(alarms.list().len(), 1);
    }

    #[test]
    fn no_proof_stands_beside_an_execution_that_is_not_confirmed() {
        for is_proof_first in [true, false] {
            let (conclusions, alarms) = (Conclusions::default(), Alarms::default());
            if is_proof_first {
                conclusions.add(conclusion("a", SAFE), &alarms);
            }
            conclusions.doubt("b", &alarms);
            if !is_proof_first {
                conclusions.add(conclusion("a", SAFE), &alarms);
            }
            let told = conclusions.take().err().expect("it is noticed");
            assert!(told.contains("b has an execution"), "{told}");
        }
    }
}
