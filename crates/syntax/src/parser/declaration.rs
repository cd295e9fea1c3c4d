//! Declarations and function definitions (C11 6.7, 6.9).

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::TokenKind as K;

/// What specifiers and a declarator turned out to begin.
pub(super) enum Declared {
    Declaration(Declaration),
    Function(FunctionDef),
}

impl Parser<'_> {
    pub(super) fn translation_unit(&mut self) -> TranslationUnit {
        let mut items = Vec::new();
        while self.peek() != K::Eof {
            let before = self.at;
            // A stray semicolon between declarations means nothing.
            if self.accept(K::Semi) {
                continue;
            }
            match self.item() {
                Ok(item) => items.push(item),
                Err(_) => {
                    self.skip_to_end_of_item();
                    self.accept(K::RBrace);
                    if self.at == before {
                        self.bump();
                    }
                }
            }
        }
        TranslationUnit { items }
    }

    fn item(&mut self) -> Parse<Item> {
        match self.peek() {
            K::StaticAssert => Ok(Item::StaticAssert(self.static_assert()?)),
            K::Asm => Ok(Item::Asm(self.top_level_asm()?)),
            _ => match self.declared()? {
                Declared::Declaration(declaration) => Ok(Item::Declaration(declaration)),
                Declared::Function(function) => Ok(Item::Function(function)),
            },
        }
    }

    /// A declaration or a function definition.
    pub(super) fn declared(&mut self) -> Parse<Declared> {
        let lo = self.here();
        let at = self.at;
        let specs = self.specifiers_of_known_type("a declaration")?;
        if self.at == at && !matches!(self.peek(), K::Ident | K::Star | K::LParen) {
            return Err(self.unexpected("a declaration"));
        }
        let mut declarators = Vec::new();
        if self.peek() != K::Semi {
            loop {
                let dlo = self.here();
                let declarator = self.declarator()?;
                if declarators.is_empty() && self.begins_body(&declarator) {
                    let function = self.function(lo, specs, declarator)?;
                    return Ok(Declared::Function(function));
                }
                let declarator = self.init_declarator(dlo, declarator, specs.storage)?;
                declarators.push(declarator);
                if !self.accept(K::Comma) {
                    break;
                }
            }
        }
        self.expect(K::Semi, "at the end of a declaration")?;
        Ok(Declared::Declaration(Declaration {
            specs,
            declarators,
            span: self.since(lo),
        }))
    }

    /// A declaration that cannot be a function definition.
    pub(super) fn declaration(&mut self) -> Parse<Declaration> {
        match self.declared()? {
            Declared::Declaration(declaration) => Ok(declaration),
            Declared::Function(function) => {
                Err(self.error(function.span, "a function cannot be defined here"))
            }
        }
    }

    /// Specifiers, with a helpful message where an unknown name stands for the type. From then on
    /// the name counts as a type, so that it is reported once.
    pub(super) fn specifiers_of_known_type(&mut self, what: &str) -> Parse<DeclSpecs> {
        let start = self.at;
        let specs = self.specifiers()?;
        if !matches!(specs.ty, TypeSpec::Missing) {
            return Ok(specs);
        }
        let token = self.token();
        // At the top level `f() {…}` and `static x;` have implicit int; elsewhere a type is
        // missing.
        let unknown = token.kind == K::Ident
            && match self.peek_at(1) {
                K::Ident | K::Star => true,
                _ => what != "a declaration" && self.at == start,
            };
        if unknown {
            let message = format!("unknown type name '{}'", self.name_text(token.name));
            self.error(self.lexed.span(token), message);
            self.scopes.declare(token.name, true);
            self.at = if self.stopped { self.at } else { start };
            return self.specifiers();
        }
        if self.at == start && what != "a declaration" {
            return Err(self.unexpected(&format!("the type of {what}")));
        }
        Ok(specs)
    }

    fn begins_body(&self, declarator: &Declarator) -> bool {
        match declarator.derived.first() {
            Some(Derived::Function(_)) if self.peek() == K::LBrace => true,
            Some(Derived::Function(Params::Names(_))) => self.at_specifier(),
            _ => false,
        }
    }

    fn init_declarator(
        &mut self,
        lo: u32,
        mut declarator: Declarator,
        storage: Storage,
    ) -> Parse<InitDeclarator> {
        let asm_label = match self.peek() {
            K::Asm => Some(self.asm_label()?),
            _ => None,
        };
        self.attributes(&mut declarator.attributes)?;
        if let Some(name) = &declarator.name {
            self.scopes.declare(name.name, storage == Storage::Typedef);
        }
        let init = match self.accept(K::Assign) {
            true => Some(self.initializer()?),
            false => None,
        };
        self.attributes(&mut declarator.attributes)?;
        Ok(InitDeclarator {
            declarator,
            asm_label,
            init,
            span: self.since(lo),
        })
    }

    fn function(
        &mut self,
        lo: u32,
        specs: DeclSpecs,
        declarator: Declarator,
    ) -> Parse<FunctionDef> {
        if let Some(name) = &declarator.name {
            self.scopes.declare(name.name, false);
        }
        self.scopes.open();
        let parts = self.nested(|parser| parser.function_parts(&declarator));
        self.scopes.close();
        let (old_style_params, body) = parts?;
        Ok(FunctionDef {
            specs,
            declarator,
            old_style_params,
            body,
            span: self.since(lo),
        })
    }

    /// The declarations of old-style parameters, and the body.
    fn function_parts(&mut self, declarator: &Declarator) -> Parse<(Vec<Declaration>, Block)> {
        let mut old_style_params = Vec::new();
        match declarator.derived.first() {
            Some(Derived::Function(Params::Prototype { params, .. })) => {
                for name in params
                    .iter()
                    .filter_map(|param| param.declarator.name.as_ref())
                {
                    self.scopes.declare(name.name, false);
                }
            }
            Some(Derived::Function(Params::Names(names))) => {
                for name in names {
                    self.scopes.declare(name.name, false);
                }
                while self.peek() != K::LBrace && self.at_specifier() {
                    let declaration = self.declaration()?;
                    old_style_params.push(declaration);
                }
            }
            _ => {}
        }
        let body = self.block()?;
        Ok((old_style_params, body))
    }

    /// `_Static_assert(condition, "message");`
    pub(super) fn static_assert(&mut self) -> Parse<StaticAssert> {
        let lo = self.here();
        self.bump();
        let open = self.expect(K::LParen, "after '_Static_assert'")?;
        let condition = self.constant()?;
        let message = match self.accept(K::Comma) {
            true => Some(self.byte_string("the message of '_Static_assert'")?),
            false => None,
        };
        self.expect_closing(K::RParen, open)?;
        self.expect(K::Semi, "after '_Static_assert(…)'")?;
        Ok(StaticAssert {
            condition,
            message,
            span: self.since(lo),
        })
    }
}
