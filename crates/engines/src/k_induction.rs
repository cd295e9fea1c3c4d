//! k-induction with auxiliary invariants (000, section 2.5.2, algorithm 4).
//!
//! | paper | here |
//! |---|---|
//! | k | [`KInductionOptions::first_depth`] … : blocks between loop heads |
//! | base case | [`Search::base`] |
//! | forward condition | [`Search::base`] finds no state in the next layer |
//! | step case | [`Search::step`] |
//! | Inv, read from the invariant generator | [`Search::support`], read from the board |
//!
//! Deviations: all loops count as one (an execution is a sequence of blocks between loop heads, whichever);
//! the step case starts at each loop head and call string apart, and one that fails is asked first next time.

use crate::model;
use crate::watch::Watch;
use cfa::expr::{ExprId, ExprPool};
use cfa::place::{CallPattern, Place};
use cfa::program::Program;
use encoding::blocks::{Advance, Blocks, Layer};
use encoding::path::Path;
use encoding::unwind::{InputPoint, InstancePoint};
use facts::budget::Budget;
use facts::certificate::{AnnotatedGraph, AnnotatedNode, Certificate, KInduction as Proof};
use facts::engine::{Board, Engine, Outcome};
use facts::invariants::Facts;
use logic::{Answer, Solver, Term, TermPool};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KInductionOptions {
    /// Blocks between the start of the step case and the violation, at first.
    pub first_depth: u32,
    pub last_depth: u32,
    /// Read invariants from the board.
    pub use_invariants: bool,
    pub seed: u32,
}

impl Default for KInductionOptions {
    fn default() -> Self {
        KInductionOptions {
            first_depth: 0,
            last_depth: 1 << 12,
            use_invariants: true,
            seed: 0,
        }
    }
}

#[derive(Default)]
pub struct KInduction {
    pub options: KInductionOptions,
}

const NAME: &str = "k-induction";

/// Depths below this are tried again when there are new invariants.
const SHALLOW: u32 = 3;
/// How often invariants are read again at one depth: whoever publishes all the time must not keep the search from going on.
const MOST_READINGS: usize = 4;

impl Engine for KInduction {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let solver = || budget.make_solver(self.options.seed);
        let blocks = Blocks::new(program);
        let layer = blocks.start();
        let mut search = Search {
            program,
            blocks,
            base_solver: solver(),
            step_solver: solver(),
            board,
            budget,
            options: &self.options,
            facts: Facts::default(),
            base: Chain::new(layer),
            starts: BTreeMap::new(),
            waiting: Vec::new(),
        };
        match search.run() {
            Ok(outcome) => outcome,
            Err(reason) => Outcome::Unknown(reason),
        }
    }
}

/// Layers of states, one block further each, that began together.
struct Chain {
    layer: Layer,
    /// Blocks passed.
    depth: u32,
    /// Paths to violations and to what formulas cannot follow, in the block from each layer.
    bad: Vec<Vec<Path>>,
    inputs: Vec<InputPoint>,
    instances: Vec<InstancePoint>,
    /// What holds at the places passed, by the facts known when the chain last looked: the part of the
    /// question that grows while others work.
    assumed: Vec<(Place, encoding::state::State)>,
    known: Vec<Term>,
    version: usize,
}

impl Chain {
    fn new(layer: Layer) -> Chain {
        Chain {
            layer,
            depth: 0,
            bad: Vec::new(),
            inputs: Vec::new(),
            instances: Vec::new(),
            assumed: Vec::new(),
            known: Vec::new(),
            version: 0,
        }
    }
}

struct Search<'a> {
    program: &'a Program,
    blocks: Blocks<'a>,
    base_solver: Box<dyn Solver>,
    step_solver: Box<dyn Solver>,
    board: &'a dyn Board,
    budget: &'a Budget,
    options: &'a KInductionOptions,
    facts: Facts,
    base: Chain,
    /// The step case from each place.
    starts: BTreeMap<Place, Chain>,
    /// Places that were found but not yet begun from.
    waiting: Vec<Place>,
}

/// What the step case says at one depth.
enum Step {
    Proved,
    Fails,
}

