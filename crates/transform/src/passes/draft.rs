//! A program while a pass works on it: parts can be changed, taken out and put in;
//! [`Draft::finish`] numbers what is left and writes the map back.

use super::back::{Back, Step};
use super::{Facts, Passed};
use cfa::expr::{ExprId, ExprPool, Node, VarId};
use cfa::memory::{Object, Region};
use cfa::op::{Input, Op, OpId};
use cfa::program::{
    Branch, Edge, EdgeId, ErrorKind, FuncId, Function, LocId, Location, LocationKind, Program,
    Variable,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use syntax::span::Span;

#[derive(Clone, Debug)]
pub struct DraftLocation {
    pub function: FuncId,
    pub kind: LocationKind,
    pub span: Span,
    /// For an error location: what goes wrong.
    pub error: Option<ErrorKind>,
    pub stands_for: Vec<LocId>,
}

#[derive(Clone, Debug)]
pub struct DraftEdge {
    pub source: LocId,
    pub target: LocId,
    pub op: Op,
    pub span: Span,
    pub branch: Option<Branch>,
    pub steps: Vec<Step>,
    /// Of a call: that of the given program.
    pub call: Option<EdgeId>,
}

/// Location, variable and object numbers below those of the given program are the given program's
/// own. The edges that leave a location lie in the order in which they are tried; those taken out
/// are `None`.
pub struct Draft<'p> {
    given: &'p Program,
    pub pool: ExprPool,
    pub vars: Vec<Variable>,
    pub var_back: Vec<Option<VarId>>,
    pub objects: Vec<Object>,
    pub regions: Vec<Region>,
    pub inputs: Vec<Input>,
    pub functions: Vec<Function>,
    pub locations: Vec<DraftLocation>,
    pub edges: Vec<Option<DraftEdge>>,
    /// Where the given program's edges lie.
    index: Vec<usize>,
}

