//! IC3CFA: IC3 on control-flow automata, with frames for each place.
//!
//! After Lange2015: T. Lange, M. Neuhäußer, T. Noll, IC3 software model checking on control flow
//! automata, FMCAD 2015, in the form of the thesis on its generalisation (IC3CFA in the
//! bibliography); its sections are named where they are used.
//!
//! | thesis | here |
//! |---|---|
//! | `A = (L, G, l_init, l_E)` | [`graph`]: places, and links with partial commands |
//! | literal, cube, clause | a term about variables and memory, [`logic::Cube`], its negation |
//! | `F(i,l)` | [`frames`] |
//! | `outerLoop` (4.2.1), `innerLoop` (4.2.2) | [`Search::run`], [`Search::block`] |
//! | `relInd` (4.2.1, 5.3.1) | [`relative`] |
//! | `wep`, `split` (5.2) | [`wep`], [`command`] |
//! | `gen` (4.3.1, 5.12.1) | [`generalise`] |
//! | TreeIC3 (section 6.2) | [`tree`] |
//!
//! Deviations:
//! - `l_init` has no edge into it, so whatever a partial command from there leads into is reached:
//!   a counterexample.
//! - The inner loop is one obligation more: `true` at `l_E` and `k + 1`, whose predecessors are the
//!   counterexamples to induction.
//! - Union of what the edges need is not inductive where one of them is a loop at the place and
//!   used the negation: such an edge comes last, and the union is asked about again.
//! - Inputs inside a block: see [`inputs`]. What cannot be said in a cube is left out; a
//!   counterexample over such a cube is executed like any other, and if it is none the answer is
//!   UNKNOWN.
//! - Facts from the board hold in every frame of the loop heads that they are about.

mod certificate;
mod command;
mod counterexample;
mod frames;
mod generalise;
mod graph;
mod implied;
mod inputs;
mod joined;
mod laws;
mod lifting;
mod models;
mod obligations;
mod options;
mod proposals;
mod relative;
mod setup;
mod showing;
mod statistics;
#[cfg(test)]
mod tests;
mod tree;
mod wep;

pub use self::options::{ContextForm, Generalisation, Ic3CfaOptions, Inductiveness};

use self::command::{Addresses, Partial};
use self::counterexample::Trace;
use self::frames::Frames;
use self::generalise::Contexts;
use self::graph::{ERROR, Node};
use self::models::States;
use self::obligations::{Next, Obligation, Obligations};
use self::relative::{Consecution, Refutation};
use self::statistics::Statistics;
use cfa::expr::{ExprId, ExprPool};
use cfa::place::Place;
use cfa::program::Program;
use encoding::state::State;
use encoding::step::Encoder;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Board, Engine, Outcome, Reason};
use induction::known::Known;
use induction::saying::Activation;
use logic::{Cube, Solver, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

const NAME: &str = "ic3cfa";

#[derive(Default)]
pub struct Ic3Cfa {
    pub options: Ic3CfaOptions,
}

impl Engine for Ic3Cfa {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let certificate =
            Search::new(program, &self.options, board, budget).and_then(|mut search| {
                let certificate = match self.options.tree {
                    true => search.run_tree(),
                    false => search.run(),
                };
                search.report();
                if certificate.is_err() {
                    search.hand_precision_on();
                }
                certificate
            });
        match certificate {
            Ok(certificate) => Outcome::Answer(certificate),
            Err(reason) => Outcome::Unknown(reason),
        }
    }
}

/// An edge of the automaton, split into partial commands.
struct Link {
    source: usize,
    target: usize,
    /// What it adds to the index: 0 if it leads to a place between two loop heads.
    cost: u32,
    partials: Vec<Partial>,
    /// All of them as one, once somebody needs that.
    joined: Option<State>,
    /// See [`Search::assumes_of_chosen`](joined).
    assumes_of_chosen: Option<Term>,
}

struct Search<'a> {
    program: &'a Program,
    options: Ic3CfaOptions,
    board: &'a dyn Board,
    budget: &'a Budget,
    encoder: Encoder<'a>,
    addresses: Addresses,
    /// What literals say.
    exprs: ExprPool,
    activations: Vec<Activation>,
    /// For each node; the start and the error have none.
    activation_of: Vec<Option<usize>>,
    nodes: Vec<Node>,
    links: Vec<Link>,
    /// All loop heads, also those that lead to no error.
    heads: Vec<Place>,
    /// From here on each place has a frame of its own.
    eccentricity: u32,
    frames: Vec<Frames>,
    solvers: Vec<Option<Box<dyn Solver>>>,
    /// For each node: the levels that its solver knows.
    switched: Vec<u32>,
    /// For each node: what holds there in every frame.
    facts: Vec<Vec<Term>>,
    known: Known<'a>,
    sayings: FxHashMap<(usize, Term), Option<ExprId>>,
    images: FxHashMap<(usize, usize, Term), Rc<[Term]>>,
    /// Preconditions that a frame refutes, up to which level, and what the refutation used (section
    /// 5.3).
    refuted: FxHashMap<(usize, Cube), (u32, Cube)>,
    contexts: Contexts,
    /// States that answered questions.
    states: States,
    /// Variables that the program computes with (section 5.10).
    computed: FxHashMap<Term, bool>,
    statistics: Statistics,
    /// Clauses that others were told of.
    proposed: FxHashSet<(usize, Cube)>,
    /// `k`
    level: u32,
}

