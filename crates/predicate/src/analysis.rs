//! What the analysis holds, and what it tells others at its end; [`super::algorithm`] is what it
//! does.

use super::abstraction::Abstractions;
use super::candidates::ProgramText;
use super::compare::SourceRecord;
use super::divergence::Divergence;
use super::families::Families;
use super::filter::Filter;
use super::heuristics::Heuristic;
use super::inductive;
use super::injection::Injected;
use super::options::Options;
use super::predicates::{Precision, Predicates};
use super::samples::Samples;
use super::stages::Stage;
use super::statistics::Statistics;
use super::tree::{NodeId, Tree};
use cfa::expr::ExprId;
use cfa::program::{LocId, Program};
use control::clock;
use encoding::vocabulary;
use facts::budget::{Budget, SolverBudget};
use facts::engine::{Board, Outcome};
use facts::precision::PrecisionMap;
use induction::graph::{BlockId, PlaceId};
use induction::hoare::HoareChecker;
use induction::solver_graph::SolverGraph;
use induction::solving::Solving;
use logic::Term;
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
    /// What holds at the places of the path that is looked at, on its path program alone.
    pub(super) known_on_path: FxHashMap<PlaceId, Vec<Term>>,
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
    pub(super) accepted_beyond: FxHashSet<BlockId>,
    /// How many paths every source of interpolants is asked about, and what they said.
    pub(super) compared: Option<(usize, Vec<SourceRecord>)>,
    /// Paths refined, with how often.
    pub(super) refined: FxHashMap<Vec<BlockId>, u32>,
    /// The violation that was found: the last abstract state before it, and the error location.
    pub(super) violation: Option<(NodeId, LocId)>,
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
            known_on_path: FxHashMap::default(),
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
}
