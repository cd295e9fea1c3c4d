//! gcc's opinion of a text.

use std::process::Command;

/// The preprocessed text and the lines that its program prints; `None` if it does not compile. The
/// name tells apart tests that run at the same time.
pub fn compiled(text: &str, flag: &str, name: &str) -> Option<(String, Vec<String>)> {
    let process = std::process::id();
    let folder = std::env::temp_dir().join(format!("concord-{name}-{process}{flag}"));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let (source, binary) = (folder.join("a.c"), folder.join("a"));
    std::fs::write(&source, text).expect("a temporary file can be written");
    let mut cc = Command::new("cc");
    cc.args([flag, "-w", "-O0"]).arg(&source);
    let built = cc.arg("-o").arg(&binary).output().ok()?;
    if !built.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&built.stderr));
        return None;
    }
    let mut cc = Command::new("cc");
    let preprocessed = cc.args([flag, "-w", "-E"]).arg(&source).output().ok()?;
    let output = Command::new(&binary).output().ok()?;
    // Left-overs in a temporary folder do no harm.
    let _ = std::fs::remove_dir_all(&folder);
    let lines = String::from_utf8_lossy(&output.stdout);
    Some((
        String::from_utf8_lossy(&preprocessed.stdout).into_owned(),
        lines.lines().map(str::to_owned).collect(),
    ))
}

/// Is there no such compiler? Then the test says that it skips; continuous integration has one.
pub fn is_missing(flag: &str, name: &str) -> bool {
    let probe = "#include <stdio.h>\nint main(void) { return 0; }\n";
    if compiled(probe, flag, &format!("{name}-probe")).is_some() {
        return false;
    }
    assert!(
        std::env::var("CONCORD_CI").is_err(),
        "cc {flag} is needed here"
    );
    println!("SKIPPED: cc {flag} is missing");
    true
}
