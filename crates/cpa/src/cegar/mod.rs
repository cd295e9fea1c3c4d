//! Counterexample-guided abstraction refinement: algorithm 2 of Stieglmaier2014: T.
//! Stieglmaier, *Octagon-Based Software Verification with CPAchecker*, 2014 (section 2.4).
//!
//! | paper | here |
//! |---|---|
//! | `extractErrorPath(reached)` | [`crate::reached::ReachedSet::path`] |
//! | `isFeasible(σ)` | the refiner, then [`crate::counterexample`] |
//! | `Refine(σ)` | [`Refiner`] |
//! | `reached := (e₀, π)` | [`Strategy::Eager`] |
//!
//! Deviations: with [`Strategy::Lazy`] only the part of the reached set from the cut point on is
//! removed; with [`Strategy::Global`] paths are refuted only after the whole state space was
//! explored (Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis with Auxiliary
//! Invariants*, 2016, section 2.3.4). A path that the analysis cannot refute is an answer only if
//! its formula has a model that the interpreter confirms; otherwise it is an alarm that was
//! rejected, and the search goes on for a real violation, although a proof is out of reach. If it
//! ends without one, everything was explored: then the states at loop heads are no proof, but
//! invariants, and are published.

mod conclusions;
mod refiner;

pub use refiner::{Alarm, NoRefiner, Refinement, Refiner, Strategy};

use crate::algorithm::{AlgorithmOptions, CpaAlgorithm, Ended, ExplorationOf};
use crate::composite::{Whole, whole};
use crate::formalism::Cpa;
use crate::outline;
use crate::proof::Expressible;
use crate::reached::NodeId;
use absint::place::{Automaton, Step};
use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::{Board, Outcome, Reason};

pub struct CegarOptions {
    pub name: String,
    pub algorithm: AlgorithmOptions,
    pub strategy: Strategy,
    pub recursion: u32,
    /// Alarms that are rejected before the analysis gives up.
    pub alarms: u32,
    /// States are merged, so that the rest of an exploration that is given up is soon followed.
    pub merges: bool,
}

/// A more precise look at one path.
pub type PathCheck<'a> = &'a mut dyn FnMut(&[Step], &Budget) -> bool;

pub struct Cegar<'a, 'p, C: Cpa> {
    options: CegarOptions,
    board: &'a dyn Board,
    budget: &'a Budget,
    algorithm: CpaAlgorithm<'p, Whole<'p, C>>,
    precision: C::Precision,
    refinements: u64,
    /// States expanded and successors computed before the exploration was started anew.
    before: (u64, u64),
    rejected: u32,
    /// Alarms that were rejected and left in the reached set as it is now: with them it is no
    /// proof.
    ignored: u32,
    last_alarm: String,
    /// Refinements since the exploration was started: what is left of an older precision may need a
    /// new start.
    since_start: u32,
    /// The state at the violation that was found.
    violation: Option<NodeId>,
}

