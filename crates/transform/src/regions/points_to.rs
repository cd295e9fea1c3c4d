//! The points-to analysis: runs over all operations until nothing new is learnt about [`Shapes`].
//!
//! A value is a *pointer* (the address of an object moved by a number) or a *number*. The law that every rule
//! below keeps, for classes of objects that [`Shapes`] unites:
//!
//! 1. Where a pointer leads is known: its object lies in the class of the pointer's node.
//! 2. A number says nothing about addresses, except how far objects *of one class* lie apart, and where the
//!    *exposed* objects lie. Exposed objects share one class, that of [`PointsTo::guessed`].
//!
//! So an access through a pointer stays in the pointer's class: to leave it for another object, the number that moves
//! it would have to say how far the two lie apart. And an access through a number leads to exposed objects only.
//! What an operation does is kept in the law by default in the worst way: *every operation exposes the objects that its
//! operands point to, and makes a number*. Exceptions stand in `expression`, `binary` and `compare`, each with its reason.
//! Conditions count as operations: a program can rebuild an address bit by bit from their outcomes.
//!
//! Not counted: that a number hits an object by chance (an input that is used as an address without having been
//! compared with one), and that pointers from outside are addresses of the program's objects. Both are assumptions
//! that an answer lists.

use super::carried::is_outside_all_objects;
use super::near::{NEAR, Near};
use super::shape::{NodeId, Pointer, Shapes};
use super::stride_of;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::memory::ObjectKind;
use cfa::op::{Contents, InputKind, Op};
use cfa::outside;
use cfa::program::Program;
use cfa::value::Ty;
use rustc_hash::FxHashMap;
use syntax::types::{DataModel, Type};

/// What a value may be.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Value {
    /// Where it leads, if it may be a pointer.
    pointer: Option<Pointer>,
    /// It may be some bytes of a pointer only.
    part: bool,
    /// It may be a number that is not near null (where no object lies).
    number: bool,
    /// It may be a pointer that has left its object, and so come near null.
    strayed: bool,
    /// It may be null or the like.
    near: Near,
}

impl Value {
    const NUMBER: Value = Value {
        pointer: None,
        part: false,
        number: true,
        strayed: false,
        near: Near::NEVER,
    };
    /// Null, or a number that is as little of an address.
    const NULL: Value = Value {
        pointer: None,
        part: false,
        number: false,
        strayed: false,
        near: Near::NULL,
    };

    fn pointer(pointer: Pointer) -> Value {
        Value {
            pointer: Some(pointer),
            ..Value::default()
        }
    }

    /// It may be a number that is known instead of a pointer.
    fn may_be_number(self) -> bool {
        self.number || self.near.is_possible()
    }

    /// It is no pointer and no number that could be an address.
    fn is_nothing(self) -> bool {
        self.pointer.is_none() && !self.number
    }
}

pub struct PointsTo {
    pub shapes: Shapes,
    vars: Vec<Value>,
    /// What each expression of the program's pool may be.
    exprs: Vec<Value>,
    objects: Vec<NodeId>,
    model: DataModel,
    /// Memory that only the outside knows.
    external: NodeId,
    /// Memory that numbers lead to: the exposed objects, and whatever lies outside.
    guessed: NodeId,
    /// What pointers without a value may lead to, by variable.
    wild: FxHashMap<VarId, NodeId>,
    /// Pointers are known by now: what is none is a number. (Before, it may only not be known yet.)
    are_pointers_known: bool,
}

