//! Checks Hoare triples `{φ} step {ψ}`: does every execution of the step that begins in φ end in ψ?
//!
//! A step is anything with a condition over the values at its beginning: a block, an operation, a
//! sequence of them. Both φ and ψ are terms over the same values: φ as conjuncts about the state at
//! the beginning, ψ about the one at the end. An execution that does not come to the end is no
//! counterexample; `{φ} step {false}` asks whether any does.
//!
//! A question goes through layers, the cheap ones first, as in M. Heizmann, J. Hoenicke, A.
//! Podelski: Software model checking for people who love automata, CAV 2013:
//!
//! | layer | decides |
//! |---|---|
//! | trivial | ψ is true, or one of the conjuncts of φ: the step does not write what ψ speaks of |
//! | cache | fewer conjuncts are known to suffice, or more are known not to |
//! | samples | a counterexample of another question is one of this, too |
//! | parts | step, φ and ψ fall into parts that share no variable; one part alone decides |
//! | abstract | what somebody adds ([`Abstract`]) |
//! | solver | everything |
//!
//! Laws (see the tests): every layer answers as the solver alone would; "valid" and "invalid" are
//! never guesses.

use control::StopToken;
use logic::{Answer, Cube, Evaluator, Model, Solver, Term, TermPool, UnknownReason, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

/// What a triple is about.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// Its name. Law: steps of one name have one path.
    pub key: u32,
    /// The conjuncts of the condition under which it is taken.
    pub path: &'a [Term],
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Validity {
    Valid,
    Invalid,
    Unknown(UnknownReason),
}

impl Validity {
    pub fn is_valid(&self) -> bool {
        *self == Validity::Valid
    }
}

/// A layer of somebody else's: usually the transfer function of an abstract domain.
pub trait Abstract {
    /// Is the triple valid? `None` if that is not clear.
    ///
    /// Law: what it decides, the solver would decide in the same way.
    fn decide(&mut self, pool: &TermPool, step: u32, pre: &[Term], post: Term) -> Option<bool>;
}

/// How questions are divided among solvers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Solvers {
    /// One for all steps, which assumes a step's path for each question. Good where steps are asked
    /// about seldom.
    Shared,
    /// One for each step, which holds its path.
    PerStep,
}

/// How many questions each layer has answered.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    pub trivial: u64,
    pub cached: u64,
    pub sampled: u64,
    pub parted: u64,
    pub abstracted: u64,
    pub solved: u64,
}

/// Solvers that are kept at a time: they take memory, and are quickly made again.
const MAX_SOLVERS: usize = 200;
/// Counterexamples of a step that are kept.
const MAX_SAMPLES: usize = 6;
/// Variables of counterexamples that are kept.
const MAX_SAMPLED_VARIABLES: usize = 400;
/// Preconditions that are remembered for one step and postcondition.
const MAX_REMEMBERED: usize = 32;

/// The key of the solver that all steps share.
const SHARED: u32 = u32::MAX;

/// What is known of a step and a postcondition.
#[derive(Default)]
struct Known {
    /// Conjuncts that suffice.
    enough: Vec<Cube>,
    /// Conjuncts that do not.
    too_few: Vec<Cube>,
}

type Variables = Rc<FxHashSet<Term>>;

/// See the module.
pub struct HoareChecker {
    make: Box<dyn Fn() -> Box<dyn Solver>>,
    sharing: Solvers,
    stop: StopToken,
    patience: Option<Duration>,
    solvers: FxHashMap<u32, Box<dyn Solver>>,
    known: FxHashMap<(u32, Term), Known>,
    samples: FxHashMap<u32, VecDeque<Model>>,
    variables: FxHashMap<Term, Variables>,
    of_path: FxHashMap<u32, Variables>,
    abstracts: Vec<Box<dyn Abstract>>,
    counts: Counts,
}

