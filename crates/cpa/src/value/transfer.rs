//! The effect of a step on known values.

use super::evaluate::{Ends, Evaluator};
use super::store::{Known, MapId, Store, Value};
use crate::numeric::transfer::Tracked;
use crate::place::{Step, StepKind};
use cfa::concrete;
use cfa::expr::{BinOp, ExprId, Node, UnOp, VarId};
use cfa::op::{Op, Print};
use cfa::program::{FuncId, Program};

pub struct ValueTransfer<'p> {
    pub program: &'p Program,
    pub store: Store,
    evaluator: Evaluator<'p>,
    locals: Vec<Vec<VarId>>,
}

impl<'p> ValueTransfer<'p> {
    pub fn new(program: &'p Program) -> ValueTransfer<'p> {
        let mut locals = vec![Vec::new(); program.functions.len()];
        for (number, var) in program.vars.iter().enumerate() {
            if let Some(function) = var.function {
                locals[function.0 as usize].push(VarId(number as u32));
            }
        }
        ValueTransfer {
            program,
            store: Store::new(program.vars.len()),
            evaluator: Evaluator::new(program),
            locals,
        }
    }

    pub fn value(&mut self, map: MapId, expr: ExprId) -> Result<Value, Ends> {
        let store = &self.store;
        self.evaluator.evaluate(expr, |var| store.get(map, var.0))
    }

    /// The map after a step; `None` if no execution gets there.
    pub fn apply(&mut self, map: MapId, step: &Step, tracked: &impl Tracked) -> Option<MapId> {
        let program = self.program;
        match (step.kind, program.edge_op(step.edge)) {
            (StepKind::Operation, op) => self.operation(map, op, tracked),
            (StepKind::Call, Op::Call { function, args, .. }) => {
                self.call(map, *function, args, tracked)
            }
            (
                StepKind::Return,
                Op::Call {
                    function, result, ..
                },
            ) => {
                let returned = program.function(*function).result;
                let value = returned.and_then(|returned| self.store.get(map, returned.0));
                let mut map = self.forget_locals(map, *function);
                if let Some(result) = result {
                    let same = returned.is_some_and(|returned| {
                        program.var(returned).ty == program.var(*result).ty
                    });
                    let value = value.filter(|_| same && tracked.tracks(*result));
                    map = self.store.set(map, result.0, value);
                }
                Some(map)
            }
            _ => Some(map),
        }
    }

    fn operation(&mut self, map: MapId, op: &Op, tracked: &impl Tracked) -> Option<MapId> {
        Some(match *op {
            Op::Assume(condition) => self.assume(map, condition, true, tracked)?,
            Op::Assign(var, value) => {
                let value = self.value(map, value).ok()?;
                let value = value.filter(|_| tracked.tracks(var));
                self.store.set(map, var.0, value)
            }
            Op::Havoc(var, _)
            | Op::Allocate { target: var, .. }
            | Op::Reallocate { target: var, .. }
            | Op::Print(Print {
                result: Some(var), ..
            }) => self.store.set(map, var.0, None),
            Op::Skip
            | Op::Store { .. }
            | Op::Begin { .. }
            | Op::End(_)
            | Op::Release(_)
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Print(_)
            | Op::Call { .. } => map,
            Op::Halt(_) => return None,
        })
    }

    /// The map where the condition has the given truth value: variables that must equal known values become known.
    pub fn assume(
        &mut self,
        mut map: MapId,
        condition: ExprId,
        truth: bool,
        tracked: &impl Tracked,
    ) -> Option<MapId> {
        let pool = &self.program.pool;
        let mut conjuncts = vec![(condition, truth)];
        while let Some((id, truth)) = conjuncts.pop() {
            match self.value(map, id).ok()? {
                Some(Known::Bits(bits)) if (bits != 0) == truth => continue,
                Some(_) => return None,
                None => {}
            }
            match (pool.node(id), truth) {
                (Node::Unary(UnOp::Not, a), _) => conjuncts.push((a, !truth)),
                (Node::Binary(BinOp::BoolAnd, a, b), true)
                | (Node::Binary(BinOp::BoolOr, a, b), false) => {
                    conjuncts.push((b, truth));
                    conjuncts.push((a, truth));
                }
                (Node::Binary(BinOp::Eq, a, b), true) | (Node::Binary(BinOp::Ne, a, b), false)
                    if pool.ty(a).is_int() =>
                {
                    for (unknown, known) in [(a, b), (b, a)] {
                        if let Some(value) = self.value(map, known).ok()? {
                            map = self.learn(map, unknown, value, tracked);
                        }
                    }
                }
                // One value less of a type with two.
                (Node::Binary(BinOp::Eq | BinOp::Ne, a, b), _)
                    if matches!(
                        pool.node(a),
                        Node::Unary(UnOp::Convert(_), inner) if pool.ty(inner) == cfa::value::Ty::Bool
                    ) =>
                {
                    if let (
                        Node::Unary(_, inner),
                        Node::Binary(op, ..),
                        Some(Known::Bits(bits @ (0 | 1))),
                    ) = (pool.node(a), pool.node(id), self.value(map, b).ok()?)
                    {
                        let expected = ((op == BinOp::Eq) == truth) == (bits == 1);
                        conjuncts.push((inner, expected));
                    }
                }
                (Node::Var(var), _) if tracked.tracks(var) => {
                    let value = Some(Known::Bits(u128::from(truth)));
                    map = self.store.set(map, var.0, value);
                }
                _ => {}
            }
        }
        Some(map)
    }

    /// An unknown expression has the value: if it is a variable, or one converted without loss, the variable is known.
    fn learn(&mut self, map: MapId, expr: ExprId, value: Known, tracked: &impl Tracked) -> MapId {
        let pool = &self.program.pool;
        match pool.node(expr) {
            Node::Var(var) if tracked.tracks(var) && self.store.get(map, var.0).is_none() => {
                self.store.set(map, var.0, Some(value))
            }
            Node::Unary(UnOp::Convert(to), inner) => {
                let (Node::Var(var), from) = (pool.node(inner), pool.ty(inner)) else {
                    return map;
                };
                let Known::Bits(bits) = value else { return map };
                if !from.is_int()
                    || !to.is_int()
                    || from.width() > to.width()
                    || !tracked.tracks(var)
                    || self.store.get(map, var.0).is_some()
                {
                    return map;
                }
                let narrow = arith::int::truncate(bits, u32::from(from.width()));
                if concrete::unary(UnOp::Convert(to), from, narrow) == Ok(bits) {
                    return self.store.set(map, var.0, Some(Known::Bits(narrow)));
                }
                map
            }
            _ => map,
        }
    }

    fn call(
        &mut self,
        map: MapId,
        function: FuncId,
        args: &[ExprId],
        tracked: &impl Tracked,
    ) -> Option<MapId> {
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            values.push(self.value(map, arg).ok()?);
        }
        let mut map = self.forget_locals(map, function);
        let program = self.program;
        for (&param, value) in program.function(function).params.iter().zip(values) {
            if tracked.tracks(param) {
                map = self.store.set(map, param.0, value);
            }
        }
        Some(map)
    }

    fn forget_locals(&mut self, mut map: MapId, function: FuncId) -> MapId {
        for index in 0..self.locals[function.0 as usize].len() {
            let var = self.locals[function.0 as usize][index];
            if self.store.get(map, var.0).is_some() {
                map = self.store.set(map, var.0, None);
            }
        }
        map
    }
}
