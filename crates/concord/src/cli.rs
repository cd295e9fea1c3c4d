//! What can be said on the command line. Help, completions and the manual page come from these
//! definitions.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Parser, Debug)]
#[command(
    name = "concord",
    version,
    about = "Proves that no assertion of a C program can fail, or shows an execution in which one fails.",
    after_help = "Exit codes: 0 the property holds, 1 it is violated, 2 bad input or usage, 3 unknown, \
                  4 it is violated only as --baseline says."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check a program: prove the property, or find an execution that violates it
    Check(CheckArgs),
    /// The worker process of `check`.
    #[command(hide = true)]
    Work(CheckArgs),
    /// The same without the engine in which the first one crashed.
    #[command(hide = true)]
    WorkAgain(CheckArgs),
    /// Check a witness of any verifier: does it prove what it claims?
    ///
    /// Exit codes: 0 confirmed, 1 refuted, 2 bad input, or a witness for another program or
    /// property, 3 unknown.
    Validate(ValidateArgs),
    /// The worker process of `validate`.
    #[command(hide = true)]
    WorkValidate(ValidateArgs),
    /// The same without the engine in which the first one crashed.
    #[command(hide = true)]
    WorkValidateAgain(ValidateArgs),
    /// Print what is proved of the loops of a program, for other tools and for people
    Invariants(InvariantsArgs),
    /// Write the part of a program that a condition leaves to be checked, as a C program for any
    /// verifier
    Reduce(ReduceArgs),
    /// Check a program again whenever one of its files changes
    Watch(CheckArgs),
    /// Look for what Concord uses on this machine, and say what follows where it is missing
    ///
    /// Exit codes: 0 nothing that is required is missing, 1 something is.
    Doctor(DoctorArgs),
    /// Serve an editor: the Language Server Protocol over standard input and output
    Lsp(LspArgs),
    /// Print the harness of a function: C that makes its arguments and calls it, to be edited
    Harness(HarnessArgs),
    /// Execute a program with concrete inputs
    Run(RunArgs),
    /// Print the control-flow automaton of a program
    Cfa(CfaArgs),
    /// Measure verifiers on many tasks, or compare two measurements
    Bench(BenchArgs),
    /// Compile as cc does, and record what a later `concord check` needs to know: make
    /// CC="concord cc"
    ///
    /// All words behind `cc` are the compiler's. CONCORD_CC names the compiler [default: cc],
    /// CONCORD_RECORD the file that is written [default: .concord/build.jsonl in the project's
    /// folder].
    #[command(disable_help_flag = true)]
    Cc {
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "WORDS"
        )]
        words: Vec<String>,
    },
    /// List the analyses for `check --analysis`
    Analyses,
    /// List the keys of concord.toml, the settings of a project
    Settings,
    /// List the helpers that masters may ask for invariants (`check --analysis kInd-EVA-50`)
    Helpers,
    /// Print completions for a shell
    Completions { shell: clap_complete::Shell },
    /// Print the manual page, or write all pages into a directory
    Man(ManArgs),
}

#[derive(Args, Clone, Debug)]
pub struct LspArgs {
    /// Accepted for editors that say so; there is no other way
    #[arg(long)]
    pub stdio: bool,
    /// Options of `concord check` for every check, behind --
    #[arg(last = true, value_name = "OPTIONS")]
    pub options: Vec<String>,
}

#[derive(Args, Clone, Debug)]
pub struct DoctorArgs {
    /// The output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: DoctorFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DoctorFormat {
    /// Text for people
    Human,
    /// One JSON object
    Json,
}

