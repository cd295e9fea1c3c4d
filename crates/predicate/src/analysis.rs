//! The analysis itself: lazy abstraction over the graph of blocks (Stieglmaier2016: T.
//! Stieglmaier, *Augmenting Predicate Analysis with Auxiliary Invariants*, 2016, section 2.3.5;
//! algorithm CPA and CEGAR of sections 2.3.2 and 2.3.4).

use super::abstraction::{Abstractions, Undecided};
use super::candidates::ProgramText;
use super::compare::SourceRecord;
use super::counterexample::{self, Feasibility};
use super::divergence::Divergence;
use super::families::{self, Families};
use super::filter::Filter;
use super::heuristics::Heuristic;
use super::inductive;
use super::injection::Injected;
use super::options::{InterpolantSource, Options, RefinementKind};
use super::predicates::{Precision, PredicateId, Predicates};
use super::prefixes;
use super::proof;
use super::refinement;
use super::samples::{self, Samples};
use super::specialised;
use super::stages::Stage;
use super::statistics::Statistics;
use super::trace::Trace;
use super::tree::{NodeId, Tree};
use cfa::expr::ExprId;
use cfa::program::{LocId, Program};
use control::clock;
use encoding::vocabulary;
use facts::budget::{Budget, SolverBudget};
use facts::certificate::Certificate;
use facts::engine::{Board, Outcome, Reason};
use facts::precision::PrecisionMap;
use facts::words::count;
use induction::graph::{BlockId, PlaceId, ROOT, Target};
use induction::hoare::HoareChecker;
use induction::solver_graph::SolverGraph;
use induction::solving::Solving;
use logic::Term;
use logic::bdd::Bdd;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};

pub struct Analysis<'a> {
    pub(super) options: &'a Options,
    pub(super) board: &'a dyn Board,
    pub(super) budget: &'a Budget,
    pub(super) name: &'a str,
    pub(super) graph: SolverGraph<'a>,
    pub(super) predicates: Predicates,
    pub(super) abstractions: Abstractions,
    pub(super) precision: Precision,
    pub(super) statistics: Statistics,
    pub(super) samples: Samples,
    pub(super) text: ProgramText,
    pub(super) families: Families,
    pub(super) divergence: Divergence,
    /// What is known to hold at places; see [`Analysis::inject`].
    pub(super) facts: FxHashMap<PlaceId, Vec<ExprId>>,
    begin: Instant,
    /// Candidates for facts that were looked at.
    pub(super) tried: FxHashMap<PlaceId, FxHashSet<ExprId>>,
    /// What others found.
    pub(super) injected: Injected,
    /// Which invariants are left out.
    pub(super) filter: Filter,
    /// Candidates that heuristics looked at.
    pub(super) looked_at: FxHashSet<(Heuristic, ExprId)>,
    /// Possible violations that the stage does not look at before its end.
    pub(super) postponed: Vec<(NodeId, BlockId)>,
    /// For questions about candidates.
    pub(super) checker: HoareChecker,
    pub(super) tree: Tree,
    /// Executions that leave what formulas can say are possible: no proof.
    pub(super) beyond: Option<String>,
    accepted_beyond: FxHashSet<BlockId>,
    /// How many paths every source of interpolants is asked about, and what they said.
    pub(super) compared: Option<(usize, Vec<SourceRecord>)>,
    /// Paths refined, with how often.
    pub(super) refined: FxHashMap<Vec<BlockId>, u32>,
    /// The violation that was found: the last abstract state before it, and the error location.
    pub(super) violation: Option<(NodeId, LocId)>,
}

/// States that one is compared with by a solver.
const MAX_COMPARED_WITH_FACTS: usize = 6;

/// How the exploration went on after an abstract counterexample.
pub(super) enum Refined {
    /// The tree has changed.
    Progress,
    Done(Outcome),
    /// The path is possible, but leads where formulas end.
    LeadsBeyond,
}

