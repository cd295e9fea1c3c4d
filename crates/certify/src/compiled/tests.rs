use super::{Build, Confirmation, Opinion, confirm, ends_safely};
use cfa::op::{Input, InputKind};
use cfa::program::Program;
use cfa::value::Ty;
use facts::budget::Budget;
use facts::certificate::InputValue;
use interpreter::{InputSource, Interpreter, Options, Outcome};
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
use syntax::types::DataModel;

const HEAD: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);\n";

struct Checked {
    text: String,
    model: DataModel,
    property: Property,
    entry: Option<String>,
}

/// The given values in turn, of whatever kind the inputs are.
struct Values<'a>(&'a [u128], usize);

impl InputSource for Values<'_> {
    fn next(&mut self, _: &Input, _: Ty) -> Option<u128> {
        self.1 += 1;
        self.0.get(self.1 - 1).copied().or(Some(0))
    }
}

impl Checked {
    fn new(text: &str) -> Checked {
        Checked {
            text: format!("{HEAD}{text}"),
            model: DataModel::Lp64,
            property: Property::assertions(),
            entry: None,
        }
    }

    fn program(&self) -> Program {
        let front = syntax::driver::Options {
            data_model: self.model,
            ..syntax::driver::Options::default()
        };
        let options = LowerOptions {
            entry: self.entry.clone(),
            ..LowerOptions::default()
        };
        match load_text("test.c", &self.text, &front, &options) {
            Ok(loaded) => instrument(&loaded.program, &self.property),
            Err(failure) => panic!("{failure}"),
        }
    }

    fn build(&self) -> Build {
        Build {
            entry: self.entry.clone(),
            ..Build::of(self.property.clone())
        }
    }

    /// What the compiled program does with the inputs of the execution that takes these values,
    /// which violates the property for the interpreter.
    fn confirmed(&self, values: &[u128]) -> Confirmation {
        let program = self.program();
        let (out, err) = (&mut std::io::sink(), &mut std::io::sink());
        let mut source = Values(values, 0);
        let mut interpreter = Interpreter::new(&program);
        let run = interpreter.run_with(&Options::default(), &mut source, out, err, None);
        assert!(
            matches!(run.outcome, Outcome::Error(_)),
            "{:?}",
            run.outcome
        );
        let taken = run.inputs.iter();
        let taken: Vec<InputValue> = taken
            .map(|&(input, ty, bits)| InputValue { input, ty, bits })
            .collect();
        confirm(&program, &self.build(), &taken, &Budget::unlimited())
    }

    fn opinion(&self, values: &[u128]) -> Opinion {
        self.confirmed(values).opinion
    }
}

fn opinion(text: &str, values: &[u128]) -> Opinion {
    Checked::new(text).opinion(values)
}

fn no_opinion(text: &str, values: &[u128]) -> String {
    match opinion(text, values) {
        Opinion::None(why) => why,
        other => panic!("{other:?}"),
    }
}

/// Tests that need a compiler do not count without one.
fn has_compiler() -> bool {
    let there = std::process::Command::new("cc")
        .arg("--version")
        .output()
        .is_ok();
    assert!(
        there || std::env::var_os("CONCORD_CI").is_none(),
        "no C compiler"
    );
    if !there {
        println!("SKIPPED: no C compiler");
    }
    there
}

#[test]
fn the_users_own_text_fails() {
    if !has_compiler() {
        return;
    }
    let text =
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x == 42) reach_error(); return 0; }";
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let checked = Checked {
            model,
            ..Checked::new(text)
        };
        let Confirmation { opinion, harness } = checked.confirmed(&[42]);
        assert_eq!(opinion, Opinion::Fails);
        let harness = harness.expect("it was run");
        assert!(harness.contains("int __VERIFIER_nondet_int(void)") && harness.contains("{42}"));
        // The automaton is nowhere in it.
        assert!(!harness.contains("goto") && harness.contains("test.c"));
    }
}

#[test]
fn a_definition_of_the_error_function_is_replaced() {
    if !has_compiler() {
        return;
    }
    let own = "extern void abort(void); void reach_error(void) { abort(); }
        int main(void) { if (__VERIFIER_nondet_int() == 7) reach_error(); return 0; }";
    assert_eq!(opinion(own, &[7]), Opinion::Fails);
    // Its calls cannot be seen; that the program aborts is no violation by itself.
    let hidden = Checked {
        text: "extern void abort(void); static void reach_error(void) { abort(); }
            int main(void) { reach_error(); return 0; }"
            .into(),
        ..Checked::new("")
    };
    assert!(matches!(hidden.opinion(&[]), Opinion::None(why) if why.contains("static")));
}

