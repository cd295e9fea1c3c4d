//! GNU assembler in C: statements, labels of declarations, and at the top level.

use super::{Parse, Parser};
use crate::ast::{AsmOperand, AsmStmt, FileAsm, Ident};
use crate::lexer::TokenKind as K;

impl Parser<'_> {
    /// `asm("name")` behind a declarator.
    pub(super) fn asm_label(&mut self) -> Parse<Vec<u8>> {
        self.bump();
        let open = self.expect(K::LParen, "after 'asm'")?;
        let label = self.byte_string("the name of an asm label")?;
        self.expect_closing(K::RParen, open)?;
        Ok(label)
    }

    pub(super) fn top_level_asm(&mut self) -> Parse<FileAsm> {
        let lo = self.here();
        let template = self.asm_statement()?.template;
        Ok(FileAsm {
            template,
            span: self.since(lo),
        })
    }

    /// `asm volatile goto ("template" : outputs : inputs : clobbers : labels);`
    pub(super) fn asm_statement(&mut self) -> Parse<AsmStmt> {
        self.bump();
        let mut volatile = false;
        loop {
            match self.peek() {
                K::Volatile => volatile = true,
                K::Goto | K::Inline | K::Const => {}
                _ => break,
            }
            self.bump();
        }
        let open = self.expect(K::LParen, "after 'asm'")?;
        let mut asm = AsmStmt {
            volatile,
            template: self.byte_string("the template of 'asm'")?,
            outputs: Vec::new(),
            inputs: Vec::new(),
            clobbers: Vec::new(),
            labels: Vec::new(),
        };
        if self.accept(K::Colon) {
            asm.outputs = self.asm_operands()?;
            if self.accept(K::Colon) {
                asm.inputs = self.asm_operands()?;
                if self.accept(K::Colon) {
                    asm.clobbers = self.asm_clobbers()?;
                    if self.accept(K::Colon) {
                        asm.labels = self.asm_labels()?;
                    }
                }
            }
        }
        self.expect_closing(K::RParen, open)?;
        self.expect(K::Semi, "after 'asm(…)'")?;
        Ok(asm)
    }

    fn at_end_of_asm_part(&self) -> bool {
        matches!(self.peek(), K::Colon | K::RParen)
    }

    fn asm_operands(&mut self) -> Parse<Vec<AsmOperand>> {
        let mut operands = Vec::new();
        if self.at_end_of_asm_part() {
            return Ok(operands);
        }
        loop {
            let name = if self.peek() == K::LBracket {
                let open = self.bump();
                let name = self.ident("as the name of an asm operand")?;
                self.expect_closing(K::RBracket, open)?;
                Some(name)
            } else {
                None
            };
            let constraint = self.byte_string("the constraint of an asm operand")?;
            let open = self.expect(K::LParen, "after the constraint of an asm operand")?;
            let value = self.expression()?;
            self.expect_closing(K::RParen, open)?;
            operands.push(AsmOperand {
                name,
                constraint,
                value,
            });
            if !self.accept(K::Comma) {
                return Ok(operands);
            }
        }
    }

    fn asm_clobbers(&mut self) -> Parse<Vec<Vec<u8>>> {
        let mut clobbers = Vec::new();
        if self.at_end_of_asm_part() {
            return Ok(clobbers);
        }
        loop {
            let clobber = self.byte_string("a clobbered register")?;
            clobbers.push(clobber);
            if !self.accept(K::Comma) {
                return Ok(clobbers);
            }
        }
    }

    fn asm_labels(&mut self) -> Parse<Vec<Ident>> {
        let mut labels = Vec::new();
        if self.at_end_of_asm_part() {
            return Ok(labels);
        }
        loop {
            let label = self.ident("as a label of 'asm goto'")?;
            labels.push(label);
            if !self.accept(K::Comma) {
                return Ok(labels);
            }
        }
    }
}
