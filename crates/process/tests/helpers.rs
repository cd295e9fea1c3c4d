//! Helpers and dialogues that misbehave: each is ended at its limit, and nothing of it is left.

mod common;

use common::{appears, left_running, new_mark, python, seconds, shell};
use control::StopToken;
use process::dialogue::{Dialogue, Heard};
use process::helper::{self, HelperLimits, HelperOutcome, Listen};
use process::{Cause, CommandLine, Exit, InputText};
use std::time::{Duration, Instant};

/// Long enough for every machine: a test that takes it has failed.
const LONG: f64 = 60.0;

fn no_limits() -> HelperLimits {
    HelperLimits {
        wall: seconds(LONG),
        ..HelperLimits::default()
    }
}

/// Runs it with a variable in the environment that all descendants carry, and checks that none of
/// them is left.
fn run(command: CommandLine, limits: &HelperLimits) -> HelperOutcome {
    run_until(command, limits, &StopToken::new())
}

fn run_until(command: CommandLine, limits: &HelperLimits, stop: &StopToken) -> HelperOutcome {
    let mark = new_mark();
    let command = command.variable("PROCESS_TEST_MARK", &mark);
    let outcome = helper::run(&command, limits, Listen::Both, stop).unwrap();
    assert_eq!(left_running(&mark), Vec::<String>::new(), "left running");
    outcome
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_good_helper_ends_by_itself() {
    let outcome = run(shell("echo out; echo err >&2; exit 3"), &no_limits());
    let ended = (outcome.cause, outcome.exit);
    assert_eq!(ended, (Cause::Finished, Exit::Code(3)));
    assert_eq!(
        (&*outcome.stdout, &*outcome.stderr),
        (&b"out\n"[..], &b"err\n"[..])
    );
    assert!(!outcome.success() && run(shell("true"), &no_limits()).success());
    let outcome = run(shell("kill -SEGV $$"), &no_limits());
    assert_eq!(
        (outcome.cause, outcome.exit),
        (Cause::Finished, Exit::Signal(11))
    );
}

#[test]
fn what_is_not_listened_to_is_dropped() {
    let command = shell("echo out; echo err >&2");
    let listen = Listen::ToErrors;
    let outcome = helper::run(&command, &no_limits(), listen, &StopToken::new()).unwrap();
    assert!(outcome.success() && outcome.stdout.is_empty());
    assert_eq!(outcome.stderr, b"err\n");
}

#[test]
fn what_cannot_be_started_says_so() {
    let command = CommandLine::new("/does/not/exist");
    let start =
        |limits: &HelperLimits| helper::run(&command, limits, Listen::Both, &StopToken::new());
    let error = start(&no_limits()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    let limits = HelperLimits {
        cpu: seconds(LONG),
        ..no_limits()
    };
    assert_eq!(start(&limits).unwrap().exit, Exit::Code(127));
}

#[test]
fn ignoring_sigterm_does_not_help() {
    let limits = HelperLimits {
        wall: seconds(0.2),
        ..HelperLimits::default()
    };
    let outcome = run(shell("trap '' TERM; while :; do sleep 0.05; done"), &limits);
    let ended = (outcome.cause, outcome.exit);
    assert_eq!(ended, (Cause::WallLimit, Exit::Signal(9)));
}

#[test]
fn grandchildren_end_too() {
    let limits = HelperLimits {
        wall: seconds(0.3),
        ..HelperLimits::default()
    };
    let script = "setsid sh -c 'setsid sleep 60 & sleep 60' & (sleep 60 &) ; sleep 60 & wait";
    assert_eq!(run(shell(script), &limits).cause, Cause::WallLimit);
    // Also if they hold the output open when their parent has ended.
    let begin = Instant::now();
    let outcome = run(shell("sleep 60 & echo done"), &no_limits());
    assert!(outcome.success() && outcome.stdout == b"done\n");
    assert!(begin.elapsed() < Duration::from_secs_f64(LONG / 2.0));
}

#[test]
fn forking_all_the_time_does_not_help() {
    let limits = HelperLimits {
        wall: seconds(0.3),
        ..HelperLimits::default()
    };
    // Bounded by itself too, so that a failing test does not take the machine with it.
    let script = "import os, sys, time\n\
        for i in range(2000):\n    \
            if os.fork() != 0: time.sleep(0.001); os._exit(0)\n    \
            if i % 50 == 0 and os.fork() == 0: time.sleep(60)\n";
    // The leader goes at once: the others are its group.
    let outcome = run(python(script), &limits);
    assert!(matches!(outcome.cause, Cause::Finished | Cause::WallLimit));
}

#[test]
fn writing_without_end_ends_at_the_limit() {
    let limits = HelperLimits {
        output: Some(1 << 20),
        ..no_limits()
    };
    for script in ["yes", "yes >&2", "yes & yes >&2"] {
        let outcome = run(shell(script), &limits);
        assert_eq!(outcome.cause, Cause::OutputLimit, "{script}");
        let total = outcome.stdout.len() + outcome.stderr.len();
        assert!((1 << 20..2 << 20).contains(&total), "{script}: {total}");
    }
}

#[test]
fn more_than_a_pipe_holds_may_go_to_both() {
    let script = "import sys\n\
        for i in range(20):\n    \
            sys.stderr.write('e' * 100000)\n    \
            sys.stdout.write('o' * 100000)\n";
    let outcome = run(python(script), &no_limits());
    assert!(outcome.success());
    assert_eq!(
        (outcome.stdout.len(), outcome.stderr.len()),
        (2_000_000, 2_000_000)
    );
    assert!(outcome.stdout.iter().all(|&byte| byte == b'o'));
}

#[test]
fn who_closes_the_output_is_still_waited_for() {
    let outcome = run(shell("exec >&- 2>&-; sleep 0.2; exit 5"), &no_limits());
    let ended = (outcome.cause, outcome.exit);
    assert_eq!(ended, (Cause::Finished, Exit::Code(5)));
    let limits = HelperLimits {
        wall: seconds(0.2),
        ..HelperLimits::default()
    };
    let outcome = run(shell("exec >&- 2>&-; sleep 60"), &limits);
    assert_eq!(outcome.cause, Cause::WallLimit);
}

#[test]
fn the_kernel_limits_each_process() {
    let limits = HelperLimits {
        memory: Some(300 << 20),
        ..no_limits()
    };
    let outcome = run(python("x = bytearray(1 << 30)"), &limits);
    let ended = (outcome.cause, outcome.exit);
    assert_eq!(ended, (Cause::Finished, Exit::Code(1)));
    assert!(text(&outcome.stderr).contains("MemoryError"));
    let limits = HelperLimits {
        cpu: seconds(0.3),
        ..no_limits()
    };
    let outcome = run(shell("while :; do :; done"), &limits);
    assert_eq!(outcome.cause, Cause::CpuLimit);
    let outcome = run(shell("trap '' XCPU; while :; do :; done"), &limits);
    assert_eq!(outcome.exit, Exit::Signal(9));
    let limits = HelperLimits {
        files: Some(4096),
        stack: Some(1 << 20),
        ..no_limits()
    };
    let script = "ulimit -s; ulimit -c; exec head -c 100000 /dev/zero > \"$TMPDIR/file\"";
    let outcome = run(shell(script), &limits);
    assert_eq!(outcome.exit, Exit::Signal(25));
    assert_eq!(text(&outcome.stdout), "1024\n0\n");
}

#[test]
fn a_token_ends_it() {
    let stop = StopToken::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            stop.stop();
        });
        let outcome = run_until(shell("sleep 60"), &no_limits(), &stop);
        let ended = (outcome.cause, outcome.exit);
        assert_eq!(ended, (Cause::Cancelled, Exit::Signal(9)));
    });
}

