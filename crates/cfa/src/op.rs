//! Operations: what stands on an edge of the automaton.

use crate::expr::{ExprId, VarId};
use crate::memory::{ObjectId, RegionId};
use crate::program::FuncId;
use syntax::span::{Name, Span};
use syntax::typed::Question;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct OpId(pub u32);

/// A value that the program does not determine: a named place where executions get it from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct InputId(pub u32);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// A call of `__VERIFIER_nondet_X`; the name of the function.
    Nondet(Name),
    /// The value of an uninitialised variable, as its name.
    Uninitialised(String),
    /// The result of a function without a body.
    External(Name),
    /// What a library function hears from outside: a part of what the named function returns or
    /// writes.
    Library(Name),
    /// 0 if the named library function returns what glibc's does, 1 if another result that C
    /// allows.
    Unusual(Name),
    /// 0 if a call reaches the program's own function of this name, 1 if the compiler takes it for
    /// the library's.
    Replaced(Name),
    /// A parameter of the entry function.
    Argument(String),
    /// A read of a volatile object, which may have changed; what it is.
    Volatile(String),
    /// An output of inline assembly: a proof holds for all values, of a violation nobody knows
    /// whether it can have this one.
    Assembly,
    /// The answer to a question about memory, or of a function of which nothing is known: a proof
    /// may know it where memory is watched, of a violation nobody knows whether it can be this one.
    Asked {
        question: Question,
        /// What is asked about, in the program as it was lowered.
        operands: Vec<VarId>,
    },
}

#[derive(Clone, Debug)]
pub struct Input {
    pub kind: InputKind,
    /// Bounds of the value where the type does not give them all (`_Bool` from nondet is 0 or 1).
    pub is_bool: bool,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Contents {
    /// Any bytes.
    Arbitrary,
    /// Any bytes that something outside the program chose: pointers among them may lead to memory
    /// outside.
    Outside,
    Zero,
}

/// Laws: an operation evaluates all of its expressions first (strictly), then changes the state. If
/// an evaluation fails the execution ends before any change.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Skip,
    /// Passes only if the `Bool` expression is true.
    Assume(ExprId),
    Assign(VarId, ExprId),
    Havoc(VarId, InputId),
    /// Writes the value at the address, in the width of its type (floats as their bits).
    Store {
        region: RegionId,
        address: ExprId,
        value: ExprId,
    },
    /// The object comes to life. Its cells are zero or arbitrary. Globals and string literals begin
    /// once, before the entry function.
    Begin {
        object: ObjectId,
        contents: Contents,
    },
    /// The object dies: every later access to it is invalid. Of a
    /// [`crate::memory::ObjectKind::StackAllocation`]: all that the current activation of the
    /// function has allocated under this id and that still lives.
    End(ObjectId),
    /// `target` becomes the address of a new object of `size` bytes. The object stands for all that
    /// this operation ever allocates.
    Allocate {
        target: VarId,
        object: ObjectId,
        size: ExprId,
        contents: Contents,
    },
    /// C's `realloc`: a new object with the old contents as far as both reach, the old one
    /// released.
    Reallocate {
        target: VarId,
        object: ObjectId,
        address: ExprId,
        size: ExprId,
    },
    /// C's `free`: null does nothing; anything that is no live heap object ends the execution.
    Release(ExprId),
    /// C's `memmove` of `size` bytes. `source_region` is read, `target_region` written.
    Copy {
        target_region: RegionId,
        target: ExprId,
        source_region: RegionId,
        source: ExprId,
        size: ExprId,
    },
    /// C's `memset`: `size` bytes become `byte` (an unsigned 8-bit expression).
    Fill {
        region: RegionId,
        target: ExprId,
        byte: ExprId,
        size: ExprId,
    },
    /// Goes to the callee's entry with its parameters assigned; at the callee's exit its result
    /// variable is assigned to `result` and control is at this edge's target.
    Call {
        function: FuncId,
        args: Vec<ExprId>,
        result: Option<VarId>,
    },
    /// `printf` and its kin: evaluated, shown by the interpreter only. The result is the number of
    /// bytes.
    Print(Print),
    /// Ends the execution for good: `exit`, `abort`, undefined behaviour made explicit. The edge's
    /// target is never reached through it.
    Halt(Halt),
}

impl Op {
    /// The object whose life begins here.
    pub fn begins(&self) -> Option<ObjectId> {
        match self {
            Op::Begin { object, .. } | Op::Allocate { object, .. } => Some(*object),
            _ => None,
        }
    }

    /// The expressions that the operation evaluates, in order.
    pub fn expressions(&self) -> Vec<ExprId> {
        match self {
            Op::Skip | Op::Havoc(..) | Op::Begin { .. } | Op::End(_) => Vec::new(),
            Op::Assume(a) | Op::Assign(_, a) | Op::Release(a) => vec![*a],
            Op::Store { address, value, .. } => vec![*address, *value],
            Op::Allocate { size, .. } => vec![*size],
            Op::Reallocate { address, size, .. } => vec![*address, *size],
            Op::Copy {
                target,
                source,
                size,
                ..
            } => vec![*target, *source, *size],
            Op::Fill {
                target, byte, size, ..
            } => vec![*target, *byte, *size],
            Op::Call { args, .. } | Op::Print(Print { args, .. }) => args.clone(),
            Op::Halt(Halt::Exit(status)) => vec![*status],
            Op::Halt(_) => Vec::new(),
        }
    }

    /// Those of its expressions that are addresses of memory that the operation itself touches.
    pub fn addresses(&self) -> Vec<ExprId> {
        match self {
            Op::Store { address, .. } | Op::Reallocate { address, .. } => vec![*address],
            Op::Release(address) => vec![*address],
            Op::Copy { target, source, .. } => vec![*target, *source],
            Op::Fill { target, .. } => vec![*target],
            _ => Vec::new(),
        }
    }

    /// Those of its expressions that are numbers of bytes: whether the operation succeeds, or what
    /// it returns, tells of them.
    pub fn counts(&self) -> Vec<ExprId> {
        match self {
            Op::Allocate { size, .. } | Op::Reallocate { size, .. } => vec![*size],
            Op::Copy { size, .. } | Op::Fill { size, .. } => vec![*size],
            _ => Vec::new(),
        }
    }

    /// The variable that the operation itself writes (of a call: when it returns).
    pub fn written_variable(&self) -> Option<VarId> {
        match self {
            Op::Assign(var, _) | Op::Havoc(var, _) => Some(*var),
            Op::Allocate { target, .. } | Op::Reallocate { target, .. } => Some(*target),
            Op::Call { result, .. } | Op::Print(Print { result, .. }) => *result,
            _ => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Print {
    pub kind: PrintKind,
    /// For `Format`: the values, each in the type that its conversion reads (strings are
    /// addresses).
    pub args: Vec<ExprId>,
    pub result: Option<VarId>,
    /// Standard error instead of standard output.
    pub to_stderr: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PrintKind {
    /// The format string, constant.
    Format(Vec<u8>),
    /// A format that is not constant: its address is the first argument; evaluated but printed as
    /// it is.
    UnknownFormat,
    /// `putchar`.
    Char,
    /// `puts`: the address of a string.
    Line,
    /// `fputs`: as `puts`, without the newline.
    Text,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Halt {
    /// `exit(status)` or return from the entry function is a normal end.
    Exit(ExprId),
    Abort,
    /// `__builtin_unreachable` and the like; the text says what.
    Undefined(String),
    /// Something that Concord does not support is reached: every verdict that depends on it is
    /// UNKNOWN.
    Unsupported(String),
}
