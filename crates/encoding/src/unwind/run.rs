//! The work of one unwinding: points are taken in order, and states that come to one point become
//! one.

use super::{
    Activation, Arrival, Cut, CutReason, ErrorPoint, Guide, InputPoint, InstancePoint, Item,
    Iteration, Limits, Point, PointInstances, StopsAt, Unwinder, Unwinding, enter_loops, point_of,
};
use crate::algebra::Unsupported;
use crate::path::Path;
use crate::state::State;
use crate::step::After;
use cfa::expr::ExprId;
use cfa::op::Op;
use cfa::place::Place;
use cfa::program::{EdgeId, FuncId, LocId};
use logic::{Sort, Term, TermPool};
use std::collections::BTreeMap;
use std::rc::Rc;

pub(super) struct Run<'a, 'p> {
    pub(super) unwinder: &'a mut Unwinder<'p>,
    pub(super) limits: Limits,
    pub(super) guide: &'a mut dyn Guide,
    pub(super) stops: StopsAt<'a>,
    pub(super) starting: bool,
    pub(super) queue: BTreeMap<Point, Item>,
    pub(super) result: Unwinding,
}

impl Run<'_, '_> {
    fn pool(&mut self) -> &mut TermPool {
        &mut self.unwinder.encoder.pool
    }

    fn cut(&mut self, reason: CutReason, path: Path) {
        self.result.cuts.push(Cut { reason, path });
    }

    /// A state comes to a location over an edge from `from` (`None`: into a function).
    pub(super) fn arrive(
        &mut self,
        location: LocId,
        activation: Rc<Activation>,
        mut loops: Vec<Iteration>,
        from: Option<LocId>,
        state: State,
    ) {
        let order = self.unwinder.order(activation.function);
        let Some(position) = order.position(location) else {
            return;
        };
        // The start itself is left, even if it is such a place.
        let is_start = std::mem::replace(&mut self.starting, false);
        if !is_start && (self.stops)(&activation.calls, location) {
            let place = Place {
                calls: activation.calls.clone(),
                location,
            };
            self.result.arrivals.push(Arrival { place, state });
            return;
        }
        let nest = order.nest(location);
        // Loops that are left.
        let common = nest
            .iter()
            .zip(&loops)
            .take_while(|(id, at)| **id == at.id)
            .count();
        loops.truncate(common);
        let is_feedback = from
            .and_then(|from| order.position(from))
            .is_some_and(|from| position <= from);
        if is_feedback && common == nest.len() {
            // Another iteration of the innermost loop around the location, which is its head.
            let head = loops
                .last_mut()
                .expect("the target of a feedback edge is a head");
            head.number += 1;
            if !head.path.is_same(&state.path) {
                head.charged += 1;
                head.path = state.path.clone();
                if head.charged > i64::from(self.limits.iterations) {
                    self.cut(CutReason::Iterations(location), state.path);
                    return;
                }
                if !self
                    .guide
                    .is_feasible(&mut self.unwinder.encoder.pool, &state.path)
                {
                    return;
                }
            }
        }
        if is_start {
            loops = enter_loops(&order, location, &state.path);
        } else {
            for &id in &nest[common..] {
                loops.push(Iteration {
                    id,
                    number: 0,
                    charged: 0,
                    path: state.path.clone(),
                });
            }
        }
        let point: Point = point_of(&order, &activation.prefix, &loops, location).into();
        match self.queue.get_mut(&point) {
            Some(item) => {
                item.state = self.unwinder.encoder.join(&item.state, &state);
                for (at, other) in item.loops.iter_mut().zip(&loops) {
                    at.charged = at.charged.max(other.charged);
                    if !at.path.is_same(&other.path) {
                        at.path = item.state.path.clone();
                    }
                }
            }
            None => {
                self.queue.insert(
                    point,
                    Item {
                        location,
                        activation,
                        loops,
                        state,
                    },
                );
            }
        }
    }

    pub(super) fn work(&mut self) {
        while let Some((point, item)) = self.queue.pop_first() {
            self.result.steps += 1;
            if self.result.steps > self.limits.steps {
                self.cut(CutReason::Steps, item.state.path);
                continue;
            }
            if self.result.steps.is_multiple_of(64) && self.guide.must_stop() {
                self.cut(CutReason::Stopped, item.state.path);
                for (_, item) in std::mem::take(&mut self.queue) {
                    self.cut(CutReason::Stopped, item.state.path);
                }
                return;
            }
            self.result.visited[item.location.0 as usize] = true;
            self.leave(point, item);
        }
    }

    fn leave(&mut self, point: Point, item: Item) {
        let program = self.unwinder.encoder.program;
        let location = program.location(item.location);
        if program.is_error(item.location) {
            let path = item.state.path;
            self.result.errors.push(ErrorPoint {
                location: item.location,
                path,
            });
            return;
        }
        if item.location == program.function(item.activation.function).exit
            && item.activation.caller.is_some()
        {
            self.return_from(item);
            return;
        }
        let choices = self.choices(&point, &item);
        for (number, &edge) in location.outgoing.iter().enumerate() {
            let mut state = item.state.clone();
            if let Some(choice) = choices.get(number).copied() {
                match self.unwinder.encoder.assume(state, choice) {
                    Some(chosen) => state = chosen,
                    None => continue,
                }
            }
            self.follow(&point, &item, edge, state);
        }
    }

