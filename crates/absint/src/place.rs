//! Where an execution is: a location and the calls that it is inside of; and the steps from there.

use cfa::op::{Halt, Op};
use cfa::order::Order;
use cfa::program::{EdgeId, FuncId, LocId, Program};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A call stack, by number; equal stacks have equal numbers. See [`CallStacks`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct StackId(pub u32);

impl StackId {
    /// Of the function where the program starts.
    pub const EMPTY: StackId = StackId(0);
}

/// A [`cfa::place::Place`] whose calls are a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CallPlace {
    pub location: LocId,
    pub stack: StackId,
}

#[derive(Clone, Copy, Debug)]
struct TopOfStack {
    call: EdgeId,
    below: StackId,
    depth: u32,
}

/// All call stacks that occurred, each with the call edge on its top and the stack below.
#[derive(Clone, Debug, Default)]
pub struct CallStacks {
    /// Of the stack with the number one greater.
    tops: Vec<TopOfStack>,
    index: FxHashMap<(StackId, EdgeId), StackId>,
}

impl CallStacks {
    pub fn push(&mut self, stack: StackId, call: EdgeId) -> StackId {
        let depth = self.depth(stack) + 1;
        let tops = &mut self.tops;
        *self.index.entry((stack, call)).or_insert_with(|| {
            tops.push(TopOfStack {
                call,
                below: stack,
                depth,
            });
            StackId(tops.len() as u32)
        })
    }

    /// The call edge that the running function was entered through, and the stack of its caller.
    pub fn top(&self, stack: StackId) -> Option<(EdgeId, StackId)> {
        let index = stack.0.checked_sub(1)?;
        let top = self.tops.get(index as usize)?;
        Some((top.call, top.below))
    }

    /// The number of calls.
    pub fn depth(&self, stack: StackId) -> u32 {
        stack
            .0
            .checked_sub(1)
            .and_then(|index| self.tops.get(index as usize))
            .map_or(0, |top| top.depth)
    }

    /// The call edges, outermost first.
    pub fn call_string(&self, stack: StackId) -> Vec<EdgeId> {
        let mut calls = Vec::new();
        let mut current = stack;
        while let Some((call, below)) = self.top(current) {
            calls.push(call);
            current = below;
        }
        calls.reverse();
        calls
    }

    /// How many activations of the function the stack holds, the running one included.
    fn activations(&self, program: &Program, stack: StackId, function: FuncId) -> u32 {
        let mut count = u32::from(program.entry == function);
        let mut current = stack;
        while let Some((call, below)) = self.top(current) {
            if let Op::Call { function: f, .. } = program.edge_op(call) {
                count += u32::from(*f == function);
            }
            current = below;
        }
        count
    }
}

/// What a step over an edge does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StepKind {
    /// The edge's operation, which is no call.
    Operation,
    /// Into the function that the edge calls: parameters are assigned.
    Call,
    /// Out of the function that the edge called: the result is assigned.
    Return,
}

/// An edge of the automaton with calls followed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// Of a return: the call edge that is returned over.
    pub edge: EdgeId,
    pub kind: StepKind,
    pub source: CallPlace,
    pub target: CallPlace,
}

/// Executions that an analysis does not follow, so that it proves nothing about them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Beyond {
    Recursion(FuncId),
    Unsupported(EdgeId, String),
}

impl Beyond {
    pub fn describe(&self, program: &Program) -> String {
        match self {
            Beyond::Recursion(function) => format!(
                "the recursion of {} exceeds the depth limit of the analysis",
                program.function_name(*function)
            ),
            Beyond::Unsupported(edge, what) => {
                let place = program.describe(program.edge(*edge).span);
                format!("{place}: {what} is not supported")
            }
        }
    }
}

/// A program as one automaton whose places are locations with call stacks.
pub struct Automaton<'p> {
    pub program: &'p Program,
    pub stacks: CallStacks,
    /// Activations of one function at a time that are followed.
    pub recursion_limit: u32,
    orders: Vec<Option<Rc<Order>>>,
}

impl<'p> Automaton<'p> {
    pub fn new(program: &'p Program, recursion_limit: u32) -> Automaton<'p> {
        Automaton {
            program,
            stacks: CallStacks::default(),
            recursion_limit,
            orders: vec![None; program.functions.len()],
        }
    }

    /// Where executions begin.
    pub fn entry(&self) -> CallPlace {
        CallPlace {
            location: self.program.function(self.program.entry).entry,
            stack: StackId::EMPTY,
        }
    }

    /// The weak topological order of a function.
    pub fn order(&mut self, function: FuncId) -> Rc<Order> {
        let program = self.program;
        self.orders[function.0 as usize]
            .get_or_insert_with(|| Rc::new(Order::of(program, function)))
            .clone()
    }

    pub fn is_loop_head(&mut self, location: LocId) -> bool {
        let function = self.program.location(location).function;
        self.order(function).loop_of_head(location).is_some()
    }

    /// All steps that lead away from a place, in the order of the edges. Executions that are not
    /// followed go to `beyond`.
    pub fn steps(&mut self, source: CallPlace, steps: &mut Vec<Step>, beyond: &mut Vec<Beyond>) {
        let program = self.program;
        let location = program.location(source.location);
        for &edge_id in &location.outgoing {
            let edge = program.edge(edge_id);
            let (kind, target) = match program.op(edge.op) {
                Op::Call { function, .. } => {
                    let active = self.stacks.activations(program, source.stack, *function);
                    if active >= self.recursion_limit {
                        beyond.push(Beyond::Recursion(*function));
                        continue;
                    }
                    let target = CallPlace {
                        location: program.function(*function).entry,
                        stack: self.stacks.push(source.stack, edge_id),
                    };
                    (StepKind::Call, target)
                }
                Op::Halt(Halt::Unsupported(what)) => {
                    beyond.push(Beyond::Unsupported(edge_id, what.clone()));
                    continue;
                }
                Op::Halt(_) => continue,
                _ => {
                    let target = CallPlace {
                        location: edge.target,
                        stack: source.stack,
                    };
                    (StepKind::Operation, target)
                }
            };
            steps.push(Step {
                edge: edge_id,
                kind,
                source,
                target,
            });
        }
        if program.function(location.function).exit == source.location
            && let Some((call, below)) = self.stacks.top(source.stack)
        {
            steps.push(Step {
                edge: call,
                kind: StepKind::Return,
                source,
                target: CallPlace {
                    location: program.edge(call).target,
                    stack: below,
                },
            });
        }
    }
}
