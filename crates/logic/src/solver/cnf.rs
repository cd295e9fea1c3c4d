//! The propositional solver as the default solver uses it: fed with cones, and thrown away when it
//! has grown too large.
//!
//! A propositional solver pays for every variable it knows in every model it finds. Questions bring
//! their own gates, most of which no later question needs; so the solver is started anew, with the
//! assertions only, when what it paid for dead variables has reached the price of starting anew.
//! Learned clauses are lost then, which matters only for hard questions; those do not count.
//!
//! A hard question gets a solver of its own. If it has one assumption, that solver is given it as a
//! clause: nothing else will be asked, and what is certain simplifies the formula more than what is
//! assumed.

use crate::flatten::{Gates, Names};
use crate::sat::{Cadical, ClauseSink, Effort, Lit, SatAnswer};
use control::StopToken;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Questions with more conflicts than this are hard: they get a solver with all of its techniques.
/// (Few in tests, so that they start anew often.)
const HARD_CONFLICTS: i32 = if cfg!(test) { 30 } else { 3000 };
/// Questions with more conflicts than this do not count towards starting anew.
const EASY_CONFLICTS: i64 = 100;
/// What one variable costs when it is given to a new solver, in units of what it costs in a
/// question.
const REBUILD_FACTOR: u64 = 12;
/// What a new solver costs without any variable, in the same units.
/// (Little in tests, so that they start anew often.)
const REBUILD_BASE: u64 = if cfg!(test) { 100 } else { 8_000 };

/// A clause over literals of the gate table that is asserted in a frame.
struct Root {
    clause: Vec<Lit>,
    frame: usize,
}

/// An open frame.
#[derive(Clone, Default)]
struct Frame {
    /// Its activation literal, under the solver's name; made when first needed.
    activation: Option<Lit>,
    /// How many variables its assertions brought.
    brought: usize,
}

/// Assumptions of the last questions: what they brought is not dead, for whoever asks with the same
/// assumption again and again would pay for it each time.
#[derive(Default)]
struct Recent {
    /// For each assumption the variables that it brought and the question that last used it.
    brought: FxHashMap<Lit, (usize, u64)>,
    /// Uses in order.
    uses: VecDeque<(Lit, u64)>,
    /// Variables of all assumptions that are recent.
    variables: usize,
}

/// Questions that count as recent: keeping an assumption for longer costs more than giving it to a
/// new solver.
const RECENT: u64 = REBUILD_FACTOR;

impl Recent {
    fn used(&mut self, assumption: Lit, brought: usize, question: u64) {
        let entry = self.brought.entry(assumption).or_insert((0, 0));
        if entry.1 == 0 {
            self.variables += entry.0;
        }
        entry.0 += brought;
        self.variables += brought;
        entry.1 = question;
        self.uses.push_back((assumption, question));
    }

    fn forget(&mut self, question: u64) {
        while let Some(&(assumption, at)) = self.uses.front()
            && at + RECENT < question
        {
            self.uses.pop_front();
            if let Some(entry) = self.brought.get_mut(&assumption)
                && entry.1 == at
            {
                self.variables -= entry.0;
                entry.1 = 0;
            }
        }
    }
}

/// See the module's text.
pub(super) struct Cnf {
    sat: Cadical,
    names: Names,
    roots: Vec<Root>,
    /// How many roots the solver has been given.
    rooted: usize,
    frames: Vec<Frame>,
    /// How many variables the assertions brought.
    asserted: usize,
    /// What was paid for variables that questions left behind.
    excess: u64,
    question: u64,
    recent: Recent,
    seed: u32,
    effort: Effort,
    /// Does the solver have the assumptions of the current question as clauses? Then it is of no
    /// use for another one.
    is_asserted: bool,
    stop: StopToken,
    memory_limit: Option<u64>,
    /// How often the solver was started anew.
    rebuilds: u64,
    clause: Vec<Lit>,
}

impl Cnf {
    pub fn new(seed: u32, memory_limit: Option<u64>) -> Cnf {
        let stop = StopToken::new();
        let mut sat = Cadical::new(seed, Effort::Light);
        sat.set_limits(stop.clone(), memory_limit);
        Cnf {
            sat,
            names: Names::default(),
            roots: Vec::new(),
            rooted: 0,
            frames: Vec::new(),
            asserted: 0,
            excess: 0,
            seed,
            effort: Effort::Light,
            is_asserted: false,
            stop,
            memory_limit,
            rebuilds: 0,
            question: 0,
            recent: Recent::default(),
            clause: Vec::new(),
        }
    }

    pub fn set_stop(&mut self, stop: StopToken) {
        self.stop = stop.clone();
        self.sat.set_limits(stop, self.memory_limit);
    }

