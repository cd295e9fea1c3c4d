//! Hash-consed terms in an arena, simplified while they are built.

mod build_array;
mod build_bool;
mod build_bv;
mod build_compare;
mod build_derived;
mod build_float;
mod build_slice;
mod eval;
mod known_bits;
mod linear;
mod node;
mod symbols;
mod value;
mod walk;

pub use build_float::canonical_float;
pub(crate) use build_float::layout as float_layout;
pub use eval::{Evaluator, Memo, Model, default_value};
pub use known_bits::KnownBits;
pub use node::{ConstId, Op, RoundingMode, Symbol, rounding_mode_name};
pub(crate) use value::mask;
pub use value::{ArrayValue, BvValue, Value};

use node::NodeTable;
use rustc_hash::FxHashMap;
use std::fmt;
use symbols::Symbols;

/// A term of one [`TermPool`]: a number, equal exactly for structurally equal terms of that pool.
///
/// The order is that of creation: arguments come before the terms over them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(crate) u32);

impl Term {
    /// A dense number, for side tables.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// What kind of value a term has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Sort {
    /// True or false.
    Bool,
    /// Bit-vector of a width of at least one.
    BitVec(u32),
    /// Array from bit-vectors to bit-vectors.
    Array {
        /// Width of the index.
        index: u32,
        /// Width of the element.
        element: u32,
    },
    /// IEEE-754 float.
    Float {
        /// Bits of the exponent.
        exponent: u32,
        /// Bits of the significand, the hidden one included.
        significand: u32,
    },
}

impl Sort {
    /// binary32
    pub const FLOAT32: Sort = Sort::float(8, 24);
    /// binary64
    pub const FLOAT64: Sort = Sort::float(11, 53);
    /// The numbers of the x87 80-bit format, without its explicit integer bit.
    pub const FLOAT80: Sort = Sort::float(15, 64);
    /// binary128
    pub const FLOAT128: Sort = Sort::float(15, 113);

    const fn float(exponent: u32, significand: u32) -> Sort {
        Sort::Float {
            exponent,
            significand,
        }
    }

    /// Number of bits of a bit-vector or float.
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::BitVec(width) => Some(width),
            Sort::Float {
                exponent,
                significand,
            } => Some(exponent + significand),
            _ => None,
        }
    }
}

impl fmt::Display for Sort {
    /// SMT-LIB.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => write!(f, "Bool"),
            Sort::BitVec(width) => write!(f, "(_ BitVec {width})"),
            Sort::Array { index, element } => {
                write!(f, "(Array (_ BitVec {index}) (_ BitVec {element}))")
            }
            Sort::Float {
                exponent,
                significand,
            } => write!(f, "(_ FloatingPoint {exponent} {significand})"),
        }
    }
}

/// How deep rewrite rules may call themselves.
const MAX_NESTING: u32 = 24;

/// The arena that owns terms; every engine has its own.
///
/// Constructors simplify, so the term that comes back may have another operator than the one asked
/// for; it has the same sort and the same value under every model. Constructors panic on operands
/// of the wrong sort, which is an error of the calling code; text from outside goes through
/// [`TermPool::parse`](crate::smtlib), which checks first.
pub struct TermPool {
    table: NodeTable,
    constants: Vec<BvValue>,
    constant_terms: FxHashMap<BvValue, Term>,
    /// Number of an entry of `known_table` per term; 0: nothing is known.
    known: Vec<u32>,
    known_table: Vec<KnownBits>,
    symbols: Symbols,
    scratch: Vec<Term>,
    nesting: u32,
    has_floats: bool,
}

impl Default for TermPool {
    fn default() -> Self {
        TermPool::new()
    }
}

impl TermPool {
    /// An empty pool.
    pub fn new() -> TermPool {
        let mut pool = TermPool {
            table: NodeTable::default(),
            constants: Vec::new(),
            constant_terms: FxHashMap::default(),
            known: Vec::new(),
            known_table: vec![KnownBits::NOTHING],
            symbols: Symbols::default(),
            scratch: Vec::new(),
            nesting: 0,
            has_floats: false,
        };
        let truth = pool.raw(Op::True, Sort::Bool, &[]);
        let falsity = pool.raw(Op::Not, Sort::Bool, &[truth]);
        debug_assert!(truth == TermPool::TRUE && falsity == TermPool::FALSE);
        pool
    }

    /// Truth, the same handle in every pool.
    pub const TRUE: Term = Term(0);
    /// Falsity, the same handle in every pool.
    pub const FALSE: Term = Term(1);

    /// Hash-conses without simplifying; the caller has made sure of the normal form of the
    /// operator.
    pub(crate) fn raw(&mut self, op: Op, sort: Sort, args: &[Term]) -> Term {
        let (term, new) = self.table.intern(op, sort, args);
        if new {
            self.has_floats |= matches!(sort, Sort::Float { .. });
            let known = self.derive_known_bits(term);
            let entry = if known == KnownBits::NOTHING {
                0
            } else {
                self.known_table.push(known);
                (self.known_table.len() - 1) as u32
            };
            self.known.push(entry);
        }
        term
    }

