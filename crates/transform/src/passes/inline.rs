//! Puts the bodies of functions in place of their calls, as long as the program stays below a
//! limit.
//!
//! Each copy has the function's own variables and objects for itself; the map back says by which
//! calls one would get there. Functions that (may) call themselves stay, and so do the calls of
//! them.

use super::substitute::{Substitution, map_op};
use super::{Draft, DraftEdge, DraftLocation, Pass, Passed, Point, Step, VarPoint};
use cfa::expr::{ExprId, Node, VarId};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::Op;
use cfa::owners::Owners;
use cfa::program::{EdgeId, FuncId, LocId, LocationKind, Program, VariableKind};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

pub struct Inline {
    /// Edges that the result may have; calls beyond stay.
    pub max_edges: usize,
}

impl Pass for Inline {
    fn name(&self) -> &'static str {
        "inline"
    }

    fn apply(&self, program: &Program) -> Option<Passed> {
        let mut inliner = Inliner::new(program);
        let mut edges: usize = 0;
        let mut work = VecDeque::new();
        for index in 0..inliner.draft.edges.len() {
            let Some(edge) = &inliner.draft.edges[index] else {
                continue;
            };
            let function = program.location(edge.source).function;
            if function == program.entry || !inliner.can_inline[function.0 as usize] {
                edges += 1;
                work.push_back(index);
            }
        }
        let mut changed = false;
        while let Some(index) = work.pop_front() {
            let callee = match &inliner.draft.edges[index] {
                Some(DraftEdge {
                    op: Op::Call { function, .. },
                    ..
                }) if inliner.can_inline[function.0 as usize] => *function,
                _ => continue,
            };
            let cost = inliner.size(callee);
            if edges + cost > self.max_edges {
                continue;
            }
            edges += cost;
            let before = inliner.draft.edges.len();
            inliner.splice(index, callee);
            work.extend(before..inliner.draft.edges.len());
            changed = true;
        }
        changed.then(|| inliner.draft.finish())
    }
}

struct Inliner<'p> {
    program: &'p Program,
    draft: Draft<'p>,
    owners: Owners,
    can_inline: Vec<bool>,
    bodies: Vec<Vec<LocId>>,
    regions: Vec<Vec<usize>>,
}

/// The variables and objects of one copy of a function.
struct Copy {
    callee: FuncId,
    caller: FuncId,
    /// The calls by which the copy was entered.
    calls: Vec<EdgeId>,
    vars: FxHashMap<VarId, VarId>,
    objects: FxHashMap<ObjectId, ObjectId>,
    exprs: Substitution,
}

