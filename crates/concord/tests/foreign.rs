//! Right witnesses as other tools write them: none may be called wrong, whatever their steps are.

mod common;

use common::{Scratch, concord};
use std::fmt::Write;

const UNSAFE: &str = "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int g = 7; static int twice(int a) { return 2 * a; }
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  unsigned i = 0;
  int s = 0; int unused;
  while (i < n) {
    int inner = 3;
    i++;
    s = twice(inner);
  }
  if (i == 8)
    reach_error();
  return s + g;
}
";

fn safe() -> String {
    UNSAFE.replace("i == 8", "i < n")
}

/// The character at which a text stands.
fn at(text: &str) -> u32 {
    UNSAFE.find(text).expect("it stands there") as u32
}

type Data<'a> = &'a [(&'a str, &'a str)];

/// A graph of nodes and edges, each with its data.
fn graph(
    program: &str,
    kind: &str,
    nodes: &[(&str, Data)],
    edges: &[(&str, &str, Data)],
) -> String {
    let mut text = format!(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key attr.name="sourcecode" attr.type="string" for="edge" id="sourcecode"/>
<graph edgedefault="directed">
<data key="witness-type">{kind}</data><data key="sourcecodelang">C</data><data key="producer">Other</data>
<data key="specification">CHECK( init(main()), LTL(G ! call(reach_error())) )

</data>
<data key="programfile">/storage/program.c</data><data key="programhash">{}</data>
<data key="architecture">64bit</data><data key="creationtime">2021-10-01T09:01:35</data>
"#,
        witness::hash_of(program.as_bytes())
    );
    let mut element = |head: &str, name: &str, data: Data| {
        let _ = writeln!(text, "<{head}>");
        for (key, value) in data {
            let value = value.replace('&', "&amp;").replace('<', "&lt;");
            let _ = writeln!(text, "<data key=\"{key}\">{value}</data>");
        }
        let _ = writeln!(text, "</{name}>");
    };
    for (name, data) in nodes {
        element(&format!("node id=\"{name}\""), "node", data);
    }
    for (source, target, data) in edges {
        let head = format!("edge source=\"{source}\" target=\"{target}\"");
        element(&head, "edge", data);
    }
    text + "</graph></graphml>"
}

fn expect(name: &str, program: &str, witness: &str, code: i32) {
    let scratch = Scratch::new(&format!("foreign-{name}"));
    let file = scratch.file("w.graphml", witness.as_bytes());
    let program = scratch.file("program.c", program.as_bytes());
    let (status, text) = concord(&["validate", "--timeout", "20s"], &[&file, &program]);
    assert_eq!(status, Some(code), "{name}: {text}\n{witness}");
}

const ENTRY: (&str, Data) = ("A0", &[("entry", "true")]);
const END: (&str, Data) = ("V", &[("violation", "true")]);

/// Functions are entered at their heads and left at their `return`, loops at the step before;
/// conditions begin behind the keyword; assumptions name a scope.
#[test]
fn steps_of_functions_and_loops() {
    let offset = |text: &str| at(text).to_string();
    let (main, n, test, last) = (
        offset("main(void)"),
        offset("unsigned n"),
        offset("i < n)"),
        offset("i == 8"),
    );
    let nodes = ["1", "2", "3", "4", "5", "6"].map(|name| (name, &[] as Data));
    let nodes = [&[ENTRY, END, ("sink", &[("sink", "true")])], &nodes[..]].concat();
    let edges: &[(&str, &str, Data)] = &[
        (
            "A0",
            "1",
            &[
                ("startline", "4"),
                ("startoffset", &main),
                ("enterFunction", "main"),
            ],
        ),
        (
            "1",
            "2",
            &[
                ("startline", "5"),
                ("startoffset", &n),
                ("assumption", "n == (8U);"),
                ("assumption.scope", "main"),
            ],
        ),
        ("2", "3", &[("startline", "7"), ("enterLoopHead", "true")]),
        (
            "3",
            "4",
            &[
                ("startline", "8"),
                ("startoffset", &test),
                ("control", "condition-true"),
            ],
        ),
        (
            "3",
            "sink",
            &[
                ("startline", "8"),
                ("startoffset", &test),
                ("control", "condition-false"),
            ],
        ),
        ("4", "5", &[("startline", "11"), ("enterFunction", "twice")]),
        ("5", "6", &[("startline", "3"), ("returnFrom", "twice")]),
        (
            "6",
            "6",
            &[
                ("startline", "13"),
                ("startoffset", &last),
                ("control", "condition-true"),
            ],
        ),
        (
            "6",
            "V",
            &[("startline", "14"), ("enterFunction", "reach_error")],
        ),
    ];
    expect(
        "functions",
        UNSAFE,
        &graph(UNSAFE, "violation_witness", &nodes, edges),
        0,
    );
}

