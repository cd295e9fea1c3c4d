//! Functions that the library calls back: which calls it makes, and in which order, is its own
//! affair. Nobody notices if such a function does nothing but compute.

use super::context::Context;
use syntax::typed::{
    Callee, Expr, ExprKind, FuncId, Part, Place, PlaceKind, StmtKind, VarKind, Variable,
};

/// Functions of the library that only read what they are given.
const QUIET: &str = "strcmp strncmp strcasecmp strncasecmp memcmp bcmp strlen strnlen strchr strrchr strstr abs labs \
    llabs tolower toupper fabs fabsf";

/// Calls within calls, deeper ones are not looked at.
const DEPTH: usize = 6;

impl Context<'_> {
    /// The model of a library function that calls one of these arguments back, if somebody could
    /// notice which calls it makes.
    pub fn watched_model(&self, id: FuncId, args: &[Expr]) -> Option<&'static str> {
        let name = self.names.get(self.function(id).name);
        let watched = match name {
            "qsort" => "__concord_qsort",
            "bsearch" => "__concord_bsearch",
            _ => return None,
        };
        let is_quiet = args.last().is_some_and(|last| self.calls_quiet(last));
        (!is_quiet).then_some(watched)
    }

    /// Whether a call of the pointer only computes.
    fn calls_quiet(&self, pointer: &Expr) -> bool {
        match &pointer.kind {
            ExprKind::Convert(inner) => self.calls_quiet(inner),
            ExprKind::FunctionAddress(id) => self.is_quiet(*id, DEPTH),
            // One of those whose address is taken somewhere.
            _ => {
                let ids = (0..self.typed.functions.len()).map(|id| FuncId(id as u32));
                let mut taken = ids.filter(|&id| {
                    let function = self.function(id);
                    function.address_taken && function.body.is_some() && function.params.len() == 2
                });
                taken.all(|id| self.is_quiet(id, DEPTH))
            }
        }
    }

    fn is_quiet(&self, id: FuncId, depth: usize) -> bool {
        let function = self.function(self.aliased(id));
        let Some(body) = &function.body else {
            let name = self.names.get(function.name);
            return QUIET.split_ascii_whitespace().any(|known| known == name);
        };
        // The library's own function in place of one that has its name only computes, too.
        depth > 0 && self.is_quiet_part(Part::Block(&body.block), depth)
    }

    fn is_quiet_part(&self, part: Part<'_>, depth: usize) -> bool {
        let is_quiet = match part {
            Part::Stmt(stmt) => !matches!(stmt.kind, StmtKind::Asm(_)),
            Part::Block(_) | Part::Place(_) => true,
            Part::Expr(expr) => match &expr.kind {
                ExprKind::Load(place) => !self.has_volatile_parts(place.ty),
                ExprKind::Assign(place, _)
                | ExprKind::CompoundAssign { place, .. }
                | ExprKind::CompoundPointer { place, .. }
                | ExprKind::IncDec { place, .. } => self.is_own(place),
                ExprKind::Call { callee, .. } => match callee {
                    Callee::Direct(id) => self.is_quiet(*id, depth - 1),
                    Callee::Pointer(_) => false,
                },
                ExprKind::Builtin(builtin, _) => super::effects::is_pure_builtin(*builtin),
                ExprKind::VaArg(_) => false,
                _ => true,
            },
        };
        is_quiet && part.parts().all(|part| self.is_quiet_part(part, depth))
    }

    /// A variable of the call itself, or a part of one.
    fn is_own(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Var(id) => {
                let Variable { kind, .. } = self.variable(*id);
                matches!(kind, VarKind::Local | VarKind::Param | VarKind::Hidden)
            }
            PlaceKind::Field { base, .. } => self.is_own(base),
            PlaceKind::CompoundLiteral { .. } | PlaceKind::Temporary(_) => true,
            PlaceKind::Deref(_) | PlaceKind::String(_) => false,
        }
    }
}
