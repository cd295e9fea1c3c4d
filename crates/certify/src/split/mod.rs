//! Checks the split of memory: no byte of an object is accessed through two parts.
//!
//! The split (`transform::regions`) unites what pointers may meet. It is not believed: here all
//! flows of addresses are followed anew, by inclusion instead of unification, on the program before
//! the split, with nothing but the part that each access got. If every access so far went to a part
//! of its own, memory holds what was written to the parts; so by induction over an execution it is
//! enough that no two accesses through different parts can hit the same byte.
//!
//! A value is a pointer (a place in an object, moved by a number) or a number. Numbers know two
//! things about addresses: how far objects of one class ([`Classes`]) lie apart, and where the
//! exposed objects lie. An operation exposes whatever its operands point to, unless it is one of
//! those below that are known to keep this law. Conditions are operations too: their outcomes can
//! rebuild an address bit by bit.
//!
//! Left out, because an answer lists it as an assumption: numbers that are addresses by chance, and
//! pointers from outside that are addresses of the program's objects.

mod accesses;
mod classes;
pub(crate) mod sources;

use crate::Rejection;
use accesses::{Accesses, Size};
use cfa::expr::{BinOp, ExprId, Node, UnOp, VarId};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::{Contents, InputKind, Op};
use cfa::outside;
use cfa::program::{Binding, EdgeId, LocId, Program};
use cfa::value::Ty;
use classes::Classes;
use rustc_hash::{FxHashMap, FxHashSet};
use sources::{At, SetId, Sets, Source, gcd};
use transform::regions::{
    Distance, Held, Homes, Lives, NEAR, Near, PartId, alignment, distance_bits,
    is_declared_pointer, lies_outside_objects, stride_of,
};

/// Checks that the parts that the accesses of a program got keep its memory apart.
pub fn check_split(program: &Program, homes: &Homes) -> Result<(), Rejection> {
    let mut flow = Flow::new(program, homes);
    flow.run();
    flow.are_pointers_known = true;
    flow.changed = true;
    flow.run();
    flow.nothing_left_out()?;
    let mut accesses = Accesses::new(homes, program.model.pointer_bits());
    flow.collect(&mut accesses);
    let outside = [flow.external, flow.guessed];
    accesses.check(program, &flow.classes, outside)
}

/// Larger sets are related through one place of each.
const MAX_PAIRS: usize = 64;

/// What a value may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Value {
    /// The places that it may be the address of.
    set: SetId,
    /// What else it may be.
    held: Held,
}

impl Value {
    const NOTHING: Value = Value {
        set: SetId::EMPTY,
        held: Held::NOTHING,
    };
    const NULL: Value = Value {
        held: Held::NULL,
        ..Value::NOTHING
    };
    /// A number from outside the program.
    const OUTSIDE: Value = Value {
        held: Held::OUTSIDE,
        ..Value::NOTHING
    };
    const NUMBER: Value = Value {
        held: Held::NUMBER,
        ..Value::NOTHING
    };

    /// A number that is computed from values.
    fn number_of(values: &[Value]) -> Value {
        match values.iter().any(|value| value.held.outside) {
            true => Value::OUTSIDE,
            false => Value::NUMBER,
        }
    }

    fn is_pointer(self) -> bool {
        self.set != SetId::EMPTY
    }
}

struct Flow<'a> {
    program: &'a Program,
    homes: &'a Homes,
    sets: Sets,
    classes: Classes,
    exprs: Vec<Value>,
    vars: Vec<Value>,
    /// What lies in the parts.
    contents: Vec<Value>,
    external: Source,
    /// Where numbers lead.
    guessed: Source,
    wild: FxHashMap<VarId, Source>,
    /// Pointers are known by now: what is none is a number. (Before, it may only not be known yet.)
    are_pointers_known: bool,
    lives: Lives,
    /// Objects that begin with bytes from outside the program.
    from_outside: FxHashSet<Source>,
    changed: bool,
}

