//! Structs, unions and enums (C11 6.7.2.1, 6.7.2.2).

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::TokenKind as K;
use crate::span::Name;

impl Parser<'_> {
    /// At `struct` or `union`.
    pub(super) fn record(&mut self) -> Parse<RecordSpec> {
        self.nested(Parser::record_inner)
    }

    fn record_inner(&mut self) -> Parse<RecordSpec> {
        let lo = self.here();
        let kind = match self.bump().kind {
            K::Union => RecordKind::Union,
            _ => RecordKind::Struct,
        };
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag();
        // Attributes may also stand between the tag and the members; behind a record that is only
        // named they belong to what is declared.
        if self.token_past_attributes(0).kind == K::LBrace {
            self.attributes(&mut attributes)?;
        }
        let mut fields = None;
        if self.peek() == K::LBrace {
            let open = self.bump();
            fields = Some(self.fields_of(tag, lo)?);
            attributes.extend(self.pack_in_force(self.lexed.span(open)));
            self.expect_closing(K::RBrace, open)?;
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.unexpected("a name or '{' after 'struct' or 'union'"));
        }
        Ok(RecordSpec {
            kind,
            tag,
            fields,
            attributes,
            span: self.since(lo),
        })
    }

    /// The members of a record, which may not define their record again: it would contain itself.
    fn fields_of(&mut self, tag: Option<Name>, lo: u32) -> Parse<Vec<FieldItem>> {
        let Some(tag) = tag else { return self.fields() };
        let key = (tag, self.scopes.depth());
        if self.open_tags.contains(&key) {
            let message = format!("nested redefinition of '{}'", self.name_text(tag));
            return Err(self.error(self.since(lo), message));
        }
        self.open_tags.push(key);
        let fields = self.fields();
        self.open_tags.pop();
        fields
    }

    fn tag(&mut self) -> Option<Name> {
        (self.peek() == K::Ident).then(|| self.bump().name)
    }

    /// The members up to the closing brace.
    fn fields(&mut self) -> Parse<Vec<FieldItem>> {
        let mut items = Vec::new();
        loop {
            match self.peek() {
                K::RBrace | K::Eof => return Ok(items),
                K::Semi => {
                    self.bump();
                }
                _ => match self.field_item() {
                    Ok(item) => items.push(item),
                    Err(_) => {
                        let at = self.at;
                        self.skip_to_end_of_item();
                        if self.at == at && self.peek() != K::RBrace {
                            return Ok(items);
                        }
                    }
                },
            }
        }
    }

    fn field_item(&mut self) -> Parse<FieldItem> {
        if self.peek() == K::StaticAssert {
            return Ok(FieldItem::StaticAssert(self.static_assert()?));
        }
        let specs = self.specifiers_of_known_type("a member")?;
        if specs.storage != Storage::None || specs.thread_local {
            return Err(self.error(specs.span, "storage class specified for a member"));
        }
        let mut declarators = Vec::new();
        if !matches!(self.peek(), K::Semi | K::RBrace) {
            loop {
                let declarator = self.field_declarator()?;
                declarators.push(declarator);
                if !self.accept(K::Comma) {
                    break;
                }
            }
        }
        // gcc takes a last member without its semicolon.
        if self.peek() != K::RBrace {
            self.expect(K::Semi, "at the end of a member declaration")?;
        }
        Ok(FieldItem::Fields { specs, declarators })
    }

    fn field_declarator(&mut self) -> Parse<FieldDeclarator> {
        let lo = self.here();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let declarator = match self.peek() {
            K::Colon => None,
            _ => Some(self.declarator()?),
        };
        let width = match self.accept(K::Colon) {
            true => Some(self.constant()?),
            false => None,
        };
        self.attributes(&mut attributes)?;
        Ok(FieldDeclarator {
            declarator,
            width,
            attributes,
            span: self.since(lo),
        })
    }

    /// At `enum`.
    pub(super) fn enumeration(&mut self) -> Parse<EnumSpec> {
        let lo = self.here();
        self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag();
        let mut enumerators = None;
        if self.peek() == K::LBrace {
            let open = self.bump();
            let mut list = Vec::new();
            while self.peek() != K::RBrace {
                let enumerator = self.nested(Parser::enumerator)?;
                list.push(enumerator);
                if !self.accept(K::Comma) {
                    break;
                }
            }
            self.expect_closing(K::RBrace, open)?;
            self.attributes(&mut attributes)?;
            enumerators = Some(list);
        } else if tag.is_none() {
            return Err(self.unexpected("a name or '{' after 'enum'"));
        }
        Ok(EnumSpec {
            tag,
            enumerators,
            attributes,
            span: self.since(lo),
        })
    }

    fn enumerator(&mut self) -> Parse<Enumerator> {
        let lo = self.here();
        let name = self.ident("as the name of an enumerator")?.name;
        self.attributes_of_statement()?;
        let value = match self.accept(K::Assign) {
            true => Some(self.constant()?),
            false => None,
        };
        self.scopes.declare(name, false);
        Ok(Enumerator {
            name,
            value,
            span: self.since(lo),
        })
    }
}
