//! The syntax tree as the parser delivers it: names resolved only as far as C's grammar needs
//! (typedef names against other identifiers), no types yet. [`crate::check`] turns it into the
//! typed tree of [`crate::typed`].

use crate::span::{Name, Span};

#[derive(Debug, Default)]
pub struct TranslationUnit {
    pub items: Vec<Item>,
}

#[derive(Debug)]
pub enum Item {
    Function(FunctionDef),
    Declaration(Declaration),
    StaticAssert(StaticAssert),
    /// A top-level `asm("…")`.
    Asm(FileAsm),
}

#[derive(Debug)]
pub struct FileAsm {
    pub template: Vec<u8>,
    pub span: Span,
}

#[derive(Debug)]
pub struct FunctionDef {
    pub specs: DeclSpecs,
    pub declarator: Declarator,
    /// Declarations between the declarator and the body of a K&R definition.
    pub old_style_params: Vec<Declaration>,
    pub body: Block,
    pub span: Span,
}

#[derive(Debug)]
pub struct StaticAssert {
    pub condition: Expr,
    pub message: Option<Vec<u8>>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Declaration {
    pub specs: DeclSpecs,
    pub declarators: Vec<InitDeclarator>,
    pub span: Span,
}

#[derive(Debug)]
pub struct InitDeclarator {
    pub declarator: Declarator,
    pub asm_label: Option<Vec<u8>>,
    pub init: Option<Initializer>,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Storage {
    #[default]
    None,
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quals {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    pub is_atomic: bool,
}

#[derive(Debug)]
pub struct DeclSpecs {
    pub storage: Storage,
    pub thread_local: bool,
    pub inline: bool,
    pub noreturn: bool,
    pub quals: Quals,
    pub ty: TypeSpec,
    pub alignas: Vec<AlignAs>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Debug)]
pub enum AlignAs {
    Type(Box<TypeName>),
    Expr(Box<Expr>),
}

/// The arithmetic type keywords, already combined (`unsigned long int` is `ULong`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BasicType {
    Void,
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
    Float16,
    Float,
    Double,
    LongDouble,
    Float128,
    VaList,
}

#[derive(Debug)]
pub enum TypeSpec {
    Basic(BasicType),
    /// `_Complex`, and the type of its parts.
    Complex(BasicType),
    Record(Box<RecordSpec>),
    Enum(Box<EnumSpec>),
    Typedef(Name, Span),
    TypeofExpr(Box<Expr>),
    TypeofType(Box<TypeName>),
    /// `__auto_type`.
    Auto,
    /// No type specifier at all: implicit int.
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordKind {
    Struct,
    Union,
}

#[derive(Debug)]
pub struct RecordSpec {
    pub kind: RecordKind,
    pub tag: Option<Name>,
    /// `None` for a mere reference (`struct s`), `Some` for a definition, possibly empty.
    pub fields: Option<Vec<FieldItem>>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Debug)]
pub enum FieldItem {
    /// `specs` alone (`declarators` empty) is an anonymous member.
    Fields {
        specs: DeclSpecs,
        declarators: Vec<FieldDeclarator>,
    },
    StaticAssert(StaticAssert),
}

#[derive(Debug)]
pub struct FieldDeclarator {
    /// Absent in an unnamed bit-field.
    pub declarator: Option<Declarator>,
    pub width: Option<Expr>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Debug)]
pub struct EnumSpec {
    pub tag: Option<Name>,
    pub enumerators: Option<Vec<Enumerator>>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Enumerator {
    pub name: Name,
    pub value: Option<Expr>,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// What is declared, read from the name outwards: `int *a[3]` has `[Array(3), Pointer]`, that is
/// "a is an array of 3 pointers to" the type that the specifiers give.
#[derive(Debug)]
pub struct Declarator {
    /// Absent in abstract declarators (type names, unnamed parameters).
    pub name: Option<Ident>,
    pub derived: Vec<Derived>,
    /// Attributes anywhere in the declarator, also behind it (`int x __attribute__((aligned(8)))`).
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Debug)]
pub enum Derived {
    Pointer(Quals),
    Array {
        size: ArraySize,
        quals: Quals,
        /// `static` inside the brackets of a parameter.
        is_static: bool,
    },
    Function(Params),
}

#[derive(Debug)]
pub enum ArraySize {
    /// `[]`
    Unknown,
    /// `[*]`
    Star,
    Expr(Box<Expr>),
}

#[derive(Debug)]
pub enum Params {
    /// `()`: no prototype.
    Unspecified,
    /// `(a, b)` of a K&R definition.
    Names(Vec<Ident>),
    Prototype {
        params: Vec<Param>,
        variadic: bool,
    },
}

#[derive(Debug)]
pub struct Param {
    pub specs: DeclSpecs,
    pub declarator: Declarator,
    pub span: Span,
}

#[derive(Debug)]
pub struct TypeName {
    pub specs: DeclSpecs,
    pub declarator: Declarator,
    pub span: Span,
}

/// One `name(args)` of an `__attribute__((…))`; underscores around the name are removed.
#[derive(Debug)]
pub struct Attribute {
    pub name: Name,
    pub args: Vec<AttributeArg>,
    pub span: Span,
}

#[derive(Debug)]
pub enum AttributeArg {
    Ident(Ident),
    Expr(Expr),
    Type(TypeName),
}

#[derive(Debug)]
pub enum Initializer {
    Expr(Expr),
    List(Vec<InitItem>, Span),
}

#[derive(Debug)]
pub struct InitItem {
    pub designators: Vec<Designator>,
    pub init: Initializer,
    pub span: Span,
}

#[derive(Debug)]
pub enum Designator {
    /// `.name`, also the old `name:`.
    Field(Ident),
    Index(Expr),
    /// GNU `[a ... b]`.
    Range(Expr, Expr),
}

#[derive(Debug)]
pub struct Block {
    pub items: Vec<BlockItem>,
    pub span: Span,
}

#[derive(Debug)]
pub enum BlockItem {
    Declaration(Box<Declaration>),
    StaticAssert(StaticAssert),
    Statement(Stmt),
    /// GNU nested function definition: rejected by the checker.
    NestedFunction(Box<FunctionDef>),
}

#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    /// Begins at the first character of the statement (of `for`, `while`, `do` for loops).
    pub span: Span,
}

