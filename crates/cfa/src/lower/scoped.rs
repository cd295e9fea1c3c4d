//! Expressions given as text (by witnesses and helpers), read in the scope of a place of the program.

use super::LowerOptions;
use super::context::{Context, Homes};
use super::frame::{Frame, FunctionLowering};
use crate::expr::{ExprId, ExprPool};
use crate::program::{FuncId, Program};
use syntax::check::{self, ScopePlace};
use syntax::diagnostics::{Diagnostic, Kind};
use syntax::driver::{self, on_large_stack};
use syntax::names::Names;
use syntax::source::SourceMap;
use syntax::span::Span;
use syntax::typed::TypedProgram;

/// The checked tree of a lowered program, and where its variables have gone.
pub struct Tree {
    /// Absent only while it is dropped.
    typed: Option<TypedProgram>,
    names: Names,
    /// The texts of expressions.
    sources: SourceMap,
    homes: Homes,
    options: LowerOptions,
}

impl Drop for Tree {
    fn drop(&mut self) {
        // The tree may be deep, and dropping it is recursive.
        let typed = self.typed.take();
        on_large_stack(|| drop(typed));
    }
}

impl Tree {
    pub(super) fn new(
        typed: TypedProgram,
        program: &Program,
        homes: Homes,
        options: &LowerOptions,
    ) -> Tree {
        Tree {
            typed: Some(typed),
            names: (*program.names).clone(),
            sources: SourceMap::new(),
            homes,
            options: options.clone(),
        }
    }

    /// The truth of a C expression at a place, as a `Bool` over the program's variables and memory. `pool` is
    /// the program's own or an extension of it.
    ///
    /// The expression must be free of side effects, and what is right of `&&`, `||` and `?` must not be able
    /// to fail (an invariant is free of undefined behaviour, and has no order of evaluation).
    pub fn condition(
        &mut self,
        program: &Program,
        pool: &mut ExprPool,
        text: &str,
        place: ScopePlace,
    ) -> Result<ExprId, Diagnostic> {
        let first = |problems: Vec<Diagnostic>| {
            let unknown = || unsuitable("it is no expression");
            problems.into_iter().next().unwrap_or_else(unknown)
        };
        let parsed = driver::parse_expression(text, &mut self.names, &mut self.sources, &[]);
        let parsed = parsed.map_err(first)?;
        let Some(typed) = &mut self.typed else {
            return Err(unsuitable("the program's text is gone"));
        };
        let checked = check::check_expression_in_scope(typed, &mut self.names, &parsed, place);
        on_large_stack(|| drop(parsed));
        let checked = checked?;
        let (typed, names, options) = (&*typed, &self.names, &self.options);
        let mut homes = std::mem::take(&mut self.homes);
        // The expression may have brought string literals along.
        homes.strings.resize(typed.strings.len(), None);
        homes.vars.resize(typed.vars.len(), None);
        homes.functions.resize(typed.functions.len(), None);
        let own_pool = std::mem::take(pool);
        let (result, pool_back, homes_back) = on_large_stack(|| {
            let mut context = Context::new(typed, names.clone(), options);
            context.pool = own_pool;
            context.vars = program.vars.clone();
            context.homes = homes.clone();
            let frame = Frame::new(FuncId(0), None);
            let mut lowering = FunctionLowering {
                context: &mut context,
                frame,
            };
            let truth = lowering.truth(&checked);
            let is_pure = lowering.frame.graph.edges.is_empty();
            let is_known = context.vars.len() == program.vars.len() && context.objects.is_empty();
            let result = match (is_pure, is_known) {
                (true, true) => Ok(truth),
                (false, _) => Err(unsuitable(
                    "it has side effects, or parts that may not be evaluated",
                )),
                (true, false) => Err(unsuitable("it mentions what the program never uses")),
            };
            (result, context.pool, homes)
        });
        on_large_stack(|| drop(checked));
        *pool = pool_back;
        self.homes = homes_back;
        result
    }
}

fn unsuitable(why: &str) -> Diagnostic {
    let message = format!("the expression cannot be used here: {why}");
    Diagnostic::new(Kind::Input, Span::NONE, message)
}