#[derive(Args, Clone, Debug)]
pub struct ManArgs {
    /// Write concord.1 and one page per command into this directory
    pub directory: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CfaFormat {
    Dot,
    Json,
    /// An equivalent C program
    C,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Stage {
    /// As lowered from C
    Lowered,
    /// With memory partitioned into regions and variables
    Regions,
    /// Instrumented for the property and simplified by the passes
    Optimised,
    /// Optimised, as large blocks between cut points (with --format c: the program without blocks)
    Blocks,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum KeepWhat {
    /// Which error locations are reachable
    Errors,
    /// Also output, inputs and how executions end
    Behaviour,
}

#[derive(Args, Clone, Debug)]
pub struct CfaArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Print only this function (dot and json)
    #[arg(long, value_name = "FUNCTION")]
    pub function: Option<String>,
    /// The output format
    #[arg(long, value_enum, default_value = "dot")]
    pub format: CfaFormat,
    /// The stage of preparation to print
    #[arg(long, value_enum, default_value = "lowered")]
    pub stage: Stage,
    /// Run these passes after the stage `regions`, in this order [default: all: constants,
    /// unreachable, slice, needed, chains]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub passes: Option<Vec<String>>,
    /// What the passes must preserve
    #[arg(long, value_enum, default_value = "errors")]
    pub keep: KeepWhat,
}

#[derive(Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchArgs {
    #[command(subcommand)]
    pub command: Option<BenchCommand>,
    /// Task lists (.csv, .set), task definitions (.yml), or directories
    pub tasks: Vec<PathBuf>,
    /// Analyses to run; `papers` stands for all analyses from papers, `all` for all analyses
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "default"
    )]
    pub analysis: Vec<String>,
    /// Verifiers to run: concord, cbmc, esbmc, cpachecker, ultimate-automizer, 2ls, frama-c-eva, or
    /// a description file
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "concord"
    )]
    pub tool: Vec<String>,
    /// CPU time limit of each run
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_time)]
    pub timeout: Duration,
    /// Wall-clock time limit of each run [default: twice the CPU time]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub wall: Option<Duration>,
    /// Memory limit of each run
    #[arg(long, value_name = "SIZE", default_value = "4GB", value_parser = parse_size)]
    pub memory: u64,
    /// Number of runs in parallel
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub jobs: usize,
    /// Run only a random sample of N tasks
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// Seed of the sample
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Run only part I of N
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Run only tasks whose name or category matches
    #[arg(long, value_name = "REGEX")]
    pub filter: Option<String>,
    /// Hand the runs to a cluster: slurm or hyperqueue. All machines must see the directory of the
    /// results, the tasks and the tools under the same names
    #[arg(long, value_name = "ENGINE", conflicts_with = "shard")]
    pub on: Option<runner::cluster::Engine>,
    /// With --on: into how many elements of an array of jobs the tasks are divided [default: one
    /// for 50 runs, at most 1000]
    #[arg(long, value_name = "N", requires = "on")]
    pub elements: Option<usize>,
    /// Directory for the results; an interrupted run continues there
    #[arg(long, short, value_name = "DIR", default_value = "concord-bench")]
    pub output: PathBuf,
}

