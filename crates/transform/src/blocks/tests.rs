use super::*;
use crate::passes::replace_variable;
use cfa::algebra::evaluate;
use cfa::concrete::{Concrete, State, Undefined};
use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::memory::ObjectId;
use cfa::value::Ty;
use interpreter::{Change, Interpreter, Observer, Options, RandomInputs, View};
use std::collections::BTreeSet;
use testing::program as lowered;

const HEAD: &str = "int __VERIFIER_nondet_int(void); void reach_error(void); void abort(void);\n";

const BODIES: [&str; 6] = [
    "int main(void) { int x = __VERIFIER_nondet_int(), y = 0; while (x > 0) { if (x % 2) y += x; else if (x == 6 || y > 9 && x < 40) y--; else y = 1; x = x - 3; }\n\
     if (y == 13 || (y > 20 && x == -1)) reach_error(); return 0; }",
    "int f(int a) { if (a < 0) return -a; return a; } int main(void) { int x = __VERIFIER_nondet_int(); int s = 0; for (int i = 0; i < 5; i++) { s += f(x + i); if (s > 100) abort(); }\n\
     if (s == 10) reach_error(); return s; }",
    "int main(void) { int x = __VERIFIER_nondet_int() & 7, n = 0; switch (x) { case 0: n = 1; case 1: n++; break; case 2: case 3: n = 5; goto out; case 4: do { n += 2; if (n == 6) goto in; } while (n < 9); break; default: for (;;) { n++; in: if (n > 11) break; } }\n\
     if (n == 12) reach_error(); out: if (n == 5) reach_error(); return n; }",
    "int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c; if (a > 0) { c = 1; goto second; } c = 2; if (b > 0) goto third; second: c += 3; if (a == b) goto last; third: c += 4; last: if (c == 4 && a != b) reach_error(); return c; }",
    "int g; void step(void) { if (g < 3) { g++; step(); } } int main(void) { g = __VERIFIER_nondet_int(); if (g < 0) g = 0; step(); if (g < 3) reach_error(); return 0; }",
    "int main(void) { int x = 1, k = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) { int d = __VERIFIER_nondet_int(); if (d > j) x = d - x; else k = k + 1; }\n\
     if (k == 12 && x != 1) reach_error(); return x == k; }",
];

fn programs() -> Vec<Program> {
    BODIES
        .iter()
        .map(|body| lowered(&format!("{HEAD}{body}")))
        .collect()
}

type Word = Vec<EdgeId>;

fn words(blocks: &GuardedBlocks, command: CommandId) -> Vec<Word> {
    match blocks.command(command) {
        Command::Edge(edge) => vec![vec![*edge]],
        Command::Sequence(a, b) => {
            let (first, second) = (words(blocks, *a), words(blocks, *b));
            let pairs = first
                .iter()
                .flat_map(|a| second.iter().map(move |b| [&a[..], b].concat()));
            pairs.collect()
        }
        Command::Choice(all) => all.iter().flat_map(|&one| words(blocks, one)).collect(),
    }
}

/// All ways from a cut point to the next ones, step by step.
fn ways(program: &Program, cut: &FxHashSet<LocId>, source: LocId) -> BTreeSet<(End, Word)> {
    let mut found = BTreeSet::new();
    let mut work = vec![(source, Vec::new())];
    while let Some((location, way)) = work.pop() {
        for &id in &program.location(location).outgoing {
            let way = [&way[..], &[id]].concat();
            let target = program.edge(id).target;
            match program.edge_op(id) {
                Op::Halt(_) => {}
                _ if program.is_error(target) => {
                    found.insert((End::Error, way));
                }
                _ if cut.contains(&target) => {
                    found.insert((End::Location(target), way));
                }
                _ => work.push((target, way)),
            }
        }
    }
    found
}

#[test]
fn blocks_are_all_ways_between_cut_points() {
    for program in programs() {
        let blocks = GuardedBlocks::of(&program);
        let cut: FxHashSet<LocId> = blocks.cut_points.iter().copied().collect();
        for &source in &blocks.cut_points {
            let mut found = BTreeSet::new();
            for &id in blocks.from(source) {
                let block = blocks.block(id);
                for word in words(&blocks, block.command) {
                    assert!(found.insert((block.end, word)), "a way is there once");
                }
            }
            assert_eq!(found, ways(&program, &cut, source));
        }
        let places: FxHashSet<(LocId, End)> = blocks
            .blocks
            .iter()
            .map(|block| (block.source, block.end))
            .collect();
        assert_eq!(
            places.len(),
            blocks.blocks.len(),
            "one block between two places"
        );
    }
}