impl Search<'_> {
    /// Algorithm 4.2.1.
    fn run(&mut self) -> Result<Certificate, Reason> {
        loop {
            self.board.progress(NAME, &format!("level {}", self.level));
            self.board.count(NAME, "level", u64::from(self.level));
            self.learn_facts();
            if let Some(trace) = self.block()? {
                return self.counterexample(&trace);
            }
            if self.options.propagation {
                self.propagate()?;
                self.propose();
            }
            self.show_frames();
            if let Some(level) = self.fixpoint() {
                return Ok(self.certificate(level));
            }
            self.level += 1;
            self.report();
        }
    }

    /// Algorithm 4.2.2: the way of an execution to an error, unless no error is reached within `k +
    /// 1` steps.
    fn block(&mut self) -> Result<Option<Trace>, Reason> {
        let mut obligations = Obligations::default();
        obligations.push(Obligation {
            node: ERROR,
            rank: 0,
            level: self.level + 1,
            cube: Cube::empty(),
            next: None,
        });
        while let Some(number) = obligations.pop() {
            let Obligation {
                node,
                level,
                ref cube,
                ..
            } = *obligations.get(number);
            let cube = cube.clone();
            if self.is_bottom(node, level) || self.is_blocked(node, &cube, level) {
                continue;
            }
            let mut refutations: Vec<(usize, Refutation)> = Vec::new();
            let mut predecessors = Vec::new();
            for link in self.nodes[node].into.clone() {
                match self.consecution(link, &cube, level)? {
                    Consecution::Inductive(refutation) => refutations.push((link, refutation)),
                    Consecution::Not(found) => predecessors.extend(found),
                }
            }
            if predecessors.is_empty() {
                let general = self.generalise(node, &cube, level, &refutations)?;
                self.add_blocked(node, &general, level);
                if self.options.requeueing && node != ERROR && level < self.level {
                    // What leads to an error in so many steps does so in more, too.
                    obligations.raise(number);
                }
                continue;
            }
            if self.options.section_5_8_ordering {
                // Section 5.8: what generalises a small cube often covers the large ones.
                predecessors.sort_by_key(|predecessor| predecessor.cube.len());
            }
            obligations.wait(number);
            for predecessor in predecessors {
                let next = Next {
                    obligation: number,
                    link: predecessor.link,
                    partial: predecessor.partial,
                };
                let source = self.links[predecessor.link].source;
                if source == graph::START {
                    return Ok(Some(Trace::of(&obligations, next)));
                }
                obligations.push(Obligation {
                    node: source,
                    rank: self.nodes[source].rank,
                    level: self.before(predecessor.link, level),
                    cube: predecessor.cube,
                    next: Some(next),
                });
            }
        }
        Ok(None)
    }

    /// Algorithm 3.1.3: moves clauses to the next frames where they are inductive.
    fn propagate(&mut self) -> Result<(), Reason> {
        // What needs no step to be reached comes after what leads to it.
        let mut order: Vec<usize> = (ERROR + 1..self.nodes.len()).collect();
        order.sort_by_key(|&node| self.nodes[node].rank);
        for level in 1..=self.level {
            for &node in &order {
                'cubes: for cube in self.frames[node].delta(level) {
                    for link in self.nodes[node].into.clone() {
                        if self.inductive(link, &cube, level + 1)?.is_none() {
                            continue 'cubes;
                        }
                    }
                    self.add_blocked(node, &cube, level + 1);
                }
            }
            if self.is_fixed_at(level) {
                return Ok(());
            }
        }
        Ok(())
    }

    fn is_fixed_at(&self, level: u32) -> bool {
        let is_complete = !self.options.section_5_1_distances || level >= self.eccentricity;
        let mut counted = (ERROR + 1..self.nodes.len()).filter(|&node| self.nodes[node].counts);
        is_complete && counted.all(|node| self.frames[node].is_fixed_at(level))
    }

    /// An index whose frames are those of the next one at all places that count; those of the others
    /// follow from them.
    fn fixpoint(&self) -> Option<u32> {
        (1..=self.level).find(|&level| self.is_fixed_at(level))
    }

    fn check_budget(&self) -> Result<(), Reason> {
        if self.budget.is_exhausted() {
            return Err(Reason::out_of_time().at(format_args!("level {}", self.level)));
        }
        if self.statistics.questions >= self.options.most_questions {
            return Err(format!("no proof with {} questions", self.statistics.questions).into());
        }
        Ok(())
    }

    fn report(&self) {
        let clauses: usize = self.frames.iter().map(Frames::len).sum();
        self.board.count(NAME, "clauses", clauses as u64);
        self.board
            .count(NAME, "places", self.nodes.len() as u64 - 2);
        self.statistics.report(self.board, NAME);
    }
}
