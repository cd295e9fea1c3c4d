//! Expressions of the automaton: typed, shared, without side effects.
//!
//! An [`ExprPool`] interns them: equal expressions have equal ids. Ids of a program's own pool are
//! stable for ever; an analysis that makes new expressions clones the pool and extends its copy.
//!
//! Laws:
//! - Both operands of a [`BinOp`] have one type, except that the right operand of a shift may have
//!   any integer type. Signedness of the operand type decides the meaning of division, remainder,
//!   right shift, comparison, overflow and conversion.
//! - Evaluation is strict: to evaluate an expression is to evaluate all of its parts. Where C
//!   evaluates conditionally, lowering uses control flow, or an [`Node::Ite`] whose branches cannot
//!   fail.
//! - Evaluation fails (the execution ends) exactly on division or remainder by zero, on those of
//!   the smallest number by -1, and on loads outside every live object; see
//!   `docs/undefined-behaviour.md` for the whole table.

use crate::concrete::division_traps;
use crate::memory::{ObjectId, RegionId};
use crate::value::Ty;
use arith::float::{FloatFormat, RoundingMode};
use arith::int;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct ExprId(pub u32);

/// A variable that is no memory: scalar, address never taken (or split off memory).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct VarId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum UnOp {
    /// Of integers (wraps) and floats.
    Neg,
    BitNot,
    /// Of `Bool`.
    Not,
    /// Floats.
    Abs,
    Sqrt,
    /// To an integral value in the same format.
    Round(RoundingMode),
    /// Float to `Bool`.
    IsNan,
    IsInf,
    IsZero,
    IsNormal,
    IsSubnormal,
    SignBit,
    /// Integers; the result has the operand's type. `Clz`/`Ctz` of zero is the width.
    Clz,
    Ctz,
    Popcount,
    Bswap,
    /// Same bits, other type (float to integer of its width and back).
    Reinterpret(Ty),
    /// C's conversion to another arithmetic type. From `Bool`: 0 or 1. To `Bool`: not allowed,
    /// compare with zero instead. Float to integer out of range: what x86 gives.
    Convert(Ty),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum BinOp {
    /// Integers (wrap) and floats (round to nearest even).
    Add,
    Sub,
    Mul,
    /// Integers: division by zero ends the execution, and so does `MIN / -1` (see
    /// [`division_traps`]). Floats: IEEE.
    Div,
    /// Integers only; `FRem` for floats.
    Rem,
    And,
    Or,
    Xor,
    /// The count is taken modulo the width (modulo 32 below 32 bits), as on x86.
    Shl,
    Shr,
    /// Comparisons give `Bool`; of floats as IEEE (`Ne` is the negation of `Eq`).
    Eq,
    Ne,
    Lt,
    Le,
    /// Of `Bool`.
    BoolAnd,
    BoolOr,
    /// `Bool`: the mathematical result does not fit the operands' type.
    AddOverflows,
    SubOverflows,
    MulOverflows,
    /// Floats: C's `fmod`, IEEE `remainder`, `fmin`, `fmax`, `copysign`.
    FRem,
    Remainder,
    FMin,
    FMax,
    CopySign,
}

impl BinOp {
    /// Those that C's operators on floats are made of.
    pub const OF_FLOATS: [BinOp; 8] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Lt,
        BinOp::Le,
    ];

    /// Those that take integers; [`BinOp::is_comparison`] holds of four of them.
    pub const OF_INTEGERS: [BinOp; 17] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Shl,
        BinOp::Shr,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Lt,
        BinOp::Le,
        BinOp::AddOverflows,
        BinOp::SubOverflows,
        BinOp::MulOverflows,
    ];

    pub fn is_comparison(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le)
    }

    /// The type of the result for operands of the given type.
    pub fn result(self, operand: Ty) -> Ty {
        match self {
            BinOp::Eq
            | BinOp::Ne
            | BinOp::Lt
            | BinOp::Le
            | BinOp::BoolAnd
            | BinOp::BoolOr
            | BinOp::AddOverflows
            | BinOp::SubOverflows
            | BinOp::MulOverflows => Ty::Bool,
            _ => operand,
        }
    }

    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            BinOp::Add
                | BinOp::Mul
                | BinOp::And
                | BinOp::Or
                | BinOp::Xor
                | BinOp::Eq
                | BinOp::Ne
                | BinOp::BoolAnd
                | BinOp::BoolOr
                | BinOp::AddOverflows
                | BinOp::MulOverflows
        )
    }
}

