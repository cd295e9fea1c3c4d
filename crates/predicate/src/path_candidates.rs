//! Conjunctions of atoms that the loops of a path program keep: interpolants that generalise.
//!
//! What refutes one path says what it pleases of the number of iterations. Atoms that are inductive
//! over the path program ([`super::inductive`]) hold for all of its paths. If they refute the path,
//! they are its interpolants; otherwise they are known, and interpolants need to say less.

use super::counterexample;
use super::inductive::{self, Candidates};
use super::refinement::part;
use super::refutation::{Infeasible, Refuter};
use super::samples;
use super::strengthening::MAX_PLACES;
use control::clock;
use facts::certificate::Certificate;
use induction::graph::{BlockId, PlaceId, ROOT, Target};
use std::collections::BTreeSet;
use std::time::Duration;

/// What is known of a path program.
pub enum Known {
    /// This is inductive, and makes the path impossible.
    Refuted(Candidates),
    /// This is inductive, and speaks of what the path depends on.
    Holds(Candidates),
    /// A random execution, run for the states that it comes to, violates the property.
    Violated(Certificate),
    Nothing,
}

impl Refuter<'_> {
    /// Searches the path program of a path, which has these blocks, once; and once more when the
    /// path unrolls a loop.
    pub fn inductive(&mut self, path: &Infeasible, blocks: &BTreeSet<BlockId>) -> Known {
        let this = &mut self.analysis;
        let is_unrolled = this.is_unrolled(&path.trace);
        if !this.may_search_facts() || !self.searched.insert((blocks.clone(), is_unrolled)) {
            return Known::Nothing;
        }
        let begin = clock::now();
        let is_first = self.searched.len() == 1;
        if is_first {
            let stop = part(&this.budget.stop, 0.1, Duration::from_secs(1));
            if let Some(run) = samples::collect(&this.graph, &stop, &mut this.samples) {
                return Known::Violated(counterexample::certificate(&run));
            }
        }
        let found = self.search(path, blocks);
        self.analysis.statistics.inductive_time += clock::since(begin);
        found.unwrap_or(Known::Nothing)
    }

    fn search(&mut self, path: &Infeasible, blocks: &BTreeSet<BlockId>) -> Option<Known> {
        let this = &mut self.analysis;
        let (mut inner, mut places): (Vec<BlockId>, BTreeSet<PlaceId>) = Default::default();
        for &block in blocks {
            if let Target::Place(target) = this.graph.block(block).target {
                inner.push(block);
                places.extend([this.graph.block(block).source, target]);
            }
        }
        places.remove(&ROOT);
        let places: Vec<PlaceId> = places.into_iter().collect();
        if places.len() > MAX_PLACES {
            return None;
        }
        let mut chosen = this.candidates_at(&places, &path.trace, &path.core);
        let stop = part(&this.budget.stop, 0.2, Duration::from_secs(4));
        let (graph, predicates) = (&mut this.graph, &mut this.predicates);
        let checker = &mut this.checker;
        if !inductive::make_inductive(graph, predicates, checker, &inner, &mut chosen, &stop) {
            return None;
        }
        let refuting = this.refuting(&path.trace, &chosen, &stop);
        let is_refuted = refuting.is_some();
        let wanted = match refuting {
            Some(refuting) => refuting,
            None => this.about(&path.trace, &chosen, &stop),
        };
        let (graph, predicates) = (&mut this.graph, &mut this.predicates);
        let checker = &mut this.checker;
        let wanted =
            inductive::support(graph, predicates, checker, &inner, &chosen, wanted, &stop)?;
        Some(match is_refuted {
            true => Known::Refuted(wanted),
            false => Known::Holds(wanted),
        })
    }
}
