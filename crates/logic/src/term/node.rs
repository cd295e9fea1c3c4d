//! The operators, and the table that makes equal terms one term.

use super::{Sort, Term};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

pub use arith::float::RoundingMode;

/// SMT-LIB's short name of a rounding mode.
pub fn rounding_mode_name(mode: RoundingMode) -> &'static str {
    match mode {
        RoundingMode::NearestEven => "RNE",
        RoundingMode::NearestAway => "RNA",
        RoundingMode::TowardPositive => "RTP",
        RoundingMode::TowardNegative => "RTN",
        RoundingMode::TowardZero => "RTZ",
    }
}

/// A name of a variable; see [`super::TermPool::symbol`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub(crate) u32);

/// Number of an entry in the pool's table of bit-vector constants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ConstId(pub(crate) u32);

/// The operator of a term.
///
/// The set is deliberately small: what is missing here (disjunction, `<=`, subtraction, zero
/// extension, left shift by a constant, …) is expressed by the others when built, so that equal
/// meanings meet in one term more often.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A variable.
    Var(Symbol),
    /// Truth; falsity is its negation.
    True,
    /// Negation of a boolean.
    Not,
    /// Conjunction of two or more booleans, sorted, without repetition.
    And,
    /// Equality of two terms of one sort; of booleans never with a negated or constant side.
    Eq,
    /// Choice between two terms of one sort.
    Ite,

    /// A bit-vector constant.
    BvConst(ConstId),
    /// Bitwise complement.
    BvNot,
    /// Bitwise conjunction of two or more, sorted, a constant first.
    BvAnd,
    /// Bitwise disjunction of two or more, sorted, a constant first.
    BvOr,
    /// Bitwise exclusive disjunction of two or more, sorted, a constant first.
    BvXor,
    /// Sum of two or more, sorted, a constant first.
    BvAdd,
    /// Product of two, a constant first.
    BvMul,
    /// Unsigned quotient; all ones for a zero divisor.
    BvUdiv,
    /// Unsigned remainder; the dividend for a zero divisor.
    BvUrem,
    /// Signed quotient, truncated.
    BvSdiv,
    /// Signed remainder, sign of the dividend.
    BvSrem,
    /// Left shift by a variable amount; zero from the width on.
    BvShl,
    /// Logical right shift by a variable amount.
    BvLshr,
    /// Arithmetic right shift by a variable amount.
    BvAshr,
    /// Unsigned less-than.
    Ult,
    /// Signed less-than.
    Slt,
    /// Bits `high` down to `low`.
    Extract {
        /// Highest bit taken.
        high: u32,
        /// Lowest bit taken.
        low: u32,
    },
    /// Parts from the most significant down; a leading zero constant is zero extension.
    Concat,
    /// Copies of the sign bit on top, as many as the sort says.
    SignExtend,

    /// Element of an array at an index.
    Select,
    /// Array with one element changed: array, index, element.
    Store,
    /// Array that holds one element everywhere.
    ConstArray,

    /// Float with the given IEEE bits.
    FpFromBits,
    /// IEEE bits of a float; one canonical NaN.
    FpToBits,
    /// Sum.
    FpAdd(RoundingMode),
    /// Difference.
    FpSub(RoundingMode),
    /// Product.
    FpMul(RoundingMode),
    /// Quotient.
    FpDiv(RoundingMode),
    /// First times second plus third, rounded once.
    FpFma(RoundingMode),
    /// Square root.
    FpSqrt(RoundingMode),
    /// Nearest integral float.
    FpRoundToIntegral(RoundingMode),
    /// IEEE remainder (quotient rounded to nearest even).
    FpRem,
    /// Smaller of two; the other one if one is NaN.
    FpMin,
    /// Larger of two; the other one if one is NaN.
    FpMax,
    /// Without the sign.
    FpAbs,
    /// With the sign flipped.
    FpNeg,
    /// IEEE equality: NaN differs from everything, the zeros are equal.
    FpEq,
    /// IEEE less-than.
    FpLt,
    /// IEEE less-or-equal.
    FpLe,
    /// Is it NaN?
    FpIsNan,
    /// Is it an infinity?
    FpIsInfinite,
    /// Is it a zero?
    FpIsZero,
    /// Is it a normal number?
    FpIsNormal,
    /// Is it a subnormal number?
    FpIsSubnormal,
    /// Is it negative (not NaN)?
    FpIsNegative,
    /// Is it positive (not NaN)?
    FpIsPositive,
    /// Conversion to the float format of the sort.
    FpToFp(RoundingMode),
    /// Conversion from a signed integer.
    FpFromSigned(RoundingMode),
    /// Conversion from an unsigned integer.
    FpFromUnsigned(RoundingMode),
    /// Conversion to a signed integer of the sort's width; out of range and NaN give the smallest
    /// integer.
    FpToSigned(RoundingMode),
    /// Conversion to an unsigned integer of the sort's width; out of range and NaN give all ones.
    FpToUnsigned(RoundingMode),
}