impl PointsTo {
    pub fn of(program: &Program) -> PointsTo {
        let mut shapes = Shapes::default();
        let external = shapes.new_node(None);
        let guessed = shapes.new_node(None);
        let objects = (0..program.objects.len() as u32)
            .map(|id| shapes.new_node(Some(cfa::memory::ObjectId(id))));
        let objects = objects.collect();
        let mut analysis = PointsTo {
            shapes,
            vars: vec![Value::default(); program.vars.len()],
            exprs: vec![Value::default(); program.pool.len()],
            objects,
            model: program.model,
            external,
            guessed,
            wild: FxHashMap::default(),
            are_pointers_known: false,
        };
        let outside = start_of(external);
        analysis.shapes.fold_by(outside, 1);
        analysis.shapes.fold_by(start_of(guessed), 1);
        analysis.shapes.write(outside, 1, outside, false);
        analysis.shapes.begin_with_zero(outside);
        analysis.run(program);
        analysis.are_pointers_known = true;
        analysis.run(program);
        analysis
    }

    fn run(&mut self, program: &Program) {
        loop {
            self.shapes.changed = false;
            self.pass(program);
            if !self.shapes.changed {
                return;
            }
        }
    }

    /// What an address expression leads to.
    pub fn address(&mut self, expr: ExprId) -> Pointer {
        let value = self.exprs[expr.0 as usize];
        let pointer = value.pointer.filter(|_| !value.part);
        self.shapes.find(pointer.unwrap_or(start_of(self.guessed)))
    }

    /// Whether pointers from outside the program, or numbers, may lead into the node.
    pub fn is_outside(&mut self, node: NodeId) -> bool {
        let root = |shapes: &mut Shapes, node| shapes.find(start_of(node)).node;
        root(&mut self.shapes, self.external) == node
            || root(&mut self.shapes, self.guessed) == node
    }

    pub fn object(&self, object: cfa::memory::ObjectId) -> Pointer {
        start_of(self.objects[object.0 as usize])
    }

    fn pass(&mut self, program: &Program) {
        // Parts of an expression come before it in the pool.
        for number in 0..program.pool.len() {
            let id = ExprId(number as u32);
            let value = self.expression(program, id);
            self.exprs[number] = Value {
                number: value.number && self.are_pointers_known,
                ..value
            };
        }
        for edge in &program.edges {
            self.operation(program, program.op(edge.op));
        }
    }

    fn get(&self, expr: ExprId) -> Value {
        self.exprs[expr.0 as usize]
    }

    fn flow(&mut self, var: VarId, mut from: Value) {
        from.number &= self.are_pointers_known;
        let old = self.vars[var.0 as usize];
        let new = self.merge(old, from);
        // Which of two united pointers stands there makes no difference.
        let traits = |value: Value| {
            (
                value.pointer.is_none(),
                value.part,
                value.number,
                value.strayed,
                value.near,
            )
        };
        if traits(old) != traits(new) {
            self.shapes.changed = true;
        }
        self.vars[var.0 as usize] = new;
    }

    /// One or the other.
    fn merge(&mut self, a: Value, b: Value) -> Value {
        if let (Some(a), Some(b)) = (a.pointer, b.pointer) {
            self.shapes.unify(a, b);
        }
        Value {
            pointer: a.pointer.or(b.pointer),
            part: a.part || b.part,
            number: a.number || b.number,
            strayed: a.strayed || b.strayed,
            near: a.near.or(b.near),
        }
    }

    /// From here on numbers say where the value's objects lie.
    fn expose(&mut self, value: Value) {
        if let Some(pointer) = value.pointer {
            let guessed = start_of(self.guessed);
            self.shapes.unify(pointer, guessed);
        }
    }

    fn exposed(&mut self, values: &[Value]) -> Value {
        for value in values {
            self.expose(*value);
        }
        Value::NUMBER
    }

    /// Numbers lead to some object of the program.
    fn is_anything_exposed(&mut self) -> bool {
        let root = self.shapes.find(start_of(self.guessed)).node;
        !self.shapes.node(root).objects.is_empty()
    }

    /// Whether what is known of the addresses is enough to look at an operation on them.
    fn are_known(&self, addresses: &[ExprId]) -> bool {
        let mut addresses = addresses.iter();
        self.are_pointers_known || addresses.all(|&address| self.get(address).pointer.is_some())
    }

