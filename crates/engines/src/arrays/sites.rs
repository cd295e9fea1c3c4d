//! Where the cells are read that assertions are about: the last loads in front of errors.
//!
//! From each error backwards, through calls, to the first operations that load from an array what
//! the condition of the assertion depends on. Which sites are chosen decides only on what can be
//! proved with them.

use super::access::{indices_of_loads, without_offset};
use cfa::expr::{ExprId, VarId};
use cfa::live::variables;
use cfa::op::Op;
use cfa::place::callee;
use cfa::program::{Binding, EdgeId, FuncId, LocId, LocationKind, Program};
use cfa::value::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use transform::passes::{Prophecy, Site};

/// More sites than this make no readable proof.
const MAX_SITES: usize = 64;

/// Ways to prophesy, each with one prophecy for each index that a site has: the first of a type at
/// each site, the second, … First of indices as they are; then, where that differs, of those
/// without constant offsets, so that `a[i]` and `a[i + 1]` have one.
pub fn prophecies(program: &Program, most: usize) -> Vec<Vec<Prophecy>> {
    let mut sites = sites(program);
    let mut ways = vec![together(program, &sites, most)];
    for (_, indices) in &mut sites {
        let mut bare: Vec<ExprId> = Vec::new();
        for &index in indices.iter() {
            let index = without_offset(&program.pool, index);
            if !bare.contains(&index) {
                bare.push(index);
            }
        }
        *indices = bare;
    }
    ways.push(together(program, &sites, most));
    ways.dedup();
    ways.retain(|way| !way.is_empty());
    ways
}

fn together(program: &Program, sites: &[(LocId, Vec<ExprId>)], most: usize) -> Vec<Prophecy> {
    let mut numbers: Vec<(Ty, usize)> = Vec::new();
    let mut found: Vec<Prophecy> = Vec::new();
    for (location, indices) in sites {
        let mut count: FxHashMap<Ty, usize> = FxHashMap::default();
        for &index in indices {
            let ty = program.pool.ty(index);
            let ordinal = count.entry(ty).or_default();
            let key = (ty, *ordinal);
            *ordinal += 1;
            let number = match numbers.iter().position(|known| *known == key) {
                Some(number) => number,
                None if numbers.len() < most => {
                    numbers.push(key);
                    found.push(Prophecy::default());
                    numbers.len() - 1
                }
                None => continue,
            };
            let location = *location;
            found[number].sites.push(Site { location, index });
        }
    }
    found
}

/// The places where cells are read, and the indices there.
fn sites(program: &Program) -> Vec<(LocId, Vec<ExprId>)> {
    let search = Search::new(program);
    let relevant = search.relevant();
    let mut found: Vec<(LocId, Vec<ExprId>)> = Vec::new();
    search.backwards(|edge| {
        let indices = search.indices(edge, &relevant);
        if indices.is_empty() {
            return false;
        }
        let location = program.edge(edge).source;
        if found.len() < MAX_SITES && found.iter().all(|(known, _)| *known != location) {
            found.push((location, indices));
        }
        true
    });
    found.sort_unstable();
    found
}

struct Search<'p> {
    program: &'p Program,
    /// The edges that call a function.
    callers: Vec<Vec<EdgeId>>,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program) -> Search<'p> {
        let mut callers = vec![Vec::new(); program.functions.len()];
        for number in 0..program.edges.len() as u32 {
            if let Some(function) = callee(program, EdgeId(number)) {
                callers[function.0 as usize].push(EdgeId(number));
            }
        }
        Search { program, callers }
    }

    /// Goes from the errors backwards along all edges, but not beyond those at which `stop` says
    /// so.
    fn backwards(&self, mut stop: impl FnMut(EdgeId) -> bool) {
        let program = self.program;
        let mut seen: FxHashSet<LocId> = FxHashSet::default();
        let mut waiting: Vec<LocId> = program.errors.iter().map(|&(at, _)| at).collect();
        while let Some(at) = waiting.pop() {
            if !seen.insert(at) {
                continue;
            }
            for &edge in &program.location(at).incoming {
                if !stop(edge) {
                    waiting.push(program.edge(edge).source);
                    // What was called may have read it.
                    if let Some(function) = callee(program, edge) {
                        waiting.push(program.function(function).exit);
                    }
                }
            }
            let function = program.location(at).function;
            if program.function(function).entry == at {
                for &call in &self.callers[function.0 as usize] {
                    if !stop(call) {
                        waiting.push(program.edge(call).source);
                    }
                }
            }
        }
    }

    /// The variables that the conditions in front of errors depend on.
    fn relevant(&self) -> FxHashSet<VarId> {
        let program = self.program;
        let mut relevant = FxHashSet::default();
        self.backwards(|edge| {
            if let Op::Assume(condition) = program.edge_op(edge) {
                relevant.extend(variables(program, *condition));
            }
            // What decides whether a loop goes on is no assertion.
            program.location(program.edge(edge).source).kind == LocationKind::LoopHead
        });
        loop {
            let before = relevant.len();
            for edge in &program.edges {
                match program.op(edge.op) {
                    Op::Assign(target, value) if relevant.contains(target) => {
                        relevant.extend(variables(program, *value));
                    }
                    op @ Op::Call { .. } => {
                        for (var, binding) in program.bindings(op) {
                            match binding {
                                _ if !relevant.contains(&var) => {}
                                Binding::Argument(arg) => relevant.extend(variables(program, arg)),
                                Binding::Result(from) => {
                                    relevant.insert(from);
                                }
                            }
                        }
                    }
                    _ => {}
                }
            }
            if relevant.len() == before {
                return relevant;
            }
        }
    }

    /// The indices of the loads that an edge makes for a condition or a relevant variable.
    fn indices(&self, edge: EdgeId, relevant: &FxHashSet<VarId>) -> Vec<ExprId> {
        let program = self.program;
        let read: Vec<ExprId> = match program.edge_op(edge) {
            Op::Assume(condition) => vec![*condition],
            Op::Assign(target, value) if relevant.contains(target) => vec![*value],
            Op::Call { function, args, .. } => self.relevant_args(*function, args, relevant),
            _ => Vec::new(),
        };
        let mut found = Vec::new();
        for expr in read {
            for index in indices_of_loads(program, &program.pool, expr) {
                if !found.contains(&index) {
                    found.push(index);
                }
            }
        }
        found
    }

    fn relevant_args(
        &self,
        function: FuncId,
        args: &[ExprId],
        relevant: &FxHashSet<VarId>,
    ) -> Vec<ExprId> {
        let params = &self.program.function(function).params;
        let pairs = params.iter().zip(args);
        pairs
            .filter(|(param, _)| relevant.contains(param))
            .map(|(_, &arg)| arg)
            .collect()
    }
}
