//! From the syntax tree to the typed tree: scopes, linkage, types, conversions, constants.
//!
//! One [`Checker`] walks over all units of a program in order. Its work is split by what is
//! checked:
//!
//! | file | what |
//! |---|---|
//! | `scope` | which declaration a name stands for, now and (for witnesses) later |
//! | `linkage` | declarations of functions and global variables, within and across units |
//! | `specifiers`, `records`, `attributes` | from specifiers and declarators to types |
//! | `function`, `declare`, `statement` | definitions and what they consist of |
//! | `nested`, `nonlocal` | functions inside functions, jumps out of them |
//! | `initializer`, `ranges`, `static_value` | flattening of initialisers |
//! | `operand`, `expression`, `literal`, `access`, `operator`, `assign`, `query` | expressions |
//! | `call`, `library`, `builtin`, `overflow`, `compile_time`, `atomic`, `variadic` | calls |
//! | `tuple`, `complex`, `vector` | complex numbers and vectors, number by number |
//! | `convert`, `compatible` | conversions and the comparison of types |
//! | `vla` | lengths that are known only when the program runs |
//!
//! An error is written down where it is found and [`Reported`] travels up to the next statement or
//! declaration, where checking goes on.

mod access;
mod assign;
mod atomic;
mod attributes;
mod builtin;
mod call;
mod compatible;
mod compile_time;
mod complex;
mod convert;
mod cprover;
mod declare;
mod designator;
mod expression;
mod function;
mod init_order;
mod initializer;
mod labels;
mod library;
mod linkage;
mod literal;
mod nested;
mod nonlocal;
mod operand;
mod operator;
mod overflow;
mod query;
mod ranges;
mod records;
mod replaced;
mod resolution;
mod scope;
mod specifiers;
mod statement;
mod static_value;
#[cfg(test)]
mod tests;
mod tuple;
mod variadic;
mod vector;
mod vla;

pub use scope::{Binding, ScopePlace, ScopeTable};

use crate::ast;
use crate::diagnostics::{Diagnostic, Severity};
use crate::driver::on_large_stack;
use crate::names::Names;
use crate::span::{Name, Span};
use crate::type_name::type_name;
use crate::typed::{Expr, TypedProgram, VarId, VarKind, Variable};
use crate::types::{DataModel, TypeId, TypeTable};
use attributes::Known;
use function::FunctionContext;
use linkage::Linkage;
use nested::NestedFunctions;
use scope::Scopes;

/// A program without errors, and what was odd about it.
#[derive(Debug)]
pub struct Checked {
    pub program: TypedProgram,
    pub warnings: Vec<Diagnostic>,
}

/// How deep statements and expressions may nest before it is called an error: what the parser
/// builds at most, and what the stack of [`on_large_stack`] bears.
const MAX_DEPTH: u32 = crate::parser::Limits::LARGE_STACK.height;

/// Checks the units and links them into one program. The errors of all units are returned together,
/// with the warnings between them.
///
/// The typed trees are as deep as the text nests: walk and drop them in [`on_large_stack`].
pub fn check(
    units: Vec<ast::TranslationUnit>,
    names: &mut Names,
    model: DataModel,
) -> Result<Checked, Vec<Diagnostic>> {
    on_large_stack(move || {
        let mut checker = Checker::new(names, model);
        for (index, unit) in units.into_iter().enumerate() {
            checker.unit(index as u32, unit);
        }
        checker.finish()
    })
}

/// The names that stand for types at a place, as the parser of an expression there must know.
pub fn typedefs_at(program: &TypedProgram, place: ScopePlace) -> Vec<Name> {
    let names = names_at(program, place).into_iter();
    names
        .filter(|(_, binding)| matches!(binding, Binding::Typedef(_)))
        .map(|(name, _)| name)
        .collect()
}

/// What each name stands for at a place, in the order of the names.
pub fn names_at(program: &TypedProgram, place: ScopePlace) -> Vec<(Name, Binding)> {
    program.scopes.visible(place).innermost()
}

