//! Leaps change nothing but the time: the same outcome, place, steps and registers as without them.

use super::super::*;
use lowering::{LowerOptions, load_text};
use proptest::prelude::*;
use syntax::driver;
use syntax::types::DataModel;

fn lowered(text: &str) -> Program {
    let front = driver::Options {
        data_model: DataModel::Lp64,
        ..driver::Options::default()
    };
    match load_text("test.c", text, &front, &LowerOptions::default()) {
        Ok(loaded) => loaded.program,
        Err(failure) => panic!("{failure}\n{text}"),
    }
}

fn options(leaps: bool, max_steps: u64) -> Options<'static> {
    Options {
        max_steps,
        leaps,
        ..Options::default()
    }
}

/// The run, and all registers at its end.
fn run_to_end(program: &Program, leaps: bool, max_steps: u64) -> (Run, Vec<u64>) {
    let mut interpreter = Interpreter::new(program);
    let run = interpreter.run(
        &options(leaps, max_steps),
        &mut ConstantInputs(0),
        &mut std::io::sink(),
    );
    (run, interpreter.registers)
}

/// Runs both ways; both must do the same.
fn same_within(program: &Program, max_steps: u64) -> Run {
    let (run, registers) = run_to_end(program, true, max_steps);
    let (slow, slow_registers) = run_to_end(program, false, max_steps);
    assert_eq!(run.outcome, slow.outcome);
    assert_eq!(run.steps, slow.steps, "{:?}", run.outcome);
    assert_eq!(run.place, slow.place);
    assert_eq!(registers, slow_registers, "after {} steps", run.steps);
    run
}

fn same(text: &str) -> Run {
    same_within(&lowered(text), u64::MAX)
}

/// Runs with leaps only, because no test can wait for the other; the exit status.
fn status(body: &str) -> i32 {
    let (run, _) = run_to_end(&lowered(body), true, u64::MAX);
    match run.outcome {
        Outcome::Finished(status) => status,
        other => panic!("{other:?}"),
    }
}

#[test]
fn long_loops_take_no_time() {
    // Each of these takes from a second to weeks step by step.
    assert_eq!(
        status("int main() { unsigned x = 0; while (x < 0x0fffffff) x += 2; return x % 2 + 40; }"),
        40
    );
    assert_eq!(
        status("int main() { unsigned x = 10; while (x >= 10) x += 2; return x; }"),
        0
    );
    assert_eq!(
        status(
            "int main() { int x = 0; while (x < 1000000000) { if (x < 10000000) x++; else x += 2; } \
             return x == 1000000000; }"
        ),
        1
    );
    assert_eq!(
        status(
            "unsigned f(unsigned x) { if (x > 3) return x + 2; return x + 1; } \
             int main() { unsigned x = 0; while (x < 1000000000) x = f(x); return x % 100; }"
        ),
        0
    );
    assert_eq!(
        status(
            "int main() { unsigned long i, s = 0; for (i = 0; i < 100000000000000; i++) s += i; \
             return s == 100000000000000ul / 2 * 99999999999999ul; }"
        ),
        1
    );
    assert_eq!(
        status(
            "int main() { long i; unsigned odd = 0; for (i = 0; i < 10000000001; i++) if (i % 2) odd++; \
             return odd == (unsigned)5000000000ul; }"
        ),
        1
    );
    assert_eq!(
        status(
            "int main() { unsigned i, j, n = 0; for (i = 0; i < 30000; i++) for (j = 0; j < 100000; j++) n++; \
             return n == 3000000000u; }"
        ),
        1
    );
}

#[test]
fn counters_of_every_kind() {
    for ty in TYPES {
        for (start, condition, step) in [
            ("0", "x < 100000", "x += 3"),
            ("0", "x != 77777", "x += 1"),
            ("0", "x != 77776", "x += 5"),
            ("100000", "x > 7", "x -= 3"),
            ("100000", "x >= 1", "x--"),
            ("-50000", "x <= 60000", "x += 2"),
            ("60000", "x != -60000", "x -= 4"),
            ("10", "x >= 10", "x += 70001"),
            ("1", "x", "x += 70001"),
            ("5", "x * 3 < 200000", "x++"),
        ] {
            // Some of these never end by themselves.
            let text = format!(
                "int main() {{ {ty} x = {start}; unsigned n = 0; \
                 while ({condition}) {{ {step}; n++; if (n == 300000) break; }} return x + n; }}"
            );
            same(&text);
            let text = text.replace("if (n == 300000) break;", "");
            same_within(&lowered(&text), 500_000);
        }
    }
}

