//! The typed tree: what [`crate::check`] makes of the syntax tree, and what lowering reads.
//!
//! Laws:
//! - Every implicit conversion of C is an explicit [`ExprKind::Convert`]; the two operands of an
//!   arithmetic operator have exactly the operator's type; nothing after this crate guesses a type.
//! - Places (lvalues) and values are different types of node; reading a place is
//!   [`ExprKind::Load`]. Arrays and functions used as values have become addresses.
//! - Constant expressions that C requires to be constant have been evaluated. Initialisers are
//!   flattened into a list of (offset, value) assignments.
//! - `sizeof` of complete types, `_Generic`, `__builtin_choose_expr`, `typeof` are gone.
//! - Operators on constants are folded, and a branch that a constant condition rules out is gone;
//!   but a signed operation that overflows, a wrong shift, a division by zero and an out-of-range
//!   conversion from a float stay, because an analysis may have to see them.
//! - Values have unqualified types; places keep their qualifiers.
//! - A bit-field wider than `int` is computed with in its own width, as gcc does: where that
//!   matters, the tree says so by a mask (unsigned) or a pair of shifts (signed) in the declared
//!   type.

mod parts;

pub use parts::Part;

use crate::span::{Name, Span};
use crate::types::{TypeId, TypeTable};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VarId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FuncId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LabelId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VlaId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StringId(pub u32);

/// A whole linked program.
#[derive(Debug)]
pub struct TypedProgram {
    pub types: TypeTable,
    /// All variables: globals, static locals, locals, parameters.
    pub vars: Vec<Variable>,
    pub functions: Vec<Function>,
    pub strings: Vec<StringLiteral>,
    /// Globals (also static locals and compound literals with static storage) in the order of their
    /// definition; then those that are used and defined nowhere ([`Variable::external`]).
    pub globals: Vec<VarId>,
    /// For [`crate::types::ArrayLen::Variable`]: a hidden variable of type `size_t` that holds the
    /// number of elements once the declaration was executed.
    pub vlas: Vec<VarId>,
    /// Functions that run before and after the entry function (`constructor`, `destructor`), in
    /// their order.
    pub constructors: Vec<FuncId>,
    pub destructors: Vec<FuncId>,
    /// Which names are visible where: for expressions given as text.
    pub scopes: crate::check::ScopeTable,
}

