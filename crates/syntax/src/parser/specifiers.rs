//! Declaration specifiers: storage, qualifiers, types, in any order (C11 6.7.1 to 6.7.5).

use super::{Fault, Parse, Parser};
use crate::ast::*;
use crate::lexer::TokenKind as K;
use crate::span::Span;

/// The arithmetic type keywords seen so far.
#[derive(Default)]
struct Words {
    base: Option<Base>,
    signed: bool,
    unsigned: bool,
    short: bool,
    longs: u8,
    complex: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Char,
    Int,
    Int128,
    Double,
    /// A keyword that stands alone.
    Alone(BasicType),
}

impl Words {
    fn is_empty(&self) -> bool {
        self.base.is_none()
            && !(self.signed || self.unsigned || self.short || self.complex)
            && self.longs == 0
    }

    /// The type that the words make together, if they make one.
    fn combine(&self) -> Result<BasicType, &'static str> {
        use BasicType as B;
        if self.signed && self.unsigned {
            return Err("both 'signed' and 'unsigned' in declaration specifiers");
        }
        if self.short && self.longs > 0 {
            return Err("both 'long' and 'short' in declaration specifiers");
        }
        let sign = self.signed || self.unsigned;
        let size = self.short || self.longs > 0;
        let either = |signed, unsigned| if self.unsigned { unsigned } else { signed };
        let plain = match self.base {
            Some(Base::Alone(ty)) if !sign && !size => ty,
            Some(Base::Double) if !sign && !self.short && self.longs <= 1 => {
                if self.longs == 1 {
                    B::LongDouble
                } else {
                    B::Double
                }
            }
            Some(Base::Char) if !size => {
                if self.signed {
                    B::SChar
                } else {
                    either(B::Char, B::UChar)
                }
            }
            Some(Base::Int128) if !size => either(B::Int128, B::UInt128),
            None if self.complex && !sign && !size => B::Double,
            None | Some(Base::Int) => match (self.short, self.longs) {
                (true, _) => either(B::Short, B::UShort),
                (_, 0) => either(B::Int, B::UInt),
                (_, 1) => either(B::Long, B::ULong),
                (_, 2) => either(B::LongLong, B::ULongLong),
                _ => return Err("'long long long' is too long"),
            },
            _ => return Err("invalid combination of type specifiers"),
        };
        match plain {
            B::Void | B::Bool | B::VaList if self.complex => {
                Err("invalid combination of type specifiers")
            }
            _ => Ok(plain),
        }
    }
}

