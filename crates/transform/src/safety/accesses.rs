//! Checks before accesses: loads in expressions, stores, copies, fills, output of strings.

use super::ghosts::{Ghost, is_set};
use super::library::{accesses_unseen, closes_stream, streams};
use super::{Point, Watch};
use cfa::expr::{ExprId, Node};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::{Op, Print, PrintKind};
use cfa::outside;
use cfa::program::{EdgeId, ErrorKind, LocId, Program, Relied};
use cfa::value::Ty;
use lowering::place::TEMPORARY_VALUE;
use lowering::property::Check;
use lowering::undefined::named_place;
use rustc_hash::{FxHashMap, FxHashSet};

/// More objects than this are not asked for one by one.
const MAX_OBJECTS: usize = 400;

/// So many bytes from an address on, to be read or written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Access {
    address: ExprId,
    bytes: Bytes,
    writes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Bytes {
    Constant(u64),
    Variable(ExprId),
}

/// Accesses that were asked for, with the error that an invalid one leads to.
#[derive(Clone, Default)]
pub(super) struct Checked {
    found: FxHashMap<Access, Option<LocId>>,
}

/// What the accesses that are asked for at one location have in common.
#[derive(Default)]
struct Here {
    error: Option<LocId>,
    /// Not every object that they may be to is watched.
    is_approximate: bool,
}

/// Whether an access is valid.
enum Validity {
    Always,
    If(ExprId),
    /// Too many objects to ask for.
    NotAsked,
}

