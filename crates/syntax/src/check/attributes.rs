//! The attributes that change what a declaration means. All others are read and forgotten.

use super::{Checker, Outcome};
use crate::ast::{self, Attribute, AttributeArg};
use crate::names::Names;
use crate::span::{Name, Span};
use crate::types::{DataModel, FloatKind, IntKind, Record, RecordId, RecordLayout, Type, TypeId};

/// Names that the checker looks for, interned once.
pub(super) struct Known {
    packed: Name,
    aligned: Name,
    mode: Name,
    transparent_union: Name,
    noreturn: Name,
    vector_size: Name,
    gnu_inline: Name,
    weak: Name,
    pack: Name,
    pub(super) func: [Name; 3],
    pub(super) case: Name,
    pub(super) default: Name,
}

impl Known {
    pub(super) fn new(names: &mut Names) -> Known {
        Known {
            packed: names.intern("packed"),
            aligned: names.intern("aligned"),
            mode: names.intern("mode"),
            transparent_union: names.intern("transparent_union"),
            noreturn: names.intern("noreturn"),
            vector_size: names.intern("vector_size"),
            gnu_inline: names.intern("gnu_inline"),
            weak: names.intern("weak"),
            pack: names.intern("pragma pack"),
            func: ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"].map(|n| names.intern(n)),
            case: names.intern("case"),
            default: names.intern("default"),
        }
    }
}

/// The type that `mode` puts in place of the declared one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Int(u16),
    Float(FloatKind),
}

/// What the attributes of one declaration say together.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Attributes {
    pub(super) packed: bool,
    /// In bytes, a power of two.
    pub(super) aligned: Option<u64>,
    mode: Option<Mode>,
    pub(super) transparent_union: bool,
    pub(super) noreturn: bool,
    vector_size: Option<u64>,
    pub(super) gnu_inline: bool,
    pub(super) weak: bool,
    /// `#pragma pack`, in bytes; the parser gives it to records only.
    pub(super) pack: Option<u64>,
}

impl Attributes {
    /// Both together.
    pub(super) fn and(self, other: Attributes) -> Attributes {
        Attributes {
            packed: self.packed || other.packed,
            aligned: self.aligned.max(other.aligned),
            mode: other.mode.or(self.mode),
            transparent_union: self.transparent_union || other.transparent_union,
            noreturn: self.noreturn || other.noreturn,
            vector_size: other.vector_size.or(self.vector_size),
            gnu_inline: self.gnu_inline || other.gnu_inline,
            weak: self.weak || other.weak,
            pack: other.pack.or(self.pack),
        }
    }
}

/// What `aligned` without an argument asks for on x86.
const BIGGEST_ALIGNMENT: u64 = 16;