impl<'a> Flow<'a> {
    fn new(program: &'a Program, homes: &'a Homes) -> Flow<'a> {
        let bits = program.model.pointer_bits();
        let mut classes = Classes::new(program.objects.len(), bits);
        let external = classes.add();
        let guessed = classes.add();
        classes.fold(external, 1);
        classes.fold(guessed, 1);
        Flow {
            program,
            homes,
            sets: Sets::new(bits),
            classes,
            exprs: vec![Value::NOTHING; program.pool.len()],
            vars: vec![Value::NOTHING; program.vars.len()],
            contents: vec![Value::NOTHING; homes.parts.len()],
            external,
            guessed,
            wild: FxHashMap::default(),
            are_pointers_known: false,
            lives: Lives::of(program),
            from_outside: FxHashSet::default(),
            changed: true,
        }
    }

    fn run(&mut self) {
        while std::mem::take(&mut self.changed) || std::mem::take(&mut self.classes.changed) {
            self.classes.changed = false;
            for number in 0..self.program.pool.len() {
                let mut value = self.expression(ExprId(number as u32));
                value.held = value.held.known(self.are_pointers_known);
                self.exprs[number] = value;
            }
            for number in 0..self.program.edges.len() as u32 {
                self.operation(EdgeId(number));
            }
        }
    }

    fn get(&self, expr: ExprId) -> Value {
        self.exprs[expr.0 as usize]
    }

    fn join(&mut self, a: Value, b: Value) -> Value {
        let (set, held) = (self.sets.join(a.set, b.set), a.held.or(b.held));
        self.reached(set, held)
    }

    /// The value; what goes round the address space is known modulo powers of two only.
    fn reached(&mut self, set: SetId, held: Held) -> Value {
        let set = match held.reach.goes_round() {
            true => self.sets.rounded(set),
            false => set,
        };
        Value { set, held }
    }

    fn assign(&mut self, var: VarId, mut value: Value) {
        value.held = value.held.known(self.are_pointers_known);
        let old = self.vars[var.0 as usize];
        let new = self.join(old, value);
        self.changed |= new != old;
        self.vars[var.0 as usize] = new;
    }

    fn put(&mut self, part: PartId, mut value: Value) {
        value.held = value.held.known(self.are_pointers_known);
        let old = self.contents[part.0 as usize];
        let new = self.join(old, value);
        self.changed |= new != old;
        self.contents[part.0 as usize] = new;
    }

    fn stand_in(&mut self, source: Source) -> Value {
        let set = self.sets.single(At::start(source));
        Value {
            set,
            ..Value::NOTHING
        }
    }

    fn expose(&mut self, value: Value) {
        for at in self.sets.get(value.set).to_vec() {
            self.classes.relate(at, At::start(self.guessed));
        }
    }

    fn exposed(&mut self, values: &[Value]) -> Value {
        for &value in values {
            self.expose(value);
        }
        Value::number_of(values)
    }

    /// Whether what is known of the addresses is enough to look at an operation on them.
    fn are_known(&self, addresses: &[ExprId]) -> bool {
        let mut addresses = addresses.iter();
        self.are_pointers_known || addresses.all(|&address| self.get(address).is_pointer())
    }

    /// The places that an access at the address may hit, as far as they are known to be somewhere.
    fn accessed(&mut self, address: ExprId) -> SetId {
        let value = self.get(address);
        let held = value.held;
        if held.part || held.outside || held.number && self.classes.is_real(self.guessed) {
            self.expose(value);
        }
        if value.is_pointer() && !held.part {
            value.set
        } else {
            self.sets.single(At::start(self.guessed))
        }
    }

    fn is_narrow(&self, ty: Ty) -> bool {
        ty.width() < self.program.model.pointer_bits()
    }

    fn expression(&mut self, id: ExprId) -> Value {
        let program = self.program;
        let ty = program.pool.ty(id);
        match program.pool.node(id) {
            Node::Const(bits) if lies_outside_objects(bits, ty, program.model) => Value::NULL,
            Node::Const(_) => Value::NUMBER,
            Node::Var(var) => self.vars[var.0 as usize],
            // No bytes lie at the address of a function.
            Node::Address(object)
                if matches!(program.object(object).kind, ObjectKind::Function(_)) =>
            {
                Value::NULL
            }
            Node::Address(object) => self.stand_in(object.0),
            Node::Unary(op, a) => self.unary(op, a),
            // No object of the program lies in the outside's memory.
            node @ Node::Binary(..)
                if outside::question(&program.pool, node, program.model).is_some_and(
                    |pointer| {
                        let held = self.get(pointer).held;
                        !held.strayed && !held.part
                    },
                ) =>
            {
                Value::NULL
            }
            // Only asked to learn whether a pointer points into an object, before it is accessed: where
            // objects lie is not told by that (`docs/decisions/026-memory-safety.md`).
            Node::Binary(..) if program.pool.is_object_offset(id) => Value::NULL,
            Node::Binary(op, a, b) => self.binary(id, op, a, b),
            Node::Ite(_, a, b) => self.join(self.get(a), self.get(b)),
            Node::Fma(a, b, c) => self.exposed(&[self.get(a), self.get(b), self.get(c)]),
            Node::Load { address, .. } if !self.are_known(&[address]) => Value::NOTHING,
            Node::Load { address, .. } => {
                let hit = self.accessed(address);
                let part = self.homes.loads.get(id.0 as usize).copied().flatten();
                let mut value = part.map_or(Value::NOTHING, |part| self.stored(part));
                // What lies outside holds pointers to the outside.
                let outside = self.classes.root(self.external);
                let mut places = self.sets.get(hit).iter();
                if places.any(|at| self.classes.root(at.source) == outside) {
                    let outside = self.stand_in(self.external);
                    value = self.join(value, outside);
                }
                let mut held = value.held;
                if self.is_from_outside(hit) {
                    held = held.or(Held::OUTSIDE);
                }
                // Where nothing was written yet, null may lie.
                held.near = held.near.or(Near::NULL);
                held.part = value.is_pointer() && (held.part || self.is_narrow(ty));
                held.number |= !value.is_pointer();
                Value { held, ..value }
            }
        }
    }

    fn unary(&mut self, op: UnOp, a: ExprId) -> Value {
        let value = self.get(a);
        let from = self.program.pool.ty(a);
        match op {
            UnOp::Convert(to) if to.is_int() && from.is_int() => {
                let mut value = value;
                value.held.part |= value.is_pointer() && self.is_narrow(to);
                value
            }
            UnOp::Convert(to) if to.is_int() && from == Ty::Bool => Value::NULL,
            UnOp::Reinterpret(_) => value,
            _ => self.exposed(&[value]),
        }
    }

    fn binary(&mut self, id: ExprId, op: BinOp, a: ExprId, b: ExprId) -> Value {
        let (x, y) = (self.get(a), self.get(b));
        let ty = self.program.pool.ty(a);
        // In another width than that of pointers nothing wraps around where addresses do, which
        // tells of them.
        let is_plain = ty.is_int() && ty.width() == self.program.model.pointer_bits();
        if !is_plain || x.held.part || y.held.part {
            return self.exposed(&[x, y]);
        }
        match (op, x.is_pointer(), y.is_pointer()) {
            (BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le, false, false) => Value::NUMBER,
            (_, false, false) => Value::number_of(&[x, y]),
            (BinOp::Add, true, false) => self.moved(id, x, b, false),
            (BinOp::Add, false, true) => self.moved(id, y, a, false),
            (BinOp::Sub, true, false) => self.moved(id, x, b, true),
            (BinOp::Sub, false, true) if !self.are_pointers_known => Value::NUMBER,
            (BinOp::Add, true, true) => match (self.is_foreign(x), self.is_foreign(y)) {
                // One of them may be null.
                (true, true) => {
                    let mut value = x;
                    value.held.number = true;
                    value
                }
                (false, true) => {
                    self.expose(y);
                    self.moved(id, x, b, false)
                }
                (true, false) => {
                    self.expose(x);
                    self.moved(id, y, a, false)
                }
                (false, false) => self.exposed(&[x, y]),
            },
            (BinOp::Sub, true, true) => {
                self.relate(x, y, false);
                // The distance from a number that is known is the address.
                if x.held.may_be_number() || y.held.may_be_number() {
                    self.exposed(&[x, y]);
                }
                Value::number_of(&[x, y])
            }
            (BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le, ..) => {
                let is_equality = matches!(op, BinOp::Eq | BinOp::Ne);
                let ty = self.program.pool.ty(a);
                let signed = !is_equality && ty.is_signed() && ty.width() <= 32;
                self.compare(x, y, is_equality, signed);
                Value::NULL
            }
            _ => self.exposed(&[x, y]),
        }
    }

    fn moved(&mut self, id: ExprId, value: Value, by: ExprId, back: bool) -> Value {
        let (pool, model) = (&self.program.pool, self.program.model);
        let constant = pool.as_constant(by).map(|bits| {
            let width = u32::from(pool.ty(by).width());
            let by = arith::int::to_signed(bits, width) as i64;
            if back { by.wrapping_neg() } else { by }
        });
        let set = match constant {
            Some(by) => self.sets.moved(value.set, by),
            None => {
                let stride = stride_of(pool, by, model);
                self.sets.folded(value.set, stride)
            }
        };
        let mut places = self.sets.get(set).iter();
        let is_integer = pool.is_sum_of_integers(id);
        let by = Distance {
            constant,
            bits: distance_bits(pool, by, model),
            strays: constant.is_none() || places.any(|at| self.is_far(*at)),
            is_integer,
            outside: is_integer && self.get(by).held.outside,
        };
        let held = value.held.moved(by, model.pointer_bits());
        self.reached(set, held)
    }

    /// The place may lie so far from its object that it could be near null.
    fn is_far(&self, at: At) -> bool {
        let object = self.program.objects.get(at.source as usize);
        let size = object.and_then(|object| i64::try_from(object.size?).ok());
        let beyond = at.residue.saturating_sub(size.unwrap_or(0));
        at.stride > 0 || at.residue < -NEAR || beyond > NEAR
    }

    /// Only the outside's memory can be meant.
    fn is_foreign(&self, value: Value) -> bool {
        let places = self.sets.get(value.set);
        places.iter().all(|at| at.source == self.external) && !self.classes.is_real(self.external)
    }

    fn compare(&mut self, x: Value, y: Value, is_equality: bool, signed: bool) {
        let no_pointer = !x.is_pointer() || !y.is_pointer();
        if no_pointer && !self.are_pointers_known {
            return;
        }
        // No object lies near null, so what comes of comparing its address with null tells nothing.
        // An address of few bits may be on either side of null as a signed number.
        let nothing = |value: Value| !value.is_pointer() && !value.held.number;
        let strayed = x.held.strayed || y.held.strayed || signed;
        if !strayed && (nothing(x) || nothing(y)) {
            return;
        }
        // Nor does it tell of an object that the pointer to it was compared with null, if it has
        // not left it.
        let is_null_met =
            |null: Value, met: Value| null.held.near.is_possible() && (met.held.strayed || signed);
        let is_null_met = is_null_met(x, y) || is_null_met(y, x);
        // Which of two integers goes round the address space first tells where their object lies.
        let goes_round = !is_equality && (x.held.wandered || y.held.wandered);
        let is_number_met = x.held.number || y.held.number || is_null_met || goes_round;
        if !x.is_pointer() || !y.is_pointer() || is_number_met {
            self.exposed(&[x, y]);
        } else if self.is_foreign(x) == self.is_foreign(y) {
            self.relate(x, y, is_equality);
        }
    }

    /// Numbers learn how far the objects of two pointers lie apart: any multiple of their
    /// alignment; or, from an equality, that the two places are one.
    fn relate(&mut self, x: Value, y: Value, is_equality: bool) {
        for (a, b) in self.pairs(x.set, y.set) {
            if a.source == b.source {
                // Different instances of one object, and different lives, have the same parts, at
                // the same offsets from their beginnings. Inside of one, distances say nothing of
                // its address.
                if self.is_one(a.source) {
                    continue;
                }
                if is_equality {
                    self.classes.relate(a, b);
                } else {
                    let stride = self.alignment(a.source);
                    self.classes.fold(a.source, stride);
                }
                continue;
            }
            if !is_equality {
                let stride = gcd(self.alignment(a.source), self.alignment(b.source));
                let start = |source| At {
                    stride,
                    ..At::start(source)
                };
                self.classes.relate(start(a.source), start(b.source));
                continue;
            }
            let is_one_class = self.classes.root(a.source) == self.classes.root(b.source);
            // Where an object was, any other may be by now.
            let is_kept = !self.is_mortal(a.source) || !self.is_mortal(b.source);
            let are_apart = is_one_class && is_kept && self.is_inside(a) && self.is_inside(b);
            if !are_apart {
                self.classes.relate(a, b);
            }
        }
    }

    /// The source is one object of the program that lives once.
    fn is_one(&self, source: Source) -> bool {
        (source as usize) < self.program.objects.len() && self.lives.is_one(ObjectId(source))
    }

    fn is_mortal(&self, source: Source) -> bool {
        (source as usize) >= self.program.objects.len() || self.lives.is_mortal(ObjectId(source))
    }

    /// Objects of this number begin at multiples of this.
    fn alignment(&self, source: Source) -> i64 {
        if (source as usize) < self.program.objects.len() {
            alignment(self.program, ObjectId(source))
        } else {
            1
        }
    }

    /// The place is one of the object's own bytes, so that no other object has it.
    fn is_inside(&self, at: At) -> bool {
        let Some(object) = self.program.objects.get(at.source as usize) else {
            return false;
        };
        let size = object.size.and_then(|size| i64::try_from(size).ok());
        at.stride == 0 && at.residue >= 0 && size.is_some_and(|size| at.residue < size)
    }

    fn operation(&mut self, edge: EdgeId) {
        let program = self.program;
        let op = program.edge_op(edge);
        // Executions go on only where so many bytes are there: a comparison with a number.
        for size in op.counts() {
            self.expose(self.get(size));
        }
        match op {
            Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. }
                if !self.are_known(&op.addresses()) => {}
            Op::Assign(var, value) => self.assign(*var, self.get(*value)),
            Op::Havoc(var, input) => {
                let kind = &program.inputs[input.0 as usize].kind;
                let value = match (is_declared_pointer(program, *var), kind) {
                    (true, InputKind::Uninitialised(_)) => {
                        let classes = &mut self.classes;
                        let source = *self.wild.entry(*var).or_insert_with(|| classes.add());
                        Value {
                            held: Held::NULL,
                            ..self.stand_in(source)
                        }
                    }
                    (true, _) => Value {
                        held: Held::NULL,
                        ..self.stand_in(self.external)
                    },
                    (false, InputKind::Uninitialised(_)) => Value::NUMBER,
                    (false, _) => Value::OUTSIDE,
                };
                self.assign(*var, value);
            }
            Op::Store { address, value, .. } => {
                self.accessed(*address);
                if let Some(&part) = self.homes.stores.get(&edge) {
                    self.put(part, self.get(*value));
                }
            }
            Op::Begin { object, contents } => self.begins(*object, *contents),
            Op::Allocate {
                target,
                object,
                contents,
                ..
            } => {
                self.begins(*object, *contents);
                let value = self.stand_in(object.0);
                self.assign(*target, value);
            }
            Op::Reallocate {
                target,
                object,
                address,
                ..
            } => {
                let value = self.stand_in(object.0);
                self.assign(*target, value);
                // Null has no contents to keep.
                let old = self.get(*address);
                if old.is_pointer() || old.held.number {
                    let old = self.accessed(*address);
                    self.meet(value.set, old);
                }
            }
            Op::Copy { target, source, .. } => {
                let (to, from) = (self.accessed(*target), self.accessed(*source));
                let is_from_outside = self.is_from_outside(from);
                let ranges = self.homes.ranges.get(&edge);
                for range in ranges.into_iter().flatten() {
                    if let Some(source) = range.source {
                        let mut value = self.stored(source);
                        value.held.near = value.held.near.or(Near::NULL);
                        if is_from_outside {
                            value.held = value.held.or(Held::OUTSIDE);
                        }
                        self.put(range.target, value);
                    }
                    // Within the same parts bytes keep their distance from the beginning.
                    if range.extent.is_none() {
                        self.meet(to, from);
                    }
                }
            }
            Op::Fill { target, byte, .. } => {
                self.accessed(*target);
                self.expose(self.get(*byte));
                let is_zero = program.pool.as_constant(*byte) == Some(0);
                let filled = if is_zero { Value::NULL } else { Value::NUMBER };
                let ranges = self.homes.ranges.get(&edge);
                for range in ranges.into_iter().flatten() {
                    self.put(range.target, filled);
                }
            }
            op @ Op::Call { .. } => {
                for (var, binding) in program.bindings(op) {
                    self.assign(var, self.bound(binding));
                }
            }
            Op::Print(print) => {
                if let Some(var) = print.result {
                    for &arg in &print.args {
                        self.expose(self.get(arg));
                    }
                    self.assign(var, Value::NUMBER);
                }
            }
            Op::Skip | Op::Assume(_) | Op::End(_) | Op::Release(_) | Op::Halt(_) => {}
        }
    }

    fn begins(&mut self, object: ObjectId, contents: Contents) {
        if contents == Contents::Outside {
            self.changed |= self.from_outside.insert(object.0);
        }
    }

    /// Whether bytes may lie in one of the places that something outside the program chose: in an
    /// object that begins with them, in the outside's memory, or where numbers lead.
    fn is_from_outside(&self, places: SetId) -> bool {
        let outside = [self.external, self.guessed].map(|source| self.classes.root(source));
        let mut places = self.sets.get(places).iter();
        places.any(|at| {
            self.from_outside.contains(&at.source)
                || outside.contains(&self.classes.root(at.source))
        })
    }

    fn bound(&self, binding: Binding) -> Value {
        match binding {
            Binding::Argument(arg) => self.get(arg),
            Binding::Result(from) => self.vars[from.0 as usize],
        }
    }

    /// What was written to the part. If bytes of several values may meet in it, no pointer in it is
    /// surely one.
    fn stored(&self, part: PartId) -> Value {
        let mut value = self.contents[part.0 as usize];
        value.held.part |= value.is_pointer() && !self.is_whole(part);
        value
    }

    /// The split says that pointers lie in the part undivided, which [`Accesses`] checks.
    fn is_whole(&self, part: PartId) -> bool {
        let bytes = i64::from(self.program.model.pointer_bits() / 8);
        let part = self.homes.parts.get(part.0 as usize);
        part.is_some_and(|part| part.is_whole && part.len == bytes)
    }

    /// Bytes go from any place of one set to any of the other, at the same distance.
    fn meet(&mut self, a: SetId, b: SetId) {
        for (a, b) in self.pairs(a, b) {
            self.classes.relate(a, b);
        }
    }

    /// Enough pairs to relate each of one set to each of the other.
    fn pairs(&self, a: SetId, b: SetId) -> Vec<(At, At)> {
        let (a, b) = (self.sets.get(a), self.sets.get(b));
        let (Some(&first), Some(&second)) = (a.first(), b.first()) else {
            return Vec::new();
        };
        if a.len() * b.len() <= MAX_PAIRS {
            return a.iter().flat_map(|p| b.iter().map(|q| (*p, *q))).collect();
        }
        let left = a.iter().map(|p| (*p, second));
        left.chain(b.iter().map(|q| (first, *q))).collect()
    }

    fn size(&self, size: ExprId) -> Size {
        let pool = &self.program.pool;
        let bytes = pool.as_constant(size);
        match bytes.and_then(|bytes| i64::try_from(bytes).ok()) {
            Some(bytes) => Size::Bytes(bytes),
            None => Size::MultipleOf(stride_of(pool, size, self.program.model)),
        }
    }

    /// Where memory is watched and executions end at a check that is not asked for, or at a release
    /// of what is no live object, they must do so rightly: a pointer that leads to an object which
    /// the check does not ask for would end executions that C has, and what comes later would be
    /// proved for too few.
    fn nothing_left_out(&mut self) -> Result<(), Rejection> {
        let program = self.program;
        let Some(watched) = &program.watched else {
            return Ok(());
        };
        let errors: FxHashSet<LocId> = program.errors.iter().map(|&(error, _)| error).collect();
        for relied in &watched.faults.relied {
            if relied.error.is_some_and(|error| errors.contains(&error)) {
                continue;
            }
            let reached = self.accessed(relied.address);
            let objects = (0..program.objects.len() as u32).map(ObjectId);
            let is_listed = |object: ObjectId| match program.object(object).kind {
                // It has no bytes.
                ObjectKind::Function(_) => true,
                ObjectKind::External => relied.outside,
                _ => relied.objects.contains(&object),
            };
            let is_asked_for = self.sets.get(reached).iter().all(|at| {
                let source = at.source;
                if (source as usize) < program.objects.len() {
                    return is_listed(ObjectId(source));
                }
                // A stand-in leads to all objects of its class.
                let class = self.classes.root(source);
                let mut met = objects
                    .clone()
                    .filter(|object| self.classes.root(object.0) == class);
                (relied.outside || source != self.external) && met.all(is_listed)
            });
            if !is_asked_for {
                let place = program.describe(relied.span);
                return Err(Rejection::Unfinished(format!(
                    "{place}: a pointer may lead to an object that its check does not ask for"
                )));
            }
        }
        Ok(())
    }

    /// Everything that may be hit, by whom.
    fn collect(&mut self, accesses: &mut Accesses<'_>) {
        let program = self.program;
        for number in 0..program.pool.len() as u32 {
            let id = ExprId(number);
            if let Node::Load { address, .. } = program.pool.node(id) {
                let hit = self.accessed(address);
                let part = self.homes.loads.get(number as usize).copied().flatten();
                let len = program.pool.ty(id).bytes() as i64;
                accesses.load(self.sets.get(hit), len, part);
            }
        }
        for number in 0..program.edges.len() as u32 {
            let edge = EdgeId(number);
            let span = program.edge(edge).span;
            let ranges = self.homes.ranges.get(&edge).map_or(&[][..], Vec::as_slice);
            match program.edge_op(edge) {
                Op::Store { address, value, .. } => {
                    let hit = self.accessed(*address);
                    let len = program.pool.ty(*value).bytes() as i64;
                    let part = self.homes.stores.get(&edge).copied();
                    accesses.store(self.sets.get(hit), len, part, span);
                }
                Op::Copy {
                    target,
                    source,
                    size,
                    ..
                } => {
                    let (to, from) = (self.accessed(*target), self.accessed(*source));
                    let size = self.size(*size);
                    let (to, from) = (self.sets.get(to), self.sets.get(from));
                    accesses.range(to, size, ranges, span);
                    accesses.copied_from(from, size, ranges, span);
                }
                Op::Fill { target, size, .. } => {
                    let to = self.accessed(*target);
                    let size = self.size(*size);
                    accesses.range(self.sets.get(to), size, ranges, span);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
