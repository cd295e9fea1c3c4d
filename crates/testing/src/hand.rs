//! Small programs made by hand, for tests that are about the automaton rather than about C.

use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::memory::{Object, ObjectId, ObjectKind, RegionId};
use cfa::op::{Input, InputId, InputKind, Op, OpId};
use cfa::program::{
    Edge, EdgeId, ErrorKind, FuncId, Function, LocId, Location, LocationKind, Program, Variable,
    VariableKind,
};
use cfa::value::Ty;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use syntax::names::Names;
use syntax::source::SourceMap;
use syntax::span::Span;
use syntax::types::{DataModel, TypeTable};

pub struct Hand {
    pub program: Program,
    names: Names,
}

impl Hand {
    /// A program without functions; the first one made is its entry.
    pub fn new(model: DataModel) -> Hand {
        let program = Program {
            model,
            names: Arc::new(Names::new()),
            types: Arc::new(TypeTable::new(model)),
            sources: Arc::new(SourceMap::default()),
            pool: ExprPool::default(),
            vars: Vec::new(),
            objects: Vec::new(),
            regions: Vec::new(),
            inputs: Vec::new(),
            functions: Vec::new(),
            locations: Vec::new(),
            edges: Vec::new(),
            ops: Vec::new(),
            entry: FuncId(0),
            errors: Vec::new(),
            assumptions: Vec::new(),
            warnings: Vec::new(),
            unsupported: Vec::new(),
            function_index: FxHashMap::default(),
            watched: None,
        };
        Hand {
            program,
            names: Names::new(),
        }
    }

    pub fn function(&mut self, name: &str) -> FuncId {
        let id = FuncId(self.program.functions.len() as u32);
        let name = self.names.intern(name);
        self.program.functions.push(Function {
            name,
            c_type: None,
            params: Vec::new(),
            result: None,
            entry: LocId(0),
            exit: LocId(0),
            is_library_model: false,
            span: Span::NONE,
        });
        let (entry, exit) = (self.location(id), self.location(id));
        let function = &mut self.program.functions[id.0 as usize];
        (function.entry, function.exit) = (entry, exit);
        self.program.function_index.insert(name, id);
        id
    }

    pub fn entry(&self, function: FuncId) -> LocId {
        self.program.function(function).entry
    }

    pub fn exit(&self, function: FuncId) -> LocId {
        self.program.function(function).exit
    }

    pub fn location(&mut self, function: FuncId) -> LocId {
        let id = LocId(self.program.locations.len() as u32);
        self.program.locations.push(Location {
            function,
            kind: LocationKind::Ordinary,
            span: Span::NONE,
            outgoing: Vec::new(),
            incoming: Vec::new(),
        });
        id
    }

    pub fn error(&mut self, function: FuncId) -> LocId {
        let id = self.location(function);
        self.program.locations[id.0 as usize].kind = LocationKind::Error;
        self.program.errors.push((id, ErrorKind::ErrorCall));
        id
    }

    pub fn edge(&mut self, source: LocId, op: Op, target: LocId) -> EdgeId {
        let id = EdgeId(self.program.edges.len() as u32);
        let op_id = OpId(self.program.ops.len() as u32);
        self.program.ops.push(op);
        self.program.edges.push(Edge {
            source,
            target,
            op: op_id,
            span: Span::NONE,
            branch: None,
        });
        self.program.locations[source.0 as usize].outgoing.push(id);
        self.program.locations[target.0 as usize].incoming.push(id);
        id
    }

    /// A new location behind an operation.
    pub fn then(&mut self, source: LocId, op: Op) -> LocId {
        let function = self.program.location(source).function;
        let target = self.location(function);
        self.edge(source, op, target);
        target
    }

    /// Two edges, for the condition and its negation.
    pub fn split(&mut self, source: LocId, condition: ExprId, yes: LocId, no: LocId) {
        let negation = self.program.pool.not(condition);
        self.edge(source, Op::Assume(condition), yes);
        self.edge(source, Op::Assume(negation), no);
    }

    pub fn var(&mut self, name: &str, ty: Ty, function: Option<FuncId>) -> VarId {
        let id = VarId(self.program.vars.len() as u32);
        self.program.vars.push(Variable {
            name: name.to_owned(),
            ty,
            c_type: None,
            function,
            kind: match function {
                Some(_) => VariableKind::Local,
                None => VariableKind::Global,
            },
            span: Span::NONE,
        });
        id
    }

    pub fn read(&mut self, var: VarId) -> ExprId {
        let ty = self.program.var(var).ty;
        self.program.pool.variable(var, ty)
    }

    pub fn int(&mut self, value: i128) -> ExprId {
        self.program.pool.integer(value, Ty::I32)
    }

    pub fn object(&mut self, name: &str, kind: ObjectKind, size: u64) -> ObjectId {
        let id = ObjectId(self.program.objects.len() as u32);
        self.program.objects.push(Object {
            name: name.to_owned(),
            kind,
            size: Some(size),
            align: 1,
            c_type: None,
            read_only: kind == ObjectKind::StringLiteral,
            unique: true,
            span: Span::NONE,
        });
        id
    }

    pub fn address(&mut self, object: ObjectId) -> ExprId {
        let ty = self.program.pointer_ty();
        self.program.pool.address(object, ty)
    }

    pub fn load(&mut self, address: ExprId, ty: Ty) -> ExprId {
        self.program.pool.load(RegionId::WHOLE, address, ty)
    }

    pub fn store(&self, address: ExprId, value: ExprId) -> Op {
        Op::Store {
            region: RegionId::WHOLE,
            address,
            value,
        }
    }

    pub fn input(&mut self) -> InputId {
        let name = self.names.intern("__VERIFIER_nondet_int");
        self.program.inputs.push(Input {
            kind: InputKind::Nondet(name),
            is_bool: false,
            span: Span::NONE,
        });
        InputId(self.program.inputs.len() as u32 - 1)
    }

    pub fn finish(mut self) -> Program {
        self.program.names = Arc::new(self.names);
        self.program
    }
}
