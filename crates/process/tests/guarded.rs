//! Programs that misbehave in every way we could think of: each is ended at its limit, with the
//! right cause, and nothing of it is left.

mod common;

use common::{appears, left_running, new_mark, python, seconds, shell};
use process::{
    Cause, CommandLine, Exit, Guard, Limits, Outcome, OutputPolicy, SoftStop, StartError, start,
};
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn test_guard() -> Guard {
    Guard {
        program: env!("CARGO_BIN_EXE_process-example").into(),
        arguments: Vec::new(),
    }
}

/// Runs with a variable in the environment that all descendants carry, and checks that none of them
/// is left.
fn run(command: CommandLine, limits: &Limits) -> Outcome {
    let mark = new_mark();
    let command = command.variable("PROCESS_TEST_MARK", &mark);
    let policy = OutputPolicy::keep(10_000);
    let outcome = start(&test_guard(), &command, limits, &policy, &policy, None)
        .unwrap()
        .wait()
        .unwrap();
    assert!(outcome.left_behind.is_empty());
    let left: Vec<String> = left_running(&mark);
    assert!(left.is_empty(), "left running: {left:?}");
    outcome
}

/// Runs, and checks why it ended.
fn ends_with(cause: Cause, command: CommandLine, limits: &Limits) -> Outcome {
    let outcome = run(command, limits);
    assert_eq!(outcome.cause, cause, "{:?}", outcome.usage);
    outcome
}

/// No limit but the one that is set here, and one of time, for tests that must not hang.
fn limited(set: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits {
        wall: seconds(60.0),
        ..Limits::default()
    };
    set(&mut limits);
    limits
}

#[test]
fn a_good_program_ends_by_itself() {
    let outcome = run(shell("echo out; echo err >&2; exit 3"), &Limits::default());
    assert_eq!(
        (outcome.cause, outcome.exit),
        (Cause::Finished, Exit::Code(3))
    );
    assert_eq!(
        (outcome.stdout.text(), outcome.stderr.text()),
        ("out\n".into(), "err\n".into())
    );
    assert!(!outcome.success());
}

#[test]
fn a_signal_is_reported() {
    assert_eq!(
        run(shell("kill -SEGV $$"), &Limits::default()).exit,
        Exit::Signal(11)
    );
}

/// Starts a command without limits.
fn start_freely(command: &CommandLine) -> Result<process::Running, StartError> {
    let (limits, policy) = (Limits::default(), OutputPolicy::default());
    start(&test_guard(), command, &limits, &policy, &policy, None)
}

#[test]
fn what_does_not_exist_is_an_error_with_its_name() {
    let command = CommandLine::new("/does/not/exist");
    match start_freely(&command) {
        Err(StartError::Command { program, .. }) => assert_eq!(program, "/does/not/exist"),
        other => panic!("{:?}", other.map(|_| ())),
    }
}

#[test]
fn another_program_is_no_guard() {
    let policy = OutputPolicy::default();
    let guard = Guard {
        program: "/bin/true".into(),
        arguments: Vec::new(),
    };
    let answer = start(
        &guard,
        &shell("true"),
        &Limits::default(),
        &policy,
        &policy,
        None,
    );
    assert!(matches!(answer, Err(StartError::Guard { .. })));
}

#[test]
fn spinning_ends_at_the_cpu_limit() {
    let limits = limited(|limits| limits.cpu = seconds(0.5));
    let outcome = ends_with(Cause::CpuLimit, shell("while :; do :; done"), &limits);
    assert!(
        outcome.usage.cpu >= Duration::from_millis(490),
        "{:?}",
        outcome.usage
    );
    assert!(
        outcome.usage.cpu < Duration::from_secs(3),
        "{:?}",
        outcome.usage
    );
}

#[test]
fn cpu_time_of_all_processes_counts() {
    let limits = limited(|limits| limits.cpu = seconds(0.6));
    ends_with(
        Cause::CpuLimit,
        shell("for i in 1 2 3; do (while :; do :; done) & done; wait"),
        &limits,
    );
}

#[test]
fn cpu_time_of_children_that_nobody_waits_for_counts() {
    // With SIGCHLD ignored the kernel forgets what ended children used.
    let script = "import os, signal\n\
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n\
        for i in range(100):\n    \
            if os.fork() == 0:\n        \
                while sum(os.times()[:2]) < 0.25: pass\n        \
                os._exit(0)\n    \
            try:\n        os.wait()\n    \
            except ChildProcessError: pass\n";
    let limits = limited(|limits| limits.cpu = seconds(1.0));
    ends_with(Cause::CpuLimit, python(script), &limits);
}

