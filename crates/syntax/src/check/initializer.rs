//! Initialisers, flattened to assignments of scalars (and whole records) at offsets (C11 6.7.9).
//!
//! A list is read by a [`Cursor`] that all levels share: a sub-aggregate without braces of its own
//! takes as many items as it has room for, and a designator ends that, because it belongs to the
//! innermost braces. Three functions call each other: [`Checker::fill`] goes over the members of an
//! aggregate, [`Checker::sub_object`] initialises one of them, [`Checker::braced`] opens new
//! braces.

use super::convert::Context;
use super::operand::Operand;
use super::{Checker, Outcome};
use crate::ast::{self, Designator, Initializer, RecordKind};
use crate::span::{Name, Span};
use crate::typed::{Expr, Init, InitItem, InitValue, Place, PlaceKind, StringId};
use crate::types::{ArrayLen, BitField, RecordId, Type, TypeId};
use rustc_hash::FxHashMap;

/// What has been flattened so far.
pub(super) struct Flat {
    pub(super) items: Vec<InitItem>,
    pub(super) is_static: bool,
    /// Where the bytes that have been initialised end.
    pub(super) high: u64,
    /// The member that each union (by offset and type) was last initialised by.
    pub(super) members: FxHashMap<(u64, TypeId), u64>,
    /// Parts of which everything said before is void, in order.
    pub(super) wiped: Vec<Part>,
}

impl Flat {
    pub(super) fn new(is_static: bool, capacity: usize) -> Flat {
        let items = Vec::with_capacity(capacity);
        Flat {
            items,
            is_static,
            high: 0,
            members: FxHashMap::default(),
            wiped: Vec::new(),
        }
    }
}

/// The items between a pair of braces, and how far they have been used.
pub(super) struct Cursor<'a> {
    pub(super) items: &'a [ast::InitItem],
    pub(super) index: usize,
    /// Designators of the current item that are still to be followed.
    pub(super) path: &'a [Designator],
    /// The current item's designators have been seen.
    pub(super) entered: bool,
    /// The current item's expression, if somebody had to look at its type already.
    pub(super) checked: Option<Operand>,
}

impl<'a> Cursor<'a> {
    fn new(items: &'a [ast::InitItem]) -> Cursor<'a> {
        Cursor {
            items,
            index: 0,
            path: &[],
            entered: false,
            checked: None,
        }
    }

    pub(super) fn current(&self) -> Option<&'a ast::InitItem> {
        self.items.get(self.index)
    }

    pub(super) fn advance(&mut self) {
        self.index += 1;
        self.path = &[];
        self.entered = false;
        self.checked = None;
    }
}

/// A part of an object.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) ty: TypeId,
    pub(super) offset: u64,
    pub(super) bits: Option<BitField>,
}

