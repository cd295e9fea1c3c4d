//! Slicing towards the property: leaves out branches and calls that no error, end or endless loop
//! depends on.
//!
//! What counts are the places where executions end, fail, go round or are told apart by a condition
//! that stays. Backwards from there, over the values that reach them (data dependence) and the
//! branches that decide which value does (control dependence), lies what is relevant. A branch goes
//! only if it is exhaustive (one of its two conditions always holds), and all between it and the
//! place where its sides meet is without loops, cannot fail or end, and writes nothing relevant. So
//! an execution passes there exactly if it did before, and the slice is right for both verdicts. A
//! loop stays: whether it ends decides what comes behind it.
//!
//! What branches and calls leave behind (assignments that nobody reads) is for [`super::Needed`].

use super::substitute::variables;
use super::{Draft, DraftEdge, Keep, Pass, Passed, Step};
use cfa::dominators::Dominators;
use cfa::expr::{ExprPool, VarId};
use cfa::op::{Op, Print, PrintKind};
use cfa::order::Order;
use cfa::program::{Binding, EdgeId, FuncId, LocId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

pub struct Slice {
    pub keep: Keep,
}

impl Pass for Slice {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn apply(&self, program: &Program) -> Option<Passed> {
        let structure = Structure::of(program, self.keep);
        let relevant = Relevance::of(program, &structure, self.keep);
        let mut draft = Draft::of(program);
        let mut changed = false;
        for (number, branch) in structure.branches.iter().enumerate() {
            if relevant.branches[number] {
                continue;
            }
            changed = true;
            let outgoing = &program.location(branch.at).outgoing;
            for &edge in &outgoing[1..] {
                draft.remove(edge);
            }
            if let Some(edge) = draft.edge_mut(outgoing[0]) {
                *edge = DraftEdge {
                    target: branch.join,
                    op: Op::Skip,
                    branch: None,
                    steps: vec![Step::Untold],
                    ..edge.clone()
                };
            }
        }
        for number in 0..program.edges.len() as u32 {
            let id = EdgeId(number);
            let goes = match program.edge_op(id) {
                Op::Call { function, .. } => !relevant.functions[function.0 as usize],
                Op::Print(_) => true,
                _ => false,
            };
            let writes = program.edge_op(id).written_variable();
            if !goes
                || !structure.is_quiet(program, program.edge_op(id))
                || writes.is_some_and(|var| relevant.vars[var.0 as usize])
            {
                continue;
            }
            if let Some(edge) = draft.edge_mut(id) {
                changed = true;
                if let Op::Call { .. } = edge.op {
                    edge.steps.push(Step::Untold);
                }
                edge.op = Op::Skip;
                edge.call = None;
            }
        }
        changed.then(|| draft.finish())
    }
}

/// A branch that may go: both of its sides are quiet, as far as that can be told without knowing
/// what is relevant.
struct Quiet {
    at: LocId,
    /// Where its sides meet.
    join: LocId,
    writes: Vec<VarId>,
    calls: Vec<FuncId>,
    /// Branches between it and the join.
    nested: Vec<usize>,
}

/// What the shape of the automata allows to leave out.
struct Structure {
    keep: Keep,
    /// The program's, to negate conditions in.
    pool: ExprPool,
    branches: Vec<Quiet>,
    /// Functions that always return, cannot fail, and show nothing: their calls may go.
    functions: Vec<bool>,
}

impl Structure {
    fn of(program: &Program, keep: Keep) -> Structure {
        let mut structure = Structure {
            keep,
            pool: program.pool.clone(),
            branches: Vec::new(),
            functions: vec![false; program.functions.len()],
        };
        // Callees before callers, so that what they allow is known; what calls itself allows
        // nothing.
        for function in callees_first(program) {
            structure.add_function(program, function);
        }
        structure
    }

    fn add_function(&mut self, program: &Program, function: FuncId) {
        let order = Order::of(program, function);
        let pool = &mut self.pool;
        let branches = order.line.iter().copied();
        let branches: Vec<LocId> = branches
            .filter(|&at| is_exhaustive(program, pool, at))
            .collect();
        let mut known = FxHashMap::default();
        if !branches.is_empty() {
            let post = Dominators::post(program, function);
            // Inner branches first.
            for &at in branches.iter().rev() {
                if let Some(join) = post.immediate(at)
                    && let Some(quiet) = self.explore(program, &order, &known, at, join)
                {
                    known.insert(at, self.branches.len());
                    self.branches.push(quiet);
                }
            }
        }
        // The whole body, from the entry to the exit, as if a branch led into it.
        let (entry, exit) = (
            program.function(function).entry,
            program.function(function).exit,
        );
        let body = self.walk(program, &order, &known, vec![entry], exit);
        self.functions[function.0 as usize] = body.is_some();
    }

    fn explore(
        &self,
        program: &Program,
        order: &Order,
        known: &FxHashMap<LocId, usize>,
        at: LocId,
        join: LocId,
    ) -> Option<Quiet> {
        let position = order.position(at)?;
        let mut starts = Vec::new();
        for &edge in &program.location(at).outgoing {
            let target = program.edge(edge).target;
            if target != join && order.position(target)? <= position {
                return None;
            }
            starts.push(target);
        }
        let inside = self.walk(program, order, known, starts, join)?;
        Some(Quiet { at, join, ..inside })
    }

    /// All between the starts and the join, if every way there is quiet and leads to the join.
    fn walk(
        &self,
        program: &Program,
        order: &Order,
        known: &FxHashMap<LocId, usize>,
        starts: Vec<LocId>,
        join: LocId,
    ) -> Option<Quiet> {
        let mut inside = Quiet {
            at: join,
            join,
            writes: Vec::new(),
            calls: Vec::new(),
            nested: Vec::new(),
        };
        let mut seen = FxHashSet::default();
        let mut work = starts;
        while let Some(location) = work.pop() {
            if location == join || !seen.insert(location) {
                continue;
            }
            let next = match (
                known.get(&location),
                &program.location(location).outgoing[..],
            ) {
                (Some(&branch), _) => {
                    inside.nested.push(branch);
                    self.branches[branch].join
                }
                (None, &[edge]) => {
                    let op = program.edge_op(edge);
                    if !self.is_quiet(program, op) {
                        return None;
                    }
                    inside.writes.extend(op.written_variable());
                    if let Op::Call { function, .. } = op {
                        inside.calls.push(*function);
                    }
                    program.edge(edge).target
                }
                _ => return None,
            };
            // Positions grow, so there is no way round.
            if next != join && order.position(next)? <= order.position(location)? {
                return None;
            }
            work.push(next);
        }
        Some(inside)
    }

    /// Does the operation change nothing but variables, and can it neither fail nor end the
    /// execution nor be seen?
    fn is_quiet(&self, program: &Program, op: &Op) -> bool {
        let cannot_fail = || {
            op.expressions()
                .iter()
                .all(|&expr| !program.pool.can_fail(expr))
        };
        match op {
            Op::Skip => true,
            Op::Assume(condition) => program.pool.as_bool(*condition) == Some(true),
            Op::Assign(..) => cannot_fail(),
            Op::Havoc(..) => self.keep == Keep::Errors,
            Op::Call { function, .. } => self.functions[function.0 as usize] && cannot_fail(),
            Op::Print(print) => self.keep == Keep::Errors && !reads_strings(print) && cannot_fail(),
            _ => false,
        }
    }
}

/// Printing a string reads memory, which may fail.
fn reads_strings(print: &Print) -> bool {
    match &print.kind {
        PrintKind::Char => false,
        PrintKind::Format(format) => {
            // Between a `%` and its conversion are no letters but those of lengths.
            let mut in_conversion = false;
            format.iter().any(|&byte| {
                if byte == b'%' {
                    in_conversion = !in_conversion;
                } else if in_conversion {
                    in_conversion = !byte.is_ascii_alphabetic() || b"hlLqjzt".contains(&byte);
                    return matches!(byte, b's' | b'S' | b'n');
                }
                false
            })
        }
        PrintKind::UnknownFormat | PrintKind::Line | PrintKind::Text => true,
    }
}

/// Two conditions of which always exactly one holds, and whose evaluation cannot fail.
fn is_exhaustive(program: &Program, pool: &mut ExprPool, location: LocId) -> bool {
    let [first, second] = program.location(location).outgoing[..] else {
        return false;
    };
    let (Op::Assume(a), Op::Assume(b)) = (program.edge_op(first), program.edge_op(second)) else {
        return false;
    };
    !pool.can_fail(*a) && !pool.can_fail(*b) && (pool.not(*a) == *b || pool.not(*b) == *a)
}

/// Every function behind those that it calls, except where calls go round.
fn callees_first(program: &Program) -> Vec<FuncId> {
    let mut callees = vec![Vec::new(); program.functions.len()];
    for edge in &program.edges {
        if let Op::Call { function, .. } = program.op(edge.op) {
            let caller = program.location(edge.source).function;
            callees[caller.0 as usize].push(*function);
        }
    }
    let mut done = vec![false; program.functions.len()];
    let mut order = Vec::new();
    for root in 0..program.functions.len() as u32 {
        let mut stack = vec![(FuncId(root), false)];
        while let Some((function, left)) = stack.pop() {
            if left {
                order.push(function);
            } else if !std::mem::replace(&mut done[function.0 as usize], true) {
                stack.push((function, true));
                stack.extend(
                    callees[function.0 as usize]
                        .iter()
                        .map(|&callee| (callee, false)),
                );
            }
        }
    }
    order
}

/// What ends, failures, endless loops and conditions that stay depend on.
struct Relevance {
    vars: Vec<bool>,
    branches: Vec<bool>,
    /// Functions that write something relevant, or may not be left out for other reasons.
    functions: Vec<bool>,
}

/// Something that turned out to be relevant.
enum Found {
    Var(VarId),
    Branch(usize),
    Function(FuncId),
}

/// Who must know when something turns out to be relevant.
struct Dependents {
    /// Of a variable: those that its values are made of.
    made_of: Vec<Vec<VarId>>,
    /// Of a variable: the branches and functions that write it.
    writers: Vec<Vec<usize>>,
    writing_functions: Vec<Vec<FuncId>>,
    /// Of a branch: those around it.
    around: Vec<Vec<usize>>,
    /// Of a function: the branches and functions that call it.
    calling_branches: Vec<Vec<usize>>,
    callers: Vec<Vec<FuncId>>,
}

impl Dependents {
    fn of(program: &Program, structure: &Structure) -> Dependents {
        let (vars, functions) = (program.vars.len(), program.functions.len());
        let mut dependents = Dependents {
            made_of: vec![Vec::new(); vars],
            writers: vec![Vec::new(); vars],
            writing_functions: vec![Vec::new(); vars],
            around: vec![Vec::new(); structure.branches.len()],
            calling_branches: vec![Vec::new(); functions],
            callers: vec![Vec::new(); functions],
        };
        for (number, branch) in structure.branches.iter().enumerate() {
            for var in &branch.writes {
                dependents.writers[var.0 as usize].push(number);
            }
            for function in &branch.calls {
                dependents.calling_branches[function.0 as usize].push(number);
            }
            for &inner in &branch.nested {
                dependents.around[inner].push(number);
            }
        }
        for edge in &program.edges {
            let (op, function) = (program.op(edge.op), program.location(edge.source).function);
            if let Some(var) = op.written_variable() {
                dependents.writing_functions[var.0 as usize].push(function);
            }
            match op {
                Op::Assign(var, value) => {
                    dependents.made_of[var.0 as usize].extend(variables(&program.pool, [*value]));
                }
                Op::Call {
                    function: callee, ..
                } => {
                    dependents.callers[callee.0 as usize].push(function);
                    for (var, binding) in program.bindings(op) {
                        let made_of = &mut dependents.made_of[var.0 as usize];
                        match binding {
                            Binding::Argument(arg) => {
                                made_of.extend(variables(&program.pool, [arg]))
                            }
                            Binding::Result(from) => made_of.push(from),
                        }
                    }
                }
                _ => {}
            }
        }
        for (number, function) in program.functions.iter().enumerate() {
            for param in &function.params {
                dependents.writing_functions[param.0 as usize].push(FuncId(number as u32));
            }
        }
        dependents
    }
}

impl Relevance {
    fn of(program: &Program, structure: &Structure, keep: Keep) -> Relevance {
        let pool = &program.pool;
        let dependents = Dependents::of(program, structure);
        let mut relevance = Relevance {
            vars: vec![false; program.vars.len()],
            branches: vec![false; structure.branches.len()],
            functions: vec![false; program.functions.len()],
        };
        let open: FxHashSet<LocId> = structure.branches.iter().map(|branch| branch.at).collect();
        let mut work = Vec::new();
        for edge in &program.edges {
            let op = program.op(edge.op);
            if matches!(op, Op::Assume(_)) && open.contains(&edge.source) {
                continue;
            }
            match op {
                Op::Assign(_, value) if !pool.can_fail(*value) => {}
                Op::Havoc(..) if keep == Keep::Errors => {}
                Op::Print(_) if structure.is_quiet(program, op) => {}
                Op::Call { function, args, .. } => {
                    let params = program.function(*function).params.iter().zip(args);
                    let failing = params.filter(|&(_, &arg)| pool.can_fail(arg));
                    for (&param, &arg) in failing {
                        work.push(Found::Var(param));
                        work.extend(variables(pool, [arg]).into_iter().map(Found::Var));
                    }
                }
                _ => {
                    work.extend(
                        variables(pool, op.expressions())
                            .into_iter()
                            .map(Found::Var),
                    );
                    work.extend(op.written_variable().map(Found::Var));
                }
            }
        }
        let functions = structure.functions.iter().zip(0..);
        work.extend(
            functions
                .filter(|(quiet, _)| !**quiet)
                .map(|(_, id)| Found::Function(FuncId(id))),
        );
        while let Some(found) = work.pop() {
            match found {
                Found::Var(var) => {
                    let number = var.0 as usize;
                    if !std::mem::replace(&mut relevance.vars[number], true) {
                        work.extend(
                            dependents.made_of[number]
                                .iter()
                                .map(|&var| Found::Var(var)),
                        );
                        work.extend(
                            dependents.writers[number]
                                .iter()
                                .map(|&branch| Found::Branch(branch)),
                        );
                        let writing = dependents.writing_functions[number].iter();
                        work.extend(writing.map(|&function| Found::Function(function)));
                    }
                }
                Found::Branch(number) => {
                    if !std::mem::replace(&mut relevance.branches[number], true) {
                        let edges = program
                            .location(structure.branches[number].at)
                            .outgoing
                            .iter();
                        let conditions =
                            edges.flat_map(|&edge| program.edge_op(edge).expressions());
                        work.extend(variables(pool, conditions).into_iter().map(Found::Var));
                        work.extend(
                            dependents.around[number]
                                .iter()
                                .map(|&branch| Found::Branch(branch)),
                        );
                    }
                }
                Found::Function(function) => {
                    let number = function.0 as usize;
                    if !std::mem::replace(&mut relevance.functions[number], true) {
                        let branches = dependents.calling_branches[number].iter();
                        work.extend(branches.map(|&branch| Found::Branch(branch)));
                        let callers = dependents.callers[number].iter();
                        work.extend(callers.map(|&caller| Found::Function(caller)));
                    }
                }
            }
        }
        relevance
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, lowered};
    use super::super::{Pipeline, Settings};
    use super::*;

    const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void); int printf(const char *, ...);\n\
         int seen; void note(int level) { if (level > 2) seen = level; else seen++; }\n\
         int spin(int n) { int k = 0; while (n != 7) { n++; k++; } return k; }\n\
         int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), mode = 0, kept = 0;\n\
         if (y > 4) { mode = 1; if (y > 8) mode = 2; note(mode); } else { mode = 3; printf(\"%d\\n\", y); }\n\
         switch (y) { case 1: mode = 5; break; case 2: mode = 6; case 3: note(y); break; default: mode = 7; }\n\
         if (y == 11) kept = 1;\n\
         if (y == 12) { int q = 3 / x; mode = q; }\n\
         if (y == 13) mode = spin(x);\n\
         if (x == 3 && kept) reach_error(); return 0; }";

    fn names(program: &Program) -> Vec<&str> {
        program.vars.iter().map(|var| var.name.as_str()).collect()
    }

    fn conditions(program: &Program) -> usize {
        let edges = program.edges.iter();
        edges
            .filter(|edge| matches!(program.op(edge.op), Op::Assume(_)))
            .count()
    }

    #[test]
    fn what_no_error_depends_on_goes() {
        let program = lowered(TEXT);
        let pipeline = Pipeline::named(&["slice", "needed", "chains"], &Settings::default());
        let sliced = pipeline.expect("the names are right").run(&program);
        let names = names(&sliced.program);
        assert!(
            !names.contains(&"mode") && !names.contains(&"seen"),
            "{names:?}"
        );
        for kept in ["x", "y", "kept"] {
            assert!(names.contains(&kept), "{kept} in {names:?}");
        }
        // Twelve less, and the division is a condition now.
        assert_eq!(conditions(&sliced.program) + 11, conditions(&program));
        // Neither the loop that may not end nor the division that may fail goes.
        let divides = sliced.program.edges.iter().any(|edge| {
            let exprs = sliced.program.op(edge.op).expressions();
            exprs.iter().any(|&expr| sliced.program.pool.can_fail(expr))
        });
        assert!(
            divides
                && sliced.program.edges.iter().any(|edge| matches!(
                    sliced.program.op(edge.op),
                    Op::Call { function, .. } if sliced.program.function_name(*function) == "spin"
                ))
        );
    }

    #[test]
    fn meaning_stays() {
        for keep in [Keep::Errors, Keep::Behaviour] {
            check(&Slice { keep }, keep, TEXT);
        }
    }

    #[test]
    fn a_branch_that_decides_a_relevant_value_stays() {
        let text = "int __VERIFIER_nondet_int(void); void reach_error(void); int g;\n\
             void set(int v) { if (v > 0) g = v; }\n\
             int main(void) { int y = __VERIFIER_nondet_int(); if (y > 4) set(y); if (g == 9) reach_error(); return 0; }";
        let program = lowered(text);
        assert!(Slice { keep: Keep::Errors }.apply(&program).is_none());
    }

    #[test]
    fn strings_are_found_in_formats() {
        let print = |format: &str| Print {
            kind: PrintKind::Format(format.as_bytes().to_vec()),
            args: Vec::new(),
            result: None,
            to_stderr: false,
        };
        for (format, expected) in [
            ("%d %5.2f %%s", false),
            ("%-8s|", true),
            ("%ld%n", true),
            ("sss", false),
            ("%llx s", false),
            ("%hhd %.*s", true),
        ] {
            assert_eq!(reads_strings(&print(format)), expected, "{format}");
        }
    }
}
