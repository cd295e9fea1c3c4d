//! Hoare triples `{⋀ S} st {ψ}`, decided by the first of several ways that can.
//!
//! | way | decides |
//! |---|---|
//! | the formula: `ψ` behind the statement is a conjunct of `S`, or always true | valid |
//! | another triple: `ψ` with a part of `S` was valid, with more than `S` was not | both |
//! | a model: an execution of the statement from `S`, met now or before, ends outside of `ψ` | not valid |
//! | no variable: what `ψ` speaks of occurs neither in `S` nor in the statement | not valid |
//! | the solver | both |
//!
//! What the solver gives up on counts as not valid: that loses words of an automaton, never a
//! feasible trace.

use crate::kept::KeptTriples;
use crate::program::ProgramAutomaton;
use automata::Letter;
use cfa::expr::ExprId;
use facts::budget::Budget;
use facts::engine::{Board, Reason};
use induction::graph::BlockId;
use logic::{Answer, Evaluator, Model, Term, TermPool};
use predicate::refutation::Refuter;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many triples each way has decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub formula: u64,
    pub other_triple: u64,
    pub model: u64,
    pub no_variable: u64,
    pub abstract_post: u64,
    pub solver: u64,
    pub undecided: u64,
    /// Triples of an earlier run that the solver confirmed, and those that it did not.
    pub kept: u64,
    pub kept_refuted: u64,
}

impl Counts {
    pub fn tell(&self, board: &dyn Board, engine: &str) {
        for (what, count) in [
            ("triples by formula", self.formula),
            ("triples by triple", self.other_triple),
            ("triples by model", self.model),
            ("triples by variables", self.no_variable),
            ("triples by abstract-post", self.abstract_post),
            ("triples by solver", self.solver),
            ("triples not decided", self.undecided),
            ("kept triples confirmed", self.kept),
            ("kept triples refuted", self.kept_refuted),
        ] {
            board.count(engine, what, count);
        }
    }
}

/// Sets of formulas, each ascending.
type Sets = Vec<Vec<ExprId>>;

#[derive(Default)]
pub struct Triples {
    pub counts: Counts,
    /// Preconditions that suffice, for statement and postcondition.
    valid: FxHashMap<(Letter, ExprId), Sets>,
    /// Preconditions that do not.
    invalid: FxHashMap<(Letter, ExprId), Sets>,
    /// What was asked from exactly these preconditions: the postconditions that do not hold, and an
    /// execution of the statement.
    asked: FxHashMap<(Letter, Vec<ExprId>), Asked>,
    /// What is known wherever a statement begins.
    facts: FxHashMap<Letter, Vec<ExprId>>,
    /// The variables of a statement's condition.
    variables: FxHashMap<Letter, FxHashSet<Term>>,
}

/// What is known of one statement from one set of formulas.
///
/// Where a loop is unrolled, each refinement asks for what the ones before asked for, and for one
/// postcondition more: the execution refutes it.
#[derive(Default)]
struct Asked {
    invalid: FxHashSet<ExprId>,
    execution: Option<Model>,
}

/// Preconditions that are remembered for one statement and postcondition.
const MAX_KNOWN: usize = 40;
/// Statements with preconditions of which everything is remembered.
const MAX_ASKED: usize = 20_000;

fn is_subset(small: &[ExprId], large: &[ExprId]) -> bool {
    small.iter().all(|one| large.binary_search(one).is_ok())
}

/// What is being asked.
struct Question<'q> {
    letter: Letter,
    block: BlockId,
    /// Ascending.
    set: &'q [ExprId],
    /// The formulas of the set at the beginning of the block.
    before: Vec<(ExprId, Term)>,
    /// What is known there anyway.
    given: Vec<Term>,
}

impl Question<'_> {
    /// Is the term known at the beginning?
    fn has(&self, term: Term) -> bool {
        self.given.contains(&term) || self.before.iter().any(|&(_, other)| other == term)
    }
}