#[test]
fn sleeping_ends_at_the_wall_limit() {
    let limits = Limits {
        wall: seconds(0.3),
        ..Limits::default()
    };
    let outcome = run(shell("sleep 60"), &limits);
    assert_eq!(outcome.cause, Cause::WallLimit);
    assert!(
        outcome.usage.wall >= Duration::from_millis(300)
            && outcome.usage.wall < Duration::from_secs(5)
    );
    assert!(outcome.usage.cpu < Duration::from_millis(200));
}

#[test]
fn ignoring_sigterm_ends_with_sigkill_after_the_grace() {
    let limits = Limits {
        wall: seconds(0.2),
        grace: Duration::from_millis(400),
        ..Limits::default()
    };
    let outcome = run(shell("trap '' TERM; while :; do sleep 0.05; done"), &limits);
    assert_eq!(
        (outcome.cause, outcome.exit),
        (Cause::WallLimit, Exit::Signal(9))
    );
    assert!(
        outcome.usage.wall >= Duration::from_millis(600),
        "{:?}",
        outcome.usage
    );
}

#[test]
fn who_listens_to_sigterm_may_say_a_last_word() {
    for soft_stop in [SoftStop::Root, SoftStop::Tree] {
        let limits = Limits {
            wall: seconds(0.3),
            grace: Duration::from_secs(5),
            soft_stop,
            ..Limits::default()
        };
        let outcome = run(
            shell("trap 'echo last word; exit 7' TERM; while :; do sleep 0.05; done"),
            &limits,
        );
        assert_eq!(
            (outcome.cause, outcome.exit),
            (Cause::WallLimit, Exit::Code(7))
        );
        assert_eq!(outcome.stdout.text(), "last word\n");
    }
}

#[test]
fn allocating_ten_gigabytes_ends_at_the_memory_limit() {
    let limits = limited(|limits| limits.memory = Some(200 << 20));
    let outcome = ends_with(
        Cause::MemoryLimit,
        python("x = []\nfor i in range(10000): x.append(bytearray(b'x') * (1 << 20))"),
        &limits,
    );
    assert!(outcome.usage.peak_memory > 150 << 20, "{:?}", outcome.usage);
}

#[test]
fn memory_of_all_processes_counts_and_shared_pages_once() {
    let fork = |body: &str| {
        format!(
            "import os, time\nx = bytearray(b'x') * (80 << 20)\nfor i in range(4):\n    \
            if os.fork() == 0:\n        {body}\n        time.sleep(1.2)\n        os._exit(0)\n\
            for i in range(4): os.wait()\n"
        )
    };
    let limits = limited(|limits| limits.memory = Some(250 << 20));
    // Five processes share the same 80 MB.
    let shared = run(python(&fork("pass")), &limits);
    assert_eq!(shared.cause, Cause::Finished, "{:?}", shared.usage);
    assert!(shared.usage.peak_memory < 200 << 20, "{:?}", shared.usage);
    // Each of them makes its own.
    assert_eq!(
        run(python(&fork("y = bytearray(b'y') * (80 << 20)")), &limits).cause,
        Cause::MemoryLimit
    );
}

#[test]
fn a_fork_bomb_is_stopped_and_swept_up() {
    let limits = limited(|limits| limits.processes = Some(40));
    // Bounded by itself too, so that a failing test does not take the machine with it.
    let outcome = ends_with(
        Cause::ProcessLimit,
        shell(
            "bomb() { [ $1 -gt 9 ] || { bomb $(($1+1)) & bomb $(($1+1)) & sleep 50; }; }; bomb 0",
        ),
        &limits,
    );
    assert!(outcome.usage.peak_processes > 40);
}

#[test]
fn forking_into_new_sessions_does_not_help() {
    let script = "import os, time\n\
        for i in range(60):\n    \
            if os.fork() == 0:\n        \
                os.setsid()\n        \
                if os.fork() != 0: os._exit(0)\n        \
                os.setsid()\n        time.sleep(60)\n\
        time.sleep(60)\n";
    let limits = limited(|limits| limits.processes = Some(30));
    assert_eq!(run(python(script), &limits).cause, Cause::ProcessLimit);
}

#[test]
fn a_daemon_does_not_outlive_its_run() {
    let script = "import os, time\n\
        if os.fork() == 0:\n    \
            os.setsid()\n    \
            if os.fork() != 0: os._exit(0)\n    \
            while True: time.sleep(0.01)\n\
        time.sleep(0.2)\nprint('done')\n";
    let outcome = run(python(script), &Limits::default());
    assert!(outcome.success());
    assert_eq!(outcome.stdout.text(), "done\n");
}

#[test]
fn cpu_time_of_a_daemon_counts() {
    let limits = limited(|limits| limits.cpu = seconds(0.5));
    ends_with(
        Cause::CpuLimit,
        shell("(setsid sh -c 'while :; do :; done' &) ; sleep 60"),
        &limits,
    );
}

