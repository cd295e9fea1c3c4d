//! Property-directed reachability over blocks: IC3 lifted from one transition relation to the graph of loop heads.
//!
//! After A. R. Bradley, SAT-based model checking without unrolling, VMCAI 2011, and N. Een, A. Mishchenko,
//! R. Brayton, Efficient implementation of property directed reachability, FMCAD 2011; frames per location as
//! in 002, section 3.
//!
//! | IC3 | here |
//! |---|---|
//! | F_i | [`Site::blocked`]: the cubes blocked at level i or above, for each loop head and call string |
//! | initial states | the block from the start of the program, which every level has |
//! | transition relation | the blocks between loop heads |
//! | proof obligation (s, i) | [`Obligation`] |
//! | generalisation by unsatisfiable cores | [`Search::generalise`] |
//!
//! Deviations: literals are program-level statements (bounds of variables, comparisons that the program makes or
//! might make), so that a core is a statement about variables and not about bits; level 0 is empty, because the
//! start of the program is a place of its own. Facts from the board are assumed in every frame.

mod induction;
mod relative;
mod sites;

pub(crate) use self::relative::Relative;
use self::sites::Site;
use crate::candidates::Candidates;
use ::induction::known::Known;
use cfa::expr::ExprId;
use cfa::place::CallPattern;
use cfa::program::Program;
use encoding::blocks::Blocks;
use facts::budget::Budget;
use facts::certificate::{AnnotatedGraph, AnnotatedNode, Certificate};
use facts::engine::{Board, Engine, Outcome, Reason};
use facts::invariants::InvariantMap;
use logic::{Answer, Term, TermPool, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BinaryHeap;

/// Property-directed reachability over the blocks between loop heads.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PdrOptions {
    /// Solver queries after which the engine gives up.
    pub most_questions: u64,
}

impl Default for PdrOptions {
    fn default() -> Self {
        PdrOptions {
            most_questions: u64::MAX,
        }
    }
}

#[derive(Default)]
pub struct Pdr {
    pub options: PdrOptions,
}

const NAME: &str = "pdr";

impl Engine for Pdr {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let mut search = Search::new(program, board, budget, self.options.most_questions);
        match search.run() {
            Ok(certificate) => Outcome::Answer(certificate),
            Err(reason) => Outcome::Unknown(reason),
        }
    }
}

/// Single literals that generalisation tries to leave out.
const MOST_DROPS: usize = 24;
/// The site of the start of the program.
const START: usize = 0;

/// Statements that all hold, in the order of their ids.
type Cube = Vec<ExprId>;

/// States of a site that lead to a violation and are to be shown unreachable within a number of blocks.
#[derive(PartialEq, Eq)]
struct Obligation {
    level: u32,
    /// Later ones first among those of one level, as in a depth-first search.
    order: u64,
    site: usize,
    cube: Cube,
}

impl Ord for Obligation {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.level, self.order).cmp(&(self.level, other.order))
    }
}

impl PartialOrd for Obligation {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Identifies a state that statements are made about.
type StateKey = (usize, usize);
/// The own state of a site.
const OWN: usize = usize::MAX;

struct Search<'a> {
    program: &'a Program,
    blocks: Blocks<'a>,
    candidates: Candidates<'a>,
    board: &'a dyn Board,
    budget: &'a Budget,
    sites: Vec<Site>,
    /// Statements as terms, for each state.
    literals: FxHashMap<(StateKey, ExprId), Option<Term>>,
    /// The facts that every frame has.
    known: Known<'a>,
    questions: u64,
    most_questions: u64,
    level: u32,
    order: u64,
}

