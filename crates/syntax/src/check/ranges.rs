//! GNU's `[a ... b] = value` in initialisers.

use super::initializer::{Cursor, Flat, Part};
use super::operand::Operand;
use super::{Checker, Outcome};
use crate::ast::Initializer;
use crate::constant;
use crate::span::Span;
use crate::typed::{Expr, ExprKind, InitItem, InitValue, Place, PlaceKind};
use crate::types::Type;

impl Checker<'_> {
    /// GNU `[a ... b] = value`: every element gets the value, which is computed once. Items behind
    /// go on in the last element.
    pub(super) fn range(
        &mut self,
        flat: &mut Flat,
        whole: Part,
        shape: &Type,
        (low, high): (u64, u64),
        cursor: &mut Cursor<'_>,
    ) -> Outcome<()> {
        let (Some(part), Some(last), Some(item)) = (
            self.part(whole, shape, low),
            self.part(whole, shape, high),
            cursor.current(),
        ) else {
            return Ok(());
        };
        let mut alone = Cursor {
            items: &cursor.items[..=cursor.index],
            index: cursor.index,
            path: cursor.path,
            entered: true,
            checked: None,
        };
        let mut template = Flat::new(flat.is_static, 1);
        self.sub_object(&mut template, part, &mut alone)?;
        let (copies, reader) = self.computed_once(&mut template, item.span);
        let size = self.types().size_of(part.ty).unwrap_or(0);
        self.replay(flat, &template, &template.items, 0);
        for step in 1..high - low {
            self.replay(flat, &template, &copies, step * size);
        }
        if cursor.path.is_empty() && matches!(item.init, Initializer::List(..)) {
            self.replay(flat, &template, &copies, (high - low) * size);
            cursor.advance();
            return Ok(());
        }
        cursor.checked = reader;
        self.sub_object(flat, last, cursor)
    }

    /// What further elements get: the items, but a value that is no constant is read from a hidden
    /// variable. The operand that reads the last one is returned too.
    pub(super) fn computed_once(
        &mut self,
        template: &mut Flat,
        span: Span,
    ) -> (Vec<InitItem>, Option<Operand>) {
        let mut copies = Vec::with_capacity(template.items.len());
        let mut reader = None;
        for item in &mut template.items {
            let copy = match &mut item.value {
                InitValue::Expr(expr) if !template.is_static && constant::leaf(expr).is_none() => {
                    let read = self.compute_once(expr, span);
                    reader = Some(Operand::from(read.clone()));
                    InitValue::Expr(read)
                }
                value => value.clone(),
            };
            copies.push(InitItem {
                offset: item.offset,
                bits: item.bits,
                value: copy,
            });
        }
        (copies, reader)
    }

    /// Does to `flat` what `template` says, further on by some bytes.
    pub(super) fn replay(
        &mut self,
        flat: &mut Flat,
        template: &Flat,
        items: &[InitItem],
        shift: u64,
    ) {
        let mut members: Vec<_> = template.members.iter().collect();
        members.sort_unstable();
        for (&(offset, ty), &member) in members {
            let before = flat.members.insert((offset + shift, ty), member);
            if before.is_some_and(|before| before != member) {
                self.forget(
                    flat,
                    Part {
                        ty,
                        offset: offset + shift,
                        bits: None,
                    },
                );
            }
        }
        for part in &template.wiped {
            self.forget(
                flat,
                Part {
                    offset: part.offset + shift,
                    ..*part
                },
            );
        }
        flat.high = flat.high.max(template.high + shift);
        for item in items {
            flat.items.push(InitItem {
                offset: item.offset + shift,
                ..item.clone()
            });
        }
    }

    /// Lets the expression store its value in a hidden variable, and gives the expression that
    /// reads it.
    pub(super) fn compute_once(&mut self, expr: &mut Expr, span: Span) -> Expr {
        let ty = expr.ty;
        let var = self.new_hidden(ty, span);
        let place = || {
            Box::new(Place {
                kind: PlaceKind::Var(var),
                ty,
                span,
            })
        };
        let hollow = Expr {
            kind: ExprKind::Int(0),
            ty,
            span,
        };
        let value = std::mem::replace(expr, hollow);
        expr.kind = ExprKind::Assign(place(), Box::new(value));
        Expr {
            kind: ExprKind::Load(place()),
            ty,
            span,
        }
    }
}
