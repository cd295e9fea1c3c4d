//! How an execution ends, and where.

use cfa::memory::ObjectId;
use cfa::op::InputId;
use cfa::program::{EdgeId, ErrorKind, LocId, Program};
use cfa::value::Ty;
use syntax::span::Span;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The program returned from its entry function or called `exit`, with this status.
    Finished(i32),
    /// An error location: the property is violated.
    Error(LocId),
    /// No edge leads on: an assumption does not hold.
    AssumeFailed,
    DivisionByZero,
    /// `MIN / -1` or `MIN % -1`, which x86 traps at.
    DivisionOverflows,
    InvalidAccess(InvalidAccess),
    /// `abort` was called.
    Aborted,
    /// Undefined behaviour that the program states itself, such as `__builtin_unreachable`.
    Undefined(String),
    Unsupported(String),
    StepLimit,
    TimeLimit,
    /// The stop token was set.
    Stopped,
    /// Calls nest too deeply.
    StackLimit,
    MemoryLimit,
    /// The source had no value for this input.
    InputsExhausted(InputId),
}

impl Outcome {
    /// How the execution ended, in words for users.
    pub fn describe(&self, program: &Program) -> String {
        match self {
            Outcome::Finished(status) => format!("the program ends with status {status}"),
            Outcome::Error(location) => match program.error_kind(*location) {
                None | Some(ErrorKind::ErrorCall) => "an assertion fails".into(),
                Some(kind) => format!("{} is violated", kind.property()),
            },
            Outcome::Aborted => "the program aborts".into(),
            Outcome::AssumeFailed => "an assumption does not hold, so the execution ends".into(),
            Outcome::DivisionByZero => "division by zero".into(),
            Outcome::DivisionOverflows => "division overflows".into(),
            Outcome::InvalidAccess(access) => {
                let object = access.object.map_or(String::new(), |(object, offset)| {
                    let name = &program.object(object).name;
                    format!(" ({offset} bytes from the start of {name})")
                });
                format!(
                    "invalid {} of address {:#x}: {}{object}",
                    access.kind.name(),
                    access.address,
                    access.fault.describe()
                )
            }
            Outcome::Undefined(what) => format!("undefined behaviour: {what}"),
            Outcome::Unsupported(what) => format!("{what} is not supported"),
            Outcome::StepLimit => "step limit reached".into(),
            Outcome::TimeLimit | Outcome::Stopped => "time limit reached".into(),
            Outcome::StackLimit => "calls nest too deeply".into(),
            Outcome::MemoryLimit => "memory limit reached".into(),
            Outcome::InputsExhausted(_) => "the program reads more inputs than the list has".into(),
        }
    }

    /// Whether C's own meaning ends the execution here, rather than a limit of ours.
    pub fn is_conclusive(&self) -> bool {
        !matches!(
            self,
            Outcome::Unsupported(_)
                | Outcome::StepLimit
                | Outcome::TimeLimit
                | Outcome::Stopped
                | Outcome::StackLimit
                | Outcome::MemoryLimit
                | Outcome::InputsExhausted(_)
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    Read,
    Write,
    /// `free` or `realloc`.
    Release,
}

impl AccessKind {
    fn name(self) -> &'static str {
        match self {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Release => "release",
        }
    }
}

/// What is wrong with an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    Null,
    /// Beside the object, which is live.
    OutOfBounds,
    /// The object was live once.
    Dead,
    ReadOnly,
    /// `free` of something that is no live object of the heap, or of its middle.
    NotAllocated,
    /// No object is anywhere near.
    Wild,
}

impl Fault {
    fn describe(self) -> &'static str {
        match self {
            Fault::Null => "null pointer",
            Fault::OutOfBounds => "out of bounds",
            Fault::Dead => "the object's lifetime has ended",
            Fault::ReadOnly => "read-only object",
            Fault::NotAllocated => "not the start of a live heap object",
            Fault::Wild => "no object is there",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidAccess {
    pub kind: AccessKind,
    /// Of the object meant, if there is one.
    pub size: Option<u64>,
    /// Where the object died, if it did.
    pub ended: Option<EdgeId>,
    pub fault: Fault,
    /// Of the first bad byte.
    pub address: u64,
    /// The object meant, and the byte's offset from its start.
    pub object: Option<(ObjectId, i64)>,
}

/// Where an execution ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndPlace {
    pub location: LocId,
    /// The edge whose operation could not be completed.
    pub edge: Option<EdgeId>,
    pub span: Span,
    /// The call edges that are still open, outermost first.
    pub calls: Vec<EdgeId>,
}

/// The record of one execution.
#[derive(Clone, Debug)]
pub struct Run {
    pub outcome: Outcome,
    pub place: EndPlace,
    /// Edges passed.
    pub steps: u64,
    /// Every input consumed, in order: given back in this order they make the same execution. Ids
    /// beyond the program's own inputs are those of memory without a value; see
    /// [`super::Interpreter::input`].
    pub inputs: Vec<(InputId, Ty, u128)>,
    /// What is wrong with memory, if that is the error.
    pub fault: Option<MemoryFault>,
}

/// What is wrong with memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemoryFault {
    Access(InvalidAccess),
    /// An object of the heap lives at the end: where it was allocated, and its size.
    Left {
        object: ObjectId,
        bytes: u64,
    },
}
