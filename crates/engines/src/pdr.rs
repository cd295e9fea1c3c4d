//! Property-directed reachability over blocks: IC3 lifted from one transition relation to the graph
//! of loop heads.
//!
//! After Bradley2011: A. R. Bradley, SAT-based model checking without unrolling, VMCAI 2011, and
//! Een2011: N. Een, A. Mishchenko, R. Brayton, Efficient implementation of property directed
//! reachability, FMCAD 2011; frames per location as in the thesis on IC3CFA's generalisation,
//! section 3.
//!
//! | IC3 | here |
//! |---|---|
//! | F_i | [`induction::frames`]: cubes blocked at level i or above, by loop head and call string |
//! | initial states | the block from the start of the program, which every level has |
//! | transition relation | the blocks between loop heads ([`induction::graph`]) |
//! | proof obligation (s, i) | [`induction::obligations`] |
//! | relative induction, generalisation by unsatisfiable cores | [`induction::relative`] |
//!
//! Deviations: literals are program-level statements (bounds of variables, comparisons that the
//! program makes or might make), so that a core is a statement about variables and not about bits;
//! level 0 is empty, because the start of the program is a place of its own. Facts from the board
//! are assumed in every frame.

use crate::candidates::Candidates;
use cfa::expr::{ExprId, VarId};
use cfa::place::CallPattern;
use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::{AnnotatedGraph, AnnotatedNode, Certificate};
use facts::engine::{Board, Engine, Outcome, Reason};
use induction::graph::{BlockId, PlaceId, ROOT, Target};
use induction::known::Known;
use induction::obligations::{Obligations, Ties};
use induction::relative::{Relative, clause};
use induction::relevant::relevant_variables;
use logic::{Cube, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

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
        match prove(program, board, budget, self.options.most_questions) {
            Ok(certificate) => Outcome::Answer(certificate),
            Err(reason) => Outcome::Unknown(reason),
        }
    }
}

/// More places than this are not worth the time.
const MAX_PLACES: usize = 300;

/// What cubes of a place are made of.
#[derive(Default)]
struct Vocabulary {
    /// Variables that decide what the blocks from it do.
    relevant: Vec<VarId>,
    /// Statements about them, besides bounds.
    statements: Vec<ExprId>,
}

struct Search<'a> {
    program: &'a Program,
    relative: Relative<'a>,
    candidates: Candidates<'a>,
    /// For each place.
    vocabularies: Vec<Vocabulary>,
    board: &'a dyn Board,
    budget: &'a Budget,
    /// The facts that every frame has.
    known: Known<'a>,
}

fn prove(
    program: &Program,
    board: &dyn Board,
    budget: &Budget,
    max_questions: u64,
) -> Result<Certificate, Reason> {
    let mut relative = Relative::new(program, budget, MAX_PLACES, max_questions)?;
    board.count(NAME, "places", relative.places().count() as u64);
    let mut candidates = Candidates::new(program);
    let mut vocabularies = vec![Vocabulary::default()];
    let relevant = relevant_variables(&mut relative.graph);
    for (place, relevant) in relative.places().zip(&relevant[1..]) {
        let mut variables: Vec<VarId> = relevant.iter().copied().collect();
        variables.sort_unstable();
        vocabularies.push(Vocabulary {
            relevant: variables,
            statements: candidates.vocabulary(relative.graph.place(place), relevant),
        });
    }
    let mut search = Search {
        program,
        relative,
        candidates,
        vocabularies,
        board,
        budget,
        known: Known::new(program),
    };
    search.run()
}

