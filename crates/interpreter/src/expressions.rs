//! Compiling expressions to instructions.

use super::code::*;
use super::compile::Compiler;
use arith::float::FloatFormat;
use arith::int;
use cfa::expr::{BinOp, ExprId, Node, UnOp};
use cfa::value::Ty;

const DOUBLE: Ty = Ty::Float(FloatFormat::Double);

/// The instruction for a base plus a scaled index, and the scale.
type MakeIndex = (fn(u8, Reg, Reg, Reg) -> Instr, u8);

/// What a node is compiled to, which decides what parts of it are evaluated first.
#[derive(Clone, Copy)]
enum Shape {
    Constant(u64),
    /// As its operator says.
    Plain(Node),
    Index {
        base: ExprId,
        index: ExprId,
        make: MakeIndex,
    },
    /// A load of 8, 16, 32 or 64 bits.
    Load {
        base: ExprId,
        offset: i32,
    },
}

impl Compiler<'_> {
    /// The register (or first of two) that holds the expression's value, for the rest of this
    /// operation.
    pub(super) fn operand(&mut self, root: ExprId) -> Reg {
        self.evaluate(root, None)
    }

    /// Puts the expression's value into a register.
    pub(super) fn evaluate_into(&mut self, root: ExprId, target: Reg) {
        let reg = self.evaluate(root, Some(target));
        if reg != target {
            self.copy(target, reg, is_wide(self.program.pool.ty(root)));
        }
    }

    /// The register that holds a base address, and a constant to add to it.
    pub(super) fn address_operand(&mut self, address: ExprId) -> (Reg, i32) {
        let (base, offset) = self.base_and_offset(address);
        (self.operand(base), offset)
    }

    /// Evaluates each part once, first part first. Only the root's own instruction may write to
    /// `target`, which may be a variable that the expression reads.
    fn evaluate(&mut self, root: ExprId, target: Option<Reg>) -> Reg {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.known(id).is_some() {
                stack.pop();
                continue;
            }
            let shape = self.shape(id);
            let before = stack.len();
            match shape {
                Shape::Constant(_) => {}
                Shape::Plain(node) => stack.extend(node.children()),
                Shape::Index { base, index, .. } => stack.extend([base, index]),
                Shape::Load { base, .. } => stack.push(base),
            }
            let mut open = before;
            for at in before..stack.len() {
                if self.known(stack[at]).is_none() {
                    stack[open] = stack[at];
                    open += 1;
                }
            }
            stack.truncate(open);
            if stack.len() > before {
                // The first part is to be evaluated first.
                stack[before..].reverse();
                continue;
            }
            stack.pop();
            let wanted = target.filter(|_| id == root);
            let reg = self.compute(id, shape, wanted);
            self.remember(id, reg);
        }
        self.known(root).unwrap_or_default()
    }

    /// How the node is compiled.
    fn shape(&self, id: ExprId) -> Shape {
        let pool = &self.program.pool;
        let node = pool.node(id);
        match node {
            Node::Binary(BinOp::Add, a, b) => {
                let width = pool.ty(id).width();
                if !pool.ty(id).is_int() || width != 32 && width != 64 {
                    return Shape::Plain(node);
                }
                if let (Some(x), Some(y)) = (self.fixed(a), self.fixed(b)) {
                    let sum = int::add(x.into(), y.into(), width.into());
                    return Shape::Constant(sum as u64);
                }
                let indexed = self.scaled(b, width).map(|scaled| (a, scaled));
                let indexed = indexed.or_else(|| Some((b, self.scaled(a, width)?)));
                match indexed {
                    Some((base, (index, make))) => Shape::Index { base, index, make },
                    None => Shape::Plain(node),
                }
            }
            Node::Load { address, .. } if matches!(pool.ty(id).width(), 8 | 16 | 32 | 64) => {
                let (base, offset) = self.base_and_offset(address);
                Shape::Load { base, offset }
            }
            _ => Shape::Plain(node),
        }
    }

    /// A constant, or an address that is one here.
    fn fixed(&self, id: ExprId) -> Option<u64> {
        match self.program.pool.node(id) {
            Node::Const(bits) => Some(bits as u64),
            Node::Address(object) => self.address_of(object).ok(),
            _ => None,
        }
    }

    /// An index times a power of two, perhaps extended from 32 bits.
    fn scaled(&self, id: ExprId, width: u16) -> Option<(ExprId, MakeIndex)> {
        let pool = &self.program.pool;
        let (index, shift) = match pool.node(id) {
            Node::Binary(BinOp::Mul, x, factor) => match pool.node(factor) {
                Node::Const(bits) if bits.is_power_of_two() => (x, bits.trailing_zeros() as u8),
                _ => return None,
            },
            _ => (id, 0),
        };
        if width == 64
            && let Node::Unary(UnOp::Convert(_), narrow) = pool.node(index)
            && pool.ty(narrow) == Ty::I32
        {
            return Some((narrow, (Instr::IndexSigned, shift)));
        }
        let make: fn(u8, Reg, Reg, Reg) -> Instr = match width {
            64 => Instr::Index64,
            _ => Instr::Index32,
        };
        (index != id).then_some((index, (make, shift)))
    }

    /// An address as another one plus a small constant.
    fn base_and_offset(&self, address: ExprId) -> (ExprId, i32) {
        let pool = &self.program.pool;
        let width = pool.ty(address).width();
        if width == self.program.model.pointer_bits()
            && let Node::Binary(BinOp::Add, base, offset) = pool.node(address)
            && let Node::Const(bits) = pool.node(offset)
            && self.fixed(base).is_none()
            && let Ok(offset) = i32::try_from(int::to_signed(bits, width.into()))
        {
            return (base, offset);
        }
        (address, 0)
    }

    fn part(&self, id: ExprId) -> Reg {
        self.known(id)
            .expect("the parts of a node are evaluated before it")
    }

    fn compute(&mut self, id: ExprId, shape: Shape, target: Option<Reg>) -> Reg {
        let ty = self.program.pool.ty(id);
        match shape {
            Shape::Constant(value) => self.constant(value.into(), false),
            Shape::Plain(node) => self.node(ty, node, target),
            Shape::Index {
                base,
                index,
                make: (make, shift),
            } => {
                let (base, index) = (self.part(base), self.part(index));
                let dst = self.target(target, ty);
                self.emit(make(shift, dst, base, index));
                dst
            }
            Shape::Load { base, offset } => {
                let address = self.part(base);
                let dst = self.target(target, ty);
                let index = self.type_index(ty);
                self.emit(match ty.width() {
                    8 => Instr::Load8(index, dst, address, offset),
                    16 => Instr::Load16(index, dst, address, offset),
                    32 => Instr::Load32(index, dst, address, offset),
                    _ => Instr::Load64(index, dst, address, offset),
                });
                dst
            }
        }
    }

    fn node(&mut self, ty: Ty, node: Node, target: Option<Reg>) -> Reg {
        match node {
            Node::Const(bits) => self.constant(bits, is_wide(ty)),
            Node::Var(var) => self.register_of(var),
            Node::Address(object) => match self.address_of(object) {
                Ok(fixed) => self.constant(fixed.into(), false),
                Err(reg) => reg,
            },
            Node::Unary(op, a) => self.unary(op, self.program.pool.ty(a), self.part(a), target),
            Node::Binary(op, a, b) => {
                let (left, right) = (self.program.pool.ty(a), self.program.pool.ty(b));
                self.binary(op, left, right, self.part(a), self.part(b), target)
            }
            Node::Ite(c, a, b) => {
                let parts = [self.part(c), self.part(a), self.part(b)];
                self.select(ty, parts, target)
            }
            Node::Fma(a, b, c) => {
                let parts = [self.part(a), self.part(b), self.part(c)];
                let dst = self.target(target, ty);
                self.code.fma.push(FmaEntry { ty, dst, parts });
                let index = (self.code.fma.len() - 1) as u32;
                self.emit(Instr::Fma(index));
                dst
            }
            Node::Load { address, .. } => {
                let address = self.part(address);
                let dst = self.target(target, ty);
                let ty = self.type_index(ty);
                self.emit(Instr::Load { ty, dst, address });
                dst
            }
        }
    }

    fn target(&mut self, wanted: Option<Reg>, ty: Ty) -> Reg {
        wanted.unwrap_or_else(|| self.temporary(is_wide(ty)))
    }

    fn unary(&mut self, op: UnOp, ty: Ty, a: Reg, target: Option<Reg>) -> Reg {
        let result = op.result(ty);
        if let UnOp::Convert(to) = op
            && let Some(reg) = self.resize(ty, to, a, target)
        {
            return reg;
        }
        if let UnOp::Reinterpret(to) = op
            && is_wide(to) == is_wide(ty)
            && to.width() >= ty.width()
        {
            return a;
        }
        let dst = self.target(target, result);
        let instr = match (op, ty, ty.width()) {
            (UnOp::Not, Ty::Bool, _) => Instr::BoolNot(dst, a),
            (UnOp::Neg, Ty::Int { .. }, 32) => Instr::Neg32(dst, a),
            (UnOp::Neg, Ty::Int { .. }, 64) => Instr::Neg64(dst, a),
            (UnOp::BitNot, Ty::Int { .. }, 32) => Instr::Not32(dst, a),
            (UnOp::BitNot, Ty::Int { .. }, 64) => Instr::Not64(dst, a),
            _ => {
                let op = self.unary_index(UnaryEntry {
                    op,
                    ty,
                    wide: is_wide(ty),
                    wide_result: is_wide(result),
                });
                Instr::Unary { op, dst, a }
            }
        };
        self.emit(instr);
        dst
    }

    /// Conversions between integers of at most 64 bits; where the bits stay, there is nothing to
    /// do.
    fn resize(&mut self, from: Ty, to: Ty, a: Reg, target: Option<Reg>) -> Option<Reg> {
        let (width, signed) = match from {
            Ty::Bool => (1, false),
            Ty::Int { width, signed } if width <= 64 => (width, signed),
            _ => return None,
        };
        let Ty::Int {
            width: to_width, ..
        } = to
        else {
            return None;
        };
        if to_width > 64 {
            return None;
        }
        if to_width == width || to_width > width && !signed {
            return Some(a);
        }
        let dst = self.target(target, to);
        let drop = (64 - to_width) as u8;
        self.emit(if to_width < width {
            Instr::Truncate { drop, dst, a }
        } else {
            let from = (64 - width) as u8;
            Instr::Extend { from, drop, dst, a }
        });
        Some(dst)
    }

    fn binary(&mut self, op: BinOp, ty: Ty, count: Ty, a: Reg, b: Reg, target: Option<Reg>) -> Reg {
        let result = op.result(ty);
        let dst = self.target(target, result);
        let instr = match fast_binary(op, ty, count) {
            Some(make) => make(dst, a, b),
            None => {
                let op = self.binary_index(BinaryEntry {
                    op,
                    ty,
                    count,
                    wide: is_wide(ty),
                    wide_count: is_wide(count),
                    wide_result: is_wide(result),
                });
                Instr::Binary { op, dst, a, b }
            }
        };
        self.emit(instr);
        dst
    }

    fn select(&mut self, ty: Ty, [c, a, b]: [Reg; 3], target: Option<Reg>) -> Reg {
        let wide = is_wide(ty);
        // Two instructions write the target, so it must not be read by the second.
        let dst = match target {
            Some(reg) if reg != c && reg != a => reg,
            _ => self.temporary(wide),
        };
        self.copy(dst, b, wide);
        self.emit(Instr::MoveIf(dst, c, a));
        if wide {
            self.emit(Instr::MoveIf(dst + 1, c, a + 1));
        }
        dst
    }

    pub(super) fn copy(&mut self, dst: Reg, a: Reg, wide: bool) {
        self.emit(Instr::Move(dst, a));
        if wide {
            self.emit(Instr::Move(dst + 1, a + 1));
        }
    }

    /// Emits a jump that is taken if the condition has the given value; its target is filled in
    /// later.
    pub(super) fn jump_on(&mut self, condition: ExprId, value: bool, steps: u16) -> usize {
        let (mut condition, mut value) = (condition, value);
        while let Node::Unary(UnOp::Not, inner) = self.program.pool.node(condition) {
            (condition, value) = (inner, !value);
        }
        if self.known(condition).is_none()
            && let Node::Binary(op, a, b) = self.program.pool.node(condition)
            && let Some(instr) = self.compare_and_jump(op, a, b, value, steps)
        {
            return self.emit(instr);
        }
        let a = self.operand(condition);
        self.emit(if value {
            Instr::JumpIf(steps, a, 0)
        } else {
            Instr::JumpIfNot(steps, a, 0)
        })
    }

    fn compare_and_jump(
        &mut self,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        value: bool,
        steps: u16,
    ) -> Option<Instr> {
        let ty = self.program.pool.ty(a);
        // The negation of `<` is `>=` for integers only.
        let (width, signed) = match ty {
            Ty::Bool => (1, false),
            Ty::Int { width, signed } if width <= 64 => (width, signed),
            _ => return None,
        };
        let ordered = matches!(op, BinOp::Lt | BinOp::Le);
        if !op.is_comparison() || ordered && signed && width != 32 && width != 64 {
            return None;
        }
        let (mut x, mut y) = (self.operand(a), self.operand(b));
        let op = match (op, value) {
            (BinOp::Eq, false) => BinOp::Ne,
            (BinOp::Ne, false) => BinOp::Eq,
            (BinOp::Lt, false) => BinOp::Le,
            (BinOp::Le, false) => BinOp::Lt,
            _ => op,
        };
        if ordered && !value {
            (x, y) = (y, x);
        }
        Some(match (op, signed, width) {
            (BinOp::Eq, ..) => Instr::JumpEq(steps, x, y, 0),
            (BinOp::Ne, ..) => Instr::JumpNe(steps, x, y, 0),
            (BinOp::Lt, false, _) => Instr::JumpLtU(steps, x, y, 0),
            (BinOp::Lt, true, 32) => Instr::JumpLtS32(steps, x, y, 0),
            (BinOp::Lt, true, _) => Instr::JumpLtS64(steps, x, y, 0),
            (_, false, _) => Instr::JumpLeU(steps, x, y, 0),
            (_, true, 32) => Instr::JumpLeS32(steps, x, y, 0),
            (_, true, _) => Instr::JumpLeS64(steps, x, y, 0),
        })
    }
}

