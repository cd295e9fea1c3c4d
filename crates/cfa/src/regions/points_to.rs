//! The points-to analysis: runs over all operations until nothing new is learnt about [`Shapes`].
//!
//! Every integer may carry a pointer, whatever its type: addresses survive casts, byte-wise copies and
//! masking. What does not count, because C leaves it undefined: an address rebuilt from the difference of
//! pointers into different objects or from a product, and pointer arithmetic that wraps around the
//! address space. Pointers from outside the program point to memory of their own (one node for all of them).

use super::shape::{NodeId, Pointer, Shapes};
use crate::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use crate::op::{InputKind, Op};
use crate::program::Program;
use crate::value::Ty;
use syntax::types::Type;

pub struct PointsTo {
    pub shapes: Shapes,
    vars: Vec<Option<Pointer>>,
    /// What each expression of the program's pool points to.
    exprs: Vec<Option<Pointer>>,
    objects: Vec<NodeId>,
    /// Memory that only the outside knows.
    pub external: NodeId,
}

impl PointsTo {
    pub fn of(program: &Program) -> PointsTo {
        let mut shapes = Shapes::default();
        let external = shapes.new_node(None);
        let objects = (0..program.objects.len() as u32)
            .map(|id| shapes.new_node(Some(crate::memory::ObjectId(id))));
        let objects = objects.collect();
        let mut analysis = PointsTo {
            shapes,
            vars: vec![None; program.vars.len()],
            exprs: vec![None; program.pool.len()],
            objects,
            external,
        };
        let outside = Pointer {
            node: external,
            offset: 0,
        };
        analysis.shapes.fold_by(outside, 1);
        analysis.shapes.write(outside, 1, outside);
        loop {
            analysis.shapes.changed = false;
            analysis.pass(program);
            if !analysis.shapes.changed {
                return analysis;
            }
        }
    }

    /// What an address expression points to; everything unknown is outside.
    pub fn address(&mut self, expr: ExprId) -> Pointer {
        let pointer = self.exprs[expr.0 as usize];
        let pointer = pointer.unwrap_or(Pointer {
            node: self.external,
            offset: 0,
        });
        self.shapes.find(pointer)
    }

    /// Whether pointers from outside the program may point into the node.
    pub fn is_outside(&mut self, node: NodeId) -> bool {
        let outside = Pointer {
            node: self.external,
            offset: 0,
        };
        self.shapes.find(outside).node == node
    }

    pub fn object(&self, object: crate::memory::ObjectId) -> Pointer {
        Pointer {
            node: self.objects[object.0 as usize],
            offset: 0,
        }
    }

    fn pass(&mut self, program: &Program) {
        // Parts of an expression come before it in the pool.
        for number in 0..program.pool.len() {
            let id = ExprId(number as u32);
            let value = self.expression(&program.pool, id);
            self.exprs[number] = value;
        }
        for edge in &program.edges {
            self.operation(program, program.op(edge.op));
        }
    }

    fn flow(&mut self, var: VarId, from: Option<Pointer>) {
        let Some(pointer) = from else { return };
        match self.vars[var.0 as usize] {
            Some(old) => self.shapes.unify(old, pointer),
            None => {
                self.vars[var.0 as usize] = Some(pointer);
                self.shapes.changed = true;
            }
        }
    }

    fn get(&self, expr: ExprId) -> Option<Pointer> {
        self.exprs[expr.0 as usize]
    }

    fn merge(&mut self, a: Option<Pointer>, b: Option<Pointer>) -> Option<Pointer> {
        if let (Some(a), Some(b)) = (a, b) {
            self.shapes.unify(a, b);
        }
        a.or(b)
    }

    /// A pointer whose offset is not known any more.
    fn blur(&mut self, pointer: Option<Pointer>) -> Option<Pointer> {
        if let Some(pointer) = pointer {
            self.shapes.fold_by(pointer, 1);
        }
        pointer
    }

    fn expression(&mut self, pool: &ExprPool, id: ExprId) -> Option<Pointer> {
        match pool.node(id) {
            Node::Const(_) => None,
            Node::Var(var) => self.vars[var.0 as usize],
            Node::Address(object) => Some(self.object(object)),
            Node::Unary(op, a) => match op {
                UnOp::Convert(to) if to.is_int() && pool.ty(a).is_int() => self.get(a),
                UnOp::Reinterpret(_) => self.get(a),
                UnOp::Neg | UnOp::BitNot | UnOp::Bswap if pool.ty(a).is_int() => {
                    let pointer = self.get(a);
                    self.blur(pointer)
                }
                _ => None,
            },
            Node::Binary(op, a, b) => self.binary(pool, op, a, b),
            Node::Ite(_, a, b) => self.merge(self.get(a), self.get(b)),
            Node::Fma(..) => None,
            Node::Load { address, .. } => {
                let len = pool.ty(id).bytes() as i64;
                let address = self.address(address);
                self.shapes.access(address, len);
                self.shapes.target(address)
            }
        }
    }

    fn binary(&mut self, pool: &ExprPool, op: BinOp, a: ExprId, b: ExprId) -> Option<Pointer> {
        if !pool.ty(a).is_int() {
            return None;
        }
        let (p, q) = (self.get(a), self.get(b));
        if p.is_none() && q.is_none() {
            return None;
        }
        match (op, p, q) {
            (BinOp::Add, Some(p), None) => Some(self.moved(pool, p, b, false)),
            (BinOp::Add, None, Some(q)) => Some(self.moved(pool, q, a, false)),
            (BinOp::Sub, Some(p), None) => Some(self.moved(pool, p, b, true)),
            // The distance of two pointers is a number.
            (BinOp::Sub, Some(_), Some(_)) => None,
            (BinOp::Add | BinOp::Sub, ..)
            | (BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr, ..) => {
                let merged = self.merge(p, q);
                self.blur(merged)
            }
            _ => None,
        }
    }