    /// Where several edges may be passable at once, inputs that decide between them.
    fn choices(&mut self, point: &Point, item: &Item) -> Vec<Term> {
        let program = self.unwinder.encoder.program;
        let outgoing = &program.location(item.location).outgoing;
        if outgoing.len() < 2 {
            return Vec::new();
        }
        let mut conditions: Vec<Term> = Vec::new();
        let mut state = item.state.clone();
        let mut disjoint = true;
        for &edge in outgoing {
            let condition = match program.edge_op(edge) {
                Op::Assume(condition) => self
                    .unwinder
                    .encoder
                    .value(&mut state, *condition)
                    .ok()
                    .flatten(),
                _ => None,
            };
            let Some(condition) = condition else {
                disjoint = false;
                break;
            };
            let pool = self.pool();
            disjoint = conditions
                .iter()
                .all(|&other| pool.and(other, condition) == TermPool::FALSE);
            if !disjoint {
                break;
            }
            conditions.push(condition);
        }
        // Evaluated once more when the edges are followed.
        self.unwinder.encoder.invalid.clear();
        if disjoint {
            return Vec::new();
        }
        let mut choices = Vec::new();
        let mut none_before = TermPool::TRUE;
        for number in 0..outgoing.len() {
            let last = number + 1 == outgoing.len();
            let pool = self.pool();
            let this = if last {
                TermPool::TRUE
            } else {
                pool.var(&format!("choice!{number}!{point:?}"), Sort::Bool)
            };
            choices.push(pool.and(none_before, this));
            let not_this = pool.not(this);
            none_before = pool.and(none_before, not_this);
        }
        choices
    }

    fn follow(&mut self, point: &Point, item: &Item, edge_id: EdgeId, state: State) {
        let program = self.unwinder.encoder.program;
        let edge = program.edge(edge_id);
        if let Op::Call { function, args, .. } = program.op(edge.op) {
            self.call(point, item, edge_id, *function, args, state);
            return;
        }
        let mut instances = PointInstances {
            point,
            edge: edge_id,
            memo: &mut self.unwinder.memo,
            taken: None,
            placed: None,
        };
        let after = self
            .unwinder
            .encoder
            .apply(&state, program.op(edge.op), &mut instances);
        let (taken, placed) = (instances.taken, instances.placed);
        self.cut_invalid(edge_id);
        if let (Some((address, size)), Some(object)) = (placed, program.op(edge.op).begins()) {
            let path = state.path.clone();
            self.result.instances.push(InstancePoint {
                object,
                address,
                size,
                path,
            });
        }
        if let Some((input, ty, value)) = taken {
            let path = state.path.clone();
            self.result.inputs.push(InputPoint {
                point: point.clone(),
                input,
                ty,
                value,
                path,
            });
        }
        match after {
            After::Nothing => {}
            After::State(next) => self.arrive_over(edge_id, item, next),
            After::Beyond(path, reason) => self.cut(CutReason::Beyond(reason, edge_id), path),
            After::Both(next, path, reason) => {
                self.cut(CutReason::Beyond(reason, edge_id), path);
                self.arrive_over(edge_id, item, next);
            }
        }
    }

    /// Executions that ended at an invalid access are not part of the unwinding.
    fn cut_invalid(&mut self, edge: EdgeId) {
        for path in std::mem::take(&mut self.unwinder.encoder.invalid) {
            let reason = Unsupported("access outside every object".into());
            self.cut(CutReason::Beyond(reason, edge), path);
        }
    }

    fn arrive_over(&mut self, edge: EdgeId, item: &Item, state: State) {
        let target = self.unwinder.encoder.program.edge(edge).target;
        let activation = item.activation.clone();
        self.arrive(
            target,
            activation,
            item.loops.clone(),
            Some(item.location),
            state,
        );
    }

    fn call(
        &mut self,
        point: &Point,
        item: &Item,
        edge: EdgeId,
        function: FuncId,
        args: &[ExprId],
        mut state: State,
    ) {
        let program = self.unwinder.encoder.program;
        let depth = self.active(&item.activation, function) + 1;
        if depth > self.limits.recursion {
            self.cut(CutReason::Recursion(function), state.path);
            return;
        }
        let path = state.path.clone();
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            match self.unwinder.encoder.value(&mut state, arg) {
                Ok(Some(value)) => values.push(value),
                Ok(None) => {
                    self.cut_invalid(edge);
                    return;
                }
                Err(reason) => {
                    self.cut(CutReason::Beyond(reason, edge), path);
                    return;
                }
            }
        }
        self.cut_invalid(edge);
        state.enter(function);
        let callee = program.function(function);
        for (&param, value) in callee.params.iter().zip(values) {
            state.set(&self.unwinder.encoder.slots, param, value);
        }
        let mut prefix = point.to_vec();
        prefix.push(edge.0);
        let mut calls = item.activation.calls.clone();
        calls.push(edge);
        let activation = Rc::new(Activation {
            function,
            calls,
            prefix,
            caller: Some((item.activation.clone(), edge, item.loops.clone())),
            depth: item.activation.depth + 1,
        });
        self.arrive(callee.entry, activation, Vec::new(), None, state);
    }

    fn active(&self, activation: &Rc<Activation>, function: FuncId) -> u32 {
        let mut count = 0;
        let mut current = Some(activation);
        while let Some(activation) = current {
            count += u32::from(activation.function == function);
            current = activation.caller.as_ref().map(|(caller, ..)| caller);
        }
        count
    }

    fn return_from(&mut self, item: Item) {
        let program = self.unwinder.encoder.program;
        let Some((caller, edge_id, loops)) = &item.activation.caller else {
            return;
        };
        let edge = program.edge(*edge_id);
        let mut state = item.state;
        (self.unwinder.encoder).return_from(item.activation.function, *edge_id, &mut state);
        let (caller, loops, source) = (caller.clone(), loops.clone(), edge.source);
        self.arrive(edge.target, caller, loops, Some(source), state);
    }
}