/// Types a C expression that was given as text, in the scope of a place of a checked program. The
/// program only gains what the expression needs (types, string literals); nothing that was there
/// changes, except that objects whose address is taken are marked.
pub fn check_expression_in_scope(
    program: &mut TypedProgram,
    names: &mut Names,
    expr: &ast::Expr,
    place: ScopePlace,
) -> Result<Expr, Diagnostic> {
    on_large_stack(move || {
        let model = program.types.model;
        let placeholder = TypedProgram::empty(TypeTable::new(model));
        let owned = std::mem::replace(program, placeholder);
        let mark = owned.scopes.mark();
        let mut checker = Checker::resume(names, owned, place);
        let result = checker.value(expr);
        checker.scopes.table.forget_since(mark);
        let problem = checker.diagnostics.drain(..).next();
        *program = checker.into_program();
        match (result, problem) {
            (Ok(value), None) => Ok(value.expr),
            (_, Some(problem)) => Err(problem),
            (Err(Reported), None) => Err(Diagnostic::error(
                expr.span,
                "this expression cannot be checked",
            )),
        }
    })
}

/// An error has been written down; whoever asked cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reported;

pub(super) type Outcome<T> = Result<T, Reported>;

pub(super) struct Checker<'n> {
    names: &'n mut Names,
    program: TypedProgram,
    scopes: Scopes,
    linkage: Linkage,
    known: Known,
    /// Errors, in the order found.
    diagnostics: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    /// The function whose body or parameters are being checked.
    function: Option<FunctionContext>,
    /// The functions around it, innermost last.
    enclosing: Vec<FunctionContext>,
    nested: NestedFunctions,
    /// Inside `sizeof`, `typeof` and the like nothing is executed.
    unevaluated: u32,
    /// Inside the parameters of a function that is not being defined.
    in_prototype: u32,
    /// Inside the initialiser of an object with static storage.
    static_initializers: u32,
    depth: u32,
    unit: u32,
    /// The unit that declared each record and each enum.
    record_units: Vec<u32>,
    enum_units: Vec<u32>,
    /// The program is finished; an expression about it is checked.
    resumed: bool,
    /// The name of what has none.
    placeholder: Name,
}