#[derive(Debug)]
pub enum StmtKind {
    Empty,
    Expr(Expr),
    Block(Block),
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
    For {
        init: Option<Box<ForInit>>,
        condition: Option<Box<Expr>>,
        step: Option<Box<Expr>>,
        body: Box<Stmt>,
    },
    Switch {
        value: Expr,
        body: Box<Stmt>,
    },
    Case {
        low: Expr,
        high: Option<Box<Expr>>,
        body: Box<Stmt>,
    },
    Default(Box<Stmt>),
    Label {
        label: Ident,
        body: Box<Stmt>,
    },
    Goto(Ident),
    /// `goto *e`.
    ComputedGoto(Expr),
    Break,
    Continue,
    Return(Option<Expr>),
    /// `__label__ a, b;`
    LocalLabels(Vec<Ident>),
    Asm(Box<AsmStmt>),
}

#[derive(Debug)]
pub enum ForInit {
    Declaration(Declaration),
    Expr(Expr),
}

#[derive(Debug)]
pub struct AsmStmt {
    pub volatile: bool,
    pub template: Vec<u8>,
    pub outputs: Vec<AsmOperand>,
    pub inputs: Vec<AsmOperand>,
    pub clobbers: Vec<Vec<u8>>,
    pub labels: Vec<Ident>,
}

#[derive(Debug)]
pub struct AsmOperand {
    /// `[name]` before the constraint.
    pub name: Option<Ident>,
    pub constraint: Vec<u8>,
    pub value: Expr,
}

#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Plus,
    Minus,
    BitNot,
    Not,
    Deref,
    AddressOf,
    PreInc,
    PreDec,
    PostInc,
    PostDec,
    /// GNU `__real__`/`__imag__`: rejected by the checker.
    Real,
    Imag,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

/// The encoding prefix of a string or character literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CharWidth {
    #[default]
    Plain,
    Utf8,
    Wide,
    U16,
    U32,
}

/// A number of 128 bits in two halves: as one it would align every node to 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halves {
    low: u64,
    high: u64,
}

impl From<u128> for Halves {
    fn from(value: u128) -> Halves {
        Halves {
            low: value as u64,
            high: (value >> 64) as u64,
        }
    }
}

impl From<Halves> for u128 {
    fn from(value: Halves) -> u128 {
        u128::from(value.high) << 64 | u128::from(value.low)
    }
}

#[derive(Debug)]
pub enum ExprKind {
    Name(Name),
    /// An integer literal with its suffix still to be weighed (C11 6.4.4.1).
    Int {
        value: Halves,
        decimal: bool,
        unsigned: bool,
        longs: u8,
    },
    /// A floating literal: its text without suffix, and the type that the suffix gives.
    /// GNU's imaginary constant: the number times the imaginary unit.
    Imaginary(Box<Expr>),
    Float {
        text: Box<str>,
        ty: BasicType,
    },
    Char {
        value: u32,
        width: CharWidth,
    },
    /// Adjacent literals joined; the units are code units of the width, without the final zero.
    String {
        units: Vec<u32>,
        width: CharWidth,
    },
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a = b`, or `a op= b`.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `c ? a : b`; `a` absent is GNU's elvis operator.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Cast(Box<TypeName>, Box<Expr>),
    CompoundLiteral(Box<TypeName>, Vec<InitItem>),
    Call(Box<Expr>, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    /// `.` or `->`.
    Member {
        base: Box<Expr>,
        field: Ident,
        arrow: bool,
    },
    SizeofExpr(Box<Expr>),
    SizeofType(Box<TypeName>),
    AlignofExpr(Box<Expr>),
    AlignofType(Box<TypeName>),
    /// GNU's `__alignof__(type)`: on i386 it may be larger than what C promises.
    PreferredAlignofType(Box<TypeName>),
    StatementExpr(Box<Block>),
    /// GNU `&&label`.
    LabelAddress(Ident),
    Generic {
        control: Box<Expr>,
        arms: Vec<(Option<TypeName>, Expr)>,
    },
    /// The builtins that take types or need their own syntax; the others are calls of names.
    VaArg(Box<Expr>, Box<TypeName>),
    Offsetof(Box<TypeName>, Vec<Designator>),
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_convertvector(value, type)`.
    ConvertVector(Box<Expr>, Box<TypeName>),
    ChooseExpr(Box<Expr>, Box<Expr>, Box<Expr>),
}
