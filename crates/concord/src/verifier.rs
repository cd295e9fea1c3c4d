//! The façade: a verifier that is told what to do, and answers that can be relied on.

use crate::board::QuietBoard;
use crate::{inputs, property, validity};
use cfa::program::{Assumption, Program};
use control::clock;
use facts::budget::{Budget, SolverBudget};
use interpreter::write_value;
use lowering::LowerOptions;
use portfolio::case::{Case, Settings};
use portfolio::decide::{self, Decision};
use portfolio::{assembly, configuration};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use syntax::preprocess::flags::{Flag, Flags};

pub use report::check::Note;
pub use syntax::types::DataModel;

/// Processor time that a check may take, if nothing else is said.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of memory.
const MEMORY: u64 = 4_000_000_000;

/// What is to hold in all executions.
///
/// ```
/// use concord::Property;
///
/// assert_eq!(Property::default().name(), "unreach-call");
/// assert_eq!(Property::named("valid-shift")?.name(), "valid-shift");
/// assert!(Property::named("beauty").is_err());
/// # Ok::<(), concord::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    name: &'static str,
    meaning: lowering::property::Property,
}

impl Property {
    /// A property as `concord check --property` knows it.
    ///
    /// # Errors
    /// If there is none of that name; the message lists those that there are.
    pub fn named(name: &str) -> Result<Property, Error> {
        let (meaning, name) = property::of_name(name).map_err(Error)?;
        Ok(Property { name, meaning })
    }

    /// No assertion fails, and no error function is called.
    pub fn assertions() -> Property {
        Property {
            name: "unreach-call",
            meaning: lowering::property::Property::assertions(),
        }
    }

    /// No signed arithmetic overflows.
    pub fn no_overflow() -> Property {
        Property {
            name: "no-overflow",
            meaning: lowering::property::Property::NoOverflow,
        }
    }

    /// All accesses are to live memory, what is freed can be freed, and nothing is lost.
    pub fn memory_safety() -> Property {
        let checks = lowering::property::Check::MEMORY_SAFETY.to_vec();
        Property {
            name: "valid-memsafety",
            meaning: property::of_checks(checks),
        }
    }

    /// The name in results.
    pub fn name(&self) -> &str {
        self.name
    }
}

impl Default for Property {
    fn default() -> Property {
        Property::assertions()
    }
}

/// Why a program could not be checked at all, in words for users.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

impl std::error::Error for Error {}

/// What is known of a program.
#[derive(Clone, Debug)]
pub struct Answer {
    pub verdict: Verdict,
    /// What was assumed about code that is not there.
    pub assumptions: Vec<Note>,
    /// Of a proof: conditions that C demands of the program, and that were not proved.
    pub not_proved: Vec<Note>,
    /// What is odd about the text of the program.
    pub warnings: Vec<Note>,
    /// Constructs that no analysis understands.
    pub unsupported: Vec<Note>,
}

/// Whether the property holds.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It holds in all executions.
    True(Certificate),
    /// There is an execution in which it does not.
    False(Certificate),
    /// Neither was found, and why.
    Unknown(String),
}

/// A value that the program takes from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Where: `file:line:column`.
    pub place: String,
    /// What takes it, such as the call of a function.
    pub what: String,
    /// The value as C writes it.
    pub value: String,
}

/// What proves an answer. Nobody gets one that was not checked.
#[derive(Clone)]
pub struct Certificate {
    engine: String,
    how: String,
    harness: Option<String>,
    certificate: facts::certificate::Certificate,
    about: About,
}

/// The program that a certificate is about.
#[derive(Clone)]
enum About {
    Case(Arc<Case>),
    /// There was nothing to search for.
    Original(Arc<Program>),
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate")
            .field("engine", &self.engine)
            .field("kind", &self.kind())
            .field("checked", &self.how)
            .finish_non_exhaustive()
    }
}

impl Certificate {
    /// The engine that found it; empty where none was needed.
    pub fn engine(&self) -> &str {
        &self.engine
    }