fn question<'q>(
    known: &FxHashMap<Letter, Vec<ExprId>>,
    refuter: &mut Refuter<'_>,
    program: &ProgramAutomaton,
    set: &'q [ExprId],
    letter: Letter,
) -> Question<'q> {
    let block = program.block(letter);
    let (graph, predicates) = refuter.parts();
    let place = graph.block(block).source;
    let mut before = Vec::new();
    for &formula in set {
        if let Some(term) = predicates.start_term(graph, place, formula)
            && term != TermPool::TRUE
        {
            before.push((formula, term));
        }
    }
    let facts = known.get(&letter).into_iter().flatten();
    let given = facts.filter_map(|&fact| predicates.start_term(graph, place, fact));
    let given = given.filter(|&term| term != TermPool::TRUE).collect();
    Question {
        letter,
        block,
        set,
        before,
        given,
    }
}

impl Triples {
    /// From now on triples may rely on these facts, which are no fewer than before.
    pub fn rely_on(&mut self, facts: FxHashMap<Letter, Vec<ExprId>>) {
        self.facts = facts;
        self.invalid.clear();
        self.asked.clear();
    }

    /// Preconditions that are known to suffice.
    pub fn valid_before(&self, letter: Letter, after: ExprId) -> &[Vec<ExprId>] {
        self.valid.get(&(letter, after)).map_or(&[], Vec::as_slice)
    }

    /// As [`Triples::post`], but only triples of an earlier run are asked about, each of them once.
    pub fn kept_post(
        &mut self,
        refuter: &mut Refuter<'_>,
        program: &ProgramAutomaton,
        (set, letter): (&[ExprId], Letter),
        (candidates, kept): (&[ExprId], &KeptTriples),
        falsity: ExprId,
        budget: &Budget,
    ) -> Result<Vec<ExprId>, Reason> {
        let block = program.block(letter);
        let whole = question(&self.facts, refuter, program, set, letter);
        let mut valid = Vec::new();
        for &candidate in [&falsity].into_iter().chain(candidates) {
            let mut negated = None;
            if candidate != falsity {
                let (graph, predicates) = refuter.parts();
                let Some(end) = predicates.end_term(graph, block, candidate) else {
                    continue;
                };
                if end == TermPool::TRUE || whole.has(end) {
                    self.counts.formula += 1;
                    valid.push(candidate);
                    continue;
                }
                negated = Some(graph.pool().not(end));
            }
            let sets = kept.before.get(&(letter, candidate));
            for before in sets.into_iter().flatten() {
                if !is_subset(before, set) {
                    continue;
                }
                let asked = question(&self.facts, refuter, program, before, letter);
                let is_valid = match self.known(&asked, candidate) {
                    Some(known) => known,
                    None => {
                        let answer = self.ask(refuter, &asked, candidate, negated, budget)?;
                        let is_valid = answer == Answer::Unsat;
                        match is_valid {
                            true => self.counts.kept += 1,
                            false => self.counts.kept_refuted += 1,
                        }
                        is_valid
                    }
                };
                if is_valid && candidate == falsity {
                    return Ok(vec![falsity]);
                }
                if is_valid {
                    valid.push(candidate);
                    break;
                }
            }
        }
        Ok(valid)
    }

