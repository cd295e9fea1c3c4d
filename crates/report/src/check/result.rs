//! What a check has found, as data: `--format json` prints it, `result.json` holds it, and the page
//! shows it.
//!
//! `docs/json.md` documents every field. Fields are added freely; one that changes its meaning
//! raises [`SCHEMA`].

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the schema; a field that changes its meaning raises it.
pub const SCHEMA: u32 = 1;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    True,
    False,
    Unknown,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Note {
    pub place: String,
    pub text: String,
}

/// A sign that something in Concord is wrong, although no wrong answer was given.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Alarm {
    pub kind: AlarmKind,
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AlarmKind {
    /// One engine has a certified proof, another a certified execution that violates the property.
    Contradiction,
    /// The certificate of an engine's answer does not prove it.
    WrongCertificate,
    /// The compiled program does not violate the property with the inputs of a violation.
    HarnessPasses,
}

impl AlarmKind {
    pub const ALL: [AlarmKind; 3] = [
        AlarmKind::Contradiction,
        AlarmKind::WrongCertificate,
        AlarmKind::HarnessPasses,
    ];

    /// As statistics name it.
    pub fn name(self) -> &'static str {
        match self {
            AlarmKind::Contradiction => "contradictory-answers",
            AlarmKind::WrongCertificate => "wrong-certificates",
            AlarmKind::HarnessPasses => "harness-passes",
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    pub schema: u32,
    pub verdict: Verdict,
    /// The property asked for.
    pub property: String,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// The engine that found the answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub engine: Option<String>,
    /// The kind of certificate, and how it was checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certificate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certified: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counterexample: Option<Counterexample>,
    /// The program as C text that violates the property when compiled and run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub harness: Option<String>,
    /// The violation as a test: C text for people, which sets the inputs and calls the entry.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub test: Option<String>,
    /// Every check with its own verdict, where that was asked for: by function, those with violated
    /// checks first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub checks: Vec<CheckShown>,
    /// A witness of the answer, as the text of a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub witness: Option<String>,
    /// What became of the witness that was to be validated.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub validation: Option<Validation>,
    /// Why the working process was started a second time, and without which engine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub restarted: Option<String>,
    /// What holds at loops whenever an execution is there, as C expressions.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub invariants: Vec<Invariant>,
    /// What was assumed about bodies that are missing.
    pub assumptions: Vec<Note>,
    /// A warning about the program text.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<Note>,
    /// Conditions that C demands and that a proof takes for granted.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub not_proved: Vec<Note>,
    /// Of a proof: there is no assertion, or no execution comes to one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub vacuous: Option<Note>,
    /// Constructs without support that the program contains.
    pub unsupported: Vec<Note>,
    /// Why each engine that did not answer gave up.
    pub gave_up: BTreeMap<String, String>,
    pub statistics: BTreeMap<String, BTreeMap<String, u64>>,
    /// What must not happen, and did; empty in a run without errors of Concord's own.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub alarms: Vec<Alarm>,
    /// What was asked for, and by which version of Concord.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub configuration: Option<Configuration>,
    /// The program: its text and its automata.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub program: Option<ProgramShown>,
    /// The proof as a graph, where it annotates places.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub proof: Option<ProofShown>,
    /// The abstract states of the analyses that made some, that of the answer first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub reachability: Vec<ReachabilityShown>,
    /// Refinements of trace abstraction, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub refinements: Vec<RefinementShown>,
    /// Frames of IC3, in the order of its iterations.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub frames: Vec<FramesShown>,
    /// Numbers of the locations that an execution is known to reach.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub explored: Vec<u32>,
    /// What the engines did, in the order of time.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub timeline: Vec<Event>,
    /// What the engines told one another.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub facts: Vec<FactShown>,
    /// What the working process wrote besides.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub log: Vec<String>,
    /// Seconds and bytes of the whole run, measured from outside; absent inside it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cpu_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wall_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub peak_memory: Option<u64>,
}

impl Report {
    pub fn unknown(property: &str, reason: impl Into<String>) -> Report {
        Report {
            schema: SCHEMA,
            verdict: Verdict::Unknown,
            property: property.into(),
            reason: Some(reason.into()),
            engine: None,
            certificate: None,
            certified: None,
            counterexample: None,
            harness: None,
            test: None,
            checks: Vec::new(),
            witness: None,
            validation: None,
            restarted: None,
            invariants: Vec::new(),
            assumptions: Vec::new(),
            warnings: Vec::new(),
            not_proved: Vec::new(),
            vacuous: None,
            unsupported: Vec::new(),
            gave_up: BTreeMap::new(),
            statistics: BTreeMap::new(),
            alarms: Vec::new(),
            configuration: None,
            program: None,
            proof: None,
            reachability: Vec::new(),
            refinements: Vec::new(),
            frames: Vec::new(),
            explored: Vec::new(),
            timeline: Vec::new(),
            facts: Vec::new(),
            log: Vec::new(),
            cpu_seconds: None,
            wall_seconds: None,
            peak_memory: None,
        }
    }
}

/// What is known of a check; the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckStatus {
    /// An execution violates it.
    Violated,
    Unknown,
    /// No execution violates it.
    Proved,
    /// No execution comes to it.
    Unreachable,
}

