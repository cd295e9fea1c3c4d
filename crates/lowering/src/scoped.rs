//! Expressions given as text (by witnesses and helpers), read in the scope of a place of the
//! program.

use super::LowerOptions;
use super::context::{Context, Home, Homes, Shape};
use super::defined::{Definedness, GUARDED};
use super::effects::Effects;
use super::frame::{Frame, FunctionLowering, Guards};
use crate::initialised::Part;
use crate::scope::{Named, Scope};
use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::memory::{Object, ObjectId, ObjectKind};
use cfa::program::{FuncId, Program};
use syntax::check::{self, Binding, ScopePlace};
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

/// What somebody says of a program.
pub struct Claim {
    /// Holds where the expression has a value and is true, as far as [`crate::undefined`] does not
    /// tell more.
    pub condition: ExprId,
    /// Holds where the expression has no value, as far as [`crate::undefined`] does not tell more.
    pub lacks_value: ExprId,
    /// The variables and objects of the program that it reads by their names.
    pub vars: Vec<VarId>,
    pub objects: Vec<Part>,
    /// What it does of which nobody checks whether it has a value.
    pub unclear: Option<&'static str>,
}

impl Claim {
    /// Whether the expression is true or has no value: executions that are to be left out.
    pub fn true_or_without_value(&self, pool: &mut ExprPool) -> ExprId {
        pool.or(self.lacks_value, self.condition)
    }
}

/// What an expression is read for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Value,
    Truth,
    Claim,
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

    /// The truth of a C expression at a place, as a `Bool` over the program's variables and memory.
    /// `pool` is the program's own or an extension of it.
    ///
    /// Any C expression without side effects will do. What C evaluates only under a condition
    /// (right of `&&`, `||`, `?`) cannot make it fail unless the condition holds.
    pub fn condition(
        &mut self,
        program: &Program,
        pool: &mut ExprPool,
        text: &str,
        place: ScopePlace,
    ) -> Result<ExprId, Diagnostic> {
        self.read(program, pool, text, place, Wanted::Truth)
            .map(|read| read.condition)
    }

    /// As [`Tree::condition`], with what C asks of the expression so that it has a value.
    pub fn claim(
        &mut self,
        program: &Program,
        pool: &mut ExprPool,
        text: &str,
        place: ScopePlace,
    ) -> Result<Claim, Diagnostic> {
        self.read(program, pool, text, place, Wanted::Claim)
    }

    /// As [`Tree::condition`] for the value of an expression of a scalar type, in that type.
    pub fn value(
        &mut self,
        program: &Program,
        pool: &mut ExprPool,
        text: &str,
        place: ScopePlace,
    ) -> Result<ExprId, Diagnostic> {
        self.read(program, pool, text, place, Wanted::Value)
            .map(|read| read.condition)
    }

    /// What the names at a place stand for.
    pub fn scope(&self, place: ScopePlace) -> Scope {
        let mut scope = Scope::default();
        let Some(typed) = &self.typed else {
            return scope;
        };
        for (name, binding) in check::names_at(typed, place) {
            let named = |ty| Named {
                name: self.names.get(name).to_owned(),
                ty,
            };
            match binding {
                Binding::Var(id) => {
                    let ty = typed.vars[id.0 as usize].ty;
                    match self.homes.vars.get(id.0 as usize).copied().flatten() {
                        Some(Home::Variable(var)) => {
                            scope.vars.insert(var, named(ty));
                        }
                        Some(Home::Object(object)) => {
                            scope.objects.insert(object, named(ty));
                        }
                        Some(Home::Allocated { .. }) | None => {}
                    }
                }
                Binding::Func(id) => {
                    let function = self.homes.functions.get(id.0 as usize).copied().flatten();
                    let object = function.and_then(|id| self.homes.function_objects.get(&id));
                    if let Some(&object) = object {
                        let ty = typed.functions[id.0 as usize].ty;
                        scope.objects.insert(object, named(ty));
                    }
                }
                Binding::Typedef(_) | Binding::Enumerator(_) => {}
            }
        }
        scope
    }

    fn read(
        &mut self,
        program: &Program,
        pool: &mut ExprPool,
        text: &str,
        place: ScopePlace,
        wanted: Wanted,
    ) -> Result<Claim, Diagnostic> {
        if let Some(term) = specification_term(text) {
            let why = format!("'{term}' belongs to a specification language, not to C");
            return Err(unsuitable(&why));
        }
        let first = |problems: Vec<Diagnostic>| {
            let unknown = || unsuitable("it is not an expression");
            problems.into_iter().next().unwrap_or_else(unknown)
        };
        let Some(typed) = &mut self.typed else {
            return Err(unsuitable("the source text is not available"));
        };
        let typedefs = check::typedefs_at(typed, place);
        let parsed = driver::parse_expression(text, &mut self.names, &mut self.sources, &typedefs);
        let parsed = parsed.map_err(first)?;
        // A variable without an address does not get one because an expression asks for it.
        let in_memory: Vec<bool> = typed.vars.iter().map(|var| var.address_taken).collect();
        let records = typed.types.records.len();
        let checked = check::check_expression_in_scope(typed, &mut self.names, &parsed, place);
        on_large_stack(|| drop(parsed));
        for (var, &address_taken) in typed.vars.iter_mut().zip(&in_memory) {
            var.address_taken = address_taken;
        }
        let checked = checked?;
        if typed.types.records.len() > records {
            return Err(unsuitable("it names a type that the program does not have"));
        }
        let (typed, names, options) = (&*typed, &self.names, &self.options);
        let mut homes = std::mem::take(&mut self.homes);
        // The expression may have brought string literals along.
        homes.strings.resize(typed.strings.len(), None);
        homes.vars.resize(typed.vars.len(), None);
        homes.functions.resize(typed.functions.len(), None);
        let known = pool.len();
        let own_pool = std::mem::take(pool);
        let (result, pool_back, homes_back) = on_large_stack(|| {
            let mut context = Context::new(typed, names.clone(), options);
            context.pool = own_pool;
            context.vars = program.vars.clone();
            context.homes = homes.clone();
            let mut frame = Frame::new(FuncId(0), None);
            frame.guards = Some(Guards {
                harmless: harmless_object(program),
                failed: false,
            });
            let is_scalar = matches!(context.shape(checked.ty), Shape::Scalar(_));
            let mut lowering = FunctionLowering {
                context: &mut context,
                frame,
            };
            // Calls among them: the functions are not at hand here.
            let has_effects = !Effects::of(lowering.context, &checked).is_none();
            let mut defined = Definedness::default();
            let value = match (is_scalar, wanted) {
                _ if has_effects => Err(unsuitable(SIDE_EFFECTS)),
                (false, _) => Err(unsuitable("its type is not scalar")),
                (true, Wanted::Value) => Ok(lowering.value(&checked)),
                (true, Wanted::Truth) => Ok(lowering.truth(&checked)),
                (true, Wanted::Claim) => {
                    defined = Definedness::of(&mut lowering, &checked);
                    Ok(defined.and_true(&mut lowering, &checked))
                }
            };
            let is_pure = lowering.frame.graph.edges.is_empty();
            let has_failed = lowering.frame.guards.is_some_and(|guards| guards.failed);
            let is_known = context.vars.len() == program.vars.len() && context.objects.is_empty();
            let result = value.and_then(|value| match (is_pure, is_known) {
                (true, true)
                    if has_failed && wanted == Wanted::Claim && !defined.names_function =>
                {
                    defined.unclear.get_or_insert(GUARDED);
                    Ok(defined.claim(&mut context.pool, value))
                }
                (true, true) if has_failed => Err(unsuitable(
                    "it has subexpressions that cannot be evaluated here",
                )),
                (true, true) => Ok(defined.claim(&mut context.pool, value)),
                (false, _) => Err(unsuitable(SIDE_EFFECTS)),
                (true, false) => Err(unsuitable(NEVER_USED)),
            });
            (result, context.pool, homes)
        });
        on_large_stack(|| drop(checked));
        *pool = pool_back;
        if result.is_err() {
            // Parts of it may be about variables and objects that the program does not have.
            pool.truncate(known);
        }
        self.homes = homes_back;
        result
    }
}

