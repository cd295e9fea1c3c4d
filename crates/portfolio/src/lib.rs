//! What is run, and what its answers are worth: plans of configurations, the registry of engines,
//! and the case that is decided. Nothing here knows the command line, and nothing prints.
//!
//! | step | where |
//! |---|---|
//! | a configuration is read into a plan | [`configuration`], [`family`], [`plan`] |
//! | the engines that it names are made | [`registry`], [`assembly`] |
//! | they run on views of the program, in parallel or turns | [`case`], [`views`], `cooperation` |
//! | an answer is certified in the thread that found it | [`certification`] |
//! | the first certified answer counts, unless another contradicts it | [`conclusions`] |
//! | whoever waits hears of it | [`decide`] |
//! | every check gets a verdict of its own | [`each`] |
//! | what earlier versions of the program leave is tried first | [`cache`] |
//! | a condition is continued with, or written | [`conditional`] |

pub mod alarms;
pub mod assembly;
pub mod cache;
pub mod call_strings;
pub mod candidates;
pub mod case;
pub mod certification;
pub mod certified_facts;
mod collective;
#[cfg(test)]
mod combination_tests;
pub mod conclusions;
pub mod conditional;
pub mod configuration;
pub mod decide;
pub mod each;
pub mod family;
pub mod helpers;
pub mod memory_shares;
pub mod plan;
pub mod registry;
pub mod views;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whoever panicked while holding the lock left nothing half done: setting a field is a single
/// step.
fn held<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
