//! GNU's vectors: operators on all elements, conversions, subscripts, shuffles.

use super::operand::{Operand, Value};
use super::tuple::{Spread, read, sequence};
use super::{Checker, Outcome};
use crate::ast;
use crate::constant::{self, Constant};
use crate::span::Span;
use crate::typed::{BinaryOp, CompareOp, Expr, ExprKind, Place, PlaceKind, UnaryOp};
use crate::types::{DataModel, IntKind, Tuple, TypeId};

impl Checker<'_> {
    /// At least one is a vector.
    pub(super) fn has_vector(&self, a: TypeId, b: TypeId) -> bool {
        self.types().is_vector(a) || self.types().is_vector(b)
    }

    /// The elements of both operands, each converted to the element type of the vector that decides;
    /// a number beside a vector stands for all elements.
    #[allow(clippy::type_complexity)]
    fn pairs(
        &mut self,
        op: &str,
        left: Value,
        right: Value,
        converted: bool,
        span: Span,
    ) -> Outcome<(Tuple, Vec<Expr>, Vec<(Expr, Expr)>)> {
        let (left, right) = (self.promote_number(left), self.promote_number(right));
        let types = self.types();
        let vectors = (types.tuple(left.ty), types.tuple(right.ty));
        let is_number = |ty| types.is_arithmetic(ty) || types.is_vector(ty);
        let fits = is_number(left.ty) && is_number(right.ty);
        let (Some(tuple), true) = (vectors.0.or(vectors.1), fits) else {
            return self.wrong_operands(op, &left, &right, span);
        };
        if let (Some(a), Some(b)) = vectors
            && (a.count != b.count || !self.same_but_sign(a.element, b.element))
        {
            return self.wrong_operands(op, &left, &right, span);
        }
        let a = self.elements(left, tuple, converted, Some(&right));
        let b = self.elements(right, tuple, converted, None);
        let before = a.before.into_iter().chain(b.before).collect();
        Ok((tuple, before, a.parts.into_iter().zip(b.parts).collect()))
    }

    /// Elements keep their types; only the width of a bit-field is forgotten.
    fn promote_number(&mut self, value: Value) -> Expr {
        match value.bits {
            Some(_) => self.promote(value).expr,
            None => value.expr,
        }
    }

    fn same_but_sign(&self, a: TypeId, b: TypeId) -> bool {
        let types = self.types();
        match (types.int_kind(a), types.int_kind(b)) {
            (Some(a), Some(b)) => a.to_unsigned() == b.to_unsigned(),
            _ => a == b,
        }
    }

    fn elements(
        &mut self,
        expr: Expr,
        tuple: Tuple,
        converted: bool,
        other: Option<&Expr>,
    ) -> Spread {
        let spread = match self.types().is_vector(expr.ty) {
            true => self.spread(expr, other),
            false => {
                let spread = self.spread_number(expr, other);
                let number = spread.parts.into_iter().cycle();
                Spread {
                    before: spread.before,
                    parts: number.take(tuple.count as usize).collect(),
                }
            }
        };
        if !converted {
            return spread;
        }
        let parts = spread.parts.into_iter();
        Spread {
            before: spread.before,
            parts: parts.map(|it| self.convert(it, tuple.element)).collect(),
        }
    }

    pub(super) fn vector_arithmetic(
        &mut self,
        op: BinaryOp,
        (left, right): (Value, Value),
        span: Span,
    ) -> Outcome<Value> {
        let text = super::operator::spelling(op);
        let is_shift =
            matches!(op, BinaryOp::Shl | BinaryOp::Shr) && self.types().is_vector(left.expr.ty);
        let integral = !matches!(
            op,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div
        );
        // The count of a shift keeps its type.
        let (tuple, before, pairs) = self.pairs(text, left, right, !is_shift, span)?;
        let is_int = self.types().is_integer(tuple.element);
        if integral && !is_int {
            return self.error(
                span,
                format!("invalid operands to binary {text} of vectors"),
            );
        }
        let mut parts = Vec::with_capacity(pairs.len());
        for (a, b) in pairs {
            let (a, b) = self.lanes(op, a, b, tuple.element);
            let part = self.arithmetic(op, (Value::plain(a), Value::plain(b)), span)?;
            parts.push(self.convert(part.expr, tuple.element));
        }
        let ty = self.vector_type(tuple.element, tuple.count);
        Ok(Value::plain(self.gathered(before, ty, parts, span)))
    }

    /// Elements are not promoted, so that small unsigned ones cannot overflow.
    fn lanes(&mut self, op: BinaryOp, a: Expr, b: Expr, element: TypeId) -> (Expr, Expr) {
        let kind = self.types().int_kind(element);
        let small = |kind: IntKind| !kind.is_signed() && kind.rank() < IntKind::Int.rank();
        match op {
            BinaryOp::Mul if kind.is_some_and(small) => {
                (self.convert(a, TypeId::UINT), self.convert(b, TypeId::UINT))
            }
            _ => (a, b),
        }
    }

    /// A comparison gives a vector of integers as wide as the elements: -1 where it holds.
    pub(super) fn compare_vectors(
        &mut self,
        op: CompareOp,
        (left, right): (Value, Value),
        span: Span,
    ) -> Outcome<Expr> {
        let (tuple, before, pairs) = self.pairs("comparison", left, right, true, span)?;
        let Some(mask) = self.mask_type(tuple.element) else {
            return self.unsupported(span, "a comparison of vectors of this type");
        };
        let mut parts = Vec::with_capacity(pairs.len());
        for (a, b) in pairs {
            let holds = self.compare(op, (Value::plain(a), Value::plain(b)), span)?;
            let holds = self.convert(holds, mask);
            let zero = self.zero(mask, span);
            let (zero, holds) = (Value::plain(zero), Value::plain(holds));
            let part = self.arithmetic(BinaryOp::Sub, (zero, holds), span)?;
            parts.push(self.convert(part.expr, mask));
        }
        let ty = self.vector_type(mask, tuple.count);
        Ok(self.gathered(before, ty, parts, span))
    }

    /// The signed integer as wide as an element.
    fn mask_type(&self, element: TypeId) -> Option<TypeId> {
        if let Some(kind) = self.types().int_kind(element) {
            let signed = IntKind::ALL.into_iter().find(|it| {
                it.is_signed() && *it != IntKind::Char && it.to_unsigned() == kind.to_unsigned()
            });
            return signed.map(IntKind::ty);
        }
        match (self.types().size_of(element)?, self.types().model) {
            (2, _) => Some(TypeId::SHORT),
            (4, _) => Some(TypeId::INT),
            (8, DataModel::Lp64) => Some(TypeId::LONG),
            (8, DataModel::Ilp32) => Some(TypeId::LONG_LONG),
            _ => None,
        }
    }

    pub(super) fn vector_unary(&mut self, op: UnaryOp, value: Expr, span: Span) -> Outcome<Expr> {
        let Some(tuple) = self.types().tuple(value.ty) else {
            return self.error(span, "not a vector");
        };
        if op == UnaryOp::BitNot && !self.types().is_integer(tuple.element) {
            return self.error(span, "wrong type argument to bit-complement");
        }
        let ty = value.ty;
        let spread = self.spread(value, None);
        let parts = spread.parts.into_iter().map(|it| {
            let it = self.promote(Value::plain(it)).expr;
            let promoted = it.ty;
            let part = self.unary_expr(op, it, promoted, span);
            self.convert(part, tuple.element)
        });
        let parts = parts.collect();
        Ok(self.gathered(spread.before, ty, parts, span))
    }

    /// A cast between vectors, or a vector and an integer, of one size: the bytes stay.
    pub(super) fn cast_vector(&mut self, expr: Expr, to: TypeId, span: Span) -> Outcome<Expr> {
        let types = self.types();
        let sizes = (types.size_of(expr.ty), types.size_of(to));
        let is_bits = |ty| types.is_vector(ty) || types.is_integer(ty);
        if sizes.0 != sizes.1 || !is_bits(expr.ty) || !is_bits(to) {
            let message = format!(
                "cannot convert a value of type '{}' to vector type '{}' of another size",
                self.show(expr.ty),
                self.show(to)
            );
            return self.error(span, message);
        }
        if expr.ty == to {
            return Ok(expr);
        }
        let (assigned, place) = self.kept(expr);
        let pointer = self.program.types.pointer_to(to);
        let address = self.address(place, pointer);
        let place = Place {
            kind: PlaceKind::Deref(Box::new(address)),
            ty: to,
            span,
        };
        Ok(sequence(vec![assigned], read(place)))
    }

    /// `v[i]`, if the operand is a vector.
    pub(super) fn vector_element(
        &mut self,
        base: Operand,
        index: &ast::Expr,
        span: Span,
    ) -> Outcome<Operand> {
        let index = self.value(index)?;
        if !self.types().is_integer(index.expr.ty) {
            return self.error(index.expr.span, "array subscript is not an integer");
        }
        match base {
            Operand::Place(place, _) => {
                let element = self.element_at(place, index, span)?;
                Ok(Operand::Place(element, None))
            }
            other => {
                let value = self.valued(other)?.expr;
                let (assigned, place) = self.kept(value);
                let element = self.element_at(place, index, span)?;
                let element = self.valued(Operand::Place(element, None))?.expr;
                Ok(sequence(vec![assigned], element).into())
            }
        }
    }

    /// An element of a vector that lies somewhere.
    fn element_at(&mut self, place: Place, index: Value, span: Span) -> Outcome<Place> {
        let Some(tuple) = self.types().tuple(place.ty) else {
            return self.error(span, "not a vector");
        };
        if let Some(Constant::Int(bits)) = constant::leaf(&index.expr)
            && bits < u128::from(tuple.count)
        {
            return Ok(self.field_place(place, bits as u32, span).0);
        }
        if matches!(place.kind, PlaceKind::Temporary(_)) {
            return self.unsupported(span, "a subscript of this vector");
        }
        let (is_const, is_volatile) = self.types().qualifiers(place.ty);
        let element = tuple.element;
        let element = self.program.types.qualified(element, is_const, is_volatile);
        let pointer = self.program.types.pointer_to(element);
        let whole = self.program.types.pointer_to(place.ty);
        let address = self.address(place, whole);
        let first = self.convert(address, pointer);
        let address = self.pointer_offset(first, index, false, span)?;
        Ok(Place {
            kind: PlaceKind::Deref(Box::new(address)),
            ty: element,
            span,
        })
    }

    /// `__builtin_shuffle(v, mask)` and `__builtin_shuffle(v, w, mask)`.
    pub(super) fn shuffle(&mut self, args: &[ast::Expr], span: Span) -> Outcome<Operand> {
        let mut values = Vec::with_capacity(3);
        for arg in args {
            values.push(self.value(arg)?.expr);
        }
        let (first, second, mask) = match (values.pop(), values.pop(), values.pop()) {
            (Some(mask), Some(first), None) => (first, None, mask),
            (Some(mask), Some(second), Some(first)) => (first, Some(second), mask),
            _ => return self.error(span, "'__builtin_shuffle' takes two or three vectors"),
        };
        let ty = first.ty;
        let (Some(tuple), Some(choice)) = (self.types().tuple(ty), self.types().tuple(mask.ty))
        else {
            return self.error(span, "'__builtin_shuffle' takes vectors");
        };
        let others = second.as_ref().is_some_and(|second| second.ty != ty);
        if others || choice.count != tuple.count || !self.types().is_integer(choice.element) {
            return self.error(span, "the vectors of '__builtin_shuffle' do not fit");
        }
        let (assigned, first) = self.kept(first);
        let mut before = vec![assigned];
        let mut sources = vec![first];
        if let Some(second) = second {
            let (assigned, second) = self.kept(second);
            before.push(assigned);
            sources.push(second);
        }
        let mask = self.spread(mask, None);
        before.extend(mask.before);
        let mut parts = Vec::with_capacity(mask.parts.len());
        for index in mask.parts {
            parts.push(self.chosen(&sources, index, tuple, span)?);
        }
        Ok(self.gathered(before, ty, parts, span).into())
    }

    /// The element that a mask chooses; it counts modulo the number of elements.
    fn chosen(
        &mut self,
        sources: &[Place],
        index: Expr,
        tuple: Tuple,
        span: Span,
    ) -> Outcome<Expr> {
        let below = |checker: &mut Self, index: Expr, count: u32| {
            let mask = checker.int_value(i128::from(count) - 1, index.ty, span);
            let (index, mask) = (Value::plain(index), Value::plain(mask));
            checker.arithmetic(BinaryOp::BitAnd, (index, mask), span)
        };
        let mut found = Vec::with_capacity(2);
        for source in sources {
            let inside = below(self, index.clone(), tuple.count)?;
            let element = self.element_at(source.clone(), inside, span)?;
            found.push(self.valued(Operand::Place(element, None))?.expr);
        }
        let (Some(last), first) = (found.pop(), found.pop()) else {
            return self.error(span, "a shuffle of nothing");
        };
        let Some(first) = first else {
            return Ok(last);
        };
        // The bit above the index within one vector says which vector it is.
        let bit = self.int_value(i128::from(tuple.count), index.ty, span);
        let (index, bit) = (Value::plain(index), Value::plain(bit));
        let bit = self.arithmetic(BinaryOp::BitAnd, (index, bit), span)?;
        let condition = self.condition(bit)?;
        Ok(match condition.kind {
            ExprKind::Int(0) => first,
            ExprKind::Int(_) => last,
            _ => Expr {
                ty: last.ty,
                kind: ExprKind::Conditional(Box::new(condition), Box::new(last), Box::new(first)),
                span,
            },
        })
    }

    /// `__builtin_shufflevector(v, w, i, j, …)`: the indices are constants.
    pub(super) fn shuffle_constant(&mut self, args: &[ast::Expr], span: Span) -> Outcome<Operand> {
        let first = self.argument(args, 0, span)?;
        let first = self.value(first)?.expr;
        let second = self.argument(args, 1, span)?;
        let second = self.value(second)?.expr;
        let (Some(a), Some(b)) = (self.types().tuple(first.ty), self.types().tuple(second.ty))
        else {
            return self.error(span, "'__builtin_shufflevector' takes vectors");
        };
        let count = args.len() - 2;
        if a.element != b.element || !count.is_power_of_two() {
            return self.error(span, "the vectors of '__builtin_shufflevector' do not fit");
        }
        let a_spread = self.spread(first, Some(&second));
        let b_spread = self.spread(second, None);
        let before = a_spread.before.into_iter().chain(b_spread.before).collect();
        let all: Vec<Expr> = a_spread.parts.into_iter().chain(b_spread.parts).collect();
        let mut parts = Vec::with_capacity(count);
        for arg in &args[2..] {
            let index = self.integer_constant(arg, "an index of '__builtin_shufflevector'")?;
            let part = usize::try_from(index).ok().and_then(|index| all.get(index));
            match part {
                Some(part) => parts.push(part.clone()),
                None if index == -1 => {
                    return self.unsupported(arg.span, "an element that may be anything");
                }
                None => return self.error(arg.span, "index out of the range of both vectors"),
            }
        }
        let ty = self.vector_type(a.element, count as u32);
        Ok(self.gathered(before, ty, parts, span).into())
    }

    /// `__builtin_convertvector(v, type)`: each element as a conversion gives it.
    pub(super) fn convert_vector(
        &mut self,
        value: &ast::Expr,
        name: &ast::TypeName,
        span: Span,
    ) -> Outcome<Operand> {
        let value = self.value(value)?.expr;
        let to = self.type_name(name)?;
        let to = self.types().unqualified(to);
        let (Some(from), Some(target)) = (self.types().tuple(value.ty), self.types().tuple(to))
        else {
            return self.error(span, "'__builtin_convertvector' takes a vector");
        };
        if from.count != target.count {
            return self.error(
                span,
                "'__builtin_convertvector' of another number of elements",
            );
        }
        let spread = self.spread(value, None);
        let parts = spread.parts.into_iter();
        let parts = parts.map(|it| self.convert(it, target.element)).collect();
        Ok(self.gathered(spread.before, to, parts, span).into())
    }
}
