//! Signs that something in Concord is wrong, although no wrong answer was given.

use crate::held;
use std::sync::Mutex;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alarm {
    pub kind: AlarmKind,
    /// What happened, in words for users.
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlarmKind {
    /// One engine has a certified proof, another a certified execution that violates the property.
    Contradiction,
    /// The certificate of an engine's answer does not prove it.
    WrongCertificate,
    /// The compiled program does not violate the property with the inputs of a violation.
    HarnessPasses,
}

/// Those of one case, in the order in which they came.
#[derive(Default)]
pub struct Alarms(Mutex<Vec<Alarm>>);

impl Alarms {
    pub fn raise(&self, kind: AlarmKind, text: impl Into<String>) {
        let text = text.into();
        held(&self.0).push(Alarm { kind, text });
    }

    /// What was raised so far.
    pub fn list(&self) -> Vec<Alarm> {
        held(&self.0).clone()
    }
}
