//! Invariants by abstract interpretation: one state for each place, widened at loop heads, then
//! narrowed.
//!
//! F. Bourdoncle, *Efficient chaotic iteration strategies with widenings*, FMPA 1993: places are
//! visited in the weak topological order of their function, inner loops until they are stable,
//! calls before what follows them. Widening uses the program's constants, their neighbours and the
//! bounds of types as thresholds; after the ascending iteration a few descending ones recover what
//! was given up, and a last ascending one makes sure that the result is inductive.
//!
//! The result is a map from places (call strings and locations) to expressions, and a proof if no
//! error location is reached and every execution was followed.

use crate::disjuncts::Disjuncts;
use crate::importance;
use crate::numeric::NumericState;
use crate::numeric::choice::{Domain, WithDomain};
use crate::numeric::express::Writer;
use crate::numeric::placed::Placement;
use crate::numeric::transfer::Transfer;
use crate::place::{Automaton, Beyond, CallPlace, StackId, Step};
use crate::precision::Variables;
use crate::thresholds;
use cfa::expr::ExprId;
use cfa::op::Op;
use cfa::place::CallPattern;
use cfa::program::{EdgeId, LocId, Program};
use domains::numeric::NumericDomain;
use domains::thresholds::Thresholds;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::Reason;
use facts::invariants::{Invariant, InvariantMap};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::rc::Rc;

mod states;

pub use states::{AbstractStates, Posts, Way, generate_states_on};

/// One abstract interpretation of the whole program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct InvariantOptions {
    /// The abstract domain.
    pub domain: Domain,
    /// Track floats too.
    pub handle_floats: bool,
    /// How many variables are tracked, the most important ones first; all if absent.
    pub tracked: Option<usize>,
    /// Widening stops at the program's constants and the bounds of types.
    pub thresholds: bool,
    /// Publish invariants of all locations, not only of loop heads.
    pub everywhere: bool,
    /// Visits of a loop head before widening.
    pub widening_delay: u32,
    /// Descending iterations after the fixpoint.
    pub narrowing: u32,
    /// Abstract states that are kept apart at one location.
    pub disjuncts: usize,
    /// Nested activations of one function that call strings tell apart.
    pub recursion: u32,
    /// Pairs of call string and location after which the analysis gives up.
    pub places: usize,
    /// Take objects to lie somewhere, so that pointers are known: a guess that has to be checked.
    pub placed: bool,
}

impl Default for InvariantOptions {
    fn default() -> Self {
        InvariantOptions {
            domain: Domain::All,
            handle_floats: true,
            tracked: None,
            thresholds: true,
            everywhere: false,
            widening_delay: 2,
            narrowing: 3,
            disjuncts: 1,
            recursion: 2,
            places: 100_000,
            placed: false,
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Invariants {
    pub map: InvariantMap,
    /// The expressions may say less than the states did: they hold, but need not be inductive.
    pub lost: bool,
    /// No error location is reached, and every execution was followed: the map is a proof.
    pub is_proof: bool,
    /// Why it is no proof, if it is none.
    pub reason: Option<Reason>,
    /// Error locations that the states do not exclude.
    pub reached: Vec<LocId>,
    /// Visits of places, for statistics.
    pub visits: u64,
}

impl Invariants {
    pub fn why_no_proof(&self) -> Reason {
        let reason = self.reason.clone();
        reason.unwrap_or_else(|| "the invariants do not prove the property".into())
    }

    /// The proof, if it is one.
    pub fn certificate(&self) -> Option<Certificate> {
        if !self.is_proof {
            return None;
        }
        Some(Certificate::Graph(self.map.clone().into()))
    }
}

/// Analyses the program; the error says why there is no result.
pub fn generate(
    program: &Program,
    options: &InvariantOptions,
    budget: &Budget,
) -> Result<Invariants, Reason> {
    struct Task<'a> {
        program: &'a Program,
        options: &'a InvariantOptions,
        budget: &'a Budget,
    }
    impl WithDomain for Task<'_> {
        type Output = Result<Invariants, Reason>;

        fn run<D: NumericDomain + 'static>(self, top: D) -> Self::Output {
            let (program, options, budget) = (self.program, self.options, self.budget);
            let fixpoint = Fixpoint::new(program, None, options, budget, top);
            Ok(fixpoint.solve()?.finish())
        }
    }
    options.domain.with(Task {
        program,
        options,
        budget,
    })
}

