//! What evaluating an expression may change, and which expressions cannot fail: found on the typed
//! tree, before lowering decides how to keep C's order of evaluation.

use super::context::{Context, Home, Shape};
use super::frame::FunctionLowering;
use cfa::expr::{ExprId, ExprPool, Node, VarId};
use rustc_hash::FxHashSet;
use syntax::typed::{
    BinaryOp, Block, Builtin, Callee, Expr, ExprKind, Init, InitValue, Place, PlaceKind, Stmt,
    StmtKind, UnaryOp,
};
use syntax::types::TypeId;

/// What an evaluation may change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    /// Any variable and all memory: statement expressions.
    everything: bool,
    memory: bool,
    /// Global variables that are no memory: by calls.
    globals: bool,
    vars: Vec<VarId>,
}

impl Effects {
    pub fn is_none(&self) -> bool {
        !self.everything && !self.memory && !self.globals && self.vars.is_empty()
    }

    pub fn merge(&mut self, other: &Effects) {
        self.everything |= other.everything;
        self.memory |= other.memory;
        self.globals |= other.globals;
        self.vars.extend_from_slice(&other.vars);
    }

    pub fn of(context: &Context, expr: &Expr) -> Effects {
        let mut effects = Effects::default();
        effects.add_expr(context, expr);
        effects
    }

    pub fn of_place(context: &Context, place: &Place) -> Effects {
        let mut effects = Effects::default();
        effects.add_place(context, place);
        effects
    }

    fn add_expr(&mut self, context: &Context, expr: &Expr) {
        if self.everything {
            return;
        }
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::VlaSize { .. } => {}
            ExprKind::Load(place) | ExprKind::AddressOf(place) => {
                // The value of a read that takes an input is kept where it is read.
                self.memory |=
                    matches!(expr.kind, ExprKind::Load(_)) && context.reads_any_value(place.ty);
                self.add_place(context, place);
            }
            ExprKind::Unary(_, a) | ExprKind::Convert(a) => self.add_expr(context, a),
            ExprKind::Binary(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::Elvis {
                value: a,
                otherwise: b,
            }
            | ExprKind::PointerOffset {
                pointer: a,
                index: b,
                ..
            }
            | ExprKind::PointerDifference {
                left: a, right: b, ..
            } => {
                self.add_expr(context, a);
                self.add_expr(context, b);
            }
            ExprKind::Conditional(a, b, c) => {
                self.add_expr(context, a);
                self.add_expr(context, b);
                self.add_expr(context, c);
            }
            ExprKind::Assign(place, value)
            | ExprKind::CompoundAssign { place, value, .. }
            | ExprKind::CompoundPointer {
                place,
                index: value,
                ..
            } => {
                self.add_written(context, place);
                self.add_expr(context, value);
            }
            ExprKind::IncDec { place, .. } => self.add_written(context, place),
            ExprKind::Call { callee, args } => {
                let pure = matches!(callee, Callee::Direct(id)
                    if context.intrinsic(*id).is_some_and(|intrinsic| intrinsic.is_pure()));
                if !pure {
                    self.memory = true;
                    self.globals = true;
                }
                if let Callee::Pointer(pointer) = callee {
                    self.add_expr(context, pointer);
                }
                for arg in args {
                    self.add_expr(context, arg);
                }
            }
            ExprKind::Builtin(builtin, args) => {
                if !is_pure_builtin(*builtin) {
                    self.memory = true;
                    self.globals = true;
                }
                for arg in args {
                    self.add_expr(context, arg);
                }
            }
            ExprKind::Statements(_) => self.everything = true,
            ExprKind::VaArg(place) => {
                self.memory = true;
                self.add_place(context, place);
            }
        }
    }

    fn add_written(&mut self, context: &Context, place: &Place) {
        match &place.kind {
            PlaceKind::Var(id) if context.is_plain(*id) => match context.known_home(*id) {
                Some(Home::Variable(var)) => self.vars.push(var),
                // Not mentioned yet, so no expression made before can depend on it.
                _ => self.globals = true,
            },
            _ => {
                self.memory = true;
                self.add_place(context, place);
            }
        }
    }

