//! Answers to what a program asks about its memory (`__CPROVER_r_ok`, `__CPROVER_same_object`, …).
//!
//! An answer is any value, of which is assumed what the ghosts know: "if the pointer points into
//! this live object, then …". Nothing follows where it points into no object that the points-to
//! analysis names, so that analysis is not trusted here either.

use super::ghosts::{Ghost, is_set};
use super::{Point, Watch};
use cfa::expr::{ExprId, VarId};
use cfa::memory::ObjectId;
use cfa::op::Op;
use cfa::program::EdgeId;
use cfa::value::Ty;
use syntax::typed::Question;

/// More objects than this are not told apart.
const MAX_OBJECTS: usize = 100;

/// An object that may live.
#[derive(Clone, Copy)]
struct Instance {
    object: ObjectId,
    lives: ExprId,
    base: ExprId,
    size: ExprId,
}

impl Watch<'_> {
    /// Assumes of the answer to a question what is known.
    pub(super) fn answer(
        &mut self,
        edge: EdgeId,
        answer: VarId,
        question: Question,
        operands: &[VarId],
    ) {
        let value = self.value_of(answer);
        let known = match (question, operands) {
            (Question::Readable, &[address, bytes]) => self.room(value, address, bytes, false),
            (Question::Writable, &[address, bytes]) => self.room(value, address, bytes, true),
            (Question::SameObject, &[a, b]) => self.same_object(value, a, b),
            (Question::ObjectSize, &[address]) => self.of_instance(value, address, |watch, one| {
                let ty = watch.rewriter.program.pool.ty(value);
                watch.rewriter.program.pool.convert(one.size, ty)
            }),
            (Question::Offset, &[address]) => self.of_instance(value, address, |watch, one| {
                let ty = watch.rewriter.program.pool.ty(value);
                let address = watch.value_of(address);
                let offset = watch.offset(address, one.base);
                watch.rewriter.program.pool.convert(offset, ty)
            }),
            _ => return,
        };
        let (point, target): (Point, _) = self.extend(edge);
        self.goes_to(point, target, Op::Assume(known));
    }

    fn value_of(&mut self, var: VarId) -> ExprId {
        let program = &mut self.rewriter.program;
        let ty = program.vars[var.0 as usize].ty;
        program.pool.variable(var, ty)
    }

    /// What a pointer may point into, by the points-to analysis.
    fn instances(&mut self, address: VarId) -> Vec<Instance> {
        let Some(pointer) = self.points_to.variable(address) else {
            return Vec::new();
        };
        let node = self.points_to.shapes.find(pointer).node;
        let objects = self.points_to.shapes.node(node).objects.iter();
        let mut objects: Vec<ObjectId> = objects.map(|&(object, _)| object).collect();
        objects.sort_unstable();
        objects.dedup();
        if objects.len() > MAX_OBJECTS {
            return Vec::new();
        }
        let pointer = self.rewriter.program.pointer_ty();
        let mut found = Vec::new();
        for object in objects {
            let ghost = self.ghosts.of_object[object.0 as usize].clone();
            let program = &mut self.rewriter.program;
            let size = program.objects[object.0 as usize].size;
            let pool = &mut program.pool;
            let constant = size.map(|size| pool.constant(size.into(), pointer));
            match (ghost, constant) {
                (Ghost::Always, Some(size)) => found.push(Instance {
                    object,
                    lives: pool.bool_constant(true),
                    base: pool.address(object, pointer),
                    size,
                }),
                (Ghost::Once(lives), Some(size)) => found.push(Instance {
                    object,
                    lives: is_set(pool, lives, Ty::U8),
                    base: pool.address(object, pointer),
                    size,
                }),
                (Ghost::Several(slots), constant) => {
                    for slot in slots {
                        let pool = &mut self.rewriter.program.pool;
                        let size = slot.size.map(|size| pool.variable(size, pointer));
                        let Some(size) = size.or(constant) else {
                            continue;
                        };
                        found.push(Instance {
                            object,
                            lives: is_set(pool, slot.base, pointer),
                            base: pool.variable(slot.base, pointer),
                            size,
                        });
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The pointer points into the object, or behind its last byte.
    fn points_into(&mut self, address: VarId, one: Instance) -> ExprId {
        let address = self.value_of(address);
        let offset = self.offset(address, one.base);
        let pool = &mut self.rewriter.program.pool;
        let inside = pool.le(offset, one.size);
        pool.and(one.lives, inside)
    }

    /// The answer is the value for each object into which the pointer points.
    fn of_instance(
        &mut self,
        answer: ExprId,
        address: VarId,
        value: impl Fn(&mut Self, Instance) -> ExprId,
    ) -> ExprId {
        let mut known = self.rewriter.program.pool.bool_constant(true);
        for one in self.instances(address) {
            let inside = self.points_into(address, one);
            let value = value(self, one);
            let pool = &mut self.rewriter.program.pool;
            let is_value = pool.eq(answer, value);
            let elsewhere = pool.not(inside);
            let says = pool.or(elsewhere, is_value);
            known = pool.and(known, says);
        }
        known
    }

    /// The answer is whether so many bytes are left in the object into which the pointer points.
    fn room(&mut self, answer: ExprId, address: VarId, bytes: VarId, writes: bool) -> ExprId {
        let bytes = self.value_of(bytes);
        let mut known = self.rewriter.program.pool.bool_constant(true);
        for one in self.instances(address) {
            let inside = self.points_into(address, one);
            let start = self.value_of(address);
            let offset = self.offset(start, one.base);
            let object = &self.rewriter.program.objects[one.object.0 as usize];
            let is_allowed = !(writes && object.read_only);
            let pool = &mut self.rewriter.program.pool;
            let bytes = pool.convert(bytes, pool.ty(one.size));
            let left = pool.sub(one.size, offset);
            let fits = pool.le(bytes, left);
            let is_allowed = pool.bool_constant(is_allowed);
            let fits = pool.and(fits, is_allowed);
            let says = agrees(pool, answer, fits);
            let elsewhere = pool.not(inside);
            let says = pool.or(elsewhere, says);
            known = pool.and(known, says);
        }
        known
    }

    /// The answer is whether both point into one object, if both point into any.
    fn same_object(&mut self, answer: ExprId, a: VarId, b: VarId) -> ExprId {
        let mut first = self.rewriter.program.pool.bool_constant(false);
        let (mut second, mut same) = (first, first);
        for one in self.instances(a) {
            let here = self.points_into(a, one);
            let there = self.points_into(b, one);
            let pool = &mut self.rewriter.program.pool;
            let both = pool.and(here, there);
            first = pool.or(first, here);
            same = pool.or(same, both);
        }
        for one in self.instances(b) {
            let here = self.points_into(b, one);
            second = self.rewriter.program.pool.or(second, here);
        }
        let pool = &mut self.rewriter.program.pool;
        let both = pool.and(first, second);
        let elsewhere = pool.not(both);
        let says = agrees(pool, answer, same);
        pool.or(elsewhere, says)
    }
}

/// A truth value is what the condition is.
fn agrees(pool: &mut cfa::expr::ExprPool, answer: ExprId, condition: ExprId) -> ExprId {
    let yes = pool.truth(answer);
    let no = pool.not(yes);
    pool.ite(condition, yes, no)
}