#[derive(Subcommand, Clone, Debug)]
pub enum BenchCommand {
    /// Compare two runs: tasks won and lost. Exit code 1 if a verdict became wrong
    Diff { before: PathBuf, after: PathBuf },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Model {
    /// int, long and pointers of 32 bits (i386)
    Ilp32,
    /// long and pointers of 64 bits (x86-64)
    Lp64,
}

impl Model {
    pub fn data_model(self) -> syntax::types::DataModel {
        match self {
            Model::Ilp32 => syntax::types::DataModel::Ilp32,
            Model::Lp64 => syntax::types::DataModel::Lp64,
        }
    }
}

#[derive(Args, Clone, Debug)]
pub struct InputArgs {
    /// C files (.c is preprocessed first, .i is not), linked into one program; or one task
    /// definition (.yml); for `check` also -, standard input
    pub files: Vec<PathBuf>,
    /// Take settings from this file [default: concord.toml in this folder or the next one above];
    /// `none`: from no file
    #[arg(long, value_name = "FILE")]
    pub project: Option<PathBuf>,
    /// What the settings say is in the words already.
    #[arg(long, hide = true)]
    pub settings_applied: bool,
    /// Read each file as this compilation database says; without files, all C files that it names
    #[arg(long, value_name = "compile_commands.json")]
    pub compile_commands: Option<PathBuf>,
    /// Read each file as `concord cc` has recorded it in this file [default, where no files are
    /// named: .concord/build.jsonl in this folder or the next one above]
    #[arg(long, value_name = "FILE", conflicts_with = "compile_commands")]
    pub record: Option<PathBuf>,
    /// The program of the recorded build, if it has several: the name of the linked file
    #[arg(long, value_name = "NAME")]
    pub program: Option<String>,
    /// Sizes of the types of C [default: lp64, or that of the task definition]
    #[arg(long, value_enum, value_name = "MODEL")]
    pub data_model: Option<Model>,
    /// Define a macro for the preprocessor
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Undefine a macro; takes effect after all definitions
    #[arg(short = 'U', value_name = "NAME")]
    pub undefine: Vec<String>,
    /// Search this directory for included files
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Search this directory for system headers (also written -isystem)
    #[arg(long, value_name = "DIR")]
    pub isystem: Vec<PathBuf>,
    /// Include this file before each file (also written -include)
    #[arg(long = "include", value_name = "FILE")]
    pub include_file: Vec<PathBuf>,
    /// The standard of C for the preprocessor (also written -std=NAME) [default: gnu11]
    #[arg(long, value_name = "NAME")]
    pub std: Option<String>,
    /// Treat this function, static or not, as external: its body counts as missing
    #[arg(long, value_name = "FUNCTION")]
    pub remove_body: Vec<String>,
    /// Take the definition of a function, static or not, from another file instead
    #[arg(long, value_name = "FUNCTION=FILE")]
    pub replace: Vec<String>,
    /// Start at this function, with arguments that `concord harness` shows, instead of at main
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,
    /// What a pointer of the entry leads to: 'buf[len]' len elements, 'text[]' a string, '*p' one
    /// object and never null
    #[arg(long, value_name = "SHAPE")]
    pub argument: Vec<String>,
    /// What holds when the entry is called: a C expression over its parameters and globals
    #[arg(long, value_name = "EXPRESSION")]
    pub assume: Vec<String>,
    /// What globals hold when the entry is called
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Globals::Initialised)]
    pub globals: Globals,
    /// Functions without a body may write to memory reachable from their arguments [default: they
    /// change nothing]
    #[arg(long)]
    pub external_writes: bool,
    /// Allocations may fail and return null [default: they always succeed]
    #[arg(long)]
    pub malloc_may_fail: bool,
    /// Accept violations in which outputs of inline assembly have any value [default: only proofs
    /// allow any value; assembly that writes through a pointer is not supported]
    #[arg(long)]
    pub havoc_asm: bool,
    /// What reads of volatile objects return
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Volatile::Ordinary)]
    pub volatile: Volatile,
    /// Registers of devices lie at these addresses: reads of them, at constant addresses, give any
    /// value, and writes change nothing else
    #[arg(long, value_name = "FIRST-LAST", value_parser = addresses)]
    pub mmio: Vec<(u64, u64)>,
}

