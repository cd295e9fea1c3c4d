//! The generated entry function, functions without a body, and the order of all work.
//!
//! The entry function begins all globals and string literals that anyone mentions, writes their
//! initial values, and calls the user's entry function, with arbitrary arguments where it takes
//! any.

use super::context::{Context, Home, Shape};
use super::effects::variables_of;
use super::frame::{Frame, FunctionLowering};
use super::graph::Action;
use super::units::{NewUnit, Origin, Signature};
use crate::models::{self, Class, IntrinsicCall};
use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::memory::{ObjectKind, RegionId};
use cfa::op::{Contents, Halt, InputKind, Op};
use cfa::outside;
use cfa::program::FuncId;
use cfa::value::Ty;
use syntax::span::{Name, Span};
use syntax::typed;
use syntax::types::{Type, TypeId};

/// Its name is no identifier that a program may use.
const START: &str = "__concord_start";

/// More arguments fit no command line.
const MAX_ARGUMENTS: i128 = 100_000;

/// So many of them are known not to be null.
const TOLD_ARGUMENTS: i128 = 8;

/// Lowers the entry function and all that it needs.
pub(crate) fn lower_everything(context: &mut Context, entry: typed::FuncId) {
    let name = context.names.intern(START);
    let span = context.function(entry).span;
    let start = context.new_unit(NewUnit {
        name,
        c_type: None,
        signature: Signature::NOTHING,
        param_names: Vec::new(),
        origin: Origin::Start,
        is_library_model: true,
        span: Span::NONE,
    });
    let user = context.demand(entry);
    let demand = |context: &mut Context, list: &[typed::FuncId]| -> Vec<FuncId> {
        list.iter().map(|&id| context.demand(id)).collect()
    };
    let constructors = demand(context, &context.typed.constructors);
    context.destructors = demand(context, &context.typed.destructors);
    if context.options.all_functions {
        for index in 0..context.typed.functions.len() {
            let id = typed::FuncId(index as u32);
            if context.function(id).body.is_some() && !context.is_model(id) {
                context.demand(id);
            }
        }
    }
    if context.options.external_writes {
        // What is outside can name them, also where the program does not.
        for &id in &context.typed.globals {
            if context.variable(id).has_linkage {
                context.static_home(id);
            }
        }
    }
    let mut frame = Frame::new(start, None);
    loop {
        if let Some(function) = context.pending_functions.pop_front() {
            lower_function(context, function);
        } else if let Some(global) = context.pending_globals.pop_front() {
            frame = with_frame(context, frame, |lowering| lowering.global(global));
        } else if let Some(string) = context.pending_strings.pop_front() {
            frame = with_frame(context, frame, |lowering| lowering.string(string));
        } else {
            break;
        }
    }
    let mut lowering = FunctionLowering { context, frame };
    lowering.call_all(&constructors);
    lowering.call_entry(user, span);
    lowering.finish(Span::NONE);
}

fn with_frame<'t>(
    context: &mut Context<'t>,
    frame: Frame<'t>,
    work: impl FnOnce(&mut FunctionLowering<'_, 't>),
) -> Frame<'t> {
    let mut lowering = FunctionLowering { context, frame };
    work(&mut lowering);
    lowering.frame
}