impl Checker<'_> {
    /// The flattened initialiser of an object, and its type, which an initialiser completes.
    pub(super) fn initializer(
        &mut self,
        ty: TypeId,
        init: &Initializer,
        is_static: bool,
        _name: Name,
    ) -> Outcome<(Init, TypeId)> {
        let expr = match init {
            Initializer::List(items, span) => {
                return self.list_initializer(ty, items, *span, is_static);
            }
            Initializer::Expr(expr) => expr,
        };
        self.within_initializer(is_static, |checker| {
            checker.single_expression(ty, expr, is_static)
        })
    }

    /// Checks a part of an initialiser; whatever it contains knows if its object is static.
    fn within_initializer<T>(&mut self, is_static: bool, check: impl FnOnce(&mut Self) -> T) -> T {
        self.static_initializers += u32::from(is_static);
        let result = check(self);
        self.static_initializers -= u32::from(is_static);
        result
    }

    /// The same for the list of a compound literal.
    pub(super) fn list_initializer(
        &mut self,
        ty: TypeId,
        items: &[ast::InitItem],
        span: Span,
        is_static: bool,
    ) -> Outcome<(Init, TypeId)> {
        self.within_initializer(is_static, |checker| {
            checker.list(ty, items, span, is_static)
        })
    }

    pub(super) fn list(
        &mut self,
        ty: TypeId,
        items: &[ast::InitItem],
        span: Span,
        is_static: bool,
    ) -> Outcome<(Init, TypeId)> {
        let mut flat = Flat::new(is_static, items.len());
        let part = Part {
            ty,
            offset: 0,
            bits: None,
        };
        let length = self.braced(&mut flat, part, items, span)?;
        let ty = self.completed(ty, length);
        let scalar =
            self.types().is_scalar(ty) || !is_static && self.types().complex_part(ty).is_some();
        let whole = scalar && flat.items.len() == 1;
        let items = match is_static {
            true => flat.items,
            false => self.in_order_of_members(flat.items),
        };
        Ok((Init { items, whole }, ty))
    }

    pub(super) fn completed(&mut self, ty: TypeId, length: u64) -> TypeId {
        match *self.types().shape(ty) {
            Type::Array {
                element,
                len: ArrayLen::Incomplete,
            } => self
                .program
                .types
                .array_of(element, ArrayLen::Fixed(length)),
            _ => ty,
        }
    }

    pub(super) fn single_expression(
        &mut self,
        ty: TypeId,
        expr: &ast::Expr,
        is_static: bool,
    ) -> Outcome<(Init, TypeId)> {
        let mut flat = Flat::new(is_static, 1);
        let part = Part {
            ty,
            offset: 0,
            bits: None,
        };
        if let Type::Array { element, .. } = *self.types().shape(ty) {
            let operand = self.operand(expr)?;
            let length = match self.string_for(element, &operand) {
                Some(string) => self.put_string(&mut flat, part, string),
                None => self.array_from_literal(&mut flat, part, operand, expr.span)?,
            };
            let ty = self.completed(ty, length);
            return Ok((
                Init {
                    items: flat.items,
                    whole: false,
                },
                ty,
            ));
        }
        let value = self.value(expr)?;
        let value = self.assigned(value, ty, Context::Initialization)?;
        if is_static && self.types().record_id(ty).is_some() {
            self.put_static_record(&mut flat, part, value)?;
            return Ok((
                Init {
                    items: flat.items,
                    whole: false,
                },
                ty,
            ));
        }
        self.put(&mut flat, part, value)?;
        Ok((
            Init {
                items: flat.items,
                whole: true,
            },
            ty,
        ))
    }

    /// The string literal that initialises an array of such elements.
    pub(super) fn string_for(&self, element: TypeId, operand: &Operand) -> Option<StringId> {
        let Operand::Place(
            Place {
                kind: PlaceKind::String(string),
                ty,
                ..
            },
            _,
        ) = operand
        else {
            return None;
        };
        let Type::Array { element: unit, .. } = *self.types().shape(*ty) else {
            return None;
        };
        let (unit, element) = (
            self.types().int_kind(unit)?,
            self.types().int_kind(element)?,
        );
        let model = self.types().model;
        let plain = unit.bits(model) == 8;
        let fits = if plain {
            element.bits(model) == 8
        } else {
            unit.to_unsigned() == element.to_unsigned() || unit.bits(model) == element.bits(model)
        };
        fits.then_some(*string)
    }

    /// Characters into an array; the length that they need in elements.
    pub(super) fn put_string(&mut self, flat: &mut Flat, part: Part, string: StringId) -> u64 {
        let literal = &self.program.strings[string.0 as usize];
        let units = literal.bytes.len() as u64 / u64::from(literal.unit_bytes);
        let length = match *self.types().shape(part.ty) {
            Type::Array {
                len: ArrayLen::Fixed(count),
                ..
            } => {
                let unit = u64::from(literal.unit_bytes);
                if units > count + 1 {
                    let span = literal.span;
                    self.warn(span, "initializer-string for array of 'char' is too long");
                }
                count * unit
            }
            _ => literal.bytes.len() as u64,
        };
        let value = InitValue::String { string, length };
        flat.high = flat.high.max(part.offset + length);
        flat.items.push(InitItem {
            offset: part.offset,
            bits: None,
            value,
        });
        units
    }

    /// GNU: an array may be initialised by a compound literal of its type.
    pub(super) fn array_from_literal(
        &mut self,
        flat: &mut Flat,
        part: Part,
        operand: Operand,
        span: Span,
    ) -> Outcome<u64> {
        let ty = self.type_of_operand(&operand);
        if self.compatible_unqualified(ty, part.ty)
            && let Operand::Place(place, _) = operand
        {
            let length = match *self.types().shape(ty) {
                Type::Array {
                    len: ArrayLen::Fixed(count),
                    ..
                } => count,
                _ => 0,
            };
            let items = match place.kind {
                PlaceKind::CompoundLiteral { init, .. } => Some(init.items),
                PlaceKind::Var(var) => self.hidden_items(var),
                _ => None,
            };
            if let Some(items) = items {
                self.put_shifted(flat, part.offset, items);
                return Ok(length);
            }
        }
        self.error(
            span,
            "array initialized from something other than a list, string or literal",
        )
    }

    pub(super) fn put_shifted(&mut self, flat: &mut Flat, offset: u64, items: Vec<InitItem>) {
        for mut item in items {
            item.offset += offset;
            flat.high = flat.high.max(item.offset + 1);
            flat.items.push(item);
        }
    }

    /// One value for one part.
    pub(super) fn put(&mut self, flat: &mut Flat, part: Part, value: Expr) -> Outcome<()> {
        if flat.is_static && self.types().complex_part(value.ty).is_some() {
            return self.put_static_record(flat, part, value);
        }
        let value = if flat.is_static {
            self.static_value(value)?
        } else {
            value
        };
        let size = match part.bits {
            Some(bits) => u64::from(bits.container_bytes),
            None => self.types().size_of(part.ty).unwrap_or(0),
        };
        flat.high = flat.high.max(part.offset + size);
        flat.items.push(InitItem {
            offset: part.offset,
            bits: part.bits,
            value: InitValue::Expr(value),
        });
        Ok(())
    }

    /// Items in braces for one part; of an array the number of elements that they need.
    pub(super) fn braced(
        &mut self,
        flat: &mut Flat,
        part: Part,
        items: &[ast::InitItem],
        span: Span,
    ) -> Outcome<u64> {
        self.deeper(span, |checker| {
            checker.braced_inner(flat, part, items, span)
        })
    }

    pub(super) fn braced_inner(
        &mut self,
        flat: &mut Flat,
        part: Part,
        items: &[ast::InitItem],
        span: Span,
    ) -> Outcome<u64> {
        match *self.types().shape(part.ty) {
            Type::Array { element, .. } => {
                // `{ "text" }` is `"text"`.
                if let [
                    ast::InitItem {
                        designators,
                        init: Initializer::Expr(expr),
                        ..
                    },
                ] = items
                    && designators.is_empty()
                    && matches!(expr.kind, ast::ExprKind::String { .. })
                {
                    let operand = self.operand(expr)?;
                    if let Some(string) = self.string_for(element, &operand) {
                        return Ok(self.put_string(flat, part, string));
                    }
                    let mut cursor = Cursor::new(items);
                    cursor.checked = Some(operand);
                    return self.fill(flat, part, &mut cursor, true);
                }
                self.fill(flat, part, &mut Cursor::new(items), true)
            }
            Type::Record(_) if self.types().complex_part(part.ty).is_some() => {
                self.braced_scalar(flat, part, items, span)
            }
            Type::Record(id) => {
                self.check_record_use(id, span)?;
                self.fill(flat, part, &mut Cursor::new(items), true)
            }
            _ => self.braced_scalar(flat, part, items, span),
        }
    }

    pub(super) fn braced_scalar(
        &mut self,
        flat: &mut Flat,
        part: Part,
        items: &[ast::InitItem],
        span: Span,
    ) -> Outcome<u64> {
        let Some(first) = items.first() else {
            // GNU (and C23): empty braces are zero.
            let ty = self.types().unqualified(part.ty);
            let zero = match self.types().complex_part(ty) {
                Some(part) => self.zero(part, span),
                None => self.zero(ty, span),
            };
            let zero = self.convert(zero, ty);
            self.put(flat, part, zero)?;
            return Ok(0);
        };
        if !first.designators.is_empty() {
            return self.error(first.span, "designator in initializer for scalar type");
        }
        if items.len() > 1 {
            self.warn(items[1].span, "excess elements in scalar initializer");
        }
        match &first.init {
            Initializer::List(items, span) => self.braced(flat, part, items, *span),
            Initializer::Expr(expr) => {
                let value = self.value(expr)?;
                let value = self.assigned(value, part.ty, Context::Initialization)?;
                self.put(flat, part, value)?;
                Ok(0)
            }
        }
    }

    /// Goes over the parts of an aggregate as long as there are items for it. `braced`: the items
    /// are in braces of this aggregate's own. Gives the number of array elements used.
    pub(super) fn fill(
        &mut self,
        flat: &mut Flat,
        whole: Part,
        cursor: &mut Cursor<'_>,
        braced: bool,
    ) -> Outcome<u64> {
        let shape = self.types().shape(whole.ty).clone();
        let is_union = match shape {
            Type::Record(id) => self.types().record(id).kind == RecordKind::Union,
            _ => false,
        };
        let mut next = 0u64;
        let mut length = 0u64;
        while let Some(item) = cursor.current() {
            let mut range = None;
            let position = if let Some((first, rest)) = cursor.path.split_first() {
                let (low, high) = self.designated(&shape, whole.ty, first, rest, cursor)?;
                range = (high > low).then_some(high);
                low
            } else if !cursor.entered && !item.designators.is_empty() {
                if !braced {
                    return Ok(length);
                }
                cursor.entered = true;
                cursor.path = &item.designators;
                continue;
            } else {
                match self.undesignated(&shape, next) {
                    Some(position) => position,
                    None if braced => {
                        self.excess(&shape, item)?;
                        cursor.advance();
                        continue;
                    }
                    None => return Ok(length),
                }
            };
            let Some(part) = self.part(whole, &shape, position) else {
                return Ok(length);
            };
            if is_union {
                let key = (whole.offset, whole.ty);
                let before = flat.members.insert(key, position);
                if before.is_some_and(|member| member != position) {
                    self.forget(flat, whole);
                }
            }
            let mut last = position;
            match range {
                None => self.sub_object(flat, part, cursor)?,
                Some(high) => {
                    self.range(flat, whole, &shape, (position, high), cursor)?;
                    last = high;
                }
            }
            next = if is_union { u64::MAX } else { last + 1 };
            length = length.max(last + 1);
        }
        Ok(length)
    }

    pub(super) fn excess(&mut self, shape: &Type, item: &ast::InitItem) -> Outcome<()> {
        if let Initializer::List(..) = item.init {
            return self.error(item.span, "extra brace group at end of initializer");
        }
        let what = match shape {
            Type::Array { .. } => "array",
            Type::Record(id) => match self.types().record(*id).kind {
                RecordKind::Struct => "struct",
                RecordKind::Union => "union",
            },
            _ => "scalar",
        };
        self.warn(item.span, format!("excess elements in {what} initializer"));
        Ok(())
    }

    /// Initialises one part from the cursor's current item, or from several if it is an aggregate
    /// without braces.
    pub(super) fn sub_object(
        &mut self,
        flat: &mut Flat,
        part: Part,
        cursor: &mut Cursor<'_>,
    ) -> Outcome<()> {
        let Some(item) = cursor.current() else {
            return Ok(());
        };
        let shape = self.types().shape(part.ty).clone();
        let is_aggregate = matches!(shape, Type::Array { .. } | Type::Record(_))
            && self.types().complex_part(part.ty).is_none();
        if let Some(designator) = cursor.path.first() {
            if !is_aggregate {
                let rest = cursor.path;
                self.designated(&shape, part.ty, designator, rest, cursor)?;
                return Ok(());
            }
            self.fill(flat, part, cursor, false)?;
            return Ok(());
        }
        cursor.entered = true;
        let expr = match &item.init {
            Initializer::List(items, span) => {
                // A list says everything about its part: what an earlier item said is gone.
                if is_aggregate {
                    self.forget(flat, part);
                }
                self.braced(flat, part, items, *span)?;
                cursor.advance();
                return Ok(());
            }
            Initializer::Expr(expr) => expr,
        };
        let operand = match cursor.checked.take() {
            Some(operand) => operand,
            None => self.operand(expr)?,
        };
        if let Type::Array { element, .. } = shape
            && let Some(string) = self.string_for(element, &operand)
        {
            self.forget(flat, part);
            self.put_string(flat, part, string);
            cursor.advance();
            return Ok(());
        }
        if let Type::Record(id) = shape
            && is_aggregate
        {
            return self.record_part(flat, part, id, operand, cursor);
        }
        if is_aggregate {
            cursor.checked = Some(operand);
            self.fill(flat, part, cursor, false)?;
            return Ok(());
        }
        let value = self.valued(operand)?;
        let value = self.assigned(value, part.ty, Context::Initialization)?;
        self.put(flat, part, value)?;
        cursor.advance();
        Ok(())
    }

    /// A record takes a value of its own type as a whole; otherwise its members share the braces.
    pub(super) fn record_part(
        &mut self,
        flat: &mut Flat,
        part: Part,
        id: RecordId,
        operand: Operand,
        cursor: &mut Cursor<'_>,
    ) -> Outcome<()> {
        let ty = self.type_of_operand(&operand);
        self.check_record_use(id, cursor.current().map_or(Span::NONE, |item| item.span))?;
        if !self.compatible_unqualified(ty, part.ty) {
            cursor.checked = Some(operand);
            let before = cursor.index;
            self.fill(flat, part, cursor, false)?;
            // A record without members takes nothing; the value is for whoever comes next.
            if cursor.index == before {
                cursor.entered = false;
            }
            return Ok(());
        }
        let value = self.valued(operand)?;
        let value = self.convert(value.expr, part.ty);
        if flat.is_static {
            self.put_static_record(flat, part, value)?;
        } else {
            self.put(flat, part, value)?;
        }
        cursor.advance();
        Ok(())
    }

    /// Removes what was said about a part before.
    pub(super) fn forget(&mut self, flat: &mut Flat, part: Part) {
        flat.wiped.push(part);
        if part.offset >= flat.high {
            return;
        }
        let size = self
            .types()
            .size_of(part.ty)
            .unwrap_or(u64::MAX - part.offset);
        let end = part.offset.saturating_add(size);
        flat.items
            .retain(|item| item.offset < part.offset || item.offset >= end);
    }
}