#[test]
fn loops_of_many_shapes() {
    for text in [
        // Two counters that meet, or pass each other.
        "int main() { int a = 0, b = 400000; while (a < b) { a += 3; b -= 2; } return a - b; }",
        "int main() { int a = 0, b = 300000; while (a != b) { a += 2; b -= 1; } return a; }",
        "int main() { unsigned a = 0, b = 300001, n = 0; while (a != b && n < 500000) { a += 2; b -= 2; n++; } return a + n; }",
        // Nested, and one after the other.
        "int main() { int i, j, n = 0; for (i = 0; i < 300; i++) for (j = i; j < 1000; j++) n += 2; return n; }",
        "int main() { int i, n = 0; for (i = 0; i < 90000; i++) n++; for (; i > 0; i--) n += i; return n; }",
        "int main() { int i, j, n = 0; for (i = 0; i < 30000; i++) for (j = 0; j < 7; j++) n++; return n; }",
        // Sums, squares, products.
        "int main() { int i, s = 0, q = 0; for (i = 1; i < 200000; i++) { s += i; q = i * i; } return s ^ q; }",
        "int main() { unsigned i, s = 0; for (i = 0; i < 100000; i++) { s += 2 * i + 1; if (s != (i + 1) * (i + 1)) return 1; } return 0; }",
        "int main() { long i, s = 0; for (i = 0; s < 2000000000; i++) s += i; return i; }",
        "int main() { int i, s = 100000; for (i = 0; s > -100000; i++) s += 30000 - i; return i; }",
        // Every so often something else happens.
        "int main() { int i, s = 0; for (i = 0; i < 100000; i++) if (i % 3 == 1) s += 2; else s -= 1; return s; }",
        "int main() { int i, on = 0, n = 0; for (i = 0; i < 100000; i++) { on = !on; if (on) n += 3; } return n; }",
        "int main() { unsigned i, n = 0; for (i = 0; i < 100000; i++) if ((i & 3) == 2) n++; return n; }",
        "int main() { unsigned i, k = 0; for (i = 0; i < 100000; i++) k = (k + 7) & 1023; return k; }",
        "int main() { unsigned i, k = 0; for (i = 0; i < 100000; i++) k = (k + 5) % 999; return k; }",
        "int main() { int i, h = 0; for (i = -60000; i < 60000; i += 4) h = i / 4 + i % 4 + (i >> 2) + (i << 3); return h; }",
        "int main() { int i; for (i = -99999; i < 99999; i++) if (-i == 5000 || ~i == 70) i += 2; return i; }",
        // Conversions.
        "int main() { long s = 0; int i; for (i = -50000; i < 50000; i++) s = s + i * 2l; return s; }",
        "int main() { unsigned char c = 0; int i; for (i = 0; i < 100000; i++) c++; return c; }",
        "int main() { short c = 0; int i, n = 0; for (i = 0; i < 200000; i++) { c += 3; if (c < 0) n++; } return n; }",
        "int main() { _Bool b = 0; int i; for (i = 3; i < 100000; i++) b = i; return b; }",
        // Calls.
        "int add(int a, int b) { return a + b; } \
         int main() { int i, s = 0; for (i = 0; i < 60000; i++) s = add(s, 3); return s; }",
        "int g; void f(int n) { while (n < 40000) { n++; g++; } } \
         int main() { int i; for (i = 0; i < 5; i++) f(i); return g; }",
        "int step(int x) { switch (x & 1) { case 0: return x + 1; default: return x + 3; } } \
         int main() { int x = 0; while (x < 100000) x = step(x); return x; }",
        // A value of the last round, and one that moves along.
        "int main() { int i, last = -1, before = 0; for (i = 0; i < 70000; i++) { before = last; last = i; } return before; }",
        "int main() { int i, a = 0, b = 1, t; for (i = 0; i < 70000; i++) { t = a; a = b + 1; b = t + 1; } return a; }",
        // It ends badly.
        "int main() { int i, d = 60000; for (i = 0; ; i++) { d--; i += 7 / d; } }",
        "int a[10]; int main() { int i; for (i = 0; i < 1000000; i++) if (i == 50000) a[i] = 1; return 0; }",
        "int main() { int i = 0; while (1) { i++; if (i == 123456) return i; } }",
        // More than counting.
        "int main() { unsigned x = 1, i; for (i = 0; i < 50000; i++) { x ^= x << 13; x ^= x >> 17; } return x; }",
        "int a[10]; int main() { int i; for (i = 0; i < 50000; i++) a[i % 10] += i; return a[3]; }",
    ] {
        let run = same(text);
        assert!(run.steps > 40_000, "{text}");
        let program = lowered(text);
        for limit in [8192, 8193, 30_000, 39_999, run.steps - 1, run.steps] {
            same_within(&program, limit);
        }
    }
}

#[test]
fn leaps_end_where_the_limit_of_steps_does() {
    let program = lowered("int main() { unsigned x = 0, y = 5; while (1) { x++; y = x + 3; } }");
    for limit in (20_000..20_020).chain([123_456]) {
        let run = same_within(&program, limit);
        assert_eq!(run.outcome, Outcome::StepLimit);
    }
    let (run, _) = run_to_end(&program, true, 1 << 60);
    assert_eq!(run.outcome, Outcome::StepLimit);
    assert!((1 << 60..(1 << 60) + 10).contains(&run.steps));
}

