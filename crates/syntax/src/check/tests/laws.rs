//! The laws of the typed tree, asserted for a whole program.

use crate::typed::{
    BinaryOp, Block, Callee, Expr, ExprKind, FuncId, Init, InitValue, Place, PlaceKind, Stmt,
    StmtKind, TypedProgram, UnaryOp, VarKind,
};
use crate::types::{DataModel, IntKind, Type, TypeId};

/// Panics with the place if the program breaks a law.
pub(super) fn assert_lawful(program: &TypedProgram) {
    let laws = Laws { program };
    for &id in &program.globals {
        let var = &program.vars[id.0 as usize];
        assert!(
            var.external || program.types.size_of(var.ty).is_some(),
            "an object without a size at {:?}",
            var.span
        );
        if let Some(init) = &var.init {
            laws.init(var.ty, init);
        }
    }
    for (index, function) in program.functions.iter().enumerate() {
        let ty = program
            .types
            .function(function.ty)
            .expect("functions have function types");
        let Some(body) = &function.body else { continue };
        assert_eq!(
            function.params.len(),
            ty.params.len(),
            "parameters at {:?}",
            function.span
        );
        for (&param, &wanted) in function.params.iter().zip(&ty.params) {
            let var = &program.vars[param.0 as usize];
            assert_eq!(var.kind, VarKind::Param);
            assert_eq!(var.function, Some(FuncId(index as u32)));
            assert!(
                laws.same(var.ty, wanted),
                "a parameter's type at {:?}",
                var.span
            );
        }
        let labels = body.labels.len();
        laws.block(&body.block, ty.result, labels);
    }
}

struct Laws<'a> {
    program: &'a TypedProgram,
}

