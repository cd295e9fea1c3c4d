//! How long an analysis may go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Shared between an analysis and whoever started it. Copies belong together: stopping one stops all.
#[derive(Clone, Debug)]
pub struct Budget {
    stop: Arc<AtomicBool>,
    started: Instant,
    deadline: Option<Instant>,
    /// Bytes that the analysis should stay within.
    pub memory: Option<u64>,
}

impl Budget {
    pub fn new(limit: Option<Duration>, memory: Option<u64>) -> Budget {
        let started = Instant::now();
        Budget {
            stop: Arc::new(AtomicBool::new(false)),
            started,
            deadline: limit.map(|limit| started + limit),
            memory,
        }
    }

    /// No limit but the token.
    pub fn unlimited() -> Budget {
        Budget::new(None, None)
    }

    /// The same token with a deadline that comes no later than `limit` from now.
    #[must_use]
    pub fn within(&self, limit: Duration) -> Budget {
        let deadline = Instant::now() + limit;
        Budget {
            deadline: Some(self.deadline.map_or(deadline, |own| own.min(deadline))),
            ..self.clone()
        }
    }

    /// A token of its own (stopping it does not stop this one) under the same deadline.
    #[must_use]
    pub fn detached(&self) -> Budget {
        Budget { stop: Arc::new(AtomicBool::new(false)), ..self.clone() }
    }

    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub fn is_exhausted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub fn token(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time left; `None` without a deadline.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stopping_reaches_copies_but_not_detached_ones() {
        let budget = Budget::unlimited();
        let (copy, shorter, detached) =
            (budget.clone(), budget.within(Duration::from_secs(60)), budget.detached());
        budget.stop();
        assert!(copy.is_exhausted() && shorter.is_exhausted() && !detached.is_exhausted());
    }

    #[test]
    fn a_deadline_is_never_extended() {
        let budget = Budget::new(Some(Duration::ZERO), None);
        assert!(budget.within(Duration::from_secs(60)).is_exhausted());
    }
}
