//! Complex numbers and vectors: several numbers that C and GNU C compute with at once.
//!
//! A value of such a type is a record whose members, without names, are the numbers. An operation
//! on it becomes one operation for each number, here: nothing behind the checker knows more than
//! records. An operand is [`Spread`] into its numbers, which can then be read as often as need be,
//! and results are gathered in a compound literal.

use super::operand::{Operand, Value};
use super::{Checker, Outcome};
use crate::ast;
use crate::constant;
use crate::diagnostics::Diagnostic;
use crate::span::Span;
use crate::typed::{BinaryOp, Expr, ExprKind, Init, InitItem, InitValue, Place, PlaceKind};
use crate::types::{Field, Record, RecordId, RecordLayout, Tuple, TupleKind, Type, TypeId};

/// The most numbers of a vector.
const MAX_NUMBERS: u64 = 1024;

/// A value as its numbers: reading them has no effect and can be repeated.
pub(super) struct Spread {
    /// What is to be evaluated first.
    pub(super) before: Vec<Expr>,
    pub(super) parts: Vec<Expr>,
}

impl Checker<'_> {
    pub(super) fn complex_of(&mut self, part: TypeId) -> TypeId {
        self.tuple_type(Tuple {
            kind: TupleKind::Complex,
            element: part,
            count: 2,
        })
    }

    /// The vector of so many bytes whose elements have the type.
    pub(super) fn vector_of(&mut self, ty: TypeId, size: u64, span: Span) -> Outcome<TypeId> {
        let (is_const, is_volatile) = self.types().qualifiers(ty);
        let element = self.types().unqualified(ty);
        let is_number = match *self.types().get(element) {
            Type::Int(kind) => kind != crate::types::IntKind::Bool,
            Type::Float(_) => true,
            _ => false,
        };
        let bytes = match self.types().size_of(element) {
            Some(bytes) if is_number => bytes,
            _ => return self.error(span, "invalid vector type for attribute 'vector_size'"),
        };
        if !size.is_multiple_of(bytes) || !(size / bytes).is_power_of_two() {
            return self.error(
                span,
                "the size of a vector is not its elements times a power of 2",
            );
        }
        if size / bytes > MAX_NUMBERS {
            return self.unsupported(
                span,
                format!("a vector of more than {MAX_NUMBERS} elements"),
            );
        }
        let vector = self.vector_type(element, (size / bytes) as u32);
        Ok(self.program.types.qualified(vector, is_const, is_volatile))
    }

    pub(super) fn vector_type(&mut self, element: TypeId, count: u32) -> TypeId {
        self.tuple_type(Tuple {
            kind: TupleKind::Vector,
            element,
            count,
        })
    }

    fn tuple_type(&mut self, tuple: Tuple) -> TypeId {
        let mut records = self.types().records.iter();
        let id = match records.position(|record| record.tuple == Some(tuple)) {
            Some(index) => RecordId(index as u32),
            None => {
                let layout = self.tuple_layout(tuple);
                self.new_record(Record {
                    kind: ast::RecordKind::Struct,
                    tag: None,
                    layout: Some(layout),
                    transparent_union: false,
                    tuple: Some(tuple),
                    span: Span::NONE,
                })
            }
        };
        self.program.types.intern(Type::Record(id))
    }

    /// A complex number is aligned as its parts are, a vector to its size.
    fn tuple_layout(&self, tuple: Tuple) -> RecordLayout {
        let element = self.types().layout_of(tuple.element);
        let (step, align) = element.map_or((1, 1), |layout| (layout.size, layout.align));
        let size = step * u64::from(tuple.count);
        let fields = (0..u64::from(tuple.count)).map(|index| Field {
            name: None,
            ty: tuple.element,
            offset: index * step,
            bits: None,
            attributed: false,
        });
        RecordLayout {
            fields: fields.collect(),
            size,
            align: match tuple.kind {
                TupleKind::Complex => align,
                TupleKind::Vector => size,
            },
            user_align: false,
        }
    }

    /// An expression whose value can be read again later, also when `other` was evaluated.
    pub(super) fn survives(&self, expr: &Expr, other: Option<&Expr>) -> bool {
        let unmoved = match other {
            Some(other) => self.is_plain(other),
            None => true,
        };
        constant::leaf(expr).is_some() || unmoved && self.is_plain(expr)
    }

    /// A constant, or what a variable holds.
    fn is_plain(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) => true,
            ExprKind::Load(place) => self.is_steady(place) || self.constant_parts(expr).is_some(),
            ExprKind::Convert(inner) => self.is_plain(inner),
            _ => false,
        }
    }

    /// A variable or a member of one, which nobody changes from outside.
    fn is_steady(&self, place: &Place) -> bool {
        let (_, is_volatile) = self.types().qualifiers(place.ty);
        match &place.kind {
            PlaceKind::Var(_) => !is_volatile && self.types().size_of(place.ty).is_some(),
            PlaceKind::Field { base, .. } => !is_volatile && self.is_steady(base),
            _ => false,
        }
    }

    /// The numbers of a literal if all of them are constants.
    pub(super) fn constant_parts(&self, expr: &Expr) -> Option<Vec<Expr>> {
        let ExprKind::Load(place) = &expr.kind else {
            return None;
        };
        let PlaceKind::CompoundLiteral { init, .. } = &place.kind else {
            return None;
        };
        let tuple = self.types().tuple(expr.ty)?;
        let step = self.types().size_of(tuple.element)?;
        let zero = self.zero(tuple.element, expr.span);
        let mut parts = vec![zero; tuple.count as usize];
        for item in &init.items {
            let InitValue::Expr(value) = &item.value else {
                return None;
            };
            constant::leaf(value)?;
            let index = usize::try_from(item.offset / step).ok()?;
            *parts.get_mut(index)? = value.clone();
        }
        Some(parts)
    }

    /// The numbers of a complex number or vector. `other` is evaluated between this and the use of
    /// the numbers.
    pub(super) fn spread(&mut self, expr: Expr, other: Option<&Expr>) -> Spread {
        if let Some(parts) = self.constant_parts(&expr) {
            return Spread {
                before: Vec::new(),
                parts,
            };
        }
        let survives = self.survives(&expr, other);
        let count = self.types().tuple(expr.ty).map_or(0, |tuple| tuple.count);
        let span = expr.span;
        let (before, place) = match expr.kind {
            ExprKind::Load(place) if survives => (Vec::new(), *place),
            kind => {
                let (assigned, place) = self.kept(Expr { kind, ..expr });
                (vec![assigned], place)
            }
        };
        let parts = (0..count).map(|index| self.part_of(&place, index, span));
        let parts = parts.collect();
        Spread { before, parts }
    }

    /// A number as it can be read again, and what is to be evaluated for that first.
    pub(super) fn spread_number(&mut self, expr: Expr, other: Option<&Expr>) -> Spread {
        if self.survives(&expr, other) {
            return Spread {
                before: Vec::new(),
                parts: vec![expr],
            };
        }
        let (assigned, place) = self.kept(expr);
        Spread {
            before: vec![assigned],
            parts: vec![read(place)],
        }
    }

    /// One of the numbers of a place.
    pub(super) fn part_of(&mut self, place: &Place, index: u32, span: Span) -> Expr {
        let (part, _) = self.field_place(place.clone(), index, span);
        let ty = self.types().unqualified(part.ty);
        Expr {
            kind: ExprKind::Load(Box::new(part)),
            ty,
            span,
        }
    }

    /// The assignment of a value to a hidden variable, and that variable.
    pub(super) fn kept(&mut self, expr: Expr) -> (Expr, Place) {
        let (ty, span) = (expr.ty, expr.span);
        self.refuse_in_claims(span);
        let kind = PlaceKind::Var(self.new_hidden(ty, span));
        let place = Place { kind, ty, span };
        let kind = ExprKind::Assign(Box::new(place.clone()), Box::new(expr));
        (Expr { kind, ty, span }, place)
    }

    /// An expression that was given as text has nowhere to keep values.
    fn refuse_in_claims(&mut self, span: Span) {
        if self.resumed {
            self.diagnostics.push(Diagnostic::unsupported(
                span,
                "a complex number or vector in an expression about a program",
            ));
        }
    }

    /// The value that consists of the numbers, which are evaluated behind the other expressions.
    pub(super) fn gathered(
        &mut self,
        before: Vec<Expr>,
        ty: TypeId,
        parts: Vec<Expr>,
        span: Span,
    ) -> Expr {
        self.refuse_in_claims(span);
        let element = self.types().tuple(ty).map(|tuple| tuple.element);
        let step = element.and_then(|element| self.types().size_of(element));
        let step = step.unwrap_or(0);
        let items = parts.into_iter().zip(0u64..).map(|(part, index)| InitItem {
            offset: index * step,
            bits: None,
            value: InitValue::Expr(part),
        });
        let init = Box::new(Init {
            items: items.collect(),
            whole: false,
        });
        let var = self.new_hidden(ty, span);
        let kind = PlaceKind::CompoundLiteral { var, init };
        sequence(before, read(Place { kind, ty, span }))
    }

    /// `++` and `--` of a complex number or vector, `op=` where one of both sides is one.
    pub(super) fn tuple_compound(
        &mut self,
        op: BinaryOp,
        place: Place,
        value: Value,
        postfix: bool,
        span: Span,
    ) -> Outcome<Expr> {
        let ty = self.types().unqualified(place.ty);
        let mut before = Vec::new();
        let place = match self.is_steady(&place) && self.is_plain(&value.expr) {
            true => place,
            false => {
                let (pointee, place_span) = (place.ty, place.span);
                let pointer = self.program.types.pointer_to(pointee);
                let address = self.address(place, pointer);
                let (assigned, pointer) = self.kept(address);
                before.push(assigned);
                Place {
                    kind: PlaceKind::Deref(Box::new(read(pointer))),
                    ty: pointee,
                    span: place_span,
                }
            }
        };
        let mut old = self.valued(Operand::Place(place.clone(), None))?.expr;
        let mut result = None;
        if postfix {
            let (assigned, kept) = self.kept(old);
            before.push(assigned);
            old = read(kept.clone());
            result = Some(read(kept));
        }
        let new = self.arithmetic(op, (Value::plain(old), value), span)?;
        let new = self.assigned(new, ty, super::convert::Context::Assignment)?;
        let kind = ExprKind::Assign(Box::new(place), Box::new(new));
        let assigned = Expr { kind, ty, span };
        Ok(match result {
            None => sequence(before, assigned),
            Some(result) => {
                before.push(assigned);
                sequence(before, result)
            }
        })
    }
}

/// The value of a place of unqualified type.
pub(super) fn read(place: Place) -> Expr {
    let (ty, span) = (place.ty, place.span);
    Expr {
        kind: ExprKind::Load(Box::new(place)),
        ty,
        span,
    }
}

/// Evaluates some expressions for their effects, then the last one for its value.
pub(super) fn sequence(before: Vec<Expr>, last: Expr) -> Expr {
    let (ty, span) = (last.ty, last.span);
    before.into_iter().rev().fold(last, |rest, first| Expr {
        kind: ExprKind::Comma(Box::new(first), Box::new(rest)),
        ty,
        span,
    })
}