    /// Was the solver stopped before it had all clauses? Then its models mean nothing; the next
    /// question starts it anew.
    pub fn is_torn(&self) -> bool {
        self.names.is_torn
    }

    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }

    pub fn push(&mut self) {
        self.frames.push(Frame::default());
    }

    pub fn pop(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if let Some(activation) = frame.activation {
            self.sat.add_clause(&[!activation]);
        }
        self.asserted -= frame.brought;
        let open = self.frames.len();
        while self.roots.last().is_some_and(|root| root.frame > open) {
            self.roots.pop();
        }
        self.rooted = self.rooted.min(self.roots.len());
    }

    /// Asserts a clause in the newest frame.
    pub fn assert(&mut self, clause: Vec<Lit>) {
        let frame = self.frames.len();
        self.roots.push(Root { clause, frame });
    }

    /// Gives the solver the assertions that it does not have yet.
    fn give_roots(&mut self, gates: &Gates) {
        while self.rooted < self.roots.len() {
            let root = &self.roots[self.rooted];
            self.rooted += 1;
            self.clause.clear();
            if let Some(frame) = root.frame.checked_sub(1) {
                let activation = match self.frames[frame].activation {
                    Some(activation) => activation,
                    None => {
                        let activation = self.sat.new_var();
                        self.frames[frame].activation = Some(activation);
                        activation
                    }
                };
                self.clause.push(!activation);
            }
            let before = self.names.len();
            for &literal in &root.clause {
                self.clause
                    .push(gates.emit(&mut self.sat, &mut self.names, literal));
            }
            let brought = self.names.len() - before;
            self.asserted += brought;
            if let Some(frame) = root.frame.checked_sub(1) {
                self.frames[frame].brought += brought;
            }
            self.sat.add_clause(&self.clause);
        }
    }

    /// Gives the solver the assertions that it does not have yet, before an alias changes what they
    /// say.
    pub fn give_now(&mut self, gates: &Gates) {
        self.give_roots(gates);
    }

    /// A new solver with the assertions only. The caller gives it again what else it should know.
    fn rebuild(&mut self, effort: Effort) {
        self.effort = effort;
        self.is_asserted = false;
        self.sat = Cadical::new(self.seed, effort);
        self.sat.set_limits(self.stop.clone(), self.memory_limit);
        self.names.clear();
        self.rooted = 0;
        self.asserted = 0;
        self.excess = 0;
        self.recent = Recent::default();
        self.frames.fill(Frame::default());
        self.rebuilds += 1;
    }

    /// Prepares a question. `true` if the solver was started anew.
    pub fn prepare(&mut self, gates: &Gates) -> bool {
        let price = REBUILD_FACTOR * self.asserted as u64 + REBUILD_BASE;
        let anew = self.excess > price || self.names.is_torn || self.is_asserted;
        if anew {
            self.rebuild(Effort::Light);
        }
        self.give_roots(gates);
        anew
    }

    /// Makes sure that the solver knows an assumption of the coming question.
    pub fn need_assumption(&mut self, gates: &Gates, assumption: Lit) {
        let before = self.names.len();
        self.need(gates, assumption);
        let brought = self.names.len() - before;
        self.recent.used(assumption, brought, self.question + 1);
    }

    /// Makes sure that the solver knows a literal.
    pub fn need(&mut self, gates: &Gates, literal: Lit) -> Lit {
        gates.emit(&mut self.sat, &mut self.names, literal)
    }

    /// Does the solver know the literal?
    pub fn knows(&self, gates: &Gates, literal: Lit) -> bool {
        gates.name_of(&self.names, literal).is_some()
    }

    /// Adds a clause that is valid whatever is asserted. Forgotten when the solver is started anew.
    pub fn add_valid(&mut self, gates: &Gates, literals: &[Lit]) {
        self.clause.clear();
        for &literal in literals {
            let literal = gates.emit(&mut self.sat, &mut self.names, literal);
            self.clause.push(literal);
        }
        self.sat.add_clause(&self.clause);
    }

    /// Solves under assumptions, literals of the gate table that were said to be needed. `None`:
    /// the question is hard and the solver was started anew for it; ask again after giving it what
    /// it should know.
    pub fn solve(&mut self, gates: &Gates, assumptions: &[Lit]) -> Option<SatAnswer> {
        let mut literals: Vec<Lit> = self
            .frames
            .iter()
            .filter_map(|frame| frame.activation)
            .collect();
        self.question += 1;
        for &assumption in assumptions {
            literals.push(self.need(gates, assumption));
        }
        self.recent.forget(self.question);
        if self.is_asserted {
            for literal in literals.drain(..) {
                self.sat.add_clause(&[literal]);
            }
        }
        let conflicts = self.sat.conflicts();
        let limit = (self.effort == Effort::Light).then_some(HARD_CONFLICTS);
        let answer = self.sat.solve(&literals, limit);
        let spent = self.sat.conflicts() - conflicts;
        if answer == SatAnswer::LimitReached {
            self.rebuild(Effort::Full);
            self.is_asserted = assumptions.len() == 1;
            self.give_roots(gates);
            return None;
        }
        if spent <= EASY_CONFLICTS {
            let needed = self.asserted + self.recent.variables;
            self.excess += self.names.len().saturating_sub(needed) as u64;
        }
        Some(answer)
    }

    /// The value of a literal in the model; `None` if the solver does not know it.
    pub fn value(&mut self, gates: &Gates, literal: Lit) -> Option<bool> {
        gates
            .name_of(&self.names, literal)
            .map(|literal| self.sat.value(literal))
    }

    /// Was the assumption used to refute?
    pub fn failed(&mut self, gates: &Gates, assumption: Lit) -> bool {
        match gates.name_of(&self.names, assumption) {
            Some(literal) if literal == Lit::TRUE => false,
            Some(_) if self.is_asserted => true,
            Some(literal) => literal == Lit::FALSE || self.sat.failed(literal),
            None => false,
        }
    }
}
