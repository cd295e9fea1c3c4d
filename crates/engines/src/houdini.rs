//! The largest inductive subset of a set of guesses (C. Flanagan, K. R. M. Leino: Houdini, an annotation
//! assistant for ESC/Java, FME 2001), with the blocks between loop heads as the unit of induction.
//!
//! | Houdini | here |
//! |---|---|
//! | candidate annotations | [`Candidates::at`] |
//! | refute one and remove it | a model of a block removes all candidates that are false in it at once |
//!
//! Deviation: the guesses hold at loop heads and call strings, and blocks are exact, so nothing has to be guessed
//! in between. What remains is published as facts; if no error can be reached from it, it is a proof. Both only if no
//! execution leaves what blocks follow (a recursion that is too deep, something without a formula): it would come back with
//! a state that nothing was asked about.

use crate::candidates::Candidates;
use crate::watch::Watch;
use cfa::expr::{ExprId, ExprPool};
use cfa::place::{CallPattern, Place};
use cfa::program::Program;
use encoding::blocks::Blocks;
use encoding::path::Path;
use encoding::state::State;
use encoding::unwind::{Cut, CutReason, Unwinding};
use facts::budget::{Budget, SolverBudget};
use facts::certificate::{AnnotatedGraph, AnnotatedNode, Certificate};
use facts::engine::{Board, Engine, Outcome, Reason};
use facts::invariants::{Invariant, InvariantMap};
use facts::words::count;
use logic::{Answer, Solver, Term, TermPool};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

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

