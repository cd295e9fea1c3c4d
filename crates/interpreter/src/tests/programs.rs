//! Small programs: control, calls, memory, inputs, output, limits.

use super::super::*;
use super::operators::{computed, computing};
use super::{run, run_on};
use cfa::expr::BinOp;
use cfa::memory::{ObjectKind, RegionId};
use cfa::op::{Contents, Halt, Op, Print, PrintKind};
use cfa::program::{EdgeId, LocId};
use cfa::value::Ty;
use syntax::types::DataModel;
use testing::Hand;

/// `for (i = 0, s = 0; i < n; i++) s += i; exit(s)`, with globals or locals.
fn summing(n: i128, local: bool) -> Program {
    let mut hand = Hand::new(DataModel::Ilp32);
    let main = hand.function("main");
    let owner = local.then_some(main);
    let (i, s) = (hand.var("i", Ty::I32, owner), hand.var("s", Ty::I32, owner));
    let (zero, one, limit) = (hand.int(0), hand.int(1), hand.int(n));
    let at = hand.entry(main);
    let at = hand.then(at, Op::Assign(i, zero));
    let head = hand.then(at, Op::Assign(s, zero));
    let (body, done) = (hand.location(main), hand.location(main));
    let (read_i, read_s) = (hand.read(i), hand.read(s));
    let condition = hand.program.pool.lt(read_i, limit);
    hand.split(head, condition, body, done);
    let sum = hand.program.pool.binary(BinOp::Add, read_s, read_i);
    let body = hand.then(body, Op::Assign(s, sum));
    let next = hand.program.pool.binary(BinOp::Add, read_i, one);
    hand.edge(body, Op::Assign(i, next), head);
    let exit = hand.exit(main);
    hand.edge(done, Op::Halt(Halt::Exit(read_s)), exit);
    hand.finish()
}

#[test]
fn loops_run_and_steps_are_edges() {
    for local in [true, false] {
        for n in [0, 1, 7, 1000] {
            let program = summing(n, local);
            let run = run(&program);
            let n = n as i32;
            assert_eq!(run.outcome, Outcome::Finished(n * (n - 1) / 2));
            // Two assignments, three edges for each round, the way out, and the exit.
            assert_eq!(run.steps, 4 + 3 * n as u64, "n = {n}, local: {local}");
        }
    }
}

#[test]
fn watching_changes_nothing_but_sees_every_edge() {
    struct Count(u64, Vec<EdgeId>);
    impl Observer for Count {
        fn edge(&mut self, edge: EdgeId, _: Change, _: &View<'_>) {
            self.0 += 1;
            self.1.push(edge);
        }
    }
    let program = summing(10, true);
    let mut count = Count(0, Vec::new());
    let run = Interpreter::new(&program).run_with(
        &Options::default(),
        &mut ConstantInputs(0),
        &mut std::io::sink(),
        &mut std::io::sink(),
        Some(&mut count),
    );
    assert_eq!(run.outcome, Outcome::Finished(45));
    assert_eq!(run.steps, 34);
    assert_eq!(count.0, run.steps);
    for pair in count.1.windows(2) {
        assert_eq!(program.edge(pair[0]).target, program.edge(pair[1]).source);
    }
}

#[test]
fn coverage_is_the_set_of_visited_locations() {
    let program = summing(0, true);
    let mut coverage = Coverage::new(&program);
    Interpreter::new(&program).run_with(
        &Options::default(),
        &mut ConstantInputs(0),
        &mut std::io::sink(),
        &mut std::io::sink(),
        Some(&mut coverage),
    );
    let body = program.edges.iter().map(|edge| edge.target);
    let visited: Vec<LocId> = body.filter(|&target| coverage.contains(target)).collect();
    assert!(visited.len() < program.edges.len());
    assert!(coverage.contains(program.function(program.entry).entry));
}

