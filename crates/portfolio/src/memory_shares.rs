//! Which engine works in which thread, and which of them has taken most of the memory.
//!
//! The system does not say how much memory a thread has taken: all of it belongs to the process.
//! But it counts the pages that each thread was the first to touch, and a thread that takes memory
//! touches it. So what the process grew between two looks is shared out by how many pages each
//! thread touched meanwhile. Nothing rests on it but the choice of the engine that is left out when
//! memory has run out.

use crate::held;
use std::collections::BTreeMap;
use std::sync::Mutex;

#[derive(Default)]
pub struct MemoryShares(Mutex<State>);

#[derive(Default)]
struct State {
    /// By the number of the thread.
    engines: BTreeMap<i32, Working>,
    /// Bytes of the process at the last look.
    size: u64,
    /// The engine that was last said to have taken most.
    said: Option<String>,
}

struct Working {
    engine: String,
    /// Pages that the thread had touched first at the last look.
    touched: u64,
    /// Bytes that the engine has taken.
    taken: u64,
}

/// The memory may grow by this part of its limit between two looks: they cost a little.
const LOOKS: u64 = 64;

impl MemoryShares {
    /// The engine begins in the thread with this number, as the system counts them.
    pub fn begins(&self, engine: &str, thread: i32) {
        let working = Working {
            engine: engine.into(),
            touched: touched_pages(thread).unwrap_or(0),
            taken: 0,
        };
        held(&self.0).engines.insert(thread, working);
    }

    /// The engine of the thread has ended.
    pub fn ended(&self, thread: i32) {
        held(&self.0).engines.remove(&thread);
    }

    /// The process now has `size` bytes of its `limit`: who has taken most, if that is somebody
    /// else than before.
    pub fn look(&self, size: u64, limit: u64) -> Option<String> {
        held(&self.0).look(size, limit, touched_pages)
    }
}

impl State {
    fn look(
        &mut self,
        size: u64,
        limit: u64,
        touched: impl Fn(i32) -> Option<u64>,
    ) -> Option<String> {
        // What was given back is taken again by somebody.
        self.size = self.size.min(size);
        let grown = size - self.size;
        if grown < limit / LOOKS {
            return None;
        }
        self.size = size;
        let mut new = Vec::new();
        for (&thread, working) in &mut self.engines {
            let now = touched(thread).unwrap_or(working.touched);
            new.push(now.saturating_sub(working.touched));
            working.touched = now;
        }
        let all: u64 = new.iter().sum();
        if all == 0 {
            return None;
        }
        for (working, new) in self.engines.values_mut().zip(new) {
            let part = u128::from(grown) * u128::from(new) / u128::from(all);
            working.taken += u64::try_from(part).unwrap_or(grown);
        }
        let most = self.engines.values().max_by_key(|working| working.taken)?;
        if self.said.as_ref() == Some(&most.engine) {
            return None;
        }
        self.said = Some(most.engine.clone());
        self.said.clone()
    }
}

/// Pages of memory that the thread of this process was the first to touch.
fn touched_pages(thread: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).ok()?;
    // The name, in brackets, may hold anything.
    let (_, rest) = text.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(7)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use process::last_words::thread_number;

    #[test]
    fn whoever_touches_new_memory_has_taken_it() {
        let before = touched_pages(thread_number()).expect("there is /proc");
        let room = std::hint::black_box(vec![1u8; 40 << 20]);
        let after = touched_pages(thread_number()).expect("there is /proc");
        // Pages may be large.
        assert!(after > before, "{before} pages, then {after}");
        drop(room);
    }

    fn working(engine: &str) -> Working {
        Working {
            engine: engine.into(),
            touched: 10,
            taken: 0,
        }
    }

    #[test]
    fn growth_is_shared_out_by_pages() {
        let mut state = State {
            engines: BTreeMap::from([(1, working("a")), (2, working("b"))]),
            size: 1000,
            said: None,
        };
        // Too little to look.
        assert_eq!(state.look(1001, 6400, |_| Some(99)), None);
        let pages = |thread: i32| Some(if thread == 1 { 40 } else { 20 });
        assert_eq!(state.look(1400, 6400, pages), Some("a".into()));
        assert_eq!(
            (state.engines[&1].taken, state.engines[&2].taken),
            (300, 100)
        );
        // Still the same.
        let pages = |thread: i32| Some(if thread == 1 { 40 } else { 30 });
        assert_eq!(state.look(1550, 6400, pages), None);
        // Memory was given back, and what another one then takes is its own.
        assert_eq!(state.look(600, 6400, pages), None);
        let pages = |thread: i32| Some(if thread == 1 { 40 } else { 130 });
        assert_eq!(state.look(1600, 6400, pages), Some("b".into()));
        // Who has ended has nothing.
        state.engines.remove(&2);
        let pages = |_| Some(41);
        assert_eq!(state.look(1700, 6400, pages), Some("a".into()));
    }
}