    /// The address of an access. If it may be a number as well as a pointer, the access leads to either's objects.
    fn accessed(&mut self, expr: ExprId) -> Pointer {
        let value = self.get(expr);
        if value.part || value.number && self.is_anything_exposed() {
            self.expose(value);
        }
        self.address(expr)
    }

    fn expression(&mut self, program: &Program, id: ExprId) -> Value {
        let pool = &program.pool;
        let ty = pool.ty(id);
        match pool.node(id) {
            Node::Const(bits) if is_outside_all_objects(bits, ty, self.model) => Value::NULL,
            Node::Const(_) => Value::NUMBER,
            Node::Var(var) => self.vars[var.0 as usize],
            // No bytes lie at a function's address, so it does not matter who knows it.
            Node::Address(object)
                if matches!(program.object(object).kind, ObjectKind::Function(_)) =>
            {
                Value::NULL
            }
            Node::Address(object) => Value::pointer(self.object(object)),
            Node::Unary(op, a) => self.unary(pool, op, a),
            // Nor does an object of the program lie in the outside's memory.
            node @ Node::Binary(..)
                if outside::question(pool, node, self.model).is_some_and(|pointer| {
                    !self.get(pointer).strayed && !self.get(pointer).part
                }) =>
            {
                Value::NULL
            }
            Node::Binary(op, a, b) => self.binary(program, op, a, b),
            Node::Ite(_, a, b) => self.merge(self.get(a), self.get(b)),
            Node::Fma(a, b, c) => self.exposed(&[self.get(a), self.get(b), self.get(c)]),
            Node::Load { address, .. } if !self.are_known(&[address]) => Value::default(),
            Node::Load { address, .. } => {
                let len = ty.bytes() as i64;
                let address = self.accessed(address);
                self.shapes.access(address, len);
                let cell = self.shapes.contents(address);
                let holds_number = cell.is_some_and(|cell| cell.number);
                let strayed = cell.is_some_and(|cell| cell.strayed);
                let near = cell.map_or(Near::NEVER, |cell| cell.near);
                let pointer = cell.and_then(|cell| cell.target);
                let near = near.or(self.initially(address));
                Value {
                    pointer,
                    // Bytes that are put together to a whole pointer again are taken to be those of one: another
                    // combination is no address of anything, unless by chance.
                    part: pointer.is_some() && self.is_narrow(ty),
                    number: pointer.is_none() || holds_number,
                    strayed,
                    near,
                }
            }
        }
    }

    fn is_narrow(&self, ty: Ty) -> bool {
        ty.width() < self.model.pointer_bits()
    }

    fn unary(&mut self, pool: &ExprPool, op: UnOp, a: ExprId) -> Value {
        let value = self.get(a);
        let from = pool.ty(a);
        match op {
            // The same bits, or the low ones: the address modulo what pointers are computed in stays the same.
            UnOp::Convert(to) if to.is_int() && from.is_int() => Value {
                part: value.part || value.pointer.is_some() && self.is_narrow(to),
                ..value
            },
            UnOp::Convert(to) if to.is_int() && from == Ty::Bool => Value::NULL,
            UnOp::Reinterpret(_) => value,
            _ if value.pointer.is_none() => Value::NUMBER,
            _ => self.exposed(&[value]),
        }
    }

