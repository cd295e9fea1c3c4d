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

use crate::algorithm::{AlgorithmOptions, CpaAlgorithm, Ended, ExplorationOf};
use crate::composite::{Whole, whole};
use crate::counterexample::{self, Checked};
use crate::formalism::Cpa;
use crate::outline;
use crate::proof::{self, Expressible, Size};
use crate::reached::NodeId;
use absint::numeric::express::Writer;
use absint::place::{Automaton, Step};
use absint::precision::Variables;
use absint::publication::publish;
use cfa::expr::VarId;
use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Board, Outcome, Reason};
use facts::invariants::InvariantMap;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What is done with the reached set when the precision grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// All of it.
    Eager,
    /// The states from the first one on that the new precision changes.
    #[default]
    Lazy,
    /// All of it, and only after the whole state space was explored.
    Global,
}

/// How a path is refuted by tracking more variables.
pub trait Refiner {
    /// Variables that make the path infeasible if they are tracked, and the number of the step from
    /// which on the abstraction changes; `None` if the analysis cannot refute the path whatever it
    /// tracks.
    fn refute(&mut self, path: &[Step], budget: &Budget) -> Option<(Vec<VarId>, usize)>;

    /// Variables that tell a path that was rejected from others to the same place: what its
    /// conditions depend on.
    fn tell_apart(&mut self, path: &[Step]) -> Vec<VarId>;
}

/// Refinements that track as little as possible. If more are needed, the variables are needed
/// together, and each refinement that leaves some of them out explores more states than all of them
/// would: then all are taken that a path's conditions depend on.
const FEW_REFINEMENTS: u64 = 12;

