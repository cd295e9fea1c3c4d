//! The compiler, the list of symbols and the compiled program, each a process with limits.

use super::feed::Feed;
use super::{Build, CANNOT, OTHER_WAY, VIOLATED, VIOLATED_STATUS};
use cfa::program::{FuncId, Program};
use facts::budget::Budget;
use lowering::property::{Check, Property};
use process::helper::{self, HelperLimits, HelperOutcome, Listen};
use process::{Cause, CommandLine, Exit};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use syntax::source::{Origin, SourceId};
use syntax::types::DataModel;

/// How long the program may run; that of an execution which the interpreter repeats in seconds is
/// over long before.
const LONGEST_RUN: Duration = Duration::from_secs(20);

/// Bytes that it may write to standard error.
const MAX_SAID: u64 = 1 << 20;

/// Bytes of its stack: as deep as the interpreter follows calls.
const STACK: u64 = 1 << 30;

/// What AddressSanitizer ends a program with, so that it is not taken for anything else.
const SANITIZER_STATUS: i32 = 76;
const ASAN_OPTIONS: &str = "exitcode=76:detect_leaks=0:detect_stack_use_after_return=1:\
     allocator_may_return_null=1:handle_segv=1";
const SANITIZER: &str = "ERROR: AddressSanitizer: ";
/// Ends of its reports that are no violation.
const LIMITS_OF_SANITIZER: [&str; 3] = ["stack-overflow", "out-of-memory", "allocator is out"];

/// Names in the compiled files of the program.
#[derive(Default)]
pub(super) struct Symbols {
    pub undefined: BTreeSet<String>,
    /// Defined, and known to other files.
    pub global: BTreeSet<String>,
    /// Defined, and known in their own file only.
    pub local: BTreeSet<String>,
    /// The files, by number, whose inline functions have no definition elsewhere: they are compiled
    /// with [`INLINE_DEFINES`], and linked last.
    pub inline: BTreeSet<usize>,
}

/// Functions that C99 only inlines have a body to be called, too.
pub(super) const INLINE_DEFINES: &str = "-fgnu89-inline";

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
pub(super) fn compile_options(
    model: DataModel,
    property: &Property,
    filling: u8,
) -> Vec<&'static str> {
    let mut options = vec![
        width(model),
        "-O0",
        "-w",
        "-std=gnu11",
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
    match property.has(Check::Overflow) {
        true => options.extend([
            "-fsanitize=signed-integer-overflow,shift",
            "-fno-sanitize-recover=signed-integer-overflow",
            "-fsanitize-recover=shift",
            // Or `x + 1 > x` is true without an addition.
            "-ftrapv",
        ]),
        false => options.push("-fwrapv"),
    }
    if property.has(Check::DivisionByZero) {
        options.push("-fsanitize=integer-divide-by-zero");
    }
    if property.has(Check::Shift) && !property.has(Check::Overflow) {
        options.push("-fsanitize=shift-exponent");
    }
    if uses_address_sanitizer(property) {
        // What is common has no space around it that the sanitizer could watch.
        options.extend(["-fsanitize=address", "-fno-common"]);
    }
    options
}

/// Whether the compiled program watches its memory. Objects that are left at the end need no such
/// help.
pub(super) fn uses_address_sanitizer(property: &Property) -> bool {
    property.has(Check::Deref) || property.has(Check::Free)
}

