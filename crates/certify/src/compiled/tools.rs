//! The compiler, the list of symbols and the compiled program, each a process with limits.

use super::feed::Feed;
use super::{Build, CANNOT, OTHER_WAY, VIOLATED, VIOLATED_STATUS};
use cfa::program::Program;
use cfa::property::Property;
use facts::budget::Budget;
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use syntax::source::Origin;
use syntax::types::DataModel;

/// How long the program may run; that of an execution which the interpreter repeats in seconds is over long before.
const LONGEST_RUN: Duration = Duration::from_secs(20);

/// Bytes that it may write to standard error, in blocks as `ulimit` counts them.
const MOST_BLOCKS: u32 = 2048;

/// Kilobytes of its stack: as deep as the interpreter follows calls.
const STACK: u32 = 1 << 20;

/// Names in the compiled files of the program.
#[derive(Default)]
pub(super) struct Symbols {
    pub undefined: BTreeSet<String>,
    /// Defined, and known to other files.
    pub global: BTreeSet<String>,
    /// Defined, and known in their own file only.
    pub local: BTreeSet<String>,
}

impl Symbols {
    pub fn is_defined(&self, name: &str) -> bool {
        self.global.contains(name)
    }

    /// From the output of `nm -P`: a name, a letter, and numbers.
    fn add(&mut self, listing: &str) {
        for line in listing.lines() {
            let mut words = line.split_ascii_whitespace();
            let (Some(name), Some(kind)) = (words.next(), words.next()) else {
                continue;
            };
            let names = match kind {
                "U" => &mut self.undefined,
                // Weak, and not there: null, if nobody defines it.
                "w" | "v" => continue,
                _ if kind.starts_with(|c: char| c.is_ascii_uppercase()) => &mut self.global,
                _ => &mut self.local,
            };
            names.insert(name.to_owned());
        }
    }

    /// What one file defines is not missing in another.
    fn settle(&mut self) {
        let defined = &self.global;
        self.undefined.retain(|name| !defined.contains(name));
    }
}

/// How the program's own files are compiled: as `docs/undefined-behaviour.md` says.
pub(super) fn compile_options(model: DataModel, overflow: bool, filling: u8) -> Vec<&'static str> {
    let mut options = vec![
        width(model),
        "-O0",
        "-w",
        "-std=gnu11",
        // Functions that C99 only inlines have a body to be called, too.
        "-fgnu89-inline",
        "-fno-strict-aliasing",
        "-fcommon",
        "-fno-pie",
        "-fno-stack-protector",
        "-msse2",
        "-mfpmath=sse",
        "-ffp-contract=off",
        match filling {
            0 => "-ftrivial-auto-var-init=zero",
            _ => "-ftrivial-auto-var-init=pattern",
        },
        "-Wno-implicit-function-declaration",
        "-Wno-implicit-int",
        "-Wno-int-conversion",
        "-Wno-incompatible-pointer-types",
        "-Wno-return-mismatch",
    ];
    match overflow {
        true => options.extend([
            "-fsanitize=signed-integer-overflow,shift",
            "-fno-sanitize-recover=signed-integer-overflow",
            "-fsanitize-recover=shift",
        ]),
        false => options.push("-fwrapv"),
    }
    options
}

pub(super) fn link_options(model: DataModel, wrapped: &[&str]) -> Vec<String> {
    let options = [
        width(model),
        "-O0",
        "-w",
        "-fno-builtin",
        "-fno-pie",
        "-no-pie",
    ];
    let mut options: Vec<String> = options.map(str::to_owned).to_vec();
    options.push("-Wl,-z,muldefs".into());
    options.extend(wrapped.iter().map(|name| format!("-Wl,--wrap={name}")));
    options
}

fn width(model: DataModel) -> &'static str {
    match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    }
}

/// A folder in which a program is compiled, and who compiles.
pub(super) struct Tools<'a> {
    pub folder: &'a Path,
    pub budget: &'a Budget,
}

