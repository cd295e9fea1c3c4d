//! The greatest subset of candidates that is inductive by itself: Flanagan2001: C. Flanagan, K. R.
//! M. Leino: Houdini, an annotation assistant for ESC/Java, FME 2001.
//!
//! | Houdini | here |
//! |---|---|
//! | candidate annotations | numbers; [`Candidates`] says what they mean at both ends of a step |
//! | verification condition | [`Obligation`]: what is left before a step implies that after |
//! | refute one and remove it | a counterexample removes all candidates that are false in it |
//!
//! Deviations: the steps are blocks between places, not procedures; a candidate may speak of
//! several places, and falls at all of them together; a candidate without a formula is never
//! assumed, and falls where it is claimed; who asks decides whether candidates are claimed
//! [`Questions::Together`] or [`Questions::Alone`], and what happens to those that a solver cannot
//! decide ([`Undecided`]).
//!
//! Laws (see the tests): what is left is inductive. If every question was decided, it is the
//! greatest such subset, whatever the order and kind of the questions.

use crate::hoare::{HoareChecker, Step, Validity};
use facts::budget::Budget;
use facts::engine::Reason;
use logic::{Term, TermPool, UnknownReason};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};

/// A candidate, by its number.
pub type Candidate = usize;

/// What candidates say at the ends of steps.
///
/// Law: a term speaks of the values at the beginning of the step, as its path does.
pub trait Candidates {
    fn pool(&mut self) -> &mut TermPool;
    /// The candidate at the beginning of the step; `None` if it has no formula there.
    fn assumed(&mut self, step: u32, candidate: Candidate) -> Option<Term>;
    /// The candidate at the end of the step.
    fn claimed(&mut self, step: u32, candidate: Candidate) -> Option<Term>;
    /// Does the first candidate, of the step's beginning, probably matter for the second, of its
    /// end? Those that do are tried first, where candidates are asked about alone.
    fn is_near(&mut self, _assumed: Candidate, _claimed: Candidate) -> bool {
        false
    }
}

/// That a step keeps the candidates.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// The step (see [`Step`]).
    pub key: u32,
    pub path: Vec<Term>,
    /// Candidates about the beginning.
    pub before: Vec<Candidate>,
    /// Candidates about the end.
    pub after: Vec<Candidate>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Questions {
    /// One question about all that is claimed after a step.
    Together,
    /// One about each candidate: many small questions are easier than a large one. What a candidate
    /// was derived from is remembered, and it is asked about again only when a part of that falls.
    Alone,
}

/// What becomes of candidates that a solver cannot decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Undecided {
    Falls,
    /// Nothing is known then.
    EndsTheSearch,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unfinished {
    Stopped,
    Undecided(UnknownReason),
    /// A counterexample in which no candidate is false.
    NoReason,
}

impl Unfinished {
    pub fn reason(&self, budget: &Budget) -> Reason {
        match self {
            Unfinished::Stopped => Reason::out_of_time(),
            Unfinished::Undecided(why) => Reason::of_solver(budget, why),
            Unfinished::NoReason => "a model without a reason".into(),
        }
    }
}

/// The search, which may go on with further candidates.
pub struct Houdini {
    pub questions: Questions,
    pub undecided: Undecided,
    obligations: Vec<Obligation>,
    is_left: Vec<bool>,
    /// For each candidate the obligations that it is assumed in.
    relying: Vec<Vec<usize>>,
}

impl Houdini {
    pub fn new(questions: Questions, undecided: Undecided) -> Houdini {
        Houdini {
            questions,
            undecided,
            obligations: Vec::new(),
            is_left: Vec::new(),
            relying: Vec::new(),
        }
    }

    /// A new candidate, of which nothing is said yet.
    pub fn add_candidate(&mut self) -> Candidate {
        self.is_left.push(true);
        self.relying.push(Vec::new());
        self.is_left.len() - 1
    }

    /// Law: its candidates were added before.
    pub fn add_obligation(&mut self, obligation: Obligation) {
        for &candidate in &obligation.before {
            self.relying[candidate].push(self.obligations.len());
        }
        self.obligations.push(obligation);
    }

