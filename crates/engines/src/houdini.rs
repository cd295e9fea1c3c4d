//! The largest inductive subset of a set of guesses ([`induction::houdini`]), with the blocks
//! between loop heads as the unit of induction. The guesses are those of [`Candidates::at`], then
//! clauses of two.
//!
//! The guesses hold at loop heads and call strings, and blocks are exact, so nothing has to be
//! guessed in between. What remains is published as facts; if no error can be reached from it, it
//! is a proof. Both only if no execution leaves what blocks follow (a recursion that is too deep,
//! something without a formula): it would come back with a state that nothing was asked about.

use crate::candidates::Candidates;
use cfa::expr::{ExprId, ExprPool};
use cfa::place::{CallPattern, Place};
use cfa::program::Program;
use encoding::unwind::CutReason;
use facts::budget::{Budget, SolverBudget};
use facts::certificate::{AnnotatedGraph, Certificate};
use facts::engine::{Board, Engine, Outcome, Reason};
use facts::invariants::{Invariant, InvariantMap};
use facts::words::count;
use induction::graph::{BlockGraph, BlockId, PlaceId, ROOT, Target};
use induction::hoare::{HoareChecker, Solvers, Step, Validity};
use induction::houdini::{Candidate, Obligation, Questions, Undecided};
use induction::statements::Statements;
use logic::{Term, TermPool};
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Houdini {}

const NAME: &str = "houdini";

impl Engine for Houdini {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let mut search = Search::new(program, None, NAME, board, budget);
        match search.run() {
            Ok(outcome) => outcome,
            Err(reason) => Outcome::Unknown(reason),
        }
    }
}

/// Guesses of somebody else, besides those of [`Candidates`].
pub trait Guesses {
    /// The program's pool, extended.
    fn pool(&self) -> &ExprPool;
    /// Clauses that may hold at a place; `pool` is the guesses' own one, extended.
    fn at(&mut self, pool: &mut ExprPool, place: &Place) -> Vec<Clause>;
}

/// An annotation that proves the program safe, made of single candidates and other guesses; why
/// there is none. Nothing is published.
pub fn prove_with(
    program: &Program,
    guesses: &mut dyn Guesses,
    name: &'static str,
    board: &dyn Board,
    budget: &Budget,
) -> Result<AnnotatedGraph, Reason> {
    let mut search = Search::new(program, Some(guesses), name, board, budget);
    if !search.explore()? {
        return Err("a violation may be reachable before the first loop".into());
    }
    search.sieve_all()?;
    match search.is_safe()? {
        true => Ok(search.map().into()),
        false => Err(search.summary().into()),
    }
}

/// What is guessed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Single statements.
    Single,
    /// What is left of them, and clauses of two.
    Pairs,
}

/// More places than this are not worth the time.
const MAX_PLACES: usize = 400;

/// A candidate: one of its statements holds.
pub type Clause = Vec<ExprId>;

/// A loop head with calls.
struct Head {
    id: PlaceId,
    /// What was guessed at first, for clauses to be made of.
    atoms: Vec<ExprId>,
    /// Its candidates, left or not.
    candidates: Vec<Candidate>,
}

/// Clauses by their numbers.
struct Clauses<'a> {
    graph: BlockGraph<'a>,
    candidates: Candidates<'a>,
    statements: Statements,
    list: Vec<Clause>,
}

struct Search<'a> {
    /// Who asks.
    name: &'static str,
    clauses: Clauses<'a>,
    houdini: induction::houdini::Houdini,
    checker: HoareChecker,
    guesses: Option<&'a mut dyn Guesses>,
    guessed: usize,
    board: &'a dyn Board,
    budget: &'a Budget,
    heads: BTreeMap<Place, Head>,
}

impl induction::houdini::Candidates for Clauses<'_> {
    fn pool(&mut self) -> &mut TermPool {
        self.graph.pool()
    }

    fn assumed(&mut self, step: u32, candidate: Candidate) -> Option<Term> {
        let source = self.graph.block(BlockId(step)).source;
        self.at_start(source, candidate)
    }

    /// What cannot be said is not known.
    fn claimed(&mut self, step: u32, candidate: Candidate) -> Option<Term> {
        let mut terms = Vec::new();
        for &atom in &self.list[candidate] {
            let (graph, pool) = (&mut self.graph, &self.candidates.pool);
            terms.extend((self.statements).at_end(graph, pool, BlockId(step), atom));
        }
        Some(self.graph.pool().or_all(terms))
    }
}

