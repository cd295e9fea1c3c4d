//! What evaluating an expression may change, and which expressions cannot fail: found on the typed
//! tree, before lowering decides how to keep C's order of evaluation.

use super::context::{Context, Home, Shape};
use super::frame::FunctionLowering;
use cfa::expr::{ExprId, ExprPool, Node, VarId};
use rustc_hash::FxHashSet;
use syntax::typed::{
    BinaryOp, Builtin, Callee, Expr, ExprKind, Part, Place, PlaceKind, Stmt, StmtKind,
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
            // The value of a read that takes an input is kept where it is read.
            ExprKind::Load(place) => self.memory |= context.reads_any_value(place.ty),
            ExprKind::Assign(place, _)
            | ExprKind::CompoundAssign { place, .. }
            | ExprKind::CompoundPointer { place, .. }
            | ExprKind::IncDec { place, .. } => self.add_written(context, place),
            ExprKind::Call { callee, .. } => {
                let pure = matches!(callee, Callee::Direct(id)
                    if context.intrinsic(*id).is_some_and(|intrinsic| intrinsic.is_pure()));
                if !pure {
                    self.memory = true;
                    self.globals = true;
                }
            }
            ExprKind::Builtin(builtin, _) if !is_pure_builtin(*builtin) => {
                self.memory = true;
                self.globals = true;
            }
            ExprKind::VaArg(_) => self.memory = true,
            ExprKind::Statements(_) => {
                self.everything = true;
                return;
            }
            _ => {}
        }
        self.add_parts(context, expr.parts());
    }

    fn add_parts<'t>(&mut self, context: &Context, parts: impl Iterator<Item = Part<'t>>) {
        for part in parts {
            match part {
                Part::Expr(expr) => self.add_expr(context, expr),
                Part::Place(place) => self.add_place(context, place),
                Part::Stmt(_) | Part::Block(_) => self.everything = true,
            }
        }
    }

    /// That the place changes; its parts are added by whoever asks.
    fn add_written(&mut self, context: &Context, place: &Place) {
        match &place.kind {
            PlaceKind::Var(id) if context.is_plain(*id) => match context.known_home(*id) {
                Some(Home::Variable(var)) => self.vars.push(var),
                // Not mentioned yet, so no expression made before can depend on it.
                _ => self.globals = true,
            },
            _ => self.memory = true,
        }
    }

    fn add_place(&mut self, context: &Context, place: &Place) {
        self.memory |= matches!(
            place.kind,
            PlaceKind::CompoundLiteral { .. } | PlaceKind::Temporary(_)
        );
        self.add_parts(context, place.parts());
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

pub(crate) fn is_pure_builtin(builtin: Builtin) -> bool {
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
        let shape = self.context.shape(expr.ty);
        let is_total = match &expr.kind {
            ExprKind::Load(place) => {
                matches!(&place.kind, PlaceKind::Var(id) if self.context.is_plain(*id))
            }
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) => {
                matches!(shape, Shape::Scalar(ty) if ty.is_float())
                    || matches!(by.kind, ExprKind::Int(bits) if bits != 0)
            }
            ExprKind::Conditional(..) | ExprKind::Convert(_) => matches!(shape, Shape::Scalar(_)),
            ExprKind::Builtin(builtin, _) => {
                is_pure_builtin(*builtin)
                    && !matches!(builtin, Builtin::ReturnAddress | Builtin::FrameAddress)
            }
            kind => kind.is_computation(),
        };
        is_total && expr.parts().all(|part| self.is_total_part(part))
    }

    fn is_total_part(&self, part: Part<'_>) -> bool {
        match part {
            Part::Expr(expr) => self.is_total(expr),
            Part::Place(place) => match &place.kind {
                PlaceKind::Var(_) | PlaceKind::String(_) => true,
                PlaceKind::Deref(pointer) => self.is_total(pointer),
                PlaceKind::Field { base, .. } => self.is_total_part(Part::Place(base)),
                PlaceKind::CompoundLiteral { .. } | PlaceKind::Temporary(_) => false,
            },
            Part::Stmt(_) | Part::Block(_) => false,
        }
    }
}

/// Whether control can come into the statement by a jump, also into a statement expression.
pub(crate) fn contains_label(statement: &Stmt) -> bool {
    is_label_in(Part::Stmt(statement))
}

fn is_label_in(part: Part<'_>) -> bool {
    matches!(part, Part::Stmt(statement) if matches!(statement.kind, StmtKind::Label(_)))
        || part.parts().any(is_label_in)
}