/// `0x40000000-0x40000fff`
fn addresses(text: &str) -> Result<(u64, u64), String> {
    let number = |text: &str| {
        let text = text.trim();
        match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        }
    };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if 0 < first && first <= last => Ok((first, last)),
        _ => Err("expected two addresses, such as 0x40000000-0x40000fff".into()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Globals {
    /// Any value; pointers as for arguments
    Any,
    /// What their initialisers say, as in a program that has just started
    Initialised,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Volatile {
    /// Any value: devices and signal handlers may change the object at any time
    Any,
    /// The value last written by the program; the answer lists this assumption
    Ordinary,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// Text for people
    Human,
    /// Everything that the report shows, as one JSON object (see the guide, "JSON")
    Json,
    /// SARIF 2.1.0, for code scanning and editors
    Sarif,
}

#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The property: assertions (default), unreach-call, no-overflow, memory-safety, valid-deref,
    /// valid-free, valid-memtrack, valid-memcleanup, no-division-by-zero, valid-shift,
    /// no-float-overflow, all
    #[arg(long, value_name = "NAME", conflicts_with = "spec")]
    pub property: Option<String>,
    /// A property file in the format of the verification competition
    #[arg(long, value_name = "FILE.prp")]
    pub spec: Option<PathBuf>,
    /// Check every function of the files as an entry of its own, and print a table
    #[arg(long)]
    pub each_function: bool,
    /// With --each-function: hand the functions to a cluster, slurm or hyperqueue. All machines must
    /// see the files and this directory under the same names
    #[arg(long, value_name = "ENGINE", requires = "each_function")]
    pub on: Option<runner::cluster::Engine>,
    /// Decide every check (assertion, access, division, …) by itself and list them; --property all
    /// does so without this option
    #[arg(long, conflicts_with = "stop_at_first")]
    pub each_check: bool,
    /// Stop at the first violation, and prove all checks together, also with --property all
    #[arg(long)]
    pub stop_at_first: bool,
    /// The analysis: a name from `concord analyses`, or a configuration file (NAME.toml)
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub analysis: Option<String>,
    /// The analysis as a configuration file of any name
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Treat warnings about the program as errors, and give no answer that rests on an assumption
    #[arg(long)]
    pub strict: bool,
    /// Run one engine at a time, so that the run can be repeated exactly
    #[arg(long)]
    pub deterministic: bool,
    /// CPU time limit of the whole run, for example 500ms, 60s, 5min
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time)]
    pub timeout: Duration,
    /// Wall-clock time limit [default: twice the value of --timeout]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub wall: Option<Duration>,
    /// Memory limit, for example 500MB, 4GB
    #[arg(long, value_name = "SIZE", default_value = "4GB", value_parser = parse_size)]
    pub memory: u64,
    /// Use another solver: z3, cvc5, bitwuzla or any command that reads SMT-LIB 2 [default:
    /// Concord's own]. Interpolation from proofs needs Concord's own solver; the other sources of
    /// interpolants remain
    #[arg(long, value_name = "SOLVER")]
    pub solver: Option<String>,
    /// Check certificates with another solver, as for --solver [default: Concord's own]
    #[arg(long, value_name = "SOLVER")]
    pub certify_with: Option<String>,
    /// Start predicate analyses with the predicates in this file, written by --precision-out
    #[arg(long, value_name = "FILE")]
    pub precision_in: Option<PathBuf>,
    /// Write the final predicates of predicate analyses, as C expressions, for a later run
    #[arg(long, value_name = "FILE")]
    pub precision_out: Option<PathBuf>,
    /// Continue where another verifier has ended: leave out what this condition claims to be safe,
    /// and prove the claim besides (an assumption automaton, as CPAchecker writes it)
    #[arg(long, value_name = "FILE")]
    pub condition_in: Option<PathBuf>,
    /// Without an answer, write what is proved as a condition for another verifier: half of the
    /// time goes into single checks, sides of branches, and few iterations of loops
    #[arg(long, value_name = "FILE")]
    pub condition_out: Option<PathBuf>,
    /// Keep what analyses can use again for later versions of the program in this directory, and
    /// use what is there (trace abstraction)
    #[arg(long, value_name = "DIR")]
    pub reuse: Option<PathBuf>,
    /// Keep proofs, violations and what else was found in this directory, and begin with what is
    /// there: an unchanged program is answered by checking its certificate again
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Write a witness: GraphML 1.0 if the name ends in .graphml, otherwise YAML 2.0
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Write a test harness: a C file that, linked with the program, supplies the inputs of the
    /// violation
    #[arg(long, value_name = "FILE")]
    pub harness: Option<PathBuf>,
    /// Write a test for the violation: C that sets the inputs and calls the entry, to be read and to
    /// be run in a debugger
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Write the report (report.html) and the result (result.json, result.sarif) into this
    /// directory
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Violations in this SARIF log, of an earlier run, are not new: the exit code is 4 if there is
    /// no other
    #[arg(long, value_name = "FILE.sarif")]
    pub baseline: Option<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: Format,
    /// Print only the verdict
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print statistics and the progress of the engines
    #[arg(long, short)]
    pub verbose: bool,
    /// Say behind the answer what its lines mean
    #[arg(long, conflicts_with = "quiet")]
    pub explain: bool,
    /// What only the supervising process says, to the second process that it starts.
    #[arg(skip)]
    pub restart: Option<crate::check::restart::Restart>,
}

impl CheckArgs {
    /// Every check gets a verdict of its own.
    pub fn decides_each(&self) -> bool {
        let is_all = self.property.as_deref() == Some("all");
        self.each_check || is_all && !self.stop_at_first
    }

    /// The limit of time on the wall.
    pub fn wall(&self) -> Duration {
        self.wall.unwrap_or(self.timeout * 2)
    }

    /// What the analyses ask.
    pub fn solver(&self) -> logic::SolverChoice {
        choice(self.solver.as_deref())
    }

    /// What the checker of certificates asks.
    pub fn certifier(&self) -> logic::SolverChoice {
        choice(self.certify_with.as_deref())
    }