    /// Asks to apply rules that may call themselves on operands. Refused when too deep: the rules
    /// are optional, the stack is not.
    fn enter(&mut self) -> bool {
        if self.nesting >= MAX_NESTING {
            return false;
        }
        self.nesting += 1;
        true
    }

    fn leave(&mut self) {
        self.nesting -= 1;
    }

    /// The operator of a term.
    #[inline]
    pub fn op(&self, term: Term) -> Op {
        self.table.node(term).op
    }

    /// The arguments of a term.
    #[inline]
    pub fn args(&self, term: Term) -> &[Term] {
        self.table.args(term)
    }

    /// The sort of a term.
    #[inline]
    pub fn sort(&self, term: Term) -> Sort {
        self.table.node(term).sort
    }

    /// The width of a bit-vector or float term; zero for other sorts.
    #[inline]
    pub fn width(&self, term: Term) -> u32 {
        self.sort(term).width().unwrap_or(0)
    }

    /// Number of terms ever built.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Never: truth and falsity exist from the start.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Was a float ever built?
    pub fn has_floats(&self) -> bool {
        self.has_floats
    }

    /// Roughly how much memory the terms take.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
            + self.constants.capacity() * size_of::<BvValue>()
            + self.known.capacity() * size_of::<u32>()
            + self.known_table.capacity() * size_of::<KnownBits>()
    }

    /// The first argument, for operators that have one.
    #[inline]
    pub(crate) fn arg(&self, term: Term, position: usize) -> Term {
        self.args(term)[position]
    }

    /// A boolean constant.
    pub fn bool(&self, value: bool) -> Term {
        if value {
            TermPool::TRUE
        } else {
            TermPool::FALSE
        }
    }

    /// A bit-vector constant, modulo `2^width`.
    pub fn bv(&mut self, width: u32, value: u128) -> Term {
        self.bv_value(BvValue::new(width, value))
    }

    /// A bit-vector constant in two's complement.
    pub fn bv_signed(&mut self, width: u32, value: i128) -> Term {
        self.bv_value(BvValue::from_signed(width, value))
    }

    /// A bit-vector constant.
    pub fn bv_value(&mut self, value: BvValue) -> Term {
        assert!(value.width() > 0, "bit-vectors have at least one bit");
        if let Some(&term) = self.constant_terms.get(&value) {
            return term;
        }
        let id = ConstId(self.constants.len() as u32);
        let width = value.width();
        self.constants.push(value.clone());
        let term = self.raw(Op::BvConst(id), Sort::BitVec(width), &[]);
        self.constant_terms.insert(value, term);
        term
    }

    /// The value of a bit-vector constant.
    #[inline]
    pub fn as_bv_const(&self, term: Term) -> Option<&BvValue> {
        match self.op(term) {
            Op::BvConst(id) => Some(&self.constants[id.0 as usize]),
            _ => None,
        }
    }

    /// The number of a bit-vector constant of at most 128 bits.
    #[inline]
    pub fn as_u128(&self, term: Term) -> Option<u128> {
        self.as_bv_const(term).and_then(BvValue::to_u128)
    }

    /// The value of a boolean constant.
    #[inline]
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        match term {
            TermPool::TRUE => Some(true),
            TermPool::FALSE => Some(false),
            _ => None,
        }
    }

    /// Is the term a boolean or bit-vector constant?
    #[inline]
    pub fn is_const(&self, term: Term) -> bool {
        term == TermPool::TRUE || term == TermPool::FALSE || matches!(self.op(term), Op::BvConst(_))
    }

    /// A value as a term; arrays become writes over a constant array.
    pub fn value(&mut self, value: &Value) -> Term {
        match value {
            Value::Bool(value) => self.bool(*value),
            Value::Bv(value) => self.bv_value(value.clone()),
            Value::Array(array) => {
                let default = self.bv_value(array.default_element().clone());
                let mut term = self.const_array(array.index_width(), default);
                for (index, element) in array.entries() {
                    let index = self.bv_value(index.clone());
                    let element = self.bv_value(element.clone());
                    term = self.store(term, index, element);
                }
                term
            }
        }
    }

    /// A value as a term of a sort; float bits become a float.
    pub fn value_of_sort(&mut self, value: &Value, sort: Sort) -> Term {
        let term = self.value(value);
        match sort {
            Sort::Float { .. } => self.fp_from_bits(sort, term),
            _ => term,
        }
    }

    pub(crate) fn expect_bool(&self, term: Term) {
        assert!(
            self.sort(term) == Sort::Bool,
            "boolean operand expected, got {}",
            self.sort(term)
        );
    }

    pub(crate) fn expect_bv(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::BitVec(width) => width,
            other => panic!("bit-vector operand expected, got {other}"),
        }
    }

    pub(crate) fn expect_same(&self, left: Term, right: Term) -> Sort {
        let sort = self.sort(left);
        assert!(
            sort == self.sort(right),
            "operands of one sort expected, got {sort} and {}",
            self.sort(right)
        );
        sort
    }

    pub(crate) fn expect_same_bv(&self, left: Term, right: Term) -> u32 {
        self.expect_same(left, right);
        self.expect_bv(left)
    }
}
