//! A verdict for every check: starts the engines for parts of the program, and puts what they find
//! into the report.

use super::cache::Cache;
use super::message::{Counterexample, Message, Report, Verdict};
use super::program_report::Files;
use super::stream::{StreamBoard, send};
use super::{checks, counterexample, decide as one, evidence, limits, worker};
use crate::cli::CheckArgs;
use crate::load;
use cfa::program::Program;
use concord::validity;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::Reason;
use facts::invariants::Facts;
use portfolio::assembly;
use portfolio::cache::{Checks, Earlier, Entry};
use portfolio::case::Case;
use portfolio::configuration::Analysis;
use portfolio::decide::{Decision, decide};
use portfolio::each::{Attempts, EarlierGroup, Status, decide_each};
use portfolio::plan::Plan;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use transform::checks::Check;

/// What is to be decided.
pub struct Task<'a> {
    pub args: &'a CheckArgs,
    pub task: &'a load::Task,
    pub analysis: &'a Analysis,
    pub files: Option<&'a Arc<Files>>,
    /// The program with all its checks.
    pub original: &'a Program,
}

/// The case that engines work on now.
type Current = Arc<Mutex<Option<Arc<Case>>>>;

/// Decides all checks. The error says what is wrong with the arguments.
pub fn report(given: &Task<'_>, budget: &Budget, report: Report) -> Result<Report, String> {
    let Task { args, original, .. } = *given;
    if args.precision_in.is_some() || args.precision_out.is_some() || args.reuse.is_some() {
        return Err(
            "--precision-in, --precision-out and --reuse are about one run of the analysis, and every check has its \
             own: use --stop-at-first with them"
                .into(),
        );
    }
    let current: Current = Arc::default();
    let at_work = Arc::clone(&current);
    let watched = limits::watch(args, budget, move || {
        at_work
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    });
    let cache = args.cache.as_deref().map(|dir| {
        let cache = Cache::open(dir, args, given.task);
        (cache, portfolio::cache::key(original))
    });
    let mut work = Work {
        current,
        ..Work::new(given, budget, report)
    };
    let mut is_known = false;
    if let Some((cache, key)) = &cache {
        let (versions, is_own) = cache.entries(key, Checks::read);
        is_known = is_own;
        let groups = versions.into_iter();
        work.earlier = groups.flat_map(|checks| checks.groups(original)).collect();
    }
    let all = work.earlier.len();
    let (list, statuses) = decide_each(original, &given.analysis.plan, budget, &mut work);
    let stopped = watched.reason();
    if let Some((cache, key)) = &cache {
        let kept = std::mem::take(&mut work.kept);
        let groups = kept.into_iter();
        let groups: Vec<_> = groups
            .map(|(group, entry)| (group, entry.answer_only()))
            .collect();
        // What was found again is there already.
        match is_known && groups.len() <= all {
            true => cache.touch(key),
            false => {
                if let Some(text) = Checks::of(original, groups).text() {
                    cache.keep(key, &text)?;
                }
            }
        }
    }
    let shown = work.shown(&list, &statuses);
    let mut report = work.report;
    checks::conclude(&mut report, shown);
    if report.verdict == Verdict::Unknown
        && let (Some(reason), true) = (stopped, list.len() < 2)
    {
        limits::say_stopped(&mut report, reason);
    }
    if report.verdict == Verdict::True {
        let split = transform::regions::split_memory(original);
        report.not_proved = validity::not_proved(&split, &given.task.property);
    }
    // The first of the list is the one that the verdict is about.
    let first = report.checks.first().map(|check| check.place.clone());
    let violations = list.iter().zip(&statuses).filter_map(|(check, status)| {
        let Status::Violated {
            inputs, harness, ..
        } = status
        else {
            return None;
        };
        let place = original.describe(check.span);
        Some((first.as_deref() == Some(place.as_str()), inputs, harness))
    });
    let violation = violations.max_by_key(|(is_first, ..)| *is_first);
    let certificate = match violation {
        Some((_, inputs, harness)) => {
            report.harness = harness.clone();
            Certificate::Inputs(inputs.clone())
        }
        // It says no more than that there is nothing to show.
        None => Certificate::NoWay,
    };
    if args.witness.is_some() || args.output.is_some() {
        report.witness =
            evidence::witness(args, given.task, original, &report, &certificate, budget);
    }
    Ok(report)
}

/// Starts engines for parts of a program.
pub struct Work<'a> {
    given: &'a Task<'a>,
    budget: &'a Budget,
    current: Current,
    pub report: Report,
    /// Executions that violate checks, by their numbers.
    executions: BTreeMap<usize, Counterexample>,
    /// What earlier versions leave.
    earlier: Vec<(EarlierGroup, Entry)>,
    /// What is left to later ones.
    kept: Vec<(EarlierGroup, Entry)>,
}

