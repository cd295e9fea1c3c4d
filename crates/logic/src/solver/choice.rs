//! Which solver to use: our own, or another one in a process of its own.

use super::conversation::ExternalError;
use super::external::ExternalSolver;
use super::{Answer, NativeSolver, Solver, SolverOptions, UnknownReason};
use crate::term::{Term, TermPool, Value};
use control::StopToken;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// A choice that was made once for a whole run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum SolverChoice {
    #[default]
    Native,
    /// A well-known name (`z3`, `cvc5`, `bitwuzla`) or a command.
    External(String),
}

impl SolverChoice {
    /// `native` or `concord` is our own; everything else names another.
    pub fn named(name: &str) -> SolverChoice {
        match name.trim() {
            "native" | "concord" => SolverChoice::Native,
            other => SolverChoice::External(other.to_string()),
        }
    }

    /// Can the solver be used at all? Starts it for a moment.
    pub fn check(&self) -> Result<(), ExternalError> {
        match self {
            SolverChoice::Native => Ok(()),
            SolverChoice::External(name) => ExternalSolver::start(name).map(drop),
        }
    }

    /// A solver without assertions. One that cannot be started answers "unknown" to everything.
    pub fn make(&self, options: SolverOptions) -> Box<dyn Solver> {
        match self {
            SolverChoice::Native => Box::new(NativeSolver::new(options)),
            SolverChoice::External(name) => Box::new(Restarting::new(name)),
        }
    }
}

/// So many processes of external solvers a thread has at once; an analysis may have a solver for
/// each of hundreds of blocks.
const MAX_PROCESSES: usize = if cfg!(test) { 3 } else { 24 };

/// A process that may be ended to make room for another one.
type Slot = Rc<RefCell<Option<ExternalSolver>>>;

thread_local! {
    /// The slots with a process, the one used longest ago first.
    static PROCESSES: RefCell<VecDeque<Slot>> = const { RefCell::new(VecDeque::new()) };
}

/// Makes the slot the one used last, and ends the process that was not used for the longest time if
/// there are too many.
fn make_room(slot: &Slot) {
    PROCESSES.with_borrow_mut(|processes| {
        processes.retain(|other| !Rc::ptr_eq(other, slot));
        while processes.len() >= MAX_PROCESSES {
            if let Some(oldest) = processes.pop_front() {
                oldest.take();
            }
        }
        processes.push_back(Rc::clone(slot));
    });
}

/// An external solver with a memory of what was asserted. Its process is started when a question is
/// asked, and started anew after it was interrupted (a process that was thinking then is of no use
/// any more) or had to make room. A model is lost, and said to be so, when many other solvers were
/// asked since.
struct Restarting {
    name: String,
    slot: Slot,
    /// What was asserted in each open frame; the first is always open.
    frames: Vec<Vec<Term>>,
    core: Vec<Term>,
    stop: StopToken,
}

impl Restarting {
    fn new(name: &str) -> Restarting {
        Restarting {
            name: name.to_string(),
            slot: Slot::default(),
            frames: vec![Vec::new()],
            core: Vec::new(),
            stop: StopToken::new(),
        }
    }

    /// Does something to the process, if there is one.
    fn change(&mut self, action: impl FnOnce(&mut ExternalSolver)) {
        self.core.clear();
        if let Some(solver) = self.slot.borrow_mut().as_mut() {
            action(solver);
        }
    }

    /// A process with all assertions.
    fn start(&self, pool: &mut TermPool) -> Result<ExternalSolver, String> {
        let mut solver = ExternalSolver::start(&self.name).map_err(|error| error.to_string())?;
        solver.set_stop(self.stop.clone());
        for (number, frame) in self.frames.iter().enumerate() {
            if number > 0 {
                solver.push();
            }
            for &term in frame {
                solver.assert(pool, term);
            }
        }
        Ok(solver)
    }
}

impl Drop for Restarting {
    fn drop(&mut self) {
        // At the end of a thread the list may be gone already, and the process with it.
        let _ = PROCESSES.try_with(|processes| {
            if let Ok(mut processes) = processes.try_borrow_mut() {
                processes.retain(|other| !Rc::ptr_eq(other, &self.slot));
            }
        });
    }
}

impl Solver for Restarting {
    fn assert(&mut self, pool: &mut TermPool, term: Term) {
        self.change(|solver| solver.assert(pool, term));
        if let Some(frame) = self.frames.last_mut() {
            frame.push(term);
        }
    }