    fn binary(&mut self, program: &Program, op: BinOp, a: ExprId, b: ExprId) -> Value {
        let (x, y) = (self.get(a), self.get(b));
        if x.pointer.is_none() && y.pointer.is_none() {
            return Value::NUMBER;
        }
        let pool = &program.pool;
        if !pool.ty(a).is_int() || x.part || y.part {
            return self.exposed(&[x, y]);
        }
        match (op, x.pointer, y.pointer) {
            // A pointer that is moved by a number.
            (BinOp::Add, Some(_), None) => self.moved(program, x, b, false),
            (BinOp::Add, None, Some(_)) => self.moved(program, y, a, false),
            (BinOp::Sub, Some(_), None) => self.moved(program, x, b, true),
            (BinOp::Sub, None, Some(_)) if !self.are_pointers_known => Value::NUMBER,
            // What comes from outside knows nothing of the program's objects: it moves them like a number.
            (BinOp::Add, Some(p), Some(q)) => match (self.is_foreign(p), self.is_foreign(q)) {
                // One of them may be null.
                (true, true) => Value { number: true, ..x },
                (false, true) => {
                    self.expose(y);
                    self.moved(program, x, b, false)
                }
                (true, false) => {
                    self.expose(x);
                    self.moved(program, y, a, false)
                }
                (false, false) => self.exposed(&[x, y]),
            },
            // How far two objects lie apart: numbers may know that of objects of one class.
            (BinOp::Sub, Some(p), Some(q)) => {
                self.relate(program, p, q);
                // The distance from a number that is known is the address.
                if x.may_be_number() || y.may_be_number() {
                    self.exposed(&[x, y]);
                }
                Value::NUMBER
            }
            (BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le, ..) => {
                self.compare(program, op, a, b);
                Value::NULL
            }
            _ => self.exposed(&[x, y]),
        }
    }

    /// Numbers learn how far the two pointers' objects lie apart. That may be any multiple of their alignment, so from
    /// then on a pointer into one of them, moved by a number, may lead to any such place of the other.
    fn relate(&mut self, program: &Program, p: Pointer, q: Pointer) {
        let (p, q) = (self.shapes.find(p), self.shapes.find(q));
        if p.node != q.node {
            self.shapes.unify(p, q);
            self.shapes.fold_by(p, 1);
            return;
        }
        let objects = &self.shapes.node(p.node).objects;
        let &[(first, start), ref others @ ..] = &objects[..] else {
            return;
        };
        if others.is_empty() && program.object(first).unique {
            // Inside of one object distances say nothing of its address.
            return;
        }
        let aligns = objects
            .iter()
            .map(|(object, _)| alignment(program, *object));
        let mut strides: Vec<i64> = aligns.collect();
        strides.extend(others.iter().map(|(_, base)| base.wrapping_sub(start)));
        for stride in strides {
            self.shapes.fold_by(p, stride);
        }
    }

    /// Only the outside's memory lies in the node.
    fn is_foreign(&mut self, pointer: Pointer) -> bool {
        let at = self.shapes.find(pointer);
        at.node == self.shapes.find(start_of(self.external)).node
            && self.shapes.node(at.node).objects.is_empty()
    }

    /// What the outcome of a comparison of two whole values tells, of which one may be a pointer.
    fn compare(&mut self, program: &Program, op: BinOp, a: ExprId, b: ExprId) {
        let (x, y) = (self.get(a), self.get(b));
        let is_signed = matches!(op, BinOp::Lt | BinOp::Le)
            && program.pool.ty(a).is_signed()
            && program.pool.ty(a).width() <= 32;
        match (x.pointer, y.pointer) {
            (None, _) | (_, None) if !self.are_pointers_known => {}
            // An object's address is never near null, so the outcome is known beforehand. (As a signed number, an
            // address of few bits may be on either side.)
            (Some(_), None) if y.is_nothing() && !x.strayed && !is_signed => {}
            (None, Some(_)) if x.is_nothing() && !y.strayed && !is_signed => {}
            // If one of them is null, as above.
            (Some(_), Some(_))
                if x.near.is_possible() && (y.strayed || is_signed)
                    || y.near.is_possible() && (x.strayed || is_signed) =>
            {
                self.exposed(&[x, y]);
            }
            (Some(p), Some(q)) if !x.number && !y.number => {
                // By assumption they are never equal.
                if self.is_foreign(p) != self.is_foreign(q) {
                    return;
                }
                let (p, q) = (self.shapes.find(p), self.shapes.find(q));
                if !matches!(op, BinOp::Eq | BinOp::Ne) {
                    self.relate(program, p, q);
                } else if p.node == q.node {
                    self.compare_in_node(program, p, q);
                } else {
                    self.shapes.unify(p, q);
                }
            }
            _ => {
                self.exposed(&[x, y]);
            }
        }
    }