    fn add_place(&mut self, context: &Context, place: &Place) {
        match &place.kind {
            PlaceKind::Var(_) | PlaceKind::String(_) => {}
            PlaceKind::Deref(pointer) => self.add_expr(context, pointer),
            PlaceKind::Field { base, .. } => self.add_place(context, base),
            PlaceKind::CompoundLiteral { init, .. } => {
                self.memory = true;
                for item in &init.items {
                    if let InitValue::Expr(value) = &item.value {
                        self.add_expr(context, value);
                    }
                }
            }
            PlaceKind::Temporary(value) => {
                self.memory = true;
                self.add_expr(context, value);
            }
        }
    }

    /// Whether the expression could have another value after these effects.
    pub fn touch(&self, context: &Context, value: ExprId) -> bool {
        let pool = &context.pool;
        if (self.everything || self.memory) && pool.reads_memory(value) {
            return true;
        }
        if !pool.reads_variables(value) {
            return false;
        }
        if self.everything {
            return true;
        }
        if self.vars.is_empty() && !self.globals {
            return false;
        }
        variables_of(pool, value).iter().any(|var| {
            self.vars.contains(var)
                || self.globals && context.vars[var.0 as usize].function.is_none()
        })
    }
}

/// The variables that an expression reads, in order of their first appearance.
pub(crate) fn variables_of(pool: &ExprPool, root: ExprId) -> Vec<VarId> {
    let mut vars = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if !pool.reads_variables(id) || !seen.insert(id) {
            continue;
        }
        match pool.node(id) {
            Node::Var(var) => vars.push(var),
            node => stack.extend(node.children()),
        }
    }
    vars
}

fn is_pure_builtin(builtin: Builtin) -> bool {
    use Builtin::*;
    matches!(
        builtin,
        Bswap16
            | Bswap32
            | Bswap64
            | Clz
            | Ctz
            | Ffs
            | Popcount
            | Parity
            | Clrsb
            | IsNan
            | IsInf
            | IsInfSign
            | IsFinite
            | IsNormal
            | SignBit
            | IsGreater
            | IsGreaterEqual
            | IsLess
            | IsLessEqual
            | IsLessGreater
            | IsUnordered
            | FpClassify
            | ReturnAddress
            | FrameAddress
            | Prefetch
            | SyncSynchronize
    )
}

/// Whether a conversion maps zero to zero and nothing else to zero.
pub(crate) fn keeps_truth(context: &Context, from: TypeId, to: TypeId) -> bool {
    use cfa::value::Ty;
    if context.is_c_bool(to) {
        return matches!(context.shape(from), Shape::Scalar(_));
    }
    match (context.shape(from), context.shape(to)) {
        (Shape::Scalar(from), Shape::Scalar(to)) => match (from, to) {
            (Ty::Int { width: a, .. }, Ty::Int { width: b, .. }) => a <= b,
            (Ty::Int { .. }, Ty::Float(_)) => true,
            (Ty::Float(a), Ty::Float(b)) => a == b,
            _ => false,
        },
        _ => false,
    }
}

impl FunctionLowering<'_, '_> {
    /// Whether the expression changes nothing, needs no control flow and cannot end the execution.
    pub fn is_total(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::VlaSize { .. } => true,
            ExprKind::Load(place) => {
                matches!(&place.kind, PlaceKind::Var(id) if self.context.is_plain(*id))
            }
            ExprKind::AddressOf(place) => self.is_total_place(place),
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::BitNot | UnaryOp::Not, a) => self.is_total(a),
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, a, b) if !matches!(self.context.shape(expr.ty), Shape::Scalar(ty) if ty.is_float()) => {
                matches!(b.kind, ExprKind::Int(bits) if bits != 0) && self.is_total(a)
            }
            ExprKind::Binary(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::PointerOffset {
                pointer: a,
                index: b,
                ..
            }
            | ExprKind::PointerDifference {
                left: a, right: b, ..
            } => self.is_total(a) && self.is_total(b),
            ExprKind::Conditional(a, b, c) => {
                matches!(self.context.shape(expr.ty), Shape::Scalar(_))
                    && self.is_total(a)
                    && self.is_total(b)
                    && self.is_total(c)
            }
            ExprKind::Convert(a) => {
                matches!(self.context.shape(expr.ty), Shape::Scalar(_)) && self.is_total(a)
            }
            ExprKind::Builtin(builtin, args) => {
                is_pure_builtin(*builtin)
                    && !matches!(builtin, Builtin::ReturnAddress | Builtin::FrameAddress)
                    && args.iter().all(|arg| self.is_total(arg))
            }
            _ => false,
        }
    }

    fn is_total_place(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Var(_) | PlaceKind::String(_) => true,
            PlaceKind::Deref(pointer) => self.is_total(pointer),
            PlaceKind::Field { base, .. } => self.is_total_place(base),
            PlaceKind::CompoundLiteral { .. } | PlaceKind::Temporary(_) => false,
        }
    }
}

