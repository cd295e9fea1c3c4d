//! A verdict for every check of a program, not only for all of them together.
//!
//! A check is decided on the program that asks for it and at which the others end executions
//! ([`transform::checks`]); every answer is certified there as any other is. Time is spent where it
//! pays:
//!
//! 1. Checks that no path leads to, and those that an earlier version has an answer for.
//! 2. Abstract interpretation of the whole program, in domains of growing precision: what a fixpoint
//!    excludes is asked for by itself, and the same domain proves it.
//! 3. The whole analysis for all that is left. A violation decides one check, and the rest is asked
//!    for again.
//! 4. The rest by functions, then one by one, each with its part of the time.
//!
//! Why the parts are worth the whole: take an execution that violates checks, and the first one
//! that it violates. Up to there the program that asks for that check alone has the same execution.
//! So if all checks are proved, no execution violates any.

use crate::case::Case;
use crate::conclusions::Conclusion;
use crate::decide::{Decision, without_search};
use crate::plan::{Configured, Plan, Step};
use crate::registry;
use absint::invariants::{InvariantOptions, generate};
use cfa::op::Op;
use cfa::program::{ErrorKind, FuncId, LocId, Program};
use cpa::generator::GeneratorOptions;
use facts::budget::Budget;
use facts::certificate::{Certificate, InputValue};
use facts::engine::View;
use interpreter::{Coverage, Interpreter, Options, Outcome, RandomInputs};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use transform::checks::{Check, asked_at, checks, only, reaching};

/// The part of the time that one domain may take for its fixpoint, and the least that it gets.
const PART_OF_DOMAIN: f64 = 0.06;
const LEAST_OF_DOMAIN: Duration = Duration::from_millis(300);
/// The part of the time in which what a domain excludes is proved.
const PART_OF_PROOF: f64 = 0.2;
/// The part in which all that is left is asked for together.
const PART_TOGETHER: f64 = 0.4;
/// The part in which functions are asked for, before single checks are.
const PART_OF_FUNCTIONS: f64 = 0.4;
/// The least time that makes an attempt worth while.
const LEAST: Duration = Duration::from_millis(250);
/// Groups are halved so often where a proof for all of them is not accepted.
const MAX_HALVINGS: u32 = 4;
/// Time for the question which checks are reached at all, and executions that are tried for it.
const REACHING: Duration = Duration::from_secs(2);
const EXECUTIONS: u64 = 30;
const EXECUTING: Duration = Duration::from_millis(100);

/// What is known of a check.
#[derive(Clone, Debug)]
pub enum Status {
    /// The execution with these inputs violates it.
    Violated {
        found: Found,
        inputs: Vec<InputValue>,
        harness: Option<String>,
    },
    Proved(Found),
    /// Proved, because no execution comes to it.
    Unreachable(Found),
    /// Why it is not decided, in words for users.
    Unknown(String),
}

/// Who has found something, and how it was certified.
#[derive(Clone, Debug)]
pub struct Found {
    pub engine: Option<String>,
    /// The kind of certificate.
    pub certificate: &'static str,
    pub how: String,
}

/// Checks that were decided together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EarlierGroup {
    /// Their error locations in the whole program.
    pub errors: BTreeSet<LocId>,
    /// Not whether they are violated was decided, but whether executions come to them.
    pub is_reaching: bool,
}

/// Whoever starts engines.
pub trait Attempts {
    /// The case of a program, for engines that are not started here.
    fn case(&mut self, program: Program) -> Arc<Case>;

    /// Lets the plan run on a program. The text says why there is no answer, if there is none.
    fn decide(&mut self, program: Program, plan: &Plan, budget: &Budget) -> (Decision, String);

    /// Groups of checks that an earlier version had an answer for.
    fn earlier(&mut self, _program: &Program) -> Vec<EarlierGroup> {
        Vec::new()
    }

    /// Tries the answer of an earlier version, by its number in [`Attempts::earlier`], on the part
    /// of this one that asks for the same.
    fn decide_again(&mut self, _number: usize, _part: Program, _budget: &Budget) -> Decision {
        Decision::Unknown("nothing is known of earlier versions".into())
    }

