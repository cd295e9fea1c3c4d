//! Single paths: possible, or why not. For analyses that keep no tree of abstract states.
//!
//! A path is a list of blocks from the start of the program. What refutes it are interpolants, one
//! for each cut between two blocks: `{true} b_0 {I_1} b_1 … {I_n} b_n {false}` are Hoare triples.
//! What was said of a place before is the first that is tried there again.

use super::analysis::Analysis;
use super::counterexample::{self, Feasibility};
use super::inductive::Candidates;
use super::options::{InterpolantSource, Options, PredicateKind};
use super::predicates::Predicates;
use super::prefixes::{self, PrefixChoice};
use super::refinement::part;
use super::trace::Trace;
use cfa::expr::ExprId;
use encoding::vocabulary;
use induction::graph::{BlockId, PlaceId};
use induction::solver_graph::SolverGraph;
use logic::Term;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::time::Duration;

/// Looks at one path after the other.
pub struct Refuter<'a> {
    pub(super) analysis: Analysis<'a>,
    /// Path programs that were searched for invariants, also those of unrolled paths.
    pub(super) searched: FxHashSet<(BTreeSet<BlockId>, bool)>,
}

/// What became of a path.
pub enum Looked {
    Feasible,
    Infeasible(Infeasible),
    /// The solver gave up, and why.
    Undecided(String),
}

/// A path that no execution takes.
pub struct Infeasible {
    pub(super) trace: Trace,
    /// For each block the conjuncts that suffice for the contradiction.
    pub(super) core: Vec<Vec<Term>>,
}

/// The options that [`Refuter::new`] needs, with these sources and blocks.
pub fn options(given: &Options) -> Options {
    Options {
        predicates: PredicateKind::Sequence,
        ..given.clone()
    }
}

impl<'a> Refuter<'a> {
    /// The analysis has the options of [`options`].
    pub fn new(analysis: Analysis<'a>) -> Refuter<'a> {
        Refuter {
            analysis,
            searched: FxHashSet::default(),
        }
    }

    pub fn graph(&mut self) -> &mut SolverGraph<'a> {
        &mut self.analysis.graph
    }

    /// The blocks, and the predicates with their formulas there.
    pub fn parts(&mut self) -> (&mut SolverGraph<'a>, &mut Predicates) {
        (&mut self.analysis.graph, &mut self.analysis.predicates)
    }

    /// Can an execution take the path?
    pub fn look_at(&mut self, blocks: &[BlockId]) -> Looked {
        let trace = Trace::new(&mut self.analysis.graph, blocks.to_vec(), false);
        let stop = self.analysis.budget.stop.clone();
        match counterexample::check(&mut self.analysis.graph, &trace, &stop) {
            Feasibility::Feasible => Looked::Feasible,
            Feasibility::Infeasible(core) => Looked::Infeasible(Infeasible { trace, core }),
            Feasibility::Undecided(why) => Looked::Undecided(why),
        }
    }

    /// The chosen infeasible prefix of the path, under the conditions that contradict one another;
    /// `None`: the whole path.
    pub fn prefix(&mut self, choice: PrefixChoice, path: &Infeasible) -> Option<Infeasible> {
        let stop = part(&self.analysis.budget.stop, 0.2, Duration::from_secs(5));
        let graph = &mut self.analysis.graph;
        let (trace, core) = prefixes::choose(graph, &path.trace, choice, &stop)?;
        Some(Infeasible { trace, core })
    }

    /// An interpolant for each cut of the path, in the order of the cuts; they lie in
    /// [`Predicates::exprs`]. They rely on what is known to hold along the path, which is a part of
    /// the triples. The error says why the source has none.
    pub fn interpolants(
        &mut self,
        source: InterpolantSource,
        path: &Infeasible,
        known: &Candidates,
    ) -> Result<Vec<ExprId>, String> {
        let this = &mut self.analysis;
        this.known_on_path.clear();
        for (&place, list) in known {
            let terms = list.iter();
            let terms =
                terms.filter_map(|&expr| this.predicates.start_term(&mut this.graph, place, expr));
            this.known_on_path.insert(place, terms.collect());
        }
        if source == InterpolantSource::Proof && !this.graph.solving.gives_proofs() {
            return Err("the chosen solver provides no proofs for interpolation".into());
        }
        let stop = this.time_for(source);
        let found = this.predicates_from(source, &[], &path.trace, &path.core, &stop);
        let found = found.map_err(|why| why.to_string())?;
        let mut sequence: Vec<Option<ExprId>> = vec![None; path.trace.blocks.len()];
        for (step, formulas) in found {
            sequence[step] = formulas.first().copied();
        }
        let sequence: Option<Vec<ExprId>> = sequence.into_iter().skip(1).collect();
        let sequence = sequence.ok_or("an interpolant is not an expression")?;
        self.remember(path, &sequence);
        Ok(sequence)
    }

    /// What was said of a place is likely to be of use there again, unless it only counts.
    fn remember(&mut self, path: &Infeasible, sequence: &[ExprId]) {
        let this = &mut self.analysis;
        let mut new: Vec<(PlaceId, ExprId)> = Vec::new();
        for (cut, &interpolant) in sequence.iter().enumerate() {
            let place = path.trace.place(&this.graph, cut + 1);
            for atom in vocabulary::atoms_of(&mut this.predicates.exprs, interpolant) {
                if this.add_predicate(place, atom) {
                    new.push((place, atom));
                }
            }
        }
        this.watch_divergence(&new);
    }

    /// Loops that interpolants count through, if there are any.
    pub fn divergence(&self) -> Option<String> {
        self.analysis.divergence()
    }
}