type MakeBinary = fn(Reg, Reg, Reg) -> Instr;

/// The instruction of an operator that has one of its own.
pub(super) fn fast_binary(op: BinOp, ty: Ty, count: Ty) -> Option<MakeBinary> {
    let (width, signed) = match ty {
        Ty::Int { width, signed } if width <= 64 => (width, signed),
        Ty::Bool => {
            return Some(match op {
                BinOp::BoolAnd => Instr::And,
                BinOp::BoolOr => Instr::Or,
                BinOp::Eq => Instr::Eq,
                BinOp::Ne => Instr::Ne,
                _ => return None,
            });
        }
        DOUBLE => {
            return Some(match op {
                BinOp::Add => Instr::AddF64,
                BinOp::Sub => Instr::SubF64,
                BinOp::Mul => Instr::MulF64,
                _ => return None,
            });
        }
        _ => return None,
    };
    // The processor's shifts look at the low bits of the count only, whatever its sign.
    let countable = matches!(count, Ty::Int { width: 8..=64, .. });
    Some(match (op, width, signed) {
        (BinOp::And, ..) => Instr::And,
        (BinOp::Or, ..) => Instr::Or,
        (BinOp::Xor, ..) => Instr::Xor,
        (BinOp::Eq, ..) => Instr::Eq,
        (BinOp::Ne, ..) => Instr::Ne,
        (BinOp::Lt, _, false) => Instr::LtU,
        (BinOp::Le, _, false) => Instr::LeU,
        (BinOp::Div, _, false) => Instr::DivU,
        (BinOp::Rem, _, false) => Instr::RemU,
        (BinOp::Add, 32, _) => Instr::Add32,
        (BinOp::Sub, 32, _) => Instr::Sub32,
        (BinOp::Mul, 32, _) => Instr::Mul32,
        (BinOp::Add, 64, _) => Instr::Add64,
        (BinOp::Sub, 64, _) => Instr::Sub64,
        (BinOp::Mul, 64, _) => Instr::Mul64,
        (BinOp::Shl, 32, _) if countable => Instr::Shl32,
        (BinOp::Shl, 64, _) if countable => Instr::Shl64,
        (BinOp::Shr, 32, false) if countable => Instr::ShrU32,
        (BinOp::Shr, 64, false) if countable => Instr::ShrU64,
        (BinOp::Shr, 32, true) if countable => Instr::ShrS32,
        (BinOp::Shr, 64, true) if countable => Instr::ShrS64,
        (BinOp::Div, 32, true) => Instr::DivS32,
        (BinOp::Rem, 32, true) => Instr::RemS32,
        (BinOp::Div, 64, true) => Instr::DivS64,
        (BinOp::Rem, 64, true) => Instr::RemS64,
        (BinOp::Lt, 32, true) => Instr::LtS32,
        (BinOp::Le, 32, true) => Instr::LeS32,
        (BinOp::Lt, 64, true) => Instr::LtS64,
        (BinOp::Le, 64, true) => Instr::LeS64,
        _ => return None,
    })
}

/// The two registers' worth of a constant.
pub(super) fn halves(bits: u128) -> [u64; 2] {
    [
        int::truncate(bits, 64) as u64,
        int::truncate(bits >> 64, 64) as u64,
    ]
}
