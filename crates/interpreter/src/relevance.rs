//! Which steps of an execution matter for its end: a dynamic slice.
//!
//! A step matters if the last one does and takes a value from it, or is executed because of how it
//! branched. What an execution would have done otherwise is not asked, so a condition that could
//! have ended it earlier does not matter by itself. This is for readers: nothing is proved with it.

use super::{Change, Observer, View};
use cfa::algebra::evaluate;
use cfa::concrete::{Concrete, State, Undefined};
use cfa::dominators::Dominators;
use cfa::expr::{ExprId, Node, VarId};
use cfa::memory::ObjectId;
use cfa::op::Op;
use cfa::program::{EdgeId, FuncId, LocId, Program};
use cfa::value::Ty;
use rustc_hash::FxHashMap;

/// Events of an execution beyond which all of them count.
const MAX_EVENTS: usize = 3_000_000;
/// Writes of more bytes are kept as ranges.
const MAX_SINGLE_BYTES: u64 = 64;

/// Watches an execution; every call of an [`Observer`]'s function is one step.
pub struct Relevance<'p> {
    program: &'p Program,
    /// What each edge reads.
    reads: FxHashMap<EdgeId, Reads>,
    post: FxHashMap<FuncId, Dominators>,
    events: Vec<Event>,
    /// Where the values of events come from.
    sources: Vec<u32>,
    /// The event of each step.
    steps: Vec<u32>,
    activations: Vec<Activation>,
    globals: FxHashMap<VarId, u32>,
    bytes: FxHashMap<u64, u32>,
    /// Start, end and writer of large writes.
    ranges: Vec<(u64, u64, u32)>,
    /// What the edges that may come next read from memory, evaluated before they change anything.
    next: FxHashMap<EdgeId, Vec<Option<(u64, u64)>>>,
    gave_up: bool,
}

#[derive(Clone, Copy)]
struct Event {
    first_source: u32,
    /// The branch or call that it is executed because of.
    because_of: Option<u32>,
}

#[derive(Clone, Default)]
struct Reads {
    variables: Vec<VarId>,
    /// Address and number of bytes.
    memory: Vec<(ExprId, Size)>,
}

#[derive(Clone, Copy)]
enum Size {
    Bytes(u64),
    Given(ExprId),
}

struct Activation {
    function: FuncId,
    called_by: Option<u32>,
    /// Branches that are open, and where they close.
    branches: Vec<(u32, Option<LocId>)>,
    locals: FxHashMap<VarId, u32>,
}

