//! Initialisers with C11's, GNU's and old designators (C11 6.7.9).

use super::{Parse, Parser};
use crate::ast::{Designator, InitItem, Initializer};
use crate::lexer::TokenKind as K;

impl Parser<'_> {
    pub(super) fn initializer(&mut self) -> Parse<Initializer> {
        if self.peek() == K::LBrace {
            let lo = self.here();
            let items = self.initializer_list()?;
            return Ok(Initializer::List(items, self.since(lo)));
        }
        Ok(Initializer::Expr(self.assignment()?))
    }

    /// `{ … }`.
    pub(super) fn initializer_list(&mut self) -> Parse<Vec<InitItem>> {
        self.nested(|parser| {
            let open = parser.expect(K::LBrace, "before initialisers")?;
            let mut items = Vec::new();
            while parser.peek() != K::RBrace {
                let item = parser.initializer_item()?;
                items.push(item);
                if !parser.accept(K::Comma) {
                    break;
                }
            }
            parser.expect_closing(K::RBrace, open)?;
            Ok(items)
        })
    }

    fn initializer_item(&mut self) -> Parse<InitItem> {
        let lo = self.here();
        let mut designators = Vec::new();
        if self.peek() == K::Ident && self.peek_at(1) == K::Colon {
            let field = self.bump();
            self.bump();
            designators.push(Designator::Field(self.ident_of(field)));
        } else if self.designators(&mut designators)? {
            // GNU once took `[3] 5` without a sign between.
            if !self.accept(K::Assign)
                && !matches!(
                    designators.last(),
                    Some(Designator::Index(_) | Designator::Range(..))
                )
            {
                return Err(self.unexpected("'=' after a designator"));
            }
        }
        let init = self.initializer()?;
        Ok(InitItem {
            designators,
            init,
            span: self.since(lo),
        })
    }

    /// Reads `.name`, `[i]` and `[i ... j]`; true if there were any.
    pub(super) fn designators(&mut self, into: &mut Vec<Designator>) -> Parse<bool> {
        loop {
            match self.peek() {
                K::Dot => {
                    self.bump();
                    let field = self.ident("after '.'")?;
                    into.push(Designator::Field(field));
                }
                K::LBracket => {
                    let open = self.bump();
                    let low = self.constant()?;
                    let designator = match self.accept(K::Ellipsis) {
                        true => Designator::Range(low, self.constant()?),
                        false => Designator::Index(low),
                    };
                    self.expect_closing(K::RBracket, open)?;
                    into.push(designator);
                }
                _ => return Ok(!into.is_empty()),
            }
        }
    }
}
