//! What the tests of the command line share.
#![allow(dead_code, reason = "each test uses a part")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Nobody knows a proof, and the violation is millions of iterations away; but there are facts to
/// be known.
pub const GENERATOR: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned x = 0, z = 1;
  while (__VERIFIER_nondet_int()) {
    z = z * 1103515245u + 12345u;
    if (x < 10) x = x + 1;
  }
  if (x > 5 && z == 123456789u) reach_error();
  return 0;
}
";

/// A loop with an invariant that two variables share.
pub const LOOP: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    unsigned i = 0, j = 0;
    while (__VERIFIER_nondet_int()) {
        if (i < 1000) { i++; j++; }
    }
    if (i != j) reach_error();
    return 0;
}
";

/// One input violates it.
pub const WRONG: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n == 7) reach_error();
    return 0;
}
";

/// One input violates it, which a call and a global variable hide.
pub const VIOLATION: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int limit = 3;
static int twice(int x) { return x + x; }
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (twice(n) == 2 * limit) { reach_error(); }
    return 0;
}
";

/// A witness of one invariant, VALUE, for a loop in line 6 of FILE whose hash is HASH.
pub const INVARIANT: &str = r#"- entry_type: invariant_set
  metadata:
    format_version: "2.0"
    uuid: c66c3ee7-e0de-4bae-87f0-fd48fc7b961e
    creation_time: "2023-11-21T10:29:38+01:00"
    producer: {name: Other, version: "1"}
    task:
      input_files: ["FILE"]
      input_file_hashes: {"FILE": "HASH"}
      specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )"
      data_model: LP64
      language: C
  content:
    - invariant:
        type: loop_invariant
        location: {file_name: "FILE", line: 6, column: 3, function: main}
        value: "VALUE"
        format: c_expression
"#;

/// A temporary folder that goes away with the value.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("concord-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        Scratch(folder)
    }

    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("a temporary file");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What machines under load may add to a second.
pub const SLACK: Duration = Duration::from_secs(15);

/// Processes whose command line mentions the folder.
fn left_behind(folder: &Path) -> Vec<String> {
    let wanted = folder.display().to_string();
    let processes = std::fs::read_dir("/proc").expect("there is /proc");
    processes
        .filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(&wanted))
        .collect()
}

/// All processes about the folder end soon.
pub fn nothing_is_left(folder: &Path) {
    let begin = Instant::now();
    while !left_behind(folder).is_empty() {
        let waited = begin.elapsed();
        assert!(waited < SLACK, "still there: {:?}", left_behind(folder));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Runs concord: exit code, and all that it prints.
pub fn concord(arguments: &[&str], files: &[&Path]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(arguments)
        .args(files)
        .output()
        .expect("concord can be started");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}