#[test]
fn limits_end_a_run() {
    let program = summing(i32::MAX.into(), true);
    let options = Options {
        max_steps: 1000,
        ..Options::default()
    };
    let mut interpreter = Interpreter::new(&program);
    let run = interpreter.run(&options, &mut ConstantInputs(0), &mut std::io::sink());
    assert_eq!(run.outcome, Outcome::StepLimit);
    assert!((1000..1010).contains(&run.steps), "{}", run.steps);
    let stop = StopToken::new();
    stop.stop();
    let options = Options {
        stop: Some(&stop),
        ..Options::default()
    };
    let run = interpreter.run(&options, &mut ConstantInputs(0), &mut std::io::sink());
    assert_eq!(run.outcome, Outcome::Stopped);
    let options = Options {
        deadline: Some(Instant::now()),
        ..Options::default()
    };
    let run = interpreter.run(&options, &mut ConstantInputs(0), &mut std::io::sink());
    assert_eq!(run.outcome, Outcome::TimeLimit);
}

/// `int f(int n) { return n == 0 ? 0 : n + f(n - 1); }`
fn recursive(n: i128) -> Program {
    let mut hand = Hand::new(DataModel::Lp64);
    let main = hand.function("main");
    let f = hand.function("f");
    let param = hand.var("n", Ty::I32, Some(f));
    let result = hand.var("result", Ty::I32, Some(f));
    let inner = hand.var("inner", Ty::I32, Some(f));
    let function = &mut hand.program.functions[f.0 as usize];
    (function.params, function.result) = (vec![param], Some(result));
    let (zero, one) = (hand.int(0), hand.int(1));
    let (entry, exit) = (hand.entry(f), hand.exit(f));
    let (base, step) = (hand.location(f), hand.location(f));
    let read = hand.read(param);
    let is_zero = hand.program.pool.eq(read, zero);
    hand.split(entry, is_zero, base, step);
    hand.edge(base, Op::Assign(result, zero), exit);
    let less = hand.program.pool.binary(BinOp::Sub, read, one);
    let call = |arg, result| Op::Call {
        function: f,
        args: vec![arg],
        result: Some(result),
    };
    let step = hand.then(step, call(less, inner));
    let read_inner = hand.read(inner);
    let sum = hand.program.pool.binary(BinOp::Add, read, read_inner);
    hand.edge(step, Op::Assign(result, sum), exit);
    let total = hand.var("total", Ty::I32, Some(main));
    let n = hand.int(n);
    let at = hand.entry(main);
    let at = hand.then(at, call(n, total));
    let (total, exit) = (hand.read(total), hand.exit(main));
    hand.edge(at, Op::Halt(Halt::Exit(total)), exit);
    hand.finish()
}

#[test]
fn calls_nest() {
    assert_eq!(run(&recursive(100)).outcome, Outcome::Finished(5050));
}

#[test]
fn endless_recursion_hits_the_limit() {
    let program = recursive(-1);
    let run = run(&program);
    assert_eq!(run.outcome, Outcome::StackLimit);
    assert!(run.place.calls.len() > 1000);
}

/// Runs the operations one after the other in `main`; the edge at which it ended, and how.
fn sequence(build: impl Fn(&mut Hand, cfa::program::FuncId) -> Vec<Op>) -> (Option<u32>, Run) {
    let mut hand = Hand::new(DataModel::Ilp32);
    let main = hand.function("main");
    let ops = build(&mut hand, main);
    let mut at = hand.entry(main);
    for op in ops {
        at = hand.then(at, op);
    }
    let exit = hand.exit(main);
    hand.edge(at, Op::Skip, exit);
    let program = hand.finish();
    let run = run_on(&program, &mut RandomInputs::new(1, &program));
    (run.place.edge.map(|edge| edge.0), run)
}

fn fault(run: &Run) -> Option<(AccessKind, Fault)> {
    match run.outcome {
        Outcome::InvalidAccess(access) => Some((access.kind, access.fault)),
        _ => None,
    }
}

