//! A limit of processor time for the work of one thread.
//!
//! Analyses that run side by side share the processors, with each other and with whatever else the machine does, so
//! the time on the wall says little about how much of its part an analysis has used.

use logic::StopToken;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// How often the used time is looked at.
const PERIOD: Duration = Duration::from_millis(10);

/// Stops the token when the thread that made the limit has used it up. Dropping it ends the watch.
pub struct CpuLimit {
    /// Its end is the sign for the watch to end.
    _alive: Option<Sender<()>>,
}

impl CpuLimit {
    /// Nobody watches, because a deadline says the same: where time is counted.
    pub fn by_deadline() -> CpuLimit {
        CpuLimit { _alive: None }
    }

    /// For the calling thread, from now on. Where the system does not tell the time of threads, time on the wall
    /// counts.
    pub fn start(limit: Duration, token: StopToken) -> CpuLimit {
        let (alive, ended) = mpsc::channel::<()>();
        let clock = ThreadClock::current();
        let begin = clock.now();
        let watch = move || {
            let mut pause = PERIOD.max(limit / 4);
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(pause) {
                let used = clock.now().saturating_sub(begin);
                if used >= limit {
                    token.stop();
                    return;
                }
                pause = PERIOD.max((limit - used) / 4);
            }
        };
        let thread = std::thread::Builder::new().name("cpu limit".into());
        // Without the watch the deadline of the whole is what ends the work.
        let is_watched = thread.spawn(watch).is_ok();
        CpuLimit {
            _alive: is_watched.then_some(alive),
        }
    }
}

/// The processor time of one thread, read by another.
struct ThreadClock {
    /// The system's file about the thread, if there is one.
    file: Option<String>,
    begin: Instant,
}

impl ThreadClock {
    fn current() -> ThreadClock {
        let link = std::fs::read_link("/proc/thread-self").ok();
        let file = link.map(|thread| format!("/proc/{}/schedstat", thread.display()));
        ThreadClock {
            file: file.filter(|file| nanoseconds(file).is_some()),
            begin: Instant::now(),
        }
    }

    fn now(&self) -> Duration {
        let used = self.file.as_deref().and_then(nanoseconds);
        used.map_or_else(|| self.begin.elapsed(), Duration::from_nanos)
    }
}

fn nanoseconds(file: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    text.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_stopped_and_sleep_is_not() {
        let token = StopToken::new();
        let limit = CpuLimit::start(Duration::from_millis(60), token.clone());
        std::thread::sleep(Duration::from_millis(200));
        if std::path::Path::new("/proc/thread-self/schedstat").exists() {
            assert!(!token.is_stopped(), "sleeping uses no processor time");
        }
        let begin = Instant::now();
        let mut number = 1u64;
        while !token.is_stopped() && begin.elapsed() < Duration::from_secs(20) {
            number = std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005));
        }
        assert!(token.is_stopped());
        drop(limit);
    }

    #[test]
    fn the_watch_ends_with_the_limit() {
        let token = StopToken::new();
        drop(CpuLimit::start(Duration::from_millis(20), token.clone()));
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(80) {
            std::hint::black_box(token.is_stopped());
        }
        assert!(!token.is_stopped());
    }
}
