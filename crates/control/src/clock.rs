//! The time that decisions depend on: as the machine's clock has it, or counted by the work that is
//! done.
//!
//! Analyses give up after some time: a search for an interpolant after seconds, a question to the
//! solver after milliseconds. What a run finds therefore depends on how fast the machine is and
//! what else it does. Where a run must be repeatable, a thread counts instead: time stands still
//! but for [`tick`], and ticks are where the work is, so the same work takes the same time on every
//! machine.
//!
//! Laws: on a thread that counts, [`now`] depends only on the ticks since it began to count, and
//! never goes back. Time that is only shown may come from any clock; time that decides something
//! comes from here.

use std::cell::Cell;
use std::time::{Duration, Instant};

thread_local! {
    /// When this thread began to count, and what it has counted since.
    static COUNTED: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
}

/// The time on this thread.
pub fn now() -> Instant {
    match COUNTED.get() {
        Some((begin, counted)) => begin + counted,
        None => Instant::now(),
    }
}

/// How long ago that was, on this thread.
pub fn since(begin: Instant) -> Duration {
    now().saturating_duration_since(begin)
}

/// Work was done that usually takes so long. Says nothing on threads that do not count.
#[inline]
pub fn tick(work: Duration) {
    if let Some((begin, counted)) = COUNTED.get() {
        COUNTED.set(Some((begin, counted.saturating_add(work))));
    }
}

/// The time that this thread has counted; `None` if it does not count.
pub fn counted() -> Option<Duration> {
    COUNTED.get().map(|(_, counted)| counted)
}

/// The time of a thread, for another one that does its work.
#[derive(Clone, Copy)]
pub struct Handed(Option<(Instant, Duration)>);

/// This thread's time, to be taken up by another thread.
pub fn hand_over() -> Handed {
    Handed(COUNTED.get())
}

impl Handed {
    /// The calling thread goes on from there.
    #[must_use]
    pub fn take_up(self) -> Counting {
        let before = COUNTED.replace(self.0);
        Counting { before }
    }

    /// What a thread that took it up has counted since; to be called there.
    pub fn counted_since(self) -> Duration {
        let at_first = self.0.map_or(Duration::ZERO, |(_, counted)| counted);
        counted().unwrap_or_default().saturating_sub(at_first)
    }
}

/// The thread counts as long as this exists.
pub struct Counting {
    before: Option<(Instant, Duration)>,
}

/// From now on the time of this thread is counted.
#[must_use]
pub fn count() -> Counting {
    let before = COUNTED.replace(Some((Instant::now(), Duration::ZERO)));
    Counting { before }
}

impl Drop for Counting {
    fn drop(&mut self) {
        COUNTED.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_time_depends_on_ticks_alone() {
        let counting = count();
        let begin = now();
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(now(), begin);
        tick(Duration::from_secs(5));
        assert_eq!(since(begin), Duration::from_secs(5));
        assert_eq!(counted(), Some(Duration::from_secs(5)));
        // Other threads have the machine's time.
        let other = std::thread::spawn(counted).join();
        assert_eq!(other.expect("it does not panic"), None);
        // But for those that do this one's work.
        let handed = hand_over();
        let worker = std::thread::spawn(move || {
            let _counting = handed.take_up();
            tick(Duration::from_secs(2));
            (counted(), handed.counted_since())
        });
        let seven = Some(Duration::from_secs(7));
        assert_eq!(
            worker.join().expect("it does not panic"),
            (seven, Duration::from_secs(2))
        );
        drop(counting);
        assert_eq!(counted(), None);
    }

    #[test]
    fn without_counting_ticks_mean_nothing() {
        let begin = now();
        tick(Duration::from_secs(3600));
        assert!(since(begin) < Duration::from_secs(1800));
    }
}
