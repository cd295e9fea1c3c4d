//! Calls of functions that the program defines or labels itself under a name that compilers know:
//! of the program's function, or of the library's, as the compiler likes
//! (`syntax::typed::Function::library`).

use super::condition::Exit;
use super::context::Shape;
use super::frame::FunctionLowering;
use crate::models::PrintFunction;
use cfa::expr::{ExprId, VarId};
use cfa::op::{InputKind, Op};
use cfa::value::Ty;
use syntax::span::Span;
use syntax::typed::{self, Expr, StringId};

impl<'t> FunctionLowering<'_, 't> {
    /// Evaluates the arguments, and calls the one or the other.
    pub(super) fn call_either(
        &mut self,
        own: typed::FuncId,
        library: typed::FuncId,
        expr: &'t Expr,
        args: &'t [Expr],
        wanted: bool,
    ) -> Option<ExprId> {
        let span = expr.span;
        let name = self.context.function(own).name;
        let actuals = self.arguments(args);
        let result = match self.context.shape(expr.ty) {
            Shape::Scalar(ty) if wanted => Some(self.temporary(ty, span)),
            _ => None,
        };
        let choice = self.temporary(Ty::U8, span);
        self.havoc(choice, InputKind::Replaced(name), true, span);
        let choice = self.read(choice);
        let is_replaced = self.context.pool.truth(choice);
        let [replaced, called, after] = [(); 3].map(|()| self.new_node());
        self.split(
            is_replaced,
            Exit::plain(replaced),
            Exit::plain(called),
            span,
        );
        self.enter(called);
        let value = self.call_evaluated(own, expr, args, actuals.clone(), None, wanted);
        self.keep(result, value, span);
        self.go(after, span);
        self.enter(replaced);
        self.refuse_count(library, expr, args);
        let value = self.call_evaluated(library, expr, args, actuals, None, wanted);
        self.keep(result, value, span);
        self.go(after, span);
        self.enter(after);
        result.map(|result| self.read(result))
    }

    fn keep(&mut self, result: Option<VarId>, value: Option<ExprId>, span: Span) {
        if let (Some(result), Some(value)) = (result, value) {
            self.emit(Op::Assign(result, value), span);
        }
    }

    /// gcc turns `printf("text\n")` into `puts("text")`, and the like: if the program defines such a
    /// function itself, nobody knows whether it is called.
    pub(crate) fn refuse_other_output(
        &mut self,
        function: PrintFunction,
        literal: Option<StringId>,
        span: Span,
    ) {
        let Some(simpler) = self.simpler_outputs(function, literal) else {
            return;
        };
        let functions = self.context.typed.functions.iter();
        let mut own = functions.filter(|function| function.body.is_some() && !function.is_static);
        let found = own.find_map(|function| {
            let text = self.context.names.get(function.name);
            simpler.contains(&text).then(|| text.to_owned())
        });
        if let Some(text) = found {
            let what = format!("output that a compiler may write by the program's own `{text}`");
            self.unsupported(&what, span);
        }
    }

    /// The functions that gcc may call instead of one whose result is of no use.
    fn simpler_outputs(
        &self,
        function: PrintFunction,
        literal: Option<StringId>,
    ) -> Option<&'static [&'static str]> {
        const TO_OUTPUT: &[&str] = &["puts", "putchar"];
        const TO_FILE: &[&str] = &["fputs", "fputc", "fwrite"];
        match function {
            PrintFunction::Format { to_file } => {
                let bytes = &self.context.typed.strings[literal?.0 as usize].bytes;
                let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
                let is_simple = !text.contains(&b'%') || matches!(text, b"%s" | b"%s\n" | b"%c");
                let simpler = if to_file { TO_FILE } else { TO_OUTPUT };
                is_simple.then_some(simpler)
            }
            PrintFunction::Text => Some(TO_FILE),
            _ => None,
        }
    }
}