impl Op {
    /// Does the operator take or make floats?
    pub fn is_float(self) -> bool {
        !matches!(
            self,
            Op::Var(_)
                | Op::True
                | Op::Not
                | Op::And
                | Op::Eq
                | Op::Ite
                | Op::BvConst(_)
                | Op::BvNot
                | Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::BvAdd
                | Op::BvMul
                | Op::BvUdiv
                | Op::BvUrem
                | Op::BvSdiv
                | Op::BvSrem
                | Op::BvShl
                | Op::BvLshr
                | Op::BvAshr
                | Op::Ult
                | Op::Slt
                | Op::Extract { .. }
                | Op::Concat
                | Op::SignExtend
                | Op::Select
                | Op::Store
                | Op::ConstArray
        )
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub op: Op,
    pub sort: Sort,
    pub args_start: u32,
    pub args_len: u32,
    hash: u32,
}

/// Nodes and arguments in flat vectors, and an open-addressing table of node numbers.
///
/// A table of our own because the key of an entry is a slice of the argument vector, which the
/// standard map cannot express without copying.
#[derive(Default)]
pub(super) struct NodeTable {
    nodes: Vec<Node>,
    args: Vec<Term>,
    /// Node number plus one; zero is free. The length is a power of two.
    slots: Vec<u32>,
}

fn hash_of(op: Op, sort: Sort, args: &[Term]) -> u32 {
    let mut hasher = FxHasher::default();
    op.hash(&mut hasher);
    sort.hash(&mut hasher);
    for arg in args {
        hasher.write_u32(arg.0);
    }
    let full = hasher.finish();
    (full ^ (full >> 32)) as u32
}

impl NodeTable {
    #[inline]
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    #[inline]
    pub fn args(&self, term: Term) -> &[Term] {
        let node = &self.nodes[term.0 as usize];
        &self.args[node.args_start as usize..(node.args_start + node.args_len) as usize]
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.args.capacity() * size_of::<Term>()
            + self.slots.capacity() * size_of::<u32>()
    }

    /// The term with this operator, sort and arguments; `true` if it is new.
    pub fn intern(&mut self, op: Op, sort: Sort, args: &[Term]) -> (Term, bool) {
        if (self.nodes.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let hash = hash_of(op, sort, args);
        let last = self.slots.len() - 1;
        let mut slot = hash as usize & last;
        loop {
            match self.slots[slot] {
                0 => break,
                entry => {
                    let term = Term(entry - 1);
                    let node = &self.nodes[term.0 as usize];
                    if node.hash == hash
                        && node.op == op
                        && node.sort == sort
                        && self.args(term) == args
                    {
                        return (term, false);
                    }
                }
            }
            slot = (slot + 1) & last;
        }
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        let args_start = u32::try_from(self.args.len()).expect("fewer than 2^32 arguments");
        self.args.extend_from_slice(args);
        self.nodes.push(Node {
            op,
            sort,
            args_start,
            args_len: args.len() as u32,
            hash,
        });
        self.slots[slot] = term.0 + 1;
        (term, true)
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(1024);
        let last = size - 1;
        let mut slots = vec![0; size];
        for (number, node) in self.nodes.iter().enumerate() {
            let mut slot = node.hash as usize & last;
            while slots[slot] != 0 {
                slot = (slot + 1) & last;
            }
            slots[slot] = number as u32 + 1;
        }
        self.slots = slots;
    }
}
