//! Induction relative to frames, over the graph of blocks.
//!
//! Bradley2011: A. R. Bradley: SAT-based model checking without unrolling, VMCAI 2011, and Een2011:
//! N. Eén, A. Mishchenko, R. Brayton: Efficient implementation of property directed reachability,
//! FMCAD 2011; frames per place as in the thesis on IC3CFA's generalisation, section 3.
//!
//! | there | here |
//! |---|---|
//! | F_i | [`Relative::frames`], for each place; [`ROOT`] has the initial state instead |
//! | F_{i-1} ∧ ¬c ∧ T ∧ c' is unsatisfiable | [`Relative::is_unreachable`], block by block |
//! | generalisation by unsatisfiable cores and by dropping literals | [`Relative::generalise`] |
//!
//! Literals are expressions. One that has no formula at the end of a block is left out there: then
//! more states count as inside, which is on the safe side.
//!
//! Laws (see the tests): what [`Relative::generalise`] returns is a subset of the cube it was
//! given, and unreachable as well. [`Relative::exclude`] returns only what holds in every
//! execution, given what was learned.

use crate::frames::Frames;
use crate::graph::{BlockGraph, BlockId, PlaceId, ROOT};
use crate::statements::Statements;
use cfa::expr::{ExprId, ExprPool};
use cfa::program::Program;
use facts::budget::{Budget, SolverBudget};
use facts::engine::Reason;
use facts::invariants::InvariantMap;
use logic::{Answer, Cube, Solver, Sort, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Single literals that generalisation tries to leave out.
const MAX_DROPS: usize = 24;
/// A level whose blocks may begin at any place.
const ANYWHERE: u32 = 2;

/// The conditions of a question, with the literals that some of them stand for.
pub type Conditions = (Vec<Term>, FxHashMap<Term, ExprId>);

pub struct Relative<'a> {
    pub graph: BlockGraph<'a>,
    statements: Statements,
    budget: &'a Budget,
    /// For each place: holds facts, and its frames behind switches.
    solvers: Vec<Box<dyn Solver>>,
    frames: Vec<Frames<ExprId>>,
    /// The highest level that is looked at.
    pub level: u32,
    questions: u64,
    max_questions: u64,
}