impl<'p> Relevance<'p> {
    pub fn new(program: &'p Program) -> Relevance<'p> {
        Relevance {
            program,
            reads: FxHashMap::default(),
            post: FxHashMap::default(),
            events: Vec::new(),
            sources: Vec::new(),
            steps: Vec::new(),
            activations: Vec::new(),
            globals: FxHashMap::default(),
            bytes: FxHashMap::default(),
            ranges: Vec::new(),
            next: FxHashMap::default(),
            gave_up: false,
        }
    }

    /// For each step whether it matters; `None` if that could not be found out.
    pub fn steps_that_matter(&self) -> Option<Vec<bool>> {
        if self.gave_up {
            return None;
        }
        let mut matters = vec![false; self.events.len()];
        let last = self.events.len().checked_sub(1)?;
        // Events come from earlier ones only.
        matters[last] = true;
        for number in (0..=last).rev() {
            if !matters[number] {
                continue;
            }
            let event = self.events[number];
            let end = self.events.get(number + 1);
            let end = end.map_or(self.sources.len(), |next| next.first_source as usize);
            let sources = &self.sources[event.first_source as usize..end];
            for &source in sources.iter().chain(&event.because_of) {
                matters[source as usize] = true;
            }
        }
        Some(
            self.steps
                .iter()
                .map(|&event| matters[event as usize])
                .collect(),
        )
    }

    /// The first step that is watched and takes a value from one of the given steps, directly or
    /// not: of each step whether values come from it, and whether it is watched. `None` if that
    /// could not be found out.
    pub fn first_taking(&self, from: &[bool], watched: &[bool]) -> Option<Option<usize>> {
        if self.gave_up || from.len() != self.steps.len() || watched.len() != self.steps.len() {
            return None;
        }
        let mut taken = vec![false; self.events.len()];
        for (&event, &is_source) in self.steps.iter().zip(from) {
            taken[event as usize] |= is_source;
        }
        for (number, event) in self.events.iter().enumerate() {
            let end = self.events.get(number + 1);
            let end = end.map_or(self.sources.len(), |next| next.first_source as usize);
            let sources = &self.sources[event.first_source as usize..end];
            taken[number] |= sources.iter().any(|&source| taken[source as usize]);
        }
        let mut steps = self.steps.iter().zip(watched);
        Some(steps.position(|(&event, &is_watched)| is_watched && taken[event as usize]))
    }

    fn event(&mut self, sources: &[u32], because_of: Option<u32>) -> u32 {
        self.gave_up |= self.events.len() >= MAX_EVENTS;
        let number = self.events.len() as u32;
        self.events.push(Event {
            first_source: self.sources.len() as u32,
            because_of,
        });
        self.sources.extend(sources);
        number
    }

    fn writer(&self, var: VarId) -> Option<u32> {
        let local = self
            .activations
            .last()
            .and_then(|here| here.locals.get(&var));
        local.or_else(|| self.globals.get(&var)).copied()
    }

    fn write(&mut self, var: VarId, event: u32) {
        let is_global = self.program.var(var).function.is_none();
        match self.activations.last_mut() {
            Some(here) if !is_global => here.locals.insert(var, event),
            _ => self.globals.insert(var, event),
        };
    }

    fn write_memory(&mut self, start: u64, size: u64, event: u32) {
        if size > MAX_SINGLE_BYTES {
            self.ranges.push((start, start.saturating_add(size), event));
        } else {
            for at in start..start.saturating_add(size) {
                self.bytes.insert(at, event);
            }
        }
    }

    fn memory_writers(&self, start: u64, size: u64, into: &mut Vec<u32>) {
        let end = start.saturating_add(size);
        let mut covered = 0;
        if size <= MAX_SINGLE_BYTES {
            for at in start..end {
                let single = self.bytes.get(&at).copied();
                let range = self.ranges.iter().rev();
                let range = range.filter(|range| range.0 <= at && at < range.1);
                // The later write of the two is the one that is read.
                into.extend(single.max(range.map(|range| range.2).next()));
            }
            return;
        }
        for (&at, &event) in &self.bytes {
            if start <= at && at < end {
                into.push(event);
            }
        }
        for range in self.ranges.iter().rev() {
            if range.0 < end && start < range.1 {
                into.push(range.2);
                covered += 1;
                if range.0 <= start && end <= range.1 || covered > 64 {
                    break;
                }
            }
        }
    }

    fn reads(&mut self, edge: EdgeId) -> Reads {
        let program = self.program;
        let find = || {
            let op = program.edge_op(edge);
            let mut found = reads_of(program, &op.expressions());
            if let Op::Copy { source, size, .. } = op {
                found.memory.push((*source, Size::Given(*size)));
            }
            found
        };
        self.reads.entry(edge).or_insert_with(find).clone()
    }

    /// The variables and the memory that an edge reads, as the events that wrote them.
    fn sources_of(&mut self, edge: EdgeId, view: &View<'_>) -> Vec<u32> {
        let reads = self.reads(edge);
        let mut found: Vec<u32> = reads
            .variables
            .iter()
            .filter_map(|&var| self.writer(var))
            .collect();
        let memory = match self.next.remove(&edge) {
            Some(memory) => memory,
            None => evaluated(self.program, &reads.memory, view),
        };
        for place in memory {
            match place {
                Some((start, size)) => self.memory_writers(start, size, &mut found),
                None => self.gave_up = true,
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Looks at what may be read next while the state is still the one that it is read in.
    fn look_ahead(&mut self, location: LocId, view: &View<'_>) {
        self.next.clear();
        let outgoing = &self.program.location(location).outgoing;
        for &edge in outgoing {
            let reads = self.reads(edge);
            if !reads.memory.is_empty() {
                let memory = evaluated(self.program, &reads.memory, view);
                self.next.insert(edge, memory);
            }
        }
    }

    /// The branch or call that what happens at the location is executed because of.
    fn because_of(&mut self, location: LocId) -> Option<u32> {
        let here = self.activations.last_mut()?;
        while here
            .branches
            .pop_if(|(_, closes)| *closes == Some(location))
            .is_some()
        {}
        here.branches
            .last()
            .map(|&(event, _)| event)
            .or(here.called_by)
    }

    fn call(&mut self, edge: EdgeId, callee: FuncId, call: u32) {
        let program = self.program;
        let mut locals = FxHashMap::default();
        if let Op::Call { args, .. } = program.edge_op(edge) {
            for (&param, &arg) in program.function(callee).params.iter().zip(args) {
                let variables = reads_of(program, &[arg]).variables;
                let sources: Vec<u32> = variables
                    .iter()
                    .filter_map(|&var| self.writer(var))
                    .collect();
                // An argument that is read from memory is the call's affair as a whole.
                locals.insert(param, self.event(&sources, Some(call)));
            }
        }
        self.activations.push(Activation {
            function: callee,
            called_by: Some(call),
            branches: Vec::new(),
            locals,
        });
    }
}

impl Observer for Relevance<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        if self.gave_up {
            return;
        }
        if self.activations.is_empty() {
            self.activations.push(Activation {
                function: view.function(),
                called_by: None,
                branches: Vec::new(),
                locals: FxHashMap::default(),
            });
        }
        let program = self.program;
        let (source, target) = (program.edge(edge).source, program.edge(edge).target);
        let because_of = self.because_of(source);
        let sources = match (change, program.edge_op(edge)) {
            // Arguments have events of their own, so that one that does not matter stays apart.
            (Change::Call(_), _) if self.reads(edge).memory.is_empty() => Vec::new(),
            // The contents move with the object, which nobody is told of.
            (_, Op::Reallocate { .. }) => {
                self.gave_up = true;
                return;
            }
            _ => self.sources_of(edge, view),
        };
        let event = self.event(&sources, because_of);
        self.steps.push(event);
        if program.location(source).outgoing.len() > 1
            && let Some(here) = self.activations.last_mut()
        {
            let function = here.function;
            let post = self.post.entry(function);
            let post = post.or_insert_with(|| Dominators::post(program, function));
            here.branches.push((event, post.immediate(source)));
        }
        match change {
            Change::Nothing => {}
            Change::Variable(var, _) => self.write(var, event),
            Change::Memory { address, size } => self.write_memory(address, size, event),
            Change::Call(callee) => {
                self.call(edge, callee, event);
                self.next.clear();
                return;
            }
        }
        self.look_ahead(target, view);
    }

    fn leave(&mut self, call: EdgeId, change: Change, view: &View<'_>) {
        if self.gave_up {
            return;
        }
        let result = self.activations.last().and_then(|done| {
            let result = self.program.function(done.function).result?;
            done.locals.get(&result).copied()
        });
        self.activations.pop();
        let because_of = self.because_of(self.program.edge(call).source);
        let sources: Vec<u32> = result.into_iter().collect();
        let event = self.event(&sources, because_of);
        self.steps.push(event);
        if let Change::Variable(var, _) = change {
            self.write(var, event);
        }
        self.look_ahead(self.program.edge(call).target, view);
    }
}

fn reads_of(program: &Program, roots: &[ExprId]) -> Reads {
    let mut found = Reads::default();
    let mut stack = roots.to_vec();
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = program.pool.node(id);
        match node {
            Node::Var(var) => found.variables.push(var),
            Node::Load { address, .. } => {
                let bytes = u64::from(program.pool.ty(id).width()).div_ceil(8);
                found.memory.push((address, Size::Bytes(bytes)));
            }
            _ => {}
        }
        stack.extend(node.children());
    }
    found
}

/// Where memory is read, in the state that is seen; `None` for what cannot be found out.
fn evaluated(
    program: &Program,
    memory: &[(ExprId, Size)],
    view: &View<'_>,
) -> Vec<Option<(u64, u64)>> {
    let value = |expr| -> Option<u64> {
        let value = evaluate(&program.pool, expr, &mut Concrete(&mut Seen(view))).ok()?;
        u64::try_from(value).ok()
    };
    let places = memory.iter().map(|&(address, size)| {
        let size = match size {
            Size::Bytes(bytes) => bytes,
            Size::Given(expr) => value(expr)?,
        };
        Some((value(address)?, size))
    });
    places.collect()
}

/// A state as its observer sees it.
struct Seen<'a, 'v>(&'a View<'v>);

impl State for Seen<'_, '_> {
    type Error = Undefined;