fn placement(program: &Program, options: &InvariantOptions) -> Option<Placement> {
    options.placed.then(|| Placement::new(program))
}

/// Where a place comes in the order of visits: for each activation the position of the call and its
/// edge, then the position of the place.
type Position = Rc<[u32]>;

struct Cell<D> {
    place: CallPlace,
    position: Position,
    is_head: bool,
    state: Option<Disjuncts<D>>,
    visits: u32,
    /// Steps that lead here, with the number of the cell that they come from.
    incoming: Vec<(usize, Step)>,
}

struct Fixpoint<'a, D> {
    automaton: Automaton<'a>,
    transfer: Transfer<'a>,
    /// Those that are followed; all if nothing is said.
    edges: Option<&'a FxHashSet<EdgeId>>,
    options: &'a InvariantOptions,
    budget: &'a Budget,
    thresholds: Thresholds,
    tracked: Variables,
    top: D,
    cells: Vec<Cell<D>>,
    index: FxHashMap<CallPlace, usize>,
    prefixes: FxHashMap<StackId, Position>,
    queue: BTreeSet<(Position, usize)>,
    beyond: Vec<Beyond>,
    visits: u64,
    /// Nothing is followed beyond.
    end: Option<CallPlace>,
}

/// Widening that goes on longer than this drops the thresholds.
const PATIENT_VISITS: u32 = 40;

impl<'a, D: NumericDomain> Fixpoint<'a, D> {
    fn new(
        program: &'a Program,
        edges: Option<&'a FxHashSet<EdgeId>>,
        options: &'a InvariantOptions,
        budget: &'a Budget,
        top: D,
    ) -> Self {
        Fixpoint {
            automaton: Automaton::new(program, options.recursion.max(1)),
            transfer: Transfer::new(program, options.handle_floats)
                .placed(placement(program, options)),
            edges,
            options,
            budget,
            thresholds: match options.thresholds {
                true => thresholds::of_program(program),
                false => Thresholds::none(),
            },
            tracked: match options.tracked {
                Some(count) => importance::most_important(program, count),
                None => Variables::All,
            },
            top,
            cells: Vec::new(),
            index: FxHashMap::default(),
            prefixes: FxHashMap::default(),
            queue: BTreeSet::new(),
            beyond: Vec::new(),
            visits: 0,
            end: None,
        }
    }

    fn prefix(&mut self, stack: StackId) -> Position {
        if let Some(known) = self.prefixes.get(&stack) {
            return known.clone();
        }
        // From the bottom up: a stack's prefix extends that of the one below.
        let mut missing = Vec::new();
        let mut current = stack;
        while let Some((call, below)) = self.automaton.stacks.top(current) {
            if self.prefixes.contains_key(&current) {
                break;
            }
            missing.push((current, call, below));
            current = below;
        }
        for (stack, call, below) in missing.into_iter().rev() {
            let below = self.prefixes.get(&below).cloned().unwrap_or_default();
            let source = self.automaton.program.edge(call).source;
            let mut prefix = below.to_vec();
            prefix.push(self.position_in_function(source));
            prefix.push(call.0);
            self.prefixes.insert(stack, prefix.into());
        }
        self.prefixes.get(&stack).cloned().unwrap_or_default()
    }

    fn position_in_function(&mut self, location: LocId) -> u32 {
        let function = self.automaton.program.location(location).function;
        let order = self.automaton.order(function);
        order.position(location).unwrap_or(u32::MAX)
    }

    fn cell(&mut self, place: CallPlace) -> usize {
        if let Some(&known) = self.index.get(&place) {
            return known;
        }
        let mut position = self.prefix(place.stack).to_vec();
        position.push(self.position_in_function(place.location));
        let is_head = self.automaton.is_loop_head(place.location);
        let number = self.cells.len();
        self.cells.push(Cell {
            place,
            position: position.into(),
            is_head,
            state: None,
            visits: 0,
            incoming: Vec::new(),
        });
        self.index.insert(place, number);
        number
    }

    fn enqueue(&mut self, cell: usize) {
        let position = self.cells[cell].position.clone();
        self.queue.insert((position, cell));
    }