    /// Pointers into objects of one class are compared. Inside of objects different places are different addresses; the
    /// place behind one may be the beginning of another, and then an access beyond the first leads to the second.
    fn compare_in_node(&mut self, program: &Program, p: Pointer, q: Pointer) {
        if p.offset == q.offset {
            return;
        }
        let node = self.shapes.node(p.node);
        let is_inside = |at: i64| {
            node.objects.iter().all(|&(object, base)| {
                let size = program.object(object).size;
                size.is_some_and(|size| at >= base && at < base.saturating_add_unsigned(size))
            })
        };
        let is_one = matches!(node.objects[..], [(object, _)] if program.object(object).unique);
        let are_apart = is_one || is_inside(p.offset) && is_inside(q.offset);
        if !are_apart {
            self.shapes.unify(p, q);
        }
    }

    fn moved(&mut self, program: &Program, value: Value, by: ExprId, back: bool) -> Value {
        let pool = &program.pool;
        let Some(pointer) = value.pointer else {
            return value;
        };
        if let Node::Const(bits) = pool.node(by) {
            let distance = arith::int::to_signed(bits, u32::from(pool.ty(by).width())) as i64;
            let offset = if back {
                pointer.offset.wrapping_sub(distance)
            } else {
                pointer.offset.wrapping_add(distance)
            };
            let pointer = Pointer { offset, ..pointer };
            let (near, is_number) = value.near.moved(Some(distance));
            return Value {
                pointer: Some(pointer),
                number: value.number || is_number,
                strayed: value.strayed || self.is_far(program, pointer),
                near,
                ..value
            };
        }
        let stride = stride_of(pool, by, self.model);
        self.shapes.fold_by(pointer, stride);
        let (near, is_number) = value.near.moved(None);
        Value {
            number: value.number || is_number,
            strayed: true,
            near,
            ..value
        }
    }

    /// What lies at the place before anything is written.
    pub(super) fn initially(&mut self, pointer: Pointer) -> Near {
        let root = self.shapes.find(pointer).node;
        if self.shapes.node(root).is_zeroed {
            Near::NULL
        } else {
            Near::NEVER
        }
    }

    /// The place may lie so far from its object that it could be near null.
    fn is_far(&mut self, program: &Program, pointer: Pointer) -> bool {
        let at = self.shapes.find(pointer);
        let node = self.shapes.node(at.node);
        node.stride > 0
            || node.objects.iter().any(|&(object, base)| {
                let size = program
                    .object(object)
                    .size
                    .and_then(|size| i64::try_from(size).ok());
                let distance = at.offset.saturating_sub(base);
                distance < -NEAR || distance.saturating_sub(size.unwrap_or(0)) > NEAR
            })
    }