impl CheckStatus {
    pub const ALL: [CheckStatus; 4] = [
        CheckStatus::Violated,
        CheckStatus::Unknown,
        CheckStatus::Proved,
        CheckStatus::Unreachable,
    ];

    /// As answers name it.
    pub fn name(self) -> &'static str {
        match self {
            CheckStatus::Violated => "violated",
            CheckStatus::Unknown => "unknown",
            CheckStatus::Proved => "proved",
            CheckStatus::Unreachable => "unreachable",
        }
    }
}

/// A place where an execution may violate the property, with its own verdict. A violated check ends
/// its execution: what is said of the others is said of executions that come to them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckShown {
    pub status: CheckStatus,
    /// The property that it is a part of, as verdicts name it.
    pub property: String,
    /// What is to hold there, in words.
    pub claim: String,
    /// The function that it stands in.
    pub function: String,
    pub place: String,
    /// The statement.
    pub text: String,
    /// The line in [`Report::program`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<SourceLine>,
    /// Why it is not decided.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// The engine that decided it, the kind of certificate, and how that was checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub engine: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certificate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certified: Option<String>,
    /// An execution that violates it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counterexample: Option<Counterexample>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Judgement {
    /// The witness shows what it claims.
    Confirmed,
    /// It does not: what it describes cannot happen, or does not hold.
    Refuted,
    Unknown,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Validation {
    pub judgement: Judgement,
    pub reason: String,
}

/// An invariant at a loop, at the place where a witness would put it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Invariant {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    /// A C expression over names in scope there.
    pub text: String,
    /// The checker of certificates has found it to hold. If not, an engine has proved it and nobody
    /// has checked that.
    #[serde(default)]
    pub certified: bool,
    /// Jumps make the loop: no loop statement of the text does.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub by_jump: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Configuration {
    pub version: String,
    /// The analysis by name, or the file that describes it.
    pub analysis: String,
    pub summary: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub paper: Option<String>,
    /// The description of the analysis as it stands in its file.
    #[serde(default)]
    pub text: String,
    pub files: Vec<String>,
    pub data_model: String,
    /// The function where executions start.
    pub entry: String,
    pub timeout_seconds: f64,
    pub memory_bytes: u64,
    /// What was said on the command line.
    pub command_line: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ProgramShown {
    pub files: Vec<SourceFile>,
    pub functions: Vec<FunctionShown>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    pub name: String,
    pub text: String,
}

/// A line of [`ProgramShown::files`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct SourceLine {
    /// Index of the file.
    pub file: u32,
    /// Counts from 1.
    pub line: u32,
}