#[test]
fn locals_are_checked_at_both_ends_and_after_their_scope() {
    let access = |offset: i128, ended: bool, write: bool| {
        sequence(|hand, main| {
            let object = hand.object("a", ObjectKind::Local(main), 10);
            let pointer = hand.var("p", Ty::U32, Some(main));
            let target = hand.var("t", Ty::I32, Some(main));
            let base = hand.address(object);
            let offset = hand.program.pool.integer(offset, Ty::U32);
            let read_pointer = hand.read(pointer);
            let address = hand.program.pool.binary(BinOp::Add, read_pointer, offset);
            let zero = hand.int(0);
            let load = hand.load(address, Ty::I32);
            let mut ops = vec![
                Op::Begin {
                    object,
                    contents: Contents::Zero,
                },
                Op::Assign(pointer, base),
            ];
            if ended {
                ops.push(Op::End(object));
            }
            ops.push(if write {
                hand.store(address, zero)
            } else {
                Op::Assign(target, load)
            });
            ops
        })
    };
    for write in [false, true] {
        let kind = if write {
            AccessKind::Write
        } else {
            AccessKind::Read
        };
        for good in [0, 1, 6] {
            assert_eq!(access(good, false, write).1.outcome, Outcome::Finished(0));
        }
        for bad in [-1, 7, 10, 12] {
            let (edge, run) = access(bad, false, write);
            assert_eq!(edge, Some(2));
            assert_eq!(fault(&run), Some((kind, Fault::OutOfBounds)), "{bad}");
        }
        let (edge, run) = access(0, true, write);
        assert_eq!(edge, Some(3));
        assert_eq!(fault(&run), Some((kind, Fault::Dead)));
    }
}

#[test]
fn null_and_wild_pointers_are_found() {
    for (address, expected) in [
        (0i128, Fault::Null),
        (16, Fault::Null),
        (0x100_0000, Fault::Wild),
    ] {
        let (_, run) = sequence(|hand, _| {
            let address = hand.program.pool.integer(address, Ty::U32);
            let zero = hand.int(0);
            vec![hand.store(address, zero)]
        });
        assert_eq!(fault(&run), Some((AccessKind::Write, expected)));
    }
}

#[test]
fn string_literals_are_written_by_their_initialiser_only() {
    let mut hand = Hand::new(DataModel::Lp64);
    let start = hand.function("start");
    let main = hand.function("main");
    let literal = hand.object("\"a\"", ObjectKind::StringLiteral, 2);
    let address = hand.address(literal);
    let letter = hand.program.pool.constant(97, Ty::U8);
    let store = hand.store(address, letter);
    let at = hand.entry(start);
    let at = hand.then(at, store.clone());
    let exit = hand.exit(start);
    let call = Op::Call {
        function: main,
        args: Vec::new(),
        result: None,
    };
    hand.edge(at, call, exit);
    let (at, exit) = (hand.entry(main), hand.exit(main));
    let wrong = hand.edge(at, store, exit);
    let run = run(&hand.finish());
    assert_eq!(fault(&run), Some((AccessKind::Write, Fault::ReadOnly)));
    assert_eq!(run.place.edge, Some(wrong));
    assert_eq!(run.place.calls.len(), 1);
}

#[test]
fn the_heap_finds_bad_releases() {
    let outcome = |kind: usize| {
        sequence(|hand, main| {
            let object = hand.object("malloc", ObjectKind::Heap, 0);
            let local = hand.object("x", ObjectKind::Local(main), 4);
            let pointer = hand.var("p", Ty::U32, Some(main));
            let size = hand.program.pool.integer(8, Ty::U32);
            let one = hand.program.pool.integer(1, Ty::U32);
            let zero = hand.program.pool.integer(0, Ty::U32);
            let read = hand.read(pointer);
            let middle = hand.program.pool.binary(BinOp::Add, read, one);
            let local_address = hand.address(local);
            let mut ops = vec![
                Op::Begin {
                    object: local,
                    contents: Contents::Zero,
                },
                Op::Allocate {
                    target: pointer,
                    object,
                    size,
                    contents: Contents::Arbitrary,
                },
                Op::Release(zero),
            ];
            match kind {
                0 => ops.push(Op::Release(read)),
                1 => ops.extend([Op::Release(read), Op::Release(read)]),
                2 => ops.push(Op::Release(middle)),
                3 => ops.push(Op::Release(local_address)),
                _ => ops.extend([Op::Release(read), hand.store(read, one)]),
            }
            ops
        })
        .1
    };
    assert_eq!(outcome(0).outcome, Outcome::Finished(0));
    let release = |fault| Some((AccessKind::Release, fault));
    assert_eq!(fault(&outcome(1)), release(Fault::Dead));
    assert_eq!(fault(&outcome(2)), release(Fault::NotAllocated));
    assert_eq!(fault(&outcome(3)), release(Fault::NotAllocated));
    assert_eq!(fault(&outcome(4)), Some((AccessKind::Write, Fault::Dead)));
}