    /// The candidates speak of the beginning of the steps for which `before` holds and of the end
    /// of those for which `after` does.
    pub fn place(
        &mut self,
        candidates: &[Candidate],
        before: impl Fn(u32) -> bool,
        after: impl Fn(u32) -> bool,
    ) {
        for (number, obligation) in self.obligations.iter_mut().enumerate() {
            if before(obligation.key) {
                obligation.before.extend_from_slice(candidates);
                for &candidate in candidates {
                    self.relying[candidate].push(number);
                }
            }
            if after(obligation.key) {
                obligation.after.extend_from_slice(candidates);
            }
        }
    }

    pub fn is_left(&self, candidate: Candidate) -> bool {
        self.is_left[candidate]
    }

    pub fn left(&self) -> usize {
        self.is_left.iter().filter(|&&is_left| is_left).count()
    }

    fn left_of(&self, candidates: &[Candidate]) -> Vec<Candidate> {
        let candidates = candidates.iter().copied();
        candidates.filter(|&each| self.is_left[each]).collect()
    }

    /// Removes candidates until the rest is inductive.
    pub fn run(
        &mut self,
        says: &mut dyn Candidates,
        checker: &mut HoareChecker,
    ) -> Result<(), Unfinished> {
        match self.questions {
            Questions::Together => self.ask_together(says, checker),
            Questions::Alone => self.ask_alone(says, checker),
        }
    }

    fn ask_together(
        &mut self,
        says: &mut dyn Candidates,
        checker: &mut HoareChecker,
    ) -> Result<(), Unfinished> {
        let mut waiting: BTreeSet<usize> = (0..self.obligations.len()).collect();
        while let Some(number) = waiting.pop_first() {
            let fallen = self.keep_after(number, says, checker)?;
            // Whoever relied on what has fallen is looked at again.
            for candidate in fallen {
                waiting.extend(&self.relying[candidate]);
            }
        }
        Ok(())
    }

    /// Removes the candidates after a step that do not follow from those before it.
    fn keep_after(
        &mut self,
        number: usize,
        says: &mut dyn Candidates,
        checker: &mut HoareChecker,
    ) -> Result<FxHashSet<Candidate>, Unfinished> {
        let obligation = self.obligations[number].clone();
        let step = Step {
            key: obligation.key,
            path: &obligation.path,
        };
        let mut fallen = FxHashSet::default();
        loop {
            if checker.is_stopped() {
                return Err(Unfinished::Stopped);
            }
            let mut claimed: Vec<(Candidate, Term)> = Vec::new();
            for candidate in self.left_of(&obligation.after) {
                match says.claimed(step.key, candidate) {
                    Some(term) => claimed.push((candidate, term)),
                    None => {
                        self.is_left[candidate] = false;
                        fallen.insert(candidate);
                    }
                }
            }
            let mut assumed = Vec::new();
            for candidate in self.left_of(&obligation.before) {
                assumed.extend(says.assumed(step.key, candidate));
            }
            let pool = says.pool();
            let all = pool.and_all(claimed.iter().map(|&(_, term)| term));
            if all == TermPool::TRUE {
                return Ok(fallen);
            }
            // As one condition: a solver goes through its assumptions one by one at every restart.
            let known = pool.and_all(assumed);
            let refuted: Vec<Candidate> = match checker.ask(pool, step, &[known], all) {
                Validity::Valid => return Ok(fallen),
                Validity::Invalid => {
                    // What the model leaves open is not shown to be false.
                    let is_false = |&&(_, term): &&(Candidate, Term)| {
                        checker.holds(pool, step.key, term) == Some(false)
                    };
                    let refuted = claimed.iter().filter(is_false);
                    refuted.map(|&(candidate, _)| candidate).collect()
                }
                Validity::Unknown(why) => {
                    self.check_undecided(checker, why)?;
                    claimed.iter().map(|&(candidate, _)| candidate).collect()
                }
            };
            if refuted.is_empty() {
                return Err(Unfinished::NoReason);
            }
            for candidate in refuted {
                self.is_left[candidate] = false;
                fallen.insert(candidate);
            }
        }
    }