pub(super) fn link_options(model: DataModel, property: &Property, wrapped: &[&str]) -> Vec<String> {
    let options = [
        width(model),
        "-O0",
        "-w",
        "-fno-builtin",
        "-fno-pie",
        "-no-pie",
    ];
    let mut options: Vec<String> = options.map(str::to_owned).to_vec();
    if uses_address_sanitizer(property) {
        options.push("-fsanitize=address".into());
    }
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

impl Tools<'_> {
    /// Compiles the program's own files, as they were read. Their objects, in the order in which
    /// they are linked, and the names in them.
    pub fn compile(
        &self,
        program: &Program,
        build: &Build,
        filling: u8,
    ) -> Result<(Vec<PathBuf>, Symbols), String> {
        let mut objects = Vec::new();
        for (number, id) in own_files(program).into_iter().enumerate() {
            let options = compile_options(program.model, &build.property, filling);
            objects.push(self.compile_file(program, (number, id), &options)?);
        }
        if objects.is_empty() {
            return Err("the source text is not available".into());
        }
        let mut symbols = self.symbols(&objects)?;
        let missing = bodies(program);
        let missing: Vec<&String> = missing.intersection(&symbols.undefined).collect();
        if !missing.is_empty() {
            let mut inline = BTreeSet::new();
            for (number, id) in own_files(program).into_iter().enumerate() {
                let mut options = compile_options(program.model, &build.property, filling);
                options.push(INLINE_DEFINES);
                let object = self.compile_file(program, (number, id), &options)?;
                let defined = self.symbols(std::slice::from_ref(&object))?.global;
                match missing.iter().any(|name| defined.contains(*name)) {
                    true => _ = inline.insert(number),
                    false => {
                        options.pop();
                        self.compile_file(program, (number, id), &options)?;
                    }
                }
            }
            // Where another file defines such a function, that definition comes first.
            let position = |object: &PathBuf| objects.iter().position(|other| other == object);
            let mut ordered = objects.clone();
            ordered.sort_by_key(|object| position(object).is_some_and(|at| inline.contains(&at)));
            objects = ordered;
            symbols = self.symbols(&objects)?;
            symbols.inline = inline;
        }
        Ok((objects, symbols))
    }

    fn compile_file(
        &self,
        program: &Program,
        (number, id): (usize, SourceId),
        options: &[&str],
    ) -> Result<PathBuf, String> {
        let sources = &program.sources;
        let is_preprocessed =
            sources.origin(id) == Origin::Preprocessed || sources.name(id).ends_with(".i");
        let ending = if is_preprocessed { "i" } else { "c" };
        let text = self.folder.join(format!("program{number}.{ending}"));
        let object = self.folder.join(format!("program{number}.o"));
        self.write(&text, sources.bytes(id))?;
        let command = compiler()
            .arguments(options)
            .arguments(["-x", if is_preprocessed { "cpp-output" } else { "c" }, "-c"])
            .argument(&text)
            .argument("-o")
            .argument(&object);
        self.succeeds(command, "the program does not compile")?;
        Ok(object)
    }

    /// The names in the compiled files.
    fn symbols(&self, objects: &[PathBuf]) -> Result<Symbols, String> {
        let command = CommandLine::new("nm").argument("-P").arguments(objects);
        let listing = self.succeeds(command, "nm cannot list the symbols of the program")?;
        let listing = String::from_utf8(listing).map_err(|error| error.to_string())?;
        let mut symbols = Symbols::default();
        symbols.add(&listing);
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
        let command = compiler()
            .arguments(options)
            .argument(&text)
            .arguments(objects)
            .argument("-o")
            .argument(&binary)
            .argument("-lm");
        self.succeeds(command, "the program does not link")?;
        Ok(binary)
    }

    /// Runs the program, with limits that it cannot raise.
    pub fn run(&self, binary: &Path, build: &Build, feed: &Feed) -> Result<Ended, String> {
        let left = self.budget.left().unwrap_or(LONGEST_RUN).min(LONGEST_RUN);
        let command = CommandLine {
            clean_environment: true,
            ..CommandLine::new(binary)
        };
        let command = command
            .arguments(super::program_arguments(build, feed))
            .directory(self.folder);
        let watches = uses_address_sanitizer(&build.property);
        let command = match watches {
            // Leaks are found by other means.
            true => command.variable("ASAN_OPTIONS", ASAN_OPTIONS),
            false => command,
        };
        let limits = HelperLimits {
            wall: Some(left),
            output: Some(MAX_SAID),
            cpu: Some(left + Duration::from_secs(1)),
            // The sanitizer reserves most of the address space, and uses little of it.
            memory: self.budget.memory.filter(|_| !watches),
            stack: Some(STACK),
            files: Some(MAX_SAID),
        };
        let ended = helper::run(&command, &limits, Listen::ToErrors, &self.budget.stop);
        Ok(judged(&ended.map_err(|error| error.to_string())?))
    }

    /// What the command prints, if it succeeds.
    fn succeeds(&self, command: CommandLine, what: &str) -> Result<Vec<u8>, String> {
        let command = command.variable("LC_ALL", "C");
        let left = self.budget.left().unwrap_or(LONGEST_RUN).min(LONGEST_RUN);
        let limits = HelperLimits {
            wall: Some(left),
            ..HelperLimits::default()
        };
        match helper::run(&command, &limits, Listen::Both, &self.budget.stop) {
            Ok(ended) if ended.success() => Ok(ended.stdout),
            Ok(ended) if ended.cause == Cause::Finished => {
                let said = String::from_utf8_lossy(&ended.stderr);
                Err(format!("{what}: {}", complaint(&said)))
            }
            Ok(_) => Err(format!("{what} within the time limit")),
            Err(error) => {
                let name = command.program.display();
                Err(format!("cannot start `{name}`: {error}"))
            }
        }
    }

    fn write(&self, file: &Path, bytes: &[u8]) -> Result<(), String> {
        std::fs::write(file, bytes).map_err(|error| format!("cannot write a file: {error}"))
    }
}

