//! The program under construction: what exists already, and what is still to be lowered.

use super::LowerOptions;
use super::graph::{Action, Graph};
use crate::expr::{ExprId, ExprPool, VarId};
use crate::memory::{Object, ObjectId, ObjectKind, Region};
use crate::models::{self, Intrinsic};
use crate::op::{Halt, Input, InputId, InputKind, Op};
use crate::program::{Assumption, FuncId, Function, Program, Variable, VariableKind};
use crate::value::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;
use syntax::diagnostics::Diagnostic;
use syntax::names::Names;
use syntax::source::SourceMap;
use syntax::span::{Name, Span};
use syntax::typed::{self, TypedProgram, VarKind};
use syntax::types::{FunctionType, Type, TypeId, TypeTable};

/// How values of a C type travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Void,
    Scalar(Ty),
    /// Lies in memory always; as a value it is the address of its bytes. Records, and arrays where C
    /// copies them as part of an initialiser.
    Record {
        size: u64,
        align: u64,
    },
}

/// Where a variable of the typed tree lives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Home {
    Variable(VarId),
    Object(ObjectId),
    /// A variable-length array: the variable holds its address.
    Allocated {
        pointer: VarId,
        object: ObjectId,
    },
}

/// What is called and returned, as the automaton sees it.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub result: Shape,
    pub result_type: TypeId,
    /// The declared parameters; without a prototype and a body there are none.
    pub params: Vec<(Shape, TypeId)>,
    pub variadic: bool,
    /// Declared without a prototype and without a body: whatever is passed is ignored.
    pub takes_anything: bool,
}

impl Signature {
    pub const NOTHING: Signature = Signature {
        result: Shape::Void,
        result_type: TypeId::VOID,
        params: Vec::new(),
        variadic: false,
        takes_anything: false,
    };
}

/// What a function's automaton is made from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    Body(typed::FuncId),
    /// No body: any result. The function never returns if `returns` is false.
    Stub {
        returns: bool,
    },
    /// A function that is otherwise expanded where it is called; this one is for its address.
    Intrinsic(Intrinsic),
    Start,
}

/// A function of the program under construction.
pub(crate) struct Unit {
    pub name: Name,
    pub c_type: Option<TypeId>,
    pub signature: Signature,
    pub params: Vec<VarId>,
    pub result: Option<VarId>,
    pub graph: Option<Graph>,
    pub origin: Origin,
    pub is_library_model: bool,
    pub span: Span,
}

impl Unit {
    /// The hidden parameter that says where a record result goes.
    pub fn record_result(&self) -> Option<VarId> {
        match self.signature.result {
            Shape::Record { .. } => self.params.first().copied(),
            _ => None,
        }
    }

    /// The hidden parameter that says where the arguments behind `...` lie.
    pub fn variable_arguments(&self) -> Option<VarId> {
        if self.signature.variadic {
            self.params.last().copied()
        } else {
            None
        }
    }

    /// The parameters that C declares.
    pub fn declared_params(&self) -> &[VarId] {
        let start = usize::from(self.record_result().is_some());
        let end = self.params.len() - usize::from(self.signature.variadic);
        &self.params[start..end]
    }
}

/// Where things of the typed tree have gone: by variable, function and string literal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Homes {
    pub vars: Vec<Option<Home>>,
    pub functions: Vec<Option<FuncId>>,
    /// By function: the object whose address is the function's.
    pub function_objects: FxHashMap<FuncId, ObjectId>,
    pub strings: Vec<Option<ObjectId>>,
}

pub(crate) struct Context<'t> {
    pub typed: &'t TypedProgram,
    pub types: &'t TypeTable,
    pub options: &'t LowerOptions,
    pub names: Names,
    pub pool: ExprPool,
    pub vars: Vec<Variable>,
    pub objects: Vec<Object>,
    pub inputs: Vec<Input>,
    pub units: Vec<Unit>,
    pub assumptions: Vec<Assumption>,
    pub pointer: Ty,
    pub homes: Homes,
    /// Functions that have no declaration in the program, by name.
    synthetic: FxHashMap<Name, FuncId>,
    /// Library models written in C, by the name of the function that they stand for.
    models: FxHashMap<Name, typed::FuncId>,
    model_functions: FxHashSet<typed::FuncId>,
    recorded: FxHashSet<String>,
    pub pending_functions: VecDeque<FuncId>,
    pub pending_globals: VecDeque<typed::VarId>,
    pub pending_strings: VecDeque<typed::StringId>,
    temporaries: u32,
    /// Somewhere a `setjmp` can be reached.
    pub uses_setjmp: bool,
}

