//! Continuous precision refinement: algorithm 3 of 000.

use super::analysis::{InvariantsCpa, InvariantsPrecision};
use crate::algorithm::{AlgorithmOptions, CpaAlgorithm, Ended, ExplorationOf};
use crate::cegar::fraction;
use crate::composite::{Whole, whole};
use crate::numeric::express::Writer;
use crate::place::Automaton;
use crate::proof::{self, Expressible};
use crate::trail::Storage;
use cfa::expr::VarId;
use cfa::live;
use cfa::op::Op;
use cfa::place::CallPattern;
use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Board, Outcome};
use facts::invariants::{Invariant, InvariantMap};
use serde::{Deserialize, Serialize};

/// One way to make a precision finer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Increase {
    /// `n := n + 1`.
    Depth,
    /// The next variable into `Y`.
    Important,
    /// `w := false`.
    NoWidening,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct InvariantsCpaOptions {
    /// `n` at the start.
    pub depth: u32,
    /// `w` at the start.
    pub widening: bool,
    /// How many variables are in `Y` at the start.
    pub important: usize,
    /// The order of refinement; after the last it begins again.
    pub refinement: Vec<Increase>,
    /// `n` is not increased beyond.
    pub most_depth: u32,
    /// `Y` gets no more variables.
    pub most_important: usize,
    pub threshold_widening: bool,
    /// The part of the time left that one round may take.
    pub round_limit: f64,
    /// Rounds with more states at loop heads are not published.
    pub most_states: usize,
    /// Activations of one function at a time that are followed.
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

/// Variables in the order in which they become important: those that conditions read most often come first.
pub fn by_importance(program: &Program) -> Vec<VarId> {
    let mut read = vec![0u32; program.vars.len()];
    for edge in &program.edges {
        if let Op::Assume(condition) = program.op(edge.op) {
            for var in live::variables(program, *condition) {
                read[var.0 as usize] += 1;
            }
        }
    }
    let mut order: Vec<VarId> = (0..program.vars.len() as u32)
        .map(VarId)
        .filter(|&var| read[var.0 as usize] > 0 && !program.var(var).ty.is_float())
        .collect();
    order.sort_by_key(|var| (std::cmp::Reverse(read[var.0 as usize]), var.0));
    order
}

/// `RefinePrec(π)`, where `rounds` were done before; `None` if no finer one is configured.
pub fn refine(
    precision: &InvariantsPrecision,
    rounds: usize,
    options: &InvariantsCpaOptions,
    order: &[VarId],
) -> Option<InvariantsPrecision> {
    let increases = &options.refinement;
    for offset in 0..increases.len() {
        let mut finer = precision.clone();
        match increases[(rounds + offset) % increases.len()] {
            Increase::Depth if finer.depth < options.most_depth => finer.depth += 1,
            Increase::Important if finer.important.len() < options.most_important => {
                let next = order.iter().find(|var| !finer.important.contains(var));
                finer.important.extend(next);
            }
            Increase::NoWidening => finer.widening = false,
            Increase::Depth | Increase::Important => {}
        }
        if finer != *precision {
            return Some(finer);
        }
    }
    None
}

/// Runs until the program is proved, no finer precision is left, or the budget is exhausted. Publishes what each round
/// found under the given name.
pub fn run(
    program: &Program,
    name: &str,
    options: &InvariantsCpaOptions,
    board: &dyn Board,
    budget: &Budget,
) -> Outcome {
    let order = by_importance(program);
    let mut precision = InvariantsPrecision {
        important: order.iter().copied().take(options.important).collect(),
        depth: options.depth,
        widening: options.widening,
    };
    let mut writer = Writer::new(program);
    let mut published: Vec<Vec<Invariant>> = Vec::new();
    let mut reason = String::new();
    for round in 0.. {
        if budget.is_exhausted() {
            return Outcome::Unknown(format!("out of time in round {round}"));
        }
        board.progress(
            name,
            &format!(
                "precision: {} important variables, depth {}, {}",
                precision.important.len(),
                precision.depth,
                if precision.widening {
                    "widening"
                } else {
                    "no widening"
                }
            ),
        );
        let limit = fraction(budget, options.round_limit);
        let mut result = Round::explore(program, precision.clone(), options, &limit);
        board.count(name, "precisions", round as u64 + 1);
        board.count(
            name,
            "reached-states",
            result.exploration.reached.len() as u64,
        );
        match result.judge(budget) {
            Judged::Proof(certificate) => return Outcome::Answer(certificate),
            Judged::Target(why) => {
                reason = why;
                if let Some(entries) = result.disjunctions(&mut writer, options.most_states)
                    && !published.contains(&entries)
                {
                    published.push(entries.clone());
                    board.publish(InvariantMap {
                        by: name.into(),
                        pool: writer.pool.clone(),
                        entries,
                    });
                }
            }
            Judged::Unfinished(why) => reason = why,
        }
        match refine(&precision, round, options, &order) {
            Some(finer) => precision = finer,
            None => break,
        }
    }
    Outcome::Unknown(reason)
}

enum Judged {
    Proof(Certificate),
    /// Complete, but a target or something that is not followed is reached.
    Target(String),
    Unfinished(String),
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

    fn judge(&mut self, budget: &Budget) -> Judged {
        let program = self.algorithm.automaton.program;
        match self.ended {
            Ended::OutOfTime => return Judged::Unfinished("a round ran out of time".into()),
            Ended::OutOfMemory => return Judged::Unfinished("a round ran out of memory".into()),
            Ended::Complete | Ended::Target(_) => {}
        }
        if let Some(&target) = self.exploration.targets.first() {
            let location = self.exploration.reached.state(target).0.0;
            let place = program.describe(program.location(location).span);
            return Judged::Target(format!("{place}: the violation could not be excluded"));
        }
        if let Some(beyond) = self.exploration.beyond.first() {
            return Judged::Unfinished(beyond.describe(program));
        }
        let graph = proof::annotation(
            &mut self.algorithm.automaton,
            &self.algorithm.cpa,
            &self.exploration.reached,
            budget,
        );
        match graph {
            Some(graph) => Judged::Proof(Certificate::Graph(graph)),
            None => Judged::Unfinished("out of time".into()),
        }
    }

    /// For each loop head the disjunction of its states; `None` if there are too many, or executions that were not
    /// followed.
    fn disjunctions(&mut self, writer: &mut Writer<'p>, most: usize) -> Option<Vec<Invariant>> {
        if !self.exploration.beyond.is_empty() {
            return None;
        }
        let automaton = &mut self.algorithm.automaton;
        let reached = &self.exploration.reached;
        let mut places = reached.places();
        places.retain(|place| automaton.is_loop_head(place.location));
        let states: usize = places.iter().map(|&place| reached.at(place).len()).sum();
        if states > most {
            return None;
        }
        let mut entries = Vec::new();
        for place in places {
            let mut holds = writer.pool.bool_constant(false);
            for &node in reached.at(place) {
                let state = self
                    .algorithm
                    .cpa
                    .second
                    .express(&reached.state(node).1, writer);
                holds = writer.pool.or(holds, state);
            }
            entries.push(Invariant {
                calls: CallPattern::Exactly(automaton.stacks.call_string(place.stack)),
                location: place.location,
                holds,
            });
        }
        Some(entries)
    }
}
