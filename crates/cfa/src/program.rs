//! A program: control-flow automata of all functions, memory objects and regions, inputs, source
//! map.
//!
//! Locations and edges are numbered over the whole program. A program is immutable once built and
//! shared by all analyses; passes make new programs with a map back.

use crate::expr::{ExprId, ExprPool, VarId};
use crate::memory::{Object, ObjectId, Region};
use crate::op::{Input, Op, OpId};
use crate::value::Ty;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use syntax::names::Names;
use syntax::source::SourceMap;
use syntax::span::{Name, Span};
use syntax::types::{DataModel, TypeId, TypeTable};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct LocId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct EdgeId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FuncId(pub u32);

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Ty,
    /// The C type that it was declared with; absent for temporaries.
    pub c_type: Option<TypeId>,
    /// `None` for globals.
    pub function: Option<FuncId>,
    pub kind: VariableKind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableKind {
    Global,
    Local,
    Param,
    /// Holds what the function returns, read by the caller at the exit.
    Result,
    /// Made by lowering; no name that a user wrote.
    Temporary,
    /// A piece of a memory object that was split off: the object and the byte offset in it.
    Piece {
        object: ObjectId,
        offset: u64,
    },
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Name,
    pub c_type: Option<TypeId>,
    pub params: Vec<VarId>,
    pub result: Option<VarId>,
    pub entry: LocId,
    /// The one location where the function returns.
    pub exit: LocId,
    /// Library models are folded in counterexamples.
    pub is_library_model: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Location {
    pub function: FuncId,
    pub kind: LocationKind,
    /// The statement that begins here.
    pub span: Span,
    pub outgoing: Vec<EdgeId>,
    pub incoming: Vec<EdgeId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LocationKind {
    Ordinary,
    /// The head of a loop statement (`for`, `while`, `do`); the span begins at its keyword.
    LoopHead,
    /// Reaching it violates the property; see [`Program::errors`].
    Error,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub source: LocId,
    pub target: LocId,
    pub op: OpId,
    pub span: Span,
    /// For an edge that takes or skips a branch of the source text: which.
    pub branch: Option<Branch>,
}

/// One side of a branching statement or operator of the source text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Branch {
    /// The statement (`if`, `while`, …) or conditional operator.
    pub statement: Span,
    pub taken: bool,
}

/// What was assumed about something that the program does not say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ErrorKind {
    /// The error function (or a failing assertion) is called.
    ErrorCall,
    SignedOverflow,
    DivisionByZero,
    /// A shift by a negative count, or by the width or more.
    Shift,
    /// Arithmetic on finite floats gives an infinity.
    FloatOverflow,
    /// An access that is not inside one live object.
    InvalidAccess,
    /// `free` or `realloc` of what is no live object of the heap.
    InvalidFree,
    /// An object of the heap that no pointer leads to any more.
    Lost,
    /// An object of the heap that lives when the program ends.
    NotFreed,
}

impl ErrorKind {
    /// Ghosts are asked whether it happens, which know less of memory than an execution does.
    pub fn is_about_memory(self) -> bool {
        matches!(
            self,
            ErrorKind::InvalidAccess
                | ErrorKind::InvalidFree
                | ErrorKind::Lost
                | ErrorKind::NotFreed
        )
    }

    /// The property that it violates, as verdicts name it.
    pub fn property(self) -> &'static str {
        match self {
            ErrorKind::ErrorCall => "unreach-call",
            ErrorKind::SignedOverflow => "no-overflow",
            ErrorKind::DivisionByZero => "no-division-by-zero",
            ErrorKind::Shift => "valid-shift",
            ErrorKind::FloatOverflow => "no-float-overflow",
            ErrorKind::InvalidAccess => "valid-deref",
            ErrorKind::InvalidFree => "valid-free",
            ErrorKind::Lost => "valid-memtrack",
            ErrorKind::NotFreed => "valid-memcleanup",
        }
    }
}

/// A program before its accesses to memory were watched, and which error location stands for which
/// of its faults.
///
/// The program that is watched keeps ghost variables for the objects that live, and asks them
/// before each access; that is what formulas are about. An execution needs no ghosts: whoever
/// executes sees what is wrong with an access himself.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// For an edge whose operation accesses memory: where it leads if an access is invalid.
    pub accesses: FxHashMap<EdgeId, LocId>,
    /// For an edge that releases memory: where it leads if there is nothing to release.
    pub releases: FxHashMap<EdgeId, LocId>,
    /// Where the end of the program leads if an object of the heap is lost, or lives.
    pub lost: Option<LocId>,
    pub not_freed: Option<LocId>,
    /// Error locations of checks that formulas cannot decide: the edges, of the program that is
    /// watched, that stand for everything that may be wrong there and has no formula.
    pub not_followed: FxHashMap<LocId, Vec<EdgeId>>,
    /// Error locations that may be reached although nothing is wrong, because not every object is
    /// watched: where the program goes on then.
    pub approximate: FxHashMap<LocId, LocId>,
    /// Where executions end if a pointer points into none of the objects that were asked for.
    pub relied: Vec<Relied>,
}