impl<'a> Analysis<'a> {
    pub fn new(
        program: &'a Program,
        options: &'a Options,
        name: &'a str,
        board: &'a dyn Board,
        budget: &'a Budget,
    ) -> Analysis<'a> {
        let mut predicates = Predicates::new(program);
        let families = Families::new(program, &mut predicates.exprs);
        let solving = Solving::new(budget.solver().clone(), budget.memory);
        let graph = SolverGraph::new(program, options.blocks, budget.stop.clone(), solving);
        Analysis {
            options,
            board,
            budget,
            name,
            checker: inductive::checker(&graph),
            graph,
            predicates,
            abstractions: Abstractions::new(options.abstraction),
            precision: Precision::default(),
            statistics: Statistics::default(),
            samples: Samples::default(),
            text: ProgramText::new(program),
            families,
            divergence: Divergence::default(),
            facts: FxHashMap::default(),
            begin: clock::now(),
            tried: FxHashMap::default(),
            injected: Injected::default(),
            filter: Filter::default(),
            looked_at: FxHashSet::default(),
            postponed: Vec::new(),
            tree: Tree::default(),
            beyond: None,
            accepted_beyond: FxHashSet::default(),
            compared: None,
            refined: FxHashMap::default(),
            violation: None,
        }
    }

    pub fn run(&mut self) -> Outcome {
        let mut outcome = self.search();
        // What the analysis was doing when the time was over is not why it has no answer.
        if matches!(outcome, Outcome::Unknown(_)) && self.budget.is_exhausted() {
            outcome = Outcome::Unknown(self.out_of_time());
        }
        self.tell();
        self.show_tree();
        if self.options.stage == Stage::Complete {
            self.hand_precision_on();
        }
        outcome
    }

    /// For later analyses of this program, in this run or another one.
    fn hand_precision_on(&self) {
        let program = self.graph.program();
        let mut predicates = Vec::new();
        for number in 0..program.locations.len() as u32 {
            let location = LocId(number);
            if self.graph.is_cut(location) {
                for predicate in self.precision.at(program, location) {
                    predicates.push((location, self.predicates.expression(predicate)));
                }
            }
        }
        if !predicates.is_empty() {
            self.board.publish_precision(PrecisionMap {
                by: self.name.into(),
                pool: self.predicates.exprs.clone(),
                predicates,
            });
        }
    }

    fn tell(&mut self) {
        self.statistics.nodes = self.tree.len() as u64;
        self.statistics.solver_checks = self.graph.solving.checks();
        self.statistics.solver_time = self.graph.solving.time();
        self.statistics.bdd_time = self.abstractions.bdds.time();
        self.statistics.tell(self.options, self.board, self.name);
        let board = self.board;
        board.count(self.name, "places", self.graph.place_count() as u64);
        board.count(self.name, "blocks", self.graph.block_count() as u64);
        board.count(self.name, "predicates", self.predicates.count() as u64);
        let program = self.graph.program();
        let locations = (0..program.locations.len() as u32).map(LocId);
        let cuts = locations.filter(|&location| self.graph.is_cut(location));
        let counts = self.precision.counts(program, cuts);
        let largest = counts.iter().copied().max().unwrap_or(0);
        board.count(self.name, "locations with predicates", counts.len() as u64);
        let total: usize = counts.iter().sum();
        board.count(self.name, "predicates at all locations", total as u64);
        board.count(self.name, "most predicates at a location", largest as u64);
        let facts: usize = self.facts.values().map(Vec::len).sum();
        board.count(self.name, "facts", facts as u64);
        let diverging = self.divergence.found().len() as u64;
        board.count(self.name, "series of constants that count", diverging);
        board.count(self.name, "bdd nodes", self.abstractions.bdds.len() as u64);
    }

    fn search(&mut self) -> Outcome {
        if self
            .options
            .interpolants
            .contains(&InterpolantSource::Proof)
            && !self.graph.solving.gives_proofs()
        {
            let text = "only the default solver provides proofs for interpolation: using the other sources of interpolants";
            self.board.progress(self.name, text);
        }
        self.board.progress(self.name, "sampling");
        let stop = self.budget.stop.clone();
        if let Some(run) = samples::collect(&self.graph, &stop, &mut self.samples) {
            return Outcome::Answer(counterexample::certificate(&run));
        }
        self.board.progress(self.name, "exploring");
        self.take_facts();
        let is_exploration = self.options.stage == Stage::Explore;
        if self.options.use_precision || is_exploration {
            let any = self.take_precisions();
            if is_exploration && !any {
                return Outcome::Unknown("no earlier analysis provided a precision".into());
            }
        }
        self.tree.add(ROOT, Bdd::TRUE, 0, None);
        while let Some(node) = self.tree.take_waiting() {
            if self.budget.is_exhausted() {
                return Outcome::Unknown(self.out_of_time());
            }
            if self.is_too_large_for_stage() {
                return Outcome::Unknown("too many abstract states within the bound".into());
            }
            if self.is_beyond_bound(node) || self.is_covered(node) {
                continue;
            }
            match self.expand(node) {
                Ok(None) => {}
                Ok(Some(outcome)) => return outcome,
                Err(Undecided(why)) => {
                    if self.budget.is_exhausted() {
                        return Outcome::Unknown(self.out_of_time());
                    }
                    return Outcome::Unknown(Reason::Undecided(format!("solver: {why}")));
                }
            }
        }
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

    /// Why there is no answer where a path was not decided.
    pub(super) fn undecided(&self, why: &str) -> Reason {
        match self.budget.is_exhausted() {
            true => self.out_of_time(),
            false => Reason::Undecided(format!("the solver could not decide a path: {why}")),
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

    fn is_covered(&mut self, node: NodeId) -> bool {
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

    /// Successors over all blocks.
    fn expand(&mut self, node: NodeId) -> Result<Option<Outcome>, Undecided> {
        let (place, psi) = (self.tree.node(node).place, self.tree.node(node).psi);
        self.know_facts_of(place);
        let begin = clock::now();
        let blocks = self.graph.outgoing(place);
        self.statistics.block_time += clock::since(begin);
        for &general in blocks.iter() {
            let block = self.specialised(general, psi);
            match self.graph.block(block).target.clone() {
                Target::Place(target) => {
                    if self.tree.node(node).expanded.contains(&block) {
                        continue;
                    }
                    self.know_facts_of(target);
                    let precision = self.precision_at(target);
                    let after = self.abstractions.post(
                        &mut self.graph,
                        &mut self.predicates,
                        block,
                        psi,
                        &precision,
                        &mut self.statistics,
                    )?;
                    self.add_children(node, block, target, after, &precision);
                }
                Target::Error(_) | Target::Beyond(_) => {
                    if self.accepted_beyond.contains(&general)
                        || !self.abstractions.is_passable(
                            &mut self.graph,
                            &mut self.predicates,
                            block,
                            psi,
                        )?
                    {
                        continue;
                    }
                    if self.postpone(node, block) {
                        continue;
                    }
                    match self.refine(node, block) {
                        Refined::Progress => {
                            // The node itself may be gone; if not, it has not seen all of its
                            // blocks.
                            self.tree.wait(node);
                            return Ok(None);
                        }
                        Refined::Done(outcome) => return Ok(Some(outcome)),
                        Refined::LeadsBeyond => {
                            if let Target::Beyond(why) = &self.graph.block(block).target {
                                let why = why.describe(self.graph.program());
                                self.beyond.get_or_insert(why);
                            }
                            self.accepted_beyond.insert(general);
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    fn specialised(&mut self, block: BlockId, psi: Bdd) -> BlockId {
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
    fn precision_at(&mut self, place: PlaceId) -> Vec<PredicateId> {
        let location = self.graph.place(place).location;
        let mut precision = self.precision.at(self.graph.program(), location);
        precision.retain(|&predicate| {
            let expr = self.predicates.expression(predicate);
            let term = self.predicates.start_term(&mut self.graph, place, expr);
            term.is_some()
        });
        precision
    }

    /// An abstract counterexample: real, or a reason to look closer.
    fn refine(&mut self, node: NodeId, last: BlockId) -> Refined {
        let begin = clock::now();
        let (nodes, mut blocks) = self.tree.path(node);
        blocks.push(last);
        let trace = Trace::new(&mut self.graph, blocks.clone(), false);
        let result = match counterexample::check(&mut self.graph, &trace, &self.budget.stop) {
            Feasibility::Undecided(why) => Refined::Done(Outcome::Unknown(self.undecided(&why))),
            Feasibility::Feasible => {
                if matches!(self.graph.block(last).target, Target::Beyond(_)) {
                    Refined::LeadsBeyond
                } else {
                    let stop = self.budget.stop.clone();
                    Refined::Done(
                        match counterexample::inputs(&mut self.graph, blocks, &stop) {
                            Ok(certificate) => {
                                if let Target::Error(location) = self.graph.block(last).target {
                                    self.violation = Some((node, location));
                                }
                                Outcome::Answer(certificate)
                            }
                            Err(how) => Outcome::Unknown(counterexample::no_execution(&how)),
                        },
                    )
                }
            }
            Feasibility::Infeasible(_) if self.recompute_stale(&nodes) => Refined::Progress,
            Feasibility::Infeasible(core) => {
                self.statistics.refinements += 1;
                let number = self.statistics.refinements;
                self.board
                    .progress(self.name, &format!("refinement {number}"));
                let times = self.refined.entry(blocks).or_insert(0);
                *times += 1;
                let is_first = *times == 1;
                self.compare_sources(&nodes, &trace, &core);
                match number {
                    1 if self.refine_statically() => {
                        self.cut_back(&nodes, 1);
                        Refined::Progress
                    }
                    _ => self.refute_prefix(&nodes, &trace, &core, is_first),
                }
            }
        };
        self.statistics.refinement_time += clock::since(begin);
        result
    }

    /// Refutes the chosen one of the path's infeasible prefixes; if that does not help, the whole
    /// path.
    fn refute_prefix(
        &mut self,
        nodes: &[NodeId],
        trace: &Trace,
        core: &[Vec<Term>],
        is_first: bool,
    ) -> Refined {
        let stop = refinement::part(&self.budget.stop, 0.2, Duration::from_secs(5));
        let choice = self.options.prefixes;
        if let Some((prefix, core)) = prefixes::choose(&mut self.graph, trace, choice, &stop) {
            let nodes = &nodes[..prefix.blocks.len()];
            match self.refute(nodes, &prefix, &core, is_first) {
                Refined::Done(Outcome::Unknown(_)) => {}
                refined => return refined,
            }
        }
        self.refute(nodes, trace, core, is_first)
    }

    /// Other paths may have brought predicates to places of this one since its abstractions were
    /// computed: before anything new is looked for, the first such abstraction is computed again.
    fn recompute_stale(&mut self, nodes: &[NodeId]) -> bool {
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

    /// From now on the expression (of [`Predicates::exprs`]) is known to hold at the place: every
    /// abstract state there implies it. The caller answers for it, and for its being inductive
    /// together with the other facts. This is the entry for invariants that others found
    /// (Stieglmaier2016, section 4.2): they strengthen the formulas of abstractions and of paths;
    /// with `as_predicates` their atoms become predicates too.
    pub fn inject(&mut self, place: PlaceId, fact: ExprId, as_predicates: bool) -> bool {
        let Some(term) = self.predicates.start_term(&mut self.graph, place, fact) else {
            return false;
        };
        if !self.abstractions.add_fact(place, term, None) {
            return false;
        }
        self.facts.entry(place).or_default().push(fact);
        if as_predicates {
            for atom in vocabulary::atoms_of(&mut self.predicates.exprs, fact) {
                self.add_predicate(place, atom);
            }
        }
        true
    }

    /// Is it the turn of the search for inductive facts? It may be slow, and interpolation is the
    /// alternative.
    pub(super) fn may_search_facts(&self) -> bool {
        let spent = self.statistics.inductive_time;
        spent < Duration::from_secs(2) || spent < clock::since(self.begin) / 2
    }

    /// `false` if the predicate is there already.
    pub(super) fn add_predicate(&mut self, place: PlaceId, atom: ExprId) -> bool {
        let location = self.graph.place(place).location;
        self.add_predicate_at(location, atom)
    }

    pub(super) fn add_predicate_at(&mut self, location: LocId, atom: ExprId) -> bool {
        let predicate = self.predicates.number(atom);
        let program = self.graph.program();
        self.precision
            .add(program, self.options.scope, location, predicate)
    }

    /// Are there loops that the refinement counts through, or one that has been unrolled again and
    /// again?
    pub(super) fn divergence(&self) -> Option<String> {
        let program = self.graph.program();
        let counting = self.divergence.found().iter().map(|counting| {
            let span = program.location(counting.place).span;
            format!(
                "refinement diverges: it unrolls the loop at {}, where the constants in '{}' grow by {} (now {})",
                program.describe(span),
                counting.shape,
                counting.step,
                counting.latest
            )
        });
        let counting: Vec<String> = counting.take(3).collect();
        if !counting.is_empty() {
            return Some(counting.join("; "));
        }
        let deepest = self.tree.proper().max_by_key(|node| node.depth)?;
        let mut counts: FxHashMap<PlaceId, u32> = FxHashMap::default();
        let mut current = Some(deepest);
        while let Some(node) = current {
            *counts.entry(node.place).or_insert(0) += 1;
            current = node.parent.map(|(parent, _)| self.tree.node(parent));
        }
        let (place, count) = counts.into_iter().max_by_key(|&(place, n)| (n, place))?;
        if count < 8 {
            return None;
        }
        let location = self.graph.place(place).location;
        let span = program.location(location).span;
        Some(format!(
            "refinement diverges: it unrolled the loop at {} {count} times",
            program.describe(span)
        ))
    }
}
