//! Predicate analyses that prepare another one (Stieglmaier2016: T. Stieglmaier, *Augmenting
//! Predicate Analysis with Auxiliary Invariants*, 2016, section 6.4.3).
//!
//! | Stieglmaier2016 | here |
//! |---|---|
//! | first: five loop iterations, global refinement, precision dumped | [`Stage::Bounded`] |
//! | second: that precision, no refinement, its reached set handed on | [`Stage::Explore`] |
//! | third analysis | [`Stage::Complete`], with [`super::Options::inject`] |
//! | `restart2`: the third one with the first one's precision | [`super::Options::use_precision`] |
//!
//! The refinement of the first stage is delayed until everything within the bound is explored; then
//! all paths to violations are refined at once, and the analysis ends. If it does not come to that,
//! it hands on no precision, and the second stage has nothing to do.
//!
//! Deviation: the bound is about how often a path comes to a place, so that the iterations of an
//! inner loop are counted over all iterations of the outer one.

use super::analysis::Analysis;
use super::counterexample::{self, Feasibility};
use super::proof;
use super::trace::Trace;
use super::tree::NodeId;
use cfa::expr::ExprId;
use cfa::place::CallPattern;
use cfa::program::LocId;
use encoding::vocabulary;
use facts::certificate::AnnotatedGraph;
use facts::engine::{Outcome, Reason};
use facts::invariants::{Invariant, InvariantMap};
use facts::precision::PrecisionMap;
use facts::words;
use induction::graph::{BlockId, Target};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The role of a predicate analysis in a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// The whole analysis.
    #[default]
    Complete,
    /// Finds violations and a precision within a bound; never a proof.
    Bounded,
    /// Finds a proof or invariants with a given precision; never a violation.
    Explore,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Complete => "predicate",
            Stage::Bounded => "predicate-bounded",
            Stage::Explore => "predicate-exploration",
        }
    }
}

/// Abstract states of the first stage; beyond, it gives up as if its time were over.
const MAX_NODES: usize = 4_000;