#[test]
fn calls_stand_alone() {
    for program in programs() {
        let blocks = GuardedBlocks::of(&program);
        for block in &blocks.blocks {
            for word in words(&blocks, block.command) {
                let calls = word
                    .iter()
                    .filter(|&&edge| matches!(program.edge_op(edge), Op::Call { .. }));
                assert!(calls.count() == 0 || word.len() == 1);
            }
        }
    }
}

/// Commands, counted with every use, for each edge.
fn growth(program: &Program) -> f64 {
    let blocks = GuardedBlocks::of(program);
    let commands: u64 = blocks
        .blocks
        .iter()
        .map(|block| blocks.size(block.command))
        .sum();
    commands as f64 / program.edges.len() as f64
}

#[test]
fn blocks_are_linear() {
    let repeated = |piece: &str, count: usize| {
        let pieces: Vec<String> = (0..count)
            .map(|number| piece.replace('#', &number.to_string()))
            .collect();
        let text = pieces.concat();
        lowered(&format!(
            "{HEAD}int main(void) {{ int x = __VERIFIER_nondet_int(), y = 0; {text} return y; }}"
        ))
    };
    for piece in [
        // Diamonds, short circuits, assertions, loops behind branches, and what is not
        // series-parallel.
        "if (x > #) y++; else y--; ",
        "if ((x > # && y / x < 7) || (x < 3 && y / x > 2)) y = y + x; else y = 2; ",
        "if (y == #) reach_error(); y = y + x; ",
        "if (x == #) { while (y < x) y++; } ",
        "if (x > 3) { y = 1; goto b#; } y = 2; if (y > #) goto c#; b#: y += 3; if (x == y) goto d#; c#: y += 4; d#: ; ",
    ] {
        let (few, many) = (growth(&repeated(piece, 20)), growth(&repeated(piece, 160)));
        assert!(
            many < 12.0 && many < few * 1.5 + 1.0,
            "{piece}: {few} and {many}"
        );
    }
}

/// Weakest existential preconditions (the thesis, section 5.2) as expressions, without a
/// quantifier.
struct Wep<'p> {
    program: &'p Program,
    pool: ExprPool,
}

impl Wep<'_> {
    /// The variable that holds what a havoc gives.
    fn value_of(&self, edge: EdgeId) -> VarId {
        VarId(self.program.vars.len() as u32 + edge.0)
    }
}

impl Transformer for Wep<'_> {
    type State = ExprId;

    fn edge(&mut self, edge: EdgeId, post: ExprId) -> Option<ExprId> {
        Some(match *self.program.edge_op(edge) {
            Op::Skip | Op::Begin { .. } | Op::End(_) | Op::Print(_) => post,
            Op::Assume(condition) => self.pool.and(condition, post),
            Op::Assign(var, value) => replace_variable(&mut self.pool, post, var, value),
            Op::Havoc(var, _) => {
                let value = self
                    .pool
                    .variable(self.value_of(edge), self.program.var(var).ty);
                replace_variable(&mut self.pool, post, var, value)
            }
            ref other => panic!("not in these programs: {other:?}"),
        })
    }

    fn join(&mut self, states: Vec<ExprId>) -> Option<ExprId> {
        let mut states = states.into_iter();
        let first = states.next()?;
        Some(states.fold(first, |a, b| self.pool.or(a, b)))
    }
}

/// Values of all variables at each place of an execution, and what it did from there on.
struct Record<'p> {
    program: &'p Program,
    steps: Vec<(EdgeId, Vec<u128>)>,
    now: Vec<u128>,
}

impl Observer for Record<'_> {
    fn edge(&mut self, edge: EdgeId, _: Change, view: &View<'_>) {
        let before = std::mem::take(&mut self.now);
        self.steps.push((edge, before));
        let vars = (0..self.program.vars.len() as u32).map(VarId);
        self.now = vars.map(|var| view.variable(var).unwrap_or(0)).collect();
    }
}

/// The values of a state and of the havocs that follow.
struct Values<'a> {
    vars: &'a [u128],
    havocs: FxHashMap<VarId, u128>,
}

impl State for Values<'_> {
    type Error = Undefined;

    fn variable(&mut self, var: VarId, _: Ty) -> Result<u128, Undefined> {
        let known = self.vars.get(var.0 as usize).or(self.havocs.get(&var));
        Ok(known.copied().unwrap_or(0))
    }

    fn address(&mut self, _: ObjectId) -> Result<u128, Undefined> {
        Err(Undefined::IllTyped)
    }

    fn load(&mut self, _: u128, _: Ty) -> Result<u128, Undefined> {
        Err(Undefined::IllTyped)
    }
}

