//! The abstract states of a fixpoint, and abstract post from them: Hoare triples without a solver.
//!
//! Greitschus2017: M. Greitschus, D. Dietsch, A. Podelski: Refining Trace Abstraction using
//! Abstract Interpretation, 2017, section 3.1: a triple is valid if the abstract post of its first
//! state is within its second one.

use super::{Fixpoint, InvariantOptions, Invariants};
use crate::disjuncts::Disjuncts;
use crate::numeric::choice::WithDomain;
use crate::place::{CallPlace, StackId};
use cfa::program::{EdgeId, Program};
use domains::numeric::NumericDomain;
use facts::budget::Budget;
use facts::engine::Reason;
use rustc_hash::FxHashSet;

/// Analyses the part of the program that has these edges and no others (a call and its return are
/// one edge): what holds, and the abstract states behind the entries, which can be asked for more.
pub fn generate_states_on<'a>(
    program: &'a Program,
    edges: &'a FxHashSet<EdgeId>,
    options: &'a InvariantOptions,
    budget: &'a Budget,
) -> Result<(Invariants, Box<dyn AbstractStates + 'a>), Reason> {
    struct Task<'a> {
        program: &'a Program,
        edges: &'a FxHashSet<EdgeId>,
        options: &'a InvariantOptions,
        budget: &'a Budget,
    }
    impl<'a> WithDomain for Task<'a> {
        type Output = Result<(Invariants, Box<dyn AbstractStates + 'a>), Reason>;

        fn run<D: NumericDomain + 'static>(self, top: D) -> Self::Output {
            let (program, options, budget) = (self.program, self.options, self.budget);
            let fixpoint = Fixpoint::new(program, Some(self.edges), options, budget, top.clone());
            let fixpoint = fixpoint.solve()?;
            let found = fixpoint.finish();
            let of_entry = |number: usize| fixpoint.cells[number].state.clone();
            let states = fixpoint.shown().into_iter().filter_map(of_entry).collect();
            let states = States {
                program,
                options: InvariantOptions {
                    widening_delay: u32::MAX,
                    thresholds: false,
                    ..options.clone()
                },
                budget,
                top,
                states,
            };
            Ok((found, Box::new(states)))
        }
    }
    options.domain.with(Task {
        program,
        edges,
        options,
        budget,
    })
}

/// Edges from one place to another, with no loop between.
pub struct Way<'w> {
    pub from: &'w cfa::place::Place,
    /// Nothing: to any error location.
    pub to: Option<&'w cfa::place::Place>,
    pub edges: &'w FxHashSet<EdgeId>,
}

/// What abstract post says of a way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Posts {
    /// No execution from the state passes the way.
    Nothing,
    /// All end within the states of these entries.
    Within(Vec<usize>),
}

/// The abstract states of a fixpoint, by the numbers of the entries that say the same.
pub trait AbstractStates {
    /// Where executions that pass the way from the state of an entry end; the error says why that
    /// is not known.
    fn post(&self, before: Option<usize>, way: &Way<'_>) -> Result<Posts, Reason>;
}

struct States<'a, D> {
    program: &'a Program,
    options: InvariantOptions,
    budget: &'a Budget,
    top: D,
    states: Vec<Disjuncts<D>>,
}

impl<D: NumericDomain> AbstractStates for States<'_, D> {
    fn post(&self, before: Option<usize>, way: &Way<'_>) -> Result<Posts, Reason> {
        let (edges, top) = (Some(way.edges), self.top.clone());
        let fixpoint = Fixpoint::new(self.program, edges, &self.options, self.budget, top);
        let before = match before.and_then(|before| self.states.get(before)) {
            Some(states) => states.clone(),
            None => fixpoint.anything(),
        };
        let Some(after) = fixpoint.pass(way, &before)? else {
            return Ok(Posts::Nothing);
        };
        let entries = self.states.iter().enumerate();
        let entries = entries.filter(|(_, state)| after.leq(state));
        Ok(Posts::Within(entries.map(|(number, _)| number).collect()))
    }
}

impl<D: NumericDomain> Fixpoint<'_, D> {
    /// What becomes of the states on a way; nothing if no execution passes it.
    fn pass(
        mut self,
        way: &Way<'_>,
        before: &Disjuncts<D>,
    ) -> Result<Option<Disjuncts<D>>, Reason> {
        // Who is at an error location already needs no edge to it.
        if way.to.is_none() && self.automaton.program.is_error(way.from.location) {
            return Ok(Some(before.clone()));
        }
        let from = self.place_of(way.from);
        let to = way.to.map(|to| self.place_of(to));
        self.end = to;
        // The end may be where it begins: the states before are not those there.
        let source = self.cell(from);
        let (mut steps, mut beyond) = (Vec::new(), Vec::new());
        self.automaton.steps(from, &mut steps, &mut beyond);
        for what in beyond {
            self.leave_scope(source, what);
        }
        for step in steps {
            if !self.follows(step.edge) {
                continue;
            }
            let most = self.options.disjuncts;
            let (transfer, tracked) = (&mut self.transfer, &self.tracked);
            if let Some(after) = Self::after(transfer, tracked, most, before, &step) {
                self.arrive(source, step, after);
            }
        }
        self.ascend()?;
        if let Some(beyond) = self.beyond.first() {
            let program = self.automaton.program;
            return Err(Reason::Unsupported(beyond.describe(program)));
        }
        let mut cells = self.cells.into_iter();
        let program = self.automaton.program;
        let end = cells.find(|cell| match to {
            Some(to) => cell.place == to,
            None => program.is_error(cell.place.location) && cell.state.is_some(),
        });
        Ok(end.and_then(|cell| cell.state))
    }

    fn place_of(&mut self, place: &cfa::place::Place) -> CallPlace {
        let mut stack = StackId::EMPTY;
        for &call in &place.calls {
            stack = self.automaton.stacks.push(stack, call);
        }
        CallPlace {
            location: place.location,
            stack,
        }
    }
}
