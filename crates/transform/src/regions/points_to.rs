//! The points-to analysis: runs over all operations until nothing new is learnt about [`Shapes`].
//!
//! A value is a *pointer* (the address of an object moved by a number) or a *number*. The law that
//! every rule below keeps, for classes of objects that [`Shapes`] unites:
//!
//! 1. Where a pointer leads is known: its object lies in the class of the pointer's node.
//! 2. A number says nothing about addresses, except how far objects *of one class* lie apart, and
//!    where the *exposed* objects lie. Exposed objects share one class, that of
//!    [`PointsTo::guessed`].
//!
//! So an access through a pointer stays in the pointer's class: to leave it for another object, the
//! number that moves it would have to say how far the two lie apart. And an access through a number
//! leads to exposed objects only. What an operation does is kept in the law by default in the worst
//! way: *every operation exposes the objects that its operands point to, and makes a number*.
//! Exceptions stand in `expression`, `binary` and `compare`, each with its reason. Conditions count
//! as operations: a program can rebuild an address bit by bit from their outcomes.
//!
//! Not counted: that a number hits an object by chance (an input that is used as an address without
//! having been compared with one), and that pointers from outside are addresses of the program's
//! objects. Both are assumptions that an answer lists.

use super::carried::is_outside_all_objects;
use super::held::{Distance, Held};
use super::lives::Lives;
use super::near::{NEAR, Near};
use super::shape::{Extent, NodeId, Pointer, Shapes};
use super::{distance_bits, stride_of};
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::memory::ObjectKind;
use cfa::op::{Contents, InputKind, Op};
use cfa::outside;
use cfa::program::{Binding, Program};
use cfa::value::Ty;
use rustc_hash::FxHashMap;
use syntax::types::{DataModel, Type};

/// What a value may be.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Value {
    /// Where it leads, if it may be a pointer.
    pointer: Option<Pointer>,
    /// What else it may be.
    held: Held,
}

impl Value {
    const NUMBER: Value = Value {
        pointer: None,
        held: Held::NUMBER,
    };
    /// A number from outside the program.
    const OUTSIDE: Value = Value {
        pointer: None,
        held: Held::OUTSIDE,
    };
    const NULL: Value = Value {
        pointer: None,
        held: Held::NULL,
    };

    /// A number that is computed from values.
    fn number_of(values: &[Value]) -> Value {
        match values.iter().any(|value| value.held.outside) {
            true => Value::OUTSIDE,
            false => Value::NUMBER,
        }
    }

    fn pointer(pointer: Pointer) -> Value {
        Value {
            pointer: Some(pointer),
            held: Held::NOTHING,
        }
    }

    /// It is no pointer and no number that could be an address.
    fn is_nothing(self) -> bool {
        self.pointer.is_none() && !self.held.number
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
    lives: Lives,
}

impl PointsTo {
    pub fn of(program: &Program) -> PointsTo {
        let mut shapes = Shapes::new(program.model.pointer_bits());
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
            lives: Lives::of(program),
        };
        let outside = start_of(external);
        analysis.shapes.fold_by(outside, 1);
        analysis.shapes.fold_by(start_of(guessed), 1);
        analysis
            .shapes
            .write(outside, 1, Some(outside), Held::NOTHING);
        analysis.shapes.begin(outside, Contents::Zero);
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

    pub(super) fn lives(&self) -> &Lives {
        &self.lives
    }

    /// The value may have left its object as an integer.
    pub(super) fn is_wandered(&self, expr: ExprId) -> bool {
        self.get(expr).held.wandered
    }

    /// Where the values of a variable lead, if any is a pointer.
    pub fn variable(&self, var: VarId) -> Option<Pointer> {
        self.vars[var.0 as usize].pointer
    }

    /// What an address expression leads to.
    pub fn address(&mut self, expr: ExprId) -> Pointer {
        let value = self.exprs[expr.0 as usize];
        let pointer = value.pointer.filter(|_| !value.held.part);
        self.shapes.find(pointer.unwrap_or(start_of(self.guessed)))
    }

    /// Whether pointers from outside the program, or numbers, may lead into the node.
    pub fn is_outside(&mut self, node: NodeId) -> bool {
        let root = |shapes: &mut Shapes, node| shapes.find(start_of(node)).node;
        root(&mut self.shapes, self.external) == node
            || root(&mut self.shapes, self.guessed) == node
    }

