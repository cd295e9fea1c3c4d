//! Programs of several units.

use super::laws::assert_lawful;
use super::{checked, messages};
use crate::names::Names;
use crate::typed::TypedProgram;
use crate::types::DataModel;

fn linked(texts: &[&str]) -> (TypedProgram, Names) {
    let (result, names) = checked(texts, DataModel::Ilp32);
    match result {
        Ok(checked) => {
            assert_lawful(&checked.program);
            (checked.program, names)
        }
        Err(problems) => panic!("{:?}", messages(&problems)),
    }
}

fn refused(texts: &[&str]) -> String {
    let (result, _) = checked(texts, DataModel::Ilp32);
    result.expect_err("the units do not fit").remove(0).message
}

#[test]
fn one_object_for_all_declarations() {
    let (program, names) = linked(&[
        "extern int x; extern int a[]; int get(void) { return x + a[2]; } int common;",
        "int x = 3; int a[5]; int common; extern int outside; int *p = &outside;",
    ]);
    let shown: Vec<(&str, bool)> = program
        .vars
        .iter()
        .map(|var| (names.get(var.name), var.external))
        .collect();
    assert_eq!(
        shown,
        [
            ("x", false),
            ("a", false),
            ("common", false),
            ("outside", true),
            ("p", false)
        ]
    );
    assert_eq!(program.types.size_of(program.vars[1].ty), Some(20));
    assert_eq!(program.globals.len(), 5);
}

#[test]
fn static_names_stay_apart() {
    let (program, _) = linked(&[
        "static int x = 1; static int f(void) { return x; } int g(void) { return f(); }",
        "static int x = 2; static int f(void) { return x; } int h(void) { return f(); }",
    ]);
    assert_eq!((program.vars.len(), program.functions.len()), (2, 4));
}

#[test]
fn a_definition_serves_calls_of_other_units() {
    let (program, _) = linked(&[
        "int helper(int); int main(void) { return helper(1) + other(); }",
        "int helper(int x) { return x; } int other(void) { return 2; }",
    ]);
    assert_eq!(program.functions.len(), 3);
    assert!(
        program
            .functions
            .iter()
            .all(|function| function.body.is_some())
    );
}

#[test]
fn records_that_look_the_same_are_the_same() {
    linked(&[
        "struct s { int a; struct s *next; }; extern struct s head; struct s get(void);
         int f(void) { struct s x = head; x = get(); return x.next->a; }",
        "struct s { int a; struct s *next; }; struct s head; struct s get(void) { return head; }",
    ]);
    let message = refused(&[
        "struct s { int a; }; extern struct s head; int f(void) { return head.a; }",
        "struct s { char a; }; struct s head;",
    ]);
    assert!(
        message.contains("conflicting types for 'head'"),
        "{message}"
    );
}

#[test]
fn inline_definitions_give_way() {
    let (program, _) = linked(&[
        "inline int f(void) { return 1; } int g(void) { return f(); }",
        "inline int f(void) { return 1; } extern inline int f(void);",
        "int f(void) { return 1; }",
    ]);
    assert_eq!(program.functions.len(), 2);
}

/// A definition is weak if its own unit says so. Of two weak ones the linker takes the first, and any
/// of them wins over one that is only inline.
#[test]
fn weak_definitions_give_way_unit_by_unit() {
    let weak = "__attribute__((weak)) int f(void) { return 1; } int g(void) { return f(); }";
    let strong = "int f(void) { return 2; }";
    let other = "__attribute__((weak)) int f(void) { return 3; }";
    let inline = "inline int f(void) { return 4; }";
    let result_of_f = |texts: &[&str]| {
        let (program, names) = linked(texts);
        let mut functions = program.functions.iter();
        let found = functions.find(|function| names.get(function.name) == "f");
        let body = found.and_then(|function| function.body.as_ref());
        let shown = format!("{:?}", body.expect("f has a body").block.items[0].kind);
        let digit = shown.find("Int(").and_then(|at| shown.chars().nth(at + 4));
        digit.expect("f returns a number")
    };
    assert_eq!(result_of_f(&[weak, strong]), '2');
    assert_eq!(result_of_f(&[strong, weak]), '2');
    assert_eq!(result_of_f(&[weak, other]), '1');
    assert_eq!(result_of_f(&[inline, weak]), '1');
    assert_eq!(result_of_f(&[inline, strong]), '2');
}

#[test]
fn definitions_that_clash() {
    let cases: [(&[&str], &str); 4] = [
        (
            &["int f(void) { return 1; }", "int f(void) { return 2; }"],
            "multiple definition of 'f'",
        ),
        (&["int x = 1;", "int x = 1;"], "multiple definition of 'x'"),
        (&["int x;", "char x;"], "conflicting types for 'x'"),
        (
            &["int f(int);", "int f(char *p) { return 0; }"],
            "conflicting types for 'f'",
        ),
    ];
    for (texts, wanted) in cases {
        let message = refused(texts);
        assert!(message.contains(wanted), "{message}");
    }
}