    fn check_undecided(
        &self,
        checker: &HoareChecker,
        why: UnknownReason,
    ) -> Result<(), Unfinished> {
        if checker.is_stopped() {
            return Err(Unfinished::Stopped);
        }
        match self.undecided {
            Undecided::Falls => Ok(()),
            Undecided::EndsTheSearch => Err(Unfinished::Undecided(why)),
        }
    }

    fn ask_alone(
        &mut self,
        says: &mut dyn Candidates,
        checker: &mut HoareChecker,
    ) -> Result<(), Unfinished> {
        let mut queue: VecDeque<(usize, Candidate)> = VecDeque::new();
        for (number, obligation) in self.obligations.iter().enumerate() {
            queue.extend(
                obligation
                    .after
                    .iter()
                    .map(|&candidate| (number, candidate)),
            );
        }
        // For each step and candidate after it: the candidates before it that it follows from.
        let mut reasons: FxHashMap<(usize, Candidate), Vec<Candidate>> = FxHashMap::default();
        while let Some((number, candidate)) = queue.pop_front() {
            if !self.is_left[candidate] {
                continue;
            }
            if checker.is_stopped() {
                return Err(Unfinished::Stopped);
            }
            let fallen = match self.derive(number, candidate, says, checker)? {
                Derived::From(used) => {
                    reasons.insert((number, candidate), used);
                    continue;
                }
                Derived::Fallen(fallen) => fallen,
            };
            for &candidate in &fallen {
                self.is_left[candidate] = false;
            }
            let relying = fallen.iter().flat_map(|&each| &self.relying[each]);
            for number in relying.copied().collect::<BTreeSet<usize>>() {
                for &candidate in &self.obligations[number].after {
                    let used = reasons.get(&(number, candidate));
                    if used.is_some_and(|used| used.iter().any(|each| fallen.contains(each))) {
                        reasons.remove(&(number, candidate));
                        queue.push_back((number, candidate));
                    }
                }
            }
        }
        Ok(())
    }

    /// What a candidate after a step follows from; otherwise those that do not follow.
    fn derive(
        &self,
        number: usize,
        candidate: Candidate,
        says: &mut dyn Candidates,
        checker: &mut HoareChecker,
    ) -> Result<Derived, Unfinished> {
        let obligation = &self.obligations[number];
        let step = Step {
            key: obligation.key,
            path: &obligation.path,
        };
        let goal = match says.claimed(step.key, candidate) {
            None => return Ok(Derived::Fallen(vec![candidate])),
            Some(TermPool::TRUE) => return Ok(Derived::From(Vec::new())),
            Some(goal) => goal,
        };
        let mut known: Vec<(Candidate, Term)> = Vec::new();
        for each in self.left_of(&obligation.before) {
            known.extend(says.assumed(step.key, each).map(|term| (each, term)));
        }
        if let Some(&(same, _)) = known.iter().find(|&&(_, term)| term == goal) {
            // The step does not touch it.
            return Ok(Derived::From(vec![same]));
        }
        let near: Vec<Term> = (known.iter())
            .filter(|&&(each, _)| says.is_near(each, candidate))
            .map(|&(_, term)| term)
            .collect();
        let mut validity = checker.ask(says.pool(), step, &near, goal);
        if validity == Validity::Invalid && near.len() < known.len() {
            let all: Vec<Term> = known.iter().map(|&(_, term)| term).collect();
            validity = checker.ask(says.pool(), step, &all, goal);
        }
        Ok(match validity {
            Validity::Valid => {
                let needed = checker.needed(step.key);
                let used = known.iter().filter(|(_, term)| needed.contains(term));
                Derived::From(used.map(|&(each, _)| each).collect())
            }
            Validity::Invalid => {
                let mut fallen = vec![candidate];
                for other in self.left_of(&obligation.after) {
                    let Some(term) = says.claimed(step.key, other) else {
                        continue;
                    };
                    let value = checker.holds(says.pool(), step.key, term);
                    if other != candidate && value == Some(false) {
                        fallen.push(other);
                    }
                }
                Derived::Fallen(fallen)
            }
            Validity::Unknown(why) => {
                self.check_undecided(checker, why)?;
                Derived::Fallen(vec![candidate])
            }
        })
    }
}

enum Derived {
    From(Vec<Candidate>),
    Fallen(Vec<Candidate>),
}

#[cfg(test)]
mod tests;
