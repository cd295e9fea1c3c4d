//! Tests on the shape of lowered programs; their meaning is tested against gcc in
//! `tests/lowering.rs`.

use super::*;
use cfa::expr::{ExprId, Node};
use cfa::memory::ObjectKind;
use cfa::op::{Halt, InputKind, Op};
use cfa::program::{EdgeId, FuncId, LocationKind, Program, VariableKind};
use syntax::driver::Options;
use syntax::types::DataModel;

fn lowered_with(text: &str, options: &LowerOptions) -> Program {
    let front = Options {
        data_model: DataModel::Lp64,
        ..Options::default()
    };
    match load_text("test.c", text, &front, options) {
        Ok(loaded) => {
            check_laws(&loaded.program);
            loaded.program
        }
        Err(failure) => panic!("{failure}"),
    }
}

fn lowered(text: &str) -> Program {
    lowered_with(text, &LowerOptions::default())
}

/// What every program obeys.
fn check_laws(program: &Program) {
    for (index, edge) in program.edges.iter().enumerate() {
        let id = EdgeId(index as u32);
        assert!(program.location(edge.source).outgoing.contains(&id));
        assert!(program.location(edge.target).incoming.contains(&id));
        assert_eq!(
            program.location(edge.source).function,
            program.location(edge.target).function
        );
        match program.op(edge.op) {
            Op::Call {
                function,
                args,
                result,
            } => {
                let callee = program.function(*function);
                let given: Vec<_> = args.iter().map(|&arg| program.pool.ty(arg)).collect();
                let wanted: Vec<_> = callee
                    .params
                    .iter()
                    .map(|&var| program.var(var).ty)
                    .collect();
                assert_eq!(
                    given,
                    wanted,
                    "arguments of {}",
                    program.function_name(*function)
                );
                if let Some(result) = result {
                    let from = callee.result.expect("a result that is used exists");
                    assert_eq!(program.var(*result).ty, program.var(from).ty);
                }
            }
            Op::Assign(var, value) => {
                assert_eq!(program.var(*var).ty, program.pool.ty(*value));
            }
            Op::Assume(condition) => {
                assert_eq!(program.pool.ty(*condition), cfa::value::Ty::Bool);
            }
            _ => {}
        }
    }
    let mut ops = program.ops.clone();
    ops.sort_by_key(|op| format!("{op:?}"));
    assert!(
        ops.windows(2).all(|pair| pair[0] != pair[1]),
        "operations are interned"
    );
    for location in &program.locations {
        for &edge in &location.outgoing {
            assert!(program.edge(edge).source.0 < program.locations.len() as u32);
        }
    }
}

fn function(program: &Program, name: &str) -> FuncId {
    let name = program.names.find(name).expect("the name occurs");
    program.function_index[&name]
}

/// The operations of a function, in the order of its edges.
fn ops<'p>(program: &'p Program, name: &str) -> Vec<&'p Op> {
    let function = function(program, name);
    program
        .edges
        .iter()
        .filter(|edge| program.location(edge.source).function == function)
        .map(|edge| program.op(edge.op))
        .collect()
}

fn count(program: &Program, name: &str, wanted: impl Fn(&Op) -> bool) -> usize {
    ops(program, name)
        .into_iter()
        .filter(|op| wanted(op))
        .count()
}

#[test]
fn a_scalar_without_address_is_a_variable_and_others_are_objects() {
    let program = lowered(
        "int main(void) { int a = 1, b = 2, c[2]; int *p = &b; c[0] = a; return *p + c[0]; }",
    );
    let names: Vec<&str> = program
        .objects
        .iter()
        .map(|object| object.name.as_str())
        .collect();
    assert_eq!(names, ["b", "c", "outside"]);
    assert!(
        program
            .vars
            .iter()
            .any(|var| var.name == "a" && var.kind == VariableKind::Local)
    );
    assert_eq!(
        count(&program, "main", |op| matches!(op, Op::Begin { .. })),
        2
    );
    assert_eq!(count(&program, "main", |op| matches!(op, Op::End(_))), 2);
    assert!(program.objects.iter().all(|object| object.unique));
}

/// C11 6.2.4 paragraph 7: a jump to before its declaration ends a variable-length array.
#[test]
fn jumps_to_before_a_declaration_end_the_array() {
    let ends = |jump: &str| {
        let program = lowered(&format!(
            "int main(void) {{ int n = 3; early: ; int a[n]; late: a[0] = n--; \
             if (n) goto {jump}; return 0; }}"
        ));
        count(&program, "main", |op| matches!(op, Op::End(_)))
    };
    assert_eq!(ends("early"), ends("late") + 1);
}

