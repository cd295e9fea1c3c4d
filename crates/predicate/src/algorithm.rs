//! The algorithm: lazy abstraction over the graph of blocks (Stieglmaier2016: T. Stieglmaier,
//! *Augmenting Predicate Analysis with Auxiliary Invariants*, 2016, section 2.3.5; algorithm CPA
//! and CEGAR of sections 2.3.2 and 2.3.4).
//!
//! | Stieglmaier2016 | here |
//! |---|---|
//! | waitlist, reached set | [`super::tree::Tree`] |
//! | transfer and `prec` | [`Analysis::expand`] with the successors of [`super::exploration`] |
//! | `stop` | [`Analysis::is_covered`] |
//! | abstract counterexample, feasibility, refinement | [`Analysis::refine`] |
//!
//! Deviation: a refinement begins while states wait, at the first abstract counterexample (lazy
//! abstraction), and the exploration goes on with the tree that it leaves.

use super::abstraction::Undecided;
use super::analysis::Analysis;
use super::counterexample::{self, Feasibility};
use super::trace::Trace;
use super::tree::NodeId;
use control::clock;
use facts::engine::Outcome;
use induction::graph::{BlockId, ROOT, Target};
use logic::Term;
use logic::bdd::Bdd;

/// How the exploration went on after an abstract counterexample.
pub(super) enum Refined {
    /// The tree has changed.
    Progress,
    Done(Outcome),
    /// The path is possible, but leads where formulas end.
    LeadsBeyond,
}

/// A spurious counterexample.
#[derive(Clone, Copy)]
pub(super) struct Spurious<'a> {
    /// The abstract states on the path.
    pub nodes: &'a [NodeId],
    pub trace: &'a Trace,
    /// For each block, the conditions that contradict one another.
    pub core: &'a [Vec<Term>],
    /// No refinement has met the path before.
    pub is_first: bool,
}

impl Analysis<'_> {
    pub(super) fn search(&mut self) -> Outcome {
        if let Some(outcome) = self.prepare() {
            return outcome;
        }
        self.tree.add(ROOT, Bdd::TRUE, 0, None);
        while let Some(node) = self.tree.take_waiting() {
            if let Some(reason) = self.limit_reached() {
                return Outcome::Unknown(reason);
            }
            if self.is_beyond_bound(node) || self.is_covered(node) {
                continue;
            }
            match self.expand(node) {
                Ok(None) => {}
                Ok(Some(outcome)) => return outcome,
                Err(Undecided(why)) => return Outcome::Unknown(self.undecided("solver", &why)),
            }
        }
        self.conclude()
    }

    /// Successors over all blocks.
    fn expand(&mut self, node: NodeId) -> Result<Option<Outcome>, Undecided> {
        let psi = self.tree.node(node).psi;
        for general in self.blocks_from(node) {
            let block = self.specialised(general, psi);
            if let Target::Place(target) = self.graph.block(block).target {
                self.add_successors(node, block, target)?;
                continue;
            }
            let is_accepted = self.is_accepted_beyond(general);
            if is_accepted || !self.is_passable(block, psi)? || self.postpone(node, block) {
                continue;
            }
            match self.refine(node, block) {
                Refined::Progress => {
                    // The node itself may be gone; if not, it has not seen all of its blocks.
                    self.tree.wait(node);
                    return Ok(None);
                }
                Refined::Done(outcome) => return Ok(Some(outcome)),
                Refined::LeadsBeyond => self.accept_beyond(general, block),
            }
        }
        Ok(None)
    }

    /// An abstract counterexample: a violation, or spurious and a reason to look closer.
    fn refine(&mut self, node: NodeId, last: BlockId) -> Refined {
        let begin = clock::now();
        let (nodes, mut blocks) = self.tree.path(node);
        blocks.push(last);
        let trace = Trace::new(&mut self.graph, blocks, false);
        let refined = match counterexample::check(&mut self.graph, &trace, &self.budget.stop) {
            Feasibility::Undecided(why) => {
                let reason = self.undecided("the solver could not decide a path", &why);
                Refined::Done(Outcome::Unknown(reason))
            }
            Feasibility::Feasible => self.execute(node, &trace),
            Feasibility::Infeasible(_) if self.recompute_stale(&nodes) => Refined::Progress,
            Feasibility::Infeasible(core) => {
                let is_first = self.count_refinement(&trace.blocks);
                let spurious = Spurious {
                    nodes: &nodes,
                    trace: &trace,
                    core: &core,
                    is_first,
                };
                self.refute_spurious(spurious)
            }
        };
        self.statistics.refinement_time += clock::since(begin);
        refined
    }
}