impl<'p> Inliner<'p> {
    fn new(program: &'p Program) -> Inliner<'p> {
        let owners = Owners::of(program);
        let mut can_inline = without_recursion(program);
        can_inline[program.entry.0 as usize] = false;
        for (number, function) in program.functions.iter().enumerate() {
            // Parameters that others mention would be overwritten one before the other is read.
            let owner = Some(FuncId(number as u32));
            let mut vars = function.params.iter().chain(&function.result);
            if !vars.all(|var| owners.vars[var.0 as usize] == owner) {
                can_inline[number] = false;
            }
        }
        let mut bodies = vec![Vec::new(); program.functions.len()];
        for (number, location) in program.locations.iter().enumerate() {
            bodies[location.function.0 as usize].push(LocId(number as u32));
        }
        let mut regions = vec![Vec::new(); program.objects.len()];
        for (number, region) in program.regions.iter().enumerate() {
            for object in &region.objects {
                regions[object.0 as usize].push(number);
            }
        }
        Inliner {
            program,
            draft: Draft::of(program),
            owners,
            can_inline,
            bodies,
            regions,
        }
    }

    /// Edges of a copy.
    fn size(&self, function: FuncId) -> usize {
        let body = self.bodies[function.0 as usize].iter();
        let body: usize = body
            .map(|&location| self.program.location(location).outgoing.len())
            .sum();
        body + self.program.function(function).params.len().max(1) + 1
    }

    fn splice(&mut self, index: usize, callee: FuncId) {
        let program = self.program;
        let Some(call) = self.draft.edges[index].take() else {
            return;
        };
        let Op::Call { args, result, .. } = &call.op else {
            return;
        };
        let caller = self.draft.locations[call.source.0 as usize].function;
        let mut copy = Copy {
            callee,
            caller,
            calls: call.calls.clone(),
            vars: FxHashMap::default(),
            objects: FxHashMap::default(),
            exprs: Substitution::default(),
        };
        let mut locations = FxHashMap::default();
        for number in 0..self.bodies[callee.0 as usize].len() {
            let old = self.bodies[callee.0 as usize][number];
            let mut location = self.draft.locations[old.0 as usize].clone();
            location.function = caller;
            location.stands_for = vec![Point {
                calls: call.calls.clone(),
                location: old,
            }];
            locations.insert(old, self.draft.new_location(location));
        }
        let function = program.function(callee);
        let mut ops: Vec<Op> = Vec::new();
        for (&param, &arg) in function.params.iter().zip(args) {
            ops.push(Op::Assign(self.var(&mut copy, param), arg));
        }
        if ops.is_empty() {
            ops.push(Op::Skip);
        }
        self.enter(index, &call, ops, locations[&function.entry]);
        for number in 0..self.bodies[callee.0 as usize].len() {
            let old = self.bodies[callee.0 as usize][number];
            for &id in &program.location(old).outgoing {
                let edge = program.edge(id);
                let op = self.op(&mut copy, program.op(edge.op));
                let calls = match op {
                    Op::Call { .. } => [&call.calls[..], &[id]].concat(),
                    _ => Vec::new(),
                };
                self.draft.new_edge(DraftEdge {
                    source: locations[&edge.source],
                    target: locations[&edge.target],
                    op,
                    span: edge.span,
                    branch: edge.branch,
                    steps: vec![Step::Edge(id)],
                    calls,
                });
            }
        }
        let op = match (*result, function.result) {
            (Some(target), Some(value)) => {
                let value = self.var(&mut copy, value);
                let ty = self.draft.vars[value.0 as usize].ty;
                Op::Assign(target, self.draft.pool.variable(value, ty))
            }
            _ => Op::Skip,
        };
        self.draft.new_edge(DraftEdge {
            source: locations[&function.exit],
            target: call.target,
            op,
            steps: Vec::new(),
            calls: Vec::new(),
            branch: None,
            span: call.span,
        });
    }

    /// From the call's source through the parameters' assignments; the first takes the call's
    /// place.
    fn enter(&mut self, index: usize, call: &DraftEdge, ops: Vec<Op>, entry: LocId) {
        let count = ops.len();
        let caller = self.draft.locations[call.source.0 as usize].function;
        let mut source = call.source;
        for (number, op) in ops.into_iter().enumerate() {
            let target = if number + 1 == count {
                entry
            } else {
                self.draft.new_location(DraftLocation {
                    function: caller,
                    kind: LocationKind::Ordinary,
                    span: call.span,
                    error: None,
                    stands_for: Vec::new(),
                })
            };
            let edge = DraftEdge {
                source,
                target,
                op,
                span: call.span,
                branch: call.branch,
                steps: match number {
                    0 => call.steps.clone(),
                    _ => Vec::new(),
                },
                calls: Vec::new(),
            };
            if number == 0 {
                self.draft.edges[index] = Some(edge);
            } else {
                self.draft.new_edge(edge);
            }
            source = target;
        }
    }

    fn var(&mut self, copy: &mut Copy, old: VarId) -> VarId {
        if self.owners.vars[old.0 as usize] != Some(copy.callee) {
            return old;
        }
        if let Some(&new) = copy.vars.get(&old) {
            return new;
        }
        let mut variable = self.program.var(old).clone();
        variable.function = Some(copy.caller);
        variable.kind = match variable.kind {
            VariableKind::Param => VariableKind::Local,
            VariableKind::Result => VariableKind::Temporary,
            VariableKind::Piece { object, offset } => VariableKind::Piece {
                object: self.object(copy, object),
                offset,
            },
            other => other,
        };
        let point = VarPoint {
            calls: copy.calls.clone(),
            var: old,
        };
        let new = self.draft.new_var(variable, Some(point));
        copy.vars.insert(old, new);
        new
    }

    fn object(&mut self, copy: &mut Copy, old: ObjectId) -> ObjectId {
        if self.owners.objects[old.0 as usize] != Some(copy.callee) {
            return old;
        }
        if let Some(&new) = copy.objects.get(&old) {
            return new;
        }
        let mut object = self.program.object(old).clone();
        object.kind = match object.kind {
            ObjectKind::Local(_) => ObjectKind::Local(copy.caller),
            ObjectKind::StackAllocation(_) => ObjectKind::StackAllocation(copy.caller),
            other => other,
        };
        let new = self.draft.new_object(object);
        for &region in &self.regions[old.0 as usize] {
            self.draft.regions[region].objects.push(new);
        }
        copy.objects.insert(old, new);
        new
    }

    fn expr(&mut self, copy: &mut Copy, old: ExprId) -> ExprId {
        // The leaves are copied first, so that the walk over the expression borrows the pool alone.
        let (mut vars, mut objects) = (Vec::new(), Vec::new());
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![old];
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.program.pool.node(id) {
                Node::Var(var) => vars.push(var),
                Node::Address(object) => objects.push(object),
                node => work.extend(node.children()),
            }
        }
        for var in vars {
            self.var(copy, var);
        }
        for object in objects {
            self.object(copy, object);
        }
        let (vars, objects) = (&copy.vars, &copy.objects);
        let program = self.program;
        let pointer = program.pointer_ty();
        copy.exprs
            .apply(&mut self.draft.pool, old, |pool, node| match node {
                Node::Var(var) => {
                    let new = *vars.get(&var)?;
                    Some(pool.variable(new, program.var(var).ty))
                }
                Node::Address(object) => Some(pool.address(*objects.get(&object)?, pointer)),
                _ => None,
            })
    }