    fn push(&mut self) {
        self.frames.push(Vec::new());
        self.change(|solver| solver.push());
    }

    fn pop(&mut self) {
        if self.frames.len() > 1 {
            self.frames.pop();
            self.change(|solver| solver.pop());
        }
    }

    fn check(&mut self, pool: &mut TermPool, assumptions: &[Term]) -> Answer {
        self.core.clear();
        make_room(&self.slot);
        let usable = self.slot.take().filter(|solver| !solver.is_broken());
        let mut solver = match usable.map_or_else(|| self.start(pool), Ok) {
            Ok(solver) => solver,
            Err(error) => return Answer::Unknown(UnknownReason::Solver(error)),
        };
        let answer = solver.check(pool, assumptions);
        self.core.extend_from_slice(solver.core());
        self.slot.replace(Some(solver));
        answer
    }

    fn value(&mut self, pool: &TermPool, term: Term) -> Option<Value> {
        self.slot.borrow_mut().as_mut()?.value(pool, term)
    }

    fn core(&self) -> &[Term] {
        &self.core
    }

    fn set_stop(&mut self, stop: StopToken) {
        if let Some(solver) = self.slot.borrow_mut().as_mut() {
            solver.set_stop(stop.clone());
        }
        self.stop = stop;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;
    use std::time::Duration;

    #[test]
    fn an_absent_solver_is_said_to_be_absent() {
        let choice = SolverChoice::named("no-such-solver-anywhere");
        let message = choice.check().expect_err("it is not there").to_string();
        assert!(message.contains("no-such-solver-anywhere"), "{message}");
        let mut pool = TermPool::new();
        let mut solver = choice.make(SolverOptions::default());
        assert!(matches!(solver.check(&mut pool, &[]), Answer::Unknown(_)));
    }

    /// More solvers than processes: each goes on with what it was told.
    #[test]
    fn many_solvers_share_few_processes() {
        let choice = SolverChoice::named("z3");
        if choice.check().is_err() {
            println!("SKIPPED: no z3");
            return;
        }
        let mut pool = TermPool::new();
        let bits: Vec<Term> = (0..6)
            .map(|number| pool.var(&format!("b{number}"), Sort::Bool))
            .collect();
        let mut solvers: Vec<Box<dyn Solver>> = Vec::new();
        for &bit in &bits {
            let mut solver = choice.make(SolverOptions::default());
            solver.assert(&mut pool, bit);
            solver.push();
            solvers.push(solver);
        }
        for round in 0..3 {
            for (number, solver) in solvers.iter_mut().enumerate() {
                let (own, other) = (bits[number], bits[(number + 1) % bits.len()]);
                let not_own = pool.not(own);
                assert!(solver.check(&mut pool, &[other, not_own]).is_unsat());
                assert_eq!(solver.core(), [not_own]);
                if round == 1 {
                    solver.assert(&mut pool, other);
                }
                let not_other = pool.not(other);
                let answer = solver.check(&mut pool, &[not_other]);
                assert_eq!(answer.is_sat(), round != 1, "{number}");
                if answer.is_sat() {
                    assert_eq!(solver.holds(&pool, other), Some(false));
                }
                if round == 1 {
                    solver.pop();
                    solver.push();
                }
            }
        }
        let processes = || PROCESSES.with_borrow(VecDeque::len);
        assert_eq!(processes(), MAX_PROCESSES);
        drop(solvers);
        assert_eq!(processes(), 0);
    }

    #[test]
    fn an_interrupted_solver_goes_on_with_its_assertions() {
        let choice = SolverChoice::named("z3");
        if choice.check().is_err() {
            println!("SKIPPED: no z3");
            return;
        }
        let mut pool = TermPool::new();
        let (x, y) = (pool.var("x", Sort::Bool), pool.var("y", Sort::Bool));
        let mut solver = choice.make(SolverOptions::default());
        solver.assert(&mut pool, x);
        solver.push();
        solver.assert(&mut pool, y);
        solver.set_stop(StopToken::new().with_timeout(Duration::ZERO));
        assert_eq!(
            solver.check(&mut pool, &[]),
            Answer::Unknown(UnknownReason::Stopped)
        );
        solver.set_stop(StopToken::new());
        let (not_x, not_y) = (pool.not(x), pool.not(y));
        assert!(solver.check(&mut pool, &[not_y]).is_unsat());
        solver.pop();
        assert!(solver.check(&mut pool, &[not_y]).is_sat());
        assert!(solver.check(&mut pool, &[not_x]).is_unsat());
    }
}
