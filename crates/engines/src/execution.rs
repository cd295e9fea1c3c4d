//! Concrete execution: runs the program, with inputs where it takes any.
//!
//! A program that takes no input is decided by running it. Otherwise inputs are drawn at random and
//! from the program's constants, and inputs that reached new locations are varied. Programs that
//! react to inputs do not end by themselves, so most executions are short: their lengths follow M.
//! Luby, A. Sinclair, D. Zuckerman: Optimal Speedup of Las Vegas Algorithms (1993), which costs at
//! most a logarithm whatever length is the best.

use cfa::op::Input;
use cfa::program::{EdgeId, LocId, Program};
use cfa::value::Ty;
use control::clock;
use facts::budget::Budget;
use facts::certificate::{Certificate, InputValue};
use facts::engine::{self, Board, Engine, Outcome, Reason};
use facts::words::count;
use interpreter::{
    Change, Coverage, InputSource, Interpreter, Observer, Options, Outcome as RunOutcome,
    RandomInputs, Run, View, constants,
};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Concrete execution: runs the program with random and varied inputs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExecutionOptions {
    /// The seed of the random inputs.
    pub seed: u64,
    /// Longest time for one execution.
    #[serde(skip, default = "patience")]
    pub patience: Duration,
    /// Executions after which the engine gives up; usually it runs out of time before.
    pub most_runs: u64,
}

fn patience() -> Duration {
    Duration::from_millis(500)
}

impl Default for ExecutionOptions {
    fn default() -> Self {
        ExecutionOptions {
            seed: 1,
            patience: patience(),
            most_runs: u64::MAX,
        }
    }
}

#[derive(Default)]
pub struct Execution {
    pub options: ExecutionOptions,
}

const NAME: &str = "execution";

impl Engine for Execution {
    fn name(&self) -> &str {
        NAME
    }

    /// Executions need every access to memory, also those that no read makes matter.
    fn view(&self) -> engine::View {
        engine::View::Original
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        if program.errors.is_empty() {
            return Outcome::Unknown("the program has no error location".into());
        }
        let mut search = Search {
            program,
            interpreter: Interpreter::new(program),
            coverage: Coverage::new(program),
            corpus: vec![NOTHING],
            constants: constants(program),
            budget,
            options: &self.options,
            told: 0,
        };
        let outcome = search.run(board);
        search.tell(board);
        outcome
    }
}

/// Values of inputs, in the order in which they were taken.
type Recorded = Vec<u128>;

/// Inputs that reached something new.
struct Kept {
    /// Up to what was new.
    inputs: Recorded,
    /// How long the execution took until then, at most.
    took: Duration,
    /// How long its variations took together.
    spent: Duration,
}

/// No inputs: all of them are drawn.
const NOTHING: Kept = Kept {
    inputs: Vec::new(),
    took: Duration::ZERO,
    spent: Duration::ZERO,
};

/// The time of the shortest executions.
const SHORTEST: Duration = Duration::from_millis(4);

/// The member of Luby's sequence 1, 1, 2, 1, 1, 2, 4, … with this number, counted from zero.
fn luby(number: u64) -> u32 {
    let mut number = number + 1;
    loop {
        // The smallest complete sequence that contains it has 2^bits - 1 members.
        let bits = u64::BITS - number.leading_zeros();
        if number + 1 == 1 << bits {
            return 1 << (bits - 1).min(16);
        }
        number -= (1 << (bits - 1)) - 1;
    }
}

struct Search<'a> {
    program: &'a Program,
    interpreter: Interpreter<'a>,
    coverage: Coverage,
    /// What is varied; all get the same time. The first stands for no inputs, and is taken every
    /// third time at least.
    corpus: Vec<Kept>,
    constants: Vec<u128>,
    budget: &'a Budget,
    options: &'a ExecutionOptions,
    /// How many of the visited locations the board knows.
    told: usize,
}

