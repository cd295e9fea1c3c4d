//! Programs that are wrong, and what is said about them.

use super::{checked, messages};
use crate::diagnostics::{Kind, Severity};
use crate::driver;
use crate::names::Names;
use crate::source::{Origin, Source, SourceMap};
use crate::types::DataModel;

/// The errors of a program, which must have some.
fn errors(text: &str) -> Vec<String> {
    let (result, _) = checked(&[text], DataModel::Lp64);
    let problems = result.err().unwrap_or_else(|| panic!("accepted: {text}"));
    let errors: Vec<String> = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .map(|problem| problem.message.clone())
        .collect();
    assert!(!errors.is_empty());
    errors
}

#[test]
fn each_error_is_told_as_gcc_tells_it() {
    let cases = [
        ("int f(void) { return x; }", "'x' undeclared"),
        ("int x; float x;", "conflicting types for 'x'"),
        ("int x = 1; int x = 2;", "redefinition of 'x'"),
        ("int f(void) { } int f(void) { }", "redefinition of 'f'"),
        ("int f(int); int f(char *);", "conflicting types for 'f'"),
        ("int x; int x(void);", "redeclared as different kind"),
        ("int f(void) { int a; int a; }", "redeclaration of 'a'"),
        ("struct s { int a; int a; };", "duplicate member 'a'"),
        (
            "struct s { int a; }; struct s { int b; };",
            "redefinition of 'struct s'",
        ),
        ("struct s x;", "storage size of 'x' isn't known"),
        (
            "void f(void) { struct s x; }",
            "storage size of 'x' isn't known",
        ),
        (
            "struct s { int a; } s; int f(void) { return s.b; }",
            "has no member named 'b'",
        ),
        ("int f(int x) { return x.a; }", "not a structure or union"),
        (
            "int f(int x) { return *x; }",
            "invalid type argument of unary '*'",
        ),
        ("int f(int x) { return x[1]; }", "neither array nor pointer"),
        (
            "int f(int x) { return x(); }",
            "not a function or function pointer",
        ),
        (
            "int f(int a) { return 0; } int g(void) { return f(); }",
            "too few arguments",
        ),
        (
            "int f(void); int g(void) { return f(1); }",
            "too many arguments",
        ),
        (
            "void f(void); int g(void) { return f(); }",
            "void value not ignored",
        ),
        (
            "struct s { int a; } s; int f(void) { return s; }",
            "incompatible types when returning",
        ),
        (
            "struct s { int a; } s; void f(void) { s = 1; }",
            "incompatible types when assigning",
        ),
        (
            "struct s { int a; } s; void f(int *p) { f(s); }",
            "incompatible type for argument 1",
        ),
        ("void f(void) { 1 = 2; }", "lvalue required"),
        ("void f(void) { int a[2]; a = 0; }", "array type"),
        (
            "const int x; void f(void) { x = 1; }",
            "read-only variable 'x'",
        ),
        ("void f(const int *p) { *p = 1; }", "read-only location"),
        ("void f(void) { break; }", "break statement not within"),
        (
            "void f(void) { continue; }",
            "continue statement not within",
        ),
        ("void f(void) { case 1: ; }", "case label not within"),
        (
            "void f(int x) { switch (x) { case 1: case 1: ; } }",
            "duplicate case value",
        ),
        (
            "void f(int x) { switch (x) { case 1 ... 5: case 3: ; } }",
            "duplicate case value",
        ),
        (
            "void f(int x) { switch (x) { case x: ; } }",
            "does not reduce to an integer constant",
        ),
        (
            "void f(int x) { switch (x) { default: default: ; } }",
            "multiple default labels",
        ),
        (
            "void f(float x) { switch (x) { } }",
            "switch quantity not an integer",
        ),
        (
            "void f(void) { goto nowhere; }",
            "label 'nowhere' used but not defined",
        ),
        ("void f(void) { a: ; a: ; }", "duplicate label 'a'"),
        ("int a[-1];", "size of array is negative"),
        ("int n; int a[n];", "variably modified"),
        (
            "void f(int n) { static int a[n]; }",
            "storage size isn't constant",
        ),
        ("int x = y; int y;", "undeclared here"),
        ("int y; int x = y;", "initializer element is not constant"),
        (
            "int f(void); int x = f();",
            "initializer element is not constant",
        ),
        ("int a[2] = { [2] = 1 };", "exceeds array bounds"),
        (
            "struct s { int a; } s = { .b = 1 };",
            "has no member named 'b'",
        ),
        ("int a[2] = 3;", "array initialized"),
        (
            "_Static_assert(1 == 2, \"no\");",
            "static assertion failed: \"no\"",
        ),
        ("struct s { int a : 33; };", "exceeds its type"),
        ("struct s { float a : 3; };", "has invalid type"),
        ("struct s { int a : 0; };", "zero width"),
        (
            "struct s { int a : 3; } s; int *f(void) { return &s.a; }",
            "address of bit-field",
        ),
        (
            "struct s { int a : 3; } s; int x = sizeof(s.a);",
            "applied to a bit-field",
        ),
        (
            "int f(void) { return sizeof(struct s); }",
            "incomplete type",
        ),
        ("enum e { A, A };", "redeclaration of enumerator 'A'"),
        ("int f(void)[3];", "function returning an array"),
        ("int x[3](void);", "array of functions"),
        ("void x;", "declared void"),
        (
            "struct s { int a; } s; int f(void) { return s + 1; }",
            "invalid operands to binary +",
        ),
        (
            "int f(int *p, int *q) { return p + q; }",
            "invalid operands to binary +",
        ),
        (
            "int f(float x) { return x % 2; }",
            "invalid operands to binary %",
        ),
        ("int f(float x) { return ~x; }", "bit-complement"),
        (
            "struct s { int a; } s; void f(void) { if (s) ; }",
            "scalar is required",
        ),
        (
            "int f(void) { return (struct { int a; })1; }",
            "non-scalar type",
        ),
        (
            "struct s { int a; } s; int x = (int)s;",
            "where a scalar is required",
        ),
        (
            "int x = _Generic(1, char: 2);",
            "not compatible with any association",
        ),
        (
            "typedef int T; typedef float T;",
            "conflicting types for 'T'",
        ),
        (
            "static int f(void); int f(void); static int g(void); int h(void); static int h(void);",
            "static declaration of 'h' follows non-static",
        ),
        (
            "int x; static int x;",
            "static declaration of 'x' follows non-static",
        ),
        ("int f(a) int b; { return a; }", "no such parameter"),
        (
            "int f(int a, int a) { return a; }",
            "redefinition of parameter 'a'",
        ),
        ("int f(int a) { int a; return a; }", "redeclaration of 'a'"),
        ("struct s { int a[]; int b; };", "not at end of struct"),
        ("int x __attribute__((aligned(3)));", "not a power of 2"),
        (
            "int f(void) { extern int x = 3; return x; }",
            "both 'extern' and initializer",
        ),
        ("__auto_type x;", "__auto_type"),
        (
            "double f(void *p) { return (double)p; }",
            "floating-point was expected",
        ),
        ("void f(void) { int x; (x ? x : f); }", ""),
    ];
    for (text, wanted) in cases {
        if wanted.is_empty() {
            // gcc only warns.
            assert!(checked(&[text], DataModel::Lp64).0.is_ok(), "{text}");
            continue;
        }
        let found = errors(text);
        assert!(found[0].contains(wanted), "{text}: {found:?}");
    }
}

