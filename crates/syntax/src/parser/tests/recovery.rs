use super::{complaints, errors};
use crate::diagnostics::Kind;

#[test]
fn one_run_reports_several_errors() {
    let text = "int f() {\n  x = ;\n  if (a { b; }\n  return 1\n}\nint g( { }\nfoo bar;\nint ok;\n";
    assert_eq!(
        complaints(text),
        [
            "2:7: expected an expression, found ';'",
            "3:8: expected ')' here, found '{'",
            "4:11: expected ';' after 'return', found '}'",
            "6:8: expected the type of a parameter, found '{'",
            "7:1: unknown type name 'foo'",
        ]
    );
}

#[test]
fn messages_say_what_was_expected() {
    for (text, message) in [
        (
            "int x",
            "expected ';' at the end of a declaration, found the end of the file",
        ),
        ("int f() {", "expected '}' here, found the end of the file"),
        ("int 3;", "expected an identifier or '(', found '3'"),
        ("}", "expected a declaration, found '}'"),
        ("f() { else; }", "'else' without a previous 'if'"),
        (
            "f() { goto 1; }",
            "expected identifier after 'goto', found '1'",
        ),
        (
            "f() { do ; until; }",
            "expected 'while' after the body of 'do', found 'until'",
        ),
        (
            "struct;",
            "expected a name or '{' after 'struct' or 'union', found ';'",
        ),
        (
            "int long char x;",
            "two or more data types in declaration specifiers",
        ),
        (
            "unsigned signed x;",
            "both 'signed' and 'unsigned' in declaration specifiers",
        ),
        (
            "long short x;",
            "both 'long' and 'short' in declaration specifiers",
        ),
        ("long long long x;", "'long long long' is too long"),
        (
            "unsigned double x;",
            "invalid combination of type specifiers",
        ),
        (
            "typedef static int x;",
            "multiple storage classes in declaration specifiers",
        ),
        (
            "struct s { static int x; };",
            "storage class specified for a member",
        ),
        (
            "int f(static int x);",
            "storage class specified for a parameter",
        ),
        (
            "int x = (static int)1;",
            "storage class specified in a type name",
        ),
        ("int f(int x[static]);", "expected an expression, found ']'"),
        (
            "typedef int T; f() { x = T; }",
            "expected an expression, not a type, found 'T'",
        ),
        (
            "struct s { struct t { union s { int x; } y; } z; };",
            "nested redefinition of 's'",
        ),
        ("int x = 08;", "invalid digit '8' in octal constant"),
        ("char c = '';", "empty character constant"),
        (
            "f() { x = L\"a\" u\"b\"; }",
            "string literals with different prefixes are joined",
        ),
        ("struct s { foo x; };", "unknown type name 'foo'"),
        ("static foo *x;", "unknown type name 'foo'"),
        ("int f(foo *x);", "unknown type name 'foo'"),
        ("f() { foo x; }", "unknown type name 'foo'"),
        (
            "f() { for (int g() { } ;;) ; }",
            "a function cannot be defined here",
        ),
        ("f() { case ; }", "expected an expression, found ';'"),
        ("f() { a(1, ); }", "expected an expression, found ')'"),
        (
            "int x = { .a 1 };",
            "expected '=' after a designator, found '1'",
        ),
    ] {
        assert_eq!(
            errors(text).first().map(|error| error.message.as_str()),
            Some(message),
            "{text}"
        );
    }
}

#[test]
fn an_unknown_type_is_reported_once() {
    assert_eq!(
        complaints("foo *f(foo x) { foo y; return (foo)x; }\nfoo z;").len(),
        1
    );
}

#[test]
fn brackets_say_what_they_should_close() {
    let found = errors("f() { g(1; }");
    assert_eq!(found[0].notes.len(), 1);
    assert_eq!(found[0].notes[0].1, "to match this '('");
}

#[test]
fn what_is_right_but_not_supported_has_a_name() {
    for (text, construct) in [
        ("_Decimal64 x;", "decimal floating type"),
        ("int x = 1.0dd;", "decimal floating constant"),
    ] {
        assert_eq!(
            errors(text)[0].kind,
            Kind::Unsupported(construct.into()),
            "{text}"
        );
    }
}

#[test]
fn there_is_an_end_to_errors() {
    let text = "int x = ;\n".repeat(1000);
    assert_eq!(errors(&text).len(), 20);
    let text = "@ ".repeat(1000);
    assert_eq!(errors(&text).len(), 20);
}
