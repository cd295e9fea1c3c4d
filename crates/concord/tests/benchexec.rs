//! BenchExec from PyPI understands the tool-info module and the benchmark definition under
//! `contrib/benchexec`.

use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn the_tool_info_module_passes_the_test_of_benchexec() {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("benchexec-venv");
    let python = venv.join("bin/python");
    let runs = |command: &mut Command| {
        let command = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let is_ready = runs(Command::new(&python).args(["-c", "import benchexec"]))
        || runs(Command::new("python3").args(["-m", "venv"]).arg(&venv))
            && runs(Command::new(&python).args(["-m", "pip", "install", "--quiet", "benchexec"]));
    if !is_ready {
        assert!(
            std::env::var_os("CONCORD_CI").is_none(),
            "benchexec cannot be installed"
        );
        println!("SKIPPED: benchexec cannot be installed");
        return;
    }
    let executable = Path::new(env!("CARGO_BIN_EXE_concord"));
    let output = Command::new("sh")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/benchexec/test.sh"))
        .arg(executable.parent().expect("an executable lies in a folder"))
        .env("BENCHEXEC_VENV", &venv)
        .output()
        .expect("a shell can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("all is well"), "{text}");
}