    /// An answer about a group was certified, on a case that has just been decided: it may be worth
    /// keeping.
    fn keep(&mut self, _group: &EarlierGroup, _certificate: &Certificate) {}

    /// Something was decided: what is known of all checks now.
    fn tell(&mut self, checks: &[Check], statuses: &[Status]);

    /// An execution violates another check than the one that it was found for, or one that is
    /// proved: an error of ours.
    fn contradiction(&mut self, text: String);
}

/// Decides every check of a program.
pub fn decide_each(
    program: &Program,
    plan: &Plan,
    budget: &Budget,
    attempts: &mut dyn Attempts,
) -> (Vec<Check>, Vec<Status>) {
    let checks = checks(program);
    let reason = "there was no time to look at it";
    let statuses = vec![Status::Unknown(reason.into()); checks.len()];
    let mut each = Each {
        program,
        checks,
        statuses,
        plan,
        budget,
        attempts,
    };
    each.without_path();
    each.again();
    if each.open().is_empty() {
        return (each.checks, each.statuses);
    }
    each.interpreted();
    each.together();
    each.by_function();
    each.one_by_one();
    each.unreachable();
    (each.checks, each.statuses)
}

struct Each<'a> {
    program: &'a Program,
    checks: Vec<Check>,
    statuses: Vec<Status>,
    plan: &'a Plan,
    budget: &'a Budget,
    attempts: &'a mut dyn Attempts,
}

/// Numbers of checks.
type Group = Vec<usize>;

