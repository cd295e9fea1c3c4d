//! With `--deterministic` a run can be repeated exactly.

use std::path::Path;
use std::process::Command;

fn run(program: &Path) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args([
            "check",
            "--deterministic",
            "--format",
            "json",
            "--timeout",
            "300s",
        ])
        .arg(program)
        .output()
        .expect("concord can be started");
    let mut result: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("the result is JSON");
    let fields = result.as_object_mut().expect("the result is an object");
    // What measures time and memory differs, and so does what happened when.
    for measured in ["cpu_seconds", "wall_seconds", "peak_memory", "timeline"] {
        fields.remove(measured);
    }
    result
}

#[test]
fn the_same_run_gives_the_same_result() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/verdicts");
    for name in ["bounded-sum.c", "needle.c", "unsigned-wrap-loop.c"] {
        let program = root.join(name);
        let (first, second) = (run(&program), run(&program));
        assert_eq!(first, second, "{name}");
        assert_ne!(first["verdict"], "UNKNOWN", "{name}");
    }
}
