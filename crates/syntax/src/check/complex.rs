//! Complex arithmetic as gcc computes it: C11's Annex G, where an operand that is real stays real.

use super::operand::{Operand, Value};
use super::tuple::{Spread, sequence};
use super::{Checker, Outcome};
use crate::ast;
use crate::complex;
use crate::constant::{self, Constant};
use crate::span::Span;
use crate::typed::{BinaryOp, Callee, CompareOp, Expr, ExprKind, UnaryOp};
use crate::types::{DataModel, FloatKind, FunctionType, Type, TypeId};

impl Checker<'_> {
    /// Both are numbers and at least one is complex.
    pub(super) fn has_complex(&self, a: TypeId, b: TypeId) -> bool {
        let types = self.types();
        let is_complex = |ty| types.complex_part(ty).is_some();
        (is_complex(a) || is_complex(b))
            && (is_complex(a) || types.is_arithmetic(a))
            && (is_complex(b) || types.is_arithmetic(b))
    }

    /// The common type of the parts of two numbers. Parts are not promoted.
    fn common_part(&self, a: TypeId, b: TypeId) -> TypeId {
        let types = self.types();
        let part = |ty| types.complex_part(ty).unwrap_or(ty);
        let (a, b) = (part(a), part(b));
        match (types.float_kind(a), types.float_kind(b)) {
            (None, None) => {
                let number = |ty| Value::plain(self.zero(types.unqualified(ty), Span::NONE));
                self.common_integer(&number(a), &number(b)).0
            }
            (a, b) => a.max(b).map_or(TypeId::DOUBLE, FloatKind::ty),
        }
    }

    /// The complex type in which two numbers meet.
    pub(super) fn common_complex(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let part = self.common_part(a, b);
        self.complex_of(part)
    }

    /// The parts of a number, converted: two of a complex one, one of a real one.
    fn numbers(&mut self, expr: Expr, part: TypeId, other: Option<&Expr>) -> Spread {
        let spread = match self.types().complex_part(expr.ty) {
            Some(_) => self.spread(expr, other),
            None => self.spread_number(expr, other),
        };
        let parts = spread.parts.into_iter();
        Spread {
            before: spread.before,
            parts: parts.map(|it| self.convert(it, part)).collect(),
        }
    }

    pub(super) fn complex_arithmetic(
        &mut self,
        op: BinaryOp,
        (left, right): (Value, Value),
        span: Span,
    ) -> Outcome<Value> {
        if !matches!(
            op,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div
        ) {
            let text = super::operator::spelling(op);
            return self.wrong_operands(text, &left.expr, &right.expr, span);
        }
        let (left, right) = (self.promote(left).expr, self.promote(right).expr);
        let part = self.common_part(left.ty, right.ty);
        let ty = self.complex_of(part);
        let a = self.numbers(left, part, Some(&right));
        let b = self.numbers(right, part, None);
        let before: Vec<Expr> = a.before.into_iter().chain(b.before).collect();
        let (a, b) = (a.parts, b.parts);
        let is_float = self.types().float_kind(part).is_some();
        let parts = match (op, a.as_slice(), b.as_slice()) {
            (BinaryOp::Add | BinaryOp::Sub, [ar, ai], [br, bi]) => {
                vec![
                    self.on_parts(op, ar, br, part, span),
                    self.on_parts(op, ai, bi, part, span),
                ]
            }
            (BinaryOp::Add | BinaryOp::Sub, [ar, ai], [b]) => {
                vec![self.on_parts(op, ar, b, part, span), ai.clone()]
            }
            (BinaryOp::Add, [a], [br, bi]) => {
                vec![self.on_parts(op, a, br, part, span), bi.clone()]
            }
            (BinaryOp::Sub, [a], [br, bi]) => {
                let negative = self.unary_expr(UnaryOp::Neg, bi.clone(), part, span);
                vec![self.on_parts(op, a, br, part, span), negative]
            }
            (BinaryOp::Mul | BinaryOp::Div, [ar, ai], [b]) => {
                vec![
                    self.on_parts(op, ar, b, part, span),
                    self.on_parts(op, ai, b, part, span),
                ]
            }
            (BinaryOp::Mul, [a], [br, bi]) => {
                vec![
                    self.on_parts(op, a, br, part, span),
                    self.on_parts(op, a, bi, part, span),
                ]
            }
            _ if !is_float && op == BinaryOp::Div => {
                return self.unsupported(span, "the division of complex integers");
            }
            _ => {
                let zero = self.zero(part, span);
                let whole = |mut parts: Vec<Expr>| {
                    parts.resize(2, zero.clone());
                    parts
                };
                let (a, b) = (whole(a), whole(b));
                if is_float {
                    let operands: Vec<Expr> = a.into_iter().chain(b).collect();
                    let value = self.annex_g(op, operands, part, ty, span)?;
                    return Ok(Value::plain(sequence(before, value)));
                }
                self.product(&a, &b, part, span)
            }
        };
        Ok(Value::plain(self.gathered(before, ty, parts, span)))
    }

    /// An operator on two parts of one type; the result is such a part again.
    fn on_parts(&mut self, op: BinaryOp, a: &Expr, b: &Expr, part: TypeId, span: Span) -> Expr {
        let (a, b) = (self.promoted(a), self.promoted(b));
        let ty = a.ty;
        let result = self.binary(op, a, b, ty, span);
        self.convert(result, part)
    }

    fn promoted(&mut self, part: &Expr) -> Expr {
        self.promote(Value::plain(part.clone())).expr
    }

    /// (a + bi)(c + di) = (ac - bd) + (ad + bc)i.
    fn product(&mut self, a: &[Expr], b: &[Expr], part: TypeId, span: Span) -> Vec<Expr> {
        let mut times = |x: &Expr, y: &Expr| self.on_parts(BinaryOp::Mul, x, y, part, span);
        let (ac, bd) = (times(&a[0], &b[0]), times(&a[1], &b[1]));
        let (ad, bc) = (times(&a[0], &b[1]), times(&a[1], &b[0]));
        vec![
            self.on_parts(BinaryOp::Sub, &ac, &bd, part, span),
            self.on_parts(BinaryOp::Add, &ad, &bc, part, span),
        ]
    }

    /// A product or quotient of complex floats: gcc calls a function of its own library for it, and
    /// computes with constants itself, without errors of rounding in between.
    fn annex_g(
        &mut self,
        op: BinaryOp,
        operands: Vec<Expr>,
        part: TypeId,
        ty: TypeId,
        span: Span,
    ) -> Outcome<Expr> {
        if operands.iter().all(|it| constant::leaf(it).is_some()) {
            if let Some(parts) = self.exactly(op, &operands, part, span) {
                return Ok(self.gathered(Vec::new(), ty, parts, span));
            }
            return self.unsupported(span, "rounding of complex constants");
        }
        // There the library keeps some values in wider registers, which ones is not known.
        let is_wide = part == TypeId::LONG_DOUBLE;
        if op == BinaryOp::Div && self.types().model == DataModel::Ilp32 && !is_wide {
            return self.unsupported(span, "a complex quotient with 32-bit pointers");
        }
        let operator = self.types().float_kind(part);
        let operator = operator.and_then(|kind| complex::operator(op == BinaryOp::Mul, kind));
        let Some(name) = operator else {
            return self.unsupported(span, "complex arithmetic of this type");
        };
        let name = self.names.intern(name);
        let function = self.program.types.intern(Type::Function(FunctionType {
            result: ty,
            params: vec![part; 4],
            variadic: false,
            prototyped: true,
        }));
        let id = self.function_by_name(name, function, span);
        self.mention_function(id);
        Ok(Expr {
            kind: ExprKind::Call {
                callee: Callee::Direct(id),
                args: operands,
            },
            ty,
            span,
        })
    }

    /// The result of constants if the plain formula computes it without rounding: it gives the same
    /// in a wider format.
    fn exactly(
        &mut self,
        op: BinaryOp,
        operands: &[Expr],
        part: TypeId,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let mut compute = |part: TypeId| {
            let wide: Vec<Expr> = operands
                .iter()
                .map(|it| self.convert(it.clone(), part))
                .collect();
            let (a, b) = wide.split_at(2);
            if op == BinaryOp::Mul {
                return self.product(a, b, part, span);
            }
            let conjugate = [
                b[0].clone(),
                self.unary_expr(UnaryOp::Neg, b[1].clone(), part, span),
            ];
            let upper = self.product(a, &conjugate, part, span);
            let lower = self.product(b, &conjugate, part, span);
            let quotient = |it: &Expr| self.on_parts(BinaryOp::Div, it, &lower[0], part, span);
            upper.iter().map(quotient).collect()
        };
        let (plain, wide) = (compute(part), compute(TypeId::FLOAT128));
        for (plain, wide) in plain.iter().zip(&wide) {
            let widened = self.convert(plain.clone(), TypeId::FLOAT128);
            match (constant::leaf(&widened)?, constant::leaf(wide)?) {
                (Constant::Float(a), Constant::Float(b)) if a == b => {}
                _ => return None,
            }
        }
        Some(plain)
    }

    /// `==` and `!=` of complex numbers.
    pub(super) fn compare_complex(
        &mut self,
        op: CompareOp,
        (left, right): (Value, Value),
        span: Span,
    ) -> Outcome<Expr> {
        if !matches!(op, CompareOp::Eq | CompareOp::Ne) {
            return self.error(span, "complex numbers are not ordered");
        }
        let (left, right) = (self.promote(left).expr, self.promote(right).expr);
        let part = self.common_part(left.ty, right.ty);
        let mut a = self.numbers(left, part, Some(&right));
        let mut b = self.numbers(right, part, None);
        let zero = self.zero(part, span);
        a.parts.resize(2, zero.clone());
        b.parts.resize(2, zero);
        let before = a.before.into_iter().chain(b.before).collect();
        let mut compared = Vec::new();
        for (a, b) in a.parts.into_iter().zip(b.parts) {
            let (a, b) = (Value::plain(a), Value::plain(b));
            compared.push(Box::new(self.compare(op, (a, b), span)?));
        }
        let (Some(imag), Some(real)) = (compared.pop(), compared.pop()) else {
            return self.error(span, "complex numbers without parts");
        };
        let kind = match op {
            CompareOp::Eq => ExprKind::And(real, imag),
            _ => ExprKind::Or(real, imag),
        };
        Ok(sequence(before, truth(kind, span)))
    }

    /// A complex number as a condition.
    pub(super) fn complex_condition(&mut self, expr: Expr) -> Outcome<Expr> {
        let span = expr.span;
        let zero = self.int_value(0, TypeId::INT, span);
        let (number, zero) = (Value::plain(expr), Value::plain(zero));
        self.compare_complex(CompareOp::Ne, (number, zero), span)
    }

    /// `-z`, and `~z`, which is the conjugate.
    pub(super) fn complex_unary(&mut self, op: UnaryOp, value: Expr, span: Span) -> Expr {
        let (ty, part) = (value.ty, self.types().complex_part(value.ty));
        let part = part.unwrap_or(TypeId::DOUBLE);
        let spread = self.spread(value, None);
        let parts = spread.parts.into_iter().enumerate();
        let parts = parts.map(|(index, it)| {
            if op == UnaryOp::BitNot && index == 0 {
                return it;
            }
            let it = self.promoted(&it);
            let promoted = it.ty;
            let negative = self.unary_expr(UnaryOp::Neg, it, promoted, span);
            self.convert(negative, part)
        });
        let parts = parts.collect();
        self.gathered(spread.before, ty, parts, span)
    }

    /// GNU's `__real__` and `__imag__`; of a real number too.
    pub(super) fn complex_part_of(
        &mut self,
        inner: &ast::Expr,
        index: u32,
        span: Span,
    ) -> Outcome<Operand> {
        let operand = self.operand(inner)?;
        self.part_of_operand(operand, index, span)
    }

    fn part_of_operand(&mut self, operand: Operand, index: u32, span: Span) -> Outcome<Operand> {
        let ty = self.type_of_operand(&operand);
        if self.types().complex_part(ty).is_some() {
            if let Operand::Place(place, _) = operand {
                let (part, bits) = self.field_place(place, index, span);
                return Ok(Operand::Place(part, bits));
            }
            let value = self.valued(operand)?.expr;
            let spread = self.spread(value, None);
            let part = spread.parts.into_iter().nth(index as usize);
            return match part {
                Some(part) => Ok(sequence(spread.before, part).into()),
                None => self.error(span, "a complex number without parts"),
            };
        }
        if !self.types().is_arithmetic(ty) {
            let message = "wrong type argument to '__real__' or '__imag__'";
            return self.error(span, message);
        }
        if index == 0 {
            return Ok(operand);
        }
        let value = self.valued(operand)?.expr;
        let zero = self.zero(value.ty, span);
        match self.survives(&value, None) {
            true => Ok(zero.into()),
            false => Ok(sequence(vec![value], zero).into()),
        }
    }

    /// GNU: the number times the imaginary unit.
    pub(super) fn imaginary(&mut self, real: &ast::Expr, span: Span) -> Outcome<Operand> {
        let number = self.value(real)?.expr;
        let part = number.ty;
        let ty = self.complex_of(part);
        let zero = self.zero(part, span);
        Ok(self
            .gathered(Vec::new(), ty, vec![zero, number], span)
            .into())
    }

    /// Conversion of a number where the number or the type is complex.
    pub(super) fn convert_complex(&mut self, expr: Expr, to: TypeId) -> Expr {
        let span = expr.span;
        let from_complex = self.types().complex_part(expr.ty).is_some();
        if let Some(part) = self.types().complex_part(to) {
            let mut spread = match from_complex {
                true => self.spread(expr, None),
                false => Spread {
                    before: Vec::new(),
                    parts: vec![expr],
                },
            };
            let zero = self.zero(part, span);
            spread.parts.resize(2, zero);
            let parts = spread.parts.into_iter();
            let parts = parts.map(|it| self.convert(it, part)).collect();
            return self.gathered(spread.before, to, parts, span);
        }
        if to == TypeId::BOOL {
            return match self.complex_condition(expr) {
                Ok(truth) => self.convert(truth, to),
                Err(_) => self.zero(to, span),
            };
        }
        let spread = self.spread(expr, None);
        let zero = self.zero(to, span);
        let real = spread.parts.into_iter().next().unwrap_or(zero);
        let real = self.convert(real, to);
        sequence(spread.before, real)
    }

    /// `__builtin_complex`, `__builtin_conj` and the parts of a number by the library's names.
    pub(super) fn complex_builtin(
        &mut self,
        rest: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<Outcome<Operand>> {
        let (family, part) =
            ["complex", "conj", "creal", "cimag"]
                .into_iter()
                .find_map(|family| match rest.strip_prefix(family)? {
                    "" => Some((family, TypeId::DOUBLE)),
                    "f" => Some((family, TypeId::FLOAT)),
                    "l" => Some((family, TypeId::LONG_DOUBLE)),
                    _ => None,
                })?;
        Some(self.complex_builtin_of(family, part, args, span))
    }

    fn complex_builtin_of(
        &mut self,
        family: &str,
        part: TypeId,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        let first = self.argument(args, 0, span)?;
        let first = self.value(first)?;
        if family == "complex" {
            let second = self.argument(args, 1, span)?;
            let second = self.value(second)?.expr;
            let part = first.expr.ty;
            if self.types().float_kind(part).is_none() || second.ty != part {
                return self.error(span, "'__builtin_complex' takes two floats of one type");
            }
            let ty = self.complex_of(part);
            let parts = vec![first.expr, second];
            return Ok(self.gathered(Vec::new(), ty, parts, span).into());
        }
        let ty = self.complex_of(part);
        let number = self.assigned(first, ty, super::convert::Context::Argument(1, None))?;
        if family == "conj" {
            return Ok(self.complex_unary(UnaryOp::BitNot, number, span).into());
        }
        let index = u32::from(family == "cimag");
        self.part_of_operand(number.into(), index, span)
    }
}

fn truth(kind: ExprKind, span: Span) -> Expr {
    Expr {
        kind,
        ty: TypeId::INT,
        span,
    }
}