fn certificate(run: &Run) -> Outcome {
    let inputs = run.inputs.iter();
    let inputs = inputs.map(|&(input, ty, bits)| InputValue { input, ty, bits });
    Outcome::Answer(Certificate::Inputs(inputs.collect()))
}

impl Search<'_> {
    fn execute(&mut self, source: &mut Noting<'_>, patience: Option<Duration>) -> Run {
        let options = Options {
            deadline: patience.map(|patience| clock::now() + patience),
            stop: Some(&self.budget.stop),
            ..Options::default()
        };
        let out = &mut std::io::sink();
        let err = &mut std::io::sink();
        let mut watch = Watch {
            coverage: &mut self.coverage,
            count: source.visited,
        };
        // Whoever runs without end is not watched: that is much faster.
        let observer: Option<&mut dyn Observer> = match patience {
            Some(_) => Some(&mut watch),
            None => None,
        };
        self.interpreter
            .run_with(&options, source, out, err, observer)
    }

    fn run(&mut self, board: &dyn Board) -> Outcome {
        board.progress(NAME, "first run");
        let visited = Cell::new(0);
        let random = RandomInputs::with_constants(self.options.seed, self.constants.clone());
        let mut random = Noting::new(Vec::new(), random, &visited);
        let mut first = self.execute(&mut random, Some(self.options.patience));
        if matches!(first.outcome, RunOutcome::TimeLimit) && first.inputs.is_empty() {
            // Perhaps it takes no input at all: let it run.
            first = self.execute(&mut random, None);
        }
        if let RunOutcome::Error(_) = first.outcome {
            return certificate(&first);
        }
        if first.inputs.is_empty() {
            return self.deterministic(&first);
        }
        self.keep(random.up_to_the_last_new());
        let mut seed = self.options.seed;
        for number in 0..self.options.most_runs {
            if self.budget.is_exhausted() {
                let runs = count(number, "execution");
                return Outcome::Unknown(format!("{runs} without a violation").into());
            }
            if number.is_multiple_of(256) {
                let runs = count(number, "run");
                board.progress(NAME, &format!("{runs}, {} kept", self.corpus.len() - 1));
                board.count(NAME, "runs", number);
                self.tell(board);
            }
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let random = RandomInputs::with_constants(seed, self.constants.clone());
            let chosen = match number.is_multiple_of(3) {
                true => 0,
                false => self.least_varied(),
            };
            let (base, known) = self.varied(chosen, seed);
            let before = self.coverage.count();
            let patience = (known + SHORTEST * luby(number)).min(self.options.patience);
            visited.set(before);
            let mut source = Noting::new(base, random, &visited);
            let begin = clock::now();
            let run = self.execute(&mut source, Some(patience));
            if let RunOutcome::Error(_) = run.outcome {
                return certificate(&run);
            }
            self.corpus[chosen].spent += clock::now().saturating_duration_since(begin);
            if self.coverage.count() > before {
                self.keep(source.up_to_the_last_new());
            }
        }
        Outcome::Unknown("no violation in the configured number of executions".into())
    }

    /// Makes the visited locations known, if there are new ones.
    fn tell(&mut self, board: &dyn Board) {
        if self.coverage.count() > self.told {
            self.told = self.coverage.count();
            let all = (0..self.program.locations.len() as u32).map(LocId);
            let visited: Vec<LocId> = all.filter(|&at| self.coverage.contains(at)).collect();
            board.explored(NAME, &visited);
        }
    }

    fn deterministic(&self, run: &Run) -> Outcome {
        match &run.outcome {
            // C leaves open what happens from here on: no proof rests on it.
            RunOutcome::InvalidAccess(_) | RunOutcome::Undefined(_) => {
                let place = self.program.describe(run.place.span);
                let why = format!("the only execution ends in undefined behaviour at {place}");
                Outcome::Unknown(why.into())
            }
            outcome if outcome.is_conclusive() => {
                Outcome::Answer(Certificate::DeterministicRun { steps: run.steps })
            }
            RunOutcome::Unsupported(what) => {
                let place = self.program.describe(run.place.span);
                Outcome::Unknown(Reason::Unsupported(format!("{place}: {what}")))
            }
            outcome => {
                let how = outcome.describe(self.program);
                let why = format!("the only execution did not finish ({how})");
                Outcome::Unknown(why.into())
            }
        }
    }

    fn least_varied(&self) -> usize {
        let all = (0..self.corpus.len()).min_by_key(|&number| self.corpus[number].spent);
        all.unwrap_or_default()
    }

    fn keep(&mut self, kept: Kept) {
        // As if it had been there from the start: it gets its share, not all of the time.
        let spent = self.corpus[self.least_varied()].spent;
        self.corpus.push(Kept { spent, ..kept });
    }

    /// Kept inputs with something changed: a value, the rest, or the beginning only; and how long
    /// they take.
    fn varied(&self, which: usize, seed: u64) -> (Recorded, Duration) {
        let Kept { inputs, took, .. } = &self.corpus[which];
        let (mut inputs, took) = (inputs.clone(), *took);
        if inputs.is_empty() {
            return (inputs, took);
        }
        let mut bits = seed;
        let mut next = || {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695);
            bits >> 33
        };
        let at = (next() % inputs.len() as u64) as usize;
        match next() % 5 {
            0 => inputs.truncate(at),
            1 => inputs[at] = inputs[at].wrapping_add(1),
            2 => inputs[at] = inputs[at].wrapping_sub(1),
            3 if !self.constants.is_empty() => {
                inputs[at] = self.constants[(next() % self.constants.len() as u64) as usize];
            }
            _ => inputs[at] ^= 1 << (next() % 32),
        }
        (inputs, took)
    }
}