impl<'a> Work<'a> {
    pub fn new(given: &'a Task<'a>, budget: &'a Budget, report: Report) -> Work<'a> {
        Work {
            given,
            budget,
            current: Current::default(),
            report,
            executions: BTreeMap::new(),
            earlier: Vec::new(),
            kept: Vec::new(),
        }
    }

    fn shown(&mut self, list: &[Check], statuses: &[Status]) -> Vec<report::check::CheckShown> {
        let program = self.given.original;
        let files = self.given.files.map(|files| &**files);
        for (number, status) in statuses.iter().enumerate() {
            if let Status::Violated { inputs, .. } = status
                && !self.executions.contains_key(&number)
            {
                // What is left of the time may be short, but a counterexample is worth a little
                // more.
                let left = self.budget.left().unwrap_or(Duration::MAX);
                let left = left.max(Duration::from_secs(1));
                let budget = Budget::new(Some(left), self.budget.memory);
                let shown = counterexample::build(program, files, inputs, &budget);
                self.executions.insert(number, shown);
            }
        }
        let all = list.iter().zip(statuses).enumerate();
        all.map(|(number, (check, status))| {
            let execution = self.executions.get(&number);
            checks::shown(program, files, check, status, execution)
        })
        .collect()
    }
}

impl Attempts for Work<'_> {
    fn case(&mut self, program: Program) -> Arc<Case> {
        let Task {
            args,
            task,
            analysis,
            ..
        } = *self.given;
        let build = load::build(&args.input, &task.property);
        let mut case = worker::case(program, args, Some(build), &analysis.passes);
        case.tell_helpers(worker::helped(args, task, &case.views.original));
        let case = Arc::new(case);
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Arc::clone(&case));
        case
    }

    fn decide(&mut self, program: Program, plan: &Plan, budget: &Budget) -> (Decision, String) {
        let case = self.case(program);
        let plan = match self.given.args.deterministic {
            true => plan.in_turns(),
            false => plan.clone(),
        };
        let engines = match assembly::make(&plan, &case, Vec::new()) {
            Ok(engines) => engines,
            Err(why) => return (Decision::Unknown(Reason::from(why.clone())), why),
        };
        let board = Arc::new(StreamBoard::new(&case, self.given.files));
        let decision = decide(engines, &case, &board, budget, &mut |_| ());
        if let Ok(counts) = board.counts.lock() {
            for (engine, counts) in counts.iter() {
                let all = self.report.statistics.entry(engine.clone()).or_default();
                for (what, value) in counts {
                    *all.entry(what.clone()).or_default() += value;
                }
            }
        }
        let alarms = case.alarms.list().into_iter().map(one::shown);
        self.report.alarms.extend(alarms);
        let gave_up = one::gave_up(&board);
        let reason = match &decision {
            Decision::Unknown(reason) => one::headline(&gave_up, reason, budget),
            _ => String::new(),
        };
        self.report.gave_up.extend(gave_up);
        (decision, reason)
    }

    fn earlier(&mut self, _: &Program) -> Vec<EarlierGroup> {
        let groups = self.earlier.iter();
        groups.map(|(group, _)| group.clone()).collect()
    }

    fn decide_again(&mut self, number: usize, part: Program, budget: &Budget) -> Decision {
        let case = self.case(part);
        let entry = self.earlier.get(number).map(|(_, entry)| entry);
        let earlier = Earlier::of(&case, entry.map_or(&[], std::slice::from_ref));
        let cached = assembly::cached(&case, earlier.answers);
        let board = Arc::new(StreamBoard::new(&case, self.given.files));
        decide(cached, &case, &board, budget, &mut |_| ())
    }

    fn keep(&mut self, group: &EarlierGroup, certificate: &Certificate) {
        if self.given.args.cache.is_none() {
            return;
        }
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(case) = &*current else { return };
        let entry = Entry::of(case, Some(certificate), &Facts::default());
        self.kept.extend(entry.map(|entry| (group.clone(), entry)));
    }

    fn tell(&mut self, checks: &[Check], statuses: &[Status]) {
        let mut list = self.shown(checks, statuses);
        // One execution is enough for a verdict; the others come with the report.
        let violated = list.iter_mut().filter(|one| one.counterexample.is_some());
        for check in violated.skip(1) {
            check.counterexample = None;
        }
        send(&Message::Checks { list });
    }

    fn contradiction(&mut self, text: String) {
        self.report.alarms.push(super::message::Alarm {
            kind: super::message::AlarmKind::Contradiction,
            text,
        });
    }
}
