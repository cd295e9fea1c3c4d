//! Letting others go first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lets one worker go first: while it is closed, all whose tokens have this gate wait where they
/// look at them.
///
/// Law: whoever closes it works with tokens without it, and so does everybody that it waits for.
#[derive(Debug, Default)]
pub struct Gate {
    is_closed: AtomicBool,
    closing: Mutex<Closing>,
    opened: Condvar,
}

/// Who closed the gate last, and until when.
#[derive(Debug, Default)]
struct Closing {
    /// Counts the closings, so that nobody opens what somebody else has closed after him.
    number: u64,
    until: Option<Instant>,
}

impl Closing {
    fn is_in_force(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }
}

/// The gate is closed as long as this exists, but no longer than was said.
pub struct ClosedGate<'a> {
    gate: &'a Gate,
    number: u64,
}

impl Gate {
    /// Closes the gate for at most so long; `None` if somebody else has closed it.
    pub fn close(&self, at_most: Duration) -> Option<ClosedGate<'_>> {
        let mut closing = self.closing.lock().unwrap_or_else(PoisonError::into_inner);
        if closing.is_in_force() {
            return None;
        }
        closing.number += 1;
        closing.until = Some(Instant::now() + at_most);
        self.is_closed.store(true, Ordering::Relaxed);
        Some(ClosedGate {
            gate: self,
            number: closing.number,
        })
    }

    /// Waits until the gate is open or there is a reason to go on.
    pub(crate) fn pass(&self, must_go_on: impl Fn() -> bool) {
        /// Requests to stop do not wake those who wait: they look this often.
        const LOOK_EVERY: Duration = Duration::from_millis(20);
        if !self.is_closed.load(Ordering::Relaxed) {
            return;
        }
        let mut closing = self.closing.lock().unwrap_or_else(PoisonError::into_inner);
        while closing.is_in_force() && !must_go_on() {
            let waited = self.opened.wait_timeout(closing, LOOK_EVERY);
            closing = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for ClosedGate<'_> {
    fn drop(&mut self) {
        let gate = self.gate;
        let mut closing = gate.closing.lock().unwrap_or_else(PoisonError::into_inner);
        // Its time may have been over, and somebody else's turn come.
        if closing.number != self.number {
            return;
        }
        closing.until = None;
        gate.is_closed.store(false, Ordering::Relaxed);
        gate.opened.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StopToken;
    use std::sync::Arc;

    /// Looks at the token until it is stopped, and counts.
    fn look(token: &StopToken, count: &std::sync::atomic::AtomicU64) {
        while !token.is_stopped() {
            count.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn others_wait_at_a_closed_gate_and_go_on_when_it_opens() {
        let gate = Arc::new(Gate::default());
        let token = StopToken::new().with_gate(&gate);
        let count = std::sync::atomic::AtomicU64::new(0);
        let counted = || count.load(Ordering::Relaxed);
        std::thread::scope(|scope| {
            let (part, count) = (token.child(), &count);
            scope.spawn(move || look(&part, count));
            let closed = gate.close(Duration::from_secs(60)).expect("it is open");
            assert!(gate.close(Duration::ZERO).is_none());
            std::thread::sleep(Duration::from_millis(50));
            let before = counted();
            std::thread::sleep(Duration::from_millis(100));
            assert_eq!(counted(), before, "somebody went on");
            assert!(!token.without_gate().is_stopped());
            drop(closed);
            let begin = Instant::now();
            while counted() <= before + 3 && begin.elapsed() < Duration::from_secs(20) {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert!(counted() > before, "nobody went on");
            token.stop();
        });
    }

    #[test]
    fn a_gate_holds_up_nobody_who_is_to_stop_nor_longer_than_was_said() {
        let gate = Arc::new(Gate::default());
        let token = StopToken::new().with_gate(&gate);
        let _closed = gate.close(Duration::from_millis(50)).expect("it is open");
        assert!(!token.is_stopped());
        let _again = gate
            .close(Duration::from_secs(60))
            .expect("the time is over");
        let begin = Instant::now();
        let short = token.with_timeout(Duration::from_millis(50));
        assert!(short.is_stopped() && begin.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn whose_time_is_over_does_not_open_what_another_has_closed() {
        let gate = Arc::new(Gate::default());
        let token = StopToken::new().with_gate(&gate);
        let late = gate.close(Duration::ZERO).expect("it is open");
        let closed = gate
            .close(Duration::from_secs(60))
            .expect("the time is over");
        drop(late);
        assert!(gate.close(Duration::ZERO).is_none(), "it was opened");
        let begin = Instant::now();
        let short = token.with_timeout(Duration::from_millis(50));
        assert!(short.is_stopped() && begin.elapsed() >= Duration::from_millis(50));
        drop(closed);
        assert!(gate.close(Duration::ZERO).is_some());
    }
}