impl Clauses<'_> {
    fn at_start(&mut self, place: PlaceId, candidate: Candidate) -> Option<Term> {
        let mut terms = Vec::new();
        for &atom in &self.list[candidate] {
            let (graph, pool) = (&mut self.graph, &self.candidates.pool);
            terms.push((self.statements).at_start(graph, pool, place, atom)?);
        }
        Some(self.graph.pool().or_all(terms))
    }
}

impl<'a> Search<'a> {
    fn new(
        program: &'a Program,
        guesses: Option<&'a mut dyn Guesses>,
        name: &'static str,
        board: &'a dyn Board,
        budget: &'a Budget,
    ) -> Search<'a> {
        let mut candidates = Candidates::new(program);
        if let Some(guesses) = &guesses {
            candidates.pool = guesses.pool().clone();
        }
        let (questions, undecided) = (Questions::Together, Undecided::EndsTheSearch);
        let solvers = budget.clone();
        Search {
            name,
            clauses: Clauses {
                graph: BlockGraph::between_loop_heads(program),
                candidates,
                statements: Statements::default(),
                list: Vec::new(),
            },
            houdini: induction::houdini::Houdini::new(questions, undecided),
            checker: HoareChecker::new(Solvers::Shared, &budget.stop, move || {
                solvers.make_solver(0)
            }),
            guesses,
            guessed: 0,
            board,
            budget,
            heads: BTreeMap::new(),
        }
    }

    fn run(&mut self) -> Result<Outcome, Reason> {
        let safe_start = self.explore()?;
        let mut beyond = None;
        for phase in [Phase::Single, Phase::Pairs] {
            if phase == Phase::Pairs {
                self.add_pairs();
            }
            self.sieve_all()?;
            if self.size() == 0 {
                continue;
            }
            let map = self.map();
            if safe_start && self.is_safe()? {
                return Ok(Outcome::Answer(Certificate::Graph(map.into())));
            }
            beyond = self.not_followed()?;
            if beyond.is_none() {
                self.board.publish(map);
            }
        }
        Err(beyond.unwrap_or_else(|| self.summary().into()))
    }

    /// Why executions are not followed, if the candidates that are left allow such. (Those that
    /// begin at the start are asked for in [`Search::explore`].)
    fn not_followed(&mut self) -> Result<Option<Reason>, Reason> {
        for (place, block) in self.ends() {
            let Target::Beyond(why) = self.clauses.graph.block(block).target.clone() else {
                continue;
            };
            if self.is_possible(Some(&place), block)? {
                return Ok(Some(self.beyond(&why)));
            }
        }
        Ok(None)
    }

    fn beyond(&self, reason: &CutReason) -> Reason {
        let why = reason.describe(self.clauses.graph.program());
        Reason::Unsupported(format!("some executions cannot be encoded: {why}"))
    }

    /// The blocks from loop heads that lead to violations and to what is not followed.
    fn ends(&mut self) -> Vec<(Place, BlockId)> {
        let mut found = Vec::new();
        for (place, head) in &self.heads {
            let graph = &mut self.clauses.graph;
            for &block in graph.outgoing(head.id, &self.budget.stop).iter() {
                if !matches!(graph.block(block).target, Target::Place(_)) {
                    found.push((place.clone(), block));
                }
            }
        }
        found
    }

    /// Can a block be passed from a state that the candidates left at its loop head allow?
    fn is_possible(&mut self, head: Option<&Place>, block: BlockId) -> Result<bool, Reason> {
        self.check_time()?;
        let mut assumed = Vec::new();
        if let Some(head) = head.and_then(|place| self.heads.get(place)) {
            for &candidate in &head.candidates {
                if self.houdini.is_left(candidate) {
                    assumed.extend(self.clauses.at_start(head.id, candidate));
                }
            }
        }
        let path = self.clauses.graph.block(block).path.clone();
        let step = Step {
            key: block.0,
            path: &path,
        };
        let pool = self.clauses.graph.pool();
        match self.checker.ask(pool, step, &assumed, TermPool::FALSE) {
            Validity::Valid => Ok(false),
            Validity::Invalid => Ok(true),
            Validity::Unknown(why) => Err(Reason::of_solver(self.budget, &why)),
        }
    }

    /// Leaves the candidates that are inductive.
    fn sieve_all(&mut self) -> Result<(), Reason> {
        self.guessed = self.size();
        let (name, places, guessed) = (self.name, self.heads.len(), self.guessed);
        self.board.count(name, "places", places as u64);
        self.board.count(name, "candidates", guessed as u64);
        let (all, at) = (count(guessed, "candidate"), count(places, "place"));
        self.board.progress(name, &format!("{all} at {at}"));
        let result = self.houdini.run(&mut self.clauses, &mut self.checker);
        result.map_err(|why| why.reason(self.budget))?;
        self.board.count(name, "invariants", self.size() as u64);
        let questions = self.checker.counts().solved;
        self.board.count(name, "questions", questions);
        Ok(())
    }

    fn summary(&self) -> String {
        format!(
            "{} of {} inductive, but they do not prove the property",
            self.size(),
            match self.guessed {
                1 => "1 candidate is".to_owned(),
                guessed => format!("{guessed} candidates are"),
            }
        )
    }

    fn size(&self) -> usize {
        self.houdini.left()
    }

    /// A clause that may hold at a place, unless it cannot be said or always holds there.
    fn add_candidate(&mut self, place: PlaceId, clause: Clause) -> Option<Candidate> {
        let candidate = self.clauses.list.len();
        self.clauses.list.push(clause);
        if let Some(TermPool::TRUE) | None = self.clauses.at_start(place, candidate) {
            self.clauses.list.pop();
            return None;
        }
        let number = self.houdini.add_candidate();
        debug_assert_eq!(number, candidate);
        Some(candidate)
    }

    /// Clauses that may hold at a place.
    fn add_candidates(&mut self, place: PlaceId, clauses: Vec<Clause>) -> Vec<Candidate> {
        let candidates = clauses.into_iter();
        let candidates = candidates.filter_map(|clause| self.add_candidate(place, clause));
        let candidates: Vec<Candidate> = candidates.collect();
        let graph = &self.clauses.graph;
        self.houdini.place(
            &candidates,
            |step| graph.block(BlockId(step)).source == place,
            |step| graph.block(BlockId(step)).target == Target::Place(place),
        );
        candidates
    }

    /// Statements that two values are never taken together, of variables that take few: what single
    /// statements cannot say of state machines.
    fn add_pairs(&mut self) {
        let places: Vec<Place> = self.heads.keys().cloned().collect();
        for place in places {
            let Some(head) = self.heads.get(&place) else {
                continue;
            };
            let kept = head.candidates.iter().copied();
            let kept = kept.filter(|&candidate| self.houdini.is_left(candidate));
            let kept: Vec<Clause> = kept.map(|each| self.clauses.list[each].clone()).collect();
            let (id, pairs) = (head.id, self.clauses.candidates.pairs(&head.atoms, &kept));
            let candidates = self.add_candidates(id, pairs);
            if let Some(head) = self.heads.get_mut(&place) {
                head.candidates.extend(candidates);
            }
        }
    }

    fn check_time(&self) -> Result<(), Reason> {
        if self.budget.is_exhausted() {
            return Err(Reason::out_of_time());
        }
        Ok(())
    }

    /// Finds the places, the blocks between them and what may hold there. Is the first block free
    /// of violations?
    fn explore(&mut self) -> Result<bool, Reason> {
        let stop = &self.budget.stop;
        let mut safe = true;
        for &block in self.clauses.graph.outgoing(ROOT, stop).iter() {
            match self.clauses.graph.block(block).target.clone() {
                Target::Place(_) => {}
                Target::Error(_) => safe &= !self.is_possible(None, block)?,
                Target::Beyond(why) => {
                    // Nothing can be said of what comes behind, and no candidate changes that.
                    if self.is_possible(None, block)? {
                        return Err(self.beyond(&why));
                    }
                }
            }
        }
        self.clauses.graph.explore(MAX_PLACES, stop)?;
        let graph = &self.clauses.graph;
        for number in 0..graph.block_count() as u32 {
            let block = graph.block(BlockId(number));
            if matches!(block.target, Target::Place(_)) {
                self.houdini.add_obligation(Obligation {
                    key: number,
                    path: block.path.clone(),
                    before: Vec::new(),
                    after: Vec::new(),
                });
            }
        }
        for id in self.clauses.graph.places().skip(1) {
            self.check_time()?;
            let place = self.clauses.graph.place(id).clone();
            let atoms = self.clauses.candidates.at(&place);
            let mut clauses: Vec<Clause> = atoms.iter().map(|&single| vec![single]).collect();
            if let Some(guesses) = &mut self.guesses {
                clauses.extend(guesses.at(&mut self.clauses.candidates.pool, &place));
            }
            let candidates = self.add_candidates(id, clauses);
            let head = Head {
                id,
                atoms,
                candidates,
            };
            self.heads.insert(place, head);
        }
        Ok(safe)
    }

    /// Do the candidates that are left exclude every violation?
    fn is_safe(&mut self) -> Result<bool, Reason> {
        for (place, block) in self.ends() {
            if self.is_possible(Some(&place), block)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn map(&mut self) -> InvariantMap {
        let mut pool = self.clauses.candidates.pool.clone();
        let mut entries = Vec::new();
        for (place, head) in &self.heads {
            let truth = pool.bool_constant(true);
            let mut holds = truth;
            for &candidate in &head.candidates {
                if !self.houdini.is_left(candidate) {
                    continue;
                }
                let never = pool.bool_constant(false);
                let clause = &self.clauses.list[candidate];
                let any = clause.iter().fold(never, |any, &atom| pool.or(any, atom));
                holds = pool.and(holds, any);
            }
            entries.push(Invariant {
                calls: CallPattern::Exactly(place.calls.clone()),
                location: place.location,
                holds,
            });
        }
        InvariantMap {
            by: self.name.into(),
            pool,
            entries,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::engine::{Knowledge, Reporter};
    use facts::invariants::Facts;
    use std::sync::Mutex;

    /// Keeps what is published.
    #[derive(Default)]
    struct Published(Mutex<Vec<InvariantMap>>);

    impl Knowledge for Published {
        fn publish(&self, map: InvariantMap) {
            self.0.lock().expect("nobody panics").push(map);
        }

        fn facts(&self) -> Facts {
            Facts::default()
        }
    }

    impl Reporter for Published {}

    /// How many maps are published about a program, and what is said in the end.
    fn published(text: &str) -> (usize, String) {
        let front = syntax::driver::Options::default();
        let options = lowering::LowerOptions::default();
        let loaded = match lowering::load_text("test.c", text, &front, &options) {
            Ok(loaded) => loaded,
            Err(failure) => panic!("{failure}"),
        };
        let property = lowering::property::Property::assertions();
        let program = lowering::property::instrument(&loaded.program, &property);
        let program = transform::regions::split_memory(&program);
        let board = Published::default();
        match Houdini::default().run(&program, &board, &Budget::unlimited()) {
            Outcome::Unknown(why) => {
                let maps = board.0.lock().expect("nobody panics").len();
                (maps, why.to_string())
            }
            Outcome::Answer(_) => panic!("there is no proof"),
        }
    }

    /// `seen` is never set in a recursion that is as shallow as blocks follow it.
    fn text(descends: &str) -> String {
        format!(
            "unsigned __VERIFIER_nondet_uint(void); void reach_error(void);
            unsigned depth = 0; int seen = 0;
            void descend(unsigned left) {{ if (left == 0) return;
              depth = depth + 1; if (depth > 6) seen = 1; descend(left - 1); }}
            int main(void) {{ unsigned z = 1; {descends}
              if (z == 123456789u) reach_error(); return 0; }}"
        )
    }

    #[test]
    fn nothing_is_published_where_executions_are_not_followed() {
        let any = "__VERIFIER_nondet_uint()";
        let loop_with = |body: &str| format!("while ({any}) {{ z = z * 5 + 2; {body} }}");
        let before = text(&format!("descend({any}); {}", loop_with("")));
        let inside = text(&loop_with(&format!("descend({any});")));
        for text in [before, inside] {
            let (maps, why) = published(&text);
            assert_eq!(maps, 0, "{why}");
            assert!(why.contains("recursion of descend"), "{why}");
        }
        let shallow = text(&format!("descend(2); {}", loop_with("")));
        let (maps, why) = published(&shallow);
        assert!(maps > 0, "{why}");
    }
}
