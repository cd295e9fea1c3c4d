//! From what lowering made to a program: what could be decided only when everything was there.

use super::context::{Context, Homes};
use super::graph::Action;
use super::units::Unit;
use crate::models;
use cfa::expr::ExprPool;
use cfa::memory::{Object, ObjectId, ObjectKind, Region};
use cfa::op::{Halt, Input, Op};
use cfa::program::{Assumption, FuncId, Function, Program, Variable};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use syntax::names::Names;
use syntax::source::SourceMap;
use syntax::types::TypeTable;

impl Context<'_> {
    pub fn finish(mut self) -> Parts {
        for id in 0..self.units.len() {
            super::indirect::resolve_indirect_calls(&mut self, FuncId(id as u32));
        }
        if self.options.external_writes {
            super::written::settle(&mut self);
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

    /// Where nothing calls `setjmp`, a `longjmp` has no place to go to: that is undefined, not
    /// unsupported.
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
            begins_with_zeros: false,
            name: "memory".to_owned(),
            cell_bits: 8,
            objects: (0..self.objects.len() as u32).map(ObjectId).collect(),
        };
        let mut program = Program {
            names: Arc::new(self.names),
            sources: Arc::new(sources),
            pool: self.pool,
            vars: self.vars,
            objects: self.objects,
            regions: vec![memory],
            inputs: self.inputs,
            assumptions: self.assumptions,
            ..Program::empty(types)
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