/// Facts that are worth telling: whoever reads more would need longer for them than without them.
const PUBLISHED: Size = Size {
    states: 50,
    parts: 2_000,
};
/// What following the rest of an exploration that was given up may take, for the sake of others.
const LONGEST_REST: Duration = Duration::from_secs(3);
const PART_OF_TIME: f64 = 0.05;

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
    precision: Variables,
    refinements: u64,
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
    C: Cpa<Precision = Variables> + Expressible,
{
    pub fn new(
        program: &'p Program,
        cpa: C,
        precision: Variables,
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
        refiner: Option<&mut dyn Refiner>,
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
        mut refiner: Option<&mut dyn Refiner>,
        mut recheck: Option<PathCheck<'_>>,
    ) -> Outcome {
        let mut totals = (0, 0);
        loop {
            let ended = self.algorithm.run(exploration, self.budget);
            self.report(exploration, totals);
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
                if self.algorithm.cpa.exclude(&steps, self.budget) {
                    self.count_refinement();
                    self.restart(exploration, &mut totals);
                    continue;
                }
                let is_many = self.refinements >= FEW_REFINEMENTS;
                let refuted = refiner
                    .as_deref_mut()
                    .and_then(|refiner| refuted(refiner, &steps, is_many, self.budget));
                if let Some((variables, cut)) = refuted
                    && self.refine(exploration, &path, &variables, cut, &mut totals)
                {
                    continue;
                }
                if let Some(answer) = self.judge(&steps, &mut recheck) {
                    let is_violation = matches!(answer, Outcome::Answer(_));
                    self.violation = is_violation.then_some(target);
                    if !is_violation && self.options.merges {
                        self.follow_rest(exploration);
                    }
                    return answer;
                }
                // Other ways to the same place may have been taken for this one.
                let more = refiner.as_deref_mut().map(|r| r.tell_apart(&steps));
                let more = more.unwrap_or_default();
                if self.precision.with(&more) != self.precision {
                    self.precision = self.precision.with(&more);
                    self.restart(exploration, &mut totals);
                } else {
                    self.ignored += 1;
                }
            }
        }
    }

    fn report(&self, exploration: &ExplorationOf<Whole<'p, C>>, (states, successors): (u64, u64)) {
        let (name, board) = (&self.options.name, self.board);
        let statistics = &exploration.statistics;
        board.count(name, "reached-states", exploration.reached.len() as u64);
        board.count(name, "states", states + statistics.expanded);
        board.count(name, "successors", successors + statistics.successors);
        board.count(name, "refinements", self.refinements);
        board.count(name, "alarms-rejected", u64::from(self.rejected));
    }

    /// Is an alarm real? `None` if it was rejected.
    fn judge(&mut self, steps: &[Step], recheck: &mut Option<PathCheck<'_>>) -> Option<Outcome> {
        if self.budget.is_exhausted() {
            return Some(Outcome::Unknown(Reason::out_of_time()));
        }
        let program = self.algorithm.automaton.program;
        let place = steps.last().map_or_else(String::new, |step| {
            program.describe(program.edge(step.edge).span)
        });
        let is_possible = recheck
            .as_mut()
            .is_none_or(|recheck| recheck(steps, self.budget));
        let verdict = if is_possible {
            counterexample::check(program, steps, self.budget)
        } else {
            Checked::Infeasible
        };
        match verdict {
            Checked::Violation(certificate) => return Some(Outcome::Answer(certificate)),
            Checked::Infeasible => {
                self.last_alarm =
                    format!("{place}: the analysis cannot exclude a spurious counterexample");
            }
            Checked::Undecided(reason) => self.last_alarm = format!("{place}: {reason}"),
        }
        self.rejected += 1;
        (self.rejected >= self.options.alarms)
            .then(|| Outcome::Unknown(self.last_alarm.as_str().into()))
    }

    /// Tracks more variables; `false` if that would change nothing.
    fn refine(
        &mut self,
        exploration: &mut ExplorationOf<Whole<'p, C>>,
        path: &[(NodeId, Step)],
        variables: &[VarId],
        cut: usize,
        totals: &mut (u64, u64),
    ) -> bool {
        let refined = self.precision.with(variables);
        let grows = refined != self.precision;
        if !grows && self.since_start == 0 {
            return false;
        }
        self.precision = refined;
        self.count_refinement();
        self.since_start += 1;
        // The state before the cut is expanded again; of the first one nothing would be left.
        let root = path[cut.clamp(1, path.len() - 1)].0;
        let is_first = Some(root) == path.first().map(|(node, _)| *node);
        if self.options.strategy == Strategy::Lazy && grows && !is_first {
            let precision = self.precision.clone();
            self.algorithm
                .change_precisions(exploration, |_, (places, _)| (*places, precision.clone()));
            self.algorithm.remove_subtrees(exploration, &[root]);
        } else {
            self.restart(exploration, totals);
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

    fn restart(&mut self, exploration: &mut ExplorationOf<Whole<'p, C>>, totals: &mut (u64, u64)) {
        totals.0 += exploration.statistics.expanded;
        totals.1 += exploration.statistics.successors;
        *exploration = self.start();
    }

    /// Brings an exploration that was given up because of its alarms to its end, whatever else is
    /// reached, for what it then says. It is not looked at again.
    fn follow_rest(&mut self, exploration: &mut ExplorationOf<Whole<'p, C>>) {
        let left = self.budget.left().map(|left| left.mul_f64(PART_OF_TIME));
        let limit = left.map_or(LONGEST_REST, |left| left.min(LONGEST_REST));
        let limit = self.budget.within(limit);
        loop {
            match self.algorithm.run(exploration, &limit) {
                Ended::Target(_) => {}
                Ended::Complete => return self.publish(exploration),
                Ended::OutOfTime | Ended::OutOfMemory => return,
            }
        }
    }

    /// Publishes the states of an exploration that has come to its end.
    fn publish(&mut self, exploration: &ExplorationOf<Whole<'p, C>>) {
        if !exploration.beyond.is_empty() || self.budget.is_exhausted() {
            return;
        }
        let automaton = &mut self.algorithm.automaton;
        let program = automaton.program;
        let mut writer = Writer::new(program);
        let (cpa, reached) = (&self.algorithm.cpa, &exploration.reached);
        let entries = proof::disjunctions(automaton, cpa, reached, &mut writer, PUBLISHED);
        let Some(entries) = entries.filter(|entries| !entries.is_empty()) else {
            return;
        };
        let lost = writer.take_lost();
        let map = InvariantMap {
            by: self.options.name.clone(),
            pool: writer.pool,
            entries,
        };
        publish(program, map, lost, self.board, self.budget);
    }

    fn complete(&mut self, exploration: &ExplorationOf<Whole<'p, C>>) -> Outcome {
        if self.ignored > 0 {
            self.publish(exploration);
            return Outcome::Unknown(self.last_alarm.as_str().into());
        }
        if let Some(beyond) = exploration.beyond.first() {
            let program = self.algorithm.automaton.program;
            return Outcome::Unknown(Reason::Unsupported(beyond.describe(program)));
        }
        let graph = proof::annotation(
            &mut self.algorithm.automaton,
            &self.algorithm.cpa,
            &exploration.reached,
            self.budget,
        );
        match graph {
            Some((graph, _)) => Outcome::Answer(Certificate::Graph(graph)),
            None => Outcome::Unknown(Reason::out_of_time()),
        }
    }
}

/// What refutes the path, with all that its conditions depend on if there were many refinements.
fn refuted(
    refiner: &mut dyn Refiner,
    path: &[Step],
    is_many: bool,
    budget: &Budget,
) -> Option<(Vec<VarId>, usize)> {
    let (mut variables, cut) = refiner.refute(path, budget)?;
    if !is_many {
        return Some((variables, cut));
    }
    variables.extend(refiner.tell_apart(path));
    Some((variables, 0))
}