#[test]
fn the_directory_the_input_and_the_environment_are_as_ordered() {
    let input = InputText::new("from memory").unwrap();
    let mut command = shell("pwd; cat; echo; echo $GIVEN")
        .directory("/")
        .variable("GIVEN", "value");
    command.input = Some(input.path());
    let outcome = run(command, &no_limits());
    assert_eq!(text(&outcome.stdout), "/\nfrom memory\nvalue\n");
    let command = CommandLine {
        clean_environment: true,
        ..CommandLine::new("/usr/bin/env").variable("ONLY", "this")
    };
    let limits = no_limits();
    let outcome = helper::run(&command, &limits, Listen::Both, &StopToken::new()).unwrap();
    assert_eq!(text(&outcome.stdout), "ONLY=this\n");
}

#[test]
fn temporary_files_are_gone() {
    let limits = HelperLimits {
        wall: seconds(0.3),
        ..HelperLimits::default()
    };
    let script = "mkdir \"$TMPDIR/folder\"; echo > \"$TMPDIR/folder/file\"; echo $TMPDIR; sleep 60";
    let outcome = run(shell(script), &limits);
    let folder = text(&outcome.stdout);
    assert!(folder.contains("concord-run-"), "{folder}");
    assert!(!std::path::Path::new(folder.trim()).exists());
}

/// The next line, whenever it comes.
fn next(dialogue: &mut Dialogue) -> Option<String> {
    match dialogue.hear(Duration::from_secs_f64(LONG)) {
        Heard::Line(line) => Some(line),
        Heard::Silence => panic!("nothing is said"),
        Heard::End => None,
    }
}

#[test]
fn a_dialogue_goes_on_until_its_end() {
    let mut cat = Dialogue::start(&CommandLine::new("cat")).unwrap();
    assert_eq!(cat.hear(Duration::ZERO), Heard::Silence);
    for line in ["one", "two"] {
        cat.say(&format!("{line}\n")).unwrap();
        assert_eq!(next(&mut cat).as_deref(), Some(line));
    }
    cat.end();
    assert!(cat.say("three\n").is_err());
    assert_eq!(next(&mut cat), None);
    let mut ended = Dialogue::start(&shell("echo first; printf last")).unwrap();
    assert_eq!(next(&mut ended).as_deref(), Some("first"));
    assert_eq!(next(&mut ended).as_deref(), Some("last"));
    assert_eq!(next(&mut ended), None);
    let error = Dialogue::start(&CommandLine::new("/does/not/exist"));
    assert_eq!(error.err().unwrap().kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn nothing_of_a_dialogue_is_left() {
    let scripts = [
        "trap '' TERM; echo; sleep 60 & setsid sleep 60 & while :; do sleep 0.05; done",
        "exec 2>&-; echo; exec >&-; sleep 60",
        "yes",
    ];
    for script in scripts {
        let mark = new_mark();
        let command = shell(script).variable("PROCESS_TEST_MARK", &mark);
        let mut dialogue = Dialogue::start(&command).unwrap();
        assert!(next(&mut dialogue).is_some(), "{script}");
        assert!(appears(&mark), "{script}");
        drop(dialogue);
        assert_eq!(left_running(&mark), Vec::<String>::new(), "{script}");
    }
}