#[test]
fn an_endless_loop_ends_with_the_time() {
    let program = lowered("int main() { unsigned x = 0; while (1) x++; }");
    let limits = Options {
        deadline: Some(Instant::now() + std::time::Duration::from_millis(200)),
        ..Options::default()
    };
    let run = Interpreter::new(&program).run(&limits, &mut ConstantInputs(0), &mut std::io::sink());
    assert_eq!(run.outcome, Outcome::TimeLimit);
}

// ---- random loops ----

const TYPES: [&str; 8] = [
    "unsigned char",
    "signed char",
    "unsigned short",
    "short",
    "unsigned",
    "int",
    "unsigned long",
    "long",
];

fn variable() -> impl Strategy<Value = String> {
    (0..4).prop_map(|index| format!("v{index}"))
}

fn constant() -> impl Strategy<Value = String> {
    prop_oneof![
        (-9..10i64).prop_map(|value| value.to_string()),
        (-70000..70000i64).prop_map(|value| value.to_string()),
        any::<i32>().prop_map(|value| format!("({value}l)")),
        prop::sample::select(vec![
            "127",
            "255",
            "32768",
            "65535",
            "0x7fffffff",
            "0xffffffffu"
        ])
        .prop_map(str::to_owned),
    ]
}

fn term() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => variable(),
        2 => constant(),
        1 => (variable(), variable()).prop_map(|(a, b)| format!("({a} + {b})")),
        1 => (variable(), 1..5).prop_map(|(a, k)| format!("({a} * {k})")),
        1 => (variable(), 1..7).prop_map(|(a, k)| format!("({a} % {k})")),
        1 => (variable(), prop::sample::select(vec![1, 3, 4, 7, 255]))
            .prop_map(|(a, k)| format!("({a} & {k})")),
        1 => (variable(), 0..4).prop_map(|(a, k)| format!("({a} >> {k})")),
        1 => (variable(), 1..5).prop_map(|(a, k)| format!("({a} / {k})")),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    let comparison = prop::sample::select(vec!["<", "<=", ">", ">=", "!=", "=="]);
    (term(), comparison, term()).prop_map(|(a, op, b)| format!("{a} {op} {b}"))
}

fn assignment() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => (variable(), -9..10).prop_map(|(v, k)| format!("{v} += {k};")),
        1 => (variable(), constant()).prop_map(|(v, k)| format!("{v} += {k};")),
        1 => (variable(), variable()).prop_map(|(v, w)| format!("{v} += {w};")),
        1 => (variable(), term()).prop_map(|(v, e)| format!("{v} = {e};")),
        1 => (variable(), term(), term()).prop_map(|(v, e, f)| format!("{v} = {e} - {f};")),
        1 => (variable(), variable()).prop_map(|(v, w)| format!("{v} = f({w});")),
    ]
}

fn statement() -> impl Strategy<Value = String> {
    let block = || prop::collection::vec(assignment(), 0..3).prop_map(|list| list.join(" "));
    prop_oneof![
        4 => assignment(),
        2 => (condition(), block(), block())
            .prop_map(|(c, yes, no)| format!("if ({c}) {{ {yes} }} else {{ {no} }}")),
        1 => (condition(), block()).prop_map(|(c, yes)| format!("if ({c}) {{ {yes} break; }}")),
        1 => (condition(), block())
            .prop_map(|(c, body)| format!("for (i = 0; i < 200 && {c}; i++) {{ {body} }}")),
    ]
}

fn random_loop() -> impl Strategy<Value = String> {
    (
        prop::array::uniform4((prop::sample::select(TYPES.to_vec()), constant())),
        prop::collection::vec(condition(), 0..2),
        prop::collection::vec(statement(), 1..5),
        -9..10,
    )
        .prop_map(|(variables, conditions, body, delta)| {
            let mut text =
                format!("int f(int x) {{ if (x > 5000) return x + {delta}; return x + 1; }} ");
            text += "int main() { int i = 0; unsigned long n = 0; ";
            for (index, (ty, value)) in variables.iter().enumerate() {
                text += &format!("{ty} v{index} = {value}; ");
            }
            text += "while (n < 100000";
            for condition in &conditions {
                text += &format!(" && {condition}");
            }
            text += &format!(") {{ n++; {} }} ", body.join(" "));
            text + "return v0 ^ v1 ^ v2 ^ v3 ^ i ^ n; }"
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn random_loops_are_the_same(text in random_loop(), limit in 9_000u64..400_000) {
        let program = lowered(&text);
        same_within(&program, limit);
    }
}
