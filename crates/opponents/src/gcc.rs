//! gcc, and the programs that it makes.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Sizes of C's types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    Ilp32,
    Lp64,
}

impl Model {
    /// As the verifier's options name it.
    pub fn name(self) -> &'static str {
        match self {
            Model::Ilp32 => "ilp32",
            Model::Lp64 => "lp64",
        }
    }

    /// Floats without excess precision also in the smaller model, as the guide's table of meanings
    /// has it.
    fn flags(self) -> &'static [&'static str] {
        match self {
            Model::Ilp32 => &["-m32", "-msse2", "-mfpmath=sse"],
            Model::Lp64 => &["-m64"],
        }
    }
}

/// What a program printed, and its exit status: negative for the signal that ended it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub output: Vec<u8>,
    pub status: i32,
}

/// Does the program ask for a stack that can be executed, as pointers to nested functions need it?
pub fn has_code_on_the_stack(binary: &Path) -> bool {
    let segments = Command::new("readelf").arg("-lW").arg(binary).output();
    segments.is_ok_and(|output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut stack = text.lines().filter(|line| line.contains("GNU_STACK"));
        stack.any(|line| line.contains("RWE"))
    })
}

/// Compiles and links what C leaves open as the guide's table of meanings has it: `more` may be
/// options and files.
pub fn compile(
    sources: &[&Path],
    binary: &Path,
    model: Model,
    more: &[&str],
) -> Result<(), String> {
    let output = Command::new("gcc")
        .args(["-O0", "-w", "-fwrapv", "-fno-strict-aliasing"])
        .args(model.flags())
        .args(more)
        .args(sources)
        .arg("-o")
        .arg(binary)
        .arg("-lm")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("gcc: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Runs a program in the folder `work`; `None` if it does not end in time.
pub fn execute(binary: &Path, arguments: &[&str], work: &Path, seconds: u64) -> Option<Ended> {
    let mut command = Command::new(binary);
    command.args(arguments).current_dir(work);
    ended(&mut command, work, Duration::from_secs(seconds))
}

/// Runs a command, its standard output to a file in `work`; `None` if it does not end in time.
pub fn ended(command: &mut Command, work: &Path, limit: Duration) -> Option<Ended> {
    use std::os::unix::process::ExitStatusExt;
    let printed = work.join("printed");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(File::create(&printed).ok()?)
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().ok()? {
            let signal = status.signal().unwrap_or_default();
            return Some(Ended {
                output: std::fs::read(&printed).ok()?,
                status: status.code().unwrap_or(-signal),
            });
        }
        if Instant::now() >= end {
            // It may have ended by itself in between.
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether gcc compiles, links and runs programs of the model here.
pub fn works(work: &Path, model: Model) -> bool {
    let (source, binary) = (work.join("try.c"), work.join("try"));
    let text = "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n";
    std::fs::write(&source, text).is_ok()
        && compile(&[&source], &binary, model, &[]).is_ok()
        && execute(&binary, &[], work, 5).is_some_and(|ended| ended.status == 0)
}

/// The C files that this crate brings along, written to where gcc can read them.
pub fn helper(work: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let path = work.join(name);
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}
