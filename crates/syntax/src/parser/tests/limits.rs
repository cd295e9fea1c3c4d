use super::source;
use crate::driver::{self, on_large_stack};
use crate::names::Names;
use crate::source::SourceMap;

/// The first error of a deep text, if any; parsed and dropped on the large stack.
fn outcome(text: String) -> Option<String> {
    on_large_stack(|| {
        let (mut map, mut names) = (SourceMap::new(), Names::new());
        let result = driver::parse(&mut map, &mut names, source(&text));
        result.err().map(|errors| errors[0].message.clone())
    })
}

/// Texts that nest a construct so many times.
fn nestings(levels: usize) -> Vec<(&'static str, String)> {
    let nest = |head: &str, open: &str, middle: &str, close: &str, tail: &str| {
        format!(
            "{head}{}{middle}{}{tail}",
            open.repeat(levels),
            close.repeat(levels)
        )
    };
    vec![
        ("parentheses", nest("int x = ", "(", "1", ")", ";")),
        ("blocks", nest("f() ", "{", "", "}", "")),
        ("declarators", nest("int ", "(", "x", ")", ";")),
        ("pointers", nest("int ", "*", "x", "", ";")),
        ("parameters", nest("int x", "(int ", "", ")", ";")),
        ("arrays", nest("int x", "[1]", "", "", ";")),
        ("initialisers", nest("int x = ", "{", "1", "}", ";")),
        (
            "else chains",
            nest("f() { ", "if (a) b; else ", ";", "", " }"),
        ),
        ("nested ifs", nest("f() { ", "if (a) ", ";", "", " }")),
        (
            "loops",
            nest("f() { ", "while (a) for (;;) ", ";", "", " }"),
        ),
        (
            "labels",
            nest("f() { switch (x) { ", "case 1: ", ";", "", " } }"),
        ),
        ("unary operators", nest("int x = ", "!- ", "1", "", ";")),
        ("casts", nest("int x = ", "(int)", "1", "", ";")),
        ("calls", nest("int x = ", "f(", "1", ")", ";")),
        ("indices", nest("int x = ", "a[", "1", "]", ";")),
        ("members", nest("int x = a", ".b", "", "", ";")),
        (
            "statement expressions",
            nest("f() { x = ", "({ ", "1;", " });", " }"),
        ),
        ("structs", nest("", "struct { ", "int x;", " } x;", "")),
        ("conditionals", nest("int x = ", "a ? b : ", "1", "", ";")),
        (
            "conditionals inside",
            nest("int x = ", "a ? ", "1", " : b", ";"),
        ),
        ("assignments", nest("f() { ", "x = ", "1", "", "; }")),
        ("typeof", nest("", "typeof(", "int", ")", " x;")),
        ("sizeof", nest("int x = ", "sizeof ", "1", "", ";")),
        (
            "compound literals",
            nest("int x = ", "(int){", "1", "}", ";"),
        ),
        (
            "attributes",
            nest("int x ", "__attribute__((a(sizeof(int ", "", "))))", ";"),
        ),
    ]
}

#[test]
fn ten_thousand_levels_of_everything() {
    for (what, text) in nestings(10_000) {
        assert_eq!(outcome(text), None, "{what}");
    }
}

#[test]
fn deeper_texts_are_refused_or_read_but_never_crash() {
    for (what, text) in nestings(100_000) {
        if let Some(message) = outcome(text) {
            assert!(
                message.starts_with("nested too deeply"),
                "{what}: {message}"
            );
        }
    }
}

#[test]
fn a_hundred_thousand_operands_in_a_row() {
    for op in ["+", "||", "==", ",", "* -"] {
        let chain = vec!["a"; 100_000].join(op);
        assert_eq!(outcome(format!("f() {{ return {chain}; }}")), None, "{op}");
    }
}

#[test]
fn a_million_operands_are_refused() {
    let chain = vec!["a"; 1_000_000].join("+");
    let message = outcome(format!("int x = {chain};")).unwrap();
    assert!(message.starts_with("nested too deeply"), "{message}");
}

#[test]
fn long_lists_are_not_deep() {
    let many = 160_000;
    assert_eq!(
        outcome(format!("int x[] = {{ {} }};", "a + 1,".repeat(many))),
        None
    );
    assert_eq!(
        outcome(format!("f() {{ {} }}", "a = a + 1;".repeat(many))),
        None
    );
    assert_eq!(
        outcome(format!("struct s {{ {} }};", "int a : b + 1;".repeat(many))),
        None
    );
    assert_eq!(
        outcome(format!("f() {{ g({} a); }}", "a + 1,".repeat(many))),
        None
    );
    assert_eq!(
        outcome(format!("f() {{ {} }}", "typeof(a, b) c;".repeat(many))),
        None
    );
    assert_eq!(
        outcome(format!("enum {{ {} }};", "a = b + 1,".repeat(many))),
        None
    );
}
