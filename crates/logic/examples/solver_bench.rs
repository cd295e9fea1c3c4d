//! How fast the default solver is, side by side with z3 over a pipe. CPU time of all processes involved is counted.
//!
//! `cargo run --release -p logic --example solver_bench [small] [trace] [unrolling]`; without arguments all three.

use logic::solver::ExternalSolver;
use logic::{Answer, NativeSolver, Solver, SolverOptions, Sort, Term, TermPool};
use std::time::{Duration, Instant};

/// xorshift64*: the same queries in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 16) % bound as u64) as usize
    }
}

/// User and system time of a process, in seconds; `self` for this one.
fn cpu_seconds(process: &str) -> f64 {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{process}/stat")) else {
        return 0.0;
    };
    // The second field is a name in parentheses, which may contain anything.
    let fields: Vec<&str> = match text.rfind(')') {
        Some(end) => text[end + 1..].split_ascii_whitespace().collect(),
        None => return 0.0,
    };
    let ticks = |position: usize| {
        fields
            .get(position)
            .and_then(|field| field.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(11) + ticks(12)) / 100.0
}

/// Formulas in the style of the questions that verification asks: a block of assignments and conditions, asserted once,
/// and many conjunctions of a few atoms over its variables.
struct Workload {
    pool: TermPool,
    asserted: Vec<Term>,
    queries: Vec<Vec<Term>>,
}

const VARIABLES: usize = 6;

fn small_queries(count: usize) -> Workload {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut pool = TermPool::new();
    let sort = Sort::BitVec(32);
    let old: Vec<Term> = (0..VARIABLES)
        .map(|i| pool.var(&format!("v{i}"), sort))
        .collect();
    let new: Vec<Term> = (0..VARIABLES)
        .map(|i| pool.var(&format!("v{i}'"), sort))
        .collect();
    let mut asserted = Vec::new();
    for &target in &new {
        let a = old[random.below(VARIABLES)];
        let b = old[random.below(VARIABLES)];
        let c = old[random.below(VARIABLES)];
        let constant = pool.bv(32, random.next() as u128 % 100);
        let sum = pool.bv_add(a, constant);
        let masked = pool.bv_and(b, c);
        let difference = pool.bv_sub(sum, masked);
        let condition = pool.slt(b, c);
        let value = pool.ite(condition, sum, difference);
        asserted.push(pool.eq(target, value));
    }
    let atom = |pool: &mut TermPool, random: &mut Random| {
        let side = if random.below(2) == 0 { &old } else { &new };
        let a = side[random.below(VARIABLES)];
        let b = side[random.below(VARIABLES)];
        let constant = pool.bv(32, u128::from(random.next() % 64));
        let sum = pool.bv_add(b, constant);
        match random.below(6) {
            0 => pool.slt(a, sum),
            1 | 2 => pool.ult(a, constant),
            3 => pool.sle(sum, a),
            4 => pool.eq(a, sum),
            _ => pool.slt(constant, a),
        }
    };
    let mut seen = std::collections::HashSet::new();
    let mut queries = Vec::new();
    while queries.len() < count {
        let length = 3 + random.below(3);
        let mut query: Vec<Term> = (0..length).map(|_| atom(&mut pool, &mut random)).collect();
        query.sort_unstable();
        query.dedup();
        query.retain(|&term| term != TermPool::TRUE);
        // Fresh constants make every conjunction new; none contains another.
        if !query.contains(&TermPool::FALSE) && seen.insert(query.clone()) {
            queries.push(query);
        }
    }
    Workload {
        pool,
        asserted,
        queries,
    }
}

/// Runs the queries and returns the answers and the CPU seconds of this process.
fn run(solver: &mut dyn Solver, workload: &mut Workload) -> (Vec<bool>, f64) {
    let start = cpu_seconds("self");
    for &term in &workload.asserted {
        solver.assert(&mut workload.pool, term);
    }
    let mut answers = Vec::new();
    for query in &workload.queries {
        match solver.check(&mut workload.pool, query) {
            Answer::Sat => answers.push(true),
            Answer::Unsat => answers.push(false),
            Answer::Unknown(reason) => {
                println!("  undecided: {reason}");
                break;
            }
        }
    }
    (answers, cpu_seconds("self") - start)
}

/// The queries on both solvers; how many times faster ours is.
fn compare(title: &str, options: SolverOptions, mut workload: Workload) {
    let count = workload.queries.len();
    let mut native = NativeSolver::new(options);
    let (ours, seconds) = run(&mut native, &mut workload);
    let sat = ours.iter().filter(|answer| **answer).count();
    let rate = count as f64 / seconds;
    println!("{title}: {count} queries, {sat} satisfiable");
    println!("  ours: {seconds:.2} s of CPU, {rate:.0} per second");
    println!("  {:?}", native.statistics());
    drop(native);
    let mut z3 = match ExternalSolver::start("z3") {
        Ok(solver) => solver,
        Err(error) => {
            println!("  SKIPPED: {error}");
            return;
        }
    };
    let process = z3.process_id().to_string();
    let (theirs, seconds) = run(&mut z3, &mut workload);
    let seconds = seconds + cpu_seconds(&process);
    let their_rate = count as f64 / seconds;
    println!("  z3:   {seconds:.2} s of CPU, {their_rate:.0} per second");
    println!("  ours is {:.1} times as fast", rate / their_rate);
    if ours != theirs {
        println!("  THE ANSWERS DIFFER");
        std::process::exit(1);
    }
}

/// A loop that adds numbers read from an array and writes the sums back, unrolled; at the end an assertion that holds.
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
    let mut index = pool.bv(32, 0);
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
        index = pool.bv_add(index, one);
    }
    let bound = pool.bv(32, u128::from(steps) * 99);
    let too_much = pool.ult(bound, total);
    let negative = pool.slt(total, zero);
    let wrong = pool.or(too_much, negative);
    solver.assert(&mut pool, wrong);
    solver.set_stop(logic::StopToken::new().with_timeout(Duration::from_secs(60)));
    let answer = solver.check(&mut pool, &[]);
    let seconds = start.elapsed().as_secs_f64();
    println!("unrolling of {steps} steps: {answer:?} after {seconds:.2} s");
    println!("  {:?}", solver.statistics());
}

/// How many queries to ask; `SOLVER_BENCH_QUERIES` for shorter runs.
fn query_count() -> usize {
    std::env::var("SOLVER_BENCH_QUERIES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(20_000)
}

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| chosen.is_empty() || chosen.iter().any(|argument| argument == name);
    if wanted("small") {
        let options = SolverOptions {
            remember_models: false,
            remember_cores: false,
            ..SolverOptions::default()
        };
        compare("small queries", options, small_queries(query_count()));
    }
    if wanted("unrolling") {
        for steps in [50, 100, 200] {
            unrolling(steps);
        }
    }
}
