//! How fast the default solver is, side by side with z3 over a pipe. CPU time of all processes
//! involved is counted.
//!
//! `cargo run --release -p logic --example solver_bench [small] [fresh] [trace [FILE…]]
//! [unrolling]`; without arguments all of them, the trace being those in
//! `crates/logic/examples/traces`.
//!
//! - `small`: 20,000 conjunctions of three to six literals over 120 atoms of six 32-bit variables
//!   before and after a block, none contained in another; memories of models and cores off. Asked:
//!   4 times z3's rate. Small means that the block is assignments of sums and choices and the atoms
//!   are comparisons, so that z3 answers some hundreds per second; with masks and differences in
//!   the block it manages 40, and ours is 12 times as fast.
//! - `fresh`: the same with atoms made for each query, which therefore brings adders and
//!   comparisons of its own. Nothing is asked.
//! - `trace`: recorded sessions of an analysis, with the memories on. Asked: 10 times z3's rate. A
//!   session is recorded by `--solver contrib/record-queries`; the files of its processes are
//!   joined with `(reset)` between them.
//! - `unrolling`: 200 steps of a loop with additions, comparisons, a read and a write. Asked: at
//!   most 10 s.
//!
//! z3 is given `SOLVER_BENCH_SECONDS` (20) for each, and 2 s for a query; the times are compared on
//! the queries that it answered. `SOLVER_BENCH_QUERIES` makes shorter runs.

use arith::random::xorshift;
use control::StopToken;
use logic::smtlib::{Command, SmtError, parse_script};
use logic::solver::{ExternalSolver, SolverStatistics};
use logic::{Answer, NativeSolver, Op, Solver, SolverOptions, Sort, Term, TermPool, UnknownReason};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// xorshift64*: the same queries in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        xorshift(&mut self.0)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 16) % bound as u64) as usize
    }

    fn pick(&mut self, terms: &[Term]) -> Term {
        terms[self.below(terms.len())]
    }
}

/// CPU time of a process in seconds; `self` for this one. Its first thread does all the work in
/// ours and in z3.
fn cpu_seconds(process: &str) -> f64 {
    std::fs::read_to_string(format!("/proc/{process}/schedstat"))
        .ok()
        .and_then(|text| text.split_ascii_whitespace().next()?.parse::<f64>().ok())
        .map_or(0.0, |nanoseconds| nanoseconds / 1e9)
}

/// What is asked of a solver, in order.
enum Step {
    Assert(Term),
    Push,
    Pop,
    Check(Vec<Term>),
}

/// What one solver is asked from its start to its end.
struct Session {
    pool: TermPool,
    steps: Vec<Step>,
}

struct Workload {
    title: String,
    sessions: Vec<Session>,
    /// How many times z3's rate is asked of ours, if anything.
    asked: Option<f64>,
}

const VARIABLES: usize = 6;
const ATOMS: usize = 120;

/// Six variables before and after a block of assignments and conditions.
struct Block {
    old: Vec<Term>,
    new: Vec<Term>,
    equations: Vec<Term>,
}

fn block(pool: &mut TermPool, random: &mut Random) -> Block {
    let sort = Sort::BitVec(32);
    let old: Vec<Term> = (0..VARIABLES)
        .map(|i| pool.var(&format!("v{i}"), sort))
        .collect();
    let new: Vec<Term> = (0..VARIABLES)
        .map(|i| pool.var(&format!("v{i}'"), sort))
        .collect();
    let mut equations = Vec::new();
    for &target in &new {
        let (a, b) = (random.pick(&old), random.pick(&old));
        let constant = pool.bv(32, random.next() as u128 % 100);
        let sum = pool.bv_add(a, constant);
        let value = match random.below(4) {
            0 => a,
            1 | 2 => sum,
            _ => {
                let condition = pool.slt(a, b);
                pool.ite(condition, sum, b)
            }
        };
        equations.push(pool.eq(target, value));
    }
    Block {
        old,
        new,
        equations,
    }
}

fn atom(pool: &mut TermPool, random: &mut Random, block: &Block) -> Term {
    let side = if random.below(2) == 0 {
        &block.old
    } else {
        &block.new
    };
    let (a, b) = (random.pick(side), random.pick(side));
    let constant = pool.bv(32, u128::from(random.next() % 64));
    match random.below(8) {
        0 | 1 => pool.ult(a, constant),
        2 | 3 => pool.slt(constant, a),
        4 => pool.eq(a, constant),
        5 => pool.eq(a, b),
        6 => pool.slt(a, b),
        _ => {
            let sum = pool.bv_add(b, constant);
            pool.sle(a, sum)
        }
    }
}