    /// Those of the candidates that hold behind the statement, if all of the set hold before; only
    /// `falsity` if no execution passes it.
    pub fn post(
        &mut self,
        refuter: &mut Refuter<'_>,
        program: &ProgramAutomaton,
        (set, letter): (&[ExprId], Letter),
        candidates: &[ExprId],
        falsity: ExprId,
        budget: &Budget,
    ) -> Result<Vec<ExprId>, Reason> {
        let block = program.block(letter);
        let question = question(&self.facts, refuter, program, set, letter);
        let mut has_model = false;
        match self.known(&question, falsity) {
            Some(true) => return Ok(vec![falsity]),
            Some(false) => {}
            None => match self.ask(refuter, &question, falsity, None, budget)? {
                Answer::Unsat => return Ok(vec![falsity]),
                Answer::Sat => has_model = true,
                Answer::Unknown(_) => {}
            },
        }
        let (mut valid, mut open): (Vec<ExprId>, Vec<(ExprId, Term)>) = Default::default();
        for &candidate in candidates.iter().filter(|&&one| one != falsity) {
            let (graph, predicates) = refuter.parts();
            let Some(end) = predicates.end_term(graph, block, candidate) else {
                continue;
            };
            if end == TermPool::TRUE || question.has(end) {
                self.counts.formula += 1;
                valid.push(candidate);
                continue;
            }
            match self.known(&question, candidate) {
                Some(true) => valid.push(candidate),
                Some(false) => {}
                None if self.shares_no_variable(refuter, &question, end) => {
                    self.counts.no_variable += 1;
                    self.note_invalid(&question, candidate);
                }
                None => open.push((candidate, end)),
            }
        }
        match has_model {
            true => self.refute(refuter, &question, &mut open),
            false => self.refute_as_before(refuter, &question, &mut open),
        }
        while let Some((candidate, end)) = open.pop() {
            let negated = refuter.graph().pool().not(end);
            match self.ask(refuter, &question, candidate, Some(negated), budget)? {
                Answer::Unsat => valid.push(candidate),
                Answer::Sat => self.refute(refuter, &question, &mut open),
                Answer::Unknown(_) => {}
            }
        }
        Ok(valid)
    }

    fn known(&mut self, question: &Question<'_>, after: ExprId) -> Option<bool> {
        let key = (question.letter, after);
        let mut valid = self.valid.get(&key).into_iter().flatten();
        let mut invalid = self.invalid.get(&key).into_iter().flatten();
        let known = if valid.any(|set| is_subset(set, question.set)) {
            Some(true)
        } else if invalid.any(|set| is_subset(question.set, set))
            || self.is_asked_in_vain(question, after)
        {
            Some(false)
        } else {
            None
        };
        self.counts.other_triple += u64::from(known.is_some());
        known
    }

    fn is_asked_in_vain(&self, question: &Question<'_>, after: ExprId) -> bool {
        let asked = self.asked.get(&(question.letter, question.set.to_vec()));
        asked.is_some_and(|asked| asked.invalid.contains(&after))
    }

    fn note_invalid(&mut self, question: &Question<'_>, after: ExprId) {
        if let Some(asked) = self.asked_of(question) {
            asked.invalid.insert(after);
        }
        let sets = self.invalid.entry((question.letter, after)).or_default();
        if sets.len() < MAX_KNOWN {
            sets.push(question.set.to_vec());
        }
    }

    fn asked_of(&mut self, question: &Question<'_>) -> Option<&mut Asked> {
        let key = (question.letter, question.set.to_vec());
        let has_room = self.asked.len() < MAX_ASKED || self.asked.contains_key(&key);
        has_room.then(|| self.asked.entry(key).or_default())
    }

    /// Asks the solver whether the statement can be passed, with the negated postcondition if there
    /// is one.
    fn ask(
        &mut self,
        refuter: &mut Refuter<'_>,
        question: &Question<'_>,
        after: ExprId,
        negated: Option<Term>,
        budget: &Budget,
    ) -> Result<Answer, Reason> {
        if budget.is_exhausted() {
            return Err(Reason::out_of_time());
        }
        let mut assumptions: Vec<Term> = question.before.iter().map(|&(_, term)| term).collect();
        assumptions.extend(&question.given);
        assumptions.extend(negated);
        let (solver, pool) = refuter.graph().solver(question.block);
        let answer = solver.check(pool, &assumptions);
        match answer {
            Answer::Unsat => {
                self.counts.solver += 1;
                let core = solver.core();
                let needed = question.before.iter();
                let needed = needed.filter(|(_, term)| core.contains(term));
                let mut needed: Vec<ExprId> = needed.map(|&(formula, _)| formula).collect();
                needed.sort_unstable();
                let sets = self.valid.entry((question.letter, after)).or_default();
                if sets.len() < MAX_KNOWN {
                    sets.push(needed);
                }
            }
            Answer::Sat => {
                self.counts.solver += 1;
                self.note_invalid(question, after);
            }
            Answer::Unknown(_) => {
                if budget.is_exhausted() {
                    return Err(Reason::out_of_time());
                }
                self.counts.undecided += 1;
                self.note_invalid(question, after);
            }
        }
        Ok(answer)
    }