#[test]
fn locals_of_recursive_functions_are_not_unique() {
    let program = lowered(
        "void f(int n, int *p) { int x = n; if (n) f(n - 1, &x); }\n\
         int main(void) { int y; f(3, &y); return 0; }",
    );
    let unique = |name: &str| {
        let object = program.objects.iter().find(|object| object.name == name);
        object.expect("it is in memory").unique
    };
    assert!(!unique("x"));
    assert!(unique("y"));
}

#[test]
fn only_what_is_needed_is_lowered() {
    let program = lowered(
        "int used = 1, unused = 2; int f(void) { return used; } int g(void) { return unused; }\n\
         int main(void) { if (0) g(); return f(); }",
    );
    let names: Vec<&str> = (0..program.functions.len())
        .map(|id| program.function_name(FuncId(id as u32)))
        .collect();
    assert_eq!(names, ["__concord_start", "main", "f"]);
    assert!(program.vars.iter().all(|var| var.name != "unused"));
    let all = LowerOptions {
        all_functions: true,
        ..LowerOptions::default()
    };
    let program = lowered_with(
        "int g(void) { return 1; } int main(void) { return 0; }",
        &all,
    );
    assert_eq!(program.functions.len(), 3);
}

#[test]
fn total_conditions_are_one_test_and_others_branch() {
    let program =
        lowered("int main(void) { int a, b; if (a > 1 && b < 2 || a == b) return 1; return 0; }");
    assert_eq!(count(&program, "main", |op| matches!(op, Op::Assume(_))), 2);
    let program = lowered("int main(void) { int a, *p; if (a > 1 && *p < 2) return 1; return 0; }");
    assert_eq!(count(&program, "main", |op| matches!(op, Op::Assume(_))), 4);
    // Each way through the condition decides the branch once.
    let branches: Vec<bool> = program
        .edges
        .iter()
        .filter_map(|edge| edge.branch)
        .map(|branch| branch.taken)
        .collect();
    assert_eq!(branches.iter().filter(|&&taken| taken).count(), 1);
    assert_eq!(branches.iter().filter(|&&taken| !taken).count(), 2);
}

#[test]
fn loop_heads_stand_at_their_keyword() {
    let text = "int main(void) { int i;\n  for (i = 0; i < 3; i++) ;\n  while (i) i--;\n  do i++; while (i < 2);\n  do i = 0; while (0);\n  return 0; }";
    let program = lowered(text);
    let heads: Vec<&[u8]> = program
        .locations
        .iter()
        .filter(|location| location.kind == LocationKind::LoopHead)
        .map(|location| &program.sources.snippet(location.span)[..2])
        .collect();
    assert_eq!(heads, [&b"fo"[..], b"wh", b"do"]);
}

fn inputs(program: &Program) -> Vec<String> {
    program
        .inputs
        .iter()
        .map(|input| match &input.kind {
            InputKind::Uninitialised(name) => format!("uninitialised {name}"),
            InputKind::Nondet(name) => program.names.get(*name).to_owned(),
            InputKind::External(name) => format!("external {}", program.names.get(*name)),
            InputKind::Library(name) => format!("library {}", program.names.get(*name)),
            InputKind::Argument(name) => format!("argument {name}"),
            InputKind::Volatile(name) => format!("volatile {name}"),
            InputKind::Assembly => "assembly".to_owned(),
            InputKind::Asked { .. } => "asked".to_owned(),
            InputKind::Unusual(name) => format!("unusual {}", program.names.get(*name)),
            InputKind::Replaced(name) => format!("replaced {}", program.names.get(*name)),
        })
        .collect()
}

#[test]
fn only_variables_that_may_be_read_too_early_are_inputs() {
    let program = lowered(
        "int main(void) { int early, late, maybe; late = 1; if (early) maybe = late; return maybe; }",
    );
    assert_eq!(
        inputs(&program),
        ["uninitialised early", "uninitialised maybe"]
    );
    // A declaration that a jump passes over.
    let program = lowered("int main(void) { goto in; { int x = 3; in: return x; } }");
    assert_eq!(inputs(&program), ["uninitialised x"]);
    // In a loop, the value of the round before is gone.
    let program = lowered("int main(void) { for (;;) { int x; if (x) return x; x = 1; } }");
    assert_eq!(inputs(&program), ["uninitialised x"]);
}