#[test]
fn reallocation_keeps_what_both_hold() {
    let (_, run) = sequence(|hand, main| {
        let object = hand.object("malloc", ObjectKind::Heap, 0);
        let pointer = hand.var("p", Ty::U32, Some(main));
        let value = hand.var("v", Ty::I32, Some(main));
        let (four, eight) = (
            hand.program.pool.integer(4, Ty::U32),
            hand.program.pool.integer(8, Ty::U32),
        );
        let read = hand.read(pointer);
        let forty = hand.int(40);
        let load = hand.load(read, Ty::I32);
        let status = hand.read(value);
        vec![
            Op::Allocate {
                target: pointer,
                object,
                size: four,
                contents: Contents::Zero,
            },
            hand.store(read, forty),
            Op::Reallocate {
                target: pointer,
                object,
                address: read,
                size: eight,
            },
            Op::Assign(value, load),
            Op::Halt(Halt::Exit(status)),
        ]
    });
    assert_eq!(run.outcome, Outcome::Finished(40));
    assert!(run.inputs.is_empty());
}

#[test]
fn memory_without_a_value_asks_once_and_keeps_the_answer() {
    let (_, run) = sequence(|hand, main| {
        let object = hand.object("x", ObjectKind::Local(main), 8);
        let (a, b) = (
            hand.var("a", Ty::I32, Some(main)),
            hand.var("b", Ty::I32, Some(main)),
        );
        let address = hand.address(object);
        let load = hand.load(address, Ty::I32);
        let (x, y) = (hand.read(a), hand.read(b));
        let same = hand.program.pool.eq(x, y);
        vec![
            Op::Begin {
                object,
                contents: Contents::Arbitrary,
            },
            Op::Assign(a, load),
            Op::Assign(b, load),
            Op::Assume(same),
        ]
    });
    assert_eq!(run.outcome, Outcome::Finished(0));
    assert_eq!(run.inputs.len(), 1);
    assert_eq!(run.inputs[0].1, Ty::I32);
}

#[test]
fn a_false_assumption_ends_the_execution_there() {
    let (edge, run) = sequence(|hand, _| {
        let no = hand.program.pool.bool_constant(false);
        vec![Op::Skip, Op::Assume(no), Op::Skip]
    });
    assert_eq!(run.outcome, Outcome::AssumeFailed);
    assert_eq!((edge, run.steps), (Some(1), 1));
}

#[test]
fn an_error_location_ends_the_execution() {
    let mut hand = Hand::new(DataModel::Lp64);
    let main = hand.function("main");
    let error = hand.error(main);
    let entry = hand.entry(main);
    hand.edge(entry, Op::Skip, error);
    let run = run(&hand.finish());
    assert_eq!(run.outcome, Outcome::Error(error));
    assert_eq!(run.steps, 1);
}

#[test]
fn switches_choose_by_table_and_fall_to_the_rest() {
    let mut hand = Hand::new(DataModel::Lp64);
    let main = hand.function("main");
    let x = hand.var("x", Ty::I32, Some(main));
    let input = hand.input();
    let entry = hand.entry(main);
    let at = hand.then(entry, Op::Havoc(x, input));
    let read = hand.read(x);
    let mut rest = hand.program.pool.bool_constant(true);
    let exit = hand.exit(main);
    for case in 0..20 {
        let label = hand.int(case * 3);
        let (eq, ne) = (
            hand.program.pool.eq(read, label),
            hand.program.pool.ne(read, label),
        );
        rest = hand.program.pool.and(rest, ne);
        let location = hand.then(at, Op::Assume(eq));
        let status = hand.int(case + 1);
        hand.edge(location, Op::Halt(Halt::Exit(status)), exit);
    }
    let location = hand.then(at, Op::Assume(rest));
    let status = hand.int(99);
    hand.edge(location, Op::Halt(Halt::Exit(status)), exit);
    let program = hand.finish();
    for value in 0..70u128 {
        let run = run_on(&program, &mut ConstantInputs(value));
        let expected = if value % 3 == 0 && value < 60 {
            value as i32 / 3 + 1
        } else {
            99
        };
        assert_eq!(run.outcome, Outcome::Finished(expected));
        assert_eq!(run.steps, 3);
    }
}