    /// Whether an expression of the program may be a pointer into the node.
    pub fn leads_to(&mut self, expr: ExprId, node: NodeId) -> bool {
        let is_known = (expr.0 as usize) < self.exprs.len();
        is_known && self.exprs[expr.0 as usize].pointer.is_some() && self.address(expr).node == node
    }

    pub fn object(&self, object: cfa::memory::ObjectId) -> Pointer {
        start_of(self.objects[object.0 as usize])
    }

    fn pass(&mut self, program: &Program) {
        // Parts of an expression come before it in the pool.
        for number in 0..program.pool.len() {
            let id = ExprId(number as u32);
            let mut value = self.expression(program, id);
            value.held = value.held.known(self.are_pointers_known);
            self.exprs[number] = value;
        }
        for edge in &program.edges {
            self.operation(program, program.op(edge.op));
        }
    }

    fn get(&self, expr: ExprId) -> Value {
        self.exprs[expr.0 as usize]
    }

    fn flow(&mut self, var: VarId, mut from: Value) {
        from.held = from.held.known(self.are_pointers_known);
        let old = self.vars[var.0 as usize];
        let new = self.merge(old, from);
        // Which of two united pointers stands there makes no difference.
        let traits = |value: Value| (value.pointer.is_none(), value.held);
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
            held: a.held.or(b.held),
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
        Value::number_of(values)
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

    /// The address of an access. If it may be a number as well as a pointer, the access leads to
    /// either's objects; numbers from outside lead there also where no object is exposed.
    fn accessed(&mut self, expr: ExprId) -> Pointer {
        let value = self.get(expr);
        let held = value.held;
        if held.part || held.outside || held.number && self.is_anything_exposed() {
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
                    let held = self.get(pointer).held;
                    !held.strayed && !held.part
                }) =>
            {
                Value::NULL
            }
            // Whether a pointer points into an object tells nothing of where objects lie.
            Node::Binary(..) if pool.is_object_offset(id) => Value::NULL,
            Node::Binary(op, a, b) => self.binary(program, id, op, a, b),
            Node::Ite(_, a, b) => self.merge(self.get(a), self.get(b)),
            Node::Fma(a, b, c) => self.exposed(&[self.get(a), self.get(b), self.get(c)]),
            Node::Load { address, .. } if !self.are_known(&[address]) => Value::default(),
            Node::Load { address, .. } => {
                let len = ty.bytes() as i64;
                let address = self.accessed(address);
                self.shapes.access(address, len);
                let bytes = i64::from(self.model.pointer_bits() / 8);
                let (zeroed, unset) = self.initially(address);
                let is_from_outside = self.is_from_outside(address);
                let Some(cell) = self.shapes.contents(address) else {
                    return Value::NUMBER;
                };
                // Bytes of a cell that is not accessed as a whole only may be those of several
                // values. Where values of pointers' width lie in it undivided, each is one that was
                // written.
                let is_mixed = ty.bytes() as i64 != bytes || !cell.is_whole(bytes);
                let (pointer, mut held) = (cell.target, cell.held);
                held.part = pointer.is_some() && (held.part || is_mixed);
                held.number |= pointer.is_none();
                if is_from_outside {
                    held = held.or(Held::OUTSIDE);
                }
                if zeroed || unset {
                    held.near = held.near.or(Near::NULL);
                }
                Value { pointer, held }
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
            // The same bits, or the low ones: the address modulo what pointers are computed in
            // stays the same.
            UnOp::Convert(to) if to.is_int() && from.is_int() => {
                let mut value = value;
                value.held.part |= value.pointer.is_some() && self.is_narrow(to);
                value
            }
            UnOp::Convert(to) if to.is_int() && from == Ty::Bool => Value::NULL,
            UnOp::Reinterpret(_) => value,
            _ => self.exposed(&[value]),
        }
    }