fn lower_function(context: &mut Context, function: FuncId) {
    let unit = context.unit(function);
    let span = unit.span;
    match unit.origin {
        Origin::Body(id) => {
            let declared = context.function(id);
            let mut lowering = FunctionLowering {
                context,
                frame: Frame::new(function, declared.body.as_ref()),
            };
            lowering.parameters(&declared.params);
            if let Some(body) = &declared.body {
                lowering.block(&body.block);
            }
            lowering.forget_result(span);
            lowering.jump_to_return(span);
            lowering.finish(span);
        }
        Origin::Stub { returns } => {
            let mut lowering = FunctionLowering {
                context,
                frame: Frame::new(function, None),
            };
            if returns {
                lowering.external_body(span);
            } else {
                lowering.perhaps_exit(span);
                lowering.halt(Halt::Abort, span);
            }
            lowering.jump_to_return(span);
            lowering.finish(span);
        }
        Origin::Intrinsic(intrinsic) => {
            let ty = unit.signature.result_type;
            let name = unit.name;
            let params: Vec<(VarId, TypeId)> = unit
                .declared_params()
                .iter()
                .copied()
                .zip(unit.signature.params.iter().map(|&(_, ty)| ty))
                .collect();
            let result = unit.result;
            let mut lowering = FunctionLowering {
                context,
                frame: Frame::new(function, None),
            };
            let args = params
                .into_iter()
                .map(|(var, ty)| super::Actual {
                    value: lowering.read(var),
                    ty,
                })
                .collect();
            let call = IntrinsicCall {
                name,
                args,
                ty,
                dest: result,
                span,
            };
            let value = lowering.intrinsic(intrinsic, call);
            if let (Some(result), Some(value)) = (result, value)
                && value != lowering.read(result)
            {
                lowering.emit(Op::Assign(result, value), span);
            }
            lowering.jump_to_return(span);
            lowering.finish(span);
        }
        Origin::Start => {}
    }
}