    fn solve(mut self) -> Result<Self, Reason> {
        let entry = self.automaton.entry();
        let entry = self.cell(entry);
        self.cells[entry].state = Some(self.anything());
        self.enqueue(entry);
        self.ascend()?;
        for _ in 0..self.options.narrowing {
            if !self.descend()? {
                break;
            }
        }
        // Transfer functions need not be monotone: make sure that what is left is inductive.
        for cell in 0..self.cells.len() {
            self.enqueue(cell);
        }
        self.ascend()?;
        Ok(self)
    }

    fn anything(&self) -> Disjuncts<D> {
        Disjuncts::one(NumericState::new(self.top.clone()))
    }

    fn follows(&self, edge: EdgeId) -> bool {
        self.edges.is_none_or(|edges| edges.contains(&edge))
    }

    /// What a step makes of the states.
    fn after(
        transfer: &mut Transfer<'a>,
        tracked: &Variables,
        most: usize,
        states: &Disjuncts<D>,
        step: &Step,
    ) -> Option<Disjuncts<D>> {
        states.map(most, |state| transfer.apply(state, step, tracked))
    }

    fn check_budget(&self) -> Result<(), Reason> {
        if self.budget.is_exhausted() {
            return Err(Reason::out_of_time());
        }
        if self.cells.len() > self.options.places {
            return Err("too many call contexts".into());
        }
        Ok(())
    }

    /// Visits waiting places until none is left.
    fn ascend(&mut self) -> Result<(), Reason> {
        let mut steps = Vec::new();
        while let Some((_, cell)) = self.queue.pop_first() {
            self.check_budget()?;
            self.visits += 1;
            let place = self.cells[cell].place;
            if self.cells[cell].state.is_none() || self.end == Some(place) {
                continue;
            }
            let mut beyond = Vec::new();
            self.automaton.steps(place, &mut steps, &mut beyond);
            for what in beyond {
                self.leave_scope(cell, what);
            }
            for step in steps.drain(..) {
                if !self.follows(step.edge) {
                    continue;
                }
                let Some(states) = &self.cells[cell].state else {
                    break;
                };
                let most = self.options.disjuncts;
                let (transfer, tracked) = (&mut self.transfer, &self.tracked);
                if let Some(after) = Self::after(transfer, tracked, most, states, &step) {
                    self.arrive(cell, step, after);
                }
            }
        }
        Ok(())
    }

    /// Executions that are not followed. After a recursion that goes too deep anything may hold;
    /// after something unsupported there is nothing.
    fn leave_scope(&mut self, cell: usize, what: Beyond) {
        if let Beyond::Unsupported(edge, _) = &what
            && !self.follows(*edge)
        {
            return;
        }
        if let Beyond::Recursion(function) = &what {
            let place = self.cells[cell].place;
            let program = self.automaton.program;
            let calls: Vec<EdgeId> = program
                .location(place.location)
                .outgoing
                .iter()
                .copied()
                .filter(|&edge| self.follows(edge))
                .filter(|&edge| {
                    matches!(program.edge_op(edge), Op::Call { function: f, .. } if f == function)
                })
                .collect();
            if calls.is_empty() {
                return;
            }
            for call in calls {
                let step = Step {
                    edge: call,
                    kind: crate::place::StepKind::Return,
                    source: place,
                    target: CallPlace {
                        location: program.edge(call).target,
                        stack: place.stack,
                    },
                };
                // What the callee may change is everything but the locals of other functions; a
                // state that says nothing is simplest.
                let anything = self.anything();
                self.arrive(cell, step, anything);
            }
        }
        if !self.beyond.contains(&what) {
            self.beyond.push(what);
        }
    }

    fn arrive(&mut self, source: usize, step: Step, new: Disjuncts<D>) {
        let most = self.options.disjuncts;
        let target = self.cell(step.target);
        let cell = &mut self.cells[target];
        if !cell
            .incoming
            .iter()
            .any(|(from, other)| *from == source && other.edge == step.edge)
        {
            cell.incoming.push((source, step));
        }
        let state = match &cell.state {
            None => new,
            Some(old) if new.leq(old) => return,
            Some(old) if cell.is_head && cell.visits >= self.options.widening_delay => {
                let joined = old.join(&new, most);
                if cell.visits > PATIENT_VISITS {
                    old.widen(&joined, &Thresholds::none())
                } else {
                    old.widen(&joined, &self.thresholds)
                }
            }
            Some(old) => old.join(&new, most),
        };
        cell.state = Some(state);
        cell.visits += 1;
        self.enqueue(target);
    }