impl Analysis<'_> {
    /// Takes over the precisions that others handed on; `false` if there are none.
    pub(super) fn take_precisions(&mut self) -> bool {
        let precisions = self.board.precisions();
        for map in &precisions {
            for &(location, predicate) in &map.predicates {
                let exprs = &mut self.predicates.exprs;
                let predicate = exprs.import(&map.pool, predicate);
                for atom in vocabulary::atoms_of(exprs, predicate) {
                    self.add_predicate_at(location, atom);
                }
            }
        }
        !precisions.is_empty()
    }

    /// Did the path to the node take more iterations than this stage looks at?
    pub(super) fn is_beyond_bound(&self, node: NodeId) -> bool {
        if self.options.stage != Stage::Bounded {
            return false;
        }
        let place = self.tree.node(node).place;
        let (nodes, _) = self.tree.path(node);
        let visits = nodes
            .iter()
            .filter(|&&id| self.tree.node(id).place == place);
        visits.count() > self.options.loop_bound as usize + 1
    }

    pub(super) fn is_too_large_for_stage(&self) -> bool {
        self.options.stage == Stage::Bounded && self.tree.len() > MAX_NODES
    }

    /// What a stage that refines nothing on its way does in the end; `None`: it has a proof.
    pub(super) fn finish_stage(&mut self) -> Option<Outcome> {
        match self.options.stage {
            Stage::Complete => None,
            Stage::Bounded => Some(self.refine_globally()),
            Stage::Explore if self.postponed.is_empty() => None,
            Stage::Explore => {
                if self.beyond.is_none() {
                    let map = self.reached_set();
                    self.board.publish(map);
                }
                Some(Outcome::Unknown(
                    "the given precision does not exclude a violation".into(),
                ))
            }
        }
    }

    /// Refines all paths at once and hands on the precision.
    fn refine_globally(&mut self) -> Outcome {
        let mut found: Vec<(LocId, ExprId)> = Vec::new();
        for (node, last) in std::mem::take(&mut self.postponed) {
            if self.budget.is_exhausted() {
                let why = Reason::OutOfTime("before it could provide a precision".into());
                return Outcome::Unknown(why);
            }
            let (_, mut blocks) = self.tree.path(node);
            blocks.push(last);
            match self.predicates_against(blocks) {
                Ok(mut predicates) => found.append(&mut predicates),
                Err(outcome) => return *outcome,
            }
        }
        let count = match found.len() {
            1 => "1 predicate is".to_owned(),
            count => format!("{count} predicates are"),
        };
        self.board.publish_precision(PrecisionMap {
            by: self.name.into(),
            pool: self.predicates.exprs.clone(),
            predicates: found,
        });
        let bound = words::count(self.options.loop_bound, "iteration");
        let why = format!("no violation within {bound}; {count} passed to the next analysis");
        Outcome::Unknown(why.into())
    }

    /// Predicates that refute a path, or what ends the analysis.
    fn predicates_against(
        &mut self,
        blocks: Vec<BlockId>,
    ) -> Result<Vec<(LocId, ExprId)>, Box<Outcome>> {
        let stop = self.budget.stop.clone();
        let trace = Trace::new(&mut self.graph, blocks.clone(), false);
        let core = match counterexample::check(&mut self.graph, &trace, &stop) {
            Feasibility::Infeasible(core) => core,
            Feasibility::Undecided(why) => {
                let text = self.undecided("the solver could not decide a path", &why);
                return Err(Box::new(Outcome::Unknown(text)));
            }
            Feasibility::Feasible => {
                let inputs = counterexample::inputs(&mut self.graph, blocks, &stop);
                return Err(Box::new(match inputs {
                    Ok(certificate) => Outcome::Answer(certificate),
                    Err(how) => Outcome::Unknown(counterexample::no_execution(&how)),
                }));
            }
        };
        self.statistics.refinements += 1;
        let mut found = Vec::new();
        for source in self.options.interpolants.clone() {
            let stop = self.time_for(source);
            let Ok(atoms) = self.predicates_from(source, &[], &trace, &core, &stop) else {
                continue;
            };
            for (step, atoms) in atoms {
                let place = trace.place(&self.graph, step);
                let location = self.graph.place(place).location;
                found.extend(atoms.into_iter().map(|atom| (location, atom)));
            }
            if !found.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    /// What holds at the places that were reached: inductive, because every abstract state was
    /// followed.
    fn reached_set(&mut self) -> InvariantMap {
        let facts = self.facts_of_proof();
        let AnnotatedGraph { mut pool, nodes } = proof::graph(
            &self.graph,
            &self.tree,
            &self.abstractions,
            &self.predicates,
            &facts,
        );
        let mut entries: Vec<Invariant> = Vec::new();
        let mut known: FxHashMap<(CallPattern, LocId), usize> = FxHashMap::default();
        for node in nodes {
            let number = *known
                .entry((node.calls.clone(), node.location))
                .or_insert(entries.len());
            match entries.get_mut(number) {
                Some(entry) => entry.holds = pool.or(entry.holds, node.invariant),
                None => entries.push(Invariant {
                    calls: node.calls,
                    location: node.location,
                    holds: node.invariant,
                }),
            }
        }
        InvariantMap {
            by: self.name.into(),
            pool,
            entries,
        }
    }

    /// Keeps a possible violation for the end of the stage; `false` if it is to be refined now.
    pub(super) fn postpone(&mut self, node: NodeId, block: BlockId) -> bool {
        if self.options.stage == Stage::Complete {
            return false;
        }
        match &self.graph.block(block).target {
            Target::Beyond(why) => {
                let why = why.describe(self.graph.program());
                self.beyond.get_or_insert(why);
            }
            _ => self.postponed.push((node, block)),
        }
        true
    }
}