impl<'t> FunctionLowering<'_, 't> {
    /// Parameters that live in memory are copied there first.
    fn parameters(&mut self, params: &'t [typed::VarId]) {
        let given = self
            .context
            .unit(self.frame.function)
            .declared_params()
            .to_vec();
        for (&param, &given) in params.iter().zip(&given) {
            let variable = self.context.variable(param);
            let span = variable.span;
            if self.context.is_plain(param) {
                self.context.set_home(param, Home::Variable(given));
                continue;
            }
            let name = self.context.names.get(variable.name).to_owned();
            let kind = ObjectKind::Local(self.frame.function);
            let object = self.context.object_for(param, name, kind);
            self.begin_in_function(object, Contents::Arbitrary, span);
            self.context.set_home(param, Home::Object(object));
            let address = self.context.object_address(object);
            let value = self.read(given);
            match self.context.shape(variable.ty) {
                Shape::Record { size: 0, .. } | Shape::Void => {}
                Shape::Record { size, .. } => {
                    let size = self
                        .context
                        .pool
                        .constant(size.into(), self.context.pointer);
                    let region = cfa::memory::RegionId::WHOLE;
                    let (target_region, source_region) = (region, region);
                    let (target, source) = (address, value);
                    let op = Op::Copy {
                        target_region,
                        target,
                        source_region,
                        source,
                        size,
                    };
                    self.add_to_prologue(op, span);
                }
                Shape::Scalar(_) => {
                    let region = cfa::memory::RegionId::WHOLE;
                    self.add_to_prologue(
                        Op::Store {
                            region,
                            address,
                            value,
                        },
                        span,
                    );
                }
            }
        }
    }

    /// Initial values of a global, in the entry function.
    fn global(&mut self, id: typed::VarId) {
        let variable = self.context.variable(id);
        let span = variable.span;
        // Labels whose address is taken are numbered in the function around a static local.
        self.frame.body = variable
            .function
            .and_then(|function| self.context.function(function).body.as_ref());
        let name = self.context.names.get(variable.name).to_owned();
        if variable.defined_elsewhere && variable.address_taken {
            // It may be null, or lie at the end of other objects.
            let text = format!("the address of `{name}`, which the linker decides,");
            self.unsupported(&text, span);
        }
        match self.home(id) {
            Home::Variable(var) if self.library_value(id).is_some() => {
                let value = self.library_value(id).unwrap_or_default();
                let ty = self.context.vars[var.0 as usize].ty;
                let value = self.context.pool.integer(value, ty);
                self.emit(Op::Assign(var, value), span);
            }
            Home::Variable(var) if variable.external => {
                let is_bool = self.context.is_c_bool(variable.ty);
                self.havoc(var, InputKind::External(variable.name), is_bool, span);
                self.external_variable(&name, variable.ty, span);
                self.standard_stream(id, var, span);
            }
            Home::Variable(var) => match &variable.init {
                Some(init) => self.initialise_variable(var, variable.ty, init, span),
                None => {
                    let zero = self.context.pool.zero(self.context.vars[var.0 as usize].ty);
                    self.emit(Op::Assign(var, zero), span);
                }
            },
            Home::Object(object) => {
                let contents = if variable.external {
                    Contents::Outside
                } else {
                    Contents::Zero
                };
                self.begin_for_ever(object, contents, span);
                if let Some(value) = self.library_value(id) {
                    let ty = self.context.value_ty(variable.ty);
                    let value = self.context.pool.integer(value, ty);
                    let address = self.context.object_address(object);
                    self.store(address, value, span);
                } else if variable.external {
                    self.external_variable(&name, variable.ty, span);
                } else if let Some(init) = &variable.init {
                    let address = self.context.object_address(object);
                    self.initialise_object(address, variable.ty, init, true, span);
                }
            }
            Home::Allocated { .. } => {}
        }
        self.frame.body = None;
    }

    /// What a variable of the library holds before anything happens.
    fn library_value(&self, id: typed::VarId) -> Option<i128> {
        let variable = self.context.variable(id);
        let is_pointer = matches!(self.context.types.shape(variable.ty), Type::Pointer(_));
        let is_int = self.context.shape(variable.ty) == Shape::Scalar(Ty::I32);
        let value = match self.context.names.get(variable.name) {
            "optind" | "opterr" if is_int => 1,
            "optopt" if is_int => i128::from(b'?'),
            "optarg" if is_pointer => 0,
            _ => return None,
        };
        variable.external.then_some(value)
    }

    /// The three standard streams are there, and they are three.
    fn standard_stream(&mut self, id: typed::VarId, var: VarId, span: Span) {
        const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];
        let variable = self.context.variable(id);
        let is_pointer = matches!(self.context.types.shape(variable.ty), Type::Pointer(_));
        if !is_pointer || !STREAMS.contains(&self.context.names.get(variable.name)) {
            return;
        }
        let stream = self.read(var);
        let is_there = self.context.pool.truth(stream);
        self.emit(Op::Assume(is_there), span);
        for other in STREAMS {
            let other = self.context.external_variable(other);
            let Some(other) = other.filter(|other| other.0 < id.0) else {
                continue;
            };
            if let Some(Home::Variable(other)) = self.context.known_home(other) {
                let other = self.read(other);
                if self.context.pool.ty(other) == self.context.pool.ty(stream) {
                    let is_same = self.context.pool.eq(other, stream);
                    let is_other = self.context.pool.not(is_same);
                    self.emit(Op::Assume(is_other), span);
                }
            }
        }
    }

    fn external_variable(&mut self, name: &str, ty: TypeId, span: Span) {
        self.context.comes_from_outside(ty);
        let text = format!("the variable `{name}` is not defined; it starts with any value");
        self.context.assume(text, span);
    }

    fn string(&mut self, id: typed::StringId) {
        let literal = &self.context.typed.strings[id.0 as usize];
        let object = self.context.string_object(id);
        self.begin_for_ever(object, Contents::Zero, literal.span);
        let address = self.context.object_address(object);
        let length = literal.bytes.len() as u64;
        self.write_string(address, id, length, true, literal.span);
    }

    /// Calls the user's entry function with arbitrary arguments; its result is the exit status.
    fn call_entry(&mut self, function: FuncId, span: Span) {
        let unit = self.context.unit(function);
        let signature = unit.signature.clone();
        let params = unit.declared_params().to_vec();
        let names: Vec<String> = params
            .iter()
            .map(|&var| self.context.vars[var.0 as usize].name.clone())
            .collect();
        let is_main = self.context.names.get(unit.name) == "main";
        let mut args = Vec::new();
        args.extend(self.record_result(signature.result, signature.result_type, span));
        for (index, (&(shape, ty), name)) in signature.params.iter().zip(names).enumerate() {
            let value = self.arbitrary_value(shape, ty, InputKind::Argument(name.clone()), span);
            args.push(value);
            self.context.comes_from_outside(ty);
            if is_main && index == 0 && shape == Shape::Scalar(Ty::I32) {
                // C11 5.1.2.2.1: argc is not negative.
                let zero = self.context.pool.zero(Ty::I32);
                let condition = self.context.pool.le(zero, value);
                self.emit(Op::Assume(condition), span);
                if self.is_read(function, params[0]) {
                    self.few_arguments(value, span);
                }
            }
            if is_main && index == 1 && signature.params.len() >= 2 {
                self.program_arguments(function, &args, span);
            }
            if matches!(self.context.types.shape(ty), Type::Pointer(_)) {
                let text = format!("the argument `{name}` points to no object of the program");
                self.context.assume(text, span);
            }
        }
        if signature.variadic {
            args.push(self.context.pool.zero(self.context.pointer));
        }
        let result = match signature.result {
            Shape::Scalar(ty) => Some(self.temporary(ty, span)),
            _ => None,
        };
        self.emit(
            Op::Call {
                function,
                args,
                result,
            },
            span,
        );
        let status = match result.map(|result| self.read(result)) {
            Some(value) if is_main && self.context.pool.ty(value).is_int() => {
                self.context.pool.convert(value, Ty::I32)
            }
            _ => self.context.pool.zero(Ty::I32),
        };
        self.exit(status, span);
    }

    /// Ends the program as `exit` does.
    pub fn exit(&mut self, status: ExprId, span: Span) {
        let destructors = self.context.destructors.clone();
        let status = match destructors.is_empty() {
            true => status,
            false => self.save(status, span),
        };
        self.call_all(&destructors);
        self.halt(Halt::Exit(status), span);
    }

    /// A function without a body that does not return may end the program as `exit` does, or
    /// otherwise.
    fn perhaps_exit(&mut self, span: Span) {
        let name = self.context.unit(self.frame.function).name;
        let is_error = models::ends_the_program(self.context.names.get(name));
        if self.context.destructors.is_empty() || is_error {
            return;
        }
        let choice = self.temporary(Ty::U8, span);
        self.havoc(choice, InputKind::Library(name), false, span);
        let value = self.read(choice);
        let exits = self.context.pool.truth(value);
        let ends = self.context.pool.not(exits);
        let (exit, end) = (self.new_node(), self.new_node());
        let Some(here) = self.frame.current else {
            return;
        };
        self.edge_from(here, Action::Op(Op::Assume(exits)), exit, span, None);
        self.edge_from(here, Action::Op(Op::Assume(ends)), end, span, None);
        self.enter(exit);
        let status = self.context.pool.zero(Ty::I32);
        self.exit(status, span);
        self.enter(end);
    }

    /// Calls functions without parameters one after the other and forgets their results.
    fn call_all(&mut self, functions: &[FuncId]) {
        for &function in functions {
            let unit = self.context.unit(function);
            let (span, signature) = (unit.span, unit.signature.clone());
            let mut args = Vec::new();
            if let Shape::Record { size, align } = signature.result {
                let ty = Some(signature.result_type);
                let object = self.hidden_object("call_result", size, align, ty, span);
                args.push(self.context.object_address(object));
            }
            if signature.variadic {
                args.push(self.context.pool.zero(self.context.pointer));
            }
            let op = Op::Call {
                function,
                args,
                result: None,
            };
            self.emit(op, span);
        }
    }

    /// C11 5.1.2.2.1: `argv` has `argc` texts, and null behind them. Of the texts only the first
    /// are told apart from null.
    fn program_arguments(&mut self, function: FuncId, args: &[ExprId], span: Span) {
        let pointer = self.context.pointer;
        let &[.., argc, argv] = args else {
            return;
        };
        let params = self.context.unit(function).declared_params().to_vec();
        let is_pair =
            self.context.pool.ty(argc) == Ty::I32 && self.context.pool.ty(argv) == pointer;
        if !is_pair || !self.is_read(function, params[1]) {
            return;
        }
        let model = self.context.types.model;
        let is_outside = outside::holds(&mut self.context.pool, argv, model);
        self.emit(Op::Assume(is_outside), span);
        let count = params[0];
        if !self.is_read(function, count) {
            self.few_arguments(argc, span);
        }
        let bytes = i128::from(pointer.width() / 8);
        let pool = &mut self.context.pool;
        let (count, size) = (pool.convert(argc, pointer), pool.integer(bytes, pointer));
        let distance = pool.mul(count, size);
        let end = pool.add(argv, distance);
        let last = pool.load(RegionId::WHOLE, end, pointer);
        let null = pool.zero(pointer);
        let is_null = pool.eq(last, null);
        self.emit(Op::Assume(is_null), span);
        for index in 0..TOLD_ARGUMENTS {
            let pool = &mut self.context.pool;
            let number = pool.integer(index, Ty::I32);
            let is_there = pool.lt(number, argc);
            let place = pool.offset(argv, index * bytes);
            let text = pool.load(RegionId::WHOLE, place, pointer);
            let (is_absent, has_text) = (pool.not(is_there), pool.truth(text));
            let possible = pool.or(is_absent, has_text);
            self.emit(Op::Assume(possible), span);
        }
    }

    /// Systems limit the memory of all arguments together.
    fn few_arguments(&mut self, argc: ExprId, span: Span) {
        let pool = &mut self.context.pool;
        let most = pool.integer(MAX_ARGUMENTS, Ty::I32);
        let few = pool.le(argc, most);
        self.emit(Op::Assume(few), span);
        let text = format!("the program has at most {MAX_ARGUMENTS} arguments");
        self.context.assume(text, span);
    }

    /// Whether the function looks at its parameter.
    fn is_read(&self, function: FuncId, param: VarId) -> bool {
        let pool = &self.context.pool;
        let graph = self.context.unit(function).graph.as_ref();
        let mut edges = graph.into_iter().flat_map(|graph| &graph.edges);
        edges.any(|edge| match &edge.action {
            Action::Op(op) => {
                let mut reads = op.expressions().into_iter();
                reads.any(|expr| variables_of(pool, expr).contains(&param))
            }
            Action::Forget(_) => false,
            Action::Indirect(_) => true,
        })
    }

    /// A value about which nothing is known; of a record the address of arbitrary bytes.
    fn arbitrary_value(&mut self, shape: Shape, ty: TypeId, kind: InputKind, span: Span) -> ExprId {
        match shape {
            Shape::Scalar(scalar) => {
                let var = self.temporary(scalar, span);
                let is_bool = self.context.is_c_bool(ty);
                self.havoc(var, kind, is_bool, span);
                self.read(var)
            }
            Shape::Record { size, align } => {
                let object = self.object_from_outside(size, align, ty, span);
                self.context.object_address(object)
            }
            Shape::Void => self.nothing(),
        }
    }

    /// The body of a function that has none: any result. What it writes under an option is added
    /// when all objects are known ([`super::written`]).
    fn external_body(&mut self, span: Span) {
        let unit = self.context.unit(self.frame.function);
        let (name, signature) = (unit.name, unit.signature.clone());
        let (result, record) = (unit.result, unit.record_result());
        let library = self.context.library_unit(self.frame.function);
        let is_called = self.context.is_outside(self.frame.function);
        if !is_called && signature.result != Shape::Void {
            self.context.comes_from_outside(signature.result_type);
        }
        let mut failure = None;
        if let Some(result) = result {
            let is_bool = self.context.is_c_bool(signature.result_type);
            self.havoc(result, InputKind::External(name), is_bool, span);
            let class = library.map(|entry| entry.class);
            let ty = self.context.vars[result.0 as usize].ty;
            if ty.is_signed() && matches!(class, Some(Class::Status | Class::Number)) {
                let value = self.read(result);
                let pool = &mut self.context.pool;
                let (zero, failed) = (pool.zero(ty), pool.integer(-1, ty));
                let fits = match class {
                    Some(Class::Status) => pool.eq(value, zero),
                    _ => pool.le(zero, value),
                };
                let fails = pool.eq(value, failed);
                let possible = pool.or(fits, fails);
                self.emit(Op::Assume(possible), span);
                failure = Some(fails);
            }
            let gives_address = matches!(
                self.context.types.shape(signature.result_type),
                Type::Pointer(_)
            );
            if gives_address && class == Some(Class::Open) {
                let value = self.read(result);
                let is_there = self.context.pool.truth(value);
                failure = Some(self.context.pool.not(is_there));
            }
            if self.promises_a_pointer(name) {
                let value = self.read(result);
                let is_there = self.context.pool.truth(value);
                self.emit(Op::Assume(is_there), span);
            }
        }
        match library {
            Some(entry) => {
                self.write_outputs(&entry.writes, failure, name, span);
                self.touch_errno(name, failure, span);
            }
            None => self.forget_errno(name, span),
        }
        if let (Some(target), Shape::Record { size, align }) = (record, signature.result) {
            let object = self.object_from_outside(size, align, signature.result_type, span);
            let source = self.context.object_address(object);
            let target = self.read(target);
            self.copy(target, source, size, span);
        }
    }

    /// What a library function fills gets any contents. Where it fails it may leave it alone, as
    /// glibc's functions do.
    fn write_outputs(
        &mut self,
        outputs: &[usize],
        failure: Option<ExprId>,
        name: Name,
        span: Span,
    ) {
        if outputs.is_empty() {
            return;
        }
        let unit = self.context.unit(self.frame.function);
        let (params, signature) = (unit.declared_params().to_vec(), unit.signature.clone());
        let (writes, done) = (self.new_node(), self.new_node());
        match failure {
            Some(failed) => {
                let unusual = self.unusual(name, span);
                let pool = &mut self.context.pool;
                let unusual = pool.truth(unusual);
                let usual = pool.not(unusual);
                let keeps = pool.and(failed, usual);
                self.branch_on(keeps, done, writes, span);
            }
            None => self.go(writes, span),
        }
        self.enter(writes);
        for (index, (param, &(_, ty))) in params.into_iter().zip(&signature.params).enumerate() {
            if outputs.contains(&index) {
                self.overwrite_pointee(param, ty, name, span);
            }
        }
        self.go(done, span);
        self.enter(done);
    }

    /// Whether a function without a body is declared with `returns_nonnull`.
    fn promises_a_pointer(&self, name: Name) -> bool {
        let mut functions = self.context.typed.functions.iter();
        functions.any(|function| function.name == name && function.returns_nonnull)
    }

    /// C11 7.5: no function of the library sets `errno` to zero. One that fails says why.
    pub(crate) fn touch_errno(&mut self, name: Name, failure: Option<ExprId>, span: Span) {
        if self.context.errno.is_none() {
            return;
        }
        let var = self.temporary(Ty::I32, span);
        self.havoc(var, InputKind::Library(name), false, span);
        let value = self.read(var);
        let pool = &mut self.context.pool;
        let (zero, no) = (pool.zero(Ty::I32), pool.constant(0, Ty::Bool));
        let is_error = pool.lt(zero, value);
        let failed = failure.unwrap_or(no);
        let works = pool.not(failed);
        let zero_again = pool.eq(value, zero);
        let kept = pool.and(works, zero_again);
        let possible = pool.or(is_error, kept);
        self.emit(Op::Assume(possible), span);
        // Zero stands for: as it was.
        self.set_errno(|pool, before| pool.ite(is_error, value, before), span);
    }

    /// A function that is not there may set `errno`, if the program looks at it.
    fn forget_errno(&mut self, name: Name, span: Span) {
        if self.context.errno.is_some() {
            let value = self.temporary(Ty::I32, span);
            self.havoc(value, InputKind::Library(name), false, span);
            let value = self.read(value);
            self.set_errno(|_, _| value, span);
        }
    }

    /// `errno` becomes the number where the condition holds.
    pub(crate) fn errno_if(&mut self, condition: ExprId, number: i128, span: Span) {
        let number = self.context.pool.integer(number, Ty::I32);
        let choose = |pool: &mut ExprPool, before| pool.ite(condition, number, before);
        self.set_errno(choose, span);
    }

    /// Changes `errno`, if the program looks at it: the new value from the one before.
    fn set_errno(&mut self, value: impl FnOnce(&mut ExprPool, ExprId) -> ExprId, span: Span) {
        let Some(errno) = self.context.errno else {
            return;
        };
        match self.home(errno) {
            Home::Variable(var) => {
                let before = self.read(var);
                let value = value(&mut self.context.pool, before);
                self.emit(Op::Assign(var, value), span);
            }
            Home::Object(object) => {
                let address = self.context.object_address(object);
                let pool = &mut self.context.pool;
                let before = pool.load(RegionId::WHOLE, address, Ty::I32);
                let value = value(pool, before);
                self.store(address, value, span);
            }
            Home::Allocated { .. } => {}
        }
    }
}
