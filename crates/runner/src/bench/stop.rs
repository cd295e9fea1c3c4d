//! Stopping a benchmark run: what runs is ended and is no result, what is known is kept.

use nix::sys::signal::{SigSet, Signal};
use process::Canceller;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone, Default)]
pub struct Stop(Arc<State>);

#[derive(Default)]
struct State {
    requested: AtomicBool,
    /// Runs are asked to end at the first request, and are ended at the second.
    softly: AtomicBool,
    next: AtomicU64,
    running: Mutex<BTreeMap<u64, Canceller>>,
}

impl Stop {
    pub fn new() -> Self {
        Self::default()
    }

    /// Requested by SIGINT, SIGTERM or SIGHUP. To be called in `main` before any thread is started,
    /// because threads inherit which signals they leave to others.
    pub fn on_signals() -> nix::Result<Self> {
        let stop = Self::new();
        let mut signals = SigSet::empty();
        for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
            signals.add(signal);
        }
        signals.thread_block()?;
        let requested = stop.clone();
        std::thread::spawn(move || {
            while signals.wait().is_ok() {
                requested.request();
            }
        });
        Ok(stop)
    }

    /// The first request leaves runs the time of their grace, for last words.
    #[must_use]
    pub fn softly(self) -> Self {
        self.0.softly.store(true, Ordering::SeqCst);
        self
    }

    pub fn request(&self) {
        let is_first = !self.0.requested.swap(true, Ordering::SeqCst);
        for canceller in self
            .0
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
        {
            self.end(canceller, is_first);
        }
    }

    fn end(&self, canceller: &Canceller, is_first: bool) {
        if is_first && self.0.softly.load(Ordering::SeqCst) {
            canceller.stop_softly();
        } else {
            canceller.stop_now();
        }
    }

    pub fn is_requested(&self) -> bool {
        self.0.requested.load(Ordering::SeqCst)
    }

    /// While the returned value lives, a request ends that run.
    pub fn watch(&self, canceller: Canceller) -> Watched<'_> {
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let late = canceller.clone();
        self.0
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(number, canceller);
        // The request may have come between the start of the run and here.
        if self.is_requested() {
            self.end(&late, true);
        }
        Watched { stop: self, number }
    }
}

pub struct Watched<'stop> {
    stop: &'stop Stop,
    number: u64,
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.stop
            .0
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.number);
    }
}