/// Whether control can come into the statement by a jump.
pub(crate) fn contains_label(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Label(_) => true,
        StmtKind::Block(block) => block_contains_label(block),
        StmtKind::If {
            condition,
            then,
            otherwise,
        } => {
            contains_label(then)
                || otherwise.as_deref().is_some_and(contains_label)
                || expr_contains_label(condition)
        }
        StmtKind::While { condition, body } | StmtKind::DoWhile { body, condition } => {
            contains_label(body) || expr_contains_label(condition)
        }
        StmtKind::For {
            init,
            condition,
            step,
            body,
        } => {
            contains_label(body)
                || init.iter().any(contains_label)
                || condition.as_deref().is_some_and(expr_contains_label)
                || step.as_deref().is_some_and(expr_contains_label)
        }
        StmtKind::Switch { value, body, .. } => contains_label(body) || expr_contains_label(value),
        StmtKind::Expr(expr) | StmtKind::ComputedGoto(expr) | StmtKind::Return(Some(expr)) => {
            expr_contains_label(expr)
        }
        StmtKind::FixVla { length, .. } => expr_contains_label(length),
        StmtKind::Declare { init, .. } => init.as_ref().is_some_and(init_contains_label),
        StmtKind::Empty
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(None)
        | StmtKind::Asm(_) => false,
    }
}

fn block_contains_label(block: &Block) -> bool {
    block.items.iter().any(contains_label)
}

fn init_contains_label(init: &Init) -> bool {
    init.items.iter().any(|item| match &item.value {
        InitValue::Expr(value) => expr_contains_label(value),
        InitValue::String { .. } => false,
    })
}

fn place_contains_label(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Var(_) | PlaceKind::String(_) => false,
        PlaceKind::Deref(inner) | PlaceKind::Temporary(inner) => expr_contains_label(inner),
        PlaceKind::Field { base, .. } => place_contains_label(base),
        PlaceKind::CompoundLiteral { init, .. } => init_contains_label(init),
    }
}

/// A label in a statement expression.
fn expr_contains_label(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::FunctionAddress(_)
        | ExprKind::LabelAddress(_)
        | ExprKind::VlaSize { .. } => false,
        ExprKind::Load(place) | ExprKind::AddressOf(place) | ExprKind::VaArg(place) => {
            place_contains_label(place)
        }
        ExprKind::IncDec { place, .. } => place_contains_label(place),
        ExprKind::Unary(_, a) | ExprKind::Convert(a) => expr_contains_label(a),
        ExprKind::Binary(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Elvis {
            value: a,
            otherwise: b,
        }
        | ExprKind::PointerOffset {
            pointer: a,
            index: b,
            ..
        }
        | ExprKind::PointerDifference {
            left: a, right: b, ..
        } => expr_contains_label(a) || expr_contains_label(b),
        ExprKind::Conditional(a, b, c) => {
            expr_contains_label(a) || expr_contains_label(b) || expr_contains_label(c)
        }
        ExprKind::Assign(place, value)
        | ExprKind::CompoundAssign { place, value, .. }
        | ExprKind::CompoundPointer {
            place,
            index: value,
            ..
        } => place_contains_label(place) || expr_contains_label(value),
        ExprKind::Call { callee, args } => {
            args.iter().any(expr_contains_label)
                || matches!(callee, Callee::Pointer(pointer) if expr_contains_label(pointer))
        }
        ExprKind::Builtin(_, args) => args.iter().any(expr_contains_label),
        ExprKind::Statements(block) => block_contains_label(block),
    }
}