    /// What it is: `inputs` of an execution, or a kind of proof.
    pub fn kind(&self) -> &'static str {
        self.certificate.name()
    }

    /// How it was checked, in words for users.
    pub fn checked(&self) -> &str {
        &self.how
    }

    /// Of an execution: its inputs, in the order in which they are read.
    pub fn inputs(&self) -> Vec<Input> {
        let facts::certificate::Certificate::Inputs(values) = &self.certificate else {
            return Vec::new();
        };
        let program = self.original();
        let input = |value| {
            let (span, what) = inputs::described(program, value);
            Input {
                place: program.describe(span),
                what,
                value: write_value(value.ty, value.bits),
            }
        };
        values.iter().map(input).collect()
    }

    /// Of an execution that the compiled program has confirmed: a C file that, linked with the
    /// program, gives it the inputs.
    pub fn harness(&self) -> Option<&str> {
        self.harness.as_deref()
    }

    /// Checks the certificate once more, with the checker that knows no engine, and says how.
    ///
    /// # Errors
    /// If it cannot be checked in this time.
    pub fn check_again(&self, timeout: Duration) -> Result<String, Error> {
        let budget = Budget::new(Some(timeout), None);
        let program = match (&self.about, self.certificate.claims_safety()) {
            (About::Case(case), true) => case.views.for_proofs(),
            _ => self.original(),
        };
        certify::certify(program, &self.certificate, &budget)
            .map(|accepted| accepted.how)
            .map_err(|rejection| Error(rejection.to_string()))
    }

    fn original(&self) -> &Program {
        match &self.about {
            About::Case(case) => &case.views.original,
            About::Original(program) => program,
        }
    }
}

/// Checks programs. Each setting has the default of `concord check`.
///
/// ```
/// use concord::{Property, Verdict, Verifier};
/// use std::time::Duration;
///
/// let verifier = Verifier::new()
///     .property(Property::no_overflow())
///     .timeout(Duration::from_secs(20))
///     .entry("middle");
/// let right = "int middle(short a, short b) { return (a + b) / 2; }";
/// let answer = verifier.check_text("middle.c", right)?;
/// let Verdict::True(proof) = answer.verdict else {
///     panic!("{:?}", answer.verdict);
/// };
/// // Whoever does not believe the first check makes another.
/// proof.check_again(Duration::from_secs(20))?;
///
/// let wrong = "int middle(int a, int b) { return (a + b) / 2; }";
/// let answer = verifier.check_text("middle.c", wrong)?;
/// assert!(matches!(answer.verdict, Verdict::False(_)));
/// # Ok::<(), concord::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Verifier {
    property: Property,
    analysis: String,
    timeout: Duration,
    memory: u64,
    model: DataModel,
    entry: Option<String>,
    deterministic: bool,
    flags: Vec<Flag>,
}

impl Default for Verifier {
    fn default() -> Verifier {
        Verifier::new()
    }
}

impl Verifier {
    pub fn new() -> Verifier {
        Verifier {
            property: Property::default(),
            analysis: "default".into(),
            timeout: TIMEOUT,
            memory: MEMORY,
            model: DataModel::Lp64,
            entry: None,
            deterministic: false,
            flags: Vec::new(),
        }
    }

    /// What is to hold.
    pub fn property(self, property: Property) -> Verifier {
        Verifier { property, ..self }
    }

    /// The analysis: a name that `concord analyses` lists.
    pub fn analysis(self, name: impl Into<String>) -> Verifier {
        let analysis = name.into();
        Verifier { analysis, ..self }
    }

    /// Processor time of a check; twice as much may pass on the wall.
    pub fn timeout(self, timeout: Duration) -> Verifier {
        Verifier { timeout, ..self }
    }

    /// Bytes of memory after which analyses give up.
    pub fn memory(self, memory: u64) -> Verifier {
        Verifier { memory, ..self }
    }

    /// Sizes of the types of C.
    pub fn data_model(self, model: DataModel) -> Verifier {
        Verifier { model, ..self }
    }

    /// Start at this function with arbitrary arguments, instead of at `main`.
    pub fn entry(self, function: impl Into<String>) -> Verifier {
        let entry = Some(function.into());
        Verifier { entry, ..self }
    }

    /// Run one engine at a time, so that a run can be repeated exactly.
    pub fn deterministic(self, deterministic: bool) -> Verifier {
        Verifier {
            deterministic,
            ..self
        }
    }

    /// Define a macro: `NAME` or `NAME=VALUE`.
    pub fn define(mut self, text: impl Into<String>) -> Verifier {
        self.flags.push(Flag::Define(text.into()));
        self
    }

    /// Search this folder for included files.
    pub fn include(mut self, folder: impl Into<PathBuf>) -> Verifier {
        self.flags.push(Flag::Include(folder.into()));
        self
    }