    fn binary(&mut self, program: &Program, id: ExprId, op: BinOp, a: ExprId, b: ExprId) -> Value {
        let (x, y) = (self.get(a), self.get(b));
        if x.pointer.is_none() && y.pointer.is_none() {
            return match op {
                BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => Value::NUMBER,
                _ => Value::number_of(&[x, y]),
            };
        }
        let pool = &program.pool;
        // In another width than that of pointers nothing wraps around where addresses do, which
        // tells of them.
        let is_plain = pool.ty(a).is_int() && pool.ty(a).width() == self.model.pointer_bits();
        if !is_plain || x.held.part || y.held.part {
            return self.exposed(&[x, y]);
        }
        match (op, x.pointer, y.pointer) {
            // A pointer that is moved by a number.
            (BinOp::Add, Some(_), None) => self.moved(program, id, x, b, false),
            (BinOp::Add, None, Some(_)) => self.moved(program, id, y, a, false),
            (BinOp::Sub, Some(_), None) => self.moved(program, id, x, b, true),
            (BinOp::Sub, None, Some(_)) if !self.are_pointers_known => Value::NUMBER,
            // What comes from outside knows nothing of the program's objects: it moves them like a
            // number.
            (BinOp::Add, Some(p), Some(q)) => match (self.is_foreign(p), self.is_foreign(q)) {
                // One of them may be null.
                (true, true) => {
                    let mut value = x;
                    value.held.number = true;
                    value
                }
                (false, true) => {
                    self.expose(y);
                    self.moved(program, id, x, b, false)
                }
                (true, false) => {
                    self.expose(x);
                    self.moved(program, id, y, a, false)
                }
                (false, false) => self.exposed(&[x, y]),
            },
            // How far two objects lie apart: numbers may know that of objects of one class.
            (BinOp::Sub, Some(p), Some(q)) => {
                self.relate(program, p, q);
                // The distance from a number that is known is the address.
                if x.held.may_be_number() || y.held.may_be_number() {
                    self.exposed(&[x, y]);
                }
                Value::number_of(&[x, y])
            }
            (BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le, ..) => {
                self.compare(program, op, a, b);
                Value::NULL
            }
            _ => self.exposed(&[x, y]),
        }
    }

    /// Numbers learn how far the two pointers' objects lie apart. That may be any multiple of their
    /// alignment, so from then on a pointer into one of them, moved by a number, may lead to any
    /// such place of the other.
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
        if others.is_empty() && self.lives.is_one(first) {
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
        let is_order = matches!(op, BinOp::Lt | BinOp::Le);
        let ty = program.pool.ty(a);
        let is_signed = is_order && ty.is_signed() && ty.width() <= 32;
        match (x.pointer, y.pointer) {
            (None, _) | (_, None) if !self.are_pointers_known => {}
            // An object's address is never near null, so the outcome is known beforehand. (As a
            // signed number, an address of few bits may be on either side.)
            (Some(_), None) if y.is_nothing() && !x.held.strayed && !is_signed => {}
            (None, Some(_)) if x.is_nothing() && !y.held.strayed && !is_signed => {}
            // If one of them is null, as above.
            (Some(_), Some(_))
                if x.held.near.is_possible() && (y.held.strayed || is_signed)
                    || y.held.near.is_possible() && (x.held.strayed || is_signed) =>
            {
                self.exposed(&[x, y]);
            }
            // Which of two integers goes round the address space first tells where their object
            // lies.
            (Some(_), Some(_)) if is_order && (x.held.wandered || y.held.wandered) => {
                self.exposed(&[x, y]);
            }
            (Some(p), Some(q)) if !x.held.number && !y.held.number => {
                // By assumption they are never equal.
                if self.is_foreign(p) != self.is_foreign(q) {
                    return;
                }
                let (p, q) = (self.shapes.find(p), self.shapes.find(q));
                if is_order {
                    self.relate(program, p, q);
                } else if p.node == q.node {
                    self.compare_in_node(p, q, program);
                } else {
                    self.shapes.unify(p, q);
                }
            }
            _ => {
                self.exposed(&[x, y]);
            }
        }
    }

    /// Pointers into objects of one class are compared. Inside of live objects different places are
    /// different addresses; the place behind one may be the beginning of another, and then an
    /// access beyond the first leads to the second. Where an object was, any other may be by now.
    fn compare_in_node(&mut self, p: Pointer, q: Pointer, program: &Program) {
        if p.offset == q.offset {
            return;
        }
        let objects = &self.shapes.node(p.node).objects;
        let is_inside = |at: i64| {
            objects.iter().all(|&(object, base)| {
                let size = program.object(object).size;
                size.is_some_and(|size| at >= base && at < base.saturating_add_unsigned(size))
            })
        };
        let is_one = matches!(objects[..], [(object, _)] if self.lives.is_one(object));
        let mut mortal = objects.iter().filter(|&&(id, _)| self.lives.is_mortal(id));
        let is_reused = match (mortal.next(), mortal.next()) {
            (None, _) => false,
            (Some(&(only, _)), None) => !self.lives.is_one(only),
            _ => true,
        };
        let are_apart = is_one || !is_reused && is_inside(p.offset) && is_inside(q.offset);
        if !are_apart {
            self.shapes.unify(p, q);
        }
    }

