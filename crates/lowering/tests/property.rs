//! Properties as error locations, executed.

use cfa::program::{ErrorKind, Program};
use interpreter::{ConstantInputs, Interpreter, Options, Outcome};
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
use syntax::driver;

fn lowered(text: &str) -> Program {
    let front = driver::Options::default();
    match load_text("test.c", text, &front, &LowerOptions::default()) {
        Ok(loaded) => loaded.program,
        Err(failure) => panic!("{failure}"),
    }
}

/// Whether the execution with this input violates the property; it must end one way or the other.
fn violates(program: &Program, property: &Property, input: i128) -> bool {
    let program = instrument(program, property);
    let mut inputs = ConstantInputs(input as u128);
    let run = Interpreter::new(&program).run(&Options::default(), &mut inputs, &mut Vec::new());
    match run.outcome {
        Outcome::Error(location) => {
            assert!(program.errors.iter().any(|&(error, _)| error == location));
            true
        }
        Outcome::Finished(_) | Outcome::DivisionByZero | Outcome::Aborted => false,
        other => panic!("{other:?}"),
    }
}

fn overflows(body: &str, input: i128) -> bool {
    let text = format!(
        "int __VERIFIER_nondet_int(void); int main(void) {{ int x = __VERIFIER_nondet_int(); {body} return 0; }}"
    );
    violates(&lowered(&text), &Property::NoOverflow, input)
}

#[test]
fn signed_arithmetic_that_leaves_its_type_is_found() {
    let (min, max) = (i32::MIN.into(), i32::MAX.into());
    for (body, good, bad) in [
        ("int y = x + 1;", 5, max),
        ("int y = x - 1;", 5, min),
        ("int y = x * 2;", 5, 1 << 30),
        ("int y = -x;", 5, min),
        ("int y = x / -1;", 5, min),
        ("int y = x % -1;", 5, min),
        ("int y = x << 3;", 5, 1 << 28),
        ("int y = x << 3;", 0, -1),
        ("int y = 1 << x;", 30, 31),
        ("int y = 1 << x;", 30, -1),
        ("x++;", 5, max),
        ("--x;", 5, min),
        ("x += 7;", 5, max),
        ("int a[2] = {0, 0}; a[0] = x + a[1] + 1;", 5, max),
        ("if (x + 1 > 0) x = 0;", 5, max),
        ("long y = x + 1;", 5, max),
        ("int y = x > 0 ? x + 1 : 0;", -5, max),
        ("int y = x > 0 && x + 1 > 3;", min, max),
        ("switch (x * 2) { case 1: ; }", 5, max),
        ("while (x + 1 < x) ;", 5, max),
        ("x + 1;", 5, max),
        ("int y = (x + 1) * 0;", 5, max),
    ] {
        assert!(!overflows(body, good), "{body} with {good}");
        assert!(overflows(body, bad), "{body} with {bad}");
    }
}

#[test]
fn what_cannot_overflow_is_let_be() {
    for body in [
        "unsigned y = (unsigned)x + 1u;",
        "short s = x; s++;",
        "char c = (char)x;",
        "long long y = (long long)x + 1;",
        "int y = x != -2147483647 - 1 ? -x : 0;",
        "int y = x < 0 || x - 1 > 0;",
        "int *p = &x; p = p + 1; p--;",
        "unsigned u = x; u *= u; u <<= 31;",
        "int y = x >> 3;",
        "double d = x; d = d * 1e300;",
    ] {
        for input in [
            0,
            1,
            -1,
            i128::from(i32::MAX),
            i128::from(i32::MIN),
            i128::from(i32::MIN) + 1,
        ] {
            assert!(!overflows(body, input), "{body} with {input}");
        }
    }
    assert!(!overflows("int y = x / (x - x);", 7));
}

#[test]
fn calls_of_error_functions_are_found() {
    let text = "int __VERIFIER_nondet_int(void); void reach_error(void) { for (;;) ; }\n\
        void __assert_fail(const char *, const char *, unsigned, const char *);\n\
        void bad(int x) { if (x == 3) reach_error(); }\n\
        int main(void) { int x = __VERIFIER_nondet_int(); void (*f)(int) = bad; f(x);\n\
        x != 4 ? (void)0 : __assert_fail(\"x\", \"f\", 1, \"main\"); if (x == 5) bad(3); return x; }";
    let program = lowered(text);
    for (input, expected) in [(1, false), (3, true), (4, true), (5, true)] {
        assert_eq!(
            violates(&program, &Property::assertions(), input),
            expected,
            "{input}"
        );
    }
    let only_assert = Property::ErrorCall(vec!["__assert_fail".to_owned()]);
    assert!(violates(&program, &only_assert, 4));
    assert!(!violates(&program, &only_assert, 2));
}

#[test]
fn an_assertion_without_a_definition_is_one() {
    let program = lowered(
        "int __VERIFIER_nondet_int(void); void __VERIFIER_assert(int);\n\
         int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assert(x != 7); return 0; }",
    );
    assert!(violates(&program, &Property::assertions(), 7));
    assert!(!violates(&program, &Property::assertions(), 8));
}

#[test]
fn arguments_of_an_error_call_are_evaluated_first() {
    let program = lowered(
        "int __VERIFIER_nondet_int(void); void fail(int);\n\
         int main(void) { int x = __VERIFIER_nondet_int(); fail(10 / x); return 0; }",
    );
    let property = Property::ErrorCall(vec!["fail".to_owned()]);
    assert!(violates(&program, &property, 1));
    assert!(!violates(&program, &property, 0));
}

#[test]
fn numbers_of_locations_and_edges_stay() {
    let program = lowered("int main(void) { int x; for (x = 0; x + 1 < 10; x++) ; return x; }");
    let instrumented = instrument(&program, &Property::NoOverflow);
    assert!(instrumented.locations.len() > program.locations.len());
    for (old, new) in program.locations.iter().zip(&instrumented.locations) {
        assert_eq!(
            (old.kind, old.span, old.function),
            (new.kind, new.span, new.function)
        );
    }
    for (old, new) in program.edges.iter().zip(&instrumented.edges) {
        assert_eq!((old.op, old.target), (new.op, new.target));
    }
    assert!(instrumented.errors.iter().all(|&(location, kind)| {
        kind == ErrorKind::SignedOverflow && instrumented.is_error(location)
    }));
}