/// An execution in which the pointer points into another object would be left out. So whoever
/// believes a proof has to know that there is none.
#[derive(Clone, Debug)]
pub struct Relied {
    /// The error location that such an execution comes to: as long as it is one, nothing is left
    /// out. `None` if the execution just ends.
    pub error: Option<LocId>,
    pub address: ExprId,
    pub objects: Vec<ObjectId>,
    /// Memory outside the program was asked for, too.
    pub outside: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Watched {
    /// Its locations, edges, variables and inputs have the same numbers in the program that is
    /// watched.
    pub program: Program,
    pub faults: Faults,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub model: DataModel,
    pub names: Arc<Names>,
    pub types: Arc<TypeTable>,
    pub sources: Arc<SourceMap>,
    pub pool: ExprPool,
    pub vars: Vec<Variable>,
    pub objects: Vec<Object>,
    pub regions: Vec<Region>,
    pub inputs: Vec<Input>,
    pub functions: Vec<Function>,
    pub locations: Vec<Location>,
    pub edges: Vec<Edge>,
    /// Interned: equal operations have equal ids.
    pub ops: Vec<Op>,
    /// Where execution starts: a generated function that initialises globals and calls the user's
    /// entry function; it has no parameters.
    pub entry: FuncId,
    /// Error locations with what went wrong there. They have no outgoing edges.
    pub errors: Vec<(LocId, ErrorKind)>,
    pub assumptions: Vec<Assumption>,
    /// What is odd about the text, such as calls of functions that are not declared.
    pub warnings: Vec<Assumption>,
    /// Constructs without support that lowering turned into [`crate::op::Halt::Unsupported`].
    pub unsupported: Vec<Assumption>,
    /// For function objects and others: by C name, for printing and for tests.
    pub function_index: FxHashMap<Name, FuncId>,
    /// What is executed instead, where memory is watched. Programs that are made from this one have
    /// none.
    pub watched: Option<Arc<Watched>>,
}

impl Program {
    /// A program in which nothing is, over these types.
    pub fn empty(types: TypeTable) -> Program {
        Program {
            model: types.model,
            names: Arc::new(Names::new()),
            types: Arc::new(types),
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
        }
    }
}

/// What a call gives to a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    /// The value of an argument, before the callee begins.
    Argument(ExprId),
    /// The value of the callee's variable, when it has returned.
    Result(VarId),
}

impl Program {
    pub fn op(&self, id: OpId) -> &Op {
        &self.ops[id.0 as usize]
    }

    /// The number of an operation, which is added if it is new.
    pub fn intern_op(&mut self, op: Op) -> OpId {
        let known = self.ops.iter().position(|known| *known == op);
        let number = known.unwrap_or_else(|| {
            self.ops.push(op);
            self.ops.len() - 1
        });
        OpId(number as u32)
    }

    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.0 as usize]
    }

    pub fn edge_op(&self, id: EdgeId) -> &Op {
        self.op(self.edge(id).op)
    }

    /// Does the edge copy the bytes that the edge before it has copied, for another region? Where
    /// memory is one, both are one copy: a second one goes wrong if its ranges overlap.
    pub fn repeats_copy(&self, id: EdgeId) -> bool {
        let range = |id| match self.edge_op(id) {
            Op::Copy {
                target_region,
                target,
                source,
                size,
                ..
            } => Some((*target_region, (*target, *source, *size))),
            _ => None,
        };
        let Some((region, bytes)) = range(id) else {
            return false;
        };
        match &self.location(self.edge(id).source).incoming[..] {
            [before] => range(*before).is_some_and(|(r, b)| r != region && b == bytes),
            _ => false,
        }
    }

    pub fn location(&self, id: LocId) -> &Location {
        &self.locations[id.0 as usize]
    }

    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// What a call passes: to each parameter its argument, and to the variable for the result, if
    /// there is one, what the callee returns. Nothing if the operation is no call.
    pub fn bindings<'p>(&'p self, op: &'p Op) -> impl Iterator<Item = (VarId, Binding)> + use<'p> {
        let call = match op {
            Op::Call {
                function,
                args,
                result,
            } => Some((self.function(*function), args, *result)),
            _ => None,
        };
        call.into_iter().flat_map(|(callee, args, result)| {
            let args = args.iter().map(|&arg| Binding::Argument(arg));
            let returned = result.zip(callee.result);
            let returned = returned.map(|(target, from)| (target, Binding::Result(from)));
            callee.params.iter().copied().zip(args).chain(returned)
        })
    }

    /// The variables of each function.
    pub fn locals(&self) -> Vec<Vec<VarId>> {
        let mut locals = vec![Vec::new(); self.functions.len()];
        for (number, var) in self.vars.iter().enumerate() {
            if let Some(function) = var.function {
                locals[function.0 as usize].push(VarId(number as u32));
            }
        }
        locals
    }

    /// The variables of no function.
    pub fn globals(&self) -> Vec<VarId> {
        let globals = self.vars.iter().enumerate();
        let globals = globals.filter(|(_, var)| var.function.is_none());
        globals.map(|(number, _)| VarId(number as u32)).collect()
    }

    pub fn var(&self, id: VarId) -> &Variable {
        &self.vars[id.0 as usize]
    }

    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    pub fn function_name(&self, id: FuncId) -> &str {
        self.names.get(self.function(id).name)
    }

    pub fn is_error(&self, id: LocId) -> bool {
        self.location(id).kind == LocationKind::Error
    }

    /// The program that executions are those of: without the ghosts that watch memory.
    pub fn executed(&self) -> &Program {
        self.watched
            .as_ref()
            .map_or(self, |watched| &watched.program)
    }

    /// What went wrong at an error location.
    pub fn error_kind(&self, location: LocId) -> Option<ErrorKind> {
        let mut errors = self.errors.iter();
        let found = errors.find(|(error, _)| *error == location);
        found.map(|(_, kind)| *kind)
    }

    pub fn pointer_ty(&self) -> Ty {
        Ty::unsigned(self.model.pointer_bits())
    }
}