#[test]
fn a_program_that_passes_is_told_apart() {
    if !has_compiler() {
        return;
    }
    // An automaton that says something else than the text: here the text is changed behind its
    // back.
    let checked = Checked::new(
        "int main(void) { if (__VERIFIER_nondet_int() == 5) reach_error(); return 3; }",
    );
    let program = checked.program();
    let input = program
        .inputs
        .iter()
        .position(|input| matches!(input.kind, InputKind::Nondet(_)));
    let values = |bits| {
        vec![InputValue {
            input: cfa::op::InputId(input.expect("there is one") as u32),
            ty: Ty::I32,
            bits,
        }]
    };
    let confirm = |values: &[InputValue]| {
        confirm(&program, &checked.build(), values, &Budget::unlimited()).opinion
    };
    assert_eq!(confirm(&values(5)), Opinion::Fails);
    assert_eq!(
        confirm(&values(6)),
        Opinion::Passes("it exits with status 3".into())
    );
    assert!(
        matches!(confirm(&[]), Opinion::Passes(how) if how.contains("__VERIFIER_nondet_int is called"))
    );
}

#[test]
fn external_results_variables_and_pointers_are_given() {
    if !has_compiler() {
        return;
    }
    let text = "int device(int); extern int level; extern unsigned char table[4]; void note(int);
        int main(void) { note(3); if (device(1) == 2 && device(2) == 9 && level == 0 && table[2] == 0) reach_error(); return 0; }";
    let program = Checked::new(text).program();
    // Variables are asked for before the program starts, in an order that is lowering's affair.
    assert!(
        program
            .inputs
            .iter()
            .any(|input| matches!(input.kind, InputKind::External(_)))
    );
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let checked = Checked {
            model,
            text: format!("{HEAD}int device(int);
                int main(void) {{ if (device(1) == 2 && device(2) == 9) reach_error(); return 0; }}"),
            ..Checked::new("")
        };
        assert_eq!(checked.opinion(&[2, 9]), Opinion::Fails);
        let outside = cfa::outside::address(model);
        let checked = Checked {
            model,
            ..Checked::new(
                "int *place(void); int main(void) { int *p = place(); if (p && *p == 77) reach_error(); return 0; }",
            )
        };
        assert_eq!(checked.opinion(&[outside.into(), 77]), Opinion::Fails);
    }
}

#[test]
fn other_entry_functions_get_their_arguments() {
    if !has_compiler() {
        return;
    }
    let entry = |text: &str, values: &[u128]| {
        let checked = Checked {
            entry: Some("f".into()),
            ..Checked::new(text)
        };
        checked.opinion(values)
    };
    let text = "int f(int a, unsigned char b, int *c) { if (a == -3 && b == 200 && !c) reach_error(); return 1; }
        int main(void) { return 0; }";
    assert_eq!(entry(text, &[-3i128 as u128, 200, 0]), Opinion::Fails);
    let hidden = "static int f(int a) { if (a == 1) reach_error(); return 1; } int main(void) { return f(0); }";
    assert!(matches!(entry(hidden, &[1]), Opinion::None(why) if why.contains("static")));
}

#[test]
fn overflows_are_seen_by_the_compiler() {
    if !has_compiler() {
        return;
    }
    let overflow = |text: &str, values: &[u128]| {
        let checked = Checked {
            property: Property::NoOverflow,
            ..Checked::new(text)
        };
        checked.opinion(values)
    };
    let top = i32::MAX as u128;
    for (text, value) in [
        (
            "int main(void) { int x = __VERIFIER_nondet_int(); return x + 1; }",
            top,
        ),
        (
            "int main(void) { int x = __VERIFIER_nondet_int(); return x << 1; }",
            top,
        ),
        (
            "int main(void) { int x = __VERIFIER_nondet_int(); return -x; }",
            1 << 31,
        ),
        (
            "int main(void) { int x = __VERIFIER_nondet_int(); x++; return 0; }",
            top,
        ),
        (
            "int main(void) { int x = __VERIFIER_nondet_int(); unsigned u = 1u << 31; u <<= 4; return x * 2; }",
            top,
        ),
    ] {
        assert_eq!(overflow(text, &[value]), Opinion::Fails, "{text}");
    }
}

#[test]
fn uninitialised_memory_is_filled_or_missing() {
    if !has_compiler() {
        return;
    }
    // Any value does, so zero does.
    assert_eq!(
        opinion(
            "int main(void) { int x; if (x < 10) reach_error(); return 0; }",
            &[3]
        ),
        Opinion::Fails
    );
    assert_eq!(
        opinion(
            "int main(void) { int x; if (x) reach_error(); return 0; }",
            &[3]
        ),
        Opinion::Fails
    );
    let heap = "void *malloc(unsigned long); int main(void) { int *p = malloc(8); if (p[1] == 0) reach_error(); return 0; }";
    assert_eq!(opinion(heap, &[0]), Opinion::Fails);
    let why = no_opinion(
        "int main(void) { int x; if (x == 1234) reach_error(); return 0; }",
        &[1234],
    );
    assert!(why.contains("`x`"), "{why}");
}