    fn variable(&mut self, var: VarId, _: Ty) -> Result<u128, Undefined> {
        self.0.variable(var).ok_or(Undefined::IllTyped)
    }

    fn address(&mut self, object: ObjectId) -> Result<u128, Undefined> {
        let address = self.0.address_of(object).ok_or(Undefined::IllTyped)?;
        Ok(address.into())
    }

    fn load(&mut self, address: u128, ty: Ty) -> Result<u128, Undefined> {
        let address = u64::try_from(address).map_err(|_| Undefined::IllTyped)?;
        let bytes = u64::from(ty.width()).div_ceil(8);
        (0..bytes).rev().try_fold(0, |bits, at| {
            let byte = self.0.byte(address.wrapping_add(at));
            Ok(bits << 8 | u128::from(byte.ok_or(Undefined::IllTyped)?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Interpreter, Options, Outcome};
    use super::*;
    use lowering::property::{Property, instrument};
    use lowering::{LowerOptions, load_text};
    use std::collections::BTreeSet;

    /// The lines of the steps that matter, among them that of the call of `main`.
    fn lines(text: &str) -> Vec<u32> {
        let front = syntax::driver::Options::default();
        let program = match load_text("test.c", text, &front, &LowerOptions::default()) {
            Ok(loaded) => instrument(&loaded.program, &Property::assertions()),
            Err(failure) => panic!("{failure}"),
        };
        struct Both<'p>(Relevance<'p>, Vec<EdgeId>);
        impl Observer for Both<'_> {
            fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
                self.0.edge(edge, change, view);
                self.1.push(edge);
            }
            fn leave(&mut self, call: EdgeId, change: Change, view: &View<'_>) {
                self.0.leave(call, change, view);
                self.1.push(call);
            }
        }
        let mut both = Both(Relevance::new(&program), Vec::new());
        let mut inputs = super::super::ConstantInputs(5);
        let run = Interpreter::new(&program).run_with(
            &Options::default(),
            &mut inputs,
            &mut std::io::sink(),
            &mut std::io::sink(),
            Some(&mut both),
        );
        assert!(
            matches!(run.outcome, Outcome::Error(_)),
            "{:?}",
            run.outcome
        );
        let matters = both.0.steps_that_matter().expect("the execution is small");
        assert_eq!(matters.len(), both.1.len());
        let lines: BTreeSet<u32> = both
            .1
            .iter()
            .zip(matters)
            .filter(|&(_, matters)| matters)
            .filter_map(|(&edge, _)| program.sources.original(program.edge(edge).span.lo))
            .map(|place| place.line)
            .collect();
        lines.into_iter().collect()
    }

    const HEAD: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);";