/// An annotation that proves the program safe, made of single candidates and other guesses; why there is none.
/// Nothing is published.
pub fn prove_with(
    program: &Program,
    guesses: &mut dyn Guesses,
    name: &'static str,
    board: &dyn Board,
    budget: &Budget,
) -> Result<AnnotatedGraph, Reason> {
    let mut search = Search::new(program, Some(guesses), name, board, budget);
    if !search.explore()? {
        return Err("a violation is not excluded before the first loop".into());
    }
    search.sieve_all()?;
    match search.is_safe()? {
        true => Ok(graph(&search.map())),
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
const MOST_PLACES: usize = 400;

/// A candidate: one of its statements holds.
pub type Clause = Vec<ExprId>;

/// A loop head with calls.
struct Head {
    /// What may hold there; shrinks.
    candidates: Vec<Clause>,
    /// The arbitrary state that its block begins in, and the candidates there.
    state: State,
    assumed: Vec<Term>,
    /// What was guessed at first, for clauses to be made of.
    atoms: Vec<ExprId>,
    /// Paths to violations and to what is not followed.
    bad: Vec<Path>,
    /// The latter alone.
    cuts: Vec<Cut>,
    arrivals: Vec<Arrival>,
}

struct Arrival {
    place: Place,
    state: State,
    /// The statements of the place in this state.
    atoms: FxHashMap<ExprId, Term>,
}

struct Search<'a> {
    /// Who asks.
    name: &'static str,
    blocks: Blocks<'a>,
    candidates: Candidates<'a>,
    guesses: Option<&'a mut dyn Guesses>,
    guessed: usize,
    solver: Box<dyn Solver>,
    board: &'a dyn Board,
    budget: &'a Budget,
    heads: BTreeMap<Place, Head>,
    start: Vec<Arrival>,
    questions: u64,
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
        Search {
            name,
            blocks: Blocks::new(program),
            candidates,
            guesses,
            guessed: 0,
            solver: budget.make_solver(0),
            board,
            budget,
            heads: BTreeMap::new(),
            start: Vec::new(),
            questions: 0,
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
                return Ok(Outcome::Answer(Certificate::Graph(graph(&map))));
            }
            beyond = self.not_followed()?;
            if beyond.is_none() {
                self.board.publish(map);
            }
        }
        Err(beyond.unwrap_or_else(|| self.summary().into()))
    }

    /// Why executions are not followed, if the candidates that are left allow such. (Those that begin at the start are
    /// asked for in [`Search::explore`].)
    fn not_followed(&mut self) -> Result<Option<Reason>, Reason> {
        let mut questions = Vec::new();
        for head in self.heads.values() {
            for cut in &head.cuts {
                let mut conditions = cut.path.conjuncts_after(0);
                conditions.extend_from_slice(&head.assumed);
                questions.push((conditions, cut.reason.clone()));
            }
        }
        for (conditions, reason) in questions {
            self.check_time()?;
            if !self.ask(&conditions)?.is_unsat() {
                return Ok(Some(self.beyond(&reason)));
            }
        }
        Ok(None)
    }

    fn beyond(&self, reason: &CutReason) -> Reason {
        let why = reason.describe(self.blocks.unwinder.encoder.program);
        Reason::Unsupported(format!("some executions are not followed: {why}"))
    }

    /// Leaves the candidates that are inductive.
    fn sieve_all(&mut self) -> Result<(), Reason> {
        self.guessed = self.size();
        let (name, places, guessed) = (self.name, self.heads.len(), self.guessed);
        self.board.count(name, "places", places as u64);
        self.board.count(name, "candidates", guessed as u64);
        let (all, at) = (count(guessed, "candidate"), count(places, "place"));
        self.board.progress(name, &format!("{all} at {at}"));
        self.fixpoint()?;
        self.board.count(name, "invariants", self.size() as u64);
        self.board.count(name, "questions", self.questions);
        Ok(())
    }

    fn summary(&self) -> String {
        format!(
            "{} of {} inductive, which does not prove the property",
            self.size(),
            match self.guessed {
                1 => "1 candidate is".to_owned(),
                guessed => format!("{guessed} candidates are"),
            }
        )
    }

    fn size(&self) -> usize {
        self.heads.values().map(|head| head.candidates.len()).sum()
    }

    /// Statements that two values are never taken together, of variables that take few: what single statements
    /// cannot say of state machines.
    fn add_pairs(&mut self) {
        let places: Vec<Place> = self.heads.keys().cloned().collect();
        for place in places {
            let Some(head) = self.heads.get(&place) else {
                continue;
            };
            let pairs = self.candidates.pairs(&head.atoms, &head.candidates);
            let mut clauses = Vec::new();
            for clause in pairs {
                let Some(head) = self.heads.get(&place) else {
                    break;
                };
                let state = head.state.clone();
                if let Some(term) = self.clause_in(&state, &clause) {
                    clauses.push((clause, term));
                }
            }
            if let Some(head) = self.heads.get_mut(&place) {
                for (clause, term) in clauses {
                    head.candidates.push(clause);
                    head.assumed.push(term);
                }
            }
        }
    }

    fn clause_in(&mut self, state: &State, clause: &[ExprId]) -> Option<Term> {
        let mut terms = Vec::new();
        for &atom in clause {
            let encoder = self.blocks.encoder();
            terms.push(encoder.holds(state, &self.candidates.pool, atom).ok()?);
        }
        Some(self.blocks.encoder().pool.or_all(terms))
    }

    fn check_time(&self) -> Result<(), Reason> {
        if self.budget.is_exhausted() {
            return Err(Reason::out_of_time());
        }
        Ok(())
    }

    /// Finds the places and the blocks between them. Is the first block free of violations?
    fn explore(&mut self) -> Result<bool, Reason> {
        let start = self.blocks.start();
        let mut waiting: Vec<Place> = Vec::new();
        let mut seen: BTreeSet<Place> = BTreeSet::new();
        let mut safe = true;
        for (place, state) in start {
            let block = self.block(&place, state)?;
            for error in &block.errors {
                safe &= self.ask(&error.path.conjuncts_after(0))?.is_unsat();
            }
            for cut in &block.cuts {
                if !self.ask(&cut.path.conjuncts_after(0))?.is_unsat() {
                    // Nothing can be said of what comes behind, and no candidate changes that.
                    return Err(self.beyond(&cut.reason));
                }
            }
            self.start = self.gather(block, &mut waiting, &mut seen);
        }
        while let Some(place) = waiting.pop() {
            self.check_time()?;
            if self.heads.len() >= MOST_PLACES {
                return Err("too many places".into());
            }
            let candidates = self.candidates.at(&place);
            let (_, state) = self
                .blocks
                .anywhere(&place)
                .pop_first()
                .expect("a layer of one state");
            let mut kept = Vec::new();
            let mut assumed = Vec::new();
            let atoms = candidates.clone();
            let mut clauses: Vec<Clause> =
                candidates.into_iter().map(|single| vec![single]).collect();
            if let Some(guesses) = &mut self.guesses {
                clauses.extend(guesses.at(&mut self.candidates.pool, &place));
            }
            for clause in clauses {
                match self.clause_in(&state, &clause) {
                    Some(TermPool::TRUE) | None => {}
                    Some(term) => {
                        kept.push(clause);
                        assumed.push(term);
                    }
                }
            }
            let block = self.block(&place, state.clone())?;
            let (bad, cuts) = (paths(&block), block.cuts.clone());
            let arrivals = self.gather(block, &mut waiting, &mut seen);
            let head = Head {
                candidates: kept,
                state,
                assumed,
                atoms,
                bad,
                cuts,
                arrivals,
            };
            self.heads.insert(place, head);
        }
        Ok(safe)
    }

    fn block(&mut self, place: &Place, state: State) -> Result<Unwinding, Reason> {
        let layer = encoding::blocks::Layer::from([(place.clone(), state)]);
        let advance = self.blocks.advance(&layer, &mut Watch(self.budget));
        self.check_time()?;
        Ok(Unwinding {
            errors: advance.errors,
            cuts: advance.cuts,
            arrivals: advance
                .next
                .into_iter()
                .map(|(place, state)| encoding::unwind::Arrival { place, state })
                .collect(),
            ..Unwinding::default()
        })
    }

    fn gather(
        &mut self,
        block: Unwinding,
        waiting: &mut Vec<Place>,
        seen: &mut BTreeSet<Place>,
    ) -> Vec<Arrival> {
        let mut arrivals = Vec::new();
        for arrival in block.arrivals {
            if seen.insert(arrival.place.clone()) {
                waiting.push(arrival.place.clone());
            }
            arrivals.push(Arrival {
                place: arrival.place,
                state: arrival.state,
                atoms: FxHashMap::default(),
            });
        }
        arrivals
    }

    /// The statement in the state of an arrival; what cannot be said there is not known there.
    fn atom(&mut self, arrival: &mut Arrival, atom: ExprId) -> Term {
        if let Some(&known) = arrival.atoms.get(&atom) {
            return known;
        }
        let encoder = self.blocks.encoder();
        let term = encoder
            .holds(&arrival.state, &self.candidates.pool, atom)
            .unwrap_or(TermPool::FALSE);
        arrival.atoms.insert(atom, term);
        term
    }

    fn ask(&mut self, conditions: &[Term]) -> Result<Answer, Reason> {
        self.questions += 1;
        let pool = &mut self.blocks.encoder().pool;
        match self.solver.check(pool, conditions) {
            Answer::Unknown(reason) => Err(Reason::of_solver(self.budget, &reason)),
            answer => Ok(answer),
        }
    }

    /// Removes candidates until those that are left follow from each other.
    fn fixpoint(&mut self) -> Result<(), Reason> {
        let mut start = std::mem::take(&mut self.start);
        for arrival in &mut start {
            self.sieve(&[], arrival)?;
        }
        self.start = start;
        let mut waiting: BTreeSet<Place> = self.heads.keys().cloned().collect();
        while let Some(place) = waiting.pop_first() {
            self.check_time()?;
            let Some(head) = self.heads.get_mut(&place) else {
                continue;
            };
            let assumed = head.assumed.clone();
            let mut shrunk = Vec::new();
            let mut result = Ok(());
            let mut arrivals = std::mem::take(&mut head.arrivals);
            for arrival in &mut arrivals {
                match self.sieve(&assumed, arrival) {
                    Ok(true) => shrunk.push(arrival.place.clone()),
                    Ok(false) => {}
                    Err(reason) => {
                        result = Err(reason);
                        break;
                    }
                }
            }
            if let Some(head) = self.heads.get_mut(&place) {
                head.arrivals = arrivals;
            }
            result?;
            waiting.extend(shrunk);
        }
        Ok(())
    }

    /// Removes the candidates of the arrival's place that do not follow from what is assumed. Did it remove any?
    fn sieve(&mut self, assumed: &[Term], arrival: &mut Arrival) -> Result<bool, Reason> {
        let mut removed = false;
        loop {
            self.check_time()?;
            let Some(head) = self.heads.get(&arrival.place) else {
                return Ok(removed);
            };
            let clauses = head.candidates.clone();
            let mut fails = Vec::with_capacity(clauses.len());
            for clause in &clauses {
                let terms: Vec<Term> = clause
                    .iter()
                    .map(|&atom| self.atom(arrival, atom))
                    .collect();
                let pool = &mut self.blocks.encoder().pool;
                let holds = pool.or_all(terms);
                fails.push(pool.not(holds));
            }
            let any_fails = self.blocks.encoder().pool.or_all(fails);
            if any_fails == TermPool::FALSE {
                return Ok(removed);
            }
            let path = &arrival.state.path;
            let mut conditions = vec![path.term(&mut self.blocks.unwinder.encoder.pool)];
            // As one condition: a solver goes through its assumptions one by one at every restart.
            let all = self.blocks.encoder().pool.and_all(assumed.iter().copied());
            conditions.push(all);
            conditions.push(any_fails);
            if self.ask(&conditions)?.is_unsat() {
                return Ok(removed);
            }
            let mut values: FxHashMap<ExprId, bool> = FxHashMap::default();
            for (&atom, &term) in &arrival.atoms {
                let pool = &self.blocks.unwinder.encoder.pool;
                // What the model leaves open is not shown to be false.
                let value = self.solver.holds(pool, term).unwrap_or(true);
                values.insert(atom, value);
            }
            let is_false = |clause: &Clause| {
                clause
                    .iter()
                    .all(|atom| values.get(atom).is_some_and(|value| !value))
            };
            let before = clauses.len();
            self.remove(&arrival.place, is_false);
            let after = self
                .heads
                .get(&arrival.place)
                .map_or(0, |head| head.candidates.len());
            if after == before {
                return Err("a model without a reason".into());
            }
            removed = true;
        }
    }

    fn remove(&mut self, place: &Place, is_false: impl Fn(&Clause) -> bool) {
        let Some(head) = self.heads.get_mut(place) else {
            return;
        };
        let clauses = std::mem::take(&mut head.candidates).into_iter();
        let assumed = std::mem::take(&mut head.assumed);
        (head.candidates, head.assumed) = clauses
            .zip(assumed)
            .filter(|(clause, _)| !is_false(clause))
            .unzip();
    }

    /// Do the candidates that are left exclude every violation?
    fn is_safe(&mut self) -> Result<bool, Reason> {
        let mut questions = Vec::new();
        for head in self.heads.values() {
            for path in &head.bad {
                let mut conditions = path.conjuncts_after(0);
                conditions.extend_from_slice(&head.assumed);
                questions.push(conditions);
            }
        }
        for conditions in questions {
            self.check_time()?;
            if !self.ask(&conditions)?.is_unsat() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn map(&mut self) -> InvariantMap {
        let mut pool = self.candidates.pool.clone();
        let mut entries = Vec::new();
        for (place, head) in &self.heads {
            let truth = pool.bool_constant(true);
            let mut holds = truth;
            for clause in &head.candidates {
                let never = pool.bool_constant(false);
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

fn paths(block: &Unwinding) -> Vec<Path> {
    let errors = block.errors.iter().map(|error| error.path.clone());
    let cuts = block.cuts.iter().map(|cut| cut.path.clone());
    errors.chain(cuts).collect()
}

fn graph(map: &InvariantMap) -> AnnotatedGraph {
    AnnotatedGraph {
        pool: map.pool.clone(),
        nodes: map
            .entries
            .iter()
            .map(|entry| AnnotatedNode {
                calls: entry.calls.clone(),
                location: entry.location,
                invariant: entry.holds,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::invariants::Facts;
    use std::sync::Mutex;

    /// Keeps what is published.
    #[derive(Default)]
    struct Published(Mutex<Vec<InvariantMap>>);

    impl Board for Published {
        fn progress(&self, _: &str, _: &str) {}

        fn count(&self, _: &str, _: &str, _: u64) {}

        fn publish(&self, map: InvariantMap) {
            self.0.lock().expect("nobody panics").push(map);
        }

        fn facts(&self) -> Facts {
            Facts::default()
        }
    }

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