impl TypedProgram {
    /// A program that declares nothing.
    pub fn empty(types: TypeTable) -> TypedProgram {
        TypedProgram {
            types,
            vars: Vec::new(),
            functions: Vec::new(),
            strings: Vec::new(),
            globals: Vec::new(),
            vlas: Vec::new(),
            constructors: Vec::new(),
            destructors: Vec::new(),
            scopes: Default::default(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    Global,
    /// A static local: initialised once, before the program starts.
    StaticLocal,
    Local,
    Param,
    /// Made by the checker (lengths of variable-length arrays, compound literals).
    Hidden,
}

#[derive(Debug)]
pub struct Variable {
    pub name: Name,
    pub ty: TypeId,
    pub kind: VarKind,
    pub function: Option<FuncId>,
    /// `&x` is taken somewhere (also by array decay), or the variable is volatile.
    pub address_taken: bool,
    pub is_volatile: bool,
    pub thread_local: bool,
    /// Declared `extern` and defined nowhere in the program.
    pub external: bool,
    /// A global that code outside of its translation unit can name.
    pub has_linkage: bool,
    /// External, and the linker decides what it is: the bounds of a section, or weak and perhaps
    /// not there.
    pub defined_elsewhere: bool,
    /// Alignment asked for by attribute or `_Alignas`, if larger than the type's.
    pub align: Option<u64>,
    /// Of globals and static locals. Absent means all zero.
    pub init: Option<Init>,
    /// Bytes behind the type's size that the initialiser of a flexible array member adds to the
    /// object.
    pub extra_bytes: u64,
    /// Place of the declared name.
    pub span: Span,
}

/// A flattened initialiser. What no item covers is zero.
#[derive(Debug, Clone)]
pub struct Init {
    /// In source order; a later item overrides an earlier one. Offsets are in bytes from the start.
    pub items: Vec<InitItem>,
    /// The whole object is initialised by one value of its own (scalar or record) type.
    pub whole: bool,
}

#[derive(Debug, Clone)]
pub struct InitItem {
    pub offset: u64,
    pub bits: Option<crate::types::BitField>,
    /// Scalar values have the type of the sub-object; a record value initialises a whole
    /// sub-record.
    pub value: InitValue,
}

#[derive(Debug, Clone)]
pub enum InitValue {
    Expr(Expr),
    /// Characters of an array; `length` bytes are written, filled up with zeros.
    String {
        string: StringId,
        length: u64,
    },
}

#[derive(Debug)]
pub struct StringLiteral {
    /// The bytes in memory, with the final zero unit.
    pub bytes: Vec<u8>,
    pub unit_bytes: u8,
    pub span: Span,
}

#[derive(Debug)]
pub struct Function {
    pub name: Name,
    /// A [`crate::types::Type::Function`].
    pub ty: TypeId,
    /// Parameters in order; empty without a body.
    pub params: Vec<VarId>,
    pub body: Option<Body>,
    pub noreturn: bool,
    /// Without a body, it promises that its result is not null.
    pub returns_nonnull: bool,
    pub is_static: bool,
    pub address_taken: bool,
    /// Declared implicitly by a call.
    pub implicit: bool,
    /// The function that this is another name of (`alias`); then there is no body.
    pub alias: Option<FuncId>,
    /// The library's function of this name, which a compiler may take a call for.
    pub library: Option<FuncId>,
    /// Functions are nested in it: a name inside them may stand for a variable of this one, which
    /// they reach in a way of their own.
    pub encloses: bool,
    pub span: Span,
}

#[derive(Debug)]
pub struct Body {
    pub block: Block,
    pub labels: Vec<Label>,
    /// Labels whose address is taken, in order of their number for computed gotos.
    pub address_labels: Vec<LabelId>,
}

#[derive(Debug)]
pub struct Label {
    pub name: Name,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub struct Block {
    /// Variables whose scope is this block.
    pub vars: Vec<VarId>,
    pub items: Vec<Stmt>,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum StmtKind {
    Empty,
    Expr(Expr),
    /// The declaration of a local is reached: its value becomes that of the initialiser, or
    /// arbitrary.
    Declare {
        var: VarId,
        init: Option<Init>,
    },
    /// The length of a variable-length array type is fixed (stored to its hidden variable).
    FixVla {
        vla: VlaId,
        length: Expr,
    },
    Block(Block),
    /// Conditions of statements have type `int`; other scalars have been compared with zero.
    If {
        condition: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    While {
        condition: Expr,
        body: Box<Stmt>,
    },
    DoWhile {
        body: Box<Stmt>,
        condition: Expr,
    },
    /// The variables declared in `init` live in the enclosing [`StmtKind::Block`] made for the
    /// loop.
    For {
        init: Vec<Stmt>,
        condition: Option<Box<Expr>>,
        step: Option<Box<Expr>>,
        body: Box<Stmt>,
    },
    /// `value` has its promoted type; cases are converted to it.
    Switch {
        value: Box<Expr>,
        body: Box<Stmt>,
        cases: Vec<Case>,
        default: Option<LabelId>,
    },
    /// A `case`, `default` or named label: a place that control may jump to.
    Label(LabelId),
    Goto(LabelId),
    ComputedGoto(Expr),
    Break,
    Continue,
    Return(Option<Expr>),
    Asm(Box<AsmStmt>),
}

#[derive(Debug, Clone)]
pub struct Case {
    /// Bit patterns in the type of the switch value; `low == high` for a single case.
    pub low: u128,
    pub high: u128,
    pub label: LabelId,
    pub span: Span,
}

/// What an output operand of inline assembly holds before the first instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsmBegin {
    /// Nothing that is known (`"=r"`).
    Anything,
    /// Its own value (`"+r"`).
    Itself,
    /// The value of the input with this number, which shares its place (`"0"`, `"[name]"`).
    Input(usize),
}

#[derive(Debug, Clone)]
pub struct AsmStmt {
    pub template: Vec<u8>,
    pub outputs: Vec<Place>,
    /// For each output, what its register or memory holds when the assembly begins.
    pub begins_with: Vec<AsmBegin>,
    pub inputs: Vec<Expr>,
    pub clobbers_memory: bool,
    /// A register holds a pointer when the assembly begins, so that it can reach more memory than
    /// its operands.
    pub takes_pointer: bool,
    pub has_labels: bool,
}

#[derive(Debug, Clone)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub struct Place {
    pub kind: PlaceKind,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum PlaceKind {
    Var(VarId),
    /// What a pointer value points to.
    Deref(Box<Expr>),
    /// A member; the index is into the fields of the base's record layout.
    Field {
        base: Box<Place>,
        field: u32,
    },
    String(StringId),
    /// A compound literal: the hidden variable is initialised each time this is evaluated.
    CompoundLiteral {
        var: VarId,
        init: Box<Init>,
    },
    /// A record value that is no lvalue (`f().x`): lowering gives it a temporary object.
    Temporary(Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    Neg,
    BitNot,
    /// `!e`: the operand has any scalar type; the result is `int`.
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// The left operand has the result's type; the right one has its own promoted type.
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Debug, Clone)]
pub enum ExprKind {
    /// A bit pattern in the expression's (integer, enum or pointer) type.
    Int(u128),
    /// A bit pattern in the format of the expression's type.
    Float(u128),
    /// The value of a scalar or record place.
    Load(Box<Place>),
    /// The address of a place, also of an array's first element (the type says which).
    AddressOf(Box<Place>),
    FunctionAddress(FuncId),
    /// `&&label`: the number of the label in [`Body::address_labels`] plus one, as a pointer.
    LabelAddress(LabelId),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Both operands have one type (arithmetic after the usual conversions, or pointers). Result
    /// `int`.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// Operands and result are `int`, as in conditions of statements.
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// The branches have the expression's type (also void and records). The condition is an `int`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// GNU `a ?: b`: `a` is evaluated once; both have the expression's type after `convert_a`.
    Elvis {
        value: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// `pointer + index * element_size`; the index has type `ptrdiff_t` (sign-extended) or
    /// `size_t`. `subtract` for `pointer - index`.
    PointerOffset {
        pointer: Box<Expr>,
        index: Box<Expr>,
        element: ElementSize,
        subtract: bool,
    },
    PointerDifference {
        left: Box<Expr>,
        right: Box<Expr>,
        element: ElementSize,
    },
    /// Conversion of a scalar to the expression's type (C11 6.3), or of anything to void.
    Convert(Box<Expr>),
    /// The value is that of the place after the assignment. Records too.
    Assign(Box<Place>, Box<Expr>),
    /// `place = (type of place)((compute)place op value)`; the value has type `compute` (shifts:
    /// its own promoted type). Pointer `+=` and `-=` use `CompoundPointer`.
    CompoundAssign {
        op: BinaryOp,
        place: Box<Place>,
        value: Box<Expr>,
        compute: TypeId,
    },
    CompoundPointer {
        place: Box<Place>,
        index: Box<Expr>,
        element: ElementSize,
        subtract: bool,
    },
    /// `++`/`--`; for pointers `element` gives the step.
    IncDec {
        place: Box<Place>,
        decrement: bool,
        postfix: bool,
        element: Option<ElementSize>,
    },
    Call {
        callee: Callee,
        args: Vec<Expr>,
    },
    Builtin(Builtin, Vec<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    /// GNU statement expression: the value is that of its last statement if that is an expression.
    Statements(Box<Block>),
    VaArg(Box<Place>),
    /// `sizeof` of a variable-length array type: number of elements times element size.
    VlaSize {
        vla: VlaId,
        element: ElementSize,
    },
}

/// Size in bytes of what a pointer steps over; of a variable-length array the product of a hidden
/// variable and a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElementSize {
    Bytes(u64),
    /// Product of the lengths of these variable-length arrays and the bytes of the innermost
    /// element.
    Variable {
        vlas: Vec<VlaId>,
        bytes: u64,
    },
}

#[derive(Debug, Clone)]
pub enum Callee {
    Direct(FuncId),
    /// A value of pointer-to-function type.
    Pointer(Box<Expr>),
}

/// GNU builtins that have a meaning of their own; those with a library twin (`__builtin_memcpy`,
/// `__builtin_abs`, …) have become calls of that function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// Ends the execution: reaching it is undefined.
    Unreachable,
    Trap,
    Alloca,
    /// `va_list` places are passed as the address of the list.
    VaStart,
    VaEnd,
    VaCopy,
    Bswap16,
    Bswap32,
    Bswap64,
    Clz,
    Ctz,
    Ffs,
    Popcount,
    Parity,
    Clrsb,
    /// Arguments: two integers, each of its own type, then the pointer for the result, whose
    /// pointee decides what fits. The result is `_Bool`.
    AddOverflow,
    SubOverflow,
    MulOverflow,
    IsNan,
    IsInf,
    IsInfSign,
    IsFinite,
    IsNormal,
    SignBit,
    IsGreater,
    IsGreaterEqual,
    IsLess,
    IsLessEqual,
    IsLessGreater,
    IsUnordered,
    FpClassify,
    ReturnAddress,
    FrameAddress,
    Prefetch,
    /// `__sync_*`/`__atomic_*` on one thread: plain operations.
    SyncFetchAndAdd,
    SyncFetchAndSub,
    SyncFetchAndOr,
    SyncFetchAndAnd,
    SyncFetchAndXor,
    SyncAddAndFetch,
    SyncSubAndFetch,
    SyncOrAndFetch,
    SyncAndAndFetch,
    SyncXorAndFetch,
    SyncFetchAndNand,
    SyncNandAndFetch,
    SyncBoolCompareAndSwap,
    SyncValCompareAndSwap,
    SyncLockTestAndSet,
    SyncLockRelease,
    SyncSynchronize,
    /// A question about the memory at pointers, which a proof may know the answer to.
    Ask(Question),
    /// A quantifier over more values than are tried.
    TooMany,
}

/// What other verifiers let a program ask about memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Question {
    /// So many bytes from a pointer on may be read; the pointer and their number.
    Readable,
    /// They may be written.
    Writable,
    /// Two pointers point into one object.
    SameObject,
    /// How large the object is that a pointer points into.
    ObjectSize,
    /// How far from its beginning the pointer points.
    Offset,
    /// Nothing is known of the answer.
    Open,
}