#[test]
fn several_errors_in_one_run() {
    let found = errors(
        "int f(void) { return a; }
         int g(void) { int x = b; x.c = 1; return d + d; }
         int h(int);
         char *h(void);",
    );
    assert_eq!(found.len(), 5, "{found:?}");
}

#[test]
fn unsupported_constructs_are_named() {
    let cases = [
        (
            "_Complex int f(_Complex int z) { return z / z; }",
            "the division of complex integers",
        ),
        (
            "_Complex double z = (0.1 + 0.1i) * (0.1 + 0.3i);",
            "rounding of complex constants",
        ),
        (
            "typedef char v __attribute__((vector_size(4096))); v a;",
            "a vector of more than 1024 elements",
        ),
        (
            "int f(int x) { int g(int y) { return x + (int)(long)g; } return g(x); }",
            "the address of a nested function inside itself",
        ),
        (
            "int f(int n) { int a[n]; int g(void) { return sizeof a; } return g(); }",
            "the length of an array of the function around a nested one",
        ),
        (
            "int f(void) { return __builtin_ia32_rdtsc(); }",
            "'__builtin_ia32_rdtsc'",
        ),
    ];
    for (text, construct) in cases {
        let (result, _) = checked(&[text], DataModel::Lp64);
        let problems = result.err().unwrap_or_else(|| panic!("accepted: {text}"));
        assert_eq!(
            problems[0].kind,
            Kind::Unsupported(construct.to_owned()),
            "{text}"
        );
        assert!(!problems[0].span.is_none());
    }
}

#[test]
fn what_is_odd_is_a_warning() {
    let cases = [
        (
            "int f(void) { return g(1); }",
            "implicit declaration of function 'g'",
        ),
        ("f(x) { return x; }", "defaults to 'int'"),
        (
            "void f(int *p, char *q) { p = q; }",
            "incompatible pointer type",
        ),
        (
            "void f(int *p, int i) { p = i; }",
            "makes pointer from integer",
        ),
        (
            "void f(int *p, int i) { i = p; }",
            "makes integer from pointer",
        ),
        (
            "void f(int *p, const int *q) { p = q; }",
            "discards 'const'",
        ),
        (
            "int f(int *p, int i) { return p == i; }",
            "comparison between pointer and integer",
        ),
        (
            "int f(int *p, char *q) { return p == q; }",
            "distinct pointer types",
        ),
        ("int a[2] = { 1, 2, 3 };", "excess elements in array"),
        ("int f(void) { return; }", "with no value"),
        ("void f(void) { return 1; }", "with a value"),
        ("int a[];", "assumed to have one element"),
    ];
    for (text, wanted) in cases {
        let (result, _) = checked(&[text], DataModel::Lp64);
        let checked = result.unwrap_or_else(|p| panic!("{text}: {:?}", messages(&p)));
        let found = messages(&checked.warnings);
        assert!(
            found.iter().any(|text| text.contains(wanted)),
            "{text}: {found:?}"
        );
    }
}