#[test]
fn verifier_functions_have_their_meaning() {
    let program = lowered(
        "int __VERIFIER_nondet_int(void); _Bool __VERIFIER_nondet_bool(void);\n\
         void __VERIFIER_assume(int); void __VERIFIER_error(void);\n\
         int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 2);\n\
         if (__VERIFIER_nondet_bool()) __VERIFIER_error(); return x; }",
    );
    assert_eq!(
        inputs(&program),
        ["__VERIFIER_nondet_int", "__VERIFIER_nondet_bool"]
    );
    assert!(program.inputs[1].is_bool && !program.inputs[0].is_bool);
    // Straight into the variable, without a temporary.
    assert!(
        ops(&program, "main")
            .iter()
            .any(|op| matches!(op, Op::Havoc(var, _) if program.var(*var).name == "x"))
    );
    let error = function(&program, "__VERIFIER_error");
    assert_eq!(
        count(
            &program,
            "main",
            |op| matches!(op, Op::Call { function, .. } if *function == error)
        ),
        1
    );
    assert!(
        ops(&program, "__VERIFIER_error")
            .iter()
            .all(|op| matches!(op, Op::Halt(Halt::Abort)))
    );
}

#[test]
fn the_programs_own_definition_wins() {
    let program = lowered(
        "int atoi(const char *s) { return 7; } void abort(void) { for (;;) ; }\n\
         int main(void) { if (atoi(\"a\") != 7) abort(); return 0; }",
    );
    assert!(
        !program
            .function(function(&program, "atoi"))
            .is_library_model
    );
    assert_eq!(
        count(&program, "main", |op| matches!(op, Op::Call { .. })),
        2
    );
}

#[test]
fn a_name_that_compilers_know_means_both_functions() {
    let text = "unsigned long strlen(const char *s) { return 7; }\n\
         int main(void) { return strlen(\"a\"); }";
    let calls = |text: &str| {
        let program = lowered(text);
        count(&program, "main", |op| matches!(op, Op::Call { .. }))
    };
    assert_eq!(calls(text), 2);
    // gcc forgets what it knows of a static function, or of one with another type.
    assert_eq!(calls(&format!("static {text}")), 1);
    assert_eq!(calls(&text.replace("unsigned long", "char")), 1);
    let label = "unsigned long strlen(const char *) asm(\"own\"); unsigned long own(const char *s) { return 7; }\n\
         int main(void) { return __builtin_strlen(\"a\") + own(\"a\"); }";
    assert_eq!(calls(label), 3);
}

#[test]
fn models_come_in_when_they_are_called() {
    let program =
        lowered("unsigned long strlen(const char *); int main(void) { return strlen(\"four\"); }");
    let strlen = program.function(function(&program, "strlen"));
    assert!(strlen.is_library_model);
    assert_eq!(program.functions.len(), 3);
}

#[test]
fn functions_without_a_body_return_anything_and_are_noted() {
    let program = lowered(
        "int ext(int *); struct s { int a; } rec(void);\n\
        int main(void) { int x; struct s r = rec(); return ext(&x) + ext(0) + r.a; }",
    );
    assert_eq!(inputs(&program), ["external ext"]);
    let notes: Vec<&str> = program
        .assumptions
        .iter()
        .map(|note| note.text.as_str())
        .collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes
            .iter()
            .any(|note| note.contains("`ext`") && note.contains("changes nothing"))
    );
    let options = LowerOptions {
        external_writes: true,
        ..LowerOptions::default()
    };
    let program = lowered_with(
        "struct s { int a, b; }; int ext(int *, struct s *);\n\
         int main(void) { int x; struct s y; return ext(&x, &y); }",
        &options,
    );
    let copies = count(&program, "ext", |op| matches!(op, Op::Copy { .. }));
    let stores = count(&program, "ext", |op| matches!(op, Op::Store { .. }));
    assert_eq!((copies, stores), (1, 1));
}