    fn moved(&mut self, pool: &ExprPool, pointer: Pointer, by: ExprId, back: bool) -> Pointer {
        if let Node::Const(bits) = pool.node(by) {
            let distance = arith::int::to_signed(bits, u32::from(pool.ty(by).width())) as i64;
            let offset = if back {
                pointer.offset.wrapping_sub(distance)
            } else {
                pointer.offset.wrapping_add(distance)
            };
            return Pointer { offset, ..pointer };
        }
        let stride = stride(pool, by);
        self.shapes.fold_by(pointer, stride);
        pointer
    }

    fn operation(&mut self, program: &Program, op: &Op) {
        let outside = Pointer {
            node: self.external,
            offset: 0,
        };
        match op {
            Op::Assign(var, value) => self.flow(*var, self.get(*value)),
            Op::Havoc(var, input) => {
                let kind = &program.inputs[input.0 as usize].kind;
                if is_pointer(program, *var) && !matches!(kind, InputKind::Uninitialised(_)) {
                    self.flow(*var, Some(outside));
                }
            }
            Op::Store { address, value, .. } => {
                let len = program.pool.ty(*value).bytes() as i64;
                let address = self.address(*address);
                self.shapes.access(address, len);
                if let Some(target) = self.get(*value) {
                    self.shapes.write(address, len, target);
                }
            }
            Op::Allocate { target, object, .. } => {
                let pointer = self.object(*object);
                self.flow(*target, Some(pointer));
            }
            Op::Reallocate {
                target,
                object,
                address,
                ..
            } => {
                let pointer = self.object(*object);
                self.flow(*target, Some(pointer));
                if let Some(old) = self.get(*address) {
                    self.shapes.unify(pointer, old);
                }
            }
            Op::Copy {
                target,
                source,
                size,
                ..
            } => {
                let (to, from) = (self.address(*target), self.address(*source));
                match program.pool.node(*size) {
                    Node::Const(0) => {}
                    Node::Const(bytes) if bytes < 1 << 32 => {
                        self.shapes.link(to, from, bytes as i64);
                    }
                    _ => self.shapes.unify(to, from),
                }
            }
            Op::Call {
                function,
                args,
                result,
            } => {
                let callee = program.function(*function);
                for (&param, &arg) in callee.params.iter().zip(args) {
                    self.flow(param, self.get(arg));
                }
                if let (Some(result), Some(returned)) = (result, callee.result) {
                    self.flow(*result, self.vars[returned.0 as usize]);
                }
            }
            Op::Fill { target, size, .. } => {
                if let Node::Const(bytes) = program.pool.node(*size) {
                    let target = self.address(*target);
                    self.shapes
                        .cover(target, i64::try_from(bytes).unwrap_or(i64::MAX));
                }
            }
            Op::Skip
            | Op::Assume(_)
            | Op::Begin { .. }
            | Op::End(_)
            | Op::Release(_)
            | Op::Print(_)
            | Op::Halt(_) => {}
        }
    }
}

/// Whether the variable was declared as a pointer.
pub(super) fn is_pointer(program: &Program, var: VarId) -> bool {
    let declared = program.var(var).c_type;
    declared.is_some_and(|ty| matches!(program.types.shape(ty), Type::Pointer(_)))
}

/// A number that divides every value of the expression (of pointer width, not wrapping around).
fn stride(pool: &ExprPool, expr: ExprId) -> i64 {
    stride_within(pool, expr, 32)
}

fn stride_within(pool: &ExprPool, expr: ExprId, fuel: u32) -> i64 {
    if fuel == 0 {
        return 1;
    }
    let of = |expr| stride_within(pool, expr, fuel - 1);
    match pool.node(expr) {
        Node::Const(bits) => {
            let value = arith::int::to_signed(bits, u32::from(pool.ty(expr).width()));
            i64::try_from(value.unsigned_abs()).unwrap_or(1)
        }
        Node::Binary(BinOp::Mul, a, b) => {
            let (x, y) = (of(a), of(b));
            x.checked_mul(y)
                .filter(|product| *product < 1 << 40)
                .unwrap_or(1)
        }
        Node::Binary(BinOp::Shl, a, b) => match pool.node(b) {
            Node::Const(count) if count < 32 => of(a).checked_shl(count as u32).unwrap_or(1).max(1),
            _ => 1,
        },
        Node::Binary(BinOp::Add | BinOp::Sub, a, b) => gcd(of(a), of(b)),
        Node::Unary(UnOp::Neg, a) => of(a),
        Node::Unary(UnOp::Convert(Ty::Int { width, .. }), a) => match pool.ty(a) {
            // Arithmetic in the narrower type wraps: only powers of two survive.
            Ty::Int { width: from, .. } if from < width => {
                let inner = of(a);
                if inner == 0 {
                    0
                } else {
                    1 << inner.trailing_zeros().min(30)
                }
            }
            Ty::Int { width: from, .. } if from == width => of(a),
            _ => 1,
        },
        _ => 1,
    }
}

fn gcd(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}
