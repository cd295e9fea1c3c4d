//! Which thread a process died in, said by the process itself.
//!
//! What ends a process from within (an abort in a library, a stack that overflowed, an access to
//! memory that is not there) happens in a thread, and from outside nobody can see in which one. So
//! the process says it, in the moment of its death: one line on its standard output, which whoever
//! reads that output can tell from other lines.

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, raise, sigaction};
use std::sync::OnceLock;

/// What a program that fails does to itself.
const FATAL: [Signal; 5] = [
    Signal::SIGABRT,
    Signal::SIGSEGV,
    Signal::SIGBUS,
    Signal::SIGFPE,
    Signal::SIGILL,
];

/// What the line is made of, and what was to happen at each signal before.
struct Words {
    before: &'static [u8],
    after: &'static [u8],
    actions: [SigAction; FATAL.len()],
}

static WORDS: OnceLock<Words> = OnceLock::new();

/// Room for the words and the digits of a number.
const LONGEST: usize = 256;

/// The number of the calling thread, as [`say_where`] says it.
pub fn thread_number() -> i32 {
    nix::unistd::gettid().as_raw()
}

/// From now on, a process that dies of its own doing first writes a line: the thread's number
/// between the given words. The line stands alone whatever else is being written, as long as it is
/// short. What else was to happen then (the message about a stack that overflowed) still happens.
pub fn say_where(before: &'static str, after: &'static str) -> nix::Result<()> {
    if before.len() + after.len() + 16 > LONGEST {
        return Err(Errno::E2BIG);
    }
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    let mut actions = [default; FATAL.len()];
    // On the stack that the standard library keeps for this: the thread's own may be what is full.
    let ours = SigAction::new(
        SigHandler::Handler(last_words),
        SaFlags::SA_ONSTACK,
        SigSet::empty(),
    );
    for (signal, action) in FATAL.into_iter().zip(&mut actions) {
        // SAFETY: the handler makes system calls only: it neither allocates nor takes a lock. Until
        // WORDS is set it does nothing but to restore the default, which then is what was there.
        *action = unsafe { sigaction(signal, &ours) }?;
    }
    let words = Words {
        before: before.as_bytes(),
        after: after.as_bytes(),
        actions,
    };
    // Who was first is as good.
    let _ = WORDS.set(words);
    Ok(())
}

extern "C" fn last_words(number: libc::c_int) {
    let Ok(signal) = Signal::try_from(number) else {
        return;
    };
    let mut action = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    if let Some(words) = WORDS.get() {
        let mut line = [0; LONGEST];
        let mut length = 0;
        let mut digits = [0; 12];
        let parts: [&[u8]; 5] = [
            b"\n",
            words.before,
            decimal(thread_number(), &mut digits),
            words.after,
            b"\n",
        ];
        for part in parts {
            for &byte in part {
                line[length] = byte;
                length += 1;
            }
        }
        // SAFETY: the buffer is as long as is said. In one piece, so that no other thread's words
        // come between.
        unsafe { libc::write(libc::STDOUT_FILENO, line.as_ptr().cast(), length) };
        if let Some(index) = FATAL.iter().position(|&known| known == signal) {
            action = words.actions[index];
        }
    }
    // SAFETY: what was there before, or the default.
    let _ = unsafe { sigaction(signal, &action) };
    // A fault happens once more as soon as we return. An abort need not: its signal may have been
    // sent.
    if signal == Signal::SIGABRT {
        let _ = raise(signal);
    }
}

/// The digits of a number that is not negative, without the formatting of the standard library,
/// which may allocate.
fn decimal(mut number: i32, room: &mut [u8; 12]) -> &[u8] {
    let mut begin = room.len();
    loop {
        begin -= 1;
        room[begin] = b'0' + (number % 10).unsigned_abs() as u8;
        number /= 10;
        if number == 0 || begin == 0 {
            return &room[begin..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    /// The test starts itself once more with this set, to die.
    const HOW: &str = "PROCESS_TEST_DEATH";

    fn overflow(depth: u64) -> u64 {
        let room = [depth; 64];
        std::hint::black_box(&room);
        match depth {
            u64::MAX => 0,
            _ => overflow(depth + 1) + room[7],
        }
    }

    fn die(how: &str) {
        say_where("died in <", ">").expect("signals can be handled");
        let how = how.to_owned();
        let thread = std::thread::spawn(move || {
            println!("the thread is <{}>", thread_number());
            match how.as_str() {
                "abort" => std::process::abort(),
                _ => println!("{}", overflow(0)),
            }
        });
        let _ = thread.join();
    }

    #[test]
    fn a_dying_process_says_in_which_thread() {
        if let Ok(how) = std::env::var(HOW) {
            return die(&how);
        }
        let name = "last_words::tests::a_dying_process_says_in_which_thread";
        for how in ["abort", "overflow"] {
            let test = std::env::current_exe().expect("tests are files");
            let output = Command::new(test)
                .args(["--exact", name, "--nocapture"])
                .env(HOW, how)
                .output()
                .expect("the test can be started");
            let text = String::from_utf8_lossy(&output.stdout);
            let words = String::from_utf8_lossy(&output.stderr);
            let number = |begin: &str| {
                let line = text.lines().find(|line| line.starts_with(begin));
                line.unwrap_or_else(|| panic!("{how}: no '{begin}' in {text}{words}"))
                    [begin.len()..]
                    .to_owned()
            };
            assert_eq!(number("died in "), number("the thread is "), "{how}");
            let abort = Some(Signal::SIGABRT as i32);
            assert_eq!(output.status.signal(), abort, "{how}: {words}");
            if how == "overflow" {
                assert!(words.contains("overflowed its stack"), "{words}");
            }
        }
    }

    #[test]
    fn numbers_have_their_digits() {
        for number in [0, 7, 10, 4_194_304, i32::MAX] {
            let mut room = [0; 12];
            assert_eq!(decimal(number, &mut room), number.to_string().as_bytes());
        }
    }
}
