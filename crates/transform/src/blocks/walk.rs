//! Walks over commands: what a command does to a state (forward: strongest postconditions, abstract
//! states) or to a condition (backward: weakest existential preconditions).

use super::{Command, CommandId, GuardedBlocks};
use cfa::program::EdgeId;

/// What edges do to states, in one direction.
pub trait Transformer {
    type State: Clone;
    /// The state behind the edge (backward: before it); `None` if there is none.
    fn edge(&mut self, edge: EdgeId, state: Self::State) -> Option<Self::State>;
    /// The union of two or more, in the order of the alternatives.
    fn join(&mut self, states: Vec<Self::State>) -> Option<Self::State>;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

enum Task<S> {
    /// Changes the state on top.
    Run(CommandId),
    /// Puts a state on top and runs the command on it.
    Begin(S, CommandId),
    /// The states of so many alternatives on top become one.
    Join(usize),
}

impl GuardedBlocks {
    /// What the command makes of a state.
    pub fn forward<T: Transformer>(
        &self,
        command: CommandId,
        state: T::State,
        transformer: &mut T,
    ) -> Option<T::State> {
        self.walk(command, state, transformer, Direction::Forward)
    }

    /// What a state behind the command was before it.
    pub fn backward<T: Transformer>(
        &self,
        command: CommandId,
        state: T::State,
        transformer: &mut T,
    ) -> Option<T::State> {
        self.walk(command, state, transformer, Direction::Backward)
    }

    fn walk<T: Transformer>(
        &self,
        command: CommandId,
        state: T::State,
        transformer: &mut T,
        direction: Direction,
    ) -> Option<T::State> {
        let mut states: Vec<Option<T::State>> = Vec::new();
        let mut tasks = vec![Task::Begin(state, command)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Begin(state, command) => {
                    states.push(Some(state));
                    tasks.push(Task::Run(command));
                }
                Task::Run(command) => {
                    let Some(state) = states.pop().flatten() else {
                        states.push(None);
                        continue;
                    };
                    match self.command(command) {
                        Command::Edge(edge) => states.push(transformer.edge(*edge, state)),
                        Command::Sequence(a, b) => {
                            states.push(Some(state));
                            let (first, second) = match direction {
                                Direction::Forward => (*a, *b),
                                Direction::Backward => (*b, *a),
                            };
                            tasks.extend([Task::Run(second), Task::Run(first)]);
                        }
                        Command::Choice(all) => {
                            tasks.push(Task::Join(all.len()));
                            let begin = |&one| Task::Begin(state.clone(), one);
                            tasks.extend(all.iter().rev().map(begin));
                        }
                    }
                }
                Task::Join(count) => {
                    let first = states.len().saturating_sub(count);
                    let mut some: Vec<T::State> = states.drain(first..).flatten().collect();
                    states.push(match some.len() {
                        0 | 1 => some.pop(),
                        _ => transformer.join(some),
                    });
                }
            }
        }
        states.pop().flatten()
    }
}

/// The ways that were gone.
pub(super) struct Trails;

impl Transformer for Trails {
    type State = Vec<Vec<EdgeId>>;

    fn edge(&mut self, edge: EdgeId, mut words: Vec<Vec<EdgeId>>) -> Option<Vec<Vec<EdgeId>>> {
        for word in &mut words {
            word.push(edge);
        }
        Some(words)
    }

    fn join(&mut self, words: Vec<Vec<Vec<EdgeId>>>) -> Option<Vec<Vec<EdgeId>>> {
        Some(words.concat())
    }
}
