//! The laws of expressions (see [`crate::expr`]) as a check, for expressions that come from
//! outside.

use crate::expr::{BinOp, ExprPool, Node, UnOp};
use crate::value::Ty;

impl ExprPool {
    /// May a node over expressions of this pool have this type?
    pub fn allows(&self, node: Node, ty: Ty) -> bool {
        let is_float = |ty: Ty| matches!(ty, Ty::Float(_));
        match node {
            Node::Const(bits) => ty.width() >= 128 || bits >> ty.width() == 0,
            Node::Var(_) => true,
            Node::Address(_) => ty.is_int() && !ty.is_signed(),
            Node::Unary(op, a) => {
                let operand = self.ty(a);
                let fits = match op {
                    UnOp::Not => operand == Ty::Bool,
                    UnOp::Neg => operand != Ty::Bool,
                    UnOp::BitNot | UnOp::Clz | UnOp::Ctz | UnOp::Popcount | UnOp::Bswap => {
                        operand.is_int()
                    }
                    UnOp::Abs
                    | UnOp::Sqrt
                    | UnOp::Round(_)
                    | UnOp::IsNan
                    | UnOp::IsInf
                    | UnOp::IsZero
                    | UnOp::IsNormal
                    | UnOp::IsSubnormal
                    | UnOp::SignBit => is_float(operand),
                    UnOp::Reinterpret(to) => {
                        operand != Ty::Bool && to != Ty::Bool && operand.width() == to.width()
                    }
                    UnOp::Convert(to) => to != Ty::Bool,
                };
                fits && op.result(operand) == ty
            }
            Node::Binary(op, a, b) => {
                let (left, right) = (self.ty(a), self.ty(b));
                let fits = match op {
                    BinOp::Shl | BinOp::Shr => {
                        return left.is_int() && right.is_int() && left == ty;
                    }
                    BinOp::BoolAnd | BinOp::BoolOr => left == Ty::Bool,
                    BinOp::Eq | BinOp::Ne => true,
                    BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Lt | BinOp::Le => {
                        left != Ty::Bool
                    }
                    BinOp::Rem
                    | BinOp::And
                    | BinOp::Or
                    | BinOp::Xor
                    | BinOp::AddOverflows
                    | BinOp::SubOverflows
                    | BinOp::MulOverflows => left.is_int(),
                    BinOp::FRem
                    | BinOp::Remainder
                    | BinOp::FMin
                    | BinOp::FMax
                    | BinOp::CopySign => is_float(left),
                };
                fits && left == right && op.result(left) == ty
            }
            Node::Ite(condition, a, b) => {
                self.ty(condition) == Ty::Bool && self.ty(a) == ty && self.ty(b) == ty
            }
            Node::Fma(a, b, c) => is_float(ty) && [a, b, c].iter().all(|&part| self.ty(part) == ty),
            Node::Load { address, .. } => ty != Ty::Bool && self.ty(address).is_int(),
        }
    }
}
