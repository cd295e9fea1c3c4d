//! The parts of nodes of the typed tree, one level down, in the order in which they are written.

use super::{Block, Callee, Expr, ExprKind, Init, InitValue, Place, PlaceKind, Stmt, StmtKind};

#[derive(Clone, Copy, Debug)]
pub enum Part<'t> {
    Expr(&'t Expr),
    Place(&'t Place),
    Stmt(&'t Stmt),
    Block(&'t Block),
}

impl<'t> Part<'t> {
    pub fn parts(self) -> Box<dyn Iterator<Item = Part<'t>> + 't> {
        match self {
            Part::Expr(expr) => Box::new(expr.parts()),
            Part::Place(place) => Box::new(place.parts()),
            Part::Stmt(stmt) => Box::new(stmt.parts().into_iter()),
            Part::Block(block) => Box::new(block.items.iter().map(Part::Stmt)),
        }
    }
}

impl Expr {
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        use Part::{Block, Expr, Place};
        let (parts, args) = match &self.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::VlaSize { .. } => ([None, None, None], [].as_slice()),
            ExprKind::Load(place)
            | ExprKind::AddressOf(place)
            | ExprKind::VaArg(place)
            | ExprKind::IncDec { place, .. } => ([Some(Place(place)), None, None], [].as_slice()),
            ExprKind::Unary(_, a) | ExprKind::Convert(a) => {
                ([Some(Expr(a)), None, None], [].as_slice())
            }
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
            } => ([Some(Expr(a)), Some(Expr(b)), None], [].as_slice()),
            ExprKind::Conditional(a, b, c) => {
                ([Some(Expr(a)), Some(Expr(b)), Some(Expr(c))], [].as_slice())
            }
            ExprKind::Assign(place, value)
            | ExprKind::CompoundAssign { place, value, .. }
            | ExprKind::CompoundPointer {
                place,
                index: value,
                ..
            } => ([Some(Place(place)), Some(Expr(value)), None], [].as_slice()),
            ExprKind::Call { callee, args } => {
                let pointer = match callee {
                    Callee::Direct(_) => None,
                    Callee::Pointer(pointer) => Some(Expr(pointer)),
                };
                ([pointer, None, None], args.as_slice())
            }
            ExprKind::Builtin(_, args) => ([None, None, None], args.as_slice()),
            ExprKind::Statements(block) => ([Some(Block(block)), None, None], [].as_slice()),
        };
        let parts = parts.into_iter().flatten();
        parts.chain(args.iter().map(Expr))
    }
}

impl ExprKind {
    /// Whether the value is computed from the parts' values, of memory at the most read, and
    /// nothing else happens: constants, reads and operators.
    pub fn is_computation(&self) -> bool {
        match self {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Load(_)
            | ExprKind::AddressOf(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Conditional(..)
            | ExprKind::PointerOffset { .. }
            | ExprKind::PointerDifference { .. }
            | ExprKind::Convert(_)
            | ExprKind::VlaSize { .. } => true,
            ExprKind::Elvis { .. }
            | ExprKind::Assign(..)
            | ExprKind::CompoundAssign { .. }
            | ExprKind::CompoundPointer { .. }
            | ExprKind::IncDec { .. }
            | ExprKind::Call { .. }
            | ExprKind::Builtin(..)
            | ExprKind::Comma(..)
            | ExprKind::Statements(_)
            | ExprKind::VaArg(_) => false,
        }
    }
}

impl Place {
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let (part, init) = match &self.kind {
            PlaceKind::Var(_) | PlaceKind::String(_) => (None, None),
            PlaceKind::Deref(value) | PlaceKind::Temporary(value) => {
                (Some(Part::Expr(value)), None)
            }
            PlaceKind::Field { base, .. } => (Some(Part::Place(base)), None),
            PlaceKind::CompoundLiteral { init, .. } => (None, Some(init)),
        };
        part.into_iter()
            .chain(init.into_iter().flat_map(|init| init.parts()))
    }
}

impl Init {
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.items.iter().filter_map(|item| match &item.value {
            InitValue::Expr(value) => Some(Part::Expr(value)),
            InitValue::String { .. } => None,
        })
    }
}

impl Stmt {
    pub fn parts(&self) -> Vec<Part<'_>> {
        use Part::{Block, Expr, Place, Stmt};
        match &self.kind {
            StmtKind::Empty
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None) => Vec::new(),
            StmtKind::Expr(expr)
            | StmtKind::FixVla { length: expr, .. }
            | StmtKind::ComputedGoto(expr)
            | StmtKind::Return(Some(expr)) => vec![Expr(expr)],
            StmtKind::Declare { init, .. } => init.iter().flat_map(|init| init.parts()).collect(),
            StmtKind::Block(block) => vec![Block(block)],
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let mut parts = vec![Expr(condition), Stmt(then)];
                parts.extend(otherwise.as_deref().map(Stmt));
                parts
            }
            StmtKind::While { condition, body } => vec![Expr(condition), Stmt(body)],
            StmtKind::DoWhile { body, condition } => vec![Stmt(body), Expr(condition)],
            StmtKind::For {
                init,
                condition,
                step,
                body,
            } => {
                let mut parts: Vec<Part<'_>> = init.iter().map(Stmt).collect();
                parts.extend(condition.as_deref().map(Expr));
                parts.extend(step.as_deref().map(Expr));
                parts.push(Stmt(body));
                parts
            }
            StmtKind::Switch { value, body, .. } => vec![Expr(value), Stmt(body)],
            StmtKind::Asm(asm) => {
                let outputs = asm.outputs.iter().map(Place);
                outputs.chain(asm.inputs.iter().map(Expr)).collect()
            }
        }
    }
}