impl HoareChecker {
    pub fn new(
        sharing: Solvers,
        stop: &StopToken,
        make: impl Fn() -> Box<dyn Solver> + 'static,
    ) -> HoareChecker {
        HoareChecker {
            make: Box::new(make),
            sharing,
            stop: stop.clone(),
            patience: None,
            solvers: FxHashMap::default(),
            known: FxHashMap::default(),
            samples: FxHashMap::default(),
            variables: FxHashMap::default(),
            of_path: FxHashMap::default(),
            abstracts: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Adds a layer before the solver.
    pub fn add_layer(&mut self, layer: Box<dyn Abstract>) {
        self.abstracts.push(layer);
    }

    /// From now on the token ends questions, and each of them after so much time.
    pub fn limit(&mut self, stop: &StopToken, patience: Option<Duration>) {
        self.stop = stop.clone();
        self.patience = patience;
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Is `{⋀ pre} step {post}` valid? Asked through all layers; there is no model afterwards.
    pub fn check(
        &mut self,
        pool: &mut TermPool,
        step: Step<'_>,
        pre: &[Term],
        post: Term,
    ) -> Validity {
        if is_trivial(step, pre, post) {
            self.counts.trivial += 1;
            return Validity::Valid;
        }
        let conjuncts: Cube = pre.iter().copied().collect();
        if let Some(known) = self.find(step.key, &conjuncts, post) {
            self.counts.cached += 1;
            return known;
        }
        if self.is_refuted_by_sample(pool, step.key, pre, post) {
            self.counts.sampled += 1;
            return Validity::Invalid;
        }
        if let Some(known) = self.check_parts(pool, step, pre, post) {
            self.counts.parted += 1;
            self.remember(step.key, conjuncts, post, &known);
            return known;
        }
        self.decide(pool, step, pre, post)
    }

    /// The layers that look at a triple as a whole.
    fn decide(
        &mut self,
        pool: &mut TermPool,
        step: Step<'_>,
        pre: &[Term],
        post: Term,
    ) -> Validity {
        let conjuncts: Cube = pre.iter().copied().collect();
        if let Some(known) = self.find(step.key, &conjuncts, post) {
            return known;
        }
        let mut layers = self.abstracts.iter_mut();
        let decided = layers.find_map(|layer| layer.decide(pool, step.key, pre, post));
        if let Some(is_valid) = decided {
            self.counts.abstracted += 1;
            let validity = match is_valid {
                true => Validity::Valid,
                false => Validity::Invalid,
            };
            self.remember(step.key, conjuncts, post, &validity);
            return validity;
        }
        let validity = self.ask(pool, step, pre, post);
        match validity {
            Validity::Valid => {
                let needed = self.needed(step.key);
                let needed = conjuncts.filtered(|conjunct| needed.contains(&conjunct));
                self.remember(step.key, needed, post, &validity);
            }
            Validity::Invalid => {
                self.keep_sample(pool, step, pre, post);
                self.remember(step.key, conjuncts, post, &validity);
            }
            Validity::Unknown(_) => {}
        }
        validity
    }

    /// Asks the solver alone. If the triple is invalid, [`HoareChecker::holds`] tells about the
    /// counterexample; if it is valid, [`HoareChecker::needed`] why.
    pub fn ask(
        &mut self,
        pool: &mut TermPool,
        step: Step<'_>,
        pre: &[Term],
        post: Term,
    ) -> Validity {
        self.counts.solved += 1;
        let stop = match self.patience {
            Some(patience) => self.stop.with_timeout(patience),
            None => self.stop.clone(),
        };
        let mut conditions = Vec::with_capacity(pre.len() + 2);
        if self.sharing == Solvers::Shared {
            // As one condition: a solver goes through its assumptions one by one at every restart.
            conditions.push(pool.and_all(step.path.iter().copied()));
        }
        conditions.extend_from_slice(pre);
        conditions.push(pool.not(post));
        let solver = self.solver(pool, step);
        solver.set_stop(stop);
        match solver.check(pool, &conditions) {
            Answer::Unsat => Validity::Valid,
            Answer::Sat => Validity::Invalid,
            Answer::Unknown(reason) => Validity::Unknown(reason),
        }
    }

    fn solver(&mut self, pool: &mut TermPool, step: Step<'_>) -> &mut dyn Solver {
        let key = self.solver_key(step.key);
        if self.solvers.len() >= MAX_SOLVERS && !self.solvers.contains_key(&key) {
            self.solvers.clear();
        }
        let (make, sharing) = (&self.make, self.sharing);
        let solver = self.solvers.entry(key).or_insert_with(|| {
            let mut solver = make();
            if sharing == Solvers::PerStep {
                for &conjunct in step.path {
                    solver.assert(pool, conjunct);
                }
            }
            solver
        });
        solver.as_mut()
    }

    fn solver_key(&self, step: u32) -> u32 {
        match self.sharing {
            Solvers::Shared => SHARED,
            Solvers::PerStep => step,
        }
    }

    /// Is the term true in the counterexample that [`HoareChecker::ask`] has just found for the
    /// step?
    pub fn holds(&mut self, pool: &TermPool, step: u32, term: Term) -> Option<bool> {
        let key = self.solver_key(step);
        self.solvers.get_mut(&key)?.holds(pool, term)
    }

    /// The value of a term in that counterexample.
    pub fn value(&mut self, pool: &TermPool, step: u32, term: Term) -> Option<Value> {
        let key = self.solver_key(step);
        self.solvers.get_mut(&key)?.value(pool, term)
    }

    /// The conditions that [`HoareChecker::ask`] has just needed for the step: conjuncts of the
    /// precondition, perhaps with the path and what is claimed.
    pub fn needed(&self, step: u32) -> Vec<Term> {
        let solver = self.solvers.get(&self.solver_key(step));
        solver.map_or_else(Vec::new, |solver| solver.core().to_vec())
    }

    fn find(&self, step: u32, pre: &Cube, post: Term) -> Option<Validity> {
        let known = self.known.get(&(step, post))?;
        if known.enough.iter().any(|fewer| fewer.is_subset(pre)) {
            return Some(Validity::Valid);
        }
        let mut too_few = known.too_few.iter();
        too_few
            .any(|more| pre.is_subset(more))
            .then_some(Validity::Invalid)
    }

    fn remember(&mut self, step: u32, pre: Cube, post: Term, validity: &Validity) {
        let known = self.known.entry((step, post)).or_default();
        let list = match validity {
            Validity::Valid => {
                known.enough.retain(|other| !pre.is_subset(other));
                &mut known.enough
            }
            Validity::Invalid => {
                known.too_few.retain(|other| !other.is_subset(&pre));
                &mut known.too_few
            }
            Validity::Unknown(_) => return,
        };
        if list.len() < MAX_REMEMBERED {
            list.push(pre);
        }
    }

    fn is_refuted_by_sample(&self, pool: &TermPool, step: u32, pre: &[Term], post: Term) -> bool {
        let mut samples = self.samples.get(&step).into_iter().flatten();
        samples.any(|sample| {
            let mut values = Evaluator::new(sample);
            let mut is_true = |term| values.value(pool, term).as_bool() == Some(true);
            !is_true(post) && pre.iter().all(|&conjunct| is_true(conjunct))
        })
    }

    /// Keeps the counterexample that was found last.
    fn keep_sample(&mut self, pool: &TermPool, step: Step<'_>, pre: &[Term], post: Term) {
        let mut terms = step.path.to_vec();
        terms.extend_from_slice(pre);
        terms.push(post);
        let variables = pool.free_vars_of(&terms);
        if variables.len() > MAX_SAMPLED_VARIABLES {
            return;
        }
        let key = self.solver_key(step.key);
        let Some(solver) = self.solvers.get_mut(&key) else {
            return;
        };
        let Some(sample) = solver.model(pool, &variables) else {
            return;
        };
        // Solvers say what they like of variables that do not matter: only what evaluates as it
        // should is kept.
        let mut values = Evaluator::new(&sample);
        let mut path = step.path.iter();
        if path.all(|&term| values.value(pool, term).as_bool() == Some(true)) {
            let samples = self.samples.entry(step.key).or_default();
            samples.truncate(MAX_SAMPLES - 1);
            samples.push_front(sample);
        }
    }

    fn variables(&mut self, pool: &TermPool, term: Term) -> Variables {
        let known = self.variables.entry(term);
        let found = known.or_insert_with(|| Rc::new(pool.free_vars(term).into_iter().collect()));
        found.clone()
    }

    /// Path, conjuncts and what is claimed have a model exactly if each part of them has one that
    /// shares no variable with the others. So the triple is valid exactly if one part of it is.
    /// `None` if there is one part only.
    fn check_parts(
        &mut self,
        pool: &mut TermPool,
        step: Step<'_>,
        pre: &[Term],
        post: Term,
    ) -> Option<Validity> {
        let of_path = self.of_path.entry(step.key).or_insert_with(|| {
            let variables = pool.free_vars_of(step.path);
            Rc::new(variables.into_iter().collect())
        });
        let of_path = of_path.clone();
        // The path is part 0; every conjunct and what is claimed begin a part of their own, until
        // variables meet.
        let mut parts: Vec<Part> = vec![Part::default()];
        for term in pre.iter().map(|&conjunct| Some(conjunct)).chain([None]) {
            let variables = self.variables(pool, term.unwrap_or(post));
            let is_with_path = variables.iter().any(|var| of_path.contains(var));
            let meets = |part: &Part| part.variables.iter().any(|var| variables.contains(var));
            let mut joined = Part::default();
            let mut with_path = is_with_path;
            let mut apart = Vec::new();
            for (number, part) in parts.into_iter().enumerate() {
                let is_path = number == 0;
                if meets(&part) || (is_path && is_with_path) {
                    with_path |= is_path;
                    joined.add(part);
                } else {
                    apart.push((is_path, part));
                }
            }
            joined.conjuncts.extend(term);
            joined.has_post |= term.is_none();
            joined.variables.extend(variables.iter().copied());
            parts = Vec::with_capacity(apart.len() + 1);
            if with_path {
                parts.push(joined);
                parts.extend(apart.into_iter().map(|(_, part)| part));
            } else {
                parts.extend(apart.into_iter().map(|(_, part)| part));
                parts.push(joined);
            }
        }
        if parts.len() == 1 {
            return None;
        }
        let mut undecided = None;
        // What is claimed first: it decides most often.
        parts.sort_by_key(|part| !part.has_post);
        for part in parts {
            let post = match part.has_post {
                true => post,
                false => TermPool::FALSE,
            };
            if is_trivial(step, &part.conjuncts, post) {
                return Some(Validity::Valid);
            }
            match self.decide(pool, step, &part.conjuncts, post) {
                Validity::Valid => return Some(Validity::Valid),
                Validity::Invalid => {}
                unknown => undecided = Some(unknown),
            }
        }
        Some(undecided.unwrap_or(Validity::Invalid))
    }
}

/// Conditions that share variables with one another and with no others.
#[derive(Default)]
struct Part {
    conjuncts: Vec<Term>,
    has_post: bool,
    variables: FxHashSet<Term>,
}

impl Part {
    fn add(&mut self, other: Part) {
        self.conjuncts.extend(other.conjuncts);
        self.has_post |= other.has_post;
        self.variables.extend(other.variables);
    }
}

fn is_trivial(step: Step<'_>, pre: &[Term], post: Term) -> bool {
    post == TermPool::TRUE
        || pre.contains(&post)
        || pre.contains(&TermPool::FALSE)
        || step.path.contains(&TermPool::FALSE)
}

#[cfg(test)]
mod tests;