impl Parser<'_> {
    /// True if the token can begin declaration specifiers (a typedef name included).
    #[inline]
    pub(super) fn at_specifier(&self) -> bool {
        match self.peek() {
            K::Ident => self.at_type_name(),
            K::LBracket => self.at_attributes(),
            kind => is_specifier(kind) || kind == K::Attribute || kind == K::Extension,
        }
    }

    /// True if the token can begin a type name, as in `(int)`.
    #[inline]
    pub(super) fn at_type(&self) -> bool {
        match self.peek() {
            K::Ident => self.at_type_name(),
            K::Attribute => true,
            kind => is_specifier(kind) && !is_storage(kind),
        }
    }

    pub(super) fn specifiers(&mut self) -> Parse<DeclSpecs> {
        let lo = self.here();
        let mut specs = DeclSpecs {
            storage: Storage::None,
            thread_local: false,
            inline: false,
            noreturn: false,
            quals: Quals::default(),
            ty: TypeSpec::Missing,
            alignas: Vec::new(),
            attributes: Vec::new(),
            span: Span::NONE,
        };
        let mut words = Words::default();
        loop {
            let kind = self.peek();
            match kind {
                K::Ident => {
                    let missing = words.is_empty() && matches!(specs.ty, TypeSpec::Missing);
                    if !(missing && self.at_type_name()) {
                        break;
                    }
                    let token = self.bump();
                    specs.ty = TypeSpec::Typedef(token.name, self.lexed.span(token));
                }
                K::Typedef => self.storage(&mut specs, Storage::Typedef)?,
                K::Extern => self.storage(&mut specs, Storage::Extern)?,
                K::Static => self.storage(&mut specs, Storage::Static)?,
                K::Auto => self.storage(&mut specs, Storage::Auto)?,
                K::Register => self.storage(&mut specs, Storage::Register)?,
                K::ThreadLocal => {
                    self.bump();
                    specs.thread_local = true;
                }
                K::Inline => {
                    self.bump();
                    specs.inline = true;
                }
                K::Noreturn => {
                    self.bump();
                    specs.noreturn = true;
                }
                K::Extension => {
                    self.bump();
                }
                K::Atomic if self.peek_at(1) == K::LParen => {
                    self.only_type(&specs, &words)?;
                    self.bump();
                    let name = self.parenthesised_type()?;
                    specs.ty = TypeSpec::TypeofType(Box::new(name));
                    specs.quals.is_atomic = true;
                }
                K::Const | K::Volatile | K::Restrict | K::Atomic => {
                    self.qualifier(&mut specs.quals);
                }
                K::Attribute => self.attributes(&mut specs.attributes)?,
                K::LBracket if self.at_attributes() => self.attributes(&mut specs.attributes)?,
                K::Alignas => {
                    let alignas = self.alignas()?;
                    specs.alignas.push(alignas);
                }
                K::Struct | K::Union => {
                    self.only_type(&specs, &words)?;
                    specs.ty = TypeSpec::Record(Box::new(self.record()?));
                }
                K::Enum => {
                    self.only_type(&specs, &words)?;
                    specs.ty = TypeSpec::Enum(Box::new(self.enumeration()?));
                }
                K::Typeof => {
                    self.only_type(&specs, &words)?;
                    self.bump();
                    specs.ty = self.typeof_operand()?;
                }
                K::AutoType => {
                    self.only_type(&specs, &words)?;
                    self.bump();
                    specs.ty = TypeSpec::Auto;
                }
                // Headers for other compilers declare these names by typedef.
                K::Float16 | K::Float32 | K::Float64 | K::Float80 | K::Float128
                    if words.base.is_some() =>
                {
                    break;
                }
                _ => {
                    if !self.word(kind, &specs, &mut words)? {
                        break;
                    }
                }
            }
        }
        specs.span = self.since(lo);
        if !words.is_empty() {
            let ty = words
                .combine()
                .map_err(|message| self.error(specs.span, message))?;
            specs.ty = match words.complex {
                true => TypeSpec::Complex(ty),
                false => TypeSpec::Basic(ty),
            };
        }
        Ok(specs)
    }

    /// Adds an arithmetic type keyword; false if the token is none.
    fn word(&mut self, kind: K, specs: &DeclSpecs, words: &mut Words) -> Parse<bool> {
        use BasicType as B;
        let base = match kind {
            K::Signed | K::Unsigned | K::Short | K::Long | K::Complex => None,
            K::Int => Some(Base::Int),
            K::CharType => Some(Base::Char),
            K::Double => Some(Base::Double),
            K::Int128 => Some(Base::Int128),
            K::Void => Some(Base::Alone(B::Void)),
            K::Bool => Some(Base::Alone(B::Bool)),
            K::Float | K::Float32 => Some(Base::Alone(B::Float)),
            K::Float16 => Some(Base::Alone(B::Float16)),
            K::Float64 => Some(Base::Alone(B::Double)),
            K::Float80 => Some(Base::Alone(B::LongDouble)),
            K::Float128 => Some(Base::Alone(B::Float128)),
            K::Int128Typedef => Some(Base::Alone(B::Int128)),
            K::UInt128Typedef => Some(Base::Alone(B::UInt128)),
            K::VaList => Some(Base::Alone(B::VaList)),
            K::Decimal => {
                return Err(self.unsupported(self.here_span(), "decimal floating type"));
            }
            _ => return Ok(false),
        };
        if !matches!(specs.ty, TypeSpec::Missing) || (base.is_some() && words.base.is_some()) {
            return Err(self.two_types());
        }
        match kind {
            K::Signed => words.signed = true,
            K::Unsigned => words.unsigned = true,
            K::Short => words.short = true,
            K::Long => words.longs = words.longs.saturating_add(1),
            K::Complex => words.complex = true,
            _ => words.base = base,
        }
        self.bump();
        Ok(true)
    }

    fn only_type(&mut self, specs: &DeclSpecs, words: &Words) -> Parse<()> {
        if words.is_empty() && matches!(specs.ty, TypeSpec::Missing) {
            return Ok(());
        }
        Err(self.two_types())
    }

    fn two_types(&mut self) -> Fault {
        self.error(
            self.here_span(),
            "two or more data types in declaration specifiers",
        )
    }

    fn storage(&mut self, specs: &mut DeclSpecs, storage: Storage) -> Parse<()> {
        if specs.storage != Storage::None && specs.storage != storage {
            return Err(self.error(
                self.here_span(),
                "multiple storage classes in declaration specifiers",
            ));
        }
        specs.storage = storage;
        self.bump();
        Ok(())
    }

    /// Reads a qualifier, which the caller has seen.
    fn qualifier(&mut self, quals: &mut Quals) {
        match self.bump().kind {
            K::Const => quals.is_const = true,
            K::Volatile => quals.is_volatile = true,
            K::Restrict => quals.is_restrict = true,
            _ => quals.is_atomic = true,
        }
    }

    /// The qualifiers (and attributes, which may stand between them) behind a `*` or in `[]`.
    pub(super) fn qualifiers(&mut self, attributes: &mut Vec<Attribute>) -> Parse<Quals> {
        let mut quals = Quals::default();
        loop {
            match self.peek() {
                K::Const | K::Volatile | K::Restrict | K::Atomic => self.qualifier(&mut quals),
                K::Attribute => self.attributes(attributes)?,
                K::LBracket if self.at_attributes() => self.attributes(attributes)?,
                _ => return Ok(quals),
            }
        }
    }

    /// `_Alignas(type)` or `_Alignas(expression)`.
    fn alignas(&mut self) -> Parse<AlignAs> {
        self.bump();
        let open = self.expect(K::LParen, "after '_Alignas'")?;
        let alignas = if self.at_type() {
            AlignAs::Type(Box::new(self.type_name()?))
        } else {
            AlignAs::Expr(Box::new(self.constant()?))
        };
        self.expect_closing(K::RParen, open)?;
        Ok(alignas)
    }

    fn typeof_operand(&mut self) -> Parse<TypeSpec> {
        let open = self.expect(K::LParen, "after 'typeof'")?;
        let ty = if self.at_type() {
            TypeSpec::TypeofType(Box::new(self.type_name()?))
        } else {
            TypeSpec::TypeofExpr(Box::new(self.expression()?))
        };
        self.expect_closing(K::RParen, open)?;
        Ok(ty)
    }

    /// A type name in parentheses.
    pub(super) fn parenthesised_type(&mut self) -> Parse<TypeName> {
        let open = self.expect(K::LParen, "before a type name")?;
        let name = self.type_name()?;
        self.expect_closing(K::RParen, open)?;
        Ok(name)
    }

    /// Specifiers and an abstract declarator.
    pub(super) fn type_name(&mut self) -> Parse<TypeName> {
        self.nested(|parser| {
            let lo = parser.here();
            let specs = parser.specifiers()?;
            if matches!(specs.ty, TypeSpec::Missing) && specs.quals == Quals::default() {
                return Err(parser.unexpected("a type name"));
            }
            if specs.storage != Storage::None || specs.thread_local {
                return Err(parser.error(specs.span, "storage class specified in a type name"));
            }
            let declarator = parser.abstract_declarator()?;
            Ok(TypeName {
                specs,
                declarator,
                span: parser.since(lo),
            })
        })
    }
}

fn is_storage(kind: K) -> bool {
    matches!(
        kind,
        K::Typedef
            | K::Extern
            | K::Static
            | K::Auto
            | K::Register
            | K::ThreadLocal
            | K::Inline
            | K::Noreturn
    )
}

/// Keywords that can begin declaration specifiers.
pub(super) fn is_specifier(kind: K) -> bool {
    is_storage(kind)
        || matches!(
            kind,
            K::CharType
                | K::Const
                | K::Double
                | K::Enum
                | K::Float
                | K::Int
                | K::Long
                | K::Restrict
                | K::Short
                | K::Signed
                | K::Struct
                | K::Union
                | K::Unsigned
                | K::Void
                | K::Volatile
                | K::Alignas
                | K::Atomic
                | K::Bool
                | K::Complex
                | K::Typeof
                | K::AutoType
                | K::Int128
                | K::Int128Typedef
                | K::UInt128Typedef
                | K::Float16
                | K::Float32
                | K::Float64
                | K::Float80
                | K::Float128
                | K::Decimal
                | K::VaList
        )
}