/// Notes which locations are visited, and tells the inputs how many.
struct Watch<'a> {
    coverage: &'a mut Coverage,
    count: &'a Cell<usize>,
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        self.coverage.edge(edge, change, view);
        self.count.set(self.coverage.count());
    }

    fn leave(&mut self, call: EdgeId, change: Change, view: &View<'_>) {
        self.coverage.leave(call, change, view);
    }
}

/// Gives the values it has, then random ones, and notes them all.
struct Noting<'a> {
    given: std::vec::IntoIter<u128>,
    random: RandomInputs,
    taken: Recorded,
    /// How many locations have been visited, now and when the last value was taken.
    visited: &'a Cell<usize>,
    visited_before: usize,
    /// How many values had been taken when a new location was visited, and when that was noticed.
    needed: usize,
    noticed: Instant,
    begin: Instant,
}

impl<'a> Noting<'a> {
    fn new(given: Recorded, random: RandomInputs, visited: &'a Cell<usize>) -> Noting<'a> {
        Noting {
            given: given.into_iter(),
            random,
            taken: Vec::new(),
            visited,
            visited_before: visited.get(),
            needed: 0,
            noticed: clock::now(),
            begin: clock::now(),
        }
    }

    fn note_new(&mut self) {
        if self.visited.get() > self.visited_before {
            self.visited_before = self.visited.get();
            self.needed = self.taken.len();
            self.noticed = clock::now();
        }
    }

    fn up_to_the_last_new(mut self) -> Kept {
        self.note_new();
        self.taken.truncate(self.needed);
        Kept {
            inputs: self.taken,
            took: self.noticed.saturating_duration_since(self.begin),
            spent: Duration::ZERO,
        }
    }
}

impl InputSource for Noting<'_> {
    fn next(&mut self, input: &Input, ty: Ty) -> Option<u128> {
        self.note_new();
        let value = match self.given.next() {
            Some(value) => value,
            None => self.random.next(input, ty)?,
        };
        self.taken.push(value);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn lengths_follow_the_sequence() {
        let first: Vec<u32> = (0..15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