impl Search<'_> {
    fn run(&mut self) -> Result<Outcome, String> {
        let mut depth = self.options.first_depth;
        loop {
            self.board.progress(NAME, &format!("depth {depth}"));
            self.board.count(NAME, "depth", u64::from(depth));
            if let Some(outcome) = self.base(depth)? {
                return Ok(outcome);
            }
            let mut tried = None;
            for _ in 0..MOST_READINGS {
                if tried.is_some_and(|version| version >= self.board.version()) {
                    break;
                }
                let first = tried.is_none();
                // With new invariants fewer blocks may do, and the questions of fewer are easier.
                let shallow = if first && self.facts.version() == self.board.version() {
                    depth..depth
                } else {
                    0..depth.min(SHALLOW)
                };
                tried = Some(match self.options.use_invariants {
                    true => self.board.version(),
                    false => usize::MAX,
                });
                for depth in shallow.chain([depth]) {
                    if let Step::Proved = self.step(depth)? {
                        let support = self.support();
                        return Ok(Outcome::Answer(Certificate::KInduction(Proof {
                            depth,
                            support,
                        })));
                    }
                }
            }
            if depth >= self.options.last_depth {
                return Err(format!("no proof up to depth {depth}"));
            }
            depth += 1;
        }
    }

    fn check_time(&self) -> Result<(), String> {
        if self.budget.is_exhausted() {
            return Err(format!("out of time at depth {}", self.base.depth));
        }
        Ok(())
    }

    /// No violation in the blocks up to the depth; otherwise an answer.
    fn base(&mut self, depth: u32) -> Result<Option<Outcome>, String> {
        while self.base.depth <= depth {
            self.check_time()?;
            let layer = std::mem::take(&mut self.base.layer);
            let mut advance = self.blocks.advance(&layer, &mut Watch(self.budget));
            self.check_time()?;
            self.base.depth += 1;
            self.base.inputs.append(&mut advance.inputs);
            self.base.instances.append(&mut advance.instances);
            for error in &advance.errors {
                let conditions = error.path.conjuncts_after(0);
                match self.ask_base(&conditions)? {
                    Answer::Unsat => {}
                    _ => return self.counterexample().map(Some),
                }
            }
            for cut in &advance.cuts {
                let conditions = cut.path.conjuncts_after(0);
                if !self.ask_base(&conditions)?.is_unsat() {
                    return Err(cut.reason.describe(self.program));
                }
            }
            let mut next = Layer::new();
            for (place, state) in std::mem::take(&mut advance.next) {
                self.found(&place);
                let conditions = state.path.conjuncts_after(0);
                if !self.ask_base(&conditions)?.is_unsat() {
                    next.insert(place, state);
                }
            }
            self.base.layer = next;
            if self.base.layer.is_empty() {
                // The forward condition: no execution passes more loop heads, so the step case holds trivially
                // with the base case to this depth; only an unrolling certifies it without invariants.
                self.board.count(NAME, "forward condition", 1);
            }
        }
        Ok(None)
    }

    fn ask_base(&mut self, conditions: &[Term]) -> Result<Answer, String> {
        let pool = &mut self.blocks.encoder().pool;
        match self.base_solver.check(pool, conditions) {
            Answer::Unknown(reason) => Err(self.budget.why_unknown(&reason)),
            answer => Ok(answer),
        }
    }

    fn counterexample(&mut self) -> Result<Outcome, String> {
        let found = model::replay(
            &mut self.blocks.unwinder.encoder,
            &mut *self.base_solver,
            (&self.base.inputs, &self.base.instances),
            self.budget,
        );
        match found {
            Ok(inputs) => Ok(Outcome::Answer(Certificate::Inputs(inputs))),
            Err(how) => Err(format!(
                "a model of the formula is no execution of the program ({how})"
            )),
        }
    }

    fn found(&mut self, place: &Place) {
        if !self.starts.contains_key(place) && !self.waiting.contains(place) {
            self.waiting.push(place.clone());
        }
    }

    /// From every loop head that executions may come to: no violation after `depth` more blocks.
    fn step(&mut self, depth: u32) -> Result<Step, String> {
        if self.options.use_invariants {
            self.facts = self.board.facts();
        }
        let mut failed = false;
        // Places are found on the way, so the list grows.
        let mut done: BTreeSet<Place> = BTreeSet::new();
        loop {
            for place in std::mem::take(&mut self.waiting) {
                let layer = self.blocks.anywhere(&place);
                self.starts.insert(place, Chain::new(layer));
            }
            let places: Vec<Place> = self.starts.keys().cloned().collect();
            let todo: Vec<Place> = places
                .into_iter()
                .filter(|place| !done.contains(place))
                .collect();
            if todo.is_empty() {
                break;
            }
            for place in todo {
                self.check_time()?;
                if let Some(mut chain) = self.starts.remove(&place) {
                    let result = self.step_from(&mut chain, depth);
                    self.starts.insert(place.clone(), chain);
                    failed |= matches!(result?, Step::Fails);
                }
                done.insert(place);
                if failed {
                    return Ok(Step::Fails);
                }
            }
        }
        Ok(Step::Proved)
    }

    fn step_from(&mut self, chain: &mut Chain, depth: u32) -> Result<Step, String> {
        while chain.depth <= depth {
            self.check_time()?;
            let layer = std::mem::take(&mut chain.layer);
            for (place, state) in &layer {
                self.note(chain, place, state.clone());
            }
            let advance = self.blocks.advance(&layer, &mut Watch(self.budget));
            self.check_time()?;
            let Advance {
                errors, cuts, next, ..
            } = advance;
            let errors = errors.into_iter().map(|error| error.path);
            let cuts = cuts.into_iter().map(|cut| cut.path);
            chain.bad.push(errors.chain(cuts).collect());
            chain.depth += 1;
            for (place, state) in next {
                self.found(&place);
                let known = self.known(chain);
                if !self.ask_step(&state.path, &known)?.is_unsat() {
                    chain.layer.insert(place, state);
                }
            }
        }
        let known = self.known(chain);
        for path in &chain.bad[depth as usize] {
            if !self.ask_step(path, &known)?.is_unsat() {
                return Ok(Step::Fails);
            }
        }
        Ok(Step::Proved)
    }

    fn ask_step(&mut self, path: &Path, known: &[Term]) -> Result<Answer, String> {
        let mut conditions = path.conjuncts_after(0);
        let pool = &mut self.blocks.encoder().pool;
        // As one condition: a solver goes through its assumptions one by one at every restart, and others may publish much.
        conditions.push(pool.and_all(known.iter().copied()));
        match self.step_solver.check(pool, &conditions) {
            Answer::Unknown(reason) => Err(self.budget.why_unknown(&reason)),
            answer => Ok(answer),
        }
    }

    /// A place that a chain passes, where facts may help.
    fn note(&mut self, chain: &mut Chain, place: &Place, state: encoding::state::State) {
        let facts = std::mem::take(&mut self.facts);
        self.add_facts(&facts, 0, chain, place, &state);
        self.facts = facts;
        chain.assumed.push((place.clone(), state));
    }

    /// Adds what the maps from number `from` on say of a state, for the executions that are there.
    fn add_facts(
        &mut self,
        facts: &Facts,
        from: usize,
        chain: &mut Chain,
        place: &Place,
        state: &encoding::state::State,
    ) {
        for map in facts.maps.iter().skip(from) {
            for holds in map.at(&place.calls, place.location) {
                // A fact that has no formula cannot help.
                let Ok(term) = self.blocks.encoder().holds(state, &map.pool, holds) else {
                    continue;
                };
                let pool = &mut self.blocks.encoder().pool;
                let there = state.path.term(pool);
                let term = pool.implies(there, term);
                if term != TermPool::TRUE {
                    chain.known.push(term);
                }
            }
        }
    }

    /// What facts say of the places that the chain has passed.
    fn known(&mut self, chain: &mut Chain) -> Vec<Term> {
        let facts = std::mem::take(&mut self.facts);
        if chain.version < facts.version() {
            let passed = std::mem::take(&mut chain.assumed);
            for (place, state) in &passed {
                self.add_facts(&facts, chain.version, chain, place, state);
            }
            chain.assumed = passed;
        }
        chain.version = facts.version();
        self.facts = facts;
        chain.known.clone()
    }

    /// The facts used, as one annotation.
    fn support(&mut self) -> AnnotatedGraph {
        let mut pool: ExprPool = self.program.pool.clone();
        let mut nodes = Vec::new();
        for place in self.starts.keys() {
            let mut parts: Vec<ExprId> = Vec::new();
            for map in &self.facts.maps {
                for holds in map.at(&place.calls, place.location) {
                    parts.push(pool.import(&map.pool, holds));
                }
            }
            let Some(first) = parts.pop() else { continue };
            let invariant = parts
                .into_iter()
                .fold(first, |all, part| pool.and(part, all));
            nodes.push(AnnotatedNode {
                calls: CallPattern::Exactly(place.calls.clone()),
                location: place.location,
                invariant,
            });
        }
        AnnotatedGraph { pool, nodes }
    }
}
