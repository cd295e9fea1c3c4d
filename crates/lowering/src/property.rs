//! Properties become error locations: a program violates its property exactly if an execution
//! reaches one.
//!
//! Locations and edges of the given program keep their numbers; what is new comes behind them. An
//! edge may begin at a new location, where it continues what the old one began.

use crate::undefined::too_far;
use arith::int;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp};
use cfa::op::{Op, OpId};
use cfa::program::{Edge, EdgeId, ErrorKind, FuncId, LocId, Location, LocationKind, Program};
use cfa::value::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::span::Span;

/// What must never happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Property {
    /// No function of these names is called.
    ErrorCall(Vec<String>),
    /// No arithmetic on signed integers leaves its type (C11 6.5 paragraph 5, 6.5.5, 6.5.7).
    /// Conversions do not count.
    NoOverflow,
    /// None of these happens, and none of the functions is called. What concerns memory is not
    /// instrumented here, but where it is known which pointers lead where.
    Checks {
        checks: Vec<Check>,
        calls: Vec<String>,
    },
}

/// Kinds of behaviour that C leaves undefined, and loss of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Check {
    Deref,
    Free,
    Memtrack,
    Memcleanup,
    Overflow,
    DivisionByZero,
    Shift,
    FloatOverflow,
}

impl Check {
    pub const MEMORY_SAFETY: [Check; 3] = [Check::Deref, Check::Free, Check::Memtrack];

    /// It needs to know which objects live.
    pub fn is_about_memory(self) -> bool {
        matches!(
            self,
            Check::Deref | Check::Free | Check::Memtrack | Check::Memcleanup
        )
    }
}

impl Property {
    /// No assertion fails: what is checked if nothing else is asked for. A program's own
    /// `__VERIFIER_assert` counts through what it calls.
    pub fn assertions() -> Property {
        let names = [
            "__assert_fail",
            "__assert_perror_fail",
            "__assert",
            "__assert_func",
            "__assert_rtn",
            "reach_error",
            "__VERIFIER_error",
        ];
        Property::ErrorCall(names.map(str::to_owned).to_vec())
    }

    /// The functions that must not be called.
    pub fn error_functions(&self) -> &[String] {
        match self {
            Property::ErrorCall(names) | Property::Checks { calls: names, .. } => names,
            Property::NoOverflow => &[],
        }
    }

    pub fn checks(&self) -> &[Check] {
        match self {
            Property::ErrorCall(_) => &[],
            Property::NoOverflow => &[Check::Overflow],
            Property::Checks { checks, .. } => checks,
        }
    }

    pub fn has(&self, check: Check) -> bool {
        self.checks().contains(&check)
    }

    /// Some check asks which objects live.
    pub fn is_about_memory(&self) -> bool {
        self.checks().iter().any(|check| check.is_about_memory())
    }
}

/// The program with an error location wherever the property can be violated.
pub fn instrument(program: &Program, property: &Property) -> Program {
    let mut rewriter = Rewriter::new(program.clone());
    rewriter.error_calls(property.error_functions());
    rewriter.arithmetic(property.checks());
    rewriter.program
}

/// A program while something is added to it.
pub struct Rewriter {
    pub program: Program,
    ops: FxHashMap<Op, OpId>,
}

impl Rewriter {
    pub fn new(program: Program) -> Rewriter {
        let program = Program {
            // What is executed has nothing of what is added.
            watched: None,
            ..program
        };
        let ops = program.ops.iter().enumerate();
        let ops = ops
            .map(|(index, op)| (op.clone(), OpId(index as u32)))
            .collect();
        Rewriter { program, ops }
    }

    pub fn op(&mut self, op: Op) -> OpId {
        if let Some(&id) = self.ops.get(&op) {
            return id;
        }
        let id = OpId(self.program.ops.len() as u32);
        self.program.ops.push(op.clone());
        self.ops.insert(op, id);
        id
    }

    pub fn location(&mut self, function: FuncId, kind: LocationKind, span: Span) -> LocId {
        let id = LocId(self.program.locations.len() as u32);
        let (outgoing, incoming) = (Vec::new(), Vec::new());
        self.program.locations.push(Location {
            function,
            kind,
            span,
            outgoing,
            incoming,
        });
        id
    }

    pub fn error(&mut self, function: FuncId, kind: ErrorKind, span: Span) -> LocId {
        let id = self.location(function, LocationKind::Error, span);
        self.program.errors.push((id, kind));
        id
    }