impl<'a> Relative<'a> {
    /// Explores the program; more than `max_places` are not worth the time.
    pub fn new(
        program: &'a Program,
        budget: &'a Budget,
        max_places: usize,
        max_questions: u64,
    ) -> Result<Relative<'a>, Reason> {
        let mut graph = BlockGraph::between_loop_heads(program);
        graph.explore(max_places, &budget.stop)?;
        let count = graph.place_count();
        Ok(Relative {
            graph,
            statements: Statements::default(),
            budget,
            solvers: (0..count).map(|_| budget.make_solver(0)).collect(),
            frames: (0..count).map(|_| Frames::default()).collect(),
            level: 1,
            questions: 0,
            max_questions,
        })
    }

    /// The cut points, without the start.
    pub fn places(&self) -> impl Iterator<Item = PlaceId> + use<> {
        self.graph.places().skip(1)
    }

    pub fn questions(&self) -> u64 {
        self.questions
    }

    pub fn frames(&self, place: PlaceId) -> &Frames<ExprId> {
        &self.frames[place.0 as usize]
    }

    /// The solver that the questions about blocks from the place go to.
    pub fn solver(&mut self, place: PlaceId) -> &mut dyn Solver {
        self.solvers[place.0 as usize].as_mut()
    }

    /// The value of a term in the latest model of the place's solver.
    pub fn value(&mut self, place: PlaceId, term: Term) -> Option<Value> {
        self.solvers[place.0 as usize].value(&self.graph.unwinder.encoder.pool, term)
    }

    /// How often solvers were started anew.
    pub fn solver_restarts(&self) -> u64 {
        self.solvers.iter().map(|solver| solver.restarts()).sum()
    }

    pub fn check_time(&self) -> Result<(), Reason> {
        if self.budget.is_exhausted() {
            return Err(Reason::out_of_time().at(format_args!("level {}", self.level)));
        }
        Ok(())
    }

    /// Takes a map for granted in every state.
    pub fn learn(&mut self, map: &InvariantMap) {
        for id in self.places() {
            let (state, place) = (self.graph.start(id), self.graph.place(id).clone());
            for holds in map.at(&place.calls, place.location) {
                let encoder = self.graph.encoder();
                if let Ok(term) = encoder.holds(&state, &map.pool, holds) {
                    self.solvers[id.0 as usize].assert(&mut encoder.pool, term);
                }
            }
        }
    }

    /// Can the conditions hold at the beginning of blocks from the place?
    pub fn ask(&mut self, place: PlaceId, conditions: &[Term]) -> Result<Answer, Reason> {
        self.check_time()?;
        if self.questions >= self.max_questions {
            return Err(format!("no proof within {} solver queries", self.questions).into());
        }
        self.questions += 1;
        let solver = &mut self.solvers[place.0 as usize];
        match solver.check(self.graph.pool(), conditions) {
            Answer::Unknown(reason) => Err(Reason::of_solver(self.budget, &reason)),
            answer => Ok(answer),
        }
    }

    /// A literal about the state in which blocks from the place begin.
    pub fn before(&mut self, pool: &ExprPool, place: PlaceId, literal: ExprId) -> Option<Term> {
        (self.statements).at_start(&mut self.graph, pool, place, literal)
    }

    /// A literal about the state in which the block ends.
    pub fn after(&mut self, pool: &ExprPool, block: BlockId, literal: ExprId) -> Option<Term> {
        (self.statements).at_end(&mut self.graph, pool, block, literal)
    }

    /// The literals that have a formula at the place.
    pub fn sayable(
        &mut self,
        pool: &ExprPool,
        place: PlaceId,
        literals: impl IntoIterator<Item = ExprId>,
    ) -> Cube<ExprId> {
        let literals = literals.into_iter();
        literals
            .filter(|&literal| self.before(pool, place, literal).is_some())
            .collect()
    }

    fn switch(&mut self, level: u32) -> Term {
        let name = format!("frame!{level}");
        self.graph.pool().var(&name, Sort::Bool)
    }

    /// Switches on what is blocked at a level.
    pub fn frame(&mut self, level: u32) -> Vec<Term> {
        let levels = level..=self.level + 1;
        levels.map(|number| self.switch(number)).collect()
    }

    /// That a state at the place is outside of the cube; literals without a formula are left out.
    fn outside(&mut self, pool: &ExprPool, place: PlaceId, cube: &Cube<ExprId>) -> Term {
        let mut inside = Vec::new();
        for &literal in cube.literals() {
            inside.extend(self.before(pool, place, literal));
        }
        let terms = self.graph.pool();
        let inside = terms.and_all(inside);
        terms.not(inside)
    }

    /// Records that no state of the cube is reached within `level` blocks. Its literals have
    /// formulas at the place ([`Relative::sayable`]).
    pub fn block(&mut self, pool: &ExprPool, place: PlaceId, cube: &Cube<ExprId>, level: u32) {
        let outside = self.outside(pool, place, cube);
        let switch = self.switch(level);
        let clause = self.graph.pool().implies(switch, outside);
        self.solvers[place.0 as usize].assert(self.graph.pool(), clause);
        self.frames[place.0 as usize].add(cube, level);
    }

    /// The conditions under which a block leads into a cube from states of the level before; `None`
    /// if there are no such states.
    pub fn into_cube(
        &mut self,
        pool: &ExprPool,
        block: BlockId,
        (place, cube): (PlaceId, &Cube<ExprId>),
        level: u32,
    ) -> Option<Conditions> {
        let from = self.graph.block(block).source;
        if from != ROOT && level <= 1 {
            return None;
        }
        // As one condition: a solver goes through its assumptions one by one at every restart.
        let mut conditions = vec![self.graph.path(block)];
        if from != ROOT {
            conditions.extend(self.frame(level - 1));
        }
        if from == place {
            // Relative to the cube itself being blocked.
            conditions.push(self.outside(pool, place, cube));
        }
        let mut of_term = FxHashMap::default();
        for &literal in cube.literals() {
            if let Some(term) = self.after(pool, block, literal) {
                conditions.push(term);
                of_term.entry(term).or_insert(literal);
            }
        }
        Some((conditions, of_term))
    }

    /// If no block leads into the cube: the literals that are enough for that.
    pub fn is_unreachable(
        &mut self,
        pool: &ExprPool,
        place: PlaceId,
        cube: &Cube<ExprId>,
        level: u32,
    ) -> Result<Option<FxHashSet<ExprId>>, Reason> {
        let mut needed = FxHashSet::default();
        for block in self.graph.incoming(place).to_vec() {
            let asked = self.into_cube(pool, block, (place, cube), level);
            let Some((conditions, of_term)) = asked else {
                continue;
            };
            let from = self.graph.block(block).source;
            if !self.ask(from, &conditions)?.is_unsat() {
                return Ok(None);
            }
            let core = self.solvers[from.0 as usize].core().iter();
            needed.extend(core.filter_map(|term| of_term.get(term).copied()));
        }
        Ok(Some(needed))
    }

    /// A cube with fewer literals, and so more states, that is unreachable as well.
    pub fn generalise(
        &mut self,
        pool: &ExprPool,
        place: PlaceId,
        cube: Cube<ExprId>,
        level: u32,
    ) -> Result<Cube<ExprId>, Reason> {
        let mut cube = cube;
        // The cores of the blocks together.
        if let Some(needed) = self.is_unreachable(pool, place, &cube, level)? {
            cube = self.reduce(pool, place, cube, &needed, level)?;
        }
        let mut tried = 0;
        let mut position = 0;
        while position < cube.len() && tried < MAX_DROPS {
            tried += 1;
            let smaller = cube.without(cube.literals()[position]);
            match self.is_unreachable(pool, place, &smaller, level)? {
                Some(needed) => cube = self.reduce(pool, place, smaller, &needed, level)?,
                None => position += 1,
            }
        }
        Ok(cube)
    }

    /// The cube without literals that were not needed, if that is unreachable as well: relative
    /// induction needs the smaller cube itself.
    fn reduce(
        &mut self,
        pool: &ExprPool,
        place: PlaceId,
        cube: Cube<ExprId>,
        needed: &FxHashSet<ExprId>,
        level: u32,
    ) -> Result<Cube<ExprId>, Reason> {
        let smaller = cube.filtered(|literal| needed.contains(&literal));
        let is_smaller = smaller.len() < cube.len();
        let holds = is_smaller && self.is_unreachable(pool, place, &smaller, level)?.is_some();
        Ok(if holds { smaller } else { cube })
    }

    /// A part of the cube that no execution is ever in at the place, given what was learned; from
    /// now on that is among it.
    pub fn exclude(
        &mut self,
        pool: &ExprPool,
        place: PlaceId,
        cube: Cube<ExprId>,
    ) -> Result<Option<Cube<ExprId>>, Reason> {
        if self.is_unreachable(pool, place, &cube, ANYWHERE)?.is_none() {
            return Ok(None);
        }
        let cube = self.generalise(pool, place, cube, ANYWHERE)?;
        let outside = self.outside(pool, place, &cube);
        self.solvers[place.0 as usize].assert(self.graph.pool(), outside);
        Ok(Some(cube))
    }
}