    /// Removes the postconditions that the solver's latest execution ends outside of, and remembers
    /// the execution.
    fn refute(
        &mut self,
        refuter: &mut Refuter<'_>,
        question: &Question<'_>,
        open: &mut Vec<(ExprId, Term)>,
    ) {
        self.remember_execution(refuter, question, open);
        let (solver, pool) = refuter.graph().solver(question.block);
        self.leave_out(question, open, |end| solver.holds(pool, end) == Some(false));
    }

    /// Removes the postconditions that the remembered execution ends outside of.
    fn refute_as_before(
        &mut self,
        refuter: &mut Refuter<'_>,
        question: &Question<'_>,
        open: &mut Vec<(ExprId, Term)>,
    ) {
        let asked = self.asked_of(question);
        let Some(execution) = asked.and_then(|asked| asked.execution.take()) else {
            return;
        };
        let pool = refuter.graph().pool();
        let mut evaluator = Evaluator::new(&execution);
        self.leave_out(question, open, |end| !evaluator.is_true(pool, end));
        if let Some(asked) = self.asked_of(question) {
            asked.execution = Some(execution);
        }
    }

    /// Keeps the values of the solver's latest execution, if they alone show that it is one: a
    /// variable that nobody has asked for may have any value.
    fn remember_execution(
        &mut self,
        refuter: &mut Refuter<'_>,
        question: &Question<'_>,
        open: &[(ExprId, Term)],
    ) {
        let graph = refuter.graph();
        let mut terms = graph.block(question.block).path.clone();
        terms.extend(question.before.iter().map(|&(_, term)| term));
        terms.extend(&question.given);
        let (solver, pool) = graph.solver(question.block);
        let ends = open.iter().map(|&(_, end)| end);
        let all: Vec<Term> = terms.iter().copied().chain(ends).collect();
        let variables = pool.free_vars_of(&all);
        let Some(execution) = solver.model(pool, &variables) else {
            return;
        };
        let mut evaluator = Evaluator::new(&execution);
        if terms.iter().all(|&term| evaluator.is_true(pool, term))
            && let Some(asked) = self.asked_of(question)
        {
            asked.execution = Some(execution);
        }
    }

    fn leave_out(
        &mut self,
        question: &Question<'_>,
        open: &mut Vec<(ExprId, Term)>,
        mut is_refuted: impl FnMut(Term) -> bool,
    ) {
        let mut refuted = Vec::new();
        open.retain(|&(candidate, end)| {
            let goes = is_refuted(end);
            if goes {
                refuted.push(candidate);
            }
            !goes
        });
        for candidate in refuted {
            self.counts.model += 1;
            self.note_invalid(question, candidate);
        }
    }

    fn shares_no_variable(
        &mut self,
        refuter: &mut Refuter<'_>,
        question: &Question<'_>,
        end: Term,
    ) -> bool {
        let graph = refuter.graph();
        let of_statement = self.variables.entry(question.letter).or_insert_with(|| {
            let path = graph.block(question.block).path.clone();
            graph.pool().free_vars_of(&path).into_iter().collect()
        });
        let mut before: Vec<Term> = question.before.iter().map(|&(_, term)| term).collect();
        before.extend(&question.given);
        let pool = graph.pool();
        let of_set = pool.free_vars_of(&before);
        let of_end = pool.free_vars_of(&[end]);
        !of_end.is_empty()
            && (of_end.iter()).all(|var| !of_statement.contains(var) && !of_set.contains(var))
    }
}