/// On executions of one function without memory: exactly the block that is passed can be passed.
#[test]
fn weakest_existential_preconditions_say_which_block_is_passed() {
    let mut checked = 0;
    for (body, seed) in [0, 3, 5]
        .into_iter()
        .flat_map(|body| (0..30).map(move |seed| (BODIES[body], seed)))
    {
        let program = lowered(&format!("{HEAD}{body}"));
        let blocks = GuardedBlocks::of(&program);
        let mut record = Record {
            program: &program,
            steps: Vec::new(),
            now: Vec::new(),
        };
        let options = Options {
            max_steps: 3_000,
            ..Options::default()
        };
        let mut inputs = RandomInputs::new(seed, &program);
        Interpreter::new(&program).run_with(
            &options,
            &mut inputs,
            &mut std::io::sink(),
            &mut std::io::sink(),
            Some(&mut record),
        );
        let cut: FxHashSet<LocId> = blocks.cut_points.iter().copied().collect();
        let main = program
            .names
            .find("main")
            .and_then(|name| program.function_index.get(&name));
        let steps = record.steps.iter().filter(|(edge, values)| {
            let function = program.location(program.edge(*edge).source).function;
            Some(&function) == main && !values.is_empty()
        });
        let steps: Vec<_> = steps.collect();
        let mut wep = Wep {
            program: &program,
            pool: program.pool.clone(),
        };
        let starts = (0..steps.len()).filter(|&at| cut.contains(&program.edge(steps[at].0).source));
        let starts: Vec<usize> = starts.collect();
        for pair in starts.windows(2) {
            let segment = &steps[pair[0]..pair[1]];
            let source = program.edge(segment[0].0).source;
            let end = program.edge(segment[segment.len() - 1].0).target;
            let mut values = Values {
                vars: &segment[0].1,
                havocs: FxHashMap::default(),
            };
            for (number, (edge, _)) in segment.iter().enumerate() {
                if let Op::Havoc(var, _) = program.edge_op(*edge) {
                    let after = &steps[pair[0] + number + 1].1;
                    values
                        .havocs
                        .insert(wep.value_of(*edge), after[var.0 as usize]);
                }
            }
            for &id in blocks.from(source) {
                let block = blocks.block(id);
                let truth = wep.pool.bool_constant(true);
                let before = blocks
                    .backward(block.command, truth, &mut wep)
                    .expect("there is always one");
                let holds = evaluate(&wep.pool, before, &mut Concrete(&mut values));
                assert_eq!(holds == Ok(1), block.end == End::Location(end), "{block:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 200, "only {checked}");
}

/// Forward and backward walks pass the same edges, in opposite order.
#[test]
fn walks_go_both_ways() {
    for program in programs() {
        let blocks = GuardedBlocks::of(&program);
        for block in &blocks.blocks {
            let sorted = |mut words: Vec<Word>| {
                words.sort();
                words
            };
            let start = vec![Vec::new()];
            let there = blocks.forward(block.command, start.clone(), &mut Trails);
            let there = sorted(there.expect("nothing blocks"));
            let back = blocks
                .backward(block.command, start, &mut Trails)
                .expect("nothing blocks");
            let back = back
                .into_iter()
                .map(|word| word.into_iter().rev().collect());
            assert_eq!(there, sorted(back.collect()));
            assert_eq!(there, sorted(words(&blocks, block.command)));
            assert_eq!(blocks.ways(block.command), there.len() as u64);
            assert_eq!(there, sorted(blocks.words(block.command)));
        }
    }
}

#[test]
fn every_loop_is_cut() {
    for program in programs() {
        let blocks = GuardedBlocks::of(&program);
        for number in 0..program.functions.len() as u32 {
            for one in Order::of(&program, FuncId(number)).loops {
                assert!(blocks.cut_points.contains(&one.head));
            }
        }
    }
}

/// More cut points, the same executions.
#[test]
fn blocks_can_have_few_ways() {
    let piece = "if (x > #) y++; else y--; ";
    let pieces: String = (0..30)
        .map(|number| piece.replace('#', &number.to_string()))
        .collect();
    let text = format!(
        "{HEAD}int main(void) {{ int x = __VERIFIER_nondet_int(), y = 0; {pieces} return y; }}"
    );
    let program = lowered(&text);
    assert!(
        GuardedBlocks::of(&program)
            .blocks
            .iter()
            .any(|block| GuardedBlocks::of(&program).ways(block.command) > 1 << 20)
    );
    let blocks = GuardedBlocks::with_few_ways(&program, 16);
    let cut: FxHashSet<LocId> = blocks.cut_points.iter().copied().collect();
    for &source in &blocks.cut_points {
        let mut found = BTreeSet::new();
        for &id in blocks.from(source) {
            let block = blocks.block(id);
            assert!(blocks.ways(block.command) <= 16);
            found.extend(
                blocks
                    .words(block.command)
                    .into_iter()
                    .map(|word| (block.end, word)),
            );
        }
        assert_eq!(found, ways(&program, &cut, source));
    }
}