/// Why an expression is refused that names what was dropped, as nothing depends on it.
pub const NEVER_USED: &str = "it names something that the program never uses";

const SIDE_EFFECTS: &str = "it has side effects, or takes the address of something without one";

/// `\old`, `\result` and the like.
fn specification_term(text: &str) -> Option<&str> {
    let mut quote = None;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], quote) {
            (b'\\', Some(_)) => at += 1,
            (byte, Some(open)) if byte == open => quote = None,
            (b'"' | b'\'', None) => quote = Some(bytes[at]),
            (b'\\', None) => {
                let name = &bytes[at + 1..];
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let length = name.iter().position(|byte| !is_part(byte));
                let end = at + 1 + length.unwrap_or(name.len());
                return text.get(at..end);
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// An object of the program that every execution may read at any time.
fn harmless_object(program: &Program) -> Option<(ObjectId, u64)> {
    let lives = |object: &Object| {
        matches!(object.kind, ObjectKind::Global | ObjectKind::StringLiteral)
            .then_some(object.size)
            .flatten()
    };
    let objects = program.objects.iter().enumerate();
    let sizes = objects.filter_map(|(id, object)| Some((ObjectId(id as u32), lives(object)?)));
    sizes.max_by_key(|&(id, size)| (size, std::cmp::Reverse(id)))
}

fn unsuitable(why: &str) -> Diagnostic {
    let message = format!("the expression cannot be evaluated here: {why}");
    Diagnostic::new(Kind::Input, Span::NONE, message)
}
