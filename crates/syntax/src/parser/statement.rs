//! Statements and blocks (C11 6.8).

use super::declaration::Declared;
use super::{Parse, Parser};
use crate::ast::*;
use crate::attribute_names::{Meaning, meaning};
use crate::lexer::TokenKind as K;

impl Parser<'_> {
    /// `{ … }`, a scope of its own.
    pub(super) fn block(&mut self) -> Parse<Block> {
        let lo = self.here();
        let open = self.expect(K::LBrace, "before a block")?;
        self.scopes.open();
        let items = self.block_items();
        self.scopes.close();
        self.expect_closing(K::RBrace, open)?;
        Ok(Block {
            items,
            span: self.since(lo),
        })
    }

    /// Reads up to the closing brace or the end; goes on behind errors.
    fn block_items(&mut self) -> Vec<BlockItem> {
        let mut items = Vec::new();
        while !matches!(self.peek(), K::RBrace | K::Eof) {
            let before = self.at;
            match self.block_item() {
                Ok(item) => items.push(item),
                Err(_) => {
                    self.skip_to_end_of_item();
                    if self.at == before && self.peek() != K::RBrace {
                        self.bump();
                    }
                }
            }
        }
        items
    }

    fn block_item(&mut self) -> Parse<BlockItem> {
        match self.peek() {
            K::StaticAssert => Ok(BlockItem::StaticAssert(self.static_assert()?)),
            _ if self.at_declaration() => match self.nested(Parser::declared)? {
                Declared::Declaration(declaration) => {
                    Ok(BlockItem::Declaration(Box::new(declaration)))
                }
                Declared::Function(function) => Ok(BlockItem::NestedFunction(Box::new(function))),
            },
            _ => Ok(BlockItem::Statement(self.statement()?)),
        }
    }

    /// Does a declaration begin here, rather than a statement?
    fn at_declaration(&self) -> bool {
        match self.peek() {
            K::Ident => {
                // `T:` is a label even if T is a type; `foo x` is a declaration with an unknown
                // type.
                let next = self.peek_at(1);
                if self.at_type_name() {
                    next != K::Colon
                } else {
                    next == K::Ident
                }
            }
            K::LBracket if !self.at_attributes() => false,
            K::Extension | K::Attribute | K::LBracket => {
                let mut ahead = 0;
                while self.peek_at(ahead) == K::Extension {
                    ahead += 1;
                }
                let token = self.token_past_attributes(ahead);
                match token.kind {
                    K::Ident => self.scopes.is_type(token.name),
                    kind => super::specifiers::is_specifier(kind),
                }
            }
            kind => super::specifiers::is_specifier(kind),
        }
    }

    pub(super) fn statement(&mut self) -> Parse<Stmt> {
        self.nested(|parser| {
            let lo = parser.here();
            let kind = parser.statement_kind()?;
            Ok(Stmt {
                kind,
                span: parser.since(lo),
            })
        })
    }

    fn boxed_statement(&mut self) -> Parse<Box<Stmt>> {
        self.statement().map(Box::new)
    }

    fn statement_kind(&mut self) -> Parse<StmtKind> {
        match self.peek() {
            K::Semi => {
                self.bump();
                Ok(StmtKind::Empty)
            }
            K::LBrace => Ok(StmtKind::Block(self.block()?)),
            K::Ident if self.peek_at(1) == K::Colon => {
                let token = self.bump();
                self.bump();
                let label = self.ident_of(token);
                self.attributes_of_statement()?;
                Ok(StmtKind::Label {
                    label,
                    body: self.labelled()?,
                })
            }
            K::If => self.if_statement(),
            K::While => {
                self.bump();
                let condition = self.condition("after 'while'")?;
                Ok(StmtKind::While {
                    condition,
                    body: self.boxed_statement()?,
                })
            }
            K::Do => self.do_statement(),
            K::For => {
                self.scopes.open();
                let kind = self.for_statement();
                self.scopes.close();
                kind
            }
            K::Switch => {
                self.bump();
                let value = self.condition("after 'switch'")?;
                Ok(StmtKind::Switch {
                    value,
                    body: self.boxed_statement()?,
                })
            }
            K::Case => {
                self.bump();
                let low = self.constant()?;
                let high = match self.accept(K::Ellipsis) {
                    true => Some(Box::new(self.constant()?)),
                    false => None,
                };
                self.expect(K::Colon, "after a 'case' value")?;
                Ok(StmtKind::Case {
                    low,
                    high,
                    body: self.labelled()?,
                })
            }
            K::Default => {
                self.bump();
                self.expect(K::Colon, "after 'default'")?;
                Ok(StmtKind::Default(self.labelled()?))
            }
            K::Goto => {
                self.bump();
                let kind = match self.accept(K::Star) {
                    true => StmtKind::ComputedGoto(self.expression()?),
                    false => StmtKind::Goto(self.ident("after 'goto'")?),
                };
                self.end_of_statement("after 'goto'")?;
                Ok(kind)
            }
            K::Break => {
                self.bump();
                self.end_of_statement("after 'break'")?;
                Ok(StmtKind::Break)
            }
            K::Continue => {
                self.bump();
                self.end_of_statement("after 'continue'")?;
                Ok(StmtKind::Continue)
            }
            K::Return => {
                self.bump();
                let value = match self.peek() {
                    K::Semi => None,
                    _ => Some(self.expression()?),
                };
                self.end_of_statement("after 'return'")?;
                Ok(StmtKind::Return(value))
            }
            K::LocalLabel => self.local_labels(),
            K::Asm => Ok(StmtKind::Asm(Box::new(self.asm_statement()?))),
            K::Attribute | K::LBracket if self.at_attributes() => {
                // `__attribute__((fallthrough));` and its kin say nothing about the program.
                self.attributes_of_statement()?;
                Ok(self.statement()?.kind)
            }
            K::Else => Err(self.error(self.here_span(), "'else' without a previous 'if'")),
            _ => {
                let value = self.expression()?;
                self.end_of_statement("after an expression")?;
                Ok(StmtKind::Expr(value))
            }
        }
    }

    /// Attributes of statements, labels and enumerators: only such as say nothing about the
    /// program.
    pub(super) fn attributes_of_statement(&mut self) -> Parse<()> {
        let mut list = Vec::new();
        self.attributes(&mut list)?;
        for attribute in list {
            let name = self.names.get(attribute.name);
            if meaning(name) != Meaning::Harmless {
                let construct = format!("the attribute '{name}' here");
                return Err(self.unsupported(attribute.span, &construct));
            }
        }
        Ok(())
    }

    fn end_of_statement(&mut self, context: &str) -> Parse<()> {
        self.expect(K::Semi, context).map(|_| ())
    }

    /// What a label stands at: a statement, or nothing before a declaration or the end of a block.
    fn labelled(&mut self) -> Parse<Box<Stmt>> {
        if self.peek() == K::RBrace || self.peek() == K::StaticAssert || self.at_declaration() {
            let span = self.since(self.here());
            return Ok(Box::new(Stmt {
                kind: StmtKind::Empty,
                span,
            }));
        }
        self.boxed_statement()
    }

    /// `( expression )`.
    fn condition(&mut self, context: &str) -> Parse<Expr> {
        let open = self.expect(K::LParen, context)?;
        let condition = self.expression()?;
        self.expect_closing(K::RParen, open)?;
        Ok(condition)
    }

    fn if_statement(&mut self) -> Parse<StmtKind> {
        self.bump();
        let condition = self.condition("after 'if'")?;
        let then = self.boxed_statement()?;
        let otherwise = match self.accept(K::Else) {
            true => Some(self.boxed_statement()?),
            false => None,
        };
        Ok(StmtKind::If {
            condition,
            then,
            otherwise,
        })
    }

    fn do_statement(&mut self) -> Parse<StmtKind> {
        self.bump();
        let body = self.boxed_statement()?;
        self.expect(K::While, "after the body of 'do'")?;
        let condition = self.condition("after 'while'")?;
        self.end_of_statement("after 'do … while (…)'")?;
        Ok(StmtKind::DoWhile { body, condition })
    }

    fn for_statement(&mut self) -> Parse<StmtKind> {
        self.bump();
        let open = self.expect(K::LParen, "after 'for'")?;
        let init = if self.accept(K::Semi) {
            None
        } else if self.at_declaration() {
            Some(Box::new(ForInit::Declaration(self.declaration()?)))
        } else {
            let init = self.expression()?;
            self.expect(K::Semi, "after the initialisation of 'for'")?;
            Some(Box::new(ForInit::Expr(init)))
        };
        let condition = match self.peek() {
            K::Semi => None,
            _ => Some(Box::new(self.expression()?)),
        };
        self.expect(K::Semi, "after the condition of 'for'")?;
        let step = match self.peek() {
            K::RParen => None,
            _ => Some(Box::new(self.expression()?)),
        };
        self.expect_closing(K::RParen, open)?;
        let body = self.boxed_statement()?;
        Ok(StmtKind::For {
            init,
            condition,
            step,
            body,
        })
    }

    fn local_labels(&mut self) -> Parse<StmtKind> {
        self.bump();
        let mut labels = Vec::new();
        loop {
            let label = self.ident("after '__label__'")?;
            labels.push(label);
            if !self.accept(K::Comma) {
                break;
            }
        }
        self.end_of_statement("after '__label__'")?;
        Ok(StmtKind::LocalLabels(labels))
    }
}
