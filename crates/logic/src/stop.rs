//! Stopping work from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A shared request to stop, and a time at which to stop in any case.
///
/// Clones share the request; each may have its own deadline. Whatever runs long looks at its token often enough to
/// end within 100 ms.
#[derive(Clone, Debug, Default)]
pub struct StopToken {
    requested: Arc<AtomicBool>,
    /// Requests that count as well: those of the work that this is a part of.
    above: Option<Arc<StopToken>>,
    deadline: Option<Instant>,
}

impl StopToken {
    /// A token that nobody has asked to stop, without a deadline.
    pub fn new() -> StopToken {
        StopToken::default()
    }

    /// The same request, with a deadline that is not later than before.
    pub fn with_deadline(&self, deadline: Instant) -> StopToken {
        let deadline = self.deadline.map_or(deadline, |old| old.min(deadline));
        StopToken {
            requested: Arc::clone(&self.requested),
            above: self.above.clone(),
            deadline: Some(deadline),
        }
    }

    /// A request of its own under this one: stopping it stops nothing else, stopping this one stops it.
    pub fn child(&self) -> StopToken {
        StopToken {
            requested: Arc::default(),
            above: Some(Arc::new(self.clone())),
            deadline: self.deadline,
        }
    }

    /// The same request, with a deadline from now.
    pub fn with_timeout(&self, timeout: Duration) -> StopToken {
        match Instant::now().checked_add(timeout) {
            Some(deadline) => self.with_deadline(deadline),
            None => self.clone(),
        }
    }

    /// Asks everyone who shares the request to stop.
    pub fn stop(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    /// Was a stop requested, or has the deadline passed?
    pub fn is_stopped(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
            || self.above.as_ref().is_some_and(|above| above.is_stopped())
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// When to stop in any case.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Time left until the deadline, if there is one.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}