impl<'n> Checker<'n> {
    fn new(names: &'n mut Names, model: DataModel) -> Checker<'n> {
        Checker::with_program(names, TypedProgram::empty(TypeTable::new(model)))
    }

    fn with_program(names: &'n mut Names, mut program: TypedProgram) -> Checker<'n> {
        let table = std::mem::take(&mut program.scopes);
        let known = Known::new(names);
        let placeholder = names.intern("<unnamed>");
        Checker {
            names,
            scopes: Scopes::new(table),
            linkage: Linkage::default(),
            known,
            diagnostics: Vec::new(),
            warnings: Vec::new(),
            function: None,
            enclosing: Vec::new(),
            nested: NestedFunctions::default(),
            unevaluated: 0,
            in_prototype: 0,
            static_initializers: 0,
            depth: 0,
            unit: 0,
            record_units: vec![0; program.types.records.len()],
            enum_units: vec![0; program.types.enums.len()],
            program,
            resumed: false,
            placeholder,
        }
    }

    /// A checker that sees the names visible at a place of a finished program.
    fn resume(names: &'n mut Names, program: TypedProgram, place: ScopePlace) -> Checker<'n> {
        let mut checker = Checker::with_program(names, program);
        checker.resumed = true;
        let visible = checker.scopes.table.visible(place);
        checker.scopes.reopen(visible);
        checker
            .linkage
            .resume(checker.program.vars.len(), checker.program.functions.len());
        checker
    }

    fn unit(&mut self, index: u32, unit: ast::TranslationUnit) {
        self.unit = index;
        let first = unit.items.first().map_or(0, |item| item_span(item).lo);
        let last = unit.items.last().map_or(0, |item| item_span(item).hi);
        // The text of a unit begins before its first declaration; a place there sees nothing
        // anyway.
        self.scopes.enter(
            Span::new(first.saturating_sub(1), last.saturating_add(1)),
            false,
        );
        // Each is dropped when it is checked, so that the typed tree takes its memory.
        for item in unit.items {
            match &item {
                // Whoever fails has said so; the next declaration may still be checked.
                ast::Item::Function(function) => {
                    let _: Outcome<()> = self.function_definition(function);
                }
                ast::Item::Declaration(declaration) => {
                    let _: Outcome<()> = self.file_declaration(declaration);
                }
                ast::Item::StaticAssert(assertion) => {
                    let _: Outcome<()> = self.static_assert(assertion);
                }
                ast::Item::Asm(asm) => {
                    let _: Outcome<()> = self.file_asm(asm);
                }
            }
        }
        self.end_unit();
        self.scopes.leave();
    }

    fn finish(mut self) -> Result<Checked, Vec<Diagnostic>> {
        self.end_program();
        if self.diagnostics.is_empty() {
            let warnings = std::mem::take(&mut self.warnings);
            Ok(Checked {
                program: self.into_program(),
                warnings,
            })
        } else {
            let mut all = self.diagnostics;
            all.append(&mut self.warnings);
            all.sort_by_key(|diagnostic| diagnostic.span);
            Err(all)
        }
    }

    fn into_program(mut self) -> TypedProgram {
        self.program.scopes = std::mem::take(&mut self.scopes.table);
        self.program
    }

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Outcome<T> {
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Outcome<T> {
        self.report(Diagnostic::error(span, message))
    }

    fn unsupported<T>(&mut self, span: Span, construct: impl Into<String>) -> Outcome<T> {
        self.report(Diagnostic::unsupported(span, construct))
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        let mut diagnostic = Diagnostic::error(span, message);
        diagnostic.severity = Severity::Warning;
        self.warnings.push(diagnostic);
    }

    /// A type in a message.
    fn show(&self, ty: TypeId) -> String {
        type_name(&self.program.types, self.names, ty)
    }

    fn text(&self, name: Name) -> &str {
        self.names.get(name)
    }

    fn types(&self) -> &TypeTable {
        &self.program.types
    }

    /// Guards recursion: every level of nesting passes here.
    fn deeper<T>(
        &mut self,
        span: Span,
        work: impl FnOnce(&mut Checker<'n>) -> Outcome<T>,
    ) -> Outcome<T> {
        if self.depth >= MAX_DEPTH {
            return self.unsupported(span, format!("nesting deeper than {MAX_DEPTH} levels"));
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    /// Nothing inside is executed: no address is taken, no variable-length array fixed.
    fn unevaluated<T>(&mut self, work: impl FnOnce(&mut Checker<'n>) -> T) -> T {
        self.unevaluated += 1;
        let result = work(self);
        self.unevaluated -= 1;
        result
    }

    /// A new variable; whoever declares it decides who else must know.
    fn new_variable(&mut self, name: Name, ty: TypeId, kind: VarKind, span: Span) -> VarId {
        let id = VarId(self.program.vars.len() as u32);
        let (_, is_volatile) = self.program.types.qualifiers(ty);
        let function = self.function.as_ref().map(|context| context.id);
        self.program.vars.push(Variable {
            name,
            ty,
            kind,
            function: if kind == VarKind::Global {
                None
            } else {
                function
            },
            address_taken: is_volatile,
            is_volatile,
            thread_local: false,
            external: false,
            has_linkage: false,
            defined_elsewhere: false,
            align: None,
            init: None,
            extra_bytes: 0,
            span,
        });
        self.linkage.new_variable();
        id
    }

    /// A variable without a name of its own that lives in the innermost open block.
    fn new_hidden(&mut self, ty: TypeId, span: Span) -> VarId {
        let id = self.new_variable(self.placeholder, ty, VarKind::Hidden, span);
        if let Some(context) = &mut self.function {
            context.declare_in_block(id);
        }
        id
    }
}

fn item_span(item: &ast::Item) -> Span {
    match item {
        ast::Item::Function(function) => function.span,
        ast::Item::Declaration(declaration) => declaration.span,
        ast::Item::StaticAssert(assertion) => assertion.span,
        ast::Item::Asm(asm) => asm.span,
    }
}