    /// Is the program's text to be shown, and not only the answer?
    pub fn wants_program(&self) -> bool {
        self.output.is_some() || self.format != Format::Human
    }
}

fn choice(name: Option<&str>) -> logic::SolverChoice {
    name.map_or(logic::SolverChoice::Native, logic::SolverChoice::named)
}

#[derive(Args, Clone, Debug)]
pub struct ValidateArgs {
    /// The witness: YAML (.yml) or GraphML
    #[arg(value_name = "WITNESS")]
    pub given: PathBuf,
    #[command(flatten)]
    pub check: CheckArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum InvariantsFormat {
    /// Lines FILE:LINE:COLUMN: C-EXPRESSION
    Text,
    /// A witness of correctness, YAML 2.0
    Witness,
    /// Annotations for Frama-C, each with its place
    Acsl,
    /// Loop contracts for CBMC, each with its place
    Cprover,
}

#[derive(Args, Clone, Debug)]
pub struct InvariantsArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// A property file in the format of the verification competition
    #[arg(long, value_name = "FILE.prp")]
    pub spec: Option<PathBuf>,
    /// The analysis whose invariants are printed: a name from `concord analyses`, or a file
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub analysis: String,
    /// CPU time limit
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time)]
    pub timeout: Duration,
    /// Memory limit
    #[arg(long, value_name = "SIZE", default_value = "4GB", value_parser = parse_size)]
    pub memory: u64,
    /// How invariants are written
    #[arg(long = "as", value_enum, value_name = "FORMAT", default_value = "text")]
    pub format: InvariantsFormat,
}

#[derive(Args, Clone, Debug)]
pub struct ReduceArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The condition: an assumption automaton, as `check --condition-out` and CPAchecker write it
    #[arg(long, value_name = "FILE")]
    pub condition: PathBuf,
    /// A property file in the format of the verification competition
    #[arg(long, value_name = "FILE.prp")]
    pub spec: Option<PathBuf>,
    /// Write the part that the condition claims to be safe instead
    #[arg(long)]
    pub claimed: bool,
    /// The file that is written [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args, Clone, Debug)]
pub struct HarnessArgs {
    /// The function
    #[arg(value_name = "FUNCTION")]
    pub function: String,
    #[command(flatten)]
    pub input: InputArgs,
}

#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Values of inputs, one per line, in the order in which the program reads them
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    pub inputs: Option<PathBuf>,
    /// Use random inputs from this seed
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Print every step
    #[arg(long)]
    pub trace: bool,
    /// Stop after this many steps
    #[arg(long, value_name = "NUMBER")]
    pub steps: Option<u64>,
    /// Stop after this time
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub timeout: Option<Duration>,
    /// Execute the program after memory was split into regions (for testing)
    #[arg(long, hide = true)]
    pub split: bool,
}

/// `60`, `60s`, `500ms`, `5min`, `1h`.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number
        .parse()
        .map_err(|_| format!("'{text}' is not a time; write it as 60s, 500ms or 5min"))?;
    let factor = match unit.trim() {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "min" | "m" => 60.0,
        "h" => 3600.0,
        _ => {
            return Err(format!(
                "'{unit}' is not a unit of time; use ms, s, min or h"
            ));
        }
    };
    Duration::try_from_secs_f64(number * factor).map_err(|_| format!("'{text}' is out of range"))
}

/// `500MB`, `4GB`, `1000000`.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number
        .parse()
        .map_err(|_| format!("'{text}' is not a size; write it as 500MB or 4GB"))?;
    let factor: f64 = match unit.trim().to_ascii_uppercase().as_str() {
        "" | "B" => 1.0,
        "K" | "KB" | "KIB" => 1e3,
        "M" | "MB" | "MIB" => 1e6,
        "G" | "GB" | "GIB" => 1e9,
        _ => {
            return Err(format!("'{unit}' is not a unit of size; use KB, MB or GB"));
        }
    };
    let bytes = number * factor;
    if !(0.0..1e18).contains(&bytes) {
        return Err(format!("'{text}' is out of range"));
    }
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn times_and_sizes_are_read() {
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("2min"), Ok(Duration::from_secs(120)));
        assert_eq!(parse_size("4GB"), Ok(4_000_000_000));
        assert!(parse_time("soon").is_err() && parse_size("4 apples").is_err());
    }
}