impl<'p> Draft<'p> {
    /// The given program, unchanged.
    pub fn of(given: &'p Program) -> Draft<'p> {
        let errors: FxHashMap<LocId, ErrorKind> = given.errors.iter().copied().collect();
        let locations = given.locations.iter().zip(0..);
        let locations = locations.map(|(location, number)| DraftLocation {
            function: location.function,
            kind: location.kind,
            span: location.span,
            error: errors.get(&LocId(number)).copied(),
            stands_for: vec![LocId(number)],
        });
        let mut index = vec![usize::MAX; given.edges.len()];
        let mut edges = Vec::with_capacity(given.edges.len());
        for location in &given.locations {
            for &id in &location.outgoing {
                index[id.0 as usize] = edges.len();
                let edge = given.edge(id);
                let op = given.op(edge.op).clone();
                let call = matches!(op, Op::Call { .. }).then_some(id);
                edges.push(Some(DraftEdge {
                    source: edge.source,
                    target: edge.target,
                    op,
                    span: edge.span,
                    branch: edge.branch,
                    steps: vec![Step::Edge(id)],
                    call,
                }));
            }
        }
        let vars = (0..given.vars.len() as u32).map(|number| Some(VarId(number)));
        Draft {
            given,
            pool: given.pool.clone(),
            vars: given.vars.clone(),
            var_back: vars.collect(),
            objects: given.objects.clone(),
            regions: given.regions.clone(),
            inputs: given.inputs.clone(),
            functions: given.functions.clone(),
            locations: locations.collect(),
            edges,
            index,
        }
    }

    pub fn edge_mut(&mut self, id: EdgeId) -> &mut Option<DraftEdge> {
        &mut self.edges[self.index[id.0 as usize]]
    }

    pub fn remove(&mut self, id: EdgeId) {
        *self.edge_mut(id) = None;
    }

    pub fn set_op(&mut self, id: EdgeId, op: Op) {
        if let Some(edge) = self.edge_mut(id) {
            edge.op = op;
        }
    }

    pub fn new_location(&mut self, location: DraftLocation) -> LocId {
        self.locations.push(location);
        LocId(self.locations.len() as u32 - 1)
    }

    /// A variable that the given program does not have.
    pub fn new_var(&mut self, var: Variable) -> VarId {
        self.vars.push(var);
        self.var_back.push(None);
        VarId(self.vars.len() as u32 - 1)
    }

    /// An edge behind all others that leave its source.
    pub fn new_edge(&mut self, edge: DraftEdge) {
        self.edges.push(Some(edge));
    }

    /// A variable that other functions mention too is no longer one of each activation.
    pub fn share_what_several_use(&mut self) {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = Vec::new();
        for edge in self.edges.iter().flatten() {
            let function = self.locations[edge.source.0 as usize].function;
            work.extend(edge.op.expressions());
            while let Some(id) = work.pop() {
                if !self.pool.reads_variables(id) || !seen.insert((function, id)) {
                    continue;
                }
                match self.pool.node(id) {
                    Node::Var(var) => {
                        let owner = &mut self.vars[var.0 as usize].function;
                        *owner = owner.filter(|&owner| owner == function);
                    }
                    node => work.extend(node.children()),
                }
            }
        }
    }

    /// Which functions and locations the entry function's entry reaches.
    fn reached(&self) -> (Vec<bool>, Vec<bool>) {
        let mut outgoing = vec![Vec::new(); self.locations.len()];
        for edge in self.edges.iter().flatten() {
            outgoing[edge.source.0 as usize].push(edge);
        }
        let mut functions = vec![false; self.functions.len()];
        let mut locations = vec![false; self.locations.len()];
        functions[self.given.entry.0 as usize] = true;
        let mut work = vec![self.functions[self.given.entry.0 as usize].entry];
        while let Some(location) = work.pop() {
            if std::mem::replace(&mut locations[location.0 as usize], true) {
                continue;
            }
            for edge in &outgoing[location.0 as usize] {
                work.push(edge.target);
                if let Op::Call { function, .. } = edge.op {
                    functions[function.0 as usize] = true;
                    work.push(self.functions[function.0 as usize].entry);
                }
            }
        }
        (functions, locations)
    }

    /// Numbers what can be reached, leaves out everything else.
    pub fn finish(mut self) -> Passed {
        let (functions, mut locations) = self.reached();
        for edge in &mut self.edges {
            if edge
                .as_ref()
                .is_some_and(|edge| !locations[edge.source.0 as usize])
            {
                *edge = None;
            }
        }
        for (function, &kept) in self.functions.iter_mut().zip(&functions) {
            if !kept {
                function.params.clear();
                function.result = None;
            }
            locations[function.entry.0 as usize] = true;
            locations[function.exit.0 as usize] = true;
        }
        let mut writer = Writer::new(self.mentioned_vars());
        writer.expressions(&self);
        let mut back = Back::default();
        let vars = writer.vars.iter().zip(&self.vars).zip(&self.var_back);
        let mut new_vars = Vec::new();
        for ((kept, var), before) in vars {
            match (kept, before) {
                (Some(_), _) => {
                    new_vars.push(var.clone());
                    back.vars.push(*before);
                }
                (None, Some(before)) => back.removed.push(*before),
                (None, None) => {}
            }
        }
        let mut numbers = vec![LocId(u32::MAX); self.locations.len()];
        let (mut new_locations, mut errors) = (Vec::new(), Vec::new());
        for (old, location) in std::mem::take(&mut self.locations).into_iter().enumerate() {
            if !locations[old] {
                continue;
            }
            let id = LocId(new_locations.len() as u32);
            numbers[old] = id;
            if let (LocationKind::Error, Some(kind)) = (location.kind, location.error) {
                errors.push((id, kind));
            }
            new_locations.push(Location {
                function: location.function,
                kind: location.kind,
                span: location.span,
                outgoing: Vec::new(),
                incoming: Vec::new(),
            });
            back.locations.push(location.stands_for);
        }
        let mut edges: Vec<Edge> = Vec::new();
        let mut calls = BTreeMap::new();
        for edge in std::mem::take(&mut self.edges).into_iter().flatten() {
            let id = EdgeId(edges.len() as u32);
            let (source, target) = (
                numbers[edge.source.0 as usize],
                numbers[edge.target.0 as usize],
            );
            new_locations[source.0 as usize].outgoing.push(id);
            new_locations[target.0 as usize].incoming.push(id);
            calls.extend(edge.call.map(|call| (id, call)));
            edges.push(Edge {
                source,
                target,
                op: writer.op(&edge.op),
                span: edge.span,
                branch: edge.branch,
            });
            back.edges.push(edge.steps);
        }
        back.calls = calls;
        for function in &mut self.functions {
            function.entry = numbers[function.entry.0 as usize];
            function.exit = numbers[function.exit.0 as usize];
            function.params = function.params.iter().map(|&var| writer.var(var)).collect();
            function.result = function.result.map(|var| writer.var(var));
        }
        let given = self.given;
        let program = Program {
            model: given.model,
            names: given.names.clone(),
            types: given.types.clone(),
            sources: given.sources.clone(),
            pool: writer.pool,
            vars: new_vars,
            objects: self.objects,
            regions: self.regions,
            inputs: self.inputs,
            functions: self.functions,
            locations: new_locations,
            edges,
            ops: writer.ops,
            entry: given.entry,
            errors,
            assumptions: given.assumptions.clone(),
            warnings: given.warnings.clone(),
            unsupported: given.unsupported.clone(),
            function_index: given.function_index.clone(),
            watched: None,
        };
        Passed {
            program,
            back,
            facts: Facts::default(),
        }
    }

    /// Those in operations, and the parameters and results of functions that are left.
    fn mentioned_vars(&self) -> Vec<bool> {
        let mut mentioned = vec![false; self.vars.len()];
        for function in &self.functions {
            for var in function.params.iter().chain(&function.result) {
                mentioned[var.0 as usize] = true;
            }
        }
        for edge in self.edges.iter().flatten() {
            if let Some(var) = edge.op.written_variable() {
                mentioned[var.0 as usize] = true;
            }
        }
        for expr in self.mentioned_exprs() {
            if let Node::Var(var) = self.pool.node(expr) {
                mentioned[var.0 as usize] = true;
            }
        }
        mentioned
    }

    /// All expressions of the edges with their parts, in an order in which parts come first.
    fn mentioned_exprs(&self) -> Vec<ExprId> {
        let mut seen = vec![false; self.pool.len()];
        let edges = self.edges.iter().flatten();
        let mut work: Vec<ExprId> = edges.flat_map(|edge| edge.op.expressions()).collect();
        while let Some(expr) = work.pop() {
            if !std::mem::replace(&mut seen[expr.0 as usize], true) {
                work.extend(self.pool.node(expr).children());
            }
        }
        let numbers = (0..self.pool.len() as u32).map(ExprId);
        numbers.filter(|expr| seen[expr.0 as usize]).collect()
    }
}

/// The result's variables, expressions and operations.
struct Writer {
    vars: Vec<Option<VarId>>,
    exprs: FxHashMap<ExprId, ExprId>,
    pool: ExprPool,
    ops: Vec<Op>,
    op_index: FxHashMap<Op, OpId>,
}

impl Writer {
    fn new(mentioned: Vec<bool>) -> Writer {
        let mut next = 0;
        let vars = mentioned.into_iter().map(|mentioned| {
            mentioned.then(|| {
                next += 1;
                VarId(next - 1)
            })
        });
        Writer {
            vars: vars.collect(),
            exprs: FxHashMap::default(),
            pool: ExprPool::default(),
            ops: Vec::new(),
            op_index: FxHashMap::default(),
        }
    }

    fn var(&self, var: VarId) -> VarId {
        self.vars[var.0 as usize].expect("a variable that is mentioned has a number")
    }

    fn expressions(&mut self, draft: &Draft<'_>) {
        for old in draft.mentioned_exprs() {
            let node = match draft.pool.node(old) {
                Node::Var(var) => Node::Var(self.var(var)),
                node => super::substitute::with_parts(node, |part| self.exprs[&part]),
            };
            let new = self.pool.intern(node, draft.pool.ty(old));
            if draft.pool.is_sum_of_integers(old) {
                self.pool.mark_sum_of_integers(new);
            }
            if draft.pool.is_object_offset(old) {
                self.pool.mark_object_offset(new);
            }
            self.exprs.insert(old, new);
        }
    }

    fn op(&mut self, op: &Op) -> OpId {
        let op = super::substitute::map_op(op, |expr| self.exprs[&expr], |var| self.var(var));
        if let Some(&id) = self.op_index.get(&op) {
            return id;
        }
        let id = OpId(self.ops.len() as u32);
        self.ops.push(op.clone());
        self.op_index.insert(op, id);
        id
    }
}
