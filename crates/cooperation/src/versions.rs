//! A value that many read while some replace it.
//!
//! Laws: what a reader was given never changes; no replacement is lost; whoever has seen a number reads a version that is
//! at least as new. The types of `sync` are the standard library's here; a test puts those of a model checker for
//! threads in their place and goes through all interleavings.

use super::sync::{Arc, AtomicUsize, Mutex, Ordering};

#[derive(Debug)]
pub struct Versions<T> {
    current: Mutex<Arc<T>>,
    /// How often the value was replaced, to be asked without waiting for anybody.
    number: AtomicUsize,
}

impl<T> Versions<T> {
    pub fn new(first: T) -> Versions<T> {
        Versions {
            current: Mutex::new(Arc::new(first)),
            number: AtomicUsize::new(0),
        }
    }

    /// Puts another value in place of the current one, or leaves it; `true` if it was replaced.
    pub fn replace(&self, next: impl FnOnce(&T) -> Option<T>) -> bool {
        // A panic while the lock is held leaves the value as it was: replacing it is the last step.
        let mut current = match self.current.lock() {
            Ok(current) => current,
            Err(poisoned) => poisoned.into_inner(),
        };
        let Some(next) = next(&current) else {
            return false;
        };
        // Before the value: who sees the new number has to wait for the lock to read, and then reads the new value.
        self.number.fetch_add(1, Ordering::Release);
        *current = Arc::new(next);
        true
    }

    /// The current version. The lock is held only while a pointer is copied.
    pub fn read(&self) -> Arc<T> {
        match self.current.lock() {
            Ok(current) => Arc::clone(&current),
            Err(poisoned) => Arc::clone(&poisoned.into_inner()),
        }
    }

    pub fn number(&self) -> usize {
        self.number.load(Ordering::Acquire)
    }
}