    pub fn edge(&mut self, source: LocId, target: LocId, op: Op, span: Span) {
        let op = self.op(op);
        let id = EdgeId(self.program.edges.len() as u32);
        self.program.edges.push(Edge {
            source,
            target,
            op,
            span,
            branch: None,
        });
        self.program.locations[source.0 as usize].outgoing.push(id);
        self.program.locations[target.0 as usize].incoming.push(id);
    }

    /// Calls of the functions lead to an error location instead.
    fn error_calls(&mut self, names: &[String]) {
        let program = &self.program;
        let wanted: Vec<bool> = (0..program.functions.len())
            .map(|index| {
                let name = program.function_name(FuncId(index as u32));
                names.iter().any(|wanted| wanted == name)
            })
            .collect();
        for index in 0..self.program.edges.len() {
            let id = EdgeId(index as u32);
            let args = match self.program.edge_op(id) {
                Op::Call { function, args, .. } if wanted[function.0 as usize] => args.clone(),
                _ => continue,
            };
            let evaluated = evaluation(&mut self.program.pool, &args);
            let &Edge {
                source,
                target,
                span,
                ..
            } = self.program.edge(id);
            let function = self.program.location(source).function;
            let error = self.error(function, ErrorKind::ErrorCall, span);
            let op = self.op(evaluated);
            let edge = &mut self.program.edges[index];
            edge.target = error;
            edge.op = op;
            self.program.locations[target.0 as usize]
                .incoming
                .retain(|&other| other != id);
            self.program.locations[error.0 as usize].incoming.push(id);
        }
    }

    /// Before operations that compute: a way to an error location for each part that may do what
    /// is checked, in the order of evaluation.
    fn arithmetic(&mut self, checks: &[Check]) {
        let wanted = |check: Check| checks.contains(&check);
        let overflows = wanted(Check::Overflow);
        let others =
            wanted(Check::DivisionByZero) || wanted(Check::Shift) || wanted(Check::FloatOverflow);
        if !overflows && !others {
            return;
        }
        let matters =
            |pool: &ExprPool, expr: ExprId| others || overflows && pool.has_signed_arithmetic(expr);
        let when = |pool: &mut ExprPool, expr: ExprId| violations(pool, expr, checks);
        for index in 0..self.program.locations.len() {
            let location = &self.program.locations[index];
            let function = location.function;
            // The models of library functions are right.
            if self.program.function(function).is_library_model
                && !is_operator(self.program.function_name(function))
            {
                continue;
            }
            let outgoing = location.outgoing.clone();
            let mut checks = Checks::default();
            for &edge in &outgoing {
                for expr in self.program.edge_op(edge).expressions() {
                    checks.collect_if(&mut self.program.pool, expr, &matters, &when);
                }
            }
            let groups = checks.into_groups(&mut self.program.pool);
            if groups.is_empty() {
                continue;
            }
            let span = self.program.edge(outgoing[0]).span;
            let mut here = LocId(index as u32);
            self.program.locations[index].outgoing.clear();
            for (kind, violates) in groups {
                let holds = self.program.pool.not(violates);
                let error = self.error(function, kind, span);
                let next = self.location(function, LocationKind::Ordinary, span);
                self.edge(here, error, Op::Assume(violates), span);
                self.edge(here, next, Op::Assume(holds), span);
                here = next;
            }
            for edge in outgoing {
                self.program.edges[edge.0 as usize].source = here;
                self.program.locations[here.0 as usize].outgoing.push(edge);
            }
        }
    }
}

/// Products and quotients of complex numbers: what the program writes as an operator is a call of
/// a model.
fn is_operator(name: &str) -> bool {
    syntax::complex::OPERATORS.contains(&name)
}