#[test]
fn inputs_run_out_and_are_recorded() {
    let (program, _) = computing(Ty::I32, Ty::I32, |_, x, _| x);
    let run = run_on(
        &program,
        &mut RecordedInputs::new(&[(InputId(0), Ty::I32, 5)]),
    );
    assert_eq!(run.outcome, Outcome::InputsExhausted(InputId(1)));
    assert_eq!(run.inputs, [(InputId(0), Ty::I32, 5)]);
    let random = run_on(&program, &mut RandomInputs::new(7, &program));
    let again = run_on(&program, &mut RecordedInputs::new(&random.inputs));
    assert_eq!(again.outcome, Outcome::Finished(0));
    assert_eq!(again.inputs, random.inputs);
}

#[test]
fn division_by_zero_ends_the_execution_before_the_assignment() {
    for ty in [
        Ty::I32,
        Ty::U32,
        Ty::I64,
        Ty::U64,
        Ty::signed(16),
        Ty::signed(128),
    ] {
        let (program, result) = computing(ty, ty, |hand, x, y| {
            hand.program.pool.binary(BinOp::Div, x, y)
        });
        assert_eq!(computed(&program, result, 6, 3), Ok(2));
        assert_eq!(
            computed(&program, result, 6, 0),
            Err(Outcome::DivisionByZero)
        );
    }
}

#[test]
fn output_goes_to_the_writer() {
    let mut hand = Hand::new(DataModel::Lp64);
    let main = hand.function("main");
    let (seven, exit) = (hand.int(7), hand.exit(main));
    let result = hand.var("n", Ty::I32, Some(main));
    let entry = hand.entry(main);
    let at = hand.then(
        entry,
        Op::Print(Print {
            kind: PrintKind::Format(b"x=%03d\n".to_vec()),
            args: vec![seven],
            result: Some(result),
            to_stderr: false,
        }),
    );
    let status = hand.read(result);
    hand.edge(at, Op::Halt(Halt::Exit(status)), exit);
    let program = hand.finish();
    let mut out = Vec::new();
    let run = Interpreter::new(&program).run(&Options::default(), &mut ConstantInputs(0), &mut out);
    assert_eq!(out, b"x=007\n");
    assert_eq!(run.outcome, Outcome::Finished(6));
}

#[test]
fn copies_and_fills_reach_across_objects() {
    let (_, run) = sequence(|hand, main| {
        let (a, b) = (
            hand.object("a", ObjectKind::Local(main), 9000),
            hand.object("b", ObjectKind::Global, 9000),
        );
        let value = hand.var("v", Ty::U8, Some(main));
        let (from, to) = (hand.address(a), hand.address(b));
        let size = hand.program.pool.integer(9000, Ty::U32);
        let last = hand.program.pool.integer(8999, Ty::U32);
        let byte = hand.program.pool.constant(5, Ty::U8);
        let at = hand.program.pool.binary(BinOp::Add, to, last);
        let load = hand.load(at, Ty::U8);
        let read = hand.read(value);
        let status = hand.program.pool.convert(read, Ty::I32);
        vec![
            Op::Begin {
                object: a,
                contents: Contents::Arbitrary,
            },
            Op::Fill {
                region: RegionId::WHOLE,
                target: from,
                byte,
                size,
            },
            Op::Copy {
                target_region: RegionId::WHOLE,
                target: to,
                source_region: RegionId::WHOLE,
                source: from,
                size,
            },
            Op::Assign(value, load),
            Op::Halt(Halt::Exit(status)),
        ]
    });
    assert_eq!(run.outcome, Outcome::Finished(5));
}