    /// One descending iteration over all places; says whether anything changed.
    fn descend(&mut self) -> Result<bool, Reason> {
        let mut order: Vec<usize> = (0..self.cells.len()).collect();
        order.sort_by(|&a, &b| self.cells[a].position.cmp(&self.cells[b].position));
        let entry = self.index.get(&self.automaton.entry()).copied();
        let mut changed = false;
        for cell in order {
            self.check_budget()?;
            if Some(cell) == entry || self.cells[cell].state.is_none() {
                continue;
            }
            self.visits += 1;
            let most = self.options.disjuncts;
            let mut joined: Option<Disjuncts<D>> = None;
            for (source, step) in self.cells[cell].incoming.clone() {
                let after = if self.is_beyond(&step) {
                    Some(self.anything())
                } else {
                    let (transfer, tracked) = (&mut self.transfer, &self.tracked);
                    let states = self.cells[source].state.as_ref();
                    states.and_then(|states| Self::after(transfer, tracked, most, states, &step))
                };
                if let Some(after) = after {
                    joined = Some(match joined {
                        None => after,
                        Some(others) => others.join(&after, most),
                    });
                }
            }
            let is_head = self.cells[cell].is_head;
            let cell = &mut self.cells[cell];
            let state = match (&cell.state, joined) {
                (_, None) => None,
                (Some(old), Some(new)) if is_head => old.narrow(&new),
                (_, Some(new)) => Some(new),
            };
            if state != cell.state {
                changed = true;
                cell.state = state;
            }
        }
        Ok(changed)
    }

    /// A step that stands for a recursion that was not followed: a return to the activation that it
    /// came from.
    fn is_beyond(&self, step: &Step) -> bool {
        step.kind == crate::place::StepKind::Return && step.source.stack == step.target.stack
    }

    /// The cells that have an entry, in the order of the entries.
    fn shown(&self) -> Vec<usize> {
        let is_shown = |&number: &usize| {
            let cell = &self.cells[number];
            cell.state.is_some() && (cell.is_head || self.options.everywhere)
        };
        let mut order: Vec<usize> = (0..self.cells.len()).filter(is_shown).collect();
        order.sort_by(|&a, &b| self.cells[a].position.cmp(&self.cells[b].position));
        order
    }

    fn finish(&self) -> Invariants {
        let program = self.automaton.program;
        let mut writer = Writer::new(program);
        writer.placement = placement(program, self.options);
        let mut entries = Vec::new();
        let reached: BTreeSet<LocId> = (self.cells.iter())
            .filter(|cell| cell.state.is_some() && program.is_error(cell.place.location))
            .map(|cell| cell.place.location)
            .collect();
        for number in self.shown() {
            let cell = &self.cells[number];
            let states = cell.state.iter().flat_map(Disjuncts::states);
            let said: Vec<ExprId> = states.map(|state| writer.state(state)).collect();
            let said = said.into_iter();
            let holds = said.reduce(|one, other| writer.pool.or(one, other));
            let holds = holds.unwrap_or_else(|| writer.pool.bool_constant(false));
            entries.push(Invariant {
                calls: CallPattern::Exactly(self.automaton.stacks.call_string(cell.place.stack)),
                location: cell.place.location,
                holds,
            });
        }
        let reason = match (reached.last(), self.beyond.first()) {
            (Some(&location), _) => {
                let place = program.describe(program.location(location).span);
                Some(format!("{place}: the invariants do not exclude the violation").into())
            }
            (None, Some(beyond)) => Some(Reason::Unsupported(beyond.describe(program))),
            (None, None) => None,
        };
        Invariants {
            lost: writer.take_lost() || self.options.placed,
            map: InvariantMap {
                by: "abstract-interpretation".into(),
                pool: writer.pool,
                entries,
            },
            is_proof: reason.is_none(),
            reason,
            reached: reached.into_iter().collect(),
            visits: self.visits,
        }
    }
}