/// How a process that was waited for ended.
enum Waited {
    Ended(ExitStatus),
    TooLong,
}

impl Tools<'_> {
    /// Compiles the program's own files, as they were read.
    pub fn compile(
        &self,
        program: &Program,
        build: &Build,
        filling: u8,
    ) -> Result<Vec<PathBuf>, String> {
        let sources = &program.sources;
        let mut objects = Vec::new();
        for id in sources.sources() {
            let name = sources.name(id);
            // The models of library functions and the like are no files.
            if name.starts_with('<') {
                continue;
            }
            let is_preprocessed =
                sources.origin(id) == Origin::Preprocessed || name.ends_with(".i");
            let number = objects.len();
            let ending = if is_preprocessed { "i" } else { "c" };
            let text = self.folder.join(format!("program{number}.{ending}"));
            let object = self.folder.join(format!("program{number}.o"));
            self.write(&text, sources.bytes(id))?;
            let mut command = compiler();
            command
                .args(compile_options(
                    program.model,
                    build.property == Property::NoOverflow,
                    filling,
                ))
                .args(["-x", if is_preprocessed { "cpp-output" } else { "c" }, "-c"])
                .arg(&text)
                .arg("-o")
                .arg(&object);
            self.succeeds(command, "the program cannot be compiled here")?;
            objects.push(object);
        }
        match objects.is_empty() {
            true => Err("there is no text of the program".into()),
            false => Ok(objects),
        }
    }

    /// The names in the compiled files.
    pub fn symbols(&self, objects: &[PathBuf]) -> Result<Symbols, String> {
        let listing = self.folder.join("symbols");
        let mut command = Command::new("nm");
        command
            .arg("-P")
            .args(objects)
            .stdout(self.create(&listing)?);
        self.succeeds(command, "the symbols of the program cannot be listed")?;
        let text = std::fs::read_to_string(&listing).map_err(|error| error.to_string())?;
        let mut symbols = Symbols::default();
        symbols.add(&text);
        symbols.settle();
        Ok(symbols)
    }

    /// Links the harness with the program's files.
    pub fn link(
        &self,
        harness: &str,
        options: &[String],
        objects: &[PathBuf],
    ) -> Result<PathBuf, String> {
        let (text, binary) = (self.folder.join("harness.c"), self.folder.join("harness"));
        self.write(&text, harness.as_bytes())?;
        let mut command = compiler();
        command
            .args(options)
            .arg(&text)
            .args(objects)
            .arg("-o")
            .arg(&binary)
            .arg("-lm");
        self.succeeds(command, "the program cannot be linked here")?;
        Ok(binary)
    }

    /// Runs the program, with limits that it cannot raise.
    pub fn run(&self, binary: &Path, build: &Build, feed: &Feed) -> Result<Ended, String> {
        let said = self.folder.join("said");
        let left = self.budget.left().unwrap_or(LONGEST_RUN).min(LONGEST_RUN);
        let memory = self
            .budget
            .memory
            .map_or("unlimited".into(), |bytes| (bytes >> 10).to_string());
        let limits = format!(
            "ulimit -c 0; ulimit -f {MOST_BLOCKS}; ulimit -t {}; ulimit -v {memory}; ulimit -s {STACK} 2>/dev/null; exec \"$@\"",
            left.as_secs() + 1
        );
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &limits, "sh"]).arg(binary);
        command.args(super::program_arguments(build, feed));
        command.env_clear().current_dir(self.folder);
        command.stdout(Stdio::null()).stderr(self.create(&said)?);
        let status = match self.wait(command, left)? {
            Waited::Ended(status) => status,
            Waited::TooLong => return Ok(Ended::Limit("it takes too long".into())),
        };
        let text = std::fs::read(&said).unwrap_or_default();
        Ok(judged(status, &String::from_utf8_lossy(&text)))
    }

    fn succeeds(&self, mut command: Command, what: &str) -> Result<(), String> {
        let said = self.folder.join("messages");
        command.stderr(self.create(&said)?).env("LC_ALL", "C");
        let name = command.get_program().to_string_lossy().into_owned();
        match self.wait(command, LONGEST_RUN) {
            Ok(Waited::Ended(status)) if status.success() => Ok(()),
            Ok(Waited::Ended(_)) => {
                let text = std::fs::read(&said).unwrap_or_default();
                Err(format!(
                    "{what}: {}",
                    complaint(&String::from_utf8_lossy(&text))
                ))
            }
            Ok(Waited::TooLong) => Err(format!("{what} in time")),
            Err(error) => Err(format!("`{name}` cannot be started: {error}")),
        }
    }

    fn wait(&self, mut command: Command, limit: Duration) -> Result<Waited, String> {
        let child = command.stdin(Stdio::null()).spawn();
        let mut child = child.map_err(|error| error.to_string())?;
        // How often one looks depends on the machine, so looking must not count as work.
        let limit = self.budget.left().map_or(limit, |left| limit.min(left));
        let started = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(Waited::Ended(status)),
                Ok(None) if started.elapsed() > limit => {
                    // It may have ended by itself meanwhile.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Ok(Waited::TooLong);
                }
                Ok(None) => std::thread::sleep(pause),
                Err(error) => return Err(error.to_string()),
            }
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }

    fn write(&self, file: &Path, bytes: &[u8]) -> Result<(), String> {
        std::fs::write(file, bytes).map_err(|error| format!("a file cannot be written: {error}"))
    }

    fn create(&self, file: &Path) -> Result<File, String> {
        File::create(file).map_err(|error| format!("a file cannot be written: {error}"))
    }
}