#[test]
fn library_functions_that_write_are_never_left_out() {
    let program = lowered(
        "struct tms { long a, b; }; int times(struct tms *); int sprintf(char *, const char *, ...);\n\
         long read(int, void *, unsigned long); int atexit(void (*)(void)); void f(void) {}\n\
         int main(void) { struct tms t; char b[9]; times(&t); sprintf(b, \"%d\", 1); read(0, b, 9); return atexit(f); }",
    );
    let stores = count(&program, "times", |op| matches!(op, Op::Store { .. }));
    assert!(stores >= 2, "each member of the record is written");
    let calls = count(&program, "main", |op| matches!(op, Op::Call { .. }));
    assert!(calls >= 3);
    let unsupported = &program.unsupported[..];
    assert_eq!(unsupported.len(), 1, "{unsupported:?}");
    assert!(unsupported[0].text.contains("atexit"));
    // A function of the program's own that only shares its name with the library's.
    let other = lowered(
        "int read(int *); int stat(int); int main(void) { int x; return read(&x) + stat(1); }",
    );
    assert_eq!(other.assumptions.len(), 2, "{:?}", other.assumptions);
    assert!(other.unsupported.is_empty());
}

#[test]
fn calls_through_pointers_are_a_choice() {
    let program = lowered(
        "int f(int x) { return x; } int g(int x) { return -x; } int h(int x, int y) { return y; }\n\
         int main(void) { int (*p)(int), (*q)(int, int) = h; int k; p = k ? f : g; return p(3) + q(1, 2); }",
    );
    let calls: Vec<&str> = ops(&program, "main")
        .into_iter()
        .filter_map(|op| match op {
            Op::Call { function, .. } => Some(program.function_name(*function)),
            _ => None,
        })
        .collect();
    assert_eq!(calls.iter().filter(|&&name| name == "f").count(), 1);
    assert_eq!(calls.iter().filter(|&&name| name == "g").count(), 1);
    assert_eq!(calls.iter().filter(|&&name| name == "h").count(), 1);
    assert!(
        count(&program, "main", |op| matches!(
            op,
            Op::Halt(Halt::Undefined(_))
        )) > 0
    );
}

#[test]
fn what_is_not_supported_is_named_where_it_is_reached() {
    let program = lowered(
        "int setjmp(int *); int main(void) { int e[9]; asm volatile(\"nop\" ::: \"memory\"); if (setjmp(e)) return 1;\n\
         asm(\"mov %0\" : \"=r\"(e[0])); return 0; }",
    );
    let texts: Vec<&str> = program
        .unsupported
        .iter()
        .map(|note| note.text.as_str())
        .collect();
    // Behind the first one nothing is reached.
    assert_eq!(texts, ["setjmp and longjmp"]);
    assert!(
        program
            .assumptions
            .iter()
            .any(|note| note.text.contains("inline assembly"))
    );
    let plain = "int main(void) { int x; asm(\"mov %0\" : \"=r\"(x)); return x; }";
    assert_eq!(inputs(&lowered(plain)), ["assembly"]);
    // A barrier, and a register of a device.
    let device = "int main(void) { int x; int *at = 0; asm(\"mov %1, %0\" : \"=r\"(x) : \"m\"(*at) : \"memory\"); return x; }";
    assert_eq!(inputs(&lowered(device)), ["assembly"]);
    let constant = "int main(void) { static int x; int y; asm(\"call *%c1\" : \"=a\"(y) : \"i\"(&x) : \"memory\"); return y; }";
    assert_eq!(inputs(&lowered(constant)), ["assembly"]);
    for operands in [
        "\"=c\"(x) : \"D\"(&x)",
        "\"=c\"(x), \"+D\"(at) : ",
        "\"=c\"(x) : \"rm\"(at)",
        " : \"r\"(at)",
    ] {
        let text = format!(
            "int main(void) {{ int x = 0; int *at = &x; asm(\"rep stosb\" : {operands} : \"memory\"); return x; }}"
        );
        assert_eq!(lowered(&text).unsupported.len(), 1, "{text}");
    }
    let text =
        "int main(void) { int x; asm(\"stosb\" : \"=c\"(x) : \"D\"(&x) : \"memory\"); return x; }";
    let options = LowerOptions {
        havoc_asm: true,
        ..LowerOptions::default()
    };
    let program = lowered_with(text, &options);
    assert!(program.unsupported.is_empty());
    assert_eq!(inputs(&program), ["assembly"]);
}

#[test]
fn a_longjmp_without_any_setjmp_is_undefined() {
    let text = "void longjmp(int *, int); int main(void) { int e[9]; longjmp(e, 1); }";
    let program = lowered(text);
    assert!(program.unsupported.is_empty());
    assert_eq!(
        count(&program, "main", |op| matches!(
            op,
            Op::Halt(Halt::Undefined(_))
        )),
        1
    );
}