/// Conjunctions so far, so that no new one contains another or is contained in one.
#[derive(Default)]
struct Conjunctions {
    whole: HashSet<Vec<Term>>,
    parts: HashSet<Vec<Term>>,
}

impl Conjunctions {
    fn take(&mut self, query: &[Term]) -> bool {
        let parts: Vec<Vec<Term>> = (1..1u32 << query.len())
            .map(|chosen| {
                let chosen = |place: usize| chosen >> place & 1 == 1;
                (0..query.len())
                    .filter(|&place| chosen(place))
                    .map(|place| query[place])
                    .collect()
            })
            .collect();
        if self.parts.contains(query) || parts.iter().any(|part| self.whole.contains(part)) {
            return false;
        }
        self.whole.insert(query.to_vec());
        self.parts.extend(parts);
        true
    }
}

fn small_queries(count: usize, fresh: bool) -> Workload {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut pool = TermPool::new();
    let block = block(&mut pool, &mut random);
    let mut atoms = Vec::new();
    while atoms.len() < ATOMS {
        let atom = atom(&mut pool, &mut random, &block);
        let (inner, _) = pool.strip_not(atom);
        if inner != TermPool::TRUE && !atoms.contains(&inner) {
            atoms.push(inner);
        }
    }
    let mut steps: Vec<Step> = block.equations.iter().copied().map(Step::Assert).collect();
    let mut conjunctions = Conjunctions::default();
    let mut asked = 0;
    while asked < count {
        let length = 3 + random.below(4);
        let mut query: Vec<Term> = Vec::new();
        while query.len() < length {
            let literal = if fresh {
                atom(&mut pool, &mut random, &block)
            } else {
                let atom = random.pick(&atoms);
                let negated = pool.not(atom);
                if random.below(2) == 0 { atom } else { negated }
            };
            let (inner, _) = pool.strip_not(literal);
            let same = |&other: &Term| pool.strip_not(other).0 == inner;
            if inner != TermPool::TRUE && !query.iter().any(same) {
                query.push(literal);
            }
        }
        query.sort_unstable();
        if conjunctions.take(&query) {
            steps.push(Step::Check(query));
            asked += 1;
        }
    }
    Workload {
        title: if fresh {
            "fresh atoms".into()
        } else {
            "small queries".into()
        },
        sessions: vec![Session { pool, steps }],
        asked: (!fresh).then_some(4.0),
    }
}

/// Sessions that were recorded between an analysis and its solvers over pipes, with `(reset)`
/// between them.
fn recorded(path: &std::path::Path) -> Result<Workload, String> {
    let explain = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| explain(&error))?;
    let mut sessions = Vec::new();
    for part in text.split("(reset)") {
        sessions.push(session(part).map_err(|error| explain(&error))?);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(Workload {
        title: format!("trace {name}, {} sessions", sessions.len()),
        sessions,
        asked: Some(10.0),
    })
}

/// The names that assumptions had are replaced by what they name: the analysis asked about terms.
fn session(text: &str) -> Result<Session, SmtError> {
    let mut pool = TermPool::new();
    // The solvers of this run name their assumptions in the same way.
    let text = text.replace("assumption!", "recorded!");
    let script = parse_script(&mut pool, &text)?;
    let mut named: HashMap<Term, Term> = HashMap::new();
    let mut steps = Vec::new();
    for command in script.commands {
        match command {
            Command::Assert(term) => match assumption_name(&pool, term) {
                Some((name, meaning)) => {
                    named.insert(name, meaning);
                }
                None => steps.push(Step::Assert(term)),
            },
            Command::CheckSat(literals) => {
                let mut query = Vec::new();
                for literal in literals {
                    let (inner, positive) = pool.strip_not(literal);
                    let meaning = named.get(&inner).copied().unwrap_or(inner);
                    query.push(if positive { meaning } else { pool.not(meaning) });
                }
                steps.push(Step::Check(query));
            }
            Command::Push(count) => steps.extend((0..count).map(|_| Step::Push)),
            Command::Pop(count) => steps.extend((0..count).map(|_| Step::Pop)),
            Command::GetValue(_) => {}
        }
    }
    Ok(Session { pool, steps })
}

/// Is the assertion only there to name an assumption?
fn assumption_name(pool: &TermPool, term: Term) -> Option<(Term, Term)> {
    if pool.op(term) != Op::Eq {
        return None;
    }
    let (a, b) = (pool.args(term)[0], pool.args(term)[1]);
    [(a, b), (b, a)].into_iter().find(|&(name, _)| {
        pool.as_var(name)
            .is_some_and(|symbol| pool.symbol_name(symbol).starts_with("recorded!"))
    })
}