impl Each<'_> {
    /// The checks that are not decided.
    fn open(&self) -> Group {
        let all = self.statuses.iter().enumerate();
        let open = all.filter(|(_, status)| matches!(status, Status::Unknown(_)));
        open.map(|(number, _)| number).collect()
    }

    fn errors(&self, group: &[usize]) -> BTreeSet<LocId> {
        let checks = group.iter().map(|&number| &self.checks[number]);
        checks.flat_map(|check| check.errors.clone()).collect()
    }

    fn part(&self, group: &[usize]) -> Program {
        only(self.program, &self.errors(group))
    }

    fn set(&mut self, group: &[usize], status: &Status) {
        for &number in group {
            self.statuses[number] = status.clone();
        }
        self.attempts.tell(&self.checks, &self.statuses);
    }

    /// Why checks are not decided, unless an earlier attempt said so.
    fn note(&mut self, group: &[usize], reason: &str) {
        for &number in group {
            self.statuses[number] = Status::Unknown(reason.to_owned());
        }
    }

    fn time_left(&self) -> Duration {
        let own = self.budget.own_time();
        own.unwrap_or(Duration::from_secs(3600))
    }

    /// 1. No path of the graph leads to them.
    fn without_path(&mut self) {
        let reached = reached(self.program);
        let is_reached = |at: &LocId| reached[at.0 as usize];
        let mut group = self.open();
        group.retain(|&number| !self.checks[number].errors.iter().any(is_reached));
        if group.is_empty() {
            return;
        }
        if let Some((certificate, accepted)) = without_search(&self.part(&group), self.budget) {
            let found = Found {
                engine: None,
                certificate: certificate.name(),
                how: accepted.how,
            };
            // What the program leaves behind is asked wherever it ends.
            let is_at_end = |number: &usize| {
                let kind = self.checks[*number].kind;
                matches!(kind, ErrorKind::Lost | ErrorKind::NotFreed)
            };
            let (at_end, others): (Group, Group) =
                group.iter().partition(|number| is_at_end(number));
            self.set(&at_end, &Status::Proved(found.clone()));
            self.set(&others, &Status::Unreachable(found));
        }
    }

    /// 1. What was decided of an earlier version is decided again by the same certificates.
    fn again(&mut self) {
        let earlier = self.attempts.earlier(self.program);
        for (number, group) in earlier.iter().enumerate() {
            if self.budget.is_exhausted() {
                return;
            }
            let is_asked = |check: &Check| check.errors.iter().all(|at| group.errors.contains(at));
            let is_left = |status: &Status| match group.is_reaching {
                true => matches!(status, Status::Proved(_)),
                false => matches!(status, Status::Unknown(_)),
            };
            let asked: Group = (0..self.checks.len())
                .filter(|&check| is_asked(&self.checks[check]) && is_left(&self.statuses[check]))
                .collect();
            if asked.is_empty() {
                continue;
            }
            let part = match group.is_reaching {
                true => {
                    let places = asked.iter().flat_map(|&number| {
                        let check = &self.checks[number];
                        asked_at(self.program, &check.errors)
                    });
                    let places: BTreeSet<LocId> = places.collect();
                    let places: Vec<LocId> = places.into_iter().collect();
                    reaching(only(self.program, &BTreeSet::new()), &places).0
                }
                false => self.part(&asked),
            };
            let time = self.time_left().mul_f64(PART_OF_PROOF).max(LEAST);
            let (budget, _limit) = self.budget.within_own_time(time);
            let decision = self.attempts.decide_again(number, part, &budget);
            budget.stop.stop();
            let Decision::Certified(conclusion) = decision else {
                continue;
            };
            if !group.is_reaching {
                self.conclude(&asked, *conclusion);
            } else if conclusion.certificate.claims_safety() {
                self.attempts.keep(group, &conclusion.certificate);
                let found = Found {
                    engine: Some(conclusion.engine),
                    certificate: conclusion.certificate.name(),
                    how: conclusion.how,
                };
                self.set(&asked, &Status::Unreachable(found));
            }
        }
    }

    /// 2. Domains of growing precision.
    fn interpreted(&mut self) {
        for options in domains() {
            let open = self.open();
            if open.is_empty() || self.budget.is_exhausted() {
                return;
            }
            let case = self.attempts.case(self.part(&open));
            let Some(reached) = self.not_excluded(&case, &options) else {
                continue;
            };
            let is_reached = |at: &LocId| reached.contains(at);
            let mut group = open;
            group.retain(|&number| !self.checks[number].errors.iter().any(is_reached));
            self.prove_by(&group, &options, MAX_HALVINGS);
        }
    }

    /// The error locations that a fixpoint does not exclude; nothing if there was no time for it.
    fn not_excluded(&self, case: &Case, options: &InvariantOptions) -> Option<BTreeSet<LocId>> {
        let program = case.views.program(View::Prepared);
        let time = (self.time_left().mul_f64(PART_OF_DOMAIN)).max(LEAST_OF_DOMAIN);
        let (budget, _limit) = self.budget.within_own_time(time);
        let _working = budget.at_work();
        let found = generate(program, options, &budget).ok()?;
        let prepared = case.views.prepared();
        let before = |at: LocId| match prepared {
            Some(prepared) => prepared.locations_before(at).to_vec(),
            None => vec![at],
        };
        Some(found.reached.into_iter().flat_map(before).collect())
    }

    /// Proves checks that a domain excludes by that domain; in halves, if that is not accepted for
    /// all at once.
    fn prove_by(&mut self, group: &[usize], options: &InvariantOptions, halvings: u32) {
        let Some(plan) = interpretation(options) else {
            return;
        };
        if group.is_empty() || self.budget.is_exhausted() {
            return;
        }
        let (is_decided, _) = self.attempt(group, &plan, PART_OF_PROOF);
        if is_decided || halvings == 0 || group.len() < 2 {
            return;
        }
        let (first, second) = group.split_at(group.len() / 2);
        self.prove_by(first, options, halvings - 1);
        self.prove_by(second, options, halvings - 1);
    }

    /// Asks for a group of checks in a part of the time. Says whether something was decided, and
    /// how long one may go on.
    fn attempt(&mut self, group: &[usize], plan: &Plan, part: f64) -> (bool, String) {
        let time = self.time_left().mul_f64(part).max(LEAST);
        let (budget, _limit) = self.budget.within_own_time(time);
        let asked = self.part(group);
        let (decision, reason) = self.attempts.decide(asked, plan, &budget);
        // Whoever has not stopped yet works for nobody any more.
        budget.stop.stop();
        match decision {
            Decision::Certified(conclusion) => (self.conclude(group, *conclusion), String::new()),
            Decision::Contradicted(how) => {
                self.note(group, &how);
                (false, how)
            }
            Decision::Unknown(_) => {
                self.note(group, &reason);
                (false, reason)
            }
        }
    }

    /// What a certified answer about a group says of its checks.
    fn conclude(&mut self, group: &[usize], conclusion: Conclusion) -> bool {
        let asked = EarlierGroup {
            errors: self.errors(group),
            is_reaching: false,
        };
        self.attempts.keep(&asked, &conclusion.certificate);
        let found = Found {
            engine: Some(conclusion.engine),
            certificate: conclusion.certificate.name(),
            how: conclusion.how,
        };
        let Certificate::Inputs(inputs) = conclusion.certificate else {
            self.set(group, &Status::Proved(found));
            return true;
        };
        let Some(number) = self.violated(&inputs) else {
            return false;
        };
        if !group.contains(&number) {
            let check = &self.checks[number];
            let place = self.program.describe(check.span);
            self.attempts.contradiction(format!(
                "the execution that was found violates the check at {place}, which was not asked for"
            ));
            return false;
        }
        let status = Status::Violated {
            found,
            inputs,
            harness: conclusion.harness,
        };
        self.set(&[number], &status);
        true
    }

    /// The check that an execution of the whole program violates first.
    fn violated(&self, inputs: &[InputValue]) -> Option<usize> {
        let run = certify::replay(self.program, inputs, self.budget, None);
        let Outcome::Error(error) = run.outcome else {
            return None;
        };
        let mut checks = self.checks.iter();
        checks.position(|check| check.errors.contains(&error))
    }

    /// 3. All that is left, until no violation is found any more.
    fn together(&mut self) {
        while !self.budget.is_exhausted() {
            let open = self.open();
            if open.is_empty() || !self.attempt(&open, self.plan, PART_TOGETHER).0 {
                return;
            }
        }
    }

    /// 4. The checks of one function after the other.
    fn by_function(&mut self) {
        let mut functions: BTreeMap<FuncId, Group> = BTreeMap::new();
        let open = self.open();
        for &number in &open {
            let function = self.checks[number].function;
            functions.entry(function).or_default().push(number);
        }
        if functions.len() < 2 {
            return;
        }
        let mut groups: Vec<Group> = functions.into_values().collect();
        // Where few are left, more of them are decided in the same time.
        groups.sort_by_key(Vec::len);
        let count = groups.len();
        for (number, group) in groups.into_iter().enumerate() {
            // One alone is asked for later, with more time.
            if group.len() > 1 {
                self.repeat(group, PART_OF_FUNCTIONS / (count - number) as f64);
            }
        }
    }

    /// Asks for what is left of a group as long as violations are found in it.
    fn repeat(&mut self, mut group: Group, part: f64) {
        while !group.is_empty() && !self.budget.is_exhausted() {
            if self.time_left() < LEAST || !self.attempt(&group, self.plan, part).0 {
                return;
            }
            group.retain(|&number| matches!(self.statuses[number], Status::Unknown(_)));
        }
    }

    fn one_by_one(&mut self) {
        let open = self.open();
        // Alone it was asked for together with the others.
        if open.len() < 2 {
            return;
        }
        let count = open.len();
        for (done, number) in open.into_iter().enumerate() {
            if self.budget.is_exhausted() || self.time_left() < LEAST {
                return;
            }
            self.attempt(&[number], self.plan, 1.0 / (count - done) as f64);
        }
    }

    /// Which of the proved checks no execution comes to.
    fn unreachable(&mut self) {
        let proved = |number: &usize| {
            let kind = self.checks[*number].kind;
            matches!(self.statuses[*number], Status::Proved(_))
                && !matches!(kind, ErrorKind::Lost | ErrorKind::NotFreed)
        };
        let mut group: Group = (0..self.checks.len()).filter(proved).collect();
        let executed = self.executed();
        let asked: Vec<Vec<LocId>> = (self.checks.iter())
            .map(|check| asked_at(self.program, &check.errors))
            .collect();
        group.retain(|&number| {
            let places = &asked[number];
            !places.is_empty() && !places.iter().any(|at| executed.contains(*at))
        });
        if group.is_empty() || self.budget.is_exhausted() {
            return;
        }
        // Coming to one of these places is the error now.
        let places: BTreeSet<LocId> = (group.iter())
            .flat_map(|&number| asked[number].iter().copied())
            .collect();
        let places: Vec<LocId> = places.into_iter().collect();
        let (program, errors) = reaching(only(self.program, &BTreeSet::new()), &places);
        let time = REACHING.min(self.time_left().mul_f64(PART_OF_PROOF));
        let (budget, _limit) = self.budget.within_own_time(time);
        let error_of: BTreeMap<LocId, LocId> = places.into_iter().zip(errors).collect();
        for options in domains().iter().take(2) {
            let case = self.attempts.case(program.clone());
            let Some(reached) = self.not_excluded(&case, options) else {
                continue;
            };
            let is_excluded = |at: &LocId| {
                error_of
                    .get(at)
                    .is_some_and(|error| !reached.contains(error))
            };
            let excluded: Group = (group.iter().copied())
                .filter(|&number| asked[number].iter().all(is_excluded))
                .collect();
            let kept = excluded.iter().flat_map(|&number| &asked[number]);
            let kept: BTreeSet<LocId> = kept.filter_map(|at| error_of.get(at).copied()).collect();
            if let (false, Some(plan)) = (kept.is_empty(), interpretation(options))
                && let (Decision::Certified(conclusion), _) =
                    (self.attempts).decide(only(&program, &kept), &plan, &budget)
                && conclusion.certificate.claims_safety()
            {
                let asked = EarlierGroup {
                    errors: self.errors(&excluded),
                    is_reaching: true,
                };
                self.attempts.keep(&asked, &conclusion.certificate);
                let found = Found {
                    engine: Some(conclusion.engine),
                    certificate: conclusion.certificate.name(),
                    how: conclusion.how,
                };
                self.set(&excluded, &Status::Unreachable(found));
                group.retain(|number| !excluded.contains(number));
            }
        }
        budget.stop.stop();
    }

    /// The locations that a few executions come to.
    fn executed(&self) -> Coverage {
        let mut interpreter = Interpreter::new(self.program);
        let mut coverage = Coverage::new(self.program);
        let deadline = control::clock::now() + EXECUTING;
        for seed in 0..EXECUTIONS {
            let options = Options {
                deadline: Some(deadline),
                ..Options::default()
            };
            let mut source = RandomInputs::new(seed, self.program);
            let (out, err) = (&mut std::io::sink(), &mut std::io::sink());
            interpreter.run_with(&options, &mut source, out, err, Some(&mut coverage));
            if control::clock::now() >= deadline {
                break;
            }
        }
        coverage
    }
}