/// The statement that a state is outside of the cube.
pub fn clause(pool: &mut ExprPool, cube: &Cube<ExprId>) -> ExprId {
    let all = pool.bool_constant(true);
    let literals = cube.literals().iter();
    let inside = literals.fold(all, |all, &part| pool.and(all, part));
    pool.not(inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, bound, load, var};

    /// x stays below 8 and is what y was before.
    const BOUNDED: &str = "unsigned x, y, z; int main(void) { while (n()) { z = n(); x = y;
        if (y < 7) y = y + 1; if (n()) y = z & 3; } return 0; }";

    #[test]
    fn what_is_generalised_is_smaller_and_unreachable() {
        let program = load(BOUNDED);
        let budget = Budget::unlimited();
        let mut random = Random(9);
        let mut excluded = 0;
        for _ in 0..25 {
            let mut relative = Relative::new(&program, &budget, 9, u64::MAX).expect("explored");
            let (mut pool, place) = (program.pool.clone(), PlaceId(1));
            let literals: Vec<ExprId> = (0..4)
                .map(|_| {
                    let name = ["x", "y", "z"][random.below(3) as usize];
                    let limit = [0, 3, 6, 7, 8, 20][random.below(6) as usize];
                    let upper = random.below(3) == 0;
                    bound(&program, &mut pool, var(&program, name), upper, limit)
                })
                .collect();
            let cube = relative.sayable(&pool, place, literals);
            let unreachable = relative.is_unreachable(&pool, place, &cube, ANYWHERE);
            let is_unreachable = unreachable.expect("decided").is_some();
            let found = relative
                .exclude(&pool, place, cube.clone())
                .expect("decided");
            assert_eq!(found.is_some(), is_unreachable);
            if let Some(found) = found {
                excluded += 1;
                assert!(found.is_subset(&cube));
                // Nothing was learned besides: it is inductive alone.
                let mut again = Relative::new(&program, &budget, 9, u64::MAX).expect("explored");
                let unreachable = again.is_unreachable(&pool, place, &found, ANYWHERE);
                assert!(unreachable.expect("decided").is_some());
            }
        }
        assert!((3..23).contains(&excluded), "{excluded}");
    }

    #[test]
    fn questions_have_a_limit() {
        let program = load(BOUNDED);
        let budget = Budget::unlimited();
        let mut relative = Relative::new(&program, &budget, 9, 1).expect("explored");
        assert!(relative.ask(ROOT, &[]).is_ok());
        assert!(relative.ask(ROOT, &[]).is_err());
        assert_eq!(relative.questions(), 1);
    }
}
