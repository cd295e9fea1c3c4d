//! How objects come and go: what the ghosts are told, and what is wrong with a release or with the
//! end of the program.

use super::ghosts::{Ghost, Slot, is_set, new_variable};
use super::library::keeps;
use super::{Point, Watch};
use cfa::expr::{ExprId, Node, VarId};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::{Halt, InputKind, Op};
use cfa::program::{EdgeId, ErrorKind, LocId, Program, VariableKind};
use cfa::value::Ty;
use lowering::property::Check;

const TOO_MANY: &str = "more objects of one allocation alive than are told apart";

impl Watch<'_> {
    /// What an operation does to the ghosts when it is done.
    pub(super) fn behind(&mut self, edge: EdgeId) {
        match *self.rewriter.program.edge_op(edge) {
            Op::Begin { object, .. } => self.object_begins(edge, object),
            Op::Allocate {
                target,
                object,
                size,
                ..
            } => self.fill_slot(edge, target, object, size),
            Op::Reallocate {
                target,
                object,
                size,
                ..
            } => self.fill_slot(edge, target, object, size),
            Op::End(object) => {
                if let Ghost::Once(lives) = self.ghosts.of_object[object.0 as usize] {
                    let (point, target) = self.extend(edge);
                    let zero = self.rewriter.program.pool.zero(Ty::U8);
                    self.goes_to(point, target, Op::Assign(lives, zero));
                }
            }
            Op::Havoc(answer, input) => {
                let kind = self.rewriter.program.inputs[input.0 as usize].kind.clone();
                if let InputKind::Asked { question, operands } = kind {
                    self.answer(edge, answer, question, &operands);
                }
            }
            _ => {}
        }
    }

    fn object_begins(&mut self, edge: EdgeId, object: ObjectId) {
        let pointer = self.rewriter.program.pointer_ty();
        match self.ghosts.of_object[object.0 as usize].clone() {
            Ghost::Once(lives) => {
                let (point, target) = self.extend(edge);
                let one = self.rewriter.program.pool.constant(1, Ty::U8);
                self.goes_to(point, target, Op::Assign(lives, one));
            }
            Ghost::Several(slots) => {
                let (point, target) = self.extend(edge);
                let base = self.rewriter.program.pool.address(object, pointer);
                self.take_slot(point, target, &slots, base, None, false);
            }
            Ghost::Always | Ghost::Never => {}
        }
    }

    fn fill_slot(&mut self, edge: EdgeId, target: VarId, object: ObjectId, size: ExprId) {
        let slots = self.ghosts.slots(object).to_vec();
        let is_single = self.ghosts.single.contains(&edge);
        let pointer = self.rewriter.program.pointer_ty();
        let (point, behind) = self.extend(edge);
        let size = match self.rewriter.program.pool.node(size) {
            Node::Const(_) => size,
            Node::Var(var) if var != target => size,
            _ => {
                let ty = self.rewriter.program.pool.ty(size);
                let var = new_variable(&mut self.rewriter, "bytes wanted".into(), ty);
                self.kept_sizes.insert(edge, var);
                self.rewriter.program.pool.variable(var, ty)
            }
        };
        let pool = &mut self.rewriter.program.pool;
        let base = pool.variable(target, pointer);
        let size = pool.convert(size, pointer);
        self.take_slot(point, behind, &slots, base, Some(size), is_single);
    }

    /// The first empty slot gets the object.
    fn take_slot(
        &mut self,
        mut point: Point,
        behind: LocId,
        slots: &[Slot],
        base: ExprId,
        size: Option<ExprId>,
        is_empty: bool,
    ) {
        let pointer = self.rewriter.program.pointer_ty();
        for slot in slots {
            let mut here = point;
            if !is_empty {
                let taken = is_set(&mut self.rewriter.program.pool, slot.base, pointer);
                let (yes, no) = self.branch(point, taken);
                (point, here) = (yes, no);
            }
            if let (Some(var), Some(size)) = (slot.size, size) {
                here = self.then(here, Op::Assign(var, size));
            }
            self.goes_to(here, behind, Op::Assign(slot.base, base));
            if is_empty {
                return;
            }
        }
        self.not_followed(point, TOO_MANY);
    }

    /// The size of an allocation whose result overwrites a part of it is kept for the ghosts.
    pub(super) fn keep_size(&mut self, point: Point, edge: EdgeId, size: ExprId) -> Point {
        match self.kept_sizes.get(&edge) {
            Some(&var) => self.then(point, Op::Assign(var, size)),
            None => point,
        }
    }

    /// Empties the slot of the object that is released; an error if there is none.
    pub(super) fn release(
        &mut self,
        point: Point,
        edge: EdgeId,
        address: ExprId,
        may_be_null: bool,
    ) -> Point {
        let pointer = self.rewriter.program.pointer_ty();
        let node = self.points_to.address(address).node;
        let objects = self.points_to.shapes.node(node).objects.clone();
        let done = self.location(point);
        let mut here = point;
        if may_be_null {
            let pool = &mut self.rewriter.program.pool;
            let zero = pool.zero(pool.ty(address));
            let some = pool.ne(address, zero);
            let (yes, no) = self.branch(point, some);
            self.goes_to(no, done.at, Op::Skip);
            here = yes;
        }
        // The address may be read from the object that is released, but not from the ghosts.
        for (object, _) in objects {
            let info = &self.rewriter.program.objects[object.0 as usize];
            if info.kind != ObjectKind::Heap || keeps(&self.rewriter.program, object) {
                continue;
            }
            for slot in self.ghosts.slots(object).to_vec() {
                let pool = &mut self.rewriter.program.pool;
                let base = pool.variable(slot.base, pointer);
                let lives = is_set(pool, slot.base, pointer);
                let is_start = self.is_start(address, base);
                let pool = &mut self.rewriter.program.pool;
                let is_it = pool.and(lives, is_start);
                let (yes, no) = self.branch(here, is_it);
                let zero = self.rewriter.program.pool.zero(pointer);
                self.goes_to(yes, done.at, Op::Assign(slot.base, zero));
                here = no;
            }
        }
        if self.wants(Check::Free) {
            let error = self.error(here, ErrorKind::InvalidFree);
            self.goes_to(here, error, Op::Skip);
            self.faults.releases.insert(edge, error);
            self.rely(here, Some(error), address);
            // Memory that others have allocated is not watched.
            if self.points_to.is_outside(node) {
                self.faults.approximate.insert(error, done.at);
            }
        } else if self.points_to.is_outside(node) {
            // What others have allocated may be released, and nobody asks whether it was.
            self.goes_to(here, done.at, Op::Skip);
        } else {
            self.rely(here, None, address);
            let end = self.location(here);
            let halt = Halt::Undefined("release of what is no live object of the heap".into());
            self.goes_to(here, end.at, Op::Halt(halt));
        }
        done
    }

    fn is_start(&mut self, address: ExprId, base: ExprId) -> ExprId {
        let offset = self.offset(address, base);
        let pool = &mut self.rewriter.program.pool;
        let one = pool.constant(1, pool.ty(offset));
        pool.lt(offset, one)
    }

    /// Before the end of an object that has slots.
    pub(super) fn object_ends(&mut self, point: Point, object: ObjectId) -> Point {
        let Ghost::Several(slots) = self.ghosts.of_object[object.0 as usize].clone() else {
            return point;
        };
        let pointer = self.rewriter.program.pointer_ty();
        let info = &self.rewriter.program.objects[object.0 as usize];
        let is_local = matches!(info.kind, ObjectKind::Local(_));
        let zero = self.rewriter.program.pool.zero(pointer);
        if !is_local {
            let mut point = point;
            for slot in slots {
                point = self.then(point, Op::Assign(slot.base, zero));
            }
            return point;
        }
        let address = self.rewriter.program.pool.address(object, pointer);
        let done = self.location(point);
        let mut here = point;
        for slot in slots {
            let base = self.rewriter.program.pool.variable(slot.base, pointer);
            let is_start = self.is_start(address, base);
            let (yes, no) = self.branch(here, is_start);
            self.goes_to(yes, done.at, Op::Assign(slot.base, zero));
            here = no;
        }
        self.goes_to(here, done.at, Op::Skip);
        done
    }

    /// Where the program ends: what lives then is not freed, or lost.
    pub(super) fn ends(&mut self, given: &Program) {
        let (lost, kept) = (self.wants(Check::Memtrack), self.wants(Check::Memcleanup));
        if !lost && !kept {
            return;
        }
        let kind = match kept {
            true => ErrorKind::NotFreed,
            false => ErrorKind::Lost,
        };
        let exit = given.function(given.entry).exit;
        for number in 0..given.edges.len() as u32 {
            let edge = EdgeId(number);
            let is_end = match given.edge_op(edge) {
                Op::Halt(Halt::Exit(_)) => true,
                // Nothing is freed afterwards; what the stack leads to is not lost.
                Op::Halt(Halt::Abort) => kind == ErrorKind::NotFreed,
                _ => false,
            };
            if is_end {
                let edge = self.rewriter.program.edge(edge);
                let (source, span) = (edge.source, edge.span);
                let (point, rest) = self.open(source, span);
                let point = self.nothing_is_left(point, kind);
                self.close(point, rest);
            } else if given.edge(edge).target == exit {
                let (point, target) = self.extend(edge);
                let point = self.nothing_is_left(point, kind);
                self.goes_to(point, target, Op::Skip);
            }
        }
    }

    fn nothing_is_left(&mut self, mut point: Point, kind: ErrorKind) -> Point {
        let pointer = self.rewriter.program.pointer_ty();
        let error = self.error(point, kind);
        match kind {
            ErrorKind::NotFreed => self.faults.not_freed.get_or_insert(error),
            _ => self.faults.lost.get_or_insert(error),
        };
        for number in 0..self.rewriter.program.objects.len() {
            let object = ObjectId(number as u32);
            let program = &self.rewriter.program;
            if program.objects[number].kind != ObjectKind::Heap || keeps(program, object) {
                continue;
            }
            for slot in self.ghosts.slots(object).to_vec() {
                let mut left = is_set(&mut self.rewriter.program.pool, slot.base, pointer);
                if kind == ErrorKind::Lost {
                    left = self.unless_held(left, object, slot.base);
                }
                let (yes, no) = self.branch(point, left);
                self.goes_to(yes, error, Op::Skip);
                point = no;
            }
        }
        point
    }

    /// A global variable that is no memory holds the start of the object.
    fn unless_held(&mut self, mut left: ExprId, object: ObjectId, base: VarId) -> ExprId {
        let pointer = self.rewriter.program.pointer_ty();
        let node = self.points_to.object(object);
        let node = self.points_to.shapes.find(node).node;
        for number in 0..self.rewriter.program.vars.len() {
            let var = &self.rewriter.program.vars[number];
            if var.kind != VariableKind::Global || var.ty != pointer {
                continue;
            }
            let pool = &mut self.rewriter.program.pool;
            let held = pool.variable(VarId(number as u32), pointer);
            if !self.points_to.leads_to(held, node) {
                continue;
            }
            let base = pool.variable(base, pointer);
            let is_start = self.is_start(held, base);
            let pool = &mut self.rewriter.program.pool;
            let is_not = pool.not(is_start);
            left = pool.and(left, is_not);
        }
        left
    }
}