/// When the operation at the top of an expression does what is checked.
fn violations(pool: &mut ExprPool, expr: ExprId, checks: &[Check]) -> Vec<(ErrorKind, ExprId)> {
    let mut found = Vec::new();
    let wanted = |check: Check| checks.contains(&check);
    match pool.node(expr) {
        Node::Binary(BinOp::Div | BinOp::Rem, _, b)
            if wanted(Check::DivisionByZero) && pool.ty(b).is_int() =>
        {
            let zero = pool.zero(pool.ty(b));
            found.push((ErrorKind::DivisionByZero, pool.eq(b, zero)));
        }
        Node::Binary(BinOp::Shl | BinOp::Shr, a, count) if wanted(Check::Shift) => {
            let width = field_width(pool, a).unwrap_or(pool.ty(a).width());
            found.push((ErrorKind::Shift, too_far(pool, width, count)));
        }
        _ if wanted(Check::FloatOverflow) && pool.ty(expr).is_float() => {
            let overflows = float_overflow(pool, expr);
            found.extend(overflows.map(|overflows| (ErrorKind::FloatOverflow, overflows)));
        }
        _ => {}
    }
    if wanted(Check::Overflow)
        && let Some(overflows) = overflow(pool, expr)
    {
        found.push((ErrorKind::SignedOverflow, overflows));
    }
    found
}

/// The width of a bit-field wider than `int` that the value is computed from: gcc's type of it is
/// as wide, so that counts end there. (A cast in between makes it as wide as it looks. That is not
/// told from here; a violation which is none is not confirmed by the compiled program.)
fn field_width(pool: &ExprPool, value: ExprId) -> Option<u16> {
    let mut widths = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![value];
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let ty = pool.ty(id);
        if ty.is_int() && ty.width() > 32 && !ty.width().is_power_of_two() {
            widths.push(ty.width());
        } else if !matches!(pool.node(id), Node::Load { .. }) {
            open.extend(pool.node(id).children());
        }
    }
    widths.into_iter().min()
}

/// Finite operands give an infinity. (Division by zero is exact, and not meant.)
fn float_overflow(pool: &mut ExprPool, expr: ExprId) -> Option<ExprId> {
    let (operands, divisor) = match pool.node(expr) {
        Node::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, a, b) => (vec![a, b], None),
        Node::Binary(BinOp::Div, a, b) => (vec![a, b], Some(b)),
        Node::Unary(UnOp::Convert(_), a) => (vec![a], None),
        Node::Fma(a, b, c) => (vec![a, b, c], None),
        _ => return None,
    };
    let mut condition = pool.unary(UnOp::IsInf, expr);
    for operand in operands {
        if pool.ty(operand).is_float() {
            let infinite = pool.unary(UnOp::IsInf, operand);
            let finite = pool.not(infinite);
            condition = pool.and(condition, finite);
        }
    }
    if let Some(divisor) = divisor {
        let zero = pool.unary(UnOp::IsZero, divisor);
        let exact = pool.not(zero);
        condition = pool.and(condition, exact);
    }
    Some(condition)
}

/// An operation that does nothing but evaluate the expressions that can fail.
fn evaluation(pool: &mut ExprPool, exprs: &[ExprId]) -> Op {
    let mut condition = pool.bool_constant(true);
    for &expr in exprs {
        if !pool.can_fail(expr) {
            continue;
        }
        // True of every value, and no rule drops what can fail.
        let always = match pool.ty(expr) {
            Ty::Float(_) => {
                let nan = pool.unary(UnOp::IsNan, expr);
                let number = pool.not(nan);
                pool.or(nan, number)
            }
            _ => pool.eq(expr, expr),
        };
        condition = pool.and(condition, always);
    }
    match pool.as_bool(condition) {
        Some(true) => Op::Skip,
        _ => Op::Assume(condition),
    }
}

/// The conditions under which arithmetic leaves its type, in the order in which C evaluates it.
#[derive(Default)]
pub(crate) struct Checks {
    found: Vec<(ErrorKind, ExprId)>,
    /// What was walked already, under which condition.
    seen: FxHashSet<(ExprId, Option<ExprId>)>,
}

/// What must not hold where an expression is evaluated.
type Conditions<'a> = dyn Fn(&mut ExprPool, ExprId) -> Vec<(ErrorKind, ExprId)> + 'a;