    fn op(&mut self, copy: &mut Copy, op: &Op) -> Op {
        let exprs: FxHashMap<ExprId, ExprId> = op
            .expressions()
            .into_iter()
            .map(|expr| (expr, self.expr(copy, expr)))
            .collect();
        let written = op.written_variable();
        let target = written.map(|var| self.var(copy, var));
        let mut new = map_op(op, |expr| exprs[&expr], |var| target.unwrap_or(var));
        if let Op::Begin { object, .. }
        | Op::End(object)
        | Op::Allocate { object, .. }
        | Op::Reallocate { object, .. } = &mut new
        {
            *object = self.object(copy, *object);
        }
        new
    }
}

/// Functions on no cycle of calls (and between no two cycles, which is easier to tell).
fn without_recursion(program: &Program) -> Vec<bool> {
    let count = program.functions.len();
    let (mut callees, mut callers) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for edge in &program.edges {
        if let Op::Call { function, .. } = program.op(edge.op) {
            let caller = program.location(edge.source).function;
            callees[caller.0 as usize].push(function.0 as usize);
            callers[function.0 as usize].push(caller.0 as usize);
        }
    }
    let mut free = vec![false; count];
    for (ahead, behind) in [(&callees, &callers), (&callers, &callees)] {
        let mut open: Vec<usize> = (0..count)
            .map(|function| {
                let open = ahead[function].iter().filter(|&&other| !free[other]);
                open.count()
            })
            .collect();
        let mut work: Vec<usize> = (0..count)
            .filter(|&function| open[function] == 0 && !free[function])
            .collect();
        while let Some(function) = work.pop() {
            free[function] = true;
            for &other in &behind[function] {
                if free[other] {
                    continue;
                }
                open[other] -= 1;
                if open[other] == 0 {
                    work.push(other);
                }
            }
        }
    }
    free
}

#[cfg(test)]
mod tests {
    use super::super::Keep;
    use super::super::tests::{check, lowered};
    use super::*;

    const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void); int printf(const char *, ...);\n\
         int add(int a, int b) { int s[2]; s[a & 1] = a; s[!(a & 1)] = b; return s[0] + s[1]; }\n\
         int twice(int x) { return add(x, x); }\n\
         int down(int n) { if (n <= 0) return 0; return add(1, down(n - 1)); }\n\
         int main(void) { int x = __VERIFIER_nondet_int() & 15; int y = twice(twice(x)); int z = down(x);\n\
         for (int i = 0; i < 3; i++) z = add(z, i); printf(\"%d %d\\n\", y, z); if (y == 20) reach_error(); return 0; }";

    fn calls(program: &Program) -> usize {
        let edges = program.edges.iter();
        edges
            .filter(|edge| matches!(program.op(edge.op), Op::Call { .. }))
            .count()
    }

    #[test]
    fn only_recursive_calls_are_left() {
        let program = lowered(TEXT);
        let pass = Inline { max_edges: 10_000 };
        let passed = pass.apply(&program).expect("there is something to do");
        assert_eq!(calls(&passed.program), 2, "of down by itself and by main");
        assert!(pass.apply(&passed.program).is_none());
        let add = program
            .functions
            .iter()
            .position(|function| program.names.get(function.name) == "add");
        let deepest = passed.back.locations.iter().flatten();
        let deepest = deepest
            .filter(|point| Some(program.location(point.location).function.0 as usize) == add)
            .map(|point| point.calls.len());
        assert_eq!(deepest.max(), Some(3), "start, main, twice");
    }

    #[test]
    fn the_limit_holds() {
        let program = lowered(TEXT);
        for max_edges in [0, 40, 80, 120] {
            if let Some(passed) = (Inline { max_edges }).apply(&program) {
                let count = passed.program.edges.len();
                assert!(count <= max_edges.max(program.edges.len()) + program.edges.len());
            }
            check(&Inline { max_edges }, Keep::Behaviour, TEXT);
        }
    }
}
