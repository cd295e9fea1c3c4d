//! Limits of processor time for parts of the work.
//!
//! Analyses that run side by side share the processors, with each other and with whatever else the
//! machine does, so the time on the wall says little about how much of its part an analysis has
//! used. A part may itself be work for several threads: what counts is what all of them use.

use crate::StopToken;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the used time is looked at.
const PERIOD: Duration = Duration::from_millis(10);

/// The processor time that the threads of one part of the work have used, and may use.
#[derive(Debug)]
pub struct Account {
    sums: Mutex<Sums>,
    /// Of the work that this is a part of, if that has a limit too.
    above: Option<Arc<Account>>,
}

#[derive(Debug)]
struct Sums {
    limit: Duration,
    /// What threads have used that do not work for it any more.
    ended: Duration,
    at_work: Vec<Entry>,
    next: u64,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    clock: ThreadClock,
    /// What the clock said when the thread began to work for the account.
    begin: Duration,
}

impl Entry {
    fn used(&self) -> Duration {
        self.clock.now().saturating_sub(self.begin)
    }
}

impl Account {
    pub fn new(limit: Duration, above: Option<Arc<Account>>) -> Arc<Account> {
        Arc::new(Account {
            sums: Mutex::new(Sums {
                limit,
                ended: Duration::ZERO,
                at_work: Vec::new(),
                next: 0,
            }),
            above,
        })
    }

    fn sums(&self) -> MutexGuard<'_, Sums> {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What may still be used.
    pub fn left(&self) -> Duration {
        let sums = self.sums();
        let used: Duration = sums.at_work.iter().map(Entry::used).sum();
        sums.limit.saturating_sub(sums.ended + used)
    }

    /// Raises the limit. It is too late for work that the limit has ended.
    pub fn grant(&self, more: Duration) {
        let mut sums = self.sums();
        sums.limit = sums.limit.saturating_add(more);
    }

    fn threads(&self) -> usize {
        self.sums().at_work.len()
    }
}

/// The calling thread works for an account, and for those above if it is new to them, as long as
/// this exists.
#[derive(Debug)]
pub struct AtWork(Vec<(Arc<Account>, u64)>);

impl AtWork {
    /// A new thread, for the account and all above it.
    pub fn begin(account: Option<&Arc<Account>>) -> AtWork {
        let mut entries = Vec::new();
        let mut next = account;
        while let Some(account) = next {
            entries.push(AtWork::entry(account));
            next = account.above.as_ref();
        }
        AtWork(entries)
    }

    /// A thread that works for those above already.
    fn also_for(account: &Arc<Account>) -> AtWork {
        AtWork(vec![AtWork::entry(account)])
    }

    fn entry(account: &Arc<Account>) -> (Arc<Account>, u64) {
        let mut sums = account.sums();
        let number = sums.next;
        sums.next += 1;
        let clock = ThreadClock::current();
        let begin = clock.now();
        sums.at_work.push(Entry {
            number,
            clock,
            begin,
        });
        drop(sums);
        (Arc::clone(account), number)
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        for (account, number) in &self.0 {
            let mut sums = account.sums();
            if let Some(at) = sums.at_work.iter().position(|each| each.number == *number) {
                let entry = sums.at_work.swap_remove(at);
                sums.ended += entry.used();
            }
        }
    }
}

/// Stops the token when the threads of the account have used it up. Dropping it ends the watch, and
/// what the calling thread does for the account.
pub struct CpuLimit {
    /// Its end is the sign for the watch to end.
    _alive: Option<Sender<()>>,
    _at_work: AtWork,
}

impl CpuLimit {
    /// Nobody watches, because a deadline says the same: where time is counted.
    pub fn by_deadline() -> CpuLimit {
        CpuLimit {
            _alive: None,
            _at_work: AtWork::begin(None),
        }
    }

    /// For the calling thread, from now on, and for those that it lets work for the account. Where
    /// the system does not tell the time of threads, time on the wall counts.
    pub fn start(account: &Arc<Account>, token: StopToken) -> CpuLimit {
        let (alive, ended) = mpsc::channel::<()>();
        let at_work = AtWork::also_for(account);
        let account = Arc::clone(account);
        let watch = move || {
            loop {
                let left = account.left();
                if left.is_zero() {
                    token.stop();
                    return;
                }
                // Threads that work at once use it up so much faster.
                let soon = left / (4 * account.threads().max(1) as u32);
                match ended.recv_timeout(PERIOD.max(soon)) {
                    Err(RecvTimeoutError::Timeout) => {}
                    _ => return,
                }
            }
        };
        let thread = std::thread::Builder::new().name("cpu limit".into());
        // Without the watch the deadline of the whole is what ends the work.
        let is_watched = thread.spawn(watch).is_ok();
        CpuLimit {
            _alive: is_watched.then_some(alive),
            _at_work: at_work,
        }
    }
}

/// The processor time of one thread, read by another.
#[derive(Debug)]
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

    /// Uses processor time until the token is set, or for too long.
    fn work_until(token: &StopToken) {
        let begin = Instant::now();
        let mut number = 1u64;
        while !token.is_stopped() && begin.elapsed() < Duration::from_secs(20) {
            number = std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005));
        }
    }

    #[test]
    fn what_other_threads_of_the_part_use_counts() {
        let token = StopToken::new();
        let above = Account::new(Duration::from_secs(3600), None);
        let account = Account::new(Duration::from_millis(60), Some(above.clone()));
        let _limit = CpuLimit::start(&account, token.clone());
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let _at_work = AtWork::begin(Some(&account));
                    work_until(&token);
                });
            }
        });
        assert!(token.is_stopped());
        assert_eq!(account.left(), Duration::ZERO);
        // What has ended still counts, also above.
        let used = Duration::from_secs(3600) - above.left();
        assert!(used >= Duration::from_millis(59), "{used:?}");
        account.grant(Duration::from_secs(5));
        let left = account.left();
        assert!(left > Duration::ZERO && left <= Duration::from_secs(5));
    }

    #[test]
    fn work_is_stopped_and_sleep_is_not() {
        let token = StopToken::new();
        let account = Account::new(Duration::from_millis(60), None);
        let limit = CpuLimit::start(&account, token.clone());
        std::thread::sleep(Duration::from_millis(200));
        if std::path::Path::new("/proc/thread-self/schedstat").exists() {
            assert!(!token.is_stopped(), "sleeping uses no processor time");
        }
        work_until(&token);
        assert!(token.is_stopped());
        drop(limit);
    }

    #[test]
    fn the_watch_ends_with_the_limit() {
        let token = StopToken::new();
        let account = Account::new(Duration::from_millis(20), None);
        drop(CpuLimit::start(&account, token.clone()));
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(80) {
            std::hint::black_box(token.is_stopped());
        }
        assert!(!token.is_stopped());
    }
}
