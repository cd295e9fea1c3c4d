//! The steps of the exploration: what comes before and behind it, coverage, successors.

use super::abstraction::Undecided;
use super::analysis::Analysis;
use super::counterexample;
use super::families;
use super::options::InterpolantSource;
use super::predicates::PredicateId;
use super::proof;
use super::samples;
use super::specialised;
use super::stages::Stage;
use super::tree::NodeId;
use control::clock;
use facts::certificate::Certificate;
use facts::engine::{Outcome, Reason};
use facts::words::count;
use induction::graph::{BlockId, PlaceId, Target};
use logic::bdd::Bdd;

/// States that one is compared with by a solver.
const MAX_COMPARED_WITH_FACTS: usize = 6;

impl Analysis<'_> {
    /// Samples executions and takes what others know; an outcome where that is the end.
    pub(super) fn prepare(&mut self) -> Option<Outcome> {
        let sources = &self.options.interpolants;
        if sources.contains(&InterpolantSource::Proof) && !self.graph.solving.gives_proofs() {
            let text = "only the default solver provides proofs for interpolation: using the other sources of interpolants";
            self.board.progress(self.name, text);
        }
        self.board.progress(self.name, "sampling");
        let stop = self.budget.stop.clone();
        if let Some(run) = samples::collect(&self.graph, &stop, &mut self.samples) {
            return Some(Outcome::Answer(counterexample::certificate(&run)));
        }
        self.board.progress(self.name, "exploring");
        self.take_facts();
        let is_exploration = self.options.stage == Stage::Explore;
        if self.options.use_precision || is_exploration {
            let any = self.take_precisions();
            if is_exploration && !any {
                let reason = "no earlier analysis provided a precision";
                return Some(Outcome::Unknown(reason.into()));
            }
        }
        None
    }

    pub(super) fn limit_reached(&self) -> Option<Reason> {
        if self.budget.is_exhausted() {
            return Some(self.out_of_time());
        }
        let is_too_large = self.is_too_large_for_stage();
        is_too_large.then(|| "too many abstract states within the bound".into())
    }

    /// No state waits: a proof, unless the stage or formulas end before the program does.
    pub(super) fn conclude(&mut self) -> Outcome {
        if let Some(outcome) = self.finish_stage() {
            return outcome;
        }
        if let Some(reason) = &self.beyond {
            return Outcome::Unknown(Reason::Unsupported(reason.clone()));
        }
        let facts = self.facts_of_proof();
        let graph = proof::graph(
            &self.graph,
            &self.tree,
            &self.abstractions,
            &self.predicates,
            &facts,
        );
        Outcome::Answer(Certificate::Graph(graph))
    }

    /// Why there is no answer where a question was not decided.
    pub(super) fn undecided(&self, what: &str, why: &str) -> Reason {
        match self.budget.is_exhausted() {
            true => self.out_of_time(),
            false => Reason::Undecided(format!("{what}: {why}")),
        }
    }

    pub(super) fn out_of_time(&self) -> Reason {
        let mut text = format!(
            " after {} and {}",
            count(self.statistics.refinements, "refinement"),
            count(self.statistics.abstractions, "abstraction")
        );
        if let Some(divergence) = self.divergence() {
            text.push_str("; ");
            text.push_str(&divergence);
        }
        Reason::OutOfTime(text)
    }

    pub(super) fn is_covered(&mut self, node: NodeId) -> bool {
        let (place, psi) = (self.tree.node(node).place, self.tree.node(node).psi);
        // Within a bound, states of different iterations are different.
        let is_bounded = self.options.stage == Stage::Bounded;
        if is_bounded || !self.tree.node(node).children.is_empty() {
            return false;
        }
        let older = self.tree.could_cover(node);
        for &other in &older {
            let weaker = self.tree.node(other).psi;
            if self.abstractions.bdds.implies(psi, weaker) {
                self.tree.cover(node, other);
                return true;
            }
        }
        for &other in older.iter().rev().take(MAX_COMPARED_WITH_FACTS) {
            let weaker = self.tree.node(other).psi;
            if self.is_implied_with_facts(place, psi, weaker) {
                self.tree.cover(node, other);
                return true;
            }
        }
        false
    }

    /// The blocks that leave the node's place, whose facts are known from now on.
    pub(super) fn blocks_from(&mut self, node: NodeId) -> Vec<BlockId> {
        let place = self.tree.node(node).place;
        self.know_facts_of(place);
        let begin = clock::now();
        let blocks = self.graph.outgoing(place);
        self.statistics.block_time += clock::since(begin);
        blocks.to_vec()
    }

    /// The abstract states at the end of the block, unless the node has them.
    pub(super) fn add_successors(
        &mut self,
        node: NodeId,
        block: BlockId,
        target: PlaceId,
    ) -> Result<(), Undecided> {
        if self.tree.node(node).expanded.contains(&block) {
            return Ok(());
        }
        self.know_facts_of(target);
        let precision = self.precision_at(target);
        let after = self.abstractions.post(
            &mut self.graph,
            &mut self.predicates,
            block,
            self.tree.node(node).psi,
            &precision,
            &mut self.statistics,
        )?;
        self.add_children(node, block, target, after, &precision);
        Ok(())
    }

    pub(super) fn is_passable(&mut self, block: BlockId, psi: Bdd) -> Result<bool, Undecided> {
        let (graph, predicates) = (&mut self.graph, &mut self.predicates);
        self.abstractions.is_passable(graph, predicates, block, psi)
    }

    pub(super) fn is_accepted_beyond(&self, block: BlockId) -> bool {
        self.accepted_beyond.contains(&block)
    }

    /// Executions leave what formulas can say: there is no proof, and the block is not asked about
    /// again.
    pub(super) fn accept_beyond(&mut self, general: BlockId, block: BlockId) {
        if let Target::Beyond(why) = &self.graph.block(block).target {
            let why = why.describe(self.graph.program());
            self.beyond.get_or_insert(why);
        }
        self.accepted_beyond.insert(general);
    }

    pub(super) fn specialised(&mut self, block: BlockId, psi: Bdd) -> BlockId {
        if !self.options.specialise {
            return block;
        }
        let (graph, predicates) = (&mut self.graph, &mut self.predicates);
        specialised::from_state(graph, predicates, &mut self.abstractions, block, psi)
    }

    /// Children for what of the block's end they do not cover yet, and each part of it that
    /// [`families::parts`] tells apart.
    fn add_children(
        &mut self,
        node: NodeId,
        block: BlockId,
        target: PlaceId,
        after: Bdd,
        precision: &[PredicateId],
    ) {
        let mut rest = after;
        for &(known, child) in &self.tree.node(node).children {
            if known == block {
                let covered = self.tree.node(child).psi;
                let others = self.abstractions.bdds.not(covered);
                rest = self.abstractions.bdds.and(rest, others);
            }
        }
        let parts = match self.options.split_states {
            true => families::parts(
                &self.predicates,
                &mut self.abstractions.bdds,
                precision,
                rest,
            ),
            false => vec![rest],
        };
        for part in parts {
            if part != Bdd::FALSE {
                self.tree
                    .add(target, part, precision.len(), Some((node, block)));
            }
        }
        self.tree.set_expanded(node, block);
    }

    /// The predicates of the place's location that are about its states: under these calls the
    /// variables of one may be nobody's, and an object may have no address in formulas. No abstract
    /// state may speak of such a predicate.
    pub(super) fn precision_at(&mut self, place: PlaceId) -> Vec<PredicateId> {
        let location = self.graph.place(place).location;
        let mut precision = self.precision.at(self.graph.program(), location);
        precision.retain(|&predicate| {
            let expr = self.predicates.expression(predicate);
            let term = self.predicates.start_term(&mut self.graph, place, expr);
            term.is_some()
        });
        precision
    }
}