/// What came of each query: the answer, unless there was none, and the CPU seconds that it took
/// with all that was asserted for it.
type Run = Vec<(Option<bool>, f64)>;

fn run_ours(solver: &mut NativeSolver, workload: &mut Session) -> Run {
    let mut run = Run::new();
    let mut before = cpu_seconds("self");
    for step in &workload.steps {
        match step {
            Step::Assert(term) => solver.assert(&mut workload.pool, *term),
            Step::Push => solver.push(),
            Step::Pop => solver.pop(),
            Step::Check(query) => {
                let answer = match solver.check(&mut workload.pool, query) {
                    Answer::Sat => Some(true),
                    Answer::Unsat => Some(false),
                    Answer::Unknown(_) => None,
                };
                let now = cpu_seconds("self");
                run.push((answer, now - before));
                before = now;
            }
        }
    }
    run
}

/// z3 has this long for one query; its heaviest would take minutes.
const PATIENCE: Duration = Duration::from_secs(2);

/// As many of the queries as z3 answers within the limit. After a query that it does not decide it
/// is started anew with what holds then.
fn run_z3(workload: &mut Session, deadline: Instant) -> Result<Run, String> {
    let start = || ExternalSolver::start("z3").map_err(|error| error.to_string());
    let mut frames: Vec<Vec<Term>> = vec![Vec::new()];
    let mut solver = start()?;
    let mut run = Run::new();
    let seconds = |solver: &ExternalSolver| {
        cpu_seconds("self") + cpu_seconds(&solver.process_id().to_string())
    };
    let mut before = seconds(&solver);
    for step in &workload.steps {
        match step {
            Step::Assert(term) => {
                solver.assert(&mut workload.pool, *term);
                frames.last_mut().ok_or("no frame")?.push(*term);
            }
            Step::Push => {
                solver.push();
                frames.push(Vec::new());
            }
            Step::Pop => {
                solver.pop();
                frames.pop();
            }
            Step::Check(query) => {
                if Instant::now() > deadline {
                    break;
                }
                solver.set_stop(StopToken::new().with_timeout(PATIENCE));
                match solver.check(&mut workload.pool, query) {
                    answer @ (Answer::Sat | Answer::Unsat) => {
                        let now = seconds(&solver);
                        run.push((Some(answer.is_sat()), now - before));
                        before = now;
                    }
                    Answer::Unknown(reason) => {
                        if reason != UnknownReason::Stopped {
                            println!("  z3: {reason}");
                        }
                        run.push((None, 0.0));
                        solver = start()?;
                        for (number, frame) in frames.iter().enumerate() {
                            if number > 0 {
                                solver.push();
                            }
                            for &term in frame {
                                solver.assert(&mut workload.pool, term);
                            }
                        }
                        before = seconds(&solver);
                    }
                }
            }
        }
    }
    Ok(run)
}

/// The queries on both solvers; how many times faster ours is on those that both answered.
fn compare(options: SolverOptions, mut workload: Workload) {
    let mut ours = Run::new();
    let mut statistics = SolverStatistics::default();
    for session in &mut workload.sessions {
        let mut native = NativeSolver::new(options.clone());
        ours.extend(run_ours(&mut native, session));
        let here = native.statistics();
        statistics.checks += here.checks;
        statistics.model_hits += here.model_hits;
        statistics.core_hits += here.core_hits;
        statistics.rebuilds += here.rebuilds;
    }
    let count = ours.len();
    let sat = ours.iter().filter(|(answer, _)| *answer == Some(true));
    println!(
        "{}: {count} queries, {} satisfiable",
        workload.title,
        sat.count()
    );
    let seconds: f64 = ours.iter().map(|(_, seconds)| seconds).sum();
    println!(
        "  ours: {seconds:.2} s of CPU, {:.0} per second",
        count as f64 / seconds
    );
    let percent = |part: u64| 100.0 * part as f64 / statistics.checks.max(1) as f64;
    println!(
        "  answered by an earlier model {:.1} %, by an earlier core {:.1} %; propositional solver started anew {} times",
        percent(statistics.model_hits),
        percent(statistics.core_hits),
        statistics.rebuilds
    );
    let limit = Duration::from_secs(setting("SOLVER_BENCH_SECONDS", 20) as u64);
    let deadline = Instant::now() + limit;
    let mut theirs = Run::new();
    for session in &mut workload.sessions {
        if Instant::now() > deadline {
            break;
        }
        match run_z3(session, deadline) {
            Ok(run) => theirs.extend(run),
            Err(error) => {
                println!("  SKIPPED: {error}");
                return;
            }
        }
    }
    let (mut answered, mut our_seconds, mut their_seconds) = (0, 0.0, 0.0);
    for ((our_answer, our_time), (their_answer, their_time)) in ours.iter().zip(&theirs) {
        let (Some(our_answer), Some(their_answer)) = (our_answer, their_answer) else {
            continue;
        };
        if our_answer != their_answer {
            println!("  THE ANSWERS DIFFER");
            std::process::exit(1);
        }
        answered += 1;
        our_seconds += our_time;
        their_seconds += their_time;
    }
    if answered == 0 {
        println!("  z3 answered nothing within {limit:?}");
        return;
    }
    println!(
        "  z3:   {their_seconds:.2} s of CPU for {answered} of the first {} queries, {:.0} per second; {} not within {PATIENCE:?}",
        theirs.len(),
        f64::from(answered) / their_seconds,
        theirs.iter().filter(|(answer, _)| answer.is_none()).count()
    );
    // Less than the clock's tick cannot be measured.
    let ratio = their_seconds / our_seconds.max(0.01);
    print!("  ours is {ratio:.1} times as fast on these {answered}");
    match workload.asked {
        Some(asked) if ratio >= asked => println!("; asked: {asked}: reached"),
        Some(asked) => println!("; asked: {asked}: MISSED"),
        None => println!(),
    }
}