impl Laws<'_> {
    fn plain(&self, ty: TypeId) -> TypeId {
        self.program.types.unqualified(ty)
    }

    /// Equal but for qualifiers and for records of other units (and declarations completed later).
    fn same(&self, a: TypeId, b: TypeId) -> bool {
        self.plain(a) == self.plain(b)
            || matches!(
                (self.program.types.shape(a), self.program.types.shape(b)),
                (Type::Pointer(_), Type::Pointer(_)) | (Type::Record(_), Type::Record(_))
            )
    }

    fn block(&self, block: &Block, result: TypeId, labels: usize) {
        for &var in &block.vars {
            let var = &self.program.vars[var.0 as usize];
            assert!(
                matches!(var.kind, VarKind::Local | VarKind::Hidden),
                "{:?}",
                var.span
            );
        }
        for stmt in &block.items {
            self.stmt(stmt, result, labels);
        }
    }

    fn stmt(&self, stmt: &Stmt, result: TypeId, labels: usize) {
        let condition = |expr: &Expr| {
            assert_eq!(expr.ty, TypeId::INT, "a condition at {:?}", expr.span);
            self.expr(expr, result, labels);
        };
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Expr(expr) => self.expr(expr, result, labels),
            StmtKind::Declare { var, init } => {
                let var = &self.program.vars[var.0 as usize];
                if let Some(init) = init {
                    self.init(var.ty, init);
                }
            }
            StmtKind::FixVla { length, vla } => {
                let var = self.program.vlas[vla.0 as usize];
                assert_eq!(self.program.vars[var.0 as usize].ty, length.ty);
                assert_eq!(length.ty, self.program.types.size_type());
                self.expr(length, result, labels);
            }
            StmtKind::Block(block) => self.block(block, result, labels),
            StmtKind::If {
                condition: test,
                then,
                otherwise,
            } => {
                condition(test);
                self.stmt(then, result, labels);
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise, result, labels);
                }
            }
            StmtKind::While {
                condition: test,
                body,
            }
            | StmtKind::DoWhile {
                body,
                condition: test,
            } => {
                condition(test);
                self.stmt(body, result, labels);
            }
            StmtKind::For {
                init,
                condition: test,
                step,
                body,
            } => {
                for stmt in init {
                    self.stmt(stmt, result, labels);
                }
                if let Some(test) = test {
                    condition(test);
                }
                if let Some(step) = step {
                    self.expr(step, result, labels);
                }
                self.stmt(body, result, labels);
            }
            StmtKind::Switch {
                value,
                body,
                cases,
                default,
            } => {
                self.expr(value, result, labels);
                let Type::Int(kind) = *self.program.types.get(value.ty) else {
                    panic!("a switch value at {:?}", value.span)
                };
                assert!(kind.rank() >= IntKind::Int.rank());
                for case in cases {
                    assert!((case.label.0 as usize) < labels);
                }
                assert!(default.is_none_or(|label| (label.0 as usize) < labels));
                self.stmt(body, result, labels);
            }
            StmtKind::Label(label) | StmtKind::Goto(label) => {
                assert!((label.0 as usize) < labels);
            }
            StmtKind::ComputedGoto(expr) => self.expr(expr, result, labels),
            StmtKind::Return(None) => {}
            StmtKind::Return(Some(expr)) => {
                assert!(
                    self.same(expr.ty, result),
                    "a returned value at {:?}",
                    expr.span
                );
                self.expr(expr, result, labels);
            }
            StmtKind::Asm(asm) => {
                for place in &asm.outputs {
                    self.place(place, result, labels);
                }
                for input in &asm.inputs {
                    self.expr(input, result, labels);
                }
            }
        }
    }

    fn init(&self, ty: TypeId, init: &Init) {
        assert!(!init.whole || init.items.len() == 1);
        for item in &init.items {
            let InitValue::Expr(expr) = &item.value else {
                continue;
            };
            if init.whole {
                assert!(
                    self.same(expr.ty, ty),
                    "an initial value at {:?}",
                    expr.span
                );
            }
            self.expr(expr, TypeId::VOID, usize::MAX);
        }
    }

    fn place(&self, place: &Place, result: TypeId, labels: usize) {
        match &place.kind {
            PlaceKind::Var(var) => {
                let var = &self.program.vars[var.0 as usize];
                assert!(
                    self.same(var.ty, place.ty)
                        || matches!(self.program.types.shape(var.ty), Type::Array { .. }),
                    "a variable at {:?}",
                    place.span
                );
            }
            PlaceKind::Deref(pointer) => {
                assert_eq!(
                    self.program.types.pointee(pointer.ty),
                    Some(place.ty),
                    "a dereference at {:?}",
                    place.span
                );
                self.expr(pointer, result, labels);
            }
            PlaceKind::Field { base, field } => {
                let record = self.program.types.record_id(base.ty).expect("a record");
                let layout = self
                    .program
                    .types
                    .record(record)
                    .layout
                    .as_ref()
                    .expect("complete");
                let field = &layout.fields[*field as usize];
                assert!(self.same(field.ty, place.ty) || self.is_array(place.ty));
                self.place(base, result, labels);
            }
            PlaceKind::String(_) => {}
            PlaceKind::CompoundLiteral { var, init } => {
                assert!(self.same(self.program.vars[var.0 as usize].ty, place.ty));
                self.init(place.ty, init);
            }
            PlaceKind::Temporary(expr) => {
                assert!(self.same(expr.ty, place.ty));
                self.expr(expr, result, labels);
            }
        }
    }

    fn is_array(&self, ty: TypeId) -> bool {
        matches!(self.program.types.shape(ty), Type::Array { .. })
    }

    fn index(&self, index: &Expr) {
        let types = &self.program.types;
        assert!(
            index.ty == types.ptrdiff_type() || index.ty == types.size_type(),
            "an index at {:?}",
            index.span
        );
    }

    fn expr(&self, expr: &Expr, result: TypeId, labels: usize) {
        let types = &self.program.types;
        let at = expr.span;
        assert_eq!(expr.ty, self.plain(expr.ty), "a qualified value at {at:?}");
        assert!(
            !matches!(types.get(expr.ty), Type::Array { .. } | Type::Function(_)),
            "an array or function as a value at {at:?}"
        );
        let each = |list: &[&Expr]| list.iter().for_each(|e| self.expr(e, result, labels));
        match &expr.kind {
            ExprKind::Int(bits) => {
                let (width, _) = types.int_bits(expr.ty).expect("an integer or pointer type");
                assert!(
                    width == 128 || bits >> width == 0,
                    "a pattern too wide at {at:?}"
                );
            }
            ExprKind::Float(_) => assert!(types.float_kind(expr.ty).is_some(), "{at:?}"),
            ExprKind::Load(place) => {
                assert!(self.same(place.ty, expr.ty), "a load at {at:?}");
                self.place(place, result, labels);
            }
            ExprKind::AddressOf(place) => {
                assert!(types.is_pointer(expr.ty));
                self.place(place, result, labels);
            }
            ExprKind::FunctionAddress(id) => {
                assert!((id.0 as usize) < self.program.functions.len());
                assert!(self.program.functions[id.0 as usize].address_taken);
            }
            ExprKind::LabelAddress(label) => assert!((label.0 as usize) < labels),
            ExprKind::Unary(UnaryOp::Not, inner) => {
                assert!(
                    types.is_scalar(inner.ty) && expr.ty == TypeId::INT,
                    "{at:?}"
                );
                each(&[inner]);
            }
            ExprKind::Unary(_, inner) => {
                assert_eq!(inner.ty, expr.ty, "{at:?}");
                self.assert_promoted(expr);
                each(&[inner]);
            }
            ExprKind::Binary(op, left, right) => {
                assert_eq!(left.ty, expr.ty, "the left operand at {at:?}");
                self.assert_promoted(expr);
                if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
                    self.assert_promoted(right);
                } else {
                    assert_eq!(right.ty, expr.ty, "the right operand at {at:?}");
                }
                each(&[left, right]);
            }
            ExprKind::Compare(_, left, right) => {
                assert_eq!(left.ty, right.ty, "a comparison at {at:?}");
                assert_eq!(expr.ty, TypeId::INT);
                each(&[left, right]);
            }
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                assert_eq!(
                    (left.ty, right.ty, expr.ty),
                    (TypeId::INT, TypeId::INT, TypeId::INT)
                );
                each(&[left, right]);
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                assert!(types.is_scalar(condition.ty));
                assert_eq!(
                    (then.ty, otherwise.ty),
                    (expr.ty, expr.ty),
                    "branches at {at:?}"
                );
                each(&[condition, then, otherwise]);
            }
            ExprKind::Elvis { value, otherwise } => {
                assert_eq!(
                    (value.ty, otherwise.ty),
                    (expr.ty, expr.ty),
                    "branches at {at:?}"
                );
                each(&[value, otherwise]);
            }
            ExprKind::PointerOffset { pointer, index, .. } => {
                assert_eq!(pointer.ty, expr.ty);
                self.index(index);
                each(&[pointer, index]);
            }
            ExprKind::PointerDifference { left, right, .. } => {
                assert_eq!(left.ty, right.ty);
                assert_eq!(expr.ty, types.ptrdiff_type());
                each(&[left, right]);
            }
            ExprKind::Convert(inner) => {
                let list = |ty| *types.get(ty) == Type::VaList;
                assert!(
                    expr.ty == TypeId::VOID
                        || types.is_scalar(expr.ty) && types.is_scalar(inner.ty)
                        || list(expr.ty)
                        || list(inner.ty),
                    "a conversion at {at:?}"
                );
                each(&[inner]);
            }
            ExprKind::Assign(place, value) => {
                assert!(self.same(place.ty, value.ty), "an assignment at {at:?}");
                assert_eq!(self.plain(place.ty), expr.ty);
                self.place(place, result, labels);
                each(&[value]);
            }
            ExprKind::CompoundAssign {
                op,
                place,
                value,
                compute,
            } => {
                if !matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
                    assert_eq!(value.ty, *compute, "a compound assignment at {at:?}");
                }
                self.place(place, result, labels);
                each(&[value]);
            }
            ExprKind::CompoundPointer { place, index, .. } => {
                assert!(types.is_pointer(place.ty));
                self.index(index);
                self.place(place, result, labels);
                each(&[index]);
            }
            ExprKind::IncDec { place, element, .. } => {
                assert_eq!(types.is_pointer(place.ty), element.is_some());
                self.place(place, result, labels);
            }
            ExprKind::Call { callee, args } => {
                let function = match callee {
                    Callee::Direct(id) => self.program.functions[id.0 as usize].ty,
                    Callee::Pointer(pointer) => {
                        self.expr(pointer, result, labels);
                        types.pointee(pointer.ty).expect("a pointer is called")
                    }
                };
                let function = types.function(function).expect("a function is called");
                if function.prototyped {
                    // A prototype may follow the call.
                    for (arg, &param) in args.iter().zip(&function.params) {
                        assert!(
                            self.same(arg.ty, param) || types.is_scalar(arg.ty),
                            "an argument at {:?}",
                            arg.span
                        );
                    }
                }
                for arg in args {
                    self.expr(arg, result, labels);
                }
            }
            ExprKind::Builtin(_, args) => args.iter().for_each(|a| self.expr(a, result, labels)),
            ExprKind::Comma(left, right) => {
                assert_eq!(right.ty, expr.ty);
                each(&[left, right]);
            }
            ExprKind::Statements(block) => {
                if let Some(Stmt {
                    kind: StmtKind::Expr(last),
                    ..
                }) = block.items.last()
                {
                    assert_eq!(last.ty, expr.ty, "a statement expression at {at:?}");
                }
                self.block(block, result, labels);
            }
            ExprKind::VaArg(place) => {
                assert_eq!(*types.shape(place.ty), Type::VaList);
                self.place(place, result, labels);
            }
            ExprKind::VlaSize { .. } => assert_eq!(expr.ty, types.size_type()),
        }
        assert!(
            *types.get(expr.ty) != Type::VaList || types.model == DataModel::Ilp32,
            "a list of arguments as a value at {at:?}"
        );
    }

    /// Arithmetic happens in `int` or wider, or in a float.
    fn assert_promoted(&self, expr: &Expr) {
        match *self.program.types.get(expr.ty) {
            Type::Int(kind) => {
                assert!(
                    kind.rank() >= IntKind::Int.rank(),
                    "not promoted at {:?}",
                    expr.span
                );
            }
            Type::Float(_) => {}
            _ => panic!("not arithmetic at {:?}", expr.span),
        }
    }
}
