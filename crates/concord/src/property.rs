//! Properties by their names, for the command line and for [`crate::Property`].

use lowering::property::{Check, Property};
use runner::tasks::property::Kind;

/// None of these happens.
pub fn of_checks(checks: Vec<Check>) -> Property {
    Property::Checks {
        checks,
        calls: Vec::new(),
    }
}

/// How users call a check.
pub fn name_of(check: Check) -> &'static str {
    match check {
        Check::Deref => "valid-deref",
        Check::Free => "valid-free",
        Check::Memtrack => "valid-memtrack",
        Check::Memcleanup => "valid-memcleanup",
        Check::Overflow => "no-overflow",
        Check::DivisionByZero => "no-division-by-zero",
        Check::Shift => "valid-shift",
        Check::FloatOverflow => "no-float-overflow",
    }
}

/// Checks that have names of their own.
const NAMED: [Check; 7] = [
    Check::Deref,
    Check::Free,
    Check::Memtrack,
    Check::Memcleanup,
    Check::DivisionByZero,
    Check::Shift,
    Check::FloatOverflow,
];

/// All that can go wrong. Memory that the system takes back at the end is nothing wrong.
const ALL: [Check; 7] = [
    Check::Deref,
    Check::Free,
    Check::Memtrack,
    Check::Overflow,
    Check::DivisionByZero,
    Check::Shift,
    Check::FloatOverflow,
];

/// The property that a name means, and its name in verdicts.
pub fn of_name(name: &str) -> Result<(Property, &'static str), String> {
    match name {
        "assertions" | "unreach-call" => Ok((Property::assertions(), "unreach-call")),
        "no-overflow" => Ok((Property::NoOverflow, "no-overflow")),
        "memory-safety" | "valid-memsafety" => {
            Ok((of_checks(Check::MEMORY_SAFETY.to_vec()), "valid-memsafety"))
        }
        "all" => {
            let property = Property::Checks {
                checks: ALL.to_vec(),
                calls: Property::assertions().error_functions().to_vec(),
            };
            Ok((property, "all"))
        }
        other => match NAMED.into_iter().find(|check| name_of(*check) == other) {
            Some(check) => Ok((of_checks(vec![check]), name_of(check))),
            None => match Kind::named(other) {
                Some(kind) => Err(format!("the property {} is not supported", kind.name())),
                None => Err(format!(
                    "there is no property '{other}' (known: assertions, unreach-call, no-overflow, \
                     memory-safety, valid-deref, valid-free, valid-memtrack, valid-memcleanup, \
                     no-division-by-zero, valid-shift, no-float-overflow, all)"
                )),
            },
        },
    }
}
