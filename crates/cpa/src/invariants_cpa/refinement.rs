//! The Invariants CPA as a generator whose precision grows: algorithm 3 of Stieglmaier2016: T.
//! Stieglmaier, *Augmenting Predicate Analysis with Auxiliary Invariants*, 2016 (see
//! [`absint::continuous`]).

use super::analysis::{InvariantsCpa, InvariantsPrecision};
use crate::algorithm::{AlgorithmOptions, CpaAlgorithm, Ended, ExplorationOf};
use crate::composite::{Whole, whole};
use crate::proof::{self, Size};
use crate::trail::Storage;
use absint::continuous::{self, Refinable};
use absint::importance;
use absint::numeric::express::Writer;
use absint::place::Automaton;
use cfa::expr::VarId;
use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Board, Outcome, Reason};
use facts::invariants::InvariantMap;
use serde::{Deserialize, Serialize};

/// One way to make a precision finer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Increase {
    /// Deeper expressions: `n := n + 1`.
    Depth,
    /// One more important variable in `Y`.
    Important,
    /// No widening: `w := false`.
    NoWidening,
}

/// The Invariants CPA (Stieglmaier2016, section 2.3.6), refined from round to round. Its precision
/// is `(Y, n, w)`: important variables, depth of expressions, widening.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct InvariantsCpaOptions {
    /// The first depth of expressions, `n`.
    pub depth: u32,
    /// Widen at first, `w`.
    pub widening: bool,
    /// The number of important variables at first, those in `Y`.
    pub important: usize,
    /// Refinement steps, applied in turn.
    pub refinement: Vec<Increase>,
    /// The largest depth of expressions.
    pub most_depth: u32,
    /// The largest number of important variables.
    pub most_important: usize,
    /// Widening stops at the program's constants and the bounds of types.
    pub threshold_widening: bool,
    /// The share of the time left that one round may take.
    pub round_limit: f64,
    /// Rounds with more states than this at loop heads publish nothing.
    pub most_states: usize,
    /// Nested activations of one function that are followed.
    pub recursion: u32,
}

impl Default for InvariantsCpaOptions {
    fn default() -> Self {
        InvariantsCpaOptions {
            depth: 1,
            widening: true,
            important: 0,
            refinement: vec![Increase::Depth, Increase::Important, Increase::Important],
            most_depth: 4,
            most_important: 12,
            threshold_widening: true,
            round_limit: 0.25,
            most_states: 200,
            recursion: 2,
        }
    }
}

/// Runs until the program is proved, no finer precision is left, or the budget is exhausted.
/// Publishes what each round found under the given name.
pub fn run(
    program: &Program,
    name: &str,
    options: &InvariantsCpaOptions,
    board: &dyn Board,
    budget: &Budget,
) -> Outcome {
    let mut refined = Refined::new(program, name, options);
    continuous::run(program, name, &mut refined, board, budget)
}

/// The analysis of one program.
pub(super) struct Refined<'a> {
    program: &'a Program,
    name: &'a str,
    options: &'a InvariantsCpaOptions,
    /// Variables as they become important.
    order: Vec<VarId>,
}

impl<'a> Refined<'a> {
    pub(super) fn new(
        program: &'a Program,
        name: &'a str,
        options: &'a InvariantsCpaOptions,
    ) -> Refined<'a> {
        Refined {
            program,
            name,
            options,
            order: importance::by_conditions(program),
        }
    }
}