/// A loop that adds numbers read from an array and writes the sums back, unrolled; at the end an
/// assertion that holds.
fn unrolling(steps: u32) {
    let start = Instant::now();
    let mut pool = TermPool::new();
    let mut solver = NativeSolver::default();
    let word = Sort::BitVec(32);
    let mut array = pool.var(
        "memory",
        Sort::Array {
            index: 32,
            element: 32,
        },
    );
    let mut total = pool.bv(32, 0);
    let limit = pool.bv(32, 100);
    let one = pool.bv(32, 1);
    let zero = pool.bv(32, 0);
    let mut place = pool.var("start", word);
    for step in 0..steps {
        let input = pool.var(&format!("input{step}"), word);
        let small = pool.ult(input, limit);
        solver.assert(&mut pool, small);
        let read = pool.select(array, place);
        let usable = pool.ult(read, limit);
        let amount = pool.ite(usable, read, input);
        total = pool.bv_add(total, amount);
        array = pool.store(array, place, amount);
        let jump = pool.ult(total, input);
        let next = pool.bv_add(place, one);
        let far = pool.bv_add(place, input);
        place = pool.ite(jump, far, next);
    }
    let bound = pool.bv(32, u128::from(steps) * 99);
    let too_much = pool.ult(bound, total);
    let negative = pool.slt(total, zero);
    let wrong = pool.or(too_much, negative);
    solver.assert(&mut pool, wrong);
    solver.set_stop(StopToken::new().with_timeout(Duration::from_secs(60)));
    let before = cpu_seconds("self");
    let answer = solver.check(&mut pool, &[]);
    let cpu = cpu_seconds("self") - before;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "unrolling of {steps} steps: {answer:?} after {cpu:.2} s of CPU ({seconds:.2} s by the clock), {} array lemmas",
        solver.statistics().array_lemmas
    );
    if steps == 200 {
        println!(
            "  asked: 10 s: {}",
            if answer.is_unsat() && cpu <= 10.0 {
                "reached"
            } else {
                "MISSED"
            }
        );
    }
}

/// A number from the environment.
fn setting(name: &str, otherwise: usize) -> usize {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}

/// The traces that come with the crate.
fn stored_traces() -> Vec<std::path::PathBuf> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/traces");
    let mut paths: Vec<_> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "smt2")
        })
        .collect();
    paths.sort();
    paths
}

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| chosen.is_empty() || chosen.iter().any(|argument| argument == name);
    let count = setting("SOLVER_BENCH_QUERIES", 20_000);
    let without_memories = SolverOptions {
        remember_models: false,
        remember_cores: false,
        ..SolverOptions::default()
    };
    if wanted("small") {
        compare(without_memories.clone(), small_queries(count, false));
    }
    if wanted("fresh") {
        compare(without_memories, small_queries(count / 10, true));
    }
    if wanted("trace") {
        let mut paths: Vec<std::path::PathBuf> = chosen
            .iter()
            .filter(|argument| argument.ends_with(".smt2"))
            .map(std::path::PathBuf::from)
            .collect();
        if paths.is_empty() {
            paths = stored_traces();
        }
        for path in paths {
            match recorded(&path) {
                Ok(workload) => compare(SolverOptions::default(), workload),
                Err(message) => println!("SKIPPED: {message}"),
            }
        }
    }
    if wanted("unrolling") {
        for steps in [100, 200] {
            unrolling(steps);
        }
    }
}
