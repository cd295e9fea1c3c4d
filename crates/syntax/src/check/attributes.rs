//! What the attributes of a declaration say. [`crate::attribute_names`] lists them.

use super::{Checker, Outcome};
use crate::ast::{self, Attribute, AttributeArg};
use crate::attribute_names::{Meaning, is_harmless_option, is_run_section, meaning};
use crate::diagnostics::Diagnostic;
use crate::names::Names;
use crate::span::{Name, Span};
use crate::types::{DataModel, FloatKind, IntKind, Record, RecordId, TypeId};

/// Names that the checker looks for, interned once.
pub(super) struct Known {
    pub(super) func: [Name; 3],
    pub(super) case: Name,
    pub(super) default: Name,
}

impl Known {
    pub(super) fn new(names: &mut Names) -> Known {
        Known {
            func: ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"].map(|n| names.intern(n)),
            case: names.intern("case"),
            default: names.intern("default"),
        }
    }
}

/// The type that `mode` puts in place of the declared one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Int(u16),
    Float(FloatKind),
}

/// A name in an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spanned {
    pub(super) name: Name,
    /// The attribute's place.
    pub(super) span: Span,
}

/// What the attributes of one declaration say together.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Attributes {
    pub(super) packed: bool,
    /// In bytes, a power of two.
    pub(super) aligned: Option<u64>,
    pub(super) mode: Option<(Mode, Span)>,
    pub(super) transparent_union: bool,
    pub(super) noreturn: bool,
    pub(super) returns_nonnull: bool,
    vector_size: Option<u64>,
    pub(super) gnu_inline: bool,
    pub(super) weak: bool,
    /// `#pragma pack`, in bytes; the parser gives it to records only.
    pub(super) pack: Option<u64>,
    /// The priorities with which a function runs before and after `main`.
    pub(super) constructor: Option<u16>,
    pub(super) destructor: Option<u16>,
    /// The function that is called with the variable's address when its scope is left.
    pub(super) cleanup: Option<Spanned>,
    /// The symbol that this is another name of.
    pub(super) alias: Option<Spanned>,
    /// An attribute that is not supported. It matters where the thing is used.
    pub(super) problem: Option<Spanned>,
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
            returns_nonnull: self.returns_nonnull || other.returns_nonnull,
            vector_size: other.vector_size.or(self.vector_size),
            gnu_inline: self.gnu_inline || other.gnu_inline,
            weak: self.weak || other.weak,
            pack: other.pack.or(self.pack),
            constructor: other.constructor.or(self.constructor),
            destructor: other.destructor.or(self.destructor),
            cleanup: other.cleanup.or(self.cleanup),
            alias: other.alias.or(self.alias),
            problem: self.problem.or(other.problem),
        }
    }
}

/// What `aligned` without an argument asks for on x86.
const BIGGEST_ALIGNMENT: u64 = 16;

/// Of a constructor without a priority: it runs behind all that have one, and its destructor
/// before.
const LAST_PRIORITY: u16 = u16::MAX;