impl Refinable for Refined<'_> {
    type Precision = InvariantsPrecision;
    type Direction = Increase;

    fn first(&self) -> InvariantsPrecision {
        let important = self.order.iter().copied().take(self.options.important);
        InvariantsPrecision {
            important: important.collect(),
            depth: self.options.depth,
            widening: self.options.widening,
        }
    }

    fn directions(&self) -> &[Increase] {
        &self.options.refinement
    }

    fn finer(
        &self,
        precision: &InvariantsPrecision,
        direction: Increase,
    ) -> Option<InvariantsPrecision> {
        let mut finer = precision.clone();
        match direction {
            Increase::Depth if finer.depth < self.options.most_depth => finer.depth += 1,
            Increase::Important if finer.important.len() < self.options.most_important => {
                let next = self.order.iter().find(|var| !finer.important.contains(var));
                finer.important.extend(next);
            }
            Increase::NoWidening => finer.widening = false,
            Increase::Depth | Increase::Important => {}
        }
        (finer != *precision).then_some(finer)
    }

    fn describe(&self, precision: &InvariantsPrecision) -> String {
        format!(
            "{} important variables, depth {}, {}",
            precision.important.len(),
            precision.depth,
            match precision.widening {
                true => "widening",
                false => "no widening",
            }
        )
    }

    fn round_limit(&self) -> f64 {
        self.options.round_limit
    }

    fn round(
        &mut self,
        precision: &InvariantsPrecision,
        board: &dyn Board,
        limit: &Budget,
    ) -> continuous::Round {
        let round = Round::explore(self.program, precision.clone(), self.options, limit);
        let reached = round.exploration.reached.len();
        board.count(self.name, "reached-states", reached as u64);
        round.judge(self.options, limit)
    }
}

struct Round<'p> {
    algorithm: CpaAlgorithm<'p, Whole<'p, InvariantsCpa<'p>>>,
    exploration: ExplorationOf<Whole<'p, InvariantsCpa<'p>>>,
    ended: Ended,
}

impl<'p> Round<'p> {
    fn explore(
        program: &'p Program,
        precision: InvariantsPrecision,
        options: &InvariantsCpaOptions,
        budget: &Budget,
    ) -> Round<'p> {
        let cpa = InvariantsCpa::new(program, precision, options.threshold_widening);
        let automaton = Automaton::new(program, options.recursion.max(1));
        let algorithm_options = AlgorithmOptions {
            collect_targets: true,
            storage: Storage::AtJoins,
            ..AlgorithmOptions::default()
        };
        let mut algorithm = CpaAlgorithm::new(automaton, whole(program, cpa), algorithm_options);
        let mut exploration = algorithm.start();
        let ended = algorithm.run(&mut exploration, budget);
        Round {
            algorithm,
            exploration,
            ended,
        }
    }

    fn judge(mut self, options: &InvariantsCpaOptions, budget: &Budget) -> continuous::Round {
        let program = self.algorithm.automaton.program;
        let unfinished = |reason: &str| continuous::Round::Unfinished(reason.into());
        match self.ended {
            Ended::OutOfTime => return unfinished("a round ran out of time"),
            Ended::OutOfMemory => return unfinished("a round ran out of memory"),
            Ended::Complete | Ended::Target(_) => {}
        }
        if let Some(&target) = self.exploration.targets.first() {
            let location = self.exploration.reached.state(target).0.0;
            let place = program.describe(program.location(location).span);
            let (facts, lost) = self.facts(options.most_states);
            return continuous::Round::Found {
                facts,
                lost,
                reason: format!("{place}: the invariants do not exclude the violation").into(),
            };
        }
        // A finer precision may exclude what is not followed.
        if let Some(beyond) = self.exploration.beyond.first() {
            return continuous::Round::Found {
                facts: None,
                lost: false,
                reason: Reason::Unsupported(beyond.describe(program)),
            };
        }
        let graph = proof::annotation(
            &mut self.algorithm.automaton,
            &self.algorithm.cpa,
            &self.exploration.reached,
            budget,
        );
        let Some((graph, lost)) = graph else {
            return unfinished("out of time");
        };
        continuous::Round::Proof {
            certificate: Certificate::Graph(graph),
            lost,
        }
    }

    /// For each loop head the disjunction of its states, and whether something could not be said;
    /// nothing if there are too many states, or executions that were not followed.
    fn facts(&mut self, most_states: usize) -> (Option<InvariantMap>, bool) {
        if !self.exploration.beyond.is_empty() {
            return (None, false);
        }
        let mut writer = Writer::new(self.algorithm.automaton.program);
        let most = Size {
            states: most_states,
            parts: usize::MAX,
        };
        let (cpa, reached) = (&self.algorithm.cpa, &self.exploration.reached);
        let automaton = &mut self.algorithm.automaton;
        let entries = proof::disjunctions(automaton, cpa, reached, &mut writer, most);
        let lost = writer.take_lost();
        let facts = entries.map(|entries| InvariantMap {
            by: "invariants-cpa".into(),
            pool: writer.pool,
            entries,
        });
        (facts, lost)
    }
}
