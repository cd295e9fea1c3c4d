//! What may initialise an object with static storage: values that are known before the program
//! runs.

use super::initializer::{Flat, Part};
use super::operand::Value;
use super::{Checker, Outcome};
use crate::constant::{self, AddressBase, LinkTime, Symbols};
use crate::span::Span;
use crate::typed::{
    ElementSize, Expr, ExprKind, InitItem, InitValue, LabelId, Place, PlaceKind, VarId, VarKind,
    Variable,
};
use crate::types::{ArrayLen, TypeId};

impl Checker<'_> {
    /// A record with static storage can only be copied from a compound literal.
    pub(super) fn put_static_record(
        &mut self,
        flat: &mut Flat,
        part: Part,
        value: Expr,
    ) -> Outcome<()> {
        let items = match &value.kind {
            ExprKind::Load(place) => match &place.kind {
                PlaceKind::Var(var) => self.hidden_items(*var),
                // A value that was cast to a union.
                PlaceKind::CompoundLiteral { init, .. } => Some(init.items.clone()),
                _ => None,
            },
            _ => None,
        };
        if let Some(mut items) = items {
            for item in &mut items {
                if let InitValue::Expr(expr) = &mut item.value {
                    let span = expr.span;
                    let hollow = Expr {
                        kind: ExprKind::Int(0),
                        ty: TypeId::INT,
                        span,
                    };
                    *expr = self.static_value(std::mem::replace(expr, hollow))?;
                }
            }
            self.put_shifted(flat, part.offset, items);
            return Ok(());
        }
        self.error(value.span, "initializer element is not constant")
    }

    /// The items of a compound literal at file scope.
    pub(super) fn hidden_items(&self, var: VarId) -> Option<Vec<InitItem>> {
        let var = &self.program.vars[var.0 as usize];
        match &var.init {
            Some(init) if var.kind == VarKind::Hidden => Some(init.items.clone()),
            _ => None,
        }
    }

    /// What initialises an object with static storage must be known before the program runs.
    pub(super) fn static_value(&mut self, value: Expr) -> Outcome<Expr> {
        if constant::leaf(&value).is_some() {
            return Ok(value);
        }
        if let Some(known) = constant::evaluate(self.types(), &value) {
            return Ok(Expr {
                kind: known.into_kind(),
                ..value
            });
        }
        let labels = self
            .function
            .as_ref()
            .map(|context| context.address_labels.as_slice());
        let linker = Linker {
            vars: &self.program.vars,
            labels: labels.unwrap_or_default(),
        };
        match constant::link_time(self.types(), &value, &linker) {
            Some(_) if constant::is_plain_address(&value) => Ok(value),
            Some(LinkTime::Number(known)) => Ok(Expr {
                kind: known.into_kind(),
                ..value
            }),
            Some(LinkTime::Address(base, offset)) => {
                let address = self.address_constant(base, value.span);
                let bytes = self.convert(address, TypeId::CHAR_POINTER);
                let index = self.int_value(offset, self.types().ptrdiff_type(), value.span);
                let kind = ExprKind::PointerOffset {
                    pointer: Box::new(bytes),
                    index: Box::new(index),
                    element: ElementSize::Bytes(1),
                    subtract: false,
                };
                let moved = Expr {
                    kind,
                    ty: TypeId::CHAR_POINTER,
                    span: value.span,
                };
                Ok(self.convert(moved, value.ty))
            }
            None => self.error(value.span, "initializer element is not constant"),
        }
    }

    /// The address of the start of what an address constant is relative to.
    pub(super) fn address_constant(&mut self, base: AddressBase, span: Span) -> Expr {
        let (kind, ty) = match base {
            AddressBase::Function(id) => return self.function_address(id, span),
            AddressBase::Var(var) => (PlaceKind::Var(var), self.program.vars[var.0 as usize].ty),
            AddressBase::String(string) => {
                let length = self.program.strings[string.0 as usize].bytes.len() as u64;
                let ty = self
                    .program
                    .types
                    .array_of(TypeId::CHAR, ArrayLen::Fixed(length));
                (PlaceKind::String(string), ty)
            }
        };
        let pointer = self.program.types.pointer_to(ty);
        self.address(Place { kind, ty, span }, pointer)
    }

    /// In the initialiser of a static object gcc reads constant variables that were initialised by
    /// constants.
    pub(super) fn known_constant(&self, place: &Place) -> Option<Value> {
        let PlaceKind::Var(var) = place.kind else {
            return None;
        };
        let var = &self.program.vars[var.0 as usize];
        let (is_const, is_volatile) = self.types().qualifiers(var.ty);
        if !is_const || is_volatile || !matches!(var.kind, VarKind::Global | VarKind::StaticLocal) {
            return None;
        }
        let value = constant::initial_value(var.init.as_ref()?)?;
        let ty = self.types().unqualified(var.ty);
        Some(Value::plain(Expr {
            kind: value.into_kind(),
            ty,
            span: place.span,
        }))
    }
}

struct Linker<'a> {
    vars: &'a [Variable],
    labels: &'a [LabelId],
}

impl Symbols for Linker<'_> {
    fn has_static_storage(&self, var: VarId) -> bool {
        let var = &self.vars[var.0 as usize];
        match var.kind {
            VarKind::Global | VarKind::StaticLocal => true,
            // A compound literal at file scope.
            VarKind::Hidden => var.init.is_some(),
            VarKind::Local | VarKind::Param => false,
        }
    }

    fn label_number(&self, label: LabelId) -> Option<u128> {
        let index = self.labels.iter().position(|&known| known == label)?;
        Some(index as u128 + 1)
    }
}
