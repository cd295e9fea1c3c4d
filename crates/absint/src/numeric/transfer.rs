//! The effect of a step on a numeric state.
//!
//! Variables are numbers of their type at all times; a state that does not say so is told before it
//! is asked. Memory is not tracked: what is loaded is any value of its type, and what is stored
//! changes no variable (after `transform::regions::split_memory` no store can hit one). A call
//! forgets what it knew of the callee's variables, and so does the return: in a recursion they are
//! those of another activation.

use super::NumericState;
use super::placed::Placement;
use super::translate::{Translator, choice_condition, dimension, range};
use cfa::expr::{ExprId, VarId};
use cfa::op::{Op, Print};
use cfa::program::{FuncId, Program};
use domains::expression::{Expression, Node};
use domains::interval::Interval;
use domains::linear::VarId as Dimension;
use domains::numeric::NumericDomain;
use std::rc::Rc;

use crate::place::{Step, StepKind};

/// Which variables an analysis follows.
pub trait Tracked {
    fn tracks(&self, var: VarId) -> bool;
}

/// All of them.
pub struct Everything;

impl Tracked for Everything {
    fn tracks(&self, _: VarId) -> bool {
        true
    }
}

pub struct Transfer<'p> {
    pub program: &'p Program,
    pub(super) translator: Translator,
    ranges: Vec<Interval>,
    /// The variables of each function.
    locals: Vec<Vec<VarId>>,
    /// The option of Stieglmaier2014, section 4.1.2.
    pub handle_floats: bool,
}