impl<'a, 'p, C> Cegar<'a, 'p, C>
where
    C: Expressible,
    C::Precision: PartialEq,
{
    pub fn new(
        program: &'p Program,
        cpa: C,
        precision: C::Precision,
        options: CegarOptions,
        board: &'a dyn Board,
        budget: &'a Budget,
    ) -> Cegar<'a, 'p, C> {
        let automaton = Automaton::new(program, options.recursion);
        let mut algorithm_options = options.algorithm.clone();
        algorithm_options.collect_targets |= options.strategy == Strategy::Global;
        let algorithm = CpaAlgorithm::new(automaton, whole(program, cpa), algorithm_options);
        Cegar {
            options,
            board,
            budget,
            algorithm,
            precision,
            refinements: 0,
            before: (0, 0),
            rejected: 0,
            ignored: 0,
            last_alarm: String::new(),
            since_start: 0,
            violation: None,
        }
    }

    /// Bytes that the analysis uses besides its reached set.
    pub fn with_memory(mut self, memory_of: fn(&Whole<'p, C>, usize) -> usize) -> Self {
        self.algorithm.memory_of = memory_of;
        self
    }

    fn start(&mut self) -> ExplorationOf<Whole<'p, C>> {
        let (state, (places, _)) = self.algorithm.cpa.initial();
        let precision = (places, self.precision.clone());
        self.since_start = 0;
        self.ignored = 0;
        self.algorithm.start_with(state, precision)
    }

    /// Runs until there is an answer or none can be had. `refiner` refutes paths by more precision;
    /// `recheck` looks at a path more precisely than the analysis did and says whether it seems
    /// possible.
    pub fn run(
        &mut self,
        refiner: &mut dyn Refiner<C::Precision>,
        recheck: Option<PathCheck<'_>>,
    ) -> Outcome {
        let mut exploration = self.start();
        let outcome = self.search(&mut exploration, refiner, recheck);
        if self.board.wants_graphs() {
            let name = &self.options.name;
            let graph = outline::graph(name, &mut self.algorithm, &exploration, self.violation);
            self.board.graph(graph);
        }
        outcome
    }

    fn search(
        &mut self,
        exploration: &mut ExplorationOf<Whole<'p, C>>,
        refiner: &mut dyn Refiner<C::Precision>,
        mut recheck: Option<PathCheck<'_>>,
    ) -> Outcome {
        loop {
            let ended = self.algorithm.run(exploration, self.budget);
            self.report(exploration);
            match ended {
                Ended::OutOfTime => return Outcome::Unknown(Reason::out_of_time()),
                Ended::OutOfMemory => return Outcome::Unknown(Reason::OutOfMemory),
                Ended::Complete if exploration.targets.is_empty() => {
                    return self.complete(exploration);
                }
                Ended::Complete | Ended::Target(_) => {}
            }
            while let Some(target) = exploration.targets.pop() {
                let path: Vec<(NodeId, Step)> = self.algorithm.path(exploration, target);
                let steps: Vec<Step> = path.iter().map(|(_, step)| *step).collect();
                let alarm = self.alarm(&steps, false);
                let refined = refiner.refine(&alarm, &self.precision, self.budget);
                if refined.is_some_and(|refined| self.refine(exploration, &path, refined)) {
                    continue;
                }
                if let Some(answer) = self.judge(&steps, &mut recheck) {
                    return self.conclude(exploration, target, answer);
                }
                // Other ways to the same place may have been taken for this one.
                let alarm = self.alarm(&steps, true);
                match refiner.refine(&alarm, &self.precision, self.budget) {
                    Some(refined) => {
                        self.precision = refined.precision;
                        self.restart(exploration);
                    }
                    None => self.ignored += 1,
                }
            }
        }
    }

    fn alarm<'s>(&self, path: &'s [Step], is_rejected: bool) -> Alarm<'s> {
        Alarm {
            path,
            refinements: self.refinements,
            is_rejected,
        }
    }

    /// Goes on with another precision; `false` if that would change nothing.
    fn refine(
        &mut self,
        exploration: &mut ExplorationOf<Whole<'p, C>>,
        path: &[(NodeId, Step)],
        refined: Refinement<C::Precision>,
    ) -> bool {
        let grows = refined.precision != self.precision;
        if !grows && self.since_start == 0 {
            return false;
        }
        self.precision = refined.precision;
        self.count_refinement();
        self.since_start += 1;
        // The state before the cut is expanded again; of the first one nothing would be left.
        let root = refined
            .cut
            .map(|cut| path[cut.max(1).min(path.len() - 1)].0);
        let root = root.filter(|&root| root != path[0].0);
        match root {
            Some(root) if self.options.strategy == Strategy::Lazy && grows => {
                let precision = self.precision.clone();
                self.algorithm
                    .change_precisions(exploration, |_, (places, _)| (*places, precision.clone()));
                self.algorithm.remove_subtrees(exploration, &[root]);
            }
            _ => self.restart(exploration),
        }
        true
    }

    fn count_refinement(&mut self) {
        self.refinements += 1;
        let (name, board) = (&self.options.name, self.board);
        if self.refinements.is_power_of_two() {
            board.progress(name, &format!("refinement {}", self.refinements));
        }
    }

    fn restart(&mut self, exploration: &mut ExplorationOf<Whole<'p, C>>) {
        self.before.0 += exploration.statistics.expanded;
        self.before.1 += exploration.statistics.successors;
        *exploration = self.start();
    }
}
