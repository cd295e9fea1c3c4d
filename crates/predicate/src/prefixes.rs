//! Infeasible sliced prefixes of a path, and the choice among them (D. Beyer, S. Löwe, P. Wendler:
//! Sliced path prefixes: an effective method to enable refinement selection, FORTE 2015;
//! Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis with Auxiliary Invariants*,
//! 2016, section 5.2.3).
//!
//! | paper | here |
//! |---|---|
//! | infeasible sliced prefix | [`SlicedPrefix`] |
//! | `ExtractSlicedPrefixes` | [`all`] |
//! | refinement selection | [`PrefixChoice`] |
//!
//! A path may be impossible for several reasons. The first is found at its first condition that
//! contradicts those before it; without that condition the path goes on to the next reason. Every
//! reason gives other predicates, so the choice guides the refinement.
//!
//! Deviation: conditions are the conjuncts of blocks, not single assume operations. To find where
//! the contradiction comes about, cores are used instead of one question for each condition.

use super::trace::Trace;
use control::StopToken;
use encoding::back::Leaf;
use induction::graph::PlaceId;
use induction::solver_graph::SolverGraph;
use logic::{Answer, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// Which prefix of an infeasible path is refuted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PrefixChoice {
    /// The whole path, with whatever reason the solver finds.
    #[default]
    Whole,
    /// The contradiction that comes about first.
    Shortest,
    /// The one that comes about last.
    Longest,
    /// The one over the fewest variables that loops change: such variables are counters, and
    /// predicates about them unroll the loop.
    FewestLoopVariables,
}

/// A part of a path that is impossible already.
#[derive(Clone, Debug)]
pub struct SlicedPrefix {
    /// For each block of the prefix the conjuncts that contradict one another.
    pub core: Vec<Vec<Term>>,
}

/// Prefixes that are told apart.
const MOST: usize = 6;

/// The infeasible sliced prefixes of an infeasible path, in the order in which the contradictions
/// come about.
pub fn all(graph: &mut SolverGraph<'_>, trace: &Trace, stop: &StopToken) -> Vec<SlicedPrefix> {
    let composed = trace.compose(graph, false);
    // All conditions in order: the block, the conjunct there, and what it is over inputs.
    let mut conditions: Vec<(usize, Term, Term)> = Vec::new();
    for (step, own) in trace.conditions.iter().enumerate() {
        let over_inputs = composed.conditions[step].iter();
        conditions.extend(own.iter().zip(over_inputs).map(|(&a, &b)| (step, a, b)));
    }
    let mut solver = graph.solving.solver(stop);
    let pool = graph.pool();
    let mut found = Vec::new();
    while found.len() < MOST {
        let mut end = conditions.len();
        let mut last: Option<(usize, Vec<Term>)> = None;
        loop {
            let assumptions: Vec<Term> = conditions[..end].iter().map(|each| each.2).collect();
            if solver.check(pool, &assumptions) != Answer::Unsat {
                break;
            }
            let core = solver.core().to_vec();
            // The contradiction is complete at the last of its conditions; an earlier one may be
            // left before it.
            let Some(position) = (0..end).rev().find(|&at| core.contains(&conditions[at].2)) else {
                // False by itself: there is one reason only.
                return found;
            };
            end = position;
            last = Some((position, core));
        }
        let Some((position, core)) = last else {
            break;
        };
        let (step, ..) = conditions[position];
        let mut kept: Vec<Vec<Term>> = vec![Vec::new(); step + 1];
        for &(at, own, over_inputs) in &conditions[..=position] {
            if core.contains(&over_inputs) {
                kept[at].push(own);
            }
        }
        found.push(SlicedPrefix { core: kept });
        conditions.remove(position);
    }
    found
}

/// How many of the prefix's variables are changed by a loop of the path: at a place that the path
/// comes to twice.
fn loop_variables(graph: &mut SolverGraph<'_>, trace: &Trace, prefix: &SlicedPrefix) -> usize {
    let mut first: FxHashMap<PlaceId, usize> = FxHashMap::default();
    let mut inside: Vec<bool> = vec![false; trace.blocks.len()];
    for step in 0..trace.blocks.len() {
        let place = trace.place(graph, step);
        match first.get(&place) {
            Some(&from) => inside[from..step].fill(true),
            None => {
                first.insert(place, step);
            }
        }
    }
    let mut changed: FxHashSet<Term> = FxHashSet::default();
    for (step, _) in inside.iter().enumerate().filter(|(_, inside)| **inside) {
        for &(leaf, value) in &trace.ends[step] {
            if leaf != value {
                changed.insert(leaf);
            }
        }
    }
    let terms: Vec<Term> = prefix.core.iter().flatten().copied().collect();
    let mut count = 0;
    for leaf in graph.leaves_of(&terms) {
        let is_variable = matches!(graph.leaf(leaf).map(|start| start.leaf), Some(Leaf::Var(_)));
        if is_variable && changed.contains(&leaf) {
            count += 1;
        }
    }
    count
}

/// The chosen one of the prefixes: a shorter path under fewer conditions, with its core. `None`:
/// the whole path.
pub fn choose(
    graph: &mut SolverGraph<'_>,
    trace: &Trace,
    choice: PrefixChoice,
    stop: &StopToken,
) -> Option<(Trace, Vec<Vec<Term>>)> {
    if choice == PrefixChoice::Whole {
        return None;
    }
    let prefixes = all(graph, trace, stop);
    let chosen = match choice {
        PrefixChoice::Whole | PrefixChoice::Shortest => prefixes.first()?,
        PrefixChoice::Longest => prefixes.last()?,
        PrefixChoice::FewestLoopVariables => prefixes
            .iter()
            .min_by_key(|prefix| loop_variables(graph, trace, prefix))?,
    };
    let blocks = trace.blocks[..chosen.core.len()].to_vec();
    let sliced = Trace::sliced(graph, blocks, chosen.core.clone());
    Some((sliced, chosen.core.clone()))
}
