//! `struct`, `union` and `enum`: tags, members, enumerators.

use super::scope::{Binding, Tag};
use super::specifiers::Base;
use super::{Checker, Outcome};
use crate::ast::{
    DeclSpecs, EnumSpec, FieldDeclarator, FieldItem, RecordKind, RecordSpec, TypeSpec,
};
use crate::diagnostics::Diagnostic;
use crate::layout::{LayoutError, Member, RecordAttributes, layout_record};
use crate::span::{Name, Span};
use crate::types::{ArrayLen, DataModel, EnumDef, EnumId, IntKind, Record, RecordId, Type, TypeId};
use arith::int;

fn keyword(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Struct => "struct",
        RecordKind::Union => "union",
    }
}

impl Checker<'_> {
    pub(super) fn record_spec(&mut self, spec: &RecordSpec, standalone: bool) -> Outcome<TypeId> {
        let id = self.record_of_tag(spec, standalone)?;
        if let Some(items) = &spec.fields {
            self.define_record(id, spec, items)?;
        }
        Ok(self.program.types.intern(Type::Record(id)))
    }

    /// The record that a tag stands for; a definition or a lone declaration makes a new one in the
    /// current scope unless there is one.
    fn record_of_tag(&mut self, spec: &RecordSpec, standalone: bool) -> Outcome<RecordId> {
        let Some(tag) = spec.tag else {
            return Ok(self.incomplete_record(spec));
        };
        let here = spec.fields.is_some() || standalone;
        let found = if here {
            self.scopes.find_tag_here(tag).map(|(tag, _)| tag)
        } else {
            self.scopes.find_tag(tag)
        };
        match found {
            Some(Tag::Record(id)) if self.types().record(id).kind == spec.kind => Ok(id),
            Some(_) => {
                let message = format!("'{}' defined as wrong kind of tag", self.text(tag));
                self.error(spec.span, message)
            }
            None => {
                let id = self.incomplete_record(spec);
                self.scopes.declare_tag(tag, Tag::Record(id), spec.span);
                Ok(id)
            }
        }
    }

    fn incomplete_record(&mut self, spec: &RecordSpec) -> RecordId {
        self.new_record(Record {
            kind: spec.kind,
            tag: spec.tag,
            layout: None,
            transparent_union: false,
            tuple: None,
            span: spec.span,
        })
    }

    fn define_record(
        &mut self,
        id: RecordId,
        spec: &RecordSpec,
        items: &[FieldItem],
    ) -> Outcome<()> {
        if self.types().record(id).layout.is_some() {
            let tag = spec.tag.map_or("", |tag| self.text(tag));
            let message = format!("redefinition of '{} {tag}'", keyword(spec.kind));
            let earlier = self.types().record(id).span;
            let problem =
                Diagnostic::error(spec.span, message).with_note(earlier, "originally defined here");
            return self.report(problem);
        }
        let attributes = self.attributes(&spec.attributes)?;
        self.supported_on_type(&attributes)?;
        let mut members = Vec::with_capacity(items.len());
        let mut spans = Vec::with_capacity(items.len());
        let mut failed = Ok(());
        for item in items {
            match item {
                FieldItem::StaticAssert(assertion) => {
                    failed = failed.and(self.static_assert(assertion));
                }
                FieldItem::Fields { specs, declarators } => {
                    let base = match self.base(specs, declarators.is_empty()) {
                        Ok(base) => base,
                        Err(reported) => {
                            failed = Err(reported);
                            continue;
                        }
                    };
                    if declarators.is_empty() {
                        failed = failed.and(self.supported_on_type(&base.attributes));
                        if let Some(member) = self.anonymous_member(&base, specs) {
                            members.push(member);
                            spans.push(specs.span);
                        }
                        continue;
                    }
                    for declarator in declarators {
                        match self.member(&base, declarator) {
                            Ok(member) => {
                                members.push(member);
                                spans.push(declarator.span);
                            }
                            Err(reported) => failed = Err(reported),
                        }
                    }
                }
            }
        }
        self.check_members(spec.kind, &members, &spans)?;
        let layout = layout_record(
            self.types(),
            spec.kind,
            RecordAttributes {
                packed: attributes.packed,
                align: attributes.aligned,
                pack: attributes.pack,
            },
            &members,
        );
        let layout = match layout {
            Ok(layout) => layout,
            Err(LayoutError::Incomplete(index)) => {
                let shown = self.show(members[index].ty);
                return self.error(spans[index], format!("field has incomplete type '{shown}'"));
            }
            Err(LayoutError::TooLarge) => return self.error(spec.span, "type is too large"),
            Err(LayoutError::BitFieldTooWide(index)) => {
                return self.unsupported(spans[index], "a bit-field that spans 17 bytes");
            }
        };
        // The definition is the better place to point at.
        let record = &mut self.program.types.records[id.0 as usize];
        record.layout = Some(layout);
        record.transparent_union |= attributes.transparent_union;
        record.span = spec.span;
        failed
    }

    /// A member without a declarator: an anonymous record, or nothing. One with a tag is declared,
    /// but is no member (C11 6.7.2.1 paragraph 13).
    fn anonymous_member(&mut self, base: &Base, specs: &DeclSpecs) -> Option<Member> {
        let untagged = matches!(&specs.ty, TypeSpec::Record(record) if record.tag.is_none());
        match *self.types().shape(base.ty) {
            Type::Record(_) if untagged => Some(Member {
                name: None,
                ty: base.ty,
                width: None,
                packed: base.attributes.packed,
                align: base.alignas.max(base.attributes.aligned),
            }),
            Type::Enum(_) => None,
            _ => {
                self.warn(specs.span, "declaration does not declare anything");
                None
            }
        }
    }

    fn member(&mut self, base: &Base, field: &FieldDeclarator) -> Outcome<Member> {
        let (ty, attributes, name) = match &field.declarator {
            Some(declarator) => {
                let attributes = self.declarator_attributes(base, declarator, &field.attributes)?;
                self.supported_on_type(&attributes)?;
                let derived = &declarator.derived;
                let ty = self.retyped(base.ty, &attributes, derived, declarator.span)?;
                let ty = self.derive(ty, derived, declarator.span)?;
                (
                    ty,
                    attributes,
                    declarator.name.as_ref().map(|ident| ident.name),
                )
            }
            None => {
                let attributes = base.attributes.and(self.attributes(&field.attributes)?);
                self.supported_on_type(&attributes)?;
                let ty = self.retyped(base.ty, &attributes, &[], field.span)?;
                (ty, attributes, None)
            }
        };
        match *self.types().shape(ty) {
            Type::Function(_) => {
                return self.error(field.span, "field declared as a function");
            }
            Type::Array {
                len: ArrayLen::Variable(_),
                ..
            } => {
                return self.unsupported(field.span, "a member of variable size");
            }
            _ => {}
        }
        let width = match &field.width {
            None => None,
            Some(width) => {
                let value = self.integer_constant(width, "bit-field width")?;
                Some(self.bit_field_width(ty, value, name, field.span)?)
            }
        };
        Ok(Member {
            name,
            ty,
            width,
            packed: attributes.packed,
            align: base.alignas.max(attributes.aligned),
        })
    }

    fn bit_field_width(
        &mut self,
        ty: TypeId,
        value: i128,
        name: Option<Name>,
        span: Span,
    ) -> Outcome<u16> {
        let shown = match name {
            Some(name) => format!("bit-field '{}'", self.text(name)),
            None => "bit-field '<anonymous>'".to_owned(),
        };
        let Some(kind) = self.types().int_kind(ty) else {
            return self.error(span, format!("{shown} has invalid type"));
        };
        let bits = match kind {
            IntKind::Bool => 1,
            _ => kind.bits(self.types().model),
        };
        if value < 0 {
            return self.error(span, format!("negative width in {shown}"));
        }
        if value > i128::from(bits) {
            return self.error(span, format!("width of {shown} exceeds its type"));
        }
        if value == 0 && name.is_some() {
            return self.error(span, format!("zero width for {shown}"));
        }
        Ok(value as u16)
    }

    /// Complete types, no name twice, a flexible array only at the end.
    fn check_members(
        &mut self,
        kind: RecordKind,
        members: &[Member],
        spans: &[Span],
    ) -> Outcome<()> {
        let mut seen: Vec<(Name, usize)> = Vec::with_capacity(members.len());
        for (index, member) in members.iter().enumerate() {
            match member.name {
                Some(name) => seen.push((name, index)),
                None => self.collect_anonymous(member.ty, index, &mut seen),
            }
            if let Type::Array {
                len: ArrayLen::Incomplete,
                ..
            } = self.types().shape(member.ty)
            {
                if kind == RecordKind::Union {
                    return self.error(spans[index], "flexible array member in union");
                }
                if index + 1 != members.len() {
                    return self.error(spans[index], "flexible array member not at end of struct");
                }
                if seen.len() <= 1 {
                    let message = "flexible array member in a struct with no named members";
                    return self.error(spans[index], message);
                }
            }
        }
        seen.sort_unstable();
        for pair in seen.windows(2) {
            if pair[0].0 == pair[1].0 {
                let message = format!("duplicate member '{}'", self.text(pair[0].0));
                return self.error(spans[pair[1].1], message);
            }
        }
        Ok(())
    }

    fn collect_anonymous(&self, ty: TypeId, index: usize, seen: &mut Vec<(Name, usize)>) {
        let Some(layout) = self
            .types()
            .record_id(ty)
            .and_then(|id| self.types().record(id).layout.as_ref())
        else {
            return;
        };
        for field in &layout.fields {
            match field.name {
                Some(name) => seen.push((name, index)),
                None if field.bits.is_none() => self.collect_anonymous(field.ty, index, seen),
                None => {}
            }
        }
    }

    pub(super) fn enum_spec(&mut self, spec: &EnumSpec, standalone: bool) -> Outcome<TypeId> {
        let here = spec.enumerators.is_some() || standalone;
        let found = match spec.tag {
            None => None,
            Some(tag) if here => self.scopes.find_tag_here(tag).map(|(tag, _)| tag),
            Some(tag) => self.scopes.find_tag(tag),
        };
        let id = match found {
            Some(Tag::Enum(id)) => id,
            Some(Tag::Record(_)) => {
                return self.error(spec.span, "enum tag defined as wrong kind of tag");
            }
            None => {
                let id = EnumId(self.program.types.enums.len() as u32);
                self.program.types.enums.push(EnumDef {
                    tag: spec.tag,
                    repr: None,
                    enumerators: Vec::new(),
                    span: spec.span,
                });
                self.enum_units.push(self.unit);
                if let Some(tag) = spec.tag {
                    self.scopes.declare_tag(tag, Tag::Enum(id), spec.span);
                }
                id
            }
        };
        let ty = self.program.types.intern(Type::Enum(id));
        if spec.enumerators.is_some() {
            self.define_enum(id, ty, spec)?;
        }
        Ok(ty)
    }

    /// Each constant has type `int` where it fits, otherwise the type of the enum (as gcc does it).
    fn define_enum(&mut self, id: EnumId, ty: TypeId, spec: &EnumSpec) -> Outcome<()> {
        let Some(enumerators) = &spec.enumerators else {
            return Ok(());
        };
        if self.types().enum_def(id).repr.is_some() {
            let tag = spec.tag.map_or("", |tag| self.text(tag));
            let message = format!("redeclaration of 'enum {tag}'");
            let earlier = self.types().enum_def(id).span;
            let problem =
                Diagnostic::error(spec.span, message).with_note(earlier, "originally defined here");
            return self.report(problem);
        }
        let attributes = self.attributes(&spec.attributes)?;
        self.supported_on_type(&attributes)?;
        if attributes.aligned.is_some() {
            return self.unsupported(spec.span, "the attribute 'aligned' of an enum");
        }
        let mut next: i128 = 0;
        let mut values = Vec::with_capacity(enumerators.len());
        let first = self.scopes.table.enumerators.len();
        for enumerator in enumerators {
            if let Some(value) = &enumerator.value {
                next = self.integer_constant(value, "enumerator value")?;
            }
            if next > i128::from(u64::MAX) || next < i128::from(i64::MIN) {
                return self.error(enumerator.span, "overflow in enumeration values");
            }
            // Inside the list a constant has the type that its value needs.
            let kind = if i32::try_from(next).is_ok() {
                IntKind::Int
            } else if u32::try_from(next).is_ok() {
                IntKind::UInt
            } else if i64::try_from(next).is_ok() {
                IntKind::LongLong
            } else {
                IntKind::ULongLong
            };
            self.declare_enumerator(enumerator.name, kind.ty(), next, enumerator.span)?;
            values.push((enumerator.name, next));
            next += 1;
        }
        let mut repr = self.enum_repr(&values, attributes.packed);
        if let Some((mode, place)) = attributes.mode {
            let model = self.types().model;
            let least = self.enum_repr(&values, true).bits(model);
            match self.mode_of_enum(mode, repr.is_signed()) {
                Some(kind) if kind.bits(model) >= least => repr = kind,
                _ => return self.unsupported(place, "the attribute 'mode' of this enum"),
            }
        }
        for (offset, &(_, value)) in values.iter().enumerate() {
            if i32::try_from(value).is_err() {
                let bits = u32::from(repr.bits(self.types().model));
                self.scopes.table.enumerators[first + offset] = (ty, int::from_signed(value, bits));
            }
        }
        let definition = &mut self.program.types.enums[id.0 as usize];
        definition.repr = Some(repr);
        definition.enumerators = values;
        definition.span = spec.span;
        Ok(())
    }

    fn declare_enumerator(
        &mut self,
        name: Name,
        ty: TypeId,
        value: i128,
        span: Span,
    ) -> Outcome<()> {
        if let Some((_, earlier)) = self.scopes.find_here(name) {
            let message = format!("redeclaration of enumerator '{}'", self.text(name));
            let problem =
                Diagnostic::error(span, message).with_note(earlier, "previous definition is here");
            return self.report(problem);
        }
        let bits = self.types().int_bits(ty).map_or(32, |(bits, _)| bits);
        let index = self.scopes.table.enumerators.len() as u32;
        self.scopes
            .table
            .enumerators
            .push((ty, int::from_signed(value, bits)));
        self.scopes
            .declare(name, Binding::Enumerator(index), span, span.hi);
        Ok(())
    }

    fn enum_repr(&self, values: &[(Name, i128)], packed: bool) -> IntKind {
        let low = values.iter().map(|&(_, v)| v).min().unwrap_or(0).min(0);
        let high = values.iter().map(|&(_, v)| v).max().unwrap_or(0).max(0);
        let signed = low < 0;
        let fits = |bits: u32| {
            if signed {
                low >= -(1i128 << (bits - 1)) && high < 1i128 << (bits - 1)
            } else {
                high < 1i128 << bits
            }
        };
        let wide = match self.types().model {
            DataModel::Lp64 => IntKind::Long,
            DataModel::Ilp32 => IntKind::LongLong,
        };
        let kind = match packed {
            true if fits(8) => IntKind::SChar,
            true if fits(16) => IntKind::Short,
            _ if fits(32) => IntKind::Int,
            _ => wide,
        };
        if signed { kind } else { kind.to_unsigned() }
    }
}