impl Search<'_> {
    fn run(&mut self) -> Result<Certificate, Reason> {
        self.learn_facts();
        // A violation in the first block is for others to find.
        for block in self.ends(ROOT) {
            let path = self.relative.graph.block(block).path.clone();
            if !self.relative.ask(ROOT, &path)?.is_unsat() {
                return Err("a violation may be reachable before the first loop".into());
            }
        }
        loop {
            let level = self.relative.level;
            self.board.progress(NAME, &format!("level {level}"));
            self.board.count(NAME, "level", u64::from(level));
            let blocked = self.block_all_bad();
            self.count_solver_work();
            blocked?;
            self.learn_facts();
            self.relative.level += 1;
            if let Some(level) = self.propagate()? {
                return Ok(self.certificate(level));
            }
            let places = self.relative.places();
            let clauses: usize = places.map(|at| self.relative.frames(at).len()).sum();
            self.board.count(NAME, "clauses", clauses as u64);
            self.board
                .count(NAME, "questions", self.relative.questions());
        }
    }

    fn count_solver_work(&self) {
        let restarts = self.relative.solver_restarts();
        self.board.count(NAME, "solver restarts", restarts);
        self.board
            .count(NAME, "questions", self.relative.questions());
    }

    /// Assumes what others have proved since the last time.
    fn learn_facts(&mut self) {
        let first_new = self.known.maps().len();
        self.known.read(self.board, self.budget);
        for map in &self.known.maps()[first_new..] {
            self.relative.learn(map);
        }
    }

    /// The blocks from a place that lead to violations and to what is not followed.
    fn ends(&mut self, place: PlaceId) -> Vec<BlockId> {
        let graph = &mut self.relative.graph;
        let outgoing = graph.outgoing(place, &self.budget.stop);
        let is_end = |block: &BlockId| !matches!(graph.block(*block).target, Target::Place(_));
        outgoing.iter().copied().filter(is_end).collect()
    }

    /// The latest model as a cube of the state that blocks from the place begin in.
    fn cube(&mut self, place: PlaceId) -> Cube<ExprId> {
        let mut literals: Vec<ExprId> = Vec::new();
        let state = self.relative.graph.start(place);
        let Vocabulary {
            relevant,
            statements,
        } = &self.vocabularies[place.0 as usize];
        for &var in relevant {
            let encoder = self.relative.graph.encoder();
            let pool = &mut encoder.pool;
            let term = state.value(self.program, &encoder.slots, pool, var);
            let bits = match self.relative.value(place, term) {
                Some(Value::Bv(value)) => value.to_u128(),
                Some(Value::Bool(value)) => Some(u128::from(value)),
                _ => None,
            };
            if let Some(bits) = bits {
                let ty = self.program.var(var).ty;
                literals.extend(self.candidates.bounds(var, ty, bits));
            }
        }
        for &statement in statements {
            let pool = &mut self.candidates.pool;
            let Some(term) = self.relative.before(pool, place, statement) else {
                continue;
            };
            match self.relative.value(place, term) {
                Some(Value::Bool(true)) => literals.push(statement),
                Some(Value::Bool(false)) => literals.push(pool.not(statement)),
                _ => {}
            }
        }
        let pool = &self.candidates.pool;
        self.relative.sayable(pool, place, literals)
    }

    /// Leaves out of a cube whatever the violation or the next cube does not depend on: with the
    /// same inputs every state of the smaller cube goes the same way.
    fn lift(
        &mut self,
        place: PlaceId,
        cube: Cube<ExprId>,
        goal: &[Term],
    ) -> Result<Cube<ExprId>, Reason> {
        let state = self.relative.graph.start(place);
        let encoder = self.relative.graph.encoder();
        let relevant = &self.vocabularies[place.0 as usize].relevant;
        let own: FxHashSet<Term> = relevant
            .iter()
            .map(|&var| state.value(self.program, &encoder.slots, &mut encoder.pool, var))
            .collect();
        let mut conditions: Vec<Term> = Vec::new();
        let mut of_term: FxHashMap<Term, ExprId> = FxHashMap::default();
        let mut fixed: Vec<Term> = Vec::new();
        for var in self.relative.graph.pool().free_vars_of(goal) {
            if own.contains(&var) {
                continue;
            }
            let value = self.relative.value(place, var);
            let pool = self.relative.graph.pool();
            let constant = match value {
                Some(Value::Bool(value)) => pool.bool(value),
                Some(Value::Bv(value)) => match value.to_u128() {
                    Some(bits) => pool.bv(pool.width(var), bits),
                    None => return Ok(cube),
                },
                // What memory holds is not part of cubes: nothing can be left out then.
                _ => return Ok(cube),
            };
            fixed.push(pool.eq(var, constant));
        }
        for &literal in cube.literals() {
            let pool = &self.candidates.pool;
            if let Some(term) = self.relative.before(pool, place, literal) {
                conditions.push(term);
                of_term.entry(term).or_insert(literal);
            }
        }
        conditions.extend(fixed);
        let pool = self.relative.graph.pool();
        let reached = pool.and_all(goal.iter().copied());
        conditions.push(pool.not(reached));
        if !self.relative.ask(place, &conditions)?.is_unsat() {
            return Ok(cube);
        }
        let core = self.relative.solver(place).core().iter();
        Ok(core.filter_map(|term| of_term.get(term).copied()).collect())
    }

    /// Shows that no violation is reached from the states of the current level.
    fn block_all_bad(&mut self) -> Result<(), Reason> {
        for place in self.relative.places() {
            for block in self.ends(place) {
                loop {
                    let goal = [self.relative.graph.path(block)];
                    let mut conditions = goal.to_vec();
                    conditions.extend(self.relative.frame(self.relative.level));
                    if self.relative.ask(place, &conditions)?.is_unsat() {
                        break;
                    }
                    let cube = self.cube(place);
                    let cube = self.lift(place, cube, &goal)?;
                    self.block(place, cube)?;
                }
            }
        }
        Ok(())
    }

    /// Shows that no state of the cube is reached within the current level.
    fn block(&mut self, place: PlaceId, cube: Cube<ExprId>) -> Result<(), Reason> {
        let highest = self.relative.level;
        let mut obligations = Obligations::new(Ties::Newest);
        obligations.push(highest, (place, cube));
        while let Some((level, (place, cube))) = obligations.pop() {
            if self.relative.frames(place).blocks(&cube, level) {
                continue;
            }
            if let Some(earlier) = self.predecessor(place, &cube, level)? {
                obligations.push(level - 1, earlier);
                obligations.push(level, (place, cube));
                continue;
            }
            let pool = &self.candidates.pool;
            let relative = &mut self.relative;
            let general = relative.generalise(pool, place, cube.clone(), level)?;
            let mut reached = level;
            while reached < highest
                && relative
                    .is_unreachable(pool, place, &general, reached + 1)?
                    .is_some()
            {
                reached += 1;
            }
            relative.block(pool, place, &general, reached);
            if reached < highest {
                obligations.push(reached + 1, (place, cube));
            }
        }
        Ok(())
    }

    /// A cube of states from which a block leads into the cube.
    fn predecessor(
        &mut self,
        place: PlaceId,
        cube: &Cube<ExprId>,
        level: u32,
    ) -> Result<Option<(PlaceId, Cube<ExprId>)>, Reason> {
        for block in self.relative.graph.incoming(place).to_vec() {
            let pool = &self.candidates.pool;
            let asked = self.relative.into_cube(pool, block, (place, cube), level);
            let Some((conditions, _)) = asked else {
                continue;
            };
            let from = self.relative.graph.block(block).source;
            if self.relative.ask(from, &conditions)?.is_unsat() {
                continue;
            }
            if from == ROOT {
                let level = self.relative.level;
                let why = format!(
                    "a counterexample to the proof obligations at level {level}; bounded model checking may confirm it"
                );
                return Err(why.into());
            }
            let found = self.cube(from);
            let mut goal = vec![self.relative.graph.path(block)];
            for &literal in cube.literals() {
                let pool = &self.candidates.pool;
                goal.extend(self.relative.after(pool, block, literal));
            }
            let lifted = self.lift(from, found, &goal)?;
            return Ok(Some((from, lifted)));
        }
        Ok(None)
    }

    /// Moves what is blocked to higher levels; the level at which nothing stayed behind, if there
    /// is one.
    fn propagate(&mut self) -> Result<Option<u32>, Reason> {
        let (pool, relative) = (&self.candidates.pool, &mut self.relative);
        for level in 1..relative.level {
            for place in relative.places() {
                for cube in relative.frames(place).delta(level) {
                    let next = relative.is_unreachable(pool, place, &cube, level + 1)?;
                    if next.is_some() {
                        relative.block(pool, place, &cube, level + 1);
                    }
                }
            }
            let mut places = relative.places();
            if places.all(|place| relative.frames(place).is_fixed_at(level)) {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// What is blocked above a level that nothing stayed at is inductive.
    fn certificate(&self, level: u32) -> Certificate {
        let mut pool = self.candidates.pool.clone();
        let all_maps = (0..self.known.maps().len()).collect();
        let mut nodes = Vec::new();
        for id in self.relative.places() {
            let place = self.relative.graph.place(id);
            let known = self.known.statement(&mut pool, &all_maps, place);
            let mut invariant = known.unwrap_or_else(|| pool.bool_constant(true));
            for cube in self.relative.frames(id).at(level + 1) {
                let outside = clause(&mut pool, cube);
                invariant = pool.and(invariant, outside);
            }
            nodes.push(AnnotatedNode {
                calls: CallPattern::Exactly(place.calls.clone()),
                location: place.location,
                invariant,
            });
        }
        Certificate::Graph(AnnotatedGraph { pool, nodes })
    }
}
