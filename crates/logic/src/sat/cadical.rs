//! CaDiCaL behind a small interface: the only place that knows the foreign library.

use super::{ClauseSink, Lit};
use cadical_sys::{CaDiCal, Status, Terminator};
use control::StopToken;

/// What the propositional solver found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SatAnswer {
    /// There is a model.
    Sat,
    /// There is none under the assumptions.
    Unsat,
    /// Interrupted by the token or the memory limit.
    Interrupted,
    /// The limit of conflicts was reached.
    LimitReached,
}

/// How much the solver does besides searching.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Only search: for very many very small questions.
    Light,
    /// All of its techniques: for hard questions.
    Full,
}

/// One CaDiCaL solver.
pub struct Cadical {
    solver: CaDiCal,
    variables: i32,
    clauses: u64,
    stop: StopToken,
}

// SAFETY: the C++ solver keeps all of its state in its own heap objects, uses no thread-local or
// global mutable state, and the only callback connected to it (the terminator below) owns data that
// is itself `Send`. Moving the owner to another thread between calls is therefore sound; the type
// is deliberately not `Sync`.
unsafe impl Send for Cadical {}

/// Looks at the stop token, and now and then at the memory of the process.
pub(super) struct Watch {
    stop: StopToken,
    memory_limit: Option<u64>,
    calls: u32,
}

impl Watch {
    pub(super) fn new(stop: StopToken, memory_limit: Option<u64>) -> Watch {
        Watch {
            stop,
            memory_limit,
            calls: 0,
        }
    }
}

/// How many calls of the terminator pass between two looks at the memory, which cost a system call
/// each.
const CALLS_PER_MEMORY_LOOK: u32 = 256;

impl Terminator for Watch {
    fn terminated(&mut self) -> bool {
        if self.stop.is_stopped() {
            return true;
        }
        let Some(limit) = self.memory_limit else {
            return false;
        };
        self.calls = self.calls.wrapping_add(1);
        self.calls.is_multiple_of(CALLS_PER_MEMORY_LOOK)
            && resident_bytes().is_some_and(|resident| resident > limit)
    }
}

/// Resident memory of this process, where the system tells.
pub(crate) fn resident_bytes() -> Option<u64> {
    let statistics = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statistics.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

impl Cadical {
    /// A solver that knows only that variable 1 is true.
    pub fn new(seed: u32, effort: Effort) -> Cadical {
        let mut solver = CaDiCal::new();
        if effort == Effort::Light {
            solver.configure("plain");
        }
        // Lucky guesses cost time in proportion to the formula in every question.
        for (option, value) in [("quiet", 1), ("lucky", 0), ("factor", 0)] {
            if CaDiCal::is_valid_option(option) {
                solver.set(option, value);
            }
        }
        if seed != 0 {
            solver.set("seed", (seed & 0x7fff_ffff) as i32);
        }
        let mut cadical = Cadical {
            solver,
            variables: 0,
            clauses: 0,
            stop: StopToken::new(),
        };
        let truth = cadical.new_var();
        debug_assert!(truth == Lit::TRUE);
        cadical.solver.clause1(truth.0);
        cadical
    }

    /// Sets what interrupts a running `solve`.
    pub fn set_limits(&mut self, stop: StopToken, memory_limit: Option<u64>) {
        self.stop = stop.clone();
        self.solver
            .connect_terminator(Watch::new(stop, memory_limit));
    }

    /// Conflicts so far, in all questions.
    pub fn conflicts(&self) -> i64 {
        self.solver.get_statistic_value("conflicts")
    }

    /// Solves under assumptions, with at most so many conflicts.
    pub fn solve(&mut self, assumptions: &[Lit], limit: Option<i32>) -> SatAnswer {
        for &literal in assumptions {
            self.solver.assume(literal.0);
        }
        let mut stop_at = i64::MAX;
        if let Some(limit) = limit {
            self.solver.limit("conflicts", limit);
            stop_at = self.conflicts() + i64::from(limit);
        }
        match self.solver.solve() {
            Status::SATISFIABLE => SatAnswer::Sat,
            Status::UNSATISFIABLE => SatAnswer::Unsat,
            Status::UNKNOWN if self.conflicts() >= stop_at => SatAnswer::LimitReached,
            Status::UNKNOWN => SatAnswer::Interrupted,
        }
    }

    /// The value of a literal in the model; only after `Sat` and before the next clause.
    #[inline]
    pub fn value(&mut self, literal: Lit) -> bool {
        if literal.is_const() {
            return literal == Lit::TRUE;
        }
        (self.solver.val(literal.var()) > 0) == (literal.0 > 0)
    }

    /// Was the assumption used to refute? Only after `Unsat` and before the next clause.
    pub fn failed(&mut self, assumption: Lit) -> bool {
        self.solver.failed(assumption.0)
    }

    /// Number of variables.
    pub fn variables(&self) -> i32 {
        self.variables
    }

    /// Number of clauses ever added.
    pub fn clauses(&self) -> u64 {
        self.clauses
    }
}

impl ClauseSink for Cadical {
    fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    #[inline]
    fn new_var(&mut self) -> Lit {
        self.variables += 1;
        Lit(self.variables)
    }

    fn push_clause(&mut self, literals: &[Lit]) {
        self.clauses += 1;
        match literals {
            [a] => self.solver.clause1(a.0),
            [a, b] => self.solver.clause2(a.0, b.0),
            [a, b, c] => self.solver.clause3(a.0, b.0, c.0),
            _ => {
                for literal in literals {
                    self.solver.add(literal.0);
                }
                self.solver.add(0);
            }
        }
    }
}