/// Domains of growing precision. Objects are taken to lie somewhere: what is excluded so is checked
/// before it counts.
fn domains() -> Vec<InvariantOptions> {
    let rounds = GeneratorOptions::default().rounds.into_iter();
    let placed = rounds.map(|round| InvariantOptions {
        placed: true,
        ..round
    });
    placed.collect()
}

/// The plan of one abstract interpretation.
fn interpretation(options: &InvariantOptions) -> Option<Plan> {
    let options = GeneratorOptions {
        rounds: vec![options.clone()],
        continuous: false,
        ..GeneratorOptions::default()
    };
    let engine = registry::named("invariants")?;
    let options = toml::Table::try_from(options).ok()?;
    Some(Step::Engine(Configured { engine, options }).into())
}

/// Which locations a path of the graph leads to, whatever the conditions on it are.
pub(crate) fn reached(program: &Program) -> Vec<bool> {
    let mut reached = vec![false; program.locations.len()];
    let mut open = vec![program.function(program.entry).entry];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut reached[at.0 as usize], true) {
            continue;
        }
        for &edge in &program.location(at).outgoing {
            match program.edge_op(edge) {
                Op::Halt(_) => continue,
                Op::Call { function, .. } => open.push(program.function(*function).entry),
                Op::Assume(condition) if program.pool.as_bool(*condition) == Some(false) => {
                    continue;
                }
                _ => {}
            }
            open.push(program.edge(edge).target);
        }
    }
    reached
}