/// The control-flow automaton of a function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctionShown {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<SourceLine>,
    pub entry: u32,
    pub exit: u32,
    pub locations: Vec<LocationShown>,
    pub edges: Vec<EdgeShown>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LocationKind {
    Ordinary,
    LoopHead,
    Error,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LocationShown {
    /// Its number in the whole program.
    pub number: u32,
    pub kind: LocationKind,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<SourceLine>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EdgeShown {
    pub source: u32,
    pub target: u32,
    /// The operation, close to C.
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<SourceLine>,
}

/// The places that a proof speaks about; an edge leads to a place that executions may come to next.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ProofShown {
    /// The first is the start of the program.
    pub nodes: Vec<ProofNode>,
    /// Indices of nodes.
    pub edges: Vec<(u32, u32)>,
    /// Nodes that are not in the list because it would be too long.
    pub left_out: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProofNode {
    pub location: u32,
    pub function: String,
    /// The functions called on the way there, outermost first; empty if the node speaks about all
    /// ways.
    pub calls: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<SourceLine>,
    /// What holds there.
    pub text: String,
}

/// An abstract reachability graph, or the part of it that can be looked at.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReachabilityShown {
    pub engine: String,
    /// How many there were in all.
    pub states: usize,
    /// The first is the start of the program; those on the error path are in its order.
    pub nodes: Vec<StateShown>,
    pub edges: Vec<StateEdge>,
}

/// A refinement of trace abstraction: an infeasible trace, and the automaton that removed it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RefinementShown {
    pub engine: String,
    /// Counted from one.
    pub number: usize,
    /// Where the automaton comes from.
    pub origin: String,
    /// Did abstract interpretation prove the path program?
    pub interpreted: bool,
    /// The statements of the trace, each with what holds behind it.
    pub steps: Vec<(String, String)>,
    /// What the states of the automaton say; the first is where it begins.
    pub states: Vec<String>,
    /// Source, target, statement.
    pub edges: Vec<(u32, u32, String)>,
}

/// The frames of IC3 after one iteration.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FramesShown {
    pub engine: String,
    /// No execution with so many steps reaches an error.
    pub iteration: u32,
    pub places: Vec<PlaceFrames>,
}

/// The frames of one place.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PlaceFrames {
    pub function: String,
    /// The functions called on the way there, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub calls: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<SourceLine>,
    /// The place is reached with so many steps or more.
    pub first: u32,
    /// Clauses, each with the last index of which it holds, the greatest first.
    pub clauses: Vec<(u32, String)>,
    /// Clauses that are not in the list because it would be too long.
    pub left_out: usize,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StateShown {
    pub function: String,
    /// The functions called on the way there, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub calls: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<SourceLine>,
    /// Numbers of the locations that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub locations: Vec<u32>,
    /// What it says.
    pub text: String,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub loop_head: bool,
    /// The property is violated there.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub target: bool,
    /// Another state stands for it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub covered: bool,
    /// What comes after it was not looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub open: bool,
    /// On the way to the violation that the analysis found.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub on_path: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StateEdge {
    /// Indices of nodes.
    pub from: u32,
    pub to: u32,
    /// The operations on the way.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub operations: Vec<String>,
    pub kind: StateEdgeKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateEdgeKind {
    Successor,
    /// The successor became part of a state that was there before.
    Merged,
    /// The state at the end stands for the successor, or for the state itself.
    Covering,
}

/// Something that an engine began to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Event {
    /// Since the start of the run.
    pub seconds: f64,
    pub engine: String,
    pub phase: String,
}

/// A fact that an engine made known to the others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FactShown {
    pub seconds: f64,
    /// The engine that found it.
    pub engine: String,
    pub place: String,
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Counterexample {
    pub inputs: Vec<InputShown>,
    pub steps: Vec<Step>,
    /// Steps that are not in the list because it would be too long.
    pub left_out: u64,
    /// How many of the steps come before those left out.
    #[serde(default)]
    pub left_out_after: usize,
    /// The execution is too long to be watched to its end: the last steps are missing too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// Where the property is violated.
    pub violation: Note,
    /// What is wrong there, if more can be said than the name of the property.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InputShown {
    pub place: String,
    pub what: String,
    pub value: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<SourceLine>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step {
    /// How many calls are open.
    pub depth: u32,
    pub file: String,
    pub line: u32,
    /// The line of the source text.
    pub text: String,
    /// Variables that changed, with their new values.
    pub values: Vec<(String, String)>,
    /// What a branch decided.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch: Option<bool>,
    /// The same in words; of an assertion, whether it holds.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub decided: String,
    /// The function that the step belongs to.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub function: String,
    /// Names among `values` that belong to no function.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub globals: Vec<String>,
    /// The line in [`Report::program`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<SourceLine>,
    /// The violation depends on what happened here.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub matters: bool,
    /// Numbers of the locations passed since the step before.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub locations: Vec<u32>,
    /// Steps inside models of the library that happened during this one.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub folded: Vec<Folded>,
    /// The property is violated here.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub violates: bool,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Folded {
    pub function: String,
    pub steps: u64,
}