impl<'a> Search<'a> {
    fn new(
        program: &'a Program,
        board: &'a dyn Board,
        budget: &'a Budget,
        most_questions: u64,
    ) -> Search<'a> {
        Search {
            program,
            blocks: Blocks::new(program),
            candidates: Candidates::new(program),
            board,
            budget,
            sites: Vec::new(),
            literals: FxHashMap::default(),
            known: Known::new(program),
            questions: 0,
            most_questions,
            level: 1,
            order: 0,
        }
    }

    fn run(&mut self) -> Result<Certificate, Reason> {
        self.explore()?;
        self.find_relevant();
        self.learn_facts();
        // A violation in the first block is for others to find.
        for number in 0..self.sites[START].bad.len() {
            let conditions = self.sites[START].bad[number].conjuncts_after(0);
            if !self.ask(START, &conditions)?.is_unsat() {
                return Err("a violation may be reachable before the first loop".into());
            }
        }
        loop {
            self.board.progress(NAME, &format!("level {}", self.level));
            self.board.count(NAME, "level", u64::from(self.level));
            let blocked = self.block_all_bad();
            self.count_solver_work();
            blocked?;
            self.learn_facts();
            self.level += 1;
            if let Some(level) = self.propagate()? {
                return Ok(self.certificate(level));
            }
            let clauses: usize = self.sites.iter().map(|site| site.blocked.len()).sum();
            self.board.count(NAME, "clauses", clauses as u64);
            self.board.count(NAME, "questions", self.questions);
        }
    }

    fn count_solver_work(&self) {
        let rebuilds: u64 = self.sites.iter().map(|site| site.solver.restarts()).sum();
        self.board.count(NAME, "solver restarts", rebuilds);
        self.board.count(NAME, "questions", self.questions);
    }

    fn check_time(&self) -> Result<(), Reason> {
        if self.budget.is_exhausted() {
            return Err(Reason::out_of_time().at(format_args!("level {}", self.level)));
        }
        Ok(())
    }

    /// Assumes what others have proved since the last time.
    fn learn_facts(&mut self) {
        let first_new = self.known.maps().len();
        self.known.read(self.board, self.budget);
        for number in first_new..self.known.maps().len() {
            let map = self.known.maps()[number].clone();
            self.learn(&map);
        }
    }

    fn learn(&mut self, map: &InvariantMap) {
        for site in self.sites.iter_mut().skip(1) {
            for holds in map.at(&site.place.calls, site.place.location) {
                let encoder = &mut self.blocks.unwinder.encoder;
                if let Ok(term) = encoder.holds(&site.state, &map.pool, holds) {
                    site.solver.assert(&mut encoder.pool, term);
                }
            }
        }
    }

    fn ask(&mut self, site: usize, conditions: &[Term]) -> Result<Answer, Reason> {
        self.check_time()?;
        if self.questions >= self.most_questions {
            return Err(format!("no proof within {} solver queries", self.questions).into());
        }
        self.questions += 1;
        let pool = &mut self.blocks.unwinder.encoder.pool;
        match self.sites[site].solver.check(pool, conditions) {
            Answer::Unknown(reason) => Err(Reason::of_solver(self.budget, &reason)),
            answer => Ok(answer),
        }
    }

    /// A statement about the own state of a site, or about the state that one of its blocks ends in.
    fn literal(&mut self, key: StateKey, literal: ExprId) -> Option<Term> {
        if let Some(&known) = self.literals.get(&(key, literal)) {
            return known;
        }
        let (site, arrival) = key;
        let state = if arrival == OWN {
            &self.sites[site].state
        } else {
            &self.sites[site].to[arrival].1
        };
        let encoder = &mut self.blocks.unwinder.encoder;
        let term = encoder.holds(state, &self.candidates.pool, literal).ok();
        self.literals.insert((key, literal), term);
        term
    }

    /// Terms that switch on what is blocked at a level.
    fn frame(&mut self, level: u32) -> Vec<Term> {
        let pool = &mut self.blocks.unwinder.encoder.pool;
        (level..=self.level + 1)
            .map(|number| pool.var(&format!("pdr-level!{number}"), logic::Sort::Bool))
            .collect()
    }

    /// Records that no state of the cube is reached within `level` blocks.
    fn add_blocked(&mut self, site: usize, cube: &Cube, level: u32) {
        let mut terms = Vec::new();
        for &literal in cube {
            match self.literal((site, OWN), literal) {
                Some(term) => terms.push(term),
                // Cubes hold only what can be said of the own state.
                None => return,
            }
        }
        let pool = &mut self.blocks.unwinder.encoder.pool;
        let switch = pool.var(&format!("pdr-level!{level}"), logic::Sort::Bool);
        let inside = pool.and_all(terms);
        let outside = pool.not(inside);
        let clause = pool.implies(switch, outside);
        let this = &mut self.sites[site];
        this.solver.assert(pool, clause);
        this.blocked
            .retain(|(known, at)| *at > level || !is_subset(cube, known));
        this.blocked.push((cube.clone(), level));
    }

    /// The latest model as a cube of the site's own state.
    fn cube(&mut self, site: usize) -> Cube {
        let mut cube: Cube = Vec::new();
        for number in 0..self.sites[site].relevant.len() {
            let var = self.sites[site].relevant[number];
            let program = self.program;
            let ty = program.var(var).ty;
            let encoder = &mut self.blocks.unwinder.encoder;
            let this = &mut self.sites[site];
            let term = this
                .state
                .value(program, &encoder.slots, &mut encoder.pool, var);
            let bits = match this.solver.value(&encoder.pool, term) {
                Some(Value::Bv(value)) => value.to_u128(),
                Some(Value::Bool(value)) => Some(u128::from(value)),
                _ => None,
            };
            if let Some(bits) = bits {
                cube.extend(self.candidates.bounds(var, ty, bits));
            }
        }
        for number in 0..self.sites[site].vocabulary.len() {
            let statement = self.sites[site].vocabulary[number];
            let Some(term) = self.literal((site, OWN), statement) else {
                continue;
            };
            let pool = &self.blocks.unwinder.encoder.pool;
            match self.sites[site].solver.holds(pool, term) {
                Some(true) => cube.push(statement),
                Some(false) => cube.push(self.candidates.pool.not(statement)),
                None => {}
            }
        }
        cube.retain(|&literal| self.literal((site, OWN), literal).is_some());
        cube.sort_unstable();
        cube.dedup();
        cube
    }

    /// Leaves out of a cube whatever the violation or the next cube does not depend on: with the same inputs every
    /// state of the smaller cube goes the same way.
    fn lift(&mut self, site: usize, cube: Cube, goal: &[Term]) -> Result<Cube, Reason> {
        let encoder = &mut self.blocks.unwinder.encoder;
        let free = encoder.pool.free_vars_of(goal);
        let own: FxHashSet<Term> = {
            let program = self.program;
            let this = &self.sites[site];
            this.relevant
                .iter()
                .map(|&var| {
                    this.state
                        .value(program, &encoder.slots, &mut encoder.pool, var)
                })
                .collect()
        };
        let mut fixed: Vec<Term> = Vec::new();
        for var in free {
            if own.contains(&var) {
                continue;
            }
            let value = self.sites[site].solver.value(&encoder.pool, var);
            let pool = &mut encoder.pool;
            let constant = match value {
                Some(Value::Bool(true)) => TermPool::TRUE,
                Some(Value::Bool(false)) => TermPool::FALSE,
                Some(Value::Bv(value)) => match value.to_u128() {
                    Some(bits) => pool.bv(pool.width(var), bits),
                    None => return Ok(cube),
                },
                // What memory holds is not part of cubes: nothing can be left out then.
                _ => return Ok(cube),
            };
            fixed.push(pool.eq(var, constant));
        }
        let pool = &mut encoder.pool;
        let reached = pool.and_all(goal.iter().copied());
        let missed = pool.not(reached);
        let mut conditions: Vec<Term> = Vec::new();
        let mut of_term: FxHashMap<Term, ExprId> = FxHashMap::default();
        for &literal in &cube {
            if let Some(term) = self.literal((site, OWN), literal) {
                conditions.push(term);
                of_term.entry(term).or_insert(literal);
            }
        }
        conditions.extend(fixed);
        conditions.push(missed);
        if !self.ask(site, &conditions)?.is_unsat() {
            return Ok(cube);
        }
        let core = self.sites[site].solver.core();
        let mut lifted: Cube = core
            .iter()
            .filter_map(|term| of_term.get(term).copied())
            .collect();
        lifted.sort_unstable();
        lifted.dedup();
        Ok(lifted)
    }

    /// Shows that no violation is reached from the states of the current level.
    fn block_all_bad(&mut self) -> Result<(), Reason> {
        for site in 1..self.sites.len() {
            for number in 0..self.sites[site].bad.len() {
                loop {
                    let path = &self.sites[site].bad[number];
                    let goal = vec![path.term(&mut self.blocks.unwinder.encoder.pool)];
                    let mut conditions = goal.clone();
                    conditions.extend(self.frame(self.level));
                    if self.ask(site, &conditions)?.is_unsat() {
                        break;
                    }
                    let cube = self.cube(site);
                    let cube = self.lift(site, cube, &goal)?;
                    self.block(site, cube)?;
                }
            }
        }
        Ok(())
    }

    /// Shows that no state of the cube is reached within the current level.
    fn block(&mut self, site: usize, cube: Cube) -> Result<(), Reason> {
        let mut queue: BinaryHeap<Obligation> = BinaryHeap::new();
        let level = self.level;
        self.push(&mut queue, level, site, cube);
        while let Some(obligation) = queue.pop() {
            let Obligation {
                level, site, cube, ..
            } = obligation;
            if self.is_blocked(site, &cube, level) {
                continue;
            }
            match self.predecessor(site, &cube, level)? {
                Some((before, earlier)) => {
                    self.push(&mut queue, level - 1, before, earlier);
                    self.push(&mut queue, level, site, cube);
                }
                None => {
                    let general = self.generalise(site, cube.clone(), level)?;
                    let mut reached = level;
                    while reached < self.level
                        && self.is_unreachable(site, &general, reached + 1)?.is_some()
                    {
                        reached += 1;
                    }
                    self.add_blocked(site, &general, reached);
                    if reached < self.level {
                        self.push(&mut queue, reached + 1, site, cube);
                    }
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, queue: &mut BinaryHeap<Obligation>, level: u32, site: usize, cube: Cube) {
        self.order += 1;
        queue.push(Obligation {
            level,
            order: self.order,
            site,
            cube,
        });
    }

    fn is_blocked(&self, site: usize, cube: &Cube, level: u32) -> bool {
        self.sites[site]
            .blocked
            .iter()
            .any(|(known, at)| *at >= level && is_subset(known, cube))
    }

    /// A cube of states from which a block leads into the cube.
    fn predecessor(
        &mut self,
        site: usize,
        cube: &Cube,
        level: u32,
    ) -> Result<Option<(usize, Cube)>, Reason> {
        for (from, arrival) in self.sites[site].from.clone() {
            let Some((conditions, _)) = self.into((from, arrival), (site, cube), level) else {
                continue;
            };
            if self.ask(from, &conditions)?.is_unsat() {
                continue;
            }
            if from == START {
                let level = self.level;
                let why = format!(
                    "a counterexample to the proof obligations at level {level}; bounded model checking may confirm it"
                );
                return Err(why.into());
            }
            let found = self.cube(from);
            let path = &self.sites[from].to[arrival].1.path;
            let mut goal = vec![path.term(&mut self.blocks.unwinder.encoder.pool)];
            for &literal in cube {
                goal.extend(self.literal((from, arrival), literal));
            }
            let lifted = self.lift(from, found, &goal)?;
            return Ok(Some((from, lifted)));
        }
        Ok(None)
    }

    /// Moves what is blocked to higher levels; the level at which nothing stayed behind, if there is one.
    fn propagate(&mut self) -> Result<Option<u32>, Reason> {
        for level in 1..self.level {
            for site in 1..self.sites.len() {
                let here: Vec<Cube> = self.sites[site]
                    .blocked
                    .iter()
                    .filter(|(_, at)| *at == level)
                    .map(|(cube, _)| cube.clone())
                    .collect();
                for cube in here {
                    if self.is_unreachable(site, &cube, level + 1)?.is_some() {
                        self.sites[site]
                            .blocked
                            .retain(|(known, at)| !(*at == level && *known == cube));
                        self.add_blocked(site, &cube, level + 1);
                    }
                }
            }
            let stayed = self
                .sites
                .iter()
                .any(|site| site.blocked.iter().any(|(_, at)| *at == level));
            if !stayed {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// What is blocked above a level that nothing stayed at is inductive.
    fn certificate(&mut self, level: u32) -> Certificate {
        let mut pool = self.candidates.pool.clone();
        let all_maps = (0..self.known.maps().len()).collect();
        let mut nodes = Vec::new();
        for site in &self.sites[1..] {
            let known = self.known.statement(&mut pool, &all_maps, &site.place);
            let mut invariant = known.unwrap_or_else(|| pool.bool_constant(true));
            for (cube, at) in &site.blocked {
                if *at > level {
                    let truth = pool.bool_constant(true);
                    let inside = cube.iter().fold(truth, |all, &part| pool.and(all, part));
                    let outside = pool.not(inside);
                    invariant = pool.and(invariant, outside);
                }
            }
            nodes.push(AnnotatedNode {
                calls: CallPattern::Exactly(site.place.calls.clone()),
                location: site.place.location,
                invariant,
            });
        }
        Certificate::Graph(AnnotatedGraph { pool, nodes })
    }
}

/// Are all literals of the first cube in the second? Both are sorted.
fn is_subset(small: &[ExprId], large: &[ExprId]) -> bool {
    let mut rest = large.iter();
    small
        .iter()
        .all(|literal| rest.by_ref().any(|other| other == literal))
}
