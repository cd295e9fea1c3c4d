use super::instrument;
use crate::regions::{Observation, observed_addresses, split_memory};
use cfa::op::{Halt, Op};
use cfa::program::{ErrorKind, Program};
use interpreter::{ConstantInputs, Fault, Interpreter, MemoryFault, Options, Outcome, Run};
use lowering::property::{Check, Property};
use lowering::{LowerOptions, load_text};

/// The body of `main` under memory safety.
fn watched(body: &str) -> Program {
    let text = format!(
        "void *malloc(unsigned long); void free(void *); int input(void);\n\
         char a[4], b[4];\n\
         int main(void) {{ {body} return 0; }}"
    );
    let front = syntax::driver::Options::default();
    let loaded = load_text("test.i", &text, &front, &LowerOptions::default());
    let loaded = loaded.unwrap_or_else(|failure| panic!("{failure}"));
    let property = Property::Checks {
        checks: Check::MEMORY_SAFETY.to_vec(),
        calls: Vec::new(),
    };
    instrument(&loaded.program, &property)
}

fn executed(program: &Program) -> Run {
    let mut inputs = ConstantInputs(1);
    Interpreter::new(program).run(&Options::default(), &mut inputs, &mut std::io::sink())
}

fn kinds(program: &Program) -> Vec<ErrorKind> {
    program.errors.iter().map(|(_, kind)| *kind).collect()
}

#[test]
fn what_a_name_and_a_constant_say_is_not_asked() {
    assert_eq!(
        kinds(&watched("a[3] = 1; int x[2]; x[1] = 2;")),
        [ErrorKind::Lost]
    );
    let asked = kinds(&watched("a[input()] = 1;"));
    assert!(asked.contains(&ErrorKind::InvalidAccess), "{asked:?}");
    let asked = kinds(&watched("free(malloc(3));"));
    assert!(asked.contains(&ErrorKind::InvalidFree), "{asked:?}");
}

#[test]
fn executions_say_what_is_wrong() {
    let program = watched("char *p = malloc(4); free(p); *p = 1;");
    let run = executed(&program);
    let Outcome::Error(location) = run.outcome else {
        panic!("{:?}", run.outcome);
    };
    assert_eq!(program.error_kind(location), Some(ErrorKind::InvalidAccess));
    let Some(MemoryFault::Access(access)) = run.fault else {
        panic!("{:?}", run.fault);
    };
    assert_eq!(access.fault, Fault::Dead);
    assert!(access.ended.is_some());
    let run = executed(&watched("char *p = malloc(4); p[3] = 1;"));
    assert!(matches!(
        run.fault,
        Some(MemoryFault::Left { bytes: 4, .. })
    ));
    let run = executed(&watched("char *p = malloc(4); p[3] = 1; free(p);"));
    assert!(
        matches!(run.outcome, Outcome::Finished(0)),
        "{:?}",
        run.outcome
    );
}

#[test]
fn asking_whether_a_pointer_is_inside_observes_nothing() {
    let body = "char *p = input() ? a : b; *p = 1;";
    assert_eq!(observed_addresses(&split_memory(&watched(body))), []);
}

#[test]
fn distances_that_the_program_takes_are_observed() {
    let body = "char *p = input() ? a : b; *p = 1; long d = p - a; if (d == 32) return 1;";
    let found = observed_addresses(&split_memory(&watched(body)));
    assert!(
        found.iter().any(|(_, how)| *how == Observation::Distance),
        "{found:?}"
    );
}

/// Functions of the library whose models do not look at the memory that they are given.
#[test]
fn no_proof_passes_accesses_that_a_model_leaves_out() {
    let is_open = |body: &str| {
        let program = watched(&format!(
            "typedef struct file *F; extern F stdout; unsigned long fwrite(const void *, unsigned long, unsigned long, F); \
             int access(const char *, int); unsigned long strlen(const char *); int fputc(int, F); \
             int sscanf(const char *, const char *, ...); int n; {body}"
        ));
        let unseen =
            |op: &Op| matches!(op, Op::Halt(Halt::Unsupported(what)) if what.starts_with("what `"));
        program.ops.iter().any(unseen)
    };
    assert!(is_open("fwrite(a, 1, 4, stdout);"));
    assert!(is_open("access(a, 0);"));
    assert!(is_open("sscanf(a, \"%d\", &n);"));
    assert!(!is_open("fwrite(\"abc\", 1, 3, stdout);"));
    assert!(!is_open("access(0, 0); access(\"x\", 0);"));
    // The model reads.
    assert!(!is_open("strlen(a);"));
    // A stream is the library's own.
    assert!(!is_open("fputc(1, stdout);"));
}
