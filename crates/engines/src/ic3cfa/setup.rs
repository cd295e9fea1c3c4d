//! From a program to a search, and the solvers of its places.

use super::command::{Addresses, Executed, Naming, Partial, conjuncts, execute};
use super::frames::Frames;
use super::generalise::Contexts;
use super::graph::{self, ERROR, Graph, START, Word};
use super::models::States;
use super::statistics::Statistics;
use super::{Ic3CfaOptions, Link, Search};
use cfa::expr::ExprPool;
use cfa::program::{EdgeId, Program};
use encoding::state::State;
use encoding::step::Encoder;
use facts::budget::{Budget, SolverBudget};
use facts::engine::{Board, Reason};
use induction::known::Known;
use induction::saying::Activation;
use logic::{Cube, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

impl<'a> Search<'a> {
    pub(super) fn new(
        program: &'a Program,
        options: &Ic3CfaOptions,
        board: &'a dyn Board,
        budget: &'a Budget,
    ) -> Result<Search<'a>, Reason> {
        let graph = Graph::of(
            program,
            options.most_partial_commands.max(1),
            options.loop_indices,
        )?;
        let mut encoder = Encoder::new(program);
        let strings = graph.call_strings();
        let numbers: FxHashMap<&[EdgeId], usize> =
            strings.iter().map(Vec::as_slice).zip(0..).collect();
        let activations = strings
            .iter()
            .map(|calls| Activation::arbitrary(&mut encoder, calls));
        let activations: Vec<Activation> = activations.collect();
        let activation_of = graph.nodes.iter().enumerate().map(|(number, node)| {
            let place = node.place.as_ref().filter(|_| number != START)?;
            numbers.get(&place.calls[..]).copied()
        });
        let activation_of: Vec<Option<usize>> = activation_of.collect();
        let count = graph.nodes.len();
        let eccentricity = graph.eccentricity();
        let mut search = Search {
            program,
            options: options.clone(),
            board,
            budget,
            encoder,
            addresses: Addresses::default(),
            exprs: ExprPool::default(),
            activations,
            activation_of,
            nodes: Vec::new(),
            links: Vec::new(),
            heads: Vec::new(),
            eccentricity,
            frames: (0..count).map(|_| Frames::default()).collect(),
            solvers: (0..count).map(|_| None).collect(),
            switched: vec![0; count],
            facts: vec![Vec::new(); count],
            known: Known::new(program),
            sayings: FxHashMap::default(),
            images: FxHashMap::default(),
            refuted: FxHashMap::default(),
            contexts: Contexts::default(),
            states: States::default(),
            computed: FxHashMap::default(),
            statistics: Statistics::default(),
            proposed: FxHashSet::default(),
            level: 0,
        };
        search.split_commands(graph)?;
        Ok(search)
    }

    /// Executes all words: the partial commands of each link, which are split once (section 5.2).
    fn split_commands(&mut self, graph: Graph) -> Result<(), Reason> {
        self.nodes = graph.nodes;
        self.heads = graph.heads;
        let mut partials: BTreeMap<(usize, usize), Vec<Partial>> = BTreeMap::new();
        for link in &graph.links {
            for word in &link.words {
                if self.budget.is_exhausted() {
                    return Err(Reason::out_of_time());
                }
                let executed = self.execute(link.source, word);
                let Executed { after, beyond, .. } = executed;
                for (path, why) in beyond {
                    let mut at_end = self.start_state(link.source);
                    at_end.path = path;
                    let partial = self.partial(word, at_end, Some(why));
                    partials
                        .entry((link.source, ERROR))
                        .or_default()
                        .extend(partial);
                }
                if let Some(after) = after {
                    let partial = self.partial(word, after, None);
                    partials
                        .entry((link.source, link.target))
                        .or_default()
                        .extend(partial);
                }
            }
        }
        for node in &mut self.nodes {
            node.into.clear();
        }
        for ((source, target), mut partials) in partials {
            if partials.is_empty() {
                continue;
            }
            // Errors before what has no formula.
            partials.sort_by_key(|partial| partial.beyond.is_some());
            let cost = graph::cost(&self.nodes, source, target);
            self.nodes[target].into.push(self.links.len());
            self.links.push(Link {
                source,
                target,
                cost,
                partials,
                joined: None,
                assumes_of_chosen: None,
            });
        }
        for (number, node) in self.nodes.iter_mut().enumerate() {
            node.into
                .sort_by_key(|&link| self.links[link].source == number);
        }
        Ok(())
    }

    fn partial(&self, word: &Word, after: State, beyond: Option<String>) -> Option<Partial> {
        let assumes = conjuncts(&self.encoder.pool, after.path.conjuncts_after(0));
        (!assumes.is_contradictory(&self.encoder.pool)).then(|| Partial {
            word: word.clone(),
            after,
            assumes,
            beyond,
        })
    }

    pub(super) fn start_state(&self, node: usize) -> State {
        match self.activation_of[node] {
            Some(number) => (*self.activations[number].state).clone(),
            None => State::initial(self.program),
        }
    }

    fn execute(&mut self, source: usize, word: &Word) -> Executed {
        let start = self.start_state(source);
        let calls = self.nodes[source]
            .place
            .as_ref()
            .map_or(&[][..], |place| &place.calls);
        let (encoder, addresses) = (&mut self.encoder, &mut self.addresses);
        execute(encoder, addresses, (start, calls), word, Naming::ByPlace)
    }

    /// Holds where the frame of the level, and so of all later ones, is assumed.
    pub(super) fn switch(&mut self, level: u32) -> Term {
        self.encoder
            .pool
            .var(&format!("ic3cfa-level!{level}"), Sort::Bool)
    }

    /// Makes the node's solver, with facts and a switch for each level.
    pub(super) fn prepare_solver(&mut self, node: usize) {
        if self.solvers[node].is_none() {
            self.solvers[node] = Some(self.budget.make_solver(0));
            for fact in self.facts[node].clone() {
                self.assert(node, fact);
            }
        }
        while self.switched[node] <= self.level + 1 {
            let level = self.switched[node];
            let (this, next) = (self.switch(level), self.switch(level + 1));
            let chain = self.encoder.pool.implies(this, next);
            self.assert(node, chain);
            self.switched[node] += 1;
        }
    }

    pub(super) fn assert(&mut self, node: usize, term: Term) {
        if let Some(solver) = &mut self.solvers[node] {
            solver.assert(&mut self.encoder.pool, term);
        }
    }

    /// Adds the clause to the frames up to the level.
    pub(super) fn add_blocked(&mut self, node: usize, cube: &Cube, level: u32) {
        if !self.frames[node].add(cube, level) || node == ERROR {
            return;
        }
        self.frames[node].note_comparisons(&self.encoder.pool, cube);
        self.prepare_solver(node);
        let switch = self.switch(level);
        let outside = cube.negation(&mut self.encoder.pool);
        let clause = self.encoder.pool.implies(switch, outside);
        self.assert(node, clause);
    }

    /// Assumes in all frames what others have proved since the last time.
    pub(super) fn learn_facts(&mut self) {
        let first_new = self.known.maps().len();
        self.known.read(self.board, self.budget);
        let new = self.known.maps()[first_new..].to_vec();
        for map in new {
            for node in ERROR + 1..self.nodes.len() {
                let (Some(place), Some(number)) =
                    (self.nodes[node].place.clone(), self.activation_of[node])
                else {
                    continue;
                };
                for holds in map.at(&place.calls, place.location) {
                    let state = &self.activations[number].state;
                    if let Ok(term) = self.encoder.holds(state, &map.pool, holds) {
                        self.facts[node].push(term);
                        self.assert(node, term);
                    }
                }
            }
        }
    }
}