    fn moved(
        &mut self,
        program: &Program,
        id: ExprId,
        value: Value,
        by: ExprId,
        back: bool,
    ) -> Value {
        let pool = &program.pool;
        let Some(mut pointer) = value.pointer else {
            return value;
        };
        let constant = match pool.node(by) {
            Node::Const(bits) => {
                let width = u32::from(pool.ty(by).width());
                let distance = arith::int::to_signed(bits, width) as i64;
                Some(if back {
                    distance.wrapping_neg()
                } else {
                    distance
                })
            }
            _ => None,
        };
        let strays = match constant {
            Some(distance) => {
                pointer.offset = pointer.offset.wrapping_add(distance);
                self.is_far(program, pointer)
            }
            None => {
                let stride = stride_of(pool, by, self.model);
                self.shapes.fold_by(pointer, stride);
                true
            }
        };
        let is_integer = pool.is_sum_of_integers(id);
        let by = Distance {
            constant,
            bits: distance_bits(pool, by, self.model),
            strays,
            is_integer,
            outside: is_integer && self.get(by).held.outside,
        };
        let held = value.held.moved(by, self.model.pointer_bits());
        if held.reach.goes_round() {
            self.shapes.go_round(pointer);
        }
        Value {
            pointer: Some(pointer),
            held,
        }
    }

    /// Whether zeros lie at the place before anything is written, or any bytes (null may be among
    /// them).
    pub(super) fn initially(&mut self, pointer: Pointer) -> (bool, bool) {
        let root = self.shapes.find(pointer).node;
        let node = self.shapes.node(root);
        (node.is_zeroed, node.is_unset)
    }

    /// Whether bytes may lie at the place that something outside the program chose.
    fn is_from_outside(&mut self, pointer: Pointer) -> bool {
        let root = self.shapes.find(pointer).node;
        let guessed = self.shapes.find(start_of(self.guessed)).node;
        let is_chosen = self.shapes.node(root).is_from_outside || root == guessed;
        is_chosen && self.are_pointers_known
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
        // Executions go on only where so many bytes are there: a comparison with a number.
        for size in op.counts() {
            self.expose(self.get(size));
        }
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
                        Value {
                            pointer: Some(start_of(*node)),
                            held: Held::NULL,
                        }
                    }
                    (true, _) => Value {
                        pointer: Some(start_of(self.external)),
                        held: Held::NULL,
                    },
                    (false, InputKind::Uninitialised(_)) => Value::NUMBER,
                    (false, _) => Value::OUTSIDE,
                };
                self.flow(*var, value);
            }
            Op::Store { address, value, .. } => {
                let len = program.pool.ty(*value).bytes() as i64;
                let address = self.accessed(*address);
                self.shapes.access(address, len);
                let value = self.get(*value);
                self.shapes.write(address, len, value.pointer, value.held);
            }
            Op::Begin { object, contents } => self.shapes.begin(self.object(*object), *contents),
            Op::Allocate {
                target,
                object,
                contents,
                ..
            } => {
                let pointer = self.object(*object);
                self.shapes.begin(pointer, *contents);
                self.flow(*target, Value::pointer(pointer));
            }
            Op::Reallocate {
                target,
                object,
                address,
                ..
            } => {
                let pointer = self.object(*object);
                self.shapes.begin(pointer, Contents::Arbitrary);
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
                if self.initially(from) != (false, false) {
                    self.shapes.fill_with_zero(to);
                }
                if self.is_from_outside(from) {
                    let bytes = program.pool.as_constant(*size);
                    let bytes = bytes.and_then(|bytes| i64::try_from(bytes).ok());
                    self.shapes.fill_from_outside(to, bytes);
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
                    let step = stride_of(&program.pool, *size, self.model);
                    self.shapes.cover(to, Extent::MultipleOf(step));
                    self.shapes.cover(from, Extent::MultipleOf(step));
                }
            }
            Op::Call { .. } => {
                for (var, binding) in program.bindings(op) {
                    let value = match binding {
                        Binding::Argument(arg) => self.get(arg),
                        Binding::Result(from) => self.vars[from.0 as usize],
                    };
                    self.flow(var, value);
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
                let extent = match program.pool.as_constant(*size) {
                    Some(bytes) => Extent::Bytes(i64::try_from(bytes).unwrap_or(i64::MAX)),
                    None => Extent::MultipleOf(stride_of(&program.pool, *size, self.model)),
                };
                self.shapes.cover(target, extent);
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