impl Watch<'_> {
    /// Checks in front of what leads on from a location.
    pub(super) fn before(&mut self, given: &Program, location: LocId) {
        let outgoing = given.location(location).outgoing.clone();
        let Some(&first) = outgoing.first() else {
            return;
        };
        let span = given.edge(first).span;
        let function = given.location(location).function;
        // Initialisers write where nothing else may.
        if function == given.entry && !self.calls_or_ends(given, location) {
            return;
        }
        let (start, rest) = self.open(location, span);
        let mut point = start;
        let ops: Vec<(EdgeId, Op)> = outgoing
            .iter()
            .map(|&edge| (edge, given.edge_op(edge).clone()))
            .collect();
        if self.wants(Check::Deref) {
            let is_model = given.function(function).is_library_model;
            point = self.accesses(given, location, point, &ops, is_model);
        }
        for (edge, op) in ops {
            match op {
                Op::Release(address) => point = self.release(point, edge, address, true),
                Op::Reallocate { address, size, .. } => {
                    point = self.keep_size(point, edge, size);
                    point = self.release(point, edge, address, false);
                }
                Op::Allocate { size, .. } => point = self.keep_size(point, edge, size),
                Op::End(object) => point = self.object_ends(point, object),
                _ => {}
            }
        }
        self.close(point, rest);
    }

    /// Asks for the accesses of all operations of a location. They share one error location, so
    /// that it is known which one an execution comes to, whichever access is invalid in it.
    fn accesses(
        &mut self,
        given: &Program,
        location: LocId,
        mut point: Point,
        ops: &[(EdgeId, Op)],
        is_model: bool,
    ) -> Point {
        let mut checked = self.inherited(given, location);
        let all: Vec<(EdgeId, Vec<Access>)> = ops
            .iter()
            .map(|(edge, op)| (*edge, accesses(given, op)))
            .collect();
        // What was asked before is asked again beside something else.
        let known: FxHashSet<Option<LocId>> = all
            .iter()
            .flat_map(|(_, accesses)| accesses)
            .map(|access| checked.found.get(access).copied().flatten())
            .collect();
        if known.len() > 1 {
            for access in all.iter().flat_map(|(_, accesses)| accesses) {
                checked.found.remove(access);
            }
        }
        let mut here = Here::default();
        for ((edge, accesses), (_, op)) in all.iter().zip(ops) {
            let mut failing = None;
            for access in accesses {
                point = self.access(point, *access, &mut checked, &mut here);
                failing = failing.or(checked.found.get(access).copied().flatten());
            }
            if !is_model && let Some(name) = accesses_unseen(given, op) {
                let what = format!("what `{name}` reads or writes");
                self.unseen(point, &what);
            }
            if !is_model {
                point = self.uses_streams(given, point, op);
            }
            if let Op::Print(print) = op
                && self.prints_strings(print)
            {
                failing = Some(self.string_output(point, &mut here));
            }
            if let Some(error) = failing {
                self.faults.accesses.insert(*edge, error);
            }
        }
        if let (Some(error), true) = (here.error, here.is_approximate) {
            self.faults.approximate.insert(error, point.at);
        }
        self.checked.insert(location, checked);
        point
    }

    /// A function of the library reads and writes the streams that it is given: those must be open.
    fn uses_streams(&mut self, given: &Program, mut point: Point, op: &Op) -> Point {
        for stream in streams(given, op) {
            let model = self.rewriter.program.model;
            let pool = &mut self.rewriter.program.pool;
            let mut is_open = outside::holds(pool, stream, model);
            if let Some(closed) = self.ghosts.stream_closed {
                let closed = is_set(pool, closed, Ty::U8);
                let not_closed = pool.not(closed);
                is_open = pool.and(is_open, not_closed);
            }
            let (yes, no) = self.branch(point, is_open);
            self.unseen(no, "a stream that may be none, or closed");
            point = yes;
        }
        match self.ghosts.stream_closed {
            Some(closed) if closes_stream(given, op) => {
                let one = self.rewriter.program.pool.constant(1, Ty::U8);
                self.then(point, Op::Assign(closed, one))
            }
            _ => point,
        }
    }

    fn calls_or_ends(&self, given: &Program, location: LocId) -> bool {
        let mut outgoing = given.location(location).outgoing.iter();
        outgoing.any(|&edge| matches!(given.edge_op(edge), Op::Call { .. } | Op::Halt(_)))
    }

    /// What was asked on the only way here, if nothing has changed on it.
    fn inherited(&self, given: &Program, location: LocId) -> Checked {
        let here = given.location(location);
        let [edge] = here.incoming[..] else {
            return Checked::default();
        };
        // Calls lead to it as well.
        if given.function(here.function).entry == location {
            return Checked::default();
        }
        match given.edge_op(edge) {
            Op::Assume(_) | Op::Skip => {
                let before = self.checked.get(&given.edge(edge).source);
                before.cloned().unwrap_or_default()
            }
            _ => Checked::default(),
        }
    }

    /// Asks whether one access is valid; an error if not.
    fn access(
        &mut self,
        point: Point,
        access: Access,
        checked: &mut Checked,
        here: &mut Here,
    ) -> Point {
        if checked.found.contains_key(&access) {
            return point;
        }
        match self.validity(point, access) {
            Validity::Always => point,
            Validity::NotAsked => {
                let error = self.error_of(point, here);
                self.not_followed_there(point, "an access to one of very many objects", error);
                checked.found.insert(access, Some(error));
                point
            }
            Validity::If(valid) => {
                let (yes, no) = self.branch(point, valid);
                let error = self.error_of(point, here);
                self.goes_to(no, error, Op::Skip);
                self.rely(point, Some(error), access.address);
                here.is_approximate |= self.is_approximate(access);
                checked.found.insert(access, Some(error));
                yes
            }
        }
    }

    /// Notes that executions end where the pointer points into another object than the points-to
    /// analysis says.
    pub(super) fn rely(&mut self, point: Point, error: Option<LocId>, address: ExprId) {
        let pool = &self.rewriter.program.pool;
        if let Node::Ite(_, a, b) = pool.node(address) {
            self.rely(point, error, a);
            self.rely(point, error, b);
            return;
        }
        let node = self.points_to.address(address).node;
        let objects = self.points_to.shapes.node(node).objects.iter();
        let objects = objects.map(|&(object, _)| object).collect();
        self.faults.relied.push(Relied {
            error,
            address,
            objects,
            outside: self.points_to.is_outside(node),
            span: point.span,
        });
    }

    /// The error location of the accesses that are asked for together.
    fn error_of(&mut self, point: Point, here: &mut Here) -> LocId {
        match here.error {
            Some(error) => error,
            None => {
                let error = self.error(point, ErrorKind::InvalidAccess);
                here.error = Some(error);
                error
            }
        }
    }

    /// Whether an access may be valid although the ghosts do not say so: to an object whose size
    /// nobody knows, or to memory outside the program.
    fn is_approximate(&mut self, access: Access) -> bool {
        let node = self.points_to.address(access.address).node;
        if self.points_to.is_outside(node) {
            return true;
        }
        let mut objects = self.points_to.shapes.node(node).objects.iter();
        objects.any(|&(object, _)| {
            let info = &self.rewriter.program.objects[object.0 as usize];
            match self.ghosts.of_object[object.0 as usize] {
                Ghost::Never => true,
                Ghost::Always | Ghost::Once(_) => info.size.is_none(),
                Ghost::Several(_) => false,
            }
        })
    }

    fn validity(&mut self, point: Point, access: Access) -> Validity {
        let Access {
            address, writes, ..
        } = access;
        let pool = &mut self.rewriter.program.pool;
        if let Node::Ite(condition, a, b) = pool.node(address) {
            let mut half = |address| match self.validity(point, Access { address, ..access }) {
                Validity::Always => Some(self.rewriter.program.pool.bool_constant(true)),
                Validity::If(valid) => Some(valid),
                Validity::NotAsked => None,
            };
            let (Some(a), Some(b)) = (half(a), half(b)) else {
                return Validity::NotAsked;
            };
            let pool = &mut self.rewriter.program.pool;
            let valid = pool.ite(condition, a, b);
            return self.if_not_always(valid);
        }
        if let Some((object, offset)) = named_place(pool, address) {
            let info = &self.rewriter.program.objects[object.0 as usize];
            let is_here = match info.kind {
                ObjectKind::Global | ObjectKind::StringLiteral => true,
                // A name is only used in its scope.
                ObjectKind::Local(function) => function == point.function,
                _ => false,
            };
            if is_here && let Some(size) = info.size {
                if writes && info.read_only {
                    let never = self.rewriter.program.pool.bool_constant(false);
                    return Validity::If(never);
                }
                let valid = self.fits_constant(offset, size, access.bytes);
                return self.if_not_always(valid);
            }
        }
        let node = self.points_to.address(address).node;
        let objects: Vec<ObjectId> = self
            .points_to
            .shapes
            .node(node)
            .objects
            .iter()
            .map(|&(object, _)| object)
            .collect();
        if objects.len() > MAX_OBJECTS {
            return Validity::NotAsked;
        }
        let mut valid = self.rewriter.program.pool.bool_constant(false);
        for object in objects {
            let info = &self.rewriter.program.objects[object.0 as usize];
            // The value of an expression is gone at its end, and nobody watches that.
            if writes && info.read_only || info.name == TEMPORARY_VALUE {
                continue;
            }
            let inside = self.is_inside(object, access);
            valid = self.rewriter.program.pool.or(valid, inside);
        }
        if self.points_to.is_outside(node) {
            let inside = self.is_outside(access);
            valid = self.rewriter.program.pool.or(valid, inside);
        }
        let valid = self.unless_empty(access.bytes, valid);
        self.if_not_always(valid)
    }

    fn if_not_always(&self, valid: ExprId) -> Validity {
        match self.rewriter.program.pool.as_bool(valid) {
            Some(true) => Validity::Always,
            _ => Validity::If(valid),
        }
    }

    /// An operation on no bytes accesses nothing.
    fn unless_empty(&mut self, bytes: Bytes, valid: ExprId) -> ExprId {
        match bytes {
            Bytes::Constant(0) => self.rewriter.program.pool.bool_constant(true),
            Bytes::Constant(_) => valid,
            Bytes::Variable(bytes) => {
                let pool = &mut self.rewriter.program.pool;
                let some = pool.truth(bytes);
                let none = pool.not(some);
                pool.or(none, valid)
            }
        }
    }

    /// The bytes from the offset on lie in an object of a constant size.
    fn fits_constant(&mut self, offset: ExprId, size: u64, bytes: Bytes) -> ExprId {
        let pool = &mut self.rewriter.program.pool;
        let ty = pool.ty(offset);
        match bytes {
            Bytes::Constant(0) => pool.bool_constant(true),
            Bytes::Constant(bytes) => match size.checked_sub(bytes) {
                None => pool.bool_constant(false),
                Some(last) => {
                    let last = pool.constant(last.into(), ty);
                    pool.le(offset, last)
                }
            },
            Bytes::Variable(bytes) => {
                let size = pool.constant(size.into(), ty);
                let fits = self.fits(offset, size, bytes);
                self.unless_empty(Bytes::Variable(bytes), fits)
            }
        }
    }

    /// `bytes <= size` and `offset <= size - bytes`, without overflow.
    fn fits(&mut self, offset: ExprId, size: ExprId, bytes: ExprId) -> ExprId {
        let pool = &mut self.rewriter.program.pool;
        let bytes = pool.convert(bytes, pool.ty(size));
        let enough = pool.le(bytes, size);
        let room = pool.sub(size, bytes);
        let inside = pool.le(offset, room);
        pool.and(enough, inside)
    }

    /// The distance of an address from the start of an object.
    pub(super) fn offset(&mut self, address: ExprId, base: ExprId) -> ExprId {
        let pool = &mut self.rewriter.program.pool;
        let offset = pool.sub(address, base);
        if offset.0 as usize >= self.own_expressions {
            pool.mark_object_offset(offset);
        }
        offset
    }

    /// The access lies in a live object of this id.
    fn is_inside(&mut self, object: ObjectId, access: Access) -> ExprId {
        let ghost = self.ghosts.of_object[object.0 as usize].clone();
        let pointer = self.rewriter.program.pointer_ty();
        let size = self.rewriter.program.objects[object.0 as usize].size;
        match ghost {
            Ghost::Never => self.rewriter.program.pool.bool_constant(false),
            Ghost::Always | Ghost::Once(_) => {
                let base = self.rewriter.program.pool.address(object, pointer);
                let offset = self.offset(access.address, base);
                let fits = self.fits_constant(offset, size.unwrap_or(0), access.bytes);
                match ghost {
                    Ghost::Once(lives) => {
                        let pool = &mut self.rewriter.program.pool;
                        let ty = cfa::value::Ty::U8;
                        let lives = is_set(pool, lives, ty);
                        pool.and(lives, fits)
                    }
                    _ => fits,
                }
            }
            Ghost::Several(slots) => {
                let mut any = self.rewriter.program.pool.bool_constant(false);
                for slot in slots {
                    let pool = &mut self.rewriter.program.pool;
                    let base = pool.variable(slot.base, pointer);
                    let lives = is_set(pool, slot.base, pointer);
                    let offset = self.offset(access.address, base);
                    let fits = match slot.size {
                        None => self.fits_constant(offset, size.unwrap_or(0), access.bytes),
                        Some(size) => {
                            let pool = &mut self.rewriter.program.pool;
                            let size = pool.variable(size, pointer);
                            let bytes = match access.bytes {
                                Bytes::Constant(bytes) => pool.constant(bytes.into(), pointer),
                                Bytes::Variable(bytes) => bytes,
                            };
                            self.fits(offset, size, bytes)
                        }
                    };
                    let pool = &mut self.rewriter.program.pool;
                    let inside = pool.and(lives, fits);
                    any = pool.or(any, inside);
                }
                any
            }
        }
    }

    /// The first and the last byte lie in the memory outside the program.
    fn is_outside(&mut self, access: Access) -> ExprId {
        let model = self.rewriter.program.model;
        let pool = &mut self.rewriter.program.pool;
        let Bytes::Constant(bytes) = access.bytes else {
            return pool.bool_constant(false);
        };
        let first = outside::holds(pool, access.address, model);
        let last = pool.constant(u128::from(bytes.max(1) - 1), pool.ty(access.address));
        let last = pool.add(access.address, last);
        let last = outside::holds(pool, last, model);
        pool.and(first, last)
    }

    /// Whether the output reads a text that may not end inside its object.
    fn prints_strings(&self, print: &Print) -> bool {
        let pool = &self.rewriter.program.pool;
        let is_literal = |&arg: &ExprId| match pool.node(arg) {
            Node::Address(object) => {
                let object = &self.rewriter.program.objects[object.0 as usize];
                object.kind == ObjectKind::StringLiteral
            }
            _ => false,
        };
        match &print.kind {
            PrintKind::Char => false,
            PrintKind::Line | PrintKind::Text | PrintKind::UnknownFormat => {
                !print.args.iter().all(is_literal)
            }
            PrintKind::Format(format) => {
                reads_text(format)
                    && !print.args.iter().all(|arg| {
                        // Numbers are no addresses of texts; which of the arguments is one is not told.
                        is_literal(arg) || pool.ty(*arg) != self.rewriter.program.pointer_ty()
                    })
            }
        }
    }

    /// Formulas do not say where a text ends: executions alone find its violations.
    fn string_output(&mut self, point: Point, here: &mut Here) -> LocId {
        let error = self.error_of(point, here);
        self.not_followed_there(point, "output of a text that may have no end", error);
        error
    }
}

