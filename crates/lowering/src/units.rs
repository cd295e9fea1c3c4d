//! The functions of the program under construction: what they are made from, and how they are
//! called.

use super::context::{Context, Shape};
use super::graph::Graph;
use crate::models::{self, Class, Entry, Intrinsic};
use cfa::expr::VarId;
use cfa::memory::{Object, ObjectId, ObjectKind};
use cfa::program::{FuncId, Variable, VariableKind};
use syntax::span::{Name, Span};
use syntax::typed;
use syntax::types::{Type, TypeId};

/// How a function is called that a pointer from outside points to.
const OUTSIDE: &str = "function_outside";

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

pub(crate) struct NewUnit {
    pub name: Name,
    pub c_type: Option<TypeId>,
    pub signature: Signature,
    pub param_names: Vec<typed::VarId>,
    pub origin: Origin,
    pub is_library_model: bool,
    pub span: Span,
}

impl Context<'_> {
    /// What a declared function is expanded to where it is called.
    pub fn intrinsic(&self, id: typed::FuncId) -> Option<Intrinsic> {
        let id = self.aliased(id);
        let function = self.function(id);
        if function.body.is_some() || self.model_of(function).is_some() {
            return None;
        }
        self.expanded(function)
    }

    /// As [`Context::intrinsic`], of a function that has neither a body nor a model in C.
    fn expanded(&self, function: &typed::Function) -> Option<Intrinsic> {
        if let Some(entry) = self.library(function.name, function.ty) {
            if entry.class == Class::Unsupported {
                return Some(Intrinsic::Unsupported(entry.why));
            }
            if !entry.writes.is_empty() && self.hides_types(function, &entry.writes) {
                return Some(Intrinsic::Unsupported("a declaration without types"));
            }
        }
        let name = self.names.get(function.name);
        let unknown = Intrinsic::Unsupported("a builtin function of compilers");
        // A hint to the processor, which has no result and changes nothing.
        let is_unknown = name.starts_with("__builtin_") && name != "__builtin_prefetch";
        models::intrinsic(name).or_else(|| is_unknown.then_some(unknown))
    }

    /// What is known of a library function; a function of the same name with another number of
    /// parameters is another function.
    pub fn library(&self, name: Name, ty: TypeId) -> Option<&'static Entry> {
        let entry = models::library(self.names.get(name))?;
        let ty = self.function_type(ty)?;
        (!ty.prototyped || entry.takes(ty.params.len(), ty.variadic)).then_some(entry)
    }

    /// Whether it is a call of `printf` or one of its kin whose format has `%n`, so that it writes
    /// to one of its arguments.
    pub fn writes_back(&self, id: typed::FuncId, args: &[typed::Expr]) -> bool {
        let function = self.function(self.aliased(id));
        let name = self.names.get(function.name);
        let prints = || {
            let entry = self.library(function.name, function.ty);
            let is_list = name.trim_start_matches('_').starts_with('v');
            entry.is_some_and(|entry| entry.is_variadic() || is_list)
                && !matches!(models::intrinsic(name), Some(Intrinsic::Scan(_)))
        };
        let has_count = |id: typed::StringId| {
            models::counts_characters(&self.typed.strings[id.0 as usize].bytes)
        };
        let mut literals = args.iter().filter_map(models::literal);
        function.body.is_none() && literals.any(has_count) && prints()
    }

    /// As [`Context::library`], of a function of the program under construction.
    pub fn library_unit(&self, function: FuncId) -> Option<&'static Entry> {
        let unit = self.unit(function);
        self.library(unit.name, unit.c_type?)
    }

    /// The function behind another name of it.
    pub(crate) fn aliased(&self, mut id: typed::FuncId) -> typed::FuncId {
        // An alias of an alias; a circle has no definition, and the front end asks for one.
        for _ in 0..self.typed.functions.len() {
            match self.function(id).alias {
                Some(target) => id = target,
                None => break,
            }
        }
        id
    }

    /// The model in C of a function that has no body, if it is called as the model expects: a
    /// function of the same name with other parameters is another function.
    fn model_of(&self, function: &typed::Function) -> Option<typed::FuncId> {
        let model = *self.models.get(&function.name)?;
        let declared = self.function_type(function.ty)?;
        let modelled = self.function_type(self.function(model).ty)?;
        let like = |(&a, &b): (&TypeId, &TypeId)| match (self.shape(a), self.shape(b)) {
            (Shape::Scalar(a), Shape::Scalar(b)) => a.is_float() == b.is_float(),
            (a, b) => a == b,
        };
        let fits = !declared.prototyped
            || declared.variadic == modelled.variadic
                && declared.params.len() == modelled.params.len()
                && declared.params.iter().zip(&modelled.params).all(like);
        fits.then_some(model)
    }

    /// Whether a model in C stands for the function.
    pub fn has_model(&self, id: typed::FuncId) -> bool {
        let function = self.function(self.aliased(id));
        function.body.is_none() && self.model_of(function).is_some()
    }

    /// Whether the types of the parameters do not say how much the function writes.
    fn hides_types(&self, function: &typed::Function, outputs: &[usize]) -> bool {
        let Some(ty) = self.function_type(function.ty) else {
            return true;
        };
        let hidden = |at: &usize| match ty.params.get(*at).map(|&param| self.types.shape(param)) {
            Some(&Type::Pointer(target)) => self.types.layout_of(target).is_none(),
            // Another function of this name.
            _ => false,
        };
        !ty.prototyped || outputs.iter().any(hidden)
    }

    /// A model in C by the name that it stands for.
    pub fn demand_model(&mut self, name: &str) -> Option<FuncId> {
        let name = self.names.find(name)?;
        let model = *self.models.get(&name)?;
        Some(self.demand(model))
    }

    /// The function in the program; lowered soon if it was not yet.
    pub fn demand(&mut self, id: typed::FuncId) -> FuncId {
        let id = self.aliased(id);
        if let Some(known) = self.homes.functions[id.0 as usize] {
            return known;
        }
        let function = self.function(id);
        // A model stands in under the name that the program calls.
        let body = match function.body {
            Some(_) => Some(id),
            None => self.model_of(function),
        };
        let (origin, source) = match body {
            Some(body) => (Origin::Body(body), body),
            None => match self.expanded(function) {
                Some(intrinsic) => (Origin::Intrinsic(intrinsic), id),
                None => {
                    let name = self.names.get(function.name);
                    let ends = models::ends_the_program(name)
                        || models::never_returns(name)
                            && self.library(function.name, function.ty).is_some();
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

    /// What stands for functions outside the program that are called with such arguments.
    pub fn demand_outside(&mut self, result: TypeId, args: Vec<TypeId>) -> FuncId {
        let key = (result, args);
        if let Some(&known) = self.outside_functions.get(&key) {
            return known;
        }
        let name = self.names.intern(OUTSIDE);
        let params = key.1.iter().map(|&ty| (self.shape(ty), ty)).collect();
        let unit = self.new_unit(NewUnit {
            name,
            c_type: None,
            signature: Signature {
                result: self.shape(result),
                result_type: result,
                params,
                ..Signature::NOTHING
            },
            param_names: Vec::new(),
            origin: Origin::Stub { returns: true },
            is_library_model: true,
            span: Span::NONE,
        });
        self.outside_functions.insert(key, unit);
        unit
    }

    /// Made by [`Context::demand_outside`].
    pub fn is_outside(&self, function: FuncId) -> bool {
        self.outside_functions
            .values()
            .any(|&known| known == function)
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
}