#[test]
fn the_entry_function_is_main_or_the_one_named() {
    let front = Options::default();
    let text = "int helper(int a, char *b) { return a; } extern int declared(void);";
    let fails = |entry: Option<&str>| {
        let options = LowerOptions {
            entry: entry.map(str::to_owned),
            ..LowerOptions::default()
        };
        let failure =
            load_text("test.c", text, &front, &options).expect_err("there is no such entry");
        failure.diagnostics[0].message.clone()
    };
    assert!(fails(None).contains("--entry"));
    assert!(fails(Some("nothing")).contains("`nothing`"));
    assert!(fails(Some("declared")).contains("no body"));
    let options = LowerOptions {
        entry: Some("helper".to_owned()),
        ..LowerOptions::default()
    };
    let program = lowered_with(text, &options);
    assert_eq!(inputs(&program), ["argument a", "argument b"]);
}

#[test]
fn main_gets_arguments() {
    let program = lowered("int main(int argc, char **argv) { return argc; }");
    assert_eq!(inputs(&program), ["argument argc", "argument argv"]);
    assert_eq!(
        count(&program, "__concord_start", |op| matches!(
            op,
            Op::Assume(_)
        )),
        2
    );
    // Its bound is no promise of C.
    let mut notes = program.assumptions.iter();
    assert!(notes.any(|note| note.text.contains("at most 100000 arguments")));
}

#[test]
fn a_variable_length_array_ends_with_its_scope() {
    let program = lowered("int main(void) { int n = 3; { int a[n]; a[0] = 1; } return 0; }");
    let object = program.objects.iter().position(|object| object.name == "a");
    let object = object.expect("it is in memory");
    assert!(matches!(
        program.objects[object].kind,
        ObjectKind::StackAllocation(_)
    ));
    assert_eq!(
        count(&program, "main", |op| matches!(op, Op::Allocate { .. })),
        1
    );
    assert_eq!(
        count(
            &program,
            "main",
            |op| matches!(op, Op::End(id) if id.0 as usize == object)
        ),
        1
    );
}

#[test]
fn malloc_fails_only_under_an_option() {
    let text = "void *malloc(unsigned long); int main(void) { return malloc(4) == 0; }";
    assert_eq!(inputs(&lowered(text)).len(), 0);
    let options = LowerOptions {
        malloc_may_fail: true,
        ..LowerOptions::default()
    };
    assert_eq!(inputs(&lowered_with(text, &options)), ["external malloc"]);
}

#[test]
fn deep_nesting_is_no_problem() {
    let depth = 8000;
    let sum = format!("{}1{}", "(1 + ".repeat(depth), ")".repeat(depth));
    let blocks = format!("{}x++;{}", "{".repeat(depth), "}".repeat(depth));
    let program = lowered(&format!(
        "int main(void) {{ int x = {sum}; {blocks} return x; }}"
    ));
    assert_eq!(program.functions.len(), 2);
}

#[test]
fn every_edge_of_the_users_code_has_a_place() {
    let program = lowered(
        "struct s { int a[3]; } g = {{1, 2}}; struct s f(struct s x) { x.a[0]++; return x; }\n\
         int main(void) { struct s y = f(g); int i, *p = y.a; for (i = 0; i < 3; i++) { int z; p = &z; switch (i) { case 1: continue; default: *p = i; } }\n\
         return y.a[0] ? *p : 0; }",
    );
    let start = program.entry;
    for edge in &program.edges {
        if program.location(edge.source).function != start {
            assert!(!edge.span.is_none(), "{:?}", program.op(edge.op));
        }
    }
}

fn depth_of_loads(program: &Program, expr: ExprId) -> usize {
    let node = program.pool.node(expr);
    let below = node
        .children()
        .map(|child| depth_of_loads(program, child))
        .max()
        .unwrap_or(0);
    below + usize::from(matches!(node, Node::Load { .. }))
}

#[test]
fn reads_and_writes_are_plain_loads_and_stores() {
    let program = lowered(
        "struct n { int v; struct n *next; }; int f(struct n *p) { return p->next->next->v; }\n\
        int main(void) { return f(0); }",
    );
    let deepest = ops(&program, "f")
        .into_iter()
        .flat_map(|op| op.expressions())
        .map(|expr| depth_of_loads(&program, expr))
        .max();
    assert_eq!(deepest, Some(3));
}