/// What a verdict could depend on and is not understood must not be passed over.
#[test]
fn attributes_and_labels_are_never_forgotten() {
    let used = |text: &str| format!("{text} int use(void) {{ return f() + x; }}");
    let plain = "int x; int f(void);";
    let (accepted, _) = checked(&[&used(plain)], DataModel::Lp64);
    assert!(accepted.is_ok());
    for (text, wanted) in [
        (
            "int x; int f(void) __attribute__((frobnicate));",
            "'frobnicate'",
        ),
        (
            "int x; int f(void) __attribute__((ifunc(\"g\")));",
            "'ifunc'",
        ),
        (
            "int x; int f(void) __attribute__((alias(\"nowhere\")));",
            "this alias",
        ),
        (
            "int x; int f(void) __attribute__((weak));",
            "a weak function",
        ),
        (
            "int x; static int f(void) __attribute__((weakref(\"g\")));",
            "'weakref'",
        ),
        (
            "extern int x __attribute__((frobnicate)); int f(void);",
            "'frobnicate'",
        ),
        (
            "long y; extern int x __attribute__((alias(\"y\"))); int f(void);",
            "an alias",
        ),
        (
            "extern int x asm(\"y\"); int f(void);",
            "another name in assembly",
        ),
        (
            "register int x asm(\"ebx\"); int f(void);",
            "a register variable",
        ),
    ] {
        let found = errors(&used(text));
        assert!(
            found.iter().any(|text| text.contains(wanted)),
            "{text}: {found:?}"
        );
        // Nobody uses it: headers are full of such declarations.
        let (unused, _) = checked(&[text], DataModel::Lp64);
        assert!(unused.is_ok(), "{text}");
    }
    for (text, wanted) in [
        (
            "struct __attribute__((ms_struct)) s { int a; };",
            "'ms_struct'",
        ),
        (
            "struct s { int a; } __attribute__((scalar_storage_order(\"big-endian\")));",
            "'scalar_storage_order'",
        ),
        (
            "struct s { int a __attribute__((frobnicate)); };",
            "'frobnicate'",
        ),
        (
            "typedef int t __attribute__((address_space(1)));",
            "'address_space'",
        ),
        (
            "enum e { A } __attribute__((aligned(16)));",
            "'aligned' of an enum",
        ),
        (
            "enum e { A = 300 } __attribute__((mode(QI)));",
            "'mode' of this enum",
        ),
        (
            "int *p __attribute__((mode(DI)));",
            "'mode' of a type that is derived",
        ),
        (
            "void g(int *); int f(void) { int a __attribute__((cleanup(g))) = 1; return a; }",
            "'cleanup'",
        ),
        (
            "int f(void) { register int a asm(\"eax\") = 1; return a; }",
            "register or label",
        ),
        (
            "asm(\".globl f\\nf: ret\");",
            "assembly outside of functions",
        ),
        (
            "void f(void) {} void (*p)(void) __attribute__((section(\".init_array\"))) = f;",
            "the section '.init_array'",
        ),
        (
            "__attribute__((target(\"fma\"))) double f(double x) { return x * x + x; }",
            "'target'",
        ),
        (
            "_Atomic struct { char c[3]; } s;",
            "an atomic object of this type",
        ),
        (
            "__attribute__((constructor)) void f(int x) {}",
            "with parameters",
        ),
    ] {
        let found = errors(text);
        assert!(
            found.iter().any(|text| text.contains(wanted)),
            "{text}: {found:?}"
        );
    }
}

/// The parser sees attributes of statements and enumerators, the lexer pragmas.
#[test]
fn attributes_that_no_declaration_has_are_never_forgotten() {
    for (text, wanted) in [
        (
            "enum e { A __attribute__((frobnicate)) };",
            "'frobnicate' here",
        ),
        (
            "int f(void) { { __attribute__((frobnicate)); } return 0; }",
            "'frobnicate' here",
        ),
        ("#pragma weak f\nint f(void);", "this pragma"),
        (
            "#pragma GCC optimize (\"fast-math\")\nint x;",
            "this pragma",
        ),
    ] {
        let source = Source {
            name: "test.c".to_owned(),
            text: text.into(),
            origin: Origin::Given,
        };
        let found = driver::parse(&mut SourceMap::new(), &mut Names::new(), source);
        let problems = found.err().unwrap_or_default();
        let found = messages(&problems);
        assert!(
            found.iter().any(|text| text.contains(wanted)),
            "{text}: {found:?}"
        );
    }
}