impl<'t> Context<'t> {
    pub fn new(typed: &'t TypedProgram, names: Names, options: &'t LowerOptions) -> Context<'t> {
        let mut names = names;
        let mut models = FxHashMap::default();
        let mut model_functions = FxHashSet::default();
        for (index, function) in typed.functions.iter().enumerate() {
            if function.body.is_none() {
                continue;
            }
            let text = names.get(function.name);
            let Some(public) = text.strip_prefix(models::PREFIX).map(str::to_owned) else {
                continue;
            };
            let id = typed::FuncId(index as u32);
            models.insert(names.intern(&public), id);
            model_functions.insert(id);
        }
        Context {
            typed,
            types: &typed.types,
            options,
            names,
            pool: ExprPool::default(),
            vars: Vec::new(),
            objects: Vec::new(),
            inputs: Vec::new(),
            units: Vec::new(),
            assumptions: Vec::new(),
            pointer: Ty::unsigned(typed.types.model.pointer_bits()),
            homes: Homes {
                vars: vec![None; typed.vars.len()],
                functions: vec![None; typed.functions.len()],
                function_objects: FxHashMap::default(),
                strings: vec![None; typed.strings.len()],
            },
            synthetic: FxHashMap::default(),
            models,
            model_functions,
            recorded: FxHashSet::default(),
            pending_functions: VecDeque::new(),
            pending_globals: VecDeque::new(),
            pending_strings: VecDeque::new(),
            temporaries: 0,
            uses_setjmp: false,
        }
    }

    /// The function where the user's program starts.
    pub fn find_entry(&self) -> Result<typed::FuncId, Diagnostic> {
        let wanted = self.options.entry.as_deref().unwrap_or("main");
        let named = || {
            let name = self.names.find(wanted)?;
            let found = self
                .typed
                .functions
                .iter()
                .enumerate()
                .filter(|(_, f)| f.name == name);
            let (index, _) = found.max_by_key(|(_, f)| (f.body.is_some(), !f.is_static))?;
            Some(typed::FuncId(index as u32))
        };
        let input_error =
            |span, text: String| Diagnostic::new(syntax::diagnostics::Kind::Input, span, text);
        match named() {
            Some(id) if self.function(id).body.is_some() => Ok(id),
            Some(id) => Err(input_error(
                self.function(id).span,
                format!("the entry function `{wanted}` is declared but has no body"),
            )),
            None if self.options.entry.is_some() => Err(input_error(
                Span::NONE,
                format!("the program has no function `{wanted}`, which --entry names"),
            )),
            None => Err(input_error(
                Span::NONE,
                "the program has no function `main`; --entry NAME starts at another function, with \
                 arbitrary arguments"
                    .to_owned(),
            )),
        }
    }

    pub fn function(&self, id: typed::FuncId) -> &'t typed::Function {
        &self.typed.functions[id.0 as usize]
    }

    pub fn variable(&self, id: typed::VarId) -> &'t typed::Variable {
        &self.typed.vars[id.0 as usize]
    }

    pub fn unit(&self, id: FuncId) -> &Unit {
        &self.units[id.0 as usize]
    }

    // Types.

    pub fn shape(&self, id: TypeId) -> Shape {
        let model = self.types.model;
        match self.types.shape(id) {
            Type::Void | Type::Function(_) => Shape::Void,
            Type::Int(kind) => Shape::Scalar(Ty::Int {
                width: kind.bits(model),
                signed: kind.is_signed(),
            }),
            Type::Enum(_) => match self.types.int_bits(id) {
                Some((width, signed)) => Shape::Scalar(Ty::Int {
                    width: width as u16,
                    signed,
                }),
                // An enum that is never completed has gcc's usual representation.
                None => Shape::Scalar(Ty::U32),
            },
            Type::Float(kind) => Shape::Scalar(Ty::Float(kind.format())),
            Type::Pointer(_) => Shape::Scalar(self.pointer),
            Type::VaList if self.pointer.width() == 32 => Shape::Scalar(self.pointer),
            Type::Record(_) | Type::Array { .. } | Type::VaList => {
                let layout = self.types.layout_of(id);
                let (size, align) = layout.map_or((0, 1), |layout| (layout.size, layout.align));
                Shape::Record { size, align }
            }
            Type::Qualified { .. } | Type::Aligned { .. } => {
                unreachable!("TypeTable::shape looks through qualifiers")
            }
        }
    }

    /// The type in which a value of the C type is held by an expression: of records their address.
    pub fn value_ty(&self, id: TypeId) -> Ty {
        match self.shape(id) {
            Shape::Scalar(ty) => ty,
            Shape::Void => Ty::I32,
            Shape::Record { .. } => self.pointer,
        }
    }

    pub fn is_c_bool(&self, id: TypeId) -> bool {
        matches!(
            self.types.shape(id),
            Type::Int(syntax::types::IntKind::Bool)
        )
    }

    pub fn function_type(&self, id: TypeId) -> Option<&'t FunctionType> {
        match self.types.shape(id) {
            Type::Function(function) => Some(function),
            Type::Pointer(target) => match self.types.shape(*target) {
                Type::Function(function) => Some(function),
                _ => None,
            },
            _ => None,
        }
    }

    // Variables, objects, inputs.

    pub fn new_variable(&mut self, variable: Variable) -> VarId {
        let id = VarId(self.vars.len() as u32);
        self.vars.push(variable);
        id
    }

    pub fn temporary(&mut self, function: FuncId, ty: Ty, span: Span) -> VarId {
        self.temporaries += 1;
        self.new_variable(Variable {
            name: format!("tmp_{}", self.temporaries),
            ty,
            c_type: None,
            function: Some(function),
            kind: VariableKind::Temporary,
            span,
        })
    }

    pub fn new_object(&mut self, object: Object) -> ObjectId {
        let id = ObjectId(self.objects.len() as u32);
        self.objects.push(object);
        id
    }

    pub fn new_input(&mut self, kind: InputKind, is_bool: bool, span: Span) -> InputId {
        let id = InputId(self.inputs.len() as u32);
        self.inputs.push(Input {
            kind,
            is_bool,
            span,
        });
        id
    }

    pub fn object_address(&mut self, object: ObjectId) -> ExprId {
        self.pool.address(object, self.pointer)
    }

    /// Notes an assumption, once for each text.
    pub fn assume(&mut self, text: String, span: Span) {
        if self.recorded.insert(text.clone()) {
            self.assumptions.push(Assumption { text, span });
        }
    }

    /// A scalar that nothing points to is no memory.
    pub fn is_plain(&self, id: typed::VarId) -> bool {
        let variable = self.variable(id);
        !variable.address_taken
            && !matches!(self.types.shape(variable.ty), Type::VaList)
            && matches!(self.shape(variable.ty), Shape::Scalar(_))
    }

    pub fn is_static(&self, id: typed::VarId) -> bool {
        let variable = self.variable(id);
        matches!(variable.kind, VarKind::Global | VarKind::StaticLocal)
            || variable.function.is_none()
    }

    pub fn known_home(&self, id: typed::VarId) -> Option<Home> {
        self.homes.vars[id.0 as usize]
    }

    pub fn set_home(&mut self, id: typed::VarId, home: Home) {
        self.homes.vars[id.0 as usize] = Some(home);
    }

    /// The home of a global or static local, which comes into being when it is first mentioned.
    pub fn static_home(&mut self, id: typed::VarId) -> Home {
        if let Some(home) = self.known_home(id) {
            return home;
        }
        let variable = self.variable(id);
        let name = self.names.get(variable.name).to_owned();
        let home = match self.shape(variable.ty) {
            Shape::Scalar(ty) if self.is_plain(id) => Home::Variable(self.new_variable(Variable {
                name,
                ty,
                c_type: Some(variable.ty),
                function: None,
                kind: VariableKind::Global,
                span: variable.span,
            })),
            _ => {
                let object = self.object_for(id, name, ObjectKind::Global);
                Home::Object(object)
            }
        };
        self.set_home(id, home);
        self.pending_globals.push_back(id);
        home
    }

    /// An object for a variable of the typed tree.
    pub fn object_for(&mut self, id: typed::VarId, name: String, kind: ObjectKind) -> ObjectId {
        let variable = self.variable(id);
        let layout = self.types.layout_of(variable.ty);
        let is_global = kind == ObjectKind::Global;
        let (is_const, _) = self.types.qualifiers(variable.ty);
        // A flexible array member may be given elements: the object is as long as its initialiser.
        let initialised = variable.init.as_ref().map_or(0, |init| self.end_of(init));
        self.new_object(Object {
            name,
            kind,
            size: layout.map(|layout| layout.size.max(initialised)),
            align: layout
                .map_or(1, |layout| layout.align)
                .max(variable.align.unwrap_or(1)),
            c_type: Some(variable.ty),
            read_only: is_global && is_const && !variable.external,
            unique: is_global,
            span: variable.span,
        })
    }

    /// The first byte behind all that an initialiser writes.
    fn end_of(&self, init: &typed::Init) -> u64 {
        let ends = init.items.iter().map(|item| {
            let length = match &item.value {
                typed::InitValue::String { length, .. } => *length,
                typed::InitValue::Expr(value) => self.types.size_of(value.ty).unwrap_or(0),
            };
            item.offset + item.bits.map_or(length, |bits| bits.container_bytes.into())
        });
        ends.max().unwrap_or(0)
    }

    pub fn string_object(&mut self, id: typed::StringId) -> ObjectId {
        if let Some(object) = self.homes.strings[id.0 as usize] {
            return object;
        }
        let literal = &self.typed.strings[id.0 as usize];
        let object = self.new_object(Object {
            name: format!("string_{}", id.0),
            kind: ObjectKind::StringLiteral,
            size: Some(literal.bytes.len() as u64),
            align: literal.unit_bytes.into(),
            c_type: None,
            read_only: true,
            unique: true,
            span: literal.span,
        });
        self.homes.strings[id.0 as usize] = Some(object);
        self.pending_strings.push_back(id);
        object
    }

    // Functions.

    /// What a declared function is expanded to where it is called.
    pub fn intrinsic(&self, id: typed::FuncId) -> Option<Intrinsic> {
        let function = self.function(id);
        if function.body.is_some() || self.models.contains_key(&function.name) {
            return None;
        }
        models::intrinsic(self.names.get(function.name))
    }

    /// The function in the program; lowered soon if it was not yet.
    pub fn demand(&mut self, id: typed::FuncId) -> FuncId {
        if let Some(known) = self.homes.functions[id.0 as usize] {
            return known;
        }
        let function = self.function(id);
        // A model stands in under the name that the program calls.
        let body = match function.body {
            Some(_) => Some(id),
            None => self.models.get(&function.name).copied(),
        };
        let (origin, source) = match body {
            Some(body) => (Origin::Body(body), body),
            None => match models::intrinsic(self.names.get(function.name)) {
                Some(intrinsic) => (Origin::Intrinsic(intrinsic), id),
                None => {
                    let ends = models::ends_the_program(self.names.get(function.name));
                    (
                        Origin::Stub {
                            returns: !function.noreturn && !ends,
                        },
                        id,
                    )
                }
            },
        };
        if let Some(known) = self.homes.functions[source.0 as usize] {
            self.homes.functions[id.0 as usize] = Some(known);
            return known;
        }
        let public = match self.model_functions.contains(&id) {
            true => {
                let text = self.names.get(function.name);
                let text = text.strip_prefix(models::PREFIX).unwrap_or(text).to_owned();
                self.names.intern(&text)
            }
            false => function.name,
        };
        let source_function = self.function(source);
        let signature = self.signature(source_function);
        let is_library_model =
            !matches!(origin, Origin::Body(_)) || self.model_functions.contains(&source);
        let unit = self.new_unit(NewUnit {
            name: public,
            c_type: Some(source_function.ty),
            signature,
            param_names: source_function.params.clone(),
            origin,
            is_library_model,
            span: source_function.span,
        });
        self.homes.functions[id.0 as usize] = Some(unit);
        self.homes.functions[source.0 as usize] = Some(unit);
        unit
    }

    /// A function of the given name that takes and returns nothing and ends the program.
    pub fn demand_error_function(&mut self, text: &str) -> FuncId {
        let name = self.names.intern(text);
        let declared = self
            .typed
            .functions
            .iter()
            .position(|function| function.name == name);
        if let Some(index) = declared {
            return self.demand(typed::FuncId(index as u32));
        }
        if let Some(&known) = self.synthetic.get(&name) {
            return known;
        }
        let signature = Signature::NOTHING;
        let unit = self.new_unit(NewUnit {
            name,
            c_type: None,
            signature,
            param_names: Vec::new(),
            origin: Origin::Stub { returns: false },
            is_library_model: true,
            span: Span::NONE,
        });
        self.synthetic.insert(name, unit);
        unit
    }

    /// A library model written in C.
    pub fn is_model(&self, id: typed::FuncId) -> bool {
        self.model_functions.contains(&id)
    }

    fn signature(&self, function: &typed::Function) -> Signature {
        let shapes = |types: &[TypeId]| -> Vec<(Shape, TypeId)> {
            types.iter().map(|&ty| (self.shape(ty), ty)).collect()
        };
        let Some(ty) = self.function_type(function.ty) else {
            // The checker gives every function a function type; an empty signature is harmless.
            return Signature::NOTHING;
        };
        let params = match function.body {
            Some(_) => {
                let types: Vec<TypeId> = function
                    .params
                    .iter()
                    .map(|&param| self.variable(param).ty)
                    .collect();
                shapes(&types)
            }
            None if ty.prototyped => shapes(&ty.params),
            None => Vec::new(),
        };
        Signature {
            result: self.shape(ty.result),
            result_type: ty.result,
            params,
            variadic: ty.variadic,
            takes_anything: function.body.is_none() && !ty.prototyped,
        }
    }

    pub fn new_unit(&mut self, new: NewUnit) -> FuncId {
        let id = FuncId(self.units.len() as u32);
        let NewUnit {
            name,
            c_type,
            signature,
            param_names,
            origin,
            is_library_model,
            span,
        } = new;
        let mut params = Vec::new();
        let pointer = self.pointer;
        let mut param = |context: &mut Self, name: String, ty, c_type, span| {
            params.push(context.new_variable(Variable {
                name,
                ty,
                c_type,
                function: Some(id),
                kind: VariableKind::Param,
                span,
            }));
        };
        if let Shape::Record { .. } = signature.result {
            param(self, "result_address".to_owned(), pointer, None, span);
        }
        for (index, &(shape, c_type)) in signature.params.iter().enumerate() {
            let (text, span) = match param_names.get(index) {
                Some(&var) => {
                    let variable = self.variable(var);
                    (self.names.get(variable.name).to_owned(), variable.span)
                }
                None => (format!("param_{index}"), span),
            };
            match shape {
                Shape::Scalar(ty) => param(self, text, ty, Some(c_type), span),
                Shape::Void | Shape::Record { .. } => {
                    param(self, format!("{text}_address"), pointer, None, span);
                }
            }
        }
        if signature.variadic {
            param(self, "variable_arguments".to_owned(), pointer, None, span);
        }
        let result = match signature.result {
            Shape::Scalar(ty) => Some(self.new_variable(Variable {
                name: "result".to_owned(),
                ty,
                c_type: Some(signature.result_type),
                function: Some(id),
                kind: VariableKind::Result,
                span,
            })),
            _ => None,
        };
        self.units.push(Unit {
            name,
            c_type,
            signature,
            params,
            result,
            graph: None,
            origin,
            is_library_model,
            span,
        });
        if !matches!(origin, Origin::Start) {
            self.pending_functions.push_back(id);
        }
        id
    }

    /// The object whose address a pointer to the function holds.
    pub fn function_object(&mut self, function: FuncId) -> ObjectId {
        if let Some(&object) = self.homes.function_objects.get(&function) {
            return object;
        }
        let unit = self.unit(function);
        let (name, c_type, span) = (unit.name, unit.c_type, unit.span);
        let object = self.new_object(Object {
            name: self.names.get(name).to_owned(),
            kind: ObjectKind::Function(function),
            size: Some(0),
            align: 1,
            c_type,
            read_only: true,
            unique: true,
            span,
        });
        self.homes.function_objects.insert(function, object);
        object
    }

    /// The functions whose address the program can hold, in order of their first mention.
    pub fn address_taken(&self) -> Vec<(FuncId, ObjectId)> {
        let mut taken: Vec<(FuncId, ObjectId)> = self
            .homes
            .function_objects
            .iter()
            .map(|(&function, &object)| (function, object))
            .collect();
        taken.sort();
        taken
    }

    pub fn finish(mut self) -> Parts {
        for id in 0..self.units.len() {
            super::call::resolve_indirect_calls(&mut self, FuncId(id as u32));
        }
        for id in 0..self.units.len() {
            super::uninitialised::settle(&mut self, FuncId(id as u32));
        }
        self.mark_unique_locals();
        if !self.uses_setjmp {
            self.forbid_longjmp();
        }
        Parts {
            names: self.names,
            pool: self.pool,
            vars: self.vars,
            objects: self.objects,
            inputs: self.inputs,
            units: self.units,
            assumptions: self.assumptions,
            homes: self.homes,
        }
    }

    /// Where nothing calls `setjmp`, a `longjmp` has no place to go to: that is undefined, not unsupported.
    fn forbid_longjmp(&mut self) {
        let graphs = self.units.iter_mut().filter_map(|unit| unit.graph.as_mut());
        for edge in graphs.flat_map(|graph| &mut graph.edges) {
            if let Action::Op(Op::Halt(halt)) = &mut edge.action
                && matches!(halt, Halt::Unsupported(text) if text == models::JUMPS)
            {
                *halt = Halt::Undefined("longjmp without setjmp".to_owned());
            }
        }
    }

    /// A local exists once at most unless its function can be active twice.
    fn mark_unique_locals(&mut self) {
        let recursive = super::graph::recursive_functions(&self.units);
        for object in &mut self.objects {
            if let ObjectKind::Local(function) = object.kind {
                object.unique = !recursive[function.0 as usize];
            }
        }
    }
}