impl Checker<'_> {
    pub(super) fn attributes(&mut self, list: &[Attribute]) -> Outcome<Attributes> {
        let mut result = Attributes::default();
        for attribute in list {
            let name = attribute.name;
            if name == self.known.packed {
                result.packed = true;
            } else if name == self.known.aligned {
                let align = match attribute.args.first() {
                    None => BIGGEST_ALIGNMENT,
                    Some(arg) => {
                        let value = self.attribute_number(arg, attribute.span)?;
                        self.alignment(value, attribute.span)?
                    }
                };
                result.aligned = result.aligned.max(Some(align));
            } else if name == self.known.mode {
                result.mode = self.mode(attribute)?;
            } else if name == self.known.transparent_union {
                result.transparent_union = true;
            } else if name == self.known.noreturn {
                result.noreturn = true;
            } else if name == self.known.vector_size {
                if let Some(arg) = attribute.args.first() {
                    let value = self.attribute_number(arg, attribute.span)?;
                    result.vector_size = Some(value.clamp(1, 1 << 20) as u64);
                }
            } else if name == self.known.gnu_inline {
                result.gnu_inline = true;
            } else if name == self.known.weak {
                result.weak = true;
            } else if name == self.known.pack
                && let Some(arg) = attribute.args.first()
            {
                let value = self.attribute_number(arg, attribute.span)?;
                result.pack = u64::try_from(value).ok();
            }
        }
        Ok(result)
    }

    fn attribute_number(&mut self, arg: &AttributeArg, span: Span) -> Outcome<i128> {
        match arg {
            AttributeArg::Expr(expr) => self.integer_constant(expr, "attribute argument"),
            AttributeArg::Ident(ident) => {
                let expr = ast::Expr {
                    kind: ast::ExprKind::Name(ident.name),
                    span: ident.span,
                };
                self.integer_constant(&expr, "attribute argument")
            }
            AttributeArg::Type(_) => {
                self.error(span, "attribute argument is not an integer constant")
            }
        }
    }

    /// A requested alignment must be a power of two.
    pub(super) fn alignment(&mut self, value: i128, span: Span) -> Outcome<u64> {
        match u64::try_from(value) {
            Ok(align) if align.is_power_of_two() && align <= 1 << 28 => Ok(align),
            _ => self.error(
                span,
                format!("requested alignment '{value}' is not a power of 2"),
            ),
        }
    }

    fn mode(&mut self, attribute: &Attribute) -> Outcome<Option<Mode>> {
        let Some(AttributeArg::Ident(ident)) = attribute.args.first() else {
            return Ok(None);
        };
        let pointer = self.types().model.pointer_bits();
        Ok(Some(match self.text(ident.name).trim_matches('_') {
            "QI" | "byte" => Mode::Int(8),
            "HI" => Mode::Int(16),
            "SI" => Mode::Int(32),
            "DI" => Mode::Int(64),
            "TI" => Mode::Int(128),
            "word" | "pointer" | "unwind_word" | "libgcc_cmp_return" | "libgcc_shift_count" => {
                Mode::Int(pointer)
            }
            "HF" => Mode::Float(FloatKind::Float16),
            "SF" => Mode::Float(FloatKind::Float),
            "DF" => Mode::Float(FloatKind::Double),
            "XF" => Mode::Float(FloatKind::LongDouble),
            "TF" => Mode::Float(FloatKind::Float128),
            // Complex and vector modes: an opaque type, complained about when it is used.
            _ => return Ok(None),
        }))
    }

    /// The declared type after the attributes that replace it.
    pub(super) fn retyped(&mut self, ty: TypeId, attributes: &Attributes, span: Span) -> TypeId {
        let ty = match attributes.mode {
            Some(mode) => self.with_mode(ty, mode),
            None => ty,
        };
        match attributes.vector_size {
            Some(size) => self.opaque("vector type", size, size.next_power_of_two(), span),
            None => ty,
        }
    }

    fn with_mode(&mut self, ty: TypeId, mode: Mode) -> TypeId {
        let (is_const, is_volatile) = self.types().qualifiers(ty);
        let model = self.types().model;
        let moded = match mode {
            Mode::Float(kind) => kind.ty(),
            Mode::Int(bits) => match self.types().int_kind(ty) {
                None => return ty,
                Some(kind) => {
                    let signed = match (bits, model) {
                        (8, _) => IntKind::SChar,
                        (16, _) => IntKind::Short,
                        (32, _) => IntKind::Int,
                        (64, DataModel::Lp64) => IntKind::Long,
                        (64, DataModel::Ilp32) => IntKind::LongLong,
                        _ => IntKind::Int128,
                    };
                    if kind.is_signed() {
                        signed.ty()
                    } else {
                        signed.to_unsigned().ty()
                    }
                }
            },
        };
        self.program.types.qualified(moded, is_const, is_volatile)
    }

    /// A type that only declarations understand: it has a size, and any use of a value is an error.
    pub(super) fn opaque(
        &mut self,
        construct: &'static str,
        size: u64,
        align: u64,
        span: Span,
    ) -> TypeId {
        let found = self.types().records.iter().position(|record| {
            record.opaque == Some(construct)
                && record
                    .layout
                    .as_ref()
                    .is_some_and(|l| (l.size, l.align) == (size, align))
        });
        let id = match found {
            Some(index) => RecordId(index as u32),
            None => self.new_record(Record {
                kind: ast::RecordKind::Struct,
                tag: None,
                layout: Some(RecordLayout {
                    fields: Vec::new(),
                    size,
                    align,
                    user_align: false,
                }),
                transparent_union: false,
                opaque: Some(construct),
                span,
            }),
        };
        self.program.types.intern(Type::Record(id))
    }

    pub(super) fn new_record(&mut self, record: Record) -> RecordId {
        let id = RecordId(self.program.types.records.len() as u32);
        self.program.types.records.push(record);
        self.record_units.push(self.unit);
        id
    }
}
