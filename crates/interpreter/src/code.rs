//! The instructions that a program is compiled to before it runs.
//!
//! All values live in one flat file of 64-bit registers: constants, temporaries, global variables,
//! and for each function its variables and the addresses of its local objects. A value of at most
//! 64 bits is one register, zero-extended; a wider one is two, low half first. So every operand is
//! a register with a fixed number. When a function is called that is active already, its registers
//! are put aside until the call returns.
//!
//! Operators have their target first and then their operands; stores have the address first; a
//! constant offset from the address comes last; jumps have the steps first and the target last.
//! `steps` on an instruction that transfers control is the number of edges passed since the last
//! one that did: counting costs nothing in between.

use cfa::expr::{BinOp, UnOp};
use cfa::memory::ObjectId;
use cfa::op::{Contents, InputId, PrintKind};
use cfa::program::{EdgeId, FuncId, LocId};
use cfa::value::Ty;
use rustc_hash::FxHashMap;
use std::ops::Range;

pub(super) type Reg = u32;
/// An index into the code.
pub(super) type Pc = u32;

#[derive(Clone, Copy, Debug)]
pub(super) enum Instr {
    Move(Reg, Reg),

    Add32(Reg, Reg, Reg),
    Sub32(Reg, Reg, Reg),
    Mul32(Reg, Reg, Reg),
    Add64(Reg, Reg, Reg),
    Sub64(Reg, Reg, Reg),
    Mul64(Reg, Reg, Reg),
    And(Reg, Reg, Reg),
    Or(Reg, Reg, Reg),
    Xor(Reg, Reg, Reg),
    Shl32(Reg, Reg, Reg),
    Shl64(Reg, Reg, Reg),
    ShrU32(Reg, Reg, Reg),
    ShrU64(Reg, Reg, Reg),
    ShrS32(Reg, Reg, Reg),
    ShrS64(Reg, Reg, Reg),
    /// Unsigned of any width: values are zero-extended.
    DivU(Reg, Reg, Reg),
    RemU(Reg, Reg, Reg),
    DivS32(Reg, Reg, Reg),
    RemS32(Reg, Reg, Reg),
    DivS64(Reg, Reg, Reg),
    RemS64(Reg, Reg, Reg),
    Eq(Reg, Reg, Reg),
    Ne(Reg, Reg, Reg),
    LtU(Reg, Reg, Reg),
    LeU(Reg, Reg, Reg),
    LtS32(Reg, Reg, Reg),
    LeS32(Reg, Reg, Reg),
    LtS64(Reg, Reg, Reg),
    LeS64(Reg, Reg, Reg),
    AddF64(Reg, Reg, Reg),
    SubF64(Reg, Reg, Reg),
    MulF64(Reg, Reg, Reg),
    Neg32(Reg, Reg),
    Neg64(Reg, Reg),
    Not32(Reg, Reg),
    Not64(Reg, Reg),
    BoolNot(Reg, Reg),
    /// Clears all but the low `64 - drop` bits.
    Truncate {
        drop: u8,
        dst: Reg,
        a: Reg,
    },
    /// A base plus an index times a power of two, in 64 or 32 bits; the last one extends the sign
    /// of a 32-bit index.
    Index64(u8, Reg, Reg, Reg),
    Index32(u8, Reg, Reg, Reg),
    IndexSigned(u8, Reg, Reg, Reg),
    /// Extends the sign of the low `64 - from` bits, then clears the high `drop` bits.
    Extend {
        from: u8,
        drop: u8,
        dst: Reg,
        a: Reg,
    },
    /// The first becomes the third if the second is true.
    MoveIf(Reg, Reg, Reg),
    /// The rest of the operators, and all wide ones: an entry of the tables says which.
    Unary {
        op: u16,
        dst: Reg,
        a: Reg,
    },
    Binary {
        op: u16,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Fma(u32),

    Load8(u16, Reg, Reg, i32),
    Load16(u16, Reg, Reg, i32),
    Load32(u16, Reg, Reg, i32),
    Load64(u16, Reg, Reg, i32),
    /// Loads of every other type. (The type matters only where memory has no value yet.)
    Load {
        ty: u16,
        dst: Reg,
        address: Reg,
    },
    Store8(Reg, Reg, i32),
    Store16(Reg, Reg, i32),
    Store32(Reg, Reg, i32),
    Store64(Reg, Reg, i32),
    Store {
        ty: u16,
        address: Reg,
        a: Reg,
    },
    /// Writes that give read-only objects their contents.
    Initialise {
        ty: u16,
        address: Reg,
        a: Reg,
    },

    Jump(u16, Pc),
    /// Counts edges where two ways meet.
    Steps(u16),
    JumpIf(u16, Reg, Pc),
    JumpIfNot(u16, Reg, Pc),
    JumpEq(u16, Reg, Reg, Pc),
    JumpNe(u16, Reg, Reg, Pc),
    JumpLtU(u16, Reg, Reg, Pc),
    JumpLeU(u16, Reg, Reg, Pc),
    JumpLtS32(u16, Reg, Reg, Pc),
    JumpLeS32(u16, Reg, Reg, Pc),
    JumpLtS64(u16, Reg, Reg, Pc),
    JumpLeS64(u16, Reg, Reg, Pc),
    /// Adds a small constant to a 32-bit variable, then jumps as the comparison with the second
    /// register says.
    AddJumpLtU(i8, u16, Reg, Reg, Pc),
    AddJumpLtS32(i8, u16, Reg, Reg, Pc),
    AddJumpLeS32(i8, u16, Reg, Reg, Pc),
    AddJumpNe(i8, u16, Reg, Reg, Pc),
    /// Goes on with the next instruction if the table has no entry for the value.
    Switch {
        steps: u16,
        a: Reg,
        table: u32,
    },
    Call(u16, u32),
    Return(u16),

    Havoc(u32),
    Begin(u32),
    End(u32),
    Allocate(u32),
    Reallocate(u32),
    Release(Reg),
    Copy {
        initialises: bool,
        target: Reg,
        source: Reg,
        size: Reg,
    },
    Fill {
        initialises: bool,
        target: Reg,
        byte: Reg,
        size: Reg,
    },
    Print(u32),

    Exit(Reg),
    Abort,
    /// Texts of `Halt::Undefined` and `Halt::Unsupported`.
    Undefined(u32),
    Unsupported(u32),
    ReachError(LocId),
    /// No edge leads on from here.
    Stuck,
    /// Only in code that is compiled for tracing: the edge was passed.
    Mark(EdgeId),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct UnaryEntry {
    pub op: UnOp,
    pub ty: Ty,
    pub wide: bool,
    pub wide_result: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BinaryEntry {
    pub op: BinOp,
    pub ty: Ty,
    pub count: Ty,
    pub wide: bool,
    pub wide_count: bool,
    pub wide_result: bool,
}

/// Whether values of the type take two registers.
pub(super) fn is_wide(ty: Ty) -> bool {
    ty.width() > 64
}

#[derive(Clone, Copy, Debug)]
pub(super) struct FmaEntry {
    pub ty: Ty,
    pub dst: Reg,
    pub parts: [Reg; 3],
}

#[derive(Clone, Debug)]
pub(super) struct CallEntry {
    pub edge: EdgeId,
    pub function: FuncId,
    /// Single registers to copy, from the caller's to the callee's.
    pub args: Vec<(Reg, Reg)>,
    /// Likewise back.
    pub result: Vec<(Reg, Reg)>,
}

#[derive(Clone, Debug)]
pub(super) struct HavocEntry {
    pub input: InputId,
    pub ty: Ty,
    pub target: Reg,
}

#[derive(Clone, Debug)]
pub(super) struct BeginEntry {
    pub object: ObjectId,
    pub size: u64,
    pub class: u32,
    pub contents: Contents,
    pub read_only: bool,
    /// A fixed address, or where the present address is kept.
    pub address: Result<u64, Reg>,
}

#[derive(Clone, Debug)]
pub(super) struct EndEntry {
    pub object: ObjectId,
    /// Where the address is kept, if it is not fixed.
    pub address: Option<Reg>,
    /// There may be several in one activation.
    pub all: bool,
}

#[derive(Clone, Debug)]
pub(super) struct AllocateEntry {
    pub object: ObjectId,
    pub target: Reg,
    /// Where the latest address is kept for expressions that name the object.
    pub address: Option<Reg>,
    pub size: Reg,
    /// For `Reallocate`: the old address.
    pub old: Option<Reg>,
    pub align: u64,
    pub zero: bool,
    /// Dies with the activation.
    pub automatic: bool,
}

#[derive(Clone, Debug)]
pub(super) struct PrintEntry {
    pub kind: PrintKind,
    pub args: Vec<(Reg, Ty)>,
    pub result: Option<(Reg, Ty)>,
    pub to_stderr: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct SwitchTable {
    pub targets: FxHashMap<u64, Pc>,
}

/// Which edge an instruction belongs to, and how many edges lie between the last counted one and
/// it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub edge: Option<EdgeId>,
    pub location: LocId,
    pub uncounted: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct FunctionCode {
    pub entry: Pc,
    /// The registers of an activation.
    pub own: Range<usize>,
    /// Those that hold addresses of its objects, none of which lives yet when it begins.
    pub objects: Range<usize>,
}

/// A whole program, compiled.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    /// What the registers hold when a run begins: constants, and zeros.
    pub registers: Vec<u64>,
    pub instrs: Vec<Instr>,
    /// Parallel to `instrs`.
    pub origins: Vec<Origin>,
    pub functions: Vec<FunctionCode>,
    pub unary: Vec<UnaryEntry>,
    pub binary: Vec<BinaryEntry>,
    pub types: Vec<Ty>,
    pub fma: Vec<FmaEntry>,
    pub calls: Vec<CallEntry>,
    pub havocs: Vec<HavocEntry>,
    pub begins: Vec<BeginEntry>,
    pub ends: Vec<EndEntry>,
    pub allocations: Vec<AllocateEntry>,
    pub prints: Vec<PrintEntry>,
    pub switches: Vec<SwitchTable>,
    pub texts: Vec<String>,
}