impl Checks {
    /// The conditions that `when` says for the operations of an expression; `matters` may leave
    /// parts out.
    pub(crate) fn collect_if(
        &mut self,
        pool: &mut ExprPool,
        root: ExprId,
        matters: &dyn Fn(&ExprPool, ExprId) -> bool,
        when: &Conditions<'_>,
    ) {
        enum Step {
            Enter(ExprId, Option<ExprId>),
            Check(ExprId, Option<ExprId>),
        }
        let mut steps = vec![Step::Enter(root, None)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(expr, guard) => {
                    if !matters(pool, expr) || !self.seen.insert((expr, guard)) {
                        continue;
                    }
                    steps.push(Step::Check(expr, guard));
                    // C evaluates the right side of a connective, and a branch, only if the left
                    // side or the condition asks for it.
                    match pool.node(expr) {
                        Node::Binary(BinOp::BoolAnd, a, b) => {
                            steps.push(Step::Enter(b, Some(both(pool, guard, a))));
                            steps.push(Step::Enter(a, guard));
                        }
                        Node::Binary(BinOp::BoolOr, a, b) => {
                            let not_a = pool.not(a);
                            steps.push(Step::Enter(b, Some(both(pool, guard, not_a))));
                            steps.push(Step::Enter(a, guard));
                        }
                        Node::Ite(c, a, b) => {
                            let not_c = pool.not(c);
                            steps.push(Step::Enter(b, Some(both(pool, guard, not_c))));
                            steps.push(Step::Enter(a, Some(both(pool, guard, c))));
                            steps.push(Step::Enter(c, guard));
                        }
                        node => {
                            let children: Vec<ExprId> = node.children().collect();
                            for child in children.into_iter().rev() {
                                steps.push(Step::Enter(child, guard));
                            }
                        }
                    }
                }
                Step::Check(expr, guard) => {
                    for (kind, holds) in when(pool, expr) {
                        let condition = both(pool, guard, holds);
                        let found = (kind, condition);
                        if pool.as_bool(condition) != Some(false) && !self.found.contains(&found) {
                            self.found.push(found);
                        }
                    }
                }
            }
        }
    }

    /// Joined where no evaluation can end the execution before an earlier condition is found true.
    pub(crate) fn into_groups(self, pool: &mut ExprPool) -> Vec<(ErrorKind, ExprId)> {
        let mut groups: Vec<(ErrorKind, ExprId)> = Vec::new();
        for (kind, condition) in self.found {
            match groups.last_mut() {
                Some((last_kind, last)) if *last_kind == kind && !pool.can_fail(condition) => {
                    *last = pool.or(*last, condition);
                }
                _ => groups.push((kind, condition)),
            }
        }
        groups
    }
}

fn both(pool: &mut ExprPool, guard: Option<ExprId>, condition: ExprId) -> ExprId {
    match guard {
        Some(guard) => pool.and(guard, condition),
        None => condition,
    }
}

/// When the operation at the top of an expression leaves its type.
pub(crate) fn overflow(pool: &mut ExprPool, expr: ExprId) -> Option<ExprId> {
    let smallest =
        |pool: &mut ExprPool, ty: Ty| pool.constant(int::signed_min(ty.width().into()), ty);
    match pool.node(expr) {
        Node::Unary(UnOp::Neg, a) if pool.ty(a).is_signed() => {
            let min = smallest(pool, pool.ty(a));
            Some(pool.eq(a, min))
        }
        Node::Binary(op, a, b) if pool.ty(a).is_signed() => {
            let ty = pool.ty(a);
            match op {
                BinOp::Add => Some(pool.binary(BinOp::AddOverflows, a, b)),
                BinOp::Sub => Some(pool.binary(BinOp::SubOverflows, a, b)),
                BinOp::Mul => Some(pool.binary(BinOp::MulOverflows, a, b)),
                BinOp::Div | BinOp::Rem => {
                    let (min, minus_one) = (smallest(pool, ty), pool.integer(-1, ty));
                    let (low, opposite) = (pool.eq(a, min), pool.eq(b, minus_one));
                    Some(pool.and(low, opposite))
                }
                BinOp::Shl => Some(shift_overflow(pool, a, b)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// C11 6.5.7: the count is out of range, the value is negative, or a bit is lost.
fn shift_overflow(pool: &mut ExprPool, a: ExprId, count: ExprId) -> ExprId {
    let ty = pool.ty(a);
    let count_ty = Ty::unsigned(pool.ty(count).width());
    let unsigned_count = pool.convert(count, count_ty);
    let width = pool.constant(ty.width().into(), count_ty);
    let too_far = pool.le(width, unsigned_count);
    let zero = pool.zero(ty);
    let negative = pool.lt(a, zero);
    let max = pool.constant(int::signed_max(ty.width().into()), ty);
    let room = pool.binary(BinOp::Shr, max, count);
    let lost = pool.lt(room, a);
    let either = pool.or(too_far, negative);
    pool.or(either, lost)
}