/// How the compiled program ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Violated,
    /// It ended by itself, and normally.
    Code(i32),
    /// By a signal of its own making.
    Crashed(i32),
    /// It ended in another way than the execution.
    Otherwise(String),
    /// It needs something that it cannot be given.
    Cannot(String),
    /// A limit of ours.
    Limit(String),
}

fn judged(status: ExitStatus, said: &str) -> Ended {
    let last = said.lines().last().unwrap_or_default();
    let after = |mark: &str| {
        last.find(mark)
            .map(|at| last[at + mark.len()..].trim().to_owned())
    };
    const LIMITS: [(i32, &str); 3] = [
        (24, "it takes too long"),
        (25, "it writes too much"),
        (9, "it takes too long or too much memory"),
    ];
    match (status.code(), status.signal()) {
        (Some(VIOLATED_STATUS), _) if after(VIOLATED).is_some() => Ended::Violated,
        (Some(code), _) if code == VIOLATED_STATUS + 1 && after(OTHER_WAY).is_some() => {
            Ended::Otherwise(after(OTHER_WAY).unwrap_or_default())
        }
        (Some(code), _) if code == VIOLATED_STATUS + 2 && after(CANNOT).is_some() => {
            Ended::Cannot(after(CANNOT).unwrap_or_default())
        }
        (Some(code), _) => Ended::Code(code),
        (None, Some(signal)) => match LIMITS.iter().find(|(known, _)| *known == signal) {
            Some((_, how)) => Ended::Limit((*how).into()),
            None => Ended::Crashed(signal),
        },
        (None, None) => Ended::Otherwise(status.to_string()),
    }
}

/// The first line of a compiler's output that says what is wrong, without our folder.
fn complaint(output: &str) -> String {
    let is_error = |line: &&str| line.contains("error") || line.contains("undefined");
    let line = output.lines().find(is_error).or(output.lines().next());
    let line = line.unwrap_or("no message").trim();
    let line = line.split_once("error: ").map_or(line, |(_, text)| text);
    line.chars().take(160).collect()
}

/// The compiler that `CC` names, or else `cc`.
fn compiler() -> Command {
    let named = std::env::var("CC").unwrap_or_default();
    let mut words = named.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("cc"));
    command.args(words);
    command
}