/// What `realloc` adds is new memory as well, and what was there stays.
#[test]
fn memory_that_grows_is_filled() {
    if !has_compiler() {
        return;
    }
    let program = |condition: &str| {
        format!(
            "void *malloc(unsigned long); void *realloc(void *, unsigned long); int main(void) {{ char *p = malloc(2);
            p[0] = 1; p = realloc(p, 4); if ({condition}) reach_error(); return 0; }}"
        )
    };
    assert_eq!(opinion(&program("p[3] != 0"), &[3]), Opinion::Fails);
    assert_eq!(opinion(&program("p[3] == 0"), &[0]), Opinion::Fails);
    assert_eq!(opinion(&program("p[0] == 1"), &[]), Opinion::Fails);
}

/// A function that is called as it is gives its own result, whatever the execution took.
#[test]
fn results_of_functions_that_are_called_as_they_are_cannot_be_given() {
    if !has_compiler() {
        return;
    }
    let flush = "int fflush(void *); int main(void) { if (fflush(0)) reach_error(); return 0; }";
    let why = no_opinion(flush, &[0xffff_ffff]);
    assert!(why.contains("`fflush`"), "{why}");
}

/// Nothing may be done to the world outside, whatever the program says.
#[test]
fn dangerous_functions_are_not_called() {
    if !has_compiler() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("precious");
    std::fs::write(&file, "x").expect("a small file");
    let name = file.display();
    let text = format!(
        "int unlink(const char *); int system(const char *); void *fopen(const char *, const char *);
        int main(void) {{ unlink(\"{name}\"); system(\"rm {name}\"); fopen(\"{name}\", \"w\"); reach_error(); return 0; }}"
    );
    assert_eq!(opinion(&text, &[]), Opinion::Fails);
    assert_eq!(
        std::fs::read_to_string(&file).expect("it is still there"),
        "x"
    );
    // What reads from outside cannot be given.
    let reads = "char *fgets(char *, int, void *); extern void *stdin;
        int main(void) { char line[8]; line[0] = 'a'; fgets(line, 8, stdin); if (line[0]) reach_error(); return 0; }";
    let program = Checked::new(reads).program();
    let confirmation = confirm(
        &program,
        &Checked::new(reads).build(),
        &[],
        &Budget::unlimited(),
    );
    assert_eq!(
        confirmation.opinion,
        Opinion::None("fgets is called".into())
    );
}

/// What the library determines is not open: there the compiled program is right.
#[test]
fn results_of_functions_that_compute_are_the_real_ones() {
    if !has_compiler() {
        return;
    }
    let power = "double pow(double, double);
        int main(void) { if (pow(2.0, 3.0) != 8.0) reach_error(); return 0; }";
    let checked = Checked::new(power);
    let confirmation = confirm(
        &checked.program(),
        &checked.build(),
        &[],
        &Budget::unlimited(),
    );
    assert_eq!(
        confirmation.opinion,
        Opinion::Passes("it exits with status 0".into())
    );
    assert!(super::library::is_determined("sscanf"));
    assert!(!super::library::is_determined("printf"));
    assert!(!super::library::is_determined("rmdir"));
}

#[test]
fn inline_assembly_is_not_run() {
    let text = "int main(void) { asm volatile (\"hlt\"); reach_error(); return 0; }";
    let why = no_opinion(text, &[]);
    assert!(why.contains("assembly"), "{why}");
}

/// External functions may have any name, also those that the harness could choose.
#[test]
fn names_of_the_program_and_of_the_harness_do_not_meet() {
    if !has_compiler() {
        return;
    }
    let text = "int say(void); int violated(void); int cannot(int); int zeros(void); int bytes(void); int place; int there(void);
        void *malloc(unsigned long);
        int main(void) { char *p = malloc(1); *p = 1;
        if (say() == 1 && violated() == 2 && cannot(1) == 3 && zeros() == 4 && bytes() == 5 && there() == 6) reach_error(); return 0; }";
    assert_eq!(opinion(text, &[1, 2, 3, 4, 5, 6]), Opinion::Fails);
}

#[test]
fn what_does_not_compile_or_does_not_end_says_so() {
    if !has_compiler() {
        return;
    }
    let endless = Checked::new(
        "int main(void) { for (;;) ; if (__VERIFIER_nondet_int()) reach_error(); return 0; }",
    );
    let budget = Budget::new(Some(std::time::Duration::from_millis(700)), None);
    let confirmation = confirm(&endless.program(), &endless.build(), &[], &budget);
    assert!(
        matches!(&confirmation.opinion, Opinion::None(why) if why.contains("time limit")),
        "{confirmation:?}"
    );
}

#[test]
fn the_only_execution_is_compiled_too() {
    if !has_compiler() {
        return;
    }
    let ends = |text: &str| {
        let checked = Checked::new(text);
        ends_safely(&checked.program(), &checked.build(), &Budget::unlimited())
    };
    assert!(ends("int main(void) { int s = 0; for (int i = 0; i < 9; i++) s += i; if (s == 1) reach_error(); return s; }").is_ok());
    assert!(ends("int main(void) { reach_error(); return 0; }").is_err());
    assert!(ends("int main(void) { *(volatile int *)8 = 1; return 0; }").is_err());
}