/// One edge for each part of a statement, declarations and globals among them, without offsets.
#[test]
fn steps_that_are_none_here() {
    let nodes = ["1", "2", "3", "4", "5", "6", "7"].map(|name| (name, &[] as Data));
    let nodes = [&[ENTRY, END], &nodes[..]].concat();
    let edges: &[(&str, &str, Data)] = &[
        ("A0", "1", &[("startline", "3"), ("assumption", "g==7;")]),
        (
            "1",
            "2",
            &[("startline", "5"), ("sourcecode", "unsigned n = f();")],
        ),
        (
            "2",
            "3",
            &[
                ("startline", "5"),
                ("sourcecode", "f()"),
                ("assumption", "n==8;"),
            ],
        ),
        (
            "3",
            "4",
            &[("startline", "7"), ("sourcecode", "int unused;")],
        ),
        ("4", "5", &[("startline", "10"), ("sourcecode", "i++")]),
        ("5", "6", &[("startline", "10"), ("sourcecode", "i++")]),
        (
            "6",
            "7",
            &[("startline", "13"), ("control", "condition-true")],
        ),
        ("7", "V", &[("startline", "14")]),
    ];
    expect(
        "parts",
        UNSAFE,
        &graph(UNSAFE, "violation_witness", &nodes, edges),
        0,
    );
}

/// What the program never uses was dropped: nothing is said against what is said of it.
#[test]
fn globals_that_are_never_used() {
    let program = UNSAFE.replace("return s + g", "return s");
    let edges: &[(&str, &str, Data)] = &[
        ("A0", "1", &[("startline", "3"), ("assumption", "g==7;")]),
        ("1", "V", &[("startline", "14")]),
    ];
    let nodes = [ENTRY, END, ("1", &[])];
    let whole = graph(&program, "violation_witness", &nodes, edges);
    expect("unused", &program, &whole, 3);
}

/// Only the values, and the violation wherever it is.
#[test]
fn steps_that_are_inputs() {
    let data: Data = &[
        ("startline", "5"),
        ("assumption", "\\result == 8"),
        ("assumption.scope", "main"),
        ("assumption.resultfunction", "__VERIFIER_nondet_uint"),
    ];
    let whole = graph(
        UNSAFE,
        "violation_witness",
        &[ENTRY, END],
        &[("A0", "V", data)],
    );
    expect("inputs", UNSAFE, &whole, 0);
    let wrong = whole.replace("\\result == 8", "\\result == 9");
    expect("inputs-wrong", UNSAFE, &wrong, 1);
}

/// The node of a loop stands behind the declaration before it and the last statement of its body,
/// that of its end behind the condition.
#[test]
fn invariants_behind_steps() {
    let program = safe();
    let nodes: &[(&str, Data)] = &[
        ENTRY,
        ("H", &[("invariant", "i <= n"), ("invariant.scope", "main")]),
        ("B", &[("invariant", "i < n"), ("invariant.scope", "main")]),
        (
            "E",
            &[
                ("invariant", "n <= i && i <= n"),
                ("invariant.scope", "main"),
            ],
        ),
    ];
    let edges: &[(&str, &str, Data)] = &[
        ("A0", "H", &[("enterLoopHead", "true"), ("startline", "7")]),
        (
            "H",
            "B",
            &[("startline", "8"), ("control", "condition-true")],
        ),
        (
            "H",
            "E",
            &[("startline", "8"), ("control", "condition-false")],
        ),
        ("B", "H", &[("enterLoopHead", "true"), ("startline", "11")]),
    ];
    let whole = graph(&program, "correctness_witness", nodes, edges);
    expect("invariants", &program, &whole, 0);
    let wrong = whole.replace(">i &lt; n<", ">i == 0<");
    expect("invariants-wrong", &program, &wrong, 1);
    // Two nodes for one loop: each may be about some of the executions.
    let nodes = [nodes, &[("F", &[("invariant", "i == 0")] as Data)]].concat();
    let edges = [
        edges,
        &[(
            "A0",
            "F",
            &[("enterLoopHead", "true"), ("startline", "7")] as Data,
        )],
    ];
    let shared = graph(&program, "correctness_witness", &nodes, &edges.concat());
    expect("invariants-shared", &program, &shared, 3);
}