#[test]
fn output_without_an_end_ends_at_the_output_limit() {
    let endless = shell("tr '\\0' 'x' < /dev/zero");
    let limits = limited(|limits| limits.output = Some(20 << 20));
    let outcome = ends_with(Cause::OutputLimit, endless, &limits);
    assert!(outcome.stdout.total() > 20 << 20);
    assert!(outcome.stdout.text().len() < 30_000);
}

#[test]
fn without_a_limit_the_middle_of_the_output_is_left_out() {
    let outcome = run(
        shell("echo begin; head -c 5000000 /dev/zero | tr '\\0' 'x'; echo; echo end"),
        &Limits::default(),
    );
    let text = outcome.stdout.text();
    assert!(
        text.starts_with("begin\n") && text.ends_with("\nend\n") && text.contains("bytes left out")
    );
    assert_eq!(outcome.stdout.total(), 5_000_011);
}

#[test]
fn output_goes_to_a_file_too() {
    let file = std::env::temp_dir().join(format!("process-output-{}", std::process::id()));
    let policy = OutputPolicy::keep(4).to_file(&file);
    let guard = test_guard();
    let command = shell("printf 0123456789");
    start(
        &guard,
        &command,
        &Limits::default(),
        &policy,
        &OutputPolicy::default(),
        None,
    )
    .unwrap()
    .wait()
    .unwrap();
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "0123\n[2 bytes left out]\n6789"
    );
    fs::remove_file(file).unwrap();
}

#[test]
fn lines_arrive_while_the_command_runs_and_it_can_be_cancelled() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let (send, receive) = std::sync::mpsc::channel();
    let seen = Arc::clone(&lines);
    let on_line = Box::new(move |line: &str| {
        seen.lock().unwrap().push(line.to_owned());
        send.send(()).unwrap();
    });
    let policy = OutputPolicy::default();
    let command = shell("echo one; echo two; sleep 60");
    let running = start(
        &test_guard(),
        &command,
        &Limits::default(),
        &policy,
        &policy,
        Some(on_line),
    )
    .unwrap();
    let canceller = running.canceller().unwrap();
    for _ in 0..2 {
        receive.recv_timeout(Duration::from_secs(20)).unwrap();
    }
    canceller.stop_softly();
    let outcome = running.wait().unwrap();
    assert_eq!(
        (outcome.cause, outcome.exit),
        (Cause::Cancelled, Exit::Signal(15))
    );
    assert_eq!(*lines.lock().unwrap(), ["one", "two"]);
    canceller.stop_now();
}

#[test]
fn dropping_a_run_ends_it() {
    let mark = format!("dropped-{}", std::process::id());
    let command = shell("setsid sleep 60 & sleep 60").variable("PROCESS_TEST_MARK", &mark);
    let running = start_freely(&command).unwrap();
    assert!(appears(&mark));
    drop(running);
    assert_eq!(left_running(&mark), Vec::<String>::new());
}

#[test]
fn the_directory_the_input_and_the_environment_are_as_ordered() {
    let input = std::env::temp_dir().join(format!("process-input-{}", std::process::id()));
    fs::write(&input, "from file").unwrap();
    let mut command = shell("pwd; cat; echo; echo $GIVEN; echo ${CONCORD_RUNNER_GUARD-unset}")
        .directory("/")
        .variable("GIVEN", "value");
    command.input = Some(input.clone());
    assert_eq!(
        run(command, &Limits::default()).stdout.text(),
        "/\nfrom file\nvalue\nunset\n"
    );
    fs::remove_file(input).unwrap();
}

#[test]
fn memory_and_time_are_measured() {
    let outcome = run(
        python(
            "import time\nx = bytearray(b'x') * (100 << 20)\ny = time.process_time()\nwhile time.process_time() < y + 0.3: pass",
        ),
        &Limits::default(),
    );
    assert!(
        outcome.usage.peak_memory > 100 << 20 && outcome.usage.peak_memory < 160 << 20,
        "{:?}",
        outcome.usage
    );
    assert!(
        outcome.usage.cpu > Duration::from_millis(300)
            && outcome.usage.cpu < Duration::from_secs(3)
    );
}

#[test]
fn a_guard_under_a_guard_leaves_nothing_either() {
    // What a benchmark of our own supervisor is: a run that itself guards runs.
    let script = "setsid sh -c 'while :; do :; done' & while :; do :; done";
    for soft_stop in [SoftStop::Root, SoftStop::Tree] {
        let command =
            CommandLine::new(env!("CARGO_BIN_EXE_process-example")).arguments(["sh", "-c", script]);
        let limits = Limits {
            cpu: seconds(1.0),
            wall: seconds(60.0),
            soft_stop,
            ..Limits::default()
        };
        let outcome = run(command, &limits);
        assert_eq!(outcome.cause, Cause::CpuLimit, "{}", outcome.stderr.text());
        assert!(
            outcome.usage.peak_processes >= 4,
            "the command, its guard, and two that spin"
        );
    }
}
