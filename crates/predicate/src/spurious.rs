//! Abstract counterexamples: feasible ones are executed, spurious ones refuted.

use super::algorithm::{Refined, Spurious};
use super::analysis::Analysis;
use super::counterexample;
use super::options::RefinementKind;
use super::prefixes;
use super::refinement;
use super::trace::Trace;
use super::tree::NodeId;
use facts::engine::Outcome;
use induction::graph::{BlockId, Target};
use std::time::Duration;

impl Analysis<'_> {
    /// The inputs of a feasible path to a violation.
    pub(super) fn execute(&mut self, node: NodeId, trace: &Trace) -> Refined {
        let last = trace.blocks.last().map(|&last| self.graph.block(last));
        let error = match last.map(|last| &last.target) {
            Some(Target::Beyond(_)) => return Refined::LeadsBeyond,
            Some(&Target::Error(location)) => Some(location),
            _ => None,
        };
        let (blocks, stop) = (trace.blocks.clone(), self.budget.stop.clone());
        let outcome = match counterexample::inputs(&mut self.graph, blocks, &stop) {
            Ok(certificate) => {
                self.violation = error.map(|location| (node, location));
                Outcome::Answer(certificate)
            }
            Err(how) => Outcome::Unknown(counterexample::no_execution(&how)),
        };
        Refined::Done(outcome)
    }

    /// Counts a refinement of the path; is it the first one?
    pub(super) fn count_refinement(&mut self, blocks: &[BlockId]) -> bool {
        self.statistics.refinements += 1;
        let number = self.statistics.refinements;
        self.board
            .progress(self.name, &format!("refinement {number}"));
        let times = self.refined.entry(blocks.to_vec()).or_insert(0);
        *times += 1;
        *times == 1
    }

    pub(super) fn refute_spurious(&mut self, spurious: Spurious) -> Refined {
        self.compare_sources(spurious.nodes, spurious.trace, spurious.core);
        if self.statistics.refinements == 1 && self.refine_statically() {
            self.cut_back(spurious.nodes, 1);
            return Refined::Progress;
        }
        self.refute_prefix(spurious)
    }

    /// Refutes the chosen one of the path's infeasible prefixes; if that does not help, the whole
    /// path.
    fn refute_prefix(&mut self, spurious: Spurious) -> Refined {
        let stop = refinement::part(&self.budget.stop, 0.2, Duration::from_secs(5));
        let choice = self.options.prefixes;
        let chosen = prefixes::choose(&mut self.graph, spurious.trace, choice, &stop);
        if let Some((prefix, core)) = chosen {
            let part = Spurious {
                nodes: &spurious.nodes[..prefix.blocks.len()],
                trace: &prefix,
                core: &core,
                is_first: spurious.is_first,
            };
            match self.refute(part) {
                Refined::Done(Outcome::Unknown(_)) => {}
                refined => return refined,
            }
        }
        self.refute(spurious)
    }

    /// Other paths may have brought predicates to places of this one since its abstractions were
    /// computed: before anything new is looked for, the first such abstraction is computed again.
    pub(super) fn recompute_stale(&mut self, nodes: &[NodeId]) -> bool {
        for (step, &node) in nodes.iter().enumerate().skip(1) {
            let place = self.tree.node(node).place;
            if self.precision_at(place).len() > self.tree.node(node).predicates {
                self.cut_back(nodes, step);
                return true;
            }
        }
        false
    }

    /// The tree without what the changes at these nodes (of a path from the root) affect.
    pub(super) fn cut_back(&mut self, nodes: &[NodeId], first: usize) {
        match self.options.refinement {
            RefinementKind::Global => self.tree.restart(),
            RefinementKind::Lazy => {
                if first == 0 || first >= nodes.len() {
                    return;
                }
                self.tree.remove(nodes[first]);
            }
        }
    }
}