    #[test]
    fn values_and_branches_count() {
        let text = format!(
            "{HEAD}\nint main(void) {{\nint noise = __VERIFIER_nondet_int();\nint x = __VERIFIER_nondet_int();\n\
             if (noise > 3)\n  noise = 7;\nif (x > 4)\n  x = 1;\nif (x == 1)\n  reach_error();\nreturn noise; }}"
        );
        assert_eq!(lines(&text), [2, 4, 7, 8, 9, 10]);
    }

    #[test]
    fn memory_is_followed_by_address() {
        let text = format!(
            "{HEAD}\nint main(void) {{ int a[4];\na[0] = 3;\na[1] = 4;\nint *p = a;\np = p + 1;\n*p = *p + 1;\n\
             a[2] = 9;\nif (a[1] == 5)\n  reach_error();\nreturn 0; }}"
        );
        assert_eq!(lines(&text), [2, 4, 5, 6, 7, 9, 10]);
    }

    #[test]
    fn calls_give_arguments_and_results() {
        let text = format!(
            "{HEAD}\nint pick(int a, int b) {{\n  b = b + 1;\n  return a; }}\nint main(void) {{\nint u = 1;\nint v = 2;\n\
             int w = pick(u, v);\nif (w == 1)\n  reach_error();\nreturn 0; }}"
        );
        assert_eq!(lines(&text), [4, 5, 6, 8, 9, 10]);
    }

    #[test]
    fn a_loop_matters_as_far_as_its_values_do() {
        let text = format!(
            "{HEAD}\nint main(void) {{ int s = 0;\nint t = 0;\nfor (int i = 0; i < 3; i++)\n  s += 2;\n\
             for (int j = 0; j < 3; j++)\n  t += 2;\nif (s == 6)\n  reach_error();\nreturn t; }}"
        );
        assert_eq!(lines(&text), [2, 4, 5, 8, 9]);
    }
}