impl Checker<'_> {
    /// What the attributes say. One that is not supported is noted in the result: whoever declares
    /// something that can stay unused passes it on, everyone else calls [`Checker::supported`].
    pub(super) fn attributes(&mut self, list: &[Attribute]) -> Outcome<Attributes> {
        let mut result = Attributes::default();
        for attribute in list {
            let span = attribute.span;
            let here = Spanned {
                name: attribute.name,
                span,
            };
            match meaning(self.names.get(attribute.name)) {
                Meaning::Packed => result.packed = true,
                Meaning::Aligned => {
                    let align = match attribute.args.first() {
                        None => BIGGEST_ALIGNMENT,
                        Some(arg) => {
                            let value = self.attribute_number(arg, span)?;
                            self.alignment(value, span)?
                        }
                    };
                    result.aligned = result.aligned.max(Some(align));
                }
                Meaning::Mode => match self.mode(attribute) {
                    Some(mode) => result.mode = Some((mode, span)),
                    None => result.problem = Some(here),
                },
                Meaning::TransparentUnion => result.transparent_union = true,
                Meaning::Noreturn => result.noreturn = true,
                Meaning::ReturnsNonnull => result.returns_nonnull = true,
                Meaning::VectorSize => match attribute.args.first() {
                    Some(arg) => {
                        let value = self.attribute_number(arg, span)?;
                        result.vector_size = Some(value.clamp(1, 1 << 20) as u64);
                    }
                    None => result.problem = Some(here),
                },
                Meaning::GnuInline => result.gnu_inline = true,
                Meaning::Weak => result.weak = true,
                Meaning::Pack => {
                    if let Some(arg) = attribute.args.first() {
                        let value = self.attribute_number(arg, span)?;
                        result.pack = u64::try_from(value).ok();
                    }
                }
                Meaning::Constructor => result.constructor = Some(self.priority(attribute)?),
                Meaning::Destructor => result.destructor = Some(self.priority(attribute)?),
                Meaning::Cleanup => match attribute.args.first() {
                    Some(AttributeArg::Ident(ident)) => {
                        result.cleanup = Some(Spanned {
                            name: ident.name,
                            span,
                        });
                    }
                    _ => result.problem = Some(here),
                },
                Meaning::Alias => match self.attribute_text(attribute) {
                    Some(text) => {
                        let name = self.names.intern(&text);
                        result.alias = Some(Spanned { name, span });
                    }
                    None => result.problem = Some(here),
                },
                Meaning::Section => {
                    let text = self.attribute_text(attribute).unwrap_or_default();
                    if is_run_section(&text) {
                        // What lies there is run although nothing mentions it.
                        return self.unsupported(span, format!("the section '{text}'"));
                    }
                }
                Meaning::ByteOrder => {
                    if self.attribute_text(attribute).as_deref() != Some("little-endian") {
                        result.problem = Some(here);
                    }
                }
                Meaning::CodeGeneration => {
                    let harmless = attribute.args.iter().all(|arg| match arg {
                        AttributeArg::Expr(expr) => match &expr.kind {
                            ast::ExprKind::Int { .. } => true,
                            _ => text_of(expr).is_some_and(|text| is_harmless_option(&text)),
                        },
                        _ => false,
                    });
                    if !harmless {
                        result.problem = Some(here);
                    }
                }
                Meaning::Harmless => {}
                Meaning::Unsupported => result.problem = Some(here),
            }
        }
        Ok(result)
    }

    /// What to say about an attribute that is not supported.
    pub(super) fn attribute_problem(&self, problem: Spanned) -> Diagnostic {
        let name = self.text(problem.name);
        Diagnostic::unsupported(problem.span, format!("the attribute '{name}'"))
    }

    /// Complains about an attribute that is not supported.
    pub(super) fn supported(&mut self, attributes: &Attributes) -> Outcome<()> {
        match attributes.problem {
            Some(problem) => {
                let problem = self.attribute_problem(problem);
                self.report(problem)
            }
            None => Ok(()),
        }
    }

    /// As [`Checker::supported`] where only types and members are declared: functions and variables
    /// have attributes that mean nothing there.
    pub(super) fn supported_on_type(&mut self, attributes: &Attributes) -> Outcome<()> {
        self.supported(attributes)?;
        match attributes.cleanup.or(attributes.alias) {
            Some(misplaced) => self.unsupported(misplaced.span, "this attribute here"),
            None => Ok(()),
        }
    }

    fn priority(&mut self, attribute: &Attribute) -> Outcome<u16> {
        match attribute.args.first() {
            None => Ok(LAST_PRIORITY),
            Some(arg) => {
                let value = self.attribute_number(arg, attribute.span)?;
                match u16::try_from(value) {
                    Ok(priority) => Ok(priority),
                    Err(_) => self.error(attribute.span, "priorities are from 0 to 65535"),
                }
            }
        }
    }

    fn attribute_text(&self, attribute: &Attribute) -> Option<String> {
        match attribute.args.first()? {
            AttributeArg::Expr(expr) => text_of(expr),
            _ => None,
        }
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

    /// None of complex and vector modes.
    fn mode(&self, attribute: &Attribute) -> Option<Mode> {
        let Some(AttributeArg::Ident(ident)) = attribute.args.first() else {
            return None;
        };
        let pointer = self.types().model.pointer_bits();
        Some(match self.text(ident.name).trim_matches('_') {
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
            _ => return None,
        })
    }

    /// The declared type after the attributes that replace it. `derived` says what the declarator
    /// makes of it: `mode` is about the result, which must be the type itself then.
    pub(super) fn retyped(
        &mut self,
        ty: TypeId,
        attributes: &Attributes,
        derived: &[ast::Derived],
        span: Span,
    ) -> Outcome<TypeId> {
        let ty = match attributes.mode {
            Some((_, place)) if !derived.is_empty() => {
                return self.unsupported(place, "the attribute 'mode' of a type that is derived");
            }
            Some((mode, place)) => match self.with_mode(ty, mode) {
                Some(ty) => ty,
                None => return self.unsupported(place, "the attribute 'mode' of this type"),
            },
            None => ty,
        };
        match attributes.vector_size {
            Some(size) => self.vector_of(ty, size, span),
            None => Ok(ty),
        }
    }

    fn with_mode(&mut self, ty: TypeId, mode: Mode) -> Option<TypeId> {
        let (is_const, is_volatile) = self.types().qualifiers(ty);
        let model = self.types().model;
        let moded = match mode {
            Mode::Float(kind) => {
                self.types().float_kind(ty)?;
                kind.ty()
            }
            Mode::Int(bits) => {
                let kind = self.types().int_kind(ty)?;
                let signed = int_of(bits, model)?;
                if kind.is_signed() {
                    signed.ty()
                } else {
                    signed.to_unsigned().ty()
                }
            }
        };
        Some(self.program.types.qualified(moded, is_const, is_volatile))
    }

    /// The type that `mode` gives to an enum whose values need one of this sign.
    pub(super) fn mode_of_enum(&self, mode: Mode, signed: bool) -> Option<IntKind> {
        let Mode::Int(bits) = mode else { return None };
        let kind = int_of(bits, self.types().model)?;
        Some(if signed { kind } else { kind.to_unsigned() })
    }

    pub(super) fn new_record(&mut self, record: Record) -> RecordId {
        let id = RecordId(self.program.types.records.len() as u32);
        self.program.types.records.push(record);
        self.record_units.push(self.unit);
        id
    }
}

/// The signed type of so many bits.
fn int_of(bits: u16, model: DataModel) -> Option<IntKind> {
    Some(match (bits, model) {
        (8, _) => IntKind::SChar,
        (16, _) => IntKind::Short,
        (32, _) => IntKind::Int,
        (64, DataModel::Lp64) => IntKind::Long,
        (64, DataModel::Ilp32) => IntKind::LongLong,
        (128, DataModel::Lp64) => IntKind::Int128,
        _ => return None,
    })
}

/// The text of a string literal.
fn text_of(expr: &ast::Expr) -> Option<String> {
    match &expr.kind {
        ast::ExprKind::String { units, .. } => units.iter().map(|&u| char::from_u32(u)).collect(),
        _ => None,
    }
}
