//! Requests to stop.

use crate::clock;
use crate::gate::Gate;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The work between two looks at a token, where time is counted.
const LOOK: Duration = Duration::from_micros(20);

/// A shared request to stop, and a time at which to stop in any case.
///
/// Clones share the request; each may have its own deadline. Whatever runs long looks at its token
/// often enough to end within 100 ms.
#[derive(Clone, Debug, Default)]
pub struct StopToken {
    requested: Arc<AtomicBool>,
    /// Requests that count as well: those of the work that this is a part of.
    above: Option<Arc<StopToken>>,
    deadline: Option<Instant>,
    /// Where whoever looks at the token waits while it is closed.
    gate: Option<Arc<Gate>>,
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
            gate: self.gate.clone(),
        }
    }

    /// A request of its own under this one: stopping it stops nothing else, stopping this one stops
    /// it.
    pub fn child(&self) -> StopToken {
        StopToken {
            requested: Arc::default(),
            above: Some(Arc::new(self.clone())),
            deadline: self.deadline,
            gate: self.gate.clone(),
        }
    }

    /// The same request, with a deadline from now.
    pub fn with_timeout(&self, timeout: Duration) -> StopToken {
        match clock::now().checked_add(timeout) {
            Some(deadline) => self.with_deadline(deadline),
            None => self.clone(),
        }
    }

    /// Asks everyone who shares the request to stop.
    pub fn stop(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    /// The same, waiting at a gate whenever it is closed.
    pub fn with_gate(&self, gate: &Arc<Gate>) -> StopToken {
        StopToken {
            gate: Some(Arc::clone(gate)),
            ..self.clone()
        }
    }

    /// The same, waiting at no gate.
    pub fn without_gate(&self) -> StopToken {
        StopToken {
            gate: None,
            ..self.clone()
        }
    }

    /// Was a stop requested, or has the deadline passed?
    pub fn is_stopped(&self) -> bool {
        clock::tick(LOOK);
        if let Some(gate) = &self.gate {
            gate.pass(|| self.is_due());
        }
        self.is_due()
    }

    /// The same at once: the look counts as no work, and does not wait at the gate. For those who
    /// look as often as the machine lets them.
    pub fn is_due(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
            || self.above.as_ref().is_some_and(|above| above.is_due())
            || self
                .deadline
                .is_some_and(|deadline| clock::now() >= deadline)
    }

    /// When to stop in any case.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Time left until the deadline, if there is one.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(clock::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_reaches_children_and_not_their_parents() {
        let token = StopToken::new();
        let (child, copy) = (token.child(), token.with_timeout(Duration::from_secs(60)));
        let sibling = token.child();
        child.stop();
        assert!(child.is_stopped() && !token.is_stopped() && !sibling.is_stopped());
        token.stop();
        assert!(copy.is_stopped() && sibling.is_stopped());
    }

    #[test]
    fn only_looks_that_are_work_are_counted() {
        let _counting = clock::count();
        let token = StopToken::new().with_timeout(LOOK * 2);
        assert!(!token.is_due() && !token.is_due() && clock::counted() == Some(Duration::ZERO));
        assert!(!token.is_stopped() && token.is_stopped() && token.is_due());
    }
}
