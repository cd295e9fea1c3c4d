//! Expressions: names, literals, places, casts and what is decided while checking.

use super::operand::{Operand, Value};
use super::scope::Binding;
use super::{Checker, Outcome};
use crate::ast::{self, BasicType, CharWidth, Designator, ExprKind as Ast};
use crate::constant;
use crate::span::{Name, Span};
use crate::typed::{
    ElementSize, Expr, ExprKind, Place, PlaceKind, StringId, StringLiteral, VarKind,
};
use crate::types::{ArrayLen, DataModel, FloatKind, IntKind, RecordId, Type, TypeId};
use arith::float;

impl Checker<'_> {
    /// The value of an expression: C11 6.3.2.1 applied to what it denotes.
    pub(super) fn value(&mut self, expr: &ast::Expr) -> Outcome<Value> {
        let operand = self.operand(expr)?;
        self.valued(operand)
    }

    /// What an expression denotes.
    pub(super) fn operand(&mut self, expr: &ast::Expr) -> Outcome<Operand> {
        self.deeper(expr.span, |checker| checker.operand_inner(expr))
    }

    // Every arm is a call, so that the frame of this function, which recursion repeats, stays small.
    fn operand_inner(&mut self, expr: &ast::Expr) -> Outcome<Operand> {
        let span = expr.span;
        match &expr.kind {
            Ast::Name(name) => self.name(*name, span),
            Ast::Int {
                value,
                decimal,
                unsigned,
                longs,
            } => self.integer_literal(*value, *decimal, *unsigned, *longs, span),
            Ast::Float { text, ty } => self.float_literal(text, *ty, span),
            Ast::Char { value, width } => Ok(self.character(*value, *width, span).into()),
            Ast::String { units, width } => Ok(self.string(units, *width, span)),
            Ast::Unary(op, inner) => self.unary(*op, inner, span),
            Ast::Binary(op, left, right) => self.binary_expression(*op, left, right, span),
            Ast::Assign(op, left, right) => self.assignment(*op, left, right, span),
            Ast::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then.as_deref(), otherwise, span)
            }
            Ast::Comma(left, right) => self.comma(left, right, span),
            Ast::Cast(name, inner) => self.cast(name, inner, span),
            Ast::CompoundLiteral(name, items) => self.compound_literal(name, items, span),
            Ast::Call(callee, args) => self.call(callee, args, span),
            Ast::Index(base, index) => self.index(base, index, span),
            Ast::Member { base, field, arrow } => self.member_access(base, field, *arrow, span),
            Ast::SizeofExpr(inner) => self.sizeof_expression(inner, span),
            Ast::SizeofType(name) => self.sizeof_type(name, span),
            Ast::AlignofExpr(inner) => self.alignof_expression(inner, span),
            Ast::AlignofType(name) => self.alignof_type(name, span),
            Ast::StatementExpr(block) => self.statements(block, span),
            Ast::LabelAddress(label) => {
                let id = self.label_with_address(label)?;
                let kind = ExprKind::LabelAddress(id);
                Ok(Expr {
                    kind,
                    ty: TypeId::VOID_POINTER,
                    span,
                }
                .into())
            }
            Ast::Generic { control, arms } => self.generic(control, arms, span),
            Ast::VaArg(list, name) => self.va_arg(list, name, span),
            Ast::Offsetof(name, path) => self.offsetof(name, path, span),
            Ast::TypesCompatible(left, right) => self.types_compatible(left, right, span),
            Ast::ChooseExpr(condition, then, otherwise) => {
                let chosen =
                    self.integer_constant(condition, "first argument to '__builtin_choose_expr'")?;
                self.operand(if chosen != 0 { then } else { otherwise })
            }
        }
    }

    pub(super) fn name(&mut self, name: Name, span: Span) -> Outcome<Operand> {
        match self.scopes.find(name) {
            Some(Binding::Var(id)) => {
                self.mention_variable(id);
                let ty = self.program.vars[id.0 as usize].ty;
                Ok(Operand::Place(
                    Place {
                        kind: PlaceKind::Var(id),
                        ty,
                        span,
                    },
                    None,
                ))
            }
            Some(Binding::Func(id)) => {
                self.mention_function(id);
                Ok(Operand::Function(id, span))
            }
            Some(Binding::Enumerator(index)) => {
                let (ty, bits) = self.scopes.table.enumerators[index as usize];
                Ok(Expr {
                    kind: ExprKind::Int(bits),
                    ty,
                    span,
                }
                .into())
            }
            Some(Binding::Typedef(_)) => {
                let message = format!("expected expression before type name '{}'", self.text(name));
                self.error(span, message)
            }
            None => self.undeclared(name, span),
        }
    }

    #[inline(never)]
    fn undeclared(&mut self, name: Name, span: Span) -> Outcome<Operand> {
        if self.known.func.contains(&name) && self.function.is_some() {
            return Ok(self.function_name(span));
        }
        // A library function by its builtin name, mentioned without a call.
        if let Some(id) = self.library_builtin(name, span) {
            self.mention_function(id);
            return Ok(Operand::Function(id, span));
        }
        if let Some(context) = &mut self.function {
            if context.undeclared.contains(&name) {
                return Err(super::Reported);
            }
            context.undeclared.push(name);
        }
        let place = if self.function.is_some() {
            "undeclared (first use in this function)"
        } else {
            "undeclared here (not in a function)"
        };
        let message = format!("'{}' {place}", self.text(name));
        self.error(span, message)
    }

    /// `__func__`: a constant array of characters.
    fn function_name(&mut self, span: Span) -> Operand {
        let known = self
            .function
            .as_ref()
            .and_then(|context| context.name_string);
        let string = match known {
            Some(string) => string,
            None => {
                let id = self.function.as_ref().map(|context| context.id);
                let name = id.map(|id| self.program.functions[id.0 as usize].name);
                let mut bytes = name.map_or_else(Vec::new, |n| self.text(n).as_bytes().to_vec());
                bytes.push(0);
                let string = self.new_string(bytes, 1, span);
                if let Some(context) = &mut self.function {
                    context.name_string = Some(string);
                }
                string
            }
        };
        let length = self.program.strings[string.0 as usize].bytes.len() as u64;
        let element = self.program.types.qualified(TypeId::CHAR, true, false);
        let ty = self
            .program
            .types
            .array_of(element, ArrayLen::Fixed(length));
        Operand::Place(
            Place {
                kind: PlaceKind::String(string),
                ty,
                span,
            },
            None,
        )
    }

    fn new_string(&mut self, bytes: Vec<u8>, unit_bytes: u8, span: Span) -> StringId {
        let id = StringId(self.program.strings.len() as u32);
        self.program.strings.push(StringLiteral {
            bytes,
            unit_bytes,
            span,
        });
        id
    }

    /// C11 6.4.4.1: the first type of a list in which the value fits.
    fn integer_literal(
        &mut self,
        value: u128,
        decimal: bool,
        unsigned: bool,
        longs: u8,
        span: Span,
    ) -> Outcome<Operand> {
        let model = self.types().model;
        let ladder = [
            IntKind::Int,
            IntKind::Long,
            IntKind::LongLong,
            IntKind::Int128,
        ];
        for kind in ladder.into_iter().skip(usize::from(longs.min(2))) {
            if kind == IntKind::Int128 && model == DataModel::Ilp32 {
                break;
            }
            let bits = u32::from(kind.bits(model));
            if !unsigned && value <= arith::int::signed_max(bits) {
                return Ok(Expr {
                    kind: ExprKind::Int(value),
                    ty: kind.ty(),
                    span,
                }
                .into());
            }
            if (unsigned || !decimal) && value <= arith::int::mask(bits) {
                let ty = kind.to_unsigned().ty();
                return Ok(Expr {
                    kind: ExprKind::Int(value),
                    ty,
                    span,
                }
                .into());
            }
        }
        // gcc: a decimal constant beyond the largest signed type is unsigned.
        if value <= u128::from(u64::MAX) {
            self.warn(span, "integer constant is so large that it is unsigned");
            let ty = TypeId::ULONG_LONG;
            return Ok(Expr {
                kind: ExprKind::Int(value),
                ty,
                span,
            }
            .into());
        }
        self.error(span, "integer constant is too large for its type")
    }

    fn float_literal(&mut self, text: &str, ty: BasicType, span: Span) -> Outcome<Operand> {
        let kind = match ty {
            BasicType::Float16 => FloatKind::Float16,
            BasicType::Float => FloatKind::Float,
            BasicType::LongDouble => FloatKind::LongDouble,
            BasicType::Float128 => FloatKind::Float128,
            BasicType::Complex => return self.unsupported(span, "an imaginary constant"),
            _ => FloatKind::Double,
        };
        match float::parse(kind.format(), text) {
            Ok(bits) => Ok(Expr {
                kind: ExprKind::Float(bits),
                ty: kind.ty(),
                span,
            }
            .into()),
            Err(_) => self.error(span, format!("invalid floating constant '{text}'")),
        }
    }

    fn character(&mut self, value: u32, width: CharWidth, span: Span) -> Expr {
        let ty = match width {
            CharWidth::Plain => TypeId::INT,
            CharWidth::Utf8 => TypeId::UCHAR,
            CharWidth::Wide => self.types().wchar_type(),
            CharWidth::U16 => TypeId::USHORT,
            CharWidth::U32 => TypeId::UINT,
        };
        // The value of a wide character is that of its code unit, also where the type is signed.
        let bits = self.types().int_bits(ty).map_or(32, |(bits, _)| bits);
        Expr {
            kind: ExprKind::Int(arith::int::truncate(u128::from(value), bits)),
            ty,
            span,
        }
    }

    fn string(&mut self, units: &[u32], width: CharWidth, span: Span) -> Operand {
        let element = self.unit_type(width);
        let unit_bytes = match width {
            CharWidth::Plain | CharWidth::Utf8 => 1u8,
            CharWidth::U16 => 2,
            CharWidth::Wide | CharWidth::U32 => 4,
        };
        let mut bytes = Vec::with_capacity((units.len() + 1) * usize::from(unit_bytes));
        for &unit in units.iter().chain(&[0]) {
            bytes.extend_from_slice(&unit.to_le_bytes()[..usize::from(unit_bytes)]);
        }
        let string = self.new_string(bytes, unit_bytes, span);
        let len = ArrayLen::Fixed(units.len() as u64 + 1);
        let ty = self.program.types.array_of(element, len);
        Operand::Place(
            Place {
                kind: PlaceKind::String(string),
                ty,
                span,
            },
            None,
        )
    }

    /// The type of the elements of a string literal.
    pub(super) fn unit_type(&self, width: CharWidth) -> TypeId {
        match width {
            CharWidth::Plain | CharWidth::Utf8 => TypeId::CHAR,
            CharWidth::Wide => self.types().wchar_type(),
            CharWidth::U16 => TypeId::USHORT,
            CharWidth::U32 => TypeId::UINT,
        }
    }

    /// `a[i]` is `*(a + i)`.
    #[inline(never)]
    fn index(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Outcome<Operand> {
        let left = self.value(base)?;
        let right = self.value(index)?;
        let (pointer, index) = if self.types().is_pointer(left.expr.ty) {
            (left, right)
        } else {
            (right, left)
        };
        let Some(element) = self.types().pointee(pointer.expr.ty) else {
            return self.error(span, "subscripted value is neither array nor pointer");
        };
        if !self.types().is_integer(index.expr.ty) {
            return self.error(index.expr.span, "array subscript is not an integer");
        }
        if let Type::Function(_) = self.types().shape(element) {
            return self.error(span, "subscripted value is pointer to function");
        }
        let pointer = self.pointer_offset(pointer.expr, index, false, span)?;
        self.dereference(pointer, span)
    }

    /// What a pointer points to, as a place or as a function.
    pub(super) fn dereference(&mut self, pointer: Expr, span: Span) -> Outcome<Operand> {
        let Some(ty) = self.types().pointee(pointer.ty) else {
            let message = format!(
                "invalid type argument of unary '*' (have '{}')",
                self.show(pointer.ty)
            );
            return self.error(span, message);
        };
        if let ExprKind::FunctionAddress(id) = pointer.kind {
            return Ok(Operand::Function(id, span));
        }
        // `*&x` is `x`, if the types agree: a conversion in between would show.
        if let ExprKind::AddressOf(place) = pointer.kind {
            let place = *place;
            if place.ty == ty {
                return Ok(Operand::Place(Place { span, ..place }, None));
            }
            let kind = ExprKind::AddressOf(Box::new(place));
            let pointer = Expr {
                kind,
                ty: pointer.ty,
                span: pointer.span,
            };
            return Ok(Operand::Place(
                Place {
                    kind: PlaceKind::Deref(Box::new(pointer)),
                    ty,
                    span,
                },
                None,
            ));
        }
        Ok(Operand::Place(
            Place {
                kind: PlaceKind::Deref(Box::new(pointer)),
                ty,
                span,
            },
            None,
        ))
    }

    #[inline(never)]
    fn member_access(
        &mut self,
        base: &ast::Expr,
        field: &ast::Ident,
        arrow: bool,
        span: Span,
    ) -> Outcome<Operand> {
        let place = if arrow {
            let pointer = self.value(base)?.expr;
            match self.dereference(pointer, base.span)? {
                Operand::Place(place, _) => place,
                _ => return self.error(base.span, "request for member in something not a record"),
            }
        } else {
            match self.operand(base)? {
                Operand::Place(place, _) => place,
                Operand::Value(value) => {
                    let (ty, span) = (value.expr.ty, value.expr.span);
                    Place {
                        kind: PlaceKind::Temporary(Box::new(value.expr)),
                        ty,
                        span,
                    }
                }
                Operand::Function(..) => {
                    return self.error(base.span, "request for member in a function");
                }
            }
        };
        let Some(record) = self.types().record_id(place.ty) else {
            let message = format!(
                "request for member '{}' in something not a structure or union",
                self.text(field.name)
            );
            return self.error(field.span, message);
        };
        self.check_record_use(record, base.span)?;
        let mut path = Vec::new();
        if !self.find_member(record, field.name, &mut path) {
            let message = format!(
                "'{}' has no member named '{}'",
                self.show(place.ty),
                self.text(field.name)
            );
            return self.error(field.span, message);
        }
        let mut place = place;
        let mut bits = None;
        for index in path {
            (place, bits) = self.field_place(place, index, span);
        }
        Ok(Operand::Place(place, bits))
    }

    /// The indices of the members that lead to a name, through anonymous records.
    pub(super) fn find_member(&self, record: RecordId, name: Name, path: &mut Vec<u32>) -> bool {
        let Some(layout) = &self.types().record(record).layout else {
            return false;
        };
        if let Some(index) = layout
            .fields
            .iter()
            .position(|field| field.name == Some(name))
        {
            path.push(index as u32);
            return true;
        }
        for (index, field) in layout.fields.iter().enumerate() {
            if field.name.is_none()
                && field.bits.is_none()
                && let Some(inner) = self.types().record_id(field.ty)
            {
                path.push(index as u32);
                if self.find_member(inner, name, path) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }

    /// A member of a record place; it inherits the qualifiers.
    fn field_place(&mut self, base: Place, index: u32, span: Span) -> (Place, Option<u8>) {
        let field = self
            .types()
            .record_id(base.ty)
            .and_then(|id| self.types().record(id).layout.as_ref())
            .and_then(|layout| layout.fields.get(index as usize));
        let (ty, bits) = match field {
            Some(field) => (field.ty, field.bits.map(|bits| bits.width)),
            None => (TypeId::INT, None),
        };
        let (is_const, is_volatile) = self.types().qualifiers(base.ty);
        let ty = self.program.types.qualified(ty, is_const, is_volatile);
        let kind = PlaceKind::Field {
            base: Box::new(base),
            field: index,
        };
        (Place { kind, ty, span }, bits)
    }

    #[inline(never)]
    fn comma(&mut self, left: &ast::Expr, right: &ast::Expr, span: Span) -> Outcome<Operand> {
        let left = self.value(left)?.expr;
        let right = self.value(right)?;
        // A constant does nothing.
        if constant::leaf(&left).is_some() {
            return Ok(Operand::Value(right));
        }
        let ty = right.expr.ty;
        let kind = ExprKind::Comma(Box::new(left), Box::new(right.expr));
        Ok(Operand::Value(Value {
            expr: Expr { kind, ty, span },
            bits: right.bits,
        }))
    }

    #[inline(never)]
    fn statements(&mut self, block: &ast::Block, span: Span) -> Outcome<Operand> {
        if self.function.is_none() {
            return self.error(span, "braced-group within expression outside a function");
        }
        let block = self.statement_expression(block)?;
        let ty = self.block_type(&block);
        Ok(Expr {
            kind: ExprKind::Statements(Box::new(block)),
            ty,
            span,
        }
        .into())
    }

    #[inline(never)]
    fn cast(&mut self, name: &ast::TypeName, inner: &ast::Expr, span: Span) -> Outcome<Operand> {
        let mark = self.pending_mark();
        let to = self.type_name(name)?;
        let to = self.types().unqualified(to);
        let value = self.value(inner)?;
        let expr = self.cast_value(value, to, span)?;
        Ok(self.after_pending(mark, expr).into())
    }

    fn cast_value(&mut self, value: Value, to: TypeId, span: Span) -> Outcome<Expr> {
        let from = value.expr.ty;
        let types = self.types();
        match (types.get(to), types.get(from)) {
            (Type::Void, _) => {}
            (Type::Array { .. }, _) => return self.error(span, "cast specifies array type"),
            (Type::Function(_), _) => return self.error(span, "cast specifies function type"),
            (Type::Record(id), _) => {
                let id = *id;
                self.check_record_use(id, span)?;
                return self.cast_to_record(value, id, to, span);
            }
            (Type::Pointer(_), Type::Float(_)) => {
                return self.error(span, "cannot convert to a pointer type");
            }
            (Type::Float(_), Type::Pointer(_)) => {
                return self.error(
                    span,
                    "pointer value used where a floating-point was expected",
                );
            }
            // `(va_list)ap` on i386, where it is a pointer.
            (_, Type::VaList) | (Type::VaList, _) => {}
            _ => self.check_scalar(&value.expr, "used where a scalar is required")?,
        }
        let expr = self.convert(value.expr, to);
        Ok(Expr { span, ..expr })
    }

    /// GNU: a cast to a union makes a union of the value; a cast of a record to its own type is nothing.
    fn cast_to_record(
        &mut self,
        value: Value,
        record: RecordId,
        to: TypeId,
        span: Span,
    ) -> Outcome<Expr> {
        if self.compatible_unqualified(value.expr.ty, to) {
            return Ok(value.expr);
        }
        if self.types().record(record).kind == ast::RecordKind::Union
            && let Some(expr) = self.union_of(value, record, to)
        {
            return Ok(expr);
        }
        self.error(span, "conversion to non-scalar type requested")
    }

    #[inline(never)]
    fn compound_literal(
        &mut self,
        name: &ast::TypeName,
        items: &[ast::InitItem],
        span: Span,
    ) -> Outcome<Operand> {
        let mark = self.pending_mark();
        let ty = self.type_name(name)?;
        if self.has_variable_size(ty) {
            return self.error(span, "compound literal has variable size");
        }
        if !self.take_pending(mark, span).is_empty() {
            return self.unsupported(span, "a compound literal of variably modified type");
        }
        let is_static = self.function.is_none() || self.static_initializers > 0;
        let (init, ty) = self.list_initializer(ty, items, span, is_static)?;
        if self.types().size_of(ty).is_none() {
            return self.error(span, "compound literal has incomplete type");
        }
        let var = self.new_hidden(ty, span);
        if is_static {
            let variable = &mut self.program.vars[var.0 as usize];
            variable.init = Some(init);
            variable.kind = VarKind::Hidden;
            self.program.globals.push(var);
            return Ok(Operand::Place(
                Place {
                    kind: PlaceKind::Var(var),
                    ty,
                    span,
                },
                None,
            ));
        }
        let kind = PlaceKind::CompoundLiteral {
            var,
            init: Box::new(init),
        };
        Ok(Operand::Place(Place { kind, ty, span }, None))
    }

    #[inline(never)]
    fn sizeof_expression(&mut self, inner: &ast::Expr, span: Span) -> Outcome<Operand> {
        let operand = self.unevaluated(|checker| checker.operand(inner))?;
        if operand.is_bit_field() {
            return self.error(span, "'sizeof' applied to a bit-field");
        }
        let ty = self.type_of_operand(&operand);
        Ok(self.size_value(ty, span)?.into())
    }

    #[inline(never)]
    fn sizeof_type(&mut self, name: &ast::TypeName, span: Span) -> Outcome<Operand> {
        let mark = self.pending_mark();
        let ty = self.type_name(name)?;
        let size = self.size_value(ty, span)?;
        Ok(self.after_pending(mark, size).into())
    }

    fn size_value(&mut self, ty: TypeId, span: Span) -> Outcome<Expr> {
        let size_type = self.types().size_type();
        match *self.types().shape(ty) {
            // GNU.
            Type::Void | Type::Function(_) => return Ok(self.int_value(1, size_type, span)),
            _ => {}
        }
        if let Some(size) = self.types().size_of(ty) {
            return Ok(self.int_value(i128::from(size), size_type, span));
        }
        if let Type::Array {
            element,
            len: ArrayLen::Variable(vla),
        } = *self.types().shape(ty)
        {
            let element = self.element_size(element, span)?;
            return Ok(Expr {
                kind: ExprKind::VlaSize { vla, element },
                ty: size_type,
                span,
            });
        }
        if self.has_variable_size(ty)
            && let Type::Array {
                element,
                len: ArrayLen::Fixed(count),
            } = *self.types().shape(ty)
        {
            let one = self.size_value(element, span)?;
            let count = self.int_value(i128::from(count), size_type, span);
            return Ok(self.binary(crate::typed::BinaryOp::Mul, one, count, size_type, span));
        }
        let message = format!(
            "invalid application of 'sizeof' to incomplete type '{}'",
            self.show(ty)
        );
        self.error(span, message)
    }

    #[inline(never)]
    fn alignof_expression(&mut self, inner: &ast::Expr, span: Span) -> Outcome<Operand> {
        let operand = self.unevaluated(|checker| checker.operand(inner))?;
        if operand.is_bit_field() {
            return self.error(span, "'_Alignof' applied to a bit-field");
        }
        let ty = self.type_of_operand(&operand);
        let own = match &operand {
            Operand::Place(
                Place {
                    kind: PlaceKind::Var(id),
                    ..
                },
                _,
            ) => self.program.vars[id.0 as usize].align,
            _ => None,
        };
        let align = match own {
            Some(align) => align,
            None => self.align_of(ty, span)?,
        };
        let size_type = self.types().size_type();
        Ok(self.int_value(i128::from(align), size_type, span).into())
    }

    #[inline(never)]
    fn alignof_type(&mut self, name: &ast::TypeName, span: Span) -> Outcome<Operand> {
        let ty = self.type_name(name)?;
        let align = self.align_of(ty, span)?;
        let size_type = self.types().size_type();
        Ok(self.int_value(i128::from(align), size_type, span).into())
    }

    pub(super) fn align_of(&mut self, ty: TypeId, span: Span) -> Outcome<u64> {
        let mut inner = ty;
        // The alignment of an array is that of its elements, whatever its length.
        while let Type::Array { element, .. } = *self.types().shape(inner) {
            inner = element;
        }
        match *self.types().shape(inner) {
            Type::Void | Type::Function(_) => return Ok(1),
            _ => {}
        }
        match self.types().align_of(inner) {
            Some(align) => Ok(align),
            None => {
                let message = format!(
                    "invalid application of '_Alignof' to incomplete type '{}'",
                    self.show(ty)
                );
                self.error(span, message)
            }
        }
    }

    #[inline(never)]
    fn generic(
        &mut self,
        control: &ast::Expr,
        arms: &[(Option<ast::TypeName>, ast::Expr)],
        span: Span,
    ) -> Outcome<Operand> {
        let control = self.unevaluated(|checker| checker.value(control))?.expr.ty;
        let mut chosen = None;
        let mut default = None;
        for (name, expr) in arms {
            match name {
                None => default = Some(expr),
                Some(name) => {
                    let ty = self.type_name(name)?;
                    if chosen.is_none() && self.compatible(control, ty) {
                        chosen = Some(expr);
                    }
                }
            }
        }
        match chosen.or(default) {
            Some(expr) => self.operand(expr),
            None => {
                let shown = self.show(control);
                let message = format!(
                    "'_Generic' selector of type '{shown}' is not compatible with any association"
                );
                self.error(span, message)
            }
        }
    }

    #[inline(never)]
    fn types_compatible(
        &mut self,
        left: &ast::TypeName,
        right: &ast::TypeName,
        span: Span,
    ) -> Outcome<Operand> {
        let left = self.unevaluated(|checker| checker.type_name(left))?;
        let right = self.unevaluated(|checker| checker.type_name(right))?;
        // gcc: enums are apart from each other and from integers here.
        let distinct = |checker: &Checker<'_>, a: TypeId, b: TypeId| {
            matches!(checker.types().shape(a), Type::Enum(_))
                && checker.types().unqualified(a) != checker.types().unqualified(b)
        };
        let same = self.compatible_unqualified(left, right)
            && !distinct(self, left, right)
            && !distinct(self, right, left);
        Ok(self.int_value(i128::from(same), TypeId::INT, span).into())
    }

    /// The offset of a member; an index that is no constant makes it a sum.
    #[inline(never)]
    fn offsetof(
        &mut self,
        name: &ast::TypeName,
        path: &[Designator],
        span: Span,
    ) -> Outcome<Operand> {
        let mut ty = self.type_name(name)?;
        let size_type = self.types().size_type();
        let mut offset = 0u64;
        let mut variable: Option<Expr> = None;
        for step in path {
            match step {
                Designator::Field(field) => {
                    let Some(record) = self.types().record_id(ty) else {
                        let message = format!(
                            "request for member '{}' in something not a structure or union",
                            self.text(field.name)
                        );
                        return self.error(field.span, message);
                    };
                    self.check_record_use(record, span)?;
                    let mut indices = Vec::new();
                    if !self.find_member(record, field.name, &mut indices) {
                        let message = format!(
                            "'{}' has no member named '{}'",
                            self.show(ty),
                            self.text(field.name)
                        );
                        return self.error(field.span, message);
                    }
                    for index in indices {
                        let found = self
                            .types()
                            .record_id(ty)
                            .and_then(|id| self.types().record(id).layout.as_ref())
                            .and_then(|layout| layout.fields.get(index as usize));
                        let Some(field) = found else { break };
                        if field.bits.is_some() {
                            return self.error(
                                span,
                                "attempt to take address of bit-field structure member",
                            );
                        }
                        offset += field.offset;
                        ty = field.ty;
                    }
                }
                Designator::Index(index) => {
                    let Type::Array { element, .. } = *self.types().shape(ty) else {
                        return self.error(span, "subscripted value in 'offsetof' is not an array");
                    };
                    let ElementSize::Bytes(size) = self.element_size(element, span)? else {
                        return self.unsupported(span, "'offsetof' in an array of variable size");
                    };
                    let index = self.value(index)?;
                    if !self.types().is_integer(index.expr.ty) {
                        return self.error(index.expr.span, "array subscript is not an integer");
                    }
                    let index = self.convert(index.expr, size_type);
                    let size = self.int_value(i128::from(size), size_type, span);
                    let step =
                        self.binary(crate::typed::BinaryOp::Mul, index, size, size_type, span);
                    match (step.kind, variable.take()) {
                        (ExprKind::Int(bits), before) => {
                            offset = offset.wrapping_add(bits as u64);
                            variable = before;
                        }
                        (kind, before) => {
                            let step = Expr {
                                kind,
                                ty: size_type,
                                span,
                            };
                            variable = Some(match before {
                                None => step,
                                Some(before) => self.binary(
                                    crate::typed::BinaryOp::Add,
                                    before,
                                    step,
                                    size_type,
                                    span,
                                ),
                            });
                        }
                    }
                    ty = element;
                }
                Designator::Range(..) => {
                    return self.error(span, "a range is no member designator");
                }
            }
        }
        let constant = self.int_value(i128::from(offset), size_type, span);
        Ok(match variable {
            None => constant,
            Some(sum) => self.binary(crate::typed::BinaryOp::Add, sum, constant, size_type, span),
        }
        .into())
    }
}