    fn operation(&mut self, program: &Program, op: &Op) {
        match op {
            Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. }
                if !self.are_known(&op.addresses()) => {}
            Op::Assign(var, value) => self.flow(*var, self.get(*value)),
            Op::Havoc(var, input) => {
                let kind = &program.inputs[input.0 as usize].kind;
                let value = match (is_pointer(program, *var), kind) {
                    // It may turn out to be equal to any pointer that it is compared with.
                    (true, InputKind::Uninitialised(_)) => {
                        let shapes = &mut self.shapes;
                        let node = self
                            .wild
                            .entry(*var)
                            .or_insert_with(|| shapes.new_node(None));
                        Value::pointer(start_of(*node))
                    }
                    (true, _) => Value {
                        near: Near::NULL,
                        ..Value::pointer(start_of(self.external))
                    },
                    (false, _) => Value::NUMBER,
                };
                self.flow(*var, value);
            }
            Op::Store { address, value, .. } => {
                let len = program.pool.ty(*value).bytes() as i64;
                let address = self.accessed(*address);
                self.shapes.access(address, len);
                let value = self.get(*value);
                if let Some(target) = value.pointer {
                    self.shapes.write(address, len, target, value.strayed);
                }
                if value.number {
                    self.shapes.write_number(address, len);
                }
                if value.near.is_possible() {
                    self.shapes.write_near(address, len, value.near);
                }
            }
            Op::Begin { object, contents } => {
                if *contents == Contents::Zero {
                    self.shapes.begin_with_zero(self.object(*object));
                }
            }
            Op::Allocate {
                target,
                object,
                contents,
                ..
            } => {
                let pointer = self.object(*object);
                if *contents == Contents::Zero {
                    self.shapes.begin_with_zero(pointer);
                }
                self.flow(*target, Value::pointer(pointer));
            }
            Op::Reallocate {
                target,
                object,
                address,
                ..
            } => {
                let pointer = self.object(*object);
                self.flow(*target, Value::pointer(pointer));
                // Null has no contents to keep.
                if !self.get(*address).is_nothing() {
                    let old = self.accessed(*address);
                    self.shapes.unify(pointer, old);
                }
            }
            Op::Copy {
                target,
                source,
                size,
                ..
            } => {
                let (to, from) = (self.accessed(*target), self.accessed(*source));
                if self.initially(from).is_possible() {
                    self.shapes.fill_with_zero(to);
                }
                match program.pool.node(*size) {
                    Node::Const(0) => {}
                    Node::Const(bytes) if bytes < 1 << 32 => {
                        self.shapes.link(to, from, bytes as i64);
                    }
                    _ => self.shapes.unify(to, from),
                }
                let is_one = self.shapes.find(to).node == self.shapes.find(from).node;
                if is_one || program.pool.as_constant(*size).is_none() {
                    self.shapes.cover(to, None);
                    self.shapes.cover(from, None);
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
            Op::Fill {
                target, byte, size, ..
            } => {
                let target = self.accessed(*target);
                self.expose(self.get(*byte));
                match program.pool.as_constant(*byte) {
                    Some(0) => self.shapes.fill_with_zero(target),
                    _ if self.are_pointers_known => self.shapes.fill_with_number(target),
                    _ => {}
                }
                let bytes = program.pool.as_constant(*size);
                let bytes = bytes.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
                self.shapes.cover(target, bytes);
            }
            Op::Print(print) => {
                // How much is printed tells of what is printed, also of the bytes of texts.
                if let Some(var) = print.result {
                    for &arg in &print.args {
                        let contents = self.address(arg);
                        let contents = self.shapes.contents(contents).and_then(|cell| cell.target);
                        self.expose(self.get(arg));
                        if let Some(pointer) = contents {
                            self.expose(Value::pointer(pointer));
                        }
                    }
                    self.flow(var, Value::NUMBER);
                }
            }
            Op::Skip | Op::Assume(_) | Op::End(_) | Op::Release(_) | Op::Halt(_) => {}
        }
    }
}

fn start_of(node: NodeId) -> Pointer {
    Pointer { node, offset: 0 }
}

/// Every object of this number begins at a multiple of this.
pub fn alignment(program: &Program, object: cfa::memory::ObjectId) -> i64 {
    i64::try_from(program.object(object).align).map_or(1, |align| align.max(1))
}

/// Whether the variable was declared as a pointer.
pub fn is_pointer(program: &Program, var: VarId) -> bool {
    let declared = program.var(var).c_type;
    declared.is_some_and(|ty| matches!(program.types.shape(ty), Type::Pointer(_)))
}
