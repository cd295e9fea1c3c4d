//! A stack that bears the deepest trees which the parser builds.

use std::cell::Cell;
use std::thread;

/// Reserved, not used: the system gives memory only for what is touched.
const STACK_BYTES: usize = 1 << 30;

thread_local! {
    static ON_LARGE_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on a thread whose stack bears trees up to [`crate::parser::Limits::LARGE_STACK`].
/// Whoever walks such a tree recursively, or drops it, does so in here.
///
/// Within itself it just calls `work`. A panic in `work` goes on in the caller.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if ON_LARGE_STACK.get() {
        return work();
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("front end".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || {
                ON_LARGE_STACK.set(true);
                work()
            })
            .expect("a system that cannot reserve address space cannot run the analyses either");
        match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(level: u32) -> u64 {
        let filling = std::hint::black_box([u64::from(level); 64]);
        if level == 0 {
            0
        } else {
            deep(level - 1) + (filling[0] - u64::from(level) + 1)
        }
    }

    #[test]
    fn it_bears_deep_recursion_and_nests() {
        let levels = 200_000;
        let outer = on_large_stack(|| on_large_stack(|| deep(levels)));
        assert_eq!(outer, u64::from(levels));
    }
}