/// What is done for one way to choose.
pub(super) type Case<'a, 'p, D> =
    dyn FnMut(&mut Transfer<'p>, &mut NumericState<D>, Option<u32>) + 'a;

/// How deep case distinctions may nest within one operation.
pub(super) const CASE_DEPTH: u32 = 4;

impl<'p> Transfer<'p> {
    pub fn new(program: &'p Program, handle_floats: bool) -> Transfer<'p> {
        Transfer {
            program,
            translator: Translator::default(),
            ranges: program.vars.iter().map(|var| range(var.ty)).collect(),
            locals: program.locals(),
            handle_floats,
        }
    }

    /// The same that takes objects to lie somewhere.
    #[must_use]
    pub fn placed(mut self, placement: Option<Placement>) -> Transfer<'p> {
        self.translator.placement = placement;
        self
    }

    pub(super) fn is_float(&self, var: VarId) -> bool {
        self.program.var(var).ty.is_float()
    }

    pub fn range_of(&self, var: VarId) -> Interval {
        self.ranges[var.0 as usize]
    }

    /// The state after a step; `None` if no execution gets there.
    pub fn apply<D: NumericDomain>(
        &mut self,
        state: &NumericState<D>,
        step: &Step,
        tracked: &dyn Tracked,
    ) -> Option<NumericState<D>> {
        let program = self.program;
        let mut after = state.clone();
        let op = program.edge_op(step.edge);
        match (step.kind, op) {
            (StepKind::Operation, op) => self.operation(&mut after, op, tracked),
            (StepKind::Call, Op::Call { function, args, .. }) => {
                self.call(&mut after, *function, args, tracked);
            }
            (
                StepKind::Return,
                Op::Call {
                    function, result, ..
                },
            ) => self.leave(&mut after, *function, *result, tracked),
            _ => {}
        }
        (!after.is_bottom()).then_some(after)
    }

    fn operation<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        op: &Op,
        tracked: &dyn Tracked,
    ) {
        match *op {
            Op::Assume(condition) => {
                self.assume(state, condition, true, CASE_DEPTH);
                self.forget_untracked(state, condition, tracked);
            }
            Op::Assign(var, value) => self.assign(state, var, value, tracked),
            Op::Havoc(var, input) => {
                self.forget(state, var);
                let ty = self.program.var(var).ty;
                if tracked.tracks(var)
                    && self.program.inputs[input.0 as usize].is_bool
                    && ty.is_int()
                {
                    state
                        .integers
                        .assume_interval(dimension(var), Interval::BOOLEAN);
                }
            }
            Op::Allocate { target, object, .. } => {
                self.forget(state, target);
                if tracked.tracks(target) {
                    let placement = self.translator.placement;
                    let addresses = match placement.and_then(|placed| placed.address(object)) {
                        Some(address) => Interval::constant(address),
                        None => self.range_of(target).where_at_least(Interval::ONE),
                    };
                    state.integers.assume_interval(dimension(target), addresses);
                }
            }
            Op::Reallocate { target, .. } => self.forget(state, target),
            Op::Print(Print { result, .. }) => {
                if let Some(result) = result {
                    self.forget(state, result);
                }
            }
            Op::Skip
            | Op::Store { .. }
            | Op::Begin { .. }
            | Op::End(_)
            | Op::Release(_)
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Call { .. }
            | Op::Halt(_) => {}
        }
    }

    pub(super) fn forget<D: NumericDomain>(&self, state: &mut NumericState<D>, var: VarId) {
        if self.is_float(var) {
            state.floats.forget(dimension(var));
        } else {
            state.integers.forget(dimension(var));
        }
    }

    /// A condition must not make variables known that are not followed.
    fn forget_untracked<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        condition: ExprId,
        tracked: &dyn Tracked,
    ) {
        for var in self.variables_of(condition).iter() {
            if !tracked.tracks(*var) {
                self.forget(state, *var);
            }
        }
    }

    /// Every variable that an expression reads.
    pub fn variables_of(&mut self, root: ExprId) -> Rc<[VarId]> {
        self.translator.all_variables(&self.program.pool, root)
    }

    /// Says what the types say of the variables.
    pub(super) fn bound<D: NumericDomain>(&self, state: &mut D, variables: &[VarId]) {
        for &var in variables {
            let range = self.range_of(var);
            if !state.interval(dimension(var)).is_subset_of(range) {
                state.assume_interval(dimension(var), range);
            }
        }
    }

    fn assign<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        var: VarId,
        value: ExprId,
        tracked: &dyn Tracked,
    ) {
        if !tracked.tracks(var) {
            return;
        }
        if self.is_float(var) {
            self.assign_float(state, dimension(var), value);
        } else {
            self.assign_to(state, dimension(var), value);
        }
        self.forget_untracked(state, value, tracked);
    }

    /// Assigns the value of an integer expression to a dimension, case by case where it has
    /// choices.
    fn assign_to<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        target: Dimension,
        value: ExprId,
    ) {
        self.by_cases(state, value, CASE_DEPTH, &mut |transfer, state, chosen| {
            let pool = &transfer.program.pool;
            let translated = transfer.translator.translate(pool, value, chosen);
            transfer.bound(&mut state.integers, &translated.variables);
            let known = transfer.with_floats(state, &translated);
            let expression = known.as_ref().unwrap_or(&translated.expression);
            state.integers.assign(target, expression);
        });
    }

    /// Runs `body` once for each way to choose in the expression, under the conditions of the
    /// choice, and joins the results.
    pub(super) fn by_cases<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        root: ExprId,
        depth: u32,
        body: &mut Case<'_, 'p, D>,
    ) {
        let choices = self.translator.choices(&self.program.pool, root);
        if choices.is_empty() || depth == 0 {
            body(self, state, None);
            return;
        }
        let mut joined: Option<NumericState<D>> = None;
        for chosen in 0..1u32 << choices.len() {
            let mut case = state.clone();
            for (number, &choice) in choices.iter().enumerate() {
                if let Some(condition) = choice_condition(&self.program.pool, choice) {
                    let truth = chosen >> number & 1 == 1;
                    self.assume(&mut case, condition, truth, depth - 1);
                }
            }
            if case.is_bottom() {
                continue;
            }
            body(self, &mut case, Some(chosen));
            joined = Some(match joined {
                None => case,
                Some(others) => others.join(&case),
            });
        }
        match joined {
            Some(joined) => *state = joined,
            None => state.integers = state.integers.bottom(),
        }
    }

    /// Dimensions behind those of the variables, for values on their way.
    fn spare(&self, number: usize) -> Dimension {
        Dimension((self.program.vars.len() + number) as u32)
    }

    fn call<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        function: FuncId,
        args: &[ExprId],
        tracked: &dyn Tracked,
    ) {
        let program = self.program;
        let callee = program.function(function);
        let passed: Vec<(VarId, ExprId)> = callee
            .params
            .iter()
            .copied()
            .zip(args.iter().copied())
            .filter(|&(param, _)| tracked.tracks(param))
            .collect();
        for (number, &(param, arg)) in passed.iter().enumerate() {
            let spare = self.spare(number);
            if self.is_float(param) {
                self.assign_float(state, spare, arg);
            } else {
                self.assign_to(state, spare, arg);
            }
            self.forget_untracked(state, arg, tracked);
        }
        self.forget_locals(state, function);
        for (number, &(param, _)) in passed.iter().enumerate() {
            self.move_spare(state, number, param);
        }
    }

    fn leave<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        function: FuncId,
        result: Option<VarId>,
        tracked: &dyn Tracked,
    ) {
        let returned = self.program.function(function).result;
        let result = result.filter(|&result| tracked.tracks(result));
        if let (Some(returned), Some(result)) = (returned, result)
            && self.program.var(returned).ty == self.program.var(result).ty
        {
            let spare = self.spare(0);
            if self.is_float(returned) {
                self.copy_float(state, spare, dimension(returned));
            } else {
                self.bound(&mut state.integers, &[returned]);
                let value = Expression::variable(dimension(returned));
                state.integers.assign(spare, &value);
            }
            self.forget_locals(state, function);
            self.move_spare(state, 0, result);
            return;
        }
        self.forget_locals(state, function);
        if let Some(result) = result {
            self.forget(state, result);
        }
    }

    fn move_spare<D: NumericDomain>(
        &self,
        state: &mut NumericState<D>,
        number: usize,
        target: VarId,
    ) {
        let spare = self.spare(number);
        self.forget(state, target);
        if self.is_float(target) {
            self.copy_float(state, dimension(target), spare);
            state.floats.forget(spare);
        } else {
            let value = Expression::variable(spare);
            state.integers.assign(dimension(target), &value);
            state.integers.forget(spare);
        }
    }

    fn forget_locals<D: NumericDomain>(&self, state: &mut NumericState<D>, function: FuncId) {
        let locals = &self.locals[function.0 as usize];
        if locals.is_empty() {
            return;
        }
        let is_local = |dimension: Dimension| {
            self.program
                .vars
                .get(dimension.0 as usize)
                .is_some_and(|var| var.function == Some(function))
        };
        state.integers.retain(&|dimension| !is_local(dimension));
        if self.handle_floats {
            state.floats.retain(|dimension| !is_local(dimension));
        }
    }

    /// The expression with what the float domain knows of converted floats; `None` if that is
    /// nothing.
    fn with_floats<D: NumericDomain>(
        &mut self,
        state: &NumericState<D>,
        translated: &super::translate::Translated,
    ) -> Option<Expression> {
        if !self.handle_floats || translated.converted.is_empty() {
            return None;
        }
        let mut nodes = translated.expression.nodes().to_vec();
        for &(position, source) in &translated.converted {
            if let Some(Node::Constant(values)) = nodes.get(position as usize).copied() {
                let known = self.truncated(state, source, values);
                nodes[position as usize] = Node::Constant(known);
            }
        }
        Expression::from_nodes(nodes)
    }
}
