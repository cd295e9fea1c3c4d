//! What a search ends with: alarms that are judged, proofs, what others are told, statistics.

use super::{Cegar, PathCheck};
use crate::algorithm::{Ended, ExplorationOf};
use crate::composite::Whole;
use crate::counterexample::{self, Checked};
use crate::proof::{self, Expressible, Size};
use crate::reached::NodeId;
use absint::numeric::express::Writer;
use absint::place::Step;
use absint::publication::publish;
use facts::certificate::Certificate;
use facts::engine::{Outcome, Reason};
use facts::invariants::InvariantMap;
use std::time::Duration;

/// Facts that are worth telling: whoever reads more would need longer for them than without them.
const PUBLISHED: Size = Size {
    states: 50,
    parts: 2_000,
};
/// What following the rest of an exploration that was given up may take, for the sake of others.
const LONGEST_REST: Duration = Duration::from_secs(3);
const PART_OF_TIME: f64 = 0.05;

impl<'p, C> Cegar<'_, 'p, C>
where
    C: Expressible,
    C::Precision: PartialEq,
{
    pub(super) fn report(&self, exploration: &ExplorationOf<Whole<'p, C>>) {
        let (name, board) = (&self.options.name, self.board);
        let (states, successors) = self.before;
        let statistics = &exploration.statistics;
        board.count(name, "reached-states", exploration.reached.len() as u64);
        board.count(name, "states", states + statistics.expanded);
        board.count(name, "successors", successors + statistics.successors);
        board.count(name, "refinements", self.refinements);
        board.count(name, "alarms-rejected", u64::from(self.rejected));
    }

    /// Is an alarm real? `None` if it was rejected.
    pub(super) fn judge(
        &mut self,
        steps: &[Step],
        recheck: &mut Option<PathCheck<'_>>,
    ) -> Option<Outcome> {
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

    /// Ends with what was judged at a target.
    pub(super) fn conclude(
        &mut self,
        exploration: &mut ExplorationOf<Whole<'p, C>>,
        target: NodeId,
        answer: Outcome,
    ) -> Outcome {
        let is_violation = matches!(answer, Outcome::Answer(_));
        self.violation = is_violation.then_some(target);
        if !is_violation && self.options.merges {
            self.follow_rest(exploration);
        }
        answer
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

    /// Everything was explored.
    pub(super) fn complete(&mut self, exploration: &ExplorationOf<Whole<'p, C>>) -> Outcome {
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