impl UnOp {
    pub fn result(self, operand: Ty) -> Ty {
        match self {
            UnOp::Not
            | UnOp::IsNan
            | UnOp::IsInf
            | UnOp::IsZero
            | UnOp::IsNormal
            | UnOp::IsSubnormal
            | UnOp::SignBit => Ty::Bool,
            UnOp::Reinterpret(ty) | UnOp::Convert(ty) => ty,
            _ => operand,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Node {
    /// A bit pattern, zero-extended; of `Bool` 0 or 1.
    Const(u128),
    Var(VarId),
    /// The address of an object's first byte (of functions: what a function pointer holds).
    Address(ObjectId),
    Unary(UnOp, ExprId),
    Binary(BinOp, ExprId, ExprId),
    /// `c ? a : b` with a `Bool` condition.
    Ite(ExprId, ExprId, ExprId),
    /// Float `a * b + c`, rounded once.
    Fma(ExprId, ExprId, ExprId),
    /// The value of the node's type that lies at an address.
    Load {
        region: RegionId,
        address: ExprId,
    },
}

impl Node {
    /// The parts, in order of evaluation.
    pub fn children(&self) -> impl Iterator<Item = ExprId> + use<> {
        let parts = match *self {
            Node::Const(_) | Node::Var(_) | Node::Address(_) => [None, None, None],
            Node::Unary(_, a) | Node::Load { address: a, .. } => [Some(a), None, None],
            Node::Binary(_, a, b) => [Some(a), Some(b), None],
            Node::Ite(a, b, c) | Node::Fma(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        parts.into_iter().flatten()
    }
}

/// What is known about the whole tree under a node, kept so that it need not be walked again.
mod trait_bits {
    pub const CAN_FAIL: u8 = 1;
    pub const READS_MEMORY: u8 = 2;
    pub const SIGNED_ARITHMETIC: u8 = 4;
    pub const READS_VARIABLES: u8 = 8;
    pub const OTHER_CHECKED: u8 = 16;
}

/// Interned expressions; a child's id is always smaller than its parent's.
#[derive(Clone, Debug, Default)]
pub struct ExprPool {
    nodes: Vec<Node>,
    types: Vec<Ty>,
    traits: Vec<u8>,
    index: FxHashMap<(Node, Ty), ExprId>,
    /// See [`ExprPool::mark_sum_of_integers`].
    sums_of_integers: FxHashSet<ExprId>,
    /// See [`ExprPool::mark_object_offset`].
    object_offsets: FxHashSet<ExprId>,
}

impl ExprPool {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Forgets the expressions that were made since there were so many.
    pub fn truncate(&mut self, len: usize) {
        let new = self.nodes.iter().zip(&self.types).skip(len);
        for (&node, &ty) in new {
            self.index.remove(&(node, ty));
        }
        self.nodes.truncate(len);
        self.types.truncate(len);
        self.traits.truncate(len);
        self.sums_of_integers.retain(|id| (id.0 as usize) < len);
        self.object_offsets.retain(|id| (id.0 as usize) < len);
    }

    pub fn node(&self, id: ExprId) -> Node {
        self.nodes[id.0 as usize]
    }

    pub fn ty(&self, id: ExprId) -> Ty {
        self.types[id.0 as usize]
    }

    /// Every node of the expression once, its parts before it.
    pub fn parts_first(&self, root: ExprId) -> Vec<ExprId> {
        let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            let before = stack.len();
            stack.extend(self.node(id).children().filter(|part| !seen.contains(part)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if seen.insert(id) {
                order.push(id);
            }
        }
        order
    }

    /// Interns a node as it is. The simplifying constructors in [`crate::build`] end here; only
    /// they and readers of stored expressions call it.
    pub fn intern(&mut self, node: Node, ty: Ty) -> ExprId {
        if let Some(&id) = self.index.get(&(node, ty)) {
            return id;
        }
        let id = ExprId(self.nodes.len() as u32);
        let traits = self.traits_of(node);
        self.nodes.push(node);
        self.types.push(ty);
        self.traits.push(traits);
        self.index.insert((node, ty), id);
        id
    }

    /// Notes that the program adds or subtracts integers here, as C's types say. Sums of pointers
    /// stay in their object, or C gives them no meaning; a sum of integers may go round the address
    /// space, and tell of an address by that.
    pub fn mark_sum_of_integers(&mut self, id: ExprId) {
        if let Node::Binary(BinOp::Add | BinOp::Sub, ..) = self.node(id) {
            self.sums_of_integers.insert(id);
        }
    }

    pub fn is_sum_of_integers(&self, id: ExprId) -> bool {
        self.sums_of_integers.contains(&id)
    }

    /// Notes that the distance of a pointer from the start of an object is taken to ask whether the
    /// pointer points into it, and for nothing else. Objects are never adjacent, so the answer does
    /// not depend on where they lie, unless the pointer is moved by exactly the distance of two
    /// objects.
    pub fn mark_object_offset(&mut self, id: ExprId) {
        if let Node::Binary(BinOp::Sub, ..) = self.node(id) {
            self.object_offsets.insert(id);
        }
    }

    /// Somebody else takes the same distance, for reasons of his own.
    pub fn unmark_object_offset(&mut self, id: ExprId) {
        self.object_offsets.remove(&id);
    }

    /// Some expression is one: the program watches its memory.
    pub fn has_object_offsets(&self) -> bool {
        !self.object_offsets.is_empty()
    }

    pub fn is_object_offset(&self, id: ExprId) -> bool {
        self.object_offsets.contains(&id)
    }

    /// The expression of another pool, in this one.
    pub fn import(&mut self, other: &ExprPool, root: ExprId) -> ExprId {
        let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            let node = other.node(id);
            let before = stack.len();
            stack.extend(node.children().filter(|child| !known.contains_key(child)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let here = match node {
                Node::Const(_) | Node::Var(_) | Node::Address(_) => node,
                Node::Unary(op, a) => Node::Unary(op, known[&a]),
                Node::Binary(op, a, b) => Node::Binary(op, known[&a], known[&b]),
                Node::Ite(a, b, c) => Node::Ite(known[&a], known[&b], known[&c]),
                Node::Fma(a, b, c) => Node::Fma(known[&a], known[&b], known[&c]),
                Node::Load { region, address } => Node::Load {
                    region,
                    address: known[&address],
                },
            };
            let here = self.intern(here, other.ty(id));
            if other.is_sum_of_integers(id) {
                self.mark_sum_of_integers(here);
            }
            if other.is_object_offset(id) {
                self.mark_object_offset(here);
            }
            known.insert(id, here);
        }
        known[&root]
    }

    fn traits_of(&self, node: Node) -> u8 {
        let inherited = node
            .children()
            .fold(0, |bits, child| bits | self.traits[child.0 as usize]);
        let own = match node {
            Node::Var(_) => trait_bits::READS_VARIABLES,
            Node::Load { .. } => trait_bits::CAN_FAIL | trait_bits::READS_MEMORY,
            Node::Unary(UnOp::Neg, a) if self.ty(a).is_signed() => trait_bits::SIGNED_ARITHMETIC,
            Node::Unary(UnOp::Convert(to), a) if may_overflow(self.ty(a), to) => {
                trait_bits::OTHER_CHECKED
            }
            Node::Fma(..) => trait_bits::OTHER_CHECKED,
            Node::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div, a, _)
                if self.ty(a).is_float() =>
            {
                trait_bits::OTHER_CHECKED
            }
            Node::Binary(op @ (BinOp::Shl | BinOp::Shr), a, count) => {
                let width = self.ty(a).width();
                let in_range = self.as_integer(count);
                let in_range = in_range.is_some_and(|count| (0..width.into()).contains(&count));
                let signed = op == BinOp::Shl && self.ty(a).is_signed();
                (if in_range {
                    0
                } else {
                    trait_bits::OTHER_CHECKED
                }) | (if signed {
                    trait_bits::SIGNED_ARITHMETIC
                } else {
                    0
                })
            }
            Node::Binary(op, a, b) => {
                let ty = self.ty(a);
                let divides = matches!(op, BinOp::Div | BinOp::Rem) && ty.is_int();
                let fails = divides && !self.divides_always(ty, b);
                let computes = matches!(
                    op,
                    BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem
                ) && ty.is_signed();
                (if fails { trait_bits::CAN_FAIL } else { 0 })
                    | (if computes {
                        trait_bits::SIGNED_ARITHMETIC
                    } else {
                        0
                    })
            }
            _ => 0,
        };
        inherited | own
    }

    /// Whether any integer of the type can be divided by the expression.
    fn divides_always(&self, ty: Ty, by: ExprId) -> bool {
        let width = u32::from(ty.width());
        let Node::Const(bits) = self.node(by) else {
            return false;
        };
        let min = int::signed_min(width);
        let traps = division_traps(width, ty.is_signed()) && int::sdiv_overflows(min, bits, width);
        bits != 0 && !traps
    }

    /// Its evaluation may end the execution: it loads, or divides integers by what may be zero (or
    /// the smallest by -1).
    pub fn can_fail(&self, id: ExprId) -> bool {
        self.traits[id.0 as usize] & trait_bits::CAN_FAIL != 0
    }

    /// Some part loads from memory.
    pub fn reads_memory(&self, id: ExprId) -> bool {
        self.traits[id.0 as usize] & trait_bits::READS_MEMORY != 0
    }

    /// Some part is a variable.
    pub fn reads_variables(&self, id: ExprId) -> bool {
        self.traits[id.0 as usize] & trait_bits::READS_VARIABLES != 0
    }

    /// Some part computes with signed integers, so that the overflow property looks at it.
    pub fn has_signed_arithmetic(&self, id: ExprId) -> bool {
        self.traits[id.0 as usize] & trait_bits::SIGNED_ARITHMETIC != 0
    }

    /// Some part computes what a property looks at: with signed integers, with floats that may
    /// become too large, or a shift that may go too far.
    pub fn is_checked(&self, id: ExprId) -> bool {
        let checked = trait_bits::SIGNED_ARITHMETIC | trait_bits::OTHER_CHECKED;
        self.traits[id.0 as usize] & checked != 0
    }

    /// Leaving the expression out changes nothing under any property.
    pub fn is_droppable(&self, id: ExprId) -> bool {
        !self.can_fail(id) && !self.is_checked(id)
    }
}

/// Whether a conversion of a finite number can give an infinity.
fn may_overflow(from: Ty, to: Ty) -> bool {
    match (from, to) {
        (Ty::Float(from), Ty::Float(to)) => {
            let range = |format: FloatFormat| (format.exponent_bits(), format.significand_bits());
            from.exponent_bits() >= to.exponent_bits() && range(from) > range(to)
        }
        // Single precision holds every integer of 64 bits.
        (Ty::Int { width, .. }, Ty::Float(to)) => width > 64 || to == FloatFormat::Half,
        _ => false,
    }
}
