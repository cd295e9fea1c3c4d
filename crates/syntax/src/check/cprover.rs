//! CBMC's questions about memory and arithmetic, where the program does not define them.

use super::builtin::builtin;
use super::operand::Operand;
use super::{Checker, Outcome};
use crate::ast;
use crate::parser::quantifier::TOO_MANY;
use crate::span::{Name, Span};
use crate::typed::{Builtin, Expr, FuncId, Question};
use crate::types::{Type, TypeId};

impl Checker<'_> {
    /// The call of such a name without its prefix.
    pub(super) fn cprover_builtin(
        &mut self,
        rest: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<Outcome<Operand>> {
        let size = self.types().size_type();
        Some(match rest {
            "overflow_plus" | "overflow_minus" | "overflow_mult" => {
                let op = match rest {
                    "overflow_plus" => Builtin::AddOverflow,
                    "overflow_minus" => Builtin::SubOverflow,
                    _ => Builtin::MulOverflow,
                };
                self.overflow_in_common_type(op, args, span)
            }
            "r_ok" => self.room(Question::Readable, args, span),
            "w_ok" | "rw_ok" => self.room(Question::Writable, args, span),
            "same_object" => self.asked(Question::SameObject, args, 2, (TypeId::BOOL, span)),
            "OBJECT_SIZE" => self.asked(Question::ObjectSize, args, 1, (size, span)),
            "POINTER_OFFSET" => self.asked(Question::Offset, args, 1, (size, span)),
            "POINTER_OBJECT" => self.asked(Question::Open, args, 1, (size, span)),
            "DYNAMIC_OBJECT" => self.asked(Question::Open, args, 1, (TypeId::BOOL, span)),
            _ if Some(rest) == TOO_MANY.strip_prefix("__CPROVER_") => {
                Ok(builtin(Builtin::TooMany, Vec::new(), TypeId::VOID, span))
            }
            _ => return None,
        })
    }

    /// The type that CBMC calls so.
    pub(super) fn predefined_type(&self, name: Name) -> Option<TypeId> {
        match self.names.get(name) {
            "__CPROVER_size_t" => Some(self.types().size_type()),
            "__CPROVER_ssize_t" => Some(match self.types().size_type() {
                TypeId::UINT => TypeId::INT,
                _ => TypeId::LONG,
            }),
            "__CPROVER_bool" => Some(TypeId::BOOL),
            _ => None,
        }
    }

    /// A question about so many pointers.
    fn asked(
        &mut self,
        question: Question,
        args: &[ast::Expr],
        count: usize,
        (ty, span): (TypeId, Span),
    ) -> Outcome<Operand> {
        self.no_more_than(args, count, span)?;
        let mut operands = Vec::new();
        for index in 0..count {
            operands.push(self.pointer_operand(args, index, span)?);
        }
        Ok(builtin(Builtin::Ask(question), operands, ty, span))
    }

    /// Whether so many bytes are there, as many as the pointer's type has if it is not said.
    fn room(&mut self, question: Question, args: &[ast::Expr], span: Span) -> Outcome<Operand> {
        self.no_more_than(args, 2, span)?;
        let size_type = self.types().size_type();
        let count = if args.len() == 2 {
            let count = self.integer_argument(args, 1, span)?;
            self.convert(count, size_type)
        } else {
            let arg = self.argument(args, 0, span)?;
            let pointer = self.unevaluated(|checker| checker.value(arg))?;
            let pointee = self.types().pointee(pointer.expr.ty);
            let Some(pointee) = pointee.filter(|&ty| *self.types().get(ty) != Type::Void) else {
                return self.unsupported(span, "this question about an unknown number of bytes");
            };
            self.size_value(pointee, span)?
        };
        let pointer = self.pointer_operand(args, 0, span)?;
        let op = Builtin::Ask(question);
        Ok(builtin(op, vec![pointer, count], TypeId::BOOL, span))
    }

    fn pointer_operand(&mut self, args: &[ast::Expr], index: usize, span: Span) -> Outcome<Expr> {
        let arg = self.argument(args, index, span)?;
        let pointer = self.value(arg)?.expr;
        self.check_scalar(&pointer, "used where a pointer is required")?;
        Ok(self.convert(pointer, TypeId::VOID_POINTER))
    }

    fn no_more_than(&mut self, args: &[ast::Expr], count: usize, span: Span) -> Outcome<()> {
        match args.len() <= count {
            true => Ok(()),
            false => self.error(span, "too many arguments to builtin function"),
        }
    }

    /// CBMC lets other files call a static function `f` of `file.c` by the name
    /// `__CPROVER_file_local_file_c_f`. Such a name stands for the only static function that it can
    /// mean.
    pub(super) fn resolve_exported(&mut self) {
        for index in 0..self.program.functions.len() {
            let function = &self.program.functions[index];
            let text = self.names.get(function.name);
            let Some(mangled) = text.strip_prefix("__CPROVER_file_local_") else {
                continue;
            };
            if function.body.is_some() || function.alias.is_some() {
                continue;
            }
            let functions = self.program.functions.iter().enumerate();
            let meant = functions.filter(|(_, other)| {
                let file = mangled.strip_suffix(self.names.get(other.name));
                other.is_static
                    && other.body.is_some()
                    && file.is_some_and(|it| it.ends_with("_c_"))
            });
            let meant: Vec<FuncId> = meant.map(|(other, _)| FuncId(other as u32)).collect();
            let [meant] = meant[..] else { continue };
            let (own, other) = (function.ty, self.program.functions[meant.0 as usize].ty);
            if self.compatible(own, other) {
                self.program.functions[index].alias = Some(meant);
                self.linkage.functions[index].mentions.push(meant);
            }
        }
    }
}