/// Whether a format has a conversion `%s`.
fn reads_text(format: &[u8]) -> bool {
    let mut letters = format.iter();
    while let Some(&letter) = letters.next() {
        if letter != b'%' {
            continue;
        }
        for &letter in letters.by_ref() {
            match letter {
                b's' | b'S' => return true,
                b'%' => break,
                letter if letter.is_ascii_alphabetic() && !b"hlLqjzt".contains(&letter) => break,
                _ => {}
            }
        }
    }
    false
}

/// The accesses of an operation, in the order in which it makes them.
fn accesses(program: &Program, op: &Op) -> Vec<Access> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for expr in op.expressions() {
        loads(program, expr, &mut seen, &mut found);
    }
    let bytes = |size: ExprId| match program.pool.as_constant(size) {
        Some(bytes) => Bytes::Constant(u64::try_from(bytes).unwrap_or(u64::MAX)),
        None => Bytes::Variable(size),
    };
    let mut add = |address, bytes, writes| {
        found.push(Access {
            address,
            bytes,
            writes,
        });
    };
    match *op {
        Op::Store { address, value, .. } => {
            let bytes = Bytes::Constant(program.pool.ty(value).bytes());
            add(address, bytes, true);
        }
        Op::Copy {
            target,
            source,
            size,
            ..
        } => {
            add(source, bytes(size), false);
            add(target, bytes(size), true);
        }
        Op::Fill { target, size, .. } => add(target, bytes(size), true),
        _ => {}
    }
    found
}

/// The loads of an expression, inner ones first.
fn loads(program: &Program, root: ExprId, seen: &mut FxHashSet<ExprId>, found: &mut Vec<Access>) {
    let mut open = vec![(root, false)];
    while let Some((expr, is_done)) = open.pop() {
        if is_done {
            if let Node::Load { address, .. } = program.pool.node(expr) {
                found.push(Access {
                    address,
                    bytes: Bytes::Constant(program.pool.ty(expr).bytes()),
                    writes: false,
                });
            }
            continue;
        }
        if !program.pool.reads_memory(expr) || !seen.insert(expr) {
            continue;
        }
        open.push((expr, true));
        let children: Vec<ExprId> = program.pool.node(expr).children().collect();
        open.extend(children.into_iter().rev().map(|child| (child, false)));
    }
}
