//! Partial commands: guarded commands without a choice, executed symbolically once.
//!
//! A command without a choice is a function of the state before it and the inputs inside it. So its
//! weakest existential precondition needs no rule for each operation: a literal about the state
//! behind it, evaluated in the state that the command makes of an arbitrary one, is its
//! precondition (`wep(x := a, φ) = φ[x ↦ a]`, with memory as C means it), and what the command
//! assumes is the path condition of that state.

use super::graph::{Step, Word};
use cfa::expr::ExprId;
use cfa::op::{InputId, Op};
use cfa::place::callee;
use cfa::program::{EdgeId, FuncId};
use cfa::value::Ty;
use encoding::algebra::sort_of;
use encoding::layout::Layout;
use encoding::path::Path;
use encoding::state::State;
use encoding::step::{After, Encoder, Instances};
use encoding::unwind::{InputPoint, InstancePoint};
use logic::{Cube, Term, TermPool};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// One of the commands that a large block is split into.
pub(super) struct Partial {
    pub(super) word: Word,
    /// What it makes of an arbitrary state.
    pub(super) after: State,
    /// What must hold before it: `wep(cmd, true)`.
    pub(super) assumes: Cube,
    /// Executions do not end in an error, but in what has no formula.
    pub(super) beyond: Option<String>,
}

/// What came of executing a word.
#[derive(Default)]
pub(super) struct Executed {
    pub(super) after: Option<State>,
    /// Where it is, if there is a state behind.
    pub(super) calls: Vec<EdgeId>,
    /// Executions that leave what formulas can say, and why.
    pub(super) beyond: Vec<(Path, String)>,
    pub(super) inputs: Vec<InputPoint>,
    pub(super) instances: Vec<InstancePoint>,
}

/// Addresses of objects that begin inside words: the same each time.
#[derive(Default)]
pub(super) struct Addresses(FxHashMap<(String, u64), u64>);

/// The conjuncts of a conjunction of terms.
pub(super) fn conjuncts(pool: &TermPool, terms: impl IntoIterator<Item = Term>) -> Cube {
    terms
        .into_iter()
        .flat_map(|term| pool.conjuncts(term))
        .collect()
}

/// How the inputs of a word are named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// By the place: a word passes it once.
    ByPlace,
    /// By the number of the step, from this one on: a whole execution.
    ByStep(usize),
}

/// Executes a word from a state with these calls.
pub(super) fn execute(
    encoder: &mut Encoder<'_>,
    addresses: &mut Addresses,
    (start, calls): (State, &[EdgeId]),
    word: &[Step],
    naming: Naming,
) -> Executed {
    let mut run = Run {
        encoder,
        addresses,
        calls: calls.to_vec(),
        found: Executed::default(),
    };
    let mut state = start;
    for (number, &step) in word.iter().enumerate() {
        let name = match naming {
            Naming::ByPlace => format!("{:?}", run.calls),
            Naming::ByStep(first) => format!("step{}", first + number),
        };
        match run.step(state, step, &name) {
            Some(next) => state = next,
            None => return run.found,
        }
    }
    run.found.after = Some(state);
    run.found.calls = run.calls;
    run.found
}

struct Run<'a, 'p> {
    encoder: &'a mut Encoder<'p>,
    addresses: &'a mut Addresses,
    calls: Vec<EdgeId>,
    found: Executed,
}

impl Run<'_, '_> {
    fn beyond(&mut self, path: Path, what: &str, edge: EdgeId) {
        let program = self.encoder.program;
        let place = program.describe(program.edge(edge).span);
        let why = format!("{place}: {what} cannot be encoded");
        self.found.beyond.push((path, why));
    }

    /// Executions that ended at an access outside every object.
    fn take_invalid(&mut self, edge: EdgeId) {
        for path in std::mem::take(&mut self.encoder.invalid) {
            self.beyond(path, "access outside every object", edge);
        }
    }

    fn step(&mut self, state: State, step: Step, name: &str) -> Option<State> {
        let program = self.encoder.program;
        match step {
            Step::Return => Some(self.leave(state)),
            Step::TooDeep(edge) => {
                self.beyond(state.path, "deep recursion", edge);
                None
            }
            Step::Edge(edge) => match program.edge_op(edge) {
                Op::Call { function, args, .. } => self.enter(state, edge, *function, args),
                op => self.apply(state, edge, op, name),
            },
        }
    }

    fn apply(&mut self, state: State, edge: EdgeId, op: &Op, name: &str) -> Option<State> {
        let mut instances = WordInstances {
            name: format!("{}!{name}", edge.0),
            addresses: self.addresses,
            taken: None,
            placed: None,
        };
        let after = self.encoder.apply(&state, op, &mut instances);
        let (taken, placed) = (instances.taken, instances.placed);
        self.take_invalid(edge);
        if let (Some((address, size)), Some(object)) = (placed, op.begins()) {
            let path = state.path.clone();
            self.found.instances.push(InstancePoint {
                object,
                address,
                size,
                path,
            });
        }
        if let Some((input, ty, value)) = taken {
            self.found.inputs.push(InputPoint {
                point: Rc::from([]),
                input,
                ty,
                value,
                path: state.path.clone(),
            });
        }
        match after {
            After::Nothing => None,
            After::State(next) => Some(next),
            After::Beyond(path, what) => {
                self.beyond(path, &what.0, edge);
                None
            }
            After::Both(next, path, what) => {
                self.beyond(path, &what.0, edge);
                Some(next)
            }
        }
    }

    fn enter(
        &mut self,
        mut state: State,
        edge: EdgeId,
        function: FuncId,
        args: &[ExprId],
    ) -> Option<State> {
        let path = state.path.clone();
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            let value = self.encoder.value(&mut state, arg);
            self.take_invalid(edge);
            match value {
                Ok(value) => values.push(value?),
                Err(what) => {
                    self.beyond(path, &what.0, edge);
                    return None;
                }
            }
        }
        state.enter(function);
        let program = self.encoder.program;
        for (&param, value) in program.function(function).params.iter().zip(values) {
            state.set(&self.encoder.slots, param, value);
        }
        self.calls.push(edge);
        Some(state)
    }

    fn leave(&mut self, mut state: State) -> State {
        let Some(call) = self.calls.pop() else {
            return state;
        };
        match callee(self.encoder.program, call) {
            Some(function) => self.encoder.return_from(function, call, &mut state),
            None => state.leave(),
        }
        state
    }
}

struct WordInstances<'a> {
    name: String,
    addresses: &'a mut Addresses,
    taken: Option<(InputId, Ty, Term)>,
    placed: Option<(u64, u64)>,
}

impl Instances for WordInstances<'_> {
    fn input(&mut self, pool: &mut TermPool, input: InputId, ty: Ty) -> Term {
        let value = pool.var(&format!("input!{}", self.name), sort_of(ty));
        self.taken = Some((input, ty, value));
        value
    }

    fn unknown(&mut self, pool: &mut TermPool, ty: Ty) -> Term {
        pool.var(&format!("unknown!{}", self.name), sort_of(ty))
    }

    fn address(&mut self, layout: &mut Layout, size: u64, align: u64) -> Option<u64> {
        let key = (self.name.clone(), size);
        let address = match self.addresses.0.get(&key) {
            Some(&address) => address,
            None => {
                let address = layout.reserve(size, align)?;
                self.addresses.0.insert(key, address);
                address
            }
        };
        self.placed = Some((address, size));
        Some(address)
    }
}