    /// Checks files that form one program.
    ///
    /// # Errors
    /// If a file cannot be read or is no correct C, or there is no such analysis.
    pub fn check_files<P: AsRef<Path>>(&self, files: &[P]) -> Result<Answer, Error> {
        let files: Vec<PathBuf> = files.iter().map(|file| file.as_ref().to_owned()).collect();
        self.check(|front, lower| lowering::load_program(&files, front, lower))
    }

    /// Checks a text that needs no preprocessor; the name is for messages.
    ///
    /// # Errors
    /// As [`Verifier::check_files`].
    pub fn check_text(&self, name: &str, text: &str) -> Result<Answer, Error> {
        self.check(|front, lower| lowering::load_text(name, text, front, lower))
    }

    fn check(
        &self,
        load: impl FnOnce(&syntax::driver::Options, &LowerOptions) -> Loaded + Send,
    ) -> Result<Answer, Error> {
        // Deep trees and deep programs need a large stack, whatever thread this is.
        syntax::driver::on_large_stack(|| self.check_here(load))
    }

    fn check_here(
        &self,
        load: impl FnOnce(&syntax::driver::Options, &LowerOptions) -> Loaded,
    ) -> Result<Answer, Error> {
        let analysis = configuration::named(&self.analysis).map_err(Error)?;
        let flags = Flags {
            list: self.flags.clone(),
            standard: None,
        };
        let front = syntax::driver::Options {
            data_model: self.model,
            flags: flags.clone(),
            ..syntax::driver::Options::default()
        };
        let lower = LowerOptions {
            entry: self.entry.clone(),
            ..LowerOptions::default()
        };
        let loaded = load(&front, &lower).map_err(|failure| Error(failure.to_string()))?;
        let meaning = &self.property.meaning;
        let original = transform::safety::instrument(&loaded.program, meaning);
        let notes = |list: &[Assumption]| -> Vec<Note> {
            let note = |one: &Assumption| Note {
                place: original.describe(one.span),
                text: one.text.clone(),
            };
            list.iter().map(note).collect()
        };
        let mut answer = Answer {
            verdict: Verdict::Unknown(String::new()),
            assumptions: notes(&original.assumptions),
            not_proved: Vec::new(),
            warnings: notes(&original.warnings),
            unsupported: notes(&original.unsupported),
        };
        let _counting = self.deterministic.then(clock::count);
        let budget = Budget::new(Some(self.timeout * 2), Some(self.memory))
            .with_processor_time(self.timeout)
            .with_solver(logic::SolverChoice::Native);
        if let Some((certificate, accepted)) = decide::without_search(&original, &budget) {
            let split = transform::regions::split_memory(&original);
            answer.not_proved = validity::not_proved(&split, meaning);
            answer.verdict = Verdict::True(Certificate {
                engine: String::new(),
                how: accepted.how,
                harness: None,
                certificate,
                about: About::Original(Arc::new(original)),
            });
            return Ok(answer);
        }
        let settings = Settings {
            build: Some(certify::Build {
                property: meaning.clone(),
                entry: self.entry.clone(),
                external_writes: false,
                flags: flags.words(),
            }),
            ..Settings::default()
        };
        let case = Arc::new(Case::new(original, &analysis.passes, settings));
        let plan = match self.deterministic {
            true => analysis.plan.in_turns(),
            false => analysis.plan.clone(),
        };
        let engines = assembly::make(&plan, &case, Vec::new()).map_err(Error)?;
        let board = Arc::new(QuietBoard(Arc::clone(&case)));
        answer.verdict = match decide::decide(engines, &case, &board, &budget, &mut |_| ()) {
            Decision::Contradicted(how) => Verdict::Unknown(how),
            Decision::Unknown(reason) => Verdict::Unknown(reason.to_string()),
            Decision::Certified(conclusion) => {
                let certificate = Certificate {
                    engine: conclusion.engine,
                    how: conclusion.how,
                    harness: conclusion.harness,
                    certificate: conclusion.certificate,
                    about: About::Case(Arc::clone(&case)),
                };
                match certificate.certificate.claims_safety() {
                    true => Verdict::True(certificate),
                    false => Verdict::False(certificate),
                }
            }
        };
        if matches!(answer.verdict, Verdict::True(_)) {
            answer.not_proved = validity::not_proved(&case.views.split, meaning);
        }
        Ok(answer)
    }
}

type Loaded = Result<lowering::Loaded, syntax::driver::Failure>;
