//! Declarators: what stands around a name, or around the place where it would be
//! (C11 6.7.6, 6.7.7).

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Token, TokenKind as K};

/// Whether the declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Required,
    Optional,
    Forbidden,
}

/// The parts of a declarator while it is read.
#[derive(Default)]
struct Parts {
    name: Option<Ident>,
    derived: Vec<Derived>,
    attributes: Vec<Attribute>,
}

impl Parser<'_> {
    /// A declarator with a name.
    pub(super) fn declarator(&mut self) -> Parse<Declarator> {
        self.declarator_named(Naming::Required)
    }

    /// A declarator without a name, as in a cast.
    pub(super) fn abstract_declarator(&mut self) -> Parse<Declarator> {
        self.declarator_named(Naming::Forbidden)
    }

    fn declarator_named(&mut self, naming: Naming) -> Parse<Declarator> {
        let lo = self.here();
        let mut parts = Parts::default();
        self.declarator_parts(naming, &mut parts)?;
        self.attributes(&mut parts.attributes)?;
        let Parts {
            name,
            derived,
            attributes,
        } = parts;
        Ok(Declarator {
            name,
            derived,
            attributes,
            span: self.since(lo),
        })
    }

    fn declarator_parts(&mut self, naming: Naming, parts: &mut Parts) -> Parse<()> {
        self.attributes(&mut parts.attributes)?;
        let mut pointers = Vec::new();
        while self.accept(K::Star) {
            let quals = self.qualifiers(&mut parts.attributes)?;
            pointers.push(Derived::Pointer(quals));
        }
        match self.peek() {
            K::Ident if naming != Naming::Forbidden => {
                let token = self.bump();
                parts.name = Some(self.ident_of(token));
            }
            K::Float16 | K::Float32 | K::Float64 | K::Float80 | K::Float128
                if naming == Naming::Required =>
            {
                let token = self.bump();
                parts.name = Some(self.ident_of(token));
            }
            K::LParen if self.opens_group(naming) => {
                let open = self.bump();
                self.nested(|parser| parser.declarator_parts(naming, parts))?;
                self.expect_closing(K::RParen, open)?;
            }
            _ if naming == Naming::Required => {
                return Err(self.unexpected("an identifier or '('"));
            }
            _ => {}
        }
        loop {
            match self.peek() {
                K::LBracket if self.at_attributes() => self.attributes(&mut parts.attributes)?,
                K::LBracket => {
                    let array = self.array(&mut parts.attributes)?;
                    parts.derived.push(array);
                }
                K::LParen => {
                    let open = self.bump();
                    let params = self.nested(Parser::params)?;
                    self.expect_closing(K::RParen, open)?;
                    parts.derived.push(Derived::Function(params));
                }
                _ => break,
            }
        }
        parts.derived.extend(pointers.into_iter().rev());
        Ok(())
    }

    /// Does the `(` at hand group a declarator, or begin parameters?
    fn opens_group(&self, naming: Naming) -> bool {
        let Token { kind, name, .. } = self.token_past_attributes(1);
        match (naming, kind) {
            (Naming::Required, _) => true,
            (_, K::Star | K::LParen | K::LBracket) => true,
            (Naming::Optional, K::Ident) => !self.scopes.is_type(name),
            _ => false,
        }
    }

    fn array(&mut self, attributes: &mut Vec<Attribute>) -> Parse<Derived> {
        let open = self.bump();
        let mut is_static = self.accept(K::Static);
        let quals = self.qualifiers(attributes)?;
        is_static |= self.accept(K::Static);
        let size = match self.peek() {
            K::RBracket if !is_static => ArraySize::Unknown,
            K::Star if self.peek_at(1) == K::RBracket => {
                self.bump();
                ArraySize::Star
            }
            _ => ArraySize::Expr(Box::new(self.assignment()?)),
        };
        self.expect_closing(K::RBracket, open)?;
        Ok(Derived::Array {
            size,
            quals,
            is_static,
        })
    }

    /// The parameters behind the opening parenthesis, up to the closing one.
    fn params(&mut self) -> Parse<Params> {
        if self.peek() == K::RParen {
            return Ok(Params::Unspecified);
        }
        let bare_name = self.peek() == K::Ident && !self.at_type_name();
        if bare_name && matches!(self.peek_at(1), K::Comma | K::RParen) {
            let mut names = Vec::new();
            loop {
                let name = self.ident("in a list of parameter names")?;
                names.push(name);
                if !self.accept(K::Comma) {
                    return Ok(Params::Names(names));
                }
            }
        }
        self.scopes.open();
        let params = self.prototype();
        self.scopes.close();
        params
    }

    fn prototype(&mut self) -> Parse<Params> {
        let mut params = Vec::new();
        let mut variadic = false;
        loop {
            if self.accept(K::Ellipsis) {
                variadic = true;
                break;
            }
            let param = self.param()?;
            params.push(param);
            match self.peek() {
                K::Comma => {
                    self.bump();
                }
                // GNU forward declarations of parameters: the real list follows.
                K::Semi => {
                    self.bump();
                    params.clear();
                }
                _ => break,
            }
        }
        if let ([only], false) = (params.as_slice(), variadic)
            && is_void(only)
        {
            params.clear();
        }
        Ok(Params::Prototype { params, variadic })
    }

    fn param(&mut self) -> Parse<Param> {
        let lo = self.here();
        let specs = self.specifiers_of_known_type("a parameter")?;
        if !matches!(specs.storage, Storage::None | Storage::Register) || specs.thread_local {
            return Err(self.error(specs.span, "storage class specified for a parameter"));
        }
        let declarator = self.declarator_named(Naming::Optional)?;
        if let Some(name) = &declarator.name {
            self.scopes.declare(name.name, false);
        }
        Ok(Param {
            specs,
            declarator,
            span: self.since(lo),
        })
    }
}

/// `(void)`: no parameters.
fn is_void(param: &Param) -> bool {
    matches!(param.specs.ty, TypeSpec::Basic(BasicType::Void))
        && param.specs.quals == Quals::default()
        && param.specs.storage == Storage::None
        && param.declarator.name.is_none()
        && param.declarator.derived.is_empty()
}
