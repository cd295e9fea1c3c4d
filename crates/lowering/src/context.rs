//! The program under construction: what exists already, and what is still to be lowered.

use super::LowerOptions;
use super::units::Unit;
use crate::models;
use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::memory::{Object, ObjectId, ObjectKind};
use cfa::op::{Input, InputId, InputKind};
use cfa::program::{Assumption, FuncId, Variable, VariableKind};
use cfa::value::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use syntax::diagnostics::Diagnostic;
use syntax::names::Names;
use syntax::span::{Name, Span};
use syntax::typed::{self, TypedProgram, VarKind};
use syntax::types::{FunctionType, Type, TypeId, TypeTable};

/// How values of a C type travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Void,
    Scalar(Ty),
    /// Lies in memory always; as a value it is the address of its bytes. Records, and arrays where
    /// C copies them as part of an initialiser.
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
    pub synthetic: FxHashMap<Name, FuncId>,
    /// Functions outside the program, by the types of result and arguments.
    pub outside_functions: FxHashMap<(TypeId, Vec<TypeId>), FuncId>,
    /// Arguments beyond the parameters that are declared.
    pub passed_on: Vec<ExprId>,
    /// Something of the program may be a pointer that it did not make.
    pub has_pointers_from_outside: bool,
    /// Functions whose address is converted to another type; types of pointers that are, whatever
    /// they point to.
    pub converted_functions: FxHashSet<FuncId>,
    pub converted_types: FxHashSet<TypeId>,
    /// Library models written in C, by the name of the function that they stand for.
    pub models: FxHashMap<Name, typed::FuncId>,
    pub model_functions: FxHashSet<typed::FuncId>,
    recorded: FxHashSet<String>,
    pub pending_functions: VecDeque<FuncId>,
    pub pending_globals: VecDeque<typed::VarId>,
    pub pending_strings: VecDeque<typed::StringId>,
    temporaries: u32,
    /// Somewhere a `setjmp` can be reached.
    pub uses_setjmp: bool,
    /// The variable behind `errno`, if the program can look at it.
    pub errno: Option<typed::VarId>,
    /// Functions that run when the program ends, in their order.
    pub destructors: Vec<FuncId>,
}

impl<'t> Context<'t> {
    /// The bytes of a string literal up to the first zero.
    pub fn literal(&self, id: typed::StringId) -> Vec<u8> {
        let bytes = self.typed.strings[id.0 as usize].bytes.iter();
        bytes.copied().take_while(|&byte| byte != 0).collect()
    }

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
        let declares = |text: &str| {
            let name = names.find(text);
            let mut functions = typed.functions.iter();
            functions.any(|function| Some(function.name) == name && function.body.is_none())
        };
        let errno = names
            .find("__concord_errno")
            .filter(|_| declares("__errno_location"))
            .and_then(|name| typed.vars.iter().position(|var| var.name == name))
            .map(|index| typed::VarId(index as u32));
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
            outside_functions: FxHashMap::default(),
            passed_on: Vec::new(),
            has_pointers_from_outside: false,
            converted_functions: FxHashSet::default(),
            converted_types: FxHashSet::default(),
            models,
            model_functions,
            recorded: FxHashSet::default(),
            pending_functions: VecDeque::new(),
            pending_globals: VecDeque::new(),
            pending_strings: VecDeque::new(),
            temporaries: 0,
            uses_setjmp: false,
            errno,
            destructors: Vec::new(),
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
                format!("the program does not define `{wanted}`, the function given by --entry"),
            )),
            None => Err(input_error(
                Span::NONE,
                "the program does not define `main`; use --entry NAME to start at another function with \
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

    /// Whether a value of the type may be or contain a pointer.
    pub fn may_hold_pointers(&self, id: TypeId) -> bool {
        match self.types.shape(id) {
            Type::Pointer(_) => true,
            Type::Int(kind) => kind.bits(self.types.model) >= self.types.model.pointer_bits(),
            Type::Record(_) | Type::Array { .. } | Type::VaList => true,
            _ => false,
        }
    }

    /// A value of the type comes from outside the program.
    pub fn comes_from_outside(&mut self, id: TypeId) {
        self.has_pointers_from_outside |= match self.types.shape(id) {
            Type::Int(_) => false,
            _ => self.may_hold_pointers(id),
        };
    }

    /// What a function that is not there is taken to do, as a part of a sentence.
    pub fn external_effect(&self, result: Shape) -> &'static str {
        match (result, self.options.external_writes) {
            (Shape::Void, false) => "changes nothing and calls no function of the program",
            (Shape::Void, true) => {
                "changes only memory reachable from its arguments and globals, and calls only functions passed to it"
            }
            (_, false) => "returns any value, changes nothing and calls no function of the program",
            (_, true) => {
                "returns any value, changes only memory reachable from its arguments and globals, and calls only functions passed to it"
            }
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

    /// A variable of the library that the program declares.
    pub fn external_variable(&self, text: &str) -> Option<typed::VarId> {
        let name = self.names.find(text)?;
        let found = |var: &typed::Variable| var.name == name && var.external;
        let index = self.typed.vars.iter().position(found)?;
        Some(typed::VarId(index as u32))
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
}
