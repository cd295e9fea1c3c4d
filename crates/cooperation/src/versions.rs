//! A value that many read while some replace it.
//!
//! Laws: what a reader was given never changes; no replacement is lost; whoever has seen a number
//! reads a version that is at least as new; nobody waits while somebody makes the next version. The
//! types of `sync` are the standard library's here; a test puts those of a model checker for
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
    ///
    /// The next value is made of a version without the lock. If somebody else has replaced that
    /// version meanwhile, it is made once more: each time that happens, somebody has got on.
    pub fn replace(&self, mut next: impl FnMut(&T) -> Option<T>) -> bool {
        loop {
            let seen = self.read();
            let Some(next) = next(&seen) else {
                return false;
            };
            let next = Arc::new(next);
            // A panic while the lock is held leaves the value as it was: replacing it is the last
            // step.
            let mut current = match self.current.lock() {
                Ok(current) => current,
                Err(poisoned) => poisoned.into_inner(),
            };
            // As long as it is held here, no other version can come to lie where the seen one lies.
            if Arc::ptr_eq(&current, &seen) {
                // Before the value: who sees the new number has to wait for the lock to read, and
                // then reads the new value.
                self.number.fetch_add(1, Ordering::Release);
                *current = next;
                return true;
            }
        }
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