/// The files of the program; models of library functions and the like are none.
pub(super) fn own_files(program: &Program) -> Vec<SourceId> {
    let sources = &program.sources;
    let files = sources.sources();
    files
        .filter(|&id| !sources.name(id).starts_with('<'))
        .collect()
}

/// The functions whose bodies the program's text has: behind the name, a block comes before the end
/// of a declaration.
fn bodies(program: &Program) -> BTreeSet<String> {
    let functions = program.functions.iter().enumerate();
    let own = functions.filter(|(_, function)| !function.is_library_model);
    let with_body = own.filter(|(_, function)| {
        let (sources, at) = (&program.sources, function.span.lo);
        let behind = sources.source_of(at).and_then(|id| {
            let from = at - sources.base(id);
            sources.bytes(id).get(from as usize..)
        });
        let mut bytes = behind.unwrap_or_default().iter();
        bytes.find(|byte| matches!(byte, b'{' | b';')) == Some(&b'{')
    });
    let names = with_body.map(|(index, _)| program.function_name(FuncId(index as u32)).to_owned());
    names.collect()
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

fn judged(ended: &HelperOutcome) -> Ended {
    const TOO_LONG: &str = "it exceeds the time limit";
    const TOO_MUCH: &str = "it exceeds the output limit";
    match ended.cause {
        Cause::Finished => {}
        Cause::OutputLimit => return Ended::Limit(TOO_MUCH.into()),
        _ => return Ended::Limit(TOO_LONG.into()),
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    let last = said.lines().last().unwrap_or_default();
    let after = |mark: &str| {
        last.find(mark)
            .map(|at| last[at + mark.len()..].trim().to_owned())
    };
    const LIMITS: [(i32, &str); 3] = [
        (24, TOO_LONG),
        (25, TOO_MUCH),
        (9, "it exceeds the time or memory limit"),
    ];
    match ended.exit {
        Exit::Code(VIOLATED_STATUS) if after(VIOLATED).is_some() => Ended::Violated,
        Exit::Code(code) if code == VIOLATED_STATUS + 1 && after(OTHER_WAY).is_some() => {
            Ended::Otherwise(after(OTHER_WAY).unwrap_or_default())
        }
        Exit::Code(code) if code == VIOLATED_STATUS + 2 && after(CANNOT).is_some() => {
            Ended::Cannot(after(CANNOT).unwrap_or_default())
        }
        Exit::Code(SANITIZER_STATUS) if said.contains(SANITIZER) => {
            let what = said.split(SANITIZER).nth(1).unwrap_or_default();
            let what = what.lines().next().unwrap_or_default();
            match LIMITS_OF_SANITIZER
                .iter()
                .any(|limit| what.starts_with(limit))
            {
                true => Ended::Limit(what.to_owned()),
                false => Ended::Violated,
            }
        }
        Exit::Code(code) => Ended::Code(code),
        Exit::Signal(signal) => match LIMITS.iter().find(|(known, _)| *known == signal) {
            Some((_, how)) => Ended::Limit((*how).into()),
            None => Ended::Crashed(signal),
        },
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
fn compiler() -> CommandLine {
    let named = std::env::var("CC").unwrap_or_default();
    let mut words = named.split_whitespace();
    CommandLine::new(words.next().unwrap_or("cc")).arguments(words)
}