pub(crate) struct NewUnit {
    pub name: Name,
    pub c_type: Option<TypeId>,
    pub signature: Signature,
    pub param_names: Vec<typed::VarId>,
    pub origin: Origin,
    pub is_library_model: bool,
    pub span: Span,
}

/// All that lowering made, no longer tied to the typed tree.
pub(crate) struct Parts {
    names: Names,
    pool: ExprPool,
    vars: Vec<Variable>,
    objects: Vec<Object>,
    inputs: Vec<Input>,
    units: Vec<Unit>,
    assumptions: Vec<Assumption>,
    pub homes: Homes,
}

impl Parts {
    pub fn into_program(self, types: TypeTable, sources: SourceMap) -> Program {
        let memory = Region {
            reaches_outside: true,
            name: "memory".to_owned(),
            cell_bits: 8,
            objects: (0..self.objects.len() as u32).map(ObjectId).collect(),
        };
        let mut program = Program {
            model: types.model,
            names: Arc::new(self.names),
            types: Arc::new(types),
            sources: Arc::new(sources),
            pool: self.pool,
            vars: self.vars,
            objects: self.objects,
            regions: vec![memory],
            inputs: self.inputs,
            functions: Vec::new(),
            locations: Vec::new(),
            edges: Vec::new(),
            ops: Vec::new(),
            entry: FuncId(0),
            errors: Vec::new(),
            assumptions: self.assumptions,
            unsupported: Vec::new(),
            function_index: FxHashMap::default(),
        };
        let mut interned = FxHashMap::default();
        for (index, unit) in self.units.into_iter().enumerate() {
            let id = FuncId(index as u32);
            let graph = unit.graph.unwrap_or_default();
            let (entry, exit) = graph.into_program(&mut program, &mut interned, id);
            program.function_index.entry(unit.name).or_insert(id);
            program.functions.push(Function {
                name: unit.name,
                c_type: unit.c_type,
                params: unit.params,
                result: unit.result,
                entry,
                exit,
                is_library_model: unit.is_library_model,
                span: unit.span,
            });
        }
        program
    }
}
